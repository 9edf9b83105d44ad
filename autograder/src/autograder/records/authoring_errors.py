"""What is wrong with a lesson's source; apart from `authoring`, so that the command itself needs no torch."""

from __future__ import annotations


class UserError(Exception):
    """What was asked for cannot be done; says why. A command ends with that sentence."""


class AuthoringError(UserError):
    """A lesson's source is not as it must be. `problems` names every cell and reason found."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__(problems)  # whole, because pickle makes it anew from this
        self.problems = problems

    def __str__(self) -> str:
        return "\n".join(self.problems)


class BadBook(UserError):
    """The gradebook cannot be used: it is half-made, no database, or somebody else is writing to it."""

    def __init__(self, database: str, why: str) -> None:
        super().__init__(f"The gradebook {database} {why}.")
