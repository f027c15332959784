r"""Merges with `</w>` at the end of a word: codes of subword-nmt and fastBPE, and CLIP's files.

**Codes** are merges of characters:

    #version: 0.2          e s 5
    e s                    es t</w> 4
    es t</w>

On the left subword-nmt's; on the right fastBPE's, without a version but with the count of each
merge. Such a file has no ids; ours number `<unk>`, the characters of the merges without and with
`</w>`, and what each merge makes. Codes with neither version nor counts are subword-nmt's version
0.1, in which `</w>` is a token of its own that merges like any other. If a merge occurs twice, the
first is used.

**CLIP** merges bytes, and `</w>` follows the last byte of a word:

    "bpe_simple_vocab_16e6.txt#version: 0.2        {"!": 0, …, "!</w>": 256, …, "in": 512, …}
    i n
    t h

On the left OpenAI's `bpe_simple_vocab_16e6.txt.gz`, which lists only merges; on the right the
`vocab.json` of a directory that also has `merges.txt`. OpenAI's vocabulary is the 256 bytes in
GPT-2's spelling, the same with `</w>`, the tokens of the first 48,894 merges, and two special
tokens. Texts are lower-cased and normalized to NFC, whitespace is dropped, and a digit is a word.
CLIP's use of ftfy and of HTML entities is left out. The settings in the folder are used too.

Sources: `apply_bpe.py` of rsennrich/subword-nmt, `fastBPE.hpp` of glample/fastBPE,
`clip/simple_tokenizer.py` of openai/CLIP.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from engine.core.errors import TokenizerFileError, errors_at
from engine.core.gpt2_bytes import BYTE_TO_CHAR, CHAR_TO_BYTE
from engine.encoding.alphabet import END_OF_WORD, UNKNOWN, CharacterAlphabet, WordEndAlphabet
from engine.encoding.tokenizer import Tokenizer
from engine.formats import gpt2
from engine.formats.folder_settings import read_folder_settings
from engine.formats.guesses import note_gaps
from engine.formats.source import TokenizerSource, read_head, read_json, read_lines
from engine.formats.tokenizer_format import Opened, Overrides, TokenizerFormat
from engine.formats.tokenizer_json import overridden
from engine.text.patterns import own_pattern
from engine.text.pretokenize import to_bytes

if TYPE_CHECKING:
    from engine.pipeline.pipeline import Pipeline

SUFFIX = END_OF_WORD.decode()
_UNK = UNKNOWN.decode()
_VERSION = re.compile(r"#version: *([0-9.]+)\s*")
_MERGE = re.compile(rb"[^\s]+ [^\s]+(?: \d+)? *\r?")
_SUFFIXED = re.compile(rb"</w>(?: |\r?$)", re.MULTILINE)
_BETWEEN_WORDS = r"[ \r\n]+"


@dataclass(frozen=True)
class Codes:
    """The content of a file of codes.

    Attributes:
        merges: pairs of tokens in order of rank, none twice.
        is_apart: whether `</w>` is a token of its own.
        has_counts: whether each line ends in a count, as in fastBPE.
        characters: the characters of the merges, in order of code points.
    """

    merges: Sequence[tuple[str, str]]
    is_apart: bool
    has_counts: bool
    characters: Sequence[str]


def recognises_codes(source: TokenizerSource) -> bool:
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


def load_codes(source: TokenizerSource, overrides: Overrides) -> Opened:
    """Open a file of codes.

    Raises:
        TokenizerFileError: a line is no merge, or a pattern was given.
    """
    path = source.paths[0]
    codes = read_codes(path)
    if overrides.pattern is not None:
        raise TokenizerFileError(
            f"{path}: codes with </w> cut a text at its spaces, so no pattern can be given"
        )
    special_tokens = overrides.special_tokens or ()
    make = _with_symbol if codes.is_apart else _with_suffix
    maker = "fastBPE" if codes.has_counts else f"subword-nmt {'0.1' if codes.is_apart else '0.2'}"
    notes = (
        f"codes of {maker}, which have no ids; here these are <unk>, the characters without and "
        "with </w>, then the merges",
        "words end at spaces; a character that occurs in no merge is <unk>",
    )
    return Opened(make(codes, special_tokens), CODES.name, notes)


def read_codes(path: Path) -> Codes:
    """Read the merges of a file.

    Raises:
        TokenizerFileError: a line is not two tokens, or two and a count.
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
    # 0.2.0 is 0.2, but 0.10 is not 0.1. Without a line of version it is the oldest.
    known = re.sub(r"(\.0+)*$", "", version[1]) if version else "0.1"
    if version and known not in ("0.1", "0.2"):
        raise TokenizerFileError(f"{path}: is of version {version[1]}; known are 0.1 and 0.2")
    is_apart = not has_counts and known == "0.1"
    tokens = chain.from_iterable(merges)
    characters = set().union(*(token.removesuffix(SUFFIX) for token in tokens))
    return Codes(list(merges), is_apart, has_counts, sorted(characters))


