"""Losses of a text on its way through a pipeline, stage by stage.

Decoding cannot restore what a normalizer changed, what a pre-tokenizer left out, or what became an
unknown token. Each is found by tracing characters back to the original.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby

from engine.pipeline.pipeline import Pipeline, PipelineRun, Span, TextRun


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
        unspelled=tuple(_stretches(given, kept - _covered(token.span for token in tokens))),
        skipped=tuple(skipped),
        comes_back=run.decoded == given,
    )


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
