"""WordPiece on the screens of BPE: a piece of the vocabulary, its tree and its lanes, by keys."""

from __future__ import annotations

from pathlib import Path

from edges import text_of
from opening import opened, step
from wordpiece_screen import corpus as corpus

from bpe_tui.panels.token_detail import MergeTreePanel
from bpe_tui.wordpiece.encoding_screen import WordPieceLanesPanel
from bpe_tui.wordpiece.summary_screens import WordPieceVocabularyScreen
from bpe_tui.wordpiece.training_screen import WordPieceTrainingScreen


async def test_a_piece_has_a_tree_down_to_characters_and_leads_to_its_merge_and_back(
    corpus: Path,
) -> None:
    async with opened(corpus, model="wordpiece") as (app, pilot):
        await pilot.press("end", "3")
        await pilot.pause()
        before = step(app)
        await pilot.press("slash", *"##gs", "enter", "enter")
        await pilot.pause()
        assert isinstance(app.screen, WordPieceTrainingScreen)
        assert step(app) == 1
        await pilot.press("escape")
        await pilot.pause()
        assert isinstance(app.screen, WordPieceVocabularyScreen)
        assert step(app) == before
        await pilot.press("slash", "ctrl+u", "escape")
        await pilot.press("end", "3", "slash", *"hugs", "enter")
        await pilot.pause()
        tree = "\n".join(text_of(app.screen.query_one(MergeTreePanel)))
        assert "├─ " in tree
        assert "##gs" in tree
        lanes = text_of(app.screen.query_one(WordPieceLanesPanel))
        assert [line.split()[0] for line in lanes] == ["characters", "bytes", "pieces", "ids"]
