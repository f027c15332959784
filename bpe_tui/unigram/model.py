"""Unigram as the application declares it: its screens, commands, training and files.

`bpe_tui.bpe.model` describes the three functions.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from bpe_tui.session.commands.command import DO, FILTER, LOOK, STEP, Command
from bpe_tui.session.config import RunConfig
from bpe_tui.session.model import Model
from bpe_tui.widgets.numbers import number, plural

if TYPE_CHECKING:
    from engine.recording.training import CountedCorpus, Training
    from engine.unigram.frame import UnigramTimeline
    from engine.unigram.trainer import UnigramTrainer

UNIGRAM_TRAINING, UNIGRAM_ENCODING = "unigram-training", "unigram-encoding"
UNIGRAM_VOCABULARY, UNIGRAM_CHARTS = "unigram-vocabulary", "unigram-charts"
UNIGRAM_INSPECTION, UNIGRAM_LESSON = "unigram-inspection", "unigram-lesson"

_PIECES = (UNIGRAM_TRAINING,)
_PRUNES = (
    *(UNIGRAM_LESSON, UNIGRAM_TRAINING, UNIGRAM_VOCABULARY),
    *(UNIGRAM_CHARTS, UNIGRAM_INSPECTION),
)
_OF_PIECES = (UNIGRAM_VOCABULARY,)
_LATTICE = (UNIGRAM_ENCODING,)

COMMANDS: tuple[Command, ...] = (
    Command(
        "screen.prune(1)", "t", "prune", "To the next prune.", STEP, screens=_PRUNES, in_footer=True
    ),
    Command("screen.prune(-1)", "T", "prune", "To the prune before.", STEP, screens=_PRUNES),
    Command(
        "screen.show('pieces')",
        "p",
        "pieces",
        "To the pieces.",
        LOOK,
        screens=_PIECES,
        in_footer=True,
    ),
    Command(
        "screen.show('step')", "d", "done", "To what the step has done.", LOOK, screens=_PIECES
    ),
    Command("screen.show('steps')", "m", "steps", "To the list of steps.", LOOK, screens=_PIECES),
    Command(
        "screen.show('curves')",
        "u",
        "charts",
        "To the charts of loss and size; m takes their place back.",
        LOOK,
        screens=_PIECES,
    ),
    Command(
        "screen.search",
        "slash",
        "search",
        "Search the pieces.",
        LOOK,
        screens=_PIECES,
        in_footer=True,
    ),
    Command(
        "screen.sort",
        "c",
        "column",
        "Sort by the next column.",
        LOOK,
        screens=_PIECES,
        in_footer=True,
    ),
    Command("screen.reverse", "C", "turn round", "Turn the order round.", LOOK, screens=_PIECES),
    Command(
        "screen.filter('characters')",
        "p",
        "characters",
        "Only single characters, which are never removed.",
        FILTER,
        screens=_OF_PIECES,
    ),
    Command(
        "screen.filter('seldom')",
        "u",
        "seldom",
        "Only pieces that the corpus is expected to use less than once.",
        FILTER,
        screens=_OF_PIECES,
    ),
    Command(
        "screen.filter('leaving')",
        "d",
        "go next",
        "Only pieces that the next step removes.",
        FILTER,
        screens=_OF_PIECES,
    ),
    Command(
        "screen.show('lattice')",
        "v",
        "lattice",
        "To the lattice: every way to spell the pretoken with pieces.",
        LOOK,
        screens=_LATTICE,
        words="viterbi best path",
    ),
    Command(
        "screen.sample",
        "n",
        "sample",
        "Draw another segmentation by chance.",
        DO,
        screens=_LATTICE,
        in_footer=True,
    ),
    Command(
        "screen.sharpen(1)",
        "plus,equals_sign",
        "sharper",
        "Draw good segmentations more often.",
        DO,
        screens=_LATTICE,
    ),
    Command(
        "screen.sharpen(-1)",
        "minus",
        "flatter",
        "Draw all segmentations more alike.",
        DO,
        screens=_LATTICE,
    ),
)

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
    "app.show('check')": "The check holds merges against BPE's rule; M trains BPE on this corpus.",
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
    undrawn=("joining", "fresh", "stale", "tie"),
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

    def record() -> UnigramTimeline:
        return UnigramTimeline(trainer.record, words=words, excerpt=corpus.excerpt, pattern=pattern)

    return Training(trainer, record, begins_with=Seeded)


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
