# ruff: noqa: F401
"""Names inside `engine/core` that tests need: they know the room, not its modules."""

from __future__ import annotations

from engine.core import file_sets, helper_pool, html
from engine.core.arrays import Floats, NumberTable
from engine.core.drafts import DRAFT, sweep
from engine.core.errors import LONGEST, HelperWarning
from engine.core.events import BytesPair, Pair, StaleEntry, WorkProgress, finished
from engine.core.file_sets import LIST, OLD, finish_writing
from engine.core.files import check_free, write_files, written_meanwhile
from engine.core.gpt2_bytes import BYTE_TO_CHAR, read_stand_ins, spell, unspell
from engine.core.helper_pool import in_order
from engine.core.interrupts import Interrupts
from engine.core.json_fields import Fields
from engine.core.systems import available_cores
from engine.core.wording import Sentence, describe, template_parts
