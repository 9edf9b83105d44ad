// A map of weights (queries, keys), the row of the chosen query beside it, and what that row says in words.
import { entropy } from "../live/tensors.js";
import { ofWeight } from "../live/zoom.js";
import { h, largest, number, paint, shaded, table } from "../live/parts.js";

const NUMBERED = 12; // up to so many queries and keys the map is a table of numbers
const LISTED = 10;
const ROW_TOLERANCE = 1e-3;

// Words for one row: its largest weight, its sum, and the entropy of a share.
export function rowInWords(_, row, start, keys) {
  const finite = row.filter(Number.isFinite);
  if (!finite.length) return _("{start}: nothing finite in its row", { start });
  const [best, least] = [row.indexOf(Math.max(...finite)), row.indexOf(Math.min(...finite))];
  const peak = _("{start}: largest {weight} on '{key}'", { start, weight: number(row[best]), key: keys[best] });
  if (finite.length < row.length) return _("{told}; {count} entries are not finite", { told: peak, count: row.length - finite.length });
  const total = row.reduce((sum, value) => sum + value, 0);
  if (row[least] < 0) return _("{told}, smallest {weight} on '{key}'", { told: peak, weight: number(row[least], 2), key: keys[least] });
  if (Math.abs(total - 1) > ROW_TOLERANCE) return _("{told}; its row adds up to {total}, not to 1", { told: peak, total: number(total) });
  return _("{told}; its row adds up to {total}, entropy {entropy} of at most {most}", {
    told: peak, total: number(total, 2), entropy: number(entropy(row), 2), most: number(Math.log(row.length), 2),
  });
}

export function mapView(_) {
  const grid = table("", []);
  const image = h("canvas", { role: "img" });
  const row = table("", [_("key"), _("value")]);
  const whole = h("div");
  // `hidden`: whether a query may not look at a key; `scores` (queries, keys): what the values are the softmax of.
  const set = (values, query, queries, keys, most, hidden = () => false, scores = null) => {
    const why = (row, key) => scores && (() => ({ lines: [ofWeight(scores[row], key)], rows: [row] }));
    const cell = (value, row, key) => hidden(row, key) ? shaded(0, { mark: "hidden", text: _("hidden") }) : shaded(value, { most, why: why(row, key) });
    const isSmall = Math.max(queries.length, keys.length) <= NUMBERED;
    const shown = isSmall ? grid : image;
    if (whole.firstChild !== shown) whole.replaceChildren(shown);
    if (isSmall) {
      grid.setHeads(["", ...keys]);
      grid.set(queries.map((name, place) => ({ name, chosen: place === query, cells: values[place].map((value, key) => cell(value, place, key)) })),
        _("All queries (rows) and keys (columns)"));
    } else {
      image.setAttribute("aria-label", _("Map of {queries} queries (rows) by {keys} keys (columns); the stronger the blue, the more.", { queries: queries.length, keys: keys.length }));
      paint(image, values.flat().map((value) => value / most), queries.length, keys.length, query);
    }
    const order = values[query].map((_value, place) => place).filter((place) => !hidden(query, place));
    if (keys.length > NUMBERED) order.sort((one, other) => values[query][other] - values[query][one]).splice(LISTED);
    const [low, high] = [Math.min(0, ...values[query].filter(Number.isFinite)), most];
    row.set(order.map((place) => ({ name: keys[place], chosen: place === largest(values[query]), cells: [{ value: values[query][place], low, high }] })),
      keys.length > NUMBERED ? _("Where the query attends: its {listed} largest of {count}", { listed: LISTED, count: keys.length }) : _("Where the query attends"));
  };
  return { whole, row, set };
}
