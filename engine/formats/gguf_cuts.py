r"""The pre-tokenizers of GGUF files: llama.cpp's names for the regexes that cut a text.

A file names its regexes only, under `tokenizer.ggml.pre`. Each name below has those of the original
`tokenizer.json`, or of `llama-vocab.cpp` of llama.cpp, which has all names: `FROM_LLAMA_CPP`. Where
there are several, each cuts the pieces of the one before. Without a name llama.cpp uses `default`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.core.errors import TokenizerFileError
from engine.text.patterns import PATTERNS

if TYPE_CHECKING:
    from engine.pipeline.pretokenizers import PreTokenizer

_GPT2 = PATTERNS["gpt2"].source
_ENGLISH = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)"
_SPACES = r"\s*[\r\n]+|\s+(?!\S)|\s+"
_ANY_CASE = (
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+"
    r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*"
)
_WORDS_OF_DEEPSEEK = (
    r"""[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+"""
    rf"| ?[\p{{P}}\p{{S}}]+[\r\n]*|{_SPACES}"
)
_CASED = (
    "41-5a 61-7a b5 c0-d6 d8-f6 f8-1ba 1bc-1bf 1c4-293 295-2af 370-373 376-377 37b-37d 37f 386 "
    "388-38a 38c 38e-3a1 3a3-3f5 3f7-481 48a-52f 531-556 10a0-10c5 13a0-13f5 13f8-13fd 1c90-1cba "
    "1cbd-1cbf 1d00-1d2b 1d6b-1d77 1d79-1d9a 1e00-1f15 1f18-1f1d 1f20-1f45 1f48-1f4d 1f50-1f57 "
    "1f59 1f5b 1f5d 1f5f-1f7d 1f80-1fb4 1fb6-1fbc 1fbe 1fc2-1fc4 1fc6-1fcc 1fd0-1fd3 1fd6-1fdb "
    "1fe0-1fec 1ff2-1ff4 1ff6-1ffc 2102 2107 210a-2113 2115 2119-211d 2124 2126 2128 212a-212d "
    "212f-2134 2139 213c-213f 2145-2149 214e 2183-2184 2c00-2c7b 2c7e-2ce4 2ceb-2cee 2cf2-2cf3 "
    "a640-a66d a680-a69b a722-a76f a771-a787 a78b-a78e ab70-abbf fb00-fb06 fb13-fb17 ff21-ff3a "
    "ff41-ff5a 10400-1044f 104b0-104d3 104d8-104fb 10c80-10cb2 10cc0-10cf2 118a0-118df 1e900-1e943"
)
"""The letters of DeepSeek LLM's words, as code points."""


def _characters(ranges: str) -> str:
    """Return a character class of ranges of code points.

    >>> _characters("41-5a b5")
    '[A-Zµ]'
    """
    ends = ("-".join(chr(int(end, 16)) for end in each.split("-")) for each in ranges.split())
    return f"[{''.join(ends)}]"


_CHINESE = _characters("4e00-9fa5 800-4e00 ac00-d7ff")

_YOUTUS = (
    *(
        "ac00-d7a3 3131-318e",
        "ff01 2026 201c-201d 2018-2019 2014 ff1a ff1b ff0c 3001-303f fe30-fe4f",
    ),
    *("3105-312f", "4e00-9fa5 3040-309f 30a0-30ff"),
)
_ASIAN = (
    "4e00-9fff 3400-4dbf f900-faff 3040-309f 30a0-30ff ff65-ff9f 2f00-2fdf e40-e7f e80-eff "
    "1780-17ff 1000-109f aa60-aa7f a9e0-a9ff ac00-d7af 1100-11ff"
)
_WITHOUT_HAN = (
    r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]",
    r"[\p{Ll}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]",
)
_UPPER, _LOWER = _WITHOUT_HAN
KIMI = (
    rf"[\p{{Han}}]+|[^\r\n\p{{L}}\p{{N}}]?{_UPPER}*{_LOWER}+{_ENGLISH}?"
    rf"|[^\r\n\p{{L}}\p{{N}}]?{_UPPER}+{_LOWER}*{_ENGLISH}?|\p{{N}}{{1,3}}"
    rf"| ?[^\s\p{{L}}\p{{N}}]+[\r\n]*|{_SPACES}"
)
"""The regex of Moonshot's Kimi models."""

_RUNS = "".join("|" + r"\s" * 2**power + r"(?!\S)" for power in range(9, 1, -1))
"""Runs of whitespace of 512, 256 … 4 characters, without counted repeats, whose product counts."""

