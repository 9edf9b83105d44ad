"""What this course says of attention, where the tool speaks of tensors: see `SAYS` in `autograder.experiments.registry`."""

from collections.abc import Sequence
from typing import Any

import torch
from autograder.experiments.base import Experiment, Settings, Subject
from autograder.words.plugin_words import Case, Seen
from autograder.words.phrases import N_
from torch import Tensor, nn
from torch.nn import functional as F
from torch.overrides import TorchFunctionMode

AFTER_THE_WEIGHTS = N_(
    "0 times −inf is nan: was something dropped, or multiplied, that holds −inf? Dropout comes after the weights are "
    "made."
)
SAYS = {
    "not-finite": {
        "nan": N_(
            "nan comes from 0/0, inf/inf, inf − inf or 0 times inf, or from the root of a number below 0: from a sum "
            "that is zero, say, from exponentials above what a float can hold, or from a softmax over a row where "
            "everything is −inf."
        ),
        "-inf": N_(
            "−inf hides a score, until softmax makes a weight of 0 of it. It also comes from a number below 0 that is "
            "divided by 0, and from the logarithm of 0."
        ),
    },
    "sums-to-one": {"one": N_("The weights add up to {obtained}{where}; they should add up to 1.")},
    "not-negative": {"": N_("{place} is {obtained}{where}; a weight is never negative.")},
    "symmetric": {
        "": N_(
            "{place} differs from entry {flipped}{where}.",
            "The dot product of two tokens is the same whichever comes first.",
        )
    },
    "causal": {
        "": N_(
            "{place} is {obtained}{where}: {own} gives weight to {later}, which comes later.",
            "Above the diagonal every weight must be 0.",
        )
    },
    "permuted": {
        "order": N_(
            "Tokens in another order do not just change places in the result{where}.",
            "Without a mask it should know no order: a token's result should be the same wherever it is.",
        )
    },
    "dropout": {
        ("finite", False): N_("The result holds nan or inf{where}.") + AFTER_THE_WEIGHTS,
        ("finite", True): N_("In training mode the result holds nan or inf{where}.") + AFTER_THE_WEIGHTS,
        ("copies together", True): N_(
            "Numbers that belong to one weight are dropped one by one{training}.",
            "Dropout sits on the weights, before they meet the values, not on the context vectors.",
        ),
        ("one by one", False): N_(
            "Some entries are always dropped together{training}.",
            "Every weight has a draw of its own: not one for a whole row or column, and not one for the whole batch.",
        ),
        ("one factor", True): N_(
            "In training mode, kept entries of several calls are not all multiplied by the same number.",
            "Dropout comes after softmax and nothing is normalised after it: every kept weight is the old one times "
            "1/(1-p).",
        ),
    },
}


def _parameters(subject: Subject, settings: Settings) -> Any:
    """Count the numbers that a module which comes back trains, a table in two places once. Shape (1,)."""
    made = subject.call(subject.inputs)
    return (
        torch.tensor([sum(one.numel() for one in made.parameters())]) if isinstance(made, nn.Module) else made
    )


def _parameters_case(seen: Seen) -> Case:
    counts = {"found": f"{seen.finding.obtained:.0f}", "right": f"{seen.finding.expected:.0f}"}
    return "more" if seen.finding.obtained > seen.finding.expected else "fewer", counts


class _Calls(TorchFunctionMode):
    """Counts the calls of PyTorch's attention."""

    count = 0

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.count += func is F.scaled_dot_product_attention
        return func(*args, **(kwargs or {}))


def _calls(subject: Subject, settings: Settings) -> Any:
    """Tell whether an answer calls PyTorch's attention. Shape (1,)."""
    with _Calls() as seen:
        subject.call(subject.inputs)
    return torch.tensor([bool(seen.count)])


def _keys_seen(subject: Subject, settings: Settings) -> Any:
    """Count the keys that each query sees, whichever they are. Shape (b, tokens)."""
    visible = subject.call(subject.inputs)
    return visible.sum(dim=-1) if isinstance(visible, Tensor) else visible


def _without_weights(subject: Subject, settings: Settings) -> Any:
    """Return what a module that comes back gives when all that it trains is 0.

    Settings: `shape`, of the ones that it is called on.
    """
    made = subject.call(subject.inputs)
    if not isinstance(made, nn.Module):
        return made
    with torch.no_grad():
        for parameter in made.parameters():
            parameter.zero_()
        return made(torch.ones(settings["shape"]))


