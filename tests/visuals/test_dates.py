"""The small translator of dates: what it reads, what it refuses, and that its own trainer can make it."""

import datetime

import pytest
import torch
from safetensors.torch import load_file

from visuals.dates import FILE, HEADS, SIZE, trained_dates
from visuals.dates.corpus import SOURCE, pairs, ways
from visuals.dates.train import Translator

DATES = trained_dates()


def test_the_file_is_small_and_fits_the_model_that_trains_it():
    assert FILE.stat().st_size < 300_000
    Translator().load_state_dict(load_file(FILE))


def test_every_way_of_writing_a_date_can_be_read():
    for month in range(1, 13):
        texts = ways(datetime.date(2026, month, 5))
        vectors, lengths = DATES.read(texts)
        assert vectors.shape == (len(texts), int(lengths.max()), SIZE)
    assert len(texts) == 10


def test_padding_fills_shorter_texts():
    vectors, lengths = DATES.read(["5 may 2026", "monday, november 23, 2026"])
    assert lengths.tolist() == [6, 10]
    filled = vectors[0, 6] - DATES.source_places[6]
    torch.testing.assert_close(filled, DATES.source[SOURCE.index("<pad>")])


@pytest.mark.parametrize(
    ("text", "says"),
    [("5 brumaire 1799", "'brumaire' is not known"), ("1 " * 13, "A text of 13 tokens is too long")],
)
def test_what_is_not_known_is_refused(text, says):
    with pytest.raises(ValueError, match=says):
        DATES.read([text])


def test_examples_are_the_same_under_one_seed_and_others_under_another():
    assert DATES.examples(5, seed=1) == DATES.examples(5, seed=1)
    assert DATES.examples(5, seed=1) != DATES.examples(5, seed=2)
    assert all(len(date) == 10 for _, date in pairs(20, torch.Generator().manual_seed(3)))


def test_each_attention_fits_its_number_of_heads():
    assert set(DATES.weights) == set(DATES.heads) == set(HEADS)
    assert all(part["query.weight"].shape == (SIZE, SIZE) for part in DATES.weights.values())
