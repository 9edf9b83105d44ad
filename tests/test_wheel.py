"""The wheel: what it holds, and that its command works in a folder without the course."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PIP = [sys.executable, "-m", "pip", "--disable-pip-version-check"]


@pytest.mark.slow
def test_the_command_of_the_wheel_starts_in_another_folder(tmp_path):
    here = {"cwd": tmp_path, "check": True, "capture_output": True, "text": True}
    offline = ["--no-deps", "--no-index"]
    subprocess.run(
        [*PIP, "wheel", *offline, "--no-build-isolation", "--wheel-dir", "wheels", str(ROOT)], **here
    )
    (wheel,) = (tmp_path / "wheels").iterdir()
    subprocess.run([*PIP, "install", *offline, "--target", "site", str(wheel)], **here)
    site = tmp_path / "site"
    assert (site / "autograder" / "py.typed").is_file()
    assert (site / "visuals" / "py.typed").is_file()
    assert list(site.glob("*.dist-info/licenses/LICENSE"))
    here["env"] = {**os.environ, "PYTHONPATH": str(site)}
    told = subprocess.run([sys.executable, "-c", "import autograder; print(autograder.__file__)"], **here)
    assert Path(told.stdout.strip()).is_relative_to(site)
    (command,) = (site / "bin").glob("autograder*")
    assert "audit" in subprocess.run([command, "--help"], **here).stdout


def test_where_only_the_checks_are_installed_the_command_says_what_it_needs():
    lacking = "import sys; sys.modules['typer'] = None; from autograder.__main__ import main; main()"
    told = subprocess.run([sys.executable, "-c", lacking], capture_output=True, text=True, check=False)
    assert (told.returncode, "needs typer" in told.stderr, "Traceback" in told.stderr) == (1, True, False)
