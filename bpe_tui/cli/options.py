"""Options that several commands share."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from glob import escape, glob
from typing import Any

from bpe_tui.cli.declared import Declared, Parameters
from bpe_tui.session import samples
from bpe_tui.session.config import DEFAULT_SPECIAL, DEFAULT_VOCAB_SIZE, RunConfig
from bpe_tui.session.declarations import EVERYWHERE
from bpe_tui.session.models import MODELS
from engine.bpe.ties import TIE_RULES
from engine.bpe.trainers import TRAINERS
from engine.encoding import alphabet
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


def names_file(usage: str, help: str, panel: str | None = None, **more: Any) -> Any:
    """Return an option or an argument whose values are files or samples."""
    more = {"callback": sample_or_path, "autocompletion": complete_sample, **more}
    return option(usage, help, panel, **more) if usage[0] == "-" else argument(usage, help, **more)


def argument(usage: str, help: str, default: Any = ..., **more: Any) -> Any:
    """Return an argument; it is needed without `default`."""
    return Declared((), default, {"metavar": usage, "help": help, "show_default": False, **more})


def option(
    usage: str, help: str, panel: str | None = None, *, default: Any = None, **more: Any
) -> Any:
    """Return an option from its usage, such as `--out FILE`.

    Names are joined by commas. A flag has no name for a value, and is off by default. With
    `default=...` the option is needed.
    """
    names, _, metavar = usage.partition(" ")
    if not metavar and "/" not in names:
        default = False
    shows = default is not False and default not in (None, ..., "")
    more = {"show_default": shows, "metavar": metavar or None, **more}
    more |= {"help": help, "rich_help_panel": panel}
    return Declared(tuple(names.split(",")), default, more)


TRAINING = "Training"
INPUT = "What to read"
OUTPUT = "Output"
TEXT = "Text"
VIEWPOINT = "Where to begin"

SOURCES_HELP = (
    "a file, a folder or a glob; .gz, .bz2, .xz and .zst are unpacked, `-` is standard input."
)
SOURCES = names_file("CORPUS...", f"The text to train on: {SOURCES_HELP}")
FIELD = option(
    "--field NAME", "The corpus is JSON lines or Parquet; its texts are in this field.", INPUT
)
SKIP_BAD = option(
    "--skip-bad", "With --field: leave out records that are broken or hold no text.", INPUT
)
MAX_BYTES = option(
    "--max-bytes N",
    "Bytes that a packed file may become; 100 times its size, at least 64 MB, if not given.",
    INPUT,
    min=1,
    hidden=True,  # the error names it, and hardly anybody else needs it
)
_OTHER_TRAINERS = " ".join(
    f"Of {model.name}: {', '.join(trainer.name for trainer in model.trainers)}."
    for model in MODELS.values()
    if model.trainers
)
TRAINER_NAMES = (
    *TRAINERS,
    *(trainer.name for model in MODELS.values() for trainer in model.trainers),
)


def vocab_size(default: int | None) -> Any:
    """Return the option `--vocab-size`, with this default."""
    return option(
        "--vocab-size N",
        "Tokens at the most: 256 bytes (or the --units), special tokens, merges of BPE.",
        TRAINING,
        default=default,
    )


VOCAB_SIZE = vocab_size(DEFAULT_VOCAB_SIZE)
MODEL = option(
    "--model NAME",
    f"What is trained: {', '.join(MODELS)}.",
    TRAINING,
    default=RunConfig.model,
    autocompletion=completed_by(MODELS),
)
SPECIAL = option(
    "--special TOKEN",
    "A special token; repeat it for more; none for none at all.  [default: "
    f"{' '.join(DEFAULT_SPECIAL)}]",
    TRAINING,
)
PATTERN = option(
    "--pattern NAME|REGEX",
    f"What cuts text into pretokens: {', '.join(PATTERNS)}; or a regex of yours.",
    TRAINING,
    default=RunConfig.pattern,
    autocompletion=completed_by(PATTERNS),
)
TIE_RULE = option(
    "--tie-rule NAME",
    f"Which of equally frequent pairs merges: {', '.join(TIE_RULES)}.",
    TRAINING,
    default=RunConfig.tie_rule,
    autocompletion=completed_by(TIE_RULES),
)
TRAINER = option(
    "--trainer NAME",
    f"The algorithm; all find the same merges: {', '.join(TRAINERS)}. {_OTHER_TRAINERS}",
    TRAINING,
    default=RunConfig.trainer,
    autocompletion=completed_by(TRAINER_NAMES),
)


def min_count(default: int) -> Any:
    """Return the option `--min-count`, with this default."""
    return option(
        "--min-count N", "Stop when no pair occurs this often.", TRAINING, default=default, min=1
    )


KNOWN_ONES = "gpt2 and cl100k_base (GPT-4) need pip install 'bpe-tui[tiktoken]'."
"""How to get the tokenizers that everybody asks about."""

MIN_COUNT = min_count(RunConfig.min_count)
MAX_TOKEN_LENGTH = option(
    "--max-token-length N",
    "No pair merges whose token would have more bytes than this; 4words: more words, or a "
    "colon and a space; 16,4words: both; 0words with --phases: no limit.  [default: 4words with "
    "--phases]",
    TRAINING,
    default="",
)
UNITS = option(
    "--units NAME[:N]",
    f"What the merges start from: {', '.join(alphabet.UNITS)} (characters with </w> after words; "
    "for the pattern whitespace). With --trainer textbook the units of n-grams: words or "
    "characters, words:3 for those of up to 3.",
    TRAINING,
    default=RunConfig.units,
    autocompletion=completed_by(alphabet.UNITS),
)
PHASES = option(
    "--phases PATTERN:N,…",
    "Train in phases, each with its pattern and the size at its end: "
    "gpt2:8000,none:10000 is SuperBPE, whose tokens cross spaces.",
    TRAINING,
    default=RunConfig.phases,
)
CONTINUE = option(
    "--continue N",
    "With --tokenizer: learn N more merges on CORPUS, after its own. All ids stay.",
    "Tokenizer",
)
WORKERS = option(
    "--workers N",
    "How many count pretokens at once; one for each core if not given.",
    TRAINING,
    min=1,
)
CONTINUED_TOKENIZER = names_file(
    "--tokenizer PATH|NAME",
    "With --continue: the tokenizer to go on with, which merges bytes. Twice for VOCAB and MERGES.",
    "Tokenizer",
)
OPENED_TOKENIZER = names_file(
    "--tokenizer PATH|NAME",
    "Do not train: replay the merges of this tokenizer, over CORPUS if there is one. "
    "Twice for VOCAB and MERGES, or for two tokenizers side by side.",
    "Tokenizer",
)
STEP = option("--step N", "Go to this step as soon as it is there.", VIEWPOINT, min=0)
VIEW = option(
    "--view NAME[:PANEL:ROW]",
    f"The screen to begin with: {', '.join(EVERYWHERE)}; and a row there, as `y` names it.",
    VIEWPOINT,
    autocompletion=completed_by(EVERYWHERE),
)
TYPED_TEXT = option("--text TEXT", "What is typed there, to be encoded.", VIEWPOINT, default="")
HIDE_NEXT = option("--hide-next", "Show no merge before its step; `H` shows it.", VIEWPOINT)
TOKENIZER_OUT = option("--out PATH", "Where to write the tokenizer.", OUTPUT, default=...)
FORCE = option("--force", "Overwrite files that are there.", OUTPUT)
JSON = option("--json", "Print JSON.", OUTPUT)
TOKENIZER_FILES = names_file(
    "TOKENIZER",
    f"A tokenizer in any known format: a file, a directory, or vocabulary and merges. {KNOWN_ONES}",
)
_ANY_TOKENIZER = (
    "A file or directory in any known format, or the name of an encoding (cl100k_base, "
    "hf:OWNER/NAME); twice for VOCAB and MERGES."
)
TOKENIZER = names_file("--tokenizer PATH|NAME", _ANY_TOKENIZER, "Tokenizer", default=...)
TOKENIZER_OR_BYTES = names_file(
    "--tokenizer PATH|NAME",
    f"{_ANY_TOKENIZER} With --explain the 256 bytes if not given.",
    "Tokenizer",
)
OTHER_PATTERN = option(
    "--pattern NAME|REGEX",
    f"What cuts text, if not the tokenizer's own: {', '.join(PATTERNS)}; or a regex.",
    "Tokenizer",
    autocompletion=completed_by(PATTERNS),
)


# The options of a training, shared by several commands

OF_TRAINING: Parameters = {
    "vocab_size": ("int", VOCAB_SIZE),
    "special": ("list[str] | None", SPECIAL),
    "pattern": ("str", PATTERN),
    "tie_rule": ("str", TIE_RULE),
    "trainer": ("str", TRAINER),
    "min_count": ("int", MIN_COUNT),
    "model": ("str", MODEL),
    "max_token_length": ("str", MAX_TOKEN_LENGTH),
    "units": ("str", UNITS),
    "phases": ("str", PHASES),
}
"""The type and the option of each; `run_of` makes a run of them."""


# Special tokens in a text

ALL, NONE = "all", "none"


def _allow_special(by_default: str) -> Any:
    return option(
        "--allow-special all|none|TOKEN",
        "Special tokens in the text are one id each (all), ordinary text (none), or only "
        f"those given are special; repeat it for more.  [default: {by_default}]",
        TEXT,
        autocompletion=completed_by((ALL, NONE)),
    )


ALLOW_SPECIAL = _allow_special(ALL)
"""The option of commands that describe a text: by default they read it as the screens do."""
ENCODED_SPECIAL = _allow_special("they are an error; all with --explain")
"""The option of `encode`, whose ids other programs use: no text may end a document by chance."""
