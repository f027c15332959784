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
from bpe_tui.unigram.refusals import REFUSED as UNIGRAM_REFUSED
from bpe_tui.wordpiece.refusals import REFUSED as WORDPIECE_REFUSED
from engine.registry import Registry

if TYPE_CHECKING:
    from textual.message import Message

    from bpe_tui.jobs import CorpusJob
    from bpe_tui.screens.dialog import Dialog
    from bpe_tui.transcript import AnyTranscript


@dataclass(frozen=True)
class Model:
    """A model to train.

    Attributes:
        name, title, summary: as the command line, a heading and the list of models call it.
        job: the module and the class of what counts and trains; imported when it is asked for.
        save: the same of the window that saves what is shown.
        plain: the module and the function that trains it for a transcript, without a screen.
        screens: which screen each kind is.
        steps_a_second: how fast it is played at first.
        counts_bytes: whether the 256 bytes are tokens, so that a vocabulary has room for them.
        train: the same of what trains and saves it; `None`: the command line does so itself.
        options: names of those of BPE's options that it has, too.
        refused: action of a command → what it is for, where this model has no such thing.
    """

    name: str
    title: str
    summary: str
    job: tuple[str, str]
    save: tuple[str, str]
    plain: tuple[str, str]
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

    def transcript(self, config: RunConfig) -> AnyTranscript:
        """The training that `config` asks for, made, to be asked about without a screen.

        Raises:
            BpeError: the corpus cannot be read.
        """
        transcript: AnyTranscript = _imported(self.plain)(config)
        return transcript

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


MODELS: Registry[Model] = Registry(
    "model",
    {
        model.name: model
        for model in (
            Model(
                "bpe",
                "BPE",
                "merges the most frequent pair, again and again",
                ("bpe_tui.jobs", "TrainingJob"),
                ("bpe_tui.screens.save", "Save"),
                ("bpe_tui.cli.plain_bpe", "trained"),
            ),
            Model(
                "wordpiece",
                "WordPiece",
                "merges the pair of highest score; the longest match encodes",
                ("bpe_tui.wordpiece.job", "WordPieceJob"),
                ("bpe_tui.screens.save_vocab", "SaveVocab"),
                ("bpe_tui.cli.plain_wordpiece", "trained"),
                {TRAINING: WORDPIECE_TRAINING, ENCODING: WORDPIECE_ENCODING},
                counts_bytes=False,
                train=("bpe_tui.cli.train_wordpiece", "train_wordpiece"),
                options=frozenset({"min_count"}),
                refused=WORDPIECE_REFUSED,
            ),
            Model(
                "unigram",
                "Unigram",
                "weighs too many pieces, and prunes the least needed",
                ("bpe_tui.unigram.job", "UnigramJob"),
                ("bpe_tui.screens.save_pieces", "SavePieces"),
                ("bpe_tui.cli.plain_unigram", "trained"),
                {TRAINING: UNIGRAM_TRAINING, ENCODING: UNIGRAM_ENCODING},
                steps_a_second=1,
                counts_bytes=False,
                train=("bpe_tui.cli.train_unigram", "train_unigram"),
                refused=UNIGRAM_REFUSED,
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
