"""Options that several commands share."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from glob import escape, glob
from inspect import Parameter, signature
from typing import Annotated, Any

import typer

from bpe_tui.cli.inputs import CommandLineError
from bpe_tui.session import samples
from bpe_tui.session.config import DEFAULT_SPECIAL, DEFAULT_VOCAB_SIZE, RunConfig, in_phases
from bpe_tui.session.declarations import EVERYWHERE, Model
from bpe_tui.session.models import DEFAULT_MODEL, MODELS, completed
from engine.bpe.phases import phases_from
from engine.bpe.ties import TIE_RULES
from engine.bpe.trainers import TRAINERS
from engine.core.errors import SpecialTokenFoundError
from engine.encoding.alphabet import UNITS
from engine.encoding.special_policy import ALL_SPECIAL, NONE_SPECIAL, SpecialPolicy
from engine.text.corpus import Reading
from engine.text.patterns import PATTERNS
from engine.text.pretokenize import check_special_tokens


def completed_by(names: Iterable[str]) -> Callable[[str], list[str]]:
    """Return a function that completes the beginning of a name, for a shell."""
    return lambda incomplete: [name for name in names if name.startswith(incomplete)]


def complete_sample(incomplete: str) -> list[str]:
    """Return the samples that `samples/…` names, for a shell; none where files begin so."""
    if not incomplete.startswith(samples.SHORT[:2]) or glob(f"{escape(incomplete)}*"):
        return []
    names = (f"{samples.SHORT}/{sample.name}" for sample in samples.SAMPLES)
    return [name for name in names if name.startswith(incomplete)]


def sample_or_path(value: Any) -> Any:
    """Return the value of an option that names files, with the paths of samples in it.

    >>> sample_or_path(["corpus.txt"])
    ['corpus.txt']
    """
    if isinstance(value, list | tuple):
        return [sample_or_path(each) for each in value]
    return type(value)(samples.file_of(os.fspath(value))) if value else value


def names_file(*names: str, **more: Any) -> Any:
    """Return an option whose values are files or samples; without names an argument."""
    make = typer.Option if names else typer.Argument
    return make(*names, callback=sample_or_path, autocompletion=complete_sample, **more)


TRAINING = "Training"
INPUT = "What to read"
OUTPUT = "Output"
TEXT = "Text"
VIEWPOINT = "Where to begin"

SOURCES_HELP = (
    "a file, a folder, a glob, or an address (https, s3, gs, az, hf); .gz, .bz2, .xz and .zst are "
    "unpacked, `-` is standard input."
)
SourcesArgument = Annotated[
    list[str],
    names_file(
        metavar="CORPUS...", help=f"The text to train on: {SOURCES_HELP}", show_default=False
    ),
]
FieldOption = Annotated[
    str | None,
    typer.Option(
        "--field",
        metavar="NAME",
        help="The corpus is JSON lines or Parquet; its texts are in this field.",
        rich_help_panel=INPUT,
        show_default=False,
    ),
]
SkipBadOption = Annotated[
    bool,
    typer.Option(
        "--skip-bad",
        help="With --field: leave out records that are broken or hold no text.",
        rich_help_panel=INPUT,
    ),
]
_OTHER_TRAINERS = " ".join(
    f"Of {model.name}: {', '.join(trainer.name for trainer in model.trainers)}."
    for model in MODELS.values()
    if model.trainers
)
TRAINER_NAMES = (
    *TRAINERS,
    *(trainer.name for model in MODELS.values() for trainer in model.trainers),
)
VocabSizeOption = Annotated[
    int,
    typer.Option(
        "--vocab-size",
        metavar="N",
        help="Tokens at the most; of BPE 256 bytes (or --units), special tokens, merges.",
        rich_help_panel=TRAINING,
    ),
]
ModelOption = Annotated[
    str,
    typer.Option(
        "--model",
        metavar="NAME",
        autocompletion=completed_by(MODELS),
        help=f"What is trained: {', '.join(MODELS)}.",
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
        metavar="NAME|REGEX",
        autocompletion=completed_by(PATTERNS),
        help=f"What cuts text into pretokens: {', '.join(PATTERNS)}; or a regex of yours.",
        rich_help_panel=TRAINING,
    ),
]
TieRuleOption = Annotated[
    str,
    typer.Option(
        "--tie-rule",
        metavar="NAME",
        autocompletion=completed_by(TIE_RULES),
        help=f"Which of equally frequent pairs merges: {', '.join(TIE_RULES)}.",
        rich_help_panel=TRAINING,
    ),
]
TrainerOption = Annotated[
    str,
    typer.Option(
        "--trainer",
        metavar="NAME",
        autocompletion=completed_by(TRAINER_NAMES),
        help=f"The algorithm; all find the same merges: {', '.join(TRAINERS)}. {_OTHER_TRAINERS}",
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
MaxTokenLengthOption = Annotated[
    int | None,
    typer.Option(
        "--max-token-length",
        metavar="N",
        min=2,
        help="No pair merges whose token would have more bytes than this.",
        rich_help_panel=TRAINING,
        show_default=False,
    ),
]
UnitsOption = Annotated[
    str,
    typer.Option(
        "--units",
        metavar="NAME",
        autocompletion=completed_by(UNITS),
        help=f"What the merges start from: {', '.join(UNITS)} (characters with </w> behind words; "
        "for the pattern whitespace). With --trainer textbook the n-grams are of words or "
        "characters.",
        rich_help_panel=TRAINING,
    ),
]
NgramOption = Annotated[
    int,
    typer.Option(
        "--ngram",
        metavar="N",
        min=1,
        help="Units of the longest n-gram, with --trainer textbook.",
        rich_help_panel=TRAINING,
    ),
]
ParityOption = Annotated[
    bool,
    typer.Option(
        "--parity",
        help="Parity-aware BPE: each CORPUS is a language, and each merge serves the one with the "
        "most tokens a character.",
        rich_help_panel=TRAINING,
    ),
]
PhasesOption = Annotated[
    str,
    typer.Option(
        "--phases",
        metavar="PATTERN:N,…",
        help="Train in phases, each with its pattern and the size at its end: "
        "gpt2:8000,none:10000 is SuperBPE, whose tokens cross spaces.",
        rich_help_panel=TRAINING,
        show_default=False,
    ),
]
MostWordsOption = Annotated[
    int | None,
    typer.Option(
        "--most-words",
        metavar="N",
        min=0,
        help="No pair merges whose token would have more words, or a colon and a space; 0 for no "
        "limit.  [default: 4 with --phases, else none]",
        rich_help_panel=TRAINING,
        show_default=False,
    ),
]
ContinueOption = Annotated[
    int | None,
    typer.Option(
        "--continue",
        metavar="N",
        help="With --tokenizer: learn N more merges on CORPUS, behind its own. All ids stay.",
        rich_help_panel="Tokenizer",
        show_default=False,
    ),
]
PickyOption = Annotated[
    float | None,
    typer.Option(
        "--picky",
        metavar="T",
        help="PickyBPE: a merge removes a part of it if it takes a greater share than T of the "
        "part's occurrences, such as 0.9.",
        rich_help_panel=TRAINING,
        show_default=False,
    ),
]
CacheOption = Annotated[
    bool,
    typer.Option(
        "--no-cache",
        help="Count again, and keep no counts for the next time.",
        rich_help_panel=TRAINING,
    ),
]
WorkersOption = Annotated[
    int | None,
    typer.Option(
        "--workers",
        metavar="N",
        min=1,
        help="How many count pretokens at once; one for each core if not given.",
        rich_help_panel=TRAINING,
    ),
]
ContinuedTokenizerOption = Annotated[
    list[str] | None,
    names_file(
        "--tokenizer",
        metavar="PATH|NAME",
        help="Go on with this tokenizer, which merges bytes: see --continue. Twice for VOCAB and "
        "MERGES.",
        rich_help_panel="Tokenizer",
        show_default=False,
    ),
]
OpenedTokenizerOption = Annotated[
    list[str] | None,
    names_file(
        "--tokenizer",
        metavar="PATH|NAME",
        help="Do not train: replay the merges of this tokenizer, over CORPUS if there is one. "
        "Twice for VOCAB and MERGES.",
        rich_help_panel="Tokenizer",
        show_default=False,
    ),
]
StepOption = Annotated[
    int | None,
    typer.Option(
        "--step",
        metavar="N",
        min=0,
        help="Go to this step as soon as it is there.",
        rich_help_panel=VIEWPOINT,
        show_default=False,
    ),
]
ViewOption = Annotated[
    str | None,
    typer.Option(
        "--view",
        metavar="NAME",
        autocompletion=completed_by(EVERYWHERE),
        help=f"The screen to begin with: {', '.join(EVERYWHERE)}.",
        rich_help_panel=VIEWPOINT,
        show_default=False,
    ),
]
TextOption = Annotated[
    str,
    typer.Option(
        "--text",
        metavar="TEXT",
        help="What is typed there, to be encoded.",
        rich_help_panel=VIEWPOINT,
        show_default=False,
    ),
]
AnimationOption = Annotated[
    bool | None,
    typer.Option(
        "--animation/--no-animation",
        help="Show steps beat by beat in the lesson view, or each result at once. Remembered.",
        rich_help_panel=OUTPUT,
        show_default=False,
    ),
]
ForceOption = Annotated[
    bool,
    typer.Option("--force", help="Overwrite files that are there.", rich_help_panel=OUTPUT),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.", rich_help_panel=OUTPUT)]
TokenizerArgument = Annotated[
    list[str],
    names_file(
        metavar="TOKENIZER",
        help="A tokenizer in any known format: a file, a directory, or vocabulary and merges.",
        show_default=False,
    ),
]
TokenizerOption = Annotated[
    list[str],
    names_file(
        "--tokenizer",
        metavar="PATH|NAME",
        help="A file or directory in any known format, or the name of an encoding (cl100k_base, "
        "hf:OWNER/NAME); twice for VOCAB and MERGES.",
        rich_help_panel="Tokenizer",
    ),
]
OtherPatternOption = Annotated[
    str | None,
    typer.Option(
        "--pattern",
        metavar="NAME|REGEX",
        autocompletion=completed_by(PATTERNS),
        help=f"What cuts text, if not the tokenizer's own: {', '.join(PATTERNS)}; or a regex.",
        rich_help_panel="Tokenizer",
        show_default=False,
    ),
]


# The options of a training, shared by several commands

OF_TRAINING: dict[str, tuple[object, object]] = {
    "vocab_size": (VocabSizeOption, DEFAULT_VOCAB_SIZE),
    "special": (SpecialOption, None),
    "no_special": (NoSpecialOption, False),
    "pattern": (PatternOption, RunConfig.pattern),
    "tie_rule": (TieRuleOption, RunConfig.tie_rule),
    "trainer": (TrainerOption, RunConfig.trainer),
    "min_count": (MinCountOption, RunConfig.min_count),
    "model": (ModelOption, RunConfig.model),
    "max_token_length": (MaxTokenLengthOption, None),
    "units": (UnitsOption, RunConfig.units),
    "ngram": (NgramOption, RunConfig.ngram),
    "phases": (PhasesOption, RunConfig.phases),
    "most_words": (MostWordsOption, None),
    "no_cache": (CacheOption, False),
}
"""Name → the option, and its default."""
_FIELDS = (
    *("pattern", "tie_rule", "trainer", "min_count"),
    *("model", "max_token_length", "units", "ngram", "parity", "phases", "most_words", "picky"),
)
"""Options that are fields of a run, by the same names."""


def with_training(*without: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the options of a training, except those that it declares itself.

    Typer reads options from the signature. The command takes them as keywords, `**of_training`, and
    makes a run of them with `run_of`.

    Args:
        without: names of options that the command lacks.
    """

    def declare(command: Callable[..., None]) -> Callable[..., None]:
        own = signature(command, eval_str=True)
        named = [each for each in own.parameters.values() if each.kind is not Parameter.VAR_KEYWORD]
        training = [
            Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=option)
            for name, (option, default) in OF_TRAINING.items()
            if name not in {*own.parameters, *without}
        ]
        keywords = [each.replace(kind=Parameter.KEYWORD_ONLY) for each in named]
        first = [each for each in keywords if each.default is Parameter.empty]
        rest = [each for each in keywords if each not in first]
        parameters = [*first, *training, *rest]  # in the order of the help page
        command.__signature__ = own.replace(parameters=parameters)  # type: ignore[attr-defined]
        return command

    return declare


