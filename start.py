#!/usr/bin/env python3
"""Set up the course in .venv beside this file and run it; a learner types `python3 start.py lab`.

Only the standard library is used, and no syntax newer than Python 3.6, so that a Python
too old for the course still gets as far as the sentence that says so.
"""

import sys

if __name__ == "__main__" and not getattr(sys.flags, "safe_path", False):
    del sys.path[0]  # this folder: a learner's json.py or random.py in it is not Python's own

import ast
import contextlib
import difflib
import errno
import hashlib
import itertools
import json
import os
import re
import shlex
import shutil
import subprocess
import tempfile
import time
from collections import Counter
from pathlib import Path

if os.name == "nt":
    import msvcrt
else:
    import fcntl

OLDEST = (3, 11)
NEWEST = (3, 14)
UV = "uv>=0.9"
CPU_INDEX = "https://download.pytorch.org/whl/cpu"
WINDOWS = os.name == "nt"
THIS = ".".join(map(str, sys.version_info[:2]))
HERE = Path(__file__).resolve().parent
LOCK = HERE / "requirements.lock"
TEST_LOCK = HERE / "requirements-test.lock"  # what only the tests, the makers' tools and the site need
MAKERS = {"test", "pytest", "ruff", "mypy", "lint-imports", "site"}  # words of commands that need it
VENV = HERE / ".venv"
PROGRAMS = VENV / ("Scripts" if WINDOWS else "bin")
PYTHON = str(PROGRAMS / ("python.exe" if WINDOWS else "python"))
PACKAGES = VENV / ("Lib" if WINDOWS else f"lib/python{THIS}") / "site-packages"
# What a class is given holds no course, but the wheels of its checks; of each name, the last one that came.
WHEELS = {file.name.split("-")[0]: file for file in sorted(HERE.glob("*.whl"), key=os.path.getmtime)}
STAMP = VENV / "start-stamp.json"  # what .venv holds; missing while .venv is being changed
TEST_STAMP = VENV / "start-test-stamp.json"  # the same, once it holds what TEST_LOCK names

COMMANDS = ("lab", "notebook", "run") if WHEELS else ("lab", "notebook", "test", "run", "build")
HELP = """python3 start.py COMMAND ...

  lab       open the lessons in JupyterLab (--no-browser, --port N and the like are passed on)
  notebook  open them in Jupyter Notebook
  test      run a fixed choice of the tests of the tool and of the course (--all: every test;
            or pytest with what follows)
  run       run any command in the course's environment (or Python)
  build     make notebooks/ and solutions/ from source/ (the same as: run autograder build)

The first start makes .venv; something odd in it? Delete that folder and start again.
On Linux, torch is installed without CUDA; START_TORCH=default takes what your index offers."""

# The settings of pip that say where packages come from. The others (`target`, `prefix`, `user`, …) would send
# them elsewhere, and have no say here. Each with uv's name for it, and what separates several values there.
PIP_SETTINGS = {
    "index-url": ("UV_DEFAULT_INDEX", ""),
    "extra-index-url": ("UV_INDEX", " "),
    "find-links": ("UV_FIND_LINKS", ","),
    "no-index": ("UV_NO_INDEX", ""),
    "constraint": ("UV_CONSTRAINT", " "),
    "trusted-host": ("UV_INSECURE_HOST", " "),
    "cert": ("SSL_CERT_FILE", ""),
    "proxy": ("ALL_PROXY", ""),
    "client-cert": ("SSL_CLIENT_CERT", ""),
    "keyring-provider": ("", ""),
    "timeout": ("", ""),
    "default-timeout": ("", ""),
    "cache-dir": ("", ""),
    "no-cache-dir": ("", ""),
    "only-binary": ("", ""),
    "prefer-binary": ("", ""),
}

