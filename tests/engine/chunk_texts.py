"""Texts that are hard to cut, and an oracle that pretokenizes a whole text in one pass."""

import re
from collections.abc import Sequence

import regex
from hypothesis import strategies as st

from engine.text.patterns import PATTERNS
from engine.text.sources import PARQUET, packing_of

SPECIAL_TOKENS = ["<a>", "<a><a>", "<a><b>", "<s t>", " <p", "low ", "aba", "é", "\n", "<|end|>"]

# Text near a cut that might go wrong: each kind of space, half a special token, half a character,
# and bytes that are not UTF-8.
PIECES = [
    *(" ", "  ", "\t", "\n", "\n\n", "\r\n", "\r", "\u00a0", "\u3000", "\u2003", "\u2028", "\x85"),
    *("\x1c", "\x00", "a", "Z", "aB", "low", "lower", "é", "ß", "漢字", "e\u0301", "👍", "١"),
    *("1", "1234", "'", "'s", "'LL", ".", "/", "!?\n", "/\n/", "<", "<a", "<a>", "<a><", "<a><a>"),
    *("<b>", "<s", " t>", "<s t>", " <p", "aba", "ba", "<|end|>", "<|end|", "|>"),
]
BROKEN = [
    b"\xff",
    b"\xc3",
    b"\xa9",
    b"\xe3\x80",
    b"\x80",
    b"\xa0",
    b"\x85",
    b"\xf0\x9f",
    b"\xed\xa0",
]

CORPORA = st.lists(
    st.one_of(
        st.sampled_from([piece.encode() for piece in PIECES]),
        st.sampled_from(BROKEN),
        st.binary(min_size=1, max_size=2),
    ),
    max_size=24,
).map(b"".join)
SPECIALS = st.lists(st.sampled_from(SPECIAL_TOKENS), unique=True, max_size=4)


def is_text(data: bytes) -> bool:
    """Whether a file with this content is read as text: not empty, unpacked, records or counts."""
    is_packed = packing_of("corpus.txt", data) is not None
    return bool(data) and not is_packed and not data.startswith(PARQUET)


def one_pass(data: bytes, pattern: str, special_tokens: Sequence[str]) -> list[list[bytes]]:
    """Return the pretokens of each stretch between special tokens, cut from the whole text."""
    text = data.decode("utf-8", "surrogateescape")
    longest_first = sorted(special_tokens, key=len, reverse=True)
    choice = "|".join(map(re.escape, longest_first))
    cut = PATTERNS[pattern].source
    return [
        [match.encode("utf-8", "surrogateescape") for match in regex.findall(cut, document)]
        for document in (re.split(choice, text) if choice else [text])
    ]
