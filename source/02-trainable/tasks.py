"""The tasks of lesson 02: their probes, the wrong answers people give, and the hint each deserves."""

import math

import torch
from torch import nn
from torch.nn import functional

from autograder.authoring import Check, Forbid, Lesson, Made, Probe, Property, Right, Specimen, Task, Wrong

# The sentence "Your journey starts with one step", three numbers for each token.
SENTENCE = torch.tensor(
    [
        [0.43, 0.15, 0.89],
        [0.55, 0.87, 0.66],
        [0.57, 0.85, 0.64],
        [0.22, 0.58, 0.33],
        [0.77, 0.25, 0.10],
        [0.05, 0.80, 0.55],
    ]
)


def drawn(*shape, seed=0):
    """Numbers of both signs, the same on every machine."""
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


# What stands in the notebook's variables `values` and `d_k`, for answers that read them by mistake.
SEED_123 = torch.Generator().manual_seed(123)
NOTEBOOK_VALUES = SENTENCE @ [torch.rand(3, 2, generator=SEED_123) for _ in range(3)][2]
NOTEBOOK_D_K = 2


def redraw(generator: torch.Generator) -> dict:
    """Other tokens and other weights of the same shapes."""
    return {
        "inputs": torch.rand(6, 3, generator=generator),
        "W_query": torch.rand(3, 2, generator=generator),
        "W_key": torch.rand(3, 2, generator=generator),
        "W_value": torch.rand(3, 2, generator=generator),
    }


SUMS_TO_ONE = Property("sums-to-one", {"axis": -1})
NOT_NEGATIVE = Property("not-negative")

QUERY = Task(
    id="query-of-one-token",
    title="The query of one token",
    name="query_2",
    kind="tensor",
    signature="query_2",
    axes=("d_out",),
    checks=(Check("“journey” times W_query", 1),),
    learned="A projection is a matrix product: three numbers in, two out. Which two is up to W_query.",
    hints=(
        "Which matrix makes queries? Which vector goes in?",
        "The shapes are `(3,) @ (3, 2)`: the vector stands on the left.",
        "`query_2 = x_2 @ W_query`",
    ),
    wrong=(
        Wrong(
            "key-matrix",
            lambda x_2, W_key: x_2 @ W_key,
            "This is the key of “journey”: it was made with `W_key`. A query is made with `W_query`.",
        ),
        Wrong(
            "value-matrix",
            lambda x_2, W_value: x_2 @ W_value,
            "This is the value of “journey”: it was made with `W_value`. A query is made with `W_query`.",
        ),
        Wrong(
            "third-token",
            lambda inputs, W_query: inputs[2] @ W_query,
            "This is the query of “starts”. The second token is `x_2`, which is `inputs[1]`: Python counts "
            "from 0.",
        ),
        Wrong(
            "first-token",
            lambda inputs, W_query: inputs[0] @ W_query,
            "This is the query of “Your”. The task asks for “journey”, `x_2`.",
        ),
        Wrong(
            "all-tokens",
            lambda inputs, W_query: inputs @ W_query,
            "These are the queries of all six tokens. The task asks for one: put `x_2` in the place of "
            "`inputs`.",
        ),
        Wrong(
            "not-added-up",
            lambda x_2, W_query: x_2[:, None] * W_query,
            "`*` gives the products, six of them. A matrix product, `@`, adds up each column as well.",
        ),
        Wrong(
            "summed-over-d-out",
            lambda x_2, W_query: (x_2[:, None] * W_query).sum(dim=1),
            "The products were added up along the wrong axis: three numbers are left, one for each "
            "dimension of the "
            "token. Add up over those and keep the two columns: `x_2 @ W_query` does.",
        ),
        Wrong(
            "not-projected",
            lambda x_2: x_2,
            "This is the token itself. Multiply it with `W_query`.",
        ),
        Wrong(
            "scaled",
            lambda x_2, W_query, d_k: x_2 @ W_query / d_k**0.5,
            "The query was divided by √d_k. That comes later, and is done to the scores.",
        ),
    ),
    right=(
        Right("matmul", lambda x_2, W_query: torch.matmul(x_2, W_query)),
        Right("matrix-first", lambda x_2, W_query: W_query.T @ x_2),
        Right("einsum", lambda x_2, W_query: torch.einsum("i,io->o", x_2, W_query)),
        Right("linear", lambda x_2, W_query: functional.linear(x_2, W_query.T)),
        Right("row-of-all", lambda inputs, W_query: (inputs @ W_query)[1]),
        Right("double", lambda x_2, W_query: x_2.double() @ W_query.double()),
    ),
)

KEYS = Task(
    id="keys",
    title="The keys of all tokens",
    name="keys",
    kind="tensor",
    signature="keys",
    axes=("tokens", "d_out"),
    checks=(Check("one key for each token", 1),),
    learned="One matrix product makes the keys of a whole sentence: row i is the key of token i.",
    hints=(
        "It is the product of task 1, with all tokens at once and another matrix.",
        "The shapes are `(6, 3) @ (3, 2)`, which gives `(6, 2)`.",
        "`keys = inputs @ W_key`",
    ),
    wrong=(
        Wrong(
            "query-matrix",
            lambda inputs, W_query: inputs @ W_query,
            "These are the queries of all tokens: the matrix is `W_query`. Keys are made with `W_key`.",
        ),
        Wrong(
            "value-matrix",
            lambda inputs, W_value: inputs @ W_value,
            "These are the values of all tokens: the matrix is `W_value`. Keys are made with `W_key`.",
        ),
        Wrong(
            "one-token-only",
            lambda x_2, W_key: x_2 @ W_key,
            "This is the key of “journey” alone. All six tokens need one: multiply `inputs`, not `x_2`.",
        ),
        Wrong(
            "one-token-repeated",
            lambda inputs, W_key: (inputs[1] @ W_key).expand(6, -1).clone(),
            "Every row is the key of “journey”. Row i has to be made from token i: multiply `inputs`.",
        ),
        Wrong(
            "transposed",
            lambda inputs, W_key: W_key.T @ inputs.T,
            "This has one column for each token. The course keeps one row for each: `inputs` stands on the "
            "left.",
        ),
        Wrong(
            "reshaped",
            lambda inputs, W_key: (W_key.T @ inputs.T).reshape(6, 2),
            "The shape is right and the numbers stand in the wrong places: `reshape` does not transpose. "
            "With "
            "`inputs` on the left no turning is needed.",
        ),
        Wrong(
            "not-projected",
            lambda inputs: inputs,
            "These are the tokens themselves. Multiply them with `W_key`.",
        ),
        Wrong(
            "scaled",
            lambda inputs, W_key, d_k: inputs @ W_key / d_k**0.5,
            "The keys were divided by √d_k. That comes later, and is done to the scores.",
        ),
        Wrong(
            "softmax-already",
            lambda inputs, W_key: torch.softmax(inputs @ W_key, dim=-1),
            "Softmax was applied to the keys. Keys are plain projections; softmax comes after the scores.",
        ),
    ),
    right=(
        Right("matmul", lambda inputs, W_key: torch.matmul(inputs, W_key)),
        Right("einsum", lambda inputs, W_key: torch.einsum("ti,io->to", inputs, W_key)),
        Right("stack", lambda inputs, W_key: torch.stack([x @ W_key for x in inputs])),
        Right("linear", lambda inputs, W_key: functional.linear(inputs, W_key.T)),
        Right(
            "fused",
            lambda inputs, W_query, W_key: (inputs @ torch.cat([W_query, W_key], dim=1)).chunk(2, dim=-1)[1],
        ),
    ),
)

VALUES = Task(
    id="values",
    title="The values of all tokens",
    name="values",
    kind="tensor",
    signature="values",
    axes=("tokens", "d_out"),
    checks=(Check("one value for each token", 1),),
    learned="What a token is found by (its key) and what it hands over (its value) are now two different "
    "things.",
    hints=(
        "It is the last task again, with another matrix.",
        "Which of the three matrices makes what is handed over?",
        "`values = inputs @ W_value`",
    ),
    wrong=(
        Wrong(
            "key-matrix-again",
            lambda inputs, W_key: inputs @ W_key,
            "These are the keys once more: `W_key` was used again for the values. Use `W_value`.",
        ),
        Wrong(
            "query-matrix",
            lambda inputs, W_query: inputs @ W_query,
            "These are the queries of all tokens: the matrix is `W_query`. Use `W_value`.",
        ),
        Wrong(
            "one-token-only",
            lambda x_2, W_value: x_2 @ W_value,
            "This is the value of “journey” alone. All six tokens need one: multiply `inputs`, not `x_2`.",
        ),
        Wrong(
            "transposed",
            lambda inputs, W_value: W_value.T @ inputs.T,
            "This has one column for each token. The course keeps one row for each: `inputs` stands on the "
            "left.",
        ),
        Wrong(
            "reshaped",
            lambda inputs, W_value: (W_value.T @ inputs.T).reshape(6, 2),
            "The shape is right and the numbers stand in the wrong places: `reshape` does not transpose. "
            "With "
            "`inputs` on the left no turning is needed.",
        ),
        Wrong(
            "not-projected",
            lambda inputs: inputs,
            "These are the tokens themselves. Multiply them with `W_value`.",
        ),
        Wrong(
            "one-token-repeated",
            lambda inputs, W_value: (inputs[1] @ W_value).expand(6, -1).clone(),
            "Every row is the value of “journey”. Row i has to be made from token i: multiply `inputs`.",
        ),
    ),
    right=(
        Right("matmul", lambda inputs, W_value: torch.matmul(inputs, W_value)),
        Right("einsum", lambda inputs, W_value: torch.einsum("ti,io->to", inputs, W_value)),
        Right("stack", lambda inputs, W_value: torch.stack([x @ W_value for x in inputs])),
        Right("broadcast", lambda inputs, W_value: (inputs[:, :, None] * W_value).sum(dim=1)),
    ),
)

