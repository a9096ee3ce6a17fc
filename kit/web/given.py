"""What comes in over HTTP: parameters and bodies. The description of the API is made from these.

Law: what comes in is checked here, before anything is asked; field names are those people's programs know.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from kit.model.notes import Category, Feedback, Level

Layer = Literal["transient", "episodic", "semantic"]
Words = Annotated[str, Field(max_length=2_000)]
Name = Annotated[str, Field(min_length=1, max_length=400)]
Tag = Annotated[str, Field(min_length=1, max_length=80)]
Text = Annotated[str, Field(min_length=1, max_length=8_000, pattern=r"\S")]


def _whole(value: object) -> object:
    """Take 5.0 for 5, as JSON does."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


Weight = Annotated[int, Field(ge=1, le=5), BeforeValidator(_whole)]
_NEXT = "`next` of the page before"
Cursor = Annotated[str, Field(pattern=r"^(-?0x[01]\.[0-9a-f]{1,13}p[+-]?[0-9]{1,3}\.[0-9]{1,15})?$", description=_NEXT)]
Place = Annotated[str, Field(pattern=r"^([0-9]{4}-[0-9]{2}\.jsonl:[0-9]{1,15})?$", description=_NEXT)]


class Given(BaseModel):
    """What a caller sends: nothing but what is named."""

    model_config = ConfigDict(extra="forbid")


class Body(Given):
    """The same, as JSON: values are taken as they are, a text is no number."""

    model_config = ConfigDict(extra="forbid", strict=True)


# -- questions


class Nothing(Given):
    """No parameter."""


class ListAsked(Given):
    """Which memories, and which page of them."""

    layer: Layer | Literal[""] = ""
    category: Category | Literal[""] = ""
    limit: int = Field(50, ge=1, le=500)
    kind: Literal["", "card", "fact", "summary"] = ""
    tag: Words = ""
    scene: Words = Field("", description="`work` or `work/code-review`")
    project: Words = ""
    month: str = Field("", pattern=r"^(\d{4}-\d{2})?$", description="`2026-08`")
    finished: bool = Field(default=False, description="leave out what waits for its answer or was cut short")
    cursor: Cursor = ""


class FactsAsked(Given):
    """Which facts."""

    category: Category | Literal[""] = ""
    limit: int = Field(100, ge=1, le=500)
    cursor: Cursor = ""


class SearchAsked(Given):
    """What to look for; the last word may be unfinished."""

    query: Words
    layer: Layer | Literal[""] = ""
    limit: int = Field(12, ge=1, le=100)


class ExplainAsked(Given):
    """A prompt, as an agent would hear it."""

    query: Words
    limit: int = Field(8, ge=1, le=50)


class NoteAsked(Given):
    """Which note."""

    ref: Name = Field(description="an id, a path, or the target of a link")


class TagAsked(Given):
    """Which tag."""

    name: Name = Field(description="a name, an alias or a code")


class TagsAsked(Given):
    """Which page of the tag pool."""

    query: Words = Field("", description="only tags whose name or alias holds this")
    limit: int = Field(200, ge=1, le=1_000)
    offset: int = Field(0, ge=0, le=10_000_000)


class GraphAsked(Given):
    """Which part of the tag pool."""

    centre: Words = Field("", description="a tag; empty: the most used tags")
    limit: int = Field(120, ge=1, le=500)


class JournalAsked(Given):
    """Which page of the journal."""

    what: Words = Field("", description="only lines of this act")
    note: Words = Field("", description="only lines about this note, by id or path")
    acts: bool = Field(default=False, description="only what can be taken back")
    cursor: Place = ""
    limit: int = Field(50, ge=1, le=500)


class ToldAsked(Given):
    """Which page of what was told."""

    cursor: Place = ""
    limit: int = Field(30, ge=1, le=200)


class ProblemsAsked(Given):
    """How closely to look."""

    deep: bool = Field(default=False, description="read every note and try every link; takes long on a large vault")


# -- acts


class Add(Body):
    """A memory to keep."""

    layer: Layer = "semantic"
    text: Text
    category: Category | None = None
    importance: Weight = 3
    tags: list[Tag] = Field(default=[], max_length=20)


class Patch(Body):
    """What is to change."""

    text: Text | None = None
    category: Category | None = None
    importance: Weight | None = None
    tags: list[Tag] | None = Field(None, max_length=20)


class Update(Body):
    """A change to one memory."""

    id: Name
    patch: Patch


class Remove(Body):
    """A memory to put away."""

    id: Name
    reason: Words = ""


class Clear(Body):
    """A layer to put away."""

    layer: Layer | Literal["all"]


class Judge(Body):
    """What a person thinks of a memory."""

    id: Name
    verdict: Feedback
    reason: Words = ""


class Restore(Body):
    """A memory to take out of the archive."""

    id: Name


class Relate(Body):
    """Two tags and how they belong together."""

    one: Name
    other: Name
    level: Level = "related"


class SetStatus(Body):
    """A tag, and whether it recalls."""

    name: Name
    status: Literal["active", "deprecated"]
    reason: Words = ""


class Undo(Body):
    """Which act to take back; empty: your newest."""

    act: str = Field("", max_length=40)


class Session(Body):
    """The token that `memkit web` printed."""

    token: str = Field(max_length=200)
