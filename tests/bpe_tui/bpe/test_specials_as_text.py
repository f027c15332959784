"""Ctrl+S on the encoding screen: special tokens as one id, or as ordinary text."""

from __future__ import annotations

from opening import opened
from textual.widgets import TextArea

from bpe_tui.bpe.walks import EncodeStepsPanel, PretokensPanel
from engine import Timeline, Trainer


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
