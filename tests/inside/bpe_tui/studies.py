# ruff: noqa: F401
"""Names inside `bpe_tui/studies` that tests need: they know the room, not its modules."""

from __future__ import annotations

from bpe_tui.studies import race
from bpe_tui.studies.check import CheckScreen, WhyPanel
from bpe_tui.studies.chunks import ChunksScreen
from bpe_tui.studies.comparison import (
    CompareWith,
    ComparisonScreen,
    NumbersPanel,
    StripsPanel,
    broken,
    marks,
    segments_of,
    strip,
)
from bpe_tui.studies.model_table import FamilyJob, FamilyScreen, KindMeasured
from bpe_tui.studies.model_table_panels import FamilyDetails, FamilyRows
from bpe_tui.studies.nearby import nearby_files
from bpe_tui.studies.pipeline import ChoiceRows, SavePipeline, StageWindow
from bpe_tui.studies.pipeline_stages import PipelinePanel
from bpe_tui.studies.race import RaceJob, RaceScreen, StandingsPanel, WorkPanel
