"""Spellings of bytes in files of course solutions, and how the right one is found.

A vocabulary has a spelling if it contains all 256 bytes in it. No two spellings below fit the same
vocabulary, since each writes the bytes differently; a fixed order makes the choice certain. Merges
may have another spelling, in which they make tokens of the vocabulary only.
"""

from __future__ import annotations

import re
from ast import literal_eval
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from reprlib import repr as short_repr
from typing import Any

from engine.core.errors import TokenizerFileError
from engine.core.gpt2_bytes import unspell
from engine.formats.source import HOW_TO_SAVE
from engine.formats.tokenizer_format import TokenPairs, VocabAndMerges
from engine.formats.vocab_and_merges import find_special_tokens


def _of_bytes(token: Any) -> bytes:
    if not isinstance(token, bytes | bytearray):
        raise TypeError("no bytes")
    return bytes(token)


def _of_numbers(token: Any) -> bytes:
    """Decode `[116, 104]`; `bytes` alone would read a number as a length."""
    if not isinstance(token, list | tuple):
        raise TypeError("no list of numbers")
    return bytes(token)


_BYTES = r"""b'(?:[^'\\]|\\.)*'|b"(?:[^"\\]|\\.)*\""""
_LITERAL = re.compile(_BYTES)
_TWO_LITERALS = re.compile(rf"\(?({_BYTES}),? ?({_BYTES})\)?")


def pair_of_literals(text: str) -> list[str] | None:
    """Return the two tokens of a pair of bytes that Python printed; `None` if it is none.

    >>> pair_of_literals("(b' ', b'the')"), pair_of_literals("t h")
    (["b' '", "b'the'"], None)
    """
    match = _TWO_LITERALS.fullmatch(text)
    return None if match is None else list(match.groups())


def _of_literal(token: str) -> bytes:
    r"""Decode `b'\xe0'`, as `str` and `repr` write it."""
    if not _LITERAL.fullmatch(token):
        raise ValueError("no bytes of Python's")
    return bytes(literal_eval(token))


SPELLINGS: dict[str, Callable[[Any], bytes]] = {
    "bytes": _of_bytes,
    "lists of numbers": _of_numbers,
    "GPT-2's spelling": unspell,
    "latin-1": lambda token: token.encode("latin-1"),
    "hex": bytes.fromhex,
    "Python's b'…'": _of_literal,
}
"""Name → function that decodes a token, or raises one of `NOT_THIS_SPELLING`."""
NOT_THIS_SPELLING = (ValueError, KeyError, TypeError, AttributeError, SyntaxError)


def respell(place: str, vocab: Mapping[int, Any], merges: Sequence[Any]) -> VocabAndMerges:
    """Decode a vocabulary and its merges with the spellings that fit.

    Args:
        place: the files, as an error names them.
        vocab: id → token as it is written.
        merges: pairs of tokens as they are written, or pairs of ids.

    Raises:
        TokenizerFileError: no spelling fits, or the merges fit two.
    """
    for name, bytes_of in SPELLINGS.items():
        read, texts = _read_vocab(vocab, bytes_of)
        if len({token for token in read.values() if len(token) == 1}) == 256:
            pairs, merges_name = _read_merges(place, merges, read, name)
            notes = [f"its tokens are spelled in {name}"]
            if merges_name != name:
                notes.append(f"its merges are spelled in {merges_name}")
            return VocabAndMerges(place, read, pairs, texts, notes=notes)
    if (found := _of_few_bytes(place, vocab, merges)) is not None:
        return found
    raise TokenizerFileError(
        f"{place}: the 256 single bytes are not all there, spelled as any of: "
        f"{', '.join(SPELLINGS)}{_why_not(vocab)}; {HOW_TO_SAVE}"
    )


def _why_not(vocab: Mapping[int, Any]) -> str:
    """Describe the tokens of a vocabulary that has no spelling."""
    texts = [token for token in vocab.values() if isinstance(token, str)]
    if any("\ufffd" in text for text in texts):
        return " (its tokens are decoded text, in which bytes that are no character became U+FFFD)"
    if vocab and len(texts) == len(vocab):
        return " (its tokens seem to be text, which cannot hold every byte)"
    return ""


