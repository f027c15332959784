"""Classes of tokenizers in `transformers`, and what each decides for the files in its folder.

A folder without a `tokenizer.json` does not say how a text is normalized and cut: its class does,
which `tokenizer_config.json` names, or the type of the model in `config.json`. Some classes also
number the pieces of a SentencePiece model anew, as fairseq did, or add tokens of their own.

Sources: `convert_slow_tokenizer.py` and `models/*/tokenization_*.py` of transformers 5.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from engine.formats.folder_settings import FolderSettings
from engine.formats.tokenizer_format import DOUBT
from engine.pipeline import normalizers, pretokenizers
from engine.pipeline.oniguruma import TextOrRegex

# Parts of the table

Roles = Mapping[str, str]


def _roles(**tokens: str) -> dict[str, str]:
    return {f"{role}_token": token for role, token in tokens.items()}


_FAIRSEQ = _roles(bos="<s>", eos="</s>", sep="</s>", cls="<s>", unk="<unk>", pad="<pad>")
_MASKED = _FAIRSEQ | _roles(mask="<mask>")
_BERT = _roles(unk="[UNK]", sep="[SEP]", pad="[PAD]", cls="[CLS]", mask="[MASK]")
_ALBERT = _BERT | _roles(unk="<unk>", pad="<pad>", bos="[CLS]", eos="[SEP]")
_END = "<|endoftext|>"
_GPT2 = _roles(unk=_END, bos=_END, eos=_END)

_AROUND = "bos $A eos", "bos $A eos eos $B eos"
_AROUND_BERT = "cls $A sep", "cls $A sep $B:1 sep:1"
_AROUND_ROBERTA = "cls $A sep", "cls $A sep sep $B sep"
_BEHIND = "$A eos", "$A eos $B eos"
_SPOKEN = "<|startoftranscript|> spoken task times"
"""Templates that name roles instead of tokens, for one text and for two."""


@dataclass(frozen=True)
class NormalizesWhen:
    """Normalizers that are used if a key of the configuration has a value."""

    key: str
    value: bool
    default: bool
    stages: tuple[normalizers.Normalizer, ...]


_CHARSMAP = "charsmap"
"""The place of the rules for characters that a SentencePiece model has, if it has any."""
Step = normalizers.Normalizer | NormalizesWhen | str


def _replaced(regex: str, new: str = " ") -> normalizers.Normalizer:
    return normalizers.Replace(TextOrRegex(regex=regex), new)


_QUOTES = tuple(normalizers.Replace(TextOrRegex(text=old), '"') for old in ("``", "''"))
_NO_ACCENTS = normalizers.NFKD(), normalizers.StripAccents()
_ONE_SPACE = _replaced(" {2,}")
_SPACES_PLAIN = (
    *(_replaced(r"\s{2,}|[\n\r\t]"), normalizers.NFC()),
    normalizers.Strip(strip_left=False, strip_right=True),
)
_MARKED = (pretokenizers.Metaspace(),)
_WORDS = (pretokenizers.WhitespaceSplit(), *_MARKED)


@dataclass(frozen=True)
class TokenizerClass:
    """A class of tokenizers.

    Attributes:
        roles: role → its special token, unless the folder gives another one.
        normalizer: the steps of normalizing.
        template: the templates for one text and for two; empty if nothing is added, unless the
            folder asks for it.
        mask: the options of the token for masks.
        language: the language of a template, unless the folder gives another `src_lang`.
    """

    roles: Roles
    normalizer: tuple[Step, ...] = ()
    template: tuple[str, str] | None = None
    mask: Mapping[str, bool] = field(default_factory=dict)
    language: str = ""


@dataclass(frozen=True)
class PieceClass(TokenizerClass):
    """A class whose vocabulary is a SentencePiece model.

    Attributes:
        first: tokens, or their roles, that replace the first pieces.
        left_out: the number of these pieces.
        last: tokens, or their roles, after the pieces.
        extra: special tokens without a role, among `first` and `last`.
        cut: the pre-tokenizer.
        merges: whether it merges, and the model is not Unigram.
        has_bytes: whether an unknown character becomes bytes.
        marks_first: whether only the beginning of a text gets a `▁`, unless it is `legacy`.
        is_marked: whether it gets one at all.
        without_prefix: where it gets one if the folder says no to `add_prefix_space`: as in
            `Metaspace`; empty if this changes nothing.
        unknown: the id of unknown characters, wherever their token is.
    """

    first: tuple[str, ...] = ()
    left_out: int = 0
    last: tuple[str, ...] = ()
    extra: tuple[str, ...] = ()
    cut: tuple[pretokenizers.PreTokenizer, ...] = _WORDS
    merges: bool = False
    has_bytes: bool = False
    marks_first: bool = False
    is_marked: bool = True
    without_prefix: str = ""
    unknown: int | None = None


@dataclass(frozen=True)
class ByteClass(TokenizerClass):
    """A class whose vocabulary is of bytes, in `vocab.json` and `merges.txt`.

    Attributes:
        pattern: the name of its pattern.
        digits_apart: whether each digit is a pretoken.
        add_prefix_space: whether a text gets a space in front, unless the folder decides.
    """

    pattern: str = "gpt2"
    digits_apart: bool = False
    add_prefix_space: bool = False


@dataclass(frozen=True)
class WordClass(TokenizerClass):
    """A class whose vocabulary is BERT's `vocab.txt`."""


