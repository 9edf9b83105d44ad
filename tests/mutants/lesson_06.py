# ruff: noqa: F405  (the words that answers are written with all come from one place)
"""Answers to lesson 06 as learners type them: wrong ones with the finding they deserve, and right ones.

These are a hold-out: they were written from the lesson's text, without a look at the known wrong answers in
the lesson's `tasks.py`, so that they show whether the checks hold for answers that nobody prepared for.
"""

from __future__ import annotations

from tests.mutants.answers import *  # noqa: F403

LESSON = "06-encoder-decoder"
TASKS = Tasks(LESSON)
SAME_SIZES = "batch_size equals d_k in the seed; redrawing another size would refuse honest literals"

TASKS.hold(
    "project-batch",
    Wrong("the-key-layer", NAMED, says="w_query") | returns("w_key(X_input_tokens)"),
    Wrong("the-value-layer", NAMED) | returns("w_value(X_input_tokens)"),
    Wrong("layer-as-a-matrix", MISSING) | returns("X_input_tokens @ w_query"),
    Wrong("weight-not-transposed", NAMED, says=r"weight\.T")
    | returns("X_input_tokens @ w_query.weight + w_query.bias"),
    Wrong("no-bias", NAMED) | returns("X_input_tokens @ w_query.weight.T"),
    Wrong("no-bias-linear", NAMED) | returns("F.linear(X_input_tokens, w_query.weight)"),
    Wrong("first-sequence-only", NAMED + SHAPE) | returns("w_query(X_input_tokens[0])"),
    Wrong("transposed-input", MISSING) | returns("w_query(X_input_tokens.T)"),
    Wrong("tokens-and-features-swapped", MISSING) | returns("w_query(X_input_tokens.transpose(1, 2))"),
    Wrong("batch-second", SHAPE) | returns("w_query(X_input_tokens.transpose(0, 1))"),
    Wrong("layer-not-called", TYPE, says=CALL_IT) | returns("w_query"),
    Wrong("the-weight-itself", SHAPE) | returns("w_query.weight"),
    Wrong("a-layer-of-its-own", VALUES, never=SAME_TWICE)
    | typed("layer = nn.Linear(d_model, d_model)", "q = layer(X_input_tokens)"),
    Wrong("list-of-sequences", TYPE) | returns("[w_query(x) for x in X_input_tokens]"),
    Wrong("numpy-array", TYPE) | returns("w_query(X_input_tokens).numpy()"),
    Wrong("flattened-tokens", SHAPE) | returns("w_query(X_input_tokens.view(-1, d_model))"),
    Wrong("heads-too-early", SHAPE).typed("""
        q = w_query(X_input_tokens).view(batch_size, max_sequence_length, num_heads, d_model // num_heads)
        """),
    Wrong("printed-and-pasted", VALUES, never=SAME_TWICE).typed("""
        q = torch.tensor(
            [[[0.4883, 0.1103, 1.4, -0.7609, 0.8187, -0.1728, 0.3036, -0.1753], [-0.6255, -1.1503,
            -0.8221, -1.4868, 1.6157, -1.4122, 1.2293, -1.2763], [0.115, -0.293, 0.7273, 0.3284,
            -0.7479, 0.6791, 0.1566, -0.1955], [-1.1481, -0.7473, -0.2339, -0.5717, 0.5264,
            -0.504, 0.9834, -1.1299], [-0.2958, 0.2208, 0.5562, -1.3631, 1.6926, -0.5093, 0.417,
            0.1167]], [[-0.0527, -0.5526, -0.29, -0.6081, 0.0487, 0.235, 0.1545, -0.2681],
            [-0.5617, 0.1656, 0.068, -0.8437, 0.4436, -0.285, 0.285, 0.2381], [0.427, -0.6834,
            0.486, -0.0361, -0.151, 0.4203, 0.0157, -0.8041], [-0.952, 0.1853, 1.2952, -0.0466,
            0.1085, 0.4831, 0.7372, -0.0731], [-0.2792, -0.8686, -1.0843, -0.5142, 0.1056,
            -0.2068, -0.0702, -0.7841]]]
        )"""),
    Wrong("pasted-in-full", NOT_COMPUTED, notebook_passes=True, says="typed in").typed("""
        q = torch.tensor(
            [[[0.488348126, 0.110318065, 1.400027275, -0.760884643, 0.818651795, -0.17277959,
            0.303554893, -0.175274149], [-0.625467062, -1.150254846, -0.822060227, -1.486827254,
            1.615661383, -1.412179828, 1.229308367, -1.276283145], [0.115020543, -0.293016613,
            0.727262378, 0.328387916, -0.747926235, 0.67906785, 0.156581849, -0.195481554],
            [-1.14807868, -0.74725765, -0.23387754, -0.57165724, 0.526417255, -0.504018784,
            0.983395338, -1.129863262], [-0.295756251, 0.220835239, 0.556170106, -1.363124371,
            1.692564726, -0.509258986, 0.416998208, 0.116672665]], [[-0.052706897, -0.552554905,
            -0.289984107, -0.608092189, 0.048692256, 0.235048115, 0.15447247, -0.268110752],
            [-0.561739564, 0.165602654, 0.068043023, -0.843688548, 0.443552196, -0.284992605,
            0.285023183, 0.238116562], [0.427000821, -0.683353662, 0.486049175, -0.036136746,
            -0.150973886, 0.420308381, 0.015721589, -0.804068089], [-0.951969504, 0.185258895,
            1.295190692, -0.046609998, 0.108474463, 0.483127207, 0.737210035, -0.073059097],
            [-0.279162526, -0.868592024, -1.084267259, -0.51419878, 0.105608627, -0.206806213,
            -0.070245355, -0.784115314]]]
        )"""),
    Wrong("softmax-too", VALUES, never=SAME_TWICE)
    | returns("torch.softmax(w_query(X_input_tokens), dim=-1)"),
    Wrong("relu-too", NAMED, never=SAME_TWICE) | returns("F.relu(w_query(X_input_tokens))"),
    Wrong("scaled-already", VALUES, never=SAME_TWICE) | returns("w_query(X_input_tokens) / d_model**0.5"),
    Wrong("projected-twice", NAMED) | returns("w_query(w_query(X_input_tokens))"),
    Wrong("capital-W", MISSING) | returns("W_query(X_input_tokens)"),
    Wrong("capital-Q", MISSING, says=WRONG_NAME) | typed("Q = w_query(X_input_tokens)"),
    Wrong("printed-only", MISSING) | typed("print(w_query(X_input_tokens))"),
    Wrong("bracket-left-open", MISSING) | returns("w_query(X_input_tokens"),
    Wrong("trailing-comma", TYPE, says="comma") | returns("w_query(X_input_tokens),"),
    Wrong("half-precision", DTYPE) | returns("w_query(X_input_tokens).half()"),
    Wrong("input-unchanged", NAMED) | returns("X_input_tokens"),
    Wrong("bias-twice", VALUES, never=SAME_TWICE) | returns("w_query(X_input_tokens) + w_query.bias"),
    Wrong("in-place-on-the-batch", GIVENS)
    | typed("X_input_tokens.copy_(w_query(X_input_tokens))", "q = X_input_tokens"),
    Wrong("all-three-at-once", NAMED)
    | typed("q, k, v = w_key(X_input_tokens), w_query(X_input_tokens), w_value(X_input_tokens)"),
    Wrong("a-shape-only", TYPE) | returns("w_query(X_input_tokens).shape"),
    Wrong("last-token-missing", SHAPE) | returns("w_query(X_input_tokens[:, :-1])"),
    Wrong("only-first-sequence-filled", VALUES, never=SAME_TWICE).typed("""
        q = torch.zeros(batch_size, max_sequence_length, d_model)
        for t in range(max_sequence_length):
            q[0, t] = w_query(X_input_tokens[0, t])"""),
    Right("called") | returns("w_query(X_input_tokens)  # (b, tokens, d_model)"),
    Right("forward") | returns("w_query.forward(X_input_tokens)"),
    Right("functional") | returns("F.linear(X_input_tokens, w_query.weight, w_query.bias)"),
    Right("matrix-and-bias") | returns("X_input_tokens @ w_query.weight.T + w_query.bias"),
    Right("einsum") | returns('torch.einsum("btd,ed->bte", X_input_tokens, w_query.weight) + w_query.bias'),
    Right("loop-over-sequences") | returns("torch.stack([w_query(sequence) for sequence in X_input_tokens])"),
    Right("filled-token-by-token").typed("""
        q = torch.empty(batch_size, max_sequence_length, d_model)
        for b in range(batch_size):
            for t in range(max_sequence_length):
                q[b, t] = w_query.weight @ X_input_tokens[b, t] + w_query.bias"""),
    Right("float64-inside")
    | returns("(X_input_tokens.double() @ w_query.weight.double().T + w_query.bias.double()).float()"),
    Right("flat-and-back").typed("""
        b, t, d = X_input_tokens.shape
        q = torch.addmm(w_query.bias, X_input_tokens.reshape(b * t, d), w_query.weight.t()).view(b, t, d)"""),
    Right("baddbmm")
    | returns("torch.baddbmm(w_query.bias, X_input_tokens, w_query.weight.T.expand(batch_size, -1, -1))"),
    Right("helper-and-no-grad").typed("""
        def project(layer, x):
            return layer(x)

        with torch.no_grad():
            q = project(w_query, X_input_tokens)
        print(q.shape)"""),
    Right("fused-and-chunked").typed("""
        weight = torch.cat([w_query.weight, w_key.weight, w_value.weight])
        bias = torch.cat([w_query.bias, w_key.bias, w_value.bias])
        q, k, v = (X_input_tokens @ weight.T + bias).chunk(3, dim=-1)"""),
    Right("with-gradient")
    | typed("w = w_query.weight.clone().requires_grad_()", "q = F.linear(X_input_tokens, w, w_query.bias)"),
)

TASKS.hold(
    "into-heads",
    Wrong("straight-into-place", NAMED, says=r"transpose\(1, 2\)")
    | body("b, t, d = x.shape", "return x.reshape(b, num_heads, t, d // num_heads)"),
    Wrong("view-straight-into-place", NAMED).body("""
        batch_size, seq_len, d_model = x.size()
        head_dim = d_model // num_heads
        return x.view(batch_size, num_heads, seq_len, head_dim)"""),
    Wrong("no-transpose", NAMED + SHAPE, base="keys-turned-round-too") | edit(".permute(0, 2, 3, 1)", ""),
    Wrong("notebook-sizes", NAMED + RAISED, keeps=1)
    | returns("x.view(batch_size, max_sequence_length, num_heads, d_k).transpose(1, 2)"),
    Wrong("notebook-head-dim", NAMED + RAISED, keeps=1)
    | body("b, t, _ = x.shape", "return x.reshape(b, t, num_heads, d_q).transpose(1, 2)"),
    Wrong("notebook-batch-size", SHAPE, keeps=1, says=NOT_ITS_ARGUMENT)
    | returns("x.view(batch_size, -1, num_heads, x.shape[-1] // num_heads).transpose(1, 2)"),
    Wrong("notebook-length", SHAPE, keeps=1, says=NOT_ITS_ARGUMENT)
    | returns("x.reshape(x.size(0), max_sequence_length, num_heads, -1).permute(0, 2, 1, 3)"),
    Wrong("numbers-typed-in", NAMED + RAISED, keeps=1) | returns("x.reshape(2, 5, 4, 2).transpose(1, 2)"),
    Wrong("heads-and-head-dim-swapped", SHAPE).body("""
        b, t, d = x.shape
        head_dim = d // num_heads
        return x.view(b, t, head_dim, num_heads).transpose(1, 2)"""),
    Wrong("interleaved", NAMED)
    | body("b, t, d = x.shape", "return x.reshape(b, t, d // num_heads, num_heads).permute(0, 3, 1, 2)"),
    Wrong("wrong-axes-transposed", NAMED + SHAPE)
    | body("b, t, d = x.shape", "return x.reshape(b, t, num_heads, d // num_heads).transpose(2, 3)"),
    Wrong("keys-turned-round-too", SHAPE)
    | body("b, t, d = x.shape", "return x.reshape(b, t, num_heads, d // num_heads).permute(0, 2, 3, 1)"),
    Wrong("heads-first", SHAPE, base="keys-turned-round-too") | edit("0, 2, 3, 1", "2, 0, 1, 3"),
    Wrong("heads-folded-into-the-batch", SHAPE, base="keys-turned-round-too")
    | edit("permute(0, 2, 3, 1)", "transpose(1, 2).reshape(b * num_heads, t, -1)"),
    Wrong("true-division", RAISED, base="singular-name")
    | edit("into_head", "into_heads")
    | line("return x.view", "d_k = d / num_heads", "return x.reshape(b, t, num_heads, d_k).transpose(1, 2)"),
    Wrong("chunks-as-a-tuple", TYPE) | returns("x.chunk(num_heads, dim=-1)"),
    Wrong("list-of-heads", TYPE, base="loop-fill")
    | rename("out", "heads")
    | lines("b, t, d =", "heads = torch", "d = x.shape[-1] // num_heads", "heads = []")
    | line("heads[:, h", "heads.append(x[:, :, h * d : (h + 1) * d])"),
    Wrong("stacked-in-front", SHAPE) | returns("torch.stack(x.chunk(num_heads, dim=-1))"),
    Wrong("stacked-behind-the-tokens", NAMED + SHAPE)
    | returns("torch.stack(x.chunk(num_heads, dim=-1), dim=2)"),
    Wrong("tokens-split-between-heads", VALUES, never=SAME_TWICE).body("""
        b, t, d = x.shape
        x = x.transpose(1, 2).reshape(b, num_heads, d // num_heads, t)
        return x.contiguous().view(b, num_heads, t, -1)"""),
    Wrong("nothing-returned", TYPE, says="return")
    | body("b, t, d = x.shape", "x = x.reshape(b, t, num_heads, d // num_heads)", "x = x.transpose(1, 2)"),
    Wrong("printed", TYPE)
    | body("b, t, d = x.shape", "print(x.reshape(b, t, num_heads, d // num_heads).transpose(1, 2))"),
    Wrong("transpose-thrown-away", NAMED + SHAPE, base="projects-again")
    | line("return w_query", "x = x.view(b, t, num_heads, d // num_heads)", "x.transpose(1, 2)", "return x"),
    Wrong("always-the-notebook-queries", VALUES, says=NOT_ITS_ARGUMENT, never=SAME_TWICE)
    | body("b, t, d = q.shape", "return q.reshape(b, t, num_heads, d // num_heads).transpose(1, 2)"),
    Wrong("always-four-heads", NAMED + RAISED, keeps=1)
    | body("b, t, d = x.shape", "return x.reshape(b, t, 4, d // 4).transpose(1, 2)"),
    Wrong("head-dim-taken-for-heads", SHAPE)
    | body("b, t, d = x.shape", "return x.reshape(b, t, d // num_heads, -1).transpose(1, 2)"),
    Wrong("same-for-every-sequence", NAMED, never=SAME_TWICE).body("""
        b, t, d = x.shape
        return x[0].reshape(t, num_heads, d // num_heads).transpose(0, 1).expand(b, -1, -1, -1)"""),
    Wrong("repeats-instead-of-cutting", NAMED + SHAPE) | returns("x.unsqueeze(1).repeat(1, num_heads, 1, 1)"),
    Wrong("projects-again", VALUES, says="w_query", never=SAME_TWICE)
    | body("b, t, d = x.shape", "return w_query(x).view(b, t, num_heads, d // num_heads).transpose(1, 2)"),
    Wrong("transposes-in-place", RULE, keeps=1, says="changed its argument `x`")
    | body("b, t, d = x.shape", "x.resize_(b, t, num_heads, d // num_heads)", "return x.transpose_(1, 2)"),
    Wrong("argument-missing", RAISED, base="singular-name") | line("def into_head", "def into_heads(x):"),
    Wrong("singular-name", MISSING, base="projects-again")
    | edit("into_heads", "into_head")
    | edit("w_query(x)", "x"),
    Wrong("numpy", TYPE, keeps=1).body("""
        import numpy as np

        b, t, d = x.shape
        return np.swapaxes(x.numpy().reshape(b, t, num_heads, d // num_heads), 1, 2)"""),
    Wrong("colon-missing", MISSING, base="singular-name")
    | line("def into_head", "def into_heads(x, num_heads)"),
    Wrong("unpacks-two", RAISED).body("""
        tokens, d_model = x.shape
        return x.reshape(tokens, num_heads, d_model // num_heads).transpose(0, 1)"""),
    Wrong("needs-a-square", RAISED, keeps=1, base="singular-name")
    | edit("into_head", "into_heads")
    | edit("return x.view", "assert d == 8 and num_heads == 4\n    return x.reshape"),
    Right("view-transpose").body("""
        b, tokens, d_model = x.shape
        return x.view(b, tokens, num_heads, d_model // num_heads).transpose(1, 2)"""),
    Right("unflatten") | returns("x.unflatten(-1, (num_heads, -1)).transpose(1, 2)"),
    Right("permute").typed("""
        def into_heads(x: torch.Tensor, num_heads: int) -> torch.Tensor:
            *lead, d = x.shape
            return x.reshape(*lead, num_heads, d // num_heads).permute(0, 2, 1, 3).contiguous()"""),
    Right("chunks-stacked") | returns("torch.stack(x.chunk(num_heads, dim=-1), dim=1)"),
    Right("slices").body("""
        size = x.size(2) // num_heads
        return torch.stack([x[..., h * size : (h + 1) * size] for h in range(num_heads)], 1)"""),
    Right("loop-fill").body("""
        b, t, d = x.shape
        hd = d // num_heads
        out = torch.zeros(b, num_heads, t, hd, dtype=x.dtype)
        for h in range(num_heads):
            out[:, h] = x[:, :, h * hd : (h + 1) * hd]
        return out"""),
    Right("einsum").body("""
        b, t, d = x.shape
        return torch.einsum("bthd->bhtd", x.reshape(b, t, num_heads, d // num_heads))"""),
    Right("lambda").typed("""
        into_heads = lambda x, num_heads: x.reshape(x.shape[0], x.shape[1], num_heads, -1).movedim(2, 1)"""),
    Right("transpose-first").body("""
        b, t, d = x.shape
        return x.transpose(1, 2).reshape(b, num_heads, d // num_heads, t).transpose(2, 3)"""),
    Right("swapaxes-from-the-end")
    | returns("x.reshape(x.shape[:-1] + (num_heads, x.shape[-1] // num_heads)).swapaxes(-3, -2)"),
    Right("callable-object").typed("""
        class Cut:
            def __call__(self, x, num_heads):
                assert x.shape[-1] % num_heads == 0
                return x.unflatten(2, (num_heads, x.shape[-1] // num_heads)).transpose(-3, -2)

        into_heads = Cut()"""),
    Right("as-strided-like-unfold")
    | body("size = x.shape[-1] // num_heads", "return x.unfold(-1, size, size).transpose(1, 2)"),
)

