"""Tokenizer file formats: opening, saving and conversion.

To add a format, write a module with a `FORMAT` (see `tokenizer_format`) and add a line below: to
`_OF_FILES`, or to `_OF_NAMES` if it is opened by a name. A format that is written is a
`FormatName`, too. For a kind of file that is recognised but refused, add a line to a table in
`source`. This room imports `pipeline` and the rooms below it; `analysis` and the application import
it. `Tokenizer`, below, calls it through `tokenizer_files`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import NamedTuple, get_args

from engine.core.arguments import checked
from engine.core.drafts import temporary_folder
from engine.core.errors import TokenizerFileError
from engine.core.files import check_free, write_files
from engine.core.json_fields import gc_paused
from engine.core.registry import LoadedRegistry, Registry
from engine.encoding.alphabet import MissingMerges
from engine.encoding.extension import extended
from engine.encoding.tokenizer import Tokenizer
from engine.encoding.tokenizer_files import FormatName
from engine.formats.folder_settings import CONFIG, MODEL, SETTINGS_FILES
from engine.formats.proof import Kinds, prove
from engine.formats.source import (
    MOST_SHOWN,
    TokenizerSource,
    describe_unrecognised,
    files_in,
    known_kind,
)
from engine.formats.tokenizer_format import (
    Opened,
    Overrides,
    TokenizerFormat,
    VocabAndMerges,
    check_format_fits,
    renumbered,
)
from engine.formats.vocab_and_merges import open_vocab_and_merges
from engine.text.patterns import PatternLike
from engine.text.sources import describe_near_file

_OF_FILES = {
    "huggingface": "engine.formats.tokenizer_json:FORMAT",
    "sentencepiece": "engine.formats.sentencepiece_model:FORMAT",
    "gguf": "engine.formats.gguf:FORMAT",
    "gguf-fields": "engine.formats.gguf_fields:FORMAT",
    "tekken": "engine.formats.rank_files:TEKKEN",
    "bert-vocab": "engine.formats.bert_vocab:FORMAT",
    "clip": "engine.formats.clip:FORMAT",
    "subword-nmt": "engine.formats.codes:FORMAT",
    "tiktoken": "engine.formats.rank_files:TIKTOKEN",
    "minbpe": "engine.formats.minbpe:FORMAT",
    "course-text": "engine.formats.course_files:COURSE_TEXT",
    "course-json": "engine.formats.course_files:COURSE_JSON",
    "gpt2": "engine.formats.gpt2:FORMAT",
    "tiktoken-pickle": "engine.formats.tiktoken_pickle:FORMAT",
    "course-pickle": "engine.formats.course_files:COURSE_PICKLE",
}
"""Name of a format → its place; a module is imported when a file may be of its format."""
_OF_NAMES = {
    "tiktoken-name": "engine.formats.by_name:TIKTOKEN_NAME",
    "hf-name": "engine.formats.by_name:hub_format",
}
_OF_TWO_FILES = ("clip", "course-json", "gpt2", "course-pickle")
"""Formats that may recognise two files."""
_WITH_SIGNATURE = (*tuple(_OF_FILES)[:5], "tiktoken", "minbpe")
"""Formats whose first bytes no other file has; the others are recognised by their shape."""
_NAMED = (*_WITH_SIGNATURE, "gpt2")
"""Formats whose files, if they have these names and do not open, are what a folder means."""
__all__ = [
    "CONVERTIBLE",
    "DEFAULT_FORMAT",
    "FORMATS",
    "WRITABLE",
    "Conversion",
    "check_extensible",
    "convert",
    "is_half",
    "is_tokenizer",
    "open_tokenizer",
    "open_vocab_and_merges",
    "read_vocab_and_merges",
    "save",
    "writable_name",
]


def _load_format(place: str) -> TokenizerFormat:
    """Import a format; that of names on the hub opens what it has fetched with `open_tokenizer`."""
    module, _, name = place.partition(":")
    found = getattr(import_module(module), name)
    return found if isinstance(found, TokenizerFormat) else found(open_tokenizer)


FORMATS: LoadedRegistry[str, TokenizerFormat] = LoadedRegistry(
    "format", {**_OF_FILES, **_OF_NAMES}, _load_format
)
"""All formats, in the order in which they try to recognise a source."""
CONVERTIBLE: tuple[FormatName, ...] = get_args(FormatName)
"""Names of formats that are written."""
WRITABLE = tuple(name for name in CONVERTIBLE if name not in ("sentencepiece", "gguf-fields"))
"""Names of those that a training is usually saved in; the others are for other programs."""
DEFAULT_FORMAT = "gpt2"


def open_tokenizer(
    *paths: str | os.PathLike[str],
    special_tokens: Sequence[str] | None = None,
    pattern: PatternLike | None = None,
) -> Opened:
    """Open a tokenizer in any of the formats.

    Args:
        paths: a file, a directory, or vocabulary and merges; or the name of a known encoding.
        special_tokens, pattern: used instead of those in the files.

    Raises:
        TokenizerFileError: the files are missing or damaged, or no format recognises them.
    """
    source, overrides = TokenizerSource(paths), Overrides(special_tokens, pattern)
    if recognised := _recognised(source):
        format, found = recognised
        try:
            with gc_paused():
                opened = format.load(found, overrides)
        except TokenizerFileError as error:
            if source.folder is None or found is not source or format.name in _NAMED:
                raise
            opened, found = _only_other(source, format, overrides, error)
            opened = replace(
                opened, notes=(f"does not open, and is left out: {error}", *opened.notes)
            )
        if found is source:
            return opened
        names = " and ".join(path.name for path in found.paths)
        return replace(
            opened, notes=(f"found in the folder by its content: {names}", *opened.notes)
        )
    if not source.exists:
        missing = next(each for each in source.given if not os.path.exists(each))
        from engine.formats.by_name import describe_near_name  # for this error only

        hint = describe_near_file(missing) or describe_near_name(missing)
        raise TokenizerFileError(f"{source}: no such file or directory{hint}")
    raise TokenizerFileError(f"{source}: {describe_unrecognised(source)}")


def read_vocab_and_merges(
    *paths: str | os.PathLike[str], special_tokens: Sequence[str] | None = None
) -> tuple[VocabAndMerges, str] | None:
    """Read the vocabulary and merges of files, and the name of their format, without checking them.

    Returns:
        what `open_tokenizer` would make a tokenizer of; `None` if the format holds more than these
        two, or if no format recognises the files.

    Raises:
        TokenizerFileError: the files are damaged.
    """
    recognised = _recognised(TokenizerSource(paths))
    if recognised is None:
        return None
    format, source = recognised
    return None if format.read is None else (format.read(source, special_tokens), format.name)


def is_tokenizer(*paths: str | os.PathLike[str]) -> bool:
    """Whether some format recognises the files or the name; only the first bytes are read.

    A folder in which a file is found by its content is a model's, or holds nothing else. Otherwise
    it may be a corpus, or a place to look for files.

    Raises:
        TokenizerFileError: a file may not be read.
    """
    source = TokenizerSource(paths)
    if _format_of(source) is not None or source.folder is None:
        return _format_of(source) is not None
    found = _found_in(source.folder)
    own = {path for _, each in found for path in each.paths}
    others = [path for path in source.folder.iterdir() if path not in own]
    is_of_model = any(path.name in (CONFIG, MODEL) for path in others)
    return len(found) == 1 and (
        is_of_model or all(known_kind(TokenizerSource([path])) for path in others)
    )


def is_half(path: str | os.PathLike[str]) -> bool:
    """Whether a file may be a vocabulary or merges only: a half of a tokenizer, or none.

    Raises:
        TokenizerFileError: it may not be read.
    """
    format = _format_of(TokenizerSource([path]))
    return format is None or format.read is not None


def _recognised(source: TokenizerSource) -> tuple[TokenizerFormat, TokenizerSource] | None:
    """Return the format of a source, and the files to read; `None` if no format recognises it.

    Raises:
        TokenizerFileError: a folder has several tokenizers, or a file may not be read.
    """
    format = _format_of(source)
    if format is not None:
        return format, source
    if source.folder is None:
        return None
    match _found_in(source.folder):
        case []:
            return None
        case [found]:
            return found
        case several:
            names = ", ".join(each.paths[0].name for _, each in several[:MOST_SHOWN])
            raise TokenizerFileError(f"{source}: has several tokenizers; open one of them: {names}")


def _format_of(source: TokenizerSource) -> TokenizerFormat | None:
    """Return the first format that recognises a source as it is."""
    return next((each for each in _candidates(source) if each.recognises(source)), None)


Found = tuple[TokenizerFormat, TokenizerSource]


def _found_in(folder: Path) -> list[Found]:
    """Return the tokenizers among the files of a folder, whatever their names are.

    Other files change nothing: of several that look like a tokenizer, those count that open.
    """
    files = [path for path in files_in(folder) if path.name not in SETTINGS_FILES]
    merges = [path for path in files if "merges" in path.name]
    pairs = [(path, each) for each in merges for path in files if "vocab" in path.name]
    apart = [path for path in files if not (pairs and path in merges)]  # a vocabulary has their ids
    chosen = pairs if len(pairs) == 1 else [(path,) for path in apart]
    found: list[Found] = []
    for paths in chosen:
        source = TokenizerSource(paths, folder)
        # A file that is no JSON, although it begins so, is another kind of file.
        with suppress(TokenizerFileError):
            format = _format_of(source)
            found += [] if format is None else [(format, source)]
    if len(found) < 2:
        return found
    opening = [
        each for each in found if each[0].name in _WITH_SIGNATURE or _opened(each, Overrides())
    ]
    return opening or found


def _opened(found: Found, overrides: Overrides) -> Opened | None:
    """Return the tokenizer of files; `None` if they do not open, or encode no text."""
    with suppress(TokenizerFileError), gc_paused():
        opened = found[0].load(found[1], overrides)
        return None if isinstance(opened.tokenizer.alphabet, MissingMerges) else opened
    return None


def _only_other(
    source: TokenizerSource,
    failed: TokenizerFormat,
    overrides: Overrides,
    error: TokenizerFileError,
) -> tuple[Opened, TokenizerSource]:
    """Open the only tokenizer of a folder beside files that do not open in their format.

    Raises:
        TokenizerFileError: the error about these files, if there is no other tokenizer.
    """
    assert source.folder is not None
    formats = [FORMATS[name] for name in _OF_FILES if name != failed.name]
    others = [(each, source) for each in formats if each.recognises(source)]
    others += [each for each in _found_in(source.folder) if str(each[1]) not in str(error)]
    opening = [(opened, each[1]) for each in others if (opened := _opened(each, overrides))]
    if len(opening) != 1:
        raise error
    return opening[0]


def _candidates(source: TokenizerSource) -> Iterator[TokenizerFormat]:
    """Yield the formats that may recognise a source: of names only if no such file exists."""
    names: Iterable[str] = _OF_FILES if len(source.given) == 1 else _OF_TWO_FILES
    if not source.exists:
        names = _OF_NAMES
    elif known_kind(source) is not None:
        names = ()
    return map(FORMATS.__getitem__, names)


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
        TokenizerFileError: the format cannot hold this tokenizer, or is only read.
        OutputExistsError: the file exists and `overwrite` is false.
    """
    chosen = FORMATS[writable_name(format or DEFAULT_FORMAT)]
    assert chosen.save is not None  # it is writable
    check_format_fits(tokenizer, Path(path), chosen)
    if renumber and chosen.prescribes_ids:
        tokenizer = renumbered(tokenizer)
    chosen.save(tokenizer, Path(path), overwrite)


