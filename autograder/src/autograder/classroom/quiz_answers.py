"""Keep the answers to a class's quiz, if their learner agreed to be counted, and read them for the report."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from autograder.classroom.collection import Request, folder_of
from autograder.classroom.platforms.protocol import HandedFile
from autograder.classroom.whose import owners_of
from autograder.grading.class_folder import Class
from autograder.grading.reader_processes import LimitReached
from autograder.records import serialization
from autograder.records.file_digests import write_whole
from autograder.records.quiz import FEWEST_PEOPLE, OCCASIONS, QuizAnswers, file_of
from autograder.words.language import ngettext

FOLDER = "quiz"  # in that of the collection
# What is said of such a file does not tell who agreed.
TAKEN = "answers to the quiz, for `autograder report quiz` where their learner agrees"
NOBODYS = "a quiz, and whose it is does not show: not kept"
DAMAGED = "a quiz by its name, but damaged, or not as this course's quiz writes it: not counted"
OF_QUIZ = (TAKEN, NOBODYS, DAMAGED)
# Characters of an answer, questions of a quiz, and bytes of its file: what is larger is no quiz.
MOST_TEXT, MOST_QUESTIONS, MOST_BYTES = 500, 1_000, 200_000


def take_quizzes(request: Request, entries: Iterable[HandedFile]) -> tuple[list[HandedFile], list[str]]:
    """Keep the quiz answers among some files; return the files with their kind, and notes on the quizzes.

    The note says how many do not count, but only where the number does not tell whose they are.
    """
    files, counted = [], []
    for entry in entries:
        answers = _answers_in(request, entry)
        files.append(_kept(request, entry, answers))
        if answers:
            counted.append(answers.agreed)
    declined = counted.count(False)
    if len(counted) < FEWEST_PEOPLE or declined in (0, len(counted)):
        return files, []
    note = ngettext(
        "{number} of the {all} quizzes is not counted, since its learner does not agree.",
        "{number} of the {all} quizzes are not counted, since their learners do not agree.",
        declined,
        all=len(counted),
    )
    return files, [note]


def _answers_in(request: Request, entry: HandedFile) -> QuizAnswers | None:
    """Return the answers to the course's quiz in a file; None if it contains none that can be read."""
    if b'"occasion"' not in entry.content or len(entry.content) > MOST_BYTES:
        return None
    try:
        answers = entry.share.within(decoded, entry.content)
    except LimitReached:
        return None
    ours = answers and answers.course == request.course.banks.course.name and answers.occasion in OCCASIONS
    return answers if ours else None


def _kept(request: Request, entry: HandedFile, answers: QuizAnswers | None) -> HandedFile:
    """Keep the quiz answers in a file, and return the file with its kind.

    Only a student's first answers are kept, and only with the student's consent.
    """
    if answers is None:
        by_name = is_of_quiz(entry.file or entry.path) and not entry.what
        return replace(entry, what=DAMAGED) if by_name else entry
    if not answers.agreed:
        return replace(entry, what=TAKEN)
    people = owners_of(request, Path(file_of(answers.occasion)).stem, entry)
    if len(people) != 1 or len(people[0]) != 1:
        return replace(entry, what=NOBODYS)
    path = folder_of(request.course) / FOLDER / people[0].pop() / file_of(answers.occasion)
    if not path.exists() and not request.dry:
        plain, _tensors = serialization.encode(answers)
        write_whole(path, json.dumps(plain, ensure_ascii=False, indent=1).encode())
    return replace(entry, what=TAKEN)


def is_of_quiz(file_name: str) -> bool:
    """Tell whether a file has the name of quiz answers, or of a copy that a platform or browser made."""
    return any(Path(file_of(occasion)).stem in file_name.lower() for occasion in OCCASIONS)


def decoded(content: bytes) -> QuizAnswers | None:
    """Return the quiz answers in a file's content; None if it contains none."""
    try:
        return serialization.decode(QuizAnswers, json.loads(content), {}, MOST_TEXT, MOST_QUESTIONS)
    except (ValueError, TypeError, AttributeError, RecursionError):
        return None


def read_answers(course: Class, occasion: str) -> Mapping[str, Mapping[str, str]]:
    """Return the answers that were kept, by student and question.

    Args:
        course: the class.
        occasion: "before" or "after" the course.
    """
    paths = (folder_of(course) / FOLDER).glob(f"*/{file_of(occasion)}")
    answers = {path.parent.name: decoded(path.read_bytes()) for path in sorted(paths)}
    return {student: kept.choices for student, kept in answers.items() if kept and kept.agreed}