def _with_suffix(codes: Codes, special_tokens: Sequence[str]) -> Tokenizer:
    """Make the tokenizer in which `</w>` belongs to the last character."""
    # Imported late: the stages are many modules.
    from engine.pipeline import conversion, decoders, models, pretokenizers
    from engine.pipeline.added_tokens import AddedToken
    from engine.pipeline.oniguruma import TextOrRegex
    from engine.pipeline.pipeline import Pipeline

    vocab = {_UNK: 0}
    for token in (
        *codes.characters,
        *(character + SUFFIX for character in codes.characters),
        *chain.from_iterable((left + right, left, right) for left, right in codes.merges),
    ):
        vocab.setdefault(token, len(vocab))
    return conversion.tokenizer_of(
        Pipeline(
            models.BPE(vocab, codes.merges, unk_token=_UNK, end_of_word_suffix=SUFFIX),
            tuple(map(AddedToken, special_tokens)),
            pre_tokenizer=pretokenizers.Split(TextOrRegex(regex=_BETWEEN_WORDS), "Removed"),
            decoder=decoders.BPEDecoder(SUFFIX),
        )
    )


def _with_symbol(codes: Codes, special_tokens: Sequence[str]) -> Tokenizer:
    """Make the tokenizer in which `</w>` is a token; its vocab has `est ` for `est</w>`."""
    ids = {_UNK: 0}
    for token in (*codes.characters, SUFFIX):
        ids.setdefault(token, len(ids))
    for left, right in codes.merges:
        for token in (left + right, left, right):
            ids.setdefault(token, len(ids))
    vocab = {
        token_id: to_bytes(token.removesuffix(SUFFIX) + " " * token.endswith(SUFFIX))
        for token, token_id in ids.items()
    }
    table = {
        (ids[left], ids[right]): (rank, ids[left + right])
        for rank, (left, right) in enumerate(codes.merges)
    }
    characters = {character: ids[character] for character in codes.characters}
    alphabet = WordEndAlphabet(CharacterAlphabet(characters, unknown=0), marker=ids[SUFFIX])
    special_ids = {token: len(ids) + place for place, token in enumerate(special_tokens)}
    return Tokenizer(
        vocab,
        [(vocab[left], vocab[right]) for left, right in table],
        special_ids,
        own_pattern(r"[^ \r\n]+|[ \r\n]+"),
        alphabet=alphabet,
        table=table,
    )


CODES = TokenizerFormat(
    "subword-nmt", "codes of subword-nmt or fastBPE, with </w>", recognises_codes, load_codes
)


# CLIP

_CLIP_NAME = "bpe_simple_vocab"
_FIRST_LINE = re.compile(rb'"?' + _CLIP_NAME.encode())
MOST_MERGES = 49_152 - 256 - 2
START, END = SPECIAL_TOKENS = "<|startoftext|>", "<|endoftext|>"
_CLIP_WORDS = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+"

TextMerges = Sequence[tuple[str, str]]


def recognises_clip(source: TokenizerSource) -> bool:
    """Whether the first line has the name of OpenAI's file, or the merges have `</w>`."""
    if source.only_file is not None and _FIRST_LINE.match(source.heads[0]):
        return True
    both = gpt2.both_files(source)
    return both is not None and are_codes(read_head(both[1]))


def load_clip(source: TokenizerSource, overrides: Overrides) -> Opened:
    """Open OpenAI's file, or a vocabulary and merges.

    Raises:
        TokenizerFileError: a line is no merge, or the vocabulary is not CLIP's.
    """
    from engine.pipeline.conversion import tokenizer_of

    both, folder = gpt2.both_files(source), gpt2.folder_of(source)
    folder_settings = read_folder_settings(folder) if both else None
    if both is None:
        vocab, merges = _read_file(source.paths[0])
    else:
        vocab, merges = _read_vocab(both[0]), _read_merges(both[1], read_lines(both[1]))
        _check_merges(both[1], vocab, merges)
    numbered = {} if folder_settings is None else folder_settings.token_ids(vocab)
    pipeline = _pipeline({**vocab, **numbered}, merges)
    if folder_settings is not None:
        pipeline = folder_settings.applied_to(pipeline)
    tokenizer = tokenizer_of(overridden(pipeline, overrides))
    notes = [
        "recognised as CLIP's, with its lower case, its pattern and special tokens; what ftfy and "
        "HTML's entities would change in a text is left as it is",
        *(() if folder_settings is None else folder_settings.notes(tokenizer.vocab)),
        *note_gaps(tokenizer.vocab),
    ]
    return Opened(tokenizer, CLIP.name, tuple(notes))


