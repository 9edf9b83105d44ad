// Choose a sequence, a head and a query of your own attention weights, and see where it attends.
import { numbers } from "../live/tensors.js";
import { labels, stage, words } from "../live/parts.js";
import { mapView, rowInWords } from "./map_view.js";

const counted = (count) => Array.from({ length: count }, (_value, index) => String(index));

function render(context) {
  const at = stage(context, draw);
  const { _, shows, chosen } = at;
  const [queries, keys] = [labels(shows.queries), labels(shows.keys)];
  const weights = numbers(shows.weights);
  const sizes = [weights.length, weights[0].length];
  // What a single axis before the queries counts, sequences or heads, only the learner knows.
  const names = shows.axes === 2 ? [_("Sequence"), _("Head")] : ["", "weights[…]"];
  const query = words(_("Query token"), { value: chosen.query, options: queries }, (value) => at.choose("query", value));
  ["sequence", "head"].forEach((axis, place) => {
    if (names[place] && shows.axes > 0)
      at.controls.append(words(names[place], { value: chosen[axis], options: counted(sizes[place]) }, (value) => at.choose(axis, value)));
  });
  const map = mapView(_);
  at.controls.append(query);
  at.view.append(map.whole, map.row);

  function draw() {
    const values = weights[chosen.sequence][chosen.head];
    const place = ["", `weights[${chosen.head}], `, _("sequence {sequence}, head {head}, ", chosen)][shows.axes];
    query.set(queries, chosen.query, queries.length === keys.length ? values[chosen.query] : []);
    map.set(values, chosen.query, queries, keys, shows.most);
    return rowInWords(_, values[chosen.query], place + _("query '{query}'", { query: queries[chosen.query] }), keys);
  }

  at.show();
}

export default { render };
