"""The tasks of lesson 13: their probes, the wrong answers people give, and the hint each deserves."""

from dataclasses import replace

import torch
from autograder.author.authoring import Check, Lesson, Probe, Specimen, Task, rights, wrongs

HEADS = ("b", "heads", "tokens", "head_dim")
READ = ("b", "heads", "tokens", "value_dim")


def drawn(*shape, seed):
    """Random numbers of a shape, the same on every build."""
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def whole(generator, low, high):
    """A whole number from low to high, both included."""
    return int(torch.randint(low, high + 1, (1,), generator=generator))


# ----------------------------------------------------------------------------------------------------- windows


def window(id, says, num_queries, num_keys, window, num_sinks=None):
    names = ("num_queries", "num_keys", "window")
    inputs = dict(zip(names, (num_queries, num_keys, window), strict=True))
    inputs |= {} if num_sinks is None else {"num_sinks": num_sinks}

    def redraw(generator):
        """Other sizes, with as much room between them as before."""
        more = whole(generator, 1, 5)
        moved = {"num_keys": num_keys + more, "num_queries": num_queries}
        return moved if num_queries < num_keys else moved | {"num_queries": num_keys + more}

    return Probe(id, says, inputs, redraw=redraw)


WINDOW_MASK = Task(
    id="window-mask",
    title="A window",
    name="window_mask",
    kind="function",
    signature="window_mask(num_queries, num_keys, window, num_sinks=0)",
    axes=("queries", "keys"),
    dtypes=("bool",),
    probes=(
        window("whole", "seven tokens and a window of 3", 7, 7, 3),
        window("cached", "two new queries, nine keys and a window of 4", 2, 9, 4),
        window("sinks", "eight tokens, a window of 3 and two sinks", 8, 8, 3, 2),
        window("cached-sinks", "three new queries, ten keys, a window of 2 and three sinks", 3, 10, 2, 3),
        window("wide", "five tokens and a window of 20", 5, 5, 20),
        window("itself", "six tokens and a window of 1", 6, 6, 1),
    ),
    checks=(
        Check("a window", 1, ("whole", "wide", "itself")),
        Check("new queries and a cache", 1, ("cached", "whole")),
        Check("sinks", 1, ("sinks", "cached-sinks", "whole")),
    ),
    learned="A window is two comparisons of one distance. With a cache, only the place of the first query changes.",
    demands={
        "which is True where a key is **hidden**": "mask-polarity",
        "The queries are the **last** ones of `num_keys` tokens": "queries-from-the-start",
        "A window counts the token itself": "window-one-too-wide",
        "The first `num_sinks` tokens are never too far away": "sinks-not-kept",
        "but the future stays hidden": "future-sinks-visible",
    },
    hints=(
        "Make the positions of the queries, `torch.arange(num_keys - num_queries, num_keys)`, and those of the keys.",
        "`distance = queries[:, None] - keys` is (queries, keys). What is below 0 is the future.",
        "Hidden is `distance < 0`, and `(distance >= window) & (keys >= num_sinks)`.",
    ),
    wrong=wrongs("""
        window-one-too-wide: distance >= window → distance > window
        window-one-too-narrow: distance >= window → distance >= window - 1
        queries-from-the-start: torch.arange(num_keys - num_queries, num_keys) → torch.arange(num_queries)
        sinks-not-kept: & (keys >= num_sinks) →
        one-sink-too-many: keys >= num_sinks → keys > num_sinks
        future-sinks-visible: return too_far | (distance < 0) → return (too_far | (distance < 0)) & (keys >= num_sinks)
        future-visible: return too_far | (distance < 0) → return too_far
            hint: The future is visible. Hide the keys that come after the query, too.
        mask-polarity: return too_far | (distance < 0) → return ~(too_far | (distance < 0))
            hint: True marks what is visible here. The task wants True where a key is hidden.
        not-boolean: return too_far | (distance < 0) → return (too_far | (distance < 0)).float()
            hint: The result consists of numbers. The task asks for True and False.
        transposed-result: return too_far | (distance < 0) → return (too_far | (distance < 0)).T
        """),
    right=rights("""
        triangles: body
            whole = torch.ones(num_keys, num_keys, dtype=torch.bool)
            far = whole.tril(-window)
            far[:, :num_sinks] = False
            return (far | whole.triu(1))[num_keys - num_queries :]
        loops: body
            hidden = torch.zeros(num_queries, num_keys, dtype=torch.bool)
            for row in range(num_queries):
                place = num_keys - num_queries + row
                for key in range(num_keys):
                    hidden[row, key] = key > place or (place - key >= window and key >= num_sinks)
            return hidden
        visible: return too_far | (distance < 0) → return ~((distance >= 0) & ((distance < window) | (keys < num_sinks)))
        """),
)

RING = ("batch_size", "num_heads", "window", "head_dim")
STORED = ("batch_size", "num_heads", "tokens", "head_dim")


def ringed(id, says, shape, room, seed, sizes=None, **more):
    """Keys and values that come at once, or in pieces of some sizes."""
    construct = dict(zip(RING, (shape[0], shape[1], room, shape[3]), strict=True))
    inputs = {"keys": drawn(*shape, seed=seed), "values": drawn(*shape, seed=seed + 1)}
    settings = {"method": "append", "stacked": True}
    if sizes:
        more["observe"] = "steps"
        # Keys and values, and a little more for places.
        held = 5 * shape[0] * shape[1] * room * shape[3] // 2
        settings |= {"axis": 2, "sizes": sizes, "counts": "num_tokens", "room": "keys", "held": held}
    return Probe(id, says, inputs, construct=construct, settings=settings, **more)


RING_CACHE = Task(
    id="ring-cache",
    title="A ring for keys and values",
    name="RingCache",
    kind="class",
    signature="RingCache(batch_size, num_heads, window, head_dim).append(keys, values)",
    axes=("keys or values", "batch_size", "num_heads", "slots", "head_dim"),
    input_axes={"keys": STORED, "values": STORED},
    probes=(
        ringed("prompt", "three tokens and a window of 5", (2, 4, 3, 6), 5, 1),
        ringed("long", "nine tokens and a window of 4", (3, 2, 9, 5), 4, 3),
        ringed(
            "steps", "two tokens, then one at a time, and a window of 4", (2, 3, 8, 5), 4, 5, [2, *[1] * 6]
        ),
        ringed(
            "pieces", "pieces of three, six and two tokens and a window of 5", (3, 2, 11, 4), 5, 7, [3, 6, 2]
        ),
    ),
    checks=(
        Check("a prompt at once", 2, ("prompt", "long")),
        Check("step by step", 2, ("steps", "pieces", "prompt")),
    ),
    learned="A ring needs no order and no more room than the window: each token knows its slot.",
    demands={
        "and keep nothing else": "kept-twice",
        "even more than `window`": "start-of-piece-kept",
        "goes into slot $t \\bmod \\text{window}$": "slots-from-zero",
        "`num_tokens` counts all tokens so far": "count-stops-at-window",
        "of the slots that have been filled": "empty-slots-returned",
        "in the order of the slots": "slots-put-in-order",
        "in memory that never grows": "memory-grows-with-text",
    },
    hints=(
        "The new tokens are at the positions `torch.arange(self.num_tokens, self.num_tokens + keys.shape[2])`.",
        "Of these only the last `window` matter. Their slots are `positions[-self.window :] % self.window`.",
        "`self.keys[:, :, slots] = keys[:, :, -self.window :]`. Filled are `min(self.num_tokens, self.window)` slots.",
    ),
    wrong=wrongs("""
        kept-twice: self.num_tokens = end → self.num_tokens = end↵self.all = [*getattr(self, "all", []), keys, values]
        ring-of-another-size: [-self.window :] % self.window → [-self.window :] % (self.window - 1)
        slots-from-zero: torch.arange(self.num_tokens, end) → torch.arange(keys.shape[2])
        slots-from-zero: torch.arange(self.num_tokens, end)[-self.window :] % self.window → torch.arange(min(keys.shape[2], self.window))
        slots-of-the-first: [-self.window :] % self.window → [: self.window] % self.window
        slots-counted-backwards: [-self.window :] % self.window → [-self.window :] % self.window * -1 % self.window
        start-of-piece-kept: = keys[:, :, -self.window :] → = keys[:, :, : self.window]
            = values[:, :, -self.window :] → = values[:, :, : self.window]
        empty-slots-returned: min(end, self.window) → self.window
        filled-before-stored: min(end, self.window) → min(end - keys.shape[2], self.window)
        ring-not-advanced: self.num_tokens = end → pass
        count-stops-at-window: self.num_tokens = end → self.num_tokens = min(end, self.window)
        count-stops-at-window: body append
            for t in range(keys.shape[2]):
                slot = self.num_tokens % self.window
                self.keys[:, :, slot], self.values[:, :, slot] = keys[:, :, t], values[:, :, t]
                self.num_tokens = min(self.num_tokens + 1, self.window)
            return self.keys[:, :, : self.num_tokens], self.values[:, :, : self.num_tokens]
        keys-as-values: = values[:, :, -self.window :] → = keys[:, :, -self.window :]
            hint: The keys take the place of the values.
        ring-returns-new-only: return self.keys[:, :, :filled], self.values[:, :, :filled] → return keys[:, :, -self.window :], values[:, :, -self.window :]
        slots-put-in-order: return self.keys[:, :, :filled], self.values[:, :, :filled] → order = torch.arange(end - filled, end) % self.window↵return self.keys[:, :, order], self.values[:, :, order]
        slots-put-in-order: body append
            self.keys = torch.cat((self.keys[:, :, : min(self.num_tokens, self.window)], keys), dim=2)[:, :, -self.window :]
            self.values = torch.cat((self.values[:, :, : min(self.num_tokens, self.window)], values), dim=2)[:, :, -self.window :]
            self.num_tokens += keys.shape[2]
            return self.keys, self.values
        memory-grows-with-text: body append
            kept = self.keys if self.num_tokens else self.keys[:, :, :0], self.values if self.num_tokens else self.values[:, :, :0]
            self.keys, self.values = (torch.cat((old, new), dim=2) for old, new in zip(kept, (keys, values)))
            self.num_tokens += keys.shape[2]
            filled = min(self.num_tokens, self.window)
            tokens = torch.arange(self.num_tokens - filled, self.num_tokens)
            tokens = tokens[(tokens % self.window).argsort()]
            return self.keys[:, :, tokens], self.values[:, :, tokens]
        returns-nothing: return self.keys[:, :, :filled], self.values[:, :, :filled] → pass
        """),
    right=rights("""
        one-by-one: body append
            for new in range(keys.shape[2]):
                slot = self.num_tokens % self.window
                self.keys[:, :, slot] = keys[:, :, new]
                self.values[:, :, slot] = values[:, :, new]
                self.num_tokens += 1
            return self.keys[:, :, : self.num_tokens], self.values[:, :, : self.num_tokens]
        stacked: return self.keys[:, :, :filled], self.values[:, :, :filled] → return torch.stack((self.keys, self.values))[:, :, :, :filled]
        index-copy: self.keys[:, :, slots] = keys[:, :, -self.window :] → self.keys.index_copy_(2, slots, keys[:, :, -self.window :])
            self.values[:, :, slots] = values[:, :, -self.window :] → self.values.index_copy_(2, slots, values[:, :, -self.window :])
        """),
)


def layered(id, says, num_tokens, windows):
    def redraw(generator):
        return {"num_tokens": num_tokens + whole(generator, 1, 6), "windows": torch.tensor(windows)}

    return Probe(id, says, {"num_tokens": num_tokens, "windows": torch.tensor(windows)}, redraw=redraw)


REACH = Task(
    id="reach",
    title="How far does information travel?",
    name="reach",
    kind="function",
    signature="reach(num_tokens, windows)",
    axes=("tokens", "tokens"),
    input_axes={"windows": ("layers",)},
    dtypes=("bool",),
    needs=("window-mask",),
    probes=(
        layered("two", "twelve tokens and two layers", 12, [3, 4]),
        layered("three", "fifteen tokens and three layers", 15, [2, 5, 3]),
        layered("one", "nine tokens and one layer", 9, [4]),
        layered("whole", "ten tokens and a layer without a window", 10, [2, 0, 3]),
        layered("itself", "eight tokens and layers with a window of 1", 8, [1, 1]),
        layered("deep", "twenty tokens and twelve layers", 20, [4] * 12),
    ),
    checks=(
        Check("layers with a window", 2, ("two", "three", "one", "itself", "deep")),
        Check("a layer without one", 1, ("whole", "two")),
    ),
    learned="Each layer carries information `window - 1` tokens further. One layer without a window is enough to reach everything.",
    demands={
        "the output of the last layer at position $i$": "last-layer-only",
        "can depend on the input at position $j$": "transposed-result",
        "0 is a layer without a window": "windowless-layer-blind",
        "True where information arrives": "not-boolean",
    },
    hints=(
        "Begin with `torch.eye(num_tokens)`: before the first layer each position knows itself.",
        "After a layer, position i knows what all the positions that it sees knew before: a matrix product, `visible.float() @ arrives`.",
        "After each product only `> 0` matters. A window of 0 becomes `num_tokens`. End with `.bool()`.",
    ),
    wrong=wrongs("""
        last-layer-only: arrives = (visible.float() @ arrives > 0).float() → arrives = visible.float()
        first-layer-only: in windows.tolist(): → in windows.tolist()[:1]:
        first-layer-twice: in windows.tolist(): → in windows.tolist()[:1] + windows.tolist():
        widest-window-only: in windows.tolist(): → in [0 if 0 in windows.tolist() else max(windows.tolist())]:
        future-visible: return arrives.bool() → return arrives.bool() | arrives.bool().T
            hint: A later token reaches an earlier one here. Information only moves forward.
        whole-window-per-layer: window if window else num_tokens → window + 1 if window else num_tokens
        windowless-layer-blind: window if window else num_tokens → window
        future-without-window: ~window_mask(num_tokens, num_tokens, window if window else num_tokens) → ~window_mask(num_tokens, num_tokens, window) if window else torch.ones(num_tokens, num_tokens, dtype=torch.bool)
        hidden-for-visible: visible = ~window_mask → visible = window_mask
        not-boolean: return arrives.bool() → return arrives
        transposed-result: return arrives.bool() → return arrives.bool().T
        """),
    right=rights("""
        closed: body
            distance = torch.arange(num_tokens)[:, None] - torch.arange(num_tokens)
            far = num_tokens if 0 in windows.tolist() else int((windows - 1).sum())
            return (distance >= 0) & (distance <= far)
        gradients: body
            arrives = torch.eye(num_tokens, dtype=torch.bool)
            for window in windows.tolist():
                hidden = window_mask(num_tokens, num_tokens, window or num_tokens)
                arrives = torch.stack([arrives[~row].any(dim=0) for row in hidden])
            return arrives
        integers: visible.float() @ arrives > 0 → visible.double() @ arrives.double() > 0
        """),
)


def sinking(id, says, shape, groups, window, seed, sinks=2.0, **more):
    b, heads, tokens, head_dim = shape
    inputs = {
        "queries": 2 * drawn(*shape, seed=seed),
        "keys": drawn(b, groups, tokens, head_dim, seed=seed + 1),
        "values": drawn(b, groups, tokens, head_dim, seed=seed + 2),
        "sinks": sinks * drawn(heads, seed=seed + 3),
        "window": window,
    }
    return Probe(id, says, inputs, **more)


