// What came, beside what was predicted; folded until something was.
import { cameTrue } from "./came_true.js";
import { call } from "./controls.js";

// The radio buttons that the keyboard is in: an arrow key passes through every choice before the one that is meant.
const beingChosen = () => document.querySelector("[role=radiogroup]:has(:focus-visible)");

function afterLeaving(group, then) {
  group.addEventListener("focusout", function left({ relatedTarget }) {
    if (group.contains(relatedTarget)) return;
    group.removeEventListener("focusout", left);
    then();
  });
}

function render({ model, el, ask }) {
  const { name, came, within, most, cards } = model.get("shows");
  const show = () => {
    const group = beingChosen();
    if (group) return afterLeaving(group, show);
    const { said = "", shown = said, settled } = model.get("chosen");
    const isTrue = settled ?? cameTrue(said, came, within);
    el.innerHTML = cards[said ? (isTrue ? "true" : "false") : "open"];
    for (const element of el.querySelectorAll(".ag-predicted")) element.textContent = shown;
    for (const [index, mark] of el.querySelectorAll(".ag-guess").entries())
      if (said) mark.style.setProperty("--drawn", `${(100 * said.split(" ")[index]) / most}%`);
    if (!said || (settled !== null && settled !== undefined)) return;
    model.set("chosen", { ...model.get("chosen"), settled: isTrue });
    model.save_changes();
    ask(call("predictions", "settle", name, said, isTrue));
  };
  model.on("change:chosen", show);
  show();
}

export default { render };
