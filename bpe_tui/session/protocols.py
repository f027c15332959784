"""What the session asks of a recording, so that one player plays every model's."""

from __future__ import annotations

from typing import Any, Protocol

from engine.text.excerpt import Excerpt


class Shown(Protocol):
    """The state at a step; the screens of a model know what else there is to it."""

    @property
    def step(self) -> int:
        """How many steps have been made."""

    @property
    def recorded_steps(self) -> int:
        """How many steps were recorded when it was taken."""

    @property
    def excerpt(self) -> Excerpt:
        """The beginning of the corpus."""


class Playable(Protocol):
    """Recorded steps with a cursor; `engine.recording.player` tells the rest."""

    @property
    def went_back(self) -> bool: ...

    def __len__(self) -> int: ...

    @property
    def cursor(self) -> int: ...

    @property
    def frame(self) -> Any: ...

    def extend_to(self, length: int, /) -> None: ...

    def complete(self) -> None: ...

    def seek(self, step: int, /) -> object: ...

    def forward(self, steps: int, /) -> object: ...

    def back(self, steps: int, /) -> object: ...
