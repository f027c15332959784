r"""GGUF, the model files of llama.cpp: the tokenizer in the header. The tensors are never read.

    tokenizer.ggml.model       "gpt2", "gemma4", "whitespace", "llama", "t5", "bert": see `MODELS`
    tokenizer.ggml.pre         "llama-bpe": the regexes that cut a text, see `gguf_cuts`
    tokenizer.ggml.tokens      ["!", "\"", "#", …]; the id of a token is its place
    tokenizer.ggml.token_type  [1, 1, 3, …]: normal, unknown, control, user-defined, unused, byte
    tokenizer.ggml.merges      ["Ġ t", "h e", …] of gpt2
    tokenizer.ggml.scores      [0.0, -1.5, …] of llama and t5

`gguf_header` reads these. Such a file does not hold all of the original tokenizer: it has no
normalizer of gpt2's. The result encodes as llama.cpp does, and so, but for that, like the
`tokenizer.json` that the file was made from.

Sources: `llama-vocab.cpp` and `convert_hf_to_gguf.py` of llama.cpp.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from engine.core.errors import PatternError, TokenizerFileError, errors_at
from engine.core.json_fields import Fields
from engine.formats.gguf_cuts import (
    ALWAYS_BEGINS_WITH_BOS,
    BEGINS_WITH_BOS,
    FROM_LLAMA_CPP,
    IN_CHARACTERS,
    LOOKS_UP_WORDS,
    MARKS_SPACES,
    pre_tokenizer_named,
)
from engine.formats.gguf_header import MAGIC, PREFIX, read_pairs
from engine.formats.guesses import note_guessed_pattern, note_template
from engine.formats.sentencepiece_model import (
    LARGEST_SCORE,
    MOST_PIECES,
    check_merges,
    check_pieces,
)
from engine.formats.source import TokenizerSource, read_head
from engine.formats.tokenizer_format import Opened, Overrides, TokenizerFormat
from engine.formats.tokenizer_json import overridden

if TYPE_CHECKING:
    from engine.pipeline.added_tokens import AddedToken
    from engine.pipeline.pipeline import Pipeline
    from engine.pipeline.post_processors import TemplateProcessing

# The tokenizer in the pairs

NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = range(1, 7)
"""Types of tokens; llama.cpp finds those of the types 2 to 4 in a text before anything else."""
_ROLES = ("bos", "eos", "unknown", "seperator", "padding", "mask", "eot", "eom", "cls")
"""Special tokens whose ids are under `…_token_id`; the misspelt one is the format's."""
_PADDING = re.compile(r"\[PAD(\d{1,9})\]")
_BYTE_NAME = re.compile(r"<0x[0-9A-F]{2}>")

T = TypeVar("T")


class VocabToken(NamedTuple):
    token_id: int
    text: str
    score: float
    kind: int


