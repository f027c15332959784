"""Files of course solutions: pickles, JSON, and merges in lines.

    {"vocab": {"0": "a", "1": "b", "2": "ab"}, "merges": [["a", "b"]]}

Merges in lines of ids are those of `course_merges`.

A solution is one file or two, or a directory with them. The first bytes of a file show which kind
it is. `course_values` interprets the values of all kinds and refuses ambiguous ones.

**Pickles** are read, never executed (see `safe_pickle`), and never written, since a pickle is a
program. **JSON** has no bytes, and every solution writes them in another way (see
`course_spellings`). We write latin-1, in which each character is one byte: ASCII is readable, and
in any language the code points are the bytes. Our JSON also has the special tokens with their ids,
and the pattern by its name or as a regex.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from engine.core.errors import errors_at
from engine.core.files import write_files
from engine.encoding.tokenizer import Tokenizer
from engine.formats import gpt2, tiktoken_pickle
from engine.formats.course_merges import begins_with_ids, read_id_lines
from engine.formats.course_spellings import pair_of_literals
from engine.formats.course_values import find_parts, read_values
from engine.formats.safe_pickle import load_pickles
from engine.formats.source import (
    HOW_TO_SAVE,
    TokenizerSource,
    read_bytes,
    read_head,
    read_json,
    read_lines,
    read_merges,
)
from engine.formats.tokenizer_format import (
    Opened,
    Overrides,
    TokenizerFormat,
    VocabAndMerges,
    check_plain,
)
from engine.formats.vocab_and_merges import open_vocab_and_merges
from engine.text.patterns import PATTERNS

# Lines of two tokens: merges


def read_merge_lines(path: Path) -> Sequence[Sequence[str]]:
    """Read merges from a file with two tokens a line, in any spelling.

    Raises:
        TokenizerFileError: a line does not have exactly two tokens.
    """
    lines = [line for line in read_lines(path) if line and not line.startswith(gpt2.VERSION)]
    literals = [pair for line in lines if (pair := pair_of_literals(line)) is not None]
    if len(literals) == len(lines):
        return literals
    ambiguous = "tokens that hold spaces or newlines are ambiguous in lines"
    return read_merges(path, str, f"; {ambiguous}; {HOW_TO_SAVE}")


# Lines of two or three ids: merges


def recognises_ids(source: TokenizerSource) -> bool:
    return source.only_file is not None and _is_of_ids(source.heads[0])


def id_values(source: TokenizerSource) -> list[Any]:
    return list(map(read_id_lines, source.paths))


def _is_of_ids(head: bytes) -> bool:
    return begins_with_ids(head.decode("utf-8", "ignore"))


# JSON

VOCAB, MERGES, LINES = "vocab.json", "merges.json", "merges.txt"


def recognises_json(source: TokenizerSource) -> bool:
    files = _json_files(source)
    if not files.exists or not any(map(gpt2.could_be_json, files.heads)):
        return False
    if not all(map(gpt2.could_be_json, files.heads)):
        # A JSON vocabulary with merges in lines is GPT-2's, except in another spelling or in ids.
        others = (gpt2.is_spelled_otherwise(head) or _is_of_ids(head) for head in files.heads)
        return len(files.given) == 2 and any(others)
    if len(files.given) == 2:
        return True
    found = find_parts(files.values)
    # A vocabulary alone may be GPT-2's.
    return found is not None and (found.merges is not None or not gpt2.recognises(source))


def _json_files(source: TokenizerSource) -> TokenizerSource:
    """Return the one or two files; in a directory, those with the usual names."""
    vocab, merges = source.in_folder(VOCAB), source.in_folder(MERGES, LINES)
    if vocab is not None and merges is not None:
        return TokenizerSource((vocab, merges))
    one = source.only_file
    if one is not None and one.name == VOCAB:
        names = (MERGES, LINES) if gpt2.is_spelled_otherwise(source.heads[0]) else (MERGES,)
        beside = next((p for n in names if (p := one.with_name(n)).is_file()), None)
        return source if beside is None else TokenizerSource((one, beside))
    return source


def json_values(source: TokenizerSource) -> list[Any]:
    return list(map(_read_json_or_merges, _json_files(source).paths))


def _read_json_or_merges(path: Path) -> Any:
    head = read_head(path)
    if gpt2.could_be_json(head):
        return read_json(path)
    return read_id_lines(path) if _is_of_ids(head) else read_merge_lines(path)


def save_json(tokenizer: Tokenizer, path: Path, overwrite: bool) -> None:
    check_plain(tokenizer, path)
    special_ids = tokenizer.rules.special_ids
    pattern = tokenizer.pattern
    name = pattern.name if PATTERNS.get(pattern.name) == pattern else pattern.source
    # `json.dumps` escapes all but ASCII, so each byte stays one character.
    vocab = [
        f"{json.dumps(str(token_id))}: {json.dumps(token.decode('latin-1'))}"
        for token_id, token in sorted(tokenizer.vocab.items())
        if token_id not in tokenizer.special_ids
    ]
    merges = [
        json.dumps([left.decode("latin-1"), right.decode("latin-1")])
        for left, right in tokenizer.merges
    ]
    rows_of_vocab, rows_of_merges = ",\n".join(vocab), ",\n".join(merges)
    content = (
        f'{{\n"pattern": {json.dumps(name)},\n"special_tokens": {json.dumps(dict(special_ids))},\n'
        f'"vocab": {{\n{rows_of_vocab}\n}},\n"merges": [\n{rows_of_merges}\n]\n}}\n'
    )
    write_files({path: content.encode()}, overwrite=overwrite)


# Pickles

_PICKLE_HEAD = re.compile(
    rb"\x80[\x02-\x05]"  # protocol 2 and later begin with their number,
    rb"|\(*[(\]}][dlpqt(\]}]"  # protocols 0 and 1 with a dict, a list or a tuple of these,
    rb"|c[\w.]+\n[\w.]+\n"  # or with the name of a function
)
PICKLE_ENDINGS = (".pkl", ".pickle")


def recognises_pickle(source: TokenizerSource) -> bool:
    paths = _pickle_paths(source)
    are_pickles = (_PICKLE_HEAD.match(head) for head in TokenizerSource(paths).heads)
    return bool(paths) and all(are_pickles) and not tiktoken_pickle.recognises(source)


def _pickle_paths(source: TokenizerSource) -> list[Path]:
    """Return the one or two files; in a directory, those with a pickle's ending."""
    if source.folder is None:
        return list(source.paths) if source.exists else []
    found = source.with_endings(*PICKLE_ENDINGS)
    return found if len(found) <= 2 else []


