# ruff: noqa: E501  (learners write long lines)
"""Answers to lesson 02 as learners type them: wrong ones with the finding they deserve, and right ones.

A hold-out like that of lesson 01: written from the lesson's text alone, without a look at its `tasks.py`.
"""

from __future__ import annotations

from textwrap import dedent, indent

from tests.mutants.harness import Mutants, Right, Wrong

LESSON = "02-trainable"

# What a learner is told first. A mistake that many people make deserves its name.
NAMED = ("MatchesKnownWrong",)
MISSING = ("NotDefined",)
STUB = ("StillStub",)
NO_FUNCTION = ("NotAFunction",)
RAISED = ("Raised",)
TYPE = ("WrongType",)
PARAMETERS = ("WrongParameters",)
SHAPE = ("WrongShape",)
DTYPE = ("WrongDtype",)
NOT_FINITE = ("NotFinite",)
VALUES = ("WrongValues",)
RULE = ("BrokenProperty",)
BEHAVIOUR = ("WrongBehaviour",)
GIVENS = ("GivensChanged",)
NOT_COMPUTED = ("NotComputed",)

# Words that a message must have, and words that would lead the learner astray.
TYPED_IN = r"typed|copied|copy|not computed"
NOT_ITS_ARGUMENT = r"from the notebook|Use the argument"
SAME_TWICE = r" is (\S+)(?: on [^;]*?)? and should be \1\."

QUERY_OF_ONE_TOKEN = Mutants(
    wrong=(
        Wrong("with-the-keys-matrix", "x_2 = inputs[1]\nquery_2 = x_2 @ W_key", NAMED),
        Wrong("with-the-values-matrix", "x_2 = inputs[1]\nquery_2 = x_2 @ W_value", NAMED),
        Wrong("token-two-counted-from-one", "x_2 = inputs[2]\nquery_2 = x_2 @ W_query", NAMED),
        Wrong("first-token", "x_2 = inputs[0]\nquery_2 = x_2 @ W_query", NAMED + VALUES),
        Wrong("all-tokens", "query_2 = inputs @ W_query", SHAPE + NAMED),
        Wrong("kept-the-token-axis", "x_2 = inputs[1:2]\nquery_2 = x_2 @ W_query", SHAPE),
        Wrong("a-column", "x_2 = inputs[1]\nquery_2 = W_query.T @ x_2.unsqueeze(1)", SHAPE),
        Wrong("matrix-on-the-left", "x_2 = inputs[1]\nquery_2 = W_query @ x_2", MISSING, says=r"error"),
        Wrong("matrix-turned", "x_2 = inputs[1]\nquery_2 = x_2 @ W_query.T", MISSING, says=r"error"),
        Wrong("elementwise", "x_2 = inputs[1]\nquery_2 = x_2 * W_query", MISSING, says=r"error"),
        Wrong(
            "elementwise-and-added-along-the-wrong-axis",
            "x_2 = inputs[1]\nquery_2 = (x_2[:, None] * W_query).sum(dim=1)",
            SHAPE + NAMED,
        ),
        Wrong("products-not-added", "x_2 = inputs[1]\nquery_2 = x_2.unsqueeze(1) * W_query", SHAPE + NAMED),
        Wrong("mean-of-the-products", "query_2 = (inputs[1][:, None] * W_query).mean(0)", VALUES + NAMED),
        Wrong("reshaped-not-turned", "query_2 = W_query.reshape(2, 3) @ inputs[1]", VALUES + NAMED),
        Wrong("one-row-of-the-matrix", "x_2 = inputs[1]\nquery_2 = W_query[1]", VALUES + NAMED),
        Wrong("token-itself", "x_2 = inputs[1]\nquery_2 = x_2", SHAPE + NAMED),
        Wrong("new-matrix", "x_2 = inputs[1]\nW_query = torch.rand(3, 2)\nquery_2 = x_2 @ W_query", GIVENS),
        Wrong(
            "new-layer",
            """
            torch.manual_seed(123)
            x_2 = inputs[1]  # (d_in,), the second token, "journey"
            query_2 = nn.Linear(d_in, d_out, bias=False)(x_2)
            """,
            VALUES,
        ),
        Wrong(
            "seeded-again",
            """
            torch.manual_seed(123)
            x_2 = inputs[1]
            query_2 = x_2 @ torch.rand(3, 2)
            """,
            NOT_COMPUTED,
            notebook_passes=True,
        ),
        Wrong(
            "copied-with-four-decimals",
            "x_2 = inputs[1]\nquery_2 = torch.tensor([0.4306, 1.4551])",
            NOT_COMPUTED + VALUES,
            never=SAME_TWICE,
        ),
        Wrong(
            "copied-with-all-digits",
            "x_2 = inputs[1]\nquery_2 = torch.tensor([0.4306369423866272, 1.455058217048645])",
            NOT_COMPUTED,
            notebook_passes=True,
            says=TYPED_IN,
        ),
        Wrong(
            "token-typed-in",
            "x_2 = torch.tensor([0.55, 0.87, 0.66])\nquery_2 = x_2 @ W_query",
            NOT_COMPUTED,
            notebook_passes=True,
            says=TYPED_IN,
        ),
        Wrong("list-of-two", "x_2 = inputs[1]\nquery_2 = [x_2 @ W_query[:, 0], x_2 @ W_query[:, 1]]", TYPE),
        Wrong("a-comma", "x_2 = inputs[1]\nquery_2 = x_2 @ W_query,", TYPE),
        Wrong("numpy-array", "query_2 = inputs[1].numpy() @ W_query.numpy()", TYPE),
        Wrong("print-returns-none", "x_2 = inputs[1]\nquery_2 = print(x_2 @ W_query)", TYPE + STUB),
        Wrong("half-precision", "query_2 = (inputs[1] @ W_query).half()", DTYPE),
        Wrong("other-name", "x_2 = inputs[1]\nquery2 = x_2 @ W_query", MISSING, says=r"`query2`"),
        Wrong("bracket-open", "x_2 = inputs[1]\nquery_2 = torch.matmul(x_2, W_query", MISSING),
        Wrong("called-like-a-layer", "x_2 = inputs[1]\nquery_2 = W_query(x_2)", MISSING, says=r"error"),
        Wrong("scaled-already", "x_2 = inputs[1]\nquery_2 = x_2 @ W_query / d_out**0.5", VALUES + NAMED),
        Wrong(
            "edits-the-token",
            "x_2 = inputs[1]\nx_2 *= 2\nquery_2 = x_2 @ W_query",
            GIVENS,
        ),
        Wrong("left-as-it-was", "x_2 = inputs[1]\nquery_2 = ...  # your code here", STUB),
    ),
    right=(
        Right("turned-matrix-on-the-left", "x_2 = inputs[1]\nquery_2 = W_query.T @ x_2"),
        Right("matmul", "x_2 = inputs[1]\nquery_2 = torch.matmul(x_2, W_query)"),
        Right("einsum", 'query_2 = torch.einsum("i,io->o", inputs[1], W_query)'),
        Right("row-of-all-queries", "query_2 = (inputs @ W_query)[1]"),
        Right("functional-linear", "query_2 = nn.functional.linear(inputs[1], W_query.T)"),
        Right("broadcasting", "query_2 = (inputs[1][:, None] * W_query).sum(dim=0)"),
        Right("squeezed-row", "query_2 = torch.mm(inputs[1].view(1, -1), W_query).squeeze(0)"),
        Right("float64", "x_2 = inputs[1].double()\nquery_2 = x_2 @ W_query.double()"),
        Right("data-and-clone", "x_2 = inputs[1].clone()\nquery_2 = x_2 @ W_query.data"),
        Right(
            "with-gradients",
            "W = W_query.clone().requires_grad_()\nx_2 = inputs[1]\nquery_2 = x_2 @ W",
        ),
        Right(
            "loops",
            """
            x_2 = inputs[1]
            query_2 = torch.zeros(d_out)
            for j in range(d_out):
                for i in range(d_in):
                    query_2[j] += x_2[i] * W_query[i, j]
            """,
        ),
        Right("stacked-columns", "query_2 = torch.stack([inputs[1].dot(w) for w in W_query.T])"),
        Right(
            "layer-with-the-same-weights",
            """
            layer = nn.Linear(d_in, d_out, bias=False)
            layer.weight = nn.Parameter(W_query.T)
            query_2 = layer(inputs[1])
            """,
        ),
    ),
)

KEYS = Mutants(
    wrong=(
        Wrong("with-the-queries-matrix", "keys = inputs @ W_query", NAMED),
        Wrong("with-the-values-matrix", "keys = inputs @ W_value", NAMED),
        Wrong("one-token-only", "keys = x_2 @ W_key", SHAPE + NAMED),
        Wrong("query-times-matrix", "keys = query_2 @ W_key", MISSING, says=r"error"),
        Wrong("query-times-matrix-turned", "keys = query_2 @ W_key.T", SHAPE),
        Wrong("result-turned", "keys = (inputs @ W_key).T", SHAPE + NAMED),
        Wrong("factors-turned", "keys = W_key.T @ inputs.T", SHAPE + NAMED),
        Wrong("reshaped-not-turned", "keys = (W_key.T @ inputs.T).reshape(6, 2)", VALUES + NAMED),
        Wrong("viewed-not-turned", "keys = inputs @ W_key.reshape(2, 3).T", VALUES + NAMED),
        Wrong("matrix-on-the-left", "keys = W_key @ inputs", MISSING, says=r"error"),
        Wrong("matrix-turned", "keys = inputs @ W_key.T", MISSING, says=r"error"),
        Wrong("elementwise", "keys = inputs * W_key", MISSING, says=r"error"),
        Wrong("projected-twice", "keys = inputs @ W_query @ W_key.T", SHAPE),
        Wrong("both-matrices", "keys = inputs @ (W_query + W_key)", VALUES + NAMED),
        Wrong("keys-normalised", "keys = nn.functional.normalize(inputs @ W_key, dim=-1)", VALUES),
        Wrong("keys-softmaxed", "keys = torch.softmax(inputs @ W_key, dim=-1)", VALUES + NAMED),
        Wrong("scaled-already", "keys = inputs @ W_key / d_out**0.5", VALUES + NAMED),
        Wrong(
            "overwritten-in-the-loop",
            "for x in inputs:\n    keys = x @ W_key",
            SHAPE + NAMED,
        ),
        Wrong(
            "stops-one-short",
            """
            keys = torch.zeros(6, 2)
            for i in range(len(inputs) - 1):
                keys[i] = inputs[i] @ W_key
            """,
            VALUES,
        ),
        Wrong(
            "same-token-in-every-row",
            """
            keys = torch.zeros(6, 2)
            for i in range(6):
                keys[i] = x_2 @ W_key
            """,
            VALUES + NAMED,
        ),
        Wrong(
            "list-of-keys",
            "keys = []\nfor x in inputs:\n    keys.append(x @ W_key)",
            TYPE,
        ),
        Wrong(
            "list-of-lists",
            "keys = (inputs @ W_key).tolist()",
            TYPE,
        ),
        Wrong("numpy-array", "keys = inputs.numpy() @ W_key.numpy()", TYPE),
        Wrong("a-comma", "keys = inputs @ W_key,", TYPE),
        Wrong("dictionary-method", "keys = dict(zip(tokens, inputs @ W_key)).keys()", TYPE),
        Wrong("half-precision", "keys = (inputs @ W_key).half()", DTYPE),
        Wrong("whole-numbers", "keys = (inputs @ W_key).long()", DTYPE),
        Wrong("singular", "key = inputs @ W_key", MISSING, says=r"`key`"),
        Wrong("capital", "Keys = inputs @ W_key", MISSING),
        Wrong("equals-equals", "keys == inputs @ W_key", MISSING),
        Wrong("misspelt-matrix", "keys = inputs @ W_keys", MISSING, says=r"error"),
        Wrong(
            "copied-with-four-decimals",
            """
            keys = torch.tensor([[0.3669, 0.7646], [0.4433, 1.1419], [0.4361, 1.1156],
                                 [0.2408, 0.6706], [0.1827, 0.3292], [0.3275, 0.9642]])
            """,
            NOT_COMPUTED + VALUES,
            never=SAME_TWICE,
        ),
        Wrong(
            "copied-with-all-digits",
            """
            keys = torch.tensor([
                [0.3669137954711914, 0.764557957649231], [0.44331562519073486, 1.1418625116348267],
                [0.4360610246658325, 1.1156411170959473], [0.24083411693572998, 0.6706296801567078],
                [0.18270599842071533, 0.3292312026023865], [0.3274638056755066, 0.9641900062561035],
            ])
            """,
            NOT_COMPUTED,
            notebook_passes=True,
            says=TYPED_IN,
        ),
        Wrong("bias-added", "keys = inputs @ W_key + 1", VALUES),
        Wrong("new-layer", "keys = nn.Linear(3, 2)(inputs)", VALUES + NAMED),
        Wrong("layer-class-itself", "keys = nn.Linear(inputs, W_key)", MISSING, says=r"error"),
        Wrong("edits-the-matrix", "W_key *= 2\nkeys = inputs @ W_key", GIVENS),
        Wrong("left-as-it-was", "keys = ...  # your code here", STUB),
    ),
    right=(
        Right("matmul", "keys = torch.matmul(inputs, W_key)"),
        Right("mm-into-a-buffer", "keys = torch.empty(6, 2)\ntorch.mm(inputs, W_key, out=keys)"),
        Right("einsum", 'keys = torch.einsum("ti,io->to", inputs, W_key)'),
        Right("turned-twice", "keys = (W_key.T @ inputs.T).T"),
        Right("stacked", "keys = torch.stack([x @ W_key for x in inputs])"),
        Right(
            "loop",
            """
            keys = torch.zeros(inputs.shape[0], d_out)
            for i, x_i in enumerate(inputs):
                keys[i] = x_i @ W_key
            """,
        ),
        Right("functional-linear", "import torch.nn.functional as F\nkeys = F.linear(inputs, W_key.T)"),
        Right("float64", "keys = inputs.double() @ W_key.double()"),
        Right("parameter", "keys = nn.Parameter(inputs @ W_key)"),
        Right("broadcasting", "keys = (inputs.unsqueeze(-1) * W_key).sum(dim=-2)"),
        Right("batched", "keys = torch.bmm(inputs[None], W_key[None])[0]"),
        Right("fused-and-cut", "keys = (inputs @ torch.cat((W_query, W_key, W_value), 1)).chunk(3, 1)[1]"),
        Right("vmap", "keys = torch.vmap(lambda x: x @ W_key)(inputs)"),
        Right("by-column", "keys = torch.column_stack([inputs @ W_key[:, 0], inputs @ W_key[:, 1]])"),
    ),
)

