"""The charts of BPE: compression, the counts of the winners, ties, pretokens, lengths."""

from __future__ import annotations

from bpe_tui.bpe.screens import BpeScreen
from bpe_tui.session.commands.command import CHARTS as NAME
from bpe_tui.views.charts import (
    NO_PRETOKEN,
    ChartKind,
    ChartsScreen,
    corpus,
    count_here,
    counts,
    from_start,
    length_here,
    lengths,
    most_frequent,
    recorded,
    recorded_and_step,
    ties,
    ties_here,
    zipf,
)
from bpe_tui.views.gains import GAINS
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
    ChartKind("counts", "How often did the winning pair occur?", counts, count_here, recorded),
    ChartKind("ties", "How many merges were tied?", ties, ties_here, recorded),
    ChartKind(
        "zipf",
        "How frequent is a pretoken? (Zipf)",
        zipf,
        most_frequent,
        corpus,
        over_steps=False,
        why_empty=NO_PRETOKEN,
    ),
    ChartKind(
        "lengths",
        "How long are the tokens?",
        lengths,
        length_here,
        recorded_and_step,
        over_steps=False,
        needs_corpus=False,
    ),
)


class BpeChartsScreen(ChartsScreen, BpeScreen):
    """The five charts of BPE, and what merges buy beside the first."""

    NAME = NAME
    TILES = (CHARTS[0], GAINS, *CHARTS[1:])
