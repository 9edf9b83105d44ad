"""Look inside a model: where its heads look, what its stream holds, and what changes without a head."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor


@dataclass(frozen=True)
class Inside:
    """What one run of a model left behind.

    `maps` (layers, b, heads, tokens, tokens) are the attention weights, `streams` (layers + 1, b, tokens,
    d_model) the residual stream before the first block and after each, `logits` (b, tokens, vocab) the end.
    """

    maps: Tensor
    streams: Tensor
    logits: Tensor


@torch.no_grad()
def look_inside(model: Any, ids: Tensor, num_heads: int, without: Collection[tuple[int, int]] = ()) -> Inside:
    """Run a causal model on ids (b, tokens), and keep what happens inside.

    model: has `blocks`, each with an `attention` that has `W_query`, `W_key` and `out_proj`, as in lesson 08;
    without: heads to remove, as (layer, head): the context of each is replaced by its mean over all tokens.
    The model is left as it was.
    """
    inputs: list[Tensor] = []
    streams: list[Tensor] = []
    with ExitStack() as hooks:
        hooks.enter_context(model.blocks[0].register_forward_pre_hook(lambda block, x: streams.append(x[0])))
        for layer, block in enumerate(model.blocks):
            hooks.enter_context(block.register_forward_hook(lambda block, x, stream: streams.append(stream)))
            hooks.enter_context(
                block.attention.register_forward_pre_hook(lambda attention, x: inputs.append(x[0]))
            )
            removed = [head for at, head in without if at == layer]

            def averaged(module: Any, contexts: Any, removed: list[int] = removed) -> Any:
                parts = contexts[0].unflatten(-1, (num_heads, -1)).clone()  # (b, tokens, heads, head_dim)
                parts[:, :, removed] = parts[:, :, removed].mean(dim=(0, 1))
                return (parts.flatten(2),)

            hooks.enter_context(block.attention.out_proj.register_forward_pre_hook(averaged))
        logits = model(ids)
    maps = [_weights(block.attention, x, num_heads) for block, x in zip(model.blocks, inputs, strict=True)]
    return Inside(torch.stack(maps), torch.stack(streams), logits)


def _weights(attention: Any, x: Tensor, num_heads: int) -> Tensor:
    """Return the causal attention weights for x (b, tokens, d_model): (b, heads, tokens, tokens)."""
    queries, keys = (
        project(x).unflatten(-1, (num_heads, -1)).transpose(1, 2)  # (b, heads, tokens, head_dim)
        for project in (attention.W_query, attention.W_key)
    )
    scores = queries @ keys.mT / queries.shape[-1] ** 0.5  # (b, heads, tokens, tokens)
    return torch.softmax(scores + torch.full_like(scores, -torch.inf).triu(1), dim=-1)