VALUES_TASK = Mutants(
    wrong=(
        Wrong("copied-line-with-the-keys-matrix", "values = inputs @ W_key", NAMED),
        Wrong("with-the-queries-matrix", "values = inputs @ W_query", NAMED),
        Wrong("keys-renamed", "values = keys", NAMED),
        Wrong("inputs-renamed", "values = inputs", SHAPE + NAMED),
        Wrong("made-from-the-keys", "values = keys @ W_value", MISSING, says=r"error"),
        Wrong("made-from-the-keys-turned", "values = keys @ W_value.T", SHAPE),
        Wrong("copied-line-still-keys", "keys = inputs @ W_value", MISSING),
        Wrong("one-token-only", "values = x_2 @ W_value", SHAPE + NAMED),
        Wrong("result-turned", "values = (inputs @ W_value).T", SHAPE + NAMED),
        Wrong("dimensions-on-the-left", "values = W_value.T @ inputs.T", SHAPE + NAMED),
        Wrong("reshaped-not-turned", "values = (W_value.T @ inputs.T).view(6, 2)", VALUES + NAMED),
        Wrong("matrix-turned", "values = inputs @ W_value.T", MISSING, says=r"error"),
        Wrong("matrix-on-the-left", "values = torch.matmul(W_value, inputs)", MISSING, says=r"error"),
        Wrong("elementwise-with-the-keys", "values = keys * W_value[0]", VALUES),
        Wrong("query-as-well", "values = query_2 * (inputs @ W_value)", VALUES),
        Wrong("two-matrices-added", "values = inputs @ W_key + inputs @ W_value", VALUES),
        Wrong("list-of-values", "values = [x @ W_value for x in inputs]", TYPE),
        Wrong("generator", "values = (x @ W_value for x in inputs)", TYPE),
        Wrong("numpy-array", "values = (inputs @ W_value).numpy()", TYPE),
        Wrong("a-function", "def values(x):\n    return x @ W_value", TYPE),
        Wrong("a-comma", "values = inputs @ W_value,", TYPE),
        Wrong("singular", "value = inputs @ W_value", MISSING, says=r"`value`"),
        Wrong("upper-case", "VALUES = inputs @ W_value", MISSING),
        Wrong("misspelt-matrix", "values = inputs @ W_values", MISSING, says=r"error"),
        Wrong("keys-and-values-unpacked", "keys, values = inputs @ W_value", MISSING, says=r"error"),
        Wrong("half-precision", "values = inputs.half() @ W_value.half()", DTYPE),
        Wrong("rounded", "values = torch.round(inputs @ W_value, decimals=4)", VALUES, never=SAME_TWICE),
        Wrong(
            "copied-with-all-digits",
            """
            values = torch.tensor([
                [0.1855107694864273, 0.8811973333358765], [0.3951329290866852, 1.0037459135055542],
                [0.3879460394382477, 0.9830959439277649], [0.23928624391555786, 0.5493101477622986],
                [0.1491990089416504, 0.334585964679718], [0.3221239149570465, 0.7862914800643921],
            ])
            """,
            NOT_COMPUTED,
            notebook_passes=True,
            says=TYPED_IN,
        ),
        Wrong(
            "drawn-again-with-the-seed",
            """
            torch.manual_seed(123)
            matrices = [torch.rand(3, 2) for _ in range(3)]
            values = inputs @ matrices[2]
            """,
            NOT_COMPUTED,
            notebook_passes=True,
        ),
        Wrong(
            "newly-drawn-matrix", "values = inputs @ nn.Parameter(torch.rand(d_in, d_out))", VALUES + NAMED
        ),
        Wrong("matrix-filled-anew", "nn.init.ones_(W_value)\nvalues = inputs @ W_value", GIVENS),
        Wrong("tokens-turned", "values = inputs.T @ W_value", MISSING, says=r"error"),
        Wrong("tokens-backwards", "values = inputs.flip(0) @ W_value", VALUES),
        Wrong("left-as-it-was", "values = ...  # your code here", STUB),
    ),
    right=(
        Right("matmul-method", "values = inputs.matmul(W_value)"),
        Right("einsum", 'values = torch.einsum("ij,jk->ik", inputs, W_value)'),
        Right("turned-twice", "values = (W_value.T @ inputs.T).T"),
        Right("stacked", "values = torch.stack([W_value.T @ x for x in inputs], dim=0)"),
        Right("functional-linear", "values = nn.functional.linear(inputs, W_value.mT)"),
        Right("float64", "values = (inputs.to(torch.float64) @ W_value.to(torch.float64))"),
        Right(
            "fused-and-split", "_, _, values = (inputs @ torch.hstack([W_query, W_key, W_value])).split(2, 1)"
        ),
        Right("function-called", "def project(x, w):\n    return x @ w\n\nvalues = project(inputs, W_value)"),
        Right("tensordot", "values = torch.tensordot(inputs, W_value, dims=1)"),
        Right("addmm", "values = torch.addmm(torch.zeros(2), inputs, W_value)"),
        Right(
            "triple-loop",
            """
            values = torch.zeros(6, 2)
            for t in range(6):
                for o in range(2):
                    for i in range(3):
                        values[t, o] += inputs[t, i] * W_value[i, o]
            """,
        ),
        Right(
            "nested-list-made-a-tensor",
            "values = torch.tensor([[float(x @ w) for w in W_value.T] for x in inputs])",
        ),
        Right(
            "numpy-and-back",
            "import numpy as np\nvalues = torch.from_numpy(np.dot(inputs.numpy(), W_value.detach().numpy()))",
        ),
    ),
)

SCORES_OF_ONE_QUERY = Mutants(
    wrong=(
        Wrong("with-the-values", "attn_scores_2 = values @ query_2", NAMED),
        Wrong("with-the-inputs", "attn_scores_2 = inputs @ x_2", NAMED),
        Wrong("tokens-with-the-query", "attn_scores_2 = inputs @ query_2", MISSING, says=r"error"),
        Wrong("own-key-as-query", "attn_scores_2 = keys @ keys[1]", NAMED),
        Wrong("queries-with-the-key", "attn_scores_2 = (inputs @ W_query) @ keys[1]", NAMED),
        Wrong("third-query", "attn_scores_2 = keys @ (inputs[2] @ W_query)", VALUES + NAMED),
        Wrong("query-with-queries", "attn_scores_2 = (inputs @ W_query) @ query_2", VALUES + NAMED),
        Wrong("one-score-only", "attn_scores_2 = query_2 @ keys[1]", SHAPE + NAMED),
        Wrong("keys-not-turned", "attn_scores_2 = query_2 @ keys", MISSING, says=r"error"),
        Wrong("products-not-added", "attn_scores_2 = query_2 * keys", SHAPE + NAMED),
        Wrong("added-over-the-tokens", "attn_scores_2 = (query_2 * keys).sum(0)", SHAPE + NAMED),
        Wrong("mean-not-sum", "attn_scores_2 = (query_2 * keys).mean(-1)", VALUES + NAMED),
        Wrong("scaled-already", "attn_scores_2 = query_2 @ keys.T / d_out**0.5", NAMED),
        Wrong("softmax-already", "attn_scores_2 = torch.softmax(query_2 @ keys.T, dim=-1)", NAMED + VALUES),
        Wrong(
            "scaled-and-softmaxed", "attn_scores_2 = (query_2 @ keys.T / 2**0.5).softmax(-1)", VALUES + NAMED
        ),
        Wrong("all-queries", "attn_scores_2 = inputs @ W_query @ keys.T", SHAPE + NAMED),
        Wrong("a-row", "attn_scores_2 = query_2.unsqueeze(0) @ keys.T", SHAPE),
        Wrong("a-column", "attn_scores_2 = keys @ query_2.reshape(-1, 1)", SHAPE),
        Wrong(
            "cosine-similarity",
            "attn_scores_2 = torch.cosine_similarity(keys, query_2[None])",
            VALUES + NAMED,
        ),
        Wrong("distance", "attn_scores_2 = (keys - query_2).norm(dim=-1)", VALUES),
        Wrong(
            "list-of-scores",
            "attn_scores_2 = []\nfor k in keys:\n    attn_scores_2.append(query_2 @ k)",
            TYPE,
        ),
        Wrong("list-of-floats", "attn_scores_2 = [torch.dot(query_2, k).item() for k in keys]", TYPE),
        Wrong(
            "overwritten-in-the-loop",
            "for k in keys:\n    attn_scores_2 = torch.dot(query_2, k)",
            SHAPE + NAMED,
        ),
        Wrong(
            "counts-from-one",
            """
            attn_scores_2 = torch.zeros(6)
            for i in range(1, 6):
                attn_scores_2[i] = query_2 @ keys[i]
            """,
            VALUES,
        ),
        Wrong("keys-reshaped-not-turned", "attn_scores_2 = query_2 @ keys.reshape(2, 6)", VALUES + NAMED),
        Wrong("keys-viewed-not-turned", "attn_scores_2 = query_2 @ keys.view(2, -1)", VALUES + NAMED),
        Wrong("whole-numbers", "attn_scores_2 = (keys @ query_2).int()", DTYPE),
        Wrong("numpy-array", "attn_scores_2 = (keys @ query_2).numpy()", TYPE),
        Wrong(
            "copied-with-four-decimals",
            "attn_scores_2 = torch.tensor([1.2705, 1.8524, 1.8111, 1.0795, 0.5577, 1.5440])",
            NOT_COMPUTED + VALUES,
            never=SAME_TWICE,
        ),
        Wrong(
            "copied-with-all-digits",
            """
            attn_scores_2 = torch.tensor([
                1.2704830169677734, 1.8523845672607422, 1.81110680103302,
                1.0795172452926636, 0.5577305555343628, 1.5439705848693848,
            ])
            """,
            NOT_COMPUTED,
            notebook_passes=True,
            says=TYPED_IN,
        ),
        Wrong(
            "query-typed-in",
            "attn_scores_2 = keys @ torch.tensor([0.4306369423866272, 1.455058217048645])",
            NOT_COMPUTED,
            notebook_passes=True,
            says=TYPED_IN,
        ),
        Wrong("an-s-forgotten", "attn_score_2 = query_2 @ keys.T", MISSING, says=r"`attn_score_2`"),
        Wrong(
            "number-forgotten",
            "attn_scores = query_2 @ keys.T",
            MISSING,
            says=r"`attn_scores`",
        ),
        Wrong("without-own-score", "attn_scores_2 = keys[[0, 2, 3, 4, 5]] @ query_2", SHAPE),
        Wrong("own-score-zero", "attn_scores_2 = keys @ query_2\nattn_scores_2[1] = 0", VALUES),
        Wrong("a-comma", "attn_scores_2 = query_2 @ keys.T,", TYPE),
        Wrong("print-returns-none", "attn_scores_2 = print(query_2 @ keys.T)", TYPE + STUB),
        Wrong("left-as-it-was", "attn_scores_2 = ...  # your code here", STUB),
    ),
    right=(
        Right("keys-on-the-left", "attn_scores_2 = keys @ query_2"),
        Right("query-on-the-left", "attn_scores_2 = query_2 @ keys.T"),
        Right("einsum", 'attn_scores_2 = torch.einsum("d,td->t", query_2, keys)'),
        Right("mv", "attn_scores_2 = torch.mv(keys, query_2)"),
        Right("broadcasting", "attn_scores_2 = (keys * query_2).sum(dim=-1)"),
        Right("stacked-dots", "attn_scores_2 = torch.stack([torch.dot(query_2, key) for key in keys])"),
        Right("row-of-all-scores", "attn_scores_2 = (inputs @ W_query @ keys.T)[1]"),
        Right("from-the-matrices", "attn_scores_2 = x_2 @ W_query @ W_key.T @ inputs.T"),
        Right("functional-linear", "attn_scores_2 = nn.functional.linear(query_2, keys)"),
        Right("float64", "attn_scores_2 = keys.double() @ query_2.double()"),
        Right(
            "loop-into-zeros",
            """
            attn_scores_2 = torch.zeros(keys.shape[0])
            for i in range(keys.shape[0]):
                attn_scores_2[i] = sum(query_2 * keys[i])
            """,
        ),
        Right("squeezed-row", "attn_scores_2 = (query_2[None, :] @ keys.transpose(0, 1)).squeeze(0)"),
        Right("inner", "attn_scores_2 = torch.inner(query_2, keys)"),
        Right("tensor-of-items", "attn_scores_2 = torch.tensor([(query_2 @ k).item() for k in keys])"),
    ),
)

