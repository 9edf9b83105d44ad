"""The functions that a lesson calls beside its tasks: `check`, `hint` and `progress`."""

from __future__ import annotations

import contextlib
import difflib
import functools
import linecache
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias
from urllib.parse import quote

from autograder.experiments import registry as experiments
from autograder.judge.decide import all_failed, judge, with_unfinished
from autograder.judge.trace_alignment import followed
from autograder.lesson import cell_runs, event_sender, interactive_session, progress_store
from autograder.lesson.card_in_page import card_in_page, start_over
from autograder.probe.collect_evidence import collect, collect_answer
from autograder.probe.learner_code import raised_by_notebook
from autograder.records import bank
from autograder.records.answer_findings import Followed, NotDefined, Stale, StillStub, Untried, Verdict
from autograder.records.authoring_errors import UserError
from autograder.records.bank import AS_SEEN, LessonBank, Task
from autograder.records.course import EXAM, Course, NoCourse
from autograder.records.evidence_mime import EVIDENCE_MIME
from autograder.records.evidence_transport import EvidenceRefused, pack
from autograder.records.run_outcome import Evidence
from autograder.words import language
from autograder.words.feedback_card import Feedback, Mounted, Notice, Onward, card, inline, item
from autograder.words.finding_wording import short_finding, word
from autograder.words.language import _, ngettext
from autograder.words.last_hint import reasoning
from autograder.words.trace_wording import where_text
from autograder.words.unrunnable_wording import stopped_after

# Set by nbgrader while it runs a notebook: "autograde" or "validate".
EXECUTION = "NBGRADER_EXECUTION"
# Set by the grader to the run whose givens the notebook holds.
RUN = "AUTOGRADER_RUN"
# Set by the grader where a wrong answer needs no words, which general experiments are for.
UNEXAMINED = "AUTOGRADER_UNEXAMINED"

Found: TypeAlias = tuple[Course, Task, LessonBank]

STAGES = 3  # of hints, the last of which reasons about a wrong answer

_MISSING: Any = object()
in_exam: set[str] = set()  # the tasks that an exam asks at this moment


class NotYet(Exception):
    """The error of a failing `check` under nbgrader's Validate, which sees only whether a cell raises."""


class EvidenceOutput:
    """The evidence about an answer as a cell's output, to be judged in another process.

    Its plain text is a score of 0, so that a grader that cannot judge evidence awards no points.
    """

    def __init__(self, evidence: Evidence) -> None:
        self.evidence = evidence

    def __repr__(self) -> str:
        return "0"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        try:
            packed = pack(self.evidence)
        except EvidenceRefused as problem:
            packed = pack(Evidence(self.evidence.task, "not-run", note=str(problem)))
        return {EVIDENCE_MIME: packed, "text/plain": "0"}


def check(task_id: str, answer: Any = _MISSING) -> Feedback | Notice | EvidenceOutput:
    """Check your answer to a task, and show what is right, what is wrong and what to look at.

    Args:
        task_id: the task's id, as the notebook gives it.
        answer: the answer itself, for use outside a notebook. In a notebook, the check finds your answer by
            its name.

    Returns:
        Feedback that is displayed at the end of a cell, and that is true if every check of the task passes.
    """
    shown = checked(task_id, lambda: _find(task_id), answer)
    if os.environ.get(EXECUTION) == "validate" and not shown:
        raise NotYet("\n" + repr(shown))
    return shown


