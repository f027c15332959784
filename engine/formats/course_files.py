r"""Course solutions as text: what Python prints, JSON a line, tables of ids and tokens.

    {0: b'\x00', 1: b'\x01', …}       {"id": 0, "token": "00"}       id,token
    [(b't', b'h'), (b'th', b'e')]     {"id": 1, "token": "01"}       0,00

The first lines of a file tell which it is. Its values go the way of all solutions, through
`course_values`, which tells what is meant and refuses what is in doubt. The other file of two may
be JSON, or lines of two tokens.

Python is read as data: that it has no operators, few names and little depth is looked at before
Python's own parser makes constants of it.
"""

from __future__ import annotations

import ast
import csv
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from io import StringIO
from itertools import accumulate, islice
from pathlib import Path
from typing import Any, NamedTuple

from engine.core.errors import TokenizerFileError
from engine.core.files import write_files
from engine.encoding.tokenizer import Tokenizer
from engine.formats import gpt2
from engine.formats.course_spellings import pair_of_literals
from engine.formats.course_values import PAIR_NAMES, column_names, find_parts, read_values, tidied
from engine.formats.guesses import is_text
from engine.formats.safe_pickle import PickleError, load_pickles
from engine.formats.source import (
    HEAD,
    HOW_TO_SAVE,
    TokenizerSource,
    read_bytes,
    read_json,
    read_lines,
    read_text,
)
from engine.formats.tokenizer_format import Opened, Overrides, TokenizerFormat, VocabAndMerges
from engine.formats.vocab_and_merges import open_vocab_and_merges
from engine.formats.writing import check_plain
from engine.text.patterns import PATTERNS

TEXT_ENDINGS = (".txt", ".csv", ".tsv", ".jsonl", ".py", ".json")
STEMS = ("vocab", "merges")


class _TextLayout(NamedTuple):
    """A way to write values as text: whether a file that begins so is written so, and its value."""

    recognises: Callable[[str], bool]
    read: Callable[[Path], Any]


# What Python prints

LARGEST_PYTHON = 1 << 24
"""Bytes of Python that are parsed: a vocabulary of 200,000 tokens has a quarter of them."""
MOST_CONSTANTS = 1 << 19
DEEPEST = 8
MOST_NAMES = 64
_STRING = re.compile(r"""[bB]?(?:'(?:[^'\\\n]|\\.)*+'|"(?:[^"\\\n]|\\.)*+")""")
_PYTHON = re.compile(
    r"""(?:\s*\#[^\n]*\n)*\s*(?:\w+\s*=\s*)?(?:\w+\((?:<class\ '\w+'>,\s*)?)?"""  # vocab = Counter(
    r"""(?:[\[({\s]*\{\s*(?:np\.int\d+\()?\d+\)?\s*:"""  # {0: or {np.int64(0):
    r"""|[\[{\s]*\([\[({\s]*(?:\d+\s*[],]|"""  # [(97,
    + _STRING.pattern  # [(b'a',
    + r"""\s*[],)])|[\[({\s]+(?=[bB'])"""
    + _STRING.pattern  # [b'a', or {'vocab':
    + r"""\s*[],:)])""",
    re.VERBOSE,
)
_COMMENT = re.compile(r"#[^\n]*")
_NO_LITERAL = re.compile(rf"({_STRING.pattern})|<class '\w+'>|np\.int\d+\((\d+)\)")
"""What Python prints and cannot parse: the type of a defaultdict; besides, numbers of NumPy."""
_DATA = re.compile(r"[\[\](){},:=\w\s]*+")
_NAME = re.compile(r"[^\W\d]\w*")
_NO_DATA = (ValueError, SyntaxError, TypeError, MemoryError, RecursionError)


