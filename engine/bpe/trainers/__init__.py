"""Training algorithms, all of which find the same merges, with more or less work.

To read them, begin with `naive`, which is the definition; then `indexed`, `heap`, `linked`, `fast`.
To add one, write a file with an `ALGORITHM`, and a line below.
"""

from __future__ import annotations

from engine.bpe.ties import TieRule
from engine.bpe.trainers import fast, heap, indexed, linked, naive
from engine.bpe.trainers.problem import Algorithm
from engine.core.registry import Registry, registry_of
from engine.encoding.alphabet import BYTES, Alphabet, ByteAlphabet

TRAINERS: Registry[Algorithm] = registry_of(
    "trainer",
    fast.ALGORITHM,
    heap.ALGORITHM,
    linked.ALGORITHM,
    indexed.ALGORITHM,
    naive.ALGORITHM,
)
DEFAULT_TRAINER = "fast"


def algorithm_for(name: str, tie_rule: TieRule, alphabet: Alphabet = BYTES) -> Algorithm:
    """The algorithm of that name, or `heap` in its place where it cannot do what is asked.

    Some follow only tie rules whose keys never change, and some merge only bytes.

    >>> from engine.bpe.ties import TIE_RULES
    >>> algorithm_for("fast", TIE_RULES["first-seen"]).name
    'heap'
    """
    algorithm = TRAINERS[name]
    can_choose = tie_rule.static or not algorithm.static_only
    can_spell = isinstance(alphabet, ByteAlphabet) or not algorithm.bytes_only
    return algorithm if can_choose and can_spell else heap.ALGORITHM
