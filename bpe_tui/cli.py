"""The command line: `bpe-tui CORPUS` opens the screen; the other commands work without it.

Results go to standard output, everything else to standard error. What is wrong with the input is
told in one line, never in a traceback, and ends the program with the exit code 2.
"""

from __future__ import annotations

import io
import json
import os
import re
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import accumulate, islice
from pathlib import Path
from typing import Annotated, Any, cast

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn
from typer.core import TyperCommand, TyperGroup

from bpe_tui.config import DEFAULT_SPECIAL, DEFAULT_VOCAB_SIZE, RunConfig
from bpe_tui.visible import number, rate, size, visible_bytes, visible_text
from engine.byte_chars import spell
from engine.corpus import Corpus
from engine.counting import count_corpus
from engine.errors import BpeError, CorpusError, OutputError, OutputExistsError, SpecialTokenError
from engine.events import CountProgress, EncodeStep
from engine.files import check_free
from engine.formats.gpt2 import MERGES, SETTINGS, VOCAB
from engine.patterns import PATTERNS
from engine.pretokenize import (
    Pretoken,
    SpecialSplitter,
    check_special_tokens,
    pretokens,
    to_text,
)
from engine.record import MergeStep
from engine.ties import TIE_RULES
from engine.tokenizer import Tokenizer
from engine.trainer import Trainer, check_vocab_size
from engine.trainers import TRAINERS

PROGRAM = "bpe-tui"
STANDARD_INPUT = "-"
BLOCK = 1 << 16
IDS_AT_A_TIME = 1 << 12

# Exit codes. The last two are what a shell reports for a program that the signal ended.
BAD_INPUT = 2
INTERRUPTED = 130
BROKEN_PIPE = 141

# Newer typers carry their own copy of click: the class is found from typer's side, so that it is
# the right one in either case.
UsageError = cast("type[typer.BadParameter]", typer.BadParameter.__base__)


class CommandLineError(BpeError):
    """The command line asks for something that cannot be done."""


# ---------------------------------------------------------------------------------------------
# The program


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program with `arguments` (by default those of the process); return its exit code."""
    _replace_closed_streams()
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a terminal need not know `→`
    try:
        return _run(sys.argv[1:] if arguments is None else list(arguments))
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        _leave_stdout_alone()
        return BROKEN_PIPE
    except UsageError as error:
        return _refuse(_with_hint(error))
    except BpeError as error:
        return _refuse(str(error))
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        return _refuse(f"{place}{error.strerror or error}")


def _replace_closed_streams() -> None:
    """Let a stream that the caller has closed (`bpe-tui … <&-`) be an empty one, not `None`."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode))  # noqa: SIM115 (open till the end)


def _run(arguments: list[str]) -> int:
    command = typer.main.get_command(app)
    exit_code = 0
    try:
        with command.make_context(PROGRAM, arguments) as context:
            command.invoke(context)
    except typer.Exit as done:
        exit_code = done.exit_code
    sys.stdout.flush()
    return exit_code


def _refuse(message: str) -> int:
    """Say in one line what is wrong."""
    print(f"{PROGRAM}: {visible_text(message, spaces=False)}", file=sys.stderr)
    return BAD_INPUT


def _with_hint(error: typer.BadParameter) -> str:
    """A usage error's message, and where to read more."""
    command = error.ctx.command_path if error.ctx else PROGRAM
    return f"{error.format_message().rstrip('.')}; try {command} --help"


def _leave_stdout_alone() -> None:
    """Let what is still buffered go nowhere, where nobody reads it any more."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class CorpusOrCommand(TyperGroup):
    """A group that takes what is no command for the arguments of `open`: `bpe-tui FILE`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if not args:
            typer.echo(self.get_help(ctx), err=True)
            raise typer.Exit(BAD_INPUT)
        own_options = [name for param in self.get_params(ctx) for name in param.opts]
        if args[0] not in self.commands and args[0] not in own_options:
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


def _examples(*lines: str) -> str:
    """The end of a help page; `\\b` keeps the lines from being joined."""
    return "\n".join(("\b", "Examples:", *(f"  {line}" for line in lines)))


