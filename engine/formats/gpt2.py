"""GPT-2's own files in a directory: `vocab.json` and `merges.txt`.

    {"!": 0, "\"": 1, …, "Ġt": 256}         #version: 0.2
                                           Ġ t

OpenAI calls them `encoder.json` and `vocab.bpe`. Each byte is written as a printable character (see
`gpt2_bytes`). The special tokens and the pattern are in a third file, `bpe-tui.json`, or in Hugging
Face's settings (see `folder_settings`). Without these the tokens decide the pattern, and those in
angle or square brackets that no merge makes are special.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from engine.core.errors import TokenizerFileError
from engine.core.files import write_files
from engine.core.gpt2_bytes import BYTE_OF, CHAR_TO_BYTE, spell, unspell, unspell_all
from engine.core.json_fields import well_formed
from engine.encoding.merging import MergeArrays, MergesInIds, columns_of
from engine.encoding.tokenizer import Tokenizer
from engine.formats import guesses
from engine.formats.folder_settings import FolderSettings, read_folder_settings
from engine.formats.source import (
    TokenizerSource,
    check_lines,
    check_values,
    read_bytes,
    read_head,
    read_json,
    read_merges,
)
from engine.formats.tokenizer_format import (
    Opened,
    Overrides,
    TokenizerFormat,
    VocabAndMerges,
    check_plain,
)
from engine.formats.tokenizer_json import overridden
from engine.formats.vocab_and_merges import find_special_tokens, is_bracketed, open_vocab_and_merges
from engine.native.vocabularies import read_gpt2
from engine.text.patterns import OWN, PATTERNS
from engine.text.pretokenize import to_bytes

if TYPE_CHECKING:
    from engine.formats.tokenizer_classes import ByteClass

VOCAB, MERGES, SETTINGS = "vocab.json", "merges.txt", "bpe-tui.json"
NAMES = ((VOCAB, MERGES), ("encoder.json", "vocab.bpe"))
"""The names of the two files: Hugging Face's, and the original ones of OpenAI."""
VERSION = "#version:"
"""The first characters of most files of merges."""
_TWO_TOKENS = re.compile(rb'\s*\{(\s*"(?:[^"\\]|\\.)*"\s*:\s*\d+\s*[,}]){2}', re.DOTALL)
"""Regex for the beginning of a vocabulary, which is an object of tokens and ids."""

_LINE_OF_TOKENS = re.compile(rb"\[(?: .\r?\n|[A-Za-z])")
"""Regex for the first line of GPT-2's merges or BERT's pieces with a bracket: `[ a`, `[PAD]`."""

# Which two files: those in a directory, two that are given, or one with the other beside it.
#
# If both are given, their names do not matter. A single file is recognised by its content; the
# other one must have the matching name: `x-vocab.json` with `x-merges.txt`.


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
_HEX = re.compile(r"(?:[0-9A-Fa-f]{2} ?)++")


