// Type a sentence of your own and see where your own attention, with trained weights, looks in it.
import { masked, numbers, softmax } from "../live/tensors.js";
import { stage } from "../live/parts.js";
import { mapView, rowInWords } from "./map_view.js";
import { ownSentence } from "./own_sentence.js";

function render(context) {
  const at = stage(context, draw);
  const { _, shows } = at;
  const scoreOf = numbers(shows.scores);
  const own = ownSentence(at, shows.words);
  const map = mapView(_);
  at.view.append(map.whole, map.row);

  function draw() {
    const read = own.read();
    if (!read) return own.nothing();
    const { tokens, names, query, trouble } = read;
    const places = tokens.map((token) => shows.words.indexOf(token));
    const scores = places.map((row) => places.map((column) => scoreOf[row][column]));
    const seen = shows.causal ? masked(scores) : scores;
    const weights = seen.map(softmax);
    own.query.set(names, query, weights[query]);
    map.set(weights, query, names, names, 1, (row, key) => shows.causal && key > row, seen);
    return trouble + rowInWords(_, weights[query], _("query '{query}'", { query: names[query] }), names);
  }

  at.show();
}

export default { render };
