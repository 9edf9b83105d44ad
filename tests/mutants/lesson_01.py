"""Answers to lesson 01 as learners type them: wrong ones with the findings they deserve, and right ones.

These are a hold-out: they were written from the lesson's text, without a look at the known answers in its
`tasks.py`, so that they show whether the checks hold for answers that nobody prepared for.
"""

from tests.mutants.answers import read

LESSON = "01-dot-product"
TASKS = read(
    LESSON,
    r"""
== dot-product
three-components-spelled-out (named, keeps 1): = a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
return-inside-the-loop (named) from numpy-without-axes:
    line return → res = 0.↵for idx, element in enumerate(a):↵    res += element * b[idx]↵    return res
stops-one-short (named): 0.0 → torch.tensor(0.0)
    (a) → (a) - 1
counts-from-one (named):
    line total = 0.0 … return → s = 0↵for i in range(1, len(a)):↵    s += a[i] * b[i]↵return s
equals-plus (named): line total = 0.0 … a[i → total = 0↵for x, y in zip(a, b):↵    total =+ x * y
adds-instead-of-multiplying (named) from equals-plus: =+ x * → += x +
first-vector-with-itself (named): total = 0.0 → out = 0
    total = total + a[i] * b → out += a[i] * a
    return total → return out
squared-distance (named, values): = ((a - b) ** 2).sum()
cosine-similarity (named): = torch.nn.functional.cosine_similarity(a, b, dim=0)
mean-of-the-products (named): = (a * b).mean()
reads-the-notebook-variables (named, values):
    says: `input_query` and `input_1` from the notebook
    total = 0.0 → res = 0.0
    (a) → (input_query)
    total = total + a[i] * b → res += input_query[i] * input_1
    return total → return res
rounds-to-an-int (values): = int(sum(a * b))
    never: filled in
length-of-the-sentence (raised):
    never: same answer whatever
    0.0 → 0
    (a) → (inputs)
    = total + → +=
length-of-the-example (named, values, keeps 1) from length-of-the-sentence: above → d_in = 3
    len(inputs) → d_in
edits-its-argument (rule, keeps 1): line total = 0.0 … return → a *= b↵return a.sum()
takes-one-matrix (raised): line def … return → def dot(x):↵    return x[0] @ x[1]
comma-makes-a-tuple (type, keeps 1) from equals-plus: =+ x → += x
    return total → return total,
called-otherwise (missing) from generator-sum:
    says: `dot_product`
    dot(u, v → dot_product(a, b
    u, v)) → a, b))
a-number-not-a-function (no function):
    line def … return → dot = 0↵for i in range(3):↵    dot += inputs[1][i] * inputs[0][i]
method-without-its-call (type): = a.dot
    says: CALL_IT
zip-and-a-float: line for … a[i → for x, y in zip(a, b):↵    total += x.item() * y.item()
generator-sum: line def … return → def dot(u, v):↵    return sum(x * y for x, y in zip(u, v))
lambda: line def … return → dot = lambda a, b: (a * b).sum()
numpy-scalar: above → import numpy as np
    line total = 0.0 … return → return np.dot(a.numpy(), b.numpy())
numpy-without-axes: = (a * b).sum().numpy()
while-and-in-place from stops-one-short:
    line torch … a[i → total = torch.zeros(())↵i = 0↵while i < a.numel():↵    total += a[i] * b[i]↵    i += 1
recursion: line total = 0.0 … return → if len(a) == 0:↵    return 0.0↵return a[0] * b[0] + dot(a[1:], b[1:])
fsum: above → import math
    line total = 0.0 … return → return math.fsum(map(lambda x, y: float(x) * float(y), a, b))
parameter-that-wants-a-gradient: (a, b) → (a: torch.Tensor, b: torch.Tensor) -> torch.Tensor
    0.0 → torch.nn.Parameter(torch.tensor(0.0))
    (a) → (b)
    line return → return torch.nn.Parameter(total)
object-that-is-called from numpy-scalar:
    line import → class Dot:↵    def __call__(self, a, b):↵        return torch.nn.functional.linear(a, b)
    line def … return → dot = Dot()
row-times-column from numpy-without-axes:
    line return → out = torch.empty(1, 1)↵torch.mm(a.view(1, -1), b.view(-1, 1), out=out)↵return out[0, 0]
== query-scores
first-token-as-query (named): line inputs[1 … dot → query = inputs[0]↵attn_scores_2 = inputs @ query
list-of-floats (type): line torch … dot → attn_scores_2 = [dot(query, x).item() for x in inputs]
products-not-added (named, shape):
    line inputs[1 … dot → query = inputs[1]  # (d_in,)↵attn_scores_2 = inputs * query
added-along-the-wrong-axis (named, shape):
    line inputs[1 … dot → query = inputs[1]  # (d_in,)↵attn_scores_2 = (inputs * query).sum(dim=0)
mean-instead-of-sum (named, values): line torch … dot → attn_scores_2 = (inputs * query).mean(dim=1)
overwritten-in-the-loop (named): line torch … dot → for x in inputs:↵    attn_scores_2 = torch.dot(x, query)
result-never-stored (named, values): line dot → torch.dot(x_i, query)
own-score-zero (named, values) from out-buffer:
    line torch.mv → for i in range(6):↵    if i != 1:↵        attn_scores_2[i] = dot(query, inputs[i])
counts-from-one (named, values) from out-buffer:
    line torch.mv → for i in range(1, 6):↵    attn_scores_2[i] = query @ inputs[i]
stops-one-short (named, values) from counts-from-one: 1, 6 → len(inputs) - 1
a-column (shape): line torch … dot → attn_scores_2 = inputs @ query.unsqueeze(1)
scores-of-every-query (named, shape): line torch … dot → attn_scores_2 = inputs @ inputs.T
softmax-as-well (named, values): line torch … dot → attn_scores_2 = torch.softmax(inputs @ query, dim=0)
scaled (named, values): line torch … dot → attn_scores_2 = inputs @ query / 3 ** 0.5
cosine-similarity (named, values):
    line torch … dot → attn_scores_2 = torch.cosine_similarity(inputs, query[None], dim=1)
each-token-with-itself (named, values):
    line torch … dot → attn_scores_2 = torch.stack([dot(x, x) for x in inputs])
query-on-the-left (missing): line torch … dot → attn_scores_2 = query @ inputs
    says: error
sorted (values): line torch … dot → attn_scores_2, order = (inputs @ query).sort(descending=True)
loop-into-empty: zeros → empty
    dot(query, x_i → torch.dot(x_i, query
stacked-list: line torch … dot →:
    scores = []
    for x in inputs:
        scores.append(dot(x, query))
    attn_scores_2 = torch.stack(scores)
list-of-dots: = torch.tensor([dot(inputs[1], x) for x in inputs])
sum-over-the-last-axis: = (inputs * inputs[1]).sum(-1)
out-buffer: line torch … dot → attn_scores_2 = torch.zeros(6)↵torch.mv(inputs, query, out=attn_scores_2)
squeezed-row: = (inputs[1:2] @ inputs.T).squeeze()
float64-through-numpy: above inputs[1 → import numpy as np
    line torch … dot → attn_scores_2 = torch.from_numpy(np.array([float(dot(query, x)) for x in inputs]))
parameter: line torch … dot → attn_scores_2 = torch.nn.Parameter(inputs @ query)
with-gradients from list-of-dots:
    line torch → tracked = inputs.clone().requires_grad_()↵query = tracked[1]↵attn_scores_2 = tracked @ query
linear-layer:
    line torch … dot → attn_scores_2 = torch.nn.functional.linear(inputs, query.unsqueeze(0)).flatten()
built-by-concatenation from accumulates-over-dimensions: zeros(6 → tensor([]
    d in range(3) → token in inputs
    += inputs[:, d] * query[d] → = torch.cat([attn_scores_2, torch.dot(token, query).reshape(1)])
vmap: line torch … dot → attn_scores_2 = torch.vmap(lambda x: x @ query)(inputs)
accumulates-over-dimensions from out-buffer:
    line torch.mv → for d in range(3):↵    attn_scores_2 += inputs[:, d] * query[d]
== softmax-naive
divides-by-the-sum (named): = x / x.sum()
only-the-exponential (named, rule): = torch.exp(x)
exponential-above-only (named, rule): = torch.exp(x) / x.sum()
exponential-below-only (named, rule): = x / torch.exp(x).sum()
exponential-of-the-sum (named): = torch.exp(x) / torch.exp(x.sum())
powers-of-two (named, values): = 2**x / (2**x).sum()
e-cut-off (values):
    never: same answer whatever
    above def → e = 2.7
    line torch … return → return e**x / (e**x).sum()
sign-flipped (named): = torch.exp(-x) / torch.exp(-x).sum()
logarithm-kept (named, rule): = torch.log_softmax(x, dim=0)
exponential-in-place (rule, keeps 1): line torch … return → x.exp_()↵return x / x.sum()
reads-the-notebook-scores (named): = torch.exp(attn_scores_2) / torch.exp(attn_scores_2).sum()
    says: NOT_ITS_ARGUMENT
sums-the-notebook-scores (rule): = torch.exp(x) / sum(torch.exp(attn_scores_2))
    says: NOT_ITS_ARGUMENT
hat-for-a-power (raised):
    never: still waiting
    above → import math
    line torch … return → return math.e^x / (math.e^x).sum()
divides-by-the-mean (named, rule): = torch.exp(x) / torch.exp(x).mean()
divides-by-the-largest (named, rule): = torch.exp(x) / torch.exp(x).max()
negative-scores-cut-off (values, keeps 1) from sum-subtracted: x - x.sum( → torch.relu(x
twice (named, values): = x.softmax(0).softmax(0)
rounded (named, values): = torch.round(torch.softmax(x, 0), decimals=4)
    never: SAME_DIGITS
copied-with-four-decimals (named, values): = torch.tensor([0.1385, 0.2379, 0.2333, 0.1240, 0.1082, 0.1581])
    never: SAME_DIGITS
an-axis-too-many (shape): = torch.softmax(x[None], dim=-1)
module-not-applied (type): = torch.nn.Softmax(dim=0)
torch-softmax (costs 2): = torch.softmax(x, dim=0)
a-module-instance (costs 2): line def … return → softmax_naive = torch.nn.Softmax(dim=-1)
loop-over-floats from hat-for-a-power: def softmax_naive(scores):
    total = 0
    for s in scores:
        total += math.exp(s)
    return torch.tensor([math.exp(s) / total for s in scores])
in-place-on-a-copy: line torch … return → e = x.clone()↵e.exp_()↵e /= e.sum()↵return e
sum-subtracted: line torch … return → e = torch.exp(x - x.sum())↵return e / e.sum()
logsumexp: = torch.exp(x - torch.logsumexp(x, dim=0))
numpy-and-back: above → import numpy as np
    line torch … return → e = np.exp(x.detach().numpy())↵return torch.from_numpy(e / e.sum())
pairwise: = 1 / torch.exp(x[None, :] - x[:, None]).sum(dim=1)
log-softmax-undone (costs 2): = x.log_softmax(-1).exp()
gradient-and-parameter (costs 2): exponentials = torch.exp → x = torch.nn.Parameter
    exponentials / exponentials.sum() → torch.nn.Parameter(torch.nn.functional.softmax(x, dim=-1))
out-buffer-and-helper from numpy-and-back:
    line import → def exponentials(x):↵    out = torch.empty_like(x)↵    torch.exp(x, out=out)↵    return out
    line def … return → def softmax_naive(x, eps=0.0):↵    e = exponentials(x)↵    return e / (e.sum() + eps)
categorical (costs 2): = torch.distributions.Categorical(logits=x).probs
a-strided-view:
    line torch … return → both = torch.stack([x, torch.exp(x) / torch.exp(x).sum()], dim=1)↵return both[:, 1]
== softmax-stable
mean-subtracted (named, not finite, keeps 2) from shifts-its-argument: -= x.max → = x - x.mean
    never: are 1 others
smallest-subtracted (named, keeps 1): line x.max … return → e = torch.exp(x - x.min())↵return e / e.sum()
largest-magnitude-subtracted (named, keeps 1) from argmax-subtracted: argmax() → abs().max()
largest-added (named): line x.max … return → e = torch.exp(x + x.max())↵return e / e.sum()
subtracted-above-only (named, rule): = torch.exp(x - x.max()) / torch.exp(x).sum()
subtracted-after-exp (named, values): line x.max … return → e = torch.exp(x) - x.max()↵return e / e.sum()
largest-exponential-subtracted (named, values, rule):
    never: filled in
    line x.max … return → e = torch.exp(x)↵e = e - e.max()↵return e / e.sum()
divided-by-the-largest (named): line x.max … return → z = x / x.max()↵return torch.exp(z) / torch.exp(z).sum()
clamped (named, values, keeps 1) from smallest-subtracted: x - x.min( → torch.clamp(x, -80, 80
nan-painted-over (named, rule, keeps 1):
    line x.max … return → e = torch.exp(x)↵return torch.nan_to_num(e / e.sum())
epsilon-below (named): line x.max … return → e = torch.exp(x)↵return e / (e.sum() + 1e-9)
forgets-to-divide (named, rule): = torch.exp(x - x.max())
logarithm-kept (named, rule): = x - torch.logsumexp(x, 0)
shifts-its-argument (rule, keeps 2):
    line x.max … return → x -= x.max()↵return torch.exp(x) / torch.exp(x).sum()
max-with-an-axis-is-a-pair (raised) from shifts-its-argument: -= x.max( → = x - x.max(dim=0
argmax-subtracted (named, not finite, keeps 1):
    says: largest score of `x`
    never: naive softmax
    line x.max … return → z = x - x.argmax()↵return z.exp() / z.exp().sum()
only-when-positive-and-large (named, not finite, keeps 2):
    never: absolute value
    line x.max … return → if x.max() > 88:↵    x = x - x.max()↵return torch.exp(x) / torch.exp(x).sum()
normalised-by-sum (named, values): line x.max … return → x = x - x.max()↵return x / x.sum()
    never: filled in
hot-one (named, values): line x.max … return → out = torch.zeros_like(x)↵out[x.argmax()] = 1.0↵return out
torch-softmax (costs 3): = torch.softmax(x, dim=0)
naive-on-shifted-scores: = softmax_naive(x - x.max())
largest-found-by-a-loop: cell
    import math

    def largest(values):
        best = values[0]
        for value in values:
            if value > best:
                best = value
        return best

    def softmax_stable(x):
        m = largest(x)
        exps = [math.exp(v - m) for v in x]
        return torch.tensor([e / sum(exps) for e in exps])
pairwise: = 1 / torch.exp(x.unsqueeze(0) - x.unsqueeze(1)).sum(1)
in-place-on-a-copy: body
    out = torch.empty_like(x)
    torch.sub(x, torch.max(x), out=out)
    out.exp_().div_(out.sum())
    return out
numpy-in-float64: above → import numpy as np
    line x.max … return →:
        z = np.asarray(x, dtype=np.float64)
        e = np.exp(z - np.max(z))
        return torch.tensor(e / e.sum())
sorted-largest: = softmax_naive(x - sorted(x)[-1])
a-module (costs 3): cell
    class Stable(torch.nn.Module):
        def forward(self, x):
            return torch.nn.functional.softmax(x, -1, dtype=torch.float64)

    softmax_stable = Stable()
gradients from smallest-subtracted:
    line torch → x = x.clone().requires_grad_(True)↵e = torch.exp(x - x.detach().max())
== context-vector
plain-mean (named): = inputs.mean(dim=0)
tempting-weights (named): = attn_weights_2_tmp @ inputs
scores-for-weights (named): = attn_scores_2 @ inputs
not-added (named, shape): = attn_weights_2.unsqueeze(1) * inputs
added-along-the-wrong-axis (named, shape): = (attn_weights_2[:, None] * inputs).sum(dim=1)
added-along-both (shape): = (attn_weights_2[:, None] * inputs).sum()
mean-of-the-weighted (named): = (attn_weights_2[:, None] * inputs).mean(0)
overwritten-in-the-loop (named):
    line torch … i] * x_i → for i, x in enumerate(inputs):↵    context_vec_2 = attn_weights_2[i] * x
starts-from-ones (named, values): zeros(inputs.shape[1] → ones(3
    i, x_i in enumerate(inputs → w, x in zip(attn_weights_2, inputs
    attn_weights_2[i] * x_i → w * x
stops-one-short (named, values): inputs.shape[1] → 3
    i, x_i in enumerate(inputs → i in range(5
    * x_i → * inputs[i]
starts-from-the-query-itself (givens) from stops-one-short:
    says: clone|copy
    torch.zeros(3) → query
    5 → 6
starts-from-a-copy-of-the-query (named, values) from starts-from-the-query-itself: query → query.clone()
its-own-share-only (named, values): = attn_weights_2[1] * inputs[1]
the-likeliest-token (named, values): = inputs[attn_weights_2.argmax()]
    never: Every weight was multiplied with the query, so
vector-of-six (shape): 1 → 0
an-axis-too-many (shape): = attn_weights_2[None] @ inputs
copied-with-four-decimals (values): = torch.tensor([0.4419, 0.6515, 0.5683])
    never: SAME_DIGITS
builtin-sum: = sum(w * x for w, x in zip(attn_weights_2, inputs))
broadcast-and-sum: = (attn_weights_2.reshape(-1, 1) * inputs).sum(dim=0)
squeezed: = torch.matmul(attn_weights_2[None], inputs).squeeze()
float64: = attn_weights_2.double() @ inputs.double()
functional-linear: = torch.nn.functional.linear(attn_weights_2, inputs.t())
numpy-average: cell
    import numpy as np
    mean = np.average(inputs.numpy(), axis=0, weights=attn_weights_2.numpy())
    context_vec_2 = torch.from_numpy(mean)
fused-attention: cell
    from torch.nn.functional import scaled_dot_product_attention
    context_vec_2 = scaled_dot_product_attention(query[None], inputs, inputs, scale=1.0)[0]
out-and-parameter: cell
    out = torch.empty(3)
    torch.mv(inputs.T, attn_weights_2, out=out)
    context_vec_2 = torch.nn.Parameter(out)
row-of-an-expanded-tensor: = (attn_weights_2 @ inputs).expand(4, 3)[2]
tensordot: = torch.tensordot(attn_weights_2, inputs, dims=1)
== scores-loops
six-tokens-always (raised, keeps 1): line shape … scores[i →:
    scores = torch.empty(6, 6)
    for i in range(6):
        for j in range(6):
            scores[i, j] = torch.dot(x[i], x[j])
loops-over-inputs (named) from six-tokens-always:
    says: NOT_ITS_ARGUMENT
    i in range(6 → i, x_i in enumerate(inputs
    j in range(6 → j, x_j in enumerate(inputs
    x[i], x[j] → x_i, x_j
inner-loop-over-inputs (named) from same-index-twice:
    says: NOT_ITS_ARGUMENT
    line scores[i → scores[i][j] = dot(x[i], inputs[j])
three-components (named, values, keeps 1) from upper-half-only: x.shape[0] → len(x)
    line for j … scores[i →:
        for j in range(n):
            for d in range(3):
                scores[i, j] += x[i, d] * x[j, d]
dot-of-single-numbers (raised) from same-index-twice:
    says: call of `dot`
    line scores[i → for d in range(x.shape[1]):↵    scores[i, j] += dot(x[i, d], x[j, d])
diagonal-only (named, values) from stops-one-short:
    line for i … scores[i → for i in range(len(x)):↵    scores[i, i] = torch.dot(x[i], x[i])
upper-half-only (named, rule): num_tokens = → n =
    num_tokens, num_tokens → n, n
    i in range(num_tokens → i in range(n
    j in range(num_tokens → j in range(i, n
row-overwritten (named) from returns-the-last-score:
    line for x_i → scores = torch.empty(len(x), len(x))↵for i, x_i in enumerate(x):
    scores = → scores[i] =
return-inside-the-outer-loop (named, rule) from diagonal-only:
    line scores[i … return → for j in range(len(x)):↵    scores[i, j] = torch.dot(x[i], x[j])↵return scores
one-long-row (shape): body
    result = []
    for a in x:
        for b in x:
            result.append(dot(a, b))
    return torch.stack(result)
stops-one-short (named, values): line shape … for j →:
    scores = torch.zeros(len(x), len(x))
    for i in range(len(x) - 1):
        for j in range(len(x) - 1):
same-index-twice (named, rule) from diagonal-only:
    line scores[i → for j in range(len(x)):↵    scores[i, j] = dot(x[i], x[i])
whole-numbers (dtype): line shape … for j →:
    scores = torch.zeros((len(x), len(x)), dtype=torch.int64)
    for i in range(len(x)):
        for j in range(len(x)):
returns-the-last-score (shape):
    line shape … scores[i → for x_i in x:↵    for x_j in x:↵        scores = torch.dot(x_i, x_j)
one-query-only (raised, shape): = torch.stack([dot(x[1], x_j) for x_j in x])
gram-of-dimensions (named, shape): = x.T @ x
scaled (named, values): = x @ x.T / x.shape[1] ** 0.5
unit-vectors (named, values): line shape … return → x = x / x.norm(dim=1, keepdim=True)↵return x @ x.T
no-argument (raised): line def … return → def scores_with_loops():↵    return inputs @ inputs.T
softmax-as-well (named, rule): = torch.softmax(x @ x.T, dim=1)
nested-list-made-a-tensor: = torch.tensor([[dot(a, b) for b in x] for a in x])
nested-stacks: cell
    scores_with_loops = lambda x: torch.stack([torch.stack([dot(a, b) for b in x]) for a in x])
half-and-mirrored: body
    n = len(x)
    out = torch.zeros((n, n), dtype=x.dtype)
    for i in range(n):
        for j in range(i + 1):
            out[i, j] = out[j, i] = dot(x[i], x[j])
    return out
float64: line shape … return → x = x.double()↵return torch.inner(x, x)
numpy-and-back: above → import numpy as np
    line shape … return → a = x.numpy()↵return torch.from_numpy(np.tensordot(a, a, axes=(1, 1)))
column-by-column-turned: body
    columns = []
    for key in x:
        columns.append([float(dot(query, key)) for query in x])
    return torch.tensor(columns).T
vmap-twice: cell
    scores_with_loops = lambda x: torch.vmap(lambda a: torch.vmap(lambda b: a @ b)(x))(x)
filled-flat-and-viewed: above → from itertools import product
    line shape … return →:
        flat = torch.empty(len(x) ** 2)
        for k, (a, b) in enumerate(product(x, repeat=2)):
            flat[k] = a @ b
        return torch.nn.Parameter(flat.view(len(x), -1))
== all-scores
renamed-scores-of-one (shape): = attn_scores_2
scaled (named): T → T / inputs.shape[1] ** 0.5
scaled-by-d (named, values): T → T / 3
itself-left-out (values): below inputs.T → attn_scores.fill_diagonal_(0)
only-lengths (named, values): = torch.diag((inputs * inputs).sum(1))
unit-vectors (named, values):
    line inputs.T → unit = torch.nn.functional.normalize(inputs, dim=1)↵attn_scores = unit @ unit.T
centred (values): line inputs.T → c = inputs - inputs.mean(0)↵attn_scores = c @ c.T
as-a-batch (shape): = (inputs @ inputs.T).unsqueeze(0)
function-not-called (type): = scores_with_loops
    says: CALL_IT
numpy-array (type): = inputs.numpy() @ inputs.numpy().T
reversed (values, rule): T → flip(0).T
broadcasting: = (inputs.unsqueeze(1) * inputs.unsqueeze(0)).sum(dim=2)
functional-linear: line inputs.T → import torch.nn.functional as F↵attn_scores = F.linear(inputs, inputs)
float64: = inputs.double() @ inputs.double().mT
out: line inputs.T → attn_scores = torch.empty(6, 6)↵torch.mm(inputs, inputs.T, out=attn_scores)
batched: = torch.bmm(inputs[None], inputs.T[None])[0]
turned-view: = torch.stack([inputs @ x for x in inputs]).T
parameter: = torch.nn.Parameter(inputs @ inputs.T)
numpy-and-back: line inputs.T → import numpy as np↵attn_scores = torch.tensor(np.inner(inputs, inputs))
tokens-track-gradients: above inputs.T → inputs.requires_grad_(True)
outer-products: = sum(torch.outer(c, c) for c in inputs.T)
== all-weights
own-stable-on-the-square (named): = softmax_stable(attn_scores)
sums-without-keepdim (named): line torch → e = attn_scores.exp()↵attn_weights = e / e.sum(dim=1)
    says: keepdim
tempting-way (named): = attn_scores / attn_scores.sum(dim=1, keepdim=True)
scaled (named): attn_scores → attn_scores / 3**0.5
ones-of-journey (shape): = attn_weights_2
twice (named, values): = attn_scores.softmax(-1).softmax(-1)
both-ways (named, values): = attn_scores.softmax(0).softmax(1)
columns-after-rows (named, values, rule): = attn_scores.softmax(1).softmax(0)
    never: adds up to 1\.000
left-as-a-batch (shape): , dim → [None], dim
rounded (values): dim=-1) → -1).round(decimals=3)
rows-stacked: = torch.stack([softmax_stable(row) for row in attn_scores])
module: line torch → softmax = torch.nn.Softmax(dim=-1)↵attn_weights = softmax(attn_scores)
float64: = attn_scores.double().softmax(-1)
logsumexp: = (attn_scores - attn_scores.logsumexp(dim=1, keepdim=True)).exp()
filled-row-by-row: cell
    attn_weights = torch.empty_like(attn_scores)
    for i in range(attn_scores.shape[0]):
        attn_weights[i, :] = softmax_naive(attn_scores[i, :])
vmap: = torch.vmap(softmax_naive)(attn_scores)
over-a-batch: , dim=-1) → [None], dim=2).squeeze(0)
parameter: = torch.nn.Parameter(torch.softmax(inputs @ inputs.T, dim=1))
numpy-and-back: cell
    import numpy as np
    s = attn_scores.numpy()
    e = np.exp(s - s.max(axis=1, keepdims=True))
    attn_weights = torch.from_numpy(e / e.sum(axis=1)[:, None])
in-place-out: line torch → attn_weights = attn_scores.clone()↵torch.softmax(attn_scores, -1, out=attn_weights)
== all-contexts
plain-mean-for-all (named, values): = inputs.mean(0).expand(6, 3)
same-context-for-all (named, values): = context_vec_2.repeat(6, 1)
result-turned (shape): = (attn_weights @ inputs).T
softmax-down-the-columns (named): = attn_scores.softmax(0) @ inputs
divided-again (named, values): inputs → inputs / 6
own-vector-weighed (named, values):
    never: Multiply the weights with them
    cell
        all_context_vecs = torch.zeros(6, 3)
        for i in range(6):
            for j in range(6):
                all_context_vecs[i] += attn_weights[i, j] * inputs[i]
all-products-kept (shape): = attn_weights[:, :, None] * inputs[None]
added-over-queries (named, values): = (attn_weights[:, :, None] * inputs[None]).sum(0)
copied-with-four-decimals (values):
    never: SAME_DIGITS
    cell
        all_context_vecs = torch.tensor(
            [[0.4421, 0.5931, 0.5790],
             [0.4419, 0.6515, 0.5683],
             [0.4431, 0.6496, 0.5671],
             [0.4304, 0.6298, 0.5510],
             [0.4671, 0.5910, 0.5266],
             [0.4177, 0.6503, 0.5645]])
half-precision (dtype): = attn_weights.half() @ inputs.half()
with-the-weights (type): inputs → inputs, attn_weights
row-by-row from own-vector-weighed: line inputs → all_context_vecs[i] += attn_weights[i][j] * inputs[j]
broadcasting: = (attn_weights[:, :, None] * inputs[None]).sum(dim=1)
float64: = attn_weights.double() @ inputs.double()
functional-linear: = torch.nn.functional.linear(attn_weights, inputs.T)
fused-attention: cell
    import torch.nn.functional as F
    x = inputs[None, None]
    all_context_vecs = F.scaled_dot_product_attention(x, x, x, scale=1.0).squeeze()
out: line inputs → all_context_vecs = torch.empty(6, 3)↵torch.mm(attn_weights, inputs, out=all_context_vecs)
addmm: = torch.addmm(torch.zeros(3), attn_weights, inputs)
parameter: = torch.nn.Parameter(attn_weights @ inputs)
numpy-and-back:
    line inputs → import numpy as np↵all_context_vecs = torch.tensor(np.dot(attn_weights.numpy(), inputs))
by-dimension: cell
    columns = []
    for d in range(3):
        columns.append(attn_weights @ inputs[:, d])
    all_context_vecs = torch.stack(columns, dim=1)
== simple-attention
logsumexp: = torch.exp(x @ x.T - torch.logsumexp(x @ x.T, -1, True)) @ x
returns-the-weights (named, shape): line return → context = weights @ x↵return weights
softmax-down-the-columns (named): = (x @ x.T).softmax(0) @ x
no-softmax (named): = x @ x.T @ x
tempting-way (named): line torch → weights = scores / scores.sum(dim=-1, keepdim=True)
overflows (named, not finite, keeps 2) from sums-without-keepdim: 1 → 1, keepdim=True
own-stable-on-the-square (named): scores = x @ x.T → attn_scores = scores_with_loops(x)
    weights = torch.softmax(scores, dim=-1 → attn_weights = softmax_stable(attn_scores
    weights @ → attn_weights @
scaled (named, keeps 1): = torch.softmax(x @ x.T / x.shape[-1] ** 0.5, dim=-1) @ x
weights-from-the-notebook (named, values): = attn_weights @ x
    says: NOT_ITS_ARGUMENT
weights-come-along (type, keeps 2): line x @ x … return → w = torch.softmax(x @ x.T, dim=-1)↵return w @ x, w
not-turned (raised): .T →
tokens-added (named, values): = x + torch.softmax(x @ x.T, dim=-1) @ x
scores-weighed-with-scores (shape): weights @ x → weights @ scores
second-token-only (shape): line x @ x … return → scores = x @ x[1]↵return torch.softmax(scores, 0) @ x
six-tokens-always (raised, keeps 2): body
    out = torch.zeros(6, 3)
    for i in range(6):
        w = torch.softmax(x @ x[i], dim=0)
        out[i] = w @ x
    return out
clamped (named, not finite, values, keeps 2):
    line x @ x … return → e = torch.exp((x @ x.T).clamp(max=80))↵return e / e.sum(-1, keepdim=True) @ x
edits-its-argument (rule, keeps 2):
    never: x \*= 2
    line x @ x … return → weights = torch.softmax(x @ x.T, dim=-1)↵x[:] = weights @ x↵return x
future-hidden (values, keeps 1):
    weights = torch.softmax(scores, dim=-1) → mask = torch.triu(torch.ones(len(x), len(x)), diagonal=1).bool()
    weights @ → torch.softmax(scores.masked_fill(mask, float("-inf")), dim=-1) @
plain-mean (named, values): = x.mean(0, keepdim=True).expand_as(x)
the-tokens-themselves (named, values): = x
weights-times-turned (shape): = x.T @ torch.softmax(x @ x.T, -1)
sums-without-keepdim (named): line x @ x … return → e = torch.exp(x @ x.T)↵return e / e.sum(dim=1) @ x
    says: keepdim
half-precision (dtype, keeps 2): line x @ x … return → h = x.bfloat16()↵return (h @ h.T).softmax(-1) @ h
class-with-init (no function):
    says: \bclass\b
    cell
        class simple_attention(torch.nn.Module):
            def __init__(self, x):
                super().__init__()
                self.x = x

            def forward(self):
                return torch.softmax(self.x @ self.x.T, dim=-1) @ self.x
axis-forgotten-and-turned (raised): body
    attn_scores = x @ x.T
    attn_weights = torch.softmax(attn_scores)
    return attn_weights.T @ x
calls-an-undefined-name (raised): line x @ x →
own-helpers-in-loops: body
    scores = scores_with_loops(x)
    out = torch.zeros(x.shape)
    for i in range(len(x)):
        w = softmax_stable(scores[i])
        for j in range(len(x)):
            out[i] += w[j] * x[j]
    return out
lambda: line def … return → simple_attention = lambda x: torch.nn.functional.softmax(x @ x.mT, dim=1) @ x
float64: line x @ x … return → x = x.double()↵return (x @ x.T).softmax(-1) @ x
module-instance: cell
    class SelfAttention(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.softmax = torch.nn.Softmax(dim=-1)

        def forward(self, x):
            return self.softmax(x @ x.transpose(-2, -1)) @ x

    simple_attention = SelfAttention()
largest-of-the-square: scores = → s =
    weights = torch.softmax(scores, dim=-1) → e = torch.exp(s - s.max(dim=1, keepdim=True)[0])
    weights @ x → (e @ x) / e.sum(dim=1, keepdim=True)
parameters-and-gradients: body
    w = torch.nn.Parameter(torch.eye(x.shape[1]))
    q = x @ w
    return torch.softmax(q @ q.T, dim=-1) @ q
numpy-and-back: above → import numpy as np
    line x @ x … return →:
        a = np.array(x)
        s = a @ a.T
        e = np.exp(s - s.max(axis=-1, keepdims=True))
        return torch.from_numpy((e / e.sum(axis=-1, keepdims=True)) @ a)
written-into-a-buffer: body
    out = torch.empty_like(x)
    torch.mm(torch.softmax(torch.mm(x, x.t()), 1), x, out=out)
    return out
""",
)
