"""Define the `autograder` command: its subcommands, and their order in the help."""

from __future__ import annotations

import ast
from importlib import import_module, metadata
from keyword import iskeyword
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand
from typer.main import get_command

from autograder.command.console import Commands, say

# The groups of commands in the help: those of a term, in the order in which it needs them, and the others.
TERM, MORE, AUTHOR = "A term, in this order", "When a class needs more", "For authors of a course"


# The commands in the order of the help: of each its group, and an example after its name.
COMMANDS = {
    "roster": (TERM, "canvas-gradebook.csv"),
    "bundle": (TERM, "01 02"),
    "collect": (TERM, "submissions.zip"),
    "grade": (TERM, "01"),
    "report": (TERM, "01"),
    "desk": (TERM, ""),
    "export": (TERM, "01 --canvas gradebook.csv"),
    "feedback": (TERM, "01"),
    "return": (TERM, "01 --canvas"),
    "extend": (MORE, "jdoe 01 3d"),
    "class": (MORE, ""),
    "secret": (MORE, ""),
    "gradescope": (MORE, "01"),
    "requests": (MORE, "request-jdoe.csv"),
    "similar": (MORE, "01"),
    "live": (MORE, ""),
    "lti": (MORE, "--port 8443"),
    "build": (AUTHOR, "03"),
    "translate": (AUTHOR, "--language bn"),
    "site": (AUTHOR, "public"),
    "audit": (AUTHOR, "03"),
    "faults": (AUTHOR, "scale"),
    "messages": (AUTHOR, "01 dot"),
    "new-course": (AUTHOR, "my-course"),
}
EARLIER = {"regrade": "requests"}  # names up to 0.3


def module_of(name: str) -> str:
    """Return the name of a command's module."""
    return f"{name.replace('-', '_')}_command"


def function_of(name: str) -> str:
    """Return the name of a command's function in its module."""
    word = name.replace("-", "_")
    return f"{word}_" if iskeyword(word) else word


def help_of(name: str) -> str:
    """Return the first paragraph of a command's docstring, without importing its module."""
    text = Path(__file__).with_name(f"{module_of(name)}.py").read_text(encoding="utf-8")
    functions = {node.name: node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)}
    return " ".join((ast.get_docstring(functions[function_of(name)]) or "").split("\n\n")[0].split())


def load(name: str) -> Any:
    """Import a command's module, and return the command or the group of commands in it."""
    module = import_module(f"autograder.command.{module_of(name)}")
    if not (group := getattr(module, "app", None)):
        group = typer.Typer(add_completion=False)
        group.command()(getattr(module, function_of(name)))
    command = get_command(group)
    command.name, command.epilog = name, f"Example: autograder {name} {COMMANDS[name][1]}".rstrip()
    return command


class LazyCommands(Commands):
    """The commands in `COMMANDS`, each imported only when it is called; the overall help imports none."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        for name, (panel, _) in COMMANDS.items():
            self.add_command(TyperCommand(name, rich_help_panel=panel))

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of the commands, and set each command's help text."""
        for name, command in self.commands.items():
            command.help = help_of(name)
        return super().list_commands(ctx)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help, with an example below each command's description."""
        for name in self.list_commands(ctx):
            command, example = self.commands[name], f"autograder {name} {COMMANDS[name][1]}".rstrip()
            command.short_help = f"\b\n{command.help}\n{example}"
        super().format_help(ctx, formatter)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the name of the typed command, the command itself, and its arguments."""
        name, _, rest = super().resolve_command(ctx, [EARLIER.get(args[0], args[0]), *args[1:]])
        return name, name and load(name), rest


app = typer.Typer(
    cls=LazyCommands,
    context_settings={"help_option_names": ["-h", "--help"]},
    invoke_without_command=True,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="Build a course, prove its checks, grade a class.",
)


@app.callback()
def _of_all(
    version: Annotated[bool, typer.Option("--version", help="Print the version, and exit.")] = False,
) -> None:
    if version:
        say(metadata.version("lesson-autograder"))
        raise typer.Exit


def main() -> None:
    """Run the `autograder` command."""
    app()
