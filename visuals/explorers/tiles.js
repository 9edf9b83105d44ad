// Step through the tiles of attention; watch the running maximum, sum and output of the queries at work.
import { dot, numbers } from "../live/tensors.js";
import { h, shaded, slider, stage, table, vector, words } from "../live/parts.js";
import { player } from "../live/player.js";

const [ALL, SKIPPED] = [0, 2]; // of the masks; between them, the causal one with every tile made

// All tiles in their order, for q and k (tokens, head_dim) and v (tokens, d_v): the place of each, and m, l and
// o of its queries afterwards.
export function visits(q, k, v, tile, mask) {
  const root = Math.sqrt(q[0].length);
  const found = [];
  for (let start = 0; start < q.length; start += tile) {
    let state = q.slice(start, start + tile).map(() => ({ m: -Infinity, l: 0, o: v[0].map(() => 0) }));
    for (let first = 0; first < (mask === SKIPPED ? start + 1 : q.length); first += tile) {
      const keys = k.slice(first, first + tile);
      state = state.map(({ m, l, o }, row) => {
        const scores = keys.map((key, column) => (mask !== ALL && first + column > start + row ? -Infinity : dot(q[start + row], key) / root));
        const most = Math.max(m, ...scores);
        const rescale = Math.exp(m - most);
        const weights = scores.map((score) => Math.exp(score - most));
        return {
          m: most,
          l: l * rescale + weights.reduce((sum, weight) => sum + weight, 0),
          o: o.map((value, index) => value * rescale + weights.reduce((sum, weight, column) => sum + weight * v[first + column][index], 0)),
        };
      });
      found.push({ row: start / tile, column: first / tile, state, held: state.length * (keys.length + 2 + v[0].length) });
    }
  }
  return found;
}

function render(context) {
  const at = stage(context, draw);
  const { _, shows, chosen } = at;
  const { tokens, sizes } = shows;
  const [q, k, v] = [shows.queries, shows.keys, shows.values].map(numbers);
  const masks = [_("no mask"), _("causal, every tile made"), _("causal, future skipped")];
  const again = (name) => (value) => {
    playing.stop();
    at.choose(name, value);
  };
  const step = slider(_("Step"), { value: chosen.step, min: 1, max: 1 }, again("step"));
  let all = [];
  const playing = player(_, () => {
    at.choose("step", chosen.step < all.length ? chosen.step + 1 : 1);
    return chosen.step < all.length;
  }, 900);
  at.controls.append(words(_("Tile"), { value: chosen.tile, options: sizes.map(String) }, again("tile")),
    words(_("Mask"), { value: chosen.mask, options: masks }, again("mask")), step, playing);
  const grid = table("", []);
  const queries = table(_("Queries at work, after this tile"), [_("query"), "m", "l", _("o / l so far")]);
  const counts = table(_("Numbers held"), ["", _("numbers")]);
  at.view.append(...[grid, counts, queries].map((one) => h("div", {}, one)));

  function draw() {
    const size = sizes[chosen.tile];
    all = visits(q, k, v, size, chosen.mask);
    chosen.step = Math.min(chosen.step, all.length);
    step.input.max = all.length;
    step.set(chosen.step);
    const across = Math.ceil(tokens.length / size);
    const named = (place) => {
      const own = tokens.slice(place * size, (place + 1) * size);
      return own.length === 1 ? `'${own[0]}'` : _("'{first}' to '{last}'", { first: own[0], last: own[own.length - 1] });
    };
    const cell = (row, column) => {
      const number_ = all.findIndex((one) => one.row === row && one.column === column) + 1;
      if (!number_) return shaded(0, { mark: "hidden", text: _("skipped") });
      if (number_ === chosen.step) return shaded(1, { mark: "leak", text: _("▶ at work") });
      return number_ < chosen.step ? shaded(0.5, { text: _("done") }) : shaded(0, { text: _("to come") });
    };
    const visit = all[chosen.step - 1];
    const places = Array.from({ length: across }, (_place, index) => index);
    grid.setHeads([_("query"), ...places.map(named)]);
    grid.set(places.map((row) => ({ name: named(row), chosen: row === visit.row, cells: places.map((column) => cell(row, column)) })),
      _("Tiles; rows are queries, columns keys"));
    const every = all.flatMap(({ state }) => state).filter(({ m }) => Number.isFinite(m));
    const bar = (value, name, kind) => ({ value, low: Math.min(0, ...every.map((one) => one[name])), high: Math.max(0, ...every.map((one) => one[name])), kind });
    queries.set(visit.state.map(({ m, l, o }, row) => ({
      name: tokens[visit.row * size + row],
      cells: [bar(m, "m", "score"), bar(l, "l", "weight"), vector(o.map((value) => (l ? value / l : value)))],
    })));
    const whole = tokens.length ** 2;
    counts.set([[_("this tile, m, l and o"), visit.held, "context"], [_("the whole matrix"), whole, "score"]]
      .map(([name, value, kind]) => ({ name, cells: [{ value, high: Math.max(whole, visit.held), kind, decimals: 0 }] })));
    const told = _("step {step} of {steps}: queries {queries} meet keys {keys}; {held} numbers are held, the whole matrix has {numbers}", {
      step: chosen.step, steps: all.length, queries: named(visit.row), keys: named(visit.column), held: visit.held, numbers: whole,
    });
    return told + (chosen.mask === SKIPPED ? _("; {skipped} of {total} tiles are skipped", { skipped: across ** 2 - all.length, total: across ** 2 }) : "");
  }

  at.show();
  return playing.stop;
}

export default { render };
