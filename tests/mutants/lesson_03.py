"""Answers to lesson 03 as learners type them: wrong ones with the findings they deserve, and right ones.

These are a hold-out: they were written from the lesson's text, without a look at the known answers in its
`tasks.py`, so that they show whether the checks hold for answers that nobody prepared for.
"""

from tests.mutants.answers import read

LESSON = "03-causal"
TASKS = read(
    LESSON,
    r"""
== causal-mask
past-hidden (named): = torch.tril(torch.ones(num_tokens, num_tokens), diagonal=-1).bool()
tril-without-diagonal-argument (named): = torch.tril(torch.ones(num_tokens, num_tokens)).bool()
tril-with-diagonal-one (named, values): = torch.tril(torch.ones(num_tokens, num_tokens), diagonal=1).bool()
not-turned-into-booleans (dtype, keeps 1): = torch.triu(torch.ones(num_tokens, num_tokens), diagonal=1)
integers (dtype, keeps 1): = torch.triu(torch.ones(num_tokens, num_tokens, dtype=torch.long), diagonal=1)
additive-mask-of-infinities (dtype):
    = torch.triu(torch.full((num_tokens, num_tokens), float("-inf")), diagonal=1)
zero-times-infinity (named, values):
    = (torch.triu(torch.ones(num_tokens, num_tokens), diagonal=1) * -torch.inf).bool()
numpy-array (type, keeps 1): above → import numpy as np
    line torch.ones … return → return np.triu(np.ones((num_tokens, num_tokens)), k=1).astype(bool)
six-tokens-always (named, shape): = torch.triu(torch.ones(6, 6), diagonal=1).bool()
takes-the-inputs (raised):
    line torch.ones … return → n = num_tokens.shape[0]↵return torch.triu(torch.ones(n, n), diagonal=1).bool()
ones-like-a-number (raised): = torch.triu(torch.ones_like(num_tokens), diagonal=1).bool()
zeros-for-ones (named, values): = torch.triu(torch.zeros(num_tokens, num_tokens), diagonal=1).bool()
loop-that-returns-too-soon (values): body
    mask = torch.zeros(num_tokens, num_tokens).bool()
    for i in range(num_tokens):
        mask[i, i + 1:] = True
        return mask
only-the-next-token (named): = torch.diag(torch.ones(num_tokens - 1), diagonal=1).bool()
everything-but-oneself (named): = ~torch.eye(num_tokens, dtype=torch.bool)
batch-axis-in-front (shape): = torch.triu(torch.ones(1, num_tokens, num_tokens), diagonal=1).bool()
bracket-missing (missing): = torch.triu(torch.ones(num_tokens, num_tokens), diagonal=1.bool()
    never: explore_causal_mask
row-of-zero-hidden-in-a-comparison (named): body
    positions = torch.arange(num_tokens)
    return positions[:, None] < positions[:, None].T - 1
greater-or-equal (named):
    line torch.ones … return → idx = torch.arange(num_tokens)↵return idx.unsqueeze(0) >= idx.unsqueeze(1)
sparse-tensor (type, keeps 1): = torch.triu(torch.ones(num_tokens, num_tokens), diagonal=1).bool().to_sparse()
tril-equals-zero: line def … return → def causal_mask(n):↵    return torch.tril(torch.ones(n, n)) == 0
list-comprehension: = torch.tensor([[j > i for j in range(num_tokens)] for i in range(num_tokens)])
indices: body
    mask = torch.full((num_tokens, num_tokens), False)
    rows, columns = torch.triu_indices(num_tokens, num_tokens, offset=1)
    mask[rows, columns] = True
    return mask
numpy-inside from numpy-array:
    line def … return → causal_mask = lambda n: torch.from_numpy(np.triu(np.ones((n, n), dtype=bool), k=1))
additive-mask-of-nn: = nn.Transformer.generate_square_subsequent_mask(num_tokens) == float("-inf")
cumulated-sum: = (torch.eye(num_tokens).cumsum(dim=1) - torch.eye(num_tokens)) > 0
cached-and-recursive: above def → import functools↵↵@functools.lru_cache(maxsize=None)
    line torch.ones … return →:
        if num_tokens == 1:
            return torch.zeros(1, 1, dtype=torch.bool)
        smaller = causal_mask(num_tokens - 1)
        bottom = torch.zeros(1, num_tokens - 1, dtype=torch.bool)
        right = torch.ones(num_tokens, 1, dtype=torch.bool)
        right[-1] = False
        return torch.cat([torch.cat([smaller, bottom]), right], dim=1)
meshgrid-and-more-arguments: def causal_mask(num_tokens, device=None, *, strict=True):
    i, j = torch.meshgrid(torch.arange(num_tokens), torch.arange(num_tokens), indexing="ij")
    return torch.where(j > i, True, False)
transposed-lower: = torch.ones(num_tokens, num_tokens).tril(-1).T.bool()
== mask-after-softmax
past-set-to-zero (named): = torch.triu(attn_weights)
diagonal-too (named): = torch.tril(attn_weights, diagonal=-1)
one-too-far (named): = torch.tril(attn_weights, diagonal=1)
mask-not-inverted (named): = attn_weights * causal_mask(6)
scores-instead-of-weights (named): cell
    mask_simple = torch.tril(torch.ones(context_length, context_length))
    masked_simple = attn_scores * mask_simple
matrix-product-with-the-mask (named, values) from scores-instead-of-weights: attn_scores * → attn_weights @
added-mask (named, rule): = attn_weights + torch.tril(torch.ones(6, 6))
masked-fill-underscore (rule, givens): = attn_weights.masked_fill_(causal_mask(6), 0.0)
result-discarded (named):
    line tril → masked_simple = attn_weights↵masked_simple.masked_fill(causal_mask(6), 0)
transposed (named, values): = torch.tril(attn_weights.T)
other-name (missing): line tril → mask_simple = torch.tril(attn_weights)
    says: mask_simple
small-weights-set-to-zero (rule): = torch.where(attn_weights < 0.16, 0.0, attn_weights)
softmax-of-masked-scores (named, values): cell
    masked = attn_scores.masked_fill(causal_mask(6), -torch.inf)
    masked_simple = torch.softmax(masked / d_k**0.5, dim=-1)
where: = torch.where(causal_mask(6), torch.tensor(0.0), attn_weights)
clone-and-index: line tril → masked_simple = attn_weights.clone()↵masked_simple[causal_mask(6)] = 0
clone-and-loops: cell
    masked_simple = torch.zeros_like(attn_weights)
    for i, row in enumerate(attn_weights):
        for j in range(i + 1):
            masked_simple[i, j] = row[j]
stacked-rows: cell
    import torch.nn.functional as F
    rows = [F.pad(attn_weights[i, : i + 1], (0, len(tokens) - i - 1)) for i in range(len(tokens))]
    masked_simple = torch.stack(rows)
float64: = attn_weights.double() * torch.tril(torch.ones(6, 6)).double()
minus-the-upper: = attn_weights - torch.triu(attn_weights, diagonal=1)
from-the-start: cell
    q, k = sa_v2.W_query(inputs), sa_v2.W_key(inputs)
    w = (q @ k.transpose(0, 1) / k.size(-1) ** 0.5).softmax(-1)
    mask_simple = torch.tril(torch.ones(w.shape))
    masked_simple = w * mask_simple
in-place-on-a-copy: = attn_weights.detach().clone().mul_(torch.ones_like(attn_weights).tril_())
helper: cell
    def zero_future(w: torch.Tensor) -> torch.Tensor:
        '''No look ahead.'''
        out = w.clone()
        out.masked_fill_(torch.ones_like(w, dtype=torch.bool).triu(1), 0.0)
        return out

    masked_simple = zero_future(attn_weights)
== renormalise
sum-over-columns-no-keepdim (named, values): dim=-1, keepdim=True → 0
no-keepdim-positive (named, values): dim=-1, keepdim=True → 1
softmax-over-the-queries (named, rule): = masked_simple.softmax(dim=0)
normalize-of-functional (named, rule): = torch.nn.functional.normalize(masked_simple, dim=-1)
mean-for-sum (named, rule): sum → mean
max-for-sum (named, values): = masked_simple / masked_simple.max(dim=-1, keepdim=True).values
number-of-tokens-in-the-past (named):
    line dim=-1 → counts = torch.arange(1, 7).view(-1, 1)↵masked_simple_norm = masked_simple / counts
raw-scores (named): = attn_scores.tril() / attn_scores.tril().sum(-1, keepdim=True)
masked-by-unmasked-sums (named, values): masked_simple. → attn_weights.
in-place (shape) from over-its-own-input:
    never: which is not right yet
    xfail: blames the earlier task, which was right until this cell wrote over it
    line masked_simple_norm → masked_simple_norm = masked_simple.sum(dim=-1)
dict-of-rows (type): = {t: row / row.sum() for t, row in zip(tokens, masked_simple)}
rounded (values): = (masked_simple / masked_simple.sum(-1, keepdim=True)).round(decimals=2)
unsqueeze: (dim=-1, keepdim=True) → (1).unsqueeze(1)
loops: cell
    masked_simple_norm = masked_simple.clone()
    for i in range(masked_simple.shape[0]):
        total = 0.0
        for j in range(masked_simple.shape[1]):
            total += masked_simple[i][j].item()
        masked_simple_norm[i] /= total
diagonal-matrix: = torch.diag(masked_simple.sum(dim=-1).reciprocal()) @ masked_simple
second-way: cell
    masked = attn_scores.masked_fill(causal_mask(context_length), float("-inf"))
    masked_simple_norm = torch.softmax(masked / d_k**0.5, dim=-1)
ones-times: = masked_simple / (masked_simple @ torch.ones(6, 1))
over-its-own-input:
    line dim=-1 → masked_simple /= masked_simple.sum(dim=-1, keepdim=True)↵masked_simple_norm = masked_simple
from-the-weights-in-float64: cell
    lower = attn_weights.double().tril()
    masked_simple_norm = lower / lower.sum(-1, keepdims=True)
== bug-raw-scores
absolute-values (named, values) from faulty: = scores → = scores.abs()
scaled-but-no-softmax (named, values) from faulty: above ones_like → scores = scores / d_k**0.5
precedence-of-the-root (named, values): d_k**0.5 → d_k ** 1/2
root-of-the-number-of-tokens (named, values): d_k**0.5 → scores.shape[-1] ** 0.5
keys-from-the-notebook (named, values): d_k**0.5 → keys.shape[-1] ** 0.5
scaled-after-the-softmax (named, values, keeps 1): (scores / d_k**0.5, dim=-1) → (scores, dim=-1) / d_k**0.5
softmax-over-minus-two (named) from faulty:
    line ones_like → weights = (scores / d_k**0.5).softmax(-2)↵masked = weights.tril()
not-divided-again (named): line ones_like … return → return weights * torch.tril(torch.ones_like(scores))
softmax-of-zeroed-scores (named) from faulty: line return → return torch.softmax(masked / d_k**0.5, dim=-1)
softmax-at-the-end (rule) from faulty: line return →:
    masked = masked / masked.sum(dim=-1, keepdim=True)
    return torch.softmax(masked / d_k**0.5, dim=-1)
diagonal-lost (named, not finite): line ones_like → masked = torch.tril(weights, diagonal=-1)
diagonal-lost-and-nan-hidden (named, rule) from diagonal-lost:
    line return → return torch.nan_to_num(masked / masked.sum(dim=-1, keepdim=True))
mask-of-six (raised): ones_like(scores → ones(context_length, context_length
answer-of-task-three (named, shape, values): = masked_simple_norm
scores-edited (rule, keeps 1): line softmax → scores /= d_k**0.5↵weights = torch.softmax(scores, dim=-1)
    never: Use `masked_fill`
softmax-without-axis (raised): , dim=-1 →
exponentials-of-masked-scores (named, rule) from faulty:
    line return → e = torch.exp(masked / d_k**0.5)↵return e / e.sum(dim=-1, keepdim=True)
exponentials-never-scaled (named, values) from faulty: = scores → = torch.exp(scores)
epsilon-in-the-sum (rule): line return → return masked / (masked.sum(dim=-1, keepdim=True) + 1e-2)
math-and-functional from lambdas: line from → import math↵import torch.nn.functional as F
    line torch … softmax →:
        def renormalised_weights(scores: torch.Tensor, d_k: int) -> torch.Tensor:
            weights = F.softmax(scores / math.sqrt(d_k), dim=1)
            weights = weights.masked_fill(causal_mask(scores.shape[0]), 0.0)
            return F.normalize(weights, p=1, dim=1)
loops-over-queries: body
    out = torch.zeros_like(scores)
    for i in range(scores.shape[0]):
        row = torch.softmax(scores[i] / d_k**0.5, dim=0)
        out[i, : i + 1] = row[: i + 1] / row[: i + 1].sum()
    return out
float64: body
    w = torch.softmax(scores.double() / d_k**0.5, -1).tril()
    return (w / w.sum(-1, keepdim=True)).to(scores.dtype)
own-softmax: body
    def softmax(rows):
        rows = rows - rows.max(dim=-1, keepdim=True).values
        return rows.exp() / rows.exp().sum(dim=-1, keepdim=True)

    masked = torch.where(torch.ones_like(scores).triu(1) == 1, 0.0, softmax(scores * d_k**-0.5))
    return torch.einsum("ij,i->ij", masked, masked.sum(-1).pow(-1))
module: cell
    class Renormalised(nn.Module):
        def __init__(self):
            super().__init__()
            self.softmax = nn.Softmax(dim=-1)

        def forward(self, scores, d_k):
            masked = torch.tril(self.softmax(scores / d_k**0.5))
            return masked / masked.sum(dim=-1).unsqueeze(-1)

    renormalised_weights = Renormalised()
lambdas: cell
    from functools import reduce

    steps = [torch.tril, lambda w: w / w.sum(dim=-1, keepdim=True)]
    renormalised_weights = lambda scores, d_k: reduce(
        lambda value, step: step(value), steps, (scores / d_k**0.5).softmax(dim=-1))
stack-of-rows: body
    probs = nn.functional.softmax(scores.clone().div_(d_k**0.5), dim=-1)
    rows = []
    for i, row in enumerate(probs):
        keep = torch.arange(len(row)) <= i
        row = row * keep
        rows.append(row / torch.sum(row))
    return torch.stack(rows)
transposed: body
    w = torch.softmax(scores.T / torch.sqrt(torch.tensor(d_k)), dim=0)
    w = torch.triu(w)
    return (w / w.sum(dim=0)).T
decorated: cell
    import functools

    def rows_to_one(function):
        @functools.wraps(function)
        def wrapped(*args, **kwargs):
            masked = function(*args, **kwargs)
            return masked / masked.sum(dim=-1, keepdim=True)
        return wrapped

    @rows_to_one
    def renormalised_weights(scores, d_k):
        return torch.softmax(scores / d_k**0.5, dim=-1).tril()
== mask-before-softmax
zeros-before-the-softmax (named) from divided-by-d-k: -torch.inf → 0
    d_k → d_k**0.5
mask-discarded (named) from times-the-root: masked = attn_scores → attn_scores
    masked * → attn_scores /
ones-subtracted (named, values) from past-hidden: line inf → masked = attn_scores - causal_mask(6).float()
past-hidden (named, not finite) from divided-by-d-k: causal_mask → ~causal_mask
    d_k → d_k**0.5
past-hidden-diagonal-kept (named) from diagonal-hidden:
    line bool() → mask = torch.tril(torch.ones(6, 6), diagonal=-1).bool()
diagonal-hidden (named, not finite) from positive-infinity:
    line inf → mask = torch.triu(torch.ones(6, 6)).bool()↵masked = attn_scores.masked_fill(mask, -torch.inf)
zero-times-infinity (named, not finite) from ones-subtracted:
    - causal_mask(6).float() → + torch.triu(torch.ones(6, 6), diagonal=1) * -torch.inf
scores-times-infinity (named, rule): cell
    mask = torch.where(causal_mask(6), -torch.inf, 1.0)
    causal_attn_weights = torch.softmax(attn_scores * mask * d_k**-0.5, dim=0)
positive-infinity (named, not finite) from zeros-before-the-softmax: , 0 → , torch.inf
softmax-forgotten (named, not finite): cell
    masked = attn_scores.masked_fill(causal_mask(6), -torch.inf)
    causal_attn_weights = masked / d_k**0.5
no-scaling (named) from scaled-after-the-softmax: ) / d_k**0.5 → )
divided-by-d-k (named) from no-scaling: masked, → masked / d_k,
times-the-root (named, values) from no-scaling: masked, → masked * d_k**0.5,
root-of-the-tokens (named, values) from divided-by-d-k: d_k → masked.shape[-1] ** 0.5
root-of-d-in (named, values) from divided-by-d-k: d_k → inputs.shape[-1] ** 0.5
scaled-after-the-softmax (named, values) from softmax-forgotten: = masked → = torch.softmax(masked, dim=-1)
queries-and-keys-swapped (named, values) from zeros-before-the-softmax:
    line attn_scores → scores = keys @ queries.T↵masked = scores.masked_fill(causal_mask(6), -torch.inf)
weights-masked-twice-softmaxed (named, values) from divided-by-d-k: attn_scores → attn_weights
    d_k → d_k**0.5
masked-after-the-softmax (named): cell
    weights = torch.softmax(attn_scores / d_k**0.5, dim=-1)
    causal_attn_weights = weights.masked_fill(causal_mask(6), 0)
infinity-after-the-softmax (named, not finite) from masked-after-the-softmax: , 0 → , -torch.inf
one-step-too-far (named, values): cell
    mask = torch.triu(torch.ones(6, 6), diagonal=2).bool()
    causal_attn_weights = torch.softmax(attn_scores.masked_fill(mask, -torch.inf) / d_k**0.5, -1)
not-low-enough (named, rule) from zeros-before-the-softmax: , 0 → , -10
typed-in (values, not computed): cell
    causal_attn_weights = torch.tensor([
        [1.0000, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000],
        [0.4833, 0.5167, 0.0000, 0.0000, 0.0000, 0.0000],
        [0.3190, 0.3408, 0.3402, 0.0000, 0.0000, 0.0000],
        [0.2445, 0.2545, 0.2542, 0.2468, 0.0000, 0.0000],
        [0.1994, 0.2060, 0.2058, 0.1935, 0.1953, 0.0000],
        [0.1624, 0.1709, 0.1706, 0.1654, 0.1625, 0.1682]])
finfo: cell
    masked = torch.where(causal_mask(6), torch.finfo(attn_scores.dtype).min, attn_scores)
    causal_attn_weights = (masked / d_k**0.5).softmax(-1)
additive-mask: cell
    bias = torch.triu(torch.full_like(attn_scores, float("-inf")), diagonal=1)
    causal_attn_weights = torch.softmax((attn_scores + bias) / d_k**0.5, dim=-1)
clone-and-index: cell
    masked = attn_scores.clone()
    masked[causal_mask(6)] = -torch.inf
    masked /= d_k**0.5
    causal_attn_weights = masked.exp() / masked.exp().sum(dim=-1, keepdim=True)
float64: cell
    s = (queries.double() @ keys.double().mT) / 2**0.5
    causal_attn_weights = torch.softmax(s.masked_fill(causal_mask(6), -torch.inf), dim=-1)
first-way: = renormalised_weights(attn_scores, d_k)
multiplied-by-one-minus-mask-with-big-number: cell
    m = torch.tril(torch.ones(6, 6))
    causal_attn_weights = torch.softmax((attn_scores * m - 1e10 * (1 - m)) / d_k**0.5, dim=-1)
nn-softmax-and-helper: cell
    class CausalSoftmax(nn.Module):
        def __init__(self, n):
            super().__init__()
            self.register_buffer("mask", torch.triu(torch.ones(n, n), diagonal=1))
            self.softmax = nn.Softmax(dim=-1)

        def forward(self, s):
            return self.softmax(s.masked_fill(self.mask.bool()[: len(s), : len(s)], -torch.inf))

    causal_attn_weights = CausalSoftmax(10)(attn_scores / d_k**0.5)
== bug-mask-from-values
only-the-mask-mended (named) from faulty: triu(scores → triu(torch.ones_like(scores)
in-place-fill-and-mask-from-values (named, rule, keeps 1) from faulty: masked_fill → masked_fill_
in-place-by-index (rule, keeps 1) from faulty:
    never: `masked_fill_` wrote
    line diagonal … inf → scores[causal_mask(len(scores))] = -torch.inf
zeros-nudged (values): line bool() → hidden = torch.triu(scores + 1e-3, diagonal=1) != 0
    -1) → -1) * 1.001
compared-with-tril (named, keeps 1): line bool() → hidden = torch.tril(scores) != scores
greater-than-zero (named, values): line bool() → hidden = torch.triu(scores, diagonal=1) > 0
diagonal-hidden-and-nan-wiped (rule): , diagonal=1 →
    line return → return torch.nan_to_num(torch.softmax(masked / d_k**0.5, dim=-1))
past-hidden (named, not finite): hidden = torch.triu → past = torch.tril
    , diagonal=1 →
    hidden, → past,
zeroed-after-the-softmax (named) from both-lines: line inf … return →:
    weights = torch.softmax(scores / d_k**0.5, dim=-1)
    return weights.masked_fill(hidden, 0)
raw-mask-then-zeros-wiped (rule, keeps 1): line bool() → hidden = torch.triu(scores, diagonal=1) != 0
    -1) → -1).tril()
scale-lost (named, keeps 1) from both-lines:
    line inf … return → return torch.softmax(scores.masked_fill(hidden, -torch.inf), dim=-1)
scaled-twice (named, values, keeps 1) from both-lines: above diagonal → scores = scores / d_k**0.5
softmax-over-queries (named, values) from both-lines: -1 → 0
mask-of-the-sentence (raised):
    = torch.softmax(scores.masked_fill(causal_mask(6), -torch.inf) / d_k**0.5, dim=-1)
answer-of-task-five (named, shape, values): = causal_attn_weights
multiplied-mask (named) from faulty:
    line diagonal … inf → scores = scores * torch.tril(torch.ones_like(scores))
zero-times-infinity (named, not finite) from faulty:
    line diagonal … inf → scores = scores + torch.triu(torch.ones_like(scores), diagonal=1) * float("-inf")
name-not-defined (raised) from faulty: triu(scores → triu(torch.ones_like(score)
    scores. → scores = scores.
one-step-too-far (named, values): 1).bool() → 2) != 0
both-lines from name-not-defined: (score) → (scores)
clone-then-underscore from faulty: line diagonal … inf →:
    hidden = torch.ones_like(scores, dtype=torch.bool).triu_(diagonal=1)
    scores = scores.clone()
    scores.masked_fill_(hidden, float("-inf"))
positions: body
    n = scores.size(-1)
    i = torch.arange(n).unsqueeze(1)
    j = torch.arange(n).unsqueeze(0)
    return torch.softmax(torch.where(j > i, -1e30, scores) / d_k**0.5, dim=1)
additive: def masked_weights(scores: torch.Tensor, d_k: int) -> torch.Tensor:
    bias = nn.Transformer.generate_square_subsequent_mask(len(scores))
    return nn.functional.softmax(scores * d_k**-0.5 + bias, dim=-1)
finfo: body
    lower = torch.ones_like(scores).tril().bool()
    scores = scores / d_k**0.5
    return scores.where(lower, torch.finfo(scores.dtype).min).softmax(dim=-1)
exponentials-by-hand: body
    keep = torch.tril(torch.ones_like(scores))
    s = (scores / d_k**0.5).masked_fill(keep == 0, -torch.inf)
    s = s - s.amax(dim=-1, keepdim=True)
    e = torch.exp(s)
    return e / e.sum(dim=-1, keepdim=True)
float64-and-numpy: above → import numpy as np
    line bool() … return →:
        s = scores.double().numpy() / np.sqrt(d_k)
        s = np.where(np.tri(*s.shape, dtype=bool), s, -np.inf)
        e = np.exp(s - s.max(axis=-1, keepdims=True))
        return torch.from_numpy(e / e.sum(axis=-1, keepdims=True)).float()
log-softmax: body
    masked = scores + torch.full_like(scores, -torch.inf).triu(1)
    return torch.log_softmax(masked.div(d_k**0.5), -1).exp()
== leak-detector
past-counted-too (named) from last-token-skipped: len(x) → x.shape[0]
    n - 1 → n
    j, → ,
    [:j] →
diagonal-counted (named) from past-counted-too: line return → return leaks.triu()
past-instead-of-future (named, values) from past-counted-too: line return → return leaks.tril(-1)
transposed (named) from last-token-skipped: n - 1 → n
    line abs() →:
        after = attention(changed)
        for i in range(j):
            leaks[j, i] = (after[i] - before[i]).abs().max() > 1e-5
caller-edited (named, values, rule) from transposed: .clone() →
    j, i → i, j
one-copy-for-all (named) from transposed: above for j → changed = x.clone()
    line clone →
    j, i → i, j
one-copy-taken-backwards (named, values) from one-copy-for-all: range(n) → reversed(range(n))
no-absolute-value (named) from transposed: j, i → i, j
    abs(). →
signed-sum (named, values) from all-for-any: abs() > 1e-5 → sum(dim=-1)
    .all(dim=-1)[:j] → [:j] > 1e-5
absolute-of-the-sum (named, values, keeps 2) from signed-sum: 1) → 1).abs()
all-for-any (named, values, keeps 2) from last-token-skipped: n - 1 → n
    line abs() → moved = (attention(changed) - before).abs() > 1e-5↵leaks[:j, j] = moved.all(dim=-1)[:j]
exactly-equal (named, keeps 2): line shape … zeros → n = len(x)
    line range → leaks = torch.zeros(n, n, dtype=torch.bool)↵for j in range(n):
    line changed[j … leaks[:j → changed[j] += 1↵leaks[:j, j] = (attention(changed) != before).any(dim=-1)[:j]
token-set-to-zero (named, values, keeps 2) from nested-any-without-axis: += 1 → = 0
    any() → any(dim=-1)[:j]
swapped-with-its-neighbour (named, values, keeps 2) from token-set-to-zero: 0 → x[(j + 1) % n]
sentence-cut-off (named, raised, values) from exactly-equal:
    never: Is a 6 written
    line range … leaks[:j →:
        for i in range(n):
            short = attention(x[: i + 1])
            if (short[i] - before[i]).abs().max() > 1e-5:
                leaks[i, i + 1:] = True
the-notebooks-inputs (named, raised, shape, values) from last-token-skipped:
    says: inputs
    line len(x) … clone →:
        leaks = torch.zeros(6, 6, dtype=torch.bool)
        before = attention(inputs)
        for j in range(6):
            changed = inputs.clone()
only-the-last-token (named, values, keeps 1) from one-copy-for-all: line attention(x) →
    line for j … leaks[i →:
        changed[-1] += 1
        moved = (attention(changed) - attention(x)).abs().amax(dim=-1)
        leaks[:-1, -1] = moved[:-1] > 1e-5
only-the-next-token (named, values) from exactly-equal: (n) → (1, n)
    line leaks[:j → leaks[j - 1, j] = (attention(changed)[j - 1] - before[j - 1]).abs().max() > 1e-5
last-token-skipped (named, values) from nested-any-without-axis: (n) → (n - 1)
    any() → any(dim=-1)[:j]
floats (dtype, keeps 2) from last-token-skipped: , dtype=torch.bool →
    n - 1 → n
    [:j] → [:j].float()
how-far-each-moved (dtype) from nested-any-without-axis: line len(x) →
    line zeros … range → columns = []↵for j in range(len(x)):
    leaks[:j, j] = ( → columns.append(
    () > 1e-5).any( → ().amax(dim=-1)
    return leaks → return torch.stack(columns, dim=1).triu(1)
pairs-of-places (shape, dtype) from two-loops: line shape →
    line zeros … for j → leaks = []↵for j in range(len(x)):
    [i, j] = True → .append((i, j))
    return leaks → return torch.tensor(leaks)
everything-true (named, values): = causal_mask(len(x))
nothing-leaks (named, values): = torch.zeros(len(x), len(x), dtype=torch.bool)
nested-any-without-axis (named, values) from exactly-equal:
    line leaks[:j → leaks[:j, j] = ((attention(changed) - before).abs() > 1e-5).any()
isclose-with-its-relative-tolerance (named, values, keeps 2) from all-for-any:
    moved = ( → close = torch.isclose(
    ) - before).abs() > 1e-5 → ), before, rtol=0.05, atol=1e-2)
    moved. → ~close.
two-loops from transposed: len(x) → x.shape[0]
    line leaks[j → if (after[i] - before[i]).abs().max() > 1e-5:↵    leaks[i, j] = True
with-the-causal-mask: body
    moved = torch.zeros(len(x), len(x))
    for j in range(len(x)):
        other = torch.cat([x[:j], x[j:j + 1] + 1, x[j + 1:]])
        moved[:, j] = (attention(other) - attention(x)).abs().max(dim=-1).values
    return (moved > 1e-5) & causal_mask(len(x))
identity-times-step from two-loops: line zeros … return →:
    after = torch.stack([attention(x + step[:, None]) for step in torch.eye(n)])
    moved = (after - before).abs().amax(dim=-1) > 1e-5  # (changed, output)
    return torch.logical_and(moved.T, torch.ones(n, n).triu(1).bool())
random-step: body
    n = len(x)
    with torch.no_grad():
        before = attention(x)
        leaks = torch.zeros((n, n), dtype=torch.bool)
        for j in range(n):
            changed = x.clone()
            changed[j] += 1 + torch.rand(x.shape[-1])
            far = (attention(changed) - before).norm(dim=-1)
            leaks[:, j] = far > 1e-5
    return leaks & (torch.arange(n)[None, :] > torch.arange(n)[:, None])
numpy-in-between from no-absolute-value: above → import copy↵import numpy as np
    line attention(x) … zeros → before = attention(x).detach().numpy()↵leaks = np.zeros((n, n), dtype=bool)
    x.clone( → copy.deepcopy(x
    (changed) → (changed).detach().numpy()
    j] = ( → j] = np.abs(
    return leaks → return torch.from_numpy(leaks)
while-loop: body
    tokens, d_in = x.shape
    reference = attention(x)
    result = torch.zeros(tokens, tokens) > 0
    j = tokens - 1
    while j > 0:
        perturbed = x.clone()
        perturbed[j, :] = perturbed[j, :] + 1.0
        delta = (attention(perturbed) - reference)[:j]
        result[:j, j] |= (delta > 1e-5).any(-1) | (delta < -1e-5).any(-1)
        j -= 1
    return result
== causal-attention-by-hand
fill-of-minus-ten-thousand (named, values, keeps 2): -torch.inf → -9000.0
masked-behind-the-softmax-and-renormalised (named, not finite, keeps 2): body
    weights = torch.softmax(queries @ keys.T / keys.shape[-1] ** 0.5, dim=-1).tril()
    return weights / weights.sum(dim=-1, keepdim=True) @ values
sdpa-without-causal (named): = torch.nn.functional.scaled_dot_product_attention(queries, keys, values)
sdpa-with-the-mask-the-wrong-way (named, not finite, values) from sdpa-without-scale:
    is_causal=True, scale=1.0) → attn_mask=causal_mask(len(queries)))
sdpa-without-scale (named): body
    return torch.nn.functional.scaled_dot_product_attention(
        queries, keys, values, is_causal=True, scale=1.0)
scaled-by-the-values (named, values, keeps 2) from divided-by-d-k: keys.shape[-1] → values.shape[-1] ** 0.5
scaled-by-the-tokens (named, values, keeps 1) from keys-not-transposed: @ keys → @ keys.T
    [-1 → [0
divided-by-d-k (named, values, keeps 1) from scaled-by-the-tokens: [0] ** 0.5 → [-1]
times-the-root (named, values, keeps 1) from scaled-by-the-values: / values → * keys
scaled-after-the-softmax (named, values) from times-the-root: scores * → scores, dim=-1) /
    , dim=-1) →
d-k-from-the-notebook (named, values, keeps 2) from divided-by-d-k: keys.shape[-1] → d_k**0.5
    says: `d_k`
weights-from-the-notebook (named, raised, values): = causal_attn_weights @ values
mask-of-six (raised, keeps 2) from diagonal-hidden:
    (len(queries), len(queries)) → (context_length, context_length), diagonal=1
queries-and-keys-swapped (named) from keys-not-transposed: queries @ keys → keys @ queries.T
softmax-over-minus-two (named) from scaled-by-the-tokens:
    line return → return (scores / keys.shape[-1] ** 0.5).softmax(-2) @ values
weights-transposed (named, values) from scaled-by-the-tokens:
    line return → weights = torch.softmax(scores / keys.shape[-1] ** 0.5, dim=-1)↵return weights.T @ values
weights-times-keys (named, shape) from values-elementwise: * values → @ keys
weights-times-inputs (raised, shape) from values-elementwise: * values → @ inputs
weights-returned (named, shape) from values-elementwise: ) * values → )
values-elementwise (raised, shape) from divided-by-d-k: ], dim=-1) @ → ] ** 0.5, dim=-1) *
zeros-for-infinity (named): body
    scores = (queries @ keys.T).tril()
    return torch.softmax(scores / keys.shape[-1] ** 0.5, dim=-1) @ values
zeroed-not-divided (named): body
    weights = torch.softmax(queries @ keys.T / keys.shape[-1] ** 0.5, dim=-1)
    return weights.tril() @ values
mask-added-as-ones (named) from queries-and-keys-swapped:
    line len → scores = queries @ keys.T + causal_mask(len(queries)).float()
mask-from-values (named, values, keeps 2) from batch-transpose-on-a-matrix: transpose(1, 2) → T
    causal_mask(len(queries)) → torch.triu(scores, diagonal=1) != 0
past-hidden (named) from diagonal-hidden: triu → tril
    ).bool → , diagonal=-1).bool
diagonal-hidden (named, not finite) from zeros-for-infinity: line keys.T →:
    mask = torch.triu(torch.ones(len(queries), len(queries))).bool()
    scores = (queries @ keys.T).masked_fill(mask, -torch.inf)
diagonal-hidden-nan-wiped (named, values) from diagonal-hidden: 1) → 1).nan_to_num()
raw-shares (named, values): body
    masked = (queries @ keys.T / keys.shape[-1] ** 0.5).tril()
    return masked / masked.sum(dim=-1, keepdim=True) @ values
dropout-too (named, values, rule) from weights-transposed: weights.T → nn.Dropout(0.5)(weights)
queries-scaled-in-place (rule, keeps 2) from weights-transposed:
    above keys.T → queries /= queries.shape[-1] ** 0.5
    line shape … return → return torch.softmax(scores, dim=-1) @ values
batch-transpose-on-a-matrix (raised) from queries-and-keys-swapped: line len →:
    scores = queries @ keys.transpose(1, 2)
    scores = scores.masked_fill(causal_mask(len(queries)), -torch.inf)
keys-not-transposed (raised) from zeros-for-infinity:
    .T).tril() → ).masked_fill(causal_mask(len(queries)), -torch.inf)
output-has-a-batch-axis (shape): body
    return torch.nn.functional.scaled_dot_product_attention(
        queries[None], keys[None], values[None], is_causal=True)
output-as-wide-as-the-keys (raised, shape, keeps 1): body
    n, d = keys.shape
    scores = (queries @ keys.T).masked_fill(causal_mask(n), -torch.inf)
    weights = torch.softmax(scores / d**0.5, dim=-1)
    out = torch.zeros(n, d)
    for i in range(n):
        for j in range(i + 1):
            out[i] += weights[i, j] * values[j]
    return out
cumulative-mean (named, values): body
    counts = torch.arange(1, len(values) + 1)[:, None]
    return values.cumsum(dim=0) / counts
zeroed-weights-from-the-notebook (named, values, keeps 2): = masked_weights(queries @ keys.T, 2) @ values
task-six: = masked_weights(queries @ keys.T, keys.shape[-1]) @ values
sdpa-with-a-mask-and-batch (costs 2): above → import torch.nn.functional as F
    line keys.T … return →:
        allowed = ~causal_mask(queries.shape[0])
        q, k, v = (t.unsqueeze(0).unsqueeze(0) for t in (queries, keys, values))
        return F.scaled_dot_product_attention(q, k, v, attn_mask=allowed).squeeze(0).squeeze(0)
einsum: def causal_attention(q, k, v):
    s = torch.einsum("id,jd->ij", q, k) / k.shape[-1] ** 0.5
    s = s + torch.triu(torch.full_like(s, -1e9), diagonal=1)
    return torch.einsum("ij,jd->id", s.softmax(dim=-1), v)
bmm: body
    q, k, v = queries[None], keys[None], values[None]
    s = torch.bmm(q, k.transpose(1, 2)).div(q.size(-1) ** 0.5)
    keep = torch.tril(torch.ones(s.shape[-2:]))
    s = s.masked_fill(keep == 0, float("-inf"))
    return torch.bmm(nn.Softmax(dim=-1)(s), v)[0]
multi-head-attention-module (costs 2): body
    d, v = queries.shape[-1], values.shape[-1]
    wide = max(d, v)
    pad = lambda t: nn.functional.pad(t, (0, wide - t.shape[-1]))
    mha = nn.MultiheadAttention(wide, 1, bias=False)
    eye = torch.eye(wide)
    with torch.no_grad():
        mha.in_proj_weight.copy_(torch.cat([eye * (wide / d) ** 0.5, eye, eye]))
        mha.out_proj.weight.copy_(eye)
        out, _ = mha(pad(queries), pad(keys), pad(values), attn_mask=causal_mask(len(queries)))
    return out[:, :v]
float64-and-loops: body
    n, d_v = len(queries), values.shape[1]
    context = torch.zeros(n, d_v, dtype=torch.float64)
    for i in range(n):
        s = [torch.dot(queries[i].double(), keys[j].double()) / keys.shape[1] ** 0.5 for j in range(i + 1)]
        e = [torch.exp(score - max(s)) for score in s]
        for j in range(i + 1):
            context[i] += e[j] / sum(e) * values[j].double()
    return context.to(values.dtype)
module-with-helpers:
    line def … return → class Causal(nn.Module):↵    @property↵    def scale(self):↵        return self.d_k ** -0.5↵↵    def weights(self, q, k):↵        self.d_k = q.shape[-1]↵        s = torch.matmul(q, k.transpose(-2, -1)) * self.scale↵        rows, columns = torch.triu_indices(len(q), len(k), 1)↵        s[rows, columns] = torch.finfo(s.dtype).min↵        return s.softmax(-1)↵↵    def forward(self, q, k, v):↵        return self.weights(q, k) @ v↵↵causal_attention = Causal()
scaled-queries-and-where:
    def causal_attention(queries: torch.Tensor, keys: torch.Tensor, values) -> torch.Tensor:
        '''Scale the queries, then mask.'''
        d_k = queries.shape[-1]
        scores = (queries * d_k**-0.5) @ keys.mT
        i = torch.arange(len(queries))
        scores = torch.where(i[:, None] >= i[None, :], scores, -torch.inf)
        return torch.exp(scores - scores.logsumexp(dim=-1, keepdim=True)) @ values
""",
)
