"""Post-processors, each under the name that `tokenizer.json` gives it: the special tokens that a
model wants around its texts.

`Tokenizer.encode` adds none of them; `Pipeline.run` and `process` do, for one text or a pair.
"""

from __future__ import annotations

from engine.core.registry import Registry
from engine.pipeline.json_fields import Fields
from engine.pipeline.post_processors.template import (
    BertProcessing,
    ByteLevel,
    PostProcessor,
    RobertaProcessing,
    Sequence,
    TemplateProcessing,
)
from engine.pipeline.stage import stage_from_json

_ALL: tuple[type[PostProcessor], ...] = (
    *(TemplateProcessing, BertProcessing, RobertaProcessing, ByteLevel, Sequence),
)
POST_PROCESSORS: Registry[type[PostProcessor]] = Registry(
    "post-processor", {p.name: p for p in _ALL}
)


def post_processor_from_json(fields: Fields) -> PostProcessor:
    """The post-processor that an object of `tokenizer.json` describes.

    Raises:
        TokenizerFileError: says what in it is wrong or not supported.
    """
    return stage_from_json(POST_PROCESSORS, fields)
