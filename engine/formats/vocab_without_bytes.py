"""`vocab.json` and `merges.txt` whose smallest tokens are not the 256 bytes.

Hugging Face's trainer of BPE writes such files if it is not given an alphabet: its tokens begin
with the characters, or the bytes, that the corpus has. The files say nothing of the other stages,
which the program that trained them knows. So these are guessed from the form of the tokens:

| tokens | a text is cut |
|---|---|
| in GPT-2's stand-ins for bytes, such as `Ġ` | as GPT-2 does |
| with `▁` | before each space, which is `▁` |
| with `##` inside words, or none of these | into words and runs of symbols |
| the same, with words and symbols in one token | at spaces |

The ids are those of `BPE.from_file` in Hugging Face's library, with the same stages around it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from engine.core.errors import TokenizerFileError
from engine.core.gpt2_bytes import BYTE_TO_CHAR, CHAR_TO_BYTE, unspell
from engine.core.json_fields import Fields
from engine.formats import guesses
from engine.formats.folder_settings import FolderSettings
from engine.formats.source import read_json, read_merges
from engine.formats.tokenizer_format import Opened, Overrides
from engine.formats.tokenizer_json import overridden
from engine.unigram.units import SPACE

if TYPE_CHECKING:
    from engine.pipeline.decoders import Decoder
    from engine.pipeline.pretokenizers import PreTokenizer

_UNKNOWN = ("[UNK]", "<unk>", "<UNK>", "<|unk|>", "UNK", "unk")
_INSIDE = "##"
_BRACKETED = re.compile(r"<.*>|\[.*\]", re.DOTALL)
_MIXED = re.compile(r"\w[^\w\s]|[^\w\s]\w")
_PARTS_OF_TEXT = re.compile(
    rb"[\x80-\xbf]{0,3}(?P<text>.*?)[\xc2-\xf4]?[\x80-\xbf]{0,2}", re.DOTALL
)

_OPEN_JSON = "; tokens that hold spaces cannot be in such a file, open the tokenizer.json"

TextMerges = Sequence[tuple[str, str]]


class _Stages(NamedTuple):
    """The stages around the model that are guessed, and the way they cut, for a note."""

    cut: PreTokenizer
    decoder: Decoder | None
    way: str


def lacks_bytes(vocab_path: Path) -> bool:
    """Whether a vocabulary lacks one of the 256 bytes in GPT-2's spelling.

    Raises:
        TokenizerFileError: it is no JSON.
    """
    vocab = read_json(vocab_path)
    is_plain = isinstance(vocab, dict) and all(type(i) is int for i in vocab.values())
    return is_plain and bool(vocab) and not vocab.keys() >= set(BYTE_TO_CHAR.values())


def load(
    vocab_path: Path,
    merges_path: Path,
    settings: FolderSettings | None,
    overrides: Overrides,
    format: str,
) -> Opened:
    """Open a vocabulary and merges of other units.

    Args:
        settings: those in the files' folder; `None` if there are none.
        format: name of the format of the files.

    Raises:
        TokenizerFileError: a file is malformed, or the two do not fit together.
    """
    # Imported late: the stages are many modules.
    from engine.pipeline.added_tokens import AddedToken
    from engine.pipeline.as_tokenizer import tokenizer_of
    from engine.pipeline.models import BPE
    from engine.pipeline.pipeline import Pipeline

    vocab = dict(read_json(vocab_path))
    merges = read_merges(merges_path, str, _OPEN_JSON)
    unmade = _unmade(vocab, merges)
    special = [token for token in unmade if _BRACKETED.fullmatch(token)]
    content = {
        "type": "BPE",
        "vocab": vocab | ({} if settings is None else settings.token_ids(vocab)),
        "merges": list(map(list, merges)),
        "dropout": None,
        "unk_token": next((token for token in _UNKNOWN if token in vocab), None),
        "continuing_subword_prefix": _INSIDE if _has_prefix(vocab, merges) else None,
        "end_of_word_suffix": None,
    }
    try:
        model = BPE.from_json(Fields(content))
    except TokenizerFileError as error:
        raise TokenizerFileError(f"{merges_path}: {error}; do they belong together?") from None
    stages = _stages([token for token in vocab if token not in unmade])
    added = special if settings is None else list(settings.flags)
    pipeline = Pipeline(
        model, tuple(map(AddedToken, added)), pre_tokenizer=stages.cut, decoder=stages.decoder
    )
    if settings is not None:
        pipeline = settings.applied_to(pipeline)
    tokenizer = tokenizer_of(overridden(pipeline, overrides))
    never = {token.encode(): token for token in unmade if token not in tokenizer.special_tokens}
    notes = [
        *_note_units(model, stages.way, overrides),
        *(() if settings is None else settings.notes(tokenizer.vocab)),
        *guesses.note_gaps(tokenizer.vocab),
        *(guesses.note_guessed_special_tokens(overrides, special) if settings is None else ()),
        *guesses.note_unmade(never),
    ]
    return Opened(tokenizer, format, tuple(notes))


def _has_prefix(vocab: Mapping[str, int], merges: TextMerges) -> bool:
    """Whether the right part of each merge loses `##`."""
    return bool(merges) and all(
        right.startswith(_INSIDE) and left + right.removeprefix(_INSIDE) in vocab
        for left, right in merges
    )


def _unmade(vocab: Mapping[str, int], merges: TextMerges) -> list[str]:
    """Return the tokens of several characters that no merge makes."""
    made = {left + right for left, right in merges}
    made |= {left + right.removeprefix(_INSIDE) for left, right in merges}
    return [token for token in vocab if len(token.removeprefix(_INSIDE)) > 1 and token not in made]


def _stages(tokens: Sequence[str]) -> _Stages:
    """Guess the stages around a model of these tokens, which merges make."""
    from engine.pipeline import decoders, pretokenizers

    if _are_bytes(tokens):
        cut: PreTokenizer = pretokenizers.ByteLevel(add_prefix_space=False, use_regex=True)
        return _Stages(cut, decoders.ByteLevel(), "as GPT-2 cuts it, into bytes")
    if any(SPACE in token for token in tokens):
        return _Stages(
            pretokenizers.Metaspace(), decoders.Metaspace(), f"before spaces, made {SPACE}"
        )
    inside = any(token.startswith(_INSIDE) for token in tokens)
    decoder = decoders.WordPiece() if inside else None
    if any(_MIXED.search(token.removeprefix(_INSIDE)) for token in tokens):
        return _Stages(pretokenizers.WhitespaceSplit(), decoder, "at its spaces")
    return _Stages(pretokenizers.Whitespace(), decoder, "into words and runs of symbols")


def _are_bytes(tokens: Sequence[str]) -> bool:
    """Whether tokens are bytes in GPT-2's spelling, not characters.

    >>> _are_bytes(["Ġe", "4"]), _are_bytes(["e4", "x"]), _are_bytes(["á", "Ī", "áĪ"])
    (True, False, True)
    >>> _are_bytes(["é", "a", "éa"]), _are_bytes(["ሰ", "Ġ"])
    (False, False)
    """
    if not set("".join(tokens)) <= CHAR_TO_BYTE.keys():
        return False
    if any(token.startswith(BYTE_TO_CHAR[ord(" ")]) for token in tokens):
        return True
    spelled = [unspell(token) for token in tokens if not token.isascii()]
    return bool(spelled) and all(map(_is_part_of_text, spelled))


def _is_part_of_text(token: bytes) -> bool:
    """Whether bytes are UTF-8, up to incomplete characters at both ends."""
    match = _PARTS_OF_TEXT.fullmatch(token)
    assert match is not None  # any bytes match
    return guesses.is_text(match["text"])


def _note_units(model: object, way: str, overrides: Overrides) -> Iterator[str]:
    unknown = getattr(model, "unk_token", None)
    lost = "is lost" if unknown is None else f"becomes {unknown}"
    yield f"its smallest tokens are not the 256 bytes; what they cannot spell {lost}"
    if overrides.pattern is None:
        yield (
            f"the files do not say how a text is cut; it is cut {way}, by the form of the tokens; "
            "--pattern gives another way, and a tokenizer.json has its own"
        )
