// One number's journey: how a query's row becomes scores, weights and a context vector, stop by stop.
// Everything on the stage moves in one of four ways: pair, squash, flow, hide.
import { dot, numbers, softmax } from "../live/tensors.js";
import { h, isStill, largest, number, stage, svg, words } from "../live/parts.js";
import { player } from "../live/player.js";

const FLIGHT = 800;
const [WIDE, TOP, ROW, HIGH] = [540, 104, 32, 26];
const [KEYS, SCORES, BARS, VALUES, CELL] = [72, 238, 300, 376, 36]; // where each part begins
const LOOK = `
.journey .scene { display: block; width: 100%; max-width: 720px; padding: 0; border-color: transparent; background: none; text-align: left; }
.journey .scene svg { width: 100%; } .journey .scene text { font-size: 14px; font-variant-numeric: tabular-nums; }
.journey .says { font-size: 16px; min-height: 3.2em; } .journey code { display: block; font: 14px/1.6 var(--jp-code-font-family, monospace); overflow-wrap: anywhere; min-height: 1.6em; }
.journey :is(.says, code) span { color: var(--kind, inherit); font-weight: 600; }
`;

// All numbers of the journey of one query: `scale` divides by √d, `causal` hides later keys, `heads` and `head` keep one
// head's columns, `tile` takes the keys in so many at once.
export function journey({ queries, keys, values, query, scale = false, causal = false, heads = 1, head = 0, tile = 0 }) {
  const cut = (rows) => rows.map((row) => row.slice((head * row.length) / heads, ((head + 1) * row.length) / heads));
  const [q, k, v] = [cut(queries)[query], cut(keys), cut(values)];
  const root = scale ? Math.sqrt(q.length) : 1;
  const hidden = k.map((_row, key) => causal && key > query);
  const products = k.map((row) => row.map((value, index) => value * q[index]));
  const scores = k.map((row) => dot(row, q));
  const scaled = scores.map((score, key) => (hidden[key] ? -Infinity : score / root));
  const most = Math.max(...scaled);
  const exponentials = scaled.map((score) => Math.exp(score - most));
  const weights = softmax(scaled);
  const parts = v.map((row, key) => row.map((value) => weights[key] * value));
  const context = v[0].map((_value, index) => parts.reduce((sum, row) => sum + row[index], 0));
  const tiles = [];
  let [m, l, o] = [-Infinity, 0, v[0].map(() => 0)];
  for (let first = 0; tile && first < k.length && !hidden[first]; first += tile) {
    const seen = scaled.slice(first, first + tile);
    const next = Math.max(m, ...seen);
    const shares = seen.map((score) => Math.exp(score - next));
    l = l * Math.exp(m - next) + shares.reduce((sum, value) => sum + value, 0);
    o = o.map((value, index) => value * Math.exp(m - next) + shares.reduce((sum, share, at) => sum + share * v[first + at][index], 0));
    m = next;
    tiles.push({ first, shares, m, l, o });
  }
  return { q, k, v, root, hidden, products, scores, scaled, exponentials, weights, parts, context, tiles };
}

// The stops of a journey, by name; a tile comes, is used and goes.
export const stopsOf = ({ tiles, root }, { heads = 1, causal = false }) => [
  "rows", ...(heads > 1 ? ["cut"] : []), "pair", "products", "sum", "cell",
  ...(tiles.length ? [] : ["scores", ...(root !== 1 ? ["scale"] : []), ...(causal ? ["hide"] : [])]),
  ...(tiles.length ? tiles.flatMap((_tile, at) => [`come ${at}`, `go ${at}`]) : ["bars", "exp", "squeeze", "shrink"]),
  "context", ...(heads > 1 ? ["join"] : []),
];

