"""Encoding algorithms, all of which give the same ids."""

from __future__ import annotations

from engine.core.registry import Registry
from engine.encoding.encoders.encoder import Encoder, MergeOrder, RankLoop
from engine.encoding.encoders.fast import Cached, RankHeap, RankList

ENCODERS: Registry[type[Encoder]] = Registry(
    "encoder", {e.name: e for e in (Cached, RankList, RankHeap, RankLoop, MergeOrder)}
)
DEFAULT_ENCODER = "cached"