SINK_ATTENTION = Task(
    id="sink-attention",
    title="Attention with sinks",
    name="sink_attention",
    kind="function",
    signature="sink_attention(queries, keys, values, sinks, window)",
    axes=HEADS,
    input_axes={
        "queries": HEADS,
        "keys": ("b", "groups", "tokens", "head_dim"),
        "values": ("b", "groups", "tokens", "head_dim"),
        "sinks": ("heads",),
    },
    needs=("window-mask",),
    probes=(
        sinking("groups", "six heads in two groups and a window of 3", (2, 6, 7, 4), 2, 3, 1),
        sinking("heads", "as many groups as heads and a window of 4", (2, 3, 8, 5), 3, 4, 11),
        sinking("wide", "a window that is longer than the text", (3, 4, 5, 6), 2, 9, 21),
        sinking("double", "float64", (2, 4, 6, 5), 2, 2, 31, dtype="float64"),
        sinking("large", "large sinks", (2, 4, 6, 3), 1, 3, 41, sinks=60.0),
    ),
    checks=(
        Check("sinks", 3, ("heads", "wide", "double", "large")),
        Check("heads that share keys and values", 2, ("groups", "heads")),
    ),
    words={"width": "√head_dim", "swap": "keys.mT"},
    learned="A sink lets a head look at nothing: it takes part in the softmax, and brings no value.",
    demands={
        "Neighbouring query heads share a head of keys and values": "groups-taken-in-turn",
        "Divide by √head_dim": "no-scale",
        "hide with `window_mask`": "window-not-used",
        "Head h's sink, `sinks[h]`": "one-sink-for-all-heads",
        "as it is, not scaled": "sink-scaled",
        "**nothing is normalised again**": "sink-without-effect",
    },
    hints=(
        "`keys.repeat_interleave(sharing, dim=1)` gives each query head its keys. Scale, then mask.",
        "`sinks.view(-1, 1, 1).expand(b, num_heads, num_tokens, 1)` is one more column for the scores.",
        "`torch.cat((scores, sink), dim=-1)`, then softmax, then `weights[..., :-1] @ values`.",
    ),
    wrong=wrongs("""
        no-scale: / head_dim**0.5 →
        sink-scaled: torch.cat((scores, sink), dim=-1) → torch.cat((scores, sink / head_dim**0.5), dim=-1)
        sink-without-effect: weights[..., :-1] @ values → weights[..., :-1] / weights[..., :-1].sum(dim=-1, keepdim=True) @ values
        sink-without-effect: torch.cat((scores, sink), dim=-1) → scores + sink
            weights[..., :-1] @ values → weights @ values
        wrong-column-dropped: torch.cat((scores, sink), dim=-1) → torch.cat((sink, scores), dim=-1)
        sink-given-a-value: weights[..., :-1] @ values → weights[..., :-1] @ values + weights[..., -1:] * values[:, :, :1]
        one-sink-for-all-heads: sinks.view(-1, 1, 1) → sinks[:1].view(-1, 1, 1)
        sink-subtracted: torch.cat((scores, sink), dim=-1) → torch.cat((scores, -sink), dim=-1)
        sink-behind-the-softmax: torch.softmax(torch.cat((scores, sink), dim=-1), dim=-1) → torch.softmax(scores, dim=-1) * sink.sigmoid()
            weights[..., :-1] @ values → weights @ values
        window-one-too-wide: window_mask(num_tokens, num_tokens, window) → window_mask(num_tokens, num_tokens, window + 1)
        window-not-used: window_mask(num_tokens, num_tokens, window) → window_mask(num_tokens, num_tokens, num_tokens)
        sinks-taken-for-tokens: window_mask(num_tokens, num_tokens, window) → window_mask(num_tokens, num_tokens, window, len(sinks))
        groups-taken-in-turn: keys.repeat_interleave(sharing, dim=1) → keys.repeat(1, sharing, 1, 1)
            values.repeat_interleave(sharing, dim=1) → values.repeat(1, sharing, 1, 1)
        keys-as-values: values = values.repeat → values = keys + 0 * values.repeat
            hint: The weights are multiplied by the keys. They belong to the values.
        """),
    right=rights("""
        value-of-zeros: return weights[..., :-1] @ values → return weights @ torch.cat((values, torch.zeros_like(values[:, :, :1])), dim=2)
        by-hand: body
            b, heads, n, d = queries.shape
            k, v = (one.unsqueeze(2).expand(-1, -1, heads // keys.shape[1], -1, -1).flatten(1, 2) for one in (keys, values))
            scores = (queries @ k.transpose(-2, -1) / d**0.5).masked_fill(window_mask(n, n, window), float("-inf"))
            top = torch.maximum(scores.amax(dim=-1, keepdim=True), sinks[:, None, None])
            shares = (scores - top).exp()
            return shares @ v / (shares.sum(dim=-1, keepdim=True) + (sinks[:, None, None] - top).exp())
        lowest: window), -torch.inf) → window), torch.finfo(scores.dtype).min)
        """),
)

# ------------------------------------------------------------------------------------------------------ latent

SIZES = ("d_model", "num_heads", "latent_dim", "head_dim", "rope_dim", "value_dim", "base", "eps")


def latent(id, says, shape, sizes, seed, **more):
    construct = dict(zip(SIZES, sizes, strict=False))
    weights = {"latent_norm.weight": 1 + 0.5 * drawn(sizes[2], seed=seed + 9)}
    x = 2 * drawn(*shape, seed=seed)
    return Probe(id, says, {"x": x}, construct=construct, seed=seed, weights=weights, **more)


LATENT_ATTENTION = Task(
    id="latent-attention",
    title="Latent attention",
    name="LatentAttention",
    kind="module",
    signature="LatentAttention(d_model, num_heads, latent_dim, head_dim, rope_dim, value_dim, base=10000.0, eps=1e-6)",
    axes=("b", "tokens", "d_model"),
    input_axes={"x": ("b", "tokens", "d_model")},
    probes=(
        latent("first", "three heads", (2, 5, 11), (11, 3, 7, 8, 6, 9), 1),
        latent("base", "a base of 20", (3, 6, 10), (10, 2, 9, 6, 8, 5, 20.0), 2),
        latent("eps", "an epsilon of 0.5", (2, 4, 9), (9, 4, 6, 4, 2, 7, 300.0, 0.5), 3),
        latent("one-token", "a single token", (3, 1, 11), (11, 3, 7, 8, 6, 9), 4),
        latent(
            "look-ahead",
            "texts with one token changed at a time",
            (2, 5, 11),
            (11, 3, 7, 8, 6, 9),
            5,
            observe="influence",
            settings={"input": "x", "axis": -2},
        ),
        latent("double", "a module and inputs of float64", (2, 5, 7), (7, 2, 5, 4, 6, 3), 6, dtype="float64"),
    ),
    checks=(
        Check("latent attention", 4, ("first", "one-token", "look-ahead", "double")),
        Check("another base and another epsilon", 2, ("base", "eps")),
    ),
    words={"width": "√(head_dim + rope_dim)", "swap": "keys.mT"},
    learned="All heads make their keys and values from one short vector. The position has a part of its own, shared by all heads.",
    demands={
        ", causal": "no-mask",
        "in each head the first `head_dim` numbers stay as they are": "rotated-part-first",
        "the rest is rotated": "rotated-part-not-rotated",
        "the latent is kept **normalised**": "latent-not-normalised",
        "and values of all heads, from the latent": "raw-latent-for-values",
        "from all heads to d_model": "no-out-proj",
        "Divide the scores as the formula does": "scale-without-rotated-part",
        "rotate with `base`": "base-not-passed-on",
    },
    hints=(
        "`queries.split((self.head_dim, self.rope_dim), dim=-1)` gives the two parts of all heads.",
        "`latents = self.latent_norm(self.W_latent(x))`; keys and values of each head come from it. The rotated key is (b, 1, tokens, rope_dim): `[:, None]` adds the axis of the heads.",
        "Add both scores, then divide by the root of head_dim + rope_dim. Mask, softmax, values, merge, `out_proj`.",
    ),
    wrong=wrongs("""
        latent-not-normalised: self.latent_norm(self.W_latent(x)) → self.W_latent(x)
        raw-latent-for-values: self.W_value(latents) → self.W_value(self.W_latent(x))
        scale-without-rotated-part: (self.head_dim + self.rope_dim) ** 0.5 → self.head_dim**0.5
        each-part-scaled-alone: plain @ keys.mT + turned @ rope_keys.mT → plain @ keys.mT / self.head_dim**0.5 + turned @ rope_keys.mT / self.rope_dim**0.5
            scores = scores / (self.head_dim + self.rope_dim) ** 0.5 → pass
        no-scale: scores = scores / (self.head_dim + self.rope_dim) ** 0.5 → pass
        no-mask: scores.masked_fill(hidden, -torch.inf) → scores
            hint: Nothing is hidden, so every token sees the whole text. Fill the future with `-torch.inf`.
        rotated-part-not-rotated: turned = apply_rope(turned, positions, self.base) → pass
            apply_rope(self.W_rope_key(x), positions, self.base)[:, None] → self.W_rope_key(x)[:, None]
        rope-keys-not-rotated: apply_rope(self.W_rope_key(x), positions, self.base)[:, None] → self.W_rope_key(x)[:, None]
        rotated-part-first: plain, turned = queries.split((self.head_dim, self.rope_dim), dim=-1) → turned, plain = queries.split((self.rope_dim, self.head_dim), dim=-1)
        latent-keys-rotated: plain @ keys.mT → apply_rope(plain, positions, self.base) @ apply_rope(keys, positions, self.base).mT
        rotated-score-left-out: plain @ keys.mT + turned @ rope_keys.mT → plain @ keys.mT
        base-not-passed-on: positions, self.base) →2 positions)
        base-not-passed-on: apply_rope(turned, positions, self.base) → apply_rope(turned, positions)
        base-not-passed-on: apply_rope(self.W_rope_key(x), positions, self.base) → apply_rope(self.W_rope_key(x), positions)
        eps-not-passed-on: RMSNorm(latent_dim, eps) → RMSNorm(latent_dim)
            hint: `latent_norm` has an epsilon of its own. Pass `eps` on.
        split-without-transpose: .view(b, num_tokens, self.num_heads, -1).transpose(1, 2) →3 .view(b, self.num_heads, num_tokens, -1)
        merge-without-transpose: context.transpose(1, 2).reshape → context.reshape
        no-out-proj: return self.out_proj(context.transpose(1, 2).reshape(b, num_tokens, -1)) → return context.transpose(1, 2).reshape(b, num_tokens, -1)
        """),
    right=rights("""
        joined: body forward
            b, n, _ = x.shape
            at = torch.arange(n, device=x.device)
            q = self.W_query(x).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
            c = self.latent_norm(self.W_latent(x))
            k, v = (layer(c).unflatten(-1, (self.num_heads, -1)).transpose(1, 2) for layer in (self.W_key, self.W_value))
            r = apply_rope(self.W_rope_key(x), at, self.base)[:, None].expand(-1, self.num_heads, -1, -1)
            q = torch.cat((q[..., : self.head_dim], apply_rope(q[..., self.head_dim :], at, self.base)), dim=-1)
            k = torch.cat((k, r), dim=-1)
            mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True)
            return self.out_proj(mixed.transpose(1, 2).flatten(2))
        lowest: scores.masked_fill(hidden, -torch.inf) → scores.masked_fill(hidden, torch.finfo(scores.dtype).min)
        flatten: context.transpose(1, 2).reshape(b, num_tokens, -1) → context.transpose(1, 2).flatten(2)
        """),
)


def absorbed(id, says, b, heads, new, tokens, dims, seed, **more):
    head_dim, rope_dim, latent_dim, value_dim = dims
    inputs = {
        "queries": drawn(b, heads, new, head_dim, seed=seed),
        "rope_queries": drawn(b, heads, new, rope_dim, seed=seed + 1),
        "latents": drawn(b, tokens, latent_dim, seed=seed + 2),
        "rope_keys": drawn(b, tokens, rope_dim, seed=seed + 3),
        "W_key": drawn(heads, head_dim, latent_dim, seed=seed + 4),
        "W_value": drawn(heads, value_dim, latent_dim, seed=seed + 5),
    }
    return Probe(id, says, inputs, **more)


ABSORBED = Task(
    id="absorbed-attention",
    title="Never make a key",
    name="absorbed_attention",
    kind="function",
    signature="absorbed_attention(queries, rope_queries, latents, rope_keys, W_key, W_value)",
    axes=("b", "heads", "new", "value_dim"),
    input_axes={
        "queries": ("b", "heads", "new", "head_dim"),
        "rope_queries": ("b", "heads", "new", "rope_dim"),
        "latents": ("b", "tokens", "latent_dim"),
        "rope_keys": ("b", "tokens", "rope_dim"),
        "W_key": ("heads", "head_dim", "latent_dim"),
        "W_value": ("heads", "value_dim", "latent_dim"),
    },
    needs=("window-mask",),
    probes=(
        absorbed("prompt", "a whole text", 2, 3, 6, 6, (5, 4, 8, 7), 1),
        absorbed("new", "two new queries and nine tokens", 3, 4, 2, 9, (6, 5, 7, 8), 11),
        absorbed("one", "one new query", 2, 3, 1, 8, (7, 2, 5, 4), 21),
        absorbed("double", "float64", 2, 3, 4, 7, (5, 6, 9, 8), 31, dtype="float64"),
        absorbed(
            "costs",
            "one new query and 300 tokens",
            1,
            6,
            1,
            300,
            (16, 2, 5, 12),
            41,
            observe="costs",
            settings={"numbers": 13000, "operations": 100},
        ),
    ),
    checks=(
        Check("a whole text", 1, ("prompt",)),
        Check("new queries and a cache", 1, ("new", "one", "double")),
        Check("no keys and no values are made", 3, ("costs", "one")),
    ),
    words={"width": "√(head_dim + rope_dim)", "swap": "keys.mT"},
    learned="A product of three can be taken in either order. Taken from the query's side, the cache stays as small as it is.",
    demands={
        "from what the cache keeps": "rotated-score-left-out",
        "`W_key` and `W_value` are cut into heads": "first-head-for-all",
        "the queries are the last of the tokens": "queries-from-the-start",
        "Never make keys or values of the cached tokens": "keys-made-after-all",
        "not even one by one": "keys-one-by-one",
        "returns: (b, heads, new, value_dim)": "latents-returned",
    },
    hints=(
        "`queries @ W_key` brings each head's queries into the latents' space: (b, heads, new, latent_dim).",
        "`latents[:, None]` is (b, 1, tokens, latent_dim): every head meets the same latents. Add the score of the rotated parts.",
        "The width is still head_dim + rope_dim. Mix the latents by the weights, then multiply by `W_value.mT`.",
    ),
    wrong=wrongs("""
        scale-without-rotated-part: (queries.shape[-1] + rope_queries.shape[-1]) → queries.shape[-1]
        scaled-by-latent-width: (queries.shape[-1] + rope_queries.shape[-1]) → (latents.shape[-1] + rope_queries.shape[-1])
        scaled-by-latent-width: (queries.shape[-1] + rope_queries.shape[-1]) → latents.shape[-1]
        rotated-score-left-out: inside @ latents.mT + rope_queries @ rope_keys.mT → inside @ latents.mT
        queries-from-the-start: window_mask(new, num_tokens, num_tokens) → torch.ones(new, num_tokens, dtype=torch.bool).triu(1)
        no-mask: scores = scores.masked_fill(window_mask(new, num_tokens, num_tokens), -torch.inf) → pass
            hint: Nothing is hidden, so a query sees tokens after it. Fill the future with `-torch.inf`.
        no-scale: scores = scores / (queries.shape[-1] + rope_queries.shape[-1]) ** 0.5 → pass
        keys-made-after-all: body
            keys, values = latents[:, None] @ W_key.mT, latents[:, None] @ W_value.mT
            scores = queries @ keys.mT + rope_queries @ rope_keys[:, None].mT
            scores = scores / (queries.shape[-1] + rope_queries.shape[-1]) ** 0.5
            scores = scores.masked_fill(window_mask(*scores.shape[-2:], scores.shape[-1]), -torch.inf)
            return torch.softmax(scores, dim=-1) @ values
        keys-one-by-one: body
            scores = torch.stack([queries @ (W_key @ latents[:, None, t, :, None]) for t in range(latents.shape[1])], dim=-1)[..., 0, :]
            scores = scores + rope_queries @ rope_keys[:, None].mT
            scores = scores / (queries.shape[-1] + rope_queries.shape[-1]) ** 0.5
            scores = scores.masked_fill(window_mask(*scores.shape[-2:], scores.shape[-1]), -torch.inf)
            return torch.softmax(scores, dim=-1) @ latents[:, None] @ W_value.mT
        latents-returned: return mixed @ W_value.mT → return mixed
        first-head-for-all: queries @ W_key → queries @ W_key[:1]
        first-head-for-all: mixed @ W_value.mT → mixed @ W_value[:1].mT
        """),
    right=rights("""
        einsum: body
            inside = torch.einsum("bhnd,hdl->bhnl", queries, W_key)
            scores = torch.einsum("bhnl,btl->bhnt", inside, latents) + torch.einsum("bhnr,btr->bhnt", rope_queries, rope_keys)
            scores = scores / math.sqrt(queries.shape[-1] + rope_queries.shape[-1])
            n, t = scores.shape[-2:]
            future = torch.arange(t) > torch.arange(t - n, t)[:, None]
            weights = scores.masked_fill(future, float("-inf")).softmax(-1)
            return torch.einsum("bhnt,btl,hvl->bhnv", weights, latents, W_value)
        joined: body
            whole = torch.cat((queries @ W_key, rope_queries), dim=-1)
            kept = torch.cat((latents, rope_keys), dim=-1)[:, None]
            scores = whole @ kept.mT / (queries.shape[-1] + rope_queries.shape[-1]) ** 0.5
            hidden = window_mask(*scores.shape[-2:], scores.shape[-1])
            return torch.softmax(scores.masked_fill(hidden, -torch.inf), dim=-1) @ latents[:, None] @ W_value.mT
        lowest: num_tokens), -torch.inf) → num_tokens), torch.finfo(scores.dtype).min)
        """),
)

