"""How a text is encoded, with what each merge won against.

At every moment some adjacent pairs could merge: the candidates. The one of lowest rank does, the
leftmost where it stands more than once. The others lose this time; each merges later, or one of
its tokens is taken by another merge first. An encoder with a cache does this once for each
pretoken: where one comes again in a text, the ids are looked up.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from engine.core.events import EncodeStep, Pair
from engine.encoding.encoders.fast import RankHeap
from engine.encoding.rules import EncodingRules, HasRules
from engine.text.pretokenize import Pretoken


@dataclass(frozen=True, order=True)
class Candidate:
    """A pair that could merge now: its tokens are at `position` and `position + 1`.

    Candidates are ordered as they would merge: by rank, then from the left.
    """

    rank: int
    position: int
    pair: Pair
    token_id: int


@dataclass(frozen=True)
class TracedMerge:
    """One merge while encoding, and the rules by which it came first."""

    step: EncodeStep
    rules: EncodingRules

    @cached_property
    def lost(self) -> tuple[Candidate, ...]:
        """The candidates that this merge was preferred to, the next best first."""
        return tuple(candidates(self.rules, self.step.before)[1:])


@dataclass(frozen=True)
class TracedPretoken:
    """A pretoken with the merges that encode it.

    `seen_before` says that the same pretoken stands earlier in the text: an encoder with a cache
    looks its ids up.
    """

    pretoken: Pretoken
    ids: tuple[int, ...]
    merges: tuple[TracedMerge, ...]
    seen_before: bool


def candidates(rules: EncodingRules, tokens: Sequence[int]) -> list[Candidate]:
    """The adjacent pairs of `tokens` that merge, in the order in which they would be taken."""
    found = []
    for position in range(len(tokens) - 1):
        pair = (tokens[position], tokens[position + 1])
        if (merge := rules.merge_of(pair)) is not None:
            found.append(Candidate(merge[0], position, pair, merge[1]))
    return sorted(found)


def trace_pretoken(rules: EncodingRules, pretoken: bytes) -> tuple[TracedMerge, ...]:
    """The merges that encode one pretoken."""
    return tuple(TracedMerge(step, rules) for step in rules.steps(pretoken))


@dataclass(frozen=True)
class Crossing:
    """A merge that joins what stood on both sides of a border.

    It is merge `number` of the pretoken, counted from 1, and makes one token of the bytes from
    `start` to `end`.
    """

    number: int
    rank: int
    pair: Pair
    start: int
    end: int


def first_merge_across(
    rules: EncodingRules, pretoken: bytes, borders: Iterable[int]
) -> Crossing | None:
    """The first merge that joins what stands on both sides of one of the borders.

    A border is a place between two bytes, by how many are left of it. `None` if all stay.
    """
    inner = tuple(borders)
    merges = RankHeap(rules.alphabet, rules.table).merges_at(pretoken)
    for number, (start, end, pair) in enumerate(merges, start=1):
        if (merge := rules.merge_of(pair)) is None:
            break  # of a later step, and so are all that follow
        if any(start < border < end for border in inner):
            return Crossing(number, merge[0], pair, start, end)
    return None


def trace(source: HasRules, text: str) -> Iterator[TracedPretoken]:
    """The pretokens of a text, each with its merges.

    >>> from engine.encoding.tokenizer import Tokenizer
    >>> vocab = {byte: bytes([byte]) for byte in range(256)} | {256: b"bc", 257: b"ab"}
    >>> tokenizer = Tokenizer(vocab, [(b"b", b"c"), (b"a", b"b")])
    >>> [abc] = trace(tokenizer, "abc")
    >>> [(merge.step.rank, [lost.rank for lost in merge.lost]) for merge in abc.merges]
    [(0, [1])]
    """
    rules = source.rules
    pieces = rules.pretokens(text)
    for pretoken, seen in zip(pieces, seen_before(pieces), strict=True):
        special = rules.is_special(pretoken)
        merges = () if special else trace_pretoken(rules, pretoken.bytes)
        ids = merges[-1].step.after if merges else rules.ids_of(pretoken)
        yield TracedPretoken(pretoken, ids, merges, seen)


def seen_before(pieces: Iterable[Pretoken]) -> list[bool]:
    """For each pretoken whether the same stands earlier; special tokens need no cache.

    >>> from engine.text.patterns import PATTERNS
    >>> from engine.text.pretokenize import SpecialSplitter, pretokens
    >>> seen_before(pretokens("a b b", PATTERNS["gpt2"], SpecialSplitter([])))
    [False, False, True]
    """
    known: set[str] = set()
    seen = []
    for piece in pieces:
        seen.append(not piece.special and piece.text in known)
        known.add(piece.text)
    return seen
