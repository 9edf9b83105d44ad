// A card in the page with what can be done below it: hints, where the answer goes wrong, and the stub again. Where the
// text of the answer's cell is no longer that which was run, the card says so first, in amber, and folds the rest.
import { button, h, status, styled } from "./controls.js";

const checksum = (text) => [...text].reduce((total, char) => (Math.imul(total, 31) + char.codePointAt(0)) >>> 0, 0);

function foldWhatIsOld(card, { id, sum, says, folded }, panel) {
  const text = panel()?.content.widgets.find(({ model }) => model.id === id)?.model.sharedModel.getSource();
  if (text === undefined || checksum(text) === sum) return;
  const old = h("details", {}, h("summary", { textContent: folded }), ...card.childNodes);
  card.append(h("p", {}, h("strong", { textContent: says })), old);
  card.className = "ag ag-wait";
}

function hintButton({ hints, seen, first, next, last }, { model, ask }, show) {
  const passed = () => Math.max(seen, model.get("chosen").seen ?? 0);
  const label = () => {
    const left = hints.length - passed();
    return passed() && left > 0 ? next.replace("{number}", left) : first;
  };
  const made = button(label(), () => {
    const now = Math.min(passed(), hints.length - 1); // the last one is about this answer, seen or not
    show(hints[now].shown);
    model.set("chosen", { ...model.get("chosen"), seen: now + 1 });
    model.save_changes();
    ask(hints[now].tells);
    made.disabled = now + 1 === hints.length;
    made.textContent = made.disabled ? last : label();
  });
  return made;
}

// Puts the stub of one task back, or those of all tasks of a notebook, after asking. What was there is kept in the
// cell's metadata, and a button brings it back.
function startOver({ task, start, asks, yes, no, back, done, undone }, panel) {
  const about = (cell) => cell.model.getMetadata("autograder") ?? {};
  const isOwn = (cell) => "stub" in about(cell) && (!task || cell.model.getMetadata("nbgrader")?.grade_id === `${task}-answer`);
  const cells = () => (panel()?.content.widgets ?? []).filter(isOwn);
  const source = (cell) => cell.model.sharedModel.getSource();
  const write = (cell, text) => {
    cell.model.setMetadata("autograder", { ...about(cell), before: source(cell) });
    cell.model.sharedModel.setSource(text);
  };
  const says = status("span", "ag-over");
  const choices = h("span", {});
  const offer = (...pairs) => choices.replaceChildren(...pairs.map(([label, press]) => button(label, press)));
  const rest = (text, isFocused = true) => {
    says.textContent = text;
    const replaced = cells().filter((cell) => "before" in about(cell));
    const bringBack = () => {
      replaced.forEach((cell) => write(cell, about(cell).before));
      rest(undone);
    };
    offer([start, confirm], ...(replaced.length ? [[back, bringBack]] : []));
    if (isFocused) choices.firstChild.focus();
  };
  const putBack = () => {
    cells().filter((cell) => source(cell) !== about(cell).stub).forEach((cell) => write(cell, about(cell).stub));
    rest(done);
  };
  const confirm = () => {
    says.textContent = asks;
    offer([yes, putBack], [no, () => rest("")]);
    choices.lastChild.focus();
  };
  if (!cells().length) return []; // only JupyterLab itself can change a cell
  rest("", false);
  return [choices, says];
}

function agreeButton({ label, does, gone, again }, { ask }, show) {
  const made = button(label, async () => {
    made.disabled = true;
    const output = await ask(does);
    show(output?.["text/html"] ?? gone);
    made.disabled = Boolean(output) && !again;
  });
  return made;
}

// How much time is left, each minute anew; what a kernel does at the end is not the page's to say.
function clock({ until, left, over }) {
  const says = h("span", {});
  says.setAttribute("role", "timer");
  const show = () => {
    const minutes = Math.ceil((until - Date.now()) / 60000);
    says.textContent = minutes > 0 ? left.replace("{minutes}", minutes) : over;
    if (minutes > 0) setTimeout(show, (until - Date.now()) % 60000 || 60000);
  };
  show();
  return says;
}

function render({ model, el, ask, panel }) {
  const { card, cell, hints, where, agree, again, time } = model.get("shows");
  const said = status("div", "ag-said");
  const show = (html) => void (said.innerHTML = html);
  const row = h("div", { className: "ag-more" });
  if (hints) row.append(hintButton(hints, { model, ask }, show));
  if (where) row.append(button(where.label, () => show(where.shown)));
  if (time) row.append(clock(time));
  if (agree) row.append(agreeButton(agree, { ask }, show));
  if (again) row.append(h("span", { className: "ag-again" }, ...startOver(again, panel)));
  el.replaceChildren(styled(STYLE), h("div", { innerHTML: card }), row, said);
  if (cell) foldWhatIsOld(el.querySelector(".ag"), cell, panel);
}

const STYLE = `
.ag-more { display: flex; flex-wrap: wrap; align-items: center; gap: 4px; } .ag-over { margin-left: 0.6em; }
.ag-more button { font-size: 13px; } .ag-more button:disabled { cursor: default; opacity: 0.75; }`;

export default { render };