def run_of(context: typer.Context, corpus: str, **more: Any) -> RunConfig:
    """Return the run that the options of a training ask for.

    Args:
        more: fields of the run that are not options of a training.

    Raises:
        BpeError: the options contradict each other.
    """
    given = context.params
    run = RunConfig(
        corpus,
        given["vocab_size"] if is_given(context, "vocab_size") else None,
        special_tokens_of(given["special"], given["no_special"]),
        cache=not given.get("no_cache", False),
        **{name: given[name] for name in _FIELDS if name in given},
        **more,
    )
    if is_given(context, "phases"):
        phases_from(run.phases)
        _check_goes_with_phases(context)
        return in_phases(run)
    return completed(run, [name for name in ("units", "pattern") if is_given(context, name)])


def _check_goes_with_phases(context: typer.Context) -> None:
    """Raise `CommandLineError` for an option that `--phases` contradicts."""
    for option in ("pattern", "vocab_size"):
        if is_given(context, option):
            name = option.replace("_", "-")
            raise CommandLineError(f"each phase has its pattern and size; leave out --{name}")
    for option in ("parity", "units"):
        if is_given(context, option):
            raise CommandLineError(f"--phases and --{option} do not go together; leave one out")


OF_CONTINUING = "tie_rule", "min_count"
"""Options of a training that `--continue` has, too."""


