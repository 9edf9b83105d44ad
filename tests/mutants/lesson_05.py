# ruff: noqa: E501  (answers as they were typed)
"""Answers to lesson 05 as learners type them: wrong ones with the finding they deserve, and right ones.

These are a hold-out: they were written from the lesson's text, without a look at the known wrong answers in
the lesson's `tasks.py`, so that they show whether the checks hold for answers that nobody prepared for.
"""

from __future__ import annotations

from tests.mutants.harness import Mutants, Right, Wrong

LESSON = "05-multi-head"

# What a learner is told first. A mistake that many people make deserves its name.
NAMED = ("MatchesKnownWrong",)
MISSING = ("NotDefined",)
STUB = ("StillStub",)
NO_FUNCTION = ("NotAFunction",)
RAISED = ("Raised",)
TYPE = ("WrongType",)
SHAPE = ("WrongShape",)
DTYPE = ("WrongDtype",)
NOT_FINITE = ("NotFinite",)
VALUES = ("WrongValues",)
RULE = ("BrokenProperty",)
GIVENS = ("GivensChanged",)
NOT_COMPUTED = ("NotComputed",)
PARAMETERS = ("WrongParameters",)
BEHAVIOUR = ("WrongBehaviour",)

# Words that a message must have, and words that would lead the learner astray.
CALL_IT = r"parenthes|bracket|\(\)|\bcall"
TYPED_IN = r"typed|copied|copy|not computed"
WRONG_NAME = r"is that the one"
NOT_ITS_ARGUMENT = r"from the notebook|Use the argument"
SAME_TWICE = r" is (\S+)(?: on [^;]*?)? and should be \1\."

ERROR_WITH_HEADS = Mutants(
    wrong=(
        Wrong(
            "contexts-added",
            """
            def error_with_heads(weights, x, wanted):
                contexts = sum(head @ x for head in weights)
                return error_left(contexts, wanted)
            """,
            NAMED,
            keeps=1,
        ),
        Wrong(
            "contexts-averaged",
            """
            def error_with_heads(weights, x, wanted):
                contexts = torch.stack([w @ x for w in weights]).mean(dim=0)
                return error_left(contexts, wanted)
            """,
            NAMED,
            keeps=1,
        ),
        Wrong(
            "looks-averaged",
            """
            def error_with_heads(weights, x, wanted):
                look = weights.mean(0)  # (tokens, tokens)
                return error_left(look @ x, wanted)
            """,
            NAMED,
            keeps=1,
        ),
        Wrong(
            "first-head-only",
            """
            def error_with_heads(weights, x, wanted):
                contexts = weights[0] @ x
                return error_left(contexts, wanted)
            """,
            NAMED + VALUES,
            keeps=1,
        ),
        Wrong(
            "last-head-wins",
            """
            def error_with_heads(weights, x, wanted):
                for head in weights:
                    contexts = head @ x
                return error_left(contexts, wanted)
            """,
            NAMED + VALUES,
            keeps=1,
        ),
        Wrong(
            "return-inside-the-loop",
            """
            def error_with_heads(weights, x, wanted):
                contexts = []
                for head in weights:
                    contexts.append(head @ x)
                    return error_left(torch.cat(contexts, dim=-1), wanted)
            """,
            NAMED + VALUES,
            keeps=1,
        ),
        Wrong(
            "joined-along-the-tokens",
            """
            def error_with_heads(weights, x, wanted):
                contexts = [head @ x for head in weights]
                joined = torch.cat(contexts, dim=1)
                return error_left(joined, wanted)
            """,
            NAMED + RAISED,
            keeps=1,
        ),
        Wrong(
            "joined-along-the-batch",
            """
            def error_with_heads(weights, x, wanted):
                contexts = [head @ x for head in weights]
                return error_left(torch.cat(contexts), wanted)
            """,
            NAMED + RAISED,
            keeps=1,
        ),
        Wrong(
            "two-heads-always",
            """
            def error_with_heads(weights, x, wanted):
                joined = torch.cat((weights[0] @ x, weights[1] @ x), dim=-1)
                return error_left(joined, wanted)
            """,
            RAISED + VALUES + NAMED,
        ),
        Wrong(
            "transposed-looks",
            """
            def error_with_heads(weights, x, wanted):
                contexts = [head.T @ x for head in weights]
                joined = torch.cat(contexts, dim=-1)
                return error_left(joined, wanted)
            """,
            NAMED,
        ),
        Wrong(
            "reads-the-stories",
            """
            def error_with_heads(weights, x, wanted):
                contexts = [head @ stories for head in weights]
                joined = torch.cat(contexts, dim=-1)
                return error_left(joined, wanted)
            """,
            NAMED + RAISED + VALUES,
        ),
        Wrong(
            "reads-before-and-first",
            """
            def error_with_heads(weights, x, wanted):
                return error_left(torch.cat((before, first), dim=-1), wanted)
            """,
            NAMED + RAISED + VALUES,
        ),
        Wrong(
            "mean-of-each-heads-error",
            """
            def error_with_heads(weights, x, wanted):
                errors = [error_left(head @ x, wanted) for head in weights]
                return sum(errors) / len(errors)
            """,
            VALUES + NAMED,
            keeps=1,
        ),
        Wrong(
            "list-of-errors",
            """
            def error_with_heads(weights, x, wanted):
                return [error_left(head @ x, wanted) for head in weights]
            """,
            TYPE,
            never=r"products",
        ),
        Wrong(
            "joined-returned-without-its-error",
            """
            def error_with_heads(weights, x, wanted):
                contexts = [head @ x for head in weights]
                return torch.cat(contexts, dim=-1)
            """,
            SHAPE,
        ),
        Wrong(
            "prints-instead-of-returning",
            """
            def error_with_heads(weights, x, wanted):
                contexts = [head @ x for head in weights]
                joined = torch.cat(contexts, dim=-1)
                print(error_left(joined, wanted))
            """,
            TYPE,
        ),
        Wrong(
            "batched-product-then-view-without-transpose",
            """
            def error_with_heads(weights, x, wanted):
                b, tokens, d_in = x.shape
                contexts = weights @ x[:, None]  # (b, heads, tokens, d_in)
                joined = contexts.reshape(b, tokens, -1)
                return error_left(joined, wanted)
            """,
            VALUES + NAMED,
            keeps=1,
        ),
        Wrong(
            "joined-with-the-tokens",
            """
            def error_with_heads(weights, x, wanted):
                contexts = [x] + [head @ x for head in weights]
                return error_left(torch.cat(contexts, dim=-1), wanted)
            """,
            VALUES + NAMED,
        ),
        Wrong(
            "root-of-the-error",
            """
            def error_with_heads(weights, x, wanted):
                joined = torch.cat([head @ x for head in weights], dim=-1)
                return error_left(joined, wanted) ** 0.5
            """,
            VALUES + NAMED,
        ),
        Wrong(
            "wanted-and-contexts-swapped",
            """
            def error_with_heads(weights, x, wanted):
                joined = torch.cat([head @ x for head in weights], dim=-1)
                return error_left(wanted, joined)
            """,
            VALUES + NAMED,
        ),
        Wrong(
            "softmax-of-the-looks",
            """
            def error_with_heads(weights, x, wanted):
                weights = torch.softmax(weights, dim=-1)
                joined = torch.cat([head @ x for head in weights], dim=-1)
                return error_left(joined, wanted)
            """,
            VALUES + NAMED,
        ),
        Wrong(
            "looks-written-over",
            """
            def error_with_heads(weights, x, wanted):
                weights /= weights.sum(dim=-1, keepdim=True).clamp(min=2)
                joined = torch.cat([head @ x for head in weights], dim=-1)
                return error_left(joined, wanted)
            """,
            RULE + BEHAVIOUR + VALUES + NAMED,
        ),
        Wrong(
            "plain-difference-instead-of-least-squares",
            """
            def error_with_heads(weights, x, wanted):
                joined = torch.cat([head @ x for head in weights], dim=-1)
                return ((joined - wanted) ** 2).mean()
            """,
            RAISED + VALUES + NAMED,
        ),
        Wrong(
            "typed-in",
            """
            def error_with_heads(weights, x, wanted):
                return torch.tensor(0.0)
            """,
            VALUES,
        ),
        Wrong(
            "rounded-to-two-decimals",
            """
            def error_with_heads(weights, x, wanted):
                joined = torch.cat([head @ x for head in weights], dim=-1)
                return round(float(error_left(joined, wanted)), 2)
            """,
            VALUES,
            never=r" is (\\S+)(?: on [^;]*?)? and should be \\1\\.",
        ),
        Wrong(
            "one-story-only",
            """
            def error_with_heads(weights, x, wanted):
                joined = torch.cat([head @ x[0] for head in weights], dim=-1)
                return error_left(joined[None], wanted[:1])
            """,
            VALUES + NAMED,
        ),
        Wrong(
            "left-as-it-was",
            """
            def error_with_heads(weights, x, wanted):
                ...
            """,
            STUB,
        ),
        Wrong(
            "misspelt",
            """
            def error_with_head(weights, x, wanted):
                return error_left(torch.cat([w @ x for w in weights], -1), wanted)
            """,
            MISSING,
            says=r"`error_with_head`",
        ),
        Wrong(
            "called-at-once",
            """
            error_with_heads = error_left(torch.cat((before, first), dim=-1), wanted)
            """,
            NO_FUNCTION,
        ),
        Wrong(
            "list-not-joined",
            """
            def error_with_heads(weights, x, wanted):
                contexts = [head @ x for head in weights]
                return error_left(contexts, wanted)
            """,
            RAISED,
        ),
        Wrong(
            "stacked-instead-of-joined",
            """
            def error_with_heads(weights, x, wanted):
                contexts = torch.stack([head @ x for head in weights], dim=-1)
                return error_left(contexts, wanted)
            """,
            RAISED + VALUES,
        ),
    ),
    right=(
        Right(
            "einsum",
            """
            def error_with_heads(weights, x, wanted):
                joined = torch.einsum("hqk,bkd->bqhd", weights, x).flatten(2)
                return error_left(joined, wanted)
            """,
        ),
        Right(
            "batched-product",
            """
            def error_with_heads(weights, x, wanted):
                contexts = weights @ x.unsqueeze(1)  # (b, heads, tokens, d_in)
                joined = contexts.transpose(1, 2).reshape(x.shape[0], x.shape[1], -1)
                return error_left(joined, wanted)
            """,
        ),
        Right(
            "grown-with-cat",
            """
            def error_with_heads(weights, x, wanted):
                joined = torch.empty(x.shape[0], x.shape[1], 0)
                for h in range(weights.shape[0]):
                    joined = torch.cat([joined, weights[h] @ x], dim=2)
                return error_left(joined, wanted)
            """,
        ),
        Right(
            "lambda",
            """
            error_with_heads = lambda weights, x, wanted: error_left(
                torch.cat([w @ x for w in weights], 2), wanted)
            """,
        ),
        Right(
            "python-float",
            """
            def error_with_heads(weights, x, wanted):
                contexts = [torch.matmul(w, x) for w in weights]
                return error_left(torch.cat(contexts, dim=-1), wanted).item()
            """,
        ),
        Right(
            "float64-inside",
            """
            def error_with_heads(weights, x, wanted):
                x, weights = x.double(), weights.double()
                joined = torch.cat([torch.einsum("qk,bkd->bqd", w, x) for w in weights], dim=-1)
                return error_left(joined, wanted.double())
            """,
        ),
        Right(
            "own-least-squares",
            """
            def error_with_heads(weights, x, wanted):
                joined = torch.cat([w @ x for w in weights], dim=-1)
                A = joined.reshape(-1, joined.shape[-1])
                B = wanted.reshape(-1, wanted.shape[-1])
                sol = torch.linalg.pinv(A) @ B
                return torch.mean((A @ sol - B) ** 2)
            """,
        ),
        Right(
            "loop-over-stories-and-heads",
            """
            def error_with_heads(weights, x, wanted):
                rows = []
                for story in x:
                    rows.append(torch.hstack([head @ story for head in weights]))
                return error_left(torch.stack(rows), wanted)
            """,
        ),
        Right(
            "filled-columns-heads-the-other-way-round",
            """
            def error_with_heads(weights, x, wanted):
                b, n, d = x.shape
                heads = len(weights)
                joined = x.new_zeros(b, n, heads * d)
                for i, head in enumerate(reversed(weights)):
                    joined[..., i * d : (i + 1) * d] = head @ x
                return error_left(joined, wanted)
            """,
        ),
        Right(
            "bmm",
            """
            def error_with_heads(weights: torch.Tensor, x: torch.Tensor, wanted: torch.Tensor):
                contexts = [torch.bmm(w.expand(len(x), -1, -1), x) for w in weights.unbind(0)]
                return error_left(torch.concat(contexts, axis=-1), wanted)
            """,
        ),
    ),
)

MULTI_HEAD_WRAPPER = Mutants(
    wrong=(
        Wrong(
            "plain-list",
            """
            class MultiHeadAttentionWrapper(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    self.heads = [
                        CausalAttention(d_in, d_out, context_length, dropout, qkv_bias)
                        for _ in range(num_heads)
                    ]
                def forward(self, x):
                    return torch.cat([head(x) for head in self.heads], dim=-1)
            """,
            PARAMETERS + NAMED,
            says=r"ModuleList|list",
        ),
        Wrong(
            "same-head-repeated",
            """
            class MultiHeadAttentionWrapper(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    head = CausalAttention(d_in, d_out, context_length, dropout, qkv_bias)
                    self.heads = nn.ModuleList([head] * num_heads)
                def forward(self, x):
                    return torch.cat([head(x) for head in self.heads], dim=-1)
            """,
            PARAMETERS + NAMED,
        ),
        Wrong(
            "width-divided-among-the-heads",
            """
            class MultiHeadAttentionWrapper(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    self.heads = nn.ModuleList(
                        CausalAttention(d_in, d_out // num_heads, context_length, dropout, qkv_bias)
                        for _ in range(num_heads)
                    )
                def forward(self, x):
                    return torch.cat([head(x) for head in self.heads], dim=-1)
            """,
            PARAMETERS + NAMED,
        ),
        Wrong(
            "bias-not-passed-on",
            """
            class MultiHeadAttentionWrapper(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    self.heads = nn.ModuleList(
                        [CausalAttention(d_in, d_out, context_length, dropout) for _ in range(num_heads)]
                    )
                def forward(self, x):
                    return torch.cat([head(x) for head in self.heads], dim=-1)
            """,
            PARAMETERS + NAMED,
            keeps=2,
            says=r"qkv_bias|bias",
        ),
        Wrong(
            "dropout-not-passed-on",
            """
            class MultiHeadAttentionWrapper(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    self.heads = nn.ModuleList(
                        [CausalAttention(d_in, d_out, context_length, 0.0, qkv_bias) for _ in range(num_heads)]
                    )
                def forward(self, x):
                    return torch.cat([head(x) for head in self.heads], dim=-1)
            """,
            BEHAVIOUR + NAMED + RULE,
            keeps=3,
            says=r"[Dd]ropout|drop",
        ),
        Wrong(
            "dropout-always-half",
            """
            class MultiHeadAttentionWrapper(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    self.heads = nn.ModuleList(
                        [CausalAttention(d_in, d_out, context_length, 0.5, qkv_bias) for _ in range(num_heads)]
                    )
                def forward(self, x):
                    return torch.cat([head(x) for head in self.heads], dim=-1)
            """,
            BEHAVIOUR + NAMED + RULE + VALUES,
            keeps=3,
        ),
        Wrong(
            "heads-added",
            """
            class MultiHeadAttentionWrapper(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    self.heads = nn.ModuleList(
                        [CausalAttention(d_in, d_out, context_length, dropout, qkv_bias) for _ in range(num_heads)]
                    )
                def forward(self, x):
                    return sum(head(x) for head in self.heads)
            """,
            NAMED + SHAPE,
        ),
        Wrong(
            "heads-averaged",
            """
            class MultiHeadAttentionWrapper(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    self.heads = nn.ModuleList(
                        [CausalAttention(d_in, d_out, context_length, dropout, qkv_bias) for _ in range(num_heads)]
                    )
                def forward(self, x):
                    return torch.stack([head(x) for head in self.heads]).mean(0)
            """,
            NAMED + SHAPE,
        ),
        Wrong(
            "joined-along-the-tokens",
            """
            class MultiHeadAttentionWrapper(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    self.heads = nn.ModuleList(
                        [CausalAttention(d_in, d_out, context_length, dropout, qkv_bias) for _ in range(num_heads)]
                    )
                def forward(self, x):
                    return torch.cat([head(x) for head in self.heads], dim=1)
            """,
            NAMED + SHAPE,
        ),
        Wrong(
            "joined-along-minus-two",
            """
            class MultiHeadAttentionWrapper(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    self.heads = nn.ModuleList(
                        [CausalAttention(d_in, d_out, context_length, dropout, qkv_bias) for _ in range(num_heads)]
                    )
                def forward(self, x):
                    out = [h(x) for h in self.heads]
                    return torch.cat(out, dim=-2)
            """,
            NAMED + SHAPE,
        ),
        Wrong(
            "joined-along-the-batch",
            """
            class MultiHeadAttentionWrapper(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    self.heads = nn.ModuleList(
                        [CausalAttention(d_in, d_out, context_length, dropout, qkv_bias) for _ in range(num_heads)]
                    )
                def forward(self, x):
                    return torch.cat([head(x) for head in self.heads])
            """,
            NAMED + SHAPE,
        ),
        Wrong(
            "stacked-on-a-new-axis",
            """
            class MultiHeadAttentionWrapper(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    self.heads = nn.ModuleList(
                        [CausalAttention(d_in, d_out, context_length, dropout, qkv_bias) for _ in range(num_heads)]
                    )
                def forward(self, x):
                    return torch.stack([head(x) for head in self.heads], dim=1)
            """,
            SHAPE + NAMED,
        ),
        Wrong(
            "stacked-last-and-flattened",
            """
            class MultiHeadAttentionWrapper(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    self.heads = nn.ModuleList(
                        [CausalAttention(d_in, d_out, context_length, dropout, qkv_bias) for _ in range(num_heads)]
                    )
                def forward(self, x):
                    return torch.stack([h(x) for h in self.heads], dim=-1).flatten(-2)
            """,
            NAMED + VALUES,
        ),
        Wrong(
            "stacked-and-viewed-without-transpose",
            """
            class MultiHeadAttentionWrapper(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    self.heads = nn.ModuleList(
                        [CausalAttention(d_in, d_out, context_length, dropout, qkv_bias) for _ in range(num_heads)]
                    )
                def forward(self, x):
                    b, num_tokens, _ = x.shape
                    out = torch.stack([h(x) for h in self.heads], dim=1)
                    return out.view(b, num_tokens, -1)
            """,
            NAMED + VALUES,
        ),
        Wrong(
            "heads-one-after-another",
            """
            class MultiHeadAttentionWrapper(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    self.heads = nn.ModuleList(
                        [CausalAttention(d_in, d_out, context_length, dropout, qkv_bias) for _ in range(num_heads)]
                    )
                def forward(self, x):
                    for head in self.heads:
                        x = head(x)
                    return x
            """,
            RAISED,
        ),
        Wrong(
            "last-head-only",
            """
            class MultiHeadAttentionWrapper(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    self.heads = nn.ModuleList(
                        [CausalAttention(d_in, d_out, context_length, dropout, qkv_bias) for _ in range(num_heads)]
                    )
                def forward(self, x):
                    for head in self.heads:
                        out = head(x)
                    return out
            """,
            SHAPE + NAMED,
        ),
        Wrong(
            "two-heads-always",
            """
            class MultiHeadAttentionWrapper(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    self.heads = nn.ModuleList(
                        [CausalAttention(d_in, d_out, context_length, dropout, qkv_bias) for _ in range(num_heads)]
                    )
                def forward(self, x):
                    return torch.cat((self.heads[0](x), self.heads[1](x)), dim=-1)
            """,
            RAISED + SHAPE,
            keeps=1,
        ),
        Wrong(
            "two-heads-made-always",
            """
            class MultiHeadAttentionWrapper(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    self.heads = nn.ModuleList(
                        [CausalAttention(d_in, d_out, context_length, dropout, qkv_bias),
                         CausalAttention(d_in, d_out, context_length, dropout, qkv_bias)]
                    )
                def forward(self, x):
                    return torch.cat([head(x) for head in self.heads], dim=-1)
            """,
            PARAMETERS + SHAPE + NAMED,
            keeps=1,
        ),
        Wrong(
            "one-head-too-few",
            """
            class MultiHeadAttentionWrapper(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    self.heads = nn.ModuleList(
                        [CausalAttention(d_in, d_out, context_length, dropout, qkv_bias)
                         for _ in range(1, num_heads)]
                    )
                def forward(self, x):
                    return torch.cat([head(x) for head in self.heads], dim=-1)
            """,
            PARAMETERS + SHAPE + RAISED,
        ),
        Wrong(
            "input-cut-between-heads",
            """
            class MultiHeadAttentionWrapper(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    self.heads = nn.ModuleList(
                        [CausalAttention(d_in // num_heads, d_out, context_length, dropout, qkv_bias)
                         for _ in range(num_heads)]
                    )
                def forward(self, x):
                    pieces = x.chunk(len(self.heads), dim=-1)
                    return torch.cat([h(p) for h, p in zip(self.heads, pieces)], dim=-1)
            """,
            PARAMETERS + RAISED + NAMED,
        ),
        Wrong(
            "other-name-for-the-list",
            """
            class MultiHeadAttentionWrapper(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    self.layers = nn.ModuleList(
                        [CausalAttention(d_in, d_out, context_length, dropout, qkv_bias) for _ in range(num_heads)]
                    )
                def forward(self, x):
                    return torch.cat([head(x) for head in self.layers], dim=-1)
            """,
            PARAMETERS,
            says=r"heads",
        ),
        Wrong(
            "heads-never-called",
            """
            class MultiHeadAttentionWrapper(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    self.heads = nn.ModuleList(
                        [CausalAttention(d_in, d_out, context_length, dropout, qkv_bias) for _ in range(num_heads)]
                    )
                def forward(self, x):
                    return torch.cat([head for head in self.heads], dim=-1)
            """,
            RAISED,
        ),
        Wrong(
            "list-returned",
            """
            class MultiHeadAttentionWrapper(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    self.heads = nn.ModuleList(
                        [CausalAttention(d_in, d_out, context_length, dropout, qkv_bias) for _ in range(num_heads)]
                    )
                def forward(self, x):
                    return [head(x) for head in self.heads]
            """,
            TYPE,
        ),
        Wrong(
            "return-forgotten",
            """
            class MultiHeadAttentionWrapper(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    self.heads = nn.ModuleList(
                        [CausalAttention(d_in, d_out, context_length, dropout, qkv_bias) for _ in range(num_heads)]
                    )
                def forward(self, x):
                    context = torch.cat([head(x) for head in self.heads], dim=-1)
            """,
            TYPE,
        ),
        Wrong(
            "super-forgotten",
            """
            class MultiHeadAttentionWrapper(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    self.heads = nn.ModuleList(
                        [CausalAttention(d_in, d_out, context_length, dropout, qkv_bias) for _ in range(num_heads)]
                    )
                def forward(self, x):
                    return torch.cat([head(x) for head in self.heads], dim=-1)
            """,
            RAISED,
            says=r"super",
        ),
        Wrong(
            "arguments-swapped",
            """
            class MultiHeadAttentionWrapper(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    self.heads = nn.ModuleList(
                        [CausalAttention(d_out, d_in, context_length, dropout, qkv_bias) for _ in range(num_heads)]
                    )
                def forward(self, x):
                    return torch.cat([head(x) for head in self.heads], dim=-1)
            """,
            PARAMETERS + RAISED,
        ),
        Wrong(
            "dropout-and-length-swapped",
            """
            class MultiHeadAttentionWrapper(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    self.heads = nn.ModuleList(
                        [CausalAttention(d_in, d_out, dropout, context_length, qkv_bias) for _ in range(num_heads)]
                    )
                def forward(self, x):
                    return torch.cat([head(x) for head in self.heads], dim=-1)
            """,
            RAISED,
            never=r"its cell",
        ),
        Wrong(
            "reads-the-batch",
            """
            class MultiHeadAttentionWrapper(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    self.heads = nn.ModuleList(
                        [CausalAttention(d_in, d_out, context_length, dropout, qkv_bias) for _ in range(num_heads)]
                    )
                def forward(self, x):
                    return torch.cat([head(batch) for head in self.heads], dim=-1)
            """,
            SHAPE + VALUES + RAISED + NAMED,
            says=r"`batch`",
        ),
        Wrong(
            "output-projection-added",
            """
            class MultiHeadAttentionWrapper(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    self.heads = nn.ModuleList(
                        [CausalAttention(d_in, d_out, context_length, dropout, qkv_bias) for _ in range(num_heads)]
                    )
                    self.out_proj = nn.Linear(num_heads * d_out, num_heads * d_out)
                def forward(self, x):
                    context = torch.cat([head(x) for head in self.heads], dim=-1)
                    return self.out_proj(context)
            """,
            PARAMETERS,
            says=r"out_proj",
        ),
        Wrong(
            "heads-made-anew-in-forward",
            """
            class MultiHeadAttentionWrapper(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    self.args = (d_in, d_out, context_length, dropout, qkv_bias)
                    self.num_heads = num_heads

                def forward(self, x):
                    self.heads = nn.ModuleList([CausalAttention(*self.args) for _ in range(self.num_heads)])
                    return torch.cat([head(x) for head in self.heads], dim=-1)
            """,
            PARAMETERS + NAMED,
        ),
        Wrong(
            "only-init-filled",
            """
            class MultiHeadAttentionWrapper(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    self.heads = nn.ModuleList(
                        [CausalAttention(d_in, d_out, context_length, dropout, qkv_bias) for _ in range(num_heads)]
                    )
                def forward(self, x):
                    ...
            """,
            STUB + TYPE,
        ),
        Wrong(
            "left-as-it-was",
            """
            class MultiHeadAttentionWrapper(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    ...
                def forward(self, x):
                    ...
            """,
            STUB,
        ),
        Wrong(
            "edits-x-in-place",
            """
            class MultiHeadAttentionWrapper(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    self.heads = nn.ModuleList(
                        [CausalAttention(d_in, d_out, context_length, dropout, qkv_bias) for _ in range(num_heads)]
                    )
                def forward(self, x):
                    x -= x.mean(dim=-1, keepdim=True)
                    return torch.cat([head(x) for head in self.heads], dim=-1)
            """,
            VALUES + RULE + BEHAVIOUR,
        ),
        Wrong(
            "instance-not-class",
            """
            MultiHeadAttentionWrapper = CausalAttention(3, 2, 6, 0.0)
            """,
            NO_FUNCTION,
        ),
        Wrong(
            "misspelt",
            """
            class MultiheadAttentionWrapper(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    self.heads = nn.ModuleList(
                        [CausalAttention(d_in, d_out, context_length, dropout, qkv_bias) for _ in range(num_heads)]
                    )
                def forward(self, x):
                    return torch.cat([head(x) for head in self.heads], dim=-1)
            """,
            MISSING,
            says=r"`MultiheadAttentionWrapper`",
        ),
        Wrong(
            "heads-without-self",
            """
            class MultiHeadAttentionWrapper(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    heads = nn.ModuleList(
                        [CausalAttention(d_in, d_out, context_length, dropout, qkv_bias) for _ in range(num_heads)]
                    )
                def forward(self, x):
                    return torch.cat([head(x) for head in self.heads], dim=-1)
            """,
            PARAMETERS + RAISED,
        ),
    ),
    right=(
        Right(
            "as-in-the-recap",
            """
            class MultiHeadAttentionWrapper(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    self.heads = nn.ModuleList(
                        [CausalAttention(d_in, d_out, context_length, dropout, qkv_bias) for _ in range(num_heads)]
                    )
                def forward(self, x):
                    return torch.cat([head(x) for head in self.heads], dim=-1)
            """,
        ),
        Right(
            "appended-in-a-loop",
            """
            class MultiHeadAttentionWrapper(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    self.heads = nn.ModuleList()
                    for _ in range(num_heads):
                        self.heads.append(CausalAttention(d_in, d_out, context_length, dropout, qkv_bias))
                def forward(self, x):
                    outs = []
                    for h in self.heads:
                        outs.append(h(x))
                    return torch.cat(outs, dim=2)
            """,
        ),
        Right(
            "keywords-in-another-order",
            """
            class MultiHeadAttentionWrapper(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    self.num_heads = num_heads
                    self.d_out = d_out
                    make = lambda: CausalAttention(
                        d_in=d_in, d_out=d_out, qkv_bias=qkv_bias, dropout=dropout, context_length=context_length
                    )
                    self.heads = nn.ModuleList(make() for _ in range(num_heads))
                def forward(self, x):
                    return torch.concat(tuple(map(lambda h: h(x), self.heads)), dim=-1)
            """,
        ),
        Right(
            "partial",
            """
            from functools import partial

            class MultiHeadAttentionWrapper(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    head = partial(CausalAttention, d_in, d_out, context_length, dropout, qkv_bias=qkv_bias)
                    self.heads = nn.ModuleList([head() for _ in range(num_heads)])
                def forward(self, x):
                    return torch.cat([head(x) for head in self.heads], dim=-1)
            """,
        ),
        Right(
            "stacked-then-flattened",
            """
            class MultiHeadAttentionWrapper(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    self.heads = nn.ModuleList(
                        [CausalAttention(d_in, d_out, context_length, dropout, qkv_bias) for _ in range(num_heads)]
                    )
                def forward(self, x):
                    return torch.stack([h(x) for h in self.heads], dim=2).flatten(2)
            """,
        ),
        Right(
            "filled-by-slices",
            """
            class MultiHeadAttentionWrapper(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    self.heads = nn.ModuleList(
                        [CausalAttention(d_in, d_out, context_length, dropout, qkv_bias) for _ in range(num_heads)]
                    )
                    self.d_out = d_out
                def forward(self, x):
                    b, n, _ = x.shape
                    out = torch.empty(b, n, len(self.heads) * self.d_out, device=x.device, dtype=x.dtype)
                    for i, head in enumerate(self.heads):
                        out[:, :, i * self.d_out : (i + 1) * self.d_out] = head(x)
                    return out
            """,
        ),
        Right(
            "grown-with-cat",
            """
            class MultiHeadAttentionWrapper(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    self.heads = nn.ModuleList(
                        [CausalAttention(d_in, d_out, context_length, dropout, qkv_bias) for _ in range(num_heads)]
                    )
                def forward(self, x):
                    result = self.heads[0](x)
                    for head in list(self.heads)[1:]:
                        result = torch.cat((result, head(x)), -1)
                    return result
            """,
        ),
        Right(
            "inherits-from-module-list-parts",
            """
            class Stack(nn.Module):
                def forward(self, x):
                    return torch.hstack([]) if not len(self.heads) else self.join([h(x) for h in self.heads])

                @staticmethod
                def join(parts):
                    return torch.cat(parts, dim=-1)


            class MultiHeadAttentionWrapper(Stack):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super(MultiHeadAttentionWrapper, self).__init__()
                    heads = [
                        CausalAttention(d_in, d_out, context_length, dropout, qkv_bias)
                        for head in range(num_heads)
                    ]
                    self.heads = nn.ModuleList(heads)
            """,
        ),
        Right(
            "add-module-with-numbers",
            """
            class MultiHeadAttentionWrapper(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    self.heads = nn.Module()
                    self.n = num_heads
                    for i in range(num_heads):
                        self.heads.add_module(
                            str(i), CausalAttention(d_in, d_out, context_length, dropout, qkv_bias)
                        )
                def forward(self, x):
                    return torch.cat([getattr(self.heads, str(i))(x) for i in range(self.n)], dim=-1)
            """,
        ),
        Right(
            "sequential-as-a-container",
            """
            class MultiHeadAttentionWrapper(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    self.heads = nn.Sequential(*
                        [CausalAttention(d_in, d_out, context_length, dropout, qkv_bias) for _ in range(num_heads)]
                    )
                def forward(self, x):
                    return torch.cat([head(x) for head in self.heads], dim=-1)
            """,
        ),
        Right(
            "loop-over-sentences",
            """
            class MultiHeadAttentionWrapper(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    self.heads = nn.ModuleList(
                        [CausalAttention(d_in, d_out, context_length, dropout, qkv_bias) for _ in range(num_heads)]
                    )
                def forward(self, x):
                    out = []
                    for sentence in x:
                        out.append(torch.cat([h(sentence[None])[0] for h in self.heads], dim=-1))
                    return torch.stack(out, dim=0)
            """,
        ),
    ),
)

