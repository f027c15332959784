"""Tokenizers for the tests of the command line."""

from pathlib import Path

import pytest
from program import STORIES

from engine import Tokenizer, train_bpe


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with a tokenizer trained on the stories."""
    out = tmp_path_factory.mktemp("stories")
    train_files(out, STORIES, 600, ["<|endoftext|>"])
    return out


@pytest.fixture(scope="module")
def toy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The lecture's tokenizer: `th`, `the`, `the␠`, no pattern, no special tokens."""
    place = tmp_path_factory.mktemp("toy")
    (place / "corpus.txt").write_text("the cat in the hat")
    train_files(place, str(place / "corpus.txt"), 259, [], pattern="none", tie_rule="first-seen")
    return place


def train_files(
    out: Path,
    corpus: str,
    size: int,
    special: list[str],
    pattern: str = "gpt2",
    tie_rule: str = "lexicographic",
) -> None:
    vocab, merges = train_bpe(corpus, size, special, pattern, tie_rule)
    Tokenizer(vocab, merges, special, pattern).save(out)
