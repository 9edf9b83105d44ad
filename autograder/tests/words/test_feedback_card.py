"""A verdict as a learner sees it: safe, readable and complete, as HTML and as plain text."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest
import torch
from autograder.judge.decide import judge
from autograder.records import answer_findings as f
from autograder.records.run_outcome import ErrorReport, Evidence, Uncalled
from autograder.words.feedback_card import Feedback, Notice

EVIL = '<script>alert("x")</script>&<img src=x onerror=y>'
VOID = {"br"}


class Reader(HTMLParser):
    """Reads HTML strictly: every tag closed in order; keeps tags, attributes and the visible text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.text = ""
        self.open: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if "style" not in self.open:
            self.text += data


class Card(Reader):
    """What is read of a card at once, in one line, and all that can be unfolded."""

    visible = ""

    def handle_data(self, data):
        super().handle_data(data)
        if "style" not in self.open and ("details" not in self.open or "summary" in self.open):
            self.visible = " ".join(f"{self.visible} {data}".replace(" .", ".").split())


@pytest.fixture
def shown(judged):
    """HTML and plain text of the feedback on an answer."""

    def show(task, answer):
        feedback = Feedback(task, judged(task, answer))
        return Reader(feedback._repr_html_()), repr(feedback)

    return show


def right(x):
    return x / x.sum()


def off(x):
    return torch.softmax(x, 0)


def half(x):
    return right(x) if len(x) == 4 else off(x)


# Right


def test_a_right_answer_is_confirmed_with_what_was_learned(shown, share):
    html, text = shown(share, right)
    assert text == "[right] Shares of a whole (3 of 3 points)\nShares add up to 1."
    assert "✓ Shares of a whole" in html.text
    assert "Shares add up to 1." in html.text


def test_feedback_is_true_when_all_is_right(judged, share):
    assert Feedback(share, judged(share, right))
    assert not Feedback(share, judged(share, half))


def test_one_point_is_said_in_the_singular(shown, total):
    html, text = shown(total, lambda a, b: (a * b).sum())
    assert "(1 of 1 point)" in text
    assert "1 of 1 point" in html.text
    assert "1 of 1 points" not in html.text + text


def test_several_points_are_said_in_the_plural(shown, share):
    html, text = shown(share, half)
    assert "(2 of 3 points)" in text
    assert "2 of 3 points" in html.text


# Wrong


def test_a_wrong_answer_shows_message_details_and_where_to_get_hints(shown, share):
    html, text = shown(share, off)
    for part in ("and should be 0.1250", "of the entries are right", 'hint("share")'):
        assert part in " ".join(text.split())
        assert part in html.text


def test_wrong_values_come_with_a_picture(judged, share, pairs, total):
    assert "<svg" in Feedback(share, judged(share, off)).html()
    assert "<svg" not in Feedback(share, judged(share, right)).html()
    assert "<svg" not in Feedback(total, judged(total, lambda a, b: torch.tensor(5.0))).html()


def test_a_known_wrong_answer_shows_its_hint_with_code_set_as_code(judged, share):
    html = Feedback(share, judged(share, lambda x: x / x.max())).html()
    assert "You divided by the largest: use <code>x.sum()</code>." in html
    assert "You divided by the largest: use `x.sum()`." in repr(
        Feedback(share, judged(share, lambda x: x / x.max()))
    )


def test_each_check_has_a_line_so_that_one_failure_does_not_hide_the_rest(shown, share):
    html, text = shown(share, half)
    assert re.search(r"-- +three numbers", text)
    assert re.search(r"ok +four numbers", text)
    assert html.tags.count("li") == 2
    assert ("aria-label", "right") in html.attributes
    assert ("aria-label", "not yet") in html.attributes
    assert "2 of 2" in html.text


def test_under_a_check_that_fails_stands_on_which_input(shown, share):
    html, text = shown(share, half)
    assert re.search(r"-- +three numbers\n +fails on: three numbers", text)
    assert "fails on: three numbers" in html.text
    assert "fails on: four numbers" not in html.text + text


