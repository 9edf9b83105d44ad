// Review questions on earlier lessons, one at a time; what was answered is kept in the notebook and beside the progress.
import { button, call, h, spokenGroup, styled } from "./controls.js";

function render({ model, el, ask }) {
  const { intro, day, questions, right, wrong, unsure, next, result, again } = model.get("shows");
  const box = spokenGroup("ag-review");
  const because = h("p", {}); // known once a kernel has been asked
  let drawn;
  const choice = (label, press, className) => h("p", {}, button(label, press, className));
  const state = () => ({ said: {}, seen: 0, why: "", ...model.get("chosen") });
  const keep = (change) => {
    model.set("chosen", { ...state(), ...change });
    model.save_changes();
    show();
  };
  const answer = async (question, given) => {
    keep({ said: { ...state().said, [question.id]: given }, why: "" });
    box.focus();
    const output = await ask(call("review", "keep", question.id, day, given));
    if (output?.["text/html"]) keep({ why: output["text/html"] });
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
    because.innerHTML = why;
    because.hidden = !why;
    const current = JSON.stringify([said, seen]);
    if (drawn === current) return; // its buttons stay, or a press would be lost while the kernel answers
    drawn = current;
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
      parts.push(...question.choices.map(([label, given]) => choice(label, () => answer(question, given), kind)));
      parts.push(choice(unsure, () => answer(question, "?")));
    } else {
      const isRight = said[question.id] === question.right;
      const words = isRight ? right : wrong.replace("{answer}", () => shownOf(question, question.right));
      parts.push(h("p", {}, h("strong", { textContent: words })));
      if (!isRight) parts.push(because);
      parts.push(choice(next, () => { keep({ seen: seen + 1, why: "" }); box.focus(); }));
    }
    box.replaceChildren(...parts);
  };
  el.replaceChildren(styled(STYLE), box);
  model.on("change:chosen", show);
  show();
}

const STYLE = `
.ag-review td { padding: 2px 8px; text-align: right; font-variant-numeric: tabular-nums; }
.ag-review button.ag-line { font-family: var(--jp-code-font-family, monospace); white-space: pre; }`;

export default { render };
