"""What is open, in one line: the first line of the screens."""

from __future__ import annotations

from enum import Enum
from pathlib import Path

from bpe_tui.session.config import RunConfig
from bpe_tui.session.session import Session
from bpe_tui.widgets.numbers import number, plural, size
from bpe_tui.widgets.visible import visible_text, width
from engine.bpe.frame import Frame
from engine.bpe.trainer import StopReason

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