SCALED_WEIGHTS = Mutants(
    wrong=(
        Wrong("not-scaled", "attn_weights_2 = torch.softmax(attn_scores_2, dim=-1)", NAMED),
        Wrong("divided-by-d-k", "attn_weights_2 = torch.softmax(attn_scores_2 / d_k, dim=-1)", NAMED),
        Wrong("times-the-root", "attn_weights_2 = torch.softmax(attn_scores_2 * d_k**0.5, dim=-1)", NAMED),
        Wrong("times-d-k", "attn_weights_2 = torch.softmax(attn_scores_2 * d_k, dim=-1)", VALUES + NAMED),
        Wrong(
            "square-not-root",
            "attn_weights_2 = torch.softmax(attn_scores_2 / d_k**2, dim=-1)",
            NAMED + VALUES,
            never=r"`d_k\*\*1/2` means",
        ),
        Wrong("d-in", "attn_weights_2 = torch.softmax(attn_scores_2 / d_in**0.5, dim=-1)", NAMED),
        Wrong(
            "number-of-tokens",
            "attn_weights_2 = torch.softmax(attn_scores_2 / len(attn_scores_2)**0.5, dim=-1)",
            NAMED,
        ),
        Wrong(
            "rows-of-the-keys",
            "attn_weights_2 = torch.softmax(attn_scores_2 / keys.shape[0] ** 0.5, dim=-1)",
            NAMED,
        ),
        Wrong(
            "rows-of-the-matrix",
            "attn_weights_2 = torch.softmax(attn_scores_2 / W_key.shape[0] ** 0.5, dim=-1)",
            NAMED,
        ),
        Wrong("scaled-after", "attn_weights_2 = torch.softmax(attn_scores_2, dim=-1) / d_k**0.5", NAMED),
        Wrong(
            "scaled-before-and-after",
            "attn_weights_2 = torch.softmax(attn_scores_2 / d_k**0.5, -1) / d_k**0.5",
            NAMED + RULE + VALUES,
        ),
        Wrong(
            "scaled-twice", "s = attn_scores_2 / d_k**0.5\nattn_weights_2 = (s / d_k**0.5).softmax(0)", NAMED
        ),
        Wrong("no-softmax", "attn_weights_2 = attn_scores_2 / d_k**0.5", NAMED + RULE),
        Wrong(
            "divided-by-the-sum",
            "s = attn_scores_2 / d_k**0.5\nattn_weights_2 = s / s.sum()",
            NAMED + VALUES,
        ),
        Wrong(
            "exp-without-sum",
            "attn_weights_2 = torch.exp(attn_scores_2 / d_k**0.5)",
            NAMED + RULE,
        ),
        Wrong(
            "log-softmax", "attn_weights_2 = torch.log_softmax(attn_scores_2 / d_k**0.5, -1)", RULE + NAMED
        ),
        Wrong("sigmoid", "attn_weights_2 = torch.sigmoid(attn_scores_2 / d_k**0.5)", RULE + NAMED),
        Wrong(
            "softmax-twice",
            "w = (attn_scores_2 / d_k**0.5).softmax(0)\nattn_weights_2 = w.softmax(0)",
            NAMED + VALUES,
        ),
        Wrong(
            "precedence",
            "attn_weights_2 = torch.softmax(attn_scores_2 / d_k**1 / 2, dim=-1)",
            NAMED + VALUES,
        ),
        Wrong(
            "halved-power",
            "attn_weights_2 = torch.softmax((attn_scores_2 / d_k) ** 0.5, dim=-1)",
            VALUES + NAMED,
        ),
        Wrong(
            "floor-division",
            "attn_weights_2 = torch.softmax(attn_scores_2 // d_k**0.5, dim=-1)",
            VALUES + NAMED,
        ),
        Wrong("integer-half", "attn_weights_2 = torch.softmax(attn_scores_2 / d_k**(1//2), dim=-1)", NAMED),
        Wrong(
            "root-of-two-typed-in",
            "attn_weights_2 = torch.softmax(attn_scores_2 / 1.414, dim=-1)",
            NOT_COMPUTED,
            notebook_passes=True,
        ),
        Wrong(
            "wrong-axis",
            "attn_weights_2 = torch.softmax(attn_scores_2 / d_k**0.5, dim=1)",
            MISSING,
            says=r"error",
        ),
        Wrong(
            "axis-forgotten",
            "attn_weights_2 = torch.softmax(attn_scores_2 / d_k**0.5)",
            MISSING,
            says=r"error",
        ),
        Wrong(
            "trivial-axis",
            "attn_weights_2 = torch.softmax((attn_scores_2 / d_k**0.5)[:, None], dim=1).squeeze()",
            RULE + NAMED + VALUES,
        ),
        Wrong(
            "root-of-an-int",
            "attn_weights_2 = torch.softmax(attn_scores_2 / torch.sqrt(d_k), dim=-1)",
            MISSING,
            says=r"error",
        ),
        Wrong(
            "scores-of-the-other-kind",
            "attn_weights_2 = torch.softmax(keys @ keys[1] / d_k**0.5, -1)",
            VALUES + NAMED,
        ),
        Wrong("softmax-of-the-keys", "attn_weights_2 = torch.softmax(keys / d_k**0.5, dim=-1)", SHAPE),
        Wrong(
            "copied-with-four-decimals",
            "attn_weights_2 = torch.tensor([0.1500, 0.2264, 0.2199, 0.1311, 0.0906, 0.1820])",
            NOT_COMPUTED + VALUES,
            never=SAME_TWICE,
        ),
        Wrong(
            "copied-with-all-digits",
            """
            attn_weights_2 = torch.tensor([
                0.15001948177814484, 0.22638379037380219, 0.2198716402053833,
                0.1310700625181198, 0.09062889218330383, 0.18202608823776245,
            ])
            """,
            NOT_COMPUTED,
            notebook_passes=True,
            says=TYPED_IN,
        ),
        Wrong("half-precision", "attn_weights_2 = (attn_scores_2 / d_k**0.5).softmax(0).bfloat16()", DTYPE),
        Wrong("list", "attn_weights_2 = list(torch.softmax(attn_scores_2 / d_k**0.5, dim=-1))", TYPE),
        Wrong("module-not-called", "attn_weights_2 = nn.Softmax(dim=-1)", TYPE),
        Wrong("a-row", "attn_weights_2 = torch.softmax(attn_scores_2[None] / d_k**0.5, dim=-1)", SHAPE),
        Wrong("number-forgotten", "attn_weights = torch.softmax(attn_scores_2 / d_k**0.5, dim=-1)", MISSING),
        Wrong("left-as-it-was", "attn_weights_2 = ...  # your code here", STUB),
    ),
    right=(
        Right("plain", "attn_weights_2 = torch.softmax(attn_scores_2 / d_k**0.5, dim=-1)"),
        Right(
            "math-sqrt", "import math\nattn_weights_2 = torch.softmax(attn_scores_2 / math.sqrt(d_k), dim=0)"
        ),
        Right("negative-power", "attn_weights_2 = (attn_scores_2 * d_k**-0.5).softmax(dim=-1)"),
        Right(
            "root-of-a-tensor", "attn_weights_2 = (attn_scores_2 / torch.sqrt(torch.tensor(d_k))).softmax(-1)"
        ),
        Right(
            "size-of-the-keys", "attn_weights_2 = torch.softmax(attn_scores_2 / keys.shape[-1] ** 0.5, -1)"
        ),
        Right("size-of-the-query", "attn_weights_2 = torch.softmax(attn_scores_2 / len(query_2) ** 0.5, -1)"),
        Right(
            "by-hand",
            """
            scaled = attn_scores_2 / d_k**0.5
            e = torch.exp(scaled - scaled.max())
            attn_weights_2 = e / e.sum()
            """,
        ),
        Right("log-and-back", "s = attn_scores_2 / d_k**0.5\nattn_weights_2 = (s - s.logsumexp(0)).exp()"),
        Right("module", "attn_weights_2 = nn.Softmax(dim=-1)(attn_scores_2 / d_k**0.5)"),
        Right(
            "float64", "attn_weights_2 = torch.softmax(attn_scores_2 / d_k**0.5, dim=-1, dtype=torch.float64)"
        ),
        Right(
            "shifted-first", "attn_weights_2 = ((attn_scores_2 - attn_scores_2.max()) / d_k**0.5).softmax(0)"
        ),
        Right("pow-of-exp", "e = torch.exp(attn_scores_2) ** (1 / d_k**0.5)\nattn_weights_2 = e / e.sum()"),
        Right(
            "fused-attention",
            """
            import torch.nn.functional as F
            eye = torch.eye(6)[None]
            attn_weights_2 = F.scaled_dot_product_attention(query_2[None, None], keys[None], eye)[0, 0]
            """,
        ),
        Right(
            "numpy-root",
            "import numpy as np\nattn_weights_2 = torch.softmax(attn_scores_2 / np.sqrt(d_k), 0)",
        ),
        Right(
            "in-place-on-a-copy",
            "scaled = attn_scores_2.clone()\nscaled /= d_k ** (1 / 2)\nattn_weights_2 = scaled.softmax(-1)",
        ),
    ),
)

CONTEXT_OF_ONE_TOKEN = Mutants(
    wrong=(
        Wrong("with-the-inputs", "context_vec_2 = attn_weights_2 @ inputs", SHAPE + NAMED),
        Wrong("with-the-keys", "context_vec_2 = attn_weights_2 @ keys", NAMED),
        Wrong("with-the-queries", "context_vec_2 = attn_weights_2 @ (inputs @ W_query)", VALUES + NAMED),
        Wrong("with-the-scores", "context_vec_2 = attn_scores_2 @ values", NAMED),
        Wrong("scaled-scores", "context_vec_2 = (attn_scores_2 / d_k**0.5) @ values", VALUES + NAMED),
        Wrong(
            "unscaled-weights", "context_vec_2 = torch.softmax(attn_scores_2, -1) @ values", VALUES + NAMED
        ),
        Wrong("values-turned", "context_vec_2 = attn_weights_2 @ values.T", MISSING, says=r"error"),
        Wrong("values-on-the-left", "context_vec_2 = values @ attn_weights_2", MISSING, says=r"error"),
        Wrong("elementwise", "context_vec_2 = attn_weights_2 * values", MISSING, says=r"error"),
        Wrong("products-not-added", "context_vec_2 = attn_weights_2.unsqueeze(1) * values", SHAPE + NAMED),
        Wrong(
            "added-over-the-dimensions",
            "context_vec_2 = (attn_weights_2[:, None] * values).sum(-1)",
            SHAPE + NAMED,
        ),
        Wrong(
            "mean-of-the-products",
            "context_vec_2 = (attn_weights_2[:, None] * values).mean(0)",
            VALUES + NAMED,
        ),
        Wrong("plain-mean", "context_vec_2 = values.mean(dim=0)", VALUES + NAMED),
        Wrong("plain-sum", "context_vec_2 = values.sum(dim=0)", VALUES + NAMED),
        Wrong("best-value", "context_vec_2 = values[attn_weights_2.argmax()]", VALUES + NAMED),
        Wrong("own-value", "context_vec_2 = values[1]", VALUES + NAMED),
        Wrong("token-added", "context_vec_2 = values[1] + attn_weights_2 @ values", VALUES),
        Wrong("scaled-again", "context_vec_2 = attn_weights_2 @ values / d_k**0.5", VALUES + NAMED),
        Wrong("divided-by-tokens", "context_vec_2 = attn_weights_2 @ values / 6", VALUES + NAMED),
        Wrong("a-row", "context_vec_2 = attn_weights_2[None] @ values", SHAPE),
        Wrong("a-column", "context_vec_2 = values.T @ attn_weights_2[:, None]", SHAPE),
        Wrong("values-reshaped", "context_vec_2 = values.reshape(2, 6) @ attn_weights_2", VALUES + NAMED),
        Wrong(
            "every-context",
            "w = torch.softmax(inputs @ W_query @ keys.T / d_k**0.5, dim=-1)\ncontext_vec_2 = w @ values",
            SHAPE + NAMED,
        ),
        Wrong(
            "overwritten-in-the-loop",
            "for w, v in zip(attn_weights_2, values):\n    context_vec_2 = w * v",
            VALUES + NAMED,
        ),
        Wrong(
            "equals-plus",
            "context_vec_2 = torch.zeros(2)\nfor w, v in zip(attn_weights_2, values):\n    context_vec_2 =+ w * v",
            VALUES + NAMED,
        ),
        Wrong(
            "stops-one-short",
            """
            context_vec_2 = torch.zeros(2)
            for i in range(len(values) - 1):
                context_vec_2 += attn_weights_2[i] * values[i]
            """,
            VALUES + NAMED,
        ),
        Wrong(
            "three-dimensions",
            """
            context_vec_2 = torch.zeros(d_in)
            for i in range(6):
                context_vec_2 += attn_weights_2[i] * values[i]
            """,
            SHAPE + VALUES,
        ),
        Wrong("list-of-two", "context_vec_2 = [attn_weights_2 @ values[:, j] for j in range(2)]", TYPE),
        Wrong("numpy-array", "context_vec_2 = attn_weights_2.numpy() @ values.numpy()", TYPE),
        Wrong("a-comma", "context_vec_2 = attn_weights_2 @ values,", TYPE),
        Wrong("half-precision", "context_vec_2 = (attn_weights_2 @ values).half()", DTYPE),
        Wrong("vec-forgotten", "context_2 = attn_weights_2 @ values", MISSING, says=r"`context_2`"),
        Wrong(
            "vector-written-out",
            "context_vector_2 = attn_weights_2 @ values",
            MISSING,
            says=r"`context_vector_2`",
        ),
        Wrong(
            "copied-with-four-decimals",
            "context_vec_2 = torch.tensor([0.3061, 0.8210])",
            NOT_COMPUTED + VALUES,
            never=SAME_TWICE,
        ),
        Wrong(
            "copied-with-all-digits",
            "context_vec_2 = torch.tensor([0.3061002194881439, 0.82103031873703])",
            NOT_COMPUTED,
            notebook_passes=True,
            says=TYPED_IN,
        ),
        Wrong(
            "weights-typed-in",
            """
            w = torch.tensor([0.15001948177814484, 0.22638379037380219, 0.2198716402053833,
                              0.1310700625181198, 0.09062889218330383, 0.18202608823776245])
            context_vec_2 = w @ values
            """,
            NOT_COMPUTED,
            notebook_passes=True,
            says=TYPED_IN,
        ),
        Wrong("left-as-it-was", "context_vec_2 = ...  # your code here", STUB),
    ),
    right=(
        Right("product", "context_vec_2 = attn_weights_2 @ values"),
        Right("turned-values-on-the-left", "context_vec_2 = values.T @ attn_weights_2"),
        Right("einsum", 'context_vec_2 = torch.einsum("t,td->d", attn_weights_2, values)'),
        Right("broadcasting", "context_vec_2 = (attn_weights_2.unsqueeze(-1) * values).sum(dim=0)"),
        Right(
            "loop",
            """
            context_vec_2 = torch.zeros(d_out)
            for weight, value in zip(attn_weights_2, values):
                context_vec_2 += weight * value
            """,
        ),
        Right("builtin-sum", "context_vec_2 = sum(w * v for w, v in zip(attn_weights_2, values))"),
        Right("weights-on-inputs-first", "context_vec_2 = (attn_weights_2 @ inputs) @ W_value"),
        Right("float64", "context_vec_2 = attn_weights_2.double() @ values.double()"),
        Right(
            "fused-attention",
            """
            context_vec_2 = nn.functional.scaled_dot_product_attention(
                query_2[None, None], keys[None], values[None]
            ).flatten()
            """,
        ),
        Right("squeezed-row", "context_vec_2 = torch.mm(attn_weights_2.view(1, -1), values).squeeze()"),
        Right("stacked-dimensions", "context_vec_2 = torch.stack([attn_weights_2 @ v for v in values.T])"),
        Right(
            "row-of-all-contexts",
            "context_vec_2 = (torch.softmax(inputs @ W_query @ keys.T / d_k**0.5, dim=-1) @ values)[1]",
        ),
        Right("multi-dot", "context_vec_2 = torch.linalg.multi_dot([attn_weights_2, inputs, W_value])"),
    ),
)


def _cell(head: str, init: str, forward: str) -> str:
    """A class as typed: its first lines, what its `__init__` does and what its `forward` does."""
    body = indent(dedent(init).strip("\n"), " " * 8)
    steps = indent(dedent(forward).strip("\n"), " " * 8)
    return f"{head}\n        super().__init__()\n{body}\n\n    def forward(self, x):\n{steps}\n"


V1_HEAD = "class SelfAttention_v1(nn.Module):\n    def __init__(self, d_in, d_out):"
V1_INIT = """
self.W_query = nn.Parameter(torch.rand(d_in, d_out))
self.W_key = nn.Parameter(torch.rand(d_in, d_out))
self.W_value = nn.Parameter(torch.rand(d_in, d_out))
"""
V1_FORWARD = """
keys = x @ self.W_key
queries = x @ self.W_query
values = x @ self.W_value
attn_scores = queries @ keys.T  # omega
attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)
return attn_weights @ values
"""


def v1(forward: str = V1_FORWARD, init: str = V1_INIT) -> str:
    """The first class with another `forward` or another `__init__`."""
    return _cell(V1_HEAD, init, forward)


def changed(text: str, *pairs: tuple[str, str]) -> str:
    """A text with some of its pieces replaced, each of which it must have."""
    for old, new in pairs:
        if old not in text:
            raise ValueError(old)
        text = text.replace(old, new)
    return text


def v1_but(*pairs: tuple[str, str]) -> str:
    """The first class as most people write it, with some pieces replaced."""
    return changed(v1(), *pairs)


SOFTMAX = "torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)"

