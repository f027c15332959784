# ruff: noqa: E402, the path has to be known before the imports
"""Search for files that cause a failure.

    python tests/fuzz_formats.py COUNT [SEED] [FORMAT …]

Small files of each format are damaged at random (see `damage`) and opened: tokenizers encode a
text, answers are graded. Only our own errors may be raised, within 5 seconds
of work and a gigabyte. The files of each failure are kept, and its seed is printed; of several
failures at one place only the first. The number of different refusals shows how far the damaged
files get.
"""

import bz2
import functools
import gzip
import json
import lzma
import pickle
import random
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from itertools import islice
from pathlib import Path

TESTS = Path(__file__).resolve().parent
sys.path[:0] = [
    str(TESTS),
    str(TESTS.parent),
    *(str(TESTS / "engine" / room) for room in ("", "learning")),
]

import pipelines
import sentencepiece_models
import test_quiz
from course_solutions import SAVES
from damage import damaged
from format_files import encoding, tekken
from gguf_files import gguf, of_bytes, of_pieces, of_sentencepiece
from model_pipelines import bert
from tiny_tokenizers import GOLDEN, REPO, handout
from tokenizers import Regex, decoders, models, normalizers, pre_tokenizers, processors
from tokenizers import Tokenizer as HuggingFace

from bpe_tui.words.encoded_text import explanation
from engine import BpeError, count_pretokens
from engine.analysis.check.claim import read_claim
from engine.analysis.inspection import Inspection
from engine.core.errors import LONGEST
from engine.counting.count import count_corpus
from engine.formats import is_tokenizer, open_tokenizer, save
from engine.learning.grade_tables import grade_tables
from engine.learning.grading import grade_files
from engine.learning.lesson_file import read_lesson
from engine.text.corpus import Corpus, Reading
from engine.text.patterns import PATTERNS

SECONDS, BYTES = 5, 1 << 30
IN_MEMORY = "/dev/shm" if Path("/dev/shm").is_dir() else None
TEXTS = ("low lowest<|endoftext|> 漢 don't\n", "<s> a\x00\x85  the1999")
Files = Mapping[str, bytes]
"""File name → content; one or two files are opened by name, more as a directory."""


def tokenizers() -> dict[str, Files]:
    """Return format → small example, for tokenizers."""
    tok = handout()
    gpt2 = {name: (GOLDEN / "gpt2" / name).read_bytes() for name in ("vocab.json", "merges.txt")}
    beside = {
        "added_tokens.json": {"<tool>": 300},
        "special_tokens_map.json": {"eos_token": "<|endoftext|>"},
        "tokenizer_config.json": {
            "add_prefix_space": True,
            "added_tokens_decoder": {"301": {"content": "<m>", "lstrip": True, "special": True}},
        },
    }
    clip = b'"bpe_simple_vocab_16e6.txt#version: 0.2\ni n\nt h\nth e</w>\nl o\nlo w</w>\n'
    return {
        "huggingface": {"a": (GOLDEN / "tokenizer.json").read_bytes()},
        **{name: {"a": json.dumps(each).encode()} for name, each in hugging_faces().items()},
        "gpt2": gpt2,
        "beside": gpt2 | {name: json.dumps(each).encode() for name, each in beside.items()},
        "tiktoken": {"a": (GOLDEN / "handout.tiktoken").read_bytes() + b"= 50256\n"},
        "minbpe": {"a": (GOLDEN / "handout.model").read_bytes()},
        "course-json": {"a": (GOLDEN / "handout.json").read_bytes()},
        "course-text": {"a": b"108 111\n256 119\n101 115\n258 116\n32 257\n"},
        "course-pickle": {"a": pickle.dumps((tok.vocab, tok.merges))},
        "tiktoken-pickle": {"a": pickle.dumps(encoding())},
        **{f"gguf-{name}": {"a": data} for name, data in ggufs().items()},
        "tekken": {"a": json.dumps(tekken()).encode()},
        "bert-vocab": {"a": b"[UNK]\n[CLS]\n[SEP]\nlow\n##est\n##e\nthe\n##1\n"},
        "clip": {"a": clip},
        "packed": {"a": gzip.compress(clip)},
        "subword-nmt": {"a": b"#version: 0.2\ne s\nes t</w>\nl o\nlo w</w>\nt h\nth e</w>\n"},
        **{
            f"save: {name}": {
                file: each if isinstance(each, bytes) else each.encode()
                for file, each in files.items()
            }
            for name, (files, _) in SAVES.items()
        },
        **{
            f"sentencepiece-{kind}": {"a": sentencepiece_models.trained(kind, "bytes")}
            for kind in ("bpe", "unigram")
        },
    }


