// The front-end extension for JupyterLab and Notebook: shows the outputs of a lesson that live in the page. It is a
// container as module federation knows it, written by hand, so that nothing has to be built.
(() => {
  const MODULE = "application/vnd.autograder.module+json";
  const PICTURE = "application/vnd.autograder.picture+json";
  const ABOUT = "autograder"; // what the tool keeps in a notebook's metadata
  const WELCOME = "welcome.md"; // which the tool writes beside the lessons
  const beside = (name) => new URL(name, script);
  const script = document.currentScript.src;
  const mounting = import(beside("mount.js"));
  let shared;

  // JupyterLab's own copy of a package.
  const using = async (name) => (await Object.values(shared[name])[0].get())();

  const plugin = async () => {
    const names = ["@lumino/widgets", "@jupyterlab/rendermime", "@jupyterlab/notebook"];
    const [{ Widget }, { IRenderMimeRegistry }, { NotebookActions }] = await Promise.all(names.map(using));

    return {
      id: "lesson-autograder:plugin",
      autoStart: true,
      requires: [IRenderMimeRegistry],
      activate: (app, registry) => {
        // A picture stands on a card of its own: a dark theme turns light into dark, and keeps hues.
        const style = document.createElement("style");
        style.textContent = '[data-jp-theme-light="false"] .ag-picture { filter: invert(1) hue-rotate(180deg); }';
        // Letters of Bengali, before the theme's own fonts: some draw boxes for letters that they lack.
        style.textContent += `
          @font-face { font-family: "Lesson Bengali"; font-weight: 400 700; src: url("${beside("noto-sans-bengali.woff2")}") format("woff2");
            unicode-range: U+0951-0952, U+0964-0965, U+0980-09FE, U+200C-200D, U+20B9, U+25CC; }`;
        for (const kind of ["ui", "content", "code"])
          style.textContent += `
          :root { --lesson-${kind}: var(--jp-${kind}-font-family); } body { --jp-${kind}-font-family: "Lesson Bengali", var(--lesson-${kind}); }`;
        document.head.append(style);

        // Shown where code of the notebook's may not run, before it does, and where it cannot.
        const still = async (node, model) => {
          const { [PICTURE]: drawn, "text/plain": words = "" } = model.data;
          if (!drawn) {
            const shown = registry.createRenderer("text/html");
            await shown.renderModel(model);
            return node.replaceChildren(shown.node);
          }
          const image = Object.assign(document.createElement("img"), { alt: words, className: "ag-picture" });
          image.src = `data:image/svg+xml,${encodeURIComponent(drawn.svg)}`;
          image.style.cssText = "max-width: 100%; border-radius: 6px";
          node.replaceChildren(image);
        };

        const panels = () => [...app.shell.widgets("main")];

        // A link to a notebook opens it in the application, as in a Markdown cell.
        const follow = async (panel, event) => {
          const link = event.target.closest("a[href]");
          const { host, pathname, hash } = new URL(link?.getAttribute("href") ?? "", `http://x/${panel?.context.path}`);
          if (!link || !panel || host !== "x" || !pathname.endsWith(".ipynb")) return;
          event.preventDefault();
          const opened = await app.commands.execute("docmanager:open", { path: decodeURIComponent(pathname.slice(1)) });
          if (hash) opened?.setFragment(hash);
        };

        // The kernel knows from this what the notebook makes from top to bottom, as when it is handed in.
        NotebookActions.executionScheduled.connect((_sender, { notebook }) => {
          const panel = panels().find(({ content }) => content === notebook);
          if (!panel || !notebook.model?.getMetadata(ABOUT)) return;
          const cells = JSON.stringify(notebook.widgets.map(({ model }) => model.id)); // as well a list of Python's
          const reports = `(lambda session: session and session.tell_cells(${cells}))(__import__("sys").modules.get("autograder.lesson.interactive_session"))`;
          asked(panel.sessionContext.session?.kernel, reports);
        });

        // Wherever somebody comes in, the first page is open, unless something else was.
        const { pathname, search } = location;
        app.restored.then(async () => {
          if (!/\/lab(\/workspaces\/[^/]+)?\/?$/.test(pathname) || search.includes("reset") || panels().some(({ context }) => context)) return;
          try {
            await app.serviceManager.contents.get(WELCOME, { content: false });
          } catch {
            return; // there is none
          }
          const launchers = panels();
          await app.commands.execute("docmanager:open", { path: WELCOME, factory: "Markdown Preview" });
          for (const launcher of launchers) launcher.dispose();
        });

        // What is done is written there anew each time somebody comes back to it.
        app.shell.currentChanged?.connect(async (_shell, change) => {
          const page = change?.newValue;
          if (!page?.context?.path.split("/").includes(WELCOME)) return;
          const lesson = panels().find(({ content }) => content?.model?.getMetadata?.(ABOUT));
          const written = '__import__("autograder.lesson.welcome_page", fromlist=["rewrite"]).rewrite()';
          if (await asked(lesson?.sessionContext?.session?.kernel, written)) page.context.revert();
        });

        class Shown extends Widget {
          #model = null;
          #isMounted = false;

          async renderModel(model) {
            this.#model = model;
            this.#isMounted = false;
            await still(this.node, model);
            if (this.isAttached) await this.#mount();
          }

          onAfterAttach() {
            if (this.#model) this.#mount();
          }

          async #mount() {
            const { live, name } = this.#model.data[MODULE] ?? {};
            if (this.#isMounted || !live || !this.#model.trusted) return;
            this.#isMounted = true;
            // Not known before this is in the page.
            const panel = () => panels().find(({ node }) => node.contains(this.node));
            const notebook = () => panel()?.content?.model;
            const about = () => notebook()?.getMetadata(ABOUT) ?? {};
            const box = document.createElement("div");
            try {
              const { mount } = await mounting;
              await mount(box, name, live, {
                recall: () => about().chosen?.[name],
                keep: (chosen) => notebook()?.setMetadata(ABOUT, { ...about(), chosen: { ...about().chosen, [name]: chosen } }),
                ask: (expression) => asked(panel()?.sessionContext?.session?.kernel, expression),
                panel,
              });
              box.addEventListener("click", (event) => follow(panel(), event));
              this.node.replaceChildren(box);
            } catch (problem) {
              console.warn(problem); // what is shown already stays
            }
          }
        }

        registry.addFactory({ safe: true, mimeTypes: [MODULE, PICTURE], createRenderer: () => new Shown() }, -20);
      },
    };
  };

  async function asked(kernel, expression) {
    if (!kernel || kernel.status === "dead") return null;
    try {
      const { content } = await kernel.requestExecute({ code: "", silent: true, store_history: false, user_expressions: { asked: expression } }).done;
      return content.user_expressions?.asked?.data ?? null;
    } catch {
      return null; // the kernel ended before it answered
    }
  }

  (window._JUPYTERLAB ??= {})["lesson-autograder"] = {
    init: (scope) => void (shared = scope),
    get: async (_module) => {
      const loaded = await plugin();
      return () => ({ __esModule: true, default: loaded });
    },
  };
})();