SELF_ATTENTION_V1 = Mutants(
    wrong=(
        Wrong("softmax-over-the-queries", v1_but(("dim=-1", "dim=0")), NAMED),
        Wrong("softmax-over-the-queries-negative", v1_but(("dim=-1", "dim=-2")), NAMED),
        Wrong("not-scaled", v1_but((" / keys.shape[-1] ** 0.5", "")), NAMED),
        Wrong("divided-by-d-k", v1_but((" ** 0.5", "")), NAMED),
        Wrong("times-the-root", v1_but((" / keys.shape[-1]", " * keys.shape[-1]")), NAMED),
        Wrong("scaled-by-d-in", v1_but(("/ keys.shape[-1]", "/ x.shape[-1]")), NAMED),
        Wrong("scaled-by-tokens", v1_but(("keys.shape[-1]", "keys.shape[0]")), NAMED),
        Wrong(
            "scaled-by-the-size-of-the-scores",
            v1_but(("keys.shape[-1]", "attn_scores.shape[-1]")),
            NAMED,
        ),
        Wrong(
            "scaled-after-the-softmax",
            v1_but((SOFTMAX, "torch.softmax(attn_scores, dim=-1) / keys.shape[-1] ** 0.5")),
            NAMED,
        ),
        Wrong("scale-of-the-notebook", v1_but(("keys.shape[-1]", "d_k")), NAMED, keeps=2, says=r"`d_k`"),
        Wrong("scale-typed-in", v1_but(("keys.shape[-1] ** 0.5", "1.4142135623730951")), NAMED, keeps=2),
        Wrong("keys-ask", v1_but(("queries @ keys.T", "keys @ queries.T")), NAMED),
        Wrong(
            "query-matrices-swapped",
            v1(
                changed(
                    V1_FORWARD,
                    ("x @ self.W_key", "x @ self.W_k"),
                    ("x @ self.W_query", "x @ self.W_key"),
                    ("x @ self.W_k\n", "x @ self.W_query\n"),
                )
            ),
            NAMED,
        ),
        Wrong("weights-on-the-keys", v1_but(("attn_weights @ values", "attn_weights @ keys")), NAMED),
        Wrong("weights-on-the-tokens", v1_but(("attn_weights @ values", "attn_weights @ x")), SHAPE + NAMED),
        Wrong("keys-matrix-for-the-values", v1_but(("x @ self.W_value", "x @ self.W_key")), NAMED),
        Wrong("weights-turned", v1_but(("attn_weights @ values", "attn_weights.T @ values")), NAMED),
        Wrong("no-softmax", v1_but((SOFTMAX, "attn_scores / keys.shape[-1] ** 0.5")), NAMED + VALUES),
        Wrong(
            "divided-by-the-row-sum",
            v1_but((SOFTMAX, "attn_scores / attn_scores.sum(dim=-1, keepdim=True)")),
            NAMED + VALUES,
        ),
        Wrong(
            "naive-softmax-without-keepdim",
            v1_but(
                (
                    f"attn_weights = {SOFTMAX}",
                    "e = torch.exp(attn_scores / keys.shape[-1] ** 0.5)\n        attn_weights = e / e.sum(dim=-1)",
                )
            ),
            VALUES + NAMED,
        ),
        Wrong(
            "softmax-over-everything",
            v1_but(
                (SOFTMAX, "(attn_scores / keys.shape[-1] ** 0.5).flatten().softmax(0).view_as(attn_scores)")
            ),
            VALUES + NAMED,
        ),
        Wrong(
            "values-of-the-notebook",
            v1_but(
                ("attn_weights @ values", "attn_weights @ values"),
                ("values = x @ self.W_value", "value = x @ self.W_value"),
            ),
            NAMED + VALUES + RAISED,
        ),
        Wrong(
            "keys-of-the-notebook",
            v1_but(("keys = x @", "key = x @")),
            RULE + NAMED + VALUES + RAISED + SHAPE,
        ),
        Wrong(
            "tokens-of-the-notebook",
            v1_but(("x @", "inputs @")),
            NAMED + VALUES + RAISED + SHAPE,
            says=r"`inputs`",
        ),
        Wrong("matrices-of-the-notebook", v1_but(("@ self.", "@ ")), RULE + NAMED + VALUES + RAISED + SHAPE),
        Wrong(
            "sizes-of-the-notebook",
            v1(
                init="""
            d_in, d_out = 3, 2
            self.W_query = nn.Parameter(torch.rand(d_in, d_out))
            self.W_key = nn.Parameter(torch.rand(d_in, d_out))
            self.W_value = nn.Parameter(torch.rand(d_in, d_out))
            """
            ),
            PARAMETERS,
            keeps=2,
        ),
        Wrong(
            "plain-tensors",
            v1(init=changed(V1_INIT, ("nn.Parameter(", "("))),
            PARAMETERS,
        ),
        Wrong(
            "tensors-with-gradients",
            v1(
                init=changed(
                    V1_INIT,
                    ("nn.Parameter(torch.rand(d_in, d_out))", "torch.rand(d_in, d_out, requires_grad=True)"),
                )
            ),
            PARAMETERS,
        ),
        Wrong(
            "switched-off",
            v1_but(("torch.rand(d_in, d_out)", "torch.rand(d_in, d_out), requires_grad=False")),
            NAMED + BEHAVIOUR + RULE + PARAMETERS,
            never=r"numbers are right.*numbers are right.*\|",
        ),
        Wrong(
            "drawn-from-the-normal-distribution",
            v1_but(("torch.rand(", "torch.randn(")),
            NAMED + VALUES + BEHAVIOUR,
            keeps=2,
        ),
        Wrong(
            "zeros",
            v1_but(("torch.rand(", "torch.zeros(")),
            NAMED + VALUES + BEHAVIOUR,
            keeps=2,
        ),
        Wrong(
            "xavier",
            v1(init=V1_INIT + "for p in self.parameters():\n    nn.init.xavier_uniform_(p)\n"),
            NAMED + VALUES + BEHAVIOUR,
            keeps=2,
        ),
        Wrong(
            "own-seed",
            v1(init="torch.manual_seed(123)" + V1_INIT),
            NAMED + VALUES + BEHAVIOUR,
            keeps=2,
        ),
        Wrong(
            "one-matrix-for-all",
            v1(
                init="W = nn.Parameter(torch.rand(d_in, d_out))\nself.W_query = self.W_key = self.W_value = W\n"
            ),
            PARAMETERS + VALUES + NAMED,
            never=r"has no parameter",
        ),
        Wrong("turned-matrices", v1_but(("torch.rand(d_in, d_out)", "torch.rand(d_out, d_in)")), PARAMETERS),
        Wrong(
            "turned-matrices-turned-back",
            v1_but(
                ("torch.rand(d_in, d_out)", "torch.rand(d_out, d_in)"),
                ("@ self.W_query", "@ self.W_query.T"),
                ("@ self.W_key", "@ self.W_key.T"),
                ("@ self.W_value", "@ self.W_value.T"),
            ),
            PARAMETERS,
        ),
        Wrong("short-names", v1_but(("W_query", "W_q"), ("W_key", "W_k"), ("W_value", "W_v")), PARAMETERS),
        Wrong(
            "linear-layers",
            v1(
                changed(
                    V1_FORWARD,
                    ("x @ self.W_key", "self.W_key(x)"),
                    ("x @ self.W_query", "self.W_query(x)"),
                    ("x @ self.W_value", "self.W_value(x)"),
                ),
                changed(
                    V1_INIT, ("nn.Parameter(torch.rand(d_in, d_out))", "nn.Linear(d_in, d_out, bias=False)")
                ),
            ),
            PARAMETERS + NAMED,
        ),
        Wrong(
            "fused-matrix",
            v1(
                """
            q, k, v = (x @ self.W_qkv).chunk(3, dim=-1)
            return torch.softmax(q @ k.T / k.shape[-1] ** 0.5, dim=-1) @ v
            """,
                "self.W_qkv = nn.Parameter(torch.rand(d_in, 3 * d_out))",
            ),
            PARAMETERS,
        ),
        Wrong(
            "in-a-python-list",
            v1(
                """
            q, k, v = [x @ w for w in self.weights]
            return torch.softmax(q @ k.T / k.shape[-1] ** 0.5, dim=-1) @ v
            """,
                "self.weights = [nn.Parameter(torch.rand(d_in, d_out)) for _ in range(3)]",
            ),
            PARAMETERS,
        ),
        Wrong(
            "a-fourth-parameter",
            v1_but(("return attn_weights @ values", "return attn_weights @ values @ self.W_o")).replace(
                "\n\n    def forward",
                "\n        self.W_o = nn.Parameter(torch.eye(d_out))\n\n    def forward",
            ),
            PARAMETERS,
        ),
        Wrong(
            "drawn-in-every-forward",
            v1(
                """
            W_query = torch.rand(self.d_in, self.d_out)
            W_key = torch.rand(self.d_in, self.d_out)
            W_value = torch.rand(self.d_in, self.d_out)
            queries, keys, values = x @ W_query, x @ W_key, x @ W_value
            return torch.softmax(queries @ keys.T / self.d_out**0.5, dim=-1) @ values
            """,
                "self.d_in, self.d_out = d_in, d_out",
            ),
            PARAMETERS,
        ),
        Wrong(
            "drawn-anew-over-the-parameters",
            v1("self.W_query = nn.Parameter(torch.rand(x.shape[1], 2))" + V1_FORWARD),
            VALUES + NAMED + RAISED + BEHAVIOUR + RULE + SHAPE,
        ),
        Wrong(
            "only-two-matrices",
            v1(
                changed(V1_FORWARD, ("x @ self.W_value", "x @ self.W_key")),
                V1_INIT.replace("self.W_value = nn.Parameter(torch.rand(d_in, d_out))", ""),
            ),
            PARAMETERS,
        ),
        Wrong(
            "self-forgotten",
            v1_but(
                ("self.W_query = nn", "W_query = nn"),
                ("self.W_key = nn", "W_key = nn"),
                ("self.W_value = nn", "W_value = nn"),
            ),
            PARAMETERS + RAISED,
        ),
        Wrong("super-forgotten", v1_but(("        super().__init__()\n", "")), RAISED),
        Wrong(
            "return-forgotten",
            v1_but(("return attn_weights @ values", "context_vec = attn_weights @ values")),
            TYPE,
        ),
        Wrong(
            "print-not-return", v1_but(("return attn_weights @ values", "print(attn_weights @ values)")), TYPE
        ),
        Wrong("returns-the-weights", v1_but(("return attn_weights @ values", "return attn_weights")), SHAPE),
        Wrong(
            "returns-both",
            v1_but(("return attn_weights @ values", "return attn_weights @ values, attn_weights")),
            TYPE,
        ),
        Wrong(
            "returns-one-token",
            v1_but(("return attn_weights @ values", "return (attn_weights @ values)[1]")),
            SHAPE,
        ),
        Wrong("second-query-only", v1_but(("queries = x @", "queries = x[1] @")), SHAPE),
        Wrong(
            "six-tokens-always",
            v1("""
            q, k, v = x @ self.W_query, x @ self.W_key, x @ self.W_value
            out = torch.zeros(6, v.shape[1])
            for i in range(6):
                out[i] = torch.softmax(k @ q[i] / k.shape[1] ** 0.5, dim=0) @ v
            return out
            """),
            RAISED,
            keeps=2,
        ),
        Wrong(
            "two-dimensions-always",
            v1("""
            q, k, v = x @ self.W_query, x @ self.W_key, x @ self.W_value
            w = torch.softmax(q @ k.T / k.shape[1] ** 0.5, dim=-1)
            return torch.stack([w @ v[:, 0], w @ v[:, 1]], dim=1)
            """),
            SHAPE,
            keeps=2,
        ),
        Wrong(
            "detached",
            v1_but(("return attn_weights @ values", "return (attn_weights @ values).detach()")),
            NAMED + BEHAVIOUR + RULE,
        ),
        Wrong(
            "no-grad-in-forward",
            v1("with torch.no_grad():\n" + indent(V1_FORWARD.strip("\n"), "    ")),
            NAMED + BEHAVIOUR + RULE,
        ),
        Wrong(
            "values-without-gradient",
            v1_but(("x @ self.W_value", "x @ self.W_value.data")),
            NAMED + BEHAVIOUR + RULE,
        ),
        Wrong(
            "edits-its-argument", v1("x /= x.norm(dim=-1, keepdim=True)" + V1_FORWARD), VALUES + RULE + NAMED
        ),
        Wrong(
            "edits-its-argument-afterwards",
            v1_but(("return attn_weights", "x.div_(x.norm())\n        return attn_weights")),
            RULE,
        ),
        Wrong(
            "future-hidden",
            v1_but(
                (
                    SOFTMAX,
                    "torch.softmax((attn_scores / keys.shape[-1] ** 0.5).masked_fill("
                    "torch.ones_like(attn_scores).triu(1).bool(), -torch.inf), dim=-1)",
                )
            ),
            VALUES + NAMED,
        ),
        Wrong(
            "dropout-inside",
            v1_but((SOFTMAX, f"nn.functional.dropout({SOFTMAX}, 0.1)")),
            VALUES + RULE + BEHAVIOUR + NAMED,
        ),
        Wrong(
            "residual",
            v1_but(("return attn_weights @ values", "return values + attn_weights @ values")),
            VALUES + NAMED,
        ),
        Wrong(
            "half-precision",
            v1_but(("return attn_weights @ values", "return (attn_weights @ values).half()")),
            DTYPE,
        ),
        Wrong(
            "forward-misspelt",
            v1_but(("def forward", "def foward")),
            RAISED,
            never=r"Replace the `\.\.\.`",
        ),
        Wrong("init-misspelt", v1_but(("def __init__", "def _init_")), RAISED),
        Wrong("x-forgotten", v1_but(("def forward(self, x)", "def forward(self)")), RAISED),
        Wrong("self-missing-in-forward", v1_but(("def forward(self, x)", "def forward(x)")), RAISED),
        Wrong(
            "name-without-underscore",
            v1_but(("SelfAttention_v1", "SelfAttentionV1")),
            MISSING,
            says=r"`SelfAttentionV1`",
        ),
        Wrong(
            "an-object-not-a-class",
            v1() + "\nSelfAttention_v1 = SelfAttention_v1(3, 2)\n",
            NO_FUNCTION + TYPE,
        ),
        Wrong(
            "no-module",
            v1_but(("(nn.Module)", "")).replace("        super().__init__()\n", ""),
            TYPE + PARAMETERS + RAISED + NAMED,
        ),
        Wrong("colon-forgotten", v1_but(("def forward(self, x):", "def forward(self, x)")), MISSING),
        Wrong(
            "a-function",
            """
            def SelfAttention_v1(x, W_query, W_key, W_value):
                q, k, v = x @ W_query, x @ W_key, x @ W_value
                return torch.softmax(q @ k.T / k.shape[-1] ** 0.5, dim=-1) @ v
            """,
            NO_FUNCTION + RAISED + TYPE,
        ),
        Wrong("left-as-it-was", v1("...  # your code here", "...  # your code here"), STUB + PARAMETERS),
        Wrong("forward-left", v1("...  # your code here"), STUB + TYPE),
        Wrong("axes-named-the-wrong-way", v1_but(("queries @ keys.T", "queries.T @ keys")), RAISED),
        Wrong(
            "dk-an-attribute-of-d-in",
            v1(
                "q, k, v = (x @ w for w in (self.W_query, self.W_key, self.W_value))\n"
                "return torch.softmax(q @ k.T / self.scale, dim=-1) @ v",
                V1_INIT + "self.scale = d_in**0.5\n",
            ),
            NAMED,
        ),
    ),
    right=(
        # The order of creation is not a mistake: weights are given by name.
        Right(
            "drawn-keys-first",
            v1(
                init="""
            self.W_key = nn.Parameter(torch.rand(d_in, d_out))
            self.W_query = nn.Parameter(torch.rand(d_in, d_out))
            self.W_value = nn.Parameter(torch.rand(d_in, d_out))
            """
            ),
        ),
        Right("plain", v1()),
        Right(
            "fused-attention",
            v1("""
            q, k, v = x @ self.W_query, x @ self.W_key, x @ self.W_value
            return nn.functional.scaled_dot_product_attention(q[None], k[None], v[None])[0]
            """),
            costs=2,
        ),
        Right(
            "einsums",
            v1("""
            q = torch.einsum("ti,io->to", x, self.W_query)
            k = torch.einsum("ti,io->to", x, self.W_key)
            v = torch.einsum("ti,io->to", x, self.W_value)
            w = torch.einsum("qd,kd->qk", q, k).div(q.size(-1) ** 0.5).softmax(-1)
            return torch.einsum("qk,kd->qd", w, v)
            """),
        ),
        Right(
            "fused-product-then-chunk",
            v1("""
            qkv = x @ torch.cat([self.W_query, self.W_key, self.W_value], dim=1)
            q, k, v = qkv.chunk(3, dim=-1)
            return (q @ k.mT / k.shape[-1] ** 0.5).softmax(dim=1) @ v
            """),
        ),
        Right(
            "set-in-a-loop",
            v1(
                init="""
            self.d_k = d_out
            for name in ("W_query", "W_key", "W_value"):
                setattr(self, name, nn.Parameter(torch.rand(d_in, d_out)))
            """
            ),
        ),
        Right(
            "registered-by-hand",
            v1(
                init="""
            self.register_parameter("W_query", nn.Parameter(torch.rand(d_in, d_out)))
            self.register_parameter("W_key", nn.Parameter(torch.rand(d_in, d_out)))
            self.register_parameter("W_value", nn.Parameter(torch.rand(d_in, d_out)))
            """
            ),
        ),
        Right(
            "initialised-uniformly",
            v1(
                init="""
            self.W_query = nn.Parameter(torch.empty(d_in, d_out))
            self.W_key = nn.Parameter(torch.empty(d_in, d_out))
            self.W_value = nn.Parameter(torch.empty(d_in, d_out))
            self.reset()
            """
            )
            + """
    def reset(self):
        for w in (self.W_query, self.W_key, self.W_value):
            nn.init.uniform_(w)
""",
        ),
        Right(
            "drawn-in-order-assigned-otherwise",
            v1(
                init="""
            q, k, v = (torch.rand(d_in, d_out) for _ in range(3))
            self.W_value = nn.Parameter(v)
            self.W_key = nn.Parameter(k)
            self.W_query = nn.Parameter(q)
            """
            ),
        ),
        Right(
            "loop-over-tokens",
            v1("""
            q, k, v = x @ self.W_query, x @ self.W_key, x @ self.W_value
            out = []
            for i in range(x.shape[0]):
                scores = torch.stack([q[i] @ k[j] for j in range(len(x))])
                out.append(torch.softmax(scores / q.shape[1] ** 0.5, dim=0) @ v)
            return torch.stack(out)
            """),
        ),
        Right(
            "zeros-filled-token-by-token",
            v1("""
            q, k, v = x @ self.W_query, x @ self.W_key, x @ self.W_value
            out = torch.zeros(len(x), v.shape[1])
            for i in range(len(x)):
                out[i] = torch.softmax(k @ q[i] / k.shape[1] ** 0.5, dim=0) @ v
            return out
            """),
        ),
        Right(
            "helper-methods-and-a-property",
            v1("return self.weights(x) @ (x @ self.W_value)")
            + '''
    @property
    def scale(self):
        return self.W_key.shape[1] ** -0.5

    def weights(self, x):
        """(queries, keys)"""
        return (self.scores(x) * self.scale).softmax(dim=-1)

    def scores(self, x):
        return (x @ self.W_query) @ (x @ self.W_key).T
''',
        ),
        Right(
            "helper-function-and-subclass",
            """
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
                    return attend(x @ self.W_query, x @ self.W_key, x @ self.W_value)
            """,
        ),
        Right(
            "float64-inside",
            v1("""
            x = x.double()
            q, k, v = (x @ w.double() for w in (self.W_query, self.W_key, self.W_value))
            return ((q @ k.T / k.shape[-1] ** 0.5).softmax(-1) @ v).float()
            """),
        ),
        Right(
            "columns-then-turned",
            v1("""
            q, k, v = x @ self.W_query, x @ self.W_key, x @ self.W_value
            w = torch.softmax(k @ q.T / k.shape[-1] ** 0.5, dim=0)
            return w.T @ v
            """),
        ),
        Right(
            "extra-attributes-and-a-buffer",
            v1(
                """
            q, k, v = x @ self.W_query, x @ self.W_key, x @ self.W_value
            self.last_weights = self.softmax(q @ k.T / self.root)
            return torch.matmul(self.last_weights, v)
            """,
                V1_INIT + "self.d_in, self.d_out = d_in, d_out\nself.softmax = nn.Softmax(dim=-1)\n"
                'self.register_buffer("root", torch.tensor(d_out**0.5))\n',
            ),
        ),
        Right(
            "batched-products",
            v1("""
            W = torch.stack([self.W_query, self.W_key, self.W_value])
            q, k, v = torch.bmm(x.expand(3, *x.shape), W)
            s = torch.bmm(q[None], k[None].mT) * k.shape[-1] ** -0.5
            return torch.bmm(s.softmax(-1), v[None]).squeeze(0)
            """),
        ),
        Right(
            "softmax-by-hand",
            v1("""
            q, k, v = x @ self.W_query, x @ self.W_key, x @ self.W_value
            s = q @ k.T / self.W_key.size(1) ** 0.5
            e = (s - s.max(dim=1, keepdim=True).values).exp()
            return e @ v / e.sum(1, keepdim=True)
            """),
        ),
        Right(
            "old-super-and-keywords",
            v1_but(
                ("super()", "super(SelfAttention_v1, self)"),
                ("torch.rand(d_in, d_out)", "data=torch.rand(size=(d_in, d_out)), requires_grad=True"),
            ),
        ),
        Right(
            "functional-linear-and-partial",
            """
            from functools import partial
            import torch.nn.functional as F

            class SelfAttention_v1(nn.Module):
                \"\"\"Single-head attention.\"\"\"

                def __init__(self, d_in, d_out, **kwargs):
                    super().__init__(**kwargs)
                    new = lambda: nn.Parameter(torch.rand(d_in, d_out))
                    self.W_query, self.W_key, self.W_value = new(), new(), new()
                    self.attend = partial(F.scaled_dot_product_attention, dropout_p=0.0)

                def forward(self, x):
                    q, k, v = [F.linear(x, w.T) for w in (self.W_query, self.W_key, self.W_value)]
                    return self.attend(q, k, v)
            """,
            costs=2,
        ),
    ),
)