@event_sender.undisturbed()
def checked(
    task_id: str, find: Callable[[], Found | Notice], answer: Any
) -> Feedback | Notice | EvidenceOutput:
    """Return the feedback on an answer, or a notice if the tool itself failed.

    Args:
        task_id: the task's id.
        find: returns the task with its course and lesson, or a notice why there is none.
        answer: the answer, or `_MISSING` to look it up in the notebook.
    """
    mode = os.environ.get(EXECUTION)
    try:
        task_and_bank = find()
        if isinstance(task_and_bank, Notice):
            return task_and_bank
        course, task, lesson = task_and_bank
        namespace = notebook_names()
        context = AnswerContext(task, lesson, namespace, os.environ.get(RUN, AS_SEEN), answer)
        if mode == "autograde":
            return EvidenceOutput(context.evidence(UNEXAMINED not in os.environ))
        evidence = context.evidence(True)
        verdict = judge(task, evidence, as_seen=True)
        where = None if verdict.passed else context.where(evidence)
        feedback = Feedback(task, verdict)
        if not context.is_passed_in:
            if not verdict.passed:
                verdict = with_unfinished(verdict, task, lesson, context.judged_before())
            feedback = context.as_it_stands(verdict)
        if feedback.verdict is not verdict:
            verdict, where = feedback.verdict, None
    except Exception as problem:
        if mode == "autograde":
            return EvidenceOutput(Evidence(task_id, "fault", note=f"{type(problem).__name__}: {problem}"))
        return _our_fault(task_id, problem)
    if mode == "validate":
        return feedback
    event_sender.tell_check(task.id, verdict)
    feedback = replace(feedback, aside=_remember(course, task, verdict))
    checked_here = verdict.passed and not context.is_passed_in
    _RIGHT[course.name, task.id] = namespace.get(task.name) if checked_here else None
    if verdict.passed:
        feedback = replace(feedback, onward=_onward(course, lesson, task))
    if interactive_session.has_front_end():
        return replace(feedback, mounted=_mounted(course, task, verdict, where))
    return feedback


@dataclass(frozen=True)
class AnswerContext:
    """The context of an answer that is checked.

    Attributes:
        task: the task.
        lesson: the lesson's bank.
        namespace: the notebook's variables.
        run: the name of the set of givens that the notebook ran with.
        answer: the answer if it was passed in; `_MISSING` for the one in the notebook.
    """

    task: Task
    lesson: LessonBank
    namespace: Mapping[str, Any]
    run: str
    answer: Any

    @property
    def is_passed_in(self) -> bool:
        return self.answer is not _MISSING

    def evidence(self, examining: bool) -> Evidence:
        """Return the evidence about the answer, with general experiments if `examining`."""
        task, lesson = self.task, self.lesson
        try:
            if self.is_passed_in:
                # Nothing is known of the caller's other variables: the lesson's own givens are taken as read.
                variables = {**lesson.givens[AS_SEEN], **task.kept, **self.namespace}
                return collect_answer(task, lesson, self.answer, variables, self.run, examining)
            return collect(task, lesson, self.namespace, self.run, examining)
        except Exception as problem:
            if not raised_by_notebook(problem):
                raise
            # Only looking at the answer ran code of its own, and that is where it failed.
            note = f"looking at it runs code of its own, which raises {type(problem).__name__}"
            return Evidence(task.id, "not-run", note=note)

    def judged_before(self) -> dict[str, Verdict]:
        """Judge the answers that the task's usual way starts from."""
        needed = {name: self.lesson.tasks[name] for name in self.task.needs}
        return {
            name: judge(need, collect(need, self.lesson, self.namespace, examining=False), as_seen=True)
            for name, need in needed.items()
        }

    def as_it_stands(self, verdict: Verdict) -> Feedback:
        """Return the feedback on an answer, if it is what the cells make as they were run last.

        If it is not, the card says so, and what it says of the answer is about an earlier run.
        """
        task = self.task
        cell = f"{task.id}{cell_runs.OF_ANSWER}"
        origin = cell_runs.origin(task.name, cell)
        feedback = Feedback(task, verdict)
        if isinstance(origin, cell_runs.Origin) and task.kind == "tensor" and not verdict.passed:
            needed = {self.lesson.tasks[name].name for name in task.needs} - {*verdict.unfinished}
            if names := cell_runs.remade(origin, needed):
                origin = Stale("remade", names)
        if isinstance(origin, Stale):
            finding = verdict.finding
            if isinstance(finding, NotDefined | StillStub) and finding.error:
                if origin.how in ("stopped", "unrun"):
                    return feedback  # it tells already what stopped the cell
                return replace(feedback, verdict=all_failed(task, origin))  # that was an earlier run
            if isinstance(finding, NotDefined) and finding.nearest:
                return feedback
            earlier = None if isinstance(finding, Untried) else verdict
            return replace(feedback, verdict=all_failed(task, origin), earlier=earlier)
        return replace(feedback, notes=_notes(task, origin))

    def where(self, evidence: Evidence) -> Notice | None:
        """Return what each line of an answer makes; None where it was not followed."""
        route = self.task.route
        steps = followed(route, evidence.trail) if route else ()
        if not steps:
            return None
        return Notice(
            _("What your lines make"),
            where_text(steps, self.task, functools.partial(_code_of, self.namespace)),
        )


