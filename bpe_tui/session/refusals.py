"""The reasons why an action does nothing in a session: its model, its tokenizer, its corpus."""

from __future__ import annotations

from typing import Final

from bpe_tui.session.config import Config, RunConfig, why_not_checkable
from bpe_tui.session.declarations import EVERYWHERE, OF_VOCABULARY
from bpe_tui.session.session import Session

ABOUT_MERGES = {
    "app.tie(1)",
    "app.tie(-1)",
    "app.breakpoints",
    "screen.menu('next')",
    "app.what_if",
    "screen.ask",
    "screen.walk(1)",
    "screen.walk(-1)",
    "screen.play",
    "screen.why",
    "screen.sub_step",
    "screen.heap_view",
    "screen.pseudocode",
    "app.show('race')",
    "app.show('check')",
}
"""The actions that do nothing for a tokenizer without merges."""
WALKS = {action for action in ABOUT_MERGES if "walk" in action or action == "screen.play"}
"""The actions of those that also walk through the longest match."""
ENCODES = {f"app.show('{kind}')" for kind in EVERYWHERE if kind not in OF_VOCABULARY}
"""The actions that show a screen on which texts are encoded."""
WITHOUT_MERGES: Final = (
    "Its merges are missing, so no text can be encoded: open it with its merges (o)."
)
NO_TEXT: Final = "Race, family, check and chunks need a text to count in: o opens one."
NO_FORK: Final = "This run is no fork: i makes one, and I leads back from it."


def refusal_of(action: str, session: Session) -> str | None:
    """Return why an action does nothing in a session; `None` if it does something."""
    if (refused := session.model.refused.get(action)) is not None:
        return refused
    is_about_merges = action in ABOUT_MERGES
    if not session.encodes and (is_about_merges or action in ENCODES):
        return WITHOUT_MERGES
    if is_about_merges and session.merges_nothing and session.opened is not None:
        pipeline = session.opened.tokenizer.pipeline
        model = "" if pipeline is None else f" {pipeline.model.name}"
        if not (session.takes_longest and action in WALKS):
            return f"This is about merges, and the model{model} has none; 8 shows what it does."
    if action == "app.leave_fork" and session.forked_from is None:
        return NO_FORK
    if (why_not := OF_CONFIGS.get(action)) is not None:
        return why_not(session.config)
    return None


def why_not_counted(config: Config) -> str | None:
    """Return why nothing is counted; `None` if a text is open."""
    return NO_TEXT if not isinstance(config, RunConfig) and config.corpus is None else None


def why_not_forked(config: Config) -> str | None:
    """Return why no fork can be made; `None` if one can."""
    if isinstance(config, RunConfig):
        return None
    return "These merges are a tokenizer's; only a training from a text has forks."


def why_not_predicted(config: Config) -> str | None:
    """Return why no merge can be predicted; `None` if counts have chosen some."""
    if isinstance(config, RunConfig) or config.continued:
        return None
    return "Nothing to predict: these merges are a tokenizer's; no count chose them."


def why_not_retrained(config: Config) -> str | None:
    """Return why no other model can be trained on an open corpus; `None` if one can."""
    if not isinstance(config, RunConfig):
        return "A model is trained on a corpus, and this is a tokenizer. o opens a corpus."
    if config.from_input:
        return "Standard input has been read to its end; another model needs the corpus in a file."
    return None


def why_not_continued(config: Config) -> str | None:
    """Return why no merges can be learnt after a tokenizer's; `None` if they can."""
    if isinstance(config, RunConfig):
        return "This goes on with a tokenizer from a file: save it (s), then open that (o)."
    if config.corpus is None:
        return "New merges are learnt from a text: o opens a corpus."
    if config.from_input:
        return "Standard input has been read to its end; save it as a file, and open that."
    return None


OF_CONFIGS = {
    "app.open('CHECK')": why_not_checkable,
    "app.show('race')": why_not_counted,
    "app.show('family')": why_not_counted,
    "app.show('check')": why_not_counted,
    "app.show('chunks')": why_not_counted,
    "app.model": why_not_retrained,
    "app.what_if": why_not_forked,
    "app.predict": why_not_predicted,
    "app.continue_tokenizer": why_not_continued,
}
"""Action → the function that says why it does nothing for what is open."""
