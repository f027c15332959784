"""What is asked to be opened: the options of the command line, in one value."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from engine.encoding.alphabet import DEFAULT_UNITS
from engine.text.corpus import PLAIN, Corpus, Reading, separator_of
from engine.text.patterns import PATTERNS, as_pattern
from engine.text.remote import without_credentials
from engine.text.sources import STANDARD_INPUT

if TYPE_CHECKING:
    from engine.learning.session_file import SavedFile, SavedFork

DEFAULT_VOCAB_SIZE = 10_000
DEFAULT_SPECIAL = ("<|endoftext|>",)


@dataclass(frozen=True)
class LeftOutDocument:
    """A document that is not trained on: its number, counted with these special tokens."""

    document: int
    special_tokens: tuple[str, ...]


@dataclass(frozen=True)
class Claimed:
    """What a trainer has written, to be checked against the rule.

    Attributes:
        paths: vocabulary and merges, or one path that holds both.
        are_steps: it is one file of steps instead, in lines of JSON.
        vocab_size: the size that was asked for; `None` if any number of merges will do.
    """

    paths: tuple[str, ...]
    are_steps: bool = False
    vocab_size: int | None = None

    @property
    def name(self) -> str:
        """What is checked, in a word or two."""
        return " and ".join(Path(path).name or path for path in self.paths)


@dataclass(frozen=True)
class Viewpoint:
    """Where to stand in what is opened, and what to see from there.

    Attributes:
        step: where to go as soon as it is recorded; `None` for where it opens by itself.
        view: the kind of screen; `None` for the one that shows it first.
        text: what stands in the line to type in.
        breakpoints: as they are typed, such as `count<50`.
        forks: to be made again, one after another, before the step.
        corpus: what the corpus was when this was saved; what has changed is told.
        note: what is told once it is open.
    """

    step: int | None = None
    view: str | None = None
    text: str = ""
    breakpoints: tuple[str, ...] = ()
    forks: tuple[SavedFork, ...] = ()
    corpus: SavedFile | None = None
    note: str = ""


@dataclass(frozen=True)
class RunConfig:
    """A corpus and how to train on it. Names are those of the engine's registries.

    The options after `pattern` are BPE's, and some of them WordPiece's; `model` is a name in
    `bpe_tui.session.models`. Where nobody asks for a size, `vocab_size` is `None`.
    """

    corpus: str
    vocab_size: int | None = None
    special_tokens: tuple[str, ...] = DEFAULT_SPECIAL
    pattern: str = "gpt2"
    tie_rule: str = "lexicographic"
    trainer: str = "native"
    min_count: int = 2
    cache: bool = True
    model: str = "bpe"
    max_token_length: int | None = None
    units: str = DEFAULT_UNITS
    left_out: tuple[LeftOutDocument, ...] = ()
    """What a fork goes without."""
    claimed: Claimed | None = None
    """What to check on the corpus."""
    viewpoint: Viewpoint = Viewpoint()
    reading: Reading = PLAIN
    """What is read beside `corpus`, and where the texts are in it."""

    @property
    def name(self) -> str:
        """What is opened, in a word."""
        return Path(without_credentials(self.corpus)).name

    @property
    def from_input(self) -> bool:
        """Whether some of the corpus came from standard input, which is read only once."""
        return STANDARD_INPUT in (self.corpus, *self.reading.more)

    def open_corpus(self) -> Corpus:
        """The corpus, to be read.

        Raises:
            CorpusError: it is not there, or may not be read.
        """
        return Corpus(self.corpus, self.reading, separator_of(self.special_tokens))

    @property
    def size(self) -> int:
        """How large the vocabulary may become, where the model does not choose it itself."""
        return DEFAULT_VOCAB_SIZE if self.vocab_size is None else self.vocab_size


def as_counted(run: RunConfig, asked: Collection[str] = ()) -> RunConfig:
    """`run` with the pattern and the special tokens that its corpus was counted with.

    Where the corpus is a text, it stays as it is; and so does what is named in `asked`.

    Raises:
        CorpusError: it is a damaged file of counts.
    """
    if not run.open_corpus().holds_counts:
        return run
    from engine.counting.counts_file import opened_counts  # brings numpy, which is slow to import

    with opened_counts(run.corpus) as reader:
        metadata = reader.metadata
    own = as_pattern(metadata.pattern)
    pattern = own.name if own.name in PATTERNS else metadata.pattern
    return replace(
        run,
        pattern=run.pattern if "pattern" in asked else pattern,
        special_tokens=run.special_tokens if "special_tokens" in asked else metadata.special_tokens,
    )


@dataclass(frozen=True)
class TokenizerConfig:
    """A tokenizer to be opened, and what to count its merges in.

    Attributes:
        paths: a file, a directory, vocabulary and merges, or the name of a known encoding.
        corpus: a text to replay the merges over; `None` for none.
        special_tokens, pattern: go before what the files say; `None` leaves it to them.
        otherwise: what to open if the file is no tokenizer after all; `None`: that is an error.
    """

    paths: tuple[str, ...]
    corpus: str | None = None
    special_tokens: tuple[str, ...] | None = None
    pattern: str | None = None
    cache: bool = True
    otherwise: RunConfig | None = None
    viewpoint: Viewpoint = Viewpoint()
    reading: Reading = PLAIN

    @property
    def name(self) -> str:
        """What is opened, in a word."""
        return Path(self.paths[0]).name

    @property
    def from_input(self) -> bool:
        """Whether some of the corpus came from standard input, which is read only once."""
        return STANDARD_INPUT in (self.corpus, *self.reading.more)


Config = RunConfig | TokenizerConfig


def why_not_checkable(config: Config) -> str | None:
    """Why no merges can be checked against what is open; `None` if they can."""
    if not isinstance(config, RunConfig):
        return (
            "Merges are checked against what is trained here, and this is a tokenizer's. "
            "Press o and open the corpus that your trainer was given."
        )
    if config.from_input:
        return "Standard input has been read to its end; a check needs the corpus in a file."
    if config.model != "bpe" or config.units != DEFAULT_UNITS:
        return "Merges are checked against BPE on bytes, which this is not."
    return None


def tokenizer_over(config: TokenizerConfig, run: RunConfig) -> TokenizerConfig:
    """What opens a tokenizer, with its merges counted in the corpus of a run."""
    return replace(config, corpus=run.corpus, reading=run.reading, otherwise=None)


NOTHING_OPEN = RunConfig("")
"""Stands for what is open before anything is."""
