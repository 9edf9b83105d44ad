// The quiz that says where to begin: one question at a time, until the first that is not answered rightly.
import { button, call, h, spokenGroup, styled } from "./controls.js";

function render({ model, el, ask }) {
  const { form, intro, questions, unsure, again, known } = model.get("shows");
  const box = spokenGroup("ag-quiz");
  const because = h("p", {}); // known once a kernel has been asked
  let drawn;
  const choice = (label, press) => h("p", {}, button(label, press));
  const keep = (said) => {
    model.set("chosen", { said, why: "" });
    model.save_changes();
    show();
    box.focus();
  };
  const answer = async (question, given) => {
    keep({ ...model.get("chosen").said, [question.id]: given });
    if (!given) return;
    const output = await ask(call("placement_quiz", "keep", form, question.id, given));
    model.set("chosen", { ...model.get("chosen"), why: output?.["text/html"] ?? "" });
    model.save_changes();
    show();
  };
  const show = () => {
    const { said = {}, why = "" } = model.get("chosen");
    because.innerHTML = why;
    because.hidden = !why;
    const current = JSON.stringify(said);
    if (drawn === current) return; // its buttons stay, or a press would be lost while the kernel answers
    drawn = current;
    const gap = questions.find(({ id, right }) => said[id] !== right);
    if (gap && !(gap.id in said)) {
      const asked = h("p", {}, h("strong", {}, `${gap.head}.`), ` ${gap.asked}`);
      const choices = gap.choices.map(([shown, given]) => choice(shown, () => answer(gap, given)));
      const first = gap === questions[0] ? [h("p", { textContent: intro })] : [];
      box.replaceChildren(...first, asked, ...choices, choice(unsure, () => answer(gap, "")));
    } else {
      const result = h("div", { innerHTML: gap ? gap.begin : known });
      box.replaceChildren(result, ...(gap ? [because] : []), choice(again, () => keep({})));
    }
  };
  el.replaceChildren(styled(""), box);
  model.on("change:chosen", show);
  show();
}

export default { render };
