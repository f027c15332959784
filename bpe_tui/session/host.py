"""What a screen may ask of the application."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol

from textual.signal import Signal

from bpe_tui.session.config import Config, RunConfig
from bpe_tui.session.session import Session


class Notices:
    """Sentences, oldest first; each is visible text.

    Attributes:
        everything: all of them, each once, where it was said last.
        now: what the line of messages says; "" if it says nothing.
        note: what stays in a panel until it is closed; "" if nothing does.
    """

    def __init__(self) -> None:
        self.everything: list[str] = []
        self.now = ""
        self.note = ""

    def tell(self, said: str) -> None:
        """Say something that is over with the next key."""
        self.now = said
        self._remember(said)

    def keep(self, said: str) -> None:
        """Say something that stays until it is closed."""
        self.note = said
        self._remember(said)

    def _remember(self, said: str) -> None:
        if said in self.everything:
            self.everything.remove(said)
        self.everything.append(said)


class Navigation(Protocol):
    """Where rows lead, and the way back."""

    @property
    def way_back(self) -> bool: ...

    def go_back(self) -> None: ...

    def go_to_target(self, target: object) -> None: ...

    def ask(
        self, ids: Sequence[int], beside: tuple[int | None, int | None] = (None, None)
    ) -> None: ...

    def find_pair(self) -> None: ...

    def open_encoding(self, text: str, look: bool = False) -> None: ...


class LessonGuide(Protocol):
    """Opens lessons, and puts the text of one beside the screen in front."""

    @property
    def is_under_way(self) -> bool: ...

    def choose(self) -> None: ...

    def open(self, path: Path) -> None: ...

    def attend(self, screen: Any) -> None: ...


class Notifier(Protocol):
    """An application that tells its user something."""

    notices: Notices

    def tell(self, said: str, *, stays: bool = False) -> None: ...

    def close_note(self) -> None: ...

    def survive(self, error: Exception) -> str: ...


class Host(Notifier, Protocol):
    """The application, as its screens see it."""

    session: Session
    session_changed: Signal[Session]

    @property
    def navigation(self) -> Navigation: ...

    @property
    def guide(self) -> LessonGuide: ...

    def changed(self) -> None: ...

    def seek(self, step: int) -> None: ...

    async def record(
        self, steps: tuple[int, int], speed: float, write: Callable[[str], object]
    ) -> None: ...

    def retrain(self, config: RunConfig) -> None: ...

    def choose_to_check(self) -> None: ...

    def open_comparison(self, frame: Any, text: str) -> None: ...

    def reopen_previous(self) -> None: ...

    def open(self, config: Config) -> None: ...

    def action_open(self) -> None: ...

    def action_show(self, kind: str) -> None: ...

    def show_kind(self, kind: str) -> None: ...

    def leave_aside(self) -> None: ...

    def action_step(self, by: int) -> None: ...

    def action_sub_step(self) -> None: ...
