"""How WordPiece is trained and written; what there must be is said in `bpe_tui.bpe.training`."""

from __future__ import annotations

from pathlib import Path

from bpe_tui.session.config import RunConfig
from bpe_tui.widgets.numbers import plural
from engine.recording.training import CountedCorpus, Training
from engine.wordpiece.frame import WordPieceTimeline
from engine.wordpiece.score import DEFAULT_TIE_RULE, SCORE_TIE_RULES
from engine.wordpiece.tokenizer import WordPieceTokenizer, save_vocab
from engine.wordpiece.trainer import WordPieceTrainer


def start(config: RunConfig, corpus: CountedCorpus) -> Training:
    """The training that `config` asks for; a tie rule that only BPE has gives way."""
    trainer = WordPieceTrainer(
        corpus.counts,
        config.size,
        config.special_tokens,
        tie_rule=config.tie_rule if config.tie_rule in SCORE_TIE_RULES else DEFAULT_TIE_RULE,
        min_count=config.min_count,
    )

    def record() -> WordPieceTimeline:
        return WordPieceTimeline(trainer.record, pattern=config.pattern, excerpt=corpus.excerpt)

    return Training(trainer, record)


def outputs(config: RunConfig, format: str, out: Path) -> list[Path]:
    """The file that is written."""
    return [out]


def write(training: Training, config: RunConfig, format: str, out: Path, *, overwrite: bool) -> str:
    """Write a vocab.txt, or a tokenizer.json, which keeps the pattern, too; what is in it."""
    trainer: WordPieceTrainer = training.trainer
    if format == "huggingface":
        from engine.formats.tokenizer_json import save_pipeline
        from engine.pipeline.of_tokenizer import wordpiece_pipeline

        learnt = WordPieceTokenizer(trainer.vocab, config.special_tokens, pattern=config.pattern)
        save_pipeline(wordpiece_pipeline(learnt), out, overwrite)
    else:
        save_vocab(trainer.vocab, out, overwrite=overwrite)
    merges = plural(len(trainer.record), "merge")
    return f"{plural(len(trainer.vocab), 'piece')}, {merges}; {training.stop_reason.value}"
