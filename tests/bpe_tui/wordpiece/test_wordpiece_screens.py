"""The screens of WordPiece, driven by keys, and the sentences of a merge."""

from fractions import Fraction
from pathlib import Path

import pytest
from edges import text_of
from opening import opened, opened_as, step
from textual.widgets import Input, Static, TextArea

from bpe_tui.app.app import BpeTuiApp
from bpe_tui.session.config import RunConfig
from bpe_tui.widgets.controls import Scrubber
from bpe_tui.wordpiece.narration import describe_left_out, explain_merge, score_text
from bpe_tui.wordpiece.training_screen import (
    ScoreMergePanel,
    ScoresPanel,
    ScoreTable,
    TypedWordPieces,
    WordPiecePainter,
    format_change,
)
from engine.formats import open_tokenizer
from engine.wordpiece.frame import WordPieceFrame, WordPieceTimeline
from engine.wordpiece.score import Score
from engine.wordpiece.trainer import WordPieceTrainer

COURSE = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
"""The example of Hugging Face's course."""


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    place = tmp_path / "course.txt"
    place.write_text("\n".join(" ".join([word] * count) for word, count in COURSE.items()))
    return place


def frame_of(app: BpeTuiApp) -> WordPieceFrame:
    frame = app.session.shown
    assert isinstance(frame, WordPieceFrame)
    return frame


async def test_pairs_below_the_minimum_are_listed_apart_with_the_reason(tmp_path: Path) -> None:
    (tmp_path / "aaaa.txt").write_text("aaaa")
    config = RunConfig(str(tmp_path / "aaaa.txt"), model="wordpiece", min_count=2)
    async with opened_as(config) as (app, pilot):
        _, first, _, reason, rare = text_of(app.screen.query_one(ScoresPanel))
        title = str(app.screen.query_one(ScoresPanel).border_title)
        assert title.endswith("scores  1 pair │ 1 left out")
        assert first.split()[:3] == ["▸", "1", "##a+##a"]
        assert reason == "left out by --min-count 2: 1 rarer pair, the highest scores first"
        assert rare.split()[:2] == ["–", "a+##a"]
        assert "0.333" in rare
        await pilot.press("right")
        merge = "\n".join(text_of(app.screen.query_one(ScoreMergePanel)))
        merge = " ".join(merge.split())
        assert "leaves out 1 rarer pair: “a” and “##a”, 1 / (1 × 3) = 0.333." in merge
        assert "is the score times 4² / 3, pieces and pairs in the corpus: 1.19." in merge
        assert "Its logarithm, 0.25 bits, is the pointwise mutual information" in merge


@pytest.mark.slow  # a walk over the steps
async def test_the_comparison_with_bpe_ends_within_the_panel_at_every_step() -> None:
    async with opened(vocab_size=300, model="wordpiece") as (app, pilot):
        merge = app.screen.query_one(ScoreMergePanel)
        for at in range(1, frame_of(app).recorded_steps, 7):
            app.seek(at)
            await pilot.pause()
            above = "\n".join(text_of(merge)[: merge.size.height])
            assert "times lower." in above or "tie rule decided" in " ".join(above.split())


async def test_s_saves_the_pieces_a_line_each_or_a_tokenizer_json_as_the_name_says(
    corpus: Path, tmp_path: Path
) -> None:
    async with opened(corpus, model="wordpiece") as (app, pilot):
        await pilot.press("end", "s")
        app.screen.query_one(Input).value = str(tmp_path / "vocab.txt")
        await pilot.press("enter")
        lines = (tmp_path / "vocab.txt").read_text().splitlines()
        frame = frame_of(app)
        assert lines == [frame.token(n).decode() for n in range(frame.vocab_size)]
        await pilot.press("end", "s")
        app.screen.query_one(Input).value = str(tmp_path / "tokenizer.json")
        await pilot.press("enter")
        again = open_tokenizer(tmp_path / "tokenizer.json")
        assert again.format == "huggingface"
        text = "the hugs, won't<|endoftext|>"
        assert again.tokenizer.encode(text) == frame_of(app).tokenizer.encode(text)


