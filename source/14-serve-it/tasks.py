"""The tasks of lesson 14: their probes, the wrong answers people give, and the hint each deserves."""

import torch
from autograder.author.authoring import Check, Lesson, Probe, Specimen, Task, rights, wrongs

WHOLE = ("int64", "int32")
STORED = ("heads", "tokens", "head_dim")
POOLED = ("num_heads", "tokens", "head_dim")


def drawn(*shape, seed):
    """Random numbers of a shape, the same on every build."""
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def whole(generator, low, high):
    """A random whole number."""
    return int(torch.randint(low, high, (1,), generator=generator))


# ------------------------------------------------------------------------------------------------------- blocks


def slots(id, says, blocks, size, positions, seed):
    def tables(generator):
        return {"table": torch.randperm(blocks + 6, generator=generator)[:blocks]}

    given = tables(torch.Generator().manual_seed(seed))
    inputs = given | {"positions": torch.tensor(positions), "block_size": size}
    return Probe(id, says, inputs, redraw=tables)


FIND_SLOTS = Task(
    id="find-slots",
    title="Where is a token?",
    name="find_slots",
    kind="function",
    signature="find_slots(table, positions, block_size)",
    axes=("tokens",),
    input_axes={"table": ("blocks",), "positions": ("tokens",)},
    dtypes=WHOLE,
    probes=(
        Probe(
            "example",
            "the ten tokens of text A",
            {"table": torch.tensor([3, 0, 5]), "positions": torch.arange(10), "block_size": 4},
        ),
        slots("long", "fourteen tokens in blocks of three", 5, 3, list(range(14)), 2),
        slots("any-order", "five tokens in another order", 4, 6, [22, 5, 13, 6, 0], 3),
        slots("single", "one token", 3, 5, [11], 4),
    ),
    checks=(
        Check("the tokens from the first on", 1, ("example", "long")),
        Check("any positions", 1, ("any-order", "single")),
    ),
    words={"x": "positions"},
    learned="A table and two operations, // and %, find every token. So memory needs no order.",
    demands={
        "the slots in the pool": "table-not-asked",
        "at these positions of a text": "positions-from-zero",
        "The positions can come in any order": "positions-put-in-order",
    },
    hints=(
        "`positions // block_size` says in which of the text's own blocks each token is, the first, second or third.",
        "`table[positions // block_size]` is the number of that block in the pool. How many slots come before it?",
        "`table[positions // block_size] * block_size + positions % block_size`",
    ),
    wrong=wrongs("""
        table-not-asked: table[positions // block_size] → positions // block_size
        block-not-multiplied: blocks * block_size → blocks
        place-in-block-forgotten: + positions % block_size →
        blocks-counted-for-size: blocks * block_size → blocks * len(table)
        quotient-added: + positions % block_size → + positions // block_size
        positions-from-zero: above blocks = → positions = torch.arange(len(positions))
        positions-put-in-order: above blocks = → positions = positions.sort().values
        remainder-by-bit-mask: positions % block_size → (positions & (block_size - 1))
        place-from-one: positions % block_size → positions % block_size + 1
        slot-too-early: positions % block_size → positions % block_size - 1
        positions-from-one: above blocks = → positions = positions - 1
        positions-from-one: above blocks = → positions = positions + 1
        whole-position-added: + positions % block_size → + positions
        one-block-for-all: table[positions // block_size] → table[-1]
        one-block-for-all: table[positions // block_size] → table[0]
        one-block-for-all: table[positions // block_size] → table[positions[-1] // block_size]
        block-rounded-up: positions // block_size → (positions + block_size - 1) // block_size
        block-rounded-up: positions // block_size → ((positions + block_size - 1) // block_size).clamp(max=len(table) - 1)
        neighbouring-block: positions // block_size → positions // block_size - 1
        neighbouring-block: positions // block_size → (positions // block_size - 1).clamp(min=0)
        neighbouring-block: positions // block_size → (positions // block_size + 1).clamp(max=len(table) - 1)
        block-numbers-from-one: table[positions // block_size] → table[positions // block_size] - 1
        block-numbers-from-one: table[positions // block_size] → table[positions // block_size] + 1
        table-sorted: table[positions → table.sort().values[positions
        table-read-backwards: table[positions → table.flip(0)[positions
        remainder-for-block: positions // block_size → positions % block_size
        remainder-for-block: positions // block_size → positions % block_size
            + positions % block_size → + positions // block_size
        cut-by-number-of-blocks: positions // block_size → positions // len(table)
        cut-by-number-of-blocks: positions // block_size → positions // len(table)
            positions % block_size → positions % len(table)
        cut-by-number-of-blocks: positions // block_size → positions // len(table)
            blocks * block_size + positions % block_size → blocks * len(table) + positions % len(table)
        block-size-typed-in: positions // block_size → positions // 4
        block-size-typed-in: blocks * block_size → blocks * 4
        block-size-typed-in: positions % block_size → positions % 4
        block-size-typed-in: positions // block_size → positions // 4
            blocks * block_size + positions % block_size → blocks * 4 + positions % 4
        positions-from-first: positions % block_size → (positions - positions[0]) % block_size
        positions-from-first: positions % block_size → (positions - positions.min()) % block_size
        positions-from-first: positions // block_size → (positions - positions[0]) // block_size
        positions-from-first: positions // block_size → (positions - positions.min()) // block_size
        positions-from-first: positions // block_size → (positions - positions.min()) // block_size
            positions % block_size → (positions - positions.min()) % block_size
        rows-for-positions: positions % block_size → torch.arange(len(positions)) % block_size
        rows-for-positions: positions // block_size → torch.arange(len(positions)) // block_size
        place-multiplied: blocks * block_size + positions % block_size → blocks + positions % block_size * block_size
        place-subtracted: + positions % block_size → - positions % block_size
        slots-sorted: return blocks * block_size + positions % block_size → return (blocks * block_size + positions % block_size).sort().values
        all-slots-returned: = (table[:, None] * block_size + torch.arange(block_size)).flatten()
        all-slots-returned: = (table[:, None] * block_size + torch.arange(block_size)).flatten()[: positions.max() + 1]
        place-before-block: = (table[None, :] * block_size + torch.arange(block_size)[:, None]).flatten()[positions]
        block-rounded-to-nearest: positions // block_size → (positions / block_size).round().long().clamp(max=len(table) - 1)
        block-of-next-position: positions // block_size → (positions + 1) // block_size
        block-of-next-position: positions // block_size → ((positions + 1) // block_size).clamp(max=len(table) - 1)
        edits-its-argument: return blocks → positions %= block_size↵return blocks
        edits-its-argument: above blocks = → table *= block_size
            blocks * block_size → blocks
            hint: The caller's `table` was changed. `+=`, `*=` and methods that end in `_` work in place. Work on a copy.
        cut-by-number-of-blocks: positions % block_size → positions % len(table)
        block-left-out: blocks * block_size + positions % block_size → positions % block_size
        blocks-taken-in-turn: positions // block_size → positions % len(table)
        block-of-previous-position: positions // block_size → (positions - 1) // block_size
        block-of-previous-position: positions // block_size → (positions - 1).clamp(min=0) // block_size
        positions-from-one: positions % block_size → (positions + 1) % block_size
        positions-from-one: positions % block_size → (positions - 1) % block_size
        slots-collected-by-block: return blocks * block_size + positions % block_size → slots = blocks * block_size + positions % block_size↵return slots[(positions // block_size).argsort(stable=True)]
        """),
    right=rights("""
        all-slots: = (table[:, None] * block_size + torch.arange(block_size)).flatten()[positions]
        loop: = torch.tensor([int(table[int(at) // block_size]) * block_size + int(at) % block_size for at in positions])
        divmod: body
            which, place = positions.div(block_size, rounding_mode="floor"), positions.remainder(block_size)
            return table.gather(0, which) * block_size + place
        """),
)


def pooled(id, says, shape, table, num_tokens, seed):
    inputs = {"pool": drawn(*shape, seed=seed), "table": torch.tensor(table), "num_tokens": num_tokens}
    return Probe(id, says, inputs)


READ_BLOCKS = Task(
    id="bug-read-blocks",
    title="Find the bug: tokens of another head",
    name="read_paged",
    kind="function",
    signature="read_paged(pool, table, num_tokens)",
    axes=STORED,
    input_axes={"pool": ("pool_blocks", "heads", "block_size", "head_dim"), "table": ("blocks",)},
    probes=(
        pooled("two-heads", "two heads and blocks of three", (5, 2, 3, 4), [4, 1, 2], 8, 1),
        pooled("three-heads", "three heads and blocks of four", (6, 3, 4, 2), [0, 5], 5, 2),
        pooled("full", "a last block that is full", (7, 4, 2, 5), [6, 3, 5], 6, 3),
        pooled("one-head", "one head", (4, 1, 5, 3), [2, 0], 7, 4),
    ),
    checks=(Check("every head's tokens in order", 1, ("two-heads", "three-heads", "full", "one-head")),),
    learned="`reshape` reads numbers in the order in which they lie. Axes that are to be joined have to be neighbours first.",
    demands={
        "Correct it": "left-as-given",
        "collects the blocks of a text": "table-sorted",
        "returns (heads, num_tokens, head_dim)": "last-block-not-cut",
    },
    hints=(
        "`pool[table]` is (blocks, heads, block_size, head_dim). Which two axes make the tokens, and what is between them?",
        "`pool[table].transpose(0, 1)` is (heads, blocks, block_size, head_dim).",
        "`pool[table].transpose(0, 1).flatten(1, 2)[:, :num_tokens]`",
    ),
    wrong=wrongs("""
        left-as-given: faulty
        last-block-not-cut: [:, :num_tokens] →
        table-sorted: pool[table] → pool[table.sort().values]
        blocks-from-the-start: pool[table] → pool[: len(table)]
        last-tokens-kept: [:, :num_tokens] → [:, -num_tokens:]
        heads-and-places-exchanged: = pool[table].transpose(1, 2).reshape(pool.shape[1], -1, pool.shape[3])[:, :num_tokens]
        tokens-before-heads: = pool[table].transpose(1, 2).flatten(0, 1)[:num_tokens]
        pool-reshaped: pool[table].transpose(0, 1) → pool.reshape(pool.shape[1], len(pool), *pool.shape[2:])[:, table]
        last-block-not-read: pool[table] → pool[table[: num_tokens // pool.shape[2]]]
        last-block-not-read: pool[table] → pool[table[:-1]]
        one-block-read: pool[table] → pool[table[:1]]
        one-block-read: pool[table] → pool[table[-1:]]
        block-numbers-from-one: pool[table] → pool[table - 1]
        block-numbers-from-one: pool[table] → pool[(table + 1) % len(pool)]
        table-read-backwards: pool[table] → pool[table.flip(0)]
        tokens-relabelled-heads: = pool[table].transpose(1, 2).flatten(0, 1)[:num_tokens].reshape(pool.shape[1], num_tokens, pool.shape[3])
        places-taken-for-heads: = pool[table].reshape(-1, pool.shape[1], pool.shape[3]).transpose(0, 1)[:, :num_tokens]
        blocks-joined-on-another-axis: = torch.cat(list(pool[table]), dim=0)[:, :num_tokens]
        blocks-joined-on-another-axis: = torch.cat(list(pool[table]), dim=-1)[:, :num_tokens]
        blocks-stacked: = torch.stack([pool[b] for b in table.tolist()], dim=1)[:, :num_tokens]
        last-block-not-cut: return blocks.flatten(1, 2)[:, :num_tokens] → joined = blocks.flatten(1, 2).clone()↵joined[:, num_tokens:] = 0↵return joined
        neighbours-in-pool: pool[table].transpose(0, 1) → pool.transpose(0, 1)[:, torch.arange(int(table[0]), int(table[0]) + len(table)) % len(pool)]
        left-as-given: .transpose(0, 1) →
            blocks.flatten(1, 2) → blocks.reshape(pool.shape[1], -1, pool.shape[3])
        heads-and-places-exchanged: .transpose(0, 1) → .transpose(1, 2)
            blocks.flatten(1, 2) → blocks.reshape(pool.shape[1], -1, pool.shape[3])
        tokens-before-heads: .transpose(0, 1) → .transpose(1, 2)
            blocks.flatten(1, 2)[:, :num_tokens] → blocks.flatten(0, 1)[:num_tokens]
        places-taken-for-heads: .transpose(0, 1) →
            blocks.flatten(1, 2) → blocks.reshape(-1, pool.shape[1], pool.shape[3]).transpose(0, 1)
        place-before-block: .transpose(0, 1) → .permute(1, 2, 0, 3)
        last-block-not-read: [:, :num_tokens] → [:, : num_tokens // pool.shape[2] * pool.shape[2]]
        token-count-off-by-one: [:, :num_tokens] → [:, : num_tokens - 1]
        token-count-off-by-one: [:, :num_tokens] → [:, : num_tokens + 1]
        first-token-cut-off: [:, :num_tokens] → [:, 1:num_tokens]
        first-token-cut-off: [:, :num_tokens] → [:, 1 : num_tokens + 1]
        first-head-for-all: .transpose(0, 1) → .transpose(0, 1)[:1].expand(pool.shape[1], -1, -1, -1)
        heads-in-reverse: .transpose(0, 1) → .transpose(0, 1).flip(0)
        blocks-joined-on-another-axis: .transpose(0, 1) →
            blocks.flatten(1, 2) → blocks.flatten(0, 1)
        first-block-for-all: pool[table] → pool[table[:1].expand(len(table))]
        first-block-for-all: pool[table] → pool[table[-1:].expand(len(table))]
        """),
    right=rights("""
        permute: pool[table].transpose(0, 1) → pool[table].permute(1, 0, 2, 3)
        cat: = torch.cat([pool[int(one)] for one in table], dim=1)[:, :num_tokens]
        slots: = pool.transpose(0, 1).flatten(1, 2)[:, (table[:, None] * pool.shape[2] + torch.arange(pool.shape[2])).flatten()[:num_tokens]]
        """),
)


