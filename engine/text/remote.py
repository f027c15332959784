"""Files at an address, read through fsspec: `https://…`, `s3://…`, `gs://…`, `az://…`, `hf://…`.

No request is made before the file or its size is read. Addresses in messages are shown without
password and query, which may contain a key. Messages of libraries may quote them and are replaced.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import cached_property
from typing import Any, BinaryIO, cast

from engine.core.errors import CorpusError
from engine.core.slow_modules import parse

PROTOCOLS = ("https", "s3", "gs", "az", "hf")
"""The protocols that are read; `http` is not, since it does not protect the data from changes."""
SECONDS = 30.0
"""Longest time that a server may send nothing."""
_WEB = ("https", "http")
IN_ONE_REQUEST = {"block_size": 0, "size": 1}
"""Options of fsspec for a file that is read from start to end; any size saves a request for it."""
_ADDRESS = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://")


def is_address(name: str) -> bool:
    """Whether a name is an address of any protocol.

    >>> is_address("https://example.org/a.txt"), is_address("a.txt"), is_address("hf:gpt2")
    (True, False, False)
    """
    return _ADDRESS.match(name) is not None


def without_credentials(address: str) -> str:
    """Return an address without password and query; other names are returned unchanged.

    >>> without_credentials("https://me:secret@example.org/a.txt?key=1")
    'https://example.org/a.txt'
    """
    if not is_address(address):
        return address
    scheme, _, rest = address.partition("://")
    place, slash, path = rest.partition("/")
    path = re.split(r"[?#]", path, maxsplit=1)[0]
    return f"{scheme}://{re.split(r'[?#]', place.rpartition('@')[2], maxsplit=1)[0]}{slash}{path}"


class RemoteFile:
    """A file at an address.

    Args:
        address: its address, with credentials if it needs them.

    Raises:
        CorpusError: the protocol is not in `PROTOCOLS`, or fsspec is not installed.
    """

    path = None

    def __init__(self, address: str) -> None:
        self.given = address
        self.name = without_credentials(address)
        self._protocol = address.partition("://")[0].lower()
        if self._protocol not in PROTOCOLS:
            raise CorpusError(
                f"{self.name}: {self._protocol} is not read; these are: {', '.join(PROTOCOLS)}"
            )
        try:
            import fsspec  # noqa: F401 (slow, but a missing library must show before an hour of work)
        except ImportError:
            raise CorpusError(
                f"{self.name}: addresses need fsspec, which is not installed; install it "
                "(pip install 'bpe-tui[remote]'), or fetch the file yourself"
            ) from None

    @cached_property
    def size(self) -> int | None:
        """Size in bytes that the server gives; `None` if it gives none.

        Raises:
            CorpusError: the server cannot be reached.
        """
        with self._errors():
            size = self._system.info(self.given).get("size")
            return size if isinstance(size, int) and size > 0 else None

    @contextmanager
    def open(self, seekable: bool = False) -> Iterator[BinaryIO]:
        """Open the file to read from start to end, or with `seekable` in any order."""
        with self._errors():
            options: dict[str, Any] = {}
            if self._protocol in _WEB:
                options = {"size": self.size} if seekable else IN_ONE_REQUEST
            file = self._system.open(self.given, "rb", **options)
        try:
            yield cast(BinaryIO, _PlainErrorFile(file, self._errors))
        finally:
            with suppress(Exception):  # everything needed has been read
                file.close()

    @cached_property
    def _system(self) -> Any:
        import fsspec

        options: dict[str, Any] = {}
        if self._protocol in _WEB:  # raw bytes, time limits, redirects only to the same protocol
            import aiohttp

            redirects = aiohttp.TraceConfig()
            redirects.on_request_redirect.append(check_redirect)
            timeout = aiohttp.ClientTimeout(total=None, sock_connect=SECONDS, sock_read=SECONDS)
            options["client_kwargs"] = {
                "headers": {"Accept-Encoding": "identity"},
                "auto_decompress": False,  # so that sizes count transferred bytes
                "timeout": timeout,
                "trace_configs": [redirects],
            }
        return fsspec.filesystem(self._protocol, skip_instance_cache=True, **options)

    @contextmanager
    def _errors(self) -> Iterator[None]:
        """Replace any error by a `CorpusError` in our words; a library's may quote secrets."""
        try:
            yield
        except Exception as error:
            raise CorpusError(f"{self.name}: {_reason(error)}") from None


class _PlainErrorFile:
    """A file that raises only the errors of `RemoteFile`."""

    def __init__(self, file: Any, errors: Callable[[], AbstractContextManager[None]]) -> None:
        self.file, self.errors = file, errors

    def read(self, size: int = -1) -> bytes:
        """Read `size` bytes, fewer only at the end, though a connection may return fewer.

        Full blocks make a text be cut in the same way each time it is read.
        """
        with self.errors():
            data = bytes(self.file.read(size))
            while 0 < len(data) < size and (more := self.file.read(size - len(data))):
                data += more
            return data

    def __getattr__(self, name: str) -> Any:
        return getattr(self.file, name)


async def check_redirect(session: object, context: object, sent: Any) -> None:
    """Raise `CorpusError` for a redirect to another protocol."""
    here = parse.urlsplit(str(sent.url)).scheme
    there = parse.urlsplit(sent.response.headers.get("Location", "")).scheme or here
    if here.lower() != there.lower():
        raise CorpusError(f"redirects from {here} to {there}, which is not followed")


def _reason(error: BaseException) -> str:
    """Describe an error without quoting it; fsspec hides the cause behind other errors."""
    chain: list[BaseException] = []
    cause: BaseException | None = error
    while cause is not None and cause not in chain:
        chain.append(cause)
        cause = cause.__cause__ or cause.__context__
    for each in chain:
        if isinstance(each, CorpusError):
            return str(each)
    for each in chain:
        if type(each).__name__ == "TooManyRedirects":
            return "the server redirects again and again"
        if isinstance(status := getattr(each, "status", None), int):
            return f"the server answers {status}; is the address right, and may you read it?"
        if isinstance(each, TimeoutError):
            return f"the server has said nothing for {SECONDS:.0f} seconds; try again later"
    for each in chain:
        if isinstance(each, ImportError):
            return (
                "needs a library that is not installed: aiohttp for https, s3fs for s3, gcsfs for "
                "gs, adlfs for az, huggingface_hub for hf"
            )
        if isinstance(each, PermissionError):
            return "no permission to read it"
        if "Certificate" in type(each).__name__:
            return "the server's certificate is not one to trust"
        if isinstance(each, ValueError) and "range requests" in str(each):
            return "the server sends no parts of a file, which are needed; save it first"
        if type(each).__name__ == "ClientPayloadError":
            return "the connection broke off before its end; try again"
        if type(each).__name__.startswith(("ClientConnect", "ClientOS", "ServerDisconnected")):
            return "the server cannot be reached"
    if isinstance(error, FileNotFoundError):
        return "is not there"
    return f"cannot be read ({type(error).__name__})"
