"""What the user has been told: what stands on the screen now, and all of it, to be read again."""

from __future__ import annotations


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