def spread(body: str) -> str:
    """The function of task 8 with another body."""
    return "def score_spread(queries, keys, scaled):\n" + indent(dedent(body).strip("\n"), "    ") + "\n"


SCORE_SPREAD = Mutants(
    wrong=(
        Wrong("never-scaled", spread("return (queries @ keys.T).std()"), NAMED, keeps=1),
        Wrong(
            "always-scaled",
            spread("return (queries @ keys.T / queries.shape[-1] ** 0.5).std()"),
            NAMED,
            keeps=1,
        ),
        Wrong(
            "divided-by-d-k",
            spread("s = queries @ keys.T\nif scaled:\n    s = s / keys.shape[-1]\nreturn s.std()"),
            NAMED,
            keeps=1,
        ),
        Wrong(
            "times-the-root",
            spread("s = queries @ keys.T\nif scaled:\n    s = s * keys.shape[-1] ** 0.5\nreturn s.std()"),
            NAMED,
            keeps=1,
        ),
        Wrong(
            "number-of-keys",
            spread("s = queries @ keys.T\nif scaled:\n    s = s / keys.shape[0] ** 0.5\nreturn s.std()"),
            NAMED,
            keeps=1,
        ),
        Wrong(
            "number-of-queries",
            spread("s = queries @ keys.T\nif scaled:\n    s = s / len(queries) ** 0.5\nreturn s.std()"),
            NAMED + VALUES,
            keeps=1,
        ),
        Wrong(
            "size-of-the-notebook",
            spread("s = queries @ keys.T\nif scaled:\n    s = s / d_k**0.5\nreturn s.std()"),
            NAMED + VALUES,
            keeps=1,
            says=r"`d_k`",
        ),
        Wrong(
            "two-typed-in",
            spread("s = queries @ keys.T\nif scaled:\n    s /= 2**0.5\nreturn s.std()"),
            NAMED + VALUES,
            keeps=1,
        ),
        Wrong(
            "polarity-turned",
            spread("s = queries @ keys.T\nif not scaled:\n    s = s / keys.shape[-1] ** 0.5\nreturn s.std()"),
            NAMED + VALUES,
        ),
        Wrong(
            "compared-with-a-string",
            spread(
                's = queries @ keys.T\nif scaled == "True":\n    s = s / keys.shape[-1] ** 0.5\nreturn s.std()'
            ),
            NAMED,
            keeps=1,
        ),
        Wrong(
            "result-thrown-away",
            spread("s = queries @ keys.T\nif scaled:\n    s / keys.shape[-1] ** 0.5\nreturn s.std()"),
            NAMED,
            keeps=1,
        ),
        Wrong(
            "variance",
            spread("s = queries @ keys.T\nif scaled:\n    s = s / keys.shape[-1] ** 0.5\nreturn s.var()"),
            NAMED,
        ),
        Wrong(
            "root-of-the-spread-too",
            spread("s = (queries @ keys.T).std()\nif scaled:\n    s = (s / keys.shape[-1]) ** 0.5\nreturn s"),
            VALUES + NAMED,
            keeps=1,
        ),
        Wrong(
            "without-correction",
            spread(
                "s = queries @ keys.T\nif scaled:\n    s = s / keys.shape[-1] ** 0.5\nreturn s.std(unbiased=False)"
            ),
            NAMED + VALUES,
        ),
        Wrong(
            "numpy-std",
            spread(
                "s = queries @ keys.T\nif scaled:\n    s = s / keys.shape[-1] ** 0.5\nreturn s.numpy().std()"
            ),
            NAMED + VALUES,
        ),
        Wrong(
            "for-each-query",
            spread(
                "s = queries @ keys.T\nif scaled:\n    s = s / keys.shape[-1] ** 0.5\nreturn s.std(dim=-1)"
            ),
            SHAPE + NAMED,
        ),
        Wrong(
            "mean-of-the-rows-spreads",
            spread(
                "s = queries @ keys.T\nif scaled:\n    s = s / keys.shape[-1] ** 0.5\nreturn s.std(-1).mean()"
            ),
            VALUES + NAMED,
        ),
        Wrong(
            "pairs-only",
            spread(
                "s = (queries * keys).sum(-1)\nif scaled:\n    s = s / keys.shape[-1] ** 0.5\nreturn s.std()"
            ),
            RAISED,
        ),
        Wrong(
            "queries-with-queries",
            spread("s = queries @ queries.T\nif scaled:\n    s = s / keys.shape[-1] ** 0.5\nreturn s.std()"),
            NAMED + VALUES,
        ),
        Wrong(
            "keys-with-keys",
            spread("s = keys @ keys.T\nif scaled:\n    s = s / keys.shape[-1] ** 0.5\nreturn s.std()"),
            NAMED + VALUES,
        ),
        Wrong(
            "dimensions-with-dimensions",
            spread("s = queries.T @ keys\nif scaled:\n    s = s / keys.shape[-1] ** 0.5\nreturn s.std()"),
            RAISED,
        ),
        Wrong(
            "keys-not-turned",
            spread("s = queries @ keys\nif scaled:\n    s = s / keys.shape[-1] ** 0.5\nreturn s.std()"),
            RAISED,
        ),
        Wrong(
            "softmax-as-well",
            spread(
                "s = queries @ keys.T\nif scaled:\n    s = s / keys.shape[-1] ** 0.5\nreturn s.softmax(-1).std()"
            ),
            NAMED + VALUES,
        ),
        Wrong(
            "softmax-when-scaled",
            spread(
                "s = queries @ keys.T\nif scaled:\n    s = (s / keys.shape[-1] ** 0.5).softmax(-1)\nreturn s.std()"
            ),
            VALUES + NAMED,
            keeps=1,
        ),
        Wrong(
            "returned-only-when-scaled",
            spread("s = queries @ keys.T\nif scaled:\n    return (s / keys.shape[-1] ** 0.5).std()"),
            TYPE,
            keeps=1,
        ),
        Wrong(
            "returned-only-when-plain",
            spread("s = queries @ keys.T\nif not scaled:\n    return s.std()\ns = s / keys.shape[-1] ** 0.5"),
            TYPE,
            keeps=1,
        ),
        Wrong(
            "returns-the-scores",
            spread("s = queries @ keys.T\nif scaled:\n    s = s / keys.shape[-1] ** 0.5\nreturn s"),
            SHAPE + NAMED,
        ),
        Wrong(
            "method-not-called",
            spread("s = queries @ keys.T\nif scaled:\n    s = s / keys.shape[-1] ** 0.5\nreturn s.std"),
            TYPE,
        ),
        Wrong(
            "print-not-return",
            spread("s = queries @ keys.T\nif scaled:\n    s = s / keys.shape[-1] ** 0.5\nprint(s.std())"),
            TYPE,
        ),
        Wrong(
            "std-and-mean",
            spread(
                "s = queries @ keys.T\nif scaled:\n    s = s / keys.shape[-1] ** 0.5\nreturn torch.std_mean(s)"
            ),
            TYPE,
        ),
        Wrong(
            "edits-its-queries",
            spread("if scaled:\n    queries /= queries.shape[-1] ** 0.5\nreturn (queries @ keys.T).std()"),
            RULE,
            keeps=1,
        ),
        Wrong(
            "random-vectors-of-its-own",
            spread("""
            queries = torch.randn(300, keys.shape[-1])
            s = queries @ keys.T
            if scaled:
                s = s / keys.shape[-1] ** 0.5
            return s.std()
            """),
            VALUES + RULE,
        ),
        Wrong(
            "theory-instead-of-measuring",
            spread("d_k = keys.shape[-1]\nreturn torch.tensor(1.0) if scaled else torch.tensor(d_k**0.5)"),
            VALUES,
        ),
        Wrong(
            "notebook-tokens",
            spread(
                "s = (inputs @ W_query) @ keys.T\nif scaled:\n    s = s / keys.shape[-1] ** 0.5\nreturn s.std()"
            ),
            RAISED + VALUES,
        ),
        Wrong(
            "root-of-an-int",
            spread(
                "s = queries @ keys.T\nif scaled:\n    s = s / torch.sqrt(keys.shape[-1])\nreturn s.std()"
            ),
            RAISED,
            keeps=1,
        ),
        Wrong(
            "scale-then-twice",
            spread(
                "s = queries @ keys.T\nif scaled:\n    s = s / keys.shape[-1] ** 0.5\n    s = s / keys.shape[-1] ** 0.5\nreturn s.std()"
            ),
            NAMED,
            keeps=1,
        ),
        Wrong(
            "scaled-both-and-multiplied",
            spread(
                "r = keys.shape[-1] ** 0.5\nq, k = (queries / r, keys / r) if scaled else (queries, keys)\nreturn (q @ k.T).std()"
            ),
            NAMED,
            keeps=1,
        ),
        Wrong(
            "rounded",
            spread(
                "s = queries @ keys.T\nif scaled:\n    s = s / keys.shape[-1] ** 0.5\nreturn round(s.std().item(), 2)"
            ),
            VALUES + NAMED,
        ),
        Wrong(
            "with-an-axis",
            spread(
                "s = queries @ keys.T\nif scaled:\n    s = s / keys.shape[-1] ** 0.5\nreturn s.std().reshape(1)"
            ),
            SHAPE,
        ),
        Wrong(
            "two-arguments", "def score_spread(queries, keys):\n    return (queries @ keys.T).std()", RAISED
        ),
        Wrong("left-as-it-was", spread("...  # your code here"), STUB),
    ),
    right=(
        Right(
            "plain",
            spread(
                "scores = queries @ keys.T\nif scaled:\n    scores = scores / keys.shape[-1] ** 0.5\nreturn scores.std()"
            ),
        ),
        Right(
            "spread-divided",
            spread("s = (queries @ keys.T).std()\nreturn s / queries.shape[1] ** 0.5 if scaled else s"),
        ),
        Right(
            "queries-divided",
            spread(
                "if scaled:\n    queries = queries / queries.shape[-1] ** 0.5\nreturn torch.std(queries @ keys.T)"
            ),
        ),
        Right(
            "both-by-the-fourth-root",
            spread(
                "r = keys.size(1) ** (0.25 if scaled else 0)\nreturn ((queries / r) @ (keys / r).T).std()"
            ),
        ),
        Right(
            "einsum",
            spread(
                's = torch.einsum("qd,kd->qk", queries, keys)\nif scaled is True:\n    s.div_(keys.shape[-1] ** 0.5)\nreturn s.std()'
            ),
        ),
        Right(
            "python-number",
            spread(
                "s = queries @ keys.T\nif scaled == True:\n    s /= keys.shape[-1] ** 0.5\nreturn s.std().item()"
            ),
        ),
        Right(
            "numpy-with-correction",
            spread("""
            import numpy as np
            s = queries.numpy() @ keys.numpy().T
            if scaled:
                s = s / np.sqrt(keys.shape[-1])
            return s.std(ddof=1)
            """),
        ),
        Right(
            "float64",
            spread(
                "s = queries.double() @ keys.double().T\nreturn (s / (keys.shape[-1] ** 0.5 if scaled else 1)).std()"
            ),
        ),
        Right(
            "loops",
            spread("""
            scores = []
            for q in queries:
                for k in keys:
                    score = torch.dot(q, k)
                    if scaled:
                        score = score / len(k) ** 0.5
                    scores.append(score)
            return torch.std(torch.stack(scores))
            """),
        ),
        Right(
            "by-hand",
            spread("""
            s = queries @ keys.T
            if scaled:
                s = s * keys.shape[-1] ** -0.5
            deviations = s - s.mean()
            return ((deviations**2).sum() / (s.numel() - 1)).sqrt()
            """),
        ),
        Right(
            "lambda",
            "score_spread = lambda queries, keys, scaled: torch.std(queries @ keys.T / (queries.shape[-1] ** 0.5) ** int(scaled))",
        ),
        Right(
            "statistics",
            spread(
                "import statistics\ns = (queries @ keys.T).flatten().tolist()\nreturn statistics.stdev(s) / (keys.shape[-1] ** 0.5 if scaled else 1)"
            ),
        ),
        Right(
            "where",
            spread(
                "d_k = torch.tensor(float(keys.shape[-1]))\ndivisor = torch.where(torch.tensor(scaled), d_k.sqrt(), torch.tensor(1.0))\nreturn (queries @ keys.T / divisor).std()"
            ),
        ),
    ),
)


