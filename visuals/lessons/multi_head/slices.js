// Choose a head and see which rows of the fused class's wide matrix are its own.
import { numbers } from "../../live/tensors.js";
import { h, isStill, KINDS, number, stage, words } from "../../live/parts.js";

const FUSED = 1;

// Which rows stand together, as [head, row of the head]: those of each head, or all in the heads' order.
export function groups(heads, rows, kind) {
  const own = Array.from({ length: heads }, (_head, head) => Array.from({ length: rows }, (_row, row) => [head, row]));
  return kind === FUSED ? [own.flat()] : own;
}

function render(context) {
  const at = stage(context, draw);
  const { _, shows, chosen } = at;
  const { name } = shows;
  const matrices = numbers(shows.matrices); // (heads, head_dim, d_in)
  const [heads, width, inputs] = [matrices.length, matrices[0].length, matrices[0][0].length];
  const kinds = [_("the stack"), _("the fused class")];
  at.controls.append(
    words("Head", { value: chosen.head, options: matrices.map((_matrix, head) => `head ${head}`) }, (value) => at.choose("head", value)),
    words(_("Matrices of"), { value: chosen.kind, options: kinds }, (value) => at.choose("kind", value)));
  const rows = matrices.map((matrix, head) => matrix.map((values) => {
    const title = h("th", { scope: "row" });
    title.style.cssText = `border-left: 4px solid var(--${KINDS[head % KINDS.length]}); padding-left: 8px`;
    return h("tr", {}, title, ...values.map((value) => h("td", { class: "number" }, number(value))));
  }));
  const place = h("div", { class: "view" });
  at.view.append(place);

  let shown = null;
  function arrange() {
    const all = rows.flat();
    const before = shown === null || isStill() ? [] : all.map((row) => row.getBoundingClientRect());
    shown = chosen.kind;
    place.replaceChildren(...groups(heads, width, chosen.kind).map((group, index) => {
      const caption = chosen.kind === FUSED ? `${name}.weight` : `heads.${index}.${name}.weight`;
      const titles = [_("row"), ...matrices[0][0].map((_input, column) => `input ${column}`)];
      return h("table", {}, h("caption", {}, `${caption} (${group.length}, ${inputs})`),
        h("thead", {}, h("tr", {}, ...titles.map((text) => h("th", { scope: "col" }, text)))),
        h("tbody", {}, ...group.map(([head, row]) => rows[head][row])));
    }));
    // Each row slides from where it stood.
    before.forEach(({ x, y }, index) => {
      const now = all[index].getBoundingClientRect();
      all[index].animate([{ transform: `translate(${x - now.x}px, ${y - now.y}px)` }, { transform: "none" }], { duration: 380, easing: "ease-in-out" });
    });
  }

  function draw() {
    if (shown !== chosen.kind) arrange();
    rows.forEach((group, head) => group.forEach((row, index) => {
      const isChosen = head === chosen.head;
      row.classList.toggle("chosen", isChosen);
      row.firstChild.textContent = `${isChosen ? "▸ " : ""}${chosen.kind === FUSED ? head * width + index : index}, head ${head}`;
    }));
    const { head } = chosen;
    const [first, last] = [head * width, (head + 1) * width - 1];
    const own = `heads.${head}.${name}.weight`;
    const wide = `${name}.weight (${heads * width}, ${inputs})`;
    const stands = chosen.kind !== FUSED ? _("{own} ({rows}, {d_in}) is a matrix of its own", { own, rows: width, d_in: inputs })
      : width === 1 ? _("{rows} of {wide} is {own}", { rows: _("row {row}", { row: first }), wide, own })
      : _("{rows} of {wide} are {own}", { rows: _("rows {first} to {last}", { first, last }), wide, own });
    const makes = width === 1 ? _("it makes column {column} of what comes out", { column: first })
      : _("it makes columns {first} to {last} of what comes out", { first, last });
    return _("{kind}, head {head}: {place}; {makes}", { kind: kinds[chosen.kind], head, place: stands, makes });
  }

  at.show();
}

export default { render };
