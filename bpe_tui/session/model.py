"""What the application has to know of a model, before any part of it is imported."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pkgutil import resolve_name
from typing import Any

from bpe_tui.session.commands.command import Command

KINDS = ("lesson", "training", "encoding", "vocabulary", "charts", "inspection")
"""The kinds of screens that each model has, of its own or shared with others."""


@dataclass(frozen=True)
class Model:
    """A model to train. Its parts are named as `module:object`, and imported when asked for.

    Attributes:
        name, title, summary: as the command line, a heading and the list of models call it.
        training: the module with `start`, `outputs` and `write`; see `bpe_tui.bpe.model`.
        transcript: the class that tells a recording without a screen.
        save: the class of the window that saves what is shown.
        exports: the kinds of files that can be exported.
        screens: the model's own screens. One of a kind is called `wordpiece-charts`; where a model
            has none of its own, it is the one that is called like the kind.
        steps_a_second: how fast it is played at first.
        merges_by_score: whether its merges have scores, besides counts, to stop at.
        counts_bytes: whether the 256 bytes are tokens, so that a vocabulary has room for them.
        formats: those that `train` writes it in, the first unless another is asked for.
        options: names of those of BPE's options that it has, too.
        commands: those that only its screens have.
        refused: action of a command → what it is for, where this model has no such thing.
        signs: what its pieces are written with, for the legends.
        undrawn: signs of the legends that its screens never draw.
    """

    name: str
    title: str
    summary: str
    training: str
    transcript: str
    save: str
    exports: str
    screens: Mapping[str, str] = field(default_factory=dict)
    steps_a_second: int = 10
    merges_by_score: bool = False
    counts_bytes: bool = False
    formats: tuple[str, ...] = ()
    options: frozenset[str] = frozenset()
    commands: tuple[Command, ...] = ()
    refused: Mapping[str, str] = field(default_factory=dict)
    signs: tuple[str, ...] = ()
    undrawn: tuple[str, ...] = ()

    def part(self, name: str) -> Any:
        """One of the parts that are named: `training`, `transcript`, `save` or `exports`."""
        return resolve_name(getattr(self, name))

    def screen(self, kind: str) -> str:
        """The screen of a kind; there is one for all models if the model has none of its own."""
        own = f"{self.name}-{kind}"
        return own if own in self.screens else kind