def test_a_check_that_an_earlier_one_has_failed_for_says_so(share, judged):
    verdict = judged(share, half)
    first = replace(verdict.results[0], title="first")
    text = repr(Feedback(share, replace(verdict, results=(first, replace(first, title="later")))))
    assert re.search(r"-- +first\n +fails on: three numbers", text)
    assert re.search(r"-- +later\n +needs this to be right, too: three numbers", text)


def test_what_looks_at_the_result_itself_needs_that_to_be_right(share, judged):
    verdict = judged(share, half)
    first = verdict.results[0]
    again = f.WrongBehaviour("second-call", of_result=True, probe="four")
    text = repr(
        Feedback(share, replace(verdict, results=(first, replace(first, title="later", finding=again))))
    )
    assert re.search(r"-- +later\n +needs this to be right, too: three numbers", text)


def test_an_error_is_told_once_and_then_only_on_which_input(shown, share):
    html, text = shown(share, lambda x: x / unheard_of)  # noqa: F821
    for output in (html.text, text):
        assert output.count("unheard_of' is not defined") == 1
        assert "fails on: four numbers" in output


def test_several_mistakes_are_counted_and_numbered(share):
    named = (f.Named("a", "", "Use `x.sum()`."), f.Named("b", "", "Divide."))
    results = (f.CheckResult("a", 1, 0, f.MatchesKnownWrong(probe="three")),)
    verdict = f.Verdict("share", results, named, shown="same")
    html = Reader(Feedback(share, verdict).html())
    assert "(together they give exactly your result)" in html.text
    assert (html.tags.count("ol"), html.tags.count("li")) == (1, 2)
    text = repr(Feedback(share, verdict))
    assert "1. Use `x.sum()`.\n2. Divide.\n(together they give exactly your result)\n" in text


@pytest.mark.parametrize(
    ("proven", "says"),
    [
        ("same", "Divide. (code with this mistake gives exactly your result)"),
        ("stops", "Divide. (stops in the same way)"),
        ("ending", "Perhaps: Divide. (many mistakes end like this)"),
        ("likeness", "Divide. (fits what was seen)"),
        ("", "Divide. Not the right numbers yet"),
    ],
)
def test_of_a_mistake_no_more_is_said_than_what_is_proven(share, proven, says):
    results = (f.CheckResult("a", 1, 0, f.MatchesKnownWrong(probe="three")),)
    verdict = f.Verdict("share", results, (f.Named("a", "", "Divide."),), shown=proven)
    assert says in " ".join(repr(Feedback(share, verdict)).split())


@pytest.mark.parametrize(("explains", "folded"), [(("a", "b"), "That accounts for “a” and “b”."), ((), "")])
def test_of_a_mistake_that_explains_a_part_it_is_said_that_it_does_and_what_was_seen(share, explains, folded):
    finding = f.WrongShape((2,), (3,), 0, probe="three")
    named = (f.Named("a", "", "Use `x.sum()`."),)
    results = (f.CheckResult("a", 1, 0, finding),)
    verdict = f.Verdict("share", results, named, whole=False, shown="same", explains=explains)
    card = Card(Feedback(share, verdict).html())
    assert "Use x.sum(). (fits a part of what was seen)" in card.visible
    assert "The result has shape (2,) on three numbers; it should be (3,)." in card.visible
    assert folded in card.text


def test_several_mistakes_that_explain_only_a_part_are_said_with_care(share):
    named = (f.Named("a", "", "Use `x.sum()`."), f.Named("b", "", "Divide."))
    results = (f.CheckResult("a", 1, 0, f.MatchesKnownWrong(probe="three")),)
    partly = f.Verdict("share", results, named, whole=False, shown="likeness", explains=("a",))
    assert "1. Perhaps: Use `x.sum()`.\n2. Perhaps: Divide.\n" in repr(Feedback(share, partly))


