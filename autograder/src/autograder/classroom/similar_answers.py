"""Find answers that two students hardly reached independently: rare mistakes, or the same words.

Right answers to a small task are alike because there is one way to write them, and common mistakes are alike
because many students make them. Neither counts. Only text that few students share and that the course itself
does not contain counts, and written answers in the very same words, however many share them: they come last.
"""

from __future__ import annotations

import io
import keyword
import re
import tokenize
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import combinations
from math import log10

import nbformat
from rapidfuzz.distance import Indel
from rapidfuzz.process import cdist

from autograder.author.answer_edits import Solution, changed
from autograder.author.authoring import load_lesson
from autograder.author.parse_source import answers_in
from autograder.classroom.class_report import MOST_COMPARED
from autograder.grading.class_folder import Class
from autograder.grading.graded_results import TaskResult
from autograder.records.cell_roles import is_answer

LAYOUT = (
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
)
MOST_TOKENS = 2000
# What more than this many share is no sign of anything: so many in a small class, this part of a large one.
FEW, FEW_OF = 3, 0.03
SHORT = 3  # letters: a word that is no longer is shared by chance
RUN = 5  # so many words in a row that the course says are the course's


@dataclass(frozen=True)
class Comparison:
    """A kind of similarity: its name, and the share of both answers that must agree, from 0 to 1.

    At least `own_words` of the agreeing words or tokens must be the students' own: neither the course's nor a
    known answer's.
    """

    name: str
    alike: float
    own_words: int
    worth: float = 1.0  # the weight of one such word or sign


WRONG = Comparison("the same wrong answer", 0.9, 10)
COMMENTS = Comparison("the same comments", 0.9, 8)
WRITTEN = Comparison("the same written answer", 0.8, 12)
RENAMED = Comparison("the same wrong answer, in other names or another order", 0.97, 14, worth=0.5)
# Misspelt words and names that nobody else uses, anywhere in the lesson.
ODD = Comparison("words and names that few others use", 1.0, 3, worth=5.0)
# The same characters in every task that both answered, in so many. It comes before all else.
IDENTICAL = Comparison("the same text in every task", 1.0, 3, worth=1_000_000.0)
# The same mistakes in so many tasks, and hardly any other. Each may be common; all of them together are not.
PROFILE = Comparison("the same mistakes in the same tasks", 0.8, 4, worth=10.0)
# How much rarer than once among all pairs of a class, in powers of ten, if mistakes had nothing to do with
# one another.
RARER = 1.0


@dataclass(frozen=True)
class Agreement:
    """The common part of two students' answers to one task; `alike` is their similarity, from 0 to 1."""

    task: str
    kind: Comparison
    alike: float
    own_words: int
    texts: tuple[str, str]
    common: bool = False  # whether many in the class make the mistake, or wrote the text
    shared: tuple[str, ...] = ()  # the shared words, mistakes or unknown answers, if there are any

    @property
    def weight(self) -> float:
        """The weight of the agreement: the amount of the students' own text in it."""
        return self.own_words * self.alike * self.kind.worth


@dataclass(frozen=True)
class Pair:
    """Two students and all agreements between their answers, the weightiest first."""

    students: tuple[str, str]
    agreements: tuple[Agreement, ...]

    @property
    def weight(self) -> float:
        """The sum of the agreements' weights, without what many students have in common."""
        return sum(agreement.weight for agreement in self.agreements if not agreement.common)


