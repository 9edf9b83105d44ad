"""Lesson 05, `MultiHeadAttentionWrapper`."""

from benchmarks.held_out_answers.table import read

HELD_OUT = read(
    r"""
== 05-multi-head multi-head-wrapper
like a book: cell
    class MultiHeadAttentionWrapper(nn.Module):
        def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
            super().__init__()
            self.heads = nn.ModuleList(
                [CausalAttention(d_in, d_out, context_length, dropout, qkv_bias)
                 for _ in range(num_heads)]
            )

        def forward(self, x):
            return torch.cat([head(x) for head in self.heads], dim=-1)
heads-added: torch.cat([head(x) for head in self.heads], dim=-1) → sum(head(x) for head in self.heads)
joined-along-wrong-axis: dim=-1) → dim=1)
unregistered-list: nn.ModuleList( → list(
bias-never: , dropout, qkv_bias) → , dropout)
heads-typed-in: range(num_heads) → range(2)
first-head-for-all: [head(x) for head in self.heads] → [self.heads[0](x) for head in self.heads]
heads-in-reverse: [head(x) for head in self.heads] → [head(x) for head in reversed(self.heads)]
no-dropout: context_length, dropout, qkv_bias) → context_length, 0.0, qkv_bias)
full-width-heads:
    (d_in, d_out, context_length, dropout, qkv_bias) → (d_in, d_out * num_heads, context_length, dropout, qkv_bias)
narrow-heads:
    (d_in, d_out, context_length, dropout, qkv_bias) → (d_in, d_out // num_heads, context_length, dropout, qkv_bias)
a loop that collects:
    hidden: loop-starts-late
    cell
        class MultiHeadAttentionWrapper(nn.Module):
            def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                super().__init__()
                self.heads = nn.ModuleList()
                for head_index in range(num_heads):
                    self.heads.append(CausalAttention(d_in, d_out, context_length, dropout, qkv_bias=qkv_bias))

            def forward(self, x):
                outputs = []
                for head in self.heads:
                    outputs.append(head(x))
                result = torch.cat(outputs, 2)
                return result
joined-along-wrong-axis: torch.cat(outputs, 2) → torch.cat(outputs, 1)
stacked-not-joined: torch.cat(outputs, 2) → torch.stack(outputs, 1)
bias-never: , qkv_bias=qkv_bias)) → ))
heads-added: torch.cat(outputs, 2) → torch.stack(outputs).mean(0)
bias-always: qkv_bias=qkv_bias)) → qkv_bias=True))
loop-starts-late: range(num_heads) → range(1, num_heads)
unregistered-list: self.heads = nn.ModuleList() → self.heads = []
no-dropout: (d_in, d_out, context_length, dropout, → (d_in, d_out, context_length, 0.0,
dropout-twice: outputs.append(head(x)) → outputs.append(nn.functional.dropout(head(x), 0.3, self.training))
first-head-only:
    `        result = torch.cat(outputs, 2)↵        return result` → `            result = torch.cat(outputs, 2)↵            return result`
options by keyword: cell
    class MultiHeadAttentionWrapper(nn.Module):
        def __init__(self, d_in: int, d_out: int, context_length: int, dropout: float, num_heads: int,
                     qkv_bias: bool = False) -> None:
            super().__init__()
            self.num_heads = num_heads
            options = dict(d_in=d_in, d_out=d_out, context_length=context_length)
            options.update(dropout=dropout, qkv_bias=qkv_bias)
            self.heads = nn.ModuleList([CausalAttention(**options) for _ in range(num_heads)])

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            b, t, _ = x.shape
            stacked = torch.stack([h(x) for h in self.heads], dim=2)  # (b, t, heads, d_out)
            return stacked.reshape(b, t, -1)
merge-interleaved: , dim=2) → , dim=3)
merge-without-transpose: , dim=2) → , dim=1)
heads-added: line return → return stacked.sum(dim=2)
stacked-not-joined: line return → return stacked
bias-never: , qkv_bias=qkv_bias) → )
heads-typed-in: range(num_heads) → range(4)
dropout-typed-in: dropout=dropout → dropout=0.2
narrow-heads: d_out=d_out, → d_out=d_out // num_heads,
one-head-repeated:
    [CausalAttention(**options) for _ in range(num_heads)] → [CausalAttention(**options)] * num_heads
unregistered-list:
    nn.ModuleList([CausalAttention(**options) for _ in range(num_heads)]) → [CausalAttention(**options) for _ in range(num_heads)]
batch-mixed: line return → return stacked.mean(0, keepdim=True).expand_as(stacked).reshape(b, t, -1)
context-normalised:
    line return → return nn.functional.layer_norm(stacked.reshape(b, t, -1), [stacked.shape[2] * stacked.shape[3]])
a result filled head by head: cell
    class MultiHeadAttentionWrapper(nn.Module):
        def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
            super().__init__()
            self.d_head = d_out
            make_head = lambda: CausalAttention(d_in, d_out, context_length, dropout, qkv_bias)
            self.heads = nn.ModuleList(make_head() for _ in range(num_heads))

        def forward(self, x):
            batch_size, num_tokens = x.shape[:2]
            out = x.new_empty(batch_size, num_tokens, len(self.heads) * self.d_head)
            for i, head in enumerate(self.heads):
                start = i * self.d_head
                out[:, :, start : start + self.d_head] = head(x)
            return out
merge-interleaved: out[:, :, start : start + self.d_head] → out[:, :, i :: len(self.heads)]
first-head-for-all: = head(x) → = self.heads[0](x)
bias-always: dropout, qkv_bias) → dropout, True)
heads-in-reverse: = head(x) → = self.heads[len(self.heads) - 1 - i](x)
bias-never: dropout, qkv_bias) → dropout)
detached: = head(x) → = head(x).detach()
no-dropout: (d_in, d_out, context_length, dropout, → (d_in, d_out, context_length, 0,
first-sequence-only: line return → return out[:1]
float-forced: line return → return out.float()
one-head-repeated:
    nn.ModuleList(make_head() for _ in range(num_heads)) → nn.ModuleList([make_head()] * num_heads)
extended lists:
    hidden: loop-starts-late
    cell
        class MultiHeadAttentionWrapper(nn.Module):
            def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                super(MultiHeadAttentionWrapper, self).__init__()
                args = (d_in, d_out, context_length, dropout)
                self.heads = nn.ModuleList([])
                self.heads.extend([CausalAttention(*args, qkv_bias=qkv_bias) for _ in range(0, num_heads)])

            def forward(self, inputs):
                first, *others = self.heads
                context = first(inputs)
                for head in others:
                    context = torch.cat((context, head(inputs)), -1)
                return context
heads-added: torch.cat((context, head(inputs)), -1) → context + head(inputs)
heads-in-reverse: torch.cat((context, head(inputs)), -1) → torch.cat((head(inputs), context), -1)
joined-along-wrong-axis: head(inputs)), -1) → head(inputs)), 1)
heads-typed-in: range(0, num_heads) → range(0, 2)
bias-never: *args, qkv_bias=qkv_bias) → *args)
overwritten-in-loop: torch.cat((context, head(inputs)), -1) → head(inputs)
bias-always: qkv_bias=qkv_bias) → qkv_bias=True)
no-dropout: context_length, dropout) → context_length, 0.0)
loop-starts-late: range(0, num_heads) → range(1, num_heads)
detached: context = first(inputs) → context = first(inputs).detach()
returns-a-tuple: return context → return context, len(others)
narrow-heads: (d_in, d_out, context_length, dropout) → (d_in, d_out // num_heads, context_length, dropout)
a head of its own:
    cell
        class OneHead(nn.Module):
            def __init__(self, d_in, width, longest, p, bias):
                super().__init__()
                self.W_query = nn.Linear(d_in, width, bias=bias)
                self.W_key = nn.Linear(d_in, width, bias=bias)
                self.W_value = nn.Linear(d_in, width, bias=bias)
                self.drop = nn.Dropout(p)
                self.register_buffer("mask", torch.ones(longest, longest).triu(1).bool())

            def forward(self, x):
                n = x.size(1)
                q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
                scores = q @ k.mT
                scores = scores.masked_fill(self.mask[:n, :n], float("-inf"))
                return self.drop((scores / k.size(-1) ** 0.5).softmax(-1)) @ v

        class MultiHeadAttentionWrapper(nn.Module):
            def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
                super().__init__()
                self.heads = nn.ModuleList([OneHead(d_in, d_out, context_length, dropout, qkv_bias) for _ in range(num_heads)])

            def forward(self, x):
                return torch.cat([head(x) for head in self.heads], -1)
no-scale: (scores / k.size(-1) ** 0.5) → scores
scaled-without-root: k.size(-1) ** 0.5 → k.size(-1)
scaled-by-input-width: k.size(-1) → x.size(-1)
no-mask: scores = scores.masked_fill → scores.masked_fill
diagonal-hidden: triu(1) → triu(0)
past-hidden: self.mask[:n, :n] → self.mask[:n, :n].T
keys-as-queries: self.W_query(x), → self.W_key(x),
"""
)
