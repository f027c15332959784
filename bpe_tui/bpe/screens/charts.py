"""The charts of BPE: compression, the counts of the winners, ties, pretokens, lengths."""

from __future__ import annotations

from bpe_tui.bpe.screens import BpeScreen
from bpe_tui.session.commands.command import CHARTS as NAME
from bpe_tui.views.charts import (
    COUNTS,
    GAINS,
    TIES,
    ChartKind,
    ChartsScreen,
    from_start,
    lengths,
    recorded,
    zipf,
)
from bpe_tui.widgets.figure import Figure
from bpe_tui.widgets.numbers import number
from engine.bpe.frame import Frame


def _compression(frame: Frame) -> Figure:
    return from_start(frame.statistics.bytes_per_token(frame.recorded_steps), "bytes per token")


def _compression_here(frame: Frame) -> str:
    return f"{frame.bytes_per_token:.2f} bytes per token at step {number(frame.step)}"


CHARTS = (
    ChartKind(
        "compression",
        "How well is the text compressed?",
        _compression,
        _compression_here,
        recorded,
    ),
    COUNTS,
    TIES,
    zipf("pretoken"),
    lengths("tokens", "bytes"),
)


class BpeChartsScreen(ChartsScreen, BpeScreen):
    """The five charts of BPE, and what merges buy beside the first."""

    NAME = NAME
    TILES = (CHARTS[0], GAINS, *CHARTS[1:])
