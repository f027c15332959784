"""Unigram as the application declares it: its screens, commands, training and files.

`bpe_tui.bpe.model` describes the three functions.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING

from bpe_tui.session.config import RunConfig
from bpe_tui.session.declarations import ANY, FILTER, LOOK, STEP, Command, Model, TrainerChoice
from bpe_tui.widgets.language import plural, tr

if TYPE_CHECKING:
    from bpe_tui.session.training import Training
    from engine.recording.training_input import CountedCorpus
    from engine.text.patterns import PatternLike
    from engine.unigram.frame import UnigramFrame
    from engine.unigram.record import UnigramRecord
    from engine.unigram.textbook import TextbookTrainer
    from engine.unigram.trainer import UnigramTrainer

UNIGRAM_TRAINING, UNIGRAM_ENCODING = "unigram-training", "unigram-encoding"
UNIGRAM_VOCABULARY, UNIGRAM_CHARTS = "unigram-vocabulary", "unigram-charts"
UNIGRAM_INSPECTION, UNIGRAM_EXPLAIN = "unigram-inspection", "unigram-explain"

TEXTBOOK = "textbook"

_PRUNES = (
    UNIGRAM_EXPLAIN,
    UNIGRAM_TRAINING,
    UNIGRAM_VOCABULARY,
    UNIGRAM_CHARTS,
    UNIGRAM_INSPECTION,
)
_ALSO_PRUNES = (UNIGRAM_VOCABULARY, UNIGRAM_INSPECTION)
"""Screens that other models do not play."""

# fmt: off
COMMANDS: tuple[Command, ...] = (
    Command("t", "stops", "screen.menu('next')", STEP, _ALSO_PRUNES,
            "A menu of what to go to: the next prune, or the one before.", footer={ANY: 104}),
    Command("n", "next", "screen.following(1)", STEP, _ALSO_PRUNES, "To the next prune."),
    Command("t", "prune", "app.prune(1)", STEP, _PRUNES, "To the next prune.", menu="next"),
    Command("T", "prune before", "app.prune(-1)", STEP, _PRUNES, "To the prune before.",
            menu="next"),
    Command("p", "pieces", "screen.show('pieces')", LOOK, (UNIGRAM_TRAINING,),
            "To the pieces.", footer={ANY: 45}),
    Command("m", "steps", "screen.show('steps')", LOOK, (UNIGRAM_TRAINING,),
            "To the list of steps."),
    Command("p", "single", "screen.filter('characters')", FILTER, (UNIGRAM_VOCABULARY,),
            "Only single characters, which EM never removes; or the n-grams of one word.",
            menu="filter"),
    Command("u", "seldom", "screen.filter('seldom')", FILTER, (UNIGRAM_VOCABULARY,),
            "Only pieces that the corpus is expected to use less than once.",
            menu="filter"),
    Command("d", "go next", "screen.filter('leaving')", FILTER, (UNIGRAM_VOCABULARY,),
            "Only pieces that the next step removes.", menu="filter"),
)
# fmt: on

_TIES = "Ties are of pairs that occur equally often; Unigram merges none. n goes to the next prune."
_BREAKPOINTS = (
    "Breakpoints stop BPE's merges; a Unigram training has few steps, and n finds prunes."
)
REFUSED = {
    "app.tie(1)": _TIES,
    "app.tie(-1)": _TIES,
    "app.breakpoints": _BREAKPOINTS,
    "screen.ask": "The segmentations show it: the best ones, each with its score.",
    "screen.why": "Unigram joins no pairs; Enter on a piece says why it stays or goes.",
    "screen.show('merges')": "Unigram merges nothing; m shows its steps.",
    "screen.filter('unused')": "Pieces have expected counts; u leaves those below one.",
}
"""Action of a command that Unigram alone lacks → the sentence that its key gives."""

MODEL = Model(
    name="unigram",
    title="Unigram",
    summary="weighs too many pieces, and prunes the least needed",
    training="bpe_tui.unigram.model",
    transcript="bpe_tui.unigram.transcript:UnigramTranscript",
    save="bpe_tui.unigram.summary_screens:SavePieces",
    screens={
        UNIGRAM_EXPLAIN: "bpe_tui.explain.screen:UnigramExplainScreen",
        UNIGRAM_TRAINING: "bpe_tui.unigram.training_screen:UnigramTrainingScreen",
        UNIGRAM_ENCODING: "bpe_tui.unigram.encoding_screen:UnigramEncodingScreen",
        UNIGRAM_VOCABULARY: "bpe_tui.unigram.summary_screens:UnigramVocabularyScreen",
        UNIGRAM_CHARTS: "bpe_tui.unigram.summary_screens:UnigramChartsScreen",
        UNIGRAM_INSPECTION: "bpe_tui.unigram.summary_screens:UnigramInspectionScreen",
    },
    steps_a_second=1,
    formats=("huggingface", "pieces"),
    options=frozenset({"trainer", "units"}),
    trainers=(
        TrainerChoice("em", "Unigram", "weighs too many pieces, and prunes the least needed"),
        TrainerChoice(
            TEXTBOOK,
            "Unigram, textbook",
            "removes one n-gram a step, by brute force; for short texts",
            ("words", "characters"),
            "lines",
        ),
    ),
    commands=COMMANDS,
    refused=REFUSED,
    signs=("underline",),
    undrawn=("parted", "pair", "joining", "fresh", "stale", "claimed", "tie"),
)


def start(config: RunConfig, corpus: CountedCorpus) -> Training:
    """Prepare the training that `config` asks for; its step 0 is recorded once it has a seed."""
    from bpe_tui.session.training import Training
    from engine.unigram.frame import UnigramTimeline
    from engine.unigram.pieces import spelled_counts
    from engine.unigram.record import Seeded
    from engine.unigram.textbook import TextbookTrainer
    from engine.unigram.trainer import UnigramTrainer
    from engine.unigram.units import GRAM_UNITS

    words, pattern = spelled_counts(corpus.counts), config.pattern
    trainer: UnigramTrainer | TextbookTrainer
    if config.trainer == TEXTBOOK:
        trainer = TextbookTrainer(
            words,
            config.vocab_size,
            config.special_tokens,
            ngram=config.ngram,
            units=GRAM_UNITS[config.units].name,
        )
        words = trainer.sentences
    else:
        trainer = UnigramTrainer(words, config.vocab_size, config.special_tokens)

    return Training(
        trainer,
        lambda: UnigramTimeline(
            trainer.record, words=words, excerpt=corpus.excerpt, pattern=pattern
        ),
        begins_with=Seeded,
    )


def outputs(config: RunConfig, format: str, out: Path) -> list[Path]:
    """Return the one file that will be written.

    Raises:
        TokenizerFileError: the format cannot hold n-grams of words.
    """
    from engine.core.errors import TokenizerFileError

    if format == "huggingface" and config.trainer == TEXTBOOK and config.units == "words":
        raise TokenizerFileError(
            "a tokenizer.json cuts inside words, too, so it cannot hold n-grams of words; "
            "--format pieces writes them with their scores"
        )
    return [out]


def write(training: Training, config: RunConfig, format: str, out: Path, *, overwrite: bool) -> str:
    """Write the pieces; return a line about the contents and the pieces that are left out."""
    trainer: UnigramTrainer | TextbookTrainer = training.trainer
    left_out = save_in_format(
        format, trainer.pieces, config.pattern, config.special_tokens, out, overwrite=overwrite
    )
    missing = f"; {left_out}" if left_out else ""
    steps = plural(len(trainer.record), "step")
    pieces, ended = plural(len(trainer.pieces), "piece"), tr(training.stop_reason.value)
    return f"{pieces}, {steps}; {ended}{missing}"


def format_of(record: UnigramRecord) -> str:
    """Return the format that the pieces of a record are saved in."""
    from engine.unigram.textbook import TextbookRecord

    of_words = isinstance(record, TextbookRecord) and record.units.name == "words"
    return "pieces" if of_words else "huggingface"


def save_frame(frame: UnigramFrame, path: Path, *, overwrite: bool = False) -> str:
    """Save the pieces of a step; return a sentence about those left out, "" if there are none."""
    record, pattern = frame.record, frame.pattern
    left_out = save_in_format(
        format_of(record),
        frame.vocabulary,
        pattern,
        record.special_tokens,
        path,
        overwrite=overwrite,
    )
    return tr("Of the pieces {left_out}.", left_out=left_out) if left_out else ""


def save_in_format(
    format: str,
    pieces: Sequence[tuple[str, float]],
    pattern: PatternLike,
    special_tokens: Sequence[str],
    path: Path,
    *,
    overwrite: bool,
) -> str:
    """Save pieces, without those of probability 0, which cut no text.

    Returns:
        a clause about the pieces that are left out; empty if there are none.
    """
    from engine.formats.piece_list import save_piece_list
    from engine.formats.tokenizer_json import save_pieces

    used = [(text, score) for text, score in pieces if score > -inf]
    if format == "pieces":
        left_out = save_piece_list(used, path, overwrite=overwrite)
    else:
        left_out = save_pieces(
            used, path, pattern=pattern, special_tokens=special_tokens, overwrite=overwrite
        )
    clauses = []
    if left_out:
        clauses.append(tr("{left_out} left out, being no UTF-8", left_out=left_out))
    if unused := len(pieces) - len(used):
        clauses.append(tr("{unused} left out, being unused: P is 0", unused=unused))
    return tr("; ").join(clauses)