# ------------------------------------------------------------------------------------- one projection, an indexer

GROUPED = ("b", "groups", "tokens", "head_dim")


def projected(id, says, b, groups, tokens, head_dim, seed, scale=1.0, **more):
    weight = 1 + 0.4 * drawn(head_dim, seed=seed + 1)
    inputs = {"projected": scale * drawn(b, groups, tokens, head_dim, seed=seed), "key_weight": weight}
    return Probe(id, says, inputs | more, keywords=tuple(more))


KEYS_AS_VALUES = Task(
    id="keys-as-values",
    title="Keys that are also values",
    name="keys_as_values",
    kind="function",
    signature="keys_as_values(projected, key_weight, base=10000.0)",
    axes=("keys or values", *GROUPED),
    input_axes={"projected": GROUPED, "key_weight": ("head_dim",)},
    probes=(
        projected("few", "five tokens", 2, 3, 5, 8, 1),
        projected("more", "nine tokens and a base of 500", 3, 2, 9, 12, 11, base=500.0),
        projected("tiny", "numbers near 0.001", 2, 3, 4, 6, 21, scale=1e-3),
    ),
    checks=(
        Check("keys and values", 2, ("few", "more")),
        Check("small numbers, where the epsilon counts", 1, ("tiny", "few")),
    ),
    learned="One projection can do for both, because the norm, the weight and the rotation make keys of it.",
    demands={
        "divided by the root of their mean square": "projection-not-normalised",
        "with an epsilon of $10^{-6}$": "epsilon-forgotten",
        "then multiplied by `key_weight`": "key-weight-left-out",
        "and rotated with `base`": "rope-base-typed-in",
        "The values are neither weighted nor rotated": "values-rotated",
        "the keys and then the values": "values-before-keys",
    },
    hints=(
        "The values are the normalised projection: `projected / torch.sqrt((projected**2).mean(dim=-1, keepdim=True) + 1e-6)`.",
        "The keys are the same numbers times `key_weight`, through `apply_rope`.",
        "`torch.stack((keys, values))` puts the two into one tensor.",
    ),
    wrong=wrongs("""
        projection-not-normalised: values = projected / torch.sqrt(mean_square + 1e-6) → values = projected
        epsilon-forgotten: mean_square + 1e-6 → mean_square
        key-weight-left-out: values * key_weight, positions → values, positions
        rope-base-typed-in: , base) → )
        values-rotated: above return torch.stack → values = apply_rope(values, positions, base)
            hint: The values are rotated too. Only the keys should be.
        values-weighted: above return torch.stack → values = values * key_weight
        values-weighted: torch.sqrt(mean_square + 1e-6) → torch.sqrt(mean_square + 1e-6) * key_weight
        keys-as-they-are: above return torch.stack → values = keys
        keys-not-rotated: keys = apply_rope(values * key_weight, positions, base) → keys = values * key_weight
            hint: The keys are not rotated. Send them through `apply_rope`.
        weighted-after-rotation: apply_rope(values * key_weight, positions, base) → apply_rope(values, positions, base) * key_weight
        weighted-before-the-norm: values * key_weight, → F.rms_norm(projected * key_weight, key_weight.shape, eps=1e-6),
        values-before-keys: torch.stack((keys, values)) → torch.stack((values, keys))
            hint: The values come first here. Put the keys first.
        values-not-normalised: above return torch.stack → values = projected
        keys-not-normalised: values * key_weight, → projected * key_weight,
        weights-around-one: values * key_weight → values * (1 + key_weight)
            hint: 1 is added to `key_weight`, as some models do. Multiply by `key_weight` as it is.
        epsilon-behind-the-root: torch.sqrt(mean_square + 1e-6) → (torch.sqrt(mean_square) + 1e-6)
        another-epsilon: mean_square + 1e-6 → mean_square + 1e-5
        another-epsilon: mean_square + 1e-6 → mean_square + torch.finfo(projected.dtype).eps
        another-epsilon: mean_square + 1e-6 → mean_square + 1e-8
        mean-square-over-groups: .mean(dim=-1, keepdim=True) → .mean(dim=(1, 3), keepdim=True)
        mean-square-over-groups: .mean(dim=-1, keepdim=True) → .mean(dim=1, keepdim=True)
        mean-square-over-tokens: .mean(dim=-1, keepdim=True) → .mean(dim=2, keepdim=True)
        mean-square-over-tokens: .mean(dim=-1, keepdim=True) → .mean(dim=(2, 3), keepdim=True)
        one-mean-square-for-all: .mean(dim=-1, keepdim=True) → .mean()
        one-mean-square-for-all: .mean(dim=-1, keepdim=True) → .mean(dim=(1, 2, 3), keepdim=True)
        mean-subtracted: values = projected / torch.sqrt(mean_square + 1e-6) → values = F.layer_norm(projected, projected.shape[-1:], eps=1e-6)
        spread-for-mean-square: mean_square = (projected**2).mean(dim=-1, keepdim=True) → mean_square = projected.var(dim=-1, keepdim=True, correction=0)
        spread-for-mean-square: mean_square = (projected**2).mean(dim=-1, keepdim=True) → mean_square = projected.var(dim=-1, keepdim=True)
        sum-for-mean-square: .mean(dim=-1, keepdim=True) → .sum(dim=-1, keepdim=True)
        sum-for-mean-square: projected / torch.sqrt(mean_square + 1e-6) → F.normalize(projected, dim=-1)
        multiplied-by-the-root: projected / torch.sqrt(mean_square + 1e-6) → projected * torch.sqrt(mean_square + 1e-6)
        divided-without-root: projected / torch.sqrt(mean_square + 1e-6) → projected / (mean_square + 1e-6)
        counted-from-one: positions, base) → positions + 1, base)
        turned-backwards: positions, base) → -positions, base)
            hint: The keys are rotated the other way round. Their positions are 0, 1, 2 and so on, without a minus sign.
        neighbours-for-halves: apply_rope(values * key_weight, positions, base) → apply_rope((values * key_weight).unflatten(-1, (-1, 2)).mT.flatten(-2), positions, base).unflatten(-1, (2, -1)).mT.flatten(-2)
            hint: Neighbours are paired. `apply_rope` pairs each number of the first half with one of the second.
        tokens-counted-on-another-axis: projected.shape[2] → projected.shape[1]
            hint: The positions do not count the tokens. These are axis 2: `projected.shape[2]`.
        stacked-on-another-axis: torch.stack((keys, values)) → torch.stack((keys, values), dim=1)
        stacked-on-another-axis: torch.stack((keys, values)) → torch.stack((keys, values), dim=-1)
        stacked-on-another-axis: torch.stack((keys, values)) → torch.cat((keys, values))
        stacked-on-another-axis: torch.stack((keys, values)) → torch.cat((keys, values), dim=-1)
        """),
    right=rights("""
        norm: values = projected / torch.sqrt(mean_square + 1e-6) → values = F.rms_norm(projected, projected.shape[-1:], eps=1e-6)
        rsqrt: projected / torch.sqrt(mean_square + 1e-6) → projected * torch.rsqrt(mean_square + 1e-6)
        filled-in: body
            size = projected.square().sum(-1, keepdim=True) / projected.shape[-1]
            values = projected / (size + 1e-6) ** 0.5
            both = projected.new_empty(2, *projected.shape)
            both[0] = apply_rope(values * key_weight, torch.arange(projected.shape[-2]), base)
            both[1] = values
            return both
        """),
)


def sharing(id, says, windows, num_shared, **more):
    """Layers of which the last ones share; the twin has other windows, alike in the same layers."""
    inputs = {"windows": torch.tensor(windows), "num_shared": num_shared}

    def redraw(generator):
        more_tokens = whole(generator, 1, 9)
        return {"windows": torch.where(inputs["windows"] > 0, inputs["windows"] + more_tokens, 0)}

    return Probe(id, says, inputs, redraw=redraw, **more)


KV_SOURCES = Task(
    id="kv-sources",
    title="Whose keys a layer reads",
    name="kv_sources",
    kind="function",
    signature="kv_sources(windows, num_shared)",
    axes=("layers",),
    input_axes={"windows": ("layers",)},
    dtypes=("int64", "int32"),
    probes=(
        sharing("table", "the six layers of the table", [0, 4, 0, 4, 4, 0], 2),
        sharing("many", "nine layers of which five share", [3, 0, 3, 3, 3, 0, 3, 3, 0], 5),
        sharing("pattern", "twelve layers of which four share", [8, 8, 8, 0, 8, 8, 8, 0, 8, 8, 8, 0], 4),
        sharing("three-windows", "layers with three windows", [2, 5, 0, 2, 5, 5, 0, 2], 3),
        sharing("first", "five layers, of which one reads the first", [0, 6, 6, 0, 6], 2),
        sharing("none", "layers of which none shares", [4, 0, 4, 0], 0),
        sharing("no-source", "a layer that has nothing to read", [4, 4, 4, 0, 4], 2, raises=("ValueError",)),
    ),
    checks=(
        Check("layers that share", 0, ("table", "many", "pattern", "three-windows", "first", "none")),
        Check("a layer that has nothing to read", 0, ("no-source", "table")),
    ),
    learned="A configuration says whose keys each layer reads. Layers that share have no cache.",
    demands={
        "The last `num_shared` layers share": "layers-read-their-own",
        "Each of them reads the **last** layer": "first-of-its-window",
        "before all of these": "source-that-shares",
        "has the same window": "window-of-source-ignored",
        "raise a `ValueError`": "missing-source-accepted",
        "Every other layer reads its own": "own-layers-share-too",
    },
    hints=(
        "`own = len(windows) - num_shared` layers come before those that share. Which of them is the last with each window?",
        "Go through `windows[:own]` and write each layer's number into a dictionary, under its window. A later one replaces an earlier one.",
        "Below `own` a layer's source is its own number, and from there on what the dictionary has for its window. Make a tensor of the list.",
    ),
    wrong=wrongs("""
        first-of-its-window: for layer, window in enumerate(windows[:own])} → for layer, window in reversed(list(enumerate(windows[:own])))}
        layers-read-their-own: layer if layer < own else last[window] → layer
        window-of-source-ignored: else last[window] → else own - 1
        source-that-shares: body
            windows = windows.tolist()
            own = len(windows) - num_shared
            if not set(windows) <= set(windows[:own]):
                raise ValueError("nothing to read")
            last, sources = {}, []
            for layer, window in enumerate(windows):
                sources.append(layer if layer < own else last[window])
                last[window] = layer
            return torch.tensor(sources)
        source-that-shares: enumerate(windows[:own]) → enumerate(windows)
            set(last) → set(windows[:own])
        sharing-begins-late: own = len(windows) - num_shared → own = len(windows) - num_shared + 1
        sharing-begins-late: layer < own → layer <= own
        sharing-begins-early: own = len(windows) - num_shared → own = max(len(windows) - num_shared - 1, 0)
        last-own-layer-skipped: windows[:own] → windows[: own - 1]
        first-layer-skipped: enumerate(windows[:own])} → enumerate(windows[:own]) if layer}
        first-layer-skipped: else last[window] for → else last.get(window) or layer for
        own-count-for-shared: own = len(windows) - num_shared → own = num_shared
        own-layers-share-too: layer if layer < own else last[window] → last[window]
        missing-source-accepted: if not set(windows) <= set(last): → if False:
            else last[window] for → else last.get(window, own - 1) for
        source-missed-by-another-error: line if not set(windows) <= set(last): →
            line raise ValueError →
        source-missed-by-another-error: raise ValueError( → raise IndexError(
        source-missed-by-another-error: raise ValueError( → raise StopIteration(
        source-missed-by-another-error: raise ValueError( → raise TypeError(
        source-missed-by-another-error: raise ValueError( → raise RuntimeError(
        source-missed-by-another-error: raise ValueError( → raise AssertionError(
        source-missed-by-another-error: raise ValueError( → raise UnboundLocalError(
        none-shared-refused: len(windows) - num_shared → len(windows[:-num_shared])
        none-shared-refused: len(windows) - num_shared → len(windows[:-num_shared])
            if not set(windows) <= set(last): → if [windows[:own].index(window) for window in windows] is None:
        none-shared-reads-others: layer if layer < own else → layer if layer < own and num_shared else
        windows-taken-alike: {window: layer → {window > 0: layer
            set(windows) → {window > 0 for window in windows}
            last[window] for → last[window > 0] for
        source-one-too-far: last[window] for → last[window] + 1 for
        source-one-too-near: last[window] for → last[window] - 1 for
        counted-from-the-end: last[window] for → own - 1 - last[window] for
        own-layers-left-out: enumerate(windows)]) → list(enumerate(windows))[own:]])
        distance-for-number: layer if layer < own else last[window] → layer - (layer if layer < own else last[window])
        other-window-read: else last[window] → else max(at for other, at in last.items() if other != window or len(last) == 1)
        counted-among-its-window: else last[window] → else windows[:own].count(window) - 1
        first-layers-share: body
            windows = windows.tolist()
            last = {window: layer for layer, window in enumerate(windows) if layer >= num_shared}
            if not set(windows) <= set(last):
                raise ValueError("nothing to read")
            return torch.tensor([last[window] if layer < num_shared else layer for layer, window in enumerate(windows)])
        layer-as-far-before: else last[window] → else max(layer - num_shared, 0)
        window-for-number: else last[window] → else window
        """),
    right=rights("""
        loop: body
            own = len(windows) - num_shared
            sources = torch.arange(len(windows))
            for layer in range(own, len(windows)):
                same = (windows[:own] == windows[layer]).nonzero()
                if len(same) == 0:
                    raise ValueError("nothing to read")
                sources[layer] = same[-1, 0]
            return sources
        backwards: body
            kinds = windows.tolist()
            border = len(kinds) - num_shared
            found = list(range(border))
            for kind in kinds[border:]:
                if kind not in kinds[:border]:
                    raise ValueError(f"no layer before has a window of {kind}")
                found.append(border - 1 - kinds[:border][::-1].index(kind))
            return torch.tensor(found)
        comparison: body
            own = windows.shape[0] - num_shared
            same = windows[own:, None] == windows[None, :own]
            if not bool(same.any(dim=1).all()):
                raise ValueError("nothing to read")
            numbered = torch.where(same, torch.arange(own), -1)
            shared = numbered.max(dim=1).values if num_shared else torch.zeros(0, dtype=torch.long)
            return torch.cat((torch.arange(own), shared))
        """),
)

