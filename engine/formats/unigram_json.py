"""A Unigram model as the `tokenizer.json` of Hugging Face's tokenizers.

The stages are those of this package: the pattern cuts the text, each space becomes ▁, and the model
takes the best segmentation of each pretoken; decoding turns ▁ into spaces again. JSON is text, so a
piece that holds a byte which is no UTF-8 cannot be written; it is left out, and such bytes are
unknown to the file.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from engine.formats.tokenizer_json import save_pipeline
from engine.pipeline.of_run import unigram_pipeline
from engine.text.patterns import Pattern

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
