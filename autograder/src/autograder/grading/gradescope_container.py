"""The grading of one submission in the container that Gradescope starts for it, where no sandbox is possible.

The submission's code runs as a user who cannot read the lesson's answers. `autograder gradescope` packs the
container's files; inside, the program is called as `python -m autograder.grading.gradescope_container LESSON
VISIBILITY [--scale]`.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from autograder.grading.class_folder import Class
from autograder.grading.grade_submission import grade_read
from autograder.grading.grading_banks import HiddenTestSampler
from autograder.grading.job_scheduling import GradeJob
from autograder.grading.notebook_runners import OtherUserRunner
from autograder.grading.read_submission import read_text, refused, unreadable
from autograder.grading.releases import ids_among
from autograder.grading.sandbox.execute_notebook import RunIncomplete
from autograder.grading.unscaled_scores import factor
from autograder.records import bank
from autograder.records.answer_findings import Verdict
from autograder.records.authoring_errors import UserError
from autograder.records.bank import LessonBank
from autograder.words.feedback_card import Feedback
from autograder.words.forbidden_wording import asked_instead
from autograder.words.language import SPOKEN, _, ngettext, speaking, translated

PLACE = Path("/autograder")
SOURCE, SUBMISSION, RESULTS = "source", "submission", "results"
POINTS = ("score", "max_score")
COURSE = "course"  # the folder of the course in what is packed


def main(lesson: str, visibility: str, scale: str = "", *, root: Path = PLACE) -> None:
    """Grade the container's submission, and write `results.json`.

    Args:
        lesson: the lesson's name.
        visibility: when students see the results, in Gradescope's words.
        scale: "--scale" to scale the score to Gradescope's maximum.
        root: the folder in which Gradescope puts its files.

    Raises:
        OtherMaximum: Gradescope has another maximum than the lesson; there are no results then.
    """
    most = _most(root / "submission_metadata.json")
    for name in (SOURCE, SUBMISSION, RESULTS):
        (root / name).chmod(0o700)
    for told_of in root.glob("*.json"):  # what Gradescope says of earlier ones
        told_of.chmod(0o600)
    course = Class(root / SOURCE / COURSE)
    report = graded(course, lesson, root / SUBMISSION, visibility, most, bool(scale))
    (root / RESULTS / "results.json").write_text(json.dumps(report, ensure_ascii=False), encoding="utf-8")


def _most(about: Path) -> float | None:
    """Return what can be earned for the assignment, as Gradescope says beside each submission."""
    try:
        return float(json.loads(about.read_bytes())["assignment"]["total_points"])
    except (OSError, ValueError, LookupError, TypeError):
        return None


def graded(
    course: Class, lesson: str, folder: Path, visibility: str, most: float | None = None, scale: bool = False
) -> dict[str, Any]:
    """Grade the notebook in a folder, and return the results in Gradescope's format.

    Args:
        course: the class.
        lesson: the lesson's name.
        folder: the folder with the submission's files.
        visibility: when students see the results, in Gradescope's words.
        most: Gradescope's maximum for the lesson; None if it is not known.
        scale: whether to scale the score to that maximum.

    Raises:
        OtherMaximum: `most` differs from the lesson's maximum, and `scale` is not set.
    """
    release = course.current(lesson)
    path = handed_in(folder, release.tasks)
    text = path.read_bytes() if path else b""
    submission = read_text(text) if path else unreadable(f"there is no {lesson}.ipynb in what was handed in")
    drawn = HiddenTestSampler(course.banks).of(lesson, text)
    job = GradeJob(lesson, "", release.text, text, course.banks, sandboxed=False, drawn=drawn)
    job = replace(job, solution=release.solution, translations=course.translated_releases(lesson))
    runner = OtherUserRunner(course.banks.only([lesson]))
    try:
        done, results = grade_read(job, submission, runner)
    finally:
        runner.close()
    of_code = sum(result.possible for result in results if result.points is not None)
    # Gradescope counts what people give with it, or leaves that out where nobody is to read anything there.
    times = (
        1.0 if most == of_code else factor(lesson, sum(result.possible for result in results), most, scale)
    )
    language = done.notebook.metadata.get(SPOKEN, "")
    with speaking(course.banks.course.bank, language):
        lesson_bank = course.banks.lesson(lesson, drawn)
        spoken_bank = bank.with_texts(lesson_bank, translated) if language else lesson_bank
        tests = [
            entry for name, verdict in done.verdicts.items() for entry in _tests(spoken_bank, name, verdict)
        ]
        written = sum(result.points is None for result in results)
        notes = [_(note) for note in done.notes]
        if written:
            read = ngettext(
                "A person reads {number} written answer.",
                "A person reads {number} written answers.",
                written,
            )
            notes.append(read)
    return {
        "score": round(times * sum(verdict.earned for verdict in done.verdicts.values()), 4),
        "output": "\n\n".join(notes),
        "output_format": "text",
        "stdout_visibility": "hidden",
        "visibility": visibility,
        "tests": [
            {**test, **{key: round(times * test[key], 4) for key in POINTS}, "visibility": visibility}
            for test in tests
        ],
    }


def handed_in(folder: Path, tasks: frozenset[str]) -> Path | None:
    """Return the notebook in a folder that has the most of a lesson's tasks; among equals, the highest up."""
    notebooks = [path for path in sorted(folder.rglob("*.ipynb")) if not refused(path, folder)]
    notebooks.sort(key=lambda path: len(path.parts))
    return max(notebooks, key=lambda path: len(ids_among(path.read_bytes(), tasks)), default=None)


def _tests(lesson: LessonBank, name: str, verdict: Verdict) -> Iterator[dict[str, Any]]:
    """Yield a test for each check of a task. All that is said of the task stands at the first that fails."""
    task = lesson.tasks[name]
    says = repr(Feedback(task, verdict))
    failed = [index for index, result in enumerate(verdict.results) if result.finding is not None]
    for index, result in enumerate(verdict.results):
        yield {
            "name": f"{task.title}: {result.title}",
            "score": result.earned,
            "max_score": result.points,
            "status": "failed" if index in failed else "passed",
            "output": says if index == (failed or [0])[0] else "",
        }
    if verdict.forbidden:
        lost = sum(result.earned for result in verdict.results) - verdict.earned
        title = f"{task.title}: {asked_instead(verdict.forbidden, task)}"
        yield {
            "name": title,
            "score": -lost,
            "max_score": 0,
            "status": "failed",
            "output": "" if failed else says,
        }


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except (UserError, RunIncomplete) as why:  # Gradescope shows it to instructors
        sys.exit(str(why))
