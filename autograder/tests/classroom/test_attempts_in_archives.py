"""Which of several notebooks counts, and that every file of an archive ends in one of five lists."""

import io
import re
import tarfile
import unicodedata
import zipfile

import nbformat
import pytest
from support.class_course import LESSON, OTHER
from support.handing_in import note_of, notebook, run, zipped

MOODLE = "assignsubmission_file"
AMY, BOB, JOERG = (f"{who}_{MOODLE}" for who in ("Amy Adams_801", "Bob Brown_802", "Jörg Müller_803"))


def untouched(folder):
    return (folder / "notebooks" / LESSON / f"{LESSON}.ipynb").read_text(encoding="utf-8")


def packed(files):
    result = io.BytesIO()
    zipped(result, files)
    return result.getvalue()


def tarred(files):
    result = io.BytesIO()
    with tarfile.open(fileobj=result, mode="w:gz") as archive:
        for name, content in files:
            content = content.encode() if isinstance(content, str) else content
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return result.getvalue()


def numbers(output):
    """Return the sum that the last line says, and the numbers of its five lists."""
    match = re.search(r"(\d+) files? in all: ([^.]*)\.", output)
    return int(match[1]), [int(number) for number in re.findall(r"\d+", match[2])]


@pytest.mark.parametrize(
    "layout",
    [
        f"{AMY}/{LESSON}{{}}.ipynb",
        f"all/amy/{LESSON}{{}}.ipynb",
        "Homework 1_amy_attempt_2026-03-0{day}-22-24-12_hw{}.ipynb",
        "40123-5587{day} - Amy Adams - Mar {day}, 2026 1024 PM/hw{}.ipynb",
    ],
)
def test_a_later_archive_counts_whatever_number_a_browser_gave_to_a_copy(folder, tmp_path, layout):
    for day, (copy, note) in enumerate([(" (7)", "monday"), ("-2024", "wednesday"), ("", "friday")], 1):
        name = layout.format(copy, day=day)
        run(folder, "collect", zipped(tmp_path / f"{note}.zip", [(name, notebook(note=note))]))
        assert note_of(folder, "amy") == note


@pytest.mark.parametrize("first", [True, False])
def test_an_untouched_notebook_never_takes_the_place_of_answers(folder, tmp_path, first):
    copy = untouched(folder)
    files = [("a/mine.ipynb", notebook(note="answers")), ("b/newer (9).ipynb", copy)]
    inner = packed(files if first else files[::-1])
    output = run(folder, "collect", zipped(tmp_path / "a.zip", [(f"{AMY}/work.zip", inner)]))
    assert note_of(folder, "amy") == "answers"
    assert "nothing was changed in" in output
    output = run(folder, "collect", zipped(tmp_path / "b.zip", [(f"{AMY}/{LESSON}.ipynb", copy)]))
    assert note_of(folder, "amy") == "answers"
    assert "no answer in it was changed; the earlier one stays" in output


def test_somebody_who_hands_in_again_on_gradescope_needs_nothing(folder, tmp_path):
    for number, day, note in [(71, 1, "first"), (98, 5, "second"), (71, 1, "first")]:
        listed = (
            f"submission_{number}:\n  :submitters:\n  - :name: Amy Adams\n    :email: amy@example.org\n"
            f"  :created_at: 2026-03-0{day} 10:00:00.0 Z\n"
        )
        files = [("submission_metadata.yml", listed), (f"submission_{number}/x.ipynb", notebook(note=note))]
        run(folder, "collect", zipped(tmp_path / "export.zip", files))
    assert note_of(folder, "amy") == "second"


def test_an_archive_of_whole_folders_is_of_the_lesson_that_was_worked_on(folder, tmp_path):
    other = nbformat.reads(notebook(OTHER), as_version=4)
    files = [(f"work/{LESSON}.ipynb", notebook(note="mine")), (f"work/{OTHER}.ipynb", "")]
    release = folder / "notebooks" / OTHER / f"{OTHER}.ipynb"
    files[1] = (files[1][0], release.read_text(encoding="utf-8"))
    output = run(folder, "collect", zipped(tmp_path / "a.zip", [(f"{AMY}/work.zip", packed(files))]))
    assert note_of(folder, "amy") == "mine"
    assert note_of(folder, "amy", OTHER) is None
    assert f"of {OTHER}, beside their notebook of {LESSON}" in output
    both = [files[0], (f"work/{OTHER}.ipynb", nbformat.writes(other))]
    output = run(folder, "collect", zipped(tmp_path / "b.zip", [(f"{BOB}/work.zip", packed(both))]), code=1)
    assert f"the archive may be of {LESSON} or {OTHER}: --lesson {LESSON}" in output


ARCHIVES = {
    "a zip in a zip": ("work.zip", lambda files: packed([("inner.zip", packed(files))])),
    "four of them": (
        "work.zip",
        lambda files: packed([("a.zip", packed([("b.zip", packed([("c.zip", packed(files))]))]))]),
    ),
    "tar.gz": ("work.tar.gz", tarred),
    "tar in zip": ("work.zip", lambda files: packed([("work.tgz", tarred(files))])),
    "backslashes": (
        "work.zip",
        lambda files: packed([(name.replace("/", "\\"), text) for name, text in files]),
    ),
}


