# ruff: noqa: F405  (the words that answers are written with all come from one place)
"""Answers to lesson 05 as learners type them: wrong ones with the finding they deserve, and right ones.

These are a hold-out: they were written from the lesson's text, without a look at the known wrong answers in
the lesson's `tasks.py`, so that they show whether the checks hold for answers that nobody prepared for.
"""

from __future__ import annotations

from tests.mutants.answers import *  # noqa: F403

LESSON = "05-multi-head"
TASKS = Tasks(LESSON)

TASKS.hold(
    "multi-head-wrapper",
    Wrong("plain-list", PARAMETERS + NAMED, says="ModuleList|list", base="as-in-the-recap").define("""
        def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
            super().__init__()
            self.heads = [
                CausalAttention(d_in, d_out, context_length, dropout, qkv_bias)
                for _ in range(num_heads)
            ]"""),
    Wrong("same-head-repeated", PARAMETERS + NAMED, base="as-in-the-recap").define("""
        def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
            super().__init__()
            head = CausalAttention(d_in, d_out, context_length, dropout, qkv_bias)
            self.heads = nn.ModuleList([head] * num_heads)"""),
    Wrong("width-divided-among-the-heads", PARAMETERS + NAMED, base="as-in-the-recap")
    | line(
        "[CausalAttention",
        "CausalAttention(d_in, d_out // num_heads, context_length, dropout, qkv_bias)",
        "for _ in range(num_heads)",
    ),
    Wrong("bias-not-passed-on", PARAMETERS + NAMED, keeps=2, says="qkv_bias|bias", base="as-in-the-recap")
    | edit("(d_in, d_out, context_length, dropout, qkv_bias)", "(d_in, d_out, context_length, dropout)"),
    Wrong(
        "dropout-not-passed-on",
        BEHAVIOUR + NAMED + RULE,
        keeps=3,
        says="[Dd]ropout|drop",
        base="as-in-the-recap",
    )
    | edit("dropout, qkv_bias", "0.0, qkv_bias"),
    Wrong("dropout-always-half", BEHAVIOUR + NAMED + RULE + VALUES, keeps=3, base="as-in-the-recap")
    | edit("dropout, qkv_bias", "0.5, qkv_bias"),
    Wrong("heads-added", NAMED + SHAPE, base="heads-one-after-another")
    | lines("for head in", "return x", "return sum(head(x) for head in self.heads)"),
    Wrong("heads-averaged", NAMED + SHAPE, base="stacked-then-flattened")
    | line("return torch", "return torch.stack([head(x) for head in self.heads]).mean(0)"),
    Wrong("joined-along-the-tokens", NAMED + SHAPE, base="as-in-the-recap") | edit(", dim=-1", ", dim=1"),
    Wrong("joined-along-minus-two", NAMED + SHAPE, base="as-in-the-recap")
    | line("return torch", "out = [h(x) for h in self.heads]", "return torch.cat(out, dim=-2)"),
    Wrong("joined-along-the-batch", NAMED + SHAPE, base="as-in-the-recap") | edit(", dim=-1", ""),
    Wrong("stacked-on-a-new-axis", SHAPE + NAMED, base="as-in-the-recap").define("""
        def forward(self, x):
            return torch.stack([head(x) for head in self.heads], dim=1)"""),
    Wrong("stacked-last-and-flattened", NAMED + VALUES, base="as-in-the-recap")
    | line("return torch", "return torch.stack([h(x) for h in self.heads], dim=-1).flatten(-2)"),
    Wrong("stacked-and-viewed-without-transpose", NAMED + VALUES, base="as-in-the-recap").define("""
        def forward(self, x):
            b, num_tokens, _ = x.shape
            out = torch.stack([h(x) for h in self.heads], dim=1)
            return out.view(b, num_tokens, -1)"""),
    Wrong("heads-one-after-another", RAISED, base="as-in-the-recap")
    | line("return torch", "for head in self.heads:", "    x = head(x)", "return x"),
    Wrong("last-head-only", SHAPE + NAMED, base="as-in-the-recap")
    | line("return torch", "for head in self.heads:", "    out = head(x)", "return out"),
    Wrong("two-heads-always", RAISED + SHAPE, keeps=1, base="as-in-the-recap")
    | edit("[head(x) for head in self.heads]", "(self.heads[0](x), self.heads[1](x))"),
    Wrong("two-heads-made-always", PARAMETERS + SHAPE + NAMED, keeps=1, base="dropout-and-length-swapped")
    | line(
        "[CausalAttention",
        "[CausalAttention(d_in, d_out, context_length, dropout, qkv_bias),",
        " CausalAttention(d_in, d_out, context_length, dropout, qkv_bias)]",
    ),
    Wrong("one-head-too-few", PARAMETERS + SHAPE + RAISED, base="as-in-the-recap")
    | edit(" for _", "\n             for _")
    | edit("range(", "range(1, "),
    Wrong("input-cut-between-heads", PARAMETERS + RAISED + NAMED, base="stacked-then-flattened").define("""
        def forward(self, x):
            pieces = x.chunk(len(self.heads), dim=-1)
            return torch.cat([h(p) for h, p in zip(self.heads, pieces)], dim=-1)""")
    | edit("(d_in", "(d_in // num_heads")
    | edit(" for _", "\n             for _"),
    Wrong("other-name-for-the-list", PARAMETERS, keeps=1, says="heads", base="as-in-the-recap")
    | rename("heads", "layers"),
    Wrong("heads-never-called", RAISED, base="as-in-the-recap") | edit("head(x) for", "head for"),
    Wrong("list-returned", TYPE, base="heads-one-after-another")
    | lines("for head in", "return x", "return [head(x) for head in self.heads]"),
    Wrong("return-forgotten", TYPE, base="as-in-the-recap") | edit("return torch", "context = torch"),
    Wrong("super-forgotten", RAISED, says="super", base="as-in-the-recap") | without("super().__init__()"),
    Wrong("arguments-swapped", PARAMETERS + RAISED, base="dropout-and-length-swapped")
    | edit("d_in, d_out, dropout, context_length", "d_out, d_in, context_length, dropout"),
    Wrong("dropout-and-length-swapped", RAISED, never="its cell", base="as-in-the-recap")
    | edit("context_length, dropout, qkv_bias", "dropout, context_length, qkv_bias"),
    Wrong("reads-the-batch", SHAPE + VALUES + RAISED + NAMED, base="as-in-the-recap")
    | edit("head(x) for", "head(batch) for"),
    Wrong("output-projection-added", PARAMETERS, says="out_proj", base="return-forgotten")
    | above("def forward", "    self.out_proj = nn.Linear(num_heads * d_out, num_heads * d_out)")
    | below("context =", "return self.out_proj(context)"),
    Wrong("heads-made-anew-in-forward", PARAMETERS + NAMED).define("""
        def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
            super().__init__()
            self.args = (d_in, d_out, context_length, dropout, qkv_bias)
            self.num_heads = num_heads""")
    | above(
        "return torch",
        "self.heads = nn.ModuleList([CausalAttention(*self.args) for _ in range(self.num_heads)])",
    ),
    Wrong("only-init-filled", STUB + TYPE, base="as-in-the-recap") | line("return torch", "..."),
    Wrong("left-as-it-was", STUB, base="same-head-repeated")
    | lines("head = CausalAttention", "self.heads =", "...")
    | line("return torch", "..."),
    Wrong("edits-x-in-place", VALUES + RULE + BEHAVIOUR, base="as-in-the-recap")
    | above("return torch", "x -= x.mean(dim=-1, keepdim=True)"),
    Wrong("instance-not-class", NO_FUNCTION)
    | typed("MultiHeadAttentionWrapper = CausalAttention(3, 2, 6, 0.0)"),
    Wrong("misspelt", MISSING, says="`MultiheadAttentionWrapper`", base="as-in-the-recap")
    | edit("MultiHeadAttentionWrapper", "MultiheadAttentionWrapper"),
    Wrong("heads-without-self", PARAMETERS + RAISED, base="as-in-the-recap") | edit("self.heads ", "heads "),
    Right("as-in-the-recap").typed("""
        class MultiHeadAttentionWrapper(nn.Module):
            def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                super().__init__()
                self.heads = nn.ModuleList(
                    [CausalAttention(d_in, d_out, context_length, dropout, qkv_bias) for _ in range(num_heads)]
                )
            def forward(self, x):
                return torch.cat([head(x) for head in self.heads], dim=-1)"""),  # noqa: E501
    Right("appended-in-a-loop", base="as-in-the-recap").define("""
        def forward(self, x):
            outs = []
            for h in self.heads:
                outs.append(h(x))
            return torch.cat(outs, dim=2)""")
    | edit("ModuleList(", "ModuleList()\n        for _ in range(num_heads):")
    | edit("            [", "            self.heads.append(")
    | edit(" for _ in range(num_heads)]\n        ", ""),
    Right("keywords-in-another-order", base="stacked-then-flattened").define("""
        def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
            super().__init__()
            self.num_heads = num_heads
            self.d_out = d_out
            make = lambda: CausalAttention(
                d_in=d_in, d_out=d_out, qkv_bias=qkv_bias, dropout=dropout, context_length=context_length
            )
            self.heads = nn.ModuleList(make() for _ in range(num_heads))""")
    | line("return torch", "return torch.concat(tuple(map(lambda h: h(x), self.heads)), dim=-1)"),
    Right("partial", base="as-in-the-recap").define("""
        def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
            super().__init__()
            head = partial(CausalAttention, d_in, d_out, context_length, dropout, qkv_bias=qkv_bias)
            self.heads = nn.ModuleList([head() for _ in range(num_heads)])""")
    | above("class MultiHeadAttentionWrapper", "from functools import partial", ""),
    Right("stacked-then-flattened", base="as-in-the-recap")
    | line("return torch", "return torch.stack([h(x) for h in self.heads], dim=2).flatten(2)"),
    Right("filled-by-slices", base="return-forgotten").define("""
        def forward(self, x):
            b, n, _ = x.shape
            out = torch.empty(b, n, len(self.heads) * self.d_out, device=x.device, dtype=x.dtype)
            for i, head in enumerate(self.heads):
                out[:, :, i * self.d_out : (i + 1) * self.d_out] = head(x)
            return out""")
    | above("def forward", "    self.d_out = d_out"),
    Right("grown-with-cat", base="as-in-the-recap").define("""
        def forward(self, x):
            result = self.heads[0](x)
            for head in list(self.heads)[1:]:
                result = torch.cat((result, head(x)), -1)
            return result"""),
    Right("inherits-from-module-list-parts").typed("""
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
                self.heads = nn.ModuleList(heads)"""),
    Right("add-module-with-numbers", base="as-in-the-recap").define("""
        def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
            super().__init__()
            self.heads = nn.Module()
            self.n = num_heads
            for i in range(num_heads):
                self.heads.add_module(
                    str(i), CausalAttention(d_in, d_out, context_length, dropout, qkv_bias)
                )""")
    | edit("head(x) for head in self.heads", "getattr(self.heads, str(i))(x) for i in range(self.n)"),
    Right("sequential-as-a-container", base="as-in-the-recap")
    | edit("self.heads = nn.ModuleList(", "self.heads = nn.Sequential(*"),
    Right("loop-over-sentences", base="as-in-the-recap").define("""
        def forward(self, x):
            out = []
            for sentence in x:
                out.append(torch.cat([h(sentence[None])[0] for h in self.heads], dim=-1))
            return torch.stack(out, dim=0)"""),
)

