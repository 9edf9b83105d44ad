"""Answers to lesson 06 as learners type them: wrong ones with the finding they deserve, and right ones.

These are a hold-out: they were written from the lesson's text, without a look at the known wrong answers in
the lesson's `tasks.py`, so that they show whether the checks hold for answers that nobody prepared for.
"""

from __future__ import annotations

from tests.mutants.harness import Mutants, Right, Wrong

LESSON = "06-encoder-decoder"

# What a learner is told first. A mistake that many people make deserves its name.

NAMED = ("MatchesKnownWrong",)
MISSING = ("NotDefined",)
STUB = ("StillStub",)
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
CALL_IT = r"parenthes|bracket|\(\)|\bcall"
NOTEBOOK = r"from the notebook|Use the argument"
SAME_TWICE = r" is (\S+)(?: on [^;]*?)? and should be \1\.(?:\s|$)"

PROJECT_BATCH = Mutants(
    wrong=(
        Wrong(
            "the-key-layer",
            """
            q = w_key(X_input_tokens)
            """,
            NAMED,
            says="w_query",
        ),
        Wrong(
            "the-value-layer",
            """
            q = w_value(X_input_tokens)
            """,
            NAMED,
        ),
        Wrong(
            "layer-as-a-matrix",
            """
            q = X_input_tokens @ w_query
            """,
            MISSING,
        ),
        Wrong(
            "weight-not-transposed",
            """
            q = X_input_tokens @ w_query.weight + w_query.bias
            """,
            NAMED,
            says=r"weight\.T",
        ),
        Wrong(
            "no-bias",
            """
            q = X_input_tokens @ w_query.weight.T
            """,
            NAMED,
            says="bias is missing",
        ),
        Wrong(
            "no-bias-linear",
            """
            q = F.linear(X_input_tokens, w_query.weight)
            """,
            NAMED,
        ),
        Wrong(
            "first-sequence-only",
            """
            q = w_query(X_input_tokens[0])
            """,
            NAMED + SHAPE,
        ),
        Wrong(
            "transposed-input",
            """
            q = w_query(X_input_tokens.T)
            """,
            MISSING,
        ),
        Wrong(
            "tokens-and-features-swapped",
            """
            q = w_query(X_input_tokens.transpose(1, 2))
            """,
            MISSING,
        ),
        Wrong(
            "batch-second",
            """
            q = w_query(X_input_tokens.transpose(0, 1))
            """,
            SHAPE,
        ),
        Wrong(
            "layer-not-called",
            """
            q = w_query
            """,
            TYPE,
            says=CALL_IT,
        ),
        Wrong(
            "the-weight-itself",
            """
            q = w_query.weight
            """,
            SHAPE,
        ),
        Wrong(
            "a-layer-of-its-own",
            """
            layer = nn.Linear(d_model, d_model)
            q = layer(X_input_tokens)
            """,
            VALUES,
            never=SAME_TWICE,
        ),
        Wrong(
            "list-of-sequences",
            """
            q = [w_query(x) for x in X_input_tokens]
            """,
            TYPE,
        ),
        Wrong(
            "numpy-array",
            """
            q = w_query(X_input_tokens).numpy()
            """,
            TYPE,
        ),
        Wrong(
            "flattened-tokens",
            """
            q = w_query(X_input_tokens.view(-1, d_model))
            """,
            SHAPE,
        ),
        Wrong(
            "heads-too-early",
            """
            q = w_query(X_input_tokens).view(batch_size, max_sequence_length, num_heads, d_model // num_heads)
            """,
            SHAPE,
        ),
        Wrong(
            "printed-and-pasted",
            """
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
            )
            """,
            VALUES,
            never=SAME_TWICE,
        ),
        Wrong(
            "pasted-in-full",
            """
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
            )
            """,
            NOT_COMPUTED,
            notebook_passes=True,
            says="typed in",
        ),
        Wrong(
            "softmax-too",
            """
            q = torch.softmax(w_query(X_input_tokens), dim=-1)
            """,
            VALUES,
            never=SAME_TWICE,
        ),
        Wrong(
            "relu-too",
            """
            q = F.relu(w_query(X_input_tokens))
            """,
            VALUES,
            never=SAME_TWICE,
        ),
        Wrong(
            "scaled-already",
            """
            q = w_query(X_input_tokens) / d_model**0.5
            """,
            VALUES,
            never=SAME_TWICE,
        ),
        Wrong(
            "projected-twice",
            """
            q = w_query(w_query(X_input_tokens))
            """,
            NAMED,
        ),
        Wrong(
            "capital-W",
            """
            q = W_query(X_input_tokens)
            """,
            MISSING,
        ),
        Wrong(
            "capital-Q",
            """
            Q = w_query(X_input_tokens)
            """,
            MISSING,
            says="is that the one",
        ),
        Wrong(
            "printed-only",
            """
            print(w_query(X_input_tokens))
            """,
            MISSING,
        ),
        Wrong(
            "bracket-left-open",
            """
            q = w_query(X_input_tokens
            """,
            MISSING,
        ),
        Wrong(
            "trailing-comma",
            """
            q = w_query(X_input_tokens),
            """,
            TYPE,
            says="comma",
        ),
        Wrong(
            "half-precision",
            """
            q = w_query(X_input_tokens).half()
            """,
            DTYPE,
        ),
        Wrong(
            "input-unchanged",
            """
            q = X_input_tokens
            """,
            NAMED,
        ),
        Wrong(
            "bias-twice",
            """
            q = w_query(X_input_tokens) + w_query.bias
            """,
            VALUES,
            never=SAME_TWICE,
        ),
        Wrong(
            "in-place-on-the-batch",
            """
            X_input_tokens.copy_(w_query(X_input_tokens))
            q = X_input_tokens
            """,
            GIVENS,
        ),
        Wrong(
            "all-three-at-once",
            """
            q, k, v = w_key(X_input_tokens), w_query(X_input_tokens), w_value(X_input_tokens)
            """,
            NAMED,
        ),
        Wrong(
            "a-shape-only",
            """
            q = w_query(X_input_tokens).shape
            """,
            TYPE,
        ),
        Wrong(
            "last-token-missing",
            """
            q = w_query(X_input_tokens[:, :-1])
            """,
            SHAPE,
        ),
        Wrong(
            "only-first-sequence-filled",
            """
            q = torch.zeros(batch_size, max_sequence_length, d_model)
            for t in range(max_sequence_length):
                q[0, t] = w_query(X_input_tokens[0, t])
            """,
            VALUES,
            never=SAME_TWICE,
        ),
    ),
    right=(
        Right(
            "called",
            """
            q = w_query(X_input_tokens)  # (b, tokens, d_model)
            """,
        ),
        Right(
            "forward",
            """
            q = w_query.forward(X_input_tokens)
            """,
        ),
        Right(
            "functional",
            """
            q = F.linear(X_input_tokens, w_query.weight, w_query.bias)
            """,
        ),
        Right(
            "matrix-and-bias",
            """
            q = X_input_tokens @ w_query.weight.T + w_query.bias
            """,
        ),
        Right(
            "einsum",
            """
            q = torch.einsum("btd,ed->bte", X_input_tokens, w_query.weight) + w_query.bias
            """,
        ),
        Right(
            "loop-over-sequences",
            """
            q = torch.stack([w_query(sequence) for sequence in X_input_tokens])
            """,
        ),
        Right(
            "filled-token-by-token",
            """
            q = torch.empty(batch_size, max_sequence_length, d_model)
            for b in range(batch_size):
                for t in range(max_sequence_length):
                    q[b, t] = w_query.weight @ X_input_tokens[b, t] + w_query.bias
            """,
        ),
        Right(
            "float64-inside",
            """
            q = (X_input_tokens.double() @ w_query.weight.double().T + w_query.bias.double()).float()
            """,
        ),
        Right(
            "flat-and-back",
            """
            b, t, d = X_input_tokens.shape
            q = torch.addmm(w_query.bias, X_input_tokens.reshape(b * t, d), w_query.weight.t()).view(b, t, d)
            """,
        ),
        Right(
            "baddbmm",
            """
            q = torch.baddbmm(w_query.bias, X_input_tokens, w_query.weight.T.expand(batch_size, -1, -1))
            """,
        ),
        Right(
            "helper-and-no-grad",
            """
            def project(layer, x):
                return layer(x)

            with torch.no_grad():
                q = project(w_query, X_input_tokens)
            print(q.shape)
            """,
        ),
        Right(
            "fused-and-chunked",
            """
            weight = torch.cat([w_query.weight, w_key.weight, w_value.weight])
            bias = torch.cat([w_query.bias, w_key.bias, w_value.bias])
            q, k, v = (X_input_tokens @ weight.T + bias).chunk(3, dim=-1)
            """,
        ),
        Right(
            "with-gradient",
            """
            w = w_query.weight.clone().requires_grad_()
            q = F.linear(X_input_tokens, w, w_query.bias)
            """,
        ),
    ),
)

INTO_HEADS = Mutants(
    wrong=(
        Wrong(
            "straight-into-place",
            """
            def into_heads(x, num_heads):
                b, t, d = x.shape
                return x.reshape(b, num_heads, t, d // num_heads)
            """,
            NAMED,
            says=r"transpose\(1, 2\)",
        ),
        Wrong(
            "view-straight-into-place",
            """
            def into_heads(x, num_heads):
                batch_size, seq_len, d_model = x.size()
                head_dim = d_model // num_heads
                return x.view(batch_size, num_heads, seq_len, head_dim)
            """,
            NAMED,
        ),
        Wrong(
            "no-transpose",
            """
            def into_heads(x, num_heads):
                b, t, d = x.shape
                return x.reshape(b, t, num_heads, d // num_heads)
            """,
            NAMED + SHAPE,
        ),
        Wrong(
            "notebook-sizes",
            """
            def into_heads(x, num_heads):
                return x.view(batch_size, max_sequence_length, num_heads, d_k).transpose(1, 2)
            """,
            NAMED + RAISED,
            keeps=1,
        ),
        Wrong(
            "notebook-head-dim",
            """
            def into_heads(x, num_heads):
                b, t, _ = x.shape
                return x.reshape(b, t, num_heads, d_q).transpose(1, 2)
            """,
            NAMED + RAISED,
            keeps=1,
        ),
        Wrong(
            "notebook-batch-size",
            """
            def into_heads(x, num_heads):
                return x.view(batch_size, -1, num_heads, x.shape[-1] // num_heads).transpose(1, 2)
            """,
            SHAPE,
            keeps=1,
            says=NOTEBOOK,
        ),
        Wrong(
            "notebook-length",
            """
            def into_heads(x, num_heads):
                return x.reshape(x.size(0), max_sequence_length, num_heads, -1).permute(0, 2, 1, 3)
            """,
            SHAPE,
            keeps=1,
            says=NOTEBOOK,
        ),
        Wrong(
            "numbers-typed-in",
            """
            def into_heads(x, num_heads):
                return x.reshape(2, 5, 4, 2).transpose(1, 2)
            """,
            NAMED + RAISED,
            keeps=1,
            says=r"x\.shape",
        ),
        Wrong(
            "heads-and-head-dim-swapped",
            """
            def into_heads(x, num_heads):
                b, t, d = x.shape
                head_dim = d // num_heads
                return x.view(b, t, head_dim, num_heads).transpose(1, 2)
            """,
            SHAPE,
        ),
        Wrong(
            "interleaved",
            """
            def into_heads(x, num_heads):
                b, t, d = x.shape
                return x.reshape(b, t, d // num_heads, num_heads).permute(0, 3, 1, 2)
            """,
            NAMED,
        ),
        Wrong(
            "wrong-axes-transposed",
            """
            def into_heads(x, num_heads):
                b, t, d = x.shape
                return x.reshape(b, t, num_heads, d // num_heads).transpose(2, 3)
            """,
            NAMED + SHAPE,
        ),
        Wrong(
            "keys-turned-round-too",
            """
            def into_heads(x, num_heads):
                b, t, d = x.shape
                return x.reshape(b, t, num_heads, d // num_heads).permute(0, 2, 3, 1)
            """,
            SHAPE,
        ),
        Wrong(
            "heads-first",
            """
            def into_heads(x, num_heads):
                b, t, d = x.shape
                return x.reshape(b, t, num_heads, d // num_heads).permute(2, 0, 1, 3)
            """,
            SHAPE,
        ),
        Wrong(
            "heads-folded-into-the-batch",
            """
    def into_heads(x, num_heads):
        b, t, d = x.shape
        return x.reshape(b, t, num_heads, d // num_heads).transpose(1, 2).reshape(b * num_heads, t, -1)
            """,
            SHAPE,
        ),
        Wrong(
            "true-division",
            """
            def into_heads(x, num_heads):
                b, t, d = x.shape
                d_k = d / num_heads
                return x.reshape(b, t, num_heads, d_k).transpose(1, 2)
            """,
            RAISED,
        ),
        Wrong(
            "chunks-as-a-tuple",
            """
            def into_heads(x, num_heads):
                return x.chunk(num_heads, dim=-1)
            """,
            TYPE,
        ),
        Wrong(
            "list-of-heads",
            """
            def into_heads(x, num_heads):
                d = x.shape[-1] // num_heads
                heads = []
                for h in range(num_heads):
                    heads.append(x[:, :, h * d : (h + 1) * d])
                return heads
            """,
            TYPE,
        ),
        Wrong(
            "stacked-in-front",
            """
            def into_heads(x, num_heads):
                return torch.stack(x.chunk(num_heads, dim=-1))
            """,
            SHAPE,
        ),
        Wrong(
            "stacked-behind-the-tokens",
            """
            def into_heads(x, num_heads):
                return torch.stack(x.chunk(num_heads, dim=-1), dim=2)
            """,
            NAMED + SHAPE,
        ),
        Wrong(
            "tokens-split-between-heads",
            """
            def into_heads(x, num_heads):
                b, t, d = x.shape
                x = x.transpose(1, 2).reshape(b, num_heads, d // num_heads, t)
                return x.contiguous().view(b, num_heads, t, -1)
            """,
            VALUES,
            never=SAME_TWICE,
        ),
        Wrong(
            "nothing-returned",
            """
            def into_heads(x, num_heads):
                b, t, d = x.shape
                x = x.reshape(b, t, num_heads, d // num_heads)
                x = x.transpose(1, 2)
            """,
            TYPE,
            says="return",
        ),
        Wrong(
            "printed",
            """
            def into_heads(x, num_heads):
                b, t, d = x.shape
                print(x.reshape(b, t, num_heads, d // num_heads).transpose(1, 2))
            """,
            TYPE,
        ),
        Wrong(
            "transpose-thrown-away",
            """
            def into_heads(x, num_heads):
                b, t, d = x.shape
                x = x.view(b, t, num_heads, d // num_heads)
                x.transpose(1, 2)
                return x
            """,
            NAMED + SHAPE,
        ),
        Wrong(
            "always-the-notebook-queries",
            """
            def into_heads(x, num_heads):
                b, t, d = q.shape
                return q.reshape(b, t, num_heads, d // num_heads).transpose(1, 2)
            """,
            VALUES,
            says=NOTEBOOK,
            never=SAME_TWICE,
        ),
        Wrong(
            "always-four-heads",
            """
            def into_heads(x, num_heads):
                b, t, d = x.shape
                return x.reshape(b, t, 4, d // 4).transpose(1, 2)
            """,
            NAMED + RAISED,
            keeps=1,
        ),
        Wrong(
            "head-dim-taken-for-heads",
            """
            def into_heads(x, num_heads):
                b, t, d = x.shape
                return x.reshape(b, t, d // num_heads, -1).transpose(1, 2)
            """,
            SHAPE,
        ),
        Wrong(
            "same-for-every-sequence",
            """
            def into_heads(x, num_heads):
                b, t, d = x.shape
                return x[0].reshape(t, num_heads, d // num_heads).transpose(0, 1).expand(b, -1, -1, -1)
            """,
            VALUES,
            never=SAME_TWICE,
        ),
        Wrong(
            "repeats-instead-of-cutting",
            """
            def into_heads(x, num_heads):
                return x.unsqueeze(1).repeat(1, num_heads, 1, 1)
            """,
            NAMED + SHAPE,
        ),
        Wrong(
            "projects-again",
            """
            def into_heads(x, num_heads):
                b, t, d = x.shape
                return w_query(x).view(b, t, num_heads, d // num_heads).transpose(1, 2)
            """,
            VALUES,
            says="w_query",
            never=SAME_TWICE,
        ),
        Wrong(
            "transposes-in-place",
            """
            def into_heads(x, num_heads):
                b, t, d = x.shape
                x.resize_(b, t, num_heads, d // num_heads)
                return x.transpose_(1, 2)
            """,
            RULE,
            says="changed its argument `x`",
        ),
        Wrong(
            "argument-missing",
            """
            def into_heads(x):
                b, t, d = x.shape
                return x.view(b, t, num_heads, d // num_heads).transpose(1, 2)
            """,
            RAISED,
        ),
        Wrong(
            "singular-name",
            """
            def into_head(x, num_heads):
                b, t, d = x.shape
                return x.view(b, t, num_heads, d // num_heads).transpose(1, 2)
            """,
            MISSING,
        ),
        Wrong(
            "numpy",
            """
            def into_heads(x, num_heads):
                import numpy as np

                b, t, d = x.shape
                return np.swapaxes(x.numpy().reshape(b, t, num_heads, d // num_heads), 1, 2)
            """,
            TYPE,
        ),
        Wrong(
            "colon-missing",
            """
            def into_heads(x, num_heads)
                b, t, d = x.shape
                return x.view(b, t, num_heads, d // num_heads).transpose(1, 2)
            """,
            MISSING,
        ),
        Wrong(
            "unpacks-two",
            """
            def into_heads(x, num_heads):
                tokens, d_model = x.shape
                return x.reshape(tokens, num_heads, d_model // num_heads).transpose(0, 1)
            """,
            RAISED,
        ),
        Wrong(
            "needs-a-square",
            """
            def into_heads(x, num_heads):
                b, t, d = x.shape
                assert d == 8 and num_heads == 4
                return x.reshape(b, t, num_heads, d // num_heads).transpose(1, 2)
            """,
            RAISED,
            keeps=1,
        ),
    ),
    right=(
        Right(
            "view-transpose",
            """
            def into_heads(x, num_heads):
                b, tokens, d_model = x.shape
                return x.view(b, tokens, num_heads, d_model // num_heads).transpose(1, 2)
            """,
        ),
        Right(
            "unflatten",
            """
            def into_heads(x, num_heads):
                return x.unflatten(-1, (num_heads, -1)).transpose(1, 2)
            """,
        ),
        Right(
            "permute",
            """
            def into_heads(x: torch.Tensor, num_heads: int) -> torch.Tensor:
                *lead, d = x.shape
                return x.reshape(*lead, num_heads, d // num_heads).permute(0, 2, 1, 3).contiguous()
            """,
        ),
        Right(
            "chunks-stacked",
            """
            def into_heads(x, num_heads):
                return torch.stack(x.chunk(num_heads, dim=-1), dim=1)
            """,
        ),
        Right(
            "slices",
            """
            def into_heads(x, num_heads):
                size = x.size(2) // num_heads
                return torch.stack([x[..., h * size : (h + 1) * size] for h in range(num_heads)], 1)
            """,
        ),
        Right(
            "loop-fill",
            """
            def into_heads(x, num_heads):
                b, t, d = x.shape
                hd = d // num_heads
                out = torch.zeros(b, num_heads, t, hd, dtype=x.dtype)
                for h in range(num_heads):
                    out[:, h] = x[:, :, h * hd : (h + 1) * hd]
                return out
            """,
        ),
        Right(
            "einsum",
            """
            def into_heads(x, num_heads):
                b, t, d = x.shape
                return torch.einsum("bthd->bhtd", x.reshape(b, t, num_heads, d // num_heads))
            """,
        ),
        Right(
            "lambda",
            """
            into_heads = lambda x, num_heads: x.reshape(x.shape[0], x.shape[1], num_heads, -1).movedim(2, 1)
            """,
        ),
        Right(
            "transpose-first",
            """
            def into_heads(x, num_heads):
                b, t, d = x.shape
                return x.transpose(1, 2).reshape(b, num_heads, d // num_heads, t).transpose(2, 3)
            """,
        ),
        Right(
            "swapaxes-from-the-end",
            """
            def into_heads(x, num_heads):
                return x.reshape(x.shape[:-1] + (num_heads, x.shape[-1] // num_heads)).swapaxes(-3, -2)
            """,
        ),
        Right(
            "callable-object",
            """
            class Cut:
                def __call__(self, x, num_heads):
                    assert x.shape[-1] % num_heads == 0
                    return x.unflatten(2, (num_heads, x.shape[-1] // num_heads)).transpose(-3, -2)

            into_heads = Cut()
            """,
        ),
        Right(
            "as-strided-like-unfold",
            """
            def into_heads(x, num_heads):
                size = x.shape[-1] // num_heads
                return x.unfold(-1, size, size).transpose(1, 2)
            """,
        ),
    ),
)

SCALED_HEAD_SCORES = Mutants(
    wrong=(
        Wrong(
            "not-scaled",
            """
            head_scores = q_heads @ k_heads.transpose(-2, -1)
            """,
            NAMED,
        ),
        Wrong(
            "by-d-model",
            """
            head_scores = q_heads @ k_heads.transpose(-2, -1) / d_model**0.5
            """,
            NAMED,
            says="√d_k",
        ),
        Wrong(
            "by-d-k",
            """
            head_scores = q_heads @ k_heads.transpose(-1, -2) / d_k
            """,
            NAMED,
        ),
        Wrong(
            "times-root",
            """
            head_scores = q_heads @ k_heads.transpose(-2, -1) * d_k**0.5
            """,
            NAMED,
        ),
        Wrong(
            "by-num-heads",
            """
            head_scores = (q_heads @ k_heads.transpose(-2, -1)) / num_heads**0.5
            """,
            NAMED,
        ),
        Wrong(
            "by-tokens",
            """
            head_scores = torch.matmul(q_heads, k_heads.transpose(-2, -1)) / max_sequence_length**0.5
            """,
            NAMED,
            says="number of tokens",
        ),
        Wrong(
            "by-shape-0",
            """
            head_scores = q_heads @ k_heads.transpose(-2, -1) / k_heads.shape[0] ** 0.5
            """,
            NAMED + VALUES,
            xfail="batch_size equals d_k in the seed; redrawing another size would refuse honest literals",
        ),
        Wrong(
            "by-shape-minus-2",
            """
            head_scores = q_heads @ k_heads.mT / k_heads.shape[-2] ** 0.5
            """,
            NAMED,
        ),
        Wrong(
            "swapped",
            """
            head_scores = k_heads @ q_heads.transpose(-2, -1) / d_k**0.5
            """,
            NAMED,
            says="swapped",
        ),
        Wrong(
            "dot-T",
            """
            head_scores = q_heads @ k_heads.T / d_k**0.5
            """,
            MISSING,
        ),
        Wrong(
            "transpose-1-2",
            """
            head_scores = q_heads @ k_heads.transpose(1, 2) / d_k**0.5
            """,
            MISSING,
        ),
        Wrong(
            "no-transpose",
            """
            head_scores = q_heads @ k_heads / d_k**0.5
            """,
            MISSING,
        ),
        Wrong(
            "query-transposed",
            """
            head_scores = q_heads.transpose(-2, -1) @ k_heads / d_k**0.5
            """,
            SHAPE,
        ),
        Wrong(
            "query-with-itself",
            """
            head_scores = q_heads @ q_heads.transpose(-2, -1) / d_q**0.5
            """,
            NAMED,
        ),
        Wrong(
            "values",
            """
            head_scores = q_heads @ v_heads.transpose(-2, -1) / d_v**0.5
            """,
            VALUES,
            never=SAME_TWICE,
        ),
        Wrong(
            "not-cut-into-heads",
            """
            head_scores = q @ k.transpose(-2, -1) / d_k**0.5
            """,
            SHAPE,
        ),
        Wrong(
            "softmax-already",
            """
            head_scores = torch.softmax(q_heads @ k_heads.transpose(-2, -1) / d_k**0.5, dim=-1)
            """,
            VALUES,
            never=SAME_TWICE,
        ),
        Wrong(
            "masked-already",
            """
            head_scores = q_heads @ k_heads.transpose(-2, -1) / d_k**0.5
            head_scores = head_scores.masked_fill(torch.tril(torch.ones(5, 5)) == 0, float("-inf"))
            """,
            NAMED + NOT_FINITE,
            never="dividing by zero or from exp",
        ),
        Wrong(
            "precedence-of-the-root",
            """
            head_scores = (q_heads @ k_heads.transpose(-2, -1) / d_k) ** 0.5
            """,
            NOT_FINITE,
        ),
        Wrong(
            "root-of-the-product",
            """
            import math

            head_scores = q_heads @ k_heads.transpose(-2, -1) / math.sqrt(d_q * d_k)
            """,
            NAMED,
        ),
        Wrong(
            "scaled-twice",
            """
            q_scaled = q_heads / d_k**0.5
            head_scores = q_scaled @ k_heads.transpose(-2, -1) / d_k**0.5
            """,
            NAMED,
        ),
        Wrong(
            "queries-for-keys-mixed-heads",
            """
            head_scores = torch.einsum("bhqd,bgkd->bqk", q_heads, k_heads) / d_k**0.5
            """,
            SHAPE,
        ),
        Wrong(
            "summed-over-heads",
            """
            head_scores = torch.einsum("bhqd,bhkd->bqk", q_heads, k_heads) / d_k**0.5
            """,
            SHAPE,
        ),
        Wrong(
            "einsum-transposed-output",
            """
            head_scores = torch.einsum("bhqd,bhkd->bhkq", q_heads, k_heads) / d_k**0.5
            """,
            NAMED,
        ),
        Wrong(
            "first-head-only",
            """
            head_scores = q_heads[:, 0] @ k_heads[:, 0].transpose(-2, -1) / d_k**0.5
            """,
            SHAPE,
        ),
        Wrong(
            "elementwise",
            """
            head_scores = q_heads * k_heads / d_k**0.5
            """,
            SHAPE,
        ),
        Wrong(
            "list-of-heads",
            """
    head_scores = [q_heads[:, h] @ k_heads[:, h].transpose(-2, -1) / d_k**0.5 for h in range(num_heads)]
            """,
            TYPE,
        ),
        Wrong(
            "stacked-on-the-wrong-axis",
            """
            head_scores = torch.stack([q_heads[:, h] @ k_heads[:, h].mT / d_k**0.5 for h in range(num_heads)])
            """,
            SHAPE,
        ),
        Wrong(
            "stacked-last",
            """
    head_scores = torch.stack([q_heads[:, h] @ k_heads[:, h].mT / d_k**0.5 for h in range(num_heads)], dim=-1)
            """,
            SHAPE,
        ),
        Wrong(
            "in-the-wrong-name",
            """
            attn_scores = q_heads @ k_heads.transpose(-2, -1) / d_k**0.5
            """,
            MISSING,
        ),
        Wrong(
            "typed-name",
            """
            head_scores = q_head @ k_head.transpose(-2, -1) / d_k**0.5
            """,
            MISSING,
        ),
        Wrong(
            "pasted",
            """
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
            )
            """,
            VALUES,
            never=SAME_TWICE,
        ),
        Wrong(
            "torch-sqrt-of-an-int",
            """
            head_scores = q_heads @ k_heads.transpose(-2, -1) / torch.sqrt(d_k)
            """,
            MISSING,
        ),
        Wrong(
            "function-never-called",
            """
            def head_scores(q_heads, k_heads):
                return q_heads @ k_heads.transpose(-2, -1) / d_k**0.5
            """,
            TYPE,
            says=CALL_IT,
        ),
        Wrong(
            "scaled-in-place",
            """
            q_heads /= d_k**0.5
            q_heads /= d_k**0.5
            head_scores = q_heads @ k_heads.mT
            """,
            NAMED,
        ),
        Wrong(
            "view-not-transpose",
            """
    head_scores = q_heads @ k_heads.reshape(batch_size, num_heads, d_k, max_sequence_length) / d_k**0.5
            """,
            VALUES,
            never=SAME_TWICE,
        ),
        Wrong(
            "by-the-size-of-the-query-batch",
            """
            head_scores = torch.matmul(q_heads, k_heads.transpose(-2, -1)) / q_heads.size(0) ** 0.5
            """,
            NAMED + VALUES,
            xfail="batch_size equals d_k in the seed; redrawing another size would refuse honest literals",
        ),
        Wrong(
            "by-batch-size",
            """
            head_scores = q_heads @ k_heads.mT * batch_size**-0.5
            """,
            NAMED + VALUES,
            xfail="batch_size equals d_k in the seed; redrawing another size would refuse honest literals",
        ),
    ),
    right=(
        Right(
            "as-in-the-formula",
            """
            head_scores = q_heads @ k_heads.transpose(-2, -1) / d_k**0.5
            """,
        ),
        Right(
            "einsum",
            """
            head_scores = torch.einsum("bhqd,bhkd->bhqk", q_heads, k_heads) * d_k**-0.5
            """,
        ),
        Right(
            "math-sqrt",
            """
            from math import sqrt

            head_scores = torch.matmul(q_heads, k_heads.permute(0, 1, 3, 2)) / sqrt(q_heads.size(-1))
            """,
        ),
        Right(
            "bmm",
            """
            flat_q, flat_k = q_heads.flatten(0, 1), k_heads.flatten(0, 1)
            head_scores = (torch.bmm(flat_q, flat_k.mT) / d_k**0.5).unflatten(0, (batch_size, num_heads))
            """,
        ),
        Right(
            "loops",
            """
            head_scores = torch.zeros(batch_size, num_heads, max_sequence_length, max_sequence_length)
            for b in range(batch_size):
                for h in range(num_heads):
                    for i in range(max_sequence_length):
                        for j in range(max_sequence_length):
                            head_scores[b, h, i, j] = torch.dot(q_heads[b, h, i], k_heads[b, h, j]) / d_k**0.5
            """,
        ),
        Right(
            "scaled-queries",
            """
            head_scores = (q_heads / d_k**0.5) @ k_heads.transpose(3, 2)
            """,
        ),
        Right(
            "fourth-roots",
            """
            head_scores = (q_heads * d_k**-0.25) @ (k_heads * d_k**-0.25).mT
            """,
        ),
        Right(
            "scaled-in-place-once",
            """
            q_heads /= d_k**0.5
            head_scores = q_heads @ k_heads.mT
            """,
        ),
        Right(
            "tensor-root",
            """
    head_scores = (q_heads @ k_heads.transpose(-2, -1)) / torch.sqrt(torch.tensor(d_k, dtype=torch.float32))
            """,
        ),
        Right(
            "heads-of-its-own",
            """
            from functools import partial

            cut = partial(torch.Tensor.unflatten, dim=-1, sizes=(num_heads, d_k))
            head_scores = torch.einsum("bqhd,bkhd->bhqk", cut(q), cut(k)) / d_k**0.5
            """,
        ),
        Right(
            "elementwise-and-sum",
            """
            head_scores = (q_heads.unsqueeze(3) * k_heads.unsqueeze(2)).sum(-1) / d_k**0.5
            """,
        ),
        Right(
            "stacked-heads",
            """
    head_scores = torch.stack([q_heads[:, h] @ k_heads[:, h].mT for h in range(num_heads)], dim=1) / d_k**0.5
            """,
        ),
        Right(
            "float64",
            """
            head_scores = ((q_heads.double() @ k_heads.double().mT) / d_k**0.5).float()
            """,
        ),
        Right(
            "function-called",
            """
            def scores(a, b):
                return a @ b.transpose(-2, -1) / a.shape[-1] ** 0.5

            head_scores = scores(q_heads, k_heads)
            head_scores
            """,
        ),
    ),
)

