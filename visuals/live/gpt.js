// A model in GPT-2's form in plain JavaScript. Matrices lie flat in Float32Arrays, row after row.
import { gelu } from "./tensors.js";

// The tensors of a safetensors file, by name.
export function readTensors(view) {
  const length = Number(view.getBigUint64(0, true));
  const bytes = (from, count) => view.buffer.slice(view.byteOffset + from, view.byteOffset + from + count);
  const header = JSON.parse(new TextDecoder().decode(bytes(8, length)));
  delete header.__metadata__;
  return Object.fromEntries(
    Object.entries(header).map(([name, { data_offsets: [from, to] }]) => [
      name.replace(/^transformer\./, ""),
      new Float32Array(bytes(8 + length + from, to - from)),
    ]),
  );
}

// x (rows, inner) @ weight (inner, columns) + bias (columns,).
export function project(x, weight, bias, inner) {
  const columns = weight.length / inner;
  const rows = x.length / inner;
  const out = new Float32Array(rows * columns);
  const sums = new Float64Array(columns);
  for (let row = 0; row < rows; row++) {
    if (bias) sums.set(bias);
    else sums.fill(0);
    let place = 0;
    for (; place + 3 < inner; place += 4) { // four at a time, which is faster
      const at = row * inner + place, from = place * columns;
      const x0 = x[at], x1 = x[at + 1], x2 = x[at + 2], x3 = x[at + 3];
      const next1 = from + columns, next2 = next1 + columns, next3 = next2 + columns;
      for (let column = 0; column < columns; column++)
        sums[column] += x0 * weight[from + column] + x1 * weight[next1 + column] + x2 * weight[next2 + column] + x3 * weight[next3 + column];
    }
    for (; place < inner; place++)
      for (let column = 0; column < columns; column++) sums[column] += x[row * inner + place] * weight[place * columns + column];
    out.set(sums, row * columns);
  }
  return out;
}

// LayerNorm of each row (rows, width), and what each row was divided by.
export function normalised(x, scale, shift) {
  const width = scale.length;
  const out = new Float32Array(x.length);
  const spreads = new Float64Array(x.length / width);
  for (let start = 0; start < x.length; start += width) {
    let mean = 0;
    for (let place = 0; place < width; place++) mean += x[start + place] / width;
    let variance = 0;
    for (let place = 0; place < width; place++) variance += (x[start + place] - mean) ** 2 / width;
    const spread = Math.sqrt(variance + 1e-5);
    spreads[start / width] = spread;
    for (let place = 0; place < width; place++)
      out[start + place] = ((x[start + place] - mean) / spread) * scale[place] + shift[place];
  }
  return { out, spreads };
}

const plus = (a, b) => a.map((value, index) => value + b[index]);

export class GPT {
  constructor(tensors, heads, act = gelu) {
    this.act = act;
    this.tensors = tensors;
    this.heads = heads;
    this.width = tensors["ln_f.weight"].length;
    this.context = (tensors["wpe.weight"]?.length ?? Infinity) / this.width;
    this.readout = tensors["lm_head.weight"] ?? tensors["wte.weight"];
    this.vocab = this.readout.length / this.width;
    this.mlps = "h.0.mlp.c_fc.weight" in tensors;
    this.layers = Object.keys(tensors).filter((name) => name.endsWith(".attn.c_attn.weight")).length;
  }

  // Run ids (tokens,). `without` holds heads as "layer,head": the context of each becomes its mean over all
  // tokens. What is kept: maps[layer][head] (tokens, tokens), the stream before the first layer and after
  // each, (tokens, width), and of each layer what `why` needs. A patch { stage, place, row } puts another row (width,)
  // into the stream, before the first layer (stage 0) or after one.
  run(ids, without = [], patch = null) {
    const { tensors, width } = this;
    const tokenPart = new Float32Array(ids.length * width);
    ids.forEach((id, place) => tokenPart.set(tensors["wte.weight"].subarray(id * width, (id + 1) * width), place * width));
    const positionPart = tensors["wpe.weight"]?.slice(0, ids.length * width) ?? new Float32Array(ids.length * width);
    let stream = plus(tokenPart, positionPart);
    const patched = this.#patch(stream, 0, patch);
    const result = { patch, patched, maps: [], streams: [stream], queries: [], contexts: [], mlps: [], spreads: [], tokenPart, positionPart };
    for (let layer = 0; layer < this.layers; layer++) {
      const part = (name) => tensors[`h.${layer}.${name}`];
      const before = normalised(stream, part("ln_1.weight"), part("ln_1.bias"));
      result.spreads.push(before.spreads);
      const { context, maps, queries } = this.#attend(project(before.out, part("attn.c_attn.weight"), part("attn.c_attn.bias"), width), ids.length);
      for (let head = 0; head < this.heads; head++)
        if (without.includes(`${layer},${head}`)) this.#average(context, head, ids.length);
      result.maps.push(maps);
      result.queries.push(queries);
      result.contexts.push(context);
      stream = plus(stream, project(context, part("attn.c_proj.weight"), part("attn.c_proj.bias"), width));
      const mlp = this.#mlp(stream, part);
      stream = plus(stream, mlp);
      result.mlps.push(mlp);
      result.patched ??= this.#patch(stream, layer + 1, patch);
      result.streams.push(stream);
    }
    return result;
  }

