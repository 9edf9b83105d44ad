// One token's path through a model: its stream rises part by part, and what heads find at earlier tokens flows in.
import { glide, h, KINDS, largest, number, slider, svg } from "../live/parts.js";
import { player } from "../live/player.js";

const [WIDE, LEFT, LEVEL, ENDS] = [380, 96, 30, 24];
const ARCS = 3; // of each head, the tokens that it looks at most
const LETTER = { step: 14, shown: 20, size: 2 }; // tokens of one character stand close together,
const PIECE = { step: 46, shown: 6, size: 6 }; // others far apart

// The likeliest ids of a distribution, with their shares.
export const likeliest = (shares, mark, count = 3) => shares.map((_share, id) => id).sort((one, other) => shares[other] - shares[one])
  .slice(0, count).map((id) => `${mark(id)} ${number(shares[id], 2)}`).join(", ");

export function path(at, { layers, heads, width, mark, hasMlps, isInPieces }) {
  const { _, chosen } = at;
  const fit = isInPieces ? PIECE : LETTER;
  const parts = [["embedding", 0], ...Array.from({ length: layers }, (_layer, layer) => [["attention", layer], ...(hasMlps ? [["MLP", layer]] : [])]).flat(), ["next", layers - 1]];
  const last = parts.length - 1;
  const names = parts.map(([kind, layer]) => ({ embedding: _("embedding"), attention: _("attention {layer}", { layer }), MLP: `MLP ${layer}`, next: _("next token") })[kind]);
  const high = ENDS + LEVEL * last + ENDS + 8;
  const level = (step) => high - ENDS - 8 - LEVEL * step;
  const column = (back) => WIDE - 14 - fit.step * back; // so far before the token

  const streams = svg("g", { stroke: "var(--line)" });
  const letters = svg("g", { "text-anchor": "middle", "font-family": "var(--jp-code-font-family, monospace)" });
  const arcs = parts.map(([kind]) => svg("g", { fill: "none", "stroke-dasharray": 1, "stroke-linecap": "round" },
    ...Array.from({ length: kind === "attention" ? heads * ARCS : 0 }, (_arc, place) => svg("path", { pathLength: 1, style: `stroke: var(--${KINDS[Math.floor(place / ARCS) % KINDS.length]})` }))));
  const labels = names.map((name, step) => svg("text", { x: 0, y: level(step) + 4 }, name));
  for (let back = 0; back < fit.shown; back++) {
    streams.append(svg("path", { d: `M${column(back)} ${level(0)} V${level(last)}` }));
    letters.append(svg("text", { x: column(back), y: high - 6, "font-weight": back ? 400 : 700 }));
  }
  const stem = svg("line", { x1: column(0), x2: column(0), y1: level(0), "stroke-width": 4, stroke: "var(--chosen)" });
  const head = svg("circle", { cx: column(0), r: 6, fill: "var(--chosen)" });
  const drawing = svg("svg", { role: "img", viewBox: `0 0 ${WIDE} ${high}`, width: WIDE }, streams, ...arcs, stem, head, letters, ...labels);
  const says = h("p", { class: "says", "aria-live": "polite" });
  const step = slider(_("Step"), { value: chosen.step ?? last, min: 0, max: last, told: (one) => names[one] }, (one) => { playing.stop(); at.choose("step", one); });
  const playing = player(_, () => {
    const next = (chosen.step ?? last) < last ? (chosen.step ?? last) + 1 : 0;
    step.set(next);
    at.choose("step", next);
    return next < last;
  }, 1300);
  let shown = -1;
  const move = glide(([now]) => {
    stem.setAttribute("y2", level(now));
    head.setAttribute("cy", level(now));
    arcs.forEach(({ style }, place) => {
      style.strokeDashoffset = 1 - Math.min(Math.max(now - place + 1, 0), 1);
      style.opacity = now > place + 0.5 ? 0.35 : now > place - 1 ? 0.9 : 0;
    });
  }, 400);

  // What flows in at each attention: the tokens that each head looks at most.
  function drawArcs(maps, count, query) {
    parts.forEach(([kind, layer], place) => {
      if (kind !== "attention") return;
      maps[layer].forEach((map, one) => {
        const row = Array.from(map.subarray(query * count, query * count + query + 1));
        const best = row.map((_weight, key) => key).sort((first, other) => row[other] - row[first]).slice(0, ARCS);
        for (let arc = 0; arc < ARCS; arc++) {
          const [key, line] = [best[arc], arcs[place].children[one * ARCS + arc]];
          const from = Math.max(column(query - (key ?? query)), LEFT - 8);
          line.setAttribute("d", `M${from} ${level(place - 1)} C${from} ${level(place) - 2} ${(from + column(0)) / 2} ${level(place)} ${column(0)} ${level(place)}`);
          line.style.strokeWidth = key === undefined ? 0 : 0.4 + 4 * row[key];
        }
      });
    });
  }

  // What is said of a step: `shares` is what the model expects after each stage.
  function tell(place, maps, known, query, shares) {
    const [kind, layer] = parts[place];
    const token = mark(known[query]);
    const expects = likeliest(shares[kind === "embedding" ? 0 : layer + 1], mark);
    if (kind === "embedding") return _("“{token}” becomes {width} numbers, which say which token it is and where it is.", { token, width });
    if (kind === "MLP") return _("{part} works on “{token}” alone. After it, the model expects {tokens}.", { part: names[place], token, tokens: expects });
    if (kind === "next") return _("What has become of “{token}” is compared with every token. The model expects {tokens}.", { token, tokens: expects });
    const found = maps[layer].map((map, one) => {
      const row = Array.from(map.subarray(query * known.length, query * known.length + query + 1));
      return _("head {head} most from “{token}” ({weight})", { head: one, token: mark(known[largest(row)]), weight: number(row[largest(row)], 2) });
    });
    return _("{part} adds to “{token}” what its heads bring: {found}.", { part: names[place], token, found: found.join(", ") });
  }

  const set = (maps, known, query, shares) => {
    [...letters.children].forEach((letter, back) => {
      const id = known[query - back];
      const text = id === undefined ? "" : mark(id).slice(0, fit.size);
      if (letter.textContent !== text) letter.textContent = text;
      streams.children[back].style.opacity = id === undefined ? 0 : 1;
    });
    const place = Math.min(chosen.step ?? last, last);
    drawArcs(maps, known.length, query);
    labels.forEach((label, one) => (label.style.fontWeight = one === place ? 700 : 400));
    const told = tell(place, maps, known, query, shares);
    drawing.setAttribute("aria-label", told);
    if (says.textContent !== told) says.textContent = told;
    if (place !== shown) move([(shown = place)]); // a new text is there at once
  };
  const element = h("div", { class: "path" }, h("p", { class: "heading" }, _("The path of one token")), drawing, h("div", { class: "controls" }, playing, step), says);
  return Object.assign(element, { set, play: () => playing.click(), stop: playing.stop });
}
