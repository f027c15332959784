# ruff: noqa: F401
"""Names inside `bpe_tui/bpe` that tests need: they know the room, not its modules."""

from __future__ import annotations

from bpe_tui.bpe.dropout import DRAWS, DropoutRows, parse_dropout
from bpe_tui.bpe.encoding_screen import EncodingScreen, RegexPanel, RegexRows, WhyNotRows
from bpe_tui.bpe.heap_panel import PairsPanel
from bpe_tui.bpe.inspection_rows import SECTIONS
from bpe_tui.bpe.languages_panel import LanguagesPanel
from bpe_tui.bpe.lesson import BpeExplainer
from bpe_tui.bpe.merge_panel import MergePanel
from bpe_tui.bpe.narration import narrate, narrate_tie, report_step, sentences_about
from bpe_tui.bpe.summary_screens import CHARTS, EXPORTS, SaveTokenizer
from bpe_tui.bpe.tail import EXAMPLES as TAIL_EXAMPLES
from bpe_tui.bpe.tail import TailPanel
from bpe_tui.bpe.training_screen import (
    CorpusPanel,
    EncodedText,
    EncodeLine,
    PseudocodePanel,
    TrainingScreen,
    WordsPanel,
    characters_above,
)
from bpe_tui.bpe.transcript import BpeTranscript
from bpe_tui.bpe.walks import EncodeStepsPanel, LockstepPanel, PretokensPanel
from bpe_tui.bpe.what_if import Branches, WhatIf, WhatIfJob
from bpe_tui.bpe.windows import BreakpointRows, LedgerWindow
