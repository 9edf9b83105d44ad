// In JupyterLab that start.py opened, below a card: where the text of the answer's cell is no longer that which was run,
// the card says so first, in amber, and folds what it says of the text that was run.
setTimeout((note) => {
  const panel = [...(window.jupyterapp?.shell.widgets("main") ?? [])].find((one) => one.node.contains(note));
  const cell = panel?.content.widgets.find((one) => one.model.id === note.dataset.cell);
  const text = cell?.model.sharedModel.getSource();
  const sum = [...(text ?? "")].reduce((total, char) => (Math.imul(total, 31) + char.codePointAt(0)) >>> 0, 0);
  if (text === undefined || sum === Number(note.dataset.sum)) return;
  const card = note.closest(".ag");
  const folded = note.querySelector("details");
  folded.append(...[...card.childNodes].filter((node) => node !== note));
  card.className = "ag ag-wait";
  note.hidden = false;
}, 0, document.currentScript.parentElement);
