"""The typer program: finding a command, the layout of help pages, usage errors."""

from __future__ import annotations

import os
import re
from importlib import import_module
from inspect import Parameter, Signature
from pathlib import Path
from typing import Annotated, Any, cast, get_args

import typer
from typer.core import TyperCommand, TyperGroup

from bpe_tui.cli.console import (
    BAD_INPUT,
    COMMAND_NAMES,
    COMPLETION,
    MODULES,
    PROGRAM,
    asks_for_help,
    near_command,
)
from bpe_tui.cli.declared import COMMANDS, Command, Declared, Given, examples, type_of, value_of
from bpe_tui.cli.inputs import TO_MAKE_ONE, CommandLineError
from bpe_tui.session import languages

# Newer typers contain a copy of click: typer's own base class is right with either.
UsageError = cast("type[typer.BadParameter]", typer.BadParameter.__base__)


class PlainValue:
    """Turns words of the command line into a parameter's value.

    Typer's own way imports pydantic, which takes longer than everything else that starts a command.
    """

    @staticmethod
    def coerce(value: Any, *, param: Any, ctx: Any) -> Any:
        """Return the value of a parameter: `["12"]` → `[12]` for a list of integers.

        Raises:
            typer.BadParameter: `value_of` refuses a word.
        """
        is_list = param.multiple or param.nargs != 1
        if value is None:
            return () if is_list else None
        kind = param.type_descriptor.annotation
        kind = get_args(kind)[0] if is_list else kind
        settings = vars(param.type_descriptor.parameter_info)
        try:
            values = [value_of(each, kind, settings) for each in (value if is_list else [value])]
        except ValueError as error:
            raise typer.BadParameter(str(error), ctx=ctx, param=param) from None
        return values if is_list else values[0]


def _with_plain_values(params: Any) -> Any:
    """Return the parameters of a command, which take their values from `PlainValue` from now on."""
    for param in params:
        param.get_runtime_param = PlainValue
    return params


class CorpusOrCommand(TyperGroup):
    """The group of commands; arguments without a command belong to `open`: `bpe-tui FILE`.

    A command's module is imported when it is needed, so that the screen need not wait for others.
    """

    def get_params(self, ctx: Any) -> Any:
        return _with_plain_values(super().get_params(ctx))

    def list_commands(self, ctx: Any) -> list[str]:
        return list(COMMAND_NAMES)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name in COMMAND_NAMES and cmd_name not in self.commands:
            import_module(f"bpe_tui.cli.{MODULES[cmd_name]}")
            declare(cmd_name, COMMANDS[cmd_name])
            self.commands.update(typer.main.get_group(app).commands)
        return super().get_command(ctx, cmd_name)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """List the commands; to import them all takes longer than everything else."""
        limit = formatter.width - 6 - max(map(len, COMMAND_NAMES))
        listed = [TyperCommand(name, help=_summary(name)) for name in COMMAND_NAMES]
        with formatter.section("Commands"):
            formatter.write_dl((each.name, each.get_short_help_str(limit)) for each in listed)

    def shell_complete(self, ctx: Any, incomplete: str) -> list[Any]:
        """Return the commands that begin so; if there are none, the samples."""
        corpus = next(filter(_is_argument, self.get_command(ctx, "open").params))
        found = super().shell_complete(ctx, incomplete) or corpus.shell_complete(ctx, incomplete)
        return cast("list[Any]", found)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if ctx.resilient_parsing:  # a shell completes the line
            is_open = bool(args) and args[0] not in COMMAND_NAMES and not args[0].startswith("-")
            return super().parse_args(ctx, ["open", *args] if is_open else args)
        if not args:
            typer.echo(self.get_help(ctx), err=True)
            raise typer.Exit(BAD_INPUT)
        if asks_for_help(args):
            args = [*args[1:2], "--help"]
        own_options = [name for param in self.get_params(ctx) for name in param.opts]
        if args[0] not in COMMAND_NAMES and args[0] not in own_options:
            if (command := near_command(args[0])) is not None:
                raise CommandLineError(
                    f"there is neither a command nor a file {args[0]}; did you mean {command}?"
                )
            args = ["open", *args]
        return super().parse_args(ctx, args)


