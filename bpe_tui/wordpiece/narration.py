"""A WordPiece training in sentences: its heading, and what each step has done."""

from __future__ import annotations

from bpe_tui.config import RunConfig
from bpe_tui.headings import ENDED, Facts, fitting
from bpe_tui.narration import first_fitting, narrate_end
from bpe_tui.panels.wordpiece.piece_panel import score_text, written
from bpe_tui.session import Session
from bpe_tui.visible import number, plural, size, visible_bytes, visible_text
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
    if session.stop_reason is None or not session.at_end:
        return first_fitting(room, *narrate(frame))
    end = narrate_end(session.stop_reason)
    return first_fitting(room, *(f"{sentence} {end}" for sentence in narrate(frame)))


def narrate(frame: WordPieceFrame) -> tuple[str, ...]:
    """What the step that led to a frame has done: a sentence, and shorter ones.

    For example: `Merge 12 of 1,900: h and ##u scored 15 / (15 · 36), the highest; they are one
    piece now, hu.`
    """
    merge = frame.merge
    if merge is None:
        return _narrate_start(frame)
    pair, piece = written(frame, merge.pair), visible_bytes(merge.token)
    step, steps = number(frame.step), number(frame.recorded_steps)
    return (
        f"Merge {step} of {steps}: {pair} scored {merge.score}, the highest; they are one piece "
        f"now, {piece}.",
        f"Merge {step}: {pair}, score {score_text(merge.score.value)}, become {piece}.",
    )


def narrate_back(frame: WordPieceFrame) -> tuple[str, ...]:
    """What going back one step to this frame has undone."""
    undone = frame.merge_at(frame.step)
    pair, piece = written(frame, undone.pair), visible_bytes(undone.token)
    step = number(frame.step)
    return (
        f"Back at step {step} of {number(frame.recorded_steps)}: {piece} is taken apart into "
        f"{pair} again.",
        f"Back at step {step}: {piece} is {pair} again.",
    )


def _narrate_start(frame: WordPieceFrame) -> tuple[str, ...]:
    pieces = f"Step 0: {number(frame.character_count)} pieces of one character"
    following = frame.next_pair
    if following is None:
        return (f"{pieces}, and no pair to merge.",)
    score = frame.score_of(following)
    return (
        f"{pieces}. The pair {written(frame, following)} has the highest score, {score}.",
        f"Step 0: characters. Next {written(frame, following)}, {score}.",
    )
