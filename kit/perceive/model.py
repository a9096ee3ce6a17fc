"""Perception with a model's help: what rules perceived, and what a model said, joined into one view.

Law: pure. A model adds to the rules and overrules them only with what is known: a scene that is no scene of the
vault counts for nothing. Each thing it decided leaves a line.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kit import text

if TYPE_CHECKING:
    from collections.abc import Collection

    from kit.llm.intent import Intent
    from kit.model.perception import Perception

_PLAIN = ("genre", "time", "emotion", "state", "context", "intent", "route")


def joined(found: Perception, said: Intent | None, scenes: Collection[str] = ()) -> Perception:
    """Join both views; `scenes` are those the vault has, as `work` and `work/debugging`."""
    if said is None:
        return found
    better = {name: value for name in _PLAIN if (value := getattr(said, name)) and value != getattr(found, name)}
    if said.useful is not None and said.useful != found.useful:
        better["useful"] = said.useful
    known = {text.key(scene) for scene in scenes}
    if text.key(said.scene) in known:
        sub = said.scene_sub if text.key(f"{said.scene}/{said.scene_sub}") in known else ""
        better |= {"scene": said.scene, "scene_sub": sub}
    lines = tuple(f"{name} {value}: a model said so" for name, value in better.items() if value != "")
    kept = tuple(line for line in found.reasons if line.split(" ")[0].rstrip(":") not in better)
    return found._replace(**better, reasons=(*kept, *lines))
