"""Files of ranks: tiktoken's, with a token in base64 and its rank on each line, and `tekken.json`.

    IQ== 0
    Ig== 1

The rank of a token is its id. The merges follow from the ranks: see `merges_of_ranks`. Pattern and
special tokens are not in such a file. Files in wide use are known by their digest. Others are known
by less: Whisper's by the token without bytes, Qwen's and Llama 4's by their size. For any other
file the pattern is guessed from the tokens: no token crosses a place where its pattern cuts.

Mistral's `tekken.json` has ranks too, with the pattern and the special tokens:

    {"config": {"pattern": "…", "default_vocab_size": 131072, "default_num_special_tokens": 1000},
     "vocab": [{"rank": 0, "token_bytes": "AA==", "token_str": "\\u0000"}, …],
     "special_tokens": [{"rank": 0, "token_str": "<unk>", "is_control": true}, …]}

Its special tokens have the first ids, and ranks are counted after them. Ranks beyond the size of
the vocabulary are left out. Special tokens without a name in the file have those of
`mistral_common`.

Sources: the digests, special tokens and patterns of `tiktoken_ext/openai_public.py`; `tokenizer.py`
of Llama 3, Llama 4 and Whisper; `tokenization_qwen.py`. r50k_base is also GPT-2's vocabulary.
Several encodings with different special tokens share cl100k_base and p50k_base; those of the
encoding with the file's name are used.
"""

from __future__ import annotations

import re
from binascii import Error as Base64Error
from binascii import a2b_base64, b2a_base64
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from engine.core.errors import PatternError, TokenizerFileError, VocabularyError, errors_at
from engine.core.files import write_files
from engine.core.json_fields import Fields
from engine.core.slow_modules import hashlib
from engine.encoding.tokenizer import Tokenizer
from engine.formats import guesses
from engine.formats.folder_settings import read_folder_settings
from engine.formats.gguf_cuts import KIMI
from engine.formats.merges_of_ranks import ranks_of, tokenizer_of_ranks
from engine.formats.source import TokenizerSource, check_lines, read_bytes, read_json
from engine.formats.tokenizer_format import Library, Opened, Overrides, TokenizerFormat
from engine.native.vocabularies import read_ranks as ranks_in_kernel
from engine.text.patterns import PATTERNS

_FIRST_LINE = re.compile(rb"(?=\S{4})[A-Za-z0-9+/]+={0,2} \d+\r?(\n|$)")
_MOST_DIGITS = 9
_EMPTY_TOKEN = re.compile(rb"^=+ \d{1,9}\r?(?:\n|\Z)", re.MULTILINE)
KIMIS_CLASS = "TikTokenTokenizer"
"""The class of Moonshot's Kimi, which has its own pattern in a program beside the ranks."""
_token_of = partial(a2b_base64, strict_mode=True)


def recognises_tiktoken(source: TokenizerSource) -> bool:
    return source.only_file is not None and _FIRST_LINE.match(source.heads[0]) is not None


def load_tiktoken(source: TokenizerSource, overrides: Overrides) -> Opened:
    data = check_lines(source.paths[0], read_bytes(source.paths[0]))
    empty = _EMPTY_TOKEN.search(data) if b"\n=" in data or data.startswith(b"=") else None
    ranks = read_ranks(source, data if empty is None else _EMPTY_TOKEN.sub(b"", data))
    known = known_ranks(data)
    likely = None if known else likely_ranks(ranks, has_empty=empty is not None)
    used = known or likely
    settings = read_folder_settings(source.settings_folder)
    is_kimis = settings is not None and settings.class_name == KIMIS_CLASS and not used
    pattern = overrides.pattern or (used.pattern if used else guesses.likely_pattern(ranks))
    if is_kimis and overrides.pattern is None:
        pattern = guesses.pattern_of(KIMI, is_fancy=True)
    known_ids = dict(used.special_ids) if used else {}
    if settings is not None:
        texts = {token.decode(): rank for token, rank in ranks.items() if guesses.is_text(token)}
        known_ids |= settings.token_ids(texts)
    special_ids = guesses.number_special_tokens(overrides.special_tokens, known_ids, ranks.values())
    with errors_at(source, VocabularyError):
        tokenizer, notes = tokenizer_of_ranks(ranks, special_ids, pattern)
    if known:
        notes = [f"recognised as {known.name}, with its pattern and special tokens", *notes]
    elif likely:
        what = f"{likely.name}, with their pattern and special tokens, by {likely.why}"
        notes = [what, *notes]
    elif is_kimis:
        notes.append(f"cut by the pattern of Kimi, whose class, {KIMIS_CLASS}, the folder names")
    else:
        notes += guesses.note_likely_pattern(overrides, tokenizer.pattern.name)
        if overrides.special_tokens is None and not known_ids:
            notes.append("the file names no special tokens; none are taken")
        notes += guesses.note_gaps(tokenizer.vocab)
    if settings is not None:
        notes += settings.notes(tokenizer.vocab)
    if empty:
        rank = empty.group().split()[1].decode()
        notes.append(f"its token {rank} has no bytes, as in Whisper's files, and is left out")
    return Opened(tokenizer, TIKTOKEN.name, tuple(notes))


