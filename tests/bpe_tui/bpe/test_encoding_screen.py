"""The encoding screen: lanes of tokens, candidates, lost text, special tokens as text."""

import json
from pathlib import Path
from typing import Any

import pytest
from bert_file import BERT
from edges import edged
from opening import SAMPLE, opened, opened_as, session_of, until
from screen_text import encoding, row_texts, shown
from textual.screen import Screen
from textual.widgets import Input, TextArea

from bpe_tui.bpe.training_screen import EncodedText
from bpe_tui.bpe.walks import EncodeStepsPanel, PretokensPanel
from bpe_tui.dialogs import why
from bpe_tui.dialogs.why import AnswerRows
from bpe_tui.panels import encoding_screen, training_panels
from bpe_tui.panels.training_panels import over_ids
from bpe_tui.session.config import RunConfig, TokenizerConfig
from bpe_tui.shell.panel import TokenPainter
from bpe_tui.widgets.rows import plain_text, spans_width
from engine import Timeline, Trainer
from engine.formats import save
from engine.formats.tokenizer_json import save_pipeline
from engine.pipeline import models, pretokenizers
from engine.pipeline.pipeline import Pipeline


def asked_in(screen: Screen[Any]) -> tuple[str, list[str]]:
    """Return the title of the window that `w` opens, and its rows."""
    return str(screen.query_one("#why").border_title), row_texts(screen.query_one(AnswerRows))


async def test_w_asks_about_the_pretoken_in_each_place_then_about_what_is_typed() -> None:
    async with encoding("a kite the he kite") as (app, screen, pilot):
        await pilot.press("down", "w")
        await until(pilot, lambda: len(asked_in(app.screen)[1]) > 5)
        title, rows = asked_in(app.screen)
        assert title == "why is ·kite not one token?"
        assert [row for row in rows if row.startswith("at byte")] == [
            "at byte 1, after …a",
            "at byte 13, after …·kite·the·he",
        ]
        await pilot.press("h", "e")
        await until(pilot, lambda: "he" in asked_in(app.screen)[0])
        rows = asked_in(app.screen)[1]
        assert "“he” was one token, until “·t” + “he” (merge 6)" in " ".join(rows)
        await pilot.press("escape")
        assert screen.focused is screen.query_one("#pretokens")


@pytest.mark.slow
async def test_w_asks_about_the_selected_text_and_at_most_at_some_places() -> None:
    async with encoding("the kite " + "ki" * 30) as (app, screen, pilot):
        await pilot.press("e")
        screen.query_one(TextArea).move_cursor((0, 4))
        screen.query_one(TextArea).move_cursor((0, 6), select=True)
        await pilot.press("escape", "w")
        assert app.screen.query_one(Input).value == "ki"
        await until(pilot, lambda: len(asked_in(app.screen)[1]) > 5)
        rows = asked_in(app.screen)[1]
        assert rows[-1] == "It occurs at more places."
        assert sum(row.startswith("at byte") for row in rows) == why.PLACES_SHOWN


@pytest.mark.slow
async def test_w_accepts_a_piece_that_no_line_can_show() -> None:
    async with encoding("\x1b") as (app, _, pilot):
        await pilot.press("w")
        await until(pilot, lambda: asked_in(app.screen)[1][0].startswith("“␛” is one token here"))


@pytest.mark.slow
async def test_a_model_without_a_walk_shows_its_rule_instead(tmp_path: Path) -> None:
    words = {"type": "WordLevel", "vocab": {"<unk>": 0, "the": 1}, "unk_token": "<unk>"}
    (tmp_path / "tokenizer.json").write_text(json.dumps(BERT | {"model": words}))
    async with opened_as(TokenizerConfig((str(tmp_path / "tokenizer.json"),))) as (app, pilot):
        app.navigation.open_encoding("The hugs", look=True)
        await pilot.pause()
        steps = app.screen.query_one(EncodeStepsPanel)
        assert str(steps.border_title) == "how the encodes   WordLevel"
        text_shown = " ".join(shown(steps).split())
        assert text_shown.startswith("the 1 token. WordLevel merges nothing: it looks the whole")


