"""What a person does to a turn's notes while it is completed is kept, and so is the answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kit.errors import BadNoteError, NotFoundError
from kit.govern import finish, said
from kit.model.notes import Card
from kit.vault import exchange, layout, note

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from kit.app import Kit
    from kit.vault.exchange import Exchange

PROMPT = "Why do report exports through nginx end in a 504?"
ANSWER = "Set the proxy read timeout of nginx to 75 seconds, because the export takes 71."
LONG = " ".join(f"{ANSWER[:-1]}, as measured in run {number} of the load test." for number in range(12))
OTHER = LONG.replace("nginx", "gunicorn")
SECRET = "ghp_" + "a1B2c3D4e5F6" * 3


def event_of(kit: Kit, card_id: str) -> str:
    return kit.index.catalog.with_id(f"{card_id}-e")[0].path


def words(kit: Kit, card_id: str) -> Exchange:
    return exchange.read(kit.body(f"{card_id}-e"))


def edit(file: Path, old: str, new: str) -> None:
    raw = file.read_bytes().decode()
    assert old in raw
    file.write_bytes(raw.replace(old, new).encode())


# --- a crash between the event and the card


def test_a_turn_whose_answer_is_there_is_completed_by_the_sweep(kit: Kit) -> None:
    framed = kit.frame(PROMPT)
    path = event_of(kit, framed.id)
    said.put(kit._hand, path, lambda both: both._replace(agent=LONG), {"status": "completed", "completed": kit.now()})
    kit.sync()
    done = kit.complete(framed.id, "", status="interrupted", error="the agent went away")
    assert (done.status, bool(done.overview)) == ("completed", True)
    assert words(kit, framed.id) == (PROMPT, LONG)
    assert "error" not in (kit.root / done.path).read_text("utf-8")
    assert not kit.complete(framed.id, "", status="interrupted").changed


def test_a_completed_turn_is_interrupted_by_no_sweep_and_a_pending_one_is(kit: Kit) -> None:
    framed, other = kit.frame(PROMPT), kit.frame(PROMPT)
    kit.complete(framed.id, ANSWER)
    assert kit.complete(framed.id, "", status="interrupted").status == "completed"
    assert kit.complete(other.id, "", status="interrupted").status == "interrupted"


# --- edits in the middle of it


def test_a_prompt_that_is_corrected_while_the_answer_is_written_is_kept(kit: Kit) -> None:
    framed = kit.frame(PROMPT)
    path = event_of(kit, framed.id)
    seen: list[Exchange] = []

    def say(both: Exchange) -> Exchange:
        if not seen:
            edit(kit.root / path, PROMPT, "Why do exports fail?")
        seen.append(both)
        return both._replace(agent=ANSWER)

    now = said.put(kit._hand, path, say, {"status": "completed"})
    assert [both.user for both in seen] == [PROMPT, "Why do exports fail?"]
    assert now == exchange.read(kit.body(f"{framed.id}-e")) == ("Why do exports fail?", ANSWER)


def test_a_summary_tags_and_an_overview_written_meanwhile_are_kept(kit: Kit) -> None:
    framed = kit.frame(PROMPT, tags=["nginx"])
    done = kit.complete(framed.id, LONG)
    card = kit.load(done.path)
    assert isinstance(card, Card)
    edit(kit.root / done.path, f"\n{note.first_paragraph(card.body)}", "\nMine.")
    edit(kit.root / done.path, "tags:\n", "tags:\n  - exports\n")
    (kit.root / done.overview).write_bytes(
        (kit.root / done.overview).read_bytes().split(b"\n---\n")[0] + b"\n---\nMine.\n"
    )
    before = exchange.Exchange(PROMPT, LONG)
    after = exchange.Exchange(PROMPT, OTHER)
    stale = card.model_copy(update={"tags": ()})
    finished = finish.finish(kit._hand, stale, done.path, before, after, "completed", kit.now(), "")
    assert finished.shown == "Mine."
    now = kit.load(done.path)
    assert isinstance(now, Card)
    assert (now.body.strip(), now.tags[0]) == ("Mine.", "exports")
    assert kit.load(done.overview).body.strip() == "Mine."


def test_what_a_person_writes_into_a_fenced_exchange_survives_the_answer(kit: Kit) -> None:
    framed = kit.frame("Why\n## Agent\nthis?")
    file = kit.root / event_of(kit, framed.id)
    file.write_bytes(file.read_bytes() + b"\nI mean the other one.\n")
    kit.complete(framed.id, ANSWER)
    assert words(kit, framed.id) == ("Why\n## Agent\nthis?\n\nI mean the other one.", ANSWER)


# --- events that can't be read


@pytest.mark.parametrize("broken", ["unclosed", "latin", "null", "both"])
def test_an_answer_is_added_to_an_event_of_which_nothing_else_changes(kit: Kit, broken: str) -> None:
    framed = kit.frame(PROMPT)
    file = kit.root / event_of(kit, framed.id)
    raw = file.read_bytes()
    if broken in ("unclosed", "both"):
        raw = raw.replace(b"\n---\n", b"\n")
    if broken != "unclosed":
        raw += b"\0\n" if broken == "null" else b"caf\xe9\n"
    file.write_bytes(raw)
    kit.sync()
    for _ in range(2):
        with pytest.raises(BadNoteError):
            kit.complete(framed.id, ANSWER)
    assert file.read_bytes() == raw + f"\n## Agent\n\n{ANSWER}\n".encode()


def test_a_further_answer_reaches_an_event_that_can_not_be_read(kit: Kit) -> None:
    framed = kit.frame(PROMPT)
    file = kit.root / event_of(kit, framed.id)
    edit(file, "kind: event", "kind: [event")
    with pytest.raises(BadNoteError):
        kit.append_answer(framed.id, ANSWER)
    assert ANSWER in file.read_text("utf-8")


# --- cards that are gone, ids that are taken


def test_a_card_that_a_person_deleted_is_gone_though_its_event_has_its_name(kit: Kit) -> None:
    framed = kit.frame(PROMPT)
    (kit.root / framed.path).unlink()
    kit.sync()
    for act in (kit.complete, kit.append_prompt, kit.append_answer):
        with pytest.raises(NotFoundError, match="is gone"):
            act(framed.id, ANSWER)


def test_an_id_that_another_program_took_is_drawn_again(kit: Kit, monkeypatch: pytest.MonkeyPatch) -> None:
    ids: Iterator[str] = iter(["20261130-120000-aaaa", "20261130-120000-bbbb"])
    monkeypatch.setattr(layout, "new_id", lambda _: next(ids))
    now = kit.now()
    taken = kit.root / layout.event_path("20261130-120000-aaaa", now.astimezone())
    taken.parent.mkdir(parents=True, exist_ok=True)
    taken.write_bytes(b"theirs\n")
    framed = kit.frame(PROMPT, now=now)
    assert framed.id == "20261130-120000-bbbb"
    assert taken.read_bytes() == b"theirs\n"
    assert not list(kit.root.rglob("* 2.md"))


# --- secrets


def test_secrets_reach_no_file_by_any_value_of_a_turn_or_fact(kit: Kit) -> None:
    framed = kit.frame(
        PROMPT, tags=["nginx", SECRET], people=[f"Ada {SECRET}"], places=[SECRET], topic=f"the token {SECRET}",
        project=SECRET, scene=SECRET,
    )  # fmt: skip
    kit.complete(framed.id, LONG)
    kit.remember("Reports go in tables", tags=[SECRET], scenes=[SECRET], people=[SECRET], project=SECRET)
    kit.remember("Put reports in tables", tags=[SECRET], scenes=[f"{SECRET} at work"], project=SECRET)
    kit.feedback(framed.id, "confirmed", f"because {SECRET}")
    kit._hand.journal.add(kit.now(), "person", "test", why=SECRET, before=[SECRET])
    assert "ghp_" not in "".join(file.read_text("utf-8") + file.name for file in kit.root.rglob("*") if file.is_file())
    card = kit.load(kit.index.catalog.with_id(framed.id)[0].path)
    assert isinstance(card, Card)
    assert (card.tags[0], card.people) == ("nginx", ("Ada [redacted: github token]",))


def test_ids_links_dates_and_plain_words_are_left_as_they_are(kit: Kit) -> None:
    front: dict[str, note.Value | None] = {
        "id": "20261130-120000-k3f9", "event": "[[events/2026-11-30/20261130-120000-k3f9]]", "created": kit.now(),
        "tags": ("report-layout", "nginx", "提交"), "importance": 3, "pinned": True, "topic": None,
        "turn": "0190f2c4-7c9e-7d52-a1b4-3f0c8d2e6a55",
    }  # fmt: skip
    assert kit._hand.cleaned_front(front) == front
