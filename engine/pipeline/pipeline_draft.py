"""`Draft`: a pipeline some of whose stages are switched to others, to see what comes of it.

Normalizers and pre-tokenizers may be several, in the order in which they were chosen; of the other
kinds there is one or none. The model stays: it is what was learnt. Where it was learnt on bytes,
pretokens are spelled in bytes whatever cuts them, since it knows nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from engine.pipeline.normalizers.normalizer import Normalizer
from engine.pipeline.normalizers.sequence import Sequence as Normalizers
from engine.pipeline.pipeline import Pipeline
from engine.pipeline.pretokenizers.byte_level import ByteLevel
from engine.pipeline.pretokenizers.pretokenizer import PreTokenizer
from engine.pipeline.pretokenizers.sequence import Sequence as PreTokenizers
from engine.pipeline.stage import Stage

Stages = tuple[Stage, ...]


@dataclass(frozen=True)
class StageKind:
    """A kind of stage that can be switched.

    Attributes:
        key: what `Pipeline` and `tokenizer.json` call it.
        title: what people call it.
        several: whether there may be more than one.
        joined: several of them as one stage.
    """

    key: str
    title: str
    several: bool
    joined: Callable[[Sequence[Any]], Stage]

    def parts(self, stage: Stage | None) -> Stages:
        """What a stage of this kind is made of, sequences opened."""
        if stage is None:
            return ()
        opened = isinstance(stage, Normalizer | PreTokenizer)
        return tuple(stage.stages) if opened else (stage,)  # type: ignore[attr-defined]


def _only(stages: Sequence[Any]) -> Stage:
    [stage] = stages
    assert isinstance(stage, Stage)
    return stage


NORMALIZER = StageKind("normalizer", "normalizer", True, Normalizers)
PRE_TOKENIZER = StageKind("pre_tokenizer", "pre-tokenizer", True, PreTokenizers)
POST_PROCESSOR = StageKind("post_processor", "post-processor", False, _only)
DECODER = StageKind("decoder", "decoder", False, _only)
STAGE_KINDS = (NORMALIZER, PRE_TOKENIZER, POST_PROCESSOR, DECODER)

SPELLING = ByteLevel(add_prefix_space=False, use_regex=False)
"""Spells pretokens in GPT-2's stand-ins for bytes, and cuts nothing."""


@dataclass(frozen=True)
class Draft:
    """A pipeline and what is switched in it. Immutable.

    Attributes:
        original: the pipeline before.
        switched: the stages of each kind, by its key, that was touched.

    >>> from engine.pipeline.models.wordlevel import WordLevel
    >>> from engine.pipeline.normalizers.letters import Lowercase
    >>> draft = Draft(Pipeline(WordLevel({"?": 0, "a": 1}, "?")))
    >>> draft.toggled(NORMALIZER, Lowercase()).pipeline.run("A").ids, draft.pipeline.run("A").ids
    ([1], [0])
    """

    original: Pipeline
    switched: Mapping[str, Stages] = field(default_factory=dict)

    def stages(self, kind: StageKind) -> Stages:
        """The stages of a kind as they are now."""
        original = kind.parts(getattr(self.original, kind.key))
        return self.switched.get(kind.key, original)

    def is_switched(self, kind: StageKind) -> bool:
        """Whether it is another than it was."""
        return self.stages(kind) != kind.parts(getattr(self.original, kind.key))

    def toggled(self, kind: StageKind, stage: Stage) -> Draft:
        """With a stage put last, or taken out if it is there; of single kinds it replaces."""
        now = self.stages(kind)
        if stage in now:
            chosen = tuple(each for each in now if each != stage)
        else:
            chosen = (*now, stage) if kind.several else (stage,)
        return self.with_stages(kind, chosen)

    def with_stages(self, kind: StageKind, stages: Stages) -> Draft:
        """With exactly these."""
        return replace(self, switched={**self.switched, kind.key: stages})

    def restored(self, kind: StageKind) -> Draft:
        """With those of the original."""
        others = {key: stages for key, stages in self.switched.items() if key != kind.key}
        return replace(self, switched=others)

    @cached_property
    def pipeline(self) -> Pipeline:
        """The pipeline as it is now."""
        touched = [kind for kind in STAGE_KINDS if self.is_switched(kind)]
        stages = {kind.key: self._joined(kind) for kind in touched}
        return replace(self.original, **stages)

    def _joined(self, kind: StageKind) -> Any:
        stages = self.stages(kind)
        if kind is PRE_TOKENIZER and self.original.splitter.in_bytes:
            has_spelling = any(isinstance(stage, ByteLevel) for stage in stages)
            stages = stages if has_spelling else (*stages, SPELLING)
        if not stages:
            return None
        return stages[0] if len(stages) == 1 else kind.joined(stages)
