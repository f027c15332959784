"""The models that the application can train on a corpus, side by side: a folder each.

All share the player, the headings, the windows and the keys. The commands of a kind of screen hold
on the screens of that kind of all models, but for those that a model refuses: what they show it
does not have, and their keys say so in a sentence.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module

from bpe_tui.session.config import Config, RunConfig
from bpe_tui.session.declarations import Model
from engine.core.registry import Registry

FOLDERS = ("bpe_tui.bpe", "bpe_tui.wordpiece", "bpe_tui.unigram")
"""Each declares its model in `model.py`. The one line that a new model needs outside its folder."""


def _declared_in(folder: str) -> Model:
    model: Model = import_module(f"{folder}.model").MODEL
    return model


MODELS: Registry[Model] = Registry(
    "model", {model.name: model for model in map(_declared_in, FOLDERS)}
)
DEFAULT_MODEL = "bpe"


def model_of(config: Config) -> Model:
    """The model that a corpus is trained with, or that a tokenizer is of."""
    return MODELS[config.model if isinstance(config, RunConfig) else DEFAULT_MODEL]


@cache
def kind_and_model(screen: str) -> tuple[str, Model | None]:
    """What kind of screen it is, and whose; `None` if it serves every model that has none.

    >>> kind, model = kind_and_model("unigram-training")
    >>> kind, model.name
    ('training', 'unigram')
    >>> kind_and_model("charts")
    ('charts', None)
    """
    for model in MODELS.values():
        if screen in model.screens and screen.startswith(f"{model.name}-"):
            return screen.removeprefix(f"{model.name}-"), model
    return screen, None