TASKS.hold(
    "scaled-head-scores",
    Wrong("not-scaled", NAMED) | returns("q_heads @ k_heads.transpose(-2, -1)"),
    Wrong("by-d-model", NAMED, says="√d_k") | returns("q_heads @ k_heads.transpose(-2, -1) / d_model**0.5"),
    Wrong("by-d-k", NAMED) | returns("q_heads @ k_heads.transpose(-1, -2) / d_k"),
    Wrong("times-root", NAMED) | returns("q_heads @ k_heads.transpose(-2, -1) * d_k**0.5"),
    Wrong("by-num-heads", NAMED) | returns("(q_heads @ k_heads.transpose(-2, -1)) / num_heads**0.5"),
    Wrong("by-tokens", NAMED, says="number of tokens")
    | returns("torch.matmul(q_heads, k_heads.transpose(-2, -1)) / max_sequence_length**0.5"),
    Wrong("by-shape-0", NAMED + VALUES, xfail=SAME_SIZES) | edit("d_k**0.5", "k_heads.shape[0] ** 0.5"),
    Wrong("by-shape-minus-2", NAMED) | returns("q_heads @ k_heads.mT / k_heads.shape[-2] ** 0.5"),
    Wrong("swapped", NAMED) | returns("k_heads @ q_heads.transpose(-2, -1) / d_k**0.5"),
    Wrong("dot-T", MISSING) | returns("q_heads @ k_heads.T / d_k**0.5"),
    Wrong("transpose-1-2", MISSING) | returns("q_heads @ k_heads.transpose(1, 2) / d_k**0.5"),
    Wrong("no-transpose", MISSING) | returns("q_heads @ k_heads / d_k**0.5"),
    Wrong("query-transposed", SHAPE) | returns("q_heads.transpose(-2, -1) @ k_heads / d_k**0.5"),
    Wrong("query-with-itself", NAMED) | returns("q_heads @ q_heads.transpose(-2, -1) / d_q**0.5"),
    Wrong("values", VALUES + NAMED, never=SAME_TWICE)
    | returns("q_heads @ v_heads.transpose(-2, -1) / d_v**0.5"),
    Wrong("not-cut-into-heads", SHAPE) | returns("q @ k.transpose(-2, -1) / d_k**0.5"),
    Wrong("softmax-already", VALUES + NAMED, never=SAME_TWICE)
    | returns("torch.softmax(q_heads @ k_heads.transpose(-2, -1) / d_k**0.5, dim=-1)"),
    Wrong("masked-already", NAMED + NOT_FINITE, never="dividing by zero or from exp").typed("""
        head_scores = q_heads @ k_heads.transpose(-2, -1) / d_k**0.5
        head_scores = head_scores.masked_fill(torch.tril(torch.ones(5, 5)) == 0, float("-inf"))"""),
    Wrong("precedence-of-the-root", NOT_FINITE)
    | returns("(q_heads @ k_heads.transpose(-2, -1) / d_k) ** 0.5"),
    Wrong("root-of-the-product", NAMED) | edit("d_k**0.5", "math.sqrt(d_q * d_k)") | before("import math"),
    Wrong("scaled-twice", NAMED).typed("""
        q_scaled = q_heads / d_k**0.5
        head_scores = q_scaled @ k_heads.transpose(-2, -1) / d_k**0.5"""),
    Wrong("queries-for-keys-mixed-heads", SHAPE)
    | returns('torch.einsum("bhqd,bgkd->bqk", q_heads, k_heads) / d_k**0.5'),
    Wrong("summed-over-heads", SHAPE)
    | returns('torch.einsum("bhqd,bhkd->bqk", q_heads, k_heads) / d_k**0.5'),
    Wrong("einsum-transposed-output", NAMED)
    | returns('torch.einsum("bhqd,bhkd->bhkq", q_heads, k_heads) / d_k**0.5'),
    Wrong("first-head-only", SHAPE) | returns("q_heads[:, 0] @ k_heads[:, 0].transpose(-2, -1) / d_k**0.5"),
    Wrong("elementwise", SHAPE) | returns("q_heads * k_heads / d_k**0.5"),
    Wrong("list-of-heads", TYPE)
    | returns("[q_heads[:, h] @ k_heads[:, h].transpose(-2, -1) / d_k**0.5 for h in range(num_heads)]"),
    Wrong("stacked-on-the-wrong-axis", SHAPE)
    | returns("torch.stack([q_heads[:, h] @ k_heads[:, h].mT / d_k**0.5 for h in range(num_heads)])"),
    Wrong("stacked-last", SHAPE).typed("""
        head_scores = torch.stack([q_heads[:, h] @ k_heads[:, h].mT / d_k**0.5 for h in range(num_heads)], dim=-1)
        """),  # noqa: E501
    Wrong("in-the-wrong-name", MISSING) | edit("head_scores", "attn_scores"),
    Wrong("typed-name", MISSING) | returns("q_head @ k_head.transpose(-2, -1) / d_k**0.5"),
    Wrong("pasted", VALUES, never=SAME_TWICE).typed("""
        head_scores = torch.tensor(
            [[[[0.2502, 0.2631, -0.0125, 0.0512, 0.2897], [-0.4179, -0.1734, -0.2717, -0.3739,
            0.1172], [0.0281, 0.1137, -0.0939, -0.0854, 0.2226], [-0.6354, -0.5394, -0.1098,
            -0.2694, -0.4451], [-0.1238, -0.206, 0.0896, 0.0569, -0.3147]], [[-0.4693, -1.3742,
            -0.3715, -0.2281, 0.166], [-1.0784, -0.4054, 0.2649, -0.0101, -1.6532], [0.2629,
            -0.2601, -0.2105, -0.0646, 0.6685], [-0.4109, -0.2085, 0.079, -0.0139, -0.5899],
            [-0.9293, -1.211, -0.1219, -0.1696, -0.7876]], [[-0.1552, -0.5907, -0.2357, -0.0671,
            0.3508], [-0.1664, -0.4841, -0.436, -0.082, 1.4073], [0.0737, 0.208, 0.2011, 0.0368,
            -0.6684], [-0.0485, -0.1298, -0.1409, -0.0246, 0.4878], [-0.301, -1.1245, -0.4832,
            -0.1315, 0.8267]], [[-0.0373, 0.0012, 0.0312, -0.1408, 0.0399], [-0.1096, -0.0305,
            0.1077, -0.9152, 0.2373], [-0.0115, -0.0059, 0.0126, -0.1366, 0.0346], [-0.0797,
            -0.0312, 0.0825, -0.7984, 0.2044], [-0.0775, 0.024, 0.0547, 0.0241, 0.0071]]],
            [[[0.1024, 0.3836, -0.2599, -0.0592, 0.1615], [-0.1579, -0.1965, 0.1378, -0.0782,
            0.1863], [0.2351, 0.5439, -0.3724, 0.0086, -0.0003], [-0.2479, -0.2655, 0.1877,
            -0.1413, 0.3399], [0.1178, 0.5753, -0.3881, -0.1256, 0.3337]], [[-0.4666, -0.0947,
            -0.2113, 0.2153, -0.0721], [-0.538, -0.0278, -0.2942, 0.4428, -0.0557], [0.0892,
            0.1052, -0.0137, 0.1669, 0.0431], [0.2704, 0.283, -0.0191, 0.42, 0.1186], [-0.5895,
            -0.2649, -0.1768, -0.0749, -0.14]], [[-0.061, -0.2039, 0.0842, -0.1452, -0.0199],
            [0.0329, 0.3455, -0.1852, 0.3546, 0.0782], [-0.0897, -0.4112, 0.19, -0.3443, -0.0612],
            [-0.1262, -0.4175, 0.1718, -0.2955, -0.0399], [0.0416, 0.2084, -0.0987, 0.1805,
            0.0335]], [[0.0846, 0.1728, -0.0758, -0.1331, 0.0913], [0.0884, 0.0103, 0.0053,
            0.2379, -0.0452], [0.0804, 0.3445, -0.1617, -0.5261, 0.2357], [0.2923, 0.3167,
            -0.1228, 0.1607, 0.0839], [0.0453, 0.3028, -0.1451, -0.5373, 0.2226]]]]
        )"""),
    Wrong("torch-sqrt-of-an-int", MISSING) | edit("d_k**0.5", "torch.sqrt(d_k)"),
    Wrong("function-never-called", TYPE, says=CALL_IT)
    | edit("head_scores =", "def head_scores(q_heads, k_heads):\n    return"),
    Wrong("scaled-in-place", NAMED)
    | typed("q_heads /= d_k**0.5", "q_heads /= d_k**0.5", "head_scores = q_heads @ k_heads.mT"),
    Wrong("view-not-transpose", VALUES + NAMED, never=SAME_TWICE)
    | returns("q_heads @ k_heads.reshape(batch_size, num_heads, d_k, max_sequence_length) / d_k**0.5"),
    Wrong("by-the-size-of-the-query-batch", NAMED + VALUES, xfail=SAME_SIZES)
    | returns("torch.matmul(q_heads, k_heads.transpose(-2, -1)) / q_heads.size(0) ** 0.5"),
    Wrong("by-batch-size", NAMED + VALUES, xfail=SAME_SIZES)
    | returns("q_heads @ k_heads.mT * batch_size**-0.5"),
    Right("as-in-the-formula", base="solution"),
    Right("einsum") | returns('torch.einsum("bhqd,bhkd->bhqk", q_heads, k_heads) * d_k**-0.5'),
    Right("math-sqrt").typed("""
        from math import sqrt

        head_scores = torch.matmul(q_heads, k_heads.permute(0, 1, 3, 2)) / sqrt(q_heads.size(-1))"""),
    Right("bmm").typed("""
        flat_q, flat_k = q_heads.flatten(0, 1), k_heads.flatten(0, 1)
        head_scores = (torch.bmm(flat_q, flat_k.mT) / d_k**0.5).unflatten(0, (batch_size, num_heads))"""),
    Right("loops").typed("""
        head_scores = torch.zeros(batch_size, num_heads, max_sequence_length, max_sequence_length)
        for b in range(batch_size):
            for h in range(num_heads):
                for i in range(max_sequence_length):
                    for j in range(max_sequence_length):
                        head_scores[b, h, i, j] = torch.dot(q_heads[b, h, i], k_heads[b, h, j]) / d_k**0.5
        """),
    Right("scaled-queries") | returns("(q_heads / d_k**0.5) @ k_heads.transpose(3, 2)"),
    Right("fourth-roots") | returns("(q_heads * d_k**-0.25) @ (k_heads * d_k**-0.25).mT"),
    Right("scaled-in-place-once") | typed("q_heads /= d_k**0.5", "head_scores = q_heads @ k_heads.mT"),
    Right("tensor-root")
    | returns("(q_heads @ k_heads.transpose(-2, -1)) / torch.sqrt(torch.tensor(d_k, dtype=torch.float32))"),
    Right("heads-of-its-own").typed("""
        from functools import partial

        cut = partial(torch.Tensor.unflatten, dim=-1, sizes=(num_heads, d_k))
        head_scores = torch.einsum("bqhd,bkhd->bhqk", cut(q), cut(k)) / d_k**0.5"""),
    Right("elementwise-and-sum")
    | returns("(q_heads.unsqueeze(3) * k_heads.unsqueeze(2)).sum(-1) / d_k**0.5"),
    Right("stacked-heads")
    | returns("torch.stack([q_heads[:, h] @ k_heads[:, h].mT for h in range(num_heads)], dim=1) / d_k**0.5"),
    Right("float64") | returns("((q_heads.double() @ k_heads.double().mT) / d_k**0.5).float()"),
    Right("function-called", base="math-sqrt")
    | line("from math", "def scores(a, b):", "    return a @ b.transpose(-2, -1) / a.shape[-1] ** 0.5")
    | line("head_scores", "head_scores = scores(q_heads, k_heads)", "head_scores"),
)

