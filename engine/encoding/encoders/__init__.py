"""Encoding algorithms. Those in `ENCODERS` all give the same ids, and differ in speed.

`dropout` is not among them: it gives other ids, to draw from.
To add one, write a subclass of `Encoder` and name it here; the tests then run over it.
"""

from __future__ import annotations

from engine.core.registry import Registry
from engine.encoding.encoders.encoder import Encoder, MergeOrder, RankLoop
from engine.encoding.encoders.fast import Cached, RankHeap, RankList
from engine.encoding.encoders.native import Native

ENCODERS: Registry[type[Encoder]] = Registry(
    "encoder", {e.name: e for e in (Native, Cached, RankList, RankHeap, RankLoop, MergeOrder)}
)
DEFAULT_ENCODER = "native"
