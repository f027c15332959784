"""The comparison of all kinds of tokenizers, driven by keys."""

import re
from functools import cache
from pathlib import Path

import pytest
from opening import SAMPLE, opened, until
from rows_of_models import table_rows
from screen_text import row_texts, shown
from textual.pilot import Pilot
from textual.widgets import Static

from bpe_tui.app.app import BpeTuiApp
from bpe_tui.session.declarations import FAMILY
from bpe_tui.session.models import MODELS
from bpe_tui.session.threads import Cancelled
from bpe_tui.shell.commands import commands_on
from bpe_tui.studies.model_table import (
    FamilyJob,
    FamilyScreen,
)
from bpe_tui.studies.model_table_panels import (
    STRIPS,
    TRAINED,
    TRAINS,
    FamilyDetails,
    FamilyStrips,
    FamilyTable,
    KindEntry,
    _beginning,
)
from engine.analysis.model_table import KindRow, Untrained, try_training
from engine.analysis.tokenizer_kinds import KINDS, ComparableTokenizer


@cache
def trained(
    name: str, corpus: bytes, vocab_size: int, special_tokens: tuple[str, ...]
) -> ComparableTokenizer | Untrained:
    return try_training(name, corpus, vocab_size, special_tokens)


@pytest.fixture
def corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a corpus; each kind is trained on it once, not for each table."""
    monkeypatch.setattr(
        "bpe_tui.studies.model_table.try_training",
        lambda name, learnt, size, specials, _: trained(name, learnt, size, tuple(specials)),
    )
    place = tmp_path / "story.txt"
    place.write_bytes(SAMPLE.read_bytes()[:5_000])
    return place


def keys_to(name: str) -> list[str]:
    """Return the keys from `bpe`, on which the table opens, to another row."""
    rows = list(KINDS).index(name) - list(KINDS).index("bpe")
    return ["down" if rows > 0 else "up"] * abs(rows)


async def measured(app: BpeTuiApp, pilot: Pilot[int]) -> FamilyTable:
    """Return the table once it has all rows."""
    await pilot.press("7")
    rows = app.screen.query_one(FamilyTable)
    await until(pilot, lambda: rows.entries and all(entry.row for entry in rows.entries))
    return rows


async def test_the_table_shows_the_rows_of_the_engine(corpus: Path) -> None:
    async with opened(corpus, vocab_size=400) as (app, pilot):
        rows = await measured(app, pilot)
        specials = ["<|endoftext|>"]
        expected = list(table_rows(corpus.read_bytes(), 400, specials))
        grown = [row for row in expected if isinstance(row, KindRow) and KINDS[row.name].model]
        least = min(row.vocab_size for row in grown)  # subwords are compared at one size
        again = table_rows(corpus.read_bytes(), least, specials)
        expected = [
            other if row in grown else row for row, other in zip(expected, again, strict=True)
        ]
        await until(pilot, lambda: [entry.row for entry in rows.entries] == expected)
        shown = row_texts(rows)
        assert [row.strip("❯ ").split()[0] for row in shown] == list(KINDS)
        for row, truth in zip(shown, expected, strict=True):
            assert isinstance(truth, KindRow)
            assert f"{truth.unseen.tokens:,}" in row
        heading = app.screen.query_one("#heading", Static)
        facts = [
            "story.txt",
            "all learn from the first 4.5 KB",
            f"subwords of one size, {least} tokens",
            "measured on what follows",
        ]
        for width, kept in ((60, [0, 2]), (100, [0, 1, 2]), (120, [0, 1, 2, 3])):
            await pilot.resize_terminal(width, 40)
            said = " │ ".join(facts[place] for place in kept)
            await until(pilot, lambda: heading.content == said)  # noqa: B023
        await pilot.press("e", "ctrl+u", *"teh cat", "enter")
        strips = app.screen.query_one(FamilyStrips)
        await until(pilot, lambda: "2 tokens" not in (cuts := row_texts(strips))[1] and cuts[0])
        assert app.session.text == "teh cat"  # the text of the other screens
        for cut, name in zip(row_texts(strips), STRIPS, strict=True):
            tokenizer = next(e.tokenizer for e in rows.entries if e.name == name)
            assert tokenizer is not None
            counted = f"{len(tokenizer.encode('teh cat'))} tokens of {least}"
            assert re.sub(" +", " ", cut).strip().endswith(counted)
        assert rows.entries[0].row == expected[0]  # the table stays about the corpus
        screen, details = app.screen, app.screen.query_one(FamilyDetails)
        assert isinstance(screen, FamilyScreen)
        ways = {name: screen._training_of(name) for name in KINDS}
        assert {name: (way.units, way.pattern) for name, way in ways.items() if way} == {
            name: (kind.units, kind.pattern) for name, kind in KINDS.items() if kind.model
        }
        await pilot.press("tab", "home", "enter")
        assert (app.focused, details.cursor) == (details, 0)  # words have no training to go to
        screen._about = None  # as of another corpus
        screen.show_session(app.session)
        assert (heading.content, app.focused, rows.cursor) == ("story.txt", rows, 4)
        screen._take(1000)
        sizes = "at the most 400 tokens │ measured on what follows"
        assert heading.content == f"story.txt │ all learn from the first 1 KB │ {sizes}"
        assert "waits for the others" in rows.render_line(1).text
        screen._take(KindEntry("word", "The reason."))
        assert rows.render_line(1).text.split(maxsplit=1) == ["word", "The reason.".ljust(98)]


async def test_enter_explains_a_row_and_leads_to_the_model(corpus: Path) -> None:
    async with opened(corpus, vocab_size=400) as (app, pilot):
        rows = await measured(app, pilot)
        details = app.screen.query_one(FamilyDetails)
        await pilot.press("enter", "z", "escape")
        assert (app.focused, app.screen.zoomed) == (details, None)  # type: ignore[attr-defined]
        await pilot.press("escape")
        assert app.focused is rows
        session = app.session
        await pilot.press("enter", "enter")
        assert (app.session, app.screen.id) == (session, "training")  # it is open already
        await pilot.press("7", "escape", *keys_to("wordpiece"), "enter")
        said = shown(details)
        assert app.focused is details
        assert "trains this WordPiece on the corpus" in said
        await pilot.press("enter")
        assert app.session.model.name == "wordpiece"
        assert app.session.came_from is session


def entries(posted: list[object]) -> list[KindEntry]:
    return [news for news in posted if isinstance(news, KindEntry)]


def test_a_training_that_takes_long_is_stopped_and_one_that_is_impossible_says_why(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("bpe_tui.studies.model_table.SECONDS", 0.0)
    monkeypatch.setattr("bpe_tui.studies.model_table.monotonic", lambda: 0.0)
    posted: list[object] = []
    FamilyJob("to be or not to be " * 20, 400, (), posted.append).work()
    found = {news.name: news for news in entries(posted) if news.row}
    assert found["bpe"].stopped
    assert found["bpe"].measured.vocab_size == 257  # one merge was made
    assert not found["word"].stopped
    assert "unigram" not in found  # it has nothing to show before its end
    posted.clear()
    FamilyJob("to be or not to be " * 20, 20, (), posted.append).work()
    why = {news.name: news.state for news in entries(posted) if not news.row}
    assert (why["word"], "too small" in why["bpe"]) == (TRAINS, True)


def test_no_figure_is_shown_before_all_subwords_have_one_size() -> None:
    posted: list[object] = []
    job = FamilyJob("to be or not to be " * 20, 400, (), posted.append)
    job.work()
    measured = [each.row for each in entries(posted) if each.row]
    assert [(row.name, row.vocab_size) for row in measured if KINDS[row.name].model] == [
        # No BPE on bytes has so few tokens.
        *(("bpe", 265), ("bpe-characters", 12), ("bpe-end-of-word", 12), ("bpe-whole-text", 272)),
        *(("wordpiece", 12), ("unigram", 12)),
    ]
    waiting = [each.name for each in posted if getattr(each, "state", "") == TRAINED]
    assert waiting == [name for name, kind in KINDS.items() if kind.model]
    posted.clear()
    job.cancel()
    for work in (job.work, job._go_on):
        with pytest.raises(Cancelled):
            work()
    assert posted == []


@pytest.mark.parametrize(
    ("text", "most", "beginning"),
    [
        ("ab cd", 5, "ab cd"),
        ("ab cd", 4, "ab"),
        ("abcd", 3, "abc"),
        ("a bc", 3, "a"),
        (" ab", 2, " a"),
    ],
)
def test_the_beginning_of_a_text_ends_at_a_blank_if_it_has_one(
    text: str, most: int, beginning: str
) -> None:
    assert _beginning(text, most) == beginning


def test_kinds_with_steps_open_as_models_and_no_key_moves_a_hidden_step() -> None:
    actions = {command.action for command in commands_on(FAMILY)}
    assert not actions & {"app.go_to", "app.step(1)", "app.step(100)", "app.step(-100)"}
    assert {kind.model for kind in KINDS.values()} == {None, *MODELS}
