"""Lesson 01 in JupyterLab, worked by keyboard as a learner would."""

LESSON = "01-dot-product"
RIGHT = """def dot(a, b):
    total = 0.0
    for i in range(len(a)):
        total = total + a[i] * b[i]
    return total"""


def test_the_released_notebook_runs_to_its_end_without_an_error_before_any_task_is_done(executed_lesson):
    lesson = executed_lesson(LESSON)
    assert lesson.page.locator("[data-mime-type='application/vnd.jupyter.stderr']").count() == 0
    progress = lesson.cell('progress("01-dot-product")')
    progress.get_by_text("0 of 10 tasks").wait_for(timeout=20_000)
    assert lesson.errors == []


def test_a_check_waits_for_the_stub_and_passes_after_the_right_code_is_typed(open_lesson):
    lesson = open_lesson(LESSON)
    lesson.run(lesson.cell("from autograder import check"))
    lesson.run(lesson.cell("inputs = torch.tensor("))
    check = lesson.cell('check("dot-product")')
    lesson.run(lesson.cell("def dot(a, b):"))
    lesson.run(check)
    check.get_by_text("is still waiting for you").wait_for(timeout=20_000)
    lesson.type_into(lesson.cell("def dot(a, b):"), RIGHT)
    lesson.run(lesson.cell("def dot(a, b):"))
    lesson.run(check)
    check.get_by_text("✓ A dot product by hand").wait_for(timeout=20_000)
    assert "2 of 2 points" in check.inner_text()
    lesson.picture("a-check-that-passes", of=check)


def test_a_wrong_axis_is_named(executed_lesson):
    lesson = executed_lesson(LESSON)
    lesson.answer("attn_scores = ...", "attn_scores = inputs @ inputs.T")
    lesson.answer("attn_weights = ...", "attn_weights = torch.softmax(attn_scores, dim=0)")
    check = lesson.cell('check("all-weights")')
    lesson.run(check)
    check.get_by_text("each column adds up to 1").wait_for(timeout=20_000)
    lesson.picture("a-check-that-names-the-mistake", of=check)
    assert lesson.errors == []


def test_a_wrong_value_is_drawn_beside_the_right_one_in_light_and_dark(executed_lesson):
    lesson = executed_lesson(LESSON)
    lesson.answer("attn_scores = ...", "attn_scores = inputs @ inputs.T + torch.eye(6)")
    check = lesson.cell('check("all-scores")')
    lesson.run(check)
    drawn = check.locator("svg[role=img]")
    drawn.wait_for(timeout=20_000)
    assert "First difference at index [0, 0]" in drawn.get_attribute("aria-label")
    lesson.picture("a-check-that-draws-the-difference", of=check)
    lesson.use_dark_theme()
    lesson.picture("a-check-that-draws-the-difference-dark", of=check)
    heading = check.get_by_text("All scores, as one matrix product")
    assert (
        lesson.brightness(heading, "color") > lesson.brightness(check.locator(".ag"), "backgroundColor") + 100
    )
    assert lesson.errors == []


def test_the_explorer_follows_the_keyboard_and_says_in_words_what_it_shows(executed_lesson):
    lesson = executed_lesson(LESSON)
    explorer = lesson.explorer("explore_query(inputs, tokens)")
    explorer.get_by_text("largest weight 0.2379 on 'journey'").first.wait_for(timeout=30_000)
    chooser = explorer.get_by_label("Query token")
    chooser.focus()
    lesson.page.keyboard.press("ArrowDown")
    explorer.get_by_text("query 'starts'").first.wait_for(timeout=10_000)
    explorer.get_by_label("Sharpness (0 to 20)").focus()
    lesson.page.keyboard.press("ArrowUp")
    lesson.page.keyboard.press("Enter")
    explorer.get_by_text("query 'starts', sharpness 1.5").first.wait_for(timeout=10_000)
    lesson.picture("the-explorer", of=explorer)
    assert lesson.errors == []


def test_a_sentence_of_ones_own_moves_the_arrow(executed_lesson):
    lesson = executed_lesson(LESSON)
    explorer = lesson.explorer("explore_meaning()")
    explorer.get_by_text("largest weights bank 0.65, boat 0.26").first.wait_for(timeout=30_000)
    sentence = explorer.get_by_label("Your sentence")
    sentence.fill("the dog sat by the bank")
    lesson.page.keyboard.press("Enter")
    explorer.get_by_text("'dog' is not known.").first.wait_for(timeout=10_000)
    sentence.fill("the bank needed cash")
    lesson.page.keyboard.press("Enter")
    explorer.get_by_text("largest weights bank 0.72, cash 0.25").first.wait_for(timeout=10_000)
    lesson.picture("the-explorer-of-meaning", of=explorer)
    assert lesson.violations() == []
    lesson.use_dark_theme()
    lesson.picture("the-explorer-of-meaning-dark", of=explorer)
    assert lesson.violations() == []
    assert lesson.errors == []
