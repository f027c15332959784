"""What a trainer says that it did: its merges, and its vocabulary."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from engine.analysis.check.steps_file import ClaimedStep, read_steps
from engine.core.errors import TokenizerFileError
from engine.core.events import BytesPair, Pair
from engine.core.gpt2_bytes import unspell
from engine.encoding.encoders.fast import RankHeap
from engine.encoding.tokenizer import Tokenizer
from engine.formats import open_tokenizer, read_vocab_and_merges
from engine.formats.course_values import Parts, read_parts
from engine.text.pretokenize import to_bytes

Token = bytes | str | int
"""A token of a merge as a solution may keep it: its bytes, a text that spells them, or its id."""


@dataclass(frozen=True)
class Claim:
    """The steps of a trainer in their order, and its vocabulary if it wrote one.

    Nothing here is believed: a step may name tokens that no earlier step makes.

    Attributes:
        notes: how tokens that are no bytes were read.
    """

    steps: Sequence[ClaimedStep]
    vocab: Mapping[int, bytes] | None = None
    notes: tuple[str, ...] = ()

    @classmethod
    def of(
        cls, vocab: Mapping[int, bytes | str] | None, merges: Sequence[tuple[Token, Token]]
    ) -> Claim:
        """The claim that a vocab (id → token) and merges (left, right) make.

        Tokens that are `str` are read as in a file: the spelling is told by all of them together.

        >>> Claim.of(None, [(b"a", b"b")]).steps
        [ClaimedStep(left=b'a', right=b'b', count=None, new_id=None)]
        >>> Claim.of(None, [("Ġ", "t")]).steps[0].pair
        (b' ', b't')

        Raises:
            TokenizerFileError: nobody can say which bytes the tokens are.
        """
        tokens = chain(() if vocab is None else vocab.values(), *merges)
        if all(isinstance(token, bytes) for token in tokens):
            return cls(_steps(merges), vocab)  # type: ignore[arg-type]
        if vocab is None:
            pairs, spelling = _of_text(merges)
            return cls(_steps(pairs), None, (f"merges are spelled in {spelling}",))
        read = read_parts("the vocabulary", Parts(vocab, merges))
        return cls(_steps(read.merges), read.all_tokens, tuple(read.notes))


def _steps(merges: Sequence[BytesPair]) -> list[ClaimedStep]:
    return [ClaimedStep(left, right) for left, right in merges]


def _of_text(merges: Sequence[tuple[Token, Token]]) -> tuple[list[BytesPair], str]:
    """The bytes of merges without a vocabulary, and how they are spelled."""
    for name, bytes_of in (("GPT-2's spelling", unspell), ("text", to_bytes)):
        try:
            return [
                (_bytes(left, bytes_of), _bytes(right, bytes_of)) for left, right in merges
            ], name
        except KeyError:
            continue
    raise AssertionError("any text has bytes")


def _bytes(token: Token, bytes_of: Callable[[str], bytes]) -> bytes:
    if isinstance(token, bytes):
        return token
    if isinstance(token, str):
        return bytes_of(token)
    raise TokenizerFileError(
        f"a merge names {token!r:.40}, which is neither bytes nor text; ids mean something only "
        "beside a vocabulary"
    )


def read_claim(
    *paths: str | os.PathLike[str], special_tokens: Sequence[str] = (), are_steps: bool = False
) -> tuple[Claim, tuple[str, ...]]:
    """Read a trainer's files as they are: they need not make a working tokenizer.

    Args:
        paths: vocabulary and merges, or one path that holds both, in any known format.
        are_steps: whether the one path is a file of steps, as `StepRecorder` writes them.

    Returns:
        the claim, and notes on how the files were read.

    Raises:
        TokenizerFileError: nothing is there, no format fits, the files are damaged, or hold a model
            without merges.
        StepsFileError: a line of steps cannot be understood.
    """
    if are_steps:
        steps = read_steps(paths[0])
        return Claim(steps.steps), (f"tokens are written as {' and '.join(steps.forms)}",)
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
    merges, notes = _merges_made(opened.tokenizer)
    return Claim.of(opened.tokenizer.vocab, merges), (
        f"read as {opened.format}",
        *opened.notes,
        *notes,
    )


def _merges_made(tokenizer: Tokenizer) -> tuple[list[BytesPair], tuple[str, ...]]:
    """The merges, one a token: files made of pieces or ranks may have every way to cut a token."""
    vocab, table = tokenizer.vocab, tokenizer.merge_table
    if len({made for _, made in table.values()}) == len(table):
        return list(tokenizer.merges), ()
    encoder = RankHeap(tokenizer.alphabet, table)
    made_by: dict[int, Pair] = {}
    for token_id in {made for _, made in table.values()}:
        for _, _, pair in encoder.merges_at(vocab[token_id]):
            made_by[table[pair][1]] = pair
    come_about = set(made_by.values())
    merges = [(vocab[left], vocab[right]) for left, right in table if (left, right) in come_about]
    note = f"of {len(table):,} ways to cut its tokens in two, the {len(merges):,} that come about"
    return merges, (f"{note} are its merges",)
