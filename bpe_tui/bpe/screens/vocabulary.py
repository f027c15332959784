"""The vocabulary screen of BPE: all tokens, the merge tree of one, and its bytes."""

from __future__ import annotations

from bpe_tui.bpe.screens import BpeScreen
from bpe_tui.session.commands.command import VOCABULARY
from bpe_tui.session.session import Session
from bpe_tui.views.token_detail import LanesPanel, MergeTreePanel
from bpe_tui.views.vocabulary_screen import VocabularyPanel, VocabularyScreen
from bpe_tui.widgets.numbers import number, plural


class BpeVocabularyScreen(VocabularyScreen, BpeScreen):
    """The tokens of the timeline's step."""

    NAME = VOCABULARY
    TABLE = VocabularyPanel
    TREE = MergeTreePanel
    LANES = LanesPanel

    def heading(self, session: Session, room: int) -> str:
        frame = session.frame
        assert frame is not None
        if frame.has_corpus:
            counted = f"{plural(frame.token_count, 'token')} in the corpus"
        elif frame.run.uncountable is not None:
            counted = "nothing is counted, since it changes a text before it cuts it"
        else:
            counted = "no corpus, so nothing is counted; o opens one"
        return (
            f"Vocabulary after step {number(frame.step)} of {number(frame.recorded_steps)} · "
            f"{plural(frame.vocab_size, 'token')} · {counted}"
        )
