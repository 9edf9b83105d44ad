// Choose p, draw dropout masks, and watch what one draw does and what many average to.
import { dropped, numbers, uniforms } from "../../live/tensors.js";
import { button, h, number, shaded, slider, stage, table, words } from "../../live/parts.js";
import { player } from "../../live/player.js";
import { written } from "../../live/zoom.js";

const AT_ONCE = [1, 10, 100, 1000];
const MOST_DRAWS = 20000;
const SEED = 123;

// What so many draws of dropout leave of weights (queries, keys): the last one, and the average of all. `first`
// are the uniform numbers of the first draw; `before` is what fewer draws left, to go on from.
export function drawMany(weights, first, p, draws, before) {
  const isOn = before && before.p === p && before.draws <= draws;
  let { keep, times, next } = isOn ? before : { keep: null, times: weights.map((row) => row.map(() => 0)), next: uniforms(SEED) };
  for (let draw = isOn ? before.draws : 0; draw < draws; draw++) {
    keep = first.map((row) => row.map((value) => Number((draw ? next() : value) >= p)));
    times = times.map((row, query) => row.map((kept, key) => kept + keep[query][key]));
  }
  const average = weights.map((row, query) => row.map((weight, key) => (weight * times[query][key]) / draws / (1 - p)));
  return { p, draws, keep, times, next, last: dropped(weights, keep, p), average };
}

const sum = (rows) => rows.flat().reduce((total, value) => total + value, 0);

function render(context) {
  const at = stage(context, draw);
  const { _, shows, chosen } = at;
  const { tokens } = shows;
  const [weights, first] = [numbers(shows.weights), numbers(shows.first)]; // (queries, keys)
  const again = () => {
    const draws = chosen.draws + AT_ONCE[chosen.atOnce];
    at.choose("draws", draws > MOST_DRAWS ? AT_ONCE[chosen.atOnce] : draws);
    return true;
  };
  const playing = player(_, again, 600);
  at.controls.append(
    slider("p", { value: chosen.p, min: 0, max: 0.9, step: 0.05 }, (value) => {
      chosen.draws = 1; // draws for another p say nothing about this one
      at.choose("p", value);
    }),
    words(_("Draws at once"), { value: chosen.atOnce, options: AT_ONCE.map(String) }, (value) => at.choose("atOnce", value)),
    button(_("Draw again"), again), playing);
  const grids = [0, 1, 2].map(() => table("", [_("token"), ...tokens, _("sum")]));
  for (const grid of grids) grid.style.setProperty("--kind", "var(--weight)");
  at.view.append(...grids.map((grid) => h("div", {}, grid)));

  let drawn = null;
  function draw() {
    drawn = drawMany(weights, first, chosen.p, chosen.draws, drawn);
    const { keep, times, last, average, draws } = drawn;
    const grown = `(1 − ${chosen.p})`; // what is kept is divided by it
    // Of the last draw, and of the average; the weights before have nothing to show.
    const made = [
      (weight) => `${written(weight)} / ${grown}`,
      (weight, kept) => `${written(weight)} · ${kept} / ${draws} / ${grown}`,
    ];
    const averaged = draws === 1 ? _("Average of {number} draw", { number: draws }) : _("Average of {number} draws", { number: draws });
    [[_("Last draw (✗ dropped)"), last, keep], [averaged, average], [_("Weights before dropout"), weights]].forEach(([caption, values, kept], place) =>
      grids[place].set(values.map((row, query) => ({
        name: tokens[query],
        cells: [...row.map((value, key) => {
          const why = made[place] && (() => ({ lines: [`${value.toFixed(4)} = ${made[place](weights[query][key], times[query][key])}`], rows: [query] }));
          if (key > query && weights[query][key] === 0) return shaded(0, { text: "" }); // the future is empty, before and after
          return kept && !kept[query][key] ? shaded(0, { mark: "hidden", text: "✗" }) : shaded(value, { why });
        }), number(sum([row]), 2)],
      })), caption));
    const there = weights.flat().map((weight) => weight !== 0);
    const farthest = Math.max(...average.flat().map((value, place) => Math.abs(value - weights.flat()[place])));
    return _("p {p}: the last draw keeps {kept} of {there} weights, each times {factor}; they add up to {last}, before dropout to {before}.", {
      p: chosen.p, kept: keep.flat().filter((kept, place) => kept && there[place]).length, there: there.filter(Boolean).length,
      factor: number(1 / (1 - chosen.p), 2), last: number(sum(last), 2), before: number(sum(weights), 2),
    }) + " " + _("{average}: adds up to {total}, farthest from its weight by {farthest}", { average: averaged, total: number(sum(average), 2), farthest: number(farthest, 2) });
  }

  at.show();
  return playing.stop;
}

export default { render };
