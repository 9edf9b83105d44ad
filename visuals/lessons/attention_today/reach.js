// Choose windows, layers and kept first tokens, and see how far information travels.
import { matmul } from "../../live/tensors.js";
import { h, paint, slider, stage, table, words } from "../../live/parts.js";

const EVERY = [0, 2, 3, 6]; // each so many layers one has no window; 0: none

// For each layer (its window, or 0 for none): what a token sees in it, and what has arrived behind it, 0 or 1 (tokens, tokens).
export function reach(tokens, windows, sinks) {
  const places = Array.from({ length: tokens }, (_place, index) => index);
  let arrives = places.map((query) => places.map((key) => Number(query === key)));
  return windows.map((window) => {
    const sees = places.map((query) => places.map((key) => Number(key <= query && (window === 0 || query - key < window || key < sinks))));
    arrives = matmul(sees, arrives).map((row) => row.map((paths) => Math.min(paths, 1)));
    return { sees, arrives };
  });
}

const count = (row) => row.reduce((sum, value) => sum + value, 0);

function render(context) {
  const at = stage(context, draw);
  const { _, shows, chosen } = at;
  const { tokens } = shows;
  const never = [_("none"), _("every second"), _("every third"), _("every sixth")];
  const set = (name) => (value) => at.choose(name, value);
  at.controls.append(
    slider(_("Window"), { value: chosen.window, min: 1, max: tokens }, set("window")),
    slider(_("Layers"), { value: chosen.layers, min: 1, max: 8 }, set("layers")),
    words(_("Layers without a window"), { value: chosen.every, options: never }, set("every")),
    slider(_("First tokens kept"), { value: chosen.sinks, min: 0, max: 4 }, set("sinks")),
    slider(_("Query token"), { value: chosen.query, min: 0, max: tokens - 1 }, set("query")),
  );
  const captions = [_("What one windowed layer shows"), _("What arrives after all layers")];
  const maps = captions.map((caption) => h("canvas", { role: "img", "aria-label": caption }));
  at.view.append(...maps.map((canvas, place) => h("div", {}, h("p", { class: "note" }, captions[place]), canvas)));
  const rows = table(_("Layer by layer, for the query token"), [_("layer"), _("sees"), _("has arrived"), _("keeps in its cache")]);
  at.view.append(rows);

  function draw({ window, layers, every, sinks, query }) {
    const windows = Array.from({ length: layers }, (_layer, place) => (every && (place + 1) % EVERY[every] === 0 ? 0 : window));
    const found = reach(tokens, windows, sinks);
    const [one] = reach(tokens, [window], sinks);
    [one.sees, found[layers - 1].arrives].forEach((map, place) => paint(maps[place], map.flat(), tokens, tokens, query, 260));
    const kept = found.map(({ sees }) => count(sees[tokens - 1]));
    const bar = (value, kind) => ({ value, high: tokens, kind, decimals: 0 });
    rows.set(found.map(({ sees, arrives }, place) => ({
      name: windows[place] ? _("{layer}, window {window}", { layer: place, window }) : _("{layer}, no window", { layer: place }),
      cells: [bar(count(sees[query]), "score"), bar(count(arrives[query]), "context"), bar(kept[place], "weight")],
    })));
    return _("token {query}: a windowed layer shows it {seen} of {tokens} tokens; after all layers {arrived} can have arrived; the caches keep {kept} of {whole} tokens", {
      query, tokens, seen: count(one.sees[query]), arrived: count(found[layers - 1].arrives[query]), kept: count(kept), whole: layers * tokens,
    });
  }

  at.show();
}

export default { render };
