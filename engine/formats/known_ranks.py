"""Rank files that are known by their content, since they do not say how they are to be used.

Sources: the digests, special tokens and patterns of `tiktoken_ext/openai_public.py`; for Llama 3
its `tokenizer.py`. r50k_base is GPT-2's vocabulary, too. cl100k_base and p50k_base serve several
encodings that differ in special tokens; those of the encoding named like the file are taken.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256

_END = "<|endoftext|>"


@dataclass(frozen=True)
class KnownRanks:
    """What a rank file leaves unsaid.

    Attributes:
        special_ids: special token → id.
        pattern: a name in `PATTERNS`.
    """

    name: str
    special_ids: Mapping[str, int]
    pattern: str


def _llama3_special_ids() -> dict[str, int]:
    spelled = ["begin_of_text", "end_of_text", *(f"reserved_special_token_{n}" for n in range(4))]
    spelled += ["start_header_id", "end_header_id", "reserved_special_token_4", "eot_id"]
    spelled += [f"reserved_special_token_{n}" for n in range(5, 251)]
    return {f"<|{name}|>": 128_000 + place for place, name in enumerate(spelled)}


_FILL_IN_THE_MIDDLE = {"<|fim_prefix|>": 100258, "<|fim_middle|>": 100259, "<|fim_suffix|>": 100260}

_BY_DIGEST: dict[str, KnownRanks] = {
    "306cd27f03c1a714eca7108e03d66b7dc042abe8c258b44c199a7ed9838dd930": KnownRanks(
        "r50k_base", {_END: 50256}, "gpt2"
    ),
    "94b5ca7dff4d00767bc256fdd1b27e5b17361d7b8a5f968547f9f23eb70d2069": KnownRanks(
        "p50k_base", {_END: 50256}, "gpt2"
    ),
    "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7": KnownRanks(
        "cl100k_base",
        {_END: 100257, **_FILL_IN_THE_MIDDLE, "<|endofprompt|>": 100276},
        "cl100k",
    ),
    "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d": KnownRanks(
        "o200k_base", {_END: 199999, "<|endofprompt|>": 200018}, "o200k"
    ),
    "82e9d31979e92ab929cd544440f129d9ecd797b69e327f80f17e1c50d5551b55": KnownRanks(
        "Llama 3", _llama3_special_ids(), "llama3"
    ),
}


def known_ranks(data: bytes) -> KnownRanks | None:
    """What is known of a rank file, whatever its line ends; `None` if it is not among the known."""
    lines = data.replace(b"\r\n", b"\n").rstrip(b"\n") + b"\n"
    return _BY_DIGEST.get(sha256(lines).hexdigest())