def continuation_of(context: typer.Context) -> dict[str, Any]:
    """Return the fields of a tokenizer's config about merges to learn, as far as they are given."""
    given = context.params
    if given.get("continued") is None:
        return {}
    asked = [name for name in OF_CONTINUING if is_given(context, name)]
    return {"continued": given["continued"], **{name: given[name] for name in asked}}


def special_tokens_of(given: Sequence[str] | None, none_at_all: bool) -> tuple[str, ...]:
    """Return the special tokens that `--special` and `--no-special` ask for."""
    if given and none_at_all:
        raise CommandLineError("--special and --no-special contradict each other; give one")
    if none_at_all:
        return ()
    return check_special_tokens(given or DEFAULT_SPECIAL)


def is_given(context: typer.Context, option: str) -> bool:
    """Return whether the command line has the option, so that no default applies."""
    source = context.get_parameter_source(option)
    return source is not None and source.name == "COMMANDLINE"


def asked_of(context: typer.Context) -> list[str]:
    """Return the fields of a run about cutting the corpus that the command line sets."""
    fields = {"pattern": "pattern", "special": "special_tokens", "no_special": "special_tokens"}
    return [field for option, field in fields.items() if is_given(context, option)]


def check_model(context: typer.Context, *more: str) -> None:
    """Raise an error for an unknown model, or for options that the model lacks.

    Args:
        more: options of the command that only BPE has, besides those of a training.
    """
    model, trainer = MODELS[context.params["model"]], context.params.get("trainer", "")
    _check_trainer(context, model, trainer)
    if model.name == DEFAULT_MODEL:
        return
    for option in (
        "tie_rule",
        "trainer",
        "min_count",
        "units",
        "parity",
        "phases",
        "most_words",
        "picky",
        *more,
    ):
        if option not in model.options and is_given(context, option):
            name = option.replace("_", "-")
            raise CommandLineError(f"--{name} is for the model bpe, and the model is {model.name}")


