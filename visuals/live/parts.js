// What explorers are made of: controls that every browser and screen reader knows, bars, maps and motion.

import { write, zooming } from "./zoom.js";

const STYLE = `
.live { --ink: var(--jp-content-font-color1, #1f2328); --faint: var(--jp-ui-font-color2, #59616b); --page: var(--jp-layout-color1, #fcfcfa);
  --line: var(--jp-border-color2, #c9ced6); --score: #0b5cad; --weight: #8a1c6b; --context: #00806a; --chosen: #b34700;
  container-type: inline-size; color: var(--ink); background: var(--page); padding: 6px 10px;
  font: 14px/1.5 var(--jp-content-font-family, system-ui, sans-serif); }
:is([data-jp-theme-light="false"], .vscode-dark, html[theme="dark"]) .live { --score: #6cb4ff; --weight: #e58ac8; --context: #4ccbb0; --chosen: #ffa25e; }
.live *, .live *::before { box-sizing: border-box; }
.live .controls { display: flex; flex-wrap: wrap; gap: 6px 22px; align-items: center; }
.live label { display: inline-flex; flex-wrap: wrap; gap: 0 8px; align-items: center; max-width: 100%; }
.live :is(input, select, button) { font: inherit; color: inherit; accent-color: var(--score); }
.live input[type="range"] { width: min(210px, 46cqw); margin: 0; }
.live input[type="text"] { width: min(560px, 100%); padding: 5px 8px; background: var(--jp-layout-color0, #fff); border: 1px solid var(--faint); border-radius: 5px; }
.live label.wide { display: flex; flex-wrap: wrap; width: 100%; }
.live select, .live button { background: var(--jp-layout-color2, #eee); border: 1px solid var(--faint); border-radius: 5px; padding: 3px 9px; max-width: 100%; }
.live button { cursor: pointer; }
.live .number { font-variant-numeric: tabular-nums; white-space: nowrap; }
.live fieldset { border: 0; margin: 0; padding: 0; min-width: 0; display: flex; flex-wrap: wrap; gap: 4px; align-items: center; }
.live legend { float: left; padding: 0; margin-right: 8px; }
.live .word { position: relative; }
.live .word input { position: absolute; opacity: 0; inset: 0; width: 100%; height: 100%; margin: 0; cursor: pointer; }
.live .word span { padding: 2px 9px; border: 1px solid var(--line); border-radius: 6px; background: color-mix(in srgb, var(--shade, var(--weight)) calc(var(--share, 0) * 45%), transparent);
  transition: background-color 0.25s; }
.live .word:hover span { border-color: var(--ink); }
.live .word input:checked + span { border-color: var(--chosen); box-shadow: 0 0 0 1px var(--chosen); font-weight: 600; }
.live :is(.word input:focus-visible + span, :focus-visible) { outline: 2px solid var(--jp-brand-color1, #0a58ca); outline-offset: 2px; }
.live .says { margin: 8px 0; min-height: 3em; }
.live .view { display: flex; flex-wrap: wrap; gap: 14px 24px; align-items: flex-start; }
.live .view > :is(svg, div:has(> svg)) { flex: 1 1 var(--least, 250px); max-width: var(--most, 440px); } /* a drawing shrinks, so that a table has room beside it */ .live .view > svg, .live .view > div > svg { width: 100%; }
.live .view > * { max-width: 100%; overflow-x: auto; }
.live table { border-collapse: collapse; margin: 0; font-size: inherit; }
.live caption { text-align: left; padding-bottom: 4px; font-weight: 600; color: var(--ink); caption-side: top; }
.live :is(th, td) { text-align: left; padding: 2px 10px 2px 0; border: 0; background: none; vertical-align: middle; }
.live th { font-weight: 500; } .live thead th { color: var(--faint); }
.live tr.chosen th { color: var(--chosen); font-weight: 600; }
.live .track { display: inline-block; position: relative; width: clamp(60px, 9cqw, 130px); height: 15px; vertical-align: middle; margin-right: 8px; } .live .view:not(:has(> :nth-child(2))) .track { width: clamp(60px, 22cqw, 230px); } .live .view tr:has(td:nth-child(5)) .track { width: clamp(48px, 13cqw, 150px); }
.live .bar { position: absolute; top: 0; bottom: 0; border-radius: 2px; transition: left 0.25s, width 0.25s; background: var(--kind); }
.live .bar.minus { background: repeating-linear-gradient(45deg, var(--kind) 0 3px, transparent 3px 6px); }
.live td.cell { text-align: right; padding: 3px 5px; min-width: 2.7em; transition: background-color 0.25s;
  background: color-mix(in srgb, var(--kind, var(--score)) calc(var(--share, 0) * 45%), transparent); }
.live td.cell + td:not(.cell) { padding-left: 12px; }
.live table:has(td.cell):has(td:nth-child(7)) { font-size: 12.5px; } .live table:has(td.cell):has(td:nth-child(7)) th { padding-right: 4px; } .live table:has(td:nth-child(7)) td.cell { min-width: 2.4em; padding: 3px; }
.live td.hidden { background: repeating-linear-gradient(45deg, var(--line) 0 1px, transparent 1px 6px); }
.live td.leak { outline: 2px solid var(--chosen); outline-offset: -2px; }
.live svg { display: block; max-width: 100%; height: auto; overflow: visible; font: 13px var(--jp-content-font-family, system-ui, sans-serif); fill: currentColor; }
@container (max-width: 560px) {
  .live .view .track { width: clamp(48px, 16cqw, 90px) !important; } .live tr:has(td + td) .track { display: block; } .live :is(th, td) { padding-right: 8px; } .live td.cell { padding: 3px 3px; min-width: 2.6em; }
  .live table:has(td.cell) { font-size: 12px; } .live table:has(td.cell) th { padding: 2px 3px; }
}
.live table:has(td.cell) thead th { text-align: right; }
.live .why { all: unset; cursor: zoom-in; min-height: 24px; min-width: 24px; text-align: inherit; text-decoration: underline dotted var(--faint); text-underline-offset: 3px; }
.live tr.lit > :not(.cell) { background-color: color-mix(in srgb, var(--chosen) 6%, transparent); } .live tr.lit > th { box-shadow: inset 3px 0 var(--chosen); padding-left: 7px; }
.live .zoom { align-self: flex-start; border-left: 3px solid var(--chosen); margin: 4px 0; padding: 2px 10px; font: 14px/1.7 var(--jp-code-font-family, monospace); overflow-wrap: anywhere; max-width: 34em; } .live .zoom p { margin: 0; } .live .zoom button { float: right; min-width: 24px; padding: 0 6px; margin-left: 8px; }
.live .legend { display: flex; flex-wrap: wrap; gap: 0 16px; max-width: 350px; }
.live .legend svg { display: inline-block; vertical-align: middle; margin-right: 6px; }
.live canvas { max-width: 100%; height: auto; image-rendering: pixelated; display: block; }
.live .note { color: var(--faint); font-size: 13px; margin: 4px 0 0; }
.live .trouble { color: var(--chosen); font-weight: 600; }
@media (prefers-reduced-motion: reduce) { .live * { transition: none !important; animation: none !important; } }
`;

