"""Read archives and lists of no particular platform: folders and files that people have named themselves."""

from __future__ import annotations

from autograder.classroom.csv_tables import Lists
from autograder.classroom.platforms.protocol import Platform

LISTS = Lists(
    {
        "id": ("id", "student_id", "student id", "login", "user name"),
        "number": ("matriculation number",),
        "first_name": ("first_name", "first name", "given name", "forename"),
        "last_name": ("last_name", "last name", "family name", "surname"),
        "full_name": ("name",),
        "email": ("email", "e-mail", "e-mail address", "email address"),
        "lms_user_id": ("lms_user_id",),
        "time": ("time", "timestamp", "submitted"),
        "section": ("section", "sections", "group", "groups"),
        "group": ("group_name", "team"),
        "role": ("role", "roles"),
    },
    no_people=("class average",),
)
PLAIN = Platform(
    "folder",
    "a folder for each student",
    LISTS,
    lambda _part, _is_file, _plain: None,
    lambda student, _handed, lesson: f"{student}/{lesson}.html",
    knows_pages=False,
)