def writable_name(name: str) -> FormatName:
    """Return a name of a format that can be written.

    Raises:
        UnknownNameError: no format has this name.
        TokenizerFileError: the format is only read.
    """
    if name in FORMATS and name not in CONVERTIBLE:
        raise TokenizerFileError(
            f"the format {name} is only read; choose one of {', '.join(CONVERTIBLE)}"
        )
    return Registry("format", dict.fromkeys(CONVERTIBLE)).name_of(name)


def check_extensible(
    tokenizer: Tokenizer, path: str | os.PathLike[str], format: FormatName
) -> None:
    """Check that a format can hold a tokenizer with more merges, before these are learnt.

    A tokenizer with one more merge is written to a temporary place.

    Args:
        path: the path that errors name.

    Raises:
        TokenizerFileError: the format cannot hold it with its ids.
    """
    ids = tokenizer.alphabet.token_ids
    known = set(tokenizer.vocab.values())
    pairs = ((left, right) for left in ids for right in ids)
    new = ((a, b) for a, b in pairs if tokenizer.vocab[a] + tokenizer.vocab[b] not in known)
    merge = next(((pair, 1 + max(tokenizer.vocab)) for pair in new), None)
    longer = tokenizer if merge is None else extended(tokenizer, [merge])
    try:
        with _draft_of(path) as draft:
            save(longer, draft, format)
    except TokenizerFileError as error:
        raise TokenizerFileError(f"{error}; --format huggingface keeps all ids") from None


