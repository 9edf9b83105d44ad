"""Try what `start.py` promises: it sets the course up, mends what it can, and says the rest in a sentence."""

import ast
import contextlib
import importlib.util
import os
import shutil
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import NamedTuple
from unittest.mock import Mock

import pytest

pytestmark = pytest.mark.sample(10)

START = Path(__file__).parent.parent / "start.py"

# Stands in for JupyterLab, pytest and the autograder: it tells how it was called.
ECHO = """
import os, sys
here = os.path.basename(os.getcwd())
print(here, __spec__.name, *sys.argv[1:], flush=True)
fails = {"fail", os.environ.get("FAILS")} & {here, *sys.argv}
for word in sys.argv:
    if word.startswith("--junitxml="):
        skipped = '<testcase name="c"><skipped message="needs Chromium: apt"/></testcase>'
        outcome = f"<testcase name='b'>{'<failure/>' * bool(fails)}</testcase>"
        first_attempt = outcome * ("AGAIN" in os.environ)
        with open(word.partition("=")[2], "w") as file:
            file.write(f"<testsuites><testcase name='a'/>{first_attempt}{outcome}{skipped}</testsuites>")
sys.exit(1 if fails else 0)
"""
# Stands in for uv: it knows only what uv's own variables say of indexes, and lets pip install.
FAKE_UV = """
import os, runpy, sys
if "UV_BREAKS" in os.environ: sys.exit("error: uv broke")
for name in [name for name in os.environ if name.startswith("PIP_")]: del os.environ[name]
for name in ("NO_INDEX", "FIND_LINKS"): os.environ[f"PIP_{name}"] = os.environ[f"UV_{name}"]
sys.argv[1:5] = ["install"]  # pip install --python PYTHON
runpy.run_module("pip", run_name="__main__")
"""
# A build backend without any dependency, so that a tiny course can be installed without a network.
BACKEND = """
import os, zipfile
def build_editable(folder, config_settings=None, metadata_directory=None):
    name = "tiny_tool" if os.getcwd().endswith("autograder") else "tiny_course"
    return make_wheel(folder, name, {f"{name}.pth": os.getcwd()})
def make_wheel(folder, name, files):
    about = f"{name}-1.0.dist-info"
    files = {f"{about}/METADATA": f"Metadata-Version: 2.1\\nName: {name}\\nVersion: 1.0\\n",
             f"{about}/WHEEL": "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n", **files}
    files[f"{about}/RECORD"] = "".join(f"{file},,\\n" for file in [*files, f"{about}/RECORD"])
    with zipfile.ZipFile(f"{folder}/{name}-1.0-py3-none-any.whl", "w") as archive:
        for file, text in files.items(): archive.writestr(file, text)
    return f"{name}-1.0-py3-none-any.whl"
"""
PROJECT = """
build-system = {{requires = [], build-backend = 'backend', backend-path = ['.']}}
project = {{name = '{name}', version = '1.0'}}
"""
TEXTS = {
    **{f"{folder}backend.py": BACKEND for folder in ("", "autograder/")},
    "pyproject.toml": PROJECT.format(name="tiny-course"),
    "autograder/pyproject.toml": PROJECT.format(name="tiny-tool"),
    "requirements.lock": "# nothing but\npebble==1.0\n",
    "autograder/tiny_tool.py": "print('the tool')\n",
}
PEBBLE = {
    **{f"{name}/__main__.py": ECHO for name in ("jupyterlab", "pytest", "autograder")},
    "pebble.py": "def say():\n    print('a pebble')\n",
    "pebble-1.0.dist-info/entry_points.txt": "[console_scripts]\npebble-say = pebble:say\n",
}


class Course(NamedTuple):
    """A folder with start.py and the smallest course it can set up, and the wheels for it."""

    folder: Path
    wheels: Path

    def popen(self, typed, **changes):
        """Start `python start.py …` where pip sees the course's own wheels and nothing else."""
        clean = {name: value for name, value in os.environ.items() if not name.startswith(("PIP_", "UV_"))}
        offline = {"PIP_CONFIG_FILE": os.devnull, "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": self.wheels.as_uri()}
        return subprocess.Popen(
            [sys.executable, str(self.folder / "start.py"), *(typed.split(" ") if typed else [])],
            env={**clean, "NO_PROXY": "*", "PYTHONIOENCODING": "utf-8", **offline, **changes},
            cwd=self.folder.parent,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            # A shell that runs the tests in the background has them ignore interrupts; a terminal has not.
            preexec_fn=None if os.name == "nt" else partial(signal.signal, signal.SIGINT, signal.SIG_DFL),
        )

    def start(self, typed, **changes):
        """Give the exit code, output and messages of `python start.py …`."""
        process = self.popen(typed, **changes)
        output, messages = process.communicate(timeout=120)
        return process.returncode, output, messages

    def module(self):
        """Import the course's start.py."""
        spec = importlib.util.spec_from_file_location("start_under_test", self.folder / "start.py")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module


