// Choose temperature, top-k and top-p, and see what the next token is drawn from.
import { nextProbabilities, softmax } from "../../live/tensors.js";
import { largest, number, slider, stage, table } from "../../live/parts.js";

function render({ model, el }) {
  const at = stage({ model, el }, draw);
  const { _, shows, chosen } = at;
  const { logits, tokens } = shows;
  const told = (value) => number(value, 2);
  at.controls.append(
    slider(_("Temperature"), { value: chosen.temperature, min: 0, max: 2, step: 0.1, told }, (value) => at.choose("temperature", value)),
    slider(_("top-k"), { value: chosen.k, min: 1, max: tokens.length }, (value) => at.choose("k", value)),
    slider(_("top-p"), { value: chosen.p, min: 0.05, max: 1, step: 0.05, told }, (value) => at.choose("p", value)),
  );
  const rows = table(_("What the next token is drawn from"), [_("token"), _("as the model says"), _("as it is drawn")]);
  at.view.append(rows);
  const plain = softmax(logits);

  function draw({ temperature, k, p }) {
    const shares = nextProbabilities(logits, temperature, k, p);
    rows.set(tokens.map((token, place) => ({
      name: token,
      chosen: shares[place] > 0,
      cells: [{ value: plain[place], kind: "score", decimals: 3 }, { value: shares[place], kind: "context", decimals: 3 }],
    })));
    const best = largest(shares);
    const left = shares.filter((share) => share > 0).length;
    return _("{left} of {count} tokens can be drawn; the likeliest, '{token}', has {share}", { left, count: tokens.length, token: tokens[best], share: number(shares[best], 2) });
  }

  at.show();
}

export default { render };
