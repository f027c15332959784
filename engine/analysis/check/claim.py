"""What a trainer says that it did: its merges, and its vocabulary."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from engine.analysis.check.steps_file import ClaimedStep
from engine.core.errors import TokenizerFileError
from engine.core.events import BytesPair
from engine.formats import open_tokenizer, read_vocab_and_merges


@dataclass(frozen=True)
class Claim:
    """The steps of a trainer in their order, and its vocabulary if it wrote one.

    Nothing here is believed: a step may name tokens that no earlier step makes.
    """

    steps: Sequence[ClaimedStep]
    vocab: Mapping[int, bytes] | None = None

    @classmethod
    def of(cls, vocab: Mapping[int, bytes] | None, merges: Sequence[BytesPair]) -> Claim:
        """The claim that a vocab (id → bytes) and merges (left, right) make.

        >>> Claim.of(None, [(b"a", b"b")]).steps
        [ClaimedStep(left=b'a', right=b'b', count=None, new_id=None)]
        """
        return cls([ClaimedStep(left, right) for left, right in merges], vocab)


def read_claim(
    *paths: str | os.PathLike[str], special_tokens: Sequence[str] = ()
) -> tuple[Claim, tuple[str, ...]]:
    """Read a trainer's files as they are: they need not make a working tokenizer.

    Args:
        paths: vocabulary and merges, or one path that holds both, in any known format.

    Returns:
        the claim, and notes on how the files were read.

    Raises:
        TokenizerFileError: nothing is there, no format fits, the files are damaged, or hold a model
            without merges.
    """
    said = read_vocab_and_merges(*paths, special_tokens=special_tokens)
    if said is not None:
        found, format = said
        notes = (f"read as {format}", *found.notes) if found.notes else ()
        return Claim.of(found.all_tokens, found.merges), notes
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
