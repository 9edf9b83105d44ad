"""Lesson 07 in JupyterLab, worked by keyboard as a learner would."""

LESSON = "07-positions"
WRONG = """def rotate(pairs, angles):
    a, b = pairs[..., 0], pairs[..., 1]
    return torch.stack([a * angles.cos() + b * angles.sin(), b * angles.cos() - a * angles.sin()], dim=-1)"""
RIGHT = """def rotate(pairs, angles):
    a, b = pairs[..., 0], pairs[..., 1]
    return torch.stack([a * angles.cos() - b * angles.sin(), b * angles.cos() + a * angles.sin()], dim=-1)"""


def test_the_released_notebook_runs_to_its_end_without_an_error_before_any_task_is_done(executed_lesson):
    lesson = executed_lesson(LESSON)
    assert lesson.page.locator("[data-mime-type='application/vnd.jupyter.stderr']").count() == 0
    lesson.cell(f'progress("{LESSON}")').get_by_text("0 of 10 tasks").wait_for(timeout=20_000)
    lesson.picture("lesson-07-two-orders", of=lesson.cell("two_orders(attention(inputs)"))
    assert lesson.errors == []


def test_a_rotation_backwards_is_named_and_the_right_one_passes(executed_lesson):
    lesson = executed_lesson(LESSON)
    check = lesson.cell('check("rotate-pairs")')
    lesson.answer("def rotate(pairs, angles):", WRONG)
    lesson.run(check)
    check.get_by_text("The rotation goes the other way round").wait_for(timeout=20_000)
    lesson.picture("lesson-07-a-mistake-named", of=check)
    lesson.answer("def rotate(pairs, angles):", RIGHT)
    lesson.run(check)
    check.get_by_text("✓ Rotate pairs").wait_for(timeout=20_000)
    assert lesson.errors == []


def test_the_places_are_dragged_and_moved_by_the_arrow_keys(executed_lesson):
    lesson = executed_lesson(LESSON)
    explorer = lesson.explorer("explore_positions([1.2")
    explorer.get_by_text("query at position 5, key at position 2, distance 3").first.wait_for(timeout=30_000)
    handle = explorer.get_by_label("Position of the key")
    handle.focus()
    lesson.page.keyboard.press("ArrowRight")
    lesson.page.keyboard.press("ArrowUp")
    explorer.get_by_text("query at position 5, key at position 4, distance 1").first.wait_for(timeout=10_000)
    track = explorer.locator(".noUi-target").first.bounding_box()
    middle = track["y"] + track["height"] / 2
    lesson.page.mouse.move(track["x"] + track["width"] * 5 / 31, middle)
    lesson.page.mouse.down()
    lesson.page.mouse.move(track["x"] + track["width"], middle, steps=5)
    lesson.page.mouse.up()
    explorer.get_by_text("query at position 31, key at position 4, distance 27").first.wait_for(
        timeout=10_000
    )
    assert explorer.get_by_text("✓ the same").count() == 2
    lesson.picture("lesson-07-the-explorer", of=explorer)
    assert lesson.errors == []
