// What every module in a notebook's page is made of: nodes, buttons, calls of the kernel, and one style.
export const h = (tag, attributes, ...children) => {
  const node = Object.assign(document.createElement(tag), attributes);
  node.append(...children);
  return node;
};

// JupyterLab would take Enter to edit the cell.
export function withoutShortcuts(node) {
  node.setAttribute("data-lm-suppress-shortcuts", "true");
  return node;
}

export const button = (label, onclick, className = "") =>
  withoutShortcuts(h("button", { type: "button", className: `jupyter-button ${className}`, textContent: label, onclick }));

// It is in the page before its words are, or a screen reader would not read them out.
export function status(tag, className) {
  const node = h(tag, { className });
  node.setAttribute("role", "status");
  return node;
}

// A box whose content changes with each answer, and is read out as it does.
export function spokenGroup(className) {
  const box = h("div", { className: `ag-part ${className}`, tabIndex: -1 });
  box.setAttribute("role", "group");
  box.setAttribute("aria-live", "polite");
  return box;
}

export const styled = (own) => h("style", { textContent: SHARED_STYLE + own });

// The expression that calls a function of the lesson's package; a string or number of JSON is one of Python.
export const call = (module, name, ...values) =>
  `__import__("autograder.lesson.${module}", fromlist=["${name}"]).${name}(${values.map((value) => (typeof value === "boolean" ? (value ? "True" : "False") : JSON.stringify(value)))})`;

const SHARED_STYLE = `
.ag-part { padding: 0.2em 0.9em; color: var(--jp-ui-font-color1, #1f1f1f); font: 14px/1.5 var(--jp-ui-font-family, system-ui, sans-serif); }
.ag-part p { margin: 0.3em 0; } .ag-part:focus { outline: none; } .ag-part a { color: var(--jp-content-link-color, #0a58ca); }
:is(.ag-part, .ag-more) button { font: 14px/1.4 var(--jp-ui-font-family, system-ui, sans-serif); text-align: left; padding: 3px 10px; cursor: pointer; color: var(--jp-ui-font-color1, #1f1f1f); background: var(--jp-layout-color2, #eee); border: 1px solid var(--jp-ui-font-color2, #59616b); border-radius: 5px; }
:is(.ag-part, .ag-more) :is(button, input):focus-visible { outline: 2px solid var(--jp-brand-color1, #1976d2); outline-offset: 2px; }`;