def _summary(name: str) -> str:
    """Return the first sentence of a command's docstring, from the text of its module."""
    path = Path(__file__).with_name(f"{MODULES[name]}.py")
    pattern = rf'^def {name}(?:_corpus)?\(.*?\) -> None:\n    """(.*?)(?:\n|""")'
    found = re.search(pattern, path.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    assert found is not None
    return found[1]


class GroupedHelp(TyperCommand):
    """A command whose help groups options under their headings."""

    def get_params(self, ctx: Any) -> Any:
        return _with_plain_values(super().get_params(ctx))

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Return the arguments, the options that are needed, and a word for the others."""
        params = self.get_params(ctx)
        options = [f"{p.opts[0]} {p.metavar}" for p in params if not _is_argument(p) and p.required]
        return [*map(_notation, filter(_is_argument, params)), *options, "[OPTIONS]"]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        groups: dict[str, list[tuple[str, str]]] = {"Arguments": []}
        for param in self.get_params(ctx):
            if (record := param.get_help_record(ctx)) is None:
                continue  # a hidden option
            name, text = record
            text = text.replace("\\[", "[")  # some typers escape brackets without markup
            if _is_argument(param):
                groups["Arguments"].append((_notation(param), text))
            else:
                heading = getattr(param, "rich_help_panel", None) or "Help"
                groups.setdefault(heading, []).append((name, text))
        for heading, rows in ((heading, rows) for heading, rows in groups.items() if rows):
            with formatter.section(heading):
                formatter.write_dl(rows)


def _notation(argument: Any) -> str:
    """Return how help writes an argument: NAME, [NAME] if optional, NAME... if repeatable."""
    if " " in str(argument.metavar):
        return str(argument.metavar)  # several names, which are in this form already
    name = str(argument.metavar).strip("[].")
    name = name if argument.required else f"[{name}]"
    return f"{name}..." if argument.nargs == -1 else name


def _is_argument(param: Any) -> bool:
    """Return whether a parameter is an argument, not an option."""
    return bool(param.param_type_name == "argument")


def _language_option(*, hidden: bool = False) -> Any:
    """Return the option that sets the language before other options are read."""
    return typer.Option(
        None,
        "--language",
        metavar="NAME",
        help=f"The language, of each command too: {', '.join(languages.languages())}.",
        callback=lambda name: None if name is None else languages.speak(name),
        autocompletion=lambda incomplete: [
            name for name in languages.languages() if name.startswith(incomplete)
        ],
        is_eager=True,
        hidden=hidden,
    )


# Markup stays off: file names and tokens may look like it.
app = typer.Typer(
    cls=CorpusOrCommand,
    subcommand_metavar="CORPUS | COMMAND ...",
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=examples(
        "bpe-tui samples/tinystories_valid.txt",
        "bpe-tui train corpus.txt --vocab-size 1000 --out tokenizer",
    ),
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


def declare(name: str, command: Command) -> None:
    """Give typer a command, and an option `--language`, which only the program's help lists."""

    def run(context: typer.Context, *, language: str | None, **given: Any) -> None:
        # The option of the language has spoken already.
        sources = ((key, context.get_parameter_source(key)) for key in given)
        asked = (key for key, source in sources if source and source.name == "COMMANDLINE")
        raise SystemExit(command.run(Given(given, frozenset(asked), command.parameters)))

    run.__doc__, run.__name__ = command.function.__doc__, name
    parameters = [Parameter("context", Parameter.POSITIONAL_OR_KEYWORD, annotation=typer.Context)]
    spoken = "str | None", _language_option(hidden=True)
    for key, (annotation, default) in {**command.parameters, "language": spoken}.items():
        kind, is_list, may_lack = type_of(annotation)
        annotated: Any = list[kind] if is_list else kind  # type: ignore[valid-type]
        annotated = annotated | None if may_lack else annotated
        if isinstance(default, Declared):
            make = typer.Option if default.names else typer.Argument
            default = make(default.default, *default.names, **default.settings)
        parameters.append(
            Parameter(key, Parameter.KEYWORD_ONLY, default=default, annotation=annotated)
        )
    run.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    app.command(name, cls=GroupedHelp, **command.settings)(run)


def _print_version(wanted: bool) -> None:
    if wanted:
        from bpe_tui.session.state import installed_version
        from engine.native import KERNEL, WHY_NO_KERNEL

        kernel = "with the compiled kernel"
        if KERNEL is None:
            kernel = f"without the compiled kernel: {WHY_NO_KERNEL}"
        typer.echo(f"{PROGRAM} {installed_version()}, {kernel}")
        raise typer.Exit


@app.callback()
def program(
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            "-V",
            help="Show the version and exit.",
            callback=_print_version,
            is_eager=True,
        ),
    ] = False,
    language: str | None = _language_option(),
) -> None:
    """See byte-pair encoding: train a byte-level BPE on CORPUS and step through its merges.

    Without arguments the start page opens: lessons, samples, and what was opened last.

    CORPUS alone opens the screen: it is short for `bpe-tui open CORPUS`, and takes the same
    options.
    """


ADVICE = {"tokenizer": TO_MAKE_ONE}
"""Missing option → advice."""


def run_command(arguments: list[str]) -> int:
    """Run the command that the arguments name; return its exit code.

    Raises:
        CommandLineError: the arguments are not valid.
    """
    command = typer.main.get_command(app)
    if COMPLETION in os.environ:
        command(arguments, prog_name=PROGRAM)  # answers the shell, and exits
    try:
        with command.make_context(PROGRAM, arguments) as context:
            command.invoke(context)
    except typer.Exit as done:
        return done.exit_code
    except SystemExit as done:
        return int(done.code or 0)
    except UsageError as error:
        # The message, with advice and the command for help.
        name = getattr(getattr(error, "param", None), "name", None) or ""
        message = error.format_message().rstrip(".") + ADVICE.get(name, "")
        help_of = error.ctx.command_path if error.ctx else PROGRAM
        raise CommandLineError(f"{message}; try {help_of} --help") from error
    return 0