SIZES = ("num_blocks", "block_size", "num_heads", "head_dim")
APPEND = {"method": "append", "stacked": True}


def paged(id, says, sizes, calls, seed, **more):
    """A cache on which several methods are called; without a list of calls, one text is appended once."""
    tokens = sum(call[2] for call in calls if call[0] == "append") if isinstance(calls, list) else calls
    keys, values = drawn(2, sizes[2], tokens, sizes[3], seed=seed)
    inputs = {"text": "A", "keys": keys, "values": values}
    construct = dict(zip(SIZES, sizes, strict=True))
    if isinstance(calls, list):
        return Probe(
            id, says, inputs, construct=construct, observe="calls", settings={**APPEND, "calls": calls}
        )
    return Probe(id, says, inputs, construct=construct, settings=APPEND, **more)


PAGED_CACHE = Task(
    id="paged-cache",
    title="A paged cache",
    name="PagedCache",
    kind="class",
    signature="PagedCache(num_blocks, block_size, num_heads, head_dim).append(text, keys, values)",
    axes=("keys or values", *POOLED),
    input_axes={"keys": POOLED, "values": POOLED},
    needs=("bug-read-blocks",),
    probes=(
        paged("prompt", "a prompt of seven tokens in blocks of three", (6, 3, 5, 4), 7, 1),
        paged(
            "full",
            "a text that fills all blocks",
            (3, 2, 4, 5),
            [["append", "A", 5], ["append", "A", 1]],
            2,
        ),
        paged(
            "steps",
            "one text, token by token",
            (5, 3, 2, 4),
            [["append", "A", 4], *[["append", "A", 1]] * 6],
            3,
        ),
        paged(
            "texts",
            "two texts in turn",
            (7, 3, 2, 5),
            [["append", "A", 4], ["append", "B", 5], ["append", "A", 3], ["append", "B", 2]],
            4,
        ),
        paged(
            "again",
            "a text that is freed, and another in its blocks",
            (5, 2, 3, 4),
            [
                ["append", "A", 7],
                ["append", "B", 1],
                ["free", "A"],
                ["append", "A", 8],
                ["append", "B", 1],
                ["free", "B"],
            ],
            5,
        ),
        paged("too-long", "more tokens than fit", (3, 2, 2, 4), 7, 6, raises=("ValueError",)),
        paged(
            "refused",
            "a text that does not fit, and one that does",
            (4, 3, 2, 4),
            [
                ["append", "A", 4],
                ["append", "B", 7],
                ["append", "A", 2],
                ["append", "B", 2],
                ["append", "A", 1],
            ],
            7,
        ),
        paged(
            "stays-out",
            "a new text that does not fit",
            (4, 3, 2, 4),
            [["append", "A", 4], ["append", "B", 9], ["append", "A", 2]],
            8,
        ),
        paged(
            "known-refused",
            "a text that has tokens and gets too many",
            (4, 3, 2, 4),
            [
                ["append", "A", 4],
                ["append", "A", 9],
                ["append", "A", 1],
                ["append", "B", 4],
                ["append", "A", 2],
            ],
            9,
        ),
        paged(
            "second-freed",
            "a second text that is freed, and others that go on",
            (5, 3, 2, 4),
            [["append", "A", 4], ["append", "B", 5], ["free", "B"], ["append", "C", 7], ["append", "A", 1]],
            10,
        ),
        paged(
            "used-twice",
            "a text that is freed while another uses its blocks",
            (5, 3, 2, 4),
            [["append", "A", 5], ["append", "C", 1], ["use", "A"], ["free", "A"], ["append", "B", 4]],
            20,
        ),
    ),
    checks=(
        Check("a prompt at once", 1, ("prompt",)),
        Check("one text, step by step", 1, ("steps", "full", "prompt")),
        Check("two texts in turn", 1, ("texts", "prompt")),
        Check("freed blocks are used again", 1, ("again", "second-freed", "used-twice", "prompt")),
        Check(
            "too few blocks are refused, and nothing is lost",
            1,
            ("too-long", "refused", "stays-out", "known-refused", "prompt"),
        ),
    ),
    learned="Memory that is taken in blocks when it is needed never has to know how long a text will be.",
    demands={
        "stores the keys and values of new tokens after those": "written-from-the-start",
        "fills the last block before it takes free blocks": "last-block-left-open",
        "no more than needed": "block-too-many",
        "sets their `users` to 1": "users-not-counted",
        "all tokens of the text": "paged-returns-new-only",
        "raise a ValueError": "blocks-overwritten",
        "leave everything as it was": "length-changed-before-refusal",
        "each of its blocks loses one user": "blocks-never-freed",
    },
    hints=(
        "How many blocks do `end` tokens need? `(end + size - 1) // size`. The table has some already.",
        "Take free blocks: those with 0 users. If there are too few, raise before you change anything.",
        "Token `places` go into `self.keys[blocks[places // size], :, places % size]`, which is (new tokens, heads, head_dim).",
    ),
    wrong=wrongs("""
        written-from-the-start: places = torch.arange(start, end) → places = torch.arange(end - start)
        last-block-left-open: needed = (end + size - 1) // size - len(table) → needed = (keys.shape[1] + size - 1) // size
        last-block-left-open: needed = (end + size - 1) // size - len(table) → needed = (keys.shape[1] + size - 1) // size
            places = torch.arange(start, end) → places = len(table) * size + torch.arange(end - start)
        block-too-many: (end + size - 1) // size → end // size + 1
        last-block-not-taken: (end + size - 1) // size → end // size
        users-not-counted: self.users[block] = 1 → pass
        users-not-counted: self.users[block] = 1 → pass
            if users == 0 → if users == 0 and block not in table
        paged-returns-new-only: return read_paged(self.keys, blocks, end), read_paged(self.values, blocks, end) → return keys, values
        blocks-overwritten: if needed > len(free): → free = free + list(range(len(self.users)))↵if False:
            hint: Too few blocks are free, and blocks that another text uses are written into. Raise a ValueError instead.
        length-changed-before-refusal: above needed = → self.lengths[text] = end
        blocks-never-freed: self.users[block] -= 1 → pass
        length-never-forgotten: line del self.lengths[text] →
        keys-as-values: = values.transpose(0, 1) → = keys.transpose(0, 1)
            hint: The keys take the place of the values.
        table-not-kept: self.tables[text] = table + free[:needed] → self.tables[text] = free[:needed] or table
        one-block-for-free: self.tables.pop(text) → self.tables.pop(text)[:1]
        heads-as-tokens: = keys.transpose(0, 1) → = keys.reshape(-1, *keys.shape[::2])
        own-blocks-taken-again: // size - len(table) → // size
        length-of-new-only: self.lengths[text] = end → self.lengths[text] = keys.shape[1]
        values-stored-as-keys: = keys.transpose(0, 1) → = values.transpose(0, 1)
        pools-exchanged: read_paged(self.keys, blocks, end), read_paged(self.values, blocks, end) → read_paged(self.values, blocks, end), read_paged(self.keys, blocks, end)
        one-pool-not-written: line self.values[blocks →
        one-pool-not-written: line self.keys[blocks →
        last-block-not-cut: read_paged(self.keys, blocks, end), read_paged(self.values, blocks, end) → read_paged(self.keys, blocks, len(blocks) * size), read_paged(self.values, blocks, len(blocks) * size)
            hint: More tokens come back than the text has: its last block is not full. Cut what is after the last token.
        blocks-taken-by-counting: users in enumerate(self.users) if users == 0 → _ in enumerate(self.users) if block >= sum(users > 0 for users in self.users)
        blocks-taken-by-counting: users in enumerate(self.users) if users == 0 → _ in enumerate(self.users) if block > max((max(own) for own in self.tables.values() if own), default=-1)
        all-free-blocks-marked: for block in free[:needed]: → for block in free:
        refusal-forgotten: line if needed > len(free): … are free") →
        last-free-block-refused: if needed > len(free): → if needed >= len(free):
        room-not-counted: if needed > len(free): → if keys.shape[1] > len(free) * size:
        unknown-text-entered: self.tables.get(text, []), self.lengths.get(text, 0) → self.tables.setdefault(text, []), self.lengths.setdefault(text, 0)
        unknown-text-entered: self.tables.get(text, []) → self.tables.setdefault(text, [])
        unknown-text-entered: self.lengths.get(text, 0) → self.lengths.setdefault(text, 0)
        stored-until-full: body append
            size = self.keys.shape[2]
            for new in range(keys.shape[1]):
                table, at = self.tables.setdefault(text, []), self.lengths.setdefault(text, 0)
                if at == len(table) * size:
                    if 0 not in self.users:
                        raise ValueError("no block is free")
                    table.append(self.users.index(0))
                    self.users[table[-1]] = 1
                self.keys[table[-1], :, at % size] = keys[:, new]
                self.values[table[-1], :, at % size] = values[:, new]
                self.lengths[text] = at + 1
            blocks = torch.tensor(self.tables[text], dtype=torch.long)
            return read_paged(self.keys, blocks, at + 1), read_paged(self.values, blocks, at + 1)
        last-block-never-freed: self.tables.pop(text) → self.tables.pop(text)[: self.lengths[text] // self.keys.shape[2]]
        last-block-never-freed: self.tables.pop(text) → self.tables.pop(text)[:-1]
        table-never-forgotten: self.tables.pop(text) → self.tables[text]
        text-never-forgotten: self.tables.pop(text) → self.tables[text]
            line del self.lengths[text] →
        written-into-a-copy: line self.keys[blocks → self.keys[blocks].transpose(0, 1).flatten(1, 2)[:, start:end] = keys
            line self.values[blocks → self.values[blocks].transpose(0, 1).flatten(1, 2)[:, start:end] = values
        users-set-to-zero: self.users[block] -= 1 → self.users[block] = 0
        users-counted-again: for block in free[:needed]:↵    self.users[block] = 1 → for block in table + free[:needed]:↵    self.users[block] += 1
        table-longer-after-refusal: body append
            size = self.keys.shape[2]
            table, start = self.tables.get(text, []), self.lengths.get(text, 0)
            end = start + keys.shape[1]
            free = [block for block, users in enumerate(self.users) if users == 0]
            while len(table) * size < end:
                if not free:
                    raise ValueError("no block is free")
                table.append(free.pop(0))
            for block in table:
                self.users[block] = self.users[block] or 1
            self.tables[text], self.lengths[text] = table, end
            blocks, places = torch.tensor(table), torch.arange(start, end)
            self.keys[blocks[places // size], :, places % size] = keys.transpose(0, 1)
            self.values[blocks[places // size], :, places % size] = values.transpose(0, 1)
            return read_paged(self.keys, blocks, end), read_paged(self.values, blocks, end)
        known-text-forgotten: if needed > len(free): → if needed > len(free):↵    self.tables.pop(text, None), self.lengths.pop(text, None)
        known-text-forgotten: if needed > len(free): → if needed > len(free):↵    if text in self.tables:↵        self.free(text)
        written-before-refusal: above free = → if table and start % size:↵    room = min(size - start % size, keys.shape[1])↵    self.keys[table[-1], :, start % size : start % size + room] = keys[:, :room]↵    self.values[table[-1], :, start % size : start % size + room] = values[:, :room]
        table-not-asked: blocks[places // size] →2 places // size
            hint: The number of a block within the text is used as its number in the pool. The text's table has the number in the pool.
        too-few-tokens-read: blocks, end), read_paged(self.values, blocks, end) → blocks, keys.shape[1]), read_paged(self.values, blocks, keys.shape[1])
        too-few-tokens-read: blocks, end), read_paged(self.values, blocks, end) → blocks, start), read_paged(self.values, blocks, start)
        new-blocks-in-front: table + free[:needed] → free[:needed] + table
        blocks-taken-when-none-needed: table + free[:needed] → table + free[-needed:]
            for block in free[:needed]: → for block in free[-needed:]:
        length-by-blocks: self.lengths[text] = end → self.lengths[text] = len(self.tables[text]) * size
        length-not-kept: line self.lengths[text] = end →
        new-table-not-kept: self.tables[text] = table + free[:needed] → table = table + free[:needed]
            torch.tensor(self.tables[text], dtype → torch.tensor(table, dtype
        one-block-more-each-call: needed = (end + size - 1) // size - len(table) → needed = (end + size - 1) // size - len(table) + 1
        open-block-counted-as-missing: - len(table) → - start // size
        used-blocks-taken: users == 0 → users >= 0
        used-blocks-taken: users == 0 → users <= 1
        refusal-forgotten: if needed > len(free): → if end > len(self.users) * size:
        refusal-forgotten: if needed > len(free): → if needed > len(self.users):
        all-texts-freed: body free
            self.tables.clear()
            self.lengths.clear()
            self.users = [0] * len(self.users)
        freed-text-left-empty: body free
            for block in self.tables[text]:
                self.users[block] -= 1
            self.tables[text], self.lengths[text] = [], 0
        freed-text-left-empty: body free
            for block in self.tables.pop(text):
                self.users[block] -= 1
            self.lengths[text] = 0
        users-by-place: body free
            for place in range(len(self.tables.pop(text))):
                self.users[place] -= 1
            del self.lengths[text]
        a-user-for-each-token: body free
            size, table = self.keys.shape[2], self.tables.pop(text)
            for at in range(self.lengths.pop(text)):
                self.users[table[at // size]] -= 1
        known-text-begins-anew: table, start = self.tables.get(text, []), self.lengths.get(text, 0) → table, start = [], 0
        tokens-before-heads: return read_paged(self.keys, blocks, end), read_paged(self.values, blocks, end) → return read_paged(self.keys, blocks, end).transpose(0, 1), read_paged(self.values, blocks, end).transpose(0, 1)
            hint: The tokens are the first axis of what comes back. The heads should be: (heads, tokens, head_dim).
        blocks-lost-in-refusal: above if needed → for block in free[:needed]:↵    self.users[block] = 1
        table-longer-after-refusal: above if needed → if needed > len(free):↵    table += free
        table-longer-after-refusal: above if needed → if needed > len(free):↵    table += free↵    for block in free:↵        self.users[block] = 1
        unknown-text-entered: above if needed → self.tables.setdefault(text, [])↵self.lengths.setdefault(text, 0)
        unknown-text-entered: above if needed → self.tables.setdefault(text, [])
        stored-until-full: above if needed → room = (len(table) + len(free)) * size - start↵if needed > len(free) and room > 0:↵    self.append(text, keys[:, :room], values[:, :room])
        one-free-block-for-all: table + free[:needed] → table + free[:1] * needed
        wrong-axis-for-size: self.keys.shape[2] → self.keys.shape[1]
        wrong-axis-for-size: self.keys.shape[2] → self.keys.shape[0]
        wrong-axis-for-size: self.keys.shape[2] → self.keys.shape[3]
        paged-returns-new-only: blocks, end), read_paged(self.values, blocks, end) → blocks, end)[:, start:], read_paged(self.values, blocks, end)[:, start:]
        keys-as-values: read_paged(self.values, blocks, end) → read_paged(self.keys, blocks, end)
            hint: The keys take the place of the values.
        values-stored-as-keys: read_paged(self.keys, blocks, end) → read_paged(self.values, blocks, end)
        whole-pool-returned: return read_paged(self.keys, blocks, end), read_paged(self.values, blocks, end) → return self.keys, self.values
        whole-pool-returned: return read_paged(self.keys, blocks, end), read_paged(self.values, blocks, end) → return self.keys.transpose(0, 1).flatten(1, 2), self.values.transpose(0, 1).flatten(1, 2)
        blocks-stacked: return read_paged(self.keys, blocks, end), read_paged(self.values, blocks, end) → return self.keys[blocks], self.values[blocks]
        places-counted-from-call: places % size →2 (places - start) % size
        places-counted-from-call: places // size →2 (places - start) // size
        all-in-last-block: blocks[places // size] →2 blocks[-1:].expand(len(places))
        """),
    right=rights("""
        loop: body append
            size, start = self.keys.shape[2], self.lengths.get(text, 0)
            end, table = start + keys.shape[1], list(self.tables.get(text, ()))
            free = [one for one in range(len(self.users)) if not self.users[one]]
            while len(table) * size < end:
                if not free:
                    raise ValueError("no block is free")
                table.append(free.pop())
            for block in table:
                self.users[block] = self.users[block] or 1
            for new, place in enumerate(range(start, end)):
                self.keys[table[place // size], :, place % size] = keys[:, new]
                self.values[table[place // size], :, place % size] = values[:, new]
            self.tables[text], self.lengths[text] = table, end
            table = torch.tensor(table, dtype=torch.long)
            return read_paged(self.keys, table, end), read_paged(self.values, table, end)
        stacked: return read_paged(self.keys, blocks, end), read_paged(self.values, blocks, end) → return torch.stack([read_paged(pool, blocks, end) for pool in (self.keys, self.values)])
        last-blocks-first: block for block, users in enumerate(self.users) if users == 0 → block for block in reversed(range(len(self.users))) if self.users[block] == 0
        """),
)