V2_HEAD = "class SelfAttention_v2(nn.Module):\n    def __init__(self, d_in, d_out, qkv_bias=False):"
V2_INIT = """
self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
"""
V2_FORWARD = """
keys = self.W_key(x)
queries = self.W_query(x)
values = self.W_value(x)
attn_scores = queries @ keys.T
attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)
return attn_weights @ values
"""


def v2(forward: str = V2_FORWARD, init: str = V2_INIT) -> str:
    """The second class with another `forward` or another `__init__`."""
    return _cell(V2_HEAD, init, forward)


def v2_but(*pairs: tuple[str, str]) -> str:
    """The second class as most people write it, with some pieces replaced."""
    return changed(v2(), *pairs)


SELF_ATTENTION_V2 = Mutants(
    wrong=(
        Wrong("softmax-over-the-queries", v2_but(("dim=-1", "dim=0")), NAMED),
        Wrong("not-scaled", v2_but((" / keys.shape[-1] ** 0.5", "")), NAMED),
        Wrong("divided-by-d-k", v2_but((" ** 0.5", "")), NAMED),
        Wrong("times-the-root", v2_but((" / keys.shape[-1]", " * keys.shape[-1]")), NAMED),
        Wrong("scaled-by-d-in", v2_but(("/ keys.shape[-1]", "/ x.shape[-1]")), NAMED),
        Wrong("scaled-by-tokens", v2_but(("keys.shape[-1]", "len(keys)")), NAMED),
        Wrong(
            "scaled-after-the-softmax",
            v2_but((SOFTMAX, "torch.softmax(attn_scores, dim=-1) / keys.shape[-1] ** 0.5")),
            NAMED,
        ),
        Wrong("scale-of-the-notebook", v2_but(("keys.shape[-1]", "d_k")), NAMED, keeps=1, says=r"`d_k`"),
        Wrong("scale-typed-in", v2_but(("keys.shape[-1]", "2")), NAMED, keeps=1),
        Wrong("scale-of-the-layer-turned", v2_but(("keys.shape[-1]", "self.W_key.weight.shape[1]")), NAMED),
        Wrong("keys-ask", v2_but(("queries @ keys.T", "keys @ queries.T")), NAMED),
        Wrong("weights-on-the-keys", v2_but(("attn_weights @ values", "attn_weights @ keys")), NAMED),
        Wrong("weights-on-the-tokens", v2_but(("attn_weights @ values", "attn_weights @ x")), NAMED + SHAPE),
        Wrong("keys-layer-for-the-values", v2_but(("self.W_value(x)", "self.W_key(x)")), NAMED),
        Wrong("weights-turned", v2_but(("attn_weights @ values", "attn_weights.T @ values")), NAMED),
        Wrong("no-softmax", v2_but((SOFTMAX, "attn_scores / keys.shape[-1] ** 0.5")), NAMED + VALUES),
        Wrong("bias-always", v2_but(("bias=qkv_bias", "bias=True")), PARAMETERS + NAMED, keeps=1),
        Wrong("bias-left-to-the-default", v2_but((", bias=qkv_bias", "")), PARAMETERS + NAMED, keeps=1),
        Wrong("bias-never", v2_but(("bias=qkv_bias", "bias=False")), PARAMETERS + NAMED, keeps=2),
        Wrong("bias-polarity", v2_but(("bias=qkv_bias", "bias=not qkv_bias")), PARAMETERS + NAMED),
        Wrong(
            "bias-only-for-the-queries",
            v2(
                init=changed(
                    V2_INIT,
                    (
                        "self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)",
                        "self.W_key = nn.Linear(d_in, d_out, bias=False)",
                    ),
                    (
                        "self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)",
                        "self.W_value = nn.Linear(d_in, d_out, bias=False)",
                    ),
                )
            ),
            PARAMETERS + NAMED,
            keeps=2,
        ),
        Wrong(
            "switch-left-out",
            v2_but((", qkv_bias=False", ""), ("bias=qkv_bias", "bias=False")),
            RAISED,
            keeps=1,
        ),
        Wrong("switch-without-default", v2_but(("qkv_bias=False", "qkv_bias")), RAISED, keeps=1),
        Wrong("switch-on-by-default", v2_but(("qkv_bias=False", "qkv_bias=True")), PARAMETERS, keeps=1),
        Wrong(
            "switch-called-bias",
            v2_but(("qkv_bias=False", "bias=False"), ("bias=qkv_bias", "bias=bias")),
            RAISED,
            keeps=2,
        ),
        Wrong(
            "bias-dropped-in-forward",
            v2_but(
                ("self.W_key(x)", "x @ self.W_key.weight.T"),
                ("self.W_query(x)", "x @ self.W_query.weight.T"),
                ("self.W_value(x)", "x @ self.W_value.weight.T"),
            ),
            NAMED + VALUES,
            keeps=2,
        ),
        Wrong(
            "weight-not-turned",
            v2_but(
                ("self.W_key(x)", "x @ self.W_key.weight"),
                ("self.W_query(x)", "x @ self.W_query.weight"),
                ("self.W_value(x)", "x @ self.W_value.weight"),
            ),
            RAISED,
        ),
        Wrong(
            "layer-as-a-matrix",
            v2_but(
                ("self.W_key(x)", "x @ self.W_key"),
                ("self.W_query(x)", "x @ self.W_query"),
                ("self.W_value(x)", "x @ self.W_value"),
            ),
            RAISED,
        ),
        Wrong(
            "sizes-swapped", v2_but(("nn.Linear(d_in, d_out", "nn.Linear(d_out, d_in")), PARAMETERS + RAISED
        ),
        Wrong("square-layers", v2_but(("nn.Linear(d_in, d_out", "nn.Linear(d_in, d_in")), PARAMETERS + SHAPE),
        Wrong(
            "sizes-typed-in",
            v2_but(("nn.Linear(d_in, d_out", "nn.Linear(3, 2")),
            PARAMETERS + RAISED,
            keeps=1,
        ),
        Wrong("plain-parameters", v2(V1_FORWARD, V1_INIT), PARAMETERS + NAMED),
        Wrong(
            "short-names",
            v2_but(("W_query", "W_q"), ("W_key", "W_k"), ("W_value", "W_v")),
            PARAMETERS,
            says=r"W_query",
        ),
        Wrong(
            "fused-layer",
            v2(
                "q, k, v = self.qkv(x).chunk(3, dim=-1)\nreturn torch.softmax(q @ k.T / k.shape[-1] ** 0.5, dim=-1) @ v",
                "self.qkv = nn.Linear(d_in, 3 * d_out, bias=qkv_bias)",
            ),
            PARAMETERS,
        ),
        Wrong(
            "output-layer-added",
            v2(
                changed(
                    V2_FORWARD,
                    ("return attn_weights @ values", "return self.out_proj(attn_weights @ values)"),
                ),
                V2_INIT + "self.out_proj = nn.Linear(d_out, d_out)\n",
            ),
            PARAMETERS,
        ),
        Wrong(
            "layers-in-a-list",
            v2(
                "q, k, v = [layer(x) for layer in self.layers]\nreturn torch.softmax(q @ k.T / k.shape[-1] ** 0.5, dim=-1) @ v",
                "self.layers = [nn.Linear(d_in, d_out, bias=qkv_bias) for _ in range(3)]",
            ),
            PARAMETERS,
        ),
        Wrong(
            "one-layer-for-all",
            v2(init="self.W_query = self.W_key = self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)"),
            PARAMETERS + NAMED + VALUES,
        ),
        Wrong(
            "drawn-in-every-forward",
            v2(
                "q, k, v = (nn.Linear(self.d_in, self.d_out, bias=False)(x) for _ in range(3))\n"
                "return torch.softmax(q @ k.T / self.d_out**0.5, dim=-1) @ v",
                "self.d_in, self.d_out = d_in, d_out",
            ),
            PARAMETERS,
        ),
        Wrong(
            "started-at-zero",
            v2(init=V2_INIT + "for p in self.parameters():\n    nn.init.zeros_(p)\n"),
            NAMED + VALUES,
            keeps=2,
        ),
        Wrong(
            "values-of-the-notebook",
            v2_but(("values = self.W_value(x)", "value = self.W_value(x)")),
            NAMED + RULE + VALUES,
        ),
        Wrong("tokens-of-the-notebook", v2_but(("(x)\n", "(inputs)\n")), NAMED + VALUES, says=r"`inputs`"),
        Wrong("return-forgotten", v2_but(("return attn", "context = attn")), TYPE),
        Wrong("returns-the-weights", v2_but(("return attn_weights @ values", "return attn_weights")), SHAPE),
        Wrong(
            "returns-both",
            v2_but(("return attn_weights @ values", "return attn_weights @ values, attn_weights")),
            TYPE,
        ),
        Wrong("frozen", v2(init=V2_INIT + "self.requires_grad_(False)\n"), NAMED + RULE),
        Wrong("detached", v2_but(("@ values", "@ values.detach()")), NAMED + RULE),
        Wrong("linear-then-relu", v2_but(("self.W_value(x)", "torch.relu(self.W_value(x))")), VALUES + NAMED),
        Wrong("super-forgotten", v2_but(("        super().__init__()\n", "")), RAISED),
        Wrong("still-called-v1", v2_but(("SelfAttention_v2", "SelfAttention_v1")), MISSING),
        Wrong(
            "inherits-v1-and-forgets-forward",
            _cell(V2_HEAD.replace("nn.Module", "SelfAttention_v1"), V2_INIT, "pass").replace(
                "super().__init__()", "super().__init__(d_in, d_out)"
            ),
            STUB + TYPE,
        ),
        Wrong(
            "inherits-forward-of-v1",
            """
            class SelfAttention_v2(SelfAttention_v1):
                def __init__(self, d_in, d_out, qkv_bias=False):
                    nn.Module.__init__(self)
                    self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
            """,
            RAISED,
        ),
        Wrong(
            "forward-misspelt",
            v2_but(("def forward", "def foward")),
            RAISED,
            never=r"Replace the `\.\.\.`",
        ),
        Wrong("left-as-it-was", v2("...  # your code here", "...  # your code here"), STUB),
    ),
    right=(
        # The order of creation is not a mistake: weights are given by name.
        Right(
            "made-keys-first",
            v2(
                init="""
            self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
            self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
            self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
            """
            ),
        ),
        Right("plain", v2()),
        Right(
            "fused-attention",
            v2(
                "q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)\n"
                "return torch.nn.functional.scaled_dot_product_attention(q, k, v)"
            ),
        ),
        Right(
            "in-a-loop",
            v2(
                init="""
            for name in ["W_query", "W_key", "W_value"]:
                self.add_module(name, nn.Linear(in_features=d_in, out_features=d_out, bias=qkv_bias))
            self.softmax = nn.Softmax(dim=-1)
            """
            ),
        ),
        Right(
            "einsums",
            v2("""
            q, k, v = (layer(x) for layer in (self.W_query, self.W_key, self.W_value))
            s = torch.einsum("qd,kd->qk", q, k) * k.size(-1) ** -0.5
            return torch.einsum("qk,kd->qd", s.softmax(-1), v)
            """),
        ),
        Right(
            "fused-weights-then-chunk",
            v2("""
            layers = (self.W_query, self.W_key, self.W_value)
            weight = torch.cat([layer.weight for layer in layers])
            bias = None if layers[0].bias is None else torch.cat([layer.bias for layer in layers])
            q, k, v = nn.functional.linear(x, weight, bias).chunk(3, dim=-1)
            return torch.softmax(q @ k.T / k.shape[-1] ** 0.5, dim=-1) @ v
            """),
        ),
        Right(
            "subclass-of-v1-with-its-own-forward",
            v2()
            .replace("nn.Module", "SelfAttention_v1")
            .replace("super().__init__()", "nn.Module.__init__(self)"),
        ),
        Right("size-from-the-layer", v2_but(("keys.shape[-1]", "self.W_key.out_features"))),
        Right(
            "multiplied-by-hand",
            v2_but(
                (
                    "self.W_query(x)",
                    "x @ self.W_query.weight.T + (0 if self.W_query.bias is None else self.W_query.bias)",
                )
            ),
        ),
        Right(
            "partial-and-helper",
            """
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
                    return softmax_rows(scores / math.sqrt(self.d_k)) @ self.W_value(x)
            """,
        ),
        Right(
            "float64-inside",
            v2(
                "q, k, v = self.W_query(x).double(), self.W_key(x).double(), self.W_value(x).double()\n"
                "return (q @ k.T / k.shape[1] ** 0.5).softmax(1).matmul(v).to(x.dtype)"
            ),
        ),
        Right(
            "token-by-token",
            v2("""
            keys, values = self.W_key(x), self.W_value(x)
            rows = []
            for token in x:
                w = torch.softmax(keys @ self.W_query(token) / keys.shape[-1] ** 0.5, dim=0)
                rows.append(sum(w_j * v_j for w_j, v_j in zip(w, values)))
            return torch.stack(rows)
            """),
        ),
        Right(
            "zeros-filled-token-by-token",
            v2("""
            keys, values = self.W_key(x), self.W_value(x)
            out = torch.zeros(x.shape[0], values.shape[1])
            for i in range(len(x)):
                w = torch.softmax(keys @ self.W_query(x[i]) / keys.shape[-1] ** 0.5, dim=0)
                out[i] = w @ values
            return out
            """),
        ),
        Right(
            "size-kept-and-extra-attributes",
            v2(
                V2_FORWARD.replace("keys.shape[-1] ** 0.5", "self.d_out**0.5"),
                V2_INIT + "self.d_out = d_out\nself.qkv_bias = qkv_bias\n",
            ),
        ),
        Right(
            "multihead-module-with-the-same-weights",
            v2("""
            q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
            d = q.shape[-1]
            eye = torch.eye(d, dtype=x.dtype)
            out, _ = nn.functional.multi_head_attention_forward(
                q[:, None], k[:, None], v[:, None], d, 1, eye.repeat(3, 1), None, None, None, False, 0.0,
                eye, None, training=False, need_weights=False,
            )
            return out[:, 0]
            """),
        ),
        Right(
            "switch-spelt-out",
            v2(
                init="""
            if qkv_bias:
                self.W_query, self.W_key, self.W_value = [nn.Linear(d_in, d_out) for _ in range(3)]
            else:
                self.W_query, self.W_key, self.W_value = [nn.Linear(d_in, d_out, bias=False) for _ in range(3)]
            """
            ),
        ),
    ),
)


