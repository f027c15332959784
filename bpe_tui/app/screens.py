"""The screens, by name; each is made when it is first shown, or ahead of that in a quiet moment."""

from __future__ import annotations

from collections.abc import Callable
from pkgutil import resolve_name
from typing import Any

from textual.app import App
from textual.events import ScreenResume
from textual.screen import Screen

from bpe_tui.session.models import MODELS

PLACES = {
    "start": "bpe_tui.dialogs.start_page:StartPage",
    "race": "bpe_tui.studies.race.screen:RaceScreen",
    "family": "bpe_tui.studies.model_table.screen:FamilyScreen",
    "check": "bpe_tui.studies.check.screen:CheckScreen",
    "pipeline": "bpe_tui.studies.pipeline.screen:PipelineScreen",
} | {name: place for model in MODELS.values() for name, place in model.screens.items()}


def _maker_of(place: str) -> Callable[[], Screen[Any]]:
    return lambda: resolve_name(place)()


SCREENS = {name: _maker_of(place) for name, place in PLACES.items()}


def import_screen(name: str) -> None:
    """Import a screen, in whatever thread, so that the key that opens it need not."""
    resolve_name(PLACES[name])


def mount_ahead(app: App[Any], name: str) -> None:
    """Make a screen that nobody has asked for yet, so that its key has only to paint it.

    `push_screen` would do the same, and read the style sheets of all screens anew.
    """
    if not app.is_screen_installed(name):
        return  # the application is closing
    screen = app.get_screen(name)
    if screen.is_running:
        return
    for path in screen.css_path:
        if not app.stylesheet.has_source(str(path)):
            app.stylesheet.read(path)
    app._register(app, screen)
    screen.post_message(ScreenResume())  # it lays itself out; nothing is painted of it