@dataclass(frozen=True)
class TokenizerPairs:
    """The pairs of a tokenizer, each checked when it is read."""

    pairs: Mapping[str, Any]

    def get(self, key: str, default: T) -> T:
        """Return the value of a key, which must be of the default's type."""
        value: T = self.pairs.get(key, default)
        if type(value) is not type(default):
            raise TokenizerFileError(f"{PREFIX}{key} should be a {type(default).__name__}")
        return value

    def texts(self, key: str) -> list[str]:
        found = self.pairs.get(key, [])
        if not isinstance(found, list) or not all(type(text) is str for text in found):
            raise TokenizerFileError(f"{PREFIX}{key} should be a list of texts")
        return found

    def _column(self, key: str, default: float, count: int) -> tuple[Any, ...]:
        """Return a list with a number for each token."""
        found = self.pairs.get(key, (default,) * count)
        if not isinstance(found, tuple) or len(found) < count:
            raise TokenizerFileError(f"{PREFIX}{key} should have a number for each token")
        return found

    @cached_property
    def tokens(self) -> list[VocabToken]:
        """The tokens, without those that only fill the vocabulary up to a round number."""
        texts = self.texts("tokens")
        if not 0 < len(texts) <= MOST_PIECES:
            raise TokenizerFileError(f"has {len(texts):,} tokens; is it a tokenizer?")
        scores = self._column("scores", 0.0, len(texts))
        kinds = self._kinds(texts)
        found: dict[str, VocabToken] = {}
        for token_id, (text, score, kind) in enumerate(zip(texts, scores, kinds, strict=False)):
            fills = kind in (UNUSED, USER_DEFINED) and _PADDING.fullmatch(text)
            if not text or (fills and int(fills[1]) == token_id):
                continue
            if text in found:
                raise TokenizerFileError(f"has the token {text[:60]!r} twice")
            if not abs(score) <= LARGEST_SCORE or kind not in range(BYTE + 1):
                raise TokenizerFileError(f"score or type of its token {text[:60]!r} is none")
            found[text] = VocabToken(token_id, text, float(score), kind or NORMAL)
        if not found:
            raise TokenizerFileError("has no token with a text; is it a tokenizer?")
        return list(found.values())

    def _kinds(self, texts: list[str]) -> tuple[int, ...]:
        if "token_type" in self.pairs:
            return self._column("token_type", NORMAL, len(texts))
        kinds = [BYTE if _BYTE_NAME.fullmatch(text) else NORMAL for text in texts]
        for token_id in map(self._id_under, _ROLES):
            if token_id is not None and token_id < len(kinds):
                kinds[token_id] = CONTROL
        return tuple(kinds)

    def _id_under(self, role: str, default: int = -1) -> int | None:
        found = self.pairs.get(f"{role}_token_id", default)
        return found if type(found) is int and found >= 0 else None

    def token_with(self, role: str, default: int = -1) -> VocabToken | None:
        """Return the token with a role; `None` if there is none."""
        wanted = self._id_under(role, default)
        return next((token for token in self.tokens if token.token_id == wanted), None)

    def added(self, overrides: Overrides) -> tuple[AddedToken, ...]:
        """Return the tokens that are found in a text before anything else."""
        from engine.pipeline.added_tokens import AddedToken

        if overrides.special_tokens is not None:
            return tuple(map(AddedToken, overrides.special_tokens))
        found = (token for token in self.tokens if token.kind in (UNKNOWN, CONTROL, USER_DEFINED))
        return tuple(AddedToken(each.text, special=each.kind != USER_DEFINED) for each in found)

    def template(self, before: VocabToken | None, *after: VocabToken | None) -> Any:
        """Return the post-processor that puts tokens around a text; `None` if there are none."""
        from engine.pipeline.post_processors import TemplatePart, TemplateProcessing

        first = [] if before is None else [before]
        last = [token for token in after if token is not None]
        if not first and not last:
            return None

        def parts(tokens: list[VocabToken], type_id: int) -> list[TemplatePart]:
            return [TemplatePart(None, token.text, type_id) for token in tokens]

        single = [*parts(first, 0), TemplatePart(0, "", 0), *parts(last, 0)]
        second = [TemplatePart(1, "", 1), *parts(last, 1)]
        ids = {token.text: ([token.token_id], [token.text]) for token in (*first, *last)}
        return TemplateProcessing(single, [*single, *second], ids)

    def framed(self, pipeline: Pipeline, adds_bos: bool, adds_eos: bool) -> Pipeline:
        """Return the pipeline with the tokens that llama.cpp puts around a text."""
        bos = self.get("add_bos_token", adds_bos)
        eos = self.get("add_eos_token", adds_eos)
        template: TemplateProcessing | None = self.template(
            self.token_with("bos") if bos else None, self.token_with("eos") if eos else None
        )
        return pipeline if template is None else replace(pipeline, post_processor=template)


# The models, each as a pipeline


