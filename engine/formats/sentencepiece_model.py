"""SentencePiece's `.model`: pieces with scores, and rules for normalizing and decoding.

A file is a message of Protocol Buffers (`sentencepiece_model.proto`). The stages are in
`engine.pipeline.sentencepiece` and are imported when needed. As in SentencePiece's library, a
control symbol such as `<s>` is not found in texts, unless the caller names it as a special token.
"""

from __future__ import annotations

import struct
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.core.errors import TokenizerFileError, errors_at
from engine.core.files import write_files
from engine.encoding.tokenizer import Tokenizer
from engine.formats.folder_settings import FolderSettings, read_folder_settings
from engine.formats.merges_of_ranks import MOST_WORK
from engine.formats.source import TokenizerSource, read_bytes, read_head, read_json
from engine.formats.tokenizer_format import Library, Opened, Overrides, TokenizerFormat
from engine.formats.tokenizer_json import overridden

if TYPE_CHECKING:
    from engine.pipeline.models import Model
    from engine.pipeline.pipeline import Pipeline
    from engine.pipeline.sentencepiece import ScoredPiece, SentencePieceNormalizer


# Protocol Buffers without a schema: numbered fields, one after the other
#
# A field is a key (its number and the encoding of its value) and the value: a whole number in
# groups of seven bits, eight bytes, a length and that number of bytes, or four bytes. A message
# inside a message is a field of bytes. See <https://protobuf.dev/programming-guides/encoding>.


VARINT, EIGHT_BYTES, BYTES, FOUR_BYTES = 0, 1, 2, 5
_LONGEST_VARINT = 10

FieldValue = int | bytes


class ProtobufError(ValueError):
    """The bytes are not such a message; the text says why."""


def fields_in(data: bytes) -> Iterator[tuple[int, int, FieldValue]]:
    r"""Yield the number, the encoding and the value of each field of a message.

    >>> list(fields_in(b"\x08\x96\x01\x12\x02hi"))
    [(1, 0, 150), (2, 2, b'hi')]

    Raises:
        ProtobufError: the bytes are cut short, or no message.
    """
    place = 0
    while place < len(data):
        key, place = _varint(data, place)
        number, kind = key >> 3, key & 7
        if number == 0:
            raise ProtobufError(f"a field at byte {place} has the number 0")
        value: FieldValue
        if kind == VARINT:
            value, place = _varint(data, place)
        elif kind in (EIGHT_BYTES, BYTES, FOUR_BYTES):
            length = 8 if kind == EIGHT_BYTES else 4
            if kind == BYTES:
                length, place = _varint(data, place)
            value = data[place : place + length]
            if len(value) < length:
                raise ProtobufError(f"a field at byte {place} is cut short")
            place += length
        else:
            raise ProtobufError(f"a field at byte {place} is written in an unknown way ({kind})")
        yield number, kind, value


def _varint(data: bytes, place: int) -> tuple[int, int]:
    number = 0
    for at, byte in enumerate(data[place : place + _LONGEST_VARINT]):
        number |= (byte & 0x7F) << 7 * at
        if byte < 0x80:
            return number, place + at + 1
    raise ProtobufError(f"a number at byte {place} does not end")


class ProtobufMessage:
    """The fields of a message by their numbers; the last value of a repeated field is used.

    Args:
        kinds: number → encoding of the known fields; others are ignored.

    Raises:
        ProtobufError: it is no message, or a field has another encoding.
    """

    def __init__(self, data: bytes, kinds: Mapping[int, int]) -> None:
        self._values: defaultdict[int, list[FieldValue]] = defaultdict(list)
        for number, kind, value in fields_in(data):
            if number in kinds:
                if kinds[number] != kind:
                    raise ProtobufError(f"field {number} is written in another way than it should")
                self._values[number].append(value)

    def whole(self, number: int, default: int) -> int:
        found = self._values.get(number)
        return int(found[-1]) if found else default

    def flag(self, number: int, default: bool) -> bool:
        return bool(self.whole(number, default))

    def all_bytes(self, number: int) -> Sequence[bytes]:
        return [value for value in self._values.get(number, ()) if isinstance(value, bytes)]

    def data(self, number: int) -> bytes:
        found = self.all_bytes(number)
        return found[-1] if found else b""

    def text(self, number: int, default: str = "") -> str:
        if number not in self._values:
            return default
        try:
            return self.data(number).decode()
        except UnicodeDecodeError:
            raise ProtobufError(f"field {number} is no UTF-8") from None

    def float(self, number: int) -> float:
        (value,) = struct.unpack("<f", self.data(number) or bytes(4))
        return float(value)

    def message(self, number: int, kinds: Mapping[int, int]) -> ProtobufMessage:
        """Return an inner message, whose parts may be in several fields."""
        return ProtobufMessage(b"".join(self.all_bytes(number)), kinds)


