// Type any text and look into a model, which runs here: where its heads look, what it expects, what a head or an
// activation does.
import { GPT, readTensors } from "../live/gpt.js";
import { encodeBytes, gelu, geluTanh, softmax } from "../live/tensors.js";
import { button, check, field, group, h, isStill, largest, number, paint, select, stage, table } from "../live/parts.js";
import { likeliest, path } from "./path.js";

const MARKS = { " ": "␣", "\n": "⏎" };
const LIKELY = 6;
const WRITTEN = 40; // characters at once
const LOOK = `
.model .columns { display: grid; grid-template-columns: minmax(0, 1fr); gap: 14px 36px; width: 100%; }
.model .columns > div { min-width: 0; }
.model [hidden] { display: none !important; } .model .heading { margin: 0; font-weight: 600; }
.model .path .says { min-height: 4.5em; } .model .path svg { width: min(100%, 560px); } .model table + table { margin-top: 10px; }
@container (min-width: 640px) {
  .model .columns { grid-template-columns: minmax(0, 1.2fr) minmax(0, 1fr); }
  .model fieldset.heads { grid-template-columns: repeat(8, minmax(0, 1fr)); max-width: none; }
}
.model .text { gap: 3px 1px; width: 100%; }
.model .text legend { float: none; width: 100%; }
.model .text .word { display: grid; min-width: 21px; }
.model .text .word span { padding: 1px 0; text-align: center; border-width: 1px; font-family: var(--jp-code-font-family, monospace); border-radius: 4px; }
.model .text .word span:nth-of-type(n + 2) { font-size: 11px; line-height: 15px; border-color: transparent; border-radius: 0; --shade: var(--context); box-shadow: none; font-weight: 400; }
.model .heads { display: grid; grid-template-columns: repeat(4, minmax(0, 1fr)); gap: 8px; max-width: 460px; }
.model .heads legend { grid-column: 1 / -1; }
.model .heads .word span { display: block; padding: 3px; font-size: 12px; }
.model .heads canvas { width: 100%; aspect-ratio: 1; height: auto; }
.model .taken canvas { opacity: 0.25; }
`;