def similar(
    results: Iterable[TaskResult], course_answers: Mapping[str, Sequence[str]], prose: str = ""
) -> list[Pair]:
    """Return the pairs of students with unusually similar answers, the most similar first.

    Args:
        results: the graded answers of all students.
        course_answers: the course's own answers to each task: right ones, wrong ones and the stub.
        prose: the lesson's text.
    """
    by_task: dict[str, list[TaskResult]] = defaultdict(list)
    for result in results:
        if result.answered and result.answer.strip():
            by_task[result.task].append(result)
    quoted = _runs(words(prose))
    common = _common(by_task)
    agreements: dict[tuple[str, str], list[Agreement]] = defaultdict(list)
    for task, answers in by_task.items():
        course = course_answers.get(task, ())
        written = [answer for answer in answers if answer.points is None]
        code = [answer for answer in answers if answer.points is not None]
        course_words = _runs(word for text in course for word in words(comments(text))) | quoted
        course_text = _runs(word for text in course for word in words(text)) | quoted
        looks: list[tuple[Comparison, list[TaskResult], Callable[[str], list[str]], Sequence[str]]] = [
            (WRONG, [answer for answer in code if not answer.right], signs, course),
            (RENAMED, [answer for answer in code if not answer.right], in_any_order, course),
            (COMMENTS, code, _own_words(lambda text: words(comments(text)), course_words), ()),
            (WRITTEN, written, _own_words(words, course_text), ()),
        ]
        for kind, some, parts, theirs in looks:
            few = _few(answers)
            faults = {answer.student: answer.faults for answer in some}
            for pair, agreement in _agreements(task, kind, some, parts, theirs, few):
                kinds = {agreement.kind for agreement in agreements[pair] if agreement.task == task}
                if kind is RENAMED and WRONG in kinds:
                    continue
                usual = any((task, faults[student]) in common for student in pair)
                usual = agreement.common or (usual and kind is not COMMENTS)
                agreements[pair].append(replace(agreement, common=usual))
    for pair, agreement in (
        *_odd_words(by_task, course_answers, prose),
        *_identical(by_task, course_answers),
        *_same_profile(by_task),
    ):
        agreements[pair].append(agreement)
    pairs = [
        Pair(students, tuple(sorted(several, key=lambda agreement: (agreement.common, -agreement.weight))))
        for students, several in agreements.items()
    ]
    return sorted(pairs, key=lambda pair: (-pair.weight, pair.students))


def _few(answers: Sequence[TaskResult]) -> int:
    return max(FEW, int(FEW_OF * len(answers)))


def _common(by_task: Mapping[str, Sequence[TaskResult]]) -> set[tuple[str, tuple[str, ...]]]:
    """Return the mistakes with a name that more than a few make, by task."""
    counts = Counter(
        (task, answer.faults) for task, answers in by_task.items() for answer in answers if answer.faults
    )
    return {which for which, number in counts.items() if number > _few(by_task[which[0]])}


def _odd_words(
    by_task: Mapping[str, Sequence[TaskResult]], course_answers: Mapping[str, Sequence[str]], prose: str
) -> Iterator[tuple[tuple[str, str], Agreement]]:
    """Yield the pairs that share words which the course does not say and hardly anybody else uses."""
    says = set(words(prose)).union(*(words(text) for texts in course_answers.values() for text in texts))
    users: dict[str, dict[str, TaskResult]] = defaultdict(dict)
    for answers in by_task.values():
        for answer in answers:
            for word in set(words(answer.answer[:MOST_COMPARED])) - says:
                if len(word) > SHORT and not word.isdigit():
                    users[word].setdefault(answer.student, answer)
    shared: dict[tuple[str, str], list[str]] = defaultdict(list)
    # In a small class, what two share says nothing of a word.
    everybody = {answer.student for answers in by_task.values() for answer in answers}
    few = min(FEW, int(FEW_OF * len(everybody)))
    for word, answered in users.items():
        if len(answered) <= few:
            for first, second in combinations(sorted(answered), 2):
                shared[first, second].append(word)
    for (first, second), some in shared.items():
        if len(some) >= ODD.own_words:
            where = Counter(users[word][first].task for word in some).most_common(1)[0][0]
            texts = [
                next(users[word][student].answer for word in some if users[word][first].task == where)
                for student in (first, second)
            ]
            agreement = Agreement(
                where, ODD, 1.0, len(some), (texts[0], texts[1]), shared=tuple(sorted(some))
            )
            yield (first, second), agreement


