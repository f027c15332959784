"""SentencePiece's models of each kind: ids and texts equal those of its library."""

import random
import struct
from contextlib import suppress
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from generated import diagonal_quick, examples, some
from hypothesis import example, given
from hypothesis import strategies as st
from sentencepiece_models import SCRIPTS, TYPES, VARIANTS, trained
from sheets import check_sheet

from engine import Tokenizer, TokenizerFileError
from engine.formats import open_tokenizer, save, sentencepiece_model
from engine.formats.sentencepiece_model import (
    ProtobufError,
    ProtobufMessage,
    begins_with_piece,
    check_merges,
    check_pieces,
    fields_in,
)
from engine.pipeline.sentencepiece import (
    BYTE,
    NORMAL,
    UNKNOWN,
    USER_DEFINED,
    CharacterMap,
    ScoredPiece,
    SentencePieceNormalizer,
)

KINDS = [(model_type, variant) for model_type in TYPES for variant in VARIANTS]

POOLS = [
    "abcdefgh theTHE ",
    " \t\n▁\u3000\xa0",
    "żółw éè\u0301\u0300 ﬁ½²ａｂ①",
    "你好世界漢字かな한국어",
    "🙂👩\u200d👧\u200d👦",
    "<s></s><unk><0x41>[X]<a b>▁",
    "नमस्ते",
    "\x00\x01\x02\x7f\u200b\ufeff",
]
characters = st.one_of(*map(st.sampled_from, POOLS), st.characters(exclude_categories=["Cs"]))
texts = st.lists(characters, max_size=40).map("".join)


@cache
def theirs(kind: tuple[str, str]) -> Any:
    library = pytest.importorskip("sentencepiece")
    return library.SentencePieceProcessor(model_proto=trained(*kind))


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("sentencepiece")


_opened: dict[tuple[str, str], Tokenizer] = {}


def ours(kind: tuple[str, str], place: Path) -> Tokenizer:
    if kind not in _opened:
        path = place / " ".join(kind)
        path.write_bytes(trained(*kind))
        _opened[kind] = open_tokenizer(path).tokenizer
    return _opened[kind]


@pytest.mark.parametrize(("model_type", "variant"), diagonal_quick(TYPES, VARIANTS))
@examples(100)
@given(text=texts)
def test_ids_equal_those_of_sentencepiece(
    model_type: str, variant: str, place: Path, text: str
) -> None:
    kind = model_type, variant
    tokenizer, ids = ours(kind, place), theirs(kind).encode(text)
    assert tokenizer.encode(text) == ids
    assert tokenizer.decode(ids) == theirs(kind).decode(ids)
    assert tokenizer.pipeline is not None
    run = tokenizer.pipeline.run(text)
    assert (run.ids, run.decoded) == (ids, theirs(kind).decode(ids))


@pytest.mark.parametrize("kind", KINDS, ids=" ".join)
def test_whole_texts_get_the_ids_of_sentencepiece(kind: tuple[str, str], place: Path) -> None:
    tokenizer = ours(kind, place)
    chance = random.Random(4)
    mixed = ["".join(chance.choices("".join(POOLS), k=9)) for _ in range(30)]
    whole = ["", " ", "   ", "▁", "a", "<s>", SCRIPTS, *SCRIPTS.splitlines(), SCRIPTS * 20]
    for text in mixed + whole:
        assert tokenizer.encode(text) == theirs(kind).encode(text)
        chunks = [text[at : at + 7] for at in range(0, len(text), 7)]
        assert list(tokenizer.encode_iterable(chunks)) == theirs(kind).encode(text)


@pytest.mark.parametrize("kind", KINDS, ids=" ".join)
def test_any_ids_decode_as_in_sentencepiece(kind: tuple[str, str], place: Path) -> None:
    chance = random.Random(5)
    size = theirs(kind).get_piece_size()
    for _ in range(60):
        # The first ones are control symbols, the unknown one and bytes.
        ids = [chance.randrange(chance.choice([8, 300, size])) for _ in range(8)]
        ids = [token_id for token_id in ids if token_id < size]
        assert ours(kind, place).decode(ids) == theirs(kind).decode(ids)


