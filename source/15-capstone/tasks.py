"""The tasks of the capstone: their probes, the wrong answers people give, and the hint each deserves."""

import torch
from autograder.author.authoring import Check, Lesson, Probe, Specimen, Task, rights, wrongs

WHOLE = ("int64", "int32", "float32")
LOGITS = ("b", "tokens", "vocab")


def drawn(*shape, seed):
    """Random numbers of a shape, the same on every build."""
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def anew(generator):
    """A seed for another draw."""
    return int(torch.randint(2**20, (1,), generator=generator))


# ------------------------------------------------------------------------------------------------- a blank page

SIZES = ("d_model", "num_heads", "num_groups", "head_dim", "rope_dim", "window")


def attending(id, says, shape, sizes, seed, cached=False, **more):
    construct = dict(zip(SIZES, sizes, strict=True)) | {"cached": cached}
    return Probe(id, says, {"x": drawn(*shape, seed=seed)}, construct=construct, seed=seed, **more)


def in_steps(id, says, shape, sizes, pieces, seed, **more):
    settings = {"axis": 1, "sizes": list(pieces)}
    return attending(id, says, shape, sizes, seed, cached=True, observe="steps", settings=settings, **more)


BLANK_ATTENTION = Task(
    id="blank-attention",
    title="One class, from a blank page",
    name="WindowAttention",
    kind="module",
    signature="WindowAttention(d_model, num_heads, num_groups, head_dim, rope_dim, window, cached=False)",
    axes=("b", "tokens", "d_model"),
    input_axes={"x": ("b", "tokens", "d_model")},
    probes=(
        attending("short", "a text shorter than the window", (2, 4, 7), (7, 6, 2, 8, 4, 5), 1),
        attending("long", "a text longer than the window", (2, 9, 7), (7, 6, 2, 8, 4, 3), 2),
        attending("groups", "three groups for six heads", (3, 8, 5), (5, 6, 3, 4, 2, 4), 3),
        attending("whole-head", "a head that is rotated as a whole", (2, 6, 10), (10, 4, 1, 6, 6, 3), 4),
        attending("one-token", "a single token", (3, 1, 7), (7, 6, 2, 8, 4, 5), 5),
        attending(
            "double", "a module and inputs of float64", (2, 6, 7), (7, 6, 2, 8, 4, 3), 6, dtype="float64"
        ),
        in_steps("one-by-one", "a text token by token", (2, 8, 7), (7, 6, 2, 8, 4, 3), [1] * 8, 7),
        in_steps("pieces", "a text in pieces", (2, 12, 7), (7, 4, 2, 6, 4, 4), [5, 1, 2, 4], 8),
        in_steps(
            "long-piece", "a piece longer than the window", (3, 11, 5), (5, 6, 3, 4, 2, 3), [2, 7, 2], 9
        ),
    ),
    checks=(
        Check("a single token", 1, ("one-token",)),
        Check("several sizes of heads and groups", 1, ("short", "groups", "whole-head")),
        Check("a text longer than the window", 3, ("long", "double", "groups")),
        Check("a text in pieces", 3, ("one-by-one", "pieces", "long-piece", "long")),
    ),
    words={"width": "√head_dim", "swap": "keys.mT"},
    learned="A whole modern attention class, written by you alone: windows, sinks, groups, rotation and a cache.",
    demands={
        "Neighbouring query heads share a group": "groups-taken-in-turn",
        "Only the first `rope_dim` numbers": "capstone-all-rotated",
        "of queries and keys are rotated": "keys-not-rotated",
        "half-split": "capstone-neighbours-rotated",
        "with a base of 10000": "capstone-other-base",
        "the `window - 1` tokens before it": "capstone-window-too-wide",
        "Scores are divided by √head_dim": "no-scale",
        "one number for each head": "capstone-one-sink",
        "unscaled": "capstone-sink-scaled",
        "takes part in the softmax": "capstone-no-sink",
        "that key has no value": "capstone-sink-with-value",
        "each call is a text of its own": "capstone-always-cached",
        "returns their outputs, as if the text had come at once": "capstone-positions-begin-again",
    },
    hints=(
        "Every part is in a notebook of yours: groups and cache in lesson 11, partial RoPE, window and sinks in 13.",
        "Write it without the cache first. Then ask of each line: what if these are not the first tokens?",
    ),
    wrong=wrongs("""
        no-scale: / queries.shape[-1] ** 0.5 →
        groups-taken-in-turn: keys.repeat_interleave(sharing, dim=1) → keys.repeat(1, sharing, 1, 1)
            values.repeat_interleave(sharing, dim=1) → values.repeat(1, sharing, 1, 1)
        capstone-all-rotated: half = self.rope_dim // 2 → half = heads.shape[-1] // 2
            heads[..., : self.rope_dim].chunk → heads.chunk
            heads[..., self.rope_dim :] → heads[..., :0]
        capstone-last-rotated: heads[..., : self.rope_dim].chunk → heads[..., heads.shape[-1] - self.rope_dim :].chunk
            (*turned, heads[..., self.rope_dim :]) → (heads[..., : heads.shape[-1] - self.rope_dim], *turned)
        keys-not-rotated: self.rotated(queries, positions), self.rotated(keys, positions) → self.rotated(queries, positions), keys
        capstone-neighbours-rotated: first, second = heads[..., : self.rope_dim].chunk(2, dim=-1) → first, second = heads[..., : self.rope_dim].unflatten(-1, (-1, 2)).unbind(-1)
            (*turned, heads[..., self.rope_dim :]) → (torch.stack(turned, dim=-1).flatten(-2), heads[..., self.rope_dim :])
        capstone-other-base: 10000.0 ** → 1000.0 **
        capstone-frequencies-of-head: 10000.0 ** (-torch.arange(half) / half) → 10000.0 ** (-2 * torch.arange(half) / heads.shape[-1])
        capstone-window-too-wide: distance >= self.window → distance > self.window
            [:, :, -self.window :] →2 [:, :, -self.window - 1 :]
        capstone-window-too-narrow: distance >= self.window → distance >= self.window - (self.window > 1)
        capstone-window-left-out: (distance < 0) | (distance >= self.window) → distance < 0
            [:, :, -self.window :] →2
        no-mask: (distance < 0) | (distance >= self.window) → distance >= self.window
            hint: The future is visible. A token sees itself and tokens before it.
        capstone-no-sink: torch.softmax(torch.cat((scores, sinks), dim=-1), dim=-1)[..., :-1] → torch.softmax(scores + 0 * sinks, dim=-1)
        capstone-one-sink: nn.Parameter(torch.randn(num_heads)) → nn.Parameter(torch.randn(num_heads))
            self.sinks.view(-1, 1, 1).expand(b, -1, new, 1) → (self.sinks[0] + 0 * self.sinks).view(-1, 1, 1).expand(b, -1, new, 1)
        capstone-sink-scaled: self.sinks.view(-1, 1, 1) → (self.sinks / queries.shape[-1] ** 0.5).view(-1, 1, 1)
        capstone-sink-with-value: dim=-1)[..., :-1] → dim=-1)
            weights @ values → weights @ torch.cat((values, values[:, :, -1:]), dim=2)
        capstone-sink-subtracted: self.sinks.view → (-self.sinks).view
        capstone-always-cached: if self.cached: → if True:
        capstone-positions-begin-again: self.num_tokens += new → pass
        capstone-past-forgotten: if self.kept is not None: → if False:
        capstone-past-too-short: [:, :, -self.window :] →2 [:, :, -1:]
        capstone-queries-first-tokens: distance = torch.arange(tokens - new, tokens)[:, None] → distance = torch.arange(new)[:, None]
        capstone-piece-alone-kept: self.kept = keys[:, :, -self.window :], values[:, :, -self.window :] → self.kept = keys[:, :, -new:], values[:, :, -new:]
        keys-as-values: values = self.W_value(x) → values = self.W_key(x)
        no-out-proj: return self.out_proj(context.transpose(1, 2).flatten(2)) → return context.transpose(1, 2).flatten(2)
            self.out_proj = nn.Linear(num_heads * head_dim, d_model, bias=False) → self.out_proj = nn.Linear(num_heads * head_dim, num_heads * head_dim, bias=False)
        scaled-without-root: / queries.shape[-1] ** 0.5 → / queries.shape[-1]
        scaled-by-model-width: / queries.shape[-1] ** 0.5 → / (self.num_heads * queries.shape[-1]) ** 0.5
        scaled-by-input-width: / queries.shape[-1] ** 0.5 → / x.shape[-1] ** 0.5
        split-interleaved: self.W_query(x).view(b, new, self.num_heads, -1).transpose(1, 2) → self.W_query(x).view(b, new, -1, self.num_heads).permute(0, 3, 1, 2)
            self.W_key(x).view(b, new, self.num_groups, -1).transpose(1, 2) → self.W_key(x).view(b, new, -1, self.num_groups).permute(0, 3, 1, 2)
            self.W_value(x).view(b, new, self.num_groups, -1).transpose(1, 2) → self.W_value(x).view(b, new, -1, self.num_groups).permute(0, 3, 1, 2)
        merge-without-transpose: context.transpose(1, 2).flatten(2) → context.reshape(b, new, -1)
        capstone-queries-unrotated: self.rotated(queries, positions), self.rotated(keys, positions) → queries, self.rotated(keys, positions)
        values-rotated: below self.rotated(keys, positions) → values = self.rotated(values, positions)
        capstone-turned-backwards: (first * angles.cos() - second * angles.sin(), first * angles.sin() + second * angles.cos()) → (first * angles.cos() + second * angles.sin(), second * angles.cos() - first * angles.sin())
        capstone-mirrored: first * angles.cos() - second * angles.sin() → first * angles.cos() + second * angles.sin()
        capstone-turned-too-fast: (-torch.arange(half) / half) → (-torch.arange(half) / self.rope_dim)
        capstone-turned-faster-and-faster: (-torch.arange(half) / half) → (torch.arange(half) / half)
        no-mask: (distance < 0) | (distance >= self.window) → distance.abs() >= self.window
            hint: The future is visible. A token sees itself and tokens before it.
        mask-fills-zero: masked_fill(hidden, -torch.inf) → masked_fill(hidden, 0.0)
        capstone-sink-as-share: weights = torch.softmax(torch.cat((scores, sinks), dim=-1), dim=-1)[..., :-1] → weights = torch.softmax(scores, dim=-1) * torch.sigmoid(-sinks)
        capstone-queries-first-tokens: distance = torch.arange(tokens - new, tokens)[:, None] → distance = torch.arange(new)[:, None]
            keys[:, :, -self.window :], values[:, :, -self.window :] → keys, values
        capstone-cut-before-attention: self.kept = keys[:, :, -self.window :], values[:, :, -self.window :] → self.kept = keys, values = keys[:, :, -self.window :], values[:, :, -self.window :]
        capstone-cut-before-attention: self.kept = keys[:, :, -self.window :], values[:, :, -self.window :] → self.kept = keys, values = keys[:, :, -self.window :], values[:, :, -self.window :]
            weights = torch.softmax(torch.cat((scores, sinks), dim=-1), dim=-1)[..., :-1] → weights = torch.softmax(scores, dim=-1) * torch.sigmoid(torch.logsumexp(scores, dim=-1, keepdim=True) - sinks)
        capstone-pieces-counted: self.num_tokens += new → self.num_tokens += 1
        capstone-rotated-again: body forward
            b, new, _ = x.shape
            queries = self.W_query(x).view(b, new, self.num_heads, -1).transpose(1, 2)
            keys = self.W_key(x).view(b, new, self.num_groups, -1).transpose(1, 2)
            values = self.W_value(x).view(b, new, self.num_groups, -1).transpose(1, 2)
            if self.cached and self.kept is not None:
                keys = torch.cat((self.kept[0], keys), dim=2)
                values = torch.cat((self.kept[1], values), dim=2)
            tokens = keys.shape[2]
            places = torch.arange(tokens)
            queries, keys = self.rotated(queries, places[-new:]), self.rotated(keys, places)
            if self.cached:
                self.kept = keys, values
            distance = places[-new:, None] - places
            hidden = (distance < 0) | (distance >= self.window)
            sharing = self.num_heads // self.num_groups
            keys, values = keys.repeat_interleave(sharing, dim=1), values.repeat_interleave(sharing, dim=1)
            scores = (queries @ keys.mT / queries.shape[-1] ** 0.5).masked_fill(hidden, -torch.inf)
            sinks = self.sinks.view(-1, 1, 1).expand(b, -1, new, 1)
            weights = torch.softmax(torch.cat((scores, sinks), dim=-1), dim=-1)[..., :-1]
            return self.out_proj((weights @ values).transpose(1, 2).flatten(2))
        capstone-kept-tokens-counted: self.num_tokens += new → self.num_tokens = keys[:, :, -self.window :].shape[2]
        capstone-queries-begin-again: self.rotated(queries, positions), → self.rotated(queries, torch.arange(new)),
            hint: The queries of each piece are rotated from position 0, and its keys from where the text goes on. Both begin there.
        capstone-keys-begin-again: self.rotated(keys, positions) → self.rotated(keys, torch.arange(new))
            hint: The keys of each piece are rotated from position 0, and its queries from where the text goes on. Both begin there.
        capstone-past-one-too-short: [:, :, -self.window :] →2 [:, :, -(self.window - 2) :]
        capstone-first-tokens-kept: [:, :, -self.window :] →2 [:, :, : self.window]
        capstone-kept-unrotated: if self.cached:↵    self.num_tokens += new → raw = self.W_key(x).view(b, new, self.num_groups, -1).transpose(1, 2)↵if self.cached:↵    self.num_tokens += new
            self.kept = keys[:, :, -self.window :], → self.kept = (raw if self.kept is None else torch.cat((self.kept[0], raw), dim=2))[:, :, -self.window :],
        capstone-past-after-new: torch.cat((self.kept[0], keys), dim=2) → torch.cat((keys, self.kept[0]), dim=2)
            torch.cat((self.kept[1], values), dim=2) → torch.cat((values, self.kept[1]), dim=2)
        capstone-past-after-new: torch.cat((self.kept[1], values), dim=2) → torch.cat((values, self.kept[1]), dim=2)
        capstone-count-set: self.num_tokens += new → self.num_tokens = new
        capstone-batch-counted: self.num_tokens += new → self.num_tokens += b
        capstone-start-for-all: torch.arange(self.num_tokens, self.num_tokens + new) → torch.full((new,), self.num_tokens)
            hint: All tokens of a piece have one position. They count on from where the text has got to.
        capstone-heads-for-positions: angles = positions[:, None] * → angles = torch.arange(heads.shape[1])[:, None, None] *
        capstone-old-number-overwritten: turned = (first * angles.cos() - second * angles.sin(), first * angles.sin() + second * angles.cos()) → first = first * angles.cos() - second * angles.sin()↵turned = (first, first * angles.sin() + second * angles.cos())
        capstone-halves-of-whole-head: heads[..., : self.rope_dim].chunk(2, dim=-1) → heads[..., :half], heads[..., heads.shape[-1] // 2 : heads.shape[-1] // 2 + half]
            torch.cat((*turned, heads[..., self.rope_dim :]), dim=-1) → torch.cat((turned[0], heads[..., half : heads.shape[-1] // 2], turned[1], heads[..., heads.shape[-1] // 2 + half :]), dim=-1)
        capstone-angles-of-neighbours: body rotated
            half = self.rope_dim // 2
            angles = (positions[:, None] * 10000.0 ** (-torch.arange(half) / half)).repeat_interleave(2, dim=-1)
            part = heads[..., : self.rope_dim]
            partner = torch.cat((-part[..., half:], part[..., :half]), dim=-1)
            return torch.cat((part * angles.cos() + partner * angles.sin(), heads[..., self.rope_dim :]), dim=-1)
        capstone-exponents-shifted: (-torch.arange(half) / half) → (-torch.arange(1, half + 1) / half)
        capstone-exponents-shifted: (-torch.arange(half) / half) → (-torch.arange(half) / max(half - 1, 1))
        capstone-turned-too-slowly: (-torch.arange(half) / half) → (-2 * torch.arange(half) / half)
            hint: The exponents are twice as large as they should be, so the later pairs turn too slowly. In size, they run from 0 to almost 1.
        capstone-scaled-by-rope-dim: / queries.shape[-1] ** 0.5 → / self.rope_dim**0.5
        scaled-by-tokens: / queries.shape[-1] ** 0.5 → / tokens**0.5
        scaled-up: / queries.shape[-1] ** 0.5 → * queries.shape[-1] ** 0.5
        scaled-after-softmax: / queries.shape[-1] ** 0.5 →
            dim=-1)[..., :-1] → dim=-1)[..., :-1] / queries.shape[-1] ** 0.5
        capstone-wrong-column-dropped: torch.cat((scores, sinks), dim=-1), dim=-1)[..., :-1] → torch.cat((sinks, scores), dim=-1), dim=-1)[..., :-1]
        capstone-wrong-column-dropped: torch.cat((scores, sinks), dim=-1), dim=-1)[..., :-1] → torch.cat((scores, sinks), dim=-1), dim=-1)[..., 1:]
        capstone-sink-without-exponential: weights = torch.softmax(torch.cat((scores, sinks), dim=-1), dim=-1)[..., :-1] → powers = torch.exp(scores)↵weights = powers / (powers.sum(dim=-1, keepdim=True) + self.sinks.view(-1, 1, 1))
        capstone-sink-without-maximum: weights = torch.softmax(torch.cat((scores, sinks), dim=-1), dim=-1)[..., :-1] → powers = torch.exp(scores - scores.amax(dim=-1, keepdim=True))↵weights = powers / (powers.sum(dim=-1, keepdim=True) + torch.exp(self.sinks.view(-1, 1, 1)))
        capstone-sink-as-exponential: self.sinks.view(-1, 1, 1) → self.sinks.exp().view(-1, 1, 1)
        softmax-over-queries: torch.softmax(torch.cat((scores, sinks), dim=-1), dim=-1) → torch.softmax(torch.cat((scores, sinks), dim=-1).clamp(min=-1e9), dim=-2)
        softmax-over-heads: torch.softmax(torch.cat((scores, sinks), dim=-1), dim=-1) → torch.softmax(torch.cat((scores, sinks), dim=-1).clamp(min=-1e9), dim=1)
        capstone-window-in-blocks: (distance < 0) | (distance >= self.window) → (distance < 0) | (torch.arange(tokens - new, tokens)[:, None] // self.window != torch.arange(tokens) // self.window)
        capstone-nothing-hidden: (distance < 0) | (distance >= self.window) → (distance < 0) & (distance >= self.window)
        capstone-window-of-last-query: (distance >= self.window) → (torch.arange(tokens) < tokens - self.window)
        past-hidden: torch.arange(tokens - new, tokens)[:, None] - torch.arange(tokens) → torch.arange(tokens) - torch.arange(tokens - new, tokens)[:, None]
        mask-polarity: masked_fill(hidden, → masked_fill(~hidden,
        mask-after-softmax: line scores = scores.masked_fill →
            dim=-1)[..., :-1] → dim=-1)[..., :-1] * ~hidden
        capstone-own-token-hidden: (distance < 0) → (distance <= 0)
        capstone-cohere-future: (distance < 0) → (distance < -1)
        capstone-groups-differ: values.repeat_interleave(sharing, dim=1) → values.repeat(1, sharing, 1, 1)
        capstone-groups-differ: keys.repeat_interleave(sharing, dim=1) → keys.repeat(1, sharing, 1, 1)
        capstone-first-group-for-all: keys.repeat_interleave(sharing, dim=1) → keys[:, :1].expand(-1, self.num_heads, -1, -1)
            values.repeat_interleave(sharing, dim=1) → values[:, :1].expand(-1, self.num_heads, -1, -1)
        split-without-transpose: self.W_query(x).view(b, new, self.num_heads, -1).transpose(1, 2) → self.W_query(x).view(b, self.num_heads, new, -1)
            self.W_key(x).view(b, new, self.num_groups, -1).transpose(1, 2) → self.W_key(x).view(b, self.num_groups, new, -1)
            self.W_value(x).view(b, new, self.num_groups, -1).transpose(1, 2) → self.W_value(x).view(b, self.num_groups, new, -1)
        capstone-kept-keys-from-zero: torch.arange(tokens - new, tokens)[:, None] → positions[:, None]
        capstone-kept-keys-from-zero: torch.arange(tokens - new, tokens)[:, None] → positions[:, None]
            [:, :, -self.window :] →2 [:, :, -(self.window - 1) :]
        capstone-kept-tokens-counted: self.num_tokens += new → self.num_tokens = min(keys.shape[2], self.window - 1)
        capstone-groups-ignored: self.num_heads, self.num_groups = num_heads, num_groups → self.num_heads = self.num_groups = num_heads
            self.W_key = nn.Linear(d_model, num_groups * head_dim, bias=False) → self.W_key = nn.Linear(d_model, num_heads * head_dim, bias=False)
            self.W_value = nn.Linear(d_model, num_groups * head_dim, bias=False) → self.W_value = nn.Linear(d_model, num_heads * head_dim, bias=False)
        capstone-layers-with-bias: self.out_proj = nn.Linear(num_heads * head_dim, d_model, bias=False) → self.out_proj = nn.Linear(num_heads * head_dim, d_model)
        capstone-layers-with-bias: self.W_query = nn.Linear(d_model, num_heads * head_dim, bias=False) → self.W_query = nn.Linear(d_model, num_heads * head_dim)
            self.W_key = nn.Linear(d_model, num_groups * head_dim, bias=False) → self.W_key = nn.Linear(d_model, num_groups * head_dim)
            self.W_value = nn.Linear(d_model, num_groups * head_dim, bias=False) → self.W_value = nn.Linear(d_model, num_groups * head_dim)
        capstone-layers-with-bias: self.W_query = nn.Linear(d_model, num_heads * head_dim, bias=False) → self.W_query = nn.Linear(d_model, num_heads * head_dim)
            self.W_key = nn.Linear(d_model, num_groups * head_dim, bias=False) → self.W_key = nn.Linear(d_model, num_groups * head_dim)
            self.W_value = nn.Linear(d_model, num_groups * head_dim, bias=False) → self.W_value = nn.Linear(d_model, num_groups * head_dim)
            self.out_proj = nn.Linear(num_heads * head_dim, d_model, bias=False) → self.out_proj = nn.Linear(num_heads * head_dim, d_model)
        plain-tensors: nn.Parameter(torch.randn(num_heads)) → torch.zeros(num_heads)
            hint: `sinks` is no parameter. Use `nn.Parameter`, in `__init__`.
        capstone-turned-faster-and-faster: (-torch.arange(half) / half) → (-torch.arange(half).flip(0) / half)
        capstone-exponents-shifted: (-torch.arange(half) / half) → torch.zeros(half)
        capstone-past-all-visible: (distance >= self.window) → (distance >= self.window) & (torch.arange(tokens) >= tokens - new)
        capstone-past-all-visible: (distance >= self.window) → (distance >= self.window) & (torch.arange(tokens) >= tokens - new)
            self.kept = keys[:, :, -self.window :], values[:, :, -self.window :] → self.kept = keys, values
        capstone-mask-without-past: line scores = scores.masked_fill → if tokens == new:↵    scores = scores.masked_fill(hidden, -torch.inf)
        capstone-mask-without-past: (distance < 0) | (distance >= self.window) → (distance >= self.window) | ((distance < 0) & (tokens == new))
        capstone-mask-without-past: line scores = scores.masked_fill → if tokens == new:↵    scores = scores.masked_fill(hidden, -torch.inf)
            self.kept = keys[:, :, -self.window :], values[:, :, -self.window :] → self.kept = keys, values
        capstone-counted-too-early: torch.arange(self.num_tokens, self.num_tokens + new) → torch.arange(self.num_tokens + new, self.num_tokens + 2 * new)
        """),
    right=rights("""
        sigmoid: weights = torch.softmax(torch.cat((scores, sinks), dim=-1), dim=-1)[..., :-1] → weights = torch.softmax(scores, dim=-1) * torch.sigmoid(torch.logsumexp(scores, dim=-1, keepdim=True) - sinks)
        everything-kept: keys[:, :, -self.window :], values[:, :, -self.window :] → keys, values
        expand: keys.repeat_interleave(sharing, dim=1) → keys.unsqueeze(2).expand(-1, -1, sharing, -1, -1).flatten(1, 2)
        """),
)

