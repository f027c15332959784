"""`WordPieceTokenizer`: text to ids by longest match, and back; and the file of its pieces.

The longest piece of the vocabulary that begins the word is taken, then from its end the longest
`##` piece, and so on. If not even one character is a piece at some place, the whole word becomes
the unknown token; so does a word of more than 100 characters. This is BERT's `WordpieceTokenizer`,
and Hugging Face's `WordPiece` model. The merges of the training play no part.

A word that itself begins with `##` may match a piece meant for the inside of words: the vocabulary
only holds how pieces are written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from itertools import chain
from pathlib import Path

from engine.core.errors import TokenizerFileError, UnknownTokenIdError, VocabularyError
from engine.core.files import write_files
from engine.encoding.pretoken_encoder import PretokenEncoder
from engine.encoding.text_encoder import encode_around_special
from engine.text.patterns import PatternLike, as_pattern
from engine.text.pretokenize import (
    SpecialSplitter,
    pretokens,
    to_bytes,
    to_text,
    without_stray_surrogates,
    words_in,
)
from engine.wordpiece.words import CONTINUES

MAX_INPUT_CHARACTERS = 100


@dataclass(frozen=True)
class Probe:
    """One look-up in the vocabulary: of the characters from `start` to `end` of a word.

    Attributes:
        piece: the text looked up, with `##` if `start` is inside of the word.
        token_id: its id; `None` if the vocabulary does not have it.
        taken: the ids found before this probe.
    """

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
    """The outcome of encoding a word; the value describes it."""

    SPELLED = "the pieces spell the word"
    NO_PIECE = "somewhere in it no piece begins, so the whole word is unknown"
    TOO_LONG = "the word is too long to be looked at, so it is unknown"
    SPECIAL = "a special token, one id wherever it stands"


@dataclass(frozen=True)
class EncodedWord:
    """A word with its ids, its outcome, and a function that finds its probes."""

    word: str
    ids: tuple[int, ...]
    outcome: Outcome
    look: Callable[[str], Iterator[Probe]] = field(
        default=lambda word: iter(()), repr=False, compare=False
    )

    @cached_property
    def probes(self) -> tuple[Probe, ...]:
        """The probes, found when needed: a word of n characters may take n²/2."""
        return tuple(self.look(self.word))


class WordPieceEncoder:
    """Encodes single words.

    Args:
        ids: piece as it is written → id.
        unknown_token: replaces a word that cannot be spelled.
        max_input_characters: a longer word is unknown.
        prefix: is put before a piece that continues a word.

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
        self.ids = ids
        self.unknown_id = ids[unknown_token]
        self.max_input_characters = max_input_characters
        self._prefix = prefix
        self._longest = max(len(piece.removeprefix(prefix)) for piece in ids)
        # A word may begin with `##` and be a whole piece.
        self._longest_first = max(map(len, ids))

    def encode(self, word: str) -> tuple[int, ...]:
        """Return the ids of a word, without the probes that can only fail."""
        spelled = self.spell(word)
        return (self.unknown_id,) if spelled is None else tuple([found for found, _ in spelled])

    def spell(self, word: str) -> list[tuple[int, int]] | None:
        """Return the id and end of each piece of a word; `None` if the word is unknown."""
        length = len(word)
        if length > self.max_input_characters:
            return None
        known = self.ids.get
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
        """Yield each look-up in the vocabulary, in order; none for a word that is too long."""
        length = len(word)
        if length > self.max_input_characters:
            return
        start, end = 0, length
        taken: tuple[int, ...] = ()
        while start < end:
            piece = (self._prefix if start else "") + word[start:end]
            token_id = self.ids.get(piece)
            yield Probe(start, end, piece, token_id, taken)
            if token_id is None:
                end -= 1
            else:
                taken, start, end = (*taken, token_id), end, length

    def explain(self, word: str) -> EncodedWord:
        """Return a word with its ids, its outcome and its probes."""
        spelled = self.spell(word)
        if spelled is not None:
            ids = tuple([found for found, _ in spelled])
            return EncodedWord(word, ids, Outcome.SPELLED, self.probes)
        is_too_long = len(word) > self.max_input_characters
        outcome = Outcome.TOO_LONG if is_too_long else Outcome.NO_PIECE
        return EncodedWord(word, (self.unknown_id,), outcome, self.probes)


# -- BERT's `vocab.txt`: a piece a line as it is written, its id the number of the line from 0
#
# The file does not hold the special tokens, the pattern or lower case: its reader has to know them.

FILE = "vocab.txt"


