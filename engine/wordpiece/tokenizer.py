"""`WordPieceTokenizer`: text to ids and back; and the file that its pieces are kept in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path

from engine.core.errors import TokenizerFileError, UnknownTokenIdError, VocabularyError
from engine.core.files import write_files
from engine.encoding.encoders.encoder import encode_around_special
from engine.encoding.piece_encoder import memoized_encoder
from engine.text.patterns import PatternLike, as_pattern
from engine.text.pretokenize import (
    SpecialSplitter,
    pretokens,
    to_bytes,
    to_text,
    without_stray_surrogates,
    words_in,
)
from engine.wordpiece.encoder import MAX_INPUT_CHARACTERS, EncodedWord, Outcome, WordPieceEncoder
from engine.wordpiece.words import CONTINUES

# -- BERT's `vocab.txt`: a piece a line as it is written, its id the number of the line from 0
#
# The file says nothing about special tokens, the pattern or lower case: its reader has to know.

FILE = "vocab.txt"


def save_vocab(vocab: Mapping[int, bytes], path: Path, *, overwrite: bool = False) -> None:
    """Write the pieces.

    Raises:
        TokenizerFileError: a piece holds a line break or is no UTF-8, which the file cannot say.
        OutputExistsError: something is there and `overwrite` is false.
        OutputError: it cannot be written.
    """
    pieces = [vocab[piece_id] for piece_id in sorted(vocab)]
    for piece_id, piece in enumerate(pieces):
        if not _is_line(piece):
            raise TokenizerFileError(
                f"{path}: the piece {piece!r}, id {piece_id}, is no line of UTF-8, and {FILE} is "
                "made of such lines; train with another pattern, or without such text"
            )
    write_files({path: b"".join(piece + b"\n" for piece in pieces)}, overwrite=overwrite)


def _is_line(piece: bytes) -> bool:
    try:
        text = piece.decode()
    except UnicodeDecodeError:
        return False
    return text.splitlines() == [text]


# -- the tokenizer

DEFAULT_PATTERN = "bert"


class WordPieceTokenizer:
    """Encodes text by longest match from the left.

    Args:
        vocab: id → piece as it is written: `##` before one that continues a word.
        special_tokens: strings of the vocab that are one id wherever they stand.
        unknown_token: what a word becomes that cannot be spelled.
        pattern: what cuts text into words: a name in `PATTERNS`, or a pattern.
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
        self._special_ids = {token: ids[token] for token in self.special_tokens}
        self._splitter = SpecialSplitter(self.special_tokens)
        self._encode_text = memoized_encoder(self.pattern, self._encode_pretoken)

    @property
    def vocab_size(self) -> int:
        """How many pieces there are, special tokens included."""
        return len(self.vocab)

    @property
    def unknown_id(self) -> int:
        """The id of the unknown token."""
        return self.encoder.unknown_id

    def encode(self, text: str) -> list[int]:
        """The token ids of a text."""
        return encode_around_special(self._encode_text, text, self._splitter, self._special_ids)

    def _encode_pretoken(self, pretoken: bytes) -> tuple[int, ...]:
        words = words_in(to_text(pretoken))
        return tuple(chain.from_iterable(map(self.encoder.encode, words)))

    def explain(self, text: str) -> Iterator[EncodedWord]:
        """The words of a text, each with the probes that find its ids."""
        for pretoken in pretokens(without_stray_surrogates(text), self.pattern, self._splitter):
            if pretoken.special:
                ids = (self._special_ids[pretoken.text],)
                yield EncodedWord(pretoken.text, ids, Outcome.SPECIAL)
            else:
                yield from map(self.encoder.explain, words_in(pretoken.text))

    def decode(self, ids: Iterable[int]) -> str:
        """The words of the ids with one space between them; pieces with `##` are joined on.

        What stood between the words, and what became unknown, is lost.

        Raises:
            UnknownTokenIdError: names the id that the vocab lacks.
        """
        first, *others = [to_text(self.piece(token_id)) for token_id in ids] or [""]
        continued = [
            piece.removeprefix(CONTINUES) if piece.startswith(CONTINUES) else " " + piece
            for piece in others
        ]
        return to_bytes("".join((first, *continued))).decode("utf-8", "replace")

    def unknown_characters(self, text: str) -> int:
        """How many characters the words have that become unknown."""
        return sum(len(found.word) for found in self.explain(text) if self.unknown_id in found.ids)

    def piece(self, token_id: int) -> bytes:
        """A piece as it is written.

        Raises:
            UnknownTokenIdError: the vocab lacks it.
        """
        try:
            return self.vocab[token_id]
        except KeyError:
            raise UnknownTokenIdError.of(token_id, len(self.vocab)) from None
