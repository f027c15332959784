"""A stage of a pipeline in a few words."""

from __future__ import annotations

from bpe_tui.widgets.visible import shorten, visible_text
from engine.pipeline.decoders.byte_tokens import ByteLevel as ByteLevelDecoder
from engine.pipeline.post_processors.post_processor import PostProcessor
from engine.pipeline.pretokenizers.split import Split
from engine.pipeline.stage import Stage
from engine.pipeline.templates import spelled_template
from engine.text.patterns import PATTERNS

LONGEST_SETTING = 40


def stage_name(stage: Stage) -> str:
    """A stage with its settings, in a few words; what is switched off is left out."""
    if isinstance(stage, ByteLevelDecoder):
        return stage.name  # its settings say nothing to it
    named = stage.as_pattern() if isinstance(stage, Split) else None
    if named is not None and named.name in PATTERNS:
        return f"Split (the pattern {named.name})"
    if isinstance(stage, PostProcessor):
        return visible_text(f"{stage.name}: {spelled_template(stage, 1)}", spaces=False)
    settings = {key: value for key, value in stage.settings().items() if value not in (None, False)}
    shown = ", ".join(f"{key}{_setting(value)}" for key, value in settings.items())
    name = visible_text(stage.name, spaces=False)
    return f"{name} ({visible_text(shown, spaces=False)})" if shown else name


def _setting(value: object) -> str:
    if value is True:
        return ""
    told = " ".join(map(str, value.values())) if isinstance(value, dict) else str(value)
    return f" {shorten(visible_text(told), LONGEST_SETTING)}"