TASKS.hold(
    "masked-weights",
    Wrong("not-masked", NAMED) | returns("torch.softmax(head_scores, dim=-1)"),
    Wrong("over-the-queries", NAMED, says="dim=-1", base="fill-and-softmax") | edit(", dim=-1", ", dim=-2"),
    Wrong("over-the-heads", NAMED + NOT_FINITE, base="fill-and-softmax") | edit(", dim=-1", ", dim=1"),
    Wrong("over-the-batch", NOT_FINITE) | edit(", dim=-1", ", dim=0"),
    Wrong("dim-forgotten", NAMED + NOT_FINITE) | edit(", dim=-1", ""),
    Wrong("polarity-of-lesson-03", NAMED + NOT_FINITE, says="may look")
    | returns('torch.softmax(head_scores.masked_fill(mask.bool(), float("-inf")), dim=-1)'),
    Wrong("polarity-equals-one", NAMED, base="fill-and-softmax") | edit('0, float("-inf")', "1, -1e9"),
    Wrong("zeros-before-softmax", NAMED, base="fill-and-softmax") | edit('float("-inf")', "0"),
    Wrong("times-the-mask-before", NAMED) | returns("torch.softmax(head_scores * mask, dim=-1)"),
    Wrong("times-the-mask-after", NAMED, says="before the softmax")
    | returns("torch.softmax(head_scores, dim=-1) * mask"),
    Wrong("mask-added", NAMED) | returns("torch.softmax(head_scores + mask, dim=-1)"),
    Wrong("zero-times-inf", NAMED + NOT_FINITE)
    | returns('torch.softmax(head_scores + (1 - mask) * float("-inf"), dim=-1)'),
    Wrong("upper-triangle", NAMED).typed("""
        upper = torch.triu(torch.ones(5, 5))
        attn_weights = torch.softmax(head_scores.masked_fill(upper == 0, float("-inf")), dim=-1)"""),
    Wrong("diagonal-hidden-too", NAMED + NOT_FINITE).typed("""
        strict = torch.tril(torch.ones(5, 5), diagonal=-1)
        attn_weights = torch.softmax(head_scores.masked_fill(strict == 0, float("-inf")), dim=-1)"""),
    Wrong("one-future-key-seen", RULE, says="comes later").typed("""
        late = torch.tril(torch.ones(5, 5), diagonal=1)
        attn_weights = torch.softmax(head_scores.masked_fill(late == 0, float("-inf")), dim=-1)"""),
    Wrong("fill-thrown-away", NAMED).typed("""
        head_scores.masked_fill(mask == 0, float("-inf"))
        attn_weights = torch.softmax(head_scores, dim=-1)"""),
    Wrong("no-softmax", NAMED + NOT_FINITE, never="dividing by zero or from exp")
    | returns('head_scores.masked_fill(mask == 0, float("-inf"))'),
    Wrong("scaled-again", VALUES + NAMED, never=SAME_TWICE)
    | returns('torch.softmax(head_scores.masked_fill(mask == 0, float("-inf")) / d_k**0.5, dim=-1)'),
    Wrong("scaled-after", RULE)
    | returns('torch.softmax(head_scores.masked_fill(mask == 0, float("-inf")), dim=-1) / d_k**0.5'),
    Wrong("raw-scores-normalised", NAMED)
    | typed("masked = head_scores * mask", "attn_weights = masked / masked.sum(dim=-1, keepdim=True)"),
    Wrong("mask-from-the-values", NOT_FINITE, never="a sum that is zero, or exponentials")
    | returns('torch.softmax(head_scores.masked_fill(torch.tril(head_scores) < 0, float("-inf")), dim=-1)'),
    Wrong("small-negative", RULE) | returns("torch.softmax(head_scores.masked_fill(mask == 0, -1), dim=-1)"),
    Wrong("minus-ten", RULE + NAMED) | returns("torch.softmax(head_scores + (mask - 1) * 10, dim=-1)"),
    Wrong("plus-inf", NOT_FINITE, base="fill-and-softmax") | edit('("-inf")', '("inf")'),
    Wrong("float-mask-to-masked-fill", MISSING, base="fill-and-softmax") | edit("mask == 0", "mask"),
    Wrong("tilde-of-a-float", MISSING, base="fill-and-softmax") | edit("mask == 0", "~mask"),
    Wrong("tril-of-the-softmax", NAMED) | returns("torch.tril(torch.softmax(head_scores, dim=-1))"),
    Wrong("log-softmax", NOT_FINITE, never="dividing by zero or from exp")
    | returns('F.log_softmax(head_scores.masked_fill(mask == 0, float("-inf")), dim=-1)'),
    Wrong("exp-not-divided", RULE) | returns("torch.exp(head_scores) * mask"),
    Wrong("exp-divided-by-the-column", NAMED)
    | typed("e = torch.exp(head_scores) * mask", "attn_weights = e / e.sum(dim=-2, keepdim=True)"),
    Wrong("first-sequence", SHAPE, base="fill-and-softmax") | edit("head_scores", "head_scores[0]"),
    Wrong("averaged-over-heads", SHAPE)
    | returns("torch.softmax(head_scores.masked_fill(mask == 0, -torch.inf), dim=-1).mean(dim=1)"),
    Wrong("masked-and-weighted", SHAPE)
    | returns("torch.softmax(head_scores.masked_fill(mask == 0, -torch.inf), dim=-1) @ v_heads"),
    Wrong("softmax-of-softmax", VALUES, never=SAME_TWICE)
    | returns('torch.softmax(torch.softmax(head_scores, -1).masked_fill(mask == 0, float("-inf")), -1)'),
    Wrong("inf-unquoted", MISSING, base="fill-and-softmax") | edit('float("-inf")', "-inf"),
    Wrong("transposed-mask", NAMED, base="fill-and-softmax") | edit("mask == 0", "mask.T == 0"),
    Wrong("dropout-too", RULE).typed("""
        torch.manual_seed(1)
        attn_weights = F.dropout(torch.softmax(head_scores.masked_fill(mask == 0, -torch.inf), dim=-1), 0.5)
        """),
    Wrong("indexed-in-place-mask-inverted", NAMED + NOT_FINITE)
    | typed('head_scores[:, :, mask == 1] = float("-inf")', "attn_weights = head_scores.softmax(-1)"),
    Wrong("nan-hidden", RULE).typed("""
        bad = (1 - mask) * float("-inf")
        attn_weights = torch.softmax(head_scores + bad, dim=-1).nan_to_num()"""),
    Wrong("equal-weights", VALUES, never=SAME_TWICE)
    | returns("(mask / mask.sum(-1, keepdim=True)).expand(batch_size, num_heads, -1, -1)"),
    Right("fill-and-softmax") | edit("F.softmax", "torch.softmax"),
    Right("additive")
    | returns("(head_scores + torch.zeros(5, 5).masked_fill(mask == 0, -torch.inf)).softmax(dim=3)"),
    Right("minus-1e9") | returns("F.softmax(head_scores.masked_fill(~mask.bool(), -1e9), dim=-1)"),
    Right("finfo-min").typed("""
        lowest = torch.finfo(head_scores.dtype).min
        attn_weights = F.softmax(torch.where(mask.bool(), head_scores, lowest), dim=-1)"""),
    Right("log-of-the-mask") | returns("torch.softmax(head_scores + mask.log(), dim=-1)"),
    Right("softmax-then-renormalised").typed("""
        weights = torch.softmax(head_scores, dim=-1) * mask
        attn_weights = weights / weights.sum(dim=-1, keepdim=True)"""),
    Right("exponentials")
    | typed("e = head_scores.exp().tril()", "attn_weights = e / e.sum(-1, keepdim=True)"),
    Right("row-by-row").typed("""
        attn_weights = torch.zeros_like(head_scores)
        for i in range(max_sequence_length):
            attn_weights[:, :, i, : i + 1] = torch.softmax(head_scores[:, :, i, : i + 1], dim=-1)"""),
    Right("sdpa-with-the-identity").typed("""
        eye = torch.eye(5).expand(batch_size, num_heads, 5, 5)
        attn_weights = F.scaled_dot_product_attention(q_heads, k_heads, eye, attn_mask=mask.bool())"""),
    Right("in-place-on-the-scores").typed("""
        head_scores.masked_fill_(mask == 0, float("-inf"))
        attn_weights = nn.Softmax(dim=-1)(head_scores)"""),
    Right("own-triangle").typed("""
        hidden = torch.triu(torch.ones(max_sequence_length, max_sequence_length, dtype=torch.bool), diagonal=1)
        attn_weights = head_scores.masked_fill(hidden, float("-inf")).softmax(-1)"""),  # noqa: E501
    Right("comparison-of-positions").typed("""
        i = torch.arange(5)
        attn_weights = torch.where(i[:, None] >= i[None, :], head_scores, -torch.inf).softmax(-1)"""),
    Right("over-the-last-axis-transposed")
    | returns("head_scores.masked_fill(mask == 0, -torch.inf).mT.softmax(dim=-2).mT"),
)

TASKS.hold(
    "contiguous-merge",
    Wrong("no-transpose", NAMED, says=r"transpose\(1, 2\)")
    | body("b, h, t, d = context.shape", "return context.reshape(b, t, h * d)"),
    Wrong("contiguous-is-no-transpose", NAMED, base="contiguous-view") | edit(".transpose(1, 2)", ""),
    Wrong("view-refuses", NAMED + RAISED, says="contiguous")
    | body("b, h, t, d = context.shape", "return context.transpose(1, 2).view(b, t, h * d)"),
    Wrong("wrong-axes", NAMED, base="no-transpose") | edit(".reshape", ".transpose(2, 3).reshape"),
    Wrong("wrong-axes-1-3", VALUES, never=SAME_TWICE)
    | body("b, h, t, d = context.shape", "return context.transpose(1, 3).reshape(b, t, h * d)"),
    Wrong("head-dim-first", NAMED, base="no-transpose") | edit(".reshape", ".permute(0, 2, 3, 1).reshape"),
    Wrong("not-joined", NAMED + SHAPE) | returns("context.transpose(1, 2).contiguous()"),
    Wrong("joined-only", SHAPE) | returns("context.flatten(1, 2)"),
    Wrong("flatten-the-last-two", SHAPE) | returns("context.flatten(-2)"),
    Wrong("flattened-too-far", SHAPE) | returns("context.transpose(1, 2).flatten(1)"),
    Wrong("notebook-sizes", NAMED + RAISED, keeps=1)
    | returns("context.transpose(1, 2).contiguous().view(batch_size, max_sequence_length, d_model)"),
    Wrong("notebook-d-model", NAMED + RAISED, keeps=1)
    | body("b, h, t, d = context.shape", "return context.transpose(1, 2).reshape(b, t, d_model)"),
    Wrong("notebook-num-heads", NAMED + RAISED, keeps=1)
    | body("b, _, t, d = context.shape", "return context.transpose(1, 2).reshape(b, t, num_heads * d)"),
    Wrong("typed-sizes", NAMED + RAISED, keeps=1) | returns("context.transpose(1, 2).reshape(2, 5, 8)"),
    Wrong("summed-heads", NAMED + SHAPE) | returns("context.sum(dim=1)"),
    Wrong("mean-of-heads", NAMED + SHAPE) | returns("context.mean(1)"),
    Wrong("cat-over-the-batch", SHAPE) | returns("torch.cat([head for head in context], dim=-1)"),
    Wrong("cat-along-the-tokens", SHAPE) | returns("torch.cat(context.unbind(1), dim=1)"),
    Wrong("cat-without-unbind", RAISED) | returns("torch.cat(context, dim=-1)"),
    Wrong("stack-instead-of-cat", SHAPE)
    | returns("torch.stack([context[:, h] for h in range(context.shape[1])], dim=-1)"),
    Wrong("stacked-and-interleaved", NAMED) | returns("torch.stack(context.unbind(1), dim=-1).flatten(-2)"),
    Wrong("reversed-heads", NAMED)
    | returns("torch.cat([context[:, -h - 1] for h in range(context.shape[1])], dim=-1)"),
    Wrong("one-head-short", SHAPE)
    | returns("torch.cat([context[:, h] for h in range(context.shape[1] - 1)], dim=-1)"),
    Wrong("typed-four-heads", RAISED, keeps=1)
    | returns("torch.cat([context[:, 0], context[:, 1], context[:, 2], context[:, 3]], dim=-1)"),
    Wrong("first-head", SHAPE) | returns("context[:, 0]"),
    Wrong("nothing-returned", TYPE)
    | body("b, h, t, d = context.shape", "context = context.transpose(1, 2).contiguous().view(b, t, h * d)"),
    Wrong("contiguous-thrown-away", NAMED + RAISED).body("""
        b, h, t, d = context.shape
        context = context.transpose(1, 2)
        context.contiguous()
        return context.view(b, t, h * d)"""),
    Wrong("the-notebook-tensor", VALUES, says=NOT_ITS_ARGUMENT, never=SAME_TWICE)
    | body("b, h, t, d = v_heads.shape", "return v_heads.transpose(1, 2).reshape(b, t, h * d)"),
    Wrong("into-heads-again", RAISED) | body("b, h, t, d = context.shape", "return into_heads(context, h)"),
    Wrong("list", TYPE) | returns("[torch.cat(list(sequence), dim=-1) for sequence in context]"),
    Wrong("fallback-on-error", NAMED).body("""
        b, h, t, d = context.shape
        try:
            return context.transpose(1, 2).view(b, t, h * d)
        except RuntimeError:
            return context.reshape(b, t, h * d)"""),
    Wrong("transposed-in-place", RULE, keeps=1)
    | body("b, h, t, d = context.shape", "context.transpose_(1, 2)", "return context.reshape(b, t, h * d)"),
    Wrong("dot-T", VALUES, never=SAME_TWICE, base="no-transpose") | edit(".reshape", ".T.reshape"),
    Wrong("two-arguments", RAISED).typed("""
        def merge_heads(context, num_heads):
            b, h, t, d = context.shape
            return context.transpose(1, 2).reshape(b, t, num_heads * d)"""),
    Wrong("square-only", SHAPE).body("""
        b, t, h, d = context.transpose(1, 2).shape
        return context.transpose(1, 2).contiguous().view(b, h, t * d)"""),
    Wrong("misspelled", MISSING, base="no-transpose")
    | edit("merge_heads", "merge_head")
    | edit(".reshape", ".transpose(1, 2).reshape"),
    Right("contiguous-view") | edit("together =", "return") | edit("\n    return together", ""),
    Right("reshape")
    | body("b, h, t, d = context.size()", "return context.permute(0, 2, 1, 3).reshape(b, t, -1)"),
    Right("flatten") | returns("context.transpose(1, 2).flatten(2)"),
    Right("cat") | returns("torch.cat(context.unbind(dim=1), dim=-1)"),
    Right("loop-fill").typed("""
        def merge_heads(context: torch.Tensor) -> torch.Tensor:
            b, h, t, d = context.shape
            out = context.new_empty(b, t, h * d)
            for i in range(h):
                out[..., i * d : (i + 1) * d] = context[:, i]
            return out"""),
    Right("einsum") | returns('torch.einsum("bhtd->bthd", context).flatten(start_dim=-2)'),
    Right("per-token").body("""
        b, h, t, d = context.shape
        return torch.stack([context[:, :, i].reshape(b, h * d) for i in range(t)], dim=1)"""),
    Right("lambda")
    | typed("merge_heads = lambda context: context.swapaxes(1, 2).reshape(*context.shape[::2], -1)"),
    Right("helper").typed("""
        def _move(context):
            return torch.movedim(context, 1, 2)

        def merge_heads(context):
            moved = _move(context)
            return moved.clone(memory_format=torch.contiguous_format).view(*moved.shape[:2], -1)"""),
    Right("decorated").typed("""
        import functools

        def no_change(f):
            @functools.wraps(f)
            def g(context):
                return f(context.clone())
            return g

        @no_change
        def merge_heads(context):
            b, h, t, d = context.shape
            return context.transpose(-3, -2).reshape(b, t, h * d)"""),
    Right("hstack-of-heads").body("""
        heads = [context[:, h, :, :] for h in range(context.shape[1])]
        return torch.concat(heads, dim=2)"""),
)

