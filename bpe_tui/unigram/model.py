"""Unigram as the application declares it: its screens, commands, training and files.

`bpe_tui.bpe.model` describes the three functions.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from bpe_tui.session.config import RunConfig
from bpe_tui.session.declarations import DO, FILTER, LOOK, STEP, Command, Model
from bpe_tui.widgets.numbers import number, plural

if TYPE_CHECKING:
    from engine.recording.training import CountedCorpus, Training
    from engine.unigram.trainer import UnigramTrainer

UNIGRAM_TRAINING, UNIGRAM_ENCODING = "unigram-training", "unigram-encoding"
UNIGRAM_VOCABULARY, UNIGRAM_CHARTS = "unigram-vocabulary", "unigram-charts"
UNIGRAM_INSPECTION, UNIGRAM_LESSON = "unigram-inspection", "unigram-lesson"

_PRUNES = (
    *(UNIGRAM_LESSON, UNIGRAM_TRAINING, UNIGRAM_VOCABULARY),
    *(UNIGRAM_CHARTS, UNIGRAM_INSPECTION),
)

# fmt: off
COMMANDS: tuple[Command, ...] = (
    Command("t", "prune", "screen.prune(1)", STEP, _PRUNES, "To the next prune.", in_footer=True),
    Command("T", "prune", "screen.prune(-1)", STEP, _PRUNES, "To the prune before."),
    Command("p", "pieces", "screen.show('pieces')", LOOK, (UNIGRAM_TRAINING,),
            "To the pieces.", in_footer=True),
    Command("d", "done", "screen.show('step')", LOOK, (UNIGRAM_TRAINING,),
            "To what the step has done."),
    Command("m", "steps", "screen.show('steps')", LOOK, (UNIGRAM_TRAINING,),
            "To the list of steps."),
    Command("u", "charts", "screen.show('curves')", LOOK, (UNIGRAM_TRAINING,),
            "To the charts of loss and size; m takes their place back."),
    Command("slash", "search", "screen.search", LOOK, (UNIGRAM_TRAINING,),
            "Search the pieces.", in_footer=True),
    Command("c", "column", "screen.sort", LOOK, (UNIGRAM_TRAINING,),
            "Sort by the next column.", in_footer=True),
    Command("C", "turn round", "screen.reverse", LOOK, (UNIGRAM_TRAINING,),
            "Turn the order round."),
    Command("p", "characters", "screen.filter('characters')", FILTER, (UNIGRAM_VOCABULARY,),
            "Only single characters, which are never removed."),
    Command("u", "seldom", "screen.filter('seldom')", FILTER, (UNIGRAM_VOCABULARY,),
            "Only pieces that the corpus is expected to use less than once."),
    Command("d", "go next", "screen.filter('leaving')", FILTER, (UNIGRAM_VOCABULARY,),
            "Only pieces that the next step removes."),
    Command("v", "lattice", "screen.show('lattice')", LOOK, (UNIGRAM_ENCODING,),
            "To the lattice: every way to spell the pretoken with pieces.",
            words="viterbi best path"),
    Command("n", "sample", "screen.sample", DO, (UNIGRAM_ENCODING,),
            "Draw another segmentation by chance.", in_footer=True),
    Command("plus,equals_sign", "sharper", "screen.sharpen(1)", DO, (UNIGRAM_ENCODING,),
            "Draw good segmentations more often."),
    Command("minus", "flatter", "screen.sharpen(-1)", DO, (UNIGRAM_ENCODING,),
            "Draw all segmentations more alike."),
)
# fmt: on

_TIES = "Ties are of pairs that occur equally often; Unigram merges none. t goes to the next prune."
_BREAKPOINTS = (
    "Breakpoints stop BPE's merges; a Unigram training has few steps, and t finds prunes."
)
REFUSED = {
    "app.tie(1)": _TIES,
    "app.tie(-1)": _TIES,
    "app.breakpoints": _BREAKPOINTS,
    "app.run_to_breakpoint": _BREAKPOINTS,
    "screen.sub_step": "Moves are a heap's, and Unigram has no heap: a step is the least there is.",
    "app.what_if": "What if forks BPE's merges: another pair, another tie rule. "
    "Unigram chooses no pair.",
    "screen.characters": "Unigram's pieces are whole characters: none is cut into bytes.",
    "screen.heap_view": "The heap is of BPE's pairs; Unigram weighs all its pieces "
    "anew in each step.",
    "screen.pseudocode": "The pseudocode is of BPE's trainers; d shows "
    "what an iteration or a prune of Unigram computes.",
    "screen.find_pair": "Unigram has no pairs; 3 has its pieces, and / searches them there.",
    "screen.why": "Unigram joins no pairs; Enter on a piece says why it stays or goes.",
    "screen.show('merges')": "Unigram merges nothing; m shows its steps.",
    "screen.fold": "The tree that folds is of merges; a piece has none below it.",
    "screen.filter('partial')": "Pieces are of whole characters; p leaves the single ones.",
    "screen.filter('unused')": "Pieces have expected counts; u leaves those below one.",
    "screen.filter('unreachable')": "What no best segmentation uses is sorted first by loss; "
    "d leaves the pieces that go next.",
    "app.show('check')": "The check compares merges with BPE's rule; M trains BPE on this corpus.",
    "app.show('race')": "The race is between BPE's trainers, which make the same merges; "
    "Unigram has one trainer.",
    "screen.compare": "The comparison is with tokenizers of merges; s saves the "
    "pieces for other programs.",
    "screen.specials": "Special tokens are one piece each here; BPE's screen can "
    "read them as text.",
    "screen.show('dropout')": "Dropout leaves merges out by chance; Unigram draws "
    "segmentations by chance with n.",
    "screen.show('lockstep')": "The comparison is of BPE's encoders, which merge; Unigram's way is "
    "the best through the lattice.",
    "screen.show('regex')": "The regex microscope is on BPE's encoding screen; "
    "Unigram's text is cut by the same pattern.",
}
"""Action of a BPE command → the sentence that its key gives on Unigram's screens."""