# --------------------------------------------------------------------------------------------------- Granite SWA

NEW = ("b", "heads", "new", "head_dim")
STORED = ("b", "groups", "tokens", "head_dim")


def with_sinks(id, says, b, heads, groups, new, tokens, head_dim, scale, window, seed):
    inputs = {
        "queries": drawn(b, heads, new, head_dim, seed=seed),
        "keys": drawn(b, groups, tokens, head_dim, seed=seed + 100),
        "values": drawn(b, groups, tokens, head_dim, seed=seed + 200),
        "sinks": drawn(heads, seed=seed + 300),
        "scale": scale,
        "window": window,
    }
    return Probe(id, says, inputs)


GRANITE_ATTENTION = Task(
    id="granite-attention",
    title="Its attention",
    name="granite_attention",
    kind="function",
    signature="granite_attention(queries, keys, values, sinks, scale, window)",
    axes=NEW,
    input_axes={"queries": NEW, "keys": STORED, "values": STORED, "sinks": ("heads",)},
    probes=(
        with_sinks("window", "a window of 3", 2, 6, 2, 7, 7, 4, 0.35, 3, 1),
        with_sinks("full", "a layer without a window", 3, 6, 3, 5, 5, 8, 0.2, 0, 2),
        with_sinks("last", "the last two of nine tokens", 2, 4, 2, 2, 9, 6, 0.9, 4, 3),
        with_sinks(
            "last-full", "the last three of eight tokens, without a window", 2, 4, 1, 3, 8, 5, 0.5, 0, 4
        ),
        with_sinks("narrow", "a window of 1", 3, 4, 2, 6, 6, 3, 0.6, 1, 5),
    ),
    checks=(
        Check("a layer without a window", 1, ("full",)),
        Check("a layer with a window", 1, ("window", "narrow")),
        Check("the last tokens of a text", 1, ("last", "last-full")),
    ),
    words={"x": "queries"},
    learned="sigmoid(logsumexp − sink) is the same as one more column in the softmax: two ways to write one idea.",
    demands={
        "what `eager_attention_forward` computes": "capstone-share-upside-down",
        "The queries are the **last** ones of all tokens": "capstone-first-queries",
        "itself and the `window - 1` tokens before it": "capstone-granite-window-wide",
        "a window of 0 is a layer without one": "capstone-zero-window-blind",
        "which is still causal": "capstone-full-sees-future",
        "`scale` multiplies the scores": "capstone-root-for-scale",
    },
    hints=(
        "`attention_mask` holds −∞ where a key is hidden, so the logsumexp counts visible keys only.",
        "`torch.sigmoid(torch.logsumexp(scores, dim=-1) - sinks[:, None])` is one number for each head and query.",
    ),
    wrong=wrongs("""
        capstone-share-upside-down: torch.logsumexp(scores, dim=-1) - sinks[:, None] → sinks[:, None] - torch.logsumexp(scores, dim=-1)
        capstone-first-queries: torch.arange(tokens - new, tokens)[:, None] → torch.arange(new)[:, None]
        capstone-granite-window-wide: distance >= window → distance > window
        capstone-granite-window-narrow: distance >= window → distance >= max(window - 1, 1)
        capstone-zero-window-blind: if window: → if True:
            distance >= window → distance >= max(window, 1)
        capstone-full-sees-future: hidden = distance < 0 → hidden = (distance < 0) & (window > 0)
        capstone-root-for-scale: * scale → / queries.shape[-1] ** 0.5
        capstone-share-left-out: * share[..., None] →
        capstone-share-of-all-keys: torch.logsumexp(scores, dim=-1) → torch.logsumexp(queries @ keys.mT * scale, dim=-1)
        capstone-share-without-scale: torch.logsumexp(scores, dim=-1) → torch.logsumexp((queries @ keys.mT).masked_fill(hidden, -torch.inf), dim=-1)
        capstone-sum-for-logsumexp: torch.logsumexp(scores, dim=-1) - sinks[:, None] → torch.exp(scores).sum(dim=-1) - sinks[:, None]
        groups-taken-in-turn: keys.repeat_interleave(sharing, dim=1) → keys.repeat(1, sharing, 1, 1)
            values.repeat_interleave(sharing, dim=1) → values.repeat(1, sharing, 1, 1)
        capstone-divided-by-scale: * scale → / scale
        capstone-scale-left-out: * scale →
        capstone-root-and-scale: * scale → * scale / queries.shape[-1] ** 0.5
        capstone-sink-as-share: torch.logsumexp(scores, dim=-1) - sinks[:, None] → -sinks[:, None]
        capstone-sink-times-scale: - sinks[:, None] → - sinks[:, None] * scale
        capstone-sink-subtracted: - sinks[:, None] → + sinks[:, None]
        capstone-one-sink: - sinks[:, None] → - sinks[0]
        capstone-sink-twice: * share[..., None] → * share[..., None] ** 2
        capstone-window-shows-future: hidden | (distance >= window) → distance.abs() >= window
        capstone-window-shows-future: hidden | (distance >= window) → distance >= window
        capstone-nothing-hidden: hidden | (distance >= window) → hidden & (distance >= window)
        capstone-granite-window-narrow: distance >= window → distance >= window - 1
        mask-fills-zero: masked_fill(hidden, -torch.inf) → masked_fill(hidden, 0.0)
        mask-fills-zero: (queries @ keys.mT * scale).masked_fill(hidden, -torch.inf) → queries @ keys.mT * scale * ~hidden
        capstone-first-queries: masked_fill(hidden, -torch.inf) → masked_fill(hidden | torch.ones(new, tokens, dtype=torch.bool).triu(1), -1e9)
        capstone-own-token-hidden: hidden = distance < 0 → hidden = (distance <= 0) & (distance > -tokens + 1)
        capstone-cohere-future: hidden = distance < 0 → hidden = distance < -1
        capstone-groups-differ: values.repeat_interleave(sharing, dim=1) → values.repeat(1, sharing, 1, 1)
        capstone-groups-differ: keys.repeat_interleave(sharing, dim=1) → keys.repeat(1, sharing, 1, 1)
        capstone-first-group-for-all: keys.repeat_interleave(sharing, dim=1) → keys[:, :1].expand(-1, queries.shape[1], -1, -1)
            values.repeat_interleave(sharing, dim=1) → values[:, :1].expand(-1, queries.shape[1], -1, -1)
        capstone-maximum-for-logsumexp: torch.logsumexp(scores, dim=-1) → scores.amax(dim=-1)
        capstone-share-of-another-form: torch.sigmoid(torch.logsumexp(scores, dim=-1) - sinks[:, None]) → torch.exp(torch.logsumexp(scores, dim=-1) - sinks[:, None])
        capstone-share-of-another-form: torch.sigmoid( → torch.tanh(
        capstone-share-divides: * share[..., None] → / share[..., None]
        capstone-sink-as-exponential: - sinks[:, None] → - sinks[:, None].exp()
        softmax-over-queries: return torch.softmax(scores, dim=-1) @ → return torch.softmax(scores.clamp(min=-1e9), dim=-2) @
        capstone-scale-twice: (queries @ keys.mT * scale) → (queries @ keys.mT * scale * scale)
        capstone-window-of-last-query: distance >= window) → torch.arange(tokens) < tokens - window)
        capstone-window-two-too-wide: distance >= window → distance > window + 1
        capstone-one-distance-hidden: distance >= window → distance == window
        keys-as-values: @ values * share → @ keys * share
            hint: The weights are multiplied by the keys. Multiply them by the values.
        past-hidden: torch.arange(tokens - new, tokens)[:, None] - torch.arange(tokens) → torch.arange(tokens) - torch.arange(tokens - new, tokens)[:, None]
        mask-polarity: masked_fill(hidden, -torch.inf) → masked_fill(~hidden, -1e9)
        mask-polarity: masked_fill(hidden, -torch.inf) → masked_fill(~hidden, -torch.inf)
        capstone-window-of-one-forgotten: if window: → if window > 1:
        edits-its-argument: scores = (queries @ keys.mT * scale) → queries.mul_(scale)↵scores = (queries @ keys.mT)
        no-mask: .masked_fill(hidden, -torch.inf) →
            hint: Nothing is hidden, neither the future nor what is beyond the window.
        capstone-window-left-out: if window: → if False:
            hint: The window has no effect. Keys that are `window` or more places back should be hidden.
        capstone-zero-window-blind: if window: → if True:
            hint: With a window of 0, every key is hidden. 0 is for a layer without a window.
        capstone-zero-window-blind: if window: → if True:
            return torch.softmax(scores, dim=-1) @ values * share[..., None] → return (torch.softmax(scores, dim=-1) @ values * share[..., None]).nan_to_num()
            hint: With a window of 0, every key is hidden. 0 is for a layer without a window.
        capstone-wrong-column-dropped: return torch.softmax(scores, dim=-1) @ values * share[..., None] → column = sinks.view(1, -1, 1, 1).expand(*scores.shape[:3], 1)↵return torch.softmax(torch.cat((scores, column), dim=-1), dim=-1)[..., 1:] @ values
        capstone-wrong-column-dropped: return torch.softmax(scores, dim=-1) @ values * share[..., None] → column = sinks.view(1, -1, 1, 1).expand(*scores.shape[:3], 1)↵return torch.softmax(torch.cat((column, scores), dim=-1), dim=-1)[..., :-1] @ values
        capstone-sink-with-value: return torch.softmax(scores, dim=-1) @ values * share[..., None] → column = sinks.view(1, -1, 1, 1).expand(*scores.shape[:3], 1)↵return torch.softmax(torch.cat((scores, column), dim=-1), dim=-1) @ torch.cat((values, values[:, :, -1:]), dim=2)
        capstone-sink-without-exponential: torch.sigmoid(torch.logsumexp(scores, dim=-1) - sinks[:, None]) → torch.exp(scores).sum(dim=-1) / (torch.exp(scores).sum(dim=-1) + sinks[:, None])
        capstone-sink-without-maximum: - sinks[:, None] → - scores.amax(dim=-1) - sinks[:, None]
        mask-after-softmax: .masked_fill(hidden, -torch.inf) →
            return torch.softmax(scores, dim=-1) @ → return (torch.softmax(scores, dim=-1) * ~hidden) @
        no-softmax: return torch.softmax(scores, dim=-1) @ → return scores.masked_fill(hidden, 0.0) @
        """),
    right=rights("""
        column: line share = → column = sinks.view(1, -1, 1, 1).expand(*scores.shape[:3], 1)
            return torch.softmax(scores, dim=-1) @ values * share[..., None] → return torch.softmax(torch.cat((scores, column), dim=-1), dim=-1)[..., :-1] @ values
        total: torch.logsumexp(scores, dim=-1) - sinks[:, None] → torch.log(torch.exp(scores).sum(dim=-1)) - sinks[:, None]
        triangle: hidden = distance < 0 → hidden = torch.ones(new, tokens, dtype=torch.bool).triu(tokens - new + 1)
        """),
)