FILES = (
    *("tokenizer.model", "spiece.model", "sentencepiece.bpe.model", "sentencepiece.model"),
    *("spm.model", "source.spm"),
)
"""Their names in directories of models."""

# Numbers and encodings of the fields

_PIECES, _TRAINER, _NORMALIZER, _DENORMALIZER = 1, 2, 3, 5
_MODEL = {_PIECES: BYTES, _TRAINER: BYTES, _NORMALIZER: BYTES, _DENORMALIZER: BYTES}
_TEXT, _SCORE, _KIND = 1, 2, 3
_PIECE = {_TEXT: BYTES, _SCORE: FOUR_BYTES, _KIND: VARINT}
_TYPE, _SPACE_BEHIND, _BYTE_FALLBACK, _UNKNOWN_TEXT = 3, 24, 35, 44
_TRAINING = {_TYPE: VARINT, _SPACE_BEHIND: VARINT, _BYTE_FALLBACK: VARINT, _UNKNOWN_TEXT: BYTES}
_NAME, _MAP, _PREFIX, _EXTRA, _ESCAPES = 1, 2, 3, 4, 5
_NORMALIZING = {_NAME: BYTES, _MAP: BYTES, _PREFIX: VARINT, _EXTRA: VARINT, _ESCAPES: VARINT}

UNIGRAM, BPE, WORD, CHARACTER = range(1, 5)
TYPES = {UNIGRAM: "Unigram", BPE: "BPE", WORD: "words", CHARACTER: "characters"}

MOST_PIECES = 1 << 21
LARGEST_SCORE = 2.0**66
"""Largest score: a larger one is no logarithm of a probability, and sums may overflow."""


def recognises(source: TokenizerSource) -> bool:
    path = source.file_named(*FILES)
    return path is not None and begins_with_piece(read_head(path))


def begins_with_piece(head: bytes) -> bool:
    """Whether a file with this beginning has a field 1 with a text and a score, and more fields.

    The text's length, the score's key and the next field's key must be at their places.
    """
    if not head.startswith(b"\x0a"):  # field 1, of bytes
        return False
    end = 2 + int.from_bytes(head[1:2])
    try:
        kinds = [(number, kind) for number, kind, _ in fields_in(head[2:end])]
    except ProtobufError:
        return False
    is_piece = kinds[:1] == [(_TEXT, BYTES)] and all(_PIECE.get(n) == kind for n, kind in kinds)
    return is_piece and len(kinds) >= 2 and head[end : end + 1] in (b"\x0a", b"\x12", b"\x1a")


def load(source: TokenizerSource, overrides: Overrides) -> Opened:
    """Open a SentencePiece model.

    Raises:
        TokenizerFileError: the file is damaged, or uses an unsupported feature.
    """
    from engine.pipeline.as_tokenizer import tokenizer_of

    path = source.file_named(*FILES)
    assert path is not None  # the source was recognised
    data = read_bytes(path)
    try:
        if overrides.pattern is not None:
            raise TokenizerFileError(
                "a SentencePiece model cuts a text by no pattern, so none can be given"
            )
        settings = read_folder_settings(source.settings_folder)
        content = ProtobufMessage(data, _MODEL)
        pieces, notes = list(_pieces(content)), list[str]()
        if source.folder is not None and path.name == "source.spm":
            ids = path.with_name("vocab.json")
            if ids.is_file():
                pieces, notes = _numbered_by_marian(pieces, ids)
            else:
                notes = [f"opened alone, with its own ids: Marian's are in {ids.name}, not here"]
        pipeline, more = _read(content, pieces, settings, overrides, path.name == "source.spm")
        notes = [*more, *notes]
        tokenizer = tokenizer_of(pipeline)
        if settings is not None:
            notes += settings.notes(tokenizer.vocab)
        return Opened(tokenizer, FORMAT.name, tuple(notes))
    except ProtobufError as error:
        raise TokenizerFileError(
            f"{path}: is a damaged SentencePiece model, or cut short: {error}"
        ) from None
    except TokenizerFileError as error:
        raise TokenizerFileError(f"{path}: {error}") from None


