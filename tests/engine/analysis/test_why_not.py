"""To "why is this not one token?" there is exactly one answer, and it is true."""

from generated import examples
from hypothesis import given
from hypothesis import strategies as st
from merge_lists import BYTES, MERGES, Merges
from sheets import check_sheet

from engine import Timeline, Tokenizer, Trainer
from engine.analysis.why_not import (
    Beaten,
    BorderInside,
    Merged,
    NoMerge,
    NoSuchToken,
    OneToken,
    SpecialToken,
    nth_here,
    occurrences,
    parts_asked,
    why_not,
    why_not_merged,
)
from engine.text.pretokenize import to_text

MERGE_LIST = [(b"u", b"n"), (b" ", b"un"), (b"b", b"e"), (b"n", b"b"), (b"nb", b"e")]


def tokenizer(merges: Merges, pattern: str = "gpt2") -> Tokenizer:
    made = dict(enumerate((left + right for left, right in merges), 256))
    return Tokenizer(BYTES | made, merges, ["<s>", "<s><t>"], pattern)


TOKENIZER = tokenizer(MERGE_LIST)


def test_each_kind_of_answer_is_what_the_sheet_says() -> None:
    pieces = [" un: un", "un:u", "unb:nb", "xyz:y", "nbe:nbe", "unbe:unbe", "don't:n't", "a<s>:<s>"]
    pairs = ["un:u+n", "unb:n+b", "xun:x+un", "nbe:n+be", "un un:n+ ", "xy:y+x", "xxy:xx+y"]
    pieces += ["<s><t>:<t>", "un:no", "un:", "xx don't go:n't", "a unb:nb", "\udcc3:\udcc3"]
    trainer = Trainer({b"low": 5, b"lo": 3, b"w": 9, b"slow": 1}, 12, units="end-of-word")
    run = Timeline(trainer.counts, trainer.steps())
    ends = ("w", "lo", "ow", "low", "o+w", "lo+w", " ")
    letters = Trainer({"éa".encode(): 2}, 9, units="characters")
    of_letters = Timeline(letters.counts, letters.steps())
    lower = Timeline({b"low": 5, b"lower": 2}, Trainer({b"low": 5, b"lower": 2}, 300).steps())
    late = Trainer({b"w": 20, b"owa": 5, b"owb": 5}, 99, units="end-of-word")
    endings = Timeline(late.counts, late.steps())
    ends_first = Trainer({b"o": 20, b"loa": 5, b"lob": 5}, 99, units="end-of-word")
    late_l = Timeline(ends_first.counts, ends_first.steps())
    asked = [
        *((TOKENIZER, each) for each in (*pieces, *pairs)),
        # The first merge makes a part of the token, the second one goes astray.
        (tokenizer([(b"a", b"b"), (b"ab", b"c"), (b"c", b"d"), (b"ab", b"cd")]), "abcd:abcd"),
        (tokenizer([(b"c", b"d"), (b"b", b"cd"), (b"a", b"b"), (b"ab", b"cd")]), "abcd:abcd"),
        (tokenizer([(b"x", b"y"), (b"y", b"z"), (b"x", b"yz")]), "wxyz:x+yz"),
        (tokenizer([(b"a", b"a")]), "baaa:a+a"),
        (tokenizer([(b"b", b"c"), (b"a", b"b")]), "abc:a+b"),
        # A part of a character has no place in a pattern, unless the text has the rest.
        (tokenizer([(b"\xc3", b"\xa9")]), "é:\udcc3"),
        (tokenizer([(b"\xa9", b"x")]), "\udca9x:\udca9x"),
        (of_letters.frame, "é:é"),
        (endings.seek(len(endings)), "bow:o+w"),
        (late_l.seek(len(late_l)), "blo:lo"),
        *((lower.seek(step), f"lower:{each}") for step in (1, 2) for each in ("low", "l+ow")),
        *((run.seek(step), f"low lo w slow:{each}") for step in (1, 2, 5) for each in ends),
    ]
    lines = []
    for source, each in asked:
        text, parts = each.split(":")
        ask, starts = why_not_merged if "+" in parts else why_not, iter([None])
        if source is not TOKENIZER:
            starts = occurrences(text, parts.replace("+", ""))
        for start in starts:
            answer = ask(source, text, *parts.split("+"), start=start)
            lines.append(f"{each!a}, {start=} {type(answer).__name__}: {answer.describe()}")
    check_sheet("why_not", lines)