def _identical(
    by_task: Mapping[str, Sequence[TaskResult]], course_answers: Mapping[str, Sequence[str]]
) -> Iterator[tuple[tuple[str, str], Agreement]]:
    """Yield the pairs whose answers are the same to the letter in every task, and not all of them known.

    Where few of them are unknown, at least one has to be rare outside of those who share all.
    """
    users = Counter((task, answer.answer.strip()) for task, answers in by_task.items() for answer in answers)
    whole: dict[str, dict[str, str]] = defaultdict(dict)
    for task, answers in by_task.items():
        for answer in answers:
            whole[answer.student][task] = answer.answer.strip()
    same: dict[tuple[tuple[str, str], ...], list[str]] = defaultdict(list)
    for student, texts in whole.items():
        same[tuple(sorted(texts.items()))].append(student)
    for texts_of_all, students in same.items():
        suspects = [
            (task, text)
            for task, text in texts_of_all
            if text not in {other.strip() for other in course_answers.get(task, ())}
        ]
        rare = any(users[each] <= max(len(students), _few(by_task[each[0]])) for each in suspects)
        if len(texts_of_all) >= IDENTICAL.own_words and (rare or len(suspects) >= IDENTICAL.own_words):
            task, text = max(suspects, key=lambda each: len(each[1]))
            names = tuple(name for name, _ in suspects)
            agreement = Agreement(task, IDENTICAL, 1.0, len(suspects), (text, text), shared=names)
            yield from ((pair, agreement) for pair in combinations(sorted(students), 2))


def _same_profile(
    by_task: Mapping[str, Sequence[TaskResult]],
) -> Iterator[tuple[tuple[str, str], Agreement]]:
    """Yield the pairs that make the same named mistakes, which together hardly anybody makes by chance."""
    mistakes: dict[str, dict[str, TaskResult]] = defaultdict(dict)
    for task, answers in by_task.items():
        for answer in answers:
            if not answer.right and answer.points is not None:
                mistakes[answer.student][task] = answer
    by_mistakes = {task: Counter(answer.faults for answer in answers) for task, answers in by_task.items()}
    everybody = len({answer.student for answers in by_task.values() for answer in answers})
    limit = log10(max(1, everybody * (everybody - 1) / 2)) + RARER
    several = sorted(student for student, tasks in mistakes.items() if len(tasks) >= PROFILE.own_words)
    for pair in combinations(several, 2):
        first, second = (mistakes[student] for student in pair)
        shared = [
            task
            for task in first
            if task in second and first[task].faults and first[task].faults == second[task].faults
        ]
        alike = len(shared) / len(first.keys() | second.keys())
        # Of those who answered a task, the share that makes the mistake, without one of the two.
        surprise = -sum(
            log10(max(by_mistakes[task][first[task].faults] - 1, 1) / max(len(by_task[task]) - 1, 1))
            for task in shared
        )
        if len(shared) >= PROFILE.own_words and alike >= PROFILE.alike and surprise >= limit:
            names = tuple(f"{task}: {', '.join(first[task].faults)}" for task in shared)
            task = max(shared, key=lambda name: len(first[name].answer))
            texts = first[task].answer, second[task].answer
            yield pair, Agreement(task, PROFILE, alike, len(shared), texts, shared=names)


def course_says(course: Class, lesson: str) -> tuple[dict[str, list[str]], str]:
    """Return the course's own text: its answers to each task, and the lesson's text in all languages.

    Without the lesson's source, the answers are only those that students were given.
    """
    release = nbformat.read(course.release(lesson), as_version=4)
    course_answers: dict[str, list[str]] = {}
    for cell in release.cells:
        if is_answer(cell):
            course_answers[cell["id"].removesuffix("-answer")] = [cell.source]
    solutions = course.solution(lesson)
    folder = course.banks.course.source / lesson
    for name, text in (*solutions.items(), *answers_in(folder, lesson, "markdown").items()):
        published = Solution.from_cell(text, "", "", False).text  # as whoever copies it finds it
        course_answers.setdefault(name.removesuffix("-answer"), []).append(published)
    if (folder / "tasks.py").is_file() and solutions:
        for task in load_lesson(folder).tasks:
            given = solutions[f"{task.id}-answer"]
            solution = Solution.from_cell(given, task.name, task.signature, task.kind == "tensor")
            edits = [answer.changes for answer in task.wrong] + [answer.changes for answer in task.right]
            course_answers[task.id] += [changed(solution, edit) for edit in edits]
    # What a learner of another language was given, and the solution that is published there.
    translated = list(course.translated_releases(lesson).values())
    for language in course.banks.course.languages[1:]:
        path = course.banks.course.root / "solutions" / language / lesson / f"{lesson}.ipynb"
        if path.is_file():
            translated.append(path.read_text(encoding="utf-8"))
    notebooks = (release, *(nbformat.reads(text, as_version=4) for text in translated))
    return course_answers, "\n".join(cell.source for notebook in notebooks for cell in notebook.cells)


