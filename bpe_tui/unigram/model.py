"""Unigram, as the application knows it before its parts are imported, and its own commands."""

from __future__ import annotations

from bpe_tui.session.commands.command import DO, FILTER, LOOK, STEP, Command
from bpe_tui.session.model import Model

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


# What the commands of BPE are for that Unigram has no use for: a sentence for each key.

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
"""Action of a command → what it is for."""

MODEL = Model(
    name="unigram",
    title="Unigram",
    summary="weighs too many pieces, and prunes the least needed",
    training="bpe_tui.unigram.training",
    transcript="bpe_tui.unigram.transcript:UnigramTranscript",
    save="bpe_tui.unigram.screens.charts:SavePieces",
    exports="bpe_tui.unigram.screens.charts:EXPORTS",
    screens={
        UNIGRAM_LESSON: "bpe_tui.lessons.screen:UnigramLesson",
        UNIGRAM_TRAINING: "bpe_tui.unigram.screens.training:UnigramTrainingScreen",
        UNIGRAM_ENCODING: "bpe_tui.unigram.screens.encoding:UnigramEncodingScreen",
        UNIGRAM_VOCABULARY: "bpe_tui.unigram.screens.vocabulary:UnigramVocabularyScreen",
        UNIGRAM_CHARTS: "bpe_tui.unigram.screens.charts:UnigramChartsScreen",
        UNIGRAM_INSPECTION: "bpe_tui.unigram.screens.vocabulary:UnigramInspectionScreen",
    },
    steps_a_second=1,
    formats=("huggingface",),
    commands=COMMANDS,
    refused=REFUSED,
    signs=("underline",),
    undrawn=("joining", "fresh", "stale", "tie"),
)
