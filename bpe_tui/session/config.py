"""What is asked to be opened: the options of the command line, in one value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from platformdirs import user_cache_path

from engine.alphabets.units import DEFAULT_UNITS
from engine.bpe.trainer import Trainer
from engine.counting.cache import KeptCount
from engine.text.corpus import Corpus
from engine.text.patterns import Pattern

if TYPE_CHECKING:
    from engine.wordpiece.trainer import WordPieceTrainer

DEFAULT_VOCAB_SIZE = 10_000
DEFAULT_SPECIAL = ("<|endoftext|>",)


def kept_count(
    corpus: Corpus, pattern: str | Pattern, special_tokens: Sequence[str], cache: bool
) -> KeptCount:
    """Where a corpus's count is kept from one run to the next, in the user's cache."""
    if not cache:
        return KeptCount(None)
    directory = user_cache_path("bpe-tui", appauthor=False)
    return KeptCount.of(directory, corpus, pattern, special_tokens)


@dataclass(frozen=True)
class LeftOut:
    """A document that is not trained on: its number, counted with these special tokens."""

    document: int
    special_tokens: tuple[str, ...]


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
    trainer: str = "fast"
    min_count: int = 2
    cache: bool = True
    model: str = "bpe"
    max_token_length: int | None = None
    units: str = DEFAULT_UNITS
    left_out: tuple[LeftOut, ...] = ()
    """What a fork goes without."""
    first_step: int = 0
    """The step to go to as soon as it is recorded."""
    note: str = ""
    """What to say there; visible already."""

    @property
    def name(self) -> str:
        """What is opened, in a word."""
        return Path(self.corpus).name

    @property
    def size(self) -> int:
        """How large the vocabulary may become, where the model does not choose it itself."""
        return DEFAULT_VOCAB_SIZE if self.vocab_size is None else self.vocab_size

    def kept_count(self, corpus: Corpus) -> KeptCount:
        """Where the corpus's count is kept from one run to the next, in the user's cache."""
        return kept_count(corpus, self.pattern, self.special_tokens, self.cache)

    def trainer_for(self, counts: Mapping[bytes, int]) -> Trainer:
        """The training that these options ask for."""
        return Trainer(
            counts,
            self.size,
            self.special_tokens,
            tie_rule=self.tie_rule,
            algorithm=self.trainer,
            min_count=self.min_count,
            max_token_length=self.max_token_length,
            units=self.units,
        )

    def wordpiece_trainer_for(self, counts: Mapping[bytes, int]) -> WordPieceTrainer:
        """WordPiece's; a tie rule that only BPE has gives way to its own."""
        from engine.wordpiece.score import DEFAULT_TIE_RULE, SCORE_TIE_RULES
        from engine.wordpiece.trainer import WordPieceTrainer  # slow to import, and seldom needed

        return WordPieceTrainer(
            counts,
            self.size,
            self.special_tokens,
            tie_rule=self.tie_rule if self.tie_rule in SCORE_TIE_RULES else DEFAULT_TIE_RULE,
            min_count=self.min_count,
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

    @property
    def name(self) -> str:
        """What is opened, in a word."""
        return Path(self.paths[0]).name


Config = RunConfig | TokenizerConfig
