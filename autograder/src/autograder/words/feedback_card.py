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
        return "\n".join(filter(None, (self._text(), str(self.onward or ""), self.aside)))

    def _repr_html_(self) -> str:
        return self.html("" if self.verdict.passed else self._stuck)

    def html(self, stuck: str = "") -> str:
        """Return the feedback as HTML, in which all text that comes from a learner is escaped.

        Args:
            stuck: a sentence on what to do next; "" for none.
        """
        below = "".join(f"<p>{inline(text)}</p>" for text in self.notes)
        if self.verdict.passed:
            about = (self.task.learned, stood_in(self.verdict))
            body = "".join(f"<p>{inline(text)}</p>" for text in about if text)
        else:
            diagnosed = diagnosis(self.task, self.verdict)
            body = _diagnosis_html(diagnosed)
            below += _folded(_("Why?"), self._why_html(diagnosed.why)) + _folded(
                _("All checks"), self._results_html()
            )
            if self.earlier is not None:
                below += _folded(_("About what an earlier run left"), self._earlier_html(self.earlier))
        below += f"<p>{inline(stuck)}</p>" if stuck else ""
        below += f"<p>{self.onward.html()}</p>" if self.onward else ""
        untried = isinstance(self.verdict.finding, f.Untried)
        sign, mark = "✗", "wait" if untried or self.verdict.earned else "no"
        if self.verdict.passed:
            sign, mark = "✓", "ok"
        elif untried:
            sign = "…"
        head = f'{sign} {_escape(self.task.title)} <span class="ag-small">{self._points}</span>'
        shown = card(mark, head, body + below)
        return shown + card("wait", "", f"<p>{_escape(self.aside)}</p>") if self.aside else shown

    def _text(self) -> str:
        """Return the feedback as plain text, for a terminal, a log or a screen reader; see `html`."""
        task, verdict = self.task, self.verdict
        if verdict.passed:
            right = _("right")
            about = filter(None, (task.learned, stood_in(verdict), *self.notes))
            return _strip("\n".join([f"[{right}] {task.title} ({self._points})", *map(_wrap, about)]))
        not_yet, diagnosed = _("not yet"), diagnosis(task, verdict)
        lines = [f"[{not_yet}] {task.title} ({self._points})", *_diagnosis_lines(diagnosed)]
        lines += [_wrap(text) for text in (*self.notes, *diagnosed.why)]
        if self._is_listed:
            for result in verdict.results:
                lines.append(f"  {'ok ' if result.finding is None else '-- '} {result.title}")
                says = self._why(result)
                if says:
                    lines.append(textwrap.indent(textwrap.fill(says, width=80), "        "))
            if verdict.forbidden:
                costs = _("costs {points}", points=verdict.cost)
                lines.append(f"  --  {asked_instead(verdict.forbidden, task)} ({costs})")
        if self.earlier is not None:
            lines.append(_("About what an earlier run left") + ":")
            before = diagnosis(task, self.earlier) if not self.earlier.passed else None
            lines += _diagnosis_lines(before) if before else [self._was_right]
        lines.append(self._stuck.replace("`", ""))
        return _strip("\n".join(lines))

    @property
    def visible_words(self) -> int:
        """The number of words of a wrong answer's card that are visible without unfolding."""
        folds = [_("Why?"), _("All checks") if self._is_listed else ""]
        texts = [self.task.title, self._points, diagnosis(self.task, self.verdict).visible, *folds]
        return sum(len(text.split()) for text in texts)

    def _why_html(self, why: Sequence[str]) -> str:
        finding = self.verdict.finding
        body = "".join(f"<p>{inline(text)}</p>" for text in why)
        if isinstance(finding, f.WrongValues) and finding.obtained_tensor is not None:
            assert finding.expected_tensor is not None
            body += difference_picture(finding.obtained_tensor, finding.expected_tensor, finding.index)
        return body

    def _earlier_html(self, earlier: f.Verdict) -> str:
        if earlier.passed:
            return f"<p>{inline(self._was_right)}</p>"
        return _diagnosis_html(diagnosis(self.task, earlier))

    @property
    def _was_right(self) -> str:
        return _("That `{answer}` was right. It counts once the cell makes it again.", answer=self.task.name)

    @property
    def _stuck(self) -> str:
        return _('Stuck? `hint("{task}")` gives one hint at a time.', task=self.task.id)

    @property
    def _points(self) -> str:
        points, earned = self.verdict.points, self.verdict.earned
        if not points:
            return _("optional")
        return ngettext("{earned} of {number} point", "{earned} of {number} points", points, earned=earned)

    def _results_html(self) -> str:
        """Return the checks, each on a line of its own: one failure hides nothing that is right already."""
        if not self._is_listed:
            return ""
        verdict, lines = self.verdict, []
        for result in verdict.results:
            sign, label = ("✓", _("right")) if result.finding is None else ("✗", _("not yet"))
            says = self._why(result)
            below = f"<br>{inline(says)}" if says else ""
            points = _("{earned} of {points}", earned=result.earned, points=result.points)
            lines.append(item(sign, label, result.title, (points if verdict.points else "") + below))
        if verdict.forbidden:
            costs = _("costs {points}", points=verdict.cost)
            lines.append(item("✗", _("not yet"), asked_instead(verdict.forbidden, self.task), costs))
        return f"<ul>{''.join(lines)}</ul>"

    def _why(self, result: f.CheckResult) -> str:
        """Return what to say below a check's title: on which input it fails, or how if not yet told."""
        finding = result.finding
        if finding is None:
            return ""
        first = self.verdict.finding
        is_told = finding is first or isinstance(finding, f.MatchesKnownWrong)
        if isinstance(finding, f.Raised) and isinstance(first, f.Raised):
            error, of_first = finding.error, first.error
            is_told = is_told or (error.type, error.line) == (of_first.type, of_first.line)
        if isinstance(finding, f.NotCalled) and isinstance(first, f.NotCalled):
            is_told = is_told or finding.uncalled == first.uncalled
        earlier = itertools.takewhile(lambda other: other is not result, self.verdict.results)
        wrong = [other.finding for other in earlier if other.finding is not None]
        # An experiment whose numbers are the answer's own tells nothing where those are wrong without it.
        if wrong and isinstance(finding, f.WrongBehaviour) and finding.of_result:
            return failing(wrong[0], self.task, again=True)
        if not is_told:
            return word(finding, self.task).headline
        return failing(finding, self.task, again=any(other.probe == finding.probe for other in wrong))

    @property
    def _is_listed(self) -> bool:
        """Whether a list of checks says more than the finding, which may be about the answer as a whole."""
        finding = self.verdict.finding
        if isinstance(finding, f.CallsForbidden):
            return True
        has_one_result = len(self.verdict.results) == 1 and not self.verdict.forbidden
        return not has_one_result and finding is not None and bool(finding.probe)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        still = {"text/plain": repr(self), "text/html": self._repr_html_()}
        return self.mounted(self.html(), still) if self.mounted else still


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


def _folded(title: str, body: str) -> str:
    return f"<details><summary>{title}</summary>{body}</details>" if body else ""


def _diagnosis_lines(diagnosed: Diagnosis) -> list[str]:
    code = f"    {diagnosed.code}" if diagnosed.code else ""
    wrapped = [_wrap(text) for text in (*numbered(diagnosed.mistakes), diagnosed.proof)]
    return list(filter(None, [*wrapped, code, *map(_wrap, diagnosed.lines)]))


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