def _check_trainer(context: typer.Context, model: Model, trainer: str) -> None:
    """Raise `CommandLineError` for a trainer of another model, or for options that it lacks."""
    names = [each.name for each in model.trainers]
    if names and is_given(context, "trainer") and trainer not in names:
        raise CommandLineError(
            f"the model {model.name} has no trainer {trainer!r}; there are: {', '.join(names)}"
        )
    for other in MODELS.values():
        if other is not model and trainer in (each.name for each in other.trainers):
            raise CommandLineError(
                f"--trainer {trainer} is for the model {other.name}; add --model {other.name}"
            )
    units = next((each.units for each in model.trainers if each.name == trainer), ())
    if is_given(context, "ngram") and not units:
        raise CommandLineError(
            "--ngram is for --model unigram --trainer textbook, which learns n-grams"
        )
    if is_given(context, "units") and names:
        given = context.params["units"]
        if not units:
            raise CommandLineError("--units is for the model bpe and for --trainer textbook")
        if given not in units:
            raise CommandLineError(
                f"the trainer {trainer} has no units {given!r}; there are: {', '.join(units)}"
            )


def format_of(context: typer.Context, model: str, format: str) -> str:
    """Return the format of a model's file: that of `--format`, or the model's first.

    Raises:
        CommandLineError: the model cannot be written in the format of `--format`.
    """
    formats = MODELS[model].formats
    if not formats or format in formats:
        return format
    if is_given(context, "format"):
        raise CommandLineError(f"the model {model} is written as {' or '.join(formats)} only")
    return formats[0]


