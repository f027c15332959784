"""The phases of a training in sentences: where one begins, and what it brings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from bpe_tui.widgets.language import plural, tr, visible_message

if TYPE_CHECKING:  # `train` describes the phases, and imports no frame
    from engine.bpe.frame import Frame
    from engine.bpe.record import Record


def describe_border(frame: Frame) -> tuple[str, ...]:
    """Say which phase begins after a step, then shorter; nothing if none does.

    For example: `Phase 2 begins here: pattern none. 2.61 bytes per token so far.`
    """
    if (start := frame.phase_start) is None:
        return ()
    place = frame.phase_starts.index(start) + 2
    template = "Phase {place} begins here: {label}."
    begins = tr(template, place=place, label=visible_message(start.label))
    template = "{begins} {bytes_per_token} bytes per token so far."
    return tr(template, begins=begins, bytes_per_token=f"{frame.bytes_per_token:.2f}"), begins


def describe_phases(counts: Mapping[bytes, int], record: Record) -> Iterator[str]:
    """Yield a line about each phase of a training that has ended.

    For example: `phase 2, pattern none: 256 merges, 3.35 bytes per token`.
    """
    size = sum(len(pretoken) * count for pretoken, count in counts.items())
    tokens = record.alphabet.token_count(counts)
    starts = [start.step for start in record.phase_starts]
    for place, (first, end) in enumerate(zip([0, *starts], [*starts, len(record)], strict=True)):
        start = record.phase_starts[place - 1] if place else None
        label = f"{tr(', ')}{visible_message(start.label)}" if start else ""
        left = max(tokens - record.removed[end], 1)
        yield tr(
            "phase {place}{label}: {merges}, {size} bytes per token",
            place=place + 1,
            label=label,
            merges=plural(end - first, "merge"),
            size=f"{size / left:.2f}",
        )
