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
        Wrong(
            "products-not-added", "x_2 = inputs[1]\nquery_2 = x_2.unsqueeze(1) * W_query", SHAPE + NAMED
        ),
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
        Wrong("keys-softmaxed", "keys = torch.softmax(inputs @ W_key, dim=-1)", VALUES),
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
        Wrong("newly-drawn-matrix", "values = inputs @ nn.Parameter(torch.rand(d_in, d_out))", VALUES + NAMED),
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
        Right("fused-and-split", "_, _, values = (inputs @ torch.hstack([W_query, W_key, W_value])).split(2, 1)"),
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
        Right("nested-list-made-a-tensor",
            "values = torch.tensor([[float(x @ w) for w in W_value.T] for x in inputs])"),
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
            "cosine-similarity", "attn_scores_2 = torch.cosine_similarity(keys, query_2[None])", VALUES + NAMED
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
        Wrong(
            "keys-reshaped-not-turned", "attn_scores_2 = query_2 @ keys.reshape(2, 6)", VALUES + NAMED
        ),
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
        Wrong("number-forgotten", "attn_scores = query_2 @ keys.T", MISSING, says=r"`attn_scores`"),
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
        Wrong("square-not-root", "attn_weights_2 = torch.softmax(attn_scores_2 / d_k**2, dim=-1)", NAMED + VALUES),
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
        Wrong("scaled-twice", "s = attn_scores_2 / d_k**0.5\nattn_weights_2 = (s / d_k**0.5).softmax(0)", NAMED),
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
        Wrong("log-softmax", "attn_weights_2 = torch.log_softmax(attn_scores_2 / d_k**0.5, -1)", RULE + NAMED),
        Wrong("sigmoid", "attn_weights_2 = torch.sigmoid(attn_scores_2 / d_k**0.5)", RULE + NAMED),
        Wrong("softmax-twice", "w = (attn_scores_2 / d_k**0.5).softmax(0)\nattn_weights_2 = w.softmax(0)", NAMED + VALUES),
        Wrong(
            "precedence",
            "attn_weights_2 = torch.softmax(attn_scores_2 / d_k**1 / 2, dim=-1)",
            NAMED + VALUES,
        ),
        Wrong("halved-power", "attn_weights_2 = torch.softmax((attn_scores_2 / d_k) ** 0.5, dim=-1)", VALUES + NAMED),
        Wrong("floor-division", "attn_weights_2 = torch.softmax(attn_scores_2 // d_k**0.5, dim=-1)", VALUES + NAMED),
        Wrong("integer-half", "attn_weights_2 = torch.softmax(attn_scores_2 / d_k**(1//2), dim=-1)", NAMED),
        Wrong(
            "root-of-two-typed-in",
            "attn_weights_2 = torch.softmax(attn_scores_2 / 1.414, dim=-1)",
            VALUES + NOT_COMPUTED,
        ),
        Wrong(
            "wrong-axis", "attn_weights_2 = torch.softmax(attn_scores_2 / d_k**0.5, dim=1)", MISSING, says=r"error"
        ),
        Wrong("axis-forgotten", "attn_weights_2 = torch.softmax(attn_scores_2 / d_k**0.5)", MISSING, says=r"error"),
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
        Wrong("scores-of-the-other-kind", "attn_weights_2 = torch.softmax(keys @ keys[1] / d_k**0.5, -1)", VALUES + NAMED),
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
        Right("math-sqrt", "import math\nattn_weights_2 = torch.softmax(attn_scores_2 / math.sqrt(d_k), dim=0)"),
        Right("negative-power", "attn_weights_2 = (attn_scores_2 * d_k**-0.5).softmax(dim=-1)"),
        Right("root-of-a-tensor", "attn_weights_2 = (attn_scores_2 / torch.sqrt(torch.tensor(d_k))).softmax(-1)"),
        Right("size-of-the-keys", "attn_weights_2 = torch.softmax(attn_scores_2 / keys.shape[-1] ** 0.5, -1)"),
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
        Right("float64", "attn_weights_2 = torch.softmax(attn_scores_2 / d_k**0.5, dim=-1, dtype=torch.float64)"),
        Right("shifted-first", "attn_weights_2 = ((attn_scores_2 - attn_scores_2.max()) / d_k**0.5).softmax(0)"),
        Right("pow-of-exp", "e = torch.exp(attn_scores_2) ** (1 / d_k**0.5)\nattn_weights_2 = e / e.sum()"),
        Right(
            "fused-attention",
            """
            import torch.nn.functional as F
            eye = torch.eye(6)[None]
            attn_weights_2 = F.scaled_dot_product_attention(query_2[None, None], keys[None], eye)[0, 0]
            """,
        ),
        Right("numpy-root", "import numpy as np\nattn_weights_2 = torch.softmax(attn_scores_2 / np.sqrt(d_k), 0)"),
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
        Wrong("unscaled-weights", "context_vec_2 = torch.softmax(attn_scores_2, -1) @ values", VALUES + NAMED),
        Wrong("values-turned", "context_vec_2 = attn_weights_2 @ values.T", MISSING, says=r"error"),
        Wrong("values-on-the-left", "context_vec_2 = values @ attn_weights_2", MISSING, says=r"error"),
        Wrong("elementwise", "context_vec_2 = attn_weights_2 * values", MISSING, says=r"error"),
        Wrong("products-not-added", "context_vec_2 = attn_weights_2.unsqueeze(1) * values", SHAPE + NAMED),
        Wrong("added-over-the-dimensions", "context_vec_2 = (attn_weights_2[:, None] * values).sum(-1)", SHAPE + NAMED),
        Wrong("mean-of-the-products", "context_vec_2 = (attn_weights_2[:, None] * values).mean(0)", VALUES + NAMED),
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
        Wrong("vector-written-out", "context_vector_2 = attn_weights_2 @ values", MISSING, says=r"`context_vector_2`"),
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
        Wrong("softmax-over-the-queries", v1_but(("dim=-1", "dim=0")), NAMED, keeps=1),
        Wrong("softmax-over-the-queries-negative", v1_but(("dim=-1", "dim=-2")), NAMED, keeps=1),
        Wrong("not-scaled", v1_but((" / keys.shape[-1] ** 0.5", "")), NAMED, keeps=1),
        Wrong("divided-by-d-k", v1_but((" ** 0.5", "")), NAMED, keeps=1),
        Wrong("times-the-root", v1_but((" / keys.shape[-1]", " * keys.shape[-1]")), NAMED, keeps=1),
        Wrong("scaled-by-d-in", v1_but(("/ keys.shape[-1]", "/ x.shape[-1]")), NAMED, keeps=1),
        Wrong("scaled-by-tokens", v1_but(("keys.shape[-1]", "keys.shape[0]")), NAMED, keeps=1),
        Wrong(
            "scaled-by-the-size-of-the-scores",
            v1_but(("keys.shape[-1]", "attn_scores.shape[-1]")),
            NAMED,
            keeps=1,
        ),
        Wrong(
            "scaled-after-the-softmax",
            v1_but((SOFTMAX, "torch.softmax(attn_scores, dim=-1) / keys.shape[-1] ** 0.5")),
            NAMED,
            keeps=1,
        ),
        Wrong("scale-of-the-notebook", v1_but(("keys.shape[-1]", "d_k")), VALUES + NAMED, keeps=1,
              says=r"`d_k`"),
        Wrong("scale-typed-in", v1_but(("keys.shape[-1] ** 0.5", "1.4142135623730951")), NAMED + VALUES, keeps=1),
        Wrong("keys-ask", v1_but(("queries @ keys.T", "keys @ queries.T")), NAMED, keeps=1),
        Wrong("query-matrices-swapped", v1(changed(V1_FORWARD, ("x @ self.W_key", "x @ self.W_k"),
              ("x @ self.W_query", "x @ self.W_key"), ("x @ self.W_k\n", "x @ self.W_query\n"))), NAMED, keeps=1),
        Wrong("weights-on-the-keys", v1_but(("attn_weights @ values", "attn_weights @ keys")), NAMED, keeps=1),
        Wrong("weights-on-the-tokens", v1_but(("attn_weights @ values", "attn_weights @ x")), SHAPE + NAMED, keeps=1),
        Wrong("keys-matrix-for-the-values", v1_but(("x @ self.W_value", "x @ self.W_key")), NAMED, keeps=1),
        Wrong("weights-turned", v1_but(("attn_weights @ values", "attn_weights.T @ values")), NAMED, keeps=1),
        Wrong("no-softmax", v1_but((SOFTMAX, "attn_scores / keys.shape[-1] ** 0.5")), NAMED + VALUES, keeps=1),
        Wrong(
            "divided-by-the-row-sum",
            v1_but((SOFTMAX, "attn_scores / attn_scores.sum(dim=-1, keepdim=True)")),
            NAMED + VALUES,
            keeps=1,
        ),
        Wrong(
            "naive-softmax-without-keepdim",
            v1_but(
                (f"attn_weights = {SOFTMAX}",
                 "e = torch.exp(attn_scores / keys.shape[-1] ** 0.5)\n        attn_weights = e / e.sum(dim=-1)")
            ),
            VALUES + NAMED,
            keeps=1,
        ),
        Wrong("softmax-over-everything", v1_but((SOFTMAX,
              "(attn_scores / keys.shape[-1] ** 0.5).flatten().softmax(0).view_as(attn_scores)")), VALUES + NAMED, keeps=1),
        Wrong("values-of-the-notebook", v1_but(("attn_weights @ values", "attn_weights @ values"),
              ("values = x @ self.W_value", "value = x @ self.W_value")), NAMED + VALUES + RAISED, keeps=1),
        Wrong("keys-of-the-notebook", v1_but(("keys = x @", "key = x @")), NAMED + VALUES + RAISED + SHAPE, keeps=1),
        Wrong("tokens-of-the-notebook", v1_but(("x @", "inputs @")), NAMED + VALUES + RAISED + SHAPE, keeps=1,
              says=r"`inputs`"),
        Wrong("matrices-of-the-notebook", v1_but(("@ self.", "@ ")), NAMED + VALUES + RAISED + SHAPE, keeps=1),
        Wrong(
            "sizes-of-the-notebook",
            v1(init="""
            d_in, d_out = 3, 2
            self.W_query = nn.Parameter(torch.rand(d_in, d_out))
            self.W_key = nn.Parameter(torch.rand(d_in, d_out))
            self.W_value = nn.Parameter(torch.rand(d_in, d_out))
            """),
            PARAMETERS + RAISED,
        ),
        Wrong(
            "plain-tensors",
            v1(init=changed(V1_INIT, ("nn.Parameter(", "("))),
            PARAMETERS,
        ),
        Wrong("tensors-with-gradients", v1(init=changed(V1_INIT, ("nn.Parameter(torch.rand(d_in, d_out))",
              "torch.rand(d_in, d_out, requires_grad=True)"))), PARAMETERS),
        Wrong("switched-off", v1_but(("torch.rand(d_in, d_out)", "torch.rand(d_in, d_out), requires_grad=False")),
              NAMED + BEHAVIOUR + RULE + PARAMETERS, keeps=3),
        Wrong("drawn-from-the-normal-distribution", v1_but(("torch.rand(", "torch.randn(")), NAMED + VALUES, keeps=3),
        Wrong("zeros", v1_but(("torch.rand(", "torch.zeros(")), VALUES + NAMED, keeps=3),
        Wrong("xavier", v1(init=V1_INIT + "for p in self.parameters():\n    nn.init.xavier_uniform_(p)\n"), VALUES + NAMED,
              keeps=3),
        Wrong("own-seed", v1(init="torch.manual_seed(123)" + V1_INIT), VALUES + NAMED, keeps=3),
        Wrong(
            "drawn-keys-first",
            v1(init="""
            self.W_key = nn.Parameter(torch.rand(d_in, d_out))
            self.W_query = nn.Parameter(torch.rand(d_in, d_out))
            self.W_value = nn.Parameter(torch.rand(d_in, d_out))
            """),
            NAMED,
            keeps=3,
        ),
        Wrong("one-matrix-for-all", v1(init="W = nn.Parameter(torch.rand(d_in, d_out))\nself.W_query = self.W_key = self.W_value = W\n"),
              PARAMETERS + VALUES + NAMED),
        Wrong("turned-matrices", v1_but(("torch.rand(d_in, d_out)", "torch.rand(d_out, d_in)")), PARAMETERS),
        Wrong("turned-matrices-turned-back", v1_but(("torch.rand(d_in, d_out)", "torch.rand(d_out, d_in)"),
              ("@ self.W_query", "@ self.W_query.T"), ("@ self.W_key", "@ self.W_key.T"), ("@ self.W_value", "@ self.W_value.T")),
              PARAMETERS),
        Wrong("short-names", v1_but(("W_query", "W_q"), ("W_key", "W_k"), ("W_value", "W_v")), PARAMETERS),
        Wrong("linear-layers", v1(changed(V1_FORWARD, ("x @ self.W_key", "self.W_key(x)"), ("x @ self.W_query", "self.W_query(x)"),
              ("x @ self.W_value", "self.W_value(x)")), changed(V1_INIT, ("nn.Parameter(torch.rand(d_in, d_out))",
              "nn.Linear(d_in, d_out, bias=False)"))), PARAMETERS + NAMED),
        Wrong("fused-matrix", v1("""
            q, k, v = (x @ self.W_qkv).chunk(3, dim=-1)
            return torch.softmax(q @ k.T / k.shape[-1] ** 0.5, dim=-1) @ v
            """, "self.W_qkv = nn.Parameter(torch.rand(d_in, 3 * d_out))"), PARAMETERS),
        Wrong("in-a-python-list", v1("""
            q, k, v = [x @ w for w in self.weights]
            return torch.softmax(q @ k.T / k.shape[-1] ** 0.5, dim=-1) @ v
            """, "self.weights = [nn.Parameter(torch.rand(d_in, d_out)) for _ in range(3)]"), PARAMETERS),
        Wrong("a-fourth-parameter", v1_but(("return attn_weights @ values", "return attn_weights @ values @ self.W_o")).replace(
              "\n\n    def forward", "\n        self.W_o = nn.Parameter(torch.eye(d_out))\n\n    def forward"), PARAMETERS),
        Wrong("drawn-in-every-forward", v1("""
            W_query = torch.rand(self.d_in, self.d_out)
            W_key = torch.rand(self.d_in, self.d_out)
            W_value = torch.rand(self.d_in, self.d_out)
            queries, keys, values = x @ W_query, x @ W_key, x @ W_value
            return torch.softmax(queries @ keys.T / self.d_out**0.5, dim=-1) @ values
            """, "self.d_in, self.d_out = d_in, d_out"), PARAMETERS),
        Wrong("drawn-anew-over-the-parameters", v1("self.W_query = nn.Parameter(torch.rand(x.shape[1], 2))" + V1_FORWARD),
              VALUES + NAMED + RAISED + BEHAVIOUR + RULE + SHAPE, keeps=1),
        Wrong("only-two-matrices", v1(changed(V1_FORWARD, ("x @ self.W_value", "x @ self.W_key")),
              V1_INIT.replace("self.W_value = nn.Parameter(torch.rand(d_in, d_out))", "")), PARAMETERS),
        Wrong("self-forgotten", v1_but(("self.W_query = nn", "W_query = nn"), ("self.W_key = nn", "W_key = nn"),
              ("self.W_value = nn", "W_value = nn")), PARAMETERS + RAISED),
        Wrong("super-forgotten", v1_but(("        super().__init__()\n", "")), RAISED),
        Wrong("return-forgotten", v1_but(("return attn_weights @ values", "context_vec = attn_weights @ values")), TYPE, keeps=1),
        Wrong("print-not-return", v1_but(("return attn_weights @ values", "print(attn_weights @ values)")), TYPE, keeps=1),
        Wrong("returns-the-weights", v1_but(("return attn_weights @ values", "return attn_weights")), SHAPE, keeps=1),
        Wrong("returns-both", v1_but(("return attn_weights @ values", "return attn_weights @ values, attn_weights")), TYPE, keeps=1),
        Wrong("returns-one-token", v1_but(("return attn_weights @ values", "return (attn_weights @ values)[1]")), SHAPE, keeps=1),
        Wrong("second-query-only", v1_but(("queries = x @", "queries = x[1] @")), SHAPE, keeps=1),
        Wrong("six-tokens-always", v1("""
            q, k, v = x @ self.W_query, x @ self.W_key, x @ self.W_value
            out = torch.zeros(6, v.shape[1])
            for i in range(6):
                out[i] = torch.softmax(k @ q[i] / k.shape[1] ** 0.5, dim=0) @ v
            return out
            """), RAISED + SHAPE, keeps=1),
        Wrong("two-dimensions-always", v1("""
            q, k, v = x @ self.W_query, x @ self.W_key, x @ self.W_value
            w = torch.softmax(q @ k.T / k.shape[1] ** 0.5, dim=-1)
            return torch.stack([w @ v[:, 0], w @ v[:, 1]], dim=1)
            """), SHAPE + RAISED, keeps=1),
        Wrong("detached", v1_but(("return attn_weights @ values", "return (attn_weights @ values).detach()")),
              NAMED + BEHAVIOUR + RULE, keeps=3),
        Wrong("no-grad-in-forward", v1("with torch.no_grad():\n" + indent(V1_FORWARD.strip("\n"), "    ")),
              NAMED + BEHAVIOUR + RULE, keeps=3),
        Wrong("values-without-gradient", v1_but(("x @ self.W_value", "x @ self.W_value.data")), NAMED + BEHAVIOUR + RULE, keeps=3),
        Wrong("edits-its-argument", v1("x /= x.norm(dim=-1, keepdim=True)" + V1_FORWARD), VALUES + RULE + NAMED, keeps=1),
        Wrong("edits-and-puts-wrong", v1(changed(V1_FORWARD, ("keys = x @ self.W_key", "x += 0.0\nx.mul_(1.0)\nx.add_(1)\nkeys = (x - 1) @ self.W_key"))),
              VALUES + RULE + NAMED, keeps=1),
        Wrong("future-hidden", v1_but((SOFTMAX, "torch.softmax((attn_scores / keys.shape[-1] ** 0.5).masked_fill("
              "torch.ones_like(attn_scores).triu(1).bool(), -torch.inf), dim=-1)")), VALUES + NAMED, keeps=1),
        Wrong("dropout-inside", v1_but((SOFTMAX, f"nn.functional.dropout({SOFTMAX}, 0.1)")), VALUES + RULE + BEHAVIOUR + NAMED, keeps=1),
        Wrong("residual", v1_but(("return attn_weights @ values", "return values + attn_weights @ values")), VALUES, keeps=1),
        Wrong("half-precision", v1_but(("return attn_weights @ values", "return (attn_weights @ values).half()")), DTYPE, keeps=1),
        Wrong("forward-misspelt", v1_but(("def forward", "def foward")), RAISED),
        Wrong("init-misspelt", v1_but(("def __init__", "def _init_")), RAISED),
        Wrong("x-forgotten", v1_but(("def forward(self, x)", "def forward(self)")), RAISED, keeps=1),
        Wrong("self-missing-in-forward", v1_but(("def forward(self, x)", "def forward(x)")), RAISED, keeps=1),
        Wrong("name-without-underscore", v1_but(("SelfAttention_v1", "SelfAttentionV1")), MISSING, says=r"`SelfAttentionV1`"),
        Wrong("an-object-not-a-class", v1() + "\nSelfAttention_v1 = SelfAttention_v1(3, 2)\n", NO_FUNCTION + TYPE),
        Wrong("no-module", v1_but(("(nn.Module)", "")).replace("        super().__init__()\n", ""), TYPE + PARAMETERS + RAISED + NAMED),
        Wrong("colon-forgotten", v1_but(("def forward(self, x):", "def forward(self, x)")), MISSING),
        Wrong("a-function", """
            def SelfAttention_v1(x, W_query, W_key, W_value):
                q, k, v = x @ W_query, x @ W_key, x @ W_value
                return torch.softmax(q @ k.T / k.shape[-1] ** 0.5, dim=-1) @ v
            """, NO_FUNCTION + RAISED + TYPE),
        Wrong("left-as-it-was", v1("...  # your code here", "...  # your code here"), STUB + PARAMETERS),
        Wrong("forward-left", v1("...  # your code here"), STUB + TYPE, keeps=1),
        Wrong("axes-named-the-wrong-way", v1_but(("queries @ keys.T", "queries.T @ keys")), RAISED, keeps=1),
        Wrong("dk-an-attribute-of-d-in", v1("q, k, v = (x @ w for w in (self.W_query, self.W_key, self.W_value))\n"
              "return torch.softmax(q @ k.T / self.scale, dim=-1) @ v", V1_INIT + "self.scale = d_in**0.5\n"), NAMED, keeps=1),
    ),
    right=(
        Right("plain", v1()),
        Right("fused-attention", v1("""
            q, k, v = x @ self.W_query, x @ self.W_key, x @ self.W_value
            return nn.functional.scaled_dot_product_attention(q[None], k[None], v[None])[0]
            """)),
        Right("einsums", v1("""
            q = torch.einsum("ti,io->to", x, self.W_query)
            k = torch.einsum("ti,io->to", x, self.W_key)
            v = torch.einsum("ti,io->to", x, self.W_value)
            w = torch.einsum("qd,kd->qk", q, k).div(q.size(-1) ** 0.5).softmax(-1)
            return torch.einsum("qk,kd->qd", w, v)
            """)),
        Right("fused-product-then-chunk", v1("""
            qkv = x @ torch.cat([self.W_query, self.W_key, self.W_value], dim=1)
            q, k, v = qkv.chunk(3, dim=-1)
            return (q @ k.mT / k.shape[-1] ** 0.5).softmax(dim=1) @ v
            """)),
        Right("set-in-a-loop", v1(init="""
            self.d_k = d_out
            for name in ("W_query", "W_key", "W_value"):
                setattr(self, name, nn.Parameter(torch.rand(d_in, d_out)))
            """)),
        Right("registered-by-hand", v1(init="""
            self.register_parameter("W_query", nn.Parameter(torch.rand(d_in, d_out)))
            self.register_parameter("W_key", nn.Parameter(torch.rand(d_in, d_out)))
            self.register_parameter("W_value", nn.Parameter(torch.rand(d_in, d_out)))
            """)),
        Right("initialised-uniformly", v1(init="""
            self.W_query = nn.Parameter(torch.empty(d_in, d_out))
            self.W_key = nn.Parameter(torch.empty(d_in, d_out))
            self.W_value = nn.Parameter(torch.empty(d_in, d_out))
            self.reset()
            """) + """
    def reset(self):
        for w in (self.W_query, self.W_key, self.W_value):
            nn.init.uniform_(w)
"""),
        Right("drawn-in-order-assigned-otherwise", v1(init="""
            q, k, v = (torch.rand(d_in, d_out) for _ in range(3))
            self.W_value = nn.Parameter(v)
            self.W_key = nn.Parameter(k)
            self.W_query = nn.Parameter(q)
            """)),
        Right("loop-over-tokens", v1("""
            q, k, v = x @ self.W_query, x @ self.W_key, x @ self.W_value
            out = []
            for i in range(x.shape[0]):
                scores = torch.stack([q[i] @ k[j] for j in range(len(x))])
                out.append(torch.softmax(scores / q.shape[1] ** 0.5, dim=0) @ v)
            return torch.stack(out)
            """)),
        Right("helper-methods-and-a-property", v1("return self.weights(x) @ (x @ self.W_value)") + '''
    @property
    def scale(self):
        return self.W_key.shape[1] ** -0.5

    def weights(self, x):
        """(queries, keys)"""
        return (self.scores(x) * self.scale).softmax(dim=-1)

    def scores(self, x):
        return (x @ self.W_query) @ (x @ self.W_key).T
'''),
        Right("helper-function-and-subclass", """
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
            """),
        Right("float64-inside", v1("""
            x = x.double()
            q, k, v = (x @ w.double() for w in (self.W_query, self.W_key, self.W_value))
            return ((q @ k.T / k.shape[-1] ** 0.5).softmax(-1) @ v).float()
            """)),
        Right("columns-then-turned", v1("""
            q, k, v = x @ self.W_query, x @ self.W_key, x @ self.W_value
            w = torch.softmax(k @ q.T / k.shape[-1] ** 0.5, dim=0)
            return w.T @ v
            """)),
        Right("extra-attributes-and-a-buffer", v1("""
            q, k, v = x @ self.W_query, x @ self.W_key, x @ self.W_value
            self.last_weights = self.softmax(q @ k.T / self.root)
            return torch.matmul(self.last_weights, v)
            """, V1_INIT + 'self.d_in, self.d_out = d_in, d_out\nself.softmax = nn.Softmax(dim=-1)\n'
            'self.register_buffer("root", torch.tensor(d_out**0.5))\n')),
        Right("batched-products", v1("""
            W = torch.stack([self.W_query, self.W_key, self.W_value])
            q, k, v = torch.bmm(x.expand(3, *x.shape), W)
            s = torch.baddbmm(torch.zeros(1), q[None], k[None].mT, alpha=k.shape[-1] ** -0.5)
            return torch.bmm(s.softmax(-1), v[None]).squeeze(0)
            """)),
        Right("softmax-by-hand", v1("""
            q, k, v = x @ self.W_query, x @ self.W_key, x @ self.W_value
            s = q @ k.T / self.W_key.size(1) ** 0.5
            e = (s - s.max(dim=1, keepdim=True).values).exp()
            return e @ v / e.sum(1, keepdim=True)
            """)),
        Right("old-super-and-keywords", v1_but(("super()", "super(SelfAttention_v1, self)"),
              ("torch.rand(d_in, d_out)", "data=torch.rand(size=(d_in, d_out)), requires_grad=True"))),
        Right("functional-linear-and-partial", """
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
            """),
    ),
)


