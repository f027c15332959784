"""Encoding words by longest match from the left, with every probe to be seen.

From the beginning of the word the longest piece of the vocabulary is taken, then from its end the
longest `##` piece, and so on. If at some place not even one character is a piece, the whole word
becomes the unknown token, and what was found before is forgotten; so does a word of more than 100
characters, without a look. That is BERT's `WordpieceTokenizer`, and what Hugging Face's `WordPiece`
model gives. The merges of the training play no part.

A word that itself begins with `##` may find a piece that was meant for the inside of words: the
vocabulary holds only how pieces are written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property

from engine.core.errors import VocabularyError
from engine.wordpiece.words import CONTINUES

MAX_INPUT_CHARACTERS = 100


@dataclass(frozen=True)
class Probe:
    """One look into the vocabulary: for the characters from `start` to `end` of a word.

    Attributes:
        piece: what was looked up, with `##` if `start` is inside of the word.
        token_id: its id; `None` if the vocabulary does not have it.
        taken: the ids found before this probe.
    """

    word: str
    start: int
    end: int
    piece: str
    token_id: int | None
    taken: tuple[int, ...]

    @property
    def found(self) -> bool:
        """Whether the vocabulary has the piece."""
        return self.token_id is not None


class Outcome(Enum):
    """What became of a word; the value says it in words."""

    SPELLED = "the pieces spell the word"
    NO_PIECE = "somewhere in it no piece begins, so the whole word is unknown"
    TOO_LONG = "the word is too long to be looked at, so it is unknown"
    SPECIAL = "a special token, one id wherever it stands"


def _no_probes(_: str) -> Iterator[Probe]:
    return iter(())


@dataclass(frozen=True)
class EncodedWord:
    """A word with its ids, what became of it, and how to find the probes that led there."""

    word: str
    ids: tuple[int, ...]
    outcome: Outcome
    look: Callable[[str], Iterator[Probe]] = field(default=_no_probes, repr=False, compare=False)

    @cached_property
    def probes(self) -> tuple[Probe, ...]:
        """The probes, made when somebody asks: a word of n characters may take n²/2."""
        return tuple(self.look(self.word))


class WordPieceEncoder:
    """Encodes single words.

    Args:
        ids: piece as it is written → id.
        unknown_token: what a word becomes that cannot be spelled.
        max_input_characters: a longer word is unknown.
        prefix: what a piece is written behind that continues a word.

    Raises:
        VocabularyError: the vocabulary does not have the unknown token.

    >>> encoder = WordPieceEncoder({"[UNK]": 0, "hug": 1, "##s": 2, "##gs": 3})
    >>> encoder.encode("hugs"), encoder.encode("huge")
    ((1, 2), (0,))
    >>> [probe.piece for probe in encoder.probes("hugs")]
    ['hugs', 'hug', '##s']
    """

    def __init__(
        self,
        ids: Mapping[str, int],
        unknown_token: str = "[UNK]",
        max_input_characters: int = MAX_INPUT_CHARACTERS,
        prefix: str = CONTINUES,
    ) -> None:
        if unknown_token not in ids:
            raise VocabularyError(
                f"the vocabulary has no token {unknown_token!r} for words that it cannot spell; "
                "add it, or name the one that it has"
            )
        self._ids = ids
        self.unknown_id = ids[unknown_token]
        self._max_input_characters = max_input_characters
        self._prefix = prefix
        self._longest = max(len(piece.removeprefix(prefix)) for piece in ids)
        # A word may begin with `##` and be a whole piece.
        self._longest_first = max(map(len, ids))

    def id_of(self, piece: str) -> int | None:
        """The id of a piece as it is written; `None` if the vocabulary does not have it."""
        return self._ids.get(piece)

    def encode(self, word: str) -> tuple[int, ...]:
        """The ids of a word: what the probes find, without those that can only fail."""
        spelled = self.spell(word)
        return (self.unknown_id,) if spelled is None else tuple([found for found, _ in spelled])

    def spell(self, word: str) -> list[tuple[int, int]] | None:
        """Each piece of a word, its id and where it ends; `None` if the word is unknown."""
        length = len(word)
        if length > self._max_input_characters:
            return None
        known = self._ids.get
        found: list[tuple[int, int]] = []
        start, prefix, longest = 0, "", self._longest_first
        while start < length:
            for end in range(min(length, start + longest), start, -1):
                if (token_id := known(prefix + word[start:end])) is not None:
                    break
            else:
                return None
            found.append((token_id, end))
            start, prefix, longest = end, self._prefix, self._longest
        return found

    def probes(self, word: str) -> Iterator[Probe]:
        """Each look into the vocabulary, in order; none for a word that is too long."""
        length = len(word)
        if length > self._max_input_characters:
            return
        start, end = 0, length
        taken: tuple[int, ...] = ()
        while start < end:
            piece = (self._prefix if start else "") + word[start:end]
            token_id = self._ids.get(piece)
            yield Probe(word, start, end, piece, token_id, taken)
            if token_id is None:
                end -= 1
            else:
                taken, start, end = (*taken, token_id), end, length

    def explain(self, word: str) -> EncodedWord:
        """A word with everything that led to its ids."""
        spelled = self.spell(word)
        if spelled is not None:
            ids = tuple([found for found, _ in spelled])
            return EncodedWord(word, ids, Outcome.SPELLED, self.probes)
        is_too_long = len(word) > self._max_input_characters
        outcome = Outcome.TOO_LONG if is_too_long else Outcome.NO_PIECE
        return EncodedWord(word, (self.unknown_id,), outcome, self.probes)
