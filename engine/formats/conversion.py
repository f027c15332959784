"""A tokenizer from one format into another, never silently into a different tokenizer.

The new files are written into a directory of their own first and opened again. What comes back
has to encode like the original, as far as the format can say what it is; only then are the files
written where they belong. What the format cannot say is told, so that nobody loses it unawares.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from engine.core.errors import ConversionError, TokenizerFileError
from engine.core.files import check_free
from engine.encoding.tokenizer import Tokenizer
from engine.formats import open_tokenizer, save, writable_format
from engine.formats.writing import check_sayable, renumbered

PROBE = (
    "The quick brown fox doesn't jump over 1234567 lazy dogs, DOESN'T it?\n\n\tdef f(x):\r\n"
    "        return x+=1;  // naïve façade…   \nДобрый день, мир! Γειά σου. 你好,世界。こんにちは "
    "안녕하세요 שלום مرحبا नमस्ते สวัสดี 🙂👩‍👩‍👧 e\u0301 \u00a0\u3000x"
)
PROBED_TOKENS = 5000
"""Tokens of the vocabulary that are encoded besides, spread over all of it."""


def convert(
    tokenizer: Tokenizer,
    format: str,
    path: str | os.PathLike[str],
    *,
    overwrite: bool = False,
    renumber: bool = False,
) -> tuple[str, ...]:
    """Write a tokenizer in a format, checked.

    Returns:
        what the format does not keep, a sentence each.

    Args:
        renumber: give its tokens new ids if the format prescribes them: see `renumbered`.

    Raises:
        ConversionError: what was written reads as another tokenizer; nothing is left behind.
        TokenizerFileError: the format cannot say what the tokenizer is, or is only read.
        OutputExistsError: something is there and `overwrite` is false.
        UnknownNameError: there is no such format.
    """
    if not overwrite:
        check_free(Path(path))
    wanted = writable_format(format)
    check_sayable(tokenizer, Path(path), wanted)
    if renumber and wanted.prescribes_ids:
        tokenizer = renumbered(tokenizer)
    with tempfile.TemporaryDirectory(prefix="bpe-tui-") as place:
        draft = Path(place) / (Path(path).name or "tokenizer")
        try:
            save(tokenizer, draft, format)
            notes = tuple(_losses(tokenizer, draft, format))
        except TokenizerFileError as error:  # tell of the place that was asked for
            raise TokenizerFileError(str(error).replace(str(draft), str(path))) from error
    save(tokenizer, path, format, overwrite=overwrite)
    return notes


def _losses(tokenizer: Tokenizer, draft: Path, format: str) -> Iterator[str]:
    """What the files leave open, such as a pattern that the format does not keep; a sentence each.

    Raises:
        ConversionError: read with all this given, the files are still another tokenizer.
    """
    read = open_tokenizer(draft).tokenizer
    keeps_pattern = read.pattern.source == tokenizer.pattern.source
    keeps_special = _specials(read) == _specials(tokenizer)
    completed = open_tokenizer(
        draft,
        special_tokens=None if keeps_special else tokenizer.special_tokens,
        pattern=None if keeps_pattern else tokenizer.pattern,
    ).tokenizer
    _check_same(tokenizer, completed, format)
    if not keeps_pattern:
        yield (
            f"{format} does not keep the pattern {tokenizer.pattern.name!r}; "
            "say it when you open the files"
        )
    if not keeps_special:
        said = ", ".join(tokenizer.special_tokens) or "none"
        yield f"{format} does not keep which tokens are special ({said}); say it when you open them"
    if lost := len(tokenizer.vocab) - len(completed.vocab):
        yield f"{lost:,} tokens that encoding never gives are not kept"


def _specials(tokenizer: Tokenizer) -> dict[int, bytes]:
    return {token_id: tokenizer.vocab[token_id] for token_id in tokenizer.special_ids}


def _check_same(tokenizer: Tokenizer, read: Tokenizer, format: str) -> None:
    """Raises `ConversionError` if a text shows that the two are not the same tokenizer."""
    for text in _probes(tokenizer):
        ids, other = tokenizer.encode(text), read.encode(text)
        if ids != other:
            place = next(
                (n for n, (a, b) in enumerate(zip(ids, other, strict=False)) if a != b),
                min(len(ids), len(other)),
            )
            near = tokenizer.decode(ids[max(place - 2, 0) : place + 3])
            raise ConversionError(
                f"{format} cannot hold this tokenizer: read again it encodes {near!r} differently, "
                "so nothing is written; choose another format"
            )
        if read.decode_bytes(other) != tokenizer.decode_bytes(ids):
            raise ConversionError(
                f"{format} cannot hold this tokenizer: read again some ids are other bytes, "
                "so nothing is written; choose another format"
            )


def _probes(tokenizer: Tokenizer) -> Iterator[str]:
    """Texts of many kinds, the special tokens, and tokens of the vocabulary one after another."""
    yield PROBE
    yield "x".join(("", *tokenizer.special_tokens, ""))
    ids = sorted(tokenizer.vocab)
    chosen = ids[:: max(len(ids) // PROBED_TOKENS, 1)]
    yield tokenizer.decode(chosen)
    yield "\n".join(tokenizer.decode([token_id]) for token_id in chosen)
