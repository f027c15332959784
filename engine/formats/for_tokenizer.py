"""The work of `Tokenizer.load`, `from_files` and `save`; `engine/__init__.py` plugs it in there."""

from __future__ import annotations

from collections.abc import Sequence

from engine.encoding.tokenizer import Tokenizer
from engine.encoding.tokenizer_files import AnyPath, Parts, TokenizerFiles
from engine.formats import open_tokenizer, read_vocab_and_merges, save
from engine.text.patterns import PatternLike


class FormatFiles(TokenizerFiles[Tokenizer]):
    """Reads and writes all formats of the registry."""

    def read(
        self,
        paths: Sequence[AnyPath],
        special_tokens: Sequence[str] | None,
        pattern: PatternLike | None,
    ) -> Tokenizer:
        return open_tokenizer(*paths, special_tokens=special_tokens, pattern=pattern).tokenizer

    def read_parts(
        self, vocab_path: AnyPath, merges_path: AnyPath, special_tokens: Sequence[str] | None
    ) -> Parts | None:
        found = read_vocab_and_merges(vocab_path, merges_path, special_tokens=special_tokens)
        if found is None:
            return None
        read, _ = found
        read.check_merges()
        return read.vocab, read.merges, read.pattern

    def write(
        self, tokenizer: Tokenizer, path: AnyPath, format: str | None, overwrite: bool
    ) -> None:
        save(tokenizer, path, format, overwrite=overwrite)
