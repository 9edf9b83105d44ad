"""The tasks of lesson 06: their probes, the wrong answers people give, and the hint each deserves."""

import math

import torch
import torch.nn as nn
import torch.nn.functional as F

from autograder.authoring import Check, Forbid, Lesson, Made, Probe, Property, Right, Task, Wrong

INFINITY = float("inf")


def drawn(seed: int, *shape: int) -> torch.Tensor:
    """Normal random numbers of their own seed."""
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def seeded_batch() -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """The lesson's batch, and its queries and keys, under seed 24."""
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        torch.manual_seed(24)
        query, key, _ = (nn.Linear(8, 8) for _ in range(3))
        tokens = torch.randn(2, 5, 8)  # (b, tokens, d_model)
        return tokens, query(tokens), key(tokens)


SEEDED, SEEDED_Q, SEEDED_K = seeded_batch()
CAUSAL = torch.tril(torch.ones(5, 5))  # (query, key)


def split(x, heads):
    """(b, tokens, d_model) -> (b, heads, tokens, head_dim)."""
    return x.reshape(x.shape[0], x.shape[1], heads, -1).transpose(1, 2)


def merged(x):
    """(b, heads, tokens, head_dim) -> (b, tokens, d_model)."""
    return x.transpose(1, 2).reshape(x.shape[0], x.shape[2], -1)


def softened(scores, mask):
    """Softmax over what may be looked at; zeros where there is nothing."""
    hidden = mask == 0
    return torch.softmax(scores.masked_fill(hidden, -INFINITY), dim=-1).masked_fill(hidden, 0.0)


def redraw(generator: torch.Generator) -> dict:
    """Another batch. The three layers stay, so only what is computed from the batch can follow it."""
    return {"X_input_tokens": torch.randn(2, 5, 8, generator=generator)}


SUMS_TO_ONE = Property("sums-to-one", {"axis": -1})
NOT_NEGATIVE = Property("not-negative")

PROJECT_BATCH = Task(
    id="project-batch",
    title="The queries of a batch",
    name="q",
    kind="tensor",
    signature="q",
    axes=("batch", "tokens", "d_model"),
    checks=(Check("a query for every token of both sequences", 1),),
    learned="A layer works on the last axis and leaves the axes before it alone: no loop over batch or "
    "tokens.",
    hints=(
        "Which of the three layers makes queries?",
        "A layer is called like a function: `layer(x)`.",
        "`q = w_query(X_input_tokens)`",
    ),
    wrong=(
        Wrong(
            "keys",
            lambda w_key, X_input_tokens: w_key(X_input_tokens),
            "These are the keys: `w_key` was called. Queries come from `w_query`.",
        ),
        Wrong(
            "values",
            lambda w_value, X_input_tokens: w_value(X_input_tokens),
            "These are the values: `w_value` was called. Queries come from `w_query`.",
        ),
        Wrong(
            "weight-untransposed",
            lambda w_query, X_input_tokens: X_input_tokens @ w_query.weight + w_query.bias,
            "This multiplies with `weight` as it is stored. `nn.Linear` keeps it as (out, in) and computes "
            "`x @ weight.T + bias`. Both axes have 8 entries here, so nothing complains. Call the layer.",
        ),
        Wrong(
            "without-bias",
            lambda w_query, X_input_tokens: X_input_tokens @ w_query.weight.T,
            "The bias is missing. Call the layer, which adds it: `w_query(…)`.",
        ),
        Wrong(
            "applied-twice",
            lambda w_query, X_input_tokens: w_query(w_query(X_input_tokens)),
            "The layer was applied twice. Was the cell run on a `q` that was made already? Start from "
            "`X_input_tokens`.",
        ),
        Wrong(
            "inputs-unchanged",
            lambda X_input_tokens: X_input_tokens,
            "These are the tokens as they came. Send them through `w_query`.",
        ),
        Wrong(
            "first-sequence-only",
            lambda w_query, X_input_tokens: w_query(X_input_tokens[0]),
            "This is the first sequence alone. A layer takes the whole batch at once.",
        ),
        Wrong(
            "scaled-early",
            lambda w_query, X_input_tokens: w_query(X_input_tokens) / 2**0.5,
            "The queries are divided by √d_k already. That comes with the scores, in task 3.",
        ),
    ),
    right=(
        Right(
            "functional",
            lambda w_query, X_input_tokens: F.linear(X_input_tokens, w_query.weight, w_query.bias),
        ),
        Right(
            "matmul",
            lambda w_query, X_input_tokens: torch.matmul(X_input_tokens, w_query.weight.T) + w_query.bias,
        ),
        Right(
            "einsum",
            lambda w_query, X_input_tokens: (
                torch.einsum("bti,oi->bto", X_input_tokens, w_query.weight) + w_query.bias
            ),
        ),
        Right(
            "fused-then-chunk",
            lambda w_query, w_key, X_input_tokens: F.linear(
                X_input_tokens,
                torch.cat([w_query.weight, w_key.weight]),
                torch.cat([w_query.bias, w_key.bias]),
            ).chunk(2, dim=-1)[0],
        ),
        Right(
            "one-by-one",
            lambda w_query, X_input_tokens: torch.stack([w_query(sequence) for sequence in X_input_tokens]),
        ),
    ),
)

INTO_HEADS = Task(
    id="into-heads",
    title="Cut into heads",
    name="into_heads",
    kind="function",
    signature="into_heads(x, num_heads)",
    axes=("batch", "heads", "tokens", "head_dim"),
    input_axes={"x": ("batch", "tokens", "d_model")},
    probes=(
        Probe("seeded", "the lesson's queries, with 4 heads", {"x": SEEDED_Q, "num_heads": 4}),
        Probe(
            "other-batch",
            "another batch of the same shape, with 4 heads",
            {"x": drawn(1, 2, 5, 8), "num_heads": 4},
        ),
        Probe(
            "other-sizes",
            "3 sequences of 4 tokens with 10 numbers, with 2 heads",
            {"x": drawn(2, 3, 4, 10), "num_heads": 2},
        ),
        Probe(
            "one-head",
            "2 sequences of 3 tokens with 7 numbers, with 1 head",
            {"x": drawn(3, 2, 3, 7), "num_heads": 1},
        ),
    ),
    checks=(
        Check("two sequences of five tokens, four heads", 1, ("seeded", "other-batch")),
        Check("any sizes, and a single head", 1, ("other-sizes", "one-head")),
    ),
    learned="`reshape` counts off, `transpose` moves: cut the last axis first, then bring the heads forward.",
    hints=(
        "Two steps: (b, tokens, d_model) to (b, tokens, heads, head_dim), then to (b, heads, tokens, "
        "head_dim).",
        "`b, tokens, d_model = x.shape`, and head_dim is `d_model // num_heads`.",
        "`return x.reshape(b, tokens, num_heads, d_model // num_heads).transpose(1, 2)`",
    ),
    wrong=(
        Wrong(
            "in-one-step",
            lambda x, num_heads: x.reshape(x.shape[0], num_heads, x.shape[1], -1),
            "The shape is right and the tokens are mixed: this is the reshape in one step, which gives head "
            "0 all of token 0 and a bit of token 1. Cut the last axis first, then `transpose(1, 2)`.",
        ),
        Wrong(
            "not-transposed",
            lambda x, num_heads: x.reshape(x.shape[0], x.shape[1], num_heads, -1),
            "This is the first step, (b, tokens, heads, head_dim). The heads still have to move before the "
            "tokens.",
        ),
        Wrong(
            "head-dim-before-heads",
            lambda x, num_heads: x.reshape(x.shape[0], x.shape[1], -1, num_heads).permute(0, 3, 1, 2),
            "Each head got every fourth number, so to speak: the last axis was cut into (head_dim, heads). "
            "A head is a run of neighbouring numbers: cut into (heads, head_dim).",
        ),
        Wrong(
            "wrong-axes-swapped",
            lambda x, num_heads: x.reshape(x.shape[0], x.shape[1], num_heads, -1).transpose(2, 3),
            "The last two axes were swapped. Swap tokens and heads: `transpose(1, 2)`.",
        ),
        Wrong(
            "sizes-typed-in",
            lambda x, num_heads: x.reshape(2, 5, 4, 2).transpose(1, 2),
            "This fits the lesson's batch only: sizes are typed in, or read from the notebook. Take them "
            "from `x.shape` and `num_heads`.",
        ),
        Wrong(
            "tokens-split",
            lambda x, num_heads: (
                x.transpose(1, 2).reshape(x.shape[0], num_heads, -1, x.shape[1]).transpose(2, 3)[:, :, :, :1]
            ),
            "Only the first number of each head is left. Each head keeps `d_model // num_heads` numbers.",
        ),
        Wrong(
            "inputs-repeated",
            lambda x, num_heads: x[:, None].repeat(1, num_heads, 1, 1),
            "Every head got the whole vector. A head gets its share: `d_model // num_heads` numbers.",
        ),
        Wrong(
            "batch-and-tokens-swapped",
            lambda x, num_heads: x.reshape(x.shape[0], x.shape[1], num_heads, -1).permute(1, 2, 0, 3),
            "Batch and tokens have changed places. The batch stays the first axis.",
        ),
    ),
    right=(
        Right("view", lambda x, num_heads: x.view(*x.shape[:2], num_heads, -1).transpose(1, 2)),
        Right("permute", lambda x, num_heads: x.unflatten(-1, (num_heads, -1)).permute(0, 2, 1, 3)),
        Right("chunks", lambda x, num_heads: torch.stack(x.chunk(num_heads, dim=-1), dim=1)),
        Right("contiguous", lambda x, num_heads: split(x, num_heads).contiguous()),
        Right(
            "tensor-split", lambda x, num_heads: torch.stack(torch.tensor_split(x, num_heads, dim=-1), dim=1)
        ),
    ),
)

SCALED_HEAD_SCORES = Task(
    id="scaled-head-scores",
    title="The scores of every head",
    name="head_scores",
    kind="tensor",
    signature="head_scores",
    axes=("batch", "heads", "tokens as query", "tokens as key"),
    needs=("project-batch", "into-heads"),
    checks=(Check("scaled scores for every sequence and head", 2),),
    learned="One `@` multiplies the last two axes for every sequence and every head. The scale is √ of one "
    "head's size.",
    hints=(
        "For each head you need every query times every key. Which axes of `k_heads` have to swap?",
        "`k_heads.transpose(-2, -1)` has the shape (b, heads, head_dim, tokens).",
        "`head_scores = q_heads @ k_heads.transpose(-2, -1) / d_k**0.5`",
    ),
    wrong=(
        Wrong(
            "not-scaled",
            lambda q_heads, k_heads: q_heads @ k_heads.mT,
            "These scores are not scaled. Divide them by √d_k.",
        ),
        Wrong(
            "scaled-by-d-model",
            lambda q_heads, k_heads: q_heads @ k_heads.mT / 8**0.5,
            "These are divided by √d_model. A dot product here runs over the numbers of one head: divide by "
            "√d_k.",
        ),
        Wrong(
            "divided-by-d-k",
            lambda q_heads, k_heads: q_heads @ k_heads.mT / 2,
            "These are divided by 2: that is d_k itself (or √ of the number of heads). Divide by the square "
            "root of one head's size: `d_k**0.5`.",
        ),
        Wrong(
            "multiplied",
            lambda q_heads, k_heads: q_heads @ k_heads.mT * 2**0.5,
            "These are multiplied by √d_k. Divide.",
        ),
        Wrong(
            "scaled-by-tokens",
            lambda q_heads, k_heads: q_heads @ k_heads.mT / 5**0.5,
            "These are divided by √ of the number of tokens. Divide by √d_k.",
        ),
        Wrong(
            "queries-and-keys-swapped",
            lambda q_heads, k_heads: k_heads @ q_heads.mT / 2**0.5,
            "Rows and columns are swapped: row i holds the scores of key i. Put the queries on the left.",
        ),
        Wrong(
            "keys-not-used",
            lambda q_heads: q_heads @ q_heads.mT / 2**0.5,
            "The queries were multiplied with themselves. The right side is made from `k_heads`.",
        ),
        Wrong(
            "all-axes-reversed",
            lambda q_heads, k_heads: q_heads @ k_heads.T,
            "`.T` turns round all four axes, the batch included. Swap the last two: `transpose(-2, -1)`.",
        ),
        Wrong(
            "over-heads",
            lambda q_heads, k_heads: q_heads.transpose(1, 2) @ k_heads.transpose(1, 2).mT / 2**0.5,
            "Here heads score heads, at every token. The tokens have to stand in the axis before the last.",
        ),
        Wrong(
            "one-head",
            lambda q, k: q @ k.mT / 8**0.5,
            "These are the scores of one wide head. Use `q_heads` and `k_heads`.",
        ),
        Wrong(
            "masked-already",
            lambda q_heads, k_heads, mask: (q_heads @ k_heads.mT / 2**0.5).masked_fill(mask == 0, -INFINITY),
            "The future is masked already. That is the next task; here the scores stay whole.",
        ),
    ),
    right=(
        Right("mT", lambda q_heads, k_heads: q_heads @ k_heads.mT / math.sqrt(2)),
        Right("einsum", lambda q_heads, k_heads: torch.einsum("bhqd,bhkd->bhqk", q_heads, k_heads) / 2**0.5),
        Right(
            "scaled-first",
            lambda q_heads, k_heads: torch.matmul(q_heads * 2**-0.5, k_heads.permute(0, 1, 3, 2)),
        ),
        Right(
            "head-by-head",
            lambda q_heads, k_heads: torch.stack(
                [q_heads[:, h] @ k_heads[:, h].transpose(1, 2) / 2**0.5 for h in range(4)], dim=1
            ),
        ),
        Right("double", lambda q_heads, k_heads: q_heads.double() @ k_heads.double().mT / 2**0.5),
    ),
)


