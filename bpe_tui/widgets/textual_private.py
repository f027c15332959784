"""x"""

from __future__ import annotations

from textual.css.model import RuleSet
from textual.css.stylesheet import Stylesheet


class CurrentStylesheet(Stylesheet):
    """A style sheet whose rules by name are those of all its sources.

    Textual's are older for the first widget of a class: its default styles are a source that is not
    parsed yet. So that widget would need its styles twice.
    """

    @property
    def rules_map(self) -> dict[str, list[RuleSet]]:
        """Name in a selector → the rules with it."""
        _ = self.rules  # parses new sources
        return super().rules_map
