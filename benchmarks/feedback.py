"""What graders say of wrong and of right answers, in one table.

    python -m benchmarks.feedback [SET …] [--all] [--grader NAME …] [--texts FILE …] [--read FILE]

Every grader in `benchmarks/graders` judges the blind answers to the tasks that all of them have, or with
`--all` to all tasks: of all sets, unless some are named. Each answer runs in a fork of its own with a limit
on its time, in the grading tool's sandbox; with `--no-sandbox`, with your own rights. `--texts` adds the
texts of another grader from a TOML file: the id of an answer, whether it passes, and the text. `--read`
writes each message beside its answer, for a person. Without any of these the table goes to
`docs/evidence/feedback.md`.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tomllib
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import torch
from autograder.author.parallel import processors
from autograder.grading.sandbox import bubblewrap
from autograder.records.bank import AS_SEEN
from autograder.records.course import Course

from benchmarks import feedback_table
from benchmarks.blind_answers import SETS, Answer, answers
from benchmarks.graders import GRADERS, Attempt, Feedback, Grader, load
from benchmarks.graders.torch_judge_adapter import SHARED
from benchmarks.held_out import ROOT, runs_of

PAGE = ROOT / "docs" / "evidence" / "feedback.md"
SECONDS = 60  # that a grader may take for an answer
LOST = Feedback(False, "the answer ended its process")
# What a worker needs of the course, beside the tool.
SEEN = ("bank", "benchmarks", "course.toml", "locale", "source", "tests", "visuals")


class TooLong(BaseException):
    """An answer was still running when its time was over."""


def attempted(answer: Answer, course: Course) -> Attempt:
    """Run an answer's cell where it belongs in its lesson."""
    lesson, runs = course.load(answer.lesson), runs_of(answer.lesson)
    task, cell = lesson.tasks[answer.task], f"<cell {answer.task}>"
    try:
        namespace = runs.moments[AS_SEEN][f"{task.id}-answer"].run(answer.code, cell)
        return Attempt(answer, lesson, runs, namespace[task.name])
    except TooLong:
        raise
    except BaseException as error:
        places = [
            frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == cell
        ]
        return Attempt(answer, lesson, runs, error=error, line=places[-1] if places else None)


def within(seconds: int, work: Callable[[], Feedback | None]) -> Feedback | None:
    """Return what a grader says; of what takes too long or ends the grader, that it does."""

    def end(*_: object) -> None:
        raise TooLong

    signal.signal(signal.SIGALRM, end)
    signal.alarm(seconds)
    try:
        return work()
    except TooLong:
        return Feedback(False, f"stopped after {seconds} seconds")
    except BaseException as error:
        return Feedback(False, f"{type(error).__name__}: {error}")
    finally:
        signal.alarm(0)


def in_fork(answer: Answer, course: Course, graders: Mapping[str, Grader]) -> dict[str, Any]:
    """Return what each grader says of an answer, which runs in a fork: no answer finds another's traces."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading)
        signal.alarm(SECONDS * (len(graders) + 1))  # ends the fork where an answer catches everything
        sys.stdout = sys.stderr = open(os.devnull, "w")  # noqa: SIM115
        replies: dict[str, Feedback | None] = {}
        for name, grade in graders.items():
            replies[name] = within(SECONDS, lambda grade=grade: grade(attempted(answer, course)))
        with open(writing, "w", encoding="utf-8") as pipe:
            json.dump({name: asdict(reply) for name, reply in replies.items() if reply is not None}, pipe)
        os._exit(0)
    os.close(writing)
    with open(reading, encoding="utf-8") as pipe:
        data = pipe.read()
    os.waitpid(child, 0)
    return json.loads(data) if data else dict.fromkeys(graders, asdict(LOST))


def work(lesson: str, sets: Iterable[str], names: Sequence[str], shared: bool) -> None:
    """Print, as lines of JSON, what graders say of the answers to a lesson's tasks."""
    torch.set_num_threads(1)
    course, graders, out = Course.read(ROOT), {name: load(name) for name in names}, os.dup(1)
    os.dup2(2, 1)
    tasks = course.load(lesson).tasks.keys() & (SHARED.keys() if shared else course.load(lesson).tasks)
    runs_of(lesson)
    with open(out, "w", encoding="utf-8") as lines:
        for answer in (item for which in sets for item in answers(which, (lesson,)) if item.task in tasks):
            replies = in_fork(answer, course, graders)
            print(json.dumps([answer.id, replies]), file=lines)
            lines.flush()