MASKED_WEIGHTS = Mutants(
    wrong=(
        Wrong(
            "not-masked",
            """
            attn_weights = torch.softmax(head_scores, dim=-1)
            """,
            NAMED,
        ),
        Wrong(
            "over-the-queries",
            """
            attn_weights = torch.softmax(head_scores.masked_fill(mask == 0, float("-inf")), dim=-2)
            """,
            NAMED,
            says="dim=-1",
        ),
        Wrong(
            "over-the-heads",
            """
            attn_weights = torch.softmax(head_scores.masked_fill(mask == 0, float("-inf")), dim=1)
            """,
            NAMED + NOT_FINITE,
        ),
        Wrong(
            "over-the-batch",
            """
            attn_weights = F.softmax(head_scores.masked_fill(mask == 0, float("-inf")), dim=0)
            """,
            NOT_FINITE,
        ),
        Wrong(
            "dim-forgotten",
            """
            attn_weights = F.softmax(head_scores.masked_fill(mask == 0, float("-inf")))
            """,
            NAMED + NOT_FINITE,
        ),
        Wrong(
            "polarity-of-lesson-03",
            """
            attn_weights = torch.softmax(head_scores.masked_fill(mask.bool(), float("-inf")), dim=-1)
            """,
            NAMED + NOT_FINITE,
            says="may look",
        ),
        Wrong(
            "polarity-equals-one",
            """
            attn_weights = torch.softmax(head_scores.masked_fill(mask == 1, -1e9), dim=-1)
            """,
            NAMED,
        ),
        Wrong(
            "zeros-before-softmax",
            """
            attn_weights = torch.softmax(head_scores.masked_fill(mask == 0, 0), dim=-1)
            """,
            NAMED,
        ),
        Wrong(
            "times-the-mask-before",
            """
            attn_weights = torch.softmax(head_scores * mask, dim=-1)
            """,
            NAMED,
        ),
        Wrong(
            "times-the-mask-after",
            """
            attn_weights = torch.softmax(head_scores, dim=-1) * mask
            """,
            NAMED,
            says="before the softmax",
        ),
        Wrong(
            "mask-added",
            """
            attn_weights = torch.softmax(head_scores + mask, dim=-1)
            """,
            NAMED,
        ),
        Wrong(
            "zero-times-inf",
            """
            attn_weights = torch.softmax(head_scores + (1 - mask) * float("-inf"), dim=-1)
            """,
            NAMED + NOT_FINITE,
        ),
        Wrong(
            "upper-triangle",
            """
            upper = torch.triu(torch.ones(5, 5))
            attn_weights = torch.softmax(head_scores.masked_fill(upper == 0, float("-inf")), dim=-1)
            """,
            NAMED,
        ),
        Wrong(
            "diagonal-hidden-too",
            """
            strict = torch.tril(torch.ones(5, 5), diagonal=-1)
            attn_weights = torch.softmax(head_scores.masked_fill(strict == 0, float("-inf")), dim=-1)
            """,
            NAMED + NOT_FINITE,
        ),
        Wrong(
            "one-future-key-seen",
            """
            late = torch.tril(torch.ones(5, 5), diagonal=1)
            attn_weights = torch.softmax(head_scores.masked_fill(late == 0, float("-inf")), dim=-1)
            """,
            RULE,
            says="comes later",
        ),
        Wrong(
            "fill-thrown-away",
            """
            head_scores.masked_fill(mask == 0, float("-inf"))
            attn_weights = torch.softmax(head_scores, dim=-1)
            """,
            NAMED,
        ),
        Wrong(
            "no-softmax",
            """
            attn_weights = head_scores.masked_fill(mask == 0, float("-inf"))
            """,
            NAMED + NOT_FINITE,
            never="dividing by zero or from exp",
        ),
        Wrong(
            "scaled-again",
            """
            attn_weights = torch.softmax(head_scores.masked_fill(mask == 0, float("-inf")) / d_k**0.5, dim=-1)
            """,
            VALUES,
            never=SAME_TWICE,
        ),
        Wrong(
            "scaled-after",
            """
            attn_weights = torch.softmax(head_scores.masked_fill(mask == 0, float("-inf")), dim=-1) / d_k**0.5
            """,
            RULE,
        ),
        Wrong(
            "raw-scores-normalised",
            """
            masked = head_scores * mask
            attn_weights = masked / masked.sum(dim=-1, keepdim=True)
            """,
            NAMED,
        ),
        Wrong(
            "mask-from-the-values",
            """
    attn_weights = torch.softmax(head_scores.masked_fill(torch.tril(head_scores) < 0, float("-inf")), dim=-1)
            """,
            NOT_FINITE,
            never="a sum that is zero, or exponentials",
        ),
        Wrong(
            "small-negative",
            """
            attn_weights = torch.softmax(head_scores.masked_fill(mask == 0, -1), dim=-1)
            """,
            RULE,
        ),
        Wrong(
            "minus-ten",
            """
            attn_weights = torch.softmax(head_scores + (mask - 1) * 10, dim=-1)
            """,
            RULE,
        ),
        Wrong(
            "plus-inf",
            """
            attn_weights = torch.softmax(head_scores.masked_fill(mask == 0, float("inf")), dim=-1)
            """,
            NOT_FINITE,
        ),
        Wrong(
            "float-mask-to-masked-fill",
            """
            attn_weights = torch.softmax(head_scores.masked_fill(mask, float("-inf")), dim=-1)
            """,
            MISSING,
        ),
        Wrong(
            "tilde-of-a-float",
            """
            attn_weights = torch.softmax(head_scores.masked_fill(~mask, float("-inf")), dim=-1)
            """,
            MISSING,
        ),
        Wrong(
            "tril-of-the-softmax",
            """
            attn_weights = torch.tril(torch.softmax(head_scores, dim=-1))
            """,
            NAMED,
        ),
        Wrong(
            "log-softmax",
            """
            attn_weights = F.log_softmax(head_scores.masked_fill(mask == 0, float("-inf")), dim=-1)
            """,
            NOT_FINITE,
            never="dividing by zero or from exp",
        ),
        Wrong(
            "exp-not-divided",
            """
            attn_weights = torch.exp(head_scores) * mask
            """,
            RULE,
        ),
        Wrong(
            "exp-divided-by-the-column",
            """
            e = torch.exp(head_scores) * mask
            attn_weights = e / e.sum(dim=-2, keepdim=True)
            """,
            NAMED,
        ),
        Wrong(
            "first-sequence",
            """
            attn_weights = torch.softmax(head_scores[0].masked_fill(mask == 0, float("-inf")), dim=-1)
            """,
            SHAPE,
        ),
        Wrong(
            "averaged-over-heads",
            """
            attn_weights = torch.softmax(head_scores.masked_fill(mask == 0, -torch.inf), dim=-1).mean(dim=1)
            """,
            SHAPE,
        ),
        Wrong(
            "masked-and-weighted",
            """
            attn_weights = torch.softmax(head_scores.masked_fill(mask == 0, -torch.inf), dim=-1) @ v_heads
            """,
            SHAPE,
        ),
        Wrong(
            "softmax-of-softmax",
            """
    attn_weights = torch.softmax(torch.softmax(head_scores, -1).masked_fill(mask == 0, float("-inf")), -1)
            """,
            VALUES,
            never=SAME_TWICE,
        ),
        Wrong(
            "inf-unquoted",
            """
            attn_weights = torch.softmax(head_scores.masked_fill(mask == 0, -inf), dim=-1)
            """,
            MISSING,
        ),
        Wrong(
            "transposed-mask",
            """
            attn_weights = torch.softmax(head_scores.masked_fill(mask.T == 0, float("-inf")), dim=-1)
            """,
            NAMED,
        ),
        Wrong(
            "dropout-too",
            """
    torch.manual_seed(1)
    attn_weights = F.dropout(torch.softmax(head_scores.masked_fill(mask == 0, -torch.inf), dim=-1), 0.5)
            """,
            RULE,
        ),
        Wrong(
            "indexed-in-place-mask-inverted",
            """
            head_scores[:, :, mask == 1] = float("-inf")
            attn_weights = head_scores.softmax(-1)
            """,
            NAMED + NOT_FINITE,
        ),
        Wrong(
            "nan-hidden",
            """
            bad = (1 - mask) * float("-inf")
            attn_weights = torch.softmax(head_scores + bad, dim=-1).nan_to_num()
            """,
            RULE,
        ),
        Wrong(
            "equal-weights",
            """
            attn_weights = (mask / mask.sum(-1, keepdim=True)).expand(batch_size, num_heads, -1, -1)
            """,
            VALUES,
            never=SAME_TWICE,
        ),
    ),
    right=(
        Right(
            "fill-and-softmax",
            """
            attn_weights = torch.softmax(head_scores.masked_fill(mask == 0, float("-inf")), dim=-1)
            """,
        ),
        Right(
            "additive",
            """
            attn_weights = (head_scores + torch.zeros(5, 5).masked_fill(mask == 0, -torch.inf)).softmax(dim=3)
            """,
        ),
        Right(
            "minus-1e9",
            """
            attn_weights = F.softmax(head_scores.masked_fill(~mask.bool(), -1e9), dim=-1)
            """,
        ),
        Right(
            "finfo-min",
            """
            lowest = torch.finfo(head_scores.dtype).min
            attn_weights = F.softmax(torch.where(mask.bool(), head_scores, lowest), dim=-1)
            """,
        ),
        Right(
            "log-of-the-mask",
            """
            attn_weights = torch.softmax(head_scores + mask.log(), dim=-1)
            """,
        ),
        Right(
            "softmax-then-renormalised",
            """
            weights = torch.softmax(head_scores, dim=-1) * mask
            attn_weights = weights / weights.sum(dim=-1, keepdim=True)
            """,
        ),
        Right(
            "exponentials",
            """
            e = head_scores.exp().tril()
            attn_weights = e / e.sum(-1, keepdim=True)
            """,
        ),
        Right(
            "row-by-row",
            """
            attn_weights = torch.zeros_like(head_scores)
            for i in range(max_sequence_length):
                attn_weights[:, :, i, : i + 1] = torch.softmax(head_scores[:, :, i, : i + 1], dim=-1)
            """,
        ),
        Right(
            "sdpa-with-the-identity",
            """
            eye = torch.eye(5).expand(batch_size, num_heads, 5, 5)
            attn_weights = F.scaled_dot_product_attention(q_heads, k_heads, eye, attn_mask=mask.bool())
            """,
        ),
        Right(
            "in-place-on-the-scores",
            """
            head_scores.masked_fill_(mask == 0, float("-inf"))
            attn_weights = nn.Softmax(dim=-1)(head_scores)
            """,
        ),
        Right(
            "own-triangle",
            """
    hidden = torch.triu(torch.ones(max_sequence_length, max_sequence_length, dtype=torch.bool), diagonal=1)
    attn_weights = head_scores.masked_fill(hidden, float("-inf")).softmax(-1)
            """,
        ),
        Right(
            "comparison-of-positions",
            """
            i = torch.arange(5)
            attn_weights = torch.where(i[:, None] >= i[None, :], head_scores, -torch.inf).softmax(-1)
            """,
        ),
        Right(
            "over-the-last-axis-transposed",
            """
            attn_weights = head_scores.masked_fill(mask == 0, -torch.inf).mT.softmax(dim=-2).mT
            """,
        ),
    ),
)

CONTIGUOUS_MERGE = Mutants(
    wrong=(
        Wrong(
            "no-transpose",
            """
            def merge_heads(context):
                b, h, t, d = context.shape
                return context.reshape(b, t, h * d)
            """,
            NAMED,
            says=r"transpose\(1, 2\)",
        ),
        Wrong(
            "contiguous-is-no-transpose",
            """
            def merge_heads(context):
                b, heads, tokens, head_dim = context.shape
                return context.contiguous().view(b, tokens, heads * head_dim)
            """,
            NAMED,
        ),
        Wrong(
            "view-refuses",
            """
            def merge_heads(context):
                b, h, t, d = context.shape
                return context.transpose(1, 2).view(b, t, h * d)
            """,
            NAMED + RAISED,
            says="contiguous",
        ),
        Wrong(
            "wrong-axes",
            """
            def merge_heads(context):
                b, h, t, d = context.shape
                return context.transpose(2, 3).reshape(b, t, h * d)
            """,
            NAMED,
        ),
        Wrong(
            "wrong-axes-1-3",
            """
            def merge_heads(context):
                b, h, t, d = context.shape
                return context.transpose(1, 3).reshape(b, t, h * d)
            """,
            VALUES,
            never=SAME_TWICE,
        ),
        Wrong(
            "head-dim-first",
            """
            def merge_heads(context):
                b, h, t, d = context.shape
                return context.permute(0, 2, 3, 1).reshape(b, t, h * d)
            """,
            NAMED,
        ),
        Wrong(
            "not-joined",
            """
            def merge_heads(context):
                return context.transpose(1, 2).contiguous()
            """,
            NAMED + SHAPE,
        ),
        Wrong(
            "joined-only",
            """
            def merge_heads(context):
                return context.flatten(1, 2)
            """,
            SHAPE,
        ),
        Wrong(
            "flatten-the-last-two",
            """
            def merge_heads(context):
                return context.flatten(-2)
            """,
            SHAPE,
        ),
        Wrong(
            "flattened-too-far",
            """
            def merge_heads(context):
                return context.transpose(1, 2).flatten(1)
            """,
            SHAPE,
        ),
        Wrong(
            "notebook-sizes",
            """
            def merge_heads(context):
                return context.transpose(1, 2).contiguous().view(batch_size, max_sequence_length, d_model)
            """,
            NAMED + RAISED,
            keeps=1,
        ),
        Wrong(
            "notebook-d-model",
            """
            def merge_heads(context):
                b, h, t, d = context.shape
                return context.transpose(1, 2).reshape(b, t, d_model)
            """,
            NAMED + RAISED,
            keeps=1,
        ),
        Wrong(
            "notebook-num-heads",
            """
            def merge_heads(context):
                b, _, t, d = context.shape
                return context.transpose(1, 2).reshape(b, t, num_heads * d)
            """,
            NAMED + RAISED,
            keeps=1,
        ),
        Wrong(
            "typed-sizes",
            """
            def merge_heads(context):
                return context.transpose(1, 2).reshape(2, 5, 8)
            """,
            NAMED + RAISED,
            keeps=1,
            says=r"context\.shape",
        ),
        Wrong(
            "summed-heads",
            """
            def merge_heads(context):
                return context.sum(dim=1)
            """,
            NAMED + SHAPE,
        ),
        Wrong(
            "mean-of-heads",
            """
            def merge_heads(context):
                return context.mean(1)
            """,
            NAMED + SHAPE,
        ),
        Wrong(
            "cat-over-the-batch",
            """
            def merge_heads(context):
                return torch.cat([head for head in context], dim=-1)
            """,
            SHAPE,
        ),
        Wrong(
            "cat-along-the-tokens",
            """
            def merge_heads(context):
                return torch.cat(context.unbind(1), dim=1)
            """,
            SHAPE,
        ),
        Wrong(
            "cat-without-unbind",
            """
            def merge_heads(context):
                return torch.cat(context, dim=-1)
            """,
            RAISED,
        ),
        Wrong(
            "stack-instead-of-cat",
            """
            def merge_heads(context):
                return torch.stack([context[:, h] for h in range(context.shape[1])], dim=-1)
            """,
            SHAPE,
        ),
        Wrong(
            "stacked-and-interleaved",
            """
            def merge_heads(context):
                return torch.stack(context.unbind(1), dim=-1).flatten(-2)
            """,
            NAMED,
        ),
        Wrong(
            "reversed-heads",
            """
            def merge_heads(context):
                return torch.cat([context[:, -h - 1] for h in range(context.shape[1])], dim=-1)
            """,
            NAMED,
        ),
        Wrong(
            "one-head-short",
            """
            def merge_heads(context):
                return torch.cat([context[:, h] for h in range(context.shape[1] - 1)], dim=-1)
            """,
            SHAPE,
        ),
        Wrong(
            "typed-four-heads",
            """
            def merge_heads(context):
                return torch.cat([context[:, 0], context[:, 1], context[:, 2], context[:, 3]], dim=-1)
            """,
            RAISED,
            keeps=1,
        ),
        Wrong(
            "first-head",
            """
            def merge_heads(context):
                return context[:, 0]
            """,
            SHAPE,
        ),
        Wrong(
            "nothing-returned",
            """
            def merge_heads(context):
                b, h, t, d = context.shape
                context = context.transpose(1, 2).contiguous().view(b, t, h * d)
            """,
            TYPE,
        ),
        Wrong(
            "contiguous-thrown-away",
            """
            def merge_heads(context):
                b, h, t, d = context.shape
                context = context.transpose(1, 2)
                context.contiguous()
                return context.view(b, t, h * d)
            """,
            NAMED + RAISED,
        ),
        Wrong(
            "the-notebook-tensor",
            """
            def merge_heads(context):
                b, h, t, d = v_heads.shape
                return v_heads.transpose(1, 2).reshape(b, t, h * d)
            """,
            VALUES,
            says=NOTEBOOK,
            never=SAME_TWICE,
        ),
        Wrong(
            "into-heads-again",
            """
            def merge_heads(context):
                b, h, t, d = context.shape
                return into_heads(context, h)
            """,
            RAISED,
        ),
        Wrong(
            "list",
            """
            def merge_heads(context):
                return [torch.cat(list(sequence), dim=-1) for sequence in context]
            """,
            TYPE,
        ),
        Wrong(
            "fallback-on-error",
            """
            def merge_heads(context):
                b, h, t, d = context.shape
                try:
                    return context.transpose(1, 2).view(b, t, h * d)
                except RuntimeError:
                    return context.reshape(b, t, h * d)
            """,
            NAMED,
        ),
        Wrong(
            "transposed-in-place",
            """
            def merge_heads(context):
                b, h, t, d = context.shape
                context.transpose_(1, 2)
                return context.reshape(b, t, h * d)
            """,
            RULE,
        ),
        Wrong(
            "dot-T",
            """
            def merge_heads(context):
                b, h, t, d = context.shape
                return context.T.reshape(b, t, h * d)
            """,
            VALUES,
            never=SAME_TWICE,
        ),
        Wrong(
            "two-arguments",
            """
            def merge_heads(context, num_heads):
                b, h, t, d = context.shape
                return context.transpose(1, 2).reshape(b, t, num_heads * d)
            """,
            RAISED,
        ),
        Wrong(
            "square-only",
            """
            def merge_heads(context):
                b, t, h, d = context.transpose(1, 2).shape
                return context.transpose(1, 2).contiguous().view(b, h, t * d)
            """,
            SHAPE,
        ),
        Wrong(
            "misspelled",
            """
            def merge_head(context):
                b, h, t, d = context.shape
                return context.transpose(1, 2).reshape(b, t, h * d)
            """,
            MISSING,
        ),
    ),
    right=(
        Right(
            "contiguous-view",
            """
            def merge_heads(context):
                b, heads, tokens, head_dim = context.shape
                return context.transpose(1, 2).contiguous().view(b, tokens, heads * head_dim)
            """,
        ),
        Right(
            "reshape",
            """
            def merge_heads(context):
                b, h, t, d = context.size()
                return context.permute(0, 2, 1, 3).reshape(b, t, -1)
            """,
        ),
        Right(
            "flatten",
            """
            def merge_heads(context):
                return context.transpose(1, 2).flatten(2)
            """,
        ),
        Right(
            "cat",
            """
            def merge_heads(context):
                return torch.cat(context.unbind(dim=1), dim=-1)
            """,
        ),
        Right(
            "loop-fill",
            """
            def merge_heads(context: torch.Tensor) -> torch.Tensor:
                b, h, t, d = context.shape
                out = context.new_empty(b, t, h * d)
                for i in range(h):
                    out[..., i * d : (i + 1) * d] = context[:, i]
                return out
            """,
        ),
        Right(
            "einsum",
            """
            def merge_heads(context):
                return torch.einsum("bhtd->bthd", context).flatten(start_dim=-2)
            """,
        ),
        Right(
            "per-token",
            """
            def merge_heads(context):
                b, h, t, d = context.shape
                return torch.stack([context[:, :, i].reshape(b, h * d) for i in range(t)], dim=1)
            """,
        ),
        Right(
            "lambda",
            """
            merge_heads = lambda context: context.swapaxes(1, 2).reshape(*context.shape[::2], -1)
            """,
        ),
        Right(
            "helper",
            """
            def _move(context):
                return torch.movedim(context, 1, 2)

            def merge_heads(context):
                moved = _move(context)
                return moved.clone(memory_format=torch.contiguous_format).view(*moved.shape[:2], -1)
            """,
        ),
        Right(
            "decorated",
            """
            import functools

            def no_change(f):
                @functools.wraps(f)
                def g(context):
                    return f(context.clone())
                return g

            @no_change
            def merge_heads(context):
                b, h, t, d = context.shape
                return context.transpose(-3, -2).reshape(b, t, h * d)
            """,
        ),
        Right(
            "hstack-of-heads",
            """
            def merge_heads(context):
                heads = [context[:, h, :, :] for h in range(context.shape[1])]
                return torch.concat(heads, dim=2)
            """,
        ),
    ),
)

ATTENTION_OUTPUT = Mutants(
    wrong=(
        Wrong(
            "the-scores",
            """
            attention_output = merge_heads(head_scores @ v_heads)
            """,
            NAMED,
        ),
        Wrong(
            "the-keys",
            """
            attention_output = merge_heads(attn_weights @ k_heads)
            """,
            NAMED,
            says="v_heads",
        ),
        Wrong(
            "the-queries",
            """
            attention_output = merge_heads(attn_weights @ q_heads)
            """,
            NAMED,
        ),
        Wrong(
            "not-merged",
            """
            attention_output = attn_weights @ v_heads
            """,
            NAMED + SHAPE,
            says="merge_heads",
        ),
        Wrong(
            "merged-without-transpose",
            """
            attention_output = (attn_weights @ v_heads).reshape(batch_size, max_sequence_length, d_model)
            """,
            NAMED,
        ),
        Wrong(
            "transposed-not-joined",
            """
            attention_output = (attn_weights @ v_heads).transpose(1, 2)
            """,
            SHAPE,
        ),
        Wrong(
            "view-refuses",
            """
            attention_output = (attn_weights @ v_heads).transpose(1, 2).view(2, 5, 8)
            """,
            MISSING,
            never="attention_map",
        ),
        Wrong(
            "values-not-cut",
            """
            attention_output = attn_weights @ v
            """,
            MISSING,
            never="attention_map",
        ),
        Wrong(
            "weights-transposed",
            """
            attention_output = merge_heads(attn_weights.transpose(-2, -1) @ v_heads)
            """,
            NAMED,
        ),
        Wrong(
            "values-first",
            """
            attention_output = merge_heads(v_heads @ attn_weights)
            """,
            MISSING,
            never="attention_map",
        ),
        Wrong(
            "values-first-transposed",
            """
            attention_output = merge_heads((v_heads.mT @ attn_weights).mT)
            """,
            NAMED,
        ),
        Wrong(
            "unmasked-weights",
            """
            attention_output = merge_heads(torch.softmax(head_scores, dim=-1) @ v_heads)
            """,
            NAMED,
        ),
        Wrong(
            "values-merged-only",
            """
            attention_output = merge_heads(v_heads)
            """,
            NAMED,
        ),
        Wrong(
            "elementwise",
            """
            attention_output = merge_heads(attn_weights * v_heads)
            """,
            MISSING,
            never="attention_map",
        ),
        Wrong(
            "mean-of-heads",
            """
            attention_output = (attn_weights @ v_heads).mean(dim=1)
            """,
            SHAPE,
        ),
        Wrong(
            "sum-of-heads",
            """
            attention_output = (attn_weights @ v_heads).sum(1)
            """,
            SHAPE,
        ),
        Wrong(
            "whole-values-mean-weights",
            """
            attention_output = attn_weights.mean(dim=1) @ v
            """,
            VALUES,
            never=SAME_TWICE,
        ),
        Wrong(
            "into-heads-again",
            """
            attention_output = into_heads(attn_weights @ v_heads, num_heads)
            """,
            MISSING,
            never="attention_map",
        ),
        Wrong(
            "softmax-again",
            """
            attention_output = merge_heads(torch.softmax(attn_weights, dim=-1) @ v_heads)
            """,
            VALUES,
            never=SAME_TWICE,
        ),
        Wrong(
            "scaled-again",
            """
            attention_output = merge_heads(attn_weights @ v_heads / d_k**0.5)
            """,
            VALUES,
            never=SAME_TWICE,
        ),
        Wrong(
            "sdpa-unmasked",
            """
            attention_output = merge_heads(F.scaled_dot_product_attention(q_heads, k_heads, v_heads))
            """,
            NAMED,
            says="without the mask",
        ),
        Wrong(
            "sdpa-float-mask",
            """
    attention_output = merge_heads(F.scaled_dot_product_attention(q_heads, k_heads, v_heads, attn_mask=mask))
            """,
            VALUES,
            never=SAME_TWICE,
        ),
        Wrong(
            "sdpa-inverted",
            """
            hidden = ~mask.bool()
            context = F.scaled_dot_product_attention(q_heads, k_heads, v_heads, attn_mask=hidden)
            attention_output = merge_heads(context)
            """,
            VALUES,
            never=SAME_TWICE,
        ),
        Wrong(
            "function-not-called",
            """
            attention_output = merge_heads
            """,
            TYPE,
        ),
        Wrong(
            "wrong-name",
            """
            context = merge_heads(attn_weights @ v_heads)
            """,
            MISSING,
            never="attention_map",
        ),
        Wrong(
            "output-layer-too",
            """
            fc = nn.Linear(d_model, d_model)
            attention_output = fc(merge_heads(attn_weights @ v_heads))
            """,
            VALUES,
            never=SAME_TWICE,
        ),
        Wrong(
            "merged-weights",
            """
            attention_output = merge_heads(attn_weights) @ v_heads
            """,
            MISSING,
            never="attention_map",
        ),
        Wrong(
            "list",
            """
            attention_output = [attn_weights[:, h] @ v_heads[:, h] for h in range(num_heads)]
            """,
            TYPE,
        ),
        Wrong(
            "stacked-not-joined",
            """
            heads = [attn_weights[:, h] @ v_heads[:, h] for h in range(num_heads)]
            attention_output = torch.stack(heads, dim=-1).flatten(2)
            """,
            VALUES,
            never=SAME_TWICE,
        ),
        Wrong(
            "pasted",
            """
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
            )
            """,
            VALUES,
            never=SAME_TWICE,
        ),
        Wrong(
            "pasted-in-full",
            """
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
            )
            """,
            NOT_COMPUTED,
            notebook_passes=True,
        ),
        Wrong(
            "one-head-for-all",
            """
    attention_output = torch.cat([attn_weights[:, 0] @ v_heads[:, h] for h in range(num_heads)], dim=-1)
            """,
            VALUES,
            never=SAME_TWICE,
        ),
        Wrong(
            "values-of-the-first-sequence",
            """
            attention_output = merge_heads(attn_weights @ v_heads[0])
            """,
            VALUES,
            never=SAME_TWICE,
        ),
        Wrong(
            "stopped-half-way",
            """
            attention_output = merge_heads(attn_weights, v_heads)
            """,
            MISSING,
            never="attention_map",
        ),
    ),
    right=(
        Right(
            "merge-heads",
            """
            attention_output = merge_heads(attn_weights @ v_heads)
            """,
        ),
        Right(
            "written-out",
            """
            attention_output = (attn_weights @ v_heads).transpose(1, 2).contiguous().view(2, 5, 8)
            """,
        ),
        Right(
            "einsum",
            """
            attention_output = torch.einsum("bhqk,bhkd->bqhd", attn_weights, v_heads).flatten(2)
            """,
        ),
        Right(
            "cat-of-heads",
            """
    attention_output = torch.cat([attn_weights[:, h] @ v_heads[:, h] for h in range(num_heads)], dim=-1)
            """,
        ),
        Right(
            "sdpa-causal",
            """
            heads = F.scaled_dot_product_attention(q_heads, k_heads, v_heads, is_causal=True)
            attention_output = heads.transpose(1, 2).reshape(batch_size, max_sequence_length, d_model)
            """,
        ),
        Right(
            "sdpa-bool-mask",
            """
            context = F.scaled_dot_product_attention(q_heads, k_heads, v_heads, attn_mask=mask.bool())
            attention_output = merge_heads(context)
            """,
        ),
        Right(
            "bmm",
            """
            flat = torch.bmm(attn_weights.reshape(-1, 5, 5), v_heads.reshape(-1, 5, 2))
            attention_output = merge_heads(flat.view(batch_size, num_heads, 5, 2))
            """,
        ),
        Right(
            "loops",
            """
    attention_output = torch.zeros(2, 5, 8)
    for b in range(2):
        for h in range(4):
            for i in range(5):
                for j in range(i + 1):
                    attention_output[b, i, 2 * h : 2 * h + 2] += attn_weights[b, h, i, j] * v_heads[b, h, j]
            """,
        ),
        Right(
            "float64",
            """
            attention_output = merge_heads(attn_weights.double() @ v_heads.double()).float()
            """,
        ),
        Right(
            "elementwise-sum",
            """
    attention_output = (attn_weights[..., None] * v_heads[:, :, None]).sum(3).movedim(1, 2).flatten(-2)
            """,
        ),
        Right(
            "multi-head-attention-of-torch",
            """
            mha = nn.MultiheadAttention(d_model, num_heads, batch_first=True).requires_grad_(False)
            mha.in_proj_weight.copy_(torch.cat([w_query.weight, w_key.weight, w_value.weight]))
            mha.in_proj_bias.copy_(torch.cat([w_query.bias, w_key.bias, w_value.bias]))
            mha.out_proj.weight.copy_(torch.eye(d_model))
            mha.out_proj.bias.zero_()
            attention_output, _ = mha(X_input_tokens, X_input_tokens, X_input_tokens, attn_mask=mask == 0)
            """,
        ),
    ),
)

