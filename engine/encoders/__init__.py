"""Encoding algorithms, all of which give the same ids."""

from __future__ import annotations

from engine.encoders.cached import Cached
from engine.encoders.encoder import Encoder
from engine.encoders.merge_order import MergeOrder
from engine.encoders.rank_heap import RankHeap
from engine.encoders.rank_list import RankList
from engine.encoders.rank_loop import RankLoop
from engine.registry import Registry

ENCODERS: Registry[type[Encoder]] = Registry(
    "encoder", {e.name: e for e in (Cached, RankList, RankHeap, RankLoop, MergeOrder)}
)
DEFAULT_ENCODER = "cached"
