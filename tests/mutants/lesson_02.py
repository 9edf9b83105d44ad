# ruff: noqa: F405  (the words that answers are written with all come from one place)
"""Answers to lesson 02 as learners type them: wrong ones with the finding they deserve, and right ones.

These are a hold-out: they were written from the lesson's text, without a look at the known wrong answers in
the lesson's `tasks.py`, so that they show whether the checks hold for answers that nobody prepared for.
"""

from __future__ import annotations

from tests.mutants.answers import *  # noqa: F403

LESSON = "02-trainable"
TASKS = Tasks(LESSON)

TASKS.hold(
    "scores-of-one-query",
    Wrong("with-the-values", NAMED) | returns("values @ query_2"),
    Wrong("with-the-inputs", NAMED) | returns("inputs @ x_2"),
    Wrong("tokens-with-the-query", MISSING, says="error") | returns("inputs @ query_2"),
    Wrong("own-key-as-query", NAMED) | returns("keys @ keys[1]"),
    Wrong("queries-with-the-key", NAMED) | returns("(inputs @ W_query) @ keys[1]"),
    Wrong("third-query", VALUES + NAMED) | returns("keys @ (inputs[2] @ W_query)"),
    Wrong("query-with-queries", VALUES + NAMED) | returns("(inputs @ W_query) @ query_2"),
    Wrong("one-score-only", SHAPE + NAMED) | returns("query_2 @ keys[1]"),
    Wrong("keys-not-turned", MISSING, says="error") | returns("query_2 @ keys"),
    Wrong("products-not-added", SHAPE + NAMED) | returns("query_2 * keys"),
    Wrong("added-over-the-tokens", SHAPE + NAMED) | returns("(query_2 * keys).sum(0)"),
    Wrong("mean-not-sum", VALUES + NAMED) | returns("(query_2 * keys).mean(-1)"),
    Wrong("scaled-already", NAMED) | returns("query_2 @ keys.T / d_out**0.5"),
    Wrong("softmax-already", NAMED + VALUES) | returns("torch.softmax(query_2 @ keys.T, dim=-1)"),
    Wrong("scaled-and-softmaxed", VALUES + NAMED) | returns("(query_2 @ keys.T / 2**0.5).softmax(-1)"),
    Wrong("all-queries", SHAPE + NAMED) | returns("inputs @ W_query @ keys.T"),
    Wrong("a-row", SHAPE) | returns("query_2.unsqueeze(0) @ keys.T"),
    Wrong("a-column", SHAPE) | returns("keys @ query_2.reshape(-1, 1)"),
    Wrong("cosine-similarity", VALUES + NAMED) | returns("torch.cosine_similarity(keys, query_2[None])"),
    Wrong("distance", VALUES) | returns("(keys - query_2).norm(dim=-1)"),
    Wrong("list-of-scores", TYPE)
    | typed("attn_scores_2 = []", "for k in keys:", "    attn_scores_2.append(query_2 @ k)"),
    Wrong("list-of-floats", TYPE) | returns("[torch.dot(query_2, k).item() for k in keys]"),
    Wrong("overwritten-in-the-loop", SHAPE + NAMED)
    | typed("for k in keys:", "    attn_scores_2 = torch.dot(query_2, k)"),
    Wrong("counts-from-one", VALUES).typed("""
        attn_scores_2 = torch.zeros(6)
        for i in range(1, 6):
            attn_scores_2[i] = query_2 @ keys[i]"""),
    Wrong("keys-reshaped-not-turned", VALUES + NAMED) | returns("query_2 @ keys.reshape(2, 6)"),
    Wrong("keys-viewed-not-turned", VALUES + NAMED) | returns("query_2 @ keys.view(2, -1)"),
    Wrong("whole-numbers", DTYPE) | returns("(keys @ query_2).int()"),
    Wrong("numpy-array", TYPE) | returns("(keys @ query_2).numpy()"),
    Wrong("copied-with-four-decimals", NOT_COMPUTED + VALUES, never=SAME_DIGITS)
    | returns("torch.tensor([1.2705, 1.8524, 1.8111, 1.0795, 0.5577, 1.5440])"),
    Wrong("copied-with-all-digits", NOT_COMPUTED, notebook_passes=True, says=TYPED_IN).typed("""
        attn_scores_2 = torch.tensor([
            1.2704830169677734, 1.8523845672607422, 1.81110680103302,
            1.0795172452926636, 0.5577305555343628, 1.5439705848693848,
        ])"""),
    Wrong("query-typed-in", NOT_COMPUTED, notebook_passes=True, says=TYPED_IN)
    | returns("keys @ torch.tensor([0.4306369423866272, 1.455058217048645])"),
    Wrong("an-s-forgotten", MISSING, says="`attn_score_2`") | edit("attn_scores_2", "attn_score_2"),
    Wrong("number-forgotten", MISSING, says="`attn_scores`") | edit("attn_scores_2", "attn_scores"),
    Wrong("without-own-score", SHAPE) | returns("keys[[0, 2, 3, 4, 5]] @ query_2"),
    Wrong("own-score-zero", VALUES) | typed("attn_scores_2 = keys @ query_2", "attn_scores_2[1] = 0"),
    Wrong("a-comma", TYPE) | returns("query_2 @ keys.T,"),
    Wrong("print-returns-none", TYPE + STUB) | returns("print(query_2 @ keys.T)"),
    Wrong("left-as-it-was", STUB) | returns("...  # your code here"),
    Right("keys-on-the-left") | returns("keys @ query_2"),
    Right("query-on-the-left", base="solution"),
    Right("einsum") | returns('torch.einsum("d,td->t", query_2, keys)'),
    Right("mv") | returns("torch.mv(keys, query_2)"),
    Right("broadcasting") | returns("(keys * query_2).sum(dim=-1)"),
    Right("stacked-dots") | returns("torch.stack([torch.dot(query_2, key) for key in keys])"),
    Right("row-of-all-scores") | returns("(inputs @ W_query @ keys.T)[1]"),
    Right("from-the-matrices") | returns("x_2 @ W_query @ W_key.T @ inputs.T"),
    Right("functional-linear") | returns("nn.functional.linear(query_2, keys)"),
    Right("float64") | returns("keys.double() @ query_2.double()"),
    Right("loop-into-zeros").typed("""
        attn_scores_2 = torch.zeros(keys.shape[0])
        for i in range(keys.shape[0]):
            attn_scores_2[i] = sum(query_2 * keys[i])"""),
    Right("squeezed-row") | returns("(query_2[None, :] @ keys.transpose(0, 1)).squeeze(0)"),
    Right("inner") | returns("torch.inner(query_2, keys)"),
    Right("tensor-of-items") | returns("torch.tensor([(query_2 @ k).item() for k in keys])"),
)

TASKS.hold(
    "scaled-weights",
    Wrong("not-scaled", NAMED) | edit(" / d_k**0.5", ""),
    Wrong("divided-by-d-k", NAMED) | edit("d_k**0.5", "d_k"),
    Wrong("times-the-root", NAMED) | edit("/ d_k**0.5", "* d_k**0.5"),
    Wrong("times-d-k", VALUES + NAMED) | edit("/ d_k**0.5", "* d_k"),
    Wrong("square-not-root", NAMED + VALUES, never=r"`d_k\*\*1/2` means") | edit("d_k**0.5", "d_k**2"),
    Wrong("d-in", NAMED) | edit("d_k**0.5", "d_in**0.5"),
    Wrong("number-of-tokens", NAMED) | edit("d_k**0.5", "len(attn_scores_2)**0.5"),
    Wrong("rows-of-the-keys", NAMED) | edit("d_k**0.5", "keys.shape[0] ** 0.5"),
    Wrong("rows-of-the-matrix", NAMED) | edit("d_k**0.5", "W_key.shape[0] ** 0.5"),
    Wrong("scaled-after", NAMED) | returns("torch.softmax(attn_scores_2, dim=-1) / d_k**0.5"),
    Wrong("scaled-before-and-after", NAMED + RULE + VALUES)
    | returns("torch.softmax(attn_scores_2 / d_k**0.5, -1) / d_k**0.5"),
    Wrong("scaled-twice", NAMED)
    | typed("s = attn_scores_2 / d_k**0.5", "attn_weights_2 = (s / d_k**0.5).softmax(0)"),
    Wrong("no-softmax", NAMED + RULE) | returns("attn_scores_2 / d_k**0.5"),
    Wrong("divided-by-the-sum", NAMED + VALUES)
    | typed("s = attn_scores_2 / d_k**0.5", "attn_weights_2 = s / s.sum()"),
    Wrong("exp-without-sum", NAMED + RULE) | returns("torch.exp(attn_scores_2 / d_k**0.5)"),
    Wrong("log-softmax", RULE + NAMED) | returns("torch.log_softmax(attn_scores_2 / d_k**0.5, -1)"),
    Wrong("sigmoid", RULE + NAMED) | returns("torch.sigmoid(attn_scores_2 / d_k**0.5)"),
    Wrong("softmax-twice", NAMED + VALUES)
    | typed("w = (attn_scores_2 / d_k**0.5).softmax(0)", "attn_weights_2 = w.softmax(0)"),
    Wrong("precedence", NAMED + VALUES) | edit("d_k**0.5", "d_k**1 / 2"),
    Wrong("halved-power", VALUES + NAMED) | returns("torch.softmax((attn_scores_2 / d_k) ** 0.5, dim=-1)"),
    Wrong("floor-division", VALUES + NAMED) | edit("/ d_k**0.5", "// d_k**0.5"),
    Wrong("integer-half", NAMED) | edit("d_k**0.5", "d_k**(1//2)"),
    Wrong("root-of-two-typed-in", NOT_COMPUTED, notebook_passes=True) | edit("d_k**0.5", "1.414"),
    Wrong("wrong-axis", MISSING, says="error") | edit(", dim=-1", ", dim=1"),
    Wrong("axis-forgotten", MISSING, says="error") | edit(", dim=-1", ""),
    Wrong("trivial-axis", RULE + NAMED + VALUES)
    | returns("torch.softmax((attn_scores_2 / d_k**0.5)[:, None], dim=1).squeeze()"),
    Wrong("root-of-an-int", MISSING, says="error") | edit("d_k**0.5", "torch.sqrt(d_k)"),
    Wrong("scores-of-the-other-kind", VALUES + NAMED)
    | returns("torch.softmax(keys @ keys[1] / d_k**0.5, -1)"),
    Wrong("softmax-of-the-keys", SHAPE) | edit("attn_scores_2", "keys"),
    Wrong("copied-with-four-decimals", NOT_COMPUTED + VALUES, never=SAME_DIGITS)
    | returns("torch.tensor([0.1500, 0.2264, 0.2199, 0.1311, 0.0906, 0.1820])"),
    Wrong("copied-with-all-digits", NOT_COMPUTED, notebook_passes=True, says=TYPED_IN).typed("""
        attn_weights_2 = torch.tensor([
            0.15001948177814484, 0.22638379037380219, 0.2198716402053833,
            0.1310700625181198, 0.09062889218330383, 0.18202608823776245,
        ])"""),
    Wrong("half-precision", DTYPE) | returns("(attn_scores_2 / d_k**0.5).softmax(0).bfloat16()"),
    Wrong("list", TYPE) | returns("list(torch.softmax(attn_scores_2 / d_k**0.5, dim=-1))"),
    Wrong("module-not-called", TYPE) | returns("nn.Softmax(dim=-1)"),
    Wrong("a-row", SHAPE) | edit(" / d_k**0.5", "[None] / d_k**0.5"),
    Wrong("number-forgotten", MISSING) | edit("attn_weights_2", "attn_weights"),
    Wrong("left-as-it-was", STUB) | returns("...  # your code here"),
    Right("plain", base="solution"),
    Right("math-sqrt")
    | typed("import math", "attn_weights_2 = torch.softmax(attn_scores_2 / math.sqrt(d_k), dim=0)"),
    Right("negative-power") | returns("(attn_scores_2 * d_k**-0.5).softmax(dim=-1)"),
    Right("root-of-a-tensor") | returns("(attn_scores_2 / torch.sqrt(torch.tensor(d_k))).softmax(-1)"),
    Right("size-of-the-keys") | edit("d_k**0.5, dim=", "keys.shape[-1] ** 0.5, "),
    Right("size-of-the-query") | edit("d_k**0.5, dim=", "len(query_2) ** 0.5, "),
    Right("by-hand", base="pow-of-exp")
    | line("e = torch", "scaled = attn_scores_2 / d_k**0.5", "e = torch.exp(scaled - scaled.max())"),
    Right("log-and-back")
    | typed("s = attn_scores_2 / d_k**0.5", "attn_weights_2 = (s - s.logsumexp(0)).exp()"),
    Right("module") | returns("nn.Softmax(dim=-1)(attn_scores_2 / d_k**0.5)"),
    Right("float64") | returns("torch.softmax(attn_scores_2 / d_k**0.5, dim=-1, dtype=torch.float64)"),
    Right("shifted-first") | returns("((attn_scores_2 - attn_scores_2.max()) / d_k**0.5).softmax(0)"),
    Right("pow-of-exp")
    | typed("e = torch.exp(attn_scores_2) ** (1 / d_k**0.5)", "attn_weights_2 = e / e.sum()"),
    Right("fused-attention").typed("""
        import torch.nn.functional as F
        eye = torch.eye(6)[None]
        attn_weights_2 = F.scaled_dot_product_attention(query_2[None, None], keys[None], eye)[0, 0]"""),
    Right("numpy-root")
    | typed("import numpy as np", "attn_weights_2 = torch.softmax(attn_scores_2 / np.sqrt(d_k), 0)"),
    Right("in-place-on-a-copy").typed("""
        scaled = attn_scores_2.clone()
        scaled /= d_k ** (1 / 2)
        attn_weights_2 = scaled.softmax(-1)"""),
)

