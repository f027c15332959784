"""Search for a tokenizer file that does harm.

    python tests/fuzz_formats.py COUNT [SEED] [FORMAT …]

Small files of each format are damaged at random, opened, and encode a text. Nothing but an error of
ours may come of it, within 5 seconds of work and a gigabyte. Each failure is kept, and told with
its seed; of failures at one place only the first.
"""

from __future__ import annotations

import gzip
import json
import pickle
import random
import re
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path

TESTS = Path(__file__).parent
sys.path[:0] = [str(TESTS.parent), str(TESTS / "engine")]

import sentencepiece_models  # noqa: E402
from test_format_students import SAVES  # noqa: E402
from test_format_tekken import tekken  # noqa: E402
from tiny_tokenizers import GOLDEN, handout  # noqa: E402

from engine.core.errors import BpeError  # noqa: E402
from engine.formats import is_tokenizer, open_tokenizer, read_vocab_and_merges  # noqa: E402

SECONDS, BYTES = 5, 1 << 30
TEXTS = ("low lowest<|endoftext|> 漢 don't\n", "<s> a\x00\x85  the1999")
Files = Mapping[str, bytes]
"""name → content; one or two files are opened by their names, more as their directory."""


def seeds() -> dict[str, Files]:
    """A format, and a small example of it."""
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
        "gpt2": gpt2,
        "beside": gpt2 | {name: json.dumps(each).encode() for name, each in beside.items()},
        "tiktoken": {"a": (GOLDEN / "handout.tiktoken").read_bytes() + b"= 50256\n"},
        "minbpe": {"a": (GOLDEN / "handout.model").read_bytes()},
        "course-json": {"a": (GOLDEN / "handout.json").read_bytes()},
        "course-pickle": {"a": pickle.dumps((tok.vocab, tok.merges))},
        "tekken": {"a": json.dumps(tekken()).encode()},
        "bert-vocab": {"a": b"[UNK]\n[CLS]\n[SEP]\nlow\n##est\n##e\nthe\n##1\n"},
        "clip": {"a": clip},
        "packed": {"a": gzip.compress(clip)},
        "subword-nmt": {"a": b"#version: 0.2\ne s\nes t</w>\nl o\nlo w</w>\nt h\nth e</w>\n"},
        "subword-nmt-0.1": {"a": b"e s\nes t\nest </w>\nl o\nw </w>\nlo w</w>\n"},
        "vocab-alone": {"vocab.json": gpt2["vocab.json"]},
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


# Damage

_ODD = (
    *(b"[", b"{", b"}", b'"', b"\\ud800", b"null", b"-1", b"1e999", b"0", b"9" * 30, b"true"),
    *(b"\xff", b"\x00", b"\n", b" ", b"</w>", b"\xe2\x96\x81", b"[" * 2000, b"#version: 0.2\n"),
    *(b"<0x41>", b"(?:a+)+$", b"=", b"\x80\x04", b"c__builtin__\neval\n", b"\x1f\x8b\x08"),
)
_NUMBER = re.compile(rb"-?\d+")
_TEXT = re.compile(rb'"[^"\n]{0,60}"')


def _flipped(data: bytes, rng: random.Random) -> bytes:
    place = rng.randrange(len(data))
    return data[:place] + rng.randbytes(1) + data[place + 1 :]


def _cut(data: bytes, rng: random.Random) -> bytes:
    start, end = sorted((rng.randrange(len(data) + 1), rng.randrange(len(data) + 1)))
    return data[:start] if rng.random() < 0.3 else data[:start] + data[min(end, start + 40) :]


def _doubled(data: bytes, rng: random.Random) -> bytes:
    start = rng.randrange(len(data))
    piece = data[start : start + rng.choice((1, 8, 60, 2000))]
    place = rng.randrange(len(data) + 1)
    return data[:place] + piece * rng.choice((1, 1, 2, 50)) + data[place:]


