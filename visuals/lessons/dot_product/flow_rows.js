// What one query computes, as rows of a table.
import { vector } from "../../live/parts.js";

export const SHOWN_FEATURES = 4; // vectors of so many numbers fit beside the bars

// Rows for a table of bars: each token's score and weight, and what the context is after it.
export function flowRows(flow, tokens, query) {
  const [low, high] = [Math.min(0, ...flow.scores), Math.max(0, ...flow.scores)];
  const isBuilding = flow.context.length <= SHOWN_FEATURES;
  return tokens.map((token, index) => ({
    name: token,
    chosen: index === query,
    cells: [
      { value: flow.scores[index], low, high, kind: "score" },
      { value: flow.weights[index], kind: "weight" }, // of 1, so that sharpening is seen as growth
      ...(isBuilding ? [vector(flow.soFar[index], 2)] : []),
    ],
  }));
}