TASKS.hold(
    "context-of-one-token",
    Wrong("with-the-inputs", SHAPE + NAMED) | edit("@ values", "@ inputs"),
    Wrong("with-the-keys", NAMED) | edit("@ values", "@ keys"),
    Wrong("with-the-queries", VALUES + NAMED) | edit("@ values", "@ (inputs @ W_query)"),
    Wrong("with-the-scores", NAMED) | returns("attn_scores_2 @ values"),
    Wrong("scaled-scores", VALUES + NAMED) | returns("(attn_scores_2 / d_k**0.5) @ values"),
    Wrong("unscaled-weights", VALUES + NAMED) | returns("torch.softmax(attn_scores_2, -1) @ values"),
    Wrong("values-turned", MISSING, says="error") | edit("@ values", "@ values.T"),
    Wrong("values-on-the-left", MISSING, says="error") | returns("values @ attn_weights_2"),
    Wrong("elementwise", MISSING, says="error") | edit("@ values", "* values"),
    Wrong("products-not-added", SHAPE + NAMED) | returns("attn_weights_2.unsqueeze(1) * values"),
    Wrong("added-over-the-dimensions", SHAPE + NAMED) | returns("(attn_weights_2[:, None] * values).sum(-1)"),
    Wrong("mean-of-the-products", VALUES + NAMED) | returns("(attn_weights_2[:, None] * values).mean(0)"),
    Wrong("plain-mean", VALUES + NAMED) | returns("values.mean(dim=0)"),
    Wrong("plain-sum", VALUES + NAMED) | returns("values.sum(dim=0)"),
    Wrong("best-value", VALUES + NAMED) | returns("values[attn_weights_2.argmax()]"),
    Wrong("own-value", VALUES + NAMED) | returns("values[1]"),
    Wrong("token-added", VALUES) | returns("values[1] + attn_weights_2 @ values"),
    Wrong("scaled-again", VALUES + NAMED) | edit("@ values", "@ values / d_k**0.5"),
    Wrong("divided-by-tokens", VALUES + NAMED) | edit("@ values", "@ values / 6"),
    Wrong("a-row", SHAPE) | returns("attn_weights_2[None] @ values"),
    Wrong("a-column", SHAPE) | returns("values.T @ attn_weights_2[:, None]"),
    Wrong("values-reshaped", VALUES + NAMED) | returns("values.reshape(2, 6) @ attn_weights_2"),
    Wrong("every-context", SHAPE + NAMED)
    | typed("w = torch.softmax(inputs @ W_query @ keys.T / d_k**0.5, dim=-1)", "context_vec_2 = w @ values"),
    Wrong("overwritten-in-the-loop", VALUES + NAMED)
    | typed("for w, v in zip(attn_weights_2, values):", "    context_vec_2 = w * v"),
    Wrong("equals-plus", VALUES + NAMED).typed("""
        context_vec_2 = torch.zeros(2)
        for w, v in zip(attn_weights_2, values):
            context_vec_2 =+ w * v"""),
    Wrong("stops-one-short", VALUES + NAMED).typed("""
        context_vec_2 = torch.zeros(2)
        for i in range(len(values) - 1):
            context_vec_2 += attn_weights_2[i] * values[i]"""),
    Wrong("three-dimensions", SHAPE + VALUES).typed("""
        context_vec_2 = torch.zeros(d_in)
        for i in range(6):
            context_vec_2 += attn_weights_2[i] * values[i]"""),
    Wrong("list-of-two", TYPE) | returns("[attn_weights_2 @ values[:, j] for j in range(2)]"),
    Wrong("numpy-array", TYPE) | edit(" @ values", ".numpy() @ values.numpy()"),
    Wrong("a-comma", TYPE) | edit("@ values", "@ values,"),
    Wrong("half-precision", DTYPE) | returns("(attn_weights_2 @ values).half()"),
    Wrong("vec-forgotten", MISSING, says="`context_2`") | edit("context_vec_2", "context_2"),
    Wrong("vector-written-out", MISSING, says="`context_vector_2`")
    | edit("context_vec_2", "context_vector_2"),
    Wrong("copied-with-four-decimals", NOT_COMPUTED + VALUES, never=SAME_DIGITS)
    | returns("torch.tensor([0.3061, 0.8210])"),
    Wrong("copied-with-all-digits", NOT_COMPUTED, notebook_passes=True, says=TYPED_IN)
    | returns("torch.tensor([0.3061002194881439, 0.82103031873703])"),
    Wrong("weights-typed-in", NOT_COMPUTED, notebook_passes=True, says=TYPED_IN).typed("""
        w = torch.tensor([0.15001948177814484, 0.22638379037380219, 0.2198716402053833,
                          0.1310700625181198, 0.09062889218330383, 0.18202608823776245])
        context_vec_2 = w @ values"""),
    Wrong("left-as-it-was", STUB) | returns("...  # your code here"),
    Right("product", base="solution"),
    Right("turned-values-on-the-left") | returns("values.T @ attn_weights_2"),
    Right("einsum") | returns('torch.einsum("t,td->d", attn_weights_2, values)'),
    Right("broadcasting") | returns("(attn_weights_2.unsqueeze(-1) * values).sum(dim=0)"),
    Right("loop").typed("""
        context_vec_2 = torch.zeros(d_out)
        for weight, value in zip(attn_weights_2, values):
            context_vec_2 += weight * value"""),
    Right("builtin-sum") | returns("sum(w * v for w, v in zip(attn_weights_2, values))"),
    Right("weights-on-inputs-first") | returns("(attn_weights_2 @ inputs) @ W_value"),
    Right("float64") | edit(" @ values", ".double() @ values.double()"),
    Right("fused-attention").typed("""
        context_vec_2 = nn.functional.scaled_dot_product_attention(
            query_2[None, None], keys[None], values[None]
        ).flatten()"""),
    Right("squeezed-row") | returns("torch.mm(attn_weights_2.view(1, -1), values).squeeze()"),
    Right("stacked-dimensions") | returns("torch.stack([attn_weights_2 @ v for v in values.T])"),
    Right("row-of-all-contexts")
    | returns("(torch.softmax(inputs @ W_query @ keys.T / d_k**0.5, dim=-1) @ values)[1]"),
    Right("multi-dot") | returns("torch.linalg.multi_dot([attn_weights_2, inputs, W_value])"),
)