def _numbered_by_marian(
    pieces: Sequence[ScoredPiece], path: Path
) -> tuple[list[ScoredPiece], list[str]]:
    """Return the pieces in the order of Marian's vocabulary of both languages, and a note."""
    from engine.core.json_fields import Fields
    from engine.pipeline.models import read_vocab
    from engine.pipeline.sentencepiece import CONTROL, UNUSED, ScoredPiece

    ids = read_vocab(Fields({"vocab": read_json(path)}), "vocab")
    in_order = sorted(ids, key=ids.__getitem__)
    if list(map(ids.__getitem__, in_order)) != list(range(len(ids))):
        raise TokenizerFileError(f"{path.name} does not number its tokens from 0 on")
    known = {piece.text: piece for piece in pieces}
    numbered = []
    for text in in_order:
        is_mark = text in ("</s>", "<pad>") or (text[:2], text[-2:]) == (">>", "<<")
        other = ScoredPiece(text, 0.0, CONTROL if is_mark else UNUSED)
        numbered.append(known.get(text, other))
    own = [piece for piece in pieces if piece.text not in ids and piece.kind != CONTROL]
    notes = [
        f"Marian's pieces of source.spm, with the ids in {path.name}; target.spm is for the other "
        "language; Moses's normalizer of punctuation is left out, and so are the spaces that "
        "decoding puts after special tokens"
    ]
    if own:
        many = f"(such pieces: {len(own):,})"
        notes.append(f"pieces without an id are numbered after it {many}; Marian has <unk>")
    return [*numbered, *own], notes


def _read(
    content: ProtobufMessage,
    pieces: list[ScoredPiece],
    settings: FolderSettings | None,
    overrides: Overrides,
    by_marian: bool,
) -> tuple[Pipeline, list[str]]:
    from engine.pipeline import sentencepiece
    from engine.pipeline.pipeline import Pipeline

    training = content.message(_TRAINER, _TRAINING)
    rules = content.message(_NORMALIZER, _NORMALIZING)
    afterwards = content.message(_DENORMALIZER, _NORMALIZING)
    has_bytes = training.flag(_BYTE_FALLBACK, False)
    check_pieces(pieces, has_bytes)
    type_number = training.whole(_TYPE, UNIGRAM)
    if type_number not in TYPES:
        raise TokenizerFileError(f"its model is of an unknown type, {type_number}")
    notes = list(_notes(type_number, pieces, rules))
    if settings is not None and type_number in (UNIGRAM, BPE):
        from engine.formats.class_pipelines import of_pieces
        from engine.formats.tokenizer_classes import PieceClass, class_named_by, marking_first

        cls, about = class_named_by(settings, PieceClass, type_number == BPE)
        notes += about
        if not about and not by_marian and settings.config.flag_or_null("legacy") is False:
            cls = marking_first(type_number == BPE, has_bytes, rules.flag(_EXTRA, True))
        if cls is not None:
            pipeline = of_pieces(cls, settings, pieces, _checked_map(rules))
            return overridden(pipeline, overrides), notes
    model: Model
    if type_number == UNIGRAM:
        model = sentencepiece.SentencePieceUnigram(pieces, has_bytes)
    elif type_number == WORD:
        model = sentencepiece.SentencePieceWords(pieces, has_bytes)
    else:
        if type_number == BPE:
            check_merges(pieces)
        merges_pieces = type_number == BPE
        model = sentencepiece.SentencePieceBPE(pieces, has_bytes, merges_pieces=merges_pieces)
    kept = [piece.text for piece in pieces if piece.kind == sentencepiece.USER_DEFINED]
    silent = [piece.text for piece in pieces if piece.kind == sentencepiece.CONTROL]
    normalizer = _normalizer(rules, kept, training.flag(_SPACE_BEHIND, False))
    decoder = sentencepiece.SentencePieceDecoder(
        silent,
        next(piece.text for piece in pieces if piece.kind == sentencepiece.UNKNOWN),
        training.text(_UNKNOWN_TEXT, " ⁇ "),
        rules.flag(_PREFIX, True),
        rules.flag(_EXTRA, True),
        has_bytes,
        _normalizer(afterwards, [], False) if afterwards.data(_MAP) else None,
    )
    is_merged = type_number in (BPE, CHARACTER)
    pattern = sentencepiece.word_pattern(piece.text for piece in pieces) if is_merged else None
    words = None if pattern is None else sentencepiece.SentencePieceCuts(pattern)
    pipeline = Pipeline(model, (), normalizer, words, None, decoder)
    if settings is not None:  # in a folder they are found in texts, and texts of their own
        names = [*silent, decoder.unknown]
        from engine.formats.class_pipelines import completed
        from engine.formats.tokenizer_classes import NO_CLASS

        own = {role: token for role, token in NO_CLASS.roles.items() if token in names}
        template = ("$A eos", "$A $B eos") if by_marian else None
        without = replace(NO_CLASS, roles=own, template=template)
        pipeline = completed(without, settings, pipeline, names)
        added = tuple(replace(token, normalized=False) for token in pipeline.added_tokens)
        spoken = replace(decoder, silent=(), unknown_text=decoder.unknown)
        pipeline = replace(pipeline, added_tokens=added, decoder=spoken)
    pipeline = overridden(pipeline, overrides)
    special = {token.content for token in pipeline.added_tokens}
    silent = [text for text in silent if text not in special]
    if silent and overrides.special_tokens is None:
        shown = " ".join(silent[:8]) + (" …" if len(silent) > 8 else "")
        notes.append(f"its control symbols are found in no text, as in its library: {shown}")
    return pipeline, notes


