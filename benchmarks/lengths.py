"""What longer texts cost in five forms of attention: the bytes of the cache, and the time of one more token.

    python3 start.py run python -m benchmarks.lengths [--keep]

The ring, and what a cache takes, are the solutions of lesson 13. Nothing is timed before each form is equal
to the published library (`transformers`) on a short text. Times are the fastest of many calls, the forms in
turns, and only ratios are told. `--keep` stores them for the figure of the lesson, which counts the bytes.
"""

from __future__ import annotations

import json
import platform
import sys
import time
from collections.abc import Callable
from typing import Any

import torch
from autograder.author.parse_source import read_source
from rich.console import Console
from rich.table import Table
from torch import Tensor
from torch.nn import functional

from benchmarks import published
from benchmarks.attention import SOURCE
from visuals.lessons.attention_today.lengths import STORED

LESSON = "13-attention-today"
LENGTHS = [1024, 2048, 4096, 8192, 16384]
HEADS, GROUPS, HEAD_DIM, WINDOW, LATENT, ROPE = 8, 2, 64, 1024, 256, 32
# The same layer in the words of `plan_bytes`.
FORMS = {
    "plain": {"kind": "full", "groups": HEADS, "head_dim": HEAD_DIM},
    "grouped": {"kind": "full", "groups": GROUPS, "head_dim": HEAD_DIM},
    "window": {"kind": "window", "groups": HEADS, "head_dim": HEAD_DIM, "window": WINDOW},
    "latent": {"kind": "latent", "latent_dim": LATENT, "rope_dim": ROPE},
    "delta": {"kind": "delta", "heads": HEADS, "head_dim": HEAD_DIM, "value_dim": HEAD_DIM},
}
ROUNDS, TOLERANCE = 120, 1e-4
Step = Callable[[], Tensor]


def lesson() -> dict[str, Any]:
    """Return what the solutions of lesson 13 define, as far as they are measured here."""
    namespace: dict[str, Any] = {"__name__": LESSON}
    wanted = ("setup", "course-parts", "ring-cache-answer", "plan-bytes-answer")
    source = SOURCE.parents[1] / LESSON / f"{LESSON}.py"
    for cell in read_source(source).cells:
        if cell["id"] in wanted:
            exec(compile(cell.source, cell["id"], "exec"), namespace)  # noqa: S102
    return namespace


def drawn(*shape: int) -> Tensor:
    """Return random numbers."""
    return torch.randn(shape, generator=torch.Generator().manual_seed(sum(shape)))


def attend(query: Tensor, keys: Tensor, values: Tensor, width: int = HEAD_DIM) -> Tensor:
    """Attend with a query of each head, (1, heads, 1, head_dim), to a cache (1, groups, tokens, head_dim)."""
    shared = query.view(1, keys.shape[1], -1, query.shape[-1])  # (1, groups, sharing, head_dim)
    weights = torch.softmax(shared @ keys.mT / width**0.5, dim=-1)  # (1, groups, sharing, tokens)
    return (weights @ values).view(1, query.shape[1], 1, -1)


def latent_step(query: Tensor, turned: Tensor, cached: Tensor, to_keys: Tensor, to_values: Tensor) -> Tensor:
    """Attend as task 6 does, in one group: the cache (1, 1, tokens, latent_dim + rope_dim) is read in place.

    Task 6 multiplies each head with the latents on its own, for which torch copies them for every head.
    """
    inside = torch.cat((query @ to_keys, turned), dim=-1)  # (1, heads, 1, latent_dim + rope_dim)
    width = query.shape[-1] + turned.shape[-1]
    return attend(inside, cached, cached[..., : to_keys.shape[-1]], width) @ to_values.mT


def delta_step(memory: Tensor, query: Tensor, key: Tensor, value: Tensor, beta: Tensor) -> Tensor:
    """Write one token into the memory (1, heads, head_dim, value_dim), and read: (1, heads, 1, value_dim)."""
    memory += key.mT @ (beta * (value - key @ memory))
    return query @ memory


