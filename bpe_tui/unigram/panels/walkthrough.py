"""One pretoken under the pieces of one step: its lattice, and the Viterbi algorithm on it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import exp
from random import Random
from typing import ClassVar

from bpe_tui.unigram.panels.piece_panel import PiecePanel
from bpe_tui.widgets.columns import paragraph
from bpe_tui.widgets.lines import Row
from bpe_tui.widgets.visible import number
from engine.unigram.best_path_through import Through, best_through_each
from engine.unigram.encoder import Reached, TracedBack, ViterbiStep, viterbi_steps
from engine.unigram.forward_backward import ForwardBackward
from engine.unigram.frame import UnigramFrame
from engine.unigram.lattice import Lattice, Path
from engine.unigram.pieces import Edge

LONGEST = 100
"""Characters of a pretoken up to which its lattice is drawn and walked through."""
BEST_SHOWN = 8
SPECIAL = "A special token is one piece: there is nothing to cut."


@dataclass(frozen=True)
class Walkthrough:
    """A pretoken, spelled with ▁, at a step; everything about it is computed when asked.

    `word` is empty where there is none to walk through: no text at all, or a special token.
    """

    frame: UnigramFrame
    word: str
    is_special: bool = False

    def is_like(self, other: Walkthrough) -> bool:
        """Whether both are the same pretoken under the same pieces."""
        same = (self.word, self.is_special) == (other.word, other.is_special)
        return same and self.frame.looks_like(other.frame)

    @cached_property
    def lattice(self) -> Lattice:
        return self.frame.lattice(self.word)

    @cached_property
    def steps(self) -> list[ViterbiStep]:
        """To the right node by node, then back edge by edge; none where there are too many."""
        return [] if len(self.word) > LONGEST else list(viterbi_steps(self.lattice))

    @cached_property
    def best(self) -> Path:
        return self.lattice.best

    @cached_property
    def paths(self) -> list[Path]:
        """The best segmentations, the best first."""
        return self.lattice.n_best(BEST_SHOWN)

    @cached_property
    def lost(self) -> list[Through]:
        """The best path through each edge that the best path does not have."""
        used = set(self.best.edges)
        return [found for found in best_through_each(self.lattice) if found.edge not in used]

    @cached_property
    def log_total(self) -> float:
        """log P(pretoken), over all its segmentations."""
        return ForwardBackward(self.lattice).log_total

    def probability(self, path: Path) -> float:
        """How probable a segmentation is, given the pretoken."""
        return exp(path.score - self.log_total)

    def sample(self, sharpness: float, seed: int) -> tuple[Path, float]:
        """A segmentation drawn by chance, and how probable it was to be drawn."""
        sums = ForwardBackward(self.lattice, sharpness)
        path = sums.sample(Random(seed))
        return path, exp(sharpness * path.score - sums.log_total)

    # -- a place in the walk

    def reached(self, place: int) -> int:
        """The node that the sweep to the right has come to after so many steps."""
        return min(place, len(self.word))

    def taken(self, place: int) -> list[Edge]:
        """The edges of the best path that the way back has taken by then, from the right."""
        return [step.taken for step in self.steps[:place] if isinstance(step, TracedBack)]

    def node(self, place: int) -> int:
        """The node that the walk stands at."""
        taken = self.taken(place)
        return taken[-1].start if taken else self.reached(place)

    def arrivals(self, place: int) -> Reached | None:
        """What arrives at the node, while the sweep goes to the right."""
        step = self.steps[place - 1] if place else None
        return step if isinstance(step, Reached) else None


class WalkPanel(PiecePanel):
    """A panel about `walk`, of whose steps `place` are made."""

    WIDEST = 1000
    NOTHING_TYPED: ClassVar[str]
    """What is to be seen here once there is a text."""

    walk: Walkthrough | None = None
    place = 0

    def show(self, walk: Walkthrough, place: int) -> None:
        """Show a walk at a place."""
        self.walk, self.place = walk, place
        self.rebuild()

    def watch_frame(self, old: UnigramFrame | None, new: UnigramFrame | None) -> None:
        """The screen brings a walk through every new frame, and that shows it."""

    def why_none(self, width: int) -> list[Row]:
        """Why there is nothing to walk through; no rows if there is."""
        if self.walk is None or not self.walk.word:
            is_special = self.walk is not None and self.walk.is_special
            return paragraph(SPECIAL if is_special else self.NOTHING_TYPED, width, "dim")
        if (length := len(self.walk.word)) > LONGEST:
            return paragraph(
                f"A pretoken of {number(length)} characters is too long to be drawn; up to "
                f"{LONGEST} it is.",
                width,
                "dim",
            )
        return []
