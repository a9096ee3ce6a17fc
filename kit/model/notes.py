"""The kinds of notes and their front matter, key by key.

Law: every key has a default but `id` and `kind`; unknown keys are kept; values are frozen.
"""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from kit.model.fields import Instant, Items, Link, Links, Tags, Text

CardStatus = Literal["pending", "completed", "interrupted", "failed"]
Layer = Literal["transient", "episodic", "semantic"]
Route = Literal["shallow", "medium", "deep"]
Feedback = Literal["", "confirmed", "rejected", "partial", "ignored"]
EventType = Literal["chat", "file", "action", "task", "system"]
Category = Literal["preference", "habit", "style", "business", "fact", "other"]
TagStatus = Literal["unexamined", "active", "deprecated", "merged"]
TagSource = Literal["person", "agent", "rules", "system"]
Dimension = Literal["content", "task", "constraint", "scene"]
Level = Literal["synonym", "related", "loose"]


def _blank(default: object) -> BeforeValidator:
    """Read an empty value as the key's default: Obsidian writes `key:` for a property without a value."""
    return BeforeValidator(lambda value: default if value is None or value == "" else value)


Importance = Annotated[int, _blank(3), Field(ge=1, le=5)]
Count = Annotated[int, _blank(0), Field(ge=0)]
Flag = Annotated[bool, _blank(default=False)]


class Note(BaseModel):
    """What every kind shares; `extra` holds the keys the kit does not know."""

    model_config = ConfigDict(frozen=True, extra="allow")
    FOLDER: ClassVar[str] = ""

    id: Text = Field(min_length=1, description="the note's identity; survives renames and moves")
    kind: str = Field(description="what the note is")
    created: Instant = Field(None, description="when it came to be")
    body: str = Field("", exclude=True, repr=False, description="the text below the front matter")


class Card(Note):
    """One remembered turn."""

    FOLDER: ClassVar[str] = "cards"

    kind: Literal["card"] = "card"
    status: Annotated[CardStatus, _blank("completed")] = Field("completed", description="only `completed` is recalled")
    layer: Annotated[Layer, _blank("episodic")] = Field("episodic", description="the tier it belongs to")
    topic: Text = Field("", description="the session or thread it belongs to")
    project: Text = Field("", description="the project it is about; empty: everywhere")
    harness: Text = Field("", description="the agent that called")
    turn: Text = Field("", description="the agent's own key of the turn")
    completed: Instant = Field(None, description="when the answer was there")
    genre: Text = Field("", description="narrative, argumentative, expository, stream or prose")
    scene: Text = Field("", description="the scene's category, as `work`")
    scene_sub: Text = Field("", description="its sub-scene, as `code-review`")
    emotion: Text = Field("", description="how the person sounded")
    state: Text = Field("", description="what state they were in")
    context: Text = Field("", description="what kind of talk it was")
    intent: Text = Field("", description="query, create, plan, execute or chat")
    route: Annotated[Route, _blank("shallow")] = Field("shallow", description="the depth the prompt needed")
    tags: Tags = Field((), description="2 to 4 words it is found by")
    people: Items = Field((), description="who it is about")
    places: Items = Field((), description="where it was")
    importance: Importance = Field(3, description="1 to 5")
    pinned: Flag = Field(default=False, description="never cleaned")
    feedback: Annotated[Feedback, _blank("")] = Field("", description="what the person thought of the answer")
    feedback_reason: Text = Field("", description="why")
    event: Link = Field("", description="the raw exchange")
    overview: Link = Field("", description="100 to 200 words on it")
    summary: Link = Field("", description="the note of its topic")
    error: Text = Field("", description="what went wrong, when it failed")
    learn: Text = Field("", description="`pending`: what it teaches is still to be taken up")
    learned: Text = Field("", description="`rules`: what rules can tell is taken up; a model is still to be asked")


class Event(Note):
    """The raw exchange of one turn, complete and verbatim."""

    FOLDER: ClassVar[str] = "events"

    kind: Literal["event"] = "event"
    card: Link = Field("", description="the card of this turn")
    topic: Text = Field("", description="the session it belongs to")
    type: Annotated[EventType, _blank("chat")] = Field("chat", description="what happened")
    status: Annotated[CardStatus, _blank("completed")] = Field("completed", description="how it ended")
    completed: Instant = Field(None, description="when it ended")
    route: Annotated[Route, _blank("shallow")] = Field("shallow", description="the depth the prompt needed")
    tags: Tags = Field((), description="the words the card is found by")
    tools: Items = Field((), description="tools the agent used")
    files: Items = Field((), description="files it touched")
    duration_ms: Count = Field(0, description="how long the answer took, in milliseconds")
    error: Text = Field("", description="what went wrong")


