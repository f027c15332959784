"""The typed text: one for all screens, and long ones."""

import asyncio.events
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import thread_time
from typing import Any

import pytest
from generated import first_quick
from opening import opened, opened_as, until
from textual.events import Paste
from textual.pilot import Pilot
from textual.widgets import Input, TextArea

from bpe_tui.app.app import BpeTuiApp
from bpe_tui.bpe.training_screen import CorpusPanel
from bpe_tui.session.config import RunConfig
from bpe_tui.session.session import EXAMPLE
from bpe_tui.shell.panel import TokenPainter
from bpe_tui.widgets.lines import Lines
from engine.bpe.run import ENCODED_AHEAD
from engine.recording.affected_pretokens import Segmenter
from engine.text.excerpt import LONGEST_SHOWN

SENTENCE = "Once upon a time there was a little brown hen named Dot."
"""The first sentence of the open corpus."""


def line(app: BpeTuiApp, name: str = "encode-input") -> str:
    return app.screen.query_one(f"#{name}", Input).value


def text(app: BpeTuiApp) -> str:
    return app.screen.query_one("#text", TextArea).text


async def shown(pilot: Pilot[int], keys: str) -> None:
    await pilot.press(*keys.split())


async def test_a_text_typed_on_one_screen_is_shown_on_the_others() -> None:
    async with opened() as (app, pilot):
        await shown(pilot, "e end h e n")
        assert line(app) == f"{SENTENCE}hen", "End keeps what is there"
        await shown(pilot, "escape e h e n")
        assert line(app) == "hen", "typing replaces it"
        await shown(pilot, "escape 2")
        assert text(app) == "hen"
        await shown(pilot, "e end s escape 8")
        assert line(app, "pipeline-text") == "hens"
        await shown(pilot, "e c a t escape 2 e d o g escape 1")
        assert line(app) == "dog"
        await shown(pilot, "e ctrl+u escape 2")
        assert text(app) == "", "what is emptied stays empty"


async def test_after_typing_the_cursor_is_on_the_first_pretoken_that_changed() -> None:
    async with opened() as (app, pilot):
        app.session.type("one two three")
        await shown(pilot, "2")
        rows = app.screen.query_one("#pretokens", Lines)
        for keys, place in (
            ("e end s", 2),
            ("left left left left left left left x", 1),
            ("home space", 0),
            ("end backspace", 2),
        ):
            rows.cursor = 0
            await shown(pilot, keys)
            assert (keys, rows.cursor) == (keys, place)
        await shown(pilot, "escape right")
        assert rows.cursor == 2, "a step is no change of the text"


async def test_a_paste_of_several_lines_is_kept_whole_in_the_line_of_the_training_screen() -> None:
    async with opened() as (app, pilot):
        for keys, pasted, kept in (
            ("e", "low\nlower\r\n", "low\nlower"),
            ("e end", "er\n\nlow", "lower\n\nlow"),
            ("e", "one line", "one line"),
        ):
            await shown(pilot, keys)
            app.post_message(Paste(pasted))
            await until(pilot, lambda: app.session.text == kept)  # noqa: B023
            await shown(pilot, "escape 2")
            assert text(app) == kept
            await shown(pilot, "1")


@pytest.mark.parametrize("corpus", first_quick(["", "\x07\x1b[31m\n\x00\n"]))
async def test_without_a_harmless_sentence_an_example_is_encoded(
    tmp_path: Path, corpus: str
) -> None:
    odd = tmp_path / "odd.txt"
    odd.write_text(corpus + "\u200f" * 9)
    async with opened(odd, vocab_size=257) as (app, _):
        assert line(app) == EXAMPLE


CORPORA = {
    "one word of 1 MB": "abcdefgh" * 125_000,
    "one word of 10 MB": "abcdefgh" * 1_250_000,
    "one line of 10 MB": "abcdefgh " * 1_111_112,
    "100,000 documents": "a few words<|endoftext|>" * 100_000,
}
KEYS = (
    "right left end home z z a p v p W m w escape 0 right left full_stop end z z a "
    "2 right end home e a left escape 3 down end home slash a escape 4 right end 5 6 7 8 9 1"
)
SECONDS = 1.0
"""Longest time in which no other key is dealt with; alone on a machine it is a third."""


@pytest.mark.slow
async def test_no_key_takes_a_long_pretoken_apart_or_draws_more_than_its_beginning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus = tmp_path / "one-word.txt"
    corpus.write_text("abcd" * (ENCODED_AHEAD // 4 + 1))
    encoded, drawn = [0], [0]

    def tokens_at(
        self: Segmenter, pretoken: bytes, step: int, of: Any = Segmenter.tokens_at
    ) -> Any:
        encoded.append(len(pretoken))
        return of(self, pretoken, step)

    def tokens(self: TokenPainter, ids: Any, of: Any = TokenPainter.tokens) -> Any:
        drawn.append(len(spans := of(self, ids)))
        return spans

    monkeypatch.setattr(Segmenter, "tokens_at", tokens_at)
    monkeypatch.setattr(TokenPainter, "tokens", tokens)
    async with opened_as(RunConfig(str(corpus), vocab_size=262, min_count=1)) as (app, pilot):
        panel = app.screen.query_one(CorpusPanel)
        rows = ["".join(text for text, _ in panel.row(row).spans) for row in range(panel.row_count)]
        assert len(rows) == panel.size.height or rows[-1].endswith("…")
        assert panel._foot.startswith("line 1 of 1 read for show")
        await pilot.press("right", "left", "end", "z", "0", "left", "full_stop", "right", "z")
    assert max(encoded) == LONGEST_SHOWN
    assert LONGEST_SHOWN < max(drawn) <= 2 * LONGEST_SHOWN


@contextmanager
def longest_wait(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[float]]:
    """Give a list of one number: the longest time of a callback, during which no key is heard."""
    longest = [0.0]

    def run(self: asyncio.events.Handle, of: Any = asyncio.events.Handle._run) -> None:
        began = thread_time()
        of(self)
        longest[0] = max(longest[0], thread_time() - began)

    with monkeypatch.context() as patched:
        patched.setattr(asyncio.events.Handle, "_run", run)
        yield longest


@pytest.mark.nightly
@pytest.mark.parametrize("name", CORPORA)
async def test_no_key_makes_the_screen_wait_for_a_long_text(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus = tmp_path / "corpus.txt"
    corpus.write_text(CORPORA[name])
    slow = {}
    async with opened_as(RunConfig(str(corpus), vocab_size=264)) as (_, pilot):
        await pilot.press(*"0123456789")  # importing and styling a screen is not its work
        for key in KEYS.split():
            with longest_wait(monkeypatch) as longest:
                await pilot.press(key)
                await pilot.pause(0.2)
            if longest[0] > SECONDS:
                slow[key] = longest[0]
    assert slow == {}