TASKS.hold(
    "error-with-heads",
    Wrong("contexts-added", NAMED, keeps=1)
    | body("contexts = sum(head @ x for head in weights)", "return error_left(contexts, wanted)"),
    Wrong("contexts-averaged", NAMED, keeps=1).body("""
        contexts = torch.stack([w @ x for w in weights]).mean(dim=0)
        return error_left(contexts, wanted)"""),
    Wrong("looks-averaged", NAMED, keeps=1)
    | body("look = weights.mean(0)  # (tokens, tokens)", "return error_left(look @ x, wanted)"),
    Wrong("first-head-only", NAMED + VALUES, keeps=1)
    | body("contexts = weights[0] @ x", "return error_left(contexts, wanted)"),
    Wrong("last-head-wins", NAMED + VALUES, keeps=1)
    | body("for head in weights:", "    contexts = head @ x", "return error_left(contexts, wanted)"),
    Wrong("return-inside-the-loop", NAMED + VALUES, keeps=1).body("""
        contexts = []
        for head in weights:
            contexts.append(head @ x)
            return error_left(torch.cat(contexts, dim=-1), wanted)"""),
    Wrong("joined-along-the-tokens", NAMED + RAISED, keeps=1, base="joined-along-the-batch")
    | line("return error_left", "joined = torch.cat(contexts, dim=1)", "return error_left(joined, wanted)"),
    Wrong("joined-along-the-batch", NAMED + RAISED, keeps=1)
    | body("contexts = [head @ x for head in weights]", "return error_left(torch.cat(contexts), wanted)"),
    Wrong("two-heads-always", RAISED + VALUES + NAMED, base="reads-the-stories")
    | lines("contexts =", "joined = torch", "joined = torch.cat((weights[0] @ x, weights[1] @ x), dim=-1)"),
    Wrong("transposed-looks", NAMED, base="reads-the-stories") | edit(" @ stories", ".T @ x"),
    Wrong("reads-the-stories", NAMED + RAISED + VALUES)
    | lines("contexts = [", "]", "contexts = [head @ stories for head in weights]"),
    Wrong("reads-before-and-first", NAMED + RAISED + VALUES)
    | returns("error_left(torch.cat((before, first), dim=-1), wanted)"),
    Wrong("mean-of-each-heads-error", VALUES + NAMED, keeps=1).body("""
        errors = [error_left(head @ x, wanted) for head in weights]
        return sum(errors) / len(errors)"""),
    Wrong("list-of-errors", TYPE, never="products")
    | returns("[error_left(head @ x, wanted) for head in weights]"),
    Wrong("joined-returned-without-its-error", SHAPE)
    | body("contexts = [head @ x for head in weights]", "return torch.cat(contexts, dim=-1)"),
    Wrong("prints-instead-of-returning", TYPE, base="joined-along-the-batch")
    | line("return error_left", "joined = torch.cat(contexts, dim=-1)", "print(error_left(joined, wanted))"),
    Wrong("batched-product-then-view-without-transpose", VALUES + NAMED, keeps=1).body("""
        b, tokens, d_in = x.shape
        contexts = weights @ x[:, None]  # (b, heads, tokens, d_in)
        joined = contexts.reshape(b, tokens, -1)
        return error_left(joined, wanted)"""),
    Wrong("joined-with-the-tokens", VALUES + NAMED).body("""
        contexts = [x] + [head @ x for head in weights]
        return error_left(torch.cat(contexts, dim=-1), wanted)"""),
    Wrong("root-of-the-error", VALUES + NAMED).body("""
        joined = torch.cat([head @ x for head in weights], dim=-1)
        return error_left(joined, wanted) ** 0.5"""),
    Wrong("wanted-and-contexts-swapped", VALUES + NAMED, base="root-of-the-error")
    | edit("(joined, wanted) ** 0.5", "(wanted, joined)"),
    Wrong("softmax-of-the-looks", VALUES + NAMED, base="reads-the-stories")
    | line("contexts =", "weights = torch.softmax(weights, dim=-1)")
    | edit("contexts", "[head @ x for head in weights]"),
    Wrong("looks-written-over", RULE + BEHAVIOUR + VALUES + NAMED, keeps=1, base="softmax-of-the-looks")
    | line("weights =", "weights /= weights.sum(dim=-1, keepdim=True).clamp(min=2)"),
    Wrong("plain-difference-instead-of-least-squares", RAISED + VALUES + NAMED, base="root-of-the-error")
    | line("return error_left", "return ((joined - wanted) ** 2).mean()"),
    Wrong("typed-in", VALUES) | returns("torch.tensor(0.0)"),
    Wrong(
        "rounded-to-two-decimals", VALUES + NAMED, never=r" is (\\S+)(?: on [^;]*?)? and should be \\1\\."
    ).body("""
        joined = torch.cat([head @ x for head in weights], dim=-1)
        return round(float(error_left(joined, wanted)), 2)"""),
    Wrong("one-story-only", VALUES + NAMED).body("""
        joined = torch.cat([head @ x[0] for head in weights], dim=-1)
        return error_left(joined[None], wanted[:1])"""),
    Wrong("left-as-it-was", STUB) | typed("def error_with_heads(weights, x, wanted):", "    ..."),
    Wrong("misspelt", MISSING, says="`error_with_head`").typed("""
        def error_with_head(weights, x, wanted):
            return error_left(torch.cat([w @ x for w in weights], -1), wanted)"""),
    Wrong("called-at-once", NO_FUNCTION)
    | typed("error_with_heads = error_left(torch.cat((before, first), dim=-1), wanted)"),
    Wrong("list-not-joined", RAISED)
    | body("contexts = [head @ x for head in weights]", "return error_left(contexts, wanted)"),
    Wrong("stacked-instead-of-joined", RAISED + VALUES).body("""
        contexts = torch.stack([head @ x for head in weights], dim=-1)
        return error_left(contexts, wanted)"""),
    Right("einsum", base="softmax-of-the-looks")
    | lines("weights =", "joined = torch", 'joined = torch.einsum("hqk,bkd->bqhd", weights, x).flatten(2)'),
    Right("batched-product").body("""
        contexts = weights @ x.unsqueeze(1)  # (b, heads, tokens, d_in)
        joined = contexts.transpose(1, 2).reshape(x.shape[0], x.shape[1], -1)
        return error_left(joined, wanted)"""),
    Right("grown-with-cat").body("""
        joined = torch.empty(x.shape[0], x.shape[1], 0)
        for h in range(weights.shape[0]):
            joined = torch.cat([joined, weights[h] @ x], dim=2)
        return error_left(joined, wanted)"""),
    Right("lambda").typed("""
        error_with_heads = lambda weights, x, wanted: error_left(
            torch.cat([w @ x for w in weights], 2), wanted)"""),
    Right("python-float").body("""
        contexts = [torch.matmul(w, x) for w in weights]
        return error_left(torch.cat(contexts, dim=-1), wanted).item()"""),
    Right("float64-inside").body("""
        x, weights = x.double(), weights.double()
        joined = torch.cat([torch.einsum("qk,bkd->bqd", w, x) for w in weights], dim=-1)
        return error_left(joined, wanted.double())"""),
    Right("own-least-squares").body("""
        joined = torch.cat([w @ x for w in weights], dim=-1)
        A = joined.reshape(-1, joined.shape[-1])
        B = wanted.reshape(-1, wanted.shape[-1])
        sol = torch.linalg.pinv(A) @ B
        return torch.mean((A @ sol - B) ** 2)"""),
    Right("loop-over-stories-and-heads").body("""
        rows = []
        for story in x:
            rows.append(torch.hstack([head @ story for head in weights]))
        return error_left(torch.stack(rows), wanted)"""),
    Right("filled-columns-heads-the-other-way-round").body("""
        b, n, d = x.shape
        heads = len(weights)
        joined = x.new_zeros(b, n, heads * d)
        for i, head in enumerate(reversed(weights)):
            joined[..., i * d : (i + 1) * d] = head @ x
        return error_left(joined, wanted)"""),
    Right("bmm").typed("""
        def error_with_heads(weights: torch.Tensor, x: torch.Tensor, wanted: torch.Tensor):
            contexts = [torch.bmm(w.expand(len(x), -1, -1), x) for w in weights.unbind(0)]
            return error_left(torch.concat(contexts, axis=-1), wanted)"""),
)

TASKS.hold(
    "batched-head-scores",
    Wrong("not-turned", MISSING, never=WRONG_NAME) | returns("a @ a"),
    Wrong("all-axes-turned", MISSING, never=WRONG_NAME) | returns("a @ a.T"),
    Wrong("heads-and-tokens-swapped", MISSING) | returns("a @ a.transpose(1, 2)"),
    Wrong("axes-one-and-three", MISSING) | returns("a @ a.transpose(1, 3)"),
    Wrong("turned-on-the-left", SHAPE + NAMED) | returns("a.transpose(2, 3) @ a"),
    Wrong("elementwise", SHAPE + NAMED) | returns("a * a"),
    Wrong("elementwise-summed", SHAPE) | returns("(a * a).sum(-1)"),
    Wrong("first-head-only", SHAPE) | returns("a[0, 0] @ a[0, 0].T"),
    Wrong("batch-axis-lost", SHAPE) | returns("a[0] @ a[0].transpose(1, 2)"),
    Wrong("squeezed", SHAPE) | returns("(a @ a.transpose(-2, -1)).squeeze()"),
    Wrong("scaled", NAMED + VALUES) | returns("a @ a.transpose(2, 3) / 4 ** 0.5"),
    Wrong("scaled-by-head-dim", NAMED + VALUES) | returns("a @ a.transpose(-1, -2) / a.shape[-1]"),
    Wrong("softmax-as-well", VALUES + NAMED + RULE) | returns("torch.softmax(a @ a.mT, dim=-1)"),
    Wrong("heads-added", SHAPE + NAMED) | returns("(a @ a.transpose(2, 3)).sum(dim=1, keepdim=True)"),
    Wrong("heads-added-and-expanded", VALUES + NAMED)
    | returns("(a @ a.transpose(2, 3)).sum(dim=1, keepdim=True).expand(1, 2, 3, 3)"),
    Wrong("one-head-twice", VALUES + NAMED).typed("""
        first_head = a[0, 0]
        first_res = first_head @ first_head.T
        head_scores = torch.stack([first_res, first_res])[None]"""),
    Wrong("heads-swapped", NAMED) | returns("(a @ a.mT).flip(1)"),
    Wrong("heads-against-each-other", NAMED) | returns("a @ a.flip(1).transpose(2, 3)"),
    Wrong("tensordot-over-everything", SHAPE) | returns("torch.tensordot(a, a, dims=([3], [3]))"),
    Wrong("einsum-over-the-heads-too", SHAPE + NAMED) | returns('torch.einsum("bhqd,bhkd->bqk", a, a)'),
    Wrong("einsum-axes-of-tokens-mixed", SHAPE + NAMED) | returns('torch.einsum("bhqd,bhqe->bhde", a, a)'),
    Wrong("cosine", VALUES) | typed("u = nn.functional.normalize(a, dim=-1)", "head_scores = u @ u.mT"),
    Wrong("causal", VALUES + RULE) | returns("torch.tril(a @ a.transpose(2, 3))"),
    Wrong("list-of-heads", TYPE) | returns("[a[0, h] @ a[0, h].T for h in range(2)]"),
    Wrong("copied-with-four-decimals", NOT_COMPUTED + VALUES, says=TYPED_IN).typed("""
        head_scores = torch.tensor([[[[1.3208, 1.1631, 1.2879],
                  [1.1631, 2.2150, 1.8424],
                  [1.2879, 1.8424, 2.0402]],

                 [[0.4391, 0.7003, 0.5903],
                  [0.7003, 1.3737, 1.0620],
                  [0.5903, 1.0620, 0.9912]]]])"""),
    Wrong("copied-with-two-decimals", VALUES).typed("""
        head_scores = torch.tensor([[[[1.32, 1.16, 1.29], [1.16, 2.22, 1.84], [1.29, 1.84, 2.04]],
                                     [[0.44, 0.70, 0.59], [0.70, 1.37, 1.06], [0.59, 1.06, 0.99]]]])"""),
    Wrong("transpose-not-called", MISSING, never=WRONG_NAME) | returns("a @ a.transpose"),
    Wrong("axis-given-once", MISSING, never=WRONG_NAME) | returns("a @ a.transpose(2)"),
    Wrong("numpy", TYPE) | returns("a.numpy() @ a.transpose(2, 3).numpy()"),
    Wrong("half", DTYPE) | returns("a.half() @ a.half().mT"),
    Wrong("singular", MISSING, says="`head_score`") | typed("head_score = a @ a.transpose(2, 3)"),
    Wrong("a-edited", GIVENS + MISSING + SHAPE) | returns("a @ a.transpose_(2, 3).transpose(2, 3)"),
    Wrong("a-scaled-first", GIVENS) | typed("a /= 2", "head_scores = a @ a.transpose(2, 3)"),
    Wrong("left-as-it-was", STUB) | returns("...  # your code here"),
    Wrong("shape-only", TYPE) | returns("(a @ a.transpose(2, 3)).shape"),
    Wrong("a-function", TYPE) | typed("def head_scores(q, k):", "    return q @ k.transpose(2, 3)"),
    Right("negative-axes") | returns("a @ a.transpose(-2, -1)"),
    Right("mT") | returns("a @ a.mT"),
    Right("einsum") | returns('torch.einsum("bhqd,bhkd->bhqk", a, a)'),
    Right("einsum-with-dots") | returns('torch.einsum("...qd,...kd->...qk", a, a)'),
    Right("permute") | returns("torch.matmul(a, a.permute(0, 1, 3, 2))"),
    Right("swapaxes") | typed("keys = a.swapaxes(3, 2)", "head_scores = a.matmul(keys)"),
    Right("bmm")
    | typed("f = a.flatten(0, 1)", "head_scores = torch.bmm(f, f.transpose(1, 2)).unflatten(0, (1, 2))"),
    Right("float64") | returns("(a.double() @ a.double().transpose(2, 3))"),
    Right("heads-stacked")
    | returns("torch.stack([torch.stack([h @ h.T for h in sentence]) for sentence in a])"),
    Right("broadcast") | returns("(a[:, :, :, None] * a[:, :, None]).sum(-1)"),
    Right("out")
    | typed("head_scores = torch.empty(1, 2, 3, 3)", "torch.matmul(a, a.transpose(2, 3), out=head_scores)"),
    Right("four-loops").typed("""
        head_scores = torch.zeros(1, 2, 3, 3)
        for h in range(2):
            for i in range(3):
                for j in range(3):
                    head_scores[0, h, i, j] = torch.dot(a[0, h, i], a[0, h, j])"""),
    Right("vmap") | returns("torch.vmap(torch.vmap(lambda h: h @ h.T))(a)"),
    Right("query-key-names") | typed("q = k = a", "head_scores = q @ k.transpose(2, 3)"),
    Right("numpy-back")
    | typed("import numpy as np", "head_scores = torch.tensor(np.matmul(a.numpy(), a.mT.numpy()))"),
)

