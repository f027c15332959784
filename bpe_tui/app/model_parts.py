"""The parts that a model names, imported when one is asked for."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any

from bpe_tui.session.config import Config, RunConfig
from bpe_tui.session.models import Model, model_of

if TYPE_CHECKING:
    from textual.message import Message

    from bpe_tui.session.jobs import CorpusJob
    from bpe_tui.views.dialog import Dialog
    from bpe_tui.views.exports import ExportKind
    from bpe_tui.views.transcript import AnyTranscript

JobMaker = Callable[["Config", "Callable[[Message], object]"], "CorpusJob"]
"""Makes the job that opens something: what to open, and where the job posts its news."""


def job_for(config: Config, post: Callable[[Message], object]) -> CorpusJob:
    """The job that opens what `config` names."""
    if isinstance(config, RunConfig):
        job: CorpusJob = _imported(model_of(config).job)(config, post)
        return job
    from bpe_tui.session.replay_job import ReplayJob  # the formats take their time to import

    return ReplayJob(config, post)


def transcript_of(config: RunConfig) -> AnyTranscript:
    """The training that `config` asks for, made, to be asked about without a screen.

    Raises:
        BpeError: the corpus cannot be read.
    """
    transcript: AnyTranscript = _imported(model_of(config).plain)(config)
    return transcript


def trainer_alone(model: Model, format: str) -> Callable[..., None]:
    """What trains a model without a screen and saves it in one of its `trains`."""
    train: Callable[..., None] = _imported(model.trains[format])
    return train


def save_window(model: Model, frame: Any, suggestion: str) -> Dialog:
    """The window that saves a frame of a model, by default under the name suggested."""
    window: Dialog = _imported(model.save)(frame, suggestion)
    return window


def export_kinds(model: Model) -> tuple[ExportKind, ...]:
    """The kinds of files that can be exported."""
    kinds: tuple[ExportKind, ...] = _imported(model.exports)
    return kinds


def _imported(place: tuple[str, str]) -> Any:
    module, name = place
    return getattr(import_module(module), name)
