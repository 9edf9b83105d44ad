// What a page does by itself: explorers are mounted, and predictions are kept in the browser.
import { cameTrue } from "../../../lesson/came_true.js";

// Explorers take their colours from JupyterLab's mark of its theme.
const dark = matchMedia("(prefers-color-scheme: dark)");
function followTheme() {
  const theme = document.body.dataset.theme;
  const isDark = theme === "dark" || (theme !== "light" && dark.matches);
  document.body.dataset.jpThemeLight = String(!isDark);
}
followTheme();
dark.addEventListener("change", followTheme);
new MutationObserver(followTheme).observe(document.body, { attributeFilter: ["data-theme"] });

for (const button of document.querySelectorAll(".doors .print")) button.addEventListener("click", () => print());

// What scrolls must be reachable by keyboard.
const boxes = ".cell_output, pre, .table-wrapper, div.math";
const reachable = new ResizeObserver((entries) => {
  for (const { target } of entries)
    if (target.scrollWidth > target.clientWidth) target.tabIndex = 0;
    else target.removeAttribute("tabindex");
});
for (const box of document.querySelectorAll(boxes)) reachable.observe(box);

// An explorer's module and its files are scripts that hold a packed text each: where a page was opened as a file, a
// script can be loaded, and fetching cannot.
const scripts = {};
function script(name) {
  return (scripts[name] ??= new Promise((done, failed) => {
    document.head.append(Object.assign(document.createElement("script"), { src: `_static/${name}`, onload: done, onerror: failed }));
  }));
}
const text = async (name) => (await script(name), window.live[name]);

// --- search: the words in titles and names of tasks first, then in texts, with what stands around them ---

const plain = (text) => text.toLowerCase().normalize("NFC");

function excerpt(text, words) {
  const places = words.map((word) => plain(text).indexOf(word)).filter((place) => place >= 0);
  const at = places.length ? Math.max(0, Math.min(...places) - 60) : 0;
  const shown = `${at ? "…" : ""}${text.slice(at, at + 190)}${text.length > at + 190 ? "…" : ""}`;
  const mark = new RegExp(`(${words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|")})`, "giu");
  return shown.split(mark).map((part, place) => (place % 2 ? Object.assign(document.createElement("mark"), { textContent: part }) : part));
}

// A title counts the more, the less stands in it beside the word.
const rank = (one, word) =>
  (count(one.title, word) ? 20 + (60 * word.length) / one.title.length : 0) +
  20 * Math.min(count(one.task, word), 1) + 4 * count(one.lesson, word) + Math.min(count(one.text, word), 5);
const count = (text, word) => plain(text).split(word).length - 1;

// The words of all pages, and for one that stands on none the nearest one that does: a letter more, less or other,
// or two that changed places; two such slips in a long word.
let vocabulary;
function nearest(word) {
  vocabulary ??= new Set(window.searchTexts.flatMap((one) => plain(`${one.title} ${one.task} ${one.lesson} ${one.text}`).split(/[^\p{L}\p{M}\p{N}]+/u)));
  if (word.length < 4 || [...vocabulary].some((known) => known.includes(word))) return word;
  let [best, fewest] = [word, word.length > 7 ? 3 : 2];
  for (const known of vocabulary) {
    const slips = Math.abs(known.length - word.length) < fewest ? distance(word, known) : fewest;
    if (slips < fewest) [best, fewest] = [known, slips];
  }
  return best;
}

function distance(one, other) {
  let [before, last] = [[], Array.from({ length: other.length + 1 }, (_value, place) => place)];
  for (let row = 1; row <= one.length; row++) {
    const next = [row];
    for (let column = 1; column <= other.length; column++) {
      const differs = Number(one[row - 1] !== other[column - 1]);
      next[column] = Math.min(last[column] + 1, next[column - 1] + 1, last[column - 1] + differs);
      if (row > 1 && column > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1]) next[column] = Math.min(next[column], before[column - 2] + 1);
    }
    [before, last] = [last, next];
  }
  return last[other.length];
}