STACKED = ("b", "heads", "new", "head_dim")


def stack(id, says, windows, num_shared, shape, seed, pieces=None):
    """Queries of all layers, and keys and values of those that have their own, at once or in pieces."""
    own, num_tokens = len(windows) - num_shared, shape[2]
    inputs = {
        "queries": drawn(len(windows), *shape, seed=seed),
        "keys": drawn(own, *shape, seed=seed + 1),
        "values": drawn(own, *shape, seed=seed + 2),
    }
    construct = {"windows": torch.tensor(windows), "num_shared": num_shared}
    if pieces is None:
        return Probe(id, says, inputs, construct=construct, settings={"method": "attend"})
    tokens = sum(min(window or num_tokens, num_tokens) for window in windows[:own])
    held = 2 * tokens * shape[0] * shape[1] * shape[3] + 5 * len(windows)
    settings = {"method": "attend", "axis": -2, "sizes": pieces, "held": held}
    return Probe(id, says, inputs, construct=construct, observe="steps", settings=settings)


SHARING_LAYERS = Task(
    id="sharing-layers",
    title="A cache for some of the layers",
    name="SharingLayers",
    kind="class",
    signature="SharingLayers(windows, num_shared).attend(queries, keys, values)",
    axes=("layers", *STACKED),
    input_axes={
        "queries": ("layers", *STACKED),
        **dict.fromkeys(("keys", "values"), ("own layers", *STACKED)),
    },
    needs=("window-mask", "kv-sources"),
    probes=(
        stack("table", "the six layers of the table", [0, 4, 0, 4, 4, 0], 2, (2, 3, 7, 5), 1),
        stack("one-shares", "three layers of which one shares", [3, 0, 3], 1, (3, 2, 8, 4), 11),
        stack("none-shares", "two layers of which none shares", [0, 2], 0, (3, 4, 5, 6), 21),
        stack(
            "one-by-one",
            "a prompt of four tokens, then one at a time",
            [0, 3, 3, 0, 3],
            2,
            (2, 3, 10, 4),
            31,
            [4, *[1] * 6],
        ),
        stack(
            "pieces",
            "pieces of six, one, five and two tokens",
            [2, 0, 2, 0, 2],
            3,
            (3, 2, 14, 5),
            41,
            [6, 1, 5, 2],
        ),
        stack(
            "short-pieces",
            "pieces of two, one, one, three and four tokens",
            [5, 0, 5, 0, 5],
            2,
            (2, 3, 11, 4),
            51,
            [2, 1, 1, 3, 4],
        ),
        stack(
            "window-of-one",
            "layers with a window of 1, in pieces",
            [1, 0, 0, 1],
            2,
            (2, 3, 7, 4),
            61,
            [3, 1, 1, 2],
        ),
    ),
    checks=(
        Check("a text at once", 0, ("table", "one-shares", "none-shares")),
        Check(
            "a text in pieces, and what is kept of it",
            0,
            ("one-by-one", "pieces", "short-pieces", "window-of-one", "table"),
        ),
    ),
    words={"width": "√head_dim"},
    learned="A layer that reads another one's keys needs neither projections for them nor a cache.",
    demands={
        "the contexts of all layers": "contexts-of-own-layers-only",
        "Scores are divided by √head_dim": "no-scale",
        "each layer is causal": "future-visible",
        "and has its window": "window-lost-in-sharing",
        "A layer reads what its source has kept": "kept-tokens-not-read",
        "**all** of its source's new tokens": "source-cut-too-early",
        "keeps no more than its last `window` tokens": "window-layers-keep-all",
        "Keep nothing for the layers that share": "shared-keys-kept-again",
    },
    hints=(
        "Go through the layers. One that is its own source puts its new keys and values after those that it has kept.",
        "Put what each of these layers reads into a dictionary `read`, uncut, and into `self.kept` only the last `window` tokens. Layer `l` then reads `read[self.sources[l]]`.",
        "The new queries are the last of the tokens that are read: `window_mask(new, num_tokens, window or num_tokens)` hides the rest.",
    ),
    wrong=wrongs("""
        source-cut-too-early: read[layer] = both → read[layer] = both[..., -window:, :] if window else both
        sharing-layers-read-the-cut: above new, num_tokens = → read = read if source == layer else read | {source: self.kept[source]}
        sharing-layers-read-new-tokens: above new, num_tokens = → read = read if source == layer else read | {source: read[source][..., -queries.shape[-2] :, :]}
        window-lost-in-sharing: window or num_tokens → (window if source == layer else 0) or num_tokens
        window-not-used: window or num_tokens → num_tokens
        window-one-too-wide: window or num_tokens → window + 1 if window else num_tokens
            hint: A layer sees one token too many. A window of 4 is the token itself and the three before it.
        window-one-too-narrow: window or num_tokens → window - 1 if window else num_tokens
            hint: A layer sees one token too few. A window of 4 is the token itself and the three before it.
        windowless-layer-blind: window or num_tokens → window
        future-without-window: attn_mask=~hidden → attn_mask=~hidden if window else None
        single-token-unmasked: attn_mask=~hidden → attn_mask=~hidden if new > 1 else None
        kept-tokens-not-read: if layer in self.kept: → if False:
        window-for-sharing-only: window or num_tokens → (0 if source == layer else window) or num_tokens
        only-last-piece-kept: both[..., -window:, :] if window else both → torch.stack((keys[layer], values[layer]))
        only-last-piece-kept: both[..., -window:, :] if window else both → torch.stack((keys[layer], values[layer]))[..., -window:, :]
        first-call-kept: self.kept[layer] = both[..., -window:, :] if window else both → self.kept.setdefault(layer, both[..., -window:, :] if window else both)
        shared-keys-kept-again: above new, num_tokens = → self.kept[layer] = read[source][..., -window:, :] if window else read[source]
        window-layers-keep-all: both[..., -window:, :] if window else both → both
        window-of-one-keeps-all: -window:, :] if → 1 - window :, :] if
        one-token-too-many-kept: -window:, :] if → -window - 1 :, :] if
        too-few-kept: -window:, :] if → both.shape[-2] - max(window - 2, 0) :, :] if
        oldest-tokens-kept: -window:, :] if → :window, :] if
        short-text-cut: -window:, :] if → both.shape[-2] - window :, :] if
        full-layers-keep-nothing: -window:, :] if window else both → both.shape[-2] - min(window, both.shape[-2]) :, :]
        full-layers-cut: both[..., -window:, :] if window else both → both[..., -max(self.windows) :, :]
        last-own-layer-for-all: above new, num_tokens = → source = source if source == layer else len(keys) - 1
        layer-before-for-source: above new, num_tokens = → read[layer] = read[layer] if source == layer else read[layer - 1]
            *read[source] → *read[layer]
        queries-of-the-source: scaled_dot_product_attention(queries[layer] → scaled_dot_product_attention(queries[source]
        contexts-of-own-layers-only: torch.stack(contexts) → torch.stack(contexts[: len(keys)])
        no-scale: attn_mask=~hidden → attn_mask=~hidden, scale=1.0
        scaled-without-root: attn_mask=~hidden → attn_mask=~hidden, scale=1 / queries.shape[-1]
        scaled-by-heads: attn_mask=~hidden → attn_mask=~hidden, scale=queries.shape[2] ** -0.5
            hint: The scores are divided by the root of the number of heads. It should be √head_dim.
        diagonal-hidden: attn_mask=~hidden → attn_mask=~hidden & (torch.arange(num_tokens) != torch.arange(num_tokens - new, num_tokens)[:, None])
            hint: A token does not see itself. Hide what comes after it, and no more.
        no-mask: attn_mask=~hidden → attn_mask=None
            hint: Nothing is masked. Each layer is causal, and hides what its window does not reach.
        hidden-for-visible: attn_mask=~hidden → attn_mask=hidden
        mask-fills-zero: contexts.append(F.scaled_dot_product_attention(queries[layer], *read[source], attn_mask=~hidden)) → scores = queries[layer] @ read[source][0].mT / queries.shape[-1] ** 0.5↵contexts.append(scores.masked_fill(hidden, 0.0).softmax(dim=-1) @ read[source][1])
        mask-after-softmax: contexts.append(F.scaled_dot_product_attention(queries[layer], *read[source], attn_mask=~hidden)) → scores = queries[layer] @ read[source][0].mT / queries.shape[-1] ** 0.5↵contexts.append(scores.softmax(dim=-1).masked_fill(hidden, 0.0) @ read[source][1])
        softmax-over-queries: contexts.append(F.scaled_dot_product_attention(queries[layer], *read[source], attn_mask=~hidden)) → scores = queries[layer] @ read[source][0].mT / queries.shape[-1] ** 0.5↵contexts.append(scores.masked_fill(hidden, -torch.inf).softmax(dim=-2) @ read[source][1])
        future-visible: attn_mask=~hidden → attn_mask=~hidden | (torch.arange(num_tokens) > torch.arange(num_tokens - new, num_tokens)[:, None])
            hint: The future is visible. Hide the keys that come after the query, too.
        full-layers-count-from-the-start: attn_mask=~hidden → attn_mask=~hidden if window else torch.ones(new, num_tokens).tril().bool()
        queries-from-the-start: window_mask(new, num_tokens, window or num_tokens) → window_mask(num_tokens, num_tokens, window or num_tokens)[:new]
        keys-as-values: (keys[layer], values[layer]) → (keys[layer], keys[layer])
            hint: The keys take the place of the values.
        values-as-keys: (keys[layer], values[layer]) → (values[layer], values[layer])
            hint: The values take the place of the keys.
        keys-for-values: (keys[layer], values[layer]) → (values[layer], keys[layer])
        values-of-another-layer: *read[source] → read[source][0], read[len(keys) - 1][1] if layer >= len(keys) else read[source][1]
        earlier-tokens-last: (self.kept[layer], both) → (both, self.kept[layer])
        """),
    right=rights("""
        two-dictionaries: body attend
            contexts, seen, new = [], {}, queries.shape[3]
            for layer, window in enumerate(self.windows):
                source = self.sources[layer]
                if source == layer:
                    old = self.kept.get(layer, (keys[layer][:, :, :0], values[layer][:, :, :0]))
                    seen[layer] = [torch.cat(pair, dim=2) for pair in zip(old, (keys[layer], values[layer]))]
                    self.kept[layer] = [one[:, :, -window:] if window else one for one in seen[layer]]
                k, v = seen[source]
                scores = torch.einsum("bhqd,bhkd->bhqk", queries[layer], k) / k.shape[-1] ** 0.5
                at = torch.arange(k.shape[2] - new, k.shape[2])[:, None] - torch.arange(k.shape[2])
                scores = scores.masked_fill((at < 0) | (at >= (window or k.shape[2])), float("-inf"))
                contexts.append(scores.softmax(dim=-1) @ v)
            return torch.stack(contexts)
        own-layers-first: body attend
            own = len(keys)
            both = [torch.stack((keys[at], values[at])) for at in range(own)]
            both = [torch.cat((self.kept[at], one), dim=3) if self.kept else one for at, one in enumerate(both)]
            self.kept = {at: one[:, :, :, -(window or one.shape[3]) :].clone() for at, (window, one) in enumerate(zip(self.windows, both))}
            found = torch.empty_like(queries)
            for layer, source in enumerate(self.sources):
                tokens = both[source].shape[3]
                seen = ~window_mask(queries.shape[3], tokens, self.windows[layer] or tokens)
                found[layer] = F.scaled_dot_product_attention(queries[layer], both[source][0], both[source][1], seen)
            return found
        one-token-less: both[..., -window:, :] if window else both → both if window == 0 else both[..., max(0, both.shape[-2] - window + 1) :, :]
        minus-infinity: contexts.append(F.scaled_dot_product_attention(queries[layer], *read[source], attn_mask=~hidden)) → scores = queries[layer] @ read[source][0].mT / queries.shape[-1] ** 0.5↵contexts.append(scores.masked_fill(hidden, -torch.inf).softmax(dim=-1) @ read[source][1])
        large-and-negative: contexts.append(F.scaled_dot_product_attention(queries[layer], *read[source], attn_mask=~hidden)) → scores = queries[layer] @ read[source][0].mT / queries.shape[-1] ** 0.5↵contexts.append(scores.masked_fill(hidden, -1e30).softmax(dim=-1) @ read[source][1])
        """),
)


def indexed(id, says, b, heads, tokens, index_dim, top_k, seed):
    """Index scores without ties: relu leaves something of head 0 everywhere."""
    queries = drawn(b, heads, tokens, index_dim, seed=seed)
    queries[:, 0] = queries[:, 0].abs()
    inputs = {
        "index_queries": queries,
        "index_keys": drawn(b, tokens, index_dim, seed=seed + 1).abs(),
        "head_weights": drawn(b, tokens, heads, seed=seed + 2),
        "top_k": top_k,
    }
    return Probe(id, says, inputs)


def with_equal_scores(id, says, b, heads, tokens, index_dim, top_k, seed):
    """Two keys with scores above 0 and otherwise ties, among which any choice is right: the keys are counted."""
    keys = -drawn(b, tokens, index_dim, seed=seed + 1).abs()
    keys[:, :2] = keys[:, :2].abs()
    inputs = {
        "index_queries": drawn(b, heads, tokens, index_dim, seed=seed).abs(),
        "index_keys": keys,
        "head_weights": drawn(b, tokens, heads, seed=seed + 2).abs(),
        "top_k": top_k,
    }
    return Probe(id, says, inputs, observe="keys-seen")


