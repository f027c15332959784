"""The helper process that cuts a long text by some tokenizers.

It gets the text, how it is cut, and the tokenizers, all as plain values; it answers with the edges
by each, as the bytes of an array, `None` where they cannot be told so.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from engine.alphabets import from_message
from engine.analysis.comparison.cut_text import CutText
from engine.core.arrays import Ints
from engine.core.errors import WorkerError
from engine.core.subprocess_worker import receive, send, start_helper
from engine.encoding.tokenizer import Tokenizer
from engine.text.patterns import Alternative, Pattern


def edges_by_helper(
    tokenizers: Sequence[Tokenizer], data: bytes, special_tokens: Sequence[str]
) -> list[Ints | None]:
    """The edges by tokenizers that cut a text alike, found by another process.

    Raises:
        WorkerError: it could not be started, or died.
    """
    alternatives = [(each.name, each.regex) for each in tokenizers[0].pattern.alternatives]
    helper = start_helper("engine.analysis.comparison.edges_worker")
    assert helper.stdin is not None
    assert helper.stdout is not None
    try:
        send(
            helper.stdin,
            (data, alternatives, list(special_tokens), list(map(_as_message, tokenizers))),
        )
        answer = receive(helper.stdout)
    except (EOFError, OSError) as error:
        raise WorkerError("a helper process died while encoding; try again") from error
    finally:
        helper.kill()
        helper.wait()
    return [None if each is None else np.frombuffer(each, dtype=np.int64) for each in answer]


def _as_message(tokenizer: Tokenizer) -> tuple[Any, ...]:
    encoder = tokenizer.encoder
    return encoder.name, encoder.alphabet.as_message(), dict(encoder.table), tokenizer.vocab


def _from_message(message: tuple[Any, ...], pattern: Pattern) -> Tokenizer:
    """One that encodes pretokens and decodes as the one before the message does."""
    encoder, alphabet, table, vocab = message
    return Tokenizer(vocab, [], {}, pattern, encoder, alphabet=from_message(alphabet), table=table)


def main() -> None:
    """Answer one request."""
    try:
        data, alternatives, special_tokens, messages = receive(sys.stdin.buffer)
        pattern = Pattern("", "", tuple(Alternative(*each) for each in alternatives), ())
        cut = CutText(data, pattern, special_tokens)
        found = [cut.edges(_from_message(message, pattern)) for message in messages]
        send(sys.stdout.buffer, [None if each is None else each.tobytes() for each in found])
    except (EOFError, BrokenPipeError):
        return