CUTS: dict[str, tuple[str, ...]] = {
    **{name: (name,) for name in ("gpt2", "llama3", "qwen2", "qwen35", "o200k")},
    "jais-2": (
        rf"{_ENGLISH}|[^\r\n\p{{L}}\p{{N}}]?\p{{L}}+|\p{{N}}{{1,3}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n]*"
        rf"|\s*[\r\n]+{_RUNS}|\s{{1,2}}(?!\S)|\s",
    ),
    "digits": (r"\p{N}", _GPT2),
    "tekken": (rf"{_ANY_CASE}|\p{{N}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n/]*|{_SPACES}",),
    "seed": (
        rf"{_ENGLISH}|[^\r\n\p{{L}}\p{{N}}]?\p{{L}}+|\p{{N}}| ?[^\s\p{{L}}\p{{N}}\r\n]+|{_SPACES}",
    ),
    "bailing": (
        r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]++[\r\n]*"
        r"|\s*[\r\n]|\s+(?!\S)|\s+",
    ),
    "deepseek-llm": (
        r"[\r\n]",
        rf"\s?{_characters(_CASED)}+",
        rf"\s?{_characters('21-2f 3a-7e ff01-ff0f ff1a-ff5e 2018-201f 3000-3002')}+",
        r"\s+\z",
        f"{_CHINESE}+",
        r"\p{N}",
    ),
    "deepseek-coder": (r"[\r\n]", r"\s?\p{L}+", r"\s?\p{P}+", f"{_CHINESE}+", r"\p{N}"),
    "deepseek-v3": (
        r"\p{N}{1,3}",
        f"{_characters('4e00-9fa5 3040-309f 30a0-30ff')}+",
        _WORDS_OF_DEEPSEEK,
    ),
    "falcon": (r"[\p{P}$+<=>\^~|`]+", _GPT2, "[0-9][0-9][0-9]"),
    "default": (r"[\p{P}$+<=>\^~|]+", _GPT2, r"\p{N}+", "[0-9][0-9][0-9]"),
    "kimi-k2": (KIMI,),
    "spark2_5": (
        r"\p{N}{1,3}",
        f"{_characters('4e00-9fa5 3040-309f 30a0-30ff')}+",
        _WORDS_OF_DEEPSEEK.replace(rf"[\r\n]*|{_SPACES}", r"|[\r\n]|\s+(?!\S)|\s+"),
        r"\p{N}",
    ),
    "youtu": (
        "|".join(f"{_characters(each)}+" for each in _YOUTUS),
        rf"{_ANY_CASE.replace('|', f'{_ENGLISH}?|')}{_ENGLISH}?|\p{{N}}"
        rf"| ?[^\s\p{{L}}\p{{N}}]+[\r\n/]*|{_SPACES}",
    ),
    "chameleon": (
        "<sentinel:[0-9]+>",
        "IMGIMG[A-I]{1,4}Z",
        r"[\t\n]|    |  ",
        r"\p{N}",
        r"[\p{P}!-/:-@\[-`{-~]",
        _GPT2,
    ),
    "tiny_aya": (r"\d{1,3}(?=(?:\d{3})*\b)", "o200k"),
    "superbpe": (r"\p{N}+", r"(?=(?:\d{3})+(?!\d))"),
    "ufakzeka": (
        rf"[^\r\n\p{{L}}\p{{N}}]?\p{{L}}+|\p{{N}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n]*|{_SPACES}",
    ),
    "afmoe": (
        r"\p{N}{1,3}(?=(?:\p{N}{3})*(?!\p{N}))",
        f"{_characters(_ASIAN)}+",
        _WORDS_OF_DEEPSEEK,
    ),
    "laguna": (r"[^\n]+|[\n]+", "qwen2"),
    "exaone-moe": (
        rf"{_ENGLISH}|[^\r\n\p{{L}}\p{{N}}]?(?:\p{{L}}\p{{M}}*(?: \p{{L}}\p{{M}}*)*)+|\p{{N}}"
        r"| ?[^\s\p{L}\p{N}]+[\r\n/]?|\s*[\r\n]|\s+(?!\S)|\s+",
    ),
    "minicpm5": (
        r"\p{N}{1,3}",
        rf"{_ENGLISH}|[^\r\n\p{{L}}\p{{N}}]?\p{{L}}+|\p{{N}}+| ?[^\s\p{{L}}\p{{N}}]+[\r\n]*"
        rf"|{_SPACES}",
    ),
    "gemma4": (r"[^\n]+|\n+",),
    "whitespace": (r"\S+",),
    "bloom": (r" ?[^(\s|.,!?…。，、।۔،)]+",),
    "viking": (r" ?[^(\s|.,!?…。，、।۔،)]+", r"\p{N}"),
}
"""Name of a way to cut → the name of a pattern, or regexes in Oniguruma's dialect."""

