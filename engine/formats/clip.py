"""CLIP's merges of bytes; `</w>` follows the last byte of a word.

    "bpe_simple_vocab_16e6.txt#version: 0.2        {"!": 0, …, "!</w>": 256, …, "in": 512, …}
    i n
    t h

On the left OpenAI's `bpe_simple_vocab_16e6.txt.gz`, which lists only merges; on the right the
`vocab.json` of a directory that also has `merges.txt`. OpenAI's vocabulary is the 256 bytes in
GPT-2's spelling, the same with `</w>`, the tokens of the first 48,894 merges, and two special
tokens. Texts are lower-cased and normalized to NFC, whitespace is dropped, and a digit is a word.
CLIP's use of ftfy and of HTML entities is left out. The settings in the folder are used too.

Source: `clip/simple_tokenizer.py` of openai/CLIP.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from engine.core.errors import TokenizerFileError, errors_at
from engine.core.gpt2_bytes import BYTE_TO_CHAR, CHAR_TO_BYTE
from engine.formats import gpt2
from engine.formats.codes import SUFFIX, TextMerges, are_codes
from engine.formats.folder_settings import read_folder_settings
from engine.formats.guesses import note_gaps
from engine.formats.source import TokenizerSource, read_head, read_json, read_lines
from engine.formats.tokenizer_format import Opened, Overrides, TokenizerFormat
from engine.formats.tokenizer_json import overridden

if TYPE_CHECKING:
    from engine.pipeline.pipeline import Pipeline

_CLIP_NAME = "bpe_simple_vocab"
_FIRST_LINE = re.compile(rb'"?' + _CLIP_NAME.encode())
MOST_MERGES = 49_152 - 256 - 2
START, END = SPECIAL_TOKENS = "<|startoftext|>", "<|endoftext|>"
_CLIP_WORDS = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+"


def recognises(source: TokenizerSource) -> bool:
    """Whether the first line has the name of OpenAI's file, or the merges have `</w>`."""
    if source.only_file is not None and _FIRST_LINE.match(source.heads[0]):
        return True
    both = gpt2.both_files(source)
    return both is not None and are_codes(read_head(both[1]))


def load(source: TokenizerSource, overrides: Overrides) -> Opened:
    """Open OpenAI's file, or a vocabulary and merges.

    Raises:
        TokenizerFileError: a line is no merge, or the vocabulary is not CLIP's.
    """
    from engine.pipeline.as_tokenizer import tokenizer_of

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
    return Opened(tokenizer, FORMAT.name, tuple(notes))


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


FORMAT = TokenizerFormat("clip", "CLIP's merges with </w>", recognises, load)
