"""Codes of subword-nmt and fastBPE: merges of characters, with `</w>` at the end of a word.

    #version: 0.2          e s 5
    e s                    es t</w> 4
    es t</w>

On the left subword-nmt's; on the right fastBPE's, without a version but with the count of each
merge. Such a file has no ids; ours number `<unk>`, the characters of the merges without and with
`</w>`, and what each merge makes. If a merge occurs twice, the first is used.

Sources: `apply_bpe.py` of rsennrich/subword-nmt, `fastBPE.hpp` of glample/fastBPE.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import chain
from pathlib import Path

from engine.core.errors import TokenizerFileError
from engine.encoding.alphabet import END_OF_WORD, UNKNOWN
from engine.encoding.tokenizer import Tokenizer
from engine.formats.source import TokenizerSource, read_lines
from engine.formats.tokenizer_format import Opened, Overrides, TokenizerFormat

SUFFIX = END_OF_WORD.decode()
_UNK = UNKNOWN.decode()
_VERSION = re.compile(r"#version: *([0-9.]+)\s*")
_MERGE = re.compile(rb"[^\s]+ [^\s]+(?: \d+)? *\r?")
_SUFFIXED = re.compile(rb"</w>(?: |\r?$)", re.MULTILINE)
_BETWEEN_WORDS = r"[ \r\n]+"

TextMerges = Sequence[tuple[str, str]]


def recognises(source: TokenizerSource) -> bool:
    path = source.only_file
    if path is None or (path.name == "merges.txt" and path.with_name("vocab.json").is_file()):
        return False  # the merges of a vocabulary that has ids, such as CLIP's
    return are_codes(source.heads[0])


def are_codes(head: bytes) -> bool:
    """Whether a file with this beginning holds merges, and a token ends in `</w>`.

    >>> are_codes(b"#version: 0.2\\ne s\\nes t</w>\\n"), are_codes(b"#version: 0.2\\ne s\\n")
    (True, False)
    """
    lines = head.split(b"\n")[:-1] or [head]  # the last line may be incomplete
    if b"#version:" in lines[0]:
        del lines[0]
    return all(map(_MERGE.fullmatch, lines)) and any(map(_SUFFIXED.search, lines))


def load(source: TokenizerSource, overrides: Overrides) -> Opened:
    """Open a file of codes.

    Raises:
        TokenizerFileError: a line is no merge, or a pattern was given.
    """
    path = source.paths[0]
    merges, has_counts = read_codes(path)
    if overrides.pattern is not None:
        raise TokenizerFileError(
            f"{path}: codes with </w> cut a text at its spaces, so no pattern can be given"
        )
    special_tokens = overrides.special_tokens or ()
    maker = "fastBPE" if has_counts else "subword-nmt 0.2"
    notes = (
        f"codes of {maker}, which have no ids; here these are <unk>, the characters without and "
        "with </w>, then the merges",
        "words end at spaces; a character that occurs in no merge is <unk>",
    )
    return Opened(_tokenizer_of(merges, special_tokens), FORMAT.name, notes)


def read_codes(path: Path) -> tuple[TextMerges, bool]:
    """Return the merges of a file, none twice, and whether each has a count, as in fastBPE.

    Raises:
        TokenizerFileError: a line is not two tokens, or two and a count; it is of version 0.1.
    """
    lines = read_lines(path)
    version = _VERSION.fullmatch(lines[0])
    while lines and not lines[-1]:
        del lines[-1]
    merges: dict[tuple[str, str], None] = {}
    widths: set[int] = set()
    for number, line in enumerate(lines, start=1):
        if number == 1 and version:
            continue
        parts = line.strip(" \r").split(" ")
        is_merge = len(parts) == 2 or (len(parts) == 3 and parts[2].isdecimal())
        widths.add(len(parts))
        if not is_merge or len(widths) > 1 or not all(parts):
            raise TokenizerFileError(
                f"{path}: line {number} is not two tokens with a space between: {line[:60]!r}"
            )
        merges[parts[0], parts[1]] = None
    if not merges:
        raise TokenizerFileError(f"{path}: has no merges")
    has_counts = widths == {3}
    if version and re.sub(r"(\.0+)*$", "", version[1]) != "0.2":  # 0.2.0 is 0.2
        raise TokenizerFileError(f"{path}: is of version {version[1]}; only 0.2 is known")
    if not version and not has_counts:
        raise TokenizerFileError(
            f"{path}: has neither version nor counts, as codes of subword-nmt 0.1, where </w> "
            "merges by itself; if it is a part of characters, let `#version: 0.2` be the first line"
        )
    return list(merges), has_counts


def _tokenizer_of(merges: TextMerges, special_tokens: Sequence[str]) -> Tokenizer:
    """Make the tokenizer, in which `</w>` belongs to the last character."""
    # Imported late: the stages are many modules.
    from engine.pipeline import decoders, models, pretokenizers
    from engine.pipeline.added_tokens import AddedToken
    from engine.pipeline.as_tokenizer import tokenizer_of
    from engine.pipeline.oniguruma import TextOrRegex
    from engine.pipeline.pipeline import Pipeline

    parts = chain.from_iterable(merges)
    characters = sorted(set().union(*(part.removesuffix(SUFFIX) for part in parts)))
    vocab = {_UNK: 0}
    for token in (
        *characters,
        *(character + SUFFIX for character in characters),
        *chain.from_iterable((left + right, left, right) for left, right in merges),
    ):
        vocab.setdefault(token, len(vocab))
    return tokenizer_of(
        Pipeline(
            models.BPE(vocab, merges, unk_token=_UNK, end_of_word_suffix=SUFFIX),
            tuple(map(AddedToken, special_tokens)),
            pre_tokenizer=pretokenizers.Split(TextOrRegex(regex=_BETWEEN_WORDS), "Removed"),
            decoder=decoders.BPEDecoder(SUFFIX),
        )
    )


FORMAT = TokenizerFormat(
    "subword-nmt", "codes of subword-nmt or fastBPE, with </w>", recognises, load
)