def steps(namespace: dict[str, Any], length: int) -> dict[str, Step]:
    """Return, for each form, one more token behind a text of a length, cache included."""
    query, key, value = drawn(3, 1, HEADS, 1, HEAD_DIM)
    keys, values = drawn(2, 1, HEADS, length, HEAD_DIM)
    few_keys, few_values = drawn(2, 1, GROUPS, length, HEAD_DIM)
    ring = namespace["RingCache"](1, HEADS, WINDOW, HEAD_DIM)
    ring.append(keys, values)
    latents = drawn(1, 1, length, LATENT + ROPE)
    weights = drawn(2, HEADS, HEAD_DIM, LATENT) / LATENT**0.5
    memory, unit = drawn(1, HEADS, HEAD_DIM, HEAD_DIM), functional.normalize(key, dim=-1)
    turned_query, beta = drawn(1, HEADS, 1, ROPE), torch.tensor(0.5)
    return {
        "plain": lambda: attend(query, keys, values),
        "grouped": lambda: attend(query, few_keys, few_values),
        "window": lambda: attend(query, *ring.append(key, value)),
        "latent": lambda: latent_step(query, turned_query, latents, *weights),
        "delta": lambda: delta_step(memory, query, unit, value, beta),
    }


def _by_delta_rule(queries: Tensor) -> tuple[Tensor, Tensor]:
    """Return the last token by the delta rule, step by step and as the library makes it of the whole text."""
    from transformers.models.qwen3_next import modeling_qwen3_next

    tokens = queries.shape[2]
    keys, values = (
        functional.normalize(drawn(1, HEADS, tokens, HEAD_DIM), dim=-1),
        drawn(1, HEADS, tokens, 64),
    )
    betas, memory = drawn(1, HEADS, tokens).sigmoid(), torch.zeros(1, HEADS, HEAD_DIM, HEAD_DIM)
    given = [tensor.transpose(1, 2) for tensor in (queries * HEAD_DIM**0.5, keys, values)]
    delta_rule = modeling_qwen3_next.torch_recurrent_gated_delta_rule
    whole = delta_rule(*given, torch.zeros(1, tokens, HEADS), betas.transpose(1, 2))[0].transpose(1, 2)
    for t in range(tokens):
        at_t = slice(t, t + 1)
        beta = betas[:, :, at_t, None]
        last = delta_step(memory, *(tensor[:, :, at_t] for tensor in (queries, keys, values)), beta)
    return last, whole[:, :, -1:]


