"""The words that the small model knows, and the sentences that it was trained on."""

from __future__ import annotations

import torch

PRONOUNS = {"girl": "she", "woman": "she", "queen": "she", "boy": "he", "man": "he", "king": "he"}
THINGS = {"water": ("river", "fish", "boat"), "money": ("loan", "coins", "cash")}
OTHERS = ("the", "a", "to", "by", "for", "because", "and", "walked", "sat", "saw", "needed", "wanted")
WORDS = (*OTHERS, *PRONOUNS, "she", "he", *THINGS["water"], *THINGS["money"], "bank")
# What a word can mean in a sentence: itself, or one of the two banks.
MEANINGS = (*WORDS, "bank of water", "bank of money")
TOKENS = 9

# Two numbers for each word, made by hand: how much it has to do with water, and how much with money.
PLANE = {
    **dict.fromkeys((*OTHERS, *PRONOUNS, "she", "he"), (0.1, 0.1)),
    "river": (2.4, 0.1),
    "fish": (2.0, 0.3),
    "boat": (1.9, 0.5),
    "loan": (0.1, 2.4),
    "coins": (0.4, 2.0),
    "cash": (0.2, 2.1),
    "bank": (1.5, 1.5),
}


def sentences(count: int, generator: torch.Generator) -> tuple[torch.Tensor, torch.Tensor]:
    """Made-up sentences as word numbers and as meanings, each (count, TOKENS).

    The model knows no word order, so the words of a sentence come in any.
    """
    pairs = [_sentence(generator) for _ in range(count)]
    words = torch.tensor([[WORDS.index(word) for word, _ in pair] for pair in pairs])
    meanings = torch.tensor([[MEANINGS.index(meaning) for _, meaning in pair] for pair in pairs])
    return words, meanings


def _sentence(generator: torch.Generator) -> list[tuple[str, str]]:
    """Words with what they mean: some people, their pronouns, a bank, what says which, and other words."""

    def chosen(of: tuple[str, ...]) -> str:
        return of[int(torch.randint(len(of), (1,), generator=generator))]

    def happens(share: float) -> bool:
        return float(torch.rand(1, generator=generator)) < share

    pairs = []
    topic = chosen(("water", "money")) if happens(0.8) else ""
    for pronoun in ("she", "he"):
        if happens(0.7):
            person = chosen(tuple(name for name, its in PRONOUNS.items() if its == pronoun))
            pairs.append((person, person))
            if happens(0.7):
                pairs.append((pronoun, person))
    if happens(0.8):
        pairs.append(("bank", f"bank of {topic}" if topic else "bank"))
    if topic:
        thing = chosen(THINGS[topic])
        pairs.append((thing, thing))
    while len(pairs) < TOKENS:
        word = chosen(OTHERS)
        pairs.append((word, word))
    return pairs