@pytest.mark.parametrize("kind", ARCHIVES)
def test_archives_of_every_kind_are_opened_and_all_of_their_files_are_counted(folder, tmp_path, kind):
    name, pack = ARCHIVES[kind]
    files = [
        *((f"work/.git/objects/{number:03}", b"x") for number in range(150)),
        ("work/venv/lib/site.py", b""),
        (f"work/notebooks/{LESSON}/{LESSON}.ipynb", notebook(note="mine")),
        (f"work/notebooks/.ipynb_checkpoints/{LESSON}-checkpoint.ipynb", untouched(folder)),
        ("work/report.pdf", b"%PDF"),
    ]
    output = run(folder, "collect", zipped(tmp_path / "all.zip", [(f"{AMY}/{name}", pack(files))]))
    assert note_of(folder, "amy") == "mine"
    assert numbers(output) == (len(files), [1, 0, len(files) - 1, 0, 0])


def test_an_archive_without_a_notebook_and_one_that_is_not_opened_are_named(folder, tmp_path):
    files = [(f"{AMY}/work.zip", packed([("essay.docx", b"x")])), (f"{BOB}/work.zip", packed([]))]
    files.append((f"{JOERG}/work.7z", b"7z"))
    output = run(folder, "collect", zipped(tmp_path / "all.zip", files), code=1)
    assert f"{AMY}/work.zip/essay.docx" in output
    assert "an archive that holds no file of theirs" in output
    assert f"{JOERG}/work.7z: archives of this kind are not opened here: unpack it" in output
    assert numbers(output) == (3, [0, 0, 2, 0, 1])


def test_every_file_ends_in_one_list(folder, tmp_path):
    files = [
        (f"{AMY}/{LESSON}.ipynb", notebook(note="old")),
        (f"{AMY}/{LESSON} (1).ipynb", notebook(note="new")),
        (f"{AMY}/{LESSON} (2).ipynb", notebook(note="new")),
        (f"{BOB}/{OTHER}.ipynb", notebook(OTHER)),
        (f"Nobody Known_804_{MOODLE}/{LESSON}.ipynb", notebook()),
        (f"{JOERG}/work.rar", b"Rar!"),
        (f"{JOERG}/photo.png", b"\x89PNG"),
        ("__MACOSX/._x", b""),
    ]
    output = run(folder, "collect", zipped(tmp_path / "all.zip", files), code=1)
    assert note_of(folder, "amy") == "new"
    assert numbers(output) == (len(files), [1, 2, 2, 2, 1])


class WithoutFlag(zipfile.ZipInfo):
    """A file whose name is UTF-8 without the flag that says so, as Finder and rubyzip write it."""

    def _encodeFilenameFlags(self):
        return self.filename.encode("utf-8"), self.flag_bits & ~0x800


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_names_without_the_flag_of_utf_8_are_read(folder, tmp_path, form):
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
        name = unicodedata.normalize(form, f"{JOERG}/{LESSON}.ipynb")
        archive.writestr(WithoutFlag(name), notebook(note="jörg's"))
    run(folder, "collect", tmp_path / "all.zip")
    assert note_of(folder, "joerg") == "jörg's"


@pytest.mark.parametrize("name", ["amy_01-convolution.ipynb", "amy@example.org.ipynb", "Amy Adams (2).ipynb"])
def test_one_notebook_that_came_by_mail_is_taken(folder, tmp_path, name):
    (tmp_path / name).write_text(notebook(note="late"), encoding="utf-8")
    run(folder, "collect", tmp_path / name)
    assert note_of(folder, "amy") == "late"


@pytest.mark.parametrize(
    ("files", "whose"),
    [
        (["Jean-Amy Adams_9_assignsubmission_file/x.ipynb"], []),
        (["Group 1-Amy Adams_9_assignsubmission_file/x.ipynb"], ["amy"]),
        (
            ["Reds-Amy Adams_9_assignsubmission_file/x", "Reds-Bob Brown_8_assignsubmission_file/x"],
            ["amy", "bob"],
        ),
        (["hw_1_x_amy_attempt_2026-03-01-22-24-12_x.ipynb"], ["amy"]),
        (["hw_x_amy_attempt_2026-03-01-22-24-12_x", "hw_bob_attempt_2026-03-01-22-24-12_x"], ["bob"]),
        (["amy.adams.ipynb"], ["amy"]),
        (["amy.ba.ipynb"], []),
        (["bob_final version.ipynb"], []),
        (
            ["bob_final version.ipynb", "amy_01-convolution.ipynb", "jane1_01-convolution.ipynb"],
            ["amy", "bob", "jane1"],
        ),
        (["jane1_final version.ipynb"], ["jane1"]),
        (["amy@example.org_1_handed in.ipynb"], ["amy"]),
        (["guest/jane1_final version.ipynb", "bob/x.ipynb"], ["bob"]),
        (["Participant 801_801_assignsubmission_file/x.ipynb"], []),
        (["LATE_anon_Qb9rT_902_x.ipynb", "anon_Qb9rT_903_x.ipynb"], []),
    ],
)
def test_a_part_of_a_name_is_nobodys_unless_something_bears_it_out(folder, tmp_path, files, whose):
    named = [(name if "." in name else f"{name}.ipynb", notebook()) for name in files]
    run(folder, "collect", zipped(tmp_path / "h.zip", named), code=int(len(whose) < len(files)))
    assert [
        who for who in ("amy", "bob", "jane1", "jane2", "joerg") if note_of(folder, who) is not None
    ] == whose