PADDING_MASK = Mutants(
    wrong=(
        Wrong(
            "less-or-equal",
            """
            def padding_mask(lengths, num_tokens):
                return (torch.arange(num_tokens) <= lengths[:, None])[:, None, None, :]
            """,
            NAMED,
            says="`<`",
        ),
        Wrong(
            "polarity",
            """
            def padding_mask(lengths, num_tokens):
                return (torch.arange(num_tokens) >= lengths[:, None])[:, None, None]
            """,
            NAMED,
            says="may look",
        ),
        Wrong(
            "polarity-other-way-round",
            """
            def padding_mask(lengths, num_tokens):
                positions = torch.arange(num_tokens)
                return (lengths[:, None] < positions).view(-1, 1, 1, num_tokens)
            """,
            VALUES,
            never=SAME_TWICE,
        ),
        Wrong(
            "two-axes",
            """
            def padding_mask(lengths, num_tokens):
                return torch.arange(num_tokens) < lengths[:, None]
            """,
            NAMED + SHAPE,
            says="None, None",
        ),
        Wrong(
            "three-axes",
            """
            def padding_mask(lengths, num_tokens):
                return (torch.arange(num_tokens)[None, :] < lengths[:, None]).unsqueeze(1)
            """,
            NAMED + SHAPE,
        ),
        Wrong(
            "no-batch-axis-added",
            """
            def padding_mask(lengths, num_tokens):
                return torch.arange(num_tokens) < lengths
            """,
            NAMED + RAISED,
        ),
        Wrong(
            "axes-in-front",
            """
            def padding_mask(lengths, num_tokens):
                return (torch.arange(num_tokens) < lengths[:, None])[None, None]
            """,
            SHAPE,
        ),
        Wrong(
            "axes-behind",
            """
            def padding_mask(lengths, num_tokens):
                return (torch.arange(num_tokens) < lengths[:, None])[:, :, None, None]
            """,
            SHAPE,
        ),
        Wrong(
            "on-the-query-axis",
            """
            def padding_mask(lengths, num_tokens):
                return (torch.arange(num_tokens)[:, None] < lengths.view(-1, 1, 1, 1))
            """,
            NAMED + SHAPE,
        ),
        Wrong(
            "floats",
            """
            def padding_mask(lengths, num_tokens):
                return (torch.arange(num_tokens) < lengths[:, None])[:, None, None, :].float()
            """,
            DTYPE + NAMED,
        ),
        Wrong(
            "integers",
            """
            def padding_mask(lengths, num_tokens):
                mask = torch.zeros(len(lengths), 1, 1, num_tokens, dtype=torch.int)
                for i, n in enumerate(lengths):
                    mask[i, 0, 0, :n] = 1
                return mask
            """,
            DTYPE + NAMED,
        ),
        Wrong(
            "longest-length",
            """
            def padding_mask(lengths, num_tokens):
                return (torch.arange(lengths.max()) < lengths[:, None])[:, None, None]
            """,
            NAMED + SHAPE,
        ),
        Wrong(
            "notebook-length",
            """
            def padding_mask(lengths, num_tokens):
                return (torch.arange(max_sequence_length) < lengths[:, None])[:, None, None]
            """,
            SHAPE,
            keeps=1,
            says=NOTEBOOK,
        ),
        Wrong(
            "notebook-batch",
            """
            def padding_mask(lengths, num_tokens):
                return (torch.arange(num_tokens) < lengths[:, None]).view(batch_size, 1, 1, num_tokens)
            """,
            RAISED,
            keeps=1,
        ),
        Wrong(
            "padding-on-the-left",
            """
            def padding_mask(lengths, num_tokens):
                return (torch.arange(num_tokens) >= num_tokens - lengths[:, None])[:, None, None]
            """,
            NAMED,
        ),
        Wrong(
            "expanded-over-queries",
            """
            def padding_mask(lengths, num_tokens):
                keys = (torch.arange(num_tokens) < lengths[:, None])[:, None, None, :]
                return keys.expand(-1, 1, num_tokens, -1)
            """,
            SHAPE,
        ),
        Wrong(
            "queries-hidden-too",
            """
            def padding_mask(lengths, num_tokens):
                real = torch.arange(num_tokens) < lengths[:, None]
                return (real[:, None, :] & real[:, :, None])[:, None]
            """,
            NAMED + SHAPE,
        ),
        Wrong(
            "positions-from-one",
            """
            def padding_mask(lengths, num_tokens):
                return (torch.arange(1, num_tokens + 1) < lengths[:, None])[:, None, None]
            """,
            NAMED,
        ),
        Wrong(
            "additive",
            """
            def padding_mask(lengths, num_tokens):
                real = (torch.arange(num_tokens) < lengths[:, None])[:, None, None]
                return torch.zeros(real.shape).masked_fill(~real, float("-inf"))
            """,
            NAMED + NOT_FINITE,
            never="dividing by zero or from exp",
        ),
        Wrong(
            "list-of-lists",
            """
            def padding_mask(lengths, num_tokens):
                return [[[[i < n for i in range(num_tokens)]]] for n in lengths.tolist()]
            """,
            TYPE,
        ),
        Wrong(
            "printed",
            """
            def padding_mask(lengths, num_tokens):
                print((torch.arange(num_tokens) < lengths[:, None])[:, None, None])
            """,
            TYPE,
        ),
        Wrong(
            "shared-lengths",
            """
            def padding_mask(lengths, num_tokens):
                lengths = torch.tensor([5, 3])
                return (torch.arange(num_tokens) < lengths[:, None])[:, None, None]
            """,
            VALUES,
            never=SAME_TWICE,
        ),
        Wrong(
            "typed-in",
            """
    def padding_mask(lengths, num_tokens):
        return torch.tensor([[[[True, True, True, True, True]]], [[[True, True, True, False, False]]]])
            """,
            VALUES,
            never=SAME_TWICE,
        ),
        Wrong(
            "relative-to-the-longest",
            """
            def padding_mask(lengths, num_tokens):
                pad = lengths.max() - lengths
                return (torch.arange(num_tokens) < num_tokens - pad[:, None])[:, None, None]
            """,
            VALUES,
            never=SAME_TWICE,
        ),
        Wrong(
            "empty-sequence-forgotten",
            """
            def padding_mask(lengths, num_tokens):
                mask = torch.ones(len(lengths), 1, 1, num_tokens, dtype=torch.bool)
                for i, n in enumerate(lengths):
                    mask[i, :, :, n:] = False
                    mask[i, :, :, 0] = True
                return mask
            """,
            VALUES,
            keeps=1,
            never=SAME_TWICE,
        ),
        Wrong(
            "slices-by-negative-numbers",
            """
            def padding_mask(lengths, num_tokens):
                mask = torch.ones(len(lengths), 1, 1, num_tokens, dtype=torch.bool)
                for i, n in enumerate(lengths):
                    mask[i, 0, 0, -(num_tokens - n) :] = False
                return mask
            """,
            VALUES,
            never="never filled in",
        ),
        Wrong(
            "equal",
            """
            def padding_mask(lengths, num_tokens):
                return (torch.arange(num_tokens) == lengths[:, None])[:, None, None]
            """,
            VALUES,
            never=SAME_TWICE,
        ),
        Wrong(
            "tensor-in-an-if",
            """
            def padding_mask(lengths, num_tokens):
                positions = torch.arange(num_tokens)
                if positions < lengths:
                    return True
                return False
            """,
            NAMED + RAISED,
        ),
        Wrong(
            "causal-by-mistake",
            """
            def padding_mask(lengths, num_tokens):
                return torch.tril(torch.ones(num_tokens, num_tokens, dtype=torch.bool))[lengths - 1]
            """,
            SHAPE,
        ),
        Wrong(
            "rows-of-tril",
            """
    def padding_mask(lengths, num_tokens):
        return torch.tril(torch.ones(num_tokens, num_tokens, dtype=torch.bool))[lengths - 1][:, None, None]
            """,
            VALUES,
            keeps=1,
            never=SAME_TWICE,
        ),
        Wrong(
            "lengths-changed-in-place",
            """
            def padding_mask(lengths, num_tokens):
                lengths -= 1
                return (torch.arange(num_tokens) <= lengths[:, None])[:, None, None]
            """,
            RULE,
            says="changed its argument `lengths`",
        ),
        Wrong(
            "from-tokens-not-zero",
            """
            def padding_mask(lengths, num_tokens):
                return (lengths != 0).unsqueeze(1).unsqueeze(2)
            """,
            SHAPE,
        ),
        Wrong(
            "numpy",
            """
            def padding_mask(lengths, num_tokens):
                import numpy as np

                return (np.arange(num_tokens) < lengths.numpy()[:, None])[:, None, None, :]
            """,
            TYPE,
        ),
        Wrong(
            "no-arange-import",
            """
            def padding_mask(lengths, num_tokens):
                return (arange(num_tokens) < lengths[:, None])[:, None, None]
            """,
            RAISED,
        ),
        Wrong(
            "batch-and-key-swapped",
            """
            def padding_mask(lengths, num_tokens):
                return (torch.arange(num_tokens)[:, None] < lengths).view(len(lengths), 1, 1, num_tokens)
            """,
            VALUES,
            never=SAME_TWICE,
        ),
    ),
    right=(
        Right(
            "broadcast",
            """
            def padding_mask(lengths, num_tokens):
                return torch.arange(num_tokens) < lengths[:, None, None, None]
            """,
        ),
        Right(
            "two-axes-then-none",
            """
            def padding_mask(lengths, num_tokens):
                return (torch.arange(num_tokens)[None, :] < lengths[:, None])[:, None, None, :]
            """,
        ),
        Right(
            "unsqueezed",
            """
            def padding_mask(lengths: torch.Tensor, num_tokens: int) -> torch.Tensor:
                positions = torch.arange(num_tokens, device=lengths.device).unsqueeze(0)
                return positions.lt(lengths.unsqueeze(1)).unsqueeze(1).unsqueeze(2)
            """,
        ),
        Right(
            "inverted",
            """
            def padding_mask(lengths, num_tokens):
                hidden = torch.arange(num_tokens) >= lengths.view(-1, 1, 1, 1)
                return ~hidden
            """,
        ),
        Right(
            "loop",
            """
            def padding_mask(lengths, num_tokens):
                mask = torch.zeros(len(lengths), 1, 1, num_tokens, dtype=torch.bool)
                for i, n in enumerate(lengths):
                    mask[i, 0, 0, :n] = True
                return mask
            """,
        ),
        Right(
            "comprehension",
            """
            def padding_mask(lengths, num_tokens):
                return torch.tensor([[[[i < int(n) for i in range(num_tokens)]]] for n in lengths])
            """,
        ),
        Right(
            "stacked",
            """
            def padding_mask(lengths, num_tokens):
                rows = [torch.arange(num_tokens) < n for n in lengths]
                return torch.stack(rows).reshape(-1, 1, 1, num_tokens)
            """,
        ),
        Right(
            "rows-of-tril",
            """
            def padding_mask(lengths, num_tokens):
                table = torch.tril(torch.ones(num_tokens + 1, num_tokens, dtype=torch.bool), diagonal=-1)
                return table[lengths][:, None, None]
            """,
        ),
        Right(
            "cumulated",
            """
            def padding_mask(lengths, num_tokens):
                ones = torch.ones(lengths.shape[0], num_tokens, dtype=torch.long)
                return (ones.cumsum(-1) <= lengths[:, None]).unflatten(0, (-1, 1, 1))
            """,
        ),
        Right(
            "lambda",
            """
            padding_mask = lambda lengths, n: (torch.arange(n) < lengths.reshape(-1, 1))[:, None, None]
            """,
        ),
        Right(
            "where-and-bool",
            """
            def padding_mask(lengths, num_tokens):
                positions = torch.arange(num_tokens).expand(lengths.size(0), num_tokens)
                mask = torch.where(positions < lengths[:, None], 1, 0)
                return mask.bool().view(lengths.size(0), 1, 1, num_tokens)
            """,
        ),
    ),
)

COMBINE_MASKS = Mutants(
    wrong=(
        Wrong(
            "causal-only",
            """
            def decoder_mask(lengths, num_tokens):
                causal = torch.tril(torch.ones(num_tokens, num_tokens)).bool()
                return causal.expand(len(lengths), 1, -1, -1)
            """,
            NAMED,
        ),
        Wrong(
            "padding-only",
            """
            def decoder_mask(lengths, num_tokens):
                return padding_mask(lengths, num_tokens).expand(-1, 1, num_tokens, -1)
            """,
            NAMED,
        ),
        Wrong(
            "padding-not-expanded",
            """
            def decoder_mask(lengths, num_tokens):
                return padding_mask(lengths, num_tokens)
            """,
            SHAPE,
        ),
        Wrong(
            "or",
            """
            def decoder_mask(lengths, num_tokens):
                causal = torch.tril(torch.ones(num_tokens, num_tokens, dtype=torch.bool))
                return padding_mask(lengths, num_tokens) | causal
            """,
            NAMED,
            says="&",
        ),
        Wrong(
            "python-and",
            """
            def decoder_mask(lengths, num_tokens):
                causal = torch.tril(torch.ones(num_tokens, num_tokens, dtype=torch.bool))
                return padding_mask(lengths, num_tokens) and causal
            """,
            RAISED,
        ),
        Wrong(
            "added",
            """
            def decoder_mask(lengths, num_tokens):
                return padding_mask(lengths, num_tokens) + torch.tril(torch.ones(num_tokens, num_tokens))
            """,
            NAMED,
        ),
        Wrong(
            "added-bool",
            """
            def decoder_mask(lengths, num_tokens):
                causal = torch.tril(torch.ones(num_tokens, num_tokens, dtype=torch.bool))
                return (padding_mask(lengths, num_tokens) + causal).bool()
            """,
            NAMED,
        ),
        Wrong(
            "upper",
            """
            def decoder_mask(lengths, num_tokens):
                causal = torch.triu(torch.ones(num_tokens, num_tokens, dtype=torch.bool))
                return padding_mask(lengths, num_tokens) & causal
            """,
            NAMED,
        ),
        Wrong(
            "strict-upper",
            """
            def decoder_mask(lengths, num_tokens):
                causal = torch.triu(torch.ones(num_tokens, num_tokens), diagonal=1).bool()
                return padding_mask(lengths, num_tokens) & causal
            """,
            NAMED,
            says="hidden",
        ),
        Wrong(
            "diagonal-hidden",
            """
            def decoder_mask(lengths, num_tokens):
                causal = torch.tril(torch.ones(num_tokens, num_tokens), diagonal=-1).bool()
                return padding_mask(lengths, num_tokens) & causal
            """,
            NAMED,
        ),
        Wrong(
            "one-too-many",
            """
            def decoder_mask(lengths, num_tokens):
                causal = torch.ones(num_tokens, num_tokens).tril(1).bool()
                return causal & padding_mask(lengths, num_tokens)
            """,
            VALUES,
            never=SAME_TWICE,
        ),
        Wrong(
            "floats",
            """
            def decoder_mask(lengths, num_tokens):
                return padding_mask(lengths, num_tokens) * torch.tril(torch.ones(num_tokens, num_tokens))
            """,
            DTYPE + NAMED,
        ),
        Wrong(
            "notebook-mask",
            """
            def decoder_mask(lengths, num_tokens):
                return padding_mask(lengths, num_tokens) & mask.bool()
            """,
            NAMED + RAISED,
            keeps=1,
        ),
        Wrong(
            "notebook-mask-float",
            """
            def decoder_mask(lengths, num_tokens):
                return padding_mask(lengths, num_tokens) & mask
            """,
            RAISED,
        ),
        Wrong(
            "notebook-sizes",
            """
            def decoder_mask(lengths, num_tokens):
                causal = torch.tril(torch.ones(max_sequence_length, max_sequence_length)).bool()
                return padding_mask(lengths, max_sequence_length) & causal
            """,
            SHAPE,
            keeps=1,
            says=NOTEBOOK,
        ),
        Wrong(
            "padded-queries-emptied",
            """
            def decoder_mask(lengths, num_tokens):
                causal = torch.tril(torch.ones(num_tokens, num_tokens, dtype=torch.bool))
                keys = padding_mask(lengths, num_tokens)
                return causal & keys & keys.transpose(-2, -1)
            """,
            NAMED,
            says="keys",
        ),
        Wrong(
            "padding-on-queries",
            """
            def decoder_mask(lengths, num_tokens):
                causal = torch.tril(torch.ones(num_tokens, num_tokens, dtype=torch.bool))
                return causal & padding_mask(lengths, num_tokens).transpose(-2, -1)
            """,
            NAMED,
        ),
        Wrong(
            "means-hidden",
            """
            def decoder_mask(lengths, num_tokens):
                causal = torch.tril(torch.ones(num_tokens, num_tokens, dtype=torch.bool))
                return ~(causal & padding_mask(lengths, num_tokens))
            """,
            NAMED,
        ),
        Wrong(
            "hidden-and-may-look-mixed",
            """
            def decoder_mask(lengths, num_tokens):
                future = torch.triu(torch.ones(num_tokens, num_tokens, dtype=torch.bool), diagonal=1)
                return padding_mask(lengths, num_tokens) & future
            """,
            NAMED,
        ),
        Wrong(
            "xor",
            """
            def decoder_mask(lengths, num_tokens):
                causal = torch.tril(torch.ones(num_tokens, num_tokens, dtype=torch.bool))
                return padding_mask(lengths, num_tokens) ^ causal
            """,
            VALUES,
            never=SAME_TWICE,
        ),
        Wrong(
            "equal",
            """
            def decoder_mask(lengths, num_tokens):
                causal = torch.tril(torch.ones(num_tokens, num_tokens, dtype=torch.bool))
                return padding_mask(lengths, num_tokens) == causal
            """,
            VALUES,
            never=SAME_TWICE,
        ),
        Wrong(
            "squeezed-head-axis",
            """
            def decoder_mask(lengths, num_tokens):
                causal = torch.tril(torch.ones(num_tokens, num_tokens, dtype=torch.bool))
                return (padding_mask(lengths, num_tokens) & causal).squeeze(1)
            """,
            NAMED + SHAPE,
        ),
        Wrong(
            "four-heads",
            """
            def decoder_mask(lengths, num_tokens):
                causal = torch.tril(torch.ones(num_tokens, num_tokens, dtype=torch.bool))
                return (padding_mask(lengths, num_tokens) & causal).repeat(1, num_heads, 1, 1)
            """,
            SHAPE,
        ),
        Wrong(
            "batch-lost",
            """
            def decoder_mask(lengths, num_tokens):
                causal = torch.tril(torch.ones(num_tokens, num_tokens, dtype=torch.bool))
                return (causal & padding_mask(lengths, num_tokens))[:1]
            """,
            SHAPE,
        ),
        Wrong(
            "tuple-of-masks",
            """
            def decoder_mask(lengths, num_tokens):
                causal = torch.tril(torch.ones(num_tokens, num_tokens, dtype=torch.bool))
                return causal, padding_mask(lengths, num_tokens)
            """,
            TYPE,
        ),
        Wrong(
            "nothing-returned",
            """
            def decoder_mask(lengths, num_tokens):
                causal = torch.tril(torch.ones(num_tokens, num_tokens, dtype=torch.bool))
                both = causal & padding_mask(lengths, num_tokens)
            """,
            TYPE,
        ),
        Wrong(
            "transposed",
            """
            def decoder_mask(lengths, num_tokens):
                causal = torch.tril(torch.ones(num_tokens, num_tokens, dtype=torch.bool))
                return (causal & padding_mask(lengths, num_tokens)).transpose(-2, -1)
            """,
            VALUES,
            never=SAME_TWICE,
        ),
        Wrong(
            "longest",
            """
            def decoder_mask(lengths, num_tokens):
                n = int(lengths.max())
                return padding_mask(lengths, n) & torch.ones(n, n).tril().bool()
            """,
            SHAPE,
        ),
        Wrong(
            "only-shortest",
            """
            def decoder_mask(lengths, num_tokens):
                causal = torch.ones(num_tokens, num_tokens).tril().bool()
                causal[:, lengths.min() :] = False
                return causal.expand(len(lengths), 1, -1, -1)
            """,
            VALUES,
            never="never filled in",
        ),
        Wrong(
            "own-less-or-equal",
            """
            def decoder_mask(lengths, num_tokens):
                i = torch.arange(num_tokens)
                return ((i[None, :] <= i[:, None]) & (i[None, :] <= lengths[:, None, None]))[:, None]
            """,
            VALUES,
            never=SAME_TWICE,
        ),
        Wrong(
            "own-position-always",
            """
            def decoder_mask(lengths, num_tokens):
                causal = torch.ones(num_tokens, num_tokens).tril().bool()
                return (padding_mask(lengths, num_tokens) & causal) | torch.eye(num_tokens, dtype=torch.bool)
            """,
            VALUES,
            never=SAME_TWICE,
        ),
        Wrong(
            "integers",
            """
            def decoder_mask(lengths, num_tokens):
                causal = torch.tril(torch.ones(num_tokens, num_tokens, dtype=torch.int))
                return padding_mask(lengths, num_tokens).int() & causal
            """,
            DTYPE + NAMED,
        ),
        Wrong(
            "additive",
            """
            def decoder_mask(lengths, num_tokens):
                causal = torch.tril(torch.ones(num_tokens, num_tokens, dtype=torch.bool))
                may = causal & padding_mask(lengths, num_tokens)
                return torch.zeros(may.shape).masked_fill(~may, -torch.inf)
            """,
            (*NOT_FINITE, "WrongDtype"),
            never="dividing by zero or from exp",
        ),
        Wrong(
            "two-axis-padding",
            """
            def decoder_mask(lengths, num_tokens):
                real = torch.arange(num_tokens) < lengths[:, None]
                causal = torch.tril(torch.ones(num_tokens, num_tokens, dtype=torch.bool))
                return (real & causal)[:, None]
            """,
            RAISED,
        ),
        Wrong(
            "figure-called",
            """
            def decoder_mask(lengths, num_tokens):
                return combined_masks(mask, lengths, ["t0", "t1", "t2", "pad", "pad"])
            """,
            RAISED,
        ),
    ),
    right=(
        Right(
            "and",
            """
            def decoder_mask(lengths, num_tokens):
                causal = torch.tril(torch.ones(num_tokens, num_tokens, dtype=torch.bool))  # (query, key)
                return padding_mask(lengths, num_tokens) & causal
            """,
        ),
        Right(
            "product",
            """
            def decoder_mask(lengths, num_tokens):
                causal = torch.tril(torch.ones(num_tokens, num_tokens)).bool()
                return causal[None, None] * padding_mask(lengths, num_tokens)
            """,
        ),
        Right(
            "logical-and",
            """
            def decoder_mask(lengths, num_tokens):
                i = torch.arange(num_tokens)
                return torch.logical_and(i[:, None] >= i, padding_mask(lengths, num_tokens))
            """,
        ),
        Right(
            "de-morgan",
            """
            def decoder_mask(lengths, num_tokens):
                future = torch.triu(torch.ones(num_tokens, num_tokens), diagonal=1).bool()
                return ~(future | ~padding_mask(lengths, num_tokens))
            """,
        ),
        Right(
            "tril-of-the-padding",
            """
            def decoder_mask(lengths, num_tokens):
                return padding_mask(lengths, num_tokens).expand(-1, -1, num_tokens, -1).tril()
            """,
        ),
        Right(
            "without-padding-mask",
            """
            def decoder_mask(lengths, num_tokens):
                i = torch.arange(num_tokens)
                limit = torch.minimum(i[None, None, :, None] + 1, lengths[:, None, None, None])
                return i < limit
            """,
        ),
        Right(
            "loops",
            """
            def decoder_mask(lengths, num_tokens):
                out = torch.zeros(lengths.shape[0], 1, num_tokens, num_tokens, dtype=torch.bool)
                for b, n in enumerate(lengths.tolist()):
                    for query in range(num_tokens):
                        out[b, 0, query, : min(query + 1, n)] = True
                return out
            """,
        ),
        Right(
            "floats-and-bool",
            """
            def decoder_mask(lengths, num_tokens):
                causal = torch.tril(torch.ones((num_tokens, num_tokens)))
                return (padding_mask(lengths, num_tokens).float() * causal) == 1
            """,
        ),
        Right(
            "masked-fill",
            """
            def decoder_mask(lengths, num_tokens):
                m = torch.ones(len(lengths), 1, num_tokens, num_tokens).tril()
                return m.masked_fill(padding_mask(lengths, num_tokens) == 0, 0).bool()
            """,
        ),
        Right(
            "stacked",
            """
            def decoder_mask(lengths, num_tokens):
                def one(n):
                    m = torch.ones(num_tokens, num_tokens).tril()
                    m[:, n:] = 0
                    return m.bool()

                return torch.stack([one(n) for n in lengths]).unsqueeze(1)
            """,
        ),
        Right(
            "all-of-both",
            """
            def decoder_mask(lengths, num_tokens):
                a = padding_mask(lengths, num_tokens)
                b = torch.tril(torch.ones(num_tokens, num_tokens, dtype=torch.bool))
                return torch.stack(torch.broadcast_tensors(a, b)).all(dim=0)
            """,
        ),
        Right(
            "fused-with-einsum",
            """
            def decoder_mask(lengths, num_tokens):
                real = (torch.arange(num_tokens) < lengths[:, None]).float()
                causal = torch.tril(torch.ones(num_tokens, num_tokens))
                return torch.einsum("bk,qk->bqk", real, causal).bool().unsqueeze(1)
            """,
        ),
    ),
)