def spread(body: str) -> str:
    """The function of task 8 with another body."""
    return "def score_spread(queries, keys, scaled):\n" + indent(dedent(body).strip("\n"), "    ") + "\n"


SCORE_SPREAD = Mutants(
    wrong=(
        Wrong("never-scaled", spread("return (queries @ keys.T).std()"), NAMED, keeps=1),
        Wrong("always-scaled", spread("return (queries @ keys.T / queries.shape[-1] ** 0.5).std()"), NAMED, keeps=1),
        Wrong("divided-by-d-k", spread("s = queries @ keys.T\nif scaled:\n    s = s / keys.shape[-1]\nreturn s.std()"), NAMED, keeps=1),
        Wrong("times-the-root", spread("s = queries @ keys.T\nif scaled:\n    s = s * keys.shape[-1] ** 0.5\nreturn s.std()"), NAMED,
              keeps=1),
        Wrong("number-of-keys", spread("s = queries @ keys.T\nif scaled:\n    s = s / keys.shape[0] ** 0.5\nreturn s.std()"), NAMED,
              keeps=1),
        Wrong("number-of-queries", spread("s = queries @ keys.T\nif scaled:\n    s = s / len(queries) ** 0.5\nreturn s.std()"),
              NAMED + VALUES, keeps=1),
        Wrong("size-of-the-notebook", spread("s = queries @ keys.T\nif scaled:\n    s = s / d_k**0.5\nreturn s.std()"),
              NAMED + VALUES, keeps=1, says=r"`d_k`"),
        Wrong("two-typed-in", spread("s = queries @ keys.T\nif scaled:\n    s /= 2**0.5\nreturn s.std()"), NAMED + VALUES, keeps=1),
        Wrong("polarity-turned", spread("s = queries @ keys.T\nif not scaled:\n    s = s / keys.shape[-1] ** 0.5\nreturn s.std()"),
              NAMED + VALUES),
        Wrong("compared-with-a-string", spread('s = queries @ keys.T\nif scaled == "True":\n    s = s / keys.shape[-1] ** 0.5\nreturn s.std()'),
              NAMED, keeps=1),
        Wrong("result-thrown-away", spread("s = queries @ keys.T\nif scaled:\n    s / keys.shape[-1] ** 0.5\nreturn s.std()"), NAMED, keeps=1),
        Wrong("variance", spread("s = queries @ keys.T\nif scaled:\n    s = s / keys.shape[-1] ** 0.5\nreturn s.var()"), NAMED),
        Wrong("root-of-the-spread-too", spread("s = (queries @ keys.T).std()\nif scaled:\n    s = (s / keys.shape[-1]) ** 0.5\nreturn s"),
              VALUES + NAMED, keeps=1),
        Wrong("without-correction", spread("s = queries @ keys.T\nif scaled:\n    s = s / keys.shape[-1] ** 0.5\nreturn s.std(unbiased=False)"),
              NAMED + VALUES),
        Wrong("numpy-std", spread("s = queries @ keys.T\nif scaled:\n    s = s / keys.shape[-1] ** 0.5\nreturn s.numpy().std()"),
              NAMED + VALUES),
        Wrong("for-each-query", spread("s = queries @ keys.T\nif scaled:\n    s = s / keys.shape[-1] ** 0.5\nreturn s.std(dim=-1)"),
              SHAPE + NAMED),
        Wrong("mean-of-the-rows-spreads", spread("s = queries @ keys.T\nif scaled:\n    s = s / keys.shape[-1] ** 0.5\nreturn s.std(-1).mean()"),
              VALUES + NAMED),
        Wrong("pairs-only", spread("s = (queries * keys).sum(-1)\nif scaled:\n    s = s / keys.shape[-1] ** 0.5\nreturn s.std()"), RAISED),
        Wrong("queries-with-queries", spread("s = queries @ queries.T\nif scaled:\n    s = s / keys.shape[-1] ** 0.5\nreturn s.std()"),
              NAMED + VALUES),
        Wrong("keys-with-keys", spread("s = keys @ keys.T\nif scaled:\n    s = s / keys.shape[-1] ** 0.5\nreturn s.std()"),
              NAMED + VALUES),
        Wrong("dimensions-with-dimensions", spread("s = queries.T @ keys\nif scaled:\n    s = s / keys.shape[-1] ** 0.5\nreturn s.std()"), RAISED),
        Wrong("keys-not-turned", spread("s = queries @ keys\nif scaled:\n    s = s / keys.shape[-1] ** 0.5\nreturn s.std()"), RAISED),
        Wrong("softmax-as-well", spread("s = queries @ keys.T\nif scaled:\n    s = s / keys.shape[-1] ** 0.5\nreturn s.softmax(-1).std()"),
              NAMED + VALUES),
        Wrong("softmax-when-scaled", spread("s = queries @ keys.T\nif scaled:\n    s = (s / keys.shape[-1] ** 0.5).softmax(-1)\nreturn s.std()"),
              VALUES + NAMED, keeps=1),
        Wrong("returned-only-when-scaled", spread("s = queries @ keys.T\nif scaled:\n    return (s / keys.shape[-1] ** 0.5).std()"), TYPE, keeps=1),
        Wrong("returned-only-when-plain", spread("s = queries @ keys.T\nif not scaled:\n    return s.std()\ns = s / keys.shape[-1] ** 0.5"),
              TYPE, keeps=1),
        Wrong("returns-the-scores", spread("s = queries @ keys.T\nif scaled:\n    s = s / keys.shape[-1] ** 0.5\nreturn s"), SHAPE + NAMED),
        Wrong("method-not-called", spread("s = queries @ keys.T\nif scaled:\n    s = s / keys.shape[-1] ** 0.5\nreturn s.std"), TYPE),
        Wrong("print-not-return", spread("s = queries @ keys.T\nif scaled:\n    s = s / keys.shape[-1] ** 0.5\nprint(s.std())"), TYPE),
        Wrong("std-and-mean", spread("s = queries @ keys.T\nif scaled:\n    s = s / keys.shape[-1] ** 0.5\nreturn torch.std_mean(s)"), TYPE),
        Wrong("edits-its-queries", spread("if scaled:\n    queries /= queries.shape[-1] ** 0.5\nreturn (queries @ keys.T).std()"), RULE, keeps=1),
        Wrong("random-vectors-of-its-own", spread("""
            queries = torch.randn(300, keys.shape[-1])
            s = queries @ keys.T
            if scaled:
                s = s / keys.shape[-1] ** 0.5
            return s.std()
            """), VALUES + RULE),
        Wrong("theory-instead-of-measuring", spread("d_k = keys.shape[-1]\nreturn torch.tensor(1.0) if scaled else torch.tensor(d_k**0.5)"),
              VALUES),
        Wrong("notebook-tokens", spread("s = (inputs @ W_query) @ keys.T\nif scaled:\n    s = s / keys.shape[-1] ** 0.5\nreturn s.std()"),
              RAISED + VALUES),
        Wrong("root-of-an-int", spread("s = queries @ keys.T\nif scaled:\n    s = s / torch.sqrt(keys.shape[-1])\nreturn s.std()"), RAISED, keeps=1),
        Wrong("scale-then-twice", spread("s = queries @ keys.T\nif scaled:\n    s = s / keys.shape[-1] ** 0.5\n    s = s / keys.shape[-1] ** 0.5\nreturn s.std()"),
              NAMED, keeps=1),
        Wrong("scaled-both-and-multiplied", spread("r = keys.shape[-1] ** 0.5\nq, k = (queries / r, keys / r) if scaled else (queries, keys)\nreturn (q @ k.T).std()"),
              NAMED, keeps=1),
        Wrong("rounded", spread("s = queries @ keys.T\nif scaled:\n    s = s / keys.shape[-1] ** 0.5\nreturn round(s.std().item(), 2)"), VALUES + NAMED),
        Wrong("with-an-axis", spread("s = queries @ keys.T\nif scaled:\n    s = s / keys.shape[-1] ** 0.5\nreturn s.std().reshape(1)"), SHAPE),
        Wrong("two-arguments", "def score_spread(queries, keys):\n    return (queries @ keys.T).std()", RAISED),
        Wrong("left-as-it-was", spread("...  # your code here"), STUB),
    ),
    right=(
        Right("plain", spread("scores = queries @ keys.T\nif scaled:\n    scores = scores / keys.shape[-1] ** 0.5\nreturn scores.std()")),
        Right("spread-divided", spread("s = (queries @ keys.T).std()\nreturn s / queries.shape[1] ** 0.5 if scaled else s")),
        Right("queries-divided", spread("if scaled:\n    queries = queries / queries.shape[-1] ** 0.5\nreturn torch.std(queries @ keys.T)")),
        Right("both-by-the-fourth-root", spread("r = keys.size(1) ** (0.25 if scaled else 0)\nreturn ((queries / r) @ (keys / r).T).std()")),
        Right("einsum", spread('s = torch.einsum("qd,kd->qk", queries, keys)\nif scaled is True:\n    s.div_(keys.shape[-1] ** 0.5)\nreturn s.std()')),
        Right("python-number", spread("s = queries @ keys.T\nif scaled == True:\n    s /= keys.shape[-1] ** 0.5\nreturn s.std().item()")),
        Right("numpy-with-correction", spread("""
            import numpy as np
            s = queries.numpy() @ keys.numpy().T
            if scaled:
                s = s / np.sqrt(keys.shape[-1])
            return s.std(ddof=1)
            """)),
        Right("float64", spread("s = queries.double() @ keys.double().T\nreturn (s / (keys.shape[-1] ** 0.5 if scaled else 1)).std()")),
        Right("loops", spread("""
            scores = []
            for q in queries:
                for k in keys:
                    score = torch.dot(q, k)
                    if scaled:
                        score = score / len(k) ** 0.5
                    scores.append(score)
            return torch.std(torch.stack(scores))
            """)),
        Right("by-hand", spread("""
            s = queries @ keys.T
            if scaled:
                s = s * keys.shape[-1] ** -0.5
            deviations = s - s.mean()
            return ((deviations**2).sum() / (s.numel() - 1)).sqrt()
            """)),
        Right("lambda", "score_spread = lambda queries, keys, scaled: torch.std(queries @ keys.T / (queries.shape[-1] ** 0.5) ** int(scaled))"),
        Right("statistics", spread("import statistics\ns = (queries @ keys.T).flatten().tolist()\nreturn statistics.stdev(s) / (keys.shape[-1] ** 0.5 if scaled else 1)")),
        Right("where", spread("d_k = torch.tensor(float(keys.shape[-1]))\ndivisor = torch.where(torch.tensor(scaled), d_k.sqrt(), torch.tensor(1.0))\nreturn (queries @ keys.T / divisor).std()")),
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
}
