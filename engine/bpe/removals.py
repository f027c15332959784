"""The tokens that the steps of a run have removed: which, when, and into which parts they fell."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from engine.recording.change_log import ChangeLog
from engine.recording.merge_record import IdMap


@dataclass(frozen=True)
class Removal:
    """A token that a step removed.

    Attributes:
        token_id: its id.
        parts: the ids of the tokens that its other occurrences fall into.
        taken: the number of its occurrences that the step's merge took.
        left: the number of the others.
    """

    token_id: int
    parts: tuple[int, ...]
    taken: int
    left: int

    @property
    def share(self) -> float:
        """The intersection over self (IoS): the part of its occurrences that the merge took."""
        return self.taken / (self.taken + self.left)

    def as_dict(self) -> dict[str, object]:
        """Return the removal as plain values for JSON."""
        return {"id": self.token_id, "parts": list(self.parts), "share": round(self.share, 4)}


class Removals:
    """The removals of a run, step by step, beside its record.

    Args:
        threshold: a token goes if a merge takes a greater share of its occurrences.
        token_counts: the count of each token that is there before the first step, by place.

    Attributes:
        token_counts: the count of each token at each step, by place.
        made: for each step the id of its token: of one that was there before, the old one.
        by_step: for each step the tokens that it removed.
        sizes: the number of tokens after 0, 1, … steps.
    """

    def __init__(self, threshold: float, token_counts: Sequence[int]) -> None:
        self.threshold = threshold
        self.token_counts = ChangeLog(token_counts)
        self.made: list[int] = []
        self.by_step: list[tuple[Removal, ...]] = []
        self.sizes = [len(token_counts)]
        # token → the steps that made it and removed it, in turns
        self._turns: dict[int, list[int]] = {}

    def append(self, made: int, removed: Sequence[Removal]) -> None:
        """Note the token and the removals of the next step."""
        step = len(self.by_step) + 1
        is_new = not self.exists(made, step - 1)
        if is_new:
            self._turns.setdefault(made, []).append(step)
        for each in removed:
            self._turns[each.token_id].append(step)
        self.made.append(made)
        self.sizes.append(self.sizes[-1] + is_new - len(removed))
        self.by_step.append(tuple(removed))

    def exists(self, token_id: int, step: int) -> bool:
        """Whether a token that a step has made, or will make, exists after `step` steps."""
        return bisect_right(self._turns.get(token_id, ()), step) % 2 == 1

    def vocab(self, tokens: Sequence[bytes], step: int) -> dict[int, bytes]:
        """Return id → bytes of the tokens after `step` steps; `tokens` are by place."""
        first = self.sizes[0]
        made = dict.fromkeys(self.made[:step])
        there = [token_id for token_id in made if self.exists(token_id, step)]
        return dict(enumerate(tokens[:first])) | {each: tokens[each] for each in sorted(there)}

    def last_step_of(self, token_id: int, steps: int) -> int:
        """Return the last of the first `steps` steps after which a token exists."""
        removed = self.removed_at(token_id, steps)
        return steps if removed is None else removed - 1

    def removed_at(self, token_id: int, step: int) -> int | None:
        """Return the last step up to `step` that removed a token; `None` if it exists then."""
        turns = self._turns.get(token_id, ())
        place = bisect_right(turns, step)
        return turns[place - 1] if place and place % 2 == 0 else None


class RemadeIds(IdMap):
    """The ids of a run in which a step may make a token again, under its old id.

    A token's id is the place of the step that made it first.
    """

    def __init__(self, of_run: IdMap, removals: Removals, first_id: int) -> None:
        super().__init__(of_run.tokens, of_run.special_ids)
        self._removals, self._first = removals, first_id

    def id_of(self, place: int) -> int:
        return self._removals.made[place - self._first] if place >= self._first else place