# What can go wrong: the words by which programs and the system tell it, and what the learner is told.
TROUBLES = {
    "disk full": (
        r"no space left|not enough space|quota exceeded|(Errno|os error|WinError) (28|112|122)\b",
        f"The disk is full. Make room, then start again: .venv needs 1.7 GB in {HERE}, and as much is needed "
        "for downloads (TMPDIR and UV_CACHE_DIR can name other folders for them).",
    ),
    "not writable": (
        r"permission denied|read-only file system|(Errno|os error) (1|13|30)\b|WinError (5|32)\b",
        "A file cannot be written or deleted. Close JupyterLab and other programs that use the course; else "
        f"copy the course to a folder that is yours and writable, and start it there (this one is {HERE}).",
    ),
    "no network": (
        r"(Connection|Proxy|SSL|Timeout)Error|connection (refused|reset|broken|aborted)|name resolution"
        r"|dns error|failed to (establish|lookup|fetch)|getaddrinfo|unreachable|timed out",
        "The packages cannot be downloaded. Is this machine online? Behind a proxy, set HTTPS_PROXY.",
    ),
    "no such package": (
        r"no matching distribution|could not find a version|no solution found|there (is|are) no version",
        "Your index has no package for this machine. Try another Python, or environment.yml with conda.",
    ),
    "no venv": (
        r"ensurepip is not available|no module named .?(ensurepip|venv)",
        "This Python lacks `venv` or `ensurepip`, with which .venv is made. On Debian and Ubuntu: sudo apt "
        f"install python{THIS}-venv. Elsewhere: install Python from https://www.python.org/downloads/.",
    ),
    "missing file": (r"\[Errno 2\].*(lock|toml)'", "Get the course's folder afresh, then start again."),
    "an error": (r"error", "Start again; if that does not help, delete the folder .venv first."),
}


class Stop(Exception):
    """The start cannot go on: why and what to do, the exit code, and the trouble's name in TROUBLES."""

    def __init__(self, sentence, code=1, trouble=""):
        super().__init__(sentence)
        self.code = code
        self.trouble = trouble


def main(arguments):
    """Do what the command line asks and return the exit code."""
    complaint = python_complaint(sys.version_info, arguments)
    if complaint:
        raise Stop(complaint)
    if not arguments or arguments[0] in ("-h", "--help", "help"):
        return print(re.sub(r"(?m)^  (test|build) .*\n( {8}.*\n)*", "", HELP) if WHEELS else HELP)
    command, rest = arguments[0], arguments[1:]
    if command not in COMMANDS:
        raise Stop(f"The commands are {', '.join(COMMANDS)}.{nearest(command, COMMANDS)}", code=2)
    set_up()
    if MAKERS.intersection(arguments[:3]) and TEST_LOCK.exists():
        add_for_tests()
    if command in ("lab", "notebook"):
        check_home()
    return execute(command, rest)


def say(text):
    """Tell the learner something, apart from the output of the command they run."""
    print(text, file=sys.stderr, flush=True)


def nearest(name, known):
    """Name what a learner may have meant."""
    near = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
    return f" Did you mean `{near[0]}`?" if near else ""


def python_complaint(version, arguments=()):
    """Say what is wrong with a Python of this version and how to come by one that fits, or nothing."""
    if OLDEST <= tuple(version[:2]) <= NEWEST:
        return ""
    advice = "Install one from https://www.python.org/downloads/ or with your system's package manager."
    for minor in range(OLDEST[1], NEWEST[1] + 1):
        command = ["py", f"-3.{minor}"] if WINDOWS else [f"python3.{minor}"]
        if answers([*command, "-c", "import ensurepip, venv"]):
            again = " ".join(shlex.quote(part) for part in [*command, sys.argv[0], *arguments])
            advice = f"A Python that fits is on this machine; type: {again}"
    this, oldest, newest = (".".join(map(str, one[:2])) for one in (version, OLDEST, NEWEST))
    age = "old" if tuple(version[:2]) < OLDEST else "new"
    told = f"This is Python {this}, which is too {age}: the course runs on Python {oldest} to {newest}."
    return f"{told} {advice}"


def answers(command):
    """Tell whether a command starts and ends well within a minute."""
    quiet = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL)
    with contextlib.suppress(OSError, subprocess.TimeoutExpired):
        return not subprocess.call(command, timeout=60, **quiet)
    return False


