"""New styles for only those widgets that a class of the screen can change; right styles at first.

Textual computes the styles of all widgets below one that gets a class or loses it. No rule names
the class for most of them.
"""

from __future__ import annotations

from collections.abc import Iterable

from textual.css.model import RuleSet, Selector, SelectorType
from textual.css.stylesheet import Stylesheet
from textual.dom import DOMNode

_MARKS = {SelectorType.TYPE: "", SelectorType.CLASS: ".", SelectorType.ID: "#"}


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


def restyle(node: DOMNode, classes: Iterable[str]) -> None:
    """Compute the styles that some classes can change, of a widget and those below it.

    Args:
        classes: names without a dot, which the widget or some below it have got or lost.
    """
    sheet = node.app.stylesheet
    names = names_beside(sheet, frozenset(classes))
    # Textual's stylesheet finds the rules of a widget by the same names.
    sheet.update_nodes(
        each for each in node.walk_children(with_self=True) if each._selector_names & names
    )


def names_beside(sheet: Stylesheet, classes: frozenset[str]) -> frozenset[str]:
    """Return the last names of all selectors with one of the classes.

    `.slot-heap #pairs, .slot-words Lines { … }` and `slot-heap` → `#pairs`.
    """
    return frozenset(
        _name_of(chain.selectors[-1])
        for rule in sheet.rules
        for chain in rule.selector_set
        if any(each.type is SelectorType.CLASS and each.name in classes for each in chain.selectors)
    )


def _name_of(selector: Selector) -> str:
    """Return a selector as it is written in a style sheet: `#pairs`."""
    mark = _MARKS.get(selector.type)
    return "*" if mark is None else f"{mark}{selector.name}"
