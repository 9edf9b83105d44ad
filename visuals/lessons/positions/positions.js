// Move a query and a key to other positions, and see which kinds of positions keep their score.
import { dot, numbers, rotate } from "../../live/tensors.js";
import { glide, h, number, slider, stage, svg, table } from "../../live/parts.js";
import { player } from "../../live/player.js";
import { ofScore } from "../../live/zoom.js";

const LAST = 31;
const FURTHER = 7; // so much further on both are put, to see whether a score depends on more than the distance
const SAME = 1e-9;

// A query (2,) and a key (2,) at two positions, and both moved on, for three kinds of positions; and their scores.
export function placedAt(query, key, positions, theta) {
  const both = [0, FURTHER].map((further) => positions.map((position) => (position + further) * theta));
  const added = (vector, angle) => [vector[0] + Math.sin(angle), vector[1] + Math.cos(angle)];
  return {
    plain: both.map(() => [query, key]),
    added: both.map(([at, other]) => [added(query, at), added(key, other)]),
    rotated: both.map(([at, other]) => [rotate(query, [at]), rotate(key, [other])]),
  };
}

const scoresOf = (placed) => Object.fromEntries(Object.entries(placed).map(([kind, both]) => [kind, both.map((pair) => dot(...pair))]));
export const scoresAt = (...given) => scoresOf(placedAt(...given));

function render(context) {
  const at = stage(context, draw);
  const { _, shows, chosen } = at;
  const [pairs, theta] = [[numbers(shows.query), numbers(shows.key)], shows.theta];
  const names = ["query", "key"];
  const sliders = names.map((name) =>
    slider(_("Position of the {name}", { name }), { value: chosen[name], min: 0, max: LAST }, (value) => {
      playing.stop();
      at.choose(name, value);
    }));
  const playing = player(_, () => {
    const isEnd = Math.max(chosen.query, chosen.key) >= LAST;
    const start = Math.min(chosen.query, chosen.key);
    names.forEach((name, place) => sliders[place].set((chosen[name] += isEnd ? -start : 1)));
    at.choose("query", chosen.query);
    return Math.max(chosen.query, chosen.key) < LAST;
  });
  at.controls.append(...sliders, playing);
  const unit = 78 / (Math.max(...pairs.map(([x, y]) => Math.hypot(x, y))) || 1);
  const place = ([x, y], far = 1) => [far * unit * x, -far * unit * y];
  const arrow = (dashed) => svg("g", {}, svg("line", { "stroke-width": dashed ? 1.5 : 3, "stroke-dasharray": dashed ? "3 4" : undefined }),
    ...(dashed ? [] : [svg("circle", { r: 5 }), svg("text", { "text-anchor": "middle", "dominant-baseline": "middle", stroke: "none" })]));
  const lead = (one, [x, y], [farX, farY] = [], name = "") => {
    const [line, end, label] = one.children;
    for (const [attribute, value] of [["x2", x], ["y2", y]]) line.setAttribute(attribute, value);
    if (!end) return;
    for (const [attribute, value] of [["cx", x], ["cy", y]]) end.setAttribute(attribute, value);
    for (const [attribute, value] of [["x", farX], ["y", farY]]) label.setAttribute(attribute, value);
    label.textContent = name;
  };
  const [before, turned] = [true, false].map((dashed) => names.map((_name, index) => {
    const one = arrow(dashed);
    one.style.cssText = `stroke: var(--${["chosen", "score"][index]}); fill: var(--${["chosen", "score"][index]})`;
    return one;
  }));
  before.forEach((one, index) => lead(one, place(pairs[index])));
  const plane = svg("svg", { role: "img", viewBox: "-125 -115 250 230", width: 250 },
    svg("path", { d: "M-100 0 H100 M0 -100 V100", stroke: "var(--line)" }), ...before, ...turned);
  const move = glide((angles) => turned.forEach((one, index) => {
    const end = rotate(pairs[index], [angles[index]]);
    lead(one, place(end), place(end, 1.28), names[index]);
  }));
  const rows = table(_("Score of the query and the key"), [_("positions"), _("here"), _("both {further} further on", { further: FURTHER }), _("compared")]);
  at.view.append(h("div", { style: "--least: 220px; --most: 280px" }, plane), h("div", { style: "flex: 1 1 min-content" }, rows));

  function draw() {
    const positions = [chosen.query, chosen.key];
    const placed = placedAt(...pairs, positions, theta);
    const scores = scoresOf(placed);
    move(positions.map((position) => position * theta));
    const all = Object.values(scores).flat();
    const [low, high] = [Math.min(0, ...all), Math.max(0, ...all)];
    rows.set([[_("no positions"), "plain", "ink"], [_("codes added (sinusoidal)"), "added", "weight"], [_("rotated (RoPE)"), "rotated", "score"]]
      .map(([name, way, kind], row) => [name, scores[way], kind, (further) => () => ({ lines: [ofScore(...placed[way][further])], rows: [row] })])
      .map(([name, both, kind, why]) => ({
        name,
        cells: [...both.map((value, further) => ({ value, low, high, kind, why: why(further) })), Math.abs(both[0] - both[1]) < SAME ? _("✓ the same") : _("✗ another score")],
      })));
    const told = _("query at position {query}, key at position {key}, distance {distance}: rotated score {rotated}, and {rotated_on} with both {further} positions further on; with added codes {added} and {added_on}", {
      query: chosen.query, key: chosen.key, distance: chosen.query - chosen.key, further: FURTHER,
      rotated: number(scores.rotated[0]), rotated_on: number(scores.rotated[1]), added: number(scores.added[0]), added_on: number(scores.added[1]),
    });
    plane.setAttribute("aria-label", told);
    return told;
  }

  at.show();
  return playing.stop;
}

export default { render };
