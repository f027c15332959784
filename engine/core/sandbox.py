"""Jinja templates of others, rendered in a process of their own: with little time and memory.

The template runs in Jinja's immutable sandbox, as in transformers: it reads what it is given, and
reaches nothing else. But a sandbox does not end a loop, nor refuse a text of a gigabyte. So a
process renders, which is ended when its time is over.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

from engine.core.errors import ChatError
from engine.core.systems import limit_memory

SECONDS = 10
"""Most seconds that rendering may take."""
LONGEST = 1 << 23
"""Most characters of the result."""
MEMORY = 1 << 29
"""Most bytes of memory, where the system can limit it."""
NEEDED = (3, 1, 6)
"""The first version of Jinja2 whose sandbox is known to hold."""
_START = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "import engine.core.sandbox as sandbox; sandbox.main()"
)


class Rendered(NamedTuple):
    """The text of a template, and the places in it where those of other variables end.

    Attributes:
        text: what the template makes of the first variables.
        ends: the place in it where the text of other variables ends; `None` if the template
            refuses these.
    """

    text: str
    ends: tuple[int | None, ...]


def render(template: str, variables: dict[str, Any], others: Sequence[dict[str, Any]]) -> Rendered:
    """Render a template with its variables, and compare it with other variables.

    Raises:
        ChatError: Jinja2 is missing, the template refuses the variables or is wrong, or it takes
            too much time or room.
    """
    given = json.dumps({"template": template, "variables": variables, "others": others})
    command = [sys.executable, "-c", _START, json.dumps(sys.path)]
    try:
        ended = subprocess.run(command, input=given.encode(), capture_output=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        raise ChatError(f"the chat template takes more than {SECONDS} seconds") from None
    try:
        found = json.loads(ended.stdout)
    except ValueError:
        raise ChatError(
            f"the chat template needs more than {MEMORY >> 20} MB of memory, or ends its process"
        ) from None
    if "error" in found:
        raise ChatError(found["error"])
    return Rendered(found["text"], tuple(found["ends"]))


# In the process


def main() -> None:
    """Read a template and variables from standard input, and write the result on the output."""
    given = json.load(sys.stdin)
    limit_memory(MEMORY)
    try:
        found = rendered(**given)
    except MemoryError:
        found = {"error": f"the chat template needs more than {MEMORY >> 20} MB of memory"}
    sys.stdout.write(json.dumps(found))


def rendered(
    template: str, variables: dict[str, Any], others: Sequence[dict[str, Any]]
) -> dict[str, Any]:
    """Return the object that is written: a text and what is shared with it, or an error."""
    try:
        import jinja2
        from jinja2.exceptions import TemplateError
    except ImportError:
        return {"error": _NEEDS}
    if tuple(int(part) for part in jinja2.__version__.split(".")[:3] if part.isdigit()) < NEEDED:
        return {"error": _NEEDS}
    try:
        compiled = _environment().from_string(template)
        text = _bounded(compiled, variables)
    except TemplateError as error:
        return {"error": f"the chat template refuses this: {error}"}
    except Exception as error:  # a template can raise anything
        return {"error": f"the chat template fails: {type(error).__name__}: {error}"}
    ends: list[int | None] = []
    for other in others:
        try:
            ends.append(end_in(text, _bounded(compiled, other)))
        except Exception:  # such as a template that wants the messages in turn
            ends.append(None)
    return {"text": text, "ends": ends}


def end_in(text: str, other: str) -> int:
    """Return the place in a text where another one ends, which may have more in its middle or end.

    >>> end_in("one two three", "one 2 two ")
    8
    >>> end_in("one two three", "one two !")
    8
    """
    pairs = enumerate(zip(text, other, strict=False))
    start = next((n for n, (a, b) in pairs if a != b), min(len(text), len(other)))
    # The longest end of the rest that occurs soon: if one occurs, so do all shorter ones.
    found, least, most = start, 0, len(other) - start
    while least < most:
        length = (least + most + 1) // 2
        place = text.find(other[-length:], start, len(other))
        if place < 0:
            most = length - 1
        else:
            found, least = place + length, length
    return found


_NEEDS = (
    "a chat template is rendered with Jinja2, 3.1.6 or newer, which is not installed; install it "
    "(pip install 'bpe-tui[chat]')"
)


def _bounded(compiled: Any, variables: dict[str, Any]) -> str:
    parts: list[str] = []
    length = 0
    for part in compiled.generate(**variables):
        parts.append(part)
        length += len(part)
        if length > LONGEST:
            raise ValueError(f"it makes more than {LONGEST:,} characters")
    return "".join(parts)


def _environment() -> Any:
    """Return the environment in which transformers renders chat templates."""
    from jinja2 import nodes
    from jinja2.exceptions import SecurityError, TemplateError
    from jinja2.ext import Extension, loopcontrols
    from jinja2.sandbox import ImmutableSandboxedEnvironment
    from jinja2.utils import Namespace

    class Generation(Extension):
        """The block around what the assistant says, which changes no text."""

        tags = {"generation"}  # noqa: RUF012  # so Jinja declares it

        def parse(self, parser: Any) -> Any:
            line = next(parser.stream).lineno
            body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
            return nodes.Scope(body).set_lineno(line)

    class PlainNamespace(Namespace):
        """A namespace without names that begin with an underscore."""

        def __init__(*args: Any, **kwargs: Any) -> None:
            attributes = dict(*args[1:], **kwargs)
            for name in attributes:
                _check_name(name)
            Namespace.__init__(args[0], attributes)

        def __setitem__(self, name: str, value: Any) -> None:
            _check_name(name)
            super().__setitem__(name, value)

    def _check_name(name: object) -> None:
        if isinstance(name, str) and name.startswith("_"):
            raise SecurityError(f"a namespace takes no name like {name!r}")

    class PlainDict:
        """The `dict` of a template, which only makes dicts."""

        def __call__(self, *args: Any, **kwargs: Any) -> dict[Any, Any]:
            return dict(*args, **kwargs)

    def raise_exception(message: str) -> None:
        raise TemplateError(message)

    def tojson(
        value: Any,
        ensure_ascii: bool = False,
        indent: int | None = None,
        separators: tuple[str, str] | None = None,
        sort_keys: bool = False,
    ) -> str:
        return json.dumps(
            value,
            ensure_ascii=ensure_ascii,
            indent=indent,
            separators=separators,
            sort_keys=sort_keys,
        )

    found = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[Generation, loopcontrols]
    )
    found.filters["tojson"] = tojson
    found.globals.update(
        raise_exception=raise_exception,
        strftime_now=lambda format: datetime.now().strftime(format),
        namespace=PlainNamespace,
        dict=PlainDict(),
    )
    return found
