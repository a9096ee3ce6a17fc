"""The operations by name: parameters as JSON gives them in, values that JSON can carry out.

Law: a name here is a method of `Kit`; nothing is decided here. Unknown names and parameters are told, not guessed.
"""

from __future__ import annotations

import inspect
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import BaseModel

from kit.errors import BadInputError
from kit.model.fields import parse_instant

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kit.app import Kit

OPERATIONS = (
    "frame", "complete", "recall", "explain", "remember", "feedback", "forget", "restore", "book", "features",
    "tags", "scenes", "facts", "doctor", "status", "log", "settings", "sync", "perceive",
)  # fmt: skip


def call(kit: Kit, name: str, params: Mapping[str, object]) -> object:
    """Run an operation and return its result as plain JSON values."""
    if name not in OPERATIONS:
        raise BadInputError(f"There is no operation '{name}'.", f"Known: {', '.join(OPERATIONS)}.")
    method = getattr(kit, name)
    known = inspect.signature(method).parameters
    unknown = [param for param in params if param not in known]
    if unknown and "params" not in known:
        raise BadInputError(f"'{name}' takes no '{unknown[0]}'.", f"It takes: {', '.join(known)}.")
    values = dict(params)
    if isinstance(values.get("now"), str):
        try:
            values["now"] = parse_instant(values["now"])
        except ValueError as error:
            raise BadInputError(f"{error}.") from None
    try:
        return plain(method(**values))
    except TypeError as error:
        if "argument" not in str(error):
            raise
        raise BadInputError(f"'{name}' can't be called like this: {error}.") from None


def plain(value: object) -> object:
    """Turn a value into what JSON can carry: named tuples and models into objects, times into ISO text."""
    if isinstance(value, BaseModel):
        return plain(value.model_dump(exclude_defaults=True))
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return {name: plain(inner) for name, inner in value._asdict().items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [plain(inner) for inner in value]
    if isinstance(value, dict):
        return {str(name): plain(inner) for name, inner in value.items()}
    if isinstance(value, datetime):
        return value.isoformat()
    return str(value) if isinstance(value, Path) else value
