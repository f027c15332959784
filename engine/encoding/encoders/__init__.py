"""Encoding algorithms, all of which give the same ids."""

from __future__ import annotations

from engine.core.registry import Registry
from engine.encoding.encoders.cached import Cached
from engine.encoding.encoders.encoder import Encoder
from engine.encoding.encoders.merge_order import MergeOrder
from engine.encoding.encoders.rank_loop import RankHeap, RankList, RankLoop

ENCODERS: Registry[type[Encoder]] = Registry(
    "encoder", {e.name: e for e in (Cached, RankList, RankHeap, RankLoop, MergeOrder)}
)
DEFAULT_ENCODER = "cached"