@pytest.mark.slow
async def test_the_longest_match_of_an_opened_vocabulary_is_walked(tmp_path: Path) -> None:
    (tmp_path / "tokenizer.json").write_text(json.dumps(BERT))
    async with opened_as(TokenizerConfig((str(tmp_path / "tokenizer.json"),))) as (app, pilot):
        app.navigation.open_encoding("The hugs", look=True)
        await pilot.pause()
        pretokens = app.screen.query_one(PretokensPanel)
        assert str(pretokens.border_subtitle) == "cut by BertPreTokenizer"
        assert shown(pretokens).split() == ["❯", "the", "1", "hugs", "2"]
        await pilot.press("down")
        steps = app.screen.query_one(EncodeStepsPanel)
        rows = [line.split() for line in shown(steps).splitlines()]
        assert rows[1:4] == [
            ["1", "────", "hugs", "no"],
            ["2", "━━━", "hug", "found,", "id", "1"],
            ["▸", "3", "━", "##s", "found,", "id", "2"],
        ]
        assert str(steps.border_title) == "how hugs encodes   probe 3 of 3"
        assert str(steps.border_subtitle) == "found: hug ##s"
        await pilot.press(*["left"] * 20, "right")
        assert steps.place == 1
        assert shown(steps).splitlines()[1].split() == ["▸", "1", "────", "hugs", "no"]


@pytest.mark.slow
async def test_merges_of_characters_start_from_characters(tmp_path: Path) -> None:
    trainer = Trainer({b"low": 3}, 6, units="characters")
    learnt = trainer.record.to_tokenizer(len(list(trainer.steps())), "none")
    save(learnt, tmp_path / "tokenizer.json", "huggingface")
    async with opened_as(TokenizerConfig((str(tmp_path / "tokenizer.json"),))) as (app, pilot):
        app.navigation.open_encoding("low", look=True)
        await pilot.pause()
        first = edged(app.screen.query_one(EncodeStepsPanel).row(0).spans)
        assert first.split() == ["characters", "l┊o┊w"]


@pytest.mark.parametrize("marks", [False, True])
def test_lines_break_at_the_same_places_as_if_all_were_made_at_once(marks: bool) -> None:
    frame = session_of(RunConfig(str(SAMPLE), vocab_size=400)).frame
    assert frame is not None
    painter = TokenPainter(frame.at(frame.recorded_steps), marks=marks)
    text = SAMPLE.read_text("utf-8")[:500] + "x" * 200
    words = [piece.ids for piece in painter.frame.encode(text)]
    for room in (76, 20, 9, 3):
        tokens = (each for ids in words for each in training_panels._over_ids(painter, ids))
        at_once = training_panels.over_labels(tokens, room)
        rows = over_ids(painter, words, room)
        assert list(rows) == at_once
        assert all(spans_width(row.spans) <= room for row in rows)
        text_shown = "".join(text.strip() for row in rows[1::2] for text, _ in row.spans)
        if room > 9:  # else an id is wider than its line
            assert text_shown == "".join(str(token_id) for ids in words for token_id in ids)


def test_the_tokens_of_a_long_word_are_made_once_for_all_its_rows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    counts = {b"ab": 1}
    painter = TokenPainter(Timeline(counts, Trainer(counts, 256).steps()).frame, marks=False)
    made = []
    make = painter.units
    monkeypatch.setattr(painter, "units", lambda ids: (made.append(len(ids)), make(ids))[1])
    assert len(over_ids(painter, [[97] * 1000], 30)[:40]) == 40
    assert made == [1000]


