"""Pack a lesson's autograder for Gradescope: a zip file that sets up a container and grades in it."""

from __future__ import annotations

import secrets
import shlex
import tempfile
import zipfile
from pathlib import Path

import tomlkit

from autograder.author.settings import CONFIG
from autograder.author.translated_lesson import SHARED
from autograder.classroom import bundle_wheels
from autograder.grading.hidden_tests.secret import NAME, OWN_FOLDER
from autograder.records import bank
from autograder.records.course import FILE, Course
from autograder.records.file_digests import beside
from autograder.words.language import MESSAGES

# Who sees the tests, and when, as Gradescope calls it.
VISIBILITIES = ("visible", "after_due_date", "after_published", "hidden")
# Python and its packages lie where the user who runs a student's code can read them, and the answers do not.
SETUP = """\
#!/usr/bin/env bash
# Gradescope runs this once, when it makes the container.
set -euo pipefail
cd /autograder/source
apt-get update
apt-get install --yes python3-venv
python3 -m venv /opt/uv
/opt/uv/bin/pip install --quiet uv
export UV_PYTHON_INSTALL_DIR=/opt/python UV_NO_CACHE=1
/opt/uv/bin/uv venv --python {python} /opt/autograder
/opt/uv/bin/uv pip install --python /opt/autograder/bin/python --torch-backend cpu {needs}
chmod -R go-rwx /autograder/source
"""
RUN = """\
#!/usr/bin/env bash
# Gradescope runs this for each submission.
export {variable}=/autograder/source/{secret} OMP_NUM_THREADS=1 PYTHONDONTWRITEBYTECODE=1
cd /autograder/source/course
exec /opt/autograder/bin/python -m autograder.grading.gradescope_container {lesson} {visibility}{scale}
"""
PYTHON = "3.12"


def pack(course: Course, lesson: str, out: Path, visibility: str, scale: bool = False) -> Path:
    """Write the zip file of a lesson's autograder.

    Its hidden probes are drawn from a new secret. The instructor's own secret is not in it.

    Args:
        course: the course.
        lesson: the lesson's name.
        out: the path of the zip file.
        visibility: Gradescope's visibility of the tests, such as "visible" or "after_published".
        scale: whether to scale the scores if Gradescope's maximum is not ours.

    Returns:
        The path of the zip file.

    Raises:
        CannotBundle: the lesson is not built, or the tool is not installed as a distribution.
    """
    content = {f"course/{path}": data for path, data in _course(course, lesson).items()}
    content[f"{NAME}/{NAME}"] = secrets.token_hex(32).encode()
    with tempfile.TemporaryDirectory(prefix="wheel-") as folder:
        wheel = bundle_wheels.tool_wheel(Path(folder))
        content[wheel] = (Path(folder) / wheel).read_bytes()
    needs = [f"./{wheel}[grade]", *bundle_wheels.project(course)["dependencies"][1:]]
    lock = course.root / "requirements.lock"
    if lock.is_file():
        content[lock.name] = "".join(f"{line}\n" for line, _ in bundle_wheels.locked(lock)).encode()
        needs += ["--constraints", lock.name]
    scripts = {
        "setup.sh": SETUP.format(python=PYTHON, needs=shlex.join(needs)),
        "run_autograder": RUN.format(
            variable=OWN_FOLDER,
            secret=NAME,
            lesson=lesson,
            visibility=visibility,
            scale=" --scale" if scale else "",
        ),
    }
    with beside(out) as fresh, zipfile.ZipFile(fresh, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in {**{name: text.encode() for name, text in scripts.items()}, **content}.items():
            entry = zipfile.ZipInfo(path)
            entry.external_attr = (0o755 if path in scripts else 0o600) << 16
            archive.writestr(entry, data, zipfile.ZIP_DEFLATED)
    return out


def _course(course: Course, lesson: str) -> dict[str, bytes]:
    """Return what a container needs of the course, for one lesson."""
    bundle_wheels.release(course, lesson)
    described = tomlkit.parse(bundle_wheels.described(course, [lesson]))
    described["bank"] = "bank"
    files = [
        course.root / CONFIG,
        *(course.root / name for name in filter(None, (course.adds.experiments, course.adds.platforms))),
        *course.source.glob("*.py"),
        *(file for file in (course.source / lesson).iterdir() if file.suffix in (".py", ".toml")),
        *(course.root / "notebooks").glob(f"{lesson}/{lesson}.ipynb"),
        *(course.root / "notebooks").glob(f"*/{lesson}/{lesson}.ipynb"),
    ]
    answers = [
        *bank.paths(lesson, course.bank),
        *(file for name in (lesson, SHARED, MESSAGES) for file in course.bank.glob(f"*/{name}.mo")),
    ]
    return {
        FILE: tomlkit.dumps(described).encode(),
        **{file.relative_to(course.root).as_posix(): file.read_bytes() for file in files},
        **{f"bank/{file.relative_to(course.bank).as_posix()}": file.read_bytes() for file in answers},
        **bundle_wheels.packages(course, [lesson]),
    }