def ggufs() -> dict[str, bytes]:
    """Return a small GGUF file of each model."""
    letters = [*map(chr, range(0x21, 0x7F)), *"ĠĊéà", "lo", "low"]
    vocab = {token: token_id for token_id, token in enumerate(letters)}
    plain = HuggingFace(models.BPE(vocab, [("l", "o"), ("lo", "w")]))
    plain.add_special_tokens(["<s>"])
    return {
        "gpt2": gguf(of_bytes(plain, "llama-bpe", bos_token_id=0)),
        "splits": gguf(of_bytes(plain, "deepseek-llm"), order=">"),
        "bert": gguf(of_pieces(bert())),
        "llama": gguf(of_sentencepiece("bpe", "like Llama")),
        "t5": gguf(of_sentencepiece("unigram", "plain")),
    }


def hugging_faces() -> dict[str, object]:
    """Return small files of Hugging Face with all stages and models."""
    letters = ["<unk>", *"lowestnr▁", "lo", "low", "▁low", "es", "est"]
    vocab = {token: number for number, token in enumerate(dict.fromkeys(letters))}
    merges = [("l", "o"), ("lo", "w"), ("▁", "low"), ("e", "s"), ("es", "t")]
    fallback = models.BPE(
        vocab, merges, unk_token="<unk>", fuse_unk=True, byte_fallback=True, ignore_merges=True
    )
    pieces = [(token, -float(number)) for token, number in vocab.items()]
    llama, t5 = HuggingFace(fallback), HuggingFace(models.Unigram(pieces, 0, False))
    pipelines.use_marks_for_spaces(llama)
    t5.normalizer = normalizers.NFKC()
    t5.pre_tokenizer, t5.decoder = pre_tokenizers.Metaspace(), decoders.Metaspace()
    template = processors.TemplateProcessing("<unk> $A", "$A $B:1", [("<unk>", 0)])
    for each in (llama, t5):
        each.add_special_tokens(["<unk>"])
        each.post_processor = template
    words = ["[UNK]", "[CLS]", "[SEP]", "low", "##est", "##e", "the", "##1"]
    vocab = {word: place for place, word in enumerate(words)}
    wordpiece = HuggingFace(models.WordPiece(vocab, unk_token="[UNK]"))
    wordpiece.normalizer = normalizers.BertNormalizer()
    wordpiece.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    wordpiece.post_processor = processors.BertProcessing(("[SEP]", 2), ("[CLS]", 1))
    wordpiece.decoder = decoders.WordPiece()
    llama3 = HuggingFace.from_file(str(GOLDEN / "tokenizer.json"))
    split = pre_tokenizers.Split(Regex(PATTERNS["gpt2"].source), "isolated")
    llama3.pre_tokenizer = pre_tokenizers.Sequence([split, pipelines.BYTES])
    llama3.post_processor = processors.Sequence([processors.ByteLevel(), template])
    made = {
        "hf-like-llama": llama,
        "hf-like-bert": wordpiece,
        "hf-like-t5": t5,
        "hf-like-llama-3": pipelines.changed(llama3, ignore_merges=True),
    }
    return {name: json.loads(each.to_str()) for name, each in made.items()}


TEXT = b"low lower lowest newest widest don't\n" * 3
LINES = b'{"text": "low lower"}\n{"text": "newest", "meta": {"n": [1, null]}}\n'


def other_files() -> dict[str, Files]:
    """Return format → small example, for corpora, lessons and answers."""
    with tempfile.TemporaryDirectory() as folder:
        sheet = Path(folder, "a.json")
        test_quiz.sheet_of().write(sheet)
        answers = sheet.read_bytes()
    lesson = REPO / "bpe_tui" / "lessons" / "builtin" / "en" / "07-why-not-one-token.md"
    return {
        "answers": {"a.json": answers},
        "lesson": {"a.md": lesson.read_bytes()},
        "corpus.gz": {"a.gz": gzip.compress(TEXT)},
        "corpus.xz": {"a.xz": lzma.compress(TEXT)},
        "corpus.bz2": {"a.bz2": bz2.compress(TEXT)},
        "corpus.jsonl": {"a.jsonl": LINES},
        "steps": {
            "a.jsonl": b'{"left": "6c", "right": "6f", "count": 7}\n{"left": [9], "right": "73"}\n'
        },
    }


# Opening


class TooSlow(BaseException):
    """Raised when time is up; no `Exception`, so that no handler catches it."""


def _too_slow(_signal: int, _frame: object) -> None:
    raise TooSlow