def test_questions_and_answers_are_in_words() -> None:
    asked: list[tuple[str, str | None]] = [("un|do", "undo"), ("un+do", "undo"), ("un do", "undo")]
    asked += [("u|n", "a u|n"), ("un|do", None), ("un do", None), ("a+b", "xyz"), ("a│b", "xyz")]
    assert [len(parts_asked(*each)) for each in asked] == [2, 2, 2, 1, 2, 1, 1, 2]
    assert parts_asked("a|b|c", "xb|cxab|c") == ("a", "b|c")
    assert parts_asked("a+b+c", "a+bc") == ("a+b", "c")
    numbers = (1, 2, 3, 4, 10, 11, 12, 13, 20, 21, 22, 112, 1023)
    nth = [str(nth_here(number)).split()[1] for number in numbers]
    assert " ".join(nth) == "1st 2nd 3rd 4th 10th 11th 12th 13th 20th 21st 22nd 112th 1,023rd"


TEXTS = st.lists(st.sampled_from(["a", "b", "ab", " ", "'t", "é", "<s>", "<t>"]), max_size=9)


def spans(tok: Tokenizer, text: str) -> list[tuple[int, int]]:
    """Return the edges of the tokens, in bytes."""
    places, start = [], 0
    for token_id in tok.encode(text):
        end = start + len(tok.vocab[token_id])
        places.append((start, end))
        start = end
    return places


@examples(300)
@given(MERGES, TEXTS.map("".join), st.integers(0, 9), st.integers(1, 6))
def test_the_answer_is_one_token_if_and_only_if_the_encoding_is_one_id(
    merges: Merges, text: str, start: int, length: int
) -> None:
    tok = tokenizer(merges)
    data = text.encode()
    piece = data[start : start + length]
    answer = why_not(tok, text, piece, start)
    is_one = (start, start + len(piece)) in spans(tok, text)
    is_whole_special = isinstance(answer, SpecialToken) and answer.token.encode() == piece
    assert is_one == (isinstance(answer, OneToken) or is_whole_special)
    if isinstance(answer, Beaten):
        assert [tok.vocab[i] for i in tok.encode(to_text(piece))] == [piece]
    if isinstance(answer, NoSuchToken):
        assert piece not in {left + right for left, right in merges}


@examples(300)
@given(MERGES, TEXTS.map("".join), st.integers(0, 9), st.integers(1, 3), st.integers(1, 3))
def test_any_two_neighbours_have_an_answer_and_merged_pairs_were_one_token(
    merges: Merges, text: str, start: int, left: int, right: int
) -> None:
    tok = tokenizer(merges)
    data = text.encode()
    first, second = data[start : start + left], data[start + left : start + left + right]
    answer = why_not_merged(tok, text, first, second, start)
    places = spans(tok, text)
    borders = {end for _, end in places} | {0}
    both_stand = {(start, start + left), (start + left, start + left + right)} <= set(places)
    if both_stand:
        assert isinstance(answer, NoMerge | BorderInside)
    if isinstance(answer, Merged):
        assert (first, second) in merges
        assert start + len(first) not in borders


@given(st.text("ab", max_size=12), st.text("ab", max_size=3))
def test_every_occurrence_is_found_overlaps_included(text: str, piece: str) -> None:
    expected = [i for i in range(len(text)) if piece and text.startswith(piece, i)]
    assert list(occurrences(text, piece)) == expected