MODEL = Model(
    name="unigram",
    title="Unigram",
    summary="weighs too many pieces, and prunes the least needed",
    training="bpe_tui.unigram.model",
    transcript="bpe_tui.unigram.transcript:UnigramTranscript",
    save="bpe_tui.unigram.summary_screens:SavePieces",
    exports="bpe_tui.unigram.summary_screens:EXPORTS",
    screens={
        UNIGRAM_LESSON: "bpe_tui.lessons.screen:UnigramLesson",
        UNIGRAM_TRAINING: "bpe_tui.unigram.training_screen:UnigramTrainingScreen",
        UNIGRAM_ENCODING: "bpe_tui.unigram.encoding_screen:UnigramEncodingScreen",
        UNIGRAM_VOCABULARY: "bpe_tui.unigram.summary_screens:UnigramVocabularyScreen",
        UNIGRAM_CHARTS: "bpe_tui.unigram.summary_screens:UnigramChartsScreen",
        UNIGRAM_INSPECTION: "bpe_tui.unigram.summary_screens:UnigramInspectionScreen",
    },
    steps_a_second=1,
    formats=("huggingface",),
    commands=COMMANDS,
    refused=REFUSED,
    signs=("underline",),
    undrawn=("joining", "fresh", "stale", "tie", "best", "active", "inactive", "link"),
)


def start(config: RunConfig, corpus: CountedCorpus) -> Training:
    """Prepare the training that `config` asks for; its step 0 is recorded once it has a seed."""
    from engine.recording.training import Training
    from engine.unigram.frame import UnigramTimeline
    from engine.unigram.pieces import spelled_counts
    from engine.unigram.record import Seeded
    from engine.unigram.trainer import UnigramTrainer

    words, pattern = spelled_counts(corpus.counts), config.pattern
    trainer = UnigramTrainer(words, config.vocab_size, config.special_tokens)

    return Training(
        trainer,
        lambda: UnigramTimeline(
            trainer.record, words=words, excerpt=corpus.excerpt, pattern=pattern
        ),
        begins_with=Seeded,
    )


def outputs(config: RunConfig, format: str, out: Path) -> list[Path]:
    """Return the one file that will be written."""
    return [out]


def write(training: Training, config: RunConfig, format: str, out: Path, *, overwrite: bool) -> str:
    """Write a tokenizer.json; return a line about its contents and the pieces it cannot hold."""
    from engine.formats.tokenizer_json import save_pieces

    trainer: UnigramTrainer = training.trainer
    left_out = save_pieces(
        trainer.pieces,
        out,
        pattern=config.pattern,
        special_tokens=config.special_tokens,
        overwrite=overwrite,
    )
    missing = f"; {number(left_out)} left out, being no UTF-8" if left_out else ""
    steps = plural(len(trainer.record), "step")
    return f"{plural(len(trainer.pieces), 'piece')}, {steps}; {training.stop_reason.value}{missing}"
