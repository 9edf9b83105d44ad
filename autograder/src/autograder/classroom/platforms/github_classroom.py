"""Read GitHub Classroom's class list. Its repository folders are read like folders that people have named."""

from __future__ import annotations

from autograder.classroom.csv_tables import Lists
from autograder.classroom.platforms.protocol import Platform

GITHUB_CLASSROOM = Platform(
    "github-classroom",
    "GitHub Classroom",
    # `classroom_roster.csv`, by “Download roster”: an identifier is whatever the teacher has typed there.
    Lists(
        {
            "id": ("identifier",),
            "number": ("github_username",),
            "integration": ("github_id",),
            "full_name": ("name",),
        },
        marks=(frozenset({"identifier", "github_username"}),),
    ),
    lambda _part, _is_file, _plain: None,
    lambda student, _handed, lesson: f"{student}/{lesson}.html",
    knows_pages=False,
)