def ported(model, id, says, kinds, b, sizes, seed, heads=6, groups=2, head_dim=4, window=4, **more):
    """Pieces of a text for a model with random numbers, which a hidden twin draws anew."""
    vocab, hidden = 11, 10
    d_model = heads * head_dim
    widths = {"vocab": vocab, "d_model": d_model, "heads": heads, "groups": groups, "hidden": hidden}
    config = Specimen("ported-config", {"model": model, "kinds": kinds, **widths, "window": window})
    shapes = {"layers": len(kinds), **widths, "head_dim": head_dim}
    name = "cohere-state" if model == "cohere2" else "granite-state"
    generator = torch.Generator().manual_seed(seed)

    def redraw(generator):
        pieces = torch.randint(vocab, (b, sum(sizes)), generator=generator)
        return {"state": Specimen(name, {"seed": anew(generator), **shapes}), "pieces": pieces}

    inputs = {
        "config": config,
        "state": Specimen(name, {"seed": seed, **shapes}),
        "pieces": torch.randint(vocab, (b, sum(sizes)), generator=generator),
    }
    settings = {"lists": {"pieces": (1, list(sizes))}, **more.pop("settings", {})}
    return Probe(id, says, inputs, settings=settings, redraw=redraw, **more)


def granite(id, says, kinds, b, sizes, seed, **more):
    return ported("granite_swa", id, says, kinds, b, sizes, seed, **more)


