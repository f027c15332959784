"""Training algorithms: all find the same merges, with more or less work.

To read them, begin with `naive`, which is the definition; then `indexed`, `heap`, `fast`.
`native` is `fast` in C. To add one, write a file with an `ALGORITHM`, and add a line below.

They share a task (`algorithm`), a flat array (`symbols`), `work_counts` and `pseudocode`.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from engine.bpe.ties import TieRule
from engine.bpe.trainers import fast, heap, indexed, naive, native
from engine.bpe.trainers.algorithm import Algorithm, TrainerName
from engine.core.registry import Registry, registry_of
from engine.encoding.alphabet import BYTES, Alphabet, ByteAlphabet

TRAINERS: Registry[TrainerName, Algorithm] = registry_of(
    "trainer",
    native.ALGORITHM,
    fast.ALGORITHM,
    heap.ALGORITHM,
    indexed.ALGORITHM,
    naive.ALGORITHM,
)
DEFAULT_TRAINER: TrainerName = "native"
WITHOUT_KERNEL = fast.ALGORITHM.name
"""Name of the trainer that replaces `native` if there is no kernel."""

NO_COUNTS: Mapping[bytes, int] = MappingProxyType({})


def algorithm_for(
    name: str,
    tie_rule: TieRule,
    alphabet: Alphabet = BYTES,
    counts: Mapping[bytes, int] = NO_COUNTS,
) -> Algorithm:
    """Return the algorithm of this name, or a replacement if it cannot solve the task.

    `heap` replaces an algorithm that needs constant keys of the tie rule, or that merges only
    bytes. `fast` replaces `native` if there is no kernel, or the corpus is too large for it.

    >>> from engine.bpe.ties import TIE_RULES
    >>> algorithm_for("fast", TIE_RULES["first-seen"]).name
    'heap'
    """
    algorithm = TRAINERS[name]
    can_choose = tie_rule.static or not algorithm.static_only
    can_spell = isinstance(alphabet, ByteAlphabet) or not algorithm.bytes_only
    if not (can_choose and can_spell):
        return heap.ALGORITHM
    return algorithm if algorithm.can_solve(counts, tie_rule) else TRAINERS[WITHOUT_KERNEL]
