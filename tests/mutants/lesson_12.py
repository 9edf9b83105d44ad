"""Answers to lesson 12 as learners type them: wrong ones with the findings they deserve, and right ones.

Few for each task; they differ from those of its `tasks.py`.
"""

from tests.mutants.answers import read

LESSON = "12-real-models"
TASKS = read(
    LESSON,
    r"""
== like-gpt2
sigmoid-approximation (named, values): nn.GELU(approximate="tanh") → nn.SiLU()
first-block-only (named, values): zip(model.blocks, biases): → list(zip(model.blocks, biases))[:1]:
view: fused.chunk(3) → fused.view(3, -1)
== load-gpt2
all-matrices-turned (named, raised, values):
    name.endswith(("c_attn.weight", "c_proj.weight", "c_fc.weight")) → tensor.ndim == 2 and "attn.bias" not in name
mlp-not-turned (named, raised, values): ("c_attn.weight", "c_proj.weight", "c_fc.weight") → ("c_attn.weight", "attn.c_proj.weight")
split-names: name = stored_name.removeprefix("transformer.") → name = stored_name.replace("transformer.", "")
== first-gap
counts-from-one (named, values): return stage → return stage + 1
last-entry-only (named, values): (own - right).abs().max() → (own - right).abs().flatten()[-1]
any: largest <= tolerance * right.abs().max() → ((own - right).abs() <= tolerance * right.abs().max()).all()
== merge-pair
new-id-twice (named, shape, values): merged.append(new_id) → merged.extend((new_id, new_id))
pair-dropped (named, shape, values): merged.append(new_id) → pass
insert: merged.append(old[place]) → merged.insert(len(merged), old[place])
== train-bpe
ids-from-255 (named, values): range(256, 256 + num_merges) → range(255, 255 + num_merges)
one-merge-too-few (named, shape, values): range(256, 256 + num_merges) → range(256, 255 + num_merges)
update: counts = Counter(pair for ids in pieces for pair in zip(ids.tolist(), ids.tolist()[1:])) → counts = Counter([(a, b) for ids in pieces for a, b in zip(ids.tolist()[:-1], ids.tolist()[1:])])
== encode-piece
utf-16 (named, shape, values): "utf-8" → "utf-16"
last-merge-left-out (named, shape, values, keeps 1): enumerate(merges) → enumerate(merges[:-1])
map: list(text.encode("utf-8")) → [int(byte) for byte in text.encode()]
== decode-bytes
ids-returned (named, shape, values): = ids
extend: body
    table = {byte: (byte,) for byte in range(256)}
    for rank, (first, second) in enumerate(merges.tolist()):
        table[256 + rank] = table[first] + table[second]
    return torch.tensor(sum((table[one] for one in ids.tolist()), ()))
== next-probabilities
nearly-zero-for-greedy (named, values, keeps 3): line == 0 … one_hot → temperature = max(temperature, 1e-2)
squared (named, values): probabilities = torch.softmax(logits / temperature, dim=-1) → probabilities = torch.softmax(logits / temperature, dim=-1) ** 2
p-swapped (named, values, not finite, rule): before >= top_p → before < top_p
gather: torch.zeros_like(probabilities).scatter(-1, order, ordered) → ordered.gather(-1, order.argsort(dim=-1))
== generate-until-end
drawn (named, values, shape): logits.argmax(dim=-1, keepdim=True) → torch.multinomial(logits.softmax(-1), 1)
count-ignored (named, shape): range(count) → range(3)
hstack: torch.cat((ids, new), dim=1) → torch.hstack((ids, new))
== cached-logits
all-pieces-joined (named, values, behaviour, shape): = model(torch.hstack([*pieces]))
mlp-forgotten (named, values): x = x + block.mlp(block.norm_2(x)) → pass
norm-forgotten (named, values): read = block.norm_1(x) → read = x
permuted: project(read).view(b, new, num_heads, -1).transpose(1, 2) → project(read).view(b, new, num_heads, -1).permute(0, 2, 1, 3)
== rms-norm
mean-of-absolutes (named, values): torch.sqrt(mean_square + self.eps) → x.abs().mean(dim=-1, keepdim=True)
norm: torch.sqrt(mean_square + self.eps) → (mean_square + self.eps) ** 0.5
== llama-attention
positions-from-one (named, values): torch.arange(num_tokens, device=x.device) → torch.arange(num_tokens, device=x.device) // 2
queries-not-rotated (named, values): queries = apply_rope(queries, positions, self.base) → pass
flatten: .transpose(1, 2).reshape(b, num_tokens, -1) → .transpose(1, 2).flatten(2)
== load-llama
layers-reversed (named, raised, values): "layers": "blocks" → "layers": "block"
not-refused-extra (named, not refused, keeps 3): return fill(model, own) → return fill(model, {name: one for name, one in own.items() if not name.endswith("bias")})
split-once: name.removeprefix("model.").split(".") → name[len("model.") :].split(".") if name.startswith("model.") else name.split(".")
== mixture-of-experts
undivided-and-doubled (named, values): shares / shares.sum(dim=-1, keepdim=True) → 2 * shares
last-writes (named, values): result[rows] += → result[rows] = 1 *
uniform (named, values): shares / shares.sum(dim=-1, keepdim=True) → torch.full_like(shares, 1 / self.top_k)
sorted-experts: for number, expert in enumerate(self.experts): → for number, expert in reversed([*enumerate(self.experts)]):
logsumexp: torch.softmax(self.router(tokens), dim=-1) → self.router(tokens).log_softmax(-1).exp()
== bug-permuted-rows
whole-turned (named, values): = weight.flip(0)
reshape: weight.unflatten(0, (num_heads, -1, 2)) → weight.reshape(num_heads, -1, 2, weight.shape[-1])
== model-sizes
no-output-matrix (named, values): 2 * d_model * head_dim * (num_heads + num_kv_groups) → d_model * head_dim * (num_heads + 2 * num_kv_groups)
without-norms (named, values): body
    tables = vocab * d_model if tied else 2 * vocab * d_model
    each = 2 * (num_heads + num_kv_groups) * head_dim * d_model + 3 * hidden * d_model
    n = tables + each * num_layers
    return torch.tensor([n, 2 * n, 4 * num_layers * num_kv_groups * head_dim * num_tokens])
four-bytes (named, values): [parameters, 2 * parameters, cache] → [parameters, 4 * parameters, cache]
stack: torch.tensor([parameters, 2 * parameters, cache]) → torch.stack([torch.tensor(one) for one in (parameters, parameters * 2, cache)])
""",
)