function find(sought, most) {
  const words = plain(sought).split(/\s+/).filter(Boolean).map(nearest);
  const found = window.searchTexts
    .map((one) => {
      const points = words.map((word) => rank(one, word));
      return { ...one, points: points.every(Boolean) ? points.reduce((sum, value) => sum + value, 0) : 0 };
    })
    .filter((one) => one.points)
    .sort((one, other) => other.points - one.points);
  return { words, found: found.slice(0, most) };
}

async function search(box, sought, most) {
  await script("search-texts.js");
  const { words, found } = find(sought, most);
  const says = box.querySelector(".search-summary");
  says.textContent = !words.length ? "" : found.length ? says.dataset.found.replace("{number}", found.length) : says.dataset.none;
  box.querySelector(".search-found").replaceChildren(
    ...found.map((one) => {
      const item = document.createElement("li");
      const link = Object.assign(document.createElement("a"), { href: one.where });
      link.append(...excerpt(one.title, words));
      const text = document.createElement("p");
      text.append(...excerpt(one.text, words));
      const place = Object.assign(document.createElement("small"), { textContent: one.task ? `${one.lesson} · ${one.task}` : one.lesson });
      item.append(link, " ", place, text);
      return item;
    }),
  );
}

// What is typed into the field of any page is looked for at once; arrows go from one place found to the next.
const ofPage = document.querySelector(".search-page");
const box = ofPage ?? document.querySelector(".search-here");
const field = document.querySelector(".sidebar-search");
field?.addEventListener("input", () => search(box, field.value, ofPage ? 60 : 6));
box?.parentNode.addEventListener("keydown", (event) => {
  const links = [field, ...box.querySelectorAll("a")];
  const at = links.indexOf(document.activeElement);
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (event.key === "Escape" && !ofPage) {
    field.value = "";
    search(box, "", 0);
    field.focus();
  } else if (step && at >= 0) {
    links[Math.min(Math.max(at + step, 0), links.length - 1)].focus();
    event.preventDefault();
  }
});
if (ofPage) {
  field.value = new URLSearchParams(location.search).get("q") ?? "";
  search(box, field.value, 60);
}

// --- mistakes: folded by lesson, and looked for by a word ------------------------------------------

const filter = document.querySelector(".mistakes-filter");
if (filter) {
  filter.hidden = false;
  const folds = [...document.querySelectorAll("article section > section:has(> section)")].map((part) => {
    const fold = document.createElement("details");
    const title = document.createElement("summary");
    title.append(part.querySelector("h2"));
    fold.append(title, ...part.children);
    part.append(fold);
    return fold;
  });
  const [input, says] = [filter.querySelector("input"), filter.querySelector("[role=status]")];
  input.addEventListener("input", () => {
    const wanted = plain(input.value.trim());
    let number = 0;
    for (const fold of folds) {
      const held = [...fold.querySelectorAll("section")].filter((one) => (one.hidden = !plain(one.textContent).includes(wanted)) === false);
      number += held.length;
      fold.hidden = !held.length;
      fold.open = Boolean(wanted) && held.length > 0;
    }
    says.textContent = wanted ? says.dataset.says.replace("{number}", number) : "";
  });
}

// An address may lead into a fold.
function unfold() {
  const place = document.getElementById(location.hash.slice(1));
  const fold = place?.closest("details");
  if (!fold) return;
  fold.open = true;
  place.scrollIntoView();
}
addEventListener("hashchange", unfold);
unfold();

// --- explorers ---------------------------------------------------------------------------------

const unpacked = (packed) =>
  new Response(new Blob([Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0))]).stream().pipeThrough(new DecompressionStream("gzip")));

