"""The models that the application can train, a folder each.

All share the player, the headings, the windows and the keys. A command of a kind of screen works
on that kind of all models. A model that lacks the command's subject refuses it with a sentence.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module

from bpe_tui.session.config import Config, RunConfig
from bpe_tui.session.declarations import Model
from engine.core.registry import Registry

FOLDERS = ("bpe_tui.bpe", "bpe_tui.wordpiece", "bpe_tui.unigram")
"""Folders with a `model.py` each: the one line that a new model needs outside its folder."""


_declared: list[Model] = [import_module(f"{folder}.model").MODEL for folder in FOLDERS]
MODELS: Registry[Model] = Registry("model", {model.name: model for model in _declared})
DEFAULT_MODEL = "bpe"


def model_of(config: Config) -> Model:
    """Return the model that a config trains; BPE for a tokenizer."""
    return MODELS[config.model if isinstance(config, RunConfig) else DEFAULT_MODEL]


@cache
def kind_and_model(screen: str) -> tuple[str, Model | None]:
    """Return a screen's kind and its model; `None` for the model if several share it.

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