def read_ranks(source: TokenizerSource, data: bytes) -> dict[bytes, int]:
    """Return token → rank.

    Raises:
        TokenizerFileError: a line is no token and rank, or a token or a rank occurs twice.
    """
    if (found := ranks_in_kernel(data)) is not None:
        return found
    ranks: dict[bytes, int] = {}
    for number, line in enumerate(data.split(b"\n"), start=1):
        if not line or line == b"\r":
            continue
        place = f"{source}: line {number}"
        try:
            spelled, rank = line.split()
            token = _token_of(spelled)
        except Base64Error as error:
            raise TokenizerFileError(f"{place}: {line[:60]!r} is no base64: {error}") from None
        except ValueError:
            token, rank = b"", b""
        if not token or not rank.isdigit() or len(rank) > _MOST_DIGITS:
            raise TokenizerFileError(
                f"{place} is not a token in base64 and its rank: {line[:60]!r}; is it cut short?"
            )
        if token in ranks:
            raise TokenizerFileError(f"{place} has the token {token!r} again")
        ranks[token] = int(rank)
    if len(set(ranks.values())) < len(ranks):
        twice = next(a for a, b in pairwise(sorted(ranks.values())) if a == b)
        raise TokenizerFileError(f"{source}: the rank {twice} is given to two tokens")
    return ranks


def save_tiktoken(tokenizer: Tokenizer, path: Path, overwrite: bool) -> None:
    with errors_at(path, VocabularyError):
        ranks = ranks_of(tokenizer)
    in_order = sorted((rank, token) for token, rank in ranks.items())
    lines = [b"%b %d\n" % (b2a_base64(token, newline=False), rank) for rank, token in in_order]
    write_files({path: b"".join(lines)}, overwrite=overwrite)


def library_for(path: Path, tokenizer: Tokenizer) -> tuple[Library, ...]:
    """Return tiktoken with these ranks, if it is installed and the pattern is a known one."""
    if tokenizer.pattern not in PATTERNS.values():
        return ()
    try:
        import tiktoken
    except ImportError:
        return ()
    made = tiktoken.Encoding(
        path.name,
        pat_str=tokenizer.pattern.source,
        mergeable_ranks=read_ranks(TokenizerSource([path]), read_bytes(path)),
        special_tokens=dict(tokenizer.rules.special_ids),
    )
    return (Library("tiktoken", made.encode_ordinary),)


TIKTOKEN = TokenizerFormat(
    "tiktoken",
    "tiktoken's file of tokens in base64 and ranks",
    recognises_tiktoken,
    load_tiktoken,
    save_tiktoken,
    suffix=".tiktoken",
    library=library_for,
)


# Known by their digest

_END = "<|endoftext|>"


class KnownRanks(NamedTuple):
    """Special tokens and pattern of a file that holds only ranks.

    Attributes:
        special_ids: special token → id.
        pattern: a name in `PATTERNS`.
        why: the property that the file was recognised by, unless it is the digest.
    """

    name: str
    special_ids: Mapping[str, int]
    pattern: str
    why: str = ""


_LLAMA3S = (
    *("begin_of_text", "end_of_text", *(f"reserved_special_token_{n}" for n in range(4))),
    *("start_header_id", "end_header_id", "reserved_special_token_4", "eot_id"),
    *(f"reserved_special_token_{n}" for n in range(5, 251)),
)

_FILL_IN_THE_MIDDLE = {"<|fim_prefix|>": 100258, "<|fim_middle|>": 100259, "<|fim_suffix|>": 100260}

_BY_DIGEST: dict[str, KnownRanks] = {
    "306cd27f03c1a714eca7108e03d66b7dc042abe8c258b44c199a7ed9838dd930": KnownRanks(
        "r50k_base", {_END: 50256}, "gpt2"
    ),
    "94b5ca7dff4d00767bc256fdd1b27e5b17361d7b8a5f968547f9f23eb70d2069": KnownRanks(
        "p50k_base", {_END: 50256}, "gpt2"
    ),
    "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7": KnownRanks(
        "cl100k_base", {_END: 100257, **_FILL_IN_THE_MIDDLE, "<|endofprompt|>": 100276}, "cl100k"
    ),
    "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d": KnownRanks(
        "o200k_base", {_END: 199999, "<|endofprompt|>": 200018}, "o200k"
    ),
    "82e9d31979e92ab929cd544440f129d9ecd797b69e327f80f17e1c50d5551b55": KnownRanks(
        "Llama 3", {f"<|{name}|>": 128_000 + place for place, name in enumerate(_LLAMA3S)}, "llama3"
    ),
}


