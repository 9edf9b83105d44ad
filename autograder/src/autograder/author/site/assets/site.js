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
  const starts = words.map((word) => plain(text).indexOf(word)).filter((start) => start >= 0);
  const at = starts.length ? Math.max(0, Math.min(...starts) - 60) : 0;
  const shown = `${at ? "…" : ""}${text.slice(at, at + 190)}${text.length > at + 190 ? "…" : ""}`;
  const mark = new RegExp(`(${words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|")})`, "giu");
  return shown.split(mark).map((part, index) => (index % 2 ? Object.assign(document.createElement("mark"), { textContent: part }) : part));
}

// A title counts the more, the less stands in it beside the word.
const rank = (page, word) =>
  (count(page.title, word) ? 20 + (60 * word.length) / page.title.length : 0) +
  20 * Math.min(count(page.task, word), 1) + 4 * count(page.lesson, word) + Math.min(count(page.text, word), 5);
const count = (text, word) => plain(text).split(word).length - 1;

// The words of all pages, and for one that stands on none the nearest one that does: a letter more, less or other,
// or two that changed places; two such slips in a long word.
let vocabulary;
function nearest(word) {
  vocabulary ??= new Set(window.searchTexts.flatMap((page) => plain(`${page.title} ${page.task} ${page.lesson} ${page.text}`).split(/[^\p{L}\p{M}\p{N}]+/u)));
  if (word.length < 4 || [...vocabulary].some((known) => known.includes(word))) return word;
  let [best, fewest] = [word, word.length > 7 ? 3 : 2];
  for (const known of vocabulary) {
    const slips = Math.abs(known.length - word.length) < fewest ? distance(word, known) : fewest;
    if (slips < fewest) [best, fewest] = [known, slips];
  }
  return best;
}

function distance(word, other) {
  let [before, last] = [[], Array.from({ length: other.length + 1 }, (_value, index) => index)];
  for (let row = 1; row <= word.length; row++) {
    const next = [row];
    for (let column = 1; column <= other.length; column++) {
      const differs = Number(word[row - 1] !== other[column - 1]);
      next[column] = Math.min(last[column] + 1, next[column - 1] + 1, last[column - 1] + differs);
      if (row > 1 && column > 1 && word[row - 1] === other[column - 2] && word[row - 2] === other[column - 1]) next[column] = Math.min(next[column], before[column - 2] + 1);
    }
    [before, last] = [last, next];
  }
  return last[other.length];
}

function find(sought, most) {
  const words = plain(sought).split(/\s+/).filter(Boolean).map(nearest);
  const results = window.searchTexts
    .map((page) => {
      const points = words.map((word) => rank(page, word));
      return { ...page, points: points.every(Boolean) ? points.reduce((sum, value) => sum + value, 0) : 0 };
    })
    .filter((page) => page.points)
    .sort((page, other) => other.points - page.points);
  return { words, results: results.slice(0, most) };
}

async function search(box, sought, most) {
  await script("search-texts.js");
  const { words, results } = find(sought, most);
  const says = box.querySelector(".search-summary");
  says.textContent = !words.length ? "" : results.length ? says.dataset.found.replace("{number}", results.length) : says.dataset.none;
  box.querySelector(".search-found").replaceChildren(
    ...results.map((page) => {
      const item = document.createElement("li");
      const link = Object.assign(document.createElement("a"), { href: page.where });
      link.append(...excerpt(page.title, words));
      const text = document.createElement("p");
      text.append(...excerpt(page.text, words));
      const where = Object.assign(document.createElement("small"), { textContent: page.task ? `${page.lesson} · ${page.task}` : page.lesson });
      item.append(link, " ", where, text);
      return item;
    }),
  );
}

// What is typed into the field of any page is looked for at once; arrows go from one result to the next.
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
      const held = [...fold.querySelectorAll("section")].filter((section) => (section.hidden = !plain(section.textContent).includes(wanted)) === false);
      number += held.length;
      fold.hidden = !held.length;
      fold.open = Boolean(wanted) && held.length > 0;
    }
    says.textContent = wanted ? says.dataset.says.replace("{number}", number) : "";
  });
}

// An address may lead into a fold.
function unfold() {
  const target = document.getElementById(location.hash.slice(1));
  const fold = target?.closest("details");
  if (!fold) return;
  fold.open = true;
  target.scrollIntoView();
}
addEventListener("hashchange", unfold);
unfold();

// --- explorers ---------------------------------------------------------------------------------

const unpacked = (packed) =>
  new Response(new Blob([Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0))]).stream().pipeThrough(new DecompressionStream("gzip")));

// The bytes of a file: packed are of each four bytes the first, then the second, …
function inOrder(buffer) {
  const [parts, bytes] = [new Uint8Array(buffer), new Uint8Array(buffer.byteLength)];
  for (let byte = 0, from = 0; byte < 4; byte++) for (let at = byte; at < bytes.length; at += 4) bytes[at] = parts[from++];
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
  const [from, to] = [form, outcome].map((part) => outputs.indexOf(part.closest(".cell_output")));
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
    for (const output of between) output.classList.remove("waiting");
    skip.hidden = true;
  };
  const settle = (said) => {
    const isTrue = cameTrue(said, JSON.parse(outcome.dataset.came), outcome.dataset.within);
    outcome.className = `ag ${isTrue ? "ag-ok" : "ag-wait"} outcome`;
    for (const [index, mark] of outcome.querySelectorAll(".ag-guess").entries())
      mark.style.setProperty("--drawn", `${(100 * said.split(" ")[index]) / outcome.dataset.most}%`);
    end.textContent = `${outcome.dataset.said} ${bars.length ? said.replaceAll(" ", ", ") : said}. ${isTrue ? outcome.dataset.true : outcome.dataset.false}`;
    open();
  };
  for (const output of between) {
    output.dataset.waiting = form.dataset.waiting;
    output.classList.add("waiting");
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
    // As `first_lesson` in the tool's records/quiz.py: the first gap decides.
    const gap = fields.find((field) => field.querySelector("input:checked")?.value !== field.dataset.right);
    const head = result.querySelector("p");
    const lesson = gap?.dataset.lesson;
    head.replaceChildren(gap ? Object.assign(document.createElement("a"), { href: `${lesson}.html`, textContent: result.dataset.begin.replace("{lesson}", lesson) }) : result.dataset.known);
    for (const item of result.querySelectorAll("li")) item.hidden = said(item.dataset.name) !== item.dataset.answer;
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
