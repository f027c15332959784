"""Generated lists of merges, and tokenizers made of them."""

from copy import copy
from dataclasses import replace

import oracles
from hypothesis import strategies as st

from engine import Tokenizer, Trainer

BYTES = {byte: bytes([byte]) for byte in range(256)}

Merges = list[tuple[bytes, bytes]]


def tokenizer(merges: Merges) -> Tokenizer:
    """A tokenizer of these merges that takes a whole text for one pretoken."""
    made = dict(enumerate((left + right for left, right in merges), 256))
    return Tokenizer(BYTES | made, merges, pattern="none")


def in_python(tokenizer: Tokenizer) -> Tokenizer:
    """The same tokenizer, but without the kernel."""
    other, kernel = copy(tokenizer), copy(tokenizer._encoder.kernel)
    vars(kernel)["encoder"] = None
    other._encoder = replace(tokenizer._encoder, kernel=kernel)
    return other


def learnt(corpus: dict[bytes, int]) -> Merges:
    trainer = Trainer(corpus, 300)
    list(trainer.steps())
    return trainer.merges


@st.composite
def merge_lists(draw: st.DrawFn) -> Merges:
    """Merges that no training need have found, but each of parts that are there before it."""
    tokens = [b"a", b"b", b"\xff"]
    merges: Merges = []
    for _ in range(draw(st.integers(0, 12))):
        left, right = draw(st.sampled_from(tokens)), draw(st.sampled_from(tokens))
        if left + right not in tokens and len(left + right) < 20:
            merges.append((left, right))
            tokens.append(left + right)
    return merges


MERGES = st.one_of(oracles.corpora().map(learnt), merge_lists())

PRETOKENS = st.one_of(
    st.text("ab", max_size=30).map(str.encode),
    st.lists(st.sampled_from([b"a", b"b", b"ab", b" ", b"c", b"\xff"]), max_size=20).map(b"".join),
)
