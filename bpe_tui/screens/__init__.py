"""The screens, by name; each is imported and made when it is first shown."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from textual.screen import Screen


def _later(module: str, name: str) -> Callable[[], Screen[Any]]:
    def make() -> Screen[Any]:
        screen: Screen[Any] = getattr(import_module(f"bpe_tui.screens.{module}"), name)()
        return screen

    return make


SCREENS: dict[str, Callable[[], Screen[Any]]] = {
    "training": _later("training", "TrainingScreen"),
    "encoding": _later("encoding", "EncodingScreen"),
    "vocabulary": _later("vocabulary", "VocabularyScreen"),
    "pipeline": _later("pipeline", "PipelineScreen"),
    "unigram-training": _later("unigram_training", "UnigramTrainingScreen"),
    "unigram-encoding": _later("unigram_encoding", "UnigramEncodingScreen"),
    "wordpiece-training": _later("wordpiece_training", "WordPieceTrainingScreen"),
    "wordpiece-encoding": _later("wordpiece_encoding", "WordPieceEncodingScreen"),
    "wordpiece-vocabulary": _later("wordpiece_vocabulary", "WordPieceVocabularyScreen"),
    "wordpiece-charts": _later("wordpiece_charts", "WordPieceChartsScreen"),
    "wordpiece-inspection": _later("wordpiece_inspection", "WordPieceInspectionScreen"),
    "charts": _later("charts", "ChartsScreen"),
    "family": _later("family", "FamilyScreen"),
    "inspection": _later("inspection", "InspectionScreen"),
    "race": _later("race", "RaceScreen"),
}
