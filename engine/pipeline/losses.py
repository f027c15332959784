"""Losses of a text on its way through a pipeline, stage by stage.

Decoding cannot restore what a normalizer changed, what a pre-tokenizer left out, or what became an
unknown token. Each is found by tracing characters back to the original.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby, islice

from engine.core.gpt2_bytes import unspell
from engine.core.wording import Sentence, say
from engine.encoding.typed_text import UNSPELLED, unspelled_places
from engine.pipeline.models import MergingModel
from engine.pipeline.pipeline import Pipeline, PipelineRun, Span, TextRun
from engine.text.pretokenize import to_bytes


@dataclass(frozen=True)
class Change:
    """A stretch of a text and its replacement; empty if it was left out."""

    old: str
    new: str


@dataclass(frozen=True)
class Losses:
    """The effects of each stage on a run that decoding cannot undo.

    Attributes:
        changed: stretches that the normalizer replaced.
        dropped: stretches that the pre-tokenizer left out.
        unknown: texts that became the unknown token.
        unspelled: stretches that the model left out.
        skipped: special tokens left out in decoding, often the unknown token, too.
        comes_back: whether the decoded text equals the given one.
    """

    changed: tuple[Change, ...]
    dropped: tuple[str, ...]
    unknown: tuple[str, ...]
    unspelled: tuple[str, ...]
    skipped: tuple[str, ...]
    comes_back: bool

    @property
    def sentence(self) -> Sentence | None:
        """A sentence about what decoding does not give back; `None` if it gives all back.

        Spaces that a pre-tokenizer leaves out are not counted.
        """
        if self.comes_back:
            return None
        dropped = [part for part in self.dropped if part.strip()]
        new = {each.old: each.new for each in self.changed if _differs(each)}
        clauses = [
            *_clause(self.unspelled, UNSPELLED),
            *_clause(self.unknown, "{parts}: the unknown token"),
            *_clause(dropped, "{parts}: left out before the model"),
        ]
        for old in islice(new, SHOWN):
            template = "{old}: changed to {new}" if new[old] else "{old}: left out"
            clauses.append(say(template, old=old, new=new[old]))
        if len(new) > SHOWN:
            clauses.append(say("{n} more are changed", n=f"{len(new) - SHOWN:,}"))
        if not clauses:
            return None
        first, *others = clauses
        for clause in others:
            first = say("{first}; {next}", first=first, next=clause)
        return say("the ids do not give the text back: {clauses}", clauses=first)


SHOWN = 3
"""Number of examples of a loss in a sentence."""


def _clause(stretches: Iterable[str], template: str) -> Iterator[Sentence]:
    """Yield a clause about the first of these stretches, if there is one."""
    distinct = list(dict.fromkeys(stretches))
    if distinct:
        parts: Sentence | str = " ".join(each[:LONGEST] for each in distinct[:SHOWN])
        if len(distinct) > SHOWN:
            parts = say("{parts} and {n} more", parts=parts, n=f"{len(distinct) - SHOWN:,}")
        yield say(template, parts=parts)


LONGEST = 40
"""Most characters of an example."""


def _differs(change: Change) -> bool:
    """Whether a change is more than `▁` for a space, or a space in front."""
    return change.old.replace(" ", "▁").strip("▁") != change.new.replace(" ", "▁").strip("▁")


def losses(pipeline: Pipeline, run: PipelineRun) -> Losses:
    """Return the losses of a run.

    >>> from engine.pipeline.models import WordPiece
    >>> from engine.pipeline.normalizers import Lowercase
    >>> from engine.pipeline.pretokenizers import Whitespace
    >>> model = WordPiece({"[UNK]": 0, "hug": 1, "##s": 2})
    >>> pipeline = Pipeline(model, normalizer=Lowercase(), pre_tokenizer=Whitespace())
    >>> found = losses(pipeline, pipeline.run("Hugs 漢"))
    >>> found.changed, found.dropped, found.unknown
    ((Change(old='H', new='h'),), (' ',), ('漢',))
    """
    special, unknown_id = pipeline.special_ids, pipeline.model.unknown_id
    given, tokens = run.text.text, run.text.tokens
    left = _covered(span for part in run.text.sections for span in part.spans)
    kept = _covered(span for part in run.text.pieces for span in part.spans)
    skipped = dict.fromkeys(token.text for token in run.tokens if token.token_id in special)
    return Losses(
        changed=tuple(_changes(run.text)),
        dropped=tuple(_stretches(given, left - kept)),
        unknown=tuple(given[slice(*each.span)] for each in tokens if each.token_id == unknown_id),
        unspelled=tuple(_stretches(given, _unspelled(pipeline, run.text))),
        skipped=tuple(skipped),
        comes_back=run.decoded == given,
    )


def _unspelled(pipeline: Pipeline, text: TextRun) -> set[int]:
    """Return the places of characters that have no token, or not for all of their bytes."""
    if not isinstance(pipeline.model, MergingModel):
        return set()  # an unknown token replaces all that these lack
    in_bytes, unknown_id = pipeline.splitter.in_bytes, pipeline.model.unknown_id
    texts = pipeline.model.tokens(in_bytes)
    of_piece: defaultdict[int | None, list[int]] = defaultdict(list)
    for token in text.tokens:
        of_piece[token.piece].append(token.token_id)
    places: set[int] = set()
    for number, part in enumerate(text.pieces):
        ids = of_piece[number]
        if part.token is not None or unknown_id in ids:
            continue
        spelled = b"".join(texts[token_id] for token_id in ids)
        datas = [unspell(each) if in_bytes else to_bytes(each) for each in part.text]
        spans = [span for span, data in zip(part.spans, datas, strict=True) for _ in data]
        places |= _covered(spans[at] for at in unspelled_places(b"".join(datas), spelled))
    return places


def _changes(text: TextRun) -> Iterator[Change]:
    """Yield the changes of the normalizer; what is left out joins the text before it."""
    changing = (part for part in text.sections if part.token is None)
    characters = (each for part in changing for each in zip(part.spans, part.text, strict=True))
    taken = _covered(span for part in text.sections for span in part.spans)
    for (start, end), group in groupby(characters, key=lambda character: character[0]):
        new = "".join(character for _, character in group)
        while end < len(text.text) and end not in taken:
            end += 1  # marks composed into one character, or removed
        old = text.text[start:end]
        if old != new:
            yield Change(old, new)
    lead = next((place for place in range(len(text.text)) if place in taken), len(text.text))
    if lead:
        yield Change(text.text[:lead], "")


def _stretches(text: str, places: set[int]) -> Iterator[str]:
    """Yield the characters of these places; adjacent ones form one stretch."""
    for _, run in groupby(enumerate(sorted(places)), key=lambda item: item[1] - item[0]):
        yield "".join(text[place] for _, place in run)


def _covered(spans: Iterable[Span]) -> set[int]:
    return {place for start, end in spans for place in range(start, end)}
