"""What a check can find, each with its sentence: a divergence, a wrong size, wrong numbers.

Sentences quote tokens, which may be any bytes, so the caller says how tokens are shown. Merges are
counted from 1 in sentences, as on the screen, and from 0 in attributes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from engine.analysis.check.steps_file import ClaimedStep
from engine.bpe.trainer import base_vocab
from engine.core.events import BytesPair
from engine.core.wording import ShowBytes

TIED_NAMED = 6


def describe_pair(pair: BytesPair, show: ShowBytes) -> str:
    """A pair as sentences write it: `a + b`."""
    return f"{show(pair[0])} + {show(pair[1])}"


@dataclass(frozen=True)
class Standing:
    """Where the pair that a trainer took stands, just before it merges.

    Attributes:
        count: how often it stands side by side.
        unknown: its tokens that are no bytes and that no earlier step makes.
        merged_at: the earlier step, from 0, that merged it already.
        crosses_border: its bytes stand in the corpus, but never inside a pretoken.
        earlier: (step, from 0; its count there): the last time it had a count that would win now.
    """

    count: int
    unknown: tuple[bytes, ...] = ()
    merged_at: int | None = None
    crosses_border: bool = False
    earlier: tuple[int, int] | None = None

    def describe(self, show: ShowBytes) -> str:
        """Where it stands, as a clause."""
        if self.unknown:
            return f"no earlier merge makes {' or '.join(map(show, self.unknown))}"
        if self.merged_at is not None:
            return f"merge {self.merged_at + 1:,} has merged it already, and it stands nowhere"
        if self.crosses_border:
            return "it never stands inside a pretoken, only across a border between two"
        if not self.count:
            return "it stands nowhere"
        text = f"it stands side by side {times(self.count)}"
        if self.earlier is not None:
            step, count = self.earlier
            text += f"; before merge {step + 1:,} it was {count:,}, which would have won here"
        return text


@dataclass(frozen=True)
class Divergence:
    """The first step that is not by the rule.

    Attributes:
        step: from 0.
        rule, rule_count: the pair that the rule takes there; `None` if none is left.
        tied: all the pairs that are as frequent as the rule's.
        taken: the trainer's pair.
        claimed_count: the count that the trainer tells, if it tells one.
        standing: where the trainer's pair stands.
    """

    step: int
    rule: BytesPair | None
    rule_count: int
    tied: tuple[BytesPair, ...]
    taken: BytesPair
    claimed_count: int | None
    standing: Standing

    @property
    def is_of_count_only(self) -> bool:
        """The pair is the rule's; only the claimed count is wrong."""
        return self.taken == self.rule

    def describe(self, show: ShowBytes) -> Iterator[str]:
        """The divergence, a sentence or two a line."""
        if self.is_of_count_only:
            yield (
                f"The first wrong count is at merge {self.step + 1:,}: the pair "
                f"{describe_pair(self.taken, show)} is right, but it stands side by side "
                f"{times(self.rule_count)}, not {self.claimed_count:,}."
            )
            return
        yield f"The first merge that is not by the rule is merge {self.step + 1:,}."
        yield f"The rule takes {self._describe_rule(show)}."
        yield f"Yours is {describe_pair(self.taken, show)}: {self.standing.describe(show)}."

    def _describe_rule(self, show: ShowBytes) -> str:
        if self.rule is None:
            return "nothing: no pair is left"
        text = f"{describe_pair(self.rule, show)}, side by side {times(self.rule_count)}"
        others = [pair for pair in self.tied if pair != self.rule]
        if not others:
            return f"{text}; no other pair is as frequent"
        named = ", ".join(describe_pair(pair, show) for pair in others[:TIED_NAMED])
        more = len(others) - TIED_NAMED
        return f"{text}, tied with {named}" + (f" and {more:,} more" if more > 0 else "")


def times(count: int) -> str:
    """`once`, `2 times`, `1,000 times`."""
    return "once" if count == 1 else f"{count:,} times"


