"""A special token in a text is one id, ordinary text, or an error, as in tiktoken."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import tiktoken
from hypothesis import example, given
from hypothesis import strategies as st

from engine import SpecialTokenError, SpecialTokenFoundError, Tokenizer
from engine.encoding.special_policy import REFUSE_SPECIAL, SpecialPolicy

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