CHOSEN_KEYS = Task(
    id="chosen-keys",
    title="An indexer",
    name="chosen_keys",
    kind="function",
    signature="chosen_keys(index_queries, index_keys, head_weights, top_k)",
    axes=("b", "tokens as query", "tokens as key"),
    dtypes=("bool",),
    input_axes={
        "index_queries": ("b", "index heads", "tokens", "index_dim"),
        "index_keys": ("b", "tokens", "index_dim"),
        "head_weights": ("b", "tokens", "index heads"),
    },
    needs=("window-mask",),
    probes=(
        indexed("few", "seven tokens and a top-k of 3", 2, 3, 7, 5, 3, 1),
        indexed("more", "twelve tokens and a top-k of 4", 3, 2, 12, 6, 4, 11),
        indexed("wide", "five tokens and a top-k of 9", 2, 4, 5, 3, 9, 21),
        indexed("one", "eight tokens and a top-k of 1", 2, 3, 8, 4, 1, 31),
        with_equal_scores("equal", "ten tokens, many of them with equal scores", 2, 3, 10, 4, 4, 41),
    ),
    checks=(
        Check("the keys of the largest scores", 3, ("few", "more", "one", "equal")),
        Check("fewer tokens than top-k", 1, ("wide", "few")),
    ),
    learned="An indexer is attention without softmax and values: all it has to get right is the order.",
    demands={
        "True where one is **visible**": "mask-polarity",
        "the `top_k` keys": "one-key-too-few",
        "with the largest $I_{ij}$": "smallest-chosen",
        "among those that are not in the future": "future-takes-places",
        "or all if there are fewer": "future-chosen",
        "Break ties as you like, within `top_k`": "more-than-top-k",
        "and weights $w$ that the query's token computes": "weights-of-the-keys-token",
    },
    hints=(
        "`torch.relu(index_queries @ index_keys[:, None].mT)` is (b, index heads, query, key). Sum it over the heads, each times its weight.",
        "Set the future to −∞ before `topk`, so that it takes no place. `topk(min(top_k, num_tokens), dim=-1).indices` says where the largest are.",
        "`torch.zeros_like(scores, dtype=torch.bool).scatter(-1, best, True) & ~future`",
    ),
    wrong=wrongs("""
        relu-left-out: torch.relu(index_queries @ index_keys[:, None].mT) → index_queries @ index_keys[:, None].mT
        relu-after-the-sum: torch.relu(index_queries @ index_keys[:, None].mT) → index_queries @ index_keys[:, None].mT
            scores.masked_fill(future, -torch.inf) → torch.relu(scores).masked_fill(future, -torch.inf)
        head-weights-left-out: (head_weights.mT[..., None] * by_head).sum(dim=1) → by_head.sum(dim=1)
        weights-of-the-keys-token: head_weights.mT[..., None] → head_weights.mT[:, :, None]
        first-head-only: (head_weights.mT[..., None] * by_head).sum(dim=1) → (head_weights.mT[..., None] * by_head)[:, 0]
            hint: Only the first index head counts. Sum over all of them, each times its weight.
        future-takes-places: scores = scores.masked_fill(future, -torch.inf) →
        future-chosen: return chosen & ~future → return chosen
        smallest-chosen: .topk(min(top_k, num_tokens), dim=-1) → .masked_fill(future, torch.inf).topk(min(top_k, num_tokens), dim=-1, largest=False)
        one-key-too-few: min(top_k, num_tokens) → min(max(top_k - 1, 1), num_tokens)
        one-key-too-many: min(top_k, num_tokens) → min(top_k + 1, num_tokens)
        more-than-top-k: best = scores.topk(min(top_k, num_tokens), dim=-1).indices → least = scores.topk(min(top_k, num_tokens), dim=-1).values[..., -1:]
            torch.zeros_like(scores, dtype=torch.bool).scatter(-1, best, True) → scores >= least
        future-visible: scores = scores.masked_fill(future, -torch.inf) →
            return chosen & ~future → return chosen
        diagonal-hidden: future = window_mask(num_tokens, num_tokens, num_tokens) → future = torch.ones(num_tokens, num_tokens).triu().bool()
            hint: A query's own token is hidden from it. Only the tokens after it are in the future.
        future-scored-zero: scores.masked_fill(future, -torch.inf) → scores.masked_fill(future, 0.0)
        heads-choose-apart: (head_weights.mT[..., None] * by_head).sum(dim=1) → head_weights.mT[..., None] * by_head
            return chosen & ~future → return (chosen & ~future).any(dim=1)
        head-weights-softmaxed: head_weights.mT[..., None] → head_weights.softmax(dim=-1).mT[..., None]
        reshaped-not-turned: head_weights.mT[..., None] → head_weights.reshape(len(head_weights), -1, head_weights.shape[1])[..., None]
            hint: The heads' weights are reshaped, which puts them in the wrong places. Swap their last two axes: `head_weights.mT`.
        relu-after-the-weights: torch.relu(index_queries @ index_keys[:, None].mT) → index_queries @ index_keys[:, None].mT
            (head_weights.mT[..., None] * by_head).sum(dim=1) → torch.relu(head_weights.mT[..., None] * by_head).sum(dim=1)
        sizes-for-relu: torch.relu(index_queries @ index_keys[:, None].mT) → (index_queries @ index_keys[:, None].mT).abs()
        largest-head-only: by_head).sum(dim=1) → by_head).amax(dim=1)
        chosen-for-each-key: topk(min(top_k, num_tokens), dim=-1) → topk(min(top_k, num_tokens), dim=-2)
            scatter(-1, best, True) → scatter(-2, best, True)
        relu-after-the-sum: torch.relu(index_queries @ index_keys[:, None].mT) → index_queries @ index_keys[:, None].mT
            (head_weights.mT[..., None] * by_head).sum(dim=1) → torch.relu((head_weights.mT[..., None] * by_head).sum(dim=1))
        relu-after-the-sum: torch.relu(index_queries @ index_keys[:, None].mT) → torch.relu((index_queries @ index_keys[:, None].mT).sum(dim=1, keepdim=True))
        other-function-for-relu: torch.relu(index_queries @ index_keys[:, None].mT) → F.gelu(index_queries @ index_keys[:, None].mT)
        other-function-for-relu: torch.relu(index_queries @ index_keys[:, None].mT) → F.leaky_relu(index_queries @ index_keys[:, None].mT)
        other-function-for-relu: torch.relu(index_queries @ index_keys[:, None].mT) → F.softplus(index_queries @ index_keys[:, None].mT)
        other-function-for-relu: torch.relu(index_queries @ index_keys[:, None].mT) → F.silu(index_queries @ index_keys[:, None].mT)
        other-function-for-relu: torch.relu(index_queries @ index_keys[:, None].mT) → torch.exp(index_queries @ index_keys[:, None].mT)
        relu-before-the-product: torch.relu(index_queries @ index_keys[:, None].mT) → torch.relu(index_queries) @ torch.relu(index_keys)[:, None].mT
        positive-scores-only: return chosen & ~future → return chosen & ~future & (scores > 0)
        one-key-too-few: return chosen & ~future → ranks = scores.argsort(dim=-1, descending=True).argsort(dim=-1)↵return chosen & ~future & (ranks < torch.arange(num_tokens)[:, None])
            hint: The first queries see one key too few. Query i has i + 1 keys that are not in the future.
        relu-on-the-weights: head_weights.mT[..., None] → head_weights.relu().mT[..., None]
        relu-on-the-weights: head_weights.mT[..., None] → head_weights.abs().mT[..., None]
            hint: The heads' weights lose their signs. Use them as they are: they can be negative.
        head-weights-softmaxed: head_weights.mT[..., None] → head_weights.sigmoid().mT[..., None]
            hint: The heads' weights go through a sigmoid. Use them as they are: they can be negative.
        head-weights-softmaxed: head_weights.mT[..., None] → head_weights.softmax(dim=1).mT[..., None]
            hint: The heads' weights go through a softmax over the tokens. Use them as they are: they can be negative.
        weights-of-one-token: head_weights.mT[..., None] → head_weights.mean(dim=1, keepdim=True).mT[..., None]
        weights-of-one-token: head_weights.mT[..., None] → head_weights[:, :1].mT[..., None]
            hint: All queries use the weights of the first token. They belong to the query's own token.
        weights-of-one-token: head_weights.mT[..., None] → head_weights[:, -1:].mT[..., None]
            hint: All queries use the weights of the last token. They belong to the query's own token.
        softmax-for-relu: torch.relu(index_queries @ index_keys[:, None].mT) → torch.softmax(index_queries @ index_keys[:, None].mT, dim=-1)
        softmax-for-relu: torch.relu(index_queries @ index_keys[:, None].mT) → torch.softmax((index_queries @ index_keys[:, None].mT).masked_fill(torch.ones(index_keys.shape[1], index_keys.shape[1]).triu(1).bool(), -torch.inf), dim=-1)
        softmax-for-relu: torch.relu(index_queries @ index_keys[:, None].mT) → torch.sigmoid(index_queries @ index_keys[:, None].mT)
            hint: The products go through a sigmoid. The formula has a relu: negative products become 0, the others stay as they are.
        products-turned: torch.relu(index_queries @ index_keys[:, None].mT) → torch.relu(index_queries @ index_keys[:, None].mT).mT
        top-k-not-capped: min(top_k, num_tokens) → top_k
        first-key-always-seen: return chosen & ~future → chosen[..., 0] = True↵return chosen & ~future
        own-key-always-seen: return chosen & ~future → return (chosen & ~future) | torch.eye(num_tokens, dtype=torch.bool)
        own-key-always-seen: scores = scores.masked_fill(future, -torch.inf) → scores = scores.masked_fill(future, -torch.inf).masked_fill(torch.eye(num_tokens, dtype=torch.bool), torch.inf)
            hint: A query's own key is always among the chosen ones. It takes part like the others, by its score.
        smallest-chosen: .topk(min(top_k, num_tokens), dim=-1) → .topk(min(top_k, num_tokens), dim=-1, largest=False)
        smallest-chosen: scores = scores.masked_fill(future, -torch.inf) → scores = (-scores).masked_fill(future, -torch.inf)
        order-for-ranks: torch.zeros_like(scores, dtype=torch.bool).scatter(-1, best, True) → scores.argsort(dim=-1, descending=True) < top_k
        one-key-too-few: chosen = torch.zeros_like(scores, dtype=torch.bool).scatter(-1, best, True) → chosen = scores > scores.gather(-1, best[..., -1:])
            hint: Only the keys above the lowest chosen score are seen, so that one is missing. There should be `top_k`.
        scattered-along-queries: scatter(-1, best, True) → scatter(-2, best, True)
        last-keys-only: future = window_mask(num_tokens, num_tokens, num_tokens) → future = window_mask(num_tokens, num_tokens, top_k)
        last-keys-only: return chosen & ~future → return ~window_mask(num_tokens, num_tokens, top_k)
            hint: Each query sees the last `top_k` keys. It should see those with the largest scores.
        past-hidden: future = window_mask(num_tokens, num_tokens, num_tokens) → future = torch.ones(num_tokens, num_tokens).tril(-1).bool()
            hint: The past is hidden and the future is visible. Is it `tril` where it should be `triu`?
        diagonal-too-far: future = window_mask(num_tokens, num_tokens, num_tokens) → future = torch.ones(num_tokens, num_tokens).triu(2).bool()
            hint: Each query sees one key of the future. The future begins right after the query's own token.
        all-past-seen: return chosen & ~future → return ~future
        chosen-for-all-queries: scores = scores.masked_fill(future, -torch.inf) → scores = scores[:, -1:].expand_as(scores)
        chosen-for-all-queries: scores = scores.masked_fill(future, -torch.inf) → scores = scores.sum(dim=1, keepdim=True).expand_as(scores)
        chosen-for-all-queries: scores = scores.masked_fill(future, -torch.inf) → scores = scores.sum(dim=1, keepdim=True).expand_as(scores).masked_fill(future, -torch.inf)
        mask-polarity: return chosen & ~future → return ~chosen & ~future
            hint: The keys that are not chosen are the visible ones here. The task wants True where a chosen key is.
        mask-polarity: return chosen & ~future → return ~(chosen & ~future)
            hint: True marks the keys that are left out. The task wants True where a key is visible.
        """),
    right=rights("""
        einsum: body
            num_tokens = index_keys.shape[1]
            products = torch.einsum("bhqd,bkd->bhqk", index_queries, index_keys).clamp(min=0)
            scores = torch.einsum("bqh,bhqk->bqk", head_weights, products)
            allowed = torch.ones(num_tokens, num_tokens, dtype=torch.bool).tril()
            ranks = scores.masked_fill(~allowed, -torch.inf).argsort(dim=-1, descending=True).argsort(dim=-1)
            return (ranks < top_k) & allowed
        sort: best = scores.topk(min(top_k, num_tokens), dim=-1).indices → best = scores.argsort(dim=-1, descending=True)[..., :top_k]
        rows: body
            b, _, num_tokens, _ = index_queries.shape
            visible = torch.zeros(b, num_tokens, num_tokens, dtype=torch.bool)
            for one in range(b):
                for query in range(num_tokens):
                    keys = index_keys[one, : query + 1]
                    by_head = torch.relu(index_queries[one, :, query] @ keys.T)
                    scores = head_weights[one, query] @ by_head
                    visible[one, query, scores.argsort(descending=True)[:top_k]] = True
            return visible
        """),
)

# -------------------------------------------------------------------------------------------- a part is rotated


def turned(id, says, shape, rope_dim, seed, start=0, **more):
    inputs = {
        "x": drawn(*shape, seed=seed),
        "positions": torch.arange(start, start + shape[-2]),
        "rope_dim": rope_dim,
    }
    return Probe(id, says, inputs | more, keywords=tuple(more))


