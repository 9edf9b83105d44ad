"""The display of a verdict to the learner: rich HTML in JupyterLab, plain text everywhere else."""

from __future__ import annotations

import html
import itertools
import re
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from autograder.records import answer_findings as f
from autograder.records.bank import Task
from autograder.words.card_contents import Diagnosis, diagnosis, numbered
from autograder.words.finding_wording import failing, stood_in, word
from autograder.words.forbidden_wording import asked_instead
from autograder.words.language import _, ngettext
from autograder.words.mismatch_picture import difference_picture

Mounted = Callable[[str, dict[str, Any]], dict[str, Any]]

# JupyterLab's own colours where they exist, so that the card follows the light and the dark theme.
# No headings: JupyterLab lists those of outputs in its table of contents, among the lesson's own.
STYLE = """
.ag{font:14px/1.5 var(--jp-ui-font-family,system-ui,sans-serif);color:var(--jp-ui-font-color1,#1f1f1f);
border-left:5px solid var(--ag-mark);padding:.5em .9em;margin:.3em 0;background:var(--jp-layout-color1,#fff)}
.ag-ok{--ag-mark:#2e8540}.ag-no{--ag-mark:#c8102e}.ag-wait{--ag-mark:#8a6d00}
.ag p{margin:.25em 0}.ag .ag-head{margin:0 0 .2em;font-weight:600}
.ag .ag-head .ag-small{font-weight:400}.ag ul{margin:.3em 0;padding:0;list-style:none}
.ag code,.ag pre{font-family:var(--jp-code-font-family,monospace);font-size:.95em;
background:var(--jp-layout-color2,#f0f0f0);color:inherit;padding:0 .2em;border-radius:2px}
.ag pre{padding:.35em .6em;margin:.3em 0;overflow-x:auto}
.ag details{margin:.2em 0}.ag summary{cursor:pointer;color:var(--jp-ui-font-color2,#555)}
.ag ol{margin:.25em 0;padding-left:1.4em}
.ag .ag-small{color:var(--jp-ui-font-color2,#555);font-size:.92em}
.ag svg .ag-title,.ag svg .ag-note{font:12px system-ui,sans-serif;fill:var(--jp-ui-font-color1,#1f1f1f)}
.ag svg .ag-number{font:11px var(--jp-code-font-family,monospace)}
""".replace("\n", "")


@dataclass(frozen=True)
class Onward:
    """The line below a right answer: how many tasks are done, and the title and address of the next one."""

    done: str
    title: str = ""
    address: str = ""

    def __str__(self) -> str:
        return self._said(self.done, self.title)

    def html(self) -> str:
        """Return the line as HTML, with a link if there is an address."""
        title = inline(self.title)
        link = f'<a href="{_escape(self.address)}">{title}</a>' if self.address else title
        return self._said(_escape(self.done), link)

    def _said(self, done: str, title: str) -> str:
        return _("{done} · next: {title}", done=done, title=title) if title else done


@dataclass(frozen=True)
class Feedback:
    """The feedback of `check` on an answer, true if all checks of the task pass.

    Attributes:
        task: the task that was checked.
        verdict: the verdict on the answer.
        aside: a sentence that is not about the answer.
        earlier: the verdict on the value of an earlier run, if the last run defined no answer.
        notes: sentences about the run that defined the answer.
        onward: the line about the next task.
        mounted: makes the output for a page from the card's HTML and the static output.
    """

    task: Task
    verdict: f.Verdict
    aside: str = ""
    earlier: f.Verdict | None = None
    notes: tuple[str, ...] = ()
    onward: Onward | None = None
    mounted: Mounted | None = field(default=None, repr=False, compare=False)

    def __bool__(self) -> bool:
        return self.verdict.passed

    def __repr__(self) -> str:
        text = plain_text(self.task, self.verdict, self.earlier, self.notes)
        return "\n".join(filter(None, (text, str(self.onward or ""), self.aside)))

    def _repr_html_(self) -> str:
        return self._html("" if self.verdict.passed else _stuck(self.task))

    def _html(self, stuck: str = "") -> str:
        below = f"<p>{inline(stuck)}</p>" if stuck else ""
        below += f"<p>{self.onward.html()}</p>" if self.onward else ""
        shown = rich_text(self.task, self.verdict, self.earlier, self.notes, below)
        return shown + card("wait", "", f"<p>{_escape(self.aside)}</p>") if self.aside else shown

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        still = {"text/plain": repr(self), "text/html": self._repr_html_()}
        return self.mounted(self._html(), still) if self.mounted else still


@dataclass(frozen=True)
class Notice:
    """A short message that is not a verdict: a hint, a failure of the tool, an unknown task."""

    headline: str
    lines: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return False

    def __repr__(self) -> str:
        return _strip("\n".join([self.headline, *(_wrap(line) for line in self.lines)]))

    def _repr_html_(self) -> str:
        return self.html(spoken=True)

    def html(self, spoken: bool = False) -> str:
        """Return the message as HTML, which a screen reader reads out at once if it is `spoken`."""
        return card(
            "wait", inline(self.headline), "".join(f"<p>{inline(line)}</p>" for line in self.lines), spoken
        )


