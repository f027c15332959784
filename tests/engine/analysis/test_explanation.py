"""The explanation of a text's tokens, and the history of a pair."""

import json
from collections.abc import Sequence
from functools import cache
from itertools import pairwise, product
from pathlib import Path

from generated import examples
from hypothesis import example, given
from hypothesis import strategies as st
from merge_lists import MERGES, PRETOKENS, Merges, tokenizer
from oracles import recount, replace
from sheets import check_samples, sentence

from engine import Frame, Timeline, Tokenizer, Trainer, count_pretokens
from engine.analysis.explanation import Explanation, explain
from engine.analysis.greedy import Greedy, where_greedy_differs
from engine.analysis.pair_history import pair_history
from engine.analysis.why_not import NeverEncoded, NoSuchToken, OneToken
from engine.core.gpt2_bytes import BYTE_TO_CHAR
from engine.encoding.alphabet import CharacterAlphabet, WordEndAlphabet
from engine.wordpiece.frame import WordPieceTimeline
from engine.wordpiece.trainer import WordPieceTrainer

HANDOUT = {b"low": 5, b"lower": 2, b"widest": 3, b"newest": 6}
STORIES = Path(__file__).parents[3] / "samples" / "tinystories_valid.txt"


def handout(merges: int, **options: int) -> Frame:
    trainer = Trainer(HANDOUT, 256 + merges, **options)
    return Timeline(trainer.counts, trainer.steps()).seek(merges)


def texts(explanation: Explanation) -> list[str]:
    return [sentence.describe(bytes.decode) for sentence in explanation.sentences]


def test_a_token_that_no_text_reaches_names_the_merge_that_took_its_part() -> None:
    # a+c is made first, as a part of b+ac, which then takes the ac, so that b + acc is not reached.
    vocab = {byte: bytes([byte]) for byte in range(256)}
    vocab |= dict(enumerate((b"bac", b"acc", b"ac", b"bacc"), start=256))
    merges = [(b"b", b"ac"), (b"ac", b"c"), (b"a", b"c"), (b"b", b"acc")]
    never, one = (explain(Tokenizer(vocab, merges), [piece]) for piece in ("bacc", "bac"))
    assert isinstance(never.answer, NeverEncoded)
    assert texts(never)[0].endswith("b + ac (merge 1) took a part away first.")
    assert isinstance(one.answer, OneToken)
    assert [[merge.number for merge in each.way] for each in (never, one)] == [[3, 1], [3, 1]]


def test_of_several_merges_that_make_a_token_the_one_that_makes_it_here_is_named() -> None:
    """As in Llama 2's file, which lists each way to divide a token."""
    vocab = {byte: bytes([byte]) for byte in range(256)} | {256: b"ab", 257: b"bc", 258: b"abc"}
    merges = [(b"ab", b"c"), (b"b", b"c"), (b"a", b"bc"), (b"a", b"b")]
    explanation = explain(Tokenizer(vocab, merges), ["abc"])
    assert texts(explanation)[0].endswith("id 258, made by a + bc (merge 3).")
    assert [merge.number for merge in explanation.way] == [2, 3]


def test_a_way_of_at_most_500_bytes_is_followed() -> None:
    vocab = {byte: bytes([byte]) for byte in range(256)} | {256: b"ab"}
    tokenizer = Tokenizer(vocab, [(b"a", b"b")], pattern="none")
    for length, numbers, stopped in ((500, [1], 500), (501, [], 0)):
        pair = explain(tokenizer, ["a", "b"], "ab".ljust(length, "x"))
        assert [merge.number for merge in pair.way] == numbers
        assert len(explain(tokenizer, ["x" * length]).stopped) == stopped


def test_a_piece_is_counted_each_time_in_each_word() -> None:
    counts = {b"xyxy": 3, b"xy": 2, b"xx": 9}
    frame = Timeline(counts, Trainer(counts, 256).steps()).frame
    assert str(explain(frame, ["xy"]).lines[0]) == "xy occurs 8 times in this corpus."
    letters = Trainer(counts, 9, units="characters")
    unknown = explain(Timeline(letters.counts, letters.steps()).frame, ["z"])
    assert list(map(str, unknown.lines)) == [
        "z occurs 0 times in this corpus.",
        "z is no token of this vocabulary. Alone it is <unk>.",
    ]


@cache
def stories() -> Frame:
    counts = count_pretokens(STORIES, special_tokens=["<|endoftext|>"])
    trainer = Trainer(counts, 50_000, ["<|endoftext|>"], min_count=2)
    timeline = Timeline(trainer.counts, trainer.steps())
    return timeline.seek(len(timeline))


