"""The input of a training: the checks of its sizes and counts, and a corpus that is counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from functools import cached_property
from operator import mul
from typing import TYPE_CHECKING, Any

from engine.core.arguments import is_whole
from engine.core.errors import CountsError, VocabSizeError

if TYPE_CHECKING:
    from engine.text.excerpt import Excerpt

LARGEST_VOCABULARY = 2**31 - 1
"""Largest size of a vocabulary that can be asked for: an id is a signed integer of 32 bits."""

LONGEST_COUNTED = 2**63
"""The first length of a text that is too long to count: counts are kept in 64 bits."""


def check_size(vocab_size: int) -> None:
    """Raise `VocabSizeError` if no vocabulary can have this size.

    Each trainer also has a smallest size, that of its tokens before the first step.
    """
    if not is_whole(vocab_size):
        raise VocabSizeError(
            f"the size of a vocabulary is a whole number, and this is {vocab_size!r}"
        )
    if vocab_size > LARGEST_VOCABULARY:
        raise VocabSizeError(
            f"a vocabulary has at most {LARGEST_VOCABULARY:,} tokens; ask for fewer"
        )


def check_counts(counts: Mapping[Any, int], kind: type[bytes] | type[str] = bytes) -> None:
    """Raise `CountsError` unless pretokens are of a kind and sums of counts fit into 64 bits."""
    if {*map(type, counts.values())} - {int} and not all(map(is_whole, counts.values())):
        raise CountsError("a count is no whole number; count how often each pretoken occurs")
    if not set(map(type, counts)) <= {kind}:
        raise CountsError("pretokens are all bytes, of Unigram all texts; these are not")
    if min(counts.values(), default=0) < 0:
        raise CountsError("a count is negative; leave out what does not occur")
    length = sum(map(mul, counts.values(), map(len, counts)))
    if length >= LONGEST_COUNTED:
        raise CountsError(
            f"the counts stand for a text of {length:,} bytes or characters, and sums of them "
            f"are kept in 64 bits; divide the counts until it is below {LONGEST_COUNTED:,}"
        )


class CountedCorpus:
    """The counts that a training starts from; empty if there is no corpus.

    Attributes:
        counts: pretoken → number of occurrences, in order of first appearance.
        documents, bytes_read: their numbers in the corpus.
        cut_head: cuts the beginning of the corpus into pretokens; `None` without a corpus.
    """

    def __init__(
        self,
        counts: Counter[bytes] | None = None,
        documents: int = 0,
        bytes_read: int = 0,
        cut_head: Callable[[], Excerpt] | None = None,
    ) -> None:
        self.counts: Counter[bytes] = Counter() if counts is None else counts
        self.documents, self.bytes_read, self.cut_head = documents, bytes_read, cut_head

    @cached_property
    def excerpt(self) -> Excerpt:
        """The beginning of the corpus in pretokens, cut at first use."""
        from engine.text.excerpt import Excerpt  # a training without a screen does without it

        return Excerpt.of(b"") if self.cut_head is None else self.cut_head()
