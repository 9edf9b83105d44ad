#!/usr/bin/env python3
"""Set up the course in .venv beside this file and run it; a learner types `python3 start.py lab`.

Only the standard library is used, and no syntax newer than Python 3.6, so that a Python
too old for the course still gets as far as the sentence that says so.
"""

import contextlib
import difflib
import errno
import hashlib
import importlib.util
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

OLDEST = (3, 11)
NEWEST = (3, 13)
CPU_INDEX = "https://download.pytorch.org/whl/cpu"

HERE = Path(__file__).resolve().parent
VENV = HERE / ".venv"
LOCK = HERE / "requirements.lock"
PROJECT = HERE / "pyproject.toml"
STAMP = VENV / "start-stamp.json"  # what .venv holds; missing while pip is changing it
LOG = VENV / "start-pip.log"
BUSY = HERE / ".start.lock"

COMMANDS = {
    "lab": "open the lessons in JupyterLab (--no-browser, --port N and the like are passed on)",
    "test": "run the tests, side by side (or pytest with what follows)",
    "run": "run any command in the course's environment, for example: run python",
    "build": "make notebooks/ and solutions/ from source/ (the same as: run autograder build)",
}


class Stop(Exception):
    """The start cannot go on; the text is the sentence that says why and what to do."""

    def __init__(self, sentence, code=1, offline=False):
        """`offline`: the network failed, so pip gave up before it changed anything."""
        super().__init__(sentence)
        self.code = code
        self.offline = offline


def main(arguments):
    """Do what the command line asks and return the exit code."""
    complaint = python_complaint(sys.version_info)
    if complaint:
        raise Stop(f"{complaint} {python_advice(arguments)}")
    if not arguments or arguments[0] in ("-h", "--help", "help"):
        print(help_text())
        return 0
    command, rest = arguments[0], arguments[1:]
    if command not in COMMANDS:
        raise Stop(unknown_command(command), code=2)
    if command == "run" and not rest:
        raise Stop("Say what to run, for example: python3 start.py run python", code=2)
    set_up()
    environment = course_environment()
    if command != "run":
        os.chdir(str(HERE))
    return execute(command_line(command, rest, environment["PATH"]), environment)


def say(text):
    """Tell the learner something without mixing it into the output of the command they run."""
    print(text, file=sys.stderr, flush=True)


def help_text():
    """What `start.py --help` prints."""
    lines = ["python3 start.py COMMAND ...", ""]
    lines += [f"  {name:<6} {meaning}" for name, meaning in COMMANDS.items()]
    lines += [
        "",
        "The first start makes .venv and installs the course there; later starts only look whether",
        "anything changed. Something odd in it? Delete the folder .venv and start again.",
        "On Linux, torch is installed without CUDA; START_TORCH=default takes pip's own choice.",
    ]
    return "\n".join(lines)


def unknown_command(command):
    """The sentence for a command that does not exist, with the nearest one that does."""
    near = difflib.get_close_matches(command, COMMANDS, n=1, cutoff=0.5)
    hint = f"did you mean `{near[0]}`?" if near else "the commands are {}.".format(", ".join(COMMANDS))
    return f"`{command}` is not a command of start.py; {hint}"


# --- the Python that runs this file ---------------------------------------------------------------


def python_complaint(version):
    """What is wrong with a Python of this version, or an empty text."""
    this = tuple(version[:2])
    if OLDEST <= this <= NEWEST:
        return ""
    age = "old" if this < OLDEST else "new"
    return (
        f"This is Python {dotted(this)}, which is too {age}: "
        f"the course runs on Python {dotted(OLDEST)} to {dotted(NEWEST)}."
    )


def python_advice(arguments):
    """How to come by a Python that fits, naming one that is already there."""
    again = " ".join(shlex.quote(part) for part in [sys.argv[0], *(arguments or ["lab"])])
    for minor in range(NEWEST[1], OLDEST[1] - 1, -1):
        command = ["py", f"-3.{minor}"] if os.name == "nt" else [f"python3.{minor}"]
        if answers([*command, "-c", "import ensurepip, venv"]):
            return "A Python that fits is on this machine; type: {} {}".format(" ".join(command), again)
    return (
        f"Install Python {dotted(NEWEST)} from https://www.python.org/downloads/ "
        f"or with your system's package manager, then start again with it."
    )


def dotted(version):
    """3.11 for (3, 11)."""
    return ".".join(str(part) for part in version)


