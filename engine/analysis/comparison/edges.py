"""The edges of a text by each of some tokenizers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import accumulate, chain, pairwise, repeat
from operator import add, eq

import numpy as np

from engine.core.arrays import Integers, Ints
from engine.core.errors import ComparisonError
from engine.core.gpt2_bytes import unspell
from engine.core.helper_pool import available_cores
from engine.encoding.alphabet import ByteAlphabet, WholeTokens
from engine.encoding.tokenizer import Tokenizer
from engine.native import KERNEL
from engine.pipeline.normalizers.normalizer import Aligned
from engine.pipeline.pipeline import Pipeline
from engine.text.pretokenize import to_bytes, to_text


def token_lengths(tokenizer: Tokenizer) -> Ints:
    """The bytes of each token, by id."""
    vocab = tokenizer.vocab
    lengths = np.zeros(max(vocab, default=-1) + 1, dtype=np.int64)
    ids = np.fromiter(vocab, dtype=np.int64, count=len(vocab))
    lengths[ids] = np.fromiter(map(len, vocab.values()), dtype=np.int64, count=len(vocab))
    return lengths


BLOCK = 1 << 16
"""Tokens whose widths are added up together."""
WORTH_THREADS = 1 << 18
"""Bytes that take longer to encode than threads to start."""


def edges_of_all(tokenizers: Sequence[Tokenizer], data: bytes) -> list[Ints]:
    """The edges by each tokenizer, as `token_spans` tells them.

    Raises:
        ComparisonError: nothing says which part of the text a token stands for.
    """
    # Python's own encoders would only wait for each other.
    threads = available_cores() if KERNEL is not None and len(data) >= WORTH_THREADS else 1
    if threads == 1:
        return [token_spans(tokenizer, data) for tokenizer in tokenizers]
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(partial(token_spans, data=data), tokenizers))


def token_spans(tokenizer: Tokenizer, data: bytes) -> Ints:
    """The edges of the tokens of a text: token n is `data[edges[n]:edges[n + 1]]`.

    A token that stands for nothing in the text, such as a `▁` put in front, has no width.

    Where the tokens' bytes joined are the text, the edges follow from their lengths. Where not, an
    unknown token does not say how long its character was: then each merge is followed from the
    edges of the alphabet's tokens on. And where a pipeline changes the text before it is cut, its
    alignment leads back to the original.

    Raises:
        ComparisonError: nothing says which part of the text each token stands for.

    >>> vocab = {byte: bytes([byte]) for byte in range(256)} | {256: b"ab"}
    >>> token_spans(Tokenizer(vocab, [(b"a", b"b")]), b"abc").tolist()
    [0, 2, 3]
    """
    text = to_text(data)
    found = tokenizer.encode_compactly(text)
    ids: Integers = np.asarray(found, dtype=np.int64 if isinstance(found, list) else np.int32)
    if _spells(tokenizer) or tokenizer.decode_bytes(ids.tolist()) == data:
        return _ends(token_lengths(tokenizer), ids)
    if isinstance(tokenizer.pipeline, Pipeline):
        ends = list(_aligned(tokenizer, tokenizer.pipeline, text))
    else:
        ends = list(accumulate(_followed(tokenizer, text)))
    if len(ends) != len(ids):
        raise ComparisonError(
            "a tokenizer changes the text so that nothing tells which part of it a token stands "
            "for; compare without a text"
        )
    if not len(ids):
        return np.array([0, len(data)], dtype=np.int64)  # nothing is left of it: one piece
    edges = np.maximum.accumulate(np.array([0, *ends], dtype=np.int64))
    edges[-1] = len(data)  # what is left out at the end belongs to the last token
    return edges


def _ends(lengths: Ints, ids: Integers) -> Ints:
    """0, and where each token ends. Block by block: large arrays are new memory each time."""
    edges = np.zeros(len(ids) + 1, dtype=np.int64)
    for start in range(0, len(ids), BLOCK):
        widths = lengths[ids[start : start + BLOCK]]
        widths[0] += edges[start]
        widths.cumsum(out=edges[start + 1 : start + 1 + len(widths)])
    return edges


def _spells(tokenizer: Tokenizer) -> bool:
    """Whether the tokens of any text joined are the text, so that nobody has to look."""
    vocab, alphabet = tokenizer.vocab.get, tokenizer.alphabet
    whole: Mapping[bytes, int] = {}
    if isinstance(alphabet, WholeTokens):
        whole, alphabet = alphabet.whole, alphabet.inner
    if tokenizer.pipeline is not None or not isinstance(alphabet, ByteAlphabet):
        return False
    rules = tokenizer.rules
    single = zip((bytes((byte,)) for byte in range(256)), alphabet.token_ids, strict=True)
    special = ((to_bytes(token), number) for token, number in rules.special_ids.items())
    given = chain(single, whole.items(), special)
    if not all(vocab(number) == text for text, number in given):
        return False
    lefts, rights = zip(*rules.table, strict=True) if rules.table else ((), ())
    _, made = zip(*rules.table.values(), strict=True) if rules.table else ((), ())
    tokens, left, right = (map(vocab, ids, repeat(b"")) for ids in (made, lefts, rights))
    return all(map(eq, tokens, map(add, left, right)))


def _followed(tokenizer: Tokenizer, text: str) -> Iterator[int]:
    """The bytes of the text that each of its tokens stands for."""
    rules = tokenizer.rules
    for pretoken in rules.pretokens(text):
        if rules.is_special(pretoken):
            yield len(pretoken.bytes)
        else:
            yield from (end - start for start, end in pairwise(_edges(tokenizer, pretoken.bytes)))


def _edges(tokenizer: Tokenizer, pretoken: bytes) -> list[int]:
    """The edges of the tokens of a pretoken, in its own bytes."""
    edges = list(tokenizer.alphabet.edges(pretoken))
    for step in tokenizer.rules.steps(pretoken):
        del edges[step.position + 1]
    return edges


def _aligned(tokenizer: Tokenizer, pipeline: Pipeline, text: str) -> Iterator[int]:
    """Where the tokens end in the original, in bytes; within a character they end behind it."""
    places = [0, *accumulate(len(to_bytes(character)) for character in text)]
    splitter = pipeline.splitter
    for section, added in splitter.aligned_sections(text):
        if added is not None:
            yield places[section.span(0, len(section.text))[1]]
            continue
        cut = pipeline.pre_tokenizer
        for piece in [section] if cut is None else cut.aligned_pieces(section):
            yield from (places[end] for end in _ends_of_piece(tokenizer, piece, splitter.in_bytes))


def _ends_of_piece(tokenizer: Tokenizer, piece: Aligned, in_bytes: bool) -> Iterator[int]:
    """Where the tokens of a piece end, in characters of the original."""
    # In bytes each stand-in is a byte; else a character is as many as it has in UTF-8.
    pretoken = unspell(piece.text) if in_bytes else to_bytes(piece.text)
    widths = [1] * len(pretoken) if in_bytes else [len(to_bytes(c)) for c in piece.text]
    character_at = [place for place, width in enumerate(widths) for _ in range(width)]
    for edge in _edges(tokenizer, pretoken)[1:]:
        yield piece.span(0, character_at[edge - 1] + 1)[1]