TASKS.hold(
    "self-attention-v1",
    Wrong("softmax-over-the-queries", NAMED, base="plain")
    | edit("(attn_scores / keys.shape[-1] ** 0.5, dim=-1)", "(attn_scores / keys.shape[-1] ** 0.5, dim=0)"),
    Wrong("softmax-over-the-queries-negative", NAMED, base="plain")
    | edit("(attn_scores / keys.shape[-1] ** 0.5, dim=-1)", "(attn_scores / keys.shape[-1] ** 0.5, dim=-2)"),
    Wrong("not-scaled", NAMED, base="scaled-after-the-softmax") | edit(" / keys.shape[-1] ** 0.5", ""),
    Wrong("divided-by-d-k", NAMED, base="plain") | edit("[-1] ** 0.5", "[-1]"),
    Wrong("times-the-root", NAMED, base="plain") | edit("/ keys.shape", "* keys.shape"),
    Wrong("scaled-by-d-in", NAMED, base="plain") | edit("/ keys.shape", "/ x.shape"),
    Wrong("scaled-by-tokens", NAMED, base="plain") | edit("shape[-1]", "shape[0]"),
    Wrong("scaled-by-the-size-of-the-scores", NAMED, base="plain")
    | edit("/ keys.shape", "/ attn_scores.shape"),
    Wrong("scaled-after-the-softmax", NAMED).define("""
        def forward(self, x):
            keys = x @ self.W_key
            queries = x @ self.W_query
            values = x @ self.W_value
            attn_scores = queries @ keys.T  # omega
            attn_weights = torch.softmax(attn_scores, dim=-1) / keys.shape[-1] ** 0.5
            return attn_weights @ values"""),
    Wrong("scale-of-the-notebook", NAMED, keeps=2, says="`d_k`", base="plain")
    | edit("keys.shape[-1]", "d_k"),
    Wrong("scale-typed-in", NAMED, keeps=2, base="scaled-after-the-softmax")
    | edit("(attn_scores, dim=-1) / keys.shape[-1] ** 0.5", "(attn_scores / 1.4142135623730951, dim=-1)"),
    Wrong("keys-ask", NAMED, base="plain") | edit("queries @ keys", "keys @ queries"),
    Wrong("query-matrices-swapped", NAMED, base="plain")
    | lines("keys = x @ self", "queries =", "keys = x @ self.W_query", "queries = x @ self.W_key"),
    Wrong("weights-on-the-keys", NAMED, base="plain") | edit("@ values", "@ keys"),
    Wrong("weights-on-the-tokens", SHAPE + NAMED, base="plain") | edit("@ values", "@ x"),
    Wrong("keys-matrix-for-the-values", NAMED, base="plain") | edit("@ self.W_value", "@ self.W_key"),
    Wrong("weights-turned", NAMED, base="plain") | edit(" @ values", ".T @ values"),
    Wrong("no-softmax", NAMED + VALUES, base="scaled-after-the-softmax")
    | edit("torch.softmax(attn_scores, dim=-1)", "attn_scores"),
    Wrong("divided-by-the-row-sum", NAMED + VALUES, base="scaled-after-the-softmax")
    | line("attn_weights =", "attn_weights = attn_scores / attn_scores.sum(dim=-1, keepdim=True)"),
    Wrong("naive-softmax-without-keepdim", VALUES + NAMED, base="plain")
    | line(
        "attn_weights =",
        "e = torch.exp(attn_scores / keys.shape[-1] ** 0.5)",
        "attn_weights = e / e.sum(dim=-1)",
    ),
    Wrong("softmax-over-everything", VALUES + NAMED, base="scaled-after-the-softmax")
    | line(
        "attn_weights =",
        "attn_weights = (attn_scores / keys.shape[-1] ** 0.5).flatten().softmax(0).view_as(attn_scores)",
    ),
    Wrong("values-of-the-notebook", NAMED + VALUES + RAISED, base="plain") | edit("values =", "value ="),
    Wrong("keys-of-the-notebook", RULE + NAMED + VALUES + RAISED + SHAPE, base="plain")
    | edit("keys = x", "key = x"),
    Wrong("tokens-of-the-notebook", NAMED + VALUES + RAISED + SHAPE, base="plain")
    | edit("x @ self", "inputs @ self", places=3),
    Wrong("matrices-of-the-notebook", RULE + NAMED + VALUES + RAISED + SHAPE, base="plain")
    | edit("@ self.", "@ ", places=3),
    Wrong("sizes-of-the-notebook", PARAMETERS, keeps=2, base="plain")
    | above("self.W_query =", "d_in, d_out = 3, 2"),
    Wrong("plain-tensors", PARAMETERS, base="plain") | edit("nn.Parameter", "", places=3),
    Wrong("tensors-with-gradients", PARAMETERS, base="turned-matrices")
    | edit("nn.Parameter(torch.rand(d_out, d_in))", "torch.rand(d_in, d_out, requires_grad=True)", places=3),
    Wrong(
        "switched-off",
        NAMED + BEHAVIOUR + RULE + PARAMETERS,
        keeps=3,
        never=r"numbers are right.*numbers are right.*\|",
        base="plain",
    )
    | edit("(d_in, d_out)", "(d_in, d_out), requires_grad=False", places=3),
    Wrong("drawn-from-the-normal-distribution", NAMED + VALUES + BEHAVIOUR, keeps=3, base="plain")
    | rename("rand", "randn"),
    Wrong("zeros", NAMED + VALUES + BEHAVIOUR, keeps=3, base="plain") | rename("rand", "zeros"),
    Wrong("xavier", NAMED + VALUES + BEHAVIOUR, keeps=3, base="keys-ask")
    | below("self.W_value =", "for p in self.parameters():", "    nn.init.xavier_uniform_(p)")
    | edit("keys @ queries", "queries @ keys"),
    Wrong("own-seed", NAMED + VALUES + BEHAVIOUR, keeps=3, base="plain")
    | above("self.W_query =", "torch.manual_seed(123)"),
    Wrong(
        "one-matrix-for-all", PARAMETERS + VALUES + NAMED, never="has no parameter", base="plain"
    ).define("""
        def __init__(self, d_in, d_out):
            super().__init__()
            W = nn.Parameter(torch.rand(d_in, d_out))
            self.W_query = self.W_key = self.W_value = W"""),
    Wrong("turned-matrices", PARAMETERS, base="plain") | edit("(d_in, d_out)", "(d_out, d_in)", places=3),
    Wrong("turned-matrices-turned-back", PARAMETERS, keeps=2, base="values-without-gradient")
    | edit("(d_in, d_out)", "(d_out, d_in)", places=3)
    | edit("@ self.W_key", "@ self.W_key.T")
    | edit("@ self.W_query", "@ self.W_query.T")
    | edit("W_value.data", "W_value.T"),
    Wrong("short-names", PARAMETERS, keeps=3, base="plain")
    | rename("W_query", "W_q")
    | rename("W_key", "W_k")
    | rename("W_value", "W_v"),
    Wrong("linear-layers", PARAMETERS + NAMED, keeps=2, base="plain")
    | edit("Parameter(torch.rand(d_in, d_out))", "Linear(d_in, d_out, bias=False)", places=3)
    | lines(
        "keys = x @ self",
        "values = x",
        "keys = self.W_key(x)",
        "queries = self.W_query(x)",
        "values = self.W_value(x)",
    ),
    Wrong("fused-matrix", PARAMETERS).define("""
        def forward(self, x):
            q, k, v = (x @ self.W_qkv).chunk(3, dim=-1)
            return torch.softmax(q @ k.T / k.shape[-1] ** 0.5, dim=-1) @ v""")
    | lines("self.W_query", "self.W_value", "self.W_qkv = nn.Parameter(torch.rand(d_in, 3 * d_out))"),
    Wrong("in-a-python-list", PARAMETERS, base="fused-matrix").define("""
        def __init__(self, d_in, d_out):
            super().__init__()
            self.weights = [nn.Parameter(torch.rand(d_in, d_out)) for _ in range(3)]""")
    | line("q, k, v =", "q, k, v = [x @ w for w in self.weights]"),
    Wrong("a-fourth-parameter", PARAMETERS, keeps=3, base="return-forgotten")
    | below("self.W_value =", "self.W_o = nn.Parameter(torch.eye(d_out))")
    | line("context_vec", "return attn_weights @ values @ self.W_o"),
    Wrong("drawn-in-every-forward", PARAMETERS).define("""
        def forward(self, x):
            W_query = torch.rand(self.d_in, self.d_out)
            W_key = torch.rand(self.d_in, self.d_out)
            W_value = torch.rand(self.d_in, self.d_out)
            queries, keys, values = x @ W_query, x @ W_key, x @ W_value
            return torch.softmax(queries @ keys.T / self.d_out**0.5, dim=-1) @ values""")
    | lines("self.W_query", "self.W_value", "self.d_in, self.d_out = d_in, d_out"),
    Wrong(
        "drawn-anew-over-the-parameters",
        VALUES + NAMED + RAISED + BEHAVIOUR + RULE + SHAPE,
        base="an-object-not-a-class",
    )
    | below("def forward", "    self.W_query = nn.Parameter(torch.rand(x.shape[1], 2))")
    | lines("return attn_weights", "SelfAttention_v1 =", "return attn_weights @ values"),
    Wrong("only-two-matrices", PARAMETERS, base="keys-matrix-for-the-values") | without("self.W_value"),
    Wrong("self-forgotten", PARAMETERS + RAISED, base="plain")
    | edit("self.W_query ", "W_query ")
    | edit("self.W_key ", "W_key ")
    | edit("self.W_value ", "W_value "),
    Wrong("super-forgotten", RAISED, base="plain") | without("super().__init__()"),
    Wrong("return-forgotten", TYPE, base="plain") | edit("return attn_weights", "context_vec = attn_weights"),
    Wrong("print-not-return", TYPE, base="plain")
    | line("return attn_weights", "print(attn_weights @ values)"),
    Wrong("returns-the-weights", SHAPE, base="plain") | edit(" @ values", ""),
    Wrong("returns-both", TYPE, keeps=3, base="plain") | edit("@ values", "@ values, attn_weights"),
    Wrong("returns-one-token", SHAPE, base="detached") | edit(".detach()", "[1]"),
    Wrong("second-query-only", SHAPE, base="plain") | edit("queries = x", "queries = x[1]"),
    Wrong("six-tokens-always", RAISED, keeps=2, base="zeros-filled-token-by-token")
    | edit("len(x)", "6", places=2),
    Wrong("two-dimensions-always", SHAPE, keeps=2, base="columns-then-turned")
    | line("w = torch", "w = torch.softmax(q @ k.T / k.shape[1] ** 0.5, dim=-1)")
    | edit("return w.T @ v", "return torch.stack([w @ v[:, 0], w @ v[:, 1]], dim=1)"),
    Wrong("detached", NAMED + BEHAVIOUR + RULE, keeps=3, base="plain")
    | line("return attn_weights", "return (attn_weights @ values).detach()"),
    Wrong("no-grad-in-forward", NAMED + BEHAVIOUR + RULE, keeps=3).define("""
        def forward(self, x):
            with torch.no_grad():
                keys = x @ self.W_key
                queries = x @ self.W_query
                values = x @ self.W_value
                attn_scores = queries @ keys.T  # omega
                attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)
                return attn_weights @ values"""),
    Wrong("values-without-gradient", NAMED + BEHAVIOUR + RULE, keeps=3, base="plain")
    | edit("@ self.W_value", "@ self.W_value.data"),
    Wrong("edits-its-argument", VALUES + RULE + NAMED, base="an-object-not-a-class")
    | below("def forward", "    x /= x.norm(dim=-1, keepdim=True)")
    | lines("return attn_weights", "SelfAttention_v1 =", "return attn_weights @ values"),
    Wrong("edits-its-argument-afterwards", RULE, keeps=3, base="plain")
    | below("attn_weights =", "x.div_(x.norm())"),
    Wrong("future-hidden", VALUES + NAMED, base="scaled-after-the-softmax")
    | edit("attn_scores, dim=-1)", "(attn_scores")
    | edit("0.5", "0.5).masked_fill(torch.ones_like(attn_scores).triu(1).bool(), -torch.inf), dim=-1)"),
    Wrong("dropout-inside", VALUES + RULE + BEHAVIOUR + NAMED, base="plain")
    | edit(" torch", " nn.functional.dropout(torch")
    | edit("1)", "1), 0.1)"),
    Wrong("residual", VALUES + NAMED, base="return-forgotten") | edit("context_vec =", "return values +"),
    Wrong("half-precision", DTYPE, keeps=3, base="detached") | edit("detach()", "half()"),
    Wrong("forward-misspelt", RAISED, never=r"Replace the `\.\.\.`", base="plain")
    | edit("def forward", "def foward"),
    Wrong("init-misspelt", RAISED, base="plain") | edit(" __init__", " _init_"),
    Wrong("x-forgotten", RAISED, base="plain") | edit("(self, x)", "(self)"),
    Wrong("self-missing-in-forward", RAISED, base="plain") | edit("(self, x)", "(x)"),
    Wrong("name-without-underscore", MISSING, says="`SelfAttentionV1`", base="plain")
    | edit("SelfAttention_v1", "SelfAttentionV1"),
    Wrong("an-object-not-a-class", NO_FUNCTION + TYPE).typed("""
        class SelfAttention_v1(nn.Module):
            def __init__(self, d_in, d_out):
                super().__init__()
                self.W_query = nn.Parameter(torch.rand(d_in, d_out))
                self.W_key = nn.Parameter(torch.rand(d_in, d_out))
                self.W_value = nn.Parameter(torch.rand(d_in, d_out))

            def forward(self, x):
                keys = x @ self.W_key
                queries = x @ self.W_query
                values = x @ self.W_value
                attn_scores = queries @ keys.T  # omega
                attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)
                return attn_weights @ values

        SelfAttention_v1 = SelfAttention_v1(3, 2)"""),
    Wrong("no-module", TYPE + PARAMETERS + RAISED + NAMED, base="super-forgotten") | edit("(nn.Module)", ""),
    Wrong("colon-forgotten", MISSING, base="plain") | edit("(self, x):", "(self, x)"),
    Wrong("a-function", NO_FUNCTION + RAISED + TYPE).typed("""
        def SelfAttention_v1(x, W_query, W_key, W_value):
            q, k, v = x @ W_query, x @ W_key, x @ W_value
            return torch.softmax(q @ k.T / k.shape[-1] ** 0.5, dim=-1) @ v"""),
    Wrong("left-as-it-was", STUB + PARAMETERS)
    | lines("self.W_query =", "self.W_value =", "...  # your code here")
    | lines("queries =", "return weights", "...  # your code here"),
    Wrong("forward-left", STUB + TYPE) | lines("queries =", "return weights", "...  # your code here"),
    Wrong("axes-named-the-wrong-way", RAISED, base="plain") | edit(" @ keys.T", ".T @ keys"),
    Wrong("dk-an-attribute-of-d-in", NAMED).define("""
        def forward(self, x):
            q, k, v = (x @ w for w in (self.W_query, self.W_key, self.W_value))
            return torch.softmax(q @ k.T / self.scale, dim=-1) @ v""")
    | below("self.W_value =", "self.scale = d_in**0.5"),
    Right("drawn-keys-first", base="plain").define("""
        def __init__(self, d_in, d_out):
            super().__init__()
            self.W_key = nn.Parameter(torch.rand(d_in, d_out))
            self.W_query = nn.Parameter(torch.rand(d_in, d_out))
            self.W_value = nn.Parameter(torch.rand(d_in, d_out))"""),
    Right("plain")
    | edit("scores", "attn_scores", places=2)
    | edit("weights", "attn_weights", places=2)
    | above("queries =", "keys = x @ self.W_key")
    | lines("queries =", "values = x", "queries = x @ self.W_query", "values = x @ self.W_value")
    | edit("@ keys.T", "@ keys.T  # omega"),
    Right("fused-attention", costs=2).define("""
        def forward(self, x):
            q, k, v = x @ self.W_query, x @ self.W_key, x @ self.W_value
            return nn.functional.scaled_dot_product_attention(q[None], k[None], v[None])[0]"""),
    Right("einsums").define("""
        def forward(self, x):
            q = torch.einsum("ti,io->to", x, self.W_query)
            k = torch.einsum("ti,io->to", x, self.W_key)
            v = torch.einsum("ti,io->to", x, self.W_value)
            w = torch.einsum("qd,kd->qk", q, k).div(q.size(-1) ** 0.5).softmax(-1)
            return torch.einsum("qk,kd->qd", w, v)"""),
    Right("fused-product-then-chunk").define("""
        def forward(self, x):
            qkv = x @ torch.cat([self.W_query, self.W_key, self.W_value], dim=1)
            q, k, v = qkv.chunk(3, dim=-1)
            return (q @ k.mT / k.shape[-1] ** 0.5).softmax(dim=1) @ v"""),
    Right("set-in-a-loop", base="plain").define("""
        def __init__(self, d_in, d_out):
            super().__init__()
            self.d_k = d_out
            for name in ("W_query", "W_key", "W_value"):
                setattr(self, name, nn.Parameter(torch.rand(d_in, d_out)))"""),
    Right("registered-by-hand", base="plain").define("""
        def __init__(self, d_in, d_out):
            super().__init__()
            self.register_parameter("W_query", nn.Parameter(torch.rand(d_in, d_out)))
            self.register_parameter("W_key", nn.Parameter(torch.rand(d_in, d_out)))
            self.register_parameter("W_value", nn.Parameter(torch.rand(d_in, d_out)))"""),
    Right("initialised-uniformly", base="an-object-not-a-class")
    | rename("rand", "empty")
    | below("self.W_value =", "self.reset()")
    | line(
        "SelfAttention_v1 =",
        "    def reset(self):",
        "        for w in (self.W_query, self.W_key, self.W_value):",
        "            nn.init.uniform_(w)",
    ),
    Right("drawn-in-order-assigned-otherwise", base="plain").define("""
        def __init__(self, d_in, d_out):
            super().__init__()
            q, k, v = (torch.rand(d_in, d_out) for _ in range(3))
            self.W_value = nn.Parameter(v)
            self.W_key = nn.Parameter(k)
            self.W_query = nn.Parameter(q)"""),
    Right("loop-over-tokens").define("""
        def forward(self, x):
            q, k, v = x @ self.W_query, x @ self.W_key, x @ self.W_value
            out = []
            for i in range(x.shape[0]):
                scores = torch.stack([q[i] @ k[j] for j in range(len(x))])
                out.append(torch.softmax(scores / q.shape[1] ** 0.5, dim=0) @ v)
            return torch.stack(out)"""),
    Wrong("zeros-filled-token-by-token", NAMED + DTYPE, keeps=3).define("""
        def forward(self, x):
            q, k, v = x @ self.W_query, x @ self.W_key, x @ self.W_value
            out = torch.zeros(len(x), v.shape[1])
            for i in range(len(x)):
                out[i] = torch.softmax(k @ q[i] / k.shape[1] ** 0.5, dim=0) @ v
            return out"""),
    Right("helper-methods-and-a-property").typed('''
        class SelfAttention_v1(nn.Module):
            def __init__(self, d_in, d_out):
                super().__init__()
                self.W_query = nn.Parameter(torch.rand(d_in, d_out))
                self.W_key = nn.Parameter(torch.rand(d_in, d_out))
                self.W_value = nn.Parameter(torch.rand(d_in, d_out))

            def forward(self, x):
                return self.weights(x) @ (x @ self.W_value)

            @property
            def scale(self):
                return self.W_key.shape[1] ** -0.5

            def weights(self, x):
                """(queries, keys)"""
                return (self.scores(x) * self.scale).softmax(dim=-1)

            def scores(self, x):
                return (x @ self.W_query) @ (x @ self.W_key).T'''),
    Right("helper-function-and-subclass").typed("""
        import math

        def attend(q, k, v):
            scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
            return torch.softmax(scores, dim=-1) @ v

        class Base(nn.Module):
            def __init__(self, d_in: int, d_out: int) -> None:
                super().__init__()
                self.W_query = nn.Parameter(torch.rand(d_in, d_out))
                self.W_key = nn.Parameter(torch.rand(d_in, d_out))
                self.W_value = nn.Parameter(torch.rand(d_in, d_out))

        class SelfAttention_v1(Base):
            def forward(self, x: torch.Tensor) -> torch.Tensor:
                return attend(x @ self.W_query, x @ self.W_key, x @ self.W_value)"""),
    Wrong("float64-inside", NAMED + DTYPE, keeps=3).define("""
        def forward(self, x):
            x = x.double()
            q, k, v = (x @ w.double() for w in (self.W_query, self.W_key, self.W_value))
            return ((q @ k.T / k.shape[-1] ** 0.5).softmax(-1) @ v).float()"""),
    Right("columns-then-turned").define("""
        def forward(self, x):
            q, k, v = x @ self.W_query, x @ self.W_key, x @ self.W_value
            w = torch.softmax(k @ q.T / k.shape[-1] ** 0.5, dim=0)
            return w.T @ v"""),
    Right("extra-attributes-and-a-buffer", base="columns-then-turned")
    | below(
        "self.W_value =",
        "self.d_in, self.d_out = d_in, d_out",
        "self.softmax = nn.Softmax(dim=-1)",
        'self.register_buffer("root", torch.tensor(d_out**0.5))',
    )
    | line("w = torch", "self.last_weights = self.softmax(q @ k.T / self.root)")
    | edit("return w.T @ v", "return torch.matmul(self.last_weights, v)"),
    Right("batched-products").define("""
        def forward(self, x):
            W = torch.stack([self.W_query, self.W_key, self.W_value])
            q, k, v = torch.bmm(x.expand(3, *x.shape), W)
            s = torch.bmm(q[None], k[None].mT) * k.shape[-1] ** -0.5
            return torch.bmm(s.softmax(-1), v[None]).squeeze(0)"""),
    Right("softmax-by-hand").define("""
        def forward(self, x):
            q, k, v = x @ self.W_query, x @ self.W_key, x @ self.W_value
            s = q @ k.T / self.W_key.size(1) ** 0.5
            e = (s - s.max(dim=1, keepdim=True).values).exp()
            return e @ v / e.sum(1, keepdim=True)"""),
    Right("old-super-and-keywords", base="turned-matrices")
    | edit("(torch.rand(d_out, d_in))", "(data=torch.rand(size=(d_in, d_out)), requires_grad=True)", places=3)
    | edit("super().", "super(SelfAttention_v1, self)."),
    Right("functional-linear-and-partial", costs=2)
    .define("""
        def __init__(self, d_in, d_out, **kwargs):
            super().__init__(**kwargs)
            new = lambda: nn.Parameter(torch.rand(d_in, d_out))
            self.W_query, self.W_key, self.W_value = new(), new(), new()
            self.attend = partial(F.scaled_dot_product_attention, dropout_p=0.0)""")
    .define("""
        def forward(self, x):
            q, k, v = [F.linear(x, w.T) for w in (self.W_query, self.W_key, self.W_value)]
            return self.attend(q, k, v)""")
    | above("class SelfAttention_v1", "from functools import partial", "import torch.nn.functional as F", "")
    | above("def __init__", '"""Single-head attention."""', ""),
)

