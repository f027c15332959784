"""Files that are no tokenizer in any format here, but known by how they begin: one table.

To refuse another kind of file by its content, add a line to `KINDS`.
"""

from __future__ import annotations

import re

from engine.formats.source import Source

KINDS: dict[bytes, str] = {
    b"PK\x03\x04": "a zip archive; unpack it and open what is in it",
    b"\x1f\x8b": "a damaged gzip file",
    b"BZh": "a bzip2 file; unpack it and open what is in it",
    b"\xfd7zXZ\x00": "an xz file; unpack it and open what is in it",
    b"\x28\xb5\x2f\xfd": "a zstd file; unpack it and open what is in it",
    b"version https://git-lfs": "a pointer of git-lfs; fetch the file itself with `git lfs pull`",
    b"GGUF": "a GGUF model; open the tokenizer.json of the same model",
}
"""How a file begins → what it is, and what to do."""


PATTERNS: dict[re.Pattern[bytes], str] = {
    re.compile(rb'\s*\{\s*"class_name"\s*:\s*"Tokenizer"'): (
        "a tokenizer of Keras, which numbers words by how often they stand in a corpus; it has no "
        "tokens smaller than a word, and no merges"
    ),
    re.compile(rb"1 '\\x00' 1\r?\n2 '\\x01' 1\r?\n"): (
        "RWKV's vocabulary, which takes the longest token that fits and has no merges"
    ),
    re.compile(rb"[\x01-\xff]\x00\x00\x00(?:\x00{4}|....)[\x01-\x20]\x00\x00\x00", re.DOTALL): (
        "a tokenizer.bin, as llama2.c writes it; open the tokenizer.model that it was made of"
    ),
}
"""The same where what it begins with is not always the same."""


def describe_unrecognised(source: Source) -> str:
    """What is known of a source that no format recognises."""
    if source.folder is None and source.exists and not all(p.is_file() for p in source.paths):
        return "is no plain file"
    for head in source.heads:
        for beginning, kind in KINDS.items():
            if head.startswith(beginning):
                return f"is {kind}"
        for pattern, kind in PATTERNS.items():
            if pattern.match(head):
                return f"is {kind}"
    return "holds no tokenizer in a known format"