MASKED_SOFTMAX = Mutants(
    wrong=(
        Wrong(
            "nan-rows",
            """
            def masked_softmax(scores, mask):
                return torch.softmax(scores.masked_fill(mask == 0, float("-inf")), dim=-1)
            """,
            NAMED + NOT_FINITE,
            keeps=1,
            never=r"\bquerie\b",
        ),
        Wrong(
            "minus-1e9",
            """
            def masked_softmax(scores, mask):
                return torch.softmax(scores.masked_fill(mask == 0, -1e9), dim=-1)
            """,
            NAMED,
            keeps=1,
            says="evenly",
        ),
        Wrong(
            "finfo-min",
            """
            def masked_softmax(scores, mask):
                return F.softmax(scores.masked_fill(~mask.bool(), torch.finfo(scores.dtype).min), dim=-1)
            """,
            NAMED,
            keeps=1,
        ),
        Wrong(
            "additive-painted-over",
            """
            def masked_softmax(scores, mask):
                bias = torch.zeros(mask.shape).masked_fill(mask == 0, float("-inf"))
                return torch.softmax(scores + bias, dim=-1).nan_to_num(0.0)
            """,
            NAMED,
            keeps=2,
            says="gradient",
        ),
        Wrong(
            "additive-filled-after",
            """
            def masked_softmax(scores, mask):
                bias = torch.zeros(mask.shape).masked_fill(mask == 0, float("-inf"))
                return torch.softmax(scores + bias, dim=-1).masked_fill(mask == 0, 0)
            """,
            NAMED,
            keeps=2,
        ),
        Wrong(
            "times-mask-after-inf",
            """
            def masked_softmax(scores, mask):
                return torch.softmax(scores.masked_fill(mask == 0, float("-inf")), dim=-1) * mask
            """,
            NAMED + NOT_FINITE,
            keeps=1,
        ),
        Wrong(
            "zeroed-not-renormalised",
            """
            def masked_softmax(scores, mask):
                return torch.softmax(scores, dim=-1) * mask
            """,
            NAMED,
        ),
        Wrong(
            "zero-filled-first",
            """
            def masked_softmax(scores, mask):
                return torch.softmax(scores.masked_fill(mask == 0, 0), dim=-1)
            """,
            NAMED,
        ),
        Wrong(
            "scores-times-mask",
            """
            def masked_softmax(scores, mask):
                return torch.softmax(scores * mask, dim=-1) * mask
            """,
            NAMED,
        ),
        Wrong(
            "polarity",
            """
            def masked_softmax(scores, mask):
                w = torch.softmax(scores.masked_fill(mask == 1, float("-inf")), dim=-1)
                return w.masked_fill(mask == 1, 0)
            """,
            NAMED,
        ),
        Wrong(
            "bool-polarity",
            """
    def masked_softmax(scores, mask):
        return scores.masked_fill(mask.bool(), float("-inf")).softmax(-1).masked_fill(mask.bool(), 0.0)
            """,
            NAMED,
        ),
        Wrong(
            "tilde-of-an-int",
            """
            def masked_softmax(scores, mask):
                w = scores.masked_fill(~mask, float("-inf")).softmax(-1)
                return w.masked_fill(~mask, 0.0)
            """,
            NAMED + RAISED,
        ),
        Wrong(
            "over-the-queries",
            """
            def masked_softmax(scores, mask):
                return scores.masked_fill(mask == 0, -torch.inf).softmax(dim=-2).masked_fill(mask == 0, 0)
            """,
            NAMED,
        ),
        Wrong(
            "over-the-heads",
            """
            def masked_softmax(scores, mask):
                return scores.masked_fill(mask == 0, -torch.inf).softmax(dim=1).masked_fill(mask == 0, 0)
            """,
            NAMED,
        ),
        Wrong(
            "fill-in-place",
            """
            def masked_softmax(scores, mask):
                scores.masked_fill_(mask == 0, float("-inf"))
                return torch.softmax(scores, dim=-1).masked_fill(mask == 0, 0)
            """,
            NAMED + RULE,
            says="masked_fill`, without",
        ),
        Wrong(
            "index-in-place",
            """
            def masked_softmax(scores, mask):
                scores[(mask == 0).expand_as(scores)] = -1e9
                return scores.softmax(-1).masked_fill(mask == 0, 0)
            """,
            NAMED + RULE,
        ),
        Wrong(
            "plus-equals",
            """
            def masked_softmax(scores, mask):
                scores += (mask.float() - 1) * 1e9
                return torch.softmax(scores, dim=-1) * mask
            """,
            NAMED + RULE,
        ),
        Wrong(
            "row-divided-by-zero",
            """
            def masked_softmax(scores, mask):
                e = torch.exp(scores) * mask
                return e / e.sum(dim=-1, keepdim=True)
            """,
            NAMED + NOT_FINITE,
        ),
        Wrong(
            "epsilon-too-large",
            """
            def masked_softmax(scores, mask):
                e = torch.exp(scores) * mask
                return e / (e.sum(dim=-1, keepdim=True) + 1e-2)
            """,
            VALUES,
            never=SAME_TWICE,
        ),
        Wrong(
            "exp-overflows",
            """
            def masked_softmax(scores, mask):
                e = torch.exp(scores) * mask
                return e / e.sum(dim=-1, keepdim=True).clamp(min=1e-9)
            """,
            NOT_FINITE,
            keeps=2,
        ),
        Wrong(
            "notebook-mask",
            """
            def masked_softmax(scores, mask):
                may = torch.tril(torch.ones(max_sequence_length, max_sequence_length))
                return scores.masked_fill(may == 0, -torch.inf).softmax(-1).masked_fill(may == 0, 0)
            """,
            RAISED,
            says=NOTEBOOK,
        ),
        Wrong(
            "notebook-scores",
            """
    def masked_softmax(scores, mask):
        return torch.softmax(head_scores.masked_fill(mask == 0, float("-inf")), -1).masked_fill(mask == 0, 0)
            """,
            RAISED,
        ),
        Wrong(
            "mask-ignored",
            """
            def masked_softmax(scores, mask):
                return torch.softmax(scores, dim=-1)
            """,
            VALUES,
            never=r"\bquerie\b",
        ),
        Wrong(
            "mask-added",
            """
            def masked_softmax(scores, mask):
                return torch.softmax(scores + mask, dim=-1)
            """,
            NAMED,
        ),
        Wrong(
            "zero-times-inf",
            """
            def masked_softmax(scores, mask):
                return torch.softmax(scores + (1 - mask.int()) * float("-inf"), dim=-1).nan_to_num()
            """,
            VALUES,
            never=SAME_TWICE,
        ),
        Wrong(
            "fill-discarded",
            """
            def masked_softmax(scores, mask):
                scores.masked_fill(mask == 0, float("-inf"))
                w = torch.softmax(scores, dim=-1)
                return w.masked_fill(mask == 0, 0)
            """,
            NAMED,
        ),
        Wrong(
            "scaled-too",
            """
    def masked_softmax(scores, mask):
        d_k = scores.shape[-1]
        return (scores / d_k**0.5).masked_fill(mask == 0, -torch.inf).softmax(-1).masked_fill(mask == 0, 0)
            """,
            VALUES,
            never=SAME_TWICE,
        ),
        Wrong(
            "whole-tensor-nan-test",
            """
            def masked_softmax(scores, mask):
                w = torch.softmax(scores.masked_fill(mask == 0, float("-inf")), dim=-1)
                if torch.isnan(w).any():
                    return torch.zeros_like(scores)
                return w
            """,
            VALUES,
            keeps=1,
            never=SAME_TWICE,
        ),
        Wrong(
            "small-constant",
            """
            def masked_softmax(scores, mask):
                return scores.masked_fill(mask == 0, -20.0).softmax(-1).masked_fill(mask == 0, 0)
            """,
            NAMED + VALUES,
            keeps=2,
        ),
        Wrong(
            "ones-in-empty-rows",
            """
            def masked_softmax(scores, mask):
                empty = (mask == 0).all(dim=-1, keepdim=True)
                w = scores.masked_fill((mask == 0) & ~empty, -torch.inf).softmax(-1)
                return w
            """,
            VALUES,
            keeps=1,
            never=SAME_TWICE,
        ),
        Wrong(
            "returns-none",
            """
            def masked_softmax(scores, mask):
                w = torch.softmax(scores.masked_fill(mask == 0, float("-inf")), dim=-1)
                w.masked_fill_(mask == 0, 0)
            """,
            TYPE,
        ),
        Wrong(
            "in-place-after-softmax",
            """
            def masked_softmax(scores, mask):
                w = torch.softmax(scores.masked_fill(mask == 0, float("-inf")), dim=-1)
                w[(mask == 0).expand_as(w)] = 0
                return w.detach()
            """,
            BEHAVIOUR,
            keeps=2,
        ),
        Wrong(
            "no-gradient",
            """
            def masked_softmax(scores, mask):
                with torch.no_grad():
                    w = torch.softmax(scores.masked_fill(mask == 0, float("-inf")), dim=-1)
                    return w.masked_fill(mask == 0, 0)
            """,
            BEHAVIOUR,
            keeps=2,
            says="no_grad",
        ),
        Wrong(
            "wrong-argument-order",
            """
    def masked_softmax(mask, scores):
        return torch.softmax(scores.masked_fill(mask == 0, -torch.inf), dim=-1).masked_fill(mask == 0, 0)
            """,
            VALUES,
            never=SAME_TWICE,
        ),
        Wrong(
            "dim-forgotten",
            """
            def masked_softmax(scores, mask):
                return F.softmax(scores.masked_fill(mask == 0, float("-inf"))).masked_fill(mask == 0, 0)
            """,
            NAMED,
        ),
        Wrong(
            "nan-to-num-before",
            """
            def masked_softmax(scores, mask):
                return torch.softmax(scores.masked_fill(mask == 0, float("-inf")).nan_to_num(), dim=-1)
            """,
            NAMED,
            keeps=1,
        ),
        Wrong(
            "mask-indexing-drops-axes",
            """
            def masked_softmax(scores, mask):
                return torch.softmax(scores[mask.bool().expand_as(scores)], dim=-1)
            """,
            SHAPE,
        ),
        Wrong(
            "sdpa",
            """
            def masked_softmax(scores, mask):
                return F.scaled_dot_product_attention(scores, scores, scores, attn_mask=mask.bool())
            """,
            RULE,
        ),
        Wrong(
            "reassigned-mask-in-place",
            """
            def masked_softmax(scores, mask):
                mask = mask.float()
                mask[mask == 0] = float("-inf")
                mask[mask == 1] = 0
                w = torch.softmax(scores + mask, dim=-1)
                w[w != w] = 0
                return w
            """,
            RULE,
            keeps=1,
        ),
        Wrong(
            "minus-100",
            """
            def masked_softmax(scores, mask):
                weights = torch.softmax(scores.masked_fill(mask == 0, -100), dim=-1)
                return weights * mask
            """,
            NAMED + VALUES,
            keeps=2,
        ),
    ),
    right=(
        Right(
            "painted-over",
            """
            def masked_softmax(scores, mask):
                return torch.softmax(scores.masked_fill(mask == 0, float("-inf")), dim=-1).nan_to_num()
            """,
        ),
        Right(
            "painted-over-with-zero",
            """
            def masked_softmax(scores, mask):
                w = torch.softmax(scores.masked_fill(mask == 0, float("-inf")), dim=-1)
                return torch.nan_to_num(w, nan=0.0)
            """,
        ),
        Right(
            "where-nan",
            """
            def masked_softmax(scores, mask):
                w = torch.softmax(torch.where(mask.bool(), scores, -torch.inf), dim=-1)
                return torch.where(w.isnan(), 0.0, w)
            """,
        ),
        Right(
            "minus-1e4",
            """
            def masked_softmax(scores, mask):
                return torch.softmax(scores.masked_fill(mask == 0, -1e4), dim=-1).masked_fill(mask == 0, 0)
            """,
        ),
        Right(
            "filled-twice",
            """
    def masked_softmax(scores, mask):
        hidden = mask == 0
        return torch.softmax(scores.masked_fill(hidden, float("-inf")), dim=-1).masked_fill(hidden, 0.0)
            """,
        ),
        Right(
            "finfo-min-and-fill",
            """
            def masked_softmax(scores, mask):
                may = mask.bool()
                w = F.softmax(scores.masked_fill(~may, torch.finfo(scores.dtype).min), dim=-1)
                return w.masked_fill(~may, 0)
            """,
        ),
        Right(
            "minus-1e9-times-mask",
            """
            def masked_softmax(scores, mask):
                return torch.softmax(scores.masked_fill(mask == 0, -1e9), dim=-1) * mask
            """,
        ),
        Right(
            "where",
            """
            def masked_softmax(scores, mask):
                may = mask.to(torch.bool)
                w = torch.where(may, scores, torch.full_like(scores, -1e9)).softmax(-1)
                return torch.where(may, w, torch.zeros_like(w))
            """,
        ),
        Right(
            "stable-exponentials",
            """
            def masked_softmax(scores, mask):
                top = scores.masked_fill(mask == 0, -1e9).amax(dim=-1, keepdim=True)
                e = torch.exp((scores - top).masked_fill(mask == 0, -1e9))
                e = e * mask
                return e / e.sum(-1, keepdim=True).clamp_min(1e-9)
            """,
        ),
        Right(
            "empty-rows-shown-then-cleared",
            """
            def masked_softmax(scores, mask):
                may = mask.bool().expand_as(scores)
                empty = ~may.any(dim=-1, keepdim=True)
                w = scores.masked_fill(~may & ~empty, float("-inf")).softmax(dim=-1)
                return w.masked_fill(empty, 0.0)
            """,
        ),
        Right(
            "any-times",
            """
            def masked_softmax(scores, mask):
                m = mask.bool()
                w = torch.softmax(scores.masked_fill(~m, -1e9), dim=-1)
                return w * m.any(dim=-1, keepdim=True)
            """,
        ),
        Right(
            "copy-then-index",
            """
            def masked_softmax(scores, mask):
                s = scores.clone()
                hidden = torch.broadcast_to(mask == 0, s.shape)
                s[hidden] = float("-inf")
                return s.softmax(-1).masked_fill(hidden, 0)
            """,
        ),
        Right(
            "large-bias-and-where",
            """
            def masked_softmax(scores, mask):
                bias = (1.0 - mask.to(scores.dtype)) * -1e9
                return (scores + bias).softmax(dim=-1) * mask.to(scores.dtype)
            """,
        ),
        Right(
            "scores-times-mask-plus-bias",
            """
            def masked_softmax(scores, mask):
                may = mask.to(scores.dtype)
                return torch.softmax(scores * may - 1e9 * (1 - may), dim=-1) * may
            """,
        ),
        Right(
            "float64",
            """
            def masked_softmax(scores: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
                hidden = mask == 0
                w = scores.double().masked_fill(hidden, float("-inf")).softmax(-1)
                return w.masked_fill(hidden, 0).to(scores.dtype)
            """,
        ),
        Right(
            "row-loop",
            """
            def masked_softmax(scores, mask):
                may = mask.bool().expand(scores.shape)
                rows = []
                for row, see in zip(scores.reshape(-1, scores.shape[-1]), may.reshape(-1, scores.shape[-1])):
                    out = torch.zeros_like(row)
                    if see.any():
                        out = out.masked_scatter(see, row[see].softmax(0))
                    rows.append(out)
                return torch.stack(rows).view(scores.shape)
            """,
        ),
        Right(
            "lambda",
            """
            masked_softmax = lambda scores, mask: (
                scores.masked_fill(mask == 0, -torch.inf).softmax(-1).masked_fill(mask == 0, 0)
            )
            """,
        ),
        Right(
            "nan-to-num-behind-a-fill",
            """
            def masked_softmax(scores, mask):
                hidden = torch.logical_not(mask)
                w = nn.Softmax(dim=-1)(scores.masked_fill(hidden, float("-inf")))
                return torch.nan_to_num(w.masked_fill(hidden, 0.0))
            """,
        ),
    ),
)

BUG_QUERY_LENGTH = Mutants(
    wrong=(
        Wrong(
            "as-given",
            """
            def cross_scores(q, k, num_heads):
                batch_size, max_sequence_length, d_model = q.shape
                d_k = d_model // num_heads
                q = q.reshape(batch_size, max_sequence_length, num_heads, d_k).transpose(1, 2)
                k = k.reshape(batch_size, max_sequence_length, num_heads, d_k).transpose(1, 2)
                return q @ k.transpose(-2, -1) / d_k**0.5  # (b, heads, target, source)
            """,
            NAMED + RAISED,
            says="as it was given",
        ),
        Wrong(
            "length-of-the-keys-for-both",
            """
            def cross_scores(q, k, num_heads):
                batch_size, max_sequence_length, d_model = k.shape
                d_k = d_model // num_heads
                q = q.reshape(batch_size, max_sequence_length, num_heads, d_k).transpose(1, 2)
                k = k.reshape(batch_size, max_sequence_length, num_heads, d_k).transpose(1, 2)
                return q @ k.transpose(-2, -1) / d_k**0.5
            """,
            NAMED + RAISED,
        ),
        Wrong(
            "source-cut",
            """
            def cross_scores(q, k, num_heads):
                batch_size, max_sequence_length, d_model = q.shape
                d_k = d_model // num_heads
                k = k[:, :max_sequence_length]
                q = q.reshape(batch_size, max_sequence_length, num_heads, d_k).transpose(1, 2)
                k = k.reshape(batch_size, -1, num_heads, d_k).transpose(1, 2)
                return q @ k.transpose(-2, -1) / d_k**0.5
            """,
            SHAPE,
            keeps=1,
        ),
        Wrong(
            "both-cut",
            """
            def cross_scores(q, k, num_heads):
                n = min(q.shape[1], k.shape[1])
                q, k = q[:, :n], k[:, :n]
                batch_size, max_sequence_length, d_model = q.shape
                d_k = d_model // num_heads
                q = q.reshape(batch_size, n, num_heads, d_k).transpose(1, 2)
                k = k.reshape(batch_size, n, num_heads, d_k).transpose(1, 2)
                return q @ k.transpose(-2, -1) / d_k**0.5
            """,
            SHAPE,
        ),
        Wrong(
            "source-filled-up",
            """
            def cross_scores(q, k, num_heads):
                batch_size, max_sequence_length, d_model = q.shape
                d_k = d_model // num_heads
                k = F.pad(k, (0, 0, 0, max_sequence_length - k.shape[1]))
                q = q.reshape(batch_size, max_sequence_length, num_heads, d_k).transpose(1, 2)
                k = k.reshape(batch_size, max_sequence_length, num_heads, d_k).transpose(1, 2)
                return q @ k.transpose(-2, -1) / d_k**0.5
            """,
            NAMED + SHAPE,
        ),
        Wrong(
            "both-filled-to-the-longer",
            """
            def cross_scores(q, k, num_heads):
                n = max(q.shape[1], k.shape[1])
                q = F.pad(q, (0, 0, 0, n - q.shape[1]))
                k = F.pad(k, (0, 0, 0, n - k.shape[1]))
                b, _, d_model = q.shape
                d_k = d_model // num_heads
                q = q.reshape(b, n, num_heads, d_k).transpose(1, 2)
                k = k.reshape(b, n, num_heads, d_k).transpose(1, 2)
                return q @ k.transpose(-2, -1) / d_k**0.5
            """,
            SHAPE,
        ),
        Wrong(
            "interpolated",
            """
            def cross_scores(q, k, num_heads):
                batch_size, max_sequence_length, d_model = q.shape
                d_k = d_model // num_heads
                k = F.interpolate(k.mT, size=max_sequence_length).mT
                q = q.reshape(batch_size, max_sequence_length, num_heads, d_k).transpose(1, 2)
                k = k.reshape(batch_size, max_sequence_length, num_heads, d_k).transpose(1, 2)
                return q @ k.transpose(-2, -1) / d_k**0.5
            """,
            SHAPE,
        ),
        Wrong(
            "typed-six",
            """
            def cross_scores(q, k, num_heads):
                batch_size, max_sequence_length, d_model = q.shape
                d_k = d_model // num_heads
                q = q.reshape(batch_size, max_sequence_length, num_heads, d_k).transpose(1, 2)
                k = k.reshape(batch_size, 6, num_heads, d_k).transpose(1, 2)
                return q @ k.transpose(-2, -1) / d_k**0.5
            """,
            RAISED,
        ),
        Wrong(
            "free-axis-in-the-wrong-place",
            """
            def cross_scores(q, k, num_heads):
                batch_size, max_sequence_length, d_model = q.shape
                d_k = d_model // num_heads
                q = q.reshape(batch_size, max_sequence_length, num_heads, d_k).transpose(1, 2)
                k = k.reshape(batch_size, max_sequence_length, num_heads, -1).transpose(1, 2)
                return q @ k.transpose(-2, -1) / d_k**0.5
            """,
            RAISED,
        ),
        Wrong(
            "try-and-except",
            """
            def cross_scores(q, k, num_heads):
                batch_size, max_sequence_length, d_model = q.shape
                d_k = d_model // num_heads
                q = q.reshape(batch_size, max_sequence_length, num_heads, d_k).transpose(1, 2)
                try:
                    k = k.reshape(batch_size, max_sequence_length, num_heads, d_k).transpose(1, 2)
                except RuntimeError:
                    k = q
                return q @ k.transpose(-2, -1) / d_k**0.5
            """,
            NAMED + SHAPE,
            says="caught, not mended",
        ),
        Wrong(
            "silent-zeros",
            """
            def cross_scores(q, k, num_heads):
                try:
                    b, t, d_model = q.shape
                    d_k = d_model // num_heads
                    q = q.reshape(b, t, num_heads, d_k).transpose(1, 2)
                    k = k.reshape(b, t, num_heads, d_k).transpose(1, 2)
                    return q @ k.transpose(-2, -1) / d_k**0.5
                except RuntimeError:
                    return torch.zeros(b, num_heads, t, k.shape[1])
            """,
            VALUES,
            never=SAME_TWICE,
        ),
        Wrong(
            "transpose-dropped-for-the-keys",
            """
            def cross_scores(q, k, num_heads):
                batch_size, target, d_model = q.shape
                source = k.shape[1]
                d_k = d_model // num_heads
                q = q.reshape(batch_size, target, num_heads, d_k).transpose(1, 2)
                k = k.reshape(batch_size, num_heads, source, d_k)
                return q @ k.transpose(-2, -1) / d_k**0.5
            """,
            NAMED,
        ),
        Wrong(
            "keys-in-place-of-queries",
            """
            def cross_scores(q, k, num_heads):
                batch_size, target, d_model = q.shape
                source = k.shape[1]
                d_k = d_model // num_heads
                q = q.reshape(batch_size, target, num_heads, d_k).transpose(1, 2)
                k = k.reshape(batch_size, source, num_heads, d_k).transpose(1, 2)
                return k @ q.transpose(-2, -1) / d_k**0.5
            """,
            VALUES,
            never=SAME_TWICE,
        ),
        Wrong(
            "scaled-by-d-model",
            """
            def cross_scores(q, k, num_heads):
                b, t, d_model = q.shape
                q = q.reshape(b, t, num_heads, -1).transpose(1, 2)
                k = k.reshape(b, k.shape[1], num_heads, -1).transpose(1, 2)
                return q @ k.transpose(-2, -1) / d_model**0.5
            """,
            NAMED,
        ),
        Wrong(
            "not-scaled-any-more",
            """
            def cross_scores(q, k, num_heads):
                q, k = into_heads(q, num_heads), into_heads(k, num_heads)
                return q @ k.transpose(-2, -1)
            """,
            NAMED,
        ),
        Wrong(
            "scaled-by-the-source-length",
            """
            def cross_scores(q, k, num_heads):
                b, t, d_model = q.shape
                source = k.shape[1]
                d_k = d_model // num_heads
                q = q.reshape(b, t, num_heads, d_k).transpose(1, 2)
                k = k.reshape(b, source, num_heads, d_k).transpose(1, 2)
                return q @ k.transpose(-2, -1) / k.shape[2] ** 0.5
            """,
            VALUES,
            never=SAME_TWICE,
        ),
        Wrong(
            "wrong-index",
            """
            def cross_scores(q, k, num_heads):
                batch_size, max_sequence_length, d_model = q.shape
                d_k = d_model // num_heads
                q = q.reshape(batch_size, max_sequence_length, num_heads, d_k).transpose(1, 2)
                k = k.reshape(batch_size, k.shape[0], num_heads, d_k).transpose(1, 2)
                return q @ k.transpose(-2, -1) / d_k**0.5
            """,
            RAISED,
        ),
        Wrong(
            "keys-expanded-from-one",
            """
    def cross_scores(q, k, num_heads):
        b, t, d_model = q.shape
        d_k = d_model // num_heads
        q = q.reshape(b, t, num_heads, d_k).transpose(1, 2)
        k = k.mean(dim=1, keepdim=True).expand(-1, t, -1).reshape(b, t, num_heads, d_k).transpose(1, 2)
        return q @ k.transpose(-2, -1) / d_k**0.5
            """,
            VALUES,
            never=SAME_TWICE,
        ),
        Wrong(
            "softmax-too",
            """
            def cross_scores(q, k, num_heads):
                d_k = q.shape[-1] // num_heads
                scores = into_heads(q, num_heads) @ into_heads(k, num_heads).mT / d_k**0.5
                return torch.softmax(scores, dim=-1)
            """,
            VALUES,
            never=SAME_TWICE,
        ),
        Wrong(
            "source-length-from-the-notebook",
            """
            def cross_scores(q, k, num_heads):
                b, t, d_model = q.shape
                d_k = d_model // num_heads
                q = q.reshape(b, t, num_heads, d_k).transpose(1, 2)
                k = k.reshape(b, len(source), num_heads, d_k).transpose(1, 2)
                return q @ k.transpose(-2, -1) / d_k**0.5
            """,
            RAISED,
            says=NOTEBOOK,
        ),
        Wrong(
            "notebook-head-size",
            """
            def cross_scores(q, k, num_heads):
                b, target, d_model = q.shape
                _, source, _ = k.shape
                q = q.reshape(b, target, num_heads, d_k).transpose(1, 2)
                k = k.reshape(b, source, num_heads, d_k).transpose(1, 2)
                return q @ k.transpose(-2, -1) / d_k**0.5
            """,
            NAMED + RAISED,
            says="from the notebook",
            never="equal length",
        ),
        Wrong(
            "variable-overwritten",
            """
            def cross_scores(q, k, num_heads):
                batch_size, max_sequence_length, d_model = q.shape
                d_k = d_model // num_heads
                q = q.reshape(batch_size, max_sequence_length, num_heads, d_k).transpose(1, 2)
                max_sequence_length = q.shape[1]
                k = k.reshape(batch_size, max_sequence_length, num_heads, d_k).transpose(1, 2)
                return q @ k.transpose(-2, -1) / d_k**0.5
            """,
            RAISED,
        ),
        Wrong(
            "return-lost",
            """
            def cross_scores(q, k, num_heads):
                batch_size, target, d_model = q.shape
                d_k = d_model // num_heads
                q = q.reshape(batch_size, target, num_heads, d_k).transpose(1, 2)
                k = k.reshape(batch_size, k.shape[1], num_heads, d_k).transpose(1, 2)
                scores = q @ k.transpose(-2, -1) / d_k**0.5
            """,
            TYPE,
        ),
        Wrong(
            "nan-hidden-cut-loop",
            """
            def cross_scores(q, k, num_heads):
                b, t, d_model = q.shape
                d_k = d_model // num_heads
                out = torch.zeros(b, num_heads, t, k.shape[1])
                for h in range(num_heads):
                    for i in range(t):
                        for j in range(min(t, k.shape[1])):
                            part = slice(h * d_k, (h + 1) * d_k)
                            out[:, h, i, j] = (q[:, i, part] * k[:, j, part]).sum(-1) / d_k**0.5
                return out
            """,
            VALUES,
            keeps=1,
            never=SAME_TWICE,
        ),
        Wrong(
            "heads-added",
            """
            def cross_scores(q, k, num_heads):
                d_k = q.shape[-1] // num_heads
                return q @ k.transpose(-2, -1) / d_k**0.5
            """,
            SHAPE,
        ),
        Wrong(
            "deleted",
            """
            # I do not understand this task
            pass
            """,
            MISSING,
        ),
        Wrong(
            "source-filled-from-the-start",
            """
            def cross_scores(q, k, num_heads):
                batch_size, max_sequence_length, d_model = q.shape
                d_k = d_model // num_heads
                full = torch.zeros(batch_size, max_sequence_length, d_model)
                n = min(max_sequence_length, k.shape[1])
                full[:, :n] = k[:, :n]
                q = q.reshape(batch_size, max_sequence_length, num_heads, d_k).transpose(1, 2)
                k = full.reshape(batch_size, max_sequence_length, num_heads, d_k).transpose(1, 2)
                return q @ k.transpose(-2, -1) / d_k**0.5
            """,
            NAMED + SHAPE,
        ),
        Wrong(
            "scaled-in-place-in-the-queries",
            """
            def cross_scores(q, k, num_heads):
                b, t, d_model = q.shape
                d_k = d_model // num_heads
                q /= d_k**0.5
                q = q.reshape(b, t, num_heads, d_k).transpose(1, 2)
                k = k.reshape(b, -1, num_heads, d_k).transpose(1, 2)
                return q @ k.transpose(-2, -1)
            """,
            RULE,
        ),
    ),
    right=(
        Right(
            "shape-of-the-keys",
            """
            def cross_scores(q, k, num_heads):
                batch_size, max_sequence_length, d_model = q.shape
                d_k = d_model // num_heads
                q = q.reshape(batch_size, max_sequence_length, num_heads, d_k).transpose(1, 2)
                k = k.reshape(batch_size, k.shape[1], num_heads, d_k).transpose(1, 2)
                return q @ k.transpose(-2, -1) / d_k**0.5
            """,
        ),
        Right(
            "minus-one",
            """
            def cross_scores(q, k, num_heads):
                batch_size, max_sequence_length, d_model = q.shape
                d_k = d_model // num_heads
                q = q.reshape(batch_size, max_sequence_length, num_heads, d_k).transpose(1, 2)
                k = k.reshape(batch_size, -1, num_heads, d_k).transpose(1, 2)
                return q @ k.transpose(-2, -1) / d_k**0.5
            """,
        ),
        Right(
            "two-lengths",
            """
            def cross_scores(q, k, num_heads):
                batch_size, target_length, d_model = q.size()
                source_length = k.size(1)
                d_k = d_model // num_heads
                q = q.view(batch_size, target_length, num_heads, d_k).transpose(1, 2)
                k = k.view(batch_size, source_length, num_heads, d_k).transpose(1, 2)
                return torch.matmul(q, k.transpose(-1, -2)) * d_k**-0.5
            """,
        ),
        Right(
            "into-heads",
            """
            def cross_scores(q, k, num_heads):
                q = into_heads(q, num_heads)
                k = into_heads(k, num_heads)
                return q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
            """,
        ),
        Right(
            "straight-to-the-transposed-keys",
            """
            def cross_scores(q, k, num_heads):
                b, target, d_model = q.shape
                d_k = d_model // num_heads
                q = q.reshape(b, target, num_heads, d_k).permute(0, 2, 1, 3)
                k_t = k.reshape(b, k.shape[1], num_heads, d_k).permute(0, 2, 3, 1)
                return (q @ k_t) / d_k**0.5
            """,
        ),
        Right(
            "einsum",
            """
            def cross_scores(q, k, num_heads):
                q = q.unflatten(-1, (num_heads, -1))
                k = k.unflatten(-1, (num_heads, -1))
                return torch.einsum("bthd,bshd->bhts", q, k) / q.shape[-1] ** 0.5
            """,
        ),
        Right(
            "a-list-of-heads",
            """
            def cross_scores(q, k, num_heads):
                d_k = q.shape[-1] // num_heads
                pairs = zip(q.split(d_k, dim=-1), k.split(d_k, dim=-1))
                return torch.stack([a @ b.mT for a, b in pairs], dim=1) / d_k**0.5
            """,
        ),
        Right(
            "loops",
            """
            def cross_scores(q, k, num_heads):
                b, t, d = q.shape
                s = k.shape[1]
                out = torch.empty(b, num_heads, t, s)
                w = d // num_heads
                for i in range(t):
                    for j in range(s):
                        out[:, :, i, j] = (q[:, i] * k[:, j]).view(b, num_heads, w).sum(-1)
                return out / w**0.5
            """,
        ),
        Right(
            "bmm",
            """
            def cross_scores(q, k, num_heads):
                b, t, d_model = q.shape
                d_k = d_model // num_heads

                def fold(x):
                    return x.reshape(b, -1, num_heads, d_k).transpose(1, 2).reshape(b * num_heads, -1, d_k)

                return torch.bmm(fold(q), fold(k).transpose(1, 2)).div(d_k**0.5).view(b, num_heads, t, -1)
            """,
        ),
    ),
)