@cache
def rules(name: str) -> bytes:
    """Return the rules that the library puts into a model; no bytes for `identity`."""
    content = ProtobufMessage(trained("unigram", "plain"), {3: 2})
    return content.message(3, {2: 2}).data(2) if name == "nmt_nfkc" else b""


@pytest.mark.parametrize("prefix", [True, False])
@pytest.mark.parametrize("name", ["nmt_nfkc", "identity"])
def test_texts_are_normalized_as_by_sentencepiece(name: str, prefix: bool) -> None:
    library = pytest.importorskip("sentencepiece")
    chance = random.Random(6)
    for removes, marks in product((True, False), repeat=2):
        stage = SentencePieceNormalizer(rules(name), (), prefix, removes, marks)
        reference = library.SentencePieceNormalizer(
            rule_name=name,
            add_dummy_prefix=prefix,
            remove_extra_whitespaces=removes,
            escape_whitespaces=marks,
        )
        for length in [0, 1, 2, 3, 4, 5, 6, 7] * 6:
            text = "".join(chance.choices("  \t ab▁ａ½é\u0301\u3000か\u3099ﬁ\u200b", k=length))
            assert stage.normalize(text) == reference.normalize(text)


def test_symbols_and_spaces_at_the_end() -> None:
    lines = []
    for name, kept, behind, removes in product(
        ("nmt_nfkc", "identity"), ((), ("½", "½ａ")), (True, False), (True, False)
    ):
        stage = SentencePieceNormalizer(
            rules(name), kept, space_behind=behind, remove_extra_whitespaces=removes
        )
        texts = [stage.normalize(text) for text in (" ½ａ½  a ", "", "  ", "a\ud800")]
        lines.append(f"{name}, kept={kept}, {behind=}, {removes=}: {texts}")
    check_sheet("sentencepiece_normalizer", lines)


def test_a_control_symbol_is_one_token_if_named_as_special(place: Path) -> None:
    path = place / "named.model"
    path.write_bytes(trained("bpe", "bytes"))
    named = open_tokenizer(path, special_tokens=["</s>"]).tokenizer
    assert named.encode("</s>") == [theirs(("bpe", "bytes")).eos_id()]
    with pytest.raises(TokenizerFileError, match="by no pattern"):
        open_tokenizer(path, pattern="gpt2")


def test_a_model_is_not_written_as_merges_of_bytes(place: Path, tmp_path: Path) -> None:
    for format in ("gpt2", "tiktoken"):
        with pytest.raises(TokenizerFileError, match="changes a text before it cuts it"):
            save(ours(("bpe", "plain"), place), tmp_path / "out", format)
    with pytest.raises(TokenizerFileError, match="merges nothing, and the format gpt2 holds"):
        save(ours(("unigram", "plain"), place), tmp_path / "out", "gpt2")
    assert not list(tmp_path.iterdir())


def field(number: int, data: bytes) -> bytes:
    assert len(data) < 128
    return bytes((number << 3 | 2, len(data))) + data


def model_file(pieces: list[tuple[str, float, int]], model_type: int = 2) -> bytes:
    rows = (
        field(1, text.encode()) + b"\x15" + struct.pack("<f", score) + bytes((0x18, kind))
        for text, score, kind in pieces
    )
    return b"".join(field(1, row) for row in rows) + field(2, bytes((0x18, model_type)))


def assert_as_theirs(place: Path, data: bytes, texts: list[str], least: str | None = None) -> None:
    """Assert that a model gives the ids of its library, which is at least of a version."""
    library = pytest.importorskip("sentencepiece", minversion=least)
    (place / "made.model").write_bytes(data)
    tokenizer = open_tokenizer(place / "made.model").tokenizer
    model = library.SentencePieceProcessor(model_proto=data)
    for text in texts:
        assert tokenizer.encode(text) == model.encode(text)


LETTERS = [("<unk>", 0.0, 2), ("▁", 0.0, 1), ("a", 0.0, 1), ("b", 0.0, 1), ("c", 0.0, 1)]