ROTATE_PART = Task(
    id="rotate-part",
    title="Rotate a part",
    name="rotate_part",
    kind="function",
    signature="rotate_part(x, positions, rope_dim, base=10000.0)",
    axes=HEADS,
    input_axes={"x": HEADS, "positions": ("tokens",)},
    probes=(
        turned("quarter", "4 of 16 numbers", (2, 3, 5, 16), 4, 1),
        turned(
            "base",
            "6 of 10 numbers, a base of 300 and positions from 7 on",
            (3, 2, 6, 10),
            6,
            2,
            7,
            base=300.0,
        ),
        turned("all", "all 8 numbers", (2, 4, 7, 8), 8, 3),
        turned("none", "0 of 12 numbers", (2, 3, 4, 12), 0, 4),
    ),
    checks=(
        Check("a part of each head", 1, ("quarter", "base")),
        Check("all numbers, and none", 1, ("all", "none", "quarter")),
    ),
    learned="What is not rotated compares content at any distance. With a rope_dim of 0 a layer has no positions.",
    demands={
        "the first `rope_dim` numbers of each head": "last-part-rotated",
        "as if they were a head of their own": "frequencies-of-the-whole-head",
        "with `base`": "rope-base-typed-in",
        "The rest stays as it is": "rest-dropped",
    },
    hints=(
        "Cut the last axis at `rope_dim`: `x[..., :rope_dim]` is rotated.",
        "`torch.cat((…, …), dim=-1)` puts the two parts together again.",
        "`torch.cat((apply_rope(x[..., :rope_dim], positions, base), x[..., rope_dim:]), dim=-1)`",
    ),
    wrong=wrongs("""
        last-part-rotated: body
            split = x.shape[-1] - rope_dim
            return torch.cat((x[..., :split], apply_rope(x[..., split:], positions, base)), dim=-1)
        last-part-rotated: body
            return torch.cat((x[..., :-rope_dim], apply_rope(x[..., -rope_dim:], positions, base)), dim=-1)
        last-part-rotated: x[..., :rope_dim], → x[..., x.shape[-1] - rope_dim :],
            (rotated, x[..., rope_dim:]) → (x[..., : x.shape[-1] - rope_dim], rotated)
        frequencies-of-the-whole-head: body
            return torch.cat((apply_rope(x, positions, base)[..., :rope_dim], x[..., rope_dim:]), dim=-1)
        frequencies-of-the-whole-head: above rotated = → base = base ** (rope_dim / x.shape[-1])
        dimension-for-pairs: above rotated = → base = base**0.5
            hint: The exponent of the frequencies is divided by `rope_dim`. Divide it by the number of pairs, `rope_dim / 2`.
        exponent-doubled: above rotated = → base = base**2
        pairs-across-the-head: body
            half, middle = rope_dim // 2, x.shape[-1] // 2
            order = torch.cat((torch.arange(half), torch.arange(middle, middle + half)))
            result = x.clone()
            result[..., order] = apply_rope(x[..., order], positions, base)
            return result
        pairs-across-the-head:
            body
                half, middle = rope_dim // 2, x.shape[-1] // 2
                order = torch.cat((torch.arange(half), torch.arange(middle, middle + half)))
                result = x.clone()
                result[..., order] = apply_rope(x, positions, base)[..., order]
                return result
            hint: The frequencies are those of the whole head, and each number is paired with the one half a head further on. Rotate the first `rope_dim` numbers alone: `x[..., :rope_dim]`.
        everything-rotated: = apply_rope(x, positions, base)
        everything-rotated: = apply_rope(x, positions, base) if rope_dim else x
        rope-base-typed-in: , base) → )
        rest-dropped: return torch.cat((rotated, x[..., rope_dim:]), dim=-1) → return torch.cat((rotated, torch.zeros_like(x[..., rope_dim:])), dim=-1)
        rest-dropped: above return torch.cat → x = torch.zeros_like(x)
        rest-first: (rotated, x[..., rope_dim:]) → (x[..., rope_dim:], rotated)
        rotated-part-alone: return torch.cat((rotated, x[..., rope_dim:]), dim=-1) → return rotated
        whole-head-appended: , x[..., rope_dim:]) → , x)
        rest-cut-from-the-end: , x[..., rope_dim:]) → , x[..., rope_dim - x.shape[-1] :])
        rest-rotated: x[..., rope_dim:]), → apply_rope(x[..., rope_dim:], positions, base)),
        whole-head-left-alone: body
            rest = x.shape[-1] - rope_dim
            return torch.cat((apply_rope(x[..., :-rest], positions, base), x[..., -rest:]), dim=-1)
        zero-rotates-all: above rotated = → rope_dim = rope_dim or x.shape[-1]
        nothing-rotated: = x
        neighbours-for-halves: above rotated = → order = torch.arange(rope_dim).view(-1, 2).T.flatten()
            apply_rope(x[..., :rope_dim], positions, base) → apply_rope(x[..., order], positions, base)[..., order.argsort()]
            hint: Neighbours are paired. `apply_rope` pairs number i with number i + rope_dim / 2.
        neighbours-for-halves: above rotated = → order = torch.arange(rope_dim).view(-1, 2).T.flatten()
            apply_rope(x[..., :rope_dim], positions, base) → apply_rope(x[..., order], positions, base)
            hint: Neighbours are paired. `apply_rope` pairs number i with number i + rope_dim / 2.
        positions-not-used: positions, base) → torch.arange(x.shape[-2]), base)
        one-step-too-far: positions, base) → positions + 1, base)
        turned-backwards: positions, base) → -positions, base)
            hint: The numbers are rotated the other way round: the angles, or their sines, have the wrong sign.
        tokens-for-numbers: body
            rotated = apply_rope(x[..., :rope_dim, :], positions[:rope_dim], base)
            return torch.cat((rotated, x[..., rope_dim:, :]), dim=-2)
        tokens-for-numbers: body
            tokens = x[..., :rope_dim, :]
            rotated = apply_rope(tokens, torch.arange(tokens.shape[-2]), base)
            return torch.cat((rotated, x[..., rope_dim:, :]), dim=-2)
        rotated-twice: apply_rope(x[..., :rope_dim], positions, base) → apply_rope(apply_rope(x[..., :rope_dim], positions, base), positions, base)
        twice-as-many-rotated: above rotated = → rope_dim = 2 * rope_dim
        one-sign-of-the-rotation: above return torch.cat → turned_back = apply_rope(x[..., :rope_dim], -positions, base)↵rotated = torch.cat((turned_back[..., : rope_dim // 2], rotated[..., rope_dim // 2 :]), dim=-1)
        one-sign-of-the-rotation: above return torch.cat → turned_back = apply_rope(x[..., :rope_dim], -positions, base)↵rotated = torch.cat((rotated[..., : rope_dim // 2], turned_back[..., rope_dim // 2 :]), dim=-1)
        cosine-and-sine-swapped: above return torch.cat → first, second = apply_rope(x[..., :rope_dim], -positions, base).chunk(2, dim=-1)↵rotated = torch.cat((-second, first), dim=-1)
        halves-swapped: above return torch.cat → rotated = rotated.roll(rope_dim // 2, dims=-1)
        half-as-many-rotated: above rotated = → rope_dim = rope_dim // 2
        edits-its-argument: body
            x[..., :rope_dim] = apply_rope(x[..., :rope_dim], positions, base)
            return x
        """),
    right=rights("""
        split: body
            part, rest = x.split((rope_dim, x.shape[-1] - rope_dim), dim=-1)
            return torch.cat((apply_rope(part, positions, base), rest), dim=-1)
        in-place: body
            result = x.clone()
            if rope_dim:
                result[..., :rope_dim] = apply_rope(x[..., :rope_dim], positions, base)
            return result
        frequencies: body
            half = rope_dim // 2
            angles = positions[:, None] * base ** (-torch.arange(half) / max(half, 1))
            first, second, rest = x[..., :half], x[..., half:rope_dim], x[..., rope_dim:]
            cos, sin = angles.cos(), angles.sin()
            return torch.cat((first * cos - second * sin, first * sin + second * cos, rest), dim=-1)
        """),
)

# -------------------------------------------------------------------------------------------- longer contexts


def scalars(id, says, raises=(), **inputs):
    """Inputs without a tensor; their hidden twin has another base and another factor."""

    def redraw(generator):
        moved = {"base": float(whole(generator, 300, 30000)), "factor": float(whole(generator, 2, 15)) + 0.5}
        return {name: one for name, one in moved.items() if name in inputs}

    return Probe(
        id, says, inputs, raises=raises, redraw=redraw, keywords=("base",) if "base" in inputs else ()
    )


STRETCHED = Task(
    id="stretched-frequencies",
    title="Stretch the positions",
    name="stretched_frequencies",
    kind="function",
    signature="stretched_frequencies(head_dim, factor, method, base=10000.0)",
    axes=("pairs",),
    probes=(
        scalars("linear", "head_dim 8, linear by 4", head_dim=8, factor=4.0, method="linear"),
        scalars(
            "linear-base", "linear with a base of 500", head_dim=12, factor=3.0, method="linear", base=500.0
        ),
        scalars("ntk", "head_dim 10, ntk by 4", head_dim=10, factor=4.0, method="ntk"),
        scalars("ntk-base", "ntk with a base of 700", head_dim=6, factor=8.0, method="ntk", base=700.0),
        scalars("none", "the method none", head_dim=14, factor=5.0, method="none", base=900.0),
        scalars("unknown", "the method cubic", ("ValueError",), head_dim=8, factor=2.0, method="cubic"),
    ),
    checks=(
        Check("linear", 0, ("linear", "linear-base", "none")),
        Check("ntk", 0, ("ntk", "ntk-base")),
        Check("another method is refused", 0, ("unknown", "linear", "ntk", "none")),
    ),
    learned="Linear slows every pair down alike. A larger base leaves the fast pairs, which tell neighbours apart, nearly as they are.",
    demands={
        "divide every frequency by `factor`": "stretched-the-wrong-way",
        "a base of $\\text{base} \\cdot \\text{factor}^{d / (d - 2)}$": "ntk-without-exponent",
        'With the method `"none"`, the frequencies are RoPE\'s own': "none-stretched-too",
        "a method other than these three raises a `ValueError`": "unknown-method-accepted",
        "base=10000.0": "rope-base-typed-in",
    },
    hints=(
        "RoPE's own frequencies are `base ** (-torch.arange(half) / half)` with `half = head_dim // 2`.",
        'For `"ntk"` change the base first: `base * factor ** (head_dim / (head_dim - 2))`.',
        'For `"linear"` divide at the end. Begin with `if method not in (…): raise ValueError(…)`.',
    ),
    wrong=wrongs("""
        stretched-the-wrong-way: frequencies / factor → frequencies * factor
        interpolated-twice: if method == "linear" else → if method in ("linear", "ntk") else
        ntk-without-exponent: factor ** (head_dim / (head_dim - 2)) → factor
        ntk-base-raised-too: base * factor ** → (base * factor) **
        ntk-exponent-upside-down: head_dim / (head_dim - 2) → (head_dim - 2) / head_dim
        ntk-exponent-upside-down: head_dim / (head_dim - 2) → head_dim / (head_dim - 4)
        ntk-exponent-upside-down: head_dim / (head_dim - 2) → head_dim / head_dim - 2
            hint: The exponent is −1. It should be d / (d − 2): without the brackets, d / d − 2 is −1.
        unknown-method-accepted: if method not in ("none", "linear", "ntk"): → if False:
        none-stretched-too: if method == "linear" else → if method != "ntk" else
        rope-base-typed-in: def stretched_frequencies(head_dim, factor, method, base=10000.0): → def stretched_frequencies(head_dim, factor, method, base=10000.0):↵    base = 10000.0
        dimension-for-pairs: (-torch.arange(half) / half) → (-torch.arange(half) / head_dim)
        """),
    right=rights("""
        even-numbers: base ** (-torch.arange(half) / half) → 1.0 / base ** (torch.arange(0, head_dim, 2).float() / head_dim)
        table: body
            bases = {"none": base, "linear": base, "ntk": base * factor ** (head_dim / (head_dim - 2))}
            if method not in bases:
                raise ValueError(method)
            exponents = torch.arange(0, head_dim, 2, dtype=torch.float64) / head_dim
            return (bases[method] ** -exponents / (factor if method == "linear" else 1)).float()
        power: base ** (-torch.arange(half) / half) → torch.pow(torch.tensor(float(base)), -torch.arange(half) / half)
        """),
)

# ----------------------------------------------------------------------------------------------------- bounded


def bounding(id, says, shape, cap, seed, scale=1.0, **more):
    inputs = {
        "queries": scale * drawn(*shape, seed=seed),
        "keys": scale * drawn(*shape, seed=seed + 1),
        "query_weight": 1 + 0.4 * drawn(shape[-1], seed=seed + 2),
        "key_weight": 1 + 0.4 * drawn(shape[-1], seed=seed + 3),
    }
    return Probe(id, says, inputs | ({} if cap is None else {"cap": cap}), **more)


BOUNDED = Task(
    id="bounded-scores",
    title="Bounded scores",
    name="bounded_scores",
    kind="function",
    signature="bounded_scores(queries, keys, query_weight, key_weight, cap=None)",
    axes=("b", "heads", "tokens", "tokens"),
    input_axes={
        "queries": HEADS,
        "keys": HEADS,
        "query_weight": ("head_dim",),
        "key_weight": ("head_dim",),
    },
    needs=("window-mask",),
    probes=(
        bounding("norm", "no cap", (2, 3, 5, 4), None, 1),
        bounding("wild", "queries and keys a hundred times as large", (3, 2, 4, 6), None, 11, scale=100.0),
        bounding("tiny", "tiny queries and keys", (2, 3, 4, 5), None, 21, scale=1e-4),
        bounding("cap", "a cap of 1.5", (2, 4, 6, 3), 1.5, 31),
        bounding("cap-double", "a cap of 0.7, in float64", (2, 3, 4, 7), 0.7, 41, dtype="float64"),
    ),
    checks=(
        Check("QK-norm", 2, ("norm", "wild", "tiny")),
        Check("a soft cap", 2, ("cap", "cap-double")),
    ),
    words={"width": "√head_dim", "swap": "keys.mT"},
    learned="After QK-norm a score knows directions alone, and the cap bounds what the learned weights can do.",
    demands={
        "RMSNorm of queries and keys": "keys-left-unnormed",
        "(epsilon $10^{-6}$ under the root)": "epsilon-forgotten",
        "each with its weight": "norm-weight-left-out",
        "divided by √head_dim": "no-scale",
        "**then** hide the future with −∞": "cap-behind-the-mask",
    },
    hints=(
        "`queries / torch.sqrt((queries**2).mean(dim=-1, keepdim=True) + 1e-6) * query_weight`, and the same for the keys.",
        "`if cap is not None: scores = cap * torch.tanh(scores / cap)`",
        "The mask comes last: tanh would turn −∞ into −cap. `window_mask(n, n, n)` hides the future.",
    ),
    wrong=wrongs("""
        cap-behind-the-mask: num_tokens = scores.shape[-1] → pass
            return scores.masked_fill(window_mask(num_tokens, num_tokens, num_tokens), -torch.inf) → return scores
            above if cap is not None: → num_tokens = scores.shape[-1]↵scores = scores.masked_fill(window_mask(num_tokens, num_tokens, num_tokens), -torch.inf)
        keys-left-unnormed: keys = keys / torch.sqrt((keys**2).mean(dim=-1, keepdim=True) + 1e-6) * key_weight → keys = keys * key_weight
        norm-weight-left-out: * key_weight →
            * query_weight →
        one-norm-weight: * key_weight → * query_weight
        one-norm-weight: * query_weight → * key_weight
        no-scale: / keys.shape[-1] ** 0.5 →
        clamped-not-capped: cap * torch.tanh(scores / cap) → scores.clamp(-cap, cap)
        cap-not-multiplied-back: cap * torch.tanh(scores / cap) → torch.tanh(scores / cap)
        cap-not-divided: cap * torch.tanh(scores / cap) → cap * torch.tanh(scores)
        weights-around-one: * query_weight → * (1 + query_weight)
            * key_weight → * (1 + key_weight)
        unit-length-normed: (queries**2).mean( → (queries**2).sum(
            (keys**2).mean( → (keys**2).sum(
        qk-normed-over-tokens: (queries**2).mean(dim=-1 → (queries**2).mean(dim=-2
            (keys**2).mean(dim=-1 → (keys**2).mean(dim=-2
        epsilon-forgotten: keepdim=True) + 1e-6) →2 keepdim=True))
        scaled-behind-the-cap: / keys.shape[-1] ** 0.5 →
            cap * torch.tanh(scores / cap) → cap * torch.tanh(scores / cap) / keys.shape[-1] ** 0.5
            num_tokens = scores.shape[-1] → scores = scores if cap is not None else scores / keys.shape[-1] ** 0.5↵num_tokens = scores.shape[-1]
        no-mask: return scores.masked_fill(window_mask(num_tokens, num_tokens, num_tokens), -torch.inf) → return scores
            hint: Nothing is hidden. Fill the future with `-torch.inf`.
        """),
    right=rights("""
        functional: body
            width = queries.shape[-1:]
            q, k = F.rms_norm(queries, width, query_weight, 1e-6), F.rms_norm(keys, width, key_weight, 1e-6)
            scores = torch.einsum("bhqd,bhkd->bhqk", q, k) * width[0] ** -0.5
            scores = scores if cap is None else (scores / cap).tanh() * cap
            future = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1)
            return scores.masked_fill(future, float("-inf"))
        rsqrt: queries / torch.sqrt((queries**2).mean(dim=-1, keepdim=True) + 1e-6) → queries * torch.rsqrt(queries.pow(2).mean(-1, keepdim=True) + 1e-6)
        one-weight: * query_weight →
            * key_weight → * (key_weight * query_weight)
        """),
)

# ---------------------------------------------------------------------------------------- memories of fixed size


def streamed(id, says, b, heads, tokens, head_dim, value_dim, seed, **more):
    inputs = {
        "queries": drawn(b, heads, tokens, head_dim, seed=seed),
        "keys": drawn(b, heads, tokens, head_dim, seed=seed + 1) / head_dim**0.5,
        "values": drawn(b, heads, tokens, value_dim, seed=seed + 2),
        "betas": torch.sigmoid(drawn(b, heads, tokens, seed=seed + 3)),
    }
    return Probe(id, says, inputs, **more)


BETAS = {"queries": HEADS, "keys": HEADS, "values": READ, "betas": ("b", "heads", "tokens")}


DELTA_RIGHTS = """
        einsum: body
            memory = torch.zeros(*keys.shape[:2], keys.shape[-1], values.shape[-1], dtype=keys.dtype)
            result = []
            for t in range(keys.shape[2]):
                k, v, beta = keys[:, :, t], values[:, :, t], betas[:, :, t, None]
                difference = v - torch.einsum("bhd,bhdv->bhv", k, memory)
                memory = memory + torch.einsum("bhd,bhv->bhdv", k, beta * difference)
                result.append(torch.einsum("bhd,bhdv->bhv", queries[:, :, t], memory))
            return torch.stack(result, dim=2)
        """