ASKED = "lowest est ·low ·lowe low lowe ne|w e|s w|e lo|w wid|est n|i low|l qqqq x er é lid"
ASKED_OF_STORIES = "·lowest ·low|est the ·the ·upon ·t|he h|e girl|s ·little ttl .·The né"
CLIP = "#version: 0.2\nl o\nlo w</w>\nlo w\ne r</w>\nlow er</w>\no w</w>\n"


def test_what_is_explained_is_what_the_sheets_say(tmp_path: Path) -> None:
    tokens = [*BYTE_TO_CHAR.values(), *(f"{char}</w>" for char in BYTE_TO_CHAR.values())]
    tokens += ["".join(line.split()) for line in CLIP.splitlines()[1:]]
    (tmp_path / "vocab.json").write_text(json.dumps({each: at for at, each in enumerate(tokens)}))
    (tmp_path / "merges.txt").write_text(CLIP)
    whole = handout(12)
    frames = [whole.at(0), whole.at(4), whole, whole.tokenizer()]
    sheets: tuple[tuple[str, Sequence[Frame | Tokenizer], str, tuple[str | None, ...]], ...] = (
        ("handout", frames, ASKED, (None, "lowest low newest", "xlowx wide")),
        ("stories", (stories().at(40), stories()), ASKED_OF_STORIES, (None, "Né. The girls")),
        ("words", (Tokenizer.load(tmp_path),), ASKED, (None, "lowest low newest", "xlowx wide")),
    )
    for name, sources, asked, in_texts in sheets:
        samples = []
        for source, parts, text in product(sources, asked.split(), in_texts):
            said = explain(source, parts.replace("·", " ").split("|"), text)
            lines = (f"    {line}" for line in said.lines)
            samples.append([f"{source!r}, in {text}: {said.title(parts)}", *lines])
        check_samples(f"why/{name}", samples, sentence)


CORPORA = st.dictionaries(
    st.binary(min_size=1, max_size=9).map(lambda data: bytes(97 + byte % 3 for byte in data)),
    st.integers(1, 9),
    min_size=1,
    max_size=10,
)


@examples(150)
@given(CORPORA, st.text("abc", min_size=1, max_size=6), st.integers(0, 9), st.integers(0, 12))
def test_the_way_ends_as_the_encoding_does(
    counts: dict[bytes, int], piece: str, wanted: int, at: int
) -> None:
    trainer = Trainer(counts, 256 + wanted, min_count=2)
    timeline = Timeline(trainer.counts, trainer.steps())
    last = timeline.seek(len(timeline))
    explanation = explain(last.at(min(at, len(timeline))), [piece])
    tokens = [last.tokenizer().vocab[each] for each in last.tokenizer().encode(piece)]
    numbers = [merge.number for merge in explanation.way]
    assert numbers == sorted(numbers)
    if isinstance(explanation.answer, NoSuchToken) and explanation.stopped:
        assert [each.token for each in explanation.stopped] == tokens
        for history, pair in zip(
            explanation.histories, dict.fromkeys(pairwise(tokens)), strict=False
        ):
            assert tuple(map(last.any_token, history.pair)) == pair
            occurs = sum(
                count * list(pairwise(last.tokens_of(word))).count(history.pair)
                for word, count in counts.items()
            )
            assert history.count_at(history.last) == occurs
    if isinstance(explanation.answer, OneToken) and explanation.way:
        assert explanation.way[-1].tokens == (piece.encode(),)


def test_a_character_without_a_token_is_unknown_as_a_whole() -> None:
    letters = CharacterAlphabet({"a": 5, "b": 6}, unknown=0)
    taken = Greedy({b"a": 5, b"b": 6, b"ab": 7}, letters).takes("ba漢éab".encode())
    assert [*taken] == [(6, 1), (5, 2), (0, 5), (0, 7), (7, 9)]
    ends = Greedy({b"a": 5, b"b": 6}, WordEndAlphabet(letters, marker=9), {b"ab": 8})
    assert [*ends.takes(b"aab")] == [(5, 1), (8, 3)]
    assert [*ends.takes(b"aba")] == [(5, 1), (6, 2), (5, 3), (9, 3)]


def test_greedy_takes_a_token_that_the_merges_cannot_reach() -> None:
    merges = [(b"b", b"c"), (b"a", b"b"), (b"ab", b"c")]
    greedy = where_greedy_differs(tokenizer(merges), b"abc")
    assert greedy is not None
    assert greedy.sentence.describe() == (
        "The greedy longest match takes abc here; the merges make a + bc (merge 1) of its bytes, "
        "and no merge goes on."
    )