BATCHED_HEAD_SCORES = Mutants(
    wrong=(
        Wrong(
            "not-turned",
            """
            head_scores = a @ a
            """,
            MISSING,
            never=r"is that the one",
        ),
        Wrong(
            "all-axes-turned",
            """
            head_scores = a @ a.T
            """,
            MISSING,
            never=r"is that the one",
        ),
        Wrong(
            "heads-and-tokens-swapped",
            """
            head_scores = a @ a.transpose(1, 2)
            """,
            MISSING,
        ),
        Wrong(
            "axes-one-and-three",
            """
            head_scores = a @ a.transpose(1, 3)
            """,
            MISSING,
        ),
        Wrong(
            "turned-on-the-left",
            """
            head_scores = a.transpose(2, 3) @ a
            """,
            SHAPE + NAMED,
        ),
        Wrong(
            "elementwise",
            """
            head_scores = a * a
            """,
            SHAPE + NAMED,
        ),
        Wrong(
            "elementwise-summed",
            """
            head_scores = (a * a).sum(-1)
            """,
            SHAPE,
        ),
        Wrong(
            "first-head-only",
            """
            head_scores = a[0, 0] @ a[0, 0].T
            """,
            SHAPE,
        ),
        Wrong(
            "batch-axis-lost",
            """
            head_scores = a[0] @ a[0].transpose(1, 2)
            """,
            SHAPE,
        ),
        Wrong(
            "squeezed",
            """
            head_scores = (a @ a.transpose(-2, -1)).squeeze()
            """,
            SHAPE,
        ),
        Wrong(
            "scaled",
            """
            head_scores = a @ a.transpose(2, 3) / 4 ** 0.5
            """,
            NAMED + VALUES,
        ),
        Wrong(
            "scaled-by-head-dim",
            """
            head_scores = a @ a.transpose(-1, -2) / a.shape[-1]
            """,
            NAMED + VALUES,
        ),
        Wrong(
            "softmax-as-well",
            """
            head_scores = torch.softmax(a @ a.mT, dim=-1)
            """,
            VALUES + NAMED + RULE,
        ),
        Wrong(
            "heads-added",
            """
            head_scores = (a @ a.transpose(2, 3)).sum(dim=1, keepdim=True)
            """,
            SHAPE + NAMED,
        ),
        Wrong(
            "heads-added-and-expanded",
            """
            head_scores = (a @ a.transpose(2, 3)).sum(dim=1, keepdim=True).expand(1, 2, 3, 3)
            """,
            VALUES + NAMED,
        ),
        Wrong(
            "one-head-twice",
            """
            first_head = a[0, 0]
            first_res = first_head @ first_head.T
            head_scores = torch.stack([first_res, first_res])[None]
            """,
            VALUES + NAMED,
        ),
        Wrong(
            "heads-swapped",
            """
            head_scores = (a @ a.mT).flip(1)
            """,
            VALUES,
        ),
        Wrong(
            "heads-against-each-other",
            """
            head_scores = a @ a.flip(1).transpose(2, 3)
            """,
            NAMED,
        ),
        Wrong(
            "tensordot-over-everything",
            """
            head_scores = torch.tensordot(a, a, dims=([3], [3]))
            """,
            SHAPE,
        ),
        Wrong(
            "einsum-over-the-heads-too",
            """
            head_scores = torch.einsum("bhqd,bhkd->bqk", a, a)
            """,
            SHAPE + NAMED,
        ),
        Wrong(
            "einsum-axes-of-tokens-mixed",
            """
            head_scores = torch.einsum("bhqd,bhqe->bhde", a, a)
            """,
            SHAPE + NAMED,
        ),
        Wrong(
            "cosine",
            """
            u = nn.functional.normalize(a, dim=-1)
            head_scores = u @ u.mT
            """,
            VALUES,
        ),
        Wrong(
            "causal",
            """
            head_scores = torch.tril(a @ a.transpose(2, 3))
            """,
            VALUES + RULE,
        ),
        Wrong(
            "list-of-heads",
            """
            head_scores = [a[0, h] @ a[0, h].T for h in range(2)]
            """,
            TYPE,
        ),
        Wrong(
            "copied-with-four-decimals",
            """
            head_scores = torch.tensor([[[[1.3208, 1.1631, 1.2879],
                      [1.1631, 2.2150, 1.8424],
                      [1.2879, 1.8424, 2.0402]],

                     [[0.4391, 0.7003, 0.5903],
                      [0.7003, 1.3737, 1.0620],
                      [0.5903, 1.0620, 0.9912]]]])
            """,
            NOT_COMPUTED + VALUES,
            says=r"typed|copied|copy|not computed",
        ),
        Wrong(
            "copied-with-two-decimals",
            """
            head_scores = torch.tensor([[[[1.32, 1.16, 1.29], [1.16, 2.22, 1.84], [1.29, 1.84, 2.04]],
                                         [[0.44, 0.70, 0.59], [0.70, 1.37, 1.06], [0.59, 1.06, 0.99]]]])
            """,
            VALUES,
        ),
        Wrong(
            "transpose-not-called",
            """
            head_scores = a @ a.transpose
            """,
            MISSING,
            never=r"is that the one",
        ),
        Wrong(
            "axis-given-once",
            """
            head_scores = a @ a.transpose(2)
            """,
            MISSING,
            never=r"is that the one",
        ),
        Wrong(
            "numpy",
            """
            head_scores = a.numpy() @ a.transpose(2, 3).numpy()
            """,
            TYPE,
        ),
        Wrong(
            "half",
            """
            head_scores = a.half() @ a.half().mT
            """,
            DTYPE,
        ),
        Wrong(
            "singular",
            """
            head_score = a @ a.transpose(2, 3)
            """,
            MISSING,
            says=r"`head_score`",
        ),
        Wrong(
            "a-edited",
            """
            head_scores = a @ a.transpose_(2, 3).transpose(2, 3)
            """,
            GIVENS + MISSING + SHAPE,
        ),
        Wrong(
            "a-scaled-first",
            """
            a /= 2
            head_scores = a @ a.transpose(2, 3)
            """,
            GIVENS,
        ),
        Wrong(
            "left-as-it-was",
            """
            head_scores = ...  # your code here
            """,
            STUB,
        ),
        Wrong(
            "shape-only",
            """
            head_scores = (a @ a.transpose(2, 3)).shape
            """,
            TYPE,
        ),
        Wrong(
            "a-function",
            """
            def head_scores(q, k):
                return q @ k.transpose(2, 3)
            """,
            TYPE,
        ),
    ),
    right=(
        Right(
            "negative-axes",
            """
            head_scores = a @ a.transpose(-2, -1)
            """,
        ),
        Right(
            "mT",
            """
            head_scores = a @ a.mT
            """,
        ),
        Right(
            "einsum",
            """
            head_scores = torch.einsum("bhqd,bhkd->bhqk", a, a)
            """,
        ),
        Right(
            "einsum-with-dots",
            """
            head_scores = torch.einsum("...qd,...kd->...qk", a, a)
            """,
        ),
        Right(
            "permute",
            """
            head_scores = torch.matmul(a, a.permute(0, 1, 3, 2))
            """,
        ),
        Right(
            "swapaxes",
            """
            keys = a.swapaxes(3, 2)
            head_scores = a.matmul(keys)
            """,
        ),
        Right(
            "bmm",
            """
            f = a.flatten(0, 1)
            head_scores = torch.bmm(f, f.transpose(1, 2)).unflatten(0, (1, 2))
            """,
        ),
        Right(
            "float64",
            """
            head_scores = (a.double() @ a.double().transpose(2, 3))
            """,
        ),
        Right(
            "heads-stacked",
            """
            head_scores = torch.stack([torch.stack([h @ h.T for h in sentence]) for sentence in a])
            """,
        ),
        Right(
            "broadcast",
            """
            head_scores = (a[:, :, :, None] * a[:, :, None]).sum(-1)
            """,
        ),
        Right(
            "out",
            """
            head_scores = torch.empty(1, 2, 3, 3)
            torch.matmul(a, a.transpose(2, 3), out=head_scores)
            """,
        ),
        Right(
            "four-loops",
            """
            head_scores = torch.zeros(1, 2, 3, 3)
            for h in range(2):
                for i in range(3):
                    for j in range(3):
                        head_scores[0, h, i, j] = torch.dot(a[0, h, i], a[0, h, j])
            """,
        ),
        Right(
            "vmap",
            """
            head_scores = torch.vmap(torch.vmap(lambda h: h @ h.T))(a)
            """,
        ),
        Right(
            "query-key-names",
            """
            q = k = a
            head_scores = q @ k.transpose(2, 3)
            """,
        ),
        Right(
            "numpy-back",
            """
            import numpy as np
            head_scores = torch.tensor(np.matmul(a.numpy(), a.mT.numpy()))
            """,
        ),
    ),
)

SPLIT_HEADS = Mutants(
    wrong=(
        Wrong(
            "view-without-transpose",
            """
            def split_heads(x, num_heads):
                b, tokens, d_out = x.shape
                return x.view(b, num_heads, tokens, d_out // num_heads)
            """,
            NAMED,
        ),
        Wrong(
            "reshape-without-transpose",
            """
            def split_heads(x, num_heads):
                b, tokens, d_out = x.shape
                head_dim = d_out // num_heads
                return torch.reshape(x, (b, num_heads, tokens, head_dim))
            """,
            NAMED,
        ),
        Wrong(
            "transpose-forgotten",
            """
            def split_heads(x, num_heads):
                b, tokens, d_out = x.shape
                return x.view(b, tokens, num_heads, d_out // num_heads)
            """,
            NAMED + SHAPE,
        ),
        Wrong(
            "head-dim-in-front-of-heads",
            """
            def split_heads(x, num_heads):
                b, tokens, d_out = x.shape
                return x.view(b, tokens, d_out // num_heads, num_heads).permute(0, 3, 1, 2)
            """,
            NAMED,
        ),
        Wrong(
            "every-second-number",
            """
            def split_heads(x, num_heads):
                return torch.stack([x[:, :, h::num_heads] for h in range(num_heads)], dim=1)
            """,
            NAMED,
        ),
        Wrong(
            "transpose-discarded",
            """
            def split_heads(x, num_heads):
                b, tokens, d_out = x.shape
                x = x.view(b, tokens, num_heads, d_out // num_heads)
                x.transpose(1, 2)
                return x
            """,
            NAMED + SHAPE,
        ),
        Wrong(
            "last-two-axes-turned",
            """
            def split_heads(x, num_heads):
                b, tokens, d_out = x.shape
                return x.view(b, tokens, num_heads, d_out // num_heads).transpose(2, 3)
            """,
            SHAPE + NAMED,
        ),
        Wrong(
            "keys-as-for-the-scores",
            """
            def split_heads(x, num_heads):
                b, tokens, d_out = x.shape
                return x.view(b, tokens, num_heads, d_out // num_heads).permute(0, 2, 3, 1)
            """,
            SHAPE + NAMED,
        ),
        Wrong(
            "num-heads-as-the-width",
            """
            def split_heads(x, num_heads):
                b, tokens, d_out = x.shape
                return x.view(b, tokens, d_out // num_heads, num_heads).transpose(1, 2)
            """,
            SHAPE + NAMED,
            keeps=1,
        ),
        Wrong(
            "head-dim-two-always",
            """
            def split_heads(x, num_heads):
                b, tokens, d_out = x.shape
                return x.view(b, tokens, num_heads, 2).transpose(1, 2)
            """,
            RAISED,
            keeps=1,
        ),
        Wrong(
            "sizes-of-the-example",
            """
            def split_heads(x, num_heads):
                return x.view(1, 3, 2, 2).transpose(1, 2)
            """,
            RAISED,
            keeps=1,
        ),
        Wrong(
            "true-division",
            """
            def split_heads(x, num_heads):
                b, tokens, d_out = x.shape
                return x.view(b, tokens, num_heads, d_out / num_heads).transpose(1, 2)
            """,
            RAISED,
            says=r"//|integer|whole|float",
        ),
        Wrong(
            "whole-width-for-each-head",
            """
            def split_heads(x, num_heads):
                b, tokens, d_out = x.shape
                return x.view(b, tokens, num_heads, d_out).transpose(1, 2)
            """,
            RAISED,
        ),
        Wrong(
            "copied-to-every-head",
            """
            def split_heads(x, num_heads):
                return x.unsqueeze(1).repeat(1, num_heads, 1, 1)
            """,
            SHAPE + NAMED,
        ),
        Wrong(
            "chunks-in-a-tuple",
            """
            def split_heads(x, num_heads):
                return x.chunk(num_heads, dim=-1)
            """,
            TYPE,
            never=r"comma",
        ),
        Wrong(
            "chunks-in-front",
            """
            def split_heads(x, num_heads):
                return torch.stack(x.chunk(num_heads, dim=-1))
            """,
            SHAPE + NAMED,
        ),
        Wrong(
            "stacked-after-the-tokens",
            """
            def split_heads(x, num_heads):
                return torch.stack(x.chunk(num_heads, dim=-1), dim=2)
            """,
            SHAPE + NAMED,
        ),
        Wrong(
            "split-takes-a-size",
            """
            def split_heads(x, num_heads):
                return torch.stack(x.split(num_heads, dim=-1), dim=1)
            """,
            SHAPE + NAMED + RAISED,
            keeps=1,
        ),
        Wrong(
            "tokens-cut-instead",
            """
            def split_heads(x, num_heads):
                return torch.stack(x.chunk(num_heads, dim=1), dim=1)
            """,
            SHAPE + RAISED + NAMED,
        ),
        Wrong(
            "heads-the-other-way-round",
            """
            def split_heads(x, num_heads):
                b, tokens, d_out = x.shape
                return x.view(b, tokens, num_heads, -1).transpose(1, 2).flip(1)
            """,
            NAMED,
        ),
        Wrong(
            "transposed-before-the-view",
            """
            def split_heads(x, num_heads):
                b, tokens, d_out = x.shape
                x = x.transpose(1, 2)
                return x.reshape(b, num_heads, tokens, d_out // num_heads)
            """,
            VALUES + NAMED,
        ),
        Wrong(
            "batch-and-tokens-mixed",
            """
            def split_heads(x, num_heads):
                tokens, b, d_out = x.shape
                return x.view(b, tokens, num_heads, d_out // num_heads).transpose(1, 2)
            """,
            SHAPE + NAMED + VALUES,
        ),
        Wrong(
            "reads-numbered",
            """
            def split_heads(x, num_heads):
                b, tokens, d_out = numbered.shape
                return numbered.view(b, tokens, num_heads, d_out // num_heads).transpose(1, 2)
            """,
            SHAPE + RAISED + VALUES,
            says=r"`numbered`",
        ),
        Wrong(
            "two-heads-always",
            """
            def split_heads(x, num_heads):
                half = x.shape[-1] // 2
                return torch.stack((x[..., :half], x[..., half:]), dim=1)
            """,
            SHAPE + NAMED,
            keeps=1,
        ),
        Wrong(
            "one-sentence-only",
            """
            def split_heads(x, num_heads):
                tokens, d_out = x[0].shape
                return x[0].view(tokens, num_heads, d_out // num_heads).transpose(0, 1)[None]
            """,
            SHAPE,
            keeps=1,
        ),
        Wrong(
            "batch-axis-lost",
            """
            def split_heads(x, num_heads):
                b, tokens, d_out = x.shape
                return x.view(tokens, num_heads, d_out // num_heads).transpose(0, 1)
            """,
            SHAPE + RAISED,
        ),
        Wrong(
            "return-forgotten",
            """
            def split_heads(x, num_heads):
                b, tokens, d_out = x.shape
                x = x.view(b, tokens, num_heads, d_out // num_heads).transpose(1, 2)
            """,
            TYPE,
        ),
        Wrong(
            "turns-its-argument",
            """
            def split_heads(x, num_heads):
                b, tokens, d_out = x.shape
                x.resize_(b, tokens, num_heads, d_out // num_heads)
                return x.transpose_(1, 2)
            """,
            RULE + BEHAVIOUR + RAISED + VALUES,
        ),
        Wrong(
            "argument-turned-in-place-and-back",
            """
            def split_heads(x, num_heads):
                b, tokens, d_out = x.shape
                out = x.view(b, tokens, num_heads, -1).transpose(1, 2).clone()
                x.zero_()
                return out
            """,
            RULE + BEHAVIOUR,
        ),
        Wrong(
            "left-as-it-was",
            """
            def split_heads(x, num_heads):
                ...
            """,
            STUB,
        ),
        Wrong(
            "as-a-list",
            """
            def split_heads(x, num_heads):
                return [[s for s in x[i].chunk(num_heads, -1)] for i in range(len(x))]
            """,
            TYPE,
        ),
        Wrong(
            "method-with-self",
            """
            def split_heads(self, x):
                b, tokens, d_out = x.shape
                return x.view(b, tokens, self.num_heads, self.head_dim).transpose(1, 2)
            """,
            RAISED,
        ),
        Wrong(
            "misspelt",
            """
            def split_head(x, num_heads):
                b, tokens, d_out = x.shape
                return x.view(b, tokens, num_heads, -1).transpose(1, 2)
            """,
            MISSING,
            says=r"`split_head`",
        ),
        Wrong(
            "whole-numbers-made-floats-in-a-typed-tensor",
            """
            def split_heads(x, num_heads):
                return torch.tensor([[[[0, 1], [10, 11], [20, 21]], [[2, 3], [12, 13], [22, 23]]]])
            """,
            NAMED,
        ),
    ),
    right=(
        Right(
            "minus-one",
            """
            def split_heads(x, num_heads):
                return x.view(x.shape[0], x.shape[1], num_heads, -1).transpose(1, 2)
            """,
        ),
        Right(
            "unflatten",
            """
            def split_heads(x, num_heads):
                return x.unflatten(-1, (num_heads, -1)).movedim(2, 1)
            """,
        ),
        Right(
            "chunk-and-stack",
            """
            def split_heads(x, num_heads):
                return torch.stack(x.chunk(num_heads, dim=-1), dim=1)
            """,
        ),
        Right(
            "split-with-the-size",
            """
            def split_heads(x, num_heads):
                head_dim = x.size(-1) // num_heads
                return torch.stack(x.split(head_dim, dim=2), dim=1)
            """,
        ),
        Right(
            "slices-in-a-loop",
            """
            def split_heads(x, num_heads):
                b, t, d = x.shape
                hd = d // num_heads
                out = torch.empty(b, num_heads, t, hd, dtype=x.dtype)
                for h in range(num_heads):
                    out[:, h] = x[:, :, h * hd : (h + 1) * hd]
                return out
            """,
        ),
        Right(
            "permute-contiguous",
            """
            def split_heads(x: torch.Tensor, num_heads: int) -> torch.Tensor:
                B, T, C = x.size()
                return x.reshape(B, T, num_heads, C // num_heads).permute(0, 2, 1, 3).contiguous()
            """,
        ),
        Right(
            "from-the-other-end",
            """
            def split_heads(x, num_heads):
                b, t, d = x.shape
                return x.transpose(1, 2).reshape(b, num_heads, d // num_heads, t).transpose(-1, -2)
            """,
        ),
        Right(
            "tensor-split-listcomp",
            """
            split_heads = lambda x, num_heads: torch.stack(torch.tensor_split(x, num_heads, -1), 1)
            """,
        ),
        Right(
            "loop-over-sentences-and-tokens",
            """
            def split_heads(x, num_heads):
                sentences = []
                for sentence in x:
                    rows = [token.reshape(num_heads, -1) for token in sentence]
                    sentences.append(torch.stack(rows, dim=1))
                return torch.stack(sentences)
            """,
        ),
        Right(
            "as-strided",
            """
            def split_heads(x, num_heads):
                x = x.contiguous()
                b, t, d = x.shape
                hd = d // num_heads
                return x.as_strided((b, num_heads, t, hd), (t * d, hd, d, 1), x.storage_offset())
            """,
        ),
        Right(
            "with-an-assert",
            """
            def split_heads(x, num_heads):
                b, num_tokens, d_out = x.shape
                assert d_out % num_heads == 0, "d_out must be divisible by num_heads"
                x = x.view(b, num_tokens, num_heads, d_out // num_heads)
                x = torch.swapaxes(x, 1, 2)
                return x
            """,
        ),
    ),
)