def _read_vocab(
    vocab: Mapping[int, Any], bytes_of: Callable[[Any], bytes]
) -> tuple[dict[int, bytes], dict[int, str]]:
    read: dict[int, bytes] = {}
    texts: dict[int, str] = {}
    for token_id, spelled in vocab.items():
        try:
            read[token_id] = bytes_of(spelled)
        except NOT_THIS_SPELLING:
            if not isinstance(spelled, str):
                return {}, {}
            texts[token_id] = spelled
    return read, texts


# Merges

_IDS = "ids"


def _read_merges(
    place: str, merges: Sequence[tuple[Any, Any]], vocab: Mapping[int, bytes], name: str
) -> tuple[TokenPairs, str]:
    """Return the merges and their spelling: the vocabulary's unless another one fits better.

    Read in a wrong spelling, merges leave tokens of the vocabulary unmade, which is refused later.
    """
    if merges and all(type(part) is int for merge in merges for part in merge):
        return _decoded_merges(place, merges, vocab, name), _IDS
    known = set(vocab.values())
    ways = {name: SPELLINGS[name], **SPELLINGS, _IDS: lambda token: vocab[int(_digits(token))]}
    for way, bytes_of in ways.items():
        pairs = try_merges(merges, vocab, bytes_of)
        if pairs is not None and all(left + right in known for left, right in pairs):
            return pairs, way
    return _decoded_merges(place, merges, vocab, name), name


def _decoded_merges(
    place: str, merges: Sequence[tuple[Any, Any]], vocab: Mapping[int, bytes], name: str
) -> TokenPairs:
    """Return merges of ids or of tokens in a spelling; the error names the first odd one."""
    pairs: TokenPairs = []
    for rank, merge in enumerate(merges):
        read = try_merges([merge], vocab, SPELLINGS[name])
        if read is None:
            raise TokenizerFileError(
                f"{place}: merge {rank + 1} is unknown or not spelled as the vocabulary is: "
                f"{short_repr(merge)}"
            )
        pairs += read
    return pairs


def _digits(token: Any) -> str:
    if isinstance(token, str) and token.isascii() and token.isdigit():
        return token
    raise ValueError("no id")


def try_merges(
    merges: Sequence[Sequence[Any]], vocab: Mapping[int, bytes], bytes_of: Callable[[Any], bytes]
) -> TokenPairs | None:
    """Return merges of ids or of tokens in a spelling; `None` if one is something else."""
    pairs: TokenPairs = []
    try:
        for left, right in merges:
            by_id = type(left) is int and type(right) is int
            decode = vocab.__getitem__ if by_id else bytes_of
            pairs.append((decode(left), decode(right)))
    except NOT_THIS_SPELLING:
        return None
    return pairs


def are_in_order(merges: TokenPairs) -> bool:
    """Whether each merge is of bytes and of tokens that a merge before makes.

    >>> are_in_order([(b"l", b"o"), (b"lo", b"w")]), are_in_order([(b"lo", b"w")])
    (True, False)
    """
    made: set[bytes] = set()
    for pair in merges:
        if not all(len(part) == 1 or part in made for part in pair):
            return False
        made.add(pair[0] + pair[1])
    return True


# A vocabulary of few bytes: merges show that these are all, and how they are spelled

_OF_TEXT = ("GPT-2's spelling", "latin-1")
"""Spellings in which a character that is not ASCII may be meant as such."""


def _of_few_bytes(
    place: str, vocab: Mapping[int, Any], merges: Sequence[tuple[Any, Any]]
) -> VocabAndMerges | None:
    """Return a vocabulary that lacks bytes, if it has all tokens that its merges need."""
    found: list[VocabAndMerges] = []
    for name, bytes_of in SPELLINGS.items():
        read, texts = _read_vocab(vocab, bytes_of)
        if pairs := try_merges(merges, read, bytes_of):
            notes = [
                f"its tokens are spelled in {name}",
                "its smallest tokens are not the 256 bytes; what they cannot spell is lost",
            ]
            whole = VocabAndMerges(place, read, pairs, texts, notes=notes)
            with suppress(TokenizerFileError):
                whole.check_merges()
                find_special_tokens(whole, read, None)  # no other token may be unmade
                if name in _OF_TEXT and not all(map(bytes.isascii, read.values())):
                    return None
                found.append(whole)
    return found[0] if found and all(each.vocab == found[0].vocab for each in found) else None
