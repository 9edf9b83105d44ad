"""Lesson 05 in JupyterLab, worked by keyboard as a learner would."""

LESSON = "05-multi-head"
STUB = "def split_heads(x, num_heads):"
WRONG = """def split_heads(x, num_heads):
    b, num_tokens, d_out = x.shape
    return x.view(b, num_heads, num_tokens, d_out // num_heads)"""
RIGHT = """def split_heads(x, num_heads):
    b, num_tokens, d_out = x.shape
    return x.view(b, num_tokens, num_heads, d_out // num_heads).transpose(1, 2)"""


def test_the_released_notebook_runs_to_its_end_without_an_error_before_any_task_is_done(executed_lesson):
    lesson = executed_lesson(LESSON)
    assert lesson.page.locator("[data-mime-type='application/vnd.jupyter.stderr']").count() == 0
    progress = lesson.cell('progress("05-multi-head")')
    progress.get_by_text("0 of 9 tasks").wait_for(timeout=20_000)
    symptom = lesson.cell("changed_by_the_last(CausalHeads(3, 4, 6, 2), batch)")
    assert "outputs that change with the last token: ['one', 'step']" in symptom.inner_text()
    symptom = lesson.cell("encoder = EncoderHeads(4, 4, 2)")
    assert "shuffled tokens give shuffled outputs: False" in symptom.inner_text()
    assert lesson.errors == []


def test_a_split_across_tokens_is_named_and_the_right_one_passes(executed_lesson):
    lesson = executed_lesson(LESSON)
    check = lesson.cell('check("split-heads")')
    lesson.answer(STUB, WRONG)
    lesson.run(check)
    check.get_by_text("a head's rows are pieces of several tokens").wait_for(timeout=20_000)
    lesson.picture("lesson-05-a-split-across-tokens", of=check)
    lesson.answer(STUB, RIGHT)
    lesson.run(check)
    check.get_by_text("✓ Split into heads").wait_for(timeout=20_000)
    assert "2 of 2 points" in check.inner_text()
    assert lesson.errors == []


def test_the_explorer_follows_the_keyboard_and_says_in_words_where_the_heads_look(executed_lesson):
    lesson = executed_lesson(LESSON)
    explorer = lesson.explorer("explore_heads(four_heads, tokens")
    explorer.get_by_text("query 'starts', side by side: itself attends most to 'starts'").first.wait_for(
        timeout=30_000
    )
    chooser = explorer.get_by_label("Query token")
    chooser.focus()
    lesson.page.keyboard.press("ArrowDown")
    explorer.get_by_text("query 'with', side by side").first.wait_for(timeout=10_000)
    lesson.picture("lesson-05-the-explorer-side-by-side", of=explorer)
    view = explorer.get_by_label("Heads")
    view.focus()
    lesson.page.keyboard.press("ArrowDown")
    explorer.get_by_text("query 'with', superposed").first.wait_for(timeout=10_000)
    explorer.get_by_text("the mean of all heads attends evenly to 3 tokens (0.31 each)").first.wait_for(
        timeout=10_000
    )
    lesson.picture("lesson-05-the-explorer-superposed", of=explorer)
    lesson.use_dark_theme()
    lesson.picture("lesson-05-the-explorer-dark", of=explorer)
    assert lesson.errors == []


def test_the_slices_follow_the_keyboard_from_the_stack_to_the_fused_class(executed_lesson):
    lesson = executed_lesson(LESSON)
    explorer = lesson.explorer("explore_slices(torch.stack(")
    explorer.get_by_text("the stack, head 0: heads.0.W_query.weight (2, 3)").first.wait_for(timeout=30_000)
    explorer.get_by_label("Head", exact=True).focus()
    lesson.page.keyboard.press("ArrowDown")
    explorer.get_by_text("the stack, head 1").first.wait_for(timeout=10_000)
    lesson.picture("lesson-05-the-slices-of-the-stack", of=explorer)
    explorer.get_by_label("Matrices of").focus()
    lesson.page.keyboard.press("ArrowDown")
    explorer.get_by_text("the fused class, head 1: rows 2 to 3 of W_query.weight (4, 3)").first.wait_for(
        timeout=10_000
    )
    moves = explorer.locator("tr.slides").last.evaluate(
        "row => row.getAnimations().concat(getComputedStyle(row).animationName).map(String)"
    )
    assert "attention-slide" in moves
    explorer.locator("tr.slides").last.evaluate(
        "row => Promise.all(row.getAnimations().map(one => one.finished))"
    )
    lesson.picture("lesson-05-the-slices-of-the-fused-class", of=explorer)
    assert lesson.errors == []


def test_bugs_are_switched_on_by_keyboard_and_told_in_words(executed_lesson):
    lesson = executed_lesson(LESSON)
    explorer = lesson.explorer("explore_bugs(tokens)")
    explorer.get_by_text("Nothing is broken. Before training rows of weights add up to 1.00").first.wait_for(
        timeout=60_000
    )
    lesson.picture("lesson-05-nothing-broken", of=explorer)
    columns = explorer.get_by_role("checkbox", name="softmax over the queries")
    columns.focus()
    lesson.page.keyboard.press("Space")
    explorer.get_by_text("Broken: softmax over the queries. Before training").first.wait_for(timeout=20_000)
    status = explorer.get_by_role("status")
    assert "much is left unlearned" in status.inner_text()
    assert columns.is_checked()
    lesson.picture("lesson-05-softmax-over-the-queries", of=explorer)
    # Tab leads from one bug to the next.
    lesson.page.keyboard.press("Tab")
    lesson.page.keyboard.press("Space")
    explorer.get_by_text(
        "Broken: softmax over the queries and mask after softmax, no renormalising"
    ).first.wait_for(timeout=20_000)
    curve = explorer.get_by_role("img", name="Error on stories not trained on").first
    assert "the right class ends at 0.02" in (curve.get_attribute("aria-label") or "")
    moment = explorer.get_by_label("Weights and gradients")
    moment.focus()
    lesson.page.keyboard.press("ArrowDown")
    explorer.get_by_text("After 60 steps rows of weights add up to").first.wait_for(timeout=20_000)
    for bug in ("no √d_k", "no transpose(1, 2) of the heads"):
        explorer.get_by_role("checkbox", name=bug).focus()
        lesson.page.keyboard.press("Space")
        status.filter(has_text=bug).wait_for(timeout=20_000)
    lesson.use_dark_theme()
    lesson.picture("lesson-05-two-bugs-dark", of=explorer)
    assert lesson.errors == []
