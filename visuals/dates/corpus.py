"""Dates written in many ways, in English and in German, and the one way that they are translated to."""

from __future__ import annotations

import calendar
import datetime
import re
from collections.abc import Sequence

import torch
from torch import Tensor

ENGLISH = tuple(name.lower() for name in calendar.month_name[1:])
GERMAN = (
    *("januar", "februar", "märz", "april", "mai", "juni"),
    *("juli", "august", "september", "oktober", "november", "dezember"),
)
DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
TAGE = ("montag", "dienstag", "mittwoch", "donnerstag", "freitag", "samstag", "sonntag")
# What a text is cut into: a word, a digit, or a mark.
TOKEN = re.compile(r"[^\W\d]+|\d|\S")
SHORT = tuple(name[:3] for name in ENGLISH)
PAD, START = "<pad>", "<start>"
SOURCE = tuple(
    dict.fromkeys((PAD, *"0123456789", *".,/", "of", "the", "den", *ENGLISH, *GERMAN, *SHORT, *DAYS, *TAGE))
)
TARGET = (START, *"0123456789-")
FIRST, LAST = datetime.date(1900, 1, 1).toordinal(), datetime.date(2099, 12, 31).toordinal()


def ways(date: datetime.date) -> list[str]:
    """Return one date in each way that the model knows."""
    day, month, year = date.day, date.month - 1, date.year
    return [
        f"{day} {ENGLISH[month]} {year}",
        f"{ENGLISH[month]} {day}, {year}",
        f"{DAYS[date.weekday()]}, {ENGLISH[month]} {day}, {year}",
        f"the {day} of {ENGLISH[month]} {year}",
        f"{day} {SHORT[month]} {year}",
        f"{SHORT[month]} {day}, {year}",
        f"{year} {SHORT[month]} {day}",
        f"{day}. {GERMAN[month]} {year}",
        f"{TAGE[date.weekday()]}, den {day}. {GERMAN[month]} {year}",
        f"{day}/{month + 1}/{year}",
    ]


def pairs(count: int, generator: torch.Generator) -> list[tuple[str, str]]:
    """Return random dates, each in a random way, and as it is to be written: 2026-11-23."""
    dates = []
    for number in torch.randint(FIRST, LAST + 1, (count,), generator=generator).tolist():
        date = datetime.date.fromordinal(number)
        forms = ways(date)
        dates.append((forms[int(torch.randint(len(forms), (1,), generator=generator))], date.isoformat()))
    return dates


def cut(text: str) -> list[str]:
    """Return the tokens of a text: words, digits and marks, in lower case."""
    return TOKEN.findall(text.lower())


def source_ids(texts: Sequence[str]) -> tuple[Tensor, Tensor]:
    """Return the ids of texts (b, source), filled up with padding, and their lengths (b,).

    Raises:
        ValueError: a token of a text is not known.
    """
    tokens = [cut(text) for text in texts]
    unknown = [token for cut_text in tokens for token in cut_text if token not in SOURCE]
    if unknown:
        raise ValueError(f"{unknown[0]!r} is not known. Known: {' '.join(SOURCE[1:])}.")
    longest = max(map(len, tokens))
    rows = [[SOURCE.index(token) for token in row + [PAD] * (longest - len(row))] for row in tokens]
    return torch.tensor(rows), torch.tensor([len(row) for row in tokens])


def target_ids(dates: Sequence[Sequence[str]]) -> Tensor:
    """Return the ids of characters that the model writes, of equally many for each date: (b, target)."""
    return torch.tensor([[TARGET.index(character) for character in date] for date in dates])


def origins(text: str, date: str) -> list[int | None]:
    """Return the token that each character of a date is written from: None for a dash or a filled-in zero.

    Both digits of a month that is written as a word come from that word.
    """
    tokens = cut(text)
    runs = [
        match.span()
        for match in re.finditer("d+", "".join("d" if token.isdigit() else "-" for token in tokens))
    ]
    (year,) = (range(*run) for run in runs if run[1] - run[0] == 4)
    day, *others = (range(*run) for run in runs if run[1] - run[0] < 4)
    (month,) = others or (
        [index for index, token in enumerate(tokens) if token in (*ENGLISH, *GERMAN, *SHORT)],
    )
    pair = [*month] * 2 if tokens[month[0]].isalpha() else [None, *month][-2:]
    return [*year, None, *pair, None, *[None, *day][-2:]]
