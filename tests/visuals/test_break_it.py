"""The lab of bugs: what it computes is what torch computes, what it says is what the numbers say."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
import torch
from torch.nn.functional import scaled_dot_product_attention

from tests.visuals.sheet import assert_words_are_apart
from visuals import explore_bugs
from visuals.faulty import BUGS, HEADS, WIDTH, forward, row_names, start_values, stories, train
from visuals.lessons.multi_head.breaking import bugs_side_by_side, facts, leaking, row_sums, striking

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def right():
    return train(frozenset(), 6)


@pytest.fixture
def explorer(tokens):
    return explore_bugs(tokens)


def broken(*names, tokens=6):
    return train(frozenset(names), tokens)


class TestModel:
    def test_without_bugs_it_is_torchs_own_causal_attention(self):
        generator = np.random.default_rng(5)
        x, _ = stories(generator, 3, 5)
        parameters = start_values(generator, 5)
        parts = (part.reshape(3, 5, HEADS, -1).transpose(1, 2) for part in (x @ parameters.qkv).chunk(3, -1))
        context = scaled_dot_product_attention(*parts, is_causal=True).transpose(1, 2).flatten(2)
        torch.testing.assert_close(forward(x, parameters, ()).outputs, context @ parameters.out)

    def test_a_story_asks_for_the_token_before_and_the_first(self):
        x, wanted = stories(np.random.default_rng(1), 2, 4)
        vectors = x[:, :, :WIDTH]
        np.testing.assert_array_equal(wanted[:, 3, :WIDTH], vectors[:, 2])
        np.testing.assert_array_equal(wanted[:, 0, :WIDTH], vectors[:, 0])
        np.testing.assert_array_equal(wanted[:, 2, WIDTH:], vectors[:, 0])

    def test_queries_and_keys_start_with_a_variance_of_one(self):
        generator = np.random.default_rng(2)
        x, _ = stories(generator, 200, 6)
        passed = forward(x, start_values(generator, 6), ())
        assert [passed.queries.var().item(), passed.keys.var().item()] == pytest.approx([1, 1], abs=0.15)

    def test_training_is_the_same_in_no_grad_and_leaves_the_threads_as_they_are(self, right):
        threads = torch.get_num_threads()
        torch.set_num_threads(threads + 1)
        try:
            with torch.inference_mode():
                np.testing.assert_array_equal(train.__wrapped__(frozenset(), 6).errors, right.errors)
            assert torch.get_num_threads() == threads + 1
        finally:
            torch.set_num_threads(threads)

    def test_no_bug_learns_the_work_and_leaks_nothing(self, right):
        assert right.errors[0] > 1
        assert right.error < 0.05
        assert not right.before.leaks.any()
        assert not right.after.leaks.any()

    @pytest.mark.parametrize("seed", range(3))
    def test_what_the_lesson_says_of_each_bug_does_not_hang_on_the_seed(self, seed):
        right, unscaled, columns, late, untransposed = (
            train(frozenset(some), 6, seed) for some in ((), *([name] for name in BUGS))
        )
        assert unscaled.before.entropy.mean() < 0.5 * right.before.entropy.mean()
        assert unscaled.before.at_scores.mean() < 0.5 * right.before.at_scores.mean()
        assert unscaled.before.at_queries.mean() > right.before.at_queries.mean()
        assert unscaled.error > 4 * right.error
        assert columns.error > 0.5
        assert late.error < right.error + 0.1
        assert untransposed.error > 4 * right.error
        for leaky in (columns, late, untransposed):
            assert leaky.before.leaks.all()
        for even in (right, unscaled, untransposed):
            np.testing.assert_allclose(even.before.sums, 1)

    def test_a_class_is_trained_the_same_way_twice_and_leaves_random_states_alone(self):
        torch.manual_seed(1)
        np.random.seed(1)
        before = torch.get_rng_state(), np.random.get_state()[1].copy()
        once, again = train.__wrapped__(frozenset({"late"}), 4), train.__wrapped__(frozenset({"late"}), 4)
        np.testing.assert_array_equal(once.errors, again.errors)
        assert torch.equal(torch.get_rng_state(), before[0])
        np.testing.assert_array_equal(np.random.get_state()[1], before[1])

    def test_every_class_starts_from_the_same_parameters_and_stories(self, right):
        # Nothing but the divisor differs before training: the sharper weights order the keys alike.
        np.testing.assert_array_equal(
            broken("unscaled").before.weights.argmax(axis=2), right.before.weights.argmax(axis=2)
        )

    def test_entropy_is_that_of_each_row_divided_by_its_sum(self):
        moment = broken("columns").before
        shares = moment.weights / moment.weights.sum(axis=2, keepdims=True)
        expected = torch.distributions.Categorical(probs=torch.tensor(shares)).entropy()
        np.testing.assert_allclose(moment.entropy, expected, atol=1e-6)

    def test_rows_without_the_transpose_are_pieces_of_tokens(self):
        assert row_names(["a", "b", "c"], ()) == [["a", "b", "c"]] * 2
        assert row_names(["a", "b", "c"], {"untransposed"}) == [["a·0", "a·1", "b·0"], ["b·1", "c·0", "c·1"]]

    def test_an_unknown_bug_is_named(self):
        with pytest.raises(ValueError, match=r"bugs must be some of unscaled, .*, not typo"):
            train(frozenset({"typo"}), 6)


class TestWords:
    def test_sums_and_leaks_in_short(self, right):
        assert row_sums(right.before) == "1.00"
        assert row_sums(broken("columns").before) == "0.11 to 2.64"
        assert leaking(broken("late").before) == "5 of 5"

    def test_every_number_in_the_lesson_is_measured(self, right):
        lesson = (ROOT / "source/05-multi-head/05-multi-head.py").read_text(encoding="utf-8")
        part = re.sub(r"\n# *", " ", lesson.partition('id="break-it-read"')[2].partition("</details>")[0])
        unscaled, columns, late = (broken(name) for name in ("unscaled", "columns", "late"))
        for words in (
            f"rows add up to {columns.before.sums.min():.2f} to {columns.before.sums.max():.2f}",
            f"{late.before.sums.min():.2f} is left of the poorest row",
            f"falls from {right.before.entropy.mean():.2f} to {unscaled.before.entropy.mean():.2f}",
            f"{unscaled.before.at_scores.mean() / right.before.at_scores.mean():.2f} times as much gradient",
            f"{unscaled.before.at_queries.mean() / right.before.at_queries.mean():.2f} times as much",
            f"The mask after softmax: {late.error:.2f} in place of {right.error:.2f}",
            f"{leaking(late.before)} outputs change",
            f"alone ends at {columns.error:.2f}",
            f"ends at {broken('columns', 'late').error:.2f}",
        ):
            assert words in part


class TestPicture:
    @pytest.fixture
    def picture(self, right, tokens):
        return bugs_side_by_side(right, [broken(name) for name in BUGS])

    def test_each_curve_is_the_measured_error_on_one_scale(self, picture, right):
        lines = {line.get_gid(): line for line in picture.figure.axes[0].lines}
        for name, training in {"right": right, **{name: broken(name) for name in BUGS}}.items():
            np.testing.assert_array_equal(lines[f"error {name}"].get_xdata(), training.steps)
            np.testing.assert_array_equal(lines[f"error {name}"].get_ydata(), training.errors)
        assert picture.figure.axes[0].get_ylabel() == "error on new stories"

    def test_the_facts_of_each_class_stand_in_its_row(self, picture, right):
        actual = {text.get_gid(): text for text in picture.figure.texts}
        for name in BUGS:
            moment = broken(name).before
            reported = facts(moment, right.before)
            assert [actual[f"fact {name} {line}"].get_text() for line in range(4)] == list(reported)
            bold = [actual[f"fact {name} {line}"].get_weight() == "bold" for line in range(4)]
            assert bold == list(striking(moment, right.before))

    def test_symptoms_are_those_of_the_bug(self, right):
        shown = {name: striking(broken(name).before, right.before) for name in BUGS}
        assert shown == {
            "unscaled": (False, True, True, False),
            "columns": (True, False, False, True),
            "late": (True, False, False, True),
            "untransposed": (False, False, False, True),
        }

    def test_alt_tells_every_class(self, picture, right):
        for name, label in BUGS.items():
            training = broken(name)
            assert f"{label}: rows add up to {row_sums(training.before)}, " in picture.alt
            assert f"error from {training.errors[0]:.2f} to {training.error:.2f}" in picture.alt

    def test_no_words_leave_the_sheet_or_overlap(self, picture):
        assert_words_are_apart(picture.figure)


class TestExplorer:
    def test_the_module_is_given_every_mixture_at_the_place_of_its_bits(self, explorer, right):
        trainings = explorer._shows["trainings"]
        assert len(trainings) == 16
        np.testing.assert_allclose(trainings[0]["errors"], right.errors, rtol=1e-4)
        for bits, names in ((2, ["columns"]), (5, ["unscaled", "late"]), (8, ["untransposed"])):
            after, shown = broken(*names).after, trainings[bits]["moments"][1]
            np.testing.assert_allclose(shown["weights"], after.weights, rtol=1e-3, atol=1e-12)
            np.testing.assert_allclose(shown["queries"], after.at_queries, rtol=1e-3)
            assert shown["leaks"] == after.leaks.sum()

    @pytest.mark.parametrize("count", [2, 9])
    def test_too_few_or_too_many_tokens_are_explained(self, count):
        with pytest.raises(ValueError, match=f"3 to 8 words, not {count}"):
            explore_bugs(["a"] * count)

    def test_one_string_is_no_list(self):
        with pytest.raises(TypeError, match=r"pass 'a b c'\.split"):
            explore_bugs("a b c")