_OF_FAIRSEQ: dict[str, Any] = {
    "first": ("bos_token", "pad_token", "eos_token", "unk_token"),
    "left_out": 3,
}
_NOT_USED = "<s>NOTUSED", "</s>NOTUSED", "<unk>NOTUSED"
_MBART = (
    "ar_AR cs_CZ de_DE en_XX es_XX et_EE fi_FI fr_XX gu_IN hi_IN it_IT ja_XX kk_KZ ko_KR lt_LT "
    "lv_LV my_MM ne_NP nl_XX ro_RO ru_RU si_LK tr_TR vi_VN zh_CN"
)
_MBART50 = (
    f"{_MBART} af_ZA az_AZ bn_IN fa_IR he_IL hr_HR id_ID ka_GE km_KH mk_MK ml_IN mn_MN mr_IN "
    "pl_PL ps_AF pt_XX sv_SE sw_KE ta_IN te_IN th_TH tl_XX uk_UA ur_PK xh_ZA gl_ES sl_SI"
)
_LEFT_SPACE = {"lstrip": True}
_NORMALIZED = {"lstrip": True, "normalized": True}
EXTRA_IDS = tuple(f"<extra_id_{n}>" for n in range(99, -1, -1))
UNKNOWNS = tuple(f"<unk_{n}>" for n in range(2, 103))
_T5 = PieceClass(
    _roles(eos="</s>", unk="<unk>", pad="<pad>"),
    (_CHARSMAP,),
    _BEHIND,
    last=EXTRA_IDS,
    extra=EXTRA_IDS[::-1],
    unknown=2,
)
_XLM_ROBERTA = PieceClass(
    _MASKED, (_CHARSMAP,), _AROUND, **_OF_FAIRSEQ, last=("mask_token",), without_prefix="never"
)
_NLLB = PieceClass(
    _MASKED,
    (_CHARSMAP, _ONE_SPACE),
    ("language $A eos", "language $A $B eos"),
    _NORMALIZED,
    "eng_Latn",
    **_OF_FAIRSEQ,
    cut=_MARKED,
    merges=True,
)
LLAMA = PieceClass(
    _roles(unk="<unk>", bos="<s>", eos="</s>"),
    cut=(pretokenizers.Metaspace(split=False),),
    merges=True,
    has_bytes=True,
    marks_first=True,
    without_prefix="never",
)
NO_CLASS = TokenizerClass(_roles(bos="<s>", eos="</s>"))
"""The class of a SentencePiece model whose folder names none."""
_ROBERTA = ByteClass(_MASKED, template=_AROUND_ROBERTA)
_BERTS = WordClass(_BERT, template=_AROUND_BERT)

