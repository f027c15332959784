"""The reasons why an action does nothing in a session: its model, its tokenizer, its corpus."""

from __future__ import annotations

from typing import Final

from bpe_tui.session.commands import COMMANDS, lacking
from bpe_tui.session.declarations import EVERYWHERE, OF_VOCABULARY
from bpe_tui.session.session import Session
from bpe_tui.widgets.language import tr

OF_WALKS = ("screen.walk(1)", "screen.walk(-1)")
"""The actions of `→` and `←` on the encoding screens."""
OF_MERGES = {*OF_WALKS, *(each.action for each in COMMANDS if each.of_merges)}
WALKS = (*OF_WALKS, "screen.play")
"""The actions of those that also walk through the longest match."""
ENCODES = {
    "app.open('COMPARE')",
    *(f"app.show('{kind}')" for kind in EVERYWHERE if kind not in OF_VOCABULARY),
}
"""The actions that show a screen on which texts are encoded."""
OF_CONFIGS = {each.action: each.why_not for each in COMMANDS if each.why_not}
WITHOUT_MERGES: Final = (
    "Its merges are missing, so no text can be encoded: open it with its merges (o)."
)
NO_ORIGIN: Final = "I leads back from a fork, or from another model: i makes a fork, M trains."


def refusal_of(action: str, session: Session) -> str | None:
    """Return why an action does nothing in a session; `None` if it does something."""
    if (refused := lacking(session.model).get(action)) is not None:
        return refused
    is_about_merges = action in OF_MERGES
    if not session.encodes and (is_about_merges or action in ENCODES):
        return WITHOUT_MERGES
    if is_about_merges and session.merges_nothing and session.opened is not None:
        pipeline = session.opened.tokenizer.pipeline
        model = "" if pipeline is None else f" {pipeline.model.name}"
        if not (session.takes_longest and action in WALKS):
            template = "This is about merges, and the model{model} has none; 8 shows what it does."
            return tr(template, model=model)
    if action == "app.leave_run" and not (session.forked_from or session.came_from):
        return NO_ORIGIN
    why_not = OF_CONFIGS.get(action)
    return None if why_not is None else why_not(session.config)
