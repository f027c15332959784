"""Contents of tokenizer files that the tests of several formats share."""

from base64 import b64encode
from pathlib import Path
from typing import Any

import tiktoken
import tiktoken_ext
from tiny_tokenizers import END, GOLDEN, REPO, trained

from engine import Tokenizer, count_pretokens
from engine.formats.rank_files import read_ranks
from engine.formats.source import TokenizerSource
from engine.text.patterns import PATTERNS

CL100K = Path(next(iter(tiktoken_ext.__path__))) / "data" / "cl100k_base.tiktoken"
BERT_PIECES = [
    *("[PAD]", "[unused1]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "[", "]", "!", "'", "the", "t"),
    *("h", "##h", "##e", "a", "b", "##b", "##c", "low", "##est", "The", "é", "漢", "unused", "##1"),
]
RANKS = read_ranks(TokenizerSource(["x"]), (GOLDEN / "handout.tiktoken").read_bytes())
TEKKEN_SPECIALS = 20


def tekken(**changes: Any) -> dict[str, Any]:
    """Return the content of a `tekken.json` with the handout's ranks, and with changes."""
    config = {
        "pattern": PATTERNS["gpt2"].source,
        "num_vocab_tokens": len(RANKS),
        "default_vocab_size": len(RANKS) + TEKKEN_SPECIALS,
        "default_num_special_tokens": TEKKEN_SPECIALS,
        "version": "v3",
    }
    vocab = [
        {"rank": rank, "token_bytes": b64encode(token).decode(), "token_str": None}
        for rank, token in enumerate(sorted(RANKS, key=RANKS.__getitem__))
    ]
    return {"config": config | changes.pop("config", {}), "vocab": vocab} | changes


NANOCHAT = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}{1,2}| ?[^\s\p{L}\p{N}]++[\r\n]*"
    r"|\s*[\r\n]|\s+(?!\S)|\s+"
)
"""nanochat's pattern: at most two digits together."""


def encoding() -> tiktoken.Encoding:
    """Return tiktoken's encoding with the handout's ranks, as nanochat makes its own."""
    ranks = {token: place for place, token in enumerate(sorted(RANKS, key=RANKS.__getitem__))}
    specials = {token: len(ranks) + n for n, token in enumerate(("<|bos|>", "<|user_start|>"))}
    return tiktoken.Encoding(
        "rustbpe", pat_str=NANOCHAT, mergeable_ranks=ranks, special_tokens=specials
    )


def write_lines(path: Path, lines: list[str]) -> Path:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8", newline="\n")
    return path


def padded_handout() -> Tokenizer:
    """Train the course handout's tokenizer with a second special token."""
    counts = count_pretokens(REPO / "samples" / "handout.txt")
    return trained(counts, [END, "<pad>"])


def facts(tok: Tokenizer) -> tuple[object, ...]:
    """Return everything that defines a tokenizer."""
    return tok.vocab, tok.merges, tok.special_tokens, tok.special_ids, tok.pattern
