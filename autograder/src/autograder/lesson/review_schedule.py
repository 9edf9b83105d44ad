"""The schedule of review questions: each is due a day after a wrong answer and a week after a right one.

The intervals stay equal. Spaced retrieval helps (Latimier et al. 2021, doi 10.1007/s10648-020-09572-8), and
the same study found no gain of growing intervals over equal ones.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from autograder.records.review_items import ReviewItem

AFTER_WRONG, AFTER_RIGHT = 1, 7  # days
MOST = 5  # questions in one review


@dataclass(frozen=True)
class ReviewRecord:
    """The days on which a question was answered, in order, and whether the last answer was right."""

    days: tuple[int, ...] = ()
    right: bool = False


NEVER = ReviewRecord()


def is_due(record: ReviewRecord, today: int) -> bool:
    """Tell whether a question is due: at most once a day, even if the clock was wrong in between."""
    if today in record.days:
        return False
    if not record.days or record.days[-1] > today:  # a day to come: the clock was wrong then
        return True
    return today - record.days[-1] >= (AFTER_RIGHT if record.right else AFTER_WRONG)


def due(
    items: Sequence[ReviewItem], records: Mapping[str, ReviewRecord], today: int, met: Collection[str] = ()
) -> tuple[ReviewItem, ...]:
    """Return the questions of today's review, at most five.

    Questions that were answered wrongly come first, then those about a mistake that the learner has made,
    then the rest. Within each group, the question that was asked longest ago comes first, and questions never
    asked come before all others, one of each lesson in turn.

    Args:
        items: the questions on lessons that the learner has worked on, in the order of the lessons.
        records: the record of each answered question, by its id.
        today: the day, as `date.toordinal` counts.
        met: the ids of the mistakes that the learner has made.
    """
    turns: dict[str, int] = {}
    ranked = []
    for item in items:
        turn = turns[item.lesson] = turns.get(item.lesson, 0) + 1
        record = records.get(item.id, NEVER)
        if is_due(record, today):
            kind = 0 if record.days and not record.right else 1 if item.faults & set(met) else 2
            ranked.append(((kind, record.days[-1] if record.days else 0, turn), item))
    return tuple(item for _rank, item in sorted(ranked, key=lambda pair: pair[0])[:MOST])
