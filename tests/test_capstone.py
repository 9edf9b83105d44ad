"""The capstone: its models against `transformers`, its planted bugs, its counts, and the page at its end."""

import hashlib
from functools import cache
from pathlib import Path

import pytest
import torch
from autograder.author.answer_edits import faulty_code
from autograder.author.parse_source import read_source
from autograder.records.course import Course
from support.everywhere import need_modules

from visuals.published import FOLDER

ROOT = Path(__file__).parents[1]
COURSE = Course.read(ROOT)
LESSON = "15-capstone"
GIVEN = ("setup", "port-stored", "port-proof", "bugs-stored", "claim-given")
EXCERPT = FOLDER / "granite-swa" / "modeling_granite_swa.txt"
CUTS = {"3": [3], "6": [6], "24": [24], "pieces": [9, *[1] * 8, 7]}
CLOSE = {"rtol": 1e-4, "atol": 1e-5}


@cache
def cells():
    return {cell["id"]: cell.source for cell in read_source(ROOT / "source" / LESSON / f"{LESSON}.py").cells}


def solved(wrong=""):
    """What the given cells and the solutions define, with one bug left as it was given."""
    namespace = {"CHECKPOINT": FOLDER / "granite-swa"}
    for name, source in cells().items():
        if name in GIVEN:
            exec(source, namespace)
        elif name.endswith("-answer") and "def " in source:
            left = name == f"{wrong}-answer"
            exec(faulty_code(source) if left else source.partition("### BEGIN FAULTY")[0], namespace)
    return namespace


@cache
def lesson():
    return solved()


def agreeing(namespace):
    """The texts for which the port of Cohere 2 gives the library's logits."""
    right, agree = namespace["cohere_right"], set()
    for says, sizes in CUTS.items():
        pieces = right["ids"][:, : sum(sizes)].split(sizes, dim=1)
        logits = namespace["cohere_logits"](namespace["cohere_config"], namespace["cohere_state"], pieces)
        if (logits - right["logits"][:, : sum(sizes)]).abs().max() < 1e-4:
            agree.add(says)
    return agree


@pytest.mark.parametrize("name", ["granite", "cohere"])
@pytest.mark.parametrize("sizes", CUTS.values(), ids=CUTS)
def test_the_ports_give_the_logits_of_the_library(name, sizes):
    right = lesson()[f"{name}_right"]
    pieces = right["ids"][:, : sum(sizes)].split(sizes, dim=1)
    actual = lesson()[f"{name}_logits"](lesson()[f"{name}_config"], lesson()[f"{name}_state"], pieces)
    torch.testing.assert_close(actual, right["logits"][:, : sum(sizes)], **CLOSE)


@pytest.mark.parametrize(
    ("bug", "texts"),
    [
        ("bug-cohere-norm", set()),
        ("bug-neighbours", set()),
        ("bug-cohere-attention", {"3", "6"}),
        ("bug-cohere-heads", {"3", "6", "24"}),
        ("bug-cohere-logits", set()),
    ],
)
def test_a_bug_alone_is_seen_in_the_texts_that_the_solution_names(bug, texts):
    assert agreeing(solved(bug)) == texts


def test_a_granite_of_other_sizes_gives_the_logits_of_the_library():
    need_modules("transformers", "transformers")
    from transformers import GraniteSWAConfig, GraniteSWAForCausalLM

    torch.manual_seed(3)
    config = GraniteSWAConfig(
        vocab_size=31,
        hidden_size=40,
        intermediate_size=22,
        num_hidden_layers=3,
        num_attention_heads=4,
        num_key_value_heads=1,
        sliding_window=5,
        layer_types=["sliding_attention", "full_attention", "sliding_attention"],
        layer_rope_theta=[70.0, 0.0, 9000.0],
        embedding_multiplier=5.0,
        residual_multiplier=0.3,
        attention_multiplier=0.2,
        logits_scaling=4.0,
        bos_token_id=1,
        eos_token_id=1,
    )
    model = GraniteSWAForCausalLM(config).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(0.3 * torch.randn(parameter.shape))
        ids = torch.randint(31, (2, 17))
        expected = model(ids).logits
        actual = lesson()["granite_logits"](
            config.to_dict(), model.state_dict(), ids.split([6, 1, 10], dim=1)
        )
    torch.testing.assert_close(actual, expected, **CLOSE)


def test_what_a_learner_reads_of_the_library_is_in_the_library():
    need_modules("transformers", "transformers")
    from transformers.models.granite_swa import modeling_granite_swa

    published = Path(modeling_granite_swa.__file__).read_text(encoding="utf-8").splitlines()
    head, *parts = EXCERPT.read_text(encoding="utf-8").split("\n# Copyright", 1)
    lines = [line for line in ("# Copyright" + parts[0]).splitlines() if line.strip() != "# …"]
    assert "# …" in head
    assert [line for line in lines if line not in published] == []


@pytest.mark.parametrize("sizes", [(50, 4, 8, 16), (23, 6, 5, 3), (12, 3, 4, 4), (7, 5, 9, 2)])
def test_the_six_numbers_are_those_of_the_algorithm_carried_out(sizes):
    tokens, width, rows, columns = sizes
    loaded = written = rescaled = tiles = visible = 0
    for start in range(0, tokens, rows):
        block = min(rows, tokens - start)
        loaded += block * width
        for first in range(0, tokens, columns):
            tiles += 1
            visible += first <= start + block - 1
            loaded += 2 * min(columns, tokens - first) * width
            rescaled += block * width
        written += block * width + block
    on_chip = sum((rows * width, columns * width, columns * width, rows * width, rows * columns, rows, rows))
    expected = [tiles, visible, on_chip, loaded, written, rescaled]
    assert [lesson()["algorithm_numbers"](number, *sizes) for number in range(1, 7)] == expected


def test_the_numbers_of_the_example_claim_are_those_that_are_measured():
    text = " ".join(cells()["own-claim-in-words"].split())
    losses, flip_test, pages = (lesson()[name] for name in ("losses", "flip_test", "held_out"))
    for start, context, rise, share in ((10, 16, "0.115", "0.005"), (20, 16, "0.143", "0.069")):
        differences = losses(context, pages[start : start + 10]) - losses(64, pages[start : start + 10])
        assert f"{float(differences.mean()):.3f}" == rise
        assert f"{float(flip_test(differences)):.3f}" == share
        assert rise in text
        assert share in text


def test_the_last_page_adds_up_the_points_by_part_and_knows_the_notebook(monkeypatch, tmp_path, capsys):
    saved = tmp_path / "15-capstone.ipynb"
    saved.write_bytes(b"{}")
    monkeypatch.setenv("JPY_SESSION_NAME", str(saved))
    monkeypatch.setenv("AUTOGRADER_PROGRESS", str(tmp_path))
    monkeypatch.chdir(ROOT / "notebooks")
    exec(cells()["shown-by-part"], dict(lesson()))
    page = capsys.readouterr().out
    total = sum(task.points for task in COURSE.load(LESSON).tasks.values())
    assert (
        sum(int(line.split(" of ")[1].split(",")[0]) for line in page.splitlines() if " of " in line[38:])
        == total
    )
    assert hashlib.sha256(b"{}").hexdigest() in page
