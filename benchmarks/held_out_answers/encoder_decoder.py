"""Lesson 06, `MultiHeadAttention` for an encoder, a decoder, and between the two."""

from benchmarks.held_out_answers.table import read

HELD_OUT = read(
    r"""
== 06-encoder-decoder multi-head-attention-module
all steps in forward:
    hidden: bias-never
    cell
        class MultiHeadAttention(nn.Module):
            def __init__(self, d_model, num_heads):
                super(MultiHeadAttention, self).__init__()
                assert d_model % num_heads == 0, "d_model must be divisible by num_heads"
                self.d_model = d_model
                self.num_heads = num_heads
                self.d_k = d_model // num_heads
                self.query = nn.Linear(d_model, d_model)
                self.key = nn.Linear(d_model, d_model)
                self.value = nn.Linear(d_model, d_model)
                self.fc = nn.Linear(d_model, d_model)

            def forward(self, q_input, k_input, v_input, mask=None):
                batch_size = q_input.size(0)
                Q = self.query(q_input).view(batch_size, -1, self.num_heads, self.d_k).permute(0, 2, 1, 3)
                K = self.key(k_input).view(batch_size, -1, self.num_heads, self.d_k).permute(0, 2, 1, 3)
                V = self.value(v_input).view(batch_size, -1, self.num_heads, self.d_k).permute(0, 2, 1, 3)
                energy = torch.matmul(Q, K.permute(0, 1, 3, 2)) / self.d_k ** 0.5
                if mask is not None:
                    energy = energy.masked_fill(mask == 0, float("-inf"))
                attention = torch.softmax(energy, dim=-1)
                attention = torch.nan_to_num(attention, nan=0.0)
                x = torch.matmul(attention, V)
                x = x.permute(0, 2, 1, 3).contiguous()
                x = x.view(batch_size, -1, self.d_model)
                return self.fc(x)
no-scale: ` / self.d_k ** 0.5` →
scaled-by-model-width: self.d_k ** 0.5 → self.d_model ** 0.5
scaled-without-root: self.d_k ** 0.5 → self.d_k
mask-polarity: mask == 0 → mask == 1
scaled-by-heads: self.d_k ** 0.5 → self.num_heads ** 0.5
mask-fills-small: float("-inf") → -10
softmax-over-queries: torch.softmax(energy, dim=-1) → torch.softmax(energy, dim=2)
softmax-over-heads: torch.softmax(energy, dim=-1) → torch.softmax(energy, dim=1)
mask-fills-zero: float("-inf") → 0
empty-row-nan: line nan=0.0 →
no-mask: energy = energy.masked_fill( → energy.masked_fill(
empty-row-even: float("-inf") → -1e9
keys-as-values: self.value(v_input) → self.key(v_input)
merge-without-transpose: x.permute(0, 2, 1, 3).contiguous() → x.contiguous()
values-from-query-input: self.value(v_input) → self.value(q_input)
keys-from-query-input: self.key(k_input) → self.key(q_input)
no-out-proj: return self.fc(x) → return x
scores-turned: torch.matmul(Q, K.permute(0, 1, 3, 2)) → torch.matmul(K, Q.permute(0, 1, 3, 2))
activation-added: return self.fc(x) → return torch.relu(self.fc(x))
bias-never: nn.Linear(d_model, d_model) →4 nn.Linear(d_model, d_model, bias=False)
split-without-transpose:
    view(batch_size, -1, self.num_heads, self.d_k).permute(0, 2, 1, 3) →3 view(batch_size, self.num_heads, -1, self.d_k)
a free function for attention: cell
    import math
    def attention(query, key, value, mask=None):
        d_k = query.size(-1)
        scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(d_k)
        if mask is not None:
            scores = scores.masked_fill(mask == 0, -1e9)
        p_attn = scores.softmax(dim=-1)
        if mask is not None:
            p_attn = p_attn * (mask != 0)
        return torch.matmul(p_attn, value), p_attn

    class MultiHeadAttention(nn.Module):
        def __init__(self, d_model, num_heads):
            super().__init__()
            self.d_k = d_model // num_heads
            self.h = num_heads
            self.query, self.key, self.value, self.fc = (nn.Linear(d_model, d_model) for _ in range(4))
            self.attn = None

        def forward(self, q_input, k_input, v_input, mask=None):
            nbatches = q_input.size(0)
            query, key, value = [
                lin(x).view(nbatches, -1, self.h, self.d_k).transpose(1, 2)
                for lin, x in zip((self.query, self.key, self.value), (q_input, k_input, v_input))
            ]
            x, self.attn = attention(query, key, value, mask=mask)
            x = x.transpose(1, 2).contiguous().view(nbatches, -1, self.h * self.d_k)
            return self.fc(x)
no-scale: ` / math.sqrt(d_k)` →
scaled-up: / math.sqrt(d_k) → * math.sqrt(d_k)
scaled-without-root: math.sqrt(d_k) → d_k
scaled-by-tokens: d_k = query.size(-1) → d_k = query.size(-2)
scaled-by-batch: d_k = query.size(-1) → d_k = query.size(0)
no-softmax: scores.softmax(dim=-1) → scores
softmax-over-queries: softmax(dim=-1) → softmax(dim=-2)
no-out-proj: return self.fc(x) → return x
softmax-over-heads: softmax(dim=-1) → softmax(dim=1)
no-mask: (query, key, value, mask=mask) → (query, key, value)
mask-polarity: masked_fill(mask == 0, → masked_fill(mask == 1,
    (mask != 0) → (mask == 0)
mask-fills-small: -1e9 → -9.0
    line if mask is not None:↵p_attn = p_attn * (mask != 0) →
mask-after-softmax: line masked_fill → pass
empty-row-even: line if mask is not None:↵p_attn = p_attn * (mask != 0) →
keys-as-values: torch.matmul(p_attn, value), p_attn → torch.matmul(p_attn, key), p_attn
merge-without-transpose: x.transpose(1, 2).contiguous() → x.contiguous()
values-from-query-input: (q_input, k_input, v_input)) → (q_input, k_input, q_input))
keys-from-query-input: (q_input, k_input, v_input)) → (q_input, q_input, v_input))
queries-from-key-input: (q_input, k_input, v_input)) → (k_input, k_input, v_input))
queries-as-keys: (self.query, self.key, self.value) → (self.query, self.query, self.value)
out-proj-without-bias: return self.fc(x) → return F.linear(x, self.fc.weight)
returns-a-tuple: return self.fc(x) → return self.fc(x), self.attn
split-without-transpose:
    view(nbatches, -1, self.h, self.d_k).transpose(1, 2) → view(nbatches, self.h, -1, self.d_k)
an attention module inside: cell
    class ScaleDotProductAttention(nn.Module):
        def __init__(self):
            super().__init__()
            self.softmax = nn.Softmax(dim=-1)

        def forward(self, q, k, v, mask=None):
            batch_size, head, length, d_tensor = k.size()
            k_t = k.transpose(2, 3)  # transpose
            score = (q @ k_t) / d_tensor**0.5  # scaled dot product
            if mask is not None:
                score = score.masked_fill(mask == 0, float("-inf"))
            score = self.softmax(score)
            if mask is not None:
                score = score.masked_fill(mask == 0, 0.0)
            return score @ v

    class MultiHeadAttention(nn.Module):
        def __init__(self, d_model, num_heads):
            super().__init__()
            self.n_head = num_heads
            self.attention = ScaleDotProductAttention()
            self.fc = nn.Linear(d_model, d_model)
            self.query = nn.Linear(d_model, d_model)
            self.key = nn.Linear(d_model, d_model)
            self.value = nn.Linear(d_model, d_model)

        def forward(self, q_input, k_input, v_input, mask=None):
            q, k, v = self.query(q_input), self.key(k_input), self.value(v_input)
            q, k, v = self.split(q), self.split(k), self.split(v)
            out = self.attention(q, k, v, mask=mask)
            out = self.concat(out)
            out = self.fc(out)
            return out

        def split(self, tensor):
            batch_size, length, d_model = tensor.size()
            d_tensor = d_model // self.n_head
            tensor = tensor.view(batch_size, length, self.n_head, d_tensor).transpose(1, 2)
            return tensor

        def concat(self, tensor):
            batch_size, head, length, d_tensor = tensor.size()
            d_model = head * d_tensor
            tensor = tensor.transpose(1, 2).contiguous().view(batch_size, length, d_model)
            return tensor
no-scale: ` / d_tensor**0.5` →
scaled-by-heads: d_tensor**0.5 → head**0.5
scaled-by-tokens: d_tensor**0.5 → length**0.5
no-softmax: line score) →
scaled-by-model-width: d_tensor**0.5 → (head * d_tensor)**0.5
mask-polarity: mask == 0, →2 mask != 0,
keys-reshaped: k.transpose(2, 3) → k.reshape(batch_size, head, d_tensor, length)
softmax-over-queries: nn.Softmax(dim=-1) → nn.Softmax(dim=-2)
no-out-proj: line fc(out) →
softmax-over-heads: nn.Softmax(dim=-1) → nn.Softmax(dim=1)
softmax-over-batch: nn.Softmax(dim=-1) → nn.Softmax(dim=0)
no-mask: self.attention(q, k, v, mask=mask) → self.attention(q, k, v)
empty-row-nan: line if mask is not None:↵score = score.masked_fill(mask == 0, 0.0) →
merge-without-transpose: tensor.transpose(1, 2).contiguous().view( → tensor.contiguous().view(
keys-as-values: self.value(v_input) → self.key(v_input)
values-as-keys: self.key(k_input) → self.value(k_input)
values-from-key-input: self.value(v_input) → self.value(k_input)
out-proj-twice: line return out → return self.fc(out)
residual-added: line return out → return out + q_input
mask-fills-zero: float("-inf")) → 0)
    line if mask is not None:↵score = score.masked_fill(mask == 0, 0.0) →
split-without-transpose:
    tensor.view(batch_size, length, self.n_head, d_tensor).transpose(1, 2) → tensor.view(batch_size, self.n_head, length, d_tensor)
split-interleaved:
    tensor.view(batch_size, length, self.n_head, d_tensor).transpose(1, 2) → tensor.view(batch_size, length, d_tensor, self.n_head).permute(0, 3, 1, 2)
einsum over keys and queries: cell
    class MultiHeadAttention(nn.Module):
        def __init__(self, d_model, num_heads):
            super().__init__()
            self.embed_size = d_model
            self.heads = num_heads
            self.head_dim = d_model // num_heads
            self.value = nn.Linear(d_model, d_model)
            self.key = nn.Linear(d_model, d_model)
            self.query = nn.Linear(d_model, d_model)
            self.fc = nn.Linear(self.heads * self.head_dim, d_model)

        def forward(self, query, keys, values, mask=None):
            N = query.shape[0]
            value_len, key_len, query_len = values.shape[1], keys.shape[1], query.shape[1]
            values = self.value(values).reshape(N, value_len, self.heads, self.head_dim)
            keys = self.key(keys).reshape(N, key_len, self.heads, self.head_dim)
            queries = self.query(query).reshape(N, query_len, self.heads, self.head_dim)
            energy = torch.einsum("nqhd,nkhd->nhqk", [queries, keys])
            if mask is not None:
                energy = energy.masked_fill(mask == 0, float("-1e20"))
            attention = torch.softmax(energy / (self.head_dim ** (1 / 2)), dim=3)
            if mask is not None:
                attention = attention.masked_fill(mask == 0, 0)
            out = torch.einsum("nhql,nlhd->nqhd", [attention, values]).reshape(N, query_len, self.embed_size)
            return self.fc(out)
scaled-by-model-width: (self.head_dim ** (1 / 2)) → (self.embed_size ** (1 / 2))
no-scale: energy / (self.head_dim ** (1 / 2)) → energy
softmax-over-queries: dim=3 → dim=2
root-by-precedence: self.head_dim ** (1 / 2) → self.head_dim ** 1 / 2
softmax-over-heads: dim=3 → dim=1
exp-overflows: line attention = torch.softmax → e = (energy / self.head_dim ** (1 / 2)).exp()↵attention = e / e.sum(dim=3, keepdim=True)
scaled-by-heads: (self.head_dim ** (1 / 2)) → (self.heads ** (1 / 2))
scores-turned: "nqhd,nkhd->nhqk" → "nqhd,nkhd->nhkq"
queries-as-keys: self.key(keys) → self.query(keys)
keys-as-values: [attention, values] → [attention, keys]
no-out-proj: return self.fc(out) → return out
merge-without-transpose: "nhql,nlhd->nqhd" → "nhql,nlhd->nhqd"
own-value-only: "nhql,nlhd->nqhd" → "nhql,nqhd->nqhd"
scaled-after-softmax:
    torch.softmax(energy / (self.head_dim ** (1 / 2)), dim=3) → torch.softmax(energy, dim=3) / (self.head_dim ** (1 / 2))
mask-polarity: masked_fill(mask == 0, float → masked_fill(mask == 1, float
    masked_fill(mask == 0, 0) → masked_fill(mask == 1, 0)
no-mask: line if mask is not None:↵energy = energy.masked_fill(mask == 0, float("-1e20")) →
    line if mask is not None:↵attention = attention.masked_fill(mask == 0, 0) →
mask-after-softmax: line if mask is not None:↵energy = energy.masked_fill(mask == 0, float("-1e20")) →
mask-fills-small: float("-1e20") → -5.0
    line if mask is not None:↵attention = attention.masked_fill(mask == 0, 0) →
empty-row-even: line if mask is not None:↵attention = attention.masked_fill(mask == 0, 0) →
split-interleaved: (N, value_len, self.heads, self.head_dim) → (N, value_len, self.head_dim, self.heads).mT
    (N, key_len, self.heads, self.head_dim) → (N, key_len, self.head_dim, self.heads).mT
    (N, query_len, self.heads, self.head_dim) → (N, query_len, self.head_dim, self.heads).mT
query-length-for-keys:
    key_len, query_len = values.shape[1], keys.shape[1] → key_len, query_len = query.shape[1], query.shape[1]
one fused call:
    hidden: bias-never
    cell
        class MultiHeadAttention(nn.Module):
            def __init__(self, d_model: int, num_heads: int):
                super().__init__()
                self.num_heads = num_heads
                for name in ["query", "key", "value", "fc"]:
                    self.add_module(name, nn.Linear(d_model, d_model))

            def _heads(self, x: torch.Tensor) -> torch.Tensor:
                return x.unflatten(-1, (self.num_heads, -1)).transpose(-3, -2)

            def forward(self, q_input, k_input, v_input, mask=None):
                q = self._heads(self.query(q_input))
                k = self._heads(self.key(k_input))
                v = self._heads(self.value(v_input))
                if mask is not None:
                    allowed = mask.bool().expand(q.shape[0], self.num_heads, q.shape[2], k.shape[2])
                    nothing = ~allowed.any(-1, keepdim=True)
                    out = F.scaled_dot_product_attention(q, k, v, attn_mask=allowed | nothing)
                    out = out.masked_fill(nothing, 0.0)
                else:
                    out = F.scaled_dot_product_attention(q, k, v)
                return self.fc(out.transpose(1, 2).flatten(2))
mask-polarity: allowed = mask.bool() → allowed = ~mask.bool()
no-mask: , attn_mask=allowed | nothing →
mask-added: attn_mask=allowed | nothing → attn_mask=allowed.to(q.dtype)
empty-row-even: line out = out →
float-forced: flatten(2)) → flatten(2)).float()
one-head: (self.num_heads, -1) → (1, -1)
    self.num_heads, q.shape[2] → 1, q.shape[2]
merge-without-transpose: out.transpose(1, 2).flatten(2) → out.reshape(q_input.shape)
merge-interleaved: out.transpose(1, 2).flatten(2) → out.permute(0, 2, 3, 1).flatten(2)
keys-as-values: self._heads(self.value(v_input)) → k
queries-as-keys: self._heads(self.key(k_input)) → self._heads(self.query(k_input))
values-from-key-input: self.value(v_input) → self.value(k_input)
no-out-proj: self.fc(out.transpose(1, 2).flatten(2)) → out.transpose(1, 2).flatten(2)
out-proj-twice: self.fc(out.transpose(1, 2).flatten(2)) → self.fc(self.fc(out.transpose(1, 2).flatten(2)))
bias-never: nn.Linear(d_model, d_model) → nn.Linear(d_model, d_model, bias=False)
no-scale: attn_mask=allowed | nothing) → attn_mask=allowed | nothing, scale=1.0)
    line k, v) → out = F.scaled_dot_product_attention(q, k, v, scale=1.0)
scaled-without-root: line q = → q = self._heads(self.query(q_input))↵q = q / q.shape[-1] ** 0.5
scaled-by-model-width: line q = → q = self._heads(self.query(q_input)) / self.num_heads**0.5
split-without-transpose:
    x.unflatten(-1, (self.num_heads, -1)).transpose(-3, -2) → x.reshape(x.shape[0], self.num_heads, x.shape[1], -1)
split-interleaved:
    x.unflatten(-1, (self.num_heads, -1)).transpose(-3, -2) → x.unflatten(-1, (-1, self.num_heads)).permute(0, 3, 1, 2)
chunks in a loop: cell
    class MultiHeadAttention(nn.Module):
        def __init__(self, d_model, num_heads):
            super().__init__()
            self.num_heads = num_heads
            self.query = nn.Linear(d_model, d_model)
            self.key = nn.Linear(d_model, d_model)
            self.value = nn.Linear(d_model, d_model)
            self.fc = nn.Linear(d_model, d_model)

        def forward(self, q_input, k_input, v_input, mask=None):
            qs = self.query(q_input).chunk(self.num_heads, dim=-1)
            ks = self.key(k_input).chunk(self.num_heads, dim=-1)
            vs = self.value(v_input).chunk(self.num_heads, dim=-1)
            if mask is not None:
                full = mask.expand(q_input.size(0), self.num_heads, q_input.size(1), k_input.size(1))
            contexts = []
            for i, (q, k, v) in enumerate(zip(qs, ks, vs)):
                scores = q.bmm(k.transpose(1, 2))
                scores = scores / k.size(2) ** 0.5
                if mask is None:
                    weights = F.softmax(scores, dim=2)
                else:
                    visible = full[:, i].to(scores.dtype)
                    shifted = scores - scores.detach().amax(dim=2, keepdim=True)
                    exps = shifted.exp() * visible
                    total = exps.sum(dim=2, keepdim=True)
                    weights = exps / total.masked_fill(total == 0, 1.0)
                contexts.append(weights.bmm(v))
            return self.fc(torch.cat(contexts, dim=2))
no-scale: line k.size →
scaled-by-tokens: k.size(2) ** 0.5 → k.size(1) ** 0.5
scaled-by-batch: k.size(2) ** 0.5 → k.size(0) ** 0.5
scaled-without-root: k.size(2) ** 0.5 → k.size(2)
scaled-by-model-width: k.size(2) ** 0.5 → q_input.size(2) ** 0.5
scores-turned: q.bmm(k.transpose(1, 2)) → k.bmm(q.transpose(1, 2))
keys-as-queries: q.bmm(k.transpose(1, 2)) → k.bmm(k.transpose(1, 2))
no-mask: shifted.exp() * visible → shifted.exp()
mask-of-first-head: full[:, i] → full[:, 0]
empty-row-nan: exps / total.masked_fill(total == 0, 1.0) → exps / total
heads-added: torch.cat(contexts, dim=2) → torch.cat([sum(contexts)] * self.num_heads, dim=2)
split-interleaved: chunk(self.num_heads, dim=-1) →3 unflatten(-1, (-1, self.num_heads)).unbind(-1)
queries-as-values: self.value(v_input) → self.query(v_input)
keys-as-values: weights.bmm(v) → weights.bmm(k)
values-from-query-input: self.value(v_input) → self.value(q_input)
no-out-proj: self.fc(torch.cat(contexts, dim=2)) → torch.cat(contexts, dim=2)
detached: contexts.append(weights.bmm(v)) → contexts.append(weights.detach().bmm(v))
softmax-over-queries: F.softmax(scores, dim=2) → F.softmax(scores, dim=1)
    exps.sum(dim=2, keepdim=True) → exps.sum(dim=1, keepdim=True)
softmax-over-batch: F.softmax(scores, dim=2) → F.softmax(scores, dim=0)
    exps.sum(dim=2, keepdim=True) → exps.sum(dim=0, keepdim=True)
mask-polarity: visible = full[:, i] → visible = 1 - full[:, i].to(scores.dtype)↵visible = visible
mask-after-softmax: shifted.exp() * visible → shifted.exp()
    total.masked_fill(total == 0, 1.0) → total * visible
the course's helpers: cell
    class MultiHeadAttention(nn.Module):
        def __init__(self, d_model, num_heads):
            super().__init__()
            if d_model % num_heads:
                raise ValueError("d_model must be a multiple of num_heads")
            self.h = num_heads
            self.fc = nn.Linear(d_model, d_model)
            self.value = nn.Linear(d_model, d_model)
            self.key = nn.Linear(d_model, d_model)
            self.query = nn.Linear(d_model, d_model)

        def attend(self, q, k, v, mask):
            logits = torch.einsum("bhtd,bhsd->bhts", q, k)
            logits = logits * (self.fc.in_features // self.h) ** -0.5
            if mask is None:
                mask = torch.ones_like(logits)
            a = masked_softmax(logits, mask)
            return a @ v

        def forward(self, q_input, k_input, v_input, mask=None):
            q = split_heads(self.query(q_input), self.h)
            k = split_heads(self.key(k_input), self.h)
            v = split_heads(self.value(v_input), self.h)
            y = merge_heads(self.attend(q, k, v, mask))
            return self.fc(y)
no-scale: line in_features →
scaled-up: ** -0.5 → ** 0.5
scaled-by-model-width: (self.fc.in_features // self.h) ** -0.5 → self.fc.in_features ** -0.5
scaled-without-root: ** -0.5 → ** -1
scaled-by-heads: (self.fc.in_features // self.h) → self.h
scores-turned: ->bhts → ->bhst
softmax-twice: a @ v → torch.softmax(a, dim=-1) @ v
softmax-over-queries: masked_softmax(logits, mask) → masked_softmax(logits.mT, mask.mT).mT
no-softmax: masked_softmax(logits, mask) → logits.masked_fill(mask == 0, 0.0)
mask-polarity: masked_softmax(logits, mask) → masked_softmax(logits, mask == 0)
empty-row-even: masked_softmax(logits, mask) → torch.softmax(logits.masked_fill(mask == 0, -1e9), -1)
mask-fills-zero: masked_softmax(logits, mask) → torch.softmax(logits.masked_fill(mask == 0, 0.0), -1)
mask-added: masked_softmax(logits, mask) → torch.softmax(logits + mask, -1)
keys-as-values: self.value(v_input) → self.key(v_input)
no-out-proj: return self.fc(y) → return y
keys-from-query-input: self.key(k_input) → self.key(q_input)
values-from-query-input: self.value(v_input) → self.value(q_input)
heads-typed-in: self.h = num_heads → self.h = 2
no-mask: if mask is None: → if True:
empty-row-nan: masked_softmax(logits, mask) → torch.softmax(logits.masked_fill(mask == 0, float("-inf")), -1)
merge-without-transpose:
    merge_heads(self.attend(q, k, v, mask)) → self.attend(q, k, v, mask).reshape(q_input.shape)
split-without-transpose:
    split_heads(self.query(q_input), self.h) → self.query(q_input).view(len(q_input), self.h, q_input.shape[1], -1)
    split_heads(self.key(k_input), self.h) → self.key(k_input).view(len(k_input), self.h, k_input.shape[1], -1)
    split_heads(self.value(v_input), self.h) → self.value(v_input).view(len(v_input), self.h, v_input.shape[1], -1)
an added mask and a temperature:
    hidden: out-proj-without-bias
    cell
        class MultiHeadAttention(nn.Module):
            def __init__(self, d_model, num_heads):
                super().__init__()
                self.n_head, self.d_head = num_heads, d_model // num_heads
                self.temperature = self.d_head**0.5
                self.query = nn.Linear(d_model, d_model, bias=True)
                self.key = nn.Linear(d_model, d_model, bias=True)
                self.value = nn.Linear(d_model, d_model, bias=True)
                self.fc = nn.Linear(d_model, d_model, bias=True)

            def forward(self, q_input, k_input, v_input, mask=None):
                sz_b, len_q, len_k = q_input.size(0), q_input.size(1), k_input.size(1)
                q = self.query(q_input).view(sz_b, len_q, self.n_head, self.d_head)
                k = self.key(k_input).view(sz_b, len_k, self.n_head, self.d_head)
                v = self.value(v_input).view(sz_b, len_k, self.n_head, self.d_head)
                q, k, v = q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2)
                attn = torch.matmul(q / self.temperature, k.transpose(2, 3))
                if mask is not None:
                    hidden = mask == 0
                    lowest = -1e30 if attn.dtype == torch.float32 else -1e200
                    attn = attn + torch.zeros_like(attn).masked_fill(hidden, lowest)
                    attn = F.softmax(attn, dim=-1).masked_fill(hidden, 0.0)
                else:
                    attn = F.softmax(attn, dim=-1)
                output = torch.matmul(attn, v)
                output = output.transpose(1, 2).contiguous().view(sz_b, len_q, -1)
                output = self.fc(output)
                return output
no-scale: q / self.temperature → q
scaled-without-root: self.d_head**0.5 → self.d_head
scaled-by-model-width: line d_head**0.5 → self.temperature = d_model**0.5
scaled-up: q / self.temperature → q * self.temperature
empty-row-even: .masked_fill(hidden, 0.0) →
scaled-by-tokens: q / self.temperature → q / len_k**0.5
mask-after-softmax: line attn) →
keys-reshaped: k.transpose(2, 3) → k.reshape(sz_b, self.n_head, self.d_head, len_k)
mask-polarity: hidden = mask == 0 → hidden = mask == 1
no-out-proj: line output) →
mask-fills-small: -1e30 if attn.dtype == torch.float32 else -1e200 → -3.0
    .masked_fill(hidden, 0.0) →
softmax-over-queries: F.softmax(attn, dim=-1) →2 F.softmax(attn, dim=2)
softmax-over-heads: F.softmax(attn, dim=-1) →2 F.softmax(attn, dim=1)
query-length-for-keys: len_k, self.n_head →2 len_q, self.n_head
merge-without-transpose: output.transpose(1, 2).contiguous() → output.contiguous()
keys-as-values: torch.matmul(attn, v) → torch.matmul(attn, k)
values-as-keys: self.key(k_input) → self.value(k_input)
values-from-query-input: self.value(v_input).view(sz_b, len_k, → self.value(q_input).view(sz_b, len_q,
residual-added: output = self.fc(output) → output = self.fc(output) + q_input
context-normalised: output = self.fc(output) → output = F.layer_norm(self.fc(output), output.shape[-1:])
no-mask: if mask is not None: → if False:
split-without-transpose:
    .view(sz_b, len_q, self.n_head, self.d_head) → .view(sz_b, self.n_head, len_q, self.d_head)
    .view(sz_b, len_k, self.n_head, self.d_head) →2 .view(sz_b, self.n_head, len_k, self.d_head)
    line q, k →
out-proj-without-bias: line fc = nn → self.fc = nn.Linear(d_model, d_model, bias=False)
"""
)
