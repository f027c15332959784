"""Alphabets as messages to helper processes, and back; here they are known by name alone."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from engine.alphabets.alphabet import Alphabet

ALPHABETS: dict[str, tuple[str, str]] = {
    "bytes": ("engine.alphabets.byte", "ByteAlphabet"),
    "characters": ("engine.alphabets.character", "CharacterAlphabet"),
    "continuations": ("engine.alphabets.continuation", "ContinuationAlphabet"),
    "whole": ("engine.alphabets.whole", "WholeTokens"),
    "word ends": ("engine.alphabets.word_end", "WordEndAlphabet"),
    "model": ("engine.pipeline.models.model_alphabet", "ModelAlphabet"),
}
"""The name that a message gives it → the module and the class."""


def from_message(message: tuple[str, tuple[Any, ...]]) -> Alphabet:
    """The inverse of `Alphabet.as_message`.

    >>> from engine.alphabets.byte import ByteAlphabet
    >>> from_message(ByteAlphabet(range(256)).as_message()).spell(b"a")
    [97]
    """
    name, arguments = message
    module, kind = ALPHABETS[name]
    alphabet: Alphabet = getattr(import_module(module), kind).of_message(*arguments)
    return alphabet
