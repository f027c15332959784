"""How files of course solutions write the bytes of a token, and how that is found out.

A vocabulary is in a spelling if the 256 bytes are all there in it: no two of those below fit the
same vocabulary, since in each the bytes look different. They are tried in their order all the same,
so that the answer never depends on chance. Merges may be spelled in another way: the one is taken
in which they name the most tokens of the vocabulary.
"""

from __future__ import annotations

import re
from ast import literal_eval
from binascii import a2b_base64
from collections import defaultdict, deque
from collections.abc import Callable, Mapping, Sequence
from reprlib import repr as short_repr
from typing import Any

from engine.core.errors import TokenizerFileError
from engine.core.gpt2_bytes import unspell
from engine.formats.source import HOW_TO_SAVE
from engine.formats.tokenizer_format import VocabAndMerges

Pairs = list[tuple[bytes, bytes]]


def _of_bytes(token: Any) -> bytes:
    if not isinstance(token, bytes | bytearray):
        raise TypeError("no bytes")
    return bytes(token)


def _of_numbers(token: Any) -> bytes:
    """`[116, 104]`; `bytes` alone would take a number for a length."""
    if not isinstance(token, list | tuple):
        raise TypeError("no list of numbers")
    return bytes(token)


_HEX = re.compile(r"(?:0x|\\x)?[0-9A-Fa-f]{2}(?:[ :-]?(?:0x|\\x)?[0-9A-Fa-f]{2})*+")
_SIGNS = re.compile(r"0x|\\x|[ :-]")


def _of_hex(token: str) -> bytes:
    r"""`7468`, `74 68`, `0x74 0x68` or `\x74\x68`."""
    if not _HEX.fullmatch(token):
        raise ValueError("no hex")
    return bytes.fromhex(_SIGNS.sub("", token))


_NUMBERS = re.compile(r"[\[(]?\d{1,3}(?:[, ]{1,2}\d{1,3})*+,?[\])]?")


def _of_written_numbers(token: str) -> bytes:
    """`116 104`, `116,104` or `[116, 104]`, as text."""
    if not _NUMBERS.fullmatch(token):
        raise ValueError("no numbers")
    return bytes(map(int, re.findall(r"\d+", token)))


_ESCAPED = re.compile(r"""(?:[^\\]|\\(?:x[0-9A-Fa-f]{2}|[\\'"nrtabfv0]))*+""")


def _of_escapes(token: str) -> bytes:
    r"""`th\xc3\n`: what `b'…'` has between the quotes."""
    if not _ESCAPED.fullmatch(token):
        raise ValueError("no escapes of Python's")
    return token.encode("latin-1").decode("unicode_escape").encode("latin-1")


_BYTES = r"""b'(?:[^'\\]|\\.)*'|b"(?:[^"\\]|\\.)*\""""
_LITERAL = re.compile(_BYTES)
_TWO_LITERALS = re.compile(rf"\(?({_BYTES}),? ?({_BYTES})\)?")


def pair_of_literals(text: str) -> list[str] | None:
    """Two tokens as `str` writes a pair of bytes.

    >>> pair_of_literals("(b' ', b'the')"), pair_of_literals("t h")
    (["b' '", "b'the'"], None)
    """
    match = _TWO_LITERALS.fullmatch(text)
    return None if match is None else list(match.groups())


def _of_literal(token: str) -> bytes:
    r"""`b'\xe0'`, as `str` and `repr` write it."""
    if not _LITERAL.fullmatch(token):
        raise ValueError("no bytes of Python's")
    return bytes(literal_eval(token))


SPELLINGS: dict[str, Callable[[Any], bytes]] = {
    "bytes": _of_bytes,
    "lists of numbers": _of_numbers,
    "GPT-2's spelling": unspell,
    "latin-1": lambda token: token.encode("latin-1"),
    "hex": _of_hex,
    "base64": lambda token: a2b_base64(token, strict_mode=True),
    "Python's b'…'": _of_literal,
    "Python's escapes": _of_escapes,
    "written numbers": _of_written_numbers,
    "text with surrogates": lambda token: token.encode("utf-8", "surrogateescape"),
}
"""Name → the bytes of a token; one of `NOT_SO` for what is not written so."""
NOT_SO = (ValueError, KeyError, TypeError, AttributeError, SyntaxError)


def respell(place: str, vocab: Mapping[int, Any], merges: Sequence[Any]) -> VocabAndMerges:
    """The bytes of a vocabulary and its merges, in the spellings that fit.

    Args:
        vocab: id → token, spelled.
        merges: two tokens each, spelled; or two ids.

    Raises:
        TokenizerFileError: none fits, or merges can be read in two ways.
    """
    for name, bytes_of in SPELLINGS.items():
        read, texts = _read_vocab(vocab, bytes_of)
        if len({token for token in read.values() if len(token) == 1}) == 256:
            pairs, how = _read_merges(place, merges, read, name)
            notes = [f"its tokens are spelled in {name}"]
            if how != name:
                notes.append(f"its merges are spelled in {how}")
            return VocabAndMerges(place, read, pairs, texts, notes=notes)
    found = _of_decoded(place, vocab, merges)
    if found is not None:
        return found
    raise TokenizerFileError(
        f"{place}: the 256 single bytes are not all there, spelled as any of: "
        f"{', '.join(SPELLINGS)}{_why_not(vocab)}; {HOW_TO_SAVE}"
    )


