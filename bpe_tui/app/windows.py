"""The commands of the application that open a window, and what comes of each.

Windows are imported when they are first asked for: the first frame need not wait for them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, cast

from textual.app import App
from textual.notifications import Notify
from textual.screen import Screen

from bpe_tui.session import messages
from bpe_tui.session.config import Config, RunConfig
from bpe_tui.session.session import Session
from bpe_tui.widgets.visible import visible_text

if TYPE_CHECKING:
    from bpe_tui.bpe.job import Wish
    from bpe_tui.bpe.screens.training import TrainingScreen


NOTES_AT_ONCE = 2
"""What is said in the corner lies over the panels: no more than so much."""


class Windows(App[int]):
    """An application with a session, and windows about it."""

    session: Session

    def on_notify(self, event: Notify) -> None:
        """What is said now takes the place of the same said before, and of what is oldest."""
        others = [
            note for note in self._notifications if note.message != event.notification.message
        ]
        kept = others[1 - NOTES_AT_ONCE :]
        for note in list(self._notifications):
            if note not in kept:
                self._unnotify(note, refresh=False)  # Textual adds the new one, then refreshes

    def changed(self) -> None:
        """Tell the screens that the session has changed."""
        raise NotImplementedError

    def seek(self, step: int) -> None:
        """Go to a step."""
        raise NotImplementedError

    def open(self, config: Config) -> None:
        """Open something else in place of what is open."""
        raise NotImplementedError

    def action_breakpoints(self) -> None:
        if self.session.merges is not None:
            self.session.hold()
            from bpe_tui.bpe.screens.breakpoints import Breakpoints

            self.push_screen(Breakpoints(self.session), self._left_breakpoints)

    def _left_breakpoints(self, step: int | None) -> None:
        if step is not None:
            self.session.seek(step)
        self.changed()

    def action_what_if(self) -> None:
        session = self.session
        if session.frame is None:
            return
        session.hold()
        if not isinstance(session.config, RunConfig):
            text = "These merges are a tokenizer's. A fork needs a run that is trained here."
            self.notify(text, markup=False, timeout=4)
            return
        if session.stop_reason is None:
            text = "Training still runs; a fork can be compared when it has ended."
            self.notify(text, markup=False, timeout=4)
            return
        chosen = cast("TrainingScreen", self.get_screen("training")).chosen_pair()
        from bpe_tui.bpe.screens.what_if import WhatIf

        menu = WhatIf(session.frame, session.config, session.documents, chosen)
        self.push_screen(menu, self._wished)

    def _wished(self, wish: Wish | None) -> None:
        frame, config = self.session.frame, self.session.config
        if wish is None or frame is None or not isinstance(config, RunConfig):
            return

        def left(fork: messages.WhatIfEnded | None) -> None:
            if fork is not None:
                self.session.keep(fork.timeline, fork.reason, wish.config, wish.step)
            self.changed()

        from bpe_tui.bpe.screens.what_if import Branches

        self.push_screen(Branches(frame, config, wish), left)

    def action_go_to(self) -> None:
        if (shown := self.session.shown) is not None:
            from bpe_tui.dialogs.go_to import GoTo

            self.push_screen(GoTo(shown.step, shown.recorded_steps), self._went_to)

    def _went_to(self, step: str | None) -> None:
        if step is not None:
            self.seek(int(step))

    def action_open(self) -> None:
        self.session.hold()
        from bpe_tui.dialogs.open_other import OpenOther

        # What could not be opened is nothing to keep beside something else.
        beside = self.session.config if self.session.failure is None else None
        self.push_screen(OpenOther(beside), self._chose)

    def _chose(self, config: Config | None) -> None:
        if config is not None:
            self.open(config)

    def action_model(self) -> None:
        """Choose another model for the corpus, which is opened anew."""
        config = self.session.config
        if self._cannot_train_anew() or not isinstance(config, RunConfig):
            return
        self.session.hold()
        from bpe_tui.dialogs.choose_model import ChooseModel

        def chose(name: str | None) -> None:
            if name is not None and name != config.model:
                self.train_anew(replace(config, model=name))

        self.push_screen(ChooseModel(config), chose)

    def train_anew(self, config: RunConfig) -> None:
        """Train on the corpus by other rules; it is opened anew."""
        if not self._cannot_train_anew():
            self.open(replace(config, first_step=0, note=""))

    def _cannot_train_anew(self) -> bool:
        """Whether there is no corpus to read once more; then it is said why."""
        config = self.session.config
        if not isinstance(config, RunConfig):
            said = "A model is trained on a corpus, and this is a tokenizer. o opens a corpus."
        elif config.corpus == "-":
            said = (
                "Standard input has been read to its end; another model needs the corpus in a file."
            )
        else:
            return False
        self.notify(said, markup=False, timeout=5)
        return True

    def action_save(self) -> None:
        if (shown := self.session.shown) is not None:
            self.session.hold()
            suggestion = f"{self._file_name}-step-{shown.step}"
            window = self.session.model.part("save")(shown, suggestion)
            self.push_screen(window, self._saved)

    def _saved(self, path: str | None) -> None:
        if path is not None:
            self.notify(f"Saved in {visible_text(path, spaces=False)}", markup=False)

    def action_export(self) -> None:
        if (shown := self.session.shown) is not None:
            from bpe_tui.dialogs.export import Export  # 15 ms that the first frame need not wait

            self.session.hold()
            kinds = self.session.model.part("exports")
            self.push_screen(Export(self.screen, shown, self._file_name, kinds), self._saved)

    @property
    def _file_name(self) -> str:
        """What the names of files about the session begin with."""
        return self.session.config.name.split(".")[0] or "tokenizer"

    def action_help(self) -> None:
        screen: Screen[object] = self.screen
        self.clear_notifications()
        from bpe_tui.views.commands import Help

        self.push_screen(Help(screen.id or ""))
