"""Lesson 06 in JupyterLab, worked by keyboard as a learner would."""

import re

LESSON = "06-encoder-decoder"
WRONG = """def padding_mask(lengths, num_tokens):
    return torch.arange(num_tokens) >= lengths[:, None, None, None]"""
FIXED = """def cross_scores(q, k, num_heads):
    q = q.unflatten(-1, (num_heads, -1)).transpose(1, 2)
    k = k.unflatten(-1, (num_heads, -1)).transpose(1, 2)
    return q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5"""


def test_the_released_notebook_runs_to_its_end_without_an_error_before_any_task_is_done(executed_lesson):
    lesson = executed_lesson(LESSON)
    assert lesson.page.locator("[data-mime-type='application/vnd.jupyter.stderr']").count() == 0
    progress = lesson.cell(f'progress("{LESSON}")')
    progress.get_by_text("0 of 6 tasks").wait_for(timeout=20_000)
    lesson.picture("lesson-06-flow", of=lesson.cell("encoder_decoder(source, target)"))
    lesson.picture("lesson-06-memory", of=lesson.cell("memory_layout(small)"))
    lesson.picture("lesson-06-masks", of=lesson.cell("combined_masks(visible, torch.tensor"))
    assert lesson.errors == []


def test_a_mask_of_the_opposite_meaning_is_named_and_the_right_one_passes(executed_lesson):
    lesson = executed_lesson(LESSON)
    check = lesson.cell('check("padding-mask")')
    lesson.answer("def padding_mask(lengths, num_tokens):", WRONG)
    lesson.run(check)
    check.get_by_text("This is True for padding").wait_for(timeout=20_000)
    lesson.picture("lesson-06-a-mistake-named", of=check)
    lesson.answer("def padding_mask(lengths, num_tokens):", WRONG.replace(">=", "<"))
    lesson.run(check)
    check.get_by_text("✓ A padding mask").wait_for(timeout=20_000)
    assert "2 of 2 points" in check.inner_text()
    assert lesson.errors == []


def test_the_faulty_code_shows_its_symptom_until_it_is_fixed(executed_lesson):
    lesson = executed_lesson(LESSON)
    symptom = lesson.cell("for target_length, source_length in")
    symptom.get_by_text(re.compile("target 5, source 6: shape .* is invalid")).first.wait_for(timeout=20_000)
    check = lesson.cell('check("bug-query-length")')
    check.get_by_text("The keys are reshaped with the length of the queries").wait_for(timeout=20_000)
    lesson.picture("lesson-06-faulty-code", of=check)
    lesson.answer("def cross_scores(q, k, num_heads):", FIXED)
    lesson.run(symptom)
    symptom.get_by_text("target 5, source 6: scores of shape (2, 4, 5, 6)").first.wait_for(timeout=20_000)
    lesson.run(check)
    check.get_by_text("✓ Find the bug: one length for two sentences").wait_for(timeout=20_000)
    assert lesson.errors == []


def test_the_explorer_follows_the_keyboard_and_says_in_words_what_it_shows(executed_lesson):
    lesson = executed_lesson(LESSON)
    explorer = lesson.explorer("explore_three_attentions(source, target)")
    explorer.get_by_text("'the' (token 1 of the target) sees 4 of 6").first.wait_for(timeout=30_000)
    chooser = explorer.get_by_label("Attention")
    chooser.focus()
    lesson.page.keyboard.press("ArrowUp")
    explorer.get_by_text("sees 2 of 5 target tokens: <start>, the.").first.wait_for(timeout=10_000)
    explorer.get_by_label("Query token").focus()
    lesson.page.keyboard.press("ArrowDown")
    explorer.get_by_text("'house' (token 2 of the target) sees 3 of 5").first.wait_for(timeout=10_000)
    lesson.picture("lesson-06-the-explorer", of=explorer)
    assert lesson.errors == []


def test_the_weights_of_the_lesson_are_explored_by_keyboard(executed_lesson):
    lesson = executed_lesson(LESSON)
    explorer = lesson.explorer("explore_map(attn_weights")
    explorer.get_by_text("sequence 0, head 0, query 't0': largest 1.0000 on 't0'").first.wait_for(
        timeout=30_000
    )
    for name, words in (
        ("Sequence", "sequence 1, head 0, query 't0'"),
        ("Head", "sequence 1, head 1, query 't0'"),
        ("Query token", "sequence 1, head 1, query 't1'"),
    ):
        explorer.get_by_label(name, exact=True).focus()
        lesson.page.keyboard.press("ArrowDown")
        explorer.get_by_text(words).first.wait_for(timeout=10_000)
    lesson.picture("lesson-06-the-weights-explored", of=explorer)
    assert lesson.errors == []
