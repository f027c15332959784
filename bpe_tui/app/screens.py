"""The screens, by name; each is imported and made when it is first shown."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib import import_module
from threading import Thread
from typing import Any

from textual.screen import Screen

_PLACES = {
    "training": ("bpe_tui.bpe.screens.training", "TrainingScreen"),
    "encoding": ("bpe_tui.bpe.screens.encoding", "EncodingScreen"),
    "vocabulary": ("bpe_tui.views.vocabulary_screen", "VocabularyScreen"),
    "pipeline": ("bpe_tui.studies.pipeline.screen", "PipelineScreen"),
    "unigram-training": ("bpe_tui.unigram.screens.training", "UnigramTrainingScreen"),
    "unigram-encoding": ("bpe_tui.unigram.screens.encoding", "UnigramEncodingScreen"),
    "unigram-vocabulary": ("bpe_tui.unigram.screens.vocabulary", "UnigramVocabularyScreen"),
    "unigram-charts": ("bpe_tui.unigram.screens.charts", "UnigramChartsScreen"),
    "unigram-inspection": ("bpe_tui.unigram.screens.inspection", "UnigramInspectionScreen"),
    "wordpiece-training": ("bpe_tui.wordpiece.screens.training", "WordPieceTrainingScreen"),
    "wordpiece-encoding": ("bpe_tui.wordpiece.screens.encoding", "WordPieceEncodingScreen"),
    "wordpiece-vocabulary": ("bpe_tui.wordpiece.screens.vocabulary", "WordPieceVocabularyScreen"),
    "wordpiece-charts": ("bpe_tui.wordpiece.screens.charts", "WordPieceChartsScreen"),
    "wordpiece-inspection": ("bpe_tui.wordpiece.screens.inspection", "WordPieceInspectionScreen"),
    "charts": ("bpe_tui.bpe.screens.charts", "BpeChartsScreen"),
    "family": ("bpe_tui.studies.model_table.screen", "FamilyScreen"),
    "inspection": ("bpe_tui.views.inspection_screen", "InspectionScreen"),
    "race": ("bpe_tui.studies.race.screen", "RaceScreen"),
}


def _class_of(name: str) -> type[Screen[Any]]:
    module, class_name = _PLACES[name]
    screen: type[Screen[Any]] = getattr(import_module(module), class_name)
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