BUG_VIEW = Mutants(
    wrong=(
        Wrong(
            "as-given",
            """
            class CausalHeads(nn.Module):
                def __init__(self, d_in, d_out, context_length, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=False)
                    self.W_key = nn.Linear(d_in, d_out, bias=False)
                    self.W_value = nn.Linear(d_in, d_out, bias=False)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1).bool())

                def forward(self, x):
                    b, num_tokens, _ = x.shape
                    queries = self.W_query(x).view(b, self.num_heads, num_tokens, self.head_dim)
                    keys = self.W_key(x).view(b, self.num_heads, num_tokens, self.head_dim)
                    values = self.W_value(x).view(b, self.num_heads, num_tokens, self.head_dim)
                    scores = queries @ keys.transpose(2, 3)  # (b, heads, tokens, tokens)
                    scores = scores.masked_fill(self.mask[:num_tokens, :num_tokens], -torch.inf)
                    weights = torch.softmax(scores / self.head_dim**0.5, dim=-1)  # (b, heads, tokens, tokens)
                    context = (weights @ values).transpose(1, 2)  # (b, tokens, heads, head_dim)
                    return context.reshape(b, num_tokens, -1)  # (b, tokens, d_out)
            """,
            NAMED,
            says=r"transpose|view",
        ),
        Wrong(
            "queries-mended-only",
            """
            class CausalHeads(nn.Module):
                def __init__(self, d_in, d_out, context_length, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=False)
                    self.W_key = nn.Linear(d_in, d_out, bias=False)
                    self.W_value = nn.Linear(d_in, d_out, bias=False)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1).bool())

                def forward(self, x):
                    b, num_tokens, _ = x.shape
                    queries = self.W_query(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    keys = self.W_key(x).view(b, self.num_heads, num_tokens, self.head_dim)
                    values = self.W_value(x).view(b, self.num_heads, num_tokens, self.head_dim)
                    scores = queries @ keys.transpose(2, 3)  # (b, heads, tokens, tokens)
                    scores = scores.masked_fill(self.mask[:num_tokens, :num_tokens], -torch.inf)
                    weights = torch.softmax(scores / self.head_dim**0.5, dim=-1)  # (b, heads, tokens, tokens)
                    context = (weights @ values).transpose(1, 2)  # (b, tokens, heads, head_dim)
                    return context.reshape(b, num_tokens, -1)  # (b, tokens, d_out)
            """,
            RULE + BEHAVIOUR + VALUES + NAMED,
        ),
        Wrong(
            "queries-and-keys-mended",
            """
            class CausalHeads(nn.Module):
                def __init__(self, d_in, d_out, context_length, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=False)
                    self.W_key = nn.Linear(d_in, d_out, bias=False)
                    self.W_value = nn.Linear(d_in, d_out, bias=False)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1).bool())

                def forward(self, x):
                    b, num_tokens, _ = x.shape
                    queries = self.W_query(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    keys = self.W_key(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = self.W_value(x).view(b, self.num_heads, num_tokens, self.head_dim)
                    scores = queries @ keys.transpose(2, 3)  # (b, heads, tokens, tokens)
                    scores = scores.masked_fill(self.mask[:num_tokens, :num_tokens], -torch.inf)
                    weights = torch.softmax(scores / self.head_dim**0.5, dim=-1)  # (b, heads, tokens, tokens)
                    context = (weights @ values).transpose(1, 2)  # (b, tokens, heads, head_dim)
                    return context.reshape(b, num_tokens, -1)  # (b, tokens, d_out)
            """,
            RULE + BEHAVIOUR + VALUES + NAMED,
        ),
        Wrong(
            "values-mended-only",
            """
            class CausalHeads(nn.Module):
                def __init__(self, d_in, d_out, context_length, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=False)
                    self.W_key = nn.Linear(d_in, d_out, bias=False)
                    self.W_value = nn.Linear(d_in, d_out, bias=False)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1).bool())

                def forward(self, x):
                    b, num_tokens, _ = x.shape
                    queries = self.W_query(x).view(b, self.num_heads, num_tokens, self.head_dim)
                    keys = self.W_key(x).view(b, self.num_heads, num_tokens, self.head_dim)
                    values = self.W_value(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    scores = queries @ keys.transpose(2, 3)  # (b, heads, tokens, tokens)
                    scores = scores.masked_fill(self.mask[:num_tokens, :num_tokens], -torch.inf)
                    weights = torch.softmax(scores / self.head_dim**0.5, dim=-1)  # (b, heads, tokens, tokens)
                    context = (weights @ values).transpose(1, 2)  # (b, tokens, heads, head_dim)
                    return context.reshape(b, num_tokens, -1)  # (b, tokens, d_out)
            """,
            RULE + BEHAVIOUR + VALUES + NAMED,
        ),
        Wrong(
            "view-mended-and-no-transpose",
            """
            class CausalHeads(nn.Module):
                def __init__(self, d_in, d_out, context_length, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=False)
                    self.W_key = nn.Linear(d_in, d_out, bias=False)
                    self.W_value = nn.Linear(d_in, d_out, bias=False)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1).bool())

                def forward(self, x):
                    b, num_tokens, _ = x.shape
                    queries = self.W_query(x).view(b, num_tokens, self.num_heads, self.head_dim)
                    keys = self.W_key(x).view(b, num_tokens, self.num_heads, self.head_dim)
                    values = self.W_value(x).view(b, num_tokens, self.num_heads, self.head_dim)
                    scores = queries @ keys.transpose(2, 3)  # (b, heads, tokens, tokens)
                    scores = scores.masked_fill(self.mask[:num_tokens, :num_tokens], -torch.inf)
                    weights = torch.softmax(scores / self.head_dim**0.5, dim=-1)  # (b, heads, tokens, tokens)
                    context = (weights @ values).transpose(1, 2)  # (b, tokens, heads, head_dim)
                    return context.reshape(b, num_tokens, -1)  # (b, tokens, d_out)
            """,
            RAISED + NAMED,
        ),
        Wrong(
            "transposed-after-the-wrong-view",
            """
            class CausalHeads(nn.Module):
                def __init__(self, d_in, d_out, context_length, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=False)
                    self.W_key = nn.Linear(d_in, d_out, bias=False)
                    self.W_value = nn.Linear(d_in, d_out, bias=False)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1).bool())

                def forward(self, x):
                    b, num_tokens, _ = x.shape
                    queries = self.W_query(x).view(b, self.num_heads, num_tokens, self.head_dim).transpose(1, 2)
                    keys = self.W_key(x).view(b, self.num_heads, num_tokens, self.head_dim).transpose(1, 2)
                    values = self.W_value(x).view(b, self.num_heads, num_tokens, self.head_dim).transpose(1, 2)
                    scores = queries @ keys.transpose(2, 3)  # (b, heads, tokens, tokens)
                    scores = scores.masked_fill(self.mask[:num_tokens, :num_tokens], -torch.inf)
                    weights = torch.softmax(scores / self.head_dim**0.5, dim=-1)  # (b, heads, tokens, tokens)
                    context = (weights @ values).transpose(1, 2)  # (b, tokens, heads, head_dim)
                    return context.reshape(b, num_tokens, -1)  # (b, tokens, d_out)
            """,
            RAISED + NAMED,
        ),
        Wrong(
            "transposed-there-and-back",
            """
            class CausalHeads(nn.Module):
                def __init__(self, d_in, d_out, context_length, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=False)
                    self.W_key = nn.Linear(d_in, d_out, bias=False)
                    self.W_value = nn.Linear(d_in, d_out, bias=False)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1).bool())

                def forward(self, x):
                    b, num_tokens, _ = x.shape
                    queries = self.W_query(x).view(b, self.num_heads, num_tokens, self.head_dim).transpose(1, 2).transpose(1, 2)
                    keys = self.W_key(x).view(b, self.num_heads, num_tokens, self.head_dim).transpose(1, 2).transpose(1, 2)
                    values = self.W_value(x).view(b, self.num_heads, num_tokens, self.head_dim).transpose(1, 2).transpose(1, 2)
                    scores = queries @ keys.transpose(2, 3)  # (b, heads, tokens, tokens)
                    scores = scores.masked_fill(self.mask[:num_tokens, :num_tokens], -torch.inf)
                    weights = torch.softmax(scores / self.head_dim**0.5, dim=-1)  # (b, heads, tokens, tokens)
                    context = (weights @ values).transpose(1, 2)  # (b, tokens, heads, head_dim)
                    return context.reshape(b, num_tokens, -1)  # (b, tokens, d_out)
            """,
            NAMED,
        ),
        Wrong(
            "reshape-instead-of-view",
            """
            class CausalHeads(nn.Module):
                def __init__(self, d_in, d_out, context_length, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=False)
                    self.W_key = nn.Linear(d_in, d_out, bias=False)
                    self.W_value = nn.Linear(d_in, d_out, bias=False)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1).bool())

                def forward(self, x):
                    b, num_tokens, _ = x.shape
                    queries = self.W_query(x).reshape(b, self.num_heads, num_tokens, self.head_dim)
                    keys = self.W_key(x).reshape(b, self.num_heads, num_tokens, self.head_dim)
                    values = self.W_value(x).reshape(b, self.num_heads, num_tokens, self.head_dim)
                    scores = queries @ keys.transpose(2, 3)  # (b, heads, tokens, tokens)
                    scores = scores.masked_fill(self.mask[:num_tokens, :num_tokens], -torch.inf)
                    weights = torch.softmax(scores / self.head_dim**0.5, dim=-1)  # (b, heads, tokens, tokens)
                    context = (weights @ values).transpose(1, 2)  # (b, tokens, heads, head_dim)
                    return context.reshape(b, num_tokens, -1)  # (b, tokens, d_out)
            """,
            NAMED,
        ),
        Wrong(
            "contiguous-added",
            """
            class CausalHeads(nn.Module):
                def __init__(self, d_in, d_out, context_length, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=False)
                    self.W_key = nn.Linear(d_in, d_out, bias=False)
                    self.W_value = nn.Linear(d_in, d_out, bias=False)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1).bool())

                def forward(self, x):
                    b, num_tokens, _ = x.shape
                    queries = self.W_query(x).contiguous().view(b, self.num_heads, num_tokens, self.head_dim)
                    keys = self.W_key(x).contiguous().view(b, self.num_heads, num_tokens, self.head_dim)
                    values = self.W_value(x).contiguous().view(b, self.num_heads, num_tokens, self.head_dim)
                    scores = queries @ keys.transpose(2, 3)  # (b, heads, tokens, tokens)
                    scores = scores.masked_fill(self.mask[:num_tokens, :num_tokens], -torch.inf)
                    weights = torch.softmax(scores / self.head_dim**0.5, dim=-1)  # (b, heads, tokens, tokens)
                    context = (weights @ values).transpose(1, 2)  # (b, tokens, heads, head_dim)
                    return context.reshape(b, num_tokens, -1)  # (b, tokens, d_out)
            """,
            NAMED,
        ),
        Wrong(
            "every-second-number",
            """
            class CausalHeads(nn.Module):
                def __init__(self, d_in, d_out, context_length, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=False)
                    self.W_key = nn.Linear(d_in, d_out, bias=False)
                    self.W_value = nn.Linear(d_in, d_out, bias=False)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1).bool())

                def forward(self, x):
                    b, num_tokens, _ = x.shape
                    queries = self.W_query(x).view(b, num_tokens, self.head_dim, self.num_heads).permute(0, 3, 1, 2)
                    keys = self.W_key(x).view(b, num_tokens, self.head_dim, self.num_heads).permute(0, 3, 1, 2)
                    values = self.W_value(x).view(b, num_tokens, self.head_dim, self.num_heads).permute(0, 3, 1, 2)
                    scores = queries @ keys.transpose(2, 3)  # (b, heads, tokens, tokens)
                    scores = scores.masked_fill(self.mask[:num_tokens, :num_tokens], -torch.inf)
                    weights = torch.softmax(scores / self.head_dim**0.5, dim=-1)  # (b, heads, tokens, tokens)
                    context = (weights @ values).transpose(1, 2)  # (b, tokens, heads, head_dim)
                    return context.reshape(b, num_tokens, -1)  # (b, tokens, d_out)
            """,
            VALUES + NAMED,
        ),
        Wrong(
            "symptom-hidden-by-the-mask",
            """
            class CausalHeads(nn.Module):
                def __init__(self, d_in, d_out, context_length, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=False)
                    self.W_key = nn.Linear(d_in, d_out, bias=False)
                    self.W_value = nn.Linear(d_in, d_out, bias=False)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1).bool())

                def forward(self, x):
                    b, num_tokens, _ = x.shape
                    queries = self.W_query(x).view(b, self.num_heads, num_tokens, self.head_dim)
                    keys = self.W_key(x).view(b, self.num_heads, num_tokens, self.head_dim)
                    values = self.W_value(x).view(b, self.num_heads, num_tokens, self.head_dim)
                    scores = queries @ keys.transpose(2, 3)  # (b, heads, tokens, tokens)
                    scores = scores.masked_fill(torch.triu(torch.ones(num_tokens, num_tokens), diagonal=-1).bool(), -torch.inf)
                    weights = torch.softmax(scores / self.head_dim**0.5, dim=-1)  # (b, heads, tokens, tokens)
                    context = (weights @ values).transpose(1, 2)  # (b, tokens, heads, head_dim)
                    return context.reshape(b, num_tokens, -1)  # (b, tokens, d_out)
            """,
            RULE + BEHAVIOUR + VALUES + NOT_FINITE,
        ),
        Wrong(
            "nan-hidden",
            """
            class CausalHeads(nn.Module):
                def __init__(self, d_in, d_out, context_length, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=False)
                    self.W_key = nn.Linear(d_in, d_out, bias=False)
                    self.W_value = nn.Linear(d_in, d_out, bias=False)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1).bool())

                def forward(self, x):
                    b, num_tokens, _ = x.shape
                    queries = self.W_query(x).view(b, self.num_heads, num_tokens, self.head_dim)
                    keys = self.W_key(x).view(b, self.num_heads, num_tokens, self.head_dim)
                    values = self.W_value(x).view(b, self.num_heads, num_tokens, self.head_dim)
                    mask = torch.triu(torch.ones(num_tokens, num_tokens), diagonal=0).bool()
                    scores = queries @ keys.transpose(2, 3)
                    scores = scores.masked_fill(mask, -torch.inf)
                    weights = torch.softmax(scores / self.head_dim**0.5, dim=-1).nan_to_num()
                    context = (weights @ values).transpose(1, 2)  # (b, tokens, heads, head_dim)
                    return context.reshape(b, num_tokens, -1)  # (b, tokens, d_out)
            """,
            RULE + BEHAVIOUR + VALUES,
        ),
        Wrong(
            "values-only-for-the-symptom",
            """
            class CausalHeads(nn.Module):
                def __init__(self, d_in, d_out, context_length, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=False)
                    self.W_key = nn.Linear(d_in, d_out, bias=False)
                    self.W_value = nn.Linear(d_in, d_out, bias=False)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1).bool())

                def forward(self, x):
                    b, num_tokens, _ = x.shape
                    queries = self.W_query(x).view(b, self.num_heads, num_tokens, self.head_dim)
                    keys = self.W_key(x).view(b, self.num_heads, num_tokens, self.head_dim)
                    values = self.W_value(x).view(b, self.num_heads, num_tokens, self.head_dim)
                    scores = queries @ keys.transpose(2, 3)  # (b, heads, tokens, tokens)
                    scores = scores.masked_fill(self.mask[:num_tokens, :num_tokens], -torch.inf)
                    weights = torch.softmax(scores / self.head_dim**0.5, dim=-1)  # (b, heads, tokens, tokens)
                    return self.W_value(x)
            """,
            VALUES + BEHAVIOUR,
            never=r"later token",
        ),
        Wrong(
            "nothing-depends-on-x",
            """
            class CausalHeads(nn.Module):
                def __init__(self, d_in, d_out, context_length, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=False)
                    self.W_key = nn.Linear(d_in, d_out, bias=False)
                    self.W_value = nn.Linear(d_in, d_out, bias=False)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1).bool())

                def forward(self, x):
                    b, num_tokens, _ = x.shape
                    queries = self.W_query(x).view(b, self.num_heads, num_tokens, self.head_dim)
                    keys = self.W_key(x).view(b, self.num_heads, num_tokens, self.head_dim)
                    values = self.W_value(x).view(b, self.num_heads, num_tokens, self.head_dim)
                    scores = queries @ keys.transpose(2, 3)  # (b, heads, tokens, tokens)
                    scores = scores.masked_fill(self.mask[:num_tokens, :num_tokens], -torch.inf)
                    weights = torch.softmax(scores / self.head_dim**0.5, dim=-1)  # (b, heads, tokens, tokens)
                    return torch.zeros(b, num_tokens, self.num_heads * self.head_dim)
            """,
            VALUES + BEHAVIOUR,
        ),
        Wrong(
            "last-token-detected-and-zeroed",
            """
            class CausalHeads(nn.Module):
                def __init__(self, d_in, d_out, context_length, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=False)
                    self.W_key = nn.Linear(d_in, d_out, bias=False)
                    self.W_value = nn.Linear(d_in, d_out, bias=False)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1).bool())

                def forward(self, x):
                    b, num_tokens, _ = x.shape
                    queries = self.W_query(x).view(b, self.num_heads, num_tokens, self.head_dim)
                    keys = self.W_key(x).view(b, self.num_heads, num_tokens, self.head_dim)
                    values = self.W_value(x).view(b, self.num_heads, num_tokens, self.head_dim)
                    scores = queries @ keys.transpose(2, 3)  # (b, heads, tokens, tokens)
                    scores = scores.masked_fill(self.mask[:num_tokens, :num_tokens], -torch.inf)
                    weights = torch.softmax(scores / self.head_dim**0.5, dim=-1)  # (b, heads, tokens, tokens)
                    context = (weights @ values).transpose(1, 2)  # (b, tokens, heads, head_dim)
                    out = context.reshape(b, num_tokens, -1)
                    out[:, -2] = 0
                    return out  # (b, tokens, d_out)
            """,
            VALUES + RULE + BEHAVIOUR,
        ),
        Wrong(
            "sizes-of-the-example",
            """
            class CausalHeads(nn.Module):
                def __init__(self, d_in, d_out, context_length, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=False)
                    self.W_key = nn.Linear(d_in, d_out, bias=False)
                    self.W_value = nn.Linear(d_in, d_out, bias=False)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1).bool())

                def forward(self, x):
                    b, num_tokens, _ = x.shape
                    queries = self.W_query(x).view(2, 6, 2, 2).transpose(1, 2)
                    keys = self.W_key(x).view(2, 6, 2, 2).transpose(1, 2)
                    values = self.W_value(x).view(2, 6, 2, 2).transpose(1, 2)
                    scores = queries @ keys.transpose(2, 3)  # (b, heads, tokens, tokens)
                    scores = scores.masked_fill(self.mask[:num_tokens, :num_tokens], -torch.inf)
                    weights = torch.softmax(scores / self.head_dim**0.5, dim=-1)  # (b, heads, tokens, tokens)
                    context = (weights @ values).transpose(1, 2)  # (b, tokens, heads, head_dim)
                    return context.reshape(b, num_tokens, -1)  # (b, tokens, d_out)
            """,
            RAISED + BEHAVIOUR,
        ),
        Wrong(
            "mask-lost",
            """
            class CausalHeads(nn.Module):
                def __init__(self, d_in, d_out, context_length, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=False)
                    self.W_key = nn.Linear(d_in, d_out, bias=False)
                    self.W_value = nn.Linear(d_in, d_out, bias=False)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1).bool())

                def forward(self, x):
                    b, num_tokens, _ = x.shape
                    queries = self.W_query(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    keys = self.W_key(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = self.W_value(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    scores = queries @ keys.transpose(2, 3)
                    weights = torch.softmax(scores / self.head_dim**0.5, dim=-1)
                    context = (weights @ values).transpose(1, 2)  # (b, tokens, heads, head_dim)
                    return context.reshape(b, num_tokens, -1)  # (b, tokens, d_out)
            """,
            RULE + BEHAVIOUR + VALUES + NAMED,
        ),
        Wrong(
            "mask-result-discarded",
            """
            class CausalHeads(nn.Module):
                def __init__(self, d_in, d_out, context_length, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=False)
                    self.W_key = nn.Linear(d_in, d_out, bias=False)
                    self.W_value = nn.Linear(d_in, d_out, bias=False)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1).bool())

                def forward(self, x):
                    b, num_tokens, _ = x.shape
                    queries = self.W_query(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    keys = self.W_key(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = self.W_value(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    scores = queries @ keys.transpose(2, 3)
                    scores.masked_fill(self.mask[:num_tokens, :num_tokens], -torch.inf)
                    weights = torch.softmax(scores / self.head_dim**0.5, dim=-1)
                    context = (weights @ values).transpose(1, 2)  # (b, tokens, heads, head_dim)
                    return context.reshape(b, num_tokens, -1)  # (b, tokens, d_out)
            """,
            RULE + BEHAVIOUR + VALUES + NAMED,
        ),
        Wrong(
            "merged-without-transposing",
            """
            class CausalHeads(nn.Module):
                def __init__(self, d_in, d_out, context_length, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=False)
                    self.W_key = nn.Linear(d_in, d_out, bias=False)
                    self.W_value = nn.Linear(d_in, d_out, bias=False)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1).bool())

                def forward(self, x):
                    b, num_tokens, _ = x.shape
                    queries = self.W_query(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    keys = self.W_key(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = self.W_value(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    scores = queries @ keys.transpose(2, 3)  # (b, heads, tokens, tokens)
                    scores = scores.masked_fill(self.mask[:num_tokens, :num_tokens], -torch.inf)
                    weights = torch.softmax(scores / self.head_dim**0.5, dim=-1)  # (b, heads, tokens, tokens)
                    return (weights @ values).reshape(b, num_tokens, -1)
            """,
            VALUES + RULE + BEHAVIOUR + NAMED,
        ),
        Wrong(
            "scaled-by-d-out",
            """
            class CausalHeads(nn.Module):
                def __init__(self, d_in, d_out, context_length, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=False)
                    self.W_key = nn.Linear(d_in, d_out, bias=False)
                    self.W_value = nn.Linear(d_in, d_out, bias=False)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1).bool())

                def forward(self, x):
                    b, num_tokens, _ = x.shape
                    queries = self.W_query(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    keys = self.W_key(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = self.W_value(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    scores = queries @ keys.transpose(2, 3)  # (b, heads, tokens, tokens)
                    scores = scores.masked_fill(self.mask[:num_tokens, :num_tokens], -torch.inf)
                    weights = torch.softmax(scores / (self.head_dim * self.num_heads)**0.5, dim=-1)  # (b, heads, tokens, tokens)
                    context = (weights @ values).transpose(1, 2)  # (b, tokens, heads, head_dim)
                    return context.reshape(b, num_tokens, -1)  # (b, tokens, d_out)
            """,
            VALUES + NAMED + BEHAVIOUR,
        ),
        Wrong(
            "softmax-over-the-heads",
            """
            class CausalHeads(nn.Module):
                def __init__(self, d_in, d_out, context_length, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=False)
                    self.W_key = nn.Linear(d_in, d_out, bias=False)
                    self.W_value = nn.Linear(d_in, d_out, bias=False)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1).bool())

                def forward(self, x):
                    b, num_tokens, _ = x.shape
                    queries = self.W_query(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    keys = self.W_key(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = self.W_value(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    scores = queries @ keys.transpose(2, 3)  # (b, heads, tokens, tokens)
                    scores = scores.masked_fill(self.mask[:num_tokens, :num_tokens], -torch.inf)
                    weights = torch.softmax(scores / self.head_dim**0.5, dim=1)  # (b, heads, tokens, tokens)
                    context = (weights @ values).transpose(1, 2)  # (b, tokens, heads, head_dim)
                    return context.reshape(b, num_tokens, -1)  # (b, tokens, d_out)
            """,
            BEHAVIOUR,
        ),
        Wrong(
            "output-projection-added",
            """
            class CausalHeads(nn.Module):
                def __init__(self, d_in, d_out, context_length, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=False)
                    self.W_key = nn.Linear(d_in, d_out, bias=False)
                    self.W_value = nn.Linear(d_in, d_out, bias=False)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1).bool())
                    self.out_proj = nn.Linear(d_out, d_out)

                def forward(self, x):
                    b, num_tokens, _ = x.shape
                    queries = self.W_query(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    keys = self.W_key(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = self.W_value(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    scores = queries @ keys.transpose(2, 3)  # (b, heads, tokens, tokens)
                    scores = scores.masked_fill(self.mask[:num_tokens, :num_tokens], -torch.inf)
                    weights = torch.softmax(scores / self.head_dim**0.5, dim=-1)  # (b, heads, tokens, tokens)
                    return self.out_proj((weights @ values).transpose(1, 2).reshape(b, num_tokens, -1))
            """,
            PARAMETERS,
            says=r"out_proj",
        ),
        Wrong(
            "one-head-after-all",
            """
            class CausalHeads(CausalAttention):
                def __init__(self, d_in, d_out, context_length, num_heads):
                    super().__init__(d_in, d_out, context_length, 0.0)
            """,
            VALUES + NAMED + BEHAVIOUR,
        ),
        Wrong(
            "wrapper-in-its-place",
            """
            class CausalHeads(MultiHeadAttentionWrapper):
                def __init__(self, d_in, d_out, context_length, num_heads):
                    super().__init__(d_in, d_out // num_heads, context_length, 0.0, num_heads)
            """,
            PARAMETERS,
        ),
        Wrong(
            "split-heads-with-head-dim",
            """
            class CausalHeads(nn.Module):
                def __init__(self, d_in, d_out, context_length, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=False)
                    self.W_key = nn.Linear(d_in, d_out, bias=False)
                    self.W_value = nn.Linear(d_in, d_out, bias=False)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1).bool())

                def forward(self, x):
                    b, num_tokens, _ = x.shape
                    queries = split_heads(self.W_query(x), self.head_dim)
                    keys = split_heads(self.W_key(x), self.head_dim)
                    values = split_heads(self.W_value(x), self.head_dim)
                    scores = queries @ keys.transpose(2, 3)  # (b, heads, tokens, tokens)
                    scores = scores.masked_fill(self.mask[:num_tokens, :num_tokens], -torch.inf)
                    weights = torch.softmax(scores / self.head_dim**0.5, dim=-1)  # (b, heads, tokens, tokens)
                    context = (weights @ values).transpose(1, 2)  # (b, tokens, heads, head_dim)
                    return context.reshape(b, num_tokens, -1)  # (b, tokens, d_out)
            """,
            VALUES + NAMED + BEHAVIOUR,
            keeps=1,
        ),
        Wrong(
            "changed-outside-the-class",
            """
            class CausalHeads(nn.Module):
                def __init__(self, d_in, d_out, context_length, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=False)
                    self.W_key = nn.Linear(d_in, d_out, bias=False)
                    self.W_value = nn.Linear(d_in, d_out, bias=False)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1).bool())

                def forward(self, x):
                    b, num_tokens, _ = x.shape
                    queries = self.W_query(x).view(b, self.num_heads, num_tokens, self.head_dim)
                    keys = self.W_key(x).view(b, self.num_heads, num_tokens, self.head_dim)
                    values = self.W_value(x).view(b, self.num_heads, num_tokens, self.head_dim)
                    scores = queries @ keys.transpose(2, 3)  # (b, heads, tokens, tokens)
                    scores = scores.masked_fill(self.mask[:num_tokens, :num_tokens], -torch.inf)
                    weights = torch.softmax(scores / self.head_dim**0.5, dim=-1)  # (b, heads, tokens, tokens)
                    context = (weights @ values).transpose(1, 2)  # (b, tokens, heads, head_dim)
                    return context.reshape(b, num_tokens, -1)  # (b, tokens, d_out)

            changed = [5]
            print(['step'])
            """,
            NAMED,
        ),
        Wrong(
            "class-deleted",
            """
            changed = [5]
            """,
            MISSING,
        ),
        Wrong(
            "mask-as-tril",
            """
            class CausalHeads(nn.Module):
                def __init__(self, d_in, d_out, context_length, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=False)
                    self.W_key = nn.Linear(d_in, d_out, bias=False)
                    self.W_value = nn.Linear(d_in, d_out, bias=False)
                    self.register_buffer("mask", torch.tril(torch.ones(context_length, context_length), diagonal=-1).bool())

                def forward(self, x):
                    b, num_tokens, _ = x.shape
                    queries = self.W_query(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    keys = self.W_key(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = self.W_value(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    scores = queries @ keys.transpose(2, 3)  # (b, heads, tokens, tokens)
                    scores = scores.masked_fill(self.mask[:num_tokens, :num_tokens], -torch.inf)
                    weights = torch.softmax(scores / self.head_dim**0.5, dim=-1)  # (b, heads, tokens, tokens)
                    context = (weights @ values).transpose(1, 2)  # (b, tokens, heads, head_dim)
                    return context.reshape(b, num_tokens, -1)  # (b, tokens, d_out)
            """,
            RULE + BEHAVIOUR + VALUES + NAMED,
        ),
        Wrong(
            "values-made-of-the-keys",
            """
            class CausalHeads(nn.Module):
                def __init__(self, d_in, d_out, context_length, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=False)
                    self.W_key = nn.Linear(d_in, d_out, bias=False)
                    self.W_value = nn.Linear(d_in, d_out, bias=False)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1).bool())

                def forward(self, x):
                    b, num_tokens, _ = x.shape
                    queries = self.W_query(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    keys = self.W_key(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = self.W_key(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    scores = queries @ keys.transpose(2, 3)  # (b, heads, tokens, tokens)
                    scores = scores.masked_fill(self.mask[:num_tokens, :num_tokens], -torch.inf)
                    weights = torch.softmax(scores / self.head_dim**0.5, dim=-1)  # (b, heads, tokens, tokens)
                    context = (weights @ values).transpose(1, 2)  # (b, tokens, heads, head_dim)
                    return context.reshape(b, num_tokens, -1)  # (b, tokens, d_out)
            """,
            VALUES + NAMED + BEHAVIOUR,
        ),
    ),
    right=(
        Right(
            "as-in-the-recap",
            """
            class CausalHeads(nn.Module):
                def __init__(self, d_in, d_out, context_length, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=False)
                    self.W_key = nn.Linear(d_in, d_out, bias=False)
                    self.W_value = nn.Linear(d_in, d_out, bias=False)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1).bool())

                def forward(self, x):
                    b, num_tokens, _ = x.shape
                    queries = self.W_query(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    keys = self.W_key(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = self.W_value(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    scores = queries @ keys.transpose(2, 3)  # (b, heads, tokens, tokens)
                    scores = scores.masked_fill(self.mask[:num_tokens, :num_tokens], -torch.inf)
                    weights = torch.softmax(scores / self.head_dim**0.5, dim=-1)  # (b, heads, tokens, tokens)
                    context = (weights @ values).transpose(1, 2)  # (b, tokens, heads, head_dim)
                    return context.reshape(b, num_tokens, -1)  # (b, tokens, d_out)
            """,
        ),
        Right(
            "own-split-heads",
            """
            class CausalHeads(nn.Module):
                def __init__(self, d_in, d_out, context_length, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=False)
                    self.W_key = nn.Linear(d_in, d_out, bias=False)
                    self.W_value = nn.Linear(d_in, d_out, bias=False)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1).bool())

                def forward(self, x):
                    b, num_tokens, _ = x.shape
                    queries = split_heads(self.W_query(x), self.num_heads)
                    keys = split_heads(self.W_key(x), self.num_heads)
                    values = split_heads(self.W_value(x), self.num_heads)
                    scores = queries @ keys.transpose(2, 3)  # (b, heads, tokens, tokens)
                    scores = scores.masked_fill(self.mask[:num_tokens, :num_tokens], -torch.inf)
                    weights = torch.softmax(scores / self.head_dim**0.5, dim=-1)  # (b, heads, tokens, tokens)
                    context = (weights @ values).transpose(1, 2)  # (b, tokens, heads, head_dim)
                    return context.reshape(b, num_tokens, -1)  # (b, tokens, d_out)
            """,
        ),
        Right(
            "loop-with-names",
            """
            class CausalHeads(nn.Module):
                def __init__(self, d_in, d_out, context_length, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=False)
                    self.W_key = nn.Linear(d_in, d_out, bias=False)
                    self.W_value = nn.Linear(d_in, d_out, bias=False)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1).bool())

                def forward(self, x):
                    b, num_tokens, _ = x.shape
                    queries, keys, values = [
                        layer(x).unflatten(-1, (self.num_heads, self.head_dim)).permute(0, 2, 1, 3)
                        for layer in (self.W_query, self.W_key, self.W_value)
                    ]
                    scores = queries @ keys.transpose(2, 3)  # (b, heads, tokens, tokens)
                    scores = scores.masked_fill(self.mask[:num_tokens, :num_tokens], -torch.inf)
                    weights = torch.softmax(scores / self.head_dim**0.5, dim=-1)  # (b, heads, tokens, tokens)
                    context = (weights @ values).transpose(1, 2)  # (b, tokens, heads, head_dim)
                    return context.reshape(b, num_tokens, -1)  # (b, tokens, d_out)
            """,
        ),
        Right(
            "tokens-stay-in-front",
            """
            class CausalHeads(nn.Module):
                def __init__(self, d_in, d_out, context_length, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=False)
                    self.W_key = nn.Linear(d_in, d_out, bias=False)
                    self.W_value = nn.Linear(d_in, d_out, bias=False)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1).bool())

                def forward(self, x):
                    b, num_tokens, _ = x.shape
                    q = self.W_query(x).view(b, num_tokens, self.num_heads, self.head_dim)
                    k = self.W_key(x).view(b, num_tokens, self.num_heads, self.head_dim)
                    v = self.W_value(x).view(b, num_tokens, self.num_heads, self.head_dim)
                    scores = torch.einsum("bqhd,bkhd->bhqk", q, k) / self.head_dim**0.5
                    scores = scores.masked_fill(self.mask[:num_tokens, :num_tokens], float("-inf"))
                    weights = scores.softmax(-1)
                    return torch.einsum("bhqk,bkhd->bqhd", weights, v).flatten(2)
            """,
        ),
        Right(
            "fused-attention",
            """
            class CausalHeads(nn.Module):
                def __init__(self, d_in, d_out, context_length, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=False)
                    self.W_key = nn.Linear(d_in, d_out, bias=False)
                    self.W_value = nn.Linear(d_in, d_out, bias=False)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1).bool())

                def forward(self, x):
                    b, num_tokens, _ = x.shape
                    queries = self.W_query(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    keys = self.W_key(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = self.W_value(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    from torch.nn import functional as F
                    out = F.scaled_dot_product_attention(queries, keys, values, is_causal=True)
                    return out.transpose(1, 2).reshape(b, num_tokens, -1)
            """,
        ),
        Right(
            "fused-attention-with-the-mask",
            """
            class CausalHeads(nn.Module):
                def __init__(self, d_in, d_out, context_length, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=False)
                    self.W_key = nn.Linear(d_in, d_out, bias=False)
                    self.W_value = nn.Linear(d_in, d_out, bias=False)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1).bool())

                def forward(self, x):
                    b, num_tokens, _ = x.shape
                    queries = self.W_query(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    keys = self.W_key(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = self.W_value(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)

                    allowed = ~self.mask[:num_tokens, :num_tokens]
                    out = nn.functional.scaled_dot_product_attention(queries, keys, values, attn_mask=allowed)
                    return out.transpose(1, 2).contiguous().view(b, num_tokens, -1)
            """,
        ),
        Right(
            "helper-method",
            """
            class CausalHeads(nn.Module):
                def __init__(self, d_in, d_out, context_length, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=False)
                    self.W_key = nn.Linear(d_in, d_out, bias=False)
                    self.W_value = nn.Linear(d_in, d_out, bias=False)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1).bool())

                def forward(self, x):
                    b, num_tokens, _ = x.shape
                    queries, keys, values = map(self.split, (self.W_query(x), self.W_key(x), self.W_value(x)))
                    scores = queries @ keys.transpose(2, 3)  # (b, heads, tokens, tokens)
                    scores = scores.masked_fill(self.mask[:num_tokens, :num_tokens], -torch.inf)
                    weights = torch.softmax(scores / self.head_dim**0.5, dim=-1)  # (b, heads, tokens, tokens)
                    context = (weights @ values).transpose(1, 2)  # (b, tokens, heads, head_dim)
                    return context.reshape(b, num_tokens, -1)  # (b, tokens, d_out)

                def split(self, t):
                    return torch.stack(t.chunk(self.num_heads, dim=-1), dim=1)
            """,
        ),
        Right(
            "loop-over-heads",
            """
            class CausalHeads(nn.Module):
                def __init__(self, d_in, d_out, context_length, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=False)
                    self.W_key = nn.Linear(d_in, d_out, bias=False)
                    self.W_value = nn.Linear(d_in, d_out, bias=False)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1).bool())

                def forward(self, x):
                    b, num_tokens, _ = x.shape
                    q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
                    out = []
                    for h in range(self.num_heads):
                        piece = slice(h * self.head_dim, (h + 1) * self.head_dim)
                        s = q[..., piece] @ k[..., piece].transpose(1, 2) / self.head_dim**0.5
                        s = s + torch.where(self.mask[:num_tokens, :num_tokens], -1e9, 0.0)
                        out.append(torch.softmax(s, dim=-1) @ v[..., piece])
                    return torch.cat(out, dim=-1)
            """,
        ),
        Right(
            "transposed-before-cutting",
            """
            class CausalHeads(nn.Module):
                def __init__(self, d_in, d_out, context_length, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=False)
                    self.W_key = nn.Linear(d_in, d_out, bias=False)
                    self.W_value = nn.Linear(d_in, d_out, bias=False)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1).bool())

                def forward(self, x):
                    b, num_tokens, _ = x.shape
                    queries = self.W_query(x).transpose(1, 2).reshape(b, self.num_heads, self.head_dim, num_tokens)
                    queries = queries.transpose(2, 3)
                    keys = self.W_key(x).transpose(1, 2).reshape(b, self.num_heads, self.head_dim, num_tokens)
                    keys = keys.transpose(2, 3)
                    values = self.W_value(x).transpose(1, 2).reshape(b, self.num_heads, self.head_dim, num_tokens)
                    values = values.transpose(2, 3)
                    scores = queries @ keys.transpose(2, 3)  # (b, heads, tokens, tokens)
                    scores = scores.masked_fill(self.mask[:num_tokens, :num_tokens], -torch.inf)
                    weights = torch.softmax(scores / self.head_dim**0.5, dim=-1)  # (b, heads, tokens, tokens)
                    context = (weights @ values).transpose(1, 2)  # (b, tokens, heads, head_dim)
                    return context.reshape(b, num_tokens, -1)  # (b, tokens, d_out)
            """,
        ),
        Right(
            "mended-by-inheriting",
            """
            class CausalHeads(nn.Module):
                def __init__(self, d_in, d_out, context_length, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=False)
                    self.W_key = nn.Linear(d_in, d_out, bias=False)
                    self.W_value = nn.Linear(d_in, d_out, bias=False)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1).bool())

                def forward(self, x):
                    b, num_tokens, _ = x.shape
                    queries = self.W_query(x).view(b, self.num_heads, num_tokens, self.head_dim)
                    keys = self.W_key(x).view(b, self.num_heads, num_tokens, self.head_dim)
                    values = self.W_value(x).view(b, self.num_heads, num_tokens, self.head_dim)
                    scores = queries @ keys.transpose(2, 3)  # (b, heads, tokens, tokens)
                    scores = scores.masked_fill(self.mask[:num_tokens, :num_tokens], -torch.inf)
                    weights = torch.softmax(scores / self.head_dim**0.5, dim=-1)  # (b, heads, tokens, tokens)
                    context = (weights @ values).transpose(1, 2)  # (b, tokens, heads, head_dim)
                    return context.reshape(b, num_tokens, -1)  # (b, tokens, d_out)


            _Faulty = CausalHeads

            class CausalHeads(_Faulty):
                def forward(self, x):
                    b, n, _ = x.shape
                    cut = lambda t: t.view(b, n, self.num_heads, -1).transpose(1, 2)
                    q, k, v = cut(self.W_query(x)), cut(self.W_key(x)), cut(self.W_value(x))
                    scores = q @ k.mT / self.head_dim**0.5
                    scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
                    return (scores.softmax(-1) @ v).transpose(1, 2).flatten(2)
            """,
        ),
    ),
)

MERGE_HEADS = Mutants(
    wrong=(
        Wrong(
            "view-without-transpose",
            """
            def merge_heads(context):
                b, heads, tokens, head_dim = context.shape
                return context.view(b, tokens, heads * head_dim)
            """,
            NAMED + RAISED,
        ),
        Wrong(
            "reshape-without-transpose",
            """
            def merge_heads(context):
                b, heads, tokens, head_dim = context.shape
                return context.reshape(b, tokens, heads * head_dim)
            """,
            NAMED,
        ),
        Wrong(
            "contiguous-and-no-transpose",
            """
            def merge_heads(context):
                b, heads, tokens, head_dim = context.shape
                return context.contiguous().view(b, tokens, -1)
            """,
            NAMED,
        ),
        Wrong(
            "contiguous-forgotten",
            """
            def merge_heads(context):
                b, heads, tokens, head_dim = context.shape
                return context.transpose(1, 2).view(b, tokens, heads * head_dim)
            """,
            RAISED,
            says=r"contiguous|reshape",
        ),
        Wrong(
            "contiguous-before-the-transpose",
            """
            def merge_heads(context):
                b, heads, tokens, head_dim = context.shape
                return context.contiguous().transpose(1, 2).view(b, tokens, heads * head_dim)
            """,
            RAISED,
            says=r"contiguous|reshape",
        ),
        Wrong(
            "contiguous-discarded",
            """
            def merge_heads(context):
                b, heads, tokens, head_dim = context.shape
                context = context.transpose(1, 2)
                context.contiguous()
                return context.view(b, tokens, heads * head_dim)
            """,
            RAISED,
            says=r"contiguous|reshape",
        ),
        Wrong(
            "last-axes-turned",
            """
            def merge_heads(context):
                b, heads, tokens, head_dim = context.shape
                return context.transpose(2, 3).reshape(b, tokens, heads * head_dim)
            """,
            NAMED + VALUES,
        ),
        Wrong(
            "head-dim-in-front-of-heads",
            """
            def merge_heads(context):
                b, heads, tokens, head_dim = context.shape
                return context.permute(0, 2, 3, 1).reshape(b, tokens, heads * head_dim)
            """,
            NAMED + VALUES,
        ),
        Wrong(
            "axes-one-and-three",
            """
            def merge_heads(context):
                b, heads, tokens, head_dim = context.shape
                return context.transpose(1, 3).reshape(b, tokens, -1)
            """,
            NAMED + VALUES,
        ),
        Wrong(
            "heads-added",
            """
            def merge_heads(context):
                return context.sum(dim=1)
            """,
            SHAPE + NAMED,
        ),
        Wrong(
            "heads-averaged",
            """
            def merge_heads(context):
                return context.mean(dim=1)
            """,
            SHAPE + NAMED,
        ),
        Wrong(
            "transposed-only",
            """
            def merge_heads(context):
                return context.transpose(1, 2)
            """,
            SHAPE + NAMED,
        ),
        Wrong(
            "names-swapped",
            """
            def merge_heads(context):
                b, tokens, heads, head_dim = context.shape
                return context.reshape(b, tokens, heads * head_dim)
            """,
            SHAPE + NAMED,
        ),
        Wrong(
            "names-swapped-and-transposed",
            """
            def merge_heads(context):
                b, tokens, heads, head_dim = context.shape
                return context.transpose(1, 2).reshape(b, tokens, heads * head_dim)
            """,
            SHAPE + NAMED,
        ),
        Wrong(
            "flattened-one-too-early",
            """
            def merge_heads(context):
                return context.transpose(1, 2).flatten(1)
            """,
            SHAPE,
        ),
        Wrong(
            "first-head-only",
            """
            def merge_heads(context):
                return context[:, 0]
            """,
            SHAPE + NAMED,
        ),
        Wrong(
            "joined-along-the-tokens",
            """
            def merge_heads(context):
                return torch.cat(context.unbind(1), dim=1)
            """,
            SHAPE + NAMED,
        ),
        Wrong(
            "heads-the-other-way-round",
            """
            def merge_heads(context):
                return torch.cat([h for h in context.flip(1).unbind(1)], dim=-1)
            """,
            NAMED,
        ),
        Wrong(
            "loop-over-the-batch-as-heads",
            """
            def merge_heads(context):
                return torch.cat([head for head in context], dim=-1)
            """,
            SHAPE,
        ),
        Wrong(
            "numbers-of-the-example",
            """
            def merge_heads(context):
                return context.transpose(1, 2).reshape(1, 3, 4)
            """,
            RAISED,
            keeps=1,
        ),
        Wrong(
            "two-heads-always",
            """
            def merge_heads(context):
                return torch.cat((context[:, 0], context[:, 1]), dim=-1)
            """,
            SHAPE + NAMED + RAISED,
            keeps=1,
        ),
        Wrong(
            "reads-numbered",
            """
            def merge_heads(context):
                b, tokens, d_out = numbered.shape
                return context.transpose(1, 2).reshape(b, tokens, d_out)
            """,
            RAISED,
            keeps=1,
        ),
        Wrong(
            "reads-d-out",
            """
            def merge_heads(context):
                b, heads, tokens, head_dim = context.shape
                return context.transpose(1, 2).reshape(b, tokens, d_out)
            """,
            RAISED,
        ),
        Wrong(
            "return-forgotten",
            """
            def merge_heads(context):
                b, heads, tokens, head_dim = context.shape
                context.transpose(1, 2).contiguous().view(b, tokens, heads * head_dim)
            """,
            TYPE,
        ),
        Wrong(
            "argument-turned-in-place",
            """
            def merge_heads(context):
                b, heads, tokens, head_dim = context.shape
                return context.transpose_(1, 2).reshape(b, tokens, heads * head_dim)
            """,
            RULE + BEHAVIOUR + VALUES,
        ),
        Wrong(
            "errors-hidden",
            """
            def merge_heads(context):
                b, heads, tokens, head_dim = context.shape
                try:
                    return context.transpose(1, 2).view(b, tokens, heads * head_dim)
                except RuntimeError:
                    return context.reshape(b, tokens, heads * head_dim)
            """,
            NAMED + VALUES,
        ),
        Wrong(
            "split-again",
            """
            def merge_heads(context):
                return split_heads(context, 2)
            """,
            RAISED,
        ),
        Wrong(
            "list",
            """
            def merge_heads(context):
                return context.transpose(1, 2).flatten(2).tolist()
            """,
            TYPE,
        ),
        Wrong(
            "left-as-it-was",
            """
            def merge_heads(context):
                ...
            """,
            STUB,
        ),
        Wrong(
            "misspelt",
            """
            def merge_head(context):
                return context.transpose(1, 2).flatten(2)
            """,
            MISSING,
            says=r"`merge_head`",
        ),
        Wrong(
            "sentences-mixed",
            """
            def merge_heads(context):
                b, heads, tokens, head_dim = context.shape
                return context.permute(2, 0, 1, 3).reshape(b, tokens, heads * head_dim)
            """,
            VALUES + NAMED + RULE + BEHAVIOUR,
            keeps=1,
        ),
        Wrong(
            "stacked-pieces",
            """
            def merge_heads(context):
                return torch.stack([h for h in context.unbind(1)], dim=-1).flatten(2)
            """,
            NAMED + VALUES,
        ),
    ),
    right=(
        Right(
            "flatten",
            """
            def merge_heads(context):
                return context.transpose(1, 2).flatten(2)
            """,
        ),
        Right(
            "reshape-minus-one",
            """
            def merge_heads(context):
                return context.transpose(1, 2).reshape(context.shape[0], context.shape[2], -1)
            """,
        ),
        Right(
            "cat",
            """
            merge_heads = lambda context: torch.cat(context.unbind(dim=1), dim=-1)
            """,
        ),
        Right(
            "hstack-of-heads",
            """
            def merge_heads(context):
                return torch.cat(tuple(context.movedim(1, 0)), 2)
            """,
        ),
        Right(
            "permute",
            """
            def merge_heads(context: torch.Tensor) -> torch.Tensor:
                B, H, T, D = context.size()
                context = context.permute(0, 2, 1, 3).contiguous()
                return context.view(B, T, H * D)
            """,
        ),
        Right(
            "slices",
            """
            def merge_heads(context):
                b, h, t, d = context.shape
                out = context.new_empty(b, t, h * d)
                for i in range(h):
                    out[:, :, i * d : (i + 1) * d] = context[:, i]
                return out
            """,
        ),
        Right(
            "turned-from-the-other-end",
            """
            def merge_heads(context):
                b, h, t, d = context.shape
                return context.transpose(-1, -2).reshape(b, h * d, t).transpose(1, 2)
            """,
        ),
        Right(
            "clone-and-view",
            """
            def merge_heads(context):
                b, h, t, d = context.shape
                return context.transpose(1, 2).clone(memory_format=torch.contiguous_format).view(b, t, h * d)
            """,
        ),
        Right(
            "loops",
            """
            def merge_heads(context):
                result = []
                for sentence in context:
                    rows = []
                    for i in range(sentence.shape[1]):
                        rows.append(torch.cat([head[i] for head in sentence]))
                    result.append(torch.stack(rows))
                return torch.stack(result)
            """,
        ),
        Right(
            "einsum",
            """
            def merge_heads(context):
                return torch.einsum("bhtd->bthd", context).flatten(-2)
            """,
        ),
    ),
)

