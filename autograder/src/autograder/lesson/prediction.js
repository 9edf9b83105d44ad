// A question before a cell is run: a prediction is chosen or typed, and kept in the notebook and beside the progress.
import { call, h, status, styled, withoutShortcuts } from "./controls.js";

function render({ model, el, ask }) {
  const { name, head, asked, choices, placeholder, kept, known } = model.get("shows");
  const group = `prediction-${Math.random()}`;
  const fields = choices.length
    ? choices.map(([shown, said]) => Object.assign(h("input", { type: "radio", name: group, value: said }), { shown }))
    : [h("input", { type: "text", placeholder, ariaLabel: asked })];
  const says = status("p", "ag-kept");
  const show = () => {
    const { said = "", shown = said, settled } = model.get("chosen");
    for (const field of fields) {
      if (field.type === "radio") field.checked = field.value === said;
      else field.value = said;
      field.disabled = settled !== null && settled !== undefined;
    }
    const text = said && (fields[0].disabled ? known : kept).replace("{said}", shown);
    if (says.textContent !== text) says.textContent = text;
  };
  const choose = async ({ target }) => {
    const said = target.value.trim();
    model.set("chosen", { ...model.get("chosen"), said, shown: target.shown ?? said });
    model.save_changes();
    show();
    const answer = await ask(call("predictions", "keep", name, said));
    const trouble = answer?.["text/plain"]?.slice(1, -1);
    if (trouble) says.textContent = trouble;
  };
  for (const field of fields) {
    field.addEventListener("change", choose);
    withoutShortcuts(field);
  }
  const rows = fields.map((field) => (field.shown ? h("label", {}, field, " ", field.shown) : field));
  const box = h("div", { className: "ag-asks" }, ...rows);
  if (choices.length) box.setAttribute("role", "radiogroup"), box.setAttribute("aria-label", asked);
  el.replaceChildren(
    styled(STYLE),
    h("div", { className: "ag-part ag-predict" }, h("p", { className: "ag-asked" }, h("strong", {}, `${head}.`), ` ${asked}`), box, says),
  );
  model.on("change:chosen", show);
  show();
}

const STYLE = `
.ag-kept { min-height: 1.5em; } .ag-asks label { display: block; width: fit-content; min-height: 24px; }
.ag-predict input { font: inherit; }`;

export default { render };