def _read_python(path: Path) -> Any:
    text = _NO_LITERAL.sub(lambda found: found[1] or found[2] or "0", read_text(path))
    without_strings = _COMMENT.sub("", _STRING.sub("0", text))
    if len(text) > LARGEST_PYTHON or sum(map(without_strings.count, "[({,:")) > MOST_CONSTANTS:
        raise TokenizerFileError(f"{path}: is far more Python than a vocabulary takes")
    depth = accumulate(
        (c in "[({") - (c in "])}") for c in re.findall(r"[][(){}]", without_strings)
    )
    names = sum(1 for _ in islice(_NAME.finditer(without_strings), MOST_NAMES + 1))
    if (
        not _DATA.fullmatch(without_strings)
        or max(depth, default=0) > DEEPEST
        or names > MOST_NAMES
    ):
        raise TokenizerFileError(
            f"{path}: is Python, and more than data; nothing of it is executed"
        )
    try:
        found = dict(_assigned(ast.parse(text)))
    except _NO_DATA as error:
        what = str(error)[:80] or "its parser gives up"
        raise TokenizerFileError(
            f"{path}: is as Python prints it, but cut short or no data: {what}"
        ) from None
    if found.keys() >= set(STEMS):
        return found
    values = [*found.values()]
    return values[0] if len(values) == 1 else values


def _assigned(module: ast.Module) -> Iterator[tuple[str | int, Any]]:
    """Name → value of each statement; its place, if it has no name."""
    for place, statement in enumerate(module.body):
        if not isinstance(statement, ast.Assign | ast.Expr):
            raise ValueError(f"line {statement.lineno} is no value")
        name: str | int = place
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
            name = statement.targets[0].id
        value = statement.value
        if isinstance(value, ast.Call) and value.args:  # Counter({…}), defaultdict(…, {…})
            value = value.args[-1]
        found = ast.literal_eval(value)
        yield name, dict(found) if value is not statement.value else found


MOST_IN_CELL = 40
"""Characters: bytes and special tokens, with which a vocabulary begins, have no more."""

# JSON, a value a line


def _is_json_lines(head: str) -> bool:
    """Whether the first lines are pairs, or have the first ids: most lines of JSON are a corpus."""
    lines = [line for line in head.split("\n")[:-1] if line.strip()][:_LINES_TRIED]
    try:
        found = tidied(list(map(json.loads, lines)))
    except (ValueError, RecursionError):
        return False
    if isinstance(found, Mapping):
        ids = [token_id for token_id in found if type(token_id) is int]
        in_order = len(ids) < len(found) or ids == list(range(len(ids)))
        return in_order and all(map(_is_short, found.values()))
    rows = found if len(lines) > 1 else []
    return bool(rows) and all(map(_is_short_pair, rows))


_LINES_TRIED = 8


def _is_short_pair(row: Any) -> bool:
    are_two = isinstance(row, list | tuple) and len(row) == 2 and type(row[0]) is type(row[1])
    return are_two and all(map(_is_short, row))


def _is_short(part: Any) -> bool:
    return isinstance(part, int) or (isinstance(part, str | list) and len(part) <= MOST_IN_CELL)


def _read_json_lines(path: Path) -> Any:
    values: list[Any] = []
    for number, line in enumerate(read_lines(path), start=1):
        if line.strip():
            try:
                values.append(json.loads(line))
            except (ValueError, RecursionError) as error:
                raise TokenizerFileError(f"{path}: line {number} is no JSON: {error}") from None
    return values


def _in_doubt(path: Path, what: str) -> TokenizerFileError:
    return TokenizerFileError(f"{path}: {what}; {HOW_TO_SAVE}")


# Tables: an id and a token a line

SEPARATORS = ("\t", ",", " -> ", ": ", " ")
_MOST_DIGITS = 10


def _is_table(head: str) -> bool:
    return _layout(head) is not None


def _layout(head: str) -> tuple[str, int] | None:
    """What stands between the columns, and in which of them the ids are, the first or the last.

    They are 0, 1, 2, and so on, which they are in hardly any other file.
    """
    for separator in SEPARATORS:
        for place in (0, -1):
            rows = _split_rows(head, separator, place)[:-1]  # the last one may be cut
            ids = [_number(row[place]) for row in rows]
            del ids[: ids[:1] == [None]]  # the names of the columns
            if len(ids) > 3 and ids == list(range(len(ids))):
                return None if any(map(_is_prose, rows)) else (separator, place)
    return None


