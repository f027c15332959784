"""The chunks of a corpus: sentences and the strip worked by hand, the screen, the commands."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from opening import SAMPLE, opened_as, until
from screen_text import unwrapped

from bpe_tui.cli import main
from bpe_tui.session.config import RunConfig
from bpe_tui.session.training import SWITCH
from bpe_tui.studies.chunks import ChunksScreen
from bpe_tui.widgets.lines import Lines
from engine import ChunkCounted, ChunkLog
from engine.counting.chunk_boundaries import CourseCuts, EvenCut
from engine.counting.chunk_log import ChunkReport

COURSE = CourseCuts("<s>", 27, [EvenCut(9, 20), EvenCut(18, 20)])
"""The cuts of `one two<s>three four<s>five` in 3 parts."""


def two_threads() -> ChunkReport:
    """Chunks of 10, 10 and 7 bytes; the middle one is of the second thread."""
    log = ChunkLog()
    log.add(ChunkCounted(0, 0, 10, 1, 7, 0.002, 3, False))
    log.add(ChunkCounted(1, 10, 10, 2, 7, 0.5, 2, True))
    log.add(ChunkCounted(2, 20, 7, 1, 7, 1.5, 1, False))
    return log.report


async def test_the_screen_shows_chunks_and_cuts_and_asks_for_other_parts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(SWITCH, "no")
    config = RunConfig(str(SAMPLE), vocab_size=300)
    async with opened_as(config) as (app, pilot):
        await pilot.press("K")
        await until(pilot, lambda: isinstance(app.screen, ChunksScreen))
        strip, cuts, table = (
            app.screen.query_one(f"#{name}", Lines) for name in ChunksScreen.PANEL_ORDER
        )
        await until(pilot, lambda: "4 equal parts" in unwrapped(strip))
        assert "1 38,274 38,568 +294" in unwrapped(cuts)
        assert "Counted by 1 thread: 153 KB in 1 chunk; 38,604 pretokens." in unwrapped(table)
        app.screen._of = None  # type: ignore[attr-defined]  # as of another corpus
        app.screen.show_session(app.session)  # type: ignore[attr-defined]
        assert unwrapped(cuts).startswith("Looking for special tokens after the even cuts …")
        await pilot.press("-", "-")
        await until(pilot, lambda: "2 equal parts" in unwrapped(strip))
        for by, parts in ((-9, 1), (99, 64)):  # the fewest and the most
            app.screen.action_more(by)  # type: ignore[attr-defined]
            assert app.screen._parts == parts  # type: ignore[attr-defined]
            assert unwrapped(cuts).startswith("Looking for special tokens after the even cuts …")
        await pilot.press("1")
        await until(pilot, lambda: not isinstance(app.screen, ChunksScreen))


def test_plain_answers_chunks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "tiny.txt").write_text("one two<s>three four<s>five")
    monkeypatch.setattr("sys.stdin", io.StringIO("chunks 3\nchunks 0\nchunks x\n"))
    options = ["--plain", "--special", "<s>"]
    assert main(["open", str(tmp_path / "tiny.txt"), *options]) == 0
    shown_text = capsys.readouterr().out
    assert "Counted by 1 thread: 27 B in 1 chunk; 5 pretokens." in shown_text
    assert "The even cut at byte 18 moves 2 bytes on, to 20." in shown_text
    assert shown_text.count("Say a number of parts up to 64, like chunks 8.") == 2


def test_train_says_how_a_corpus_of_several_chunks_was_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BPE_TUI_CACHE", "no")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "big.txt").write_text("one two three\n" * 80_000)
    arguments = ["train", str(tmp_path / "big.txt"), "--vocab-size", "258"]
    assert main([*arguments, "--out", str(tmp_path / "t")]) == 0
    assert "1.12 MB in 3 chunks, cut where no pretoken crosses;" in capsys.readouterr().err
    assert not (tmp_path / "cache").exists()


def test_the_lesson_on_the_heap_shows_the_chunks_without_a_screen_too(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("\n" * 9 + "quit\n"))
    assert main(["learn", "18", "--plain"]) == 0
    scene = capsys.readouterr().out.partition("Count in parallel.")[2]
    assert "Counted by 1 thread: 153 KB in 1 chunk; 38,604 pretokens." in scene
    assert "The even cut at byte 38,274 moves 294 bytes on, to 38,568." in scene
