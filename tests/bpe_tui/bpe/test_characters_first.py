"""Characters that tokens cut are drawn once, over a mark for each of their bytes."""

from __future__ import annotations

from pathlib import Path

import pytest
from opening import SAMPLE, frame_of, opened, opened_as
from screen_text import row_text, row_texts

from bpe_tui.bpe.merge_panel import MergePanel
from bpe_tui.bpe.narration import narrate
from bpe_tui.bpe.training_screen import CorpusPanel, EncodedText, MergesPanel
from bpe_tui.session.config import RunConfig
from bpe_tui.widgets.rows import has_row_below, spans_width, with_below
from bpe_tui.widgets.visible import visible_bytes
from engine.analysis.explanation import explain


def texts(panel: CorpusPanel) -> list[str]:
    return [panel.render_line(y).text.rstrip() for y in range(panel.size.height)]


async def test_a_character_is_over_the_marks_of_its_tokens(tmp_path: Path) -> None:
    corpus = tmp_path / "korean.txt"
    corpus.write_text("따뜻한 따뜻한 바람\nplain\n", encoding="utf-8")
    async with opened(corpus, size=(120, 40), vocab_size=263) as (app, pilot):
        panel = app.screen.query_one(CorpusPanel)
        characters, marks, *_ = texts(panel)
        assert characters.startswith("따 뜻 한 │·따 뜻 한 │")
        assert marks.startswith("▂▄▂▄▂▄▂▄▂  ▂▄▂▄▂▄▂▄▂")
        assert "▂" not in texts(panel)[texts(panel).index("plain│⏎│") + 1]
        encoded = app.screen.query_one(EncodedText)
        await pilot.press("a")
        assert texts(panel)[0].startswith("EB94B0EB9CBB")
        assert encoded.render_line(0).text.startswith("EB  94  B0")
        assert app.focused is panel
        await pilot.press("a")
        assert texts(panel)[0] == characters
        assert encoded.render_line(0).text.startswith("따")
        await pilot.press("shift+right", "shift+right")
        assert str(panel.border_subtitle) == "·  id 32 │ bytes 20"
        await pilot.press("shift+right", "shift+right")
        assert "id 235 │ bytes EB" in str(panel.border_subtitle)
        await pilot.press("end")
        frame = frame_of(app)
        assert frame.step == 6
        whole = [frame.any_token(each) for each in frame.tokens_of(" 따뜻한".encode())]
        row, below, *_ = texts(panel)
        assert whole, row
        assert below.count("▂") + below.count("▄") < marks.count("▂") + marks.count("▄")


@pytest.mark.slow  # every word of a corpus at four steps
async def test_each_byte_of_a_cut_character_has_a_mark_and_no_other() -> None:
    async with opened(SAMPLE.parent / "unicode.txt", vocab_size=700) as (app, _):
        panel = app.screen.query_one(CorpusPanel)
        for step in (0, 20, 100, 300):
            app.seek(step)
            frame = frame_of(app)
            painter, cut = panel.painter(frame), 0
            for pretoken in (each for line in frame.excerpt.lines for each in line):
                (spans,) = painter.words(pretoken)
                row, *below = with_below(spans)
                assert [spans_width(each) for each in below] == [spans_width(row)] * len(below)
                cut += len(below)
                tokens = list(map(frame.any_token, frame.tokens_of(pretoken.bytes)))
                whole = all(each.decode("utf-8", "ignore").encode() == each for each in tokens)
                assert whole == (not below)
            assert cut


@pytest.mark.slow
async def test_characters_and_their_marks_are_in_sight_together() -> None:
    async with opened(SAMPLE.parent / "unicode.txt", size=(80, 24)) as (app, pilot):
        panel = app.screen.query_one(CorpusPanel)
        for step in range(20, 60, 4):
            app.seek(step)
            await pilot.pause()
            frame = frame_of(app)
            rows = panel.rows_of(frame, panel.room)
            line, above = panel.top
            hidden = list(panel.line_rows(frame, frame.excerpt.lines[line], panel.room))[:above]
            for row in (rows[-1], *hidden[-1:]):
                assert not has_row_below(row), step


async def test_a_letter_and_its_marks_are_one_character_if_tokens_cut_both(tmp_path: Path) -> None:
    corpus = tmp_path / "hindi.txt"
    corpus.write_text("काम काम\n", encoding="utf-8")
    config = RunConfig(str(corpus), vocab_size=258, pattern="whitespace")
    async with opened_as(config) as (app, _):
        characters, marks, *_ = texts(app.screen.query_one(CorpusPanel))
        assert characters.startswith("का    म")
        assert marks.startswith("▂▄▂▄▂▄▂▄▂")


@pytest.mark.slow
async def test_bytes_are_named_with_frequent_characters_that_have_them(tmp_path: Path) -> None:
    corpus = tmp_path / "chinese.txt"
    corpus.write_text("我们 我们 他们\n" * 3, encoding="utf-8")
    async with opened(corpus, size=(120, 40), vocab_size=270) as (app, pilot):
        await pilot.press("right")
        screen = app.screen
        merges = screen.query_one(MergesPanel)
        assert "E4+BB  in 们 他" in row_text(merges, 0)
        merge = screen.query_one(MergePanel)
        assert "the first 2 bytes of 们 他" in row_texts(merge)[:3]
        assert "It is the first 2 bytes of 们 他." in narrate(app.session.frame)
        asked = (["仁们"], [b"\xe4", b"\xbb"])
        piece, pair = (explain(app.session.frame, parts).describe(visible_bytes) for parts in asked)
        assert any(each.startswith("<E4 BB>+<81> (in 仁): the two never") for each in piece)
        assert "<E4>+<BB>: 12 at step 0; it merged itself at merge 1." in pair