TASKS.hold(
    "score-spread",
    Wrong("never-scaled", NAMED, keeps=1) | returns("(queries @ keys.T).std()"),
    Wrong("always-scaled", NAMED, keeps=1) | returns("(queries @ keys.T / queries.shape[-1] ** 0.5).std()"),
    Wrong("divided-by-d-k", NAMED, keeps=1) | rename("scores", "s") | edit("[-1] ** 0.5", "[-1]"),
    Wrong("times-the-root", NAMED, keeps=1) | rename("scores", "s") | edit("s / keys", "s * keys"),
    Wrong("number-of-keys", NAMED, keeps=1) | rename("scores", "s") | edit("shape[-1]", "shape[0]"),
    Wrong("number-of-queries", NAMED + VALUES, keeps=1, base="times-the-root")
    | edit("* keys.shape[-1]", "/ len(queries)"),
    Wrong("size-of-the-notebook", NAMED + VALUES, keeps=1, says="`d_k`", base="times-the-root")
    | edit("* keys.shape[-1] ** ", "/ d_k**"),
    Wrong("two-typed-in", NAMED + VALUES, keeps=1, base="times-the-root")
    | line("s = s * keys", "s /= 2**0.5"),
    Wrong("polarity-turned", NAMED + VALUES) | rename("scores", "s") | edit("if scaled", "if not scaled"),
    Wrong("compared-with-a-string", NAMED, keeps=1, base="polarity-turned")
    | edit("not scaled", 'scaled == "True"'),
    Wrong("result-thrown-away", NAMED, keeps=1, base="times-the-root") | edit("= s * keys", "/ keys"),
    Wrong("variance", NAMED) | rename("scores", "s") | line("return s.std()", "return s.var()"),
    Wrong("root-of-the-spread-too", VALUES + NAMED, keeps=1)
    | line("scores = queries", "s = (queries @ keys.T).std()")
    | lines("if scaled:", "return scores", "if scaled:", "    s = (s / keys.shape[-1]) ** 0.5", "return s"),
    Wrong("without-correction", NAMED + VALUES, base="numpy-std")
    | edit("numpy().std()", "std(unbiased=False)"),
    Wrong("numpy-std", NAMED + VALUES)
    | rename("scores", "s")
    | line("return s.std()", "return s.numpy().std()"),
    Wrong("for-each-query", SHAPE + NAMED, base="variance") | edit("return s.var()", "return s.std(dim=-1)"),
    Wrong("mean-of-the-rows-spreads", VALUES + NAMED, base="numpy-std") | edit("numpy().std", "std(-1).mean"),
    Wrong("pairs-only", RAISED, base="keys-not-turned") | edit("queries @ keys", "(queries * keys).sum(-1)"),
    Wrong("queries-with-queries", NAMED + VALUES) | rename("scores", "s") | edit("@ keys.T", "@ queries.T"),
    Wrong("keys-with-keys", NAMED + VALUES) | rename("scores", "s") | edit("queries @", "keys @"),
    Wrong("dimensions-with-dimensions", RAISED, base="keys-not-turned") | edit("queries @", "queries.T @"),
    Wrong("keys-not-turned", RAISED, base="numpy-std") | edit("@ keys.T", "@ keys") | edit("numpy().", ""),
    Wrong("softmax-as-well", NAMED + VALUES, base="numpy-std") | edit(".numpy()", ".softmax(-1)"),
    Wrong("softmax-when-scaled", VALUES + NAMED, keeps=1, base="times-the-root")
    | edit("s = s * keys.shape[-1] ** 0.5", "s = (s / keys.shape[-1] ** 0.5")
    | edit("s = (s / keys.shape[-1] ** 0.5", "s = (s / keys.shape[-1] ** 0.5).softmax(-1)"),
    Wrong("returned-only-when-scaled", TYPE, keeps=1)
    | body("s = queries @ keys.T", "if scaled:", "    return (s / keys.shape[-1] ** 0.5).std()"),
    Wrong("returned-only-when-plain", TYPE, keeps=1, base="polarity-turned")
    | edit("s = s / keys", "return s.std()\n    s = s / keys")
    | edit("\n    return s.std()", ""),
    Wrong("returns-the-scores", SHAPE + NAMED) | rename("scores", "s") | line("return s.std()", "return s"),
    Wrong("method-not-called", TYPE) | rename("scores", "s") | line("return s.std()", "return s.std"),
    Wrong("print-not-return", TYPE) | rename("scores", "s") | line("return s.std()", "print(s.std())"),
    Wrong("std-and-mean", TYPE, keeps=1, base="numpy-std") | edit("s.numpy().std()", "torch.std_mean(s)"),
    Wrong("edits-its-queries", RULE, keeps=1)
    | body("if scaled:", "    queries /= queries.shape[-1] ** 0.5", "return (queries @ keys.T).std()"),
    Wrong("random-vectors-of-its-own", VALUES + RULE, base="numpy-std")
    | above("s = queries", "queries = torch.randn(300, keys.shape[-1])")
    | edit("numpy().", ""),
    Wrong("theory-instead-of-measuring", VALUES)
    | body("d_k = keys.shape[-1]", "return torch.tensor(1.0) if scaled else torch.tensor(d_k**0.5)"),
    Wrong("notebook-tokens", RAISED + VALUES, base="keys-not-turned")
    | edit("queries @ keys", "(inputs @ W_query) @ keys.T"),
    Wrong("root-of-an-int", RAISED, keeps=1, base="times-the-root")
    | line("s = s * keys", "s = s / torch.sqrt(keys.shape[-1])"),
    Wrong("scale-then-twice", NAMED, keeps=1, base="numpy-std")
    | line("return s.numpy", "    s = s / keys.shape[-1] ** 0.5", "return s.std()"),
    Wrong("scaled-both-and-multiplied", NAMED, keeps=1).body("""
        r = keys.shape[-1] ** 0.5
        q, k = (queries / r, keys / r) if scaled else (queries, keys)
        return (q @ k.T).std()"""),
    Wrong("rounded", VALUES + NAMED, base="numpy-std") | edit("s.numpy().std()", "round(s.std().item(), 2)"),
    Wrong("with-an-axis", SHAPE, base="numpy-std") | edit("numpy().std()", "std().reshape(1)"),
    Wrong("two-arguments", RAISED)
    | typed("def score_spread(queries, keys):", "    return (queries @ keys.T).std()"),
    Wrong("left-as-it-was", STUB) | body("...  # your code here"),
    Right("plain", base="solution"),
    Right("spread-divided")
    | body("s = (queries @ keys.T).std()", "return s / queries.shape[1] ** 0.5 if scaled else s"),
    Right("queries-divided").body("""
        if scaled:
            queries = queries / queries.shape[-1] ** 0.5
        return torch.std(queries @ keys.T)"""),
    Right("both-by-the-fourth-root")
    | body("r = keys.size(1) ** (0.25 if scaled else 0)", "return ((queries / r) @ (keys / r).T).std()"),
    Right("einsum").body("""
        s = torch.einsum("qd,kd->qk", queries, keys)
        if scaled is True:
            s.div_(keys.shape[-1] ** 0.5)
        return s.std()"""),
    Right("python-number", base="numpy-std")
    | edit("if scaled:", "if scaled == True:")
    | edit("= s / keys", "/= keys")
    | edit("numpy().std", "std().item"),
    Right("numpy-with-correction", base="numpy-std")
    | line("s = queries", "import numpy as np", "s = queries.numpy() @ keys.numpy().T")
    | line("s = s / keys", "s = s / np.sqrt(keys.shape[-1])")
    | edit("numpy().std()", "std(ddof=1)"),
    Right("float64").body("""
        s = queries.double() @ keys.double().T
        return (s / (keys.shape[-1] ** 0.5 if scaled else 1)).std()"""),
    Right("loops").body("""
        scores = []
        for q in queries:
            for k in keys:
                score = torch.dot(q, k)
                if scaled:
                    score = score / len(k) ** 0.5
                scores.append(score)
        return torch.std(torch.stack(scores))"""),
    Right("by-hand", base="numpy-std")
    | edit("s / keys", "s * keys")
    | edit("[-1] ** 0.5", "[-1] ** -0.5\n    deviations = s - s.mean()")
    | edit("s.numpy().std", "((deviations**2).sum() / (s.numel() - 1)).sqrt"),
    Right("lambda").typed("""
        score_spread = lambda queries, keys, scaled: torch.std(queries @ keys.T / (queries.shape[-1] ** 0.5) ** int(scaled))
        """),  # noqa: E501
    Right("statistics").body("""
        import statistics
        s = (queries @ keys.T).flatten().tolist()
        return statistics.stdev(s) / (keys.shape[-1] ** 0.5 if scaled else 1)"""),
    Right("where").body("""
        d_k = torch.tensor(float(keys.shape[-1]))
        divisor = torch.where(torch.tensor(scaled), d_k.sqrt(), torch.tensor(1.0))
        return (queries @ keys.T / divisor).std()"""),
)