TASKS.hold(
    "split-heads",
    Wrong("view-without-transpose", NAMED)
    | body("b, tokens, d_out = x.shape", "return x.view(b, num_heads, tokens, d_out // num_heads)"),
    Wrong("reshape-without-transpose", NAMED).body("""
        b, tokens, d_out = x.shape
        head_dim = d_out // num_heads
        return torch.reshape(x, (b, num_heads, tokens, head_dim))"""),
    Wrong("transpose-forgotten", NAMED + SHAPE)
    | body("b, tokens, d_out = x.shape", "return x.view(b, tokens, num_heads, d_out // num_heads)"),
    Wrong("head-dim-in-front-of-heads", NAMED, base="view-without-transpose")
    | line("return x.view", "return x.view(b, tokens, d_out // num_heads, num_heads).permute(0, 3, 1, 2)"),
    Wrong("every-second-number", NAMED)
    | returns("torch.stack([x[:, :, h::num_heads] for h in range(num_heads)], dim=1)"),
    Wrong("transpose-discarded", NAMED + SHAPE, base="return-forgotten")
    | line(
        "x = x.view", "x = x.view(b, tokens, num_heads, d_out // num_heads)", "x.transpose(1, 2)", "return x"
    ),
    Wrong("last-two-axes-turned", SHAPE + NAMED, base="view-without-transpose")
    | line("return x.view", "return x.view(b, tokens, num_heads, d_out // num_heads).transpose(2, 3)"),
    Wrong("keys-as-for-the-scores", SHAPE + NAMED, base="view-without-transpose")
    | line("return x.view", "return x.view(b, tokens, num_heads, d_out // num_heads).permute(0, 2, 3, 1)"),
    Wrong("num-heads-as-the-width", SHAPE + NAMED, keeps=1, base="view-without-transpose")
    | line("return x.view", "return x.view(b, tokens, d_out // num_heads, num_heads).transpose(1, 2)"),
    Wrong("head-dim-two-always", RAISED, keeps=1, base="true-division") | edit("d_out / num_heads", "2"),
    Wrong("sizes-of-the-example", RAISED, keeps=1) | returns("x.view(1, 3, 2, 2).transpose(1, 2)"),
    Wrong("true-division", RAISED, says="//|integer|whole|float", base="view-without-transpose")
    | line("return x.view", "return x.view(b, tokens, num_heads, d_out / num_heads).transpose(1, 2)"),
    Wrong("whole-width-for-each-head", RAISED, base="true-division") | edit(" / num_heads", ""),
    Wrong("copied-to-every-head", SHAPE + NAMED) | returns("x.unsqueeze(1).repeat(1, num_heads, 1, 1)"),
    Wrong("chunks-in-a-tuple", TYPE, never="comma") | returns("x.chunk(num_heads, dim=-1)"),
    Wrong("chunks-in-front", SHAPE + NAMED) | returns("torch.stack(x.chunk(num_heads, dim=-1))"),
    Wrong("stacked-after-the-tokens", SHAPE + NAMED)
    | returns("torch.stack(x.chunk(num_heads, dim=-1), dim=2)"),
    Wrong("split-takes-a-size", SHAPE + NAMED + RAISED, keeps=1)
    | returns("torch.stack(x.split(num_heads, dim=-1), dim=1)"),
    Wrong("tokens-cut-instead", SHAPE + RAISED + NAMED)
    | returns("torch.stack(x.chunk(num_heads, dim=1), dim=1)"),
    Wrong("heads-the-other-way-round", NAMED)
    | body("b, tokens, d_out = x.shape", "return x.view(b, tokens, num_heads, -1).transpose(1, 2).flip(1)"),
    Wrong("transposed-before-the-view", VALUES + NAMED, base="view-without-transpose")
    | edit("return x.view", "x = x.transpose(1, 2)\n    return x.reshape"),
    Wrong("batch-and-tokens-mixed", SHAPE + NAMED + VALUES).body("""
        tokens, b, d_out = x.shape
        return x.view(b, tokens, num_heads, d_out // num_heads).transpose(1, 2)"""),
    Wrong("reads-numbered", SHAPE + RAISED + VALUES + NAMED).body("""
        b, tokens, d_out = numbered.shape
        return numbered.view(b, tokens, num_heads, d_out // num_heads).transpose(1, 2)"""),
    Wrong("two-heads-always", SHAPE + NAMED, keeps=1)
    | body("half = x.shape[-1] // 2", "return torch.stack((x[..., :half], x[..., half:]), dim=1)"),
    Wrong("one-sentence-only", SHAPE, keeps=1).body("""
        tokens, d_out = x[0].shape
        return x[0].view(tokens, num_heads, d_out // num_heads).transpose(0, 1)[None]"""),
    Wrong("batch-axis-lost", SHAPE + RAISED, base="view-without-transpose")
    | line("return x.view", "return x.view(tokens, num_heads, d_out // num_heads).transpose(0, 1)"),
    Wrong("return-forgotten", TYPE, base="view-without-transpose")
    | line("return x.view", "x = x.view(b, tokens, num_heads, d_out // num_heads).transpose(1, 2)"),
    Wrong("turns-its-argument", RULE + BEHAVIOUR + RAISED + VALUES, keeps=1, base="return-forgotten")
    | line("x = x.view", "x.resize_(b, tokens, num_heads, d_out // num_heads)", "return x.transpose_(1, 2)"),
    Wrong("argument-turned-in-place-and-back", RULE + BEHAVIOUR, keeps=1).body("""
        b, tokens, d_out = x.shape
        out = x.view(b, tokens, num_heads, -1).transpose(1, 2).clone()
        x.zero_()
        return out"""),
    Wrong("left-as-it-was", STUB) | typed("def split_heads(x, num_heads):", "    ..."),
    Wrong("as-a-list", TYPE) | returns("[[s for s in x[i].chunk(num_heads, -1)] for i in range(len(x))]"),
    Wrong("method-with-self", RAISED, base="return-forgotten")
    | edit("x, num_heads", "self, x")
    | line("x = x.view", "return x.view(b, tokens, self.num_heads, self.head_dim).transpose(1, 2)"),
    Wrong("misspelt", MISSING, says="`split_head`", base="true-division")
    | edit("split_heads", "split_head")
    | edit("d_out / num_heads", "-1"),
    Wrong("whole-numbers-made-floats-in-a-typed-tensor", NAMED)
    | returns("torch.tensor([[[[0, 1], [10, 11], [20, 21]], [[2, 3], [12, 13], [22, 23]]]])"),
    Right("minus-one") | returns("x.view(x.shape[0], x.shape[1], num_heads, -1).transpose(1, 2)"),
    Right("unflatten") | returns("x.unflatten(-1, (num_heads, -1)).movedim(2, 1)"),
    Right("chunk-and-stack") | returns("torch.stack(x.chunk(num_heads, dim=-1), dim=1)"),
    Right("split-with-the-size")
    | body("head_dim = x.size(-1) // num_heads", "return torch.stack(x.split(head_dim, dim=2), dim=1)"),
    Right("slices-in-a-loop").body("""
        b, t, d = x.shape
        hd = d // num_heads
        out = torch.empty(b, num_heads, t, hd, dtype=x.dtype)
        for h in range(num_heads):
            out[:, h] = x[:, :, h * hd : (h + 1) * hd]
        return out"""),
    Right("permute-contiguous").typed("""
        def split_heads(x: torch.Tensor, num_heads: int) -> torch.Tensor:
            B, T, C = x.size()
            return x.reshape(B, T, num_heads, C // num_heads).permute(0, 2, 1, 3).contiguous()"""),
    Right("from-the-other-end").body("""
        b, t, d = x.shape
        return x.transpose(1, 2).reshape(b, num_heads, d // num_heads, t).transpose(-1, -2)"""),
    Right("tensor-split-listcomp")
    | typed("split_heads = lambda x, num_heads: torch.stack(torch.tensor_split(x, num_heads, -1), 1)"),
    Right("loop-over-sentences-and-tokens").body("""
        sentences = []
        for sentence in x:
            rows = [token.reshape(num_heads, -1) for token in sentence]
            sentences.append(torch.stack(rows, dim=1))
        return torch.stack(sentences)"""),
    Right("as-strided").body("""
        x = x.contiguous()
        b, t, d = x.shape
        hd = d // num_heads
        return x.as_strided((b, num_heads, t, hd), (t * d, hd, d, 1), x.storage_offset())"""),
    Right("with-an-assert").body("""
        b, num_tokens, d_out = x.shape
        assert d_out % num_heads == 0, "d_out must be divisible by num_heads"
        x = x.view(b, num_tokens, num_heads, d_out // num_heads)
        x = torch.swapaxes(x, 1, 2)
        return x"""),
)

