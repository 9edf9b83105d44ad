"""Keep the answers to a class's quiz, if their learner agreed to be counted, and read them for the report."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from autograder.classroom.collection import Request, folder_of
from autograder.classroom.platforms.protocol import HandedFile
from autograder.classroom.whose import owners_of
from autograder.grading.class_folder import Class
from autograder.grading.reader_processes import LimitReached
from autograder.records import serialization
from autograder.records.file_digests import write_whole
from autograder.records.quiz import OCCASIONS, QuizAnswers, file_of

FOLDER = "quiz"  # in that of the collection
# What is said of such a file does not tell who agreed.
OF_QUIZ = (
    "answers to the quiz, for `autograder report quiz` where their learner agrees",
    "a quiz, and whose it is does not show: not kept",
)
# Characters of an answer, questions of a quiz, and bytes of its file: what is larger is no quiz.
MOST_TEXT, MOST_QUESTIONS, MOST_BYTES = 500, 1_000, 200_000


def take_quiz(request: Request, entry: HandedFile) -> HandedFile:
    """Keep the quiz answers in a file, if it contains any, and return the file with its kind.

    Only a student's first answers are kept, and only with the student's consent.
    """
    if b'"occasion"' not in entry.content or len(entry.content) > MOST_BYTES:
        return entry
    try:
        answers = entry.share.within(decoded, entry.content)
    except LimitReached:
        return entry
    course = request.course
    if answers is None or answers.course != course.banks.course.name or answers.occasion not in OCCASIONS:
        return entry
    if not answers.agreed:
        return replace(entry, what=OF_QUIZ[0])
    people = owners_of(request, Path(file_of(answers.occasion)).stem, entry)
    if len(people) != 1 or len(people[0]) != 1:
        return replace(entry, what=OF_QUIZ[1])
    path = folder_of(course) / FOLDER / people[0].pop() / file_of(answers.occasion)
    if not path.exists() and not request.dry:
        plain, _tensors = serialization.encode(answers)
        write_whole(path, json.dumps(plain, ensure_ascii=False, indent=1).encode())
    return replace(entry, what=OF_QUIZ[0])


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