def hidden_with(scores, fill):
    return torch.softmax(scores.masked_fill(torch.tril(torch.ones(5, 5)) == 0, fill), dim=-1)


MASKED_WEIGHTS = Task(
    id="masked-weights",
    title="Masked weights",
    name="attn_weights",
    kind="tensor",
    signature="attn_weights",
    axes=("batch", "heads", "tokens as query", "tokens as key"),
    properties=(Property("causal"), SUMS_TO_ONE, NOT_NEGATIVE),
    needs=("scaled-head-scores",),
    checks=(Check("no weight on a later key, rows that add up to 1", 2),),
    learned="−inf before the softmax leaves exactly 0 after it, and one mask of two axes serves all "
    "sequences and heads.",
    hints=(
        "What does a score have to be so that softmax gives it a weight of 0?",
        "`head_scores.masked_fill(mask == 0, float('-inf'))`: where the mask holds 0, nobody may look.",
        "Then `attn_weights = F.softmax(…, dim=-1)`.",
    ),
    wrong=(
        Wrong(
            "polarity-inverted",
            lambda head_scores, mask: torch.softmax(head_scores.masked_fill(mask == 1, -INFINITY), dim=-1),
            "This hides where the mask holds 1. In this lesson 1 means *may look*: fill where `mask == 0`. "
            "The last row is `nan` because nothing was left of it.",
        ),
        Wrong(
            "polarity-inverted-with-a-number",
            lambda head_scores, mask: torch.softmax(head_scores.masked_fill(mask == 1, -1e9), dim=-1),
            "This hides where the mask holds 1. In this lesson 1 means *may look*: fill where `mask == 0`. "
            "In the last row everything is hidden alike, so all its weights are equal.",
        ),
        Wrong(
            "scores-set-to-zero",
            lambda head_scores: hidden_with(head_scores, 0.0),
            "Hidden scores were set to 0. e⁰ is 1, so the future still gets weight. Set them to −inf.",
        ),
        Wrong(
            "zeroed-after-softmax",
            lambda head_scores, mask: torch.softmax(head_scores, dim=-1) * mask,
            "The weights were set to 0 after the softmax, and the rows no longer add up to 1. Mask the "
            "scores before the softmax.",
        ),
        Wrong(
            "mask-added",
            lambda head_scores, mask: torch.softmax(head_scores + mask, dim=-1),
            "The mask of 0 and 1 was added to the scores: that gives visible keys 1 more and hides nothing. "
            "Fill with −inf where the mask is 0.",
        ),
        Wrong(
            "not-masked",
            lambda head_scores: torch.softmax(head_scores, dim=-1),
            "Nothing is masked. If you called `masked_fill`, did you keep its result? It leaves "
            "`head_scores` as it is and returns another tensor.",
        ),
        Wrong(
            "over-queries",
            lambda head_scores, mask: torch.softmax(head_scores.masked_fill(mask == 0, -INFINITY), dim=-2),
            "Here each column adds up to 1: softmax ran over the queries. Run it over the keys, `dim=-1`.",
        ),
        Wrong(
            "over-heads",
            lambda head_scores, mask: torch.softmax(head_scores.masked_fill(mask == 0, -INFINITY), dim=1),
            "Softmax ran over axis 1, which are the heads here. `dim=1` was the last axis of a matrix; of "
            "four axes the last is `dim=-1`.",
        ),
        Wrong(
            "past-hidden",
            lambda head_scores, mask: torch.softmax(head_scores.masked_fill(mask.T == 0, -INFINITY), dim=-1),
            "The past is hidden and the future shows: the mask is the upper triangle. `mask` as given above "
            "is the lower one, `tril`.",
        ),
        Wrong(
            "diagonal-hidden",
            lambda head_scores, mask: torch.softmax(
                head_scores.masked_fill(torch.tril(mask, diagonal=-1) == 0, -INFINITY), dim=-1
            ),
            "The diagonal is hidden too, so the first token may look at nothing and its row is `nan`. A "
            "token may look at itself.",
        ),
        Wrong(
            "zero-times-infinity",
            lambda head_scores, mask: torch.softmax(head_scores + (1 - mask) * -INFINITY, dim=-1),
            "0 times −inf is `nan`, and it stands wherever the mask allows to look. Use "
            "`masked_fill(mask == 0, float('-inf'))`.",
        ),
        Wrong(
            "divided-by-row-sum",
            lambda head_scores, mask: head_scores * mask / (head_scores * mask).sum(dim=-1, keepdim=True),
            "The masked scores were divided by their sum, without a softmax: weights below 0 and above 1. "
            "Mask, then softmax.",
        ),
        Wrong(
            "scores-not-weights",
            lambda head_scores, mask: head_scores.masked_fill(mask == 0, -INFINITY),
            "These are the masked scores. Softmax over the last axis makes weights of them.",
        ),
    ),
    right=(
        Right(
            "large-negative",
            lambda head_scores, mask: torch.softmax(head_scores.masked_fill(mask == 0, -1e9), -1),
        ),
        Right(
            "renormalised",
            lambda head_scores, mask: (
                torch.softmax(head_scores, -1)
                * mask
                / (torch.softmax(head_scores, -1) * mask).sum(dim=-1, keepdim=True)
            ),
        ),
        Right(
            "where",
            lambda head_scores, mask: F.softmax(
                torch.where(mask.bool(), head_scores, torch.tensor(-INFINITY)), dim=3
            ),
        ),
        Right(
            "added-infinity",
            lambda head_scores: torch.softmax(head_scores + torch.full((5, 5), -INFINITY).triu(1), dim=-1),
        ),
        Right(
            "upper-triangle",
            lambda head_scores: torch.softmax(
                head_scores.masked_fill(torch.ones(5, 5).triu(1).bool(), -INFINITY), dim=-1
            ),
        ),
    ),
)

CONTIGUOUS_MERGE = Task(
    id="contiguous-merge",
    title="Put the heads side by side",
    name="merge_heads",
    kind="function",
    signature="merge_heads(context)",
    axes=("batch", "tokens", "d_model"),
    input_axes={"context": ("batch", "heads", "tokens", "head_dim")},
    probes=(
        Probe(
            "four-heads",
            "two sequences of five tokens, four heads of size 2",
            {"context": drawn(4, 2, 4, 5, 2)},
        ),
        Probe("other-heads", "other numbers of the same shape", {"context": drawn(5, 2, 4, 5, 2)}),
        Probe(
            "other-sizes",
            "three sequences of six tokens, two heads of size 5",
            {"context": drawn(6, 3, 2, 6, 5)},
        ),
        Probe(
            "one-token",
            "four sequences of one token, three heads of size 2",
            {"context": drawn(7, 4, 3, 1, 2)},
        ),
    ),
    checks=(
        Check("four heads of five tokens", 1, ("four-heads", "other-heads")),
        Check("any sizes", 1, ("other-sizes", "one-token")),
    ),
    learned="Transpose first, so that a token's heads are neighbours; then copy into reading order and join. "
    "`contiguous().view(…)` and `reshape(…)` do the same here.",
    hints=(
        "The heads of one token must become neighbours before they can be joined. Which two axes swap?",
        "After `context.transpose(1, 2)` the shape is (b, tokens, heads, head_dim), and the tensor is not "
        "contiguous.",
        "`return context.transpose(1, 2).contiguous().view(b, tokens, heads * head_dim)`",
    ),
    wrong=(
        Wrong(
            "not-transposed",
            lambda context: context.reshape(context.shape[0], context.shape[2], -1),
            "The shape is right and the tokens are mixed: the heads were joined without moving the tokens "
            "forward. `transpose(1, 2)` comes first.",
        ),
        Wrong(
            "view-of-transposed",
            lambda context: context.transpose(1, 2).view(context.shape[0], context.shape[2], -1),
            "`view` cannot join axes of a transposed tensor, because their numbers are no neighbours in "
            "memory. Put `.contiguous()` before it, or use `reshape`.",
        ),
        Wrong(
            "contiguous-without-transpose",
            lambda context: context.transpose(2, 3).contiguous().view(context.shape[0], context.shape[2], -1),
            "The last two axes were swapped, so each head's numbers are spread over the tokens. Swap heads "
            "and tokens: `transpose(1, 2)`.",
        ),
        Wrong(
            "interleaved",
            lambda context: context.permute(0, 2, 3, 1).reshape(context.shape[0], context.shape[2], -1),
            "The heads are interleaved: first number of every head, then the second. Each head stays "
            "together: the axes before joining are (b, tokens, heads, head_dim).",
        ),
        Wrong(
            "heads-added",
            lambda context: context.sum(dim=1),
            "The heads were added up. Put them side by side: 4 heads of size 2 make 8 numbers.",
        ),
        Wrong(
            "heads-averaged",
            lambda context: context.mean(dim=1),
            "The heads were averaged. Put them side by side: 4 heads of size 2 make 8 numbers.",
        ),
        Wrong(
            "not-joined",
            lambda context: context.transpose(1, 2).contiguous(),
            "Heads and tokens have changed places, as they should. Now join the last two axes.",
        ),
        Wrong(
            "sizes-typed-in",
            lambda context: context.transpose(1, 2).reshape(2, 5, 8),
            "This fits the lesson's batch only: sizes are typed in, or read from the notebook. Take them "
            "from `context.shape`.",
        ),
        Wrong(
            "heads-reversed",
            lambda context: context.flip(1).transpose(1, 2).flatten(2),
            "The heads stand in the opposite order. Head 0 comes first.",
        ),
    ),
    right=(
        Right(
            "reshape", lambda context: context.transpose(1, 2).reshape(context.shape[0], context.shape[2], -1)
        ),
        Right("flatten", lambda context: context.transpose(1, 2).flatten(2)),
        Right("permute", lambda context: context.permute(0, 2, 1, 3).contiguous().flatten(start_dim=2)),
        Right("cat", lambda context: torch.cat(list(context.unbind(dim=1)), dim=-1)),
        Right(
            "cat-indices", lambda context: torch.cat([context[:, h] for h in range(context.shape[1])], dim=-1)
        ),
    ),
)

