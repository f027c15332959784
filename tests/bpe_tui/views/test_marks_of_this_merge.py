"""The marks of the current merge: `a+b` before it joins, in a text that does not move."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from edges import edged
from generated import first_quick
from opening import each_size, opened, opened_as, until
from textual.widgets import Input, Static

from bpe_tui.session.config import RunConfig
from bpe_tui.views.corpus import ExcerptPanel
from bpe_tui.views.inspection_screen import InspectionPanel
from bpe_tui.views.panel import FRESH_ROLES, JOINING_ROLES, TokenPainter
from bpe_tui.views.training_panels import ChangedPretokensPanel, TypedTextPanel
from bpe_tui.widgets.lines import Lines
from bpe_tui.widgets.rows import Span
from bpe_tui.widgets.visible import visible_bytes, width
from engine import Timeline, Trainer

MODELS = ("bpe", "wordpiece")


def spans_of(panel: Lines) -> Iterator[Span]:
    for index in range(min(panel.row_count, panel.size.height)):
        yield from panel.row(index).spans


def text_of(panel: Lines) -> list[str]:
    rows = (panel.row(index) for index in range(min(panel.row_count, panel.size.height)))
    return [edged(row.spans) for row in rows]


def plain_of(panel: Lines) -> list[str]:
    rows = (panel.row(index) for index in range(min(panel.row_count, panel.size.height)))
    return ["".join(text for text, _ in row.spans) for row in rows]


def test_a_pair_joins_from_left_to_right() -> None:
    """Removing each `+` gives the tokens after the merge, for every step and pretoken."""
    counts = {b"aaaaa": 3, b"abaab": 2, b"a": 1}
    timeline = Timeline(counts, Trainer(counts, 262).steps())
    timeline.complete()
    for step in range(timeline.frame.recorded_steps):
        now, then = timeline.frame.at(step), timeline.frame.at(step + 1)
        painter = TokenPainter(now, marks=True)
        painter.joining, painter.fresh = now.next_pair, -1
        for pretoken in counts:
            text = edged(painter.tokens(now.tokens_of(pretoken)))
            after = "┊".join(visible_bytes(then.token(t)) for t in then.tokens_of(pretoken))
            assert text.replace("+", "") == after


@pytest.mark.parametrize("model", first_quick(MODELS))
@pytest.mark.parametrize("colourless", first_quick([False, True]))
async def test_the_next_merge_is_marked_without_extra_cells(
    model: str, colourless: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if colourless:
        monkeypatch.setenv("NO_COLOR", "1")
    async with opened(model=model) as (app, pilot):
        await pilot.press("e")
        app.screen.query_one("#encode-input", Input).value = "the other hen and the other cat"
        await pilot.press("escape")
        marked = 0
        for _ in range(6):
            await pilot.press("right")
            for kind in (ExcerptPanel, TypedTextPanel):
                panel = app.screen.query_one(kind)
                with_marks = text_of(panel)
                marked += sum(span[1] in JOINING_ROLES for span in spans_of(panel))
                panel.MARKS_NEXT = False  # type: ignore[misc]
                panel.rebuild()
                without = text_of(panel)
                panel.MARKS_NEXT = True  # type: ignore[misc]
                assert [row.replace("+", "┊") for row in with_marks] == without
        assert marked


async def test_words_show_the_join_and_a_line_nearly_all_tokens_with_the_number_of_others() -> None:
    async with opened() as (app, pilot):
        await pilot.press("right", "right", "right")
        merge = app.session.frame.merge  # type: ignore[union-attr]
        joined = "+".join(visible_bytes(part) for part in (merge.left, merge.right))
        for row in text_of(app.screen.query_one(ChangedPretokensPanel)):
            assert joined in row.partition("→")[0]
        app.seek(3)
        await pilot.pause()
        panel = app.screen.query_one(TypedTextPanel)
        tokens, ids = text_of(panel)
        assert tokens.startswith("O┊n┊c┊e│·┊u┊p┊o┊n│·a│")
        assert tokens.count("┊") + tokens.count("│") >= 50
        assert re.fullmatch(r"ids( \d+)+ … \d+ more", ids)
        app.seek(300)
        await pilot.pause()
        assert re.fullmatch(r"[\d ]+", text_of(panel)[1])  # the ids are below the tokens


@pytest.mark.slow  # a walk over sizes
@pytest.mark.parametrize("model", MODELS)
async def test_the_text_stays_while_the_merge_is_in_sight(model: str) -> None:
    """The text scrolls only to a merge that is not visible."""
    async with opened(model=model) as (app, pilot):
        panel = app.screen.query_one(ExcerptPanel)
        async for _ in each_size(pilot, [(120, 40), (80, 24)]):
            moved = 0
            app.session.seek(0)
            for _ in range(15):
                before = panel.top
                await pilot.press("right")
                frame = app.session.shown
                fresh = [text for text, role in spans_of(panel) if role in FRESH_ROLES]
                assert fresh, f"step {frame.step} shows nothing of its merge"  # type: ignore[union-attr]
                if panel.top != before:
                    moved += 1
                    there = panel.top
                    panel.top = before
                    panel.rebuild()
                    assert not any(role in FRESH_ROLES for _, role in spans_of(panel))
                    panel.top = there
                    panel.rebuild()
            # WordPiece merges rare pairs, which are seldom visible.
            assert moved < (8 if model == "bpe" else 16)


async def test_a_merge_deep_in_a_long_line_becomes_visible(tmp_path: Path) -> None:
    """A line of the corpus may have more rows than the panel."""
    corpus = tmp_path / "one_line.txt"
    corpus.write_text("low " * 150 + "zigzag zigzag")
    config = RunConfig(str(corpus), pattern="whitespace", vocab_size=262)
    async with opened_as(config, size=(80, 24)) as (app, pilot):
        panel = app.screen.query_one(ExcerptPanel)
        await pilot.press("end")
        assert app.session.frame.merge.token == b"zigz"  # type: ignore[union-attr]
        assert any(role in FRESH_ROLES for _, role in spans_of(panel))


@pytest.mark.slow  # a walk over steps and sizes
@pytest.mark.parametrize("model", MODELS)
async def test_columns_of_numbers_are_the_same_from_step_to_step(model: str) -> None:
    """Also when a count loses a digit between two powers of two, such as from 1,050 to 969."""
    async with opened(model=model) as (app, pilot):
        panels = [app.screen.query_one(f"#{panel}", Lines) for panel in ("pairs", "merge")]
        words = app.screen.query_one(ChangedPretokensPanel)
        async for _ in each_size(pilot, [(120, 40), (80, 24)]):
            for first, last in ((10, 15), (16, 22), (32, 38)):
                app.session.seek(first - 1)
                seen = set()
                for _ in range(first, last + 1):
                    await pilot.press("right")
                    rows = [
                        panel.row(place) for panel in panels for place in range(panel.row_count)
                    ]
                    texts = ["".join(text for text, _ in row.spans) for row in rows]
                    texts += [panel.render_line(0).text for panel in panels]
                    seen |= {
                        text.rstrip()
                        for text in texts
                        if re.match(" *(pair +recorded|recorded |pair  |changes  )", text)
                    }
                    seen |= {width(row.partition("→")[0]) for row in plain_of(words) if "→" in row}
                heads = {head for head in seen if isinstance(head, str)}
                assert len(heads) == (2 if model == "bpe" else 1)
                assert len(seen - heads) <= 1


@pytest.mark.parametrize("model", first_quick([*MODELS, "unigram"]))
async def test_the_heading_names_the_corpus_and_the_inspection_the_training(
    model: str,
) -> None:
    async with opened(model=model) as (app, pilot):
        heading = str(app.screen.query_one("#heading", Static).content)
        assert heading.startswith("tinystories_valid.txt")
        assert "153 KB │ 145 documents" in heading, heading
        for option in ("gpt2", "lexicographic", "reached", "rare", "distinct"):
            assert option not in heading, heading
        await pilot.press("5")
        overview = app.screen.query(InspectionPanel).first()
        await until(pilot, lambda: overview.row_count > 3)
        rows = [overview.row(place).spans for place in range(overview.row_count)]
        text = " ".join(" ".join(text for spans in rows for text, _ in spans).split())
        assert "153 KB, 145 documents" in text
        assert "ended: the vocabulary has the size asked for" in text
        assert "distinct" in text
