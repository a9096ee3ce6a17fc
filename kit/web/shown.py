"""What goes out over HTTP: answers. The description of the API is made from these.

Law: field names are those people's programs know; what has the kit's own names is the kit's own row (`model.rows`).
"""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, Field

from kit import errors
from kit.model import hits, rows
from kit.model.notes import Category
from kit.web.given import Layer
from kit.web.rows import AsObject

Reason = Annotated[hits.Reason, AsObject()]
Note = Annotated[rows.Leaf, AsObject("Note")]
TagRow = Annotated[rows.TagRow, AsObject()]
TagShown = Annotated[rows.TagView, AsObject("TagShown")]
Graph = Annotated[rows.Graph, AsObject()]
SceneRow = Annotated[rows.SceneRow, AsObject()]
Journal = Annotated[rows.Lines, AsObject("Journal")]
Problem = Annotated[errors.Problem, AsObject()]


class Entry(BaseModel):
    """One memory."""

    id: str
    layer: Layer
    text: str
    category: Category
    source: str
    importance: int
    tags: list[str]
    ts: int = Field(description="when it came to be, in milliseconds since 1970")
    updatedAt: int = Field(description="the same of its last change")  # noqa: N815 - the name the field has had
    sessionId: str  # noqa: N815 - as above
    hits: int | None = Field(None, description="how often it was said again; a transient memory has none")
    sessionTitle: str | None = Field(None, description="of an episodic memory")  # noqa: N815 - as above
    messageCount: int | None = Field(None, description="of an episodic memory: turns of its session")  # noqa: N815
    kind: str
    path: str
    etag: str
    at: int = Field(description="what it is listed under: a turn by its beginning, what lasts by its last change")
    day: str = Field(description="the day of `at`, by the person's own calendar")
    status: str
    project: str
    scene: str
    feedback: str
    pinned: bool
    key: str
    value: str
    confidence: float


class Page(BaseModel):
    """Some of the memories asked for, newest first."""

    count: int
    total: int
    entries: list[Entry]
    next: str = Field(description="the `cursor` of the next page; empty at the end")


class Stats(BaseModel):
    """How much there is."""

    transient: int
    episodic: int
    semantic: int
    total: int
    kinds: dict[str, int]
    months: dict[str, int]
    problems: int
    vault: str
    generation: str


class Hit(Entry):
    """A memory that was found, and why."""

    score: float
    reasons: list[Reason]


class Search(BaseModel):
    """What was found, best first."""

    query: str
    readAs: str = Field(description="the question with its last word completed")  # noqa: N815 - as its neighbours
    count: int
    results: list[Hit]
    remarks: list[str]


class ExplainedHit(BaseModel):
    """A memory an agent would be told."""

    id: str
    kind: str
    path: str
    score: float
    says: str
    reasons: list[Reason]


class Explained(BaseModel):
    """What an agent would be told for a prompt, and why."""

    query: str
    route: str
    context: str = Field(description="the very text that would be injected; empty when nothing is worth telling")
    tokens: int
    told: list[str]
    results: list[ExplainedHit]
    missing: list[str]
    remarks: list[str]


class Tags(BaseModel):
    """Some of the tags."""

    total: int
    tags: list[TagRow]


class Scenes(BaseModel):
    """The scenes."""

    scenes: list[SceneRow]


class Told(BaseModel):
    """What was put into one prompt."""

    cursor: str
    at: str
    session: str
    prompt: str
    tokens: int
    memories: list[Entry]
    gone: int


class Prompts(BaseModel):
    """A page of what was told, newest first."""

    told: list[Told]
    next: str


class Problems(BaseModel):
    """What is to be mended."""

    problems: list[Problem]


class Health(BaseModel):
    """Whether all is well."""

    ok: bool
    version: str
    vault: str
    status: dict[str, object]


class Kept(BaseModel):
    """A memory that was added or changed."""

    entry: Entry
    did: str
    act: str = Field(description="its name, for undo; empty when there is nothing to take back")
    refused: list[str] = Field(description="tags that were not taken, each with the reason")


class PutAway(BaseModel):
    """Memories that went into the archive."""

    removed: int
    acts: list[str] = Field(description="their names, for undo, the oldest first")


class Done(BaseModel):
    """An act that took place."""

    act: str
    what: str
    paths: list[str]


class Failure(BaseModel):
    """What went wrong, in a sentence, and what to do."""

    error: str
    mend: str
