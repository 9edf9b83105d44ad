"""Make the checkpoint again: `python -m visuals.checkpoint.train`, some minutes on two cores.

Of each batch, one window in four is a short run of shuffled characters, again and again: there only copying
helps.
"""

from __future__ import annotations

import json
from hashlib import sha256

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor, nn
from torch.nn import functional

from visuals.checkpoint import (
    CONTEXT_LENGTH,
    CURVE,
    FILE,
    HELD_OUT,
    NUM_HEADS,
    NUM_LAYERS,
    VOCABULARY,
    encode,
    windows,
)

D_MODEL, STEPS, BATCH, COPIED, LR, SEED, EVERY = 96, 5000, 16, 4, 4e-3, 0, 100
# Of the text as Python 3.11.7 has it. Another version has other topics, and would make another checkpoint.
DIGEST = "217802e60224474fc01bad0f706378c2f113838169d46247cce0f174372e5988"
PLAIN = str.maketrans(
    {"“": '"', "”": '"', "‘": "'", "’": "'", "–": "-", "—": "-", "…": "...", "°": " ", "ß": "ss"}  # noqa: RUF001
)


class Conv1D(nn.Module):
    """GPT-2's linear layer: it keeps its weight as (in, out), and computes x @ weight + bias."""

    def __init__(self, d_in: int, d_out: int, bias: bool = True) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(d_in, d_out) / d_in**0.5)
        self.bias = nn.Parameter(torch.zeros(d_out)) if bias else None

    def forward(self, x: Tensor) -> Tensor:
        return x @ self.weight if self.bias is None else x @ self.weight + self.bias


class Attention(nn.Module):
    """Causal attention with one matrix for queries, keys and values."""

    def __init__(self) -> None:
        super().__init__()
        self.c_attn = Conv1D(D_MODEL, 3 * D_MODEL, bias=False)
        self.c_proj = Conv1D(D_MODEL, D_MODEL)

    def forward(self, x: Tensor) -> Tensor:
        queries, keys, values = (
            part.unflatten(-1, (NUM_HEADS, -1)).transpose(1, 2)  # (b, heads, tokens, head_dim)
            for part in self.c_attn(x).chunk(3, dim=-1)
        )
        context = functional.scaled_dot_product_attention(queries, keys, values, is_causal=True)
        return self.c_proj(context.transpose(1, 2).flatten(2))  # (b, tokens, d_model)


class MLP(nn.Module):
    """Four times as wide, a nonlinearity, and back."""

    def __init__(self) -> None:
        super().__init__()
        self.c_fc, self.c_proj = Conv1D(D_MODEL, 4 * D_MODEL), Conv1D(4 * D_MODEL, D_MODEL)

    def forward(self, x: Tensor) -> Tensor:
        return self.c_proj(functional.gelu(self.c_fc(x)))


class Layer(nn.Module):
    """Attention and MLP, each with its LayerNorm in front, each added to the stream."""

    def __init__(self) -> None:
        super().__init__()
        self.ln_1, self.attn = nn.LayerNorm(D_MODEL), Attention()
        self.ln_2, self.mlp = nn.LayerNorm(D_MODEL), MLP()

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.attn(self.ln_1(x))
        return x + self.mlp(self.ln_2(x))


class GPT(nn.Module):
    """The model, its parts named and shaped as GPT-2's are: ids (b, tokens) to logits (b, tokens, vocab)."""

    def __init__(self) -> None:
        super().__init__()
        self.wte, self.wpe = nn.Embedding(len(VOCABULARY), D_MODEL), nn.Embedding(CONTEXT_LENGTH, D_MODEL)
        for table in (self.wte, self.wpe):
            nn.init.normal_(table.weight, std=0.05)
        self.h = nn.ModuleList(Layer() for _ in range(NUM_LAYERS))
        self.ln_f = nn.LayerNorm(D_MODEL)

    def forward(self, ids: Tensor) -> Tensor:
        x = self.wte(ids) + self.wpe.weight[: ids.shape[1]]  # (b, tokens, d_model)
        for layer in self.h:
            x = layer(x)
        return self.ln_f(x) @ self.wte.weight.T  # (b, tokens, vocab): the embedding serves twice


def trained() -> GPT:
    """Return the model that trained the checkpoint, with its weights, as its own code computes it."""
    model = GPT()
    model.load_state_dict(load_file(FILE))
    return model.eval()


def texts() -> tuple[str, str]:
    """Return the text to train on, and the held-out one: every tenth topic.

    Raises:
        SystemExit: this Python's documentation is another than the checkpoint's.
    """
    from pydoc_data.topics import topics  # large, and of no use to who only loads the checkpoint

    pages = [topics[name].translate(PLAIN) for name in sorted(topics)]
    if sha256("".join(pages).encode()).hexdigest() != DIGEST:
        raise SystemExit("Run this with Python 3.11.7: the text of other versions is another.")
    return "".join(page for index, page in enumerate(pages) if index % 10 != 4), "".join(pages[4::10])


def loss_of(model: GPT, ids: Tensor, first: int = 0) -> Tensor:
    """Return the mean loss of the next tokens of ids (b, tokens) that are predicted from `first` on."""
    return functional.cross_entropy(model(ids)[:, first:-1].flatten(0, 1), ids[:, first + 1 :].flatten())


def main() -> None:
    """Train, say how it goes, and write the files."""
    text, held_out = texts()
    ids, unseen = encode(text), windows(held_out)
    torch.manual_seed(SEED)
    model, generator = GPT(), torch.Generator().manual_seed(SEED)
    optimizer = torch.optim.AdamW(model.parameters(), lr=LR, betas=(0.9, 0.98), weight_decay=0.1)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, LR, total_steps=STEPS, pct_start=0.1)
    half = CONTEXT_LENGTH // 2
    drawn = torch.randint(unseen.numel(), (32, half), generator=generator)
    again = unseen.flatten()[drawn].repeat(1, 2)  # random characters, as often as in the text, and once more
    curve: dict[str, list[float]] = {"steps": [], "unseen pages": [], "random, again": []}
    for step in range(STEPS):
        start = torch.randint(len(ids) - CONTEXT_LENGTH, (BATCH, 1), generator=generator)
        batch = ids[start + torch.arange(CONTEXT_LENGTH)]  # (b, tokens)
        shuffled = batch[:COPIED, torch.randperm(CONTEXT_LENGTH, generator=generator)]
        period = torch.randint(8, CONTEXT_LENGTH // 2, (COPIED, 1), generator=generator)
        batch[:COPIED] = shuffled.gather(1, torch.arange(CONTEXT_LENGTH) % period)
        loss = loss_of(model, batch)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        if (step + 1) % EVERY == 0 or not step:
            with torch.no_grad():
                losses = step + 1, loss_of(model, unseen).item(), loss_of(model, again, half).item()
            for name, value in zip(curve, losses, strict=True):
                curve[name].append(round(value, 4))
            print("step {}: unseen {:.3f}, again {:.3f}".format(*losses), flush=True)
    save_file(model.state_dict(), FILE)
    CURVE.write_text(json.dumps(curve), encoding="utf-8")
    HELD_OUT.write_text(held_out, encoding="utf-8")


if __name__ == "__main__":
    main()
