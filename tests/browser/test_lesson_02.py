"""Lesson 02 in JupyterLab, worked by keyboard as a learner would."""

import re

LESSON = "02-trainable"
CORRECTED = """class NotebookAttention(nn.Module):
    def __init__(self, d_in, d_out, qkv_bias=False):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)

    def forward(self, x):
        queries, keys, values = self.W_query(x), self.W_key(x), self.W_value(x)
        scores = queries @ keys.T
        weights = torch.softmax(scores / keys.shape[-1] ** 0.5, dim=-1)
        return weights @ values"""


def test_the_released_notebook_runs_to_its_end_without_an_error_before_any_task_is_done(executed_lesson):
    lesson = executed_lesson(LESSON)
    assert lesson.page.locator("[data-mime-type='application/vnd.jupyter.stderr']").count() == 0
    progress = lesson.cell('progress("02-trainable")')
    progress.get_by_text("0 of 9 tasks").wait_for(timeout=20_000)
    assert lesson.errors == []


def test_a_wrong_matrix_is_named_and_the_right_one_passes(executed_lesson):
    lesson = executed_lesson(LESSON)
    lesson.answer("attn_scores_2 = ...", "attn_scores_2 = query_2 @ values.T")
    check = lesson.cell('check("scores-of-one-query")')
    lesson.run(check)
    check.get_by_text("Values stand where keys belong").wait_for(timeout=20_000)
    lesson.picture("02-a-check-that-names-the-matrix", of=check)
    lesson.answer("attn_scores_2 = query_2 @ values.T", "attn_scores_2 = query_2 @ keys.T")
    lesson.run(check)
    check.get_by_text("✓ The scores of one query").wait_for(timeout=20_000)
    assert "1 of 1 point" in check.inner_text()
    assert lesson.errors == []


def test_the_faulty_class_is_known_and_the_corrected_one_passes(executed_lesson):
    lesson = executed_lesson(LESSON)
    check = lesson.cell('check("bug-globals")')
    lesson.run(check)
    check.get_by_text("where does each come from").wait_for(timeout=20_000)
    lesson.picture("02-the-faulty-class-is-known", of=check)
    faulty = lesson.cell("class NotebookAttention")
    assert "d_k**0.5" in faulty.inner_text()
    lesson.type_into(faulty, CORRECTED)
    lesson.run(faulty)
    lesson.run(check)
    check.get_by_text("✓ Find the bug").wait_for(timeout=20_000)
    assert lesson.errors == []


def test_the_explorer_follows_the_keyboard_and_says_in_words_what_it_shows(executed_lesson):
    lesson = executed_lesson(LESSON)
    explorer = lesson.explorer("explore_scale(many_queries")
    explorer.get_by_text("d_k 512, scores divided by nothing").first.wait_for(timeout=30_000)
    explorer.get_by_label("Scores divided by").focus()
    lesson.page.keyboard.press("ArrowDown")
    explorer.get_by_text("d_k 512, scores divided by √d_k").first.wait_for(timeout=10_000)
    explorer.get_by_label("d_k", exact=True).focus()
    lesson.page.keyboard.press("ArrowUp")
    explorer.get_by_text("d_k 256, scores divided by √d_k").first.wait_for(timeout=10_000)
    explorer.get_by_label("Temperature (0.05 to 20)").focus()
    lesson.page.keyboard.press("ArrowUp")
    lesson.page.keyboard.press("Enter")
    explorer.get_by_text(re.compile(r"scores divided by √d_k, temperature 1\.\d")).first.wait_for(
        timeout=10_000
    )
    lesson.picture("02-the-explorer", of=explorer)
    lesson.use_dark_theme()
    lesson.picture("02-the-explorer-dark", of=explorer)
    assert lesson.errors == []