TASKS.hold(
    "self-attention-v2",
    Wrong("softmax-over-the-queries", NAMED, base="plain")
    | edit("(attn_scores / keys.shape[-1] ** 0.5, dim=-1)", "(attn_scores / keys.shape[-1] ** 0.5, dim=0)"),
    Wrong("not-scaled", NAMED, base="plain") | edit(" / keys.shape[-1] ** 0.5", ""),
    Wrong("divided-by-d-k", NAMED, base="plain") | edit("[-1] ** 0.5", "[-1]"),
    Wrong("times-the-root", NAMED, base="plain") | edit("/ keys.shape", "* keys.shape"),
    Wrong("scaled-by-d-in", NAMED, base="plain") | edit("/ keys.shape", "/ x.shape"),
    Wrong("scaled-by-tokens", NAMED, base="plain") | edit("keys.shape[-1]", "len(keys)"),
    Wrong("scaled-after-the-softmax", NAMED)
    | above("queries =", "keys = self.W_key(x)")
    | lines("queries =", "values = self", "queries = self.W_query(x)", "values = self.W_value(x)")
    | edit("scores =", "attn_scores =")
    | line("weights =", "attn_weights = torch.softmax(attn_scores, dim=-1) / keys.shape[-1] ** 0.5")
    | edit("return weights", "return attn_weights"),
    Wrong("scale-of-the-notebook", NAMED, keeps=1, says="`d_k`", base="plain")
    | edit("keys.shape[-1]", "d_k"),
    Wrong("scale-typed-in", NAMED, keeps=1, base="plain") | edit("keys.shape[-1]", "2"),
    Wrong("scale-of-the-layer-turned", NAMED, base="plain")
    | edit("keys.shape[-1]", "self.W_key.weight.shape[1]"),
    Wrong("keys-ask", NAMED, base="plain") | edit("queries @ keys", "keys @ queries"),
    Wrong("weights-on-the-keys", NAMED, base="plain") | edit("@ values", "@ keys"),
    Wrong("weights-on-the-tokens", NAMED + SHAPE, base="plain") | edit("@ values", "@ x"),
    Wrong("keys-layer-for-the-values", NAMED, base="plain") | edit("W_value(x)", "W_key(x)"),
    Wrong("weights-turned", NAMED, base="plain") | edit(" @ values", ".T @ values"),
    Wrong("no-softmax", NAMED + VALUES, base="scaled-after-the-softmax")
    | edit("torch.softmax(attn_scores, dim=-1)", "attn_scores"),
    Wrong("bias-always", PARAMETERS + NAMED, keeps=2, base="plain") | edit("=qkv_bias", "=True", places=3),
    Wrong("bias-left-to-the-default", PARAMETERS + NAMED, keeps=2, base="plain")
    | edit(", bias=qkv_bias", "", places=3),
    Wrong("bias-never", PARAMETERS + NAMED, keeps=2, base="plain") | edit("=qkv_bias", "=False", places=3),
    Wrong("bias-polarity", PARAMETERS + NAMED, keeps=1, base="plain")
    | edit("=qkv_bias", "=not qkv_bias", places=3),
    Wrong("bias-only-for-the-queries", PARAMETERS + NAMED, keeps=2, base="bias-never")
    | line("self.W_query =", "self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)"),
    Wrong("switch-left-out", RAISED, keeps=1, base="bias-never") | edit(", qkv_bias=False", ""),
    Wrong("switch-without-default", RAISED, keeps=1, base="plain") | edit("qkv_bias=False", "qkv_bias"),
    Wrong("switch-on-by-default", PARAMETERS, keeps=2, base="plain")
    | edit("qkv_bias=False", "qkv_bias=True"),
    Wrong("switch-called-bias", RAISED, keeps=2, base="plain") | edit("qkv_bias", "bias", places=4),
    Wrong("bias-dropped-in-forward", NAMED + VALUES, keeps=2, base="weight-not-turned")
    | edit(".weight", ".weight.T", places=3),
    Wrong("weight-not-turned", RAISED, base="plain")
    | edit("= self", "= x @ self", places=3)
    | edit("W_key(x)", "W_key.weight")
    | edit("W_query(x)", "W_query.weight")
    | edit("W_value(x)", "W_value.weight"),
    Wrong("layer-as-a-matrix", RAISED, base="weight-not-turned") | edit(".weight", "", places=3),
    Wrong("sizes-swapped", PARAMETERS + RAISED, base="plain")
    | edit("d_in, d_out, bias", "d_out, d_in, bias", places=3),
    Wrong("square-layers", PARAMETERS + SHAPE, base="plain") | edit("d_out, bias", "d_in, bias", places=3),
    Wrong("sizes-typed-in", PARAMETERS + RAISED, keeps=1, base="plain")
    | edit("d_in, d_out, bias", "3, 2, bias", places=3),
    Wrong("plain-parameters", PARAMETERS + NAMED, keeps=1, base="weight-not-turned")
    | edit("Linear(d_in, d_out, bias=qkv_bias)", "Parameter(torch.rand(d_in, d_out))", places=3)
    | edit(".weight", "", places=3)
    | edit("@ keys.T", "@ keys.T  # omega"),
    Wrong("short-names", PARAMETERS, keeps=1, says="W_query", base="plain")
    | rename("W_query", "W_q")
    | rename("W_key", "W_k")
    | rename("W_value", "W_v"),
    Wrong("fused-layer", PARAMETERS).define("""
        def forward(self, x):
            q, k, v = self.qkv(x).chunk(3, dim=-1)
            return torch.softmax(q @ k.T / k.shape[-1] ** 0.5, dim=-1) @ v""")
    | lines("self.W_query", "self.W_value", "self.qkv = nn.Linear(d_in, 3 * d_out, bias=qkv_bias)"),
    Wrong("output-layer-added", PARAMETERS, base="plain")
    | below("self.W_value =", "self.out_proj = nn.Linear(d_out, d_out)")
    | line("return attn_weights", "return self.out_proj(attn_weights @ values)"),
    Wrong("layers-in-a-list", PARAMETERS, base="fused-layer")
    | line("self.qkv =", "self.layers = [nn.Linear(d_in, d_out, bias=qkv_bias) for _ in range(3)]")
    | line("q, k, v =", "q, k, v = [layer(x) for layer in self.layers]"),
    Wrong("one-layer-for-all", PARAMETERS + NAMED + VALUES, base="plain").define("""
        def __init__(self, d_in, d_out, qkv_bias=False):
            super().__init__()
            self.W_query = self.W_key = self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)"""),
    Wrong("drawn-in-every-forward", PARAMETERS, base="fused-layer")
    | line("self.qkv =", "self.d_in, self.d_out = d_in, d_out")
    | line("q, k, v =", "q, k, v = (nn.Linear(self.d_in, self.d_out, bias=False)(x) for _ in range(3))")
    | edit("k.shape[-1] ** ", "self.d_out**"),
    Wrong("started-at-zero", NAMED + VALUES, keeps=2, base="plain")
    | below("self.W_value =", "for p in self.parameters():", "    nn.init.zeros_(p)"),
    Wrong("values-of-the-notebook", NAMED + RULE + VALUES, base="plain") | edit("values =", "value ="),
    Wrong("tokens-of-the-notebook", NAMED + VALUES, base="plain")
    | edit("W_key(x)", "W_key(inputs)")
    | edit("W_query(x)", "W_query(inputs)")
    | edit("W_value(x)", "W_value(inputs)"),
    Wrong("return-forgotten", TYPE, base="plain") | edit("return attn_weights", "context = attn_weights"),
    Wrong("returns-the-weights", SHAPE, base="plain") | edit(" @ values", ""),
    Wrong("returns-both", TYPE, keeps=2, base="plain") | edit("@ values", "@ values, attn_weights"),
    Wrong("frozen", NAMED + RULE, keeps=2, base="plain")
    | below("self.W_value =", "self.requires_grad_(False)"),
    Wrong("detached", NAMED + RULE, keeps=2, base="plain") | edit("@ values", "@ values.detach()"),
    Wrong("linear-then-relu", VALUES + NAMED, base="plain")
    | line("values = self", "values = torch.relu(self.W_value(x))"),
    Wrong("super-forgotten", RAISED, base="plain") | without("super().__init__()"),
    Wrong("still-called-v1", MISSING, base="plain") | edit("SelfAttention_v2", "SelfAttention_v1"),
    Wrong("inherits-v1-and-forgets-forward", STUB + TYPE, base="subclass-of-v1-with-its-own-forward")
    | line("nn.Module", "super().__init__(d_in, d_out)")
    | lines("keys = self", "return attn_weights", "pass"),
    Wrong("inherits-forward-of-v1", RAISED, base="subclass-of-v1-with-its-own-forward")
    | lines("self.W_value =", "return attn_weights", "self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)"),
    Wrong("forward-misspelt", RAISED, never=r"Replace the `\.\.\.`", base="plain")
    | edit("def forward", "def foward"),
    Wrong("left-as-it-was", STUB)
    | lines("self.W_query =", "self.W_value =", "...  # your code here")
    | lines("queries =", "return weights", "...  # your code here"),
    Right("made-keys-first", base="plain").define("""
        def __init__(self, d_in, d_out, qkv_bias=False):
            super().__init__()
            self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
            self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
            self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)"""),
    Right("plain")
    | rename("scores", "attn_scores")
    | rename("weights", "attn_weights")
    | above("queries =", "keys = self.W_key(x)")
    | lines("queries =", "values = self", "queries = self.W_query(x)", "values = self.W_value(x)"),
    Right("fused-attention").define("""
        def forward(self, x):
            q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
            return torch.nn.functional.scaled_dot_product_attention(q, k, v)"""),
    Right("in-a-loop", base="plain").define("""
        def __init__(self, d_in, d_out, qkv_bias=False):
            super().__init__()
            for name in ["W_query", "W_key", "W_value"]:
                self.add_module(name, nn.Linear(in_features=d_in, out_features=d_out, bias=qkv_bias))
            self.softmax = nn.Softmax(dim=-1)"""),
    Right("einsums").define("""
        def forward(self, x):
            q, k, v = (layer(x) for layer in (self.W_query, self.W_key, self.W_value))
            s = torch.einsum("qd,kd->qk", q, k) * k.size(-1) ** -0.5
            return torch.einsum("qk,kd->qd", s.softmax(-1), v)"""),
    Right("fused-weights-then-chunk").define("""
        def forward(self, x):
            layers = (self.W_query, self.W_key, self.W_value)
            weight = torch.cat([layer.weight for layer in layers])
            bias = None if layers[0].bias is None else torch.cat([layer.bias for layer in layers])
            q, k, v = nn.functional.linear(x, weight, bias).chunk(3, dim=-1)
            return torch.softmax(q @ k.T / k.shape[-1] ** 0.5, dim=-1) @ v"""),
    Right("subclass-of-v1-with-its-own-forward", base="plain")
    | edit("nn.Module", "SelfAttention_v1")
    | edit("super().__init__()", "nn.Module.__init__(self)"),
    Right("size-from-the-layer", base="plain") | edit("keys.shape[-1]", "self.W_key.out_features"),
    Right("multiplied-by-hand", base="plain")
    | edit(
        "self.W_query(x)",
        "x @ self.W_query.weight.T + (0 if self.W_query.bias is None else self.W_query.bias)",
    ),
    Right("partial-and-helper").typed("""
        import math
        from functools import partial

        def softmax_rows(scores):
            e = torch.exp(scores - scores.amax(dim=-1, keepdim=True))
            return e / e.sum(dim=-1, keepdim=True)

        class SelfAttention_v2(nn.Module):
            def __init__(self, d_in: int, d_out: int, qkv_bias: bool = False):
                super().__init__()
                layer = partial(nn.Linear, d_in, d_out, bias=qkv_bias)
                self.W_query, self.W_key, self.W_value = layer(), layer(), layer()

            @property
            def d_k(self) -> int:
                return self.W_key.weight.shape[0]

            def forward(self, x: torch.Tensor) -> torch.Tensor:
                scores = self.W_query(x) @ self.W_key(x).transpose(0, 1)
                return softmax_rows(scores / math.sqrt(self.d_k)) @ self.W_value(x)"""),
    Right("float64-inside").define("""
        def forward(self, x):
            q, k, v = self.W_query(x).double(), self.W_key(x).double(), self.W_value(x).double()
            return (q @ k.T / k.shape[1] ** 0.5).softmax(1).matmul(v).to(x.dtype)"""),
    Right("token-by-token").define("""
        def forward(self, x):
            keys, values = self.W_key(x), self.W_value(x)
            rows = []
            for token in x:
                w = torch.softmax(keys @ self.W_query(token) / keys.shape[-1] ** 0.5, dim=0)
                rows.append(sum(w_j * v_j for w_j, v_j in zip(w, values)))
            return torch.stack(rows)"""),
    Wrong("zeros-filled-token-by-token", NAMED + DTYPE, keeps=2).define("""
        def forward(self, x):
            keys, values = self.W_key(x), self.W_value(x)
            out = torch.zeros(x.shape[0], values.shape[1])
            for i in range(len(x)):
                w = torch.softmax(keys @ self.W_query(x[i]) / keys.shape[-1] ** 0.5, dim=0)
                out[i] = w @ values
            return out"""),
    Right("size-kept-and-extra-attributes", base="plain")
    | below("self.W_value =", "self.d_out = d_out", "self.qkv_bias = qkv_bias")
    | edit("keys.shape[-1] ** ", "self.d_out**"),
    Right("multihead-module-with-the-same-weights").define("""
        def forward(self, x):
            q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
            d = q.shape[-1]
            eye = torch.eye(d, dtype=x.dtype)
            out, _ = nn.functional.multi_head_attention_forward(
                q[:, None], k[:, None], v[:, None], d, 1, eye.repeat(3, 1), None, None, None, False, 0.0,
                eye, None, training=False, need_weights=False,
            )
            return out[:, 0]"""),
    Right("switch-spelt-out", base="bias-never").define("""
        def __init__(self, d_in, d_out, qkv_bias=False):
            super().__init__()
            if qkv_bias:
                self.W_query, self.W_key, self.W_value = [nn.Linear(d_in, d_out) for _ in range(3)]
            else:
                self.W_query, self.W_key, self.W_value = [nn.Linear(d_in, d_out, bias=False) for _ in range(3)]
        """),  # noqa: E501
)