ATTENTION_OUTPUT = Task(
    id="attention-output",
    title="The output of the heads",
    name="attention_output",
    kind="tensor",
    signature="attention_output",
    axes=("batch", "tokens", "d_model"),
    needs=("masked-weights", "contiguous-merge"),
    checks=(Check("the values of every head, weighed and merged", 1),),
    learned="Weights times values, head by head, and the heads side by side: back to the shape that came in.",
    hints=(
        "`attn_weights` is (b, heads, query, key) and `v_heads` is (b, heads, key, head_dim). What is their "
        "product?",
        "`attn_weights @ v_heads` is (b, heads, tokens, head_dim). Then `merge_heads`.",
        "`attention_output = merge_heads(attn_weights @ v_heads)`",
    ),
    wrong=(
        Wrong(
            "not-merged",
            lambda attn_weights, v_heads: attn_weights @ v_heads,
            "This is the context of each head on its own. Put the heads side by side with `merge_heads`.",
        ),
        Wrong(
            "merged-without-transpose",
            lambda attn_weights, v_heads: (attn_weights @ v_heads).reshape(2, 5, 8),
            "The heads were joined without moving the tokens forward: numbers of other tokens stand in the "
            "rows. Use `merge_heads`.",
        ),
        Wrong(
            "keys-weighed",
            lambda attn_weights, k_heads: merged(attn_weights @ k_heads),
            "The keys were weighed. What is passed on are the values: `v_heads`.",
        ),
        Wrong(
            "queries-weighed",
            lambda attn_weights, q_heads: merged(attn_weights @ q_heads),
            "The queries were weighed. What is passed on are the values: `v_heads`.",
        ),
        Wrong(
            "inputs-weighed",
            lambda attn_weights, X_input_tokens: merged(attn_weights @ split(X_input_tokens, 4)),
            "The tokens themselves were weighed. What is passed on are their values: `v_heads`.",
        ),
        Wrong(
            "scores-for-weights",
            lambda head_scores, v_heads: merged(head_scores @ v_heads),
            "The values are weighed with the scores. Use `attn_weights`.",
        ),
        Wrong(
            "unmasked",
            lambda head_scores, v_heads: merged(torch.softmax(head_scores, -1) @ v_heads),
            "This is what comes out without the mask: the first token has taken in the future. Use "
            "`attn_weights`.",
        ),
        Wrong(
            "weights-transposed",
            lambda attn_weights, v_heads: merged(attn_weights.mT @ v_heads),
            "Each context is summed with a column of the weights instead of a row. Leave the weights as "
            "they are.",
        ),
        Wrong(
            "values-alone",
            lambda v: v,
            "These are the values as they were, without any attention. Weigh them with `attn_weights` first.",
        ),
    ),
    right=(
        Right(
            "contiguous-view",
            lambda attn_weights, v_heads: (attn_weights @ v_heads).transpose(1, 2).contiguous().view(2, 5, 8),
        ),
        Right(
            "einsum",
            lambda attn_weights, v_heads: torch.einsum("bhqk,bhkd->bqhd", attn_weights, v_heads).flatten(2),
        ),
        Right(
            "scaled-dot-product-attention",
            lambda q_heads, k_heads, v_heads: merged(
                F.scaled_dot_product_attention(q_heads, k_heads, v_heads, is_causal=True)
            ),
        ),
        Right(
            "head-by-head",
            lambda attn_weights, v_heads: torch.cat(
                [attn_weights[:, h] @ v_heads[:, h] for h in range(4)], dim=-1
            ),
        ),
    ),
)


def real(lengths, num_tokens):
    """Which positions are no padding, (b, tokens)."""
    return torch.arange(num_tokens) < lengths[:, None]


def padded_in_a_loop(lengths, num_tokens):
    mask = torch.zeros(len(lengths), 1, 1, num_tokens, dtype=torch.bool)
    for index, length in enumerate(lengths.tolist()):
        mask[index, ..., :length] = True
    return mask


def other_lengths(full=0, empty=0, padded=0):
    """A redraw: another number of tokens, and as many sequences of that length, of none, and in between."""

    def redraw(generator: torch.Generator) -> dict:
        num_tokens = int(torch.randint(6, 13, (1,), generator=generator))
        between = torch.randint(1, num_tokens, (padded,), generator=generator)
        lengths = torch.tensor([num_tokens] * full + [0] * empty + between.tolist())
        return {"lengths": lengths, "num_tokens": num_tokens}

    return redraw


# Asked of the padding mask, and again of what it is combined to.
PADDED = (
    Probe(
        "five-three",
        "lengths 5 and 3, 5 tokens",
        {"lengths": torch.tensor([5, 3]), "num_tokens": 5},
        redraw=other_lengths(full=1, padded=1),
    ),
    Probe(
        "two-four",
        "lengths 2 and 4, 5 tokens",
        {"lengths": torch.tensor([2, 4]), "num_tokens": 5},
        redraw=other_lengths(padded=2),
    ),
    Probe(
        "none-full",
        "lengths 2, 4 and 1, 6 tokens",
        {"lengths": torch.tensor([2, 4, 1]), "num_tokens": 6},
        redraw=other_lengths(padded=3),
    ),
)

PADDING_MASK = Task(
    id="padding-mask",
    title="A padding mask",
    name="padding_mask",
    kind="function",
    signature="padding_mask(lengths, num_tokens)",
    axes=("batch", "broadcast", "broadcast", "tokens"),
    dtypes=("bool",),
    input_axes={"lengths": ("batch",)},
    probes=(
        *PADDED,
        Probe(
            "empty",
            "lengths 3, 0, 1 and 2, 3 tokens",
            {"lengths": torch.tensor([3, 0, 1, 2]), "num_tokens": 3},
            redraw=other_lengths(full=1, empty=1, padded=2),
        ),
    ),
    checks=(
        Check("tokens may be looked at, padding may not", 1, ("five-three", "two-four")),
        Check("all sequences padded, and an empty one", 1, ("none-full", "empty")),
    ),
    learned="Compared with broadcasting, positions and lengths give one row for each sequence; the two axes "
    "of size 1 stand for every head and every query.",
    hints=(
        "Position p is a token where p < length. Positions are (tokens,), lengths are (b,): which needs an "
        "axis more?",
        "`torch.arange(num_tokens) < lengths[:, None]` is (b, tokens).",
        "Put two axes of size 1 in: `[:, None, None, :]`.",
    ),
    wrong=(
        Wrong(
            "polarity-inverted",
            lambda lengths, num_tokens: ~real(lengths, num_tokens)[:, None, None],
            "This is True for padding. In this lesson True means *may look*: tokens are True. (PyTorch's "
            "`key_padding_mask` wants it your way.)",
        ),
        Wrong(
            "one-too-many",
            lambda lengths, num_tokens: (torch.arange(num_tokens) <= lengths[:, None])[:, None, None],
            "One padding token is taken for a token. Positions count from 0, so with length 3 they are 0, "
            "1, 2: use `<`.",
        ),
        Wrong(
            "one-too-few",
            lambda lengths, num_tokens: (torch.arange(num_tokens) < lengths[:, None] - 1)[:, None, None],
            "The last token of each sequence is taken for padding. Position p is a token where `p < length`.",
        ),
        Wrong(
            "two-axes",
            lambda lengths, num_tokens: real(lengths, num_tokens),
            "The rows are right, but with shape (b, tokens) broadcasting would line up the batch with the "
            "queries. Put in two axes of size 1: `[:, None, None, :]`.",
        ),
        Wrong(
            "three-axes",
            lambda lengths, num_tokens: real(lengths, num_tokens)[:, None],
            "With shape (b, 1, tokens) broadcasting would line up the batch with the heads. One more axis "
            "of size 1 is needed: (b, 1, 1, tokens).",
        ),
        Wrong(
            "lengths-without-an-axis",
            lambda lengths, num_tokens: (torch.arange(num_tokens) < lengths)[:, None, None],
            "Positions (tokens,) and lengths (b,) cannot be compared as they are: each length has to meet "
            "every position. Give the lengths an axis more, `lengths[:, None]`, which is (b, 1).",
        ),
        Wrong(
            "queries-hidden",
            lambda lengths, num_tokens: real(lengths, num_tokens)[:, None, :, None],
            "This has the shape (b, 1, tokens, 1): it hides *rows*, the queries of padding. What must not "
            "be looked at are keys, the last axis.",
        ),
        Wrong(
            "whole-square",
            lambda lengths, num_tokens: (
                real(lengths, num_tokens)[:, None, :, None] & real(lengths, num_tokens)[:, None, None]
            ),
            "This hides the rows of padding as well and leaves them with nothing to look at. Only the keys "
            "matter: (b, 1, 1, tokens).",
        ),
        Wrong(
            "padding-on-the-left",
            lambda lengths, num_tokens: real(lengths, num_tokens).flip(-1)[:, None, None],
            "Here the padding stands at the beginning. In this lesson it stands at the end.",
        ),
        Wrong(
            "longest-length",
            lambda lengths, num_tokens: real(lengths, int(lengths.max()))[:, None, None],
            "The mask is as long as the longest sequence. All may be shorter than the tensor they stand in: "
            "use `num_tokens`.",
        ),
        Wrong(
            "first-length-for-all",
            lambda lengths, num_tokens: real(lengths[:1].expand_as(lengths), num_tokens)[:, None, None],
            "Every sequence got the mask of the first. Each has a length of its own.",
        ),
        Wrong(
            "minus-infinity",
            lambda lengths, num_tokens: torch.zeros(len(lengths), 1, 1, num_tokens).masked_fill(
                ~real(lengths, num_tokens)[:, None, None], -INFINITY
            ),
            "These are 0 and −inf, the form that is added to scores. This interface wants True and False: "
            "compare, and leave it at that.",
        ),
    ),
    right=(
        Right("loop", padded_in_a_loop),
        Right("view", lambda lengths, num_tokens: torch.arange(num_tokens) < lengths.view(-1, 1, 1, 1)),
        Right(
            "unsqueeze",
            lambda lengths, num_tokens: real(lengths, num_tokens).unsqueeze(1).unsqueeze(2),
        ),
        Right(
            "list-of-rows",
            lambda lengths, num_tokens: torch.tensor(
                [[p < n for p in range(num_tokens)] for n in lengths.tolist()]
            ).reshape(-1, 1, 1, num_tokens),
        ),
        Right(
            "cumulative",
            lambda lengths, num_tokens: (
                torch.ones(len(lengths), num_tokens).cumsum(dim=1) <= lengths[:, None]
            )[:, None, None, :],
        ),
    ),
)


def lower(num_tokens):
    return torch.ones(num_tokens, num_tokens).tril().bool()


def keys_of(lengths, num_tokens):
    return real(lengths, num_tokens)[:, None, None]


def as_many_sequences_as_tokens(generator: torch.Generator) -> dict:
    num_tokens = int(torch.randint(4, 9, (1,), generator=generator))
    return {"lengths": torch.randperm(num_tokens, generator=generator) + 1, "num_tokens": num_tokens}


