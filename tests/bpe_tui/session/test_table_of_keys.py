"""The table of all keys in the docs has each key of each screen, and nothing else."""

from __future__ import annotations

from pathlib import Path

from bpe_tui.session.commands import COMMANDS
from bpe_tui.session.declarations import TABS
from bpe_tui.views.commands import commands_on

DOCS = Path(__file__).parents[3] / "docs" / "screens.md"


def table_of_keys() -> list[str]:
    """Return the rows of the table: a key, and its label on each screen of BPE."""
    labels = {kind: {each.keys: each.label for each in commands_on(kind)} for kind in TABS}
    everywhere = [each for each in COMMANDS if all(each.keys in labels[kind] for kind in TABS)]
    rows = []
    for keys in dict.fromkeys(each.keys for each in COMMANDS if each not in everywhere):
        cells = [labels[kind].get(keys, "") for kind in TABS]
        shown = next(each.shown for each in COMMANDS if each.keys == keys)
        if any(cells) and not shown.isdigit():
            rows.append(f"| `{shown}` | {' | '.join(cells)} |")
    return rows


def test_the_docs_have_all_keys_of_all_screens() -> None:
    head = "| key | " + " | ".join(f"{key} {name}" for key, name, _ in TABS.values()) + " |"
    table = [head, "|---" * (len(TABS) + 1) + "|", *table_of_keys()]
    assert "\n".join(table) in DOCS.read_text(encoding="utf-8")
