"""Questions to a made-up vault, by kind, each drawn from one seed.

Law: a kind's questions depend on the vault's world and its document frequencies alone.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tests.bench.synthetic import Tag, World

SAME = 200
"""Cards that a question of the kind `same count` matches, whatever the size of the vault."""


class Questions:
    """Draws questions about one world."""

    def __init__(self, world: World, frequencies: Mapping[str, int], seed: int = 11) -> None:
        self._world = world
        self._draw = random.Random(seed)  # noqa: S311 - made-up text, no secret
        self._df = {tag.name: frequencies.get(f"tag:{tag.name.replace('-', ' ')}", 0) for tag in world.tags}
        self._used = [tag for tag in world.tags if self._df[tag.name]]
        self._chinese = [tag for tag in self._used if not tag.name.isascii()]
        self._english = [tag for tag in self._used if tag.name.isascii()]
        self._related = [tag for tag in self._used if tag.synonym or tag.related]
        # what nothing leads to or from matches exactly the cards that bear it
        led_to = {name for tag in world.tags for name in (*tag.synonym, *tag.related)}
        self._alone = [tag for tag in self._used if tag not in self._related and tag.name not in led_to]
        self._alone.sort(key=lambda tag: abs(self._df[tag.name] - SAME / 4))

    def kinds(self) -> dict[str, Callable[[], str]]:
        """Name every kind with what draws one question of it."""
        return {
            "tags, 6 words, en": lambda: self._woven(self._english, 6, "en"),
            "tags, 6 words, zh": lambda: self._woven(self._chinese, 6, "zh"),
            "tags, 30 words": lambda: self._woven(self._used, 30, "mixed"),
            "tags, 300 words": lambda: self._woven(self._used, 300, "mixed"),
            "relations": lambda: self._woven(self._related, 5, "en"),
            "person": lambda: f"what did {self._draw.choice(self._world.people)} want?",
            "project": lambda: f"where are we with {self._world.projects[self._draw.randrange(4)]}?",
            "same count": self._same_count,
        }

    def _woven(self, tags: list[Tag], words: int, language: str) -> str:
        """Weave one or two tag names into running text."""
        chosen = self._draw.sample(tags, min(2, len(tags)))
        running = self._world.words(max(1, words - 2), language)
        half = len(running) // 2
        cut = running.find(" ", half) if language == "en" else half
        return f"{chosen[0].name} {running[:cut]} {chosen[-1].name} {running[cut:]}"

    def _same_count(self) -> str:
        """Name four tags that stand alone and are borne by about a quarter of `SAME` cards each."""
        near = self._alone[: max(8, len(self._alone) // 20)]
        return ", ".join(tag.name for tag in self._draw.sample(near, 4))
