"""A course solution as JSON: `vocab` and `merges`, in one object or in two files.

    {"vocab": {"0": "a", "1": "b", "2": "ab"}, "merges": [["a", "b"]]}

JSON has no bytes, and everybody writes them another way: see `course_values`. We write latin-1,
where each character is one byte: it loses nothing, ASCII can be read as it is, and in any language
the code points are the bytes. Beside them stand what the two do not say, the special tokens with
their ids and the pattern, by its name or as a regex.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path

from engine.core.errors import TokenizerFileError
from engine.core.files import write_files
from engine.encoding.tokenizer import Tokenizer
from engine.formats.course_values import find_parts, read_parts
from engine.formats.guesses import is_text
from engine.formats.source import Source
from engine.formats.tokenizer_format import Opened, Overrides, TokenizerFormat
from engine.formats.vocab_and_merges import open_vocab_and_merges
from engine.formats.writing import check_plain
from engine.text.patterns import PATTERNS

VOCAB, MERGES = "vocab.json", "merges.json"
_LINE_OF_TOKENS = re.compile(rb"\[(?: .\r?\n|[A-Za-z])")
"""How GPT-2's merges can begin, and BERT's pieces do: `[ a`, `[PAD]`."""


def recognises(source: Source) -> bool:
    files = _files(source)
    could_be_json = files.exists and all(map(_could_be_json, files.heads))
    return could_be_json and find_parts(files.values) is not None


def _files(source: Source) -> Source:
    """One file or two; of a directory those with the usual names."""
    if source.in_folder(MERGES) is None or source.folder is None:
        return source
    return Source((source.folder / VOCAB, source.folder / MERGES))


def _could_be_json(head: bytes) -> bool:
    """An object or a list; a line of tokens can begin with a bracket, too."""
    return head.lstrip()[:1] in (b"{", b"[") and not _LINE_OF_TOKENS.match(head)


def load(source: Source, overrides: Overrides) -> Opened:
    parts = find_parts(_files(source).values)
    assert parts is not None  # it was recognised
    return open_vocab_and_merges(read_parts(str(source), parts), overrides, FORMAT.name)


def save(tokenizer: Tokenizer, path: Path, overwrite: bool) -> None:
    check_plain(tokenizer, path)
    special_ids = tokenizer.rules.special_ids
    for token in special_ids:
        if not is_text(token):
            raise TokenizerFileError(f"{path}: the special token {token!r} is no UTF-8 text")
    pattern = tokenizer.pattern
    name = pattern.name if PATTERNS.get(pattern.name) == pattern else pattern.source
    vocab = [
        f"{_text(str(token_id))}: {_text(token.decode('latin-1'))}"
        for token_id, token in sorted(tokenizer.vocab.items())
        if token_id not in tokenizer.special_ids
    ]
    merges = [
        f"[{_text(left.decode('latin-1'))}, {_text(right.decode('latin-1'))}]"
        for left, right in tokenizer.merges
    ]
    content = (
        f'{{\n"pattern": {_text(name)},\n"special_tokens": {json.dumps(dict(special_ids))},\n'
        f'"vocab": {{\n{_lines(vocab)}}},\n"merges": [\n{_lines(merges)}]\n}}\n'
    )
    write_files({path: content.encode()}, overwrite=overwrite)


def _text(text: str) -> str:
    """A JSON string; all but ASCII is escaped, so that a character stays the byte it is."""
    return json.dumps(text)


def _lines(rows: Iterable[str]) -> str:
    """A row each, with commas between."""
    return ",\n".join(rows) + "\n"


FORMAT = TokenizerFormat(
    "course-json",
    "a JSON file with vocab and merges, as of a course solution",
    recognises,
    load,
    save,
    suffix=".json",
)