def test_a_second_check_that_fails_in_another_way_says_how(judged, share):
    verdict = judged(share, lambda x: off(x) if len(x) == 3 else [1.0])
    assert "gives back a list on four numbers" in Reader(Feedback(share, verdict).html()).text


def test_a_finding_about_the_whole_is_not_repeated_for_each_check(shown, share):
    html, text = shown(share, ...)
    assert html.tags.count("li") == 0
    assert "three numbers" not in text


@pytest.mark.parametrize(
    ("finding", "earned", "mark"),
    [
        *((f.StillStub(), 0, "wait"), (f.NotDefined(), 0, "wait")),
        *((f.WrongType("list", probe="three"), earned, kind) for earned, kind in ((0, "no"), (1, "wait"))),
    ],
)
def test_red_is_what_earns_nothing_and_not_what_waits_for_the_learner(share, finding, earned, mark):
    results = (f.CheckResult("a", 1, 0, finding), f.CheckResult("b", 1, earned, None if earned else finding))
    assert f'class="ag ag-{mark}"' in Feedback(share, f.Verdict("share", results)).html()


def test_at_once_the_mistake_is_read_and_what_to_do_and_all_else_is_folded(share, judged):
    html = Feedback(share, judged(share, lambda x: x / x.max())).html()
    assert "<strong>You divided by the largest: use <code>x.sum()</code>.</strong>" in html
    card = Card(html)
    assert card.visible == (
        "✗ Shares of a whole 0 of 3 points You divided by the largest: use x.sum(). "
        "(code with this mistake gives exactly your result) Why? All checks"
    )
    assert "Not the right numbers yet on three numbers." in card.text


def test_what_is_visible_is_not_said_again_when_unfolded(share, judged):
    card = Card(Feedback(share, judged(share, off)).html())
    headline = "on three numbers and should be 0.1250."
    assert (card.visible.count(headline), card.text.count(headline)) == (1, 1)


def test_a_long_error_is_cut_at_first_and_whole_when_unfolded(share):
    error = ErrorReport("ValueError", " ".join(map(str, range(99))), "x", 1)
    raised = f.CheckResult("a", 1, 0, f.Raised(error, probe="three"))
    card = Card(Feedback(share, f.Verdict("share", (raised,))).html())
    assert "96 97 98" not in card.visible
    assert "96 97 98" in card.text


# Safe


def learner_texts(share):
    """Verdicts into which a learner can put any text."""
    names = Evidence("share", "missing", nearest=(EVIL,))
    reads = Evidence("share", "answered", globals_read=(EVIL,))
    error = ErrorReport(EVIL, EVIL, EVIL, 1, EVIL)
    signature = f.NotCalled(Uncalled("arguments", EVIL, EVIL), probe="three")
    return {
        "nearest name": judge(share, names),
        "global": judge(share, reads),
        "type": judge(share, Evidence("share", "not-callable", answer_type=EVIL)),
        "note": judge(share, Evidence("share", "not-run", note=EVIL)),
        "given": judge(share, Evidence("share", "answered", changed_givens=(EVIL,))),
        "error": f.Verdict("share", (f.CheckResult("a", 1, 0, f.Raised(error, probe="three")),) * 2),
        "second error": f.Verdict(
            "share",
            (
                f.CheckResult("a", 1, 0, f.WrongType("list", probe="three")),
                f.CheckResult("b", 1, 0, f.Raised(error, probe="four")),
            ),
        ),
        "signature": f.Verdict("share", (f.CheckResult("a", 1, 0, signature),)),
        "result type": f.Verdict("share", (f.CheckResult("a", 1, 0, f.WrongType(EVIL, probe="three")),)),
        "stopped": judge(share, Evidence("share", "missing", error=error)),
        "unfinished": f.Verdict("share", (f.CheckResult("a", 1, 0, f.StillStub()),), unfinished=(EVIL,)),
    }


