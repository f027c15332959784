"""The rows of the comparison table as they come to be: waiting, in training, measured, or none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.analysis.model_table.candidate import Contender
from engine.analysis.model_table.measures import Measures, measure
from engine.analysis.model_table.table import Row
from engine.text.pretokenize import SpecialSplitter

WAITS, TRAINS = "waits for the others", "is being trained …"


@dataclass
class Entry:
    """One kind of tokenizer.

    Attributes:
        state: what to say as long as there is no row: that it waits, or why there will be none.
        stopped: its training was stopped before it had its size.
        typed: what it makes of the text that somebody typed; `None` if there is none.
    """

    name: str
    state: str = WAITS
    contender: Contender | None = None
    row: Row | None = None
    stopped: bool = False
    typed: Measures | None = None

    @property
    def measures(self) -> Measures | None:
        """What it makes of the text that the table is about."""
        if self.typed is not None:
            return self.typed
        return self.row.unseen if self.row is not None else None

    def measure_typed(self, stretches: Sequence[str]) -> None:
        """Measure a text in place of the end of the corpus; without one, that again."""
        if self.contender is not None:
            self.typed = measure(self.contender, stretches) if stretches else None


def stretches_of(text: str, special_tokens: Sequence[str]) -> tuple[str, ...]:
    """What stands between the special tokens of a typed text."""
    pieces = SpecialSplitter(special_tokens).split_text(text)
    return tuple(piece for piece, special in pieces if not special and piece)