SCORES = Task(
    id="scores-of-one-query",
    title="The scores of one query",
    name="attn_scores_2",
    kind="tensor",
    signature="attn_scores_2",
    axes=("tokens",),
    needs=("query-of-one-token", "keys"),
    checks=(Check("one score for each token", 1),),
    learned="A score is the dot product of a query with a key. With other matrices the same sentence has "
    "other scores.",
    hints=(
        "You need the dot product of `query_2` with every row of `keys`.",
        "A matrix product takes rows on the left with columns on the right. What makes the keys columns?",
        "`attn_scores_2 = query_2 @ keys.T`",
    ),
    wrong=(
        Wrong(
            "with-queries",
            lambda query_2, inputs, W_query: query_2 @ (inputs @ W_query).T,
            "Here the query meets the other tokens' queries. It has to meet their keys.",
        ),
        Wrong(
            "with-values",
            lambda query_2, values: query_2 @ values.T,
            "Here the query meets the values. A query is compared with keys; values are what is handed over "
            "later.",
        ),
        Wrong(
            "key-with-keys",
            lambda keys: keys[1] @ keys.T,
            "Here the key of “journey” meets the keys. The token that looks comes with its query, `query_2`.",
        ),
        Wrong(
            "query-and-key-swapped",
            lambda inputs, keys, W_query: keys[1] @ (inputs @ W_query).T,
            "Query and key are swapped: this is how much every other token would look for “journey”. Take "
            "the query of "
            "“journey” and everybody's keys.",
        ),
        Wrong(
            "raw-tokens",
            lambda x_2, inputs: inputs @ x_2,
            "These are the scores of lesson 01, from the tokens as they are. Use `query_2` and `keys`.",
        ),
        Wrong(
            "scaled-already",
            lambda query_2, keys: query_2 @ keys.T / keys.shape[1] ** 0.5,
            "These scores are already divided by √d_k. That is the next task.",
        ),
        Wrong(
            "softmax-already",
            lambda query_2, keys: torch.softmax(query_2 @ keys.T, dim=-1),
            "These are weights already: they add up to 1. The task wants the scores before that.",
        ),
        Wrong(
            "products-not-added",
            lambda query_2, keys: keys * query_2,
            "These are the products, two for each token. Add up each row, or use `@`.",
        ),
        Wrong(
            "summed-over-tokens",
            lambda query_2, keys: (keys * query_2).sum(dim=0),
            "The products were added up over the tokens. A score is a sum over the two dimensions: `dim=1`.",
        ),
        Wrong(
            "reshaped-keys",
            lambda query_2, keys: query_2 @ keys.reshape(2, 6),
            "`reshape` and `view` fill the new shape in reading order, which mixes the tokens up. `keys.T` "
            "turns "
            "the keys round.",
        ),
        Wrong(
            "all-queries",
            lambda inputs, keys, W_query: (inputs @ W_query) @ keys.T,
            "These are the scores of all six queries. The task asks for one, `query_2`.",
        ),
        Wrong(
            "one-score-only",
            lambda query_2, keys: query_2 @ keys[1],
            "This is one score, that of “journey” with itself. Meet all keys at once: `keys.T`.",
        ),
    ),
    right=(
        Right("keys-first", lambda query_2, keys: keys @ query_2),
        Right("einsum", lambda query_2, keys: torch.einsum("d,td->t", query_2, keys)),
        Right("stack", lambda query_2, keys: torch.stack([torch.dot(query_2, key) for key in keys])),
        Right("broadcast", lambda query_2, keys: (keys * query_2).sum(dim=-1)),
    ),
)

SCALED_WEIGHTS = Task(
    id="scaled-weights",
    title="The scaled attention weights of “journey”",
    name="attn_weights_2",
    kind="tensor",
    signature="attn_weights_2",
    axes=("tokens",),
    properties=(SUMS_TO_ONE, NOT_NEGATIVE),
    needs=("scores-of-one-query",),
    checks=(Check("scores over √d_k, then softmax", 2),),
    learned="Scaled dot-product attention: divide by √d_k first, then softmax.",
    hints=(
        "Two steps, in this order: divide, then softmax.",
        "`d_k**0.5` is the root of `d_k`. Divide `attn_scores_2` by it.",
        "`attn_weights_2 = torch.softmax(attn_scores_2 / d_k**0.5, dim=-1)`",
    ),
    wrong=(
        Wrong(
            "not-scaled",
            lambda attn_scores_2: torch.softmax(attn_scores_2, dim=-1),
            "These are the weights without any scaling. Divide the scores by √d_k first: `d_k**0.5`, with "
            "two stars "
            "(`d_k * 0.5` is 1 here).",
        ),
        Wrong(
            "divided-by-d-k",
            lambda attn_scores_2, d_k: torch.softmax(attn_scores_2 / d_k, dim=-1),
            "The scores were divided by d_k itself. Divide by its root: `d_k**0.5`.",
        ),
        Wrong(
            "multiplied",
            lambda attn_scores_2, d_k: torch.softmax(attn_scores_2 * d_k**0.5, dim=-1),
            "The scores were multiplied by √d_k, which makes the weights sharper. Divide by it.",
        ),
        Wrong(
            "scaled-by-d-in",
            lambda attn_scores_2, inputs: torch.softmax(attn_scores_2 / inputs.shape[1] ** 0.5, dim=-1),
            "You divided by √3, the root of `d_in`. What counts is the size of a *key*: `d_k`, which is 2.",
        ),
        Wrong(
            "scaled-by-tokens",
            lambda attn_scores_2: torch.softmax(attn_scores_2 / len(attn_scores_2) ** 0.5, dim=-1),
            "You divided by √6, the root of the number of tokens (`shape[0]`). What counts is the size of a "
            "key: `d_k`.",
        ),
        Wrong(
            "scaled-after-softmax",
            lambda attn_scores_2, d_k: torch.softmax(attn_scores_2, dim=-1) / d_k**0.5,
            "The division came after the softmax, so the weights add up to 0.71. Divide the scores, then "
            "take softmax.",
        ),
        Wrong(
            "precedence",
            lambda attn_scores_2, d_k: torch.softmax(attn_scores_2 / d_k / 2, dim=-1),
            "The scores were divided by 4: by the square of d_k, or by 2 twice, since `d_k**1/2` is "
            "`(d_k**1) / 2`. Divide by its root: `d_k**0.5`.",
        ),
        Wrong(
            "no-softmax",
            lambda attn_scores_2, d_k: attn_scores_2 / d_k**0.5,
            "These are the scaled scores. Softmax still has to turn them into weights.",
        ),
        Wrong(
            "divided-by-sum",
            lambda attn_scores_2: attn_scores_2 / attn_scores_2.sum(),
            "The scores were divided by their sum. Use softmax, which also holds for negative scores.",
        ),
        Wrong(
            "softmax-twice",
            lambda attn_scores_2, d_k: torch.softmax(torch.softmax(attn_scores_2 / d_k**0.5, dim=-1), dim=-1),
            "Softmax was applied twice: the weights are nearly all equal. Apply it once.",
        ),
        Wrong(
            "log-softmax",
            lambda attn_scores_2, d_k: torch.log_softmax(attn_scores_2 / d_k**0.5, dim=-1),
            "These are logarithms of the weights: use `softmax`, not `log_softmax`.",
        ),
    ),
    right=(
        Right("math-sqrt", lambda attn_scores_2, d_k: torch.softmax(attn_scores_2 / math.sqrt(d_k), dim=0)),
        Right("power", lambda attn_scores_2, d_k: torch.softmax(attn_scores_2 * d_k**-0.5, dim=-1)),
        Right(
            "query-scaled", lambda query_2, keys, d_k: torch.softmax((query_2 / d_k**0.5) @ keys.T, dim=-1)
        ),
        Right(
            "by-hand",
            lambda attn_scores_2, d_k: (
                torch.exp(attn_scores_2 / d_k**0.5) / torch.exp(attn_scores_2 / d_k**0.5).sum()
            ),
        ),
        Right(
            "double",
            lambda attn_scores_2, keys: torch.softmax(attn_scores_2.double() / keys.shape[-1] ** 0.5, dim=-1),
        ),
    ),
)

