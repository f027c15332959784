"""Byte-level BPE that can be watched: training and encoding with every step told.

The names below are the public API; importing the package loads none of them until it is used, so
that helper processes start fast.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from engine.check.recorder import StepRecorder
    from engine.counting import count_pretokens
    from engine.errors import BpeError
    from engine.frame import Frame
    from engine.timeline import Timeline
    from engine.tokenizer import Tokenizer
    from engine.trainer import Trainer
    from engine.training import train_bpe

__all__ = [
    "BpeError",
    "Frame",
    "StepRecorder",
    "Timeline",
    "Tokenizer",
    "Trainer",
    "count_pretokens",
    "train_bpe",
]

_HOMES = {
    "BpeError": "engine.errors",
    "Frame": "engine.frame",
    "StepRecorder": "engine.check.recorder",
    "Timeline": "engine.timeline",
    "Tokenizer": "engine.tokenizer",
    "Trainer": "engine.trainer",
    "count_pretokens": "engine.counting",
    "train_bpe": "engine.training",
}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
