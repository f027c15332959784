"""`bpe-tui convert` and `bpe-tui inspect`: a tokenizer in another format; its kind."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bpe_tui.cli import console, inputs, options, outputs
from bpe_tui.cli.program import GroupedHelp, app, examples
from bpe_tui.widgets.numbers import plural
from bpe_tui.widgets.visible import visible_text
from engine import formats
from engine.core.errors import OutputExistsError
from engine.core.gpt2_bytes import spell
from engine.core.json_fields import gc_paused

if TYPE_CHECKING:
    from engine.analysis.inspection import Inspection, TokenExamples


@app.command(
    cls=GroupedHelp,
    epilog=examples("bpe-tui convert tokenizer --to gpt2 --out copy"),
)
def convert(
    tokenizer: list[str] = options.TOKENIZER_FILES,
    to: str = options.option(
        "--to FORMAT",
        f"The format to write: {', '.join(formats.WRITABLE)}.",
        options.OUTPUT,
        default=...,
        autocompletion=options.completed_by(formats.WRITABLE),
    ),
    out: Path = options.TOKENIZER_OUT,
    force: bool = options.FORCE,
) -> None:
    """Write a tokenizer in another format.

    Losses in the format are printed. The written tokenizer is read again, and has to encode like
    the original.
    """
    formats.writable_format(to)  # a wrong name is an error before anything is read
    opened = formats.open_tokenizer(*tokenizer)
    try:
        notes = formats.convert(opened.tokenizer, to, out, overwrite=force)
    except OutputExistsError as error:
        raise outputs.exists_error(out) from error
    for message in (*opened.notes, *notes):
        inputs.note(message)
    tokens = plural(len(opened.tokenizer.vocab), "token")
    print(f"{tokens} in {visible_text(str(out), spaces=False)} ({to}), read again and checked")


WIDEST = 100
LONGEST = 20


@app.command(
    cls=GroupedHelp,
    epilog=examples("bpe-tui inspect tokenizer", "bpe-tui inspect tokenizer --json"),
)
def inspect(
    tokenizer: list[str] = options.TOKENIZER_FILES,
    as_json: bool = options.JSON,
) -> None:
    """Print what kind of tokenizer this is."""
    with gc_paused():  # until the tokenizer is freed
        _inspect(tokenizer, as_json)


def _inspect(tokenizer: Sequence[str], as_json: bool) -> None:
    from bpe_tui.bpe.inspection_rows import SECTIONS  # brings numpy, which is slow to import
    from engine.analysis.inspection import Inspection

    inspection = Inspection.of_opened(formats.open_tokenizer(*tokenizer)).prepare()
    if as_json:
        console.print_json(facts(inspection))
        return
    print(visible_text(" ".join(tokenizer), spaces=False))
    width = min(shutil.get_terminal_size().columns, WIDEST) - 2
    for section in SECTIONS:
        print(f"\n{section.title}")
        for row in section.rows(inspection, width):
            print("  " + "".join(text for text, _ in row.spans).rstrip())


def facts(inspection: Inspection) -> dict[str, Any]:
    """Return the inspection as JSON, with tokens in GPT-2's spelling."""
    from bpe_tui.bpe.inspection_rows import premiums  # brings numpy
    from engine.analysis.measures import EXAMPLE, Segmentations

    numbers = inspection.numbers
    return {
        "format": inspection.format,
        "notes": list(inspection.notes),
        "tokens": inspection.size,
        "merges": inspection.merges if inspection.encodes else None,
        "greatest_id": inspection.greatest_id,
        "gaps": {"count": inspection.gaps.count, "first": inspection.gaps.stretches},
        "special_tokens": inspection.special_ids,
        "pattern": {"name": inspection.pattern_name, "regex": inspection.pattern.source},
        "numbers": {
            "policy": numbers.policy,
            "longest_piece": numbers.longest,
            "tokens_by_digits": {str(n): have for n, (have, _) in numbers.known.items()},
        },
        "whitespace_runs": inspection.whitespace_runs,
        "ways_to_cut": inspection.rules
        and {spell(EXAMPLE): asdict(Segmentations.of(inspection.rules, EXAMPLE))},
        "times_english": {name: round(each, 4) for name, each in premiums(inspection).items()},
        "lengths": {str(n): count for n, count in inspection.length_histogram},
        "mean_length": round(inspection.mean_length, 4),
        "kinds": dict(inspection.kinds),
        "partial": _few(inspection, inspection.odd("partial")),
        "never_encoded": _few(inspection, inspection.odd("never-encoded"))
        if inspection.encodes
        else None,
        "duplicates": _few(inspection, inspection.odd("duplicates")),
        "longest": [_token(inspection, token_id) for token_id in inspection.longest(LONGEST)],
    }


def _few(inspection: Inspection, few: TokenExamples) -> dict[str, Any]:
    return {"count": few.count, "first": [_token(inspection, token_id) for token_id in few.ids]}


def _token(inspection: Inspection, token_id: int) -> dict[str, Any]:
    return {"id": token_id, "token": spell(inspection.vocabulary.token(token_id))}
