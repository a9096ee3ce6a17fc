"""Perception by rules: what a prompt is like and how deep its answer must go, without a model.

Law: deterministic, and explained: each thing perceived leaves one line with the word that gave it away. When in
doubt a prompt is useful; how deep it goes depends on what the answer needs, never on mood or topic.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from kit.model.perception import Perception
from kit.perceive.dates import time_ranges
from kit.perceive.spoken import ends, is_command, spoken
from kit.perceive.words import ASK, FILLERS, STOP, Found, Node, Unit, add, covered, lists, new, scan, table, units

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from kit.model.notes import Route

__all__ = ["SceneWords", "perceive", "spoken"]

_OWN_SCENE = 2
"""A person's scene word counts as much as two shipped ones."""
_TECHNICAL = re.compile(
    r"`[^`\n]+`|\b[\w-]+\.(?:py|tsx?|jsx?|go|rs|java|md|toml|ya?ml|json|sql|sh|css|html|cpp|cs|rb|php)\b"
    r"|\b\w+_\w+\b|\b[a-z]+[A-Z]\w+|\b[A-Z][a-z]+[A-Z]\w+|(?<=\s)--?[a-z][\w-]+|\b[\w.-]+/[\w.-]+/[\w./-]+"
)
_BY_ITSELF = re.compile(
    r"""\W*(?:please\s+|(?:can|could|would)\ you\s+(?:please\s+)?|now\s+)?
    (?:translate\s+(?:["“'«].+["”'»]\s+(?:in)?to\s+\w+|(?:this\b|the\ following\b|it\b)?[^\n:]*?\b(?:in)?to\s+\w+\s*:.+)
    |how\s+(?:do|would)\s+(?:you|i)\s+say\s+["“'«].+["”'»]\s+in\s+\w+|(?:what(?:'s|\s+is)\s+the\s+)?(?!our\b|my\b|the\b)\w+\s+word\s+for\s+["“']?\w+["”']?
    |(?:tell|give)\s+(?:me|us)\s+(?:a|an|another|one\s+more)\s+(?:\w+\s+)?(?:joke|riddle|pun|limerick|tongue\s+twister)\b(?!.*\b(?:my|our|us|we|last|again)\b)[^\n]*
    |(?:请|帮我|麻烦)*把?(?:(?:这|下面|以下)[^：:\n]{0,8})?(?:翻译|译)成\w{1,4}\s*[：:].+
    |["“「『].+["”」』]\s*(?:用|的|翻译成|译成)\w{1,4}(?:语|文)?(?:怎么|如何)(?:说|讲|写)
    |(?:再|请|给我|跟我)*(?:讲|说|来|出)一?个[^\n，。]{0,10}(?:笑话|段子|谜语|脑筋急转弯|绕口令)[^\n，。]{0,6})
    \W*""",
    re.IGNORECASE | re.DOTALL | re.VERBOSE,
)
"""What brings along all it needs: a text to translate, a joke to be told."""
_SHORT = 500
"""Characters up to which a prompt may be such a request: a longer one would take long to match, too."""
_TELLS = re.compile(r"\W*(?:(?:i|i'm|i've|my|we|he|she|they|it's)\b|我|今天|昨天|昨晚|他|她)", re.IGNORECASE)
"""How a person begins who tells something, rather than asks for it."""


class SceneWords(NamedTuple):
    """The words by which a scene note of the person is known: its name and aliases."""

    scene: str
    scene_sub: str
    words: tuple[str, ...]


class _Heard(NamedTuple):
    """A prompt taken apart."""

    said: str
    split: list[Unit]
    found: list[Found]
    pasted: bool
    past: str
    """the words that point to a shared past, or nothing"""
    dated: str
    """the words of the first date that is over"""

    def named(self, group: str, name: str = "") -> list[Found]:
        if not self.found:
            return []
        return [one for one in self.found if one.group == group and (not name or one.name == name)]


