// Choose a moment of a training, or play it: the curves up to it, and where the model looked then.
import { numbers } from "../live/tensors.js";
import { chart, h, slider, stage, svg } from "../live/parts.js";
import { player } from "../live/player.js";

const [SIDE, SQUARE, LETTERS] = [372, 24, 13]; // a map, the largest square of one weight in it, its tokens

// A map of weights from 0 to 1 (queries, keys), a token beside each row and above each column.
function namedMap(tokens, [queries, keys], says) {
  const square = Math.min(SIDE / keys, SQUARE);
  const size = Math.min(square, LETTERS);
  const [left, top] = tokens.length ? [6 + 0.65 * size * Math.max(...tokens.map((token) => token.length)), size + 4] : [0, 0];
  const [wide, high] = [left + square * keys, top + square * queries];
  const at = (place) => (place + 0.5) * square;
  const names = tokens.flatMap((token, place) => [
    svg("text", { x: left + at(place), y: top - 4, "text-anchor": "middle" }, token),
    ...(place < queries ? [svg("text", { x: left - 4, y: top + at(place) + size / 3, "text-anchor": "end" }, token)] : []),
  ]);
  const cells = Array.from({ length: queries * keys }, (_cell, place) => svg("rect", {
    x: left + (place % keys) * square, y: top + Math.floor(place / keys) * square, width: square, height: square,
    style: "fill: var(--score); transition: fill-opacity 0.25s",
  }));
  const element = svg("svg", { role: "img", "aria-label": says, viewBox: `0 0 ${wide} ${high}`, width: wide, style: `font-size: ${size}px` },
    ...names, ...cells, svg("path", { d: `M${left} ${top} V${high} H${wide}`, fill: "none", stroke: "currentColor" }));
  const set = (values) => values.flat().forEach((value, place) => (cells[place].style.fillOpacity = Number.isFinite(value) ? value : 0));
  return Object.assign(h("div", {}, element), { set });
}

function render(context) {
  const at = stage(context, draw);
  const { _, shows, chosen } = at;
  const { steps } = shows;
  const last = steps.length - 1;
  const maps = numbers(shows.maps); // (moments, queries, keys)
  const curves = shows.curves.map(([name, values]) => ({ name, values: numbers(values) }));
  const most = Math.max(...curves[0].values.filter(Number.isFinite), 0) || 1;
  const told = (moment) => _("after {steps} steps", { steps: steps[moment] });
  const moment = slider(_("Moment"), { value: chosen.moment, min: 0, max: last, told }, (value) => {
    playing.stop();
    at.choose("moment", value);
  });
  const playing = player(_, () => {
    at.choose("moment", chosen.moment < last ? chosen.moment + 1 : 0);
    return chosen.moment < last;
  }, 500);
  const [loss, shares] = [chart(), chart({ first: 1 })];
  const sizes = [maps[0].length, maps[0][0].length];
  const map = namedMap(shows.tokens, sizes, _("Map of {queries} queries (rows) by {keys} keys (columns); the stronger the blue, the more.", { queries: sizes[0], keys: sizes[1] }));
  at.controls.append(moment, playing);
  at.view.append(h("div", {}, loss, ...(curves.length > 1 ? [shares] : [])), map);

  function draw() {
    const end = chosen.moment + 1;
    const until = curves.map(({ name, values }) => ({ name, steps: steps.slice(0, end), values: values.slice(0, end) }));
    const drawn = (those, highest) => [those, { steps: steps[last], most: highest, unit: _("{steps} steps", { steps: steps[last] }), says: those.map(({ name }) => name).join(", ") }];
    moment.set(chosen.moment);
    loss.set(...drawn(until.slice(0, 1), most));
    shares.set(...drawn(until.slice(1), 1));
    map.set(maps[chosen.moment]);
    return shows.says[chosen.moment];
  }

  at.show();
  return playing.stop;
}

export default { render };