def _pieces(content: ProtobufMessage) -> Iterator[ScoredPiece]:
    from engine.pipeline.sentencepiece import BYTE, NORMAL, ScoredPiece

    found = content.all_bytes(_PIECES)
    if len(found) > MOST_PIECES:
        raise TokenizerFileError(f"has more than {MOST_PIECES:,} pieces; is it a tokenizer?")
    for place, each in enumerate(found):
        piece = ProtobufMessage(each, _PIECE)
        text, score, kind = piece.text(_TEXT), piece.float(_SCORE), piece.whole(_KIND, NORMAL)
        if not text:
            raise TokenizerFileError(f"its piece {place} is empty")
        if not isfinite(score) or abs(score) > LARGEST_SCORE:
            raise TokenizerFileError(f"the score of its piece {place}, {text[:60]!r}, is no number")
        if not NORMAL <= kind <= BYTE:
            raise TokenizerFileError(f"its piece {place}, {text[:60]!r}, is of an unknown kind")
        yield ScoredPiece(text, score, kind)


def check_pieces(pieces: Sequence[ScoredPiece], has_bytes: bool) -> None:
    """Raise `TokenizerFileError` if the pieces cannot be those of a SentencePiece model."""
    from engine.pipeline.sentencepiece import BYTE, UNKNOWN

    texts: set[str] = set()
    for piece in pieces:
        if piece.text in texts:
            raise TokenizerFileError(f"the piece {piece.text[:60]!r} occurs twice in it")
        texts.add(piece.text)
    unknown = sum(piece.kind == UNKNOWN for piece in pieces)
    if unknown != 1:
        raise TokenizerFileError(f"it has {unknown} unknown pieces instead of one")
    bytes_found = {piece.text for piece in pieces if piece.kind == BYTE}
    if bytes_found and not has_bytes:
        raise TokenizerFileError("it has pieces for bytes, and says that it does not use them")
    missing = {f"<0x{byte:02X}>" for byte in range(256)} - bytes_found if has_bytes else ()
    if missing or len(bytes_found) not in (0, 256):
        raise TokenizerFileError(
            f"it falls back to bytes, and {len(missing) or 'one'} of the 256 pieces for them "
            f"{'are missing' if missing else 'is odd'}"
        )
    if sum(len(piece.text.encode()) ** 2 for piece in pieces) > MOST_WORK:
        raise TokenizerFileError("its pieces are too long to be a tokenizer's")


def check_merges(pieces: Sequence[ScoredPiece]) -> None:
    """Raise `TokenizerFileError` if byte-pair encoding would need more than merges."""
    from engine.pipeline.sentencepiece import NORMAL, UNUSED, USER_DEFINED

    unused = [piece.text for piece in pieces if piece.kind == UNUSED]
    if unused:
        raise TokenizerFileError(
            f"the piece {unused[0][:60]!r} is marked as unused: merged, then taken apart again, "
            "which is not supported in byte-pair encoding"
        )
    texts = {piece.text for piece in pieces if piece.kind == NORMAL}
    fixed = {piece.text for piece in pieces if piece.kind == USER_DEFINED}
    for text in texts:
        for part, rest in ((text[0], text[1:]), (text[-1], text[:-1])):
            lone = part not in texts and part not in fixed
            if rest and lone and (rest in texts or len(rest) == 1):
                raise TokenizerFileError(
                    f"the piece {text[:60]!r} is made of the character {part!r}, which is no piece "
                    "of its own; that is not supported"
                )