def _agreements(
    task: str,
    kind: Comparison,
    answers: Sequence[TaskResult],
    parts: Callable[[str], list[str]],
    course: Sequence[str],
    few: int,
) -> Iterable[tuple[tuple[str, str], Agreement]]:
    rows = [(answer, parts(answer.answer)[:MOST_TOKENS]) for answer in answers]
    rows = [(answer, code) for answer, code in rows if len(code) >= kind.own_words]
    if len(rows) < 2:
        return
    codes = [code for _, code in rows]
    lengths = [len(code) for code in codes]
    if course:
        # Other names for the same are nothing of one's own: there are few to choose from.
        theirs = [_unnamed(signs(text))[:MOST_TOKENS] for text in course]
        unnamed = [_unnamed(signs(answer.answer))[:MOST_TOKENS] for answer, _ in rows]
        lengths = [int(min(row)) for row in cdist(unnamed, theirs, scorer=Indel.distance)]
    alike = cdist(codes, codes, scorer=Indel.normalized_similarity)
    group = (alike >= kind.alike).sum(axis=1)
    for first, second in combinations(range(len(rows)), 2):
        common = min(lengths[first], lengths[second])
        rare = max(group[first], group[second]) <= few
        # So many words, the same in the same order, are no coincidence.
        same = kind is WRITTEN and codes[first] == codes[second]
        if alike[first, second] >= kind.alike and common >= kind.own_words and (rare or same):
            (first_answer, _), (second_answer, _) = rows[first], rows[second]
            pair = (first_answer.student, second_answer.student)
            texts = (first_answer.answer, second_answer.answer)
            yield pair, Agreement(task, kind, float(alike[first, second]), common, texts, common=not rare)


def signs(code: str) -> list[str]:
    """Return the tokens of a piece of code, without comments and layout."""
    return [token.string for token in _tokens(code) if token.type not in LAYOUT]


def in_any_order(code: str) -> list[str]:
    """Return the tokens of a piece of code with all names replaced by one, and its lines sorted."""
    lines: dict[int, list[str]] = defaultdict(list)
    for token in _tokens(code):
        if token.type not in LAYOUT:
            lines[token.start[0]].append(token.string)
    return [sign for line in sorted(_unnamed(line) for line in lines.values()) for sign in line]


def _unnamed(code: list[str]) -> list[str]:
    """Signs with one name in the place of all but Python's own words and what stands behind a dot."""
    before = ["", *code]
    return [
        "name" if sign.isidentifier() and not keyword.iskeyword(sign) and last != "." else sign
        for last, sign in zip(before, code, strict=False)
    ]


def comments(code: str) -> str:
    """Return the comments in a piece of code."""
    return " ".join(token.string.lstrip("# ") for token in _tokens(code) if token.type == tokenize.COMMENT)


def _tokens(code: str) -> list[tokenize.TokenInfo]:
    tokens: list[tokenize.TokenInfo] = []
    with suppress(tokenize.TokenError, SyntaxError, ValueError, RecursionError):
        tokens.extend(tokenize.generate_tokens(io.StringIO(code[:MOST_COMPARED]).readline))
    return tokens


def words(text: str) -> list[str]:
    """Return the words of a text, in lower case."""
    return re.findall(r"\w+", text.lower())


def _runs(text: Iterable[str]) -> set[tuple[str, ...]]:
    all_words = list(text)
    return {tuple(all_words[at : at + RUN]) for at in range(len(all_words) - RUN + 1)}


def _own_words(
    parts: Callable[[str], list[str]], course_runs: set[tuple[str, ...]]
) -> Callable[[str], list[str]]:
    """Return a function that gives the parts of a text without quotations of the course's."""
    return lambda text: _without(parts(text), course_runs)


def _without(text: list[str], quoted: set[tuple[str, ...]]) -> list[str]:
    """Return the words that are no quotation of the course's."""
    taken = {
        index
        for at in range(len(text) - RUN + 1)
        if tuple(text[at : at + RUN]) in quoted
        for index in range(at, at + RUN)
    }
    return [word for index, word in enumerate(text) if index not in taken]
