# ruff: noqa: F401
"""Names inside `engine/encoding` that tests need: they know the room, not its modules."""

from __future__ import annotations

from engine.encoding import alphabet, batch_encoder, piece_encoder, text_encoder, tokenizer
from engine.encoding.alphabet import (
    BYTES,
    UNITS,
    Alphabet,
    ByteAlphabet,
    CharacterAlphabet,
    WholeTokens,
    WordEndAlphabet,
)
from engine.encoding.batch_encoder import BatchEncoder
from engine.encoding.dropout import Dropout, encode_with_dropout
from engine.encoding.encoders import ENCODERS, LONG, Encoder, MergeTable, RankHeap, RankLoop
from engine.encoding.event_order import EventOrder
from engine.encoding.id_files import write_ids
from engine.encoding.incremental import IncrementalPretokens
from engine.encoding.lanes import Lanes, TokenPlace, align, align_places, tokens_in
from engine.encoding.merging import columns_of, merge_arrays
from engine.encoding.piece_encoder import (
    ENTRY_BYTES,
    LONGEST,
    BoundedMemo,
    PieceEncoder,
    PretokenEncoder,
    blocks,
    cutting_for,
)
from engine.encoding.rules import first_merge_across, trace
from engine.encoding.special_policy import (
    ALL_SPECIAL,
    NONE_SPECIAL,
    REFUSE_SPECIAL,
    SpecialPolicy,
    TextSize,
    file_size,
    text_size,
)
from engine.encoding.tail import LONGEST_TAIL
from engine.encoding.traced import MOST_IDS