// The bytes of a file: packed are of each four bytes the first, then the second, …
function inOrder(buffer) {
  const [parts, bytes] = [new Uint8Array(buffer), new Uint8Array(buffer.byteLength)];
  for (let place = 0, from = 0; place < 4; place++) for (let at = place; at < bytes.length; at += 4) bytes[at] = parts[from++];
  return new DataView(bytes.buffer);
}

// What a notebook gives a module, without a kernel behind it.
class Model {
  constructor(values) {
    this.values = values;
  }
  get = (name) => this.values[name];
  set = (name, value) => void (this.values[name] = value);
  save_changes() {}
  on() {}
}

async function mount(box) {
  const { "": module, ...files } = JSON.parse(box.dataset.scripts);
  const values = await unpacked(box.dataset.model).json();
  for (const [name, file] of Object.entries(files)) values[name] = inOrder(await unpacked(await text(file)).arrayBuffer());
  const code = await unpacked(await text(module)).text();
  const address = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
  const { default: widget } = await import(address);
  URL.revokeObjectURL(address);
  await widget.render({ model: new Model(values), el: box });
  box.dataset.ready = "true";
}

const near = new IntersectionObserver(
  (entries) => {
    for (const { target, isIntersecting } of entries)
      if (isIntersecting) {
        near.unobserve(target);
        mount(target);
      }
  },
  { rootMargin: "800px" },
);
for (const box of document.querySelectorAll(".live-place")) near.observe(box); // nothing in a closed fold is near

// --- wrong answers, of which one at a time is shown ---------------------------------------------

for (const group of document.querySelectorAll(".wrong-answers")) {
  const [buttons, shown] = [[...group.querySelectorAll("button")], group.querySelector("[aria-live]")];
  for (const button of buttons)
    button.addEventListener("click", async () => {
      const opens = button.ariaExpanded !== "true";
      for (const other of buttons) other.ariaExpanded = String(opens && other === button);
      shown.innerHTML = opens ? (await unpacked(await text(group.dataset.script)).json())[button.dataset.place] : "";
    });
}

// --- predictions -------------------------------------------------------------------------------

// A browser may refuse to keep anything; then a prediction lasts as long as the page.
function remembered(key, value) {
  try {
    if (value !== undefined) localStorage.setItem(key, value);
    return localStorage.getItem(key);
  } catch {
    return value ?? null;
  }
}
const kept = (name, value) => remembered(`prediction ${name}`, value);

for (const form of document.querySelectorAll(".prediction")) {
  const name = form.dataset.prediction;
  const outcome = document.querySelector(`.outcome[data-prediction="${name}"]`);
  if (!outcome) continue;
  const outputs = [...document.querySelectorAll(".cell_output")];
  const [from, to] = [form, outcome].map((one) => outputs.indexOf(one.closest(".cell_output")));
  const between = outputs.slice(from + 1, to + 1);
  const skip = form.querySelector("button[type=button]");
  const bars = [...form.querySelectorAll("input[type=range]")];
  const measure = () => {
    for (const bar of bars) {
      bar.style.setProperty("--drawn", `${(100 * bar.value) / bar.max}%`);
      bar.nextElementSibling.textContent = Number(bar.value).toFixed(2);
    }
  };
  const end = outcome.querySelector(".outcome-end");
  const open = () => {
    for (const one of between) one.classList.remove("waiting");
    skip.hidden = true;
  };
  const settle = (said) => {
    const isTrue = cameTrue(said, JSON.parse(outcome.dataset.came), outcome.dataset.within);
    outcome.className = `ag ${isTrue ? "ag-ok" : "ag-wait"} outcome`;
    for (const [place, mark] of outcome.querySelectorAll(".ag-guess").entries())
      mark.style.setProperty("--drawn", `${(100 * said.split(" ")[place]) / outcome.dataset.most}%`);
    end.textContent = `${outcome.dataset.said} ${bars.length ? said.replaceAll(" ", ", ") : said}. ${isTrue ? outcome.dataset.true : outcome.dataset.false}`;
    open();
  };
  for (const one of between) {
    one.dataset.waiting = form.dataset.waiting;
    one.classList.add("waiting");
  }
  skip.hidden = false;
  skip.addEventListener("click", open);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (!bars.length) return;
    settle(kept(name, bars.map((bar) => Number(bar.value).toFixed(2)).join(" ")));
    form.dispatchEvent(new Event("change", { bubbles: true }));
  });
  form.addEventListener("input", measure);
  form.addEventListener("change", (event) => {
    const said = bars.length ? "" : event.target.value.trim();
    if (said) settle(kept(name, said));
  });
  const before = kept(name);
  if (before !== null) {
    for (const field of form.querySelectorAll("input"))
      if (bars.length) field.value = before.split(" ")[bars.indexOf(field)];
      else if (field.type === "text") field.value = before;
      else field.checked = field.value === before;
    settle(before);
  }
  measure();
}

