"""`Stage`: one step of the way from a text to ids and back, as Hugging Face's libraries name them.

A text is normalized, cut into pretokens, encoded by a model and finished by a post-processor; a
decoder goes back. Each stage is one object that can be used alone, and that `tokenizer.json`
spells as an object of its own: `type` is its name, the other keys are its settings. The fields of
its class are these settings, so a stage needs no code to be read and written:

    @stage
    class Strip(EditingNormalizer):
        name = "Strip"
        strip_left: bool = True
        strip_right: bool = True

reads and writes `{"type": "Strip", "strip_left": true, "strip_right": true}`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, dataclass, field
from dataclasses import fields as settings_of
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
"""Takes the value of a key out of an object, checked."""

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
"""The type of a setting → how it is read."""


def setting(
    *, default: Any = MISSING, read: Reader | None = None, may_be_missing: bool = False
) -> Any:
    """A setting that is not just read as its type says.

    Args:
        default: what it is in Python if nobody says it.
        read: reads it; by default what `READERS` has for its type.
        may_be_missing: whether a file may leave it out; then it is the default.
    """
    return field(default=default, metadata={"read": read, "may_be_missing": may_be_missing})


def one_of(choices: Mapping[str, Any] | Sequence[str]) -> Reader:
    """Reads a text that has to be one of the choices."""
    return lambda fields, key: fields.choice(key, tuple(choices))


@dataclass_transform(eq_default=False, frozen_default=True, field_specifiers=(setting,))
def stage(kind: type[AnyStage]) -> type[AnyStage]:
    """The decorator of a stage with settings: a frozen dataclass that compares as stages do."""
    return dataclass(frozen=True, eq=False, repr=False)(kind)


@stage
class Stage:
    """A stage. Two stages of one name with equal settings are equal."""

    name: ClassVar[str]
    """As `tokenizer.json` has it under `type`."""
    in_tokenizer_json: ClassVar[bool] = True
    """Whether such a file can say it."""

    @classmethod
    def from_json(cls, fields: Fields) -> Self:
        """The stage that an object of `tokenizer.json` describes.

        Raises:
            TokenizerFileError: names the key that is missing or wrong.
        """
        found = cls(**{key: read(fields, key) for key, read in _readers_of(cls).items()})
        found.check(fields)
        return found

    def check(self, fields: Fields) -> None:
        """Ask whether the settings, each right by itself, go together; `fields` is for errors.

        Raises:
            TokenizerFileError: they do not.
        """

    def settings(self) -> Mapping[str, Any]:
        """What `from_json` reads, but for the name."""
        return {each.name: _as_json(getattr(self, each.name)) for each in settings_of(self)}

    def to_json(self) -> dict[str, Any]:
        """The inverse of `from_json`."""
        return {"type": self.name, **self.settings()}

    def __getstate__(self) -> dict[str, Any]:
        """Pickled, for a helper process, as its settings; what was made of them is made anew."""
        return {each.name: getattr(self, each.name) for each in settings_of(self)}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Stage) and self.to_json() == other.to_json()

    def __hash__(self) -> int:
        return hash(repr(self.to_json()))

    def __repr__(self) -> str:
        settings = ", ".join(f"{key}={value!r}" for key, value in self.settings().items())
        return f"{self.name}({settings})"


def _readers_of(kind: type[Stage]) -> dict[str, Reader]:
    """How each setting of a stage is read, by its key."""
    hints = get_type_hints(kind, include_extras=True)
    readers = {}
    for each in settings_of(kind):
        read = each.metadata.get("read") or _reader_of(hints[each.name])
        if each.metadata.get("may_be_missing"):
            read = _or_default(read, each.default)
        readers[each.name] = read
    return readers


def _reader_of(kind: Any) -> Reader:
    """How settings of a type are read; one that has `from_json` reads itself."""
    if hasattr(kind, "from_json"):
        return lambda fields, key: kind.from_json(fields.inner(key))
    return READERS[kind]


def _or_default(read: Reader, default: Any) -> Reader:
    return lambda fields, key: read(fields, key) if fields.has(key) else default


def _as_json(value: Any) -> Any:
    """A setting as JSON has it."""
    if hasattr(value, "to_json"):
        return value.to_json()
    if isinstance(value, Mapping):
        return dict(value)
    return list(value) if isinstance(value, tuple) else value


@stage
class Composite(Stage, Generic[AnyStage]):
    """A stage that is made of stages of its own kind, one after the other.

    Attributes:
        parts_key: under which key of the object they stand.
    """

    parts_key: ClassVar[str]
    parts: Sequence[AnyStage]

    @classmethod
    def of_parts(cls, parts: Sequence[AnyStage], fields: Fields) -> Self:
        """The stage of these parts, which were read from the object.

        Raises:
            TokenizerFileError: they do not go together.
        """
        return cls(parts)

    def settings(self) -> Mapping[str, Any]:
        return {self.parts_key: [part.to_json() for part in self.parts]}


def opened(stage: AnyStage | None) -> tuple[AnyStage, ...]:
    """What a stage is made of, composites inside it opened; nothing if there is no stage."""
    if stage is None:
        return ()
    if isinstance(stage, Composite):
        return tuple(chain.from_iterable(map(opened, stage.parts)))
    return (stage,)


MOST_GROWTH, SPARE = 32, 1 << 16
LONGEST_CONTENT = 256
"""Characters that one match may become."""


def check_growth(stage: Stage, before: int, after: int) -> None:
    """Ask whether a text has become no longer than any tokenizer needs.

    Forty stages of which each doubles a text make a terabyte of a letter.

    Args:
        stage: the last that it went through.
        before, after: characters of the text that came in, and of what it is now.

    Raises:
        TokenizerFileError: it is more than 32 times as long, and 65,536 characters.
    """
    if after > MOST_GROWTH * before + SPARE:
        raise TokenizerFileError(
            f"the stages up to {stage.name} make {after:,} characters of {before:,}, which would "
            "fill the memory"
        )


def check_content(content: str, fields: Fields) -> None:
    """Ask whether what each match becomes is short.

    Raises:
        TokenizerFileError: it is not.
    """
    if len(content) > LONGEST_CONTENT:
        raise fields.error("content", f"is longer than {LONGEST_CONTENT} characters")


DEEPEST = 32
"""Sequences inside sequences that are read; more are a mistake, or meant to do harm."""


class StageRegistry(Registry[type[AnyStage]], Generic[AnyStage]):
    """The stages of one kind, by their names."""

    def __init__(self, kind: str, stages: Sequence[type[AnyStage]]) -> None:
        super().__init__(kind, {each.name: each for each in stages})

    def from_json(self, fields: Fields) -> AnyStage:
        """The stage of the name that stands under `type`.

        Raises:
            TokenizerFileError: there is none of that name, or its settings are wrong.
        """
        name = fields.text("type")
        if name not in self:
            what = f"the {self.kind} {name[:60]!r} is not supported; there are: {', '.join(self)}"
            raise fields.error("type", what)
        if fields.where.count("[") > DEEPEST:
            raise fields.error("type", f"stands in more than {DEEPEST} sequences")
        kind = self[name]
        if issubclass(kind, Composite):
            parts = [self.from_json(each) for each in fields.each(kind.parts_key)]
            return kind.of_parts(parts, fields)
        return kind.from_json(fields)

    def from_json_or_null(self, fields: Fields, key: str) -> AnyStage | None:
        """The stage under a key, which may be null or missing."""
        return self.from_json(fields.inner(key)) if fields.has(key) else None
