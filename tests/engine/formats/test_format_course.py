"""JSON of course solutions: every spelling of bytes is recognised and named in a note."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from generated import examples
from hypothesis import given
from hypothesis import strategies as st
from tiny_tokenizers import BYTES, END, TEXTS, handout, trained

from engine import Tokenizer, TokenizerFileError
from engine.analysis.check.claim import read_claim
from engine.core.gpt2_bytes import spell
from engine.formats import course_merges, course_values, open_tokenizer, save
from engine.formats.course_merges import begins_with_ids
from engine.formats.course_values import find_parts, tidied
from engine.text.patterns import Alternative, Pattern

SPELLINGS: dict[str, Callable[[bytes], Any]] = {
    "lists of numbers": list,
    "GPT-2's spelling": spell,
    "latin-1": lambda token: token.decode("latin-1"),
    "hex": bytes.hex,
}


def spelled(tok: Tokenizer, spelling: str) -> tuple[dict[str, Any], list[list[Any]]]:
    """Return the vocabulary, id → token, and the merges in a spelling."""
    write = SPELLINGS[spelling]
    vocab = {str(token_id): write(token) for token_id, token in tok.vocab.items()}
    return vocab, [[write(left), write(right)] for left, right in tok.merges]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "tok.json"


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_a_spelling_is_recognised_and_named(spelling: str, path: Path) -> None:
    vocab, merges = spelled(handout(), spelling)
    path.write_text(json.dumps({"vocab": vocab, "merges": merges}))
    opened = open_tokenizer(path)
    assert opened.notes == (
        f"its tokens are spelled in {spelling}",
        "the file names no pattern; GPT-2's is taken; --pattern gives another one",
        f"taken for special, since no merge makes them: {END}",
    )
    for text in TEXTS:
        assert opened.tokenizer.encode(text) == handout().encode(text)


@pytest.mark.parametrize("spelling", SPELLINGS)
@examples(25)
@given(corpus=st.dictionaries(st.binary(max_size=8), st.integers(1, 3), max_size=6))
def test_no_vocabulary_fits_two_spellings(
    tmp_path_factory: pytest.TempPathFactory, spelling: str, corpus: dict[bytes, int]
) -> None:
    path = tmp_path_factory.getbasetemp() / "any.json"
    tok = trained(corpus)
    path.write_text(json.dumps(spelled(tok, spelling)))
    assert open_tokenizer(path).tokenizer.vocab == tok.vocab
    assert open_tokenizer(path).tokenizer.merges == tok.merges


def test_a_special_token_that_is_not_in_the_spelling_is_text(path: Path) -> None:
    vocab, merges = spelled(handout(), "hex")
    path.write_text(json.dumps([vocab | {"256": END, "900": "fin"}, merges]))
    tok = open_tokenizer(path).tokenizer
    assert tok.encode(f"low{END}fin") == [*handout().encode(f"low{END}"), 900]


LETTERS = {str(byte): chr(byte) for byte in range(256)}
LOW = [["l", "o"], ["lo", "w"]]


def test_rows_of_three_ids_are_merges_with_their_new_ids() -> None:
    tables: list[tuple[Any, Any]] = [
        ([[97, 98, 256], [256, 99, 257]], {(97, 98): 256, (256, 99): 257}),
        ([[97, 98, 256], [97, 98, 257]], None),  # a pair twice
        ([["a", "b", 9], ["c", "d", 9]], None),
        ([["a", "b"], ["ab", "c"]], None),
        ([[97, 98, 256], "b"], None),
        ([], None),
        ("ab", None),
    ]
    for value, table in tables:
        assert tidied(value) == (value if table is None else table)


def test_vocabulary_and_merges_are_told_apart() -> None:
    for values, vocab, merges in (
        ([[LETTERS, LOW]], LETTERS, LOW),
        ([[LOW, LETTERS]], LETTERS, LOW),
        ([[[*LETTERS.values()], LOW]], [*LETTERS.values()], LOW),
        ([LETTERS, {"l o": 0, "lo w": 1}], LETTERS, {"l o": 0, "lo w": 1}),
        ([LOW], None, LOW),
        ([LETTERS], LETTERS, None),
        ([LETTERS, []], LETTERS, []),
        ([{"vocab": LETTERS}], LETTERS, None),
        ([{"vocab": {"0": "a"}, "merges": LOW}], {"0": "a"}, LOW),
        ([{"merges": LOW}], None, LOW),
    ):
        assert find_parts(values) == (vocab, merges, None, None)
    nothing: list[Any] = [{"vocab": {"0": "a"}}, {"vocab": 3}, {"merges": [["lo", "w"]]}, {"a": 0}]
    nothing += [[], dict([*LETTERS.items()][1:]), 5, [LOW, LOW]]
    for values in ([LOW, LOW], [LETTERS, LOW, LOW], *([each] for each in nothing)):
        assert find_parts(values) is None


def test_tokens_may_be_as_long_as_their_limit_all_together(monkeypatch: pytest.MonkeyPatch) -> None:
    for values, size in (
        ([{"vocab": LETTERS, "merges": LOW}], 914 + 9),
        ([LETTERS, LOW], 914 + 9),
        ([LETTERS], 914),  # 658 digits and 256 letters
        ([LOW], 4 + 5),
    ):
        monkeypatch.setattr(course_values, "LARGEST", size)
        assert find_parts(values) is not None
        monkeypatch.setattr(course_values, "LARGEST", size - 1)
        assert find_parts(values) is None


def test_ids_and_ranks_are_known_on_either_side() -> None:
    for value, vocab in (
        ({"7": 0, "8": 1}, {0: "7", 1: "8"}),
        ({"a": "0", "b": "1"}, {0: "a", 1: "b"}),
        ({"0": "7", "1": "8"}, {0: "7", 1: "8"}),
        ({0: "a", 5: "1"}, {0: "a", 5: "1"}),
        (["a", "b"], {0: "a", 1: "b"}),
    ):
        assert course_values._by_id("a.json", value) == vocab
    for value, merges in (
        ({"l o": 1, "a b": 0}, [("a", "b"), ("l", "o")]),
        ({"97,98": 256, "98,99": 257}, [(97, 98), (98, 99)]),
        ({(1, 2): 5}, [(1, 2)]),
        (["l o", ("a", "b")], [("l", "o"), ("a", "b")]),
    ):
        assert course_values._in_order("a.json", value) == merges


def test_merges_in_lines_of_ids_are_known_by_their_first_lines() -> None:
    lines = "108 111 256\n" + "".join(f"{n} 97 {n + 1}\n" for n in range(256, 600))
    for head, is_of_ids in (
        ("108 111\n256 119\n", True),
        ("# left, right\n108 111\n# then\n256 119\n", True),
        ("108 111\nleft right\n256 119\n", False),
        ("108 111\n257 119\n", False),  # 257 is not made yet
        ("256 111\n256 119\n", False),
        ("108 111\n", False),
        ("300 301\n256 119\n", False),
        ("108 111 256\n256 119 257\n", True),
        ("108 111 256\n256 119 258\n", False),
        ("108 111 256\n256 119\n", False),
        ("108 111 300\n300 119 301\n", True),
        ("108 301 300\n300 119 301\n", False),
        ("108 111\n256\n", False),
        (lines.ljust(4093, "x"), True),  # the last line may be cut
        (lines.ljust(4092, "x"), False),
    ):
        assert begins_with_ids(head) is is_of_ids, head[-20:]


def test_the_written_file_keeps_special_tokens_ids_and_pattern(path: Path) -> None:
    own = Pattern("mine", "", (Alternative("word", r"\w+|\W"),), ())
    tok = Tokenizer(BYTES | {300: b"ab"}, [(b"a", b"b")], {"ab": 400, "漢 字": 299}, own)
    save(tok, path, "course-json")
    again = open_tokenizer(path).tokenizer
    assert again.pattern.source == own.source
    assert again.rules.special_ids == tok.rules.special_ids
    assert again.encode("xab漢 字") == tok.encode("xab漢 字") == [120, 400, 299]
    assert again.vocab == tok.vocab


def changed(**changes: Any) -> str:
    vocab, merges = spelled(handout(), "latin-1")
    return json.dumps({"vocab": vocab, "merges": merges} | changes)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (changed()[:-400], "is no JSON, or cut short"),
        (changed(vocab={}), "the vocabulary is neither a dict nor a list of tokens"),
        (changed(vocab=5), "the vocabulary is neither a dict nor a list of tokens"),
        (
            changed(vocab={"0": "a"}),
            r"b'…' \(its tokens seem to be text, which cannot hold ev",
        ),
        (changed(vocab={"0": [97]}), r"the 256 single bytes are not all there, .*b'…'; hex"),
        (changed(vocab={"x": "a"}), "'x' is no token id"),
        (changed(vocab={"-1": "a"}), "'-1' is no token id"),
        (changed(vocab={"1": "a", "01": "b"}), "the id 1 is given to two tokens"),
        (changed(vocab={"a": 1, "b": 1}), "the id 1 is given to two tokens"),
        (changed(vocab={"9" * 20: "a"}), "the id 999999999999 is too high"),
        (changed(vocab={str(1 << 31): "a"}), "the id 2147483648 is too high"),
        (changed(merges=5), "the merges are no list of pairs; hex"),
        (changed(merges=[["a"]]), r"the merges are no list of pairs: \['a'\] is one of them"),
        (changed(merges=["s t", "a b c"]), "in 'a b c' it is not clear which space separates"),
        (changed(merges=["s t", "est"]), "it is a flat list, with 'est' in it"),
        (json.dumps({"97,98": 256, "256,300": 257}), "of 256 and 300 to 257, names an id that is"),
        (json.dumps({"97,98": 256, "98,98": 256}), "of 98 and 98 to 256, names an id that is no"),
        (json.dumps({"97,98": 1 << 31}), "of 97 and 98 to 2147483648, names an id that is no byte"),
        (json.dumps({"97,98": 255, "98,99": 256}), "makes the id 255; so the ids below it are no"),
        (changed(merges=[["a", "漢"]]), "merge 1 is unknown or not spelled as the vocabulary is"),
        (changed(merges=[["s", "t"], ["a", "漢"]]), r"merge 2 is unknown or not spelled as"),
        (changed(merges=[["q", "z"]]), r"merge 1 \(q z\) needs the token qz"),
        (changed(merges=[["s", "t"]]), r"no merge makes the token est \(such tokens: "),
        (changed(special_tokens="x"), "its special tokens are no list of text"),
        (changed(special_tokens={END: "x"}), "'x' is no token id"),
        (changed(special_tokens={END: 256, "<e>": 97}), "'<e>' has the id 97 of another token"),
        (changed(pattern=5), "its pattern is no text"),
        (changed(pattern="("), "its pattern cannot be used"),
    ],
)
def test_errors_name_what_is_malformed(path: Path, content: str, message: str) -> None:
    path.write_text(content)
    with pytest.raises(TokenizerFileError, match=message):
        open_tokenizer(path)


def test_one_token_under_two_ids_is_a_mistake_in_a_note(path: Path) -> None:
    vocab, merges = spelled(handout(), "latin-1")
    for more, such in (({"900": "st"}, ""), ({"900": "st", "901": "est"}, " (such tokens: 2)")):
        path.write_text(json.dumps([vocab | more, merges]))
        opened = open_tokenizer(path)
        assert [note for note in opened.notes if "mistake" in note] == [
            f"a mistake: the ids 257 and 900 are the same token, st{such}; "
            "`bpe-tui check` names the mistake of a trainer"
        ]
        assert opened.tokenizer.encode("lowest") == handout().encode("lowest")


def test_a_special_token_has_the_id_that_the_file_gives_it(path: Path) -> None:
    vocab = LETTERS | {"300": "<e>", "400": "<e>"}
    path.write_text(json.dumps({"vocab": vocab, "merges": [], "special_tokens": {"<e>": 300}}))
    assert open_tokenizer(path).tokenizer.encode("<e>") == [300]


def test_a_special_token_that_merges_make_again_is_special(path: Path) -> None:
    mark = "<|e|>"
    tok = trained({mark.encode(): 9}, [mark])
    assert [i for i, token in tok.vocab.items() if token == mark.encode()] == [256, 260]
    vocab, merges = spelled(tok, "lists of numbers")
    path.write_text(json.dumps({"vocab": vocab, "merges": merges}))
    opened = open_tokenizer(path)
    assert opened.notes[1].startswith("a mistake: the ids 256 and 260 are the same token, <|e|>;")
    assert f"taken for special, although merges make them: {mark}" in opened.notes
    assert opened.tokenizer.encode(f"a{mark}") == [97, 256]
    assert read_claim(path)[0].vocab == tok.vocab


@pytest.mark.parametrize("first", [0, 1])
def test_merges_of_ids_may_have_ranks_from_0_or_1(
    first: int, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path.write_text(json.dumps({"108,111": first, f"{256 + first},119": first + 1}))
    opened = open_tokenizer(path)
    assert opened.tokenizer.merges == [(b"l", b"o"), (b"lo", b"w")]
    assert opened.tokenizer.encode("low") == [257 + first]
    assert opened.notes[0] == (
        "it holds merges of ids only; the ids 0 to 255 are taken for the bytes"
    )
    monkeypatch.setattr(course_merges, "LARGEST", 5)  # lo and low
    open_tokenizer(path)
    monkeypatch.setattr(course_merges, "LARGEST", 4)
    with pytest.raises(TokenizerFileError, match="its merges make tokens that are far too long"):
        open_tokenizer(path)
