// A sentence of the learner's own, of the words that the small trained model knows.
import { field, h, labels, words } from "../live/parts.js";

// The known words of a sentence, in lower case and without its punctuation, and those that are not known.
export function readSentence(text, known) {
  const read = text.split(/\s+/).map((word) => word.replace(/^[.,;:!?“”"']+|[.,;:!?“”"']+$/g, "").toLowerCase()).filter(Boolean);
  return { tokens: read.filter((word) => known.includes(word)), unknown: read.filter((word) => !known.includes(word)) };
}

// A field for the sentence and a choice among its words. `read()` gives the words, the chosen one's place and
// what is to be said of words that are not known; without a known word, null.
export function ownSentence(at, known) {
  const { _, chosen } = at;
  const text = field(_("Your sentence"), { value: chosen.text }, (value) => {
    const word = readSentence(chosen.text, known).tokens[chosen.query];
    chosen.query = Math.max(readSentence(value, known).tokens.indexOf(word), 0);
    at.choose("text", value);
  });
  const query = words(_("Word"), { value: 0, options: [] }, (value) => at.choose("query", value));
  at.controls.append(text, h("p", { class: "note" }, _("It knows these words: {words}.", { words: known.join(", ") })), query);
  const read = () => {
    const { tokens, unknown } = readSentence(chosen.text, known);
    const trouble = unknown.length ? _("'{word}' is not known, and is left out.", { word: unknown.join("', '") }) + " " : "";
    return tokens.length ? { tokens, names: labels(tokens), query: Math.min(chosen.query, tokens.length - 1), trouble } : null;
  };
  const nothing = () => _("The sentence has no known word. Type some words.");
  return { read, nothing, query };
}
