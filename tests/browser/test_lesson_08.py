"""Lesson 08 in JupyterLab, worked by keyboard as a learner would."""

LESSON = "08-fast-attention"


def test_the_released_notebook_runs_to_its_end_without_an_error_before_any_task_is_done(executed_lesson):
    lesson = executed_lesson(LESSON)
    assert lesson.page.locator("[data-mime-type='application/vnd.jupyter.stderr']").count() == 0
    lesson.cell('progress("08-fast-attention")').get_by_text("0 of 16 tasks").wait_for(timeout=30_000)
    symptom = lesson.cell("last_row = plain_attention")
    assert "the last row of plain attention: False" in symptom.inner_text()
    assert lesson.errors == []


def test_the_tiles_are_visited_by_keyboard_and_told_in_words(executed_lesson):
    lesson = executed_lesson(LESSON)
    explorer = lesson.explorer("explore_tiles(q[0, 0, :6, :2]")
    explorer.get_by_text("step 1 of 6: queries 'Your' to 'journey'").first.wait_for(timeout=30_000)
    step = explorer.get_by_label("Step")
    step.focus()
    lesson.page.keyboard.press("ArrowUp")
    explorer.get_by_text("step 2 of 6: queries 'starts' to 'with'").first.wait_for(timeout=10_000)
    lesson.picture("lesson-08-the-second-tile", of=explorer)
    mask = explorer.get_by_label("Mask")
    mask.focus()
    lesson.page.keyboard.press("ArrowUp")
    explorer.get_by_text("step 2 of 9").first.wait_for(timeout=10_000)
    lesson.use_dark_theme()
    lesson.picture("lesson-08-every-tile-dark", of=explorer)
    assert lesson.errors == []
