"""Read Gradescope's export of submissions, in which a list states the owner of each folder."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

import yaml

from autograder.classroom.csv_tables import Lists
from autograder.classroom.platforms.protocol import HandedFile, Platform

LISTS = Lists(
    {
        "number": ("sid",),
        "first_name": ("first name",),
        "last_name": ("last name",),
        "full_name": ("name",),
        "email": ("email",),
        "role": ("role",),
        "section": ("section", "sections"),
    }
)


def read_list(text: bytes) -> Mapping[str, HandedFile]:
    """Return the owners of each folder in an export, several for a group's submission.

    Args:
        text: the content of the list, in YAML.
    """
    try:
        metadata = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))  # noqa: S506
    except yaml.YAMLError:
        return {}
    owners = {}
    for folder, submission in (metadata if isinstance(metadata, dict) else {}).items():
        people = submission.get(":submitters") if isinstance(submission, dict) else None
        if not isinstance(people, list) or not all(isinstance(person, dict) for person in people):
            continue
        identifiers = [
            tuple(filter(None, (str(person.get(key) or "") for key in (":sid", ":email", ":name"))))
            for person in people
        ]
        # The number is the submission's: somebody who hands in again gets another one, and keeps the address.
        address, sid = (str(people[0].get(key) or "") for key in (":email", ":sid")) if people else ("", "")
        when = submission.get(":created_at")
        owners[str(folder)] = HandedFile(
            "",
            "",
            labels=identifiers[0] if len(identifiers) == 1 else (),
            together=tuple(identifiers) if len(identifiers) > 1 else (),
            folder=str(folder),
            user=(address or sid) if len(identifiers) == 1 else "",
            rank=(int(f"{when:%Y%m%d%H%M%S}"),) if isinstance(when, datetime) else (),
            time=when if isinstance(when, datetime) else None,
        )
    return owners


GRADESCOPE = Platform(
    "gradescope",
    "Gradescope",
    LISTS,
    lambda _part, _is_file, _plain: None,
    lambda student, _handed, lesson: f"{student}/{lesson}.html",
    knows_pages=False,
    list_name="submission_metadata.yml",
    read_list=read_list,
)