def _normalizer(
    rules: ProtobufMessage, kept: list[str], space_behind: bool
) -> SentencePieceNormalizer:
    from engine.pipeline.sentencepiece import SentencePieceNormalizer

    return SentencePieceNormalizer(
        _checked_map(rules),
        tuple(kept),
        rules.flag(_PREFIX, True),
        rules.flag(_EXTRA, True),
        rules.flag(_ESCAPES, True),
        space_behind,
    )


def _checked_map(rules: ProtobufMessage) -> bytes:
    """Return the map of characters.

    Raises:
        TokenizerFileError: it is damaged.
    """
    from engine.pipeline.sentencepiece import character_map

    charsmap = rules.data(_MAP)
    if charsmap:
        character_map(charsmap)  # raises if it is damaged
    return charsmap


def _notes(type_number: int, pieces: list[ScoredPiece], rules: ProtobufMessage) -> Iterator[str]:
    yield (
        f"a SentencePiece model of {TYPES[type_number]} with {len(pieces):,} pieces; "
        f"its rules for characters are {rules.text(_NAME) or 'not named'}"
    )


# Writing


_ROLES = {"bos": ("<s>", "<bos>"), "eos": ("</s>", "<eos>"), "pad": ("<pad>", "[PAD]")}
"""Roles of control symbols → their usual names."""


def save(tokenizer: Tokenizer, path: Path, overwrite: bool) -> None:
    """Write a `.model` with the message of SentencePiece's own library.

    Raises:
        TokenizerFileError: SentencePiece cannot hold the tokenizer, or the library is missing.
        OutputExistsError: the file exists and `overwrite` is false.
    """
    from engine.formats.own_pipelines import pipeline_of
    from engine.formats.sentencepiece_stages import sentencepiece_stages
    from engine.pipeline import sentencepiece

    try:
        schema: Any = import_module("sentencepiece.sentencepiece_model_pb2")
    except ImportError:
        raise TokenizerFileError(
            f"{path}: a SentencePiece model is written with its library, which is not installed; "
            "install it (pip install 'bpe-tui[sentencepiece]')"
        ) from None
    with errors_at(path):
        pipeline = sentencepiece_stages(pipeline_of(tokenizer, path))
    model, rules, decoder = pipeline.model, pipeline.normalizer, pipeline.decoder
    assert isinstance(model, sentencepiece.SentencePieceBPE | sentencepiece.SentencePieceUnigram)
    assert isinstance(rules, sentencepiece.SentencePieceNormalizer)
    assert isinstance(decoder, sentencepiece.SentencePieceDecoder)
    written = schema.ModelProto()
    for piece in model.pieces:
        written.pieces.add(piece=piece.text, score=piece.score, type=piece.kind)
    training, normalizing = written.trainer_spec, written.normalizer_spec
    training.model_type = BPE if isinstance(model, sentencepiece.SentencePieceBPE) else UNIGRAM
    training.vocab_size, training.byte_fallback = len(model.pieces), model.byte_fallback
    training.unk_piece, training.unk_surface = decoder.unknown, decoder.unknown_text
    training.treat_whitespace_as_suffix = rules.space_behind
    training.unk_id = model.unknown_id
    for role, names in _ROLES.items():
        found = next((name for name in names if name in model.vocab), names[0])
        setattr(training, f"{role}_piece", found)
        setattr(training, f"{role}_id", model.vocab.get(found, -1))
    normalizing.name = "identity" if not rules.charsmap else "user_defined"
    normalizing.precompiled_charsmap = rules.charsmap
    normalizing.add_dummy_prefix = rules.add_dummy_prefix
    normalizing.remove_extra_whitespaces = rules.remove_extra_whitespaces
    normalizing.escape_whitespaces = rules.escape_whitespaces
    write_files({path: written.SerializeToString()}, overwrite=overwrite)


def library_for(path: Path, tokenizer: Tokenizer) -> tuple[Library, ...]:
    """Return SentencePiece's library with the file open."""
    import sentencepiece

    processor = sentencepiece.SentencePieceProcessor(model_file=str(path))
    return (Library("sentencepiece", processor.encode),)


FORMAT = TokenizerFormat(
    "sentencepiece",
    "a SentencePiece model (.model)",
    recognises,
    load,
    save,
    suffix=".model",
    keeps_stages=True,
    of_characters=True,
    library=library_for,
)
