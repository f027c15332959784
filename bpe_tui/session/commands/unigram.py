"""The commands that only Unigram's screens have."""

from __future__ import annotations

from bpe_tui.session.commands.command import (
    DO,
    FILTER,
    LOOK,
    STEP,
    UNIGRAM_CHARTS,
    UNIGRAM_ENCODING,
    UNIGRAM_INSPECTION,
    UNIGRAM_TRAINING,
    UNIGRAM_VOCABULARY,
    Command,
)

_PIECES = (UNIGRAM_TRAINING,)
_PRUNES = (UNIGRAM_TRAINING, UNIGRAM_VOCABULARY, UNIGRAM_CHARTS, UNIGRAM_INSPECTION)
_OF_PIECES = (UNIGRAM_VOCABULARY,)
_LATTICE = (UNIGRAM_ENCODING,)

COMMANDS: tuple[Command, ...] = (
    Command("screen.prune(1)", "t", "t", "prune", "To the next prune.", STEP, _PRUNES, True),
    Command("screen.prune(-1)", "T", "T", "prune", "To the prune before.", STEP, _PRUNES),
    Command("screen.show('pieces')", "p", "p", "pieces", "To the pieces.", LOOK, _PIECES, True),
    Command("screen.show('step')", "d", "d", "done", "To what the step has done.", LOOK, _PIECES),
    Command("screen.show('steps')", "m", "m", "steps", "To the list of steps.", LOOK, _PIECES),
    Command(
        "screen.show('curves')",
        "u",
        "u",
        "charts",
        "To the charts of loss and size; m takes their place back.",
        LOOK,
        _PIECES,
    ),
    Command("screen.search", "slash", "/", "search", "Search the pieces.", LOOK, _PIECES, True),
    Command("screen.sort", "c", "c", "column", "Sort by the next column.", LOOK, _PIECES, True),
    Command("screen.reverse", "C", "C", "turn round", "Turn the order round.", LOOK, _PIECES),
    Command(
        "screen.filter('characters')",
        "p",
        "p",
        "characters",
        "Only single characters, which are never removed.",
        FILTER,
        _OF_PIECES,
    ),
    Command(
        "screen.filter('seldom')",
        "u",
        "u",
        "seldom",
        "Only pieces that the corpus is expected to use less than once.",
        FILTER,
        _OF_PIECES,
    ),
    Command(
        "screen.filter('leaving')",
        "d",
        "d",
        "go next",
        "Only pieces that the next step removes.",
        FILTER,
        _OF_PIECES,
    ),
    Command(
        "screen.sample",
        "n",
        "n",
        "sample",
        "Draw another segmentation by chance.",
        DO,
        _LATTICE,
        True,
    ),
    Command(
        "screen.sharpen(1)",
        "plus,equals_sign",
        "+",
        "sharper",
        "Draw good segmentations more often.",
        DO,
        _LATTICE,
    ),
    Command(
        "screen.sharpen(-1)",
        "minus",
        "-",
        "flatter",
        "Draw all segmentations more alike.",
        DO,
        _LATTICE,
    ),
)