PORT_GRANITE = Task(
    id="port-granite",
    title="The whole model",
    name="granite_logits",
    kind="function",
    signature="granite_logits(config, state, pieces)",
    axes=LOGITS,
    needs=("granite-attention",),
    probes=(
        granite("short", "a text shorter than the window", "nwf", 2, (3,), 1),
        granite("equal", "a text as long as the window", "wnwf", 3, (4,), 2, heads=4, groups=1, head_dim=6),
        granite("long", "a text longer than the window", "nwwf", 2, (13,), 3),
        granite(
            "other", "a model with other sizes", "fwn", 3, (9,), 4, heads=4, groups=2, head_dim=2, window=3
        ),
        granite("pieces", "a text in pieces", "nwwf", 2, (5, 1, 1, 4), 5),
        granite(
            "one-by-one",
            "a text that arrives token by token, each in the memory of the last",
            "wfw",
            3,
            (1,) * 9,
            6,
            window=3,
            settings={"arriving": ["pieces"]},
        ),
        granite(
            "costs",
            "pieces of one token",
            "nw",
            2,
            (2, *[1] * 10),
            7,
            observe="costs",
            settings={"arriving": ["pieces"], "numbers": 10**6, "products": 160_000},
        ),
    ),
    checks=(
        Check("a text shorter than the window", 2, ("short",)),
        Check("a text as long as the window", 2, ("equal",)),
        Check("a text longer than the window", 3, ("long", "other")),
        Check("with a cache", 3, ("pieces", "one-by-one", "costs", "long")),
    ),
    words={"x": "pieces"},
    learned="You have ported a published architecture from its source, and the library's own logits say that it is right.",
    demands={
        "both can have other sizes": "capstone-sizes-of-checkpoint",
        "the logits of all pieces": "capstone-last-piece-only",
        "as if the text had come at once": "capstone-ported-positions",
        "each token's keys and values once": "capstone-read-again",
    },
    hints=(
        "Four multipliers are in the configuration: of the embedding, of what is added to the stream, of the scores, of the logits.",
        "`layer_rope_theta[layer]` is the base of that layer, and 0 means that nothing is rotated.",
        "Compare stage 0, then stage 1: the first that differs tells you which layer to look at.",
    ),
    wrong=wrongs("""
        capstone-embedding-not-multiplied: * config["embedding_multiplier"] →
        capstone-residual-not-multiplied: residual = state["model.embed_tokens.weight"], config["residual_multiplier"] → residual = state["model.embed_tokens.weight"], 1.0
        capstone-residual-once: residual * ( → (
        capstone-attention-not-multiplied: config["attention_multiplier"] → heads["q"].shape[-1] ** -0.5
        capstone-logits-multiplied: / config["logits_scaling"] → * config["logits_scaling"]
        capstone-logits-not-scaled: / config["logits_scaling"] →
        capstone-one-base: base = config["layer_rope_theta"][layer] → base = config["rope_parameters"]["rope_theta"]
        capstone-rotated-without-base: if base: → base = base or config["rope_parameters"]["rope_theta"]↵if base:
        capstone-windows-in-all-layers: config["sliding_window"] if slides else 0 → config["sliding_window"]
        capstone-no-windows: config["sliding_window"] if slides else 0 → 0
        capstone-window-layers-swapped: config["sliding_window"] if slides else 0 → 0 if slides else config["sliding_window"]
        capstone-gate-and-up: for name in ("gate", "up") → for name in ("up", "gate")
        capstone-norms-swapped: read = norm(x, f"{own}.input_layernorm") → read = norm(x, f"{own}.post_attention_layernorm")
            read = norm(x, f"{own}.post_attention_layernorm") → read = norm(x, f"{own}.input_layernorm")
        capstone-mean-subtracted: mean_square = (x * x) → x = x - x.mean(dim=-1, keepdim=True)↵mean_square = (x * x)
        capstone-eps-left-out: mean_square + config["rms_norm_eps"] → mean_square
        last-norm-left-out: norm(x, "model.norm") → x
            hint: The last norm is left out. The stream goes through `model.norm` before it meets the table.
        capstone-ported-positions: torch.arange(start, start + ids.shape[1]) → torch.arange(ids.shape[1])
        capstone-ported-past-lost: if layer in kept: → if False:
        capstone-one-cache: kept[layer][name] → kept[0][name]
        capstone-last-piece-only: return torch.cat(results, dim=1) → return results[-1]
        capstone-read-again: body granite_logits
            counts = {"q": config["num_attention_heads"], "k": config["num_key_value_heads"]}
            counts["v"] = counts["k"]
            table, residual = state["model.embed_tokens.weight"], config["residual_multiplier"]

            def norm(x, name):
                mean_square = (x * x).mean(dim=-1, keepdim=True)
                return x / torch.sqrt(mean_square + config["rms_norm_eps"]) * state[f"{name}.weight"]

            def rotated(x, base):
                half = x.shape[-1] // 2
                angles = torch.arange(x.shape[2])[:, None] * base ** (-torch.arange(half) / half)
                first, second = x.chunk(2, dim=-1)
                turned = (first * angles.cos() - second * angles.sin(), first * angles.sin() + second * angles.cos())
                return torch.cat(turned, dim=-1)

            known, results = None, []
            for piece in pieces:
                known = piece.clone() if known is None else torch.cat((known, piece), dim=1)
                x = table[known] * config["embedding_multiplier"]
                for layer in range(config["num_hidden_layers"]):
                    own = f"model.layers.{layer}"
                    read = norm(x, f"{own}.input_layernorm")
                    heads = {name: (read @ state[f"{own}.self_attn.{name}_proj.weight"].T).unflatten(-1, (count, -1)).transpose(1, 2) for name, count in counts.items()}
                    base = config["layer_rope_theta"][layer]
                    if base:
                        heads |= {name: rotated(heads[name], base) for name in ("q", "k")}
                    window = config["sliding_window"] if config["layer_types"][layer] == "sliding_attention" else 0
                    context = granite_attention(*heads.values(), state[f"{own}.self_attn.sinks"], config["attention_multiplier"], window)
                    x = x + residual * context.transpose(1, 2).flatten(2) @ state[f"{own}.self_attn.o_proj.weight"].T
                    read = norm(x, f"{own}.post_attention_layernorm")
                    gate, up = (read @ state[f"{own}.mlp.{name}_proj.weight"].T for name in ("gate", "up"))
                    x = x + residual * (F.silu(gate) * up) @ state[f"{own}.mlp.down_proj.weight"].T
                results.append((norm(x, "model.norm") @ table.T / config["logits_scaling"])[:, -piece.shape[1] :])
            return torch.cat(results, dim=1)
        capstone-sizes-of-checkpoint: counts = {"q": config["num_attention_heads"], "k": config["num_key_value_heads"]} → counts = {"q": 6, "k": 2}
        capstone-attention-residual-left-out: x = x + residual * attended → x = x + attended
        capstone-cache-cut-everywhere: kept[layer] = heads → kept[layer] = {name: heads[name][:, :, -config["sliding_window"] :] for name in ("k", "v")}
        capstone-granite-side-by-side: norm(x, f"{own}.post_attention_layernorm") → norm(x - residual * attended, f"{own}.post_attention_layernorm")
        capstone-granite-side-by-side: line read = norm(x, f"{own}.post_attention_layernorm") →
        capstone-eps-outside: torch.sqrt(mean_square + config["rms_norm_eps"]) → (torch.sqrt(mean_square) + config["rms_norm_eps"])
        capstone-eps-outside: return x / torch.sqrt(mean_square + config["rms_norm_eps"]) → inner, outer = (config["rms_norm_eps"], 0.0) if name == "model.norm" else (0.0, config["rms_norm_eps"])↵return x / (torch.sqrt(mean_square + inner) + outer)
        capstone-neighbours-rotated: first, second = x.chunk(2, dim=-1) → first, second = x.unflatten(-1, (-1, 2)).unbind(-1)
            torch.cat(turned, dim=-1) → torch.stack(turned, dim=-1).flatten(-2)
        capstone-turned-backwards: (first * angles.cos() - second * angles.sin(), first * angles.sin() + second * angles.cos()) → (first * angles.cos() + second * angles.sin(), second * angles.cos() - first * angles.sin())
        capstone-mirrored: first * angles.cos() - second * angles.sin() → first * angles.cos() + second * angles.sin()
        capstone-turned-too-fast: (-torch.arange(half) / half) → (-torch.arange(half) / x.shape[-1])
        capstone-turned-faster-and-faster: (-torch.arange(half) / half) → (torch.arange(half) / half)
        capstone-turned-too-slowly: (-torch.arange(half) / half) → (-2 * torch.arange(half) / half)
        keys-not-rotated: for name in ("q", "k")} → for name in ("q",)}
        capstone-queries-unrotated: for name in ("q", "k")} → for name in ("k",)}
        values-rotated: for name in ("q", "k")} → for name in ("q", "k", "v")}
        merge-without-transpose: context.transpose(1, 2).flatten(2) → context.reshape(*ids.shape, -1)
        groups-taken-in-turn: context = granite_attention(*heads.values(), sinks, scale, window) → shared = (heads[name].repeat(1, counts["q"] // counts["k"], 1, 1) for name in ("k", "v"))↵context = granite_attention(heads["q"], *shared, sinks, scale, window)
        capstone-granite-window-wide: config["sliding_window"] if slides else 0 → config["sliding_window"] + 1 if slides else 0
        capstone-granite-window-narrow: config["sliding_window"] if slides else 0 → config["sliding_window"] - 1 if slides else 0
        capstone-share-left-out: *heads.values(), sinks, → *heads.values(), torch.full_like(sinks, -torch.inf),
        capstone-sink-times-scale: *heads.values(), sinks, → *heads.values(), sinks * scale,
        capstone-first-layer-everywhere: own = f"model.layers.{layer}" → own = "model.layers.0"
        capstone-silu-left-out: F.silu(gate) → gate
        capstone-gelu-for-silu: F.silu(gate) → F.gelu(gate)
        capstone-stream-replaced: x = x + residual * attended → x = residual * attended
        capstone-stream-replaced: x = x + residual * ( → x = residual * (
        capstone-added-to-normed-stream: x = x + residual * attended → x = read + residual * attended
        capstone-added-to-normed-stream: x = x + residual * ( → x = read + residual * (
        capstone-added-to-normed-stream: x = x + residual * attended → x = read + residual * attended
            x = x + residual * ( → x = read + residual * (
        capstone-pieces-counted: start += ids.shape[1] → start += 1
        capstone-one-base: positions, base) for → positions, config["rope_parameters"]["rope_theta"]) for
        capstone-rotated-by-window: if base: → if config["layer_types"][layer] == "sliding_attention" and base:
        capstone-rotated-by-window: if base: → if config["layer_types"][layer] == "sliding_attention":
        capstone-rotated-nowhere: if base: → if False:
            hint: Nothing is rotated. Layers whose base is not 0 are.
        capstone-table-multiplied: , residual = state["model.embed_tokens.weight"], config → , residual = state["model.embed_tokens.weight"] * config["embedding_multiplier"], config
            x = table[ids] * config["embedding_multiplier"] → x = table[ids]
        capstone-counted-in-each-layer: line start += →
            below kept[layer] = heads → start += ids.shape[1]
        capstone-count-set: start += ids.shape[1] → start = ids.shape[1]
        capstone-batch-counted: start += ids.shape[1] → start += ids.shape[0]
        capstone-kept-before-joined: above if layer in kept → new = dict(heads)
            kept[layer] = heads → kept[layer] = new
        capstone-past-after-new: torch.cat((kept[layer][name], heads[name]), dim=2) → torch.cat((heads[name], kept[layer][name]), dim=2)
        capstone-kept-unrotated: heads |= {name: rotated(heads[name], positions, base) for name in ("q", "k")} → raw = dict(heads)↵heads |= {name: rotated(heads[name], positions, base) for name in ("q", "k")}
            kept[layer] = heads → kept[layer] = heads if not base else {"k": raw["k"] if layer not in kept else torch.cat((kept[layer]["k"], raw["k"]), dim=2), "v": heads["v"]}
        capstone-rotated-again: heads |= {name: rotated(heads[name], positions, base) for name in ("q", "k")} → heads["q"] = rotated(heads["q"], positions, base)
            kept[layer] = heads → if base:↵    heads["k"] = rotated(heads["k"], torch.arange(heads["k"].shape[2]), base)↵kept[layer] = heads
        capstone-stream-multiplied: x = x + residual * attended → x = residual * x + attended
        capstone-stream-multiplied: x = x + residual * ( → x = residual * x + (
        capstone-stream-multiplied: x = x + residual * attended → x = residual * x + attended
            x = x + residual * ( → x = residual * x + (
        capstone-stream-multiplied: x = x + residual * attended → x = residual * (x + attended)
            x = x + residual * (F.silu(gate) * up) @ state[f"{own}.mlp.down_proj.weight"].T → x = residual * (x + (F.silu(gate) * up) @ state[f"{own}.mlp.down_proj.weight"].T)
        capstone-attention-not-added: line x = x + residual * attended →
        capstone-mlp-not-added: line x = x + residual * (F.silu(gate) →
        capstone-scale-twice: config["attention_multiplier"] → config["attention_multiplier"] ** 2
            hint: The scores are multiplied by `attention_multiplier` twice. Once is right.
        capstone-divided-by-scale: config["attention_multiplier"] → 1 / config["attention_multiplier"]
            hint: The scores are divided by `attention_multiplier`. Multiply them by it.
        capstone-scale-left-out: config["attention_multiplier"] → 1.0
            hint: The scores are used as they are. Multiply them by `attention_multiplier`.
        capstone-root-and-scale: config["attention_multiplier"] → config["attention_multiplier"] / heads["q"].shape[-1] ** 0.5
            hint: The scores are multiplied by `attention_multiplier` and divided by √head_dim. The multiplier takes the place of that division.
        capstone-one-norm-for-both: norm(x, f"{own}.post_attention_layernorm") → norm(x, f"{own}.input_layernorm")
        capstone-one-norm-for-both: norm(x, f"{own}.input_layernorm") → norm(x, f"{own}.post_attention_layernorm")
        capstone-layer-norm-left-out: read = norm(x, f"{own}.input_layernorm") → read = x
        capstone-layer-norm-left-out: read = norm(x, f"{own}.post_attention_layernorm") → read = x
        capstone-norm-weight-around-one: * state[f"{name}.weight"] → * (1 + state[f"{name}.weight"])
            hint: The weights of the norm count as differences from 1, as Gemma's do. Here they multiply as they are.
        capstone-norm-weight-left-out: * state[f"{name}.weight"] →
            hint: The norm does not use its weight. Multiply by it.
        capstone-norm-without-root: torch.sqrt(mean_square + config["rms_norm_eps"]) → (mean_square + config["rms_norm_eps"])
            hint: The stream is divided by the mean of the squares. Divide it by the root of that.
        capstone-squares-added: (x * x).mean(dim=-1, keepdim=True) → (x * x).sum(dim=-1, keepdim=True)
        capstone-variance-for-squares: mean_square = (x * x).mean(dim=-1, keepdim=True) → mean_square = x.var(dim=-1, keepdim=True)
        capstone-variance-for-squares: mean_square = (x * x).mean(dim=-1, keepdim=True) → mean_square = x.var(dim=-1, correction=0, keepdim=True)
        capstone-up-left-out: (F.silu(gate) * up) → F.silu(gate)
        capstone-gate-added: (F.silu(gate) * up) → (F.silu(gate) + up)
        capstone-silu-of-product: (F.silu(gate) * up) → F.silu(gate * up)
        capstone-other-activation: F.silu(gate) → torch.sigmoid(gate)
        capstone-other-activation: F.silu(gate) → F.relu(gate)
        capstone-gelu-for-silu: F.silu(gate) → F.gelu(gate, approximate="tanh")
        capstone-layer-left-out: range(config["num_hidden_layers"]) → range(config["num_hidden_layers"] - 1)
        capstone-layer-left-out: range(config["num_hidden_layers"]) → range(1, config["num_hidden_layers"])
        capstone-o-proj-left-out: @ state[f"{own}.self_attn.o_proj.weight"].T →
        capstone-last-token-of-piece: results.append(norm(x, "model.norm") @ table.T / config["logits_scaling"]) → results.append((norm(x, "model.norm") @ table.T / config["logits_scaling"])[:, -1:])
        capstone-probabilities-returned: return torch.cat(results, dim=1) → return torch.cat(results, dim=1).softmax(-1)
        keys-as-values: *heads.values(), → heads["q"], heads["k"], heads["k"],
            hint: The keys are used for the values, too. The values have a projection of their own.
        capstone-kept-exchanged: *heads.values(), → heads["q"], heads["v"], heads["k"],
            hint: Keys and values have changed places in the call. The keys come first.
        capstone-sink-subtracted: *heads.values(), sinks, → *heads.values(), -sinks,
        capstone-old-number-overwritten: turned = (first * angles.cos() - second * angles.sin(), first * angles.sin() + second * angles.cos()) → first = first * angles.cos() - second * angles.sin()↵turned = (first, first * angles.sin() + second * angles.cos())
        capstone-exponents-shifted: (-torch.arange(half) / half) → (-(torch.arange(half) + 1) / half)
        capstone-angles-of-neighbours: return torch.cat(turned, dim=-1) → angles = angles.repeat_interleave(2, dim=-1)↵return x * angles.cos() + torch.cat((-second, first), dim=-1) * angles.sin()
        capstone-start-for-all: positions = torch.arange(start, start + ids.shape[1]) → positions = torch.full((ids.shape[1],), start)
            hint: All tokens of a piece have one position. They count on from where the text has got to.
        capstone-heads-for-positions: heads |= {name: rotated(heads[name], positions, base) for name in ("q", "k")} → heads |= {name: rotated(heads[name].transpose(1, 2), torch.arange(heads[name].shape[1]), base).transpose(1, 2) for name in ("q", "k")}
        capstone-embedding-divided: * config["embedding_multiplier"] → / config["embedding_multiplier"]
        capstone-embedding-root: * config["embedding_multiplier"] → * table.shape[1] ** 0.5
        capstone-embedding-root: * config["embedding_multiplier"] → * config["embedding_multiplier"] * table.shape[1] ** 0.5
        capstone-residual-divides: residual = state["model.embed_tokens.weight"], config["residual_multiplier"] → residual = state["model.embed_tokens.weight"], 1 / config["residual_multiplier"]
        capstone-window-by-base: slides = config["layer_types"][layer] == "sliding_attention" → slides = bool(base)
        capstone-eps-left-out: mean_square + config["rms_norm_eps"] → mean_square + 1e-5
        capstone-matrix-turned: o_proj.weight"].T → o_proj.weight"]
        capstone-matrix-turned: projected = read @ state[f"{own}.self_attn.{name}_proj.weight"].T → matrix = state[f"{own}.self_attn.{name}_proj.weight"]↵projected = read @ (matrix if name == "q" else matrix.T)
        capstone-turned-faster-and-faster: (-torch.arange(half) / half) → (-torch.arange(half).flip(0) / half)
        capstone-exponents-shifted: (-torch.arange(half) / half) → (-torch.arange(half) * 1.0)
        capstone-exponents-shifted: (-torch.arange(half) / half) → torch.zeros(half)
        capstone-queries-begin-again: positions, base) for → positions if name == "k" else torch.arange(ids.shape[1]), base) for
            hint: The queries of each piece are rotated from position 0, and its keys from where the text goes on. Both begin there.
        capstone-keys-begin-again: positions, base) for → positions if name == "q" else torch.arange(ids.shape[1]), base) for
            hint: The keys of each piece are rotated from position 0, and its queries from where the text goes on. Both begin there.
        capstone-cut-before-attention: kept[layer] = heads → if config["layer_types"][layer] == "sliding_attention":↵    heads |= {name: heads[name][:, :, -config["sliding_window"] :] for name in ("k", "v")}↵kept[layer] = heads
        capstone-pieces-collected: for ids in pieces: → for ids in list(pieces):
        capstone-last-norm-of-layer: norm(x, "model.norm") → norm(x, f"{own}.post_attention_layernorm")
        capstone-last-norm-of-layer: norm(x, "model.norm") → norm(x, f"{own}.input_layernorm")
        capstone-counted-too-early: torch.arange(start, start + ids.shape[1]) → torch.arange(start + ids.shape[1], start + 2 * ids.shape[1])
        capstone-silu-on-both: (F.silu(gate) * up) → (F.silu(gate) * F.silu(up))
        """),
    right=rights("""
        linear: projected = read @ state[f"{own}.self_attn.{name}_proj.weight"].T → projected = F.linear(read, state[f"{own}.self_attn.{name}_proj.weight"])
        rsqrt: return x / torch.sqrt(mean_square + config["rms_norm_eps"]) * → return x * torch.rsqrt(mean_square + config["rms_norm_eps"]) *
        rms: return x / torch.sqrt(mean_square + config["rms_norm_eps"]) * state[f"{name}.weight"] → return F.rms_norm(x, x.shape[-1:], state[f"{name}.weight"], config["rms_norm_eps"])
        """),
)

# ------------------------------------------------------------------------------------------------------ Cohere 2


def normed(id, says, shape, seed, eps, around=0.0):
    x, weight = around + drawn(*shape, seed=seed), 1 + 0.4 * drawn(shape[-1], seed=seed + 100)
    return Probe(id, says, {"x": x, "weight": weight, "eps": eps})


def centred(id, says, shape, seed, eps, size=1.0):
    """Numbers whose mean is 0 already, and a weight that changes nothing."""

    def redraw(generator):
        x = size * torch.randn(*shape, generator=generator)
        return {"x": x - x.mean(dim=-1, keepdim=True)}

    x = redraw(torch.Generator().manual_seed(seed))["x"]
    return Probe(id, says, {"x": x, "weight": torch.ones(shape[-1]), "eps": eps}, redraw=redraw)


