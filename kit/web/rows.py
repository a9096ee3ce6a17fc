"""The kit's own rows, as objects of the API: their names, their types, and nothing told twice.

Law: a row is described as it is declared; `operations.plain` writes it just so.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, get_args, get_origin, get_type_hints

from pydantic import TypeAdapter, create_model

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler
    from pydantic_core import CoreSchema


class AsObject(NamedTuple):
    """Marks a named tuple that goes over HTTP as a JSON object: `Annotated[Row, AsObject()]`."""

    name: str = ""
    """what the description calls it, where that is another name than the row's"""

    def __get_pydantic_core_schema__(self, row: Any, handler: GetCoreSchemaHandler) -> CoreSchema:  # noqa: ANN401 - as pydantic asks
        """Describe a row by its fields."""
        fields: dict[str, Any] = {name: (_typed(kind), ...) for name, kind in get_type_hints(row).items()}
        return handler.generate_schema(create_model(self.name or row.__name__, __doc__=row.__doc__, **fields))


def _typed(kind: Any) -> Any:  # noqa: ANN401 - what a type hint can be
    """Turn the type of a field into what JSON has: tuples of one kind into lists, rows into objects."""
    if get_origin(kind) is tuple:
        return list[_typed(get_args(kind)[0])]  # type: ignore[misc]  # made from a hint
    return Annotated[kind, AsObject()] if hasattr(kind, "_fields") else kind


@cache
def adapter(shape: Any) -> TypeAdapter[Any]:  # noqa: ANN401 - a model, or a row that is marked
    """Give what checks, writes and describes a shape."""
    return TypeAdapter(shape)


def name_of(shape: Any) -> str:  # noqa: ANN401 - as above
    """Tell what the description calls a shape."""
    if get_origin(shape) is not Annotated:
        return str(shape.__name__)
    row, mark = get_args(shape)[:2]
    return str(mark.name or row.__name__)
