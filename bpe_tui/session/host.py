"""The application as its screens see it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from bpe_tui.session.config import Config, RunConfig
from bpe_tui.session.session import Session
from bpe_tui.session.threads import Jobs
from bpe_tui.widgets.visible import still_visible

if TYPE_CHECKING:
    from engine.learning.lesson import Lesson


@dataclass
class Notices:
    """Messages to the user; each is, and stays, visible text.

    Attributes:
        everything: all messages, each once, the latest last.
        now: the message in the line of messages; "" for none.
        note: the message that stays in a panel until it is closed; "" for none.
    """

    everything: list[str] = field(default_factory=list)
    now: str = ""
    note: str = ""

    def add(self, message: str, *, stays: bool) -> None:
        """Show a message until the next key, or, if it stays, until it is closed."""
        message = still_visible(message)
        if stays:
            self.note = message
        else:
            self.now = message
        if message in self.everything:
            self.everything.remove(message)
        self.everything.append(message)


class Navigation(Protocol):
    """The way to the target of a row, and back. See `bpe_tui.app.navigation`."""

    @property
    def trail(self) -> Sequence[object]: ...

    @property
    def way_back(self) -> str: ...

    def go_back(self) -> None: ...

    def here(self) -> Any: ...

    def jump(self, start: Any = None) -> AbstractContextManager[None]: ...

    def go_to_target(self, target: object) -> None: ...

    def ask(self, ids: Sequence[int], typed: str = "", text: str = "") -> None: ...

    def open_encoding(self, text: str, look: bool = False) -> None: ...


class LessonGuide(Protocol):
    """The guide, which opens lessons and shows their text beside the screen in front."""

    lesson: Lesson | None

    @property
    def named_keys(self) -> Collection[str] | None: ...

    def choose(self) -> None: ...

    def open(self, path: Path) -> None: ...

    def attend(self, screen: Any) -> None: ...


class Notifier(Protocol):
    """An application that shows messages, and owns the jobs of its screens."""

    notices: Notices
    jobs: Jobs
    shows_edges: bool
    """Whether `┊` is between tokens also where there are colours."""

    @property
    def hides_next(self) -> bool: ...

    def refusal_of(self, action: str) -> str | None: ...

    def tell(self, message: str, *, stays: bool = False) -> None: ...

    def close_note(self) -> None: ...

    def clear_notices(self) -> None: ...

    def report_failure(self, error: Exception) -> str: ...


class Host(Notifier, Protocol):
    """An application with a session."""

    session: Session
    has_guide: bool
    """Whether the guide has been used; before, no lesson is open."""
    table_orders: dict[str | None, tuple[str, bool]]
    """The id of a screen → the column that its table is sorted by, and whether descending."""

    @property
    def navigation(self) -> Navigation: ...

    @property
    def guide(self) -> LessonGuide: ...

    def changed(self) -> None: ...

    def tell_saved(self, path: str | None) -> None: ...

    async def make_screens_again(self) -> None: ...

    def action_hide_next(self) -> None: ...

    def hold(self) -> None: ...

    def seek(self, step: int) -> None: ...

    def action_save(self) -> None: ...

    def go_to_following(self) -> None: ...

    def ask_by_hand(self, kind: str, frame: Any, about: str) -> None: ...

    def retrain(self, config: RunConfig) -> None: ...

    def reopen_previous(self) -> None: ...

    def open(self, config: Config) -> None: ...

    def action_open(self) -> None: ...

    def action_show(self, kind: str) -> None: ...
