"""A course solution as JSON: `vocab` and `merges`, in one object or in two files.

    {"vocab": {"0": "a", "1": "b", "2": "ab"}, "merges": [["a", "b"]]}

JSON has no bytes, and everybody writes them another way: see `course_values`. We write latin-1,
where each character is one byte: it loses nothing, ASCII can be read as it is, and in any language
the code points are the bytes. Beside them stand what the two do not say, the special tokens with
their ids and the pattern, by its name or as a regex.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from engine.core.errors import TokenizerFileError
from engine.core.files import write_files
from engine.encoding.tokenizer import Tokenizer
from engine.formats import gpt2
from engine.formats.course_text import read_merge_lines
from engine.formats.course_values import find_parts, read_values
from engine.formats.guesses import is_text, open_vocab_and_merges
from engine.formats.source import Source, read_json
from engine.formats.tokenizer_format import Opened, Overrides, TokenizerFormat
from engine.formats.vocab_and_merges import VocabAndMerges
from engine.formats.writing import check_plain
from engine.text.patterns import PATTERNS

VOCAB, MERGES, LINES = "vocab.json", "merges.json", "merges.txt"


def recognises(source: Source) -> bool:
    files = _files(source)
    if not files.exists or not any(map(gpt2.could_be_json, files.heads)):
        return False
    if not all(map(gpt2.could_be_json, files.heads)):
        # A vocabulary in JSON with merges in lines is GPT-2's, unless it is spelled otherwise.
        return len(files.given) == 2 and any(map(gpt2.is_spelled_otherwise, files.heads))
    if len(files.given) == 2:
        return True
    found = find_parts(files.values)
    # A vocabulary alone may be GPT-2's.
    return found is not None and (found.merges is not None or not gpt2.recognises(source))


def _files(source: Source) -> Source:
    """One file or two; of a directory those with the usual names."""
    folder = source.folder
    if folder is not None and source.in_folder(VOCAB) is not None:
        merges = source.in_folder(MERGES, LINES)
        return source if merges is None else Source((folder / VOCAB, merges))
    one = source.only_file
    if one is not None and one.name == VOCAB:
        names = (MERGES, LINES) if gpt2.is_spelled_otherwise(source.heads[0]) else (MERGES,)
        beside = next((p for n in names if (p := one.with_name(n)).is_file()), None)
        return source if beside is None else Source((one, beside))
    return source


def _values(files: Source) -> list[Any]:
    """The value of each file; of one that is no JSON its lines, cut in two."""
    pairs = zip(files.paths, files.heads, strict=True)
    return [read_json(p) if gpt2.could_be_json(head) else read_merge_lines(p) for p, head in pairs]


def read(source: Source, special_tokens: Sequence[str] | None = None) -> VocabAndMerges:
    """What the files of a source that was recognised say.

    Raises:
        TokenizerFileError: a file is damaged, or it cannot be told what is meant.
    """
    looked_for = "an object of ids and tokens and a list of pairs are looked for"
    return read_values(source, _values(_files(source)), looked_for, special_tokens)


def load(source: Source, overrides: Overrides) -> Opened:
    return open_vocab_and_merges(read(source), overrides, FORMAT.name)


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
    read,
    suffix=".json",
)