// Where everything is at a stop: actors by name, each { x, y, w, h, text, kind, share, opacity }.
export function sceneOf(stop, stops, all, given, names) {
  const { q, k, v, hidden, products, scores, scaled, exponentials, weights, parts, context, tiles } = all;
  const at = stops.indexOf(stop);
  const is = (name) => stops.includes(name) && at >= stops.indexOf(name);
  const { query, heads = 1, head = 0, tile = 0 } = given;
  const width = q.length;
  const chosen = tile ? 0 : hidden[query + 1] === false ? query + 1 : Math.max(query - 1, 0); // the key that is paired first
  const scene = {};
  const put = (name, x, y, w, values = {}) => (scene[name] = { x, y, w, h: HIGH, text: "", kind: "line", share: 0, opacity: 1, from: "", ...values });
  const line = (key) => TOP + ROW * key;
  const short = (value) => number(value, 2);
  const [low, high] = [Math.min(0, ...scaled.filter(Number.isFinite)), Math.max(1e-9, ...scaled.filter(Number.isFinite))];
  const [, turn, phase] = /^(\w+) ?(\d*)$/.exec(stop);
  const tileAt = phase === "" ? -1 : Number(phase);
  const done = stop === "context" && tile ? tiles.length : tileAt; // tiles that are over, or at work
  const isAtWork = (key) => !tile || turn !== "come" || Math.floor(key / tile) === tileAt;

  names.forEach((name, key) => put(`name ${key}`, 0, line(key), KEYS - 6, { text: name.length > 8 ? `${name.slice(0, 7)}…` : name, kind: "label", opacity: isAtWork(key) ? 1 : 0.35 }));
  given.keys.forEach((row, key) => row.forEach((value, column) => {
    const own = Math.floor(column / (row.length / heads)) === head;
    put(`k ${key} ${column}`, KEYS + 40 * column, line(key), CELL, { text: short(value), kind: "score", share: 0.16, opacity: is("cut") && !own ? 0.12 : isAtWork(key) ? 1 : 0.2 });
  }));
  given.queries[query].forEach((value, column) => {
    const own = Math.floor(column / (given.queries[query].length / heads)) === head;
    const inBench = is("pair") && own && !is("products");
    const place = column - head * width;
    put(`q ${column}`, inBench ? SCORES + 40 * place : KEYS + 40 * column, inBench ? 6 : 54, CELL,
      { text: short(value), kind: "chosen", share: 0.2, opacity: is("cut") && !own ? 0.12 : 1, from: given.same ? `k ${query} ${column}` : "" });
  });
  put("query", 0, 54, KEYS - 6, { text: names[query], kind: "asks" });

  k[chosen].forEach((value, column) => {
    const x = SCORES + 40 * column;
    if (stop === "pair") put(`pair ${column}`, x, 38, CELL, { text: short(value), kind: "score", share: 0.16, from: `k ${chosen} ${column + head * width}` });
    if (stop === "products") put(`product ${column}`, x, 24, CELL, { text: short(products[chosen][column]), kind: "weight", share: 0.25, from: `pair ${column}` });
    if (stop === "sum") put(`product ${column}`, SCORES, 24, 54, { kind: "weight", opacity: 0 });
  });
  const scoreAt = (key) => {
    const value = is("scale") || is("bars") || done >= 0 ? scaled[key] : scores[key];
    return is("hide") && hidden[key] ? "−∞" : short(Number.isFinite(value) ? value : scores[key] / all.root);
  };
  if (is("sum")) put(`score ${chosen}`, SCORES, is("cell") ? line(chosen) : 24, 54, { text: scoreAt(chosen), kind: "score", share: 0.3, from: "product 0", opacity: isAtWork(chosen) ? 1 : 0.2 });
  scores.forEach((_score, key) => {
    const reached = tile ? done >= 0 && Math.floor(key / tile) <= done : is("scores");
    if (key !== chosen && reached) put(`score ${key}`, SCORES, line(key), 54, { text: scoreAt(key), kind: "score", share: 0.3, from: `k ${key} ${head * width}`, opacity: isAtWork(key) ? 1 : 0.2 });
    if (tile && done >= 0 && reached && turn !== "come") scene[`score ${key}`].opacity = 0;
    if (hidden[key] && (is("hide") || (tile && done >= 0))) put(`shutter ${key}`, KEYS, line(key), WIDE - KEYS, { kind: "hidden", share: 1, text: "" });
  });

  // Bars: a score from its zero, then e to the score, then the share of the sum.
  const bar = (key) => {
    if (is("squeeze")) return [weights[key], number(weights[key], 2), "weight"];
    if (is("exp")) return [exponentials[key], short(exponentials[key]), "weight"];
    return [scaled[key] / (high - low), "", "score"];
  };
  if (is("bars")) scaled.forEach((_score, key) => {
    if (hidden[key]) return;
    const [value, text, kind] = bar(key);
    const zero = is("exp") ? 0 : (-low / (high - low)) * 70;
    const long = 70 * value;
    put(`bar ${key}`, BARS + zero + Math.min(long, 0), line(key) + 3, Math.max(Math.abs(long), 1), { h: HIGH - 6, kind, share: 0.35, from: `score ${key}`, minus: value < 0 });
    put(`share ${key}`, BARS, line(key), 70, { text, kind: "plain" });
  });
  if (is("squeeze") && !is("context")) put("sum", BARS, line(names.length) + 4, 70, { text: "Σ = 1", kind: "plain" });

  const bottom = line(names.length) + 8;
  const showsValues = tile ? done >= 0 : is("squeeze");
  if (showsValues) v.forEach((row, key) => row.forEach((value, column) => {
    if (hidden[key]) return;
    const x = VALUES + 40 * column;
    const after = tile ? turn === "go" || stop === "context" : is("context");
    const current = !tile || Math.floor(key / tile) === done;
    if (tile && !current) return;
    const shrunk = !tile && is("shrink");
    const size = shrunk ? 0.5 + 0.5 * weights[key] / Math.max(...weights) : 1;
    put(`v ${key} ${column}`, x, after ? bottom : line(key) + (HIGH * (1 - size)) / 2, CELL,
      { h: HIGH * size, text: after ? "" : short(shrunk ? parts[key][column] : value), kind: "context", share: 0.2 + (shrunk ? 0.4 * weights[key] : 0), opacity: after ? 0 : 1 });
  }));
  if (tile && done >= 0) {
    const state = tiles[Math.min(turn === "come" ? tileAt - 1 : done, tiles.length - 1)];
    const [m, l, o] = state ? [short(state.m), short(state.l), state.o] : ["-inf", "0.00", context.map(() => 0)];
    put("m", SCORES, 54, 84, { text: `m = ${m}`, kind: "score", share: 0.2 });
    put("l", SCORES + 90, 54, 84, { text: `l = ${l}`, kind: "weight", share: 0.2 });
    if (stop !== "context") o.forEach((value, column) => put(`context ${column}`, VALUES + 40 * column, bottom, CELL, { text: short(value), kind: "context", share: 0.4 }));
  }
  const shift = 40 * width * head;
  if (is("context")) context.forEach((value, column) => put(`context ${column}`, VALUES + 40 * column + (is("join") ? shift : 0), bottom, CELL, { text: short(value), kind: "context", share: 0.6 }));
  if (stop === "join") for (let other = 0; other < heads; other++) {
    if (other === head) continue;
    journey({ ...given, head: other }).context.forEach((value, column) =>
      put(`other ${other} ${column}`, VALUES + 40 * (other * width + column), bottom, CELL, { text: short(value), kind: "weight", share: 0.4 }));
  }
  return { scene, chosen };
}