def new_course(root):
    """Write a tiny course, not yet set up, in a folder with a space and an umlaut in its name."""
    course = Course(root / "my cöurse", root / "wheels")
    course.wheels.mkdir()
    for name in ("notebooks", "autograder"):
        (course.folder / name).mkdir(parents=True)
    shutil.copy(START, course.folder)
    for name, text in TEXTS.items():
        (course.folder / name).write_text(text, encoding="utf-8")
    exec(BACKEND, tools := {})
    tools["make_wheel"](course.wheels, "pebble", PEBBLE)
    tools["make_wheel"](course.wheels, "uv", {"uv/__main__.py": FAKE_UV})
    return course


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """Let two starts at the same time set a course up. Tests leave it as they found it."""
    result = new_course(tmp_path_factory.mktemp("start"))
    with ThreadPoolExecutor() as threads:
        both = list(threads.map(result.start, ["run pebble-say"] * 2))
    messages = "".join(messages for _, _, messages in both)
    assert [(code, output) for code, output, _ in both] == [(0, "a pebble\n")] * 2, messages
    assert messages.count("Making .venv") == messages.count("Installing the other packages") == 1
    assert "pip installs" not in messages
    return result


@pytest.fixture
def bare(tmp_path):
    """Import start.py of a course that is not set up."""
    return new_course(tmp_path).module()


@contextlib.contextmanager
def changed(path, becomes):
    """Put a text, a link or nothing where a file or folder is, for a while."""
    saved = path.rename(path.with_name(f"kept {path.name}"))
    if becomes is not None:
        path.symlink_to(becomes) if isinstance(becomes, Path) else path.write_text(becomes, encoding="utf-8")
    try:
        yield
    finally:
        path.unlink(missing_ok=True)
        saved.rename(path)


COMMANDS = [
    ("run python -c print(__import__('sys').prefix)", 0, ".venv\n", ""),
    ("run pebble-sai", 127, "", "Did you mean `pebble-say`?"),
    ("run", 0, "", ""),
    ("lab --port 8890", 0, "jupyterlab.__main__ --ServerApp.root_dir=", ""),
    ("lab --port 8890", 0, "--port 8890\n", ""),
    ("test fail -x", 1, "pytest.__main__ fail -x\n", ""),
    ("build --check", 0, "autograder.__main__ build --check\n", ""),
    ("biuld", 2, "", "Did you mean `build`?"),
    ("", 0, "  build  ", ""),
]


@pytest.mark.parametrize(
    ("fails", "code", "passed"), [("nothing", 0, 4), ("autograder", 1, 3), ("tests", 1, 2)]
)
@pytest.mark.parametrize(("typed", "chosen"), [("test", "-m not slow "), ("test --all", "")])
def test_both_halves_run_to_their_end_and_one_line_counts_them(course, fails, code, passed, typed, chosen):
    done, output, _ = course.start(typed, FAILS=fails)
    *halves, counted = output.splitlines()
    assert [line.partition(" ")[0] for line in halves] == ["autograder", course.folder.name.partition(" ")[0]]
    assert all(f"pytest.__main__ -n auto {chosen}--junitxml=" in line for line in halves)
    assert counted == f"Tests: {passed} passed, {4 - passed} failed, 2 skipped (2 need Chromium)"
    assert done == code


def test_a_test_that_had_a_second_attempt_counts_once_and_is_mentioned(course):
    counted = course.start("test", AGAIN="1")[1].splitlines()[-1]
    assert counted == "Tests: 4 passed, 0 failed, 2 skipped (2 need Chromium), 2 second attempts in a browser"


def test_what_only_the_tests_need_is_added_at_their_first_start_and_said(course):
    exec(BACKEND, tools := {})
    tools["make_wheel"](course.wheels, "gravel", {"gravel.py": ""})
    lock = course.folder / "requirements-test.lock"
    try:
        lock.write_text("gravel==1.0\n", encoding="utf-8")
        assert course.start("run python -c import\tgravel")[0] == 1
        assert "need more packages than the lessons" in course.start("test fast")[2]
        assert course.start("run python -c import\tgravel") == (0, "", "")
        assert course.start("test fast")[2] == ""
        lock.write_text("gravel==1.0\nabsent==1.0\n", encoding="utf-8")
        assert course.start("run pebble-say") == (0, "a pebble\n", "")  # a lesson needs none of it
        code, _, messages = course.start("test fast")
        assert (code, "no package for this machine" in messages) == (1, True)
    finally:
        lock.unlink()


