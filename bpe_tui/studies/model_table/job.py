"""The work behind the comparison table: train one tokenizer of each kind, and measure it.

They learn from the beginning of the corpus, which is at hand, and none trains longer than
`SECONDS`: a table is to be looked at, not waited for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import monotonic

from textual.message import Message

from bpe_tui.session.jobs import Job
from engine.analysis.model_table.kinds import KINDS, Candidate
from engine.analysis.model_table.measures import Measures, measure
from engine.analysis.model_table.table import (
    Row,
    Texts,
    Untrained,
    hold_out,
    row_of,
    train_candidate,
)
from engine.text.pretokenize import SpecialSplitter, to_text

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
    candidate: Candidate | None = None
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
        if self.candidate is not None:
            self.typed = measure(self.candidate, stretches) if stretches else None


def stretches_of(text: str, special_tokens: Sequence[str]) -> tuple[str, ...]:
    """What stands between the special tokens of a typed text."""
    pieces = SpecialSplitter(special_tokens).split_text(text)
    return tuple(piece for piece, special in pieces if not special and piece)


SECONDS = 10.0
"""How long one kind may train."""


class FamilyNews(Message):
    """What the job of a table tells. `of` is that table: there may be another one by now."""

    of: object = None


@dataclass
class TextsChosen(FamilyNews):
    """What all learn from, in bytes, and what they are measured on."""

    learnt: int
    texts: Texts


@dataclass
class KindBegun(FamilyNews):
    """This kind is being trained."""

    name: str


@dataclass
class KindMeasured(FamilyNews):
    """A kind is trained, and its row is known. `stopped`: the time was up before its size was."""

    candidate: Candidate
    row: Row
    stopped: bool


@dataclass
class KindFailed(FamilyNews):
    """A kind cannot be trained that way."""

    found: Untrained


@dataclass
class FamilyFailed(Message):
    """The work ended in an error that was not meant to be."""

    error: Exception


class FamilyJob(Job):
    """Trains every kind on `corpus`, and measures it on the end of it."""

    def __init__(
        self,
        corpus: str,
        vocab_size: int,
        special_tokens: Sequence[str],
        post: Callable[[Message], object],
    ) -> None:
        super().__init__("family", post)
        self._corpus = corpus
        self._vocab_size = vocab_size
        self._special_tokens = special_tokens
        self._due = 0.0
        self._stopped = False

    def failed(self, error: Exception) -> Message:
        return FamilyFailed(error)

    def work(self) -> None:
        corpus = self._corpus.encode("utf-8", "surrogateescape")
        learnt, rest = hold_out(corpus, self._special_tokens)
        texts = Texts.of(learnt, to_text(rest), self._special_tokens)
        self.check_cancelled()
        self.post(TextsChosen(len(learnt), texts))
        for name in KINDS:
            self.post(KindBegun(name))
            self._due, self._stopped = monotonic() + SECONDS, False
            found = train_candidate(
                name, learnt, self._vocab_size, self._special_tokens, self._go_on
            )
            self.check_cancelled()
            if isinstance(found, Untrained):
                self.post(KindFailed(found))
            else:
                self.post(KindMeasured(found, row_of(found, texts), self._stopped))

    def _go_on(self) -> bool:
        """Between two steps of a training: leave if nobody wants it, stop it if it takes long."""
        self.check_cancelled()
        self._stopped = monotonic() >= self._due
        return not self._stopped