@lru_cache(maxsize=8)
def _scene_table(scenes: tuple[SceneWords, ...]) -> Node:
    made = new()
    for scene in scenes:
        name = f"{scene.scene}/{scene.scene_sub}" if scene.scene_sub else scene.scene
        # choices and gaps are for the shipped lists: a person's name is meant literally
        plain = [re.sub(r"[()|…^]", " ", word) for word in scene.words]
        add(made, "own-scene", name, plain)
    return made


def _hear(text: str, now: datetime, scenes: Sequence[SceneWords]) -> _Heard:
    said = spoken(text)
    pasted = len("".join(said.split())) < len("".join(text.split()))
    said = ends(said)
    split = units(said)
    tables = [table(), _scene_table(tuple(scenes))] if scenes else [table()]
    found = scan(said, split, tables)
    dated = next((one.words for one in time_ranges(said, now) if one.end <= now), "")
    past = next((one.words for one in found if one.group == "past"), dated)
    return _Heard(said, split, found, pasted, past, dated)


def _useful(text: str, heard: _Heard) -> tuple[bool, str]:
    """Say whether memory can help, and why; an empty why means that nothing speaks against it."""
    useless = ""
    if not heard.said.strip():
        useless = "nothing but a paste" if text.strip() else "an empty prompt"
    elif is_command(text):
        useless = f'a bare command: "{text.strip()[:60]}"'
    elif not any(any(char.isalpha() for char in unit.key) for unit in heard.split):
        useless = "nothing but numbers, marks or addresses"
    elif covered(heard.split, table(fillers=True), {"filler"}):
        useless = f'only small talk or a go-ahead: "{heard.said[:60]}"'
    elif len(text) <= _SHORT and _BY_ITSELF.fullmatch(text):
        useless = f'a request that needs nothing else: "{text.strip()[:60]}"'
    elif heard.past:
        return True, f'a shared past or a preference: "{heard.past}"'
    elif heard.pasted and covered(heard.split, table(fillers=True), FILLERS):
        useless = f'a paste and only "{heard.said[:60]}"'
    return not useless, useless


def _route(heard: _Heard) -> tuple[Route, str]:
    def first(name: str) -> str:
        return next((one.words for one in heard.named("route", name)), "")

    if word := first("deep"):
        return "deep", f'the full original is needed: "{word}"'
    if heard.past and (word := first("deep_of_past")):
        return "deep", f'the full original is needed: "{word}" with "{heard.past}"'
    if word := first("medium"):
        return "medium", f'an overview is needed: "{word}"'
    if heard.past and (word := first("medium_of_past")):
        return "medium", f'an overview is needed: "{word}" with "{heard.past}"'
    return "shallow", ""


def _scene(heard: _Heard) -> tuple[str, str, str]:
    """Weigh the scene words; a longer word inside which another lies takes its place."""
    hits = sorted(heard.named("scene") + heard.named("own-scene"), key=lambda one: (one.at, -one.until))
    weights: dict[str, float] = {}
    subs: dict[tuple[str, str], float] = {}
    words: dict[str, list[str]] = {}
    end = 0
    for one in hits:
        own = one.group == "own-scene"
        if one.until <= end and not own:
            continue
        end = max(end, one.until)
        scene, _, sub = one.name.partition("/")
        # longer phrases say more, and the first word said weighs a little more than the last
        weight = (_OWN_SCENE if own else 1) * (1 + 0.1 * (one.until - one.at)) - one.at / 10_000
        weights[scene] = weights.get(scene, 0) + weight
        subs[scene, sub] = subs.get((scene, sub), 0) + (weight if sub else 0)
        words.setdefault(scene, []).append(one.words)
    if not weights:
        sign = _TECHNICAL.search(heard.said)
        shown = f'"{sign.group()}"' if sign else "what was pasted" if heard.pasted else ""
        return ("work", "coding", f"scene work/coding: {shown}") if shown else ("", "", "")
    scene = max(weights, key=lambda name: weights[name])
    sub = max((pair for pair in subs if pair[0] == scene), key=lambda pair: subs[pair])[1]
    shown = ", ".join(f'"{word}"' for word in dict.fromkeys(words[scene]))
    return scene, sub, f"scene {scene}{'/' if sub else ''}{sub}: {shown}"