FORKED = [["append", "A", 5], ["fork", "A", "B"]]
SHARED_CACHE = Task(
    id="shared-cache",
    title="Share, and copy on write",
    name="SharedCache",
    kind="class",
    signature="SharedCache(num_blocks, block_size, num_heads, head_dim).append(text, keys, values)",
    axes=("keys or values", *POOLED),
    input_axes={"keys": POOLED, "values": POOLED},
    needs=("paged-cache",),
    probes=(
        paged("prompt", "one text that shares nothing", (6, 3, 5, 4), 7, 11),
        paged(
            "shared",
            "a second text that begins with the first",
            (6, 3, 2, 4),
            [*FORKED, ["append", "C", 2]],
            12,
        ),
        paged(
            "no-copy",
            "a copy for which no block is free",
            (2, 3, 2, 4),
            [*FORKED, ["append", "B", 1]],
            18,
        ),
        paged(
            "second-writes",
            "a second text that goes on, then the first",
            (7, 3, 2, 5),
            [*FORKED, ["append", "B", 1], ["append", "A", 2], ["append", "B", 3]],
            13,
        ),
        paged(
            "first-writes",
            "a first text that goes on, then the second",
            (7, 4, 3, 2),
            [*FORKED, ["append", "A", 2], ["append", "B", 1]],
            14,
        ),
        paged(
            "full-block",
            "a shared beginning whose last block is full",
            (4, 3, 2, 4),
            [
                ["append", "A", 6],
                ["fork", "A", "B"],
                ["append", "B", 2],
                ["append", "A", 1],
                ["append", "B", 1],
            ],
            15,
        ),
        paged(
            "freed",
            "a first text that is freed while a second reads its blocks",
            (6, 2, 3, 4),
            [*FORKED, ["free", "A"], ["append", "C", 5], ["append", "B", 1]],
            16,
        ),
        paged(
            "three",
            "three texts with one beginning",
            (8, 4, 2, 3),
            [
                *FORKED,
                ["fork", "A", "C"],
                ["append", "A", 1],
                ["append", "B", 1],
                ["append", "C", 1],
                ["free", "B"],
            ],
            17,
        ),
        paged(
            "shared-again",
            "a text that is shared a second time",
            (9, 4, 2, 3),
            [
                *FORKED,
                ["append", "A", 1],
                ["fork", "A", "C"],
                ["append", "A", 1],
                ["append", "B", 1],
                ["append", "A", 1],
            ],
            19,
        ),
        paged(
            "both-go-on",
            "two texts that both go on by several tokens",
            (7, 4, 2, 3),
            [*FORKED, ["append", "A", 2], ["append", "B", 2], ["append", "A", 1]],
            21,
        ),
        paged(
            "in-a-gap",
            "a copy in the only free block, between others",
            (3, 4, 2, 3),
            [
                ["append", "C", 2],
                ["append", "A", 5],
                ["fork", "A", "B"],
                ["free", "C"],
                ["append", "B", 1],
                ["append", "A", 1],
                ["append", "B", 1],
            ],
            22,
        ),
        paged(
            "copy-and-more",
            "a block for the copy, and too few for the new tokens",
            (4, 3, 2, 4),
            [*FORKED, ["append", "B", 5]],
            23,
        ),
    ),
    checks=(
        Check("texts share their blocks", 1, ("shared", "freed", "prompt")),
        Check(
            "a shared block is copied before it is written into",
            1,
            ("second-writes", "first-writes", "both-go-on", "in-a-gap", "prompt"),
        ),
        Check("three texts with one beginning", 1, ("three", "shared-again", "prompt")),
        Check(
            "full blocks are not copied, and a full pool refuses",
            1,
            ("full-block", "no-copy", "copy-and-more", "second-writes", "prompt"),
        ),
    ),
    learned="What is only read can be shared by any number of texts. A count says who has to copy before writing.",
    demands={
        "copies no keys or values": "beginning-copied",
        "that has all tokens of `text` so far": "length-not-forked",
        "if it would write into a block that has more than one user": "shared-block-written",
        "copies this block's keys and values": "values-not-copied",
        "The copy takes its place in this text's table only": "table-shared",
        "Both counts of users are then right": "user-not-given-back",
        "raise a ValueError": "copy-over-another-block",
        "leave everything as it was": "copied-before-refusal",
    },
    hints=(
        "`fork` copies the list of blocks, not the blocks: `list(self.tables[text])`. Each block has one user more.",
        "A block is written into if the length is no multiple of the block size. Is `self.users[last]` larger than 1?",
        "`own = self.users.index(0)`; copy keys and values; one user for `own`, one less for the old block; `self.tables[text][-1] = own`.",
    ),
    wrong=wrongs("""
        beginning-copied: body fork
            self.append(other, *(read_paged(pool, torch.tensor(self.tables[text]), self.lengths[text]) for pool in (self.keys, self.values)))
        length-not-forked: self.lengths[other] = self.lengths[text] → self.lengths[other] = 0
        users-not-shared: for block in self.tables[text]: → for block in ():
        shared-block-written: if writes_into_last and … > 1: → if False:
        copied-always: if writes_into_last and self.users[self.tables[text][-1]] > 1: → if writes_into_last:
        full-block-copied: self.lengths.get(text, 0) % self.keys.shape[2] > 0 and keys.shape[1] > 0 → self.tables.get(text)
        values-not-copied: self.values[own] = self.values[last] → pass
        nothing-copied-into-it: self.keys[own] = self.keys[last] → pass
            self.values[own] = self.values[last] → pass
        table-shared: list(self.tables[text]) → self.tables[text]
        user-not-given-back: self.users[last] -= 1 → pass
        copy-not-counted: self.users[own] = 1 → pass
        copy-over-another-block: if needed > self.users.count(0): → if False:
            self.users.index(0) → self.users.index(min(self.users))
        first-block-looked-at: self.tables[text][-1]] > 1 → self.tables[text][0]] > 1
        last-block-not-shared: for block in self.tables[text]: → for block in self.tables[text][:-1]:
        one-block-shared: for block in self.tables[text]: → for block in self.tables[text][-1:]:
        one-block-shared: for block in self.tables[text]: → for block in self.tables[text][:1]:
        users-set-to-two: self.users[block] += 1 → self.users[block] = 2
        last-block-not-forked: self.tables[other] = list(self.tables[text]) → self.tables[other] = self.tables[text][: self.lengths[text] // self.keys.shape[2]]
            for block in self.tables[text]: → for block in self.tables[other]:
        last-block-not-forked: self.tables[other] = list(self.tables[text]) → self.tables[other] = self.tables[text][: self.lengths[text] // self.keys.shape[2]]
            self.lengths[other] = self.lengths[text] → self.lengths[other] = len(self.tables[other]) * self.keys.shape[2]
            for block in self.tables[text]: → for block in self.tables[other]:
        last-block-copied-by-fork: body fork
            table = list(self.tables[text])
            if self.lengths[text] % self.keys.shape[2]:
                own = self.users.index(0)
                self.keys[own], self.values[own] = self.keys[table[-1]], self.values[table[-1]]
                table[-1] = own
            for block in table:
                self.users[block] += 1
            self.tables[other], self.lengths[other] = table, self.lengths[text]
        shared-block-written: self.users[self.tables[text][-1]] > 1 → self.users[self.tables[text][-1]] > 2
        keys-not-copied: self.keys[own] = self.keys[last] → pass
        copy-incomplete: self.keys[own] = self.keys[last] → filled = self.lengths[text] % self.keys.shape[2] - 1↵self.keys[own, :, :filled] = self.keys[last, :, :filled]
            self.values[own] = self.values[last] → self.values[own, :, :filled] = self.values[last, :, :filled]
        copy-incomplete: self.keys[own] = self.keys[last] → self.keys[own, :, :1] = self.keys[last, :, :1]
            self.values[own] = self.values[last] → self.values[own, :, :1] = self.values[last, :, :1]
        copy-incomplete: self.keys[own] = self.keys[last] → self.keys[own, 0] = self.keys[last, 0]
            self.values[own] = self.values[last] → self.values[own, 0] = self.values[last, 0]
        copy-not-in-table: line self.tables[text][-1] = own →
        copy-after-old-block: self.tables[text][-1] = own → self.tables[text].append(own)
        copy-in-every-table: self.tables[text][-1] = own → for table in self.tables.values():↵    table[:] = [own if block == last else block for block in table]
        old-block-left-with-one: self.users[last] -= 1 → self.users[last] = 1
        copied-always: above writes_into_last = → if 0 not in self.users:↵    raise ValueError("no block is free")
        copied-before-refusal: line needed = → needed = 1
        keys-as-values: self.values[own] = self.values[last] → self.values[own] = self.keys[last]
            hint: In the copy, the keys fill the place of the values. Each pool is copied into itself.
        values-stored-as-keys: self.keys[own] = self.keys[last] → self.keys[own] = self.values[last]
            hint: In the copy, the values fill the place of the keys. Each pool is copied into itself.
        copied-the-wrong-way: self.keys[own] = self.keys[last] → self.keys[last] = self.keys[own]
            self.values[own] = self.values[last] → self.values[last] = self.values[own]
        old-block-freed: self.users[last] -= 1 → self.users[last] = 0
        copy-counted-too-often: self.users[own] = 1 → self.users[own] = self.users[last]
        copy-counted-too-often: self.users[own] = 1 → self.users[own] = 2
        only-two-users-noticed: self.users[self.tables[text][-1]] > 1 → self.users[self.tables[text][-1]] == 2
        room-by-new-tokens: self.lengths.get(text, 0) % self.keys.shape[2] > 0 → (self.lengths.get(text, 0) + keys.shape[1]) % self.keys.shape[2] > 0 and text in self.tables
        full-block-copied:
            body append
                table = self.tables.get(text, [])
                for place, last in enumerate(table):
                    if self.users[last] > 1:
                        if 0 not in self.users:
                            raise ValueError("no block is free")
                        own = self.users.index(0)
                        self.keys[own] = self.keys[last]
                        self.values[own] = self.values[last]
                        self.users[own] = 1
                        self.users[last] -= 1
                        table[place] = own
                return super().append(text, keys, values)
            hint: Every shared block is copied. Only the last one can be written into, and only if it is not full: the others can stay shared.
        copy-in-first-place: self.tables[text][-1] = own → self.tables[text][0] = own
        every-block-counted: for block in self.tables[text]:↵    self.users[block] += 1 → self.users = [users + 1 for users in self.users]
        every-block-counted: for block in self.tables[text]:↵    self.users[block] += 1 → self.users = [users + 1 if users else 0 for users in self.users]
        users-by-place: for block in self.tables[text]: → for block in range(len(self.tables[text])):
        text-moved: body fork
            self.tables[other] = self.tables.pop(text)
            self.lengths[other] = self.lengths.pop(text)
        length-by-blocks: self.lengths[other] = self.lengths[text] → self.lengths[other] = len(self.tables[text])
        length-by-blocks: self.lengths[other] = self.lengths[text] → self.lengths[other] = len(self.tables[text]) * self.keys.shape[2]
        length-not-forked: line self.lengths[other] = self.lengths[text] →
        beginning-copied: body fork
            self.tables[other] = []
            for block in self.tables[text]:
                own = self.users.index(0)
                self.keys[own], self.values[own] = self.keys[block], self.values[block]
                self.users[own] = 1
                self.tables[other].append(own)
            self.lengths[other] = self.lengths[text]
        shared-block-written: keys.shape[1] > 0 → keys.shape[1] == 1
        copied-after-writing: body append
            result = super().append(text, keys, values)
            place = (self.lengths[text] - keys.shape[1]) // self.keys.shape[2]
            last = self.tables[text][place]
            if self.users[last] > 1:
                own = self.users.index(0)
                self.keys[own] = self.keys[last]
                self.values[own] = self.values[last]
                self.users[own] = 1
                self.users[last] -= 1
                self.tables[text][place] = own
            return result
        blocks-taken-by-counting: self.users.index(0) → len([users for users in self.users if users])
        blocks-taken-by-counting: self.users.index(0) → max(max(table) for table in self.tables.values()) + 1
        last-free-block-refused: if needed > self.users.count(0): → if needed >= self.users.count(0):
        full-block-copied: self.lengths.get(text, 0) % self.keys.shape[2] > 0 → text in self.tables
        one-token-too-few-forked: self.lengths[other] = self.lengths[text] → self.lengths[other] = self.lengths[text] - 1
        users-not-shared: self.users[block] += 1 → self.users[block] = 1
        first-block-copied: last = self.tables[text][-1] → last = self.tables[text][0]
        copied-before-refusal: needed = 1 + ( → needed = (
        """),
    right=rights("""
        copy: self.tables[other] = list(self.tables[text]) → self.tables[other] = self.tables[text].copy()
        try: body append
            at, size = self.lengths.get(text, 0), self.keys.shape[2]
            if keys.shape[1] and at % size:
                place = at // size
                old = self.tables[text][place]
                if self.users[old] != 1:
                    free = [block for block in range(len(self.users)) if self.users[block] == 0]
                    if len(free) <= (at + keys.shape[1] - 1) // size - place:
                        raise ValueError("full")
                    for pool in (self.keys, self.values):
                        pool[free[-1]] = pool[old].clone()
                    self.tables[text][place] = free[-1]
                    self.users[old], self.users[free[-1]] = self.users[old] - 1, self.users[free[-1]] + 1
            return super().append(text, keys, values)
        undone: body append
            size, length, before = self.keys.shape[2], self.lengths.get(text, 0), list(self.users)
            table, free = self.tables.get(text, []), self.users.index(0) if 0 in self.users else None
            if length % size and keys.shape[1] and self.users[table[-1]] > 1:
                if free is None:
                    raise ValueError("full")
                self.users[table[-1]] -= 1
                self.users[free] = 1
                self.tables[text] = [*table[:-1], free]
                try:
                    old = self.keys[free].clone(), self.values[free].clone()
                    self.keys[free], self.values[free] = self.keys[table[-1]], self.values[table[-1]]
                    return super().append(text, keys, values)
                except ValueError:
                    self.users, self.tables[text] = before, table
                    self.keys[free], self.values[free] = old
                    raise
            return super().append(text, keys, values)
        """),
)

