"""`python -m autograder` is the `autograder` command."""

import sys


def main() -> None:
    """Run the command, or say what it needs: students' installations do not have that."""
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
