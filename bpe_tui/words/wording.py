"""The words of panels in the language of the open lesson."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bpe_tui.widgets.numbers import number
from bpe_tui.widgets.rows import Span
from engine.core.wording import ENGLISH, Messages, fill, frequency, text_of

if TYPE_CHECKING:
    from textual.widget import Widget


@dataclass(eq=False, kw_only=True)
class Wording:
    """The messages of a panel.

    Attributes:
        messages: the table of the language of the open lesson.
    """

    @classmethod
    def of(cls, widget: Widget) -> Wording:
        """Return the words of the screen of a widget."""
        return cls(messages=getattr(widget.screen, "messages", ENGLISH))

    messages: Messages = field(default_factory=lambda: ENGLISH)

    def text(self, template: str, **values: str) -> str:
        """Fill a message in the language of the lesson."""
        return text_of(self.messages, template, **values)

    def spans(self, template: str, role: str = "", **values: Sequence[Span] | str) -> list[Span]:
        """Fill a message with spans, or with texts in the role of the message."""
        parts = {
            name: [(value, role)] if isinstance(value, str) else value
            for name, value in values.items()
        }
        return fill(self.messages.get(template, template), parts, lambda text: (text, role))

    def counted(self, n: int, thing: str) -> str:
        """Count things in the language of the lesson: `61 words`."""
        return self.text(f"{{n}} {thing}{'' if n == 1 else 's'}", n=number(n))

    def times(self, count: int) -> str:
        """Return how often something occurs, in the language of the lesson."""
        return str(frequency(count).translated(self.messages))
