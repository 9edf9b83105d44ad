"""A bar that shows how far a command is."""

from __future__ import annotations

from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from autograder.command import console


def progress_bar() -> Progress:
    """Return a bar that counts on, below what else is printed, and is gone once all is done."""
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.completed:.0f}/{task.total:.0f}"),
        TimeElapsedColumn(),
        TextColumn("left:"),
        TimeRemainingColumn(),
        console=console.errors,
        transient=True,
    )
