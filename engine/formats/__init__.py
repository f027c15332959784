"""Tokenizer file formats: one file each, one line in the registry; conversion between them.

To add a format, write a module with a `FORMAT` (see `tokenizer_format`) and a line below: in
`_OF_FILES`, or in `_OF_NAMES` if it is opened by a name. A kind of file that is known but refused
is a line in the tables of `source`. Uses the pipeline, the models and what is below them; analysis
and the application use it.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from engine.core.errors import TokenizerFileError
from engine.core.gc_pause import gc_paused
from engine.core.registry import Registry
from engine.encoding.tokenizer import Tokenizer
from engine.formats import (
    bert_vocab,
    clip,
    codes,
    course_json,
    course_pickle,
    course_text,
    gpt2,
    hub,
    minbpe,
    named_encodings,
    sentencepiece_model,
    tekken,
    tiktoken_file,
    tokenizer_json,
)
from engine.formats.source import Source, describe_unrecognised, known_kind
from engine.formats.tokenizer_format import Opened, Overrides, TokenizerFormat
from engine.formats.vocab_and_merges import VocabAndMerges
from engine.formats.writing import check_sayable, renumbered
from engine.text.patterns import PatternLike

_OF_FILES = (
    tokenizer_json.FORMAT,
    sentencepiece_model.FORMAT,
    tekken.FORMAT,
    bert_vocab.FORMAT,
    clip.FORMAT,
    codes.FORMAT,
    tiktoken_file.FORMAT,
    minbpe.FORMAT,
    course_text.FORMAT,
    course_json.FORMAT,
    gpt2.FORMAT,
    course_pickle.FORMAT,
)
_OF_NAMES = (
    named_encodings.FORMAT,
    hub.format_with(lambda *paths, **overrides: open_tokenizer(*paths, **overrides)),
)
FORMATS: Registry[TokenizerFormat] = Registry(
    "format", {each.name: each for each in (*_OF_FILES, *_OF_NAMES)}
)
"""In the order in which they are asked whether they recognise something."""
_WRITTEN = Registry("format", {name: each for name, each in FORMATS.items() if each.save})
WRITABLE = tuple(_WRITTEN)
DEFAULT_FORMAT = "gpt2"


def open_tokenizer(
    *paths: str | os.PathLike[str],
    special_tokens: Sequence[str] | None = None,
    pattern: PatternLike | None = None,
) -> Opened:
    """Open a tokenizer, whichever format it is in.

    Args:
        paths: a file, a directory, or vocabulary and merges; or the name of a known encoding.
        special_tokens, pattern: go before what the files say.

    Raises:
        TokenizerFileError: nothing is there, no format fits, or the files are damaged.
    """
    source = Source(paths)
    for candidate in _candidates(source):
        if candidate.recognises(source):
            with gc_paused():
                return candidate.load(source, Overrides(special_tokens, pattern))
    if not source.exists:
        hint = named_encodings.describe_near_name(source.given[0]) if len(source.given) == 1 else ""
        raise TokenizerFileError(f"{source}: no such file or directory{hint}")
    known = ", ".join(each.name for each in _OF_FILES)
    raise TokenizerFileError(f"{source}: {describe_unrecognised(source)} (known are {known})")


def read_vocab_and_merges(
    *paths: str | os.PathLike[str], special_tokens: Sequence[str] | None = None
) -> tuple[VocabAndMerges, str] | None:
    """What files say that hold a vocabulary and merges, and their format; `None`: they hold more.

    It need not make sense, and it is what `open_tokenizer` makes a tokenizer of.

    Raises:
        TokenizerFileError: the files are damaged.
    """
    source = Source(paths)
    for candidate in _candidates(source):
        if candidate.recognises(source):
            read = candidate.read
            return None if read is None else (read(source, special_tokens), candidate.name)
    return None


def is_tokenizer(*paths: str | os.PathLike[str]) -> bool:
    """Whether some format recognises what is there, or the name; nothing is read but heads.

    Raises:
        TokenizerFileError: what is there cannot be looked at.
    """
    source = Source(paths)
    return any(candidate.recognises(source) for candidate in _candidates(source))


def _candidates(source: Source) -> tuple[TokenizerFormat, ...]:
    """Where there are files, a name is no more than theirs; some are known to be no tokenizer."""
    if not source.exists:
        return _OF_NAMES
    return _OF_FILES if known_kind(source) is None else ()


def save(
    tokenizer: Tokenizer,
    path: str | os.PathLike[str],
    format: str | None = None,
    *,
    overwrite: bool = False,
    renumber: bool = False,
) -> None:
    """Write a tokenizer in a format of the registry.

    Args:
        renumber: give its tokens new ids if the format prescribes them: see `renumbered`.

    Raises:
        TokenizerFileError: the format cannot say what the tokenizer is, or is only read.
        OutputExistsError: something is there and `overwrite` is false.
    """
    chosen = writable_format(format or DEFAULT_FORMAT)
    assert chosen.save is not None  # it is writable
    check_sayable(tokenizer, Path(path), chosen)
    if renumber and chosen.prescribes_ids:
        tokenizer = renumbered(tokenizer)
    chosen.save(tokenizer, Path(path), overwrite)


def writable_format(name: str) -> TokenizerFormat:
    """A format that can be written, by its name.

    Raises:
        UnknownNameError: no format has that name.
        TokenizerFileError: it is only read.
    """
    if name in FORMATS and name not in _WRITTEN:
        raise TokenizerFileError(
            f"the format {name} is only read; choose one of {', '.join(WRITABLE)}"
        )
    return _WRITTEN[name]