def found_right(course: Course, task: Task, names: Mapping[str, Any]) -> bool:
    """Tell whether the task's last check passed, and its answer has not been assigned again since."""
    right = _RIGHT.get((course.name, task.id))
    return right is not None and right is names.get(task.name)


def _notes(task: Task, origin: cell_runs.Origin | None) -> tuple[str, ...]:
    """Return what has to be said beside a verdict on what a cell made."""
    if origin is None:
        return ()
    elsewhere = word(Stale("elsewhere", number=origin.run.number), task).headline if origin.elsewhere else ""
    stopped = stopped_after(origin.run.error) if origin.run.error else ""
    return tuple(filter(None, (elsewhere, stopped)))


def hint(task_id: str) -> Notice:
    """Show the next hint for a task. Each call gives one more; the last ones come close to the answer.

    If you have run the task's check, the hint starts with what the check found.

    Args:
        task_id: the task's id, as the notebook gives it.
    """
    try:
        task_and_bank = _find(task_id)
    except UserError as problem:
        return _our_fault(task_id, problem)
    if isinstance(task_and_bank, Notice):
        return task_and_bank
    course, task = task_and_bank[:2]
    hints = _hints(course, task)
    number = min(_seen_hints(course, task) + 1, len(hints))
    hint_shown(task.id, number)
    last = number == len(hints)
    after = (
        _("That was the last one.") if last else _('Call hint("{task}") again for the next.', task=task.id)
    )
    verdict = _FOUND.get((course.name, task.id))
    # The reasoning says itself what was found.
    found_before = short_finding(task, verdict) if verdict and len(hints[number - 1]) == 1 else ""
    before = [found_before] if found_before else []
    headline = _("Hint {number} of {count}: {title}", number=number, count=len(hints), title=task.title)
    return Notice(headline, (*before, *hints[number - 1], after))


def _seen_hints(course: Course, task: Task) -> int:
    """Return how many hints for a task were shown; where that cannot be kept, in this session."""
    return max(progress_store.read(course.name, task.id).hints, _SEEN_HINTS.get((course.name, task.id), 0))


def hint_shown(task_id: str, number: int) -> None:
    """Record that the hint with this `number`, counted from 1, was shown. A page calls this in its kernel."""
    task_and_bank = _find(task_id)
    if isinstance(task_and_bank, Notice):
        return
    course, task = task_and_bank[:2]
    event_sender.tell_hint(task.id)
    number = max(number, _seen_hints(course, task))
    _SEEN_HINTS[course.name, task.id] = number
    record = progress_store.read(course.name, task.id)
    progress_store.write(course.name, task.id, replace(record, hints=number))


def _hints(course: Course, task: Task) -> tuple[tuple[str, ...], ...]:
    """Return a task's hints, each in paragraphs: of a wrong answer, the last one reasons about its code."""
    verdict = _FOUND.get((course.name, task.id))
    before = task.hints[: min(STAGES, len(task.hints)) - 1]
    section = heading(verdict.named[0].section) if verdict and verdict.named else ""
    last = reasoning(task, verdict, before, section) if verdict else ()
    return (*((hint,) for hint in before), last) if last else tuple((hint,) for hint in task.hints)


def heading(section: str) -> str:
    """Return the heading of a section and its lesson, given an address such as "02-trainable#scale-intro".

    Returns "" if the lesson's notebook is not here.
    """
    # Not before somebody asks: the import takes longer than a check.
    import nbformat

    from autograder.records.cell_roles import headings

    lesson, _mark, cell = section.partition("#")
    with contextlib.suppress(Exception):  # somebody else's file, or none
        heading = headings(nbformat.read(_notebook_of(lesson), as_version=4)).get(cell, ("", ""))[1]
        if heading:
            return _("“{heading}” in {lesson}", heading=heading, lesson=lesson)
    return ""


def _code_of(namespace: Mapping[str, Any], step: Followed) -> str:
    """Return the line of a notebook that makes a step; "" where it is no function's of the notebook."""
    name, *parts = step.function.split(".")
    try:
        answer = functools.reduce(getattr, parts, namespace[name])
        return linecache.getline(answer.__code__.co_filename, step.line_number).strip()
    except (AttributeError, KeyError):
        return ""


