"""A vocabulary and merges: what GPT-2's two files hold, and what solutions of courses keep.

Each format that holds just these reads them into a `VocabAndMerges`, in bytes, whatever the
spelling. It is what the files say, and need not make sense: who checks a trainer takes the values
as they are. `guesses` makes the tokenizer of them, or says why there is none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from operator import add

from engine.core.errors import TokenizerFileError
from engine.core.gpt2_bytes import spell
from engine.text.patterns import PatternLike
from engine.text.pretokenize import to_bytes

HOW_TO_SAVE = (
    "hex says every byte: json.dump({i: t.hex() for i, t in vocab.items()}, open('vocab.json', "
    "'w')) and json.dump([[a.hex(), b.hex()] for a, b in merges], open('merges.json', 'w'))"
)
"""Two lines of Python that save vocab and merges so that nothing is in doubt."""


@dataclass(frozen=True)
class VocabAndMerges:
    """What files say.

    Attributes:
        place: what errors name.
        vocab: id → token.
        merges: pairs of tokens in order of rank.
        texts: id → token that can only be special: a text that is not spelled as the others are.
        special_tokens: their texts, or text → id; `None` if the files do not say.
        pattern: what cuts texts; `None` if the files do not say.
        notes: what a reader should know of how it was read.
        merges_place, vocab_place: what errors name if the two do not go together.
        files: how a note begins about what is not there.
        has_merges: whether there are any to read; else it is a vocabulary to look at.
    """

    place: str
    vocab: Mapping[int, bytes]
    merges: Sequence[tuple[bytes, bytes]]
    texts: Mapping[int, str] = field(default_factory=dict)
    special_tokens: Sequence[str] | Mapping[str, int] | None = None
    pattern: PatternLike | None = None
    notes: Sequence[str] = ()
    merges_place: str = ""
    vocab_place: str = "the vocabulary"
    files: str = "the file names"
    has_merges: bool = True

    def check_merges(self) -> None:
        """Raises `TokenizerFileError` if a merge needs a token that the vocabulary lacks."""
        known = set(self.vocab.values())
        lefts, rights = zip(*self.merges, strict=True) if self.merges else ((), ())
        if known.issuperset(lefts + rights) and known.issuperset(map(add, lefts, rights)):
            return  # as it is nearly always, and quicker than one by one
        for rank, (left, right) in enumerate(self.merges):
            for token in (left, right, left + right):
                if token not in known:
                    raise TokenizerFileError(
                        f"{self.merges_place or self.place}: merge {rank + 1:,} "
                        f"({spell(left)[:60]} {spell(right)[:60]}) needs the token "
                        f"{spell(token)[:60]}, which {self.vocab_place} "
                        "does not have; do they belong together?"
                    )

    @property
    def all_tokens(self) -> dict[int, bytes]:
        """The vocabulary with what can only be special, as bytes."""
        special = self.special_tokens if isinstance(self.special_tokens, Mapping) else {}
        return {
            **{token_id: to_bytes(text) for text, token_id in special.items()},
            **self.vocab,
            **{token_id: to_bytes(text) for token_id, text in self.texts.items()},
        }