def _method_calls(subject: Subject, settings: Settings) -> Any:
    """Call several methods of one object in turn.

    Settings: `calls`, each a method's name and its arguments; `append` gets a text, and so many of the tokens that
    are next; `use` is no method: it counts one more user of each block of a text. A call that is refused with a
    ValueError is passed over.

    Shapes:
        returns: (numbers,): all that `append` gave back, end to end, then how many refused calls changed something,
            the texts in `tables` and in `lengths`, the blocks in use, all their users, and the numbers in the pool
            of keys
    """
    start, given, cache, changed = 0, [], subject.owner, 0
    for name, text, *more in settings["calls"]:
        if name == "use":
            for block in cache.tables[text]:
                cache.users[block] += 1
            continue
        if name != "append":
            getattr(subject.owner, name)(text, *more)
            continue
        keys, values = (subject.inputs[part][:, start : start + more[0]] for part in ("keys", "values"))
        start += more[0]
        before = _cache_state(cache)
        try:
            result = subject.call({"text": text, "keys": keys, "values": values})
        except ValueError:
            given.append(torch.tensor([-999.0]))  # so that it shows which calls are refused
            changed += _cache_state(cache) != before
            continue
        if not isinstance(result, Tensor):
            return result
        given.append(result.detach().flatten().clone())  # later calls can overwrite it
    ends = (changed, len(cache.tables), len(cache.lengths), sum(count > 0 for count in cache.users))
    ends += (sum(cache.users), cache.keys.numel())
    return torch.cat([*given, torch.tensor([float(number) for number in ends])])


def _cache_state(cache: Any) -> tuple[object, ...]:
    """Return what a paged cache holds, to be compared with what it holds later."""
    entries = repr((cache.tables, cache.lengths, cache.users))
    return entries, cache.keys.tolist(), cache.values.tolist()


LAST_NUMBERS = ("refused", "tables", "lengths", "blocks", "users", "pool")


def _method_case(seen: Seen) -> Case:
    expected = seen.probe.expected.tensor
    place = 0 if expected is None else seen.finding.index[0] - expected.numel()
    return LAST_NUMBERS[place] if -len(LAST_NUMBERS) <= place < 0 else "", {}


EXPERIMENTS = (
    Experiment(
        "calls",
        _method_calls,
        {
            "": N_(
                "Called several times{where}, `{answer}` gives back {obtained} where it should be {expected}.",
                "Make a small cache, make the same calls, and print `tables` and `users` after each one.",
            ),
            "refused": N_(
                "A call that was refused has changed the cache{where}.",
                "Print `tables`, `lengths` and `users` before and after it. The pools have to stay as they were, too.",
            ),
            "tables": N_(
                "At the end `tables` has {obtained} texts{where}, and {expected} are in the cache.",
                "What came back is right. Print `tables` and `lengths` after each call.",
            ),
            "lengths": N_(
                "At the end `lengths` has {obtained} texts{where}, and {expected} are in the cache.",
                "What came back is right. Print `tables` and `lengths` after each call.",
            ),
            "blocks": N_(
                "At the end {obtained} blocks are in use{where}, and {expected} are needed.",
                "What came back is right. Print `users` after each call.",
            ),
            "users": N_(
                "At the end all blocks together have {obtained} users{where}, where it should be {expected}.",
                "What came back is right. Print `users` after each call.",
            ),
            "pool": N_(
                "At the end the pool of keys has {obtained} numbers{where}, and {expected} are right.",
                "What came back is right. The pool is made once, in `__init__`, and then written into.",
            ),
        },
        _method_case,
        axes=1,
        telling=True,
    ),
    Experiment(
        "calls-attention",
        _calls,
        {
            "": N_(
                "`{method}` does not call `F.scaled_dot_product_attention`{where}.",
                "The task is about this call. Keep it, and correct what it is given.",
            )
        },
        lambda seen: ("", {"method": seen.probe.settings["method"]}),
        axes=1,
    ),
    Experiment(
        "keys-seen",
        _keys_seen,
        {
            "": N_(
                "A query sees {obtained} keys{where}, and it should see {expected}.",
                "Which of the keys with equal scores it sees does not matter. Their number does.",
            )
        },
        axes=2,
        raw=_keys_seen,  # which keys come back is a choice among equals
    ),
    Experiment(
        "without-weights",
        _without_weights,
        {
            "": N_(
                "What `{answer}` gives back does not work by its weights{where}: with all of them 0, something "
                "else than 0 comes out.",
                "Write the numbers into the matrices of the class, and leave its `forward` as it is.",
            )
        },
        axes=None,
    ),
    Experiment(
        "parameters",
        _parameters,
        {
            "more": N_(
                "What `{answer}` gives back has {found} trained numbers{where}, and {right} are enough.",
                "Is there a parameter too many, or a copy where one parameter should serve twice?",
            ),
            "fewer": N_(
                "What `{answer}` gives back has {found} trained numbers{where}, and {right} are needed.",
                "Which parameter is missing?",
            ),
        },
        _parameters_case,
        axes=1,
    ),
)


