"""Build hooks: compile the kernel, and make the README's links absolute.

The kernel of `engine/native` is compiled where there is a compiler; where that fails, the package
goes without it and says so. It needs no headers of Python, so one wheel serves all versions of
Python on a platform. `BPE_TUI_KERNEL=no` leaves it out, `=must` makes a failure an error.

Paths inside the project lead nowhere in the README as a package index shows it. With a `repository`
in `pyproject.toml` (under `tool.hatch.metadata.hooks.custom`), or in the variable
`BPE_TUI_REPOSITORY`, links and images lead there, and the package's page has links to it. Without
one a link of the README becomes its text, and an image the words that describe it.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

LINK = re.compile(r"(?P<image>!?)\[(?P<text>[^]]*)\]\((?!\w+:|#)(?P<path>[^)]+)\)")
"""A link or an image whose path is relative: no `https:` or `mailto:`, no `#section`."""


class ReadmeHook(MetadataHookInterface):
    """Sets `readme` and `urls` of the package's metadata."""

    PLUGIN_NAME = "custom"

    def update(self, metadata: dict[str, Any]) -> None:
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        repository = os.environ.get("BPE_TUI_REPOSITORY") or self.config.get("repository", "")
        metadata["readme"] = {"content-type": "text/markdown", "text": for_index(text, repository)}
        metadata["urls"] = project_links(repository)


def for_index(text: str, repository: str) -> str:
    """Rewrite a README so that no link needs the project's files.

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


def project_links(repository: str) -> dict[str, str]:
    """Return the links beside a package's page; none without a repository.

    >>> project_links("https://host/me/it")["Changelog"]
    'https://host/me/it/blob/main/CHANGELOG.md'
    """
    if not repository:
        return {}
    place = repository.rstrip("/")
    return {
        "Source": place,
        "Documentation": f"{place}/tree/main/docs",
        "Changelog": f"{place}/blob/main/CHANGELOG.md",
        "Issues": f"{place}/issues",
    }


SOURCES = "engine/native"
LIBRARY = "kernel.library"
"""The name that `engine.native` looks for."""


class KernelHook(BuildHookInterface):  # type: ignore[type-arg]
    """Compiles the kernel for a wheel; for an editable install, into the checkout itself."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        wish = os.environ.get("BPE_TUI_KERNEL", "try")
        in_place = Path(self.root, SOURCES, LIBRARY)
        if version == "editable":
            in_place.unlink(missing_ok=True)  # none is better than an old one
        if self.target_name != "wheel" or wish == "no":
            return
        self._folder = tempfile.mkdtemp()
        try:
            library = compiled(Path(self.root, SOURCES), Path(self._folder))
        except Exception as error:
            if wish == "must":
                raise
            reason = " ".join(str(error).split())
            self.app.display_warning(f"going on without the compiled kernel, slower: {reason}")
            return
        from packaging.tags import platform_tags

        build_data["tag"] = f"py3-none-{next(platform_tags())}"
        build_data["pure_python"] = False
        if version == "editable":
            shutil.copy(library, in_place)
        else:
            build_data["force_include"][str(library)] = f"{SOURCES}/{LIBRARY}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        if folder := getattr(self, "_folder", None):
            shutil.rmtree(folder, ignore_errors=True)


def compiled(sources: Path, folder: Path) -> Path:
    """Compile all C files of the sources into a library in a folder; raise any exception."""
    from setuptools._distutils.ccompiler import new_compiler  # finds the compiler of any system
    from setuptools._distutils.sysconfig import customize_compiler

    compiler = new_compiler()
    options = ["/O2"]
    if compiler.compiler_type == "unix":
        customize_compiler(compiler)  # CC and CFLAGS, and what Python itself was compiled with
        options = ["-O2", "-std=gnu11", "-fvisibility=hidden"]
    files = sorted(map(str, sources.glob("*.c")))
    objects = compiler.compile(files, output_dir=str(folder), extra_postargs=options)
    compiler.link_shared_object(objects, str(folder / LIBRARY))
    return folder / LIBRARY