# Special tokens in a text

ALL, NONE = "all", "none"


def _allow_special(by_default: str) -> Any:
    return typer.Option(
        "--allow-special",
        metavar="all|none|TOKEN",
        autocompletion=completed_by((ALL, NONE)),
        help="Special tokens in the text are one id each (all), ordinary text (none), or only "
        f"those given are special; repeat it for more.  [default: {by_default}]",
        rich_help_panel=TEXT,
        show_default=False,
    )


AllowSpecialOption = Annotated[list[str] | None, _allow_special(ALL)]
"""The option of commands that describe a text: by default they read it as the screens do."""
EncodedSpecialOption = Annotated[list[str] | None, _allow_special("they are an error")]
"""The option of `encode`, whose ids other programs use: no text may end a document by chance."""


def policy_of(
    given: Sequence[str] | None,
    special_tokens: Sequence[str],
    by_default: SpecialPolicy = ALL_SPECIAL,
) -> SpecialPolicy:
    """Return the policy that `--allow-special` asks for; commas may separate tokens."""
    if not given:
        return by_default
    if len(given) == 1 and given[0] in (ALL, NONE):
        return ALL_SPECIAL if given[0] == ALL else NONE_SPECIAL
    if clash := next((word for word in given if word in (ALL, NONE)), None):
        raise CommandLineError(f"--allow-special {clash} goes with no other; give it alone")
    # A special token may hold a comma itself.
    allowed = [[each] if each in special_tokens else each.split(",") for each in given]
    return SpecialPolicy(frozenset(token for tokens in allowed for token in tokens))


@contextmanager
def hint_at_allow_special() -> Iterator[None]:
    """Add `--allow-special` to an error about a special token in a text."""
    try:
        yield
    except SpecialTokenFoundError as error:
        raise CommandLineError(
            f"{error}; --allow-special all makes it one id, --allow-special none takes it as text"
        ) from error


def reading_of(more: Sequence[str], field: str | None, skip_bad: bool) -> Reading:
    """Return how to read the corpus of the command line.

    Raises:
        CommandLineError: options contradict each other.
    """
    if skip_bad and field is None:
        raise CommandLineError("--skip-bad is about records; say where their texts are: --field")
    return Reading(tuple(more), field, skip_bad)
