"""The claims of `samples/README.md` are true with the commands that it names."""

from pathlib import Path

from opening import frame_of, opened_as
from screen_text import row_texts

from bpe_tui.panels.vocabulary_screen import VocabularyTable
from bpe_tui.session.config import RunConfig, TokenizerConfig
from bpe_tui.session.samples import samples
from engine import Frame, Tokenizer, check
from engine.analysis.greedy import where_greedy_differs

SAMPLES = Path(__file__).parents[3] / "samples"
SHIP = SAMPLES / "ship.txt"
SWAPPED = SAMPLES / "swapped.json"


def cut(frame: Frame, word: str) -> list[bytes]:
    return [frame.token(token_id) for piece in frame.encode(word) for token_id in piece.ids]


async def test_in_ship_greedy_longest_match_differs_from_bpe() -> None:
    async with opened_as(RunConfig(str(SHIP))) as (app, _):
        frame = frame_of(app)
        frame = frame.at(frame.recorded_steps)
        for word, by_merges, greedily in (
            (" she", [b" s", b"he"], b" sh"),
            (" that", [b" t", b"hat"], b" th"),
        ):
            assert word in SHIP.read_text()
            assert cut(frame, word) == by_merges
            greedy = where_greedy_differs(frame, word.encode())
            assert greedy is not None
            assert greedy.token == greedily


async def test_of_the_swapped_tokenizer_six_tokens_are_never_encoded() -> None:
    async with opened_as(TokenizerConfig((str(SWAPPED),), corpus=str(SHIP))) as (app, pilot):
        await pilot.press("end", "3", "F", "d")
        rows = app.screen.query_one(VocabularyTable).rows
        frame = frame_of(app)
        told = row_texts(rows)
        never_encoded = ("·the", "the", "ther", "·th", "·other", "·this")
        assert len(told) == len(never_encoded)
        assert all(any(token in row.split() for row in told) for token in never_encoded)
        assert cut(frame, " the") == [b" ", b"th", b"e"]
        assert cut(frame, " other") == [b" o", b"th", b"e", b"r"]


async def test_the_lectures_toy_makes_the_merges_and_ids_of_the_lecture() -> None:
    (toy,) = (config for sample, config in samples() if sample.name == "cat_in_the_hat.txt")
    async with opened_as(toy) as (app, _):
        frame = frame_of(app).at(3)
        assert [frame.token(token_id) for token_id in (256, 257, 258)] == [b"th", b"the", b"the "]
        (piece,) = frame.encode("the quick brown fox")
        assert piece.ids == (258, *b"quick brown fox")


def test_check_finds_the_two_lines_that_are_swapped() -> None:
    report = check(None, Tokenizer.load(SWAPPED).merges, SHIP)
    assert report.explanations[0].cause == "swapped-lines"
    assert "merges 1 and 14" in str(report.explanations[0].sentence)
