// Choose a query token and see the weights of several heads: side by side, or laid over one another.
import { numbers } from "../../live/tensors.js";
import { h, KINDS, labels, number, stage, table, words } from "../../live/parts.js";
import { written } from "../../live/zoom.js";

const CLOSE = 1e-5;

function render(context) {
  const at = stage(context, draw);
  const { _, shows, chosen } = at;
  const weights = numbers(shows.weights); // (heads, tokens, tokens)
  const tokens = labels(shows.tokens);
  const views = [_("side by side"), _("superposed")];
  const query = words(_("Query token"), { value: chosen.query, options: tokens }, (value) => at.choose("query", value));
  at.controls.append(query, words(_("Heads"), { value: chosen.view, options: views }, (value) => at.choose("view", value)));
  const rows = table("", []);
  at.view.append(h("div", {}, rows));

  // Where a row of weights is largest: one token, or how many share the first place.
  function favourite(row) {
    const finite = row.filter(Number.isFinite);
    if (!finite.length) return _("to nothing (no finite weight)");
    const most = Math.max(...finite);
    const shared = row.filter((value) => Math.abs(value - most) <= CLOSE * Math.max(1, Math.abs(most))).length;
    if (shared > 1) return _("evenly to {shared} tokens ({weight} each)", { shared, weight: number(most, 2) });
    return _("most to '{token}' ({weight})", { token: tokens[row.indexOf(most)], weight: number(most, 2) });
  }

  const bars = (heads, key) => heads.map((row, head) => ({ value: row[key], kind: KINDS[head % KINDS.length], decimals: 2 }));

  function draw() {
    const heads = weights.map((head) => head[chosen.query]); // (heads, tokens)
    const mean = tokens.map((_token, key) => heads.reduce((sum, row) => sum + row[key], 0) / heads.length);
    const isOver = chosen.view === 1;
    query.set(tokens, chosen.query, mean);
    const meanOf = (key) => () => ({ lines: [`${mean[key].toFixed(4)} = (${heads.map((row) => written(row[key])).join(" + ")}) / ${heads.length}`], rows: [key] });
    rows.setHeads([_("token"), ...(isOver ? [shows.names.join(", "), _("mean of all heads")] : shows.names)]);
    rows.set(tokens.map((name, key) => ({
      name, chosen: key === chosen.query,
      cells: isOver ? [{ lanes: bars(heads, key), decimals: 2 }, { value: mean[key], kind: "ink", decimals: 2, why: meanOf(key) }] : bars(heads, key),
    })), _("Where {heads} heads attend for the query “{query}”, {view}", { heads: heads.length, query: tokens[chosen.query], view: views[chosen.view] }));
    const told = heads.map((row, head) => _("{name} attends {where}", { name: shows.names[head], where: favourite(row) })).join(", ")
      + (isOver ? _("; the mean of all heads attends {where}", { where: favourite(mean) }) : "");
    return _("query '{query}', {view}: {told}", { query: tokens[chosen.query], view: views[chosen.view], told });
  }

  at.show();
}

export default { render };
