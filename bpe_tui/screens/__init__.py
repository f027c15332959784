"""The screens, by name; each is imported and made when it is first shown."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib import import_module
from threading import Thread
from typing import Any

from textual.screen import Screen

_PLACES = {
    "training": ("training", "TrainingScreen"),
    "encoding": ("encoding", "EncodingScreen"),
    "vocabulary": ("vocabulary", "VocabularyScreen"),
    "pipeline": ("pipeline", "PipelineScreen"),
    "unigram-training": ("unigram_training", "UnigramTrainingScreen"),
    "unigram-encoding": ("unigram_encoding", "UnigramEncodingScreen"),
    "unigram-vocabulary": ("unigram_vocabulary", "UnigramVocabularyScreen"),
    "unigram-charts": ("unigram_charts", "UnigramChartsScreen"),
    "unigram-inspection": ("unigram_inspection", "UnigramInspectionScreen"),
    "wordpiece-training": ("wordpiece_training", "WordPieceTrainingScreen"),
    "wordpiece-encoding": ("wordpiece_encoding", "WordPieceEncodingScreen"),
    "wordpiece-vocabulary": ("wordpiece_vocabulary", "WordPieceVocabularyScreen"),
    "wordpiece-charts": ("wordpiece_charts", "WordPieceChartsScreen"),
    "wordpiece-inspection": ("wordpiece_inspection", "WordPieceInspectionScreen"),
    "charts": ("charts", "ChartsScreen"),
    "family": ("family", "FamilyScreen"),
    "inspection": ("inspection", "InspectionScreen"),
    "race": ("race", "RaceScreen"),
}


def _class_of(name: str) -> type[Screen[Any]]:
    module, class_name = _PLACES[name]
    screen: type[Screen[Any]] = getattr(import_module(f"bpe_tui.screens.{module}"), class_name)
    return screen


def _later(name: str) -> Callable[[], Screen[Any]]:
    return lambda: _class_of(name)()


SCREENS: dict[str, Callable[[], Screen[Any]]] = {name: _later(name) for name in _PLACES}


def import_ahead(names: Iterable[str]) -> None:
    """Import screens in a thread, while nothing else is to be done: what a key opens is there."""

    def run() -> None:
        for name in names:
            _class_of(name)

    Thread(target=run, name="screens", daemon=True).start()
