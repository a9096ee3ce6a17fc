"""From a piece to the notes it becomes: paths, front matter and bodies, with secrets taken out.

Law: the same piece gives the same notes with the same ids, whatever was imported before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kit import text
from kit.digest import statements, summary
from kit.govern import said
from kit.govern import tags as pool_acts
from kit.govern.hand import title
from kit.govern.intake import Draft
from kit.govern.relations import LEVELS
from kit.model.fields import link
from kit.vault import exchange, layout, note
from kit.vault.body import put_summary

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from kit.govern.hand import Hand
    from kit.model.perception import Perception
    from kit.transfer.pieces import Saying, Setting, Topic, Turn, Word
    from kit.vault.note import Value

LONGEST = 40_000
"""Characters of each side of an exchange that the rules look at."""
_PERCEIVED = ("genre", "scene", "scene_sub", "emotion", "state", "context", "intent", "route")
_SHORT_LAYERS = ("transient", "episodic")

Front = dict[str, "Value | None"]


class Composer:
    """Writes pieces as notes; `perceive` says what a prompt is like, `path_of` where an origin's note lies."""

    def __init__(self, hand: Hand, perceive: Callable[[str], Perception], path_of: Callable[[str], str | None]) -> None:
        self._hand, self._perceive, self._path_of = hand, perceive, path_of
        self.redacted: set[str] = set()
        """kinds of secrets that were taken out"""

    def turn(self, turn: Turn, card_id: str) -> list[Draft]:
        """Write a card, its event where something was said, its overview where there is one: the card last."""
        user, agent = (said.fit(self._cleaned(side)) for side in (turn.user, turn.agent))
        sentence = self._clean(turn.says) or _sentence(user, agent)
        overview = self._clean(turn.overview) or ("" if turn.says else summary.overview(_part(user), _part(agent)))
        keys, topic = dict(turn.keys), turn.keys.get("topic")
        status = str(keys.get("status") or "completed")
        lasting = bool(turn.says) or summary.lasting(_part(user), _part(agent))
        words = user or sentence
        card_path = _named_card(card_id, turn, words)
        event_path = layout.event_path(card_id, turn.at) if user or agent else ""
        over_path = layout.overview_path(card_id, turn.at) if overview and lasting else ""
        front: Front = {
            "id": card_id, "kind": "card", "created": turn.at, "status": status,
            "layer": keys.pop("layer", None) or _SHORT_LAYERS[lasting], "completed": turn.ended,
            **dict.fromkeys(("topic", "project", "harness", "turn")),
            **self._perceived(user, keys), "tags": self._tags(turn, user, agent, lasting=lasting), "importance": 3,
            **{key: value for key, value in keys.items() if key not in ("tags", "status") and value is not None},
            "event": link(event_path) if event_path else None,
            "overview": link(over_path) if over_path else None, "origin": turn.origin,
        }  # fmt: skip
        drafts = []
        if event_path:
            body = exchange.render(user, agent)
            drafts.append(self._draft(event_path, self._event(turn, card_id, card_path, status, front), body, turn))
        if over_path:
            size = len(overview.split()) if text.language(overview) == "en" else len(overview)
            told: Front = {
                "id": f"{card_id}-o", "kind": "overview", "card": link(card_path), "topic": topic,
                "created": turn.ended or turn.at, "words": size, "confidence": 0.8, "origin": turn.origin,
            }  # fmt: skip
            drafts.append(self._draft(over_path, told, overview + "\n", turn))
        drafts.append(self._draft(card_path, front, self._body(turn, sentence), turn))
        return drafts

    def _event(self, turn: Turn, card_id: str, card_path: str, status: str, card: Front) -> Front:
        took = round((turn.ended - turn.at).total_seconds() * 1000) if turn.ended else 0
        return {
            "id": f"{card_id}-e", "kind": "event", "card": link(card_path), "topic": card.get("topic"), "type": "chat",
            "status": status, "created": turn.at, "completed": turn.ended, "route": card.get("route"),
            "tags": card.get("tags") or None, **turn.event, "duration_ms": max(0, took) or None,
            "error": card.get("error"), "origin": turn.origin,
        }  # fmt: skip

    def _perceived(self, user: str, keys: Mapping[str, Value | None]) -> Front:
        """Perceive a prompt as at its own time, for what the source does not say; a scene goes with its sub-scene."""
        if not user or keys.get("genre"):
            return dict.fromkeys(_PERCEIVED)
        found = self._perceive(user)
        told: Front = {key: getattr(found, key) or None for key in _PERCEIVED}
        if keys.get("scene"):
            told |= {"scene": None, "scene_sub": None}
        return told

    def _tags(self, turn: Turn, user: str, agent: str, *, lasting: bool) -> tuple[str, ...] | None:
        given = turn.keys.get("tags")
        found = self._words(given if isinstance(given, (list, tuple)) else ())
        if not found and lasting and (user or agent or not turn.own_tags):
            found = tuple(pool_acts.suggest(self._hand, _part(user or turn.body or turn.says), _part(agent)))
        return found or None

    def _words(self, given: list[str] | tuple[str, ...]) -> tuple[str, ...]:
        """Write words as tags; those a person chose are not judged, but one that holds a secret is left out."""
        words: dict[str, str] = {}
        for word in self._hand.cleaned_words(given):
            fresh = text.tag_word(word)
            if text.key(fresh):
                words.setdefault(text.key(fresh), fresh)
        return tuple(words.values())

    def _body(self, turn: Turn, sentence: str) -> str:
        body = self._cleaned(turn.body)
        if body and note.first_paragraph(body).startswith(sentence.rstrip("…")):
            return body
        return put_summary(b"", sentence, b"\n").decode() + (f"\n{body}\n" if body else "")

    def fact(self, saying: Saying, fact_id: str) -> list[Draft]:
        """Write a fact, with what it said before."""
        says = self._clean(saying.says)
        keys = dict(saying.keys)
        read = next(iter(statements.statements(f"remember: {says}", "")), None) if not keys.get("key") else None
        given = keys.pop("tags", None)
        tags = self._words(given if isinstance(given, (list, tuple)) else ())
        sources = [link(path) for origin in saying.sources if (path := self._path_of(origin))]
        front: Front = {
            "id": fact_id, "kind": "fact", "layer": "semantic",
            "category": keys.pop("category", None) or (read.category if read else None) or "fact",
            "key": keys.pop("key", None) or (read.key if read else None) or None,
            "value": keys.pop("value", None) or (read.value if read else None) or None,
            "project": keys.pop("project", None),
            "scenes": keys.pop("scenes", None) or (read.scenes if read else None) or None,
            "importance": keys.pop("importance", None) or 3, "confidence": keys.pop("confidence", None) or 0.7,
            "tags": tags or tuple(pool_acts.suggest(self._hand, f"{saying.about}. {says}", "")) or None,
            "hits": keys.pop("hits", None) or 0, "sources": sources or None, "created": saying.at,
            "updated": keys.pop("updated", None) or saying.at, **keys, "origin": saying.origin,
        }  # fmt: skip
        body = says + "\n"
        if saying.earlier:
            body += "\n## Earlier\n\n" + "".join(f"- {self._clean(line)}\n" for line in saying.earlier)
        return [self._draft(layout.named_path("facts", title(says)), front, body)]

    def word(self, word: Word, tag_id: str, code: str, links: Mapping[str, list[str]], merged: str) -> list[Draft]:
        """Write a tag; `links` lead to tags that are there or come with it."""
        front: Front = {
            "id": tag_id, "kind": "tag", "created": word.at, "code": code, "name": word.name,
            "status": word.status if merged or word.status != "merged" else "deprecated",
            "definitions": word.definitions or None, "dimensions": word.dimensions or None,
            "aliases": word.aliases or None, **{level: links.get(level) or None for level in LEVELS},
            "merged_to": merged or None, "source": word.source, "updated": word.updated, "origin": word.origin,
        }  # fmt: skip
        return [self._draft(tag_path(word.name), front, "")]

    def scene(self, setting: Setting, scene_id: str) -> list[Draft]:
        """Write a scene."""
        name = setting.sub or setting.main
        parent = layout.named_path("scenes", setting.main) if setting.sub else ""
        front: Front = {
            "id": scene_id, "kind": "scene", "created": setting.at,
            "code": text.slug(f"{setting.main}/{setting.sub}" if setting.sub else setting.main) or name, "name": name,
            "parent": link(parent) if parent else None, "aliases": setting.aliases or None,
            "status": setting.status, "origin": setting.origin,
        }  # fmt: skip
        return [self._draft(layout.named_path("scenes", name, setting.main if setting.sub else ""), front, "")]

    def topic(self, topic: Topic, note_id: str) -> list[Draft]:
        """Write a summary note."""
        cards = [link(path) for origin in topic.cards if (path := self._path_of(origin))]
        front: Front = {
            "id": note_id, "kind": "summary", "topic": None, "title": topic.title, "created": topic.at,
            **topic.keys, "cards": cards or None, "origin": topic.origin,
        }  # fmt: skip
        return [self._draft(layout.named_path("summaries", title(topic.title)), front, self._clean(topic.says) + "\n")]

    def _draft(self, path: str, front: Front, body: str, turn: Turn | None = None) -> Draft:
        place = layout.archived_path(path) if turn and turn.archived else path
        raw = note.render(self._hand.cleaned_front(front), body)
        return Draft(place, raw, str(front["id"]), str(front["kind"]))

    def _clean(self, words: str) -> str:
        return self._cleaned(words).strip()

    def _cleaned(self, words: str) -> str:
        cleaned, kinds = self._hand.cleaned(words)
        self.redacted.update(kinds)
        return cleaned


def tag_path(name: str) -> str:
    """Place the note of a tag."""
    return layout.named_path("tags", name)


def _named_card(card_id: str, turn: Turn, words: str) -> str:
    """Place a card; one that people link to by its name keeps that."""
    name = text.file_name(turn.name) if turn.name else ""
    return f"cards/{turn.at:%Y-%m}/{name}.md" if name else layout.card_path(card_id, turn.at, words)


def _part(side: str) -> str:
    half = LONGEST // 2
    return side if len(side) <= LONGEST else f"{side[:half]}\n\n{side[-half:]}"


def _sentence(user: str, agent: str) -> str:
    return summary.summarise(_part(user), _part(agent)) or text.first_sentence(user)