  // The logits of one place (vocab,) after a stage: 0 is the embedding, the last one the model's answer.
  logits(result, place, stage = this.layers) {
    const { tensors, width } = this;
    const row = result.streams[stage].slice(place * width, (place + 1) * width);
    const { out } = normalised(row, tensors["ln_f.weight"], tensors["ln_f.bias"]);
    const sums = Array(this.vocab).fill(0);
    for (let id = 0; id < this.vocab; id++)
      for (let index = 0; index < width; index++) sums[id] += out[index] * this.readout[id * width + index];
    return sums;
  }

  // Why a head looks from a query at a key: what each part of the key's stream adds to the score, compared with
  // the mean over the keys that the query sees. The parts are the token, its position, and what each earlier
  // head and MLP wrote; together they make the score less the mean score.
  why(result, layer, head, query, key) {
    const { tensors, width, heads } = this;
    const size = width / heads;
    const keys = tensors[`h.${layer}.attn.c_attn.weight`];
    const scale = tensors[`h.${layer}.ln_1.weight`];
    const reader = scale.map((value, row) => {
      let sum = 0;
      for (let place = 0; place < size; place++)
        sum += result.queries[layer][query * width + head * size + place] * keys[row * 3 * width + width + head * size + place];
      return (value * sum) / Math.sqrt(size);
    });
    const average = reader.reduce((sum, value) => sum + value, 0) / width;
    const centred = reader.map((value) => value - average); // as LayerNorm takes the mean away
    const parts = [["token", result.tokenPart], ["position", result.positionPart]];
    for (let earlier = 0; earlier < layer; earlier++) {
      const out = tensors[`h.${earlier}.attn.c_proj.weight`];
      for (let one = 0; one < heads; one++) {
        const alone = result.contexts[earlier].map((value, place) => (Math.floor((place % width) / size) === one ? value : 0));
        parts.push([`${earlier},${one}`, project(alone, out, null, width)]);
      }
      parts.push([`${earlier}`, result.mlps[earlier]]);
      parts.push(["bias", this.#everywhere(tensors[`h.${earlier}.attn.c_proj.bias`], query + 1)]);
    }
    if (result.patched && result.patch.stage <= layer) parts.push(["patch", result.patched]);
    const at = (part, place) => {
      let sum = 0;
      for (let index = 0; index < width; index++) sum += part[place * width + index] * centred[index];
      return sum / result.spreads[layer][place];
    };
    return parts.map(([name, part]) => {
      let sum = 0;
      for (let place = 0; place <= query; place++) sum += at(part, place) / (query + 1);
      return { name, value: at(part, key) - sum };
    });
  }

  // Put the row of a patch of this stage into the stream; return what that changed there, (tokens, width).
  #patch(stream, stage, patch) {
    if (patch?.stage !== stage) return null;
    const change = new Float32Array(stream.length);
    patch.row.forEach((value, index) => {
      const at = patch.place * this.width + index;
      change[at] = value - stream[at];
      stream[at] = value;
    });
    return change;
  }

  #everywhere(row, count) {
    const out = new Float32Array(row.length * count);
    for (let place = 0; place < count; place++) out.set(row, place * row.length);
    return out;
  }

  #mlp(stream, part) {
    if (!part("mlp.c_fc.weight")) return new Float32Array(stream.length);
    const { out } = normalised(stream, part("ln_2.weight"), part("ln_2.bias"));
    const hidden = project(out, part("mlp.c_fc.weight"), part("mlp.c_fc.bias"), this.width).map(this.act);
    return project(hidden, part("mlp.c_proj.weight"), part("mlp.c_proj.bias"), 4 * this.width);
  }

  #attend(qkv, count) {
    const { width, heads } = this;
    const size = width / heads;
    const context = new Float32Array(count * width);
    const queries = new Float32Array(count * width);
    const maps = [];
    for (let head = 0; head < heads; head++) {
      const map = new Float32Array(count * count);
      for (let query = 0; query < count; query++) {
        const at = query * 3 * width + head * size;
        queries.set(qkv.subarray(at, at + size), query * width + head * size);
        const scores = new Float64Array(query + 1);
        let most = -Infinity;
        for (let key = 0; key <= query; key++) {
          let score = 0;
          for (let place = 0; place < size; place++) score += qkv[at + place] * qkv[key * 3 * width + width + head * size + place];
          scores[key] = score / Math.sqrt(size);
          most = Math.max(most, scores[key]);
        }
        let sum = 0;
        for (let key = 0; key <= query; key++) sum += scores[key] = Math.exp(scores[key] - most);
        for (let key = 0; key <= query; key++) {
          const weight = (map[query * count + key] = scores[key] / sum);
          for (let place = 0; place < size; place++)
            context[query * width + head * size + place] += weight * qkv[key * 3 * width + 2 * width + head * size + place];
        }
      }
      maps.push(map);
    }
    return { context, maps, queries };
  }

  #average(context, head, count) {
    const size = this.width / this.heads;
    for (let place = head * size; place < (head + 1) * size; place++) {
      let sum = 0;
      for (let row = 0; row < count; row++) sum += context[row * this.width + place];
      for (let row = 0; row < count; row++) context[row * this.width + place] = sum / count;
    }
  }
}
