"""The models that the application can train on a corpus, side by side: one entry each.

All share the player, the headings, the windows and the keys. A model has its own screens for the
keys 1 and 2, of the kinds `training` and `encoding`; the commands of a kind hold on all screens of
that kind, but for those that a model refuses: what they show it does not have, and their keys say
so in a sentence.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any

from bpe_tui.command import (
    ENCODING,
    TRAINING,
    UNIGRAM_ENCODING,
    UNIGRAM_TRAINING,
    WORDPIECE_ENCODING,
    WORDPIECE_TRAINING,
)
from bpe_tui.config import Config, RunConfig
from engine.registry import Registry

if TYPE_CHECKING:
    from textual.message import Message

    from bpe_tui.jobs import CorpusJob
    from bpe_tui.screens.dialog import Dialog


@dataclass(frozen=True)
class Model:
    """A model to train.

    Attributes:
        name, title, summary: as the command line, a heading and the list of models call it.
        job: the module and the class of what counts and trains; imported when it is asked for.
        save: the same of the window that saves what is shown.
        screens: which screen each kind is.
        steps_a_second: how fast it is played at first.
        counts_bytes: whether the 256 bytes are tokens, so that a vocabulary has room for them.
        train: the module and the function that trains it without a screen; `None`: the command
            line does so itself.
        options: names of those of BPE's options that it has, too.
        refused: action of a command → what it is for, where this model has no such thing.
    """

    name: str
    title: str
    summary: str
    job: tuple[str, str]
    save: tuple[str, str]
    screens: Mapping[str, str] = field(default_factory=dict)
    steps_a_second: int = 10
    counts_bytes: bool = True
    train: tuple[str, str] | None = None
    options: frozenset[str] = frozenset()
    refused: Mapping[str, str] = field(default_factory=dict)

    def screen(self, kind: str) -> str:
        """The screen of a kind; there is one for all models if the model has none of its own."""
        return self.screens.get(kind, kind)

    def job_for(self, config: RunConfig, post: Callable[[Message], object]) -> CorpusJob:
        """The job that trains it."""
        job: CorpusJob = _imported(self.job)(config, post)
        return job

    @property
    def train_alone(self) -> Callable[..., None] | None:
        """What trains it without a screen, if the command line does not do so itself."""
        trains: Callable[..., None] | None = _imported(self.train) if self.train else None
        return trains

    def save_window(self, frame: Any, suggestion: str) -> Dialog:
        """The window that saves a frame of it, by default under the name suggested."""
        window: Dialog = _imported(self.save)(frame, suggestion)
        return window


def _imported(place: tuple[str, str]) -> Any:
    module, name = place
    return getattr(import_module(module), name)


_TIES = "Ties are of pairs that occur equally often; Unigram merges none. t goes to the next prune."
_BREAKPOINTS = (
    "Breakpoints stop BPE's merges; a Unigram training has few steps, and t finds prunes."
)
_VOCABULARY = "The vocabulary screen is of merged tokens; Unigram's pieces are on key 1, key p."
_SCORE_TIES = "t is for BPE's ties; the pairs that share the highest score are marked = here."
_SCORE_BREAKPOINTS = "Breakpoints stop BPE's merges; g goes to any step of WordPiece's."

MODELS: Registry[Model] = Registry(
    "model",
    {
        model.name: model
        for model in (
            Model(
                "bpe",
                "BPE",
                "byte-pair encoding: merges the most frequent pair, again and again",
                ("bpe_tui.jobs", "TrainingJob"),
                ("bpe_tui.screens.save", "Save"),
            ),
            Model(
                "wordpiece",
                "WordPiece",
                "merges the pair of highest score, count(ab) / (count(a) · count(b))",
                ("bpe_tui.wordpiece_job", "WordPieceJob"),
                ("bpe_tui.screens.save_vocab", "SaveVocab"),
                {TRAINING: WORDPIECE_TRAINING, ENCODING: WORDPIECE_ENCODING},
                counts_bytes=False,
                train=("bpe_tui.cli.train_wordpiece", "train_wordpiece"),
                options=frozenset({"min_count"}),
                refused={
                    "app.tie(1)": _SCORE_TIES,
                    "app.tie(-1)": _SCORE_TIES,
                    "app.breakpoints": _SCORE_BREAKPOINTS,
                    "app.run_to_breakpoint": _SCORE_BREAKPOINTS,
                    "screen.sub_step": "Moves are a heap's. A merge changes every score that its "
                    "parts stand in, so WordPiece keeps no heap.",
                    "app.what_if": "What if forks BPE's merges; for WordPiece open the corpus "
                    "with another --min-count.",
                    "screen.heap_view": "WordPiece keeps no heap: each merge looks at all scores.",
                    "screen.show('pseudocode')": "The pseudocode is of BPE's trainers.",
                    "app.show('vocabulary')": "The vocabulary screen is of BPE's tokens; m lists "
                    "WordPiece's pieces in the order in which they were made.",
                    "app.show('charts')": "The charts are of BPE's counts; WordPiece merges by "
                    "score.",
                    "screen.lanes": "The three lanes are of bytes; WordPiece's pieces are of "
                    "characters.",
                    "screen.ask": "The probes say it: each row is a piece that was looked up.",
                    "screen.show('lockstep')": "The comparison is of BPE's encoders, which merge; "
                    "WordPiece only looks pieces up.",
                    "screen.show('regex')": "The regex microscope is on BPE's encoding screen; "
                    "WordPiece's text is cut by the same pattern.",
                    "app.show('inspection')": "The inspection is of BPE's tokens; m lists "
                    "WordPiece's pieces.",
                    "app.show('race')": "The race is between BPE's trainers; WordPiece has one.",
                    "screen.compare": "The comparison is with tokenizers of merges; s saves the "
                    "pieces for other programs.",
                    "screen.specials": "Special tokens are one piece each here; BPE's screen can "
                    "read them as text.",
                    "screen.show('dropout')": "Dropout leaves merges out by chance; WordPiece's "
                    "encoding has none.",
                    "app.export": "The export is of BPE's merges; s saves the pieces.",
                },
            ),
            Model(
                "unigram",
                "Unigram",
                "starts with too many pieces, gives each a probability, prunes the least needed",
                ("bpe_tui.unigram_job", "UnigramJob"),
                ("bpe_tui.screens.save_pieces", "SavePieces"),
                {TRAINING: UNIGRAM_TRAINING, ENCODING: UNIGRAM_ENCODING},
                steps_a_second=1,
                counts_bytes=False,
                train=("bpe_tui.cli.train_unigram", "train_unigram"),
                refused={
                    "app.tie(1)": _TIES,
                    "app.tie(-1)": _TIES,
                    "app.breakpoints": _BREAKPOINTS,
                    "app.run_to_breakpoint": _BREAKPOINTS,
                    "screen.sub_step": "Moves are a heap's, and Unigram has no heap: a step is the "
                    "least there is.",
                    "app.what_if": "What if forks BPE's merges: another pair, another tie rule. "
                    "Unigram chooses no pair.",
                    "screen.heap_view": "The heap is of BPE's pairs; Unigram weighs all its pieces "
                    "anew in each step.",
                    "screen.show('pseudocode')": "The pseudocode is of BPE's trainers.",
                    "screen.show('merges')": "Unigram merges nothing; m shows its steps.",
                    "app.show('vocabulary')": _VOCABULARY,
                    "app.show('charts')": "The charts are of merges; Unigram's loss and size are "
                    "on key 1, key u.",
                    "app.show('inspection')": "The inspection is of BPE's tokens; Unigram's pieces "
                    "are on key 1, key p.",
                    "app.show('race')": "The race is between BPE's trainers; Unigram has one.",
                    "screen.compare": "The comparison is with tokenizers of merges; s saves the "
                    "pieces for other programs.",
                    "screen.specials": "Special tokens are one piece each here; BPE's screen can "
                    "read them as text.",
                    "screen.show('dropout')": "Dropout leaves merges out by chance; Unigram draws "
                    "segmentations by chance with n.",
                    "screen.lanes": "The three lanes are of bytes; Unigram's pieces are of "
                    "characters, and the lattice aligns them.",
                    "screen.show('lockstep')": "The comparison is of BPE's encoders, which merge.",
                    "screen.show('regex')": "The regex microscope is on BPE's encoding screen; "
                    "Unigram's text is cut by the same pattern.",
                    "app.export": "The export is of merges; s saves the pieces with their scores.",
                },
            ),
        )
    },
)
DEFAULT_MODEL = "bpe"


def model_of(config: Config) -> Model:
    """The model that a corpus is trained with, or that a tokenizer is of."""
    return MODELS[config.model if isinstance(config, RunConfig) else DEFAULT_MODEL]


def kind_and_model(screen: str) -> tuple[str, Model | None]:
    """What kind of screen it is, and whose; `None` if it serves every model that has none.

    >>> kind, model = kind_and_model("unigram-training")
    >>> kind, model.name
    ('training', 'unigram')
    >>> kind_and_model("charts")
    ('charts', None)
    """
    for model in MODELS.values():
        for kind, own in model.screens.items():
            if own == screen:
                return kind, model
    return screen, None