TASKS.hold(
    "attention-output",
    Wrong("the-scores", NAMED) | returns("merge_heads(head_scores @ v_heads)"),
    Wrong("the-keys", NAMED, says="v_heads") | returns("merge_heads(attn_weights @ k_heads)"),
    Wrong("the-queries", NAMED) | returns("merge_heads(attn_weights @ q_heads)"),
    Wrong("not-merged", NAMED + SHAPE) | returns("attn_weights @ v_heads"),
    Wrong("merged-without-transpose", NAMED)
    | returns("(attn_weights @ v_heads).reshape(batch_size, max_sequence_length, d_model)"),
    Wrong("transposed-not-joined", SHAPE) | returns("(attn_weights @ v_heads).transpose(1, 2)"),
    Wrong("view-refuses", MISSING, never="attention_map", base="written-out") | edit("contiguous().", ""),
    Wrong("values-not-cut", MISSING, never="attention_map") | returns("attn_weights @ v"),
    Wrong("weights-transposed", NAMED) | returns("merge_heads(attn_weights.transpose(-2, -1) @ v_heads)"),
    Wrong("values-first", MISSING, never="attention_map") | returns("merge_heads(v_heads @ attn_weights)"),
    Wrong("values-first-transposed", NAMED) | returns("merge_heads((v_heads.mT @ attn_weights).mT)"),
    Wrong("unmasked-weights", NAMED) | returns("merge_heads(torch.softmax(head_scores, dim=-1) @ v_heads)"),
    Wrong("values-merged-only", NAMED) | returns("merge_heads(v_heads)"),
    Wrong("elementwise", MISSING, never="attention_map") | returns("merge_heads(attn_weights * v_heads)"),
    Wrong("mean-of-heads", SHAPE) | returns("(attn_weights @ v_heads).mean(dim=1)"),
    Wrong("sum-of-heads", SHAPE) | returns("(attn_weights @ v_heads).sum(1)"),
    Wrong("whole-values-mean-weights", VALUES, never=SAME_TWICE) | returns("attn_weights.mean(dim=1) @ v"),
    Wrong("into-heads-again", MISSING, never="attention_map")
    | returns("into_heads(attn_weights @ v_heads, num_heads)"),
    Wrong("softmax-again", VALUES, never=SAME_TWICE)
    | returns("merge_heads(torch.softmax(attn_weights, dim=-1) @ v_heads)"),
    Wrong("scaled-again", VALUES, never=SAME_TWICE)
    | returns("merge_heads(attn_weights @ v_heads / d_k**0.5)"),
    Wrong("sdpa-unmasked", NAMED)
    | returns("merge_heads(F.scaled_dot_product_attention(q_heads, k_heads, v_heads))"),
    Wrong("sdpa-float-mask", VALUES, never=SAME_TWICE)
    | returns("merge_heads(F.scaled_dot_product_attention(q_heads, k_heads, v_heads, attn_mask=mask))"),
    Wrong("sdpa-inverted", VALUES, never=SAME_TWICE).typed("""
        hidden = ~mask.bool()
        context = F.scaled_dot_product_attention(q_heads, k_heads, v_heads, attn_mask=hidden)
        attention_output = merge_heads(context)"""),
    Wrong("function-not-called", TYPE) | returns("merge_heads"),
    Wrong("wrong-name", MISSING, never="attention_map") | edit("attention_output", "context"),
    Wrong("output-layer-too", VALUES, never=SAME_TWICE).typed("""
        fc = nn.Linear(d_model, d_model)
        attention_output = fc(merge_heads(attn_weights @ v_heads))"""),
    Wrong("merged-weights", MISSING, never="attention_map") | returns("merge_heads(attn_weights) @ v_heads"),
    Wrong("list", TYPE) | returns("[attn_weights[:, h] @ v_heads[:, h] for h in range(num_heads)]"),
    Wrong("stacked-not-joined", VALUES, never=SAME_TWICE).typed("""
        heads = [attn_weights[:, h] @ v_heads[:, h] for h in range(num_heads)]
        attention_output = torch.stack(heads, dim=-1).flatten(2)"""),
    Wrong("pasted", VALUES, never=SAME_TWICE).typed("""
        attention_output = torch.tensor(
            [[[0.5889, -0.2544, 0.5796, -0.2053, 0.8867, 0.8584, -0.1849, -0.0656], [1.3559,
            0.1895, 0.1792, 0.5596, 0.5102, 0.4807, 0.2403, -0.2482], [0.8766, -0.1489, 0.1727,
            0.2288, 0.4115, 0.1955, 0.1986, -0.1561], [0.7896, -0.1617, -0.0589, 0.5489, 0.2659,
            0.1213, 0.3184, -0.1361], [0.7703, -0.0865, -0.0439, 0.3919, 0.2174, 0.4571, 0.2243,
            -0.2422]], [[-0.1676, 0.1436, -0.1614, 0.3819, -0.1275, -0.32, -0.2202, -0.5121],
            [-0.0581, -0.3306, -0.4269, 0.1313, 0.0746, -0.0504, -0.2902, -0.6253], [-0.0008,
            -0.2957, -0.2886, 0.4192, 0.3742, -0.0817, -0.017, -0.3264], [-0.0525, -0.2981,
            -0.0815, 0.0867, 0.2448, 0.1383, -0.0859, -0.375], [0.029, -0.2709, -0.3491, 0.4852,
            0.2478, 0.0286, 0.2555, -0.1676]]]
        )"""),
    Wrong("pasted-in-full", NOT_COMPUTED, notebook_passes=True).typed("""
        attention_output = torch.tensor(
            [[[0.588911176, -0.25438875, 0.579629779, -0.205299377, 0.886748791, 0.858379662,
            -0.184893042, -0.06558501], [1.355884671, 0.189514041, 0.179207504, 0.559558153,
            0.510178924, 0.480713457, 0.240315259, -0.248232111], [0.876576304, -0.14889051,
            0.172661439, 0.228779018, 0.411479473, 0.195546478, 0.198619425, -0.156112045],
            [0.789601564, -0.161711499, -0.058860756, 0.548906684, 0.265941113, 0.121292479,
            0.318423808, -0.136110604], [0.770261109, -0.086547539, -0.043880921, 0.391912282,
            0.217419267, 0.457094938, 0.224337906, -0.242229268]], [[-0.167626932, 0.143553421,
            -0.161429703, 0.381929398, -0.127529666, -0.320030302, -0.220241398, -0.512110054],
            [-0.058063772, -0.330643177, -0.426899999, 0.131309494, 0.074557021, -0.050376065,
            -0.290185988, -0.625306606], [-0.000802405, -0.295730442, -0.288589418, 0.419157028,
            0.374193013, -0.081722036, -0.016954392, -0.326386034], [-0.052488912, -0.298075438,
            -0.081512123, 0.086665049, 0.244817331, 0.138326228, -0.085863173, -0.375030428],
            [0.029047843, -0.270879507, -0.349068254, 0.485215217, 0.247833371, 0.028617114,
            0.255476534, -0.167552203]]]
        )"""),
    Wrong("one-head-for-all", VALUES, never=SAME_TWICE, base="cat-of-heads") | edit("[:, h] @", "[:, 0] @"),
    Wrong("values-of-the-first-sequence", VALUES, never=SAME_TWICE)
    | returns("merge_heads(attn_weights @ v_heads[0])"),
    Wrong("stopped-half-way", MISSING, never="attention_map") | edit("attn_weights @", "attn_weights,"),
    Right("merge-heads", base="solution"),
    Right("written-out") | returns("(attn_weights @ v_heads).transpose(1, 2).contiguous().view(2, 5, 8)"),
    Right("einsum") | returns('torch.einsum("bhqk,bhkd->bqhd", attn_weights, v_heads).flatten(2)'),
    Right("cat-of-heads")
    | returns("torch.cat([attn_weights[:, h] @ v_heads[:, h] for h in range(num_heads)], dim=-1)"),
    Right("sdpa-causal").typed("""
        heads = F.scaled_dot_product_attention(q_heads, k_heads, v_heads, is_causal=True)
        attention_output = heads.transpose(1, 2).reshape(batch_size, max_sequence_length, d_model)"""),
    Right("sdpa-bool-mask").typed("""
        context = F.scaled_dot_product_attention(q_heads, k_heads, v_heads, attn_mask=mask.bool())
        attention_output = merge_heads(context)"""),
    Right("bmm").typed("""
        flat = torch.bmm(attn_weights.reshape(-1, 5, 5), v_heads.reshape(-1, 5, 2))
        attention_output = merge_heads(flat.view(batch_size, num_heads, 5, 2))"""),
    Right("loops").typed("""
        attention_output = torch.zeros(2, 5, 8)
        for b in range(2):
            for h in range(4):
                for i in range(5):
                    for j in range(i + 1):
                        attention_output[b, i, 2 * h : 2 * h + 2] += attn_weights[b, h, i, j] * v_heads[b, h, j]
        """),  # noqa: E501
    Right("float64") | returns("merge_heads(attn_weights.double() @ v_heads.double()).float()"),
    Right("elementwise-sum")
    | returns("(attn_weights[..., None] * v_heads[:, :, None]).sum(3).movedim(1, 2).flatten(-2)"),
    Right("multi-head-attention-of-torch").typed("""
        mha = nn.MultiheadAttention(d_model, num_heads, batch_first=True).requires_grad_(False)
        mha.in_proj_weight.copy_(torch.cat([w_query.weight, w_key.weight, w_value.weight]))
        mha.in_proj_bias.copy_(torch.cat([w_query.bias, w_key.bias, w_value.bias]))
        mha.out_proj.weight.copy_(torch.eye(d_model))
        mha.out_proj.bias.zero_()
        attention_output, _ = mha(X_input_tokens, X_input_tokens, X_input_tokens, attn_mask=mask == 0)"""),
)

TASKS.hold(
    "padding-mask",
    Wrong("less-or-equal", NAMED, base="two-axes-then-none") | edit("[None, :] <", " <="),
    Wrong("polarity", NAMED, says="may look")
    | returns("(torch.arange(num_tokens) >= lengths[:, None])[:, None, None]"),
    Wrong("polarity-other-way-round", VALUES, never=SAME_TWICE).body("""
        positions = torch.arange(num_tokens)
        return (lengths[:, None] < positions).view(-1, 1, 1, num_tokens)"""),
    Wrong("two-axes", NAMED + SHAPE, says="None, None", base="broadcast") | edit(", None, None", ""),
    Wrong("three-axes", NAMED + SHAPE)
    | returns("(torch.arange(num_tokens)[None, :] < lengths[:, None]).unsqueeze(1)"),
    Wrong("no-batch-axis-added", NAMED + RAISED) | returns("torch.arange(num_tokens) < lengths"),
    Wrong("axes-in-front", SHAPE) | returns("(torch.arange(num_tokens) < lengths[:, None])[None, None]"),
    Wrong("axes-behind", SHAPE) | returns("(torch.arange(num_tokens) < lengths[:, None])[:, :, None, None]"),
    Wrong("on-the-query-axis", NAMED + SHAPE)
    | returns("(torch.arange(num_tokens)[:, None] < lengths.view(-1, 1, 1, 1))"),
    Wrong("floats", DTYPE + NAMED, keeps=1)
    | returns("(torch.arange(num_tokens) < lengths[:, None])[:, None, None, :].float()"),
    Wrong("integers", DTYPE + NAMED, keeps=1, base="loop")
    | edit("torch.bool", "torch.int")
    | edit("[i, 0, 0, :n] = True", "[i, 0, 0, :n] = 1"),
    Wrong("longest-length", NAMED + SHAPE, base="polarity") | edit("(num_tokens) >=", "(lengths.max()) <"),
    Wrong("notebook-length", SHAPE, keeps=1, says=NOT_ITS_ARGUMENT)
    | returns("(torch.arange(max_sequence_length) < lengths[:, None])[:, None, None]"),
    Wrong("notebook-batch", RAISED, keeps=1)
    | returns("(torch.arange(num_tokens) < lengths[:, None]).view(batch_size, 1, 1, num_tokens)"),
    Wrong("padding-on-the-left", NAMED, base="polarity") | edit("= lengths", "= num_tokens - lengths"),
    Wrong("expanded-over-queries", SHAPE).body("""
        keys = (torch.arange(num_tokens) < lengths[:, None])[:, None, None, :]
        return keys.expand(-1, 1, num_tokens, -1)"""),
    Wrong("queries-hidden-too", NAMED + SHAPE).body("""
        real = torch.arange(num_tokens) < lengths[:, None]
        return (real[:, None, :] & real[:, :, None])[:, None]"""),
    Wrong("positions-from-one", NAMED, base="polarity") | edit("(num_tokens) >=", "(1, num_tokens + 1) <"),
    Wrong("additive", NAMED + NOT_FINITE, never="dividing by zero or from exp").body("""
        real = (torch.arange(num_tokens) < lengths[:, None])[:, None, None]
        return torch.zeros(real.shape).masked_fill(~real, float("-inf"))"""),
    Wrong("list-of-lists", TYPE)
    | returns("[[[[i < n for i in range(num_tokens)]]] for n in lengths.tolist()]"),
    Wrong("printed", TYPE) | body("print((torch.arange(num_tokens) < lengths[:, None])[:, None, None])"),
    Wrong("shared-lengths", VALUES, never=SAME_TWICE).body("""
        lengths = torch.tensor([5, 3])
        return (torch.arange(num_tokens) < lengths[:, None])[:, None, None]"""),
    Wrong("typed-in", VALUES, never=SAME_TWICE)
    | returns("torch.tensor([[[[True, True, True, True, True]]], [[[True, True, True, False, False]]]])"),
    Wrong("relative-to-the-longest", VALUES, never=SAME_TWICE).body("""
        pad = lengths.max() - lengths
        return (torch.arange(num_tokens) < num_tokens - pad[:, None])[:, None, None]"""),
    Wrong("empty-sequence-forgotten", VALUES, keeps=1, never=SAME_TWICE, base="loop")
    | edit("torch.zeros", "torch.ones")
    | line("mask[i, 0", "mask[i, :, :, n:] = False", "mask[i, :, :, 0] = True"),
    Wrong("slices-by-negative-numbers", VALUES, never="never filled in", base="loop")
    | edit("torch.zeros", "torch.ones")
    | edit("[i, 0, 0, :n] = True", "[i, 0, 0, -(num_tokens - n) :] = False"),
    Wrong("equal", VALUES, never=SAME_TWICE, base="polarity") | edit(">= lengths", "== lengths"),
    Wrong("tensor-in-an-if", NAMED + RAISED)
    | lines("may_look =", "return may_look", "if positions < lengths:", "    return True", "return False"),
    Wrong("causal-by-mistake", SHAPE)
    | returns("torch.tril(torch.ones(num_tokens, num_tokens, dtype=torch.bool))[lengths - 1]"),
    Wrong("rows-of-tril", VALUES, keeps=1, never=SAME_TWICE).body("""
        return torch.tril(torch.ones(num_tokens, num_tokens, dtype=torch.bool))[lengths - 1][:, None, None]
        """),
    Wrong("lengths-changed-in-place", RULE, keeps=1, says="changed its argument `lengths`")
    | body("lengths -= 1", "return (torch.arange(num_tokens) <= lengths[:, None])[:, None, None]"),
    Wrong("from-tokens-not-zero", SHAPE) | returns("(lengths != 0).unsqueeze(1).unsqueeze(2)"),
    Wrong("numpy", TYPE, keeps=1).body("""
        import numpy as np

        return (np.arange(num_tokens) < lengths.numpy()[:, None])[:, None, None, :]"""),
    Wrong("no-arange-import", RAISED) | returns("(arange(num_tokens) < lengths[:, None])[:, None, None]"),
    Wrong("batch-and-key-swapped", VALUES, never=SAME_TWICE)
    | returns("(torch.arange(num_tokens)[:, None] < lengths).view(len(lengths), 1, 1, num_tokens)"),
    Right("broadcast") | returns("torch.arange(num_tokens) < lengths[:, None, None, None]"),
    Right("two-axes-then-none")
    | returns("(torch.arange(num_tokens)[None, :] < lengths[:, None])[:, None, None, :]"),
    Right("unsqueezed").typed("""
        def padding_mask(lengths: torch.Tensor, num_tokens: int) -> torch.Tensor:
            positions = torch.arange(num_tokens, device=lengths.device).unsqueeze(0)
            return positions.lt(lengths.unsqueeze(1)).unsqueeze(1).unsqueeze(2)"""),
    Right("inverted")
    | body("hidden = torch.arange(num_tokens) >= lengths.view(-1, 1, 1, 1)", "return ~hidden"),
    Right("loop").body("""
        mask = torch.zeros(len(lengths), 1, 1, num_tokens, dtype=torch.bool)
        for i, n in enumerate(lengths):
            mask[i, 0, 0, :n] = True
        return mask"""),
    Right("comprehension")
    | returns("torch.tensor([[[[i < int(n) for i in range(num_tokens)]]] for n in lengths])"),
    Right("stacked").body("""
        rows = [torch.arange(num_tokens) < n for n in lengths]
        return torch.stack(rows).reshape(-1, 1, 1, num_tokens)"""),
    Right("rows-of-tril").body("""
        table = torch.tril(torch.ones(num_tokens + 1, num_tokens, dtype=torch.bool), diagonal=-1)
        return table[lengths][:, None, None]"""),
    Right("cumulated").body("""
        ones = torch.ones(lengths.shape[0], num_tokens, dtype=torch.long)
        return (ones.cumsum(-1) <= lengths[:, None]).unflatten(0, (-1, 1, 1))"""),
    Right("lambda")
    | typed("padding_mask = lambda lengths, n: (torch.arange(n) < lengths.reshape(-1, 1))[:, None, None]"),
    Right("where-and-bool").body("""
        positions = torch.arange(num_tokens).expand(lengths.size(0), num_tokens)
        mask = torch.where(positions < lengths[:, None], 1, 0)
        return mask.bool().view(lengths.size(0), 1, 1, num_tokens)"""),
)