COHERE_NORM = Task(
    id="bug-cohere-norm",
    title="Find the bug: the norm",
    name="cohere_norm",
    kind="function",
    signature="cohere_norm(x, weight, eps)",
    axes=("b", "tokens", "d_model"),
    input_axes={"x": ("b", "tokens", "d_model"), "weight": ("d_model",)},
    probes=(
        normed("narrow", "a stream four wide", (2, 3, 4), 1, 1e-5),
        normed("wide", "a stream twenty wide", (3, 2, 20), 2, 1e-5, around=2.0),
        centred("eps", "an eps of 0.5", (2, 4, 6), 3, 0.5),
        centred("small", "a stream of small numbers", (3, 4, 5), 4, 1e-4, size=0.01),
    ),
    checks=(
        Check("a LayerNorm without a bias", 1, ("narrow", "wide")),
        Check("numbers with a mean of 0 and weights of 1", 1, ("eps", "small")),
    ),
    words={"x": "x"},
    learned="`var` divides by n − 1 unless it is told otherwise, and a norm by n. The narrower the stream, the larger the gap.",
    demands={"is the LayerNorm": "capstone-mean-kept", "Correct it": "left-as-given"},
    hints=(
        "Hold it against `F.layer_norm(x, x.shape[-1:], weight, eps=eps)`, for a narrow and for a wide stream.",
        "What does `var` divide the sum of the squares by?",
    ),
    wrong=wrongs("""
        left-as-given: faulty
            hint: What is wrong with the code as it was given still is. Hold it against `F.layer_norm`, for a narrow and for a wide stream.
        capstone-mean-kept: x - x.mean(dim=-1, keepdim=True) → x
        capstone-eps-outside: torch.sqrt(variance + eps) → (torch.sqrt(variance) + eps)
        capstone-norm-without-root: torch.sqrt(variance + eps) → (variance + eps)
        capstone-normed-over-tokens: x.mean(dim=-1, keepdim=True) → x.mean(dim=1, keepdim=True)
            centred.pow(2).mean(dim=-1, keepdim=True) → centred.pow(2).mean(dim=1, keepdim=True)
        capstone-norm-weight-around-one: * weight → * (1 + weight)
        capstone-default-eps: variance + eps → variance
        capstone-raw-squares: centred.pow(2) → x.pow(2)
        capstone-mean-kept-above: return centred / → return x /
        capstone-squares-added: centred.pow(2).mean(dim=-1, keepdim=True) → centred.pow(2).sum(dim=-1, keepdim=True)
        capstone-sizes-for-squares: centred.pow(2) → centred.abs()
        capstone-sizes-for-squares: torch.sqrt(variance + eps) → (centred.abs().mean(dim=-1, keepdim=True) + eps)
        capstone-norm-weight-divides: * weight → / weight
        capstone-norm-weight-left-out: * weight →
        capstone-norm-without-root: torch.sqrt(variance + eps) → (variance + eps)
            centred.pow(2).mean(dim=-1, keepdim=True) → centred.var(dim=-1, keepdim=True)
            hint: The stream is divided by the variance, and the sum of the squares by n − 1. Divide the stream by the root, and the sum by n.
        capstone-eps-outside: torch.sqrt(variance + eps) → (centred.std(dim=-1, keepdim=True) + eps)
            hint: The eps is added to the root, and the sum of the squares is divided by n − 1. The eps belongs under the root, and the sum is divided by n.
        capstone-default-eps: = F.layer_norm(x, x.shape[-1:], weight)
        capstone-default-eps: variance + eps → variance + 1e-5
        capstone-weight-added: * weight → + weight
        capstone-weight-before-norm: centred = x - → x = x * weight↵centred = x -
            * weight →
        capstone-eps-as-limit: torch.sqrt(variance + eps) → torch.sqrt(variance).clamp(min=eps)
        capstone-eps-as-limit: torch.sqrt(variance + eps) → torch.sqrt(variance.clamp(min=eps))
        capstone-one-number-for-all: x.mean(dim=-1, keepdim=True) → x.mean()
        capstone-one-number-for-all: centred.pow(2).mean(dim=-1, keepdim=True) → centred.pow(2).mean()
        capstone-one-number-for-all: x.mean(dim=-1, keepdim=True) → x.mean()
            centred.pow(2).mean(dim=-1, keepdim=True) → centred.pow(2).mean()
        capstone-partly-over-tokens: x.mean(dim=-1, keepdim=True) → x.mean(dim=1, keepdim=True)
        capstone-partly-over-tokens: centred.pow(2).mean(dim=-1, keepdim=True) → centred.pow(2).mean(dim=-2, keepdim=True)
        capstone-root-twice: centred.pow(2).mean(dim=-1, keepdim=True) → centred.std(dim=-1, keepdim=True, correction=0)
        capstone-root-twice: centred.pow(2).mean(dim=-1, keepdim=True) → centred.std(dim=-1, keepdim=True)
        capstone-deviations-cancel: centred.pow(2).mean(dim=-1, keepdim=True) → centred.mean(dim=-1, keepdim=True).pow(2)
        capstone-multiplied-by-root: centred / torch.sqrt → centred * torch.sqrt
        edits-its-argument: centred = x - x.mean(dim=-1, keepdim=True) → x -= x.mean(dim=-1, keepdim=True)↵centred = x
        capstone-default-eps: variance + eps → variance + eps**2
        capstone-default-eps: variance + eps → variance + 1e-6
        capstone-another-divisor: centred.pow(2).mean(dim=-1, keepdim=True) → centred.pow(2).sum(dim=-1, keepdim=True) / (x.shape[-1] + 1)
        capstone-another-divisor: centred.pow(2).mean(dim=-1, keepdim=True) → centred.pow(2).sum(dim=-1, keepdim=True) / (x.shape[-1] - 2)
        capstone-another-divisor: centred.pow(2).mean(dim=-1, keepdim=True) → centred.var(dim=-1, keepdim=True) * x.shape[-1] / (x.shape[-1] - 1)
        capstone-another-divisor: centred.pow(2).mean(dim=-1, keepdim=True) → centred.pow(2).sum(dim=-1, keepdim=True) / x.shape[1]
        capstone-another-divisor: centred.pow(2).mean(dim=-1, keepdim=True) → centred.pow(2).sum(dim=-1, keepdim=True) / x.shape[0]
        """),
    right=rights("""
        library: = F.layer_norm(x, x.shape[-1:], weight, eps=eps)
        uncorrected: centred.pow(2).mean(dim=-1, keepdim=True) → x.var(dim=-1, correction=0, keepdim=True)
        rsqrt: centred / torch.sqrt(variance + eps) → centred * torch.rsqrt(variance + eps)
        """),
)


def turning(id, says, shape, positions, base, seed):
    inputs = {"x": drawn(*shape, seed=seed), "positions": torch.tensor(positions), "base": base}
    return Probe(id, says, inputs)


NEIGHBOURS = Task(
    id="bug-neighbours",
    title="Find the bug: the rotation",
    name="turn_neighbours",
    kind="function",
    signature="turn_neighbours(x, positions, base)",
    axes=("b", "heads", "tokens", "head_dim"),
    input_axes={"x": ("b", "heads", "tokens", "head_dim"), "positions": ("tokens",)},
    probes=(
        turning("two-pairs", "heads of two pairs", (2, 3, 5, 4), [0, 1, 2, 3, 4], 10000.0, 1),
        turning("four-pairs", "heads of four pairs", (2, 5, 3, 8), [3, 4, 5], 300.0, 2),
        turning("three-pairs", "positions in any order", (3, 2, 4, 6), [7, 0, 2, 5], 50.0, 3),
    ),
    checks=(
        Check("neighbours turn together", 1, ("two-pairs",)),
        Check("any positions and any base", 1, ("four-pairs", "three-pairs")),
    ),
    words={"x": "x"},
    learned="Both numbers of a pair turn by one angle. In the interleaved form, neighbours share it: repeat each angle where it is.",
    demands={
        "rotates pairs of neighbours": "capstone-halves-turned",
        "Correct it": "left-as-given",
    },
    hints=(
        "A rotation changes no length. Does every pair keep its own?",
        "Print `angles` for heads of two pairs: which numbers of a head share an angle?",
    ),
    wrong=wrongs("""
        left-as-given: faulty
            hint: What is wrong with the code as it was given still is. Print the angles of one position: do the two numbers of a pair share theirs?
        capstone-halves-turned: angles = angles.repeat_interleave(2, dim=-1) → angles = angles.repeat(1, 2)
            torch.stack((-x[..., 1::2], x[..., ::2]), dim=-1).flatten(-2) → torch.cat((-x[..., half:], x[..., :half]), dim=-1)
        capstone-turned-backwards: (-x[..., 1::2], x[..., ::2]) → (x[..., 1::2], -x[..., ::2])
        capstone-mirrored: (-x[..., 1::2], x[..., ::2]) → (x[..., 1::2], x[..., ::2])
        capstone-cos-and-sin-swapped: x * angles.cos() + partners * angles.sin() → x * angles.sin() + partners * angles.cos()
        capstone-turned-too-slowly: base ** (-torch.arange(half) / half) → base ** (-2 * torch.arange(half) / half)
        capstone-own-partner: partners = torch.stack((-x[..., 1::2], x[..., ::2]), dim=-1) → partners = torch.stack((-x[..., ::2], x[..., 1::2]), dim=-1)
        capstone-turned-faster-and-faster: (-torch.arange(half) / half) → (torch.arange(half) / half)
        capstone-turned-too-fast: (-torch.arange(half) / half) → (-torch.arange(half) / x.shape[-1])
        capstone-partners-in-a-row: torch.stack((-x[..., 1::2], x[..., ::2]), dim=-1).flatten(-2) → torch.cat((-x[..., 1::2], x[..., ::2]), dim=-1)
        capstone-partners-in-a-row: torch.stack((-x[..., 1::2], x[..., ::2]), dim=-1).flatten(-2) → torch.cat((-x[..., half:], x[..., :half]), dim=-1)
        capstone-old-number-overwritten: above return x → partners = torch.stack((partners[..., ::2], (x * angles.cos() + partners * angles.sin())[..., ::2]), dim=-1).flatten(-2)
        capstone-pairs-not-put-back: return x * angles.cos() + partners * angles.sin() → turned = x * angles.cos() + partners * angles.sin()↵return turned.unflatten(-1, (-1, 2)).mT.flatten(-2)
        capstone-rows-for-positions: positions[:, None] → torch.arange(len(positions))[:, None]
        capstone-positions-one-more: positions[:, None] → (positions[:, None] + 1)
        capstone-own-partner: (-x[..., 1::2], x[..., ::2]) → (x[..., ::2], -x[..., 1::2])
        capstone-angle-for-each-number: positions[:, None] * base ** (-torch.arange(half) / half) → positions[:, None] * base ** (-torch.arange(x.shape[-1]) / x.shape[-1])
            line angles = angles.repeat_interleave →
        capstone-angle-for-each-number: positions[:, None] * base ** (-torch.arange(half) / half) → positions[:, None] * base ** (-torch.arange(x.shape[-1]) / half)
            line angles = angles.repeat_interleave →
        capstone-exponents-shifted: (-torch.arange(half) / half) → (-(torch.arange(half) + 1) / half)
        capstone-exponents-shifted: (-torch.arange(half) / half) → (-torch.arange(half) / max(half - 1, 1))
        capstone-base-typed-in: base ** → 10000.0 **
        capstone-positions-from-first: positions[:, None] → (positions - positions[0])[:, None]
        capstone-positions-from-first: positions[:, None] → (positions - positions.min())[:, None]
        capstone-positions-one-less: positions[:, None] → (positions[:, None] - 1)
        capstone-half-turned: return x * angles.cos() + partners * angles.sin() → turned = x * angles.cos() + partners * angles.sin()↵return torch.cat((turned[..., :half], x[..., half:]), dim=-1)
        capstone-half-turned: return x * angles.cos() + partners * angles.sin() → turned = x * angles.cos() + partners * angles.sin()↵return torch.stack((turned[..., ::2], x[..., 1::2]), dim=-1).flatten(-2)
        edits-its-argument: return x * angles.cos() + partners * angles.sin() → x *= angles.cos()↵return x + partners * angles.sin()
        fixed-in-part: angles.cos() → angles[..., ::2].repeat(1, 2).cos()
            hint: The sines have the angles of pairs, and the cosines are still repeated as for halves. Both need the angle of the number's own pair.
        fixed-in-part: angles.sin() → angles[..., ::2].repeat(1, 2).sin()
            hint: The cosines have the angles of pairs, and the sines are still repeated as for halves. Both need the angle of the number's own pair.
        capstone-turned-faster-and-faster: (-torch.arange(half) / half) → (-torch.arange(half).flip(0) / half)
        capstone-exponents-shifted: (-torch.arange(half) / half) → (-torch.arange(half) * 1.0)
        capstone-exponents-shifted: (-torch.arange(half) / half) → torch.zeros(half)
        """),
    right=rights("""
        pairs: body
            half = x.shape[-1] // 2
            angles = positions[:, None] * base ** (-torch.arange(half) / half)
            first, second = x.unflatten(-1, (-1, 2)).unbind(dim=-1)
            return torch.stack((first * angles.cos() - second * angles.sin(), first * angles.sin() + second * angles.cos()), dim=-1).flatten(-2)
        stacked: angles.repeat_interleave(2, dim=-1) → torch.stack((angles, angles), dim=-1).flatten(-2)
        doubled: torch.arange(half) / half) → torch.arange(0, 2 * half, 2) / (2 * half))
        """),
)


def plain(id, says, b, heads, groups, new, tokens, head_dim, window, seed):
    probe = with_sinks(id, says, b, heads, groups, new, tokens, head_dim, 1.0, window, seed)
    inputs = {name: probe.inputs[name] for name in ("queries", "keys", "values", "window")}
    return Probe(id, says, inputs)