def set_up():
    """Make .venv what the lock asks for. With nothing to do this only reads a few small files."""
    if condition()[0] == "ready":
        return
    wish = os.environ.get("START_TORCH", "cpu")
    if wish not in ("cpu", "default"):
        raise Stop(f"START_TORCH={wish} is not known; it can be `default` or `cpu`.")
    with only_one_start():
        state, why = condition()  # again: another start may have done the work meanwhile
        if state == "ready":
            return
        begun = time.monotonic()
        say(why)
        check_home()
        before = STAMP.read_bytes() if state == "update" else b""
        STAMP.unlink() if before else make_venv()
        try:
            with_an_installer(lambda tool, environment: fill(tool, environment, wish))
        except Stop as stop:
            if before and stop.trouble == "no network":  # .venv is as it was
                STAMP.write_bytes(before)
            raise
        STAMP.write_text(json.dumps(contents()), encoding="utf-8")
        say(f"Ready after {time.monotonic() - begun:.0f} seconds.")


def add_for_tests():
    """Add to .venv what TEST_LOCK names, at the first command that needs it."""

    def done():
        made_from = hashlib.sha256(LOCK.read_bytes() + TEST_LOCK.read_bytes()).hexdigest()
        with contextlib.suppress(OSError, ValueError, TypeError):
            old, packages = json.loads(TEST_STAMP.read_text(encoding="utf-8"))
            return old == made_from and set(packages) <= set(contents()[2]), made_from
        return False, made_from

    if done()[0]:
        return
    with only_one_start():
        if done()[0]:
            return
        say("The tests and the site need more packages than the lessons (about 100 MB to download, once) ...")
        with_an_installer(
            lambda tool, environment: call([*tool, "--no-deps", "-r", TEST_LOCK.name], environment)
        )
        TEST_STAMP.write_text(json.dumps([done()[1], contents()[2]]), encoding="utf-8")


def check_home():
    """Stop where there can be no home: uv, JupyterLab and IPython keep things there."""
    home = os.path.expanduser("~")
    try:
        os.makedirs(home, 0o700, exist_ok=True)
    except OSError:
        raise Stop(
            f"HOME names a folder that is not there and cannot be made: {home}. Set it to one of yours and "
            f"start again, for example: HOME={shlex.quote(str(HERE.parent))} python3 start.py lab"
        ) from None


def condition():
    """Tell what .venv needs ("ready", "update" or "make"), and why."""
    if not os.path.lexists(VENV):
        return "make", "Setting up the course: about 400 MB are downloaded, .venv takes 1.7 GB of disk."
    place, content, packages = contents()
    try:
        old_place, old_content, old_packages = json.loads(STAMP.read_text(encoding="utf-8"))
        complete = set(old_packages) <= set(packages)
    except (OSError, ValueError, TypeError):
        why = "was not finished, or not made by start.py"
    else:
        if old_place != place:
            why = "was made in another folder, or for another Python"
        elif not answers([PYTHON, "-I", "-S", "-c", ""]):
            why = "has a Python that does not start"
        elif complete and old_content == content:
            return "ready", ""
        elif (PACKAGES / "pip").is_dir():
            return "update", "Updating .venv: packages are missing, or the list of packages changed."
        else:
            why = "lacks pip"
    return "make", f"The environment in .venv {why}, so it is made again."


def contents():
    """Tell what .venv stands for: where it must stay, what it is made from, and the packages in it."""
    described = list(WHEELS.values()) or [HERE / "pyproject.toml", HERE / "autograder" / "pyproject.toml"]
    made_from = hashlib.sha256(b"".join(file.read_bytes() for file in (LOCK, *described))).hexdigest()
    names = [entry.name for entry in PACKAGES.glob("*.dist-info")]
    packages = sorted(name for name in names if not name.startswith(("pip-", "uv-")))  # these come and go
    # By its bytes: what a path is called depends on the locale.
    return [os.fsencode(str(VENV)).decode("utf-8", "backslashreplace"), THIS], made_from, packages


def make_venv():
    """Make an empty .venv in place of whatever is there."""
    if os.pathsep in str(VENV):
        raise Stop(
            f"No environment can be made where a path has a `{os.pathsep}` in it, as here: {HERE}. "
            "Move or rename the folder, then start again."
        )
    if VENV.is_symlink() or VENV.is_file():
        VENV.unlink()
    elif VENV.exists():
        STAMP.unlink(missing_ok=True)  # first: what is left after an interruption must not look whole
        shutil.rmtree(VENV)
    say(f"Making .venv with Python {THIS} ...")
    # Not sys.executable: that may be the Python of the .venv just removed.
    call([sys._base_executable, "-m", "venv", str(VENV)], setup_environment())