// An element with attributes, listeners (functions) and children.
export const h = (tag, attributes = {}, ...children) => fitOut(document.createElement(tag), attributes, children);
export const svg = (tag, attributes = {}, ...children) =>
  fitOut(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);

function fitOut(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes))
    if (typeof value === "function") node.addEventListener(name, value);
    else if (value === true) node.setAttribute(name, "");
    else if (value !== false && value !== undefined) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

// A number as torch prints it.
export function number(value, decimals = 4) {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "nan" : value > 0 ? "inf" : "-inf";
  const text = Math.abs(value) >= 1e5 ? value.toExponential(1) : value.toFixed(decimals);
  return Number(text) === 0 ? text.replace("-", "") : text;
}

export const vector = (values, decimals = 4) => `(${values.map((value) => number(value, decimals)).join(", ")})`;

// Where a list is largest; NaN is nowhere.
export const largest = (values) => values.reduce((best, value, index) => (value > values[best] ? index : best), 0);

// What tells apart tokens that read alike.
export const labels = (tokens) =>
  tokens.map((token, index) => (tokens.indexOf(token) !== tokens.lastIndexOf(token) ? `${token} (${index})` : token));

export const isStill = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

// A function that leads numbers from what they were to what they shall be, and draws them on the way.
export function glide(draw, duration = 280) {
  let [now, frame] = [null, 0];
  return (wanted) => {
    cancelAnimationFrame(frame);
    const start = now;
    if (!start || start.length !== wanted.length || isStill()) return draw((now = [...wanted]));
    const began = performance.now();
    const step = (time) => {
      const share = Math.min(Math.max((time - began) / duration, 0), 1);
      const eased = share * share * (3 - 2 * share);
      draw((now = wanted.map((value, index) => start[index] + (value - start[index]) * eased)));
      if (share < 1) frame = requestAnimationFrame(step);
    };
    frame = requestAnimationFrame(step);
  };
}

