"""Configurations: what to open, with all its options, in one value."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from engine.core.errors import PhaseError
from engine.encoding.alphabet import DEFAULT_UNITS
from engine.text.corpus import PLAIN, Corpus, Reading, separator_of
from engine.text.sources import STANDARD_INPUT, size_on_disk

if TYPE_CHECKING:
    from engine.bpe.phases import Phase
    from engine.text.patterns import PatternLike

DEFAULT_VOCAB_SIZE = 10_000
DEFAULT_SPECIAL = ("<|endoftext|>",)
TOY = 1 << 12
"""Bytes of the smallest corpus in which pairs have to occur twice to merge by default."""


class Claimed(NamedTuple):
    """Files of a trainer, whose merges are checked against the rule.

    Attributes:
        paths: vocabulary and merges, or one path that holds both.
        are_steps: whether it is one file of steps instead, in lines of JSON.
        vocab_size: the size that was asked for; `None` allows any number of merges.
    """

    paths: tuple[str, ...]
    are_steps: bool = False
    vocab_size: int | None = None


class Viewpoint(NamedTuple):
    """The step, the screen and the text to begin with.

    Attributes:
        step: the step to go to as soon as it is recorded; `None` for the first.
        view: the kind of screen; `None` for the usual one.
        text: the text that is typed on the screen.
        at: the panel with the focus and the row of its cursor, such as `family-table:4`.
        hide_next: whether the merges to come are hidden.
    """

    step: int | None = None
    view: str | None = None
    text: str = ""
    at: str = ""
    hide_next: bool = False


THE_START = Viewpoint()


@dataclass(frozen=True)
class RunConfig:
    """A corpus and how to train on it. Names are those of the engine's registries.

    The options after `pattern` are BPE's, and some of them WordPiece's; `model` is a name in
    `bpe_tui.session.models`. `vocab_size` is `None` for the default. With phases, `pattern` is that
    of the first, and `vocab_size` that of the last.

    Raises:
        PhaseError: the phases are unreadable, or the run is of another kind.

    >>> run = RunConfig("a.txt", phases="whitespace:400,none:500")
    >>> run.pattern, run.vocab_size
    ('whitespace', 500)
    """

    corpus: str
    vocab_size: int | None = None
    special_tokens: tuple[str, ...] = DEFAULT_SPECIAL
    pattern: str = "gpt2"
    tie_rule: str = "lexicographic"
    trainer: str = "native"
    min_count: int = 2
    model: str = "bpe"
    max_token_length: int | None = None
    units: str = DEFAULT_UNITS
    ngram: int = 2
    """Units of the longest n-gram, for the textbook trainer of Unigram."""
    phases: str = ""
    """The phases of the training, as they are typed; empty for one phase."""
    most_words: int | None = None
    """Most words of a token; 0 for no limit, `None` for 4 in phases and no limit otherwise."""
    claimed: Claimed | None = None
    """Merges to check on the corpus."""
    viewpoint: Viewpoint = THE_START
    reading: Reading = PLAIN
    """Further files of the corpus, and the field that holds the texts."""

    def __post_init__(self) -> None:
        if not self.phases:
            return
        if self.model != RunConfig.model or self.units != DEFAULT_UNITS:
            raise PhaseError("only BPE on bytes is trained in phases")
        first, *_, last = self.all_phases
        vars(self).update(pattern=str(first.pattern), vocab_size=last.size)

    @cached_property
    def all_phases(self) -> tuple[Phase, ...]:
        """The phases of the training; empty for one phase."""
        if not self.phases:
            return ()
        from engine.bpe.phases import phases_from  # brings the trainers, which are slow to import

        return phases_from(self.phases)

    @property
    def last_pattern(self) -> PatternLike:
        """The pattern that a trained tokenizer encodes with."""
        return self.all_phases[-1].pattern if self.phases else self.pattern

    @cached_property
    def name(self) -> str:
        """The corpus's file name."""
        return Path(self.corpus).name

    @property
    def from_input(self) -> bool:
        """Whether standard input, which can be read only once, is part of the corpus."""
        return STANDARD_INPUT in (self.corpus, *self.reading.more)

    def open_corpus(self) -> Corpus:
        """Open the corpus.

        Raises:
            CorpusError: it is not there, or may not be read.
        """
        return Corpus(self.corpus, self.reading, separator_of(self.special_tokens))

    @property
    def is_toy(self) -> bool:
        """Whether BPE learns from a file of less than 4 KB; rare pairs merge there unasked."""
        return self.model == RunConfig.model and 0 < size_on_disk(self.corpus) < TOY

    @property
    def size(self) -> int:
        """The largest size of the vocabulary."""
        return DEFAULT_VOCAB_SIZE if self.vocab_size is None else self.vocab_size