# ------------------------------------------------------------------------------------------------- texts in a row

PACKED_AXES = {"q": ("heads", "queries", "head_dim"), "k": ("heads", "keys", "head_dim")}
PACKED_AXES |= {"v": ("heads", "keys", "head_dim"), "cu_queries": ("texts + 1",), "cu_keys": ("texts + 1",)}


def in_a_row(id, says, new, tokens, heads, head_dim, seed, **more):
    def cumulated(lengths):
        return torch.tensor([0, *lengths]).cumsum(dim=0)

    k, v = drawn(2, heads, sum(tokens), head_dim, seed=seed)
    inputs = {"q": 1.5 * drawn(heads, sum(new), head_dim, seed=seed + 1), "k": k, "v": v}
    inputs |= {"cu_queries": cumulated(new), "cu_keys": cumulated(tokens)}
    return Probe(id, says, inputs, redraw=lambda generator: {}, **more)


PACKED_ATTENTION = Task(
    id="packed-attention",
    title="Attention without padding",
    name="packed_attention",
    kind="function",
    signature="packed_attention(q, k, v, cu_queries, cu_keys)",
    axes=("heads", "queries", "head_dim"),
    input_axes=PACKED_AXES,
    probes=(
        in_a_row("prompts", "three prompts", (4, 2, 5), (4, 2, 5), 2, 6, 1),
        in_a_row("one", "a single text", (7,), (7,), 3, 4, 3),
        in_a_row("writing", "four texts with one new token each", (1, 1, 1, 1), (3, 6, 1, 4), 2, 5, 5),
        in_a_row("chunks", "chunks of prompts, and texts that write", (3, 1, 4, 2), (8, 5, 4, 7), 3, 5, 7),
        in_a_row("none", "a text without a query in this step", (2, 0, 3), (5, 4, 3), 2, 7, 9),
        in_a_row(
            "costs",
            "forty texts of eight tokens",
            (8,) * 40,
            (8,) * 40,
            2,
            4,
            11,
            observe="costs",
            settings={"numbers": 12_000},
        ),
    ),
    checks=(
        Check("whole prompts", 1, ("prompts", "one")),
        Check("old keys, and chunks of prompts", 1, ("writing", "chunks", "none")),
        Check("no matrix of all queries and keys", 1, ("costs", "prompts")),
    ),
    words={"width": "√head_dim", "x": "q"},
    learned="Texts of any lengths share one row. Two lists of sums say where each begins, and no row is padding.",
    demands={
        "A query sees only keys of its own text": "texts-mixed",
        "none of the future": "future-visible",
        "its last query sees all its keys": "rows-aligned-at-start",
        "A text can have no query in this step": "empty-text-left-out",
        "Never make a matrix of all queries with all keys": "row-matrix-made",
    },
    hints=(
        "Go through the texts: `q[:, cu_queries[text] : cu_queries[text + 1]]` are the queries of one.",
        "With `new` queries and `tokens` keys, the visible part is `torch.ones(new, tokens, dtype=torch.bool).tril(tokens - new)`.",
        "Collect `F.scaled_dot_product_attention(queries, keys, values, attn_mask=visible)`, and join with `torch.cat(…, dim=1)`.",
    ),
    wrong=wrongs("""
        texts-mixed: own = slice(cu_keys[text], cu_keys[text + 1]) → own = slice(0, cu_keys[text + 1])
        future-visible: .tril(tokens - new) →
            hint: Nothing of the future is hidden. With `new` queries and `tokens` keys, the mask is `torch.ones(new, tokens).tril(tokens - new)`, as booleans.
        rows-aligned-at-start: .tril(tokens - new) → .tril()
        empty-text-left-out: above contexts.append → if new == 0:↵    raise ValueError("no query")
        row-matrix-made: body
            of_query = torch.bucketize(torch.arange(q.shape[1]), cu_queries[1:], right=True)
            of_key = torch.bucketize(torch.arange(k.shape[1]), cu_keys[1:], right=True)
            ends = (cu_keys[1:] - cu_queries[1:])[of_query] + torch.arange(q.shape[1])
            visible = (of_query[:, None] == of_key) & (torch.arange(k.shape[1]) <= ends[:, None])
            return F.scaled_dot_product_attention(q, k, v, attn_mask=visible)
        queries-cut-by-keys: q[:, cu_queries[text] : cu_queries[text + 1]] → q[:, cu_keys[text] : cu_keys[text + 1]]
        keys-cut-by-queries: slice(cu_keys[text], cu_keys[text + 1]) → slice(cu_queries[text], cu_queries[text + 1])
        keys-as-values: keys, values = k[:, own], v[:, own] → keys, values = k[:, own], k[:, own]
            hint: The keys are used for the values, too. Cut the values from `v`.
        last-text-forgotten: range(len(cu_queries) - 1) → range(len(cu_queries) - 2)
        no-scale: attn_mask=visible) → attn_mask=visible, scale=1.0)
        newest-token-hidden: .tril(tokens - new) → .tril(tokens - new - 1)
        next-token-visible: .tril(tokens - new) → .tril(tokens - new + 1)
        past-hidden: .tril(tokens - new) → .triu(tokens - new)
            hint: The past is hidden and the future is visible. In this mask, True says that a key is seen.
        past-hidden: attn_mask=visible) → attn_mask=~visible)
            hint: The past is hidden and the future is visible. In this mask, True says that a key is seen.
        mask-added: , dtype=torch.bool).tril → ).tril
            hint: The mask is made of numbers. They are added to the scores, which hides nothing. Make it of booleans: `dtype=torch.bool`.
        scaled-by-heads: attn_mask=visible) → attn_mask=visible, scale=len(q) ** -0.5)
        scaled-without-root: attn_mask=visible) → attn_mask=visible, scale=1 / q.shape[-1])
        scaled-by-tokens: attn_mask=visible) → attn_mask=visible, scale=tokens**-0.5)
        scaled-up: attn_mask=visible) → attn_mask=visible, scale=q.shape[-1] ** 0.5)
        row-not-cut: body
            visible = torch.ones(q.shape[1], k.shape[1], dtype=torch.bool).tril(k.shape[1] - q.shape[1])
            return F.scaled_dot_product_attention(q, k, v, attn_mask=visible)
        stops-at-idle-text: above contexts.append → if new == 0:↵    break
        stops-at-idle-text: above contexts.append → if new == 0:↵    break
            return torch.cat(contexts, dim=1) → begun = torch.cat(contexts, dim=1)↵return F.pad(begun, (0, 0, 0, q.shape[1] - begun.shape[1]))
        first-text-forgotten: range(len(cu_queries) - 1) → range(1, len(cu_queries) - 1)
        first-text-forgotten: range(len(cu_queries) - 1) → range(1, len(cu_queries) - 1)
            return torch.cat(contexts, dim=1) → return torch.cat([torch.zeros_like(q[:, : cu_queries[1]]), *contexts], dim=1)
        last-text-forgotten: range(len(cu_queries) - 1) → range(len(cu_queries) - 2)
            return torch.cat(contexts, dim=1) → return torch.cat([*contexts, torch.zeros_like(q[:, cu_queries[-2] :])], dim=1)
        rows-aligned-at-start: attn_mask=visible) → is_causal=new > 1)
        future-visible: visible = torch.ones(new, tokens, dtype=torch.bool).tril(tokens - new) → visible = torch.ones(new, tokens, dtype=torch.bool).tril() if new == tokens else torch.ones(new, tokens, dtype=torch.bool)
            hint: In a chunk that comes after old keys, nothing of the future is hidden. Its mask is `tril(tokens - new)`.
        idle-queries-dropped: body
            num_q, num_k = cu_queries.diff().tolist(), cu_keys.diff().tolist()
            qs = q.split([n for n in num_q if n > 0], dim=1)
            ks, vs = k.split(num_k, dim=1), v.split(num_k, dim=1)
            out = []
            for a, b, c in zip(qs, ks, vs):
                n, t = a.shape[1], b.shape[1]
                out.append(F.scaled_dot_product_attention(a, b, c, attn_mask=torch.ones(n, t, dtype=torch.bool).tril(t - n)))
            return torch.cat(out, dim=1)
        idle-text-gets-a-row: above contexts.append → if new == 0:↵    contexts.append(torch.zeros_like(q[:, :1]))↵    continue
        later-texts-seen: own = slice(cu_keys[text], cu_keys[text + 1]) → own = slice(cu_keys[text], cu_keys[text + 1] + 1)
        texts-mixed: own = slice(cu_keys[text], cu_keys[text + 1]) → own = slice(cu_keys[text - 1] if text else 0, cu_keys[text + 1])
        values-cut-elsewhere: keys, values = k[:, own], v[:, own] → keys, values = k[:, own], v[:, : k[:, own].shape[1]]
        values-cut-elsewhere: keys, values = k[:, own], v[:, own] → keys, values = k[:, own], v[:, cu_queries[text] : cu_queries[text] + k[:, own].shape[1]]
        values-as-keys: keys, values = k[:, own], v[:, own] → keys, values = v[:, own], v[:, own]
            hint: The values are used for the keys, too. Cut the keys from `k`.
        keys-and-values-exchanged: queries, keys, values, attn → queries, values, keys, attn
        mask-shifted-other-way: .tril(tokens - new) → .tril(new - tokens)
        mask-shifted-by-rows: .tril(tokens - new) → .tril(int(cu_keys[text] - cu_queries[text]))
        mask-shifted-by-rows: .tril(tokens - new) → .tril(int(cu_keys[text + 1] - cu_queries[text + 1]))
        old-keys-left-out: own = slice(cu_keys[text], cu_keys[text + 1]) → own = slice(cu_keys[text + 1] - queries.shape[1], cu_keys[text + 1])
        sums-used-as-lengths: body
            result = torch.zeros_like(q)
            queries, keys = 0, 0
            for new, tokens in zip(cu_queries[1:].tolist(), cu_keys[1:].tolist()):
                a, b, c = q[:, queries : queries + new], k[:, keys : keys + tokens], v[:, keys : keys + tokens]
                if a.shape[1] and b.shape[1]:
                    visible = torch.ones(a.shape[1], b.shape[1], dtype=torch.bool).tril(b.shape[1] - a.shape[1])
                    result[:, queries : queries + new] = F.scaled_dot_product_attention(a, b, c, attn_mask=visible)
                queries, keys = queries + new, keys + tokens
            return result
        first-query-decides: visible = torch.ones(new, tokens, dtype=torch.bool).tril(tokens - new) → visible = torch.arange(tokens).expand(new, -1) <= tokens - new
        softmax-over-queries: line contexts.append → contexts.append((queries @ keys.mT / q.shape[-1] ** 0.5).masked_fill(~visible, -1e9).softmax(dim=-2) @ values)
            hint: Softmax runs over the queries. Each query shares out its own attention over the keys: `dim=-1`.
        mask-after-softmax: line contexts.append → contexts.append((queries @ keys.mT / q.shape[-1] ** 0.5).softmax(dim=-1) * visible @ values)
        mask-fills-zero: line contexts.append → contexts.append((queries @ keys.mT / q.shape[-1] ** 0.5 * visible).softmax(dim=-1) @ values)
            hint: Hidden scores are 0, and a score of 0 still gets a weight. A hidden key gets none.
        no-softmax: line contexts.append → contexts.append((queries @ keys.mT / q.shape[-1] ** 0.5).masked_fill(~visible, 0.0) @ values)
            hint: The scores themselves are used as weights. The weights of each query add up to 1.
        edits-its-argument: queries = q[:, cu_queries[text] : cu_queries[text + 1]] → queries = q[:, cu_queries[text] : cu_queries[text + 1]].div_(q.shape[-1] ** 0.5)
            attn_mask=visible) → attn_mask=visible, scale=1.0)
        later-texts-seen: cu_keys[text + 1])↵ → None)
        texts-joined-on-another-axis: torch.cat(contexts, dim=1) → torch.cat(contexts, dim=0)
        texts-joined-on-another-axis: torch.cat(contexts, dim=1) → torch.cat(contexts, dim=-1)
        no-scale: queries, keys, values, attn_mask → queries * queries.shape[-1] ** 0.5, keys, values, attn_mask
        scaled-by-heads: queries, keys, values, attn_mask → queries * (queries.shape[-1] / len(q)) ** 0.5, keys, values, attn_mask
        future-visible: torch.ones(new, tokens, dtype=torch.bool).tril(tokens - new) → None
            hint: Nothing of the future is hidden. With `new` queries and `tokens` keys, the mask is `torch.ones(new, tokens).tril(tokens - new)`, as booleans.
        """),
    right=rights("""
        split: body
            parts = [one.split(torch.tensor(cu).diff().tolist() if not torch.is_tensor(cu) else cu.diff().tolist(), dim=1) for one, cu in ((q, cu_queries), (k, cu_keys), (v, cu_keys))]
            out = []
            for a, b, c in zip(*parts):
                scores = a @ b.mT / a.shape[-1] ** 0.5
                scores = scores.masked_fill(torch.ones(scores.shape[1:], dtype=torch.bool).triu(b.shape[1] - a.shape[1] + 1), -torch.inf)
                out.append(torch.softmax(scores, dim=-1) @ c)
            return torch.cat(out, dim=1)
        filled-in: body
            result = torch.zeros_like(q)
            for a, b, c, d in zip(cu_queries[:-1], cu_queries[1:], cu_keys[:-1], cu_keys[1:]):
                for row in range(int(a), int(b)):
                    seen = slice(int(c), int(d) - (int(b) - 1 - row))
                    result[:, row : row + 1] = F.scaled_dot_product_attention(q[:, row : row + 1], k[:, seen], v[:, seen])
            return result
        positions: visible = torch.ones(new, tokens, dtype=torch.bool).tril(tokens - new) → visible = torch.arange(tokens) <= torch.arange(tokens - new, tokens)[:, None]
        """),
)