TASKS.hold(
    "combine-masks",
    Wrong("causal-only", NAMED, base="product")
    | line("return causal", "return causal.expand(len(lengths), 1, -1, -1)"),
    Wrong("padding-only", NAMED) | returns("padding_mask(lengths, num_tokens).expand(-1, 1, num_tokens, -1)"),
    Wrong("padding-not-expanded", SHAPE) | returns("padding_mask(lengths, num_tokens)"),
    Wrong("or", NAMED, says="&") | edit("& causal", "| causal"),
    Wrong("python-and", RAISED) | edit("& causal", "and causal"),
    Wrong("added", NAMED)
    | returns("padding_mask(lengths, num_tokens) + torch.tril(torch.ones(num_tokens, num_tokens))"),
    Wrong("added-bool", NAMED, base="tuple-of-masks")
    | line("return causal", "return (padding_mask(lengths, num_tokens) + causal).bool()"),
    Wrong("upper", NAMED) | edit("torch.tril", "torch.triu"),
    Wrong("strict-upper", NAMED, says="hidden").body("""
        causal = torch.triu(torch.ones(num_tokens, num_tokens), diagonal=1).bool()
        return padding_mask(lengths, num_tokens) & causal"""),
    Wrong("diagonal-hidden", NAMED).body("""
        causal = torch.tril(torch.ones(num_tokens, num_tokens), diagonal=-1).bool()
        return padding_mask(lengths, num_tokens) & causal"""),
    Wrong("one-too-many", VALUES + NAMED, never=SAME_TWICE).body("""
        causal = torch.ones(num_tokens, num_tokens).tril(1).bool()
        return causal & padding_mask(lengths, num_tokens)"""),
    Wrong("floats", DTYPE + NAMED, keeps=1)
    | returns("padding_mask(lengths, num_tokens) * torch.tril(torch.ones(num_tokens, num_tokens))"),
    Wrong("notebook-mask", NAMED + RAISED, keeps=1)
    | returns("padding_mask(lengths, num_tokens) & mask.bool()"),
    Wrong("notebook-mask-float", RAISED) | returns("padding_mask(lengths, num_tokens) & mask"),
    Wrong("notebook-sizes", SHAPE, keeps=1, says=NOT_ITS_ARGUMENT).body("""
        causal = torch.tril(torch.ones(max_sequence_length, max_sequence_length)).bool()
        return padding_mask(lengths, max_sequence_length) & causal"""),
    Wrong("padded-queries-emptied", NAMED, says="keys").body("""
        causal = torch.tril(torch.ones(num_tokens, num_tokens, dtype=torch.bool))
        keys = padding_mask(lengths, num_tokens)
        return causal & keys & keys.transpose(-2, -1)"""),
    Wrong("padding-on-queries", NAMED, base="tuple-of-masks")
    | line("return causal", "return causal & padding_mask(lengths, num_tokens).transpose(-2, -1)"),
    Wrong("means-hidden", NAMED, base="tuple-of-masks")
    | line("return causal", "return ~(causal & padding_mask(lengths, num_tokens))"),
    Wrong("hidden-and-may-look-mixed", NAMED).body("""
        future = torch.triu(torch.ones(num_tokens, num_tokens, dtype=torch.bool), diagonal=1)
        return padding_mask(lengths, num_tokens) & future"""),
    Wrong("xor", VALUES, never=SAME_TWICE) | edit("& causal", "^ causal"),
    Wrong("equal", VALUES, never=SAME_TWICE) | edit("& causal", "== causal"),
    Wrong("squeezed-head-axis", NAMED + SHAPE, base="tuple-of-masks")
    | line("return causal", "return (padding_mask(lengths, num_tokens) & causal).squeeze(1)"),
    Wrong("four-heads", SHAPE, base="squeezed-head-axis") | edit("squeeze(1)", "repeat(1, num_heads, 1, 1)"),
    Wrong("batch-lost", SHAPE, base="tuple-of-masks")
    | line("return causal", "return (causal & padding_mask(lengths, num_tokens))[:1]"),
    Wrong("tuple-of-masks", TYPE).body("""
        causal = torch.tril(torch.ones(num_tokens, num_tokens, dtype=torch.bool))
        return causal, padding_mask(lengths, num_tokens)"""),
    Wrong("nothing-returned", TYPE, base="tuple-of-masks") | edit("return causal,", "both = causal &"),
    Wrong("transposed", VALUES + NAMED, never=SAME_TWICE, base="tuple-of-masks")
    | line("return causal", "return (causal & padding_mask(lengths, num_tokens)).transpose(-2, -1)"),
    Wrong("longest", SHAPE)
    | body("n = int(lengths.max())", "return padding_mask(lengths, n) & torch.ones(n, n).tril().bool()"),
    Wrong("only-shortest", VALUES, never="never filled in").body("""
        causal = torch.ones(num_tokens, num_tokens).tril().bool()
        causal[:, lengths.min() :] = False
        return causal.expand(len(lengths), 1, -1, -1)"""),
    Wrong("own-less-or-equal", VALUES, never=SAME_TWICE).body("""
        i = torch.arange(num_tokens)
        return ((i[None, :] <= i[:, None]) & (i[None, :] <= lengths[:, None, None]))[:, None]"""),
    Wrong("own-position-always", VALUES, never=SAME_TWICE).body("""
        causal = torch.ones(num_tokens, num_tokens).tril().bool()
        return (padding_mask(lengths, num_tokens) & causal) | torch.eye(num_tokens, dtype=torch.bool)"""),
    Wrong("integers", DTYPE + NAMED, keeps=1).body("""
        causal = torch.tril(torch.ones(num_tokens, num_tokens, dtype=torch.int))
        return padding_mask(lengths, num_tokens).int() & causal"""),
    Wrong("additive", NOT_FINITE + DTYPE, never="dividing by zero or from exp").body("""
        causal = torch.tril(torch.ones(num_tokens, num_tokens, dtype=torch.bool))
        may = causal & padding_mask(lengths, num_tokens)
        return torch.zeros(may.shape).masked_fill(~may, -torch.inf)"""),
    Wrong("two-axis-padding", RAISED)
    | above("causal = torch", "real = torch.arange(num_tokens) < lengths[:, None]")
    | line("return padding_mask", "return (real & causal)[:, None]"),
    Wrong("figure-called", RAISED)
    | returns('combined_masks(mask, lengths, ["t0", "t1", "t2", "pad", "pad"])'),
    Right("and").body("""
        causal = torch.tril(torch.ones(num_tokens, num_tokens, dtype=torch.bool))  # (query, key)
        return padding_mask(lengths, num_tokens) & causal"""),
    Right("product").body("""
        causal = torch.tril(torch.ones(num_tokens, num_tokens)).bool()
        return causal[None, None] * padding_mask(lengths, num_tokens)"""),
    Right("logical-and").body("""
        i = torch.arange(num_tokens)
        return torch.logical_and(i[:, None] >= i, padding_mask(lengths, num_tokens))"""),
    Right("de-morgan").body("""
        future = torch.triu(torch.ones(num_tokens, num_tokens), diagonal=1).bool()
        return ~(future | ~padding_mask(lengths, num_tokens))"""),
    Right("tril-of-the-padding")
    | returns("padding_mask(lengths, num_tokens).expand(-1, -1, num_tokens, -1).tril()"),
    Right("without-padding-mask").body("""
        i = torch.arange(num_tokens)
        limit = torch.minimum(i[None, None, :, None] + 1, lengths[:, None, None, None])
        return i < limit"""),
    Right("loops").body("""
        out = torch.zeros(lengths.shape[0], 1, num_tokens, num_tokens, dtype=torch.bool)
        for b, n in enumerate(lengths.tolist()):
            for query in range(num_tokens):
                out[b, 0, query, : min(query + 1, n)] = True
        return out"""),
    Right("floats-and-bool").body("""
        causal = torch.tril(torch.ones((num_tokens, num_tokens)))
        return (padding_mask(lengths, num_tokens).float() * causal) == 1"""),
    Right("masked-fill").body("""
        m = torch.ones(len(lengths), 1, num_tokens, num_tokens).tril()
        return m.masked_fill(padding_mask(lengths, num_tokens) == 0, 0).bool()"""),
    Right("stacked").typed("""
        def decoder_mask(lengths, num_tokens):
            def one(n):
                m = torch.ones(num_tokens, num_tokens).tril()
                m[:, n:] = 0
                return m.bool()

            return torch.stack([one(n) for n in lengths]).unsqueeze(1)"""),
    Right("all-of-both").body("""
        a = padding_mask(lengths, num_tokens)
        b = torch.tril(torch.ones(num_tokens, num_tokens, dtype=torch.bool))
        return torch.stack(torch.broadcast_tensors(a, b)).all(dim=0)"""),
    Right("fused-with-einsum").body("""
        real = (torch.arange(num_tokens) < lengths[:, None]).float()
        causal = torch.tril(torch.ones(num_tokens, num_tokens))
        return torch.einsum("bk,qk->bqk", real, causal).bool().unsqueeze(1)"""),
)

TASKS.hold(
    "masked-softmax",
    Wrong("nan-rows", NAMED + NOT_FINITE, keeps=2, never=r"\bquerie\b")
    | returns('torch.softmax(scores.masked_fill(mask == 0, float("-inf")), dim=-1)'),
    Wrong("minus-1e9", NAMED, keeps=2, says="evenly")
    | returns("torch.softmax(scores.masked_fill(mask == 0, -1e9), dim=-1)"),
    Wrong("finfo-min", NAMED, keeps=2)
    | returns("F.softmax(scores.masked_fill(~mask.bool(), torch.finfo(scores.dtype).min), dim=-1)"),
    Wrong("additive-painted-over", NAMED, keeps=2, says="gradient").body("""
        bias = torch.zeros(mask.shape).masked_fill(mask == 0, float("-inf"))
        return torch.softmax(scores + bias, dim=-1).nan_to_num(0.0)"""),
    Wrong("additive-filled-after", NAMED, keeps=2).body("""
        bias = torch.zeros(mask.shape).masked_fill(mask == 0, float("-inf"))
        return torch.softmax(scores + bias, dim=-1).masked_fill(mask == 0, 0)"""),
    Wrong("times-mask-after-inf", NAMED + NOT_FINITE, keeps=2)
    | returns('torch.softmax(scores.masked_fill(mask == 0, float("-inf")), dim=-1) * mask'),
    Wrong("zeroed-not-renormalised", NAMED) | returns("torch.softmax(scores, dim=-1) * mask"),
    Wrong("zero-filled-first", NAMED) | returns("torch.softmax(scores.masked_fill(mask == 0, 0), dim=-1)"),
    Wrong("scores-times-mask", NAMED) | returns("torch.softmax(scores * mask, dim=-1) * mask"),
    Wrong("polarity", NAMED).body("""
        w = torch.softmax(scores.masked_fill(mask == 1, float("-inf")), dim=-1)
        return w.masked_fill(mask == 1, 0)"""),
    Wrong("bool-polarity", NAMED)
    | returns('scores.masked_fill(mask.bool(), float("-inf")).softmax(-1).masked_fill(mask.bool(), 0.0)'),
    Wrong("tilde-of-an-int", NAMED + RAISED)
    | body('w = scores.masked_fill(~mask, float("-inf")).softmax(-1)', "return w.masked_fill(~mask, 0.0)"),
    Wrong("over-the-queries", NAMED)
    | returns("scores.masked_fill(mask == 0, -torch.inf).softmax(dim=-2).masked_fill(mask == 0, 0)"),
    Wrong("over-the-heads", NAMED)
    | returns("scores.masked_fill(mask == 0, -torch.inf).softmax(dim=1).masked_fill(mask == 0, 0)"),
    Wrong("fill-in-place", NAMED + RULE, keeps=2).body("""
        scores.masked_fill_(mask == 0, float("-inf"))
        return torch.softmax(scores, dim=-1).masked_fill(mask == 0, 0)"""),
    Wrong("index-in-place", NAMED + RULE, keeps=2).body("""
        scores[(mask == 0).expand_as(scores)] = -1e9
        return scores.softmax(-1).masked_fill(mask == 0, 0)"""),
    Wrong("plus-equals", NAMED + RULE, keeps=2)
    | body("scores += (mask.float() - 1) * 1e9", "return torch.softmax(scores, dim=-1) * mask"),
    Wrong("row-divided-by-zero", NAMED + NOT_FINITE)
    | body("e = torch.exp(scores) * mask", "return e / e.sum(dim=-1, keepdim=True)"),
    Wrong("epsilon-too-large", VALUES, never=SAME_TWICE)
    | body("e = torch.exp(scores) * mask", "return e / (e.sum(dim=-1, keepdim=True) + 1e-2)"),
    Wrong("exp-overflows", NOT_FINITE, keeps=2)
    | body("e = torch.exp(scores) * mask", "return e / e.sum(dim=-1, keepdim=True).clamp(min=1e-9)"),
    Wrong("notebook-mask", RAISED, says=NOT_ITS_ARGUMENT).body("""
        may = torch.tril(torch.ones(max_sequence_length, max_sequence_length))
        return scores.masked_fill(may == 0, -torch.inf).softmax(-1).masked_fill(may == 0, 0)"""),
    Wrong("notebook-scores", RAISED).body("""
        return torch.softmax(head_scores.masked_fill(mask == 0, float("-inf")), -1).masked_fill(mask == 0, 0)
        """),
    Wrong("mask-ignored", VALUES + NAMED, never=r"\bquerie\b") | returns("torch.softmax(scores, dim=-1)"),
    Wrong("mask-added", NAMED) | returns("torch.softmax(scores + mask, dim=-1)"),
    Wrong("zero-times-inf", VALUES + NAMED, never=SAME_TWICE)
    | returns('torch.softmax(scores + (1 - mask.int()) * float("-inf"), dim=-1).nan_to_num()'),
    Wrong("fill-discarded", NAMED).body("""
        scores.masked_fill(mask == 0, float("-inf"))
        w = torch.softmax(scores, dim=-1)
        return w.masked_fill(mask == 0, 0)"""),
    Wrong("scaled-too", VALUES, never=SAME_TWICE).body("""
        d_k = scores.shape[-1]
        return (scores / d_k**0.5).masked_fill(mask == 0, -torch.inf).softmax(-1).masked_fill(mask == 0, 0)
        """),
    Wrong("whole-tensor-nan-test", VALUES, keeps=1, never=SAME_TWICE, base="painted-over-with-zero")
    | line("return torch", "if torch.isnan(w).any():", "    return torch.zeros_like(scores)", "return w"),
    Wrong("small-constant", NAMED + VALUES, keeps=2)
    | returns("scores.masked_fill(mask == 0, -20.0).softmax(-1).masked_fill(mask == 0, 0)"),
    Wrong("ones-in-empty-rows", VALUES + NAMED, keeps=2, never=SAME_TWICE).body("""
        empty = (mask == 0).all(dim=-1, keepdim=True)
        w = scores.masked_fill((mask == 0) & ~empty, -torch.inf).softmax(-1)
        return w"""),
    Wrong("returns-none", TYPE, base="painted-over-with-zero")
    | line("return torch", "w.masked_fill_(mask == 0, 0)"),
    Wrong("in-place-after-softmax", BEHAVIOUR, keeps=2, base="painted-over-with-zero")
    | line("return torch", "w[(mask == 0).expand_as(w)] = 0", "return w.detach()"),
    Wrong("no-gradient", BEHAVIOUR, keeps=2, says="no_grad").body("""
        with torch.no_grad():
            w = torch.softmax(scores.masked_fill(mask == 0, float("-inf")), dim=-1)
            return w.masked_fill(mask == 0, 0)"""),
    Wrong("wrong-argument-order", VALUES, never=SAME_TWICE).typed("""
        def masked_softmax(mask, scores):
            return torch.softmax(scores.masked_fill(mask == 0, -torch.inf), dim=-1).masked_fill(mask == 0, 0)
        """),
    Wrong("dim-forgotten", NAMED)
    | returns('F.softmax(scores.masked_fill(mask == 0, float("-inf"))).masked_fill(mask == 0, 0)'),
    Wrong("nan-to-num-before", NAMED, keeps=2)
    | returns('torch.softmax(scores.masked_fill(mask == 0, float("-inf")).nan_to_num(), dim=-1)'),
    Wrong("mask-indexing-drops-axes", SHAPE)
    | returns("torch.softmax(scores[mask.bool().expand_as(scores)], dim=-1)"),
    Wrong("sdpa", RULE)
    | returns("F.scaled_dot_product_attention(scores, scores, scores, attn_mask=mask.bool())"),
    Wrong("reassigned-mask-in-place", RULE, keeps=1).body("""
        mask = mask.float()
        mask[mask == 0] = float("-inf")
        mask[mask == 1] = 0
        w = torch.softmax(scores + mask, dim=-1)
        w[w != w] = 0
        return w"""),
    Wrong("minus-100", NAMED + VALUES, keeps=2)
    | body("weights = torch.softmax(scores.masked_fill(mask == 0, -100), dim=-1)", "return weights * mask"),
    Right("painted-over")
    | returns('torch.softmax(scores.masked_fill(mask == 0, float("-inf")), dim=-1).nan_to_num()'),
    Right("painted-over-with-zero").body("""
        w = torch.softmax(scores.masked_fill(mask == 0, float("-inf")), dim=-1)
        return torch.nan_to_num(w, nan=0.0)"""),
    Right("where-nan").body("""
        w = torch.softmax(torch.where(mask.bool(), scores, -torch.inf), dim=-1)
        return torch.where(w.isnan(), 0.0, w)"""),
    Right("minus-1e4")
    | returns("torch.softmax(scores.masked_fill(mask == 0, -1e4), dim=-1).masked_fill(mask == 0, 0)"),
    Right("filled-twice").body("""
        hidden = mask == 0
        return torch.softmax(scores.masked_fill(hidden, float("-inf")), dim=-1).masked_fill(hidden, 0.0)"""),
    Right("finfo-min-and-fill").body("""
        may = mask.bool()
        w = F.softmax(scores.masked_fill(~may, torch.finfo(scores.dtype).min), dim=-1)
        return w.masked_fill(~may, 0)"""),
    Right("minus-1e9-times-mask")
    | returns("torch.softmax(scores.masked_fill(mask == 0, -1e9), dim=-1) * mask"),
    Right("where").body("""
        may = mask.to(torch.bool)
        w = torch.where(may, scores, torch.full_like(scores, -1e9)).softmax(-1)
        return torch.where(may, w, torch.zeros_like(w))"""),
    Right("stable-exponentials").body("""
        top = scores.masked_fill(mask == 0, -1e9).amax(dim=-1, keepdim=True)
        e = torch.exp((scores - top).masked_fill(mask == 0, -1e9))
        e = e * mask
        return e / e.sum(-1, keepdim=True).clamp_min(1e-9)"""),
    Right("empty-rows-shown-then-cleared").body("""
        may = mask.bool().expand_as(scores)
        empty = ~may.any(dim=-1, keepdim=True)
        w = scores.masked_fill(~may & ~empty, float("-inf")).softmax(dim=-1)
        return w.masked_fill(empty, 0.0)"""),
    Right("any-times").body("""
        m = mask.bool()
        w = torch.softmax(scores.masked_fill(~m, -1e9), dim=-1)
        return w * m.any(dim=-1, keepdim=True)"""),
    Right("copy-then-index").body("""
        s = scores.clone()
        hidden = torch.broadcast_to(mask == 0, s.shape)
        s[hidden] = float("-inf")
        return s.softmax(-1).masked_fill(hidden, 0)"""),
    Right("large-bias-and-where").body("""
        bias = (1.0 - mask.to(scores.dtype)) * -1e9
        return (scores + bias).softmax(dim=-1) * mask.to(scores.dtype)"""),
    Right("scores-times-mask-plus-bias").body("""
        may = mask.to(scores.dtype)
        return torch.softmax(scores * may - 1e9 * (1 - may), dim=-1) * may"""),
    Right("float64").typed("""
        def masked_softmax(scores: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
            hidden = mask == 0
            w = scores.double().masked_fill(hidden, float("-inf")).softmax(-1)
            return w.masked_fill(hidden, 0).to(scores.dtype)"""),
    Right("row-loop").body("""
        may = mask.bool().expand(scores.shape)
        rows = []
        for row, see in zip(scores.reshape(-1, scores.shape[-1]), may.reshape(-1, scores.shape[-1])):
            out = torch.zeros_like(row)
            if see.any():
                out = out.masked_scatter(see, row[see].softmax(0))
            rows.append(out)
        return torch.stack(rows).view(scores.shape)"""),
    Right("lambda").typed("""
        masked_softmax = lambda scores, mask: (
            scores.masked_fill(mask == 0, -torch.inf).softmax(-1).masked_fill(mask == 0, 0)
        )"""),
    Right("nan-to-num-behind-a-fill").body("""
        hidden = torch.logical_not(mask)
        w = nn.Softmax(dim=-1)(scores.masked_fill(hidden, float("-inf")))
        return torch.nan_to_num(w.masked_fill(hidden, 0.0))"""),
)

