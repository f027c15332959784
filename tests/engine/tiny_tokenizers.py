"""Small tokenizers and runs, made of a few words."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from engine import Timeline, Tokenizer, Trainer, count_pretokens
from engine.text.excerpt import Excerpt

REPO = Path(__file__).resolve().parents[2]
GOLDEN = Path(__file__).parent / "golden"
END = "<|endoftext|>"
BYTES = {byte: bytes([byte]) for byte in range(256)}
LOW = {b"low": 5, b"lower": 2, b"widest": 3, b"newest": 6}
"""The words of the course handout."""
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


def timeline_of(
    counts: Mapping[bytes, int], size: int = 300, excerpt: Excerpt | None = None, **options: Any
) -> Timeline:
    """Return the complete run of a trainer of that vocabulary size."""
    trainer = Trainer(counts, size, **options)
    timeline = Timeline(trainer, trainer.steps(), excerpt=excerpt)
    timeline.complete()
    return timeline


def handout() -> Tokenizer:
    """Train the course handout's tokenizer: 13 merges, one special token."""
    return trained(count_pretokens(REPO / "samples" / "handout.txt"), [END])