@pytest.mark.parametrize(("typed", "code", "output", "messages"), COMMANDS)
def test_a_command_does_what_it_says(course, typed, code, output, messages):
    done = course.start(typed)
    assert done[0] == code
    assert output in done[1]
    assert messages in done[2]


def test_what_a_class_is_given_is_made_again_from_its_wheels_and_builds_nothing(course, tmp_path):
    given = course._replace(folder=tmp_path / "moved hére")
    shutil.copytree(course.folder, given.folder, symlinks=True)
    for path in (
        given.module().PYTHON,
        *(given.folder / name for name in TEXTS if name.endswith((".py", ".toml"))),
    ):
        Path(path).unlink()
    exec(BACKEND, tools := {})
    tools["make_wheel"](given.folder, "old-checks", {"checks.py": "print('old checks')"})
    (given.folder / "old-checks-1.0-py3-none-any.whl").rename(given.folder / "checks-0.9-py3-none-any.whl")
    tools["make_wheel"](given.folder, "checks", {"checks.py": "import tool; print('checks')"})
    tools["make_wheel"](given.folder, "tool", {"tool.py": ""})
    code, output, messages = given.start("run python -m checks")
    assert (code, output, "so it is made again" in messages) == (0, "checks\n", True), messages
    assert given.start("run python -m checks") == (0, "checks\n", "")
    assert "The commands are lab, notebook, run." in given.start("build")[2]
    code, output, _ = given.start("")
    assert (code, "  lab  " in output, "  build  " in output) == (0, True, False)


def test_a_learner_s_jupyterlab_loads_nothing_of_nbgrader(monkeypatch):
    from jupyter_server.extension.config import ExtensionConfigManager
    from jupyter_server.serverapp import ServerApp

    def loaded():
        paths = ServerApp().config_file_paths
        extensions = ExtensionConfigManager(read_config_path=paths).get_jpserver_extensions()
        return {name for name, enabled in extensions.items() if enabled and name.startswith("nbgrader")}

    assert loaded()  # an instructor's has them
    monkeypatch.setenv("JUPYTER_CONFIG_PATH", str(START.parent / ".lab"))
    assert not loaded()


DAMAGE = [
    ("STAMP", '[["/elsewhere/.venv", "3.11"], "", []]', "make", "in another folder"),
    ("STAMP", '[["/elsewhere', "make", "was not finished"),
    ("LOCK", "pebble==1.0\nanother==1.0\n", "update", "the list of packages changed"),
    ("PACKAGES/pebble-1.0.dist-info", None, "update", "packages are missing"),
    ("PYTHON", Path("/bin/false"), "make", "does not start"),
    ("VENV", None, "make", "Setting up the course"),
]


@pytest.mark.parametrize(("file", "becomes", "state", "why"), DAMAGE)
def test_damage_to_an_environment_is_noticed(course, file, becomes, state, why):
    start = course.module()
    assert start.condition() == ("ready", "")
    name, _, below = file.partition("/")
    with changed(Path(getattr(start, name), below), becomes):
        assert start.condition()[0] == state
        assert why in start.condition()[1]


@pytest.mark.parametrize("without_uv", [{}, {"UV_BREAKS": "1"}], ids=["uv", "pip"])
def test_neither_locale_nor_what_lies_beside_nor_pip_s_own_settings_disturb_a_set_up(tmp_path, without_uv):
    course, elsewhere = new_course(tmp_path), tmp_path / "elsewhere"
    for name in ("ast", "difflib", "json", "random", "typing"):
        (course.folder / f"{name}.py").write_text("raise RuntimeError('a learner wrote this')")
    settings = tmp_path / "pip.conf"
    settings.write_text(
        f"[global]\ntarget = {elsewhere}\nuser = true\n[install]\nprefix = {elsewhere}\nroot = {elsewhere}\n"
    )
    odd = {"PIP_CONFIG_FILE": str(settings), "LC_ALL": "xx_YY.UTF-8", "PYTHONIOENCODING": "", **without_uv}
    code, output, messages = course.start("run python -m tiny_tool", **odd)
    assert (code, output) == (0, "the tool\n"), messages
    assert not elsewhere.exists()
    assert course.start("lab", **odd)[0] == 0
    for locale in ("C", "xx_YY.UTF-8", "C.UTF-8"):  # whoever has activated .venv, and every kernel
        command = [course.module().PYTHON, "-m", "tiny_tool"]
        done = subprocess.run(command, env={**os.environ, "LC_ALL": locale}, capture_output=True, check=False)
        assert (done.stdout, done.stderr) == (b"the tool\n", b"")
        assert course.start("run python -m tiny_tool", LC_ALL=locale) == (0, "the tool\n", "")


