"""WordPiece training: the pair of highest score merges, and all of its numbers are right.

The oracle is `wordpiece_oracle.train`, which recounts everything at every step.
"""

import json
from collections import Counter
from fractions import Fraction
from typing import TypeVar

import numpy as np
import pytest
import wordpiece_oracle as oracle
from generated import examples
from hypothesis import example, given
from hypothesis import strategies as st
from wordpiece_course import COURSE, in_bytes

from engine import SpecialTokenError, StopReason, VocabSizeError
from engine.native import KERNEL
from engine.recording.merge_record import PairNumbers
from engine.wordpiece.score import (
    SCORE_TIE_RULES,
    Score,
    Scoreboard,
    TieOrder,
    highest,
    score_text,
)
from engine.wordpiece.trainer import WORDPIECE_TRAINERS, WordPieceStep, WordPieceTrainer
from engine.wordpiece.words import count_words

T = TypeVar("T")
every_tie_rule = pytest.mark.parametrize("tie_rule", SCORE_TIE_RULES)


def trained(
    counts: dict[bytes, int], merges: int = 40, tie_rule: str = "frequent", min_count: int = 1
) -> WordPieceTrainer:
    base = WordPieceTrainer(counts, 1 << 20).record.first_id
    trainer = WordPieceTrainer(counts, base + merges, tie_rule=tie_rule, min_count=min_count)
    for _ in trainer.steps():
        pass
    return trainer


def steps_of(trainer: WordPieceTrainer) -> list[WordPieceStep]:
    return [trainer.record[index] for index in range(len(trainer.record))]


class TestTheScore:
    def test_has_three_digits_on_screen(self) -> None:
        scores = Fraction(1, 36), Fraction(1, 1000), Fraction(999, 10**6), Fraction(0)
        assert [score_text(score) for score in scores] == ["0.0278", "0.001", "9.99×10⁻⁴", "0"]

    def test_without_pairs_there_is_none(self) -> None:
        nothing = np.zeros(0, dtype=np.int64)
        assert highest(nothing, nothing, nothing).tolist() == []

    @given(st.lists(st.tuples(*[st.integers(1, 2**33)] * 3), min_size=1, max_size=20))
    @example([(2, 4, 4), (3, 4, 4), (6, 8, 4)])  # 2/(4·4) < 3/(4·4) = 6/(8·4)
    @example([(10**9, 1, 10**9 + 1), (10**9 + 1, 1, 10**9 + 2)])  # equal as floats
    @example([(3 * 10**9, 3 * 10**9, 3 * 10**9), (3 * 10**9 - 1, 3 * 10**9, 3 * 10**9)])
    @example([(2**21, 2**21, 2**21), (2**21 - 1, 2**21, 2**21)])  # the products are 2⁶³
    @example([(3, 2**32, 2**32), (5, 2**32, 2**32)])
    def test_is_compared_as_a_fraction(self, triples: list[tuple[int, int, int]]) -> None:
        values = [Score(*triple).value for triple in triples]
        expected = [place for place, value in enumerate(values) if value == max(values)]
        counts, lefts, rights = np.array(triples, dtype=np.int64).T
        assert highest(counts, lefts, rights).tolist() == expected
        pairs = PairNumbers((number, 0) for number in range(len(values)))
        board = Scoreboard(pairs, np.arange(len(values)), counts, lefts, rights)
        best_first = [each.pair[0] for each in board.top(9, TieOrder(lambda pair: pair, False))]
        in_order = sorted(range(len(values)), key=lambda number: (-values[number], number))
        assert best_first == in_order[:9]


class TestTheCoursesExample:
    def test_merges_hugs_next_by_the_courses_own_formula(self) -> None:
        """The course goes on with `hug`, at a score of 1/15; but 10 / (15 × 15) is 2/45."""
        step = steps_of(trained(COURSE, 3, "first-seen"))[2]
        assert (step.token, step.score) == (b"hugs", Score(5, 15, 5))
        assert step.tied == (step.pair,)

    def test_all_pairs_are_tied_at_the_second_step(self) -> None:
        """`##u` is in every pair, as the course remarks."""
        trainer = trained(COURSE, 2, "first-seen")
        assert len(steps_of(trainer)[1].tied) == 6
        assert trainer.record.tied_counts.tolist() == [1, 6]

    def test_the_frequent_rule_takes_the_most_frequent_of_these(self) -> None:
        step = steps_of(trained(COURSE, 2))[1]
        assert (step.token, step.count) == (b"pu", 17)