@dataclass(frozen=True)
class TokenizerConfig:
    """A tokenizer to open, and the corpus to replay its merges over.

    Attributes:
        paths: a file, a directory, vocabulary and merges, or the name of a known encoding.
        corpus: a text to replay the merges over; `None` for no corpus.
        special_tokens, pattern: replace those of the files; `None` keeps the files' own.
        continued: number of merges to learn after its own; `None` only replays those.
        tie_rule, min_count: of the merges to learn.
        otherwise: the run to open if the file is no tokenizer; `None` makes that an error.
        beside: the paths of a second tokenizer, to compare it with; none for no second one.
    """

    paths: tuple[str, ...]
    corpus: str | None = None
    special_tokens: tuple[str, ...] | None = None
    pattern: str | None = None
    continued: int | None = None
    tie_rule: str = RunConfig.tie_rule
    min_count: int = RunConfig.min_count
    otherwise: RunConfig | None = None
    viewpoint: Viewpoint = THE_START
    reading: Reading = PLAIN
    beside: tuple[str, ...] = ()

    @cached_property
    def name(self) -> str:
        """The name of the tokenizer's first file."""
        return Path(self.paths[0]).name

    @property
    def from_input(self) -> bool:
        """Whether standard input, which can be read only once, is part of the corpus."""
        return STANDARD_INPUT in (self.corpus, *self.reading.more)


Config = RunConfig | TokenizerConfig


def why_not_checkable(config: Config) -> str | None:
    """Return why no merges can be checked against an open config; `None` if they can."""
    if not isinstance(config, RunConfig):
        return (
            "Merges are checked against what is trained here, and this is a tokenizer's. "
            "Press o and open the corpus that your trainer was given."
        )
    if config.from_input:
        return "Standard input has been read to its end; a check needs the corpus in a file."
    if config.phases:
        return "Merges are checked against one pattern; here each phase has its own."
    if config.model != "bpe" or config.units != DEFAULT_UNITS:
        return "Merges are checked against BPE on bytes, which this is not."
    return None


def why_not_counted(config: Config) -> str | None:
    """Return why nothing is counted; `None` if a text is open."""
    if isinstance(config, RunConfig) or config.corpus is not None:
        return None
    return "Race, family and check need a text to count in: o opens one."


def why_not_chatted(config: Config) -> str | None:
    """Return why there is no chat; `None` if a tokenizer is open, which may have a template."""
    if isinstance(config, TokenizerConfig):
        return None
    return "A chat needs the chat template of a model's folder: o opens one."


def why_not_forked(config: Config) -> str | None:
    """Return why no fork can be made; `None` if one can."""
    if isinstance(config, RunConfig):
        return None
    return "These merges are a tokenizer's; only a training from a text has forks."


def why_not_predicted(config: Config) -> str | None:
    """Return why no merge can be predicted; `None` if counts have chosen some."""
    if isinstance(config, RunConfig) or config.continued:
        return None
    return "Nothing to predict: these merges are a tokenizer's; no count chose them."


def why_not_retrained(config: Config) -> str | None:
    """Return why no other model can be trained on an open corpus; `None` if one can."""
    if not isinstance(config, RunConfig):
        return "A model is trained on a corpus, and this is a tokenizer. o opens a corpus."
    if config.from_input:
        return "Standard input has been read to its end; another model needs the corpus in a file."
    return None


NOTHING_OPEN = RunConfig("")
"""The config of an empty session."""