TASKS.hold(
    "bug-query-length",
    Wrong("as-given", NAMED + RAISED, base="faulty"),
    Wrong("length-of-the-keys-for-both", NAMED + RAISED, base="faulty")
    | edit("= q.shape", "= k.shape")
    | line("return q @ k", "return q @ k.transpose(-2, -1) / d_k**0.5"),
    Wrong("source-cut", SHAPE, keeps=1, base="minus-one")
    | below("d_k = d_model", "k = k[:, :max_sequence_length]"),
    Wrong("both-cut", SHAPE, base="faulty")
    | edit("max_sequence_length, num_heads", "n, num_heads", places=2)
    | below("def cross_scores", "    n = min(q.shape[1], k.shape[1])", "    q, k = q[:, :n], k[:, :n]")
    | line("return q @ k", "return q @ k.transpose(-2, -1) / d_k**0.5"),
    Wrong("source-filled-up", NAMED + SHAPE, base="faulty")
    | below("d_k = d_model", "k = F.pad(k, (0, 0, 0, max_sequence_length - k.shape[1]))")
    | line("return q @ k", "return q @ k.transpose(-2, -1) / d_k**0.5"),
    Wrong("both-filled-to-the-longer", SHAPE).body("""
        n = max(q.shape[1], k.shape[1])
        q = F.pad(q, (0, 0, 0, n - q.shape[1]))
        k = F.pad(k, (0, 0, 0, n - k.shape[1]))
        b, _, d_model = q.shape
        d_k = d_model // num_heads
        q = q.reshape(b, n, num_heads, d_k).transpose(1, 2)
        k = k.reshape(b, n, num_heads, d_k).transpose(1, 2)
        return q @ k.transpose(-2, -1) / d_k**0.5"""),
    Wrong("interpolated", SHAPE, base="source-filled-up")
    | line("k = F.pad", "k = F.interpolate(k.mT, size=max_sequence_length).mT"),
    Wrong("typed-six", RAISED, base="minus-one") | edit("-1, num_heads", "6, num_heads"),
    Wrong("free-axis-in-the-wrong-place", RAISED, base="minus-one")
    | line("k = k.reshape", "k = k.reshape(batch_size, max_sequence_length, num_heads, -1).transpose(1, 2)"),
    Wrong("try-and-except", NAMED + SHAPE, base="minus-one")
    | line(
        "k = k.reshape",
        "try:",
        "    k = k.reshape(batch_size, max_sequence_length, num_heads, d_k).transpose(1, 2)",
        "except RuntimeError:",
        "    k = q",
    ),
    Wrong("silent-zeros", VALUES, never=SAME_TWICE).body("""
        try:
            b, t, d_model = q.shape
            d_k = d_model // num_heads
            q = q.reshape(b, t, num_heads, d_k).transpose(1, 2)
            k = k.reshape(b, t, num_heads, d_k).transpose(1, 2)
            return q @ k.transpose(-2, -1) / d_k**0.5
        except RuntimeError:
            return torch.zeros(b, num_heads, t, k.shape[1])"""),
    Wrong("transpose-dropped-for-the-keys", NAMED, base="minus-one")
    | rename("max_sequence_length", "target")
    | above("d_k = d_model", "source = k.shape[1]")
    | edit("(batch_size, -1, num_heads, d_k).transpose(1, 2)", "(batch_size, num_heads, source, d_k)"),
    Wrong("keys-in-place-of-queries", VALUES + NAMED, never=SAME_TWICE, base="transpose-dropped-for-the-keys")
    | edit("(batch_size, num_heads, source, d_k)", "(batch_size, source, num_heads, d_k).transpose(1, 2)")
    | edit("return q @ k", "return k @ q"),
    Wrong("scaled-by-d-model", NAMED).body("""
        b, t, d_model = q.shape
        q = q.reshape(b, t, num_heads, -1).transpose(1, 2)
        k = k.reshape(b, k.shape[1], num_heads, -1).transpose(1, 2)
        return q @ k.transpose(-2, -1) / d_model**0.5"""),
    Wrong("not-scaled-any-more", NAMED)
    | body("q, k = into_heads(q, num_heads), into_heads(k, num_heads)", "return q @ k.transpose(-2, -1)"),
    Wrong("scaled-by-the-source-length", VALUES, never=SAME_TWICE, base="source-length-from-the-notebook")
    | below("b, t, d_model", "source = k.shape[1]")
    | edit("len(source)", "source")
    | edit("d_k**0.5", "k.shape[2] ** 0.5"),
    Wrong("wrong-index", RAISED, base="minus-one") | edit("-1, num_heads", "k.shape[0], num_heads"),
    Wrong("keys-expanded-from-one", VALUES, never=SAME_TWICE, base="source-length-from-the-notebook")
    | edit(
        "reshape(b, len(source), num_heads, d_k)",
        "mean(dim=1, keepdim=True).expand(-1, t, -1).reshape(b, t, num_heads, d_k)",
    ),
    Wrong("softmax-too", VALUES, never=SAME_TWICE).body("""
        d_k = q.shape[-1] // num_heads
        scores = into_heads(q, num_heads) @ into_heads(k, num_heads).mT / d_k**0.5
        return torch.softmax(scores, dim=-1)"""),
    Wrong("source-length-from-the-notebook", RAISED, says=NOT_ITS_ARGUMENT, base="minus-one")
    | edit("batch_size, max_sequence_length", "b, t", places=2)
    | edit("batch_size, -1", "b, len(source)"),
    Wrong("notebook-head-size", NAMED + RAISED, says="from the notebook", never="equal length").body("""
        b, target, d_model = q.shape
        _, source, _ = k.shape
        q = q.reshape(b, target, num_heads, d_k).transpose(1, 2)
        k = k.reshape(b, source, num_heads, d_k).transpose(1, 2)
        return q @ k.transpose(-2, -1) / d_k**0.5"""),
    Wrong("variable-overwritten", RAISED, base="faulty")
    | below("q = q.reshape", "max_sequence_length = q.shape[1]")
    | line("return q @ k", "return q @ k.transpose(-2, -1) / d_k**0.5"),
    Wrong("return-lost", TYPE, base="shape-of-the-keys")
    | rename("max_sequence_length", "target")
    | edit("return q", "scores = q"),
    Wrong("nan-hidden-cut-loop", VALUES, keeps=1, never=SAME_TWICE).body("""
        b, t, d_model = q.shape
        d_k = d_model // num_heads
        out = torch.zeros(b, num_heads, t, k.shape[1])
        for h in range(num_heads):
            for i in range(t):
                for j in range(min(t, k.shape[1])):
                    part = slice(h * d_k, (h + 1) * d_k)
                    out[:, h, i, j] = (q[:, i, part] * k[:, j, part]).sum(-1) / d_k**0.5
        return out"""),
    Wrong("heads-added", SHAPE)
    | body("d_k = q.shape[-1] // num_heads", "return q @ k.transpose(-2, -1) / d_k**0.5"),
    Wrong("deleted", MISSING) | typed("# I do not understand this task", "pass"),
    Wrong("source-filled-from-the-start", NAMED + SHAPE, base="source-filled-up")
    | line(
        "k = F.pad",
        "full = torch.zeros(batch_size, max_sequence_length, d_model)",
        "n = min(max_sequence_length, k.shape[1])",
        "full[:, :n] = k[:, :n]",
    )
    | edit("= k.reshape", "= full.reshape"),
    Wrong("scaled-in-place-in-the-queries", RULE, keeps=1, base="source-length-from-the-notebook")
    | below("d_k = d_model", "q /= d_k**0.5")
    | edit("len(source)", "-1")
    | edit(" / d_k**0.5", ""),
    Right("shape-of-the-keys", base="minus-one") | edit("-1, num_heads", "k.shape[1], num_heads"),
    Right("minus-one").body("""
        batch_size, max_sequence_length, d_model = q.shape
        d_k = d_model // num_heads
        q = q.reshape(batch_size, max_sequence_length, num_heads, d_k).transpose(1, 2)
        k = k.reshape(batch_size, -1, num_heads, d_k).transpose(1, 2)
        return q @ k.transpose(-2, -1) / d_k**0.5"""),
    Right("two-lengths", base="source-length-from-the-notebook")
    | line("b, t, d_model", "batch_size, target_length, d_model = q.size()", "source_length = k.size(1)")
    | edit("reshape(b, t, num_heads, d_k)", "view(batch_size, target_length, num_heads, d_k)")
    | edit("reshape(b, len(source), num_heads, d_k)", "view(batch_size, source_length, num_heads, d_k)")
    | line("return q @ k", "return torch.matmul(q, k.transpose(-1, -2)) * d_k**-0.5"),
    Right("into-heads").body("""
        q = into_heads(q, num_heads)
        k = into_heads(k, num_heads)
        return q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5"""),
    Right("straight-to-the-transposed-keys").body("""
        b, target, d_model = q.shape
        d_k = d_model // num_heads
        q = q.reshape(b, target, num_heads, d_k).permute(0, 2, 1, 3)
        k_t = k.reshape(b, k.shape[1], num_heads, d_k).permute(0, 2, 3, 1)
        return (q @ k_t) / d_k**0.5"""),
    Right("einsum").body("""
        q = q.unflatten(-1, (num_heads, -1))
        k = k.unflatten(-1, (num_heads, -1))
        return torch.einsum("bthd,bshd->bhts", q, k) / q.shape[-1] ** 0.5"""),
    Right("a-list-of-heads").body("""
        d_k = q.shape[-1] // num_heads
        pairs = zip(q.split(d_k, dim=-1), k.split(d_k, dim=-1))
        return torch.stack([a @ b.mT for a, b in pairs], dim=1) / d_k**0.5"""),
    Right("loops").body("""
        b, t, d = q.shape
        s = k.shape[1]
        out = torch.empty(b, num_heads, t, s)
        w = d // num_heads
        for i in range(t):
            for j in range(s):
                out[:, :, i, j] = (q[:, i] * k[:, j]).view(b, num_heads, w).sum(-1)
        return out / w**0.5"""),
    Right("bmm").typed("""
        def cross_scores(q, k, num_heads):
            b, t, d_model = q.shape
            d_k = d_model // num_heads

            def fold(x):
                return x.reshape(b, -1, num_heads, d_k).transpose(1, 2).reshape(b * num_heads, -1, d_k)

            return torch.bmm(fold(q), fold(k).transpose(1, 2)).div(d_k**0.5).view(b, num_heads, t, -1)"""),
)