def _onward(course: Course, lesson: LessonBank, task: Task) -> Onward:
    """Return what to do after a right answer: the next task that is not solved, or the next lesson."""
    tasks = list(lesson.tasks.values())
    index = tasks.index(task)
    unsolved = [other for other in (*tasks[index:], *tasks[:index]) if not _is_solved(course, other)]
    done = _("{earned} of {points}", earned=len(tasks) - len(unsolved), points=len(tasks))
    if unsolved:
        name = Path(os.environ.get("JPY_SESSION_NAME", "")).name or f"{lesson.lesson}.ipynb"
        address = f"{quote(name)}#cell-id={unsolved[0].id}{cell_runs.OF_ANSWER}"
        return Onward(done, unsolved[0].title, address)
    lessons = course.banked()
    following = lessons[lessons.index(lesson.lesson) + 1 :][:1]
    if not following:
        return Onward(done)
    notebook = _notebook_of(following[0])
    title = language.translated(following[0], course.load(following[0]).title)
    return Onward(done, title, notebook.as_posix() if notebook else "")


def _is_solved(course: Course, task: Task) -> bool:
    """Tell whether a task was solved at any time, as far as that is kept."""
    key = course.name, task.id
    if key not in _SOLVED and progress_store.read(course.name, task.id).solved:
        _SOLVED.add(key)
    return key in _SOLVED


def _notebook_of(lesson: str) -> Path | None:
    """Return a lesson's notebook: a learner has them side by side, in one folder or in a folder each."""
    places = (Path(f"{lesson}.ipynb"), Path("..") / lesson / f"{lesson}.ipynb")
    return next((path for path in places if path.is_file()), None)


def _mounted(course: Course, task: Task, verdict: Verdict, where: Notice | None) -> Mounted:
    """Return what puts a card into the page, with what can be done below it."""
    run = cell_runs.last_run(f"{task.id}{cell_runs.OF_ANSWER}")

    def mounted(shown: str, still: dict[str, Any]) -> dict[str, Any]:
        more: dict[str, Any] = {}
        if run is not None:
            more["cell"] = {
                "id": run.cell,
                "sum": _checksum(run.text),
                "says": _("The cell above was changed since it was run. Run it first, then this one."),
                "folded": _("About what an earlier run left"),
            }
        if not verdict.passed:
            more["hints"] = {
                "hints": _hints_shown(course, task),
                "seen": _seen_hints(course, task),
                "first": _("Hint"),
                "next": _("Next hint ({number} left)", number="{number}"),
                "last": _("That was the last one."),
            }
            more["where"] = {"label": _("Where?"), "shown": where.html()} if where else None
            more["again"] = start_over(task.id)
        elif any(task.id in tasks for tasks in course.mine.values()):
            more["agree"] = {
                "label": _("Add to mine"),
                "does": f'__import__("autograder").add_to_mine({task.id!r})',
                "gone": Notice(_("Run this cell again, then press the button.")).html(),
            }
        return card_in_page(f"hints {task.id}", shown, still, **more)

    return mounted


def _hints_shown(course: Course, task: Task) -> list[dict[str, str]]:
    """Return a page's hints for a task: each as HTML, and the call that keeps that it was shown."""
    hints = _hints(course, task)
    call = f"(lambda lesson: lesson and lesson.hint_shown({task.id!r}, {{number}}))({{loaded}})"
    loaded = f'__import__("sys").modules.get({__name__!r})'  # else whoever reads would wait for PyTorch
    return [
        {
            "shown": Notice(_("Hint {number} of {count}", number=number, count=len(hints)), hint).html(),
            "tells": call.format(number=number, loaded=loaded),
        }
        for number, hint in enumerate(hints, start=1)
    ]


def _checksum(text: str) -> int:
    """Return a checksum that a page can compute as well."""
    total = 0
    for char in text:
        total = (31 * total + ord(char)) & 0xFFFFFFFF
    return total


# In this session, by course and task: the hints seen, and what the last check found.
_SEEN_HINTS: dict[tuple[str, str], int] = {}
_FOUND: dict[tuple[str, str], Verdict] = {}
# The answers that the last check of their task found right.
_RIGHT: dict[tuple[str, str], Any] = {}
# What is known to be solved: that is read once for each task.
_SOLVED: set[tuple[str, str]] = set()
# Why progress cannot be kept, as far as it was said.
_SAID: set[str] = set()