TASKS.hold(
    "bug-view-without-transpose",
    Wrong("as-given", NAMED, says="transpose|view", base="changed-outside-the-class")
    | lines(
        "return context", "print(['step'])", "return context.reshape(b, num_tokens, -1)  # (b, tokens, d_out)"
    ),
    Wrong("queries-mended-only", RULE + BEHAVIOUR + VALUES + NAMED, base="queries-and-keys-mended")
    | line("keys = self", "keys = self.W_key(x).view(b, self.num_heads, num_tokens, self.head_dim)"),
    Wrong("queries-and-keys-mended", RULE + BEHAVIOUR + VALUES + NAMED, base="as-in-the-recap")
    | line("values = self", "values = self.W_value(x).view(b, self.num_heads, num_tokens, self.head_dim)"),
    Wrong("values-mended-only", RULE + BEHAVIOUR + VALUES + NAMED, base="as-given")
    | line(
        "values = self",
        "values = self.W_value(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)",
    ),
    Wrong("view-mended-and-no-transpose", RAISED + NAMED, base="as-given")
    | edit("num_heads, num_tokens", "num_heads", places=3)
    | edit("self.num_heads,", "num_tokens, self.num_heads,", places=3),
    Wrong("transposed-after-the-wrong-view", RAISED + NAMED, base="as-in-the-recap")
    | edit("num_tokens, self", "self", places=3)
    | edit("num_heads, ", "num_heads, num_tokens, ", places=3),
    Wrong("transposed-there-and-back", NAMED, base="faulty").define("""
        def forward(self, x):
            b, num_tokens, _ = x.shape
            queries = self.W_query(x).view(b, self.num_heads, num_tokens, self.head_dim).transpose(1, 2).transpose(1, 2)
            keys = self.W_key(x).view(b, self.num_heads, num_tokens, self.head_dim).transpose(1, 2).transpose(1, 2)
            values = self.W_value(x).view(b, self.num_heads, num_tokens, self.head_dim).transpose(1, 2).transpose(1, 2)
            scores = queries @ keys.transpose(2, 3)  # (b, heads, tokens, tokens)
            scores = scores.masked_fill(self.mask[:num_tokens, :num_tokens], -torch.inf)
            weights = torch.softmax(scores / self.head_dim**0.5, dim=-1)  # (b, heads, tokens, tokens)
            context = (weights @ values).transpose(1, 2)  # (b, tokens, heads, head_dim)
            return context.reshape(b, num_tokens, -1)  # (b, tokens, d_out)"""),  # noqa: E501
    Wrong("reshape-instead-of-view", NAMED, base="as-given") | edit("(x).view", "(x).reshape", places=3),
    Wrong("contiguous-added", NAMED, base="as-given") | edit("(x).view", "(x).contiguous().view", places=3),
    Wrong("every-second-number", VALUES + NAMED, base="as-in-the-recap")
    | lines(
        "queries =",
        "values = self",
        "queries = self.W_query(x).view(b, num_tokens, self.head_dim, self.num_heads).permute(0, 3, 1, 2)",
        "keys = self.W_key(x).view(b, num_tokens, self.head_dim, self.num_heads).permute(0, 3, 1, 2)",
        "values = self.W_value(x).view(b, num_tokens, self.head_dim, self.num_heads).permute(0, 3, 1, 2)",
    ),
    Wrong("symptom-hidden-by-the-mask", RULE + BEHAVIOUR + VALUES + NOT_FINITE, base="as-given")
    | edit(
        "self.mask[:num_tokens, :num_tokens]",
        "torch.triu(torch.ones(num_tokens, num_tokens), diagonal=-1).bool()",
    ),
    Wrong("nan-hidden", RULE + BEHAVIOUR + VALUES, base="as-given")
    | lines(
        "scores = queries",
        "weights =",
        "mask = torch.triu(torch.ones(num_tokens, num_tokens), diagonal=0).bool()",
        "scores = queries @ keys.transpose(2, 3)",
        "scores = scores.masked_fill(mask, -torch.inf)",
        "weights = torch.softmax(scores / self.head_dim**0.5, dim=-1).nan_to_num()",
    ),
    Wrong("values-only-for-the-symptom", VALUES + BEHAVIOUR + NAMED, never="later token", base="as-given")
    | lines("context =", "return context", "return self.W_value(x)"),
    Wrong("nothing-depends-on-x", VALUES + BEHAVIOUR, base="changed-outside-the-class")
    | lines(
        "context =", "print(['step'])", "return torch.zeros(b, num_tokens, self.num_heads * self.head_dim)"
    ),
    Wrong("last-token-detected-and-zeroed", VALUES + RULE + BEHAVIOUR, base="as-given")
    | line(
        "return context",
        "out = context.reshape(b, num_tokens, -1)",
        "out[:, -2] = 0",
        "return out  # (b, tokens, d_out)",
    ),
    Wrong("sizes-of-the-example", RAISED + BEHAVIOUR, base="queries-and-keys-mended")
    | edit("b, num_tokens, self.num_heads, self.head_dim", "2, 6, 2, 2", places=2)
    | line("values = self", "values = self.W_value(x).view(2, 6, 2, 2).transpose(1, 2)"),
    Wrong("mask-lost", RULE + BEHAVIOUR + VALUES + NAMED, base="mask-result-discarded")
    | without("scores.masked_fill"),
    Wrong("mask-result-discarded", RULE + BEHAVIOUR + VALUES + NAMED, base="as-in-the-recap")
    | edit("  # (b, heads, tokens, tokens)", "", places=2)
    | edit("scores = scores", "scores"),
    Wrong("merged-without-transposing", VALUES + RULE + BEHAVIOUR + NAMED, base="as-in-the-recap")
    | lines("context =", "return context", "return (weights @ values).reshape(b, num_tokens, -1)"),
    Wrong("scaled-by-d-out", VALUES + NAMED + BEHAVIOUR, base="as-in-the-recap")
    | edit(" / ", " / (")
    | edit("**", " * self.num_heads)**"),
    Wrong("softmax-over-the-heads", BEHAVIOUR + NAMED, base="as-in-the-recap") | edit(", dim=-1", ", dim=1"),
    Wrong("output-projection-added", PARAMETERS, says="out_proj", base="as-in-the-recap")
    | below("self.register_buffer", "self.out_proj = nn.Linear(d_out, d_out)")
    | lines(
        "context =",
        "return context",
        "return self.out_proj((weights @ values).transpose(1, 2).reshape(b, num_tokens, -1))",
    ),
    Wrong("one-head-after-all", VALUES + NAMED + BEHAVIOUR)
    | edit("nn.Module", "CausalAttention")
    | lines("super().__init__()", "return context", "super().__init__(d_in, d_out, context_length, 0.0)"),
    Wrong("wrapper-in-its-place", PARAMETERS).typed("""
        class CausalHeads(MultiHeadAttentionWrapper):
            def __init__(self, d_in, d_out, context_length, num_heads):
                super().__init__(d_in, d_out // num_heads, context_length, 0.0, num_heads)"""),
    Wrong("split-heads-with-head-dim", VALUES + NAMED + BEHAVIOUR, keeps=1, base="as-given")
    | lines(
        "queries =",
        "values = self",
        "queries = split_heads(self.W_query(x), self.head_dim)",
        "keys = split_heads(self.W_key(x), self.head_dim)",
        "values = split_heads(self.W_value(x), self.head_dim)",
    ),
    Wrong("changed-outside-the-class", NAMED).typed("""
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
        print(['step'])"""),  # noqa: E501
    Wrong("class-deleted", MISSING) | typed("changed = [5]"),
    Wrong("mask-as-tril", RULE + BEHAVIOUR + VALUES + NAMED, base="as-in-the-recap")
    | edit("torch.triu", "torch.tril")
    | edit("diagonal=1", "diagonal=-1"),
    Wrong("values-made-of-the-keys", VALUES + NAMED + BEHAVIOUR, base="as-in-the-recap")
    | edit("W_value(x)", "W_key(x)"),
    Right("as-in-the-recap", base="faulty")
    | lines(
        "# each: (b",
        "scores = queries",
        "queries = self.W_query(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)",
        "keys = self.W_key(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)",
        "values = self.W_value(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)",
        "scores = queries @ keys.transpose(2, 3)  # (b, heads, tokens, tokens)",
    ),
    Right("own-split-heads", base="as-given")
    | lines(
        "queries =",
        "values = self",
        "queries = split_heads(self.W_query(x), self.num_heads)",
        "keys = split_heads(self.W_key(x), self.num_heads)",
        "values = split_heads(self.W_value(x), self.num_heads)",
    ),
    Right("loop-with-names", base="as-in-the-recap")
    | lines(
        "queries =",
        "values = self",
        "queries, keys, values = [",
        "    layer(x).unflatten(-1, (self.num_heads, self.head_dim)).permute(0, 2, 1, 3)",
        "    for layer in (self.W_query, self.W_key, self.W_value)",
        "]",
    ),
    Right("tokens-stay-in-front", base="faulty").define("""
        def forward(self, x):
            b, num_tokens, _ = x.shape
            q = self.W_query(x).view(b, num_tokens, self.num_heads, self.head_dim)
            k = self.W_key(x).view(b, num_tokens, self.num_heads, self.head_dim)
            v = self.W_value(x).view(b, num_tokens, self.num_heads, self.head_dim)
            scores = torch.einsum("bqhd,bkhd->bhqk", q, k) / self.head_dim**0.5
            scores = scores.masked_fill(self.mask[:num_tokens, :num_tokens], float("-inf"))
            weights = scores.softmax(-1)
            return torch.einsum("bhqk,bkhd->bqhd", weights, v).flatten(2)"""),
    Right("fused-attention", base="mask-result-discarded")
    | lines(
        "scores = queries",
        "return context",
        "from torch.nn import functional as F",
        "out = F.scaled_dot_product_attention(queries, keys, values, is_causal=True)",
        "return out.transpose(1, 2).reshape(b, num_tokens, -1)",
    ),
    Right("fused-attention-with-the-mask", base="mask-result-discarded")
    | lines(
        "scores = queries",
        "return context",
        "",
        "allowed = ~self.mask[:num_tokens, :num_tokens]",
        "out = nn.functional.scaled_dot_product_attention(queries, keys, values, attn_mask=allowed)",
        "return out.transpose(1, 2).contiguous().view(b, num_tokens, -1)",
    ),
    Right("helper-method", base="changed-outside-the-class")
    | lines(
        "queries =",
        "values = self",
        "queries, keys, values = map(self.split, (self.W_query(x), self.W_key(x), self.W_value(x)))",
    )
    | lines(
        "changed = [5]",
        "print(['step'])",
        "    def split(self, t):",
        "        return torch.stack(t.chunk(self.num_heads, dim=-1), dim=1)",
    ),
    Right("loop-over-heads", base="faulty").define("""
        def forward(self, x):
            b, num_tokens, _ = x.shape
            q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
            out = []
            for h in range(self.num_heads):
                piece = slice(h * self.head_dim, (h + 1) * self.head_dim)
                s = q[..., piece] @ k[..., piece].transpose(1, 2) / self.head_dim**0.5
                s = s + torch.where(self.mask[:num_tokens, :num_tokens], -1e9, 0.0)
                out.append(torch.softmax(s, dim=-1) @ v[..., piece])
            return torch.cat(out, dim=-1)"""),
    Right("transposed-before-cutting", base="as-in-the-recap")
    | lines(
        "queries =",
        "values = self",
        "queries = self.W_query(x).transpose(1, 2).reshape(b, self.num_heads, self.head_dim, num_tokens)",
        "queries = queries.transpose(2, 3)",
        "keys = self.W_key(x).transpose(1, 2).reshape(b, self.num_heads, self.head_dim, num_tokens)",
        "keys = keys.transpose(2, 3)",
        "values = self.W_value(x).transpose(1, 2).reshape(b, self.num_heads, self.head_dim, num_tokens)",
        "values = values.transpose(2, 3)",
    ),
    Right("mended-by-inheriting").typed("""
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
                return (scores.softmax(-1) @ v).transpose(1, 2).flatten(2)"""),  # noqa: E501
)

