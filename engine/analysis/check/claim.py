"""What a trainer says that it did: its merges, and what else it tells of them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from engine.core.errors import TokenizerFileError
from engine.core.events import BytesPair
from engine.formats import gpt2, open_tokenizer
from engine.formats import gpt2 as gpt2_files
from engine.formats.source import Source


@dataclass(frozen=True, slots=True)
class ClaimedStep:
    """A merge as the trainer tells it; `count` and `new_id` where it does."""

    left: bytes
    right: bytes
    count: int | None = None
    new_id: int | None = None

    @property
    def pair(self) -> BytesPair:
        return self.left, self.right


@dataclass(frozen=True)
class Claim:
    """All that a trainer says: its steps in their order, and its vocabulary if it wrote one.

    Nothing here is believed: a step may name tokens that no earlier step makes.
    """

    steps: Sequence[ClaimedStep]
    vocab: Mapping[int, bytes] | None = None

    @classmethod
    def of(cls, vocab: Mapping[int, bytes] | None, merges: Sequence[BytesPair]) -> Claim:
        """The claim of a vocab and merges.

        >>> Claim.of(None, [(b"a", b"b")]).steps
        [ClaimedStep(left=b'a', right=b'b', count=None, new_id=None)]
        """
        return cls([ClaimedStep(left, right) for left, right in merges], vocab)


# A trainer's files, read as they are: whether they make a working tokenizer is not asked here.


def read_claim(
    *paths: str | os.PathLike[str], special_tokens: Sequence[str] = ()
) -> tuple[Claim, tuple[str, ...]]:
    """What the vocabulary and merges say, and what a reader should know of how they were read.

    Args:
        paths: vocabulary and merges, or one path that holds both, in any known format.

    Raises:
        TokenizerFileError: nothing is there, no format fits, the files are damaged, or hold a model
            without merges.
    """
    source = Source(paths)
    if gpt2_files.recognises(source):
        vocab, merges = gpt2.read_unchecked(*gpt2_files.files_of(source), special_tokens)
        return Claim.of(vocab, merges), ()
    opened = open_tokenizer(*paths, special_tokens=special_tokens)
    pipeline = opened.tokenizer.pipeline
    if pipeline is not None and not pipeline.merges:
        raise TokenizerFileError(
            f"{os.fspath(paths[0])} holds a {pipeline.model.name} model, which merges nothing, and "
            "merges are what is checked; give the files of a trainer of BPE"
        )
    return Claim.of(opened.tokenizer.vocab, opened.tokenizer.merges), (
        f"read as {opened.format}",
        *opened.notes,
    )
