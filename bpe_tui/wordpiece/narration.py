"""What the screens say of a WordPiece session: its heading, and the step in one sentence."""

from __future__ import annotations

from bpe_tui.session.config import RunConfig
from bpe_tui.session.session import Session
from bpe_tui.views.headings import ENDED, Facts, fitting
from bpe_tui.views.narration import first_fitting, narrate_here
from bpe_tui.widgets.visible import number, plural, size, visible_text
from bpe_tui.wordpiece.sentences import narrate, narrate_back
from engine.wordpiece.frame import WordPieceFrame


def wordpiece_heading(session: Session, room: int) -> str:
    """What is open, in as much as there is room for."""
    frame, config = session.shown, session.config
    facts: Facts = [(0, visible_text(config.name, spaces=False))]
    if isinstance(frame, WordPieceFrame) and isinstance(config, RunConfig):
        ended = session.stop_reason
        facts += [
            (1, "WordPiece"),
            (8, "training …" if ended is None else ENDED[ended]),
            (2, size(session.bytes_read)),
            (7, f"min count {number(config.min_count)}"),
            (5, f"pattern {config.pattern}"),
            (6, f"ties {frame.tie_rule.name}"),
            (4, f"{number(frame.distinct_words)} distinct words"),
            (3, plural(session.documents, "document")),
        ]
    return fitting(facts, room)


def told(session: Session, frame: WordPieceFrame, room: int) -> str:
    """The step in one sentence, and at the end why there is no more."""
    recording = session.recording
    if (
        recording is not None
        and recording.came_from == frame.step + 1
        and frame.step < frame.recorded_steps
    ):
        return first_fitting(room, *narrate_back(frame))
    return first_fitting(room, *(narrate_here(session, said) for said in narrate(frame)))