def _numbers(shapes: dict[str, tuple[int, ...]], seed: int) -> dict[str, Tensor]:
    """Draw a tensor for each name; those of one axis that end in `weight` are a norm's, around 1."""
    generator = torch.Generator().manual_seed(seed)
    return {
        name: float(len(shape) == 1 and name.endswith("weight"))
        + 0.4 * torch.randn(shape, generator=generator)
        for name, shape in shapes.items()
    }


def _spoilt(state: dict[str, Tensor], without: str, extra: str, turned: str) -> dict[str, Tensor]:
    """A state dict without one name, with another, and with a tensor transposed, as far as they are named."""
    kept = {
        name: tensor.mT if name == turned else tensor for name, tensor in state.items() if name != without
    }
    return kept | ({extra: torch.zeros(3)} if extra else {})


def gpt2_state(
    seed: int,
    vocab: int,
    d_model: int,
    layers: int,
    room: int,
    prefix: str = "",
    masks: bool = False,
    head: bool = False,
    without: str = "",
    extra: str = "",
    turned: str = "",
) -> dict[str, Tensor]:
    """Tensors by GPT-2's names: with masks as in the published file, or with the tied table a second time."""
    shapes: dict[str, tuple[int, ...]] = {"wte.weight": (vocab, d_model), "wpe.weight": (room, d_model)}
    for layer in range(layers):
        block = f"h.{layer}"
        shapes |= {
            f"{block}.ln_{place}.{kind}": (d_model,) for place in (1, 2) for kind in ("weight", "bias")
        }
        widths = {"attn.c_attn": (d_model, 3 * d_model), "attn.c_proj": (d_model, d_model)}
        widths |= {"mlp.c_fc": (d_model, 4 * d_model), "mlp.c_proj": (4 * d_model, d_model)}
        for part, shape in widths.items():
            shapes |= {f"{block}.{part}.weight": shape, f"{block}.{part}.bias": shape[1:]}
    shapes |= {"ln_f.weight": (d_model,), "ln_f.bias": (d_model,)}
    state = _numbers(shapes, seed)
    for layer in range(layers) if masks else ():
        state[f"h.{layer}.attn.bias"] = torch.ones(room, room).tril()[None, None]
        state[f"h.{layer}.attn.masked_bias"] = torch.tensor(-1e4)
    state = {prefix + name: tensor for name, tensor in _spoilt(state, without, extra, turned).items()}
    return state | ({"lm_head.weight": state[f"{prefix}wte.weight"]} if head else {})


def llama_state(
    seed: int,
    vocab: int,
    d_model: int,
    layers: int,
    heads: int,
    groups: int,
    head_dim: int,
    hidden: int,
    qk_norm: bool = False,
    tied: bool = False,
    without: str = "",
    extra: str = "",
    turned: str = "",
) -> dict[str, Tensor]:
    """Tensors by the names of Llama and Qwen3."""
    shapes: dict[str, tuple[int, ...]] = {"model.embed_tokens.weight": (vocab, d_model)}
    for layer in range(layers):
        block = f"model.layers.{layer}"
        widths = {
            "self_attn.q_proj": (heads * head_dim, d_model),
            "self_attn.k_proj": (groups * head_dim, d_model),
        }
        widths |= {
            "self_attn.v_proj": (groups * head_dim, d_model),
            "self_attn.o_proj": (d_model, heads * head_dim),
        }
        widths |= {"mlp.gate_proj": (hidden, d_model), "mlp.up_proj": (hidden, d_model)}
        widths |= {"mlp.down_proj": (d_model, hidden)}
        norms = {"input_layernorm": d_model, "post_attention_layernorm": d_model}
        norms |= {"self_attn.q_norm": head_dim, "self_attn.k_norm": head_dim} if qk_norm else {}
        shapes |= {f"{block}.{part}.weight": shape for part, shape in widths.items()}
        shapes |= {f"{block}.{part}.weight": (width,) for part, width in norms.items()}
    shapes |= {"model.norm.weight": (d_model,)} | ({} if tied else {"lm_head.weight": (vocab, d_model)})
    return _spoilt(_numbers(shapes, seed), without, extra, turned)


