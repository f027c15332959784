"""`Stage`: one stage of the way from a text to ids and back, as Hugging Face's libraries name them.

A text is normalized, cut into pretokens, encoded by a model and finished by a post-processor; a
decoder goes back. Each stage is one object that can be used alone, and that `tokenizer.json`
spells as an object of its own: `type` is its name, the other keys are its settings.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Self, TypeVar

from engine.core.registry import Registry
from engine.pipeline.json_fields import Fields


class Stage:
    """A stage. Two stages of the same settings are equal."""

    name: ClassVar[str]
    """As `tokenizer.json` has it under `type`."""
    parts_key: ClassVar[str] = ""
    """The key under which the stages stand that it is made of; empty if there are none."""

    @classmethod
    def from_json(cls, fields: Fields) -> Self:
        """The stage that an object of `tokenizer.json` describes; here one without settings.

        Raises:
            TokenizerFileError: names the key that is missing or wrong.
        """
        return cls()

    @classmethod
    def of_parts(cls, parts: Sequence[Any], fields: Fields) -> Self:
        """The stage that is made of these, which stand under `parts_key`.

        Raises:
            TokenizerFileError: they do not go together.
        """
        raise NotImplementedError

    def settings(self) -> Mapping[str, Any]:
        """What `from_json` reads, but for the name."""
        return {}

    def to_json(self) -> dict[str, Any]:
        """The inverse of `from_json`."""
        return {"type": self.name, **self.settings()}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Stage) and self.to_json() == other.to_json()

    def __hash__(self) -> int:
        return hash(repr(self.to_json()))

    def __repr__(self) -> str:
        settings = ", ".join(f"{key}={value!r}" for key, value in self.settings().items())
        return f"{self.name}({settings})"


AnyStage = TypeVar("AnyStage", bound=Stage)

DEEPEST = 32
"""Sequences inside sequences that are read; more are a mistake, or meant to do harm."""


def stage_from_json(registry: Registry[type[AnyStage]], fields: Fields) -> AnyStage:
    """The stage of the name that stands under `type`.

    Raises:
        TokenizerFileError: the registry has none of that name, or its settings are wrong.
    """
    name = fields.text("type")
    if name not in registry:
        known = ", ".join(registry)
        what = f"the {registry.kind} {name[:60]!r} is not supported; there are: {known}"
        raise fields.error("type", what)
    if fields.where.count("[") > DEEPEST:
        raise fields.error("type", f"stands in more than {DEEPEST} sequences")
    kind = registry[name]
    if kind.parts_key:
        parts = [stage_from_json(registry, each) for each in fields.each(kind.parts_key)]
        return kind.of_parts(parts, fields)
    return kind.from_json(fields)