# Markup stays off: it would act on file names and tokens that look like it.
app = typer.Typer(
    cls=CorpusOrCommand,
    subcommand_metavar="CORPUS | COMMAND ...",
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=_examples(
        f"{PROGRAM} samples/tinystories_valid.txt",
        f"{PROGRAM} train corpus.txt --vocab-size 1000 --out tokenizer",
    ),
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


# ---------------------------------------------------------------------------------------------
# Options that several commands share

TRAINING = "Training"
OUTPUT = "Output"

CorpusArgument = Annotated[
    str,
    typer.Argument(
        metavar="CORPUS",
        help="The text to train on; .gz is unpacked, `-` is standard input.",
        show_default=False,
    ),
]
VocabSizeOption = Annotated[
    int,
    typer.Option(
        "--vocab-size",
        metavar="N",
        help="Tokens at the most: 256 bytes, special tokens, merges.",
        rich_help_panel=TRAINING,
    ),
]
SpecialOption = Annotated[
    list[str] | None,
    typer.Option(
        "--special",
        metavar="TOKEN",
        help=f"A special token; repeat it for more.  [default: {' '.join(DEFAULT_SPECIAL)}]",
        rich_help_panel=TRAINING,
        show_default=False,
    ),
]
NoSpecialOption = Annotated[
    bool,
    typer.Option("--no-special", help="No special tokens at all.", rich_help_panel=TRAINING),
]
PatternOption = Annotated[
    str,
    typer.Option(
        "--pattern",
        metavar="NAME",
        help=f"What cuts text into pretokens: {', '.join(PATTERNS)}.",
        rich_help_panel=TRAINING,
    ),
]
TieRuleOption = Annotated[
    str,
    typer.Option(
        "--tie-rule",
        metavar="NAME",
        help=f"Which of equally frequent pairs merges: {', '.join(TIE_RULES)}.",
        rich_help_panel=TRAINING,
    ),
]
TrainerOption = Annotated[
    str,
    typer.Option(
        "--trainer",
        metavar="NAME",
        help=f"The algorithm; all find the same merges: {', '.join(TRAINERS)}.",
        rich_help_panel=TRAINING,
    ),
]
MinCountOption = Annotated[
    int,
    typer.Option(
        "--min-count",
        metavar="N",
        min=1,
        help="Stop when no pair occurs this often.",
        rich_help_panel=TRAINING,
    ),
]
TokenizerOption = Annotated[
    Path,
    typer.Option(
        "--tokenizer",
        metavar="DIR",
        help=f"The directory with {VOCAB} and {MERGES}.",
        rich_help_panel="Tokenizer",
    ),
]


def _special_tokens(given: Sequence[str] | None, none_at_all: bool) -> tuple[str, ...]:
    """The special tokens that `--special` and `--no-special` ask for."""
    if given and none_at_all:
        raise CommandLineError("--special and --no-special contradict each other; give one")
    if none_at_all:
        return ()
    special_tokens = check_special_tokens(given or DEFAULT_SPECIAL)
    for token in special_tokens:
        if any("\ud800" <= char <= "\udfff" for char in token):
            raise SpecialTokenError(f"the special token {token!r} is no valid UTF-8")
    return special_tokens


def _checked_corpus(config: RunConfig) -> Corpus:
    """The corpus, ready to be read; an error if anything in `config` will not do.

    Everything is checked before the work starts: a wrong name must not cost an hour of counting.
    """
    check_special_tokens(config.special_tokens)
    check_vocab_size(config.vocab_size, config.special_tokens)
    _ = PATTERNS[config.pattern], TIE_RULES[config.tie_rule], TRAINERS[config.trainer]
    return Corpus(config.corpus)


# ---------------------------------------------------------------------------------------------
# bpe-tui, bpe-tui open


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import PackageNotFoundError, version  # slow, and seldom needed

        try:
            typer.echo(f"{PROGRAM} {version(PROGRAM)}")
        except PackageNotFoundError:
            typer.echo(f"{PROGRAM} (not installed: run from its source)")
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


@app.command(
    "open",
    cls=GroupedHelp,
    epilog=_examples(
        f"{PROGRAM} open samples/tinystories_valid.txt --vocab-size 2000",
        f"zcat corpus.gz | {PROGRAM} - --no-special --pattern cl100k",
    ),
)
def open_screen(
    corpus: CorpusArgument,
    vocab_size: VocabSizeOption = DEFAULT_VOCAB_SIZE,
    special: SpecialOption = None,
    no_special: NoSpecialOption = False,
    pattern: PatternOption = RunConfig.pattern,
    tie_rule: TieRuleOption = RunConfig.tie_rule,
    trainer: TrainerOption = RunConfig.trainer,
    min_count: MinCountOption = RunConfig.min_count,
) -> None:
    """Train on a corpus and step through the merges on the screen."""
    special_tokens = _special_tokens(special, no_special)
    config = RunConfig(corpus, vocab_size, special_tokens, pattern, tie_rule, trainer, min_count)
    _checked_corpus(config)
    _check_terminal()
    from bpe_tui.app import run_app  # Textual is slow to import, and only this command needs it

    raise typer.Exit(run_app(config) or 0)


def _check_terminal() -> None:
    """Raises `CommandLineError` if there is no terminal to draw on."""
    if not (sys.stdout.isatty() and sys.stderr.isatty()):
        raise CommandLineError(
            "the screen needs a terminal, and the output is none; "
            f"to train without it: {PROGRAM} train CORPUS --vocab-size N --out DIR"
        )


# ---------------------------------------------------------------------------------------------
# bpe-tui train


@app.command(
    cls=GroupedHelp,
    epilog=_examples(
        f"{PROGRAM} train corpus.txt --vocab-size 1000 --out tokenizer",
        f"{PROGRAM} train - --vocab-size 500 --out tokenizer --steps steps.jsonl < corpus.txt",
    ),
)
def train(
    corpus: CorpusArgument,
    vocab_size: VocabSizeOption,
    out: Annotated[
        Path,
        typer.Option(
            "--out",
            metavar="DIR",
            help=f"Where {VOCAB}, {MERGES} and {SETTINGS} go.",
            rich_help_panel=OUTPUT,
        ),
    ],
    steps: Annotated[
        Path | None,
        typer.Option(
            "--steps",
            metavar="FILE.jsonl",
            help="Write every step as a line of JSON, too.",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    force: Annotated[
        bool,
        typer.Option("--force", help="Overwrite files that are there.", rich_help_panel=OUTPUT),
    ] = False,
    special: SpecialOption = None,
    no_special: NoSpecialOption = False,
    pattern: PatternOption = RunConfig.pattern,
    tie_rule: TieRuleOption = RunConfig.tie_rule,
    trainer: TrainerOption = RunConfig.trainer,
    min_count: MinCountOption = 1,
    workers: Annotated[
        int | None,
        typer.Option(
            "--workers",
            metavar="N",
            min=1,
            help="Processes that count pretokens; one a core if not given.",
            rich_help_panel=TRAINING,
        ),
    ] = None,
) -> None:
    """Train a tokenizer and write its files; their paths are printed."""
    special_tokens = _special_tokens(special, no_special)
    config = RunConfig(corpus, vocab_size, special_tokens, pattern, tie_rule, trainer, min_count)
    source = _checked_corpus(config)
    outputs = [out / VOCAB, out / MERGES, out / SETTINGS, *([steps] if steps else [])]
    _check_outputs(outputs, source, overwrite=force)
    with _step_writer(steps, overwrite=force) as write_step:
        run = _train(source, config, workers, write_step)
        tokenizer = Tokenizer(run.vocab, run.merges, special_tokens, pattern)
        tokenizer.save(out, overwrite=force)
    print(_summary(run, config), file=sys.stderr)
    _write_result(b"".join(os.fsencode(path) + b"\n" for path in outputs))


def _train(
    corpus: Corpus,
    config: RunConfig,
    workers: int | None,
    on_step: Callable[[MergeStep], None],
) -> Trainer:
    """Count and merge with a progress bar; return the finished run."""
    with TrainingBar() as bar:
        counted = count_corpus(
            corpus, config.pattern, config.special_tokens, workers, bar.show_reading
        )
        run = Trainer(
            counted.counts,
            config.vocab_size,
            config.special_tokens,
            tie_rule=config.tie_rule,
            algorithm=config.trainer,
            min_count=config.min_count,
        )
        for step in run.steps():
            on_step(step)
            bar.show_merging(step.index + 1, run.merges_wanted)
    return run


def _summary(run: Trainer, config: RunConfig) -> str:
    reason = run.stop_reason.value if run.stop_reason else "stopped"
    ran = run.algorithm.name
    replaced = f"; {config.tie_rule} ties: trained by {ran}" if ran != config.trainer else ""
    return (
        f"{number(len(run.vocab))} tokens: 256 bytes, {len(run.record.special_tokens)} special, "
        f"{number(len(run.record))} merges; {reason}{replaced}"
    )


class TrainingBar(Progress):
    """One bar on standard error, first for reading, then for merging; none in a pipe or file."""

    def __init__(self) -> None:
        super().__init__(
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.fields[detail]}", markup=False),
            console=Console(stderr=True),
            transient=True,
            disable=not sys.stderr.isatty(),
        )
        self._task = self.add_task("reading", total=None, detail="")
        self._started = time.monotonic()

    def show_reading(self, progress: CountProgress) -> None:
        seconds = max(time.monotonic() - self._started, 1e-6)
        self.update(
            self._task,
            completed=progress.bytes_read,
            total=progress.bytes_total,
            detail=f"{size(progress.bytes_read)}, {rate(progress.bytes_read / seconds)}",
        )

    def show_merging(self, merges: int, wanted: int) -> None:
        self.update(
            self._task,
            description="merging",
            completed=merges,
            total=wanted,
            detail=f"{number(merges)} of {number(wanted)} merges",
        )


def _check_outputs(paths: Sequence[Path], corpus: Corpus, *, overwrite: bool) -> None:
    """Raises `OutputError` or `OutputExistsError` if the files could not be written in the end."""
    if len({path.resolve() for path in paths}) < len(paths):
        raise OutputError(f"{paths[-1]}: --steps and --out name the same file")
    for path in paths:
        _check_directory(path.parent)
        if path.exists():
            _check_replaceable(path, corpus, overwrite)


def _check_directory(directory: Path) -> None:
    """Check that files can be written there, once what is missing of the path has been made."""
    while not directory.exists():
        directory = directory.parent
    if not directory.is_dir():
        raise OutputError(f"{directory}: is not a directory")
    if not os.access(directory, os.W_OK | os.X_OK):
        raise OutputError(f"{directory}: no permission to write there")


def _check_replaceable(path: Path, corpus: Corpus, overwrite: bool) -> None:
    if not path.is_file():
        raise OutputError(f"{path}: is no ordinary file; choose another place")
    if corpus.path is not None and path.samefile(corpus.path):
        raise OutputError(f"{path}: is the corpus; choose another place")
    if not overwrite:
        raise OutputExistsError(f"{path}: is there already; give --force to overwrite it")


@contextmanager
def _step_writer(path: Path | None, *, overwrite: bool) -> Iterator[Callable[[MergeStep], None]]:
    """A function that writes a step as a line of JSON; without a path it does nothing.

    The lines go into a draft beside `path`, which takes its place when the block ends well.
    """
    if path is None:
        yield lambda step: None
        return
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with draft.open("x", encoding="utf-8", newline="\n") as stream:
            yield lambda step: print(json.dumps(step.as_dict(), ensure_ascii=False), file=stream)
            stream.flush()
            os.fsync(stream.fileno())
        if not overwrite:
            check_free(path)
        draft.replace(path)
    except OSError as error:
        raise OutputError(f"{path}: cannot be written: {error.strerror or error}") from error
    finally:
        draft.unlink(missing_ok=True)


# ---------------------------------------------------------------------------------------------
# bpe-tui encode


@app.command(
    cls=GroupedHelp,
    epilog=_examples(
        f'{PROGRAM} encode --tokenizer tokenizer "the cat in the hat" --explain',
        f"{PROGRAM} encode --tokenizer tokenizer < corpus.txt > ids.txt",
    ),
)
def encode(
    tokenizer: TokenizerOption,
    text: Annotated[
        str,
        typer.Argument(
            metavar="[TEXT]",
            help="What to encode; standard input if it is `-` or not given.",
            show_default=False,
        ),
    ] = STANDARD_INPUT,
    as_json: Annotated[
        bool,
        typer.Option(
            "--json",
            help="Print ids, tokens in GPT-2's spelling and their place in bytes, as JSON.",
            rich_help_panel=OUTPUT,
        ),
    ] = False,
    explain: Annotated[
        bool,
        typer.Option(
            "--explain",
            help="Print how each pretoken was cut and which merges made its tokens.",
            rich_help_panel=OUTPUT,
        ),
    ] = False,
) -> None:
    """Print the token ids of a text."""
    if as_json and explain:
        raise CommandLineError("--json and --explain contradict each other; give one")
    loaded = Tokenizer.load(tokenizer)
    blocks = _input_blocks() if text == STANDARD_INPUT else [os.fsencode(text)]
    if explain:
        for line in _explanation(loaded, to_text(b"".join(blocks))):
            print(line)
    elif as_json:
        print(_ids_as_json(loaded, blocks))
    else:
        _print_ids(loaded.encode_iterable(map(to_text, blocks)))


def _input_blocks() -> Iterator[bytes]:
    """Standard input, block by block."""
    try:
        while block := sys.stdin.buffer.read(BLOCK):
            yield block
    except OSError as error:
        raise CorpusError(f"standard input: cannot be read: {error.strerror or error}") from error


def _print_ids(ids: Iterable[int]) -> None:
    """Print ids as they come, some thousands at a time: `104 105`, and a newline at the end."""
    waiting = iter(ids)
    separator = ""
    while batch := list(islice(waiting, IDS_AT_A_TIME)):
        sys.stdout.write(separator + " ".join(map(str, batch)))
        separator = " "
    sys.stdout.write("\n")


def _ids_as_json(tokenizer: Tokenizer, blocks: Iterable[bytes]) -> str:
    """A JSON object; `text[start:end]` in bytes is what a token with the offsets stands for."""
    ids = list(tokenizer.encode_iterable(map(to_text, blocks)))
    tokens = [tokenizer.vocab[token_id] for token_id in ids]
    ends = accumulate(map(len, tokens))
    facts = {
        "ids": ids,
        "tokens": [spell(token) for token in tokens],
        "offsets": [[end - len(token), end] for token, end in zip(tokens, ends, strict=True)],
    }
    return json.dumps(facts, ensure_ascii=False)


def _explanation(tokenizer: Tokenizer, text: str) -> Iterator[str]:
    """Lines that tell how a text was encoded, pretoken by pretoken."""
    ids = iter(tokenizer.encode(text))
    splitter = SpecialSplitter(tokenizer.special_tokens)
    for pretoken in pretokens(text, tokenizer.pattern, splitter):
        yield f"{visible_bytes(pretoken.bytes)}  ({_cut_by(pretoken)})"
        if not pretoken.special:
            for step in tokenizer.steps(pretoken.bytes):
                yield f"  {_merge_line(tokenizer, step)}"
        own_ids = list(_take(ids, len(pretoken.bytes), tokenizer))
        shown = [visible_bytes(tokenizer.vocab[token_id]) for token_id in own_ids]
        yield f"  {' '.join(shown)} = {' '.join(map(str, own_ids))}"


def _cut_by(pretoken: Pretoken) -> str:
    """Which alternative of the pattern cut a pretoken."""
    if pretoken.special:
        return "special token"
    return pretoken.alternative.name if pretoken.alternative else "no alternative matches"


def _merge_line(tokenizer: Tokenizer, step: EncodeStep) -> str:
    """One merge: `t h → th (rank 3)`."""
    left, right, joined = (
        visible_bytes(tokenizer.vocab[token_id]) for token_id in (*step.pair, step.token_id)
    )
    return f"{left} {right} → {joined} (rank {step.rank})"


def _take(ids: Iterator[int], length: int, tokenizer: Tokenizer) -> Iterator[int]:
    """As many of the next ids as stand for `length` bytes."""
    while length > 0:
        token_id = next(ids)
        length -= len(tokenizer.vocab[token_id])
        yield token_id


# ---------------------------------------------------------------------------------------------
# bpe-tui decode

# More digits than any vocabulary needs would only be slow to read.
TOKEN_ID = re.compile("[0-9]{1,18}")


@app.command(
    cls=GroupedHelp,
    # `-5` is a bad id, which is told in other words than a bad option.
    context_settings={"ignore_unknown_options": True},
    epilog=_examples(
        f"{PROGRAM} decode --tokenizer tokenizer 116 104 101",
        f"{PROGRAM} decode --tokenizer tokenizer < ids.txt > text.txt",
    ),
)
def decode(
    tokenizer: TokenizerOption,
    ids: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[IDS]...",
            help="Token ids with spaces or commas between, or a JSON list; standard input if "
            "they are `-` or not given.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Print the text of token ids.

    Bytes that are no UTF-8 become U+FFFD. On a terminal, characters that it would act upon are
    made visible; a file or a pipe gets the text as it is.
    """
    loaded = Tokenizer.load(tokenizer)
    from_input = not ids or ids == [STANDARD_INPUT]
    spelled = to_text(b"".join(_input_blocks())) if from_input else " ".join(ids or ())
    _write_result(loaded.decode(_token_ids(spelled)).encode())


def _token_ids(spelled: str) -> list[int]:
    """The ids in `116 104`, `116, 104` or `[116, 104]`."""
    spelled = spelled.strip()
    if spelled.startswith("[") and spelled.endswith("]"):
        spelled = spelled[1:-1]
    words = spelled.replace(",", " ").split()
    for word in words:
        if not TOKEN_ID.fullmatch(word):
            raise CommandLineError(f"{word[:40]!r} is no token id; ids are whole numbers from 0")
    return [int(word) for word in words]


def _write_result(result: bytes) -> None:
    """Write to standard output: to a terminal what it can draw, to anything else every byte."""
    if sys.stdout.isatty():
        lines = to_text(result).removesuffix("\n").split("\n")
        print(*(visible_text(line, spaces=False) for line in lines), sep="\n")
    else:
        sys.stdout.buffer.write(result)
