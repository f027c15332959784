"""BPE, as the application knows it before its parts are imported."""

from __future__ import annotations

from bpe_tui.session.model import Model

MODEL = Model(
    name="bpe",
    title="BPE",
    summary="merges the most frequent pair, again and again",
    training="bpe_tui.bpe.training",
    transcript="bpe_tui.bpe.transcript:BpeTranscript",
    save="bpe_tui.bpe.screens.charts:Save",
    exports="bpe_tui.bpe.screens.charts:EXPORTS",
    screens={
        "lesson": "bpe_tui.lessons.screen:BpeLesson",
        "training": "bpe_tui.bpe.screens.training:TrainingScreen",
        "encoding": "bpe_tui.bpe.screens.encoding:EncodingScreen",
        "vocabulary": "bpe_tui.bpe.screens.vocabulary:BpeVocabularyScreen",
        "inspection": "bpe_tui.bpe.screens.vocabulary:BpeInspectionScreen",
        "charts": "bpe_tui.bpe.screens.charts:BpeChartsScreen",
    },
    counts_bytes=True,
)
