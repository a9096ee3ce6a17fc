"""A text, understood before anything is recalled for it: what it is like, which tags and times it means.

Law: reads only; an unknown word never becomes a tag. What a model made of the text a moment ago is used; nobody is
asked here.
"""

from __future__ import annotations

import re
from datetime import timedelta
from typing import TYPE_CHECKING

from kit.perceive import answers, dates, model, rules, spoken
from kit.recall import match, score

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from kit.index.held import HeldScene
    from kit.index.reflection import Index
    from kit.llm.mind import Mind
    from kit.model.perception import Perception

EARLIER = timedelta(days=8)
_END = re.compile(r"[,.;!?，。；！？]")


class Inquiry:
    """Understands texts by the scenes and tags of one vault."""

    def __init__(self, index: Index, mind: Mind) -> None:
        self._index, self._mind = index, mind
        self._scenes: tuple[tuple[HeldScene, ...], tuple[rules.SceneWords, ...]] = ((), ())
        """the scene notes that were met last, and their words"""

    def perceive(self, prompt: str, now: datetime) -> Perception:
        """Say what a prompt is like."""
        scenes = self._scene_words()
        found = rules.perceive(prompt, now=now, scenes=scenes)
        said = self._mind.heard(prompt)
        names = (f"{one.scene}/{one.scene_sub}".rstrip("/") for one in scenes) if said else ()
        return model.joined(found, said, tuple(names))

    def _scene_words(self) -> tuple[rules.SceneWords, ...]:
        held = tuple(self._index.pool.scenes())
        if held != self._scenes[0]:
            words = (
                rules.SceneWords(*_scene(one.path), (one.scene.name, *one.scene.aliases))
                for one in held
                if one.scene.status == "active"
            )
            self._scenes = held, tuple(words)
        return self._scenes[1]

    def clues(self, prompt: str) -> tuple[str, ...] | None:
        """Take the known tags among those a model thinks helpful memories have; None where it said nothing."""
        said = self._mind.heard(prompt)
        if said is None:
            return None
        tries = ((clue.name, *clue.synonyms) for clue in said.tags)
        known = (next((word for word in words if match.is_known(self._index, word)), "") for words in tries)
        return tuple(word for word in dict.fromkeys(known) if word)

    def lacking(self, said: str, tags: Sequence[str]) -> tuple[str, ...]:
        """Name the tags a text speaks of that lack a definition or a dimension."""
        found = match.match(self._index, spoken.spoken(said), tags).malformed
        return tuple(held.tag.name for path in found if (held := self._index.pool.at_path(path)))


def times(query: str, now: datetime) -> tuple[match.Span, ...]:
    """Gather the times a question looks back to; today is where one is, not what one asks for."""
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    said = spoken.ends(spoken.spoken(query))
    spans = dates.time_ranges(said, now)
    return tuple(match.Span(*span, _is_meant(said, span, now)) for span in spans if span.start < midnight)


def _is_meant(said: str, span: dates.TimeRange, now: datetime) -> bool:
    """Tell whether a time narrows what is asked: it is named by the calendar, or a question is put about it.

    What the calendar names is the same a week before; who tells what happened yesterday asks for what is older.
    """
    if any(one[:2] == span[:2] for one in dates.time_ranges(span.words, now - EARLIER)):
        return True
    end = _END.search(said.rpartition("\n")[2].partition(span.words)[2])
    return span.end - span.start <= EARLIER and end is not None and end.group() in "?？"


def sought(query: str) -> score.Sought | None:
    """Give the sort of answer a question asks for, where it is one that shows in a text."""
    sort = answers.asked(spoken.ends(spoken.spoken(query)))
    return score.Sought(*sort) if sort else None


def _scene(path: str) -> tuple[str, str]:
    """Read category and sub-scene off a scene note's place."""
    parts = path.removeprefix("scenes/").removesuffix(".md").split("/")
    return parts[0], parts[1] if len(parts) > 1 else ""
