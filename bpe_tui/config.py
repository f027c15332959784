"""What a run is asked to do: the options of the command line, in one value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from platformdirs import user_cache_path

from engine.corpus import Corpus
from engine.counts_cache import KeptCount
from engine.trainer import Trainer

DEFAULT_VOCAB_SIZE = 10_000
DEFAULT_SPECIAL = ("<|endoftext|>",)


@dataclass(frozen=True)
class RunConfig:
    """A corpus and how to train on it. Names are those of the engine's registries."""

    corpus: str
    vocab_size: int = DEFAULT_VOCAB_SIZE
    special_tokens: tuple[str, ...] = DEFAULT_SPECIAL
    pattern: str = "gpt2"
    tie_rule: str = "lexicographic"
    trainer: str = "fast"
    min_count: int = 2
    cache: bool = True
    max_token_length: int | None = None
    first_step: int = 0
    """The step to go to as soon as it is recorded."""
    note: str = ""
    """What to say there; visible already."""

    def kept_count(self, corpus: Corpus) -> KeptCount:
        """Where the corpus's count is kept from one run to the next, in the user's cache."""
        if not self.cache:
            return KeptCount(None)
        directory = user_cache_path("bpe-tui", appauthor=False)
        return KeptCount.of(directory, corpus, self.pattern, self.special_tokens)

    def trainer_for(self, counts: Mapping[bytes, int]) -> Trainer:
        """The training that these options ask for."""
        return Trainer(
            counts,
            self.vocab_size,
            self.special_tokens,
            tie_rule=self.tie_rule,
            algorithm=self.trainer,
            min_count=self.min_count,
            max_token_length=self.max_token_length,
        )