TASKS.hold(
    "multi-head-attention-module",
    Wrong("forward-left-out", STUB, base="sdpa-inverted") | lines("q = into_heads", "return self", "..."),
    Wrong("layers-left-out", NAMED + PARAMETERS, never="made in `forward`", base="own-functions")
    | without("self.head_dim =", "self.fc ="),
    Wrong("layers-in-a-list", NAMED + PARAMETERS, base="own-functions")
    | lines("self.query =", "self.value =", "self.layers = [nn.Linear(d_model, d_model) for _ in range(3)]")
    | edit("self.query", "self.layers[0]")
    | edit("self.key", "self.layers[1]")
    | edit("self.value", "self.layers[2]"),
    Wrong("module-list", PARAMETERS, keeps=5, base="layers-in-a-list").define("""
        def __init__(self, d_model, num_heads):
            super().__init__()
            self.num_heads = num_heads
            self.head_dim = d_model // num_heads
            self.layers = nn.ModuleList([nn.Linear(d_model, d_model) for _ in range(3)])
            self.fc = nn.Linear(d_model, d_model)"""),
    Wrong("names-of-lesson-05", PARAMETERS, keeps=5, says="W_query", base="written-out")
    | rename("query", "W_query")
    | rename("key", "W_key")
    | rename("value", "W_value")
    | rename("fc", "out_proj"),
    Wrong("chat-names", PARAMETERS, keeps=5, base="written-out")
    | rename("query", "w_q")
    | rename("key", "w_k")
    | rename("value", "w_v")
    | rename("fc", "w_o"),
    Wrong("out-proj-only-renamed", PARAMETERS, keeps=5, base="own-functions") | rename("fc", "out_proj"),
    Wrong("no-bias-in-the-projections", PARAMETERS, base="own-functions")
    | lines(
        "self.query =",
        "self.value =",
        "self.query = nn.Linear(d_model, d_model, bias=False)",
        "self.key = nn.Linear(d_model, d_model, bias=False)",
        "self.value = nn.Linear(d_model, d_model, bias=False)",
    ),
    Wrong("head-sized-layers", PARAMETERS, base="fc-before-the-merge")
    | edit("d_model, d_model", "d_model, self.head_dim", places=3)
    | edit("self.head_dim, self.head_dim", "d_model, d_model")
    | edit("merge_heads(self.fc(weights @ v))", "self.fc(merge_heads(weights @ v))"),
    Wrong("d-model-for-every-head", PARAMETERS, base="written-out")
    | lines(
        "self.query =",
        "self.value =",
        "self.query = nn.Linear(d_model, d_model * num_heads)",
        "self.key = nn.Linear(d_model, d_model * num_heads)",
        "self.value = nn.Linear(d_model, d_model * num_heads)",
    ),
    Wrong("fused-qkv", PARAMETERS).define("""
        def forward(self, q_input, k_input, v_input, mask=None):
            q, k, v = self.qkv(q_input).chunk(3, dim=-1)
            q, k, v = (into_heads(part, self.num_heads) for part in (q, k, v))
            out = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
            return self.fc(merge_heads(out))""")
    | lines("self.query", "self.value", "self.qkv = nn.Linear(d_model, 3 * d_model)"),
    Wrong("parameters-as-matrices", PARAMETERS, base="plain-tensors-for-the-projections")
    | lines(
        "self.query =",
        "self.value =",
        "self.query = nn.Parameter(torch.rand(d_model, d_model))",
        "self.key = nn.Parameter(torch.rand(d_model, d_model))",
        "self.value = nn.Parameter(torch.rand(d_model, d_model))",
    ),
    Wrong("fc-missing", PARAMETERS, base="fc-not-applied") | without("self.fc ="),
    Wrong("fc-not-applied", NAMED, base="own-functions")
    | edit("return self.fc(merge_heads(weights @ v))", "return merge_heads(weights @ v))")
    | edit("return merge_heads(weights @ v))", "return merge_heads(weights @ v)"),
    Wrong("fc-twice", NAMED, base="written-out") | edit("(context)", "(self.fc(context))"),
    Wrong("key-layer-for-the-values", NAMED, base="own-functions") | edit("value(v_input)", "key(v_input)"),
    Wrong("values-from-k-input", NAMED, keeps=4, base="own-functions") | edit("(v_input)", "(k_input)"),
    Wrong("keys-from-v-input", VALUES + NAMED, keeps=4, never=SAME_TWICE, base="own-functions")
    | edit("(k_input)", "(v_input)"),
    Wrong("keys-and-values-from-the-target", NAMED, keeps=3, base="own-functions")
    | edit("(k_input)", "(q_input)")
    | edit("(v_input)", "(q_input)"),
    Wrong(
        "values-from-the-target",
        BEHAVIOUR,
        never="knows no order",
        xfail="told about the order of tokens; the wrong input was projected, and that is not said",
        base="own-functions",
    )
    | edit("(v_input)", "(q_input)"),
    Wrong("query-from-the-source", BEHAVIOUR + SHAPE, keeps=2, never="knows no order", base="own-functions")
    | edit("(q_input)", "(k_input)"),
    Wrong("length-of-the-query", NAMED + RAISED, keeps=3, base="written-out") | line("s = k_input", "s = t"),
    Wrong("view-without-transpose", NAMED, base="written-out")
    | edit(" s, self", " self", places=2)
    | edit("b, self.num_heads, ", "b, self.num_heads, s, ", places=2)
    | line("q = self.query", "q = self.query(q_input).view(b, self.num_heads, t, self.head_dim)")
    | line("k = self.key", "k = self.key(k_input).view(b, self.num_heads, s, self.head_dim)")
    | edit("(b, self.num_heads, s, self.head_dim).transpose(1, 2)", "(b, self.num_heads, s, self.head_dim)"),
    Wrong("merged-without-transposing-back", NAMED, base="written-out") | edit(".transpose(1, 2).", "."),
    Wrong("view-refuses", RAISED, base="written-out") | edit("contiguous().", ""),
    Wrong("heads-never-cut", VALUES, never=SAME_TWICE, base="own-functions").define("""
        def forward(self, q_input, k_input, v_input, mask=None):
            q, k, v = self.query(q_input), self.key(k_input), self.value(v_input)
            scores = q @ k.transpose(-2, -1) / self.head_dim**0.5
            if mask is not None:
                scores = scores.masked_fill(mask == 0, float("-inf"))
            return self.fc(torch.softmax(scores, dim=-1) @ v)"""),
    Wrong("not-scaled", NAMED, base="own-functions") | edit(" / self.head_dim**0.5", ""),
    Wrong("by-d-model", NAMED, base="own-functions") | edit("self.head_dim**", "q_input.shape[-1] ** "),
    Wrong("by-d-k", NAMED, base="own-functions") | edit("head_dim**0.5", "head_dim"),
    Wrong("times-root", NAMED, base="own-functions") | edit("(-2, -1) / self", "(-2, -1) * self"),
    Wrong("by-num-heads", VALUES + NAMED, never=SAME_TWICE, base="own-functions")
    | edit("head_dim*", "num_heads*"),
    Wrong("by-shape-0", VALUES + NAMED, keeps=2, never=SAME_TWICE, base="own-functions")
    | edit("self.head_dim**", "k.shape[0] ** "),
    Wrong("by-shape-2", VALUES + NAMED, never=SAME_TWICE, base="written-out")
    | edit("self.head_dim**", "k.shape[2] ** "),
    Wrong("scaled-after-softmax", NAMED, base="own-functions")
    | edit(" / self.head_dim**0.5", "")
    | edit("weights @ v", "weights / self.head_dim**0.5 @ v"),
    Wrong("scaled-twice", NAMED, base="query-from-the-source")
    | line("q = into_heads", "q = into_heads(self.query(q_input), self.num_heads) / self.head_dim**0.5"),
    Wrong("notebook-d-k", VALUES + NAMED, never=SAME_TWICE, base="own-functions")
    | edit("self.head_dim*", "d_k*"),
    Wrong("notebook-num-heads", VALUES, says=NOT_ITS_ARGUMENT, never=SAME_TWICE, base="own-functions")
    | edit(", self.", ", ", places=3),
    Wrong("notebook-batch-size", RAISED, base="written-out")
    | line("b, t, d =", "b, t, d = batch_size, q_input.shape[1], d_model"),
    Wrong("mask-ignored", NAMED, keeps=3, base="own-functions")
    | lines("if mask is", "weights = masked_softmax", "weights = torch.softmax(scores, dim=-1)"),
    Wrong("mask-polarity", NAMED, keeps=3, says="may look", base="written-out")
    | edit("mask == 0", "mask == 1", places=2),
    Wrong("mask-polarity-bool", NAMED, keeps=3, base="written-out")
    | edit("mask == 0", "mask.bool()", places=2),
    Wrong("nan-rows", NAMED + NOT_FINITE, keeps=5, base="written-out")
    | lines("weights = torch", "weights = weights", "weights = torch.softmax(scores, dim=-1)"),
    Wrong("minus-1e9-and-no-more", NAMED, keeps=5, base="nan-rows") | edit('float("-inf")', "-1e9"),
    Wrong("zeros-in-the-scores", NAMED, keeps=3, base="nan-rows") | edit('float("-inf")', "0"),
    Wrong("mask-added", NAMED, keeps=3, base="nan-rows") | line("scores = scores", "scores = scores + mask"),
    Wrong("mask-times-weights", NAMED, keeps=3, base="softmax-over-heads")
    | below("scores = torch", "weights = torch.softmax(scores, dim=-1)")
    | lines("scores = scores", "weights = weights", "weights = weights * mask"),
    Wrong("fill-discarded", NAMED, keeps=3, base="nan-rows") | edit("scores = scores", "scores"),
    Wrong("if-mask", RAISED, keeps=3, base="written-out") | edit(" is not None", "", places=2),
    Wrong("mask-not-equal-none-tuple", RAISED, keeps=3, base="written-out")
    | edit(" is not None", ".any()", places=2),
    Wrong("mask-required", RAISED + NAMED, keeps=3, base="own-functions") | edit("mask=None", "mask"),
    Wrong("mask-unsqueezed-always", RAISED, keeps=3, base="written-out")
    | above("scores = scores", "mask = mask.unsqueeze(1)"),
    Wrong("mask-of-two-axes-only", RAISED + NAMED, keeps=4, base="written-out")
    | above("scores = scores", "mask = mask[:t, :s]"),
    Wrong("mask-squeezed", RAISED, keeps=4, base="written-out")
    | above("scores = scores", "mask = mask.squeeze()"),
    Wrong("tilde-of-the-mask", NAMED + RAISED, keeps=4, base="written-out")
    | edit("mask == 0", "~mask", places=2),
    Wrong("own-causal-mask", VALUES, keeps=3, never=SAME_TWICE, base="own-functions")
    | line("weights = torch", "weights = masked_softmax(scores, torch.ones(scores.shape[-2:]).tril())"),
    Wrong("softmax-over-queries", NAMED, base="written-out") | edit(", dim=-1", ", dim=-2"),
    Wrong("softmax-over-heads", NAMED, base="written-out") | edit(", dim=-1", ", dim=1"),
    Wrong("softmax-over-queries-when-unmasked", VALUES, keeps=3, never=SAME_TWICE, base="own-functions")
    | edit(", dim=-1", ", dim=2"),
    Wrong("softmax-missing", VALUES + NAMED, never=SAME_TWICE, base="written-out")
    | line("weights = torch", "weights = scores"),
    Wrong("scores-transposed", NAMED, base="scaled-after-softmax")
    | line("scores = q", "scores = (k @ q.transpose(-2, -1)) / self.head_dim**0.5")
    | edit("/ self.head_dim**0.5 ", ""),
    Wrong("weights-times-keys", NAMED, base="own-functions") | edit("(weights @ v)", "(weights @ k)"),
    Wrong("dropout-too", NAMED + RULE + BEHAVIOUR + VALUES, keeps=5, base="unused-dropout-of-zero")
    | edit("Dropout(0.0)", "Dropout(0.1)"),
    Wrong("layers-made-in-forward", VALUES, never=SAME_TWICE, base="heads-averaged")
    | above("q = into_heads", "self.query = nn.Linear(q_input.shape[-1], q_input.shape[-1])")
    | line("return self", "return self.fc(merge_heads(weights @ v))"),
    Wrong("returns-weights-too", TYPE, keeps=5, base="own-functions")
    | edit("(merge_heads(weights @ v))", "(merge_heads(weights @ v)), weights"),
    Wrong("residual", NAMED, base="own-functions") | edit("return self", "return q_input + self"),
    Wrong("layer-norm", NAMED, never=SAME_TWICE, base="heads-averaged")
    | line("return self", "return F.layer_norm(self.fc(merge_heads(weights @ v)), q_input.shape[-1:])"),
    Wrong("heads-averaged", RAISED, base="own-functions")
    | line("return self", "return self.fc((weights @ v).mean(dim=1))"),
    Wrong("heads-interleaved", VALUES + NAMED, never=SAME_TWICE, base="written-out")
    | edit("transpose(1, 2).", "permute(0, 2, 3, 1)."),
    Wrong("inputs-edited", VALUES, never=SAME_TWICE, base="own-functions")
    | above("q = into_heads", "q_input -= q_input.mean()"),
    Wrong("mask-edited", VALUES, keeps=5, never=SAME_TWICE, base="own-functions")
    | above("q = into_heads", "if mask is not None:", "    mask[mask > 0] = 1", "    mask[..., 0] = 1"),
    Wrong("super-forgotten", RAISED, says=r"super\(\)", base="own-functions") | without("super().__init__()"),
    Wrong("no-return", TYPE, base="own-functions") | edit("return self", "out = self"),
    Wrong("class-name-misspelled", MISSING, base="own-functions")
    | edit("MultiHeadAttention", "MultiheadAttention"),
    Wrong("not-a-module", TYPE, base="super-forgotten") | edit("(nn.Module)", ""),
    Wrong("three-arguments", RAISED, base="query-from-the-source")
    | rename("k_input", "x")
    | edit("q_input, x, v_input", "x")
    | edit("(v_input)", "(x)"),
    Wrong("call-misspelled", STUB + RAISED, never=r"still waiting|Replace the `\.\.\.`", base="own-functions")
    | edit("def forward", "def foward"),
    Wrong("nn-multihead-attention", PARAMETERS, base="layers-left-out").define("""
        def forward(self, q_input, k_input, v_input, mask=None):
            output, _ = self.attention(q_input, k_input, v_input, attn_mask=mask)
            return output""")
    | line("self.num_heads", "self.attention = nn.MultiheadAttention(d_model, num_heads, batch_first=True)"),
    Wrong("sdpa-inverted", NAMED, keeps=3, base="own-functions")
    | lines(
        "scores = q",
        "return self",
        "if mask is not None:",
        "    mask = ~mask.bool()",
        "return self.fc(merge_heads(F.scaled_dot_product_attention(q, k, v, attn_mask=mask)))",
    ),
    Wrong("sdpa-mask-as-it-comes", NAMED, keeps=4, never=SAME_TWICE, base="sdpa-inverted")
    | without("if mask is", "mask = ~mask"),
    Wrong("sdpa-always-causal", VALUES + NAMED, keeps=1, never=SAME_TWICE, base="scaled-after-softmax")
    | lines(
        "scores = q",
        "return self",
        "return self.fc(merge_heads(F.scaled_dot_product_attention(q, k, v, is_causal=True)))",
    ),
    Wrong("no-gradient", RULE, keeps=5, says="no gradient", base="own-functions").define("""
        def forward(self, q_input, k_input, v_input, mask=None):
            with torch.no_grad():
                q = into_heads(self.query(q_input), self.num_heads)
                k = into_heads(self.key(k_input), self.num_heads)
                v = into_heads(self.value(v_input), self.num_heads)
                scores = q @ k.transpose(-2, -1) / self.head_dim**0.5
                if mask is None:
                    weights = torch.softmax(scores, dim=-1)
                else:
                    weights = masked_softmax(scores, mask)
                return self.fc(merge_heads(weights @ v))"""),
    Wrong("weights-detached", RULE, keeps=5, base="own-functions")
    | edit("weights @ v", "weights.detach() @ v"),
    Wrong("zeros-after-fc", VALUES, keeps=5, never=SAME_TWICE, base="residual-written-into-the-input")
    | line(
        "q_input +=",
        "if mask is not None:",
        "    nothing = ~mask.bool().expand(scores.shape).any(dim=-1).any(dim=1)",
        "    out = out.masked_fill(nothing.unsqueeze(-1), 0.0)",
    ),
    Wrong("nan-to-num-at-the-end", VALUES, keeps=5, never=SAME_TWICE, base="nan-rows")
    | line("return self", "return torch.nan_to_num(self.fc(context))"),
    Wrong("additive-nan-to-num", NAMED + RULE + BEHAVIOUR, keeps=5, base="nan-rows")
    | edit("= scores.", "= scores + torch.zeros(mask.shape).")
    | edit("(scores, dim=-1)", "(scores, dim=-1).nan_to_num()"),
    Wrong("fc-before-the-merge", PARAMETERS, base="own-functions")
    | line("self.fc =", "self.fc = nn.Linear(self.head_dim, self.head_dim)")
    | edit("self.fc(merge_heads(weights @ v))", "merge_heads(self.fc(weights @ v))"),
    Wrong("input-split-one-projection", NAMED + PARAMETERS).define("""
        def forward(self, q_input, k_input, v_input, mask=None):
            q = self.query(into_heads(q_input, self.num_heads))
            k = self.key(into_heads(k_input, self.num_heads))
            v = self.value(into_heads(v_input, self.num_heads))
            scores = q @ k.mT / q.shape[-1] ** 0.5
            weights = scores.softmax(-1) if mask is None else masked_softmax(scores, mask)
            return self.fc(merge_heads(weights @ v))""")
    | lines(
        "self.query =",
        "self.value =",
        "d = d_model // num_heads",
        "self.query = nn.Linear(d, d)",
        "self.key = nn.Linear(d, d)",
        "self.value = nn.Linear(d, d)",
    ),
    Wrong("mask-only-when-square", VALUES, keeps=5, never=SAME_TWICE, base="own-functions")
    | edit("is None:", "is None or q_input.shape[1] != k_input.shape[1]:"),
    Wrong("true-division", RAISED, base="written-out") | edit("d_model //", "d_model /"),
    Wrong("arguments-swapped", PARAMETERS, base="own-functions")
    | edit("d_model, num_heads", "num_heads, d_model"),
    Wrong("max-length-argument", RAISED, base="own-functions")
    | edit("(self, d_model, num_heads):", "(self, d_model, num_heads, max_sequence_length):"),
    Wrong("plain-tensors-for-the-projections", NAMED + PARAMETERS, never="Python list,").define("""
        def forward(self, q_input, k_input, v_input, mask=None):
            q = into_heads(q_input @ self.query, self.num_heads)
            k = into_heads(k_input @ self.key, self.num_heads)
            v = into_heads(v_input @ self.value, self.num_heads)
            scores = q @ k.mT / q.shape[-1] ** 0.5
            weights = scores.softmax(-1) if mask is None else masked_softmax(scores, mask)
            return self.fc(merge_heads(weights @ v))""")
    | edit("query = nn.Linear", "query = torch.randn")
    | edit("key = nn.Linear", "key = torch.randn")
    | edit("value = nn.Linear", "value = torch.randn"),
    Wrong("self-forgotten-at-the-layers", NAMED + PARAMETERS, never="made in `forward`", base="own-functions")
    | edit("self.query ", "query ")
    | edit("self.key ", "key ")
    | edit("self.value ", "value ")
    | edit("self.fc =", "fc ="),
    Wrong("layers-in-a-dictionary", NAMED + PARAMETERS, never="made in `forward`", base="own-functions")
    | lines(
        "self.query =",
        "self.fc =",
        'self.layers = {name: nn.Linear(d_model, d_model) for name in ("query", "key", "value", "fc")}',
    )
    | edit("query(q_input)", 'layers["query"](q_input)')
    | edit("key(k_input)", 'layers["key"](k_input)')
    | edit("value(v_input)", 'layers["value"](v_input)')
    | edit("fc(merge_heads(weights @ v))", 'layers["fc"](merge_heads(weights @ v))'),
    Wrong("residual-written-into-the-input", RULE, keeps=5, base="own-functions")
    | line("return self", "out = self.fc(merge_heads(weights @ v))", "q_input += out.detach()", "return out"),
    Wrong("mask-unsqueezed-in-place", RULE, keeps=5, base="written-out")
    | above("scores = scores", "while mask.dim() < 4:", "    mask.unsqueeze_(0)"),
    Wrong("dropout-that-ignores-eval", VALUES, never=SAME_TWICE, base="own-functions")
    | edit("(weights @ v)", "(F.dropout(weights, 0.1) @ v)"),
    Wrong("dropout-on-the-scores", NAMED + RULE + BEHAVIOUR + VALUES, keeps=5, base="scaled-after-softmax")
    | below("self.fc =", "self.dropout = nn.Dropout(0.5)")
    | edit("scores = q @ k.transpose(-2, -1)", "scores = self.dropout(q @ k.transpose(-2, -1)")
    | edit(
        "scores = self.dropout(q @ k.transpose(-2, -1)",
        "scores = self.dropout(q @ k.transpose(-2, -1) / self.head_dim**0.5)",
    )
    | edit("/ self.head_dim**0.5 ", ""),
    Wrong("additive-filled-after", NAMED + RULE + BEHAVIOUR, keeps=5, base="written-out")
    | edit("= scores.", "= scores + torch.zeros(mask.shape)."),
    Wrong(
        "forward-without-keys",
        STUB + RAISED,
        never=r"still waiting|Replace the `\.\.\.`",
        base="own-functions",
    )
    | edit("def forward", "def attend"),
    Right("own-functions").define("""
        def forward(self, q_input, k_input, v_input, mask=None):
            q = into_heads(self.query(q_input), self.num_heads)
            k = into_heads(self.key(k_input), self.num_heads)
            v = into_heads(self.value(v_input), self.num_heads)
            scores = q @ k.transpose(-2, -1) / self.head_dim**0.5
            if mask is None:
                weights = torch.softmax(scores, dim=-1)
            else:
                weights = masked_softmax(scores, mask)
            return self.fc(merge_heads(weights @ v))""")
    | above("self.query =", "self.head_dim = d_model // num_heads"),
    Right("written-out").define("""
        def forward(self, q_input, k_input, v_input, mask=None):
            b, t, d = q_input.shape
            s = k_input.shape[1]
            q = self.query(q_input).view(b, t, self.num_heads, self.head_dim).transpose(1, 2)
            k = self.key(k_input).view(b, s, self.num_heads, self.head_dim).transpose(1, 2)
            v = self.value(v_input).view(b, s, self.num_heads, self.head_dim).transpose(1, 2)
            scores = torch.matmul(q, k.transpose(-2, -1)) / self.head_dim**0.5
            if mask is not None:
                scores = scores.masked_fill(mask == 0, float("-inf"))
            weights = torch.softmax(scores, dim=-1)
            if mask is not None:
                weights = weights.masked_fill(mask == 0, 0.0)
            context = torch.matmul(weights, v)
            context = context.transpose(1, 2).contiguous().view(b, t, d)
            return self.fc(context)""")
    | above("self.query =", "self.head_dim = d_model // num_heads"),
    Right("sdpa", base="own-functions")
    | lines(
        "scores = q",
        "return self",
        "if mask is not None:",
        "    mask = mask.bool()",
        "context = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)",
        "return self.fc(merge_heads(context))",
    ),
    Right("einsum", base="heads-averaged").define("""
        def forward(self, q_input, k_input, v_input, mask=None):
            q = self.query(q_input).unflatten(-1, (self.num_heads, -1))
            k = self.key(k_input).unflatten(-1, (self.num_heads, -1))
            v = self.value(v_input).unflatten(-1, (self.num_heads, -1))
            scores = torch.einsum("bthd,bshd->bhts", q, k) * self.head_dim**-0.5
            may = torch.ones(1, dtype=torch.bool) if mask is None else mask.bool()
            weights = torch.where(may, scores, -1e9).softmax(dim=-1) * may
            return self.fc(torch.einsum("bhts,bshd->bthd", weights, v).flatten(2))"""),
    Right("loop-over-heads", base="nan-rows").define("""
        def forward(self, q_input, k_input, v_input, mask=None):
            queries = self.query(q_input).chunk(self.num_heads, dim=-1)
            keys = self.key(k_input).chunk(self.num_heads, dim=-1)
            values = self.value(v_input).chunk(self.num_heads, dim=-1)
            if mask is None:
                mask = torch.ones(1, 1, 1, 1)
            full = (q_input.shape[0], self.num_heads, q_input.shape[1], k_input.shape[1])
            mask = torch.broadcast_to(mask, full)
            heads = []
            for h, (q, k, v) in enumerate(zip(queries, keys, values)):
                weights = masked_softmax(q @ k.transpose(1, 2) / self.head_dim**0.5, mask[:, h])
                heads.append(weights @ v)
            return self.fc(torch.cat(heads, dim=-1))"""),
    Right("ones-where-there-is-no-mask", base="own-functions")
    | edit("weights = torch", "mask = torch")
    | edit(".softmax", ".ones_like")
    | edit(", dim=-1", "")
    | edit("else:\n            ", ""),
    Right("other-order-of-creation", base="own-functions").define("""
        def __init__(self, d_model, num_heads):
            super().__init__()
            assert d_model % num_heads == 0, "d_model must be divisible by num_heads"
            self.fc = nn.Linear(d_model, d_model)
            self.value = nn.Linear(d_model, d_model)
            self.key = nn.Linear(d_model, d_model)
            self.query = nn.Linear(d_model, d_model)
            self.num_heads, self.head_dim = num_heads, d_model // num_heads"""),
    Right("layers-by-setattr", base="query-from-the-source").define("""
        def __init__(self, d_model, num_heads):
            super().__init__()
            self.d_model = d_model
            self.num_heads = num_heads
            for name in ("query", "key", "value", "fc"):
                setattr(self, name, nn.Linear(d_model, d_model))""")
    | above(
        "def forward", "@property", "def head_dim(self):", "    return self.d_model // self.num_heads", ""
    )
    | edit("query(k_input)", "query(q_input)"),
    Right("helper-methods").typed("""
        class MultiHeadAttention(nn.Module):
            def __init__(self, d_model, num_heads):
                super().__init__()
                self.num_heads = num_heads
                self.head_dim = d_model // num_heads
                self.query = nn.Linear(d_model, d_model)
                self.key = nn.Linear(d_model, d_model)
                self.value = nn.Linear(d_model, d_model)
                self.fc = nn.Linear(d_model, d_model)

            def _split(self, x):
                return x.view(x.size(0), x.size(1), self.num_heads, self.head_dim).permute(0, 2, 1, 3)

            @staticmethod
            def _attend(q, k, v, mask):
                scores = q @ k.transpose(-1, -2) / q.size(-1) ** 0.5
                if mask is None:
                    return scores.softmax(-1) @ v
                hidden = mask.logical_not()
                lowest = torch.finfo(scores.dtype).min
                return scores.masked_fill(hidden, lowest).softmax(-1).masked_fill(hidden, 0) @ v

            def forward(self, q_input, k_input, v_input, mask=None):
                q, k, v = map(self._split, (self.query(q_input), self.key(k_input), self.value(v_input)))
                context = self._attend(q, k, v, mask)
                return self.fc(context.permute(0, 2, 1, 3).flatten(-2))"""),
    Right("type-hints-and-kept-weights", base="written-out")
    .define("""
        def __init__(self, d_model: int, num_heads: int) -> None:
            super(MultiHeadAttention, self).__init__()
            self.d_k = d_model // num_heads
            self.h = num_heads
            self.query, self.key, self.value, self.fc = (nn.Linear(d_model, d_model) for _ in range(4))
            self.attention_weights = None""")
    .define("""
        def forward(
            self,
            q_input: torch.Tensor,
            k_input: torch.Tensor,
            v_input: torch.Tensor,
            mask: Optional[torch.Tensor] = None,
        ) -> torch.Tensor:
            b = q_input.size(0)
            q = self.query(q_input).view(b, -1, self.h, self.d_k).transpose(1, 2)
            k = self.key(k_input).view(b, -1, self.h, self.d_k).transpose(1, 2)
            v = self.value(v_input).view(b, -1, self.h, self.d_k).transpose(1, 2)
            scores = torch.matmul(q, k.transpose(-2, -1)) / (self.d_k**0.5)
            if mask is not None:
                scores = scores.masked_fill(mask == 0, -1e9)
            attn = F.softmax(scores, dim=-1)
            if mask is not None:
                attn = attn.masked_fill(mask == 0, 0)
            self.attention_weights = attn
            x = torch.matmul(attn, v).transpose(1, 2).contiguous().view(b, -1, self.h * self.d_k)
            return self.fc(x)""")
    | above("class MultiHeadAttention", "from typing import Optional", "", ""),
    Right("batch-by-batch", base="residual-written-into-the-input").define("""
        def forward(self, q_input, k_input, v_input, mask=None):
            outs = []
            for i in range(q_input.shape[0]):
                q = into_heads(self.query(q_input[i : i + 1]), self.num_heads)
                k = into_heads(self.key(k_input[i : i + 1]), self.num_heads)
                v = into_heads(self.value(v_input[i : i + 1]), self.num_heads)
                scores = q @ k.mT / self.head_dim**0.5
                if mask is None:
                    w = scores.softmax(-1)
                else:
                    part = mask[i : i + 1] if mask.dim() == 4 and mask.shape[0] > 1 else mask
                    w = masked_softmax(scores, part)
                outs.append(merge_heads(w @ v))
            return self.fc(torch.cat(outs))"""),
    Right("bmm-on-folded-heads", base="written-out").define("""
        def forward(self, q_input, k_input, v_input, mask=None):
            b, t, d = q_input.shape
            s, h = k_input.shape[1], self.num_heads
            q = into_heads(self.query(q_input), h).reshape(b * h, t, -1)
            k = into_heads(self.key(k_input), h).reshape(b * h, s, -1)
            v = into_heads(self.value(v_input), h).reshape(b * h, s, -1)
            scores = torch.bmm(q, k.transpose(1, 2)).div(self.head_dim**0.5)
            if mask is None:
                weights = scores.softmax(2)
            else:
                weights = masked_softmax(scores, mask.expand(b, h, t, s).reshape(b * h, t, s))
            return self.fc(merge_heads(torch.bmm(weights, v).view(b, h, t, -1)))"""),
    Right("float64-inside", base="own-functions").define("""
        def forward(self, q_input, k_input, v_input, mask=None):
            q, k, v = (
                into_heads(layer(x), self.num_heads).double()
                for layer, x in ((self.query, q_input), (self.key, k_input), (self.value, v_input))
            )
            scores = q @ k.mT / self.head_dim**0.5
            weights = scores.softmax(-1) if mask is None else masked_softmax(scores, mask)
            return self.fc(merge_heads(weights @ v).to(q_input.dtype))"""),
    Right("unused-dropout-of-zero", base="own-functions")
    | below("self.fc =", "self.dropout = nn.Dropout(0.0)")
    | edit("(weights @ v)", "(self.dropout(weights) @ v)"),
    Right("base-class-in-the-cell").typed("""
        class Projections(nn.Module):
            def __init__(self, d_model):
                super().__init__()
                self.query = nn.Linear(d_model, d_model)
                self.key = nn.Linear(d_model, d_model)
                self.value = nn.Linear(d_model, d_model)
                self.fc = nn.Linear(d_model, d_model)


        class MultiHeadAttention(Projections):
            def __init__(self, d_model, num_heads):
                super().__init__(d_model)
                self.num_heads = num_heads

            def forward(self, q_input, k_input, v_input, mask=None):
                scores = cross_scores(self.query(q_input), self.key(k_input), self.num_heads)
                weights = F.softmax(scores, -1) if mask is None else masked_softmax(scores, mask)
                return self.fc(merge_heads(weights @ into_heads(self.value(v_input), self.num_heads)))"""),
    Right("empty-rows-by-where", base="written-out")
    | line("weights = weights", "weights = torch.where(weights.isnan(), torch.zeros_like(weights), weights)"),
    Right("fc-head-by-head", base="heads-averaged")
    | line(
        "return self",
        "context = weights @ v",
        "parts = self.fc.weight.split(self.head_dim, dim=1)",
        "return sum(context[:, h] @ part.T for h, part in enumerate(parts)) + self.fc.bias",
    ),
)

