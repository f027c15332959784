# ruff: noqa: F401
"""Names inside `engine/native` that tests need: they know the room, not its modules."""

from __future__ import annotations

from engine.native import KERNEL, LIBRARY, SWITCH, load_kernel
from engine.native.counting import KernelCounter, KernelSums, kernel_numbers
from engine.native.encoding import MOST, KernelEncoder, merge_numbers, no_specials
from engine.native.merging import KERNEL_TIE_RULES, MOST_COUNTED, Merger, can_merge
from engine.native.scanning import SCANNED
