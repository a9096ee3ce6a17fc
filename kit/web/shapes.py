"""What goes over HTTP: parameters, bodies and answers. The description of the API is made from these.

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


# -- answers


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


class Reason(BaseModel):
    """One effect on a score."""

    factor: str
    value: float
    kind: str = Field(description="`+` and `∪` add evidence, `×` weighs it, `=` only says something")
    note: str


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


class Linked(BaseModel):
    """The other end of a link."""

    target: str
    id: str
    kind: str
    path: str
    title: str


class Said(BaseModel):
    """What was said in a turn."""

    user: str
    agent: str


class Note(BaseModel):
    """One note, whole."""

    id: str
    kind: str
    path: str
    etag: str
    title: str
    raw: str
    front: dict[str, str | list[str]]
    body: str
    links: list[Linked]
    backlinks: list[Linked]
    overview: str
    said: Said
    file: str


class TagRow(BaseModel):
    """A tag in the list."""

    code: str
    name: str
    status: str
    cards: int
    aliases: list[str]
    path: str


class Tags(BaseModel):
    """Some of the tags."""

    total: int
    tags: list[TagRow]


class TagShown(BaseModel):
    """One tag, with its relations on both sides."""

    code: str
    name: str
    status: str
    path: str
    definitions: list[str]
    dimensions: list[str]
    aliases: list[str]
    synonym: list[str]
    related: list[str]
    loose: list[str]
    merged_to: str
    cards: list[str]
    lacks: list[str]


class Point(BaseModel):
    """A tag in the picture."""

    code: str
    name: str
    status: str
    cards: int


class Between(BaseModel):
    """A relation in the picture."""

    one: str
    other: str
    level: Level


class Graph(BaseModel):
    """Tags and what joins them."""

    points: list[Point]
    lines: list[Between]
    left_out: int


class SceneRow(BaseModel):
    """A scene."""

    scene: str
    scene_sub: str
    cards: int
    aliases: list[str]


class Scenes(BaseModel):
    """The scenes."""

    scenes: list[SceneRow]


class Change(BaseModel):
    """What an act did to one file."""

    path: str
    moved: str
    old: str
    new: str


class Line(BaseModel):
    """One line of the journal."""

    cursor: str
    at: str
    who: str
    what: str
    note: str
    why: str
    id: str
    act: str
    undone: bool
    files: int
    changes: list[Change]
    session: str
    ids: list[str]
    tokens: int


class Journal(BaseModel):
    """A page of the journal, newest first."""

    lines: list[Line]
    next: str


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


class Problem(BaseModel):
    """Something to mend."""

    path: str
    line: int
    what: str
    mend: str


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