def rich_text(
    task: Task,
    verdict: f.Verdict,
    earlier: f.Verdict | None = None,
    notes: Sequence[str] = (),
    below: str = "",
) -> str:
    """Return the verdict as HTML, in which all text that comes from a learner is escaped.

    Args:
        task: the task that was checked.
        verdict: the verdict on the answer.
        earlier: the verdict on the value of an earlier run, if the last run defined no answer.
        notes: sentences about the run that defined the answer.
        below: HTML about the next step, at the end of the card.
    """
    about = "".join(f"<p>{inline(text)}</p>" for text in notes)
    if verdict.passed:
        body = "".join(f"<p>{inline(text)}</p>" for text in (task.learned, stood_in(verdict)) if text)
        return card("ok", _head(f"✓ {_escape(task.title)}", verdict), body + about + below)
    body = _diagnosis_html(diagnosis(task, verdict)) + about
    body += _folded(_("Why?"), _why_html(task, verdict)) + _folded(
        _("All checks"), _results_html(task, verdict)
    )
    if earlier is not None:
        body += _folded(_("About what an earlier run left"), _earlier_html(task, earlier))
    body += below
    untried = isinstance(verdict.finding, f.Untried)
    sign = "…" if untried else "✗"
    return card(
        "wait" if untried or verdict.earned else "no", _head(f"{sign} {_escape(task.title)}", verdict), body
    )


def visible_words(task: Task, verdict: f.Verdict) -> int:
    """Return the number of words of a wrong answer's card that are visible without unfolding."""
    folds = [_("Why?"), _("All checks") if _is_listed(verdict) else ""]
    texts = [task.title, _points(verdict), diagnosis(task, verdict).visible, *folds]
    return sum(len(text.split()) for text in texts)


def _diagnosis_html(text: Diagnosis) -> str:
    proof = f' <span class="ag-small">{inline(text.proof)}</span>' if text.proof else ""
    bold = [f"<strong>{inline(mistake)}</strong>" for mistake in text.mistakes]
    if len(bold) == 1:
        body = f"<p>{bold[0]}{proof}</p>"
    else:
        body = f"<ol>{''.join(f'<li>{mistake}</li>' for mistake in bold)}</ol><p>{proof}</p>"
    if text.code:
        body += f"<pre>{_escape(text.code)}</pre>"
    return body + "".join(f"<p>{inline(line)}</p>" for line in text.lines)


def _why_html(task: Task, verdict: f.Verdict) -> str:
    finding = verdict.finding
    body = "".join(f"<p>{inline(text)}</p>" for text in diagnosis(task, verdict).why)
    if isinstance(finding, f.WrongValues) and finding.obtained_tensor is not None:
        assert finding.expected_tensor is not None
        body += difference_picture(finding.obtained_tensor, finding.expected_tensor, finding.index)
    return body


def _earlier_html(task: Task, verdict: f.Verdict) -> str:
    if verdict.passed:
        return f"<p>{inline(_was_right(task))}</p>"
    return _diagnosis_html(diagnosis(task, verdict))


def _folded(title: str, body: str) -> str:
    return f"<details><summary>{title}</summary>{body}</details>" if body else ""


def plain_text(
    task: Task, verdict: f.Verdict, earlier: f.Verdict | None = None, notes: Sequence[str] = ()
) -> str:
    """Return the verdict as plain text, for a terminal, a log or a screen reader; see `rich_text`."""
    points = _points(verdict)
    if verdict.passed:
        right = _("right")
        lines = [f"[{right}] {task.title} ({points})"]
        return _strip(
            "\n".join([*lines, *map(_wrap, filter(None, (task.learned, stood_in(verdict), *notes)))])
        )
    not_yet = _("not yet")
    diagnosed = diagnosis(task, verdict)
    lines = [f"[{not_yet}] {task.title} ({points})", *_diagnosis_lines(diagnosed)]
    lines += [_wrap(text) for text in (*notes, *diagnosed.why)]
    if _is_listed(verdict):
        for result in verdict.results:
            lines.append(f"  {'ok ' if result.finding is None else '-- '} {result.title}")
            says = _why(task, verdict, result)
            if says:
                lines.append(textwrap.indent(textwrap.fill(says, width=80), "        "))
        if verdict.forbidden:
            costs = _("costs {points}", points=verdict.cost)
            lines.append(f"  --  {asked_instead(verdict.forbidden, task)} ({costs})")
    if earlier is not None:
        lines.append(_("About what an earlier run left") + ":")
        lines += [_was_right(task)] if earlier.passed else _diagnosis_lines(diagnosis(task, earlier))
    lines.append(_stuck(task).replace("`", ""))
    return _strip("\n".join(lines))


