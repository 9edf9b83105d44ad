// What a page does by itself: explorers show their states, and predictions are kept in the browser.
"use strict";

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
const boxes = ".cell_output, .explorer-view, pre, .table-wrapper, div.math";
const reachable = new ResizeObserver((entries) => {
  for (const { target } of entries)
    if (target.scrollWidth > target.clientWidth) target.tabIndex = 0;
    else target.removeAttribute("tabindex");
});
for (const box of document.querySelectorAll(boxes)) reachable.observe(box);

// --- explorers ---------------------------------------------------------------------------------

async function unpack(data) {
  const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
  const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(plain).json();
}

// A script can be loaded where a page was opened as a file; fetching cannot.
function load(box) {
  const script = document.createElement("script");
  script.src = `_static/${box.dataset.states}`;
  script.onload = async () => explore(box, await unpack(window.explorers[box.dataset.states]));
  document.head.append(script);
}

function explore(box, { knobs, stops, start, views }) {
  const form = box.querySelector("form");
  const words = box.querySelector(".explorer-words");
  const view = box.querySelector(".explorer-view");
  const places = [...start];
  const offered = (index) => stops[index][places.slice(0, index).join(",")];
  const controls = knobs.map(({ label, kind }, index) => {
    const outer = document.createElement("label");
    const control = document.createElement(kind === "select" ? "select" : "input");
    if (kind === "check") control.type = "checkbox";
    if (kind === "range") control.type = "range";
    const said = kind === "range" ? document.createElement("output") : "";
    outer.append(...(kind === "check" ? [control, label] : [label, control, said]));
    control.addEventListener("input", () => {
      places[index] = kind === "check" ? Number(control.checked) : Number(control.value);
      show();
    });
    form.append(outer);
    return { control, kind, said };
  });

  function show() {
    controls.forEach(({ control, kind, said }, index) => {
      const texts = offered(index);
      places[index] = Math.min(places[index], texts.length - 1);
      const place = places[index];
      if (kind === "check") control.checked = Boolean(place);
      if (kind === "range") {
        control.min = 0;
        control.max = texts.length - 1;
        control.value = place;
        control.setAttribute("aria-valuetext", texts[place]);
        said.textContent = texts[place];
      }
      if (kind === "select") {
        if ([...control.options].map((one) => one.text).join("\n") !== texts.join("\n"))
          control.replaceChildren(...texts.map((text, one) => new Option(text, one)));
        control.value = place;
      }
    });
    const [sentence, markup] = views[places.join(",")];
    if (words.textContent !== sentence) words.textContent = sentence;
    view.innerHTML = markup;
    box.dataset.ready = "true";
  }

  form.addEventListener("submit", (event) => event.preventDefault());
  show();
}

const near = new IntersectionObserver(
  (entries) => {
    for (const { target, isIntersecting } of entries)
      if (isIntersecting) {
        near.unobserve(target);
        load(target);
      }
  },
  { rootMargin: "800px" },
);
for (const box of document.querySelectorAll(".explorer")) near.observe(box);

// --- predictions -------------------------------------------------------------------------------

// A browser may refuse to keep anything; then a prediction lasts as long as the page.
function kept(name, value) {
  try {
    if (value !== undefined) localStorage.setItem(`prediction ${name}`, value);
    return localStorage.getItem(`prediction ${name}`);
  } catch {
    return value ?? null;
  }
}

function cameTrue(said, { came, within }) {
  if (said === came) return true;
  const [guess, number] = [said.replace(",", ".").replace("−", "-").replace(/%$/, ""), came].map(Number);
  return came !== "" && guess !== "" && Math.abs(guess - number) <= within * Math.abs(number) + 1e-9;
}

for (const form of document.querySelectorAll(".prediction")) {
  const name = form.dataset.prediction;
  const outcome = document.querySelector(`.outcome[data-prediction="${name}"]`);
  if (!outcome) continue;
  const outputs = [...document.querySelectorAll(".cell_output")];
  const [from, to] = [form, outcome].map((one) => outputs.indexOf(one.closest(".cell_output")));
  const between = outputs.slice(from + 1, to + 1);
  const skip = form.querySelector("button");
  const end = outcome.querySelector(".outcome-end");
  const open = () => {
    for (const one of between) one.classList.remove("waiting");
    skip.hidden = true;
  };
  const settle = (said) => {
    const isTrue = cameTrue(said, outcome.dataset);
    outcome.className = `ag ${isTrue ? "ag-ok" : "ag-wait"} outcome`;
    end.textContent = `${outcome.dataset.said} ${said}. ${isTrue ? outcome.dataset.true : outcome.dataset.false}`;
    open();
  };
  for (const one of between) {
    one.dataset.waiting = form.dataset.waiting;
    one.classList.add("waiting");
  }
  skip.hidden = false;
  skip.addEventListener("click", open);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("change", (event) => {
    const said = event.target.value.trim();
    if (said) settle(kept(name, said));
  });
  const before = kept(name);
  if (before !== null) {
    for (const field of form.querySelectorAll("input"))
      if (field.type === "text") field.value = before;
      else field.checked = field.value === before;
    settle(before);
  }
}
