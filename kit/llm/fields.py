"""From an object to values that may be used, field by field.

Law: a plain wrong type is read as what it plainly means (`"0,9"`, one word for a list of one); after that pydantic
judges strictly. What it refuses is left out with a sentence, item by item, and takes nothing else with it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from types import UnionType
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, get_args, get_origin

from pydantic import AliasChoices, BaseModel, BeforeValidator, Field, TypeAdapter, ValidationError

if TYPE_CHECKING:
    from pydantic.fields import FieldInfo

_MARKS = re.compile(r"[\s_-]+")
_BETWEEN = re.compile(r"\s*[,，、;；|\n]\s*")
_BULLET = re.compile(r"^(?:[-*•]|\d+[.)、])\s*")
_SURE = {"high": 0.9, "高": 0.9, "certain": 0.95, "确定": 0.95, "medium": 0.7, "中": 0.7, "low": 0.5, "低": 0.5}
_QUOTED = 40


class Taken(NamedTuple):
    """What can be used, and a sentence for each thing that can't."""

    values: dict[str, Any]
    dropped: tuple[str, ...]


def named(*others: str) -> AliasChoices:
    """List the other names a field may have in an answer."""
    return AliasChoices(*others)


def folded(name: object) -> str:
    """Fold a key: case, width, blanks, hyphens and underscores don't count."""
    return _MARKS.sub("", unicodedata.normalize("NFKC", str(name)).casefold())


def names(model: type[BaseModel]) -> list[str]:
    """List every name under which an answer may give a field of a model."""
    return [name for field, info in model.model_fields.items() for name in _names(field, info)]


def take(model: type[BaseModel], raw: Mapping[str, object]) -> Taken:
    """Take the fields of a model out of an object; a field that is not there keeps its default."""
    given = {folded(key): value for key, value in raw.items()}
    values: dict[str, Any] = {}
    dropped: list[str] = []
    for field, info in model.model_fields.items():
        found = [given[name] for name in map(folded, _names(field, info)) if name in given]
        said = [value for value in found if value not in (None, "", [], {})]
        if said:
            _take_field(field, info, said[0], values, dropped)
    return Taken(values, tuple(dropped))


def _names(field: str, info: FieldInfo) -> list[str]:
    choices = info.validation_alias.choices if isinstance(info.validation_alias, AliasChoices) else []
    return [field, *map(str, choices)]


def _take_field(field: str, info: FieldInfo, said: object, values: dict[str, Any], dropped: list[str]) -> None:
    kind: Any = info.annotation
    origin, inner = get_origin(kind), get_args(kind)
    if origin is UnionType:  # one that may be missing
        kind = next(each for each in inner if each is not type(None))
        origin = None
    if origin is list and isinstance(inner[0], type) and issubclass(inner[0], BaseModel):
        rows = [(f"{field} {number}", row) for number, row in enumerate(_rows(said), 1)]
        kept = [one for name, row in rows if (one := _checked(name, inner[0], row, dropped)) is not None]
        if kept:
            values[field] = kept
    elif origin is dict:
        if not isinstance(said, Mapping):
            dropped.append(f"{field}: not an object but {said!r:.{_QUOTED}}")
            return
        pairs = {str(key).strip(): _checked(f"{field} '{key}'", inner[1], one, dropped) for key, one in said.items()}
        kept_pairs = {key: one for key, one in pairs.items() if key and one is not None}
        if kept_pairs:
            values[field] = kept_pairs
    else:
        whole = kind if isinstance(kind, type) and issubclass(kind, BaseModel) else _annotated(kind, info)
        value = _checked(field, whole, said, dropped)
        if value is not None:
            values[field] = value


def _rows(said: object) -> list[object]:
    return list(said) if isinstance(said, (list, tuple)) else [said]


def _annotated(kind: Any, info: FieldInfo) -> Any:  # noqa: ANN401 - a type with its validators
    for mark in info.metadata:
        kind = Annotated[kind, mark]
    return kind


def _checked(name: str, kind: Any, said: object, dropped: list[str]) -> Any:  # noqa: ANN401 - of the kind asked for
    """Judge one value; None when it is refused. A part of an object that is refused costs only that part."""
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        before = getattr(kind, "plainly", None)
        said = before(said) if before else said
        if isinstance(said, Mapping):
            part = take(kind, {str(key): value for key, value in said.items()})
            dropped += [f"{name}, {each}" for each in part.dropped]
            lacks = [each for each, info in kind.model_fields.items() if info.is_required() and each not in part.values]
            if lacks:
                dropped.append(f"{name}: it lacks {' and '.join(lacks)}")
            return None if lacks else kind.model_construct(**part.values)
    try:
        return TypeAdapter(kind).validate_python(said)
    except (ValidationError, ValueError):
        dropped.append(f"{name}: {said!r:.{_QUOTED}} can't be used")
        return None


# -- plain wrong types, read as what they plainly mean


def _line(said: object) -> object:
    """Read a text on one line: also a number, and a list of texts."""
    if isinstance(said, (list, tuple)) and all(isinstance(one, (str, int, float)) for one in said):
        said = " ".join(map(str, said))
    if isinstance(said, (int, float)) and not isinstance(said, bool):
        said = str(said)
    return " ".join(said.split()) if isinstance(said, str) else said


def _words(said: object) -> object:
    """Read a list of words: also one text with marks between them, and objects that name each."""
    if isinstance(said, Mapping):
        said = list(said)
    if isinstance(said, str):
        said = _BETWEEN.split(said)
    if not isinstance(said, (list, tuple)):
        return said
    return [_BULLET.sub("", word).strip(" #[]\"'“”") for one in said if isinstance(word := _line(one), str) and word]


def _share(said: object) -> object:
    """Read a share: also `90%`, `0,9`, and words for it."""
    if not isinstance(said, str):
        return said
    word = unicodedata.normalize("NFKC", said).strip().casefold()
    if word in _SURE:
        return _SURE[word]
    number = re.fullmatch(r"(\d+(?:[.,]\d+)?)\s*(%?)", word)
    return float(number[1].replace(",", ".")) / (100 if number[2] else 1) if number else said


def one_of(choices: Iterable[str], also: Mapping[str, str]) -> BeforeValidator:
    """Read one of some words: in any case and width, and under the names in `also`."""
    known = {folded(word): word for word in choices} | {folded(word): target for word, target in also.items()}

    def read(said: object) -> object:
        bare = said[0] if isinstance(said, (list, tuple)) and len(said) == 1 else said
        return known.get(folded(bare), said) if isinstance(bare, str) else said

    return BeforeValidator(read)


Line = Annotated[str, BeforeValidator(_line), Field(min_length=1, max_length=500)]
Paragraph = Annotated[str, BeforeValidator(_line), Field(min_length=1, max_length=4000)]
Words = Annotated[
    list[Annotated[str, Field(min_length=1, max_length=80)]], BeforeValidator(_words), Field(max_length=12)
]
Sentence = Annotated[
    str,
    Field(min_length=4, max_length=500),
    BeforeValidator(lambda said: " ".join(said.split()) if isinstance(said, str) else said),
]
Share = Annotated[float, BeforeValidator(_share), Field(ge=0, le=1)]
