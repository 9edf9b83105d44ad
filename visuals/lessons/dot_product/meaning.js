// Type a sentence of your own and see how its words move the meaning of one of them.
import { ownSentence } from "../../explorers/own_sentence.js";
import { followQuery } from "../../live/tensors.js";
import { arrows, number, slider, stage, table, vector } from "../../live/parts.js";
import { flowRows } from "./flow_rows.js";

const UNIT = 80;
const SHORT = 0.3; // words whose arrows are shorter share one label

const angle = ([x, y]) => (Math.atan2(y, x) * 180) / Math.PI;

function render(context) {
  const at = stage(context, draw);
  const { _, shows, chosen } = at;
  const own = ownSentence(at, Object.keys(shows.points));
  const sharpness = slider(_("Sharpness"), { value: chosen.sharpness, min: 0, max: 20, step: 0.1 }, (value) => at.choose("sharpness", value));
  const plane = arrows({ unit: UNIT, width: 300, height: 244, axes: [_("water →"), _("money ↑")] });
  const rows = table("", [_("token"), _("score"), _("weight"), _("context so far")]);
  at.controls.append(sharpness);
  at.view.append(plane, rows);

  // The words at each point share an arrow; those that have to do with neither, one label.
  function shown(tokens, points, query, context) {
    const places = new Map();
    tokens.forEach((token, index) => {
      const here = places.get(String(points[index])) ?? { x: points[index][0], y: points[index][1], names: [], kind: "score" };
      if (!here.names.includes(token)) here.names.push(token);
      if (index === query) here.kind = "chosen";
      places.set(String(points[index]), here);
    });
    const all = [...places.values()].map(({ x, y, names, kind }) => {
      const label = Math.hypot(x, y) > SHORT ? names.join(", ") : _("all other words");
      return { x, y, kind, label: label.length > 22 ? `${label.slice(0, 21)}…` : label };
    });
    return [...all, { x: context[0], y: context[1], kind: "context", label: _("context") }];
  }

  function draw() {
    const read = own.read();
    if (!read) return own.nothing();
    const { tokens, names, query, trouble } = read;
    const points = tokens.map((token) => shows.points[token]);
    const flow = followQuery(points, query, chosen.sharpness);
    own.query.set(names, query, flow.weights);
    rows.set(flowRows(flow, names, query, points, chosen.sharpness), _("Scores and weights of the query “{query}”", { query: names[query] }));
    const order = flow.weights.map((_weight, index) => index).sort((one, other) => flow.weights[other] - flow.weights[one]);
    const moved = _("largest weights {weights}; '{word}' alone is {before}° from the axis of water, its context vector {context} is {after}°", {
      weights: order.slice(0, 3).map((index) => `${names[index]} ${number(flow.weights[index], 2)}`).join(", "),
      word: names[query], before: angle(points[query]).toFixed(0), context: vector(flow.context, 2), after: angle(flow.context).toFixed(0),
    });
    plane.set(shown(tokens, points, query, flow.context), moved);
    return trouble + _("sharpness {sharpness}: {told}", { sharpness: chosen.sharpness, told: moved });
  }

  at.show();
}

export default { render };