TASKS.hold(
    "how-far-apart",
    Wrong("signs-kept", NAMED) | returns("(first(x) - second(x)).max()"),
    Wrong("absolute-too-late", NAMED) | returns("(first(x) - second(x)).max().abs()"),
    Wrong("builtin-abs-too-late", NAMED) | returns("abs(torch.max(first(x) - second(x)))"),
    Wrong("difference-of-the-largest", NAMED) | returns("(first(x).max() - second(x).max()).abs()"),
    Wrong("absolute-of-each", NAMED + VALUES) | returns("(first(x).abs() - second(x).abs()).max()"),
    Wrong("absolute-of-each-and-of-both", VALUES + NAMED)
    | returns("(first(x).abs() - second(x).abs()).abs().max()"),
    Wrong("mean", NAMED) | returns("(first(x) - second(x)).abs().mean()"),
    Wrong("sum", NAMED) | returns("(first(x) - second(x)).abs().sum()"),
    Wrong("smallest", NAMED + VALUES) | returns("(first(x) - second(x)).abs().min()"),
    Wrong("length", NAMED + VALUES) | returns("torch.norm(first(x) - second(x))"),
    Wrong("squared", NAMED + VALUES) | returns("((first(x) - second(x)) ** 2).max()"),
    Wrong("mean-squared", NAMED + VALUES) | returns("nn.functional.mse_loss(first(x), second(x))"),
    Wrong("all-differences", NAMED + SHAPE) | returns("(first(x) - second(x)).abs()"),
    Wrong("largest-of-each-row", NAMED + SHAPE) | returns("(first(x) - second(x)).abs().max(dim=-1).values"),
    Wrong("values-and-indices", TYPE) | returns("(first(x) - second(x)).abs().max(dim=0)"),
    Wrong("builtin-max", RAISED + SHAPE) | returns("max((first(x) - second(x)).abs())"),
    Wrong("where-it-is", VALUES + DTYPE + NAMED) | returns("(first(x) - second(x)).abs().argmax()"),
    Wrong("close-or-not", TYPE + VALUES + DTYPE + NAMED)
    | returns("torch.allclose(first(x), second(x), atol=1e-6)"),
    Wrong("compared-with-a-limit", TYPE + VALUES + DTYPE + NAMED) | edit("().max()", "().max() < 1e-6"),
    Wrong("not-called", RAISED) | returns("(first - second).abs().max()"),
    Wrong("called-on-the-sentence", VALUES + NAMED + RAISED)
    | returns("(first(inputs) - second(inputs)).abs().max()"),
    Wrong("classes-of-the-notebook", RAISED + VALUES) | returns("(sa_v1(x) - sa_v2(x)).abs().max()"),
    Wrong("first-with-itself", NAMED + VALUES) | returns("(first(x) - first(x)).abs().max()"),
    Wrong("added-not-subtracted", VALUES + NAMED) | returns("(first(x) + second(x)).abs().max()"),
    Wrong("first-only", VALUES + NAMED) | returns("first(x).abs().max()"),
    Wrong("relative", VALUES + NAMED + NOT_FINITE)
    | body("a, b = first(x), second(x)", "return ((a - b).abs() / b.abs()).max()"),
    Wrong("rounded", VALUES, keeps=1) | returns("round((first(x) - second(x)).abs().max().item(), 4)"),
    Wrong("difference-from-the-input", RAISED + VALUES) | returns("(first(x) - x).abs().max()"),
    Wrong("weights-not-outputs", VALUES + RAISED)
    | returns("(first.W_query - second.W_query.weight.T).abs().max()"),
    Wrong("forward-called", RAISED, keeps=1) | returns("(first.forward(x) - second.forward(x)).abs().max()"),
    Wrong("one-after-the-other", RAISED + VALUES) | returns("(second(first(x)) - x).abs().max()"),
    Wrong("method-not-called", TYPE) | returns("(first(x) - second(x)).abs().max"),
    Wrong("abs-not-called", RAISED) | returns("(first(x) - second(x)).abs.max()"),
    Wrong("return-forgotten", TYPE) | body("difference = (first(x) - second(x)).abs().max()"),
    Wrong("print-not-return", TYPE) | body("print((first(x) - second(x)).abs().max())"),
    Wrong("as-text", TYPE) | returns('f"{(first(x) - second(x)).abs().max():.6f}"'),
    Wrong("in-a-list", TYPE, never="[Pp]roducts") | returns("[(first(x) - second(x)).abs().max()]"),
    Wrong("kept-an-axis", SHAPE) | edit("().max()", "().flatten().max(dim=0, keepdim=True).values"),
    Wrong("matrices-only", RAISED, keeps=1).body("""
        a, b = first(x), second(x)
        best = 0.0
        for i in range(a.shape[0]):
            for j in range(a.shape[1]):
                best = max(best, abs(a[i, j] - b[i, j]).item())
        return best"""),
    Wrong("edits-what-it-was-given", RULE + BEHAVIOUR + NAMED + VALUES, keeps=1)
    | line("return (first", "a = first(x)", "a -= second(x)", "x.zero_()", "return a.abs().max()"),
    Wrong("whole-number", VALUES + NAMED) | returns("int((first(x) - second(x)).abs().max())"),
    Wrong("left-as-it-was", STUB) | body("...  # your code here"),
    Right("plain") | returns("(first(x) - second(x)).abs().max()"),
    Right("torch-functions") | returns("torch.max(torch.abs(first(x) - second(x)))"),
    Right("python-number") | returns("(second(x) - first(x)).abs().max().item()"),
    Right("amax") | returns("(first(x) - second(x)).abs().amax()"),
    Right("dist") | returns('torch.dist(first(x), second(x), p=float("inf"))'),
    Right("infinity-norm") | returns("torch.linalg.vector_norm(first(x) - second(x), ord=torch.inf)"),
    Right("without-gradients")
    | body("with torch.no_grad():", "    a, b = first(x), second(x)", "    return (a - b).abs().max()"),
    Right("decorated")
    | above("def largest_difference", "@torch.no_grad()")
    | line("return (first", "d = first(x) - second(x)", "return torch.maximum(d.max(), -d.min())"),
    Right("numpy").body("""
        import numpy as np
        a, b = first(x).detach().numpy(), second(x).detach().numpy()
        return np.abs(a - b).max()"""),
    Right("python-loop").body("""
        largest = 0.0
        for a, b in zip(first(x).flatten().tolist(), second(x).flatten().tolist()):
            if abs(a - b) > largest:
                largest = abs(a - b)
        return largest"""),
    Right("lambda")
    | typed("largest_difference = lambda first, second, x: torch.max((first(x) - second(x)).abs())"),
    Right("sorted") | body("d = (first(x) - second(x)).abs().flatten()", "return d.sort().values[-1]"),
    Right("where") | body("d = first(x) - second(x)", "return torch.where(d < 0, -d, d).max()"),
    Right("root-of-the-square") | returns("((first(x).double() - second(x).double()) ** 2).max().sqrt()"),
    Right("helper").typed("""
        def both(f, g, x):
            return f(x), g(x)

        def largest_difference(first, second, x):
            a, b = both(first, second, x)
            return torch.topk((a - b).abs().reshape(-1), 1).values[0]"""),
    Right("nested-max").body("""
        d = (first(x) - second(x)).abs()
        while d.dim() > 0:
            d = d.max(dim=0).values
        return d"""),
)

