from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from whoosh.lang.porter2 import stem as whooshs

from kit import porter2, shipped

_ENDS = """
s es 's ies ied sses us ss ed ing ingly edly eed eedly y ly e l ll at bl iz bb tt ization ational fulness ousness
iveness tional biliti lessli entli ation alism aliti ousli iviti fulli enci anci abli izer ator alli bli ogi li alize
icate iciti ative ical ness ful al ance ence er ic able ible ant ement ment ent ism ate iti ous ive ize sion tion
"""
_OWN_BEGINNINGS = "gener arsen commun inn out cann herr earr proc exc succ sk bias news"
ENDS = st.sampled_from(_ENDS.split())
BEGINNINGS = st.one_of(st.text("aeiouybcdglmnrstwx", max_size=7), st.sampled_from(_OWN_BEGINNINGS.split()))
WORDS = st.builds("{}{}{}".format, BEGINNINGS, ENDS, st.one_of(st.just(""), ENDS)).map(
    lambda word: "".join(letter for letter in word if letter.isalpha())
)


@given(WORDS)
def test_made_up_words_have_the_stems_that_whoosh_gives(word: str) -> None:
    assert porter2.stem(word) == whooshs(word)


def test_every_english_word_of_the_shipped_lists_has_the_stem_that_whoosh_gives() -> None:
    lists = ("stop.en", "irregular.en", "kin.en", "kinds.en")
    words = {word.strip(":,").lower() for name in lists for line in shipped.word_list(name) for word in line.split()}
    plain = {word for word in words if word.isascii() and word.isalpha()}
    assert len(plain) > 1_000
    for word in plain:
        assert porter2.stem(word) == whooshs(word), word


def test_words_that_rules_would_spoil_keep_their_form() -> None:
    assert [porter2.stem(word) for word in ("news", "sky", "dying", "outings", "proceeding", "yes", "sayings")] == [
        "news", "sky", "die", "outing", "proceed", "yes", "say",
    ]  # fmt: skip