# ---------------------------------------------------------------------------------------------------- scheduler


def left_over(id, says, left, budget, ordered=True):
    def redraw(generator):
        added = torch.randint(2, 5, (len(left),), generator=generator)
        drawn = torch.tensor([one if one < 2 else one + int(more) for one, more in zip(left, added)])
        return {"left": drawn if ordered else drawn[torch.randperm(len(left), generator=generator)]}

    return Probe(id, says, {"left": torch.tensor(left), "budget": budget}, redraw=redraw)


PLAN_STEP = Task(
    id="plan-step",
    title="Plan a step",
    name="plan_step",
    kind="function",
    signature="plan_step(left, budget)",
    axes=("texts",),
    input_axes={"left": ("texts",)},
    dtypes=WHOLE,
    probes=(
        left_over("all", "three prompts that fit", [4, 2, 3], 20),
        left_over("cut", "three prompts, of which the second is cut", [5, 9, 4], 10),
        left_over("writing", "prompts and texts that write", [7, 1, 6, 1, 3, 1], 9, ordered=False),
        left_over("many", "more texts that write than fit", [3, 1, 1, 1, 1, 5, 1], 4, ordered=False),
        left_over("finished", "finished texts between others", [0, 8, 0, 1, 4], 7, ordered=False),
        left_over("short-later", "a long prompt before a short one", [12, 2, 5], 6),
        left_over("room", "prompts and texts that write, with room for all", [3, 1, 2, 1], 20, ordered=False),
    ),
    checks=(
        Check("prompts in their order, cut at the budget", 1, ("all", "cut", "short-later")),
        Check("texts that write come first", 1, ("writing", "many", "room")),
        Check("finished texts compute nothing", 1, ("finished",)),
    ),
    words={"x": "left"},
    learned="A budget and an order of service are all that a scheduler needs. Chunks come out of it by themselves.",
    demands={
        "Texts with one token left come first": "prompts-block-writers",
        "in the order of the texts": "shortest-first",
        "or what remains of the budget": "prompts-never-cut",
        "Never plan more than `budget` tokens together": "budget-not-spent",
    },
    hints=(
        "First look at the texts with one token left, then at the others. What is left of the budget each time?",
        "A text gets `min(int(left[text]), budget)`; then the budget shrinks by that.",
        "`sorted(range(len(left)), key=lambda one: int(left[one]) != 1)` keeps the order and puts those with one token in front.",
    ),
    wrong=wrongs("""
        prompts-block-writers: sorted(range(len(left)), key=lambda one: int(left[one]) != 1) → range(len(left))
        shortest-first: int(left[one]) != 1) → int(left[one]))
        longest-first: int(left[one]) != 1) → (int(left[one]) != 1, -int(left[one])))
        newest-first: sorted(range(len(left)), → sorted(reversed(range(len(left))),
        prompts-never-cut: min(int(left[text]), budget) → int(left[text]) if int(left[text]) <= budget else 0
        budget-not-spent: line budget -= →
        one-token-each: min(int(left[text]), budget) → min(int(left[text]), budget, 1)
        budget-shared-evenly: min(int(left[text]), budget) → min(int(left[text]), max(1, budget // len(left)), budget)
        prompts-first: int(left[one]) != 1) → int(left[one]) == 1)
        finished-get-a-token: min(int(left[text]), budget) → min(max(1, int(left[text])), budget)
        writers-over-budget: return counts → return torch.where(left == 1, 1, counts)
        writers-over-budget: min(int(left[text]), budget) → 1 if int(left[text]) == 1 else min(int(left[text]), budget)
        writers-over-budget: min(int(left[text]), budget) → int(left[text]) if int(left[text]) < 2 else min(int(left[text]), budget)
        counts-in-order-of-service: return counts → return counts[(left != 1).long().argsort(stable=True)]
        whole-prompt-subtracted: budget -= int(counts[text]) → budget -= int(left[text])
        whole-prompt-subtracted: budget -= int(counts[text]) → budget -= int(left[text] if left[text] > 1 else counts[text])
            min(int(left[text]), budget) → min(int(left[text]), budget) if int(left[text]) else 0
        writers-subtracted-twice: min(int(left[text]), budget) → min(int(left[text]), budget if int(left[text]) == 1 else max(budget - int((left == 1).sum()), 0))
        prompt-planned-whole: min(int(left[text]), budget) → int(left[text]) if budget > 0 else 0
        one-prompt-a-step: below budget -= → if int(left[text]) > 1:↵    break
        prompts-wait-for-writers: min(int(left[text]), budget) → min(int(left[text]), 0 if int(left[text]) > 1 and bool((left == 1).any()) else budget)
        budget-off-by-one: above counts = → budget += 1
        budget-off-by-one: above counts = → budget -= 1
        edits-its-argument: return counts → left -= counts↵return counts
        prompts-not-subtracted: budget -= int(counts[text]) → budget -= int(counts[text]) if int(left[text]) == 1 else 0
        prompts-not-subtracted: body
            counts = torch.where(left == 1, 1, 0)
            rest = max(budget - int(counts.sum()), 0)
            return torch.where(left > 1, left.clamp(max=rest), counts)
        texts-subtracted: budget -= int(counts[text]) → budget -= 1
        newest-first: sorted(range(len(left)), key=lambda one: int(left[one]) != 1) → sorted(range(len(left)), key=lambda one: (int(left[one]) != 1, -one if int(left[one]) != 1 else one))
        stops-at-finished: below counts[text] = → if int(left[text]) == 0:↵    break
        stops-at-finished: below counts[text] = → if int(left[text]) == 0:↵    break
            sorted(range(len(left)), key=lambda one: int(left[one]) != 1) → range(len(left))
        budget-in-proportion: body
            total = int(left.sum())
            return left * min(budget, total) // max(total, 1)
        budget-in-proportion: body
            counts = (left == 1).long()
            rest, prompts = max(budget - int(counts.sum()), 0), torch.where(left > 1, left, 0)
            return counts + prompts * min(rest, int(prompts.sum())) // max(int(prompts.sum()), 1)
        budget-shared-evenly: body
            counts = (left == 1).long()
            rest = max(budget - int(counts.sum()), 0)
            return torch.where(left > 1, left.clamp(max=rest // max(int((left > 1).sum()), 1)), counts)
        rest-returned: return counts → return left - counts
        own-tokens-subtracted: body
            order = (left != 1).long().argsort(stable=True)
            fits = (budget - left[order].cumsum(0)).clamp(min=0)
            result = torch.zeros_like(left)
            result[order] = torch.minimum(left[order], fits)
            return result
        prompts-never-cut: min(int(left[text]), budget) → int(left[text]) if int(left[text]) <= budget or int(counts.sum()) == 0 else 0
        writers-subtracted-twice: body
            counts = torch.where(left == 1, 1, 0)
            rest = budget - int(counts.sum())
            for text in range(len(left)):
                counts[text] = min(int(left[text]), max(rest, 0))
                rest -= int(counts[text])
            return counts
        rest-below-zero: body
            counts = torch.zeros_like(left)
            counts[(left == 1).nonzero().flatten()[:budget]] = 1
            rest = budget - int((left == 1).sum())
            for text in (left > 1).nonzero().flatten():
                counts[text] = min(int(left[text]), rest)
                rest -= int(counts[text])
            return counts
        idle-texts-without-entry: return counts → return counts[counts > 0]
        writers-over-budget: below counts[text] = → if int(left[text]) == 1:↵    counts[text] = 1
        prompts-never-cut: below counts[text] = → if int(counts[text]) < int(left[text]):↵    counts[text] = 0
        prompts-never-cut: above counts[text] = → if int(left[text]) > budget:↵    break
        finished-get-a-token: above counts = torch → left = left.clamp(min=1)
        prompts-wait-for-writers: below counts[text] = → if int(left[text]) > 1 and bool((left == 1).any()):↵    counts[text] = 0
        writers-not-subtracted: budget -= int(counts[text]) → budget -= int(counts[text]) if int(left[text]) != 1 else 0
        writers-not-subtracted: above for text in → whole, started = budget, False
            above counts[text] = → if int(left[text]) > 1 and not started:↵    budget, started = whole, True
        budget-shared-evenly: above for text in → share = None
            above counts[text] = → share = budget // max(int((left > 1).sum()), 1) if int(left[text]) != 1 and share is None else share
            min(int(left[text]), budget) → min(int(left[text]), budget if share is None else share)
        budget-shared-evenly: above counts[text] = → rest = int((left[text:] > 1).sum()) if int(left[text]) > 1 else 1
            min(int(left[text]), budget) → min(int(left[text]), budget // max(rest, 1))
        writers-get-nothing: below counts[text] = → if int(left[text]) == 1:↵    counts[text] = 0
        writers-get-nothing: below budget -= → if int(left[text]) == 1:↵    counts[text] = 0
        later-writers-first: int(left[one]) != 1) → (int(left[one]) != 1, -one if int(left[one]) == 1 else one))
        one-token-each: below counts[text] = → if int(left[text]) > 1:↵    counts[text] = min(int(counts[text]), 1)
        prompt-planned-whole: below counts[text] = → if budget > 0:↵    counts[text] = int(left[text])
        tokens-dealt-out: body
            counts = torch.zeros_like(left)
            for text in (left == 1).nonzero().flatten()[:budget]:
                counts[text] = 1
            rest = budget - int(counts.sum())
            while rest > 0 and bool((counts < left).any()):
                for text in range(len(left)):
                    if rest > 0 and counts[text] < left[text]:
                        counts[text] += 1
                        rest -= 1
            return counts
        """),
    right=rights("""
        two-loops: body
            planned = [0] * len(left)
            for writing in (True, False):
                for text, waiting in enumerate(left.tolist()):
                    if (waiting == 1) == writing:
                        planned[text] = min(waiting, budget - sum(planned))
            return torch.tensor(planned)
        sums: body
            order = (left != 1).long().argsort(stable=True)
            before = left[order].cumsum(0) - left[order]
            fits = (budget - before).clamp(min=0)
            result = torch.zeros_like(left)
            result[order] = torch.minimum(left[order], fits)
            return result
        small-numbers: return counts → return torch.tensor(counts.tolist(), dtype=torch.int32)
        """),
)