def command(sandboxed: bool, arguments: Sequence[str]) -> list[str]:
    """Return the command of a worker: in the tool's sandbox, or with your own rights."""
    call = ["-m", "benchmarks.feedback", *arguments]
    if not sandboxed:
        return [sys.executable, *call]
    walls = bubblewrap.command(bubblewrap.Inside({name: ROOT / name for name in SEEN}))
    return [*walls[: walls.index("--")], "--chdir", bubblewrap.INSIDE, "--", bubblewrap.PYTHON, *call]


def judged(
    lesson: str, sets: Sequence[str], names: Sequence[str], sandboxed: bool, shared: bool
) -> Mapping[str, Any]:
    """Return what graders say of a lesson's answers, by the answer's id."""
    graders = (f"--grader={name}" for name in names)
    order = command(sandboxed, ["--worker", lesson, *sets, *graders, *([] if shared else ["--all"])])
    done = subprocess.run(order, cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{lesson}: {done.stderr[-2000:]}")
    return dict(map(json.loads, done.stdout.splitlines()))


def texts_of(path: Path) -> Mapping[str, Feedback]:
    """Return what another grader said, as somebody wrote it into a file, by the answer's id."""
    entries = tomllib.loads(path.read_text(encoding="utf-8"))["text"]
    return {entry.pop("answer"): Feedback(**entry) for entry in entries}


def measured(
    sets: Sequence[str], names: Sequence[str], texts: Iterable[Path], sandboxed: bool, shared: bool
) -> Iterator[tuple[Answer, dict[str, Feedback]]]:
    """Yield the answers with what each grader says of them."""
    every = [answer for which in sets for answer in answers(which) if not shared or answer.task in SHARED]
    lessons = sorted({answer.lesson for answer in every}, reverse=True)  # the later ones take longer
    with ThreadPoolExecutor(processors()) as pool:
        of_lesson = partial(judged, sets=sets, names=names, sandboxed=sandboxed, shared=shared)
        replies = {key: value for part in pool.map(of_lesson, lessons) for key, value in part.items()}
    pasted = {path.stem: texts_of(path) for path in texts}
    for answer in every:
        if answer.id in replies:  # else the course no longer has the task
            own = {name: Feedback(**reply) for name, reply in replies[answer.id].items()}
            yield answer, own | {name: some[answer.id] for name, some in pasted.items() if answer.id in some}


def written_out(judgements: Iterable[tuple[Answer, Mapping[str, Feedback]]]) -> str:
    """Return each answer with its truth and what is said of it, for a person to read."""
    parts = []
    for answer, replies in judgements:
        parts.append(
            f"#{answer.id} / {answer.task} [{answer.kind}]\n{answer.code.strip()}\n--- truth: {answer.truth}"
        )
        parts += [
            f"--- {GRADERS.get(name, name)}: passes {reply.passed}\n{reply.text}"
            for name, reply in replies.items()
        ]
        parts.append("=" * 80)
    return "\n".join(parts)


def main() -> None:
    """Measure, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sets", nargs="*")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--grader", action="append", choices=list(GRADERS))
    parser.add_argument("--texts", action="append", type=Path, default=[])
    parser.add_argument("--read", type=Path)
    parser.add_argument("--no-sandbox", action="store_true")
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    sets, graders = chosen.sets or list(SETS), chosen.grader or list(GRADERS)
    if chosen.worker:
        work(chosen.worker, sets, graders, not chosen.all)
        return
    if not chosen.no_sandbox and (reason := bubblewrap.why_not()):
        raise SystemExit(f"There is no sandbox: {reason}. With --no-sandbox answers have your own rights.")
    judgements = list(measured(sets, graders, chosen.texts, not chosen.no_sandbox, not chosen.all))
    if chosen.read:
        chosen.read.write_text(written_out(judgements), encoding="utf-8")
    page = feedback_table.page(judgements)
    if not (chosen.sets or chosen.all or chosen.grader or chosen.texts):
        PAGE.write_text(page, encoding="utf-8")
    print(page)


if __name__ == "__main__":
    main()