def gaps(namespace: dict[str, Any], tokens: int = 40) -> dict[str, float]:
    """Tell how far each form's last token is from what the library makes of the whole text, as a share."""
    from transformers import LlamaConfig, MistralConfig
    from transformers.masking_utils import create_causal_mask, create_sliding_window_causal_mask
    from transformers.models.llama import modeling_llama

    outputs: dict[str, tuple[Tensor, Tensor]] = {}
    queries, window = drawn(1, HEADS, tokens, HEAD_DIM), 7
    for name, groups in (("plain", HEADS), ("grouped", GROUPS), ("window", HEADS)):
        keys, values = drawn(2, 1, groups, tokens, HEAD_DIM)
        config = (MistralConfig if name == "window" else LlamaConfig)(sliding_window=window)
        config._attn_implementation = "eager"
        make_mask = create_sliding_window_causal_mask if name == "window" else create_causal_mask
        places = torch.arange(tokens)[None]
        mask = make_mask(config, drawn(1, tokens, 8), None, None, position_ids=places)
        module = torch.nn.Module()
        module.num_key_value_groups = HEADS // groups
        whole, _ = modeling_llama.eager_attention_forward(
            module, queries, keys, values, mask, scaling=HEAD_DIM**-0.5
        )
        ring = namespace["RingCache"](1, groups, window, HEAD_DIM)
        cached = ring.append(keys, values) if name == "window" else (keys, values)
        outputs[name] = attend(queries[:, :, -1:], *cached), whole.transpose(1, 2)[:, :, -1:]

    # The library's layer of latent attention, whose parts are taken out of its weights.
    config = published.latent_config(kv_lora_rank=LATENT, qk_nope_head_dim=HEAD_DIM, v_head_dim=HEAD_DIM)
    stored = published.latent_layer(config, drawn(1, tokens, config.hidden_size))
    heads, rope = config.num_attention_heads, config.qk_rope_head_dim
    x, at = stored["x"], torch.arange(tokens)

    def turn(rows: Tensor, positions: Tensor) -> Tensor:
        halves = torch.cat((rows[..., ::2], rows[..., 1::2]), dim=-1)  # DeepSeek's pairs are neighbours
        turned: Tensor = namespace["apply_rope"](halves, positions, 500.0)
        return turned

    query = (x[:, -1:] @ stored["q_proj"].T).unflatten(-1, (heads, -1)).transpose(1, 2)  # (1, heads, 1, …)
    latents, turned = (x @ stored["kv_a_proj"].T).split((LATENT, rope), dim=-1)
    norm = namespace["RMSNorm"](LATENT)
    norm.weight.data = stored["kv_a_layernorm"]
    both = stored["kv_b_proj"].unflatten(0, (heads, -1))  # (heads, head_dim + value_dim, latent_dim)
    cached = torch.cat((norm(latents), turn(turned, at)), dim=-1)[:, None]
    turned = turn(query[..., HEAD_DIM:], at[-1:])
    context = latent_step(query[..., :HEAD_DIM], turned, cached, both[:, :HEAD_DIM], both[:, HEAD_DIM:])
    outputs["latent"] = context.transpose(1, 2).flatten(2) @ stored["o_proj"].T, stored["result"][:, -1:]

    outputs["delta"] = _by_delta_rule(queries)
    return {
        name: float((own - right).abs().max() / right.abs().max()) for name, (own, right) in outputs.items()
    }


def seconds(calls: dict[str, Step]) -> dict[str, float]:
    """Return the fastest of many calls of each, in turns, so that what disturbs one disturbs all."""
    best = dict.fromkeys(calls, float("inf"))
    for _ in range(ROUNDS):
        for name, call in calls.items():
            for _again in range(3):  # the one before has filled the processor's own memory with its numbers
                start = time.perf_counter()
                call()
                best[name] = min(best[name], time.perf_counter() - start)
    return best


@torch.no_grad()
def main() -> None:
    """Compare with the library, then print one row for each form and length."""
    torch.set_num_threads(1)
    namespace = lesson()
    apart = gaps(namespace)
    wrong = [f"{name} ({gap:.1e})" for name, gap in apart.items() if not gap <= TOLERANCE]
    if wrong or apart.keys() != FORMS.keys():
        raise SystemExit(f"not what the library computes, so nothing is timed: {', '.join(wrong)}")
    machine = f"one thread of a CPU ({platform.machine()}), float32, torch {torch.__version__.split('+')[0]}"
    times = [seconds(steps(namespace, length)) for length in LENGTHS]
    ratios = {name: [float(f"{row[name] / times[0]['plain']:.3g}") for row in times] for name in FORMS}
    table = Table(title=f"One layer, {HEADS} heads of {HEAD_DIM}, all equal to the library; {machine}")
    for column in ("form", "tokens", "bytes of cache", "of plain's", "time (plain at 1024: 1)", "of plain's"):
        table.add_column(column, justify="left" if column == "form" else "right")
    for name, layer in FORMS.items():
        for index, length in enumerate(LENGTHS):
            held, plain = (namespace["plan_bytes"]([form], length, 4) for form in (layer, FORMS["plain"]))
            share, ratio = held / plain, ratios[name][index]
            cells = (f"{held:,}", f"{share:.3g}", f"{ratio:g}", f"{ratio / ratios['plain'][index]:.2g}")
            table.add_row(name, f"{length:,}", *cells)
        table.add_section()
    Console(width=120).print(table)
    if "--keep" in sys.argv:
        run = {"machine": machine, "lengths": LENGTHS, "times": ratios}
        STORED.write_text(json.dumps(run) + "\n")


if __name__ == "__main__":
    main()