// The place of an explorer: its texts in the page's language, what was chosen, and where it speaks and shows.
// `draw` is called at first and whenever something is chosen; it returns the sentence that is said.
export function stage({ model, el }, draw) {
  const texts = model.get("texts") ?? {};
  const _ = (text, values = {}) => (texts[text] ?? text).replace(/\{(\w+)\}/g, (all, name) => values[name] ?? all);
  const controls = h("div", { class: "controls" });
  const says = h("p", { class: "says", role: "status" });
  const view = h("div", { class: "view" });
  const root = h("div", { class: "live" }, h("style", {}, STYLE), controls, says, view);
  // JupyterLab takes no keys from an element with this attribute.
  root.addEventListener("focusin", ({ target }) => target.setAttribute("data-lm-suppress-shortcuts", "true"));
  const chosen = { ...model.get("chosen") };
  const show = () => {
    const said = draw(chosen);
    if (says.textContent !== said) says.textContent = said;
  };
  const choose = (name, value) => {
    chosen[name] = value;
    show();
    model.set("chosen", { ...chosen });
    model.save_changes();
  };
  el.replaceChildren(root);
  // What scrolls must be reachable by keyboard.
  const scrolling = new ResizeObserver(() => {
    for (const box of view.children) box.toggleAttribute("tabindex", false), box.scrollWidth > box.clientWidth && (box.tabIndex = 0);
  });
  scrolling.observe(view);
  return { _, root, controls, says, view, shows: model.get("shows"), chosen, choose, show };
}

// --- controls: each returns its element; `set` shows a value that was chosen elsewhere -----------------

export function slider(label, { value, min, max, step = 1, told = String }, choose) {
  const said = h("span", { class: "number", "aria-hidden": "true" }, told(value));
  const input = h("input", { type: "range", min, max, step, value, "aria-label": label, "aria-valuetext": told(value), input: () => set(Number(input.value), true) });
  function set(next, isOwn = false) {
    if (!isOwn) input.value = next;
    said.textContent = told(next);
    input.setAttribute("aria-valuetext", told(next));
    if (isOwn) choose(next);
  }
  return Object.assign(h("label", {}, label, input, said), { set, input });
}

export function select(label, { value, options }, choose) {
  const input = h("select", { change: () => choose(Number(input.value)) }, ...options.map((text, index) => new Option(text, index)));
  input.value = value;
  return h("label", {}, label, input);
}

export function check(label, { value }, choose) {
  const input = h("input", { type: "checkbox", change: () => choose(input.checked) });
  input.checked = value;
  return h("label", {}, input, label);
}

export const button = (label, press) => h("button", { type: "button", click: press }, label);

export function field(label, { value }, typed) {
  const input = h("input", { type: "text", spellcheck: "false", autocomplete: "off", value, input: () => typed(input.value) });
  return Object.assign(h("label", { class: "wide" }, label, input), { input });
}

// A name for radio buttons that no other explorer of the page has.
export const group = () => `live-${Math.random().toString(36).slice(2)}`;

// Words of which one is chosen: by a click, or with the arrow keys.
export function words(label, { value, options }, choose) {
  const name = group();
  const box = h("fieldset", {}, h("legend", {}, label));
  const set = (texts, at, shares = []) => {
    while (box.children.length - 1 > texts.length) box.lastChild.remove();
    texts.forEach((text, index) => {
      const word = box.children[index + 1] ?? box.appendChild(word_(index));
      const [input, shown] = word.children;
      if (shown.textContent !== text) shown.textContent = text;
      input.checked = index === at;
      shown.style.setProperty("--share", shares[index] ?? 0);
    });
  };
  const word_ = (index) =>
    h("label", { class: "word" }, h("input", { type: "radio", name, value: index, change: () => choose(index) }), h("span"));
  set(options, value);
  return Object.assign(box, { set });
}

// --- what is shown -----------------------------------------------------------------------------------

// What tells apart the things of a picture, beside their names: heads, curves.
export const KINDS = ["score", "chosen", "context", "weight"];
const LINES = ["", "7 4", "2 3"];

