"""Lesson 03 in JupyterLab, worked by keyboard as a learner would."""

LESSON = "03-causal"
WRONG = """def causal_mask(num_tokens):
    return torch.tril(torch.ones(num_tokens, num_tokens), diagonal=-1).bool()"""
RIGHT = """def causal_mask(num_tokens):
    return torch.triu(torch.ones(num_tokens, num_tokens), diagonal=1).bool()"""
HALF_CORRECTED = """def masked_weights(scores, d_k):
    hidden = torch.triu(scores, diagonal=1) != 0
    masked = scores.masked_fill(hidden, -torch.inf)
    return torch.softmax(masked / d_k**0.5, dim=-1)"""


def test_the_released_notebook_runs_to_its_end_without_an_error_before_any_task_is_done(executed_lesson):
    lesson = executed_lesson(LESSON)
    assert lesson.page.locator("[data-mime-type='application/vnd.jupyter.stderr']").count() == 0
    lesson.cell('progress("03-causal")').get_by_text("0 of 8 tasks").wait_for(timeout=20_000)
    assert lesson.errors == []


def test_a_mask_of_the_past_is_named_and_the_right_one_passes(executed_lesson):
    lesson = executed_lesson(LESSON)
    check = lesson.cell('check("causal-mask")')
    lesson.answer("def causal_mask(num_tokens):", WRONG)
    lesson.run(check)
    check.get_by_text("The past is hidden and the future is visible").wait_for(timeout=20_000)
    lesson.picture("lesson-03-a-mask-of-the-past", of=check)
    lesson.answer("def causal_mask(num_tokens):", RIGHT)
    lesson.run(check)
    check.get_by_text("✓ The causal mask").wait_for(timeout=20_000)
    assert "2 of 2 points" in check.inner_text()
    assert lesson.errors == []


def test_a_bug_that_is_half_corrected_keeps_half_of_the_points(executed_lesson):
    lesson = executed_lesson(LESSON)
    check = lesson.cell('check("bug-mask-from-values")')
    check.get_by_text("Nothing is hidden, so every token sees the whole sentence").wait_for(timeout=20_000)
    lesson.answer("def masked_weights(scores, d_k):", HALF_CORRECTED)
    lesson.run(check)
    check.get_by_text("What is hidden is read from the scores' values").wait_for(timeout=20_000)
    assert "1 of 2 points" in check.inner_text()
    lesson.picture("lesson-03-half-corrected", of=check)
    assert lesson.errors == []


def test_the_explorer_follows_the_keyboard_and_says_in_words_what_it_shows(executed_lesson):
    lesson = executed_lesson(LESSON)
    explorer = lesson.explorer("explore_causal_mask(queries")
    explorer.get_by_text("the newest, 'starts', moved 0 of 2 earlier rows").first.wait_for(timeout=30_000)
    explorer.get_by_label("Tokens so far").focus()
    lesson.page.keyboard.press("ArrowDown")
    explorer.get_by_text("the newest, 'with', moved 0 of 3 earlier rows").first.wait_for(timeout=10_000)
    explorer.get_by_label("Causal mask").focus()
    lesson.page.keyboard.press("ArrowDown")
    explorer.get_by_text("the newest, 'with', moved 3 of 3 earlier rows").first.wait_for(timeout=10_000)
    lesson.picture("lesson-03-the-explorer", of=explorer)
    assert lesson.errors == []
