"""`bpe-tui inspect`: what kind of tokenizer is this?"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from typing import Any

from bpe_tui.bpe.inspection_rows import SECTIONS
from bpe_tui.cli.console import PROGRAM, print_json
from bpe_tui.cli.options import JsonOption, TokenizerArgument
from bpe_tui.cli.program import GroupedHelp, app, examples
from bpe_tui.widgets.visible import visible_text
from engine.analysis.inspection import Inspection, TokenExamples
from engine.core.gpt2_bytes import spell
from engine.core.json_fields import gc_paused
from engine.formats import open_tokenizer

WIDEST = 100
LONGEST = 20


@app.command(
    cls=GroupedHelp,
    epilog=examples(f"{PROGRAM} inspect tokenizer", f"{PROGRAM} inspect tokenizer --json"),
)
def inspect(
    tokenizer: TokenizerArgument,
    as_json: JsonOption = False,
) -> None:
    """Print what kind of tokenizer this is."""
    with gc_paused():  # until all is printed and let go
        _inspect(tokenizer, as_json)


def _inspect(tokenizer: Sequence[str], as_json: bool) -> None:
    inspection = Inspection.of_opened(open_tokenizer(*tokenizer)).prepare()
    if as_json:
        print_json(facts(inspection))
        return
    print(visible_text(" ".join(tokenizer), spaces=False))
    width = min(shutil.get_terminal_size().columns, WIDEST) - 2
    for section in SECTIONS:
        print(f"\n{section.title}")
        for row in section.rows(inspection, width):
            print("  " + "".join(text for text, _ in row.spans).rstrip())


def facts(inspection: Inspection) -> dict[str, Any]:
    """All of it as JSON; tokens are in GPT-2's spelling."""
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
        "lengths": {str(n): count for n, count in inspection.length_histogram},
        "mean_length": round(inspection.mean_length, 4),
        "kinds": dict(inspection.kinds),
        "partial": _few(inspection, inspection.partial),
        "unreachable": _few(inspection, inspection.unreachable) if inspection.encodes else None,
        "twins": _few(inspection, inspection.twins),
        "duplicates": _few(inspection, inspection.duplicates),
        "longest": [_token(inspection, token_id) for token_id in inspection.longest(LONGEST)],
    }


def _few(inspection: Inspection, few: TokenExamples) -> dict[str, Any]:
    return {"count": few.count, "first": [_token(inspection, token_id) for token_id in few.ids]}


def _token(inspection: Inspection, token_id: int) -> dict[str, Any]:
    return {"id": token_id, "token": spell(inspection.vocabulary.token(token_id))}