@examples(60)
@given(
    pieces=st.dictionaries(
        st.text("abc▁", min_size=2, max_size=5), st.sampled_from([-1.0, -2.0, -3.0]), max_size=12
    ),
    texts=st.lists(st.text("abcd ", max_size=30), min_size=5, max_size=5),
    model_type=st.sampled_from([1, 2]),
)
@example(pieces={"bc": -1.0, "ab": -1.0}, texts=["abc"], model_type=2)
def test_pieces_of_equal_scores(
    place: Path, pieces: dict[str, float], texts: list[str], model_type: int
) -> None:
    rows = [*LETTERS, *((text, score, 1) for text, score in pieces.items())]
    assert_as_theirs(place, model_file(rows, model_type), texts)


DOTS = [("<unk>", 0.0, 2), ("▁", -2.0, 1), (".", -3.3, 1), ("...", -9.9, 1)]
FAR = [*DOTS[:2], ("a", -30000.1, 1), ("aa", -60000.2, 1), ("aaa", -90000.3, 1)]


@pytest.mark.parametrize(
    ("pieces", "text", "ids"),
    [
        (DOTS, "....", [1, 2, 3]),
        (DOTS, "." * 9, [1, 2, 3, 3, 2, 2]),
        # 30,000 a letter: beyond a sum of 100,000 the sums begin anew.
        (FAR, "aaaaa", [1, 2, 4, 2]),
        (FAR, "aaaaaaaa", [1, 4, 4, 3]),
    ],
)
def test_sums_are_rounded_as_in_the_current_sentencepiece(
    pieces: list[tuple[str, float, int]], text: str, ids: list[int], place: Path
) -> None:
    assert_as_theirs(place, model_file(pieces, 1), [text], "0.2.2")
    assert open_tokenizer(place / "made.model").tokenizer.encode(text) == ids


PARTS = ["a", "b", ".", "...", " ", "é", "x", "[X]", "a" * 7, "." * 40]


def random_pieces(chance: random.Random) -> list[tuple[str, float, int]]:
    """Return pieces of few letters whose scores make ties that rounding decides."""
    scale = chance.choice([1.0, 10.0, 30_000.0, 1e6])

    def score() -> float:
        return -scale * chance.choice([0.1, 0.2, 0.3, 0.7, 1.1, 1.4, 3.3, chance.random()])

    letters = ["▁", "a", "b", ".", "é"]
    runs = [chance.choice("a.") * chance.randrange(2, 9) for _ in range(5)]
    words = ["".join(chance.choices(letters, k=chance.randrange(2, 6))) for _ in range(6)]
    # Some are symbols of the user (4), which win over any others, or are not used (5).
    kinds = dict.fromkeys(words[:2], 4) | dict.fromkeys(words[2:3], 5)
    texts = dict.fromkeys([*letters, *runs, *words])
    rows = [(text, 0.0 if kinds.get(text) == 4 else score(), kinds.get(text, 1)) for text in texts]
    return [("<unk>", 0.0, 2), *rows]


def test_thousands_of_repetitive_texts_get_the_ids_of_sentencepiece(place: Path) -> None:
    chance = random.Random(7)
    for _ in some(range(100)):
        data = model_file(random_pieces(chance), 1)
        texts = ["".join(chance.choices(PARTS, k=chance.randrange(1, 25))) for _ in range(30)]
        assert_as_theirs(place, data, texts, "0.2.2")


@pytest.mark.parametrize("model_type", [1, 3, 4])
def test_unused_pieces_and_control_symbols_are_in_no_text(model_type: int, place: Path) -> None:
    words = [("▁a", 1), ("▁b", 5), ("▁c", 3), ("a", 1), ("b", 5), ("c", 3), ("▁", 1)]
    rows = [("<unk>", 0.0, 2), *((text, -1.0, kind) for text, kind in words)]
    texts = ["a", "b", "c", "a b", "b b a", "c a", "ac", "bc", "ab cc bb"]
    assert_as_theirs(place, model_file(rows, model_type), texts, "0.2.2")


