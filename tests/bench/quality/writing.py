"""Memories into a vault, by the product's own doors: frame and complete for a turn, remember for a fact.

Law: nothing is written that a person or an agent could not have written; aliases and ends of validity, which
no command sets, are typed into the notes as a person would.
"""

from __future__ import annotations

from collections import Counter
from time import perf_counter
from typing import TYPE_CHECKING, NamedTuple

from kit import reconcile, text
from kit.digest import keyphrases
from kit.vault import note

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kit.app import Kit
    from kit.vault.note import Value
    from tests.bench.quality.form import Memory


class Written(NamedTuple):
    """What became of the memories."""

    notes: dict[str, frozenset[str]]
    """the memories, and the evidence they cover, that each note holds"""
    remarks: dict[str, int]
    """notes made, transient, facts joined, facts replaced, tags refused, and so on"""
    seconds: float


def write(kit: Kit, memories: Sequence[Memory]) -> Written:
    """Write all memories in the order of their times, then bring full text in step."""
    started = perf_counter()
    remarks: Counter[str] = Counter()
    notes: dict[str, frozenset[str]] = {}
    made: dict[str, str] = {}
    chains = _chains(memories)
    shared = _shared(memories)
    with kit.store.batch():
        for memory in sorted(memories, key=lambda one: one.time):
            tags = _tags(memory, shared)
            holds = frozenset((memory.id, *memory.covers))
            if memory.kind == "turn":
                note_id = _turn(kit, memory, tags, remarks)
                notes[note_id] = holds
            else:
                note_id, did = _fact(kit, memory, tags, chains.get(memory.id, ""), remarks)
                notes[note_id] = notes.get(note_id, frozenset()) | holds if did == "confirmed" else holds
            made[memory.id] = note_id
    for memory in memories:
        _by_hand(kit, memory, made, shared, remarks)
    read_words(kit)
    remarks["notes"] = len(notes)
    remarks["transient"] = sum(1 for row in kit.index.features.rows().values() if row.layer == "transient")
    return Written(notes, dict(remarks), perf_counter() - started)


def read_words(kit: Kit) -> None:
    """Take every card into the full text, as the daemon does when it has time."""
    if kit.witness.open():
        before = -1
        while kit.witness.behind not in (0, before):
            before = kit.witness.behind
            kit.witness.take()
        kit.witness.flush()


def _turn(kit: Kit, memory: Memory, tags: Sequence[str], remarks: Counter[str]) -> str:
    framed = kit.frame(
        memory.says, tags=tags, topic=memory.topic, project=memory.project,
        people=[memory.speaker] if memory.speaker else (), now=memory.time,
    )  # fmt: skip
    remarks["tags refused"] += len(framed.refused)
    kit.complete(framed.id, memory.agent if memory.user else "", now=memory.time)
    return framed.id


def _fact(kit: Kit, memory: Memory, tags: Sequence[str], key: str, remarks: Counter[str]) -> tuple[str, str]:
    kept = kit.remember(
        memory.says, key=key, tags=tags, people=[memory.speaker] if memory.speaker else (),
        project=memory.project, now=memory.time,
    )  # fmt: skip
    if kept is None:  # only an unsure fact is not kept, and these are told
        raise AssertionError(f"The fact {memory.id} was not kept.")
    remarks["tags refused"] += len(kept.refused)
    remarks[f"facts {kept.did}"] += kept.did != "new"
    return kept.id, kept.did


def _by_hand(kit: Kit, memory: Memory, made: Mapping[str, str], shared: frozenset[str], remarks: Counter[str]) -> None:
    """Type in what a person would: the aliases of a tag, the end of a fact."""
    if memory.until:
        _edit(kit, kit.index.catalog.with_id(made[memory.id])[0].path, {"valid_until": memory.until})
    tags = _tags(memory, shared)
    own = [alias for alias in memory.aliases if text.key(alias) not in shared | {text.key(tag) for tag in tags}]
    if not own:
        return
    held = kit.index.pool.claimant(text.key(tags[0]))
    if held is None:
        remarks["aliases without a tag"] += len(own)
        return
    _edit(kit, held.path, {"aliases": [*held.tag.aliases, *own]})


def _edit(kit: Kit, path: str, changes: Mapping[str, Value | None]) -> None:
    kit.store.update(path, lambda raw: note.edit(raw, changes, path))
    reconcile.apply(kit.store, kit.index, [path])


def _tags(memory: Memory, shared: frozenset[str]) -> tuple[str, ...]:
    """Name a memory's tags: its own that may be tags, else its first alias; one that several have is a tag of all."""
    tags = tuple(tag for tag in memory.tags if not keyphrases.refused(text.tag_word(tag))) or memory.aliases[:1]
    known = {text.key(tag) for tag in tags}
    return (*tags, *(alias for alias in memory.aliases if text.key(alias) in shared - known))


def _shared(memories: Sequence[Memory]) -> frozenset[str]:
    """Find the aliases that several memories have: a word belongs to one tag only."""
    counts = Counter(word for memory in memories for word in {text.key(alias) for alias in memory.aliases})
    return frozenset(word for word, count in counts.items() if count > 1)


def _chains(memories: Sequence[Memory]) -> dict[str, str]:
    """Give the facts of each chain of replacements one key: the id of its last."""
    onward = {memory.id: memory.superseded_by for memory in memories if memory.superseded_by}
    keys: dict[str, str] = {}
    for start in onward:
        end, passed = start, {start}
        while end in onward and onward[end] not in passed:
            end = onward[end]
            passed.add(end)
        keys |= dict.fromkeys(passed, end)
    return keys
