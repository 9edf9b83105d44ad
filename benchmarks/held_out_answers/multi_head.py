"""Lesson 05, `MultiHeadAttention`."""

from benchmarks.held_out_answers.table import read

HELD_OUT = read(
    r"""
== 05-multi-head multi-head-attention
like a book: cell
    class MultiHeadAttention(nn.Module):
        def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
            super().__init__()
            if d_out % num_heads:
                raise ValueError("d_out must be divisible by num_heads")
            self.d_out = d_out
            self.num_heads = num_heads
            self.head_dim = d_out // num_heads  # Reduce the projection dim to match desired output dim
            self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
            self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
            self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
            self.out_proj = nn.Linear(d_out, d_out)  # Linear layer to combine head outputs
            self.dropout = nn.Dropout(dropout)
            self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1))

        def forward(self, x):
            b, num_tokens, d_in = x.shape
            k = self.W_key(x)
            q = self.W_query(x)
            v = self.W_value(x)
            k = k.view(b, num_tokens, self.num_heads, self.head_dim)
            v = v.view(b, num_tokens, self.num_heads, self.head_dim)
            q = q.view(b, num_tokens, self.num_heads, self.head_dim)
            k = k.transpose(1, 2)
            q = q.transpose(1, 2)
            v = v.transpose(1, 2)
            logits = q @ k.transpose(2, 3)
            mask_bool = self.mask.bool()[:num_tokens, :num_tokens]
            logits.masked_fill_(mask_bool, -torch.inf)
            attn = torch.softmax(logits / k.shape[-1]**0.5, dim=-1)
            attn = self.dropout(attn)
            ctx = (attn @ v).transpose(1, 2)
            ctx = ctx.contiguous().view(b, num_tokens, self.d_out)
            ctx = self.out_proj(ctx)
            return ctx
no-scale: logits / k.shape[-1]**0.5 → logits
scaled-by-model-width: k.shape[-1]**0.5 → self.d_out**0.5
scaled-by-heads: k.shape[-1]**0.5 → k.shape[1]**0.5
softmax-over-heads: dim=-1) → dim=1)
softmax-over-queries: dim=-1) → dim=2)
no-mask: logits.masked_fill_( → logits.masked_fill(
mask-fills-zero: -torch.inf → 0.0
diagonal-hidden: , diagonal=1 →
mask-polarity: logits.masked_fill_(mask_bool, → logits.masked_fill_(~mask_bool,
mask-not-cut: .bool()[:num_tokens, :num_tokens] → .bool()
no-out-proj: line ctx = self →
merge-without-transpose: (attn @ v).transpose(1, 2) → (attn @ v)
bias-never: bias=qkv_bias →3 bias=False
keys-as-values: v = self.W_value(x) → v = self.W_key(x)
no-dropout: line attn) →
out-proj-without-bias: nn.Linear(d_out, d_out) → nn.Linear(d_out, d_out, bias=qkv_bias)
dropout-on-context: line attn) →
    return ctx → return self.dropout(ctx)
scaled-after-softmax:
    torch.softmax(logits / k.shape[-1]**0.5, dim=-1) → torch.softmax(logits, dim=-1) / k.shape[-1]**0.5
mask-not-a-buffer:
    line diagonal → self.mask = torch.triu(torch.ones(context_length, context_length), diagonal=1)
split-without-transpose: line k.transpose(1 →
    line q.transpose →
    line v.transpose →
    = k.view(b, num_tokens, self.num_heads, → = k.view(b, self.num_heads, num_tokens,
    = q.view(b, num_tokens, self.num_heads, → = q.view(b, self.num_heads, num_tokens,
    = v.view(b, num_tokens, self.num_heads, → = v.view(b, self.num_heads, num_tokens,
indivisible-accepted: line if d_out →
    line raise →
like a small gpt:
    hidden: out-proj-without-bias
    cell
        import math
        class MultiHeadAttention(nn.Module):
            def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                super().__init__()
                if d_out % num_heads != 0:
                    raise ValueError(f"{d_out=} is not a multiple of {num_heads=}")
                self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
                self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
                self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
                self.out_proj = nn.Linear(d_out, d_out)
                self.attn_dropout = nn.Dropout(dropout)
                self.register_buffer("mask", torch.tril(torch.ones(context_length, context_length)))
                self.n_head = num_heads
                self.n_embd = d_out

            def forward(self, x):
                B, T, C = x.size()
                q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
                k = k.view(B, T, self.n_head, self.n_embd // self.n_head).transpose(1, 2)  # (B, nh, T, hs)
                q = q.view(B, T, self.n_head, self.n_embd // self.n_head).transpose(1, 2)  # (B, nh, T, hs)
                v = v.view(B, T, self.n_head, self.n_embd // self.n_head).transpose(1, 2)  # (B, nh, T, hs)
                att = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(-1)))
                att = att.masked_fill(self.mask[:T, :T] == 0, float("-inf"))
                att = nn.functional.softmax(att, dim=-1)
                att = self.attn_dropout(att)
                y = att @ v  # (B, nh, T, T) x (B, nh, T, hs) -> (B, nh, T, hs)
                y = y.transpose(1, 2).contiguous().view(B, T, self.n_embd)  # heads side by side
                return self.out_proj(y)
scaled-by-model-width: k.size(-1) → self.n_embd
scaled-by-input-width: k.size(-1) → C
no-scale: ` * (1.0 / math.sqrt(k.size(-1)))` →
scaled-by-tokens: k.size(-1) → k.size(-2)
scaled-up: * (1.0 / math.sqrt(k.size(-1))) → * math.sqrt(k.size(-1))
mask-polarity: [:T, :T] == 0 → [:T, :T] != 0
past-hidden: torch.tril( → torch.triu(
mask-fills-small: float("-inf") → -8
mask-not-cut: self.mask[:T, :T] → self.mask
no-mask: att = att.masked_fill(self.mask → att.masked_fill(self.mask
softmax-over-heads: softmax(att, dim=-1) → softmax(att, dim=1)
bias-always: bias=qkv_bias →3 bias=True
softmax-over-queries: softmax(att, dim=-1) → softmax(att, dim=-2)
merge-without-transpose: y.transpose(1, 2).contiguous().view( → y.contiguous().view(
queries-as-values: y = att @ v → y = att @ q
no-out-proj: return self.out_proj(y) → return y
out-proj-without-bias: nn.Linear(d_out, d_out) → nn.Linear(d_out, d_out, bias=False)
split-interleaved:
    self.n_head, self.n_embd // self.n_head).transpose(1, 2) →3 self.n_embd // self.n_head, self.n_head).permute(0, 3, 1, 2)
dropout-on-scores:
    line dim=-1 … att = self → att = self.attn_dropout(att)↵att = nn.functional.softmax(att, dim=-1)
dropout-on-context: line att = self →
    return self.out_proj(y) → return self.attn_dropout(self.out_proj(y))
indivisible-accepted: line if d_out →
    line raise →
einsum over named axes: cell
    class MultiHeadAttention(nn.Module):
        def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
            super().__init__()
            head_dim, rest = divmod(d_out, num_heads)
            if rest > 0:
                raise ValueError("num_heads does not divide d_out")
            self.heads, self.head_dim = num_heads, head_dim
            self.scale = head_dim ** -0.5
            self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
            self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
            self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
            self.out_proj = nn.Linear(d_out, d_out)
            self.attend_dropout = nn.Dropout(dropout)
            self.register_buffer("mask", torch.ones(context_length, context_length, dtype=torch.bool).triu(1))

        def forward(self, x):
            t = x.shape[-2]
            layers = (self.W_query, self.W_key, self.W_value)
            q, k, v = (layer(x).unflatten(-1, (self.heads, self.head_dim)) for layer in layers)
            sim = torch.einsum("bthd,bshd->bhts", q, k) * self.scale
            sim = sim.masked_fill(self.mask[:t, :t], -torch.finfo(sim.dtype).max)
            attn = sim.softmax(dim=-1)
            attn = self.attend_dropout(attn)
            out = torch.einsum("bhts,bshd->bthd", attn, v)
            return self.out_proj(out.flatten(2))
no-scale: ) * self.scale → )
scaled-by-model-width: head_dim ** -0.5 → d_out ** -0.5
scaled-by-input-width: head_dim ** -0.5 → d_in ** -0.5
scaled-up: ) * self.scale → ) / self.scale
scaled-by-heads: head_dim ** -0.5 → num_heads ** -0.5
diagonal-too-far: .triu(1) → .triu(2)
scores-turned: "bthd,bshd->bhts" → "bshd,bthd->bhts"
mask-not-cut: self.mask[:t, :t] → self.mask
weights-on-the-right: "bhts,bshd->bthd" → "bhst,bshd->bthd"
softmax-over-heads: softmax(dim=-1) → softmax(dim=1)
exp-overflows: sim.softmax(dim=-1) → sim.exp() / sim.exp().sum(dim=-1, keepdim=True)
projections-swapped: q, k, v = ( → k, q, v = (
softmax-over-queries: softmax(dim=-1) → softmax(dim=-2)
softmax-over-batch: softmax(dim=-1) → softmax(dim=0)
no-dropout: line attn) →
split-interleaved: (self.heads, self.head_dim)) for → (self.head_dim, self.heads)).transpose(-1, -2) for
no-mask: line finfo →
mask-fills-small: -torch.finfo(sim.dtype).max → -1.0
keys-as-values: (self.W_query, self.W_key, self.W_value) → (self.W_query, self.W_key, self.W_key)
dropout-on-input: line attn) →
    layer(x) → layer(self.attend_dropout(x))
no-out-proj: self.out_proj(out.flatten(2)) → out.flatten(2)
merge-without-transpose: ->bthd", attn, v) → ->bhtd", attn, v)
    out.flatten(2) → out.reshape(x.shape[0], t, -1)
mask-not-a-buffer:
    line triu(1) → self.mask = torch.ones(context_length, context_length, dtype=torch.bool).triu(1)
split and merge methods with types: cell
    from torch import Tensor

    class MultiHeadAttention(nn.Module):
        def __init__(self, d_in: int, d_out: int, context_length: int, dropout: float, num_heads: int,
                     qkv_bias: bool = False):
            super().__init__()
            if d_out % num_heads != 0:
                raise ValueError("The embedding dimension must be divisible by the number of heads.")
            self.n_head = num_heads
            self.d_head = d_out // num_heads
            self.out_proj = nn.Linear(d_out, d_out)
            self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
            self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
            self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
            self.drop = nn.Dropout(dropout)
            self.register_buffer("mask", torch.tril(torch.ones(context_length, context_length)).bool())

        def split(self, tensor: Tensor) -> Tensor:
            batch_size, length, d_model = tensor.size()
            d_tensor = d_model // self.n_head
            return tensor.view(batch_size, length, self.n_head, d_tensor).permute(0, 2, 1, 3)

        def concat(self, tensor: Tensor) -> Tensor:
            batch_size, head, length, d_tensor = tensor.size()
            return tensor.permute(0, 2, 1, 3).reshape(batch_size, length, head * d_tensor)

        def attention(self, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
            length = q.size(2)
            score = torch.matmul(q, k.transpose(2, 3)) / self.d_head**0.5
            score = score.masked_fill(~self.mask[:length, :length], -1e20)
            weights = self.drop(torch.softmax(score, dim=3))
            return torch.matmul(weights, v)

        def forward(self, x: Tensor) -> Tensor:
            q, k, v = self.split(self.W_query(x)), self.split(self.W_key(x)), self.split(self.W_value(x))
            return self.out_proj(self.concat(self.attention(q, k, v)))
no-scale: ` / self.d_head**0.5` →
scaled-without-root: self.d_head**0.5 → self.d_head
scaled-up: / self.d_head**0.5 → * self.d_head**0.5
scaled-by-tokens: self.d_head**0.5 → length**0.5
scaled-by-heads: self.d_head**0.5 → self.n_head**0.5
mask-polarity: ~self.mask → self.mask
keys-reshaped: k.transpose(2, 3) → k.reshape(k.size(0), k.size(1), k.size(3), k.size(2))
mask-fills-small: -1e20 → -1e1
mask-not-cut: self.mask[:length, :length] → self.mask
diagonal-hidden: context_length)).bool() → context_length), diagonal=-1).bool()
softmax-over-queries: torch.softmax(score, dim=3) → torch.softmax(score, dim=2)
softmax-over-heads: torch.softmax(score, dim=3) → torch.softmax(score, dim=1)
no-softmax: torch.softmax(score, dim=3) → score
exp-overflows: torch.softmax(score, dim=3) → score.exp() / score.exp().sum(3, keepdim=True)
queries-as-values: self.split(self.W_value(x)) → self.split(self.W_query(x))
queries-as-keys: self.split(self.W_key(x)) → self.split(self.W_query(x))
no-dropout: self.drop(torch.softmax(score, dim=3)) → torch.softmax(score, dim=3)
dropout-on-scores: self.drop(torch.softmax(score, dim=3)) → torch.softmax(self.drop(score), dim=3)
mask-on-first-head: line length] → score[:, 0] = score[:, 0].masked_fill(~self.mask[:length, :length], -1e20)
split-without-transpose:
    tensor.view(batch_size, length, self.n_head, d_tensor).permute(0, 2, 1, 3) → tensor.view(batch_size, self.n_head, length, d_tensor)
merge-without-transpose:
    tensor.permute(0, 2, 1, 3).reshape(batch_size, length, head * d_tensor) → tensor.reshape(batch_size, length, head * d_tensor)
dropout-on-context: self.drop(torch.softmax(score, dim=3)) → torch.softmax(score, dim=3)
    self.out_proj(self.concat( → self.out_proj(self.drop(self.concat(
    q, k, v))) → q, k, v))))
out-proj-twice: line self.concat → return self.out_proj(self.out_proj(self.concat(self.attention(q, k, v))))
no-out-proj: line self.concat → return self.concat(self.attention(q, k, v))
a loop over heads: cell
    class MultiHeadAttention(nn.Module):
        def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
            super().__init__()
            if d_out // num_heads * num_heads != d_out:
                raise ValueError(f"cannot share {d_out} dimensions among {num_heads} heads")
            self.num_heads = num_heads
            self.width = d_out // num_heads
            self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
            self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
            self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
            self.out_proj = nn.Linear(d_out, d_out)
            self.dropout = nn.Dropout(dropout)
            mask = torch.zeros(context_length, context_length)
            mask = mask.masked_fill(torch.ones_like(mask).triu(1) > 0, float("-inf"))
            self.register_buffer("mask", mask)

        def forward(self, x):
            n = x.size(1)
            all_q = self.W_query(x)
            all_k = self.W_key(x)
            all_v = self.W_value(x)
            head_outputs = []
            for h in range(self.num_heads):
                part = slice(h * self.width, (h + 1) * self.width)
                q, k, v = all_q[..., part], all_k[..., part], all_v[..., part]
                scores = torch.bmm(q, k.transpose(1, 2)) / self.width ** 0.5
                scores = scores + self.mask[:n, :n]
                probs = self.dropout(scores.softmax(-1))
                head_outputs.append(torch.bmm(probs, v))
            concat = torch.cat(head_outputs, dim=-1)
            return self.out_proj(concat)
no-scale: ` / self.width ** 0.5` →
scaled-by-model-width: self.width ** 0.5 → all_k.size(-1) ** 0.5
scaled-by-batch: self.width ** 0.5 → x.size(0) ** 0.5
softmax-over-queries: softmax(-1) → softmax(1)
scaled-without-root: self.width ** 0.5 → self.width
softmax-over-batch: softmax(-1) → softmax(0)
softmax-twice: scores.softmax(-1) → scores.softmax(-1).softmax(-1)
mask-added: float("-inf") → 1.0
mask-fills-small: float("-inf") → -4.0
diagonal-hidden: .triu(1) → .triu()
past-hidden: .triu(1) → .tril(-1)
no-mask: line mask[:n →
mask-not-cut: self.mask[:n, :n] → self.mask
keys-as-values: torch.bmm(probs, v) → torch.bmm(probs, k)
heads-added: torch.cat(head_outputs, dim=-1) → torch.cat([sum(head_outputs)] * self.num_heads, dim=-1)
split-interleaved: slice(h * self.width, (h + 1) * self.width) → slice(h, None, self.num_heads)
keys-as-queries: torch.bmm(q, k.transpose(1, 2)) → torch.bmm(k, k.transpose(1, 2))
no-dropout: self.dropout(scores.softmax(-1)) → scores.softmax(-1)
no-out-proj: line return → return concat
bias-never: bias=qkv_bias →3 bias=False
mask-on-first-head:
    scores = scores + self.mask[:n, :n] → scores = scores + self.mask[:n, :n] if h == 0 else scores
dropout-on-context: self.dropout(scores.softmax(-1)) → scores.softmax(-1)
    torch.cat(head_outputs, dim=-1) → self.dropout(torch.cat(head_outputs, dim=-1))
one fused call:
    hidden: out-proj-without-bias one-head+scaled-by-model-width
    cell
        class MultiHeadAttention(nn.Module):
            def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                super().__init__()
                if d_out % num_heads:
                    raise ValueError("d_out is not divisible by num_heads")
                self.num_heads = num_heads
                self.p = dropout
                self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
                self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
                self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
                self.out_proj = nn.Linear(d_out, d_out)
                self.register_buffer("mask", torch.ones(context_length, context_length).tril().bool())

            def forward(self, x):
                bsz, seqlen, _ = x.shape
                xq, xk, xv = self.W_query(x), self.W_key(x), self.W_value(x)
                xq = xq.view(bsz, seqlen, self.num_heads, -1).transpose(1, 2)
                xk = xk.view(bsz, seqlen, self.num_heads, -1).transpose(1, 2)
                xv = xv.view(bsz, seqlen, self.num_heads, -1).transpose(1, 2)
                output = nn.functional.scaled_dot_product_attention(
                    xq,
                    xk,
                    xv,
                    attn_mask=self.mask[:seqlen, :seqlen],
                    dropout_p=self.p if self.training else 0.0,
                )
                output = output.transpose(1, 2).reshape(bsz, seqlen, -1)
                return self.out_proj(output)
mask-polarity: attn_mask=self.mask → attn_mask=~self.mask
past-hidden: .tril() → .triu()
no-mask: line attn_mask →
diagonal-too-far: .tril() → .tril(1)
mask-added: self.mask[:seqlen, :seqlen] → self.mask[:seqlen, :seqlen].to(x.dtype)
mask-not-cut: self.mask[:seqlen, :seqlen] → self.mask
bias-always: bias=qkv_bias →3 bias=True
no-scale: if self.training else 0.0, → if self.training else 0.0, scale=1.0,
scaled-without-root: `            xq,↵` → `            xq / xq.shape[-1] ** 0.5,↵`
dropout-in-eval: self.p if self.training else 0.0 → self.p
no-dropout: line dropout_p →
merge-without-transpose: output.transpose(1, 2).reshape( → output.reshape(
scores-turned: line xq,↵xk, → xk,↵xq,
queries-as-values: line xv, → xq,
queries-as-keys: self.W_query(x), self.W_key(x) → self.W_query(x), self.W_query(x)
no-out-proj: line return → return output
out-proj-without-bias: nn.Linear(d_out, d_out) → nn.Linear(d_out, d_out, False)
mask-not-a-buffer: line torch → self.mask = torch.ones(context_length, context_length).tril().bool()
scaled-by-model-width:
    if self.training else 0.0, → if self.training else 0.0, scale=self.out_proj.in_features**-0.5,
dropout-on-context: self.p if self.training else 0.0 → 0.0
    self.out_proj(output) → self.out_proj(nn.functional.dropout(output, self.p, self.training))
one-head: xq.view(bsz, seqlen, self.num_heads, -1) → xq.view(bsz, seqlen, 1, -1)
    xk.view(bsz, seqlen, self.num_heads, -1) → xk.view(bsz, seqlen, 1, -1)
    xv.view(bsz, seqlen, self.num_heads, -1) → xv.view(bsz, seqlen, 1, -1)
indivisible-accepted: line if d_out →
    line raise →
the course's helpers:
    hidden: out-proj-without-bias
    cell
        class MultiHeadAttention(nn.Module):
            def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                if d_out % num_heads != 0:
                    raise ValueError("num_heads must divide d_out")
                super().__init__()
                self.W_query, self.W_key, self.W_value = [nn.Linear(d_in, d_out, bias=qkv_bias) for _ in range(3)]
                self.out_proj = nn.Linear(d_out, d_out, bias=True)
                self.dropout = nn.Dropout(dropout)
                self.h = num_heads
                self.register_buffer("mask", torch.ones(context_length, context_length).triu(diagonal=1).bool())

            def forward(self, x):
                query = split_heads(self.W_query(x), self.h)
                key = split_heads(self.W_key(x), self.h)
                value = split_heads(self.W_value(x), self.h)
                d_k = query.shape[-1]
                query = query * d_k**-0.5
                future = self.mask[: x.shape[1], : x.shape[1]]
                p_attn = query.matmul(key.mT).masked_fill(future, -torch.inf).softmax(dim=-1)
                p_attn = self.dropout(p_attn)
                return self.out_proj(merge_heads(p_attn.matmul(value)))
no-scale: line d_k** →
scaled-up: d_k**-0.5 → d_k**0.5
scaled-without-root: d_k**-0.5 → d_k**-1
scaled-by-heads: d_k = query.shape[-1] → d_k = query.shape[1]
scaled-by-model-width: d_k = query.shape[-1] → d_k = self.W_query.out_features
scaled-by-tokens: d_k = query.shape[-1] → d_k = query.shape[-2]
mask-fills-zero: -torch.inf → 0
no-mask: .masked_fill(future, -torch.inf) →
diagonal-hidden: diagonal=1 → diagonal=0
mask-polarity: masked_fill(future, → masked_fill(future.logical_not(),
diagonal-too-far: diagonal=1 → diagonal=2
softmax-over-queries: softmax(dim=-1) → softmax(dim=-2)
mask-not-cut: self.mask[: x.shape[1], : x.shape[1]] → self.mask
softmax-over-heads: softmax(dim=-1) → softmax(dim=1)
heads-typed-in: self.h = num_heads → self.h = 2
keys-as-values: value = split_heads(self.W_value(x) → value = split_heads(self.W_key(x)
scores-turned: query.matmul(key.mT) → key.matmul(query.mT)
merge-without-transpose: merge_heads(p_attn.matmul(value)) → p_attn.matmul(value).reshape(*x.shape[:2], -1)
no-dropout: line p_attn) →
out-proj-without-bias: bias=True → bias=False
dropout-on-input: line p_attn) → value = self.dropout(value)
no-out-proj: self.out_proj(merge_heads(p_attn.matmul(value))) → merge_heads(p_attn.matmul(value))
weights-returned: line return → return p_attn
mask-after-softmax:
    .masked_fill(future, -torch.inf).softmax(dim=-1) → .softmax(dim=-1).masked_fill(future, 0.0)
heads folded into the batch: cell
    class MultiHeadAttention(nn.Module):
        def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
            super().__init__()
            if d_out % num_heads != 0:
                raise ValueError("d_out %d, num_heads %d" % (d_out, num_heads))
            self.num_heads = num_heads
            self.head_size = int(d_out / num_heads)
            self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
            self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
            self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
            self.dropout = nn.Dropout(dropout)
            self.out_proj = nn.Linear(num_heads * self.head_size, d_out)
            i = torch.arange(context_length)
            self.register_buffer("mask", i.unsqueeze(1) < i.unsqueeze(0))

        def transpose_qkv(self, X):
            X = X.reshape(X.shape[0], X.shape[1], self.num_heads, -1)
            X = X.permute(0, 2, 1, 3)
            return X.reshape(-1, X.shape[2], X.shape[3])

        def transpose_output(self, X):
            X = X.reshape(-1, self.num_heads, X.shape[1], X.shape[2])
            X = X.permute(0, 2, 1, 3)
            return X.reshape(X.shape[0], X.shape[1], -1)

        def forward(self, x):
            queries = self.transpose_qkv(self.W_query(x))
            keys = self.transpose_qkv(self.W_key(x))
            values = self.transpose_qkv(self.W_value(x))
            d = queries.shape[-1]
            steps = x.shape[1]
            scores = torch.bmm(queries, keys.transpose(1, 2)) / (d ** 0.5)
            scores[:, self.mask[:steps, :steps]] = -torch.inf
            attention_weights = nn.functional.softmax(scores, dim=-1)
            output = torch.bmm(self.dropout(attention_weights), values)
            output_concat = self.transpose_output(output)
            return self.out_proj(output_concat)
no-scale: ` / (d ** 0.5)` →
scaled-up: / (d ** 0.5) → * (d ** 0.5)
scaled-without-root: (d ** 0.5) → d
scaled-by-input-width: d = queries.shape[-1] → d = x.shape[-1]
scaled-by-tokens: d = queries.shape[-1] → d = queries.shape[1]
mask-fills-zero: = -torch.inf → = 0
mask-fills-small: = -torch.inf → = -2.0
diagonal-hidden: i.unsqueeze(1) < i → i.unsqueeze(1) <= i
past-hidden: i.unsqueeze(1) < i → i.unsqueeze(1) > i
bias-never: , bias=qkv_bias →3 , bias=False
mask-not-cut: self.mask[:steps, :steps] → self.mask
no-mask: line steps] →
mask-on-first-head: scores[:, self.mask → scores[::self.num_heads, self.mask
softmax-over-queries: softmax(scores, dim=-1) → softmax(scores, dim=1)
softmax-over-batch: softmax(scores, dim=-1) → softmax(scores, dim=0)
keys-as-values: line W_value(x) → values = keys
queries-as-values: self.dropout(attention_weights), values) → self.dropout(attention_weights), queries)
no-dropout: self.dropout(attention_weights) → attention_weights
out-proj-twice: self.out_proj(output_concat) → self.out_proj(self.out_proj(output_concat))
split-without-transpose:
    line num_heads, -1 … X = X.permute(0, 2, 1, 3) → X = X.reshape(X.shape[0], self.num_heads, X.shape[1], -1)
merge-without-transpose:
    line X = X.permute(0, 2, 1, 3)↵return X.reshape(X.shape[0], X.shape[1], -1) → return X.reshape(X.shape[0], X.shape[2], -1)
dropout-on-context: self.dropout(attention_weights) → attention_weights
    self.out_proj(output_concat) → self.dropout(self.out_proj(output_concat))
indivisible-accepted: line raise → pass
"""
)
