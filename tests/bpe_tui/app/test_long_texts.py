"""What a key costs in a corpus of one long pretoken, of one long line, of many documents."""

from __future__ import annotations

import asyncio.events
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import thread_time
from typing import Any

import pytest
from opening import opened_as

from bpe_tui.bpe.training_screen import CorpusPanel
from bpe_tui.session.config import RunConfig
from bpe_tui.shell.panel import TokenPainter
from engine.bpe.run import ENCODED_AHEAD
from engine.recording.affected_pretokens import Segmenter
from engine.text.excerpt import LONGEST_SHOWN

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

    def encode(self: Segmenter, pretoken: bytes, of: Any = Segmenter.encode) -> Any:
        encoded.append(len(pretoken))
        return of(self, pretoken)

    def tokens(self: TokenPainter, ids: Any, of: Any = TokenPainter.tokens) -> Any:
        drawn.append(len(spans := of(self, ids)))
        return spans

    monkeypatch.setattr(Segmenter, "encode", encode)
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
