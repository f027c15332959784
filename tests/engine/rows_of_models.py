"""The rows of the model table, made one after the other without a screen."""

from collections.abc import Iterable, Iterator, Sequence

from engine.analysis.model_table import (
    KindRow,
    Untrained,
    hold_out,
    row_of,
    stretches_of,
    try_training,
)
from engine.analysis.tokenizer_kinds import KINDS
from engine.text.pretokenize import to_text


def table_rows(
    corpus: bytes,
    vocab_size: int,
    special_tokens: Sequence[str] = (),
    typed: str | None = None,
    kinds: Iterable[str] = KINDS,
) -> Iterator[KindRow | Untrained]:
    """Yield the rows; without a typed text the last tenth of the corpus is measured."""
    learnt, rest = hold_out(corpus, special_tokens) if typed is None else (corpus, b"")
    unseen = stretches_of(to_text(rest) if typed is None else typed, special_tokens)
    for name in kinds:
        found = try_training(name, learnt, vocab_size, special_tokens)
        yield found if isinstance(found, Untrained) else row_of(found, unseen)
