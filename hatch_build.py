"""The README as a package index shows it, where paths inside the project lead nowhere.

With a `repository` in `pyproject.toml` (under `tool.hatch.metadata.hooks.custom`) links and images
lead there. Without one a link becomes its text, and an image the words that describe it.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

LINK = re.compile(r"(?P<image>!?)\[(?P<text>[^]]*)\]\((?!\w+:|#)(?P<path>[^)]+)\)")
"""A link or an image whose path is relative: no `https:` or `mailto:`, no `#section`."""


class ReadmeHook(MetadataHookInterface):
    """Sets the `readme` of the package's metadata."""

    PLUGIN_NAME = "custom"

    def update(self, metadata: dict[str, Any]) -> None:
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        text = for_index(text, self.config.get("repository", ""))
        metadata["readme"] = {"content-type": "text/markdown", "text": text}


def for_index(text: str, repository: str) -> str:
    """A README whose links do without the project's files around it.

    >>> for_index("see [the keys](docs/keys.md)", "https://host/me/it")
    'see [the keys](https://host/me/it/blob/main/docs/keys.md)'
    >>> for_index("see [the keys](docs/keys.md)", "")
    'see the keys'
    """

    def absolute(link: re.Match[str]) -> str:
        image, words, path = link["image"], link["text"], link["path"]
        if not repository:
            return f"*{words}*" if image else words
        kind = "raw" if image else "blob"
        return f"{image}[{words}]({repository.rstrip('/')}/{kind}/main/{path})"

    return LINK.sub(absolute, text)
