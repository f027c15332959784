"""`Stage`: one step of the way from a text to ids and back, as Hugging Face's libraries name them.

A text is normalized, cut into pretokens, encoded by a model and finished by a post-processor; a
decoder goes back. Each stage is an object that can be used alone. In `tokenizer.json` it is an
object, too: `type` is its name, the other keys are its settings. The fields of its class are these
settings, so a stage needs no code to be read and written:

    @stage
    class Strip(EditingNormalizer):
        name = "Strip"
        strip_left: bool = True
        strip_right: bool = True

reads and writes `{"type": "Strip", "strip_left": true, "strip_right": true}`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import MISSING, dataclass, field
from dataclasses import fields as settings_of
from functools import cache, partial
from itertools import chain
from typing import (
    Annotated,
    Any,
    ClassVar,
    Generic,
    Self,
    TypeVar,
    dataclass_transform,
    get_type_hints,
)

from engine.core.errors import TokenizerFileError
from engine.core.json_fields import Fields
from engine.core.registry import Registry

AnyStage = TypeVar("AnyStage", bound="Stage")
Reader = Callable[[Fields, str], Any]
"""Reads the value of a key of an object, and checks it."""

SingleCharacter = Annotated[str, "one character"]

READERS: dict[object, Reader] = {
    bool: Fields.flag,
    bool | None: Fields.flag_or_null,
    int: Fields.count,
    float | None: Fields.number_or_null,
    str: Fields.text,
    str | None: Fields.text_or_null,
    SingleCharacter: Fields.character,
}
"""Type of a setting → its reader."""


_types_of: Callable[[type], dict[str, Any]] = cache(partial(get_type_hints, include_extras=True))
"""The types of a stage's settings; to evaluate them is a third of the work of reading a file."""


def setting(
    *, default: Any = MISSING, read: Reader | None = None, may_be_missing: bool = False
) -> Any:
    """Declare a setting that needs more than its type: a default, a reader of its own.

    Args:
        default: its value in Python if none is given.
        read: reads it; by default the reader of its type in `READERS`.
        may_be_missing: whether a file may leave it out, for the default.
    """
    return field(default=default, metadata={"read": read, "may_be_missing": may_be_missing})


def one_of(choices: Mapping[str, Any] | Sequence[str]) -> Reader:
    """Return a reader of texts that accepts only the choices."""
    return lambda fields, key: fields.choice(key, tuple(choices))


@dataclass_transform(eq_default=False, frozen_default=True, field_specifiers=(setting,))
def stage(kind: type[AnyStage]) -> type[AnyStage]:
    """Make a stage with settings: a frozen dataclass that compares as stages do."""
    return dataclass(frozen=True, eq=False, repr=False)(kind)


@stage
class Stage:
    """A stage. Two stages are equal if their names and settings are."""

    name: ClassVar[str]
    """Its `type` in `tokenizer.json`."""
    in_tokenizer_json: ClassVar[bool] = True
    """Whether a `tokenizer.json` can hold it."""

    @classmethod
    def from_json(cls, fields: Fields) -> Self:
        """Read the stage from its object in a `tokenizer.json`.

        Raises:
            TokenizerFileError: names the key that is missing or wrong.
        """
        hints = _types_of(cls)
        values: dict[str, Any] = {}
        for each in settings_of(cls):
            key, kind = each.name, hints[each.name]
            if each.metadata.get("may_be_missing") and not fields.has(key):
                values[key] = each.default
            elif read := each.metadata.get("read") or READERS.get(kind):
                values[key] = read(fields, key)
            else:  # a type that reads itself
                values[key] = kind.from_json(fields.inner(key))
        found = cls(**values)
        found.check(fields)
        return found

    def check(self, fields: Fields) -> None:
        """Check that the settings go together; `fields` is for errors.

        Raises:
            TokenizerFileError: they do not.
        """

    def settings(self) -> Mapping[str, Any]:
        """Return the settings as JSON values, without the name."""
        values: dict[str, Any] = {}
        for each in settings_of(self):
            value = getattr(self, each.name)
            if hasattr(value, "to_json"):
                value = value.to_json()
            elif isinstance(value, Mapping):
                value = dict(value)
            is_list = isinstance(value, Sequence) and not isinstance(value, str)
            values[each.name] = list(value) if is_list else value
        return values

    def to_json(self) -> dict[str, Any]:
        """Return the object that `from_json` reads."""
        return {"type": self.name, **self.settings()}

    def __getstate__(self) -> dict[str, Any]:
        """Pickle the settings only, for another process; it computes the rest again."""
        return {each.name: getattr(self, each.name) for each in settings_of(self)}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Stage) and self.to_json() == other.to_json()

    def __hash__(self) -> int:
        return hash(repr(self.to_json()))

    def __repr__(self) -> str:
        settings = ", ".join(f"{key}={value!r}" for key, value in self.settings().items())
        return f"{self.name}({settings})"


