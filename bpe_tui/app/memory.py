"""Memory that the application gives back: garbage is collected while no key is pressed.

A closed window is garbage that refers to itself, so only a collection frees it.
"""

from __future__ import annotations

import gc

QUIET_SECONDS = 0.3
"""Time without a key after which work ahead and small collections may begin."""
REST_SECONDS = 1.5
"""Time without a key after which everything that may be garbage is searched once."""
YOUNG_OBJECTS = 5_000
"""Number of new objects that starts a small collection.

That takes a few ms, instead of 20 ms during a later key.
"""
COLLECTOR_THRESHOLDS = (20_000, 10, 10)
"""Numbers of new objects, of small and of middle collections, that start a collection.

While keys come fast, memory stays flat with them; with ten times as many it does not.
"""


class Collector:
    """The garbage collector of an application.

    Attributes:
        is_searched: whether all garbage of the keys so far has been searched for.
    """

    def __init__(self) -> None:
        self.is_searched = True
        self._keeps = True
        self._is_begun = False
        self._forgets = False

    def keep(self) -> None:
        """Keep all present objects to the end.

        To search a corpus, a record or a screen for garbage would stall the screen. As long as a
        session before is to be collected nothing is kept: it would stay with the others.
        """
        if not self._forgets:
            gc.freeze()

    def begin(self) -> None:
        """Keep a new session, and collect from now on: there was no garbage before."""
        self._is_begun = True
        self.keep()
        self.keep_after_search()
        gc.set_threshold(*COLLECTOR_THRESHOLDS)
        gc.enable()

    def forget(self) -> None:
        """Let the present session be collected, once no screen shows it."""
        gc.unfreeze()
        self._is_begun, self._forgets = False, True
        self.keep_after_search()

    def keep_after_search(self) -> None:
        """Keep what the next search leaves: a screen that is being made."""
        self.is_searched, self._keeps = False, True

    def rest(self, seconds: float) -> bool:
        """Collect what is due after some seconds without a key; return whether nothing is left.

        Screens that were made ahead stay, so no later search visits them.
        """
        if self.is_searched:
            return True
        if seconds > REST_SECONDS:
            gc.collect()
            self._forgets = self._forgets and not self._is_begun
            if self._keeps:
                self.keep()
            self.is_searched, self._keeps = True, False
        elif seconds > QUIET_SECONDS and gc.get_count()[0] > YOUNG_OBJECTS:
            gc.collect(1)
        return self.is_searched
