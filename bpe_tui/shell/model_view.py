"""A model as screens show it: its frames, its sentences, and its facts beside the slider."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from bpe_tui.session.session import Session
from bpe_tui.widgets.controls import Marks
from bpe_tui.widgets.language import tr
from bpe_tui.widgets.numbers import number
from bpe_tui.words.narration import narrate_undone


class ModelView:
    """The parts of a screen that differ between models. Each model has a subclass."""

    FRAME: ClassVar[type[Any]] = object
    """The class of its frames."""

    def frame_of(self, session: Session) -> Any:
        """Return the frame at the session's cursor; `None` if it is another model's."""
        return session.shown if isinstance(session.shown, self.FRAME) else None

    def narrate(self, frame: Any) -> Sequence[str]:
        """Describe what the step that led to a frame has done: a sentence, and shorter ones."""
        raise NotImplementedError

    def narrate_back(self, frame: Any) -> Sequence[str]:
        """Describe what going back one step to a frame has undone: a sentence, and shorter ones."""
        return narrate_undone(frame)

    def marks(self, session: Session) -> tuple[Marks, ...]:
        """Return the marks on the slider: ties if they are few, starts of phases, breakpoints."""
        merges = session.merges
        if merges is None:
            return ()
        starts = [start.step for start in merges.frame.phase_starts]
        breakpoints = session.breakpoints
        return (
            Marks(merges.frame.tied_steps, "┊", "tie", only_few=True),
            Marks(starts, "┃", "strong"),
            Marks(breakpoints.hits() if breakpoints.watched else (), "◆", "pair"),
        )

    def facts(self, session: Session, *, roomy: bool) -> str:
        """Return the token count, if there is room, and the compression."""
        frame = session.frame
        if frame is None or not frame.has_corpus:
            return ""
        # Equal widths: nothing jumps.
        noun = tr("token " if frame.token_count == 1 else "tokens")
        tokens = f"{number(frame.token_count):>{len(number(frame.byte_count))}} {noun}   "
        per_token = tr("{n} bytes/token", n=f"{frame.bytes_per_token:5.2f}")
        return f"{tokens if roomy else ''}{per_token}"


ANY_MODEL = ModelView()
"""The view of screens that all models share."""
