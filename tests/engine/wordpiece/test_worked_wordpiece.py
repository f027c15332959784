"""WordPiece by hand: the corpus of Hugging Face's course, two merges and one word encoded.

Read from the top; each test goes on where the one before it ends.
"""

from fractions import Fraction

from engine.wordpiece.frame import WordPieceTimeline
from engine.wordpiece.tokenizer import WordPieceEncoder
from engine.wordpiece.trainer import WordPieceTrainer

WORDS = {b"hug": 10, b"pug": 5, b"pun": 12, b"bun": 4, b"hugs": 5}
# Every character is a piece. The first of a word is written as it is, the others after ##:
#
#     h ##u ##g      10 times          h    10 + 5           = 15
#     p ##u ##g       5 times          p     5 + 12          = 17
#     p ##u ##n      12 times          b     4
#     b ##u ##n       4 times          ##u  10 + 5 + 12 + 4 + 5 = 36
#     h ##u ##g ##s   5 times          ##g  10 + 5 + 5       = 20
#                                      ##n  12 + 4           = 16
#                                      ##s   5


def timeline() -> WordPieceTimeline:
    """The first two merges; [UNK] and seven characters are there before them."""
    trainer = WordPieceTrainer(WORDS, 10, ["[UNK]"], tie_rule="first-seen")
    steps = list(trainer.steps())
    return WordPieceTimeline(trainer.record, steps)


def test_the_first_merge_is_of_the_highest_score_and_not_of_the_highest_count() -> None:
    start = timeline().frame
    scores = {
        b" ".join(map(start.any_token, scored.pair)): str(scored.score)
        for scored in start.top_pairs(10)
    }
    # score(a, b) = count(ab) / (count(a) × count(b))
    assert scores == {
        b"##g ##s": "5 / (20 × 5)",  #   = 1/20: wherever ##s stands, ##g is before it
        b"h ##u": "15 / (15 × 36)",  #   = 1/36, as are all that follow:
        b"##u ##g": "20 / (36 × 20)",  # the pair that BPE would merge, 20 times side by side
        b"p ##u": "17 / (17 × 36)",
        b"##u ##n": "16 / (36 × 16)",
        b"b ##u": "4 / (4 × 36)",
    }
    assert timeline().forward().merge.token == b"##gs"


def test_a_merge_takes_its_occurrences_from_the_counts_of_its_parts() -> None:
    after = timeline().forward()
    # Five ##g and all five ##s have become ##gs.
    changes = {after.any_token(c.piece_id): (c.before, c.after) for c in after.merge.piece_changes}
    assert changes == {b"##g": (20, 15), b"##s": (5, 0), b"##gs": (0, 5)}
    # So the scores of pairs with ##g change, too: ##u ##g is 15 / (36 × 15), and still 1/36.
    assert {scored.score.value for scored in after.top_pairs(10)} == {Fraction(1, 36)}
    # All pairs are tied now. The rule `first-seen` takes the one that the corpus has first.
    assert timeline().forward(2).merge.token == b"hu"


def test_encoding_takes_the_longest_piece_from_the_left_and_no_merges() -> None:
    frame = timeline().forward(2)
    pieces = [frame.any_token(piece_id).decode() for piece_id in range(frame.vocab_size)]
    assert pieces == ["[UNK]", "##g", "##n", "##s", "##u", "b", "h", "p", "##gs", "hu"]
    encoder = WordPieceEncoder({piece: piece_id for piece_id, piece in enumerate(pieces)})
    # hugs: is hugs a piece? hug? hu, yes. From there: ##gs, yes.
    probes = [(probe.piece, probe.found) for probe in encoder.probes("hugs")]
    assert probes == [("hugs", False), ("hug", False), ("hu", True), ("##gs", True)]
    assert encoder.encode("hugs") == (pieces.index("hu"), pieces.index("##gs"))
    # hat: h is a piece, but neither ##at nor ##a is. So the whole word is unknown.
    assert encoder.encode("hat") == (pieces.index("[UNK]"),)


# 我是 is frequent, but so are 我 and 是. The two characters of 葡萄 occur only together.
#
#     我 ##是  6 times     我  6 + 6 = 12     ##是  6 + 6 = 12     40 pieces in 20 words,
#     我 ##的  6 times     他  6              ##的  6               so 20 pairs
#     他 ##是  6 times     葡  2              ##萄  2
#     葡 ##萄  2 times
SENTENCES = {"我是": 6, "我的": 6, "他是": 6, "葡萄": 2}


def test_the_score_times_one_number_is_how_much_more_often_than_by_chance_a_pair_occurs() -> None:
    counts = {word.encode(): count for word, count in SENTENCES.items()}
    frame = WordPieceTimeline(WordPieceTrainer(counts, 20, ["[UNK]"]).record).frame
    by_pair = {
        b"".join(map(frame.token, scored.pair)).decode(): scored.score
        for scored in frame.top_pairs(9)
    }
    assert (frame.token_count, frame.pair_total) == (40, 20)
    # P(我是) = 6/20, P(我) = 12/40, P(是) = 12/40
    assert frame.ratio_of(by_pair["我##是"]) == Fraction(6, 20) / (
        Fraction(12, 40) * Fraction(12, 40)
    )
    assert frame.ratio_of(by_pair["我##是"]) == Fraction(10, 3)
    assert frame.ratio_of(by_pair["葡##萄"]) == 40
    # For every pair it is the score times 40² / 20 = 80, so the order is that of the scores,
    # and a logarithm, which only rises, does not change it either.
    scores = [score.value for score in by_pair.values()]
    assert [frame.ratio_of(score) for score in by_pair.values()] == [80 * each for each in scores]
    bits = [frame.pmi_of(score) for score in by_pair.values()]
    assert bits == sorted(bits, reverse=True)
    assert [round(each, 2) for each in bits[:1] + bits[-1:]] == [5.32, 1.74]  # log₂ 40, log₂ 10/3
    assert next(iter(by_pair)) == "葡##萄"


def test_a_pair_below_the_minimum_does_not_merge_however_high_its_score() -> None:
    # aaaa is a ##a ##a ##a: ##a ##a occurs twice, a ##a once.
    trainer = WordPieceTrainer({b"aaaa": 1}, 20, ["[UNK]"], min_count=2)
    timeline = WordPieceTimeline(trainer.record, trainer.steps())
    frame = timeline.frame
    assert [scored.score.value for scored in frame.top_pairs(9)] == [Fraction(2, 9)]
    assert [scored.score.value for scored in frame.top_left_out(9)] == [Fraction(1, 3)]
    assert timeline.forward().pieces_of(b"aaaa") == [b"a", b"##aa", b"##a"]
    assert frame.at(1).top_pairs(9) == []  # now every pair occurs once