def _read_gpt2(pairs: TokenizerPairs, overrides: Overrides) -> Pipeline:
    """BPE on bytes, or on characters: merges, and `pre` for the regexes."""
    from engine.pipeline import decoders, models, normalizers, pretokenizers
    from engine.pipeline.oniguruma import TextOrRegex
    from engine.pipeline.pipeline import Pipeline

    merges: list[tuple[str, str]] = []
    for place, merge in enumerate(pairs.texts("merges")):
        left, _, right = merge[1:].partition(" ")
        if not right:
            raise TokenizerFileError(f"its merge {place:,} is not two tokens: {merge[:60]!r}")
        merges.append((merge[:1] + left, right))
    kind = pairs.get("model", "")
    pre = kind if kind in IN_CHARACTERS else pairs.get("pre", "")
    vocab = {token.text: token.token_id for token in pairs.tokens}
    looks_up, in_characters = pre in LOOKS_UP_WORDS, pre in IN_CHARACTERS
    model = models.BPE(vocab, merges, ignore_merges=looks_up, byte_fallback=in_characters)
    model.check(Fields({}, PREFIX.rstrip(".")))
    cut = pre_tokenizer_named("gpt-2" if overrides.pattern is not None else pre)
    pipeline = Pipeline(model, pairs.added(overrides), None, cut, None, decoders.ByteLevel())
    if in_characters:
        spoken = decoders.Sequence([decoders.ByteFallback(), decoders.Fuse()])
        pipeline = replace(pipeline, decoder=spoken)
    if pre in MARKS_SPACES:
        marked, mark = normalizers.Replace(TextOrRegex(text=" "), "▁"), TextOrRegex(text="▁")
        unmarked = decoders.Sequence([decoders.Replace(mark, " "), spoken])
        pipeline = replace(pipeline, normalizer=marked, decoder=unmarked)
    if kind == "whitespace":  # which is the only kind that drops white space
        words = pretokenizers.Split(TextOrRegex(regex=r"\s+"), "Removed")
        lowers = normalizers.Lowercase() if pairs.get("normalizer.lowercase", False) else None
        pipeline = replace(pipeline, normalizer=lowers, pre_tokenizer=words)
    if pre in ALWAYS_BEGINS_WITH_BOS:
        pairs = replace(pairs, pairs={**pairs.pairs, "add_bos_token": True})
    return overridden(pairs.framed(pipeline, pre in BEGINS_WITH_BOS, False), overrides)


def _read_sentencepiece(pairs: TokenizerPairs, overrides: Overrides) -> Pipeline:
    """SentencePiece: BPE by scores for `llama`, Unigram for `t5`."""
    from engine.pipeline import sentencepiece
    from engine.pipeline.pipeline import Pipeline

    if overrides.pattern is not None:
        raise TokenizerFileError("a SentencePiece model cuts a text by no pattern")
    is_bpe = pairs.get("model", "") == "llama"
    unknown = pairs.token_with("unknown", 0 if is_bpe else 2)
    if unknown is None:
        raise TokenizerFileError("has no unknown token, which SentencePiece needs")
    pieces = [
        sentencepiece.ScoredPiece(f"[PAD{place}]", 0.0, sentencepiece.CONTROL)
        for place in range(pairs.tokens[-1].token_id + 1)
    ]
    for token in pairs.tokens:
        kind = CONTROL if token.kind == UNKNOWN else NORMAL if token.kind == UNUSED else token.kind
        kind = UNKNOWN if token is unknown else kind
        pieces[token.token_id] = sentencepiece.ScoredPiece(token.text, token.score, kind)
    has_bytes = any(token.kind == BYTE for token in pairs.tokens)
    check_pieces(pieces, has_bytes)
    if is_bpe:
        check_merges(pieces)
    charsmap = pairs.pairs.get("precompiled_charsmap", ())
    if not isinstance(charsmap, tuple) or not all(type(unit) is int for unit in charsmap):
        raise TokenizerFileError(f"{PREFIX}precompiled_charsmap should be a list of bytes")
    has_prefix = pairs.get("add_space_prefix", is_bpe)
    removes = pairs.get("remove_extra_whitespaces", False)
    normalizer = sentencepiece.SentencePieceNormalizer(
        bytes(unit & 0xFF for unit in charsmap), (), has_prefix, removes
    )
    decoder = sentencepiece.SentencePieceDecoder(
        (), unknown.text, unknown.text, has_prefix, removes, has_bytes
    )
    if charsmap:
        sentencepiece.character_map(normalizer.charsmap)  # raises if it is damaged
    pattern = sentencepiece.word_pattern(piece.text for piece in pieces) if is_bpe else None
    words = None if pattern is None else sentencepiece.SentencePieceCuts(pattern)
    model = (
        sentencepiece.SentencePieceBPE(pieces, has_bytes)
        if is_bpe
        else sentencepiece.SentencePieceUnigram(pieces, has_bytes, in_64_bits=True)
    )
    pipeline = Pipeline(model, pairs.added(overrides), normalizer, words, None, decoder)
    return pairs.framed(pipeline, is_bpe, not is_bpe)