TASKS.hold(
    "merge-heads",
    Wrong("view-without-transpose", NAMED + RAISED)
    | body("b, heads, tokens, head_dim = context.shape", "return context.view(b, tokens, heads * head_dim)"),
    Wrong("reshape-without-transpose", NAMED, base="view-without-transpose")
    | edit("context.view", "context.reshape"),
    Wrong("contiguous-and-no-transpose", NAMED)
    | body("b, heads, tokens, head_dim = context.shape", "return context.contiguous().view(b, tokens, -1)"),
    Wrong("contiguous-forgotten", RAISED, says="contiguous|reshape", base="view-without-transpose")
    | edit("context.view", "context.transpose(1, 2).view"),
    Wrong("contiguous-before-the-transpose", RAISED, says="contiguous|reshape", base="view-without-transpose")
    | edit("context.view", "context.contiguous().transpose(1, 2).view"),
    Wrong("contiguous-discarded", RAISED, says="contiguous|reshape", base="view-without-transpose")
    | above("return context", "context = context.transpose(1, 2)", "context.contiguous()"),
    Wrong("last-axes-turned", NAMED + VALUES, base="view-without-transpose")
    | edit("context.view", "context.transpose(2, 3).reshape"),
    Wrong("head-dim-in-front-of-heads", NAMED + VALUES, base="view-without-transpose")
    | edit("context.view", "context.permute(0, 2, 3, 1).reshape"),
    Wrong("axes-one-and-three", NAMED + VALUES, base="view-without-transpose")
    | line("return context", "return context.transpose(1, 3).reshape(b, tokens, -1)"),
    Wrong("heads-added", SHAPE + NAMED) | returns("context.sum(dim=1)"),
    Wrong("heads-averaged", SHAPE + NAMED) | returns("context.mean(dim=1)"),
    Wrong("transposed-only", SHAPE + NAMED) | returns("context.transpose(1, 2)"),
    Wrong("names-swapped", SHAPE + NAMED).body("""
        b, tokens, heads, head_dim = context.shape
        return context.reshape(b, tokens, heads * head_dim)"""),
    Wrong("names-swapped-and-transposed", SHAPE + NAMED).body("""
        b, tokens, heads, head_dim = context.shape
        return context.transpose(1, 2).reshape(b, tokens, heads * head_dim)"""),
    Wrong("flattened-one-too-early", SHAPE) | returns("context.transpose(1, 2).flatten(1)"),
    Wrong("first-head-only", SHAPE + NAMED) | returns("context[:, 0]"),
    Wrong("joined-along-the-tokens", SHAPE + NAMED) | returns("torch.cat(context.unbind(1), dim=1)"),
    Wrong("heads-the-other-way-round", NAMED)
    | returns("torch.cat([h for h in context.flip(1).unbind(1)], dim=-1)"),
    Wrong("loop-over-the-batch-as-heads", SHAPE) | returns("torch.cat([head for head in context], dim=-1)"),
    Wrong("numbers-of-the-example", RAISED, keeps=1) | returns("context.transpose(1, 2).reshape(1, 3, 4)"),
    Wrong("two-heads-always", SHAPE + NAMED + RAISED, keeps=1)
    | returns("torch.cat((context[:, 0], context[:, 1]), dim=-1)"),
    Wrong("reads-numbered", RAISED, keeps=1)
    | body("b, tokens, d_out = numbered.shape", "return context.transpose(1, 2).reshape(b, tokens, d_out)"),
    Wrong("reads-d-out", RAISED, base="view-without-transpose")
    | line("return context", "return context.transpose(1, 2).reshape(b, tokens, d_out)"),
    Wrong("return-forgotten", TYPE, base="view-without-transpose")
    | edit("return context", "context.transpose(1, 2).contiguous()"),
    Wrong("argument-turned-in-place", RULE + BEHAVIOUR + VALUES, keeps=1, base="view-without-transpose")
    | edit("context.view", "context.transpose_(1, 2).reshape"),
    Wrong("errors-hidden", NAMED + VALUES).body("""
        b, heads, tokens, head_dim = context.shape
        try:
            return context.transpose(1, 2).view(b, tokens, heads * head_dim)
        except RuntimeError:
            return context.reshape(b, tokens, heads * head_dim)"""),
    Wrong("split-again", RAISED) | returns("split_heads(context, 2)"),
    Wrong("list", TYPE) | returns("context.transpose(1, 2).flatten(2).tolist()"),
    Wrong("left-as-it-was", STUB) | typed("def merge_heads(context):", "    ..."),
    Wrong("misspelt", MISSING, says="`merge_head`", base="flatten") | edit("merge_heads", "merge_head"),
    Wrong("sentences-mixed", VALUES + NAMED + RULE + BEHAVIOUR, keeps=1, base="view-without-transpose")
    | edit("context.view", "context.permute(2, 0, 1, 3).reshape"),
    Wrong("stacked-pieces", NAMED + VALUES)
    | returns("torch.stack([h for h in context.unbind(1)], dim=-1).flatten(2)"),
    Right("flatten") | returns("context.transpose(1, 2).flatten(2)"),
    Right("reshape-minus-one")
    | returns("context.transpose(1, 2).reshape(context.shape[0], context.shape[2], -1)"),
    Right("cat") | typed("merge_heads = lambda context: torch.cat(context.unbind(dim=1), dim=-1)"),
    Right("hstack-of-heads") | returns("torch.cat(tuple(context.movedim(1, 0)), 2)"),
    Right("permute").typed("""
        def merge_heads(context: torch.Tensor) -> torch.Tensor:
            B, H, T, D = context.size()
            context = context.permute(0, 2, 1, 3).contiguous()
            return context.view(B, T, H * D)"""),
    Right("slices").body("""
        b, h, t, d = context.shape
        out = context.new_empty(b, t, h * d)
        for i in range(h):
            out[:, :, i * d : (i + 1) * d] = context[:, i]
        return out"""),
    Right("turned-from-the-other-end", base="clone-and-view")
    | line("return context", "return context.transpose(-1, -2).reshape(b, h * d, t).transpose(1, 2)"),
    Right("clone-and-view").body("""
        b, h, t, d = context.shape
        return context.transpose(1, 2).clone(memory_format=torch.contiguous_format).view(b, t, h * d)"""),
    Right("loops").body("""
        result = []
        for sentence in context:
            rows = []
            for i in range(sentence.shape[1]):
                rows.append(torch.cat([head[i] for head in sentence]))
            result.append(torch.stack(rows))
        return torch.stack(result)"""),
    Right("einsum") | returns('torch.einsum("bhtd->bthd", context).flatten(-2)'),
)

TASKS.hold(
    "bug-merge-without-transpose",
    Wrong("as-given", NAMED, says="transpose|merge", base="other-axes-turned")
    | edit(".transpose(2, 3).", "."),
    Wrong("contiguous-view", NAMED, base="as-given") | edit(".reshape", ".contiguous().view"),
    Wrong("other-axes-turned", RULE + BEHAVIOUR + VALUES + NAMED).define("""
        def forward(self, x):
            b, num_tokens, _ = x.shape
            queries = self.W_query(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
            keys = self.W_key(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
            values = self.W_value(x).view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)
            scores = queries @ keys.transpose(2, 3)  # (b, heads, tokens, tokens)
            weights = torch.softmax(scores / self.head_dim**0.5, dim=-1)  # (b, heads, tokens, tokens)
            context = weights @ values  # (b, heads, tokens, head_dim)
            context = context.transpose(2, 3).reshape(b, num_tokens, -1)
            return self.out_proj(context)"""),
    Wrong("axes-one-and-three", VALUES + NAMED, base="other-axes-turned")
    | edit("transpose(2, 3).", "permute(0, 2, 3, 1)."),
    Wrong("transpose-discarded", NAMED, base="other-axes-turned")
    | line("context = context", "context.transpose(1, 2)", "context = context.reshape(b, num_tokens, -1)"),
    Wrong("transposed-after-the-reshape", RAISED + NAMED, base="as-given")
    | edit("(b, num_tokens, -1)", "(b, num_tokens, -1).transpose(1, 2)"),
    Wrong("view-after-the-transpose", RAISED, says="contiguous|reshape", base="other-axes-turned")
    | edit("(2, 3).reshape", "(1, 2).view"),
    Wrong("projection-left-out", VALUES + NAMED + BEHAVIOUR, base="other-axes-turned")
    | lines("context = context", "return self", "return context.transpose(1, 2).reshape(b, num_tokens, -1)"),
    Wrong("projection-twice", VALUES + NAMED + BEHAVIOUR, base="other-axes-turned")
    | line(
        "context = context", "context = self.out_proj(context.transpose(1, 2).reshape(b, num_tokens, -1))"
    ),
    Wrong("heads-averaged", VALUES + NAMED + BEHAVIOUR, base="cat")
    | line("return self", "return self.out_proj(context.mean(1).repeat(1, 1, self.num_heads))"),
    Wrong("symptom-hidden-by-the-mean", VALUES + NAMED + BEHAVIOUR + RULE, base="as-given")
    | edit("(b, num_tokens, -1)", "(b, num_tokens, -1).mean(dim=1, keepdim=True)")
    | edit("(context)", "(context.expand(-1, num_tokens, -1))"),
    Wrong("symptom-hidden-by-sorting", VALUES + RULE + BEHAVIOUR + NAMED, base="as-given")
    | below("context = weights", "order = x.sum(-1).argsort(dim=1)")
    | above("return self", "context = context.gather(1, order[..., None].expand_as(context))"),
    Wrong("split-broken-as-well", RULE + BEHAVIOUR + VALUES + NAMED, base="split-broken-merge-mended")
    | lines("context = context", "return self", "return self.out_proj(context.reshape(b, num_tokens, -1))"),
    Wrong("split-broken-merge-mended", RULE + BEHAVIOUR + VALUES + NAMED, base="other-axes-turned")
    | edit("num_tokens, self", "self", places=3)
    | edit("num_heads, ", "num_heads, num_tokens, ", places=3)
    | line("queries =", "queries = self.W_query(x).view(b, self.num_heads, num_tokens, self.head_dim)")
    | line("keys = self", "keys = self.W_key(x).view(b, self.num_heads, num_tokens, self.head_dim)")
    | edit(".transpose(1, 2)", "")
    | edit("(2, 3).reshape", "(1, 2).reshape"),
    Wrong("split-broken-to-match", VALUES + NAMED + BEHAVIOUR, base="other-axes-turned")
    | edit(".transpose(1, 2)", "", places=3)
    | lines("context = context", "return self", "return self.out_proj(context.reshape(b, num_tokens, -1))"),
    Wrong("masked", RULE + BEHAVIOUR + VALUES + NAMED, base="transpose-reshape")
    | lines(
        "scores = queries",
        "context = weights",
        "scores = queries @ keys.transpose(2, 3)",
        "mask = torch.triu(torch.ones(num_tokens, num_tokens), diagonal=1).bool()",
        "scores = scores.masked_fill(mask, -torch.inf)",
        "context = torch.softmax(scores / self.head_dim**0.5, dim=-1) @ values",
    ),
    Wrong("softmax-over-queries", VALUES + NAMED + BEHAVIOUR, base="transpose-reshape")
    | edit(", dim=-1", ", dim=-2"),
    Wrong("scale-lost", VALUES + NAMED + BEHAVIOUR, base="transpose-reshape")
    | edit(" / self.head_dim**0.5", ""),
    Wrong("sizes-of-the-example", RAISED + BEHAVIOUR, base="cat")
    | line("return self", "return self.out_proj(context.transpose(1, 2).reshape(1, 6, 4))"),
    Wrong("one-sentence-only", SHAPE + BEHAVIOUR + NAMED, base="projection-twice")
    | line("context = self", "context = torch.cat([context[0, h] for h in range(self.num_heads)], dim=-1)")
    | edit("(context)", "(context)[None]"),
    Wrong("projected-before-merging", RAISED, base="projection-left-out")
    | edit("context.", "self.out_proj(context)."),
    Wrong("symptom-rewritten", NAMED).typed("""
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

        same = True"""),
    Wrong("bias-lost", PARAMETERS, base="transpose-reshape")
    | edit("(d_out, d_out)", "(d_out, d_out, bias=False)"),
    Wrong("merge-heads-after-transpose", RAISED + SHAPE, base="cat")
    | line("return self", "return self.out_proj(merge_heads(context.transpose(1, 2)))"),
    Wrong("return-forgotten", TYPE, base="other-axes-turned")
    | lines("context = context", "return self", "context = self.out_proj(merge_heads(context))"),
    Right("transpose-reshape", base="other-axes-turned") | edit("(2, 3).reshape", "(1, 2).reshape"),
    Right("own-merge", base="cat") | line("return self", "return self.out_proj(merge_heads(context))"),
    Right("contiguous-view", base="other-axes-turned") | edit("(2, 3).reshape", "(1, 2).contiguous().view"),
    Right("cat", base="other-axes-turned")
    | lines("context = context", "return self", "return self.out_proj(torch.cat(context.unbind(1), dim=-1))"),
    Right("permute-flatten", base="cat")
    | line("return self", "return self.out_proj(context.permute(0, 2, 1, 3).flatten(2))"),
    Right("fused", base="cat")
    | lines(
        "scores = queries",
        "return self",
        "context = nn.functional.scaled_dot_product_attention(queries, keys, values)",
        "return self.out_proj(context.transpose(1, 2).flatten(start_dim=2))",
    ),
    Right("projection-piece-by-piece", base="other-axes-turned")
    | lines(
        "context = context",
        "return self",
        "pieces = self.out_proj.weight.chunk(self.num_heads, dim=1)  # each (d_out, head_dim)",
        "mixed = sum(context[:, h] @ piece.T for h, piece in enumerate(pieces))",
        "return mixed + self.out_proj.bias",
    ),
    Right("values-tokens-in-front", base="other-axes-turned")
    | lines(
        "scores = queries",
        "return self",
        "scores = queries @ keys.mT / self.head_dim**0.5",
        'context = torch.einsum("bhqk,bhkd->bqhd", torch.softmax(scores, -1), values)',
        "return self.out_proj(context.flatten(2))",
    ),
    Right("loop-over-heads", base="cat")
    | edit("context.unbind(1), dim=-1", "[context[:, h] for h in range(self.num_heads)], dim=2"),
)

