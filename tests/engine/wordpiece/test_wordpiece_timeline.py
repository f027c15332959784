"""Any step of a WordPiece training can be shown, and equals the state of the training.

The oracle is `wordpiece_oracle.train`, which recounts everything at every step.
"""

import pytest
import wordpiece_oracle as oracle
from generated import examples
from hypothesis import given
from hypothesis import strategies as st
from wordpiece_course import COURSE, in_bytes, timeline_of

from engine import UnknownTokenIdError
from engine.text.excerpt import Excerpt
from engine.wordpiece.frame import WordPieceFrame, WordPieceTimeline
from engine.wordpiece.score import SCORE_TIE_RULES, Score
from engine.wordpiece.trainer import WordPieceTrainer

every_tie_rule = pytest.mark.parametrize("tie_rule", SCORE_TIE_RULES)


def facts(frame: WordPieceFrame) -> object:
    """Return everything that a frame shows, as plain values."""
    return (
        frame.step,
        frame.vocab_size,
        frame.token_count,
        frame.merge and frame.merge.as_dict(),
        frame.top_pairs(1000),
        frame.tied,
        frame.next_pair,
        [frame.vocabulary.count_of(piece_id) for piece_id in range(frame.vocab_size)],
        [frame.tokens_of(word) for word in (b"hugs", b"pun", b"aab", b"cab")],
        frame.affected(),
    )


@every_tie_rule
@examples(60)
@given(corpus=oracle.corpora(), min_count=st.integers(1, 3))
def test_every_step_is_what_a_recount_finds(
    tie_rule: str, corpus: dict[str, int], min_count: int
) -> None:
    timeline = timeline_of(in_bytes(corpus), tie_rule, min_count)
    steps = oracle.train(corpus, 200, tie_rule, min_count)
    assert len(timeline) == len(steps)
    for number, truth in enumerate(steps):
        frame = timeline.seek(number)
        spelled = [frame.token(piece_id).decode() for piece_id in range(frame.vocab_size)]
        counts = {spelled[i]: frame.vocabulary.count_of(i) for i in range(frame.vocab_size)}
        assert {piece: n for piece, n in counts.items() if n} == dict(truth.pieces_before)
        for piece_id in range(frame.vocab_size):
            assert (counts[spelled[piece_id]] is None) == frame.is_special(piece_id)
            made = frame.step_making(piece_id)
            assert frame.vocabulary.token(piece_id) == frame.token(piece_id)
            assert frame.vocabulary.rank_of(piece_id) == (made - 1 if made else None)
            parents = timeline.record.pair_of(made - 1) if made else None
            assert frame.vocabulary.parents_of(piece_id) == parents
        assert frame.token_count == truth.pieces_before.total()
        top = frame.top_pairs(1000)
        names = [(spelled[p.pair[0]], spelled[p.pair[1]]) for p in top]
        assert {n: p.score.value for n, p in zip(names, top, strict=True)} == truth.scores
        assert [p.score.count for p in top] == [truth.pairs_before[name] for name in names]
        best = max(truth.scores.values())
        leaders = [score == best for score in sorted(truth.scores.values(), reverse=True)]
        assert [p.tied for p in top] == (leaders if sum(leaders) > 1 else [False] * len(top))
        assert names == ranked(truth, tie_rule)
        assert frame.top_pairs(3) == top[:3]
        assert frame.most_frequent in top  # byte-pair encoding would merge it
        assert frame.most_frequent.score.count == max(truth.pairs_before.values())
        assert len(frame.scoreboard) == len(top)
        assert frame.next_pair == frame.at(number).top_pairs(1)[0].pair
        assert all(frame.score_of(p.pair) == p.score for p in top)
        after = timeline.seek(number + 1)
        assert {word: [p.decode() for p in after.pieces_of(word.encode())] for word in corpus} == (
            truth.splits
        )


def ranked(step: oracle.OracleStep, tie_rule: str) -> list[oracle.Pair]:
    """Return the pairs in the order in which the rule would choose them now."""
    left, order = dict(step.scores), []
    while left:
        order.append(oracle.choose(left, step.pairs_before, tie_rule))
        del left[order[-1]]
    return order


