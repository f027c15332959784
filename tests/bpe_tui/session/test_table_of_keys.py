"""The table of all keys in the docs has each key of each screen; few keys mean several things."""

from pathlib import Path

from bpe_tui.session.commands import COMMANDS
from bpe_tui.session.declarations import TABS, shown_keys
from bpe_tui.shell.commands import commands_on

MOST_KEYS, MOST_AMBIGUOUS = 72, 8
DOCS = Path(__file__).parents[3] / "docs" / "screens.md"


def table_of_keys() -> list[str]:
    """Return the rows of the table: a key, and its label on each screen of BPE."""
    labels = {
        kind: {each.keys: each.label for each in commands_on(kind) if not each.menu}
        for kind in TABS
    }
    everywhere = [each for each in COMMANDS if all(each.keys in labels[kind] for kind in TABS)]
    rows = []
    for keys in dict.fromkeys(each.keys for each in COMMANDS if each not in everywhere):
        cells = [labels[kind].get(keys, "") for kind in TABS]
        shown = next((each.shown for each in COMMANDS if each.keys == keys and not each.menu), "")
        if any(cells) and not shown.isdigit():
            rows.append(f"| `{shown}` | {' | '.join(cells)} |")
    return rows


def test_the_docs_have_all_keys_of_all_screens() -> None:
    head = "| key | " + " | ".join(f"{key} {name}" for key, name, _ in TABS.values()) + " |"
    table = [head, "|---" * (len(TABS) + 1) + "|", *table_of_keys()]
    assert "\n".join(table) in DOCS.read_text(encoding="utf-8")


def meanings() -> dict[str, set[str]]:
    """Map each key to what it does on any screen of any model: its actions."""
    found: dict[str, set[str]] = {}
    for command in COMMANDS:
        for key in () if command.menu or not command.keys else command.keys.split(","):
            found.setdefault(key, set()).add(command.action)
    return found


def test_few_keys_mean_several_things_and_the_docs_list_these() -> None:
    assert len(meanings()) <= MOST_KEYS, "take a key away, or put the command into a menu"
    several = {shown_keys(key) for key, actions in meanings().items() if len(actions) > 1}
    assert len(several) <= MOST_AMBIGUOUS, "choose a key that means nothing else"
    text = DOCS.read_text(encoding="utf-8")
    listed = text.split("### Keys that mean several things")[1].split("###")[0]
    assert {row.split("`")[1] for row in listed.splitlines() if row.startswith("| `")} == several
