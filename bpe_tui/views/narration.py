"""What all models share of what screens say: the first line, the last one, and room for both.

The first line says what is open, the last one what just happened. Each model has its own sentences
in a module `narration`; a `Narrator` gives them to its screens.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bpe_tui.session.config import RunConfig
from bpe_tui.widgets.numbers import number, plural, size
from bpe_tui.widgets.visible import visible_text, width
from engine.bpe.frame import Frame
from engine.bpe.trainer import StopReason

if TYPE_CHECKING:
    from bpe_tui.session.session import Session

ROOMY = 1000
"""Cells where there is room for the longest sentence: a transcript has no width."""


@dataclass(frozen=True)
class Narrator:
    """The two lines of a model's screens.

    Attributes:
        heading: what is open, in at most so many cells.
        sentence: what led to a frame of the model, in at most so many cells.
    """

    heading: Callable[[Session, int], str]
    sentence: Callable[[Session, Any, int], str]


# -- the last line


def first_fitting(room: int, *sentences: str) -> str:
    """The first that fits; the last if none does."""
    return next((said for said in sentences if width(said) <= room), sentences[-1])


def times(count: int) -> str:
    """How often, in words: 1 → 'once'; 1204 → '1,204 times'."""
    return "once" if count == 1 else f"{number(count)} times"


def narrate_end(reason: Enum) -> str:
    """Why there is no further step."""
    if reason is StopReason.REPLAYED:
        return f"The end: {reason.value}."
    return f"Training ended: {reason.value}."


def add_stop(session: Session, sentence: str) -> str:
    """A sentence about a step, with why playing stopped, and at the end why there is no more."""
    if session.halt is not None:
        return f"Stopped at {visible_text(str(session.halt.breakpoint), spaces=False)}. {sentence}"
    if session.awaiting:
        return f"Running to the next breakpoint … {sentence}"
    if session.stop_reason is not None and session.at_end and session.obstacle is None:
        return f"{sentence} {narrate_end(session.stop_reason)}"
    return sentence


# -- the first line

ENDED: dict[Enum, str] = {
    StopReason.SIZE_REACHED: "size reached",
    StopReason.NO_PAIR_LEFT: "no pair left",
    StopReason.TOO_RARE: "the rest too rare",
    StopReason.TOO_LONG: "the rest too long",
    StopReason.REPLAYED: "all merges made",
}

Facts = list[tuple[int, str]]
"""(place in the line, fact), what matters most first."""


def heading(session: Session, room: int) -> str:
    """As much as there is room for; the last facts give way first."""
    name, frame = visible_text(session.config.name, spaces=False), session.frame
    if frame is None:
        return name
    return fitting(
        [(0, name), *(_trained if session.opened is None else _opened)(session, frame)], room
    )


def fitting(facts: Facts, room: int) -> str:
    """As many facts as there is room for, in their order."""
    kept = list(facts)
    while len(kept) > 1 and width(_joined(kept)) > room:
        kept.pop()
    return _joined(kept)


def _joined(facts: Facts) -> str:
    return " · ".join(fact for _, fact in sorted(facts))


def _trained(session: Session, frame: Frame) -> Facts:
    """How far training is, size, how the corpus is cut and spelled, pretokens, documents."""
    config, ended = session.config, session.stop_reason
    assert isinstance(config, RunConfig)
    units = [] if frame.units.spells_all else [(4, f"units {frame.units.name}")]
    return [
        (6, "training …" if ended is None else ENDED[ended]),
        (1, size(session.bytes_read)),
        *units,
        (4, config.pattern),
        (5, config.tie_rule),
        (3, f"{number(frame.distinct_pretokens)} distinct pretokens"),
        (2, plural(session.documents, "document")),
    ]


def _opened(session: Session, frame: Frame) -> Facts:
    """A tokenizer's format, size and pattern, how far its replay is, the corpus."""
    assert session.opened is not None
    opened, ended = session.opened, session.stop_reason
    facts = [
        (1, f"{opened.format} format"),
        (2, f"{number(len(opened.tokenizer.vocab))} tokens"),
        (3, f"pattern {visible_text(opened.tokenizer.pattern.name, spaces=False)}"),
    ]
    if ended is None:
        facts.insert(0, (6, "replaying …"))
    if session.config.corpus is not None and frame.has_corpus:
        corpus = visible_text(Path(session.config.corpus).name, spaces=False)
        facts.append((4, f"over {corpus}"))
        facts.append((5, f"{number(frame.distinct_pretokens)} distinct pretokens"))
    return facts
