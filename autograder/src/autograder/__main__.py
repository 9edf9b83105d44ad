"""Run the `autograder` command by `python -m autograder`."""

import sys


def main() -> None:
    """Run the command, or name a package that it needs and that is not installed."""
    try:
        # Not above: it may be missing.
        from autograder.command.app import main as command
    except ModuleNotFoundError as missing:
        if missing.name is None or missing.name.startswith("autograder"):
            raise
        sys.exit(
            f"The `autograder` command needs {missing.name}, which is not installed: "
            "pip install 'lesson-autograder[grade]'"
        )
    command()


if __name__ == "__main__":
    main()
