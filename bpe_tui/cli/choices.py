"""The choices of a command line: its options become a run, a policy, a format, or an error."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from bpe_tui.cli.declared import Given
from bpe_tui.cli.inputs import CommandLineError
from bpe_tui.cli.options import ALL, NONE
from bpe_tui.session.config import DEFAULT_SPECIAL, RunConfig
from bpe_tui.session.declarations import Model
from bpe_tui.session.models import DEFAULT_MODEL, MODELS, completed
from engine.core.errors import SpecialTokenFoundError
from engine.text.corpus import Reading
from engine.text.pretokenize import check_special_tokens

if TYPE_CHECKING:
    from engine.encoding.special_policy import SpecialPolicy

_FIELDS = "pattern", "tie_rule", "trainer", "min_count", "model", "phases"
"""Options that are fields of a run, by the same names."""


def run_of(context: Given, corpus: str, **more: Any) -> RunConfig:
    """Return the run that the options of a training ask for.

    Args:
        more: fields of the run that are not options of a training.

    Raises:
        BpeError: the options contradict each other.
    """
    given = context.params
    if is_given(context, "phases"):
        from engine.bpe.phases import phases_from  # few train in phases

        phases_from(given["phases"])
        refuse_given(
            context, ("pattern", "vocab_size"), "is not for --phases: each phase has its own"
        )
        refuse_given(context, ("units",), "and --phases do not go together; leave one out")
    run = RunConfig(
        corpus,
        given["vocab_size"] if is_given(context, "vocab_size") else None,
        special_tokens_of(given["special"]),
        **{name: given[name] for name in _FIELDS if name in given},
        **_units_of(given.get("units", RunConfig.units)),
        **_limits_of(given.get("max_token_length", "")),
        **more,
    )
    if run.most_words == 0 and not run.phases:
        raise CommandLineError(
            "--max-token-length 0words lifts the limit of --phases, and there are no phases; leave "
            "it out"
        )
    return completed(run, [name for name in ("units", "pattern") if is_given(context, name)])


OF_CONTINUING = "tie_rule", "min_count"
"""Options of a training that `--continue` has, too."""


def continuation_of(context: Given) -> dict[str, Any]:
    """Return the fields of a tokenizer's config about merges to learn, as far as they are given."""
    given = context.params
    if given.get("continued") is None:
        return {}
    asked = [name for name in OF_CONTINUING if is_given(context, name)]
    return {"continued": given["continued"], **{name: given[name] for name in asked}}


def special_tokens_of(given: Sequence[str] | None) -> tuple[str, ...]:
    """Return the special tokens that `--special` asks for."""
    if given and NONE in given:
        if len(given) > 1:
            raise CommandLineError(f"--special {NONE} goes with no other; give it alone")
        return ()
    return check_special_tokens(given or DEFAULT_SPECIAL)


def _units_of(given: str) -> dict[str, Any]:
    """Return the fields that `--units` sets: words:3 → units "words", ngram 3."""
    name, colon, size = given.partition(":")
    if not colon:
        return {"units": name}
    if not re.fullmatch("[1-9][0-9]{0,8}", size):
        raise CommandLineError(
            f"--units is a name, or with the longest n-gram words:3, not {given!r}"
        )
    return {"units": name, "ngram": int(size)}


LIMITS = re.compile("(?:([0-9]{1,9})(?:,(?=.)|$))?(?:([0-9]{1,9})words?)?")


def _limits_of(given: str) -> dict[str, Any]:
    """Return the fields that `--max-token-length` sets.

    >>> _limits_of("164words"), _limits_of("16,4words")
    ({'most_words': 164}, {'max_token_length': 16, 'most_words': 4})
    """
    found = LIMITS.fullmatch(given)
    if found is None or (found[1] is not None and int(found[1]) < LEAST_LENGTH):
        raise CommandLineError(
            f"--max-token-length is a number of bytes from {LEAST_LENGTH} on, of words, as 4words, "
            f"or both, as 16,4words; not {given!r}"
        )
    limits = {"max_token_length": found[1], "most_words": found[2]}
    return {name: int(limit) for name, limit in limits.items() if limit is not None}


LEAST_LENGTH = 2
"""Least bytes of the longest token: a merge makes no shorter one."""


def is_given(context: Given, option: str) -> bool:
    """Return whether the command line has the option, so that no default applies."""
    return option in context.asked