TASKS.hold(
    "bug-cross-from-decoder",
    Wrong("as-given", NAMED, base="one-line")
    | edit("encoder_output, encoder_output, source_padding", "x, x, causal"),
    Wrong("mask-left-causal", NAMED + RAISED, base="one-line")
    | edit("encoder_output, source_padding", "encoder_output, causal"),
    Wrong("no-mask", NAMED, base="one-line") | edit("encoder_output, source_padding", "encoder_output"),
    Wrong("mask-none", NAMED, base="one-line")
    | edit("encoder_output, source_padding", "encoder_output, None"),
    Wrong("only-the-mask-mended", RAISED, base="one-line") | edit("encoder_output, encoder_output", "x, x"),
    Wrong("only-keys", NAMED + RAISED, base="one-line")
    | edit("encoder_output, source_padding", "x, source_padding"),
    Wrong("only-values", RAISED, base="one-line") | edit("x, encoder_output", "x, x"),
    Wrong("encoder-asks", RAISED, base="one-line")
    | line("return cross_attention", "return cross_attention(encoder_output, x, x, causal)"),
    Wrong("encoder-everywhere", SHAPE, base="one-line")
    | edit("x, encoder_output", "encoder_output, encoder_output"),
    Wrong("raw-decoder-input-asks", NAMED, base="one-line")
    | edit("x, encoder_output", "decoder_input, encoder_output"),
    Wrong("no-self-attention", NAMED)
    | returns("cross_attention(decoder_input, encoder_output, encoder_output, source_padding)"),
    Wrong("self-attention-to-the-encoder", VALUES, never=SAME_TWICE).body("""
        x = self_attention(decoder_input, encoder_output, encoder_output, source_padding)
        return cross_attention(x, x, x, causal)"""),
    Wrong("both-to-the-encoder", VALUES, never=SAME_TWICE, base="one-line")
    | edit("decoder_input, decoder_input, causal", "encoder_output, encoder_output, source_padding"),
    Wrong("layers-swapped", NAMED, base="same-layer-twice") | edit("= self_attention", "= cross_attention"),
    Wrong("same-layer-twice", VALUES, never=SAME_TWICE).body("""
        x = self_attention(decoder_input, decoder_input, decoder_input, causal)
        return self_attention(x, encoder_output, encoder_output, source_padding)"""),
    Wrong("self-attention-unmasked", NAMED).body("""
        x = self_attention(decoder_input, decoder_input, decoder_input)
        return cross_attention(x, encoder_output, encoder_output, source_padding)"""),
    Wrong("masks-swapped", RAISED).body("""
        x = self_attention(decoder_input, decoder_input, decoder_input, source_padding)
        return cross_attention(x, encoder_output, encoder_output, causal)"""),
    Wrong("both-masks", RAISED, base="one-line")
    | edit("encoder_output, source_padding", "encoder_output, causal * source_padding"),
    Wrong("residual-added", VALUES, never=SAME_TWICE).body("""
        x = decoder_input + self_attention(decoder_input, decoder_input, decoder_input, causal)
        return x + cross_attention(x, encoder_output, encoder_output, source_padding)"""),
    Wrong("encoder-added", NAMED, says="attention do it").body("""
        x = self_attention(decoder_input, decoder_input, decoder_input, causal)
        return cross_attention(x, x, x, causal) + encoder_output.mean(dim=1, keepdim=True)"""),
    Wrong("notebook-layers", VALUES, says="from the notebook", never=SAME_TWICE).body("""
        x = mha_dec(decoder_input, decoder_input, decoder_input, causal)
        return mha(x, encoder_output, encoder_output, source_padding)"""),
    Wrong("notebook-memory", VALUES, says=NOT_ITS_ARGUMENT, never=SAME_TWICE, base="one-line")
    | edit("encoder_output, encoder_output", "memory, memory"),
    Wrong("inverted-padding", NAMED, base="one-line")
    | edit("encoder_output, source_padding", "encoder_output, source_padding == 0"),
    Wrong("encoder-refined-first", VALUES, never=SAME_TWICE, base="encoder-output-edited-in-place")
    | edit("encoder_output[:] = cross_attention", "e = self_attention")
    | edit("x, encoder_output, encoder_output", "x, e, e"),
    Wrong("source-cut-to-the-target", VALUES, never=SAME_TWICE, base="encoder-output-edited-in-place")
    | line("encoder_output[:", "encoder_output = encoder_output[:, : x.shape[1]]")
    | edit("encoder_output, source_padding", "encoder_output, causal"),
    Wrong("concatenated", NAMED, base="bool-masks")
    | edit(".bool()[None, None]", ")\n    both = torch.cat([x, encoder_output], dim=1")
    | edit("encoder_output, encoder_output, source_padding.bool()", "both, both"),
    Wrong("returns-both", TYPE, base="one-line")
    | edit("return cross_attention", "return x, cross_attention"),
    Wrong("return-lost", TYPE, base="one-line") | edit("return cross_attention", "x = cross_attention"),
    Wrong("keyword-of-another-class", RAISED).body("""
        x = self_attention(decoder_input, decoder_input, decoder_input, causal)
        return cross_attention(query=x, key=encoder_output, value=encoder_output, attn_mask=source_padding)
        """),
    Wrong("shape-of-the-mask-changed", RAISED, base="one-line")
    | edit("encoder_output, source_padding", "encoder_output, source_padding.squeeze()"),
    Wrong("padding-zeroed-in-the-encoder", VALUES, never=SAME_TWICE, base="padding-expanded")
    | line("allowed =", "encoder_output = encoder_output * source_padding.squeeze(1).transpose(1, 2)")
    | edit(", allowed", ""),
    Wrong("encoder-output-edited-in-place", VALUES, never=SAME_TWICE).body("""
        x = self_attention(decoder_input, decoder_input, decoder_input, causal)
        encoder_output[:] = cross_attention(encoder_output, encoder_output, encoder_output, source_padding)
        return cross_attention(x, encoder_output, encoder_output, source_padding)"""),
    Wrong("encoder-cleaned-in-place", RULE, keeps=1, base="encoder-output-edited-in-place")
    | line("encoder_output[:", "encoder_output *= source_padding.reshape(encoder_output.shape[0], -1, 1)"),
    Wrong("decoder-input-overwritten", RULE, keeps=1).body("""
        decoder_input[:] = self_attention(decoder_input, decoder_input, decoder_input, causal)
        return cross_attention(decoder_input, encoder_output, encoder_output, source_padding)"""),
    Right("one-line", base="keyword-mask") | edit(", mask=", ", ", places=2),
    Right("keyword-mask").body("""
        x = self_attention(decoder_input, decoder_input, decoder_input, mask=causal)
        return cross_attention(x, encoder_output, encoder_output, mask=source_padding)"""),
    Right("forward-method").body("""
        y = self_attention.forward(decoder_input, decoder_input, decoder_input, causal)
        return cross_attention.forward(y, encoder_output, encoder_output, source_padding)"""),
    Right("starred").body("""
        x = self_attention(*[decoder_input] * 3, causal)
        return cross_attention(x, *(encoder_output,) * 2, source_padding)"""),
    Right("bool-masks").body("""
        x = self_attention(decoder_input, decoder_input, decoder_input, causal.bool()[None, None])
        return cross_attention(x, encoder_output, encoder_output, source_padding.bool())"""),
    Right("padding-expanded", base="encoder-output-edited-in-place")
    | line("encoder_output[:", "allowed = source_padding.expand(-1, -1, x.shape[1], -1)")
    | edit("encoder_output, source_padding", "encoder_output, allowed"),
    Right("own-causal-mask").body("""
        n = decoder_input.size(1)
        x = self_attention(decoder_input, decoder_input, decoder_input, torch.tril(torch.ones(n, n)))
        return cross_attention(x, encoder_output, encoder_output, source_padding)"""),
    Right("sequence-by-sequence").body("""
        outs = []
        for y, e, p in zip(decoder_input.split(1), encoder_output.split(1), source_padding.split(1)):
            x = self_attention(y, y, y, causal)
            outs.append(cross_attention(x, e, e, p))
        return torch.cat(outs)"""),
    Right("keyword-arguments-of-forward").body("""
        x = self_attention(q_input=decoder_input, k_input=decoder_input, v_input=decoder_input, mask=causal)
        memory = encoder_output
        return cross_attention(q_input=x, k_input=memory, v_input=memory, mask=source_padding)"""),
)