CLASSES: dict[str, TokenizerClass] = {
    "XLMRobertaTokenizer": _XLM_ROBERTA,
    "LayoutXLMTokenizer": _XLM_ROBERTA,
    "CamembertTokenizer": PieceClass(
        _MASKED,
        (_CHARSMAP,),
        _AROUND,
        _LEFT_SPACE,
        first=("<s>NOTUSED", "pad_token", "</s>NOTUSED", "unk_token", "<unk>NOTUSED"),
        left_out=1,
        last=("mask_token",),
        extra=_NOT_USED,
        without_prefix="never",
    ),
    "MBartTokenizer": PieceClass(
        _MASKED,
        (),
        ("$A eos language", "$A $B eos language"),
        _NORMALIZED,
        "en_XX",
        **_OF_FAIRSEQ,
        last=(*_MBART.split(), "mask_token"),
        extra=(*_MBART.split(),),
    ),
    "MBart50Tokenizer": replace(
        _NLLB,
        language="en_XX",
        last=(*_MBART50.split(), "mask_token"),
        extra=(*_MBART50.split(),),
        merges=False,
    ),
    "NllbTokenizer": _NLLB,
    "T5Tokenizer": _T5,
    "PegasusTokenizer": PieceClass(
        _roles(pad="<pad>", eos="</s>", unk="<unk>", mask="<mask_2>"),
        (_CHARSMAP, _replaced(r"\n"), _ONE_SPACE),
        ("$A eos", "$A $B eos"),
        first=("pad_token", "eos_token", "<mask_1>", "<mask_2>", *UNKNOWNS),
        left_out=2,
        extra=("<mask_1>", *UNKNOWNS),
        cut=_MARKED,
    ),
    "AlbertTokenizer": PieceClass(
        _ALBERT,
        (
            *_QUOTES,
            NormalizesWhen("keep_accents", False, False, _NO_ACCENTS),
            NormalizesWhen("do_lower_case", True, True, (normalizers.Lowercase(),)),
            _CHARSMAP,
        ),
        _AROUND_BERT,
        without_prefix="never",
    ),
    "FNetTokenizer": PieceClass(
        _ALBERT,
        (
            *(_CHARSMAP, _replaced(r"\A +| +\z", ""), _ONE_SPACE),
            normalizers.Replace(TextOrRegex(text=" "), "▁"),
            _replaced(r"\A▁", "▁▁"),
        ),
        cut=(pretokenizers.Metaspace(split=False),),
    ),
    "BarthezTokenizer": PieceClass(
        _MASKED, _SPACES_PLAIN, None, _LEFT_SPACE, cut=_MARKED, unknown=3, without_prefix="never"
    ),
    "ReformerTokenizer": PieceClass(
        _roles(eos="</s>", unk="<unk>"), (_CHARSMAP, _ONE_SPACE), cut=_MARKED, merges=True
    ),
    "UdopTokenizer": PieceClass(
        _roles(eos="</s>", sep="</s>", unk="<unk>", pad="<pad>"), (), _BEHIND
    ),
    "SeamlessM4TTokenizer": PieceClass(
        _FAIRSEQ,
        (
            _replaced(r"[\n\r\t]"),
            normalizers.NFKC(),
            normalizers.Strip(strip_left=False, strip_right=True),
            *(_replaced(r" +▁", "▁"), _replaced(r"^▁+$", ""), _replaced(r" {2,}", "▁")),
        ),
        ("language $A eos", "language $A $B eos"),
        language="__eng__",
        first=("pad_token", "unk_token", "bos_token", "eos_token"),
        left_out=3,
        cut=(pretokenizers.Metaspace(prepend_scheme="first"),),
        merges=True,
        marks_first=True,
    ),
    "XLNetTokenizer": PieceClass(
        _MASKED | _roles(sep="<sep>", cls="<cls>"),
        (
            *(*_QUOTES, *_NO_ACCENTS),
            NormalizesWhen("do_lower_case", True, False, (normalizers.Lowercase(),)),
            _CHARSMAP,
        ),
        ("$A sep cls:2", "$A sep $B:1 sep:1 cls:2"),
        _NORMALIZED,
        extra=("<eop>", "<eod>"),
    ),
    "BigBirdTokenizer": PieceClass(
        _FAIRSEQ | _roles(sep="[SEP]", mask="[MASK]", cls="[CLS]"),
        (_replaced(" {2,}", "▁"),),
        _AROUND_BERT,
        cut=_MARKED,
        without_prefix="never",
    ),
    "RemBertTokenizer": PieceClass(
        _ALBERT,
        (
            *(*_QUOTES, _ONE_SPACE),
            NormalizesWhen("keep_accents", False, True, _NO_ACCENTS),
            NormalizesWhen("do_lower_case", True, False, (normalizers.Lowercase(),)),
            _CHARSMAP,
        ),
        cut=_MARKED,  # transformers 5 loses its template
        without_prefix="never",
    ),
    "DebertaV2Tokenizer": PieceClass(
        _BERT | _roles(bos="[CLS]", eos="[SEP]"),
        (NormalizesWhen("do_lower_case", True, False, (normalizers.Lowercase(),)), *_SPACES_PLAIN),
        _AROUND_BERT,
        cut=_MARKED,
        without_prefix="first",
    ),
    **dict.fromkeys(("LlamaTokenizer", "CodeLlamaTokenizer", "Phi3Tokenizer"), LLAMA),
    "GemmaTokenizer": PieceClass(
        _roles(unk="<unk>", bos="<bos>", eos="<eos>", pad="<pad>", mask="<mask>"),
        (normalizers.Replace(TextOrRegex(text=" "), "▁"),),
        cut=(pretokenizers.Split(TextOrRegex(text=" "), "MergedWithPrevious"),),
        merges=True,
        has_bytes=True,
        is_marked=False,
    ),
    **dict.fromkeys(("GPT2Tokenizer", "CodeGenTokenizer"), ByteClass(_GPT2)),
    "WhisperTokenizer": ByteClass(_GPT2, template=(f"{_SPOKEN} $A eos", f"{_SPOKEN} $A $B eos")),
    **dict.fromkeys(
        ("RobertaTokenizer", "BartTokenizer", "LongformerTokenizer", "LEDTokenizer"), _ROBERTA
    ),
    **dict.fromkeys(("MvpTokenizer", "LayoutLMv3Tokenizer"), _ROBERTA),
    "BlenderbotTokenizer": ByteClass(_MASKED, mask=_LEFT_SPACE, add_prefix_space=True),
    "DebertaTokenizer": ByteClass(
        _BERT | _roles(bos="[CLS]", eos="[SEP]"), template=_AROUND_ROBERTA
    ),
    "GPTNeoXTokenizer": ByteClass(_GPT2 | _roles(pad="<|padding|>"), (normalizers.NFC(),)),
    "Qwen2Tokenizer": ByteClass(
        _roles(unk=_END, eos=_END, pad=_END), (normalizers.NFC(),), pattern="qwen2"
    ),
    "Qwen3_5Tokenizer": ByteClass(
        _roles(unk=_END, eos=_END, pad=_END), (normalizers.NFC(),), pattern="qwen35"
    ),
    "CohereTokenizer": ByteClass(
        _roles(
            unk="<UNK>",
            bos="<BOS_TOKEN>",
            eos="<|END_OF_TURN_TOKEN|>",
            pad="<PAD>",
            cls="<CLS>",
            sep="<SEP>",
            mask="<MASK_TOKEN>",
        ),
        (normalizers.NFC(),),
        digits_apart=True,
    ),
    **dict.fromkeys(
        ("BertTokenizer", "DistilBertTokenizer", "ElectraTokenizer", "MobileBertTokenizer"), _BERTS
    ),
    **dict.fromkeys(
        ("LayoutLMTokenizer", "LxmertTokenizer", "ConvBertTokenizer", "SqueezeBertTokenizer"),
        _BERTS,
    ),
    **dict.fromkeys(
        (f"DPR{part}Tokenizer" for part in ("QuestionEncoder", "ContextEncoder", "Reader")), _BERTS
    ),
    "MPNetTokenizer": WordClass(_MASKED | _roles(unk="[UNK]"), (), _AROUND_ROBERTA, _NORMALIZED),
}
"""Name of a class without `Fast` → what it decides."""