def is_spelled_otherwise(head: bytes) -> bool:
    """Whether a file with this beginning is a vocabulary with ids first or in another spelling.

    Hex also consists of GPT-2's characters, but then no token is a single character.
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
    single = [token for token in tokens if len(token) == 1]
    if any(token < "\u0100" and token not in CHAR_TO_BYTE for token in single):
        return True  # a byte written as itself, such as a space
    if single:
        return False
    are_hex = map(_HEX.fullmatch, tokens)
    are_literals = (token.startswith(("b'", 'b"')) for token in tokens)
    return len(tokens) > 3 and (all(are_hex) or all(are_literals))


def _unquoted(key: bytes) -> str:
    if b"\\" not in key:
        return key.decode("utf-8", "replace")
    try:
        return str(json.loads(b'"' + key + b'"', strict=False))
    except ValueError:
        return key.decode("utf-8", "replace")


def files_of(source: TokenizerSource) -> tuple[Path, Path | None]:
    """Return the vocabulary and the merges of a recognised source; `None` if it has no merges.

    Raises:
        TokenizerFileError: only merges were given, and no vocabulary is beside them.
    """
    if source.folder is not None:
        vocab, merges = (source.folder / name for name in _names_in(source.folder))
        return vocab, merges if merges.is_file() else None
    if source.only_file is not None:
        return _with_its_other(source.only_file, source.heads[0])
    pair = _sorted_pair(source)
    assert pair is not None  # the source was recognised
    return pair


def both_files(source: TokenizerSource) -> tuple[Path, Path] | None:
    """Return the vocabulary and the merges in any spelling; `None` unless both exist."""
    is_pair = len(source.given) == 2 and source.exists and _sorted_pair(source) is not None
    if not (is_pair or source.folder is not None or _is_one_of_two(source)):
        return None
    try:
        vocab, merges = files_of(source)
    except TokenizerFileError:
        return None
    return (vocab, merges) if merges is not None and vocab.is_file() else None


def folder_of(source: TokenizerSource) -> Path | None:
    """Return the directory with settings for the two files; `None` if they have other names."""
    if source.folder is not None:
        return source.folder
    one = source.only_file
    return one.parent if one is not None and one.name in chain(*NAMES) else None


def _names_in(folder: Path) -> tuple[str, str]:
    """Return the names of the two files in a directory that has one of them."""
    has_one = (names for names in NAMES if any((folder / name).is_file() for name in names))
    return next(has_one, NAMES[0])


def could_be_json(head: bytes) -> bool:
    """Whether a file with this beginning may be a JSON object or list, not lines of tokens."""
    return head.lstrip()[:1] in (b"{", b"[") and not _LINE_OF_TOKENS.match(head)


def _sorted_pair(source: TokenizerSource) -> tuple[Path, Path] | None:
    """Return the vocabulary, a JSON object, and the merges, which are lines, of two files."""
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
    """Read the files of a recognised source.

    Args:
        special_tokens: tokens that are plain text in the vocabulary; `None` to take them from the
            settings beside the files.

    Raises:
        TokenizerFileError: a file is missing, malformed or cut short.
    """
    folder = folder_of(source)
    pattern: str | None = None
    if folder is not None and (path := folder / SETTINGS).is_file():
        settings = read_json(path)
        specials = settings.get("special_tokens") if isinstance(settings, dict) else None
        if not isinstance(specials, list) or not all(isinstance(token, str) for token in specials):
            raise TokenizerFileError(f"{path}: has no list of special_tokens")
        if not isinstance(settings.get("pattern"), str):
            raise TokenizerFileError(f"{path}: has no pattern")
        pattern = settings["pattern"]
        special_tokens = specials if special_tokens is None else special_tokens
    vocab, merges = files_of(source)
    return VocabAndMerges(
        str(source),
        *_read_both(vocab, merges, special_tokens or ()),
        special_tokens=special_tokens,
        pattern=pattern,
        merges_place=str(merges),
        vocab_place=str(vocab),
        files="the files name",
        has_merges=merges is not None,
    )


def load(source: TokenizerSource, overrides: Overrides) -> Opened:
    """Open the files of a recognised source.

    Raises:
        TokenizerFileError: a file is missing, malformed or cut short, or they do not fit together.
    """
    folder = folder_of(source)
    is_ours = folder is not None and (folder / SETTINGS).is_file()
    settings = None if folder is None or is_ours else read_folder_settings(folder)
    try:
        return _load_bytes(source, overrides, settings)
    except TokenizerFileError:
        from engine.formats import vocab_without_bytes  # few files need it

        vocab, merges = files_of(source)
        if is_ours or merges is None or not vocab_without_bytes.lacks_bytes(vocab):
            raise
        return vocab_without_bytes.load(vocab, merges, settings, overrides, FORMAT.name)


def _load_bytes(
    source: TokenizerSource, overrides: Overrides, folder_settings: FolderSettings | None
) -> Opened:
    if folder_settings is None:
        found = read(source, overrides.special_tokens)
        # Files of this program name the pattern, and merges make each token.
        if found.pattern is None and found.has_merges:
            if len({token for token in found.vocab.values() if len(token) == 1}) < 256:
                raise TokenizerFileError(f"{found.place}: lacks some of the 256 bytes")
            found = replace(found, unmade=_never_made(found, found.vocab, overrides))
        return open_vocab_and_merges(found, overrides, FORMAT.name)
    from engine.formats.class_pipelines import with_defaults_of
    from engine.formats.tokenizer_classes import ByteClass, class_named_by

    cls, about = class_named_by(folder_settings, ByteClass)
    folder_settings = with_defaults_of(cls, folder_settings)
    found = replace(read(source, list(folder_settings.flags)), notes=about)
    if found.has_merges:
        return _load_with(folder_settings, cls, found, source, overrides)
    ids = folder_settings.token_ids(read_json(files_of(source)[0]))
    notes = [*about, *folder_settings.notes(found.vocab.keys() | ids.values())]
    found = replace(found, special_tokens=ids, notes=notes)
    return open_vocab_and_merges(found, overrides, FORMAT.name)


def _load_with(
    folder_settings: FolderSettings,
    cls: ByteClass | None,
    found: VocabAndMerges,
    source: TokenizerSource,
    overrides: Overrides,
) -> Opened:
    """Make a pipeline, which can follow the settings in the folder and the class they name."""
    # Imported late: the stages are many modules.
    from engine.formats.class_pipelines import completed, with_stages
    from engine.formats.own_pipelines import pre_tokenizer_of
    from engine.pipeline import decoders, models
    from engine.pipeline.added_tokens import AddedToken
    from engine.pipeline.as_tokenizer import tokenizer_of
    from engine.pipeline.pipeline import Pipeline

    found.check_merges()
    vocab: dict[str, int] = read_json(files_of(source)[0])
    well_formed("".join(vocab), f"{files_of(source)[0]}: vocab")
    numbered = folder_settings.token_ids(vocab)
    added_ids = set(numbered.values())
    others = {i: token for i, token in found.vocab.items() if i not in added_ids}
    never = _never_made(found, others, overrides)
    others = {i: token for i, token in others.items() if token not in never}
    unmade = find_special_tokens(found, others, overrides.special_tokens)
    if cls is not None:  # it knows its special tokens
        never |= {to_bytes(token): token for token in unmade}
        unmade = []
    likely = guesses.likely_pattern(others.values())
    pipeline = Pipeline(
        models.BPE({**vocab, **numbered}, [(spell(a), spell(b)) for a, b in found.merges]),
        tuple(map(AddedToken, unmade)),
        pre_tokenizer=pre_tokenizer_of(PATTERNS[likely], in_bytes=True),
        decoder=decoders.ByteLevel(),
    )
    if cls is None:
        pipeline = folder_settings.applied_to(pipeline)
    else:
        pipeline = completed(cls, folder_settings, with_stages(cls, folder_settings, pipeline))
    tokenizer = tokenizer_of(overridden(pipeline, overrides))
    notes = [
        *found.notes,
        *folder_settings.notes(tokenizer.vocab),
        *guesses.note_gaps(tokenizer.vocab),
        *(guesses.note_likely_pattern(overrides, likely, found.files) if cls is None else ()),
        *guesses.note_template(pipeline.template_tokens),
        *guesses.note_guessed_special_tokens(overrides, unmade),
        *guesses.note_unmade(never),
    ]
    return Opened(tokenizer, FORMAT.name, tuple(notes))


def _never_made(
    read: VocabAndMerges, vocab: Mapping[int, bytes], overrides: Overrides
) -> dict[bytes, str]:
    """Return the tokens that no merge makes, though merges make later ones: token → spelling.

    So the merges are not cut short; Qwen 3.5's vocabulary has 201 such tokens.
    """
    unmade = read.never_made
    special = set(map(to_bytes, overrides.special_tokens or ()))
    last = max((i for i, token in vocab.items() if len(token) > 1 and i not in unmade), default=-1)
    return {
        token: spell(token)
        for token_id, token in unmade.items()
        if token_id in vocab
        and token_id < last
        and token not in special
        and (overrides.special_tokens is not None or not is_bracketed(token))
    }


def save(tokenizer: Tokenizer, path: Path, overwrite: bool) -> None:
    check_plain(tokenizer, path)
    pattern, name = tokenizer.pattern, tokenizer.pattern.name
    if name != OWN and PATTERNS.get(name) != pattern:
        raise TokenizerFileError(
            f"{path}: the pattern {name!r} is not one of the named ones, and {SETTINGS} keeps "
            f"names and regexes; choose one of {', '.join(PATTERNS)}"
        )
    in_order = dict(sorted(tokenizer.vocab.items()))
    spellings = list(map(spell, in_order.values()))
    by_id = dict(zip(in_order, spellings, strict=True))
    by_id |= {token_id: in_order[token_id].decode() for token_id in tokenizer.special_ids}
    spelled = {token: token_id for token_id, token in by_id.items()}
    if len(spelled) < len(tokenizer.vocab):
        raise TokenizerFileError(
            f"{path}: two tokens have the same spelling, which {VOCAB} cannot hold; "
            "choose special tokens that no ordinary token equals"
        )
    spelling_of = dict(zip(in_order, spellings, strict=True)).__getitem__
    lefts, rights, *_ = columns_of(tokenizer.merge_table)
    pairs = zip(map(spelling_of, lefts), map(spelling_of, rights), strict=True)
    merges = [f"{VERSION} 0.2", *map(" ".join, pairs)]
    settings = {
        "pattern": pattern.source if name == OWN else name,
        "special_tokens": list(tokenizer.special_tokens),
    }
    lines = json.dumps(spelled, ensure_ascii=False, separators=(",\n", ": "))
    # The files are replaced in this order. As long as the settings are of another save than one of
    # the two other files, these two are of two saves themselves, which opening notices.
    contents = {
        path / VOCAB: f"{{\n{lines[1:-1]}\n}}\n".encode(),
        path / SETTINGS: json.dumps(settings, ensure_ascii=False, indent=2).encode() + b"\n",
        path / MERGES: "\n".join(merges).encode() + b"\n",
    }
    write_files(contents, overwrite=overwrite)


def _read_both(
    vocab: Path, merges: Path | None, special_tokens: Sequence[str]
) -> tuple[Mapping[int, bytes], Sequence[tuple[bytes, bytes]]]:
    """Return the vocabulary and the merges, by the kernel if all of it is plain."""
    if merges is None:
        return _read_vocab(vocab, special_tokens), []
    # A special token is spelled as itself, and a character beyond ASCII might spell a byte.
    if all(map(str.isascii, special_tokens)):
        lines = check_lines(merges, read_bytes(merges))
        if lines.startswith(b"#version"):
            lines = lines.partition(b"\n")[2]
        found = read_gpt2(check_values(vocab, read_bytes(vocab)), lines, BYTE_OF)
        if found is not None:
            table = MergeArrays(found.pairs, found.made)
            return found.tokens, MergesInIds(found.tokens, table, found.unmade)
    return _read_vocab(vocab, special_tokens), read_merges(merges, unspell)


def _read_vocab(path: Path, special_tokens: Sequence[str]) -> dict[int, bytes]:
    spelled = read_json(path)
    if not isinstance(spelled, dict) or not spelled:
        raise TokenizerFileError(f"{path}: is no JSON object of tokens and ids")
    # Special tokens are plain text; so is a token that is not in GPT-2's spelling.
    specials = set(special_tokens)
    tokens = [
        to_bytes(spelling) if token is None or spelling in specials else token
        for spelling, token in zip(spelled, unspell_all(list(spelled)), strict=True)
    ]
    ids = spelled.values()
    if set(map(type, ids)) == {int} and min(ids) >= 0 and len(set(ids)) == len(spelled):
        return dict(zip(ids, tokens, strict=True))
    known: set[int] = set()
    for spelling, token_id in spelled.items():  # find what to name in the error
        if not isinstance(token_id, int) or isinstance(token_id, bool) or token_id < 0:
            raise TokenizerFileError(
                f"{path}: the id of {spelling[:60]!r} is no whole number; a vocabulary like "
                'GPT-2\'s has tokens first, {"the": 262}'
            )
        if token_id in known:
            break
        known.add(token_id)
    what = f"the id {token_id} is given to two tokens, as if it were a count"
    raise TokenizerFileError(f"{path}: {what}")


FORMAT = TokenizerFormat(
    "gpt2",
    "GPT-2's vocab.json and merges.txt in a directory",
    recognises,
    load,
    save,
    read,
    files=(VOCAB, SETTINGS, MERGES),
)
