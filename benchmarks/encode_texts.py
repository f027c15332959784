"""Speed of encoding many short texts and one long text, beside tiktoken and gigatoken.

    python benchmarks/encode_texts.py CORPUS --tokenizer VOCAB.json MERGES.txt

The files are GPT-2's. Each library runs in fresh processes of its own, in turns; the figures are
the minimum of all rounds. Cold is the first pass over the texts in a process, with what is made for
the first text; warm is the best later pass. Times are those of the processor, with one thread, but
for the batch: seconds of the clock, with two threads. The ids of all libraries have to be equal.
"""

from __future__ import annotations

import argparse
import gc
import json
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from zlib import crc32

from runs import Figures, table, taking_turns

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from engine import Tokenizer
from engine.text.patterns import PATTERNS

END = "<|endoftext|>"
PARTS = {
    "short": ["short cold", "short warm", "batch"],
    "long": ["list cold", "list warm", "array warm", "peak MB"],
}
"""The measurements by name, and the columns of the table of each."""


class Library(NamedTuple):
    """The ways to encode: a text to a list, a text to an array, many texts with two threads."""

    to_list: Callable[[str], Sequence[int]]
    to_array: Callable[[str], Any] | None
    batch: Callable[[list[str]], Any]


def load(files: list[str]) -> Tokenizer:
    return Tokenizer.from_files(files[0], files[1], special_tokens=[END])


def ours(files: list[str]) -> Library:
    tokenizer = load(files)
    batch = lambda texts: tokenizer.encode_batch(texts, workers=2)  # noqa: E731
    return Library(tokenizer.encode, tokenizer.encode_compactly, batch)


def tiktokens(files: list[str]) -> Library:
    import tiktoken

    ranks = {token: number for number, token in load(files).vocab.items() if token != END.encode()}
    encoding = tiktoken.Encoding(
        "gpt2", pat_str=PATTERNS["gpt2"].source, mergeable_ranks=ranks, special_tokens={}
    )
    batch = lambda texts: encoding.encode_ordinary_batch(texts, num_threads=2)  # noqa: E731
    return Library(encoding.encode_ordinary, None, batch)


def gigatokens(files: list[str]) -> Library:
    import gigatoken

    tokenizer = load(files)
    ordinary = {number: token for number, token in tokenizer.vocab.items() if token != END.encode()}
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder, "gpt2.tiktoken")
        Tokenizer(ordinary, tokenizer.merges).save(place, "tiktoken")
        encoder = gigatoken.Tokenizer.from_tiktoken(place, pretokenizer="gpt2")
    library = encoder.as_tiktoken()
    return Library(library.encode_ordinary, encoder.encode, library.encode_ordinary_batch)


LIBRARIES = {"tiktoken": tiktokens, "bpe-tui": ours, "gigatoken": gigatokens}


def seconds(work: Callable[[], object], clock: Callable[[], float] = time.process_time) -> float:
    start = clock()
    work()
    return clock() - start


def checksum(ids: Sequence[int]) -> int:
    return crc32(json.dumps(list(map(int, ids))).encode())


def short_texts(text: str, count: int, length: int) -> list[str]:
    """Return texts from places all over the corpus."""
    step = len(text) // count
    return [text[place * step : place * step + length] for place in range(count)]


def measure(name: str, arguments: argparse.Namespace) -> Figures | dict[str, str]:
    try:
        library = LIBRARIES[name](arguments.tokenizer)
    except ImportError as error:
        return {"skipped": str(error)}
    with open(arguments.corpus, "rb") as stream:
        data = stream.read(int(arguments.megabytes * 1e6))
    text = data.decode("utf-8", "ignore").replace(END, "\n")
    gc.disable()
    if arguments.part == "short":
        texts = short_texts(text, arguments.texts, arguments.length)
        one_by_one = lambda: [library.to_list(each) for each in texts]  # noqa: E731
        cold, *warm = (seconds(one_by_one) for _ in range(1 + arguments.passes))
        clock = time.perf_counter
        batches = [seconds(lambda: library.batch(texts), clock) for _ in range(arguments.passes)]
        ids = [number for each in texts[:500] for number in library.to_list(each)]
        return {
            "short cold": cold,
            "short warm": min(warm),
            "batch": min(batches),
            "checksum": checksum(ids),
        }
    cold, *warm = (seconds(lambda: library.to_list(text)) for _ in range(1 + arguments.passes))
    figures = {"list cold": cold, "list warm": min(warm)}
    if (to_array := library.to_array) is not None:
        passes = range(arguments.passes)
        figures["array warm"] = min(seconds(lambda: to_array(text)) for _ in passes)
    return {**figures, "checksum": checksum(library.to_list(text))}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("corpus")
    parser.add_argument("--tokenizer", nargs=2, required=True, metavar=("VOCAB", "MERGES"))
    parser.add_argument("--megabytes", type=float, default=22.5, help="of the corpus")
    parser.add_argument("--texts", type=int, default=20_000, help="number of short texts")
    parser.add_argument("--length", type=int, default=200, help="characters of each")
    parser.add_argument("--passes", type=int, default=4, help="warm passes in a process")
    parser.add_argument("--rounds", type=int, default=7, help="fresh processes for each library")
    parser.add_argument("--one", choices=LIBRARIES, help="measure one library, print JSON")
    parser.add_argument("--libraries", nargs="+", choices=LIBRARIES, default=[*LIBRARIES])
    parser.add_argument("--part", choices=PARTS, help="only the short texts, or the long one")
    arguments = parser.parse_args()
    if arguments.one:
        print(json.dumps(measure(arguments.one, arguments)))
        return
    for part in [arguments.part] if arguments.part else PARTS:
        commands = {
            name: [*sys.argv, "--part", part, "--one", name] for name in arguments.libraries
        }
        rows = taking_turns(commands, arguments.rounds, min)
        if len({figures["checksum"] for figures in rows.values()}) > 1:
            raise SystemExit(f"the ids of the {part} texts differ")
        columns = PARTS[part]
        if (peer := rows.get("tiktoken")) is not None:
            rows |= {
                f"tiktoken / {name}": {
                    column: peer[column] / figures[column]
                    for column in columns
                    if column in peer and column in figures
                }
                for name, figures in rows.items()
            }
        print(table(rows, columns), flush=True)


if __name__ == "__main__":
    main()