// --- the quiz that says where to begin ----------------------------------------------------------

for (const quiz of document.querySelectorAll(".quiz")) {
  const said = (name) => quiz.querySelector(`input[name="${name}"]:checked`)?.value;
  const fields = [...quiz.querySelectorAll("fieldset")];
  const result = quiz.querySelector(".quiz-result");
  for (const input of quiz.querySelectorAll("input")) input.checked = kept(input.name) === input.value;
  quiz.addEventListener("change", ({ target }) => kept(target.name, target.value));
  quiz.querySelector("button").addEventListener("click", () => {
    // As `place` in the tool's records/quiz.py: the first gap decides.
    const gap = fields.find((field) => field.querySelector("input:checked")?.value !== field.dataset.right);
    const head = result.querySelector("p");
    const lesson = gap?.dataset.lesson;
    head.replaceChildren(gap ? Object.assign(document.createElement("a"), { href: `${lesson}.html`, textContent: result.dataset.begin.replace("{lesson}", lesson) }) : result.dataset.known);
    for (const one of result.querySelectorAll("li")) one.hidden = said(one.dataset.name) !== one.dataset.answer;
  });
}

// --- the spine of a lesson: what was read and predicted, and where one is ---------------------------

const spine = document.querySelector(".spine");
if (spine) {
  const { lesson, done, left, total } = spine.dataset;
  const dots = [...spine.querySelectorAll("a")];
  const read = new Set(JSON.parse(remembered(`read ${lesson}`) ?? "[]"));
  const mark = () => {
    let [minutes, all] = [0, 0];
    for (const dot of dots) {
      const { task, prediction } = dot.dataset;
      const isDone = task ? read.has(task) : kept(prediction) !== null;
      dot.classList.toggle("done", isDone);
      dot.ariaLabel = isDone ? done.replace("{title}", dot.title) : dot.title;
      all += Number(dot.dataset.minutes ?? 0);
      if (!isDone) minutes += Number(dot.dataset.minutes ?? 0);
    }
    // Of all that a lesson takes, as large a part as of the time that its tasks take.
    const says = spine.querySelector("span");
    if (says) says.textContent = left.replace("{number}", Math.round((total * minutes) / all));
  };
  // A task is read whose end was in view for a moment, and not only passed.
  const waits = new Map();
  const ends = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      clearTimeout(waits.get(target));
      if (!isIntersecting) continue;
      const add = () => {
        remembered(`read ${lesson}`, JSON.stringify([...read.add(target.id.slice("end-".length))]));
        mark();
      };
      waits.set(target, setTimeout(add, 800));
    }
  });
  for (const end of document.querySelectorAll(".task-end")) ends.observe(end);
  addEventListener("change", mark);
  mark();
  const anchors = [...document.querySelectorAll(".anchor")];
  let stops;
  addEventListener("scroll", () => {
    clearTimeout(stops);
    stops = setTimeout(() => {
      const here = anchors.findLast((anchor) => anchor.getBoundingClientRect().top < innerHeight / 3);
      remembered("last", JSON.stringify({ lesson, place: here?.id ?? "" }));
    }, 300);
  });
}