MULTI_HEAD_ATTENTION = Mutants(
    wrong=(
        Wrong(
            "forward-left-out",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_model, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_model // num_heads
                    self.query = nn.Linear(d_model, d_model)
                    self.key = nn.Linear(d_model, d_model)
                    self.value = nn.Linear(d_model, d_model)
                    self.fc = nn.Linear(d_model, d_model)

                def forward(self, q_input, k_input, v_input, mask=None):
                    ...
            """,
            STUB,
        ),
        Wrong(
            "layers-left-out",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_model, num_heads):
                    super().__init__()
                    self.num_heads = num_heads

                def forward(self, q_input, k_input, v_input, mask=None):
                    q = into_heads(self.query(q_input), self.num_heads)
                    k = into_heads(self.key(k_input), self.num_heads)
                    v = into_heads(self.value(v_input), self.num_heads)
                    scores = q @ k.transpose(-2, -1) / self.head_dim**0.5
                    if mask is None:
                        weights = torch.softmax(scores, dim=-1)
                    else:
                        weights = masked_softmax(scores, mask)
                    return self.fc(merge_heads(weights @ v))
            """,
            NAMED + PARAMETERS,
            never="made in `forward`",
        ),
        Wrong(
            "layers-in-a-list",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_model, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_model // num_heads
                    self.layers = [nn.Linear(d_model, d_model) for _ in range(3)]
                    self.fc = nn.Linear(d_model, d_model)

                def forward(self, q_input, k_input, v_input, mask=None):
                    q = into_heads(self.layers[0](q_input), self.num_heads)
                    k = into_heads(self.layers[1](k_input), self.num_heads)
                    v = into_heads(self.layers[2](v_input), self.num_heads)
                    scores = q @ k.transpose(-2, -1) / self.head_dim**0.5
                    if mask is None:
                        weights = torch.softmax(scores, dim=-1)
                    else:
                        weights = masked_softmax(scores, mask)
                    return self.fc(merge_heads(weights @ v))
            """,
            NAMED + PARAMETERS,
        ),
        Wrong(
            "module-list",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_model, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_model // num_heads
                    self.layers = nn.ModuleList([nn.Linear(d_model, d_model) for _ in range(3)])
                    self.fc = nn.Linear(d_model, d_model)

                def forward(self, q_input, k_input, v_input, mask=None):
                    q = into_heads(self.layers[0](q_input), self.num_heads)
                    k = into_heads(self.layers[1](k_input), self.num_heads)
                    v = into_heads(self.layers[2](v_input), self.num_heads)
                    scores = q @ k.transpose(-2, -1) / self.head_dim**0.5
                    if mask is None:
                        weights = torch.softmax(scores, dim=-1)
                    else:
                        weights = masked_softmax(scores, mask)
                    return self.fc(merge_heads(weights @ v))
            """,
            PARAMETERS,
        ),
        Wrong(
            "names-of-lesson-05",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_model, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_model // num_heads
                    self.W_query = nn.Linear(d_model, d_model)
                    self.W_key = nn.Linear(d_model, d_model)
                    self.W_value = nn.Linear(d_model, d_model)
                    self.out_proj = nn.Linear(d_model, d_model)

                def forward(self, q_input, k_input, v_input, mask=None):
                    b, t, d = q_input.shape
                    s = k_input.shape[1]
                    q = self.W_query(q_input).view(b, t, self.num_heads, self.head_dim).transpose(1, 2)
                    k = self.W_key(k_input).view(b, s, self.num_heads, self.head_dim).transpose(1, 2)
                    v = self.W_value(v_input).view(b, s, self.num_heads, self.head_dim).transpose(1, 2)
                    scores = torch.matmul(q, k.transpose(-2, -1)) / self.head_dim**0.5
                    if mask is not None:
                        scores = scores.masked_fill(mask == 0, float("-inf"))
                    weights = torch.softmax(scores, dim=-1)
                    if mask is not None:
                        weights = weights.masked_fill(mask == 0, 0.0)
                    context = torch.matmul(weights, v)
                    context = context.transpose(1, 2).contiguous().view(b, t, d)
                    return self.out_proj(context)
            """,
            PARAMETERS,
            says="W_query",
        ),
        Wrong(
            "chat-names",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_model, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_model // num_heads
                    self.w_q = nn.Linear(d_model, d_model)
                    self.w_k = nn.Linear(d_model, d_model)
                    self.w_v = nn.Linear(d_model, d_model)
                    self.w_o = nn.Linear(d_model, d_model)

                def forward(self, q_input, k_input, v_input, mask=None):
                    b, t, d = q_input.shape
                    s = k_input.shape[1]
                    q = self.w_q(q_input).view(b, t, self.num_heads, self.head_dim).transpose(1, 2)
                    k = self.w_k(k_input).view(b, s, self.num_heads, self.head_dim).transpose(1, 2)
                    v = self.w_v(v_input).view(b, s, self.num_heads, self.head_dim).transpose(1, 2)
                    scores = torch.matmul(q, k.transpose(-2, -1)) / self.head_dim**0.5
                    if mask is not None:
                        scores = scores.masked_fill(mask == 0, float("-inf"))
                    weights = torch.softmax(scores, dim=-1)
                    if mask is not None:
                        weights = weights.masked_fill(mask == 0, 0.0)
                    context = torch.matmul(weights, v)
                    context = context.transpose(1, 2).contiguous().view(b, t, d)
                    return self.w_o(context)
            """,
            PARAMETERS,
        ),
        Wrong(
            "out-proj-only-renamed",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_model, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_model // num_heads
                    self.query = nn.Linear(d_model, d_model)
                    self.key = nn.Linear(d_model, d_model)
                    self.value = nn.Linear(d_model, d_model)
                    self.out_proj = nn.Linear(d_model, d_model)

                def forward(self, q_input, k_input, v_input, mask=None):
                    q = into_heads(self.query(q_input), self.num_heads)
                    k = into_heads(self.key(k_input), self.num_heads)
                    v = into_heads(self.value(v_input), self.num_heads)
                    scores = q @ k.transpose(-2, -1) / self.head_dim**0.5
                    if mask is None:
                        weights = torch.softmax(scores, dim=-1)
                    else:
                        weights = masked_softmax(scores, mask)
                    return self.out_proj(merge_heads(weights @ v))
            """,
            PARAMETERS,
        ),
        Wrong(
            "no-bias-in-the-projections",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_model, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_model // num_heads
                    self.query = nn.Linear(d_model, d_model, bias=False)
                    self.key = nn.Linear(d_model, d_model, bias=False)
                    self.value = nn.Linear(d_model, d_model, bias=False)
                    self.fc = nn.Linear(d_model, d_model)

                def forward(self, q_input, k_input, v_input, mask=None):
                    q = into_heads(self.query(q_input), self.num_heads)
                    k = into_heads(self.key(k_input), self.num_heads)
                    v = into_heads(self.value(v_input), self.num_heads)
                    scores = q @ k.transpose(-2, -1) / self.head_dim**0.5
                    if mask is None:
                        weights = torch.softmax(scores, dim=-1)
                    else:
                        weights = masked_softmax(scores, mask)
                    return self.fc(merge_heads(weights @ v))
            """,
            PARAMETERS,
        ),
        Wrong(
            "head-sized-layers",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_model, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_model // num_heads
                    self.query = nn.Linear(d_model, self.head_dim)
                    self.key = nn.Linear(d_model, self.head_dim)
                    self.value = nn.Linear(d_model, self.head_dim)
                    self.fc = nn.Linear(d_model, d_model)

                def forward(self, q_input, k_input, v_input, mask=None):
                    q = into_heads(self.query(q_input), self.num_heads)
                    k = into_heads(self.key(k_input), self.num_heads)
                    v = into_heads(self.value(v_input), self.num_heads)
                    scores = q @ k.transpose(-2, -1) / self.head_dim**0.5
                    if mask is None:
                        weights = torch.softmax(scores, dim=-1)
                    else:
                        weights = masked_softmax(scores, mask)
                    return self.fc(merge_heads(weights @ v))
            """,
            PARAMETERS,
        ),
        Wrong(
            "d-model-for-every-head",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_model, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_model // num_heads
                    self.query = nn.Linear(d_model, d_model * num_heads)
                    self.key = nn.Linear(d_model, d_model * num_heads)
                    self.value = nn.Linear(d_model, d_model * num_heads)
                    self.fc = nn.Linear(d_model, d_model)

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
                    return self.fc(context)
            """,
            PARAMETERS,
        ),
        Wrong(
            "fused-qkv",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_model, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.qkv = nn.Linear(d_model, 3 * d_model)
                    self.fc = nn.Linear(d_model, d_model)

                def forward(self, q_input, k_input, v_input, mask=None):
                    q, k, v = self.qkv(q_input).chunk(3, dim=-1)
                    q, k, v = (into_heads(part, self.num_heads) for part in (q, k, v))
                    out = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
                    return self.fc(merge_heads(out))
            """,
            PARAMETERS,
        ),
        Wrong(
            "parameters-as-matrices",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_model, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.query = nn.Parameter(torch.rand(d_model, d_model))
                    self.key = nn.Parameter(torch.rand(d_model, d_model))
                    self.value = nn.Parameter(torch.rand(d_model, d_model))
                    self.fc = nn.Linear(d_model, d_model)

                def forward(self, q_input, k_input, v_input, mask=None):
                    q = into_heads(q_input @ self.query, self.num_heads)
                    k = into_heads(k_input @ self.key, self.num_heads)
                    v = into_heads(v_input @ self.value, self.num_heads)
                    scores = q @ k.mT / q.shape[-1] ** 0.5
                    weights = scores.softmax(-1) if mask is None else masked_softmax(scores, mask)
                    return self.fc(merge_heads(weights @ v))
            """,
            PARAMETERS,
        ),
        Wrong(
            "fc-missing",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_model, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_model // num_heads
                    self.query = nn.Linear(d_model, d_model)
                    self.key = nn.Linear(d_model, d_model)
                    self.value = nn.Linear(d_model, d_model)

                def forward(self, q_input, k_input, v_input, mask=None):
                    q = into_heads(self.query(q_input), self.num_heads)
                    k = into_heads(self.key(k_input), self.num_heads)
                    v = into_heads(self.value(v_input), self.num_heads)
                    scores = q @ k.transpose(-2, -1) / self.head_dim**0.5
                    if mask is None:
                        weights = torch.softmax(scores, dim=-1)
                    else:
                        weights = masked_softmax(scores, mask)
                    return merge_heads(weights @ v)
            """,
            PARAMETERS,
        ),
        Wrong(
            "fc-not-applied",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_model, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_model // num_heads
                    self.query = nn.Linear(d_model, d_model)
                    self.key = nn.Linear(d_model, d_model)
                    self.value = nn.Linear(d_model, d_model)
                    self.fc = nn.Linear(d_model, d_model)

                def forward(self, q_input, k_input, v_input, mask=None):
                    q = into_heads(self.query(q_input), self.num_heads)
                    k = into_heads(self.key(k_input), self.num_heads)
                    v = into_heads(self.value(v_input), self.num_heads)
                    scores = q @ k.transpose(-2, -1) / self.head_dim**0.5
                    if mask is None:
                        weights = torch.softmax(scores, dim=-1)
                    else:
                        weights = masked_softmax(scores, mask)
                    return merge_heads(weights @ v)
            """,
            NAMED,
        ),
        Wrong(
            "fc-twice",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_model, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_model // num_heads
                    self.query = nn.Linear(d_model, d_model)
                    self.key = nn.Linear(d_model, d_model)
                    self.value = nn.Linear(d_model, d_model)
                    self.fc = nn.Linear(d_model, d_model)

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
                    return self.fc(self.fc(context))
            """,
            NAMED,
        ),
        Wrong(
            "key-layer-for-the-values",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_model, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_model // num_heads
                    self.query = nn.Linear(d_model, d_model)
                    self.key = nn.Linear(d_model, d_model)
                    self.value = nn.Linear(d_model, d_model)
                    self.fc = nn.Linear(d_model, d_model)

                def forward(self, q_input, k_input, v_input, mask=None):
                    q = into_heads(self.query(q_input), self.num_heads)
                    k = into_heads(self.key(k_input), self.num_heads)
                    v = into_heads(self.key(v_input), self.num_heads)
                    scores = q @ k.transpose(-2, -1) / self.head_dim**0.5
                    if mask is None:
                        weights = torch.softmax(scores, dim=-1)
                    else:
                        weights = masked_softmax(scores, mask)
                    return self.fc(merge_heads(weights @ v))
            """,
            NAMED,
        ),
        Wrong(
            "values-from-k-input",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_model, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_model // num_heads
                    self.query = nn.Linear(d_model, d_model)
                    self.key = nn.Linear(d_model, d_model)
                    self.value = nn.Linear(d_model, d_model)
                    self.fc = nn.Linear(d_model, d_model)

                def forward(self, q_input, k_input, v_input, mask=None):
                    q = into_heads(self.query(q_input), self.num_heads)
                    k = into_heads(self.key(k_input), self.num_heads)
                    v = into_heads(self.value(k_input), self.num_heads)
                    scores = q @ k.transpose(-2, -1) / self.head_dim**0.5
                    if mask is None:
                        weights = torch.softmax(scores, dim=-1)
                    else:
                        weights = masked_softmax(scores, mask)
                    return self.fc(merge_heads(weights @ v))
            """,
            NAMED,
            keeps=3,
        ),
        Wrong(
            "keys-from-v-input",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_model, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_model // num_heads
                    self.query = nn.Linear(d_model, d_model)
                    self.key = nn.Linear(d_model, d_model)
                    self.value = nn.Linear(d_model, d_model)
                    self.fc = nn.Linear(d_model, d_model)

                def forward(self, q_input, k_input, v_input, mask=None):
                    q = into_heads(self.query(q_input), self.num_heads)
                    k = into_heads(self.key(v_input), self.num_heads)
                    v = into_heads(self.value(v_input), self.num_heads)
                    scores = q @ k.transpose(-2, -1) / self.head_dim**0.5
                    if mask is None:
                        weights = torch.softmax(scores, dim=-1)
                    else:
                        weights = masked_softmax(scores, mask)
                    return self.fc(merge_heads(weights @ v))
            """,
            VALUES,
            keeps=3,
            never=SAME_TWICE,
        ),
        Wrong(
            "keys-and-values-from-the-target",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_model, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_model // num_heads
                    self.query = nn.Linear(d_model, d_model)
                    self.key = nn.Linear(d_model, d_model)
                    self.value = nn.Linear(d_model, d_model)
                    self.fc = nn.Linear(d_model, d_model)

                def forward(self, q_input, k_input, v_input, mask=None):
                    q = into_heads(self.query(q_input), self.num_heads)
                    k = into_heads(self.key(q_input), self.num_heads)
                    v = into_heads(self.value(q_input), self.num_heads)
                    scores = q @ k.transpose(-2, -1) / self.head_dim**0.5
                    if mask is None:
                        weights = torch.softmax(scores, dim=-1)
                    else:
                        weights = masked_softmax(scores, mask)
                    return self.fc(merge_heads(weights @ v))
            """,
            NAMED,
            keeps=2,
        ),
        Wrong(
            "values-from-the-target",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_model, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_model // num_heads
                    self.query = nn.Linear(d_model, d_model)
                    self.key = nn.Linear(d_model, d_model)
                    self.value = nn.Linear(d_model, d_model)
                    self.fc = nn.Linear(d_model, d_model)

                def forward(self, q_input, k_input, v_input, mask=None):
                    q = into_heads(self.query(q_input), self.num_heads)
                    k = into_heads(self.key(k_input), self.num_heads)
                    v = into_heads(self.value(q_input), self.num_heads)
                    scores = q @ k.transpose(-2, -1) / self.head_dim**0.5
                    if mask is None:
                        weights = torch.softmax(scores, dim=-1)
                    else:
                        weights = masked_softmax(scores, mask)
                    return self.fc(merge_heads(weights @ v))
            """,
            BEHAVIOUR,
            never="knows no order",
            xfail="told about the order of tokens; the wrong input was projected, and that is not said",
        ),
        Wrong(
            "query-from-the-source",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_model, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_model // num_heads
                    self.query = nn.Linear(d_model, d_model)
                    self.key = nn.Linear(d_model, d_model)
                    self.value = nn.Linear(d_model, d_model)
                    self.fc = nn.Linear(d_model, d_model)

                def forward(self, q_input, k_input, v_input, mask=None):
                    q = into_heads(self.query(k_input), self.num_heads)
                    k = into_heads(self.key(k_input), self.num_heads)
                    v = into_heads(self.value(v_input), self.num_heads)
                    scores = q @ k.transpose(-2, -1) / self.head_dim**0.5
                    if mask is None:
                        weights = torch.softmax(scores, dim=-1)
                    else:
                        weights = masked_softmax(scores, mask)
                    return self.fc(merge_heads(weights @ v))
            """,
            BEHAVIOUR,
            keeps=1,
            never="knows no order",
        ),
        Wrong(
            "length-of-the-query",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_model, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_model // num_heads
                    self.query = nn.Linear(d_model, d_model)
                    self.key = nn.Linear(d_model, d_model)
                    self.value = nn.Linear(d_model, d_model)
                    self.fc = nn.Linear(d_model, d_model)

                def forward(self, q_input, k_input, v_input, mask=None):
                    b, t, d = q_input.shape
                    s = t
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
                    return self.fc(context)
            """,
            NAMED + RAISED,
            keeps=2,
            says="query's length",
        ),
        Wrong(
            "view-without-transpose",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_model, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_model // num_heads
                    self.query = nn.Linear(d_model, d_model)
                    self.key = nn.Linear(d_model, d_model)
                    self.value = nn.Linear(d_model, d_model)
                    self.fc = nn.Linear(d_model, d_model)

                def forward(self, q_input, k_input, v_input, mask=None):
                    b, t, d = q_input.shape
                    s = k_input.shape[1]
                    q = self.query(q_input).view(b, self.num_heads, t, self.head_dim)
                    k = self.key(k_input).view(b, self.num_heads, s, self.head_dim)
                    v = self.value(v_input).view(b, self.num_heads, s, self.head_dim)
                    scores = torch.matmul(q, k.transpose(-2, -1)) / self.head_dim**0.5
                    if mask is not None:
                        scores = scores.masked_fill(mask == 0, float("-inf"))
                    weights = torch.softmax(scores, dim=-1)
                    if mask is not None:
                        weights = weights.masked_fill(mask == 0, 0.0)
                    context = torch.matmul(weights, v)
                    context = context.transpose(1, 2).contiguous().view(b, t, d)
                    return self.fc(context)
            """,
            NAMED,
        ),
        Wrong(
            "merged-without-transposing-back",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_model, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_model // num_heads
                    self.query = nn.Linear(d_model, d_model)
                    self.key = nn.Linear(d_model, d_model)
                    self.value = nn.Linear(d_model, d_model)
                    self.fc = nn.Linear(d_model, d_model)

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
                    context = context.contiguous().view(b, t, d)
                    return self.fc(context)
            """,
            NAMED,
        ),
        Wrong(
            "view-refuses",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_model, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_model // num_heads
                    self.query = nn.Linear(d_model, d_model)
                    self.key = nn.Linear(d_model, d_model)
                    self.value = nn.Linear(d_model, d_model)
                    self.fc = nn.Linear(d_model, d_model)

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
                    context = context.transpose(1, 2).view(b, t, d)
                    return self.fc(context)
            """,
            RAISED,
        ),
        Wrong(
            "heads-never-cut",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_model, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_model // num_heads
                    self.query = nn.Linear(d_model, d_model)
                    self.key = nn.Linear(d_model, d_model)
                    self.value = nn.Linear(d_model, d_model)
                    self.fc = nn.Linear(d_model, d_model)

                def forward(self, q_input, k_input, v_input, mask=None):
                    q, k, v = self.query(q_input), self.key(k_input), self.value(v_input)
                    scores = q @ k.transpose(-2, -1) / self.head_dim**0.5
                    if mask is not None:
                        scores = scores.masked_fill(mask == 0, float("-inf"))
                    return self.fc(torch.softmax(scores, dim=-1) @ v)
            """,
            VALUES,
            never=SAME_TWICE,
        ),
        Wrong(
            "not-scaled",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_model, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_model // num_heads
                    self.query = nn.Linear(d_model, d_model)
                    self.key = nn.Linear(d_model, d_model)
                    self.value = nn.Linear(d_model, d_model)
                    self.fc = nn.Linear(d_model, d_model)

                def forward(self, q_input, k_input, v_input, mask=None):
                    q = into_heads(self.query(q_input), self.num_heads)
                    k = into_heads(self.key(k_input), self.num_heads)
                    v = into_heads(self.value(v_input), self.num_heads)
                    scores = q @ k.transpose(-2, -1)
                    if mask is None:
                        weights = torch.softmax(scores, dim=-1)
                    else:
                        weights = masked_softmax(scores, mask)
                    return self.fc(merge_heads(weights @ v))
            """,
            NAMED,
        ),
        Wrong(
            "by-d-model",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_model, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_model // num_heads
                    self.query = nn.Linear(d_model, d_model)
                    self.key = nn.Linear(d_model, d_model)
                    self.value = nn.Linear(d_model, d_model)
                    self.fc = nn.Linear(d_model, d_model)

                def forward(self, q_input, k_input, v_input, mask=None):
                    q = into_heads(self.query(q_input), self.num_heads)
                    k = into_heads(self.key(k_input), self.num_heads)
                    v = into_heads(self.value(v_input), self.num_heads)
                    scores = q @ k.transpose(-2, -1) / q_input.shape[-1] ** 0.5
                    if mask is None:
                        weights = torch.softmax(scores, dim=-1)
                    else:
                        weights = masked_softmax(scores, mask)
                    return self.fc(merge_heads(weights @ v))
            """,
            NAMED,
        ),
        Wrong(
            "by-d-k",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_model, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_model // num_heads
                    self.query = nn.Linear(d_model, d_model)
                    self.key = nn.Linear(d_model, d_model)
                    self.value = nn.Linear(d_model, d_model)
                    self.fc = nn.Linear(d_model, d_model)

                def forward(self, q_input, k_input, v_input, mask=None):
                    q = into_heads(self.query(q_input), self.num_heads)
                    k = into_heads(self.key(k_input), self.num_heads)
                    v = into_heads(self.value(v_input), self.num_heads)
                    scores = q @ k.transpose(-2, -1) / self.head_dim
                    if mask is None:
                        weights = torch.softmax(scores, dim=-1)
                    else:
                        weights = masked_softmax(scores, mask)
                    return self.fc(merge_heads(weights @ v))
            """,
            NAMED,
        ),
        Wrong(
            "times-root",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_model, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_model // num_heads
                    self.query = nn.Linear(d_model, d_model)
                    self.key = nn.Linear(d_model, d_model)
                    self.value = nn.Linear(d_model, d_model)
                    self.fc = nn.Linear(d_model, d_model)

                def forward(self, q_input, k_input, v_input, mask=None):
                    q = into_heads(self.query(q_input), self.num_heads)
                    k = into_heads(self.key(k_input), self.num_heads)
                    v = into_heads(self.value(v_input), self.num_heads)
                    scores = q @ k.transpose(-2, -1) * self.head_dim**0.5
                    if mask is None:
                        weights = torch.softmax(scores, dim=-1)
                    else:
                        weights = masked_softmax(scores, mask)
                    return self.fc(merge_heads(weights @ v))
            """,
            NAMED,
        ),
        Wrong(
            "by-num-heads",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_model, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_model // num_heads
                    self.query = nn.Linear(d_model, d_model)
                    self.key = nn.Linear(d_model, d_model)
                    self.value = nn.Linear(d_model, d_model)
                    self.fc = nn.Linear(d_model, d_model)

                def forward(self, q_input, k_input, v_input, mask=None):
                    q = into_heads(self.query(q_input), self.num_heads)
                    k = into_heads(self.key(k_input), self.num_heads)
                    v = into_heads(self.value(v_input), self.num_heads)
                    scores = q @ k.transpose(-2, -1) / self.num_heads**0.5
                    if mask is None:
                        weights = torch.softmax(scores, dim=-1)
                    else:
                        weights = masked_softmax(scores, mask)
                    return self.fc(merge_heads(weights @ v))
            """,
            VALUES,
            never=SAME_TWICE,
        ),
        Wrong(
            "by-shape-0",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_model, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_model // num_heads
                    self.query = nn.Linear(d_model, d_model)
                    self.key = nn.Linear(d_model, d_model)
                    self.value = nn.Linear(d_model, d_model)
                    self.fc = nn.Linear(d_model, d_model)

                def forward(self, q_input, k_input, v_input, mask=None):
                    q = into_heads(self.query(q_input), self.num_heads)
                    k = into_heads(self.key(k_input), self.num_heads)
                    v = into_heads(self.value(v_input), self.num_heads)
                    scores = q @ k.transpose(-2, -1) / k.shape[0] ** 0.5
                    if mask is None:
                        weights = torch.softmax(scores, dim=-1)
                    else:
                        weights = masked_softmax(scores, mask)
                    return self.fc(merge_heads(weights @ v))
            """,
            VALUES,
            keeps=2,
            never=SAME_TWICE,
        ),
        Wrong(
            "by-shape-2",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_model, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_model // num_heads
                    self.query = nn.Linear(d_model, d_model)
                    self.key = nn.Linear(d_model, d_model)
                    self.value = nn.Linear(d_model, d_model)
                    self.fc = nn.Linear(d_model, d_model)

                def forward(self, q_input, k_input, v_input, mask=None):
                    b, t, d = q_input.shape
                    s = k_input.shape[1]
                    q = self.query(q_input).view(b, t, self.num_heads, self.head_dim).transpose(1, 2)
                    k = self.key(k_input).view(b, s, self.num_heads, self.head_dim).transpose(1, 2)
                    v = self.value(v_input).view(b, s, self.num_heads, self.head_dim).transpose(1, 2)
                    scores = torch.matmul(q, k.transpose(-2, -1)) / k.shape[2] ** 0.5
                    if mask is not None:
                        scores = scores.masked_fill(mask == 0, float("-inf"))
                    weights = torch.softmax(scores, dim=-1)
                    if mask is not None:
                        weights = weights.masked_fill(mask == 0, 0.0)
                    context = torch.matmul(weights, v)
                    context = context.transpose(1, 2).contiguous().view(b, t, d)
                    return self.fc(context)
            """,
            VALUES,
            never=SAME_TWICE,
        ),
        Wrong(
            "scaled-after-softmax",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_model, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_model // num_heads
                    self.query = nn.Linear(d_model, d_model)
                    self.key = nn.Linear(d_model, d_model)
                    self.value = nn.Linear(d_model, d_model)
                    self.fc = nn.Linear(d_model, d_model)

                def forward(self, q_input, k_input, v_input, mask=None):
                    q = into_heads(self.query(q_input), self.num_heads)
                    k = into_heads(self.key(k_input), self.num_heads)
                    v = into_heads(self.value(v_input), self.num_heads)
                    scores = q @ k.transpose(-2, -1)
                    if mask is None:
                        weights = torch.softmax(scores, dim=-1)
                    else:
                        weights = masked_softmax(scores, mask)
                    return self.fc(merge_heads(weights / self.head_dim**0.5 @ v))
            """,
            NAMED,
        ),
        Wrong(
            "scaled-twice",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_model, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_model // num_heads
                    self.query = nn.Linear(d_model, d_model)
                    self.key = nn.Linear(d_model, d_model)
                    self.value = nn.Linear(d_model, d_model)
                    self.fc = nn.Linear(d_model, d_model)

                def forward(self, q_input, k_input, v_input, mask=None):
                    q = into_heads(self.query(q_input), self.num_heads) / self.head_dim**0.5
                    k = into_heads(self.key(k_input), self.num_heads)
                    v = into_heads(self.value(v_input), self.num_heads)
                    scores = q @ k.transpose(-2, -1) / self.head_dim**0.5
                    if mask is None:
                        weights = torch.softmax(scores, dim=-1)
                    else:
                        weights = masked_softmax(scores, mask)
                    return self.fc(merge_heads(weights @ v))
            """,
            NAMED,
        ),
        Wrong(
            "notebook-d-k",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_model, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_model // num_heads
                    self.query = nn.Linear(d_model, d_model)
                    self.key = nn.Linear(d_model, d_model)
                    self.value = nn.Linear(d_model, d_model)
                    self.fc = nn.Linear(d_model, d_model)

                def forward(self, q_input, k_input, v_input, mask=None):
                    q = into_heads(self.query(q_input), self.num_heads)
                    k = into_heads(self.key(k_input), self.num_heads)
                    v = into_heads(self.value(v_input), self.num_heads)
                    scores = q @ k.transpose(-2, -1) / d_k**0.5
                    if mask is None:
                        weights = torch.softmax(scores, dim=-1)
                    else:
                        weights = masked_softmax(scores, mask)
                    return self.fc(merge_heads(weights @ v))
            """,
            VALUES,
            never=SAME_TWICE,
        ),
        Wrong(
            "notebook-num-heads",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_model, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_model // num_heads
                    self.query = nn.Linear(d_model, d_model)
                    self.key = nn.Linear(d_model, d_model)
                    self.value = nn.Linear(d_model, d_model)
                    self.fc = nn.Linear(d_model, d_model)

                def forward(self, q_input, k_input, v_input, mask=None):
                    q = into_heads(self.query(q_input), num_heads)
                    k = into_heads(self.key(k_input), num_heads)
                    v = into_heads(self.value(v_input), num_heads)
                    scores = q @ k.transpose(-2, -1) / self.head_dim**0.5
                    if mask is None:
                        weights = torch.softmax(scores, dim=-1)
                    else:
                        weights = masked_softmax(scores, mask)
                    return self.fc(merge_heads(weights @ v))
            """,
            VALUES,
            says=NOTEBOOK,
            never=SAME_TWICE,
        ),
        Wrong(
            "notebook-batch-size",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_model, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_model // num_heads
                    self.query = nn.Linear(d_model, d_model)
                    self.key = nn.Linear(d_model, d_model)
                    self.value = nn.Linear(d_model, d_model)
                    self.fc = nn.Linear(d_model, d_model)

                def forward(self, q_input, k_input, v_input, mask=None):
                    b, t, d = batch_size, q_input.shape[1], d_model
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
                    return self.fc(context)
            """,
            RAISED,
        ),
        Wrong(
            "mask-ignored",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_model, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_model // num_heads
                    self.query = nn.Linear(d_model, d_model)
                    self.key = nn.Linear(d_model, d_model)
                    self.value = nn.Linear(d_model, d_model)
                    self.fc = nn.Linear(d_model, d_model)

                def forward(self, q_input, k_input, v_input, mask=None):
                    q = into_heads(self.query(q_input), self.num_heads)
                    k = into_heads(self.key(k_input), self.num_heads)
                    v = into_heads(self.value(v_input), self.num_heads)
                    scores = q @ k.transpose(-2, -1) / self.head_dim**0.5
                    weights = torch.softmax(scores, dim=-1)
                    return self.fc(merge_heads(weights @ v))
            """,
            NAMED,
            keeps=3,
        ),
        Wrong(
            "mask-polarity",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_model, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_model // num_heads
                    self.query = nn.Linear(d_model, d_model)
                    self.key = nn.Linear(d_model, d_model)
                    self.value = nn.Linear(d_model, d_model)
                    self.fc = nn.Linear(d_model, d_model)

                def forward(self, q_input, k_input, v_input, mask=None):
                    b, t, d = q_input.shape
                    s = k_input.shape[1]
                    q = self.query(q_input).view(b, t, self.num_heads, self.head_dim).transpose(1, 2)
                    k = self.key(k_input).view(b, s, self.num_heads, self.head_dim).transpose(1, 2)
                    v = self.value(v_input).view(b, s, self.num_heads, self.head_dim).transpose(1, 2)
                    scores = torch.matmul(q, k.transpose(-2, -1)) / self.head_dim**0.5
                    if mask is not None:
                        scores = scores.masked_fill(mask == 1, float("-inf"))
                    weights = torch.softmax(scores, dim=-1)
                    if mask is not None:
                        weights = weights.masked_fill(mask == 1, 0.0)
                    context = torch.matmul(weights, v)
                    context = context.transpose(1, 2).contiguous().view(b, t, d)
                    return self.fc(context)
            """,
            NAMED,
            keeps=3,
            says="may look",
        ),
        Wrong(
            "mask-polarity-bool",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_model, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_model // num_heads
                    self.query = nn.Linear(d_model, d_model)
                    self.key = nn.Linear(d_model, d_model)
                    self.value = nn.Linear(d_model, d_model)
                    self.fc = nn.Linear(d_model, d_model)

                def forward(self, q_input, k_input, v_input, mask=None):
                    b, t, d = q_input.shape
                    s = k_input.shape[1]
                    q = self.query(q_input).view(b, t, self.num_heads, self.head_dim).transpose(1, 2)
                    k = self.key(k_input).view(b, s, self.num_heads, self.head_dim).transpose(1, 2)
                    v = self.value(v_input).view(b, s, self.num_heads, self.head_dim).transpose(1, 2)
                    scores = torch.matmul(q, k.transpose(-2, -1)) / self.head_dim**0.5
                    if mask is not None:
                        scores = scores.masked_fill(mask.bool(), float("-inf"))
                    weights = torch.softmax(scores, dim=-1)
                    if mask is not None:
                        weights = weights.masked_fill(mask.bool(), 0.0)
                    context = torch.matmul(weights, v)
                    context = context.transpose(1, 2).contiguous().view(b, t, d)
                    return self.fc(context)
            """,
            NAMED,
            keeps=3,
        ),
        Wrong(
            "nan-rows",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_model, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_model // num_heads
                    self.query = nn.Linear(d_model, d_model)
                    self.key = nn.Linear(d_model, d_model)
                    self.value = nn.Linear(d_model, d_model)
                    self.fc = nn.Linear(d_model, d_model)

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
                    context = torch.matmul(weights, v)
                    context = context.transpose(1, 2).contiguous().view(b, t, d)
                    return self.fc(context)
            """,
            NAMED + NOT_FINITE,
            keeps=5,
            says="masked_softmax",
        ),
        Wrong(
            "minus-1e9-and-no-more",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_model, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_model // num_heads
                    self.query = nn.Linear(d_model, d_model)
                    self.key = nn.Linear(d_model, d_model)
                    self.value = nn.Linear(d_model, d_model)
                    self.fc = nn.Linear(d_model, d_model)

                def forward(self, q_input, k_input, v_input, mask=None):
                    b, t, d = q_input.shape
                    s = k_input.shape[1]
                    q = self.query(q_input).view(b, t, self.num_heads, self.head_dim).transpose(1, 2)
                    k = self.key(k_input).view(b, s, self.num_heads, self.head_dim).transpose(1, 2)
                    v = self.value(v_input).view(b, s, self.num_heads, self.head_dim).transpose(1, 2)
                    scores = torch.matmul(q, k.transpose(-2, -1)) / self.head_dim**0.5
                    if mask is not None:
                        scores = scores.masked_fill(mask == 0, -1e9)
                    weights = torch.softmax(scores, dim=-1)
                    context = torch.matmul(weights, v)
                    context = context.transpose(1, 2).contiguous().view(b, t, d)
                    return self.fc(context)
            """,
            NAMED,
            keeps=5,
        ),
        Wrong(
            "zeros-in-the-scores",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_model, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_model // num_heads
                    self.query = nn.Linear(d_model, d_model)
                    self.key = nn.Linear(d_model, d_model)
                    self.value = nn.Linear(d_model, d_model)
                    self.fc = nn.Linear(d_model, d_model)

                def forward(self, q_input, k_input, v_input, mask=None):
                    b, t, d = q_input.shape
                    s = k_input.shape[1]
                    q = self.query(q_input).view(b, t, self.num_heads, self.head_dim).transpose(1, 2)
                    k = self.key(k_input).view(b, s, self.num_heads, self.head_dim).transpose(1, 2)
                    v = self.value(v_input).view(b, s, self.num_heads, self.head_dim).transpose(1, 2)
                    scores = torch.matmul(q, k.transpose(-2, -1)) / self.head_dim**0.5
                    if mask is not None:
                        scores = scores.masked_fill(mask == 0, 0)
                    weights = torch.softmax(scores, dim=-1)
                    context = torch.matmul(weights, v)
                    context = context.transpose(1, 2).contiguous().view(b, t, d)
                    return self.fc(context)
            """,
            NAMED,
            keeps=3,
        ),
        Wrong(
            "mask-added",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_model, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_model // num_heads
                    self.query = nn.Linear(d_model, d_model)
                    self.key = nn.Linear(d_model, d_model)
                    self.value = nn.Linear(d_model, d_model)
                    self.fc = nn.Linear(d_model, d_model)

                def forward(self, q_input, k_input, v_input, mask=None):
                    b, t, d = q_input.shape
                    s = k_input.shape[1]
                    q = self.query(q_input).view(b, t, self.num_heads, self.head_dim).transpose(1, 2)
                    k = self.key(k_input).view(b, s, self.num_heads, self.head_dim).transpose(1, 2)
                    v = self.value(v_input).view(b, s, self.num_heads, self.head_dim).transpose(1, 2)
                    scores = torch.matmul(q, k.transpose(-2, -1)) / self.head_dim**0.5
                    if mask is not None:
                        scores = scores + mask
                    weights = torch.softmax(scores, dim=-1)
                    context = torch.matmul(weights, v)
                    context = context.transpose(1, 2).contiguous().view(b, t, d)
                    return self.fc(context)
            """,
            NAMED,
            keeps=3,
        ),
        Wrong(
            "mask-times-weights",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_model, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_model // num_heads
                    self.query = nn.Linear(d_model, d_model)
                    self.key = nn.Linear(d_model, d_model)
                    self.value = nn.Linear(d_model, d_model)
                    self.fc = nn.Linear(d_model, d_model)

                def forward(self, q_input, k_input, v_input, mask=None):
                    b, t, d = q_input.shape
                    s = k_input.shape[1]
                    q = self.query(q_input).view(b, t, self.num_heads, self.head_dim).transpose(1, 2)
                    k = self.key(k_input).view(b, s, self.num_heads, self.head_dim).transpose(1, 2)
                    v = self.value(v_input).view(b, s, self.num_heads, self.head_dim).transpose(1, 2)
                    scores = torch.matmul(q, k.transpose(-2, -1)) / self.head_dim**0.5
                    weights = torch.softmax(scores, dim=-1)
                    if mask is not None:
                        weights = weights * mask
                    context = torch.matmul(weights, v)
                    context = context.transpose(1, 2).contiguous().view(b, t, d)
                    return self.fc(context)
            """,
            NAMED,
            keeps=3,
        ),
        Wrong(
            "fill-discarded",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_model, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_model // num_heads
                    self.query = nn.Linear(d_model, d_model)
                    self.key = nn.Linear(d_model, d_model)
                    self.value = nn.Linear(d_model, d_model)
                    self.fc = nn.Linear(d_model, d_model)

                def forward(self, q_input, k_input, v_input, mask=None):
                    b, t, d = q_input.shape
                    s = k_input.shape[1]
                    q = self.query(q_input).view(b, t, self.num_heads, self.head_dim).transpose(1, 2)
                    k = self.key(k_input).view(b, s, self.num_heads, self.head_dim).transpose(1, 2)
                    v = self.value(v_input).view(b, s, self.num_heads, self.head_dim).transpose(1, 2)
                    scores = torch.matmul(q, k.transpose(-2, -1)) / self.head_dim**0.5
                    if mask is not None:
                        scores.masked_fill(mask == 0, float("-inf"))
                    weights = torch.softmax(scores, dim=-1)
                    context = torch.matmul(weights, v)
                    context = context.transpose(1, 2).contiguous().view(b, t, d)
                    return self.fc(context)
            """,
            NAMED,
            keeps=3,
        ),
        Wrong(
            "if-mask",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_model, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_model // num_heads
                    self.query = nn.Linear(d_model, d_model)
                    self.key = nn.Linear(d_model, d_model)
                    self.value = nn.Linear(d_model, d_model)
                    self.fc = nn.Linear(d_model, d_model)

                def forward(self, q_input, k_input, v_input, mask=None):
                    b, t, d = q_input.shape
                    s = k_input.shape[1]
                    q = self.query(q_input).view(b, t, self.num_heads, self.head_dim).transpose(1, 2)
                    k = self.key(k_input).view(b, s, self.num_heads, self.head_dim).transpose(1, 2)
                    v = self.value(v_input).view(b, s, self.num_heads, self.head_dim).transpose(1, 2)
                    scores = torch.matmul(q, k.transpose(-2, -1)) / self.head_dim**0.5
                    if mask:
                        scores = scores.masked_fill(mask == 0, float("-inf"))
                    weights = torch.softmax(scores, dim=-1)
                    if mask:
                        weights = weights.masked_fill(mask == 0, 0.0)
                    context = torch.matmul(weights, v)
                    context = context.transpose(1, 2).contiguous().view(b, t, d)
                    return self.fc(context)
            """,
            RAISED,
            keeps=3,
        ),
        Wrong(
            "mask-not-equal-none-tuple",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_model, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_model // num_heads
                    self.query = nn.Linear(d_model, d_model)
                    self.key = nn.Linear(d_model, d_model)
                    self.value = nn.Linear(d_model, d_model)
                    self.fc = nn.Linear(d_model, d_model)

                def forward(self, q_input, k_input, v_input, mask=None):
                    b, t, d = q_input.shape
                    s = k_input.shape[1]
                    q = self.query(q_input).view(b, t, self.num_heads, self.head_dim).transpose(1, 2)
                    k = self.key(k_input).view(b, s, self.num_heads, self.head_dim).transpose(1, 2)
                    v = self.value(v_input).view(b, s, self.num_heads, self.head_dim).transpose(1, 2)
                    scores = torch.matmul(q, k.transpose(-2, -1)) / self.head_dim**0.5
                    if mask.any():
                        scores = scores.masked_fill(mask == 0, float("-inf"))
                    weights = torch.softmax(scores, dim=-1)
                    if mask.any():
                        weights = weights.masked_fill(mask == 0, 0.0)
                    context = torch.matmul(weights, v)
                    context = context.transpose(1, 2).contiguous().view(b, t, d)
                    return self.fc(context)
            """,
            RAISED,
            keeps=3,
        ),
        Wrong(
            "mask-required",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_model, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_model // num_heads
                    self.query = nn.Linear(d_model, d_model)
                    self.key = nn.Linear(d_model, d_model)
                    self.value = nn.Linear(d_model, d_model)
                    self.fc = nn.Linear(d_model, d_model)

                def forward(self, q_input, k_input, v_input, mask):
                    q = into_heads(self.query(q_input), self.num_heads)
                    k = into_heads(self.key(k_input), self.num_heads)
                    v = into_heads(self.value(v_input), self.num_heads)
                    scores = q @ k.transpose(-2, -1) / self.head_dim**0.5
                    if mask is None:
                        weights = torch.softmax(scores, dim=-1)
                    else:
                        weights = masked_softmax(scores, mask)
                    return self.fc(merge_heads(weights @ v))
            """,
            RAISED + NAMED,
            keeps=3,
        ),
        Wrong(
            "mask-unsqueezed-always",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_model, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_model // num_heads
                    self.query = nn.Linear(d_model, d_model)
                    self.key = nn.Linear(d_model, d_model)
                    self.value = nn.Linear(d_model, d_model)
                    self.fc = nn.Linear(d_model, d_model)

                def forward(self, q_input, k_input, v_input, mask=None):
                    b, t, d = q_input.shape
                    s = k_input.shape[1]
                    q = self.query(q_input).view(b, t, self.num_heads, self.head_dim).transpose(1, 2)
                    k = self.key(k_input).view(b, s, self.num_heads, self.head_dim).transpose(1, 2)
                    v = self.value(v_input).view(b, s, self.num_heads, self.head_dim).transpose(1, 2)
                    scores = torch.matmul(q, k.transpose(-2, -1)) / self.head_dim**0.5
                    if mask is not None:
                        mask = mask.unsqueeze(1)
                        scores = scores.masked_fill(mask == 0, float("-inf"))
                    weights = torch.softmax(scores, dim=-1)
                    if mask is not None:
                        weights = weights.masked_fill(mask == 0, 0.0)
                    context = torch.matmul(weights, v)
                    context = context.transpose(1, 2).contiguous().view(b, t, d)
                    return self.fc(context)
            """,
            RAISED,
            keeps=3,
        ),
        Wrong(
            "mask-of-two-axes-only",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_model, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_model // num_heads
                    self.query = nn.Linear(d_model, d_model)
                    self.key = nn.Linear(d_model, d_model)
                    self.value = nn.Linear(d_model, d_model)
                    self.fc = nn.Linear(d_model, d_model)

                def forward(self, q_input, k_input, v_input, mask=None):
                    b, t, d = q_input.shape
                    s = k_input.shape[1]
                    q = self.query(q_input).view(b, t, self.num_heads, self.head_dim).transpose(1, 2)
                    k = self.key(k_input).view(b, s, self.num_heads, self.head_dim).transpose(1, 2)
                    v = self.value(v_input).view(b, s, self.num_heads, self.head_dim).transpose(1, 2)
                    scores = torch.matmul(q, k.transpose(-2, -1)) / self.head_dim**0.5
                    if mask is not None:
                        mask = mask[:t, :s]
                        scores = scores.masked_fill(mask == 0, float("-inf"))
                    weights = torch.softmax(scores, dim=-1)
                    if mask is not None:
                        weights = weights.masked_fill(mask == 0, 0.0)
                    context = torch.matmul(weights, v)
                    context = context.transpose(1, 2).contiguous().view(b, t, d)
                    return self.fc(context)
            """,
            RAISED + NAMED,
            keeps=4,
        ),
        Wrong(
            "mask-squeezed",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_model, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_model // num_heads
                    self.query = nn.Linear(d_model, d_model)
                    self.key = nn.Linear(d_model, d_model)
                    self.value = nn.Linear(d_model, d_model)
                    self.fc = nn.Linear(d_model, d_model)

                def forward(self, q_input, k_input, v_input, mask=None):
                    b, t, d = q_input.shape
                    s = k_input.shape[1]
                    q = self.query(q_input).view(b, t, self.num_heads, self.head_dim).transpose(1, 2)
                    k = self.key(k_input).view(b, s, self.num_heads, self.head_dim).transpose(1, 2)
                    v = self.value(v_input).view(b, s, self.num_heads, self.head_dim).transpose(1, 2)
                    scores = torch.matmul(q, k.transpose(-2, -1)) / self.head_dim**0.5
                    if mask is not None:
                        mask = mask.squeeze()
                        scores = scores.masked_fill(mask == 0, float("-inf"))
                    weights = torch.softmax(scores, dim=-1)
                    if mask is not None:
                        weights = weights.masked_fill(mask == 0, 0.0)
                    context = torch.matmul(weights, v)
                    context = context.transpose(1, 2).contiguous().view(b, t, d)
                    return self.fc(context)
            """,
            RAISED,
            keeps=4,
        ),
        Wrong(
            "tilde-of-the-mask",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_model, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_model // num_heads
                    self.query = nn.Linear(d_model, d_model)
                    self.key = nn.Linear(d_model, d_model)
                    self.value = nn.Linear(d_model, d_model)
                    self.fc = nn.Linear(d_model, d_model)

                def forward(self, q_input, k_input, v_input, mask=None):
                    b, t, d = q_input.shape
                    s = k_input.shape[1]
                    q = self.query(q_input).view(b, t, self.num_heads, self.head_dim).transpose(1, 2)
                    k = self.key(k_input).view(b, s, self.num_heads, self.head_dim).transpose(1, 2)
                    v = self.value(v_input).view(b, s, self.num_heads, self.head_dim).transpose(1, 2)
                    scores = torch.matmul(q, k.transpose(-2, -1)) / self.head_dim**0.5
                    if mask is not None:
                        scores = scores.masked_fill(~mask, float("-inf"))
                    weights = torch.softmax(scores, dim=-1)
                    if mask is not None:
                        weights = weights.masked_fill(~mask, 0.0)
                    context = torch.matmul(weights, v)
                    context = context.transpose(1, 2).contiguous().view(b, t, d)
                    return self.fc(context)
            """,
            NAMED + RAISED,
            keeps=4,
        ),
        Wrong(
            "own-causal-mask",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_model, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_model // num_heads
                    self.query = nn.Linear(d_model, d_model)
                    self.key = nn.Linear(d_model, d_model)
                    self.value = nn.Linear(d_model, d_model)
                    self.fc = nn.Linear(d_model, d_model)

                def forward(self, q_input, k_input, v_input, mask=None):
                    q = into_heads(self.query(q_input), self.num_heads)
                    k = into_heads(self.key(k_input), self.num_heads)
                    v = into_heads(self.value(v_input), self.num_heads)
                    scores = q @ k.transpose(-2, -1) / self.head_dim**0.5
                    if mask is None:
                        weights = masked_softmax(scores, torch.ones(scores.shape[-2:]).tril())
                    else:
                        weights = masked_softmax(scores, mask)
                    return self.fc(merge_heads(weights @ v))
            """,
            VALUES,
            keeps=3,
            never=SAME_TWICE,
        ),
        Wrong(
            "softmax-over-queries",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_model, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_model // num_heads
                    self.query = nn.Linear(d_model, d_model)
                    self.key = nn.Linear(d_model, d_model)
                    self.value = nn.Linear(d_model, d_model)
                    self.fc = nn.Linear(d_model, d_model)

                def forward(self, q_input, k_input, v_input, mask=None):
                    b, t, d = q_input.shape
                    s = k_input.shape[1]
                    q = self.query(q_input).view(b, t, self.num_heads, self.head_dim).transpose(1, 2)
                    k = self.key(k_input).view(b, s, self.num_heads, self.head_dim).transpose(1, 2)
                    v = self.value(v_input).view(b, s, self.num_heads, self.head_dim).transpose(1, 2)
                    scores = torch.matmul(q, k.transpose(-2, -1)) / self.head_dim**0.5
                    if mask is not None:
                        scores = scores.masked_fill(mask == 0, float("-inf"))
                    weights = torch.softmax(scores, dim=-2)
                    if mask is not None:
                        weights = weights.masked_fill(mask == 0, 0.0)
                    context = torch.matmul(weights, v)
                    context = context.transpose(1, 2).contiguous().view(b, t, d)
                    return self.fc(context)
            """,
            NAMED,
        ),
        Wrong(
            "softmax-over-heads",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_model, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_model // num_heads
                    self.query = nn.Linear(d_model, d_model)
                    self.key = nn.Linear(d_model, d_model)
                    self.value = nn.Linear(d_model, d_model)
                    self.fc = nn.Linear(d_model, d_model)

                def forward(self, q_input, k_input, v_input, mask=None):
                    b, t, d = q_input.shape
                    s = k_input.shape[1]
                    q = self.query(q_input).view(b, t, self.num_heads, self.head_dim).transpose(1, 2)
                    k = self.key(k_input).view(b, s, self.num_heads, self.head_dim).transpose(1, 2)
                    v = self.value(v_input).view(b, s, self.num_heads, self.head_dim).transpose(1, 2)
                    scores = torch.matmul(q, k.transpose(-2, -1)) / self.head_dim**0.5
                    if mask is not None:
                        scores = scores.masked_fill(mask == 0, float("-inf"))
                    weights = torch.softmax(scores, dim=1)
                    if mask is not None:
                        weights = weights.masked_fill(mask == 0, 0.0)
                    context = torch.matmul(weights, v)
                    context = context.transpose(1, 2).contiguous().view(b, t, d)
                    return self.fc(context)
            """,
            NAMED,
        ),
        Wrong(
            "softmax-over-queries-when-unmasked",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_model, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_model // num_heads
                    self.query = nn.Linear(d_model, d_model)
                    self.key = nn.Linear(d_model, d_model)
                    self.value = nn.Linear(d_model, d_model)
                    self.fc = nn.Linear(d_model, d_model)

                def forward(self, q_input, k_input, v_input, mask=None):
                    q = into_heads(self.query(q_input), self.num_heads)
                    k = into_heads(self.key(k_input), self.num_heads)
                    v = into_heads(self.value(v_input), self.num_heads)
                    scores = q @ k.transpose(-2, -1) / self.head_dim**0.5
                    if mask is None:
                        weights = torch.softmax(scores, dim=2)
                    else:
                        weights = masked_softmax(scores, mask)
                    return self.fc(merge_heads(weights @ v))
            """,
            VALUES,
            keeps=3,
            never=SAME_TWICE,
        ),
        Wrong(
            "softmax-missing",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_model, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_model // num_heads
                    self.query = nn.Linear(d_model, d_model)
                    self.key = nn.Linear(d_model, d_model)
                    self.value = nn.Linear(d_model, d_model)
                    self.fc = nn.Linear(d_model, d_model)

                def forward(self, q_input, k_input, v_input, mask=None):
                    b, t, d = q_input.shape
                    s = k_input.shape[1]
                    q = self.query(q_input).view(b, t, self.num_heads, self.head_dim).transpose(1, 2)
                    k = self.key(k_input).view(b, s, self.num_heads, self.head_dim).transpose(1, 2)
                    v = self.value(v_input).view(b, s, self.num_heads, self.head_dim).transpose(1, 2)
                    scores = torch.matmul(q, k.transpose(-2, -1)) / self.head_dim**0.5
                    if mask is not None:
                        scores = scores.masked_fill(mask == 0, float("-inf"))
                    weights = scores
                    if mask is not None:
                        weights = weights.masked_fill(mask == 0, 0.0)
                    context = torch.matmul(weights, v)
                    context = context.transpose(1, 2).contiguous().view(b, t, d)
                    return self.fc(context)
            """,
            VALUES,
            never=SAME_TWICE,
        ),
        Wrong(
            "scores-transposed",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_model, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_model // num_heads
                    self.query = nn.Linear(d_model, d_model)
                    self.key = nn.Linear(d_model, d_model)
                    self.value = nn.Linear(d_model, d_model)
                    self.fc = nn.Linear(d_model, d_model)

                def forward(self, q_input, k_input, v_input, mask=None):
                    q = into_heads(self.query(q_input), self.num_heads)
                    k = into_heads(self.key(k_input), self.num_heads)
                    v = into_heads(self.value(v_input), self.num_heads)
                    scores = (k @ q.transpose(-2, -1)) / self.head_dim**0.5
                    if mask is None:
                        weights = torch.softmax(scores, dim=-1)
                    else:
                        weights = masked_softmax(scores, mask)
                    return self.fc(merge_heads(weights @ v))
            """,
            NAMED,
        ),
        Wrong(
            "weights-times-keys",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_model, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_model // num_heads
                    self.query = nn.Linear(d_model, d_model)
                    self.key = nn.Linear(d_model, d_model)
                    self.value = nn.Linear(d_model, d_model)
                    self.fc = nn.Linear(d_model, d_model)

                def forward(self, q_input, k_input, v_input, mask=None):
                    q = into_heads(self.query(q_input), self.num_heads)
                    k = into_heads(self.key(k_input), self.num_heads)
                    v = into_heads(self.value(v_input), self.num_heads)
                    scores = q @ k.transpose(-2, -1) / self.head_dim**0.5
                    if mask is None:
                        weights = torch.softmax(scores, dim=-1)
                    else:
                        weights = masked_softmax(scores, mask)
                    return self.fc(merge_heads(weights @ k))
            """,
            NAMED,
        ),
        Wrong(
            "dropout-too",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_model, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_model // num_heads
                    self.query = nn.Linear(d_model, d_model)
                    self.key = nn.Linear(d_model, d_model)
                    self.value = nn.Linear(d_model, d_model)
                    self.fc = nn.Linear(d_model, d_model)
                    self.dropout = nn.Dropout(0.1)

                def forward(self, q_input, k_input, v_input, mask=None):
                    q = into_heads(self.query(q_input), self.num_heads)
                    k = into_heads(self.key(k_input), self.num_heads)
                    v = into_heads(self.value(v_input), self.num_heads)
                    scores = q @ k.transpose(-2, -1) / self.head_dim**0.5
                    if mask is None:
                        weights = torch.softmax(scores, dim=-1)
                    else:
                        weights = masked_softmax(scores, mask)
                    return self.fc(merge_heads(self.dropout(weights) @ v))
            """,
            NAMED + RULE + BEHAVIOUR + VALUES,
        ),
        Wrong(
            "layers-made-in-forward",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_model, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_model // num_heads
                    self.query = nn.Linear(d_model, d_model)
                    self.key = nn.Linear(d_model, d_model)
                    self.value = nn.Linear(d_model, d_model)
                    self.fc = nn.Linear(d_model, d_model)

                def forward(self, q_input, k_input, v_input, mask=None):
                    self.query = nn.Linear(q_input.shape[-1], q_input.shape[-1])
                    q = into_heads(self.query(q_input), self.num_heads)
                    k = into_heads(self.key(k_input), self.num_heads)
                    v = into_heads(self.value(v_input), self.num_heads)
                    scores = q @ k.transpose(-2, -1) / self.head_dim**0.5
                    if mask is None:
                        weights = torch.softmax(scores, dim=-1)
                    else:
                        weights = masked_softmax(scores, mask)
                    return self.fc(merge_heads(weights @ v))
            """,
            VALUES,
            never=SAME_TWICE,
        ),
        Wrong(
            "returns-weights-too",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_model, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_model // num_heads
                    self.query = nn.Linear(d_model, d_model)
                    self.key = nn.Linear(d_model, d_model)
                    self.value = nn.Linear(d_model, d_model)
                    self.fc = nn.Linear(d_model, d_model)

                def forward(self, q_input, k_input, v_input, mask=None):
                    q = into_heads(self.query(q_input), self.num_heads)
                    k = into_heads(self.key(k_input), self.num_heads)
                    v = into_heads(self.value(v_input), self.num_heads)
                    scores = q @ k.transpose(-2, -1) / self.head_dim**0.5
                    if mask is None:
                        weights = torch.softmax(scores, dim=-1)
                    else:
                        weights = masked_softmax(scores, mask)
                    return self.fc(merge_heads(weights @ v)), weights
            """,
            TYPE,
        ),
        Wrong(
            "residual",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_model, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_model // num_heads
                    self.query = nn.Linear(d_model, d_model)
                    self.key = nn.Linear(d_model, d_model)
                    self.value = nn.Linear(d_model, d_model)
                    self.fc = nn.Linear(d_model, d_model)

                def forward(self, q_input, k_input, v_input, mask=None):
                    q = into_heads(self.query(q_input), self.num_heads)
                    k = into_heads(self.key(k_input), self.num_heads)
                    v = into_heads(self.value(v_input), self.num_heads)
                    scores = q @ k.transpose(-2, -1) / self.head_dim**0.5
                    if mask is None:
                        weights = torch.softmax(scores, dim=-1)
                    else:
                        weights = masked_softmax(scores, mask)
                    return q_input + self.fc(merge_heads(weights @ v))
            """,
            NAMED,
        ),
        Wrong(
            "layer-norm",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_model, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_model // num_heads
                    self.query = nn.Linear(d_model, d_model)
                    self.key = nn.Linear(d_model, d_model)
                    self.value = nn.Linear(d_model, d_model)
                    self.fc = nn.Linear(d_model, d_model)

                def forward(self, q_input, k_input, v_input, mask=None):
                    q = into_heads(self.query(q_input), self.num_heads)
                    k = into_heads(self.key(k_input), self.num_heads)
                    v = into_heads(self.value(v_input), self.num_heads)
                    scores = q @ k.transpose(-2, -1) / self.head_dim**0.5
                    if mask is None:
                        weights = torch.softmax(scores, dim=-1)
                    else:
                        weights = masked_softmax(scores, mask)
                    return F.layer_norm(self.fc(merge_heads(weights @ v)), q_input.shape[-1:])
            """,
            VALUES,
            never=SAME_TWICE,
        ),
        Wrong(
            "heads-averaged",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_model, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_model // num_heads
                    self.query = nn.Linear(d_model, d_model)
                    self.key = nn.Linear(d_model, d_model)
                    self.value = nn.Linear(d_model, d_model)
                    self.fc = nn.Linear(d_model, d_model)

                def forward(self, q_input, k_input, v_input, mask=None):
                    q = into_heads(self.query(q_input), self.num_heads)
                    k = into_heads(self.key(k_input), self.num_heads)
                    v = into_heads(self.value(v_input), self.num_heads)
                    scores = q @ k.transpose(-2, -1) / self.head_dim**0.5
                    if mask is None:
                        weights = torch.softmax(scores, dim=-1)
                    else:
                        weights = masked_softmax(scores, mask)
                    return self.fc((weights @ v).mean(dim=1))
            """,
            RAISED,
        ),
        Wrong(
            "heads-interleaved",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_model, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_model // num_heads
                    self.query = nn.Linear(d_model, d_model)
                    self.key = nn.Linear(d_model, d_model)
                    self.value = nn.Linear(d_model, d_model)
                    self.fc = nn.Linear(d_model, d_model)

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
                    context = context.permute(0, 2, 3, 1).contiguous().view(b, t, d)
                    return self.fc(context)
            """,
            VALUES,
            never=SAME_TWICE,
        ),
        Wrong(
            "inputs-edited",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_model, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_model // num_heads
                    self.query = nn.Linear(d_model, d_model)
                    self.key = nn.Linear(d_model, d_model)
                    self.value = nn.Linear(d_model, d_model)
                    self.fc = nn.Linear(d_model, d_model)

                def forward(self, q_input, k_input, v_input, mask=None):
                    q_input -= q_input.mean()
                    q = into_heads(self.query(q_input), self.num_heads)
                    k = into_heads(self.key(k_input), self.num_heads)
                    v = into_heads(self.value(v_input), self.num_heads)
                    scores = q @ k.transpose(-2, -1) / self.head_dim**0.5
                    if mask is None:
                        weights = torch.softmax(scores, dim=-1)
                    else:
                        weights = masked_softmax(scores, mask)
                    return self.fc(merge_heads(weights @ v))
            """,
            VALUES,
            never=SAME_TWICE,
        ),
        Wrong(
            "mask-edited",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_model, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_model // num_heads
                    self.query = nn.Linear(d_model, d_model)
                    self.key = nn.Linear(d_model, d_model)
                    self.value = nn.Linear(d_model, d_model)
                    self.fc = nn.Linear(d_model, d_model)

                def forward(self, q_input, k_input, v_input, mask=None):
                    if mask is not None:
                        mask[mask > 0] = 1
                        mask[..., 0] = 1
                    q = into_heads(self.query(q_input), self.num_heads)
                    k = into_heads(self.key(k_input), self.num_heads)
                    v = into_heads(self.value(v_input), self.num_heads)
                    scores = q @ k.transpose(-2, -1) / self.head_dim**0.5
                    if mask is None:
                        weights = torch.softmax(scores, dim=-1)
                    else:
                        weights = masked_softmax(scores, mask)
                    return self.fc(merge_heads(weights @ v))
            """,
            VALUES,
            keeps=5,
            never=SAME_TWICE,
        ),
        Wrong(
            "super-forgotten",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_model, num_heads):
                    self.num_heads = num_heads
                    self.head_dim = d_model // num_heads
                    self.query = nn.Linear(d_model, d_model)
                    self.key = nn.Linear(d_model, d_model)
                    self.value = nn.Linear(d_model, d_model)
                    self.fc = nn.Linear(d_model, d_model)

                def forward(self, q_input, k_input, v_input, mask=None):
                    q = into_heads(self.query(q_input), self.num_heads)
                    k = into_heads(self.key(k_input), self.num_heads)
                    v = into_heads(self.value(v_input), self.num_heads)
                    scores = q @ k.transpose(-2, -1) / self.head_dim**0.5
                    if mask is None:
                        weights = torch.softmax(scores, dim=-1)
                    else:
                        weights = masked_softmax(scores, mask)
                    return self.fc(merge_heads(weights @ v))
            """,
            RAISED,
            says=r"super\(\)",
        ),
        Wrong(
            "no-return",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_model, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_model // num_heads
                    self.query = nn.Linear(d_model, d_model)
                    self.key = nn.Linear(d_model, d_model)
                    self.value = nn.Linear(d_model, d_model)
                    self.fc = nn.Linear(d_model, d_model)

                def forward(self, q_input, k_input, v_input, mask=None):
                    q = into_heads(self.query(q_input), self.num_heads)
                    k = into_heads(self.key(k_input), self.num_heads)
                    v = into_heads(self.value(v_input), self.num_heads)
                    scores = q @ k.transpose(-2, -1) / self.head_dim**0.5
                    if mask is None:
                        weights = torch.softmax(scores, dim=-1)
                    else:
                        weights = masked_softmax(scores, mask)
                    out = self.fc(merge_heads(weights @ v))
            """,
            TYPE,
        ),
        Wrong(
            "class-name-misspelled",
            """
            class MultiheadAttention(nn.Module):
                def __init__(self, d_model, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_model // num_heads
                    self.query = nn.Linear(d_model, d_model)
                    self.key = nn.Linear(d_model, d_model)
                    self.value = nn.Linear(d_model, d_model)
                    self.fc = nn.Linear(d_model, d_model)

                def forward(self, q_input, k_input, v_input, mask=None):
                    q = into_heads(self.query(q_input), self.num_heads)
                    k = into_heads(self.key(k_input), self.num_heads)
                    v = into_heads(self.value(v_input), self.num_heads)
                    scores = q @ k.transpose(-2, -1) / self.head_dim**0.5
                    if mask is None:
                        weights = torch.softmax(scores, dim=-1)
                    else:
                        weights = masked_softmax(scores, mask)
                    return self.fc(merge_heads(weights @ v))
            """,
            MISSING,
        ),
        Wrong(
            "not-a-module",
            """
            class MultiHeadAttention:
                def __init__(self, d_model, num_heads):
                    self.num_heads = num_heads
                    self.head_dim = d_model // num_heads
                    self.query = nn.Linear(d_model, d_model)
                    self.key = nn.Linear(d_model, d_model)
                    self.value = nn.Linear(d_model, d_model)
                    self.fc = nn.Linear(d_model, d_model)

                def forward(self, q_input, k_input, v_input, mask=None):
                    q = into_heads(self.query(q_input), self.num_heads)
                    k = into_heads(self.key(k_input), self.num_heads)
                    v = into_heads(self.value(v_input), self.num_heads)
                    scores = q @ k.transpose(-2, -1) / self.head_dim**0.5
                    if mask is None:
                        weights = torch.softmax(scores, dim=-1)
                    else:
                        weights = masked_softmax(scores, mask)
                    return self.fc(merge_heads(weights @ v))
            """,
            TYPE,
        ),
        Wrong(
            "three-arguments",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_model, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_model // num_heads
                    self.query = nn.Linear(d_model, d_model)
                    self.key = nn.Linear(d_model, d_model)
                    self.value = nn.Linear(d_model, d_model)
                    self.fc = nn.Linear(d_model, d_model)

                def forward(self, x, mask=None):
                    q = into_heads(self.query(x), self.num_heads)
                    k = into_heads(self.key(x), self.num_heads)
                    v = into_heads(self.value(x), self.num_heads)
                    scores = q @ k.transpose(-2, -1) / self.head_dim**0.5
                    if mask is None:
                        weights = torch.softmax(scores, dim=-1)
                    else:
                        weights = masked_softmax(scores, mask)
                    return self.fc(merge_heads(weights @ v))
            """,
            RAISED,
        ),
        Wrong(
            "call-misspelled",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_model, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_model // num_heads
                    self.query = nn.Linear(d_model, d_model)
                    self.key = nn.Linear(d_model, d_model)
                    self.value = nn.Linear(d_model, d_model)
                    self.fc = nn.Linear(d_model, d_model)

                def foward(self, q_input, k_input, v_input, mask=None):
                    q = into_heads(self.query(q_input), self.num_heads)
                    k = into_heads(self.key(k_input), self.num_heads)
                    v = into_heads(self.value(v_input), self.num_heads)
                    scores = q @ k.transpose(-2, -1) / self.head_dim**0.5
                    if mask is None:
                        weights = torch.softmax(scores, dim=-1)
                    else:
                        weights = masked_softmax(scores, mask)
                    return self.fc(merge_heads(weights @ v))
            """,
            (
                "StillStub",
                "Raised",
            ),
            never=r"still waiting|Replace the `\.\.\.`",
        ),
        Wrong(
            "nn-multihead-attention",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_model, num_heads):
                    super().__init__()
                    self.attention = nn.MultiheadAttention(d_model, num_heads, batch_first=True)

                def forward(self, q_input, k_input, v_input, mask=None):
                    output, _ = self.attention(q_input, k_input, v_input, attn_mask=mask)
                    return output
            """,
            PARAMETERS,
        ),
        Wrong(
            "sdpa-inverted",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_model, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_model // num_heads
                    self.query = nn.Linear(d_model, d_model)
                    self.key = nn.Linear(d_model, d_model)
                    self.value = nn.Linear(d_model, d_model)
                    self.fc = nn.Linear(d_model, d_model)

                def forward(self, q_input, k_input, v_input, mask=None):
                    q = into_heads(self.query(q_input), self.num_heads)
                    k = into_heads(self.key(k_input), self.num_heads)
                    v = into_heads(self.value(v_input), self.num_heads)
                    if mask is not None:
                        mask = ~mask.bool()
                    return self.fc(merge_heads(F.scaled_dot_product_attention(q, k, v, attn_mask=mask)))
            """,
            NAMED,
            keeps=3,
        ),
        Wrong(
            "sdpa-mask-as-it-comes",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_model, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_model // num_heads
                    self.query = nn.Linear(d_model, d_model)
                    self.key = nn.Linear(d_model, d_model)
                    self.value = nn.Linear(d_model, d_model)
                    self.fc = nn.Linear(d_model, d_model)

                def forward(self, q_input, k_input, v_input, mask=None):
                    q = into_heads(self.query(q_input), self.num_heads)
                    k = into_heads(self.key(k_input), self.num_heads)
                    v = into_heads(self.value(v_input), self.num_heads)
                    return self.fc(merge_heads(F.scaled_dot_product_attention(q, k, v, attn_mask=mask)))
            """,
            NAMED,
            keeps=4,
            never=SAME_TWICE,
        ),
        Wrong(
            "sdpa-always-causal",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_model, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_model // num_heads
                    self.query = nn.Linear(d_model, d_model)
                    self.key = nn.Linear(d_model, d_model)
                    self.value = nn.Linear(d_model, d_model)
                    self.fc = nn.Linear(d_model, d_model)

                def forward(self, q_input, k_input, v_input, mask=None):
                    q = into_heads(self.query(q_input), self.num_heads)
                    k = into_heads(self.key(k_input), self.num_heads)
                    v = into_heads(self.value(v_input), self.num_heads)
                    return self.fc(merge_heads(F.scaled_dot_product_attention(q, k, v, is_causal=True)))
            """,
            VALUES,
            keeps=1,
            never=SAME_TWICE,
        ),
        Wrong(
            "no-gradient",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_model, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_model // num_heads
                    self.query = nn.Linear(d_model, d_model)
                    self.key = nn.Linear(d_model, d_model)
                    self.value = nn.Linear(d_model, d_model)
                    self.fc = nn.Linear(d_model, d_model)

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
                        return self.fc(merge_heads(weights @ v))
            """,
            RULE,
            says="no gradient",
        ),
        Wrong(
            "weights-detached",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_model, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_model // num_heads
                    self.query = nn.Linear(d_model, d_model)
                    self.key = nn.Linear(d_model, d_model)
                    self.value = nn.Linear(d_model, d_model)
                    self.fc = nn.Linear(d_model, d_model)

                def forward(self, q_input, k_input, v_input, mask=None):
                    q = into_heads(self.query(q_input), self.num_heads)
                    k = into_heads(self.key(k_input), self.num_heads)
                    v = into_heads(self.value(v_input), self.num_heads)
                    scores = q @ k.transpose(-2, -1) / self.head_dim**0.5
                    if mask is None:
                        weights = torch.softmax(scores, dim=-1)
                    else:
                        weights = masked_softmax(scores, mask)
                    return self.fc(merge_heads(weights.detach() @ v))
            """,
            RULE,
        ),
        Wrong(
            "zeros-after-fc",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_model, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_model // num_heads
                    self.query = nn.Linear(d_model, d_model)
                    self.key = nn.Linear(d_model, d_model)
                    self.value = nn.Linear(d_model, d_model)
                    self.fc = nn.Linear(d_model, d_model)

                def forward(self, q_input, k_input, v_input, mask=None):
                    q = into_heads(self.query(q_input), self.num_heads)
                    k = into_heads(self.key(k_input), self.num_heads)
                    v = into_heads(self.value(v_input), self.num_heads)
                    scores = q @ k.transpose(-2, -1) / self.head_dim**0.5
                    if mask is None:
                        weights = torch.softmax(scores, dim=-1)
                    else:
                        weights = masked_softmax(scores, mask)
                    out = self.fc(merge_heads(weights @ v))
                    if mask is not None:
                        nothing = ~mask.bool().expand(scores.shape).any(dim=-1).any(dim=1)
                        out = out.masked_fill(nothing.unsqueeze(-1), 0.0)
                    return out
            """,
            VALUES,
            keeps=5,
            never=SAME_TWICE,
        ),
        Wrong(
            "nan-to-num-at-the-end",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_model, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_model // num_heads
                    self.query = nn.Linear(d_model, d_model)
                    self.key = nn.Linear(d_model, d_model)
                    self.value = nn.Linear(d_model, d_model)
                    self.fc = nn.Linear(d_model, d_model)

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
                    context = torch.matmul(weights, v)
                    context = context.transpose(1, 2).contiguous().view(b, t, d)
                    return torch.nan_to_num(self.fc(context))
            """,
            VALUES,
            keeps=5,
            never=SAME_TWICE,
        ),
        Wrong(
            "additive-nan-to-num",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_model, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_model // num_heads
                    self.query = nn.Linear(d_model, d_model)
                    self.key = nn.Linear(d_model, d_model)
                    self.value = nn.Linear(d_model, d_model)
                    self.fc = nn.Linear(d_model, d_model)

                def forward(self, q_input, k_input, v_input, mask=None):
                    b, t, d = q_input.shape
                    s = k_input.shape[1]
                    q = self.query(q_input).view(b, t, self.num_heads, self.head_dim).transpose(1, 2)
                    k = self.key(k_input).view(b, s, self.num_heads, self.head_dim).transpose(1, 2)
                    v = self.value(v_input).view(b, s, self.num_heads, self.head_dim).transpose(1, 2)
                    scores = torch.matmul(q, k.transpose(-2, -1)) / self.head_dim**0.5
                    if mask is not None:
                        scores = scores + torch.zeros(mask.shape).masked_fill(mask == 0, float("-inf"))
                    weights = torch.softmax(scores, dim=-1).nan_to_num()
                    context = torch.matmul(weights, v)
                    context = context.transpose(1, 2).contiguous().view(b, t, d)
                    return self.fc(context)
            """,
            NAMED + RULE + BEHAVIOUR,
            keeps=5,
        ),
        Wrong(
            "fc-before-the-merge",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_model, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_model // num_heads
                    self.query = nn.Linear(d_model, d_model)
                    self.key = nn.Linear(d_model, d_model)
                    self.value = nn.Linear(d_model, d_model)
                    self.fc = nn.Linear(self.head_dim, self.head_dim)

                def forward(self, q_input, k_input, v_input, mask=None):
                    q = into_heads(self.query(q_input), self.num_heads)
                    k = into_heads(self.key(k_input), self.num_heads)
                    v = into_heads(self.value(v_input), self.num_heads)
                    scores = q @ k.transpose(-2, -1) / self.head_dim**0.5
                    if mask is None:
                        weights = torch.softmax(scores, dim=-1)
                    else:
                        weights = masked_softmax(scores, mask)
                    return merge_heads(self.fc(weights @ v))
            """,
            PARAMETERS,
        ),
        Wrong(
            "input-split-one-projection",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_model, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    d = d_model // num_heads
                    self.query = nn.Linear(d, d)
                    self.key = nn.Linear(d, d)
                    self.value = nn.Linear(d, d)
                    self.fc = nn.Linear(d_model, d_model)

                def forward(self, q_input, k_input, v_input, mask=None):
                    q = self.query(into_heads(q_input, self.num_heads))
                    k = self.key(into_heads(k_input, self.num_heads))
                    v = self.value(into_heads(v_input, self.num_heads))
                    scores = q @ k.mT / q.shape[-1] ** 0.5
                    weights = scores.softmax(-1) if mask is None else masked_softmax(scores, mask)
                    return self.fc(merge_heads(weights @ v))
            """,
            NAMED + PARAMETERS,
            says="whole input",
        ),
        Wrong(
            "mask-only-when-square",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_model, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_model // num_heads
                    self.query = nn.Linear(d_model, d_model)
                    self.key = nn.Linear(d_model, d_model)
                    self.value = nn.Linear(d_model, d_model)
                    self.fc = nn.Linear(d_model, d_model)

                def forward(self, q_input, k_input, v_input, mask=None):
                    q = into_heads(self.query(q_input), self.num_heads)
                    k = into_heads(self.key(k_input), self.num_heads)
                    v = into_heads(self.value(v_input), self.num_heads)
                    scores = q @ k.transpose(-2, -1) / self.head_dim**0.5
                    if mask is None or q_input.shape[1] != k_input.shape[1]:
                        weights = torch.softmax(scores, dim=-1)
                    else:
                        weights = masked_softmax(scores, mask)
                    return self.fc(merge_heads(weights @ v))
            """,
            VALUES,
            keeps=4,
            never=SAME_TWICE,
        ),
        Wrong(
            "true-division",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_model, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_model / num_heads
                    self.query = nn.Linear(d_model, d_model)
                    self.key = nn.Linear(d_model, d_model)
                    self.value = nn.Linear(d_model, d_model)
                    self.fc = nn.Linear(d_model, d_model)

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
                    return self.fc(context)
            """,
            RAISED,
        ),
        Wrong(
            "arguments-swapped",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, num_heads, d_model):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_model // num_heads
                    self.query = nn.Linear(d_model, d_model)
                    self.key = nn.Linear(d_model, d_model)
                    self.value = nn.Linear(d_model, d_model)
                    self.fc = nn.Linear(d_model, d_model)

                def forward(self, q_input, k_input, v_input, mask=None):
                    q = into_heads(self.query(q_input), self.num_heads)
                    k = into_heads(self.key(k_input), self.num_heads)
                    v = into_heads(self.value(v_input), self.num_heads)
                    scores = q @ k.transpose(-2, -1) / self.head_dim**0.5
                    if mask is None:
                        weights = torch.softmax(scores, dim=-1)
                    else:
                        weights = masked_softmax(scores, mask)
                    return self.fc(merge_heads(weights @ v))
            """,
            PARAMETERS,
        ),
        Wrong(
            "max-length-argument",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_model, num_heads, max_sequence_length):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_model // num_heads
                    self.query = nn.Linear(d_model, d_model)
                    self.key = nn.Linear(d_model, d_model)
                    self.value = nn.Linear(d_model, d_model)
                    self.fc = nn.Linear(d_model, d_model)

                def forward(self, q_input, k_input, v_input, mask=None):
                    q = into_heads(self.query(q_input), self.num_heads)
                    k = into_heads(self.key(k_input), self.num_heads)
                    v = into_heads(self.value(v_input), self.num_heads)
                    scores = q @ k.transpose(-2, -1) / self.head_dim**0.5
                    if mask is None:
                        weights = torch.softmax(scores, dim=-1)
                    else:
                        weights = masked_softmax(scores, mask)
                    return self.fc(merge_heads(weights @ v))
            """,
            RAISED,
        ),
        Wrong(
            "plain-tensors-for-the-projections",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_model, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.query = torch.randn(d_model, d_model)
                    self.key = torch.randn(d_model, d_model)
                    self.value = torch.randn(d_model, d_model)
                    self.fc = nn.Linear(d_model, d_model)

                def forward(self, q_input, k_input, v_input, mask=None):
                    q = into_heads(q_input @ self.query, self.num_heads)
                    k = into_heads(k_input @ self.key, self.num_heads)
                    v = into_heads(v_input @ self.value, self.num_heads)
                    scores = q @ k.mT / q.shape[-1] ** 0.5
                    weights = scores.softmax(-1) if mask is None else masked_softmax(scores, mask)
                    return self.fc(merge_heads(weights @ v))
            """,
            NAMED + PARAMETERS,
            never="Python list,",
        ),
        Wrong(
            "self-forgotten-at-the-layers",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_model, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_model // num_heads
                    query = nn.Linear(d_model, d_model)
                    key = nn.Linear(d_model, d_model)
                    value = nn.Linear(d_model, d_model)
                    fc = nn.Linear(d_model, d_model)

                def forward(self, q_input, k_input, v_input, mask=None):
                    q = into_heads(self.query(q_input), self.num_heads)
                    k = into_heads(self.key(k_input), self.num_heads)
                    v = into_heads(self.value(v_input), self.num_heads)
                    scores = q @ k.transpose(-2, -1) / self.head_dim**0.5
                    if mask is None:
                        weights = torch.softmax(scores, dim=-1)
                    else:
                        weights = masked_softmax(scores, mask)
                    return self.fc(merge_heads(weights @ v))
            """,
            NAMED + PARAMETERS,
            never="made in `forward`",
        ),
        Wrong(
            "layers-in-a-dictionary",
            """
    class MultiHeadAttention(nn.Module):
        def __init__(self, d_model, num_heads):
            super().__init__()
            self.num_heads = num_heads
            self.head_dim = d_model // num_heads
            self.layers = {name: nn.Linear(d_model, d_model) for name in ("query", "key", "value", "fc")}

        def forward(self, q_input, k_input, v_input, mask=None):
            q = into_heads(self.layers["query"](q_input), self.num_heads)
            k = into_heads(self.layers["key"](k_input), self.num_heads)
            v = into_heads(self.layers["value"](v_input), self.num_heads)
            scores = q @ k.transpose(-2, -1) / self.head_dim**0.5
            if mask is None:
                weights = torch.softmax(scores, dim=-1)
            else:
                weights = masked_softmax(scores, mask)
            return self.layers["fc"](merge_heads(weights @ v))
            """,
            NAMED + PARAMETERS,
            never="made in `forward`",
        ),
        Wrong(
            "residual-written-into-the-input",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_model, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_model // num_heads
                    self.query = nn.Linear(d_model, d_model)
                    self.key = nn.Linear(d_model, d_model)
                    self.value = nn.Linear(d_model, d_model)
                    self.fc = nn.Linear(d_model, d_model)

                def forward(self, q_input, k_input, v_input, mask=None):
                    q = into_heads(self.query(q_input), self.num_heads)
                    k = into_heads(self.key(k_input), self.num_heads)
                    v = into_heads(self.value(v_input), self.num_heads)
                    scores = q @ k.transpose(-2, -1) / self.head_dim**0.5
                    if mask is None:
                        weights = torch.softmax(scores, dim=-1)
                    else:
                        weights = masked_softmax(scores, mask)
                    out = self.fc(merge_heads(weights @ v))
                    q_input += out.detach()
                    return out
            """,
            RULE,
        ),
        Wrong(
            "mask-unsqueezed-in-place",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_model, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_model // num_heads
                    self.query = nn.Linear(d_model, d_model)
                    self.key = nn.Linear(d_model, d_model)
                    self.value = nn.Linear(d_model, d_model)
                    self.fc = nn.Linear(d_model, d_model)

                def forward(self, q_input, k_input, v_input, mask=None):
                    b, t, d = q_input.shape
                    s = k_input.shape[1]
                    q = self.query(q_input).view(b, t, self.num_heads, self.head_dim).transpose(1, 2)
                    k = self.key(k_input).view(b, s, self.num_heads, self.head_dim).transpose(1, 2)
                    v = self.value(v_input).view(b, s, self.num_heads, self.head_dim).transpose(1, 2)
                    scores = torch.matmul(q, k.transpose(-2, -1)) / self.head_dim**0.5
                    if mask is not None:
                        while mask.dim() < 4:
                            mask.unsqueeze_(0)
                        scores = scores.masked_fill(mask == 0, float("-inf"))
                    weights = torch.softmax(scores, dim=-1)
                    if mask is not None:
                        weights = weights.masked_fill(mask == 0, 0.0)
                    context = torch.matmul(weights, v)
                    context = context.transpose(1, 2).contiguous().view(b, t, d)
                    return self.fc(context)
            """,
            RULE,
            keeps=4,
        ),
        Wrong(
            "dropout-that-ignores-eval",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_model, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_model // num_heads
                    self.query = nn.Linear(d_model, d_model)
                    self.key = nn.Linear(d_model, d_model)
                    self.value = nn.Linear(d_model, d_model)
                    self.fc = nn.Linear(d_model, d_model)

                def forward(self, q_input, k_input, v_input, mask=None):
                    q = into_heads(self.query(q_input), self.num_heads)
                    k = into_heads(self.key(k_input), self.num_heads)
                    v = into_heads(self.value(v_input), self.num_heads)
                    scores = q @ k.transpose(-2, -1) / self.head_dim**0.5
                    if mask is None:
                        weights = torch.softmax(scores, dim=-1)
                    else:
                        weights = masked_softmax(scores, mask)
                    return self.fc(merge_heads(F.dropout(weights, 0.1) @ v))
            """,
            VALUES,
            never=SAME_TWICE,
        ),
        Wrong(
            "dropout-on-the-scores",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_model, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_model // num_heads
                    self.query = nn.Linear(d_model, d_model)
                    self.key = nn.Linear(d_model, d_model)
                    self.value = nn.Linear(d_model, d_model)
                    self.fc = nn.Linear(d_model, d_model)
                    self.dropout = nn.Dropout(0.5)

                def forward(self, q_input, k_input, v_input, mask=None):
                    q = into_heads(self.query(q_input), self.num_heads)
                    k = into_heads(self.key(k_input), self.num_heads)
                    v = into_heads(self.value(v_input), self.num_heads)
                    scores = self.dropout(q @ k.transpose(-2, -1) / self.head_dim**0.5)
                    if mask is None:
                        weights = torch.softmax(scores, dim=-1)
                    else:
                        weights = masked_softmax(scores, mask)
                    return self.fc(merge_heads(weights @ v))
            """,
            NAMED + RULE + BEHAVIOUR + VALUES,
        ),
        Wrong(
            "additive-filled-after",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_model, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_model // num_heads
                    self.query = nn.Linear(d_model, d_model)
                    self.key = nn.Linear(d_model, d_model)
                    self.value = nn.Linear(d_model, d_model)
                    self.fc = nn.Linear(d_model, d_model)

                def forward(self, q_input, k_input, v_input, mask=None):
                    b, t, d = q_input.shape
                    s = k_input.shape[1]
                    q = self.query(q_input).view(b, t, self.num_heads, self.head_dim).transpose(1, 2)
                    k = self.key(k_input).view(b, s, self.num_heads, self.head_dim).transpose(1, 2)
                    v = self.value(v_input).view(b, s, self.num_heads, self.head_dim).transpose(1, 2)
                    scores = torch.matmul(q, k.transpose(-2, -1)) / self.head_dim**0.5
                    if mask is not None:
                        scores = scores + torch.zeros(mask.shape).masked_fill(mask == 0, float("-inf"))
                    weights = torch.softmax(scores, dim=-1)
                    if mask is not None:
                        weights = weights.masked_fill(mask == 0, 0.0)
                    context = torch.matmul(weights, v)
                    context = context.transpose(1, 2).contiguous().view(b, t, d)
                    return self.fc(context)
            """,
            NAMED + RULE + BEHAVIOUR,
            keeps=5,
        ),
        Wrong(
            "forward-without-keys",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_model, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_model // num_heads
                    self.query = nn.Linear(d_model, d_model)
                    self.key = nn.Linear(d_model, d_model)
                    self.value = nn.Linear(d_model, d_model)
                    self.fc = nn.Linear(d_model, d_model)

                def attend(self, q_input, k_input, v_input, mask=None):
                    q = into_heads(self.query(q_input), self.num_heads)
                    k = into_heads(self.key(k_input), self.num_heads)
                    v = into_heads(self.value(v_input), self.num_heads)
                    scores = q @ k.transpose(-2, -1) / self.head_dim**0.5
                    if mask is None:
                        weights = torch.softmax(scores, dim=-1)
                    else:
                        weights = masked_softmax(scores, mask)
                    return self.fc(merge_heads(weights @ v))
            """,
            (
                "StillStub",
                "Raised",
            ),
            never=r"still waiting|Replace the `\.\.\.`",
        ),
    ),
    right=(
        Right(
            "own-functions",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_model, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_model // num_heads
                    self.query = nn.Linear(d_model, d_model)
                    self.key = nn.Linear(d_model, d_model)
                    self.value = nn.Linear(d_model, d_model)
                    self.fc = nn.Linear(d_model, d_model)

                def forward(self, q_input, k_input, v_input, mask=None):
                    q = into_heads(self.query(q_input), self.num_heads)
                    k = into_heads(self.key(k_input), self.num_heads)
                    v = into_heads(self.value(v_input), self.num_heads)
                    scores = q @ k.transpose(-2, -1) / self.head_dim**0.5
                    if mask is None:
                        weights = torch.softmax(scores, dim=-1)
                    else:
                        weights = masked_softmax(scores, mask)
                    return self.fc(merge_heads(weights @ v))
            """,
        ),
        Right(
            "written-out",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_model, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_model // num_heads
                    self.query = nn.Linear(d_model, d_model)
                    self.key = nn.Linear(d_model, d_model)
                    self.value = nn.Linear(d_model, d_model)
                    self.fc = nn.Linear(d_model, d_model)

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
                    return self.fc(context)
            """,
        ),
        Right(
            "sdpa",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_model, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_model // num_heads
                    self.query = nn.Linear(d_model, d_model)
                    self.key = nn.Linear(d_model, d_model)
                    self.value = nn.Linear(d_model, d_model)
                    self.fc = nn.Linear(d_model, d_model)

                def forward(self, q_input, k_input, v_input, mask=None):
                    q = into_heads(self.query(q_input), self.num_heads)
                    k = into_heads(self.key(k_input), self.num_heads)
                    v = into_heads(self.value(v_input), self.num_heads)
                    if mask is not None:
                        mask = mask.bool()
                    context = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
                    return self.fc(merge_heads(context))
            """,
        ),
        Right(
            "einsum",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_model, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_model // num_heads
                    self.query = nn.Linear(d_model, d_model)
                    self.key = nn.Linear(d_model, d_model)
                    self.value = nn.Linear(d_model, d_model)
                    self.fc = nn.Linear(d_model, d_model)

                def forward(self, q_input, k_input, v_input, mask=None):
                    q = self.query(q_input).unflatten(-1, (self.num_heads, -1))
                    k = self.key(k_input).unflatten(-1, (self.num_heads, -1))
                    v = self.value(v_input).unflatten(-1, (self.num_heads, -1))
                    scores = torch.einsum("bthd,bshd->bhts", q, k) * self.head_dim**-0.5
                    may = torch.ones(1, dtype=torch.bool) if mask is None else mask.bool()
                    weights = torch.where(may, scores, -1e9).softmax(dim=-1) * may
                    return self.fc(torch.einsum("bhts,bshd->bthd", weights, v).flatten(2))
            """,
        ),
        Right(
            "loop-over-heads",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_model, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_model // num_heads
                    self.query = nn.Linear(d_model, d_model)
                    self.key = nn.Linear(d_model, d_model)
                    self.value = nn.Linear(d_model, d_model)
                    self.fc = nn.Linear(d_model, d_model)

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
                    return self.fc(torch.cat(heads, dim=-1))
            """,
        ),
        Right(
            "ones-where-there-is-no-mask",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_model, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_model // num_heads
                    self.query = nn.Linear(d_model, d_model)
                    self.key = nn.Linear(d_model, d_model)
                    self.value = nn.Linear(d_model, d_model)
                    self.fc = nn.Linear(d_model, d_model)

                def forward(self, q_input, k_input, v_input, mask=None):
                    q = into_heads(self.query(q_input), self.num_heads)
                    k = into_heads(self.key(k_input), self.num_heads)
                    v = into_heads(self.value(v_input), self.num_heads)
                    scores = q @ k.transpose(-2, -1) / self.head_dim**0.5
                    if mask is None:
                        mask = torch.ones_like(scores)
                    weights = masked_softmax(scores, mask)
                    return self.fc(merge_heads(weights @ v))
            """,
        ),
        Right(
            "other-order-of-creation",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_model, num_heads):
                    super().__init__()
                    assert d_model % num_heads == 0, "d_model must be divisible by num_heads"
                    self.fc = nn.Linear(d_model, d_model)
                    self.value = nn.Linear(d_model, d_model)
                    self.key = nn.Linear(d_model, d_model)
                    self.query = nn.Linear(d_model, d_model)
                    self.num_heads, self.head_dim = num_heads, d_model // num_heads

                def forward(self, q_input, k_input, v_input, mask=None):
                    q = into_heads(self.query(q_input), self.num_heads)
                    k = into_heads(self.key(k_input), self.num_heads)
                    v = into_heads(self.value(v_input), self.num_heads)
                    scores = q @ k.transpose(-2, -1) / self.head_dim**0.5
                    if mask is None:
                        weights = torch.softmax(scores, dim=-1)
                    else:
                        weights = masked_softmax(scores, mask)
                    return self.fc(merge_heads(weights @ v))
            """,
        ),
        Right(
            "layers-by-setattr",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_model, num_heads):
                    super().__init__()
                    self.d_model = d_model
                    self.num_heads = num_heads
                    for name in ("query", "key", "value", "fc"):
                        setattr(self, name, nn.Linear(d_model, d_model))

                @property
                def head_dim(self):
                    return self.d_model // self.num_heads

                def forward(self, q_input, k_input, v_input, mask=None):
                    q = into_heads(self.query(q_input), self.num_heads)
                    k = into_heads(self.key(k_input), self.num_heads)
                    v = into_heads(self.value(v_input), self.num_heads)
                    scores = q @ k.transpose(-2, -1) / self.head_dim**0.5
                    if mask is None:
                        weights = torch.softmax(scores, dim=-1)
                    else:
                        weights = masked_softmax(scores, mask)
                    return self.fc(merge_heads(weights @ v))
            """,
        ),
        Right(
            "helper-methods",
            """
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
            return self.fc(context.permute(0, 2, 1, 3).flatten(-2))
            """,
        ),
        Right(
            "type-hints-and-kept-weights",
            """
    from typing import Optional


    class MultiHeadAttention(nn.Module):
        def __init__(self, d_model: int, num_heads: int) -> None:
            super(MultiHeadAttention, self).__init__()
            self.d_k = d_model // num_heads
            self.h = num_heads
            self.query, self.key, self.value, self.fc = (nn.Linear(d_model, d_model) for _ in range(4))
            self.attention_weights = None

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
            return self.fc(x)
            """,
        ),
        Right(
            "batch-by-batch",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_model, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_model // num_heads
                    self.query = nn.Linear(d_model, d_model)
                    self.key = nn.Linear(d_model, d_model)
                    self.value = nn.Linear(d_model, d_model)
                    self.fc = nn.Linear(d_model, d_model)

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
                    return self.fc(torch.cat(outs))
            """,
        ),
        Right(
            "bmm-on-folded-heads",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_model, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_model // num_heads
                    self.query = nn.Linear(d_model, d_model)
                    self.key = nn.Linear(d_model, d_model)
                    self.value = nn.Linear(d_model, d_model)
                    self.fc = nn.Linear(d_model, d_model)

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
                    return self.fc(merge_heads(torch.bmm(weights, v).view(b, h, t, -1)))
            """,
        ),
        Right(
            "float64-inside",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_model, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_model // num_heads
                    self.query = nn.Linear(d_model, d_model)
                    self.key = nn.Linear(d_model, d_model)
                    self.value = nn.Linear(d_model, d_model)
                    self.fc = nn.Linear(d_model, d_model)

                def forward(self, q_input, k_input, v_input, mask=None):
                    q, k, v = (
                        into_heads(layer(x), self.num_heads).double()
                        for layer, x in ((self.query, q_input), (self.key, k_input), (self.value, v_input))
                    )
                    scores = q @ k.mT / self.head_dim**0.5
                    weights = scores.softmax(-1) if mask is None else masked_softmax(scores, mask)
                    return self.fc(merge_heads(weights @ v).to(q_input.dtype))
            """,
        ),
        Right(
            "unused-dropout-of-zero",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_model, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_model // num_heads
                    self.query = nn.Linear(d_model, d_model)
                    self.key = nn.Linear(d_model, d_model)
                    self.value = nn.Linear(d_model, d_model)
                    self.fc = nn.Linear(d_model, d_model)
                    self.dropout = nn.Dropout(0.0)

                def forward(self, q_input, k_input, v_input, mask=None):
                    q = into_heads(self.query(q_input), self.num_heads)
                    k = into_heads(self.key(k_input), self.num_heads)
                    v = into_heads(self.value(v_input), self.num_heads)
                    scores = q @ k.transpose(-2, -1) / self.head_dim**0.5
                    if mask is None:
                        weights = torch.softmax(scores, dim=-1)
                    else:
                        weights = masked_softmax(scores, mask)
                    return self.fc(merge_heads(self.dropout(weights) @ v))
            """,
        ),
        Right(
            "base-class-in-the-cell",
            """
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
                    return self.fc(merge_heads(weights @ into_heads(self.value(v_input), self.num_heads)))
            """,
        ),
        Right(
            "empty-rows-by-where",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_model, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_model // num_heads
                    self.query = nn.Linear(d_model, d_model)
                    self.key = nn.Linear(d_model, d_model)
                    self.value = nn.Linear(d_model, d_model)
                    self.fc = nn.Linear(d_model, d_model)

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
                        weights = torch.where(weights.isnan(), torch.zeros_like(weights), weights)
                    context = torch.matmul(weights, v)
                    context = context.transpose(1, 2).contiguous().view(b, t, d)
                    return self.fc(context)
            """,
        ),
        Right(
            "fc-head-by-head",
            """
            class MultiHeadAttention(nn.Module):
                def __init__(self, d_model, num_heads):
                    super().__init__()
                    self.num_heads = num_heads
                    self.head_dim = d_model // num_heads
                    self.query = nn.Linear(d_model, d_model)
                    self.key = nn.Linear(d_model, d_model)
                    self.value = nn.Linear(d_model, d_model)
                    self.fc = nn.Linear(d_model, d_model)

                def forward(self, q_input, k_input, v_input, mask=None):
                    q = into_heads(self.query(q_input), self.num_heads)
                    k = into_heads(self.key(k_input), self.num_heads)
                    v = into_heads(self.value(v_input), self.num_heads)
                    scores = q @ k.transpose(-2, -1) / self.head_dim**0.5
                    if mask is None:
                        weights = torch.softmax(scores, dim=-1)
                    else:
                        weights = masked_softmax(scores, mask)
                    context = weights @ v
                    parts = self.fc.weight.split(self.head_dim, dim=1)
                    return sum(context[:, h] @ part.T for h, part in enumerate(parts)) + self.fc.bias
            """,
        ),
    ),
)