@pytest.mark.skipif(os.name == "nt", reason="needs Unix: a home elsewhere, and a colon in a path")
@pytest.mark.parametrize(
    ("kind", "advice"), [("home", "HOME names a folder"), ("colon", "rename the folder")]
)
def test_a_folder_that_cannot_do_is_named_with_what_to_do(tmp_path, kind, advice):
    (tmp_path / "a file").write_text("")
    course = new_course(tmp_path)
    if kind == "colon":
        course = course._replace(folder=course.folder.rename(tmp_path / "a:b"))
    home = {"HOME": str(tmp_path / "a file" / "home")} if kind == "home" else {}
    code, _, messages = course.start("lab", **home)
    assert (code, advice in messages, "It says" in messages) == (1, True, False), messages


@pytest.mark.skipif(os.name == "nt", reason="needs Unix: sends an interrupt as a terminal does")
def test_an_interrupted_set_up_is_quiet_and_the_next_start_begins_anew(tmp_path):
    course = new_course(tmp_path)
    process = course.popen("run pebble-say")
    assert any("Making .venv" in line for line in process.stderr)
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=120)[1].strip() == "Stopped; start again to go on."
    assert process.returncode == 130
    assert course.module().condition()[0] == "make"


@pytest.mark.parametrize("trouble", ["UV_BREAKS", "UV_IS_NOWHERE"])
def test_without_uv_pip_installs(course, trouble):
    nowhere = [course.module().PACKAGES / "uv", course.wheels / "uv-1.0-py3-none-any.whl"]
    with contextlib.ExitStack() as stack:
        for path in nowhere if trouble == "UV_IS_NOWHERE" else []:
            stack.enter_context(changed(path, None))
        stack.enter_context(changed(course.folder / "requirements.lock", "pebble==1.0"))
        code, output, messages = course.start("run pebble-say", **{trouble: "1"})
    assert (code, output) == (0, "a pebble\n"), messages
    assert messages.count("pip installs instead") == 1
    assert "Updating .venv" in course.start("run pebble-say")[2]


def test_without_a_network_a_sentence_says_so_and_a_start_with_nothing_to_do_is_quiet(course):
    unreachable = {"PIP_NO_INDEX": "0", "PIP_INDEX_URL": "http://127.0.0.1:9/simple"}
    with changed(course.folder / "requirements.lock", "pebble==1.0\nabsent==1.0\n"):
        assert "it can be `default`" in course.start("run pebble-say", START_TORCH="gpu")[2]
        code, _, messages = course.start("run pebble-say", **unreachable)
    assert code == 1
    assert "Is this machine online?" in messages
    packages = course.module().PACKAGES
    with changed(packages / "pip", None), changed(packages / "uv", None):
        assert course.start("run pebble-say", PYTHONPATH="/elsewhere") == (0, "a pebble\n", "")


@pytest.mark.parametrize(
    ("environment", "folder"),
    [
        ({"AUTOGRADER_LANGUAGE": "bn", "LANG": "en_GB.UTF-8"}, "bn/"),
        ({"LANG": "bn_BD.UTF-8"}, "bn/"),
        ({"AUTOGRADER_LANGUAGE": "en", "LANG": "bn_BD.UTF-8"}, ""),
        ({"LANG": "C.UTF-8"}, ""),
        ({}, ""),
    ],
)
def test_jupyterlab_begins_in_the_learners_language(bare, tmp_path, monkeypatch, environment, folder):
    page = tmp_path / "notebooks" / "bn" / "welcome.md"
    page.parent.mkdir(parents=True)
    page.touch()
    monkeypatch.setattr(bare, "HERE", tmp_path)
    wanted = [f"--LabApp.default_url=/lab/tree/{folder}welcome.md"] if folder else []
    assert bare.first_page(environment) == wanted


