"""Small models that SentencePiece trains, of every kind, for tests of how they are read."""

import io
from functools import cache
from typing import Any

import pytest
from tiny_tokenizers import REPO

SCRIPTS = """Привет мир, как дела? Ещё раз.
你好世界 今天天气
ａｂｃ １２３ ﬁne ½ ²
naïve café déjà vu
  two  spaces   and three
नमस्ते दुनिया
🙂 emoji 👩‍👩‍👧
if a <b> [X] then
"""

LIKE_LLAMA = {
    "normalization_rule_name": "identity",
    "remove_extra_whitespaces": False,
    "byte_fallback": True,
    "split_digits": True,
    "allow_whitespace_only_pieces": True,
}
VARIANTS: dict[str, dict[str, Any]] = {
    "plain": {},
    "bytes": {"byte_fallback": True},
    "symbols": {
        "user_defined_symbols": ["[X]", "<a b>", "th", "the", "你好"],
        "control_symbols": ["<c>"],
    },
    "as it is": {
        "normalization_rule_name": "identity",
        "remove_extra_whitespaces": False,
        "add_dummy_prefix": False,
    },
    "like Llama": LIKE_LLAMA,
    "space after": {"treat_whitespace_as_suffix": True},
    "across spaces": {"split_by_whitespace": False, "byte_fallback": True},
    "case folded": {"normalization_rule_name": "nfkc_cf", "unk_surface": "<?>", "bos_id": -1},
}
TYPES = ("bpe", "unigram", "char", "word")


@cache
def trained(model_type: str, variant: str) -> bytes:
    """Return the file of a model, as the library writes it."""
    library = pytest.importorskip("sentencepiece")
    stories = (REPO / "samples" / "tinystories_valid.txt").read_text()[:60_000].splitlines()
    lines = [line for line in [*stories, *SCRIPTS.splitlines() * 20] if line.strip()]
    file = io.BytesIO()
    library.SentencePieceTrainer.train(
        sentence_iterator=iter(lines),
        model_writer=file,
        model_type=model_type,
        vocab_size=600,
        hard_vocab_limit=False,
        minloglevel=2,
        num_threads=1,
        **VARIANTS[variant],
    )
    return file.getvalue()
