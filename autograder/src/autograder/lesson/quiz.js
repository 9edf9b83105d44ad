// The quiz that says where to begin: one question at a time, until the first that is not answered rightly.
const quoted = JSON.stringify; // a string of JSON's is one of Python's

const h = (tag, attributes, ...children) => {
  const node = Object.assign(document.createElement(tag), attributes);
  node.append(...children);
  return node;
};

function render({ model, el, ask }) {
  const { form, intro, questions, unsure, again, known } = model.get("shows");
  const box = h("div", { className: "ag-quiz", tabIndex: -1 });
  const button = (label, press) => {
    const made = h("button", { type: "button", className: "jupyter-button", textContent: label, onclick: press });
    made.setAttribute("data-lm-suppress-shortcuts", "true"); // JupyterLab would take Enter to edit the cell
    return h("p", {}, made);
  };
  const keep = (said) => {
    model.set("chosen", { said, why: "" });
    model.save_changes();
    show();
    box.focus();
  };
  const answer = async (question, given) => {
    keep({ ...model.get("chosen").said, [question.id]: given });
    if (!given) return;
    const told = await ask(`__import__("autograder.lesson.placement_quiz", fromlist=["keep"]).keep(${[form, question.id, given].map(quoted)})`);
    model.set("chosen", { ...model.get("chosen"), why: told?.["text/html"] ?? "" });
    model.save_changes();
    show();
  };
  const show = () => {
    const said = model.get("chosen").said ?? {};
    const gap = questions.find((one) => said[one.id] !== one.right);
    if (gap && !(gap.id in said)) {
      const asked = h("p", {}, h("strong", {}, `${gap.head}.`), ` ${gap.asked}`);
      const choices = gap.choices.map(([shown, given]) => button(shown, () => answer(gap, given)));
      const first = gap === questions[0] ? [h("p", { textContent: intro })] : [];
      box.replaceChildren(...first, asked, ...choices, button(unsure, () => answer(gap, "")));
    } else {
      const result = h("div", { innerHTML: gap ? gap.begin : known });
      const { why } = model.get("chosen"); // known where a kernel was asked
      box.replaceChildren(result, ...(gap && why ? [h("p", { innerHTML: why })] : []), button(again, () => keep({})));
    }
  };
  el.replaceChildren(h("style", { textContent: STYLE }), box);
  box.setAttribute("role", "group");
  box.setAttribute("aria-live", "polite");
  model.on("change:chosen", show);
  show();
}

const STYLE = `
.ag-quiz { padding: 0.2em 0.9em; color: var(--jp-ui-font-color1, #1f1f1f); font: 14px/1.5 var(--jp-ui-font-family, system-ui, sans-serif); }
.ag-quiz p { margin: 0.3em 0; } .ag-quiz:focus { outline: none; } .ag-quiz a { color: var(--jp-content-link-color, #0a58ca); }
.ag-quiz button { font: inherit; text-align: left; padding: 3px 10px; cursor: pointer; color: inherit; background: var(--jp-layout-color2, #eee); border: 1px solid var(--jp-ui-font-color2, #59616b); border-radius: 5px; }
.ag-quiz button:focus-visible { outline: 2px solid var(--jp-brand-color1, #1976d2); outline-offset: 2px; }`;

export default { render };