COMBINE_MASKS = Task(
    id="combine-masks",
    title="Both masks in one",
    name="decoder_mask",
    kind="function",
    signature="decoder_mask(lengths, num_tokens)",
    axes=("batch", "broadcast", "tokens as query", "tokens as key"),
    dtypes=("bool",),
    input_axes={"lengths": ("batch",)},
    needs=("padding-mask",),
    probes=(
        *PADDED,
        Probe(
            "square",
            "as many sequences as tokens: lengths 3, 1, 2 and 3 tokens",
            {"lengths": torch.tensor([3, 1, 2]), "num_tokens": 3},
            redraw=as_many_sequences_as_tokens,
        ),
    ),
    checks=(
        Check("past and present, but no padding", 1, ("five-three", "two-four")),
        Check("other sizes", 1, ("none-full", "square")),
    ),
    learned="Masks that say “may look” are joined with *and*. (b, 1, 1, tokens) and (tokens, tokens) "
    "broadcast to (b, 1, tokens, tokens).",
    hints=(
        "A key may be looked at when the causal mask allows it and the padding mask allows it.",
        "For two bool tensors that is `&`; for 0 and 1 it is `*`.",
        "`return padding_mask(lengths, num_tokens) & torch.ones(num_tokens, num_tokens).tril().bool()`",
    ),
    wrong=(
        Wrong(
            "either",
            lambda lengths, num_tokens: keys_of(lengths, num_tokens) | lower(num_tokens),
            "These were joined with *or*: one permission is enough, so both the future and the padding "
            "show. Masks that say “may look” are joined with `&`.",
        ),
        Wrong(
            "added",
            lambda lengths, num_tokens: keys_of(lengths, num_tokens).int() + lower(num_tokens).int(),
            "The masks were added: 2 where both allow, 1 where one does, and 1 counts as “may look”. "
            "Multiply, or use `&`.",
        ),
        Wrong(
            "causal-only",
            lambda lengths, num_tokens: lower(num_tokens)[None, None].repeat(len(lengths), 1, 1, 1),
            "This is the causal mask alone: padding may be looked at.",
        ),
        Wrong(
            "padding-only",
            lambda lengths, num_tokens: keys_of(lengths, num_tokens).repeat(1, 1, num_tokens, 1),
            "This is the padding mask alone: the future may be looked at.",
        ),
        Wrong(
            "past-hidden",
            lambda lengths, num_tokens: keys_of(lengths, num_tokens) & lower(num_tokens).T,
            "The past is hidden and the future shows. “May look” is the lower triangle: `tril`.",
        ),
        Wrong(
            "upper-without-diagonal",
            lambda lengths, num_tokens: keys_of(lengths, num_tokens) & ~lower(num_tokens),
            "This is `triu(…, diagonal=1)`, the mask of lessons 03 to 05 that said what is *hidden*. Here a "
            "mask says who may look: the lower triangle.",
        ),
        Wrong(
            "diagonal-hidden",
            lambda lengths, num_tokens: keys_of(lengths, num_tokens) & lower(num_tokens).tril(-1),
            "The diagonal is hidden: a token may not look at itself, and the first one at nothing. Leave "
            "`diagonal` at 0.",
        ),
        Wrong(
            "queries-hidden",
            lambda lengths, num_tokens: keys_of(lengths, num_tokens).mT & lower(num_tokens),
            "The padding hides rows here, and leaves those queries with nothing to look at. It is keys that "
            "must not be looked at: the last axis, (b, 1, 1, tokens).",
        ),
        Wrong(
            "polarity-inverted",
            lambda lengths, num_tokens: ~(keys_of(lengths, num_tokens) & lower(num_tokens)),
            "This is True where a key is hidden. Turn it round: True means *may look*.",
        ),
        Wrong(
            "heads-axis-missing",
            lambda lengths, num_tokens: real(lengths, num_tokens)[:, None] & lower(num_tokens),
            "The values are right, but (b, tokens, tokens) would line up the batch with the heads. Keep the "
            "axis of size 1: (b, 1, tokens, tokens).",
        ),
        Wrong(
            "five-tokens-typed-in",
            lambda lengths, num_tokens: keys_of(lengths, num_tokens) & lower(5),
            "The causal mask has the size of the lesson's batch, 5 by 5. Make it for `num_tokens`, or cut "
            "the notebook's `mask` to size.",
        ),
    ),
    right=(
        Right("multiplied", lambda lengths, num_tokens: keys_of(lengths, num_tokens) * lower(num_tokens)),
        Right(
            "logical-and",
            lambda lengths, num_tokens: torch.logical_and(lower(num_tokens), keys_of(lengths, num_tokens)),
        ),
        Right(
            "tril-of-expanded",
            lambda lengths, num_tokens: keys_of(lengths, num_tokens).expand(-1, 1, num_tokens, -1).tril(),
        ),
        Right(
            "positions",
            lambda lengths, num_tokens: (
                torch.arange(num_tokens)
                < torch.minimum(lengths.view(-1, 1, 1, 1), torch.arange(1, num_tokens + 1)[:, None])
            ),
        ),
    ),
)


def masked_in_place(scores, mask):
    scores.masked_fill_(mask == 0, -INFINITY)
    return torch.softmax(scores, dim=-1).nan_to_num()


def softmax_by_hand(scores, mask):
    shown = scores.masked_fill(mask == 0, -INFINITY)
    lifted = torch.exp(shown - shown.amax(dim=-1, keepdim=True).clamp(min=-1e30))
    return lifted / lifted.sum(dim=-1, keepdim=True).clamp(min=1e-30)


def unguarded_by_hand(scores, mask):
    lifted = torch.exp(scores) * mask
    return lifted / lifted.sum(dim=-1, keepdim=True)


SCORES = (
    SEEDED_Q.unflatten(-1, (4, 2)).transpose(1, 2) @ SEEDED_K.unflatten(-1, (4, 2)).transpose(1, 2).mT
) / 2**0.5
EMPTY_ROWS = torch.tensor([[1, 1, 0, 0, 1, 0], [0, 0, 0, 0, 0, 0], [1, 0, 0, 0, 0, 0], [0, 1, 1, 1, 1, 1]])
LEFT_PADDED = (torch.tensor([0, 2, 3]).view(-1, 1, 1, 1) <= torch.arange(4)) & lower(4)

MASKED_SOFTMAX = Task(
    id="masked-softmax",
    title="A softmax that knows about masks",
    name="masked_softmax",
    kind="function",
    signature="masked_softmax(scores, mask)",
    axes=("batch", "heads", "queries", "keys"),
    input_axes={"scores": ("batch", "heads", "queries", "keys")},
    properties=(NOT_NEGATIVE,),
    probes=(
        Probe("seeded", "the lesson's scores and the causal mask", {"scores": SCORES, "mask": CAUSAL}),
        Probe(
            "padded",
            "other scores and a bool mask for each sequence",
            {"scores": drawn(8, 3, 2, 4, 6), "mask": real(torch.tensor([6, 2, 4]), 6)[:, None, None]},
        ),
        Probe(
            "very-low",
            "scores far below zero",
            {
                "scores": torch.tensor([[[[-60.0, -61.0, 0.5], [-1200.0, -1201.0, -3.0]]]]).repeat(
                    2, 4, 1, 1
                ),
                "mask": torch.tensor([1, 1, 0])[None, None, None],
            },
        ),
        Probe(
            "large",
            "scores of some hundreds",
            {"scores": 400 * drawn(27, 2, 3, 2, 5), "mask": real(torch.tensor([5, 3]), 5)[:, None, None]},
            redraw=lambda generator: {"scores": 400 * torch.randn(2, 3, 2, 5, generator=generator)},
        ),
        Probe(
            "empty-row",
            "a mask whose row 1 hides everything",
            {"scores": drawn(9, 3, 2, 4, 6), "mask": EMPTY_ROWS},
        ),
        Probe(
            "left-padded",
            "a causal mask with the padding on the left",
            {"scores": drawn(10, 3, 2, 4, 4), "mask": LEFT_PADDED},
        ),
        Probe(
            "gradient",
            "a mask whose row 1 hides everything",
            {"scores": drawn(9, 3, 2, 4, 6), "mask": EMPTY_ROWS},
            observe="gradient",
            settings={"input": "scores"},
        ),
    ),
    checks=(
        Check("rows with something to look at", 1, ("seeded", "padded", "large", "very-low")),
        Check("rows with nothing to look at", 1, ("empty-row", "left-padded")),
        Check("a finite gradient, where a row is empty too", 1, ("empty-row", "gradient")),
    ),
    learned="Fill before the softmax, so that hidden keys take no share; fill after it, so that a row "
    "without any key is 0.",
    hints=(
        "Start as in task 4: fill with −inf where `mask == 0`, then softmax over the last axis.",
        "A row that is hidden from end to end is now `nan`, and nothing else is. What should stand in its "
        "place?",
        "Every hidden weight is 0 at the end: `weights.masked_fill(mask == 0, 0.0)`.",
    ),
    wrong=(
        Wrong(
            "nan-in-empty-rows",
            lambda scores, mask: torch.softmax(scores.masked_fill(mask == 0, -INFINITY), dim=-1),
            "Right where there is something to look at; a row that is hidden from end to end is `nan`. "
            "After the softmax, set every hidden weight to 0.",
        ),
        Wrong(
            "added-then-mended",
            lambda scores, mask: torch.softmax(scores + torch.log((mask != 0).float()), dim=-1).nan_to_num(),
            "The weights are right, and the gradient is not: −inf was *added*, and an addition passes the `nan` "
            "of an empty row back to the scores. `masked_fill` lets none through.",
        ),
        Wrong(
            "equal-weights-in-empty-rows",
            lambda scores, mask: torch.softmax(scores.masked_fill(mask == 0, -1e9), dim=-1),
            "With −1e9 a row that is hidden from end to end shares its attention evenly over what it must "
            "not see. Set every hidden weight to 0 after the softmax as well.",
        ),
        Wrong(
            "polarity-inverted",
            lambda scores, mask: softened(scores, mask == 0),
            "This hides where the mask holds 1 or True. Here 1 means *may look*.",
        ),
        Wrong(
            "scores-set-to-zero",
            lambda scores, mask: torch.softmax(scores * mask, dim=-1),
            "Hidden scores were set to 0 before the softmax. e⁰ is 1, so they still get weight. Use −inf.",
        ),
        Wrong(
            "zeroed-after-softmax",
            lambda scores, mask: torch.softmax(scores, dim=-1) * mask,
            "Hidden weights are 0, but the others do not add up to 1: softmax had shared with the hidden "
            "keys. Fill with −inf before it as well.",
        ),
        Wrong(
            "zeroed-then-filled-too-late",
            lambda scores, mask: torch.softmax(scores.masked_fill(mask == 0, 0.0), dim=-1) * mask,
            "Hidden scores were 0 in the softmax, took their share, and were removed afterwards: the rest "
            "does not add up to 1. Fill with −inf before the softmax.",
        ),
        Wrong(
            "mask-added",
            lambda scores, mask: torch.softmax(scores + mask, dim=-1),
            "The mask of 0 and 1 was added to the scores. That hides nothing. Fill with −inf where it is 0.",
        ),
        Wrong(
            "over-queries",
            lambda scores, mask: torch.softmax(scores.masked_fill(mask == 0, -INFINITY), dim=-2).nan_to_num(),
            "Softmax ran over the queries: columns add up to 1. Run it over the keys, `dim=-1`.",
        ),
        Wrong(
            "over-axis-one",
            lambda scores, mask: torch.softmax(scores.masked_fill(mask == 0, -INFINITY), dim=1).nan_to_num(),
            "Softmax ran over axis 1, which are the heads. The keys are the last axis: `dim=-1`.",
        ),
        Wrong(
            "divided-by-row-sum",
            lambda scores, mask: (scores * mask / (scores * mask).sum(dim=-1, keepdim=True)).nan_to_num(),
            "The scores were multiplied by the mask and divided by their sum: there is no softmax. Negative "
            "scores give negative weights.",
        ),
        Wrong(
            "by-hand-unguarded",
            unguarded_by_hand,
            "Exponentials times mask, divided by their sum: right until a row is empty, where 0 / 0 is "
            "`nan`, or a score passes 88, where exp() is inf. `torch.softmax` takes care of the second; "
            "decide what an empty row should hold.",
        ),
        Wrong(
            "zero-times-infinity",
            lambda scores, mask: torch.softmax(scores + (1 - mask.float()) * -INFINITY, dim=-1),
            "0 times −inf is `nan`, and it stands wherever looking is allowed. Use `masked_fill`.",
        ),
        Wrong(
            "tilde-on-floats",
            lambda scores, mask: torch.softmax(scores.masked_fill(~mask, -INFINITY), dim=-1).nan_to_num(),
            "`~` turns round True and False only, and a mask may hold 1.0 and 0.0. `mask == 0` does for "
            "both.",
        ),
        Wrong(
            "whole-rows-only",
            lambda scores, mask: torch.softmax(scores, dim=-1) * (mask.sum(dim=-1, keepdim=True) > 0),
            "Only the rows without any key were handled. In the others hidden keys still get weight.",
        ),
        Wrong(
            "everything-masked",
            lambda scores, mask: torch.zeros_like(scores),
            "All weights are 0. Is a mask compared with `mask == 0` on both sides, or a `nan` spread over "
            "everything?",
        ),
        Wrong(
            "edited-in-place",
            masked_in_place,
            "`masked_fill_` and `scores[…] = …` write into the caller's scores. Use `masked_fill`, without "
            "the underscore.",
        ),
    ),
    right=(
        Right(
            "nan-to-num",
            lambda scores, mask: torch.softmax(scores.masked_fill(mask == 0, -INFINITY), -1).nan_to_num(0.0),
        ),
        Right(
            "large-negative-then-zero",
            lambda scores, mask: torch.softmax(scores.masked_fill(mask == 0, -1e9), dim=-1) * mask,
        ),
        Right("by-hand", softmax_by_hand),
        Right(
            "where",
            lambda scores, mask: torch.where(
                mask.bool(),
                torch.softmax(torch.where(mask.bool(), scores, torch.tensor(-INFINITY)), dim=-1),
                0.0,
            ),
        ),
        Right(
            "safe-rows",
            lambda scores, mask: (
                torch.softmax(
                    scores.masked_fill((mask == 0) & (mask != 0).any(dim=-1, keepdim=True), -INFINITY), dim=-1
                )
                * (mask != 0)
            ),
        ),
    ),
)


