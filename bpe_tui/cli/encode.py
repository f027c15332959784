"""`bpe-tui encode` and `bpe-tui decode`: a text as token ids, and back."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, islice
from pathlib import Path
from random import Random
from time import monotonic
from typing import Any

from bpe_tui.cli import choices, console, inputs, options, outputs
from bpe_tui.cli.declared import command, examples
from bpe_tui.session import samples
from bpe_tui.widgets.language import plural, tr, tr_sentence
from bpe_tui.widgets.numbers import size, throughput
from bpe_tui.widgets.visible import visible_bytes, visible_text
from engine.core.gpt2_bytes import spell
from engine.encoding.id_files import check_ending, write_ids
from engine.encoding.special_policy import ALL_SPECIAL, REFUSE_SPECIAL, SpecialPolicy
from engine.encoding.tokenizer import Tokenizer
from engine.encoding.typed_ids import decode_known, read_ids
from engine.text.corpus import read_blocks, separator_of
from engine.text.pretokenize import to_bytes, to_text
from engine.text.sources import STANDARD_INPUT

IDS_AT_A_TIME = 1 << 12


@command(
    epilog=examples(
        'bpe-tui encode --tokenizer tokenizer "the cat in the hat" --explain',
        "bpe-tui encode --tokenizer tokenizer < corpus.txt > ids.txt",
        "bpe-tui encode --tokenizer tokenizer corpus.txt --out ids.npy --allow-special all",
        "bpe-tui encode --tokenizer tokenizer corpus.txt --sample 10",
        "bpe-tui encode --tokenizer folder --chat messages.json --budget 4096",
    )
)
def encode(
    tokenizer: list[str] | None = options.TOKENIZER_OR_BYTES,
    pattern: str | None = options.OTHER_PATTERN,
    texts: list[str] | None = options.argument(
        "[TEXT]...",
        "What to encode; standard input if it is `-` or not given. With --out files.",
        default=None,
    ),
    as_json: bool = options.option(
        "--json",
        "Print ids, tokens in GPT-2's spelling and their place in bytes, as JSON.",
        options.OUTPUT,
    ),
    out: Path | None = options.option(
        "--out FILE",
        "Write the ids of a file into FILE: .npy or .bin (uint16 if every id fits, else "
        "uint32), or .txt with an id a line.",
        options.OUTPUT,
    ),
    force: bool = options.FORCE,
    seed: int = options.option(
        "--seed N", "With --sample: another draw.", options.TEXT, default=0, min=0
    ),
    sample: int | None = options.option(
        "--sample N",
        "Encode N documents of a file, drawn at random; print their bytes per token. The first "
        "special token ends a document.",
        options.OUTPUT,
        min=1,
    ),
    explain: bool = options.option(
        "--explain",
        "Print how each pretoken was cut, its merges, and what each won against; of "
        "WordPiece the pieces looked up.",
        options.OUTPUT,
    ),
    allow_special: list[str] | None = options.ENCODED_SPECIAL,
    template: bool = options.option(
        "--template",
        "Add what the tokenizer's template puts around a text, such as [CLS] … [SEP].",
        options.TEXT,
    ),
    as_is: bool = options.option(
        "--as-is", "Print ids, too, of a folder whose class is not known here.", options.TEXT
    ),
    chat: Path | None = options.option(
        "--chat FILE",
        "Print a JSON list of messages as the chat template of the tokenizer's folder makes one "
        "text of them, with the tokens of each message; pip install 'bpe-tui[chat]'.",
        options.TEXT,
    ),
    budget: int | None = options.option(
        "--budget N", "With --chat: end with exit code 2 above N tokens.", options.TEXT, min=0
    ),
) -> None:
    """Print the token ids of a text."""
    _check_one_result(
        {
            "--explain": explain,
            "--sample": sample is not None,
            "--out": out is not None,
            "--json": as_json,
            "--template": template and (explain or sample is not None),
        }
    )
    if chat is not None:
        from bpe_tui.cli.chat import print_chat  # few encode a chat

        _check_one_result({"--chat": True, "--out": out is not None, "a text": bool(texts)})
        print_chat(tokenizer or (), chat, budget, as_is=as_is, as_json=as_json)
        return
    if not tokenizer and explain:
        loaded = _bytes_alone(pattern)
    else:
        loaded = inputs.open_named(
            tokenizer or (),
            merging=explain,
            or_longest=explain,
            pattern=pattern,
            template=template,
            as_is=as_is,
        )
    by_default = ALL_SPECIAL if explain else REFUSE_SPECIAL
    policy = choices.policy_of(allow_special, loaded.special_tokens, by_default)
    names = texts or [STANDARD_INPUT]
    if out is not None:
        _write_ids(loaded, names, policy, out, overwrite=force, template=template)
        return
    if len(names) > 1:
        problem = "put a text in quotes; several are files, with --out FILE"
        raise inputs.CommandLineError(f"{problem}; try {console.PROGRAM} encode --help")
    (text,) = names
    if sample is not None:
        _print_sample(loaded, text, sample, seed)
        return
    inputs.note_file_named(text)
    if text == STANDARD_INPUT and sys.stdin.isatty():
        print(tr("Type the text to encode; Ctrl+D on an empty line ends it."), file=sys.stderr)
    # On a terminal the ids, printed while text is read, show the progress.
    watch = iter if sys.stdout.isatty() else console.with_progress
    given = watch(console.input_blocks()) if text == STANDARD_INPUT else [os.fsencode(text)]
    kept: list[bytes] = []
    blocks = _keeping(policy.checked(loaded, given), kept)
    allowing = policy.applied(loaded)
    with choices.hint_at_allow_special():
        if explain:
            text = to_text(b"".join(blocks))
            if len(text) == 1:
                print(_unicode_forms(text))
            from bpe_tui.words.encoded_text import explanation  # slow, and only this needs it

            for line in explanation(allowing, text):
                console.print_line(line)
        elif as_json:
            console.print_json(_ids_as_json(allowing, blocks, template))
        else:
            ids: Iterable[int] = allowing.encode_iterable(map(to_text, blocks))
            _print_ids(allowing.in_template(ids) if template else ids)
    _note_losses(loaded, to_text(b"".join(kept)))


MOST_TRACED = 1 << 14
"""Most bytes of a text that are searched for characters that the ids do not give back."""


def _keeping(blocks: Iterable[bytes], kept: list[bytes]) -> Iterator[bytes]:
    """Yield blocks, and keep the first bytes of all."""
    for block in blocks:
        if (room := MOST_TRACED - sum(map(len, kept))) > 0:
            kept.append(block[:room])
        yield block


def _note_losses(tokenizer: Tokenizer, text: str) -> None:
    """Print a note about characters of the text that its ids do not give back."""
    if tokenizer.pipeline is None:
        return
    from engine.pipeline.losses import losses  # many modules, for pipelines only
    from engine.pipeline.pipeline import Pipeline

    if isinstance(tokenizer.pipeline, Pipeline):
        sentence = losses(tokenizer.pipeline, tokenizer.pipeline.run(text)).sentence
        if sentence is not None:
            sys.stdout.flush()
            inputs.note(str(tr_sentence(sentence)))


def _bytes_alone(pattern: str | None) -> Tokenizer:
    """Return the tokenizer that an explanation takes if none is named, and print a note."""
    inputs.note("no --tokenizer is given: the vocabulary is the 256 bytes, and nothing merges")
    return Tokenizer({byte: bytes([byte]) for byte in range(256)}, [], pattern=pattern or "gpt2")


def _check_one_result(asked: Mapping[str, bool]) -> None:
    """Raise `CommandLineError` for options that ask for different results."""
    given = [name for name, is_given in asked.items() if is_given]
    if len(given) > 1:
        raise inputs.CommandLineError(f"{' and '.join(given)} contradict each other; give one")


def _unicode_forms(character: str) -> str:
    """Return how a character is written, drawn, and stored in three encodings.

    >>> _unicode_forms("✅")
    "'✅', drawn ✅: 3 bytes in UTF-8, 2 in UTF-16, 4 in UTF-32"
    """
    sizes = [
        len(character.encode(name, "surrogatepass")) for name in ("utf-8", "utf-16-le", "utf-32-le")
    ]
    return tr(
        "{character}, drawn {drawn}: {bytes} in UTF-8, {n} in UTF-16, {m} in UTF-32",
        character=visible_text(repr(character)),
        drawn=visible_bytes(to_bytes(character)),
        bytes=plural(sizes[0], "byte"),
        n=sizes[1],
        m=sizes[2],
    )


def _print_sample(tokenizer: Tokenizer, name: str, wanted: int, seed: int) -> None:
    """Encode documents of a file that are drawn at random, and print their compression."""
    text = to_text(b"".join(read_blocks(samples.file_of(name))))
    separator = to_text(separator_of(tokenizer.special_tokens))
    documents = [each for each in text.split(separator) if each.strip()]
    drawn = Random(seed).sample(documents, min(wanted, len(documents)))
    tokens = sum(map(len, tokenizer.allowing([]).encode_batch(drawn)))
    length = sum(len(to_bytes(each)) for each in drawn)
    print(
        tr(
            "{n} of {documents} (seed {seed}): {bytes}, {tokens}, {ratio} bytes per token",
            n=len(drawn),
            documents=plural(len(documents), "document"),
            seed=str(seed),
            bytes=plural(length, "byte"),
            tokens=plural(tokens, "token"),
            ratio=f"{length / max(tokens, 1):.3f}",
        )
    )


def _print_ids(ids: Iterable[int]) -> None:
    """Print ids as they come, thousands at a time: `104 105`, and a newline at the end."""
    waiting = iter(ids)
    separator = ""
    while batch := list(islice(waiting, IDS_AT_A_TIME)):
        sys.stdout.write(separator + " ".join(map(str, batch)))
        separator = " "
    sys.stdout.write("\n")


def _write_ids(
    tokenizer: Tokenizer,
    names: Sequence[str],
    policy: SpecialPolicy,
    out: Path,
    *,
    overwrite: bool,
    template: bool,
) -> None:
    """Write the ids of files; print the path, and on standard error what students report."""
    check_ending(out)
    outputs.check_free(out, force=overwrite)
    readers = [read_blocks(samples.file_of(name)) for name in names]
    texts = (policy.checked(tokenizer, console.with_progress(reader, reader)) for reader in readers)
    started = monotonic()
    with choices.hint_at_allow_special():
        allowing = policy.applied(tokenizer)
        written = write_ids(out, allowing, texts, overwrite=overwrite, template=template)
    measures = [
        tr(
            "{ids} ({type}), {size}",
            ids=plural(written.ids, "id"),
            type=_why_type(tokenizer, written.type_name),
            size=size(out.stat().st_size),
        ),
        tr("{n} bytes per token", n=f"{written.bytes_per_token:.3f}"),
        throughput(written.bytes_read, started),
    ]
    print(tr("; ").join(filter(None, measures)), file=sys.stderr)
    console.write_result(os.fsencode(out) + b"\n")


def _why_type(tokenizer: Tokenizer, type_name: str) -> str:
    """Return the type of the ids in a file, and why: `uint16: the highest id, 10,256, fits`."""
    why = {
        "uint16": "{type}: the highest id, {id}, is below {n}",
        "uint32": "{type}: the highest id, {id}, is not below {n}",
    }
    highest = max(tokenizer.vocab, default=0)
    return tr(why.get(type_name, "{type}"), type=type_name, id=highest, n=1 << 16)


def _ids_as_json(tokenizer: Tokenizer, blocks: Iterable[bytes], template: bool) -> dict[str, Any]:
    """Return a JSON object; a token's offsets are its place in the text, in bytes."""
    if tokenizer.pipeline is not None:
        return _facts_by_pipeline(tokenizer, b"".join(blocks), template)
    ids = list(tokenizer.encode_iterable(map(to_text, blocks)))
    tokens = [tokenizer.vocab[token_id] for token_id in ids]
    ends = accumulate(map(len, tokens))
    return {
        "ids": ids,
        "tokens": [spell(token) for token in tokens],
        "offsets": [[end - len(token), end] for token, end in zip(tokens, ends, strict=True)],
    }


