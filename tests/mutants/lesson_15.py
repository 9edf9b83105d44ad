"""Answers to the capstone as learners type them: wrong ones with the findings they deserve, and right ones.

Few for each task; they differ from those of its `tasks.py`.
"""

from tests.mutants.answers import read

LESSON = "15-capstone"
TASKS = read(
    LESSON,
    r"""
== blank-attention
values-from-the-input (raised, shape, values, named): self.W_value(x).view → x.view
groups-by-tile (named, values): keys.repeat_interleave(sharing, dim=1) → torch.cat([keys] * sharing, dim=1)
    values.repeat_interleave(sharing, dim=1) → torch.cat([values] * sharing, dim=1)
cache-cut-to-one-less (named, behaviour, keeps 5): self.kept = keys[:, :, -self.window :], values[:, :, -self.window :] → self.kept = keys[:, :, -self.window + 2 :], values[:, :, -self.window + 2 :]
sink-added-to-scores (named, values): torch.softmax(torch.cat((scores, sinks), dim=-1), dim=-1)[..., :-1] → torch.softmax(scores + sinks, dim=-1)
lists:
    line self.kept = keys → self.kept = [part[:, :, -self.window :] for part in (keys, values)]
where: scores.masked_fill(hidden, -torch.inf) → torch.where(hidden, -torch.inf, scores)
== granite-attention
share-of-the-sum (named, values): torch.logsumexp(scores, dim=-1) - sinks[:, None] → scores.sum(dim=-1) - sinks[:, None]
scale-twice (values, named): (queries @ keys.mT * scale) → (queries * scale @ (keys * scale).mT)
einsum: queries @ keys.mT * scale → torch.einsum("bhqd,bhkd->bhqk", queries, keys) * scale
== port-granite
multiplier-inside (named, values): x = x + residual * attended → x = residual * (x + attended)
tied-transposed (raised, shape): table.T / config → table / config
window-as-typed (values, named, keeps 4): config["sliding_window"] if slides else 0 → 4 if slides else 0
chunked:
    for name, count in counts.items(): → for name in counts:↵    count = counts[name]
== bug-cohere-norm
correction-of-two (values, named): centred.pow(2).mean(dim=-1, keepdim=True) → centred.pow(2).sum(dim=-1, keepdim=True) / (x.shape[-1] + 2)
square: centred.pow(2) → (centred * centred)
== bug-neighbours
signs-of-first (values, named): (-x[..., 1::2], x[..., ::2]) → (-x[..., 1::2], -x[..., ::2])
repeated-by-hand: angles.repeat_interleave(2, dim=-1) → angles[:, torch.arange(2 * half) // 2]
== bug-cohere-attention
window-doubled (values, named): distance >= window → distance >= 2 * window
not-less: distance >= window → ~(distance < window)
== bug-cohere-heads
half-of-start (values, named): torch.arange(start, start + x.shape[1]) → torch.arange(start // 2, start // 2 + x.shape[1])
tensor: torch.arange(start, start + x.shape[1]) → torch.tensor(range(start, start + x.shape[1]))
== bug-cohere-logits
attention-twice (values, named): x = x + attended → x = x + 2 * attended
other-order: x = x + attended + (gate * up) @ state[f"{own}.mlp.down_proj.weight"].T → x = (gate * up) @ state[f"{own}.mlp.down_proj.weight"].T + attended + x
== algorithm-numbers
tiles-by-area (values, named, keeps 5): return T_r * T_c → return N**2 // (B_r * B_c)
ceil-by-math: T_r, T_c = -(-N // B_r), -(-N // B_c) → T_r, T_c = len(range(0, N, B_r)), len(range(0, N, B_c))
== flip-test
two-sided-half (values, named): return (sums >= → return 0.5 * (sums >=
compared-as-means: sums >= differences.sum() - 1e-6 → sums / count >= differences.mean() - 1e-6 / count
""",
)
