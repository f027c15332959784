"""WordPiece by hand: the corpus of Hugging Face's course, two merges and one word encoded.

Read from the top; each test goes on where the one before it ends.
"""

from __future__ import annotations

from fractions import Fraction

from inside.engine.wordpiece import WordPieceEncoder, WordPieceTimeline, WordPieceTrainer

WORDS = {b"hug": 10, b"pug": 5, b"pun": 12, b"bun": 4, b"hugs": 5}
# Every character is a piece. The first of a word is written as it is, the others behind ##:
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
    # score(a, b) = count(ab) / (count(a) · count(b))
    assert scores == {
        b"##g ##s": "5 / (20 · 5)",  #   = 1/20: wherever ##s stands, ##g is before it
        b"h ##u": "15 / (15 · 36)",  #   = 1/36, as are all that follow:
        b"##u ##g": "20 / (36 · 20)",  # the pair that BPE would merge, 20 times side by side
        b"p ##u": "17 / (17 · 36)",
        b"##u ##n": "16 / (36 · 16)",
        b"b ##u": "4 / (4 · 36)",
    }
    assert timeline().forward().merge.token == b"##gs"


def test_a_merge_takes_its_occurrences_from_the_counts_of_its_parts() -> None:
    after = timeline().forward()
    # Five ##g and all five ##s have become ##gs.
    changes = {after.any_token(c.piece_id): (c.before, c.after) for c in after.merge.piece_changes}
    assert changes == {b"##g": (20, 15), b"##s": (5, 0), b"##gs": (0, 5)}
    # So the scores of pairs with ##g change, too: ##u ##g is 15 / (36 · 15), and still 1/36.
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
