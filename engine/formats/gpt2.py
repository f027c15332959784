"""GPT-2's own files in a directory: `vocab.json` and `merges.txt`.

    {"!": 0, "\"": 1, …, "Ġt": 256}         #version: 0.2
                                           Ġ t

OpenAI calls them `encoder.json` and `vocab.bpe`. Tokens are in printable stand-ins (`gpt2_bytes`).
The two files do not say which tokens are special or which pattern cuts the text, so a third one,
`bpe-tui.json`, does, or Hugging Face's (see `beside`); without them the pattern is gpt2, and
special are the tokens in angle or square brackets that no merge makes.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain, repeat
from pathlib import Path
from typing import Any

from engine.core.errors import TokenizerFileError
from engine.core.files import write_files
from engine.core.gpt2_bytes import CHAR_TO_BYTE, spell, unspell, unspell_all
from engine.encoding.tokenizer import Tokenizer
from engine.formats.guesses import (
    is_text,
    note_gaps,
    note_guessed_pattern,
    note_guessed_special_tokens,
)
from engine.formats.source import TokenizerSource, read_head, read_json, read_lines
from engine.formats.tokenizer_format import Opened, Overrides, TokenizerFormat, VocabAndMerges
from engine.formats.tokenizer_json import FolderSettings, read_folder_settings
from engine.formats.vocab_and_merges import find_special_tokens, open_vocab_and_merges
from engine.formats.writing import check_plain
from engine.text.patterns import OWN, PATTERNS
from engine.text.pretokenize import to_bytes

VOCAB, MERGES, SETTINGS = "vocab.json", "merges.txt", "bpe-tui.json"
NAMES = ((VOCAB, MERGES), ("encoder.json", "vocab.bpe"))
"""What the two files are called: by Hugging Face, and by OpenAI, who wrote them first."""
VERSION = "#version:"
"""How files of merges begin, if anything says so."""
_TWO_TOKENS = re.compile(rb'\s*\{(\s*"(?:[^"\\]|\\.)*"\s*:\s*\d+\s*[,}]){2}', re.DOTALL)
"""How a vocabulary begins: as an object of tokens and ids, and nothing else."""

_LINE_OF_TOKENS = re.compile(rb"\[(?: .\r?\n|[A-Za-z])")
"""How GPT-2's merges can begin, and BERT's pieces do: `[ a`, `[PAD]`."""

Vocab = dict[int, bytes]
Merges = list[tuple[bytes, bytes]]

# Which two files: a directory has them, both are given, or one is, with the other beside it.
#
# Names do not count where both are given. One alone is known by what is in it; the other one is
# beside it under the name that belongs to its own: `x-vocab.json` to `x-merges.txt`.


def recognises(source: TokenizerSource) -> bool:
    if len(source.given) == 2:
        pair = _sorted_pair(source) if source.exists else None
        return pair is not None and not any(map(is_spelled_otherwise, source.heads))
    if source.folder is not None:
        vocab, merges = _names_in(source.folder)
        is_here = source.in_folder(vocab, merges) is not None
        return is_here and not is_spelled_otherwise(read_head(source.folder / vocab))
    return _is_one_of_two(source) and not is_spelled_otherwise(source.heads[0])


_ENTRY = re.compile(rb'"((?:[^"\\]|\\.)*)"\s*:\s*(\d+(?=\s*[,}])|["\[])', re.DOTALL)
_CODED = re.compile(
    r"(?:(?:0x|\\x)?[0-9A-Fa-f]{2}[ :-]?)++"  # hex
    r"|(?:[A-Za-z0-9+/]{4})*[A-Za-z0-9+/]{2,3}={1,2}"  # base64
    r"|[\[(]?\d{1,3}(?:[, ]{1,2}\d{1,3})*+,?[\])]?"  # numbers
)


def is_spelled_otherwise(head: bytes) -> bool:
    """Whether what begins so is a vocabulary, but has ids first, or no stand-ins for bytes.

    Hex and base64 are made of stand-ins, too; what tells is that no token is one character.
    """
    if not head.lstrip().startswith(b"{"):
        return False
    found = _ENTRY.findall(head)
    keys = [_unquoted(key) for key, _ in found]
    if not found:
        return False
    if any(value in b'"[' for _, value in found):
        return all(key.isdigit() for key in keys)
    tokens = [key for key in keys if (key[:1], key[-1:]) not in {("<", ">"), ("[", "]")}]
    if any(map(_is_stray, tokens)):
        return True
    if any(len(token) == 1 for token in tokens):
        return False
    are_coded = map(_CODED.fullmatch, tokens)
    are_literals = (token.startswith(("b'", 'b"')) for token in tokens)
    return len(tokens) > 3 and (all(are_coded) or all(are_literals))


def _is_stray(token: str) -> bool:
    """Whether it is a byte by itself, such as a space, which has a stand-in."""
    return len(token) == 1 and token < "\u0100" and token not in CHAR_TO_BYTE


def _unquoted(key: bytes) -> str:
    if b"\\" not in key:
        return key.decode("utf-8", "replace")
    try:
        return str(json.loads(b'"' + key + b'"', strict=False))
    except ValueError:
        return key.decode("utf-8", "replace")


def files_of(source: TokenizerSource) -> tuple[Path, Path | None]:
    """The vocabulary and the merges of a source that was recognised; `None`: there are none.

    Raises:
        TokenizerFileError: merges were given, and there is no vocabulary beside them.
    """
    if source.folder is not None:
        vocab, merges = (source.folder / name for name in _names_in(source.folder))
        return vocab, merges if merges.is_file() else None
    if source.only_file is not None:
        return _with_its_other(source.only_file, source.heads[0])
    pair = _sorted_pair(source)
    assert pair is not None  # it was recognised
    return pair


def both_files(source: TokenizerSource) -> tuple[Path, Path] | None:
    """The vocabulary and the merges, in whatever spelling; `None` if they are not both there."""
    is_pair = len(source.given) == 2 and source.exists and _sorted_pair(source) is not None
    if not (is_pair or source.folder is not None or _is_one_of_two(source)):
        return None
    try:
        vocab, merges = files_of(source)
    except TokenizerFileError:
        return None
    return (vocab, merges) if merges is not None and vocab.is_file() else None


def folder_of(source: TokenizerSource) -> Path | None:
    """Where more is said of the two files; `None` if they go by other names."""
    if source.folder is not None:
        return source.folder
    one = source.only_file
    return one.parent if one is not None and one.name in chain(*NAMES) else None


def _names_in(folder: Path) -> tuple[str, str]:
    """What the two files are called in a directory that has one of them."""
    has_one = (names for names in NAMES if any((folder / name).is_file() for name in names))
    return next(has_one, NAMES[0])


def could_be_json(head: bytes) -> bool:
    """An object or a list; a line of tokens can begin with a bracket, too."""
    return head.lstrip()[:1] in (b"{", b"[") and not _LINE_OF_TOKENS.match(head)


def _sorted_pair(source: TokenizerSource) -> tuple[Path, Path] | None:
    """Of two files the vocabulary, which is a JSON object, and the merges, which are lines."""
    is_object = [head.lstrip().startswith(b"{") for head in source.heads]
    if any(could_be_json(head) and head.lstrip().startswith(b"[") for head in source.heads):
        return None
    if is_object == [True, False]:
        return source.paths[0], source.paths[1]
    if is_object == [False, True]:
        return source.paths[1], source.paths[0]
    return None


def _is_one_of_two(source: TokenizerSource) -> bool:
    if source.only_file is None:
        return False
    head = source.heads[0]
    return head.startswith(VERSION.encode()) or _TWO_TOKENS.match(head) is not None


def _with_its_other(one: Path, head: bytes) -> tuple[Path, Path | None]:
    is_merges = head.startswith(VERSION.encode())
    place = 1 if is_merges else 0
    names = next((names for names in NAMES if one.name.endswith(names[place])), NAMES[0])
    prefix = one.name.removesuffix(names[place]) if one.name.endswith(names[place]) else ""
    other = one.with_name(prefix + names[1 - place])
    if not is_merges:
        return one, other if other.is_file() else None
    if not other.is_file():
        raise TokenizerFileError(
            f"{one}: holds merges like GPT-2's, and there is no {other.name} beside it; give both "
            "files"
        )
    return other, one


# Reading


def read(source: TokenizerSource, special_tokens: Sequence[str] | None = None) -> VocabAndMerges:
    """What the files of a source that was recognised say.

    Args:
        special_tokens: tokens that stand as they are in the vocabulary; `None` leaves it to the
            settings beside the files.

    Raises:
        TokenizerFileError: a file is missing, malformed or cut short.
    """
    folder = folder_of(source)
    settings = _read_settings(folder / SETTINGS) if folder is not None else {}
    if special_tokens is None:
        special_tokens = settings.get("special_tokens")
    return _read_pair(*files_of(source), special_tokens, settings.get("pattern"), str(source))


def load(source: TokenizerSource, overrides: Overrides) -> Opened:
    folder = folder_of(source)
    beside = (
        None if folder is None or (folder / SETTINGS).is_file() else read_folder_settings(folder)
    )
    if beside is None:
        found = read(source, overrides.special_tokens)
        return open_vocab_and_merges(found, overrides, FORMAT.name)
    found = read(source, list(beside.flags))
    if found.has_merges:
        return _load_with(beside, found, source, overrides)
    ids = beside.numbered(read_json(files_of(source)[0]))
    found = replace(found, special_tokens=ids, notes=beside.notes)
    return open_vocab_and_merges(found, overrides, FORMAT.name)


def _load_with(
    beside: FolderSettings, found: VocabAndMerges, source: TokenizerSource, overrides: Overrides
) -> Opened:
    """The tokenizer with what the files beside it say, which a pipeline can do."""
    # The stages are many modules, which nobody should wait for who reads another format.
    from engine.formats.tokenizer_json import overridden
    from engine.pipeline.added_tokens import AddedToken
    from engine.pipeline.conversion import tokenizer_of
    from engine.pipeline.decoders import ByteLevel as ByteLevelDecoder
    from engine.pipeline.models import BPE
    from engine.pipeline.pipeline import Pipeline
    from engine.pipeline.pretokenizers import ByteLevel

    found.check_merges()
    vocab: dict[str, int] = read_json(files_of(source)[0])
    numbered = beside.numbered(vocab)
    others = {i: token for i, token in found.vocab.items() if i not in numbered.values()}
    unmade = find_special_tokens(found.place, others, found.merges, overrides.special_tokens)
    pipeline = Pipeline(
        BPE({**vocab, **numbered}, [(spell(left), spell(right)) for left, right in found.merges]),
        tuple(map(AddedToken, unmade)),
        pre_tokenizer=ByteLevel(add_prefix_space=False, use_regex=True),
        decoder=ByteLevelDecoder(),
    )
    tokenizer = tokenizer_of(overridden(beside.applied(pipeline), overrides))
    notes = [
        *beside.notes,
        *note_gaps(tokenizer.vocab),
        *note_guessed_pattern(overrides, files=found.files),
        *note_guessed_special_tokens(overrides, unmade),
    ]
    return Opened(tokenizer, FORMAT.name, tuple(notes))


def _read_pair(
    vocab_path: Path,
    merges_path: Path | None,
    special_tokens: Sequence[str] | None,
    pattern: str | None = None,
    place: str = "",
) -> VocabAndMerges:
    spelled = _Spelled()
    return VocabAndMerges(
        place or str(vocab_path),
        _read_vocab(vocab_path, special_tokens or (), spelled),
        [] if merges_path is None else _read_merges(merges_path, spelled),
        special_tokens=special_tokens,
        pattern=pattern,
        merges_place=str(merges_path),
        vocab_place=str(vocab_path),
        files="the files name",
        has_merges=merges_path is not None,
    )


def save(tokenizer: Tokenizer, path: Path, overwrite: bool) -> None:
    _check_savable(tokenizer, path)
    spelled = {
        token.decode() if token_id in tokenizer.special_ids else spell(token): token_id
        for token_id, token in sorted(tokenizer.vocab.items())
    }
    if len(spelled) < len(tokenizer.vocab):
        raise TokenizerFileError(
            f"{path}: two tokens have the same spelling, which {VOCAB} cannot say; "
            "choose special tokens that no ordinary token equals"
        )
    merges = [f"{VERSION} 0.2", *(f"{spell(a)} {spell(b)}" for a, b in tokenizer.merges)]
    pattern = tokenizer.pattern
    settings = {
        "pattern": pattern.source if pattern.name == OWN else pattern.name,
        "special_tokens": list(tokenizer.special_tokens),
    }
    write_files(
        {
            path / VOCAB: json.dumps(spelled, ensure_ascii=False, indent=0).encode() + b"\n",
            path / MERGES: "\n".join(merges).encode() + b"\n",
            path / SETTINGS: json.dumps(settings, ensure_ascii=False, indent=2).encode() + b"\n",
        },
        overwrite=overwrite,
    )


def _check_savable(tokenizer: Tokenizer, path: Path) -> None:
    """Raises `TokenizerFileError` if the files cannot say what the tokenizer is."""
    check_plain(tokenizer, path)
    name = tokenizer.pattern.name
    if name != OWN and PATTERNS.get(name) != tokenizer.pattern:
        raise TokenizerFileError(
            f"{path}: the pattern {name!r} is not one of the named ones, and {SETTINGS} keeps "
            f"names and regexes; choose one of {', '.join(PATTERNS)}"
        )
    for token in tokenizer.special_tokens:
        if not is_text(token):
            raise TokenizerFileError(
                f"{path}: the special token {token!r} is no UTF-8 text, which {VOCAB} has to be"
            )


def read_files(
    vocab_path: str | os.PathLike[str],
    merges_path: str | os.PathLike[str],
    special_tokens: Sequence[str] = (),
) -> tuple[Vocab, Merges]:
    """The vocab (id → bytes) and the merges of the two files; special tokens stand as they are.

    Raises:
        TokenizerFileError: a file is missing, malformed or cut short, or the two do not match.
    """
    found = _read_pair(Path(vocab_path), Path(merges_path), special_tokens)
    found.check_merges()
    return dict(found.vocab), list(found.merges)


class _Spelled(dict[str, bytes]):
    """Spelling → bytes. Merges name each token of the vocabulary again, some of them often."""

    def __missing__(self, spelling: str) -> bytes:
        token = self[spelling] = unspell(spelling)
        return token


def _read_vocab(path: Path, special_tokens: Sequence[str], known: _Spelled) -> Vocab:
    spelled = read_json(path)
    if not isinstance(spelled, dict) or not spelled:
        raise TokenizerFileError(f"{path}: is no JSON object of tokens and ids")
    vocab: Vocab = {}
    for (spelling, token_id), token in zip(
        spelled.items(), unspell_all(list(spelled)), strict=True
    ):
        if not isinstance(token_id, int) or isinstance(token_id, bool) or token_id < 0:
            raise TokenizerFileError(
                f"{path}: the id of {spelling[:60]!r} is no whole number; a vocabulary like "
                'GPT-2\'s has tokens first, {"the": 262}'
            )
        if token_id in vocab:
            raise TokenizerFileError(f"{path}: the id {token_id} is given to two tokens")
        if token is None or spelling in special_tokens:
            # A special token is its own text; what is not in GPT-2's spelling must be one, too.
            vocab[token_id] = to_bytes(spelling)
        else:
            vocab[token_id] = known[spelling] = token
    return vocab


def _read_merges(path: Path, known: _Spelled) -> Merges:
    lines = read_lines(path)
    merges: Merges = []
    body = list(filter(None, lines[lines[0].startswith("#version") :]))
    if set(map(str.count, body, repeat(" "))) == {1}:
        tokens = list(filter(None, map(known.get, " ".join(body).split(" "))))
        if len(tokens) == 2 * len(body):  # as it is nearly always, and quicker than line by line
            return list(zip(tokens[::2], tokens[1::2], strict=True))
    for number, line in enumerate(lines, start=1):
        if not line or (number == 1 and line.startswith("#version")):
            continue
        parts = line.split(" ")
        try:
            left, right = map(known.__getitem__, parts)
        except (ValueError, KeyError):
            raise TokenizerFileError(
                f"{path}: line {number} is not two tokens with a space between: {line[:60]!r}"
            ) from None
        if not left or not right:
            raise TokenizerFileError(f"{path}: line {number} has an empty token: {line[:60]!r}")
        merges.append((left, right))
    return merges


def _read_settings(path: Path) -> dict[str, Any]:
    if not path.is_file():
        return {}
    settings = read_json(path)
    specials = settings.get("special_tokens") if isinstance(settings, dict) else None
    if not isinstance(specials, list) or not all(isinstance(token, str) for token in specials):
        raise TokenizerFileError(f"{path}: has no list of special_tokens")
    if not isinstance(settings.get("pattern"), str):
        raise TokenizerFileError(f"{path}: has no pattern")
    return dict(settings)


FORMAT = TokenizerFormat(
    *("gpt2", "GPT-2's vocab.json and merges.txt in a directory", recognises, load, save, read),
    files=(VOCAB, MERGES, SETTINGS),
)
