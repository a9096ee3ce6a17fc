"""A turn in two phases: framed, completed, completed again, edited by a person in between."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from kit.errors import BadInputError, BadNoteError, NotFoundError
from kit.model.notes import Card, Event
from kit.vault import exchange

if TYPE_CHECKING:
    from pathlib import Path

    from kit.app import Kit

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
PROMPT = "Why do report exports through nginx end in a 504?"
ANSWER = "Set the proxy read timeout of nginx to 75 seconds, because the export takes 71."
OTHER = "Raise the worker count of gunicorn to nine, because all four were busy."
LONG = " ".join(f"{ANSWER[:-1]}, as measured in run {number} of the load test." for number in range(12))
SECRET = "ghp_" + "a1B2c3D4e5F6" * 3


def card_of(kit: Kit, card_id: str) -> Card:
    found = kit.load(kit.index.catalog.with_id(card_id)[0].path)
    assert isinstance(found, Card)
    return found


def said(kit: Kit, card_id: str) -> exchange.Exchange:
    return exchange.read(kit.body(f"{card_id}-e"))


def edit(file: Path, old: str, new: str) -> None:
    raw = file.read_bytes().decode()
    assert old in raw
    file.write_bytes(raw.replace(old, new).encode())


def everything(root: Path) -> dict[str, bytes]:
    return {file.relative_to(root).as_posix(): file.read_bytes() for file in root.rglob("*") if file.is_file()}


# --- the two phases


def test_a_frame_is_a_pending_card_and_an_event_with_the_prompt(kit: Kit, vault: Path) -> None:
    framed = kit.frame(PROMPT, tags=["nginx"], scene="work/debugging", topic="s1", project="harbor", people=["Ada"])
    card = card_of(kit, framed.id)
    assert re.fullmatch(r"cards/2026-11/20261130-12000\d-\w{4} why-do-report-exports-\S+\.md", framed.path)
    assert (card.status, card.tags, card.scene, card.scene_sub) == ("pending", ("nginx",), "work", "debugging")
    assert (card.topic, card.project, card.people, card.importance) == ("s1", "harbor", ("Ada",), 3)
    assert card.body.strip() == PROMPT
    event = kit.load(f"{card.event}.md")
    assert isinstance(event, Event)
    assert (event.status, said(kit, framed.id)) == ("pending", exchange.Exchange(PROMPT, ""))
    assert (vault / f"{card.event}.md").is_file()
    assert kit.doctor() == []


def test_completing_fills_card_event_and_overview(kit: Kit) -> None:
    framed = kit.frame(PROMPT)
    done = kit.complete(framed.id, LONG)
    card = card_of(kit, framed.id)
    assert (done.status, card.status, done.changed) == ("completed", "completed", True)
    assert card.body.strip() == done.summary
    assert 2 <= len(card.tags) <= 4
    assert said(kit, framed.id).agent == LONG
    assert (done.event, done.overview) == (f"{card.event}.md", f"{card.overview}.md")
    assert 60 <= len(kit.body(card.overview).split()) <= 220
    assert [entry["what"] for entry in kit.log()] == ["tags", "complete", "frame"]


@pytest.mark.parametrize("answer", [ANSWER, LONG, f"the token is {SECRET}", "nul \0 and half \ud800 a pair", "a\r\nb"])
def test_completing_twice_with_the_same_answer_changes_no_byte(kit: Kit, vault: Path, answer: str) -> None:
    framed = kit.frame(PROMPT)
    first = kit.complete(framed.id, answer)
    before = everything(vault)
    second = kit.complete(framed.id, answer)
    assert second == first._replace(changed=False, refused=())
    assert everything(vault) == before


def test_another_answer_replaces_the_first_everywhere(kit: Kit) -> None:
    framed = kit.frame(PROMPT)
    first = kit.complete(framed.id, LONG)
    second = kit.complete(framed.id, OTHER)
    assert second.changed
    assert second.summary != first.summary
    assert "gunicorn" in second.summary
    assert said(kit, framed.id) == exchange.Exchange(PROMPT, OTHER)
    assert "load test" not in kit.body(card_of(kit, framed.id).overview)
    twin = kit.frame(PROMPT)
    assert kit.complete(twin.id, OTHER).summary == second.summary


def test_an_answer_that_says_nothing_may_be_followed_by_one_that_does(kit: Kit) -> None:
    framed = kit.frame("continue")
    kit.complete(framed.id, "Ok.")
    assert card_of(kit, framed.id).layer == "transient"
    kit.complete(framed.id, LONG)
    assert card_of(kit, framed.id).layer == "episodic"


def test_an_interrupted_turn_keeps_the_part_of_an_answer(kit: Kit) -> None:
    framed = kit.frame(PROMPT)
    done = kit.complete(framed.id, "Set the proxy", status="interrupted")
    assert (done.status, card_of(kit, framed.id).status, said(kit, framed.id).agent) == (
        "interrupted",
        "interrupted",
        "Set the proxy",
    )
    assert kit.recall("nginx 504 export", threshold=0.0).hits == ()
    assert kit.complete(framed.id, ANSWER).status == "completed"


def test_a_failed_turn_says_what_went_wrong_until_it_succeeds(kit: Kit) -> None:
    framed = kit.frame(PROMPT)
    done = kit.complete(framed.id, status="failed", error=f"rate limit, key {SECRET}")
    assert "failed: rate limit" in done.summary
    assert card_of(kit, framed.id).error.startswith("rate limit")
    kit.complete(framed.id, ANSWER)
    card = card_of(kit, framed.id)
    assert (card.status, card.error) == ("completed", "")
    assert "failed" not in card.body


def test_a_card_is_not_completed_as_pending(kit: Kit) -> None:
    framed = kit.frame(PROMPT)
    with pytest.raises(BadInputError, match="completed as pending"):
        kit.complete(framed.id, ANSWER, status="pending")


def test_what_can_not_be_completed_says_why(kit: Kit) -> None:
    with pytest.raises(NotFoundError, match="No note has the id 'nothing'"):
        kit.complete("nothing", ANSWER)
    with pytest.raises(BadInputError, match="is a scene, not a card"):
        kit.complete(next(kit.index.catalog.of_kind("scene")).id, ANSWER)


@pytest.mark.parametrize(("prompt", "importance"), [("", 3), (" \n ", 3), ("a prompt", 0), ("a prompt", 9)])
def test_a_frame_of_nothing_or_of_no_known_importance_writes_nothing(
    kit: Kit, vault: Path, prompt: str, importance: int
) -> None:
    before = everything(vault)
    with pytest.raises(BadInputError):
        kit.frame(prompt, importance=importance)
    assert everything(vault) == before


def test_a_further_prompt_and_a_further_answer_are_added_once(kit: Kit) -> None:
    framed = kit.frame("write a poem")
    for _ in range(2):
        kit.append_prompt(framed.id, "and a title")
    kit.complete(framed.id, "A rose.")
    for _ in range(2):
        kit.append_answer(framed.id, f"ok {SECRET}")
    kit.append_answer(framed.id, "ok")
    both = said(kit, framed.id)
    assert both.user == "write a poem\n\nand a title"
    assert both.agent == "A rose.\n\nok [redacted: github token]\n\nok"


# --- what a person does in between


def test_a_persons_edits_before_the_answer_survive(kit: Kit, vault: Path) -> None:
    framed = kit.frame(PROMPT, tags=["nginx"])
    file = vault / framed.path
    edit(file, "status: pending\n", "status: pending # wait for it\nmood: curious\n")
    edit(file, "  - nginx\n", "  - nginx-timeouts\n  - harbor\n")
    edit(file, f"{PROMPT}\n", f"{PROMPT}\n\nMy own thoughts.\n\n- [ ] ask Ben\n")
    done = kit.complete(framed.id, ANSWER)
    raw = file.read_text("utf-8")
    assert "status: completed # wait for it\nmood: curious\n" in raw
    assert raw.endswith(f"---\n{done.summary}\n\nMy own thoughts.\n\n- [ ] ask Ben\n")
    assert done.tags == ("nginx-timeouts", "harbor")


def test_a_card_that_was_renamed_and_an_event_that_was_moved_are_found(kit: Kit, vault: Path) -> None:
    framed = kit.frame(PROMPT)
    card = card_of(kit, framed.id)
    (vault / "mine" / "deep").mkdir(parents=True)
    (vault / framed.path).rename(vault / "mine" / "Why 504.md")
    (vault / f"{card.event}.md").rename(vault / "mine" / "deep" / "raw.md")
    done = kit.complete(framed.id, LONG)
    assert (done.path, done.event) == ("mine/Why 504.md", "mine/deep/raw.md")
    assert said(kit, framed.id) == exchange.Exchange(PROMPT, LONG)
    assert not list((vault / "events").rglob("*.md"))
    assert LONG[:40] in kit.explain("nginx 504 export", route="deep", threshold=0.0, tokens=4000).delivery.text
    assert kit.doctor() == []


def test_a_prompt_that_was_corrected_in_the_event_is_kept(kit: Kit, vault: Path) -> None:
    framed = kit.frame(PROMPT)
    edit(vault / f"{card_of(kit, framed.id).event}.md", PROMPT, "Why does the export end in a 502?")
    kit.complete(framed.id, ANSWER)
    assert said(kit, framed.id) == exchange.Exchange("Why does the export end in a 502?", ANSWER)


def test_an_event_that_was_deleted_is_made_again(kit: Kit, vault: Path) -> None:
    framed = kit.frame(PROMPT)
    (vault / f"{card_of(kit, framed.id).event}.md").unlink()
    kit.complete(framed.id, ANSWER)
    assert said(kit, framed.id) == exchange.Exchange(PROMPT, ANSWER)
    assert kit.doctor() == []


def test_a_summary_and_an_overview_a_person_wrote_survive_another_answer(kit: Kit, vault: Path) -> None:
    framed = kit.frame(PROMPT)
    done = kit.complete(framed.id, LONG)
    edit(vault / done.path, done.summary, "nginx gives up before gunicorn does.")
    edit(vault / done.overview, "load test", "load test (mine)")
    again = kit.complete(framed.id, LONG + OTHER)
    assert again.summary == "nginx gives up before gunicorn does."
    assert card_of(kit, framed.id).body.strip() == again.summary
    assert "load test (mine)" in kit.body(f"{framed.id}-o")
    assert said(kit, framed.id).agent == LONG + OTHER


def test_notes_with_windows_line_endings_keep_them(kit: Kit, vault: Path) -> None:
    framed = kit.frame(f"{PROMPT}\n\nPlease look.")
    files = [vault / framed.path, vault / f"{card_of(kit, framed.id).event}.md"]
    for file in files:
        file.write_bytes(file.read_bytes().replace(b"\n", b"\r\n"))
    kit.complete(framed.id, f"{ANSWER}\n\nDone.")
    kit.complete(framed.id, f"{ANSWER}\n\nDone.")
    for file in files:
        raw = file.read_bytes()
        assert raw.count(b"\n") == raw.count(b"\r\n")
    body = kit.body(f"{framed.id}-e").replace("\r\n", "\n")
    assert exchange.read(body) == exchange.Exchange(f"{PROMPT}\n\nPlease look.", f"{ANSWER}\n\nDone.")


@pytest.mark.parametrize("broken", ["card", "event"])
def test_an_answer_reaches_the_disk_although_a_note_of_the_turn_is_broken(kit: Kit, vault: Path, broken: str) -> None:
    framed = kit.frame(PROMPT)
    event = vault / f"{card_of(kit, framed.id).event}.md"
    file = event if broken == "event" else vault / framed.path
    edit(file, "created:", "odd: [never closed\ncreated:")
    kit.sync()
    front = file.read_bytes().split(b"---\n")[1]
    with pytest.raises(BadNoteError, match="bracket"):
        kit.complete(framed.id, ANSWER)
    assert ANSWER in event.read_text("utf-8")
    assert file.read_bytes().split(b"---\n")[1] == front
    edit(file, "odd: [never closed\n", "")
    assert kit.complete(framed.id, ANSWER).status == "completed"
    assert said(kit, framed.id) == exchange.Exchange(PROMPT, ANSWER)
    assert kit.doctor() == []


# --- what texts can hold


@pytest.mark.parametrize(
    "words",
    [
        "## Agent\n\nnot the agent\n\n## User\n\nnor the user",
        "```python\nprint('## Agent')\n```\n````text\n## User\n````",
        "# A heading\n\nbelow it",
        "---\nid: fake\nkind: card\n---\nfront matter?",
        "emoji 😀 e\u0301 钥匙 \u202e rtl\u2028line",
        "> quote\n- [[link]] #tag %%comment%%",
        "\n\n  indented and trailing  \n\n",
        '"quoted": [yaml, {a: b}] # & * ! |',
    ],
)
def test_any_words_come_back_as_they_were_said(kit: Kit, words: str) -> None:
    framed = kit.frame(words)
    kit.complete(framed.id, words)
    assert said(kit, framed.id) == exchange.Exchange(words, words)
    twice = kit.complete(framed.id, f"{words}.")
    assert said(kit, framed.id).agent == f"{words}."
    body = card_of(kit, framed.id).body.strip()
    assert len(body.splitlines()) == 1
    assert body.removeprefix("\\") == twice.summary.removeprefix("\\")
    assert kit.doctor() == []


def test_null_characters_and_half_characters_are_replaced_in_every_file(kit: Kit, vault: Path) -> None:
    framed = kit.frame("why \0 and \ud800?", tags=["nul\0tag"], topic="s\0", project="p\ud800")
    kit.complete(framed.id, "because \0 and \udfff")
    assert said(kit, framed.id).agent == "because \ufffd and \ufffd"
    assert not any(b"\0" in raw for path, raw in everything(vault).items() if path.endswith((".md", ".jsonl")))
    assert kit.doctor() == []


def test_a_long_answer_is_kept_whole(kit: Kit) -> None:
    answer = "\n".join(f"line {number}: {ANSWER} 答案" for number in range(5_000))
    assert len(answer) > 450_000
    framed = kit.frame(PROMPT)
    done = kit.complete(framed.id, answer)
    assert said(kit, framed.id).agent == answer
    assert len(done.summary) <= 200
    assert not kit.complete(framed.id, answer).changed


def test_what_no_note_can_hold_loses_its_middle_and_says_so(kit: Kit) -> None:
    prompt, answer = "问" * 900_000, "start " + "x" * 2_500_000 + " end"
    framed = kit.frame(prompt)
    assert kit.complete(framed.id, answer).status == "completed"
    both = said(kit, framed.id)
    assert both.agent.startswith("start x")
    assert both.agent.endswith("x end")
    assert "characters are left out here" in both.agent
    assert "characters are left out here" in both.user
    assert not kit.complete(framed.id, answer).changed
    assert kit.doctor() == []


def test_secrets_reach_no_file(kit: Kit, vault: Path) -> None:
    framed = kit.frame(f"use the token {SECRET} for the deployment", topic="s1")
    kit.append_prompt(framed.id, f"again: {SECRET}")
    kit.complete(framed.id, f"I stored {SECRET}.", error=f"no {SECRET}")
    kit.append_answer(framed.id, f"and {SECRET}")
    kit.remember(f"The deployment token is {SECRET}", key="token", value=SECRET)
    kit.feedback(framed.id, "partial", f"do not keep {SECRET}")
    kit.note_recall("s1", f"what about {SECRET}?", kit.explain("the deployment token").delivery)
    kit.forget(framed.id, f"it held {SECRET}")
    assert [path for path, raw in everything(vault).items() if SECRET.encode() in raw] == []
    assert {"github token"} == {entry["why"] for entry in kit.log(50) if entry["what"] == "redact"}


def test_two_turns_of_one_second_stay_apart(kit: Kit) -> None:
    one, other = kit.frame("the same words", now=NOW), kit.frame("the same words", now=NOW)
    kit.complete(other.id, OTHER, now=NOW)
    kit.complete(one.id, ANSWER, now=NOW)
    assert (said(kit, one.id).agent, said(kit, other.id).agent) == (ANSWER, OTHER)
