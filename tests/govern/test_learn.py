"""Learning from finished turns by rules: facts, verdicts, tags; a card that is in trouble keeps no other waiting."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from kit.errors import BadNoteError
from kit.model.notes import Card
from tests.govern.pooled import save, tag

if TYPE_CHECKING:
    from pathlib import Path

    from kit.app import Kit

SAYS = "Set the proxy read timeout of nginx to 75 seconds, because the export takes 71."


def turn(kit: Kit, prompt: str, answer: str = SAYS, topic: str = "s1") -> str:
    framed = kit.frame(prompt, topic=topic, tags=["zpawl", "zflume"])
    kit.complete(framed.id, answer)
    return framed.id


def card_of(kit: Kit, note_id: str) -> Card:
    found = kit.load(kit.index.catalog.with_id(note_id)[0].path)
    assert isinstance(found, Card)
    return found


def test_a_statement_becomes_a_fact_and_the_card_leaves_the_queue(kit: Kit) -> None:
    done = turn(kit, "From now on always put reports in tables. Why does the export end in a 504?")
    assert kit.pool.waiting() == 1
    learned = kit.pool.learn_next()
    assert learned
    assert (learned.card, len(learned.facts)) == (done, 1)
    assert "tables" in kit.facts()[0].says
    assert kit.pool.waiting() == 0
    assert kit.pool.learn_next() is None


def test_the_next_message_judges_the_answer_before_it_and_no_verdict_of_a_person(kit: Kit) -> None:
    first = turn(kit, "Why does the export end in a 504?")
    turn(kit, "No, that is wrong: it still fails after 75 seconds at the gateway.")
    other = turn(kit, "Which port has the gateway of hall two?", topic="s2")
    kit.feedback(other, "confirmed")
    turn(kit, "No, that is wrong: the gateway of hall two listens on 9090.", topic="s2")
    while kit.pool.learn_next():
        pass
    assert (card_of(kit, first).feedback, card_of(kit, other).feedback) == ("rejected", "confirmed")


def test_new_tags_get_what_rules_can_tell_whatever_other_tags_lack(kit: Kit, vault: Path) -> None:
    tag(vault, "zflume", definitions=[], dimensions=[])
    turn(kit, "Why does the export end in a 504 behind the zflume?")
    kit.pool.learn_next()
    lacks = {name: lacks for name, _, lacks in kit.pool.lint() if name in ("zflume", "zpawl")}
    assert lacks == {"zflume": ("definitions",), "zpawl": ("definitions",)}


def test_a_card_that_cannot_be_read_keeps_no_other_waiting(kit: Kit, vault: Path) -> None:
    first = turn(kit, "Why does the export end in a 504?")
    second = turn(kit, "From now on always put reports in tables, please.", topic="s2")
    path = kit.index.catalog.with_id(first)[0].path
    good = (vault / path).read_bytes()
    save(vault / path, good.replace(b"status:", b"status: ["))
    learned = kit.pool.learn_next()
    assert learned
    assert learned.card == second
    with pytest.raises(BadNoteError):
        kit.pool.learn_next()
    save(vault / path, good)
    learned = kit.pool.learn_next()
    assert learned
    assert learned.card == first


def test_a_card_that_was_saved_a_moment_ago_is_learned_from_later(kit: Kit, vault: Path) -> None:
    done = turn(kit, "From now on always put reports in tables, please.")
    file = vault / kit.index.catalog.with_id(done)[0].path
    raw = file.read_bytes() + b"\nMine.\n"
    save(file, raw, ago=0)
    turn(kit, "Why does the export end in a 504?", topic="s2")
    learned = kit.pool.learn_next()
    assert learned
    assert learned.card != done
    assert file.read_bytes() == raw
    save(file, raw)
    learned = kit.pool.learn_next()
    assert learned
    assert learned.card == done


def test_a_card_that_was_renamed_is_no_second_source_of_its_fact(kit: Kit, vault: Path) -> None:
    done = turn(kit, "From now on always put reports in tables.")
    assert kit.pool.learn_next()
    (fact,) = (vault / "facts").glob("*.md")
    before = fact.read_bytes()
    path = vault / kit.index.catalog.with_id(done)[0].path
    (vault / "cards" / "mine").mkdir()
    os.utime(path.rename(vault / "cards" / "mine" / "My tables.md"), (0, 0))
    kit.sync()
    assert kit.learning.one(done)
    assert fact.read_bytes() == before
    assert kit.doctor() == []
