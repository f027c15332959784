"""What a command is, and on which screens there are some."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bpe_tui.widgets.key_bar import Key

TRAINING, ENCODING, VOCABULARY, CHARTS = "training", "encoding", "vocabulary", "charts"
FAMILY = "family"
INSPECTION, COMPARISON, RACE, PIPELINE = "inspection", "comparison", "race", "pipeline"
EVERYWHERE = (TRAINING, ENCODING, VOCABULARY, CHARTS, INSPECTION, RACE, FAMILY, PIPELINE)
"""Where a session is shown."""
ALWAYS = (*EVERYWHERE, COMPARISON)
STEP, PLAY, LOOK, FILTER, DO = "Step", "Play", "Look", "Filter", "Do"
"""The groups of commands, as the help has them."""


@dataclass(frozen=True)
class Command:
    """A thing to do. `keys` are Textual's names; `shown` is how a person reads them.

    It holds on the screens that it names, and on every model's screen of these kinds (`models`).
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
        from bpe_tui.widgets.key_bar import Key  # the command line knows commands without Textual

        return Key(self.shown.split()[0], self.label, self.action)