// Curves over steps, from 0 to the highest value: `set` draws { name, steps, values } each, and what it says.
export function chart({ width = 260, height = 96, left = 34, first = 0 } = {}) {
  const bottom = height + 8;
  const legend = h("div", { class: "legend", "aria-hidden": "true" });
  const drawn = svg("g", { fill: "none", "stroke-width": 2.5 });
  const [top, along] = [svg("text", { x: left - 5, y: 14, "text-anchor": "end" }), svg("text", { x: left + width, y: bottom + 17, "text-anchor": "end" })];
  const drawing = svg("svg", { role: "img", viewBox: `0 0 ${left + width + 8} ${bottom + 22}`, width: left + width + 8 },
    svg("path", { d: `M${left} 4 V${bottom} H${left + width}`, fill: "none", stroke: "currentColor" }),
    svg("text", { x: left - 5, y: bottom, "text-anchor": "end" }, "0"), top, along, drawn);
  let [curves, last, highest] = [[], 1, 1];
  const move = glide((values) => {
    let place = 0;
    for (const [line, { steps }] of curves.entries()) {
      const points = steps.map((step) => [left + (width * step) / last, bottom - (height * values[place++]) / highest]).filter((point) => point.every(Number.isFinite));
      const [path, end] = drawn.children[line].children;
      path.setAttribute("points", points.map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`).join(" "));
      const [x, y] = points[points.length - 1] ?? [-9, -9];
      end.setAttribute("cx", x);
      end.setAttribute("cy", y);
    }
  });
  const dashed = (line) => ({ style: `stroke: var(--${KINDS[(first + line) % KINDS.length]}); stroke-dasharray: ${LINES[(first + line) % LINES.length] || "none"}` });
  const set = (shown, { steps, most, unit, says }) => {
    [curves, last, highest] = [shown, steps || 1, most || 1];
    if (drawn.children.length !== shown.length) {
      drawn.replaceChildren(...shown.map((_curve, line) => svg("g", dashed(line), svg("polyline"), svg("circle", { r: 2.5 }))));
      legend.replaceChildren(...shown.map((_curve, line) => h("span", {},
        svg("svg", { width: 30, height: 10 }, svg("path", { d: "M0 5 H28", fill: "none", "stroke-width": 2.5, ...dashed(line) })), h("span", { class: "number" }))));
    }
    shown.forEach(({ name, values }, line) => (legend.children[line].lastChild.textContent = `${name} ${number(values[values.length - 1], 2)}`));
    [top.textContent, along.textContent] = [number(highest, 1), unit];
    drawing.setAttribute("aria-label", says);
    move(shown.flatMap(({ values }) => values));
  };
  return Object.assign(h("div", {}, legend, drawing), { set });
}

// A table; `set(rows)` fills it with rows of { name, chosen, cells }, a cell being a text or a bar:
// { value, low, high, kind, decimals }, or several as its `lanes`; with `why`, its number opens as its arithmetic. Rows and bars stay the same elements, so that bars move.
export function table(caption, heads) {
  const title = h("caption", {}, caption);
  const top = h("tr");
  const body = h("tbody");
  const element = h("table", {}, title, h("thead", {}, top), body);
  const setHeads = (texts) => top.replaceChildren(...texts.map((text) => h("th", { scope: "col" }, text)));
  setHeads(heads);
  const set = (rows, says) => {
    if (says !== undefined && title.textContent !== says) title.textContent = says;
    while (body.children.length > rows.length) body.lastChild.remove();
    rows.forEach(({ name, chosen = false, cells }, index) => {
      const row = body.children[index] ?? body.appendChild(h("tr", {}, h("th", { scope: "row" })));
      row.classList.toggle("chosen", chosen);
      if (row.children[0].textContent !== name) row.children[0].textContent = name;
      while (row.children.length - 1 > cells.length) row.lastChild.remove();
      cells.forEach((cell, column) => fill(row.children[column + 1] ?? row.appendChild(h("td", { class: "number" })), cell));
    });
    refresh();
  };
  const refresh = zooming(element, body);
  return Object.assign(element, { set, setHeads });
}

function fill(td, cell) {
  if (typeof cell === "string") {
    if (td.className !== "number") td.className = "number"; // what it was before may have been shaded
    write(td, cell);
  } else if ("class" in cell) {
    td.className = `number cell ${cell.class}`;
    td.style.setProperty("--share", cell.share);
    write(td, cell.text, cell.why);
  } else {
    if (!td.firstElementChild?.classList.contains("track"))
      td.replaceChildren(h("span", { class: "track", "aria-hidden": "true" }, h("span", { class: "bar" })), h("span", { class: "number" }));
    const { low = 0, high = 1, decimals = 4, lanes = [cell] } = cell; // several bars share a track as lanes
    const track = td.firstElementChild;
    while (track.children.length > lanes.length) track.lastChild.remove();
    lanes.forEach(({ value, kind = "weight" }, lane) => {
      const bar = track.children[lane] ?? track.appendChild(h("span", { class: "bar" }));
      const span = high - low || 1;
      const [from, to] = Number.isFinite(value) ? [Math.min(value, 0), Math.max(value, 0)] : [0, 0];
      bar.style.cssText = `left: ${(100 * (from - low)) / span}%; width: ${(100 * (to - from)) / span}%; --kind: var(--${kind}); `
        + `top: ${(100 * lane) / lanes.length}%; bottom: ${100 - (100 * (lane + 1)) / lanes.length}%`;
      bar.classList.toggle("minus", value < 0);
    });
    write(td.lastElementChild, lanes.map(({ value }) => number(value, decimals)).join(", "), cell.why);
  }
}

// A map's cell: a number, shaded; `hidden` and `leak` mark what is masked, and what should be.
export const shaded = (value, { most = 1, decimals = 2, mark = "", text, why } = {}) => ({
  class: mark,
  why,
  share: Number.isFinite(value) ? Math.min(Math.abs(value) / most, 1) : 0,
  text: text ?? number(value, decimals),
});

// Many numbers (rows × columns, flat, 0 to 1) as one square each; `row` is outlined.
const dots = h("canvas");
export function paint(canvas, values, rows, columns, row = -1, side = 420) {
  const square = Math.max(1, Math.floor(side / Math.max(rows, columns)));
  if (canvas.width !== columns * square) canvas.width = columns * square;
  if (canvas.height !== rows * square) canvas.height = rows * square;
  const style = getComputedStyle(canvas);
  const pen = canvas.getContext("2d");
  pen.clearRect(0, 0, canvas.width, canvas.height);
  pen.fillStyle = style.getPropertyValue("--score");
  // All at once, a pixel each, and then as large as they shall be.
  [dots.width, dots.height] = [columns, rows];
  const pixels = new ImageData(columns, rows);
  const numbered = new Uint32Array(pixels.data.buffer);
  const ink = [5, 3, 1].reduce((sum, place) => 256 * sum + parseInt(pen.fillStyle.slice(place, place + 2), 16), 0); // blue, green, red
  for (let place = 0; place < values.length; place++) numbered[place] = ink + 2 ** 24 * Math.round(255 * Math.min(Math.max(values[place] || 0, 0), 1));
  dots.getContext("2d").putImageData(pixels, 0, 0);
  pen.imageSmoothingEnabled = false;
  pen.drawImage(dots, 0, 0, columns * square, rows * square);
  if (row >= 0) {
    pen.strokeStyle = style.getPropertyValue("--chosen");
    pen.lineWidth = 2;
    pen.strokeRect(1, row * square + 1, columns * square - 2, Math.max(square - 2, 1));
  }
}

// Arrows from one point: `set` leads each of { x, y, label, kind } to its end, in units of the plane.
export function arrows({ unit, width, height, left = 14, axes }) {
  const bottom = height - 26;
  const ends = svg("g");
  const element = svg("svg", { role: "img", viewBox: `0 0 ${width} ${height}`, width, height },
    svg("path", { d: `M${left} 16 V${bottom} H${width - 90}`, fill: "none", stroke: "currentColor" }),
    svg("text", { x: width - 90, y: bottom + 19, "text-anchor": "end" }, axes[0]),
    svg("text", { x: left + 4, y: 12 }, axes[1]), ends);
  const move = glide((numbers) =>
    [...ends.children].forEach((arrow, index) => {
      const [x, y] = [left + unit * numbers[2 * index], bottom - unit * numbers[2 * index + 1]];
      const turn = (Math.atan2(y - bottom, x - left) * 180) / Math.PI;
      const [line, head, label] = arrow.children;
      line.setAttribute("x2", x);
      line.setAttribute("y2", y);
      head.setAttribute("transform", `translate(${x} ${y}) rotate(${turn})`);
      const isShort = Math.hypot(x - left, y - bottom) < 40; // its label stands below the axis
      label.setAttribute("x", isShort ? left : x + 8);
      label.setAttribute("y", isShort ? bottom + 19 : y - 5);
    }));
  const set = (shown, says) => {
    element.setAttribute("aria-label", says);
    const key = shown.map(({ label }) => label).join("|");
    if (ends.dataset.key !== key) {
      ends.dataset.key = key;
      ends.replaceChildren(...shown.map(({ label }) =>
        svg("g", {}, svg("line", { x1: left, y1: bottom, "stroke-width": 2 }), svg("path", { d: "M0 0 L-11 -4.5 L-11 4.5 Z" }), svg("text", {}, label))));
    }
    shown.forEach(({ kind }, index) => {
      ends.children[index].style.cssText = `stroke: var(--${kind}); fill: var(--${kind})`;
      ends.children[index].lastChild.style.stroke = "none";
    });
    move(shown.flatMap(({ x, y }) => [x, y]));
  };
  return Object.assign(element, { set });
}
