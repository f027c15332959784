"""Words of English in a text that is in another language, except names."""

import re

from bpe_tui.cli.console import COMMAND_NAMES
from bpe_tui.session.commands import COMMANDS
from bpe_tui.session.declarations import shown_keys
from bpe_tui.session.languages import own_name
from bpe_tui.session.models import MODELS
from bpe_tui.session.samples import SAMPLES
from engine.analysis.check.causes import CAUSES
from engine.analysis.tokenizer_kinds import KINDS
from engine.bpe.ties import TIE_RULES
from engine.bpe.trainers import TRAINERS
from engine.encoding.alphabet import UNITS
from engine.formats import FORMATS
from engine.learning.questions import KINDS as QUESTIONS
from engine.pipeline.pretokenizers import PRETOKENIZERS
from engine.text.patterns import PATTERNS
from engine.wordpiece.score import SCORE_TIE_RULES

REGISTRIES = (
    *(MODELS, TIE_RULES, SCORE_TIE_RULES, TRAINERS, PATTERNS, UNITS, FORMATS, KINDS),
    *(CAUSES, QUESTIONS, PRETOKENIZERS),
)
NAMES = {
    *(name for registry in REGISTRIES for name in registry),
    *(model.title for model in MODELS.values()),
    *(trainer.name for model in MODELS.values() for trainer in model.trainers),
    *(pattern.summary.partition(":")[0] for pattern in PATTERNS.values()),
    *(rule.title for rule in TIE_RULES.values()),
    *(sample.name for sample in SAMPLES),
    *COMMAND_NAMES,
    *(shown_keys(command.keys) for command in COMMANDS),
    *("Enter", "Ctrl", "Shift", "PageUp", "PageDown", "PgUp", own_name("en"), "bpe-tui"),
}
"""Names of the program, in its registries and on its keys."""
TERMS = {
    *("UTF", "PMI", "OOV", "BBPE", "Zipf", "Viterbi", "JSON", "GPT", "NFC", "NFD", "NFKC", "NFKD"),
    *("SentencePiece", "Hugging Face", "BERT", "Llama", "Qwen", "find_chunk_boundaries"),
    *("str.split", "https", "aaa"),
    # the syntax of breakpoints, and settings in a tokenizer.json
    *("token", "step", "len", "tie", "the", "use_regex", "trim_offsets", "prefix"),
    *("ByteLevel", "Split", "WhitespaceSplit", "Metaspace", "prepend_scheme", "never"),
    *("replacement", "Sequence", "Template", "count"),
    # how the help writes arguments; what is typed to a stepper; endings
    *("CORPUS", "DIR", "FILE", "VOCAB", "MERGES", "STEPS", "MODEL"),
    *(
        "help",
        "quit",
        "hint",
        "show",
        "skip",
        "words",
        "toml",
        "latin",
        "Ctrl",
        "seed",
        "log",
        "uint",
        "bin",
        "tokenizers",
    ),
}
"""Names and terms that Chinese texts leave as they are."""


def english_in(text: str) -> set[str]:
    """Return the words of at least three Latin letters that are no names.

    >>> english_in("训练 bpe-tui <|endoftext|> --min-count a.json: merges")
    {'merges'}
    """
    names = (
        r"`[^`]*`|--allow-special (?:all|none)|--[a-z-]+|<\|?\w+\|?>|\[[A-Z]{3,}\]"
        r"|[\w/~*-]*\.(?:jsonl?|txt|csv|npy|svg|model|gguf|tiktoken)\b"
    )
    known = {word for name in NAMES | TERMS for word in re.findall(r"[A-Za-z]{3,}", name)}
    words = set(re.findall(r"[A-Za-z]{3,}", re.sub(names, " ", text)))
    # A window may cover the end of a name.
    return {word for word in words if not any(name.startswith(word) for name in known)}
