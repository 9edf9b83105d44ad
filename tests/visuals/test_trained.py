"""The small trained model: what it reads, where its attention looks, and what it does not know."""

import pytest
import torch

from visuals.trained import trained_words
from visuals.trained.corpus import MEANINGS, WORDS, sentences
from visuals.trained.train import Reader

SMALL = trained_words()
CASH = "The girl walked to the bank because she needed cash."
FISH = "the king sat by the bank because he wanted fish"


def reader(num_heads):
    result = Reader(num_heads)
    result.load_state_dict(SMALL.one_head if num_heads == 1 else SMALL.two_heads)
    return result


def weights(sentence, num_heads):
    """Attention weights (heads, tokens, tokens)."""
    result, x = reader(num_heads), SMALL.embed(sentence)[None]
    queries, keys = result.heads(result.W_query(x)), result.heads(result.W_key(x))
    return torch.softmax(queries @ keys.mT / queries.shape[-1] ** 0.5, dim=-1)[0]


@pytest.mark.parametrize("num_heads", [1, 2])
@pytest.mark.parametrize(
    ("sentence", "bank", "person"), [(CASH, "bank of money", "girl"), (FISH, "bank of water", "king")]
)
def test_attention_settles_which_bank_and_who(num_heads, sentence, bank, person):
    read = SMALL.read(reader(num_heads)(SMALL.embed(sentence)[None])[0])
    tokens = SMALL.tokens(sentence)
    assert read[tokens.index("bank")] == bank
    assert read[tokens.index("she" if "she" in tokens else "he")] == person


@pytest.mark.parametrize("num_heads", [1, 2])
def test_new_sentences_are_read_right(num_heads):
    words, meanings = sentences(500, torch.Generator().manual_seed(99))
    changed = words != meanings
    right = (reader(num_heads)(SMALL.embeddings[words]) @ SMALL.readout.T).argmax(dim=-1) == meanings
    assert float(right[changed].float().mean()) > 0.9
    assert len(MEANINGS) == len(WORDS) + 2


def test_each_of_two_heads_looks_for_something_else():
    tokens = SMALL.tokens(CASH)
    first, second = weights(CASH, 2)
    assert first[tokens.index("she")].argmax() == tokens.index("girl")
    assert second[tokens.index("bank")].argmax() == tokens.index("cash")
    assert first[tokens.index("bank")].argmax() != tokens.index("cash")


@pytest.mark.parametrize(
    ("sentence", "says"),
    [
        ("the bnak", "'bnak' is not known. Did you mean 'bank'?"),
        (" ,. ", "The sentence is empty."),
        ("xyz", "'xyz' is not known. Known words: the, a"),
    ],
)
def test_a_sentence_that_cannot_be_read_is_told_why(sentence, says):
    with pytest.raises(ValueError, match=says.replace("?", "\\?").replace(".", "\\.")):
        SMALL.embed(sentence)
