"""Kinds of files that are often taken for tokenizers, recognised by their first lines.

These kinds are only guessed after no format has recognised a file. `source` has those that are
certain.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from itertools import pairwise

LONGEST_LINE = 60
"""Number of characters of a first line that are quoted."""

OF_COUNTS = (
    "a table of texts and how often each occurs, not of ids; open the corpus, or the tokenizer "
    "that was trained on it"
)

_LIKELY: dict[str, str] = {
    r"(?i)\s*<(?:!doctype html|html|head)\b": (
        "an HTML page; download the file itself, which pages of code offer as its raw form"
    ),
    r"""(?:\d+ b?(?:'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*") \d+\r?\n){2}""": (
        "RWKV's vocabulary, which takes the longest token that fits and has no merges"
    ),
    r"v\d;(?:(?:true|false);)+": (
        "a file of codes of OpenNMT's Tokenizer, with its options in the first line; only its own "
        "library, pyonmttok, reads them"
    ),
    r"(?i)\w*bpe\w* v[\w.]+\r?\n": (
        "a file of a fork of minbpe, by its first line; if the rest is as minbpe writes it, "
        "let the first line be `minbpe v1`"
    ),
    r'(?:\[\s*){2}"(?:[^"\\]|\\.)*",\s*\d+\s*\],\s*\[\s*"': OF_COUNTS,
    r"[\[\s]*\d+(?:[\s,\[\]]+\d+)*[\s,\]]*\Z": (
        "a list of ids alone; `bpe-tui decode` makes text of them, with the tokenizer that they "
        "are of"
    ),
}
"""Regex for the beginning of a text → its kind, and how to open the tokenizer instead."""


def are_counts(ids: Collection[int]) -> bool:
    """Whether the numbers of texts are counts: two are equal, or 0 and others are missing.

    >>> are_counts([120, 17, 17]), are_counts([5, 2, 9]), are_counts([1, 2, 3])
    (True, True, False)
    """
    return len(set(ids)) < len(ids) or (0 not in ids and max(ids, default=0) > len(ids))


def likely_kind(head: bytes) -> str | None:
    """Return the kind of a file that is probably no tokenizer, by its beginning.

    >>> likely_kind(b"<!DOCTYPE html>")[:12], likely_kind(b"Once upon a time")
    ('an HTML page', None)
    """
    text = head.decode("utf-8", "ignore")
    if _is_youtokentome(text):
        return (
            "a model of YouTokenToMe (youtokentome), which only its own library reads; open a "
            "tokenizer.json that was made from it"
        )
    for pattern, kind in _LIKELY.items():
        if re.match(pattern, text):
            return kind
    rows = [line.rsplit(maxsplit=1) for line in text.split("\n")[:-1]]
    counts = [int(row[1]) for row in rows if len(row) == 2 and row[1].isdecimal()]
    if len(rows) > 1 and len(counts) == len(rows) and all(a >= b for a, b in pairwise(counts)):
        return (
            "a vocabulary of counts, as `subword-nmt get-vocab` writes it, without merges; open "
            "the codes that it was made with"
        )
    return None


def _is_youtokentome(text: str) -> bool:
    """Whether a text begins with the numbers n and m, n lines of a character and its id, m merges.

    >>> _is_youtokentome("2 1\\n97 4\\n98 5\\n4 5 6\\n1 0 2 3\\n")
    True
    """
    rows = [line.split() for line in text.split("\n")[:-1]]
    is_numbers = "".join(text.replace("-", " ").split()).isdecimal()
    if not is_numbers or len(rows) < 3 or len(rows[0]) != 2:
        return False
    letters = int(rows[0][0])
    characters, merges = rows[1 : letters + 1], rows[letters + 1 :]
    if any(len(row) != 2 or int(row[0]) > 0x10FFFF for row in characters):
        return False
    # Where the beginning has only characters, no two have one id, as in pairs of ids.
    many = {row[1] for row in characters}
    is_whole = bool(merges) and all(len(row) in (3, 4) for row in merges)
    return is_whole or (not merges and len(rows) > 64 and len(many) == len(characters))


def first_line(head: bytes) -> str:
    r"""Describe the first line of a file as a clause, or its first bytes if it is no text.

    >>> first_line(b"Once upon\na time"), first_line(b"\x89PNG")
    ("its first line is 'Once upon'", 'it begins with the bytes 89 50 4e 47')
    """
    line = head.split(b"\n", 1)[0].rstrip(b"\r")
    text = line.decode("utf-8", "replace")
    if "\ufffd" in text.rstrip("\ufffd") or "\0" in text:
        return f"it begins with the bytes {head[:8].hex(' ')}"
    more = "…" if len(text) > LONGEST_LINE else ""
    return f"its first line is {text[:LONGEST_LINE] + more!r}"
