# ruff: noqa: F401
"""Names inside `bpe_tui/dialogs` that tests need: they know the room, not its modules."""

from __future__ import annotations

from bpe_tui.dialogs.export import Export
from bpe_tui.dialogs.find_pair import FindPair
from bpe_tui.dialogs.open_other import ALL_OF_IT, OpenOther, PlaceRows
from bpe_tui.dialogs.start_page import Offer, OfferList, StartPage
from bpe_tui.dialogs.why import AnswerRows, WhyWindow