DELTA_RULE = Task(
    id="delta-rule",
    title="The delta rule",
    name="delta_rule",
    kind="function",
    signature="delta_rule(queries, keys, values, betas)",
    axes=READ,
    input_axes=BETAS,
    probes=(
        streamed("few", "five tokens", 2, 3, 5, 4, 6, 1),
        streamed("more", "nine tokens", 3, 2, 9, 6, 5, 11),
        streamed("one", "one token", 2, 3, 1, 5, 4, 21),
        streamed("double", "float64", 2, 4, 6, 3, 5, 31, dtype="float64"),
    ),
    checks=(
        Check("several tokens", 3, ("few", "more", "double")),
        Check("the first token", 1, ("one", "few")),
    ),
    learned="A memory that looks first and writes the difference can replace a value. Adding alone never can.",
    demands={
        "write, then read": "read-before-written",
        "writes only the difference": "nothing-taken-out",
        "with $\\beta = 0$ nothing is written": "beta-on-the-value-alone",
        "Queries and keys are used as they are": "keys-normalised",
        "The memory starts empty": "memory-starts-with-ones",
    },
    hints=(
        "The memory is (b, heads, head_dim, value_dim). What it has for a key is `(key * memory).sum(dim=2)` with a key of (b, heads, head_dim, 1).",
        "`change = betas[:, :, t, None] * (values[:, :, t] - found)`",
        "`memory = memory + key * change[:, :, None]`, and then `(query * memory).sum(dim=2)`.",
    ),
    wrong=wrongs("""
        nothing-taken-out: (values[:, :, t] - found) → values[:, :, t]
        everything-fades: memory = memory + key * change → memory = (1 - betas[:, :, t, None, None]) * memory + key * change
            (values[:, :, t] - found) → values[:, :, t]
        difference-turned-round: (values[:, :, t] - found) → (values[:, :, t] + found)
        beta-on-the-value-alone: betas[:, :, t, None] * (values[:, :, t] - found) → betas[:, :, t, None] * values[:, :, t] - found
        beta-not-used: betas[:, :, t, None] * (values → (values
        looked-up-by-query: found = (key * memory) → found = (query * memory)
        written-under-query: memory = memory + key * change → memory = memory + query * change
        read-before-written: line memory = memory + key →
            below contexts.append → memory = memory + key * change[:, :, None]
        overwritten-in-loop: memory = memory + key → memory = key
            hint: The memory has the newest token alone. Add to what it has.
        keys-normalised: above for t in range → keys = F.normalize(keys, dim=-1)
        memory-starts-with-ones: values.new_zeros( → values.new_ones(
        """),
    right=rights(
        DELTA_RIGHTS
        + """
        matmul: found = (key * memory).sum(dim=2) → found = (key.mT @ memory).squeeze(2)
        outer: memory = memory + key * change[:, :, None] → memory = memory + key @ change[:, :, None]
        """
    ),
)


def fading(id, says, *sizes, **more):
    probe = streamed(id, says, *sizes, **more)
    fades = torch.sigmoid(drawn(*probe.inputs["betas"].shape, seed=sizes[-1] + 4))
    return replace(probe, inputs=probe.inputs | {"fades": fades.to(probe.inputs["betas"].dtype)})


FADING_DELTA = Task(
    id="fading-delta",
    title="A memory that fades",
    name="fading_delta",
    kind="function",
    signature="fading_delta(queries, keys, values, betas, fades)",
    axes=READ,
    input_axes=BETAS | {"fades": ("b", "heads", "tokens")},
    probes=(
        fading("few", "five tokens", 2, 3, 5, 4, 6, 41),
        fading("more", "nine tokens", 3, 2, 9, 6, 5, 51),
        fading("one", "one token", 2, 3, 1, 5, 4, 61),
    ),
    checks=(
        Check("several tokens", 2, ("few", "more")),
        Check("the first token", 1, ("one", "few")),
    ),
    learned="Fading forgets everything a little, the delta rule one key entirely. Together they make room for what is new.",
    demands={
        "in each step the memory fades first": "faded-after-writing",
        "by `fades`": "fades-not-used",
        "then comes the delta rule": "nothing-taken-out",
    },
    hints=(
        "Copy `delta_rule`. One line more is needed, at the beginning of each step.",
        "The memory is (b, heads, head_dim, value_dim), `fades[:, :, t]` is (b, heads): it lacks two axes.",
        "`memory = memory * fades[:, :, t, None, None]`",
    ),
    wrong=wrongs("""
        fades-not-used: memory = memory * fades[:, :, t, None, None] → memory = memory * 1.0
        faded-after-writing: memory = memory * fades[:, :, t, None, None] → memory = memory * 1.0
            memory = memory + key * change[:, :, None] → memory = (memory + key * change[:, :, None]) * fades[:, :, t, None, None]
        looked-up-before-fading: memory = memory * fades[:, :, t, None, None] → memory = memory * 1.0
            memory = memory + key * change[:, :, None] → memory = memory * fades[:, :, t, None, None] + key * change[:, :, None]
        fades-turned-round: memory * fades[:, :, t, None, None] → memory * (1 - fades[:, :, t, None, None])
        nothing-taken-out: (values[:, :, t] - found) → values[:, :, t]
        read-before-written: line memory = memory + key →
            below contexts.append → memory = memory + key * change[:, :, None]
        """),
    right=rights("""
        einsum: body
            memory = torch.zeros(*keys.shape[:2], keys.shape[-1], values.shape[-1], dtype=keys.dtype)
            result = []
            for t in range(keys.shape[2]):
                k, v = keys[:, :, t], values[:, :, t]
                memory = torch.einsum("bh,bhdv->bhdv", fades[:, :, t], memory)
                difference = v - torch.einsum("bhd,bhdv->bhv", k, memory)
                memory = memory + torch.einsum("bhd,bhv->bhdv", k, betas[:, :, t, None] * difference)
                result.append(torch.einsum("bhd,bhdv->bhv", queries[:, :, t], memory))
            return torch.stack(result, dim=2)
        matmul: found = (key * memory).sum(dim=2) → found = (key.mT @ memory).squeeze(2)
        in-place: memory = memory * fades[:, :, t, None, None] → memory *= fades[:, :, t, None, None]
        """),
)

DELTA_PARALLEL = Task(
    id="delta-parallel",
    title="All changes at once",
    name="delta_parallel",
    kind="function",
    signature="delta_parallel(queries, keys, values, betas)",
    axes=READ,
    input_axes=BETAS,
    probes=(
        streamed("few", "five tokens", 2, 3, 5, 4, 6, 51),
        streamed("more", "nine tokens", 3, 2, 9, 6, 5, 61),
        streamed("one", "one token", 2, 3, 1, 5, 4, 71),
        streamed("double", "float64", 2, 4, 6, 3, 5, 81, dtype="float64"),
        streamed(
            "costs",
            "forty tokens",
            1,
            2,
            40,
            3,
            4,
            91,
            observe="costs",
            settings={"numbers": 10**6, "operations": 60},
        ),
    ),
    checks=(
        Check("equal to the loop", 3, ("few", "more", "one", "double")),
        Check("without a loop", 1, ("costs", "few")),
    ),
    learned="What looks like a loop over tokens is a triangular system of equations. Solved piece by piece, this is how delta models train.",
    demands={
        "\\sum_{j<t}": "diagonal-in-the-system",
        "\\beta_t v_t": "beta-left-out-of-values",
        "u_t + \\beta_t": "beta-left-out-of-overlaps",
        "\\sum_{j \\le t} (q_t \\cdot k_j)": "read-before-written",
        "without a loop": "looped-after-all",
    },
    hints=(
        "`keys @ keys.mT` is all products of keys. Times β of the **row's** token, strictly below the diagonal, plus the identity: that is A.",
        "`B` is β times the values. `torch.linalg.solve_triangular(A, B, upper=False)` gives all changes.",
        "`(queries @ keys.mT).tril() @ changes`",
    ),
    wrong=wrongs("""
        diagonal-in-the-system: .tril(-1) → .tril()
        beta-left-out-of-values: betas * values → values
        beta-left-out-of-overlaps: (betas * (keys @ keys.mT)) → (keys @ keys.mT)
        beta-of-the-other-token: (betas * (keys @ keys.mT)) → (betas.mT * (keys @ keys.mT))
        read-before-written: (queries @ keys.mT).tril() → (queries @ keys.mT).tril(-1)
        future-visible: (queries @ keys.mT).tril() → (queries @ keys.mT)
            hint: Each query also reads what later tokens change. Cut the scores: `.tril()`.
        overlaps-with-the-wrong-sign: system = before + torch.eye(keys.shape[2], dtype=keys.dtype) → system = torch.eye(keys.shape[2], dtype=keys.dtype) - before
        nothing-taken-out: torch.linalg.solve_triangular(system, betas * values, upper=False) → betas * values
        queries-in-the-system: (betas * (keys @ keys.mT)) → (betas * (queries @ keys.mT))
        looped-after-all: body
            changes = betas[..., None] * values
            for t in range(1, keys.shape[2]):
                found = keys[:, :, t, None] @ (keys[:, :, :t].mT @ changes[:, :, :t])
                changes = torch.cat((changes[:, :, :t], betas[:, :, t, None, None] * (values[:, :, t, None] - found), changes[:, :, t + 1 :]), dim=2)
            return (queries @ keys.mT).tril() @ changes
        looped-after-all: = delta_rule(queries, keys, values, betas)
            hint: The numbers are right, and `delta_rule` makes them, token by token. Solve all equations in one call.
        """),
    right=rights("""
        solve: torch.linalg.solve_triangular(system, betas * values, upper=False) → torch.linalg.solve(system, betas * values)
        inverse: torch.linalg.solve_triangular(system, betas * values, upper=False) → torch.linalg.inv(system) @ (betas * values)
        diagonal: system = before + torch.eye(keys.shape[2], dtype=keys.dtype) → system = before + torch.diag_embed(torch.ones_like(keys[..., 0]))
        """),
)

# ------------------------------------------------------------------------------------------------------- masks


def packed(id, says, documents, window, prefixes):
    documents, prefixes = torch.tensor(documents), torch.tensor(prefixes)
    b, tokens = documents.shape
    row, query, key = torch.meshgrid(*(torch.arange(size) for size in (b, tokens, tokens)), indexing="ij")
    asked = {"b": row, "h": torch.zeros_like(row), "query": query, "key": key}

    def redraw(generator):
        """The same documents with a window and prefixes of other sizes."""
        return {"window": window + whole(generator, 1, 2), "prefixes": prefixes + whole(generator, 0, 1)}

    inputs = {"documents": documents, "window": window, "prefixes": prefixes}
    return Probe(id, says, inputs, then=asked, redraw=redraw)


PACKED = Task(
    id="packed-mod",
    title="Packed documents",
    name="packed_mod",
    kind="function",
    signature="packed_mod(documents, window, prefixes)",
    axes=("b", "tokens", "tokens"),
    input_axes={"documents": ("b", "tokens"), "prefixes": ("b",)},
    dtypes=("bool",),
    probes=(
        packed("one", "one document in each row", [[0] * 7, [3] * 7], 3, [0, 0]),
        packed(
            "two", "two documents in a row", [[0, 0, 0, 1, 1, 1, 1, 1], [5, 5, 5, 5, 5, 2, 2, 2]], 3, [0, 0]
        ),
        packed("prefix", "prefixes of 4 and 2 tokens", [[0] * 6, [1] * 6, [2] * 6], 2, [4, 2, 0]),
        packed(
            "prefix-cut",
            "a prefix that is longer than the first document",
            [[0, 0, 0, 1, 1, 1, 1], [4, 4, 4, 4, 4, 6, 6], [1] * 7],
            2,
            [5, 3, 1],
        ),
    ),
    checks=(
        Check("documents and a window", 0, ("one", "two")),
        Check("prefixes", 0, ("prefix", "prefix-cut")),
    ),
    learned="A mask is a rule about positions. Rules are joined by `&` and `|`, and no one has to write down a matrix.",
    demands={
        "only within the query's own document": "documents-mixed",
        "is not in the future": "future-visible",
        "lies in the window": "window-not-used",
        "query and key both lie in the prefix": "prefix-visible-to-all",
        "the prefix of row `b`": "first-sequence-for-all",
        "that gives True where the key is visible": "mask-polarity",
    },
    hints=(
        "Inside, `documents[b, query] == documents[b, key]` says whether both are in one document.",
        "In the window: `(query >= key) & (query - key < window)`. In the prefix: `(query < prefixes[b]) & (key < prefixes[b])`.",
        "`return same & (recent | prefix)`, and after the inner function `return mask_mod`.",
    ),
    wrong=wrongs("""
        documents-mixed: return same & (recent | prefix) → return recent | prefix
        prefix-across-documents: return same & (recent | prefix) → return same & recent | prefix
        future-visible: (query >= key) & (query - key < window) → (query - key < window)
            hint: The future is visible. Outside of the prefix, `query >= key` has to hold too.
        window-not-used: (query >= key) & (query - key < window) → (query >= key)
        window-one-too-wide: query - key < window → query - key <= window
        prefix-visible-to-all: prefix = (query < prefixes[b]) & (key < prefixes[b]) → prefix = key < prefixes[b]
        prefix-left-out: return same & (recent | prefix) → return same & recent
        prefix-one-too-long: (query < prefixes[b]) & (key < prefixes[b]) → (query <= prefixes[b]) & (key <= prefixes[b])
        first-sequence-for-all: (query < prefixes[b]) & (key < prefixes[b]) → (query < prefixes[0]) & (key < prefixes[0])
            hint: Every row gets the prefix of row 0. Each has its own: `prefixes[b]`.
        first-sequence-for-all: documents[b, query] == documents[b, key] → documents[0, query] == documents[0, key]
            hint: Every row gets the documents of row 0. Each has its own: `documents[b, …]`.
        mask-polarity: return same & (recent | prefix) → return ~(same & (recent | prefix))
            hint: True marks what is hidden here. A `mask_mod` says True where a key is visible.
        """),
    right=rights("""
        logical: return same & (recent | prefix) → return torch.logical_and(same, torch.logical_or(recent, prefix))
        larger: (query < prefixes[b]) & (key < prefixes[b]) → torch.maximum(query, key) < prefixes[b]
        lambda: cell
            def packed_mod(documents, window, prefixes):
                return lambda b, h, q, k: (documents[b, q] == documents[b, k]) & (
                    ((q - k >= 0) & (q - k < window)) | ((q < prefixes[b]) & (k < prefixes[b]))
                )
        """),
)

# ------------------------------------------------------------------------------------------------------ budget


def plan(seed, full=0, window=0, latent=0, delta=0):
    """A plan of layers, and what makes the same one with other sizes."""
    counts = {"full": full, "window": window, "latent": latent, "delta": delta}

    def redraw(generator):
        return {"layers": Specimen("cache-plan", {"seed": whole(generator, 0, 10**6), **counts})}

    return Specimen("cache-plan", {"seed": seed, **counts}), redraw


def planned(id, says, num_tokens, seed, each=None, **counts):
    layers, redraw = plan(seed, **counts)
    inputs = {"layers": layers, "num_tokens": num_tokens}
    return Probe(id, says, inputs | ({} if each is None else {"bytes_per_number": each}), redraw=redraw)


