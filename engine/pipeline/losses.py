"""What does a text lose on its way through a pipeline, and in which stage?

Decoding can only give back what the ids still tell. What a normalizer changed, what a
pre-tokenizer left out and what became an unknown token is gone; each is found by following where
characters come from.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby

from engine.pipeline.pipeline import AlignedPart, OutputToken, Pipeline, PipelineRun, Span, TextRun


@dataclass(frozen=True)
class Change:
    """A stretch of a text that became another one; nothing, where it was left out."""

    old: str
    new: str


@dataclass(frozen=True)
class Losses:
    """What each stage did to a run that decoding cannot undo.

    Attributes:
        changed: what the normalizer made something else.
        dropped: what the pre-tokenizer left out.
        unknown: what an unknown token stands for.
        unspelled: what the model left out.
        skipped: the special tokens, the unknown one often among them, that decoding leaves out.
        comes_back: whether the decoded text is the one that was given.
    """

    changed: tuple[Change, ...]
    dropped: tuple[str, ...]
    unknown: tuple[str, ...]
    unspelled: tuple[str, ...]
    skipped: tuple[str, ...]
    comes_back: bool


def losses(pipeline: Pipeline, run: PipelineRun) -> Losses:
    """What a run lost.

    >>> from engine.pipeline.models import WordPiece
    >>> from engine.pipeline.normalizers import Lowercase
    >>> from engine.pipeline.pretokenizers import Whitespace
    >>> model = WordPiece({"[UNK]": 0, "hug": 1, "##s": 2})
    >>> pipeline = Pipeline(model, normalizer=Lowercase(), pre_tokenizer=Whitespace())
    >>> found = losses(pipeline, pipeline.run("Hugs 漢"))
    >>> found.changed, found.dropped, found.unknown
    ((Change(old='H', new='h'),), (' ',), ('漢',))
    """
    changed: list[Change] = []
    dropped: list[str] = []
    unknown: list[str] = []
    unspelled: list[str] = []
    for text in run.texts:
        changed += _changes(text)
        left = _covered(part.span for part in _each_character(text.sections))
        dropped += _missing(text.text, left, _each_character(text.pieces))
        unknown += [_source(text, token) for token in text.tokens if _is_unknown(pipeline, token)]
        kept = _covered(part.span for part in _each_character(text.pieces))
        unspelled += _stretches(text.text, kept - _covered(token.span for token in text.tokens))
    special = pipeline.special_ids
    skipped = dict.fromkeys(token.text for token in run.tokens if token.token_id in special)
    given = "".join(text.text for text in run.texts)
    return Losses(
        *(tuple(changed), tuple(dropped), tuple(unknown), tuple(unspelled), tuple(skipped)),
        run.decoded == given,
    )


def _is_unknown(pipeline: Pipeline, token: OutputToken) -> bool:
    return token.token_id == pipeline.model.unknown_id


def _source(text: TextRun, token: OutputToken) -> str:
    return text.text[slice(*token.span)]


def _each_character(parts: Iterable[AlignedPart]) -> Iterator[AlignedPart]:
    """The parts in single characters, each with its own span."""
    for part in parts:
        for place in range(len(part.text)):
            yield AlignedPart(part.aligned.part(place, place + 1), part.token)


def _changes(text: TextRun) -> Iterator[Change]:
    """What the sections have in other characters, what is left out with what is before it."""
    characters = [part for part in _each_character(text.sections) if part.token is None]
    groups = [
        (span, "".join(part.text for part in group))
        for span, group in groupby(characters, key=lambda part: part.span)
    ]
    taken = _covered(part.span for part in _each_character(text.sections))
    for (start, end), new in groups:
        while end < len(text.text) and end not in taken:
            end += 1  # marks that went into one character, or went away
        old = text.text[start:end]
        if old != new:
            yield Change(old, new)
    lead = next((place for place in range(len(text.text)) if place in taken), len(text.text))
    if lead:
        yield Change(text.text[:lead], "")


def _missing(text: str, before: set[int], after: Iterable[AlignedPart]) -> Iterator[str]:
    return _stretches(text, before - _covered(part.span for part in after))


def _stretches(text: str, places: set[int]) -> Iterator[str]:
    """The characters of these places, those side by side together."""
    for _, run in groupby(enumerate(sorted(places)), key=lambda item: item[1] - item[0]):
        yield "".join(text[place] for _, place in run)


def _covered(spans: Iterable[Span]) -> set[int]:
    return {place for start, end in spans for place in range(start, end)}
