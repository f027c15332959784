"""Is it a tokenizer or a corpus? What is in it decides, not what it is called."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from bpe_tui.session.config import Config, RunConfig, TokenizerConfig
from engine.core.errors import TokenizerFileError

HEAD = 1 << 12


def config_for(run: RunConfig) -> Config:
    """`run` if its corpus is one; else the tokenizer that was given in place of a corpus."""
    if run.corpus == "-" or _is_surely_text(run.corpus):
        return run
    from engine.formats import is_tokenizer  # slow to import, and seldom needed

    path = Path(run.corpus)
    try:
        if not is_tokenizer(run.corpus):
            return run
    except (TokenizerFileError, OSError, ValueError):
        return run  # the corpus says what is wrong
    otherwise = run if path.is_file() else None
    return TokenizerConfig((run.corpus,), cache=run.cache, otherwise=otherwise)


def over(config: TokenizerConfig, corpus: str) -> TokenizerConfig:
    """The same tokenizer over a corpus."""
    return replace(config, corpus=corpus, otherwise=None)


def _is_surely_text(name: str) -> bool:
    """Whether a file begins with a line of words, as no tokenizer does.

    That spares a corpus the question to every format, which would be felt before the first frame.
    """
    try:
        with Path(name).open("rb") as file:
            first = file.read(HEAD).partition(b"\n")[0]
    except (OSError, ValueError):
        return False
    return first[:1].isalpha() and len(first.split()) > 2