PLAN_BYTES = Task(
    id="plan-bytes",
    title="What a cache takes",
    name="plan_bytes",
    kind="function",
    signature="plan_bytes(layers, num_tokens, bytes_per_number=2)",
    axes=(),
    number=True,
    dtypes=("int64", "int32", "float64"),
    probes=(
        planned("full", "three full layers", 1000, 1, full=3),
        planned("window", "two layers with a window, and a long text", 5000, 2, window=2),
        planned("window-short", "a text shorter than the window", 3, 3, window=2, full=1),
        planned("latent", "three latent layers", 700, 4, latent=3),
        planned("delta", "two layers with a delta rule", 900, 5, delta=2),
        planned(
            "mixed", "layers of all kinds, 4 bytes a number", 2000, 6, 4, full=1, window=2, latent=1, delta=3
        ),
    ),
    checks=(
        Check("full layers and windows", 1, ("full", "window", "window-short")),
        Check("latent and delta layers", 1, ("latent", "delta")),
        Check("mixed layers, other bytes", 1, ("mixed",)),
    ),
    learned="Four kinds of layers, four rules. Only the delta rule's memory does not depend on the text.",
    demands={
        "keys and values of all tokens": "values-not-counted",
        "of at most `window` tokens": "window-not-bounding",
        "a latent and a rotated key": "rotated-key-not-counted",
        "one memory for each head, whatever the length": "memory-grows",
        "with a dictionary for each layer": "first-layer-for-all",
        "bytes_per_number=2": "two-bytes-typed-in",
    },
    hints=(
        "Go through the layers, and add the numbers that each keeps. Multiply by `bytes_per_number` at the end.",
        "A full layer keeps `2 * groups * head_dim` numbers for each token. With a window, count `min(num_tokens, window)` tokens.",
        "Latent: `latent_dim + rope_dim` for each token. Delta: `heads * head_dim * value_dim`, once.",
    ),
    wrong=wrongs("""
        values-not-counted: 2 * layer["groups"] →2 layer["groups"]
        values-not-counted: 2 * layer["groups"] * layer["head_dim"] * num_tokens → layer["groups"] * layer["head_dim"] * num_tokens
        values-not-counted: 2 * layer["groups"] * layer["head_dim"] * min → layer["groups"] * layer["head_dim"] * min
        total-replaced: numbers += layer["heads"] → numbers = layer["heads"]
        total-replaced: numbers += (layer["latent_dim"] → numbers = (layer["latent_dim"]
        window-not-bounding: min(num_tokens, layer["window"]) → num_tokens
        window-always-filled: min(num_tokens, layer["window"]) → layer["window"]
        window-cuts-later-layers: numbers += 2 * layer["groups"] * layer["head_dim"] * min(num_tokens, layer["window"]) → num_tokens = min(num_tokens, layer["window"])↵numbers += 2 * layer["groups"] * layer["head_dim"] * num_tokens
        latent-counted-twice: numbers += (layer["latent_dim"] + layer["rope_dim"]) → numbers += 2 * (layer["latent_dim"] + layer["rope_dim"])
        rotated-key-not-counted: (layer["latent_dim"] + layer["rope_dim"]) → layer["latent_dim"]
        memory-grows: layer["heads"] * layer["head_dim"] * layer["value_dim"] → layer["heads"] * layer["head_dim"] * layer["value_dim"] * num_tokens
        memory-of-one-head: layer["heads"] * layer["head_dim"] * layer["value_dim"] → layer["head_dim"] * layer["value_dim"]
        first-layer-for-all: for layer in layers: → for layer in [layers[0]] * len(layers):
        numbers-not-bytes: return numbers * bytes_per_number → return numbers
        doubled-for-all: 2 * layer["groups"] →2 layer["groups"]
            return numbers * → return 2 * numbers *
        two-bytes-typed-in: return numbers * bytes_per_number → return numbers * 2
        """),
    right=rights("""
        functions: body
            rules = {
                "full": lambda one: 2 * one["groups"] * one["head_dim"] * num_tokens,
                "window": lambda one: 2 * one["groups"] * one["head_dim"] * min(one["window"], num_tokens),
                "latent": lambda one: (one["latent_dim"] + one["rope_dim"]) * num_tokens,
                "delta": lambda one: one["heads"] * one["head_dim"] * one["value_dim"],
            }
            return bytes_per_number * sum(rules[one["kind"]](one) for one in layers)
        tokens: body
            total = 0
            for one in layers:
                tokens = min(num_tokens, one.get("window", num_tokens))
                if "groups" in one:
                    total += one["groups"] * one["head_dim"] * tokens * 2
                elif "latent_dim" in one:
                    total += tokens * one["latent_dim"] + tokens * one["rope_dim"]
                else:
                    total += one["heads"] * one["head_dim"] * one["value_dim"]
            return total * bytes_per_number
        tensor: return numbers * bytes_per_number → return torch.tensor(numbers * bytes_per_number)
        """),
)


def blocks(id, says, b, tokens, head_dim, rate, seed, bias=1.0):
    return Probe(
        id,
        says,
        {
            "projected": drawn(b, tokens, head_dim, seed=seed),
            "gates": 2 * drawn(b, tokens, head_dim, seed=seed + 1),
            "position_bias": bias * drawn(rate, head_dim, seed=seed + 2),
        },
    )


COMPRESSED = Task(
    id="compressed-keys",
    title="Compressed keys",
    name="compressed_keys",
    kind="function",
    signature="compressed_keys(projected, gates, position_bias)",
    axes=("b", "blocks", "head_dim"),
    input_axes={
        **dict.fromkeys(("projected", "gates"), ("b", "tokens", "head_dim")),
        "position_bias": ("rate", "head_dim"),
    },
    probes=(
        blocks("two", "two blocks of four tokens", 2, 8, 5, 4, 1),
        blocks("left-over", "three blocks of three tokens, and two tokens more", 3, 11, 6, 3, 11),
        blocks("many", "five blocks of two tokens, and one more", 2, 11, 3, 2, 21),
        blocks("short", "a text shorter than a block", 2, 3, 4, 5, 31),
        blocks("no-bias", "three blocks of four tokens, and a bias of 0", 2, 12, 5, 4, 41, bias=0.0),
    ),
    checks=(
        Check("complete blocks", 0, ("two",)),
        Check("complete blocks without a bias", 0, ("no-bias",)),
        Check("tokens that do not fill a block", 0, ("left-over", "many")),
        Check("a text shorter than a block", 0, ("short", "two")),
    ),
    learned="Each number of a compressed key says for itself which tokens of the block it comes from.",
    demands={
        "Each complete block of `rate` tokens becomes one key": "blocks-of-every-rate-th-token",
        "with separate weights for **each number** of the head": "one-weight-for-all-numbers",
        "the softmax over the tokens of the block": "softmax-over-numbers",
        "plus `position_bias`": "place-in-block-ignored",
        "Tokens at the end that do not fill a block are left out": "open-block-kept",
        "A text shorter than a block has no compressed key": "short-text-refused",
    },
    hints=(
        "`rate = len(position_bias)`, and there are `projected.shape[1] // rate` complete blocks. Cut off the tokens after them.",
        "`unflatten(1, (num_blocks, rate))` makes (b, blocks, rate, head_dim) of both tensors. `position_bias` fits on the last two axes.",
        "`(torch.softmax(gates + position_bias, dim=2) * projected).sum(dim=2)`",
    ),
    wrong=wrongs("""
        block-averaged: return (weights * projected).sum(dim=2) → return projected.mean(dim=2)
        softmax-over-numbers: dim=2)  # (b, blocks, rate, head_dim) → dim=-1)
        softmax-over-blocks: dim=2)  # (b, blocks, rate, head_dim) → dim=1)
        place-in-block-ignored: gates + position_bias → gates
        bias-after-softmax: torch.softmax(gates + position_bias, dim=2) → torch.softmax(gates, dim=2) + position_bias
        one-weight-for-all-numbers: gates + position_bias → (gates + position_bias).mean(dim=-1, keepdim=True)
        no-softmax: torch.softmax(gates + position_bias, dim=2) → gates + position_bias
            hint: The gates themselves are used as weights. Take the softmax over the tokens of the block.
        sigmoid-for-softmax: torch.softmax(gates + position_bias, dim=2) → torch.sigmoid(gates + position_bias)
            hint: Each gate becomes a number between 0 and 1 by itself. The weights of a block add up to 1: take
                the softmax over its tokens.
        softmax-over-the-text: body
            rate = len(position_bias)
            num_blocks = projected.shape[1] // rate
            complete = num_blocks * rate
            weights = torch.softmax(gates[:, :complete] + position_bias.repeat(num_blocks, 1), dim=1)
            return (weights * projected[:, :complete]).unflatten(1, (num_blocks, rate)).sum(dim=2)
        last-token-of-each-block: return (weights * projected).sum(dim=2) → return projected[:, :, -1]
        bias-multiplied: gates + position_bias → gates * position_bias
        blocks-overlap: body
            rate = len(position_bias)
            found = [
                (torch.softmax(gates[:, at : at + rate] + position_bias, dim=1) * projected[:, at : at + rate]).sum(dim=1)
                for at in range(projected.shape[1] - rate + 1)
            ]
            return torch.stack(found, dim=1) if found else projected[:, :0]
        gates-weighted: (weights * projected) → (weights * gates)
        mean-for-sum: .sum(dim=2) → .mean(dim=2)
            hint: The weighted tokens are divided by their number. The weights add up to 1 already: take the sum.
        blocks-of-every-rate-th-token: projected[:, :complete].unflatten(1, (num_blocks, rate)) → projected[:, :complete].unflatten(1, (rate, num_blocks)).transpose(1, 2)
            gates[:, :complete].unflatten(1, (num_blocks, rate)) → gates[:, :complete].unflatten(1, (rate, num_blocks)).transpose(1, 2)
        whole-blocks-cut-off: body
            rate = len(position_bias)
            rest = projected.shape[1] % rate
            projected = projected[:, :-rest].unflatten(1, (-1, rate))
            weights = torch.softmax(gates[:, :-rest].unflatten(1, (-1, rate)) + position_bias, dim=2)
            return (weights * projected).sum(dim=2)
        blocks-from-the-end: projected[:, :complete] → projected[:, projected.shape[1] - complete :]
            gates[:, :complete] → gates[:, gates.shape[1] - complete :]
        open-block-kept: num_blocks = projected.shape[1] // rate → num_blocks = -(-projected.shape[1] // rate)
            above complete = → missing = num_blocks * rate - projected.shape[1]↵projected = F.pad(projected, (0, 0, 0, missing))↵gates = F.pad(gates, (0, 0, 0, missing), value=-torch.inf)
        open-block-kept: num_blocks = projected.shape[1] // rate → num_blocks = -(-projected.shape[1] // rate)
            above complete = → missing = num_blocks * rate - projected.shape[1]↵projected = F.pad(projected, (0, 0, 0, missing))↵gates = F.pad(gates, (0, 0, 0, missing))
        one-weight-for-all-numbers: torch.softmax(gates + position_bias, dim=2) → torch.softmax(gates + position_bias, dim=2).mean(dim=-1, keepdim=True)
        one-weight-for-all-numbers: torch.softmax(gates + position_bias, dim=2) → torch.softmax((gates + position_bias).sum(dim=-1, keepdim=True), dim=2)
        one-weight-for-all-numbers: torch.softmax(gates + position_bias, dim=2) → torch.softmax((gates + position_bias)[..., :1], dim=2)
        one-weight-for-all-numbers: torch.softmax(gates + position_bias, dim=2) → torch.softmax((gates + position_bias).amax(dim=-1, keepdim=True), dim=2)
        softmax-over-numbers: torch.softmax(gates + position_bias, dim=2) → torch.softmax((gates + position_bias).flatten(2), dim=-1).view_as(gates)
            hint: Softmax runs over the tokens of a block and the numbers of the head together. Each number has weights of its own: take it over the tokens.
        gates-averaged: gates + position_bias → gates.mean(dim=-1, keepdim=True) + position_bias
        gates-averaged: gates + position_bias → gates[..., :1] + position_bias
            hint: Only the first number of each token's gates is used. Each number of the head has a gate of its own.
        complete-block-left-out: num_blocks = projected.shape[1] // rate → num_blocks = max(projected.shape[1] - 1, 0) // rate
        complete-block-left-out: num_blocks = projected.shape[1] // rate → num_blocks = max(projected.shape[1] // rate - 1, 0)
            hint: The last complete block is missing. There are `tokens // rate` of them.
        complete-block-left-out: above return (weights → weights, projected = weights[:, 1:], projected[:, 1:]
            hint: The first block is missing. Begin with token 0.
        not-normalised: torch.softmax(gates + position_bias, dim=2) → torch.exp(gates + position_bias)
            hint: The exponentials are used as weights, and they do not add up to 1 over a block. Take the softmax.
        summed-over-blocks: return (weights * projected).sum(dim=2) → return (weights * projected).sum(dim=1)
        bias-twice: gates + position_bias → gates + 2 * position_bias
        bias-on-first-block: gates + position_bias → torch.cat((gates[:, :1] + position_bias, gates[:, 1:]), dim=1)
        first-row-of-bias-only: gates + position_bias → torch.cat((gates[:, :, :1] + position_bias[0], gates[:, :, 1:]), dim=2)
        weights-softmaxed-twice: torch.softmax(gates + position_bias, dim=2) → torch.softmax(torch.softmax(gates, dim=2) + position_bias, dim=2)
        weights-softmaxed-twice: torch.softmax(gates + position_bias, dim=2) → torch.softmax(torch.softmax(gates + position_bias, dim=2), dim=2)
            hint: Softmax runs twice. Once is right.
        softmax-before-bias: torch.softmax(gates + position_bias, dim=2) → torch.softmax(gates, dim=2) * torch.softmax(position_bias, dim=0)
        bias-of-neighbours: gates + position_bias → gates + position_bias.repeat_interleave(num_blocks, dim=0).unflatten(0, (num_blocks, rate))
        bias-backwards: gates + position_bias → gates + position_bias.flip(0)
        bias-subtracted: gates + position_bias → gates - position_bias
        bias-on-the-tokens: gates + position_bias → gates
            (weights * projected) → (weights * (projected + position_bias))
        weights-from-the-tokens: gates + position_bias → projected + position_bias
        gates-scaled: gates + position_bias → (gates + position_bias) / gates.shape[-1] ** 0.5
        gates-scaled: gates + position_bias → gates / gates.shape[-1] ** 0.5 + position_bias
        largest-gate-only: return (weights * projected).sum(dim=2) → return projected.gather(2, weights.argmax(dim=2, keepdim=True)).squeeze(2)
        block-added-up: return (weights * projected).sum(dim=2) → return projected.sum(dim=2)
        short-text-refused: body
            rate, found = len(position_bias), []
            for begin in range(0, projected.shape[1] - rate + 1, rate):
                weights = (gates[:, begin : begin + rate] + position_bias).softmax(dim=1)
                found.append((weights * projected[:, begin : begin + rate]).sum(dim=1))
            return torch.stack(found, dim=1)
        """),
    right=rights("""
        loop: body
            rate, found = len(position_bias), []
            for begin in range(0, projected.shape[1] - rate + 1, rate):
                weights = (gates[:, begin : begin + rate] + position_bias).softmax(dim=1)
                found.append((weights * projected[:, begin : begin + rate]).sum(dim=1))
            return torch.stack(found, dim=1) if found else projected[:, :0]
        einsum: return (weights * projected).sum(dim=2) → return torch.einsum("bnrd,bnrd->bnd", weights, projected)
        reshape: body
            rate, head_dim = position_bias.shape
            count = projected.shape[1] // rate
            cut = [one[:, : count * rate].reshape(len(one), count, rate, head_dim) for one in (projected, gates)]
            exps = torch.exp(cut[1] + position_bias)
            return (exps * cut[0]).sum(-2) / exps.sum(-2)
        """),
)

LESSON = Lesson(
    title="13 · Attention in 2026",
    given_axes={},
    redraw=lambda generator: {},
    tasks=(
        *(WINDOW_MASK, RING_CACHE, REACH, SINK_ATTENTION),
        *(LATENT_ATTENTION, ABSORBED, KEYS_AS_VALUES, KV_SOURCES, SHARING_LAYERS),
        *(CHOSEN_KEYS, COMPRESSED),
        *(ROTATE_PART, STRETCHED, BOUNDED),
        *(DELTA_RULE, FADING_DELTA, DELTA_PARALLEL, PACKED, PLAN_BYTES),
    ),
)
