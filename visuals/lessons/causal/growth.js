// Let a text grow token by token, with the causal mask or without it, and see which rows move.
import { masked, numbers, softmax } from "../../live/tensors.js";
import { check, h, largest, number, shaded, slider, stage, table } from "../../live/parts.js";
import { ofWeight } from "../../live/zoom.js";
import { player } from "../../live/player.js";

const STILL = 1e-9; // a change smaller than this is rounding

const weights = (scores, count, mask) => {
  const part = scores.slice(0, count).map((row) => row.slice(0, count));
  return (mask ? masked(part) : part).map(softmax);
};

// The weights of the first `count` tokens, how far the newest one moved each row before it, and the share of
// each row's attention that lies on later tokens.
export function grow(scores, count, mask) {
  const now = weights(scores, count, mask);
  const before = weights(scores, count - 1, mask);
  // Without the newest token its weight was not there: as good as 0.
  const moved = before.map((row, query) => Math.max(...now[query].map((weight, key) => Math.abs(weight - (row[key] ?? 0)))));
  const ahead = now.map((row, query) => row.slice(query + 1).reduce((sum, weight) => sum + weight, 0));
  return { weights: now, moved, ahead };
}

function render(context) {
  const at = stage(context, draw);
  const { _, shows, chosen } = at;
  const { tokens } = shows;
  const scores = numbers(shows.scores);
  const count = slider(_("Tokens so far"), { value: chosen.count, min: 1, max: tokens.length }, (value) => {
    playing.stop();
    at.choose("count", value);
  });
  const mask = check(_("Causal mask"), { value: chosen.mask }, (value) => at.choose("mask", value));
  const playing = player(_, () => {
    const next = chosen.count < tokens.length ? chosen.count + 1 : 1;
    count.set(next);
    at.choose("count", next);
    return next < tokens.length;
  });
  at.controls.append(count, playing, mask);
  const grid = table("", []);
  const note = h("p", { class: "note" });
  at.view.append(h("div", {}, grid, note));

  function draw() {
    const last = chosen.count - 1;
    const { weights: now, moved, ahead } = grow(scores, chosen.count, chosen.mask);
    const how = chosen.mask ? _("mask on") : _("mask left out");
    grid.setHeads([_("query"), ...tokens.slice(0, chosen.count), _("moved by “{token}”", { token: tokens[last] })]);
    grid.set(now.map((row, query) => ({
      name: tokens[query], chosen: query === last,
      cells: [
        ...row.map((weight, key) => {
          const isLater = key > query;
          if (isLater && chosen.mask) return shaded(0, { mark: "hidden", text: _("hidden") });
          const seen = scores[query].slice(0, chosen.mask ? query + 1 : chosen.count);
          const why = () => ({ lines: [ofWeight(seen, key)], rows: [query] });
          return shaded(weight, { mark: isLater ? "leak" : "", text: number(weight, 3) + (isLater ? " ▲" : ""), why });
        }),
        query === last ? _("new") : number(moved[query], 3),
      ],
    })), _("Weights, {mask}; rows are queries", { mask: how }));
    note.textContent = chosen.mask ? "" : _("▲ marks attention on a later token: the leak");
    const start = _("{count} tokens, {mask}", { count: chosen.count, mask: how });
    if (last === 0) return _("{start}: '{token}' is alone and looks at itself", { start, token: tokens[0] });
    const most = largest(moved);
    const many = moved.filter((change) => change > STILL).length;
    const told = _("{start}: the newest, '{token}', moved {moved} of {last} earlier rows", { start, token: tokens[last], moved: many, last })
      + (many ? _(", '{token}' most, by {change}", { token: tokens[most], change: number(moved[most]) }) : "");
    const first = largest(ahead);
    return `${told}; ` + (ahead[first] > STILL
      ? _("'{token}' puts {share} of its attention on later tokens", { token: tokens[first], share: number(ahead[first]) })
      : _("no attention on later tokens"));
  }

  at.show();
  return playing.stop;
}

export default { render };
