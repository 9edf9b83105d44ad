"""Type any text and look into a model: where a head looks, what comes next, what changes without a head."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save
from torch import Tensor

from visuals.arrays import is_placeholder
from visuals.explorers.inside import look_inside
from visuals.figures.maps import attention_map
from visuals.live import Explorer
from visuals.not_ready import NotReady
from visuals.picture import Picture

# Models that the course ships, by their place: an import would bring them into the bundle of every lesson.
SHIPPED = ("checkpoint/weights.safetensors", "published/gpt2/model.safetensors")
MARKS = str.maketrans({" ": "␣", "\n": "⏎"})


@torch.no_grad()
def in_gpt2_form(model: Any) -> dict[str, Tensor]:
    """Return the tensors of a model with the parts of `TinyTransformer`, named and shaped as GPT-2's are."""
    tensors = {"wte.weight": model.embedding.weight, "ln_f.weight": model.norm.weight}
    tensors |= {"ln_f.bias": model.norm.bias}
    if model.positions is not None:
        tensors["wpe.weight"] = model.positions.weight
    if not torch.equal(model.unembedding.weight, model.embedding.weight):
        tensors["lm_head.weight"] = model.unembedding.weight
    for layer, block in enumerate(model.blocks):
        attention = block.attention
        three = [attention.W_query, attention.W_key, attention.W_value]
        linear = {"attn.c_proj": attention.out_proj}
        norms = {"ln_1": block.norm_1}
        if block.mlp is not None:
            norms["ln_2"] = block.norm_2
            linear |= {"mlp.c_fc": block.mlp[0], "mlp.c_proj": block.mlp[2]}
        parts = {"attn.c_attn.weight": torch.cat([layer.weight for layer in three]).T}  # (d_model, 3 d_model)
        if three[0].bias is not None:
            parts["attn.c_attn.bias"] = torch.cat([layer.bias for layer in three])
        for name, part in linear.items():
            parts |= {f"{name}.weight": part.weight.T, f"{name}.bias": part.bias}
        for name, part in norms.items():
            parts |= {f"{name}.weight": part.weight, f"{name}.bias": part.bias}
        tensors |= {f"h.{layer}.{name}": tensor for name, tensor in parts.items()}
    return {name: tensor.detach().float().contiguous().clone() for name, tensor in tensors.items()}


def _file(tensors: dict[str, Tensor]) -> Path | bytes:
    """Where the tensors lie: a shipped model's own file, if they are those, so that a site can show them."""
    for path in filter(Path.exists, (Path(__file__).parents[1] / name for name in SHIPPED)):
        stored = {name.removeprefix("transformer."): tensor for name, tensor in load_file(path).items()}
        if tensors.keys() == stored.keys() and all(
            tensor.equal(stored[name]) for name, tensor in tensors.items()
        ):
            return path
    return save(tensors)


def _draw(model: Any, ids: Tensor, num_heads: int, tokens: list[str], head: tuple[int, int]) -> Picture:
    layer, head_index = head
    weights = look_inside(model, ids[None], num_heads).maps[layer, 0, head_index]
    picture = attention_map(weights, tokens, title=f"Layer {layer}, head {head_index}", row_sums=False)
    assert isinstance(picture, Picture)  # the model has made its weights
    return picture


def explore_model(
    model: Any,
    num_heads: int,
    encode: Callable[[str], Any],
    vocabulary: Sequence[str],
    text: str,
    head: tuple[int, int] = (0, 0),
    merges: Any = None,
) -> Explorer | NotReady:
    """Explore a model: type a text, choose a head and a token, and see what changes without the head.

    model: has the parts of `TinyTransformer` in lesson 08, with learned positions or none; encode: makes the
    ids (tokens,) of a text, or raises ValueError where it cannot read it; vocabulary: one string per id; text
    and head, as (layer, head): where to start; merges (merges, 2): those of byte-level BPE.

    Raises ValueError for a text that the model cannot read.
    """
    if is_placeholder(model):
        return NotReady()
    ids = torch.as_tensor(encode(text))
    tokens = [vocabulary[index].translate(MARKS) for index in ids.tolist()]
    tanh = any(getattr(part, "approximate", "") == "tanh" for part in model.modules())
    more: dict[str, Any] = {"tanh": True} if tanh else {}
    more |= {} if merges is None else {"merges": torch.as_tensor(merges).tolist()}
    return Explorer(
        "explorers/model.js",
        shows={"vocabulary": list(vocabulary), "heads": num_heads, **more},
        chosen={"text": text, "layer": head[0], "head": head[1], "query": -1, "removed": False},
        picture=partial(_draw, model, ids, num_heads, tokens, head),
        files={"weights": _file(in_gpt2_form(model))},
    )
