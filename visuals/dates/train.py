"""Make `weights.safetensors` again: `python -m visuals.dates.train [SEED]`, some minutes on one core.

An encoder reads a date, a decoder writes it. Each has one attention, and a third looks from one to the other.
There is nothing else in it: no MLP, no normalisation, and one residual, around the encoder's attention.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

import torch
from safetensors.torch import save_file
from torch import Tensor, nn

from visuals.dates import FILE, HEADS, READ, SIZE, WRITTEN
from visuals.dates.corpus import SOURCE, TARGET, pairs, source_ids, target_ids

STEPS, BATCH, LR, UNSEEN = 3000, 64, 1e-2, 2000


class Attention(nn.Module):
    """Multi-head attention with the names of lesson 06."""

    def __init__(self, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.query, self.key, self.value, self.fc = (nn.Linear(SIZE, SIZE) for _ in range(4))

    def heads(self, x: Tensor) -> Tensor:
        return x.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)  # (b, heads, tokens, head_dim)

    def weights(self, queries: Tensor, keys: Tensor, visible: Tensor) -> Tensor:
        q, k = self.heads(self.query(queries)), self.heads(self.key(keys))
        scores = q @ k.mT / q.shape[-1] ** 0.5
        return torch.softmax(scores.masked_fill(visible == 0, -torch.inf), dim=-1)

    def forward(self, queries: Tensor, keys: Tensor, visible: Tensor) -> Tensor:
        context = self.weights(queries, keys, visible) @ self.heads(self.value(keys))
        return self.fc(context.transpose(1, 2).flatten(2))  # (b, target, SIZE)


class Translator(nn.Module):
    """From the ids of texts, their lengths, and what is written so far, to logits of what comes next."""

    def __init__(self, attention: Callable[[int], nn.Module] = Attention) -> None:
        super().__init__()

        def drawn(rows: int) -> nn.Parameter:
            return nn.Parameter(0.3 * torch.randn(rows, SIZE))

        self.source, self.source_places = drawn(len(SOURCE)), drawn(READ)
        self.target, self.target_places = drawn(len(TARGET)), drawn(WRITTEN)
        self.readout = drawn(len(TARGET))
        self.encoder, self.decoder, self.cross = (attention(HEADS[name]) for name in HEADS)

    def forward(self, ids: Tensor, lengths: Tensor, written: Tensor) -> Tensor:
        x = self.source[ids] + self.source_places[: ids.shape[1]]  # (b, source, SIZE)
        visible = (torch.arange(ids.shape[1]) < lengths[:, None])[:, None, None]  # (b, 1, 1, source)
        memory = x + self.encoder(x, x, visible)
        y = self.target[written] + self.target_places[: written.shape[1]]  # (b, target, SIZE)
        y = self.decoder(y, y, torch.ones(y.shape[1], y.shape[1]).tril())
        return self.cross(y, memory, visible) @ self.readout.T


def trained(
    seed: int = 0, steps: int = STEPS, attention: Callable[[int], nn.Module] = Attention
) -> tuple[Translator, float]:
    """Return a trained model, and how many of unseen dates it writes right when it sees what came before.

    attention: makes an attention of some heads, which is called with queries, keys and what is visible.
    """
    torch.manual_seed(seed)
    generator = torch.Generator().manual_seed(seed)
    data = pairs(20_000, generator)
    ids, lengths = source_ids([text for text, _ in data])
    dates = target_ids([date for _, date in data])
    written = torch.cat([torch.zeros(len(dates), 1, dtype=torch.long), dates[:, :-1]], dim=1)
    model = Translator(attention)
    optimizer = torch.optim.AdamW(model.parameters(), lr=LR, weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, LR, total_steps=steps, pct_start=0.1)
    for _ in range(steps):
        chosen = torch.randint(UNSEEN, len(data), (BATCH,), generator=generator)
        logits = model(ids[chosen], lengths[chosen], written[chosen])
        loss = nn.functional.cross_entropy(logits.flatten(0, 1), dates[chosen].flatten())
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
    with torch.no_grad():
        predicted = model(ids[:UNSEEN], lengths[:UNSEEN], written[:UNSEEN]).argmax(dim=-1)
    return model, float((predicted == dates[:UNSEEN]).all(dim=1).float().mean())


def main(seed: int = 0) -> None:
    """Train the model of dates, print its accuracy, and write its weights."""
    torch.set_num_threads(
        1
    )  # the tensors are small, and the numbers are the same on every machine's count of cores
    model, right = trained(seed)
    print(f"seed {seed}: {right:.4f} of unseen dates are written right")
    save_file(model.state_dict(), FILE)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