def _with_odd(data: bytes, rng: random.Random) -> bytes:
    place = rng.randrange(len(data) + 1)
    return data[:place] + rng.choice(_ODD) + data[place + rng.choice((0, 0, 1, 5)) :]


def _with_another(kind: re.Pattern[bytes]) -> Callable[[bytes, random.Random], bytes]:
    """One number or text in the place of another of the file, or of an odd one."""

    def changed(data: bytes, rng: random.Random) -> bytes:
        found = list(kind.finditer(data[rng.randrange(len(data)) :][:3000]))
        if not found:
            return _flipped(data, rng)
        old = rng.choice(found)[0]
        new = rng.choice([*(each[0] for each in found), *_ODD])
        place = data.find(old, rng.randrange(len(data)))
        return data if place < 0 else data[:place] + new + data[place + len(old) :]

    return changed


DAMAGES = (_flipped, _cut, _doubled, _with_odd, _with_another(_NUMBER), _with_another(_TEXT))


def damaged(files: Files, rng: random.Random) -> dict[str, bytes]:
    changed = dict(files)
    for _ in range(rng.choice((1, 1, 2, 4))):
        name = rng.choice(list(changed))
        changed[name] = rng.choice(DAMAGES)(changed[name] or b"\n", rng)
    return changed


# Opening


class TooSlow(BaseException):
    """What is no `Exception`, so that nobody catches it on the way."""


def _too_slow(_signal: int, _frame: object) -> None:
    raise TooSlow


def try_files(files: Files, folder: Path) -> bool:
    """Open them and encode; whether they opened. Raises whatever is no error of ours."""
    for name, content in files.items():
        (folder / name).write_bytes(content)
    paths = [folder / name for name in files] if len(files) <= 2 else [folder]
    signal.setitimer(signal.ITIMER_PROF, SECONDS)  # of this process, however busy the machine is
    signal.alarm(60 * SECONDS)  # and who waits for ever does no work
    try:
        is_tokenizer(paths[0])
        read_vocab_and_merges(*paths)
        tokenizer = open_tokenizer(*paths).tokenizer
        for text in TEXTS:
            tokenizer.decode(tokenizer.encode(text))
    except BpeError:
        return False
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.alarm(0)
    return True


def fuzz(name: str, files: Files, count: int, seed: int) -> int:
    """Try so many damaged files of a format; how many failures there are."""
    folder = Path(tempfile.mkdtemp(prefix="fuzz-"))
    opened, slowest, known = 0, 0.0, set[str]()
    try_files(files, folder)
    for number in range(seed, seed + count):
        changed = damaged(files, random.Random(f"{name} {number}"))
        began = time.process_time()
        try:
            opened += try_files(changed, folder)
        except (Exception, TooSlow) as error:
            place = traceback.extract_tb(error.__traceback__)[-1]
            what = f"{type(error).__name__} {Path(place.filename).name}:{place.lineno}"
            if what not in known:
                known.add(what)
                kept = Path(tempfile.mkdtemp(prefix=f"fuzz-{number}-"))
                shutil.copytree(folder, kept, dirs_exist_ok=True)
                print(f"{name} {number}: {what}: {str(error)[:200]} (kept in {kept})", flush=True)
        slowest = max(slowest, time.process_time() - began)
    shutil.rmtree(folder)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    print(
        f"{name}: {count:,} tried, {opened:,} opened, {len(known)} failures, "
        f"slowest {slowest:.2f} s, {memory} MB at most",
        flush=True,
    )
    return len(known)


def main(arguments: list[str]) -> int:
    count = int(arguments[0]) if arguments else 1000
    seed = int(arguments[1]) if len(arguments) > 1 else 0
    examples = seeds()
    for overdue in (signal.SIGPROF, signal.SIGALRM):
        signal.signal(overdue, _too_slow)
    in_use = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (in_use + BYTES, in_use + BYTES))
    names = arguments[2:] or list(examples)
    return min(1, sum(fuzz(name, examples[name], count, seed) for name in names))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
