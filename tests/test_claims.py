"""What the lessons claim, stated as code: a claim that is not true fails here."""

import contextlib
import io
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

from autograder.build.source import read_source
from autograder.edits import faulty_code
from visuals import track_shapes

ROOT = Path(__file__).parents[1]


@cache
def cells(lesson: str) -> dict[str, str]:
    """The text of a lesson's code cells, by id."""
    notebook = read_source(ROOT / "source" / lesson / f"{lesson}.py")
    return {cell["id"]: cell.source for cell in notebook.cells if cell.cell_type == "code"}


def run(lesson: str, *ids: str, **names: Any) -> dict[str, Any]:
    """Run some cells of a lesson, one after the other; what they define. `names` are defined before."""
    namespace: dict[str, Any] = {"torch": torch, "nn": torch.nn, **names}
    for one in ids:
        with contextlib.redirect_stdout(io.StringIO()):
            exec(cells(lesson)[one], namespace)
    return namespace


class Attention(nn.Module):
    """Self-attention as in lesson 02, with the division by √d_k or without, and a causal mask or none."""

    def __init__(self, d_in, d_out, scaled=True, causal=False):
        super().__init__()
        self.W_query, self.W_key, self.W_value = (nn.Linear(d_in, d_out, bias=False) for _ in range(3))
        self.scaled, self.causal = scaled, causal

    def weights(self, x):
        queries, keys = self.W_query(x), self.W_key(x)
        scores = queries @ keys.T
        if self.causal:
            scores = scores.masked_fill(torch.triu(torch.ones_like(scores), diagonal=1).bool(), -torch.inf)
        return torch.softmax(scores / keys.shape[-1] ** 0.5 if self.scaled else scores, dim=-1)

    def forward(self, x):
        return self.weights(x) @ self.W_value(x)


# lesson 01


def test_vectors_that_share_a_direction_can_still_have_the_dot_product_0():
    assert torch.dot(torch.tensor([1.0, 1.0]), torch.tensor([1.0, -1.0])) == 0


# lesson 02


def test_left_out_the_division_makes_gradients_larger_at_the_start_and_the_more_so_the_wider_the_keys():
    ratios, largest = [], []
    for width in (8, 64, 512):
        norms = {}
        for scaled in (True, False):
            total = 0.0
            for seed in range(4):
                torch.manual_seed(seed)
                x, target = torch.randn(6, width), torch.randn(6, width)
                attention = Attention(width, width, scaled)
                ((attention(x) - target) ** 2).mean().backward()
                total += float(attention.W_query.weight.grad.norm())
            norms[scaled] = total
            if not scaled:
                largest.append(float(attention.weights(x).detach().max(dim=-1).values.mean()))
        ratios.append(norms[False] / norms[True])
    assert ratios[0] > 2
    assert ratios == sorted(ratios)
    assert largest == sorted(largest)
    assert largest[-1] > 0.8


def test_the_largest_weight_of_a_random_row_goes_to_a_token_that_chance_chose():
    """Other start values, another winner: saturated rows say nothing about the sentence."""
    torch.manual_seed(0)
    x = torch.randn(6, 512)
    winners = {tuple(Attention(512, 512, scaled=False).weights(x).argmax(dim=-1).tolist()) for _ in range(5)}
    assert len(winners) == 5


# lesson 03


def shuffled_past(*layers):
    """How far the last output moves when the tokens before it are shuffled."""
    x, order = torch.randn(6, 4), [3, 1, 4, 0, 2, 5]
    with torch.no_grad():
        one, other = x, x[order]
        for layer in layers:
            one, other = layer(one), layer(other)
        return float((one[-1] - other[-1]).abs().max())


def test_one_causal_layer_does_not_know_the_order_of_the_past_and_two_do():
    torch.manual_seed(0)
    first, second = Attention(4, 4, causal=True), Attention(4, 4, causal=True)
    assert shuffled_past(first) < 1e-6
    assert shuffled_past(first, second) > 0.01


# the shape tracker


def test_an_axis_that_only_has_the_batchs_size_is_not_called_batch():
    heads = torch.randn(2, 3, 8)
    with track_shapes(b=2, tokens=3) as shapes:
        heads.view(2, 3, 2, 4)
    text = str(shapes)
    assert "(b, tokens, 2, 4)" in text
    assert "(b, tokens, b, 4)" not in text