def test_a_score_has_three_digits_and_rises_when_a_part_becomes_rarer() -> None:
    scores = map(score_text, (Fraction(1, n) for n in (36, 2, 1000, 43_200)))
    assert list(scores) == ["0.0278", "0.5", "0.001", "2.31×10⁻⁵"]
    before = Score(1000, 1, 1)
    after = (2000, 800, 10_000, 9990, 100_000, 1000, 1005, 1006, 995, 994)
    assert [format_change(before, Score(count, 1, 1)) for count in after] == [
        ("+100%", "gain"),
        ("−20%", "loss"),
        ("× 10", "gain"),
        ("+899%", "gain"),
        ("× 100", "gain"),
        ("", ""),
        ("+<1%", "gain"),
        ("+1%", "gain"),
        ("−<1%", "loss"),
        ("−1%", "loss"),
    ]


def test_the_columns_of_the_scores_leave_a_narrow_table_one_by_one() -> None:
    trainer = WordPieceTrainer({b"hug": 10, b"pug": 5, b"hugs": 5}, 20)
    frame = WordPieceTimeline(trainer.record, trainer.steps()).frame
    painter = WordPiecePainter(frame, marks=False)
    widest: dict[str, int] = {}
    for width in range(70, 6, -1):
        table = ScoreTable(painter, frame, width)
        widest.setdefault(" ".join("".join(text for text, _ in table.header.spans).split()), width)
    assert widest == {
        "pair ab / (a × b) score PMI change": 70,
        "pair ab / (a × b) score change": 56,
        "pair ab / (a × b) score": 49,
        "pair ab / (a × b)": 41,
        "pair": 23,
    }


async def test_t_and_n_go_from_tie_to_tie(corpus: Path) -> None:
    async with opened(corpus, model="wordpiece") as (app, pilot):
        frame = frame_of(app)
        tied = list(frame.tied_steps)
        assert tied
        await pilot.press("n")
        assert step(app) == tied[0]
        shown_text = str(app.screen.query_one("#narration", Static).content)
        assert "the highest, tied with" in shown_text
        await pilot.press("end", "t", "T")
        assert step(app) == max(t for t in tied if t < frame.recorded_steps)
        assert "┊" in app.screen.query_one(Scrubber).render_line(0).text


async def test_a_long_text_is_encoded_up_to_a_number_of_characters(corpus: Path) -> None:
    async with opened(corpus, model="wordpiece") as (app, pilot):
        app.action_show("encoding")
        await pilot.pause()
        for length, is_cut in ((4000, False), (4001, True)):
            app.screen.query_one("#text", TextArea).load_text("x" * length)
            await pilot.pause()
            foot = str(app.screen.query_one(TypedWordPieces).border_subtitle)
            assert foot.startswith("of the first 4,000 characters") == is_cut


def test_a_winner_that_is_the_most_frequent_is_called_so() -> None:
    trainer = WordPieceTrainer({b"ab": 3}, 9)
    frame = WordPieceTimeline(trainer.record, trainer.steps()).forward()
    assert "the same pair" in list(explain_merge(frame))[-1]


def test_of_several_pairs_that_the_minimum_leaves_out_the_best_is_named() -> None:
    found = []
    for rare in ({b"cd": 1}, {b"cd": 1, b"ef": 1}):
        trainer = WordPieceTrainer({b"aab": 3} | rare, 20, min_count=2)
        found.append(describe_left_out(WordPieceTimeline(trainer.record, trainer.steps()).frame))
    assert found == [
        "The minimum (--min-count 2) leaves out 1 rarer pair: “c” and “##d”, 1 / (1 × 1) = 1.",
        "The minimum (--min-count 2) leaves out 2 rarer pairs; the best of them, “c” and “##d”, "
        "1 / (1 × 1) = 1.",
    ]


def test_a_frequent_pair_of_frequent_pieces_is_hardly_more_frequent_than_by_chance() -> None:
    counts = {"我是": 6, "我的": 6, "他是": 6, "葡萄": 2}
    trainer = WordPieceTrainer({word.encode(): n for word, n in counts.items()}, 20)
    frame = WordPieceTimeline(trainer.record, trainer.steps()).forward()
    assert list(explain_merge(frame))[-1] == (
        "By count alone, as BPE chooses, “我” and “##的” would have merged, 6 / (12 × 6) = 0.0833. "
        "But “我” and “##的” are frequent anyway: its score is 6 times lower. It occurs 6.67 times "
        "as often as by chance, the pair that merged 40 times."
    )
