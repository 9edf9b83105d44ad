// Choose d_k, what the scores are divided by and a temperature, and watch softmax sharpen or flatten.
import { entropy, numbers, softmax } from "../../live/tensors.js";
import { h, number, slider, stage, svg, table, words } from "../../live/parts.js";
import { ofWeight } from "../../live/zoom.js";

const DIVISORS = [["nothing", () => 1], ["√d_k", Math.sqrt], ["d_k", (width) => width]];
const DASHES = ["", "7 4", "2 3"];
const [COLDEST, HOTTEST, STOPS] = [0.05, 20, 200];
const TICKS = [0.05, 0.2, 1, 5, 20];
const [WIDE, HIGH, LEFT, TOP] = [250, 130, 34, 22];
const [LEGEND, NAMES] = [TOP + HIGH + 58, [0, 124, 214]];

const warmth = (stop) => COLDEST * (HOTTEST / COLDEST) ** (stop / STOPS);
const average = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

// How softmax shares out the weights of many queries: means over them, and the deviation of all scores.
export function shareOut(scores) {
  const weights = scores.map(softmax);
  const all = scores.flat();
  const middle = average(all);
  return {
    weights,
    spread: Math.sqrt(average(all.map((score) => (score - middle) ** 2))),
    largest: average(weights.map((row) => Math.max(...row))),
    entropy: average(weights.map(entropy)),
    slope: average(weights.flat().map((weight) => weight * (1 - weight))),
  };
}

function render(context) {
  const at = stage(context, draw);
  const { _, shows, chosen } = at;
  const scores = numbers(shows.scores); // (widths, queries, keys)
  const highest = Math.log(shows.tokens.length) || 1;
  const steepest = (1 - 1 / shows.tokens.length) / shows.tokens.length || 1;
  const names = DIVISORS.map(([name]) => _(name));
  const told = (stop) => String(Number(warmth(stop).toPrecision(2)));
  at.controls.append(
    words("d_k", { value: chosen.width, options: shows.widths.map(String) }, (value) => at.choose("width", value)),
    words(_("Scores divided by"), { value: chosen.divisor, options: names }, (value) => at.choose("divisor", value)),
    slider(_("Temperature"), { value: chosen.temperature, min: 0, max: STOPS, told }, (value) => at.choose("temperature", value)),
  );
  const first = table(_("The first query: its scores and weights"), [_("token"), _("score"), _("weight")]);
  const every = table(_("On average over {count} queries", { count: scores[0].length }), [_("measure"), _("average")]);
  const lines = names.map((name, place) => svg("polyline", { fill: "none", "stroke-dasharray": DASHES[place] }));
  const legend = names.map((name, place) => svg("g", {},
    svg("line", { x1: NAMES[place], x2: NAMES[place] + 24, y1: LEGEND, y2: LEGEND, "stroke-dasharray": DASHES[place] }),
    svg("text", { x: NAMES[place] + 29, y: LEGEND + 4, stroke: "none" }, `÷ ${name}`)));
  const dot = svg("circle", { r: 5.5, fill: "var(--chosen)" });
  const curves = svg("svg", { role: "img", viewBox: `0 0 ${LEFT + WIDE + 10} ${LEGEND + 10}`, width: LEFT + WIDE + 10 },
    svg("text", { x: 0, y: 12 }, "entropy"), svg("text", { x: LEFT - 6, y: TOP + 6, "text-anchor": "end" }, highest.toFixed(2)),
    svg("text", { x: LEFT - 6, y: TOP + HIGH + 4, "text-anchor": "end" }, "0"),
    svg("path", { d: `M${LEFT} ${TOP} V${TOP + HIGH} H${LEFT + WIDE}`, fill: "none", stroke: "currentColor" }), ...lines, ...legend, dot,
    ...TICKS.map((tick) => svg("text", { x: across(tick), y: TOP + HIGH + 16, "text-anchor": "middle" }, String(tick))),
    svg("text", { x: LEFT + WIDE / 2, y: TOP + HIGH + 34, "text-anchor": "middle" }, "temperature"));
  at.view.append(h("div", {}, first, every), h("div", {}, curves));

  function across(value) {
    return LEFT + (WIDE * Math.log(value / COLDEST)) / Math.log(HOTTEST / COLDEST);
  }
  const up = (value) => TOP + HIGH * (1 - value / highest);
  const divided = (width, divisor, by) => {
    const factor = 1 / (DIVISORS[divisor][1](shows.widths[width]) * by);
    return scores[width].map((row) => row.map((score) => score * factor));
  };
  const kept = new Map();
  const curve = (width, divisor) => {
    const key = `${width},${divisor}`;
    if (!kept.has(key)) kept.set(key, Array.from({ length: 17 }, (_stop, place) => warmth((place * STOPS) / 16)).map((by) => [by, shareOut(divided(width, divisor, by)).entropy]));
    return kept.get(key);
  };

  function draw() {
    const { width, divisor } = chosen;
    const by = warmth(chosen.temperature);
    const now = divided(width, divisor, by);
    const sharing = shareOut(now);
    const [low, high] = [Math.min(0, ...now[0]), Math.max(0, ...now[0])];
    first.set(shows.tokens.map((name, place) => ({ name, cells: [{ value: now[0][place], low, high, kind: "score", decimals: 2 }, { value: sharing.weights[0][place], why: () => ({ lines: [ofWeight(now[0], place)], rows: [place] }) }] })));
    every.set([[_("largest weight"), sharing.largest, 1, 2], ["entropy", sharing.entropy, highest, 2], [_("slope w (1 − w)"), sharing.slope, steepest, 3]]
      .map(([name, value, most, decimals]) => ({ name, cells: [{ value, high: most, kind: "context", decimals }] })));
    const falls = names.map((name, place) => {
      const points = curve(width, place);
      lines[place].setAttribute("points", points.map(([x, y]) => `${across(x)},${up(y)}`).join(" "));
      for (const part of [lines[place], legend[place]]) {
        part.style.stroke = place === divisor ? "var(--chosen)" : "currentColor";
        part.style.strokeWidth = place === divisor ? 3 : 1.5;
      }
      legend[place].lastChild.style.fontWeight = place === divisor ? 700 : 400;
      return _("divided by {divisor} from {first} to {last}", { divisor: name, first: number(points[0][1], 2), last: number(points[16][1], 2) });
    });
    dot.setAttribute("cx", across(by));
    dot.setAttribute("cy", up(sharing.entropy));
    const measured = { entropy: number(sharing.entropy, 2), temperature: told(chosen.temperature) };
    curves.setAttribute("aria-label", _("Average entropy against temperature from {coldest} to {hottest}: {told}; now {entropy} at {temperature}",
      { coldest: COLDEST, hottest: HOTTEST, told: falls.join("; "), ...measured }));
    return _("d_k {d_k}, scores divided by {divisor}, temperature {temperature}: scores spread by {spread}; average of {count} queries: largest weight {largest}, entropy {entropy} of at most {most}, slope {slope}", {
      d_k: shows.widths[width], divisor: names[divisor], ...measured, spread: number(sharing.spread, 2), count: now.length,
      largest: number(sharing.largest, 2), most: highest.toFixed(2), slope: number(sharing.slope, 3),
    });
  }

  at.show();
}

export default { render };