TASKS.hold(
    "multi-head-attention",
    Wrong("scaled-by-d-out", NAMED, keeps=4, base="not-scaled")
    | edit(", dim=-1", " / self.d_out**0.5, dim=-1"),
    Wrong("not-scaled", NAMED, keeps=4, base="queries-and-keys-swapped")
    | edit("keys @ queries", "queries @ keys")
    | edit(" / keys.shape[-1] ** 0.5", ""),
    Wrong("divided-by-head-dim", NAMED, keeps=4, base="not-scaled")
    | edit(", dim=-1", " / self.head_dim, dim=-1"),
    Wrong("times-root", NAMED + VALUES, keeps=4, base="not-scaled")
    | edit(", dim=-1", " * self.head_dim**0.5, dim=-1"),
    Wrong("scaled-by-d-in", NAMED + VALUES, keeps=4, base="not-scaled")
    | edit(", dim=-1", " / d_in**0.5, dim=-1"),
    Wrong("scaled-by-tokens", NAMED + VALUES, keeps=4, base="not-scaled")
    | edit(", dim=-1", " / num_tokens**0.5, dim=-1"),
    Wrong("scaled-by-heads", NAMED + VALUES, keeps=5, base="not-scaled")
    | edit(", dim=-1", " / self.num_heads**0.5, dim=-1"),
    Wrong("scaled-by-the-wrong-axis", NAMED + VALUES, keeps=5, base="as-in-the-book")
    | edit("shape[-1]", "shape[1]"),
    Wrong("scaled-twice", NAMED + VALUES, keeps=4, base="queries-and-keys-swapped")
    | edit("keys @ queries", "queries / self.head_dim**0.5 @ keys"),
    Wrong("scaled-after-the-softmax", NAMED + VALUES, base="not-scaled")
    | edit("(attn_scores, dim=-1)", "(attn_scores, dim=-1) / self.head_dim**0.5"),
    Wrong("softmax-over-queries", NAMED + VALUES + NOT_FINITE, keeps=1, base="as-in-the-book")
    | edit("(attn_scores / keys.shape[-1] ** 0.5, dim=-1)", "(attn_scores / keys.shape[-1] ** 0.5, dim=-2)"),
    Wrong("softmax-over-heads", NAMED + VALUES + NOT_FINITE, base="as-in-the-book")
    | edit(", dim=-1", ", dim=1"),
    Wrong("softmax-over-the-batch", NAMED + VALUES + NOT_FINITE, base="as-in-the-book")
    | edit("(attn_scores / keys.shape[-1] ** 0.5, dim=-1)", "(attn_scores / keys.shape[-1] ** 0.5, dim=0)"),
    Wrong("queries-and-keys-swapped", NAMED + VALUES, keeps=4).define("""
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
            return self.out_proj(context_vec)""")
    | edit('f"d_out ({d_out})', '"d_out')
    | edit(' ({num_heads})")', '")\n        self.d_out = d_out'),
    Wrong("view-without-transpose", NAMED, keeps=1, base="as-in-the-book")
    | lines(
        "keys = keys",
        "queries = queries",
        "keys = keys.view(b, self.num_heads, num_tokens, self.head_dim)",
        "values = values.view(b, self.num_heads, num_tokens, self.head_dim)",
        "queries = queries.view(b, self.num_heads, num_tokens, self.head_dim)",
    ),
    Wrong("never-transposed", RAISED + NAMED + SHAPE, base="as-in-the-book")
    | line("keys = keys", "keys = keys.view(b, num_tokens, self.num_heads, self.head_dim)")
    | line("values = values", "values = values.view(b, num_tokens, self.num_heads, self.head_dim)")
    | edit(
        "(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)",
        "(b, num_tokens, self.num_heads, self.head_dim)",
    ),
    Wrong("merged-without-transpose", NAMED, keeps=1, base="as-in-the-book")
    | edit(
        "context_vec = (attn_weights @ values).transpose(1, 2)",
        "context_vec = attn_weights @ values).transpose(1, 2)",
    )
    | edit("context_vec = attn_weights @ values).transpose(1, 2)", "context_vec = attn_weights @ values"),
    Wrong("contiguous-forgotten", RAISED + NAMED, keeps=1, says="contiguous|reshape", base="as-in-the-book")
    | edit(".contiguous()", ""),
    Wrong("out-proj-left-out", NAMED, base="as-in-the-book") | line("return self", "return context_vec"),
    Wrong("out-proj-twice", NAMED + VALUES, base="as-in-the-book")
    | edit("(context_vec)", "(self.out_proj(context_vec))"),
    Wrong("out-proj-without-bias", PARAMETERS + NAMED, says="bias", base="as-in-the-book")
    | edit("(d_out, d_out)", "(d_out, d_out, bias=False)"),
    Wrong("out-proj-with-qkv-bias", PARAMETERS + NAMED, says="bias", base="as-in-the-book")
    | edit("(d_out, d_out)", "(d_out, d_out, bias=qkv_bias)"),
    Wrong("qkv-bias-ignored", PARAMETERS + NAMED, keeps=5, says="bias", base="as-in-the-book")
    | edit("=qkv_bias", "=False", places=3),
    Wrong("qkv-bias-always", PARAMETERS + NAMED, keeps=5, says="bias", base="as-in-the-book")
    | edit(", bias=qkv_bias", "", places=3),
    Wrong("value-bias-forgotten", PARAMETERS + NAMED, keeps=5, base="as-in-the-book")
    | line("self.W_value =", "self.W_value = nn.Linear(d_in, d_out, bias=False)"),
    Wrong("values-from-the-keys", NAMED + VALUES, base="as-in-the-book") | edit("W_value(x)", "W_key(x)"),
    Wrong("weights-times-keys", NAMED + VALUES, base="as-in-the-book")
    | edit("(attn_weights @ values)", "(attn_weights @ keys)"),
    Wrong("not-masked", NAMED + RULE, keeps=1, base="as-in-the-book") | without("attn_scores.masked_fill_"),
    Wrong("mask-discarded", NAMED + RULE, keeps=1, base="as-in-the-book")
    | edit("masked_fill_", "masked_fill"),
    Wrong("masked-with-zero", NAMED + RULE + BEHAVIOUR, keeps=1, base="as-in-the-book")
    | edit("-torch.inf", "0"),
    Wrong("masked-with-minus-one", NAMED + VALUES + BEHAVIOUR + RULE, keeps=1, base="as-in-the-book")
    | edit("torch.inf", "1"),
    Wrong("mask-added", NAMED + VALUES + BEHAVIOUR + RULE, keeps=1, base="as-in-the-book")
    | line("attn_scores.masked_fill_", "attn_scores = attn_scores + self.mask[:num_tokens, :num_tokens]"),
    Wrong("zero-times-inf", NOT_FINITE + NAMED, base="as-in-the-book")
    | line(
        "attn_scores.masked_fill_",
        "attn_scores = attn_scores + self.mask[:num_tokens, :num_tokens] * -torch.inf",
    ),
    Wrong("mask-after-softmax", NAMED + VALUES + BEHAVIOUR + RULE, keeps=1, base="as-in-the-book")
    | without("attn_scores.masked_fill_")
    | edit("(attn_weights)", "(attn_weights.masked_fill(mask_bool, 0))"),
    Wrong("diagonal-masked", NOT_FINITE + NAMED, base="as-in-the-book") | edit("diagonal=1", "diagonal=0"),
    Wrong("one-future-token-seen", NAMED + VALUES + BEHAVIOUR + RULE, keeps=1, base="as-in-the-book")
    | edit("diagonal=1", "diagonal=2"),
    Wrong("past-masked", NAMED + VALUES + BEHAVIOUR + RULE, keeps=1, base="as-in-the-book")
    | edit("torch.triu", "torch.tril")
    | edit("diagonal=1", "diagonal=-1"),
    Wrong("tril-kept-as-forbidden", NOT_FINITE + NAMED + VALUES + BEHAVIOUR + RULE, base="as-in-the-book")
    | edit("torch.triu", "torch.tril")
    | edit(", diagonal=1", ""),
    Wrong("mask-not-cut", RAISED, keeps=5, base="as-in-the-book") | edit("[:num_tokens, :num_tokens]", ""),
    Wrong("mask-no-buffer", BEHAVIOUR + NAMED, keeps=5, says="buffer", base="as-in-the-book")
    | edit(
        'register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1))',
        "mask = (torch.triu(torch.ones(context_length, context_length), diagonal=1))",
    ),
    Wrong("mask-not-persistent", BEHAVIOUR + NAMED, keeps=5, base="as-in-the-book")
    | edit(
        '("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1))',
        '("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1), persistent=False)',
    ),
    Wrong("mask-a-parameter", PARAMETERS + NAMED, keeps=5, base="as-in-the-book")
    | edit(
        'register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1))',
        "mask = nn.Parameter(torch.triu(torch.ones(context_length, context_length), diagonal=1))",
    ),
    Wrong("mask-made-in-forward", BEHAVIOUR + NAMED, keeps=5, says="mask|buffer", base="as-in-the-book")
    | without("self.register_buffer")
    | line("mask_bool =", "mask_bool = torch.triu(torch.ones(num_tokens, num_tokens), diagonal=1).bool()"),
    Wrong("mask-of-six", RAISED + BEHAVIOUR + NAMED, keeps=4, base="as-in-the-book")
    | edit("context_length, context_length", "6, 6"),
    Wrong("dropout-forgotten", NAMED + BEHAVIOUR, keeps=5, says="drop", base="as-in-the-book")
    | without("attn_weights = self"),
    Wrong("dropout-on-scores", NAMED + BEHAVIOUR, keeps=5, base="queries-and-keys-swapped")
    | line("attn_scores =", "attn_scores = self.dropout(queries @ keys.transpose(2, 3))")
    | without("attn_weights = self"),
    Wrong("dropout-on-context", NAMED + BEHAVIOUR, keeps=5, base="as-in-the-book")
    | without("attn_weights = self")
    | edit("(context_vec)", "(self.dropout(context_vec))"),
    Wrong("dropout-on-the-output", NAMED + BEHAVIOUR, keeps=5, base="as-in-the-book")
    | without("attn_weights = self")
    | line("return self", "return self.dropout(self.out_proj(context_vec))"),
    Wrong("dropout-twice", NAMED + BEHAVIOUR, keeps=5, base="as-in-the-book")
    | line("return self", "return self.dropout(self.out_proj(context_vec))"),
    Wrong("dropout-in-eval", NAMED + BEHAVIOUR, keeps=5, says="eval", base="as-in-the-book")
    | line("attn_weights = self", "attn_weights = nn.functional.dropout(attn_weights, self.dropout.p)"),
    Wrong("dropout-renormalised", NAMED + BEHAVIOUR, keeps=5, base="as-in-the-book")
    | below(
        "attn_weights = self",
        "attn_weights = attn_weights / attn_weights.sum(-1, keepdim=True).clamp(min=1e-9)",
    ),
    Wrong("dropout-always-a-tenth", BEHAVIOUR + NAMED + VALUES, keeps=5, base="as-in-the-book")
    | edit("(dropout)", "(0.1)"),
    Wrong("dropout-a-fixed-mask", BEHAVIOUR + NAMED, keeps=5, base="queries-and-keys-swapped").define("""
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
            return self.out_proj(context_vec)"""),  # noqa: E501
    Wrong(
        "not-refused",
        NAMED + BEHAVIOUR + RAISED + NOT_REFUSED,
        keeps=5,
        says="ValueError|divid",
        base="as-in-the-book",
    )
    | without("if d_out % num_heads", "raise ValueError"),
    Wrong(
        "assert-instead",
        NAMED + BEHAVIOUR + RAISED + NOT_REFUSED,
        keeps=5,
        says="ValueError",
        base="as-in-the-book",
    )
    | lines(
        "if d_out % num_heads",
        "raise ValueError",
        'assert d_out % num_heads == 0, "d_out must be divisible by num_heads"',
    ),
    Wrong("error-returned", NAMED + BEHAVIOUR + RAISED + NOT_REFUSED, keeps=5, base="as-in-the-book")
    | edit("raise ValueError", "print"),
    Wrong("refused-the-other-way", RAISED, base="as-in-the-book")
    | edit("d_out % num_heads", "num_heads % d_out"),
    Wrong("d-in-checked", RAISED, base="as-in-the-book") | edit("if d_out %", "if d_in %"),
    Wrong("always-refused", RAISED, base="as-in-the-book") | edit("num_heads !", "num_heads ="),
    Right("refused-in-forward", base="as-in-the-book")
    | without("if d_out % num_heads", "raise ValueError")
    | below(
        "def forward", "    if self.d_out % self.num_heads != 0:", "        raise ValueError('not divisible')"
    ),
    Wrong("heads-of-full-width", PARAMETERS + NAMED, base="as-in-the-book")
    | edit(" d_out,", " d_out * num_heads,", places=4)
    | edit(" d_in, d_out * num_heads", " d_in, d_out")
    | edit(" // num_heads", "")
    | edit("(d_out, d_out)", "(d_out * num_heads, d_out)")
    | edit("(b, num_tokens, self.d_out)", "(b, num_tokens, -1)"),
    Wrong("one-wide-head", NAMED + VALUES, keeps=3, base="own-helpers").define("""
        def forward(self, x):
            queries, keys, values = self.W_query(x), self.W_key(x), self.W_value(x)
            scores = queries @ keys.transpose(1, 2)
            n = x.shape[1]
            scores = scores.masked_fill(self.mask.bool()[:n, :n], -torch.inf)
            weights = self.dropout(torch.softmax(scores / keys.shape[-1] ** 0.5, dim=-1))
            return self.out_proj(weights @ values)"""),
    Wrong("fused-qkv", PARAMETERS, says="W_query", base="own-helpers").define("""
        def forward(self, x):
            queries, keys, values = (split_heads(t, self.num_heads) for t in self.qkv(x).chunk(3, dim=-1))
            out = nn.functional.scaled_dot_product_attention(queries, keys, values, is_causal=True)
            return self.out_proj(merge_heads(out))""")
    | lines("self.W_query", "self.W_value", "self.qkv = nn.Linear(d_in, 3 * d_out, bias=qkv_bias)"),
    Wrong("projection-named-proj", PARAMETERS, keeps=5, says="out_proj", base="as-in-the-book")
    | rename("out_proj", "proj"),
    Wrong("weights-as-parameters", PARAMETERS, keeps=5, base="as-in-the-book")
    | edit("Linear(d_in, d_out, bias=qkv_bias)", "Parameter(torch.randn(d_in, d_out))", places=3)
    | lines(
        "keys = self",
        "values = self",
        "keys = x @ self.W_key",
        "queries = x @ self.W_query",
        "values = x @ self.W_value",
    ),
    Wrong("weights-used-untransposed", RAISED + NAMED, base="as-in-the-book")
    | edit("self.W_key(x)", "x @ self.W_key.weight"),
    Wrong(
        "scaled-dot-product-without-dropout", NAMED + BEHAVIOUR, keeps=5, says="drop", base="own-helpers"
    ).define("""
        def forward(self, x):
            q, k, v = (split_heads(w(x), self.num_heads) for w in (self.W_query, self.W_key, self.W_value))
            y = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
            return self.out_proj(merge_heads(y))"""),
    Wrong(
        "scaled-dot-product-dropout-in-eval",
        NAMED + BEHAVIOUR,
        keeps=5,
        says="eval",
        base="scaled-dot-product-without-dropout",
    )
    | edit("is_causal=True", "is_causal=True, dropout_p=self.dropout.p"),
    Wrong(
        "scaled-dot-product-mask-inverted", NOT_FINITE + NAMED + VALUES + BEHAVIOUR + RULE, base="own-helpers"
    ).define("""
        def forward(self, x):
            n = x.shape[1]
            q, k, v = (split_heads(w(x), self.num_heads) for w in (self.W_query, self.W_key, self.W_value))
            p = self.dropout.p if self.training else 0.0
            mask = self.mask[:n, :n].bool()
            y = torch.nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=mask, dropout_p=p)
            return self.out_proj(merge_heads(y))"""),
    Wrong("reads-the-notebook-batch", RAISED + VALUES + SHAPE, keeps=1, base="as-in-the-book")
    | edit("d_in = x.", "d_in = batch."),
    Wrong("global-context-length", RAISED, keeps=5, says="`context_length`", base="as-in-the-book")
    | edit(":num_tokens", ":context_length", places=2),
    Wrong("d-out-of-the-notebook", RAISED + SHAPE, says="`d_out`|shape", base="as-in-the-book")
    | edit("(b, num_tokens, self.d_out)", "(b, num_tokens, d_out)"),
    Wrong("x-edited", RULE + BEHAVIOUR + VALUES, base="as-in-the-book")
    | above("keys = self", "x.clamp_(-1, 1)"),
    Wrong("super-forgotten", RAISED, says="super", base="as-in-the-book") | without("super().__init__()"),
    Wrong("returns-weights-too", TYPE, keeps=5, base="as-in-the-book")
    | edit("(context_vec)", "(context_vec), attn_weights"),
    Wrong("return-forgotten", TYPE, base="as-in-the-book") | edit("return self", "self"),
    Wrong("nan-hidden", NAMED + VALUES + BEHAVIOUR + RULE, base="as-in-the-book")
    | edit("diagonal=1", "diagonal=0")
    | edit(
        "(attn_scores / keys.shape[-1] ** 0.5, dim=-1)",
        "(attn_scores / keys.shape[-1] ** 0.5, dim=-1).nan_to_num()",
    ),
    Wrong("causality-by-half-precision", RAISED + DTYPE + VALUES, base="queries-and-keys-swapped")
    | edit("keys @ queries", "queries.half() @ keys.half()"),
    Wrong("only-init", STUB + TYPE, base="own-helpers") | lines("n = x.shape[1]", "return self", "..."),
    Wrong("as-given", STUB, base="only-init") | lines("if d_out % num_heads", "self.register_buffer", "..."),
    Wrong("misspelt", MISSING, says="`MultiheadAttention`", base="as-in-the-book")
    | edit("MultiHeadAttention", "MultiheadAttention"),
    Right("as-in-the-book", base="queries-and-keys-swapped") | edit("keys @ queries", "queries @ keys"),
    Right("own-helpers").define("""
        def forward(self, x):
            n = x.shape[1]
            q = split_heads(self.W_query(x), self.num_heads)
            k = split_heads(self.W_key(x), self.num_heads)
            v = split_heads(self.W_value(x), self.num_heads)
            s = (q @ k.mT) / self.head_dim**0.5
            s = s.masked_fill(self.mask[:n, :n] == 1, float("-inf"))
            return self.out_proj(merge_heads(self.dropout(s.softmax(-1)) @ v))""")
    | edit('f"d_out ({d_out})', '"d_out')
    | edit(' ({num_heads})")', '")\n        self.d_out = d_out'),
    Right("scaled-dot-product", base="own-helpers").define("""
        def forward(self, x):
            q, k, v = (split_heads(w(x), self.num_heads) for w in (self.W_query, self.W_key, self.W_value))
            p = self.dropout.p if self.training else 0.0
            y = torch.nn.functional.scaled_dot_product_attention(q, k, v, dropout_p=p, is_causal=True)
            return self.out_proj(merge_heads(y))"""),
    Right("scaled-dot-product-mask-kept").define("""
        def forward(self, x):
            n = x.shape[1]
            q, k, v = (split_heads(w(x), self.num_heads) for w in (self.W_query, self.W_key, self.W_value))
            y = torch.nn.functional.scaled_dot_product_attention(
                q, k, v, attn_mask=~self.mask[:n, :n], dropout_p=self.dropout.p * self.training)
            return self.out_proj(merge_heads(y))""")
    | edit('f"d_out ({d_out})', '"d_out')
    | edit(' ({num_heads})")', '")\n        self.d_out = d_out')
    | edit("1)", "1).bool()"),
    Right("tril-mask-allowed", base="as-in-the-book")
    | edit("torch.triu", "torch.tril")
    | edit(", diagonal=1", "")
    | edit("mask.bool()", "mask")
    | edit("[:num_tokens, :num_tokens]", "[:num_tokens, :num_tokens] == 0"),
    Right("mask-of-four-axes", base="as-in-the-book")
    | edit("))", ").bool().view(1, 1, context_length, context_length))")
    | edit(".bool()[", "[:, :, "),
    Right("additive-mask", base="as-in-the-book")
    | edit(
        "triu(torch.ones(context_length, context_length), diagonal=1)",
        "full((context_length, context_length), diagonal=1)",
    )
    | edit(
        "((context_length, context_length), diagonal=1)",
        "((context_length, context_length), -torch.inf).triu(1)",
    )
    | lines(
        "mask_bool =",
        "attn_scores.masked_fill_",
        "attn_scores = attn_scores + self.mask[:num_tokens, :num_tokens]",
    ),
    Right("minus-1e9", base="as-in-the-book") | edit("torch.inf", "1e9"),
    Right("finfo-min", base="as-in-the-book") | edit("-torch.inf", "torch.finfo(attn_scores.dtype).min"),
    Right("where", base="as-in-the-book")
    | line(
        "attn_scores.masked_fill_",
        "attn_scores = torch.where(mask_bool, torch.tensor(-torch.inf), attn_scores)",
    ),
    Right("einsum", base="own-helpers").define("""
        def forward(self, x):
            n = x.size(1)
            shape = (x.size(0), n, self.num_heads, self.head_dim)
            q, k, v = self.W_query(x).view(shape), self.W_key(x).view(shape), self.W_value(x).view(shape)
            s = torch.einsum("bqhd,bkhd->bhqk", q, k) * self.head_dim**-0.5
            s = s.masked_fill(self.mask.bool()[:n, :n], -torch.inf)
            w = self.dropout(nn.functional.softmax(s, dim=-1))
            return self.out_proj(torch.einsum("bhqk,bkhd->bqhd", w, v).flatten(2))"""),
    Right("loop-over-heads", base="own-helpers").define("""
        def forward(self, x):
            n = x.shape[1]
            out = []
            pieces = [w(x).chunk(self.num_heads, -1) for w in (self.W_query, self.W_key, self.W_value)]
            for q, k, v in zip(*pieces):
                s = (q @ k.transpose(1, 2)).masked_fill(self.mask[:n, :n].bool(), -torch.inf)
                out.append(self.dropout(torch.softmax(s / self.head_dim**0.5, dim=-1)) @ v)
            return self.out_proj(torch.cat(out, dim=-1))"""),
    Right("heads-folded-into-the-batch", base="own-helpers").define("""
        def forward(self, x):
            b, n, _ = x.shape
            h = self.num_heads
            fold = lambda t: t.view(b, n, h, -1).transpose(1, 2).reshape(b * h, n, -1)
            q, k, v = fold(self.W_query(x)), fold(self.W_key(x)), fold(self.W_value(x))
            s = torch.bmm(q, k.transpose(1, 2)) / k.size(-1) ** 0.5
            s = s.masked_fill(self.mask[:n, :n].bool(), -torch.inf)
            y = torch.bmm(self.dropout(s.softmax(-1)), v).view(b, h, n, -1)
            return self.out_proj(merge_heads(y))"""),
    Right("wide-weight-at-once", base="own-helpers").define("""
        def forward(self, x):
            n = x.shape[1]
            layers = (self.W_query, self.W_key, self.W_value)
            weight = torch.cat([l.weight for l in layers])
            bias = None if self.W_query.bias is None else torch.cat([l.bias for l in layers])
            q, k, v = nn.functional.linear(x, weight, bias).chunk(3, dim=-1)
            q, k, v = [split_heads(t, self.num_heads) for t in (q, k, v)]
            s = (q @ k.transpose(-2, -1)).masked_fill(self.mask[:n, :n] > 0, -torch.inf)
            return self.out_proj(merge_heads(self.dropout((s / self.head_dim**0.5).softmax(-1)) @ v))"""),
    Right("helper-methods-and-a-property").typed("""
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
                return self.dropout(self.last_weights) @ v"""),  # noqa: E501
    Right("inherits-from-causal-attention", base="scaled-dot-product").define("""
        def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
            if d_out % num_heads:
                raise ValueError(f"{num_heads} heads cannot share {d_out} numbers")
            super().__init__(d_in, d_out, context_length, dropout, qkv_bias)
            self.num_heads = num_heads
            self.out_proj = nn.Linear(d_out, d_out)""")
    | edit("nn.Module", "CausalAttention")
    | above("q, k, v =", "n = x.shape[1]")
    | line("p = self.dropout", "s = q @ k.mT / k.shape[-1] ** 0.5")
    | line("y = torch", "s = s.masked_fill(self.mask.bool()[:n, :n], -torch.inf)")
    | edit("(merge_heads(y))", "(merge_heads(self.dropout(s.softmax(-1)) @ v))"),
    Right("other-order-of-creation", base="as-in-the-book")
    | below(
        "super().__init__()", "self.dropout = nn.Dropout(dropout)", "self.out_proj = nn.Linear(d_out, d_out)"
    )
    | lines(
        "self.W_value =",
        "self.register_buffer",
        "self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)",
        'self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1))',
    ),
    Right("float64-inside", base="queries-and-keys-swapped")
    | edit("keys @ queries", "queries.double() @ keys.double()")
    | edit("(attn_weights)", "(attn_weights.to(x.dtype))"),
    Right("functional-dropout", base="as-in-the-book")
    | line("self.dropout =", "self.p = dropout")
    | line(
        "attn_weights = self",
        "attn_weights = nn.functional.dropout(attn_weights, p=self.p, training=self.training)",
    ),
    Right("scaled-queries", base="not-scaled") | edit("queries @", "(queries / self.head_dim**0.5) @"),
    Right("assertion-as-value-error", base="as-in-the-book")
    | lines(
        "if d_out % num_heads",
        "raise ValueError",
        "try:",
        "    assert d_out % num_heads == 0",
        "except AssertionError:",
        "    raise ValueError(f'{d_out} % {num_heads}') from None",
    ),
    Right("functional-multi-head-attention", costs=4, base="own-helpers").define("""
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
            return out.transpose(0, 1)"""),
)

