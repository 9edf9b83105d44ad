// What happens over time.
import { button, isStill } from "./parts.js";

// A button that plays what happens over time: `next` shows what comes, and tells whether more does.
export function player(_, next, beat = 800) {
  let timer = 0;
  const stop = () => {
    clearTimeout(timer);
    timer = 0;
    element.textContent = _("Play");
  };
  const step = () => {
    timer = setTimeout(step, isStill() ? 2 * beat : beat);
    if (!next()) stop();
  };
  const element = button(_("Play"), () => {
    if (timer) return stop();
    element.textContent = _("Stop");
    step();
  });
  return Object.assign(element, { stop });
}
