"""The models of a `tokenizer.json`, each under its name there: they turn pretokens into ids.

They build on the encoders of BPE, WordPiece and Unigram; no other kind of stage needs them.
"""

from engine.core.json_fields import Fields
from engine.pipeline.models.bpe import BPE
from engine.pipeline.models.model import Model
from engine.pipeline.models.unmerged import Unigram, WordLevel, WordPiece
from engine.pipeline.stage import StageRegistry


class _Models(StageRegistry[Model]):
    def from_json(self, fields: Fields) -> Model:
        # Files of early versions name no type; which it is shows in what else they name.
        if "type" not in fields.value:
            for key, model in _KNOWN_BY.items():
                if key in fields.value:
                    return model.from_json(fields)
            is_list = isinstance(fields.value.get("vocab"), list)
            return (Unigram if is_list else WordLevel).from_json(fields)
        return super().from_json(fields)


_KNOWN_BY: dict[str, type[Model]] = {"merges": BPE, "continuing_subword_prefix": WordPiece}


MODELS = _Models("model", (BPE, WordPiece, Unigram, WordLevel))
