"""Pipelines for tokenizers and runs that were not read from a `tokenizer.json`.

BPE on bytes becomes (no normalizer, the pattern, BPE, ByteLevel, ByteLevel): the pattern in
Oniguruma's dialect, the tokens in GPT-2's printable characters. BPE on characters keeps its
characters as tokens. WordPiece gets BERT's stages except for the normalizer, since training does
not lower the case. Unigram gets the pattern, and `▁` for spaces. Each pipeline gives the ids that
the tokenizer gives. `engine.pipeline.as_tokenizer` goes the other way.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby
from operator import add
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from engine.core.errors import TokenizerFileError, errors_at
from engine.core.gpt2_bytes import spell
from engine.encoding.alphabet import ByteAlphabet, CharacterAlphabet, WholeTokens, WordEndAlphabet
from engine.encoding.merging import columns_of
from engine.encoding.tokenizer import Tokenizer
from engine.pipeline import decoders, pretokenizers
from engine.pipeline.added_tokens import AddedToken
from engine.pipeline.models import BPE, Unigram, WordPiece
from engine.pipeline.oniguruma import TextOrRegex
from engine.pipeline.pipeline import Pipeline
from engine.pipeline.post_processors import ByteLevel as ByteLevelPostProcessor
from engine.pipeline.post_processors import PostProcessor, template_of
from engine.pipeline.sentencepiece import SURROGATE
from engine.text.patterns import PATTERNS, Pattern, PatternLike, as_pattern
from engine.text.pretokenize import to_text

if TYPE_CHECKING:
    from engine.bpe.frame import Frame
    from engine.unigram.frame import UnigramFrame
    from engine.wordpiece.frame import WordPieceFrame
    from engine.wordpiece.tokenizer import WordPieceTokenizer


def pipeline_of(tokenizer: Tokenizer, path: Path) -> Pipeline:
    """Return the stages that encode and decode as the tokenizer does; `path` is for errors.

    Raises:
        TokenizerFileError: a `tokenizer.json` cannot express the tokenizer.
    """
    if isinstance(tokenizer.pipeline, Pipeline):
        return tokenizer.pipeline
    with errors_at(path):
        if isinstance(tokenizer.alphabet, WordEndAlphabet):
            raise TokenizerFileError(
                "</w> is a symbol of its own here, which merges like any other; in tokenizer.json "
                "it is part of the last character, so the file would encode otherwise"
            )
        alphabet = tokenizer.alphabet
        in_characters = isinstance(alphabet, CharacterAlphabet)
        spelled, vocab = _spelled_vocab(tokenizer, to_text if in_characters else spell)
        merges = _merges(tokenizer, spelled)
        special_tokens = tuple(map(AddedToken, tokenizer.special_tokens))
        if isinstance(alphabet, CharacterAlphabet):
            unknown = None if alphabet.unknown is None else spelled[alphabet.unknown]
            return Pipeline(
                BPE(vocab, merges, unk_token=unknown),
                special_tokens,
                pre_tokenizer=pre_tokenizer_of(tokenizer.pattern, in_bytes=False),
                decoder=decoders.Fuse(),
            )
        return Pipeline(
            BPE(vocab, merges, ignore_merges=_ignores_merges(tokenizer)),
            special_tokens,
            pre_tokenizer=pre_tokenizer_of(tokenizer.pattern, in_bytes=True),
            post_processor=ByteLevelPostProcessor(trim_offsets=False),
            decoder=decoders.ByteLevel(),
        )


def pre_tokenizer_of(pattern: Pattern, in_bytes: bool) -> pretokenizers.PreTokenizer | None:
    """Return the pre-tokenizer that cuts as a pattern does; `None` if nothing is cut.

    Raises:
        TokenizerFileError: no translation of the pattern into Oniguruma's dialect is known.
    """
    if pattern == PATTERNS["gpt2"] and in_bytes:
        return pretokenizers.ByteLevel(add_prefix_space=False, use_regex=True)
    spelling = pretokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    if pattern == PATTERNS["none"]:
        return spelling if in_bytes else None
    source = pretokenizers.in_oniguruma(pattern)
    if source is None:
        raise TokenizerFileError(
            f"the pattern {pattern.name!r} is not one of the named ones, and only of these it is "
            f"known how tokenizer.json says them; choose one of {', '.join(PATTERNS)}"
        )
    split = pretokenizers.Split(TextOrRegex(regex=source), "Isolated")
    return pretokenizers.Sequence([split, spelling]) if in_bytes else split


def _spelled_vocab(
    tokenizer: Tokenizer, spelling: Callable[[bytes], str]
) -> tuple[dict[int, str], dict[str, int]]:
    """Return id → token as `tokenizer.json` spells it, special ones as they are; and back."""
    ids = sorted(tokenizer.vocab)
    special = {token_id: token for token, token_id in tokenizer.rules.special_ids.items()}
    plain = map(spelling, map(tokenizer.vocab.__getitem__, ids))
    spelled = {**dict(zip(ids, plain, strict=True)), **special}
    if SURROGATE.search("".join(spelled.values())):
        token_id, text = next(each for each in spelled.items() if SURROGATE.search(each[1]))
        raise TokenizerFileError(
            f"the {'special ' * (token_id in special)}token {text!r} is no UTF-8 text, which it "
            "has to be"
        )
    if len(vocab := dict(zip(spelled.values(), spelled, strict=True))) < len(spelled):
        token_id, text = next(each for each in spelled.items() if vocab[each[1]] != each[0])
        raise TokenizerFileError(
            f"the tokens {token_id} and {vocab[text]} have the same spelling, {text!r}, which "
            "tokenizer.json cannot say; choose special tokens that no ordinary token equals"
        )
    return spelled, vocab


def _merges(tokenizer: Tokenizer, spelled: dict[int, str]) -> list[tuple[str, str]]:
    """Return the merges in order of rank; a file has one rank for each."""
    columns = columns_of(tokenizer.merge_table)
    lefts, rights, made = (
        list(map(spelled.__getitem__, ids)) for ids in (columns.left, columns.right, columns.made)
    )
    if (joined := list(map(add, lefts, rights))) != made:
        differing = next(n for n, text in enumerate(joined) if text != made[n])
        rank = columns.rank[differing]
        raise TokenizerFileError(f"the merge of rank {rank} does not make its parts' bytes")
    if len(set(columns.rank)) < len(made):
        for rank, places in groupby(range(len(made)), key=columns.rank.__getitem__):
            same = list(places)
            if len(same) > 1 and {lefts[n] for n in same} & {rights[n] for n in same}:
                raise TokenizerFileError(
                    f"several merges share the rank {rank} and could overlap, which "
                    "tokenizer.json cannot say; give each merge a rank of its own"
                )
    return list(zip(lefts, rights, strict=True))


def _ignores_merges(tokenizer: Tokenizer) -> bool:
    """Whether whole tokens are looked up before anything merges; an error if only some are."""
    rules = tokenizer.rules
    match tokenizer.alphabet:
        case ByteAlphabet():
            return False
        case WholeTokens(inner=ByteAlphabet(), whole=whole):
            others = ((token, i) for token, i in rules.ids.items() if whole.get(token) != i)
            if all(rules.tokens_of(token) == (token_id,) for token, token_id in others):
                return True
    raise TokenizerFileError("the tokenizer does not work on bytes, so its stages are not known")


AnyFrame: TypeAlias = "Frame | WordPieceFrame | UnigramFrame"

BERT = "[CLS] $A [SEP]", "[CLS] $A [SEP] $B:1 [SEP]:1"
"""BERT's templates, for one text and for two."""