CONTEXT = Task(
    id="context-of-one-token",
    title="The context vector of “journey”",
    name="context_vec_2",
    kind="tensor",
    signature="context_vec_2",
    axes=("d_out",),
    needs=("scaled-weights", "values"),
    checks=(Check("the weighted sum of the values", 1),),
    learned="Queries and keys decide how much; values are what is taken. The context vector has d_out "
    "numbers.",
    hints=(
        "Multiply each token's value by that token's weight, and add up.",
        "The shapes are `(6,) @ (6, 2)`, which gives `(2,)`.",
        "`context_vec_2 = attn_weights_2 @ values`",
    ),
    wrong=(
        Wrong(
            "keys-for-values",
            lambda attn_weights_2, keys: attn_weights_2 @ keys,
            "The keys were summed. Keys are for finding; what is handed over are the `values`.",
        ),
        Wrong(
            "inputs-for-values",
            lambda attn_weights_2, inputs: attn_weights_2 @ inputs,
            "The tokens themselves were summed, as in lesson 01. Sum the `values`.",
        ),
        Wrong(
            "queries-for-values",
            lambda attn_weights_2, inputs, W_query: attn_weights_2 @ (inputs @ W_query),
            "The queries were summed. What is handed over are the `values`.",
        ),
        Wrong(
            "scores-as-weights",
            lambda attn_scores_2, values: attn_scores_2 @ values,
            "The sum is weighted with the scores. Use the attention weights, which add up to 1.",
        ),
        Wrong(
            "weights-not-scaled",
            lambda attn_scores_2, values: torch.softmax(attn_scores_2, dim=-1) @ values,
            "These weights were made without the division by √d_k. Use `attn_weights_2` as task 5 makes it.",
        ),
        Wrong(
            "not-added-up",
            lambda attn_weights_2, values: attn_weights_2[:, None] * values,
            "These are the six weighted values. Add them up over the tokens.",
        ),
        Wrong(
            "summed-over-dimensions",
            lambda attn_weights_2, values: (attn_weights_2[:, None] * values).sum(dim=1),
            "You added up over the dimensions and kept the tokens. Add up over the tokens: `dim=0`.",
        ),
        Wrong(
            "own-value-only",
            lambda values: values[1],
            "This is the value of “journey” alone. Every token's value goes in, each with its weight.",
        ),
        Wrong(
            "plain-mean",
            lambda values: values.mean(dim=0),
            "This is the plain mean of the values: the weights are not used.",
        ),
        Wrong(
            "divided-by-count",
            lambda attn_weights_2, values: attn_weights_2 @ values / len(values),
            "The sum was divided by the number of tokens. The weights add up to 1 already.",
        ),
    ),
    right=(
        Right("einsum", lambda attn_weights_2, values: torch.einsum("t,td->d", attn_weights_2, values)),
        Right("transposed", lambda attn_weights_2, values: values.T @ attn_weights_2),
        Right("broadcast", lambda attn_weights_2, values: (attn_weights_2[:, None] * values).sum(dim=0)),
        Right(
            "scaled-dot-product-attention",
            lambda query_2, keys, values: functional.scaled_dot_product_attention(
                query_2[None, None], keys[None], values[None]
            )[0, 0],
        ),
    ),
)


def attend(queries, keys, values, scale=None, dim=-1):
    """Attention with everything open to mistakes: what the scores are divided by, and softmax's axis."""
    scale = keys.shape[-1] ** 0.5 if scale is None else scale
    return torch.softmax(queries @ keys.mT / scale, dim=dim) @ values


class Parameters(nn.Module):
    """Three plain parameters; a variant adds `forward`."""

    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_query = nn.Parameter(torch.rand(d_in, d_out))
        self.W_key = nn.Parameter(torch.rand(d_in, d_out))
        self.W_value = nn.Parameter(torch.rand(d_in, d_out))

    def project(self, x):
        return x @ self.W_query, x @ self.W_key, x @ self.W_value


class Layers(nn.Module):
    """Three linear layers; a variant adds `forward`."""

    def __init__(self, d_in, d_out, qkv_bias=False):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)

    def project(self, x):
        return self.W_query(x), self.W_key(x), self.W_value(x)


def variant(base, forward):
    """A class like `base` with this `forward(self, x)`."""
    return type("SelfAttention", (base,), {"forward": forward})


def on_projections(base, compute):
    """A class like `base` whose result is `compute(x, queries, keys, values)`."""
    return variant(base, lambda self, x: compute(x, *self.project(x)))


def shared_wrong(base, name):
    """The mistakes that can be made behind any kind of projection, with their hints."""
    return (
        Wrong(
            "softmax-over-queries",
            on_projections(base, lambda x, q, k, v: attend(q, k, v, dim=0)),
            "Softmax ran over dim=0: each column of the weights adds up to 1. A query's weights stand in a "
            "row: "
            "dim=-1.",
        ),
        Wrong(
            "not-scaled",
            on_projections(base, lambda x, q, k, v: attend(q, k, v, 1.0)),
            "The scores are not scaled. Divide them by the root of the keys' size, `keys.shape[-1] ** 0.5`, "
            "before "
            "the softmax.",
        ),
        Wrong(
            "scaled-by-d-in",
            on_projections(base, lambda x, q, k, v: attend(q, k, v, x.shape[-1] ** 0.5)),
            "The scores were divided by the root of `d_in`, the size of `x`. What counts is the size of a "
            "key: "
            "`keys.shape[-1]`.",
        ),
        Wrong(
            "divided-by-d-k",
            on_projections(base, lambda x, q, k, v: attend(q, k, v, k.shape[-1])),
            "The scores were divided by d_k itself. Divide by its root: `keys.shape[-1] ** 0.5`.",
        ),
        Wrong(
            "multiplied-by-root",
            on_projections(base, lambda x, q, k, v: attend(q, k, v, k.shape[-1] ** -0.5)),
            "The scores were multiplied by √d_k. Divide by it.",
        ),
        Wrong(
            "scaled-by-tokens",
            on_projections(base, lambda x, q, k, v: attend(q, k, v, x.shape[0] ** 0.5)),
            "The scores were divided by the root of the number of tokens, `shape[0]`. What counts is the "
            "size of a key: "
            "`keys.shape[-1]`.",
        ),
        Wrong(
            "scaled-after-softmax",
            on_projections(base, lambda x, q, k, v: attend(q, k, v, 1.0) / k.shape[-1] ** 0.5),
            "The division by √d_k came after the softmax. Divide the scores, then take softmax.",
        ),
        Wrong(
            "scaled-by-fixed-number",
            on_projections(base, lambda x, q, k, v: attend(q, k, v, 2**0.5)),
            "The scores are divided by √2 whatever the size of the keys: either 2 is written into the "
            "class, or the "
            "notebook's `d_k` or `d_out` is read. Take the size from the keys: `keys.shape[-1]`.",
        ),
        Wrong(
            "query-and-key-swapped",
            on_projections(base, lambda x, q, k, v: attend(k, q, v)),
            "Queries and keys are swapped: the scores are transposed. Rows belong to queries: `queries @ "
            "keys.T`.",
        ),
        Wrong(
            "keys-for-values",
            on_projections(base, lambda x, q, k, v: attend(q, k, k)),
            "The keys were handed over: either the weights are multiplied with the keys, or `W_key` was "
            "used again for the "
            "values. Values are made with `W_value`, and nothing else meets the weights.",
        ),
        Wrong(
            "tokens-for-values",
            on_projections(base, lambda x, q, k, v: attend(q, k, x)),
            "The weights were multiplied with the tokens `x`. Multiply them with the values.",
        ),
        Wrong(
            "queries-for-keys",
            on_projections(base, lambda x, q, k, v: attend(q, q, v)),
            "The queries met the queries. Keys are made with `W_key`.",
        ),
        Wrong(
            "no-softmax",
            on_projections(base, lambda x, q, k, v: q @ k.mT / k.shape[-1] ** 0.5 @ v),
            "The scaled scores are used as weights. Between the two comes softmax.",
        ),
        Wrong(
            "weights-returned",
            on_projections(base, lambda x, q, k, v: torch.softmax(q @ k.mT / k.shape[-1] ** 0.5, dim=-1)),
            "These are the attention weights. Return the context vectors: the weights times the values.",
        ),
        Wrong(
            "weights-transposed",
            on_projections(
                base, lambda x, q, k, v: torch.softmax(q @ k.mT / k.shape[-1] ** 0.5, dim=-1).mT @ v
            ),
            "The weights were transposed before they met the values. Each row belongs to a query: `weights "
            "@ values`.",
        ),
        Wrong(
            "reads-the-notebook",
            on_projections(base, lambda x, q, k, v: attend(q, k, NOTEBOOK_VALUES, NOTEBOOK_D_K**0.5)),
            "`forward` reads the notebook's variable `values`, which was made from another sentence by "
            "other weights. Make the "
            "values from `x` and `self.W_value`, under the name that the last line uses.",
        ),
        Wrong(
            "tokens-of-the-notebook",
            variant(base, lambda self, x: attend(*self.project(SENTENCE.to(x.dtype)))),
            f"These are the context vectors of `inputs` whatever `{name}` is called with. Use `x`.",
        ),
        Wrong(
            "cut-off-gradient",
            on_projections(base, lambda x, q, k, v: attend(q, k, v).detach()),
            "`.detach()`, `.data`, `torch.no_grad()` and `torch.tensor(…)` cut the gradient off, and "
            "`requires_grad=False` switches it off for a parameter. Nothing could be trained.",
        ),
        Wrong(
            "edited-in-place",
            variant(base, lambda self, x: attend(*self.project(x.sub_(x.mean(dim=0))))),
            "`forward` changes the caller's `x`: `x -= …` and methods that end in `_` do. Give the result a "
            "name of its own.",
        ),
        Wrong(
            "residual-added",
            on_projections(base, lambda x, q, k, v: v + attend(q, k, v)),
            "Each token's own value was added to its context vector. Return the weighted sums alone.",
        ),
    )