def use_tokenizer(*paths: Path, at_length: bool = True) -> None:
    """Open a tokenizer, encode and decode; with `at_length`, explain and inspect it too."""
    is_tokenizer(*paths[:1])
    with suppress(BpeError):  # only BPE can be checked; others may still be opened
        read_claim(*paths)
    opened = open_tokenizer(*paths)
    tokenizer = opened.tokenizer
    assert all(len(note) <= LONGEST + 3 for note in opened.notes), opened.notes
    for text in TEXTS:
        tokenizer.decode(tokenizer.encode(text))
    if not at_length:
        return
    if tokenizer.merges:
        for _ in explanation(tokenizer, TEXTS[0]):
            pass
    inspection = Inspection.of_opened(opened).prepare()
    vocabulary = inspection.vocabulary
    for token_id in inspection.longest(3):
        for _ in islice(vocabulary.merge_tree(token_id), 50):
            pass
    with suppress(BpeError):  # a tokenizer.json cannot hold every tokenizer
        save(tokenizer, paths[0].parent / "saved", "huggingface", overwrite=True)


def use_answers(path: Path) -> None:
    grades = grade_files([path], lambda _: RUN)
    grade_tables(grades, repr)
    if grades.problems:
        raise BpeError(grades.problems[0])


RUN = test_quiz.recording()
USES: dict[str, Callable[..., object]] = {
    "answers": use_answers,
    "lesson": read_lesson,
    "steps": functools.partial(read_claim, are_steps=True),
    "corpus.jsonl": lambda path: count_corpus(Corpus(path, Reading(field="text"))),
    **{f"corpus.{end}": count_pretokens for end in ("gz", "xz", "bz2")},
}
"""Format → function that opens it, for formats other than tokenizers."""


def try_files(name: str, files: Files, folder: Path, **how: bool) -> str:
    """Open and use the files; return the place of a refusal, else "".

    Raises:
        Exception: any error that is not ours.
    """
    for file, content in files.items():
        (folder / file).write_bytes(content)
    paths = [folder / file for file in files] if len(files) <= 2 else [folder]
    signal.setitimer(signal.ITIMER_PROF, SECONDS)  # of this process, also on a busy machine
    signal.alarm(60 * SECONDS)  # also for a process that only waits
    try:
        USES.get(name, use_tokenizer)(*paths, **how)
    except BpeError as error:
        if len(str(error)) > LONGEST + 3:  # it may quote only an excerpt
            raise AssertionError(f"a long message: {error}") from error
        return _place_of(error)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.alarm(0)
    return ""


def _place_of(error: BaseException) -> str:
    """Return the class of the first error and the line that raised it."""
    kind = type(error).__name__
    while (before := error.__cause__ or error.__context__) is not None:
        error = before
    last = error.__traceback__
    while last is not None and last.tb_next is not None:
        last = last.tb_next
    where = (
        "" if last is None else f"{Path(last.tb_frame.f_code.co_filename).name}:{last.tb_lineno}"
    )
    return f"{kind} {where}"


def fuzz(name: str, files: Files, count: int, seed: int) -> int:
    """Try `count` damaged files of a format; return the number of failures."""
    folder = Path(tempfile.mkdtemp(prefix="fuzz-", dir=IN_MEMORY))
    slowest, known, refused = 0.0, set[str](), Counter[str]()
    assert not (why := try_files(name, files, folder)), f"{name} as it is: {why}"
    began = time.process_time()
    for number in range(seed, seed + count):
        rng, changed = random.Random(f"{name} {number}"), dict(files)
        file = rng.choice(list(changed))
        changed[file] = damaged(changed[file], rng)
        how = {} if name in USES else {"at_length": number % 4 == 0}
        start = time.process_time()
        try:
            refused[try_files(name, changed, folder, **how)] += 1
        except (Exception, TooSlow) as error:
            what = _place_of(error)
            if what not in known:
                known.add(what)
                kept = Path(tempfile.mkdtemp(prefix=f"fuzz-{number}-"))
                shutil.copytree(folder, kept, dirs_exist_ok=True)
                print(f"{name} {number}: {what}: {str(error)[:200]} (kept in {kept})", flush=True)
                traceback.print_exception(error, limit=-4, file=sys.stdout)
        slowest = max(slowest, time.process_time() - start)
    shutil.rmtree(folder)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    each = (time.process_time() - began) * 1000 / count
    print(
        f"{name}: {count:,} tried, {refused.pop('', 0):,} opened, {len(refused)} ways to be "
        f"refused, {len(known)} failures, {each:.2f} ms each, slowest {slowest:.2f} s, {memory} MB",
        flush=True,
    )
    return len(known)


def main(arguments: list[str]) -> int:
    count = int(arguments[0]) if arguments else 1000
    seed = int(arguments[1]) if len(arguments) > 1 else 0
    examples = tokenizers() | other_files()
    for overdue in (signal.SIGPROF, signal.SIGALRM):
        signal.signal(overdue, _too_slow)
    in_use = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (in_use + BYTES, in_use + BYTES))
    names = arguments[2:] or list(examples)
    return min(1, sum(fuzz(name, examples[name], count, seed) for name in names))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
