"""Mistral's `tekken.json`: ranks as in tiktoken's files, with the pattern and special tokens.

    {"config": {"pattern": "…", "default_vocab_size": 131072, "default_num_special_tokens": 1000},
     "vocab": [{"rank": 0, "token_bytes": "AA==", "token_str": "\\u0000"}, …],
     "special_tokens": [{"rank": 0, "token_str": "<unk>", "is_control": true}, …]}

Special tokens have the first ids, and all ranks are moved up by their number; ranks that the size
of the vocabulary leaves no room for are left out. Names of special tokens that the file does not
say are those of `mistral_common`.
"""

from __future__ import annotations

from binascii import Error as Base64Error
from binascii import a2b_base64

from engine.core.errors import PatternError, TokenizerFileError, VocabularyError
from engine.core.json_fields import Fields
from engine.formats.guesses import describe_pattern, number_special_tokens, pattern_of
from engine.formats.ranks import tokenizer_of_ranks
from engine.formats.source import Source, read_json
from engine.formats.tokenizer_format import Opened, Overrides, TokenizerFormat

FILE = "tekken.json"
_NAMES = (
    *("<unk>", "<s>", "</s>", "[INST]", "[/INST]", "[AVAILABLE_TOOLS]", "[/AVAILABLE_TOOLS]"),
    *("[TOOL_RESULTS]", "[/TOOL_RESULTS]", "[TOOL_CALLS]", "[IMG]", "<pad>", "[IMG_BREAK]"),
    *("[IMG_END]", "[PREFIX]", "[MIDDLE]", "[SUFFIX]", "[SYSTEM_PROMPT]", "[/SYSTEM_PROMPT]"),
    "[TOOL_CONTENT]",
)
_MOST = 1 << 21


def recognises(source: Source) -> bool:
    if source.only_file is None:
        return source.in_folder(FILE) is not None and source.in_folder("tokenizer.json") is None
    head = source.heads[0]
    is_object = head.lstrip().startswith(b"{")
    return is_object and b'"config"' in head and b'"default_num_special_tokens"' in head


def load(source: Source, overrides: Overrides) -> Opened:
    """The tokenizer of a file.

    Raises:
        TokenizerFileError: says which key is wrong.
    """
    path = source.in_folder(FILE) or source.only_file
    assert path is not None  # it was recognised
    try:
        return _read(Fields(read_json(path)), overrides)
    except (VocabularyError, PatternError) as error:
        raise TokenizerFileError(f"{path}: {error}") from None
    except TokenizerFileError as error:
        told = str(error).removeprefix(f"{path}: ")
        raise TokenizerFileError(f"{path}: {told}") from None


def _read(fields: Fields, overrides: Overrides) -> Opened:
    config = fields.inner("config")
    specials = config.count("default_num_special_tokens")
    size = config.count("default_vocab_size")
    if specials > _MOST or size > _MOST:
        raise config.error("default_vocab_size", "is too large for any vocabulary")
    special_ids = _special_ids(fields, specials)
    ranks = _ranks(fields, specials, size)
    pattern = overrides.pattern or pattern_of(config.text("pattern"))
    numbered = number_special_tokens(overrides.special_tokens, special_ids, ranks.values())
    tokenizer, notes = tokenizer_of_ranks(ranks, numbered, pattern)
    if overrides.pattern is None:
        notes.insert(0, describe_pattern(tokenizer.pattern))
    left_out = len(fields.items("vocab")) - len(ranks)
    if left_out:
        notes.append(f"{left_out:,} of its tokens have no room in the vocabulary, and no id")
    return Opened(tokenizer, FORMAT.name, tuple(notes))


def _special_ids(fields: Fields, specials: int) -> dict[str, int]:
    ids: dict[str, int] = {}
    if fields.has("special_tokens"):
        for each in fields.each("special_tokens"):
            ids[each.text("token_str")] = each.count("rank")
    else:
        ids = {name: place for place, name in enumerate(_NAMES[:specials])}
    if len(set(ids.values())) < len(ids) or any(i >= specials for i in ids.values()) or "" in ids:
        raise fields.error("special_tokens", "have ranks that are too high, or one of them twice")
    taken = set(ids.values())
    free = {f"<SPECIAL_{i}>": i for i in range(specials) if i not in taken}
    return free | ids


def _ranks(fields: Fields, specials: int, size: int) -> dict[bytes, int]:
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
            raise each.error("token_bytes", "is empty, or stands there twice")
        ranks[token] = token_id
    if len(set(ranks.values())) < len(ranks):
        raise fields.error("vocab", "has a rank twice")
    return ranks


FORMAT = TokenizerFormat("tekken", "Mistral's tekken.json", recognises, load)