def known_ranks(data: bytes) -> KnownRanks | None:
    """Recognise a file by its digest, with any line ends; `None` if it is not known."""
    lines = data.replace(b"\r\n", b"\n").rstrip(b"\n") + b"\n"
    return _BY_DIGEST.get(hashlib.sha256(lines).hexdigest())


# Known by their size, or by a token without bytes

_CODES_OF_LANGUAGES = (
    "en zh de es ru ko fr ja pt tr pl ca nl ar sv it id hi fi vi he uk el ms cs ro da hu ta no "
    "th ur hr bg lt la mi ml cy sk te fa lv bn sr az sl kn et mk br eu is hy ne mn bs kk sq sw "
    "gl mr pa si km sn yo so af oc ka be tg sd gu am yi lo uz fo ht ps tk nn mt sa lb my bo tl "
    "mg as tt haw ln ha ba jw su"
)
"""Whisper's languages, in the order of their tokens."""
_NAMES_OF_LANGUAGES = (
    "english chinese german spanish russian korean french japanese portuguese turkish polish "
    "catalan dutch arabic swedish italian indonesian hindi finnish vietnamese hebrew ukrainian "
    "greek malay czech romanian danish hungarian tamil norwegian thai urdu croatian bulgarian "
    "lithuanian latin maori malayalam welsh slovak telugu persian latvian bengali serbian "
    "azerbaijani slovenian kannada estonian macedonian breton basque icelandic armenian nepali "
    "mongolian bosnian kazakh albanian swahili galician marathi punjabi sinhala khmer shona yoruba "
    "somali afrikaans occitan georgian belarusian tajik sindhi gujarati amharic yiddish lao uzbek "
    "faroese haitian-creole pashto turkmen nynorsk maltese sanskrit luxembourgish myanmar tibetan "
    "tagalog malagasy assamese tatar hawaiian lingala hausa bashkir javanese sundanese cantonese"
)
WHISPERS_LANGUAGES = {
    name.replace("-", " "): code
    for name, code in zip(
        _NAMES_OF_LANGUAGES.split(), (*_CODES_OF_LANGUAGES.split(), "yue"), strict=True
    )
}
"""Name of a language in English → its code in Whisper's tokens."""


def _whispers() -> list[str]:
    names = ["endoftext", "startoftranscript", *_CODES_OF_LANGUAGES.split(), "translate"]
    names += ["transcribe", "startoflm", "startofprev", "nospeech", "notimestamps"]
    names += [f"{place * 0.02:.2f}" for place in range(1501)]
    return [f"<|{name}|>" for name in names]


_QWENS = ["<|endoftext|>", "<|im_start|>", "<|im_end|>", *(f"<|extra_{n}|>" for n in range(205))]
_QWEN35S = [
    *_QWENS[:3],
    *(f"<|{name}_{end}|>" for name in ("object_ref", "box", "quad") for end in ("start", "end")),
    *(f"<|{name}|>" for name in ("vision_start", "vision_end", "vision_pad")),
    *("<|image_pad|>", "<|video_pad|>", "<tool_call>", "</tool_call>"),
    *(f"<|fim_{name}|>" for name in ("prefix", "middle", "suffix", "pad")),
    *("<|repo_name|>", "<|file_sep|>", "<tool_response>", "</tool_response>"),
    *("<think>", "</think>", "<|audio_start|>", "<|audio_end|>", "<tts_pad>", "<tts_text_bos>"),
    *("<tts_text_eod>", "<tts_text_bos_single>", "<|audio_pad|>"),
]


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


QWEN_SIZE, QWEN35_SIZE, LLAMA4_SIZE = 151_643, 248_044, 200_000
_NO_NFC = "how many there are; that Qwen first puts a text in Unicode's form NFC is left out"


