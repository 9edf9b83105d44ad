import json
import linecache
from dataclasses import replace

import pytest

from benchmarks import feedback_table
from benchmarks.blind_answers import FOLDER, SETS, Answer, answers, statements
from benchmarks.feedback import texts_of, within
from benchmarks.feedback_table import kappa, page, points_at_mistake, readings, untrue_cell
from benchmarks.graders import GRADERS, Feedback

# What opens notebooks brings it.
jsonschema = pytest.importorskip("jsonschema")
SCHEMA = json.loads((FOLDER / "schema.json").read_text(encoding="utf-8"))
WRONG = Answer("03-causal", "causal-mask", "wrong", "diagonal hidden", "code", (2,), id="a/03-causal/0")


@pytest.mark.parametrize("which", SETS)
def test_every_set_keeps_to_the_schema(which):
    import tomllib

    for path in (FOLDER / which).glob("*.toml"):
        jsonschema.validate(tomllib.loads(path.read_text(encoding="utf-8")), SCHEMA)


def test_the_schema_refuses_an_unknown_kind_and_an_unknown_key():
    entry = {"task": "dot-product", "kind": "wrong", "truth": "late", "code": "x = 1"}
    jsonschema.validate({"answer": [entry]}, SCHEMA)
    for other in ({"kind": "odd"}, {"grade": 1}, {"lines": [0]}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate({"answer": [entry | other]}, SCHEMA)


def test_marked_lines_are_lines_of_the_code():
    beyond = [
        answer.id
        for which in SETS
        for answer in answers(which)
        if answer.lines and max(answer.lines) > len(answer.code.splitlines())
    ]
    assert beyond == []


def test_every_answer_to_a_task_of_today_has_a_statement():
    reported = {(entry["lesson"], entry["task"]): entry["statement"] for entry in statements()}
    assert "`dot(a, b)`" in reported["01-dot-product", "dot-product"]
    newest = {(answer.lesson, answer.task) for answer in answers("eighteenth")}
    assert newest - reported.keys() == set()


def test_an_adapter_has_at_most_40_lines():
    long = [
        name
        for name in GRADERS
        if len(linecache.getlines(str(FOLDER.parent / "graders" / f"{name}.py"))) > 40
    ]
    assert long == []


def test_a_grader_that_takes_too_long_or_fails_refuses_the_answer():
    def forever():
        while True:
            pass

    def fails():
        raise KeyError("weights")

    assert within(1, forever) == Feedback(False, "stopped after 1 seconds")
    assert within(1, fails) == Feedback(False, "KeyError: 'weights'")


def test_texts_from_elsewhere_are_read_from_a_file(tmp_path):
    path = tmp_path / "elsewhere.toml"
    path.write_text('[[text]]\nanswer = "a/03-causal/0"\npassed = false\ntext = "The diagonal."\nline = 2\n')
    assert texts_of(path) == {"a/03-causal/0": Feedback(False, "The diagonal.", line=2)}


def test_a_disputed_answer_is_listed_and_in_no_figure():
    disputed = replace(WRONG, id="a/03-causal/1", disputed="the statement allows it")
    judgements = [(WRONG, {"course": Feedback(False)}), (disputed, {"course": Feedback(True)})]
    text = page(judgements)
    assert "| this course's check | 1 | 0.0 %" in text
    assert "- `a/03-causal/1` (`causal-mask`): the statement allows it" in text


def test_only_answers_that_all_graders_have_are_compared():
    other = replace(WRONG, id="a/03-causal/1", task="renormalise")
    judgements = [
        (WRONG, {"course": Feedback(False), "it_runs": Feedback(True)}),
        (other, {"course": Feedback(False)}),
    ]
    shared, every = page(judgements).split("## All answers")
    assert "1 answers, 0 of them right, to these tasks: `causal-mask`." in shared
    assert "| this course's check | 2 |" in every


def test_a_text_points_at_a_mistake_by_its_line():
    assert points_at_mistake(WRONG, Feedback(False, line=2))
    assert not points_at_mistake(WRONG, Feedback(False, line=3))
    assert points_at_mistake(WRONG, Feedback(False, line=1, last_line=3))


def test_kappa_is_1_for_readers_who_agree_and_0_for_chance():
    first = {"a": True, "b": True, "c": False, "d": False}
    assert kappa(first, first) == 1.0
    assert kappa(first, {"a": True, "b": False, "c": True, "d": False}) == 0.0


def test_untrue_messages_count_only_where_two_readers_read_them(tmp_path):
    for reader, untrue in (("one", ["a"]), ("two", ["a", "b"])):
        text = f'grader = "course"\nread = ["a", "b", "c"]\nuntrue = {json.dumps(untrue)}\n'
        (tmp_path / f"{reader}.toml").write_text(text)
    both = readings(tmp_path)["course"]
    assert untrue_cell(both[:1]) == "one reader"
    assert untrue_cell(both) == "1 of 3, κ = 0.40"
    assert feedback_table.untrue_cell([]) == "not read"