function render({ model, el }) {
  const at = stage({ model, el }, draw);
  const { _, shows, chosen } = at;
  const { vocabulary, heads, merges } = shows;
  const weights = model.get("weights");
  const gpt = new GPT(readTensors(weights), heads, shows.tanh ? geluTanh : gelu);
  const ids = new Map(vocabulary.map((character, id) => [character, id]));
  const [headGroup, textGroup] = [group(), group()];
  const mark = (id) => vocabulary[id].replace(/[ \n]/g, (one) => MARKS[one]);
  const stages = [_("the embedding"), ...Array.from({ length: gpt.layers }, (_layer, layer) => _("block {block}", { block: layer }))];

  const text = field(_("Type anything"), { value: chosen.text }, (value) => {
    stop();
    chosen.query = -1;
    at.choose("text", value);
  });
  const strip = h("fieldset", { class: "text" }, h("legend", {}, _("Click a token. Its colour is how much the marked one looks at it; below it you see what the model expects next after {stages}.", { stages: stages.join(", ") })));
  const maps = h("fieldset", { class: "heads" }, h("legend", {}, _("Where each head looks: rows look at columns")));
  const expected = table("", [_("next"), _("probability")]);
  const reasons = table("", [_("what is there"), _("adds to the score")]);
  const sources = [_("nothing"), ...stages.map((one) => _("after {stage}", { stage: one }))];
  const other = field(_("The other text"), { value: chosen.other ?? "" }, (value) => at.choose("other", value));
  const patching = select(_("At the marked token, take from another text what is there"), { value: (chosen.patch ?? -1) + 1, options: sources }, (value) => {
    if (!chosen.other) chosen.other = other.input.value = [...chosen.text].reverse().join("");
    at.choose("patch", value - 1);
  });
  const way = path(at, { layers: gpt.layers, heads, width: gpt.width, mark, hasMlps: gpt.mlps, isInPieces: Boolean(merges) });
  const without = check(_("Without this head"), { value: chosen.removed }, (value) => at.choose("removed", value));
  const writing = button(_("Let it write"), write);
  at.root.classList.add("model");
  at.root.prepend(h("style", {}, LOOK));
  at.controls.append(text);
  at.view.replaceWith(h("div", { class: "view" }, strip, h("div", { class: "columns" }, way, h("div", {}, expected, reasons)),
    maps, h("div", { class: "controls" }, without, writing, patching, other)));
  for (let place = 0; place < gpt.layers * heads; place++) {
    const [layer, head] = [Math.floor(place / heads), place % heads];
    maps.append(h("label", { class: "word" },
      h("input", { type: "radio", name: headGroup, checked: layer === chosen.layer && head === chosen.head,
        change: () => { chosen.layer = layer; at.choose("head", head); } }),
      h("span", {}, h("canvas", { "aria-hidden": "true" }), _("layer {layer}, head {head}", { layer, head }))));
  }

  function read(value) {
    if (merges) return { known: encodeBytes(value, merges).slice(-gpt.context), unknown: [], cut: encodeBytes(value, merges).length > gpt.context };
    const unknown = [...new Set(value)].filter((character) => !ids.has(character));
    const known = [...value].filter((character) => ids.has(character)).map((character) => ids.get(character));
    return { known: known.slice(-gpt.context), unknown, cut: known.length > gpt.context };
  }

  let [seen, said, showWay] = ["", "", () => {}];
  function draw() {
    const now = JSON.stringify({ ...chosen, step: 0 });
    if (now === seen) showWay(); // a step of the path changes nothing else
    else [seen, said] = [now, look()];
    return said;
  }

  function look() {
    showWay = () => {};
    const { known, unknown, cut } = read(chosen.text);
    const notes = [];
    if (unknown.length) notes.push(_("It has never seen {characters} and leaves it out: it knows the printable characters of ASCII.", { characters: unknown.map((one) => `'${one}'`).join(", ") }));
    if (cut) notes.push(_("It reads {most} tokens at most: these are the last ones.", { most: gpt.context }));
    if (!known.length) return [...notes, _("There is no text. Type some characters.")].join(" ");
    const { layer, head, removed, patch: from = -1 } = chosen;
    const query = chosen.query >= 0 && chosen.query < known.length ? chosen.query : known.length - 1;
    const taken = removed ? [`${layer},${head}`] : [];
    const whole = gpt.run(known);
    const there = from >= 0 ? read(chosen.other).known : [];
    const patch = query < there.length ? { stage: from, place: query, row: gpt.run(there).streams[from].slice(query * gpt.width, (query + 1) * gpt.width) } : null;
    other.hidden = from < 0;
    const isChanged = removed || patch !== null;
    const result = isChanged ? gpt.run(known, taken, patch) : whole;
    const map = result.maps[layer][head];
    const row = Array.from(map.subarray(query * known.length, (query + 1) * known.length));
    const lens = stages.map((_stage, stage) => known.map((_id, place) => softmax(gpt.logits(result, place, stage))));
    drawText(known, query, row, lens);
    drawMaps(result, known.length, query, taken);
    const end = patch ? known.length - 1 : query; // a patch tells by what comes of it at the end
    const last = lens[lens.length - 1][end];
    const before = isChanged ? softmax(gpt.logits(patch && removed ? gpt.run(known, taken) : whole, end)) : last;
    drawExpected(last, before, known[end], isChanged);
    showWay = () => way.set(result.maps, known, query, lens.map((places) => places[query]));
    showWay();
    const best = largest(row);
    drawReasons(result, layer, head, query, best, known[best]);
    const told = (shares) => likeliest(shares, mark);
    if (from >= 0) notes.push(patch
      ? _("At token {query}, what is there after {stage} comes from the other text, from its token '{token}'. At the end the model expects {tokens}; without this patch, {whole}.",
        { query, stage: stages[from], token: mark(there[query]), tokens: told(last), whole: told(before) })
      : _("The other text has no token {query}.", { query }));
    const expects = removed && !patch
      ? _("without it the model expects {tokens}; with it, {whole}", { tokens: told(last), whole: told(before) })
      : _("the model expects {tokens}", { tokens: told(lens[lens.length - 1][query]) });
    notes.push(_("layer {layer}, head {head}: token {query}, '{token}', looks most at token {best}, '{other}' ({weight}); {expects}",
      { layer, head, query, token: mark(known[query]), best, other: mark(known[best]), weight: number(row[best], 2), expects }));
    return notes.join(" ");
  }

  const order = (shares) => shares.map((_share, id) => id).sort((one, other) => shares[other] - shares[one]);

  // A browser lays out anew what is set, though it was the same before.
  function put(node, text, share) {
    if (node.textContent !== text) node.textContent = text;
    if (node.style.getPropertyValue("--share") !== share.toFixed(2)) node.style.setProperty("--share", share.toFixed(2));
  }

  function drawText(known, query, row, lens) {
    while (strip.children.length - 1 > known.length) strip.lastChild.remove();
    known.forEach((id, place) => {
      const word = strip.children[place + 1] ?? strip.appendChild(h("label", { class: "word" },
        h("input", { type: "radio", name: textGroup, "aria-label": "", change: () => at.choose("query", place) }),
        h("span"), ...stages.map(() => h("span", { "aria-hidden": "true" }))));
      const [input, shown, ...guesses] = word.children;
      input.checked = place === query;
      input.setAttribute("aria-label", `${place}: ${mark(id)}`);
      put(shown, mark(id), Math.min(1.6 * row[place], 2));
      guesses.forEach((guess, stage) => {
        const best = largest(lens[stage][place]);
        put(guess, mark(best), lens[stage][place][best]);
      });
    });
  }

  function drawMaps(result, count, query, taken) {
    [...maps.querySelectorAll("canvas")].forEach((canvas, place) => {
      const [layer, head] = [Math.floor(place / heads), place % heads];
      paint(canvas, result.maps[layer][head], count, count, query, 2 * count);
      canvas.closest("label").classList.toggle("taken", taken.includes(`${layer},${head}`));
    });
  }

  function drawExpected(shares, before, id, isChanged) {
    expected.setHeads([_("next"), isChanged ? _("changed") : _("probability"), ...(isChanged ? [_("as it was")] : [])]);
    expected.set(order(shares).slice(0, LIKELY).map((next) => ({
      name: mark(next),
      cells: [{ value: shares[next], kind: "context", decimals: 3 }, ...(isChanged ? [number(before[next], 3)] : [])],
    })), _("What comes after “{token}”", { token: mark(id) }));
  }

  function drawReasons(result, layer, head, query, key, id) {
    const named = { token: _("the token itself"), position: _("its position"), bias: _("biases"), patch: _("the patch") };
    const parts = gpt.why(result, layer, head, query, key).sort((one, other) => Math.abs(other.value) - Math.abs(one.value)).slice(0, LIKELY - 1);
    const [low, high] = [Math.min(0, ...parts.map((part) => part.value)), Math.max(0, ...parts.map((part) => part.value))];
    reasons.set(parts.map(({ name, value }) => {
      const [from, one] = name.split(",");
      const wrote = one === undefined ? _("the MLP of layer {layer}", { layer: from }) : _("layer {layer}, head {head}", { layer: from, head: one });
      return { name: named[name] ?? wrote, cells: [{ value, low, high, kind: "score", decimals: 2 }] };
    }), _("Why there? What “{token}” has, compared with the other places", { token: mark(id) }));
  }

  let [timer, left] = [0, 0];
  function stop() {
    clearTimeout(timer);
    left = 0;
    writing.textContent = _("Let it write");
  }
  function write() {
    if (left) return stop();
    left = WRITTEN;
    writing.textContent = _("Stop");
    const step = () => {
      const { known } = read(chosen.text);
      const shares = softmax(gpt.logits(gpt.run(known.length ? known : [0]), Math.max(known.length - 1, 0)).map((logit) => logit / 0.7));
      let rest = Math.random();
      const next = Math.max(shares.findIndex((share) => (rest -= share) < 0), 0);
      chosen.query = -1;
      text.input.value = chosen.text + (vocabulary[next] === "\n" ? " " : vocabulary[next]);
      at.choose("text", text.input.value);
      if ((left -= 1) > 0) timer = setTimeout(step, 140);
      else stop();
    };
    step();
  }

  at.show();
  if (chosen.play && !isStill()) way.play();
  return () => { stop(); way.stop(); };
}

export default { render };
