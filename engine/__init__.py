"""Byte-level BPE that can be watched: training and encoding with every step told.

The names below are the public API; importing the package loads none of them until it is used, so
that helper processes start fast.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from engine.analysis.check.steps_file import StepRecorder
    from engine.bpe.frame import Frame
    from engine.bpe.timeline import Timeline
    from engine.bpe.trainer import Trainer
    from engine.bpe.training import train_bpe
    from engine.core.errors import BpeError
    from engine.counting.count import count_pretokens
    from engine.encoding.tokenizer import Tokenizer

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
    "BpeError": "engine.core.errors",
    "Frame": "engine.bpe.frame",
    "StepRecorder": "engine.analysis.check.steps_file",
    "Timeline": "engine.bpe.timeline",
    "Tokenizer": "engine.encoding.tokenizer",
    "Trainer": "engine.bpe.trainer",
    "count_pretokens": "engine.counting.count",
    "train_bpe": "engine.bpe.training",
}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
