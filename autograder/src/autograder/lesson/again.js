// In JupyterLab that start.py opened, for the element `box`: a button that puts the stub of one task back, or those of
// all tasks of a notebook, after asking. What stood there is kept in the cell's metadata, and a button brings it back.
for (const place of box?.querySelectorAll(".ag-again:empty") ?? []) {
  const panel = [...(window.jupyterapp?.shell.widgets("main") ?? [])].find((one) => one.node.contains(box));
  const { task, start, asks, yes, no, back, done, undone } = place.dataset;
  const about = (cell) => cell.model.getMetadata("autograder") ?? {};
  const isOwn = (cell) => "stub" in about(cell) && (!task || cell.model.getMetadata("nbgrader")?.grade_id === `${task}-answer`);
  const cells = () => (panel?.content.widgets ?? []).filter(isOwn);
  const write = (cell, text) => {
    cell.model.setMetadata("autograder", { ...about(cell), before: cell.model.sharedModel.getSource() });
    cell.model.sharedModel.setSource(text);
  };
  const said = document.createElement("span");
  said.setAttribute("role", "status");
  const choices = document.createElement("span");
  const offer = (...pairs) => choices.replaceChildren(...pairs.map(([label, press]) => {
    const button = document.createElement("button");
    Object.assign(button, { type: "button", className: "jupyter-button", textContent: label, onclick: press });
    button.setAttribute("data-lm-suppress-shortcuts", "true");
    return button;
  }));
  const rest = (told, isFocused = true) => {
    said.textContent = told;
    const replaced = cells().filter((cell) => "before" in about(cell));
    offer([start, ask], ...(replaced.length ? [[back, () => {
      replaced.forEach((cell) => write(cell, about(cell).before));
      rest(undone);
    }]] : []));
    if (isFocused) choices.firstChild.focus();
  };
  const ask = () => {
    said.textContent = asks;
    offer([yes, () => {
      cells().filter((cell) => cell.model.sharedModel.getSource() !== about(cell).stub).forEach((cell) => write(cell, about(cell).stub));
      rest(done);
    }], [no, () => rest("")]);
    choices.lastChild.focus();
  };
  if (!cells().length) continue;
  place.append(choices, said);
  rest("", false);
}
