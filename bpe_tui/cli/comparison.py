"""A comparison of tokenizers in lines, and in JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import Any

from bpe_tui.widgets.columns import left
from bpe_tui.widgets.visible import number, plural, shorten, visible_bytes, visible_text, width
from engine.analysis.comparison import Difference, TextComparison, first_parting, overlap
from engine.analysis.comparison.vocabularies import BytesPair
from engine.core.gpt2_bytes import spell
from engine.encoding.tokenizer import Tokenizer

NAME_CELLS, COLUMN = 22, 16
CONTEXT = 12
"""Bytes of the text on either side of a difference."""
EXAMPLES, LONGEST = 8, 60
SCRIPTS = 8


@dataclass(frozen=True)
class Compared:
    """What is compared: names and tokenizers, and the texts by name."""

    names: Sequence[str]
    tokenizers: Sequence[Tokenizer]
    texts: Sequence[tuple[str, TextComparison]]


def told(compared: Compared, limit: int | None) -> Iterator[str]:
    """The comparison in lines; of the differences the first `limit`."""
    for name, text in compared.texts:
        yield from _text_told(compared, name, text, limit)
        yield ""
    yield _line("vocabulary", [_name(name, COLUMN - 2) for name in compared.names])
    found = overlap(compared.tokenizers)
    yield _line("  different tokens", map(number, found.sizes))
    yield _line("  merges", (number(len(each.merges)) for each in compared.tokenizers))
    yield _line("  only here", (number(len(tokens)) for tokens in found.only))
    yield _line("  in all", [number(found.shared)])
    if len(compared.names) > 2:
        for name, row in zip(compared.names, found.pairwise, strict=True):
            yield _line(f"  shared with {_name(name, NAME_CELLS - 15)}", map(number, row))
    for name, tokens in zip(compared.names, found.only, strict=True):
        if tokens:
            yield f"  only in {_name(name, 40)}: {_few(tokens)}"
    yield from _partings(compared)


def _text_told(
    compared: Compared, name: str, text: TextComparison, limit: int | None
) -> Iterator[str]:
    yield _line(
        shorten(visible_text(name, spaces=False), NAME_CELLS - 1),
        [_name(each, COLUMN - 2) for each in compared.names],
    )
    yield _line("  tokens", map(number, text.token_counts))
    yield _line("  bytes/token", (f"{each:.3f}" for each in text.bytes_per_token))
    for script in text.fertility[:SCRIPTS]:
        label = shorten(f"  tokens/word, {script.script}", NAME_CELLS - 1)
        values = [f"{each:.3f}" for each in script.tokens_per_word]
        yield _line(label, values) + f"  {plural(script.words, 'word')}"
    places = len(text.differences)
    if not places:
        yield "  All cut it alike."
        return
    share = 100 * text.differing_bytes / len(text.data)
    yield (
        f"  Cut differently in {plural(places, 'place')}, "
        f"{number(text.differing_bytes)} of {plural(len(text.data), 'byte')} ({share:.1f} %):"
    )
    for difference in islice(text.differences, limit):
        yield from _difference_told(compared.names, text.data, difference)
    if limit is not None and places > limit:
        yield f"  … and in {plural(places - limit, 'place')} more; --all prints them"


def _difference_told(names: Sequence[str], data: bytes, difference: Difference) -> Iterator[str]:
    """The stretch by each tokenizer, what is around it dimmed by `…`."""
    start, end = difference.start, difference.end
    before = _context(data[max(start - CONTEXT, 0) : start], from_end=True)
    after = _context(data[end : end + CONTEXT], from_end=False)
    longest = max(map(width, (_name(name, COLUMN) for name in names)))
    yield f"  byte {number(start)}"
    for name, edges in zip(names, difference.edges, strict=True):
        tokens = "│".join(visible_bytes(data[a:b]) for a, b in pairwise(edges))
        label = "".join(text for text, _ in left([(_name(name, COLUMN), "")], longest))
        count = plural(len(edges) - 1, "token")
        yield f"    {label}  {before}│{shorten(tokens, LONGEST)}│{after}   {count}"


def _context(data: bytes, from_end: bool) -> str:
    """Whole characters near the difference: bytes of those that were cut are left out."""
    if from_end:
        while data and data[0] & 0xC0 == 0x80:
            data = data[1:]
    else:
        data = data.decode("utf-8", "ignore").encode()
    return visible_bytes(data)


def _partings(compared: Compared) -> Iterator[str]:
    for other, name in islice(zip(compared.tokenizers, compared.names, strict=True), 1, None):
        both = f"{_name(compared.names[0], 30)} and {_name(name, 30)}"
        found = first_parting(compared.tokenizers[0], other)
        if found is None:
            yield f"  {both} have {'the same' if other.merges else 'no'} merges"
        else:
            one, another = (_merge(merge) for merge in found.merges)
            yield f"  {both} part at merge {number(found.rank)}: {one} and {another}"


def _merge(merge: BytesPair | None) -> str:
    return "no more merges" if merge is None else " + ".join(map(visible_bytes, merge))


def _line(name: str, values: Any) -> str:
    """A name and a column for each value, aligned right."""
    padded = name + " " * (NAME_CELLS - width(name))
    return padded + "".join(" " * (COLUMN - width(value)) + value for value in values)


def _name(name: str, cells: int) -> str:
    return shorten(visible_text(name, spaces=False), cells)


def _few(tokens: Sequence[bytes]) -> str:
    shown = "  ".join(shorten(visible_bytes(token), 20) for token in tokens[:EXAMPLES])
    return shown + ("  …" if len(tokens) > EXAMPLES else "")


def told_json(compared: Compared, limit: int | None) -> dict[str, Any]:
    """The same as JSON; tokens in GPT-2's spelling, places in bytes."""
    found = overlap(compared.tokenizers)
    partings = [first_parting(compared.tokenizers[0], each) for each in compared.tokenizers[1:]]
    return {
        "tokenizers": list(compared.names),
        "texts": [_text_json(name, text, limit) for name, text in compared.texts],
        "vocabulary": {
            "sizes": found.sizes,
            "shared_by_all": found.shared,
            "pairwise": found.pairwise,
            "only": [[spell(token) for token in tokens[:limit]] for tokens in found.only],
            "only_counts": list(map(len, found.only)),
        },
        "first_different_merge": [
            parting
            and {
                "rank": parting.rank,
                "merges": [merge and list(map(spell, merge)) for merge in parting.merges],
            }
            for parting in partings
        ],
    }


def _text_json(name: str, text: TextComparison, limit: int | None) -> dict[str, Any]:
    return {
        "name": name,
        "bytes": len(text.data),
        "tokens": text.token_counts,
        "bytes_per_token": [round(each, 4) for each in text.bytes_per_token],
        "fertility": [
            {
                "script": each.script,
                "words": each.words,
                "tokens_per_word": [round(value, 4) for value in each.tokens_per_word],
            }
            for each in text.fertility
        ],
        "differing_bytes": text.differing_bytes,
        "difference_count": len(text.differences),
        "differences": [
            {"start": each.start, "end": each.end, "edges": each.edges}
            for each in islice(text.differences, limit)
        ],
    }
