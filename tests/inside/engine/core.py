# ruff: noqa: F401
"""Names inside `engine/core` that tests need: they know the room, not its modules."""

from __future__ import annotations

from engine.core import helper_pool
from engine.core.arrays import Floats, NumberTable
from engine.core.errors import LONGEST, HelperWarning
from engine.core.events import BytesPair, Pair, StaleEntry, WorkProgress, finished
from engine.core.files import DRAFT, LIST, check_free, finish_writing, sweep, write_files
from engine.core.gpt2_bytes import BYTE_TO_CHAR, read_stand_ins, spell, unspell
from engine.core.helper_pool import in_order
from engine.core.json_fields import Fields
from engine.core.wording import say