class Unregistered(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_query = torch.rand(d_in, d_out)
        self.W_key = torch.rand(d_in, d_out)
        self.W_value = torch.rand(d_in, d_out)

    def forward(self, x):
        return attend(x @ self.W_query, x @ self.W_key, x @ self.W_value)


class Turned(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_query = nn.Parameter(torch.rand(d_out, d_in))
        self.W_key = nn.Parameter(torch.rand(d_out, d_in))
        self.W_value = nn.Parameter(torch.rand(d_out, d_in))

    def forward(self, x):
        return attend(x @ self.W_query.T, x @ self.W_key.T, x @ self.W_value.T)


class ShortNames(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_q = nn.Parameter(torch.rand(d_in, d_out))
        self.W_k = nn.Parameter(torch.rand(d_in, d_out))
        self.W_v = nn.Parameter(torch.rand(d_in, d_out))

    def forward(self, x):
        return attend(x @ self.W_q, x @ self.W_k, x @ self.W_v)


def drawn_in_forward(self, x):
    size = self.W_query.shape
    return attend(x @ torch.rand(size), x @ torch.rand(size), x @ torch.rand(size))


class KeysFirst(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_value = nn.Parameter(torch.rand(d_in, d_out))
        self.W_key = nn.Parameter(torch.rand(d_in, d_out))
        self.W_query = nn.Parameter(torch.rand(d_in, d_out))
        self.d_out = d_out

    def weights(self, x):
        scores = torch.einsum("qd,kd->qk", x @ self.W_query, x @ self.W_key)
        return (scores / math.sqrt(self.d_out)).softmax(-1)

    def forward(self, x):
        return self.weights(x) @ (x @ self.W_value)


class NormalStart(Parameters):
    def __init__(self, d_in, d_out):
        super().__init__(d_in, d_out)
        for parameter in self.parameters():
            nn.init.normal_(parameter)

    def forward(self, x):
        return attend(*self.project(x))


class OwnSeed(Parameters):
    def __init__(self, d_in, d_out):
        torch.manual_seed(123)
        super().__init__(d_in, d_out)

    def forward(self, x):
        return attend(*self.project(x))


class OneMatrix(Parameters):
    def __init__(self, d_in, d_out):
        super().__init__(d_in, d_out)
        self.W_key = self.W_value = self.W_query

    def forward(self, x):
        return attend(*self.project(x))


def started_at_zero(base):
    """A class like `base` that is right, and starts with zeros."""

    class Zeros(base):
        def __init__(self, *arguments, **keywords):
            super().__init__(*arguments, **keywords)
            for parameter in self.parameters():
                nn.init.zeros_(parameter)

        def forward(self, x):
            return attend(*self.project(x))

    return Zeros


def fused_parameters(self, x):
    q, k, v = (x @ torch.cat([self.W_query, self.W_key, self.W_value], dim=1)).chunk(3, dim=-1)
    return attend(q, k, v)


def fused_kernel(self, x):
    q, k, v = self.project(x)
    return functional.scaled_dot_product_attention(q[None], k[None], v[None])[0]


def ready_made_heads(self, x):
    q, k, v = self.project(x)
    own, empty = torch.eye(q.shape[-1], dtype=q.dtype), torch.zeros(q.shape[-1], dtype=q.dtype)
    context, _ = functional.multi_head_attention_forward(
        *(one[:, None] for one in (q, k, v)),
        *(q.shape[-1], 1, own.repeat(3, 1), None, None, None, False, 0.0, own, empty),
    )
    return context[:, 0]


def row_by_row(self, x):
    q, k, v = self.project(x)
    return torch.stack([torch.softmax(k @ query / len(query) ** 0.5, dim=0) @ v for query in q])


def shared_right(base):
    return (
        Right("fused-kernel", variant(base, fused_kernel)),
        Right("row-by-row", variant(base, row_by_row)),
        Right(
            "einsum",
            on_projections(
                base,
                lambda x, q, k, v: torch.einsum(
                    "qk,kd->qd", torch.softmax(torch.einsum("qd,kd->qk", q, k) / k.shape[1] ** 0.5, -1), v
                ),
            ),
        ),
        Right(
            "scaled-queries",
            on_projections(base, lambda x, q, k, v: attend(q * k.shape[-1] ** -0.5, k, v, 1)),
        ),
        Right("transpose", on_projections(base, lambda x, q, k, v: attend(q, k.transpose(-2, -1).mT, v))),
    )


SIZES = {
    "seeded": ("the sentence", SENTENCE, (3, 2), 123),
    "other-sentence": ("six other tokens, with other weights", drawn(6, 3, seed=11), (3, 2), 5),
    "wider": ("four tokens of five dimensions, d_out = 7", drawn(4, 5, seed=12), (5, 7), 24),
    "narrower": ("five tokens of seven dimensions, d_out = 4", drawn(5, 7, seed=13), (7, 4), 25),
}


def size_probe(name, **extra):
    says, x, (d_in, d_out), seed = SIZES[name]
    construct = {"d_in": d_in, "d_out": d_out, **extra}
    return Probe(name, says, {"x": x}, construct=construct, seed=seed)


SHUFFLED = Probe(
    "shuffled",
    "the tokens in another order",
    {"x": drawn(8, 4, seed=14)},
    construct={"d_in": 4, "d_out": 3},
    seed=26,
    observe="permuted",
    settings={"input": "x", "axis": -2},
)
DOUBLE = Probe(
    "double",
    "numbers of the dtype float64",
    {"x": drawn(4, 5, seed=15)},
    construct={"d_in": 5, "d_out": 3},
    seed=27,
    dtype="float64",
)
# Where both sizes are equal, a matrix that should have been transposed fits all the same.
SQUARE = Probe(
    "square",
    "four tokens, with d_in = d_out",
    {"x": drawn(4, 5, seed=16)},
    construct={"d_in": 5, "d_out": 5},
    seed=28,
)
BIASED = Probe(
    "biased",
    "layers with a bias",
    {"x": drawn(4, 5, seed=17)},
    construct={"d_in": 5, "d_out": 3, "qkv_bias": True},
    seed=29,
    keywords=("d_in", "d_out", "qkv_bias"),
)


def start_probe(**settings):
    """Many numbers, so that the lowest, the mean and the highest are known."""
    return Probe(
        "start",
        "a new object with d_in = 4 and d_out = 300",
        {"x": drawn(2, 4, seed=18)},
        construct={"d_in": 4, "d_out": 300},
        observe="start-values",
        settings=settings,
    )


SELF_ATTENTION_V1 = Task(
    id="self-attention-v1",
    title="SelfAttention_v1, with nn.Parameter",
    name="SelfAttention_v1",
    kind="module",
    signature="SelfAttention_v1(d_in, d_out)",
    axes=("tokens", "d_out"),
    input_axes={"x": ("tokens", "d_in")},
    probes=(
        size_probe("seeded"),
        size_probe("other-sentence"),
        size_probe("wider"),
        size_probe("narrower"),
        SHUFFLED,
        DOUBLE,
        start_probe(range=True),
    ),
    checks=(
        Check("six tokens, d_in = 3, d_out = 2", 2, ("seeded", "other-sentence")),
        Check(
            "any sizes, tokens in any order, weights from `torch.rand`",
            2,
            ("wider", "narrower", "shuffled", "double", "start"),
        ),
    ),
    learned="Self-attention with three trainable matrices. Another order of the tokens gives the same "
    "context vectors in "
    "that order.",
    hints=(
        "`__init__` makes the three matrices, `forward` does tasks 1 to 6 for all tokens at once.",
        "In `__init__`: `self.W_query = nn.Parameter(torch.rand(d_in, d_out))`, and the same for the other "
        "two.",
        "In `forward`: queries, keys and values are `x @ self.W_query` and so on; the scores are `queries @ "
        "keys.T`.",
        "It ends with `weights = torch.softmax(scores / keys.shape[-1] ** 0.5, dim=-1)` and `return weights "
        "@ values`.",
    ),
    wrong=(
        *shared_wrong(Parameters, "SelfAttention_v1"),
        Wrong(
            "not-registered",
            Unregistered,
            "The weights are plain tensors, or `forward` makes them anew in each call. Neither can be "
            "trained. Assign "
            "`nn.Parameter(torch.rand(d_in, d_out))` to `self.W_query` and so on, in `__init__`.",
        ),
        Wrong(
            "drawn-in-forward",
            variant(Parameters, drawn_in_forward),
            "`forward` draws new random weights in each call, and the parameters are not used. Multiply `x` "
            "with "
            "`self.W_query`, `self.W_key` and `self.W_value`.",
        ),
        Wrong(
            "linear-layers",
            variant(Layers, lambda self, x: attend(*self.project(x))),
            "These are `nn.Linear` layers. They come in `SelfAttention_v2`; here the weights are "
            "`nn.Parameter(torch.rand(d_in, d_out))`.",
        ),
        Wrong(
            "turned-matrices",
            Turned,
            "The matrices have the shape `(d_out, d_in)`, as `nn.Linear` stores them. Here they are `(d_in, "
            "d_out)`, so that "
            "`x @ self.W_query` fits.",
        ),
        Wrong(
            "short-names",
            ShortNames,
            "The parameters are called `W_q`, `W_k` and `W_v`. This course writes the names out: `W_query`, "
            "`W_key`, `W_value`.",
        ),
        Wrong(
            "drawn-from-the-normal-distribution",
            NormalStart,
            "The arithmetic is right. The weights are drawn from the normal distribution, with `torch.randn`: "
            "the task asks for `torch.rand`, numbers from 0 to 1.",
        ),
        Wrong(
            "started-at-zero",
            started_at_zero(Parameters),
            "The arithmetic is right. But all weights start at 0: then every score is 0, every token gets the "
            "same context vector, and training cannot begin. Draw them with `torch.rand`.",
        ),
        Wrong(
            "own-seed",
            OwnSeed,
            "The arithmetic is right. But a seed is set inside the class, so every object starts with the same "
            "weights, and whoever uses the class finds their own random numbers reset. Leave seeds to the caller.",
        ),
        Wrong(
            "one-matrix-for-all",
            OneMatrix,
            "The three names stand for one and the same matrix. Queries, keys and values each need their own: "
            "three times `nn.Parameter(torch.rand(d_in, d_out))`.",
        ),
    ),
    right=(
        *(one for one in shared_right(Parameters) if one.id != "fused-kernel"),
        Right("keys-first", KeysFirst),
        Right("fused", variant(Parameters, fused_parameters)),
    ),
    forbids=Forbid(
        ("scaled_dot_product_attention",),
        points=2,
        caught=(
            Right("fused-kernel", variant(Parameters, fused_kernel)),
            Right("multi-head-function", variant(Parameters, ready_made_heads)),
        ),
    ),
)

SCORE_SPREAD = Task(
    id="score-spread",
    title="How far scores spread",
    name="score_spread",
    kind="function",
    signature="score_spread(queries, keys, scaled)",
    axes=(),
    number=True,
    input_axes={"queries": ("queries", "d_k"), "keys": ("keys", "d_k")},
    probes=(
        Probe(
            "plain",
            "six queries and five keys with d_k = 8, not scaled",
            {"queries": drawn(6, 8, seed=31), "keys": drawn(5, 8, seed=32), "scaled": False},
        ),
        Probe(
            "plain-wide",
            "three queries and seven keys with d_k = 50, not scaled",
            {"queries": drawn(3, 50, seed=33), "keys": drawn(7, 50, seed=34), "scaled": False},
        ),
        Probe(
            "scaled",
            "the same six queries and five keys, scaled",
            {"queries": drawn(6, 8, seed=31), "keys": drawn(5, 8, seed=32), "scaled": True},
        ),
        Probe(
            "scaled-wide",
            "the same three queries and seven keys, scaled",
            {"queries": drawn(3, 50, seed=33), "keys": drawn(7, 50, seed=34), "scaled": True},
        ),
    ),
    checks=(
        Check("the spread of plain scores", 1, ("plain", "plain-wide")),
        Check("the spread of scaled scores", 1, ("scaled", "scaled-wide")),
    ),
    learned="The spread of the scores grows like √d_k. Divided by √d_k it stays where it was, whatever "
    "the size.",
    hints=(
        "First make all scores: every query with every key, as one matrix product.",
        "`if scaled:` divide them by the root of the keys' size, `keys.shape[-1] ** 0.5`.",
        "The last line is `return scores.std()`.",
    ),
    wrong=(
        Wrong(
            "never-scaled",
            lambda queries, keys, scaled: (queries @ keys.T).std(),
            "The scores are never divided, also when `scaled` is True. Add an `if scaled:`, and give the "
            "quotient a name: "
            "`scores = scores / …`. Without `scores =` the result is lost.",
        ),
        Wrong(
            "always-scaled",
            lambda queries, keys, scaled: (queries @ keys.T).std() / keys.shape[-1] ** 0.5,
            "The scores are always divided, also when `scaled` is False. Put the division under `if "
            "scaled:`.",
        ),
        Wrong(
            "scaled-the-wrong-way-round",
            lambda queries, keys, scaled: (queries @ keys.T).std() / (1 if scaled else keys.shape[-1] ** 0.5),
            "The scores are divided when `scaled` is False, and left alone when it is True: the other way "
            "round.",
        ),
        Wrong(
            "divided-by-d-k",
            lambda queries, keys, scaled: (queries @ keys.T).std() / (keys.shape[-1] if scaled else 1),
            "The scores were divided by d_k itself. Divide by its root.",
        ),
        Wrong(
            "multiplied",
            lambda queries, keys, scaled: (queries @ keys.T).std() * (keys.shape[-1] ** 0.5 if scaled else 1),
            "The scores were multiplied by √d_k. Divide by it.",
        ),
        Wrong(
            "scaled-by-number-of-keys",
            lambda queries, keys, scaled: (queries @ keys.T).std() / (keys.shape[0] ** 0.5 if scaled else 1),
            "You divided by the root of the number of keys, `keys.shape[0]`. What counts is how many "
            "numbers a key has: "
            "`keys.shape[-1]`.",
        ),
        Wrong(
            "scaled-by-number-of-queries",
            lambda queries, keys, scaled: (
                (queries @ keys.T).std() / (queries.shape[0] ** 0.5 if scaled else 1)
            ),
            "You divided by the root of the number of queries, `shape[0]`. What counts is how many numbers "
            "a key has: "
            "`keys.shape[-1]`.",
        ),
        Wrong(
            "scaled-by-512",
            lambda queries, keys, scaled: (queries @ keys.T).std() / (512**0.5 if scaled else 1),
            "The number 512 is written into the function. Read d_k off the arguments: `keys.shape[-1]`.",
        ),
        Wrong(
            "scaled-by-two",
            lambda queries, keys, scaled: (queries @ keys.T).std() / (2**0.5 if scaled else 1),
            "You divided by √2: the function reads the notebook's `d_k` or `d_out`, or 2 is written into "
            "it. Read d_k off "
            "the arguments: `keys.shape[-1]`.",
        ),
        Wrong(
            "variance",
            lambda queries, keys, scaled: (
                (queries @ keys.T) / (keys.shape[-1] ** 0.5 if scaled else 1)
            ).var(),
            "This is the variance. The standard deviation is its root: `.std()`.",
        ),
        Wrong(
            "without-correction",
            lambda queries, keys, scaled: ((queries @ keys.T) / (keys.shape[-1] ** 0.5 if scaled else 1)).std(
                correction=0
            ),
            "This is the standard deviation without torch's correction for small samples. Use `.std()` as "
            "it stands.",
        ),
        Wrong(
            "mean",
            lambda queries, keys, scaled: (
                (queries @ keys.T) / (keys.shape[-1] ** 0.5 if scaled else 1)
            ).mean(),
            "This is the mean of the scores. How far they spread is their standard deviation: `.std()`.",
        ),
        Wrong(
            "one-for-each-query",
            lambda queries, keys, scaled: ((queries @ keys.T) / (keys.shape[-1] ** 0.5 if scaled else 1)).std(
                dim=-1
            ),
            "This is one standard deviation for each query. Take it over all scores at once: `.std()` "
            "without `dim`.",
        ),
        Wrong(
            "of-the-weights",
            lambda queries, keys, scaled: torch.softmax(
                (queries @ keys.T) / (keys.shape[-1] ** 0.5 if scaled else 1), dim=-1
            ).std(),
            "This is the spread of the weights after softmax. Measure the scores before it.",
        ),
    ),
    right=(
        Right(
            "scaled-queries",
            lambda queries, keys, scaled: (
                (queries / queries.shape[-1] ** 0.5 if scaled else queries) @ keys.T
            ).std(),
        ),
        Right(
            "spread-divided",
            lambda queries, keys, scaled: (keys @ queries.T).std() / (keys.shape[1] ** 0.5 if scaled else 1),
        ),
        Right(
            "einsum-and-variance",
            lambda queries, keys, scaled: (
                (torch.einsum("qd,kd->qk", queries, keys) / (keys.shape[1] ** 0.5 if scaled else 1))
                .var()
                .sqrt()
            ),
        ),
        Right(
            "python-number",
            lambda queries, keys, scaled: (
                ((queries.double() @ keys.double().T) * (keys.shape[1] ** -0.5 if scaled else 1)).std().item()
            ),
        ),
    ),
)


class BiasIgnored(Layers):
    def __init__(self, d_in, d_out, qkv_bias=False):
        super().__init__(d_in, d_out)

    def forward(self, x):
        return attend(*self.project(x))


class BiasAlways(Layers):
    def __init__(self, d_in, d_out, qkv_bias=False):
        super().__init__(d_in, d_out, True)

    def forward(self, x):
        return attend(*self.project(x))


class BiasTurned(Layers):
    def __init__(self, d_in, d_out, qkv_bias=False):
        super().__init__(d_in, d_out, not qkv_bias)

    def forward(self, x):
        return attend(*self.project(x))


class LayersReversed(nn.Module):
    def __init__(self, d_in, d_out, qkv_bias=False):
        super().__init__()
        self.W_query = nn.Linear(d_out, d_in, bias=qkv_bias)
        self.W_key = nn.Linear(d_out, d_in, bias=qkv_bias)
        self.W_value = nn.Linear(d_out, d_in, bias=qkv_bias)

    def forward(self, x):
        return attend(self.W_query(x), self.W_key(x), self.W_value(x))


class PlainParameters(Parameters):
    def __init__(self, d_in, d_out, qkv_bias=False):
        super().__init__(d_in, d_out)

    def forward(self, x):
        return attend(*self.project(x))


class ShortLayerNames(nn.Module):
    def __init__(self, d_in, d_out, qkv_bias=False):
        super().__init__()
        self.W_q = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_k = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_v = nn.Linear(d_in, d_out, bias=qkv_bias)

    def forward(self, x):
        return attend(self.W_q(x), self.W_k(x), self.W_v(x))


class LayersKeyFirst(nn.Module):
    def __init__(self, d_in, d_out, qkv_bias=False):
        super().__init__()
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.scale = d_out**-0.5

    def forward(self, x):
        return attend(self.W_query(x) * self.scale, self.W_key(x), self.W_value(x), 1)


def weight_untransposed(self, x):
    return attend(x @ self.W_query.weight, x @ self.W_key.weight, x @ self.W_value.weight)


def bias_left_behind(self, x):
    return attend(x @ self.W_query.weight.T, x @ self.W_key.weight.T, x @ self.W_value.weight.T)


def fused_layers(self, x):
    layers = (self.W_query, self.W_key, self.W_value)
    weight = torch.cat([layer.weight for layer in layers])
    bias = None if layers[0].bias is None else torch.cat([layer.bias for layer in layers])
    return attend(*functional.linear(x, weight, bias).chunk(3, dim=-1))


SELF_ATTENTION_V2 = Task(
    id="self-attention-v2",
    title="SelfAttention_v2, with nn.Linear",
    name="SelfAttention_v2",
    kind="module",
    signature="SelfAttention_v2(d_in, d_out, qkv_bias=False)",
    axes=("tokens", "d_out"),
    input_axes={"x": ("tokens", "d_in")},
    probes=(
        size_probe("seeded"),
        size_probe("other-sentence"),
        size_probe("wider"),
        size_probe("narrower", qkv_bias=False),
        SHUFFLED,
        DOUBLE,
        SQUARE,
        BIASED,
        start_probe(),
    ),
    checks=(
        Check("six tokens, d_in = 3, d_out = 2", 1, ("seeded", "other-sentence")),
        Check(
            "any sizes, tokens in any order, weights drawn afresh",
            1,
            ("wider", "narrower", "square", "shuffled", "double", "start"),
        ),
        Check("with a bias", 1, ("biased",)),
    ),
    learned="`nn.Linear` brings sensible start values and an optional bias; the attention behind it is "
    "the same.",
    hints=(
        "Take `SelfAttention_v1` and change what makes the projections.",
        "In `__init__`: `self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)`, and the same for the other "
        "two.",
        "In `forward`: a layer is called, `queries = self.W_query(x)`. The rest stays.",
    ),
    wrong=(
        *shared_wrong(Layers, "SelfAttention_v2"),
        Wrong(
            "weight-not-transposed",
            variant(Layers, weight_untransposed),
            "`nn.Linear` stores its weights as `(d_out, d_in)`, so `x @ self.W_query.weight` multiplies "
            "with the transposed matrix. "
            "Call the layer: `self.W_query(x)`.",
        ),
        Wrong(
            "bias-left-behind",
            variant(Layers, bias_left_behind),
            "Without a bias this is right. With `qkv_bias=True` the bias is never added, because only "
            "`.weight` is used. Call the "
            "layer: `self.W_query(x)`.",
        ),
        Wrong(
            "bias-ignored",
            BiasIgnored,
            "The layers have no bias although `qkv_bias` is True. Pass it on: `nn.Linear(d_in, d_out, "
            "bias=qkv_bias)`.",
        ),
        Wrong(
            "bias-always",
            BiasAlways,
            "The layers have a bias although `qkv_bias` is False: `nn.Linear` has one unless it is told "
            "otherwise. Write "
            "`bias=qkv_bias`.",
        ),
        Wrong(
            "bias-the-wrong-way-round",
            BiasTurned,
            "The layers have a bias when `qkv_bias` is False, and none when it is True. Pass "
            "`bias=qkv_bias` as it is.",
        ),
        Wrong(
            "sizes-reversed",
            LayersReversed,
            "The layers lead from `d_out` to `d_in`. `nn.Linear` takes the size that goes in first: "
            "`nn.Linear(d_in, d_out)`.",
        ),
        Wrong(
            "plain-parameters",
            PlainParameters,
            "These are plain parameters, as in `SelfAttention_v1`. Here each of the three is an `nn.Linear`.",
        ),
        Wrong(
            "short-names",
            ShortLayerNames,
            "The layers are called `W_q`, `W_k` and `W_v`. This course writes the names out: `W_query`, "
            "`W_key`, `W_value`.",
        ),
        Wrong(
            "started-at-zero",
            started_at_zero(Layers),
            "The arithmetic is right. But all weights start at 0, and training cannot begin from there. Leave them "
            "as `nn.Linear` draws them.",
        ),
    ),
    right=(
        *shared_right(Layers),
        Right("another-order", LayersKeyFirst),
        Right("fused", variant(Layers, fused_layers)),
    ),
)

AFFINE = {"first": Specimen("affine", {"factor": 2.0}), "second": Specimen("affine", {"factor": -1.0})}


def models(d_in, d_out, seed):
    return {
        "first": Made("SelfAttention_v1", {"d_in": d_in, "d_out": d_out}, seed=seed),
        "second": Made("SelfAttention_v2", {"d_in": d_in, "d_out": d_out}, seed=seed),
    }


LARGEST_DIFFERENCE = Task(
    id="how-far-apart",
    title="The largest difference",
    name="largest_difference",
    kind="function",
    signature="largest_difference(first, second, x)",
    axes=(),
    number=True,
    needs=("self-attention-v1", "self-attention-v2"),
    probes=(
        Probe("models", "your two classes on the sentence", {**models(3, 2, 123), "x": SENTENCE}),
        Probe(
            "other-models",
            "your two classes with other weights, on four tokens of five dimensions",
            {**models(5, 7, 24), "x": drawn(4, 5, seed=41)},
        ),
        Probe(
            "both-signs",
            "a function that doubles and one that turns the sign",
            {**AFFINE, "x": torch.tensor([[0.5, 1.0, -3.0], [2.0, 0.25, -1.0]])},
        ),
        Probe(
            "always-below",
            "two functions of which the second is always the larger",
            {
                "first": Specimen("affine", {"factor": 1.0}),
                "second": Specimen("affine", {"factor": 2.0, "shift": 3.0}),
                "x": torch.tensor([0.5, 1.5, 0.0, 2.5]),
            },
        ),
        Probe(
            "equal",
            "the same function twice",
            {
                "first": Specimen("affine", {"factor": 3.0}),
                "second": Specimen("affine", {"factor": 3.0}),
                "x": drawn(2, 3, 4, seed=42),
            },
        ),
        Probe(
            "digits",
            "two plain functions whose distance has many digits",
            {
                "first": Specimen("plain-affine", {"shift": 0.00123456}),
                "second": Specimen("plain-affine", {}),
                "x": drawn(3, 2, seed=43).clamp(-1, 1),
            },
        ),
        Probe(
            "opposite",
            "a function and one that turns the sign, with the largest number in the last row",
            {
                "first": Specimen("affine", {}),
                "second": Specimen("affine", {"factor": -1.0}),
                "x": torch.tensor([[0.3, -0.2], [0.4, 0.2], [0.1, -2.5], [0.5, 3.0]]),
            },
        ),
    ),
    checks=(
        Check("your two classes", 1, ("models", "other-models")),
        Check(
            "differences of both signs, small ones, and none",
            1,
            ("both-signs", "always-below", "equal", "digits", "opposite"),
        ),
    ),
    learned="One number says how far two functions are apart on an input. Below 1e-6 it is rounding.",
    hints=(
        "Call both on `x`, and subtract.",
        "A difference of −3 is larger than one of 2: take `.abs()` before the largest.",
        "`return (first(x) - second(x)).abs().max()`",
    ),
    wrong=(
        Wrong(
            "sign-kept",
            lambda first, second, x: (first(x) - second(x)).max(),
            "This is the largest difference with its sign, so a difference of −3 counts less than one of 0. "
            "Take the absolute "
            "value first: `.abs().max()`.",
        ),
        Wrong(
            "absolute-value-last",
            lambda first, second, x: (first(x) - second(x)).max().abs(),
            "The absolute value was taken of the largest difference. Take it of every difference, then the "
            "largest.",
        ),
        Wrong(
            "mean",
            lambda first, second, x: (first(x) - second(x)).abs().mean(),
            "This is the mean of the absolute differences. One bad entry among many good ones would vanish "
            "in it; take the "
            "largest.",
        ),
        Wrong(
            "sum",
            lambda first, second, x: (first(x) - second(x)).abs().sum(),
            "This is the sum of the absolute differences. Take the largest.",
        ),
        Wrong(
            "euclidean",
            lambda first, second, x: (first(x) - second(x)).norm(),
            "This is the root of the sum of squares. Take the largest absolute difference.",
        ),
        Wrong(
            "difference-of-largest",
            lambda first, second, x: (first(x).max() - second(x).max()).abs(),
            "This compares the largest output of one with the largest output of the other. They may stand "
            "in different places: "
            "subtract first, entry by entry.",
        ),
        Wrong(
            "smallest",
            lambda first, second, x: (first(x) - second(x)).abs().min(),
            "This is the smallest absolute difference. Take the largest.",
        ),
        Wrong(
            "squared",
            lambda first, second, x: ((first(x) - second(x)) ** 2).max(),
            "This is the largest squared difference. Take the absolute value in place of the square.",
        ),
        Wrong(
            "relative",
            lambda first, second, x: ((first(x) - second(x)) / second(x)).abs().max(),
            "The differences were divided by the outputs. The task asks for the plain absolute difference.",
        ),
        Wrong(
            "outputs-added",
            lambda first, second, x: (first(x) + second(x)).abs().max(),
            "The outputs were added. Subtract one from the other.",
        ),
        Wrong(
            "one-callable-twice",
            lambda first, second, x: (first(x) - first(x)).abs().max(),
            "The first callable is compared with itself: the difference is always 0. Call `second` too.",
        ),
        Wrong(
            "close-or-not",
            lambda first, second, x: torch.allclose(first(x), second(x), atol=1e-6),
            "This says yes or no. The task wants the number: how large is the largest difference?",
        ),
        Wrong(
            "not-reduced",
            lambda first, second, x: (first(x) - second(x)).abs(),
            "These are all the absolute differences. Return the largest of them, one number.",
        ),
        Wrong(
            "reads-the-notebook",
            lambda first, second, x: (first(SENTENCE) - second(SENTENCE)).abs().max(),
            "This calls both on the notebook's `inputs`, whatever `x` is. Use `x`.",
        ),
    ),
    right=(
        Right("other-order", lambda first, second, x: torch.max(torch.abs(second(x) - first(x)))),
        Right("python-number", lambda first, second, x: (first(x) - second(x)).abs().max().item()),
        Right("distance", lambda first, second, x: torch.dist(first(x), second(x), p=float("inf"))),
        Right(
            "vector-norm",
            lambda first, second, x: torch.linalg.vector_norm((first(x) - second(x)).double(), ord=math.inf),
        ),
        Right(
            "larger-of-both-ends",
            lambda first, second, x: max((first(x) - second(x)).max(), (second(x) - first(x)).max()),
        ),
    ),
)


def copied(turn):
    """A `copy_weights` that puts `turn(weight)` into every parameter."""

    def copy_weights(v2, v1):
        with torch.no_grad():
            for name in ("W_query", "W_key", "W_value"):
                getattr(v1, name).copy_(turn(getattr(v2, name).weight))
        return v1

    return copy_weights


def replaced(turn):
    """A `copy_weights` that makes a new parameter of `turn(weight)`."""

    def copy_weights(v2, v1):
        for name in ("W_query", "W_key", "W_value"):
            setattr(v1, name, nn.Parameter(turn(getattr(v2, name).weight)))
        return v1

    return copy_weights


def named(**sources):
    """A `copy_weights` that fills the parameters it names from the layers it names."""

    def copy_weights(v2, v1):
        with torch.no_grad():
            for name, source in sources.items():
                getattr(v1, name).copy_(getattr(v2, source).weight.T)
        return v1

    return copy_weights


def copied_outside_no_grad(v2, v1):
    v1.W_query.copy_(v2.W_query.weight.T)
    v1.W_key.copy_(v2.W_key.weight.T)
    v1.W_value.copy_(v2.W_value.weight.T)
    return v1


def plain_tensors_assigned(v2, v1):
    v1.W_query = v2.W_query.weight.T
    v1.W_key = v2.W_key.weight.T
    v1.W_value = v2.W_value.weight.T
    return v1


def copied_backwards(v2, v1):
    with torch.no_grad():
        v2.W_query.weight.copy_(v1.W_query.T)
        v2.W_key.weight.copy_(v1.W_key.T)
        v2.W_value.weight.copy_(v1.W_value.T)
    return v1


def returns_nothing(v2, v1):
    copied(lambda weight: weight.T)(v2, v1)


def returns_the_other(v2, v1):
    copied(lambda weight: weight.T)(v2, v1)
    return v2


def frozen(v2, v1):
    return replaced(lambda weight: weight.detach().T.clone())(v2, v1).requires_grad_(False)


def loaded(v2, v1):
    v1.load_state_dict(
        {name.removesuffix(".weight"): value.T for name, value in v2.state_dict().items() if "weight" in name}
    )
    return v1


def through_data(v2, v1):
    v1.W_query.data = v2.W_query.weight.data.T
    v1.W_key.data = v2.W_key.weight.data.t().clone()
    v1.W_value.data = v2.W_value.weight.detach().transpose(0, 1)
    return v1


def moved(d_in, d_out, seed, bias=False):
    return {
        "v2": Made("SelfAttention_v2", {"d_in": d_in, "d_out": d_out, "qkv_bias": bias}, seed=seed),
        "v1": Made("SelfAttention_v1", {"d_in": d_in, "d_out": d_out}, seed=seed + 100),
    }


COPY_WEIGHTS = Task(
    id="copy-weights",
    title="Move the weights",
    name="copy_weights",
    kind="function",
    signature="copy_weights(v2, v1)",
    axes=("tokens", "d_out"),
    needs=("self-attention-v1", "self-attention-v2"),
    probes=(
        Probe(
            "sentence", "v1 with the weights of v2, on the sentence", moved(3, 2, 123), then={"x": SENTENCE}
        ),
        Probe(
            "other-sizes",
            "d_in = 5, d_out = 7 and four tokens",
            moved(5, 7, 24),
            then={"x": drawn(4, 5, seed=51)},
        ),
        Probe("square", "d_in = d_out = 4 and six tokens", moved(4, 4, 25), then={"x": drawn(6, 4, seed=52)}),
        Probe(
            "biased",
            "a v2 with biases, which stay behind",
            moved(5, 3, 26, bias=True),
            then={"x": drawn(4, 5, seed=53)},
        ),
    ),
    checks=(
        Check("d_in and d_out differ", 1, ("sentence", "other-sizes")),
        Check("d_in = d_out, and a v2 with biases", 1, ("square", "biased")),
    ),
    learned="Copied weights and equal results: that is how to show that two implementations compute the "
    "same.",
    hints=(
        "Compare the shapes: `v2.W_query.weight` is `(d_out, d_in)`, `v1.W_query` is `(d_in, d_out)`.",
        "`with torch.no_grad():` and in it `v1.W_query.copy_(v2.W_query.weight.T)`, and the same for key "
        "and value.",
        "The last line is `return v1`.",
    ),
    wrong=(
        Wrong(
            "not-transposed",
            copied(lambda weight: weight),
            "The weights went over without being transposed. Where d_in and d_out differ they do not fit; "
            "where they are equal they "
            "fit and are wrong. `nn.Linear` stores `(d_out, d_in)`: add `.T`.",
        ),
        Wrong(
            "reshaped",
            copied(lambda weight: weight.reshape(weight.shape[1], weight.shape[0])),
            "The shape fits and the numbers stand in the wrong places: `reshape` and `view` fill in reading "
            "order. `.T` turns the matrix "
            "round.",
        ),
        Wrong(
            "values-forgotten",
            named(W_query="W_query", W_key="W_key"),
            "Queries and keys have their weights; `W_value` still holds the old ones.",
        ),
        Wrong(
            "query-only",
            named(W_query="W_query"),
            "Only `W_query` was copied. `W_key` and `W_value` have to follow.",
        ),
        Wrong(
            "query-and-key-swapped",
            named(W_query="W_key", W_key="W_query", W_value="W_value"),
            "The weights of query and key are swapped.",
        ),
        Wrong(
            "key-for-value",
            named(W_query="W_query", W_key="W_key", W_value="W_key"),
            "`W_value` got the weights of `W_key`.",
        ),
        Wrong(
            "query-everywhere",
            named(W_query="W_query", W_key="W_query", W_value="W_query"),
            "All three parameters got the weights of `W_query`.",
        ),
        Wrong(
            "nothing-moved",
            copied_backwards,
            "`v1` comes back with the weights it had. They go from `v2` to `v1`: `v1.W_query.copy_(…)`, "
            "with `v1` on the left.",
        ),
        Wrong(
            "outside-no-grad",
            copied_outside_no_grad,
            "PyTorch refuses. Where it speaks of a leaf variable: put the copying inside `with "
            "torch.no_grad():`. Where it "
            "speaks of missing keys: the two classes name their parameters differently, so copy them one by "
            "one.",
        ),
        Wrong(
            "plain-tensors-assigned",
            plain_tensors_assigned,
            "`v1.W_query` is a parameter, and only a parameter may take its place: "
            "`nn.Parameter(v2.W_query.weight.T)`. Or keep it and "
            "overwrite its numbers with `.copy_(…)`, inside `with torch.no_grad():`.",
        ),
        Wrong(
            "frozen",
            frozen,
            "The numbers of `v1` are right, but with `requires_grad=False` its parameters can no longer be "
            "trained. Leave that out: `nn.Parameter(…)` alone.",
        ),
        Wrong(
            "returns-nothing",
            returns_nothing,
            "The function returns nothing. End it with `return v1`.",
        ),
        Wrong(
            "returns-v2",
            returns_the_other,
            "The function returns `v2`, or something that computes with its biases. Return `v1`.",
        ),
    ),
    right=(
        Right("new-parameters", replaced(lambda weight: weight.detach().T.clone())),
        Right("state-dict", loaded),
        Right("data", through_data),
        Right("contiguous", copied(lambda weight: weight.transpose(0, 1).contiguous())),
    ),
)


def as_found(self, x):
    q, k, _ = self.project(x)
    return attend(q, k, NOTEBOOK_VALUES, NOTEBOOK_D_K**0.5)


def cut_to_length(self, x):
    q, k, _ = self.project(x)
    return attend(q, k, NOTEBOOK_VALUES[: len(x)])


def scale_from_values(self, x):
    q, k, v = self.project(x)
    return attend(q, k, v, len(v) ** 0.5)


BUG_GLOBALS = Task(
    id="bug-globals",
    title="Find the bug: what the notebook remembers",
    name="NotebookAttention",
    kind="module",
    signature="NotebookAttention(d_in, d_out, qkv_bias=False)",
    axes=("tokens", "d_out"),
    input_axes={"x": ("tokens", "d_in")},
    probes=(
        size_probe("seeded"),
        size_probe("other-sentence"),
        Probe(
            "shorter",
            "four tokens",
            {"x": drawn(4, 3, seed=61)},
            construct={"d_in": 3, "d_out": 2},
            seed=62,
        ),
        Probe(
            "six-wider",
            "six tokens of five dimensions, d_out = 4",
            {"x": drawn(6, 5, seed=63)},
            construct={"d_in": 5, "d_out": 4},
            seed=64,
        ),
        size_probe("wider"),
        BIASED,
        SHUFFLED,
    ),
    checks=(
        Check("sentences of any length", 1, ("seeded", "other-sentence", "shorter")),
        Check("any d_in and d_out", 1, ("six-wider", "wider", "biased", "shuffled")),
    ),
    learned="A method that reads the notebook's variables works until something else changes. Everything "
    "that `forward` needs "
    "comes from `x` and `self`.",
    hints=(
        "Which names does `forward` use that it has not made itself?",
        "`value` and `values` are two names. Only one of them is made from `x`.",
        "`d_k` is the notebook's as well. The size of a key is `keys.shape[-1]`.",
    ),
    wrong=(
        Wrong(
            "as-it-was-given",
            variant(Layers, as_found),
            "This is the code as it was given. Its result depends on something that is neither `x` nor a "
            "weight of the class: go "
            "through `forward` name by name, and ask of each where it comes from.",
        ),
        Wrong(
            "d-k-still-read",
            on_projections(Layers, lambda x, q, k, v: attend(q, k, v, NOTEBOOK_D_K**0.5)),
            "The values are mended. The scores are still divided by √2 whatever `d_out` is, because `d_k` "
            "comes from the notebook, or "
            "stands as a number in the class. Try a `d_out` other than 2: where should the size come from?",
        ),
        Wrong(
            "values-still-read",
            on_projections(Layers, lambda x, q, k, v: attend(q, k, NOTEBOOK_VALUES)),
            "`d_k` is mended. The values still belong to another sentence: the last line uses a name that "
            "`forward` has not made.",
        ),
        Wrong(
            "cut-to-length",
            variant(Layers, cut_to_length),
            "Cutting the notebook's `values` to the length of `x` hides the error, and the values still "
            "belong to another sentence. "
            "Use those that `forward` makes from `x`.",
        ),
        Wrong(
            "inputs-of-the-notebook",
            variant(Layers, lambda self, x: attend(self.W_query(x), self.W_key(x), self.W_value(SENTENCE))),
            "The values now come from `self.W_value`, but from the notebook's `inputs`. Make them from `x`.",
        ),
        Wrong(
            "keys-for-values",
            on_projections(Layers, lambda x, q, k, v: attend(q, k, k)),
            "The error is gone because the weights now meet the keys. They have to meet the values, made by "
            "`self.W_value`.",
        ),
        Wrong(
            "scaling-dropped",
            on_projections(Layers, lambda x, q, k, v: attend(q, k, v, 1.0)),
            "With `d_k` the scaling went away altogether. Keep the division, with the size of a key: "
            "`keys.shape[-1] ** 0.5`.",
        ),
        Wrong(
            "scaled-by-d-in",
            on_projections(Layers, lambda x, q, k, v: attend(q, k, v, x.shape[-1] ** 0.5)),
            "`d_k` was replaced by the size of `x`, which is `d_in`. It is the size of a key: "
            "`keys.shape[-1]`.",
        ),
        Wrong(
            "scaled-by-tokens",
            variant(Layers, scale_from_values),
            "`d_k` was replaced by the number of tokens, `shape[0]`. It is the size of a key: "
            "`keys.shape[-1]`.",
        ),
        Wrong(
            "tokens-for-values",
            on_projections(Layers, lambda x, q, k, v: attend(q, k, x)),
            "The weights now meet the tokens `x`. They have to meet the values, made by `self.W_value`.",
        ),
        Wrong(
            "divided-by-d-k",
            on_projections(Layers, lambda x, q, k, v: attend(q, k, v, k.shape[-1])),
            "The values are mended, and the root was lost: divide by `keys.shape[-1] ** 0.5`.",
        ),
    ),
    right=(
        *shared_right(Layers),
        Right("another-order", LayersKeyFirst),
        Right("fused", variant(Layers, fused_layers)),
    ),
)

LESSON = Lesson(
    title="02 · Attention with weights that can be trained",
    given_axes={
        "inputs": ("tokens", "d_in"),
        "W_query": ("d_in", "d_out"),
        "W_key": ("d_in", "d_out"),
        "W_value": ("d_in", "d_out"),
    },
    redraw=redraw,
    tasks=(
        QUERY,
        KEYS,
        VALUES,
        SCORES,
        SCALED_WEIGHTS,
        CONTEXT,
        SELF_ATTENTION_V1,
        SCORE_SPREAD,
        SELF_ATTENTION_V2,
        LARGEST_DIFFERENCE,
        COPY_WEIGHTS,
        BUG_GLOBALS,
    ),
)