@pytest.mark.parametrize(
    ("pieces", "message"),
    [
        ([*LETTERS, ("", 0.0, 1)], "piece 5 is empty"),
        ([*LETTERS, ("x", float("nan"), 1)], "the score of its piece 5, 'x', is no number"),
        ([*LETTERS, ("c", 2.0**66, 1), ("x", -(2.0**67), 1)], "the score of its piece 6, 'x', is "),
        ([*LETTERS, ("x", 0.0, 9)], "of an unknown kind"),
        ([*LETTERS, ("ab", 0.0, 5)], "marked as unused"),
        ([*LETTERS, ("ax", 0.0, 1)], "the character 'x', which is no piece"),
        ([*LETTERS, ("xy", 0.0, 1)], "the character 'x', which is no piece"),
        ([*LETTERS, ("ab", 0.0, 1), ("abx", 0.0, 1)], "the character 'x', which is no piece"),
    ],
)
def test_errors_say_what_is_wrong_in_a_model(
    pieces: list[tuple[str, float, int]], message: str, tmp_path: Path
) -> None:
    path = tmp_path / "odd.model"
    path.write_bytes(model_file(pieces))
    with pytest.raises(TokenizerFileError, match=message):
        open_tokenizer(path)


def test_pieces_of_a_model_fit_together(monkeypatch: pytest.MonkeyPatch) -> None:
    unknown = ScoredPiece("<unk>", 0.0, UNKNOWN)
    of_bytes = [ScoredPiece(f"<0x{byte:02X}>", 0.0, BYTE) for byte in range(256)]
    check_merges(
        [unknown._replace(text=part, kind=NORMAL) for part in ("a", "ab")]
        + [unknown._replace(text="b", kind=USER_DEFINED)]
    )
    check_pieces([unknown], False)
    check_pieces([unknown, *of_bytes], True)
    for pieces, has_bytes, said in (
        ([], False, "it has 0 unknown pieces instead of one"),
        ([unknown, unknown._replace(text="?")], False, "it has 2 unknown pieces"),
        ([unknown, unknown], False, "the piece '<unk>' occurs twice in it"),
        ([unknown], True, "and 256 of the 256 pieces for them are missing"),
        ([unknown, *of_bytes[1:]], True, "and 1 of the 256 pieces for them are missing"),
        ([unknown, *of_bytes, of_bytes[0]._replace(text="<0x100>")], True, "and one of the .* odd"),
        ([unknown, *of_bytes], False, "it has pieces for bytes, and says that it does not use"),
    ):
        with pytest.raises(TokenizerFileError, match=said):
            check_pieces(pieces, has_bytes)
    monkeypatch.setattr(sentencepiece_model, "MOST_WORK", 5 * 5)
    check_pieces([unknown], False)
    monkeypatch.setattr(sentencepiece_model, "MOST_WORK", 5 * 5 - 1)
    with pytest.raises(TokenizerFileError, match="too long to be a tokenizer's"):
        check_pieces([unknown], False)


