r"""CLIP's vocabulary: merges of bytes, with `</w>` behind the last byte of a word.

    "bpe_simple_vocab_16e6.txt#version: 0.2        {"!": 0, …, "!</w>": 256, …, "in": 512, …}
    i n
    t h

Left OpenAI's own file, `bpe_simple_vocab_16e6.txt.gz`; right the `vocab.json` of a directory that
also has `merges.txt`. OpenAI's file lists merges only. Its vocabulary are the 256 bytes in GPT-2's
stand-ins, the same with `</w>`, what the first 48,894 merges make, and two special tokens.

Texts are put in lower case, whitespace counts for nothing, and a digit is a word. What CLIP does
before that with ftfy and with HTML's entities is left out, but for Unicode's form NFC. The files of
Hugging Face beside the two count, too: see `beside`.

Source: `clip/simple_tokenizer.py` of openai/CLIP.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from engine.core.errors import TokenizerFileError
from engine.core.gpt2_bytes import BYTE_TO_CHAR, CHAR_TO_BYTE
from engine.formats import gpt2
from engine.formats.beside import read_beside
from engine.formats.codes import SUFFIX, are_codes
from engine.formats.guesses import note_gaps
from engine.formats.source import Source, read_head, read_json, read_lines
from engine.formats.tokenizer_format import Opened, Overrides, TokenizerFormat

if TYPE_CHECKING:
    from engine.pipeline.pipeline import Pipeline

NAME = "bpe_simple_vocab"
_FIRST_LINE = re.compile(rb'"?' + NAME.encode())
MOST_MERGES = 49_152 - 256 - 2
START, END = SPECIAL_TOKENS = "<|startoftext|>", "<|endoftext|>"
WORDS = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+"

Merges = Sequence[tuple[str, str]]


def recognises(source: Source) -> bool:
    """OpenAI's file says its own name in the first line; among merges `</w>` tells."""
    if source.only_file is not None and _FIRST_LINE.match(source.heads[0]):
        return True
    both = gpt2.both_files(source)
    return both is not None and are_codes(read_head(both[1]))


def load(source: Source, overrides: Overrides) -> Opened:
    """The tokenizer of the file, or of the two files.

    Raises:
        TokenizerFileError: a line is no merge, or the vocabulary is another one's.
    """
    from engine.formats.tokenizer_json import overridden
    from engine.pipeline.to_tokenizer import tokenizer_of

    both, folder = gpt2.both_files(source), gpt2.folder_of(source)
    beside = None if both is None or folder is None else read_beside(folder)
    if both is None:
        vocab, merges = _read_file(source.paths[0])
    else:
        vocab, merges = _read_vocab(both[0]), _read_merges(both[1], read_lines(both[1]))
        _check_merges(both[1], vocab, merges)
    if beside is None:
        pipeline = _pipeline(vocab, merges)
    else:
        pipeline = beside.applied(_pipeline({**vocab, **beside.numbered(vocab)}, merges))
    tokenizer = tokenizer_of(overridden(pipeline, overrides))
    notes = [
        "recognised as CLIP's, with its lower case, its pattern and special tokens; what ftfy and "
        "HTML's entities would change in a text is left as it is",
        *(() if beside is None else beside.notes),
        *note_gaps(tokenizer.vocab),
    ]
    return Opened(tokenizer, FORMAT.name, tuple(notes))


def _read_file(path: Path) -> tuple[dict[str, int], Merges]:
    """Vocabulary and merges of OpenAI's file.

    As in CLIP, an empty last line takes an id, of two merges that make one token the later one
    gives it its id, and what is behind the 48,894th is not read.
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


def _read_merges(path: Path, lines: Sequence[str]) -> Merges:
    """The merges behind the first line."""
    merges: list[tuple[str, str]] = []
    for number, line in enumerate(lines[1:], start=2):
        parts = line.split()
        if not line and number == len(lines):
            continue
        if len(parts) != 2 or not all(map(_is_spelled, parts)):
            raise TokenizerFileError(
                f"{path}: line {number} is not two tokens in GPT-2's stand-ins with a space "
                f"between: {line[:60]!r}"
            )
        merges.append((parts[0], parts[1]))
    return merges


def _is_spelled(token: str) -> bool:
    return all(map(CHAR_TO_BYTE.__contains__, token))


def _read_vocab(path: Path) -> dict[str, int]:
    from engine.core.json_fields import Fields
    from engine.pipeline.models.model import read_vocab

    content = read_json(path)
    if not isinstance(content, dict):
        raise TokenizerFileError(f"{path}: is no JSON object of tokens and ids")
    try:
        vocab = read_vocab(Fields({"vocab": content}), "vocab")
    except TokenizerFileError as error:
        raise TokenizerFileError(f"{path}: {error}") from None
    needed = (char + end for char in BYTE_TO_CHAR.values() for end in ("", SUFFIX))
    if missing := [token for token in needed if token not in vocab]:
        raise TokenizerFileError(
            f"{path}: has </w>, and is not CLIP's, which knows each byte without and with it "
            f"({missing[0]!r} is missing); open the tokenizer.json of the same model"
        )
    return vocab


def _check_merges(path: Path, vocab: Mapping[str, int], merges: Merges) -> None:
    for number, (left, right) in enumerate(merges, start=1):
        for token in (left, right, left + right):
            if token not in vocab:
                raise TokenizerFileError(
                    f"{path}: merge {number:,} ({left[:60]} {right[:60]}) needs the token "
                    f"{token[:60]!r}, which the vocabulary does not have; do they belong together?"
                )


def _pipeline(vocab: Mapping[str, int], merges: Merges) -> Pipeline:
    # The stages are many modules, which nobody should wait for who reads another format.
    from engine.pipeline.added_tokens import AddedToken
    from engine.pipeline.decoders import ByteLevel as ByteLevelDecoder
    from engine.pipeline.decoders import Replace as ReplaceDecoder
    from engine.pipeline.decoders import Sequence as Decoders
    from engine.pipeline.models.bpe import BPE
    from engine.pipeline.normalizers.edits import Lowercase, Replace
    from engine.pipeline.normalizers.normalizer import Sequence as Normalizers
    from engine.pipeline.normalizers.unicode_forms import NFC
    from engine.pipeline.oniguruma import TextOrRegex
    from engine.pipeline.pipeline import Pipeline
    from engine.pipeline.pretokenizers.cuts import ByteLevel, Split
    from engine.pipeline.pretokenizers.pretokenizer import Sequence as PreTokenizers

    return Pipeline(
        BPE(vocab, merges, unk_token=END, end_of_word_suffix=SUFFIX),
        tuple(AddedToken(token, normalized=True) for token in SPECIAL_TOKENS if token in vocab),
        normalizer=Normalizers([NFC(), Replace(TextOrRegex(regex=r"\s+"), " "), Lowercase()]),
        pre_tokenizer=PreTokenizers(
            [
                Split(TextOrRegex(regex=WORDS), "Removed", invert=True),
                ByteLevel(add_prefix_space=False, use_regex=False),
            ]
        ),
        decoder=Decoders([ByteLevelDecoder(), ReplaceDecoder(TextOrRegex(text=SUFFIX), " ")]),
    )


FORMAT = TokenizerFormat("clip", "CLIP's merges with </w>", recognises, load)