BUG_MERGE = Mutants(
    wrong=(
        Wrong(
            "as-given",
            """
            class EncoderHeads(nn.Module):
                def __init__(self, d_in, d_out, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=False)
                    self.W_key = nn.Linear(d_in, d_out, bias=False)
                    self.W_value = nn.Linear(d_in, d_out, bias=False)
                    self.out_proj = nn.Linear(d_out, d_out)

                def forward(self, x):
                    b, num_tokens, _ = x.shape
                    queries = self.W_query(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    keys = self.W_key(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = self.W_value(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    scores = queries @ keys.transpose(2, 3)  # (b, heads, tokens, tokens)
                    weights = torch.softmax(scores / self.head_dim**0.5, dim=-1)  # (b, heads, tokens, tokens)
                    context = weights @ values  # (b, heads, tokens, head_dim)
                    context = context.reshape(b, num_tokens, -1)
                    return self.out_proj(context)
            """,
            NAMED,
            says=r"transpose|merge",
        ),
        Wrong(
            "contiguous-view",
            """
            class EncoderHeads(nn.Module):
                def __init__(self, d_in, d_out, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=False)
                    self.W_key = nn.Linear(d_in, d_out, bias=False)
                    self.W_value = nn.Linear(d_in, d_out, bias=False)
                    self.out_proj = nn.Linear(d_out, d_out)

                def forward(self, x):
                    b, num_tokens, _ = x.shape
                    queries = self.W_query(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    keys = self.W_key(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = self.W_value(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    scores = queries @ keys.transpose(2, 3)  # (b, heads, tokens, tokens)
                    weights = torch.softmax(scores / self.head_dim**0.5, dim=-1)  # (b, heads, tokens, tokens)
                    context = weights @ values  # (b, heads, tokens, head_dim)
                    context = context.contiguous().view(b, num_tokens, -1)
                    return self.out_proj(context)
            """,
            NAMED,
        ),
        Wrong(
            "other-axes-turned",
            """
            class EncoderHeads(nn.Module):
                def __init__(self, d_in, d_out, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=False)
                    self.W_key = nn.Linear(d_in, d_out, bias=False)
                    self.W_value = nn.Linear(d_in, d_out, bias=False)
                    self.out_proj = nn.Linear(d_out, d_out)

                def forward(self, x):
                    b, num_tokens, _ = x.shape
                    queries = self.W_query(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    keys = self.W_key(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = self.W_value(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    scores = queries @ keys.transpose(2, 3)  # (b, heads, tokens, tokens)
                    weights = torch.softmax(scores / self.head_dim**0.5, dim=-1)  # (b, heads, tokens, tokens)
                    context = weights @ values  # (b, heads, tokens, head_dim)
                    context = context.transpose(2, 3).reshape(b, num_tokens, -1)
                    return self.out_proj(context)
            """,
            RULE + BEHAVIOUR + VALUES + NAMED,
        ),
        Wrong(
            "axes-one-and-three",
            """
            class EncoderHeads(nn.Module):
                def __init__(self, d_in, d_out, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=False)
                    self.W_key = nn.Linear(d_in, d_out, bias=False)
                    self.W_value = nn.Linear(d_in, d_out, bias=False)
                    self.out_proj = nn.Linear(d_out, d_out)

                def forward(self, x):
                    b, num_tokens, _ = x.shape
                    queries = self.W_query(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    keys = self.W_key(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = self.W_value(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    scores = queries @ keys.transpose(2, 3)  # (b, heads, tokens, tokens)
                    weights = torch.softmax(scores / self.head_dim**0.5, dim=-1)  # (b, heads, tokens, tokens)
                    context = weights @ values  # (b, heads, tokens, head_dim)
                    context = context.permute(0, 2, 3, 1).reshape(b, num_tokens, -1)
                    return self.out_proj(context)
            """,
            VALUES + NAMED,
        ),
        Wrong(
            "transpose-discarded",
            """
            class EncoderHeads(nn.Module):
                def __init__(self, d_in, d_out, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=False)
                    self.W_key = nn.Linear(d_in, d_out, bias=False)
                    self.W_value = nn.Linear(d_in, d_out, bias=False)
                    self.out_proj = nn.Linear(d_out, d_out)

                def forward(self, x):
                    b, num_tokens, _ = x.shape
                    queries = self.W_query(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    keys = self.W_key(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = self.W_value(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    scores = queries @ keys.transpose(2, 3)  # (b, heads, tokens, tokens)
                    weights = torch.softmax(scores / self.head_dim**0.5, dim=-1)  # (b, heads, tokens, tokens)
                    context = weights @ values  # (b, heads, tokens, head_dim)
                    context.transpose(1, 2)
                    context = context.reshape(b, num_tokens, -1)
                    return self.out_proj(context)
            """,
            NAMED,
        ),
        Wrong(
            "transposed-after-the-reshape",
            """
            class EncoderHeads(nn.Module):
                def __init__(self, d_in, d_out, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=False)
                    self.W_key = nn.Linear(d_in, d_out, bias=False)
                    self.W_value = nn.Linear(d_in, d_out, bias=False)
                    self.out_proj = nn.Linear(d_out, d_out)

                def forward(self, x):
                    b, num_tokens, _ = x.shape
                    queries = self.W_query(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    keys = self.W_key(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = self.W_value(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    scores = queries @ keys.transpose(2, 3)  # (b, heads, tokens, tokens)
                    weights = torch.softmax(scores / self.head_dim**0.5, dim=-1)  # (b, heads, tokens, tokens)
                    context = weights @ values  # (b, heads, tokens, head_dim)
                    context = context.reshape(b, num_tokens, -1).transpose(1, 2)
                    return self.out_proj(context)
            """,
            RAISED + NAMED,
        ),
        Wrong(
            "view-after-the-transpose",
            """
            class EncoderHeads(nn.Module):
                def __init__(self, d_in, d_out, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=False)
                    self.W_key = nn.Linear(d_in, d_out, bias=False)
                    self.W_value = nn.Linear(d_in, d_out, bias=False)
                    self.out_proj = nn.Linear(d_out, d_out)

                def forward(self, x):
                    b, num_tokens, _ = x.shape
                    queries = self.W_query(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    keys = self.W_key(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = self.W_value(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    scores = queries @ keys.transpose(2, 3)  # (b, heads, tokens, tokens)
                    weights = torch.softmax(scores / self.head_dim**0.5, dim=-1)  # (b, heads, tokens, tokens)
                    context = weights @ values  # (b, heads, tokens, head_dim)
                    context = context.transpose(1, 2).view(b, num_tokens, -1)
                    return self.out_proj(context)
            """,
            RAISED,
            says=r"contiguous|reshape",
        ),
        Wrong(
            "projection-left-out",
            """
            class EncoderHeads(nn.Module):
                def __init__(self, d_in, d_out, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=False)
                    self.W_key = nn.Linear(d_in, d_out, bias=False)
                    self.W_value = nn.Linear(d_in, d_out, bias=False)
                    self.out_proj = nn.Linear(d_out, d_out)

                def forward(self, x):
                    b, num_tokens, _ = x.shape
                    queries = self.W_query(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    keys = self.W_key(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = self.W_value(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    scores = queries @ keys.transpose(2, 3)  # (b, heads, tokens, tokens)
                    weights = torch.softmax(scores / self.head_dim**0.5, dim=-1)  # (b, heads, tokens, tokens)
                    context = weights @ values  # (b, heads, tokens, head_dim)
                    return context.transpose(1, 2).reshape(b, num_tokens, -1)
            """,
            VALUES + NAMED + BEHAVIOUR,
        ),
        Wrong(
            "projection-twice",
            """
            class EncoderHeads(nn.Module):
                def __init__(self, d_in, d_out, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=False)
                    self.W_key = nn.Linear(d_in, d_out, bias=False)
                    self.W_value = nn.Linear(d_in, d_out, bias=False)
                    self.out_proj = nn.Linear(d_out, d_out)

                def forward(self, x):
                    b, num_tokens, _ = x.shape
                    queries = self.W_query(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    keys = self.W_key(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = self.W_value(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    scores = queries @ keys.transpose(2, 3)  # (b, heads, tokens, tokens)
                    weights = torch.softmax(scores / self.head_dim**0.5, dim=-1)  # (b, heads, tokens, tokens)
                    context = weights @ values  # (b, heads, tokens, head_dim)
                    context = self.out_proj(context.transpose(1, 2).reshape(b, num_tokens, -1))
                    return self.out_proj(context)
            """,
            VALUES + NAMED + BEHAVIOUR,
        ),
        Wrong(
            "heads-averaged",
            """
            class EncoderHeads(nn.Module):
                def __init__(self, d_in, d_out, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=False)
                    self.W_key = nn.Linear(d_in, d_out, bias=False)
                    self.W_value = nn.Linear(d_in, d_out, bias=False)
                    self.out_proj = nn.Linear(d_out, d_out)

                def forward(self, x):
                    b, num_tokens, _ = x.shape
                    queries = self.W_query(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    keys = self.W_key(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = self.W_value(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    scores = queries @ keys.transpose(2, 3)  # (b, heads, tokens, tokens)
                    weights = torch.softmax(scores / self.head_dim**0.5, dim=-1)  # (b, heads, tokens, tokens)
                    context = weights @ values  # (b, heads, tokens, head_dim)
                    return self.out_proj(context.mean(1).repeat(1, 1, self.num_heads))
            """,
            VALUES + NAMED + BEHAVIOUR,
        ),
        Wrong(
            "symptom-hidden-by-the-mean",
            """
            class EncoderHeads(nn.Module):
                def __init__(self, d_in, d_out, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=False)
                    self.W_key = nn.Linear(d_in, d_out, bias=False)
                    self.W_value = nn.Linear(d_in, d_out, bias=False)
                    self.out_proj = nn.Linear(d_out, d_out)

                def forward(self, x):
                    b, num_tokens, _ = x.shape
                    queries = self.W_query(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    keys = self.W_key(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = self.W_value(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    scores = queries @ keys.transpose(2, 3)  # (b, heads, tokens, tokens)
                    weights = torch.softmax(scores / self.head_dim**0.5, dim=-1)  # (b, heads, tokens, tokens)
                    context = weights @ values  # (b, heads, tokens, head_dim)
                    context = context.reshape(b, num_tokens, -1).mean(dim=1, keepdim=True)
                    return self.out_proj(context.expand(-1, num_tokens, -1))
            """,
            VALUES + NAMED + BEHAVIOUR + RULE,
        ),
        Wrong(
            "symptom-hidden-by-sorting",
            """
            class EncoderHeads(nn.Module):
                def __init__(self, d_in, d_out, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=False)
                    self.W_key = nn.Linear(d_in, d_out, bias=False)
                    self.W_value = nn.Linear(d_in, d_out, bias=False)
                    self.out_proj = nn.Linear(d_out, d_out)

                def forward(self, x):
                    b, num_tokens, _ = x.shape
                    queries = self.W_query(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    keys = self.W_key(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = self.W_value(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    scores = queries @ keys.transpose(2, 3)  # (b, heads, tokens, tokens)
                    weights = torch.softmax(scores / self.head_dim**0.5, dim=-1)  # (b, heads, tokens, tokens)
                    context = weights @ values  # (b, heads, tokens, head_dim)
                    order = x.sum(-1).argsort(dim=1)
                    context = context.reshape(b, num_tokens, -1)
                    context = context.gather(1, order[..., None].expand_as(context))
                    return self.out_proj(context)
            """,
            VALUES + RULE + BEHAVIOUR + NAMED,
        ),
        Wrong(
            "split-broken-as-well",
            """
            class EncoderHeads(nn.Module):
                def __init__(self, d_in, d_out, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=False)
                    self.W_key = nn.Linear(d_in, d_out, bias=False)
                    self.W_value = nn.Linear(d_in, d_out, bias=False)
                    self.out_proj = nn.Linear(d_out, d_out)

                def forward(self, x):
                    b, num_tokens, _ = x.shape
                    queries = self.W_query(x).view(b, self.num_heads, num_tokens, self.head_dim)
                    keys = self.W_key(x).view(b, self.num_heads, num_tokens, self.head_dim)
                    values = self.W_value(x).view(b, self.num_heads, num_tokens, self.head_dim)
                    scores = queries @ keys.transpose(2, 3)  # (b, heads, tokens, tokens)
                    weights = torch.softmax(scores / self.head_dim**0.5, dim=-1)  # (b, heads, tokens, tokens)
                    context = weights @ values  # (b, heads, tokens, head_dim)
                    return self.out_proj(context.reshape(b, num_tokens, -1))
            """,
            RULE + BEHAVIOUR + VALUES + NAMED,
        ),
        Wrong(
            "split-broken-merge-mended",
            """
            class EncoderHeads(nn.Module):
                def __init__(self, d_in, d_out, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=False)
                    self.W_key = nn.Linear(d_in, d_out, bias=False)
                    self.W_value = nn.Linear(d_in, d_out, bias=False)
                    self.out_proj = nn.Linear(d_out, d_out)

                def forward(self, x):
                    b, num_tokens, _ = x.shape
                    queries = self.W_query(x).view(b, self.num_heads, num_tokens, self.head_dim)
                    keys = self.W_key(x).view(b, self.num_heads, num_tokens, self.head_dim)
                    values = self.W_value(x).view(b, self.num_heads, num_tokens, self.head_dim)
                    scores = queries @ keys.transpose(2, 3)  # (b, heads, tokens, tokens)
                    weights = torch.softmax(scores / self.head_dim**0.5, dim=-1)  # (b, heads, tokens, tokens)
                    context = weights @ values  # (b, heads, tokens, head_dim)
                    context = context.transpose(1, 2).reshape(b, num_tokens, -1)
                    return self.out_proj(context)
            """,
            RULE + BEHAVIOUR + VALUES + NAMED,
        ),
        Wrong(
            "split-broken-to-match",
            """
            class EncoderHeads(nn.Module):
                def __init__(self, d_in, d_out, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=False)
                    self.W_key = nn.Linear(d_in, d_out, bias=False)
                    self.W_value = nn.Linear(d_in, d_out, bias=False)
                    self.out_proj = nn.Linear(d_out, d_out)

                def forward(self, x):
                    b, num_tokens, _ = x.shape
                    queries = self.W_query(x).view(b, num_tokens, self.num_heads, self.head_dim)
                    keys = self.W_key(x).view(b, num_tokens, self.num_heads, self.head_dim)
                    values = self.W_value(x).view(b, num_tokens, self.num_heads, self.head_dim)
                    scores = queries @ keys.transpose(2, 3)  # (b, heads, tokens, tokens)
                    weights = torch.softmax(scores / self.head_dim**0.5, dim=-1)  # (b, heads, tokens, tokens)
                    context = weights @ values  # (b, heads, tokens, head_dim)
                    return self.out_proj(context.reshape(b, num_tokens, -1))
            """,
            VALUES + NAMED + BEHAVIOUR,
        ),
        Wrong(
            "masked",
            """
            class EncoderHeads(nn.Module):
                def __init__(self, d_in, d_out, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=False)
                    self.W_key = nn.Linear(d_in, d_out, bias=False)
                    self.W_value = nn.Linear(d_in, d_out, bias=False)
                    self.out_proj = nn.Linear(d_out, d_out)

                def forward(self, x):
                    b, num_tokens, _ = x.shape
                    queries = self.W_query(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    keys = self.W_key(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = self.W_value(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    scores = queries @ keys.transpose(2, 3)
                    mask = torch.triu(torch.ones(num_tokens, num_tokens), diagonal=1).bool()
                    scores = scores.masked_fill(mask, -torch.inf)
                    context = torch.softmax(scores / self.head_dim**0.5, dim=-1) @ values
                    context = context.transpose(1, 2).reshape(b, num_tokens, -1)
                    return self.out_proj(context)
            """,
            RULE + BEHAVIOUR + VALUES + NAMED,
        ),
        Wrong(
            "softmax-over-queries",
            """
            class EncoderHeads(nn.Module):
                def __init__(self, d_in, d_out, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=False)
                    self.W_key = nn.Linear(d_in, d_out, bias=False)
                    self.W_value = nn.Linear(d_in, d_out, bias=False)
                    self.out_proj = nn.Linear(d_out, d_out)

                def forward(self, x):
                    b, num_tokens, _ = x.shape
                    queries = self.W_query(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    keys = self.W_key(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = self.W_value(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    scores = queries @ keys.transpose(2, 3)  # (b, heads, tokens, tokens)
                    weights = torch.softmax(scores / self.head_dim**0.5, dim=-2)  # (b, heads, tokens, tokens)
                    context = weights @ values  # (b, heads, tokens, head_dim)
                    context = context.transpose(1, 2).reshape(b, num_tokens, -1)
                    return self.out_proj(context)
            """,
            VALUES + NAMED + BEHAVIOUR,
        ),
        Wrong(
            "scale-lost",
            """
            class EncoderHeads(nn.Module):
                def __init__(self, d_in, d_out, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=False)
                    self.W_key = nn.Linear(d_in, d_out, bias=False)
                    self.W_value = nn.Linear(d_in, d_out, bias=False)
                    self.out_proj = nn.Linear(d_out, d_out)

                def forward(self, x):
                    b, num_tokens, _ = x.shape
                    queries = self.W_query(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    keys = self.W_key(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = self.W_value(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    scores = queries @ keys.transpose(2, 3)  # (b, heads, tokens, tokens)
                    weights = torch.softmax(scores, dim=-1)  # (b, heads, tokens, tokens)
                    context = weights @ values  # (b, heads, tokens, head_dim)
                    context = context.transpose(1, 2).reshape(b, num_tokens, -1)
                    return self.out_proj(context)
            """,
            VALUES + NAMED + BEHAVIOUR,
        ),
        Wrong(
            "sizes-of-the-example",
            """
            class EncoderHeads(nn.Module):
                def __init__(self, d_in, d_out, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=False)
                    self.W_key = nn.Linear(d_in, d_out, bias=False)
                    self.W_value = nn.Linear(d_in, d_out, bias=False)
                    self.out_proj = nn.Linear(d_out, d_out)

                def forward(self, x):
                    b, num_tokens, _ = x.shape
                    queries = self.W_query(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    keys = self.W_key(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = self.W_value(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    scores = queries @ keys.transpose(2, 3)  # (b, heads, tokens, tokens)
                    weights = torch.softmax(scores / self.head_dim**0.5, dim=-1)  # (b, heads, tokens, tokens)
                    context = weights @ values  # (b, heads, tokens, head_dim)
                    return self.out_proj(context.transpose(1, 2).reshape(1, 6, 4))
            """,
            RAISED + BEHAVIOUR,
        ),
        Wrong(
            "one-sentence-only",
            """
            class EncoderHeads(nn.Module):
                def __init__(self, d_in, d_out, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=False)
                    self.W_key = nn.Linear(d_in, d_out, bias=False)
                    self.W_value = nn.Linear(d_in, d_out, bias=False)
                    self.out_proj = nn.Linear(d_out, d_out)

                def forward(self, x):
                    b, num_tokens, _ = x.shape
                    queries = self.W_query(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    keys = self.W_key(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = self.W_value(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    scores = queries @ keys.transpose(2, 3)  # (b, heads, tokens, tokens)
                    weights = torch.softmax(scores / self.head_dim**0.5, dim=-1)  # (b, heads, tokens, tokens)
                    context = weights @ values  # (b, heads, tokens, head_dim)
                    context = torch.cat([context[0, h] for h in range(self.num_heads)], dim=-1)
                    return self.out_proj(context)[None]
            """,
            SHAPE + BEHAVIOUR + NAMED,
        ),
        Wrong(
            "projected-before-merging",
            """
            class EncoderHeads(nn.Module):
                def __init__(self, d_in, d_out, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=False)
                    self.W_key = nn.Linear(d_in, d_out, bias=False)
                    self.W_value = nn.Linear(d_in, d_out, bias=False)
                    self.out_proj = nn.Linear(d_out, d_out)

                def forward(self, x):
                    b, num_tokens, _ = x.shape
                    queries = self.W_query(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    keys = self.W_key(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = self.W_value(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    scores = queries @ keys.transpose(2, 3)  # (b, heads, tokens, tokens)
                    weights = torch.softmax(scores / self.head_dim**0.5, dim=-1)  # (b, heads, tokens, tokens)
                    context = weights @ values  # (b, heads, tokens, head_dim)
                    return self.out_proj(context).transpose(1, 2).reshape(b, num_tokens, -1)
            """,
            RAISED,
        ),
        Wrong(
            "symptom-rewritten",
            """
            class EncoderHeads(nn.Module):
                def __init__(self, d_in, d_out, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=False)
                    self.W_key = nn.Linear(d_in, d_out, bias=False)
                    self.W_value = nn.Linear(d_in, d_out, bias=False)
                    self.out_proj = nn.Linear(d_out, d_out)

                def forward(self, x):
                    b, num_tokens, _ = x.shape
                    queries = self.W_query(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    keys = self.W_key(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = self.W_value(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    scores = queries @ keys.transpose(2, 3)  # (b, heads, tokens, tokens)
                    weights = torch.softmax(scores / self.head_dim**0.5, dim=-1)  # (b, heads, tokens, tokens)
                    context = weights @ values  # (b, heads, tokens, head_dim)
                    context = context.reshape(b, num_tokens, -1)
                    return self.out_proj(context)

            same = True
            """,
            NAMED,
        ),
        Wrong(
            "bias-lost",
            """
            class EncoderHeads(nn.Module):
                def __init__(self, d_in, d_out, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=False)
                    self.W_key = nn.Linear(d_in, d_out, bias=False)
                    self.W_value = nn.Linear(d_in, d_out, bias=False)
                    self.out_proj = nn.Linear(d_out, d_out, bias=False)

                def forward(self, x):
                    b, num_tokens, _ = x.shape
                    queries = self.W_query(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    keys = self.W_key(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = self.W_value(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    scores = queries @ keys.transpose(2, 3)  # (b, heads, tokens, tokens)
                    weights = torch.softmax(scores / self.head_dim**0.5, dim=-1)  # (b, heads, tokens, tokens)
                    context = weights @ values  # (b, heads, tokens, head_dim)
                    context = context.transpose(1, 2).reshape(b, num_tokens, -1)
                    return self.out_proj(context)
            """,
            PARAMETERS,
        ),
        Wrong(
            "merge-heads-after-transpose",
            """
            class EncoderHeads(nn.Module):
                def __init__(self, d_in, d_out, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=False)
                    self.W_key = nn.Linear(d_in, d_out, bias=False)
                    self.W_value = nn.Linear(d_in, d_out, bias=False)
                    self.out_proj = nn.Linear(d_out, d_out)

                def forward(self, x):
                    b, num_tokens, _ = x.shape
                    queries = self.W_query(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    keys = self.W_key(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = self.W_value(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    scores = queries @ keys.transpose(2, 3)  # (b, heads, tokens, tokens)
                    weights = torch.softmax(scores / self.head_dim**0.5, dim=-1)  # (b, heads, tokens, tokens)
                    context = weights @ values  # (b, heads, tokens, head_dim)
                    return self.out_proj(merge_heads(context.transpose(1, 2)))
            """,
            RAISED + SHAPE,
        ),
        Wrong(
            "return-forgotten",
            """
            class EncoderHeads(nn.Module):
                def __init__(self, d_in, d_out, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=False)
                    self.W_key = nn.Linear(d_in, d_out, bias=False)
                    self.W_value = nn.Linear(d_in, d_out, bias=False)
                    self.out_proj = nn.Linear(d_out, d_out)

                def forward(self, x):
                    b, num_tokens, _ = x.shape
                    queries = self.W_query(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    keys = self.W_key(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = self.W_value(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    scores = queries @ keys.transpose(2, 3)  # (b, heads, tokens, tokens)
                    weights = torch.softmax(scores / self.head_dim**0.5, dim=-1)  # (b, heads, tokens, tokens)
                    context = weights @ values  # (b, heads, tokens, head_dim)
                    context = self.out_proj(merge_heads(context))
            """,
            TYPE,
        ),
    ),
    right=(
        Right(
            "transpose-reshape",
            """
            class EncoderHeads(nn.Module):
                def __init__(self, d_in, d_out, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=False)
                    self.W_key = nn.Linear(d_in, d_out, bias=False)
                    self.W_value = nn.Linear(d_in, d_out, bias=False)
                    self.out_proj = nn.Linear(d_out, d_out)

                def forward(self, x):
                    b, num_tokens, _ = x.shape
                    queries = self.W_query(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    keys = self.W_key(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = self.W_value(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    scores = queries @ keys.transpose(2, 3)  # (b, heads, tokens, tokens)
                    weights = torch.softmax(scores / self.head_dim**0.5, dim=-1)  # (b, heads, tokens, tokens)
                    context = weights @ values  # (b, heads, tokens, head_dim)
                    context = context.transpose(1, 2).reshape(b, num_tokens, -1)
                    return self.out_proj(context)
            """,
        ),
        Right(
            "own-merge",
            """
            class EncoderHeads(nn.Module):
                def __init__(self, d_in, d_out, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=False)
                    self.W_key = nn.Linear(d_in, d_out, bias=False)
                    self.W_value = nn.Linear(d_in, d_out, bias=False)
                    self.out_proj = nn.Linear(d_out, d_out)

                def forward(self, x):
                    b, num_tokens, _ = x.shape
                    queries = self.W_query(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    keys = self.W_key(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = self.W_value(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    scores = queries @ keys.transpose(2, 3)  # (b, heads, tokens, tokens)
                    weights = torch.softmax(scores / self.head_dim**0.5, dim=-1)  # (b, heads, tokens, tokens)
                    context = weights @ values  # (b, heads, tokens, head_dim)
                    return self.out_proj(merge_heads(context))
            """,
        ),
        Right(
            "contiguous-view",
            """
            class EncoderHeads(nn.Module):
                def __init__(self, d_in, d_out, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=False)
                    self.W_key = nn.Linear(d_in, d_out, bias=False)
                    self.W_value = nn.Linear(d_in, d_out, bias=False)
                    self.out_proj = nn.Linear(d_out, d_out)

                def forward(self, x):
                    b, num_tokens, _ = x.shape
                    queries = self.W_query(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    keys = self.W_key(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = self.W_value(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    scores = queries @ keys.transpose(2, 3)  # (b, heads, tokens, tokens)
                    weights = torch.softmax(scores / self.head_dim**0.5, dim=-1)  # (b, heads, tokens, tokens)
                    context = weights @ values  # (b, heads, tokens, head_dim)
                    context = context.transpose(1, 2).contiguous().view(b, num_tokens, -1)
                    return self.out_proj(context)
            """,
        ),
        Right(
            "cat",
            """
            class EncoderHeads(nn.Module):
                def __init__(self, d_in, d_out, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=False)
                    self.W_key = nn.Linear(d_in, d_out, bias=False)
                    self.W_value = nn.Linear(d_in, d_out, bias=False)
                    self.out_proj = nn.Linear(d_out, d_out)

                def forward(self, x):
                    b, num_tokens, _ = x.shape
                    queries = self.W_query(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    keys = self.W_key(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = self.W_value(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    scores = queries @ keys.transpose(2, 3)  # (b, heads, tokens, tokens)
                    weights = torch.softmax(scores / self.head_dim**0.5, dim=-1)  # (b, heads, tokens, tokens)
                    context = weights @ values  # (b, heads, tokens, head_dim)
                    return self.out_proj(torch.cat(context.unbind(1), dim=-1))
            """,
        ),
        Right(
            "permute-flatten",
            """
            class EncoderHeads(nn.Module):
                def __init__(self, d_in, d_out, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=False)
                    self.W_key = nn.Linear(d_in, d_out, bias=False)
                    self.W_value = nn.Linear(d_in, d_out, bias=False)
                    self.out_proj = nn.Linear(d_out, d_out)

                def forward(self, x):
                    b, num_tokens, _ = x.shape
                    queries = self.W_query(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    keys = self.W_key(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = self.W_value(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    scores = queries @ keys.transpose(2, 3)  # (b, heads, tokens, tokens)
                    weights = torch.softmax(scores / self.head_dim**0.5, dim=-1)  # (b, heads, tokens, tokens)
                    context = weights @ values  # (b, heads, tokens, head_dim)
                    return self.out_proj(context.permute(0, 2, 1, 3).flatten(2))
            """,
        ),
        Right(
            "fused",
            """
            class EncoderHeads(nn.Module):
                def __init__(self, d_in, d_out, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=False)
                    self.W_key = nn.Linear(d_in, d_out, bias=False)
                    self.W_value = nn.Linear(d_in, d_out, bias=False)
                    self.out_proj = nn.Linear(d_out, d_out)

                def forward(self, x):
                    b, num_tokens, _ = x.shape
                    queries = self.W_query(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    keys = self.W_key(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = self.W_value(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    context = nn.functional.scaled_dot_product_attention(queries, keys, values)
                    return self.out_proj(context.transpose(1, 2).flatten(start_dim=2))
            """,
        ),
        Right(
            "projection-piece-by-piece",
            """
            class EncoderHeads(nn.Module):
                def __init__(self, d_in, d_out, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=False)
                    self.W_key = nn.Linear(d_in, d_out, bias=False)
                    self.W_value = nn.Linear(d_in, d_out, bias=False)
                    self.out_proj = nn.Linear(d_out, d_out)

                def forward(self, x):
                    b, num_tokens, _ = x.shape
                    queries = self.W_query(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    keys = self.W_key(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = self.W_value(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    scores = queries @ keys.transpose(2, 3)  # (b, heads, tokens, tokens)
                    weights = torch.softmax(scores / self.head_dim**0.5, dim=-1)  # (b, heads, tokens, tokens)
                    context = weights @ values  # (b, heads, tokens, head_dim)
                    pieces = self.out_proj.weight.chunk(self.num_heads, dim=1)  # each (d_out, head_dim)
                    mixed = sum(context[:, h] @ piece.T for h, piece in enumerate(pieces))
                    return mixed + self.out_proj.bias
            """,
        ),
        Right(
            "values-tokens-in-front",
            """
            class EncoderHeads(nn.Module):
                def __init__(self, d_in, d_out, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=False)
                    self.W_key = nn.Linear(d_in, d_out, bias=False)
                    self.W_value = nn.Linear(d_in, d_out, bias=False)
                    self.out_proj = nn.Linear(d_out, d_out)

                def forward(self, x):
                    b, num_tokens, _ = x.shape
                    queries = self.W_query(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    keys = self.W_key(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = self.W_value(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    scores = queries @ keys.mT / self.head_dim**0.5
                    context = torch.einsum("bhqk,bhkd->bqhd", torch.softmax(scores, -1), values)
                    return self.out_proj(context.flatten(2))
            """,
        ),
        Right(
            "loop-over-heads",
            """
            class EncoderHeads(nn.Module):
                def __init__(self, d_in, d_out, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=False)
                    self.W_key = nn.Linear(d_in, d_out, bias=False)
                    self.W_value = nn.Linear(d_in, d_out, bias=False)
                    self.out_proj = nn.Linear(d_out, d_out)

                def forward(self, x):
                    b, num_tokens, _ = x.shape
                    queries = self.W_query(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    keys = self.W_key(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = self.W_value(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    scores = queries @ keys.transpose(2, 3)  # (b, heads, tokens, tokens)
                    weights = torch.softmax(scores / self.head_dim**0.5, dim=-1)  # (b, heads, tokens, tokens)
                    context = weights @ values  # (b, heads, tokens, head_dim)
                    return self.out_proj(torch.cat([context[:, h] for h in range(self.num_heads)], dim=2))
            """,
        ),
    ),
)