def _facts_by_pipeline(tokenizer: Tokenizer, data: bytes, template: bool) -> dict[str, Any]:
    """Return the JSON object of a pipeline, whose stages may change the text.

    Tokens of the template have the offsets 0 and 0, as in Hugging Face's library.
    """
    from engine.pipeline.pipeline import OutputToken, Pipeline  # many modules, and rarely needed

    pipeline = tokenizer.pipeline
    assert isinstance(pipeline, Pipeline)
    text = to_text(data)
    cut_out = pipeline.splitter.only(set(map(to_text, tokenizer.rules.splitter.tokens)))
    tokens: list[OutputToken] = [*pipeline.run_text(text, splitter=cut_out).tokens]
    if template:
        tokens = list(pipeline.in_template(tokens))
    places = [0, *accumulate(len(to_bytes(character)) for character in text)]
    return {
        "ids": [token.token_id for token in tokens],
        "tokens": [token.text for token in tokens],
        "offsets": [[places[start], places[end]] for start, end in (t.span for t in tokens)],
    }


UNKNOWN = "\ufffd"
"""The text of an id without a token."""


@command(
    # `-5` is a bad id, not an unknown option: the error should say so.
    context_settings={"ignore_unknown_options": True},
    epilog=examples(
        "bpe-tui decode --tokenizer tokenizer 116 104 101",
        "bpe-tui decode --tokenizer tokenizer < ids.txt > text.txt",
    ),
)
def decode(
    tokenizer: list[str] = options.TOKENIZER,
    ids: list[str] | None = options.argument(
        "[IDS]...",
        "Token ids with blanks, commas or newlines between, brackets or none; standard "
        "input if they are `-` or not given.",
        default=None,
    ),
    as_bytes: bool = options.option(
        "--bytes", "Every byte of the tokens as it is, also where that is no UTF-8."
    ),
) -> None:
    """Print the text of token ids.

    Bytes that are no UTF-8 become U+FFFD, and so does an id that no token has: the first one is
    named on standard error, and the exit code is 2. On a terminal, characters that it would act
    upon are made visible; a file or a pipe gets the text as it is.
    """
    loaded = inputs.open_named(tokenizer)
    from_input = not ids or ids == [STANDARD_INPUT]
    spelled = to_text(b"".join(console.input_blocks())) if from_input else " ".join(ids or ())

    def bytes_of(some: Sequence[int]) -> str:
        return to_text(loaded.decode_bytes(some))

    parts = list(decode_known(read_ids(spelled), bytes_of if as_bytes else loaded.decode))
    text = "".join(UNKNOWN * len(part.ids) if part.text is None else part.text for part in parts)
    console.write_result(to_bytes(text))
    unknown = {part.ids[0]: part.problem for part in parts if part.problem}
    if unknown:
        sys.stdout.flush()
        first, *others = unknown.values()
        console.print_problem(first, tr(" ({n} more like it)", n=len(others)) if others else "")
        raise SystemExit(console.BAD_INPUT)