def progress(lesson: str | None = None) -> Progress | Notice:
    """Show which tasks you have solved and what comes next, in all lessons or in one.

    Args:
        lesson: the name of a lesson, such as "01-dot-product"; all lessons without one.
    """
    try:
        course = find_course()
        banked_lessons = course.banked()
        if lesson is not None and lesson not in banked_lessons:
            return Notice(
                _("There is no lesson called `{name}`.", name=lesson),
                (_("There are: {names}.", names=", ".join(banked_lessons)),),
            )
        lessons = [_spoken(course.load(name)) for name in banked_lessons if lesson in (None, name)]
    except UserError as problem:
        return Progress((), fault=str(problem))
    rows = tuple(
        (
            lesson.title,
            tuple((task, progress_store.read(course.name, task.id)) for task in lesson.tasks.values()),
        )
        for lesson in lessons
    )
    predictions = [
        progress_store.read_prediction(course.name, name) for lesson in lessons for name in lesson.predictions
    ]
    answered = tuple(prediction for prediction in predictions if prediction.said)
    return Progress(rows, answered, can_start_over=bool(lesson))


@dataclass(frozen=True)
class Progress:
    """The learner's progress as a table, lesson by lesson."""

    rows: tuple[tuple[str, tuple[tuple[Task, progress_store.ProgressRecord], ...]], ...]
    predictions: tuple[progress_store.Prediction, ...] = ()
    fault: str = ""
    can_start_over: bool = False

    @property
    def next_task(self) -> Task | None:
        """The first task that is not solved yet; None if all are solved."""
        for _title, tasks in self.rows:
            for task, record in tasks:
                if not record.solved:
                    return task
        return None

    def _mistakes(self) -> str:
        """Return the number of mistakes made, and overcome since; "" before the first."""
        records = [record for _title, tasks in self.rows for _task, record in tasks if record.mistakes]
        met = {fault for record in records for fault in record.mistakes}
        unsolved = {fault for record in records if not record.solved for fault in record.mistakes}
        if not met:
            return ""
        return _(
            "Mistakes with a name: {met} met, {overcome} overcome.",
            met=len(met),
            overcome=len(met - unsolved),
        )

    def _closing(self) -> str:
        if self.fault:
            return self.fault
        task = self.next_task
        if task:
            return _("Next: {title} (`{task}`)", title=task.title, task=task.id)
        return _("This lesson is done.") if len(self.rows) == 1 else _("You have solved every task.")

    def _predicted(self) -> str:
        """Return the number of predictions made, and come true; "" before the first."""
        if not self.predictions:
            return ""
        true = sum(prediction.true is True for prediction in self.predictions)
        waiting = sum(prediction.true is None for prediction in self.predictions)
        rest = _(", {waiting} without an outcome yet", waiting=waiting) if waiting else ""
        return _(
            "Predictions: {made} made, {true} came true{rest}.",
            made=len(self.predictions),
            true=true,
            rest=rest,
        )

    @staticmethod
    def _solved(tasks: Sequence[tuple[Task, progress_store.ProgressRecord]]) -> str:
        solved = sum(record.solved for _task, record in tasks)
        return ngettext("{solved} of {number} task", "{solved} of {number} tasks", len(tasks), solved=solved)

    @staticmethod
    def _item(task: Task, record: progress_store.ProgressRecord) -> str:
        sign, label = ("✓", _("solved")) if record.solved else ("○", _("to do"))
        earned = record.points if record.solved else 0
        points = _("{earned} of {points}", earned=earned, points=task.points)
        return item(sign, label, task.title, points if task.points else _("optional"))

    def __repr__(self) -> str:
        lines = []
        for title, tasks in self.rows:
            lines.append(f"{title}: {self._solved(tasks)}")
            lines += [f"  {'[x]' if record.solved else '[ ]'} {task.title}" for task, record in tasks]
        lines += [
            line for line in (self._predicted(), self._mistakes(), self._closing().replace("`", "")) if line
        ]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        parts = []
        for title, tasks in self.rows:
            items = "".join(self._item(task, record) for task, record in tasks)
            count = f'<span class="ag-small">{self._solved(tasks)}</span>'
            parts.append(f'<p class="ag-head">{inline(title)} {count}</p><ul>{items}</ul>')
        parts += [
            f"<p>{part}</p>"
            for part in (self._predicted(), self._mistakes(), inline(self._closing()))
            if part
        ]
        mark = "ok" if self.next_task is None and not self.fault else "wait"
        return card(mark, "", "".join(parts), spoken=False)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        shown = self._repr_html_()
        still = {"text/plain": repr(self), "text/html": shown}
        if not self.can_start_over or not interactive_session.has_front_end():
            return still
        return card_in_page("progress", shown, still, again=start_over())


