"""The models that the application can train on a corpus, side by side: one entry each.

All share the player, the headings, the windows and the keys. A model has its own screens for the
keys 1 and 2, of the kinds `training` and `encoding`; the commands of a kind hold on all screens of
that kind, but for those that a model refuses: what they show it does not have, and their keys say
so in a sentence.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from bpe_tui.session.commands.command import (
    CHARTS,
    ENCODING,
    INSPECTION,
    TRAINING,
    UNIGRAM_CHARTS,
    UNIGRAM_ENCODING,
    UNIGRAM_INSPECTION,
    UNIGRAM_TRAINING,
    UNIGRAM_VOCABULARY,
    VOCABULARY,
    WORDPIECE_CHARTS,
    WORDPIECE_ENCODING,
    WORDPIECE_INSPECTION,
    WORDPIECE_TRAINING,
    WORDPIECE_VOCABULARY,
)
from bpe_tui.session.commands.unigram import REFUSED as UNIGRAM_REFUSED
from bpe_tui.session.commands.wordpiece import REFUSED as WORDPIECE_REFUSED
from bpe_tui.session.config import Config, RunConfig
from engine.core.registry import Registry


@dataclass(frozen=True)
class Model:
    """A model to train.

    Its parts are named, and imported when they are asked for: see `bpe_tui.app.model_parts`.

    Attributes:
        name, title, summary: as the command line, a heading and the list of models call it.
        job: the module and the class of what counts and trains; imported when it is asked for.
        save: the same of the window that saves what is shown.
        plain: the module and the function that trains it for a transcript, without a screen.
        exports: the module and the name of the kinds of files that can be exported.
        screens: which screen each kind is.
        steps_a_second: how fast it is played at first.
        merges_by_score: whether its merges have scores, besides counts, to stop at.
        counts_bytes: whether the 256 bytes are tokens, so that a vocabulary has room for them.
        trains: format → the module and the function that trains it and saves it in that, called
            from the shell; the first by default. Of none the command does all itself.
        options: names of those of BPE's options that it has, too.
        refused: action of a command → what it is for, where this model has no such thing.
    """

    name: str
    title: str
    summary: str
    job: tuple[str, str]
    save: tuple[str, str]
    plain: tuple[str, str]
    exports: tuple[str, str]
    screens: Mapping[str, str] = field(default_factory=dict)
    steps_a_second: int = 10
    merges_by_score: bool = False
    counts_bytes: bool = True
    trains: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    options: frozenset[str] = frozenset()
    refused: Mapping[str, str] = field(default_factory=dict)

    def screen(self, kind: str) -> str:
        """The screen of a kind; there is one for all models if the model has none of its own."""
        return self.screens.get(kind, kind)


MODELS: Registry[Model] = Registry(
    "model",
    {
        model.name: model
        for model in (
            Model(
                name="bpe",
                title="BPE",
                summary="merges the most frequent pair, again and again",
                job=("bpe_tui.bpe.job", "BpeJob"),
                save=("bpe_tui.views.save", "Save"),
                plain=("bpe_tui.cli.plain_bpe", "trained"),
                exports=("bpe_tui.bpe.screens.training", "EXPORTS"),
            ),
            Model(
                name="wordpiece",
                title="WordPiece",
                summary="merges the pair of highest score; the longest match encodes",
                job=("bpe_tui.wordpiece.job", "WordPieceJob"),
                save=("bpe_tui.wordpiece.screens.save_vocab", "SaveVocab"),
                plain=("bpe_tui.cli.plain_wordpiece", "trained"),
                exports=("bpe_tui.wordpiece.screens.training", "EXPORTS"),
                screens={
                    TRAINING: WORDPIECE_TRAINING,
                    ENCODING: WORDPIECE_ENCODING,
                    VOCABULARY: WORDPIECE_VOCABULARY,
                    CHARTS: WORDPIECE_CHARTS,
                    INSPECTION: WORDPIECE_INSPECTION,
                },
                merges_by_score=True,
                counts_bytes=False,
                trains={
                    "bert-vocab": ("bpe_tui.cli.train_wordpiece", "train_vocab"),
                    "huggingface": ("bpe_tui.cli.train_wordpiece", "train_pipeline"),
                },
                options=frozenset({"min_count"}),
                refused=WORDPIECE_REFUSED,
            ),
            Model(
                name="unigram",
                title="Unigram",
                summary="weighs too many pieces, and prunes the least needed",
                job=("bpe_tui.unigram.job", "UnigramJob"),
                save=("bpe_tui.unigram.screens.save_pieces", "SavePieces"),
                plain=("bpe_tui.cli.plain_unigram", "trained"),
                exports=("bpe_tui.unigram.screens.training", "EXPORTS"),
                screens={
                    TRAINING: UNIGRAM_TRAINING,
                    ENCODING: UNIGRAM_ENCODING,
                    VOCABULARY: UNIGRAM_VOCABULARY,
                    CHARTS: UNIGRAM_CHARTS,
                    INSPECTION: UNIGRAM_INSPECTION,
                },
                steps_a_second=1,
                counts_bytes=False,
                trains={"huggingface": ("bpe_tui.cli.train_unigram", "train_unigram")},
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
