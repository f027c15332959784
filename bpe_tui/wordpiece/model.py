"""WordPiece as the application declares it: its screens, commands, training and files.

`bpe_tui.bpe.model` describes the three functions.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from bpe_tui.session.config import RunConfig
from bpe_tui.session.declarations import LOOK, Command, Model
from bpe_tui.widgets.language import plural, tr

if TYPE_CHECKING:
    from bpe_tui.session.training import Training
    from engine.recording.training_input import CountedCorpus
    from engine.wordpiece.trainer import WordPieceTrainer

WORDPIECE_TRAINING, WORDPIECE_ENCODING = "wordpiece-training", "wordpiece-encoding"
WORDPIECE_VOCABULARY, WORDPIECE_CHARTS = "wordpiece-vocabulary", "wordpiece-charts"
WORDPIECE_INSPECTION, WORDPIECE_EXPLAIN = "wordpiece-inspection", "wordpiece-explain"

# fmt: off
COMMANDS: tuple[Command, ...] = (
    Command("p", "scores", "screen.show('pairs')", LOOK, (WORDPIECE_TRAINING,), "To the scores."),
)
# fmt: on

MODEL = Model(
    name="wordpiece",
    title="WordPiece",
    summary="merges the pair of highest score; the longest match encodes",
    training="bpe_tui.wordpiece.model",
    transcript="bpe_tui.wordpiece.transcript:WordPieceTranscript",
    save="bpe_tui.wordpiece.summary_screens:SaveVocab",
    screens={
        WORDPIECE_EXPLAIN: "bpe_tui.explain.screen:WordPieceExplainScreen",
        WORDPIECE_TRAINING: "bpe_tui.wordpiece.training_screen:WordPieceTrainingScreen",
        WORDPIECE_ENCODING: "bpe_tui.wordpiece.encoding_screen:WordPieceEncodingScreen",
        WORDPIECE_VOCABULARY: "bpe_tui.wordpiece.summary_screens:WordPieceVocabularyScreen",
        WORDPIECE_CHARTS: "bpe_tui.wordpiece.summary_screens:WordPieceChartsScreen",
        WORDPIECE_INSPECTION: "bpe_tui.wordpiece.summary_screens:WordPieceInspectionScreen",
    },
    formats=("bert-vocab", "huggingface"),
    options=frozenset({"min_count"}),
    commands=COMMANDS,
    refused={"screen.ask": "The probes show it: each row is a piece that was looked up."},
    signs=("inside",),
    undrawn=("parted", "stale", "claimed"),
)


def start(config: RunConfig, corpus: CountedCorpus) -> Training:
    """Prepare the training that `config` asks for; the default replaces a tie rule of BPE only."""
    from bpe_tui.session.training import Training
    from engine.wordpiece.frame import WordPieceTimeline
    from engine.wordpiece.score import DEFAULT_TIE_RULE, SCORE_TIE_RULES
    from engine.wordpiece.trainer import WordPieceTrainer

    trainer = WordPieceTrainer(
        corpus.counts,
        config.size,
        config.special_tokens,
        tie_rule=config.tie_rule if config.tie_rule in SCORE_TIE_RULES else DEFAULT_TIE_RULE,
        min_count=config.min_count,
    )

    return Training(
        trainer,
        lambda: WordPieceTimeline(trainer.record, pattern=config.pattern, excerpt=corpus.excerpt),
    )


def outputs(config: RunConfig, format: str, out: Path) -> list[Path]:
    """Return the one file that will be written."""
    return [out]


def write(training: Training, config: RunConfig, format: str, out: Path, *, overwrite: bool) -> str:
    """Write a vocab.txt, or a tokenizer.json with the pattern; return a line about its contents."""
    from engine.wordpiece.tokenizer import WordPieceTokenizer, save_vocab

    trainer: WordPieceTrainer = training.trainer
    if format == "huggingface":
        from engine.formats.own_pipelines import wordpiece_pipeline
        from engine.formats.tokenizer_json import save_pipeline

        trained = WordPieceTokenizer(trainer.vocab, config.special_tokens, pattern=config.pattern)
        save_pipeline(wordpiece_pipeline(trained), out, overwrite)
    else:
        save_vocab(trainer.vocab, out, overwrite=overwrite)
    merges = plural(len(trainer.record), "merge")
    pieces, reason = plural(len(trainer.vocab), "piece"), tr(training.stop_reason.value)
    return tr("{pieces}, {merges}; {reason}", pieces=pieces, merges=merges, reason=reason)