FROM_LLAMA_CPP = (
    *("default", "kimi-k2", "spark2_5", "youtu", "chameleon", "tiny_aya", "superbpe"),
    *("ufakzeka", "afmoe", "laguna", "exaone-moe", "minicpm5", "gemma4", "whitespace", "jais-2"),
)
"""Names whose regexes are those of llama.cpp; the others' are those of a `tokenizer.json`."""
_LLAMA3 = "llama3 llama-v3 llama-bpe falcon3 falcon-h1 pixtral midm-2.0 lfm2 jina-v5-nano"
_NAMES = {
    "gpt2": (
        "gpt-2 phi-2 jina-es jina-de jina-v1-en jina-v2-es jina-v2-de jina-v2-code gigachat "
        "a.x-4.0 mellum modern-bert roberta-bpe mpt olmo jais trillion granite-docling exaone4"
    ),
    "llama3": f"{_LLAMA3} dbrx smaug-bpe glm4 chatglm-bpe",
    "qwen2": ("qwen2 deepseek-r1-qwen kormo f2llmv2 megrez stablelm2 hunyuan solar-open grok-2"),
    "o200k": "gpt-4o llama4 kanana2 talkie minimax-m2 granite-embed-multi-97m",
    "tiny_aya": "tiny_aya cohere2moe",
    "gemma4": "gemma4 granite-embed-multi-311m sarvam-moe",
    **{name: name for name in FROM_LLAMA_CPP if name not in ("tiny_aya", "gemma4")},
    **{name: name for name in ("tekken", "qwen35", "deepseek-llm", "deepseek-coder", "falcon")},
    "viking": "viking",
    "digits": "starcoder refact command-r smollm codeshell exaone minerva-7b mellum2",
    "seed": "seed-coder",
    "bailing": "bailingmoe bailingmoe2 llada-moe",
    "deepseek-v3": "deepseek-v3 hunyuan-dense joyai-llm hy_v4",
    "bloom": "bloom poro-chat gpt3-finnish",
}
NAMES = {name: cut for cut, names in _NAMES.items() for name in names.split()}
"""llama.cpp's name → a name in `CUTS`."""

BEGINS_WITH_BOS = frozenset((*_LLAMA3.split(), "tekken", "chameleon"))
"""Names of tokenizers that begin a text with a BOS, unless the file says that they do not."""
ALWAYS_BEGINS_WITH_BOS = frozenset(("gemma4", "granite-embed-multi-311m"))
"""Names of tokenizers that begin a text with a BOS, whatever the file says."""
LOOKS_UP_WORDS = (BEGINS_WITH_BOS - {"chameleon"}) | {
    "youtu",
    "minicpm5",
    "granite-embed-multi-97m",
}
"""Names of tokenizers that look a whole word up before they merge."""
MARKS_SPACES = frozenset(_NAMES["gemma4"].split())
"""Names of tokenizers that have `▁` for a space."""
IN_CHARACTERS = MARKS_SPACES | {"whitespace"}
"""Names of tokenizers that merge characters, and not bytes."""


def pre_tokenizer_named(name: str) -> PreTokenizer:
    """Return the pre-tokenizer that a GGUF file names; llama.cpp's default if it names none.

    Raises:
        TokenizerFileError: the name is not known here.
    """
    from engine.formats.own_pipelines import pre_tokenizer_of
    from engine.pipeline.oniguruma import TextOrRegex
    from engine.pipeline.pretokenizers import ByteLevel, Sequence, Split, in_oniguruma

    name = name or "default"
    if name not in NAMES:
        raise TokenizerFileError(
            f"the regexes of its pre-tokenizer, {name[:60]!r}, are not known here; --pattern "
            "gives another one, and a tokenizer.json of the same model has its own"
        )
    regexes = CUTS[NAMES[name]]
    if regexes[0] in PATTERNS:
        cut = pre_tokenizer_of(PATTERNS[regexes[0]], in_bytes=True)
        assert cut is not None  # it spells bytes
        return cut
    named = [in_oniguruma(PATTERNS[each]) or "" if each in PATTERNS else each for each in regexes]
    splits = [Split(TextOrRegex(regex=regex), "Isolated") for regex in named]
    if name in IN_CHARACTERS:
        return Sequence(splits)
    return Sequence([*splits, ByteLevel(add_prefix_space=False, use_regex=False)])
