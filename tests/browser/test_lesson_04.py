"""Lesson 04 in JupyterLab, worked by keyboard as a learner would."""

LESSON = "04-dropout"
SWAPPED = """def batched_scores(queries, keys):
    return keys @ queries.transpose(1, 2)"""
RIGHT = """def batched_scores(queries, keys):
    return queries @ keys.transpose(1, 2)"""


def test_the_released_notebook_runs_to_its_end_without_an_error_before_any_task_is_done(executed_lesson):
    lesson = executed_lesson(LESSON)
    assert lesson.page.locator("[data-mime-type='application/vnd.jupyter.stderr']").count() == 0
    progress = lesson.cell('progress("04-dropout")')
    progress.get_by_text("0 of 7 tasks").wait_for(timeout=20_000)
    assert lesson.errors == []


def test_a_swap_of_queries_and_keys_is_named_and_the_right_order_passes(executed_lesson):
    lesson = executed_lesson(LESSON)
    check = lesson.cell('check("batched-scores")')
    lesson.answer("def batched_scores(queries, keys):", SWAPPED)
    lesson.run(check)
    check.get_by_text("Queries and keys have changed places").wait_for(timeout=20_000)
    lesson.picture("lesson-04-queries-and-keys-swapped", of=check)
    lesson.answer("def batched_scores(queries, keys):", RIGHT)
    lesson.run(check)
    check.get_by_text("✓ Scores for a batch").wait_for(timeout=20_000)
    assert "2 of 2 points" in check.inner_text()
    assert lesson.errors == []


def test_a_bug_as_given_is_told_apart_from_a_stub(executed_lesson):
    lesson = executed_lesson(LESSON)
    check = lesson.cell('check("bug-mask-device")')
    check.get_by_text("This is the code as it was given").wait_for(timeout=20_000)
    lesson.picture("lesson-04-a-bug-as-given", of=check)


def test_the_explorer_follows_the_keyboard_and_says_in_words_what_it_shows(executed_lesson):
    lesson = executed_lesson(LESSON)
    explorer = lesson.explorer("explore_dropout(attn_weights, tokens)")
    explorer.get_by_text("Average of 1 draw:").first.wait_for(timeout=30_000)
    explorer.get_by_role("button", name="Draw again").focus()
    lesson.page.keyboard.press("Space")
    explorer.get_by_text("Average of 2 draws:").first.wait_for(timeout=10_000)
    explorer.get_by_label("Draws at once").focus()
    for _ in range(3):
        lesson.page.keyboard.press("ArrowDown")
    explorer.get_by_role("button", name="Draw again").focus()
    lesson.page.keyboard.press("Space")
    explorer.get_by_text("Average of 1002 draws:").first.wait_for(timeout=10_000)
    lesson.picture("lesson-04-the-explorer", of=explorer)
    explorer.get_by_label("p (0 to 0.9)").focus()
    lesson.page.keyboard.press("ArrowUp")
    lesson.page.keyboard.press("Enter")
    explorer.get_by_text("p 0.6: the last draw").first.wait_for(timeout=10_000)
    assert lesson.errors == []
