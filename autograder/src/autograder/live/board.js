// The board of a live room: shows what the server tells, and changes only what has changed, so that a reader's
// place on the page and a screen reader's are kept. Every sentence comes from the server.

const at = (id) => document.getElementById(id);
const SVG = "http://www.w3.org/2000/svg";

/** Make an element with a class. */
const made = (name, kind = "") => Object.assign(document.createElement(name), { className: kind });

/** Set a text, unless it stands there already. */
const say = (element, text) => {
  if (element.textContent !== text) element.textContent = text;
};

/** Have a list show one item for each of some things, in their order, and keep those that are there. */
const list = (container, things, key, make, fill) => {
  const there = new Map([...container.children].map((item) => [item.dataset.key, item]));
  things.forEach((thing, number) => {
    const name = key(thing);
    const item = there.get(name) ?? make();
    there.delete(name);
    item.dataset.key = name;
    fill(item, thing);
    if (container.children[number] !== item) container.insertBefore(item, container.children[number] ?? null);
  });
  for (const item of there.values()) item.remove();
};

const row = (picture) => () => {
  const item = made("li");
  item.append(made("h3"), made("p", "quiet"), picture(), made("div"));
  return item;
};

const words = (item, thing) => {
  const [title, lesson, , lines] = item.children;
  say(title, thing.title);
  say(lesson, thing.lesson);
  list(lines, thing.lines.map((text, index) => ({ text, index })), ({ index }) => String(index), () => made("p"),
    (element, { text }) => say(element, text));
};

/** The shares of people who have solved a task and who work on it. The words beside it say the same. */
const bar = () => {
  const shown = made("div", "bar");
  shown.setAttribute("aria-hidden", "true");
  shown.append(made("i", "b-right"), made("i", "b-partly"));
  return shown;
};

const task = (item, thing) => {
  words(item, thing);
  const [solved, working] = item.children[2].children;
  solved.style.width = `${(100 * thing.solved) / Math.max(1, thing.of)}%`;
  working.style.width = `${(100 * thing.working) / Math.max(1, thing.of)}%`;
};

/** How many people made a mistake, minute by minute. */
const line = () => {
  const shown = document.createElementNS(SVG, "svg");
  shown.setAttribute("class", "course");
  shown.setAttribute("viewBox", "0 0 30 10");
  shown.setAttribute("preserveAspectRatio", "none");
  shown.setAttribute("aria-hidden", "true");
  shown.append(document.createElementNS(SVG, "polyline"));
  return shown;
};

const mistake = (most) => (item, thing) => {
  words(item, thing);
  const begin = 30 - (thing.minutes.length - 1);
  const points = thing.minutes.map((count, minute) => `${begin + minute},${9.5 - (9 * count) / most}`);
  item.children[2].firstChild.setAttribute("points", points.join(" "));
};

const show = (state) => {
  if (state.here || state.tasks.length) say(at("people"), state.people);
  say(at("more"), state.more);
  at("none").hidden = state.together.length > 0;
  list(at("together"), state.together, ({ id }) => id, () => made("li"), (item, { says }) => say(item, says));
  list(at("tasks"), state.tasks, ({ id }) => id, row(bar), task);
  const most = Math.max(1, ...state.mistakes.flatMap(({ minutes }) => minutes));
  list(at("mistakes"), state.mistakes, ({ id }) => id, row(line), mistake(most));
};

let last;
const pause = at("pause");
const paused = () => pause.getAttribute("aria-pressed") === "true";
pause.addEventListener("click", () => {
  pause.setAttribute("aria-pressed", String(!paused()));
  if (!paused() && last) show(last);
});

const events = new EventSource("events");
events.addEventListener("message", ({ data }) => {
  at("away").hidden = true;
  last = JSON.parse(data);
  if (!paused()) show(last);
});
events.addEventListener("error", () => {
  at("away").hidden = false;
});
