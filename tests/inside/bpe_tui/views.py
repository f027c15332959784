# ruff: noqa: F401
"""Names inside `bpe_tui/views` that tests need: they know the room, not its modules."""

from __future__ import annotations

from bpe_tui.views import training_panels
from bpe_tui.views.charts import ChartPanel, ChartsScreen, FrequentPanel, GainsPanel, distance
from bpe_tui.views.chunks import (
    describe_all,
    describe_counting,
    describe_course,
    lanes_of,
    strip_rows,
)
from bpe_tui.views.commands import (
    LEGENDS,
    SIGNS,
    WORDS,
    commands_on,
    explain_dead_key,
    hanging,
    help_text,
    key_of_screen,
    kinds_with,
    legend_of,
)
from bpe_tui.views.corpus import CorpusPlace, ExcerptPanel, MergingExcerptPanel
from bpe_tui.views.dialog import SaveFile
from bpe_tui.views.encoding_screen import LONG_TEXT, ROOMY_ROWS
from bpe_tui.views.explanation import (
    BAR_BESIDE_FRACTION,
    REMARK,
    BarColumns,
    Beat,
    CountRoom,
    StepMoment,
)
from bpe_tui.views.exports import ExportSource, screen_text
from bpe_tui.views.heap_table import EntryTable, TableRoom
from bpe_tui.views.inspection_screen import InspectionPanel, InspectionScreen
from bpe_tui.views.narration import (
    ENDED,
    add_stop,
    first_fitting,
    heading,
    narrate_end,
    narrate_undone,
)
from bpe_tui.views.panel import ABOUT_TO_JOIN, BORDER_CELLS, FramePanel, Panel, TokenPainter
from bpe_tui.views.panel_screen import NotePanel, PanelScreen
from bpe_tui.views.player_screen import StepsScreen
from bpe_tui.views.report import escaped, json_lines, markdown, step_markdown
from bpe_tui.views.session_screen import SessionScreen
from bpe_tui.views.targets import ToChange, ToPair, ToPiece, ToStep, ToToken
from bpe_tui.views.token_detail import (
    Label,
    Lane,
    LanesPanel,
    MergeTreePanel,
    bracketed,
    branches,
    break_lines,
    column_widths,
    describe_spelling,
    flush_left,
    token_text,
)
from bpe_tui.views.token_table import TokenRows, VocabularyPanel, VocabularyScreen
from bpe_tui.views.training_panels import TouchedPanel, TypedTextPanel, before_after, over_ids
from bpe_tui.views.transcript import AnyTranscript
from bpe_tui.views.typed import parse_step, parse_steps
from bpe_tui.views.vocabulary_screen import VocabularyTable