@examples(200)
@given(MERGES, PRETOKENS)
@example([(b"a", b"b"), (b"b", b"a"), (b"ab", b"a")], b"abaab")
def test_it_differs_if_and_only_if_greedy_ends_with_other_ids(
    merges: Merges, pretoken: bytes
) -> None:
    tok = tokenizer(merges)
    taken = [token_id for token_id, _ in Greedy(tok.rules.ids, tok.alphabet).takes(pretoken)]
    assert b"".join(tok.vocab[token] for token in taken) == pretoken
    differs = where_greedy_differs(tok, pretoken)
    assert (differs is None) == (taken == list(tok.rules.tokens_of(pretoken)))
    if differs is not None:
        assert differs.token in {tok.vocab[i] for i in taken}


def frame_of(counts: dict[bytes, int], step: int = 0) -> Frame:
    return Timeline(counts, Trainer(counts, 300).steps()).seek(step)


def recounted(counts: dict[bytes, int], frame: Frame) -> list[dict[tuple[int, int], int]]:
    """Return the count of every pair, at every step."""
    words, often = [list(word) for word in counts], list(counts.values())
    states = [recount(words, often)]
    for index in range(frame.recorded_steps):
        merge = frame.merge_at(index)
        words = [replace(word, merge.pair, merge.new_id) for word in words]
        states.append(recount(words, often))
    return states


@examples(200)
@given(counts=CORPORA, at=st.integers(0, 8))
@example(counts={b"abcb": 3, b"ab": 2, b"cab": 4, b"aa": 1}, at=1)
def test_the_count_of_every_pair_at_every_step_is_that_of_a_recount(
    counts: dict[bytes, int], at: int
) -> None:
    last = frame_of(counts).recorded_steps
    frame = frame_of(counts, min(at, last))
    states = recounted(counts, frame)
    tokens = [*b"abc", *range(256, 256 + last)]
    for pair in product(tokens, repeat=2):
        history = pair_history(frame, pair)
        expected = [state.get(pair, 0) for state in states]
        assert [history.count_at(step) for step in range(last + 1)] == expected
        assert history.ever_occurs == any(expected)
        falls = {
            step: before - after
            for step, (before, after) in enumerate(pairwise(expected), 1)
            if after < before and step != history.merged
        }
        assert {taken.step: taken.count for taken in history.losses} == falls
        for taken in history.losses:
            merged = frame.merge_at(taken.step - 1).pair
            assert taken.merged == merged
            assert merged[1] == pair[0] or merged[0] == pair[1]
        here = states[frame.step]
        assert history.more_frequent == (
            sum(count > here.get(pair, 0) for count in here.values()) if any(expected) else 0
        )
        assert history.sentences(frame.any_token)


def test_the_history_of_each_pair_of_the_handout_is_what_the_sheet_says() -> None:
    whole = frame_of(HANDOUT)
    pairs = [whole.merge_at(index).pair for index in range(12)]
    pairs += [*pairwise(b"ewestlower"), (pairs[3][1], pairs[1][1])]
    trainer = Trainer(HANDOUT | {b"xyz": 1, b"yz": 1}, 262, min_count=2)
    few = Timeline(trainer.counts, trainer.steps()).seek(6)
    asked = [*product((whole.at(1), whole.at(4)), pairs)]
    asked += [*product((few.at(2), few), [*pairwise(b"widest"), (120, 121), (121, 122)])]
    samples = []
    for frame, pair in asked:
        said = pair_history(frame, pair).sentences(whole.any_token, named=1)
        samples.append((f"step {frame.step} of {frame.recorded_steps}", *map(str, said)))
    check_samples("pair_history", samples, sentence)


def test_a_pair_that_merges_or_is_taken_once_is_said_to_be_so_once() -> None:
    counts = {b"abc": 1, b"ab": 1}
    frame = frame_of(counts)
    merging = pair_history(frame, (256, ord("c")))
    assert str(merging.outcome) == "It merges at merge 2, once."
    taken, *_ = pair_history(frame.at(1), (ord("b"), ord("c"))).sentences(frame.any_token)
    assert " took its b once at merge 1" in str(taken)
    trainer = Trainer({b"abc": 4, b"xbc": 1, b"ab": 2}, 300, min_count=2)
    start = Timeline(trainer.counts, trainer.steps()).frame
    assert str(pair_history(start, (ord("b"), ord("c"))).outcome) == (
        "1 pair occurs more often here; it does not merge in the 2 steps recorded, and 1 is left "
        "at the last."
    )


def test_a_pair_of_wordpiece_has_a_history_too() -> None:
    trainer = WordPieceTrainer({b"low": 5, b"lower": 2}, 20)
    steps = list(trainer.steps())
    frame = WordPieceTimeline(trainer.record, steps).seek(1)
    merge = frame.merge
    assert merge is not None
    assert pair_history(frame, merge.pair).merged == 1
