"""Lesson 09 in JupyterLab, worked by keyboard as a learner would."""

LESSON = "09-train-it"
WRONG = """def layer_norm(x, scale, shift, eps=1e-5):
    mean, variance = x.mean(dim=1, keepdim=True), x.var(dim=1, keepdim=True, correction=0)
    return (x - mean) / (variance + eps).sqrt() * scale + shift"""
COUNTED = """explore_training(list, range(30), {"loss": lambda: 1.0, "share": lambda: 0.5},
    look=lambda: torch.eye(3), tokens=list("abc"), title="Nothing trained")"""


def test_the_released_notebook_runs_to_its_end_without_an_error_before_any_task_is_done(executed_lesson):
    lesson = executed_lesson(LESSON)
    assert lesson.page.locator("[data-mime-type='application/vnd.jupyter.stderr']").count() == 0
    lesson.cell(f'progress("{LESSON}")').get_by_text("0 of 21 tasks").wait_for(timeout=20_000)
    lesson.cell("bring_over(").get_by_text("The course's own MultiHeadAttention is used").wait_for(
        timeout=20_000
    )
    lesson.picture("lesson-09-stream", of=lesson.cell("residual_stream(num_layers=1)"))
    assert lesson.errors == []


def test_a_norm_over_the_tokens_is_named_and_the_right_one_passes(executed_lesson):
    lesson = executed_lesson(LESSON)
    check = lesson.cell('check("layer-norm")')
    lesson.answer("def layer_norm(x, scale, shift, eps=1e-5):", WRONG)
    lesson.run(check)
    check.get_by_text("Mean and variance run over the tokens here").wait_for(timeout=20_000)
    lesson.answer("def layer_norm(x, scale, shift, eps=1e-5):", WRONG.replace("dim=1", "dim=-1"))
    lesson.run(check)
    check.get_by_text("✓ LayerNorm").wait_for(timeout=20_000)
    assert lesson.errors == []


def test_the_moments_of_a_training_are_chosen_by_keyboard(executed_lesson):
    lesson = executed_lesson(LESSON)
    waiting = lesson.cell("explore_training(\n    lambda batches: train(reverser")
    waiting.get_by_text("Nothing to draw yet").first.wait_for(timeout=30_000)
    lesson.type_into(waiting, COUNTED)
    explorer = lesson.explorer(COUNTED)
    lesson.run(explorer)
    explorer.get_by_text("Nothing trained, after 30 of 30 steps").first.wait_for(timeout=30_000)
    explorer.get_by_label("Moment", exact=True).focus()
    lesson.page.keyboard.press("ArrowUp")
    explorer.get_by_text("Nothing trained, after 28 of 30 steps").first.wait_for(timeout=10_000)
    lesson.picture("lesson-09-the-explorer", of=explorer)
    assert lesson.errors == []
