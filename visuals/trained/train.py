"""Make `weights.safetensors` again: `python -m visuals.trained.train`.

Two small attentions learn to say what each word of a sentence means: which bank, and whom "she" stands for.
The first has one head and learns the words' vectors as well. The second has two heads and uses these vectors.
"""

from __future__ import annotations

import torch
from safetensors.torch import save_file
from torch import Tensor, nn

from visuals.trained import FILE
from visuals.trained.corpus import MEANINGS, WORDS, sentences

SIZE, STEPS, BATCH = 16, 600, 64


class Reader(nn.Module):
    """Attention over a batch of sentences: each token keeps its vector and adds its context to it."""

    def __init__(self, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.W_query, self.W_key, self.W_value = (nn.Linear(SIZE, SIZE, bias=False) for _ in range(3))
        self.out_proj = nn.Linear(SIZE, SIZE) if num_heads > 1 else nn.Identity()

    def heads(self, x: Tensor) -> Tensor:
        batch, tokens, _ = x.shape
        return x.view(batch, tokens, self.num_heads, -1).transpose(1, 2)  # (b, heads, tokens, head_dim)

    def forward(self, x: Tensor) -> Tensor:
        queries, keys, values = (self.heads(layer(x)) for layer in (self.W_query, self.W_key, self.W_value))
        weights = torch.softmax(queries @ keys.mT / queries.shape[-1] ** 0.5, dim=-1)
        context = (weights @ values).transpose(1, 2).reshape(x.shape)  # (b, tokens, SIZE)
        return x + self.out_proj(context)


def train(reader: Reader, embeddings: Tensor, readout: Tensor, learned: list[Tensor], seed: int) -> float:
    """Train what is to be learned; returns the share of changed meanings that are read right."""
    generator = torch.Generator().manual_seed(seed)
    words, meanings = sentences(3000, generator)
    optimiser = torch.optim.AdamW([*reader.parameters(), *learned], lr=0.01, weight_decay=0.1)
    for _ in range(STEPS):
        chosen = torch.randint(len(words), (BATCH,), generator=generator)
        logits = reader(embeddings[words[chosen]]) @ readout.T  # (b, tokens, meanings)
        loss = nn.functional.cross_entropy(logits.flatten(0, 1), meanings[chosen].flatten())
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    with torch.no_grad():
        words, meanings = sentences(500, generator)
        right = (reader(embeddings[words]) @ readout.T).argmax(dim=-1) == meanings
        return float(right[words != meanings].float().mean())


def main() -> None:
    """Train both, say how well they read new sentences, and write the file."""
    torch.manual_seed(1)
    embeddings = nn.Parameter(0.5 * torch.randn(len(WORDS), SIZE))
    readout = nn.Parameter(nn.Linear(SIZE, len(MEANINGS)).weight.detach())
    single = Reader(num_heads=1)
    print(f"one head:  {train(single, embeddings, readout, [embeddings, readout], seed=1):.3f} read right")
    torch.manual_seed(0)
    two = Reader(num_heads=2)
    print(f"two heads: {train(two, embeddings.detach(), readout.detach(), [], seed=2):.3f} read right")
    save_file(
        {
            "embeddings": embeddings.detach(),
            "readout": readout.detach(),
            **{f"one_head.{name}": value for name, value in single.state_dict().items()},
            **{f"two_heads.{name}": value for name, value in two.state_dict().items()},
        },
        FILE,
    )


if __name__ == "__main__":
    main()
