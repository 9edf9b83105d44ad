"""Every text of the site that stands in no notebook, in one table."""

from __future__ import annotations

from autograder.language import _


def texts() -> dict[str, str]:
    """Return the site's texts in the spoken language, by their names."""
    return {
        "lessons": _("Lessons"),
        "reference": _("To look up"),
        "about": _(
            "Every lesson, solved and executed. Read it here, move the controls, and open a lesson in "
            "JupyterLab to write the code yourself."
        ),
        "glossary": _("Glossary"),
        "mistakes": _("Mistakes and what they look like"),
        "mistakes_about": _(
            "What a check says to somebody who makes one of these mistakes, and the place that explains it."
        ),
        "explained": _("Explained in"),
        "other": _("Mistakes of no lesson in particular"),
        "solution": _("Show a solution"),
        "hide": _("Hide it"),
        "open_in": _("Open in {place}"),
        "colab_first": _("Run this in a first cell of Colab, to install the course there:"),
        "notebook": _("Download the notebook"),
        "print": _("Print"),
        "languages": _("Languages"),
        "searching": _("Searching…"),
        "search_results": _("Search results"),
        "pages_found": _("Pages found: {count}"),
        "nothing_found": _("No page holds these words. See whether they are spelled as in the lessons."),
        "prediction": _("Your prediction"),
        "prediction_kept": _("It is kept in this browser only, and nobody grades it."),
        "skip": _("Show what came"),
        "waiting": _("Hidden until you make your prediction above."),
        "came_true": _("Your prediction came true."),
        "came_differently": _("It came out differently. What explains the difference?"),
        "you_said": _("You predicted:"),
        "explorer": _("Explorer"),
        "explorer_note": _("On this page you choose among some values. In JupyterLab you set any."),
    }
