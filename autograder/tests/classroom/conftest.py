"""A class with a roster, to which work is handed in."""

import shutil

import pytest
from support.class_course import LESSON, OTHER, class_folder
from support.handing_in import run

ROSTER = """id,first_name,last_name,email,lms_user_id
amy,Amy,Adams,amy@example.org,11
bob,Bob,Brown,bob@example.org,12
joerg,Jörg,Müller,jm@example.org,13
jane1,Jane,Doe,jane@example.org,14
jane2,Jane,Doe,doe@example.org,15
"""


@pytest.fixture(scope="module")
def class_with_roster(class_course, tmp_path_factory):
    folder = class_folder(class_course, tmp_path_factory.mktemp("class"), LESSON, OTHER)
    (folder / "people.csv").write_text(ROSTER, encoding="utf-8")
    assert "5 new, 0 changed" in run(folder, "roster", folder / "people.csv")
    return folder


@pytest.fixture
def folder(class_with_roster, tmp_path):
    shutil.copytree(class_with_roster, tmp_path / "class")
    return tmp_path / "class"