def find_task(task_id: str) -> Found | Notice:
    """Return a task with its course and lesson, or a notice that explains why there is none."""
    grading = os.environ.get(EXECUTION) == "autograde"
    if EXAM in os.environ and not grading:
        return Notice(_("Received."))
    try:
        course = Course.find() if grading else find_course()
    except NoCourse as problem:
        return Notice(str(problem))
    experiments.use(course)
    lessons = _lessons(course) if grading else course.lesson_of()
    if task_id not in lessons:
        near = difflib.get_close_matches(str(task_id), lessons, n=1)
        question = _(" Did you mean `{name}`?", name=near[0]) if near else ""
        return Notice(_("There is no task called `{name}`.{question}", name=task_id, question=question))
    lesson = course.load(lessons[task_id])
    if not grading:
        lesson = _spoken(lesson)
    return course, lesson.tasks[task_id], lesson


def _find(task_id: str) -> Found | Notice:
    """Return a task as `find_task` does, unless it is being asked in an exam."""
    if task_id in in_exam:
        return Notice(_("An exam asks `{task}`: no checks and no hints until `hand_in()`.", task=task_id))
    return find_task(task_id)


@functools.lru_cache(maxsize=2)
def _lessons(course: Course) -> dict[str, str]:
    """Return the lesson of each task, if banks do not change: to ask each takes a third of a check."""
    return course.lesson_of()


def find_course() -> Course:
    """Return the course that the notebook belongs to, and set the language of all messages to the notebook's.

    Raises:
        NoCourse: the notebook belongs to no course, or its course is not installed; the message tells the
            learner what to do.
        AuthoringError: the course's `course.toml` is not valid.
    """
    try:
        course = Course.find()
    except NoCourse as problem:
        language.speak()
        raise NoCourse([_what_to_do(problem.name)], problem.name) from None
    language.speak(course.bank, course.languages)
    return course


def _what_to_do(name: str) -> str:
    if name:
        return _(
            "The checks of the course `{name}` are not installed here: run this notebook's first code cell, "
            "which installs them.",
            name=name,
        )
    return _(
        "This notebook belongs to no course: open it in the folder that it came in, or run its first code "
        "cell, if that installs the checks."
    )


def _spoken(lesson: LessonBank) -> LessonBank:
    """Return a lesson's bank with its texts in the learner's language."""
    # English is what stands in it, where no translation is read; to go through all texts takes longer than
    # most checks.
    return lesson if language.spoken() == "en" else bank.with_texts(lesson, language.translated)


def notebook_names() -> Mapping[str, Any]:
    """Return the notebook's variables by name; an empty mapping outside a notebook."""
    shell = interactive_session.shell()
    return shell.user_ns if shell is not None else {}


def _remember(course: Course, task: Task, verdict: Verdict) -> str:
    """Keep what a check found; returns why it cannot be kept where that was not said yet."""
    _FOUND[course.name, task.id] = verdict
    if verdict.passed:
        _SOLVED.add((course.name, task.id))
        if run := cell_runs.last_run(f"{task.id}{cell_runs.OF_ANSWER}"):
            progress_store.write_code(course.name, task.id, run.text)
    record = progress_store.read(course.name, task.id)
    trouble = progress_store.write(
        course.name,
        task.id,
        replace(
            record,
            solved=record.solved or verdict.passed,
            points=max(record.points, verdict.earned),
            checks=record.checks + 1,
            mistakes=tuple(dict.fromkeys((*record.mistakes, *(named.fault for named in verdict.named)))),
        ),
    )
    new = trouble not in _SAID
    _SAID.add(trouble)
    return trouble if new else ""


def _our_fault(task_id: str, problem: Exception) -> Notice:
    return Notice(
        _("This check itself failed. That is a fault of the course, not of your answer."),
        (
            _(
                "While checking `{task}`: {error}: {message}",
                task=task_id,
                error=type(problem).__name__,
                message=problem,
            ),
            _("Your work is untouched. Go on with the next task, and please report this message."),
        ),
    )
