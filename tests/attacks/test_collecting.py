"""Archives of submissions, unpacked as `nbgrader zip_collect` does: nothing lands beside their folder."""

import contextlib
import io
import tarfile
import zipfile

import pytest
from autograder.grading.read_submission import read_submission
from nbgrader.utils import unzip

from tests.attacks.answers import MARK

OUTSIDE = (f"../{MARK}", f"../../{MARK}", f"/tmp/{MARK}", f"a/../../{MARK}", f"..\\{MARK}")


LINKS = (
    ("link.ipynb", tarfile.SYMTYPE, "/etc/passwd"),
    ("hard.ipynb", tarfile.LNKTYPE, "../outside.ipynb"),
    ("folder", tarfile.SYMTYPE, ".."),
)


def zipped(path, name):
    with zipfile.ZipFile(path, "w") as archive:
        link = zipfile.ZipInfo("link.ipynb")
        link.external_attr = 0o120777 << 16
        archive.writestr(link, "/etc/passwd")
        archive.writestr(name, MARK)


def tarred(path, name):
    with tarfile.open(path, "w:gz") as archive:
        for link, kind, to in LINKS:
            entry = tarfile.TarInfo(link)
            entry.type, entry.linkname = kind, to
            archive.addfile(entry)
        entry = tarfile.TarInfo(name)
        entry.size = len(MARK)
        archive.addfile(entry, io.BytesIO(MARK.encode()))


@pytest.mark.parametrize("inside", [*OUTSIDE, f"folder/{MARK}", "good.ipynb"])
@pytest.mark.parametrize(("name", "make"), [("all.zip", zipped), ("all.tar.gz", tarred)])
def test_an_archive_unpacks_into_its_own_folder_alone(tmp_path, name, make, inside):
    (tmp_path / "outside.ipynb").write_text("somebody else's")
    archive, folder = tmp_path / name, tmp_path / "submitted" / "eve" / "lesson"
    folder.mkdir(parents=True)
    make(archive, inside)
    with contextlib.suppress(Exception):  # it may refuse the whole archive, in words of its own
        unzip(str(archive), str(folder))
    beside = {path for path in tmp_path.rglob("*") if folder not in path.parents}
    assert beside == {archive, tmp_path / "outside.ipynb", *list(folder.parents)[:2], folder}
    for path in folder.rglob("*.ipynb"):
        read = str(read_submission(path))
        assert "root:" not in read
        assert "somebody" not in read
