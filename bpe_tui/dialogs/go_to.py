"""Go to a step by its number."""

from __future__ import annotations

from bpe_tui.views.dialog import Dialog
from bpe_tui.views.typed import parse_step
from bpe_tui.widgets.numbers import number


class GoTo(Dialog):
    """Asks for a step between 0 and `last`: `128`, `1,024`, `50%`, `+10` or `-10`."""

    def __init__(self, step: int, last: int) -> None:
        self._step, self._last = step, last
        super().__init__(
            "go to step", f"0 to {number(last)}, or like 50%, +10, -10; now {number(step)}"
        )

    def answer(self, value: str) -> None:
        step = parse_step(value, self._step, self._last)
        if step is None:
            self.refuse(f"Give a number from 0 to {number(self._last)}, or like 50%, +10, -10.")
        else:
            self.dismiss(str(step))
