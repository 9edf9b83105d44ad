"""Answers to lesson 13 as learners type them: wrong ones with the findings they deserve, and right ones.

Few for each task; they differ from those of its `tasks.py`.
"""

from tests.mutants.answers import read

LESSON = "13-attention-today"
TASKS = read(
    LESSON,
    r"""
== window-mask
both-sides (named, values): distance = queries[:, None] - keys → distance = (queries[:, None] - keys).abs()
sinks-by-distance (named, values, keeps 2): (keys >= num_sinks) → (distance >= num_sinks)
where: return too_far | (distance < 0) → return torch.where(distance < 0, True, too_far)
== ring-cache
all-kept-beside-it (named, behaviour, keeps 2): below num_tokens = end → self.history = [*getattr(self, "history", ()), (keys, values)]
modulo-of-the-piece (named, raised, values): [-self.window :] % self.window → [-self.window :] % keys.shape[2]
filled-one-short (named, shape, values): min(end, self.window) → min(end - 1, self.window)
remainder: [-self.window :] % self.window → [-self.window :].remainder(self.window)
== reach
sum-of-windows (named, values): body
    distance = torch.arange(num_tokens)[:, None] - torch.arange(num_tokens)
    return (distance >= 0) & (distance <= (num_tokens if 0 in windows else int(windows.sum())))
both-directions (named, values): return arrives.bool() → return (arrives + arrives.T).bool()
clamp: (visible.float() @ arrives > 0).float() → (visible.float() @ arrives).clamp(max=1)
== sink-attention
sink-per-token (named, values, raised): sinks.view(-1, 1, 1) → sinks.mean()
sink-masked-away (named, values, not finite): torch.cat((scores, sink), dim=-1) → torch.cat((scores, sink * -torch.inf), dim=-1)
pad: torch.cat((scores, sink), dim=-1) → torch.cat([scores, sinks[None, :, None, None].repeat(b, 1, num_tokens, 1)], -1)
== latent-attention
values-from-keys (named, values, raised): values = self.W_value(latents) → values = self.W_value(latents) * 0 + self.W_value(latents).mean()
rope-key-from-latent (named, parameters, raised, values): self.W_rope_key = nn.Linear(d_model, rope_dim, bias=False) → self.W_rope_key = nn.Linear(latent_dim, rope_dim, bias=False)
    self.W_rope_key(x) → self.W_rope_key(latents)
math-sqrt: (self.head_dim + self.rope_dim) ** 0.5 → math.sqrt(self.head_dim + self.rope_dim)
== absorbed-attention
key-after-key (named, behaviour, keeps 2): body
    parts = [torch.einsum("bhnd,hdl,bl->bhn", queries, W_key, latents[:, t]) for t in range(latents.shape[1])]
    scores = torch.stack(parts, -1) + rope_queries @ rope_keys[:, None].mT
    scores = scores / (queries.shape[-1] + rope_queries.shape[-1]) ** 0.5
    scores = scores.masked_fill(window_mask(*scores.shape[-2:], scores.shape[-1]), -torch.inf)
    return scores.softmax(-1) @ latents[:, None] @ W_value.mT
rope-part-twice (named, values): inside @ latents.mT + rope_queries @ rope_keys.mT → inside @ latents.mT + 2 * rope_queries @ rope_keys.mT
values-by-key-weights (named, raised, values, shape): W_value.mT → W_key.mT
transpose: latents.mT → latents.transpose(-1, -2)
== keys-as-values
mean-subtracted (named, values): (projected**2).mean(dim=-1, keepdim=True) → (projected - projected.mean(dim=-1, keepdim=True)).pow(2).mean(dim=-1, keepdim=True)
over-tokens (named, values): (projected**2).mean(dim=-1, keepdim=True) → (projected**2).mean(dim=-2, keepdim=True)
power: (projected**2).mean → projected.pow(2).mean
== kv-sources
one-too-few (named, values, raised): own = len(windows) - num_shared → own = len(windows) - num_shared - 1 if num_shared else len(windows)
all-read-the-last (named, values): layer if layer < own else last[window] → layer if layer < own else max(last.values())
first-found (named, values): else last[window] → else windows.index(window)
counted-back (named, values): else last[window] → else last[window] - len(windows)
only-shared-given (named, shape): enumerate(windows)]) → enumerate(windows) if layer >= own])
key-error (not refused): raise ValueError(" → raise KeyError("
while-loop: body
    own, sources = len(windows) - num_shared, []
    for layer, window in enumerate(windows):
        at = min(layer, own - 1)
        while layer >= own and at >= 0 and windows[at] != window:
            at -= 1
        if at < 0:
            raise ValueError(f"layer {layer} has nothing to read")
        sources.append(at)
    return torch.as_tensor(sources)
max-of-generator: else last[window] → else max(at for at in range(own) if windows[at] == window)
int32: enumerate(windows)]) → enumerate(windows)], dtype=torch.int32)
== sharing-layers
kept-is-read (named, values, not finite, raised, shape): read[layer] = both → read[layer] = both[..., -(window or both.shape[-2]) :, :]
shared-overwrite (named, values, raised): above new, num_tokens = → self.kept[source] = read[source][..., -queries.shape[-2] :, :]
full-for-shared (named, values): window or num_tokens → window * (source == layer) or num_tokens
values-first (named, values): (keys[layer], values[layer]) → tuple(stored[layer] for stored in (values, keys))
scaled-twice (named, values): attn_mask=~hidden → attn_mask=~hidden, scale=queries.shape[-1] ** -1.0
history-beside-it (named, behaviour): above new, num_tokens = → self.history = [*getattr(self, "history", []), keys]
clone: both[..., -window:, :] if window else both → (both[..., -window:, :] if window else both).clone()
additive-mask: attn_mask=~hidden → attn_mask=torch.zeros(hidden.shape).masked_fill(hidden, -torch.inf)
lists: contexts, read = [], {} → contexts, read = [], [None] * len(self.windows)
== chosen-keys
relu-of-queries (named, values): torch.relu(index_queries @ index_keys[:, None].mT) → torch.relu(index_queries) @ index_keys[:, None].mT
squared-weights (named, values): head_weights.mT[..., None] * by_head → head_weights.mT[..., None] ** 2 * by_head
clamp: torch.relu(index_queries @ index_keys[:, None].mT) → (index_queries @ index_keys[:, None].mT).clamp(min=0)
== compressed-keys
first-of-block (named, values, rule): return (weights * projected).sum(dim=2) → return projected[:, :, 0]
no-place (named, values): gates + position_bias → gates + position_bias.mean()
swapped-axes: (weights * projected).sum(dim=2) → (weights * projected).transpose(1, 2).sum(dim=1)
== rotate-part
half-of-it (named, values): x[..., :rope_dim], positions, base) → x[..., :rope_dim], positions / 2, base)
third-of-it (named, values): x[..., :rope_dim], positions, base) → x[..., :rope_dim], positions / 3, base)
concatenate: torch.cat((rotated, x[..., rope_dim:]), dim=-1) → torch.concatenate([rotated, x[..., rope_dim:]], dim=-1)
== stretched-frequencies
divided-by-root (named, values): frequencies / factor → frequencies / factor**0.5
ntk-on-linear (named, values): if method == "ntk": → if method == "linear":
reciprocal: frequencies / factor → frequencies * (1 / factor)
== bounded-scores
cap-on-queries (named, values): queries @ keys.mT / keys.shape[-1] ** 0.5 → queries.clamp(-1, 1) @ keys.mT / keys.shape[-1] ** 0.5
weight-added (named, values): + 1e-6) * query_weight → + 1e-6) + query_weight
sqrt: torch.sqrt((keys**2).mean(dim=-1, keepdim=True) + 1e-6) → ((keys**2).mean(dim=-1, keepdim=True) + 1e-6).sqrt()
== delta-rule
found-halved (named, values): values[:, :, t] - found → values[:, :, t] - found / 2
beta-squared (named, values): betas[:, :, t, None] * → betas[:, :, t, None] ** 2 *
keyword: contexts.append((query * memory).sum(dim=2)) → contexts += [(memory * query).sum(dim=-2)]
== fading-delta
faded-twice (named, values): memory * fades[:, :, t, None, None] → memory * fades[:, :, t, None, None] ** 2
found-not-weighted (named, values): betas[:, :, t, None] * (values[:, :, t] - found) → values[:, :, t] - found
keyword: contexts.append((query * memory).sum(dim=2)) → contexts += [(memory * query).sum(dim=-2)]
== delta-parallel
lower-scores-only (named, values): return (queries @ keys.mT).tril() @ changes → return (queries @ keys.mT).triu() @ changes
values-doubled (named, values): system, betas * values, upper=False → system, 2 * betas * values, upper=False
identity: torch.eye(keys.shape[2], dtype=keys.dtype) → torch.eye(keys.shape[2]).to(keys)
== packed-mod
prefix-by-query (named, values): & (key < prefixes[b]) → & (query < prefixes[b])
window-both-sides (named, values): (query >= key) & (query - key < window) → ((query - key).abs() < window)
nested: return same & (recent | prefix) → return (same & recent) | (same & prefix)
== plan-bytes
window-counted-once (named, values, keeps 1): min(num_tokens, layer["window"]) → 1
keys-counted-thrice (named, values, keeps 1): numbers += 2 * layer["groups"] * layer["head_dim"] * num_tokens → numbers += 3 * layer["groups"] * layer["head_dim"] * num_tokens
parts: (layer["latent_dim"] + layer["rope_dim"]) * num_tokens → layer["latent_dim"] * num_tokens + layer["rope_dim"] * num_tokens
""",
)
