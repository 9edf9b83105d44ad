// A question before a cell is run: a prediction is chosen, typed or drawn, and kept in the notebook and beside the progress.
import { button, call, h, status, styled, withoutShortcuts } from "./controls.js";

// What the cells down to the outcome print gives it away, when all cells are run at once. Answers and checks are none of
// these: nbgrader knows them.
function hideOutputs({ cell, name }, hidden, panel) {
  const cells = panel()?.content.widgets ?? [];
  const reveals = new RegExp(`^reveal\\(\\s*"${name}"`, "m");
  const asks = cells.findIndex(({ model }) => model.id === cell);
  const shows = cells.findIndex(({ model }) => reveals.test(model.sharedModel.getSource()));
  if (asks < 0) return;
  for (const between of cells.slice(asks + 1, Math.max(shows, asks)))
    if (between.model.type === "code" && !between.model.getMetadata("nbgrader")) {
      between.outputHidden = hidden;
      between.node.classList.toggle("ag-waits", hidden);
    }
}

function render({ model, el, ask, panel = () => null }) {
  const { name, cell, head, asked, choices, bars, most, draw, style, placeholder, kept, known } = model.get("shows");
  const group = `prediction-${Math.random()}`;
  const fields = choices.length
    ? choices.map(([shown, said]) => Object.assign(h("input", { type: "radio", name: group, value: said }), { shown }))
    : bars.length
      ? bars.map((shown) => Object.assign(h("input", { type: "range", min: 0, max: most, step: most / 100, value: 0 }), { shown }))
      : [h("input", { type: "text", placeholder, ariaLabel: asked })];
  const lengths = fields.map(() => h("b", {}));
  const measure = () => {
    for (const [index, field] of fields.entries()) {
      field.style.setProperty("--drawn", `${(100 * field.value) / most}%`);
      lengths[index].textContent = Number(field.value).toFixed(2);
    }
  };
  const says = status("p", "ag-kept");
  const show = () => {
    const { said = "", shown = said, settled } = model.get("chosen");
    for (const [index, field] of fields.entries()) {
      if (field.type === "radio") field.checked = field.value === said;
      else if (!bars.length) field.value = said;
      else if (said) field.value = said.split(" ")[index];
      field.disabled = keep.disabled = settled !== null && settled !== undefined;
    }
    measure();
    // An arrow key passes through every choice before the one that is meant.
    if (!choices.length || !box.matches(":has(:focus-visible)")) hideOutputs({ cell, name }, !said, panel);
    const text = said && (fields[0].disabled ? known : kept).replace("{said}", shown);
    if (says.textContent !== text) says.textContent = text;
  };
  const choose = async ({ target }) => {
    const said = bars.length ? fields.map(({ value }) => Number(value).toFixed(2)).join(" ") : target.value.trim();
    model.set("chosen", { ...model.get("chosen"), said, shown: target.shown ?? said.replaceAll(" ", bars.length ? ", " : " ") });
    model.save_changes();
    show();
    const answer = await ask(call("predictions", "keep", name, said));
    const trouble = answer?.["text/plain"]?.slice(1, -1);
    if (trouble) says.textContent = trouble;
  };
  const keep = button(draw, choose);
  for (const field of fields) {
    if (bars.length) field.addEventListener("input", measure);
    else field.addEventListener("change", choose);
    withoutShortcuts(field);
  }
  const rows = bars.length
    ? [h("div", { className: "ag-bars" }, ...fields.map((field, index) => h("label", {}, h("span", {}, field.shown), field, lengths[index]))), keep]
    : fields.map((field) => (field.shown ? h("label", {}, field, " ", field.shown) : field));
  const box = h("div", { className: "ag-asks" }, ...rows);
  if (bars.length) box.setAttribute("role", "group"), box.setAttribute("aria-label", asked);
  if (choices.length) box.setAttribute("role", "radiogroup"), box.setAttribute("aria-label", asked);
  box.addEventListener("focusout", ({ relatedTarget }) => {
    if (!box.contains(relatedTarget)) hideOutputs({ cell, name }, !model.get("chosen").said, panel);
  });
  el.replaceChildren(
    styled(STYLE + style),
    h("div", { className: "ag-part ag-predict" }, h("p", { className: "ag-asked" }, h("strong", {}, `${head}.`), ` ${asked}`), box, says),
  );
  model.on("change:chosen", show);
  show();
}

const STYLE = `
.ag-kept { min-height: 1.5em; } .ag-asks > label { display: block; width: fit-content; min-height: 24px; }
.ag-predict input { font: inherit; }
/* In the place of a hidden output, JupyterLab shows its first line. */
.ag-waits .jp-PlaceholderText { visibility: hidden; }`;

export default { render };
