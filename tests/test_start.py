"""What `start.py` promises: it sets the course up, mends what it can, and says the rest in a sentence."""

from __future__ import annotations

import ast
import errno
import importlib.util
import json
import os
import shutil
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import pytest

START = Path(__file__).parent.parent / "start.py"

# A build backend without any dependency, so that a tiny course can be installed offline for real.
BACKEND = """
import zipfile
from pathlib import Path

def make_wheel(folder, name, version, files, scripts=""):
    about = f"{name}-{version}.dist-info"
    files = dict(files)
    files[f"{about}/METADATA"] = f"Metadata-Version: 2.1\\nName: {name}\\nVersion: {version}\\n"
    files[f"{about}/WHEEL"] = "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n"
    files[f"{about}/entry_points.txt"] = scripts
    files[f"{about}/RECORD"] = "".join(f"{file},,\\n" for file in [*files, f"{about}/RECORD"])
    wheel = f"{name}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(Path(folder, wheel), "w") as archive:
        for file, text in files.items():
            archive.writestr(file, text)
    return wheel

def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    return make_wheel(wheel_directory, "tiny_course", "1.0", {})
"""

# Stands in for JupyterLab, pytest and the autograder: it tells how it was called.
ECHO = """
import json, os, sys
print(json.dumps({"module": __spec__.name, "arguments": sys.argv[1:], "folder": os.getcwd()}))
sys.exit(5 if "fail" in sys.argv else 0)
"""


class Course(NamedTuple):
    """A folder with start.py and the smallest course it can set up."""

    folder: Path
    wheels: Path
    first_starts: list[tuple[int, str, str]]

    def environment(self, **changes: str) -> dict[str, str]:
        """An environment in which pip sees the course's own wheels and nothing else."""
        clean = {name: value for name, value in os.environ.items() if not name.upper().startswith("PIP_")}
        offline = {"PIP_CONFIG_FILE": os.devnull, "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": self.wheels.as_uri()}
        return {**clean, "NO_PROXY": "*", "PYTHONIOENCODING": "utf-8", **offline, **changes}

    def popen(self, *arguments: str, **changes: str) -> subprocess.Popen[str]:
        """`python start.py …`, started and not waited for."""
        return subprocess.Popen(
            [sys.executable, str(self.folder / "start.py"), *arguments],
            env=self.environment(**changes),
            cwd=self.folder.parent,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            # A shell that runs the tests in the background has them ignore interrupts; a terminal has not.
            preexec_fn=None if os.name == "nt" else partial(signal.signal, signal.SIGINT, signal.SIG_DFL),
        )

    def start(self, *arguments: str, **changes: str) -> tuple[int, str, str]:
        """Exit code, output and messages of `python start.py …`."""
        return finished(self.popen(*arguments, **changes))

    def module(self) -> ModuleType:
        """The course's start.py, imported."""
        spec = importlib.util.spec_from_file_location("start_under_test", self.folder / "start.py")
        assert spec
        assert spec.loader
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    @property
    def site_packages(self) -> Path:
        """Where the course's .venv keeps its packages."""
        folder: Path = self.module().site_packages()
        return folder


