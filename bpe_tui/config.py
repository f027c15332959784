"""What a run is asked to do: the options of the command line, in one value."""

from __future__ import annotations

from dataclasses import dataclass

from platformdirs import user_cache_path

from engine.corpus import Corpus
from engine.counts_cache import KeptCount

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

    def kept_count(self, corpus: Corpus) -> KeptCount:
        """Where the corpus's count is kept from one run to the next, in the user's cache."""
        if not self.cache:
            return KeptCount(None)
        directory = user_cache_path("bpe-tui", appauthor=False)
        return KeptCount.of(directory, corpus, self.pattern, self.special_tokens)
