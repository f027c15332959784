"""Speed from a file of text to a file of ids, beside gigatoken, tiktoken and tokenizers.

    python benchmarks/encode_files.py CORPUS --tokenizer VOCAB.json MERGES.txt [--threads 1]

The files are GPT-2's. Each library runs in fresh processes of its own, in turns: seconds of the
clock for the whole process, of the processor, and the peak of memory, each the minimum of all
rounds. Special tokens in the text are cut out. All files of ids have to be equal.
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any
from zlib import crc32

from runs import table, taking_turns

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from engine import Tokenizer

END = "<|endoftext|>"
COLUMNS = ["whole s", "processor", "peak MB"]
Encode = Callable[[str, argparse.Namespace], Any]
"""Name of the corpus → all its ids, in an array of 16 bits, or in a file that it has written."""


def load(files: list[str]) -> Tokenizer:
    return Tokenizer.from_files(files[0], files[1], special_tokens=[END])


def ours(corpus: str, arguments: argparse.Namespace) -> Any:
    from engine.encoding.id_files import write_ids
    from engine.text.corpus import read_blocks

    tokenizer = load(arguments.tokenizer)
    out = Path(arguments.out)
    write_ids(out, tokenizer, [read_blocks(corpus)], overwrite=True, workers=arguments.threads)
    return out


def gigatokens(corpus: str, arguments: argparse.Namespace) -> Any:
    import gigatoken
    import numpy as np

    library = gigatoken.Tokenizer(arguments.json)
    return np.asarray(library.encode_files([corpus], parallel=arguments.threads > 1)[0])


def tiktokens(corpus: str, arguments: argparse.Namespace) -> Any:
    import numpy as np
    import tiktoken

    from engine.text.patterns import PATTERNS

    vocab = load(arguments.tokenizer).vocab
    ranks = {token: number for number, token in vocab.items() if token != END.encode()}
    special = {END: next(number for number, token in vocab.items() if token == END.encode())}
    encoding = tiktoken.Encoding(
        "gpt2", pat_str=PATTERNS["gpt2"].source, mergeable_ranks=ranks, special_tokens=special
    )
    first, *rest = Path(corpus).read_text("utf-8").split(END)
    documents = [first, *(END + each for each in rest)]
    found = encoding.encode_batch(documents, num_threads=arguments.threads, allowed_special="all")
    return np.concatenate([np.array(each, "<u2") for each in found])


def tokenizers(corpus: str, arguments: argparse.Namespace) -> Any:
    import os

    os.environ["RAYON_NUM_THREADS"] = str(arguments.threads)
    import numpy as np
    from tokenizers import Tokenizer as Library

    library = Library.from_file(arguments.json)
    first, *rest = Path(corpus).read_text("utf-8").split(END)
    found = library.encode_batch([first, *(END + each for each in rest)])
    return np.concatenate([np.array(each.ids, "<u2") for each in found])


LIBRARIES: dict[str, Encode] = {
    "bpe-tui": ours,
    "gigatoken": gigatokens,
    "tiktoken": tiktokens,
    "tokenizers": tokenizers,
}


def measure(name: str, arguments: argparse.Namespace) -> dict[str, Any]:
    try:
        found = LIBRARIES[name](arguments.corpus, arguments)
    except ImportError as error:
        return {"skipped": str(error)}
    import numpy as np

    if not isinstance(found, Path):
        np.save(arguments.out, found.astype("<u2").ravel())
    used = resource.getrusage(resource.RUSAGE_SELF)
    ids = np.load(arguments.out, mmap_mode="r")
    return {"processor": used.ru_utime + used.ru_stime, "checksum": crc32(ids)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("corpus")
    parser.add_argument("--tokenizer", nargs=2, required=True, metavar=("VOCAB", "MERGES"))
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=5, help="fresh processes for each library")
    parser.add_argument("--libraries", nargs="+", choices=LIBRARIES, default=[*LIBRARIES])
    for own in ("--one", "--out", "--json"):
        parser.add_argument(own, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        print(json.dumps(measure(arguments.one, arguments)))
        return
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder, "tokenizer.json")
        tokenizer = load(arguments.tokenizer)
        tokenizer.save(place, "huggingface")
        files = ["--json", str(place), "--out", str(Path(folder, "ids.npy"))]
        commands = {name: [*sys.argv, *files, "--one", name] for name in arguments.libraries}
        rows = taking_turns(commands, arguments.rounds, min)
    if len({figures["checksum"] for figures in rows.values()}) > 1:
        raise SystemExit("the ids differ")
    if (peer := rows.get("gigatoken")) is not None:
        rows |= {
            f"{name} / gigatoken": {each: figures[each] / peer[each] for each in COLUMNS}
            for name, figures in [*rows.items()]
            if name != "gigatoken"
        }
    print(table(rows, COLUMNS))


if __name__ == "__main__":
    main()
