"""Lesson 10 in JupyterLab, worked by keyboard as a learner would."""

LESSON = "10-read-a-model"
TWISTED = """def split_fused(weight):
    return weight.chunk(3, dim=1)"""
GIVEN = """from torch import nn
torch.manual_seed(0)
small = TinyTransformer(VOCAB, 16, NUM_HEADS, 2, 32, position="learned").eval()
explore_model(small, NUM_HEADS, encode, VOCABULARY, text="a dog and a d")"""


def test_the_released_notebook_runs_to_its_end_without_an_error_before_any_task_is_done(executed_lesson):
    lesson = executed_lesson(LESSON)
    assert lesson.page.locator("[data-mime-type='application/vnd.jupyter.stderr']").count() == 0
    lesson.cell(f'progress("{LESSON}")').get_by_text("0 of 9 tasks").wait_for(timeout=20_000)
    lesson.cell("bring_over(").get_by_text("The course's own TinyTransformer is used").wait_for(
        timeout=20_000
    )
    lesson.picture("lesson-10-curve", of=lesson.cell('title="How the checkpoint was trained"'))
    assert lesson.errors == []


def test_parts_that_are_not_turned_are_named_and_right_ones_pass(executed_lesson):
    lesson = executed_lesson(LESSON)
    check = lesson.cell('check("split-fused")')
    lesson.answer("def split_fused(weight):", TWISTED)
    lesson.run(check)
    check.get_by_text("The parts are still (in, out)").wait_for(timeout=20_000)
    lesson.answer("def split_fused(weight):", TWISTED.replace("weight.chunk(3, dim=1)", "weight.T.chunk(3)"))
    lesson.run(check)
    check.get_by_text("✓ Three matrices out of one").wait_for(timeout=20_000)
    assert lesson.errors == []


def test_a_text_is_typed_and_a_head_is_taken_away_with_the_space_key(executed_lesson):
    lesson = executed_lesson(LESSON)
    waiting = lesson.cell("explore_model(model")
    waiting.get_by_text("Nothing to draw yet").first.wait_for(timeout=30_000)
    lesson.type_into(waiting, GIVEN)
    explorer = lesson.explorer("explore_model(small")
    lesson.run(explorer)
    explorer.get_by_text("layer 0, head 0: token 12, 'd'").first.wait_for(timeout=30_000)
    explorer.get_by_label("Your text", exact=True).fill("a cat")
    lesson.page.keyboard.press("Enter")
    explorer.get_by_text("layer 0, head 0: token 4, 't'").first.wait_for(timeout=10_000)
    explorer.get_by_label("Head", exact=True).focus()
    lesson.page.keyboard.press("ArrowDown")
    explorer.get_by_text("layer 0, head 1: token 4, 't'").first.wait_for(timeout=10_000)
    explorer.get_by_label("Without this head", exact=True).focus()
    lesson.page.keyboard.press("Space")
    explorer.get_by_text("without it the model expects").first.wait_for(timeout=10_000)
    explorer.get_by_label("Your text", exact=True).fill("café")
    lesson.page.keyboard.press("Enter")
    explorer.get_by_text("'é' is not in the vocabulary").first.wait_for(timeout=10_000)
    lesson.picture("lesson-10-the-explorer", of=explorer)
    assert lesson.errors == []
