// The quiz of a class: what would be kept, then every question once. Answers stay in this page until the last one is given.
import { button, call, h, spokenGroup, styled } from "./controls.js";

function render({ model, el, ask }) {
  const { occasion, offer, agree, unsure, by_hand, questions } = model.get("shows");
  const box = spokenGroup("ag-quiz");
  const choices = {};
  const choice = (label, press) => h("p", {}, button(label, press));
  const next = async () => {
    const question = questions.find(({ id }) => !(id in choices));
    if (question) {
      const answer = (given) => {
        choices[question.id] = given;
        next();
      };
      const asked = h("p", {}, h("strong", {}, `${question.head}.`), ` ${question.asked}`);
      const buttons = question.choices.map(([shown, given]) => choice(shown, () => answer(given)));
      box.replaceChildren(asked, ...buttons, choice(unsure, () => answer("")));
    } else {
      const save = call("class_quiz", "keep", occasion, choices);
      const saved = (await ask(save))?.["text/html"];
      box.replaceChildren(...(saved ? [h("div", { innerHTML: saved })] : [h("p", {}, by_hand), h("pre", { textContent: save })]));
    }
    box.focus();
  };
  box.append(h("div", { innerHTML: offer }), choice(agree, next));
  el.replaceChildren(styled(""), box);
}

export default { render };
