"""A prediction in JupyterLab: made by keyboard, kept, and shown beside what came."""

LESSON = "01-dot-product"


def test_a_prediction_is_chosen_by_keyboard_and_shown_beside_what_came(open_lesson):
    lesson = open_lesson(LESSON)
    asks, shows = (
        lesson.cell('"dot-product-swapped"'),
        lesson.cell('reveal("dot-product-swapped"'),
    )
    for cell in (
        "from autograder import check",
        "inputs = torch.tensor(",
        "torch.dot(input_query, input_1), ",
    ):
        lesson.run(lesson.cell(cell))
    lesson.run(asks)
    group = asks.get_by_role("radiogroup")
    group.wait_for(timeout=30_000)
    assert "in the other order" in group.get_attribute("aria-label")
    kept = asks.locator(".ag-kept[role=status]")  # there before its words are
    assert kept.inner_text().strip() == ""
    asks.get_by_role("radio", name="the same number twice").focus()
    lesson.page.keyboard.press("Space")
    kept.get_by_text("Kept: the same number twice").wait_for(timeout=10_000)
    lesson.page.keyboard.press("ArrowDown")
    kept.get_by_text("Kept: two different numbers").wait_for(timeout=10_000)
    lesson.picture("a-prediction", of=asks)
    assert lesson.violations() == []
    lesson.run(shows)
    shows.get_by_text("You predicted: two different numbers. What came: the same number twice").wait_for()
    end = lesson.cell(f'progress("{LESSON}")')
    lesson.run(end)
    end.get_by_text("Predictions: 1 made, 0 came true.").wait_for(timeout=20_000)
    lesson.use_dark_theme()
    lesson.picture("a-prediction-dark", of=asks)
    lesson.picture("a-prediction-beside-its-outcome-dark", of=shows)
    assert lesson.violations() == []
    assert lesson.errors == []
