// A sentence with two words that can be chosen: arcs show what two of its words take in from the others, and a
// sentence says what each has come to mean.
import { dot, matmul, numbers, softmax, transpose } from "../live/tensors.js";
import { glide, h, isStill, largest, stage, svg } from "../live/parts.js";

const WAIT = 2000; // until one word changes by itself
const LOOK = `
.live .sentence { position: relative; width: 100%; max-width: 62em; }
.live .sentence p { display: flex; flex-wrap: wrap; gap: 58px 7px; align-items: center; margin: 0; padding: 62px 0; font-size: clamp(18px, 2.3cqw, 22px); line-height: 34px; }
.live .sentence svg { position: absolute; inset: 0; width: 100%; height: 100%; max-width: none; pointer-events: none; }
.live .sentence span { border-bottom: 3px solid transparent; }
.live .sentence :is(select, .asks) { font-size: inherit; font-weight: 700; color: var(--kind); }
.live .sentence select { border-color: var(--kind); padding: 1px 4px; background: var(--page); }
.live .sentence .asks { border-color: var(--kind); }
.live .meant { font-size: 17px; line-height: 1.7; margin: 6px 0; white-space: pre-line; }
`;
// What each word of a sentence takes in (tokens, tokens), and what it has come to mean: of the small model, for the
// places of its words in `shows.words`.
export function readWords(shows, places) {
  const of = (name) => places.map((place) => shows[name][place]); // (tokens, …)
  const scores = matmul(of("queries"), transpose(of("keys")));
  const weights = scores.map((row) => softmax(row.map((score) => score / Math.sqrt(shows.keys[0].length))));
  const taken = matmul(weights, of("values")); // (tokens, 16)
  const meanings = of("embeddings").map((row, token) => {
    const vector = row.map((value, feature) => value + taken[token][feature]);
    return shows.meanings[largest(shows.readout.map((one) => dot(one, vector)))];
  });
  return { weights, meanings };
}

function render(context) {
  const at = stage(context, draw);
  const { _, shows, chosen } = at;
  const model = { ...shows, ...Object.fromEntries(["embeddings", "queries", "keys", "values", "readout"].map((name) => [name, numbers(shows[name])])) };
  const kinds = ["weight", "score"]; // of the two words whose arcs are shown
  const asking = shows.asking; // their places in the sentence
  const arcs = svg("svg", { "aria-hidden": "true" });
  const text = h("p");
  let timer = 0;
  const nodes = shows.sentence.map((word, place) => {
    const slot = shows.slots.findIndex((one) => one.place === place);
    const asks = asking.indexOf(place);
    const style = asks >= 0 ? `--kind: var(--${kinds[asks]})` : slot >= 0 ? `--kind: var(--${kinds[1]})` : undefined;
    if (slot < 0) return h("span", { class: asks >= 0 ? "asks" : undefined, style }, word);
    const { options } = shows.slots[slot];
    const input = h("select", { style, "aria-label": _("Word {number} of the sentence", { number: place + 1 }), change: () => {
      clearTimeout(timer);
      pick(slot, input.value);
    } }, ...options.map((one) => new Option(one, one, false, one === chosen.words[slot])));
    return input;
  });
  text.append(...nodes);
  const sentence = h("div", { class: "sentence" }, text, arcs);
  at.root.prepend(h("style", {}, LOOK));
  at.root.append(sentence, at.says);
  at.says.classList.add("meant");
  const pick = (slot, word) => at.choose("words", chosen.words.map((old, one) => (one === slot ? word : old)));

  let [weights, meanings, words] = [[], [], []];
  // Arcs of the first word hang below the words, those of the other stand above; each is as thick as its weight.
  const shape = (asks, key, share) => {
    const [from, to] = [nodes[key], nodes[asking[asks]]].map((node) => node.getBoundingClientRect());
    const box = sentence.getBoundingClientRect();
    const [x1, x2] = [from, to].map((one) => one.left + one.width / 2 - box.left);
    const isLower = from.top > to.bottom; // in a line below, or above, the two face each other
    const isApart = isLower || from.bottom < to.top;
    const edges = isApart ? [isLower ? "top" : "bottom", isLower ? "bottom" : "top"] : [asks ? "top" : "bottom", asks ? "top" : "bottom"];
    const [y1, y2] = [from[edges[0]] - box.top, to[edges[1]] - box.top];
    const lift = isApart ? (y2 - y1) / 2 : (asks ? -1 : 1) * Math.min(18 + Math.abs(x2 - x1) / 7, 54);
    return { d: `M${x1} ${y1} C${x1} ${y1 + lift} ${x2} ${isApart ? y2 - lift : y2 + lift} ${x2} ${y2}`, "stroke-width": Math.max(16 * share, 0.6), opacity: 0.25 + 0.6 * Math.min(2 * share, 1) };
  };
  const move = glide((shares) => {
    while (arcs.children.length < shares.length) arcs.append(svg("path", { fill: "none" }));
    shares.forEach((share, place) => {
      const [asks, key] = [Math.floor(place / nodes.length), place % nodes.length];
      const path = arcs.children[place];
      path.style.stroke = key === asking[asks] ? "none" : `var(--${kinds[asks]})`;
      for (const [name, value] of Object.entries(shape(asks, key, share))) path.setAttribute(name, value);
    });
  }, 700);
  const drawArcs = () => move(asking.flatMap((place) => weights[place]));

  function draw() {
    words = shows.sentence.map((word, place) => chosen.words[shows.slots.findIndex((one) => one.place === place)] ?? word);
    shows.slots.forEach(({ place }, slot) => (nodes[place].value = chosen.words[slot]));
    ({ weights, meanings } = readWords(model, words.map((word) => shows.words.indexOf(word))));
    drawArcs();
    return [...asking].reverse().map(tell).join("\n");
  }

  function tell(place) {
    const values = { word: words[place], meaning: meanings[place], other: words[largest(weights[place])], share: Math.round(100 * Math.max(...weights[place])) };
    if (meanings[place] === "bank of water") return _("Here “{word}” means the side of a river: {share} % of what it takes in is “{other}”.", values);
    if (meanings[place] === "bank of money") return _("Here “{word}” means a place that keeps money: {share} % of what it takes in is “{other}”.", values);
    return _("“{word}” means the {meaning}: {share} % of what it takes in is “{other}”.", values);
  }

  at.show();
  const laid = new ResizeObserver(drawArcs);
  laid.observe(text);
  if (!isStill()) timer = setTimeout(() => pick(shows.changes.slot, shows.changes.word), WAIT);
  return () => { clearTimeout(timer); laid.disconnect(); };
}

export default { render };
