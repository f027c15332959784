"""Options that several commands share."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from glob import escape, glob
from inspect import Parameter, signature
from pathlib import Path
from typing import Annotated, Any

import typer

from bpe_tui.session import samples
from bpe_tui.session.config import DEFAULT_SPECIAL, DEFAULT_VOCAB_SIZE, RunConfig
from bpe_tui.session.declarations import EVERYWHERE
from bpe_tui.session.models import MODELS
from engine.bpe.ties import TIE_RULES
from engine.bpe.trainers import TRAINERS
from engine.encoding.alphabet import UNITS
from engine.text.patterns import PATTERNS


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
TokenizerOutOption = Annotated[
    Path,
    typer.Option(
        "--out",
        metavar="PATH",
        help="Where to write the tokenizer.",
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