@contextmanager
def _draft_of(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield a temporary place for files; errors name the path instead."""
    with temporary_folder() as place:
        draft = place / "tokenizer"
        try:
            yield draft
        except TokenizerFileError as error:
            raise TokenizerFileError(str(error).replace(str(draft), str(path))) from error


# Conversion
#
# A conversion never gives a different tokenizer silently. The new files are first written into a
# temporary directory and opened again. The result must encode like the original, as far as the
# format can describe it; only then are the files written to their place. Notes name everything
# that the format does not keep.


class Conversion(NamedTuple):
    """A tokenizer in another format.

    Attributes:
        losses: the properties that the format does not keep, a sentence each.
        texts: the number of texts that have the same ids in both.
        libraries: the libraries that give these ids, too.
    """

    losses: tuple[str, ...]
    texts: int
    libraries: tuple[str, ...]


@checked
def convert(
    tokenizer: Tokenizer,
    format: FormatName,
    path: str | os.PathLike[str],
    *,
    overwrite: bool = False,
) -> Conversion:
    """Write a tokenizer in a format, and prove with many texts that the files give the same ids.

    Args:
        format: a name in `FORMATS`, of one that is written.
        path: the file, or the directory of the files.
        overwrite: whether an existing file may be replaced.

    Raises:
        ConversionError: the files would give another tokenizer; nothing is written.
        TokenizerFileError: the format cannot hold this tokenizer, or is only read.
        OutputExistsError: the file exists and `overwrite` is false.
        UnknownNameError: no format has this name.
    """
    if not overwrite:
        check_free(Path(path))
    written = FORMATS[format].written
    with gc_paused(), _draft_of(path) as draft:
        save(tokenizer, draft, format)
        conversion = _proved(tokenizer, draft, FORMATS[format])
        drafts = (each.read_bytes() for each in written(draft))
        write_files(dict(zip(written(Path(path)), drafts, strict=True)), overwrite=overwrite)
    return conversion


def _proved(tokenizer: Tokenizer, draft: Path, format: TokenizerFormat) -> Conversion:
    """Prove that files hold a tokenizer but for the properties that the format does not keep.

    Raises:
        ConversionError: even with these properties given, the files are another tokenizer.
    """
    name, read = format.name, open_tokenizer(draft).tokenizer
    keeps_pattern = format.keeps_stages or read.pattern.source == tokenizer.pattern.source
    lost = _steering(tokenizer, read)
    found = _steering(read, tokenizer)
    keeps_special = not lost and (format.keeps_stages or not found)
    completed = read
    if not (format.keeps_stages or (keeps_pattern and keeps_special)):
        completed = open_tokenizer(
            draft,
            special_tokens=None if keeps_special else tokenizer.special_tokens,
            pattern=None if keeps_pattern else tokenizer.pattern,
        ).tokenizer
    libraries = () if format.library is None else format.library(draft, tokenizer)
    kinds: Kinds = {}
    if format.keeps_stages:
        from engine.formats.sentencepiece_stages import kinds_apart  # many modules

        kinds = kinds_apart(tokenizer, read)
    proof = prove(tokenizer, completed, name, libraries, kinds, without=(*lost, *found))
    losses = []
    if not keeps_pattern:
        losses.append(
            f"{name} does not keep the pattern {tokenizer.pattern.name!r}; "
            "give it when you open the files"
        )
    if not keeps_special:
        special = ", ".join(lost) or "none"
        losses.append(
            f"{name} does not keep which tokens are special ({special}); "
            "name them when you open the files"
        )
    elif found:
        shown = " ".join(found[:MOST_SHOWN]) + " …" * (len(found) > MOST_SHOWN)
        losses.append(f"its control symbols are found in a text by {name}: {shown}")
    names = tuple(each.name for each in libraries)
    return Conversion((*losses, *proof.losses), proof.texts, names)


def _steering(tokenizer: Tokenizer, other: Tokenizer) -> list[str]:
    """Return the special tokens, but for symbols, that another tokenizer lacks."""
    known = {*other.special_tokens, *tokenizer.added_tokens}
    return [text for text in tokenizer.special_tokens if text not in known]