def answers(command):
    """Whether a command starts and ends well; it is given a minute."""
    try:
        quiet = subprocess.DEVNULL
        code = subprocess.call(command, stdin=quiet, stdout=quiet, stderr=quiet, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return code == 0


# --- the set-up -----------------------------------------------------------------------------------


def set_up():
    """Make .venv what the lock asks for. With nothing to do this only reads a few small files."""
    if condition()[0] == "ready":
        return
    with only_one_start():
        state, why = condition()  # again: another start may have done the work meanwhile
        if state == "ready":
            return
        wish = torch_wish()
        begun = time.monotonic()
        if state == "make":
            say("Setting up the course in .venv: this happens once and takes a few minutes.")
            say("About 400 MB are downloaded; .venv takes 1.7 GB of disk.")
        elif state == "remake":
            say(f"The environment in .venv {why}, so it is made again.")
        else:
            say(f"Updating .venv: {why}.")
        warn_of_little_space()
        if state != "update":
            make_venv()
            before = {"content": "", "packages": []}
        else:
            before = read_stamp()
            STAMP.unlink()
        try:
            install(wish)
        except Stop as stop:
            if stop.offline:  # .venv is as it was, and need not be made again when the network is back
                write_stamp(before["content"], before["packages"])
            raise
        write_stamp(content(), installed())
        say(f"Ready after {time.monotonic() - begun:.0f} seconds.")


def condition():
    """What .venv needs ("ready", "make", "remake" or "update"), and why."""
    if not os.path.lexists(str(VENV)):
        return "make", ""
    stamp = read_stamp()
    if stamp is None:
        return "remake", "was not finished, or not made by start.py"
    if stamp["place"] != str(VENV):
        return "remake", "came here from another folder"  # its scripts still name that folder
    if stamp["python"] != dotted(sys.version_info[:2]):
        return "remake", f"belongs to Python {stamp['python']}"
    same_python = f"import sys; sys.exit(sys.version_info[:2] != {sys.version_info[:2]})"
    if not answers([str(venv_python()), "-I", "-S", "-c", same_python]):
        return "remake", "has a Python that does not start"
    complete = set(stamp["packages"]) <= set(installed())
    if complete and stamp["content"] == content():
        return "ready", ""
    if not (site_packages() / "pip").is_dir():
        return "remake", "lacks pip"
    if complete:
        return "update", "the list of packages changed, or not all of it was installed"
    return "update", "packages are missing"


def content():
    """A short name for everything .venv is made from."""
    digest = hashlib.sha256(dotted(sys.version_info[:2]).encode())
    for file in (LOCK, PROJECT):
        try:
            digest.update(file.read_bytes())
        except FileNotFoundError:
            raise Stop(f"{file.name} is missing beside start.py; get the course's folder afresh.") from None
    return digest.hexdigest()


def read_stamp():
    """What the last finished set-up noted about .venv, or None."""
    try:
        stamp = json.loads(STAMP.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    whole = isinstance(stamp, dict) and {"place", "python", "content", "packages"} <= set(stamp)
    return stamp if whole else None


def write_stamp(content, packages):
    """Note what .venv holds, in one step, so that no reader ever sees half of it."""
    note = {
        "place": str(VENV),
        "python": dotted(sys.version_info[:2]),
        "content": content,
        "packages": packages,
    }
    fresh = STAMP.with_suffix(".new")
    fresh.write_text(json.dumps(note, indent=1), encoding="utf-8")
    os.replace(str(fresh), str(STAMP))


def installed():
    """The packages in .venv as the names of their dist-info folders; pip itself may come and go."""
    names = [entry.name for entry in site_packages().glob("*.dist-info")]
    return sorted(name for name in names if not name.startswith("pip-"))


def make_venv():
    """Make an empty .venv in place of whatever is there."""
    if not importlib.util.find_spec("venv") or not importlib.util.find_spec("ensurepip"):
        raise Stop(no_venv_sentence())
    remove_venv()
    say(f"Making .venv with Python {dotted(sys.version_info[:3])} (some seconds) ...")
    # Not sys.executable: that may be the Python of the .venv just removed.
    python = getattr(sys, "_base_executable", None) or sys.executable
    made = subprocess.run(
        [python, "-m", "venv", str(VENV)],
        env=clean_environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    if made.returncode:
        report = made.stdout.decode(errors="replace")
        if "ensurepip is not available" in report:
            raise Stop(no_venv_sentence())
        raise failure(report, "Making .venv failed")


def remove_venv():
    """Delete .venv, the stamp first: what is left after an interruption must not look whole."""
    if VENV.is_symlink() or VENV.is_file():
        VENV.unlink()
    elif VENV.exists():
        with contextlib.suppress(FileNotFoundError):
            STAMP.unlink()
        try:
            shutil.rmtree(str(VENV))
        except OSError as error:
            raise Stop(
                f"The old .venv cannot be removed ({error}). Close JupyterLab and other programs that "
                "use it, delete the folder .venv yourself if it is still there, and start again."
            ) from None


def no_venv_sentence():
    """What to do where Python came without the parts that make an environment."""
    name = f"python{dotted(sys.version_info[:2])}"
    return (
        "This Python lacks `venv` or `ensurepip`, with which .venv is made. "
        f"On Debian and Ubuntu: sudo apt install {name}-venv. "
        "Elsewhere: install Python from https://www.python.org/downloads/. Then start again."
    )


def install(wish):
    """Fill .venv: torch, then the rest of the lock as it stands, then the course itself."""
    torch = locked_version("torch")
    if torch and not is_installed("torch", torch):
        arguments = torch_arguments(torch, sys.platform, wish, torch_offers)
        say("Installing torch (80 to 200 MB to download without CUDA, often a minute or two) ...")
        pip("install", *arguments)
    say("Installing the other packages (about 200 MB to download, often a minute or two) ...")
    # --no-deps: the lock is complete, and nothing in it may bring another torch.
    pip("install", "--no-deps", "--requirement", str(LOCK))
    say("Installing the course itself (some seconds) ...")
    # --no-build-isolation: the build tool is in the lock, so that this works without a network.
    pip("install", "--no-deps", "--no-build-isolation", "--editable", ".")


def is_installed(package, version):
    """Whether .venv has this version of a package, in whatever build."""
    return any(
        name.startswith((f"{package}-{version}.dist-info", f"{package}-{version}+")) for name in installed()
    )


def locked_version(package):
    """The version of a package in the lock, or an empty text."""
    found = re.search(rf"^{package}==([^\s;]+)", LOCK.read_text(encoding="utf-8"), re.MULTILINE)
    return found.group(1) if found else ""


# --- torch without CUDA ---------------------------------------------------------------------------


def torch_wish():
    """Which build of torch the learner asks for."""
    wish = os.environ.get("START_TORCH", "cpu")
    if wish not in ("cpu", "default"):
        raise Stop(f"START_TORCH={wish} is not known; it can be `default` (pip's own choice) or `cpu`.")
    return wish


def torch_arguments(version, platform, wish, offers):
    """What `pip install` is told so that torch comes without CUDA wherever such a build can be had.

    `offers` takes further pip arguments and returns the versions pip then offers. Asking for versions is
    cheap with every pip; a dry run is not, for older ones download the whole of what they would install.
    """
    whatever_pip_takes = [f"torch=={version}", "--constraint", str(LOCK)]
    if wish == "default" or not platform.startswith("linux"):
        return whatever_pip_takes  # elsewhere the ordinary build is without CUDA
    cpu_build = f"{version}+cpu"
    offered = offers()
    if cpu_build in offered:
        return [f"torch=={cpu_build}", "--no-deps"]
    if cpu_build in offers("--index-url", CPU_INDEX):
        return [f"torch=={cpu_build}", "--no-deps", "--index-url", CPU_INDEX]
    say(
        f"Neither pip's own index nor {CPU_INDEX} offers torch {cpu_build} right now, so torch comes as pip "
        "offers it. On Linux that may bring CUDA, a download of up to 3 GB; Ctrl-C stops it."
    )
    if not offered:
        return [*whatever_pip_takes, "--retries", "1"]  # no network, it seems: let pip find that out soon
    return whatever_pip_takes


def torch_offers(*arguments):
    """The versions of torch pip offers to this machine; empty where it cannot tell within a minute."""
    ask = pip_command("index", "versions", "torch", "--timeout", "10", "--retries", "0", *arguments)
    try:
        asked = subprocess.run(
            ask,
            env=clean_environment(),
            cwd=str(HERE),
            timeout=60,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
    except subprocess.TimeoutExpired:
        return []
    return offered_versions(asked.stdout.decode(errors="replace"))


def offered_versions(report):
    """The versions in what `pip index versions` prints."""
    found = re.search(r"^Available versions: (.*)$", report, re.MULTILINE)
    return [version.strip() for version in found.group(1).split(",")] if found else []


# --- pip and what can go wrong with it ------------------------------------------------------------


def pip_command(*arguments):
    """The command line for pip in .venv."""
    return [str(venv_python()), "-m", "pip", "--no-input", "--disable-pip-version-check", *arguments]


def pip(*arguments):
    """Run pip in .venv; a failure becomes a Stop, told from what pip wrote to the log."""
    with contextlib.suppress(FileNotFoundError):
        LOG.unlink()
    # close_fds=False hands down the lock of only_one_start: should this process be killed,
    # another start still waits until pip has ended.
    options = {"env": clean_environment(), "cwd": str(HERE), "close_fds": False}
    command = pip_command("--log", str(LOG), *arguments)
    if sys.stderr.isatty():
        code = subprocess.call(command, stdout=sys.stderr, **options)
    else:  # where nobody watches pip's progress, our line for each stage is enough
        with open(str(LOG), "ab") as log:
            code = subprocess.call(command, stdout=log, stderr=log, **options)
    if code:
        log = LOG.read_text(encoding="utf-8", errors="replace") if LOG.exists() else ""
        raise failure(log, "pip did not finish")


def failure(report, what):
    """The Stop for a failed step, from what the failing program wrote."""
    lines = [re.sub(r"^\d{4}-\d\d-\d\dT\S+ +", "", line).strip() for line in report.splitlines()]

    def last(pattern):
        """The last line that matches, without the names of Python's objects in it."""
        found = [line for line in lines if re.search(pattern, line, re.IGNORECASE)]
        return re.sub(r"<[^<>]*>(: )?|\(Retry\(.*?\)\) ", "", found[-1])[:300] if found else ""

    line = last(r"no space left|not enough space|Errno 28\b|WinError 112\b|Errno 122\b|quota exceeded")
    if line or free_space(HERE) < 20e6:
        return Stop(disk_full_sentence(line))
    line = last(r"^ERROR.*(Errno 13\b|Errno 30\b|WinError 5\b|permission denied|read-only file system)")
    if line:
        return Stop(f"{what}: a file cannot be written. {folder_advice()} pip says: {line}")
    line = last(
        r"ConnectionError|ConnectTimeout|ReadTimeout|ProxyError|SSLError|name resolution|getaddrinfo"
        r"|failed to establish|connection (refused|reset|broken|aborted)|network is unreachable|timed out"
    )
    if line:
        return Stop(
            f"{what}: the packages cannot be downloaded. Look whether this machine is online "
            f"(behind a proxy, set HTTPS_PROXY), then start again. pip says: {line}",
            offline=True,
        )
    line = last(r"no matching distribution|could not find a version")
    if line:
        return Stop(
            f"{what}: there is no package for this machine ({sys.platform}, Python "
            f"{dotted(sys.version_info[:2])}), or the package index lacks it. A newer pip, another Python "
            f"or environment.yml with conda may help. pip says: {line}"
        )
    line = last(r"^(ERROR|error)\b") or last(r"\S") or "nothing"
    return Stop(f"{what}. Start again; if that does not help, delete the folder .venv first. It says: {line}")


def free_space(folder):
    """Bytes free on the disk of a folder."""
    try:
        return shutil.disk_usage(str(folder)).free
    except OSError:
        return float("inf")  # unknown is no reason to complain


def warn_of_little_space():
    """Say beforehand that the disk is probably too small, while nothing has been downloaded yet."""
    free = free_space(HERE)
    if free < 2.2e9 and locked_version("torch"):
        say(f"Only {free / 1e9:.1f} GB are free on this disk; .venv needs 1.7 GB, downloads some more.")


def disk_full_sentence(line=""):
    """What to do when the disk is full."""
    said = f" It says: {line}" if line else ""
    return (
        f"The disk is full. Make room, then start again: .venv needs 1.7 GB in {HERE}, and downloads "
        f"0.5 GB for a while in {tempfile.gettempdir()} (TMPDIR can name another folder).{said}"
    )


def folder_advice():
    """What to do where this folder cannot be written."""
    return f"Copy the course to a folder that is yours and writable, and start it there (this one is {HERE})."


def system_complaint(error):
    """The sentence for an error the operating system reported."""
    if error.errno in (errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC)):
        return disk_full_sentence()
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return f"{error.strerror}: {error.filename or HERE}. {folder_advice()}"
    return f"The system reports: {error}."


# --- one start at a time --------------------------------------------------------------------------


@contextlib.contextmanager
def only_one_start():
    """Wait while another start changes .venv. The system frees the lock of a process that died."""
    with open(str(BUSY), "a") as file:
        if os.name != "nt":
            os.set_inheritable(file.fileno(), True)
        told = False
        while not takes_lock(file):
            if not told:
                say("Another start is setting up .venv; waiting until it has finished ...")
            told = True
            time.sleep(0.3)
        yield


def takes_lock(file):
    """Try to lock an open file for this process alone."""
    try:
        if os.name == "nt":
            import msvcrt

            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        # Any other error: a disk that knows no locks, where two starts at once are left to luck.
        return error.errno not in (errno.EACCES, errno.EAGAIN, errno.EDEADLK)
    return True


# --- running things in .venv ----------------------------------------------------------------------


def scripts_folder():
    """Where .venv keeps its programs."""
    return VENV / ("Scripts" if os.name == "nt" else "bin")


def venv_python():
    """The Python of .venv."""
    return scripts_folder() / ("python.exe" if os.name == "nt" else "python")


def site_packages():
    """Where .venv keeps its packages."""
    if os.name == "nt":
        return VENV / "Lib" / "site-packages"
    return VENV / "lib" / f"python{dotted(sys.version_info[:2])}" / "site-packages"


def clean_environment():
    """This process's environment without what would send pip or Python to other packages than .venv's."""
    environment = dict(os.environ)
    for name in ("PYTHONHOME", "PYTHONPATH", "PIP_TARGET", "PIP_PREFIX", "PIP_ROOT", "__PYVENV_LAUNCHER__"):
        environment.pop(name, None)
    environment["PIP_USER"] = "0"
    return environment


def course_environment():
    """The environment in which the learner's command runs."""
    environment = clean_environment()
    del environment["PIP_USER"]
    environment["VIRTUAL_ENV"] = str(VENV)
    environment["PATH"] = os.pathsep.join([str(scripts_folder()), environment.get("PATH", os.defpath)])
    # A kernel called python3 in the learner's home must not stand in for the one in .venv.
    environment["JUPYTER_PREFER_ENV_PATH"] = "1"
    if os.name == "nt":
        # Python reads .pth files in the locale's encoding before 3.13; a path with an umlaut needs UTF-8.
        environment["PYTHONUTF8"] = "1"
    return environment


def command_line(command, rest, path):
    """The program and arguments behind a command of start.py."""
    python = str(venv_python())
    if command == "lab":
        return [python, "-m", "jupyterlab", *lab_options(rest), *rest]
    if command == "test":
        side_by_side = ["-n", "auto"] if os.name == "posix" else []
        return [python, "-m", "pytest", *(rest or side_by_side)]
    if command == "build":
        return [python, "-m", "autograder", "build", *rest]
    name, arguments = rest[0], rest[1:]
    if name in ("python", "python3"):
        return [python, *arguments]
    if name == "autograder":
        return [python, "-m", "autograder", *arguments]
    program = shutil.which(name, path=path)
    if program is None:
        raise Stop(missing_program(name), code=127)
    return [program, *arguments]


def lab_options(rest):
    """What JupyterLab is told beside the learner's own options."""
    lessons = HERE / "notebooks"
    if not lessons.is_dir():
        raise Stop("The folder notebooks/ is missing; make it with: python3 start.py build")
    options = [f"--ServerApp.root_dir={lessons}"]
    if hasattr(os, "geteuid") and os.geteuid() == 0 and "--allow-root" not in rest:
        say("You are root, as is usual in containers, so JupyterLab is started with --allow-root.")
        options.append("--allow-root")
    return options


def missing_program(name):
    """The sentence for a program that is nowhere, with the nearest one .venv has."""
    programs = [re.sub(r"\.exe$", "", entry.name) for entry in scripts_folder().iterdir()]
    near = difflib.get_close_matches(name, programs, n=1)
    hint = f"did you mean `{near[0]}`?" if near else f"{scripts_folder()} lists what the course brings."
    return f"`{name}` is neither in the course's environment nor elsewhere on this machine; {hint}"


def execute(command, environment):
    """Run a command to its end and return its exit code; Ctrl-C is for the command, not for us."""
    sys.stdout.flush()
    sys.stderr.flush()
    try:
        if os.name != "nt":
            os.execve(command[0], command, environment)  # the command takes this process's place
        process = subprocess.Popen(command, env=environment)
    except OSError as error:
        raise Stop(f"`{command[0]}` does not start: {error.strerror}.", code=126) from None
    while True:
        with contextlib.suppress(KeyboardInterrupt):
            return process.wait()


def guarded_main(arguments):
    """`main` with every expected trouble turned into a sentence."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # Python 3.7 and later
            stream.reconfigure(errors="replace")  # a path the terminal cannot show is no reason to fail
    try:
        return main(arguments)
    except Stop as stop:
        say(f"start.py: {stop}")
        return stop.code
    except OSError as error:
        say(f"start.py: {system_complaint(error)}")
        return 1
    except KeyboardInterrupt:
        say("\nStopped; start again to go on.")
        return 130


if __name__ == "__main__":
    sys.exit(guarded_main(sys.argv[1:]))