def test_the_unknown_piece_may_be_anywhere(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    library = pytest.importorskip("sentencepiece")
    data = model_file([*LETTERS[1:], LETTERS[0]])
    (place / "last.model").write_bytes(data)
    monkeypatch.setattr(sentencepiece_model, "MOST_PIECES", 5)
    tokenizer = open_tokenizer(place / "last.model").tokenizer
    theirs = library.SentencePieceProcessor(model_proto=data)
    assert tokenizer.encode("ax b") == theirs.encode("ax b")
    assert tokenizer.decode([1, 4, 0, 2]) == theirs.decode([1, 4, 0, 2])
    monkeypatch.setattr(sentencepiece_model, "MOST_PIECES", 4)
    with pytest.raises(TokenizerFileError, match="has more than 4 pieces; is it a tokenizer"):
        open_tokenizer(place / "last.model")


def test_a_map_of_characters_that_is_cut_short_is_refused() -> None:
    charsmap = rules("nmt_nfkc")
    CharacterMap(charsmap)
    for damaged in (b"", charsmap[:3], charsmap[:50], b"\x05" + charsmap[1:], bytes(9)):
        with pytest.raises(TokenizerFileError, match="its map of characters is damaged"):
            CharacterMap(damaged)


def test_a_map_with_wrong_bytes_gives_another_text() -> None:
    chance, charsmap = random.Random(3), rules("nmt_nfkc")
    for changes in some([1] * 40 + [10] * 20, 6):
        changed = bytearray(charsmap)
        for _ in range(changes):
            changed[chance.randrange(len(changed))] ^= chance.randrange(1, 256)
        with suppress(TokenizerFileError):
            assert SentencePieceNormalizer(bytes(changed)).normalize("ﬁ ½é漢 the ＡＢ")


@pytest.mark.parametrize(
    ("data", "fields"),
    [
        (b"\x08\x96\x01\x12\x02hi", [(1, 0, 150), (2, 2, b"hi")]),
        (b"\x09abcdefgh\x0dabcd\x12\0", [(1, 1, b"abcdefgh"), (1, 5, b"abcd"), (2, 2, b"")]),
        (b"\x08" + b"\x80" * 9 + b"\x01", [(1, 0, 1 << 63)]),
        (b"\x08" + b"\x80" * 10 + b"\x01", "a number at byte 1 does not end"),
        (b"\x08", "a number at byte 1 does not end"),
        (b"\x08\1\0", "a field at byte 3 has the number 0"),
        (b"\x0b", r"a field at byte 1 is written in an unknown way \(3\)"),
        (b"\x12\x03hi", "a field at byte 2 is cut short"),
        (b"\x09abcdefg", "a field at byte 1 is cut short"),
    ],
)
def test_fields_are_read_as_the_format_has_them(data: bytes, fields: Any) -> None:
    if isinstance(fields, str):
        with pytest.raises(ProtobufError, match=fields):
            list(fields_in(data))
    else:
        assert list(fields_in(data)) == fields


def test_the_last_of_a_repeated_field_counts() -> None:
    data = b"\x08\1\x08\0\x12\1a\x12\2\x08\7\x1d" + struct.pack("<f", 1.5)
    message = ProtobufMessage(data, {1: 0, 2: 2, 3: 5})
    assert (message.whole(1, 9), message.whole(4, 9)) == (0, 9)
    assert (message.flag(1, True), message.flag(4, True)) == (False, True)
    assert (message.data(2), message.data(4), message.text(4, "x")) == (b"\x08\7", b"", "x")
    assert (message.float(3), message.float(4)) == (1.5, 0.0)
    with pytest.raises(ProtobufError, match="field 1 is written in another way than it should"):
        ProtobufMessage(data, {1: 2})
    with pytest.raises(ProtobufError, match="field 2 is no UTF-8"):
        ProtobufMessage(b"\x12\1\xff", {2: 2}).text(2)


PIECE = field(1, b"a") + b"\x15\0\0\0\0"


@pytest.mark.parametrize(
    ("head", "is_piece"),
    [
        *((field(1, PIECE) + key, True) for key in (b"\x0a", b"\x12", b"\x1a")),
        *((field(1, PIECE) + key, False) for key in (b"", b"\x22")),
        (field(1, PIECE + b"\x18\1") + b"\x0a", True),
        (field(1, field(1, b"a")) + b"\x0a", False),  # without a score
        (field(1, PIECE + b"\x1a\0") + b"\x0a", False),
        (field(1, b"\x15\0\0\0\0" + field(1, b"a")) + b"\x0a", False),
        (field(2, PIECE) + b"\x0a", False),
        (b"\x0a", False),
    ],
)
def test_a_model_is_known_by_its_first_piece(head: bytes, is_piece: bool) -> None:
    assert begins_with_piece(head) is is_piece


@examples(200)
@given(data=st.binary(max_size=60))
def test_any_bytes_are_fields_or_an_error(data: bytes) -> None:
    try:
        fields = list(fields_in(data))
    except ProtobufError:
        return
    assert len(fields) <= len(data)
