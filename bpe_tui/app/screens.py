"""The screens, by name; each is imported and made when it is first shown."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pkgutil import resolve_name
from threading import Thread
from typing import Any

from textual.screen import Screen

from bpe_tui.session.models import MODELS

_PLACES = {
    "start": "bpe_tui.dialogs.start_page:StartPage",
    "race": "bpe_tui.studies.race.screen:RaceScreen",
    "family": "bpe_tui.studies.model_table.screen:FamilyScreen",
    "check": "bpe_tui.studies.check.screen:CheckScreen",
    "pipeline": "bpe_tui.studies.pipeline.screen:PipelineScreen",
} | {name: place for model in MODELS.values() for name, place in model.screens.items()}


def _maker_of(place: str) -> Callable[[], Screen[Any]]:
    return lambda: resolve_name(place)()


SCREENS = {name: _maker_of(place) for name, place in _PLACES.items()}


def import_ahead(names: Iterable[str]) -> None:
    """Import screens in a thread, while nothing else is to be done: what a key opens is there."""

    def run() -> None:
        for name in names:
            resolve_name(_PLACES[name])

    Thread(target=run, name="screens", daemon=True).start()
