"""What an import would write into a vault as it is now: each piece is new, known already, or told why not.

Law: reads only. A piece that was imported once is never written again, also when the person has changed, moved,
archived or deleted what it became.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from kit import text
from kit.errors import KitError, NotFoundError
from kit.govern import intake
from kit.govern.intake import Draft
from kit.model.notes import Card
from kit.transfer import pieces
from kit.transfer.compose import Composer
from kit.transfer.memory_file import is_only_secret
from kit.transfer.pieces import Saying, Setting, Topic, Turn, Verbatim, Word, made_id, mark
from kit.transfer.planned import KNOWN, Planned
from kit.transfer.vocabulary import Vocabulary
from kit.vault import exchange, layout, note, paths
from kit.vault.store import etag

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    from kit.govern.hand import Hand
    from kit.model.notes import Note
    from kit.model.perception import Perception
    from kit.transfer.pieces import Piece


_TRIES = 3
"""Ids of a piece that are tried to find the note it became."""


class Planner:
    """Plans pieces one by one; it remembers the ids that it has given out."""

    def __init__(self, hand: Hand, perceive: Callable[[str], Perception], seen: set[str]) -> None:
        self._hand, self._seen = hand, seen
        self._composer = Composer(hand, perceive, self.path_of)
        self._given: dict[str, str] = {}
        """ids given out here, each with its origin"""
        self._paths: dict[str, str] = {}
        """notes planned here, by origin"""
        self._at: dict[str, datetime] = {}
        """times of the turns that an earlier import brought"""
        self._facts: set[str] | None = None
        self._said: dict[str, set[str]] = {}
        self._turned: set[str] = set()
        self._vocabulary = Vocabulary(hand, self._composer, self._id, seen, self._turned)

    def plan(self, piece: Piece) -> Planned:
        """Say what becomes of a piece."""
        if isinstance(piece, Verbatim):
            return self._verbatim(piece)
        if mark(piece.origin) in self._seen:
            if isinstance(piece, Turn):
                self._at[piece.origin] = piece.at
            return Planned(piece, why=KNOWN)
        if isinstance(piece, Word):
            return self._vocabulary.words([piece])[0]
        if isinstance(piece, Setting):
            return self._vocabulary.setting(piece)
        if why := self._why_not(piece):
            return Planned(piece, why=why)
        drafts = self._drafts(piece, self._id(piece.origin, piece.at))
        due = [draft for draft in drafts if not self._is_there(draft)]
        self._paths[piece.origin] = drafts[-1].path
        return Planned(piece, tuple(due), "" if due else KNOWN)

    def _why_not(self, piece: Turn | Saying | Topic) -> str:
        """Say why nothing is written: the vault has it from elsewhere, or nothing of it may be kept."""
        if piece.origin in self._paths:  # a session that was taken up again tells its beginning twice
            return KNOWN
        if isinstance(piece, Saying) and is_only_secret(self._hand.cleaned(piece.says)[0]):
            return "All it says is a secret, and secrets are not kept."
        known = self._is_said(piece) if isinstance(piece, Saying) else isinstance(piece, Turn) and self._is_told(piece)
        return KNOWN if known else ""

    def _drafts(self, piece: Turn | Saying | Topic, note_id: str) -> list[Draft]:
        if isinstance(piece, Turn):
            return self._composer.turn(piece, note_id)
        if isinstance(piece, Saying):
            return self._composer.fact(piece, note_id)
        return self._composer.topic(piece, note_id)

    def plan_words(self, words: Sequence[Word]) -> list[Planned]:
        """Plan the tags of a pool together, so that they can be related to each other."""
        return self._vocabulary.words(words)

    def redacted(self) -> tuple[str, ...]:
        """Name the kinds of secrets that were taken out since this was asked last."""
        kinds = tuple(sorted(self._composer.redacted))
        self._composer.redacted.clear()
        return kinds

    def path_of(self, origin: str) -> str | None:
        """Find the note an origin became, here or in an earlier import."""
        if origin in self._at:
            for number in range(_TRIES):
                for entry in self._hand.index.catalog.with_id(made_id(origin, self._at[origin], number)):
                    if getattr(self._load(entry.path), "origin", "") == origin:
                        return entry.path
        return self._paths.get(origin)

    # -- what is there already

    def _id(self, origin: str, at: datetime) -> str:
        """Give a piece its id: the first of its own that no other note has."""
        for number in range(1000):
            note_id = made_id(origin, at, number)
            owner = self._given.get(note_id)
            if owner == origin or (owner is None and self._is_free(note_id, origin)):
                self._given[note_id] = origin
                return note_id
        raise NotFoundError(f"No id is free for {origin}.", "Import it apart from the others.")

    def _is_free(self, note_id: str, origin: str) -> bool:
        for entry in self._hand.index.catalog.with_id(note_id):
            with suppress(KitError):
                return getattr(self._hand.load(entry.path), "origin", "") == origin
        return True

    def _is_there(self, draft: Draft) -> bool:
        if self._hand.index.catalog.with_id(draft.id):
            return True
        root = self._hand.store.root
        places = [draft.path] if draft.path.startswith(layout.ARCHIVE) else []
        return any(
            f"id: {draft.id}\n".encode() in (root / place).read_bytes() for place in places if (root / place).is_file()
        )

    def _is_said(self, saying: Saying) -> bool:
        """Tell whether the vault says the same: by its key, or word for word."""
        if self._facts is None:
            rows = self._hand.index.features.rows().values()
            self._facts = {f"{row.project}/{row.shown}" for row in rows if row.kind == "fact"}
        project = text.key(str(saying.keys.get("project") or ""))
        says = f"{project}/{text.fold(' '.join(self._hand.cleaned(saying.says)[0].split())[:400])}"
        key = text.key(str(saying.keys.get("key") or ""))
        if says in self._facts and not self._is_own(saying):
            return True
        keyed = self._hand.index.postings.cards(f"key:{key}") if key else ()
        rows_ = self._hand.index.features.rows()
        if not self._is_own(saying) and any(rows_[num].project == project for num in keyed if num in rows_):
            return True
        self._facts.add(says)
        return False

    def _is_own(self, saying: Saying) -> bool:
        """Tell whether the note of this very piece is there, from an import that was cut short."""
        return any(
            getattr(self._load(entry.path), "origin", "") == saying.origin
            for entry in self._hand.index.catalog.with_id(made_id(saying.origin, saying.at))
        )

    def _is_told(self, turn: Turn) -> bool:
        """Tell whether a hook had kept this turn when it happened: the same words, or key, in the same session."""
        topic, key = str(turn.keys.get("topic") or ""), turn.keys.get("turn")
        if not topic or not turn.hooked:
            return False
        if topic not in self._said:
            self._said[topic] = self._turns_of(topic)
        known = self._said[topic]
        return f"key {key}" in known if key else f"said {turn.user.strip()}" in known

    def _turns_of(self, topic: str) -> set[str]:
        found: set[str] = set()
        for num in self._hand.index.postings.cards(f"topic:{text.key(topic)}"):
            entry = self._hand.index.catalog.numbered(num)
            card = self._load(entry.path) if entry else None
            if isinstance(card, Card) and not getattr(card, "origin", ""):
                event = self._hand.linked(card.event)
                body = self._load(event.path) if event else None
                found.add(f"key {card.turn}" if card.turn else "")
                found.add(f"said {exchange.read(body.body).user.strip()}" if body else "")
        return found - {""}

    def _load(self, path: str) -> Note | None:
        with suppress(KitError):
            return self._hand.load(path)
        return None

    # -- notes as they are

    def _verbatim(self, piece: Verbatim) -> Planned:
        """Plan a note as it is: by its id where it has one, else by its path."""
        try:
            paths.check_theirs(piece.path)
        except KitError as error:
            return Planned(piece, why=error.what)
        root, tag = self._hand.store.root, etag(piece.raw)
        file = paths.locate(root, piece.path)
        owners = self._hand.index.catalog.with_id(piece.id) if piece.id and layout.is_note(piece.path) else []
        owners = [entry for entry in owners if entry.path not in self._turned]  # a vault may hold an id twice
        self._turned.add(piece.path)
        there = file.relative_to(root).as_posix() if file.is_file() else owners[0].path if owners else ""
        raw = (root / there).read_bytes() if there else b""
        fresh, why = self._as_it_is(piece), ""
        if there and intake.is_seed(there, raw) and etag(raw) != tag:
            fresh = fresh._replace(path=there, replaces=etag(raw))
        elif there and etag(raw) == tag:
            why = KNOWN
        elif piece.path.endswith(".jsonl") and there:
            why = "Your own journal of this month is kept; the other one was not taken."
        elif there and (owners or not piece.id):
            why = f"Your {there} differs and is kept."
        return Planned(piece, why=why) if why else Planned(piece, (fresh,))

    def _as_it_is(self, piece: Verbatim) -> Draft:
        return Draft(piece.path, piece.raw, piece.id, piece.kind, piece.mtime_ns, theirs=True)


def sort_of(planned: Planned) -> list[str]:
    """Name the kinds of notes a plan makes, as `tag` or `card`; a plain note has none."""
    return [draft.kind or "plain note" for draft in planned.drafts if not draft.path.endswith(".jsonl")]


def says(planned: Planned) -> str:
    """Say in a line what a planned piece holds."""
    main = planned.drafts[-1]
    body = note.split(main.raw).body.decode(errors="replace")
    return note.first_paragraph(body) or getattr(planned.piece, "name", "") or pieces.KINDS[type(planned.piece)]
