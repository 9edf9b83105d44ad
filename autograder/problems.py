"""What is wrong with a lesson's source; apart from `authoring`, so that the command itself needs no torch."""

from __future__ import annotations


class AuthoringError(Exception):
    """A lesson's source is not as it must be. `problems` names every cell and reason found."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__(problems)  # whole, because pickle makes it anew from this
        self.problems = problems

    def __str__(self) -> str:
        return "\n".join(self.problems)