def apart(body: str) -> str:
    """The function of task 11 with another body."""
    return "def largest_difference(first, second, x):\n" + indent(dedent(body).strip("\n"), "    ") + "\n"


HOW_FAR_APART = Mutants(
    wrong=(
        Wrong("signs-kept", apart("return (first(x) - second(x)).max()"), NAMED),
        Wrong("absolute-too-late", apart("return (first(x) - second(x)).max().abs()"), NAMED),
        Wrong("builtin-abs-too-late", apart("return abs(torch.max(first(x) - second(x)))"), NAMED),
        Wrong("difference-of-the-largest", apart("return (first(x).max() - second(x).max()).abs()"), NAMED),
        Wrong("absolute-of-each", apart("return (first(x).abs() - second(x).abs()).max()"), NAMED + VALUES),
        Wrong(
            "absolute-of-each-and-of-both",
            apart("return (first(x).abs() - second(x).abs()).abs().max()"),
            VALUES + NAMED,
        ),
        Wrong("mean", apart("return (first(x) - second(x)).abs().mean()"), NAMED),
        Wrong("sum", apart("return (first(x) - second(x)).abs().sum()"), NAMED),
        Wrong("smallest", apart("return (first(x) - second(x)).abs().min()"), NAMED + VALUES),
        Wrong("length", apart("return torch.norm(first(x) - second(x))"), NAMED + VALUES),
        Wrong("squared", apart("return ((first(x) - second(x)) ** 2).max()"), NAMED + VALUES),
        Wrong("mean-squared", apart("return nn.functional.mse_loss(first(x), second(x))"), NAMED + VALUES),
        Wrong("all-differences", apart("return (first(x) - second(x)).abs()"), NAMED + SHAPE),
        Wrong(
            "largest-of-each-row",
            apart("return (first(x) - second(x)).abs().max(dim=-1).values"),
            NAMED + SHAPE,
        ),
        Wrong("values-and-indices", apart("return (first(x) - second(x)).abs().max(dim=0)"), TYPE),
        Wrong("builtin-max", apart("return max((first(x) - second(x)).abs())"), RAISED + SHAPE),
        Wrong("where-it-is", apart("return (first(x) - second(x)).abs().argmax()"), VALUES + DTYPE + NAMED),
        Wrong(
            "close-or-not",
            apart("return torch.allclose(first(x), second(x), atol=1e-6)"),
            TYPE + VALUES + DTYPE + NAMED,
        ),
        Wrong(
            "compared-with-a-limit",
            apart("return (first(x) - second(x)).abs().max() < 1e-6"),
            TYPE + VALUES + DTYPE + NAMED,
        ),
        Wrong("not-called", apart("return (first - second).abs().max()"), RAISED),
        Wrong(
            "called-on-the-sentence",
            apart("return (first(inputs) - second(inputs)).abs().max()"),
            VALUES + NAMED + RAISED,
            says=r"`inputs`",
        ),
        Wrong("classes-of-the-notebook", apart("return (sa_v1(x) - sa_v2(x)).abs().max()"), RAISED + VALUES),
        Wrong("first-with-itself", apart("return (first(x) - first(x)).abs().max()"), NAMED + VALUES),
        Wrong("added-not-subtracted", apart("return (first(x) + second(x)).abs().max()"), VALUES + NAMED),
        Wrong("first-only", apart("return first(x).abs().max()"), VALUES + NAMED),
        Wrong(
            "relative",
            apart("a, b = first(x), second(x)\nreturn ((a - b).abs() / b.abs()).max()"),
            VALUES + NAMED + NOT_FINITE,
        ),
        Wrong(
            "rounded",
            apart("return round((first(x) - second(x)).abs().max().item(), 4)"),
            VALUES,
            keeps=1,
        ),
        Wrong("difference-from-the-input", apart("return (first(x) - x).abs().max()"), RAISED + VALUES),
        Wrong(
            "weights-not-outputs",
            apart("return (first.W_query - second.W_query.weight.T).abs().max()"),
            VALUES + RAISED,
        ),
        Wrong(
            "forward-called",
            apart("return (first.forward(x) - second.forward(x)).abs().max()"),
            RAISED,
            keeps=1,
        ),
        Wrong("one-after-the-other", apart("return (second(first(x)) - x).abs().max()"), RAISED + VALUES),
        Wrong("method-not-called", apart("return (first(x) - second(x)).abs().max"), TYPE),
        Wrong("abs-not-called", apart("return (first(x) - second(x)).abs.max()"), RAISED),
        Wrong("return-forgotten", apart("difference = (first(x) - second(x)).abs().max()"), TYPE),
        Wrong("print-not-return", apart("print((first(x) - second(x)).abs().max())"), TYPE),
        Wrong("as-text", apart('return f"{(first(x) - second(x)).abs().max():.6f}"'), TYPE),
        Wrong(
            "in-a-list",
            apart("return [(first(x) - second(x)).abs().max()]"),
            TYPE,
            never=r"[Pp]roducts",
        ),
        Wrong(
            "kept-an-axis",
            apart("return (first(x) - second(x)).abs().flatten().max(dim=0, keepdim=True).values"),
            SHAPE,
        ),
        Wrong(
            "matrices-only",
            apart("""
            a, b = first(x), second(x)
            best = 0.0
            for i in range(a.shape[0]):
                for j in range(a.shape[1]):
                    best = max(best, abs(a[i, j] - b[i, j]).item())
            return best
            """),
            RAISED,
            keeps=1,
        ),
        Wrong(
            "edits-what-it-was-given",
            apart("a = first(x)\na -= second(x)\nx.zero_()\nreturn a.abs().max()"),
            RULE + BEHAVIOUR + NAMED + VALUES,
        ),
        Wrong("whole-number", apart("return int((first(x) - second(x)).abs().max())"), VALUES + NAMED),
        Wrong("left-as-it-was", apart("...  # your code here"), STUB),
    ),
    right=(
        Right("plain", apart("return (first(x) - second(x)).abs().max()")),
        Right("torch-functions", apart("return torch.max(torch.abs(first(x) - second(x)))")),
        Right("python-number", apart("return (second(x) - first(x)).abs().max().item()")),
        Right("amax", apart("return (first(x) - second(x)).abs().amax()")),
        Right("dist", apart('return torch.dist(first(x), second(x), p=float("inf"))')),
        Right("infinity-norm", apart("return torch.linalg.vector_norm(first(x) - second(x), ord=torch.inf)")),
        Right(
            "without-gradients",
            apart("with torch.no_grad():\n    a, b = first(x), second(x)\n    return (a - b).abs().max()"),
        ),
        Right(
            "decorated",
            "@torch.no_grad()\n" + apart("d = first(x) - second(x)\nreturn torch.maximum(d.max(), -d.min())"),
        ),
        Right(
            "numpy",
            apart(
                "import numpy as np\na, b = first(x).detach().numpy(), second(x).detach().numpy()\nreturn np.abs(a - b).max()"
            ),
        ),
        Right(
            "python-loop",
            apart("""
            largest = 0.0
            for a, b in zip(first(x).flatten().tolist(), second(x).flatten().tolist()):
                if abs(a - b) > largest:
                    largest = abs(a - b)
            return largest
            """),
        ),
        Right(
            "lambda", "largest_difference = lambda first, second, x: torch.max((first(x) - second(x)).abs())"
        ),
        Right("sorted", apart("d = (first(x) - second(x)).abs().flatten()\nreturn d.sort().values[-1]")),
        Right("where", apart("d = first(x) - second(x)\nreturn torch.where(d < 0, -d, d).max()")),
        Right(
            "root-of-the-square", apart("return ((first(x).double() - second(x).double()) ** 2).max().sqrt()")
        ),
        Right(
            "helper",
            "def both(f, g, x):\n    return f(x), g(x)\n\n"
            + apart(
                "a, b = both(first, second, x)\nreturn torch.topk((a - b).abs().reshape(-1), 1).values[0]"
            ),
        ),
        Right(
            "nested-max",
            apart(
                "d = (first(x) - second(x)).abs()\nwhile d.dim() > 0:\n    d = d.max(dim=0).values\nreturn d"
            ),
        ),
    ),
)


def copied(body: str) -> str:
    """The function of task 12 with another body."""
    return "def copy_weights(v2, v1):\n" + indent(dedent(body).strip("\n"), "    ") + "\n"


COPIES = """
with torch.no_grad():
    v1.W_query.copy_(v2.W_query.weight.T)
    v1.W_key.copy_(v2.W_key.weight.T)
    v1.W_value.copy_(v2.W_value.weight.T)
return v1
"""


def copied_but(*pairs: tuple[str, str]) -> str:
    """The function of task 12 as most people write it, with some pieces replaced."""
    return copied(changed(COPIES, *pairs))


NEW_PARAMETERS = """
v1.W_query = nn.Parameter(v2.W_query.weight.T)
v1.W_key = nn.Parameter(v2.W_key.weight.T)
v1.W_value = nn.Parameter(v2.W_value.weight.T)
return v1
"""

COPY_WEIGHTS = Mutants(
    wrong=(
        Wrong("not-turned", copied_but((".weight.T", ".weight")), RAISED),
        Wrong(
            "not-turned-in-new-parameters",
            copied(NEW_PARAMETERS.replace(".T)", ")")),
            NAMED + RAISED + SHAPE + PARAMETERS,
        ),
        Wrong(
            "reshaped-not-turned",
            copied_but(
                ("v2.W_query.weight.T", "v2.W_query.weight.reshape(v1.W_query.shape)"),
                ("v2.W_key.weight.T", "v2.W_key.weight.reshape(v1.W_key.shape)"),
                ("v2.W_value.weight.T", "v2.W_value.weight.reshape(v1.W_value.shape)"),
            ),
            NAMED + VALUES,
        ),
        Wrong(
            "viewed-not-turned",
            copied(NEW_PARAMETERS.replace("weight.T", "weight.view(v1.W_key.shape)")),
            NAMED + VALUES,
        ),
        Wrong(
            "only-the-queries",
            copied("with torch.no_grad():\n    v1.W_query.copy_(v2.W_query.weight.T)\nreturn v1"),
            NAMED + VALUES,
        ),
        Wrong(
            "values-forgotten",
            copied_but(("    v1.W_value.copy_(v2.W_value.weight.T)\n", "")),
            NAMED + VALUES,
        ),
        Wrong(
            "queries-forgotten",
            copied_but(("    v1.W_query.copy_(v2.W_query.weight.T)\n", "")),
            NAMED + VALUES,
        ),
        Wrong("keys-twice", copied_but(("v2.W_value", "v2.W_key")), NAMED + VALUES),
        Wrong(
            "queries-in-all-three",
            copied_but(("v2.W_key", "v2.W_query"), ("v2.W_value", "v2.W_query")),
            NAMED + VALUES,
        ),
        Wrong(
            "keys-and-queries-crossed",
            copied_but(("v2.W_query", "v2.W_k"), ("v2.W_key", "v2.W_query"), ("v2.W_k.", "v2.W_key.")),
            NAMED + VALUES,
        ),
        Wrong("no-grad-forgotten", copied_but(("with torch.no_grad():", "if True:")), RAISED),
        Wrong(
            "plain-tensors-assigned",
            copied(
                "v1.W_query = v2.W_query.weight.T\nv1.W_key = v2.W_key.weight.T\nv1.W_value = v2.W_value.weight.T\nreturn v1"
            ),
            RAISED,
            says=r"Parameter",
        ),
        Wrong(
            "layers-assigned",
            copied("v1.W_query = v2.W_query\nv1.W_key = v2.W_key\nv1.W_value = v2.W_value\nreturn v1"),
            RAISED + TYPE + PARAMETERS + NAMED,
        ),
        Wrong(
            "weights-assigned",
            copied(
                "v1.W_query = v2.W_query.weight\nv1.W_key = v2.W_key.weight\nv1.W_value = v2.W_value.weight\nreturn v1"
            ),
            NAMED + RAISED + SHAPE + PARAMETERS,
        ),
        Wrong(
            "local-names-only",
            copied(
                "W_query, W_key, W_value = v1.W_query, v1.W_key, v1.W_value\nW_query = v2.W_query.weight.T\n"
                "W_key = v2.W_key.weight.T\nW_value = v2.W_value.weight.T\nreturn v1"
            ),
            NAMED + VALUES,
        ),
        Wrong(
            "loop-rebinds",
            copied("for p, q in zip(v1.parameters(), v2.parameters()):\n    p = q.T\nreturn v1"),
            NAMED + VALUES,
        ),
        Wrong(
            "wrong-way",
            copied(
                "with torch.no_grad():\n    v2.W_query.weight.copy_(v1.W_query.T)\n    v2.W_key.weight.copy_(v1.W_key.T)\n    v2.W_value.weight.copy_(v1.W_value.T)\nreturn v1"
            ),
            NAMED + VALUES + RULE,
        ),
        Wrong(
            "wrong-way-in-data",
            copied(
                "v2.W_query.weight.data = v1.W_query.data.T\nv2.W_key.weight.data = v1.W_key.data.T\nv2.W_value.weight.data = v1.W_value.data.T\nreturn v1"
            ),
            NAMED + VALUES + RULE,
        ),
        Wrong(
            "returns-v2",
            copied_but(("return v1", "return v2")),
            NAMED,
        ),
        Wrong("return-forgotten", copied_but(("return v1", "")), TYPE + NAMED),
        Wrong(
            "returns-both",
            copied_but(("return v1", "return v1, v2")),
            TYPE,
            never=r"asks for a tensor",
        ),
        Wrong(
            "returns-the-weights",
            copied_but(("return v1", "return v1.W_query, v1.W_key, v1.W_value")),
            TYPE,
            never=r"asks for a tensor",
        ),
        Wrong(
            "returns-a-result", copied_but(("return v1", "return v1(inputs)")), TYPE + RAISED + VALUES + SHAPE
        ),
        Wrong(
            "v2-turned-in-place",
            copied(
                "with torch.no_grad():\n    for n in ('W_query', 'W_key', 'W_value'):\n        w = getattr(v2, n).weight.t_()\n"
                "        getattr(v1, n).copy_(w)\nreturn v1"
            ),
            RULE + RAISED + NAMED + VALUES + BEHAVIOUR,
        ),
        Wrong("state-dict-as-it-is", copied("v1.load_state_dict(v2.state_dict())\nreturn v1"), RAISED),
        Wrong(
            "state-dict-not-strict",
            copied("v1.load_state_dict(v2.state_dict(), strict=False)\nreturn v1"),
            NAMED + VALUES,
        ),
        Wrong(
            "new-v1-of-fixed-size",
            copied(
                COPIES.replace("with torch.no_grad()", "v1 = SelfAttention_v1(3, 2)\nwith torch.no_grad()")
            ),
            RAISED + RULE + NAMED + BEHAVIOUR,
        ),
        Wrong("instances-of-the-notebook", copied_but(("v2.", "sa_v2.")), RAISED + VALUES + NAMED),
        Wrong(
            "gradients-lost",
            copied(NEW_PARAMETERS.replace(".T)", ".T, requires_grad=False)")),
            RULE + NAMED + BEHAVIOUR + PARAMETERS,
        ),
        Wrong(
            "v2-frozen",
            copied("v2.requires_grad_(False)" + COPIES),
            RULE + NAMED + BEHAVIOUR,
        ),
        Wrong(
            "bias-into-the-weights",
            copied(
                "with torch.no_grad():\n    for n in ('W_query', 'W_key', 'W_value'):\n        layer = getattr(v2, n)\n"
                "        w = layer.weight.T\n        if layer.bias is not None:\n            w = w + layer.bias\n        getattr(v1, n).copy_(w)\nreturn v1"
            ),
            NAMED + VALUES,
            keeps=1,
        ),
        Wrong(
            "scaled-by-the-way",
            copied_but(("v2.W_query.weight.T", "v2.W_query.weight.T / v2.W_query.weight.shape[0] ** 0.5")),
            NAMED + VALUES,
        ),
        Wrong("added-not-copied", copied_but(("copy_(", "add_(")), VALUES + NAMED),
        Wrong("copy-without-underscore", copied_but(("copy_(", "copy(")), RAISED),
        Wrong(
            "forward-borrowed",
            copied("v1.forward = v2.forward\nreturn v1"),
            (
                "MatchesKnownWrong",
                "BrokenProperty",
            ),
        ),
        Wrong("v1-unchanged", copied("return v1"), NAMED + VALUES),
        Wrong(
            "deep-copy-of-v2",
            copied("import copy\nv1 = copy.deepcopy(v2)\nreturn v1"),
            (
                "MatchesKnownWrong",
                "BrokenProperty",
            ),
        ),
        Wrong("arguments-swapped", "def copy_weights(v1, v2):\n" + indent(COPIES.strip(), "    "), RAISED),
        Wrong("names-of-v2-as-tensors", copied_but((".weight.T", ".T")), RAISED),
        Wrong("left-as-it-was", copied("...  # your code here"), STUB),
    ),
    right=(
        Right("copied-in-no-grad", copied(COPIES)),
        Right("new-parameters-sharing", copied(NEW_PARAMETERS)),
        Right(
            "new-parameters-cloned", copied(NEW_PARAMETERS.replace("weight.T", "weight.detach().T.clone()"))
        ),
        Right(
            "data",
            copied(
                "v1.W_query.data = v2.W_query.weight.data.T\nv1.W_key.data = v2.W_key.weight.data.T\nv1.W_value.data = v2.W_value.weight.data.T\nreturn v1"
            ),
        ),
        Right(
            "data-copied",
            copied(
                "for n in ['W_query', 'W_key', 'W_value']:\n    getattr(v1, n).data.copy_(getattr(v2, n).weight.data.t())\nreturn v1"
            ),
        ),
        Right(
            "state-dict-turned",
            copied(
                'state = {k.removesuffix(".weight"): w.T for k, w in v2.state_dict().items() if k.endswith(".weight")}\nv1.load_state_dict(state)\nreturn v1'
            ),
        ),
        Right(
            "decorated",
            "@torch.no_grad()\n"
            + copied("""
            for mine, theirs in ((v1.W_query, v2.W_query), (v1.W_key, v2.W_key), (v1.W_value, v2.W_value)):
                mine[:] = theirs.weight.transpose(0, 1)
            return v1
            """),
        ),
        Right(
            "assigned-by-name",
            copied(
                "for name, layer in v2.named_children():\n    setattr(v1, name, nn.Parameter(layer.weight.detach().clone().T.contiguous()))\nreturn v1"
            ),
        ),
        Right(
            "one-number-at-a-time",
            copied("""
            with torch.no_grad():
                for name, p in v1.named_parameters():
                    w = v2.get_submodule(name).weight
                    for i in range(p.shape[0]):
                        for j in range(p.shape[1]):
                            p[i, j] = w[j, i]
            return v1
            """),
        ),
        Right(
            "what-the-layer-does-to-unit-vectors",
            copied("""
            with torch.no_grad():
                for name in ("W_query", "W_key", "W_value"):
                    p, layer = getattr(v1, name), getattr(v2, name)
                    eye = torch.eye(p.shape[0], dtype=p.dtype)
                    p.copy_(layer(eye) - layer(torch.zeros_like(eye)))
            return v1
            """),
        ),
        Right("einsum", copied_but(("v2.W_query.weight.T", 'torch.einsum("oi->io", v2.W_query.weight)'))),
        Right(
            "deep-copied-first",
            copied("""
            import copy
            weights = copy.deepcopy(v2)
            v1.W_query = nn.Parameter(weights.W_query.weight.T)
            v1.W_key = nn.Parameter(weights.W_key.weight.T)
            v1.W_value = nn.Parameter(weights.W_value.weight.T)
            return v1
            """),
        ),
        Right(
            "numpy-between",
            copied(
                "for n in ('W_query', 'W_key', 'W_value'):\n    a = getattr(v2, n).weight.detach().numpy().T.copy()\n"
                "    setattr(v1, n, nn.Parameter(torch.from_numpy(a)))\nreturn v1"
            ),
        ),
        Right(
            "helper",
            "def move(layer, parameter):\n    with torch.no_grad():\n        parameter.set_(layer.weight.T.clone())\n\n"
            + copied(
                "move(v2.W_query, v1.W_query)\nmove(v2.W_key, v1.W_key)\nmove(v2.W_value, v1.W_value)\nreturn v1"
            ),
        ),
    ),
)