def _diagnosis_lines(diagnosed: Diagnosis) -> list[str]:
    code = f"    {diagnosed.code}" if diagnosed.code else ""
    wrapped = [_wrap(text) for text in (*numbered(diagnosed.mistakes), diagnosed.proof)]
    return list(filter(None, [*wrapped, code, *map(_wrap, diagnosed.lines)]))


def _was_right(task: Task) -> str:
    return _("That `{answer}` was right. It counts once the cell makes it again.", answer=task.name)


def _stuck(task: Task) -> str:
    return _('Stuck? `hint("{task}")` gives one hint at a time.', task=task.id)


def card(mark: str, head: str, body: str, spoken: bool = True) -> str:
    """Return the HTML of a card.

    Args:
        mark: "ok", "no" or "wait", which sets the colour.
        head: HTML of the first line.
        body: HTML of the rest.
        spoken: whether a screen reader reads the card out at once.
    """
    role = ' role="status"' if spoken else ""
    top = f'<p class="ag-head">{head}</p>' if head else ""
    return f'<style>{STYLE}</style><div class="ag ag-{mark}"{role}>{top}{body}</div>'


def item(sign: str, label: str, text: str, note: str) -> str:
    """Return the HTML of a list item.

    Args:
        sign: a sign, such as "✓".
        label: the sign's meaning, for screen readers.
        text: the item's plain text, which is escaped.
        note: HTML of a remark in small type.
    """
    line = f'<span role="img" aria-label="{label}">{sign}</span> {inline(text)}'
    return f'<li>{line} <span class="ag-small">{note}</span></li>'


def _head(title: str, verdict: f.Verdict) -> str:
    return f'{title} <span class="ag-small">{_points(verdict)}</span>'


def _points(verdict: f.Verdict) -> str:
    if not verdict.points:
        return _("optional")
    return ngettext(
        "{earned} of {number} point", "{earned} of {number} points", verdict.points, earned=verdict.earned
    )


def _results_html(task: Task, verdict: f.Verdict) -> str:
    """Return the checks, each on a line of its own: one failure hides nothing that is right already."""
    if not _is_listed(verdict):
        return ""
    lines = []
    for result in verdict.results:
        sign, label = ("✓", _("right")) if result.finding is None else ("✗", _("not yet"))
        says = _why(task, verdict, result)
        below = f"<br>{inline(says)}" if says else ""
        points = (
            _("{earned} of {points}", earned=result.earned, points=result.points) if verdict.points else ""
        )
        lines.append(item(sign, label, result.title, points + below))
    if verdict.forbidden:
        costs = _("costs {points}", points=verdict.cost)
        lines.append(item("✗", _("not yet"), asked_instead(verdict.forbidden, task), costs))
    return f"<ul>{''.join(lines)}</ul>"


def _why(task: Task, verdict: f.Verdict, result: f.CheckResult) -> str:
    """Return what to say below a check's title: on which input it fails, or how if not yet told."""
    finding = result.finding
    if finding is None:
        return ""
    first = verdict.finding
    is_told = finding is first or isinstance(finding, f.MatchesKnownWrong)
    if isinstance(finding, f.Raised) and isinstance(first, f.Raised):
        is_told = is_told or (finding.error.type, finding.error.line) == (first.error.type, first.error.line)
    if isinstance(finding, f.NotCalled) and isinstance(first, f.NotCalled):
        is_told = is_told or finding.uncalled == first.uncalled
    earlier = list(itertools.takewhile(lambda other: other is not result, verdict.results))
    wrong = [other.finding for other in earlier if other.finding is not None]
    # An experiment whose numbers are the answer's own tells nothing where those are wrong without it.
    if wrong and isinstance(finding, f.WrongBehaviour) and finding.of_result:
        return failing(wrong[0], task, again=True)
    if not is_told:
        return word(finding, task).headline
    return failing(finding, task, again=any(other.probe == finding.probe for other in wrong))


def _is_listed(verdict: f.Verdict) -> bool:
    """Tell whether a list of checks says more than the finding, which may be about the answer as a whole."""
    finding = verdict.finding
    if isinstance(finding, f.CallsForbidden):
        return True
    has_one_result = len(verdict.results) == 1 and not verdict.forbidden
    return not has_one_result and finding is not None and bool(finding.probe)


def inline(text: str) -> str:
    """Return a text as HTML, escaped, with the parts between backticks set as code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", _escape(text))


def _escape(text: str) -> str:
    return html.escape(_strip(text))


def _wrap(text: str) -> str:
    return textwrap.fill(text, width=88)


def _strip(text: str) -> str:
    # Control characters from an error message must not reach a terminal.
    if text.isprintable():
        return text
    return "".join(char for char in text if char == "\n" or char.isprintable())
