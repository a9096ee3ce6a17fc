"""What the next message thinks of the answer."""

from __future__ import annotations

import pytest

from kit.digest.verdict import feedback

ASKED, ANSWERED = "Add a retry to the S3 client.", "S3Client.put now retries three times with backoff."


@pytest.mark.parametrize(
    ("message", "status"),
    [
        ("Yes, exactly.", "confirmed"),
        ("Thanks, it works now!", "confirmed"),
        ("LGTM", "confirmed"),
        ("很好，谢谢", "confirmed"),
        ("解决了", "confirmed"),
        ("No, that's not what I asked.", "rejected"),
        ("It doesn't work.", "rejected"),
        ("still failing", "rejected"),
        ("You broke the build", "rejected"),
        ("不对，应该只重试一次", "rejected"),
        ("没用，还是报错", "rejected"),
        ("It works, but the backoff is wrong for reads", "partial"),
        ("Can you give more detail?", "partial"),
        ("And what about the retries of get?", "partial"),
        ("可以，不过次数改成五次", "partial"),
        ("没看懂，能详细说说吗？", "partial"),
        ("Which cinema is open tonight?", "ignored"),
        ("ok", "ignored"),
        ("今天晚上吃什么？", "ignored"),
        ("", "ignored"),
    ],
)
def test_the_next_message_tells(message: str, status: str) -> None:
    found = feedback(ASKED, ANSWERED, message)
    assert found.status == status
    assert found.reason
    assert 0 < found.confidence <= 1


def test_no_to_a_question_of_the_agent_rejects_nothing() -> None:
    assert feedback("List the files", "There are three. Should I open the first?", "no").status == "ignored"


def test_quoted_words_judge_nothing() -> None:
    assert feedback(ASKED, ANSWERED, "Print `it does not work` to stderr in the other tool").status == "ignored"
