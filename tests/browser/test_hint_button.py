"""The button for hints below a check, in JupyterLab, by keyboard and as a screen reader finds it."""

LESSON = "01-dot-product"


def test_the_button_below_a_check_gives_one_hint_after_another_by_keyboard(executed_lesson):
    lesson = executed_lesson(LESSON)
    check = lesson.cell('check("dot-product")')
    lesson.run(check)
    button = check.get_by_role("button", name="Hint")
    button.wait_for(timeout=20_000)
    button.focus()
    said = check.locator(".ag-said[role=status]")  # there before its words are
    assert said.inner_text().strip() == ""
    lesson.page.keyboard.press("Enter")
    said.get_by_text("Hint 1 of ").wait_for(timeout=10_000)
    assert button.evaluate("node => node === document.activeElement")
    assert button.inner_text() == "Next hint"
    lesson.page.keyboard.press("Space")
    said.get_by_text("Hint 2 of ").wait_for(timeout=10_000)
    assert check.locator(".ag").first.inner_text().startswith("… A dot product by hand")
    lesson.picture("a-hint-below-a-check", of=check)
    assert lesson.violations() == []
    lesson.use_dark_theme()
    lesson.picture("a-hint-below-a-check-dark", of=check)
    assert lesson.violations() == []
    assert lesson.errors == []
