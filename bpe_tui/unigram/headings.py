"""What the screens of a Unigram training say above and below: what is open, what happened."""

from __future__ import annotations

from enum import Enum

from bpe_tui.session.config import RunConfig
from bpe_tui.session.session import Session
from bpe_tui.unigram.narration import narrate, narrate_back
from bpe_tui.views.headings import Facts, fitting
from bpe_tui.views.narration import first_fitting, narrate_end
from bpe_tui.widgets.visible import number, plural, size, visible_text
from engine.unigram.frame import UnigramFrame
from engine.unigram.trainer import StopReason

ENDED: dict[Enum, str] = {
    StopReason.SIZE_REACHED: "size reached",
    StopReason.NO_MORE_PIECES: "no more pieces are used",
}


def unigram_heading(session: Session, room: int) -> str:
    """What is open, in as much as there is room for."""
    frame, config = session.shown, session.config
    facts: Facts = [(0, visible_text(config.name, spaces=False))]
    if isinstance(frame, UnigramFrame) and isinstance(config, RunConfig):
        facts += [
            (1, "Unigram"),
            (7, _how_far(session)),
            (2, size(session.bytes_read)),
            (6, f"to {number(frame.record.vocab_size)} tokens"),
            (4, f"{number(len(frame.words))} distinct pretokens"),
            (5, f"pattern {config.pattern}"),
            (3, plural(session.documents, "document")),
        ]
    return fitting(facts, room)


def _how_far(session: Session) -> str:
    if session.stop_reason is not None:
        return ENDED[session.stop_reason]
    working = session.working
    if working is None:
        return "training …"
    return f"{working.doing} {working.done / max(working.total, 1):.0%}"


def told(session: Session, frame: UnigramFrame, room: int) -> str:
    """The step in one sentence, and at the end why there is no more."""
    recording = session.recording
    if recording is not None and recording.came_from == frame.step + 1 and frame.leads_on:
        return first_fitting(room, *narrate_back(frame))
    if session.stop_reason is None or not session.at_end:
        return first_fitting(room, *narrate(frame))
    ends = narrate_end(session.stop_reason), f"Ended: {ENDED[session.stop_reason]}."
    said = (f"{sentence} {end}" for sentence in narrate(frame) for end in ends)
    return first_fitting(room, *said)