def save_vocab(vocab: Mapping[int, bytes], path: Path, *, overwrite: bool = False) -> None:
    """Write the pieces, one per line.

    Raises:
        TokenizerFileError: a piece holds a line break or is not UTF-8, which the file cannot hold.
        OutputExistsError: the file exists and `overwrite` is false.
        OutputError: it cannot be written.
    """
    pieces = [vocab[piece_id] for piece_id in sorted(vocab)]
    for piece_id, piece in enumerate(pieces):
        try:
            is_line = (text := piece.decode()).splitlines() == [text]
        except UnicodeDecodeError:
            is_line = False
        if not is_line:
            raise TokenizerFileError(
                f"{path}: the piece {piece!r}, id {piece_id}, is no line of UTF-8, and {FILE} is "
                "made of such lines; train with another pattern, or without such text"
            )
    write_files({path: b"".join(piece + b"\n" for piece in pieces)}, overwrite=overwrite)


# -- the tokenizer

DEFAULT_PATTERN = "bert"


class WordPieceTokenizer:
    """Encodes text by longest match from the left.

    Args:
        vocab: id → piece as it is written: `##` before one that continues a word.
        special_tokens: strings of the vocab that are one id wherever they occur.
        unknown_token: replaces a word that cannot be spelled.
        pattern: cuts text into words: a name in `PATTERNS`, or a pattern.
        max_input_characters: a longer word is unknown.

    Raises:
        VocabularyError: the unknown token or a special token is not in the vocab.

    >>> vocab = dict(enumerate([b"[UNK]", b"hug", b"##s", b"!"]))
    >>> tokenizer = WordPieceTokenizer(vocab)
    >>> tokenizer.encode("hugs! bugs!"), tokenizer.decode([1, 2, 3, 0, 3])
    ([1, 2, 3, 0, 3], 'hugs ! [UNK] !')
    """

    name = "wordpiece"
    granularity = "subwords"

    def __init__(
        self,
        vocab: Mapping[int, bytes],
        special_tokens: Sequence[str] = (),
        unknown_token: str = "[UNK]",
        pattern: PatternLike = DEFAULT_PATTERN,
        max_input_characters: int = MAX_INPUT_CHARACTERS,
    ) -> None:
        self.vocab = dict(vocab)
        self.special_tokens = tuple(special_tokens)
        self.pattern = as_pattern(pattern)
        ids = {to_text(piece): token_id for token_id, piece in self.vocab.items()}
        if missing := [token for token in self.special_tokens if token not in ids]:
            raise VocabularyError(
                f"the vocabulary has no special token {missing[0]!r}; add it, or leave it out"
            )
        self.encoder = WordPieceEncoder(ids, unknown_token, max_input_characters)
        self.vocab_size = len(self.vocab)
        """Pieces, special tokens included."""
        self.unknown_id = self.encoder.unknown_id
        self._special_ids = {token: ids[token] for token in self.special_tokens}
        self._splitter = SpecialSplitter(self.special_tokens)
        encode_word = self.encoder.encode
        self._encode_text = PretokenEncoder(
            self.pattern,
            lambda pretoken: tuple(
                chain.from_iterable(map(encode_word, words_in(to_text(pretoken))))
            ),
        ).encode

    def encode(self, text: str) -> list[int]:
        """Return the token ids of a text."""
        return encode_around_special(self._encode_text, text, self._splitter, self._special_ids)

    def explain(self, text: str) -> Iterator[EncodedWord]:
        """Yield the words of a text, each with the probes that find its ids."""
        for pretoken in pretokens(without_stray_surrogates(text), self.pattern, self._splitter):
            if pretoken.special:
                ids = (self._special_ids[pretoken.text],)
                yield EncodedWord(pretoken.text, ids, Outcome.SPECIAL)
            else:
                yield from map(self.encoder.explain, words_in(pretoken.text))

    def decode(self, ids: Iterable[int]) -> str:
        """Return the words of the ids with one space between them; `##` pieces are joined.

        Whitespace between the words and unknown words are lost.

        Raises:
            UnknownTokenIdError: names the id that the vocab lacks.
        """
        first, *others = [to_text(self.piece(token_id)) for token_id in ids] or [""]
        continued = [
            piece.removeprefix(CONTINUES) if piece.startswith(CONTINUES) else " " + piece
            for piece in others
        ]
        return to_bytes("".join((first, *continued))).decode("utf-8", "replace")

    def piece(self, token_id: int) -> bytes:
        """Return a piece as it is written.

        Raises:
            UnknownTokenIdError: the vocab lacks it.
        """
        try:
            return self.vocab[token_id]
        except KeyError:
            raise UnknownTokenIdError.of(token_id, len(self.vocab)) from None
