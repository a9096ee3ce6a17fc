from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from kit import text

TEXTS = st.text(
    st.one_of(
        st.sampled_from("abcdeABC's’'.-_+# 1éßİﬁ"),
        st.sampled_from("标签池怎么合并的了東京ー々ｱｲｶﾞ가나\u1100\u10ff\u1200𠀀，。\n"),
        st.characters(exclude_categories=["Cs"]),
    ),
    max_size=40,
)
PHRASES = st.lists(st.sampled_from(["the", "don't", "utf-8", "c++", "C#", "node.js", "Running's", "怎么", "。"]))


def said_plainly(value: str, *, unigrams: bool) -> list[str]:
    """Analyse slowly: word by word, nothing remembered."""
    stops = text.stop_words()
    found: list[str] = []
    for word in text.tokens(value):
        if text.is_cjk(word[0]):
            if len(word) == 1:
                found += [word] * (word not in stops)
                continue
            found += [word[at : at + 2] for at in range(len(word) - 1) if word[at : at + 2] not in stops]
            found += [char for char in word if unigrams and char not in stops]
        elif word not in stops:
            parts = [part for part in re.split(r"['’.\-_]", word) if part]
            joined = len(parts) > 1
            found += [word] * joined
            found += [text.stem(part) for part in (parts if joined else [word]) if not joined or part not in stops]
    return found


@given(st.one_of(TEXTS, PHRASES.map(" ".join)), st.booleans())
def test_terms_are_what_a_plain_reading_gives(value: str, unigrams: bool) -> None:
    assert text.terms(value, unigrams=unigrams) == said_plainly(value, unigrams=unigrams)