@pytest.mark.slow  # a text of 100,000 characters
async def test_of_a_long_text_only_the_lines_in_sight_are_made(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = []
    make = training_panels.over_labels
    monkeypatch.setattr(
        training_panels, "over_labels", lambda *given: (made.append(1), make(*given))[1]
    )
    async with opened() as (app, pilot):
        app.navigation.open_encoding(SAMPLE.read_text("utf-8")[:100_000])
        await pilot.pause()
        panel = app.screen.query_one(EncodedText)
        await until(pilot, lambda: panel.row_count > 1000)
        made.clear()
        app.screen.query_one(TextArea).move_cursor((0, 0))
        await pilot.press("x")
        await until(pilot, lambda: panel.text.startswith("x"))
        assert 0 < len(made) < 200


async def test_a_long_text_is_encoded_when_the_typing_pauses(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(encoding_screen, "LONG_TEXT", 5)
    async with encoding("") as (_, screen, pilot):
        panel, field = screen.query_one(EncodedText), screen.query_one(TextArea)
        for pause, typed in ((60, "lower"), (60, "lowers"), (0.05, "lowest")):
            monkeypatch.setattr(encoding_screen, "PAUSE_SECONDS", pause)
            field.load_text(typed)
            await until(pilot, lambda: screen.session.text == field.text)
            assert panel.text == "lower" or pause != 60
        await until(pilot, lambda: panel.text == "lowest")


BYTES = pretokenizers.ByteLevel(add_prefix_space=False)


@pytest.mark.parametrize(
    ("vocab", "cut", "text", "marked", "said"),
    [
        (["u", "g", "ug"], pretokenizers.Whitespace(), "mug", [("m", "stale"), ("ug", "")], "m"),
        (["t", "æ", "¼"], BYTES, "t漢", [("t<E6 BC>", ""), ("<A2>", "stale")], "<A2>"),
    ],
)
async def test_what_is_lost_is_struck_through_and_named(
    vocab: list[str],
    cut: pretokenizers.PreTokenizer,
    text: str,
    marked: list[tuple[str, str]],
    said: str,
    tmp_path: Path,
) -> None:
    merges = [("u", "g")] if "ug" in vocab else []
    model = models.BPE({token: place for place, token in enumerate(vocab)}, merges)
    save_pipeline(Pipeline(model, pre_tokenizer=cut), tmp_path / "tokenizer.json", False)
    async with opened_as(TokenizerConfig((str(tmp_path),))) as (app, pilot):
        app.navigation.open_encoding(text, look=True)
        await until(pilot, lambda: app.screen.query(PretokensPanel))
        await pilot.pause()
        row = app.screen.query_one(PretokensPanel).row(0)
        assert [span for span in row.spans if span[0].strip() and span in marked] == marked
        tokens = app.screen.query_one("#tokens-and-ids", EncodedText)
        assert plain_text(tokens.row(tokens.row_count - 1).spans) == f"{said}: no token, dropped"


async def test_specials_switch_between_one_id_and_text_while_typing() -> None:
    async with opened(vocab_size=300) as (app, pilot):
        await pilot.press("2")
        text = app.screen.query_one("#text", TextArea)
        text.load_text("a<|endoftext|>")
        await pilot.pause()
        pretokens = app.screen.query_one(PretokensPanel)
        assert pretokens.row_count == 2
        assert "as one id" in str(text.border_subtitle)
        await pilot.press("down")
        steps = app.screen.query_one(EncodeStepsPanel)
        assert (str(steps.border_title), steps.head) == ("merges of the pretoken", ())
        await pilot.press("ctrl+s")
        assert pretokens.row_count == 4  # a <| endoftext |>
        assert "as text" in str(text.border_subtitle)
        await pilot.press("ctrl+s")
        assert pretokens.row_count == 2


def test_a_frame_with_specials_as_text_encodes_like_a_tokenizer_that_allows_none() -> None:
    counts = {b"<s>": 3, b" <": 2}
    steps = list(Trainer(counts, 259, ["<s>"]).steps())
    frame = Timeline(counts, steps, pattern="gpt2").seek(2)
    plain = frame.with_specials_as_text()
    ids = [token_id for piece in plain.encode("<s> <s>") for token_id in piece.ids]
    assert ids == frame.tokenizer().allowing([]).encode("<s> <s>")
    assert plain.rules.splitter.tokens == frozenset()
    assert not plain.looks_like(frame)
    assert [piece.ids for piece in frame.encode("<s>")] == [(256,)]


async def test_the_tokens_get_the_rows_that_they_need_once_they_are_narrower() -> None:
    async with opened(vocab_size=300) as (app, pilot):
        await pilot.press("2")
        tokens = app.screen.query_one(EncodedText)
        await until(pilot, lambda: tokens.row_count == tokens.size.height)
        before = tokens.row_count
        tokens.styles.width = 80  # as beside the text of a lesson
        await until(pilot, lambda: tokens.row_count == tokens.size.height > before)