def _read_bert(pairs: TokenizerPairs, overrides: Overrides) -> Pipeline:
    """WordPiece: `▁` begins a word, and a piece without it is one with `##`."""
    from engine.pipeline import decoders, models, normalizers, pretokenizers
    from engine.pipeline.pipeline import Pipeline

    vocab: dict[str, int] = {}
    for token in pairs.tokens:
        text = token.text
        in_brackets = text.startswith("[") and text.endswith("]")
        if text.startswith("▁"):
            text = text[1:]
        elif token.kind not in (CONTROL, UNKNOWN) and not in_brackets:
            text = f"##{text}"
        if text in vocab:
            raise TokenizerFileError(f"has the piece {text[:60]!r} twice")
        vocab[text] = token.token_id
    unknown = pairs.token_with("unknown", 100)
    if unknown is None or unknown.text not in vocab:
        raise TokenizerFileError("has no unknown token, which WordPiece needs")
    lowers = pairs.get("normalizer.lowercase", True)
    pipeline = Pipeline(
        models.WordPiece(vocab, unknown.text),
        pairs.added(overrides),
        normalizers.BertNormalizer(
            strip_accents=pairs.get("normalizer.strip_accents", lowers), lowercase=lowers
        ),
        pretokenizers.BertPreTokenizer(),
        pairs.template(
            pairs.token_with("cls") or pairs.token_with("bos", 101),
            pairs.token_with("seperator", 102),
        ),
        decoders.WordPiece(),
    )
    return overridden(pipeline, overrides)


MODELS: dict[str, Callable[[TokenizerPairs, Overrides], Pipeline]] = {
    "gpt2": _read_gpt2,
    "gemma4": _read_gpt2,
    "whitespace": _read_gpt2,
    "llama": _read_sentencepiece,
    "t5": _read_sentencepiece,
    "bert": _read_bert,
}
"""Value of `model` → function that makes the pipeline."""


# The format

_LATER_PART = re.compile(r"-(?!00001)\d{5}-of-\d{5}\.gguf")


def _path_of(source: TokenizerSource) -> Path | None:
    """Return the only file, or that of a directory with one model; the first of its parts."""
    if source.folder is None:
        return source.only_file
    match [path for path in source.with_endings(".gguf") if not _LATER_PART.search(path.name)]:
        case [path]:
            return path
    return None


def recognises(source: TokenizerSource) -> bool:
    path = _path_of(source)
    return path is not None and read_head(path).startswith(MAGIC)


def load(source: TokenizerSource, overrides: Overrides) -> Opened:
    """Open the tokenizer in the header of a GGUF file.

    Raises:
        TokenizerFileError: the header is damaged, or the kind of tokenizer is not known here.
    """
    path = _path_of(source)
    assert path is not None  # the source was recognised
    with errors_at(path):
        pairs = read_pairs(path)
    return opened_from(path, pairs, overrides, FORMAT.name)


def opened_from(
    path: Path, content: Mapping[str, Any], overrides: Overrides, format: str
) -> Opened:
    """Return the tokenizer that the pairs of a file describe.

    Raises:
        TokenizerFileError: a pair is missing or wrong, or the kind of tokenizer is not known here.
    """
    from engine.pipeline.as_tokenizer import tokenizer_of

    with errors_at(path, PatternError):
        pairs = TokenizerPairs(content)
        name = pairs.get("model", "")
        if not name:
            raise TokenizerFileError("is a GGUF file without a tokenizer")
        if name not in MODELS:
            raise TokenizerFileError(
                f"its tokenizer is of the kind {name[:60]!r}; known are {', '.join(MODELS)}; open "
                "the tokenizer.json of the same model"
            )
        pipeline = MODELS[name](pairs, overrides)
        tokenizer = tokenizer_of(pipeline)
    pre = pairs.get("pre", "") if name == "gpt2" else ""
    notes = [f"a GGUF file's tokenizer, {name}{f', cut as {pre}' if pre else ''}"]
    if filling := len(pairs.texts("tokens")) - len(pairs.tokens):
        notes.append(f"{filling:,} of its tokens only fill the vocabulary up, and are left out")
    if name == "gpt2" and pre in ("", "default"):
        notes += note_guessed_pattern(overrides, "llama.cpp's default")
    elif pre in FROM_LLAMA_CPP:
        notes.append("its regexes are llama.cpp's, which may differ from those of the model's own")
    notes += note_template(pipeline.template_tokens)
    return Opened(tokenizer, format, tuple(notes))


FORMAT = TokenizerFormat(
    "gguf", "a GGUF model of llama.cpp, for the tokenizer in its header", recognises, load
)
