"""WordPiece, as the application knows it before its parts are imported, and its own commands."""

from __future__ import annotations

from collections.abc import Mapping

from bpe_tui.session.commands.command import LOOK, Command
from bpe_tui.session.model import Model

WORDPIECE_TRAINING, WORDPIECE_ENCODING = "wordpiece-training", "wordpiece-encoding"
WORDPIECE_VOCABULARY, WORDPIECE_CHARTS = "wordpiece-vocabulary", "wordpiece-charts"
WORDPIECE_INSPECTION, WORDPIECE_LESSON = "wordpiece-inspection", "wordpiece-lesson"

_SCORES = (WORDPIECE_TRAINING,)

COMMANDS: tuple[Command, ...] = (
    Command("screen.show('pairs')", "p", "scores", "To the scores.", LOOK, screens=_SCORES),
    Command("screen.show('merge')", "d", "done", "To what the merge did.", LOOK, screens=_SCORES),
)


# What the commands of BPE's screens are for, where WordPiece has no such thing.

REFUSED: Mapping[str, str] = {
    "screen.find_pair": "WordPiece keeps no heap; w tells about any two pieces.",
    "screen.sub_step": "Moves are a heap's. A merge changes every score that its "
    "parts stand in, so WordPiece keeps no heap.",
    "app.what_if": "What if forks BPE's merges; for WordPiece open the corpus "
    "with another --min-count.",
    "screen.characters": "WordPiece's pieces are whole characters: none is cut into bytes.",
    "screen.heap_view": "WordPiece keeps no heap: each merge looks at all scores.",
    "screen.pseudocode": "The pseudocode is of BPE's trainers.",
    "screen.filter('partial')": "Pieces are of characters: each is valid UTF-8 by itself.",
    "screen.filter('unreachable')": "Dead tokens are of merges; encoding here "
    "looks a piece up wherever it fits.",
    "screen.ask": "The probes say it: each row is a piece that was looked up.",
    "screen.show('lockstep')": "The comparison is of BPE's encoders, which merge; "
    "WordPiece only looks pieces up.",
    "screen.show('regex')": "The regex microscope is on BPE's encoding screen; "
    "WordPiece's text is cut by the same pattern.",
    "app.show('race')": "The race is between BPE's trainers; WordPiece has one.",
    "app.show('check')": "The check holds merges against BPE's rule; M trains BPE on this corpus.",
    "screen.compare": "The comparison is with tokenizers of merges; s saves the "
    "pieces for other programs.",
    "screen.specials": "Special tokens are one piece each here; BPE's screen can "
    "read them as text.",
    "screen.show('dropout')": "Dropout leaves merges out by chance; WordPiece's encoding has none.",
}
"""Action of a command → what its key says on WordPiece's screens."""

MODEL = Model(
    name="wordpiece",
    title="WordPiece",
    summary="merges the pair of highest score; the longest match encodes",
    training="bpe_tui.wordpiece.training",
    transcript="bpe_tui.wordpiece.transcript:WordPieceTranscript",
    save="bpe_tui.wordpiece.screens.charts:SaveVocab",
    exports="bpe_tui.wordpiece.screens.charts:EXPORTS",
    screens={
        WORDPIECE_LESSON: "bpe_tui.lessons.screen:WordPieceLesson",
        WORDPIECE_TRAINING: "bpe_tui.wordpiece.screens.training:WordPieceTrainingScreen",
        WORDPIECE_ENCODING: "bpe_tui.wordpiece.screens.encoding:WordPieceEncodingScreen",
        WORDPIECE_VOCABULARY: "bpe_tui.wordpiece.screens.vocabulary:WordPieceVocabularyScreen",
        WORDPIECE_CHARTS: "bpe_tui.wordpiece.screens.charts:WordPieceChartsScreen",
        WORDPIECE_INSPECTION: "bpe_tui.wordpiece.screens.vocabulary:WordPieceInspectionScreen",
    },
    merges_by_score=True,
    formats=("bert-vocab", "huggingface"),
    options=frozenset({"min_count"}),
    commands=COMMANDS,
    refused=REFUSED,
    signs=("inside",),
    undrawn=("stale",),
)