def test_whatever_comes_from_the_learner_is_escaped(share):
    for place, verdict in learner_texts(share).items():
        html = Reader(Feedback(share, verdict).html())
        assert not {"script", "img"} & set(html.tags), place
        assert "<script>" in html.text, place


@pytest.mark.parametrize("task_id", [EVIL, "`" + EVIL + "`"])
def test_a_notice_escapes_what_the_learner_typed(task_id):
    html = Reader(Notice(f"There is no task called `{task_id}`.", (task_id,))._repr_html_())
    assert not {"script", "img"} & set(html.tags)


def test_code_with_tags_is_shown_as_it_was_written(notebook, share, judged):
    notebook.run("def share(x):\n    raise ValueError('<b>' + '`' + '<script>')  # <script>")
    html = Reader(Feedback(share, judged(share, notebook.shell.user_ns["share"])).html())
    assert "raise ValueError('<b>' + '`' + '<script>')  # <script>" in html.text
    assert "script" not in html.tags
    assert "b" not in html.tags


def named(answer):
    return getattr(answer, "__name__", str(answer))


@pytest.mark.parametrize("answer", [right, off, half, lambda x: x / x.max(), ...], ids=named)
def test_nothing_is_loaded_from_elsewhere(shown, share, answer):
    html, _ = shown(share, answer)
    assert not {"script", "link", "a", "iframe", "img", "object"} & set(html.tags)
    for name, value in html.attributes:
        assert name not in ("src", "href", "srcdoc", "onerror", "onclick")
        assert name == "xmlns" or "//" not in value


@pytest.mark.parametrize("answer", [right, off, half, ...], ids=named)
def test_a_card_announces_itself_to_a_screen_reader(shown, share, answer):
    html, _ = shown(share, answer)
    assert ("role", "status") in html.attributes


def test_a_notice_announces_itself_to_a_screen_reader():
    assert ("role", "status") in Reader(Notice("A hint")._repr_html_()).attributes


def test_every_picture_and_sign_has_words(shown, share):
    html, _ = shown(share, half)
    assert html.attributes.count(("role", "img")) == 3
    labels = [value for name, value in html.attributes if name == "aria-label"]
    assert len(labels) == 3
    assert all(labels)


CONTROL = "\x1b[31m\x00\x07\r\x08\u202e\u2028\ud800"


def control_verdict():
    error = ErrorReport("Strange", f"a{CONTROL}b", f"c{CONTROL}d", 1)
    return f.Verdict("share", (f.CheckResult("a", 1, 0, f.Raised(error, probe="three")),))


def test_plain_text_has_no_control_characters(share):
    text = repr(Feedback(share, control_verdict()))
    assert [char for char in text if char != "\n" and not char.isprintable()] == []
    assert "a[31m" in text
    assert "c[31m" in text


def test_a_notice_has_no_control_characters():
    text = repr(Notice(f"a{CONTROL}b", (f"c{CONTROL}d",)))
    assert [char for char in text if char != "\n" and not char.isprintable()] == []
    assert text.startswith("a[31m")


def test_plain_text_is_wrapped_for_a_terminal(share, judged):
    text = repr(Feedback(share, judged(share, off)))
    assert max(len(line) for line in text.splitlines()) <= 88


def test_a_notice_is_never_true():
    assert not Notice("A hint")


def test_colours_follow_the_theme(judged, share):
    html = Feedback(share, judged(share, off)).html()
    style = re.search(r"<style>(.*?)</style>", html).group(1)
    for part in ("color", "background"):
        assert re.search(rf"{part}:var\(--jp-", style)


@pytest.mark.parametrize("answer", [..., lambda x: x, lambda x: x / x.sum()])
def test_feedback_has_no_headings_because_jupyterlab_lists_them_among_the_lessons(shown, share, answer):
    read, _ = shown(share, answer)
    assert [tag for tag in read.tags if tag in ("h1", "h2", "h3", "h4", "h5", "h6")] == []