def test_a_python_that_does_not_fit_is_told_what_to_do(bare, monkeypatch):
    ast.parse(START.read_text(encoding="utf-8"), feature_version=(3, 6))
    monkeypatch.setattr(sys, "argv", ["start.py"])
    monkeypatch.setattr(bare, "answers", lambda command: "3.12" in command[0] + command[1])
    assert "3.10, which is too old" in bare.python_complaint((3, 10, 13))
    assert bare.python_complaint((3, 10, 13), ["lab"]).endswith("3.12 start.py lab")
    monkeypatch.setattr(bare, "answers", lambda command: False)
    assert "too new: the course runs on Python 3.11 to 3.14. Install" in bare.python_complaint((3, 15, 0))


REPORTS = [
    ("cause: failed to write to file `torch`: No space left on device (os error 28)", "The disk is full"),
    ("[Errno 30] Read-only file system: 'somewhere'", "copy the course to a folder"),
    ("Retrying ... Failed to establish a new connection\nERROR: No matching distribution", "machine online?"),
    ("error: Request failed after 3 retries\n  cause: dns error\n  cause: who?", "machine online?"),
    ("ERROR: No matching distribution found for torch==2.13.0", "no package for this machine"),
    ("The virtual environment ... ensurepip is not available", "apt install python3"),
    ("[Errno 2] No such file or directory: '/course/requirements.lock'", "Get the course's folder afresh"),
    ("ERROR: something unheard of\nRemote version: 26.3", "says: ERROR: something unheard of"),
]


@pytest.mark.parametrize(("report", "sentence"), REPORTS)
def test_trouble_becomes_a_sentence(bare, monkeypatch, capsys, report, sentence):
    monkeypatch.setattr(bare, "set_up", Mock(side_effect=OSError(report)))
    assert bare.guarded_main(["lab"]) == 1
    assert sentence in capsys.readouterr().err


def test_uv_is_told_what_pip_is_told(bare, monkeypatch, tmp_path):
    settings = "[global]\nindex-url = https://a.example/simple\n[install]\nfind-links =\n  /wheels\n  /more\n"
    (tmp_path / "pip.conf").write_text(settings + "index-url = https://b.example/simple\n", encoding="utf-8")
    indexes = "https://c.example/simple https://d.example/simple"
    reported = {"PIP_CONFIG_FILE": str(tmp_path / "pip.conf"), "PIP_EXTRA_INDEX_URL": indexes}
    monkeypatch.setattr(os, "environ", {**reported, "UV_INSECURE_HOST": "chosen.example"})
    monkeypatch.setattr(bare, "PYTHON", sys.executable)
    for_pip, reported = bare.installers_environments()
    assert (reported["UV_DEFAULT_INDEX"], reported["UV_INDEX"]) == ("https://b.example/simple", indexes)
    assert (reported["UV_FIND_LINKS"], reported["UV_INSECURE_HOST"]) == ("/wheels,/more", "chosen.example")
    assert (for_pip["PIP_INDEX_URL"], for_pip["PIP_FIND_LINKS"]) == (
        "https://b.example/simple",
        "/wheels /more",
    )


CPU, ORDINARY = "--no-deps torch==2.13.0+cpu", "torch==2.13.0 -c requirements.lock"
FROM_CPU_INDEX = f"{CPU} --index-url https://download.pytorch.org/whl/cpu"
TORCH = [
    ("linux", "cpu", "", (), [CPU]),
    ("linux", "cpu", "", (CPU,), [CPU, FROM_CPU_INDEX]),
    ("linux", "cpu", "", (CPU, FROM_CPU_INDEX), [CPU, FROM_CPU_INDEX, ORDINARY]),
    ("linux", "default", "", (), [ORDINARY]),
    ("darwin", "cpu", "", (), [ORDINARY]),
    ("linux", "cpu", "torch-2.13.0.dist-info", (), []),
    ("linux", "cpu", "torch-2.13.0+cpu.dist-info", (), []),
    ("linux", "cpu", "torch-2.12.0+cpu.dist-info", (), [CPU]),
]


@pytest.mark.parametrize(("platform", "wish", "there", "lacking", "asked"), TORCH)
def test_torch_comes_without_cuda_where_it_can(bare, monkeypatch, platform, wish, there, lacking, asked):
    calls = []

    def call(command, environment):
        calls.append(" ".join(command))
        if calls[-1] in lacking:
            raise bare.Stop("", trouble="no such package" if calls[-1] == CPU else "no network")

    monkeypatch.setattr(bare, "call", call)
    monkeypatch.setattr(sys, "platform", platform)
    bare.LOCK.write_text("torch==2.13.0\n", encoding="utf-8")
    (bare.PACKAGES / there).mkdir(parents=True)
    bare.fill([], {}, wish)
    assert calls[:-2] == asked