@contextlib.contextmanager
def only_one_start():
    """Wait while another start changes .venv. The system frees the lock of a process that died."""
    with open(HERE / ".start.lock", "a") as file:
        os.set_inheritable(file.fileno(), True)  # uv and pip keep the lock should this process die
        for tries in itertools.count():
            try:
                if WINDOWS:
                    msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
                else:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except OSError as error:
                if error.errno not in (errno.EACCES, errno.EAGAIN, errno.EDEADLK):
                    break  # a disk that knows no locks: there, two starts at once are left to luck
            if tries == 0:
                say("Another start is setting up .venv; waiting until it has finished ...")
            time.sleep(0.3)
        yield


def with_an_installer(fill):
    """Have uv or, where uv cannot be had or does not manage, pip fill .venv."""
    pip = [PYTHON, "-m", "pip", "--no-input", "--disable-pip-version-check", "install", "--retries", "2"]
    uv = [PYTHON, "-m", "uv", "pip", "install", "--python", PYTHON]
    for_pip, for_uv = installers_environments()
    try:
        if not (PACKAGES / "uv").is_dir():
            call([*pip, "--no-deps", UV], for_pip)
        fill(uv, for_uv)
    except Stop as stop:
        if stop.trouble in ("disk full", "not writable"):
            raise
        say(f"uv cannot be had or does not manage here ({stop.trouble}); pip installs instead, more slowly.")
        fill(pip, for_pip)


def fill(tool, environment, wish):
    """Install torch, then the rest of the lock as it stands, then the course itself."""
    torch = re.search(r"^torch==([^\s;]+)", LOCK.read_text(encoding="utf-8"), re.MULTILINE)
    if torch and not list(PACKAGES.glob(f"torch-{torch.group(1)}[.+]*")):  # in whatever build
        say("Installing torch (80 to 200 MB to download without CUDA, often a minute) ...")
        cpu_build = ["--no-deps", f"{torch.group()}+cpu"]
        sources = {"Your index": cpu_build, CPU_INDEX: [*cpu_build, "--index-url", CPU_INDEX]}
        if wish == "default" or not sys.platform.startswith("linux"):
            sources = {}  # elsewhere the ordinary build is without CUDA
        for where, source in sources.items():
            try:
                call([*tool, *source], environment)
                break
            except Stop as stop:
                if where != CPU_INDEX and stop.trouble != "no such package":
                    raise
                say(f"{where} has no torch without CUDA right now. With CUDA it is up to 3 GB.")
        else:
            call([*tool, torch.group(), "-c", LOCK.name], environment)
    say("Installing the other packages (about 200 MB to download, often a minute) ...")
    # --no-deps: the lock is complete, and nothing in it may bring another torch.
    call([*tool, "--no-deps", "-r", LOCK.name], environment)
    # --no-build-isolation: the build tool is in the lock, so that this works without a network.
    editable = ["--no-build-isolation", "--editable", "./autograder", "--editable", "."]
    course = list(map(str, WHEELS.values())) or editable
    call([*tool, "--no-deps", *course], environment)
    for file in PACKAGES.glob("*.pth"):
        make_relative(file)


def make_relative(file):
    """Have an editable install name the course's folder from .venv, in ASCII.

    Before 3.13, Python reads such a file in the locale's encoding, which may not know the path's letters.
    """
    lines = os.fsdecode(file.read_bytes()).splitlines()
    below = [line for line in lines if line.startswith(str(HERE))]
    if below:
        relative = [os.path.relpath(line, str(PACKAGES)) if line in below else line for line in lines]
        file.write_bytes(os.fsencode("\n".join(relative) + "\n"))


def call(command, environment):
    """Run one step of the set-up and raise what went wrong, as the program tells it."""
    with open(HERE / ".start.log", "w+", encoding="utf-8", errors="replace") as log:
        options = {"stdin": subprocess.DEVNULL, "stdout": log, "stderr": log, "close_fds": False}
        process = subprocess.Popen(command, env=environment, cwd=str(HERE), **options)
        while process.poll() is None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(timeout=30)
                break
            say("  ... still at it")
        if process.returncode:
            log.seek(0)
            raise failure(log.read())


