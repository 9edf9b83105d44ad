// Switch classic bugs on and off in a tiny class, and see weights, entropy, gradients and training change.
import { chart, check, h, number, shaded, stage, table, words } from "../../live/parts.js";

const [AS_GOOD, MOSTLY] = [0.05, 0.3]; // an error so near to the right class's is as good; below the second, most is learned
const OFF = 0.005;

const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

function render(context) {
  const at = stage(context, draw);
  const { _, shows, chosen } = at;
  const { bugs, tokens, steps } = shows;
  const moments = [_("before training"), _("after {steps} steps", { steps })];
  at.controls.append(
    ...bugs.map(({ name, label }) => check(label, { value: chosen[name] }, (value) => at.choose(name, value))),
    words(_("Weights and gradients"), { value: chosen.moment, options: moments }, (value) => at.choose("moment", value)));
  const maps = shows.rows[0].map(() => table("", []));
  const errors = chart({ width: 200, height: 120 });
  const gradients = table(_("Gradients, in thousandths; second bar: right class"), [_("token"), "scores", "query", "key"]);
  at.view.append(h("div", {}, ...maps), errors, h("div", {}, gradients));

  const times = (ratio) => number(ratio, ratio >= 10 ? 0 : 2);
  const verdict = (error, best) =>
    error <= best + AS_GOOD ? _("about as good in this tiny case") : error <= MOSTLY ? _("it trains, and lags behind") : _("much is left unlearned");

  function draw() {
    const on = bugs.filter(({ name }) => chosen[name]);
    const place = bugs.reduce((sum, { name }, index) => sum + (chosen[name] ? 2 ** index : 0), 0);
    const [training, best] = [shows.trainings[place], shows.trainings[0]];
    const [now, model] = [training, best].map((one) => one.moments[chosen.moment]);
    const isCut = chosen.untransposed; // then rows are pieces of tokens, and not to be compared
    const isCompared = on.length > 0 && !isCut;
    maps.forEach((map, head) => {
      const names = shows.rows[Number(isCut)][head];
      map.setHeads([_("query"), ...names, _("row sum"), "entropy"]);
      map.set(names.map((name, row) => {
        const [sum, entropy] = [now.sums[head][row], number(now.entropy[head][row], 2)];
        const isOff = Math.abs(sum - 1) > OFF;
        return {
          name,
          cells: [...now.weights[head][row].map((weight, key) => shaded(weight, { text: key <= row ? undefined : "" })),
            shaded(0, { mark: isOff ? "leak" : "", text: number(sum, 2) + (isOff ? " ≠ 1" : "") }),
            isCompared ? `${entropy} (${number(model.entropy[head][row], 2)})` : entropy],
        };
      }), _("Head {head}: weights of one story", { head }) + (isCompared ? " " + _("(entropy of the right class)") : ""));
    });
    const kinds = [["scores", "score"], ["queries", "weight"], ["keys", "context"]];
    const most = 1000 * Math.max(...kinds.flatMap(([name]) => [...now[name], ...model[name]]));
    gradients.set(tokens.map((name, token) => ({
      name,
      cells: kinds.map(([part, kind]) => ({
        lanes: [{ value: 1000 * now[part][token], kind }, ...(on.length ? [{ value: 1000 * model[part][token], kind: "ink" }] : [])], high: most, decimals: 2,
      })),
    })));
    const last = training.errors[training.errors.length - 1];
    const bestLast = best.errors[best.errors.length - 1];
    const told = training.errors.map((error, index) => [index, error]).filter(([index]) => index % 3 === 0)
      .map(([index, error]) => _("step {step}: {error}", { step: shows.measured[index], error: number(error, 2) })).join(", ");
    const lines = [{ name: _("right"), steps: shows.measured, values: best.errors }, { name: _("broken"), steps: shows.measured, values: training.errors }];
    errors.set(on.length ? lines : lines.slice(0, 1), {
      steps, most: Math.max(1, ...best.errors, ...training.errors), unit: _("error over {steps} steps", { steps }),
      says: _("Error on stories not trained on, {told}; the right class ends at {error}", { told, error: number(bestLast, 2) }),
    });
    const [low, high] = [Math.min, Math.max].map((pick) => number(pick(...now.sums.flat()), 2));
    let [entropy, error, change] = [number(mean(now.entropy.flat()), 2), number(last, 2), ""];
    let start = _("Nothing is broken.");
    if (on.length) {
      start = _("Broken: {bugs}.", { bugs: on.map(({ label }) => label).reduce((first, second) => _("{first} and {last}", { first, last: second })) });
      entropy += " " + _("(right {number})", { number: number(mean(model.entropy.flat()), 2) });
      error += " " + _("(right {number})", { number: number(bestLast, 2) }) + ": " + verdict(last, bestLast);
      change = _("; of the right class's gradient {scores} times reaches the scores, {queries} times the queries", {
        scores: times(mean(now.scores) / mean(model.scores)), queries: times(mean(now.queries) / mean(model.queries)),
      });
    }
    return [
      start,
      chosen.moment ? _("After {steps} steps", { steps }) : _("Before training"),
      _("rows of weights add up to {sums}, their mean entropy is {entropy}{gradients}; {leaks} outputs change with a later token.", {
        sums: low === high ? low : _("{low} to {high}", { low, high }), entropy, gradients: change,
        leaks: _("{leaks} of {count}", { leaks: now.leaks, count: tokens.length - 1 }),
      }),
      _("In {steps} steps the error falls from {first} to {last}", { steps, first: number(training.errors[0], 2), last: error }),
    ].join(" ");
  }

  at.show();
}

export default { render };