BUG_CROSS_FROM_DECODER = Mutants(
    wrong=(
        Wrong(
            "as-given",
            """
    def decoder_step(self_attention, cross_attention, decoder_input, encoder_output, causal, source_padding):
        x = self_attention(decoder_input, decoder_input, decoder_input, causal)
        return cross_attention(x, x, x, causal)
            """,
            NAMED,
            says="Another source",
        ),
        Wrong(
            "mask-left-causal",
            """
    def decoder_step(self_attention, cross_attention, decoder_input, encoder_output, causal, source_padding):
        x = self_attention(decoder_input, decoder_input, decoder_input, causal)
        return cross_attention(x, encoder_output, encoder_output, causal)
            """,
            NAMED + RAISED,
            says="mask of its own",
        ),
        Wrong(
            "no-mask",
            """
    def decoder_step(self_attention, cross_attention, decoder_input, encoder_output, causal, source_padding):
        x = self_attention(decoder_input, decoder_input, decoder_input, causal)
        return cross_attention(x, encoder_output, encoder_output)
            """,
            NAMED,
            says="source_padding",
        ),
        Wrong(
            "mask-none",
            """
    def decoder_step(self_attention, cross_attention, decoder_input, encoder_output, causal, source_padding):
        x = self_attention(decoder_input, decoder_input, decoder_input, causal)
        return cross_attention(x, encoder_output, encoder_output, None)
            """,
            NAMED,
        ),
        Wrong(
            "only-the-mask-mended",
            """
    def decoder_step(self_attention, cross_attention, decoder_input, encoder_output, causal, source_padding):
        x = self_attention(decoder_input, decoder_input, decoder_input, causal)
        return cross_attention(x, x, x, source_padding)
            """,
            RAISED,
        ),
        Wrong(
            "only-keys",
            """
    def decoder_step(self_attention, cross_attention, decoder_input, encoder_output, causal, source_padding):
        x = self_attention(decoder_input, decoder_input, decoder_input, causal)
        return cross_attention(x, encoder_output, x, source_padding)
            """,
            NAMED + RAISED,
        ),
        Wrong(
            "only-values",
            """
    def decoder_step(self_attention, cross_attention, decoder_input, encoder_output, causal, source_padding):
        x = self_attention(decoder_input, decoder_input, decoder_input, causal)
        return cross_attention(x, x, encoder_output, source_padding)
            """,
            RAISED,
        ),
        Wrong(
            "encoder-asks",
            """
    def decoder_step(self_attention, cross_attention, decoder_input, encoder_output, causal, source_padding):
        x = self_attention(decoder_input, decoder_input, decoder_input, causal)
        return cross_attention(encoder_output, x, x, causal)
            """,
            RAISED,
        ),
        Wrong(
            "encoder-everywhere",
            """
    def decoder_step(self_attention, cross_attention, decoder_input, encoder_output, causal, source_padding):
        x = self_attention(decoder_input, decoder_input, decoder_input, causal)
        return cross_attention(encoder_output, encoder_output, encoder_output, source_padding)
            """,
            SHAPE,
        ),
        Wrong(
            "raw-decoder-input-asks",
            """
    def decoder_step(self_attention, cross_attention, decoder_input, encoder_output, causal, source_padding):
        x = self_attention(decoder_input, decoder_input, decoder_input, causal)
        return cross_attention(decoder_input, encoder_output, encoder_output, source_padding)
            """,
            NAMED,
        ),
        Wrong(
            "no-self-attention",
            """
    def decoder_step(self_attention, cross_attention, decoder_input, encoder_output, causal, source_padding):
        return cross_attention(decoder_input, encoder_output, encoder_output, source_padding)
            """,
            NAMED,
        ),
        Wrong(
            "self-attention-to-the-encoder",
            """
    def decoder_step(self_attention, cross_attention, decoder_input, encoder_output, causal, source_padding):
        x = self_attention(decoder_input, encoder_output, encoder_output, source_padding)
        return cross_attention(x, x, x, causal)
            """,
            VALUES,
            never=SAME_TWICE,
        ),
        Wrong(
            "both-to-the-encoder",
            """
    def decoder_step(self_attention, cross_attention, decoder_input, encoder_output, causal, source_padding):
        x = self_attention(decoder_input, encoder_output, encoder_output, source_padding)
        return cross_attention(x, encoder_output, encoder_output, source_padding)
            """,
            VALUES,
            never=SAME_TWICE,
        ),
        Wrong(
            "layers-swapped",
            """
    def decoder_step(self_attention, cross_attention, decoder_input, encoder_output, causal, source_padding):
        x = cross_attention(decoder_input, decoder_input, decoder_input, causal)
        return self_attention(x, encoder_output, encoder_output, source_padding)
            """,
            NAMED,
        ),
        Wrong(
            "same-layer-twice",
            """
    def decoder_step(self_attention, cross_attention, decoder_input, encoder_output, causal, source_padding):
        x = self_attention(decoder_input, decoder_input, decoder_input, causal)
        return self_attention(x, encoder_output, encoder_output, source_padding)
            """,
            VALUES,
            never=SAME_TWICE,
        ),
        Wrong(
            "self-attention-unmasked",
            """
    def decoder_step(self_attention, cross_attention, decoder_input, encoder_output, causal, source_padding):
        x = self_attention(decoder_input, decoder_input, decoder_input)
        return cross_attention(x, encoder_output, encoder_output, source_padding)
            """,
            NAMED,
        ),
        Wrong(
            "masks-swapped",
            """
    def decoder_step(self_attention, cross_attention, decoder_input, encoder_output, causal, source_padding):
        x = self_attention(decoder_input, decoder_input, decoder_input, source_padding)
        return cross_attention(x, encoder_output, encoder_output, causal)
            """,
            RAISED,
        ),
        Wrong(
            "both-masks",
            """
    def decoder_step(self_attention, cross_attention, decoder_input, encoder_output, causal, source_padding):
        x = self_attention(decoder_input, decoder_input, decoder_input, causal)
        return cross_attention(x, encoder_output, encoder_output, causal * source_padding)
            """,
            RAISED,
        ),
        Wrong(
            "residual-added",
            """
    def decoder_step(self_attention, cross_attention, decoder_input, encoder_output, causal, source_padding):
        x = decoder_input + self_attention(decoder_input, decoder_input, decoder_input, causal)
        return x + cross_attention(x, encoder_output, encoder_output, source_padding)
            """,
            VALUES,
            never=SAME_TWICE,
        ),
        Wrong(
            "encoder-added",
            """
    def decoder_step(self_attention, cross_attention, decoder_input, encoder_output, causal, source_padding):
        x = self_attention(decoder_input, decoder_input, decoder_input, causal)
        return cross_attention(x, x, x, causal) + encoder_output.mean(dim=1, keepdim=True)
            """,
            NAMED,
            says="attention do it",
        ),
        Wrong(
            "notebook-layers",
            """
    def decoder_step(self_attention, cross_attention, decoder_input, encoder_output, causal, source_padding):
        x = mha_dec(decoder_input, decoder_input, decoder_input, causal)
        return mha(x, encoder_output, encoder_output, source_padding)
            """,
            VALUES,
            says="from the notebook",
            never=SAME_TWICE,
        ),
        Wrong(
            "notebook-memory",
            """
    def decoder_step(self_attention, cross_attention, decoder_input, encoder_output, causal, source_padding):
        x = self_attention(decoder_input, decoder_input, decoder_input, causal)
        return cross_attention(x, memory, memory, source_padding)
            """,
            VALUES,
            says=NOTEBOOK,
            never=SAME_TWICE,
        ),
        Wrong(
            "inverted-padding",
            """
    def decoder_step(self_attention, cross_attention, decoder_input, encoder_output, causal, source_padding):
        x = self_attention(decoder_input, decoder_input, decoder_input, causal)
        return cross_attention(x, encoder_output, encoder_output, source_padding == 0)
            """,
            NAMED,
        ),
        Wrong(
            "encoder-refined-first",
            """
    def decoder_step(self_attention, cross_attention, decoder_input, encoder_output, causal, source_padding):
        x = self_attention(decoder_input, decoder_input, decoder_input, causal)
        e = self_attention(encoder_output, encoder_output, encoder_output, source_padding)
        return cross_attention(x, e, e, source_padding)
            """,
            VALUES,
            never=SAME_TWICE,
        ),
        Wrong(
            "source-cut-to-the-target",
            """
    def decoder_step(self_attention, cross_attention, decoder_input, encoder_output, causal, source_padding):
        x = self_attention(decoder_input, decoder_input, decoder_input, causal)
        encoder_output = encoder_output[:, : x.shape[1]]
        return cross_attention(x, encoder_output, encoder_output, causal)
            """,
            VALUES,
            never=SAME_TWICE,
        ),
        Wrong(
            "concatenated",
            """
    def decoder_step(self_attention, cross_attention, decoder_input, encoder_output, causal, source_padding):
        x = self_attention(decoder_input, decoder_input, decoder_input, causal)
        both = torch.cat([x, encoder_output], dim=1)
        return cross_attention(x, both, both)
            """,
            NAMED,
        ),
        Wrong(
            "returns-both",
            """
    def decoder_step(self_attention, cross_attention, decoder_input, encoder_output, causal, source_padding):
        x = self_attention(decoder_input, decoder_input, decoder_input, causal)
        return x, cross_attention(x, encoder_output, encoder_output, source_padding)
            """,
            TYPE,
        ),
        Wrong(
            "return-lost",
            """
    def decoder_step(self_attention, cross_attention, decoder_input, encoder_output, causal, source_padding):
        x = self_attention(decoder_input, decoder_input, decoder_input, causal)
        x = cross_attention(x, encoder_output, encoder_output, source_padding)
            """,
            TYPE,
        ),
        Wrong(
            "keyword-of-another-class",
            """
    def decoder_step(self_attention, cross_attention, decoder_input, encoder_output, causal, source_padding):
        x = self_attention(decoder_input, decoder_input, decoder_input, causal)
        return cross_attention(query=x, key=encoder_output, value=encoder_output, attn_mask=source_padding)
            """,
            RAISED,
        ),
        Wrong(
            "shape-of-the-mask-changed",
            """
    def decoder_step(self_attention, cross_attention, decoder_input, encoder_output, causal, source_padding):
        x = self_attention(decoder_input, decoder_input, decoder_input, causal)
        return cross_attention(x, encoder_output, encoder_output, source_padding.squeeze())
            """,
            RAISED,
        ),
        Wrong(
            "padding-zeroed-in-the-encoder",
            """
    def decoder_step(self_attention, cross_attention, decoder_input, encoder_output, causal, source_padding):
        x = self_attention(decoder_input, decoder_input, decoder_input, causal)
        encoder_output = encoder_output * source_padding.squeeze(1).transpose(1, 2)
        return cross_attention(x, encoder_output, encoder_output)
            """,
            VALUES,
            never=SAME_TWICE,
        ),
        Wrong(
            "encoder-output-edited-in-place",
            """
    def decoder_step(self_attention, cross_attention, decoder_input, encoder_output, causal, source_padding):
        x = self_attention(decoder_input, decoder_input, decoder_input, causal)
        encoder_output[:] = cross_attention(encoder_output, encoder_output, encoder_output, source_padding)
        return cross_attention(x, encoder_output, encoder_output, source_padding)
            """,
            VALUES,
            never=SAME_TWICE,
        ),
        Wrong(
            "encoder-cleaned-in-place",
            """
    def decoder_step(self_attention, cross_attention, decoder_input, encoder_output, causal, source_padding):
        x = self_attention(decoder_input, decoder_input, decoder_input, causal)
        encoder_output *= source_padding.reshape(encoder_output.shape[0], -1, 1)
        return cross_attention(x, encoder_output, encoder_output, source_padding)
            """,
            RULE,
        ),
        Wrong(
            "decoder-input-overwritten",
            """
    def decoder_step(self_attention, cross_attention, decoder_input, encoder_output, causal, source_padding):
        decoder_input[:] = self_attention(decoder_input, decoder_input, decoder_input, causal)
        return cross_attention(decoder_input, encoder_output, encoder_output, source_padding)
            """,
            RULE,
        ),
    ),
    right=(
        Right(
            "one-line",
            """
    def decoder_step(self_attention, cross_attention, decoder_input, encoder_output, causal, source_padding):
        x = self_attention(decoder_input, decoder_input, decoder_input, causal)
        return cross_attention(x, encoder_output, encoder_output, source_padding)
            """,
        ),
        Right(
            "keyword-mask",
            """
    def decoder_step(self_attention, cross_attention, decoder_input, encoder_output, causal, source_padding):
        x = self_attention(decoder_input, decoder_input, decoder_input, mask=causal)
        return cross_attention(x, encoder_output, encoder_output, mask=source_padding)
            """,
        ),
        Right(
            "forward-method",
            """
    def decoder_step(self_attention, cross_attention, decoder_input, encoder_output, causal, source_padding):
        y = self_attention.forward(decoder_input, decoder_input, decoder_input, causal)
        return cross_attention.forward(y, encoder_output, encoder_output, source_padding)
            """,
        ),
        Right(
            "starred",
            """
    def decoder_step(self_attention, cross_attention, decoder_input, encoder_output, causal, source_padding):
        x = self_attention(*[decoder_input] * 3, causal)
        return cross_attention(x, *(encoder_output,) * 2, source_padding)
            """,
        ),
        Right(
            "bool-masks",
            """
    def decoder_step(self_attention, cross_attention, decoder_input, encoder_output, causal, source_padding):
        x = self_attention(decoder_input, decoder_input, decoder_input, causal.bool()[None, None])
        return cross_attention(x, encoder_output, encoder_output, source_padding.bool())
            """,
        ),
        Right(
            "padding-expanded",
            """
    def decoder_step(self_attention, cross_attention, decoder_input, encoder_output, causal, source_padding):
        x = self_attention(decoder_input, decoder_input, decoder_input, causal)
        allowed = source_padding.expand(-1, -1, x.shape[1], -1)
        return cross_attention(x, encoder_output, encoder_output, allowed)
            """,
        ),
        Right(
            "own-causal-mask",
            """
    def decoder_step(self_attention, cross_attention, decoder_input, encoder_output, causal, source_padding):
        n = decoder_input.size(1)
        x = self_attention(decoder_input, decoder_input, decoder_input, torch.tril(torch.ones(n, n)))
        return cross_attention(x, encoder_output, encoder_output, source_padding)
            """,
        ),
        Right(
            "sequence-by-sequence",
            """
    def decoder_step(self_attention, cross_attention, decoder_input, encoder_output, causal, source_padding):
        outs = []
        for y, e, p in zip(decoder_input.split(1), encoder_output.split(1), source_padding.split(1)):
            x = self_attention(y, y, y, causal)
            outs.append(cross_attention(x, e, e, p))
        return torch.cat(outs)
            """,
        ),
        Right(
            "keyword-arguments-of-forward",
            """
    def decoder_step(self_attention, cross_attention, decoder_input, encoder_output, causal, source_padding):
        x = self_attention(q_input=decoder_input, k_input=decoder_input, v_input=decoder_input, mask=causal)
        memory = encoder_output
        return cross_attention(q_input=x, k_input=memory, v_input=memory, mask=source_padding)
            """,
        ),
    ),
)

TASKS = {
    "project-batch": PROJECT_BATCH,
    "into-heads": INTO_HEADS,
    "scaled-head-scores": SCALED_HEAD_SCORES,
    "masked-weights": MASKED_WEIGHTS,
    "contiguous-merge": CONTIGUOUS_MERGE,
    "attention-output": ATTENTION_OUTPUT,
    "padding-mask": PADDING_MASK,
    "combine-masks": COMBINE_MASKS,
    "masked-softmax": MASKED_SOFTMAX,
    "bug-query-length": BUG_QUERY_LENGTH,
    "multi-head-attention-module": MULTI_HEAD_ATTENTION,
    "bug-cross-from-decoder": BUG_CROSS_FROM_DECODER,
}