def failure(report):
    """Make a Stop of what a failing program, or the system, wrote."""
    lines = [line.strip() for line in report.splitlines() if line.strip()] or ["nothing"]
    for trouble, (words, _) in TROUBLES.items():
        told = [line for line in lines if re.search(words, line, re.IGNORECASE)]
        if told or (trouble == "disk full" and shutil.disk_usage(HERE).free < 20e6):
            break
    told = re.sub(r"<[^<>]*>(: )?|\(Retry\(.*?\)\) ", "", (told or lines)[-1])  # without Python's objects
    return Stop(f"{TROUBLES[trouble][1]} It says: {told[:300]}", trouble=trouble)


def clean_environment():
    """Copy this process's environment without what would send pip or Python to other packages."""
    environment = dict(os.environ)
    for name in ("PYTHONHOME", "PYTHONPATH", "PIP_TARGET", "PIP_PREFIX", "PIP_ROOT", "__PYVENV_LAUNCHER__"):
        environment.pop(name, None)
    # In a locale that is not UTF-8, or not installed, Python could not write a path with an umlaut.
    environment["PYTHONUTF8"] = "1"
    return environment


def setup_environment():
    """Copy this process's environment for what makes .venv: nothing in this folder stands for a module."""
    return dict(clean_environment(), PYTHONSAFEPATH="1")


def installers_environments():
    """Return the environments for pip and for uv: of pip's settings, only what is said of indexes.

    What uv is told already stays.
    """
    environment = setup_environment()
    command = [PYTHON, "-m", "pip", "config", "list"]
    listed = subprocess.run(command, env=environment, stdout=subprocess.PIPE).stdout.decode(errors="replace")
    settings = {}
    for section in ("global", "install", ":env:"):  # the later one counts
        found = re.findall(rf"^{section}\.([\w-]+)=(.*)", listed, re.MULTILINE)
        settings.update((name, ast.literal_eval(value.strip()).split()) for name, value in found)
    environment = {name: value for name, value in environment.items() if not name.startswith("PIP_")}
    for_pip = dict(environment, PIP_CONFIG_FILE=os.devnull)
    # pip takes the best version of all indexes; left alone, uv takes the first index that has any.
    for_uv = dict({"UV_INDEX_STRATEGY": "unsafe-best-match"}, **environment)
    if sys.dont_write_bytecode:  # else each kernel and sandbox compiles torch and IPython again
        for_uv.setdefault("UV_COMPILE_BYTECODE", "1")
    for name, (name_of_uv, between) in PIP_SETTINGS.items():
        if name in settings:
            for_pip["PIP_" + name.upper().replace("-", "_")] = " ".join(settings[name])
            if name_of_uv:
                for_uv.setdefault(name_of_uv, between.join(settings[name]))
    return for_pip, for_uv


