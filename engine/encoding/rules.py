"""`EncodingRules`: everything that decides how a text is encoded, and traces of encoding by them.

A `Tokenizer` and a `Frame` both have them (`.rules`), so both can answer questions such as "why is
this not one token?". The table may hold merges of later steps; only the first `merges` ranks count.
If merges were learnt in their order, ranks only rise while a pretoken is encoded. So the later
merges all come at the end, and are left off there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from itertools import pairwise, takewhile
from operator import attrgetter
from typing import NamedTuple, Protocol

from engine.core.events import Pair
from engine.encoding.alphabet import Alphabet
from engine.encoding.encoders import EncodeStep, MergeTable, RankHeap
from engine.text.patterns import Pattern
from engine.text.pretokenize import Pretoken, SpecialSplitter, pretokens, to_bytes, to_text


class MadeBy(NamedTuple):
    """The merge that makes a token: its rank and its two parts."""

    rank: int
    pair: Pair


@dataclass(frozen=True)
class EncodingRules:
    """Everything that decides how a text is encoded.

    Attributes:
        alphabet: spells a pretoken before any merge.
        table: pair of ids → (rank, id of the result); may hold ranks from `merges` on.
        merges: the number of merges.
        vocab: id → bytes, special tokens included.
        special_ids: special token → id.
        pattern, splitter: cut a text into pretokens.
        later: the tokens that merges `merges`, `merges + 1`, … are known to make.
        covered: id → the token's bytes in a pretoken, if the vocab shows more: `est` for `est</w>`.
            `None` if the vocab shows no more.
    """

    alphabet: Alphabet
    table: MergeTable
    merges: int
    vocab: Mapping[int, bytes]
    special_ids: Mapping[str, int]
    pattern: Pattern
    splitter: SpecialSplitter
    later: Sequence[bytes] = field(default=(), repr=False)
    covered: Mapping[int, bytes] | None = field(default=None, repr=False)

    @cached_property
    def ids(self) -> dict[bytes, int]:
        """Ids of the ordinary tokens by their bytes; special tokens are never made of others.

        `ending_ids` has the tokens that also mark the end of a word.
        """
        return self._ids_where(lambda token_id: token_id not in self._ending)

    @cached_property
    def ending_ids(self) -> dict[bytes, int]:
        """Ids by bytes of the tokens that also mark the end of a word."""
        return self._ids_where(self._ending.__contains__)

    @cached_property
    def _ending(self) -> frozenset[int]:
        covered = self.covered or {}
        return frozenset(number for number, text in covered.items() if text != self.vocab[number])

    def _ids_where(self, is_wanted: Callable[[int], bool]) -> dict[bytes, int]:
        special = frozenset(self.special_ids.values())
        ids: dict[bytes, int] = {}
        for token_id, token in (self.vocab if self.covered is None else self.covered).items():
            if token_id not in special and is_wanted(token_id):
                ids.setdefault(token, token_id)
        return ids

    @cached_property
    def makers(self) -> dict[int, MadeBy]:
        """The first merge that makes each token; none for bytes and special tokens.

        A merge out of order makes nothing before the merges that make its parts.
        """
        makers: dict[int, MadeBy] = {}
        for pair, (rank, token_id) in self.table.items():
            if rank < self.merges and pair[0] in self.vocab and pair[1] in self.vocab:
                makers.setdefault(token_id, MadeBy(rank, pair))
        return makers

    def merge_of(self, pair: Pair) -> tuple[int, int] | None:
        """Return the rank of a pair's merge and its result; `None` if it does not merge."""
        found = self.table.get(pair)
        return found if found is not None and found[0] < self.merges else None

    def pretokens(self, text: str) -> tuple[Pretoken, ...]:
        """Return the special tokens and pretokens of a text; joined they are the text."""
        return _pretokens(text, self.pattern, self.splitter)

    def is_special(self, pretoken: Pretoken) -> bool:
        """Whether the pretoken is a special token with an id."""
        return pretoken.special and pretoken.text in self.special_ids

    def steps(self, pretoken: bytes) -> Iterator[EncodeStep]:
        """Yield the merges that encode a pretoken, one occurrence at a time."""
        steps = RankHeap(self.alphabet, self.table).steps(pretoken)
        return takewhile(lambda step: step.rank < self.merges, steps)

    def ids_of(self, pretoken: Pretoken) -> tuple[int, ...]:
        """Return the token ids of a pretoken, or the one id of a special token."""
        if self.is_special(pretoken):
            return (self.special_ids[pretoken.text],)
        return self.tokens_of(pretoken.bytes)

    def tokens_of(self, pretoken: bytes) -> tuple[int, ...]:
        """Return the token ids of the bytes as one pretoken."""
        return tuple(RankHeap(self.alphabet, self.table).encode(pretoken, self.merges))

    def tokens_alone(self, token_id: int) -> tuple[int, ...]:
        """Encode the text of a token; as a word's end only if the token ends a word."""
        ends = token_id in self._ending
        text = self.vocab[token_id] if self.covered is None else self.covered[token_id]
        return self.tokens_of(text) if ends else self.inside.tokens_of(text)

    @cached_property
    def inside(self) -> EncodingRules:
        """The rules for parts of pretokens that do not reach their ends."""
        inside = self.alphabet.inside
        return self if inside is self.alphabet else replace(self, alphabet=inside)


