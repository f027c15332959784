"""One document of a corpus by its number, in pretokens."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from engine.core.errors import WhatIfError
from engine.text.patterns import Pattern, as_pattern
from engine.text.pretokenize import SpecialSplitter, is_blank, pretokens, to_text


def document_counts(
    chunks: Iterable[bytes],
    number: int,
    pattern: str | Pattern = "gpt2",
    special_tokens: Sequence[str] = (),
) -> Counter[bytes]:
    """The pretoken counts of document `number`, from 1, of a corpus cut into safe chunks.

    A document is a stretch between special tokens that holds more than whitespace.

    >>> dict(document_counts([b"a b<e> <e>c ", b"d<e>"], 2, special_tokens=["<e>"]))
    {b'c': 1, b' ': 1, b'd': 1}

    Raises:
        WhatIfError: there is no document of this number.
    """
    splitter, pattern = SpecialSplitter(special_tokens), as_pattern(pattern)
    counts: Counter[bytes] = Counter()
    documents, begun = 0, False
    for chunk in chunks:
        for place, stretch in enumerate(splitter.documents(chunk)):
            if place:
                if begun and documents == number:
                    return counts
                counts.clear()
                begun = False
            if not begun and not is_blank(stretch):
                documents, begun = documents + 1, True
            if documents + (not begun) == number:
                found = pretokens(to_text(stretch), pattern, SpecialSplitter(()))
                counts.update(pretoken.bytes for pretoken in found)
    if begun and documents == number:
        return counts
    raise WhatIfError(f"there is no document {number:,}; the corpus has {documents:,}")


def without(counts: Mapping[bytes, int], some: Mapping[bytes, int]) -> dict[bytes, int]:
    """The counts less those of a part; what is not left is left out, the order stays.

    >>> without({b"a": 2, b"b": 1}, {b"a": 1, b"b": 1})
    {b'a': 1}
    """
    left = ((pretoken, count - some.get(pretoken, 0)) for pretoken, count in counts.items())
    return {pretoken: count for pretoken, count in left if count > 0}