def likely_ranks(ranks: Mapping[bytes, int], has_empty: bool) -> KnownRanks | None:
    """Recognise ranks with an unknown digest by their size; `None` if they are like no others.

    Args:
        ranks: token → rank.
        has_empty: whether the file also has a token without bytes, as Whisper's do.
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
    if size == QWEN_SIZE and guesses.fits_better("qwen2", ranks):
        return KnownRanks("taken for Qwen's ranks", _numbered(_QWENS, size), "qwen2", _NO_NFC)
    if size == QWEN35_SIZE and guesses.fits_better("qwen35", ranks):
        special_ids = _numbered(_QWEN35S, size)
        return KnownRanks("taken for Qwen 3.5's ranks", special_ids, "qwen35", _NO_NFC)
    if size == LLAMA4_SIZE and guesses.fits_better("o200k", ranks):
        special_ids = _numbered(_llama4s(), size)
        return KnownRanks("taken for Llama 4's ranks", special_ids, "o200k", "how many there are")
    return None


# Mistral's tekken.json

_TEKKEN_FILE = "tekken.json"
_TEKKEN_SPECIAL_TOKENS = (
    *("<unk>", "<s>", "</s>", "[INST]", "[/INST]", "[AVAILABLE_TOOLS]", "[/AVAILABLE_TOOLS]"),
    *("[TOOL_RESULTS]", "[/TOOL_RESULTS]", "[TOOL_CALLS]", "[IMG]", "<pad>", "[IMG_BREAK]"),
    *("[IMG_END]", "[PREFIX]", "[MIDDLE]", "[SUFFIX]", "[SYSTEM_PROMPT]", "[/SYSTEM_PROMPT]"),
    "[TOOL_CONTENT]",
)
_MOST_TEKKEN_TOKENS, _MOST_TEKKEN_SPECIALS = 1 << 21, 1 << 16


def recognises_tekken(source: TokenizerSource) -> bool:
    if source.only_file is None:
        found = source.in_folder("tokenizer.json", _TEKKEN_FILE)
        return found is not None and found.name == _TEKKEN_FILE
    head = source.heads[0]
    is_object = head.lstrip().startswith(b"{")
    return is_object and b'"config"' in head and b'"default_num_special_tokens"' in head


def load_tekken(source: TokenizerSource, overrides: Overrides) -> Opened:
    """Open a `tekken.json`.

    Raises:
        TokenizerFileError: a key is wrong; the message names it.
    """
    path = source.file_named(_TEKKEN_FILE)
    assert path is not None  # the source was recognised
    with errors_at(path, VocabularyError, PatternError):
        return _read_tekken(Fields(read_json(path)), overrides)


def _read_tekken(fields: Fields, overrides: Overrides) -> Opened:
    config = fields.inner("config")
    specials = config.count("default_num_special_tokens")
    size = config.count("default_vocab_size")
    if specials > _MOST_TEKKEN_SPECIALS or size > _MOST_TEKKEN_TOKENS:
        raise config.error("default_vocab_size", "is too large for any vocabulary")
    special_ids = _tekken_special_ids(fields, specials)
    ranks = _tekken_ranks(fields, specials, size)
    pattern = overrides.pattern or guesses.pattern_of(config.text("pattern"), is_fancy=True)
    numbered = guesses.number_special_tokens(overrides.special_tokens, special_ids, ranks.values())
    tokenizer, notes = tokenizer_of_ranks(ranks, numbered, pattern)
    if overrides.pattern is None:
        notes = [guesses.describe_pattern(tokenizer.pattern), *notes]
    if left_out := len(fields.items("vocab")) - len(ranks):
        notes.append(f"{left_out:,} of its tokens have no room in the vocabulary, and no id")
    return Opened(tokenizer, TEKKEN.name, tuple(notes))


def _tekken_special_ids(fields: Fields, specials: int) -> dict[str, int]:
    ids: dict[str, int] = {}
    if fields.has("special_tokens"):
        for each in fields.each("special_tokens"):
            ids[each.text("token_str")] = each.count("rank")
    else:
        ids = {name: place for place, name in enumerate(_TEKKEN_SPECIAL_TOKENS[:specials])}
    if len(set(ids.values())) < len(ids) or any(i >= specials for i in ids.values()) or "" in ids:
        raise fields.error("special_tokens", "have ranks that are too high, or one of them twice")
    taken = set(ids.values())
    free = {f"<SPECIAL_{i}>": i for i in range(specials) if i not in taken}
    return free | ids


def _tekken_ranks(fields: Fields, specials: int, size: int) -> dict[bytes, int]:
    ranks: dict[bytes, int] = {}
    for each in fields.each("vocab"):
        token_id = specials + each.count("rank")
        if token_id >= size:
            continue
        try:
            token = a2b_base64(each.text("token_bytes"), strict_mode=True)
        except (Base64Error, ValueError):
            raise each.error("token_bytes", "is no base64") from None
        if not token or token in ranks:
            raise each.error("token_bytes", "is empty, or occurs twice")
        ranks[token] = token_id
    if len(set(ranks.values())) < len(ranks):
        raise fields.error("vocab", "has a rank twice")
    return ranks


TEKKEN = TokenizerFormat("tekken", "Mistral's tekken.json", recognises_tekken, load_tekken)