def _why_not(vocab: Mapping[int, Any]) -> str:
    """What its tokens seem to be instead."""
    texts = [token for token in vocab.values() if isinstance(token, str)]
    if any("\ufffd" in text for text in texts):
        return " (its tokens are decoded text, in which bytes that are no character became U+FFFD)"
    if vocab and len(texts) == len(vocab):
        return " (its tokens seem to be text, in which not every byte can be said)"
    return ""


def _read_vocab(
    vocab: Mapping[int, Any], bytes_of: Callable[[Any], bytes]
) -> tuple[dict[int, bytes], dict[int, str]]:
    read: dict[int, bytes] = {}
    texts: dict[int, str] = {}
    for token_id, spelled in vocab.items():
        try:
            read[token_id] = bytes_of(spelled)
        except NOT_SO:
            if not isinstance(spelled, str):
                return {}, {}
            texts[token_id] = spelled
    return read, texts


# Merges

_IDS = "ids"


def _read_merges(
    place: str, merges: Sequence[tuple[Any, Any]], vocab: Mapping[int, bytes], name: str
) -> tuple[Pairs, str]:
    """The merges, and how they are spelled: as the vocabulary is, if that fits as well as any."""
    known = set(vocab.values())

    def fit(pairs: Pairs) -> int:
        return sum(left + right in known for left, right in pairs)

    ways = {name: SPELLINGS[name], **SPELLINGS}
    found = {way: _try_merges(merges, vocab, bytes_of) for way, bytes_of in ways.items()}
    found[_IDS] = _try_merges(merges, vocab, lambda token: vocab[int(_digits(token))])
    fits = {way: fit(pairs) for way, pairs in found.items() if pairs is not None}
    best = max(fits.values(), default=0)
    fitting = [way for way, number in fits.items() if number == best]
    if not fitting or (merges and best == 0 and found[name] is None):
        rank, merge = _first_odd(merges, vocab, SPELLINGS[name])
        raise TokenizerFileError(
            f"{place}: merge {rank + 1} is unknown or not spelled as the vocabulary is: "
            f"{short_repr(merge)}"
        )
    chosen = found[name] if name in fitting else found[fitting[0]]
    assert chosen is not None  # it fits
    others = [way for way in fitting if found[way] != chosen]
    if others and name not in fitting:
        raise TokenizerFileError(
            f"{place}: its merges can be read as {fitting[0]} and as {others[0]}, and mean "
            f"different tokens; {HOW_TO_SAVE}"
        )
    only_ids = all(type(part) is int for merge in merges for part in merge)
    return chosen, name if name in fitting or only_ids else fitting[0]


def _digits(token: Any) -> str:
    if isinstance(token, str) and len(token) < 12 and token.isascii() and token.isdigit():
        return token
    raise ValueError("no id")


def _try_merges(
    merges: Sequence[tuple[Any, Any]],
    vocab: Mapping[int, bytes],
    bytes_of: Callable[[Any], bytes],
) -> Pairs | None:
    try:
        return [_pair(merge, vocab, bytes_of) for merge in merges]
    except NOT_SO:
        return None


def _pair(
    merge: tuple[Any, Any], vocab: Mapping[int, bytes], bytes_of: Callable[[Any], bytes]
) -> tuple[bytes, bytes]:
    left, right = merge
    by_id = type(left) is int and type(right) is int
    return (vocab[left], vocab[right]) if by_id else (bytes_of(left), bytes_of(right))


def _first_odd(
    merges: Sequence[tuple[Any, Any]],
    vocab: Mapping[int, bytes],
    bytes_of: Callable[[Any], bytes],
) -> tuple[int, tuple[Any, Any]]:
    for rank, merge in enumerate(merges):
        if _try_merges([merge], vocab, bytes_of) is None:
            return rank, merge
    return 0, merges[0]


# A vocabulary of decoded text: what U+FFFD stands for is known from merges that are in bytes.


def _of_decoded(
    place: str, vocab: Mapping[int, Any], merges: Sequence[tuple[Any, Any]]
) -> VocabAndMerges | None:
    """The vocabulary if its tokens are what `decode(errors="replace")` makes of the bytes.

    Tokens with the same text are told apart by their order: bytes first, then merges.
    """
    pairs = _try_merges(merges, {}, _of_bytes) or _try_merges(merges, {}, _of_numbers)
    if not pairs or not all(isinstance(token, str) for token in vocab.values()):
        return None
    tokens = dict.fromkeys([bytes((byte,)) for byte in range(256)])
    tokens |= dict.fromkeys(left + right for left, right in pairs)
    waiting: defaultdict[str, deque[bytes]] = defaultdict(deque)
    for token in tokens:
        waiting[token.decode("utf-8", "replace")].append(token)
    read: dict[int, bytes] = {}
    texts: dict[int, str] = {}
    for token_id in sorted(vocab):
        text = vocab[token_id]
        if waiting.get(text):
            read[token_id] = waiting[text].popleft()
        else:
            texts[token_id] = text
    if any(waiting.values()):
        return None
    note = (
        "its tokens are decoded text; which bytes each has is taken from the merges, and from the "
        "order of the ids where two look alike"
    )
    return VocabAndMerges(place, read, pairs, texts, notes=[note])
