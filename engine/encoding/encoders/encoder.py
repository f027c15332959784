"""What an encoder is: a way to apply merges to one pretoken. And the two of the textbooks.

`MergeOrder` and `RankLoop` work in rounds, in which one merge is applied everywhere. The others, in
modules of their own, give the same ids sooner.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import ClassVar, TypeAlias

from engine.core.events import EncodeStep, Pair
from engine.encoding.alphabet import Alphabet
from engine.encoding.merge_arrays import as_dict
from engine.encoding.merging import merge_pair
from engine.text.patterns import Pattern
from engine.text.pretokenize import SpecialSplitter, to_bytes, without_stray_surrogates

MergeTable = Mapping[Pair, tuple[int, int]]
"""pair of token ids → (rank of the merge, id of the token it makes), in order of rank."""


TokenIds: TypeAlias = "list[int] | array[int]"
"""An array has a tenth of the room, where an encoder makes one anyway."""
EncodeAroundSpecial = Callable[[str, SpecialSplitter, Mapping[str, int]], TokenIds]
"""(text, what cuts special tokens out, their ids) → the ids of the text."""


def is_in_order(table: MergeTable) -> bool:
    """Whether every merge comes after all merges that make its parts, and no two share a rank.

    So it is where the merges were learnt by training. Then all encoders agree. Where not, the
    candidate of lowest rank, and of these the leftmost, is merged, one at a time: what
    Hugging Face and tiktoken do.
    """
    last_made = {token_id: rank for rank, token_id in sorted(table.values())}
    return len({rank for rank, _ in table.values()}) == len(table) and all(
        last_made.get(left, -1) < rank and last_made.get(right, -1) < rank
        for (left, right), (rank, _) in table.items()
    )


@dataclass(frozen=True)
class Merging:
    """One merge that applies to a sequence: every occurrence of `pair` becomes `token_id`."""

    pair: Pair
    rank: int
    token_id: int


class Encoder(ABC):
    """Encodes single pretokens.

    Args:
        alphabet: what a pretoken is made of before any merge.
        table: the merges. An encoder knows those that are there when it is made; of later ones, it
            may or may not.

    Attributes:
        name, summary: as it is chosen, and for people.
    """

    name: ClassVar[str]
    summary: ClassVar[str]

    def __init__(self, alphabet: Alphabet, table: MergeTable) -> None:
        self.alphabet = alphabet
        self.table = table

    @abstractmethod
    def encode(self, pretoken: bytes) -> Sequence[int]:
        """The token ids of a pretoken."""

    @abstractmethod
    def steps(self, pretoken: bytes) -> Iterator[EncodeStep]:
        """The merges that encode a pretoken, one occurrence at a time, from the first one on."""

    def for_texts(self, pattern: Pattern) -> Callable[[str], list[int]]:
        """A function that encodes texts: no special tokens in them, and as `to_text` gives them."""

        def encode_text(text: str) -> list[int]:
            ids: list[int] = []
            for pretoken in pattern.split(text):
                ids += self.encode(to_bytes(pretoken))
            return ids

        return encode_text

    def around_special(self, pattern: Pattern) -> EncodeAroundSpecial:
        """A function that encodes texts with special tokens; see `encode_around_special`."""
        return partial(encode_around_special, self.for_texts(pattern))


def encode_around_special(
    encode_text: Callable[[str], list[int]],
    text: str,
    splitter: SpecialSplitter,
    special_ids: Mapping[str, int],
) -> list[int]:
    """The ids of a text: those of its special tokens, and between them what `encode_text` gives."""
    ids: list[int] = []
    for piece, special in splitter.split_text(without_stray_surrogates(text)):
        if special:
            ids.append(special_ids[piece])
        else:
            ids += encode_text(piece)
    return ids


class RoundEncoder(Encoder):
    """An encoder that works in rounds: choose a merge, apply it everywhere, choose again.

    A subclass says how the next merge is chosen, and has everything else from here.
    """

    @abstractmethod
    def next_merging(self, tokens: Sequence[int], after: int) -> Merging | None:
        """The merge to apply now; `after` is the rank of the last one, −1 at the start."""

    def encode(self, pretoken: bytes) -> Sequence[int]:
        tokens = self.alphabet.spell(pretoken)
        rank = -1
        while (merging := self.next_merging(tokens, rank)) is not None:
            tokens = merge_pair(tokens, merging.pair, merging.token_id)
            rank = merging.rank
        return tokens

    def steps(self, pretoken: bytes) -> Iterator[EncodeStep]:
        tokens = tuple(self.alphabet.spell(pretoken))
        rank = -1
        while (merging := self.next_merging(tokens, rank)) is not None:
            for step in single_steps(pretoken, tokens, merging):
                yield step
                tokens = step.after
            rank = merging.rank


def single_steps(
    pretoken: bytes, tokens: tuple[int, ...], merging: Merging
) -> Iterator[EncodeStep]:
    """One round as single steps, left to right."""
    left, right = merging.pair
    position = 0
    while position + 1 < len(tokens):
        if tokens[position] == left and tokens[position + 1] == right:
            after = (*tokens[:position], merging.token_id, *tokens[position + 2 :])
            yield EncodeStep(
                pretoken, position, merging.pair, merging.rank, merging.token_id, tokens, after
            )
            tokens = after
        position += 1


class MergeOrder(RoundEncoder):
    """Apply every merge in the order learnt: what training did, done again.

    The definition of BPE encoding (Sennrich, Haddow and Birch 2016). It tries merges that do not
    occur, so its cost grows with the vocabulary.
    """

    name = "merge_order"
    summary = "tries every merge in the order learnt"

    def next_merging(self, tokens: Sequence[int], after: int) -> Merging | None:
        present = set(pairwise(tokens))
        for pair, (rank, token_id) in self.table.items():
            if rank > after and pair in present:
                return Merging(pair, rank, token_id)
        return None


class RankLoop(RoundEncoder):
    """Look only at the pairs that are there, and merge the one of lowest rank; repeat.

    GPT-2's `bpe` function. It gives what trying all merges in order gives: a merge makes only pairs
    with its own new token, and those were learnt later, so no lower rank appears than the last one.
    """

    name = "rank_loop"
    summary = "merges the adjacent pair of lowest rank, again and again"

    def next_merging(self, tokens: Sequence[int], after: int) -> Merging | None:
        table = as_dict(self.table)
        present = [pair for pair in pairwise(tokens) if pair in table]
        if not present:
            return None
        pair = min(present, key=table.__getitem__)
        return Merging(pair, *table[pair])
