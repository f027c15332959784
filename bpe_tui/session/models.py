"""The models that the application can train, a folder each.

All share the player, the headings, the windows and the keys. A command of a kind of screen works
on that kind of all models. A model that lacks the command's subject refuses it with a sentence.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from functools import cache
from importlib import import_module

from bpe_tui.session.config import Config, RunConfig
from bpe_tui.session.declarations import Model, TrainerChoice
from engine.core.registry import Registry

FOLDERS = ("bpe_tui.bpe", "bpe_tui.wordpiece", "bpe_tui.unigram")
"""Folders with a `model.py` each: the one line that a new model needs outside its folder."""


_declared: list[Model] = [import_module(f"{folder}.model").MODEL for folder in FOLDERS]
MODELS: Registry[str, Model] = Registry("model", {model.name: model for model in _declared})
DEFAULT_MODEL = "bpe"


def model_of(config: Config) -> Model:
    """Return the model that a config trains; BPE for a tokenizer."""
    return MODELS[config.model if isinstance(config, RunConfig) else DEFAULT_MODEL]


def trainer_of(config: RunConfig) -> TrainerChoice | None:
    """Return the trainer of a config's model; `None` if all its trainers learn the same.

    >>> trainer_of(RunConfig("a.txt", model="unigram")).name
    'em'
    """
    trainers = MODELS[config.model].trainers
    named = (trainer for trainer in trainers if trainer.name == config.trainer)
    return next(named, trainers[0] if trainers else None)


def completed(config: RunConfig, asked: Collection[str] = ()) -> RunConfig:
    """Return a config with the units and the pattern that its trainer needs.

    Args:
        asked: fields that the user has set, which stay.

    >>> run = completed(RunConfig("a.txt", model="unigram", trainer="textbook"))
    >>> run.units, run.pattern
    ('words', 'lines')
    """
    trainer = trainer_of(config)
    if trainer is None or not trainer.units:
        return config
    units = config.units if "units" in asked else trainer.units[0]
    is_usual = units == trainer.units[0] and "pattern" not in asked
    return replace(config, units=units, pattern=trainer.pattern if is_usual else config.pattern)


def with_trainer(config: RunConfig, model: str, trainer: TrainerChoice | None = None) -> RunConfig:
    """Return a config that trains another model, or with another trainer.

    Units and pattern become those that the trainer needs. Those that the trainer before needed
    become the usual ones. A size in n-grams is no size in tokens, so neither becomes the other.
    """
    before = trainer_of(config)
    if before is not None and before.units:
        config = replace(
            config,
            vocab_size=None,
            units=RunConfig.units,
            pattern=RunConfig.pattern if config.pattern == before.pattern else config.pattern,
        )
    if before is not None:
        config = replace(config, trainer=RunConfig.trainer)
    if model != DEFAULT_MODEL:
        config = replace(config, phases=RunConfig.phases, most_words=None)
    if trainer is None or trainer == MODELS[model].trainers[0]:
        return replace(config, model=model)
    size = None if trainer.units else config.vocab_size
    return completed(replace(config, model=model, trainer=trainer.name, vocab_size=size))


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
