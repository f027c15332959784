"""On which characters the Unicode tables of libraries differ."""

from __future__ import annotations

import regex
import tiktoken

from engine.text.patterns import newer_characters


def test_all_characters_on_which_tiktoken_cuts_otherwise_are_found() -> None:
    codes = [*range(0x80, 0xD800), *range(0xE000, 0x20000)]
    text = "\n".join(map(chr, codes))
    newer = set(newer_characters(text))
    bytes_only = {bytes((byte,)): byte for byte in range(256)}
    for kind in (r"\p{L}", r"\p{N}", r"\s"):
        theirs = tiktoken.Encoding("t", pat_str=kind, mergeable_ranks=bytes_only, special_tokens={})
        found = set(theirs.decode(theirs.encode_ordinary(text)))
        assert newer >= found ^ set(regex.findall(kind, text))
