// What one query computes, as rows of a table.
import { vector } from "../../live/parts.js";
import { ofScore, ofWeight, written } from "../../live/zoom.js";

export const SHOWN_FEATURES = 4; // vectors of so many numbers fit beside the bars

// Rows for a table of bars: each token's score and weight, which open as their arithmetic, and what the context is after it.
export function flowRows(flow, tokens, query, inputs, sharpness) {
  const [low, high] = [Math.min(0, ...flow.scores), Math.max(0, ...flow.scores)];
  const isBuilding = flow.context.length <= SHOWN_FEATURES;
  const score = (index) => ofScore(inputs[query], inputs[index]);
  const sharpened = (index) => (sharpness === 1 ? [] : [`${written(sharpness * flow.scores[index])} = ${sharpness} · ${written(flow.scores[index])}`]);
  const weight = (index) => ofWeight(flow.scores.map((value) => sharpness * value), index);
  return tokens.map((token, index) => ({
    name: token,
    chosen: index === query,
    cells: [
      { value: flow.scores[index], low, high, kind: "score", why: () => ({ lines: [score(index)], rows: [query, index] }) },
      { value: flow.weights[index], kind: "weight", why: () => ({ lines: [weight(index), ...sharpened(index), score(index)], rows: [query, index] }) }, // of 1, so that sharpening is seen as growth
      ...(isBuilding ? [vector(flow.soFar[index], 2)] : []),
    ],
  }));
}