class Overview(Note):
    """One turn in 100 to 200 words."""

    FOLDER: ClassVar[str] = "overviews"

    kind: Literal["overview"] = "overview"
    card: Link = Field("", description="the card it belongs to")
    topic: Text = Field("", description="the session it belongs to")
    words: Count = Field(0, description="its length in words (CJK: characters)")
    confidence: Annotated[float, _blank(0.8), Field(ge=0, le=1)] = Field(0.8, description="0 to 1")


class Summary(Note):
    """One topic: what it was about and where to find it."""

    FOLDER: ClassVar[str] = "summaries"

    kind: Literal["summary"] = "summary"
    topic: Text = Field("", description="the topic")
    title: Text = Field("", description="what a person would call it")
    project: Text = Field("", description="the project it is about; empty: everywhere")
    tags: Tags = Field((), description="words it is found by")
    updated: Instant = Field(None, description="when it last changed")
    keywords: Items = Field((), description="what it is about")
    entities: Items = Field((), description="who and what is named")
    period: Text = Field("", description="the days it spans")
    turns: Count = Field(0, description="how many turns")
    pinned: Flag = Field(default=False, description="never cleaned")
    cards: Links = Field((), description="its cards")


class Fact(Note):
    """Lasting knowledge: a preference, a habit, a style, business, a plain fact."""

    FOLDER: ClassVar[str] = "facts"

    kind: Literal["fact"] = "fact"
    layer: Annotated[Layer, _blank("semantic")] = Field("semantic", description="its tier")
    category: Annotated[Category, _blank("fact")] = Field("fact", description="what sort of knowledge")
    key: Text = Field("", description="what it is about; one value a key")
    value: Text = Field("", description="what holds")
    project: Text = Field("", description="the project it holds for; empty: everywhere")
    scenes: Items = Field((), description="the scenes it holds in; empty: all")
    importance: Importance = Field(3, description="1 to 5")
    confidence: Annotated[float, _blank(0.7), Field(ge=0, le=1)] = Field(0.7, description="0.5 to 0.95")
    tags: Tags = Field((), description="words it is found by")
    people: Items = Field((), description="who it is about")
    places: Items = Field((), description="where it holds")
    hits: Count = Field(0, description="how often it was said again")
    pinned: Flag = Field(default=False, description="never cleaned")
    feedback: Annotated[Feedback, _blank("")] = Field("", description="what the person thought of it")
    feedback_reason: Text = Field("", description="why")
    sources: Links = Field((), description="the cards it was learned from")
    updated: Instant = Field(None, description="when it last changed")
    valid_from: Instant = Field(None, description="since when it holds")
    valid_until: Instant = Field(None, description="until when it held")


class Tag(Note):
    """One word of the tag pool, with what it means and how it relates to others."""

    FOLDER: ClassVar[str] = "tags"

    kind: Literal["tag"] = "tag"
    code: Text = Field("", description="its stable short name; survives renames. Empty: the id")
    name: Text = Field("", description="the word. Empty: the file's name")
    status: Annotated[TagStatus, _blank("active")] = Field("active", description="its life: see README")
    definitions: Items = Field((), description="what it means; several angles are welcome")
    dimensions: Annotated[tuple[Dimension, ...], _blank(())] = Field((), description="what it tells of")
    aliases: Items = Field((), description="other words for it that are no tags of their own")
    synonym: Links = Field((), description="tags that mean the same")
    related: Links = Field((), description="tags of the same field")
    loose: Links = Field((), description="tags that touch it")
    merged_to: Link = Field("", description="the tag that took its place")
    source: Annotated[TagSource, _blank("person")] = Field("person", description="who made it")
    updated: Instant = Field(None, description="when it last changed")


class Scene(Note):
    """A situation that colours recall: a category, or a sub-scene of one."""

    FOLDER: ClassVar[str] = "scenes"

    kind: Literal["scene"] = "scene"
    code: Text = Field("", description="its stable short name")
    name: Text = Field("", description="the word. Empty: the file's name")
    parent: Link = Field("", description="the category, for a sub-scene")
    aliases: Items = Field((), description="words that give it away")
    status: Annotated[Literal["active", "deprecated"], _blank("active")] = Field(
        "active", description="deprecated: no longer given"
    )


class Plain(Note):
    """A note of the person's own, in none of the kit's kinds: read and searched where settings allow, never written."""

    kind: Literal["note"] = "note"
    title: Text = Field("", description="its property `title`, its first heading, or the file's name")
    says: Text = Field("", description="its description, or its first paragraph")
    tags: Tags = Field((), description="tags of its properties and of its text")


KINDS: dict[str, type[Note]] = {
    "card": Card,
    "event": Event,
    "overview": Overview,
    "summary": Summary,
    "fact": Fact,
    "tag": Tag,
    "scene": Scene,
}
"""The model of each kind."""
