// A number opens as its arithmetic: what it was made of, with the rows that it came from lit.
import { h } from "./parts.js";
import { dot } from "./tensors.js";

// A number as one would write it by hand, in brackets where a sign would stand in the way.
export const written = (value) => {
  const text = String(Number(value.toFixed(4)));
  return value < 0 ? `(${text})` : text;
};

// A score: the products of two rows, added up.
export const ofScore = (query, key) =>
  `${dot(query, key).toFixed(4)} = ${key.map((value, index) => `${written(query[index])}·${written(value)}`).join(" + ")}`;

// A weight: the softmax of a row of scores, at one of them.
export function ofWeight(scores, key) {
  const most = Math.max(...scores);
  const sum = scores.reduce((total, score) => total + Math.exp(score - most), 0);
  const weight = Math.exp(scores[key] - most) / sum;
  return `${weight.toFixed(4)} = softmax(${written(scores[key])}) = exp(${written(scores[key])} − ${written(most)}) / ${written(sum)}`;
}

// Put a text into a box; with `why`, which gives { lines, rows }, as a button that opens it.
export function write(box, text, why) {
  const isOpened = box.firstElementChild?.matches(".why");
  if (!why) {
    if (isOpened || box.textContent !== text) box.textContent = text;
    return;
  }
  if (!isOpened) box.replaceChildren(h("button", { type: "button", class: "why", "aria-expanded": "false", tabindex: -1 }));
  const button = box.firstElementChild;
  button.why = why;
  if (button.textContent !== text) button.textContent = text;
}

// Let the numbers in the body of a table be opened: by a click or Enter; arrows go from one to the next, Esc closes.
// What it returns brings that up to date after the table has changed.
export function zooming(element, body) {
  const panel = h("div", { class: "zoom", "aria-live": "polite", keydown: shut });
  let open = null;
  const buttons = () => [...body.querySelectorAll(".why")];
  const light = (rows) => [...body.children].forEach((row, place) => row.classList.toggle("lit", rows.includes(place)));
  function close() {
    open?.setAttribute("aria-expanded", "false");
    open = null;
    panel.remove();
    light([]);
  }
  function shut(event) {
    if (event.key !== "Escape" || !open) return;
    event.stopPropagation();
    open.focus();
    close();
  }
  function show(button) {
    const { lines, rows } = button.why();
    if (!panel.isConnected) element.after(panel);
    button.setAttribute("aria-expanded", "true");
    open = button;
    light(rows);
    const close_ = h("button", { type: "button", "aria-label": "Esc", click: () => { button.focus(); close(); } }, "×");
    panel.replaceChildren(close_, ...lines.map((line) => h("p", {}, line)));
  }
  body.addEventListener("click", ({ target }) => {
    const button = target.closest(".why");
    if (!button) return;
    const isOpen = button === open;
    close();
    if (!isOpen) show(button);
    rove(button);
  });
  const rove = (current) => buttons().forEach((button) => (button.tabIndex = button === current ? 0 : -1));
  body.addEventListener("keydown", (event) => {
    shut(event);
    const [down, right] = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key] ?? [0, 0];
    const cell = event.target.closest("td");
    const next = (down || right) && body.children[cell.parentElement.rowIndex - 1 + down]?.children[cell.cellIndex + right]?.querySelector(".why");
    if (!next) return;
    event.preventDefault();
    rove(next);
    next.focus();
    if (open) {
      close();
      show(next);
    }
  });
  return () => {
    const all = buttons();
    if (open && !open.isConnected) close();
    if (open) show(open);
    if (all.length && !all.some((button) => button.tabIndex === 0)) all[0].tabIndex = 0;
  };
}