GENERAL = {
    *("", "PreTrainedTokenizer", "TokenizersBackend", "PythonBackend"),
    *("CLIPTokenizer", "MarianTokenizer"),
}
"""Classes that decide nothing, or nothing more than the files show."""

_OF_ONE_TYPE = (
    "Camembert MBart Pegasus Albert XLNet RemBert Whisper Blenderbot Deberta Barthez FNet "
    "Reformer Udop MPNet"
)
_OF_TYPES = {
    **{name: name.lower() for name in _OF_ONE_TYPE.split()},
    "XLMRoberta": "xlm-roberta gte jina_embeddings_v3 trocr xmod",
    "Nllb": "nllb-moe",
    "T5": "t5 mt5 switch_transformers",
    "BigBird": "big_bird",
    "DebertaV2": "deberta-v2",
    "Llama": "idefics idefics2",
    "Gemma": "gemma gemma2 gemma3 gemma3_text gemma3n gemma3n_text recurrent_gemma t5gemma",
    "GPT2": "gpt2 gptj gpt_neo opt phi codegen dbrx starcoder2 jais2",
    "Roberta": "roberta bart led longformer mvp",
    "GPTNeoX": "gpt_neox falcon_mamba mamba mamba2 mpt olmo olmoe rwkv xlstm",
    "Qwen2": "qwen2 qwen2_moe qwen2_vl qwen2_5_vl qwen3 qwen3_moe qwen3_next qwen3_vl qwen3_vl_moe",
    "Qwen3_5": "qwen3_5 qwen3_5_moe qwen3_5_text qwen3_5_moe_text qwen4_exp",
    "Cohere": "cohere cohere2 aya_vision",
    "SeamlessM4T": "seamless_m4t seamless_m4t_v2",
    "Bert": "bert distilbert electra mobilebert layoutlm lxmert convbert squeezebert dpr",
    "": (
        "arctic aria beam bigbird_pegasus camembertv2-base canary chatlm cohere_asr ernie4_5 "
        "ernie4_5_moe flex_olmo fuyu glm glm4 glm4_moe glm4_moe_lite glm4v glm4v_moe glm_image "
        "glmasr got_ocr2 gpt_bigcode granite granitemoe granitemoehybrid granitemoeshared "
        "h2ovl_chat hyperclovax hyperclovax_vlm internlm2 internlm3 iquestcoder jamba kimi_k25 "
        "kimi_linear kosmos-2 llava llava_next mimo_v2_flash minicpm3 minicpm_ocr minicpmv "
        "minicpmv4_6 minicpmv4_7 minimax_m2 ministral ministral3 mistral mistral3 "
        "mistral_large4 mixtral modernbert modernbert-decoder molmo molmo2 nemotron nvfp4 "
        "nystromformer olmo2 olmo3 olmo_hybrid opencua openvla paddleocr_vl pegasus_x persimmon "
        "phi3 phi3_v phimoe pix2struct pixtral smolvlm stablelm step3_vl umt5 vipllava voxtral "
        "voxtral_realtime xlm-roberta-xl"
    ),
}
"""Class → types of models; those without a class are so, whichever class their folder names."""
_WRONG_CLASS = ("qwen2", "qwen3_5", "qwen3_5_moe", "qwen3_5_moe_text", "qwen4_exp")
"""Types of models whose own class is taken, whichever class their folder names."""
_CLASS_OF_TYPE = {
    each: name and f"{name}Tokenizer" for name, of in _OF_TYPES.items() for each in of.split()
}

