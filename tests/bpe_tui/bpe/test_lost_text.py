"""Text that no token spells is marked where it is typed."""

from __future__ import annotations

from pathlib import Path

import pytest
from opening import opened_as, until

from bpe_tui.bpe.training_screen import EncodedText
from bpe_tui.bpe.walks import PretokensPanel
from bpe_tui.session.config import TokenizerConfig
from bpe_tui.widgets.rows import plain_text
from engine.formats.tokenizer_json import save_pipeline
from engine.pipeline import models, pretokenizers
from engine.pipeline.pipeline import Pipeline

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