def row_of_logits(id, says, counts, left, seed, vocab=7):
    def redraw(generator):
        return {"logits": torch.randn(sum(counts), vocab, generator=generator)}

    inputs = {"logits": drawn(sum(counts), vocab, seed=seed)}
    return Probe(
        id, says, inputs | {"counts": torch.tensor(counts), "left": torch.tensor(left)}, redraw=redraw
    )


CHUNK_END = Task(
    id="bug-chunk-end",
    title="Find the bug: answers before the question",
    name="next_tokens",
    kind="function",
    signature="next_tokens(logits, counts, left)",
    axes=("texts",),
    input_axes={"logits": ("tokens", "vocab"), "counts": ("texts",), "left": ("texts",)},
    dtypes=WHOLE,
    probes=(
        row_of_logits("whole", "prompts that are read whole", [3, 2, 4], [3, 2, 4], 1),
        row_of_logits("chunk", "a prompt that is cut, and texts that write", [4, 1, 1, 3], [9, 1, 1, 3], 2),
        row_of_logits("waiting", "a text that waits", [2, 0, 5, 0, 1], [2, 6, 5, 3, 1], 3),
        row_of_logits("finished", "finished texts", [0, 4, 0, 2], [0, 4, 0, 7], 4),
        row_of_logits("unread", "prompts that are not read to the end", [3, 5], [4, 9], 5),
    ),
    checks=(
        Check("whole prompts and chunks", 1, ("whole", "waiting", "chunk", "unread")),
        Check("finished texts", 1, ("finished",)),
    ),
    words={"x": "left"},
    learned="A next token exists only after the last known one. In a packed row, sums say where that is.",
    demands={
        "the likeliest next token of each text": "least-likely-chosen",
        "and −1 for a text that writes none in this step": "zero-for-no-token",
        "Correct it": "left-as-given",
        "A finished text, with 0 tokens left, writes nothing": "finished-text-writes",
    },
    hints=(
        "When does a text have a next token? Compare how many tokens it has computed with how many it had left.",
        "`counts == left` says that all has been read. What does it say of a finished text?",
        "`torch.where((counts > 0) & (counts == left), likeliest, -1)`",
    ),
    wrong=wrongs("""
        left-as-given: faulty
        least-likely-chosen: argmax → argmin
        zero-for-no-token: likeliest, -1) → likeliest, 0)
        row-of-the-next-text: counts.cumsum(dim=0) - 1 → counts.cumsum(dim=0).clamp(max=len(logits) - 1)
        first-row-of-text: counts.cumsum(dim=0) - 1 → counts.cumsum(dim=0) - counts.clamp(min=1)
        counts-not-summed: counts.cumsum(dim=0) - 1 → (counts - 1).clamp(min=0)
        writers-only: (counts > 0) & (counts == left) → (counts == 1) & (counts == left)
        writers-only: (counts > 0) & (counts == left) → counts <= 1
            hint: A text writes when it computes one token at most, so a finished one does as well. It should when all that it had left is computed.
        one-token-early: (counts == left) → (counts == left - 1)
        one-token-early: (counts == left) → (counts >= left - 1)
        missing-tokens-wanted: (counts == left) → (counts < left)
        one-condition-for-all: (counts == left) → (counts == left).all()
        one-condition-for-all: (counts == left) → (counts == left).any()
        row-before-the-last: counts.cumsum(dim=0) - 1 → counts.cumsum(dim=0) - 2
        one-row-for-all: counts.cumsum(dim=0) - 1 → torch.full_like(counts, len(logits) - 1)
        rows-counted-by-left: counts.cumsum(dim=0) - 1 → left.cumsum(dim=0) - 1
        rows-counted-by-left: counts.cumsum(dim=0) - 1 → (left.cumsum(dim=0) - 1).clamp(max=len(logits) - 1)
        logit-for-token: logits[ends].argmax(dim=-1) → logits[ends].max(dim=-1).values
        writers-only-returned: return torch.where( → return (lambda writes, some, none: some[writes])(
        written-to-first-places: return torch.where( → return (lambda writes, some, none: some.new_full(some.shape, none).index_put((torch.arange(int((counts > 0).sum())),), torch.where(writes, some, none)[counts > 0]))(
        written-to-first-places: return torch.where( → return (lambda writes, some, none: some.new_full(some.shape, none).index_put((torch.arange(int(writes.sum())),), some[writes]))(
        unfinished-counts-zeroed: above ends = → counts = counts * (counts == left)
        waiting-text-given-a-row: above ends = → rows = counts.clamp(min=1)
            counts.cumsum(dim=0) - 1 → (rows.cumsum(dim=0) - 1).clamp(max=len(logits) - 1)
        every-text-writes: return torch.where((counts > 0) & (counts == left), likeliest, -1) → return likeliest
        nobody-writes: (counts == left) → (left == 0)
            hint: No text writes at all. `left` is what a text had before this step: it writes if `counts == left`.
        writers-left-out: (counts > 0) & (counts == left) → (counts > 1) & (counts == left)
        condition-turned-round: likeliest, -1) → -1, likeliest)
        all-rows-of-text: = torch.stack([(part.amax(0).argmax() if len(part) and c == l else torch.tensor(-1)) for part, c, l in zip(logits.split(counts.tolist()), counts.tolist(), left.tolist())])
        all-rows-of-text: = torch.stack([(part.sum(0).argmax() if len(part) and c == l else torch.tensor(-1)) for part, c, l in zip(logits.split(counts.tolist()), counts.tolist(), left.tolist())])
        other-mark-for-no-token: likeliest, -1) → likeliest, -100)
        other-mark-for-no-token: likeliest, -1) → likeliest, -2)
        row-of-text-number: counts.cumsum(dim=0) - 1 → torch.arange(len(counts)).clamp(max=len(logits) - 1)
        edits-its-argument: above ends = → left -= counts
            (counts == left) → (left == 0)
        left-as-given: & (counts == left) →
        finished-text-writes: (counts > 0) & →
        first-row-of-text: counts.cumsum(dim=0) - 1 → (counts.cumsum(dim=0) - counts).clamp(max=len(logits) - 1)
        counts-not-summed: counts.cumsum(dim=0) - 1 → counts - 1
        row-of-the-next-text: counts.cumsum(dim=0) - 1 → counts.cumsum(dim=0) % len(logits)
        row-of-the-previous-text: counts.cumsum(dim=0) - 1 → counts.cumsum(dim=0) - counts - 1
        row-of-the-previous-text: counts.cumsum(dim=0) - 1 → (counts.cumsum(dim=0) - counts - 1).clamp(min=0)
        waiting-text-writes: (counts > 0) & (counts == left) → (counts == left) | (counts == 0)
        waiting-text-writes: (counts > 0) & (counts == left) → left > 0
        writers-only: (counts == left) → (left == 1)
        writers-left-out: (counts == left) → (counts == left) & (left > 1)
        sums-compared: (counts == left) → (counts.cumsum(dim=0) == left.cumsum(dim=0))
        """),
    right=rights("""
        loop: body
            chosen, end = [], 0
            for count, waiting in zip(counts.tolist(), left.tolist()):
                end += count
                chosen.append(int(logits[end - 1].argmax()) if count and count == waiting else -1)
            return torch.tensor(chosen)
        mask: return torch.where((counts > 0) & (counts == left), likeliest, -1) → return likeliest.masked_fill((counts == 0) | (counts < left), -1)
        split: body
            pieces = logits.split(counts.tolist())
            return torch.tensor([one[-1].argmax().item() if len(one) and len(one) == waiting else -1 for one, waiting in zip(pieces, left.tolist())])
        """),
)


def served(id, says, lengths, num_new, budget, seed):
    def prompts(generator):
        return torch.randint(11, (sum(lengths),), generator=generator)

    inputs = {
        "step": Specimen("counting-step", {"vocab": 11}),
        "prompts": prompts(torch.Generator().manual_seed(seed)),
        "num_new": torch.tensor(num_new),
        "budget": budget,
    }
    return Probe(
        id,
        says,
        inputs,
        settings={"lists": {"prompts": (0, lengths)}},
        redraw=lambda generator: {"prompts": prompts(generator)},
    )


SERVE = Task(
    id="serve",
    title="Serve",
    name="serve",
    kind="function",
    signature="serve(step, prompts, num_new, budget)",
    axes=("steps", "texts"),
    input_axes={"prompts": ("tokens",), "num_new": ("texts",)},
    dtypes=WHOLE,
    needs=("plan-step", "bug-chunk-end"),
    probes=(
        served("one", "a single text", [4], [5], 16, 1),
        served("together", "three texts with room for all", [3, 5, 2], [4, 4, 4], 32, 2),
        served("lengths", "answers of different lengths", [4, 2, 3, 5], [2, 6, 1, 4], 32, 3),
        served("chunks", "prompts that are longer than the budget", [9, 3, 7], [3, 5, 2], 4, 4),
        served("narrow", "more texts than fit into a step", [2, 1, 3, 2, 4], [3, 4, 2, 5, 1], 3, 5),
        served("late", "a text that begins when the longest answer is written", [1, 12], [5, 4], 3, 6),
    ),
    checks=(
        Check("texts with room for all", 1, ("one", "together")),
        Check("answers of different lengths", 1, ("lengths",)),
        Check("prompts in chunks", 1, ("chunks", "late")),
        Check("more texts than fit into a step", 1, ("narrow",)),
    ),
    words={"x": "prompts"},
    learned="Reading and writing are the same step. A text that is finished leaves, and nobody waits for the longest.",
    demands={
        "writes `num_new[i]` tokens": "longest-answer-for-all",
        "0 for a text that has written all its tokens": "finished-not-left-out",
        "plan with `plan_step`": "budget-not-kept",
        "as many as planned": "chunk-from-the-start",
        "Stop when every text has written all its tokens": "stops-with-the-first",
        "Return one row for each step": "tokens-without-steps",
    },
    hints=(
        "Keep for each text its tokens so far, how many of them are computed, and how many it has written.",
        "`left` is the number of its tokens minus those computed, and 0 where `written` has reached `num_new`.",
        "`pieces = [text[start:end] …]` with `ends = computed + counts`; afterwards `computed = ends` and `written = written + (new >= 0)`.",
    ),
    wrong=wrongs("""
        longest-answer-for-all: texts, rows = list(prompts), [] → texts, rows, num_new = list(prompts), [], num_new.max().expand(len(num_new))
        finished-not-left-out: line left = torch.where →
        budget-not-kept: counts = plan_step(left, budget) → counts = left
        stops-with-the-first: (written < num_new).any() → (written < num_new).all()
        tokens-without-steps: return torch.stack(rows) → return torch.stack([one[one >= 0][: num_new.min()] for one in torch.stack(rows).T], dim=1)
        one-after-the-other: counts = plan_step(left, budget) → first = int((left > 0).nonzero()[0])↵left = torch.where(torch.arange(len(left)) == first, left, 0)↵counts = plan_step(left, budget)
        batch-waits-for-longest: left = torch.where(written < num_new, left, 0) → reading = (written == 0).any()↵left = torch.where(written < num_new, left, 0)↵left = torch.where((written > 0) & reading, 0, left)
        wrong-order-of-pieces: texts, computed, ends)] → texts, computed, ends)][::-1]
        text-begins-again: text[start:end] → text[:end]
        one-answer-too-long: written < num_new →2 written <= num_new
        steps-by-longest-answer: while (written < num_new).any(): → for _ in range(int(num_new.max())):
        reading-steps-without-row: rows.append(new) → rows += [new] if (new >= 0).any() else []
        rows-for-texts: torch.stack(rows) → torch.stack(rows, dim=1)
        idle-pieces-left-out: zip(texts, computed, ends)] → zip(texts, computed, ends) if end > start]
        minus-one-appended: token[token >= 0] → token
        minus-one-appended: token[token >= 0] → token
            written = written + (new >= 0) → written = written + 1
        every-step-counts: written = written + (new >= 0) → written = written + 1
        new-token-not-appended: line texts = [torch.cat →
        computed-not-counted: line computed = ends →
        computed-still-left: [len(text) for text in texts]) - computed → [len(text) for text in texts])
        counts-and-left-exchanged: step(pieces), counts, left → step(pieces), left, counts
        edits-its-argument: texts, rows = list(prompts), [] → texts, rows = prompts, []
            texts = [torch.cat → texts[:] = [torch.cat
        piece-from-the-end: text[start:end] for text, start, end in zip(texts, computed, ends) → text[len(text) - int(count) :] for text, count in zip(texts, counts)
        rest-of-text-computed: text[start:end] → text[start:]
        computed-counts-steps: computed = ends → computed = computed + (counts > 0)
        computed-set-not-added: computed = ends → computed = counts
        read-tokens-counted: written = written + (new >= 0) → written = written + counts
        token-zero-lost: written = written + (new >= 0) → written = written + (new > 0)
        token-zero-lost: token[token >= 0] → token[token > 0]
        token-zero-lost: token[token >= 0] → token[token > 0]
            written = written + (new >= 0) → written = written + (new > 0)
        written-not-counted: written = written + (new >= 0) → written = written + 0
        one-count-for-all: written = written + (new >= 0) → written = written + bool((new >= 0).any())
        finished-one-step-late: torch.where(written < num_new, left, 0) → torch.where(written <= num_new, left, 0)
        left-not-given: step(pieces), counts, left → step(pieces), counts, counts
        budget-used-up: counts = plan_step(left, budget) → counts = plan_step(left, budget)↵budget = max(1, budget - int(counts.sum()))
        budget-for-each-text: counts = plan_step(left, budget) → counts = left.clamp(max=budget)
        stops-with-one-text: (written < num_new).any() → written[0] < num_new[0]
        stops-with-one-text: (written < num_new).any() → written[-1] < num_new[-1]
        stops-with-one-text: (written < num_new).any() → written.max() < num_new.max()
        stops-after-reading: (written < num_new).any() → (computed < torch.tensor([len(p) for p in prompts])).any()
        idle-step-at-the-end: rows.append(new) → rows.append(new)↵if (written >= num_new).all():↵    rows.append(torch.full_like(new, -1))
        step-without-row: return torch.stack(rows) → return torch.stack(rows[1:])
        step-without-row: return torch.stack(rows) → return torch.stack(rows[:-1])
        rows-joined: return torch.stack(rows) → return torch.cat(rows)
        tokens-without-steps: return torch.stack(rows) → longest = int(num_new.max())↵return torch.stack([F.pad(text[len(prompt) :], (0, longest - len(text) + len(prompt)), value=-1) for text, prompt in zip(texts, prompts)])
        old-token-in-row: rows.append(new) → rows.append(torch.stack([text[-1] for text in texts]))
        same-row-each-time: return torch.stack(rows) → return torch.stack([rows[-1]] * len(rows))
        step-called-twice: new = next_tokens(step(pieces), counts, left) → step(pieces)↵new = next_tokens(step(pieces), counts, left)
        new-token-in-front: torch.cat((text, token[token >= 0])) → torch.cat((token[token >= 0], text))
        edits-its-argument: written = written + (new >= 0) → num_new -= (new >= 0).long()
            written < num_new →2 num_new > 0
            hint: The caller's `num_new` was changed. `-=` and methods that end in `_` work in place. Work on a copy.
        one-answer-too-short: above while (written → num_new = num_new - 1
        one-answer-too-long: above while (written → num_new = num_new + 1
        longest-answer-for-all: above while (written → num_new = num_new.max().expand(len(num_new))
        shortest-answer-for-all: above while (written → num_new = num_new.min().expand(len(num_new))
        piece-from-the-end: text[start:end] → text[len(text) - int(end - start) :]
        chunk-from-the-start: text[start:end] → text[: end - start]
        zero-for-no-token: rows.append(new) → rows.append(new.clamp(min=0))
        budget-not-kept: plan_step(left, budget) → plan_step(left, int(left.sum()))
        budget-off-by-one: plan_step(left, budget) → plan_step(left, budget - 1)
        budget-off-by-one: plan_step(left, budget) → plan_step(left, budget + 1)
        one-after-the-other: plan_step(left, budget) → plan_step(left * (torch.arange(len(left)) == int((left > 0).nonzero()[0])), budget)
        old-token-in-row: rows.append(new) → rows.append(torch.where(new < 0, torch.stack([text[-1] for text in texts]), new))
        """),
    right=rights("""
        lists: body
            known = [one.tolist() for one in prompts]
            done, wrote, rows = [0] * len(known), [0] * len(known), []
            while any(a < b for a, b in zip(wrote, num_new.tolist())):
                left = torch.tensor([len(t) - d if w < n else 0 for t, d, w, n in zip(known, done, wrote, num_new.tolist())])
                plan = plan_step(left, budget)
                logits = step([torch.tensor(t[d : d + c], dtype=torch.long) for t, d, c in zip(known, done, plan.tolist())])
                row = next_tokens(logits, plan, left)
                for i, token in enumerate(row.tolist()):
                    done[i] += int(plan[i])
                    if token != -1:
                        known[i].append(token)
                        wrote[i] += 1
                rows.append(row)
            return torch.stack(rows)
        queues: body
            waiting, out = [one for one in prompts], []
            still = num_new.clone()
            while still.sum() > 0:
                left = torch.tensor([len(one) for one in waiting])
                counts = plan_step(left, budget)
                logits = step([one[:c] for one, c in zip(waiting, counts)])
                new = next_tokens(logits, counts, left)
                waiting = [one[c:] for one, c in zip(waiting, counts)]
                for i in range(len(new)):
                    if new[i] >= 0:
                        still[i] -= 1
                        if still[i] > 0:
                            waiting[i] = new[i : i + 1]
                out.append(new)
            return torch.stack(out)
        sums: (written < num_new).any() → written.sum() < num_new.sum()
        """),
)

