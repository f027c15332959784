"""A trainer's files, read as they are: whether they make a working tokenizer is not asked here."""

from __future__ import annotations

import os
from collections.abc import Sequence

from engine.analysis.check.claim import Claim
from engine.core.errors import TokenizerFileError
from engine.formats import gpt2, gpt2_files, open_tokenizer
from engine.formats.source import Source


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
