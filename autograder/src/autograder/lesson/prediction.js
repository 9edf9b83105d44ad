// A question before a cell is run: a prediction is chosen or typed, and kept in the notebook and beside the progress.
const quoted = JSON.stringify; // a string of JSON's is one of Python's

const h = (tag, attributes, ...children) => {
  const node = Object.assign(document.createElement(tag), attributes);
  node.append(...children);
  return node;
};

function render({ model, el, ask }) {
  const { name, head, asked, choices, placeholder, kept, known } = model.get("shows");
  const group = `prediction-${Math.random()}`;
  const fields = choices.length
    ? choices.map(([shown, said]) => Object.assign(h("input", { type: "radio", name: group, value: said }), { shown }))
    : [h("input", { type: "text", placeholder, ariaLabel: asked })];
  const says = h("p", { className: "ag-kept", role: "status" });
  says.setAttribute("role", "status");
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
    const answer = await ask(`__import__("autograder.lesson.predictions", fromlist=["keep"]).keep(${quoted(name)}, ${quoted(said)})`);
    const trouble = answer?.["text/plain"]?.slice(1, -1);
    if (trouble) says.textContent = trouble;
  };
  for (const field of fields) {
    field.addEventListener("change", choose);
    field.setAttribute("data-lm-suppress-shortcuts", "true"); // JupyterLab would take Enter to edit the cell
  }
  const rows = fields.map((field) => (field.shown ? h("label", {}, field, " ", field.shown) : field));
  const box = h("div", { className: "ag-asks" }, ...rows);
  if (choices.length) box.setAttribute("role", "radiogroup"), box.setAttribute("aria-label", asked);
  el.replaceChildren(
    h("style", { textContent: STYLE }),
    h("div", { className: "ag-predict" }, h("p", { className: "ag-asked" }, h("strong", {}, `${head}.`), ` ${asked}`), box, says),
  );
  model.on("change:chosen", show);
  show();
}

const STYLE = `
.ag-predict { padding: 0.2em 0.9em; color: var(--jp-ui-font-color1, #1f1f1f); font: 14px/1.5 var(--jp-ui-font-family, system-ui, sans-serif); }
.ag-predict p { margin: 0.25em 0; } .ag-kept { min-height: 1.5em; } .ag-asks label { display: block; width: fit-content; min-height: 24px; }
.ag-predict input { font: inherit; } .ag-predict input:focus-visible { outline: 2px solid var(--jp-brand-color1, #1976d2); }`;

export default { render };