def pipeline_at(frame: AnyFrame) -> Pipeline:
    """Return the pipeline of a run's vocabulary at a step.

    Raises:
        TokenizerFileError: no stage can express the run's pattern.
    """
    # Runs load many modules; writing a file should not wait for them.
    from engine.unigram.frame import UnigramFrame
    from engine.wordpiece.frame import WordPieceFrame

    if isinstance(frame, WordPieceFrame):
        return wordpiece_pipeline(frame.tokenizer)
    if isinstance(frame, UnigramFrame):
        return unigram_pipeline(frame.vocabulary, frame.record.special_tokens, frame.pattern)
    return pipeline_of(frame.tokenizer(), Path(f"step {frame.step}"))


def wordpiece_pipeline(tokenizer: WordPieceTokenizer) -> Pipeline:
    """Return the stages that encode as a WordPiece tokenizer does.

    >>> from engine.wordpiece.tokenizer import WordPieceTokenizer
    >>> vocab = dict(enumerate([b"[UNK]", b"[CLS]", b"[SEP]", b"hug", b"##s"]))
    >>> pipeline = wordpiece_pipeline(WordPieceTokenizer(vocab, ["[UNK]", "[CLS]", "[SEP]"]))
    >>> [token.text for token in pipeline.run("hugs").tokens]
    ['[CLS]', 'hug', '##s', '[SEP]']
    """
    ids = {to_text(piece): token_id for token_id, piece in tokenizer.vocab.items()}
    cut: pretokenizers.PreTokenizer | None = pretokenizers.BertPreTokenizer()
    if tokenizer.pattern != PATTERNS["bert"]:
        by_pattern = pre_tokenizer_of(tokenizer.pattern, in_bytes=False)
        cut = pretokenizers.Sequence([*filter(None, [by_pattern]), pretokenizers.WhitespaceSplit()])
    has_frame = {"[CLS]", "[SEP]"} <= set(tokenizer.special_tokens)
    around: PostProcessor | None = template_of(*BERT, ids) if has_frame else None
    return Pipeline(
        WordPiece(ids, to_text(tokenizer.vocab[tokenizer.unknown_id])),
        tuple(map(AddedToken, tokenizer.special_tokens)),
        pre_tokenizer=cut,
        post_processor=around,
        decoder=decoders.WordPiece(cleanup=False),
    )


def unigram_pipeline(
    pieces: Sequence[tuple[str, float]],
    special_tokens: Sequence[str],
    pattern: PatternLike = "gpt2",
) -> Pipeline:
    """Return the stages that encode with Unigram pieces; the first is the unknown token.

    Pieces with bytes that are not UTF-8 are left out: stages see text.

    >>> pieces = [("<unk>", 0.0), ("hug", -1.0), ("▁hug", -1.0), ("s", -2.0)]
    >>> [token.text for token in unigram_pipeline(pieces, []).run("hugs hug").tokens]
    ['hug', 's', '▁hug']
    """
    metaspace = pretokenizers.Metaspace(prepend_scheme="never", split=False)
    cut = pre_tokenizer_of(as_pattern(pattern), in_bytes=False)
    return Pipeline(
        Unigram([piece for piece in pieces if not SURROGATE.search(piece[0])], 0),
        tuple(map(AddedToken, special_tokens)),
        pre_tokenizer=pretokenizers.Sequence([*filter(None, [cut]), metaspace]),
        decoder=decoders.Metaspace(prepend_scheme="never", split=False),
    )