# ---------------------------------------------------------------------------------------------------- speculation


KEPT = ("none is", "one is", "two are", "three are")


def guessed(id, says, vocab, kept, guesses, seed):
    """Guesses of which so many are kept: random numbers are drawn until it is so, and nothing is a near miss."""

    def drawn_until(generator):
        while True:
            q = torch.softmax(1.2 * torch.randn(guesses, vocab, generator=generator), dim=-1)
            p = torch.softmax(1.2 * torch.randn(guesses + 1, vocab, generator=generator), dim=-1)
            drafts = torch.randint(vocab, (guesses,), generator=generator)
            draws = torch.rand(guesses + 1, generator=generator)
            places = torch.arange(guesses)
            share = p[places, drafts] / q[places, drafts]
            fits = draws[:-1] < share
            missing = (p[:-1] - q).clamp(min=0)
            rows = torch.cat((missing / missing.sum(dim=-1, keepdim=True), p[-1:])).cumsum(dim=-1)
            near = min(float((draws[:-1] - share).abs().min()), float((rows - draws[-1]).abs().min()))
            if int(fits.long().cumprod(dim=0).sum()) == kept and near > 0.02 and draws[-1] > 0.25:
                return {"drafts": drafts, "q": q, "p": p, "draws": draws}

    return Probe(id, says, drawn_until(torch.Generator().manual_seed(seed)), redraw=drawn_until)


SPECULATE = Task(
    id="speculate",
    title="Keep or refuse",
    name="speculate",
    kind="function",
    signature="speculate(drafts, q, p, draws)",
    axes=("kept and one",),
    input_axes={
        "drafts": ("guesses",),
        "q": ("guesses", "vocab"),
        "p": ("guesses + 1", "vocab"),
        "draws": ("guesses + 1",),
    },
    dtypes=WHOLE,
    probes=(
        *(
            guessed(f"all-{seed}", f"{count} guesses that are kept", vocab, count, count, seed)
            for vocab, count, seed in ((5, 2, 1), (5, 3, 2), (5, 4, 3), (9, 2, 11), (8, 3, 12))
        ),
        *(
            guessed(
                f"refused-{seed}",
                f"{guesses} guesses, of which {KEPT[kept]} kept",
                vocab,
                kept,
                guesses,
                seed,
            )
            for vocab, kept, guesses, seed in (
                (6, 0, 2, 4),
                (7, 1, 3, 5),
                (5, 2, 4, 6),
                (8, 0, 3, 7),
                (6, 1, 2, 8),
                (7, 3, 5, 9),
                (6, 0, 4, 10),
                (9, 2, 6, 13),
                (9, 3, 5, 14),
                (7, 2, 5, 26),
            )
        ),
    ),
    checks=(
        Check("guesses that are all kept", 1, tuple(f"all-{seed}" for seed in (1, 2, 3, 11, 12))),
        Check(
            "a guess that is refused",
            3,
            tuple(f"refused-{seed}" for seed in (*range(4, 11), 13, 14, 26)),
        ),
    ),
    words={"x": "p"},
    learned="What is guessed too often is refused, and what is missing is drawn instead. The sum is the target's own.",
    demands={
        "Go through the guesses in order": "all-guesses-tried",
        "Guess $i$ is kept if `draws[i]` is smaller": "share-upside-down",
        "choose a token from what is missing": "redrawn-from-target",
        "one more token comes free": "free-token-lost",
        "from the last row of `p`": "free-token-from-draft-row",
        "Return the kept guesses": "refused-guess-returned",
    },
    hints=(
        "Guess `place` is refused if `draws[place] >= p[place, token] / q[place, token]`.",
        "What is missing: `(p[place] - q[place]).clamp(min=0)`, divided by its sum.",
        "`torch.cat((drafts[:place], pick(…, draws[-1]).view(1)))`, and without a refusal the same with all `drafts` and `p[-1]`.",
    ),
    wrong=wrongs("""
        share-upside-down: p[place, token] / q[place, token]: → q[place, token] / p[place, token]:
        redrawn-from-target: missing = (p[place] - q[place]).clamp(min=0) → missing = p[place]
        redrawn-from-draft: missing = (p[place] - q[place]).clamp(min=0) → missing = q[place]
        missing-turned-round: (p[place] - q[place]) → (q[place] - p[place])
        free-token-lost: return torch.cat((drafts, pick(p[-1], draws[-1]).view(1))) → return drafts
        refused-guess-returned: drafts[:place] → drafts[: place + 1]
        kept-guesses-lost: torch.cat((drafts[:place], instead.view(1))) → instead.view(1)
        likeliest-compared: if draws[place] >= p[place, token] / q[place, token]: → if token != int(p[place].argmax()):
        all-guesses-tried: body
            shares = p[:-1].gather(1, drafts[:, None])[:, 0] / q.gather(1, drafts[:, None])[:, 0]
            kept = drafts[draws[:-1] < shares]
            place = int((draws[:-1] >= shares).long().argmax())
            missing = (p[place] - q[place]).clamp(min=0)
            if len(kept) == len(drafts):
                return torch.cat((drafts, pick(p[-1], draws[-1]).view(1)))
            return torch.cat((kept, pick(missing / missing.sum(), draws[-1]).view(1)))
        first-draw-for-all: if draws[place] >= → if draws[0] >=
        nothing-redrawn: return torch.cat((drafts[:place], instead.view(1))) → return drafts[:place]
        half-is-the-limit: if draws[place] >= p[place, token] / q[place, token]: → if p[place, token] / q[place, token] < 0.5:
        q-not-asked: p[place, token] / q[place, token]: → p[place, token]:
        kept-where-likelier: if draws[place] >= p[place, token] / q[place, token]: → if p[place, token] < q[place, token]:
        refusals-inverted: draws[place] >= → draws[place] <
        row-of-the-next-guess: p[place, token] / → p[place + 1, token] /
        row-of-the-next-guess: (p[place] - → (p[place + 1] -
        row-of-the-next-guess: p[place, token] / → p[place + 1, token] /
            (p[place] - → (p[place + 1] -
        refused-token-removed: missing = (p[place] - q[place]).clamp(min=0) → missing = p[place].clone()↵missing[token] = 0
        negatives-kept: .clamp(min=0) →
        differences-without-sign: .clamp(min=0) → .abs()
        deciding-draw-again: pick(p[-1], draws[-1]) → pick(p[-1], draws[-2])
        deciding-draw-again: draws[-1] →2 draws[-2]
        deciding-draw-again: draws[-1] →2 draws[0]
        likeliest-picked: pick(missing / missing.sum(), draws[-1]) → missing.argmax()
        likeliest-picked: pick(p[-1], draws[-1]) → p[-1].argmax()
        likeliest-picked: pick(missing / missing.sum(), draws[-1]) → missing.argmax()
            pick(p[-1], draws[-1]) → p[-1].argmax()
        fits-counted: body
            share = (p[:-1] / q).gather(1, drafts[:, None]).squeeze(1)
            kept = int((draws[:-1] < share).sum())
            rest = p[kept] if kept == len(drafts) else (p[kept] - q[kept]).clamp(min=0)
            return torch.cat((drafts[:kept], pick(rest / rest.sum(), draws[-1])[None]))
        share-otherwise-combined: p[place, token] / q[place, token]: → q[place, token]:
        share-otherwise-combined: p[place, token] / q[place, token]: → p[place, token] - q[place, token]:
        share-otherwise-combined: p[place, token] / q[place, token]: → p[place, token] * q[place, token]:
        share-otherwise-combined: p[place, token] / q[place, token]: → p[place, token] / (p[place, token] + q[place, token]):
        likeliest-for-guess: p[place, token] / q[place, token]: → p[place].max() / q[place, token]:
        likeliest-for-guess: p[place, token] / q[place, token]: → p[place].max() / q[place].max():
        first-row-for-all: p[place, token] / q[place, token]: → p[place, token] / q[0, token]:
        first-row-for-all: p[place, token] / q[place, token]: → p[0, token] / q[place, token]:
        first-row-for-all: p[place, token] / q[place, token]: → p[0, token] / q[0, token]:
        first-row-for-all: (p[place] - q[place]) → (p[0] - q[0])
        last-row-for-missing: (p[place] - q[place]) → (p[-1] - q[-1])
        last-row-for-missing: (p[place] - q[place]) → (p[-1] - q[place])
        softmax-of-missing: pick(missing / missing.sum(), draws[-1]) → pick(missing.softmax(-1), draws[-1])
        softmax-of-missing: pick(missing / missing.sum(), draws[-1]) → pick((p[place] - q[place]).softmax(-1), draws[-1])
        divided-by-maximum: missing / missing.sum() → missing / missing.max()
        divided-by-maximum: missing / missing.sum() → missing / missing.mean()
        missing-not-normalised: missing / missing.sum() → missing / len(missing)
        ratio-for-difference: missing = (p[place] - q[place]).clamp(min=0) → missing = p[place] / q[place]
        ratio-for-difference: (p[place] - q[place]).clamp(min=0) → (p[place] / q[place]).clamp(max=1)
        all-where-larger: missing = (p[place] - q[place]).clamp(min=0) → missing = torch.where(p[place] > q[place], p[place], 0)
        all-where-larger: missing = (p[place] - q[place]).clamp(min=0) → missing = (p[place] > q[place]).float()
        deciding-draw-again: draws[-1])↵ → draws[place + 1])
        free-token-from-missing: pick(p[-1], draws[-1]) → pick((p[-1] - q[-1]).clamp(min=0) / (p[-1] - q[-1]).clamp(min=0).sum(), draws[-1])
        free-token-after-refusal: torch.cat((drafts[:place], instead.view(1))) → torch.cat((drafts[:place], instead.view(1), pick(p[place + 1], draws[-1]).view(1)))
        free-token-after-refusal: torch.cat((drafts[:place], instead.view(1))) → torch.cat((drafts[:place], instead.view(1), pick(p[-1], draws[-1]).view(1)))
        all-guesses-tried: body
            out = []
            for place, token in enumerate(drafts.tolist()):
                if draws[place] >= p[place, token] / q[place, token]:
                    missing = (p[place] - q[place]).clamp(min=0)
                    token = int(pick(missing / missing.sum(), draws[-1]))
                out.append(token)
            return torch.tensor([*out, int(pick(p[-1], draws[-1]))])
        all-guesses-tried: body
            out = []
            for place, token in enumerate(drafts.tolist()):
                if draws[place] >= p[place, token] / q[place, token]:
                    missing = (p[place] - q[place]).clamp(min=0)
                    token = int(pick(missing / missing.sum(), draws[-1]))
                out.append(token)
            if torch.tensor(out).equal(drafts):
                out.append(int(pick(p[-1], draws[-1])))
            return torch.tensor(out)
        later-guesses-returned: torch.cat((drafts[:place], instead.view(1))) → torch.cat((drafts, instead.view(1)))
        later-guesses-returned: return torch.cat((drafts[:place], instead.view(1))) → new = drafts.clone()↵new[place] = instead↵return new
        later-guesses-returned: torch.cat((drafts[:place], instead.view(1))) → torch.cat((drafts[:-1], instead.view(1)))
        draw-of-next-guess: if draws[place] >= → if draws[place + 1] >=
        last-draw-for-all: if draws[place] >= → if draws[-1] >=
        edits-its-argument: missing = (p[place] - q[place]).clamp(min=0) → missing = p[place].sub_(q[place]).clamp_(min=0)
        missing-not-normalised: / missing.sum() →
        deciding-draw-again: draws[-1])↵ → draws[place])
        deciding-draw-again: draws[-1])↵ → draws[0])
        likeliest-picked: instead = pick(missing / missing.sum(), draws[-1]) → instead = p[place].argmax()
        guess-kept-untested: above if draws[place] → if place == 0:↵    continue
        guess-kept-untested: above if draws[place] → if place == len(drafts) - 1:↵    continue
        only-free-token-returned: torch.cat((drafts, pick(p[-1], draws[-1]).view(1))) → pick(p[-1], draws[-1]).view(1)
        last-kept-guess-lost: drafts[:place] → drafts[: max(place - 1, 0)]
        last-kept-guess-lost: drafts[:place] → drafts[: max(place - 1, 0)]
            torch.cat((drafts, pick → torch.cat((drafts[:-1], pick
        last-row-for-missing: (p[place] - q[place]) → (p[place] - q[-1])
        first-row-for-all: (p[place] - q[place]) → (p[place] - q[0])
        first-row-for-all: (p[place] - q[place]) → (p[0] - q[place])
        redrawn-from-target: (p[place] - q[place]) → (p[place])
        redrawn-from-draft: (p[place] - q[place]) → (q[place])
        free-token-from-draft-row: pick(p[-1], → pick(q[-1],
        free-token-of-one-row-before: pick(p[-1], → pick(p[-2],
        refused-guess-kept: return torch.cat((drafts[:place], instead.view(1))) → return torch.cat((drafts[:place], drafts[place].view(1)))
        row-of-the-previous-guess: (p[place] - q[place]) → (p[place - 1] - q[place - 1])
        row-of-the-previous-guess: (p[place] - q[place]) → (p[max(place - 1, 0)] - q[max(place - 1, 0)])
        row-of-the-previous-guess: p[place, token] / q[place, token] → p[place - 1, token] / q[place - 1, token]
        """),
    right=rights("""
        first-refusal: body
            rows = torch.arange(len(drafts))
            fits = draws[:-1] * q[rows, drafts] < p[rows, drafts]
            kept = int(fits.long().cumprod(dim=0).sum())
            rest = p[kept] if kept == len(drafts) else torch.relu(p[kept] - q[kept])
            return torch.cat((drafts[:kept], pick(rest / rest.sum(), draws[-1])[None]))
        list: body
            out = []
            for i in range(len(drafts)):
                x = int(drafts[i])
                if float(draws[i]) < min(1.0, float(p[i, x] / q[i, x])):
                    out.append(x)
                    continue
                rest = torch.maximum(p[i] - q[i], torch.zeros(()))
                return torch.tensor(out + [int(pick(rest / rest.sum(), draws[-1]))])
            return torch.tensor(out + [int(pick(p[-1], draws[-1]))])
        minimum: missing = (p[place] - q[place]).clamp(min=0) → missing = p[place] - torch.minimum(p[place], q[place])
        """),
)

