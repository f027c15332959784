"""Hugging Face's `tokenizer.json`: a whole pipeline in one file, read and written."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from engine.core.errors import TokenizerFileError
from engine.core.files import write_files
from engine.encoding.tokenizer import Tokenizer
from engine.formats.source import Source
from engine.formats.tokenizer_format import Opened, TokenizerFormat, Wishes
from engine.pipeline.of_tokenizer import unigram_pipeline
from engine.text.patterns import Pattern

if TYPE_CHECKING:
    from engine.pipeline.pipeline import Pipeline


FILE = "tokenizer.json"

# A vocabulary may hold these words as tokens, but gives them numbers.
_HEAD = re.compile(
    rb'"(?:version|truncation|padding|added_tokens|normalizer|pre_tokenizer|post_processor|decoder'
    rb'|model)"\s*:\s*(?:[\[{]|null|"1\.0")'
)


def recognises(source: Source) -> bool:
    if source.in_folder(FILE) is not None:
        return True
    if source.only_file is None:
        return False
    [head] = source.heads
    return head.lstrip().startswith(b"{") and _HEAD.search(head) is not None


# The stages are many modules, which nobody should wait for who reads another format.


def load(source: Source, wishes: Wishes) -> Opened:
    from engine.formats.pipeline_file import load

    path = source.in_folder(FILE) or source.only_file
    assert path is not None  # it was recognised
    return load(path, wishes, FORMAT.name)


def save(tokenizer: Tokenizer, path: Path, overwrite: bool) -> None:
    from engine.pipeline.of_tokenizer import pipeline_of

    save_pipeline(pipeline_of(tokenizer, path), path, overwrite)


def save_pipeline(pipeline: Pipeline, path: Path, overwrite: bool) -> None:
    """Write a pipeline into a file, or into a `tokenizer.json` in a directory.

    Raises:
        TokenizerFileError: a token is no UTF-8.
        OutputExistsError: something is there and `overwrite` is false.
    """
    from engine.formats.pipeline_file import spelled

    target = path / FILE if path.is_dir() else path
    text = json.dumps(spelled(pipeline), ensure_ascii=False, indent=2)
    try:
        content = text.encode()
    except UnicodeEncodeError as error:
        near = text[max(error.start - 10, 0) : error.end + 10]
        raise TokenizerFileError(
            f"{target}: something that is no UTF-8 cannot be written: {near!r}; train without such "
            "text"
        ) from None
    write_files({target: content + b"\n"}, overwrite=overwrite)


FORMAT = TokenizerFormat(
    *("huggingface", "Hugging Face's tokenizer.json", recognises, load, save),
    suffix=".json",
    keeps_stages=True,
)


# A Unigram model as the `tokenizer.json` of Hugging Face's tokenizers.
#
# The stages are those of this package: the pattern cuts the text, each space becomes ▁, and the
# model takes the best segmentation of each pretoken; decoding turns ▁ into spaces again. JSON is
# text, so a piece that holds a byte which is no UTF-8 cannot be written; it is left out, and such
# bytes are unknown to the file.

FILE = "tokenizer.json"


def save_tokenizer(
    pieces: Sequence[tuple[str, float]],
    path: Path,
    *,
    pattern: str | Pattern = "gpt2",
    special_tokens: Sequence[str] = (),
    overwrite: bool = False,
) -> int:
    """Write the pieces, the unknown token first, as `UnigramTrainer.pieces` has them.

    Returns:
        how many pieces are left out.

    Raises:
        TokenizerFileError: nobody knows how such a file says the pattern.
        OutputExistsError: the file is there already and `overwrite` is false.
        OutputError: the system refuses.
    """
    pipeline = unigram_pipeline(pieces, special_tokens, pattern)
    save_pipeline(pipeline, path, overwrite)
    return len(pieces) - len(pipeline.model.vocab)
