"""A special token in a text is one id, ordinary text, or an error, as in tiktoken."""

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest
import tiktoken
from hypothesis import example, given
from hypothesis import strategies as st

from engine import SpecialTokenError, SpecialTokenFoundError, Tokenizer, train_bpe
from engine.encoding.special_policy import (
    NONE_SPECIAL,
    REFUSE_SPECIAL,
    SpecialPolicy,
    TextSize,
    file_size,
    text_size,
)
from engine.text.pretokenize import to_text

BYTES = {byte: bytes([byte]) for byte in range(256)}
SPECIALS = {"<a>": 300, "<b>": 301}
OURS = Tokenizer({**BYTES, 256: b" <"}, [(b" ", b"<")], SPECIALS)
THEIRS = tiktoken.Encoding(
    "small",
    pat_str=OURS.pattern.source,
    mergeable_ranks={token: number for number, token in {**BYTES, 256: b" <"}.items()},
    special_tokens=SPECIALS,
)

texts = st.lists(st.sampled_from(["<a>", "<b>", "<", "a>", " x", " ", "é", "\n"])).map("".join)
tokens = st.sets(st.sampled_from(sorted(SPECIALS)))


@given(texts, tokens)
def test_allowing_some_is_tiktokens_allowed_special(text: str, allowed: set[str]) -> None:
    ids = SpecialPolicy(frozenset(allowed)).applied(OURS).encode(text)
    assert ids == THEIRS.encode(text, allowed_special=allowed, disallowed_special=())


@given(texts)
def test_refusing_finds_the_special_token_that_tiktoken_refuses(text: str) -> None:
    try:
        THEIRS.encode(text)
    except ValueError:
        with pytest.raises(SpecialTokenFoundError) as found:
            check(text)
        place = found.value.position
        assert text.encode()[place:].startswith(found.value.token.encode())
        assert not any(token.encode() in text.encode()[: place + 2] for token in SPECIALS)
    else:
        check(text)
        assert REFUSE_SPECIAL.applied(OURS).encode(text) == THEIRS.encode(text)


@given(texts, st.integers(1, 5))
@example("\n<a>", 1)
def test_a_special_token_across_two_blocks_is_found_as_in_one(text: str, size: int) -> None:
    data = text.encode()
    blocks = [data[start : start + size] for start in range(0, len(data), size)]
    told = [_refusal(lambda: check(text))]
    told.append(_refusal(lambda: list(REFUSE_SPECIAL.checked(OURS, blocks))))
    assert told[0] == told[1]


def check(text: str) -> None:
    """Raises an error if the text holds a special token."""
    for _ in REFUSE_SPECIAL.checked(OURS, [text.encode()]):
        pass


def _refusal(work: Callable[[], object]) -> str | None:
    """Return the error message for a text, if there is one."""
    try:
        work()
    except SpecialTokenFoundError as error:
        return str(error)
    return None


def test_a_token_that_is_not_allowed_still_decodes_but_is_never_made() -> None:
    assert [piece.special for piece in OURS.rules.pretokens("<a>")] == [True]
    strict = OURS.allowing([])
    assert {piece.special for piece in strict.rules.pretokens("<a>")} == {False}
    assert strict.decode([300]) == "<a>"
    assert strict.special_ids == OURS.special_ids
    assert strict.rules.ids == OURS.rules.ids
    assert strict.encode("<a>") == list(b"<a>")
    whole = Tokenizer(BYTES, [], ["<a>"], pattern="none").allowing([]).rules
    assert [whole.ids_of(piece) for piece in whole.pretokens("<a>")] == [tuple(b"<a>")]
    assert OURS.encode("<a>") == [300]


def test_an_error_names_the_known_special_tokens_or_the_place_in_lines_and_bytes() -> None:
    with pytest.raises(SpecialTokenError, match=r"'<c>' is no special token.*<a>, <b>"):
        OURS.allowing(["<c>"])
    with pytest.raises(SpecialTokenFoundError, match=r"'<a>' \(line 2, byte 4\)"):
        check("é\nx<a>")


SAMPLE = Path(__file__).parents[3] / "samples" / "tinystories_valid.txt"
END = "<|endoftext|>"


@pytest.fixture(scope="module")
def stories() -> Tokenizer:
    return Tokenizer(*train_bpe(SAMPLE, 600, [END]), [END])


@given(st.lists(st.binary(max_size=9)))
def test_the_size_does_not_depend_on_the_blocks(blocks: list[bytes]) -> None:
    vocab = {byte: bytes([byte]) for byte in range(256)} | {256: b"aa"}
    tokenizer = Tokenizer(vocab, [(b"a", b"a")])
    data = b"".join(blocks)
    expected = TextSize(len(data), len(tokenizer.encode(to_text(data))))
    assert text_size(tokenizer, blocks) == expected


def test_helpers_count_what_one_process_counts(stories: Tokenizer) -> None:
    blocks = [SAMPLE.read_bytes()] * 2
    assert text_size(stories, blocks, workers=2) == text_size(stories, blocks)


def test_a_packed_file_counts_as_its_text(stories: Tokenizer, tmp_path: Path) -> None:
    packed = tmp_path / "packed"  # its name does not say so
    packed.write_bytes(gzip.compress(SAMPLE.read_bytes()))
    text = SAMPLE.read_text()
    assert file_size(stories, packed) == TextSize(len(text.encode()), len(stories.encode(text)))


def test_the_policy_holds(stories: Tokenizer) -> None:
    with pytest.raises(SpecialTokenFoundError):
        file_size(stories, SAMPLE, REFUSE_SPECIAL)
    assert file_size(stories, SAMPLE, NONE_SPECIAL).tokens > file_size(stories, SAMPLE).tokens


def test_an_empty_text_has_no_tokens(stories: Tokenizer, tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    size = file_size(stories, tmp_path / "empty")
    assert (size, size.bytes_per_token) == (TextSize(0, 0), 0.0)
