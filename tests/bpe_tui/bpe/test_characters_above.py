"""Dim characters above their bytes in the corpus, where tokens cut them."""

from __future__ import annotations

from pathlib import Path

import pytest
from opening import SAMPLE, opened

from bpe_tui.bpe.training_screen import CorpusPanel, characters_above
from bpe_tui.widgets.rows import BORDERS, spans_width
from bpe_tui.widgets.visible import width


def texts(panel: CorpusPanel) -> list[str]:
    return [panel.render_line(y).text.rstrip() for y in range(panel.size.height)]


async def test_a_character_is_above_its_first_byte(tmp_path: Path) -> None:
    corpus = tmp_path / "korean.txt"
    corpus.write_text("따뜻한 따뜻한 바람\nplain\n", encoding="utf-8")
    async with opened(corpus, size=(120, 40), vocab_size=263) as (app, pilot):
        panel = app.screen.query_one(CorpusPanel)
        above, below, *_ = texts(panel)
        assert above.split() == ["따", "뜻", "한"]
        cells = {"따": "<EB>┊<94>┊<B0>", "뜻": "<EB>┊<9C>┊<BB>"}
        for character, its_bytes in cells.items():
            at = width(above[: above.index(character)])
            assert below[at:].startswith(its_bytes)
        first_plain = next(place for place, line in enumerate(texts(panel)) if "p┊l" in line)
        assert not texts(panel)[first_plain - 1].strip().startswith("p")
        await pilot.press("a")
        assert texts(panel)[0] == below
        await pilot.press("a")
        assert texts(panel)[0] == above
        await pilot.press("end")
        assert app.session.frame is not None
        assert app.session.frame.step == 6
        assert texts(panel)[0]  # rows keep their places until the line breaks change


@pytest.mark.slow  # every word of a corpus at four steps
async def test_the_row_above_is_as_wide_as_the_row_below() -> None:
    async with opened(SAMPLE.parent / "unicode.txt", vocab_size=700) as (app, _):
        panel = app.screen.query_one(CorpusPanel)
        for step in (0, 20, 100, 300):
            app.seek(step)
            frame = app.session.frame
            assert frame is not None
            painter = panel.painter(frame)
            cut = 0
            for pretoken in (each for line in frame.excerpt.lines for each in line):
                (spans,) = painter.words(pretoken)
                above = characters_above(frame, frame, pretoken, spans)
                assert [spans_width([span]) for span in above] == [
                    spans_width([span]) for span in spans
                ]
                cut += any(text.strip() for text, _ in above)
                whole = all(
                    frame.any_token(token).decode("utf-8", "ignore").encode()
                    == frame.any_token(token)
                    for token in frame.tokens_of(pretoken.bytes)
                )
                if whole:
                    assert not any(text.strip() for text, _ in above)
            assert cut


@pytest.mark.slow
async def test_characters_and_their_bytes_are_in_sight_together() -> None:
    async with opened(SAMPLE.parent / "unicode.txt", size=(80, 24)) as (app, pilot):
        panel = app.screen.query_one(CorpusPanel)
        for step in range(20, 60, 4):
            app.seek(step)
            await pilot.pause()
            frame = app.session.frame
            assert frame is not None
            rows = panel.rows_of(frame, panel.room)
            line, above = panel.top
            hidden = list(panel.line_rows(frame, frame.excerpt.lines[line], panel.room))[:above]
            for row in (rows[-1], *hidden[-1:]):
                assert any(role in BORDERS for _, role in row.spans), step