TASKS.hold(
    "copy-weights",
    Wrong("not-turned", RAISED, base="copied-in-no-grad") | edit("weight.T", "weight", places=3),
    Wrong("not-turned-in-new-parameters", NAMED + RAISED + SHAPE + PARAMETERS, base="new-parameters-sharing")
    | edit("weight.T", "weight", places=3),
    Wrong("reshaped-not-turned", NAMED + VALUES, base="copied-in-no-grad")
    | edit("W_query.weight.T", "W_query.weight.reshape(v1.W_query.shape)")
    | edit("W_key.weight.T", "W_key.weight.reshape(v1.W_key.shape)")
    | edit("weight.T", "weight.reshape(v1.W_value.shape)"),
    Wrong("viewed-not-turned", NAMED + VALUES, base="new-parameters-cloned")
    | edit("detach().T.clone()", "view(v1.W_key.shape)", places=3),
    Wrong("only-the-queries", NAMED + VALUES) | without("v1.W_key.copy_", "v1.W_value"),
    Wrong("values-forgotten", NAMED + VALUES, base="copied-in-no-grad") | without("v1.W_value"),
    Wrong("queries-forgotten", NAMED + VALUES, base="copied-in-no-grad") | without("v1.W_query"),
    Wrong("keys-twice", NAMED + VALUES, base="copied-in-no-grad") | edit("v2.W_value", "v2.W_key"),
    Wrong("queries-in-all-three", NAMED + VALUES, base="copied-in-no-grad")
    | edit("v2.W_key", "v2.W_query")
    | edit("v2.W_value", "v2.W_query"),
    Wrong("keys-and-queries-crossed", NAMED + VALUES, base="copied-in-no-grad")
    | edit("v2.W_query", "v2.W_key")
    | edit("W_key.copy_(v2.W_key.weight.T)", "W_key.copy_(v2.W_query.weight.T)"),
    Wrong("no-grad-forgotten", RAISED, base="copied-in-no-grad") | line("with torch", "if True:"),
    Wrong("plain-tensors-assigned", RAISED, says="Parameter", base="data")
    | edit(".data =", " =", places=3)
    | edit("data.T", "T", places=3),
    Wrong("layers-assigned", RAISED + TYPE + PARAMETERS + NAMED, base="plain-tensors-assigned")
    | edit(".weight.T", "", places=3),
    Wrong("weights-assigned", NAMED + RAISED + SHAPE + PARAMETERS, base="plain-tensors-assigned")
    | edit("weight.T", "weight", places=3),
    Wrong("local-names-only", NAMED + VALUES).body("""
        W_query, W_key, W_value = v1.W_query, v1.W_key, v1.W_value
        W_query = v2.W_query.weight.T
        W_key = v2.W_key.weight.T
        W_value = v2.W_value.weight.T
        return v1"""),
    Wrong("loop-rebinds", NAMED + VALUES)
    | body("for p, q in zip(v1.parameters(), v2.parameters()):", "    p = q.T", "return v1"),
    Wrong("wrong-way", NAMED + VALUES + RULE).body("""
        with torch.no_grad():
            v2.W_query.weight.copy_(v1.W_query.T)
            v2.W_key.weight.copy_(v1.W_key.T)
            v2.W_value.weight.copy_(v1.W_value.T)
        return v1"""),
    Wrong("wrong-way-in-data", NAMED + VALUES + RULE).body("""
        v2.W_query.weight.data = v1.W_query.data.T
        v2.W_key.weight.data = v1.W_key.data.T
        v2.W_value.weight.data = v1.W_value.data.T
        return v1"""),
    Wrong("returns-v2", NAMED, keeps=1) | line("return v1", "return v2"),
    Wrong("return-forgotten", TYPE + NAMED) | without("return v1"),
    Wrong("returns-both", TYPE, never="asks for a tensor") | line("return v1", "return v1, v2"),
    Wrong("returns-the-weights", TYPE, never="asks for a tensor")
    | line("return v1", "return v1.W_query, v1.W_key, v1.W_value"),
    Wrong("returns-a-result", TYPE + RAISED + VALUES + SHAPE) | line("return v1", "return v1(inputs)"),
    Wrong(
        "v2-turned-in-place",
        RULE + RAISED + NAMED + VALUES + BEHAVIOUR,
        keeps=1,
        base="bias-into-the-weights",
    )
    | lines("layer = getattr", "w = w + layer.bias", "w = getattr(v2, n).weight.t_()"),
    Wrong("state-dict-as-it-is", RAISED) | body("v1.load_state_dict(v2.state_dict())", "return v1"),
    Wrong("state-dict-not-strict", NAMED + VALUES)
    | body("v1.load_state_dict(v2.state_dict(), strict=False)", "return v1"),
    Wrong("new-v1-of-fixed-size", RAISED + RULE + NAMED + BEHAVIOUR, base="copied-in-no-grad")
    | above("with torch", "v1 = SelfAttention_v1(3, 2)"),
    Wrong("instances-of-the-notebook", RAISED + VALUES + NAMED, base="copied-in-no-grad")
    | edit("v2.W_query", "sa_v2.W_query")
    | edit("v2.W_key", "sa_v2.W_key")
    | edit("(v2.W_value.weight.T)", "(sa_v2.W_value.weight.T)"),
    Wrong("gradients-lost", RULE + NAMED + BEHAVIOUR + PARAMETERS, keeps=1, base="new-parameters-sharing")
    | edit("weight.T", "weight.T, requires_grad=False", places=3),
    Wrong("v2-frozen", RULE + NAMED + BEHAVIOUR, keeps=1) | above("with torch", "v2.requires_grad_(False)"),
    Wrong("bias-into-the-weights", NAMED + VALUES, keeps=1).body("""
        with torch.no_grad():
            for n in ('W_query', 'W_key', 'W_value'):
                layer = getattr(v2, n)
                w = layer.weight.T
                if layer.bias is not None:
                    w = w + layer.bias
                getattr(v1, n).copy_(w)
        return v1"""),
    Wrong("scaled-by-the-way", NAMED + VALUES, base="copied-in-no-grad")
    | edit("W_query.weight.T", "W_query.weight.T / v2.W_query.weight.shape[0] ** 0.5"),
    Wrong("added-not-copied", VALUES + NAMED, base="copied-in-no-grad") | rename("copy_", "add_"),
    Wrong("copy-without-underscore", RAISED, base="copied-in-no-grad") | rename("copy_", "copy"),
    Wrong("forward-borrowed", NAMED + RULE, keeps=1) | body("v1.forward = v2.forward", "return v1"),
    Wrong("v1-unchanged", NAMED + VALUES) | returns("v1"),
    Wrong("deep-copy-of-v2", NAMED + RULE, keeps=1)
    | body("import copy", "v1 = copy.deepcopy(v2)", "return v1"),
    Wrong("arguments-swapped", RAISED, base="copied-in-no-grad") | edit("(v2, v1)", "(v1, v2)"),
    Wrong("names-of-v2-as-tensors", RAISED, base="copied-in-no-grad") | edit("weight.", "", places=3),
    Wrong("left-as-it-was", STUB) | body("...  # your code here"),
    Right("copied-in-no-grad", base="solution"),
    Wrong("new-parameters-sharing", NAMED + RULE, keeps=1).body("""
        v1.W_query = nn.Parameter(v2.W_query.weight.T)
        v1.W_key = nn.Parameter(v2.W_key.weight.T)
        v1.W_value = nn.Parameter(v2.W_value.weight.T)
        return v1"""),
    Right("new-parameters-cloned", base="new-parameters-sharing")
    | edit("W_query.weight.T", "W_query.weight.detach().T.clone()")
    | edit("W_key.weight.T", "W_key.weight.detach().T.clone()")
    | edit("(v2.W_value.weight.T)", "(v2.W_value.weight.detach().T.clone())"),
    Wrong("data", NAMED + RULE, keeps=1).body("""
        v1.W_query.data = v2.W_query.weight.data.T
        v1.W_key.data = v2.W_key.weight.data.T
        v1.W_value.data = v2.W_value.weight.data.T
        return v1"""),
    Right("data-copied").body("""
        for n in ['W_query', 'W_key', 'W_value']:
            getattr(v1, n).data.copy_(getattr(v2, n).weight.data.t())
        return v1"""),
    Right("state-dict-turned").body("""
        state = {k.removesuffix(".weight"): w.T for k, w in v2.state_dict().items() if k.endswith(".weight")}
        v1.load_state_dict(state)
        return v1"""),
    Right("decorated").typed("""
        @torch.no_grad()
        def copy_weights(v2, v1):
            for mine, theirs in ((v1.W_query, v2.W_query), (v1.W_key, v2.W_key), (v1.W_value, v2.W_value)):
                mine[:] = theirs.weight.transpose(0, 1)
            return v1"""),
    Right("assigned-by-name").body("""
        for name, layer in v2.named_children():
            setattr(v1, name, nn.Parameter(layer.weight.detach().clone().T.contiguous()))
        return v1"""),
    Right("one-number-at-a-time").body("""
        with torch.no_grad():
            for name, p in v1.named_parameters():
                w = v2.get_submodule(name).weight
                for i in range(p.shape[0]):
                    for j in range(p.shape[1]):
                        p[i, j] = w[j, i]
        return v1"""),
    Right("what-the-layer-does-to-unit-vectors").body("""
        with torch.no_grad():
            for name in ("W_query", "W_key", "W_value"):
                p, layer = getattr(v1, name), getattr(v2, name)
                eye = torch.eye(p.shape[0], dtype=p.dtype)
                p.copy_(layer(eye) - layer(torch.zeros_like(eye)))
        return v1"""),
    Right("einsum") | line("v1.W_query", 'v1.W_query.copy_(torch.einsum("oi->io", v2.W_query.weight))'),
    Right("deep-copied-first").body("""
        import copy
        weights = copy.deepcopy(v2)
        v1.W_query = nn.Parameter(weights.W_query.weight.T)
        v1.W_key = nn.Parameter(weights.W_key.weight.T)
        v1.W_value = nn.Parameter(weights.W_value.weight.T)
        return v1"""),
    Right("numpy-between").body("""
        for n in ('W_query', 'W_key', 'W_value'):
            a = getattr(v2, n).weight.detach().numpy().T.copy()
            setattr(v1, n, nn.Parameter(torch.from_numpy(a)))
        return v1"""),
    Right("helper").typed("""
        def move(layer, parameter):
            with torch.no_grad():
                parameter.set_(layer.weight.T.clone())

        def copy_weights(v2, v1):
            move(v2.W_query, v1.W_query)
            move(v2.W_key, v1.W_key)
            move(v2.W_value, v1.W_value)
            return v1"""),
)