_Kind = TypeVar("_Kind", bound=TokenizerClass)


def marking_first(merges: bool, has_bytes: bool, removes_spaces: bool) -> PieceClass:
    """Return the class of a model that is read without one, if its folder says `legacy: false`."""
    spaces = (_replaced(r"\A +| +\z", ""), _ONE_SPACE) if removes_spaces else ()
    return replace(
        LLAMA, normalizer=(_CHARSMAP, *spaces), merges=merges, has_bytes=merges and has_bytes
    )


def class_named_by(
    settings: FolderSettings, kind: type[_Kind], merges: bool | None = None
) -> tuple[_Kind | None, list[str]]:
    """Return the class that a folder names, if it is of a kind, and a note about it.

    Args:
        kind: the kind that suits the files.
        merges: whether the pieces of a SentencePiece model merge.
    """
    of_type = _CLASS_OF_TYPE.get(settings.model_type)
    name = settings.class_name or of_type or ""
    if of_type == "" or settings.model_type in _WRONG_CLASS:
        name = of_type or ""
    found = CLASSES.get(name)
    fits = merges is None or getattr(found, "merges", merges) == merges
    if isinstance(found, kind) and fits:
        return found, [f"read as transformers does for {name}, which the folder names"]
    if name in GENERAL:
        return None, []
    what = "is not known here" if found is None else "is for other files than these"
    return None, [f"the folder names {name[:60]}, which {what}, {DOUBT}"]
