"""What a WordPiece training works on: words in pieces, and the vocabulary that grows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

from engine.core.errors import VocabSizeError
from engine.core.events import Pair
from engine.encoding.alphabet import CharacterAlphabet
from engine.encoding.merging import count_pairs
from engine.recording.merge_record import Merge
from engine.recording.numbering import PairNumbers
from engine.text.pretokenize import to_bytes, to_text
from engine.wordpiece.words import CONTINUES, inner, joined


class Problem:
    """The words of a corpus, spelled in characters, with their pairs.

    Args:
        counts: word → how often it occurs, in order of first appearance; no zeros.
        special_tokens: get the first ids, the unknown token among them.
        unknown_token: stands for what the vocabulary cannot spell.

    Attributes:
        vocab: id → piece as it is written: the special tokens, then the characters sorted (so
            `##a` before `a`), then a piece for each merge.
        alphabet: the characters and their ids.
        pairs: the numbers of the pairs, shared with the record.
        start: the count of each pair of characters, by its number.
        start_of_pieces: how often each piece stands in the words, by its id.
    """

    def __init__(
        self, counts: Mapping[bytes, int], special_tokens: Sequence[str], unknown_token: str
    ) -> None:
        self.counts = counts
        self.special_tokens = tuple(special_tokens)
        self.unknown_token = unknown_token
        characters = _characters(counts)
        self.vocab = [to_bytes(piece) for piece in (*special_tokens, *characters)]
        self.first_id = len(self.vocab)
        ids = {piece: len(special_tokens) + place for place, piece in enumerate(characters)}
        unknown = self.special_tokens.index(unknown_token)
        self.alphabet = CharacterAlphabet(ids, unknown=unknown, prefix=CONTINUES)
        words = self.spelled()
        pair_counts = count_pairs(words, counts.values())
        self.pairs = PairNumbers(pair_counts)
        self.start = list(pair_counts.values())
        self.start_of_pieces = self._count_pieces(words)

    @cached_property
    def character_count(self) -> int:
        """Pieces that the words are made of before any merge."""
        return sum(self.start_of_pieces)

    def spelled(self) -> list[list[int]]:
        """The words as lists of ids."""
        return [self.alphabet.spell(word) for word in self.counts]

    def _count_pieces(self, words: Iterable[Sequence[int]]) -> list[int]:
        totals = [0] * self.first_id
        for word, count in zip(words, self.counts.values(), strict=True):
            for token_id in word:
                totals[token_id] += count
        return totals

    def check_size(self, vocab_size: int) -> None:
        """Raises `VocabSizeError` if the special tokens and the characters do not fit."""
        if vocab_size < self.first_id:
            specials = len(self.special_tokens)
            ending = "" if specials == 1 else "s"
            raise VocabSizeError(
                f"a vocabulary of {vocab_size} is too small; pieces of one character "
                f"({self.first_id - specials}) and {specials} special token{ending} need at least "
                f"{self.first_id}"
            )

    def mergeable(self, pairs: Mapping[Pair, int]) -> Mapping[Pair, int]:
        """Of pairs with their counts, those that may merge: all of them."""
        return pairs

    def join(self, pair: Pair) -> int:
        """Add the piece that the pair makes to the vocab; its id."""
        self.vocab.append(joined(self.vocab[pair[0]], self.vocab[pair[1]]))
        return len(self.vocab) - 1

    def merge(
        self, pair: Pair, count: int, after: Mapping[Pair, int], occurrences: int, pretokens: int
    ) -> Merge:
        """The report of a step; `after` maps each pair whose count changed to its new count."""
        return Merge.of(self.pairs, pair, count, after, occurrences, pretokens)


def _characters(counts: Mapping[bytes, int]) -> list[str]:
    """The pieces of one character that spell the words."""
    pieces: set[str] = set()
    for word in map(to_text, counts):
        pieces.add(word[0])
        pieces.update(map(inner, word[1:]))
    return sorted(pieces)
