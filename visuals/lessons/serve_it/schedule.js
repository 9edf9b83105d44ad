// Choose a budget of tokens, and see step by step which text reads its prompt and which one writes.
import { h, slider, stage, table, words } from "../../live/parts.js";

const ALONE = 1;

// How many tokens each text computes in each step, (steps, texts): those that write come first, then prompts in
// their order, cut at the budget.
export function schedule(prompts, answers, budget, way) {
  const left = [...prompts];
  const unwritten = [...answers];
  const steps = [];
  while (unwritten.some((count) => count > 0)) {
    const first = unwritten.findIndex((count) => count > 0);
    const waiting = prompts.map((_prompt, text) => text).filter((text) => unwritten[text] && (way !== ALONE || text === first));
    let rest = budget;
    const counts = prompts.map(() => 0);
    for (const writes of [true, false]) {
      for (const text of waiting.filter((one) => (left[one] === 1) === writes)) {
        counts[text] = Math.min(left[text], rest);
        rest -= counts[text];
      }
    }
    counts.forEach((count, text) => {
      left[text] -= count;
      if (count && !left[text]) {
        unwritten[text] -= 1;
        left[text] = Number(unwritten[text] > 0);
      }
    });
    steps.push(counts);
  }
  return steps;
}

const sum = (row) => row.reduce((total, value) => total + value, 0);

function render(context) {
  const at = stage(context, draw);
  const { _, shows, chosen } = at;
  const { prompts, answers } = shows;
  const ways = [_("together"), _("one after the other")];
  const set = (name) => (value) => at.choose(name, value);
  const step = slider(_("Step"), { value: chosen.step, min: 1, max: 1 }, set("step"));
  at.controls.append(
    words(_("Texts are served"), { value: chosen.way, options: ways }, set("way")),
    slider(_("Budget of a step"), { value: chosen.budget, min: 1, max: Math.max(sum(prompts), chosen.budget) }, set("budget")),
    step,
  );
  const rows = table(_("The texts after this step"), [_("text"), _("tokens in this step"), _("read of its prompt"), _("written of its answer")]);
  at.view.append(h("div", {}, rows));

  function draw({ budget, way }) {
    const steps = schedule(prompts, answers, budget, way);
    chosen.step = Math.min(chosen.step, steps.length);
    step.input.max = steps.length;
    step.set(chosen.step);
    const now = steps[chosen.step - 1];
    const bar = (value, high, kind) => ({ value, high, kind, decimals: 0 });
    rows.set(prompts.map((prompt, text) => {
      const computed = sum(steps.slice(0, chosen.step).map((counts) => counts[text]));
      const written = Math.max(0, computed - prompt + 1);
      return {
        name: _("text {text}", { text }),
        chosen: now[text] > 0,
        cells: [bar(now[text], budget, "score"), bar(Math.min(computed, prompt), prompt, "weight"), bar(written, answers[text], "context")],
      };
    }));
    const used = sum(now);
    const tokens = sum(steps.map(sum));
    return _("step {step} of {steps}: {used} of {budget} tokens are used; all steps together could compute {room} tokens, and {tokens} are needed", {
      step: chosen.step, steps: steps.length, used, budget, room: steps.length * budget, tokens,
    });
  }

  at.show();
}

export default { render };
