// Review questions on earlier lessons, one at a time; what was answered is kept in the notebook and beside the progress.
const quoted = JSON.stringify; // a string of JSON's is one of Python's

const h = (tag, attributes, ...children) => {
  const node = Object.assign(document.createElement(tag), attributes);
  node.append(...children);
  return node;
};

function render({ model, el, ask }) {
  const { intro, day, questions, right, wrong, unsure, next, result, again } = model.get("shows");
  const box = h("div", { className: "ag-review", tabIndex: -1 });
  const button = (label, press, className = "") => {
    const made = h("button", { type: "button", className: `jupyter-button ${className}`, textContent: label, onclick: press });
    made.setAttribute("data-lm-suppress-shortcuts", "true"); // JupyterLab would take Enter to edit the cell
    return h("p", {}, made);
  };
  const state = () => ({ said: {}, seen: 0, why: "", ...model.get("chosen") });
  const keep = (change) => {
    model.set("chosen", { ...state(), ...change });
    model.save_changes();
    show();
  };
  const answer = async (question, given) => {
    keep({ said: { ...state().said, [question.id]: given }, why: "" });
    box.focus();
    const told = await ask(`__import__("autograder.lesson.review", fromlist=["keep"]).keep(${quoted(question.id)}, ${day}, ${quoted(given)})`);
    if (told?.["text/html"]) keep({ why: told["text/html"] });
  };
  const map = (weights) => {
    const cell = (weight) => {
      const shade = Math.round(Math.min(1, Math.max(0, weight)) * 100);
      const cell = h("td", { textContent: weight.toFixed(2) });
      cell.style.background = `color-mix(in srgb, var(--jp-brand-color1, #1976d2) ${shade / 2}%, transparent)`;
      return cell;
    };
    return h("table", {}, ...weights.map((row) => h("tr", {}, ...row.map(cell))));
  };
  const shownOf = (question, given) => question.choices.find((choice) => choice[1] === given)?.[0].trim() ?? "";
  const show = () => {
    const { said, seen, why } = state();
    const question = questions[seen];
    if (!question) {
      const count = questions.filter(({ id, right }) => said[id] === right).length;
      const words = result.replace("{right}", count).replace("{number}", questions.length);
      return box.replaceChildren(h("p", {}, h("strong", { textContent: words })), h("p", { textContent: again }));
    }
    const parts = seen ? [] : [h("p", { textContent: intro })];
    parts.push(h("p", {}, h("strong", {}, `${question.head}.`), ` ${question.asked}`));
    if (question.weights.length) parts.push(map(question.weights));
    if (!(question.id in said)) {
      const kind = question.isCode ? "ag-line" : "";
      parts.push(...question.choices.map(([label, given]) => button(label, () => answer(question, given), kind)));
      parts.push(button(unsure, () => answer(question, "?")));
    } else {
      const isRight = said[question.id] === question.right;
      const words = isRight ? right : wrong.replace("{answer}", () => shownOf(question, question.right));
      parts.push(h("p", {}, h("strong", { textContent: words })));
      if (!isRight && why) parts.push(h("p", { innerHTML: why }));
      parts.push(button(next, () => { keep({ seen: seen + 1, why: "" }); box.focus(); }));
    }
    box.replaceChildren(...parts);
  };
  el.replaceChildren(h("style", { textContent: STYLE }), box);
  box.setAttribute("role", "group");
  box.setAttribute("aria-live", "polite");
  model.on("change:chosen", show);
  show();
}

const STYLE = `
.ag-review { padding: 0.2em 0.9em; color: var(--jp-ui-font-color1, #1f1f1f); font: 14px/1.5 var(--jp-ui-font-family, system-ui, sans-serif); }
.ag-review p { margin: 0.3em 0; } .ag-review:focus { outline: none; }
.ag-review td { padding: 2px 8px; text-align: right; font-variant-numeric: tabular-nums; }
.ag-review button { font: inherit; text-align: left; padding: 3px 10px; cursor: pointer; color: inherit; background: var(--jp-layout-color2, #eee); border: 1px solid var(--jp-ui-font-color2, #59616b); border-radius: 5px; }
.ag-review button.ag-line { font-family: var(--jp-code-font-family, monospace); white-space: pre; }
.ag-review button:focus-visible { outline: 2px solid var(--jp-brand-color1, #1976d2); outline-offset: 2px; }`;

export default { render };
