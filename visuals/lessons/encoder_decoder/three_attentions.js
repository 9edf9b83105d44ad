// Choose one of three attentions and a query token: which keys are visible, and why the others are not.
import { h, labels, shaded, stage, table, words } from "../../live/parts.js";

const PADDING = "<pad>";
const SIDES = [["source", "source"], ["target", "target"], ["target", "source"]]; // of the queries and of the keys
const DECODER = 1;

// For every query and key: "" where the key is visible, else why it is hidden.
export const reasons = (kind, queries, keys) =>
  queries.map((_query, row) => keys.map((key, column) => (key === PADDING ? "padding" : kind === DECODER && column > row ? "later" : "")));

function render(context) {
  const at = stage(context, draw);
  const { _, shows, chosen } = at;
  const query = words(_("Query token"), { value: 0, options: [] }, (value) => at.choose("query", value));
  at.controls.append(words("Attention", { value: chosen.kind, options: shows.kinds }, (value) => at.choose("kind", value)), query);
  const grid = table("", []);
  at.view.append(h("div", {}, grid));

  function draw() {
    const [queriesOf, keysOf] = SIDES[chosen.kind];
    const [queries, keys] = [shows[queriesOf], shows[keysOf]];
    chosen.query = Math.min(chosen.query, queries.length - 1);
    const why = reasons(chosen.kind, queries, keys);
    const kind = shows.kinds[chosen.kind];
    query.set(labels(queries), chosen.query);
    grid.setHeads([_("query"), ...labels(keys)]);
    grid.set(labels(queries).map((name, row) => ({
      name, chosen: row === chosen.query,
      cells: why[row].map((reason) => shaded(reason ? 0 : row === chosen.query ? 1 : 0.4, {
        mark: reason && "hidden", text: reason === "later" ? _("later") : reason || _("✓ visible"),
      })),
    })), _("{kind}: queries of the {queries_of} (rows), keys of the {keys_of} (columns)", { kind, queries_of: queriesOf, keys_of: keysOf }));
    const row = why[chosen.query];
    const seen = keys.filter((_key, place) => !row[place]);
    const hidden = [["later", _("later in the target")], ["padding", "padding"]]
      .map(([reason, told]) => [keys.filter((_key, place) => row[place] === reason), told])
      .filter(([names]) => names.length).map(([names, told]) => `${names.join(", ")} (${told})`);
    return _("{kind}: '{token}' (token {query} of the {queries_of}) sees {seen} of {count} {keys_of} tokens: {tokens}.", {
      kind, token: queries[chosen.query], query: chosen.query, queries_of: queriesOf, seen: seen.length, count: keys.length,
      keys_of: keysOf, tokens: seen.join(", ") || _("none"),
    }) + " " + (hidden.length ? _("Hidden: {tokens}.", { tokens: hidden.join("; ") }) : _("Nothing is hidden."));
  }

  at.show();
}

export default { render };