@stage
class Composite(Stage, Generic[AnyStage]):
    """A stage made of stages of its own kind, applied one after the other.

    Attributes:
        parts_key: the key of the object that holds them.
    """

    parts_key: ClassVar[str]
    parts: Sequence[AnyStage]

    def settings(self) -> Mapping[str, Any]:
        return {self.parts_key: [part.to_json() for part in self.parts]}


def opened(stage: AnyStage | None) -> tuple[AnyStage, ...]:
    """Return the parts of a stage, composites inside it replaced by theirs; () for None."""
    if stage is None:
        return ()
    if isinstance(stage, Composite):
        return tuple(chain.from_iterable(map(opened, stage.parts)))
    return (stage,)


MOST_GROWTH, SPARE = 32, 1 << 16
LONGEST_CONTENT = 256
"""Characters that one match may be replaced by."""


def check_growth(stage: Stage, before: int, after: int) -> None:
    """Check that a text has not become longer than any tokenizer needs.

    Forty stages that double a text make a terabyte of one letter.

    Args:
        stage: the last stage that changed the text.
        before, after: its characters before the first stage, and now.

    Raises:
        TokenizerFileError: it is longer than 32 times its first length plus 65,536 characters.
    """
    if after > MOST_GROWTH * before + SPARE:
        raise TokenizerFileError(
            f"the stages up to {stage.name} make {after:,} characters of {before:,}, which would "
            "fill the memory"
        )


MOST_STAGES = 256
"""Largest number of stages of one kind; a regex of each takes milliseconds to compile."""
PATTERN_OF_A_STAGE = 512
"""Number of characters of a pattern that take as long to compile as a stage."""
DEEPEST = 32
"""Depth of sequences inside sequences that are read; a deeper file is a mistake or an attack."""


def _length_of_pattern(part: Mapping[str, Any]) -> int:
    pattern = part.get("pattern")
    texts = pattern.values() if isinstance(pattern, dict) else ()
    return sum(len(text) for text in texts if isinstance(text, str))


def _stages_in(value: Any, keys: Collection[str]) -> int:
    """Return the number of objects in the lists under keys of an object, and in lists of these.

    An object with a long regex, `{"pattern": {"Regex": …}}`, counts as several.
    """
    found, waiting = 0, [value]
    while waiting:
        each = waiting.pop()
        for parts in (each[key] for key in keys if type(each.get(key)) is list):
            inner = [part for part in parts if isinstance(part, dict)]
            found += len(inner) + sum(map(_length_of_pattern, inner)) // PATTERN_OF_A_STAGE
            waiting += inner
    return found


class StageRegistry(Registry[str, type[AnyStage]], Generic[AnyStage]):
    """The stages of one kind, by their names."""

    def __init__(self, kind: str, stages: Sequence[type[AnyStage]]) -> None:
        super().__init__(kind, {each.name: each for each in stages})
        self._parts_keys = {each.parts_key for each in stages if issubclass(each, Composite)}

    def from_json(self, fields: Fields) -> AnyStage:
        """Read the stage that `type` names.

        Raises:
            TokenizerFileError: no stage has that name, or its settings are wrong.
        """
        name = fields.text("type")
        if name not in self:
            what = f"the {self.kind} {name[:60]!r} is not supported; there are: {', '.join(self)}"
            raise fields.error("type", what)
        if "[" not in fields.where and _stages_in(fields.value, self._parts_keys) > MOST_STAGES:
            raise fields.error("type", f"has more than {MOST_STAGES} stages")
        if fields.where.count("[") > DEEPEST:
            raise fields.error("type", f"stands in more than {DEEPEST} sequences")
        kind = self[name]
        if issubclass(kind, Composite):
            found = kind([self.from_json(each) for each in fields.each(kind.parts_key)])
            found.check(fields)
            return found
        return kind.from_json(fields)

    def from_json_or_null(self, fields: Fields, key: str) -> AnyStage | None:
        """Read the stage under a key; None if the key is null or missing."""
        return self.from_json(fields.inner(key)) if fields.has(key) else None
