"""The player of a Unigram training: marks at the prunes, and the loss."""

from __future__ import annotations

from bpe_tui.session.session import Session
from bpe_tui.unigram.numbers import score_text
from bpe_tui.views.transport import Transport
from bpe_tui.widgets.numbers import number
from bpe_tui.widgets.scrubber import Marks
from engine.unigram.frame import UnigramFrame


class UnigramTransport(Transport):
    """Where it stands, and how many pieces and what loss there are."""

    def marks(self, session: Session) -> tuple[Marks, ...]:
        frame = session.shown
        return (Marks(frame.prunes, "┊", "tie"),) if isinstance(frame, UnigramFrame) else ()

    def facts(self, session: Session, roomy: bool) -> str:
        frame = session.shown
        if not isinstance(frame, UnigramFrame):
            return ""
        pieces = f"{number(frame.size):>{len(number(frame.record.size_at(0)))}} pieces   "
        return f"{pieces if roomy else ''}loss {score_text(frame.loss, 3)} nats"