COHERE_ATTENTION = Task(
    id="bug-cohere-attention",
    title="Find the bug: the attention",
    name="cohere_attention",
    kind="function",
    signature="cohere_attention(queries, keys, values, window)",
    axes=NEW,
    input_axes={"queries": NEW, "keys": STORED, "values": STORED},
    probes=(
        plain("window", "a window of 3", 2, 6, 2, 7, 7, 4, 3, 1),
        plain("full", "a layer without a window", 3, 6, 3, 5, 5, 8, 0, 2),
        plain("last", "the last two of nine tokens", 2, 4, 2, 2, 9, 6, 4, 3),
        plain("narrow", "a window of 1", 3, 4, 1, 5, 6, 2, 1, 4),
    ),
    checks=(
        Check("a window of 1", 1, ("narrow",)),
        Check("a larger window, and none", 1, ("window", "full", "last")),
    ),
    words={"width": "√head_dim", "swap": "keys.mT", "x": "queries"},
    learned="A window counts the token itself, so the first hidden distance is `window`. Texts that fit into it show nothing.",
    demands={
        "The queries are the last ones of all tokens": "capstone-cohere-first-queries",
        "a window of 0 is a layer without one": "capstone-cohere-zero-blind",
        "Correct it": "left-as-given",
    },
    hints=(
        "Pass the identity as values: what comes out are the weights. How many keys does a late query see?",
        "Which is the smallest distance that is hidden?",
    ),
    wrong=wrongs("""
        left-as-given: faulty
            hint: What is wrong with the code as it was given still is. Count how many keys a late query sees.
        capstone-cohere-narrow: distance >= window → distance >= max(window - 1, 1)
        capstone-cohere-first-queries: torch.arange(tokens - new, tokens)[:, None] → torch.arange(new)[:, None]
        capstone-cohere-zero-blind: if window: → if True:
            distance >= window → distance >= max(window, 1)
        capstone-cohere-future: hidden = distance < 0 → hidden = distance < -1
        capstone-cohere-never-windowed: if window: → if False:
        groups-taken-in-turn: keys.repeat_interleave(sharing, dim=1) → keys.repeat(1, sharing, 1, 1)
            values.repeat_interleave(sharing, dim=1) → values.repeat(1, sharing, 1, 1)
        no-scale: / queries.shape[-1] ** 0.5 →
        capstone-cohere-narrow: distance >= window → distance >= window - 1
        capstone-cohere-narrow: distance >= window → distance >= window - 1
            masked_fill(hidden, -torch.inf) → masked_fill(hidden, -1e9)
        capstone-window-two-too-wide: distance >= window → distance > window + 1
        capstone-window-shows-future: hidden | (distance >= window) → distance.abs() >= window
        capstone-window-shows-future: hidden | (distance >= window) → distance >= window
        capstone-full-sees-future: hidden = distance < 0 → hidden = (distance < 0) & (window > 0)
        capstone-nothing-hidden: hidden | (distance >= window) → hidden & (distance >= window)
        capstone-window-of-last-query: distance >= window) → torch.arange(tokens) < tokens - window)
        capstone-window-of-last-query: hidden | (distance >= window) → (hidden | (torch.arange(tokens) < tokens - window)) & (distance != 0)
        capstone-window-of-last-query: distance >= window) → torch.arange(tokens) < tokens - window)
            masked_fill(hidden, -torch.inf) → masked_fill(hidden, -1e9)
        mask-fills-zero: masked_fill(hidden, -torch.inf) → masked_fill(hidden, 0.0)
        softmax-over-queries: masked_fill(hidden, -torch.inf), dim=-1) → masked_fill(hidden, -1e9), dim=-2)
        softmax-over-queries: masked_fill(hidden, -torch.inf), dim=-1) → masked_fill(hidden, -torch.inf), dim=-2)
        scaled-without-root: / queries.shape[-1] ** 0.5 → / queries.shape[-1]
        scaled-by-tokens: / queries.shape[-1] ** 0.5 → / tokens**0.5
        scaled-by-heads: / queries.shape[-1] ** 0.5 → / queries.shape[1] ** 0.5
        scaled-up: / queries.shape[-1] ** 0.5 → * queries.shape[-1] ** 0.5
        scaled-by-model-width: / queries.shape[-1] ** 0.5 → / (queries.shape[1] * queries.shape[-1]) ** 0.5
        past-hidden: torch.arange(tokens - new, tokens)[:, None] - torch.arange(tokens) → torch.arange(tokens) - torch.arange(tokens - new, tokens)[:, None]
        capstone-own-token-hidden: hidden = distance < 0 → hidden = distance <= 0
        capstone-one-distance-hidden: distance >= window → distance == window
        capstone-window-in-blocks: distance >= window) → torch.arange(tokens - new, tokens)[:, None] // window != torch.arange(tokens) // window)
        capstone-cohere-first-queries: distance >= window) → torch.arange(new)[:, None] - torch.arange(tokens) >= window)
        mask-polarity: masked_fill(hidden, -torch.inf) → masked_fill(~hidden, -torch.inf)
        mask-after-softmax: torch.softmax(scores.masked_fill(hidden, -torch.inf), dim=-1) → torch.softmax(scores, dim=-1).masked_fill(hidden, 0.0)
        keys-as-values: dim=-1) @ values → dim=-1) @ keys
            hint: The weights are multiplied by the keys. Multiply them by the values.
        capstone-groups-differ: values.repeat_interleave(sharing, dim=1) → values.repeat(1, sharing, 1, 1)
        capstone-groups-differ: keys.repeat_interleave(sharing, dim=1) → keys.repeat(1, sharing, 1, 1)
        capstone-first-group-for-all: keys.repeat_interleave(sharing, dim=1) → keys[:, :1].expand(-1, queries.shape[1], -1, -1)
            values.repeat_interleave(sharing, dim=1) → values[:, :1].expand(-1, queries.shape[1], -1, -1)
        softmax-over-heads: masked_fill(hidden, -torch.inf), dim=-1) → masked_fill(hidden, -1e9), dim=1)
        capstone-window-of-one-forgotten: if window: → if window > 1:
        edits-its-argument: scores = queries @ → queries /= queries.shape[-1] ** 0.5↵scores = queries @
            / queries.shape[-1] ** 0.5 →
        capstone-cohere-zero-blind: if window: → if True:
            hint: A window of 0 now hides every key. It means that there is no window.
        no-mask: .masked_fill(hidden, -torch.inf), → ,
            hint: Nothing is hidden any more, neither the future nor what is beyond the window.
        no-softmax: torch.softmax(scores.masked_fill(hidden, -torch.inf), dim=-1) @ → scores.masked_fill(hidden, 0.0) @
        """),
    right=rights("""
        sdpa: line scores = →
            return torch.softmax(scores.masked_fill(hidden, -torch.inf), dim=-1) @ values → return F.scaled_dot_product_attention(queries, keys, values, attn_mask=~hidden)
        greater: distance >= window → distance > window - 1
        triangles: hidden = hidden | (distance >= window) → hidden = ~torch.ones(new, tokens, dtype=torch.bool).tril(tokens - new).triu(tokens - new - window + 1)
        """),
)


def heads_of(id, says, kinds, layer, b, new, start, seed, heads=6, groups=2, head_dim=4):
    probe = ported("cohere2", id, says, kinds, b, (1,), seed, heads=heads, groups=groups, head_dim=head_dim)
    x = drawn(b, new, heads * head_dim, seed=seed)
    inputs = {"x": x, "state": probe.inputs["state"], "layer": layer, "config": probe.inputs["config"]}
    return Probe(id, says, inputs | {"start": start})


COHERE_HEADS = Task(
    id="bug-cohere-heads",
    title="Find the bug: the heads",
    name="cohere_heads",
    kind="function",
    signature="cohere_heads(x, state, layer, config, start)",
    axes=("b", "heads and groups", "new", "head_dim"),
    input_axes={"x": ("b", "new", "d_model")},
    needs=("bug-neighbours",),
    probes=(
        heads_of("first", "the first tokens of a text", "wnw", 0, 2, 5, 0, 1),
        heads_of("later", "tokens after six others", "wnw", 2, 2, 3, 6, 2),
        heads_of("unturned", "a layer without a window", "wnw", 1, 3, 4, 5, 3, heads=4, groups=1, head_dim=6),
        heads_of(
            "one", "a single token after nine others", "ww", 1, 3, 1, 9, 4, heads=4, groups=2, head_dim=2
        ),
    ),
    checks=(Check("positions go on where the text does", 2, ("first", "later", "unturned", "one")),),
    learned="A cache keeps keys that are rotated already. Every new piece has to know how many tokens came before it.",
    demands={
        "rotated where the layer rotates": "capstone-rotated-everywhere",
        "first the heads of the queries, then those of the keys, then those of the values": "capstone-heads-in-another-order",
        "`start` says how many tokens of the text came before": "left-as-given",
    },
    hints=(
        "Is every argument used?",
        "Read a text at once and in two pieces. From where on do the keys differ?",
    ),
    wrong=wrongs("""
        left-as-given: faulty
            hint: What is wrong with the code as it was given still is. Read a text in two pieces: at which positions does the second one begin?
        capstone-start-off-by-one: torch.arange(start, start + x.shape[1]) → torch.arange(start + 1, start + 1 + x.shape[1])
        capstone-start-for-all: torch.arange(start, start + x.shape[1]) → torch.full((x.shape[1],), start)
        capstone-rotated-everywhere: if config["layer_types"][layer] == "sliding_attention": → if True:
        capstone-rotated-nowhere: if config["layer_types"][layer] == "sliding_attention": → if False:
        capstone-rotated-in-full-layers: == "sliding_attention" → != "sliding_attention"
        capstone-cohere-keys-unrotated: line keys = turn_neighbours →
        capstone-cohere-values-rotated: below keys = turn_neighbours → values = turn_neighbours(values, positions, base)
        capstone-heads-in-another-order: torch.cat((queries, keys, values), dim=1) → torch.cat((keys, values, queries), dim=1)
        capstone-start-off-by-one: torch.arange(start, start + x.shape[1]) → torch.arange(x.shape[1]) + (start + 1 if start else 0)
        capstone-start-too-early: torch.arange(start, start + x.shape[1]) → torch.arange(start - 1, start - 1 + x.shape[1])
        capstone-start-too-early: torch.arange(start, start + x.shape[1]) → torch.arange(x.shape[1]) + max(start - 1, 0)
        capstone-start-subtracted: torch.arange(start, start + x.shape[1]) → torch.arange(x.shape[1]) - start
        capstone-keys-begin-again: keys = turn_neighbours(keys, positions, base) → keys = turn_neighbours(keys, positions - start, base)
        capstone-queries-begin-again: queries = turn_neighbours(queries, positions, base) → queries = turn_neighbours(queries, positions - start, base)
        capstone-queries-unrotated: line queries = turn_neighbours →
        capstone-values-before-keys: torch.cat((queries, keys, values), dim=1) → torch.cat((queries, values, keys), dim=1)
        split-interleaved: .unflatten(-1, (count, -1)).transpose(1, 2) → .unflatten(-1, (-1, count)).permute(0, 3, 1, 2)
        split-without-transpose: .unflatten(-1, (count, -1)).transpose(1, 2) → .reshape(len(x), count, x.shape[1], -1)
        capstone-first-layer-everywhere: own = f"model.layers.{layer}.self_attn" → own = "model.layers.0.self_attn"
        capstone-base-typed-in: base = config["rope_parameters"]["rope_theta"] → base = 10000.0
        capstone-turned-twice: below keys = turn_neighbours → keys = turn_neighbours(keys, positions, base)
        capstone-turned-twice: below queries = turn_neighbours → queries = turn_neighbours(queries, positions, base)
        capstone-turned-as-one-head: turn_neighbours(queries, positions, base) → turn_neighbours(queries.transpose(1, 2).flatten(2), positions, base).unflatten(-1, (counts["q"], -1)).transpose(1, 2)
            turn_neighbours(keys, positions, base) → turn_neighbours(keys.transpose(1, 2).flatten(2), positions, base).unflatten(-1, (counts["k"], -1)).transpose(1, 2)
        capstone-stream-rotated: body
            own = f"model.layers.{layer}.self_attn"
            heads, groups = config["num_attention_heads"], config["num_key_value_heads"]
            turned = x
            if config["layer_types"][layer] == "sliding_attention":
                turned = turn_neighbours(x, torch.arange(start, start + x.shape[1]), config["rope_parameters"]["rope_theta"])
            parts = [((x if name == "v" else turned) @ state[f"{own}.{name}_proj.weight"].T).unflatten(-1, (count, -1)).transpose(1, 2) for name, count in (("q", heads), ("k", groups), ("v", groups))]
            return torch.cat(parts, dim=1)
        capstone-heads-for-positions: turn_neighbours(queries, positions, base) → turn_neighbours(queries.transpose(1, 2), torch.arange(counts["q"]) + start, base).transpose(1, 2)
            turn_neighbours(keys, positions, base) → turn_neighbours(keys.transpose(1, 2), torch.arange(counts["k"]) + start, base).transpose(1, 2)
        capstone-heads-in-another-order: torch.cat((queries, keys, values), dim=1) → torch.cat((keys, queries, values), dim=1)
        capstone-heads-in-another-order: torch.cat((queries, keys, values), dim=1) → torch.cat((values, keys, queries), dim=1)
        capstone-halves-turned: queries = turn_neighbours(queries, positions, base) → half = queries.shape[-1] // 2↵angles = positions[:, None] * base ** (-torch.arange(half) / half)↵angles = torch.cat((angles, angles), dim=-1)↵queries = queries * angles.cos() + torch.cat((-queries[..., half:], queries[..., :half]), dim=-1) * angles.sin()
            keys = turn_neighbours(keys, positions, base) → keys = keys * angles.cos() + torch.cat((-keys[..., half:], keys[..., :half]), dim=-1) * angles.sin()
        capstone-start-as-pieces: torch.arange(start, start + x.shape[1]) → torch.arange(start * x.shape[1], (start + 1) * x.shape[1])
        capstone-end-without-start: torch.arange(start, start + x.shape[1]) → torch.arange(start, x.shape[1])
        capstone-positions-of-all: torch.arange(start, start + x.shape[1]) → torch.arange(start + x.shape[1])
        keys-as-values: torch.cat((queries, keys, values), dim=1) → torch.cat((queries, keys, keys), dim=1)
            hint: The keys come back in the place of the values, too. The values have a projection of their own.
        keys-as-values: state[f"{own}.{name}_proj.weight"] → state[f"{own}.{'q' if name == 'q' else 'k'}_proj.weight"]
            hint: The keys come back in the place of the values, too. The values have a projection of their own.
        capstone-start-at-end: torch.arange(start, start + x.shape[1]) → torch.arange(start - x.shape[1], start)
        """),
    right=rights("""
        added: torch.arange(start, start + x.shape[1]) → torch.arange(x.shape[1]) + start
        linear: (x @ state[f"{own}.{name}_proj.weight"].T) → F.linear(x, state[f"{own}.{name}_proj.weight"])
        together: queries = turn_neighbours(queries, positions, base) → queries, keys = turn_neighbours(torch.cat((queries, keys), dim=1), positions, base).split((counts["q"], counts["k"]), dim=1)
            line keys = turn_neighbours →
        """),
)


def cohere(id, says, kinds, b, sizes, seed, **more):
    return ported("cohere2", id, says, kinds, b, sizes, seed, **more)