# lesson 07

POSITIONS = "07-positions"
SENTENCE = ("example-data", "tokens", "self-attention", "order-gap-answer")
CODES = (*SENTENCE, "position-angles-answer", "sinusoidal-positions-answer")
ROPE = ("position-angles-answer", "rotate-pairs-answer", "rope-interleaved-answer", "apply-rope-answer")


def test_without_a_mask_no_number_of_layers_sees_the_order():
    lesson = run(POSITIONS, *SENTENCE)
    deep = nn.Sequential(*(lesson["SelfAttention"](8) for _ in range(6))).requires_grad_(False)
    assert float(lesson["order_gap"](deep, lesson["inputs"], lesson["order"]).max()) < 1e-6


def test_one_causal_layer_sees_a_set_two_see_an_order_and_even_weights_count():
    lesson = run(POSITIONS, *SENTENCE, "causal-shown", "counting-shown", "past-shown")
    one, two = lesson["gaps"]
    assert float(one[3:].max()) < 1e-6  # "man", and the second "the" with the same three tokens before it
    assert float(one[:3].min()) > 0.1
    assert float(two[-1]) > 0.5
    torch.testing.assert_close(1 / lesson["seen"], torch.arange(1.0, 7))


def test_the_number_of_a_far_position_drowns_the_word():
    lesson = run(POSITIONS, *SENTENCE, "number-added")
    assert lesson["position"] == 1000
    assert float(torch.cosine_similarity(lesson["dog"], lesson["man"], dim=0)) > 0.999


def test_a_shift_of_sinusoidal_codes_is_a_rotation_and_their_products_depend_on_the_distance():
    lesson = run(POSITIONS, *CODES, "shift-shown")
    torch.testing.assert_close(lesson["moved"][:100], lesson["codes"][3:], atol=1e-5, rtol=0)
    products = (lesson["codes"][3:] * lesson["codes"][:-3]).sum(dim=-1)
    torch.testing.assert_close(products, products[:1].expand(100), atol=1e-4, rtol=0)


@pytest.mark.parametrize("form", ["apply_rope", "rope_interleaved"])
def test_rotated_scores_depend_on_the_distance_only_at_any_offset(form):
    rotated = run(POSITIONS, *ROPE)[form]
    torch.manual_seed(0)
    queries, keys = torch.randn(2, 6, 8)

    def scores(start):
        positions = start + torch.arange(6)
        return rotated(queries, positions) @ rotated(keys, positions).T

    for offset in torch.randint(1, 10_000, (20,)).tolist():
        torch.testing.assert_close(scores(offset), scores(0), atol=2e-3, rtol=0)


def test_both_forms_are_the_same_in_the_other_order_and_added_codes_move_with_the_position():
    lesson = run(POSITIONS, *CODES, *ROPE[1:], "shift-shown", "forms-shown", "relative-shown")
    interleaved, half_split = lesson["both"]
    torch.testing.assert_close(interleaved, half_split[:, lesson["mixed"]])
    assert float((interleaved - half_split).abs().max()) > 0.1
    assert float(lesson["rotated"]) < 1e-3
    assert float(lesson["added"]) > 1


def test_mixed_forms_are_no_rotation_and_their_scores_depend_on_the_position():
    lesson = run(POSITIONS, *ROPE, "forms-shown")
    exec(faulty_code(cells(POSITIONS)["bug-mixed-forms-answer"]), lesson)
    scores, positions = lesson["rotary_scores"], lesson["positions"]
    moved = scores(lesson["queries"], lesson["keys"], positions + 10)
    assert float((moved - scores(lesson["queries"], lesson["keys"], positions)).abs().max()) > 0.1


def test_minus_slope_times_distance_gives_the_weights_of_slope_times_the_keys_position():
    bias = run(POSITIONS, "alibi-bias-answer")["alibi_bias"](9, 3)
    slopes = -bias[:, 1, 0]  # the bias one step back
    of_keys = slopes[:, None, None] * torch.arange(9.0) + torch.full((9, 9), -torch.inf).triu(1)
    torch.testing.assert_close(bias.softmax(-1), of_keys.softmax(-1))
