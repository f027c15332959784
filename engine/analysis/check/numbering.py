"""Whether a vocabulary has the tokens it should have, and numbers them as the rule does.

The rule numbers the 256 bytes, then the special tokens, then the merges in their order. A trainer
may number otherwise and still be right: that is worth a note. A token too few or too many is not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from engine.analysis.check.claim import ClaimedStep
from engine.bpe.trainer import base_vocab
from engine.encoding.token_text import Show

NAMED = 5
"""Tokens that a sentence names; it says how many more there are."""


@dataclass(frozen=True)
class Renumbered:
    """The first id that has another token than by the rule; `None` where there is none."""

    token_id: int
    token: bytes | None
    by_rule: bytes | None

    def told(self, show: Show) -> str:
        has = "nothing" if self.token is None else show(self.token)
        rule = "nothing" if self.by_rule is None else show(self.by_rule)
        return f"id {self.token_id} is {has}, by the rule {rule}"


@dataclass(frozen=True)
class VocabularyFinding:
    """How a vocabulary differs from the 256 bytes, the special tokens and the merges' tokens."""

    missing: tuple[bytes, ...]
    extra: tuple[bytes, ...]
    renumbered: Renumbered | None

    @property
    def is_consistent(self) -> bool:
        """Whether it has the right tokens, however they are numbered."""
        return not self.missing and not self.extra

    def told(self, show: Show) -> str:
        """What is to be said of the vocabulary, in one sentence."""
        if self.missing or self.extra:
            parts = [("lacks", self.missing), ("has, beyond what it should,", self.extra)]
            differences = (f"{verb} {_some(tokens, show)}" for verb, tokens in parts if tokens)
            return f"The vocabulary {' and '.join(differences)}."
        if self.renumbered is None:
            return "The vocabulary is that of the rule, numbers and all."
        told = self.renumbered.told(show)
        return f"The vocabulary has the right tokens, but numbers them otherwise: {told}."


def _some(tokens: Sequence[bytes], show: Show) -> str:
    named = ", ".join(map(show, tokens[:NAMED]))
    more = len(tokens) - NAMED
    return f"{named} and {more:,} more" if more > 0 else named


def vocabulary_finding(
    vocab: Mapping[int, bytes], steps: Sequence[ClaimedStep], special_tokens: Sequence[str]
) -> VocabularyFinding:
    """Compare a vocabulary with what the trainer's own merges make of it.

    >>> vocab = dict(enumerate([b"<e>", *(bytes((byte,)) for byte in range(256)), b"ab"]))
    >>> print(vocabulary_finding(vocab, [ClaimedStep(b"a", b"b")], ["<e>"]).told(repr))
    The vocabulary has the right tokens, but numbers them otherwise: id 0 is b'<e>', by the rule \
b'\\x00'.
    """
    expected = [*base_vocab(special_tokens), *(step.left + step.right for step in steps)]
    has, should = Counter(vocab.values()), Counter(expected)
    by_rule = dict(enumerate(expected))
    differing = (
        token_id
        for token_id in sorted(vocab.keys() | by_rule.keys())
        if vocab.get(token_id) != by_rule.get(token_id)
    )
    first = next(differing, None)
    return VocabularyFinding(
        tuple((should - has).elements()),
        tuple((has - should).elements()),
        None if first is None else Renumbered(first, vocab.get(first), by_rule.get(first)),
    )


@dataclass(frozen=True)
class IdFinding:
    """New ids that steps tell: the first that is not the one before it and one more.

    `first_id` is the id of the first merge, `expected` what it is by the rule.
    """

    first_id: int
    expected: int
    broken: int | None

    def told(self) -> str | None:
        """What is to be said of the ids; `None` if they are those of the rule."""
        if self.broken is not None:
            return f"The new ids do not count up: that of step {self.broken + 1:,} is out of line."
        if self.first_id != self.expected:
            return f"New tokens are numbered from {self.first_id} on, by the rule {self.expected}."
        return None


def id_finding(steps: Sequence[ClaimedStep], first_id: int) -> IdFinding | None:
    """Look at the ids that steps tell; `None` if they tell none."""
    told = [(place, step.new_id) for place, step in enumerate(steps) if step.new_id is not None]
    if not told:
        return None
    place, new_id = told[0]
    broken = next((at for at, other in told if other - at != new_id - place), None)
    return IdFinding(new_id - place, first_id, broken)