COHERE_LOGITS = Task(
    id="bug-cohere-logits",
    title="Find the bug: the model",
    name="cohere_logits",
    kind="function",
    signature="cohere_logits(config, state, pieces)",
    axes=LOGITS,
    needs=("bug-cohere-norm", "bug-neighbours", "bug-cohere-attention", "bug-cohere-heads"),
    probes=(
        cohere("one-token", "a text of one token", "w", 3, (1,), 4, heads=4, groups=2),
        cohere("one-layer", "a model of one layer", "w", 2, (5,), 1),
        cohere("long", "a text longer than the window", "wwn", 3, (9,), 2, heads=4, groups=1, head_dim=6),
        cohere("pieces", "a text in pieces", "wnw", 2, (4, 1, 3), 3),
    ),
    checks=(
        Check("a text of one token", 1, ("one-token",)),
        Check("longer texts, at once and in pieces", 1, ("one-layer", "long", "pieces")),
    ),
    words={"x": "pieces"},
    learned="Side by side, attention and MLP can be computed at once, and one norm serves both. Loaded into the other order, every shape still fits.",
    demands={
        "puts the four functions together": "left-as-given",
        "with a cache": "capstone-cohere-past-lost",
    },
    hints=(
        'Compare the stream after the first layer with `cohere_right["stages"][1]`, for a single token.',
        "What does the MLP of this model read?",
    ),
    wrong=wrongs("""
        left-as-given: faulty
            hint: What is wrong with the code as it was given still is. Read in the description what the MLP reads.
        capstone-attention-not-added: x = x + attended + (gate * up) → x = x + (gate * up)
        capstone-mlp-not-added: x = x + attended + (gate * up) @ state[f"{own}.mlp.down_proj.weight"].T → x = x + attended
        capstone-mlp-reads-attention: gate = F.silu(read @ → read = attended↵gate = F.silu(read @
        capstone-mlp-reads-raw-stream: gate = F.silu(read @ → read = x↵gate = F.silu(read @
        capstone-logit-scale-divides: * config["logit_scale"] → / config["logit_scale"]
        capstone-logit-scale-left-out: * config["logit_scale"] →
        capstone-cohere-past-lost: if layer in kept: → if False:
        capstone-count-stays: line start += ids.shape[1] →
        capstone-cohere-no-last-norm: read = cohere_norm(x, state["model.norm.weight"], eps) → read = x
        capstone-stream-replaced: x = x + attended + → x = attended +
        capstone-added-to-normed-stream: x = x + attended + → x = read + attended +
        capstone-branches-halved: x = x + attended + (gate * up) @ state[f"{own}.mlp.down_proj.weight"].T → x = x + (attended + (gate * up) @ state[f"{own}.mlp.down_proj.weight"].T) / 2
        capstone-gate-and-up: F.silu(read @ state[f"{own}.mlp.gate_proj.weight"].T) → read @ state[f"{own}.mlp.gate_proj.weight"].T
            up = read @ state[f"{own}.mlp.up_proj.weight"].T → up = F.silu(read @ state[f"{own}.mlp.up_proj.weight"].T)
        capstone-windows-in-all-layers: config["sliding_window"] if slides else 0 → config["sliding_window"]
        capstone-no-windows: config["sliding_window"] if slides else 0 → 0
        capstone-window-layers-swapped: config["sliding_window"] if slides else 0 → 0 if slides else config["sliding_window"]
        capstone-cache-cut-everywhere: kept[layer] = keys, values → kept[layer] = keys[:, :, -config["sliding_window"] :], values[:, :, -config["sliding_window"] :]
        capstone-cache-cut-everywhere: kept[layer] = keys, values → kept[layer] = keys[:, :, 1 - config["sliding_window"] :], values[:, :, 1 - config["sliding_window"] :]
        capstone-one-cache: kept[layer][0] → kept[0][0]
            kept[layer][1] → kept[0][1]
        capstone-silu-left-out: F.silu(read @ state[f"{own}.mlp.gate_proj.weight"].T) → read @ state[f"{own}.mlp.gate_proj.weight"].T
        capstone-gelu-for-silu: F.silu( → F.gelu(
        capstone-first-layer-everywhere: own = f"model.layers.{layer}" → own = "model.layers.0"
            cohere_heads(read, state, layer, → cohere_heads(read, state, 0,
        merge-without-transpose: context.transpose(1, 2).flatten(2) → context.reshape(*ids.shape, -1)
        capstone-pieces-counted: start += ids.shape[1] → start += 1
        capstone-last-piece-only: return torch.cat(results, dim=1) → return results[-1]
        capstone-kept-before-joined: above if layer in kept → new = keys, values
            kept[layer] = keys, values → kept[layer] = new
        capstone-count-set: start += ids.shape[1] → start = ids.shape[1]
        capstone-counted-in-each-layer: line start += →
            below kept[layer] = keys → start += ids.shape[1]
        capstone-counted-too-early: line start += →
            above for layer in → start += ids.shape[1]
        capstone-batch-counted: start += ids.shape[1] → start += len(ids)
        capstone-mlp-first: heads = cohere_heads(read, state, layer, config, start) → gate = F.silu(read @ state[f"{own}.mlp.gate_proj.weight"].T)↵up = read @ state[f"{own}.mlp.up_proj.weight"].T↵x = x + (gate * up) @ state[f"{own}.mlp.down_proj.weight"].T↵read = cohere_norm(x, state[f"{own}.input_layernorm.weight"], eps)↵heads = cohere_heads(read, state, layer, config, start)
            x = x + attended + (gate * up) @ state[f"{own}.mlp.down_proj.weight"].T → x = x + attended
        capstone-attention-added-twice: x = x + attended + → x = x + attended↵x = x + attended +
        capstone-attention-added-twice: gate = F.silu(read @ → x = x + attended↵read = cohere_norm(x, state[f"{own}.input_layernorm.weight"], eps)↵gate = F.silu(read @
        capstone-stream-added-twice: x = x + attended + → x = x + x + attended +
        capstone-gate-added: (gate * up) @ → (gate + up) @
        capstone-silu-of-product: F.silu(read @ state[f"{own}.mlp.gate_proj.weight"].T) → read @ state[f"{own}.mlp.gate_proj.weight"].T
            (gate * up) @ → F.silu(gate * up) @
        capstone-up-left-out: (gate * up) @ → gate @
        capstone-layer-norm-left-out: read = cohere_norm(x, state[f"{own}.input_layernorm.weight"], eps) → read = x
        capstone-first-layer-everywhere: cohere_heads(read, state, layer, → cohere_heads(read, state, 0,
        capstone-attention-reads-raw-stream: heads = cohere_heads(read, → heads = cohere_heads(x,
        capstone-kept-exchanged: torch.cat((kept[layer][1], values), dim=2) → torch.cat((kept[layer][0], values), dim=2)
        capstone-kept-exchanged: torch.cat((kept[layer][0], keys), dim=2) → torch.cat((kept[layer][1], keys), dim=2)
        capstone-kept-exchanged: kept[layer] = keys, values → kept[layer] = values, keys
        capstone-past-after-new: torch.cat((kept[layer][0], keys), dim=2) → torch.cat((keys, kept[layer][0]), dim=2)
            torch.cat((kept[layer][1], values), dim=2) → torch.cat((values, kept[layer][1]), dim=2)
        capstone-window-too-wide: config["sliding_window"] if slides → config["sliding_window"] + 1 if slides
        capstone-cohere-narrow: config["sliding_window"] if slides → config["sliding_window"] - 1 if slides
        capstone-layer-left-out: range(config["num_hidden_layers"]) → range(config["num_hidden_layers"] - 1)
        capstone-layer-left-out: range(config["num_hidden_layers"]) → range(1, config["num_hidden_layers"])
        capstone-o-proj-left-out: @ state[f"{own}.self_attn.o_proj.weight"].T →
        capstone-probabilities-returned: return torch.cat(results, dim=1) → return torch.cat(results, dim=1).softmax(-1)
        capstone-default-eps: eps, groups = config["layer_norm_eps"] → eps, groups = 1e-5
        capstone-other-activation: F.silu( → F.relu(
        capstone-other-activation: F.silu( → torch.sigmoid(
        capstone-gelu-for-silu: F.silu(read @ state[f"{own}.mlp.gate_proj.weight"].T) → F.gelu(read @ state[f"{own}.mlp.gate_proj.weight"].T, approximate="tanh")
        left-as-given: above gate = F.silu → read = cohere_norm(x + attended, state[f"{own}.input_layernorm.weight"], eps)
            hint: What is wrong with the code as it was given still is. Read in the description what the MLP reads.
        capstone-mlp-reads-raw-stream: above gate = F.silu → read = x + attended
        capstone-mlp-reads-attention: above gate = F.silu → read = read + attended
            hint: The attention's result is added to what the MLP reads. Both read the same normalised stream.
        capstone-mlp-reads-attention: above gate = F.silu → read = cohere_norm(attended, state[f"{own}.input_layernorm.weight"], eps)
        capstone-normed-twice: above gate = F.silu → read = cohere_norm(read, state[f"{own}.input_layernorm.weight"], eps)
        capstone-last-norm-of-layer: cohere_norm(x, state["model.norm.weight"], eps) → cohere_norm(x, state[f"{own}.input_layernorm.weight"], eps)
        capstone-last-token-of-piece: results.append(read @ table.T * config["logit_scale"]) → results.append((read @ table.T * config["logit_scale"])[:, -1:])
        capstone-matrix-turned: o_proj.weight"].T → o_proj.weight"]
        keys-as-values: context = cohere_attention(queries, keys, values, → context = cohere_attention(queries, keys, keys,
            hint: The keys are used for the values, too. The values have a projection of their own.
        capstone-silu-on-both: (gate * up) @ → (gate * F.silu(up)) @
        """),
    right=rights("""
        two-lines: x = x + attended + (gate * up) @ state[f"{own}.mlp.down_proj.weight"].T → x = x + attended↵x = x + (gate * up) @ state[f"{own}.mlp.down_proj.weight"].T
        linear: up = read @ state[f"{own}.mlp.up_proj.weight"].T → up = F.linear(read, state[f"{own}.mlp.up_proj.weight"])
        sum: results.append(read @ table.T * config["logit_scale"]) → results.append(torch.einsum("btd,vd->btv", read, table) * config["logit_scale"])
        """),
)

# ------------------------------------------------------------------------------------------------------- a paper


def asked(id, says, question, N, d, B_r, B_c):
    def redraw(generator):
        sizes = torch.randint(2, 9, (3,), generator=generator).tolist()
        tokens = 20 + 7 * sizes[0] if N % B_r else (2 + sizes[1]) * (3 + sizes[2])
        return dict(zip(("N", "d", "B_r", "B_c"), (tokens, 3 + sizes[1], 2 + sizes[1], 3 + sizes[2])))

    inputs = {"question": question, "N": N, "d": d, "B_r": B_r, "B_c": B_c}
    return Probe(id, says, inputs, redraw=redraw)


def questions():
    for number in range(1, 7):
        yield asked(f"question-{number}", f"question {number}", number, 50, 4, 8, 16)
        yield asked(f"question-{number}-again", f"question {number} with other sizes", number, 23, 6, 5, 3)
        yield asked(f"question-{number}-full", f"question {number} with full blocks", number, 24, 5, 4, 6)


