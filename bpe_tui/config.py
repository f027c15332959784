"""What a run is asked to do: the options of the command line, in one value."""

from __future__ import annotations

from dataclasses import dataclass

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