@dataclass(frozen=True)
class SizeFinding:
    """There are more or fewer merges than were asked for, though the rule has enough pairs."""

    merges: int
    wanted: int
    special_tokens: int

    def describe(self, lines: int | None = None) -> str:
        """How far off the number is, and what that number hints at.

        Args:
            lines: by how many the list is longer, where a slip in it explains the divergence.
        """
        few = "few" if self.merges < self.wanted else "many"
        off = self.merges - self.wanted
        text = f"Too {few} merges, by {abs(off):,}: {self.merges:,}, not {self.wanted:,}."
        if lines:
            missing = "missing from" if lines < 0 else "too many in"
            accounted = f"That is what is {missing} the list."
            return f"{text} {accounted}" if lines == off else text
        hints = list(self._hints(abs(off)))
        return f"{text} Perhaps {', or '.join(hints)}." if hints else text

    def _hints(self, off: int) -> Iterator[str]:
        """What is so many."""
        if off == 256:
            yield "the 256 bytes were not counted as tokens of the vocabulary"
        if off == 1:
            yield "a loop is off by one"
        if off == self.special_tokens:
            yield "the special tokens were counted twice or not at all"
        elif off == 256 + self.special_tokens:
            yield "the 256 bytes and the special tokens were not counted"


# -- the vocabulary and the new ids
#
# The rule numbers the 256 bytes, then the special tokens, then the merges in their order. A trainer
# may number otherwise and still be right: that is worth a note. A token too few or too many is not.

NAMED = 5
"""Tokens that a sentence names; it says how many more there are."""


@dataclass(frozen=True)
class Renumbered:
    """The first id that has another token than by the rule; `None` where there is none."""

    token_id: int
    token: bytes | None
    by_rule: bytes | None

    def describe(self, show: ShowBytes) -> str:
        """The id and its two tokens, as a clause."""
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

    def describe(self, show: ShowBytes) -> str:
        """How the vocabulary is, in one sentence."""
        if self.missing or self.extra:
            parts = [("lacks", self.missing), ("has, beyond what it should,", self.extra)]
            differences = (f"{verb} {_some(tokens, show)}" for verb, tokens in parts if tokens)
            return f"The vocabulary {' and '.join(differences)}."
        if self.renumbered is None:
            return "The vocabulary is what these merges make, with the ids that the rule gives."
        first = self.renumbered.describe(show)
        return f"The vocabulary has the right tokens, but numbers them otherwise: {first}."


def _some(tokens: Sequence[bytes], show: ShowBytes) -> str:
    named = ", ".join(map(show, tokens[:NAMED]))
    more = len(tokens) - NAMED
    return f"{named} and {more:,} more" if more > 0 else named


def vocabulary_finding(
    vocab: Mapping[int, bytes], steps: Sequence[ClaimedStep], special_tokens: Sequence[str]
) -> VocabularyFinding:
    """Compare a vocabulary with what the trainer's own merges make of it.

    >>> vocab = dict(enumerate([b"<e>", *(bytes((byte,)) for byte in range(256)), b"ab"]))
    >>> print(vocabulary_finding(vocab, [ClaimedStep(b"a", b"b")], ["<e>"]).describe(repr))
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
    """The new ids that a trainer reports.

    Attributes:
        first_id: the id of the first merge.
        expected: what it is by the rule.
        broken: the first step, from 0, whose id is not one more than that before it; `None` if all
            count up.
    """

    first_id: int
    expected: int
    broken: int | None

    def describe(self) -> str | None:
        """What is wrong with the ids, in one sentence; `None` if they are those of the rule."""
        if self.broken is not None:
            return f"The new ids do not count up: that of merge {self.broken + 1:,} is out of line."
        if self.first_id != self.expected:
            return f"New tokens are numbered from {self.first_id} on, by the rule {self.expected}."
        return None


def id_finding(steps: Sequence[ClaimedStep], first_id: int) -> IdFinding | None:
    """Whether the reported ids count up; `None` if no step reports one."""
    ids = [(place, step.new_id) for place, step in enumerate(steps) if step.new_id is not None]
    if not ids:
        return None
    place, new_id = ids[0]
    broken = next((at for at, other in ids if other - at != new_id - place), None)
    return IdFinding(new_id - place, first_id, broken)
