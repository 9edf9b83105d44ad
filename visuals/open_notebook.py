"""Whether somebody has the notebook open, for cells that download something."""

from __future__ import annotations

from autograder.lesson import interactive_session


def opened() -> bool:
    """Tell whether a person has this notebook open, in JupyterLab, Notebook, VS Code or Colab.

    Nobody has where it is built, graded, or run by `jupyter nbconvert`, and nothing may be downloaded.
    """
    return bool(interactive_session.page())
