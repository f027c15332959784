"""A Unigram model as the `tokenizer.json` of Hugging Face's tokenizers.

The stages are those of this package: the pattern cuts the text, each space becomes ▁, and the model
takes the best segmentation of each pretoken; decoding turns ▁ into spaces again. JSON is text, so a
piece that holds a byte which is no UTF-8 cannot be written; it is left out, and such bytes are
unknown to the file.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from engine.files import write_files
from engine.patterns import Pattern, as_pattern
from engine.unigram.metaspace import SPACE

UNKNOWN_ID = 0
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
        OutputExistsError: the file is there already and `overwrite` is false.
        OutputError: the system refuses.
    """
    written = [(text, score) for text, score in pieces if _is_text(text)]
    content = json.dumps(
        tokenizer_json(written, as_pattern(pattern), special_tokens), ensure_ascii=False, indent=1
    )
    write_files({path: content.encode() + b"\n"}, overwrite=overwrite)
    return len(pieces) - len(written)


def tokenizer_json(
    pieces: Sequence[tuple[str, float]], pattern: Pattern, special_tokens: Sequence[str]
) -> dict[str, Any]:
    """The file as a JSON object."""
    metaspace = {
        "type": "Metaspace",
        "replacement": SPACE,
        "prepend_scheme": "never",
        "split": False,
    }
    cutting = {
        "type": "Split",
        "pattern": {"Regex": pattern.source},
        "behavior": "Isolated",
        "invert": False,
    }
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [_added(id_, token) for id_, token in _specials(pieces, special_tokens)],
        "normalizer": None,
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [cutting, metaspace]},
        "post_processor": None,
        "decoder": metaspace,
        "model": {
            "type": "Unigram",
            "unk_id": UNKNOWN_ID,
            "vocab": [[text, score] for text, score in pieces],
            "byte_fallback": False,
        },
    }


def _specials(
    pieces: Sequence[tuple[str, float]], special_tokens: Sequence[str]
) -> list[tuple[int, str]]:
    """The special tokens with their ids, which come after the unknown token's."""
    ids = {text: id_ for id_, (text, _) in enumerate(pieces)}
    return [(ids[token], token) for token in special_tokens]


def _added(id_: int, token: str) -> dict[str, Any]:
    return {
        "id": id_,
        "content": token,
        "single_word": False,
        "lstrip": False,
        "rstrip": False,
        "normalized": False,
        "special": True,
    }


def _is_text(piece: str) -> bool:
    try:
        piece.encode()
    except UnicodeEncodeError:
        return False
    return True
