"""BERT's `vocab.txt`: a piece a line as it is written, its id the number of the line from 0.

No piece holds a space, and `[UNK]` stands among the first: by that such a file is known. All else
it leaves unsaid. BERT's pre-tokenizer is taken without its normalizer, as our own runs do, and for
special what stands in brackets, since that pre-tokenizer would cut it; but for BERT's `[unused1]`
and the like, which are free places. Of a piece that is there twice the later id counts, as in
Hugging Face's library.
"""

from __future__ import annotations

import re
from pathlib import Path

from engine.formats.guesses import note_gaps, note_guessed_pattern, note_guessed_special_tokens
from engine.formats.source import HEAD, TokenizerSource, read_head, read_lines
from engine.formats.tokenizer_format import Opened, Overrides, TokenizerFormat
from engine.text.pretokenize import to_bytes

FILE = "vocab.txt"
UNKNOWN = "[UNK]"
_IN_BRACKETS = re.compile(r"\[(?!unused\d+\])\S*\w\S*\]|<\S*\w\S*>")


def recognises(source: TokenizerSource) -> bool:
    path = _file_of(source)
    if path is None:
        return False
    head = read_head(path)
    end = head.rfind(b"\n") if len(head) == HEAD else len(head)  # the last line may be cut
    words = [line.split() for line in head[:end].rstrip(b"\r\n").split(b"\n")]
    return [UNKNOWN.encode()] in words and all(len(word) == 1 for word in words)


def _file_of(source: TokenizerSource) -> Path | None:
    return source.in_folder(FILE) or source.only_file


def load(source: TokenizerSource, overrides: Overrides) -> Opened:
    # The stages are many modules, which nobody should wait for who reads another format.
    from engine.pipeline.conversion import tokenizer_of, wordpiece_pipeline
    from engine.wordpiece.tokenizer import DEFAULT_PATTERN, WordPieceTokenizer

    path = _file_of(source)
    assert path is not None  # it was recognised
    pieces = read_lines(path)
    while not pieces[-1]:
        pieces.pop()  # what stands behind the last line's end
    special_tokens = overrides.special_tokens
    if special_tokens is None:
        special_tokens = list(dict.fromkeys(filter(_IN_BRACKETS.fullmatch, pieces)))
    wordpiece = WordPieceTokenizer(
        dict(enumerate(map(to_bytes, pieces))),
        special_tokens,
        UNKNOWN,
        overrides.pattern or DEFAULT_PATTERN,
    )
    tokenizer = tokenizer_of(wordpiece_pipeline(wordpiece))
    notes = [
        "the file names no normalizer; nothing is put in lower case, as in a cased BERT",
        *note_guessed_pattern(overrides, "BERT's pre-tokenizer"),
        *note_guessed_special_tokens(overrides, special_tokens, "being in brackets"),
        *note_gaps(tokenizer.vocab),
    ]
    return Opened(tokenizer, FORMAT.name, tuple(notes))


FORMAT = TokenizerFormat("bert-vocab", "BERT's vocab.txt, a piece a line", recognises, load)