function render(context) {
  const at = stage(context, draw);
  const { _, shows, chosen } = at;
  const given = { ...shows, queries: numbers(shows.queries), keys: numbers(shows.keys), values: numbers(shows.values) };
  const { tokens, called } = shows;
  const all = () => journey({ ...given, query: chosen.query });
  const stops = stopsOf(journey({ ...given, query: tokens.length - 1 }), given);
  const titles = { rows: _("rows"), cut: _("cut"), pair: _("pair"), products: _("products"), sum: _("sum"), cell: _("cell"), scores: _("row"), scale: "÷ √d", hide: _("hide"),
    bars: _("bars"), exp: "exp", squeeze: _("squeeze"), shrink: _("shrink"), context: _("context"), join: _("join"), come: _("tile {number} comes"), go: _("tile {number} goes") };
  const title = (stop) => {
    const [name, place] = stop.split(" ");
    return titles[name].replace("{number}", Number(place) + 1);
  };
  const go = (step) => {
    const next = Math.min(Math.max(step, 0), stops.length - 1);
    if (next !== chosen.stop) at.choose("stop", next);
  };
  const rail = words(_("Step"), { value: chosen.stop, options: stops.map(title) }, (value) => { playing.stop(); go(value); });
  const query = words(_("Query token"), { value: chosen.query, options: tokens }, (value) => { playing.stop(); at.choose("query", value); });
  const playing = player(_, () => {
    go(chosen.stop < stops.length - 1 ? chosen.stop + 1 : 0);
    return chosen.stop < stops.length - 1;
  }, 2200);
  const actors = svg("g");
  const picture = svg("svg", { viewBox: `0 0 ${WIDE} ${TOP + ROW * tokens.length + 40}`, "aria-hidden": "true" }, actors);
  // A tap or Space goes on, and arrows go both ways.
  const scene = h("button", { type: "button", class: "scene", "aria-label": _("Next stop"), click: () => { playing.stop(); go(chosen.stop === stops.length - 1 ? 0 : chosen.stop + 1); },
    keydown: (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step) return;
      event.preventDefault();
      playing.stop();
      go(chosen.stop + step);
    } }, picture);
  const code = h("code");
  at.root.classList.add("journey");
  at.root.prepend(h("style", {}, LOOK));
  at.controls.append(playing, rail, query);
  at.view.append(scene);
  at.root.append(at.says, at.view, code, at.controls);

  // --- motion: every actor goes from where it was to where it shall be --------------------------
  const nodes = new Map();
  let [now, frame] = [{}, 0];
  const NUMBERS = ["x", "y", "w", "h", "share", "opacity"];
  function node(name) {
    if (!nodes.has(name)) nodes.set(name, actors.appendChild(svg("g", {}, svg("rect", { rx: 3 }), svg("text"))));
    return nodes.get(name);
  }
  function paintActor(name, { x, y, w, h: high, share, opacity, text, kind, minus }) {
    const group = node(name);
    const [box, label] = group.children;
    const isLabel = kind === "label" || kind === "asks";
    group.style.opacity = opacity;
    group.style.display = opacity < 0.01 ? "none" : "";
    const set = (element, values) => { for (const [key, value] of Object.entries(values)) if (element.getAttribute(key) !== String(value)) element.setAttribute(key, value); };
    set(box, { x: x.toFixed(1), y: y.toFixed(1), width: Math.max(w, 0).toFixed(1), height: Math.max(high, 0).toFixed(1) });
    const isBox = !isLabel && kind !== "plain";
    const look = isBox ? `fill: color-mix(in srgb, var(--${kind === "hidden" ? "line" : kind}) ${Math.round(100 * (kind === "hidden" ? 0.92 : share))}%, transparent); stroke: var(--${kind === "hidden" ? "line" : kind}); stroke-dasharray: ${minus ? "3 3" : "none"}`
      : "fill: none";
    if (group.look !== look) box.style.cssText = group.look = look;
    if (label.textContent !== text) label.textContent = text;
    set(label, { x: (isLabel ? x + w : x + w / 2).toFixed(1), y: (y + high / 2 + 5).toFixed(1), "text-anchor": isLabel ? "end" : "middle" });
    label.style.cssText = kind === "asks" ? "fill: var(--chosen); font-weight: 700" : "";
  }
  function move(wanted) {
    cancelAnimationFrame(frame);
    const names = new Set([...Object.keys(now), ...Object.keys(wanted)]);
    const start = {}, end = {};
    for (const name of names) {
      const [old, next] = [now[name], wanted[name]];
      end[name] = next ?? { ...old, opacity: 0 };
      start[name] = old && old.opacity > 0.01 ? old : { ...end[name], ...(now[end[name].from] ?? {}), opacity: now[end[name].from] ? 0.6 : 0 };
    }
    const show = (share, shown) => {
      for (const name of shown) {
        const [one, other] = [start[name], end[name]];
        const actor = { ...other };
        for (const key of NUMBERS) actor[key] = one[key] + (other[key] - one[key]) * share;
        now[name] = actor;
        paintActor(name, actor);
      }
    };
    if (isStill() || !Object.keys(now).length) return show(1, names);
    // What stays where it is is painted once.
    const moving = [...names].filter((name) => NUMBERS.some((key) => start[name][key] !== end[name][key]));
    show(0, names);
    const began = performance.now();
    const step = (time) => {
      const share = Math.min(Math.max((time - began) / FLIGHT, 0), 1);
      show(share * share * (3 - 2 * share), moving);
      if (share < 1) frame = requestAnimationFrame(step);
    };
    frame = requestAnimationFrame(step);
  }

  // --- what is said: a sentence and a line of code, in the colours of the stage ------------------
  const KIND = { query: "chosen", key: "score", score: "score", weight: "weight", value: "context", context: "context", m: "score", l: "weight" };
  function colored(text, values) {
    return text.split(/\{(\w+)\}/g).map((part, place) => (place % 2 ? h("span", KIND[part] ? { style: `--kind: var(--${KIND[part]})` } : {}, String(values[part])) : part));
  }
  const said = {
    rows: [_("Each token is a row of numbers. “{query}” asks; all the others can answer."), "{query} = {queries}[{place}]"],
    cut: [_("Each row is cut into {heads} heads. This head sees {width} numbers of “{query}” and nothing else."), "{query} = {queries}[{place}].view({heads}, -1)[{head}]"],
    pair: [_("The row of “{query}” and the row of “{key}” lift out and meet, number by number."), "{query}, {key} = {queries}[{place}], {keys}[{other}]"],
    products: [_("Numbers that meet are multiplied: large where both are large."), "products = {query} * {key}"],
    sum: [_("The products fold into one sum. It is the score {score}."), "{score} = ({query} * {key}).sum()"],
    cell: [_("The sum drops into its cell: row “{query}”, column “{key}”."), "scores[{place}, {other}] = {score}"],
    scores: [_("All other rows meet “{query}” in the same way. Together they make one row of scores."), "scores = {keys} @ {query}"],
    scale: [_("Every score is divided by √d = {root}, so that long rows do not make large scores."), "scores = scores / {keys}.shape[-1] ** 0.5"],
    hide: [_("The future is shuttered: what comes after “{query}” gets −∞, and takes no part."), "scores = scores.masked_fill(mask, -torch.inf)"],
    bars: [_("The scores rise as bars. The longest is that of “{key}”."), "scores"],
    exp: [_("exp stretches them: what was longer becomes much longer, and nothing stays negative."), "stretched = torch.exp(scores - scores.max())"],
    squeeze: [_("They are squeezed until they add up to 1: “{key}” gets {weight} of the attention."), "{weight} = stretched / stretched.sum()"],
    shrink: [_("Each value shrinks to its weight."), "parts = weights[:, None] * {value}"],
    context: [_("What is left of the values slides together: the context vector of “{query}”."), "{context} = parts.sum(dim=0)"],
    join: [_("The context of each head takes its own columns: one row again."), "{context} = torch.cat(contexts)"],
    come: [_("Tile {number} comes: {width} keys and their values. The others are not in memory."), "{score} = {keys}[tile] @ {query}"],
    go: [_("The tile goes. What is kept of it: the largest score m = {m}, the sum l = {l}, and the row below."), "o = o * torch.exp(m_old - {m}) + torch.exp(scores - {m}) @ {value}"],
  };
  const ends = { tile: [_("After the last tile the row is divided by l = {l}: the context vector of “{query}”, though the whole row of scores was never there."), "{context} = o / {l}"] };

  function draw() {
    const journeyed = all();
    const own = stops[chosen.stop];
    const { scene: wanted, chosen: key } = sceneOf(own, stops, journeyed, { ...given, query: chosen.query }, tokens);
    rail.set(stops.map(title), chosen.stop);
    query.set(tokens, chosen.query, []);
    move(wanted);
    const [name, place] = own.split(" ");
    const best = largest(journeyed.weights);
    const tile = journeyed.tiles[Math.min(Number(place ?? journeyed.tiles.length - 1), journeyed.tiles.length - 1)];
    const isAboutBest = name === "bars" || name === "squeeze";
    const text = {
      query: tokens[chosen.query], key: tokens[isAboutBest ? best : key], score: number(journeyed.scores[key]), weight: number(journeyed.weights[best]),
      root: number(journeyed.root, 2), heads: given.heads ?? 1, number: Number(place ?? 0) + 1, width: name === "come" ? given.tile : journeyed.q.length, m: number(tile?.m ?? 0), l: number(tile?.l ?? 0),
    };
    const [sentence, line] = name === "context" && given.tile ? ends.tile : said[name];
    at.says.replaceChildren(...colored(sentence, text));
    code.replaceChildren(...colored(line, { queries: called[0], keys: called[1], value: called[2], query: "query", key: "key", score: "score", weight: "weights",
      context: "context", m: "m", l: "l", place: chosen.query, other: key, heads: given.heads ?? 1, head: given.head ?? 0 }));
    return at.says.textContent;
  }

  at.show();
  return () => { playing.stop(); cancelAnimationFrame(frame); };
}

export default { render };