def pickle_values(source: TokenizerSource) -> list[Any]:
    values: list[Any] = []
    for path in _pickle_paths(source):
        with errors_at(path):
            values += load_pickles(read_bytes(path))
    return values


# The formats


def _course_format(
    name: str,
    summary: str,
    recognises: Callable[[TokenizerSource], bool],
    values: Callable[[TokenizerSource], list[Any]],
    save: Callable[[Tokenizer, Path, bool], None] | None = None,
    suffix: str = "",
) -> TokenizerFormat:
    """Make a format; `values` reads the values of the files of a recognised source."""

    def read(
        source: TokenizerSource, special_tokens: Sequence[str] | None = None
    ) -> VocabAndMerges:
        return read_values(source, values(source), special_tokens)

    def load(source: TokenizerSource, overrides: Overrides) -> Opened:
        return open_vocab_and_merges(read(source), overrides, name)

    return TokenizerFormat(name, summary, recognises, load, save, read, suffix=suffix)


COURSE_TEXT = _course_format(
    "course-text",
    "a course solution's merges in lines of ids",
    recognises_ids,
    id_values,
)
COURSE_JSON = _course_format(
    "course-json",
    "a JSON file with vocab and merges, as of a course solution",
    recognises_json,
    json_values,
    save_json,
    suffix=".json",
)
COURSE_PICKLE = _course_format(
    "course-pickle",
    "a course solution's pickled vocab and merges",
    recognises_pickle,
    pickle_values,
)
