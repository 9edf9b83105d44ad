// Choose a query token and how sharp softmax is, and watch scores, weights and context.
import { followQuery, numbers } from "../../live/tensors.js";
import { flowRows, SHOWN_FEATURES } from "./flow_rows.js";
import { labels, largest, number, slider, stage, table, vector, words } from "../../live/parts.js";

const MOST_SHARP = 20;

function render(context) {
  const at = stage(context, draw);
  const { _, shows, chosen } = at;
  const inputs = numbers(shows.inputs);
  const names = labels(shows.tokens);
  const query = words(_("Query token"), { value: chosen.query, options: names }, (value) => at.choose("query", value));
  const sharpness = slider(_("Sharpness"), { value: chosen.sharpness, min: 0, max: MOST_SHARP, step: 0.1 }, (value) => at.choose("sharpness", value));
  const rows = table("", [_("token"), _("score"), _("weight"), ...(inputs[0].length <= SHOWN_FEATURES ? [_("context so far")] : [])]);
  at.controls.append(query, sharpness);
  at.view.append(rows);

  function draw() {
    const flow = followQuery(inputs, chosen.query, chosen.sharpness);
    query.set(names, chosen.query, flow.weights);
    rows.set(flowRows(flow, names, chosen.query, inputs, chosen.sharpness), _("Scores and weights of the query “{query}”", { query: names[chosen.query] }));
    const best = largest(flow.weights);
    const peak = Number.isFinite(flow.weights[best])
      ? _("largest weight {weight} on '{token}'", { weight: number(flow.weights[best]), token: names[best] })
      : _("no finite weight");
    return _("query '{query}', sharpness {sharpness}: {peak}; context {context}", {
      query: names[chosen.query], sharpness: chosen.sharpness, peak, context: vector(flow.context),
    });
  }

  at.show();
}

export default { render };
