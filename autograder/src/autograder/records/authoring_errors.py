"""Errors to show to people; separate from `authoring`, so that the command itself needs no torch."""

from __future__ import annotations


class UserError(Exception):
    """A request that cannot be fulfilled. The command ends, and shows the user this error's message."""


class AuthoringError(UserError):
    """An error in a course's source. `problems` names each cell or file, with the reason."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__(problems)  # whole, because pickle makes it anew from this
        self.problems = problems

    def __str__(self) -> str:
        return "\n".join(self.problems)


class BadBook(UserError):
    """The gradebook cannot be used: it is incomplete, not a database, or locked by another program."""

    def __init__(self, database: str, why: str) -> None:
        super().__init__(f"The gradebook {database} {why}.")