# ---------------------------------------------------------------------------------------------------------- costs


def stepping(id, says, counts, contexts, parameters, cache_bytes, bandwidth, peak):
    def redraw(generator):
        return {
            "counts": torch.tensor(counts) + 0.0,
            "contexts": torch.tensor([one + whole(generator, 1, 20) for one in contexts]) + 0.0,
            "parameters": parameters * (1 + whole(generator, 1, 9) / 100),
        }

    inputs = {"counts": torch.tensor(counts) + 0.0, "contexts": torch.tensor(contexts) + 0.0}
    rest = {"parameters": parameters, "cache_bytes": cache_bytes, "bandwidth": bandwidth, "peak": peak}
    return Probe(id, says, {**inputs, **rest}, redraw=redraw)


WEIGHTS_EACH = Task(
    id="bug-weights-each",
    title="Find the bug: a batch that gains nothing",
    name="step_seconds",
    kind="function",
    signature="step_seconds(counts, contexts, parameters, cache_bytes, bandwidth, peak)",
    axes=(),
    input_axes={"counts": ("texts",), "contexts": ("texts",)},
    number=True,
    probes=(
        stepping("one", "one text that writes", [1], [120], 900.0, 3.0, 40.0, 7000.0),
        stepping(
            "moves",
            "five texts that write",
            [1, 1, 1, 1, 1],
            [80, 200, 35, 90, 150],
            1000.0,
            2.0,
            50.0,
            9000.0,
        ),
        stepping("computes", "three prompts", [40, 60, 25], [40, 60, 25], 700.0, 4.0, 90.0, 3000.0),
        stepping(
            "mixed",
            "a chunk, and texts that write",
            [30, 1, 1, 1],
            [30, 400, 10, 250],
            500.0,
            5.0,
            30.0,
            400.0,
        ),
        stepping("slow", "a chunk and a prompt", [3, 2], [9, 2], 400.0, 1.0, 1000.0, 50.0),
        # Only with weights for each text would moving take longer here than computing.
        stepping(
            "chunks", "four chunks of prompts", [9, 14, 6, 11], [30, 14, 25, 11], 800.0, 1.0, 60.0, 900.0
        ),
    ),
    checks=(
        Check("texts that write", 1, ("one", "moves", "mixed")),
        Check("prompts", 1, ("computes", "slow", "chunks")),
    ),
    words={"x": "contexts"},
    learned="Batching pays because the weights are read once. It ends where computing or the caches take longer.",
    demands={
        "once for the step": "left-as-given",
        "the cache of each text that takes part": "caches-not-read",
        "for each parameter and token": "operations-by-texts",
        "the longer of the two": "times-added",
    },
    hints=(
        "What is added up over the texts, and what is the same for all of them? Look at the parentheses.",
        "Only `contexts * cache_bytes` belongs to each text. The weights are moved once.",
        "`moved = weights + (contexts * cache_bytes).sum()`",
    ),
    wrong=wrongs("""
        left-as-given: faulty
        caches-not-read: moved = weights + (contexts * cache_bytes).sum() → moved = torch.tensor(weights)
        shorter-time-decides: max(moved → min(moved
        operations-by-texts: counts.sum() → len(counts)
            max(moved / bandwidth, operations / peak) → max(moved / bandwidth, torch.tensor(operations / peak))
        caches-averaged: (contexts * cache_bytes).sum() → (contexts * cache_bytes).mean()
        longest-context-for-all: (contexts * cache_bytes).sum() → len(contexts) * contexts.max() * cache_bytes
        one-byte-a-parameter: weights = 2 * parameters → weights = parameters
        weights-for-each-token: weights + → weights * counts.sum() +
        weights-shared-out: weights + → weights / counts.sum() +
        weights-shared-out: weights + (contexts * cache_bytes).sum() → (weights / counts.sum() + contexts * cache_bytes).sum()
        cache-for-each-token: contexts * cache_bytes → contexts * counts * cache_bytes
        one-cache-only: (contexts * cache_bytes).sum() → contexts.max() * cache_bytes
        one-cache-only: (contexts * cache_bytes).sum() → contexts[0] * cache_bytes
        one-cache-only: (contexts * cache_bytes).sum() → contexts[-1] * cache_bytes
        one-operation-a-parameter: operations = 2 * parameters → operations = parameters
        operations-by-contexts: counts.sum() → contexts.sum()
        operations-for-one-token: * counts.sum() →
            max(moved / bandwidth, operations / peak) → max(moved / bandwidth, torch.tensor(operations / peak))
        bandwidth-and-peak-exchanged: moved / bandwidth, operations / peak → moved / peak, operations / bandwidth
        weights-more-than-once: weights + → weights * counts.max() +
        weights-more-than-once: weights + → weights * counts.mean() +
        weights-shared-out: weights + → weights / len(counts) +
            hint: The weights are divided by the number of texts. A step reads all of them, once.
        contexts-changed-by-new: contexts * cache_bytes → (contexts + counts) * cache_bytes
        contexts-changed-by-new: contexts * cache_bytes → (contexts - counts) * cache_bytes
        caches-counted-twice: (contexts * cache_bytes).sum() → 2 * (contexts * cache_bytes).sum()
        other-bytes-a-parameter: weights = 2 * parameters → weights = 4 * parameters
        other-bytes-a-parameter: weights = 2 * parameters → weights = 16 * parameters
        operations-not-added: counts.sum() → counts.max()
        operations-not-added: counts.sum() → counts.mean()
        operations-by-contexts: counts.sum() → (counts * contexts).sum()
        other-operations-a-parameter: operations = 2 * parameters → operations = 4 * parameters
        other-operations-a-parameter: operations = 2 * parameters → operations = 6 * parameters
        one-time-only: max(moved / bandwidth, operations / peak) → moved / bandwidth
        one-time-only: max(moved / bandwidth, operations / peak) → operations / peak
        multiplied-by-rate: max(moved / bandwidth, operations / peak) → max(moved * bandwidth, operations * peak)
        one-rate-for-both: max(moved / bandwidth, operations / peak) → max(moved / peak, operations / peak)
        one-rate-for-both: max(moved / bandwidth, operations / peak) → max(moved / bandwidth, operations / bandwidth)
        each-text-alone: return max(moved / bandwidth, operations / peak) → return torch.maximum((weights + contexts * cache_bytes) / bandwidth, 2 * parameters * counts / peak).max()
        each-text-alone: return max(moved / bandwidth, operations / peak) → return torch.maximum((weights + contexts * cache_bytes) / bandwidth, 2 * parameters * counts / peak).sum()
        edits-its-argument: (contexts * cache_bytes).sum() → contexts.mul_(cache_bytes).sum()
        left-as-given: weights + ( → (weights +
        operations-by-texts: counts.sum() → len(counts)
        operations-for-one-token: * counts.sum() →
        caches-not-read: + (contexts * cache_bytes).sum() →
        weights-not-read: weights + ( → (
        times-added: max(moved → (moved
            bandwidth, operations → bandwidth + operations
        operations-by-contexts: counts.sum() → (counts + contexts).sum()
        time-shared-out: / peak) → / peak) / counts.sum()
        time-shared-out: / peak) → / peak) / len(counts)
        caches-by-new-tokens: contexts * → counts *
        cache-bytes-forgotten: contexts * cache_bytes → contexts
        caches-counted-twice: contexts * cache_bytes → 2 * contexts * cache_bytes
        one-cache-only: (contexts * cache_bytes).sum() → contexts.min() * cache_bytes
        times-averaged: return max(moved / bandwidth, operations / peak) → return (moved / bandwidth + operations / peak) / 2
        attention-operations-added: operations = 2 * parameters * counts.sum() → operations = 2 * (parameters * counts.sum() + (counts * contexts).sum())
        """),
    right=rights("""
        dot: (contexts * cache_bytes).sum() → contexts.sum() * cache_bytes
        maximum: return max(moved / bandwidth, operations / peak) → return torch.maximum(moved / bandwidth, operations / peak)
        number: return max(moved / bandwidth, operations / peak) → return float(max(moved / bandwidth, operations / peak))
        """),
)

LESSON = Lesson(
    title="14 · Serve it",
    given_axes={},
    redraw=lambda generator: {},
    tasks=(
        *(FIND_SLOTS, READ_BLOCKS, PAGED_CACHE, SHARED_CACHE, PACKED_ATTENTION),
        *(PLAN_STEP, CHUNK_END, SERVE, SPECULATE, WEIGHTS_EACH),
    ),
)
