"""A sample of random classes: nobody's work goes to somebody else, and no file goes unmentioned."""

from __future__ import annotations

from benchmarks.random_archives import OPERATIONS, run

CLASSES = range(5_000, 5_060)


def test_the_work_of_random_classes_reaches_the_right_person():
    results = run(CLASSES)
    assert [line for result in results for line in result.wrong] == []
    assert [result.seed for result in results if result.unmentioned] == []
    placed, placeable = sum(item.placed for item in results), sum(item.placeable for item in results)
    assert placed >= 0.99 * placeable
    assert set(OPERATIONS) <= {name for result in results for name in result.used}
