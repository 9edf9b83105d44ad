"""Answers to lesson 14 as learners type them: wrong ones with the findings they deserve, and right ones.

Few for each task; they differ from those of its `tasks.py`.
"""

from tests.mutants.answers import read

LESSON = "14-serve-it"
TASKS = read(
    LESSON,
    r"""
== find-slots
slots-of-text (named): = positions
place-twice (values): blocks * block_size → positions % block_size
remainder: positions % block_size → positions - positions // block_size * block_size
== bug-read-blocks
viewed (named): pool[table].transpose(0, 1) → pool[table].reshape(pool.shape[1], len(table), *pool.shape[2:])
stack: pool[table].transpose(0, 1) → torch.stack([pool[one] for one in table], dim=1)
== paged-cache
no-limit (named, raised, not refused, keeps 4): if needed > len(free): → if needed > 2 * len(self.users):
end-not-kept (named, behaviour, keeps 1): self.lengths[text] = end → self.lengths[text] = start
values-left-out (named, values): self.values[blocks → self.values.clone()[blocks
length-early-and-never-freed (named, keeps 3): above needed = → self.lengths[text] = start + keys.shape[1]
    for block in self.tables.pop(text):↵self.users[block] -= 1 → del self.tables[text]
ceil: (end + size - 1) // size → -(-end // size)
slots:
    line places = → places = (blocks[:, None] * size + torch.arange(size)).flatten()[start:end]
    self.keys[blocks[places // size], :, places % size] → self.keys[places // size, :, places % size]
    self.values[blocks[places // size], :, places % size] → self.values[places // size, :, places % size]
== shared-cache
every-block-copied (named, behaviour): body fork
    size = self.keys.shape[2]
    self.tables[other], self.lengths[other] = [], self.lengths[text]
    for block in self.tables[text]:
        own = self.users.index(0)
        self.keys[own], self.values[own] = self.keys[block], self.values[block]
        self.users[own] = 1
        self.tables[other].append(own)
keys-copied-twice (named, behaviour, keeps 1): self.values[own] = self.values[last] → self.values[own] = self.keys[own]
places-forked-and-user-kept (named): self.lengths[other] = self.lengths[text] → self.lengths[other] = self.keys.shape[2] * len(self.tables[text])
    line self.users[last] -= 1 →
slice: list(self.tables[text]) → self.tables[text][:]
first-free: self.users.index(0) → next(block for block, users in enumerate(self.users) if not users)
== packed-attention
whole-row (named, values): body
    return F.scaled_dot_product_attention(q, k, v)
every-row-for-itself (named, values): .tril(tokens - new) → .tril(tokens - new).triu(tokens - new)
cast: dtype=torch.bool) → dtype=torch.float64)
    .tril(tokens - new) → .tril(tokens - new).bool()
offsets: body
    queries, keys = cu_queries.tolist(), cu_keys.tolist()
    rows = []
    for i in range(len(queries) - 1):
        part, seen = q[:, queries[i] : queries[i + 1]], slice(keys[i], keys[i + 1])
        late = keys[i + 1] - keys[i] - part.shape[1]
        hidden = torch.ones(part.shape[1], keys[i + 1] - keys[i]).triu(late + 1).bool()
        weights = (part @ k[:, seen].mT / q.shape[-1] ** 0.5).masked_fill(hidden, -torch.inf).softmax(-1)
        rows.append(weights @ v[:, seen])
    return torch.cat(rows, 1)
== plan-step
one-text-only (values): counts[text] = min(int(left[text]), budget) → counts[text] = budget if text == 0 else 0
maximum: min(int(left[text]), budget) → int(left[text].clamp(max=budget))
== bug-chunk-end
always-writes (named): likeliest, -1) → likeliest, likeliest)
topk: logits[ends].argmax(dim=-1) → logits[ends].topk(1, dim=-1).indices[:, 0]
== serve
prompts-computed-twice (named, shape, values, raised): computed = ends → computed = ends - counts
one-too-many (named, shape, values): while (written < num_new).any() → while (written < num_new + 1).any()
    torch.where(written < num_new → torch.where(written < num_new + 1
sum-of-rest: (written < num_new).any() → (num_new - written).max() > 0
tensor-of-lengths: torch.tensor([len(text) for text in texts]) → torch.tensor(list(map(len, texts)))
== speculate
always-refused (shape, values): if draws[place] >= p[place, token] / q[place, token]: → if True:
relu: (p[place] - q[place]).clamp(min=0) → torch.relu(p[place] - q[place])
== bug-weights-each
operations-halved (named, keeps 1): counts.sum() → counts.sum() / 2
cast: contexts * cache_bytes → contexts.double().float() * cache_bytes
""",
)