def _read_file(path: Path) -> tuple[dict[str, int], TextMerges]:
    """Read vocabulary and merges of OpenAI's file.

    As in CLIP, an empty last line takes an id, a token that two merges make has the id of the
    later, and merges after the 48,894th are not read.
    """
    lines = read_lines(path)[: MOST_MERGES + 1]
    merges = _read_merges(path, lines)
    tokens = list(BYTE_TO_CHAR.values())
    tokens += [character + SUFFIX for character in tokens]
    tokens += [left + right for left, right in merges]
    tokens += [""] * (not lines[-1])
    vocab = {token: token_id for token_id, token in enumerate([*tokens, *SPECIAL_TOKENS])}
    vocab.pop("", None)
    return vocab, [pair for pair in merges if vocab.keys() >= set(pair)]


def _read_merges(path: Path, lines: Sequence[str]) -> TextMerges:
    """Read the merges after the first line."""
    merges: list[tuple[str, str]] = []
    for number, line in enumerate(lines[1:], start=2):
        parts = line.split()
        if not line and number == len(lines):
            continue
        if len(parts) != 2 or not set("".join(parts)) <= CHAR_TO_BYTE.keys():
            raise TokenizerFileError(
                f"{path}: line {number} is not two tokens in GPT-2's stand-ins with a space "
                f"between: {line[:60]!r}"
            )
        merges.append((parts[0], parts[1]))
    return merges


def _read_vocab(path: Path) -> dict[str, int]:
    from engine.core.json_fields import Fields
    from engine.pipeline.models import read_vocab

    content = read_json(path)
    if not isinstance(content, dict):
        raise TokenizerFileError(f"{path}: is no JSON object of tokens and ids")
    with errors_at(path):
        vocab = read_vocab(Fields({"vocab": content}), "vocab")
    needed = (char + end for char in BYTE_TO_CHAR.values() for end in ("", SUFFIX))
    if missing := [token for token in needed if token not in vocab]:
        raise TokenizerFileError(
            f"{path}: has </w>, and is not CLIP's, which has each byte without and with it "
            f"({missing[0]!r} is missing); open the tokenizer.json of the same model"
        )
    return vocab


def _check_merges(path: Path, vocab: Mapping[str, int], merges: TextMerges) -> None:
    for number, (left, right) in enumerate(merges, start=1):
        for token in (left, right, left + right):
            if token not in vocab:
                raise TokenizerFileError(
                    f"{path}: merge {number:,} ({left[:60]} {right[:60]}) needs the token "
                    f"{token[:60]!r}, which the vocabulary does not have; do they belong together?"
                )


def _pipeline(vocab: Mapping[str, int], merges: TextMerges) -> Pipeline:
    # Imported late: the stages are many modules.
    from engine.pipeline import decoders, models, normalizers, pretokenizers
    from engine.pipeline.added_tokens import AddedToken
    from engine.pipeline.oniguruma import TextOrRegex
    from engine.pipeline.pipeline import Pipeline

    one_space = normalizers.Replace(TextOrRegex(regex=r"\s+"), " ")
    return Pipeline(
        models.BPE(vocab, merges, unk_token=END, end_of_word_suffix=SUFFIX),
        tuple(AddedToken(token, normalized=True) for token in SPECIAL_TOKENS if token in vocab),
        normalizer=normalizers.Sequence([normalizers.NFC(), one_space, normalizers.Lowercase()]),
        pre_tokenizer=pretokenizers.Sequence(
            [
                pretokenizers.Split(TextOrRegex(regex=_CLIP_WORDS), "Removed", invert=True),
                pretokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
            ]
        ),
        decoder=decoders.Sequence(
            [decoders.ByteLevel(), decoders.Replace(TextOrRegex(text=SUFFIX), " ")]
        ),
    )


CLIP = TokenizerFormat("clip", "CLIP's merges with </w>", recognises_clip, load_clip)