MULTI_HEAD_ATTENTION = Mutants(
    wrong=(
        Wrong(
            "scaled-by-d-out",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    if d_out % num_heads != 0:
                        raise ValueError("d_out must be divisible by num_heads")
                    self.d_out = d_out
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.out_proj = nn.Linear(d_out, d_out)
                    self.dropout = nn.Dropout(dropout)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1))

                def forward(self, x):
                    b, num_tokens, d_in = x.shape
                    keys = self.W_key(x)
                    queries = self.W_query(x)
                    values = self.W_value(x)
                    keys = keys.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = values.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    queries = queries.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    attn_scores = queries @ keys.transpose(2, 3)
                    mask_bool = self.mask.bool()[:num_tokens, :num_tokens]
                    attn_scores.masked_fill_(mask_bool, -torch.inf)
                    attn_weights = torch.softmax(attn_scores / self.d_out**0.5, dim=-1)
                    attn_weights = self.dropout(attn_weights)
                    context_vec = (attn_weights @ values).transpose(1, 2)
                    context_vec = context_vec.contiguous().view(b, num_tokens, self.d_out)
                    return self.out_proj(context_vec)
            """,
            NAMED,
        ),
        Wrong(
            "not-scaled",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    if d_out % num_heads != 0:
                        raise ValueError("d_out must be divisible by num_heads")
                    self.d_out = d_out
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.out_proj = nn.Linear(d_out, d_out)
                    self.dropout = nn.Dropout(dropout)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1))

                def forward(self, x):
                    b, num_tokens, d_in = x.shape
                    keys = self.W_key(x)
                    queries = self.W_query(x)
                    values = self.W_value(x)
                    keys = keys.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = values.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    queries = queries.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    attn_scores = queries @ keys.transpose(2, 3)
                    mask_bool = self.mask.bool()[:num_tokens, :num_tokens]
                    attn_scores.masked_fill_(mask_bool, -torch.inf)
                    attn_weights = torch.softmax(attn_scores, dim=-1)
                    attn_weights = self.dropout(attn_weights)
                    context_vec = (attn_weights @ values).transpose(1, 2)
                    context_vec = context_vec.contiguous().view(b, num_tokens, self.d_out)
                    return self.out_proj(context_vec)
            """,
            NAMED,
        ),
        Wrong(
            "divided-by-head-dim",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    if d_out % num_heads != 0:
                        raise ValueError("d_out must be divisible by num_heads")
                    self.d_out = d_out
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.out_proj = nn.Linear(d_out, d_out)
                    self.dropout = nn.Dropout(dropout)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1))

                def forward(self, x):
                    b, num_tokens, d_in = x.shape
                    keys = self.W_key(x)
                    queries = self.W_query(x)
                    values = self.W_value(x)
                    keys = keys.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = values.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    queries = queries.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    attn_scores = queries @ keys.transpose(2, 3)
                    mask_bool = self.mask.bool()[:num_tokens, :num_tokens]
                    attn_scores.masked_fill_(mask_bool, -torch.inf)
                    attn_weights = torch.softmax(attn_scores / self.head_dim, dim=-1)
                    attn_weights = self.dropout(attn_weights)
                    context_vec = (attn_weights @ values).transpose(1, 2)
                    context_vec = context_vec.contiguous().view(b, num_tokens, self.d_out)
                    return self.out_proj(context_vec)
            """,
            NAMED,
        ),
        Wrong(
            "times-root",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    if d_out % num_heads != 0:
                        raise ValueError("d_out must be divisible by num_heads")
                    self.d_out = d_out
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.out_proj = nn.Linear(d_out, d_out)
                    self.dropout = nn.Dropout(dropout)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1))

                def forward(self, x):
                    b, num_tokens, d_in = x.shape
                    keys = self.W_key(x)
                    queries = self.W_query(x)
                    values = self.W_value(x)
                    keys = keys.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = values.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    queries = queries.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    attn_scores = queries @ keys.transpose(2, 3)
                    mask_bool = self.mask.bool()[:num_tokens, :num_tokens]
                    attn_scores.masked_fill_(mask_bool, -torch.inf)
                    attn_weights = torch.softmax(attn_scores * self.head_dim**0.5, dim=-1)
                    attn_weights = self.dropout(attn_weights)
                    context_vec = (attn_weights @ values).transpose(1, 2)
                    context_vec = context_vec.contiguous().view(b, num_tokens, self.d_out)
                    return self.out_proj(context_vec)
            """,
            NAMED + VALUES,
        ),
        Wrong(
            "scaled-by-d-in",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    if d_out % num_heads != 0:
                        raise ValueError("d_out must be divisible by num_heads")
                    self.d_out = d_out
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.out_proj = nn.Linear(d_out, d_out)
                    self.dropout = nn.Dropout(dropout)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1))

                def forward(self, x):
                    b, num_tokens, d_in = x.shape
                    keys = self.W_key(x)
                    queries = self.W_query(x)
                    values = self.W_value(x)
                    keys = keys.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = values.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    queries = queries.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    attn_scores = queries @ keys.transpose(2, 3)
                    mask_bool = self.mask.bool()[:num_tokens, :num_tokens]
                    attn_scores.masked_fill_(mask_bool, -torch.inf)
                    attn_weights = torch.softmax(attn_scores / d_in**0.5, dim=-1)
                    attn_weights = self.dropout(attn_weights)
                    context_vec = (attn_weights @ values).transpose(1, 2)
                    context_vec = context_vec.contiguous().view(b, num_tokens, self.d_out)
                    return self.out_proj(context_vec)
            """,
            NAMED + VALUES,
        ),
        Wrong(
            "scaled-by-tokens",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    if d_out % num_heads != 0:
                        raise ValueError("d_out must be divisible by num_heads")
                    self.d_out = d_out
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.out_proj = nn.Linear(d_out, d_out)
                    self.dropout = nn.Dropout(dropout)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1))

                def forward(self, x):
                    b, num_tokens, d_in = x.shape
                    keys = self.W_key(x)
                    queries = self.W_query(x)
                    values = self.W_value(x)
                    keys = keys.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = values.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    queries = queries.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    attn_scores = queries @ keys.transpose(2, 3)
                    mask_bool = self.mask.bool()[:num_tokens, :num_tokens]
                    attn_scores.masked_fill_(mask_bool, -torch.inf)
                    attn_weights = torch.softmax(attn_scores / num_tokens**0.5, dim=-1)
                    attn_weights = self.dropout(attn_weights)
                    context_vec = (attn_weights @ values).transpose(1, 2)
                    context_vec = context_vec.contiguous().view(b, num_tokens, self.d_out)
                    return self.out_proj(context_vec)
            """,
            NAMED + VALUES,
        ),
        Wrong(
            "scaled-by-heads",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    if d_out % num_heads != 0:
                        raise ValueError("d_out must be divisible by num_heads")
                    self.d_out = d_out
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.out_proj = nn.Linear(d_out, d_out)
                    self.dropout = nn.Dropout(dropout)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1))

                def forward(self, x):
                    b, num_tokens, d_in = x.shape
                    keys = self.W_key(x)
                    queries = self.W_query(x)
                    values = self.W_value(x)
                    keys = keys.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = values.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    queries = queries.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    attn_scores = queries @ keys.transpose(2, 3)
                    mask_bool = self.mask.bool()[:num_tokens, :num_tokens]
                    attn_scores.masked_fill_(mask_bool, -torch.inf)
                    attn_weights = torch.softmax(attn_scores / self.num_heads**0.5, dim=-1)
                    attn_weights = self.dropout(attn_weights)
                    context_vec = (attn_weights @ values).transpose(1, 2)
                    context_vec = context_vec.contiguous().view(b, num_tokens, self.d_out)
                    return self.out_proj(context_vec)
            """,
            NAMED + VALUES,
            keeps=2,
        ),
        Wrong(
            "scaled-by-the-wrong-axis",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    if d_out % num_heads != 0:
                        raise ValueError("d_out must be divisible by num_heads")
                    self.d_out = d_out
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.out_proj = nn.Linear(d_out, d_out)
                    self.dropout = nn.Dropout(dropout)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1))

                def forward(self, x):
                    b, num_tokens, d_in = x.shape
                    keys = self.W_key(x)
                    queries = self.W_query(x)
                    values = self.W_value(x)
                    keys = keys.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = values.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    queries = queries.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    attn_scores = queries @ keys.transpose(2, 3)
                    mask_bool = self.mask.bool()[:num_tokens, :num_tokens]
                    attn_scores.masked_fill_(mask_bool, -torch.inf)
                    attn_weights = torch.softmax(attn_scores / keys.shape[1] ** 0.5, dim=-1)
                    attn_weights = self.dropout(attn_weights)
                    context_vec = (attn_weights @ values).transpose(1, 2)
                    context_vec = context_vec.contiguous().view(b, num_tokens, self.d_out)
                    return self.out_proj(context_vec)
            """,
            NAMED + VALUES,
            keeps=2,
        ),
        Wrong(
            "scaled-twice",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    if d_out % num_heads != 0:
                        raise ValueError("d_out must be divisible by num_heads")
                    self.d_out = d_out
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.out_proj = nn.Linear(d_out, d_out)
                    self.dropout = nn.Dropout(dropout)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1))

                def forward(self, x):
                    b, num_tokens, d_in = x.shape
                    keys = self.W_key(x)
                    queries = self.W_query(x)
                    values = self.W_value(x)
                    keys = keys.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = values.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    queries = queries.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    attn_scores = queries / self.head_dim**0.5 @ keys.transpose(2, 3)
                    mask_bool = self.mask.bool()[:num_tokens, :num_tokens]
                    attn_scores.masked_fill_(mask_bool, -torch.inf)
                    attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)
                    attn_weights = self.dropout(attn_weights)
                    context_vec = (attn_weights @ values).transpose(1, 2)
                    context_vec = context_vec.contiguous().view(b, num_tokens, self.d_out)
                    return self.out_proj(context_vec)
            """,
            NAMED + VALUES,
        ),
        Wrong(
            "scaled-after-the-softmax",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    if d_out % num_heads != 0:
                        raise ValueError("d_out must be divisible by num_heads")
                    self.d_out = d_out
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.out_proj = nn.Linear(d_out, d_out)
                    self.dropout = nn.Dropout(dropout)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1))

                def forward(self, x):
                    b, num_tokens, d_in = x.shape
                    keys = self.W_key(x)
                    queries = self.W_query(x)
                    values = self.W_value(x)
                    keys = keys.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = values.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    queries = queries.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    attn_scores = queries @ keys.transpose(2, 3)
                    mask_bool = self.mask.bool()[:num_tokens, :num_tokens]
                    attn_scores.masked_fill_(mask_bool, -torch.inf)
                    attn_weights = torch.softmax(attn_scores, dim=-1) / self.head_dim**0.5
                    attn_weights = self.dropout(attn_weights)
                    context_vec = (attn_weights @ values).transpose(1, 2)
                    context_vec = context_vec.contiguous().view(b, num_tokens, self.d_out)
                    return self.out_proj(context_vec)
            """,
            NAMED + VALUES,
        ),
        Wrong(
            "softmax-over-queries",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    if d_out % num_heads != 0:
                        raise ValueError("d_out must be divisible by num_heads")
                    self.d_out = d_out
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.out_proj = nn.Linear(d_out, d_out)
                    self.dropout = nn.Dropout(dropout)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1))

                def forward(self, x):
                    b, num_tokens, d_in = x.shape
                    keys = self.W_key(x)
                    queries = self.W_query(x)
                    values = self.W_value(x)
                    keys = keys.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = values.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    queries = queries.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    attn_scores = queries @ keys.transpose(2, 3)
                    mask_bool = self.mask.bool()[:num_tokens, :num_tokens]
                    attn_scores.masked_fill_(mask_bool, -torch.inf)
                    attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-2)
                    attn_weights = self.dropout(attn_weights)
                    context_vec = (attn_weights @ values).transpose(1, 2)
                    context_vec = context_vec.contiguous().view(b, num_tokens, self.d_out)
                    return self.out_proj(context_vec)
            """,
            NAMED + VALUES + NOT_FINITE,
        ),
        Wrong(
            "softmax-over-heads",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    if d_out % num_heads != 0:
                        raise ValueError("d_out must be divisible by num_heads")
                    self.d_out = d_out
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.out_proj = nn.Linear(d_out, d_out)
                    self.dropout = nn.Dropout(dropout)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1))

                def forward(self, x):
                    b, num_tokens, d_in = x.shape
                    keys = self.W_key(x)
                    queries = self.W_query(x)
                    values = self.W_value(x)
                    keys = keys.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = values.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    queries = queries.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    attn_scores = queries @ keys.transpose(2, 3)
                    mask_bool = self.mask.bool()[:num_tokens, :num_tokens]
                    attn_scores.masked_fill_(mask_bool, -torch.inf)
                    attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=1)
                    attn_weights = self.dropout(attn_weights)
                    context_vec = (attn_weights @ values).transpose(1, 2)
                    context_vec = context_vec.contiguous().view(b, num_tokens, self.d_out)
                    return self.out_proj(context_vec)
            """,
            NAMED + VALUES + NOT_FINITE,
        ),
        Wrong(
            "softmax-over-the-batch",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    if d_out % num_heads != 0:
                        raise ValueError("d_out must be divisible by num_heads")
                    self.d_out = d_out
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.out_proj = nn.Linear(d_out, d_out)
                    self.dropout = nn.Dropout(dropout)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1))

                def forward(self, x):
                    b, num_tokens, d_in = x.shape
                    keys = self.W_key(x)
                    queries = self.W_query(x)
                    values = self.W_value(x)
                    keys = keys.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = values.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    queries = queries.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    attn_scores = queries @ keys.transpose(2, 3)
                    mask_bool = self.mask.bool()[:num_tokens, :num_tokens]
                    attn_scores.masked_fill_(mask_bool, -torch.inf)
                    attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=0)
                    attn_weights = self.dropout(attn_weights)
                    context_vec = (attn_weights @ values).transpose(1, 2)
                    context_vec = context_vec.contiguous().view(b, num_tokens, self.d_out)
                    return self.out_proj(context_vec)
            """,
            NAMED + VALUES + NOT_FINITE,
        ),
        Wrong(
            "queries-and-keys-swapped",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    if d_out % num_heads != 0:
                        raise ValueError("d_out must be divisible by num_heads")
                    self.d_out = d_out
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.out_proj = nn.Linear(d_out, d_out)
                    self.dropout = nn.Dropout(dropout)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1))

                def forward(self, x):
                    b, num_tokens, d_in = x.shape
                    keys = self.W_key(x)
                    queries = self.W_query(x)
                    values = self.W_value(x)
                    keys = keys.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = values.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    queries = queries.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    attn_scores = keys @ queries.transpose(2, 3)
                    mask_bool = self.mask.bool()[:num_tokens, :num_tokens]
                    attn_scores.masked_fill_(mask_bool, -torch.inf)
                    attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)
                    attn_weights = self.dropout(attn_weights)
                    context_vec = (attn_weights @ values).transpose(1, 2)
                    context_vec = context_vec.contiguous().view(b, num_tokens, self.d_out)
                    return self.out_proj(context_vec)
            """,
            NAMED + VALUES,
        ),
        Wrong(
            "view-without-transpose",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    if d_out % num_heads != 0:
                        raise ValueError("d_out must be divisible by num_heads")
                    self.d_out = d_out
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.out_proj = nn.Linear(d_out, d_out)
                    self.dropout = nn.Dropout(dropout)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1))

                def forward(self, x):
                    b, num_tokens, d_in = x.shape
                    keys = self.W_key(x)
                    queries = self.W_query(x)
                    values = self.W_value(x)
                    keys = keys.view(b, self.num_heads, num_tokens, self.head_dim)
                    values = values.view(b, self.num_heads, num_tokens, self.head_dim)
                    queries = queries.view(b, self.num_heads, num_tokens, self.head_dim)
                    attn_scores = queries @ keys.transpose(2, 3)
                    mask_bool = self.mask.bool()[:num_tokens, :num_tokens]
                    attn_scores.masked_fill_(mask_bool, -torch.inf)
                    attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)
                    attn_weights = self.dropout(attn_weights)
                    context_vec = (attn_weights @ values).transpose(1, 2)
                    context_vec = context_vec.contiguous().view(b, num_tokens, self.d_out)
                    return self.out_proj(context_vec)
            """,
            NAMED,
        ),
        Wrong(
            "never-transposed",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    if d_out % num_heads != 0:
                        raise ValueError("d_out must be divisible by num_heads")
                    self.d_out = d_out
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.out_proj = nn.Linear(d_out, d_out)
                    self.dropout = nn.Dropout(dropout)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1))

                def forward(self, x):
                    b, num_tokens, d_in = x.shape
                    keys = self.W_key(x)
                    queries = self.W_query(x)
                    values = self.W_value(x)
                    keys = keys.view(b, num_tokens, self.num_heads, self.head_dim)
                    values = values.view(b, num_tokens, self.num_heads, self.head_dim)
                    queries = queries.view(b, num_tokens, self.num_heads, self.head_dim)
                    attn_scores = queries @ keys.transpose(2, 3)
                    mask_bool = self.mask.bool()[:num_tokens, :num_tokens]
                    attn_scores.masked_fill_(mask_bool, -torch.inf)
                    attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)
                    attn_weights = self.dropout(attn_weights)
                    context_vec = (attn_weights @ values).transpose(1, 2)
                    context_vec = context_vec.contiguous().view(b, num_tokens, self.d_out)
                    return self.out_proj(context_vec)
            """,
            RAISED + NAMED + SHAPE,
        ),
        Wrong(
            "merged-without-transpose",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    if d_out % num_heads != 0:
                        raise ValueError("d_out must be divisible by num_heads")
                    self.d_out = d_out
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.out_proj = nn.Linear(d_out, d_out)
                    self.dropout = nn.Dropout(dropout)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1))

                def forward(self, x):
                    b, num_tokens, d_in = x.shape
                    keys = self.W_key(x)
                    queries = self.W_query(x)
                    values = self.W_value(x)
                    keys = keys.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = values.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    queries = queries.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    attn_scores = queries @ keys.transpose(2, 3)
                    mask_bool = self.mask.bool()[:num_tokens, :num_tokens]
                    attn_scores.masked_fill_(mask_bool, -torch.inf)
                    attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)
                    attn_weights = self.dropout(attn_weights)
                    context_vec = attn_weights @ values
                    context_vec = context_vec.contiguous().view(b, num_tokens, self.d_out)
                    return self.out_proj(context_vec)
            """,
            NAMED,
        ),
        Wrong(
            "contiguous-forgotten",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    if d_out % num_heads != 0:
                        raise ValueError("d_out must be divisible by num_heads")
                    self.d_out = d_out
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.out_proj = nn.Linear(d_out, d_out)
                    self.dropout = nn.Dropout(dropout)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1))

                def forward(self, x):
                    b, num_tokens, d_in = x.shape
                    keys = self.W_key(x)
                    queries = self.W_query(x)
                    values = self.W_value(x)
                    keys = keys.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = values.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    queries = queries.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    attn_scores = queries @ keys.transpose(2, 3)
                    mask_bool = self.mask.bool()[:num_tokens, :num_tokens]
                    attn_scores.masked_fill_(mask_bool, -torch.inf)
                    attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)
                    attn_weights = self.dropout(attn_weights)
                    context_vec = (attn_weights @ values).transpose(1, 2)
                    context_vec = context_vec.view(b, num_tokens, self.d_out)
                    return self.out_proj(context_vec)
            """,
            RAISED + NAMED,
            says=r"contiguous|reshape",
        ),
        Wrong(
            "out-proj-left-out",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    if d_out % num_heads != 0:
                        raise ValueError("d_out must be divisible by num_heads")
                    self.d_out = d_out
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.out_proj = nn.Linear(d_out, d_out)
                    self.dropout = nn.Dropout(dropout)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1))

                def forward(self, x):
                    b, num_tokens, d_in = x.shape
                    keys = self.W_key(x)
                    queries = self.W_query(x)
                    values = self.W_value(x)
                    keys = keys.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = values.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    queries = queries.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    attn_scores = queries @ keys.transpose(2, 3)
                    mask_bool = self.mask.bool()[:num_tokens, :num_tokens]
                    attn_scores.masked_fill_(mask_bool, -torch.inf)
                    attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)
                    attn_weights = self.dropout(attn_weights)
                    context_vec = (attn_weights @ values).transpose(1, 2)
                    context_vec = context_vec.contiguous().view(b, num_tokens, self.d_out)
                    return context_vec
            """,
            NAMED,
        ),
        Wrong(
            "out-proj-twice",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    if d_out % num_heads != 0:
                        raise ValueError("d_out must be divisible by num_heads")
                    self.d_out = d_out
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.out_proj = nn.Linear(d_out, d_out)
                    self.dropout = nn.Dropout(dropout)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1))

                def forward(self, x):
                    b, num_tokens, d_in = x.shape
                    keys = self.W_key(x)
                    queries = self.W_query(x)
                    values = self.W_value(x)
                    keys = keys.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = values.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    queries = queries.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    attn_scores = queries @ keys.transpose(2, 3)
                    mask_bool = self.mask.bool()[:num_tokens, :num_tokens]
                    attn_scores.masked_fill_(mask_bool, -torch.inf)
                    attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)
                    attn_weights = self.dropout(attn_weights)
                    context_vec = (attn_weights @ values).transpose(1, 2)
                    context_vec = context_vec.contiguous().view(b, num_tokens, self.d_out)
                    return self.out_proj(self.out_proj(context_vec))
            """,
            NAMED + VALUES,
        ),
        Wrong(
            "out-proj-without-bias",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    if d_out % num_heads != 0:
                        raise ValueError("d_out must be divisible by num_heads")
                    self.d_out = d_out
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.out_proj = nn.Linear(d_out, d_out, bias=False)
                    self.dropout = nn.Dropout(dropout)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1))

                def forward(self, x):
                    b, num_tokens, d_in = x.shape
                    keys = self.W_key(x)
                    queries = self.W_query(x)
                    values = self.W_value(x)
                    keys = keys.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = values.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    queries = queries.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    attn_scores = queries @ keys.transpose(2, 3)
                    mask_bool = self.mask.bool()[:num_tokens, :num_tokens]
                    attn_scores.masked_fill_(mask_bool, -torch.inf)
                    attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)
                    attn_weights = self.dropout(attn_weights)
                    context_vec = (attn_weights @ values).transpose(1, 2)
                    context_vec = context_vec.contiguous().view(b, num_tokens, self.d_out)
                    return self.out_proj(context_vec)
            """,
            PARAMETERS + NAMED,
            says=r"bias",
        ),
        Wrong(
            "out-proj-with-qkv-bias",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    if d_out % num_heads != 0:
                        raise ValueError("d_out must be divisible by num_heads")
                    self.d_out = d_out
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.out_proj = nn.Linear(d_out, d_out, bias=qkv_bias)
                    self.dropout = nn.Dropout(dropout)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1))

                def forward(self, x):
                    b, num_tokens, d_in = x.shape
                    keys = self.W_key(x)
                    queries = self.W_query(x)
                    values = self.W_value(x)
                    keys = keys.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = values.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    queries = queries.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    attn_scores = queries @ keys.transpose(2, 3)
                    mask_bool = self.mask.bool()[:num_tokens, :num_tokens]
                    attn_scores.masked_fill_(mask_bool, -torch.inf)
                    attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)
                    attn_weights = self.dropout(attn_weights)
                    context_vec = (attn_weights @ values).transpose(1, 2)
                    context_vec = context_vec.contiguous().view(b, num_tokens, self.d_out)
                    return self.out_proj(context_vec)
            """,
            PARAMETERS + NAMED,
            says=r"bias",
        ),
        Wrong(
            "qkv-bias-ignored",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    if d_out % num_heads != 0:
                        raise ValueError("d_out must be divisible by num_heads")
                    self.d_out = d_out
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=False)
                    self.W_key = nn.Linear(d_in, d_out, bias=False)
                    self.W_value = nn.Linear(d_in, d_out, bias=False)
                    self.out_proj = nn.Linear(d_out, d_out)
                    self.dropout = nn.Dropout(dropout)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1))

                def forward(self, x):
                    b, num_tokens, d_in = x.shape
                    keys = self.W_key(x)
                    queries = self.W_query(x)
                    values = self.W_value(x)
                    keys = keys.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = values.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    queries = queries.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    attn_scores = queries @ keys.transpose(2, 3)
                    mask_bool = self.mask.bool()[:num_tokens, :num_tokens]
                    attn_scores.masked_fill_(mask_bool, -torch.inf)
                    attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)
                    attn_weights = self.dropout(attn_weights)
                    context_vec = (attn_weights @ values).transpose(1, 2)
                    context_vec = context_vec.contiguous().view(b, num_tokens, self.d_out)
                    return self.out_proj(context_vec)
            """,
            PARAMETERS + NAMED,
            keeps=5,
            says=r"bias",
        ),
        Wrong(
            "qkv-bias-always",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    if d_out % num_heads != 0:
                        raise ValueError("d_out must be divisible by num_heads")
                    self.d_out = d_out
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out)
                    self.W_key = nn.Linear(d_in, d_out)
                    self.W_value = nn.Linear(d_in, d_out)
                    self.out_proj = nn.Linear(d_out, d_out)
                    self.dropout = nn.Dropout(dropout)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1))

                def forward(self, x):
                    b, num_tokens, d_in = x.shape
                    keys = self.W_key(x)
                    queries = self.W_query(x)
                    values = self.W_value(x)
                    keys = keys.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = values.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    queries = queries.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    attn_scores = queries @ keys.transpose(2, 3)
                    mask_bool = self.mask.bool()[:num_tokens, :num_tokens]
                    attn_scores.masked_fill_(mask_bool, -torch.inf)
                    attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)
                    attn_weights = self.dropout(attn_weights)
                    context_vec = (attn_weights @ values).transpose(1, 2)
                    context_vec = context_vec.contiguous().view(b, num_tokens, self.d_out)
                    return self.out_proj(context_vec)
            """,
            PARAMETERS + NAMED,
            says=r"bias",
        ),
        Wrong(
            "value-bias-forgotten",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    if d_out % num_heads != 0:
                        raise ValueError("d_out must be divisible by num_heads")
                    self.d_out = d_out
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_value = nn.Linear(d_in, d_out, bias=False)
                    self.out_proj = nn.Linear(d_out, d_out)
                    self.dropout = nn.Dropout(dropout)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1))

                def forward(self, x):
                    b, num_tokens, d_in = x.shape
                    keys = self.W_key(x)
                    queries = self.W_query(x)
                    values = self.W_value(x)
                    keys = keys.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = values.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    queries = queries.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    attn_scores = queries @ keys.transpose(2, 3)
                    mask_bool = self.mask.bool()[:num_tokens, :num_tokens]
                    attn_scores.masked_fill_(mask_bool, -torch.inf)
                    attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)
                    attn_weights = self.dropout(attn_weights)
                    context_vec = (attn_weights @ values).transpose(1, 2)
                    context_vec = context_vec.contiguous().view(b, num_tokens, self.d_out)
                    return self.out_proj(context_vec)
            """,
            PARAMETERS + NAMED,
            keeps=5,
        ),
        Wrong(
            "values-from-the-keys",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    if d_out % num_heads != 0:
                        raise ValueError("d_out must be divisible by num_heads")
                    self.d_out = d_out
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.out_proj = nn.Linear(d_out, d_out)
                    self.dropout = nn.Dropout(dropout)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1))

                def forward(self, x):
                    b, num_tokens, d_in = x.shape
                    keys = self.W_key(x)
                    queries = self.W_query(x)
                    values = self.W_key(x)
                    keys = keys.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = values.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    queries = queries.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    attn_scores = queries @ keys.transpose(2, 3)
                    mask_bool = self.mask.bool()[:num_tokens, :num_tokens]
                    attn_scores.masked_fill_(mask_bool, -torch.inf)
                    attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)
                    attn_weights = self.dropout(attn_weights)
                    context_vec = (attn_weights @ values).transpose(1, 2)
                    context_vec = context_vec.contiguous().view(b, num_tokens, self.d_out)
                    return self.out_proj(context_vec)
            """,
            NAMED + VALUES,
        ),
        Wrong(
            "weights-times-keys",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    if d_out % num_heads != 0:
                        raise ValueError("d_out must be divisible by num_heads")
                    self.d_out = d_out
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.out_proj = nn.Linear(d_out, d_out)
                    self.dropout = nn.Dropout(dropout)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1))

                def forward(self, x):
                    b, num_tokens, d_in = x.shape
                    keys = self.W_key(x)
                    queries = self.W_query(x)
                    values = self.W_value(x)
                    keys = keys.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = values.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    queries = queries.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    attn_scores = queries @ keys.transpose(2, 3)
                    mask_bool = self.mask.bool()[:num_tokens, :num_tokens]
                    attn_scores.masked_fill_(mask_bool, -torch.inf)
                    attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)
                    attn_weights = self.dropout(attn_weights)
                    context_vec = (attn_weights @ keys).transpose(1, 2)
                    context_vec = context_vec.contiguous().view(b, num_tokens, self.d_out)
                    return self.out_proj(context_vec)
            """,
            NAMED + VALUES,
        ),
        Wrong(
            "not-masked",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    if d_out % num_heads != 0:
                        raise ValueError("d_out must be divisible by num_heads")
                    self.d_out = d_out
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.out_proj = nn.Linear(d_out, d_out)
                    self.dropout = nn.Dropout(dropout)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1))

                def forward(self, x):
                    b, num_tokens, d_in = x.shape
                    keys = self.W_key(x)
                    queries = self.W_query(x)
                    values = self.W_value(x)
                    keys = keys.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = values.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    queries = queries.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    attn_scores = queries @ keys.transpose(2, 3)
                    mask_bool = self.mask.bool()[:num_tokens, :num_tokens]
                    attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)
                    attn_weights = self.dropout(attn_weights)
                    context_vec = (attn_weights @ values).transpose(1, 2)
                    context_vec = context_vec.contiguous().view(b, num_tokens, self.d_out)
                    return self.out_proj(context_vec)
            """,
            NAMED + RULE,
        ),
        Wrong(
            "mask-discarded",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    if d_out % num_heads != 0:
                        raise ValueError("d_out must be divisible by num_heads")
                    self.d_out = d_out
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.out_proj = nn.Linear(d_out, d_out)
                    self.dropout = nn.Dropout(dropout)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1))

                def forward(self, x):
                    b, num_tokens, d_in = x.shape
                    keys = self.W_key(x)
                    queries = self.W_query(x)
                    values = self.W_value(x)
                    keys = keys.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = values.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    queries = queries.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    attn_scores = queries @ keys.transpose(2, 3)
                    mask_bool = self.mask.bool()[:num_tokens, :num_tokens]
                    attn_scores.masked_fill(mask_bool, -torch.inf)
                    attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)
                    attn_weights = self.dropout(attn_weights)
                    context_vec = (attn_weights @ values).transpose(1, 2)
                    context_vec = context_vec.contiguous().view(b, num_tokens, self.d_out)
                    return self.out_proj(context_vec)
            """,
            NAMED + RULE,
        ),
        Wrong(
            "masked-with-zero",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    if d_out % num_heads != 0:
                        raise ValueError("d_out must be divisible by num_heads")
                    self.d_out = d_out
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.out_proj = nn.Linear(d_out, d_out)
                    self.dropout = nn.Dropout(dropout)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1))

                def forward(self, x):
                    b, num_tokens, d_in = x.shape
                    keys = self.W_key(x)
                    queries = self.W_query(x)
                    values = self.W_value(x)
                    keys = keys.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = values.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    queries = queries.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    attn_scores = queries @ keys.transpose(2, 3)
                    mask_bool = self.mask.bool()[:num_tokens, :num_tokens]
                    attn_scores.masked_fill_(mask_bool, 0)
                    attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)
                    attn_weights = self.dropout(attn_weights)
                    context_vec = (attn_weights @ values).transpose(1, 2)
                    context_vec = context_vec.contiguous().view(b, num_tokens, self.d_out)
                    return self.out_proj(context_vec)
            """,
            NAMED + RULE + BEHAVIOUR,
        ),
        Wrong(
            "masked-with-minus-one",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    if d_out % num_heads != 0:
                        raise ValueError("d_out must be divisible by num_heads")
                    self.d_out = d_out
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.out_proj = nn.Linear(d_out, d_out)
                    self.dropout = nn.Dropout(dropout)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1))

                def forward(self, x):
                    b, num_tokens, d_in = x.shape
                    keys = self.W_key(x)
                    queries = self.W_query(x)
                    values = self.W_value(x)
                    keys = keys.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = values.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    queries = queries.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    attn_scores = queries @ keys.transpose(2, 3)
                    mask_bool = self.mask.bool()[:num_tokens, :num_tokens]
                    attn_scores.masked_fill_(mask_bool, -1)
                    attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)
                    attn_weights = self.dropout(attn_weights)
                    context_vec = (attn_weights @ values).transpose(1, 2)
                    context_vec = context_vec.contiguous().view(b, num_tokens, self.d_out)
                    return self.out_proj(context_vec)
            """,
            NAMED + VALUES + BEHAVIOUR + RULE,
        ),
        Wrong(
            "mask-added",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    if d_out % num_heads != 0:
                        raise ValueError("d_out must be divisible by num_heads")
                    self.d_out = d_out
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.out_proj = nn.Linear(d_out, d_out)
                    self.dropout = nn.Dropout(dropout)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1))

                def forward(self, x):
                    b, num_tokens, d_in = x.shape
                    keys = self.W_key(x)
                    queries = self.W_query(x)
                    values = self.W_value(x)
                    keys = keys.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = values.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    queries = queries.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    attn_scores = queries @ keys.transpose(2, 3)
                    mask_bool = self.mask.bool()[:num_tokens, :num_tokens]
                    attn_scores = attn_scores + self.mask[:num_tokens, :num_tokens]
                    attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)
                    attn_weights = self.dropout(attn_weights)
                    context_vec = (attn_weights @ values).transpose(1, 2)
                    context_vec = context_vec.contiguous().view(b, num_tokens, self.d_out)
                    return self.out_proj(context_vec)
            """,
            NAMED + VALUES + BEHAVIOUR + RULE,
        ),
        Wrong(
            "zero-times-inf",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    if d_out % num_heads != 0:
                        raise ValueError("d_out must be divisible by num_heads")
                    self.d_out = d_out
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.out_proj = nn.Linear(d_out, d_out)
                    self.dropout = nn.Dropout(dropout)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1))

                def forward(self, x):
                    b, num_tokens, d_in = x.shape
                    keys = self.W_key(x)
                    queries = self.W_query(x)
                    values = self.W_value(x)
                    keys = keys.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = values.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    queries = queries.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    attn_scores = queries @ keys.transpose(2, 3)
                    mask_bool = self.mask.bool()[:num_tokens, :num_tokens]
                    attn_scores = attn_scores + self.mask[:num_tokens, :num_tokens] * -torch.inf
                    attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)
                    attn_weights = self.dropout(attn_weights)
                    context_vec = (attn_weights @ values).transpose(1, 2)
                    context_vec = context_vec.contiguous().view(b, num_tokens, self.d_out)
                    return self.out_proj(context_vec)
            """,
            NOT_FINITE + NAMED,
        ),
        Wrong(
            "mask-after-softmax",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    if d_out % num_heads != 0:
                        raise ValueError("d_out must be divisible by num_heads")
                    self.d_out = d_out
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.out_proj = nn.Linear(d_out, d_out)
                    self.dropout = nn.Dropout(dropout)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1))

                def forward(self, x):
                    b, num_tokens, d_in = x.shape
                    keys = self.W_key(x)
                    queries = self.W_query(x)
                    values = self.W_value(x)
                    keys = keys.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = values.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    queries = queries.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    attn_scores = queries @ keys.transpose(2, 3)
                    mask_bool = self.mask.bool()[:num_tokens, :num_tokens]
                    attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)
                    attn_weights = self.dropout(attn_weights.masked_fill(mask_bool, 0))
                    context_vec = (attn_weights @ values).transpose(1, 2)
                    context_vec = context_vec.contiguous().view(b, num_tokens, self.d_out)
                    return self.out_proj(context_vec)
            """,
            NAMED + VALUES + BEHAVIOUR + RULE,
        ),
        Wrong(
            "diagonal-masked",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    if d_out % num_heads != 0:
                        raise ValueError("d_out must be divisible by num_heads")
                    self.d_out = d_out
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.out_proj = nn.Linear(d_out, d_out)
                    self.dropout = nn.Dropout(dropout)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=0))

                def forward(self, x):
                    b, num_tokens, d_in = x.shape
                    keys = self.W_key(x)
                    queries = self.W_query(x)
                    values = self.W_value(x)
                    keys = keys.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = values.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    queries = queries.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    attn_scores = queries @ keys.transpose(2, 3)
                    mask_bool = self.mask.bool()[:num_tokens, :num_tokens]
                    attn_scores.masked_fill_(mask_bool, -torch.inf)
                    attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)
                    attn_weights = self.dropout(attn_weights)
                    context_vec = (attn_weights @ values).transpose(1, 2)
                    context_vec = context_vec.contiguous().view(b, num_tokens, self.d_out)
                    return self.out_proj(context_vec)
            """,
            NOT_FINITE + NAMED,
        ),
        Wrong(
            "one-future-token-seen",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    if d_out % num_heads != 0:
                        raise ValueError("d_out must be divisible by num_heads")
                    self.d_out = d_out
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.out_proj = nn.Linear(d_out, d_out)
                    self.dropout = nn.Dropout(dropout)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=2))

                def forward(self, x):
                    b, num_tokens, d_in = x.shape
                    keys = self.W_key(x)
                    queries = self.W_query(x)
                    values = self.W_value(x)
                    keys = keys.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = values.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    queries = queries.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    attn_scores = queries @ keys.transpose(2, 3)
                    mask_bool = self.mask.bool()[:num_tokens, :num_tokens]
                    attn_scores.masked_fill_(mask_bool, -torch.inf)
                    attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)
                    attn_weights = self.dropout(attn_weights)
                    context_vec = (attn_weights @ values).transpose(1, 2)
                    context_vec = context_vec.contiguous().view(b, num_tokens, self.d_out)
                    return self.out_proj(context_vec)
            """,
            NAMED + VALUES + BEHAVIOUR + RULE,
        ),
        Wrong(
            "past-masked",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    if d_out % num_heads != 0:
                        raise ValueError("d_out must be divisible by num_heads")
                    self.d_out = d_out
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.out_proj = nn.Linear(d_out, d_out)
                    self.dropout = nn.Dropout(dropout)
                    self.register_buffer("mask", torch.tril(torch.ones(context_length, context_length), diagonal=-1))

                def forward(self, x):
                    b, num_tokens, d_in = x.shape
                    keys = self.W_key(x)
                    queries = self.W_query(x)
                    values = self.W_value(x)
                    keys = keys.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = values.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    queries = queries.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    attn_scores = queries @ keys.transpose(2, 3)
                    mask_bool = self.mask.bool()[:num_tokens, :num_tokens]
                    attn_scores.masked_fill_(mask_bool, -torch.inf)
                    attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)
                    attn_weights = self.dropout(attn_weights)
                    context_vec = (attn_weights @ values).transpose(1, 2)
                    context_vec = context_vec.contiguous().view(b, num_tokens, self.d_out)
                    return self.out_proj(context_vec)
            """,
            NAMED + VALUES + BEHAVIOUR + RULE,
        ),
        Wrong(
            "tril-kept-as-forbidden",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    if d_out % num_heads != 0:
                        raise ValueError("d_out must be divisible by num_heads")
                    self.d_out = d_out
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.out_proj = nn.Linear(d_out, d_out)
                    self.dropout = nn.Dropout(dropout)
                    self.register_buffer("mask", torch.tril(torch.ones(context_length, context_length)))

                def forward(self, x):
                    b, num_tokens, d_in = x.shape
                    keys = self.W_key(x)
                    queries = self.W_query(x)
                    values = self.W_value(x)
                    keys = keys.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = values.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    queries = queries.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    attn_scores = queries @ keys.transpose(2, 3)
                    mask_bool = self.mask.bool()[:num_tokens, :num_tokens]
                    attn_scores.masked_fill_(mask_bool, -torch.inf)
                    attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)
                    attn_weights = self.dropout(attn_weights)
                    context_vec = (attn_weights @ values).transpose(1, 2)
                    context_vec = context_vec.contiguous().view(b, num_tokens, self.d_out)
                    return self.out_proj(context_vec)
            """,
            NOT_FINITE + NAMED + VALUES + BEHAVIOUR + RULE,
        ),
        Wrong(
            "mask-not-cut",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    if d_out % num_heads != 0:
                        raise ValueError("d_out must be divisible by num_heads")
                    self.d_out = d_out
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.out_proj = nn.Linear(d_out, d_out)
                    self.dropout = nn.Dropout(dropout)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1))

                def forward(self, x):
                    b, num_tokens, d_in = x.shape
                    keys = self.W_key(x)
                    queries = self.W_query(x)
                    values = self.W_value(x)
                    keys = keys.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = values.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    queries = queries.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    attn_scores = queries @ keys.transpose(2, 3)
                    mask_bool = self.mask.bool()
                    attn_scores.masked_fill_(mask_bool, -torch.inf)
                    attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)
                    attn_weights = self.dropout(attn_weights)
                    context_vec = (attn_weights @ values).transpose(1, 2)
                    context_vec = context_vec.contiguous().view(b, num_tokens, self.d_out)
                    return self.out_proj(context_vec)
            """,
            RAISED,
            keeps=2,
        ),
        Wrong(
            "mask-no-buffer",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    if d_out % num_heads != 0:
                        raise ValueError("d_out must be divisible by num_heads")
                    self.d_out = d_out
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.out_proj = nn.Linear(d_out, d_out)
                    self.dropout = nn.Dropout(dropout)
                    self.mask = (torch.triu(torch.ones(context_length, context_length), diagonal=1))

                def forward(self, x):
                    b, num_tokens, d_in = x.shape
                    keys = self.W_key(x)
                    queries = self.W_query(x)
                    values = self.W_value(x)
                    keys = keys.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = values.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    queries = queries.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    attn_scores = queries @ keys.transpose(2, 3)
                    mask_bool = self.mask.bool()[:num_tokens, :num_tokens]
                    attn_scores.masked_fill_(mask_bool, -torch.inf)
                    attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)
                    attn_weights = self.dropout(attn_weights)
                    context_vec = (attn_weights @ values).transpose(1, 2)
                    context_vec = context_vec.contiguous().view(b, num_tokens, self.d_out)
                    return self.out_proj(context_vec)
            """,
            BEHAVIOUR + NAMED,
            keeps=5,
            says=r"buffer",
        ),
        Wrong(
            "mask-not-persistent",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    if d_out % num_heads != 0:
                        raise ValueError("d_out must be divisible by num_heads")
                    self.d_out = d_out
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.out_proj = nn.Linear(d_out, d_out)
                    self.dropout = nn.Dropout(dropout)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1), persistent=False)

                def forward(self, x):
                    b, num_tokens, d_in = x.shape
                    keys = self.W_key(x)
                    queries = self.W_query(x)
                    values = self.W_value(x)
                    keys = keys.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = values.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    queries = queries.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    attn_scores = queries @ keys.transpose(2, 3)
                    mask_bool = self.mask.bool()[:num_tokens, :num_tokens]
                    attn_scores.masked_fill_(mask_bool, -torch.inf)
                    attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)
                    attn_weights = self.dropout(attn_weights)
                    context_vec = (attn_weights @ values).transpose(1, 2)
                    context_vec = context_vec.contiguous().view(b, num_tokens, self.d_out)
                    return self.out_proj(context_vec)
            """,
            BEHAVIOUR + NAMED,
            keeps=5,
        ),
        Wrong(
            "mask-a-parameter",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    if d_out % num_heads != 0:
                        raise ValueError("d_out must be divisible by num_heads")
                    self.d_out = d_out
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.out_proj = nn.Linear(d_out, d_out)
                    self.dropout = nn.Dropout(dropout)
                    self.mask = nn.Parameter(torch.triu(torch.ones(context_length, context_length), diagonal=1))

                def forward(self, x):
                    b, num_tokens, d_in = x.shape
                    keys = self.W_key(x)
                    queries = self.W_query(x)
                    values = self.W_value(x)
                    keys = keys.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = values.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    queries = queries.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    attn_scores = queries @ keys.transpose(2, 3)
                    mask_bool = self.mask.bool()[:num_tokens, :num_tokens]
                    attn_scores.masked_fill_(mask_bool, -torch.inf)
                    attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)
                    attn_weights = self.dropout(attn_weights)
                    context_vec = (attn_weights @ values).transpose(1, 2)
                    context_vec = context_vec.contiguous().view(b, num_tokens, self.d_out)
                    return self.out_proj(context_vec)
            """,
            PARAMETERS + NAMED,
        ),
        Wrong(
            "mask-made-in-forward",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    if d_out % num_heads != 0:
                        raise ValueError("d_out must be divisible by num_heads")
                    self.d_out = d_out
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.out_proj = nn.Linear(d_out, d_out)
                    self.dropout = nn.Dropout(dropout)

                def forward(self, x):
                    b, num_tokens, d_in = x.shape
                    keys = self.W_key(x)
                    queries = self.W_query(x)
                    values = self.W_value(x)
                    keys = keys.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = values.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    queries = queries.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    attn_scores = queries @ keys.transpose(2, 3)
                    mask_bool = torch.triu(torch.ones(num_tokens, num_tokens), diagonal=1).bool()
                    attn_scores.masked_fill_(mask_bool, -torch.inf)
                    attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)
                    attn_weights = self.dropout(attn_weights)
                    context_vec = (attn_weights @ values).transpose(1, 2)
                    context_vec = context_vec.contiguous().view(b, num_tokens, self.d_out)
                    return self.out_proj(context_vec)
            """,
            BEHAVIOUR + NAMED,
            keeps=5,
            says=r"mask|buffer",
        ),
        Wrong(
            "mask-of-six",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    if d_out % num_heads != 0:
                        raise ValueError("d_out must be divisible by num_heads")
                    self.d_out = d_out
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.out_proj = nn.Linear(d_out, d_out)
                    self.dropout = nn.Dropout(dropout)
                    self.register_buffer("mask", torch.triu(torch.ones(6, 6), diagonal=1))

                def forward(self, x):
                    b, num_tokens, d_in = x.shape
                    keys = self.W_key(x)
                    queries = self.W_query(x)
                    values = self.W_value(x)
                    keys = keys.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = values.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    queries = queries.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    attn_scores = queries @ keys.transpose(2, 3)
                    mask_bool = self.mask.bool()[:num_tokens, :num_tokens]
                    attn_scores.masked_fill_(mask_bool, -torch.inf)
                    attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)
                    attn_weights = self.dropout(attn_weights)
                    context_vec = (attn_weights @ values).transpose(1, 2)
                    context_vec = context_vec.contiguous().view(b, num_tokens, self.d_out)
                    return self.out_proj(context_vec)
            """,
            RAISED + BEHAVIOUR + NAMED,
            keeps=3,
        ),
        Wrong(
            "dropout-forgotten",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    if d_out % num_heads != 0:
                        raise ValueError("d_out must be divisible by num_heads")
                    self.d_out = d_out
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.out_proj = nn.Linear(d_out, d_out)
                    self.dropout = nn.Dropout(dropout)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1))

                def forward(self, x):
                    b, num_tokens, d_in = x.shape
                    keys = self.W_key(x)
                    queries = self.W_query(x)
                    values = self.W_value(x)
                    keys = keys.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = values.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    queries = queries.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    attn_scores = queries @ keys.transpose(2, 3)
                    mask_bool = self.mask.bool()[:num_tokens, :num_tokens]
                    attn_scores.masked_fill_(mask_bool, -torch.inf)
                    attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)
                    context_vec = (attn_weights @ values).transpose(1, 2)
                    context_vec = context_vec.contiguous().view(b, num_tokens, self.d_out)
                    return self.out_proj(context_vec)
            """,
            NAMED + BEHAVIOUR,
            keeps=5,
            says=r"drop",
        ),
        Wrong(
            "dropout-on-scores",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    if d_out % num_heads != 0:
                        raise ValueError("d_out must be divisible by num_heads")
                    self.d_out = d_out
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.out_proj = nn.Linear(d_out, d_out)
                    self.dropout = nn.Dropout(dropout)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1))

                def forward(self, x):
                    b, num_tokens, d_in = x.shape
                    keys = self.W_key(x)
                    queries = self.W_query(x)
                    values = self.W_value(x)
                    keys = keys.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = values.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    queries = queries.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    attn_scores = self.dropout(queries @ keys.transpose(2, 3))
                    mask_bool = self.mask.bool()[:num_tokens, :num_tokens]
                    attn_scores.masked_fill_(mask_bool, -torch.inf)
                    attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)
                    context_vec = (attn_weights @ values).transpose(1, 2)
                    context_vec = context_vec.contiguous().view(b, num_tokens, self.d_out)
                    return self.out_proj(context_vec)
            """,
            NAMED + BEHAVIOUR,
            keeps=5,
        ),
        Wrong(
            "dropout-on-context",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    if d_out % num_heads != 0:
                        raise ValueError("d_out must be divisible by num_heads")
                    self.d_out = d_out
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.out_proj = nn.Linear(d_out, d_out)
                    self.dropout = nn.Dropout(dropout)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1))

                def forward(self, x):
                    b, num_tokens, d_in = x.shape
                    keys = self.W_key(x)
                    queries = self.W_query(x)
                    values = self.W_value(x)
                    keys = keys.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = values.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    queries = queries.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    attn_scores = queries @ keys.transpose(2, 3)
                    mask_bool = self.mask.bool()[:num_tokens, :num_tokens]
                    attn_scores.masked_fill_(mask_bool, -torch.inf)
                    attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)
                    context_vec = (attn_weights @ values).transpose(1, 2)
                    context_vec = context_vec.contiguous().view(b, num_tokens, self.d_out)
                    return self.out_proj(self.dropout(context_vec))
            """,
            NAMED + BEHAVIOUR,
            keeps=5,
        ),
        Wrong(
            "dropout-on-the-output",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    if d_out % num_heads != 0:
                        raise ValueError("d_out must be divisible by num_heads")
                    self.d_out = d_out
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.out_proj = nn.Linear(d_out, d_out)
                    self.dropout = nn.Dropout(dropout)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1))

                def forward(self, x):
                    b, num_tokens, d_in = x.shape
                    keys = self.W_key(x)
                    queries = self.W_query(x)
                    values = self.W_value(x)
                    keys = keys.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = values.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    queries = queries.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    attn_scores = queries @ keys.transpose(2, 3)
                    mask_bool = self.mask.bool()[:num_tokens, :num_tokens]
                    attn_scores.masked_fill_(mask_bool, -torch.inf)
                    attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)
                    context_vec = (attn_weights @ values).transpose(1, 2)
                    context_vec = context_vec.contiguous().view(b, num_tokens, self.d_out)
                    return self.dropout(self.out_proj(context_vec))
            """,
            NAMED + BEHAVIOUR,
            keeps=5,
        ),
        Wrong(
            "dropout-twice",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    if d_out % num_heads != 0:
                        raise ValueError("d_out must be divisible by num_heads")
                    self.d_out = d_out
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.out_proj = nn.Linear(d_out, d_out)
                    self.dropout = nn.Dropout(dropout)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1))

                def forward(self, x):
                    b, num_tokens, d_in = x.shape
                    keys = self.W_key(x)
                    queries = self.W_query(x)
                    values = self.W_value(x)
                    keys = keys.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = values.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    queries = queries.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    attn_scores = queries @ keys.transpose(2, 3)
                    mask_bool = self.mask.bool()[:num_tokens, :num_tokens]
                    attn_scores.masked_fill_(mask_bool, -torch.inf)
                    attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)
                    attn_weights = self.dropout(attn_weights)
                    context_vec = (attn_weights @ values).transpose(1, 2)
                    context_vec = context_vec.contiguous().view(b, num_tokens, self.d_out)
                    return self.dropout(self.out_proj(context_vec))
            """,
            NAMED + BEHAVIOUR,
            keeps=5,
        ),
        Wrong(
            "dropout-in-eval",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    if d_out % num_heads != 0:
                        raise ValueError("d_out must be divisible by num_heads")
                    self.d_out = d_out
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.out_proj = nn.Linear(d_out, d_out)
                    self.dropout = nn.Dropout(dropout)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1))

                def forward(self, x):
                    b, num_tokens, d_in = x.shape
                    keys = self.W_key(x)
                    queries = self.W_query(x)
                    values = self.W_value(x)
                    keys = keys.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = values.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    queries = queries.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    attn_scores = queries @ keys.transpose(2, 3)
                    mask_bool = self.mask.bool()[:num_tokens, :num_tokens]
                    attn_scores.masked_fill_(mask_bool, -torch.inf)
                    attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)
                    attn_weights = nn.functional.dropout(attn_weights, self.dropout.p)
                    context_vec = (attn_weights @ values).transpose(1, 2)
                    context_vec = context_vec.contiguous().view(b, num_tokens, self.d_out)
                    return self.out_proj(context_vec)
            """,
            NAMED + BEHAVIOUR,
            keeps=5,
            says=r"eval",
        ),
        Wrong(
            "dropout-renormalised",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    if d_out % num_heads != 0:
                        raise ValueError("d_out must be divisible by num_heads")
                    self.d_out = d_out
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.out_proj = nn.Linear(d_out, d_out)
                    self.dropout = nn.Dropout(dropout)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1))

                def forward(self, x):
                    b, num_tokens, d_in = x.shape
                    keys = self.W_key(x)
                    queries = self.W_query(x)
                    values = self.W_value(x)
                    keys = keys.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = values.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    queries = queries.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    attn_scores = queries @ keys.transpose(2, 3)
                    mask_bool = self.mask.bool()[:num_tokens, :num_tokens]
                    attn_scores.masked_fill_(mask_bool, -torch.inf)
                    attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)
                    attn_weights = self.dropout(attn_weights)
                    attn_weights = attn_weights / attn_weights.sum(-1, keepdim=True).clamp(min=1e-9)
                    context_vec = (attn_weights @ values).transpose(1, 2)
                    context_vec = context_vec.contiguous().view(b, num_tokens, self.d_out)
                    return self.out_proj(context_vec)
            """,
            NAMED + BEHAVIOUR,
            keeps=5,
        ),
        Wrong(
            "dropout-always-a-tenth",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    if d_out % num_heads != 0:
                        raise ValueError("d_out must be divisible by num_heads")
                    self.d_out = d_out
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.out_proj = nn.Linear(d_out, d_out)
                    self.dropout = nn.Dropout(0.1)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1))

                def forward(self, x):
                    b, num_tokens, d_in = x.shape
                    keys = self.W_key(x)
                    queries = self.W_query(x)
                    values = self.W_value(x)
                    keys = keys.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = values.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    queries = queries.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    attn_scores = queries @ keys.transpose(2, 3)
                    mask_bool = self.mask.bool()[:num_tokens, :num_tokens]
                    attn_scores.masked_fill_(mask_bool, -torch.inf)
                    attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)
                    attn_weights = self.dropout(attn_weights)
                    context_vec = (attn_weights @ values).transpose(1, 2)
                    context_vec = context_vec.contiguous().view(b, num_tokens, self.d_out)
                    return self.out_proj(context_vec)
            """,
            BEHAVIOUR + NAMED + VALUES,
            keeps=5,
        ),
        Wrong(
            "dropout-a-fixed-mask",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    if d_out % num_heads != 0:
                        raise ValueError("d_out must be divisible by num_heads")
                    self.d_out = d_out
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.out_proj = nn.Linear(d_out, d_out)
                    self.dropout = nn.Dropout(dropout)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1))

                def forward(self, x):
                    b, num_tokens, d_in = x.shape
                    keys = self.W_key(x)
                    queries = self.W_query(x)
                    values = self.W_value(x)
                    keys = keys.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = values.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    queries = queries.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    attn_scores = queries @ keys.transpose(2, 3)
                    mask_bool = self.mask.bool()[:num_tokens, :num_tokens]
                    attn_scores.masked_fill_(mask_bool, -torch.inf)
                    attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)
                    attn_weights = attn_weights * (torch.rand(num_tokens, num_tokens) > self.dropout.p) / (1 - self.dropout.p) if self.training else attn_weights
                    context_vec = (attn_weights @ values).transpose(1, 2)
                    context_vec = context_vec.contiguous().view(b, num_tokens, self.d_out)
                    return self.out_proj(context_vec)
            """,
            BEHAVIOUR + NAMED,
            keeps=5,
        ),
        Wrong(
            "not-refused",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    self.d_out = d_out
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.out_proj = nn.Linear(d_out, d_out)
                    self.dropout = nn.Dropout(dropout)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1))

                def forward(self, x):
                    b, num_tokens, d_in = x.shape
                    keys = self.W_key(x)
                    queries = self.W_query(x)
                    values = self.W_value(x)
                    keys = keys.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = values.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    queries = queries.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    attn_scores = queries @ keys.transpose(2, 3)
                    mask_bool = self.mask.bool()[:num_tokens, :num_tokens]
                    attn_scores.masked_fill_(mask_bool, -torch.inf)
                    attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)
                    attn_weights = self.dropout(attn_weights)
                    context_vec = (attn_weights @ values).transpose(1, 2)
                    context_vec = context_vec.contiguous().view(b, num_tokens, self.d_out)
                    return self.out_proj(context_vec)
            """,
            (
                "MatchesKnownWrong",
                "WrongBehaviour",
                "Raised",
                "NotRefused",
            ),
            keeps=5,
            says=r"ValueError|divid",
        ),
        Wrong(
            "assert-instead",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    assert d_out % num_heads == 0, "d_out must be divisible by num_heads"
                    self.d_out = d_out
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.out_proj = nn.Linear(d_out, d_out)
                    self.dropout = nn.Dropout(dropout)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1))

                def forward(self, x):
                    b, num_tokens, d_in = x.shape
                    keys = self.W_key(x)
                    queries = self.W_query(x)
                    values = self.W_value(x)
                    keys = keys.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = values.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    queries = queries.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    attn_scores = queries @ keys.transpose(2, 3)
                    mask_bool = self.mask.bool()[:num_tokens, :num_tokens]
                    attn_scores.masked_fill_(mask_bool, -torch.inf)
                    attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)
                    attn_weights = self.dropout(attn_weights)
                    context_vec = (attn_weights @ values).transpose(1, 2)
                    context_vec = context_vec.contiguous().view(b, num_tokens, self.d_out)
                    return self.out_proj(context_vec)
            """,
            (
                "MatchesKnownWrong",
                "WrongBehaviour",
                "Raised",
                "NotRefused",
            ),
            keeps=5,
            says=r"ValueError",
        ),
        Wrong(
            "error-returned",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    if d_out % num_heads != 0:
                        print("d_out must be divisible by num_heads")
                    self.d_out = d_out
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.out_proj = nn.Linear(d_out, d_out)
                    self.dropout = nn.Dropout(dropout)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1))

                def forward(self, x):
                    b, num_tokens, d_in = x.shape
                    keys = self.W_key(x)
                    queries = self.W_query(x)
                    values = self.W_value(x)
                    keys = keys.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = values.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    queries = queries.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    attn_scores = queries @ keys.transpose(2, 3)
                    mask_bool = self.mask.bool()[:num_tokens, :num_tokens]
                    attn_scores.masked_fill_(mask_bool, -torch.inf)
                    attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)
                    attn_weights = self.dropout(attn_weights)
                    context_vec = (attn_weights @ values).transpose(1, 2)
                    context_vec = context_vec.contiguous().view(b, num_tokens, self.d_out)
                    return self.out_proj(context_vec)
            """,
            (
                "MatchesKnownWrong",
                "WrongBehaviour",
                "Raised",
                "NotRefused",
            ),
            keeps=5,
        ),
        Wrong(
            "refused-the-other-way",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    if num_heads % d_out != 0:
                        raise ValueError("d_out must be divisible by num_heads")
                    self.d_out = d_out
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.out_proj = nn.Linear(d_out, d_out)
                    self.dropout = nn.Dropout(dropout)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1))

                def forward(self, x):
                    b, num_tokens, d_in = x.shape
                    keys = self.W_key(x)
                    queries = self.W_query(x)
                    values = self.W_value(x)
                    keys = keys.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = values.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    queries = queries.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    attn_scores = queries @ keys.transpose(2, 3)
                    mask_bool = self.mask.bool()[:num_tokens, :num_tokens]
                    attn_scores.masked_fill_(mask_bool, -torch.inf)
                    attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)
                    attn_weights = self.dropout(attn_weights)
                    context_vec = (attn_weights @ values).transpose(1, 2)
                    context_vec = context_vec.contiguous().view(b, num_tokens, self.d_out)
                    return self.out_proj(context_vec)
            """,
            RAISED,
        ),
        Wrong(
            "d-in-checked",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    if d_in % num_heads != 0:
                        raise ValueError("d_out must be divisible by num_heads")
                    self.d_out = d_out
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.out_proj = nn.Linear(d_out, d_out)
                    self.dropout = nn.Dropout(dropout)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1))

                def forward(self, x):
                    b, num_tokens, d_in = x.shape
                    keys = self.W_key(x)
                    queries = self.W_query(x)
                    values = self.W_value(x)
                    keys = keys.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = values.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    queries = queries.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    attn_scores = queries @ keys.transpose(2, 3)
                    mask_bool = self.mask.bool()[:num_tokens, :num_tokens]
                    attn_scores.masked_fill_(mask_bool, -torch.inf)
                    attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)
                    attn_weights = self.dropout(attn_weights)
                    context_vec = (attn_weights @ values).transpose(1, 2)
                    context_vec = context_vec.contiguous().view(b, num_tokens, self.d_out)
                    return self.out_proj(context_vec)
            """,
            RAISED,
        ),
        Wrong(
            "always-refused",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    if d_out % num_heads == 0:
                        raise ValueError("d_out must be divisible by num_heads")
                    self.d_out = d_out
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.out_proj = nn.Linear(d_out, d_out)
                    self.dropout = nn.Dropout(dropout)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1))

                def forward(self, x):
                    b, num_tokens, d_in = x.shape
                    keys = self.W_key(x)
                    queries = self.W_query(x)
                    values = self.W_value(x)
                    keys = keys.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = values.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    queries = queries.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    attn_scores = queries @ keys.transpose(2, 3)
                    mask_bool = self.mask.bool()[:num_tokens, :num_tokens]
                    attn_scores.masked_fill_(mask_bool, -torch.inf)
                    attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)
                    attn_weights = self.dropout(attn_weights)
                    context_vec = (attn_weights @ values).transpose(1, 2)
                    context_vec = context_vec.contiguous().view(b, num_tokens, self.d_out)
                    return self.out_proj(context_vec)
            """,
            RAISED,
        ),
        Wrong(
            "refused-in-forward",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    self.d_out = d_out
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.out_proj = nn.Linear(d_out, d_out)
                    self.dropout = nn.Dropout(dropout)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1))

                def forward(self, x):
                    if self.d_out % self.num_heads != 0:
                        raise ValueError('not divisible')
                    b, num_tokens, d_in = x.shape
                    keys = self.W_key(x)
                    queries = self.W_query(x)
                    values = self.W_value(x)
                    keys = keys.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = values.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    queries = queries.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    attn_scores = queries @ keys.transpose(2, 3)
                    mask_bool = self.mask.bool()[:num_tokens, :num_tokens]
                    attn_scores.masked_fill_(mask_bool, -torch.inf)
                    attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)
                    attn_weights = self.dropout(attn_weights)
                    context_vec = (attn_weights @ values).transpose(1, 2)
                    context_vec = context_vec.contiguous().view(b, num_tokens, self.d_out)
                    return self.out_proj(context_vec)
            """,
            (
                "MatchesKnownWrong",
                "WrongBehaviour",
                "Raised",
                "NotRefused",
            ),
            keeps=5,
        ),
        Wrong(
            "heads-of-full-width",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    if d_out % num_heads != 0:
                        raise ValueError("d_out must be divisible by num_heads")
                    self.d_out = d_out
                    self.num_heads = num_heads
                    self.head_dim = d_out
                    self.W_query = nn.Linear(d_in, d_out * num_heads, bias=qkv_bias)
                    self.W_key = nn.Linear(d_in, d_out * num_heads, bias=qkv_bias)
                    self.W_value = nn.Linear(d_in, d_out * num_heads, bias=qkv_bias)
                    self.out_proj = nn.Linear(d_out * num_heads, d_out)
                    self.dropout = nn.Dropout(dropout)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1))

                def forward(self, x):
                    b, num_tokens, d_in = x.shape
                    keys = self.W_key(x)
                    queries = self.W_query(x)
                    values = self.W_value(x)
                    keys = keys.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = values.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    queries = queries.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    attn_scores = queries @ keys.transpose(2, 3)
                    mask_bool = self.mask.bool()[:num_tokens, :num_tokens]
                    attn_scores.masked_fill_(mask_bool, -torch.inf)
                    attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)
                    attn_weights = self.dropout(attn_weights)
                    context_vec = (attn_weights @ values).transpose(1, 2)
                    context_vec = context_vec.contiguous().view(b, num_tokens, -1)
                    return self.out_proj(context_vec)
            """,
            PARAMETERS + NAMED,
        ),
        Wrong(
            "one-wide-head",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    if d_out % num_heads != 0:
                        raise ValueError("d_out must be divisible by num_heads")
                    self.d_out = d_out
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.out_proj = nn.Linear(d_out, d_out)
                    self.dropout = nn.Dropout(dropout)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1))

                def forward(self, x):
                    queries, keys, values = self.W_query(x), self.W_key(x), self.W_value(x)
                    scores = queries @ keys.transpose(1, 2)
                    n = x.shape[1]
                    scores = scores.masked_fill(self.mask.bool()[:n, :n], -torch.inf)
                    weights = self.dropout(torch.softmax(scores / keys.shape[-1] ** 0.5, dim=-1))
                    return self.out_proj(weights @ values)
            """,
            NAMED + VALUES,
        ),
        Wrong(
            "fused-qkv",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    if d_out % num_heads != 0:
                        raise ValueError("d_out must be divisible by num_heads")
                    self.d_out = d_out
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.qkv = nn.Linear(d_in, 3 * d_out, bias=qkv_bias)
                    self.out_proj = nn.Linear(d_out, d_out)
                    self.dropout = nn.Dropout(dropout)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1))

                def forward(self, x):
                    queries, keys, values = (split_heads(t, self.num_heads) for t in self.qkv(x).chunk(3, dim=-1))
                    out = nn.functional.scaled_dot_product_attention(queries, keys, values, is_causal=True)
                    return self.out_proj(merge_heads(out))
            """,
            PARAMETERS,
            says=r"W_query",
        ),
        Wrong(
            "projection-named-proj",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    if d_out % num_heads != 0:
                        raise ValueError("d_out must be divisible by num_heads")
                    self.d_out = d_out
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.proj = nn.Linear(d_out, d_out)
                    self.dropout = nn.Dropout(dropout)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1))

                def forward(self, x):
                    b, num_tokens, d_in = x.shape
                    keys = self.W_key(x)
                    queries = self.W_query(x)
                    values = self.W_value(x)
                    keys = keys.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = values.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    queries = queries.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    attn_scores = queries @ keys.transpose(2, 3)
                    mask_bool = self.mask.bool()[:num_tokens, :num_tokens]
                    attn_scores.masked_fill_(mask_bool, -torch.inf)
                    attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)
                    attn_weights = self.dropout(attn_weights)
                    context_vec = (attn_weights @ values).transpose(1, 2)
                    context_vec = context_vec.contiguous().view(b, num_tokens, self.d_out)
                    return self.proj(context_vec)
            """,
            PARAMETERS,
            says=r"out_proj",
        ),
        Wrong(
            "weights-as-parameters",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    if d_out % num_heads != 0:
                        raise ValueError("d_out must be divisible by num_heads")
                    self.d_out = d_out
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Parameter(torch.randn(d_in, d_out))
                    self.W_key = nn.Parameter(torch.randn(d_in, d_out))
                    self.W_value = nn.Parameter(torch.randn(d_in, d_out))
                    self.out_proj = nn.Linear(d_out, d_out)
                    self.dropout = nn.Dropout(dropout)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1))

                def forward(self, x):
                    b, num_tokens, d_in = x.shape
                    keys = x @ self.W_key
                    queries = x @ self.W_query
                    values = x @ self.W_value
                    keys = keys.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = values.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    queries = queries.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    attn_scores = queries @ keys.transpose(2, 3)
                    mask_bool = self.mask.bool()[:num_tokens, :num_tokens]
                    attn_scores.masked_fill_(mask_bool, -torch.inf)
                    attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)
                    attn_weights = self.dropout(attn_weights)
                    context_vec = (attn_weights @ values).transpose(1, 2)
                    context_vec = context_vec.contiguous().view(b, num_tokens, self.d_out)
                    return self.out_proj(context_vec)
            """,
            PARAMETERS,
        ),
        Wrong(
            "weights-used-untransposed",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    if d_out % num_heads != 0:
                        raise ValueError("d_out must be divisible by num_heads")
                    self.d_out = d_out
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.out_proj = nn.Linear(d_out, d_out)
                    self.dropout = nn.Dropout(dropout)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1))

                def forward(self, x):
                    b, num_tokens, d_in = x.shape
                    keys = x @ self.W_key.weight
                    queries = self.W_query(x)
                    values = self.W_value(x)
                    keys = keys.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = values.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    queries = queries.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    attn_scores = queries @ keys.transpose(2, 3)
                    mask_bool = self.mask.bool()[:num_tokens, :num_tokens]
                    attn_scores.masked_fill_(mask_bool, -torch.inf)
                    attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)
                    attn_weights = self.dropout(attn_weights)
                    context_vec = (attn_weights @ values).transpose(1, 2)
                    context_vec = context_vec.contiguous().view(b, num_tokens, self.d_out)
                    return self.out_proj(context_vec)
            """,
            RAISED + NAMED,
        ),
        Wrong(
            "scaled-dot-product-without-dropout",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    if d_out % num_heads != 0:
                        raise ValueError("d_out must be divisible by num_heads")
                    self.d_out = d_out
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.out_proj = nn.Linear(d_out, d_out)
                    self.dropout = nn.Dropout(dropout)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1))

                def forward(self, x):
                    q, k, v = (split_heads(w(x), self.num_heads) for w in (self.W_query, self.W_key, self.W_value))
                    y = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
                    return self.out_proj(merge_heads(y))
            """,
            NAMED + BEHAVIOUR,
            keeps=5,
            says=r"drop",
        ),
        Wrong(
            "scaled-dot-product-dropout-in-eval",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    if d_out % num_heads != 0:
                        raise ValueError("d_out must be divisible by num_heads")
                    self.d_out = d_out
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.out_proj = nn.Linear(d_out, d_out)
                    self.dropout = nn.Dropout(dropout)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1))

                def forward(self, x):
                    q, k, v = (split_heads(w(x), self.num_heads) for w in (self.W_query, self.W_key, self.W_value))
                    y = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True, dropout_p=self.dropout.p)
                    return self.out_proj(merge_heads(y))
            """,
            NAMED + BEHAVIOUR,
            keeps=5,
            says=r"eval",
        ),
        Wrong(
            "scaled-dot-product-mask-inverted",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    if d_out % num_heads != 0:
                        raise ValueError("d_out must be divisible by num_heads")
                    self.d_out = d_out
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.out_proj = nn.Linear(d_out, d_out)
                    self.dropout = nn.Dropout(dropout)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1))

                def forward(self, x):
                    n = x.shape[1]
                    q, k, v = (split_heads(w(x), self.num_heads) for w in (self.W_query, self.W_key, self.W_value))
                    p = self.dropout.p if self.training else 0.0
                    mask = self.mask[:n, :n].bool()
                    y = torch.nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=mask, dropout_p=p)
                    return self.out_proj(merge_heads(y))
            """,
            NOT_FINITE + NAMED + VALUES + BEHAVIOUR + RULE,
        ),
        Wrong(
            "reads-the-notebook-batch",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    if d_out % num_heads != 0:
                        raise ValueError("d_out must be divisible by num_heads")
                    self.d_out = d_out
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.out_proj = nn.Linear(d_out, d_out)
                    self.dropout = nn.Dropout(dropout)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1))

                def forward(self, x):
                    b, num_tokens, d_in = batch.shape
                    keys = self.W_key(x)
                    queries = self.W_query(x)
                    values = self.W_value(x)
                    keys = keys.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = values.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    queries = queries.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    attn_scores = queries @ keys.transpose(2, 3)
                    mask_bool = self.mask.bool()[:num_tokens, :num_tokens]
                    attn_scores.masked_fill_(mask_bool, -torch.inf)
                    attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)
                    attn_weights = self.dropout(attn_weights)
                    context_vec = (attn_weights @ values).transpose(1, 2)
                    context_vec = context_vec.contiguous().view(b, num_tokens, self.d_out)
                    return self.out_proj(context_vec)
            """,
            RAISED + VALUES + SHAPE,
            keeps=2,
            says=r"`batch`",
        ),
        Wrong(
            "global-context-length",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    if d_out % num_heads != 0:
                        raise ValueError("d_out must be divisible by num_heads")
                    self.d_out = d_out
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.out_proj = nn.Linear(d_out, d_out)
                    self.dropout = nn.Dropout(dropout)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1))

                def forward(self, x):
                    b, num_tokens, d_in = x.shape
                    keys = self.W_key(x)
                    queries = self.W_query(x)
                    values = self.W_value(x)
                    keys = keys.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = values.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    queries = queries.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    attn_scores = queries @ keys.transpose(2, 3)
                    mask_bool = self.mask.bool()[:context_length, :context_length]
                    attn_scores.masked_fill_(mask_bool, -torch.inf)
                    attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)
                    attn_weights = self.dropout(attn_weights)
                    context_vec = (attn_weights @ values).transpose(1, 2)
                    context_vec = context_vec.contiguous().view(b, num_tokens, self.d_out)
                    return self.out_proj(context_vec)
            """,
            RAISED,
            keeps=2,
            says=r"`context_length`",
        ),
        Wrong(
            "d-out-of-the-notebook",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    if d_out % num_heads != 0:
                        raise ValueError("d_out must be divisible by num_heads")
                    self.d_out = d_out
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.out_proj = nn.Linear(d_out, d_out)
                    self.dropout = nn.Dropout(dropout)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1))

                def forward(self, x):
                    b, num_tokens, d_in = x.shape
                    keys = self.W_key(x)
                    queries = self.W_query(x)
                    values = self.W_value(x)
                    keys = keys.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = values.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    queries = queries.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    attn_scores = queries @ keys.transpose(2, 3)
                    mask_bool = self.mask.bool()[:num_tokens, :num_tokens]
                    attn_scores.masked_fill_(mask_bool, -torch.inf)
                    attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)
                    attn_weights = self.dropout(attn_weights)
                    context_vec = (attn_weights @ values).transpose(1, 2)
                    context_vec = context_vec.contiguous().view(b, num_tokens, d_out)
                    return self.out_proj(context_vec)
            """,
            RAISED + SHAPE,
            says=r"`d_out`|shape",
        ),
        Wrong(
            "x-edited",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    if d_out % num_heads != 0:
                        raise ValueError("d_out must be divisible by num_heads")
                    self.d_out = d_out
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.out_proj = nn.Linear(d_out, d_out)
                    self.dropout = nn.Dropout(dropout)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1))

                def forward(self, x):
                    b, num_tokens, d_in = x.shape
                    x.clamp_(-1, 1)
                    keys = self.W_key(x)
                    queries = self.W_query(x)
                    values = self.W_value(x)
                    keys = keys.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = values.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    queries = queries.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    attn_scores = queries @ keys.transpose(2, 3)
                    mask_bool = self.mask.bool()[:num_tokens, :num_tokens]
                    attn_scores.masked_fill_(mask_bool, -torch.inf)
                    attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)
                    attn_weights = self.dropout(attn_weights)
                    context_vec = (attn_weights @ values).transpose(1, 2)
                    context_vec = context_vec.contiguous().view(b, num_tokens, self.d_out)
                    return self.out_proj(context_vec)
            """,
            RULE + BEHAVIOUR + VALUES,
        ),
        Wrong(
            "super-forgotten",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    if d_out % num_heads != 0:
                        raise ValueError("d_out must be divisible by num_heads")
                    self.d_out = d_out
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.out_proj = nn.Linear(d_out, d_out)
                    self.dropout = nn.Dropout(dropout)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1))

                def forward(self, x):
                    b, num_tokens, d_in = x.shape
                    keys = self.W_key(x)
                    queries = self.W_query(x)
                    values = self.W_value(x)
                    keys = keys.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = values.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    queries = queries.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    attn_scores = queries @ keys.transpose(2, 3)
                    mask_bool = self.mask.bool()[:num_tokens, :num_tokens]
                    attn_scores.masked_fill_(mask_bool, -torch.inf)
                    attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)
                    attn_weights = self.dropout(attn_weights)
                    context_vec = (attn_weights @ values).transpose(1, 2)
                    context_vec = context_vec.contiguous().view(b, num_tokens, self.d_out)
                    return self.out_proj(context_vec)
            """,
            RAISED,
            says=r"super",
        ),
        Wrong(
            "returns-weights-too",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    if d_out % num_heads != 0:
                        raise ValueError("d_out must be divisible by num_heads")
                    self.d_out = d_out
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.out_proj = nn.Linear(d_out, d_out)
                    self.dropout = nn.Dropout(dropout)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1))

                def forward(self, x):
                    b, num_tokens, d_in = x.shape
                    keys = self.W_key(x)
                    queries = self.W_query(x)
                    values = self.W_value(x)
                    keys = keys.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = values.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    queries = queries.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    attn_scores = queries @ keys.transpose(2, 3)
                    mask_bool = self.mask.bool()[:num_tokens, :num_tokens]
                    attn_scores.masked_fill_(mask_bool, -torch.inf)
                    attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)
                    attn_weights = self.dropout(attn_weights)
                    context_vec = (attn_weights @ values).transpose(1, 2)
                    context_vec = context_vec.contiguous().view(b, num_tokens, self.d_out)
                    return self.out_proj(context_vec), attn_weights
            """,
            TYPE,
        ),
        Wrong(
            "return-forgotten",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    if d_out % num_heads != 0:
                        raise ValueError("d_out must be divisible by num_heads")
                    self.d_out = d_out
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.out_proj = nn.Linear(d_out, d_out)
                    self.dropout = nn.Dropout(dropout)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1))

                def forward(self, x):
                    b, num_tokens, d_in = x.shape
                    keys = self.W_key(x)
                    queries = self.W_query(x)
                    values = self.W_value(x)
                    keys = keys.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = values.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    queries = queries.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    attn_scores = queries @ keys.transpose(2, 3)
                    mask_bool = self.mask.bool()[:num_tokens, :num_tokens]
                    attn_scores.masked_fill_(mask_bool, -torch.inf)
                    attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)
                    attn_weights = self.dropout(attn_weights)
                    context_vec = (attn_weights @ values).transpose(1, 2)
                    context_vec = context_vec.contiguous().view(b, num_tokens, self.d_out)
                    self.out_proj(context_vec)
            """,
            TYPE,
        ),
        Wrong(
            "nan-hidden",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    if d_out % num_heads != 0:
                        raise ValueError("d_out must be divisible by num_heads")
                    self.d_out = d_out
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.out_proj = nn.Linear(d_out, d_out)
                    self.dropout = nn.Dropout(dropout)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=0))

                def forward(self, x):
                    b, num_tokens, d_in = x.shape
                    keys = self.W_key(x)
                    queries = self.W_query(x)
                    values = self.W_value(x)
                    keys = keys.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = values.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    queries = queries.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    attn_scores = queries @ keys.transpose(2, 3)
                    mask_bool = self.mask.bool()[:num_tokens, :num_tokens]
                    attn_scores.masked_fill_(mask_bool, -torch.inf)
                    attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1).nan_to_num()
                    attn_weights = self.dropout(attn_weights)
                    context_vec = (attn_weights @ values).transpose(1, 2)
                    context_vec = context_vec.contiguous().view(b, num_tokens, self.d_out)
                    return self.out_proj(context_vec)
            """,
            NAMED + VALUES + BEHAVIOUR + RULE,
        ),
        Wrong(
            "causality-by-half-precision",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    if d_out % num_heads != 0:
                        raise ValueError("d_out must be divisible by num_heads")
                    self.d_out = d_out
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.out_proj = nn.Linear(d_out, d_out)
                    self.dropout = nn.Dropout(dropout)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1))

                def forward(self, x):
                    b, num_tokens, d_in = x.shape
                    keys = self.W_key(x)
                    queries = self.W_query(x)
                    values = self.W_value(x)
                    keys = keys.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = values.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    queries = queries.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    attn_scores = queries.half() @ keys.half().transpose(2, 3)
                    mask_bool = self.mask.bool()[:num_tokens, :num_tokens]
                    attn_scores.masked_fill_(mask_bool, -torch.inf)
                    attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)
                    attn_weights = self.dropout(attn_weights)
                    context_vec = (attn_weights @ values).transpose(1, 2)
                    context_vec = context_vec.contiguous().view(b, num_tokens, self.d_out)
                    return self.out_proj(context_vec)
            """,
            RAISED + DTYPE + VALUES,
        ),
        Wrong(
            "only-init",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    if d_out % num_heads != 0:
                        raise ValueError("d_out must be divisible by num_heads")
                    self.d_out = d_out
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.out_proj = nn.Linear(d_out, d_out)
                    self.dropout = nn.Dropout(dropout)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1))

                def forward(self, x):
                    ...
            """,
            STUB + TYPE,
        ),
        Wrong(
            "as-given",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    ...

                def forward(self, x):
                    ...
            """,
            STUB,
        ),
        Wrong(
            "misspelt",
            """
            class MultiheadAttention(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    if d_out % num_heads != 0:
                        raise ValueError("d_out must be divisible by num_heads")
                    self.d_out = d_out
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.out_proj = nn.Linear(d_out, d_out)
                    self.dropout = nn.Dropout(dropout)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1))

                def forward(self, x):
                    b, num_tokens, d_in = x.shape
                    keys = self.W_key(x)
                    queries = self.W_query(x)
                    values = self.W_value(x)
                    keys = keys.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = values.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    queries = queries.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    attn_scores = queries @ keys.transpose(2, 3)
                    mask_bool = self.mask.bool()[:num_tokens, :num_tokens]
                    attn_scores.masked_fill_(mask_bool, -torch.inf)
                    attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)
                    attn_weights = self.dropout(attn_weights)
                    context_vec = (attn_weights @ values).transpose(1, 2)
                    context_vec = context_vec.contiguous().view(b, num_tokens, self.d_out)
                    return self.out_proj(context_vec)
            """,
            MISSING,
            says=r"`MultiheadAttention`",
        ),
    ),
    right=(
        Right(
            "as-in-the-book",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    if d_out % num_heads != 0:
                        raise ValueError("d_out must be divisible by num_heads")
                    self.d_out = d_out
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.out_proj = nn.Linear(d_out, d_out)
                    self.dropout = nn.Dropout(dropout)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1))

                def forward(self, x):
                    b, num_tokens, d_in = x.shape
                    keys = self.W_key(x)
                    queries = self.W_query(x)
                    values = self.W_value(x)
                    keys = keys.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = values.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    queries = queries.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    attn_scores = queries @ keys.transpose(2, 3)
                    mask_bool = self.mask.bool()[:num_tokens, :num_tokens]
                    attn_scores.masked_fill_(mask_bool, -torch.inf)
                    attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)
                    attn_weights = self.dropout(attn_weights)
                    context_vec = (attn_weights @ values).transpose(1, 2)
                    context_vec = context_vec.contiguous().view(b, num_tokens, self.d_out)
                    return self.out_proj(context_vec)
            """,
        ),
        Right(
            "own-helpers",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    if d_out % num_heads != 0:
                        raise ValueError("d_out must be divisible by num_heads")
                    self.d_out = d_out
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.out_proj = nn.Linear(d_out, d_out)
                    self.dropout = nn.Dropout(dropout)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1))

                def forward(self, x):
                    n = x.shape[1]
                    q = split_heads(self.W_query(x), self.num_heads)
                    k = split_heads(self.W_key(x), self.num_heads)
                    v = split_heads(self.W_value(x), self.num_heads)
                    s = (q @ k.mT) / self.head_dim**0.5
                    s = s.masked_fill(self.mask[:n, :n] == 1, float("-inf"))
                    return self.out_proj(merge_heads(self.dropout(s.softmax(-1)) @ v))
            """,
        ),
        Right(
            "scaled-dot-product",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    if d_out % num_heads != 0:
                        raise ValueError("d_out must be divisible by num_heads")
                    self.d_out = d_out
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.out_proj = nn.Linear(d_out, d_out)
                    self.dropout = nn.Dropout(dropout)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1))

                def forward(self, x):
                    q, k, v = (split_heads(w(x), self.num_heads) for w in (self.W_query, self.W_key, self.W_value))
                    p = self.dropout.p if self.training else 0.0
                    y = torch.nn.functional.scaled_dot_product_attention(q, k, v, dropout_p=p, is_causal=True)
                    return self.out_proj(merge_heads(y))
            """,
        ),
        Right(
            "scaled-dot-product-mask-kept",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    if d_out % num_heads != 0:
                        raise ValueError("d_out must be divisible by num_heads")
                    self.d_out = d_out
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.out_proj = nn.Linear(d_out, d_out)
                    self.dropout = nn.Dropout(dropout)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1).bool())

                def forward(self, x):
                    n = x.shape[1]
                    q, k, v = (split_heads(w(x), self.num_heads) for w in (self.W_query, self.W_key, self.W_value))
                    y = torch.nn.functional.scaled_dot_product_attention(
                        q, k, v, attn_mask=~self.mask[:n, :n], dropout_p=self.dropout.p * self.training)
                    return self.out_proj(merge_heads(y))
            """,
        ),
        Right(
            "tril-mask-allowed",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    if d_out % num_heads != 0:
                        raise ValueError("d_out must be divisible by num_heads")
                    self.d_out = d_out
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.out_proj = nn.Linear(d_out, d_out)
                    self.dropout = nn.Dropout(dropout)
                    self.register_buffer("mask", torch.tril(torch.ones(context_length, context_length)))

                def forward(self, x):
                    b, num_tokens, d_in = x.shape
                    keys = self.W_key(x)
                    queries = self.W_query(x)
                    values = self.W_value(x)
                    keys = keys.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = values.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    queries = queries.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    attn_scores = queries @ keys.transpose(2, 3)
                    mask_bool = self.mask[:num_tokens, :num_tokens] == 0
                    attn_scores.masked_fill_(mask_bool, -torch.inf)
                    attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)
                    attn_weights = self.dropout(attn_weights)
                    context_vec = (attn_weights @ values).transpose(1, 2)
                    context_vec = context_vec.contiguous().view(b, num_tokens, self.d_out)
                    return self.out_proj(context_vec)
            """,
        ),
        Right(
            "mask-of-four-axes",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    if d_out % num_heads != 0:
                        raise ValueError("d_out must be divisible by num_heads")
                    self.d_out = d_out
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.out_proj = nn.Linear(d_out, d_out)
                    self.dropout = nn.Dropout(dropout)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1).bool().view(1, 1, context_length, context_length))

                def forward(self, x):
                    b, num_tokens, d_in = x.shape
                    keys = self.W_key(x)
                    queries = self.W_query(x)
                    values = self.W_value(x)
                    keys = keys.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = values.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    queries = queries.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    attn_scores = queries @ keys.transpose(2, 3)
                    mask_bool = self.mask[:, :, :num_tokens, :num_tokens]
                    attn_scores.masked_fill_(mask_bool, -torch.inf)
                    attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)
                    attn_weights = self.dropout(attn_weights)
                    context_vec = (attn_weights @ values).transpose(1, 2)
                    context_vec = context_vec.contiguous().view(b, num_tokens, self.d_out)
                    return self.out_proj(context_vec)
            """,
        ),
        Right(
            "additive-mask",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    if d_out % num_heads != 0:
                        raise ValueError("d_out must be divisible by num_heads")
                    self.d_out = d_out
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.out_proj = nn.Linear(d_out, d_out)
                    self.dropout = nn.Dropout(dropout)
                    self.register_buffer("mask", torch.full((context_length, context_length), -torch.inf).triu(1))

                def forward(self, x):
                    b, num_tokens, d_in = x.shape
                    keys = self.W_key(x)
                    queries = self.W_query(x)
                    values = self.W_value(x)
                    keys = keys.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = values.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    queries = queries.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    attn_scores = queries @ keys.transpose(2, 3)
                    attn_scores = attn_scores + self.mask[:num_tokens, :num_tokens]
                    attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)
                    attn_weights = self.dropout(attn_weights)
                    context_vec = (attn_weights @ values).transpose(1, 2)
                    context_vec = context_vec.contiguous().view(b, num_tokens, self.d_out)
                    return self.out_proj(context_vec)
            """,
        ),
        Right(
            "minus-1e9",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    if d_out % num_heads != 0:
                        raise ValueError("d_out must be divisible by num_heads")
                    self.d_out = d_out
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.out_proj = nn.Linear(d_out, d_out)
                    self.dropout = nn.Dropout(dropout)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1))

                def forward(self, x):
                    b, num_tokens, d_in = x.shape
                    keys = self.W_key(x)
                    queries = self.W_query(x)
                    values = self.W_value(x)
                    keys = keys.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = values.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    queries = queries.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    attn_scores = queries @ keys.transpose(2, 3)
                    mask_bool = self.mask.bool()[:num_tokens, :num_tokens]
                    attn_scores.masked_fill_(mask_bool, -1e9)
                    attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)
                    attn_weights = self.dropout(attn_weights)
                    context_vec = (attn_weights @ values).transpose(1, 2)
                    context_vec = context_vec.contiguous().view(b, num_tokens, self.d_out)
                    return self.out_proj(context_vec)
            """,
        ),
        Right(
            "finfo-min",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    if d_out % num_heads != 0:
                        raise ValueError("d_out must be divisible by num_heads")
                    self.d_out = d_out
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.out_proj = nn.Linear(d_out, d_out)
                    self.dropout = nn.Dropout(dropout)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1))

                def forward(self, x):
                    b, num_tokens, d_in = x.shape
                    keys = self.W_key(x)
                    queries = self.W_query(x)
                    values = self.W_value(x)
                    keys = keys.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = values.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    queries = queries.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    attn_scores = queries @ keys.transpose(2, 3)
                    mask_bool = self.mask.bool()[:num_tokens, :num_tokens]
                    attn_scores.masked_fill_(mask_bool, torch.finfo(attn_scores.dtype).min)
                    attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)
                    attn_weights = self.dropout(attn_weights)
                    context_vec = (attn_weights @ values).transpose(1, 2)
                    context_vec = context_vec.contiguous().view(b, num_tokens, self.d_out)
                    return self.out_proj(context_vec)
            """,
        ),
        Right(
            "where",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    if d_out % num_heads != 0:
                        raise ValueError("d_out must be divisible by num_heads")
                    self.d_out = d_out
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.out_proj = nn.Linear(d_out, d_out)
                    self.dropout = nn.Dropout(dropout)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1))

                def forward(self, x):
                    b, num_tokens, d_in = x.shape
                    keys = self.W_key(x)
                    queries = self.W_query(x)
                    values = self.W_value(x)
                    keys = keys.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = values.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    queries = queries.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    attn_scores = queries @ keys.transpose(2, 3)
                    mask_bool = self.mask.bool()[:num_tokens, :num_tokens]
                    attn_scores = torch.where(mask_bool, torch.tensor(-torch.inf), attn_scores)
                    attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)
                    attn_weights = self.dropout(attn_weights)
                    context_vec = (attn_weights @ values).transpose(1, 2)
                    context_vec = context_vec.contiguous().view(b, num_tokens, self.d_out)
                    return self.out_proj(context_vec)
            """,
        ),
        Right(
            "einsum",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    if d_out % num_heads != 0:
                        raise ValueError("d_out must be divisible by num_heads")
                    self.d_out = d_out
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.out_proj = nn.Linear(d_out, d_out)
                    self.dropout = nn.Dropout(dropout)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1))

                def forward(self, x):
                    n = x.size(1)
                    shape = (x.size(0), n, self.num_heads, self.head_dim)
                    q, k, v = self.W_query(x).view(shape), self.W_key(x).view(shape), self.W_value(x).view(shape)
                    s = torch.einsum("bqhd,bkhd->bhqk", q, k) * self.head_dim**-0.5
                    s = s.masked_fill(self.mask.bool()[:n, :n], -torch.inf)
                    w = self.dropout(nn.functional.softmax(s, dim=-1))
                    return self.out_proj(torch.einsum("bhqk,bkhd->bqhd", w, v).flatten(2))
            """,
        ),
        Right(
            "loop-over-heads",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    if d_out % num_heads != 0:
                        raise ValueError("d_out must be divisible by num_heads")
                    self.d_out = d_out
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.out_proj = nn.Linear(d_out, d_out)
                    self.dropout = nn.Dropout(dropout)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1))

                def forward(self, x):
                    n = x.shape[1]
                    out = []
                    pieces = [w(x).chunk(self.num_heads, -1) for w in (self.W_query, self.W_key, self.W_value)]
                    for q, k, v in zip(*pieces):
                        s = (q @ k.transpose(1, 2)).masked_fill(self.mask[:n, :n].bool(), -torch.inf)
                        out.append(self.dropout(torch.softmax(s / self.head_dim**0.5, dim=-1)) @ v)
                    return self.out_proj(torch.cat(out, dim=-1))
            """,
        ),
        Right(
            "heads-folded-into-the-batch",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    if d_out % num_heads != 0:
                        raise ValueError("d_out must be divisible by num_heads")
                    self.d_out = d_out
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.out_proj = nn.Linear(d_out, d_out)
                    self.dropout = nn.Dropout(dropout)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1))

                def forward(self, x):
                    b, n, _ = x.shape
                    h = self.num_heads
                    fold = lambda t: t.view(b, n, h, -1).transpose(1, 2).reshape(b * h, n, -1)
                    q, k, v = fold(self.W_query(x)), fold(self.W_key(x)), fold(self.W_value(x))
                    s = torch.bmm(q, k.transpose(1, 2)) / k.size(-1) ** 0.5
                    s = s.masked_fill(self.mask[:n, :n].bool(), -torch.inf)
                    y = torch.bmm(self.dropout(s.softmax(-1)), v).view(b, h, n, -1)
                    return self.out_proj(merge_heads(y))
            """,
        ),
        Right(
            "wide-weight-at-once",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    if d_out % num_heads != 0:
                        raise ValueError("d_out must be divisible by num_heads")
                    self.d_out = d_out
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.out_proj = nn.Linear(d_out, d_out)
                    self.dropout = nn.Dropout(dropout)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1))

                def forward(self, x):
                    n = x.shape[1]
                    layers = (self.W_query, self.W_key, self.W_value)
                    weight = torch.cat([l.weight for l in layers])
                    bias = None if self.W_query.bias is None else torch.cat([l.bias for l in layers])
                    q, k, v = nn.functional.linear(x, weight, bias).chunk(3, dim=-1)
                    q, k, v = [split_heads(t, self.num_heads) for t in (q, k, v)]
                    s = (q @ k.transpose(-2, -1)).masked_fill(self.mask[:n, :n] > 0, -torch.inf)
                    return self.out_proj(merge_heads(self.dropout((s / self.head_dim**0.5).softmax(-1)) @ v))
            """,
        ),
        Right(
            "helper-methods-and-a-property",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    if d_out % num_heads != 0:
                        raise ValueError("d_out must be divisible by num_heads")
                    self.d_out = d_out
                    self.num_heads = num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.out_proj = nn.Linear(d_out, d_out)
                    self.dropout = nn.Dropout(dropout)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1))

                def forward(self, x):
                    q, k, v = self.split(self.W_query(x)), self.split(self.W_key(x)), self.split(self.W_value(x))
                    return self.out_proj(self.attend(q, k, v).transpose(1, 2).flatten(2))

                @property
                def head_dim(self):
                    return self.d_out // self.num_heads

                def split(self, t):
                    return t.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)

                def attend(self, q, k, v):
                    n = q.shape[-2]
                    scores = (q @ k.transpose(-1, -2)).masked_fill(self.mask[:n, :n].bool(), -torch.inf)
                    self.last_weights = torch.softmax(scores / self.head_dim**0.5, dim=-1)
                    return self.dropout(self.last_weights) @ v
            """,
        ),
        Right(
            "inherits-from-causal-attention",
            """
            class MultiHeadAttention(CausalAttention):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    if d_out % num_heads:
                        raise ValueError(f"{num_heads} heads cannot share {d_out} numbers")
                    super().__init__(d_in, d_out, context_length, dropout, qkv_bias)
                    self.num_heads = num_heads
                    self.out_proj = nn.Linear(d_out, d_out)

                def forward(self, x):
                    n = x.shape[1]
                    q, k, v = (split_heads(w(x), self.num_heads) for w in (self.W_query, self.W_key, self.W_value))
                    s = q @ k.mT / k.shape[-1] ** 0.5
                    s = s.masked_fill(self.mask.bool()[:n, :n], -torch.inf)
                    return self.out_proj(merge_heads(self.dropout(s.softmax(-1)) @ v))
            """,
        ),
        Right(
            "other-order-of-creation",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    self.dropout = nn.Dropout(dropout)
                    self.out_proj = nn.Linear(d_out, d_out)
                    if d_out % num_heads != 0:
                        raise ValueError("d_out must be divisible by num_heads")
                    self.d_out = d_out
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1))

                def forward(self, x):
                    b, num_tokens, d_in = x.shape
                    keys = self.W_key(x)
                    queries = self.W_query(x)
                    values = self.W_value(x)
                    keys = keys.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = values.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    queries = queries.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    attn_scores = queries @ keys.transpose(2, 3)
                    mask_bool = self.mask.bool()[:num_tokens, :num_tokens]
                    attn_scores.masked_fill_(mask_bool, -torch.inf)
                    attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)
                    attn_weights = self.dropout(attn_weights)
                    context_vec = (attn_weights @ values).transpose(1, 2)
                    context_vec = context_vec.contiguous().view(b, num_tokens, self.d_out)
                    return self.out_proj(context_vec)
            """,
        ),
        Right(
            "float64-inside",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    if d_out % num_heads != 0:
                        raise ValueError("d_out must be divisible by num_heads")
                    self.d_out = d_out
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.out_proj = nn.Linear(d_out, d_out)
                    self.dropout = nn.Dropout(dropout)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1))

                def forward(self, x):
                    b, num_tokens, d_in = x.shape
                    keys = self.W_key(x)
                    queries = self.W_query(x)
                    values = self.W_value(x)
                    keys = keys.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = values.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    queries = queries.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    attn_scores = queries.double() @ keys.double().transpose(2, 3)
                    mask_bool = self.mask.bool()[:num_tokens, :num_tokens]
                    attn_scores.masked_fill_(mask_bool, -torch.inf)
                    attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)
                    attn_weights = self.dropout(attn_weights.to(x.dtype))
                    context_vec = (attn_weights @ values).transpose(1, 2)
                    context_vec = context_vec.contiguous().view(b, num_tokens, self.d_out)
                    return self.out_proj(context_vec)
            """,
        ),
        Right(
            "functional-dropout",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    if d_out % num_heads != 0:
                        raise ValueError("d_out must be divisible by num_heads")
                    self.d_out = d_out
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.out_proj = nn.Linear(d_out, d_out)
                    self.p = dropout
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1))

                def forward(self, x):
                    b, num_tokens, d_in = x.shape
                    keys = self.W_key(x)
                    queries = self.W_query(x)
                    values = self.W_value(x)
                    keys = keys.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = values.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    queries = queries.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    attn_scores = queries @ keys.transpose(2, 3)
                    mask_bool = self.mask.bool()[:num_tokens, :num_tokens]
                    attn_scores.masked_fill_(mask_bool, -torch.inf)
                    attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)
                    attn_weights = nn.functional.dropout(attn_weights, p=self.p, training=self.training)
                    context_vec = (attn_weights @ values).transpose(1, 2)
                    context_vec = context_vec.contiguous().view(b, num_tokens, self.d_out)
                    return self.out_proj(context_vec)
            """,
        ),
        Right(
            "scaled-queries",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    if d_out % num_heads != 0:
                        raise ValueError("d_out must be divisible by num_heads")
                    self.d_out = d_out
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.out_proj = nn.Linear(d_out, d_out)
                    self.dropout = nn.Dropout(dropout)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1))

                def forward(self, x):
                    b, num_tokens, d_in = x.shape
                    keys = self.W_key(x)
                    queries = self.W_query(x)
                    values = self.W_value(x)
                    keys = keys.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = values.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    queries = queries.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    attn_scores = (queries / self.head_dim**0.5) @ keys.transpose(2, 3)
                    mask_bool = self.mask.bool()[:num_tokens, :num_tokens]
                    attn_scores.masked_fill_(mask_bool, -torch.inf)
                    attn_weights = torch.softmax(attn_scores, dim=-1)
                    attn_weights = self.dropout(attn_weights)
                    context_vec = (attn_weights @ values).transpose(1, 2)
                    context_vec = context_vec.contiguous().view(b, num_tokens, self.d_out)
                    return self.out_proj(context_vec)
            """,
        ),
        Right(
            "assertion-as-value-error",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    try:
                        assert d_out % num_heads == 0
                    except AssertionError:
                        raise ValueError(f'{d_out} % {num_heads}') from None
                    self.d_out = d_out
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.out_proj = nn.Linear(d_out, d_out)
                    self.dropout = nn.Dropout(dropout)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1))

                def forward(self, x):
                    b, num_tokens, d_in = x.shape
                    keys = self.W_key(x)
                    queries = self.W_query(x)
                    values = self.W_value(x)
                    keys = keys.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    values = values.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    queries = queries.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
                    attn_scores = queries @ keys.transpose(2, 3)
                    mask_bool = self.mask.bool()[:num_tokens, :num_tokens]
                    attn_scores.masked_fill_(mask_bool, -torch.inf)
                    attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)
                    attn_weights = self.dropout(attn_weights)
                    context_vec = (attn_weights @ values).transpose(1, 2)
                    context_vec = context_vec.contiguous().view(b, num_tokens, self.d_out)
                    return self.out_proj(context_vec)
            """,
        ),
        Right(
            "functional-multi-head-attention",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                    super().__init__()
                    if d_out % num_heads != 0:
                        raise ValueError("d_out must be divisible by num_heads")
                    self.d_out = d_out
                    self.num_heads = num_heads
                    self.head_dim = d_out // num_heads
                    self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
                    self.out_proj = nn.Linear(d_out, d_out)
                    self.dropout = nn.Dropout(dropout)
                    self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1))

                def forward(self, x):
                    n = x.shape[1]
                    t = x.transpose(0, 1)
                    bias = None
                    if self.W_query.bias is not None:
                        bias = torch.cat((self.W_query.bias, self.W_key.bias, self.W_value.bias))
                    out, _ = nn.functional.multi_head_attention_forward(
                        t @ self.W_query.weight.T, t @ self.W_key.weight.T, t @ self.W_value.weight.T,
                        self.d_out, self.num_heads,
                        torch.eye(self.d_out).to(x).repeat(3, 1), bias, None, None, False, self.dropout.p,
                        self.out_proj.weight, self.out_proj.bias, training=self.training,
                        need_weights=False, attn_mask=self.mask[:n, :n].bool(),
                    )
                    return out.transpose(0, 1)
            """,
            costs=4,
        ),
    ),
)

RANDOM_RUN = Mutants(
    wrong=(
        Wrong(
            "as-given",
            """
            def random_run(seed, batch_size, num_tokens):
                x = torch.randn(batch_size, num_tokens, 16)  # (b, tokens, d_in)
                torch.manual_seed(seed)
                head = CausalAttention(16, 2, num_tokens, 0.0)
                return head(x).detach()
            """,
            NAMED + BEHAVIOUR,
        ),
        Wrong(
            "seed-between-and-before",
            """
            def random_run(seed, batch_size, num_tokens):
                torch.manual_seed(seed)
                x = torch.randn(batch_size, num_tokens, 16)
                torch.manual_seed(seed)
                head = CausalAttention(16, 2, num_tokens, 0.0)
                return head(x).detach()
            """,
            NAMED + VALUES,
            never=r"twice the same|not the same twice",
        ),
        Wrong(
            "module-first",
            """
            def random_run(seed, batch_size, num_tokens):
                torch.manual_seed(seed)
                head = CausalAttention(16, 2, num_tokens, 0.0)
                x = torch.randn(batch_size, num_tokens, 16)
                return head(x).detach()
            """,
            NAMED + VALUES,
        ),
        Wrong(
            "seed-at-the-end",
            """
            def random_run(seed, batch_size, num_tokens):
                x = torch.randn(batch_size, num_tokens, 16)
                head = CausalAttention(16, 2, num_tokens, 0.0)
                torch.manual_seed(seed)
                return head(x).detach()
            """,
            NAMED + BEHAVIOUR + VALUES,
        ),
        Wrong(
            "seed-123-always",
            """
            def random_run(seed, batch_size, num_tokens):
                torch.manual_seed(123)
                x = torch.randn(batch_size, num_tokens, 16)
                head = CausalAttention(16, 2, num_tokens, 0.0)
                return head(x).detach()
            """,
            NAMED + VALUES,
            says=r"seed",
        ),
        Wrong(
            "seed-outside",
            """
            torch.manual_seed(123)

            def random_run(seed, batch_size, num_tokens):
                x = torch.randn(batch_size, num_tokens, 16)
                head = CausalAttention(16, 2, num_tokens, 0.0)
                return head(x).detach()
            """,
            NAMED + VALUES + BEHAVIOUR,
        ),
        Wrong(
            "ones-instead",
            """
            def random_run(seed, batch_size, num_tokens):
                x = torch.ones(batch_size, num_tokens, 16)
                torch.manual_seed(seed)
                head = CausalAttention(16, 2, num_tokens, 0.0)
                return head(x).detach()
            """,
            VALUES + NAMED,
        ),
        Wrong(
            "zeros-returned",
            """
            def random_run(seed, batch_size, num_tokens):
                return torch.zeros(batch_size, num_tokens, 2)
            """,
            VALUES + NAMED,
        ),
        Wrong(
            "uniform-numbers",
            """
            def random_run(seed, batch_size, num_tokens):
                torch.manual_seed(seed)
                x = torch.rand(batch_size, num_tokens, 16)
                return CausalAttention(16, 2, num_tokens, 0.0)(x).detach()
            """,
            VALUES + NAMED,
        ),
        Wrong(
            "sizes-of-the-example",
            """
            def random_run(seed, batch_size, num_tokens):
                torch.manual_seed(seed)
                x = torch.randn(4, 10, 16)
                head = CausalAttention(16, 2, 10, 0.0)
                return head(x).detach()
            """,
            SHAPE + NAMED,
        ),
        Wrong(
            "axes-swapped",
            """
            def random_run(seed, batch_size, num_tokens):
                torch.manual_seed(seed)
                x = torch.randn(num_tokens, batch_size, 16)
                head = CausalAttention(16, 2, num_tokens, 0.0)
                return head(x).detach()
            """,
            SHAPE + RAISED,
        ),
        Wrong(
            "numpy-seed",
            """
            import numpy as np

            def random_run(seed, batch_size, num_tokens):
                np.random.seed(seed)
                x = torch.randn(batch_size, num_tokens, 16)
                head = CausalAttention(16, 2, num_tokens, 0.0)
                return head(x).detach()
            """,
            NAMED + BEHAVIOUR + VALUES,
        ),
        Wrong(
            "same-batch-kept-outside",
            """
            x = torch.randn(4, 10, 16)

            def random_run(seed, batch_size, num_tokens):
                torch.manual_seed(seed)
                head = CausalAttention(16, 2, num_tokens, 0.0)
                return head(x).detach()
            """,
            SHAPE + VALUES + RAISED + NAMED,
        ),
        Wrong(
            "cached",
            """
            from functools import lru_cache

            @lru_cache
            def random_run(seed, batch_size, num_tokens):
                x = torch.randn(batch_size, num_tokens, 16)
                torch.manual_seed(seed)
                head = CausalAttention(16, 2, num_tokens, 0.0)
                return head(x).detach()
            """,
            VALUES + NAMED,
        ),
        Wrong(
            "seeds-differ-by-one",
            """
            def random_run(seed, batch_size, num_tokens):
                torch.manual_seed(seed)
                x = torch.randn(batch_size, num_tokens, 16)
                torch.manual_seed(seed + 1)
                head = CausalAttention(16, 2, num_tokens, 0.0)
                return head(x).detach()
            """,
            VALUES + NAMED,
        ),
        Wrong(
            "fork-rng-after-the-batch",
            """
            def random_run(seed, batch_size, num_tokens):
                x = torch.randn(batch_size, num_tokens, 16)
                with torch.random.fork_rng():
                    torch.manual_seed(seed)
                    head = CausalAttention(16, 2, num_tokens, 0.0)
                return head(x).detach()
            """,
            NAMED + BEHAVIOUR,
        ),
        Wrong(
            "no-seed",
            """
            def random_run(seed, batch_size, num_tokens):
                x = torch.randn(batch_size, num_tokens, 16)
                head = CausalAttention(16, 2, num_tokens, 0.0)
                return head(x).detach()
            """,
            VALUES,
        ),
        Wrong(
            "return-forgotten",
            """
            def random_run(seed, batch_size, num_tokens):
                torch.manual_seed(seed)
                x = torch.randn(batch_size, num_tokens, 16)
                head = CausalAttention(16, 2, num_tokens, 0.0)
                print(head(x).detach())
            """,
            TYPE,
        ),
        Wrong(
            "fused-class-instead",
            """
            def random_run(seed, batch_size, num_tokens):
                torch.manual_seed(seed)
                x = torch.randn(batch_size, num_tokens, 16)
                return MultiHeadAttention(16, 2, num_tokens, 0.0, num_heads=2)(x).detach()
            """,
            VALUES + NAMED,
        ),
        Wrong(
            "misspelt",
            """
            def randomrun(seed, batch_size, num_tokens):
                torch.manual_seed(seed)
            """,
            MISSING,
        ),
    ),
    right=(
        Right(
            "line-moved",
            """
            def random_run(seed, batch_size, num_tokens):
                torch.manual_seed(seed)
                x = torch.randn(batch_size, num_tokens, 16)
                head = CausalAttention(16, 2, num_tokens, 0.0)
                return head(x).detach()
            """,
        ),
        Right(
            "no-grad",
            """
            @torch.no_grad()
            def random_run(seed, batch_size, num_tokens):
                torch.manual_seed(seed)
                x = torch.randn((batch_size, num_tokens, 16))
                return CausalAttention(16, 2, num_tokens, 0.0)(x)
            """,
        ),
        Right(
            "gradient-kept",
            """
            def random_run(seed, batch_size, num_tokens):
                torch.random.manual_seed(seed)
                x = torch.randn(batch_size, num_tokens, 16)
                return CausalAttention(16, 2, num_tokens, dropout=0.0).forward(x)
            """,
        ),
        Right(
            "fork-rng",
            """
            def random_run(seed, batch_size, num_tokens):
                with torch.random.fork_rng():
                    torch.manual_seed(seed)
                    x = torch.randn(batch_size, num_tokens, 16)
                    head = CausalAttention(16, 2, num_tokens, 0.0)
                return head(x).detach()
            """,
        ),
        Right(
            "seed-of-the-default-generator",
            """
            def random_run(seed, batch_size, num_tokens):
                torch.default_generator.manual_seed(seed)
                x = torch.empty(batch_size, num_tokens, 16).normal_()
                head = CausalAttention(16, 2, num_tokens, 0.0).eval()
                return head(x).detach().clone()
            """,
        ),
        Right(
            "helper",
            """
            def make_batch(seed, *shape):
                torch.manual_seed(seed)
                return torch.randn(*shape)

            def random_run(seed, batch_size, num_tokens):
                x = make_batch(seed, batch_size, num_tokens, 16)
                head = CausalAttention(16, 2, num_tokens, 0.0)
                return head(x).detach()
            """,
        ),
        Right(
            "decorator",
            """
            from functools import wraps

            def seeded(function):
                @wraps(function)
                def wrapped(seed, *args, **kwargs):
                    torch.manual_seed(seed)
                    return function(seed, *args, **kwargs)
                return wrapped

            @seeded
            def random_run(seed, batch_size, num_tokens):
                x = torch.randn(batch_size, num_tokens, 16)
                head = CausalAttention(16, 2, num_tokens, 0.0)
                return head(x).detach()
            """,
        ),
        Right(
            "wrapper-of-one-head",
            """
            def random_run(seed, batch_size, num_tokens):
                torch.manual_seed(seed)
                x = torch.randn(batch_size, num_tokens, 16)
                return MultiHeadAttentionWrapper(16, 2, num_tokens, 0.0, num_heads=1)(x).data
            """,
        ),
    ),
)

COPY_INTO_FUSED = Mutants(
    wrong=(
        Wrong(
            "joined-along-columns",
            """
            def copy_into_fused(wrapper, fused):
                with torch.no_grad():
                    fused.W_query.weight.copy_(torch.cat([head.W_query.weight for head in wrapper.heads], dim=1))
                    fused.W_key.weight.copy_(torch.cat([head.W_key.weight for head in wrapper.heads], dim=1))
                    fused.W_value.weight.copy_(torch.cat([head.W_value.weight for head in wrapper.heads], dim=1))
                    fused.out_proj.weight.copy_(torch.eye(fused.out_proj.weight.shape[0]))
                    fused.out_proj.bias.zero_()
                return fused
            """,
            RAISED + NAMED,
        ),
        Wrong(
            "joined-along-columns-and-turned",
            """
            def copy_into_fused(wrapper, fused):
                with torch.no_grad():
                    fused.W_query.weight.copy_(torch.cat([head.W_query.weight for head in wrapper.heads], dim=1).T)
                    fused.W_key.weight.copy_(torch.cat([head.W_key.weight for head in wrapper.heads], dim=1).T)
                    fused.W_value.weight.copy_(torch.cat([head.W_value.weight for head in wrapper.heads], dim=1).T)
                    fused.out_proj.weight.copy_(torch.eye(fused.out_proj.weight.shape[0]))
                    fused.out_proj.bias.zero_()
                return fused
            """,
            RAISED + NAMED,
        ),
        Wrong(
            "weights-turned-and-joined",
            """
            def copy_into_fused(wrapper, fused):
                with torch.no_grad():
                    fused.W_query.weight.copy_(torch.cat([head.W_query.weight.T for head in wrapper.heads], dim=1).T.flip(0))
                    fused.W_key.weight.copy_(torch.cat([head.W_key.weight.T for head in wrapper.heads], dim=1).T.flip(0))
                    fused.W_value.weight.copy_(torch.cat([head.W_value.weight.T for head in wrapper.heads], dim=1).T.flip(0))
                    fused.out_proj.weight.copy_(torch.eye(fused.out_proj.weight.shape[0]))
                    fused.out_proj.bias.zero_()
                return fused
            """,
            VALUES + NAMED,
        ),
        Wrong(
            "interleaved",
            """
            def copy_into_fused(wrapper, fused):
                with torch.no_grad():
                    fused.W_query.weight.copy_(torch.stack([head.W_query.weight for head in wrapper.heads], dim=1).flatten(0, 1))
                    fused.W_key.weight.copy_(torch.stack([head.W_key.weight for head in wrapper.heads], dim=1).flatten(0, 1))
                    fused.W_value.weight.copy_(torch.stack([head.W_value.weight for head in wrapper.heads], dim=1).flatten(0, 1))
                    fused.out_proj.weight.copy_(torch.eye(fused.out_proj.weight.shape[0]))
                    fused.out_proj.bias.zero_()
                return fused
            """,
            VALUES + NAMED,
        ),
        Wrong(
            "heads-reversed",
            """
            def copy_into_fused(wrapper, fused):
                with torch.no_grad():
                    fused.W_query.weight.copy_(torch.cat([head.W_query.weight for head in reversed(wrapper.heads)], dim=0))
                    fused.W_key.weight.copy_(torch.cat([head.W_key.weight for head in reversed(wrapper.heads)], dim=0))
                    fused.W_value.weight.copy_(torch.cat([head.W_value.weight for head in reversed(wrapper.heads)], dim=0))
                    fused.out_proj.weight.copy_(torch.eye(fused.out_proj.weight.shape[0]))
                    fused.out_proj.bias.zero_()
                return fused
            """,
            VALUES + NAMED,
        ),
        Wrong(
            "first-head-everywhere",
            """
            def copy_into_fused(wrapper, fused):
                with torch.no_grad():
                    fused.W_query.weight.copy_(torch.cat([wrapper.heads[0].W_query.weight for head in wrapper.heads], dim=0))
                    fused.W_key.weight.copy_(torch.cat([wrapper.heads[0].W_key.weight for head in wrapper.heads], dim=0))
                    fused.W_value.weight.copy_(torch.cat([wrapper.heads[0].W_value.weight for head in wrapper.heads], dim=0))
                    fused.out_proj.weight.copy_(torch.eye(fused.out_proj.weight.shape[0]))
                    fused.out_proj.bias.zero_()
                return fused
            """,
            VALUES + NAMED,
        ),
        Wrong(
            "keys-from-queries",
            """
            def copy_into_fused(wrapper, fused):
                with torch.no_grad():
                    fused.W_query.weight.copy_(torch.cat([head.W_query.weight for head in wrapper.heads], dim=0))
                    fused.W_key.weight.copy_(torch.cat([head.W_query.weight for head in wrapper.heads], dim=0))
                    fused.W_value.weight.copy_(torch.cat([head.W_value.weight for head in wrapper.heads], dim=0))
                    fused.out_proj.weight.copy_(torch.eye(fused.out_proj.weight.shape[0]))
                    fused.out_proj.bias.zero_()
                return fused
            """,
            VALUES + NAMED,
        ),
        Wrong(
            "values-from-keys",
            """
            def copy_into_fused(wrapper, fused):
                with torch.no_grad():
                    fused.W_query.weight.copy_(torch.cat([head.W_query.weight for head in wrapper.heads], dim=0))
                    fused.W_key.weight.copy_(torch.cat([head.W_key.weight for head in wrapper.heads], dim=0))
                    fused.W_value.weight.copy_(torch.cat([head.W_key.weight for head in wrapper.heads], dim=0))
                    fused.out_proj.weight.copy_(torch.eye(fused.out_proj.weight.shape[0]))
                    fused.out_proj.bias.zero_()
                return fused
            """,
            VALUES + NAMED,
        ),
        Wrong(
            "values-forgotten",
            """
            def copy_into_fused(wrapper, fused):
                with torch.no_grad():
                    fused.W_query.weight.copy_(torch.cat([head.W_query.weight for head in wrapper.heads], dim=0))
                    fused.W_key.weight.copy_(torch.cat([head.W_key.weight for head in wrapper.heads], dim=0))
                    fused.out_proj.weight.copy_(torch.eye(fused.out_proj.weight.shape[0]))
                    fused.out_proj.bias.zero_()
                return fused
            """,
            VALUES + NAMED,
        ),
        Wrong(
            "queries-and-keys-swapped",
            """
            def copy_into_fused(wrapper, fused):
                with torch.no_grad():
                    fused.W_key.weight.copy_(torch.cat([head.W_query.weight for head in wrapper.heads], dim=0))
                    fused.W_query.weight.copy_(torch.cat([head.W_key.weight for head in wrapper.heads], dim=0))
                    fused.W_value.weight.copy_(torch.cat([head.W_value.weight for head in wrapper.heads], dim=0))
                    fused.out_proj.weight.copy_(torch.eye(fused.out_proj.weight.shape[0]))
                    fused.out_proj.bias.zero_()
                return fused
            """,
            VALUES + NAMED,
        ),
        Wrong(
            "bias-forgotten",
            """
            def copy_into_fused(wrapper, fused):
                with torch.no_grad():
                    fused.W_query.weight.copy_(torch.cat([head.W_query.weight for head in wrapper.heads], dim=0))
                    fused.W_key.weight.copy_(torch.cat([head.W_key.weight for head in wrapper.heads], dim=0))
                    fused.W_value.weight.copy_(torch.cat([head.W_value.weight for head in wrapper.heads], dim=0))
                    fused.out_proj.weight.copy_(torch.eye(fused.out_proj.weight.shape[0]))
                return fused
            """,
            VALUES + NAMED,
            says=r"bias",
        ),
        Wrong(
            "bias-one",
            """
            def copy_into_fused(wrapper, fused):
                with torch.no_grad():
                    fused.W_query.weight.copy_(torch.cat([head.W_query.weight for head in wrapper.heads], dim=0))
                    fused.W_key.weight.copy_(torch.cat([head.W_key.weight for head in wrapper.heads], dim=0))
                    fused.W_value.weight.copy_(torch.cat([head.W_value.weight for head in wrapper.heads], dim=0))
                    fused.out_proj.weight.copy_(torch.eye(fused.out_proj.weight.shape[0]))
                    fused.out_proj.bias.fill_(1)
                return fused
            """,
            VALUES + NAMED,
            says=r"bias|[Ee]ntry",
        ),
        Wrong(
            "weight-forgotten",
            """
            def copy_into_fused(wrapper, fused):
                with torch.no_grad():
                    fused.W_query.weight.copy_(torch.cat([head.W_query.weight for head in wrapper.heads], dim=0))
                    fused.W_key.weight.copy_(torch.cat([head.W_key.weight for head in wrapper.heads], dim=0))
                    fused.W_value.weight.copy_(torch.cat([head.W_value.weight for head in wrapper.heads], dim=0))
                    fused.out_proj.bias.zero_()
                return fused
            """,
            VALUES + NAMED,
        ),
        Wrong(
            "out-proj-forgotten",
            """
            def copy_into_fused(wrapper, fused):
                with torch.no_grad():
                    fused.W_query.weight.copy_(torch.cat([head.W_query.weight for head in wrapper.heads], dim=0))
                    fused.W_key.weight.copy_(torch.cat([head.W_key.weight for head in wrapper.heads], dim=0))
                    fused.W_value.weight.copy_(torch.cat([head.W_value.weight for head in wrapper.heads], dim=0))
                return fused
            """,
            VALUES + NAMED,
        ),
        Wrong(
            "ones-instead-of-the-identity",
            """
            def copy_into_fused(wrapper, fused):
                with torch.no_grad():
                    fused.W_query.weight.copy_(torch.cat([head.W_query.weight for head in wrapper.heads], dim=0))
                    fused.W_key.weight.copy_(torch.cat([head.W_key.weight for head in wrapper.heads], dim=0))
                    fused.W_value.weight.copy_(torch.cat([head.W_value.weight for head in wrapper.heads], dim=0))
                    fused.out_proj.weight.copy_(torch.ones_like(fused.out_proj.weight))
                    fused.out_proj.bias.zero_()
                return fused
            """,
            VALUES + NAMED,
        ),
        Wrong(
            "diagonal-filled-only",
            """
            def copy_into_fused(wrapper, fused):
                with torch.no_grad():
                    fused.W_query.weight.copy_(torch.cat([head.W_query.weight for head in wrapper.heads], dim=0))
                    fused.W_key.weight.copy_(torch.cat([head.W_key.weight for head in wrapper.heads], dim=0))
                    fused.W_value.weight.copy_(torch.cat([head.W_value.weight for head in wrapper.heads], dim=0))
                    fused.out_proj.weight.fill_diagonal_(1)
                    fused.out_proj.bias.zero_()
                return fused
            """,
            VALUES + NAMED,
        ),
        Wrong(
            "eye-of-four",
            """
            def copy_into_fused(wrapper, fused):
                with torch.no_grad():
                    fused.W_query.weight.copy_(torch.cat([head.W_query.weight for head in wrapper.heads], dim=0))
                    fused.W_key.weight.copy_(torch.cat([head.W_key.weight for head in wrapper.heads], dim=0))
                    fused.W_value.weight.copy_(torch.cat([head.W_value.weight for head in wrapper.heads], dim=0))
                    fused.out_proj.weight.copy_(torch.eye(4))
                    fused.out_proj.bias.zero_()
                return fused
            """,
            RAISED + NAMED,
            keeps=2,
        ),
        Wrong(
            "two-heads-always",
            """
            def copy_into_fused(wrapper, fused):
                with torch.no_grad():
                    fused.W_query.weight.copy_(torch.cat([wrapper.heads[i].W_query.weight for i in range(2)], dim=0))
                    fused.W_key.weight.copy_(torch.cat([wrapper.heads[i].W_key.weight for i in range(2)], dim=0))
                    fused.W_value.weight.copy_(torch.cat([wrapper.heads[i].W_value.weight for i in range(2)], dim=0))
                    fused.out_proj.weight.copy_(torch.eye(fused.out_proj.weight.shape[0]))
                    fused.out_proj.bias.zero_()
                return fused
            """,
            RAISED + NAMED,
            keeps=2,
        ),
        Wrong(
            "rows-of-the-example",
            """
            def copy_into_fused(wrapper, fused):
                with torch.no_grad():
                    for i, head in enumerate(wrapper.heads):
                        for name in ("W_query", "W_key", "W_value"):
                            getattr(fused, name).weight[2 * i : 2 * i + 2] = getattr(head, name).weight
                    fused.out_proj.weight.copy_(torch.eye(len(fused.out_proj.weight)))
                    fused.out_proj.bias.zero_()
                return fused
            """,
            RAISED + VALUES + NAMED,
            keeps=2,
        ),
        Wrong(
            "no-grad-forgotten",
            """
            def copy_into_fused(wrapper, fused):
                if True:
                    fused.W_query.weight.copy_(torch.cat([head.W_query.weight for head in wrapper.heads], dim=0))
                    fused.W_key.weight.copy_(torch.cat([head.W_key.weight for head in wrapper.heads], dim=0))
                    fused.W_value.weight.copy_(torch.cat([head.W_value.weight for head in wrapper.heads], dim=0))
                    fused.out_proj.weight.copy_(torch.eye(fused.out_proj.weight.shape[0]))
                    fused.out_proj.bias.zero_()
                return fused
            """,
            RAISED,
            says=r"no_grad",
        ),
        Wrong(
            "tensors-assigned",
            """
            def copy_into_fused(wrapper, fused):
                with torch.no_grad():
                    fused.W_query.weight = (torch.cat([head.W_query.weight for head in wrapper.heads], dim=0))
                    fused.W_key.weight = (torch.cat([head.W_key.weight for head in wrapper.heads], dim=0))
                    fused.W_value.weight = (torch.cat([head.W_value.weight for head in wrapper.heads], dim=0))
                    fused.out_proj.weight = (torch.eye(fused.out_proj.weight.shape[0]))
                    fused.out_proj.bias.zero_()
                return fused
            """,
            RAISED,
            says=r"copy_|Parameter",
        ),
        Wrong(
            "assigned-to-a-name",
            """
            def copy_into_fused(wrapper, fused):
                with torch.no_grad():
                    for name in ("W_query", "W_key", "W_value"):
                        weight = getattr(fused, name).weight
                        weight = torch.cat([getattr(head, name).weight for head in wrapper.heads])
                    eye = torch.eye(fused.out_proj.weight.shape[0])
                    weight = fused.out_proj.weight
                    weight = eye
                    fused.out_proj.bias.zero_()
                return fused
            """,
            VALUES + NAMED,
        ),
        Wrong(
            "clone-written",
            """
            def copy_into_fused(wrapper, fused):
                with torch.no_grad():
                    fused.W_query.weight.clone().copy_(torch.cat([head.W_query.weight for head in wrapper.heads], dim=0))
                    fused.W_key.weight.clone().copy_(torch.cat([head.W_key.weight for head in wrapper.heads], dim=0))
                    fused.W_value.weight.clone().copy_(torch.cat([head.W_value.weight for head in wrapper.heads], dim=0))
                    fused.out_proj.weight.clone().copy_(torch.eye(fused.out_proj.weight.shape[0]))
                    fused.out_proj.bias.zero_()
                return fused
            """,
            VALUES + NAMED,
        ),
        Wrong(
            "return-forgotten",
            """
            def copy_into_fused(wrapper, fused):
                with torch.no_grad():
                    fused.W_query.weight.copy_(torch.cat([head.W_query.weight for head in wrapper.heads], dim=0))
                    fused.W_key.weight.copy_(torch.cat([head.W_key.weight for head in wrapper.heads], dim=0))
                    fused.W_value.weight.copy_(torch.cat([head.W_value.weight for head in wrapper.heads], dim=0))
                    fused.out_proj.weight.copy_(torch.eye(fused.out_proj.weight.shape[0]))
                    fused.out_proj.bias.zero_()
            """,
            TYPE,
        ),
        Wrong(
            "wrapper-returned",
            """
            def copy_into_fused(wrapper, fused):
                with torch.no_grad():
                    fused.W_query.weight.copy_(torch.cat([head.W_query.weight for head in wrapper.heads], dim=0))
                    fused.W_key.weight.copy_(torch.cat([head.W_key.weight for head in wrapper.heads], dim=0))
                    fused.W_value.weight.copy_(torch.cat([head.W_value.weight for head in wrapper.heads], dim=0))
                    fused.out_proj.weight.copy_(torch.eye(fused.out_proj.weight.shape[0]))
                    fused.out_proj.bias.zero_()
                return wrapper
            """,
            TYPE + VALUES + NAMED + BEHAVIOUR + PARAMETERS + SHAPE + RULE + ("Raised",),
            keeps=0,
        ),
        Wrong(
            "output-returned",
            """
            def copy_into_fused(wrapper, fused):
                with torch.no_grad():
                    fused.W_query.weight.copy_(torch.cat([head.W_query.weight for head in wrapper.heads], dim=0))
                    fused.W_key.weight.copy_(torch.cat([head.W_key.weight for head in wrapper.heads], dim=0))
                    fused.W_value.weight.copy_(torch.cat([head.W_value.weight for head in wrapper.heads], dim=0))
                    fused.out_proj.weight.copy_(torch.eye(fused.out_proj.weight.shape[0]))
                    fused.out_proj.bias.zero_()
                return fused(batch)
            """,
            VALUES,
        ),
        Wrong(
            "state-dict-loaded",
            """
            def copy_into_fused(wrapper, fused):
                fused.load_state_dict(wrapper.state_dict())
                return fused
            """,
            RAISED,
        ),
        Wrong(
            "state-dict-loaded-loosely",
            """
            def copy_into_fused(wrapper, fused):
                fused.load_state_dict(wrapper.state_dict(), strict=False)
                return fused
            """,
            VALUES + NAMED,
        ),
        Wrong(
            "the-notebooks-stack",
            """
            def copy_into_fused(wrapper, fused):
                with torch.no_grad():
                    fused.W_query.weight.copy_(torch.cat([head.W_query.weight for head in stack.heads], dim=0))
                    fused.W_key.weight.copy_(torch.cat([head.W_key.weight for head in stack.heads], dim=0))
                    fused.W_value.weight.copy_(torch.cat([head.W_value.weight for head in stack.heads], dim=0))
                    fused.out_proj.weight.copy_(torch.eye(fused.out_proj.weight.shape[0]))
                    fused.out_proj.bias.zero_()
                return fused
            """,
            NAMED + VALUES + BEHAVIOUR + RULE + RAISED,
            says=r"`stack`",
        ),
        Wrong(
            "the-other-way",
            """
            def copy_into_fused(wrapper, fused):
                with torch.no_grad():
                    d = fused.head_dim
                    for i, head in enumerate(wrapper.heads):
                        head.W_query.weight.copy_(fused.W_query.weight[i * d : (i + 1) * d])
                        head.W_key.weight.copy_(fused.W_key.weight[i * d : (i + 1) * d])
                        head.W_value.weight.copy_(fused.W_value.weight[i * d : (i + 1) * d])
                    fused.out_proj.weight.copy_(torch.eye(len(fused.out_proj.weight)))
                    fused.out_proj.bias.zero_()
                return fused
            """,
            NAMED + VALUES + BEHAVIOUR + RULE,
        ),
        Wrong(
            "heads-averaged",
            """
            def copy_into_fused(wrapper, fused):
                with torch.no_grad():
                    fused.W_query.weight.copy_(torch.stack([head.W_query.weight for head in wrapper.heads], dim=0).mean(0).repeat(len(wrapper.heads), 1))
                    fused.W_key.weight.copy_(torch.stack([head.W_key.weight for head in wrapper.heads], dim=0).mean(0).repeat(len(wrapper.heads), 1))
                    fused.W_value.weight.copy_(torch.stack([head.W_value.weight for head in wrapper.heads], dim=0).mean(0).repeat(len(wrapper.heads), 1))
                    fused.out_proj.weight.copy_(torch.eye(fused.out_proj.weight.shape[0]))
                    fused.out_proj.bias.zero_()
                return fused
            """,
            VALUES + NAMED,
        ),
        Wrong(
            "wrapper-zeroed",
            """
            def copy_into_fused(wrapper, fused):
                with torch.no_grad():
                    fused.W_query.weight.copy_(torch.cat([head.W_query.weight for head in wrapper.heads], dim=0))
                    fused.W_key.weight.copy_(torch.cat([head.W_key.weight for head in wrapper.heads], dim=0))
                    fused.W_value.weight.copy_(torch.cat([head.W_value.weight for head in wrapper.heads], dim=0))
                    fused.out_proj.weight.copy_(torch.eye(fused.out_proj.weight.shape[0]))
                    fused.out_proj.bias.zero_()
                wrapper.heads[0].W_query.weight.data.zero_()
                return fused
            """,
            NAMED + VALUES + BEHAVIOUR + RULE,
        ),
        Wrong(
            "identity-module",
            """
            def copy_into_fused(wrapper, fused):
                with torch.no_grad():
                    for name in ("W_query", "W_key", "W_value"):
                        rows = torch.cat([getattr(h, name).weight for h in wrapper.heads])
                        getattr(fused, name).weight.copy_(rows)
                fused.out_proj = nn.Identity()
                return fused
            """,
            PARAMETERS + BEHAVIOUR + RAISED + RULE + VALUES + NAMED + TYPE,
        ),
        Wrong(
            "left-as-it-was",
            """
            def copy_into_fused(wrapper, fused):
                ...
            """,
            STUB,
        ),
        Wrong(
            "misspelt",
            """
            def copy_to_fused(wrapper, fused):
                with torch.no_grad():
                    fused.W_query.weight.copy_(torch.cat([head.W_query.weight for head in wrapper.heads], dim=0))
                    fused.W_key.weight.copy_(torch.cat([head.W_key.weight for head in wrapper.heads], dim=0))
                    fused.W_value.weight.copy_(torch.cat([head.W_value.weight for head in wrapper.heads], dim=0))
                    fused.out_proj.weight.copy_(torch.eye(fused.out_proj.weight.shape[0]))
                    fused.out_proj.bias.zero_()
                return fused
            """,
            MISSING,
            says=r"`copy_to_fused`",
        ),
    ),
    right=(
        Right(
            "six-lines",
            """
            def copy_into_fused(wrapper, fused):
                with torch.no_grad():
                    fused.W_query.weight.copy_(torch.cat([head.W_query.weight for head in wrapper.heads], dim=0))
                    fused.W_key.weight.copy_(torch.cat([head.W_key.weight for head in wrapper.heads], dim=0))
                    fused.W_value.weight.copy_(torch.cat([head.W_value.weight for head in wrapper.heads], dim=0))
                    fused.out_proj.weight.copy_(torch.eye(fused.out_proj.weight.shape[0]))
                    fused.out_proj.bias.zero_()
                return fused
            """,
        ),
        Right(
            "getattr",
            """
            def copy_into_fused(wrapper, fused):
                with torch.no_grad():
                    for name in ["W_query", "W_key", "W_value"]:
                        w = torch.vstack([getattr(h, name).weight for h in wrapper.heads])
                        getattr(fused, name).weight.copy_(w)
                    nn.init.eye_(fused.out_proj.weight)
                    nn.init.zeros_(fused.out_proj.bias)
                return fused
            """,
        ),
        Right(
            "slices-of-rows",
            """
            @torch.no_grad()
            def copy_into_fused(wrapper, fused):
                d = wrapper.heads[0].W_query.weight.shape[0]
                for i, head in enumerate(wrapper.heads):
                    rows = slice(i * d, (i + 1) * d)
                    fused.W_query.weight[rows] = head.W_query.weight
                    fused.W_key.weight[rows] = head.W_key.weight
                    fused.W_value.weight[rows] = head.W_value.weight
                fused.out_proj.weight.copy_(torch.eye(d * len(wrapper.heads)))
                fused.out_proj.bias.fill_(0)
                return fused
            """,
        ),
        Right(
            "data",
            """
            def copy_into_fused(wrapper, fused):
                if True:
                    fused.W_query.weight.data.copy_(torch.cat([head.W_query.weight for head in wrapper.heads], dim=0))
                    fused.W_key.weight.data.copy_(torch.cat([head.W_key.weight for head in wrapper.heads], dim=0))
                    fused.W_value.weight.data.copy_(torch.cat([head.W_value.weight for head in wrapper.heads], dim=0))
                    fused.out_proj.weight.data.copy_(torch.eye(fused.out_proj.weight.shape[0]))
                    fused.out_proj.bias.data.zero_()
                return fused
            """,
        ),
        Right(
            "new-parameters",
            """
            def copy_into_fused(wrapper, fused):
                for name in ("W_query", "W_key", "W_value"):
                    rows = [getattr(head, name).weight.detach() for head in wrapper.heads]
                    getattr(fused, name).weight = nn.Parameter(torch.cat(rows))
                fused.out_proj.weight = nn.Parameter(torch.eye(fused.out_proj.out_features))
                fused.out_proj.bias = nn.Parameter(torch.zeros(fused.out_proj.out_features))
                return fused
            """,
        ),
        Right(
            "state-dict",
            """
            def copy_into_fused(wrapper, fused):
                state = fused.state_dict()
                for name in ("W_query", "W_key", "W_value"):
                    state[f"{name}.weight"] = torch.cat([h.state_dict()[f"{name}.weight"] for h in wrapper.heads])
                state["out_proj.weight"] = torch.eye(len(state["out_proj.weight"]))
                state["out_proj.bias"] = torch.zeros_like(state["out_proj.bias"])
                fused.load_state_dict(state)
                return fused
            """,
        ),
        Right(
            "chunks",
            """
            def copy_into_fused(wrapper, fused):
                with torch.no_grad():
                    for wide, name in ((fused.W_query, "W_query"), (fused.W_key, "W_key"), (fused.W_value, "W_value")):
                        for piece, head in zip(wide.weight.chunk(len(wrapper.heads)), wrapper.heads):
                            piece.copy_(getattr(head, name).weight)
                    fused.out_proj.weight.zero_().fill_diagonal_(1.0)
                    fused.out_proj.bias *= 0
                return fused
            """,
        ),
        Right(
            "inference-of-names",
            """
            def copy_into_fused(wrapper, fused):
                narrow = dict(wrapper.named_parameters())
                with torch.no_grad():
                    for name, wide in fused.named_parameters():
                        if name.startswith("W_"):
                            parts = [p for key, p in narrow.items() if key.endswith("." + name)]
                            wide.copy_(torch.cat(parts))
                        elif name.endswith("weight"):
                            wide.copy_(torch.eye(*wide.shape))
                        else:
                            wide.zero_()
                return fused
            """,
        ),
    ),
)

TASKS = {
    "error-with-heads": ERROR_WITH_HEADS,
    "multi-head-wrapper": MULTI_HEAD_WRAPPER,
    "batched-head-scores": BATCHED_HEAD_SCORES,
    "split-heads": SPLIT_HEADS,
    "bug-view-without-transpose": BUG_VIEW,
    "merge-heads": MERGE_HEADS,
    "bug-merge-without-transpose": BUG_MERGE,
    "multi-head-attention": MULTI_HEAD_ATTENTION,
    "bug-seed-too-late": RANDOM_RUN,
    "copy-into-fused": COPY_INTO_FUSED,
}
