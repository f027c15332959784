"""`EncodingRules`: all that decides how a text is encoded, open to whoever wants to explain it.

A `Tokenizer` and a `Frame` both have them (`.rules`), so that a question such as "why is this not
one token?" is asked of either in the same way. The table may know merges of later steps; only the
first `merges` ranks count. Ranks only rise while a pretoken is encoded with merges that were
learnt in their order, so later merges all come at the end and are left off there.

Explanations quote tokens and merges: `Part` and `Merge` hold their bytes, and whoever shows them
says how bytes are written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from itertools import takewhile
from typing import Protocol

from engine.core.events import EncodeStep, Pair
from engine.core.wording import ShowBytes
from engine.encoding.alphabet import Alphabet
from engine.encoding.encoders.encoder import MergeTable, RankLoop
from engine.encoding.encoders.fast import LONG, RankHeap
from engine.text.patterns import Pattern
from engine.text.pretokenize import Pretoken, SpecialSplitter, pretokens, to_bytes, to_text


@dataclass(frozen=True)
class MadeBy:
    """The merge that makes a token: its rank and its two parts."""

    rank: int
    pair: Pair


@dataclass(frozen=True)
class EncodingRules:
    """What an encoding follows from.

    Attributes:
        alphabet: what a pretoken is made of before any merge.
        table: pair of ids → (rank, id of the token made); may hold ranks from `merges` on.
        merges: how many merges there are.
        vocab: id → bytes, special tokens included.
        special_ids: special token → id.
        pattern, splitter: what cuts a text into pretokens.
        in_order: whether the merges were learnt in their order: see `is_in_order`.
        later: the tokens that merges `merges`, `merges + 1`, … are known to make.
        covered: id → the bytes of a pretoken that a token stands for, where the vocab shows more:
            of `est</w>` only `est`. `None`: it shows just that.
    """

    alphabet: Alphabet
    table: MergeTable
    merges: int
    vocab: Mapping[int, bytes]
    special_ids: Mapping[str, int]
    pattern: Pattern
    splitter: SpecialSplitter
    in_order: bool = True
    later: Sequence[bytes] = field(default=(), repr=False)
    covered: Mapping[int, bytes] | None = field(default=None, repr=False)

    @cached_property
    def ids(self) -> dict[bytes, int]:
        """The id of each ordinary token. Special tokens are never made of others, so not here.

        Of tokens that stand for the end of a word, too, see `ending_ids`.
        """
        return self._ids_where(lambda token_id: token_id not in self._ending)

    @cached_property
    def ending_ids(self) -> dict[bytes, int]:
        """The tokens that stand for these bytes and for the end of a word behind them."""
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
    def _makers(self) -> dict[int, MadeBy]:
        makers: dict[int, MadeBy] = {}
        for pair, (rank, token_id) in self.table.items():
            if rank < self.merges:
                makers.setdefault(token_id, MadeBy(rank, pair))
        return makers

    def made_by(self, token_id: int) -> MadeBy | None:
        """The first merge that makes the token; `None` for bytes and special tokens."""
        return self._makers.get(token_id)

    def merge_of(self, pair: Pair) -> tuple[int, int] | None:
        """The rank of the merge of a pair and the id it makes; `None` if it does not merge."""
        found = self.table.get(pair)
        return found if found is not None and found[0] < self.merges else None

    def pretokens(self, text: str) -> tuple[Pretoken, ...]:
        """The special tokens and pretokens of a text. Joined they are the text."""
        return _pretokens(text, self.pattern, self.splitter)

    def is_special(self, pretoken: Pretoken) -> bool:
        """Whether the pretoken is one id by itself."""
        return pretoken.special and pretoken.text in self.special_ids

    def steps(self, pretoken: bytes) -> Iterator[EncodeStep]:
        """The merges that encode a pretoken, one occurrence at a time."""
        encoder = RankLoop if self.in_order and len(pretoken) <= LONG else RankHeap
        steps = encoder(self.alphabet, self.table).steps(pretoken)
        return takewhile(lambda step: step.rank < self.merges, steps)

    def ids_of(self, pretoken: Pretoken) -> tuple[int, ...]:
        """The token ids of a pretoken, or the one id of a special token."""
        if self.is_special(pretoken):
            return (self.special_ids[pretoken.text],)
        return self.tokens_of(pretoken.bytes)

    def tokens_of(self, pretoken: bytes) -> tuple[int, ...]:
        """The token ids of the bytes as one pretoken."""
        tokens = tuple(self.alphabet.spell(pretoken))
        for step in self.steps(pretoken):
            tokens = step.after
        return tokens

    def alone(self, token_id: int) -> tuple[int, ...]:
        """The token ids of what a token stands for; at the end of a word only if the token is."""
        ends = token_id in self._ending
        text = self.vocab[token_id] if self.covered is None else self.covered[token_id]
        return self.tokens_of(text) if ends else self.inside.tokens_of(text)

    @cached_property
    def inside(self) -> EncodingRules:
        """The rules for parts of pretokens that do not reach their ends."""
        inside = self.alphabet.inside
        return self if inside is self.alphabet else replace(self, alphabet=inside)


@lru_cache(maxsize=2)
def _pretokens(text: str, pattern: Pattern, splitter: SpecialSplitter) -> tuple[Pretoken, ...]:
    """Of one text many questions are asked, one after the other, and between them of a word."""
    # Surrogates become the characters they stand for before the pattern sees them.
    return tuple(pretokens(to_text(to_bytes(text)), pattern, splitter))


class HasRules(Protocol):
    """A `Tokenizer`, a `Frame`: anything that says what its encoding follows from."""

    @property
    def rules(self) -> EncodingRules: ...


@dataclass(frozen=True)
class Part:
    """A token with the rank of the merge that makes it; `None` for bytes and special tokens."""

    token: bytes
    rank: int | None

    def describe(self, show: ShowBytes) -> str:
        """`un (rank 87)`, or only `b`."""
        return show(self.token) if self.rank is None else f"{show(self.token)} (rank {self.rank:,})"


@dataclass(frozen=True)
class Merge:
    """A merge with the bytes of its tokens."""

    rank: int
    left: bytes
    right: bytes

    def describe(self, show: ShowBytes) -> str:
        """`u + n (rank 87)`."""
        return f"{show(self.left)} + {show(self.right)} (rank {self.rank:,})"


def parts_of(rules: EncodingRules, tokens: Iterable[int]) -> tuple[Part, ...]:
    """Token ids with their bytes and ranks."""
    made = ((token, rules.made_by(token)) for token in tokens)
    return tuple(Part(rules.vocab[token], by.rank if by else None) for token, by in made)


def merge_of(rules: EncodingRules, rank: int, pair: Pair) -> Merge:
    """A merge by its rank and the ids of its parts."""
    return Merge(rank, rules.vocab[pair[0]], rules.vocab[pair[1]])


def merge_making(rules: EncodingRules, token_id: int) -> Merge | None:
    """The first merge that makes a token; `None` for bytes and special tokens."""
    if (made := rules.made_by(token_id)) is None:
        return None
    return merge_of(rules, made.rank, made.pair)


def describe_parts(parts: Iterable[Part], show: ShowBytes) -> str:
    """The tokens with their ranks: `un (rank 87) + b + le (rank 112)`."""
    return " + ".join(part.describe(show) for part in parts)