def finished(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    """Exit code, output and messages of a process, once it has ended."""
    output, messages = process.communicate(timeout=120)
    return process.returncode, output, messages


def new_course(place: Path) -> Course:
    """A tiny course in a folder with a space and an umlaut in its name, not yet set up."""
    folder, wheels = place / "my cöurse", place / "wheels"
    folder.mkdir()
    wheels.mkdir()
    shutil.copy(START, folder)
    (folder / "notebooks").mkdir()
    (folder / "backend.py").write_text(BACKEND, encoding="utf-8")
    (folder / "pyproject.toml").write_text(
        '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n'
        '[project]\nname = "tiny-course"\nversion = "1.0"\n',
        encoding="utf-8",
    )
    (folder / "requirements.lock").write_text("# nothing but\npebble==1.0\n", encoding="utf-8")
    backend: dict[str, object] = {}
    exec(BACKEND, backend)
    files = {f"{name}/__main__.py": ECHO for name in ("jupyterlab", "pytest", "autograder")}
    files["pebble.py"] = "def say():\n    print('a pebble')\n"
    make_wheel = backend["make_wheel"]
    assert callable(make_wheel)
    make_wheel(wheels, "pebble", "1.0", files, scripts="[console_scripts]\npebble-say = pebble:say\n")
    return Course(folder, wheels, [])


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Course:
    """A course that two starts at the same time have set up. Tests leave it as they found it."""
    made = new_course(tmp_path_factory.mktemp("start"))
    both = [made.popen("run", "pebble-say") for _ in range(2)]
    made.first_starts.extend(finished(process) for process in both)
    return made


@pytest.fixture
def bare(tmp_path: Path) -> ModuleType:
    """start.py of a course that is not set up, imported."""
    return new_course(tmp_path).module()


# --- setting up -----------------------------------------------------------------------------------


def test_two_first_starts_at_once_share_one_set_up(course: Course) -> None:
    codes = [code for code, _, _ in course.first_starts]
    outputs = [output.split() for _, output, _ in course.first_starts]
    messages = "".join(messages for _, _, messages in course.first_starts)
    assert codes == [0, 0], messages
    assert outputs == [["a", "pebble"], ["a", "pebble"]]
    assert messages.count("Making .venv") == 1
    assert messages.count("Installing the other packages") == 1


def test_a_first_start_says_each_stage_and_how_much_it_downloads(course: Course) -> None:
    messages = "".join(messages for _, _, messages in course.first_starts)
    assert "400 MB" in messages
    for stage in (
        "Making .venv",
        "Installing the other packages",
        "Installing the course itself",
        "Ready after",
    ):
        assert stage in messages


def test_a_second_start_with_nothing_changed_never_calls_pip(course: Course) -> None:
    pip, away = course.site_packages / "pip", course.site_packages / "pip-hidden"
    pip.rename(away)
    try:
        code, output, messages = course.start("run", "python", "-c", "print('hello')")
    finally:
        away.rename(pip)
    assert (code, output.strip(), messages) == (0, "hello", "")


def test_commands_run_with_the_python_of_the_course(course: Course) -> None:
    code, output, _ = course.start("run", "python", "-c", "import sys, pebble; print(sys.prefix)")
    assert code == 0
    assert Path(output.strip()).samefile(course.folder / ".venv")


def test_packages_named_in_pythonpath_do_not_leak_into_the_course(course: Course, tmp_path: Path) -> None:
    (tmp_path / "pebble.py").write_text("raise SystemExit('the wrong pebble')", encoding="utf-8")
    code, _, messages = course.start("run", "python", "-c", "import pebble", PYTHONPATH=str(tmp_path))
    assert (code, messages) == (0, "")


def test_lab_opens_on_the_notebooks_and_passes_options_on(course: Course) -> None:
    code, output, _ = course.start("lab", "--no-browser", "--port", "8890")
    told = json.loads(output)
    assert code == 0
    assert told["module"] == "jupyterlab.__main__"
    assert f"--ServerApp.root_dir={course.folder.resolve() / 'notebooks'}" in told["arguments"]
    assert told["arguments"][-3:] == ["--no-browser", "--port", "8890"]
    assert Path(told["folder"]).samefile(course.folder)


@pytest.mark.parametrize(
    ("typed", "module", "arguments"),
    [
        (["test", "-x", "tests"], "pytest", ["-x", "tests"]),
        (["build", "--check"], "autograder", ["build", "--check"]),
        (["run", "autograder", "audit"], "autograder", ["audit"]),
    ],
)
def test_commands_reach_their_program(
    course: Course, typed: list[str], module: str, arguments: list[str]
) -> None:
    code, output, messages = course.start(*typed)
    assert (code, messages) == (0, "")
    assert json.loads(output)["module"] == f"{module}.__main__"
    assert json.loads(output)["arguments"] == arguments


def test_the_exit_code_of_a_command_comes_through(course: Course) -> None:
    assert course.start("test", "fail")[0] == 5
    assert course.start("run", "python", "-c", "raise SystemExit(7)")[0] == 7


def test_a_program_that_is_nowhere_gets_the_nearest_name(course: Course) -> None:
    code, _, messages = course.start("run", "pebble-sai")
    assert code == 127
    assert "did you mean `pebble-say`?" in messages


def test_lab_without_notebooks_says_how_to_make_them(course: Course) -> None:
    (course.folder / "notebooks").rmdir()
    try:
        code, _, messages = course.start("lab")
    finally:
        (course.folder / "notebooks").mkdir()
    assert code == 1
    assert "start.py build" in messages


# --- what is broken is mended ---------------------------------------------------------------------


def test_a_finished_set_up_needs_nothing(course: Course) -> None:
    assert course.module().condition() == ("ready", "")


def test_a_stamp_says_why_an_environment_must_be_made_again(course: Course) -> None:
    start = course.module()
    stamp = start.STAMP.read_text(encoding="utf-8")
    whole = json.loads(stamp)
    reasons = {
        json.dumps({**whole, "place": "/somewhere/else/.venv"}): "came here from another folder",
        json.dumps({**whole, "python": "3.9"}): "belongs to Python 3.9",
        stamp[: len(stamp) // 2]: "was not finished",
        "[]": "was not finished",
    }
    try:
        for text, reason in reasons.items():
            start.STAMP.write_text(text, encoding="utf-8")
            state, why = start.condition()
            assert state == "remake"
            assert reason in why
    finally:
        start.STAMP.write_text(stamp, encoding="utf-8")


def test_a_new_lock_or_a_lost_package_is_an_update(course: Course) -> None:
    start = course.module()
    lock = start.LOCK.read_text(encoding="utf-8")
    lost = next(course.site_packages.glob("pebble-*.dist-info"))
    start.LOCK.write_text(lock + "another==1.0\n", encoding="utf-8")
    try:
        assert start.condition()[0] == "update"
    finally:
        start.LOCK.write_text(lock, encoding="utf-8")
    lost.rename(lost.with_suffix(".hidden"))
    try:
        assert start.condition() == ("update", "packages are missing")
    finally:
        lost.with_suffix(".hidden").rename(lost)


@pytest.mark.skipif(os.name == "nt", reason="the interpreter of a .venv is a link only off Windows")
@pytest.mark.parametrize("leads_to", ["/nowhere/python", "/bin/false", "/etc"])
def test_an_interpreter_that_is_gone_or_does_not_start_is_noticed(course: Course, leads_to: str) -> None:
    start = course.module()
    python = start.venv_python()
    target = os.readlink(python)
    python.unlink()
    python.symlink_to(leads_to)
    try:
        assert start.condition() == ("remake", "has a Python that does not start")
    finally:
        python.unlink()
        python.symlink_to(target)


def test_a_broken_environment_that_was_moved_here_is_made_again(course: Course, tmp_path: Path) -> None:
    moved = course._replace(folder=tmp_path / "moved hére")
    shutil.copytree(course.folder, moved.folder, symlinks=True)
    moved.module().venv_python().unlink()
    code, output, messages = moved.start("run", "pebble-say")
    assert (code, output.strip()) == (0, "a pebble"), messages
    assert "so it is made again" in messages
    assert moved.module().condition() == ("ready", "")


@pytest.mark.skipif(os.name == "nt", reason="sends an interrupt as a terminal does")
def test_an_interrupted_set_up_is_quiet_and_the_next_start_begins_anew(tmp_path: Path) -> None:
    course = new_course(tmp_path)
    process = course.popen("run", "pebble-say")
    assert process.stderr
    assert any("Making .venv" in line for line in process.stderr)
    process.send_signal(signal.SIGINT)
    code, _, messages = finished(process)
    assert (code, messages.strip()) == (130, "Stopped; start again to go on.")
    assert course.module().condition()[0] in ("make", "remake")


def test_without_a_network_the_sentence_says_so_and_nothing_is_lost(course: Course) -> None:
    lock = course.folder / "requirements.lock"
    before = lock.read_text(encoding="utf-8")
    lock.write_text(before + "absent==1.0\n", encoding="utf-8")
    unreachable = {"PIP_NO_INDEX": "0", "PIP_INDEX_URL": "http://127.0.0.1:9/simple", "PIP_RETRIES": "0"}
    try:
        code, _, messages = course.start("run", "pebble-say", **unreachable)
    finally:
        lock.write_text(before, encoding="utf-8")
    assert code == 1
    assert "Look whether this machine is online" in messages
    assert "pip says: " in messages
    assert "Failed to establish a new connection" in messages
    assert "Traceback" not in messages
    assert course.start("run", "pebble-say") == (0, "a pebble\n", "")


# --- a sentence for what cannot be mended ---------------------------------------------------------


def test_the_file_parses_on_a_python_that_is_too_old() -> None:
    ast.parse(START.read_text(encoding="utf-8"), feature_version=(3, 6))


@pytest.mark.parametrize("version", [(3, 11, 0), (3, 12, 9), (3, 13, 1)])
def test_a_python_that_fits_raises_no_complaint(bare: ModuleType, version: tuple[int, ...]) -> None:
    assert bare.python_complaint(version) == ""


@pytest.mark.parametrize(("version", "age"), [((2, 7, 18), "old"), ((3, 10, 13), "old"), ((3, 14, 0), "new")])
def test_another_python_is_told_what_the_course_runs_on(
    bare: ModuleType, version: tuple[int, ...], age: str
) -> None:
    complaint = bare.python_complaint(version)
    assert f"{version[0]}.{version[1]}, which is too {age}" in complaint
    assert "3.11 to 3.13" in complaint


def test_the_advice_names_a_python_that_fits_where_there_is_one(
    bare: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bare, "answers", lambda command: "3.12" in command[0] + command[1])
    monkeypatch.setattr(sys, "argv", ["start.py", "lab"])
    advice = bare.python_advice(["lab"])
    assert advice.endswith("3.12 start.py lab")
    monkeypatch.setattr(bare, "answers", lambda command: False)
    assert "python.org" in bare.python_advice(["lab"])


def test_a_python_without_venv_is_told_the_package_to_install(
    bare: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bare.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(bare.Stop, match=rf"apt install python3\.{sys.version_info.minor}-venv"):
        bare.make_venv()


@pytest.mark.parametrize(("typed", "meant"), [("lap", "lab"), ("tests", "test"), ("biuld", "build")])
def test_an_unknown_command_gets_the_nearest_name(bare: ModuleType, typed: str, meant: str) -> None:
    with pytest.raises(bare.Stop, match=f"did you mean `{meant}`") as stopped:
        bare.main([typed])
    assert stopped.value.code == 2


def test_without_a_command_there_is_help_and_no_set_up(
    bare: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    assert bare.main([]) == 0
    text = capsys.readouterr().out
    assert all(f"  {command} " in text for command in bare.COMMANDS)
    assert not bare.VENV.exists()


def test_an_incomplete_folder_is_said_to_be_one(bare: ModuleType) -> None:
    bare.LOCK.unlink()
    with pytest.raises(bare.Stop, match=r"requirements\.lock is missing"):
        bare.content()


@pytest.mark.parametrize(
    ("number", "sentence"),
    [
        (errno.EROFS, "Copy the course to a folder that is yours"),
        (errno.EACCES, "Copy the course to a folder that is yours"),
        (errno.ENOSPC, "The disk is full"),
    ],
)
def test_trouble_with_the_disk_gets_a_sentence(
    bare: ModuleType,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    number: int,
    sentence: str,
) -> None:
    def fail(arguments: list[str]) -> int:
        raise OSError(number, os.strerror(number), "somewhere")

    monkeypatch.setattr(bare, "main", fail)
    assert bare.guarded_main([]) == 1
    assert sentence in capsys.readouterr().err


PIP_LOGS = {
    "The disk is full": """
2026-11-21T02:40:11,201   Downloading torch-2.13.0.whl (190 MB)
2026-11-21T02:40:19,022 ERROR: Could not install packages due to an OSError: \
[Errno 28] No space left on device
""",
    "Copy the course to a folder": """
2026-11-21T02:40:19,022 ERROR: Could not install packages due to an OSError: \
[Errno 13] Permission denied: '/course/.venv/lib'
2026-11-21T02:40:19,022 Check the permissions.
""",
    "Look whether this machine is online": """
2026-11-21T02:40:11,201 WARNING: Retrying (Retry(total=0, connect=None, read=None, redirect=None, \
status=None)) after connection broken by 'NewConnectionError('<pip._vendor.urllib3.connection.\
HTTPSConnection object at 0x7f5>: Failed to establish a new connection: [Errno -3] Temporary failure in \
name resolution')': /simple/torch/
2026-11-21T02:40:19,022 ERROR: No matching distribution found for torch==2.13.0
""",
    "there is no package for this machine": """
2026-11-21T02:40:18,922 ERROR: Could not find a version that satisfies the requirement torch==2.13.0
2026-11-21T02:40:19,022 ERROR: No matching distribution found for torch==2.13.0
""",
    "delete the folder .venv first. It says: ERROR: something unheard of": """
2026-11-21T02:40:19,022 ERROR: something unheard of
2026-11-21T02:40:19,022 Remote version of pip: 26.3
""",
}


@pytest.mark.parametrize("sentence", PIP_LOGS)
def test_what_pip_wrote_becomes_a_sentence(bare: ModuleType, sentence: str) -> None:
    assert sentence in str(bare.failure(PIP_LOGS[sentence], "pip did not finish"))


def test_only_a_failure_of_the_network_leaves_the_environment_as_it_was(bare: ModuleType) -> None:
    offline = [bare.failure(log, "pip").offline for log in PIP_LOGS.values()]
    assert offline == [False, False, True, False, False]


# --- torch without CUDA ---------------------------------------------------------------------------

WITH_CPU_BUILD = """\
torch (2.14.0)
Available versions: 2.14.0, 2.13.0+cpu, 2.13.0, 2.12.1
"""
WITHOUT_CPU_BUILD = """\
torch (2.14.0)
Available versions: 2.14.0, 2.13.0, 2.12.1
  INSTALLED: 2.12.1
  LATEST:    2.14.0
"""


def test_the_versions_pip_offers_are_read_from_its_report(bare: ModuleType) -> None:
    assert bare.offered_versions(WITH_CPU_BUILD) == ["2.14.0", "2.13.0+cpu", "2.13.0", "2.12.1"]
    assert bare.offered_versions(WITHOUT_CPU_BUILD) == ["2.14.0", "2.13.0", "2.12.1"]
    assert bare.offered_versions("") == []


class Offers:
    """Answers as pip would, and remembers which index was asked."""

    def __init__(self, own: str, cpu_index: str) -> None:
        self.own, self.cpu_index = own, cpu_index
        self.asked: list[str] = []

    def reader(self, start: ModuleType):  # type: ignore[no-untyped-def]
        """The function start.py calls to learn what is offered."""

        def offers(*arguments: str) -> list[str]:
            self.asked.append("the CPU index" if start.CPU_INDEX in arguments else "pip's own")
            found: list[str] = start.offered_versions(self.cpu_index if arguments else self.own)
            return found

        return offers


def test_a_cpu_build_that_pip_offers_is_taken_without_asking_elsewhere(bare: ModuleType) -> None:
    offers = Offers(WITH_CPU_BUILD, WITH_CPU_BUILD)
    assert bare.torch_arguments("2.13.0", "linux", "cpu", offers.reader(bare)) == [
        "torch==2.13.0+cpu",
        "--no-deps",
    ]
    assert offers.asked == ["pip's own"]


def test_where_pip_offers_only_cuda_the_cpu_index_is_used(bare: ModuleType) -> None:
    offers = Offers(WITHOUT_CPU_BUILD, WITH_CPU_BUILD)
    arguments = bare.torch_arguments("2.13.0", "linux", "cpu", offers.reader(bare))
    assert arguments == ["torch==2.13.0+cpu", "--no-deps", "--index-url", bare.CPU_INDEX]


def test_where_the_cpu_index_is_silent_the_learner_is_told_how_large_cuda_is(
    bare: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = bare.torch_arguments("2.13.0", "linux", "cpu", Offers(WITHOUT_CPU_BUILD, "").reader(bare))
    assert arguments == ["torch==2.13.0", "--constraint", str(bare.LOCK)]
    assert "up to 3 GB" in capsys.readouterr().err


def test_where_nothing_answers_pip_is_soon_done_with_trying(
    bare: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = bare.torch_arguments("2.13.0", "linux", "cpu", Offers("", "").reader(bare))
    assert arguments[-2:] == ["--retries", "1"]
    assert "up to 3 GB" in capsys.readouterr().err  # should an index answer after all


@pytest.mark.parametrize(("platform", "wish"), [("darwin", "cpu"), ("win32", "cpu"), ("linux", "default")])
def test_off_linux_or_on_request_pips_own_choice_is_taken(bare: ModuleType, platform: str, wish: str) -> None:
    offers = Offers(WITH_CPU_BUILD, WITH_CPU_BUILD)
    arguments = bare.torch_arguments("2.13.0", platform, wish, offers.reader(bare))
    assert arguments == ["torch==2.13.0", "--constraint", str(bare.LOCK)]
    assert offers.asked == []


def test_an_unknown_wish_for_torch_names_the_known_ones_and_changes_nothing(
    bare: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("START_TORCH", "gpu")
    with pytest.raises(bare.Stop, match="`default`"):
        bare.set_up()
    assert not bare.VENV.exists()


def test_torch_is_installed_in_whatever_build_it_has(bare: ModuleType) -> None:
    for build in ("torch-2.13.0", "torch-2.13.0+cpu"):
        (bare.site_packages() / f"{build}.dist-info").mkdir(parents=True)
        assert bare.is_installed("torch", "2.13.0")
        assert not bare.is_installed("torch", "2.13")
        (bare.site_packages() / f"{build}.dist-info").rmdir()
    assert not bare.is_installed("torch", "2.13.0")