def scored(q, k, num_heads):
    return split(q, num_heads) @ split(k, num_heads).mT / (q.shape[-1] // num_heads) ** 0.5


def query_length_for_both(q, k, num_heads):
    batch_size, max_sequence_length, d_model = q.shape
    d_k = d_model // num_heads
    q = q.reshape(batch_size, max_sequence_length, num_heads, d_k).transpose(1, 2)
    k = k.reshape(batch_size, max_sequence_length, num_heads, d_k).transpose(1, 2)
    return q @ k.transpose(-2, -1) / d_k**0.5


def fitted(k, length):
    """Keys cut or filled up with zeros to a length."""
    return F.pad(k, (0, 0, 0, max(0, length - k.shape[1])))[:, :length]


def error_swallowed(q, k, num_heads):
    try:
        return query_length_for_both(q, k, num_heads)
    except RuntimeError:
        return scored(q, q, num_heads)


def one_step_for_keys(q, k, num_heads):
    b, source, d_model = k.shape
    k = k.reshape(b, num_heads, source, d_model // num_heads)
    return split(q, num_heads) @ k.mT / (d_model // num_heads) ** 0.5


BUG_QUERY_LENGTH = Task(
    id="bug-query-length",
    title="Find the bug: one length for two sentences",
    name="cross_scores",
    kind="function",
    signature="cross_scores(q, k, num_heads)",
    axes=("batch", "heads", "target", "source"),
    input_axes={"q": ("batch", "target", "d_model"), "k": ("batch", "source", "d_model")},
    probes=(
        Probe(
            "equal",
            "the lesson's queries and keys, of equal length",
            {"q": SEEDED_Q, "k": SEEDED_K, "num_heads": 4},
        ),
        Probe(
            "longer",
            "3 target and 5 source tokens",
            {"q": drawn(11, 2, 3, 12), "k": drawn(12, 2, 5, 12), "num_heads": 4},
        ),
        Probe(
            "lessons-heads",
            "4 target and 6 source tokens, with heads as wide as the lesson's",
            {"q": drawn(27, 2, 4, 8), "k": drawn(28, 2, 6, 8), "num_heads": 4},
        ),
        Probe(
            "twice-as-long",
            "3 target and 6 source tokens, one sequence",
            {"q": drawn(13, 1, 3, 8), "k": drawn(14, 1, 6, 8), "num_heads": 2},
        ),
        Probe(
            "shorter",
            "6 target and 4 source tokens",
            {"q": drawn(15, 3, 6, 10), "k": drawn(16, 3, 4, 10), "num_heads": 2},
        ),
    ),
    checks=(
        Check(
            "a source as long as the target, or longer",
            1,
            ("equal", "longer", "lessons-heads", "twice-as-long"),
        ),
        Check("a source shorter than the target", 1, ("shorter",)),
    ),
    learned="Target and source have a length each: take it from the tensor that is reshaped. Test with "
    "lengths that differ.",
    hints=(
        "Whose length is `max_sequence_length`, and which tensors are reshaped with it?",
        "Read a second length from `k.shape`.",
        "`k.reshape(batch_size, k.shape[1], num_heads, d_k)`",
    ),
    wrong=(
        Wrong(
            "as-given",
            query_length_for_both,
            "This is the code as it was given, or one that fails like it: right for two sequences of equal "
            "length, an error for all others. Read which shape `reshape` was asked for, and of which "
            "tensor.",
        ),
        Wrong(
            "source-truncated",
            lambda q, k, num_heads: query_length_for_both(q, k[:, : q.shape[1]], num_heads),
            "The error is gone, and so are words: the source is cut to the length of the target, and a "
            "shorter one still fails. Score every source token.",
        ),
        Wrong(
            "source-fitted",
            lambda q, k, num_heads: query_length_for_both(q, fitted(k, q.shape[1]), num_heads),
            "The error is hidden: the source is cut or filled up with zeros until it is as long as the "
            "target. Score every source token, and no other: one column for each.",
        ),
        Wrong(
            "target-fitted",
            lambda q, k, num_heads: query_length_for_both(fitted(q, k.shape[1]), k, num_heads),
            "Here the target is cut or filled up to the length of the source. There is one row for each "
            "target token.",
        ),
        Wrong(
            "filled-up-only",
            lambda q, k, num_heads: query_length_for_both(
                q, fitted(k, max(q.shape[1], k.shape[1])), num_heads
            ),
            "A short source is filled up with zeros, and those get scores. A long source still fails. Leave "
            "the source as it is and give it its own length.",
        ),
        Wrong(
            "batch-left-open",
            lambda q, k, num_heads: (
                split(q, num_heads)
                @ k.reshape(-1, q.shape[1], num_heads, q.shape[-1] // num_heads).transpose(1, 2).mT
                / (q.shape[-1] // num_heads) ** 0.5
            ),
            "With −1 for the batch, a source that is twice as long becomes two sequences, and no error is "
            "raised. Leave the batch alone; what differs is the number of tokens.",
        ),
        Wrong(
            "error-swallowed",
            error_swallowed,
            "Where the lengths differ, this returns scores of the target with itself. The error was caught, "
            "not mended.",
        ),
        Wrong(
            "one-step-for-keys",
            one_step_for_keys,
            "The keys are cut into heads in one step, which mixes tokens. Reshape to (b, source, heads, "
            "d_k), then `transpose(1, 2)`.",
        ),
        Wrong(
            "scaled-by-d-model",
            lambda q, k, num_heads: split(q, num_heads) @ split(k, num_heads).mT / q.shape[-1] ** 0.5,
            "Both lengths are right now, but the scores are divided by √d_model. `d_k` is the size of one "
            "head.",
        ),
        Wrong(
            "scale-lost",
            lambda q, k, num_heads: split(q, num_heads) @ split(k, num_heads).mT,
            "Both lengths are right now, but the division by √d_k got lost on the way.",
        ),
    ),
    right=(
        Right("own-length", lambda q, k, num_heads: scored(q, k, num_heads)),
        Right(
            "einsum",
            lambda q, k, num_heads: (
                torch.einsum(
                    "bthd,bshd->bhts", q.unflatten(-1, (num_heads, -1)), k.unflatten(-1, (num_heads, -1))
                )
                / math.sqrt(q.shape[-1] // num_heads)
            ),
        ),
        Right(
            "minus-one-for-tokens",
            lambda q, k, num_heads: (
                split(q, num_heads)
                @ k.reshape(k.shape[0], -1, num_heads, k.shape[-1] // num_heads).permute(0, 2, 3, 1)
                / (q.shape[-1] // num_heads) ** 0.5
            ),
        ),
        Right(
            "chunks",
            lambda q, k, num_heads: (
                torch.stack(q.chunk(num_heads, -1), 1)
                @ torch.stack(k.chunk(num_heads, -1), 1).transpose(2, 3)
                * (q.shape[-1] // num_heads) ** -0.5
            ),
        ),
    ),
)


class Attention(nn.Module):
    """Multi-head attention in steps, each of which a stand-in may take in a way of its own."""

    def __init__(self, d_model, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.query = nn.Linear(d_model, d_model)
        self.key = nn.Linear(d_model, d_model)
        self.value = nn.Linear(d_model, d_model)
        self.fc = nn.Linear(d_model, d_model)

    def project(self, q_input, k_input, v_input):
        return self.query(q_input), self.key(k_input), self.value(v_input)

    def heads(self, x):
        return split(x, self.num_heads)

    def scores(self, q, k):
        return q @ k.mT / q.shape[-1] ** 0.5

    def weights(self, scores, mask):
        return torch.softmax(scores, dim=-1) if mask is None else softened(scores, mask)

    def merge(self, context):
        return merged(context)

    def forward(self, q_input, k_input, v_input, mask=None):
        q, k, v = (self.heads(x) for x in self.project(q_input, k_input, v_input))
        return self.fc(self.merge(self.weights(self.scores(q, k), mask) @ v))


class QueryLengthForKeys(Attention):
    def forward(self, q_input, k_input, v_input, mask=None):
        b, tokens, d_model = q_input.shape
        q, k, v = (
            x.reshape(b, tokens, self.num_heads, d_model // self.num_heads).transpose(1, 2)
            for x in self.project(q_input, k_input, v_input)
        )
        return self.fc(self.merge(self.weights(self.scores(q, k), mask) @ v))


class SourceTruncated(Attention):
    def forward(self, q_input, k_input, v_input, mask=None):
        tokens = min(q_input.shape[1], k_input.shape[1])
        if mask is not None:
            mask = mask[..., :tokens]
        return super().forward(q_input, k_input[:, :tokens], v_input[:, :tokens], mask)


class NotScaled(Attention):
    def scores(self, q, k):
        return q @ k.mT


class ScaledByModel(Attention):
    def scores(self, q, k):
        return q @ k.mT / (q.shape[-1] * self.num_heads) ** 0.5


class DividedBySize(Attention):
    def scores(self, q, k):
        return q @ k.mT / q.shape[-1]


class Multiplied(Attention):
    def scores(self, q, k):
        return q @ k.mT * q.shape[-1] ** 0.5


class ScaledAfterSoftmax(Attention):
    def scores(self, q, k):
        return q @ k.mT

    def weights(self, scores, mask):
        return super().weights(scores, mask) / (self.query.out_features // self.num_heads) ** 0.5


class QueriesAndKeysSwapped(Attention):
    def scores(self, q, k):
        return (k @ q.mT) / q.shape[-1] ** 0.5


class OverQueries(Attention):
    def weights(self, scores, mask):
        scores = scores if mask is None else scores.masked_fill(mask == 0, -INFINITY)
        return torch.softmax(scores, dim=-2).nan_to_num()


class OverHeads(Attention):
    def weights(self, scores, mask):
        scores = scores if mask is None else scores.masked_fill(mask == 0, -INFINITY)
        return torch.softmax(scores, dim=1).nan_to_num()


class MaskIgnored(Attention):
    def weights(self, scores, mask):
        return torch.softmax(scores, dim=-1)


class PolarityInverted(Attention):
    def weights(self, scores, mask):
        return super().weights(scores, None if mask is None else mask == 0)


class ScoresSetToZero(Attention):
    def weights(self, scores, mask):
        return torch.softmax(scores if mask is None else scores * mask, dim=-1)


class ZeroedAfterSoftmax(Attention):
    def weights(self, scores, mask):
        weights = torch.softmax(scores, dim=-1)
        return weights if mask is None else weights * mask


class NanInEmptyRows(Attention):
    def weights(self, scores, mask):
        if mask is not None:
            scores = scores.masked_fill(mask == 0, -INFINITY)
        return torch.softmax(scores, dim=-1)


class EqualWeightsInEmptyRows(Attention):
    def weights(self, scores, mask):
        if mask is not None:
            scores = scores.masked_fill(mask == 0, -1e9)
        return torch.softmax(scores, dim=-1)


class MaskOfFirstSequence(Attention):
    def weights(self, scores, mask):
        return super().weights(scores, mask[:1] if mask is not None and mask.ndim == 4 else mask)


class MaskInWrongOrder(Attention):
    """Heads folded into the batch, and the mask repeated head by head instead of sequence by sequence."""

    def weights(self, scores, mask):
        if mask is not None and mask.ndim == 4:
            mask = mask.expand(scores.shape[0], 1, *scores.shape[2:])
            mask = mask.repeat(self.num_heads, 1, 1, 1).reshape(scores.shape)
        return super().weights(scores, mask)


class AlwaysCausal(Attention):
    def weights(self, scores, mask):
        causal = torch.ones(scores.shape[-2:]).tril()
        return super().weights(scores, causal if mask is None else causal * mask)


class HeadsInOneStep(Attention):
    def heads(self, x):
        return x.reshape(x.shape[0], self.num_heads, x.shape[1], -1)


class MergedWithoutTranspose(Attention):
    def merge(self, context):
        return context.reshape(context.shape[0], context.shape[2], -1)


class KeyLayerTwice(Attention):
    def project(self, q_input, k_input, v_input):
        return self.query(q_input), self.key(k_input), self.key(v_input)


class KeysAndValuesSwapped(Attention):
    def project(self, q_input, k_input, v_input):
        return self.query(q_input), self.key(v_input), self.value(k_input)


class MaskGivenAnAxis(Attention):
    def weights(self, scores, mask):
        return super().weights(scores, None if mask is None else mask.unsqueeze(1))


class TildeOnFloats(Attention):
    def weights(self, scores, mask):
        if mask is not None:
            return torch.softmax(scores.masked_fill(~mask, -INFINITY), dim=-1).nan_to_num()
        return torch.softmax(scores, dim=-1)


class ValuesFromKeyInput(Attention):
    def project(self, q_input, k_input, v_input):
        return self.query(q_input), self.key(k_input), self.value(k_input)


class KeysFromQueryInput(Attention):
    def project(self, q_input, k_input, v_input):
        return self.query(q_input), self.key(q_input), self.value(q_input)


class KeysWeighed(Attention):
    def forward(self, q_input, k_input, v_input, mask=None):
        q, k, _ = (self.heads(x) for x in self.project(q_input, k_input, v_input))
        return self.fc(self.merge(self.weights(self.scores(q, k), mask) @ k))


class InputWeighed(Attention):
    def project(self, q_input, k_input, v_input):
        return self.query(q_input), self.key(k_input), v_input


class WithoutFc(Attention):
    def forward(self, q_input, k_input, v_input, mask=None):
        q, k, v = (self.heads(x) for x in self.project(q_input, k_input, v_input))
        return self.merge(self.weights(self.scores(q, k), mask) @ v)


class FcTwice(Attention):
    def forward(self, q_input, k_input, v_input, mask=None):
        return self.fc(super().forward(q_input, k_input, v_input, mask))


class HeadsInList(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        self.heads = [nn.Linear(d_model, 3 * d_model // num_heads) for _ in range(num_heads)]
        self.fc = nn.Linear(d_model, d_model)

    def forward(self, q_input, k_input, v_input, mask=None):
        parts = []
        for head in self.heads:
            q, k, v = (head(x).chunk(3, dim=-1)[i] for i, x in enumerate((q_input, k_input, v_input)))
            scores = q @ k.mT / q.shape[-1] ** 0.5
            parts.append(torch.softmax(scores, dim=-1) @ v)
        return self.fc(torch.cat(parts, dim=-1))


class InputSplit(Attention):
    """One small layer for all heads, each of which gets its share of the input."""

    def __init__(self, d_model, num_heads):
        super().__init__(d_model, num_heads)
        self.query, self.key, self.value = (
            nn.Linear(d_model // num_heads, d_model // num_heads) for _ in "qkv"
        )

    def project(self, q_input, k_input, v_input):
        shares = (x.unflatten(-1, (self.num_heads, -1)) for x in (q_input, k_input, v_input))
        return tuple(
            layer(x).flatten(2) for layer, x in zip((self.query, self.key, self.value), shares, strict=True)
        )


class InputEditedInPlace(Attention):
    def project(self, q_input, k_input, v_input):
        q_input /= (q_input.shape[-1] // self.num_heads) ** 0.5
        return super().project(q_input, k_input, v_input)

    def scores(self, q, k):
        return q @ k.mT


class LayersInForward(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        self.d_model, self.num_heads = d_model, num_heads

    def forward(self, q_input, k_input, v_input, mask=None):
        q, k, v = (nn.Linear(self.d_model, self.d_model)(x) for x in (q_input, k_input, v_input))
        weights = torch.softmax(split(q, self.num_heads) @ split(k, self.num_heads).mT, dim=-1)
        return nn.Linear(self.d_model, self.d_model)(merged(weights @ split(v, self.num_heads)))


class LessonsSizes(Attention):
    def heads(self, x):
        return x.reshape(2, 5, 4, 2).transpose(1, 2)


class OneHead(Attention):
    def heads(self, x):
        return x[:, None]


class FloatMaskToFused(Attention):
    def forward(self, q_input, k_input, v_input, mask=None):
        q, k, v = (self.heads(x) for x in self.project(q_input, k_input, v_input))
        mask = None if mask is None else mask.to(q.dtype)
        return self.fc(self.merge(F.scaled_dot_product_attention(q, k, v, attn_mask=mask)))


class MaskAsItComesToFused(Attention):
    def forward(self, q_input, k_input, v_input, mask=None):
        q, k, v = (self.heads(x) for x in self.project(q_input, k_input, v_input))
        return self.fc(self.merge(F.scaled_dot_product_attention(q, k, v, attn_mask=mask)))


class InputAdded(Attention):
    def forward(self, q_input, k_input, v_input, mask=None):
        return q_input + super().forward(q_input, k_input, v_input, mask)


class Fused(Attention):
    def forward(self, q_input, k_input, v_input, mask=None):
        q, k, v = (self.heads(x) for x in self.project(q_input, k_input, v_input))
        mask = None if mask is None else mask != 0
        return self.fc(self.merge(F.scaled_dot_product_attention(q, k, v, attn_mask=mask)))


class ReadyMade(Attention):
    """`nn.MultiheadAttention` is a class around the function called here, whose masks say what to hide."""

    def forward(self, q_input, k_input, v_input, mask=None):
        q, k, v = (x.transpose(0, 1) for x in self.project(q_input, k_input, v_input))  # (tokens, b, d_model)
        if mask is not None:
            sizes = (q.shape[1], self.num_heads, q.shape[0], k.shape[0])
            mask = (mask == 0).expand(sizes).flatten(0, 1)  # (b * heads, target, source)
        d_model = self.fc.in_features
        context, _ = F.multi_head_attention_forward(
            *(q, k, v, d_model, self.num_heads, torch.eye(d_model).to(q).repeat(3, 1), None, None, None),
            *(False, 0.0, self.fc.weight, self.fc.bias, self.training),
            need_weights=False,
            attn_mask=mask,
        )
        return context.transpose(0, 1)


class Einsum(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        self.fc = nn.Linear(d_model, d_model)
        self.value, self.key, self.query = (nn.Linear(d_model, d_model) for _ in range(3))
        self.sizes = (num_heads, d_model // num_heads)

    def forward(self, q_input, k_input, v_input, mask=None):
        q = self.query(q_input).unflatten(-1, self.sizes)
        k = self.key(k_input).unflatten(-1, self.sizes)
        v = self.value(v_input).unflatten(-1, self.sizes)
        scores = torch.einsum("bqhd,bkhd->bhqk", q, k) / math.sqrt(self.sizes[1])
        if mask is None:
            weights = scores.softmax(dim=-1)
        else:
            weights = scores.masked_fill(mask == 0, -1e9).softmax(dim=-1) * mask.to(scores.dtype)
        return self.fc(torch.einsum("bhqk,bkhd->bqhd", weights, v).flatten(2))


class HeadByHead(Attention):
    def forward(self, q_input, k_input, v_input, mask=None):
        parts = []
        shape = (q_input.shape[0], self.num_heads, q_input.shape[1], k_input.shape[1])
        allowed = torch.ones(shape) if mask is None else mask.expand(shape)
        projected = [x.chunk(self.num_heads, dim=-1) for x in self.project(q_input, k_input, v_input)]
        for head, (q, k, v) in enumerate(zip(*projected, strict=True)):
            scores = (q @ k.mT / q.shape[-1] ** 0.5).masked_fill(allowed[:, head] == 0, -INFINITY)
            parts.append(torch.nan_to_num(torch.softmax(scores, dim=-1)) @ v)
        return self.fc(torch.cat(parts, dim=-1))


class ViewAndContiguous(Attention):
    def heads(self, x):
        return x.view(x.size(0), x.size(1), self.num_heads, x.size(2) // self.num_heads).permute(0, 2, 1, 3)

    def merge(self, context):
        return context.transpose(1, 2).contiguous().view(context.size(0), context.size(2), -1)


class HeadsInBatch(Attention):
    """Heads folded into the batch, as in older code, with the mask in the right order."""

    def forward(self, q_input, k_input, v_input, mask=None):
        q, k, v = (self.heads(x).flatten(0, 1) for x in self.project(q_input, k_input, v_input))
        scores = torch.bmm(q, k.transpose(1, 2)) / q.shape[-1] ** 0.5  # (b * heads, target, source)
        if mask is None:
            weights = torch.softmax(scores, dim=-1)
        else:
            mask = mask.expand(q_input.shape[0], self.num_heads, *scores.shape[1:]).flatten(0, 1)
            weights = softened(scores, mask)
        return self.fc(self.merge((weights @ v).unflatten(0, (-1, self.num_heads))))


X_TWELVE = drawn(17, 4, 5, 12)
Y_SHORT = drawn(18, 2, 3, 12)
MEMORY_LONG = drawn(19, 2, 7, 12)
VALUES_LONG = drawn(20, 2, 7, 12)
Y_LONG = drawn(21, 5, 6, 10)
MEMORY_SHORT = drawn(22, 5, 4, 10)
SOURCE_PADDING = real(torch.tensor([7, 2]), 7)[:, None, None]
BOTH_MASKS = real(torch.tensor([5, 2, 4, 1]), 5)[:, None, None] & lower(5)
NOTHING_TO_READ = real(torch.tensor([2, 0, 4, 1, 3]), 4)[:, None, None]
NO_ROW = torch.tensor([[1.0, 1.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 1.0, 1.0, 1.0]])


MANY_PADDED = real(torch.tensor([4, 2, 1, 3, 4, 2]), 4)[:, None, None]
MANY_AND_NONE = real(torch.tensor([4, 0, 1, 3, 0, 2]), 4)[:, None, None]
ALL_INPUTS = "q_input,k_input,v_input"


def three(q, k, v, mask=None):
    """The inputs of a call; `mask` has a default, so where there is none it is left out."""
    inputs = {"q_input": q, "k_input": k, "v_input": v}
    return inputs if mask is None else inputs | {"mask": mask}


TWELVE = {"d_model": 12, "num_heads": 3}

MULTI_HEAD_ATTENTION = Task(
    id="multi-head-attention-module",
    title="MultiHeadAttention",
    name="MultiHeadAttention",
    kind="module",
    signature="MultiHeadAttention(d_model, num_heads)",
    axes=("batch", "target", "d_model"),
    input_axes={
        "q_input": ("batch", "target", "d_model"),
        "k_input": ("batch", "source", "d_model"),
        "v_input": ("batch", "source", "d_model"),
    },
    needs=("into-heads", "contiguous-merge", "masked-softmax"),
    probes=(
        Probe(
            "seeded",
            "the lesson's batch, without a mask",
            three(SEEDED, SEEDED, SEEDED),
            construct={"d_model": 8, "num_heads": 4},
            seed=24,
        ),
        Probe(
            "other-batch",
            "another batch, with 3 heads, in training mode",
            three(X_TWELVE, X_TWELVE, X_TWELVE),
            construct=TWELVE,
            train=True,
        ),
        Probe(
            "shuffled",
            "the same batch with its queries in another order",
            three(X_TWELVE, X_TWELVE, X_TWELVE),
            construct=TWELVE,
            observe="permuted",
            settings={"input": "q_input", "axis": -2},
        ),
        Probe(
            "causal",
            "a batch with the causal mask, in training mode",
            three(X_TWELVE, X_TWELVE, X_TWELVE, CAUSAL),
            construct=TWELVE,
            train=True,
        ),
        Probe(
            "who-hears-whom",
            "a batch with the causal mask",
            three(X_TWELVE, X_TWELVE, X_TWELVE, CAUSAL),
            construct=TWELVE,
            observe="influence",
            settings={"input": ALL_INPUTS, "axis": -2},
        ),
        Probe(
            "longer-source",
            "3 target and 7 source tokens, key and value of their own, in training mode",
            three(Y_SHORT, MEMORY_LONG, VALUES_LONG),
            construct=TWELVE,
            train=True,
        ),
        Probe(
            "shorter-source",
            "6 target and 4 source tokens in float64",
            three(Y_LONG, MEMORY_SHORT, MEMORY_SHORT),
            construct={"d_model": 10, "num_heads": 2},
            dtype="float64",
        ),
        Probe(
            "padded",
            "7 source tokens with padding in the second sequence, in training mode",
            three(Y_SHORT, MEMORY_LONG, MEMORY_LONG, SOURCE_PADDING),
            construct=TWELVE,
            train=True,
        ),
        Probe(
            "padded-and-causal",
            "both masks in one, another for each sequence",
            three(X_TWELVE, X_TWELVE, X_TWELVE, BOTH_MASKS),
            construct=TWELVE,
        ),
        Probe(
            "own-sequence",
            "a batch with another mask for each sequence",
            three(X_TWELVE, X_TWELVE, X_TWELVE, BOTH_MASKS),
            construct=TWELVE,
            observe="influence",
            settings={"input": ALL_INPUTS, "axis": 0},
        ),
        Probe(
            "many-sequences",
            "six sequences of 3 target and 4 source tokens, with padding",
            three(drawn(29, 6, 3, 10), drawn(31, 6, 4, 10), drawn(31, 6, 4, 10), MANY_PADDED),
            construct={"d_model": 10, "num_heads": 2},
        ),
        Probe(
            "many-with-nothing-to-read",
            "six sequences, two of whose sources are all padding",
            three(drawn(33, 6, 3, 10), drawn(34, 6, 4, 10), drawn(34, 6, 4, 10), MANY_AND_NONE),
            construct={"d_model": 10, "num_heads": 2},
        ),
        Probe(
            "gradient-of-queries",
            "a source one of whose sequences is all padding",
            three(Y_LONG, MEMORY_SHORT, MEMORY_SHORT, NOTHING_TO_READ),
            construct={"d_model": 10, "num_heads": 2},
            observe="gradient",
            settings={"input": "q_input"},
        ),
        Probe(
            "nothing-to-read",
            "a source one of whose sequences is all padding",
            three(Y_LONG, MEMORY_SHORT, MEMORY_SHORT, NOTHING_TO_READ),
            construct={"d_model": 10, "num_heads": 2},
        ),
        Probe(
            "no-row",
            "a mask whose row 1 hides everything, in training mode",
            three(drawn(23, 2, 3, 12), drawn(25, 2, 5, 12), drawn(26, 2, 5, 12), NO_ROW),
            construct=TWELVE,
            train=True,
        ),
    ),
    checks=(
        Check("self-attention without a mask, as in an encoder", 1, ("seeded", "other-batch", "shuffled")),
        Check("masked self-attention, as in a decoder", 1, ("causal", "who-hears-whom")),
        Check(
            "cross-attention, source and target of different length", 2, ("longer-source", "shorter-source")
        ),
        Check(
            "a padding mask for each sequence, for all its heads",
            1,
            ("padded", "padded-and-causal", "own-sequence", "many-sequences"),
        ),
        Check(
            "a query with nothing to look at",
            1,
            ("nothing-to-read", "many-with-nothing-to-read", "no-row", "gradient-of-queries"),
        ),
    ),
    learned="One class, three roles. What differs is where queries, keys and values come from, and who may "
    "look at whom.",
    hints=(
        "`__init__` keeps `num_heads` and makes the layers `query`, `key`, `value` and `fc`.",
        "`forward`: project each input by its own layer, cut into heads, scores, weights, times values, "
        "merge, `fc`.",
        "Queries and keys may differ in length. `into_heads` takes each tensor's own, so nothing has to be "
        "done for it.",
        "`scores = q @ k.transpose(-2, -1) / k.shape[-1] ** 0.5`; without a mask plain softmax, otherwise "
        "`masked_softmax(scores, mask)`; `return self.fc(merge_heads(weights @ v))`.",
    ),
    wrong=(
        Wrong(
            "query-length-for-keys",
            QueryLengthForKeys,
            "Keys and values are reshaped with the query's length: cross-attention with another length "
            "stops with an error. It is the bug of task 10. Take each tensor's own length.",
        ),
        Wrong(
            "source-truncated",
            SourceTruncated,
            "A source that is longer than the target is cut to its length. Every source token takes part.",
        ),
        Wrong(
            "not-scaled",
            NotScaled,
            "The scores are not scaled. Divide them by √head_dim before the softmax.",
        ),
        Wrong(
            "scaled-by-d-model",
            ScaledByModel,
            "The scores are divided by √d_model. Each head's dot product runs over head_dim numbers: divide "
            "by √head_dim.",
        ),
        Wrong(
            "divided-by-head-dim",
            DividedBySize,
            "The scores are divided by head_dim. Divide by its square root.",
        ),
        Wrong("multiplied", Multiplied, "The scores are multiplied by √head_dim. Divide."),
        Wrong(
            "scaled-after-softmax",
            ScaledAfterSoftmax,
            "The division by √head_dim comes after the softmax, so the weights no longer add up to 1. "
            "Divide the scores.",
        ),
        Wrong(
            "queries-and-keys-swapped",
            QueriesAndKeysSwapped,
            "The scores are transposed: keys stand on the left. Rows belong to queries: `q @ "
            "k.transpose(-2, -1)`.",
        ),
        Wrong(
            "over-queries",
            OverQueries,
            "Softmax runs over the queries. Each query shares out its attention over the keys: `dim=-1`.",
        ),
        Wrong(
            "over-heads",
            OverHeads,
            "Softmax runs over axis 1, which are the heads. The keys are the last axis: `dim=-1`.",
        ),
        Wrong(
            "mask-ignored",
            MaskIgnored,
            "The mask changes nothing. Where does it enter between scores and softmax?",
        ),
        Wrong(
            "polarity-inverted",
            PolarityInverted,
            "What should be hidden is looked at, and the other way round. In this interface 1 or True means "
            "*may look*: fill where `mask == 0`.",
        ),
        Wrong(
            "scores-set-to-zero",
            ScoresSetToZero,
            "Hidden scores are set to 0 before the softmax and still get weight, as e⁰ is 1. Use −inf.",
        ),
        Wrong(
            "zeroed-after-softmax",
            ZeroedAfterSoftmax,
            "Hidden weights are set to 0 after the softmax, and the others no longer add up to 1. Mask the "
            "scores before it.",
        ),
        Wrong(
            "mask-added",
            FloatMaskToFused,
            "The mask of 0 and 1 is added to the scores, which hides nothing. "
            "`scaled_dot_product_attention` does so with a mask of floats: pass it `mask != 0`. By hand, "
            "fill with −inf where the mask is 0.",
        ),
        Wrong(
            "mask-as-it-comes-to-sdpa",
            MaskAsItComesToFused,
            "`scaled_dot_product_attention` hides with a mask of booleans, but adds a mask of floats to the scores, and "
            "1 and 0 hide nothing there. Pass it `mask != 0`, which does for both.",
        ),
        Wrong(
            "nan-in-empty-rows",
            NanInEmptyRows,
            "Right wherever there is something to look at. A query that may look at nothing gets `nan`: use "
            "your `masked_softmax`, which leaves zeros there.",
        ),
        Wrong(
            "equal-weights-in-empty-rows",
            EqualWeightsInEmptyRows,
            "A query that may look at nothing takes in the mean of what is hidden: that is what −1e9 does. "
            "Use your `masked_softmax`.",
        ),
        Wrong(
            "mask-of-first-sequence",
            MaskOfFirstSequence,
            "Every sequence gets the mask of the first. The mask's first axis is the batch: let it "
            "broadcast.",
        ),
        Wrong(
            "mask-in-wrong-order",
            MaskInWrongOrder,
            "The mask is repeated in an order that gives heads the masks of other sequences. With an axis "
            "of size 1 for the heads no `repeat` is needed: it broadcasts.",
        ),
        Wrong(
            "always-causal",
            AlwaysCausal,
            "The future is hidden although no mask asks for it. Encoder and cross-attention have no causal "
            "mask; use only the mask that is passed.",
        ),
        Wrong(
            "heads-in-one-step",
            HeadsInOneStep,
            "Tokens are mixed when the heads are cut: reshape to (b, tokens, heads, head_dim) first, then "
            "`transpose(1, 2)`.",
        ),
        Wrong(
            "merged-without-transpose",
            MergedWithoutTranspose,
            "Tokens are mixed when the heads are joined: `transpose(1, 2)` comes before the reshape.",
        ),
        Wrong(
            "key-layer-twice",
            KeyLayerTwice,
            "The values are made by `self.key`. They have a layer of their own.",
        ),
        Wrong(
            "keys-and-values-swapped",
            KeysAndValuesSwapped,
            "Keys are made from `v_input` and values from `k_input`. Mind the order: q_input, k_input, "
            "v_input.",
        ),
        Wrong(
            "mask-given-an-axis",
            MaskGivenAnAxis,
            "The mask gets one more axis by `unsqueeze` or `[:, None]`. It broadcasts as it comes: (target, "
            "source) and (b, 1, 1, source) both fit (b, heads, target, source).",
        ),
        Wrong(
            "tilde-on-floats",
            TildeOnFloats,
            "`~` turns round True and False only, and a mask may hold 1.0 and 0.0. `mask == 0` does for "
            "both.",
        ),
        Wrong(
            "values-from-key-input",
            ValuesFromKeyInput,
            "The values are made from `k_input`. They come from `v_input`, which is often the same tensor, "
            "and not always.",
        ),
        Wrong(
            "keys-from-query-input",
            KeysFromQueryInput,
            "Keys and values are made from `q_input`: in cross-attention the target would only look at "
            "itself. Use `k_input` and `v_input`.",
        ),
        Wrong(
            "keys-weighed",
            KeysWeighed,
            "The weights are multiplied with the keys. What is passed on are the values.",
        ),
        Wrong(
            "input-weighed",
            InputWeighed,
            "The weights are multiplied with `v_input` itself: `self.value` is not used.",
        ),
        Wrong("without-fc", WithoutFc, "The last layer is missing: send the merged heads through `self.fc`."),
        Wrong("fc-twice", FcTwice, "`self.fc` is applied twice. Once is enough."),
        Wrong(
            "heads-in-list",
            HeadsInList,
            "PyTorch does not see the parameters of some projections: in a plain list, or as plain tensors, they "
            "are not registered. This class has four layers for all heads together: `query`, `key`, `value`, `fc`.",
        ),
        Wrong(
            "input-split",
            InputSplit,
            "The input is cut into heads and one small layer serves them all. Project the whole input "
            "first, with layers from d_model to d_model, and cut the result.",
        ),
        Wrong(
            "edited-in-place",
            InputEditedInPlace,
            "`q_input /= …` writes into the caller's tensor (and it is the scores that are divided by "
            "√head_dim).",
        ),
        Wrong(
            "layers-in-forward",
            LayersInForward,
            "The class has no layers of its own. Make four in `__init__` and keep each on `self`: `self.query`, "
            "`self.key`, `self.value`, `self.fc`. What `forward` makes would be new at every call, and what stands "
            "in a plain dictionary or without `self.` is not registered.",
        ),
        Wrong(
            "lessons-sizes",
            LessonsSizes,
            "This works for the lesson's batch only: sizes are typed in, or read from the notebook. Take "
            "them from the tensors and from `self`.",
        ),
        Wrong("one-head", OneHead, "There is one wide head. Cut queries, keys and values into `num_heads`."),
        Wrong(
            "input-added",
            InputAdded,
            "The input is added to the result. That belongs around this class, not into it.",
        ),
    ),
    right=(
        Right("scaled-dot-product-attention", Fused),
        Right("einsum-other-order", Einsum),
        Right("head-by-head", HeadByHead),
        Right("view-and-contiguous", ViewAndContiguous),
        Right("heads-in-batch", HeadsInBatch),
    ),
    forbids=Forbid(("MultiheadAttention",), points=4, caught=(Right("ready-made", ReadyMade),)),
)


def listening(self_attention, cross_attention, decoder_input, encoder_output, causal, source_padding):
    x = self_attention(decoder_input, decoder_input, decoder_input, causal)
    return cross_attention(x, encoder_output, encoder_output, source_padding)


def as_given(self_attention, cross_attention, decoder_input, encoder_output, causal, source_padding):
    x = self_attention(decoder_input, decoder_input, decoder_input, causal)
    return cross_attention(x, x, x, causal)


def source_asks(self_attention, cross_attention, decoder_input, encoder_output, causal, source_padding):
    x = self_attention(decoder_input, decoder_input, decoder_input, causal)
    return cross_attention(encoder_output, x, x)


def keys_only(self_attention, cross_attention, decoder_input, encoder_output, causal, source_padding):
    x = self_attention(decoder_input, decoder_input, decoder_input, causal)
    return cross_attention(x, encoder_output, x, source_padding)


def values_only(self_attention, cross_attention, decoder_input, encoder_output, causal, source_padding):
    x = self_attention(decoder_input, decoder_input, decoder_input, causal)
    return cross_attention(x, x, encoder_output, causal)


def causal_for_both(self_attention, cross_attention, decoder_input, encoder_output, causal, source_padding):
    x = self_attention(decoder_input, decoder_input, decoder_input, causal)
    return cross_attention(x, encoder_output, encoder_output, causal)


def causal_and_padding(
    self_attention, cross_attention, decoder_input, encoder_output, causal, source_padding
):
    x = self_attention(decoder_input, decoder_input, decoder_input, causal)
    target, source = x.shape[1], encoder_output.shape[1]
    mask = torch.ones(target, source).tril() * source_padding
    return cross_attention(x, encoder_output, encoder_output, mask)


def padding_forgotten(self_attention, cross_attention, decoder_input, encoder_output, causal, source_padding):
    x = self_attention(decoder_input, decoder_input, decoder_input, causal)
    return cross_attention(x, encoder_output, encoder_output)


def causal_forgotten(self_attention, cross_attention, decoder_input, encoder_output, causal, source_padding):
    x = self_attention(decoder_input, decoder_input, decoder_input)
    return cross_attention(x, encoder_output, encoder_output, source_padding)


def self_attention_lost(
    self_attention, cross_attention, decoder_input, encoder_output, causal, source_padding
):
    return cross_attention(decoder_input, encoder_output, encoder_output, source_padding)


def source_mean_added(self_attention, cross_attention, decoder_input, encoder_output, causal, source_padding):
    x = self_attention(decoder_input, decoder_input, decoder_input, causal)
    return cross_attention(x, x, x, causal) + encoder_output.mean(dim=1, keepdim=True)


def source_put_in_front(
    self_attention, cross_attention, decoder_input, encoder_output, causal, source_padding
):
    x = self_attention(decoder_input, decoder_input, decoder_input, causal)
    both = torch.cat([encoder_output, x], dim=1)
    return cross_attention(x, both, both)


def residual_added(self_attention, cross_attention, decoder_input, encoder_output, causal, source_padding):
    x = self_attention(decoder_input, decoder_input, decoder_input, causal)
    return x + cross_attention(x, encoder_output, encoder_output, source_padding)


def padding_inverted(self_attention, cross_attention, decoder_input, encoder_output, causal, source_padding):
    x = self_attention(decoder_input, decoder_input, decoder_input, causal)
    return cross_attention(x, encoder_output, encoder_output, ~source_padding)


def layers_swapped(self_attention, cross_attention, decoder_input, encoder_output, causal, source_padding):
    return listening(cross_attention, self_attention, decoder_input, encoder_output, causal, source_padding)


def order_swapped(self_attention, cross_attention, decoder_input, encoder_output, causal, source_padding):
    x = cross_attention(decoder_input, encoder_output, encoder_output, source_padding)
    return self_attention(x, x, x, causal)


def by_name(self_attention, cross_attention, decoder_input, encoder_output, causal, source_padding):
    heard = self_attention(q_input=decoder_input, k_input=decoder_input, v_input=decoder_input, mask=causal)
    return cross_attention(q_input=heard, k_input=encoder_output, v_input=encoder_output, mask=source_padding)


def sequence_by_sequence(
    self_attention, cross_attention, decoder_input, encoder_output, causal, source_padding
):
    return torch.cat(
        [
            listening(
                self_attention,
                cross_attention,
                decoder_input[i : i + 1],
                encoder_output[i : i + 1],
                causal,
                source_padding[i : i + 1],
            )
            for i in range(len(decoder_input))
        ]
    )


def bool_masks(self_attention, cross_attention, decoder_input, encoder_output, causal, source_padding):
    return listening(
        self_attention, cross_attention, decoder_input, encoder_output, causal.bool(), source_padding.bool()
    )


def step(d_model, heads, batch, target, source, lengths, seed):
    """The inputs of one decoder step."""
    return {
        "self_attention": Made("MultiHeadAttention", {"d_model": d_model, "num_heads": heads}, seed=seed),
        "cross_attention": Made(
            "MultiHeadAttention", {"d_model": d_model, "num_heads": heads}, seed=seed + 1
        ),
        "decoder_input": drawn(seed + 2, batch, target, d_model),
        "encoder_output": drawn(seed + 3, batch, source, d_model),
        "causal": torch.ones(target, target).tril(),
        "source_padding": real(torch.tensor(lengths), source)[:, None, None],
    }


BUG_CROSS_FROM_DECODER = Task(
    id="bug-cross-from-decoder",
    title="Find the bug: the decoder that never listens",
    name="decoder_step",
    kind="function",
    signature="decoder_step(self_attention, cross_attention, decoder_input, encoder_output, causal, "
    "source_padding)",
    axes=("batch", "target", "d_model"),
    input_axes={
        "decoder_input": ("batch", "target", "d_model"),
        "encoder_output": ("batch", "source", "d_model"),
    },
    needs=("multi-head-attention-module",),
    probes=(
        Probe("lesson-sizes", "5 target and 6 source tokens", step(16, 4, 2, 5, 6, [4, 6], 30)),
        Probe("equal", "as many source tokens as target tokens", step(12, 3, 4, 5, 5, [5, 2, 4, 1], 50)),
        Probe("short-source", "6 target and 4 source tokens", step(12, 3, 3, 6, 4, [4, 1, 3], 40)),
        Probe(
            "heard",
            "5 target and 5 source tokens",
            step(16, 4, 2, 5, 6, [4, 6], 30)
            | {
                "encoder_output": drawn(33, 2, 5, 16),
                "source_padding": real(torch.tensor([3, 4]), 5)[:, None, None],
            },
            observe="influence",
            settings={"input": "encoder_output", "axis": -2, "changed": "source token"},
        ),
    ),
    checks=(
        Check("every source token can be heard", 1, ("lesson-sizes", "equal", "heard")),
        Check("a source shorter than the target", 1, ("short-source",)),
    ),
    learned="In cross-attention the decoder asks and the encoder answers: queries from the target, keys and "
    "values from the source, with the source's padding and no causal mask.",
    hints=(
        "Which of the six arguments are never used in the code as given?",
        "Cross-attention is called as (who asks, who answers, who answers, mask over those who answer).",
        "`cross_attention(x, encoder_output, encoder_output, source_padding)`",
    ),
    wrong=(
        Wrong(
            "as-given",
            as_given,
            "This is the code as it was given. Another source gives the same result: nothing of the source "
            "is read. Look at what is handed to `cross_attention`.",
        ),
        Wrong(
            "source-asks",
            source_asks,
            "Now the source asks and the target answers: there is a row for each source token. The decoder "
            "asks.",
        ),
        Wrong(
            "keys-only",
            keys_only,
            "Keys come from the source and values from the target. A weight belongs to a key *and* its "
            "value: both come from the source.",
        ),
        Wrong(
            "values-only",
            values_only,
            "Values come from the source and keys from the target. A weight belongs to a key *and* its "
            "value: both come from the source.",
        ),
        Wrong(
            "causal-for-both",
            causal_for_both,
            "Keys and values are right. The mask is still the causal one of the target, (target, target). "
            "The source has a mask of its own.",
        ),
        Wrong(
            "causal-and-padding",
            causal_and_padding,
            "A causal mask hides later source tokens. The whole source was there before the first word was "
            "written: only its padding is hidden.",
        ),
        Wrong(
            "padding-forgotten",
            padding_forgotten,
            "Keys and values are right, and padding is read as if it were words. Pass `source_padding`.",
        ),
        Wrong(
            "causal-forgotten",
            causal_forgotten,
            "Cross-attention is right. In the self-attention before it the future now shows: pass `causal` "
            "there.",
        ),
        Wrong(
            "self-attention-lost",
            self_attention_lost,
            "`cross_attention` asks with `decoder_input`, so what self-attention found is thrown away. Ask "
            "with `x`.",
        ),
        Wrong(
            "source-mean-added",
            source_mean_added,
            "The symptom is gone, because the mean of the source is added. No token chooses what to read. "
            "Let attention do it: keys and values from the source.",
        ),
        Wrong(
            "input-added",
            residual_added,
            "Cross-attention is right. `x` is added to it, as in a whole decoder layer; this step returns "
            "the attention alone.",
        ),
        Wrong(
            "padding-inverted",
            padding_inverted,
            "Keys and values are right. The padding mask is turned round: only the padding is read. In it "
            "True means *may look* already.",
        ),
        Wrong(
            "source-put-in-front",
            source_put_in_front,
            "The source was put in front of the target, and the target still looks at itself here, future "
            "and padding included. Keys and values are the source alone.",
        ),
        Wrong(
            "layers-swapped",
            layers_swapped,
            "The two modules have changed places. `self_attention` is for the target, `cross_attention` for "
            "the source.",
        ),
        Wrong(
            "order-swapped",
            order_swapped,
            "Cross-attention comes first here. The target looks at itself first, then asks the source.",
        ),
    ),
    right=(
        Right("by-position", listening),
        Right("by-name", by_name),
        Right("sequence-by-sequence", sequence_by_sequence),
        Right("bool-masks", bool_masks),
    ),
)

LESSON = Lesson(
    title="06 · Encoder, decoder and cross-attention",
    given_axes={"X_input_tokens": ("batch", "tokens", "d_model")},
    redraw=redraw,
    tasks=(
        PROJECT_BATCH,
        INTO_HEADS,
        SCALED_HEAD_SCORES,
        MASKED_WEIGHTS,
        CONTIGUOUS_MERGE,
        ATTENTION_OUTPUT,
        PADDING_MASK,
        COMBINE_MASKS,
        MASKED_SOFTMAX,
        BUG_QUERY_LENGTH,
        MULTI_HEAD_ATTENTION,
        BUG_CROSS_FROM_DECODER,
    ),
)
