// Puts a module into a page: an explorer, a prediction, a quiz or a row of buttons. It travels with all that it
// shows, packed, in the output of its cell; so it works on any later day, and where no kernel answers.

const unpacked = (packed) =>
  new Response(new Blob([bytes(packed)]).stream().pipeThrough(new DecompressionStream("gzip"))).json();

const bytes = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));

// `recall` gives what was chosen before (or nothing), `keep` keeps what is chosen, and `ask` evaluates an expression in the
// notebook's kernel and gives its outputs by their types, or null where no kernel answers. `panel` gives JupyterLab's
// view of the notebook, or null.
export async function mount(el, name, packed, { recall, keep, ask, panel }) {
  const { code, values, files } = await unpacked(packed);
  for (const [name, held] of Object.entries(files)) values[name] = new DataView(bytes(held).buffer);
  values.chosen = { ...values.chosen, ...recall() };
  const model = {
    get: (name) => values[name],
    set: (name, value) => void (values[name] = value),
    save_changes: () => {
      keep(values.chosen);
      dispatchEvent(new CustomEvent("lesson-chosen", { detail: name }));
    },
    // Hear of what is chosen by the same name, here or in another output.
    on: (_event, heard) => addEventListener("lesson-chosen", ({ detail }) => {
      if (detail === name) heard((values.chosen = { ...values.chosen, ...recall() }));
    }),
  };
  const address = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
  try {
    const { default: module } = await import(address);
    await module.render({ model, el, ask, panel });
  } finally {
    URL.revokeObjectURL(address);
  }
}