def _is_prose(row: Sequence[str]) -> bool:
    return any(len(cell) > MOST_IN_CELL for cell in row)


def _split_rows(text: str, separator: str, place: int) -> list[list[str]]:
    if separator == "," or separator == "\t":
        quote = '"' if separator == "," else None
        reader = csv.reader(StringIO(text, newline=""), delimiter=separator, quotechar=quote)
        try:
            return [row for row in reader if row]
        except csv.Error:
            return []
    lines = (line.removesuffix("\r") for line in text.split("\n") if line)
    return [line.rsplit(separator, 1) if place else line.split(separator, 1) for line in lines]


def _number(text: str) -> int | None:
    digits = text.strip()
    is_number = digits.isascii() and digits.isdigit() and len(digits) <= _MOST_DIGITS
    return int(digits) if is_number else None


def _read_table(path: Path) -> list[list[Any]]:
    """Rows of an id and a token."""
    text = read_text(path)
    layout = _layout(text[:HEAD])
    rows = [] if layout is None else _split_rows(text, *layout)
    if layout is None or not rows:
        raise _in_doubt(path, "its ids do not begin with 0, 1, 2, or a token is far too long")
    width, at_id, at_token = len(rows[0]), layout[1], -1 - layout[1]
    odd = next((n for n, row in enumerate(rows, start=1) if len(row) != width), None)
    if odd is not None:
        raise _in_doubt(path, f"row {odd} has not {width} columns like the first one")
    heading = [cell.strip().lower() for cell in rows[0]]
    if _number(heading[at_id]) is None:
        del rows[0]
    if width > 2:
        columns = column_names(heading)
        if columns is None and width == 3 and None in [_number(row[2]) for row in rows]:
            return [row[1:] for row in rows]  # merges with their numbers
        if columns is None:
            raise _in_doubt(path, f"which of its {width} columns is the token is not said")
        at_id, at_token = map(heading.index, columns)
    ids = [_number(row[at_id]) for row in rows]
    if None in ids or len(set(ids)) < len(ids):
        raise TokenizerFileError(f"{path}: a row has no id, or that of another one")
    return [[token_id, row[at_token]] for token_id, row in zip(ids, rows, strict=True)]


# Lines of two tokens, as merges are

_BETWEEN_TOKENS = (" ", "\t", ",")


def read_merge_lines(path: Path) -> list[list[str]]:
    """The merges of a file with two tokens a line, whatever spells them.

    Raises:
        TokenizerFileError: a line is not cut in two, or in more than one way.
    """
    lines = read_lines(path)
    start = 1 if lines[:1] and _is_heading(lines[0]) else 0
    rows = [(number, line) for number, line in enumerate(lines[start:], start + 1) if line]
    literals = [pair for _, line in rows if (pair := pair_of_literals(line)) is not None]
    if len(literals) == len(rows):
        return literals
    for separator in _BETWEEN_TOKENS:
        merges = [line.split(separator) for _, line in rows]
        if separator == "," and any('"' in line for _, line in rows):
            merges = _split_rows("\n".join(line for _, line in rows), separator, 0)
        if merges and all(len(merge) == 2 and all(merge) for merge in merges):
            return merges
    number, line = next((n, each) for n, each in rows if not _is_cut_in_two(each))
    raise _in_doubt(
        path,
        f"line {number} is not two tokens with a space between: {line[:60]!r}; tokens that hold "
        "spaces or newlines cannot be told apart in lines",
    )


def _is_heading(line: str) -> bool:
    return (
        line.startswith(gpt2.VERSION) or tuple(re.split(r"[,\t ]", line.lower())) in PAIR_NAMES[:2]
    )


def _is_cut_in_two(line: str) -> bool:
    return len(line.split(" ")) == 2 and all(line.split(" "))


