"""Small tokenizers for the tests of formats."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from engine import Tokenizer, Trainer, count_pretokens

REPO = Path(__file__).resolve().parents[2]
GOLDEN = Path(__file__).parent / "golden"
END = "<|endoftext|>"
BYTES = {byte: bytes([byte]) for byte in range(256)}
HANDOUT = [b" ", b"a", b"c", b"e", b"h", b"t", b"th", b" c", b" a", b"the", b" at"]
HANDOUT_MERGES = [(b"t", b"h"), (b" ", b"c"), (b" ", b"a"), (b"th", b"e"), (b" a", b"t")]
"""The example of the course handout, a vocabulary of few bytes."""
TEXTS = [
    "",
    "lowest newest",
    "the low  widest\n\n",
    "żółw 漢字 🙂",
    f"low{END}low <pad>",
    "a\x00\x85b",
]


def trained(
    corpus: Mapping[bytes, int],
    special_tokens: Sequence[str] = (),
    pattern: str = "gpt2",
    merges: int = 20,
) -> Tokenizer:
    trainer = Trainer(corpus, 256 + len(special_tokens) + merges, special_tokens)
    list(trainer.steps())
    return Tokenizer(trainer.vocab, trainer.merges, special_tokens, pattern)


def handout() -> Tokenizer:
    """Train the course handout's tokenizer: 13 merges, one special token."""
    return trained(count_pretokens(REPO / "samples" / "handout.txt"), [END])
