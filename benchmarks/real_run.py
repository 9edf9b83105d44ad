"""Train the real run of lesson 08 again.

    python3 start.py run python -m benchmarks.real_run

The transformer is the solution of lesson 08. The merges, and the functions that use them, are lesson 12's.
"""

from __future__ import annotations

import json
import re
import time
from functools import cache
from pathlib import Path
from typing import Any

import torch
from autograder.author.parse_source import read_source
from safetensors.torch import load_file
from torch import Tensor, nn
from torch.nn import functional

from visuals.checkpoint.train import texts
from visuals.published import PIECES, TOKENIZER
from visuals.real_run import RUN, learning_rate

SOURCE = Path(__file__).parents[1] / "source"
SIZES = {"d_model": 96, "num_heads": 4, "num_layers": 3, "context_length": 128}
BATCH, STEPS, PEAK, SEED, EVERY = 16, 2000, 4e-3, 0, 50
WRITES_AFTER, PROMPT, WRITTEN, TEMPERATURE = (0, 100, 500, STEPS), "The ", 60, 0.7


def solutions(lesson: str, *cells: str) -> dict[str, Any]:
    """Return what some cells of a lesson define."""
    namespace: dict[str, Any] = {"torch": torch, "nn": nn, "F": functional}
    sources = {cell["id"]: cell.source for cell in read_source(SOURCE / lesson / f"{lesson}.py").cells}
    for cell in cells:
        exec(compile(sources[cell], cell, "exec"), namespace)  # noqa: S102
    return namespace


def loss_of(model: nn.Module, ids: Tensor) -> Tensor:
    """Return the mean loss of the next tokens of ids (b, tokens)."""
    return functional.cross_entropy(model(ids)[:, :-1].flatten(0, 1), ids[:, 1:].flatten())


@torch.no_grad()
def written(model: nn.Module, prompt: Tensor, length: int) -> Tensor:
    """Return the ids of a prompt with what the model writes after it. Shape (tokens,)."""
    ids, drawing = prompt[None], torch.Generator().manual_seed(SEED)  # (1, tokens)
    for _ in range(WRITTEN):
        logits = model(ids[:, -length:])[:, -1] / TEMPERATURE  # (1, vocab)
        ids = torch.cat((ids, torch.multinomial(torch.softmax(logits, -1), 1, generator=drawing)), 1)
    return ids[0]


def main() -> None:
    """Train, say how it goes, and write what lesson 08 shows."""
    transformer = solutions(
        "08-train-it", "course-attention", "transformer-block-answer", "rope-given", "tiny-transformer-answer"
    )["TinyTransformer"]
    tokenizer = solutions("12-real-models", "merge-pair-answer", "encode-piece-answer", "decode-bytes-answer")
    merges, length = load_file(TOKENIZER)["merges"], SIZES["context_length"]
    encode_piece = cache(lambda piece: tokenizer["encode_piece"](piece, merges))

    def encode(text: str) -> Tensor:
        return torch.cat([encode_piece(piece) for piece in re.findall(PIECES, text)])

    def decode(ids: Tensor) -> str:
        text = bytes(tokenizer["decode_bytes"](ids, merges).tolist()).decode("utf-8", errors="replace")
        return "".join(
            character if character.isprintable() or character == "\n" else "�" for character in text
        )

    learned, unseen = (encode(text) for text in texts())  # (tokens,) each
    unseen = unseen[: len(unseen) // length * length].view(-1, length)
    torch.set_num_threads(1)
    torch.manual_seed(SEED)
    model, generator = transformer(256 + len(merges), **SIZES), torch.Generator().manual_seed(SEED)
    optimizer = torch.optim.AdamW(model.parameters(), betas=(0.9, 0.98), weight_decay=0.1)
    run: dict[str, Any] = {
        "parameters": sum(parameter.numel() for parameter in model.parameters()),
        "tokens": len(learned),
        "vocabulary": 256 + len(merges),
        "steps": [],
        "pages that are learned": [],
        "unseen pages": [],
        "written": {},
    }

    begun, recent = time.process_time(), []
    for step in range(STEPS + 1):
        if step in WRITES_AFTER:
            run["written"][step] = decode(written(model, encode(PROMPT), length))
            print(step, run["written"][step], flush=True)
        if step % EVERY == 0 and step:
            with torch.no_grad():
                values = step, sum(recent) / len(recent), loss_of(model, unseen).item()
            for name, value in zip(("steps", "pages that are learned", "unseen pages"), values, strict=True):
                run[name].append(round(value, 4))
            print(*values, flush=True)
            recent = []
        if step == STEPS:
            break
        starts = torch.randint(len(learned) - length, (BATCH, 1), generator=generator)
        loss = loss_of(model, learned[starts + torch.arange(length)])
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        for group in optimizer.param_groups:
            group["lr"] = learning_rate(step, STEPS, PEAK)
        optimizer.step()
        recent.append(loss.item())
    run["minutes"] = round((time.process_time() - begun) / 60, 1)
    RUN.write_text(json.dumps(run, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
