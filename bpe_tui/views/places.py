"""Where a command works: for keys that do nothing here, and to find commands by words."""

from __future__ import annotations

from bpe_tui.session.commands.command import COMPARISON, EVERYWHERE, Command, shown_keys
from bpe_tui.session.commands.table import COMMANDS
from bpe_tui.session.model import Model
from bpe_tui.session.models import MODELS
from bpe_tui.views.commands import commands_on


def kinds_with(command: Command, model: Model) -> list[str]:
    """The kinds of screens of a model's session on which the command does something."""
    return [
        kind
        for kind in EVERYWHERE
        if f"app.show('{kind}')" not in model.refused and command in commands_on(model.screen(kind))
    ]


def other_models_with(command: Command, model: Model) -> list[Model]:
    """The other models with which the command does something."""
    return [other for other in MODELS.values() if other is not model and kinds_with(command, other)]


def key_of(kind: str) -> str:
    """The key that leads to a kind of screen: 'charts' → '4'."""
    return next(each.shown for each in COMMANDS if each.action == f"app.show('{kind}')")


def explain_dead_key(key: str, model: Model | None) -> str | None:
    """Where a key works that does nothing on the screen in front; `None` if it is no key to press.

    For example `u: unused on 3 vocabulary · time on 6 race · undo on 8 pipeline`.

    Args:
        key: Textual's name of it.
        model: the session's; `None`: there is only the comparison.
    """
    shown = shown_keys(key)
    commands = [command for command in COMMANDS if key in command.keys.split(",")]
    told = _on_screens(commands, model) if model is not None else ""
    if not told and any(COMPARISON in command.screens for command in commands):
        told = "to go between differences, on the comparison of tokenizers (d on 2 encoding)"
    if not told and model is not None:
        told = _of_other_models(commands, model)
    if told:
        return f"{shown}: {told}."
    if len(shown) != 1:
        return None  # such as PageUp where nothing scrolls
    return f"{shown} is no key here; ? shows those that are."


def _on_screens(commands: list[Command], model: Model) -> str:
    """What the key does on other screens of the session."""
    found: dict[str, list[str]] = {}
    known = [(command, kinds_with(command, model)) for command in commands]
    for kind in EVERYWHERE:
        for command, kinds in known:
            if kind in kinds:
                found.setdefault(command.label, []).append(f"{key_of(kind)} {kind}")
    return " · ".join(f"{label} on {', '.join(kinds)}" for label, kinds in found.items())


def _of_other_models(commands: list[Command], model: Model) -> str:
    """What the key does on screens of other models."""
    parts = [
        f"{command.label} with {other.title}"
        for command in commands
        for other in other_models_with(command, model)
    ]
    return f"{' · '.join(dict.fromkeys(parts))} (M changes the model)" if parts else ""