# The format

_TEXT_LAYOUTS = (
    _TextLayout(lambda head: _PYTHON.match(head) is not None, _read_python),
    _TextLayout(_is_json_lines, _read_json_lines),
    _TextLayout(_is_table, _read_table),
)


def _text_layout_of(head: bytes) -> _TextLayout | None:
    text = head.decode("utf-8", "ignore")
    return next((reader for reader in _TEXT_LAYOUTS if reader.recognises(text)), None)


def read_value(path: Path, head: bytes) -> Any:
    """What a file holds: in Python's writing, JSON, lines of JSON, a table, or lines of merges.

    Raises:
        TokenizerFileError: it is damaged, or it cannot be told what is meant.
    """
    if (reader := _text_layout_of(head)) is not None:
        return reader.read(path)
    return read_json(path) if gpt2.could_be_json(head) else read_merge_lines(path)


def recognises_text(source: TokenizerSource) -> bool:
    files = _text_files(source)
    return files.exists and files.folder is None and any(map(_text_layout_of, files.heads))


def _text_files(source: TokenizerSource) -> TokenizerSource:
    """One file or two; those of a directory, or beside `vocab.…`, that are called so."""
    one = source.only_file
    folder = one.parent if one is not None and one.stem == STEMS[0] else source.folder
    if folder is None:
        return source
    names = [[folder / (stem + ending) for ending in TEXT_ENDINGS] for stem in STEMS]
    found = [next((path for path in paths if path.is_file()), None) for paths in names]
    vocab, merges = (one or found[0]), found[1]
    return (
        source
        if vocab is None
        else TokenizerSource((vocab,) if merges is None else (vocab, merges))
    )


def read_text_files(
    source: TokenizerSource, special_tokens: Sequence[str] | None = None
) -> VocabAndMerges:
    """What the files of a source that was recognised say.

    Raises:
        TokenizerFileError: a file is damaged, or it cannot be told what is meant.
    """
    files = _text_files(source)
    values = [read_value(path, head) for path, head in zip(files.paths, files.heads, strict=True)]
    looked_for = "a dict of ids and tokens and a list of pairs are looked for, in one or two files"
    return read_values(source, values, looked_for, special_tokens)


VOCAB, MERGES, LINES = "vocab.json", "merges.json", "merges.txt"


def recognises_json(source: TokenizerSource) -> bool:
    files = _json_files(source)
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


def _json_files(source: TokenizerSource) -> TokenizerSource:
    """One file or two; of a directory those with the usual names."""
    folder = source.folder
    if folder is not None and source.in_folder(VOCAB) is not None:
        merges = source.in_folder(MERGES, LINES)
        return source if merges is None else TokenizerSource((folder / VOCAB, merges))
    one = source.only_file
    if one is not None and one.name == VOCAB:
        names = (MERGES, LINES) if gpt2.is_spelled_otherwise(source.heads[0]) else (MERGES,)
        beside = next((p for n in names if (p := one.with_name(n)).is_file()), None)
        return source if beside is None else TokenizerSource((one, beside))
    return source


def _values(files: TokenizerSource) -> list[Any]:
    """The value of each file; of one that is no JSON its lines, cut in two."""
    pairs = zip(files.paths, files.heads, strict=True)
    return [read_json(p) if gpt2.could_be_json(head) else read_merge_lines(p) for p, head in pairs]


def read_json_files(
    source: TokenizerSource, special_tokens: Sequence[str] | None = None
) -> VocabAndMerges:
    """What the files of a source that was recognised say.

    Raises:
        TokenizerFileError: a file is damaged, or it cannot be told what is meant.
    """
    looked_for = "an object of ids and tokens and a list of pairs are looked for"
    return read_values(source, _values(_json_files(source)), looked_for, special_tokens)


