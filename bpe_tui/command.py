"""What a command is, and on which screens there are some."""

from __future__ import annotations

from dataclasses import dataclass

from bpe_tui.widgets.key_bar import Key

TRAINING, ENCODING, VOCABULARY, CHARTS = "training", "encoding", "vocabulary", "charts"
INSPECTION, COMPARISON, RACE, PIPELINE = "inspection", "comparison", "race", "pipeline"
EVERYWHERE = (TRAINING, ENCODING, VOCABULARY, CHARTS, INSPECTION, RACE, PIPELINE)
"""Where a session is shown."""
ALWAYS = (*EVERYWHERE, COMPARISON)


@dataclass(frozen=True)
class Command:
    """A thing to do. `keys` are Textual's names; `shown` is how a person reads them.

    The footer shows it if `in_footer`. While a text is being typed only commands `in_fields` have
    their keys; while the corpus is still being read the footer shows those `in_reading`.
    """

    action: str
    keys: str
    shown: str
    label: str
    help: str
    group: str
    screens: tuple[str, ...] = EVERYWHERE
    in_footer: bool = False
    in_fields: bool = False
    in_reading: bool = False

    @property
    def key(self) -> Key:
        """What the footer shows."""
        return Key(self.shown.split()[0], self.label, self.action)