TEXTS_KEPT = 2
"""Texts that are cut once: many questions in a row are about one, with some about a word."""


@lru_cache(maxsize=TEXTS_KEPT)
def _pretokens(text: str, pattern: Pattern, splitter: SpecialSplitter) -> tuple[Pretoken, ...]:
    # Surrogates become characters before the pattern sees them.
    return tuple(pretokens(to_text(to_bytes(text)), pattern, splitter))


class HasRules(Protocol):
    """A `Tokenizer`, a `Frame`, or any other object with encoding rules."""

    @property
    def rules(self) -> EncodingRules: ...


class Candidate(NamedTuple):
    """A pair that could merge now: its tokens are at `position` and `position + 1`.

    Candidates are ordered as they would merge: by rank, then from the left.
    """

    rank: int
    position: int
    pair: Pair
    token_id: int


@dataclass(frozen=True)
class TracedMerge:
    """One merge while encoding, and the rules that made it the first."""

    step: EncodeStep
    rules: EncodingRules = field(repr=False)

    @cached_property
    def lost(self) -> tuple[Candidate, ...]:
        """The candidates that came after this merge, the next best first."""
        return tuple(candidates(self.rules, self.step.before)[1:])


class TracedPretoken(NamedTuple):
    """A pretoken with the merges that encode it.

    `seen_before`: whether the pretoken occurs earlier in the text, so that an encoder with a cache
    looks its ids up.
    """

    pretoken: Pretoken
    ids: tuple[int, ...]
    merges: tuple[TracedMerge, ...]
    seen_before: bool


def candidates(rules: EncodingRules, tokens: Sequence[int]) -> list[Candidate]:
    """Return the adjacent pairs of `tokens` that merge, in the order of their merges."""
    found = []
    for position, pair in enumerate(pairwise(tokens)):
        if (merge := rules.merge_of(pair)) is not None:
            found.append(Candidate(merge[0], position, pair, merge[1]))
    return sorted(found, key=attrgetter("rank", "position"))


def trace_pretoken(rules: EncodingRules, pretoken: bytes) -> tuple[TracedMerge, ...]:
    """Return the merges that encode one pretoken."""
    return tuple(TracedMerge(step, rules) for step in rules.steps(pretoken))


class Crossing(NamedTuple):
    """A merge that joins the text on both sides of a border.

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
    """Return the first merge that joins both sides of a border; `None` if none does.

    A border is a place between two bytes, given by the number of bytes to its left.
    """
    inner = tuple(borders)
    merges = RankHeap(rules.alphabet, rules.table).merges_at(pretoken)
    for number, (start, end, pair) in enumerate(merges, start=1):
        if (merge := rules.merge_of(pair)) is None:
            break  # a merge of a later step, as are all that follow
        if any(start < border < end for border in inner):
            return Crossing(number, merge[0], pair, start, end)
    return None


def trace(source: HasRules, text: str, longest: int | None = None) -> Iterator[TracedPretoken]:
    """Yield the pretokens of a text, each with its merges.

    Args:
        longest: the most bytes of a pretoken whose merges are listed; `None` for any number.

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
        too_long = longest is not None and len(pretoken.bytes) > longest
        left_out = too_long or rules.is_special(pretoken)
        merges = () if left_out else trace_pretoken(rules, pretoken.bytes)
        ids = merges[-1].step.after if merges else rules.ids_of(pretoken)
        yield TracedPretoken(pretoken, ids, merges, seen)


def seen_before(pieces: Iterable[Pretoken]) -> list[bool]:
    """Return for each pretoken whether it occurs earlier; never for special tokens.

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