def execute(command, rest):
    """Run a command to its end and return its exit code; Ctrl-C is for the command, not for us."""
    environment = clean_environment()
    environment["VIRTUAL_ENV"] = str(VENV)
    environment["PATH"] = os.pathsep.join([str(PROGRAMS), environment.get("PATH", os.defpath)])
    # A kernel called python3 in the learner's home must not stand in for the one in .venv.
    environment["JUPYTER_PREFER_ENV_PATH"] = "1"
    if command == "run":
        rest = rest or ["python"]
        program = shutil.which(rest[0], path=environment["PATH"])
        if program is None:
            ours = [re.sub(r"\.exe$", "", entry.name) for entry in PROGRAMS.iterdir()]
            raise Stop(f"`{rest[0]}` is not on this machine.{nearest(rest[0], ours)}", code=127)
        line = [program, *rest[1:]]
    else:
        os.chdir(HERE)
        if command in (
            "lab",
            "notebook",
        ):  # nbgrader is the instructor's, and takes half of JupyterLab's start
            environment["JUPYTER_CONFIG_PATH"] = str(HERE / ".lab")
            pages = [PYTHON, "-m", "autograder.lesson.welcome_page"]  # what is done, what is next
            quiet = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL)
            subprocess.call(pages, env=environment, cwd=HERE / "notebooks", **quiet)
        root = ["--allow-root"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []  # as in containers
        if command == "test" and rest in ([], ["--all"]):
            if not rest:
                environment.setdefault("CLASS_SIZE", "5")  # of the class in tests/grading/test_class.py
            return run_tests([] if rest else ["-m", "not slow"], environment)
        lessons = [f"--ServerApp.root_dir={HERE / 'notebooks'}"]
        modules = {
            "lab": ["jupyterlab", *lessons, *first_page(environment), *root, *rest],
            "notebook": ["notebook", *lessons, *root, *rest],
            "test": ["pytest", *(word for word in rest if word != "--all")],
            "build": ["autograder", "build", *rest],
        }
        # -P: a learner's json.py in this folder is not Python's own. The tests do import each other from it.
        line = [PYTHON, *([] if command == "test" else ["-P"]), "-m", *modules[command]]
    if not WINDOWS:
        os.execve(line[0], line, environment)  # the command takes this process's place
    return wait_for(line, environment)


def first_page(environment):
    """Return the word that opens the first page in the learner's language, where the lessons are in it."""
    for name in ("AUTOGRADER_LANGUAGE", "LC_ALL", "LANG"):
        asked = environment.get(name, "").partition(".")[0]
        for code in filter(None, (asked, asked.partition("_")[0])):
            if (HERE / "notebooks" / code / "welcome.md").is_file():
                return [f"--LabApp.default_url=/lab/tree/{code}/welcome.md"]
        if asked:
            break
    return []


def run_tests(chosen, environment):
    """Run the tests of the tool, then those of the course, each to the end, and count both in one line."""
    side_by_side = [] if WINDOWS else ["-n", "auto"]
    first_failure, counts, missing = 0, Counter(), Counter()
    for half in ("autograder", "."):  # each has settings of its own
        with tempfile.TemporaryDirectory() as folder:
            report = Path(folder, "report.xml")
            words = [*side_by_side, *chosen, f"--junitxml={report}", "tests"]
            code = wait_for([PYTHON, "-m", "pytest", *words], environment, cwd=HERE / half)
            count_outcomes(report, counts, missing)
        if code > 1:
            counts["halves that ended early"] += 1
        first_failure = first_failure or code
    line = ", ".join(f"{counts.pop(outcome, 0)} {outcome}" for outcome in ("passed", "failed", "skipped"))
    needs = ", ".join(f"{count} need {name}" for name, count in missing.most_common())
    line += f" ({needs})" if needs else ""
    line = ", ".join([line, *(f"{count} {outcome}" for outcome, count in counts.items())])
    print(f"Tests: {line}", flush=True)
    return first_failure


def count_outcomes(report, counts, missing):
    """Count the outcomes in a report of pytest's, and the skipped tests by what they need."""
    from xml.etree import ElementTree  # only here: each start would take longer

    cases = []
    with contextlib.suppress(OSError, ElementTree.ParseError):  # none where pytest itself broke
        cases = list(ElementTree.parse(str(report)).iter("testcase"))  # noqa: S314 (our own)
    last = {(case.get("classname"), case.get("name")): case for case in cases}
    for case in last.values():
        kinds = {child.tag: child for child in case}
        if "failure" in kinds or "error" in kinds:
            counts["failed"] += 1
        elif "skipped" in kinds:
            counts["skipped"] += 1
            why = kinds["skipped"].get("message", "") + (kinds["skipped"].text or "")
            need = re.search(r"needs ([^:]+):", why)
            missing[need.group(1) if need else "something else"] += 1
        else:
            counts["passed"] += 1
    if len(cases) > len(last):  # only the tests in a browser have a second attempt
        counts["second attempts in a browser"] += len(cases) - len(last)


def wait_for(line, environment, cwd=None):
    """Run a command to its end and return its exit code; Ctrl-C is for the command."""
    process = subprocess.Popen(line, env=environment, cwd=cwd)
    while True:
        with contextlib.suppress(KeyboardInterrupt):
            return process.wait()


def guarded_main(arguments):
    """Run `main`, and turn every expected trouble into a sentence."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # Python 3.7 and later
            stream.reconfigure(errors="replace")  # a path the terminal cannot show is no reason to fail
    try:
        return main(arguments)
    except (Stop, OSError) as error:
        stop = error if isinstance(error, Stop) else failure(str(error))
        say(f"start.py: {stop}")
        return stop.code
    except KeyboardInterrupt:
        say("\nStopped; start again to go on.")
        return 130


if __name__ == "__main__":
    sys.exit(guarded_main(sys.argv[1:]))