def save_json(tokenizer: Tokenizer, path: Path, overwrite: bool) -> None:
    check_plain(tokenizer, path)
    special_ids = tokenizer.rules.special_ids
    for token in special_ids:
        if not is_text(token):
            raise TokenizerFileError(f"{path}: the special token {token!r} is no UTF-8 text")
    pattern = tokenizer.pattern
    name = pattern.name if PATTERNS.get(pattern.name) == pattern else pattern.source
    vocab = [
        f"{_json_string(str(token_id))}: {_json_string(token.decode('latin-1'))}"
        for token_id, token in sorted(tokenizer.vocab.items())
        if token_id not in tokenizer.special_ids
    ]
    merges = [
        f"[{_json_string(left.decode('latin-1'))}, {_json_string(right.decode('latin-1'))}]"
        for left, right in tokenizer.merges
    ]
    content = (
        f'{{\n"pattern": {_json_string(name)},\n'
        f'"special_tokens": {json.dumps(dict(special_ids))},\n'
        f'"vocab": {{\n{_json_lines(vocab)}}},\n"merges": [\n{_json_lines(merges)}]\n}}\n'
    )
    write_files({path: content.encode()}, overwrite=overwrite)


def _json_string(text: str) -> str:
    """A JSON string; all but ASCII is escaped, so that a character stays the byte it is."""
    return json.dumps(text)


def _json_lines(rows: Iterable[str]) -> str:
    """A row each, with commas between."""
    return ",\n".join(rows) + "\n"


_PICKLE_HEAD = re.compile(
    rb"\x80[\x02-\x05]"  # protocol 2 and later begin with their number,
    rb"|\(*[(\]}][dlpqt(\]}]"  # protocols 0 and 1 with a dict, a list or a tuple of these,
    rb"|c[\w.]+\n[\w.]+\n"  # or with the name of a function
)
PICKLE_ENDINGS = (".pkl", ".pickle")


def recognises_pickle(source: TokenizerSource) -> bool:
    paths = _pickle_paths(source)
    if not paths:
        return False
    return all(_PICKLE_HEAD.match(head) for head in TokenizerSource(paths).heads)


def _pickle_paths(source: TokenizerSource) -> list[Path]:
    """The one file or two; of a directory those that are named like pickles."""
    if source.folder is None:
        return list(source.paths) if source.exists else []
    found = source.with_endings(*PICKLE_ENDINGS)
    return found if len(found) <= 2 else []


def read_pickle_files(
    source: TokenizerSource, special_tokens: Sequence[str] | None = None
) -> VocabAndMerges:
    """What the files of a source that was recognised say.

    Raises:
        TokenizerFileError: a file is damaged, or it cannot be told what is meant.
    """
    values: list[Any] = []
    for path in _pickle_paths(source):
        try:
            values += load_pickles(read_bytes(path))
        except PickleError as error:
            raise TokenizerFileError(f"{path}: {error}") from None
    looked_for = "a dict of ids and tokens and a list of pairs are looked for, in one or two files"
    return read_values(source, values, looked_for, special_tokens)


# The formats


def _course_format(
    name: str,
    summary: str,
    recognises: Callable[[TokenizerSource], bool],
    read: Callable[[TokenizerSource, Sequence[str] | None], VocabAndMerges],
    save: Callable[[Tokenizer, Path, bool], None] | None = None,
    suffix: str = "",
) -> TokenizerFormat:
    def load(source: TokenizerSource, overrides: Overrides) -> Opened:
        return open_vocab_and_merges(read(source, None), overrides, name)

    return TokenizerFormat(name, summary, recognises, load, save, read, suffix=suffix)


COURSE_TEXT = _course_format(
    "course-text",
    "a course solution's vocab and merges as Python prints them, as JSON lines or as a table",
    recognises_text,
    read_text_files,
)
COURSE_JSON = _course_format(
    "course-json",
    "a JSON file with vocab and merges, as of a course solution",
    recognises_json,
    read_json_files,
    save_json,
    suffix=".json",
)
COURSE_PICKLE = _course_format(
    "course-pickle",
    "a course solution's pickled vocab and merges",
    recognises_pickle,
    read_pickle_files,
)