class TestAStep:
    def test_has_its_pair_counts_and_score(self) -> None:
        step = steps_of(trained(COURSE, 1))[0]
        assert (step.left, step.right, step.token, step.covers) == (b"##g", b"##s", b"##gs", b"gs")
        assert (step.count, step.score) == (5, Score(5, 20, 5))
        assert (step.index, step.new_id, step.occurrences, step.pretokens) == (0, 12, 5, 1)
        # The special tokens, ##g ##n ##s ##u b h p, and ##gs, which took five of ##g and of ##s.
        after = [0] * 5 + [15, 16, 0, 36, 4, 15, 17, 5]
        assert step.record.piece_counts.at(1).tolist() == after

        plain = json.loads(json.dumps(step.as_dict()))
        assert (plain["score"], plain["token"]) == ([5, 20, 5], "##gs")
        assert repr(step) == "<WordPieceStep 0: b'##g' + b'##s' → 12, score 5 / (20 × 5)>"

    def test_equals_the_same_step_of_another_run(self) -> None:
        one, other = trained(COURSE).record, trained(COURSE).record
        assert (one[0], hash(one[0])) == (other[0], hash(other[0]))
        assert one[0] != other[1]


class TestARun:
    def test_stops_at_the_size(self) -> None:
        trainer = trained(COURSE, 2)
        assert trainer.stop_reason is StopReason.SIZE_REACHED
        assert len(trainer.vocab) == trainer.vocab_size == 14

    @pytest.mark.parametrize(("word", "piece"), [(b"a", b"a"), (b"aaa", b"##a")])
    def test_counts_beyond_32_bits(self, word: bytes, piece: bytes) -> None:
        trainer = WordPieceTrainer({word: 2**31 // max(len(word) - 1, 1)}, 9)
        last = trainer.record.piece_counts.at(0)[list(trainer.vocab.values()).index(piece)]
        assert last == 2**31

    def test_stops_where_every_word_is_one_piece_or_all_pairs_are_too_rare(self) -> None:
        assert trained({b"ab": 1}).stop_reason is StopReason.NO_PAIR_LEFT
        trainer = trained({b"ab": 3, b"cd": 2}, min_count=3)
        assert [step.token for step in steps_of(trainer)] == [b"ab"]
        assert trainer.stop_reason is StopReason.TOO_RARE

    def test_prefers_rare_pairs_unless_there_is_a_least_count(self) -> None:
        """The weakness of the score: pieces that occur only together merge first, however rare."""
        corpus = {b"xy": 1, b"the": 50, b"then": 20, b"hat": 30, b"ten": 9}
        assert steps_of(trained(corpus, 1))[0].token == b"xy"
        assert steps_of(trained(corpus, 1, min_count=2))[0].token == b"ha"

    def test_a_special_token_is_never_made_by_merging(self) -> None:
        trainer = WordPieceTrainer({b"[UNK]": 9, b"[UNK]ab": 3}, 100)
        for _ in trainer.steps():
            pass
        assert list(trainer.vocab.values()).count(b"[UNK]") == 1
        assert trainer.vocab[len(trainer.vocab) - 1] == b"ab"

    def test_an_unknown_token_comes_first_if_it_is_not_among_the_special_ones(self) -> None:
        trainer = WordPieceTrainer({b"a": 1}, 9, ["<s>"], unknown_token="<unk>")
        assert list(trainer.vocab.values()) == [b"<unk>", b"<s>", b"a"]

    def test_invalid_bytes_are_characters(self) -> None:
        assert trained({b"\xff\xfe": 1}).vocab[7] == b"\xff\xfe"


class TestBadArguments:
    def test_a_size_without_room_for_the_characters(self) -> None:
        with pytest.raises(
            VocabSizeError, match=r"one character \(7\) and 5 special tokens need at least 12"
        ):
            WordPieceTrainer(COURSE, 11)
        with pytest.raises(VocabSizeError, match=r"\(7\) and 1 special token need at least 8$"):
            WordPieceTrainer(COURSE, 7, ["[UNK]"])
        assert list(WordPieceTrainer(COURSE, 8, ["[UNK]"]).steps()) == []

    @pytest.mark.parametrize("specials", [["a", "a"], [""], ["##x"]])
    def test_unusable_special_tokens(self, specials: list[str]) -> None:
        with pytest.raises(SpecialTokenError):
            WordPieceTrainer(COURSE, 30, specials)


class TestWords:
    def test_are_pretokens_without_whitespace_special_tokens_and_marks(self) -> None:
        counts = {b"low": 1, b" low": 2, b"\n": 3, b"a b": 1, b"gone": 0}
        assert count_words(counts, []) == {b"low": 3, b"a": 1, b"b": 1}

        assert count_words({b"###a": 2}, []) == {b"#": 4, b"#a": 2}
        assert count_words({b"x[UNK]##y": 1}, ["[UNK]"]) == {b"x": 1, b"#": 1, b"#y": 1}


@every_tie_rule
@examples(150)
@given(corpus=oracle.corpora(), min_count=st.integers(1, 3))
@example(corpus={"aaaaa": 2, "aaa": 1, "baaab": 3}, min_count=1)
@example(corpus={"hug": 3, "hugs": 2, "bun": 3, "s": 4}, min_count=2)
def test_every_step_is_what_a_recount_finds(
    tie_rule: str, corpus: dict[str, int], min_count: int
) -> None:
    trainer = trained(in_bytes(corpus), 40, tie_rule, min_count)
    expected = oracle.train(corpus, 40, tie_rule, min_count)
    steps = steps_of(trainer)
    spelled = {token_id: piece.decode() for token_id, piece in trainer.vocab.items()}
    assert len(steps) == len(expected)
    for step, truth in zip(steps, expected, strict=True):
        left, right = step.pair
        assert (spelled[left], spelled[right]) == truth.pair
        assert step.score.value == truth.scores[truth.pair] == max(truth.scores.values())
        assert step.score == Score(
            truth.pairs_before[truth.pair],
            truth.pieces_before[truth.pair[0]],
            truth.pieces_before[truth.pair[1]],
        )
        tied = {pair for pair, score in truth.scores.items() if score == step.score.value}
        assert {(spelled[a], spelled[b]) for a, b in step.tied} == tied
        changed = {
            (spelled[c.pair[0]], spelled[c.pair[1]]): (c.before, c.after) for c in step.changes
        }
        assert changed == differences(truth.pairs_before, truth.pairs_after)
        pieces = {spelled[c.piece_id]: (c.before, c.after) for c in step.piece_changes}
        assert pieces == differences(truth.pieces_before, truth.pieces_after)


def differences(before: Counter[T], after: Counter[T]) -> dict[T, tuple[int, int]]:
    return {
        key: (before[key], after[key])
        for key in before.keys() | after.keys()
        if before[key] != after[key]
    }


MARKS = st.dictionaries(st.text("#a[]", min_size=1, max_size=6), st.integers(1, 3))


@every_tie_rule
@given(corpus=oracle.corpora() | MARKS)
def test_no_two_merges_make_the_same_piece(tie_rule: str, corpus: dict[str, int]) -> None:
    trainer = WordPieceTrainer(in_bytes(corpus), 200, ["[a]"], tie_rule=tie_rule)
    list(trainer.steps())
    assert len(set(trainer.vocab.values())) == len(trainer.vocab)


@given(
    corpus=oracle.corpora() | MARKS, min_count=st.integers(1, 3), factor=st.sampled_from([1, 2**24])
)
def test_all_trainers_find_the_same_steps(
    corpus: dict[str, int], min_count: int, factor: int
) -> None:
    counts = {word: count * factor for word, count in in_bytes(corpus).items()}
    found = []
    for name in WORDPIECE_TRAINERS:
        trainer = WordPieceTrainer(counts, 60, min_count=min_count, trainer=name)
        steps = [step.as_dict() for step in trainer.steps()]
        found.append((steps, trainer.record.tied_counts, trainer.stop_reason))
    assert all(each == found[0] for each in found)


def test_what_the_kernel_does_not_know_is_left_to_python() -> None:
    def name(counts: dict[bytes, int], tie_rule: str = "frequent") -> str:
        return WordPieceTrainer(counts, 9, tie_rule=tie_rule).task.name

    assert name({b"ab": 2**31}) == name({b"ab": 1}, "first-seen") == "indexed"
    assert name({b"ab": 1}) == ("indexed" if KERNEL is None else "native")


def test_a_run_can_be_left_at_any_step() -> None:
    whole = [step.token for step in steps_of(trained(COURSE))]
    run = WordPieceTrainer(COURSE, 100)
    steps = run.steps()
    assert [next(steps).token for _ in range(3)] == whole[:3]
    assert run.stop_reason is None
    assert len(run.vocab) == 15