def _ported_shapes(
    layers: int, vocab: int, d_model: int, heads: int, groups: int, head_dim: int, hidden: int
) -> dict[str, tuple[int, ...]]:
    """The shapes that Granite SWA and Cohere 2 have in common, by the names of `save_pretrained`."""
    shapes: dict[str, tuple[int, ...]] = {"model.embed_tokens.weight": (vocab, d_model)}
    for layer in range(layers):
        widths = {
            "self_attn.q_proj": (heads * head_dim, d_model),
            "self_attn.k_proj": (groups * head_dim, d_model),
        }
        widths |= {
            "self_attn.v_proj": (groups * head_dim, d_model),
            "self_attn.o_proj": (d_model, heads * head_dim),
        }
        widths |= {"mlp.gate_proj": (hidden, d_model), "mlp.up_proj": (hidden, d_model)}
        widths |= {"mlp.down_proj": (d_model, hidden), "input_layernorm": (d_model,)}
        shapes |= {f"model.layers.{layer}.{part}.weight": shape for part, shape in widths.items()}
    return shapes | {"model.norm.weight": (d_model,)}


def granite_state(
    seed: int, layers: int, vocab: int, d_model: int, heads: int, groups: int, head_dim: int, hidden: int
) -> dict[str, Tensor]:
    """Tensors by the names of Granite SWA."""
    shapes = _ported_shapes(layers, vocab, d_model, heads, groups, head_dim, hidden)
    for layer in range(layers):
        shapes[f"model.layers.{layer}.post_attention_layernorm.weight"] = (d_model,)
        shapes[f"model.layers.{layer}.self_attn.sinks"] = (heads,)
    return _numbers(shapes, seed)


def cohere_state(
    seed: int, layers: int, vocab: int, d_model: int, heads: int, groups: int, head_dim: int, hidden: int
) -> dict[str, Tensor]:
    """Tensors by the names of Cohere 2."""
    return _numbers(_ported_shapes(layers, vocab, d_model, heads, groups, head_dim, hidden), seed)


def ported_config(
    model: str, kinds: str, vocab: int, d_model: int, heads: int, groups: int, hidden: int, window: int
) -> dict[str, Any]:
    """A configuration as in a `config.json`, without what the task does not need.

    Args:
        model: "granite_swa" or "cohere2".
        kinds: a letter for each layer: w has a window, f has none, n has neither window nor positions.
    """
    config: dict[str, Any] = {"model_type": model, "vocab_size": vocab, "hidden_size": d_model}
    config |= {"num_attention_heads": heads, "num_key_value_heads": groups, "intermediate_size": hidden}
    config |= {"num_hidden_layers": len(kinds), "sliding_window": window, "tie_word_embeddings": True}
    config["layer_types"] = ["sliding_attention" if kind == "w" else "full_attention" for kind in kinds]
    if model == "cohere2":
        rope = {"rope_theta": 50.0, "rope_type": "default"}
        return config | {"layer_norm_eps": 0.01, "logit_scale": 0.25, "rope_parameters": rope}
    bases = [0.0 if kind == "n" else 20.0 + 30 * layer for layer, kind in enumerate(kinds)]
    config |= {"layer_rope_theta": bases, "rms_norm_eps": 0.01, "logits_scaling": 2.5}
    config |= {"rope_parameters": {"rope_theta": 10000.0, "rope_type": "default"}}
    return config | {"embedding_multiplier": 3.0, "residual_multiplier": 0.6, "attention_multiplier": 0.35}