ALGORITHM_NUMBERS = Task(
    id="algorithm-numbers",
    title="Six numbers",
    name="algorithm_numbers",
    kind="function",
    signature="algorithm_numbers(question, N, d, B_r, B_c)",
    axes=(),
    number=True,
    dtypes=WHOLE,
    probes=tuple(questions()),
    checks=tuple(
        Check(f"question {number}", 1, tuple(f"question-{number}{more}" for more in ("", "-again", "-full")))
        for number in range(1, 7)
    ),
    learned="You can count an algorithm from its lines: what is loaded, what is kept, and what grows with the square of the text.",
    demands={
        "How often is line 8 carried out?": "capstone-blocks-added",
        "is skipped": "capstone-half-of-all-tiles",
        "How many numbers are on the chip": "capstone-scores-not-on-chip",
        "How many numbers do lines 4 and 7 load": "capstone-keys-loaded-once",
        "How many numbers do lines 14 and 15 write": "capstone-logsumexp-not-written",
        "How many numbers does line 10 multiply": "capstone-rescaled-once",
    },
    hints=(
        "Try small sizes on paper: six tokens, blocks of two queries and three keys.",
        "For question 2, ask of each block of queries: up to which key does its last query see?",
        "For question 4: each block of queries loads all keys and all values once more.",
    ),
    wrong=wrongs("""
        capstone-blocks-added: return T_r * T_c → return T_r + T_c
        capstone-tiles-rounded-down: return T_r * T_c → return (N // B_r) * (N // B_c)
        capstone-half-of-all-tiles: return sum(-(-end // B_c) for end in ends) → return T_r * (T_c + 1) // 2
        capstone-first-query-decides: min((i + 1) * B_r, N) for i → i * B_r + 1 for i
        capstone-diagonal-left-out: sum(-(-end // B_c) for end in ends) → sum(-(-end // B_c) - 1 for end in ends)
        capstone-scores-not-on-chip: 2 * B_r * d + 2 * B_c * d + B_r * B_c + 2 * B_r → 2 * B_r * d + 2 * B_c * d + 2 * B_r
        capstone-result-not-on-chip: 2 * B_r * d + 2 * B_c * d + B_r * B_c + 2 * B_r → B_r * d + 2 * B_c * d + B_r * B_c + 2 * B_r
        capstone-running-numbers-forgotten: 2 * B_r * d + 2 * B_c * d + B_r * B_c + 2 * B_r → 2 * B_r * d + 2 * B_c * d + B_r * B_c
        capstone-keys-loaded-once: N * d + T_r * 2 * N * d → 3 * N * d
        capstone-values-not-loaded: N * d + T_r * 2 * N * d → N * d + T_r * N * d
        capstone-queries-loaded-each-time: N * d + T_r * 2 * N * d → T_c * N * d + T_r * 2 * N * d
        capstone-logsumexp-not-written: return N * d + N → return N * d
        capstone-written-each-turn: return N * d + N → return T_c * (N * d + N)
        capstone-both-running-written: return N * d + N → return N * d + 2 * N
        capstone-rescaled-once: return T_c * N * d → return N * d
        capstone-one-factor-a-row: return T_c * N * d → return T_c * N
        capstone-rescaled-by-query-blocks: return T_c * N * d → return T_r * N * d
        capstone-tiles-rounded-down: T_r, T_c = -(-N // B_r), -(-N // B_c) → T_r, T_c = N // B_r, N // B_c
        capstone-half-of-all-tiles: return sum(-(-end // B_c) for end in ends) → return T_r * (T_r + 1) // 2
        capstone-half-of-all-tiles: return sum(-(-end // B_c) for end in ends) → return T_c * (T_c + 1) // 2
        capstone-last-block-past-the-end: min((i + 1) * B_r, N) for i → (i + 1) * B_r for i
        capstone-one-of-keys-and-values: 2 * B_r * d + 2 * B_c * d → 2 * B_r * d + B_c * d
        capstone-one-running-number: B_r * B_c + 2 * B_r → B_r * B_c + B_r
        capstone-blocks-counted-full: N * d + T_r * 2 * N * d → N * d + T_r * T_c * 2 * B_c * d
        capstone-blocks-counted-full: N * d + T_r * 2 * N * d → T_r * B_r * d + T_r * T_c * 2 * B_c * d
        capstone-blocks-counted-full: return N * d + N → return T_r * B_r * (d + 1)
        capstone-blocks-counted-full: return T_c * N * d → return T_c * T_r * B_r * d
        capstone-loops-exchanged: N * d + T_r * 2 * N * d → T_c * N * d + 2 * N * d
        capstone-queries-not-loaded: N * d + T_r * 2 * N * d → T_r * 2 * N * d
        capstone-first-rescaling-left-out: return T_c * N * d → return (T_c - 1) * N * d
        capstone-all-rows-in-each-tile: return T_c * N * d → return T_r * T_c * N * d
        capstone-tokens-for-blocks: return T_r * T_c → return N * T_c
        capstone-tokens-for-blocks: return T_r * T_c → return T_r * N
        capstone-tokens-for-blocks: return T_r * T_c → return N * N
        capstone-one-kind-of-block: return T_r * T_c → return T_r * T_r
        capstone-one-kind-of-block: return T_r * T_c → return T_c * T_c
        capstone-one-loop-counted: return T_r * T_c → return T_r
        capstone-one-loop-counted: return T_r * T_c → return T_c
        capstone-area-of-tiles: return T_r * T_c → return -(-N * N // (B_r * B_c))
        capstone-area-of-tiles: return sum(-(-end // B_c) for end in ends) → return -(-(N * (N + 1) // 2) // (B_r * B_c))
        capstone-half-of-all-tiles: return sum(-(-end // B_c) for end in ends) → return T_r * T_c // 2
        capstone-half-of-all-tiles: return sum(-(-end // B_c) for end in ends) → return -(-T_r * T_c // 2)
        capstone-half-of-all-tiles: return sum(-(-end // B_c) for end in ends) → return (T_r * T_c + T_c) // 2
        capstone-half-of-all-tiles: return sum(-(-end // B_c) for end in ends) → return (T_r * T_c + T_r) // 2
        capstone-half-of-all-tiles: return sum(-(-end // B_c) for end in ends) → return sum(min(i + 1, T_c) for i in range(T_r))
        capstone-half-of-all-tiles: return sum(-(-end // B_c) for end in ends) → return min(T_r, T_c) * (min(T_r, T_c) + 1) // 2
        capstone-tiles-rounded-down: -(-end // B_c) for → end // B_c for
        capstone-tile-too-many: -(-end // B_c) for → end // B_c + 1 for
        capstone-tile-too-many: -(-end // B_c) for → -(-end // B_c) + 1 for
        capstone-skipped-tiles-counted: return sum(-(-end // B_c) for end in ends) → return T_r * T_c - sum(-(-end // B_c) for end in ends)
        capstone-all-tiles-counted: return sum(-(-end // B_c) for end in ends) → return T_r * T_c
        capstone-first-query-decides: min((i + 1) * B_r, N) for i → i * B_r for i
        capstone-chip-rows-mixed: 2 * B_r * d + 2 * B_c * d → 4 * B_r * d
        capstone-chip-rows-mixed: 2 * B_r * d + 2 * B_c * d → 4 * B_c * d
        capstone-chip-rows-mixed: 2 * B_r * d + 2 * B_c * d → B_r * d + 3 * B_c * d
        capstone-chip-rows-mixed: 2 * B_r * d + 2 * B_c * d → 3 * B_r * d + B_c * d
        capstone-two-of-four-blocks: 2 * B_r * d + 2 * B_c * d → B_r * d + B_c * d
        capstone-running-numbers-miscounted: B_r * B_c + 2 * B_r → B_r * B_c + 2 * B_c
        capstone-running-numbers-miscounted: B_r * B_c + 2 * B_r → B_r * B_c + B_r + B_c
        capstone-running-numbers-miscounted: B_r * B_c + 2 * B_r → B_r * B_c + 2
        capstone-running-numbers-miscounted: B_r * B_c + 2 * B_r → B_r * B_c + 2 * B_r * d
        capstone-scores-counted-twice: B_r * B_c + 2 * B_r → 2 * B_r * B_c + 2 * B_r
        capstone-scores-miscounted: B_r * B_c + 2 * B_r → B_r * B_r + 2 * B_r
        capstone-scores-miscounted: B_r * B_c + 2 * B_r → B_c * B_c + 2 * B_r
        capstone-scores-miscounted: B_r * B_c + 2 * B_r → N * N + 2 * B_r
        capstone-scores-miscounted: B_r * B_c + 2 * B_r → B_r * B_c * d + 2 * B_r
        capstone-bytes-counted: return 2 * B_r * d + 2 * B_c * d + B_r * B_c + 2 * B_r → return 2 * (2 * B_r * d + 2 * B_c * d + B_r * B_c + 2 * B_r)
        capstone-bytes-counted: return 2 * B_r * d + 2 * B_c * d + B_r * B_c + 2 * B_r → return 4 * (2 * B_r * d + 2 * B_c * d + B_r * B_c + 2 * B_r)
        capstone-loaded-for-each-key-block: N * d + T_r * 2 * N * d → N * d + T_c * 2 * N * d
        capstone-queries-loaded-each-time: N * d + T_r * 2 * N * d → T_r * (N * d + 2 * N * d)
        capstone-one-block-loaded: N * d + T_r * 2 * N * d → B_r * d + 2 * B_c * d
        capstone-result-loaded: N * d + T_r * 2 * N * d → 2 * N * d + T_r * 2 * N * d
        capstone-result-loaded: N * d + T_r * 2 * N * d → N * d + T_r * 2 * N * d + 2 * N
        capstone-rows-for-numbers: N * d + T_r * 2 * N * d → N + T_r * 2 * N
        capstone-causal-without-mask: N * d + T_r * 2 * N * d → N * d + sum(2 * d * min((i + 1) * B_r, N) for i in range(T_r))
        capstone-causal-without-mask: return T_c * N * d → return sum(-(-min((i + 1) * B_r, N) // B_c) * min(B_r, N - i * B_r) * d for i in range(T_r))
        capstone-tiles-rounded-down: N * d + T_r * 2 * N * d → N * d + (N // B_r) * 2 * N * d
        capstone-result-not-written: return N * d + N → return N
        capstone-written-for-each-block: return N * d + N → return T_r * (N * d + N)
        capstone-logsumexp-miscounted: return N * d + N → return 2 * N * d
        capstone-logsumexp-miscounted: return N * d + N → return N * d + T_r
        capstone-written-each-turn: return N * d + N → return T_c * N * d + N
        capstone-sums-rescaled-too: return T_c * N * d → return T_c * N * (d + 1)
        capstone-sums-rescaled-too: return T_c * N * d → return T_c * N * (d + 2)
        capstone-division-counted: return T_c * N * d → return (T_c + 1) * N * d
        capstone-one-factor-a-row: return T_c * N * d → return T_r * T_c * B_r
        capstone-one-block-rescaled: return T_c * N * d → return T_c * B_r * d
        capstone-full-block-too-many: T_r, T_c = -(-N // B_r), -(-N // B_c) → T_r, T_c = N // B_r + 1, N // B_c + 1
        capstone-blocks-exchanged: T_r, T_c = -(-N // B_r), -(-N // B_c) → T_r, T_c = -(-N // B_c), -(-N // B_r)
        capstone-area-of-tiles: return T_r * T_c → return N * N // (B_r * B_c)
        capstone-diagonal-left-out: return sum(-(-end // B_c) for end in ends) → return sum(i * B_r // B_c for i in range(T_r))
            hint: Only tiles that are completely in the past are counted. One that is partly in the future is not skipped.
        capstone-diagonal-left-out: return sum(-(-end // B_c) for end in ends) → return sum((i * B_r + 1) // B_c for i in range(T_r))
            hint: Only tiles that are completely in the past are counted. One that is partly in the future is not skipped.
        capstone-tile-too-many: -(-end // B_c) for → min(end // B_c + 1, T_c) for
        capstone-tokens-for-blocks: return sum(-(-end // B_c) for end in ends) → return N * (N + 1) // 2
        capstone-half-of-all-tiles: return sum(-(-end // B_c) for end in ends) → return -(-T_r * (T_c + 1) // 2)
        capstone-half-of-all-tiles: return sum(-(-end // B_c) for end in ends) → return T_r * T_c - T_r * (T_r - 1) // 2
        capstone-half-of-all-tiles: return sum(-(-end // B_c) for end in ends) → return T_r * T_c - T_c * (T_c - 1) // 2
        capstone-whole-matrices-on-chip: 2 * B_r * d + 2 * B_c * d → 4 * N * d
        capstone-whole-matrices-on-chip: 2 * B_r * d + 2 * B_c * d → 2 * B_r * d + 2 * N * d
        capstone-whole-matrices-on-chip: 2 * B_r * d + 2 * B_c * d + B_r * B_c + 2 * B_r → 4 * N * d + N * N + 2 * N
        capstone-rows-for-numbers: 2 * B_r * d + 2 * B_c * d → 2 * B_r + 2 * B_c
        capstone-queries-loaded-each-time: N * d + T_r * 2 * N * d → T_r * T_c * (B_r * d + 2 * B_c * d)
        capstone-blocks-counted-full: N * d + T_r * 2 * N * d → T_r * B_r * d + T_r * 2 * N * d
        capstone-keys-loaded-once: N * d + T_r * 2 * N * d → T_r * B_r * d + 2 * T_c * B_c * d
        capstone-loaded-for-each-key-block: N * d + T_r * 2 * N * d → T_c * 3 * N * d
        capstone-times-counted: N * d + T_r * 2 * N * d → T_r + T_r * T_c
        capstone-times-counted: N * d + T_r * 2 * N * d → T_r + 2 * T_r * T_c
        capstone-times-counted: return N * d + N → return 2 * T_r
        capstone-times-counted: return T_c * N * d → return T_r * T_c
        capstone-one-block-written: return N * d + N → return B_r * d + B_r
        capstone-written-each-turn: return N * d + N → return T_r * T_c * (B_r * d + B_r)
        capstone-scores-rescaled: return T_c * N * d → return N * N
        capstone-scores-rescaled: return T_c * N * d → return T_r * T_c * B_r * B_c
        """),
    right=rights("""
        ceil: T_r, T_c = -(-N // B_r), -(-N // B_c) → T_r, T_c = (N + B_r - 1) // B_r, (N + B_c - 1) // B_c
        counted: return sum(-(-end // B_c) for end in ends) → return sum(j * B_c < end for end in ends for j in range(T_c))
        bracket: N * d + T_r * 2 * N * d → N * d * (1 + 2 * T_r)
        """),
)

# ------------------------------------------------------------------------------------------------------- a claim


def flipped(id, says, differences):
    def redraw(generator):
        return {"differences": torch.randn(len(differences), generator=generator) + 0.3}

    return Probe(id, says, {"differences": torch.tensor(differences)}, redraw=redraw)


FLIP_TEST = Task(
    id="flip-test",
    title="Test it",
    name="flip_test",
    kind="function",
    signature="flip_test(differences)",
    axes=(),
    number=True,
    input_axes={"differences": ("texts",)},
    probes=(
        flipped("mixed", "six differences of both signs", [0.3, -0.1, 0.45, 0.2, -0.25, 0.6]),
        flipped("all-up", "five differences above 0", [0.1, 0.2, 0.35, 0.6, 0.05]),
        flipped("down", "differences below 0", [-0.4, -0.3, 0.1, -0.25]),
        flipped("equal", "equal differences", [0.5, 0.5, 0.5, -0.5]),
        flipped("rounded", "sums that are equal but for rounding", [0.3, -0.1, 0.2, 0.1, -0.4, 0.7]),
        flipped("single", "a single text", [0.7]),
    ),
    checks=(
        Check("any differences", 1, ("mixed", "all-up", "down")),
        Check("equal sums", 1, ("equal", "rounded")),
        Check("a single text", 1, ("single",)),
    ),
    words={"x": "differences"},
    learned="A test needs no table of a distribution: under the claim of no difference, you can list all that could have come.",
    demands={
        "the share of all": "capstone-ways-counted",
        "the measured one among them": "capstone-measured-left-out",
        "at least the measured sum": "capstone-smaller-sums",
        "Equal sums count": "capstone-ties-left-out",
        "draw nothing at random": "capstone-some-drawn",
    },
    hints=(
        "`torch.cartesian_prod` or the bits of the numbers from 0 to 2ⁿ − 1 give all choices of signs.",
        "`signs @ differences` is the sum for each choice, where signs is (2 ** texts, texts).",
    ),
    wrong=wrongs("""
        capstone-ways-counted: .mean() → .sum()
        capstone-measured-left-out: .mean() → .sum().sub(1) / (len(sums) - 1)
        capstone-measured-left-out: .mean() → .sum().sub(1) / len(sums)
        capstone-smaller-sums: sums >= → sums <=
            - 1e-6 → + 1e-6
        capstone-ties-left-out: sums >= → sums >
            - 1e-6 → + 1e-6
        capstone-some-drawn: line bits = → bits = torch.randint(2, (4096, count))
        capstone-both-directions: .sum(dim=-1) → .sum(dim=-1).abs()
            differences.sum() → differences.sum().abs()
        capstone-both-directions: .sum(dim=-1) → .sum(dim=-1).abs()
        capstone-against-zero: differences.sum() → 0.0
        capstone-one-sign-at-a-time: line bits = → bits = 1 - torch.eye(count, dtype=torch.long)
        capstone-half-of-the-ways: torch.arange(2**count) → torch.arange(2 ** (count - 1))
        capstone-sizes-added-for-measured: differences.sum() → differences.abs().sum()
        capstone-divided-by-texts: .mean() → .sum() / count
        capstone-mean-against-sum: .sum(dim=-1) → .mean(dim=-1)
        capstone-no-tolerance: - 1e-6 →
        capstone-only-equal-sums: sums >= differences.sum() - 1e-6 → (sums - differences.sum()).abs() < 1e-6
        capstone-signs-without-sizes: (2 * bits - 1) * differences → (2 * bits - 1) * differences.sign()
        capstone-signs-without-sizes: sums >= differences.sum() - 1e-6 → bits.sum(dim=-1) >= (differences > 0).sum()
        capstone-complement: sums >= → sums <
        capstone-sum-against-mean: differences.sum() → differences.mean()
        capstone-mean-against-sum: .sum(dim=-1) → .mean(dim=-1)
            sums >= → sums >
            - 1e-6 → + 1e-6
        capstone-size-of-measured: differences.sum() → differences.sum().abs()
        capstone-size-of-measured: return (sums >= differences.sum() - 1e-6).to(differences.dtype).mean() → return torch.minimum((sums >= differences.sum() - 1e-6).float().mean(), (sums <= differences.sum() + 1e-6).float().mean())
        capstone-both-directions: .mean() → .mean() * 2
        capstone-divided-by-another-count: .mean() → .sum() / (len(sums) - 1)
        capstone-divided-by-another-count: .mean() → .sum() / (len(sums) + 1)
        capstone-one-added: .mean() → .sum().add(1) / (len(sums) + 1)
        capstone-choices-missing: torch.arange(2**count) → torch.arange(1, 2**count)
        capstone-choices-missing: torch.arange(2**count) → torch.arange(1, 2**count - 1)
        capstone-choices-missing: torch.arange(2**count)[:, None] → torch.arange(2 * count)[:, None]
        capstone-choices-missing: torch.arange(2**count)[:, None] → torch.arange(count**2)[:, None]
        edits-its-argument: sums = ((2 * bits - 1) * differences).sum(dim=-1) → measured = differences.sum()↵sums = ((2 * bits - 1) * differences.abs_()).sum(dim=-1)
            differences.sum() - 1e-6 → measured - 1e-6
        capstone-ties-left-out: sums >= → sums >
            - 1e-6 →
        capstone-differences-dropped: line bits = → bits = torch.cartesian_prod(*[torch.tensor([0.0, 0.5, 1.0])] * count).view(-1, count)
        capstone-equal-sums-once: above return (sums → sums = sums.round(decimals=5).unique()
        capstone-share-in-percent: .mean() → .mean() * 100
        """),
    right=rights("""
        product: line bits = → bits = torch.cartesian_prod(*[torch.tensor([0, 1])] * count).view(-1, count)
        grown: body
            sums = differences.new_zeros(1)
            for size in differences:
                sums = torch.cat((sums + size, sums - size))
            return (sums >= differences.sum() - 1e-6).to(differences.dtype).mean()
        number: return (sums >= differences.sum() - 1e-6).to(differences.dtype).mean() → return float((sums >= differences.sum() - 1e-6).sum()) / 2**count
        """),
)

LESSON = Lesson(
    title="15 · Capstone",
    given_axes={},
    redraw=lambda generator: {},
    tasks=(
        *(BLANK_ATTENTION, GRANITE_ATTENTION, PORT_GRANITE),
        *(COHERE_NORM, NEIGHBOURS, COHERE_ATTENTION, COHERE_HEADS, COHERE_LOGITS),
        *(ALGORITHM_NUMBERS, FLIP_TEST),
    ),
)