def _intent(heard: _Heard, useful: bool) -> tuple[str, str]:
    if not useful:
        return ("execute" if heard.pasted or is_command(heard.said) else "chat"), ""
    asked = heard.named("intent", "asked")
    hits = sorted((one for one in heard.named("intent") if one.name != "asked"), key=lambda one: (one.at, -one.until))
    if not hits:
        if asked:
            return "execute", f'intent execute: "{asked[0].words}"'
        if any(unit.key == ASK for unit in heard.split):
            return "query", 'intent query: "?"'
        chat = bool(heard.named("context", "feelings") or heard.named("emotion") or _TELLS.match(heard.said))
        return ("chat" if chat else "execute"), ""
    chosen = hits[0]
    if heard.split[-1].key == ASK:
        stops = [at for at, unit in enumerate(heard.split[:-1]) if unit.key in (STOP, ASK)]
        last = [one for one in hits if one.at >= stops[-1]]
        chosen = last[0] if last and last[0].name == "query" else chosen
        if heard.past:  # what was written or fixed is only named by the question about it
            chosen = next((one for one in last if one.name == "query"), chosen)
    return chosen.name, f'intent {chosen.name}: "{chosen.words}"'


def _strongest(heard: _Heard, group: str) -> tuple[str, str]:
    """Take the name of a group with most words; the earlier one when they are even."""
    hits = heard.named(group)
    if not hits:
        return "", ""
    counts: dict[str, int] = {}
    for one in hits:
        counts[one.name] = counts.get(one.name, 0) + 1
    name = max(counts, key=lambda key: counts[key])
    word = next(one.words for one in hits if one.name == name)
    return name, f'{group} {name}: "{word}"'


def _genre(heard: _Heard, intent: str, emotion: str) -> tuple[str, str]:
    name, reason = _strongest(heard, "genre")
    if name and (len(heard.named("genre", name)) > 1 or intent == "chat"):
        return name, reason
    if intent != "chat":
        return "expository", ""
    return ("prose", "") if emotion not in ("", "neutral") else ("", "")


def _time(heard: _Heard) -> tuple[str, str]:
    for name in lists()["time"]:
        if hits := heard.named("time", name):
            return name, f'time {name}: "{hits[0].words}"'
    return ("last-time", f'time last-time: "{heard.dated}"') if heard.dated else ("", "")


def perceive(text: str, *, now: datetime, scenes: Sequence[SceneWords] = ()) -> Perception:
    """Judge a prompt by its words; `scenes` are the person's own, beside the shipped ones."""
    heard = _hear(text, now, scenes)
    useful, why_useful = _useful(text, heard)
    route, why_route = _route(heard) if useful else ("shallow", "")
    scene, scene_sub, why_scene = _scene(heard)
    intent, why_intent = _intent(heard, useful)
    emotion, why_emotion = _strongest(heard, "emotion")
    state, why_state = _strongest(heard, "state")
    context, why_context = _strongest(heard, "context")
    genre, why_genre = _genre(heard, intent, emotion)
    time, why_time = _time(heard)
    if not context:
        context = "small-talk" if not useful and intent == "chat" else "work" if scene == "work" else ""
    remarks = {
        f"{'useful' if useful else 'no memory needed'}: {why_useful}": why_useful,
        f"route {route}: {why_route}": why_route,
    }
    lines = [line for line, why in remarks.items() if why]
    lines += [why_scene, why_intent, why_emotion, why_state, why_context, why_genre, why_time]
    return Perception(
        genre=genre,
        time=time,
        scene=scene,
        scene_sub=scene_sub,
        emotion=emotion or "neutral",
        state=state or "normal",
        context=context,
        intent=intent,
        route=route,
        useful=useful,
        reasons=tuple(line for line in lines if line),
    )
