"""The program as typer knows it: how it finds a command, what its help looks like."""

from __future__ import annotations

import os
from importlib import import_module
from typing import Annotated, Any, cast

import typer
from typer.core import TyperCommand, TyperGroup

from bpe_tui.cli.console import BAD_INPUT, COMMAND_NAMES, COMPLETION, MODULES, PROGRAM, near_command
from bpe_tui.cli.inputs import CommandLineError

# Newer typers carry their own copy of click: the class is found from typer's side, so that it is
# the right one in either case.
UsageError = cast("type[typer.BadParameter]", typer.BadParameter.__base__)


class CorpusOrCommand(TyperGroup):
    """A group that takes what is no command for the arguments of `open`: `bpe-tui FILE`.

    A command's module is imported when the command is asked for: what opens the screen need not
    wait for what the others use.
    """

    def list_commands(self, ctx: Any) -> list[str]:
        return list(COMMAND_NAMES)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name in COMMAND_NAMES and cmd_name not in self.commands:
            import_module(f"bpe_tui.cli.{MODULES[cmd_name]}")
            self.commands.update(typer.main.get_group(app).commands)
        return super().get_command(ctx, cmd_name)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if ctx.resilient_parsing:  # a shell asks how it could go on
            return super().parse_args(ctx, args)
        if not args:
            typer.echo(self.get_help(ctx), err=True)
            raise typer.Exit(BAD_INPUT)
        own_options = [name for param in self.get_params(ctx) for name in param.opts]
        if args[0] not in COMMAND_NAMES and args[0] not in own_options:
            if (command := near_command(args[0])) is not None:
                raise CommandLineError(
                    f"there is neither a command nor a file {args[0]}; did you mean {command}?"
                )
            args = ["open", *args]
        return super().parse_args(ctx, args)


class GroupedHelp(TyperCommand):
    """A command whose help lists the options under the headings that they name."""

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        arguments = filter(_is_argument, self.get_params(ctx))
        return ["[OPTIONS]", *(str(argument.metavar) for argument in arguments)]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        groups: dict[str, list[tuple[str, str]]] = {"Arguments": []}
        for param in self.get_params(ctx):
            name, text = param.get_help_record(ctx) or ("", "")
            text = text.replace("\\[", "[")  # some typers escape markup even where there is none
            if _is_argument(param):
                groups["Arguments"].append((str(param.metavar), text))
            else:
                heading = getattr(param, "rich_help_panel", None) or "Help"
                groups.setdefault(heading, []).append((name, text))
        for heading, rows in groups.items():
            with formatter.section(heading):
                formatter.write_dl(rows)


def _is_argument(param: Any) -> bool:
    """Tell whether a parameter is known by its place, not by its name."""
    return bool(param.param_type_name == "argument")


def examples(*lines: str) -> str:
    """The end of a help page; `\\b` keeps the lines from being joined."""
    return "\n".join(("\b", "Examples:", *(f"  {line}" for line in lines)))


# Markup stays off: it would act on file names and tokens that look like it.
app = typer.Typer(
    cls=CorpusOrCommand,
    subcommand_metavar="CORPUS | COMMAND ...",
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=examples(
        f"{PROGRAM} samples/tinystories_valid.txt",
        f"{PROGRAM} train corpus.txt --vocab-size 1000 --out tokenizer",
    ),
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import PackageNotFoundError, version  # slow, and seldom needed

        from engine.native import KERNEL

        kernel = "with" if KERNEL is not None else "without"
        try:
            number = version(PROGRAM)
        except PackageNotFoundError:
            number = "(not installed: run from its source)"
        typer.echo(f"{PROGRAM} {number}, {kernel} the compiled kernel")
        raise typer.Exit


@app.callback()
def program(
    version: Annotated[
        bool,
        typer.Option(
            "--version", help="Show the version and exit.", callback=_print_version, is_eager=True
        ),
    ] = False,
) -> None:
    """See byte-pair encoding: train a byte-level BPE on CORPUS and step through its merges.

    CORPUS alone opens the screen: it is short for `bpe-tui open CORPUS`, and takes the same
    options.
    """


def run_command(arguments: list[str]) -> int:
    """Find the command that the arguments name and run it; its exit code.

    Raises:
        CommandLineError: typer does not understand them.
    """
    command = typer.main.get_command(app)
    if COMPLETION in os.environ:
        command(arguments, prog_name=PROGRAM)  # answers the shell, and exits
    try:
        with command.make_context(PROGRAM, arguments) as context:
            command.invoke(context)
    except typer.Exit as done:
        return done.exit_code
    except UsageError as error:
        raise CommandLineError(_with_hint(error)) from error
    return 0


ADVICE = {
    "tokenizer": f" (to make one: {PROGRAM} train CORPUS --vocab-size 1000 --out DIR)",
}
"""What to do about an option that is missing."""

PLAINER = {
    "Input should be a valid integer, unable to parse string as an integer": "give a whole number",
    "Input should be a valid number, unable to parse string as a number": "give a number",
    "Input should be ": "give a number ",
}
"""What typer says, and in fewer words."""


def _with_hint(error: typer.BadParameter) -> str:
    """A usage error's message, and where to read more."""
    command = error.ctx.command_path if error.ctx else PROGRAM
    advice = ADVICE.get(getattr(getattr(error, "param", None), "name", None) or "", "")
    said = error.format_message().rstrip(".")
    for clumsy, plain in PLAINER.items():
        said = said.replace(clumsy, plain)
    return f"{said}{advice}; try {command} --help"