class TestATimeline:
    def test_may_grow_while_it_is_looked_at(self) -> None:
        trainer = WordPieceTrainer(COURSE, 200)
        timeline, steps = WordPieceTimeline(trainer.record), trainer.steps()
        assert timeline.frame.next_pair is not None
        for index, step in enumerate(steps):
            foreseen = timeline.seek(index).next_pair
            timeline.extend([step])
            assert foreseen == step.pair
            assert timeline.cursor == index
        timeline.complete()
        assert timeline.run.is_complete
        assert timeline.seek(len(timeline)).next_pair is None


class TestAFrame:
    def test_shows_which_words_a_merge_changed(self) -> None:
        frame = timeline_of(COURSE).seek(1)
        [touched] = frame.affected()
        assert (touched.pretoken, touched.count) == (b"hugs", 5)
        assert [frame.token(i) for i in touched.before] == [b"h", b"##u", b"##g", b"##s"]
        assert [frame.token(i) for i in touched.after] == [b"h", b"##u", b"##gs"]

    def test_has_no_piece_that_a_later_step_makes(self) -> None:
        timeline = timeline_of(COURSE)
        assert timeline.seek(1).token(12) == b"##gs"
        with pytest.raises(UnknownTokenIdError, match="id 12 comes with merge 1"):
            timeline.seek(0).token(12)

    def test_has_no_score_for_an_absent_pair(self) -> None:
        timeline = timeline_of(COURSE)
        assert timeline.frame.count_of((5, 5)) == 0
        # The first merge makes ##u+##gs.
        assert [timeline.seek(step).score_of((8, 12)) for step in (0, 1)] == [None, Score(5, 36, 5)]

    def test_has_base_pieces_after_the_special_ones(self) -> None:
        frame = timeline_of(COURSE).seek(2)
        assert [frame.is_special(piece) for piece in (0, 4, 5)] == [True, True, False]
        assert [frame.is_base(piece) for piece in (4, 5, 11, 12)] == [False, True, True, False]

    def test_lists_the_pairs_that_are_too_rare(self) -> None:
        frame = timeline_of({b"ab": 3, b"cd": 1, b"ce": 1}, min_count=2).seek(1)
        rare = [(*map(frame.token, each.pair), each.score) for each in frame.top_left_out(9)]
        assert rare == [(b"c", b"##d", Score(1, 2, 1)), (b"c", b"##e", Score(1, 2, 1))]
        assert frame.best_left_out == frame.top_left_out(1)[0]

    def test_says_why_one_of_two_tied_pairs_is_first(self) -> None:
        frame = timeline_of(COURSE).seek(1)
        reasons = [str(frame.tie_reason((11, 8), rival)) for rival in ((10, 8), (11, 6))]
        assert reasons == [f"it occurs more often, 17 against {count}" for count in (15, 0)]

    def test_without_words_has_zeros(self) -> None:
        excerpt = Excerpt.of(b"low")
        timeline = WordPieceTimeline(WordPieceTrainer({}, 9).record, excerpt=excerpt)
        frame = timeline.frame
        assert (frame.highest_count, frame.pieces_per_word, frame.next_pair) == (0, 0.0, None)
        assert timeline.statistics.pieces_per_word(2).tolist() == [0, 0, 0]
        assert frame.excerpt is excerpt

    def test_encoding_may_differ_from_what_the_merges_made(self) -> None:
        """There is `ca` now, but in this word `##a` had gone into `##ac` before."""
        frame = timeline_of({b"ca": 4, b"cac": 2, b"cb": 1}).seek(2)
        assert frame.pieces_of(b"cac") == [b"c", b"##ac"]
        [word] = frame.tokenizer.explain("cac")
        assert [frame.token(piece_id) for piece_id in word.ids] == [b"ca", b"##c"]


def test_the_steps_of_a_pair_and_of_a_piece_are_found() -> None:
    frame = timeline_of(COURSE).seek(0)
    first = frame.merge_at(0)
    assert frame.step_of(first.pair) == 1
    assert frame.step_of((0, 0)) is None
    assert frame.step_making(first.new_id) == 1
    assert frame.step_making(0) == 0
    assert frame.any_token(first.new_id) == first.token
