// The computations of the course on plain arrays: vectors (n,), matrices (rows, columns) as arrays of rows.
// A test holds each against PyTorch.

// What Python listed: numbers, and words for NaN and the infinities.
export const numbers = (listed) => (Array.isArray(listed) ? listed.map(numbers) : Number(listed));

export const dot = (a, b) => a.reduce((sum, value, index) => sum + value * b[index], 0);

export const transpose = (a) => (a.length ? a[0].map((_value, column) => a.map((row) => row[column])) : []);

export function matmul(a, b) {
  const columns = transpose(b);
  return a.map((row) => columns.map((column) => dot(row, column)));
}

export function softmax(scores) {
  const most = Math.max(...scores);
  const exponentials = scores.map((score) => Math.exp(score - most));
  const sum = exponentials.reduce((total, value) => total + value, 0);
  return exponentials.map((value) => value / sum);
}

// Scores (queries, keys) with the future at -Infinity.
export const masked = (scores) =>
  scores.map((row, query) => row.map((score, key) => (key > query ? -Infinity : score)));

// Weights (queries, keys) of queries (queries, d_k) and keys (keys, d_k).
export function weigh(queries, keys, causal = false) {
  const root = Math.sqrt(queries[0].length);
  const scores = matmul(queries, transpose(keys)).map((row) => row.map((score) => score / root));
  return (causal ? masked(scores) : scores).map(softmax);
}

// x (tokens, d_out) as (heads, tokens, head_dim).
export function splitHeads(x, heads) {
  const width = x[0].length / heads;
  return Array.from({ length: heads }, (_head, head) =>
    x.map((row) => row.slice(head * width, (head + 1) * width)),
  );
}

// What dropout leaves of weights where keep (0 or 1, of the same shape) says so.
export const dropped = (weights, keep, p) =>
  weights.map((row, query) => row.map((weight, key) => (keep[query][key] ? weight / (1 - p) : 0)));

// Numbers from 0 to 1, evenly, the same ones for one seed (mulberry32).
export function uniforms(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

// From 0, all on one key, to log(keys); 0 log 0 is 0.
export const entropy = (weights) =>
  Math.abs(weights.reduce((sum, weight) => sum - (weight > 0 ? weight * Math.log(weight) : 0), 0));

export function layerNorm(x, scale, shift, eps = 1e-5) {
  const mean = x.reduce((sum, value) => sum + value, 0) / x.length;
  const variance = x.reduce((sum, value) => sum + (value - mean) ** 2, 0) / x.length;
  return x.map((value, index) => ((value - mean) / Math.sqrt(variance + eps)) * scale[index] + shift[index]);
}

// x Φ(x), with the error function as Abramowitz and Stegun approximate it in 7.1.26, to 1.5e-7.
export function gelu(x) {
  const size = Math.abs(x) / Math.SQRT2;
  const t = 1 / (1 + 0.3275911 * size);
  const series = ((((1.061405429 * t - 1.453152027) * t + 1.421413741) * t - 0.284496736) * t + 0.254829592) * t;
  const erf = 1 - series * Math.exp(-size * size);
  return (x * (1 + (x < 0 ? -erf : erf))) / 2;
}

// GELU as GPT-2 approximates it.
export const geluTanh = (x) => (x * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (x + 0.044715 * x ** 3)))) / 2;

// Pairs (a, b) of a vector turned by angles, as RoPE turns them: [a₀, b₀, a₁, b₁, …].
export const rotate = (x, angles) =>
  angles.flatMap((angle, pair) => {
    const [a, b] = [x[2 * pair], x[2 * pair + 1]];
    return [a * Math.cos(angle) - b * Math.sin(angle), a * Math.sin(angle) + b * Math.cos(angle)];
  });

// One query of inputs (tokens, features): its scores, weights, and the context after each token's share.
export function followQuery(inputs, query, sharpness = 1) {
  const scores = inputs.map((row) => dot(row, inputs[query]));
  const weights = softmax(scores.map((score) => score * sharpness));
  const sum = inputs[0].map(() => 0);
  const soFar = inputs.map((row, token) => row.map((value, index) => (sum[index] += weights[token] * value)));
  return { scores, weights, context: soFar[soFar.length - 1], soFar };
}

// What the next token is drawn from: temperature first (0 is greedy), then the k likeliest, then the fewest that reach p.
export function nextProbabilities(logits, temperature, k, p) {
  const best = logits.indexOf(Math.max(...logits));
  if (temperature === 0) return logits.map((_logit, place) => Number(place === best));
  const shares = softmax(logits.map((logit) => logit / temperature));
  const order = shares.map((_share, place) => place).sort((one, other) => shares[other] - shares[one]).slice(0, k);
  const total = order.reduce((sum, place) => sum + shares[place], 0);
  const kept = shares.map(() => 0);
  let reached = 0;
  for (const place of order) {
    if (reached >= p * total) break;
    kept[place] = shares[place];
    reached += shares[place];
  }
  return kept.map((share) => share / reached);
}

// The ids of a text by byte-level BPE: pieces as GPT-2 cuts them, their bytes, and merges (pairs of ids) in their order.
const PIECES = /'(?:[sdmt]|ll|ve|re)| ?[\p{L}\p{Nl}\p{No}]+| ?\p{Nd}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+/gu;
export const encodeBytes = (text, merges) =>
  (text.match(PIECES) ?? []).flatMap((piece) =>
    merges.reduce((ids, [first, second], rank) => {
      const merged = [];
      for (let place = 0; place < ids.length; place++)
        merged.push(ids[place] === first && ids[place + 1] === second ? (place++, 256 + rank) : ids[place]);
      return merged;
    }, [...new TextEncoder().encode(piece)]));
