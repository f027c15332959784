"""What rank files leave unsaid: the pattern and the special tokens.

Files in wide use are known by their digest. Others are known by less: Whisper's by the token
without bytes, Qwen's and Llama 4's by their size. Of any other the tokens tell something: no token
can reach over a place where the pattern cuts, so a pattern that cuts many tokens is not theirs.

Sources: the digests, special tokens and patterns of `tiktoken_ext/openai_public.py`; `tokenizer.py`
of Llama 3, Llama 4 and Whisper; `tokenization_qwen.py`. r50k_base is GPT-2's vocabulary, too.
cl100k_base and p50k_base serve several encodings that differ in special tokens; those of the
encoding named like the file are taken.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256

from engine.text.patterns import PATTERNS

# Known by their digest

_END = "<|endoftext|>"


@dataclass(frozen=True)
class KnownRanks:
    """What a rank file leaves unsaid.

    Attributes:
        special_ids: special token → id.
        pattern: a name in `PATTERNS`.
        why: what it is known by, if that is less than all of the file.
    """

    name: str
    special_ids: Mapping[str, int]
    pattern: str
    why: str = ""


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


# Known by their size, or by a token without bytes

_NAMES_OF_LANGUAGES = (
    "en zh de es ru ko fr ja pt tr pl ca nl ar sv it id hi fi vi he uk el ms cs ro da hu ta no "
    "th ur hr bg lt la mi ml cy sk te fa lv bn sr az sl kn et mk br eu is hy ne mn bs kk sq sw "
    "gl mr pa si km sn yo so af oc ka be tg sd gu am yi lo uz fo ht ps tk nn mt sa lb my bo tl "
    "mg as tt haw ln ha ba jw su"
)
"""Whisper's languages, in the order of their tokens."""


def _whispers() -> list[str]:
    names = ["endoftext", "startoftranscript", *_NAMES_OF_LANGUAGES.split(), "translate"]
    names += ["transcribe", "startoflm", "startofprev", "nospeech", "notimestamps"]
    names += [f"{place * 0.02:.2f}" for place in range(1501)]
    return [f"<|{name}|>" for name in names]


def _qwens() -> list[str]:
    return ["<|endoftext|>", "<|im_start|>", "<|im_end|>", *(f"<|extra_{n}|>" for n in range(205))]


def _llama4s() -> list[str]:
    def reserved(kind: str, first: int, last: int) -> list[str]:
        return [f"{kind}reserved_special_token_{n}" for n in range(first, last + 1)]

    names = ["begin_of_text", "end_of_text", "fim_prefix", "fim_middle", "fim_suffix"]
    names += ["header_start", "header_end", "eom", "eot", "step"]
    names += reserved("text_post_train_", 0, 5)
    names += ["python_start", "python_end", "finetune_right_pad"]
    names += reserved("text_post_train_", 8, 68)
    names += ["image_start", "image_end", *reserved("vision_", 0, 1)]
    names += ["tile_x_separator", "tile_y_separator", *reserved("vision_", 2, 5)]
    names += ["image", *reserved("vision_", 6, 6), "patch", *reserved("vision_", 7, 1047)]
    names += [*reserved("reasoning_", 0, 7), "reasoning_thinking_start", "reasoning_thinking_end"]
    names += reserved("", 0, 2047 - len(names))
    return [f"<|{name}|>" for name in names]


def _numbered(tokens: Sequence[str], first: int) -> dict[str, int]:
    return {token: token_id for token_id, token in enumerate(tokens, start=first)}


QWEN_SIZE, LLAMA4_SIZE = 151_643, 200_000


def likely_ranks(ranks: Mapping[bytes, int], has_empty: bool) -> KnownRanks | None:
    """What ranks seem to be, whose digest nobody knows; `None` if they are like no others.

    Args:
        ranks: token → rank.
        has_empty: whether there is a token without bytes, too, as in Whisper's files.
    """
    size = len(ranks)
    if has_empty:
        return KnownRanks(
            "taken for Whisper's ranks",
            _numbered(_whispers(), size + 1),
            "gpt2",
            "a token without bytes; the special tokens are those of 99 languages, as in all its "
            "models but large-v3",
        )
    if size == QWEN_SIZE and _fits_better("qwen2", ranks):
        return KnownRanks(
            "taken for Qwen's ranks",
            _numbered(_qwens(), size),
            "qwen2",
            "how many there are; that Qwen first puts a text in Unicode's form NFC is left out",
        )
    if size == LLAMA4_SIZE and _fits_better("o200k", ranks):
        special_ids = _numbered(_llama4s(), size)
        return KnownRanks("taken for Llama 4's ranks", special_ids, "o200k", "how many there are")
    return None


# Known by what pattern their tokens fit

_CANDIDATES = ("gpt2", "qwen2", "o200k", "llama3", "cl100k")
"""Of those that fit as well the first is taken: GPT-2's, then those that cut more before others."""
_TOKENS_TRIED = 20_000
_TOLERANCE = 0.002
"""The share of tokens that may reach over a cut: some files were trained with one regex more."""


def likely_pattern(ranks: Mapping[bytes, int]) -> str:
    """The name of the pattern that the tokens fit, GPT-2's if it is no worse than others.

    >>> likely_pattern({b" low": 0, b" 1999": 1}), likely_pattern({b"(low": 0, b"199": 1})
    ('gpt2', 'o200k')
    """
    tokens = _some_texts(ranks)
    cut: dict[str, float] = {}
    for name in _CANDIDATES:
        cut[name] = _cut_share(name, tokens)
        if not cut[name]:
            break  # none is better
    least = min(cut.values())
    return next(name for name in cut if cut[name] <= least + _TOLERANCE)


def _fits_better(pattern: str, ranks: Mapping[bytes, int]) -> bool:
    tokens = _some_texts(ranks)
    return _cut_share(pattern, tokens) < _cut_share("gpt2", tokens)


def _some_texts(ranks: Mapping[bytes, int]) -> list[str]:
    """Tokens from all over the ranks; those that are no whole text tell nothing."""
    chosen = list(ranks)[:: len(ranks) // _TOKENS_TRIED + 1]
    texts = [token.decode("utf-8", "ignore") for token in chosen if len(token) > 1]
    return [text for text in texts if text]


def _cut_share(pattern: str, tokens: Sequence[str]) -> float:
    """The share of the tokens that a pattern would cut."""
    match = PATTERNS[pattern].compiled.match
    reached = (
        (found := match(token)) is not None and found.end() == len(token) for token in tokens
    )
    return 1 - sum(reached) / len(tokens) if tokens else 0.0