def refuse_given(context: Given, options: Collection[str], why: str) -> None:
    """Raise `CommandLineError` if the command line has one of the options.

    Args:
        why: the end of the message, after the name of the option.
    """
    for name, (_, option) in context.parameters.items():
        if name in options and is_given(context, name):
            raise CommandLineError(f"{option.names[0]} {why}")


def asked_of(context: Given) -> list[str]:
    """Return the fields of a run that the command line sets, of those that a file may decide."""
    fields = {"pattern": "pattern", "special": "special_tokens", "min_count": "min_count"}
    return [field for option, field in fields.items() if is_given(context, option)]


def check_model(context: Given, *more: str) -> None:
    """Raise an error for an unknown model, or for options that the model lacks.

    Args:
        more: options of the command that only BPE has, besides those of a training.
    """
    model, trainer = MODELS[context.params["model"]], context.params.get("trainer", "")
    _check_trainer(context, model, trainer)
    if model.name == DEFAULT_MODEL:
        return
    of_bpe = {"tie_rule", "trainer", "min_count", "units", "phases", *more} - model.options
    refuse_given(context, of_bpe, f"is for the model bpe, and the model is {model.name}")
    if "words" in context.params.get("max_token_length", ""):
        raise CommandLineError(
            f"--max-token-length in words is for the model bpe, and the model is {model.name}"
        )


def _check_trainer(context: Given, model: Model, trainer: str) -> None:
    """Raise `CommandLineError` for a trainer of another model, or for options that it lacks."""
    names = [each.name for each in model.trainers]
    if names and is_given(context, "trainer") and trainer not in names:
        raise CommandLineError(
            f"the model {model.name} has no trainer {trainer!r}; there are: {', '.join(names)}"
        )
    for other in MODELS.values():
        if other is not model and trainer in (each.name for each in other.trainers):
            raise CommandLineError(
                f"--trainer {trainer} is for the model {other.name}; add --model {other.name}"
            )
    units = next((each.units for each in model.trainers if each.name == trainer), ())
    given, colon, _ = context.params.get("units", "").partition(":")
    if colon and not units:
        raise CommandLineError(
            f"--units {given}:N is for --model unigram --trainer textbook, which learns n-grams"
        )
    if is_given(context, "units") and names:
        if not units:
            raise CommandLineError("--units is for the model bpe and for --trainer textbook")
        if given not in units:
            raise CommandLineError(
                f"the trainer {trainer} has no units {given!r}; there are: {', '.join(units)}"
            )


def format_of(context: Given, model: str, format: str) -> str:
    """Return the format of a model's file: that of `--format`, or the model's first.

    Raises:
        CommandLineError: the model cannot be written in the format of `--format`.
    """
    formats = MODELS[model].formats
    if not formats or format in formats:
        return format
    if is_given(context, "format"):
        raise CommandLineError(f"the model {model} is written as {' or '.join(formats)} only")
    return formats[0]


def policy_of(
    given: Sequence[str] | None,
    special_tokens: Sequence[str],
    by_default: SpecialPolicy | None = None,
) -> SpecialPolicy:
    """Return the policy that `--allow-special` asks for; commas may separate tokens.

    Args:
        by_default: the policy without that option; `None` for `ALL_SPECIAL`.
    """
    from engine.encoding.special_policy import ALL_SPECIAL, NONE_SPECIAL, SpecialPolicy  # slow

    if not given:
        return by_default or ALL_SPECIAL
    if len(given) == 1 and given[0] in (ALL, NONE):
        return ALL_SPECIAL if given[0] == ALL else NONE_SPECIAL
    if clash := next((word for word in given if word in (ALL, NONE)), None):
        raise CommandLineError(f"--allow-special {clash} goes with no other; give it alone")
    # A special token may hold a comma itself.
    allowed = [[each] if each in special_tokens else each.split(",") for each in given]
    return SpecialPolicy(frozenset(token for tokens in allowed for token in tokens))


@contextmanager
def hint_at_allow_special() -> Iterator[None]:
    """Add `--allow-special` to an error about a special token in a text."""
    try:
        yield
    except SpecialTokenFoundError as error:
        raise CommandLineError(
            f"{error}; --allow-special all makes it one id, --allow-special none takes it as text"
        ) from error


def reading_of(context: Given, more: Sequence[str]) -> Reading:
    """Return how to read the corpus of the command line.

    Raises:
        CommandLineError: options contradict each other.
    """
    given = context.params
    field, skip_bad = given.get("field"), given.get("skip_bad", False)
    if skip_bad and field is None:
        raise CommandLineError("--skip-bad is about records; say where their texts are: --field")
    return Reading(tuple(more), field, skip_bad, given.get("max_bytes"))
