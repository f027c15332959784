"""BERT's `vocab.txt`: one piece a line; its id is the number of the line, from 0.

The format is recognised because no piece holds a space and `[UNK]` is among the first. The file
holds nothing else. BERT's pre-tokenizer is used without its normalizer, as in our own runs, unless
the settings in its folder name a class, such as `BertTokenizer`. Pieces
in brackets are special, since the pre-tokenizer would cut them, except free places like
`[unused1]`. If a piece occurs twice, its later id is used, as in Hugging Face's library.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from engine.formats.folder_settings import FolderSettings, read_folder_settings
from engine.formats.guesses import (
    note_gaps,
    note_guessed_pattern,
    note_guessed_special_tokens,
    note_template,
)
from engine.formats.source import TokenizerSource, read_head, read_lines
from engine.formats.tokenizer_format import Opened, Overrides, TokenizerFormat
from engine.formats.tokenizer_json import overridden
from engine.text.pretokenize import to_bytes

if TYPE_CHECKING:
    from engine.formats.tokenizer_classes import TokenizerClass
    from engine.pipeline.pipeline import Pipeline

FILE = "vocab.txt"
UNKNOWN = "[UNK]"
_BRACKETS = ("[", "]"), ("<", ">")
_UNUSED = re.compile(r"\[unused\d+\]")
_WORD, _SPACE = re.compile(r"\w"), re.compile(r"\s")


def recognises(source: TokenizerSource) -> bool:
    path = source.file_named(FILE)
    if path is None:
        return False
    words = [line.split() for line in read_head(path).rstrip(b"\r\n").split(b"\n")]
    return [UNKNOWN.encode()] in words and all(len(word) == 1 for word in words)


def is_in_brackets(piece: str) -> bool:
    """Whether a piece is a word in brackets, which is special, and no free place.

    >>> list(filter(is_in_brackets, ("[CLS]", "<s>", "[", "[]", "[unused1]", "CLS]")))
    ['[CLS]', '<s>']
    """
    if (piece[:1], piece[-1:]) not in _BRACKETS or _UNUSED.fullmatch(piece):
        return False
    return bool(_WORD.search(piece)) and not _SPACE.search(piece)


def load(source: TokenizerSource, overrides: Overrides) -> Opened:
    # Imported late: the stages are many modules.
    from engine.formats.own_pipelines import wordpiece_pipeline
    from engine.pipeline.as_tokenizer import tokenizer_of
    from engine.wordpiece.tokenizer import DEFAULT_PATTERN, WordPieceTokenizer

    path = source.file_named(FILE)
    assert path is not None  # the source was recognised
    pieces = read_lines(path)
    while not pieces[-1]:
        pieces.pop()  # empty lines at the end
    settings = read_folder_settings(source.settings_folder)
    special_tokens = overrides.special_tokens
    if special_tokens is None:
        special_tokens = list(dict.fromkeys(filter(is_in_brackets, pieces)))
    wordpiece = WordPieceTokenizer(
        dict(enumerate(map(to_bytes, pieces))),
        special_tokens,
        UNKNOWN,
        overrides.pattern or DEFAULT_PATTERN,
    )
    pipeline, notes = wordpiece_pipeline(wordpiece), list[str]()
    cls = None
    if settings is not None:
        pipeline, cls, notes = _with_settings(pipeline, settings, overrides)
    tokenizer = tokenizer_of(pipeline)
    if cls is None:
        notes += [
            "the file names no normalizer; nothing is put in lower case, as in a cased BERT",
            *note_guessed_pattern(overrides, "BERT's pre-tokenizer"),
            *note_guessed_special_tokens(overrides, special_tokens, "being in brackets"),
        ]
    notes += [
        *(() if settings is None else settings.notes(tokenizer.vocab)),
        *note_template(pipeline.template_tokens),
        *note_gaps(tokenizer.vocab),
    ]
    return Opened(tokenizer, FORMAT.name, tuple(notes))


def _with_settings(
    pipeline: Pipeline, settings: FolderSettings, overrides: Overrides
) -> tuple[Pipeline, TokenizerClass | None, list[str]]:
    """Return the pipeline with the settings of its folder, their class, and a note about it."""
    from engine.formats.class_pipelines import completed, of_words
    from engine.formats.tokenizer_classes import WordClass, class_named_by
    from engine.pipeline.decoders import WordPiece

    cls, notes = class_named_by(settings, WordClass)
    if cls is None:
        pipeline = settings.applied_to(pipeline)
    else:
        pipeline = replace(
            pipeline, added_tokens=(), normalizer=of_words(settings), decoder=WordPiece()
        )
        pipeline = completed(cls, settings, pipeline)
    if overrides.special_tokens is None:
        return pipeline, cls, notes
    return overridden(pipeline, Overrides(overrides.special_tokens)), cls, notes


FORMAT = TokenizerFormat("bert-vocab", "BERT's vocab.txt, a piece a line", recognises, load)