# State dicts for lesson 12. What an answer gets is a dictionary, which a bank cannot hold: it is drawn again.
def cache_plan(
    seed: int, full: int = 0, window: int = 0, latent: int = 0, delta: int = 0
) -> list[dict[str, Any]]:
    """Layers of four kinds, as many as told, each of other sizes. The seed -1 makes every full layer keep 48 numbers a token."""
    generator = torch.Generator().manual_seed(max(seed, 0))

    def size(low: int, high: int) -> int:
        return 3 if seed < 0 else int(torch.randint(low, high, (1,), generator=generator))

    layers: list[dict[str, Any]] = []
    for _ in range(full):
        layers.append({"kind": "full", "groups": size(2, 9), "head_dim": 8 if seed < 0 else size(9, 20)})
    for _ in range(window):
        shape = {"groups": size(2, 9), "head_dim": size(9, 20), "window": size(30, 90)}
        layers.append({"kind": "window"} | shape)
    for _ in range(latent):
        layers.append({"kind": "latent", "latent_dim": size(20, 40), "rope_dim": size(4, 12)})
    for _ in range(delta):
        layers.append(
            {"kind": "delta", "heads": size(2, 9), "head_dim": size(9, 20), "value_dim": size(21, 30)}
        )
    return layers


def counting_step(vocab: int) -> Any:
    """Make a step of a server: it keeps the tokens of each text, and its logits depend on all of them.

    The likeliest next token is a sum over the text, in which every token and its place count.
    """
    texts: dict[int, list[int]] = {}
    calls = iter(range(100))

    def step(pieces: Sequence[Tensor]) -> Tensor:
        if next(calls, None) is None:
            raise RuntimeError("step was called 100 times, and the texts are still not finished")
        rows = []
        for text, piece in enumerate(pieces):
            for token in piece.tolist():
                known = texts.setdefault(text, [])
                known.append(token)
                total = sum((place + 2) * (one + 1) for place, one in enumerate(known)) + 3 * text
                rows.append(_row_for(total % vocab, vocab))
        return torch.stack(rows) if rows else torch.zeros(0, vocab)  # (tokens, vocab)

    return step


def _row_for(token: int, vocab: int) -> Tensor:
    """Logits (vocab,) whose largest is that of a token."""
    return -(torch.arange(vocab) - token).abs().float()


LAYERS = ("W_query", "W_key", "W_value", "out_proj")


class BiasedGPT(nn.Module):
    """A small GPT-2 by the names of lesson 08's transformer, whose queries, keys and values have biases."""

    def __init__(self, seed: int, vocab: int, d_model: int, heads: int, layers: int, room: int) -> None:
        super().__init__()
        self.heads = heads
        self.embedding, self.positions = nn.Embedding(vocab, d_model), nn.Embedding(room, d_model)
        self.blocks = nn.ModuleList(
            nn.ModuleDict(
                {
                    "norm_1": nn.LayerNorm(d_model),
                    "attention": nn.ModuleDict({name: nn.Linear(d_model, d_model) for name in LAYERS}),
                    "norm_2": nn.LayerNorm(d_model),
                    "mlp": nn.Sequential(
                        nn.Linear(d_model, 4 * d_model),
                        nn.GELU(approximate="tanh"),
                        nn.Linear(4 * d_model, d_model),
                    ),
                }
            )
            for _ in range(layers)
        )
        self.norm, self.unembedding = nn.LayerNorm(d_model), nn.Linear(d_model, vocab, bias=False)
        shapes = {name: tuple(one.shape) for name, one in self.named_parameters()}
        self.load_state_dict(_numbers(shapes, seed))

    def forward(self, ids: Tensor) -> Tensor:
        x = self.embedding(ids) + self.positions.weight[: ids.shape[1]]  # (b, tokens, d_model)
        block: Any
        for block in self.blocks:
            queries, keys, values = (
                block.attention[name](block.norm_1(x)).unflatten(-1, (self.heads, -1)).transpose(1, 2)
                for name in LAYERS[:3]
            )  # (b, heads, tokens, head_dim) each
            context = F.scaled_dot_product_attention(queries, keys, values, is_causal=True)
            x = x + block.attention.out_proj(context.transpose(1, 2).flatten(2))
            x = x + block.mlp(block.norm_2(x))
        return self.unembedding(self.norm(x))  # (b, tokens, vocab)


SPECIMENS = {
    "biased-gpt": BiasedGPT,
    "cache-plan": cache_plan,
    "cohere-state": cohere_state,
    "counting-step": counting_step,
    "gpt2-state": gpt2_state,
    "granite-state": granite_state,
    "llama-state": llama_state,
    "ported-config": ported_config,
}