TASKS.hold(
    "copy-into-fused",
    Wrong("joined-along-columns", RAISED + NAMED, base="six-lines") | edit(", dim=0", ", dim=1", places=3),
    Wrong("joined-along-columns-and-turned", RAISED + NAMED).body("""
        with torch.no_grad():
            fused.W_query.weight.copy_(torch.cat([head.W_query.weight for head in wrapper.heads], dim=1).T)
            fused.W_key.weight.copy_(torch.cat([head.W_key.weight for head in wrapper.heads], dim=1).T)
            fused.W_value.weight.copy_(torch.cat([head.W_value.weight for head in wrapper.heads], dim=1).T)
            fused.out_proj.weight.copy_(torch.eye(fused.out_proj.weight.shape[0]))
            fused.out_proj.bias.zero_()
        return fused"""),
    Wrong("weights-turned-and-joined", VALUES + NAMED).body("""
        with torch.no_grad():
            fused.W_query.weight.copy_(torch.cat([head.W_query.weight.T for head in wrapper.heads], dim=1).T.flip(0))
            fused.W_key.weight.copy_(torch.cat([head.W_key.weight.T for head in wrapper.heads], dim=1).T.flip(0))
            fused.W_value.weight.copy_(torch.cat([head.W_value.weight.T for head in wrapper.heads], dim=1).T.flip(0))
            fused.out_proj.weight.copy_(torch.eye(fused.out_proj.weight.shape[0]))
            fused.out_proj.bias.zero_()
        return fused"""),  # noqa: E501
    Wrong("interleaved", VALUES + NAMED).body("""
        with torch.no_grad():
            fused.W_query.weight.copy_(torch.stack([head.W_query.weight for head in wrapper.heads], dim=1).flatten(0, 1))
            fused.W_key.weight.copy_(torch.stack([head.W_key.weight for head in wrapper.heads], dim=1).flatten(0, 1))
            fused.W_value.weight.copy_(torch.stack([head.W_value.weight for head in wrapper.heads], dim=1).flatten(0, 1))
            fused.out_proj.weight.copy_(torch.eye(fused.out_proj.weight.shape[0]))
            fused.out_proj.bias.zero_()
        return fused"""),  # noqa: E501
    Wrong("heads-reversed", VALUES + NAMED, base="the-notebooks-stack")
    | edit("stack.heads", "reversed(wrapper.heads)", places=3),
    Wrong("first-head-everywhere", VALUES + NAMED, base="six-lines")
    | edit("head.W_query", "wrapper.heads[0].W_query")
    | edit("head.W_key", "wrapper.heads[0].W_key")
    | edit("head.W_value", "wrapper.heads[0].W_value"),
    Wrong("keys-from-queries", VALUES + NAMED, base="six-lines") | edit("head.W_key", "head.W_query"),
    Wrong("values-from-keys", VALUES + NAMED, base="six-lines") | edit("head.W_value", "head.W_key"),
    Wrong("values-forgotten", VALUES + NAMED, base="six-lines") | without("fused.W_value"),
    Wrong("queries-and-keys-swapped", VALUES + NAMED, base="six-lines")
    | edit("fused.W_query", "fused.W_key")
    | edit(
        "W_key.weight.copy_(torch.cat([head.W_key.weight for head in wrapper.heads], dim=0))",
        "W_query.weight.copy_(torch.cat([head.W_key.weight for head in wrapper.heads], dim=0))",
    ),
    Wrong("bias-forgotten", VALUES + NAMED, says="bias", base="six-lines") | without("fused.out_proj.bias"),
    Wrong("bias-one", VALUES + NAMED, says="bias|[Ee]ntry", base="six-lines") | edit(".zero_()", ".fill_(1)"),
    Wrong("weight-forgotten", VALUES + NAMED, base="six-lines") | without("fused.out_proj.weight.copy_"),
    Wrong("out-proj-forgotten", VALUES + NAMED, base="six-lines")
    | without("fused.out_proj.weight.copy_", "fused.out_proj.bias"),
    Wrong("ones-instead-of-the-identity", VALUES + NAMED, base="six-lines")
    | edit("torch.eye", "torch.ones_like")
    | edit(".shape[0]", ""),
    Wrong("diagonal-filled-only", VALUES + NAMED, base="six-lines")
    | edit("copy_(torch.eye(fused.out_proj.weight.shape[0]))", "fill_diagonal_(1)"),
    Wrong("eye-of-four", RAISED + NAMED, keeps=2, base="six-lines")
    | edit("fused.out_proj.weight.shape[0]", "4"),
    Wrong("two-heads-always", RAISED + NAMED, keeps=2, base="six-lines")
    | edit("head in wrapper.heads", "i in range(2)", places=3)
    | edit("head.W_query", "wrapper.heads[i].W_query")
    | edit("head.W_key", "wrapper.heads[i].W_key")
    | edit("head.W_value", "wrapper.heads[i].W_value"),
    Wrong("rows-of-the-example", RAISED + VALUES + NAMED, keeps=2).body("""
        with torch.no_grad():
            for i, head in enumerate(wrapper.heads):
                for name in ("W_query", "W_key", "W_value"):
                    getattr(fused, name).weight[2 * i : 2 * i + 2] = getattr(head, name).weight
            fused.out_proj.weight.copy_(torch.eye(len(fused.out_proj.weight)))
            fused.out_proj.bias.zero_()
        return fused"""),
    Wrong("no-grad-forgotten", RAISED, says="no_grad", base="six-lines") | line("with torch", "if True:"),
    Wrong("tensors-assigned", RAISED, says="copy_|Parameter", base="six-lines")
    | edit(".copy_", " = ", places=4),
    Wrong("assigned-to-a-name", VALUES + NAMED).body("""
        with torch.no_grad():
            for name in ("W_query", "W_key", "W_value"):
                weight = getattr(fused, name).weight
                weight = torch.cat([getattr(head, name).weight for head in wrapper.heads])
            eye = torch.eye(fused.out_proj.weight.shape[0])
            weight = fused.out_proj.weight
            weight = eye
            fused.out_proj.bias.zero_()
        return fused"""),
    Wrong("clone-written", VALUES + NAMED, base="six-lines") | edit(".copy_", ".clone().copy_", places=4),
    Wrong("return-forgotten", TYPE, base="six-lines") | without("return fused"),
    Wrong(
        "wrapper-returned",
        TYPE + VALUES + NAMED + BEHAVIOUR + PARAMETERS + SHAPE + RULE + RAISED,
        base="six-lines",
    )
    | line("return fused", "return wrapper"),
    Wrong("output-returned", VALUES, base="six-lines") | line("return fused", "return fused(batch)"),
    Wrong("state-dict-loaded", RAISED) | body("fused.load_state_dict(wrapper.state_dict())", "return fused"),
    Wrong("state-dict-loaded-loosely", VALUES + NAMED)
    | body("fused.load_state_dict(wrapper.state_dict(), strict=False)", "return fused"),
    Wrong("the-notebooks-stack", NAMED + VALUES + BEHAVIOUR + RULE + RAISED, base="six-lines")
    | edit("wrapper.", "stack.", places=3),
    Wrong("the-other-way", NAMED + VALUES + BEHAVIOUR + RULE).body("""
        with torch.no_grad():
            d = fused.head_dim
            for i, head in enumerate(wrapper.heads):
                head.W_query.weight.copy_(fused.W_query.weight[i * d : (i + 1) * d])
                head.W_key.weight.copy_(fused.W_key.weight[i * d : (i + 1) * d])
                head.W_value.weight.copy_(fused.W_value.weight[i * d : (i + 1) * d])
            fused.out_proj.weight.copy_(torch.eye(len(fused.out_proj.weight)))
            fused.out_proj.bias.zero_()
        return fused"""),
    Wrong("heads-averaged", VALUES + NAMED).body("""
        with torch.no_grad():
            fused.W_query.weight.copy_(torch.stack([head.W_query.weight for head in wrapper.heads], dim=0).mean(0).repeat(len(wrapper.heads), 1))
            fused.W_key.weight.copy_(torch.stack([head.W_key.weight for head in wrapper.heads], dim=0).mean(0).repeat(len(wrapper.heads), 1))
            fused.W_value.weight.copy_(torch.stack([head.W_value.weight for head in wrapper.heads], dim=0).mean(0).repeat(len(wrapper.heads), 1))
            fused.out_proj.weight.copy_(torch.eye(fused.out_proj.weight.shape[0]))
            fused.out_proj.bias.zero_()
        return fused"""),  # noqa: E501
    Wrong("wrapper-zeroed", NAMED + VALUES + BEHAVIOUR + RULE, keeps=2, base="six-lines")
    | above("return fused", "wrapper.heads[0].W_query.weight.data.zero_()"),
    Wrong("identity-module", PARAMETERS + BEHAVIOUR + RAISED + RULE + VALUES + NAMED + TYPE, keeps=2).body("""
        with torch.no_grad():
            for name in ("W_query", "W_key", "W_value"):
                rows = torch.cat([getattr(h, name).weight for h in wrapper.heads])
                getattr(fused, name).weight.copy_(rows)
        fused.out_proj = nn.Identity()
        return fused"""),
    Wrong("left-as-it-was", STUB) | typed("def copy_into_fused(wrapper, fused):", "    ..."),
    Wrong("misspelt", MISSING, says="`copy_to_fused`", base="six-lines")
    | edit("copy_into_fused", "copy_to_fused"),
    Right("six-lines").body("""
        with torch.no_grad():
            fused.W_query.weight.copy_(torch.cat([head.W_query.weight for head in wrapper.heads], dim=0))
            fused.W_key.weight.copy_(torch.cat([head.W_key.weight for head in wrapper.heads], dim=0))
            fused.W_value.weight.copy_(torch.cat([head.W_value.weight for head in wrapper.heads], dim=0))
            fused.out_proj.weight.copy_(torch.eye(fused.out_proj.weight.shape[0]))
            fused.out_proj.bias.zero_()
        return fused"""),
    Right("getattr").body("""
        with torch.no_grad():
            for name in ["W_query", "W_key", "W_value"]:
                w = torch.vstack([getattr(h, name).weight for h in wrapper.heads])
                getattr(fused, name).weight.copy_(w)
            nn.init.eye_(fused.out_proj.weight)
            nn.init.zeros_(fused.out_proj.bias)
        return fused"""),
    Right("slices-of-rows").typed("""
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
            return fused"""),
    Right("data", base="six-lines")
    | edit(".copy_", ".data.copy_", places=4)
    | line("with torch", "if True:")
    | edit(".zero_()", ".data.zero_()"),
    Right("new-parameters").body("""
        for name in ("W_query", "W_key", "W_value"):
            rows = [getattr(head, name).weight.detach() for head in wrapper.heads]
            getattr(fused, name).weight = nn.Parameter(torch.cat(rows))
        fused.out_proj.weight = nn.Parameter(torch.eye(fused.out_proj.out_features))
        fused.out_proj.bias = nn.Parameter(torch.zeros(fused.out_proj.out_features))
        return fused"""),
    Right("state-dict").body("""
        state = fused.state_dict()
        for name in ("W_query", "W_key", "W_value"):
            state[f"{name}.weight"] = torch.cat([h.state_dict()[f"{name}.weight"] for h in wrapper.heads])
        state["out_proj.weight"] = torch.eye(len(state["out_proj.weight"]))
        state["out_proj.bias"] = torch.zeros_like(state["out_proj.bias"])
        fused.load_state_dict(state)
        return fused"""),
    Right("chunks").body("""
        with torch.no_grad():
            for wide, name in ((fused.W_query, "W_query"), (fused.W_key, "W_key"), (fused.W_value, "W_value")):
                for piece, head in zip(wide.weight.chunk(len(wrapper.heads)), wrapper.heads):
                    piece.copy_(getattr(head, name).weight)
            fused.out_proj.weight.zero_().fill_diagonal_(1.0)
            fused.out_proj.bias *= 0
        return fused"""),  # noqa: E501
    Right("inference-of-names").body("""
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
        return fused"""),
)