TASKS.hold(
    "bug-globals",
    Wrong("as-given", NAMED + STUB + RULE + VALUES + RAISED, base="faulty"),
    Wrong(
        "value-mended-only",
        NAMED + VALUES,
        keeps=1,
        says="d_k",
        never="d_out = 4.*`d_out` = 7",
        base="faulty",
    )
    | line("return weights", "return weights @ value"),
    Wrong("value-renamed-only", NAMED + VALUES, keeps=1, says="d_k", base="value-mended-only")
    | rename("value", "values"),
    Wrong("scale-mended-only", NAMED + VALUES + RULE + RAISED, says="values", base="smallest-change")
    | edit("weights @ value", "weights @ values"),
    Wrong("assert-taken-out-only", NAMED + STUB + RULE + VALUES + RAISED, base="as-given")
    | without("assert queries"),
    Wrong("assert-with-values", NAMED + RULE + VALUES + RAISED, base="as-given")
    | edit("= value.", "= values."),
    Wrong("scale-typed-in", NAMED + VALUES, keeps=1, base="value-mended-only") | edit("d_k**0.5", "2**0.5"),
    Wrong("scale-set-in-the-class", NAMED + VALUES, keeps=1, base="scale-by-number-of-tokens")
    | below("self.W_value =", "self.d_k = 2")
    | edit("keys.shape[0] ** ", "self.d_k**"),
    Wrong("scale-kept-from-the-notebook", NAMED + VALUES, keeps=1, base="scale-by-number-of-tokens")
    | below("self.W_value =", "self.d_k = d_k")
    | edit("keys.shape[0] ** ", "self.d_k**"),
    Wrong("scale-is-d-in", NAMED + VALUES, base="scale-by-number-of-tokens")
    | below("self.W_value =", "self.d_k = d_in")
    | edit("keys.shape[0] ** ", "self.d_k**"),
    Wrong("scale-of-the-tokens-size", NAMED + VALUES, base="smallest-change")
    | edit("/ keys.shape", "/ x.shape"),
    Wrong("scale-by-number-of-tokens", NAMED + VALUES, base="smallest-change")
    | edit("shape[-1]", "shape[0]"),
    Wrong("scale-without-root", NAMED + VALUES, base="smallest-change") | edit("[-1] ** 0.5", "[-1]"),
    Wrong("scale-taken-out", NAMED + VALUES, base="value-mended-only") | edit(" / d_k**0.5", ""),
    Wrong("scale-of-the-notebooks-d-out", NAMED + VALUES, keeps=1, base="scale-by-number-of-tokens")
    | edit("keys.shape[0] ** ", "d_out**"),
    Wrong("scale-of-the-notebooks-matrix", NAMED + VALUES, keeps=1, base="smallest-change")
    | edit("keys.shape[-1]", "W_key.shape[1]"),
    Wrong("layer-weight-turned", NAMED + VALUES, base="smallest-change")
    | edit("keys.shape[-1]", "self.W_key.weight.shape[1]"),
    Wrong("values-cut-to-length", NAMED + VALUES + RAISED + RULE, base="smallest-change")
    | edit("weights @ value", "weights @ values[: len(x)]"),
    Wrong("values-from-the-notebooks-matrix", NAMED + VALUES + RAISED + RULE, base="smallest-change")
    | edit("weights @ value", "weights @ (x @ W_value)"),
    Wrong("values-made-global", NAMED + VALUES + RAISED + RULE, base="scale-mended-only")
    | above("queries, keys", "global values"),
    Wrong("keys-handed-over", NAMED + VALUES, base="scale-mended-only") | edit("@ values", "@ keys"),
    Wrong("tokens-handed-over", NAMED + SHAPE, base="scale-mended-only") | edit("@ values", "@ x"),
    Wrong("layer-handed-over", RAISED, base="scale-mended-only") | edit("@ values", "@ self.W_value"),
    Wrong("layers-weight-handed-over", RAISED, base="smallest-change")
    | edit("weights @ value", "weights @ self.W_value.weight"),
    Wrong("error-swallowed", NAMED + VALUES + RULE, says="values", base="error-swallowed-and-zeros")
    | line("return torch", "return weights @ value"),
    Wrong("error-swallowed-and-zeros", NAMED + VALUES + RULE, base="smallest-change")
    | line(
        "return weights",
        "try:",
        "    return weights @ values",
        "except RuntimeError:",
        "    return torch.zeros_like(value)",
    ),
    Wrong("gradient-faked", NAMED + VALUES + RAISED, base="smallest-change")
    | edit("weights @ value", "weights @ values + 0 * value"),
    Wrong("value-detached", NAMED + RULE, keeps=1, base="scale-mended-only")
    | edit("@ values", "@ value.detach()"),
    Wrong("nan-to-num", NAMED + VALUES + RULE + RAISED, base="faulty")
    | line("return weights", "return torch.nan_to_num(weights @ values)"),
    Wrong("clamped", NAMED + VALUES, keeps=1, base="smallest-change")
    | edit("scores / keys.shape[-1] ** 0.5", "(scores / d_k**0.5).clamp(-5, 5)"),
    Wrong("axis-changed-too", NAMED + VALUES, base="smallest-change")
    | edit("(scores / keys.shape[-1] ** 0.5, dim=-1)", "(scores / keys.shape[-1] ** 0.5, dim=0)"),
    Wrong("keys-and-queries-swapped-too", NAMED + VALUES, base="smallest-change")
    | edit("queries @ keys", "keys @ queries"),
    Wrong("weights-turned-too", NAMED + VALUES, base="scale-mended-only") | edit(" @ values", ".T @ value"),
    Wrong("layers-replaced-by-matrices", PARAMETERS + NAMED, keeps=1, base="written-anew")
    | edit("Linear(d_in, d_out, bias=qkv_bias)", "Parameter(torch.rand(d_in, d_out))", places=3)
    | edit("= self", "= x @ self", places=3)
    | edit("W_key(x)", "W_key")
    | edit("W_query(x)", "W_query")
    | edit("W_value(x)", "W_value")
    | edit("@ keys.T", "@ keys.T  # omega"),
    Wrong("bias-lost", PARAMETERS + NAMED + VALUES + RAISED, keeps=1, base="smallest-change")
    | edit("=qkv_bias", "=False", places=3),
    Wrong("global-made-instead", RAISED, base="scale-mended-only")
    | above("class NotebookAttention", "values = None"),
    Wrong("scale-set-outside", NAMED + VALUES, keeps=1, base="faulty")
    | above("class NotebookAttention", "d_k = W_key.shape[1]", "")
    | line("return weights", "return weights @ value"),
    Wrong("wrong-class-mended", MISSING, base="smallest-change")
    | edit("NotebookAttention", "SelfAttentionAsFound"),
    Wrong("parameter-default-binds-the-notebook", NAMED + VALUES, keeps=1, base="value-mended-only")
    | edit("(self, x)", "(self, x, d_k=d_k)"),
    Wrong("assert-after-misspelling", RAISED, base="scale-mended-only") | edit("@ values", "@ vaule"),
    Wrong("return-lost", TYPE, base="smallest-change") | edit("return weights", "weights"),
    Right("smallest-change") | rename("values", "value") | line("return weights", "return weights @ value"),
    Right("all-called-values") | line("return weights", "return weights @ values"),
    Right("size-kept-in-init", base="scale-by-number-of-tokens")
    | below("self.W_value =", "self.d_k = d_out")
    | edit("keys.shape[0] ** ", "self.d_k**"),
    Right("local-d-k", base="unpacked-shape") | line("num_tokens", "d_k = queries.shape[-1]"),
    Right("assert-taken-out", base="smallest-change") | without("assert queries"),
    Right("size-of-the-layer", base="value-mended-only") | edit("d_k**0.5", "self.W_key.out_features**0.5"),
    Right("size-from-the-value", base="smallest-change") | edit("keys.shape[-1]", "value.size(1)"),
    Right("fused-attention", base="nan-to-num")
    | lines(
        "weights =", "return torch", "return nn.functional.scaled_dot_product_attention(queries, keys, value)"
    ),
    Right("subclass-of-v2") | typed("class NotebookAttention(SelfAttention_v2):", "    pass"),
    Right("renamed-v2") | typed("NotebookAttention = SelfAttention_v2"),
    Right("values-assigned-again", base="scale-mended-only") | below("weights =", "values = value"),
    Right("written-anew").define("""
        def forward(self, x):
            keys = self.W_key(x)
            queries = self.W_query(x)
            values = self.W_value(x)
            attn_scores = queries @ keys.T
            attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)
            return attn_weights @ values"""),
    Right("unpacked-shape", base="value-mended-only")
    | below("assert queries", "num_tokens, d_k = keys.shape"),
    Right("math-sqrt-and-einsum", base="scale-of-the-tokens-size")
    | edit("x.shape[-1] ** 0.5", "math.sqrt(keys.shape[-1])")
    | edit("weights @ value", 'torch.einsum("qk,kd->qd", weights, value)')
    | before("import math"),
)
