"""The documents of a corpus, one after another, are the corpus."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import WhatIfError
from engine.counting.count import count_corpus, counts_without, document_counts
from engine.text.corpus import Corpus
from engine.text.patterns import PATTERNS
from engine.text.pretokenize import SpecialSplitter

END = "<e>"


@given(st.lists(st.sampled_from(["a", " b", "\n", " ", END, "don't "]), min_size=1).map("".join))
def test_the_documents_and_the_separators_are_the_corpus(
    tmp_path_factory: pytest.TempPathFactory, text: str
) -> None:
    path = tmp_path_factory.getbasetemp() / "documents.txt"
    path.write_text(text)
    count = count_corpus(Corpus(path), "gpt2", [END], workers=1)
    # Small chunks, so that documents continue across them.
    chunks = [
        chunk.data
        for chunk in Corpus(path).chunks(PATTERNS["gpt2"], SpecialSplitter([END]), size=4)
    ]
    total: Counter[bytes] = Counter()
    for number in range(1, count.documents + 1):
        total += document_counts(chunks, number, "gpt2", [END])
    left = counts_without(count.counts, total)
    assert all(pretoken.isspace() for pretoken in left)
    with pytest.raises(WhatIfError, match="no document"):
        document_counts(chunks, count.documents + 1, "gpt2", [END])