BUG_HEAD = "class NotebookAttention(nn.Module):\n    def __init__(self, d_in, d_out, qkv_bias=False):"
BUG_FORWARD = """
queries, keys, value = self.W_query(x), self.W_key(x), self.W_value(x)  # each (tokens, d_out)
assert queries.shape == keys.shape == value.shape
scores = queries @ keys.T  # (tokens, tokens)
weights = torch.softmax(scores / d_k**0.5, dim=-1)  # (tokens, tokens)
return weights @ values
"""
MENDED = (("@ values", "@ value"), ("d_k**0.5", "keys.shape[-1] ** 0.5"))


def bug(*pairs: tuple[str, str], init: str = V2_INIT) -> str:
    """The class of task 13 as it is given, with some pieces replaced."""
    return _cell(BUG_HEAD, init, changed(BUG_FORWARD, *pairs))


BUG_GLOBALS = Mutants(
    wrong=(
        Wrong("as-given", bug(), NAMED + STUB + RULE + VALUES + RAISED),
        Wrong(
            "value-mended-only",
            bug(MENDED[0]),
            NAMED + VALUES,
            keeps=1,
            says=r"d_k",
            never=r"d_out = 4.*`d_out` = 7",
        ),
        Wrong(
            "value-renamed-only",
            bug(("keys, value =", "keys, values ="), ("value.shape", "values.shape")),
            NAMED + VALUES,
            keeps=1,
            says=r"d_k",
        ),
        Wrong("scale-mended-only", bug(MENDED[1]), NAMED + VALUES + RULE + RAISED, says=r"values"),
        Wrong(
            "assert-taken-out-only",
            bug(("assert queries.shape == keys.shape == value.shape\n", "")),
            NAMED + STUB + RULE + VALUES + RAISED,
        ),
        Wrong("assert-with-values", bug(("value.shape", "values.shape")), NAMED + RULE + VALUES + RAISED),
        Wrong("scale-typed-in", bug(MENDED[0], ("d_k**0.5", "2**0.5")), NAMED + VALUES, keeps=1),
        Wrong(
            "scale-set-in-the-class",
            bug(MENDED[0], ("d_k**0.5", "self.d_k**0.5"), init=V2_INIT + "self.d_k = 2\n"),
            NAMED + VALUES,
            keeps=1,
        ),
        Wrong(
            "scale-kept-from-the-notebook",
            bug(MENDED[0], ("d_k**0.5", "self.d_k**0.5"), init=V2_INIT + "self.d_k = d_k\n"),
            NAMED + VALUES,
            keeps=1,
        ),
        Wrong(
            "scale-is-d-in",
            bug(MENDED[0], ("d_k**0.5", "self.d_k**0.5"), init=V2_INIT + "self.d_k = d_in\n"),
            NAMED + VALUES,
        ),
        Wrong("scale-of-the-tokens-size", bug(MENDED[0], ("d_k**0.5", "x.shape[-1] ** 0.5")), NAMED + VALUES),
        Wrong(
            "scale-by-number-of-tokens", bug(MENDED[0], ("d_k**0.5", "keys.shape[0] ** 0.5")), NAMED + VALUES
        ),
        Wrong("scale-without-root", bug(MENDED[0], ("d_k**0.5", "keys.shape[-1]")), NAMED + VALUES),
        Wrong("scale-taken-out", bug(MENDED[0], (" / d_k**0.5", "")), NAMED + VALUES),
        Wrong(
            "scale-of-the-notebooks-d-out",
            bug(MENDED[0], ("d_k**0.5", "d_out**0.5")),
            NAMED + VALUES,
            keeps=1,
        ),
        Wrong(
            "scale-of-the-notebooks-matrix",
            bug(MENDED[0], ("d_k**0.5", "W_key.shape[1] ** 0.5")),
            NAMED + VALUES,
            keeps=1,
        ),
        Wrong(
            "layer-weight-turned",
            bug(MENDED[0], ("d_k**0.5", "self.W_key.weight.shape[1] ** 0.5")),
            NAMED + VALUES,
        ),
        Wrong(
            "values-cut-to-length",
            bug(("@ values", "@ values[: len(x)]"), MENDED[1]),
            NAMED + VALUES + RAISED + RULE,
        ),
        Wrong(
            "values-from-the-notebooks-matrix",
            bug(("@ values", "@ (x @ W_value)"), MENDED[1]),
            NAMED + VALUES + RAISED + RULE,
        ),
        Wrong(
            "values-made-global",
            bug(("queries, keys, value =", "global values\nqueries, keys, value ="), MENDED[1]),
            NAMED + VALUES + RAISED + RULE,
        ),
        Wrong("keys-handed-over", bug(("@ values", "@ keys"), MENDED[1]), NAMED + VALUES),
        Wrong("tokens-handed-over", bug(("@ values", "@ x"), MENDED[1]), NAMED + SHAPE),
        Wrong("layer-handed-over", bug(("@ values", "@ self.W_value"), MENDED[1]), RAISED),
        Wrong("layers-weight-handed-over", bug(("@ values", "@ self.W_value.weight"), MENDED[1]), RAISED),
        Wrong(
            "error-swallowed",
            bug(
                (
                    "return weights @ values",
                    "try:\n    return weights @ values\nexcept RuntimeError:\n    return weights @ value",
                ),
                MENDED[1],
            ),
            NAMED + VALUES + RULE,
            says=r"values",
        ),
        Wrong(
            "error-swallowed-and-zeros",
            bug(
                (
                    "return weights @ values",
                    "try:\n    return weights @ values\nexcept RuntimeError:\n    return torch.zeros_like(value)",
                ),
                MENDED[1],
            ),
            NAMED + VALUES + RULE,
        ),
        Wrong(
            "gradient-faked", bug(("@ values", "@ values + 0 * value"), MENDED[1]), NAMED + VALUES + RAISED
        ),
        Wrong("value-detached", bug(("@ values", "@ value.detach()"), MENDED[1]), NAMED + RULE),
        Wrong(
            "nan-to-num",
            bug(("weights @ values", "torch.nan_to_num(weights @ values)")),
            NAMED + VALUES + RULE + RAISED,
        ),
        Wrong(
            "clamped",
            bug(MENDED[0], ("scores / d_k**0.5", "(scores / d_k**0.5).clamp(-5, 5)")),
            NAMED + VALUES,
            keeps=1,
        ),
        Wrong("axis-changed-too", bug(*MENDED, ("dim=-1", "dim=0")), NAMED + VALUES),
        Wrong(
            "keys-and-queries-swapped-too",
            bug(*MENDED, ("queries @ keys.T", "keys @ queries.T")),
            NAMED + VALUES,
        ),
        Wrong("weights-turned-too", bug(*MENDED, ("weights @", "weights.T @")), NAMED + VALUES),
        Wrong("layers-replaced-by-matrices", _cell(BUG_HEAD, V1_INIT, V1_FORWARD), PARAMETERS + NAMED),
        Wrong(
            "bias-lost",
            bug(*MENDED, init=changed(V2_INIT, ("bias=qkv_bias", "bias=False"))),
            PARAMETERS + NAMED + VALUES + RAISED,
            keeps=1,
        ),
        Wrong("global-made-instead", "values = None\n" + bug(MENDED[1]), RAISED),
        Wrong("scale-set-outside", "d_k = W_key.shape[1]\n\n" + bug(MENDED[0]), NAMED + VALUES, keeps=1),
        Wrong(
            "wrong-class-mended", bug(*MENDED).replace("NotebookAttention", "SelfAttentionAsFound"), MISSING
        ),
        Wrong(
            "parameter-default-binds-the-notebook",
            bug(MENDED[0]).replace("forward(self, x)", "forward(self, x, d_k=d_k)"),
            NAMED + VALUES,
            keeps=1,
        ),
        Wrong("assert-after-misspelling", bug(("@ values", "@ vaule"), MENDED[1]), RAISED),
        Wrong("return-lost", bug(("return weights @ values", "weights @ value"), MENDED[1]), TYPE),
    ),
    right=(
        Right("smallest-change", bug(*MENDED)),
        Right(
            "all-called-values",
            bug(("keys, value =", "keys, values ="), ("value.shape", "values.shape"), MENDED[1]),
        ),
        Right(
            "size-kept-in-init",
            bug(MENDED[0], ("d_k**0.5", "self.d_k**0.5"), init=V2_INIT + "self.d_k = d_out\n"),
        ),
        Right("local-d-k", bug(MENDED[0], ("scores = queries", "d_k = queries.shape[-1]\nscores = queries"))),
        Right("assert-taken-out", bug(*MENDED, ("assert queries.shape == keys.shape == value.shape\n", ""))),
        Right("size-of-the-layer", bug(MENDED[0], ("d_k**0.5", "self.W_key.out_features**0.5"))),
        Right("size-from-the-value", bug(MENDED[0], ("d_k**0.5", "value.size(1) ** 0.5"))),
        Right(
            "fused-attention",
            bug(
                (
                    "return weights @ values",
                    "return nn.functional.scaled_dot_product_attention(queries, keys, value)",
                ),
                ("weights = torch.softmax(scores / d_k**0.5, dim=-1)  # (tokens, tokens)\n", ""),
            ),
        ),
        Right("subclass-of-v2", "class NotebookAttention(SelfAttention_v2):\n    pass\n"),
        Right("renamed-v2", "NotebookAttention = SelfAttention_v2"),
        Right(
            "values-assigned-again",
            bug(("return weights @ values", "values = value\nreturn weights @ values"), MENDED[1]),
        ),
        Right("written-anew", v2().replace("SelfAttention_v2", "NotebookAttention")),
        Right(
            "unpacked-shape",
            bug(MENDED[0], ("scores = queries", "num_tokens, d_k = keys.shape\nscores = queries")),
        ),
        Right(
            "math-sqrt-and-einsum",
            "import math\n\n"
            + bug(
                ("d_k**0.5", "math.sqrt(keys.shape[-1])"),
                ("weights @ values", 'torch.einsum("qk,kd->qd", weights, value)'),
            ),
        ),
    ),
)


TASKS = {
    "query-of-one-token": QUERY_OF_ONE_TOKEN,
    "keys": KEYS,
    "values": VALUES_TASK,
    "scores-of-one-query": SCORES_OF_ONE_QUERY,
    "scaled-weights": SCALED_WEIGHTS,
    "context-of-one-token": CONTEXT_OF_ONE_TOKEN,
    "self-attention-v1": SELF_ATTENTION_V1,
    "score-spread": SCORE_SPREAD,
    "self-attention-v2": SELF_ATTENTION_V2,
    "how-far-apart": HOW_FAR_APART,
    "copy-weights": COPY_WEIGHTS,
    "bug-globals": BUG_GLOBALS,
}
