"""Porter2, the Snowball project's stemmer of English (https://snowballstem.org/algorithms/english/stemmer.html).

Law: pure; the stems are those of Whoosh's Porter2, in a quarter of the time: a first build meets every word of a vault.
"""

from __future__ import annotations

import re

_WHOLE = {
    "skis": "ski", "skies": "sky", "dying": "die", "lying": "lie", "tying": "tie", "idly": "idl", "gently": "gentl",
    "ugly": "ugli", "early": "earli", "only": "onli", "singly": "singl", "sky": "sky", "news": "news", "howe": "howe",
    "atlas": "atlas", "cosmos": "cosmos", "bias": "bias", "andes": "andes",
}  # fmt: skip
_WHOLE_SINGULAR = frozenset({"inning", "outing", "canning", "herring", "earring", "proceed", "exceed", "succeed"})
_VOWELS = frozenset("aeiouy")
_SHORT_ENDS = frozenset("aeiouywxY")
_DOUBLES = frozenset({"bb", "dd", "ff", "gg", "mm", "nn", "pp", "rr", "tt"})
_BEFORE_LI = frozenset("cdeghkmnrt")
_REGION = re.compile(r"[^aeiouy]*[aeiouy]+[^aeiouy]")
_VOWEL = re.compile("[aeiouy]")
_VOWEL_BEFORE_LAST = re.compile("[aeiouy].")
_Y_AFTER_VOWEL = re.compile("([aeiouy])y")
_OWN_REGIONS = (("gener", 5), ("arsen", 5), ("commun", 6))

_STEP_2 = {
    "ization": "ize", "ational": "ate", "fulness": "ful", "ousness": "ous", "iveness": "ive", "tional": "tion",
    "biliti": "ble", "lessli": "less", "entli": "ent", "ation": "ate", "alism": "al", "aliti": "al", "ousli": "ous",
    "iviti": "ive", "fulli": "ful", "enci": "ence", "anci": "ance", "abli": "able", "izer": "ize", "ator": "ate",
    "alli": "al", "bli": "ble", "ogi": "og", "li": "",
}  # fmt: skip
_STEP_3 = {
    "ational": "ate", "tional": "tion", "alize": "al", "icate": "ic", "iciti": "ic", "ative": "", "ical": "ic",
    "ness": "", "ful": "",
}  # fmt: skip
_STEP_4 = frozenset({
    "al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ism", "ate", "iti", "ous", "ive",
    "ize",
})  # fmt: skip
_LAST_2, _LAST_3, _LAST_4 = ({end[-2:] for end in ends} for ends in (_STEP_2, _STEP_3, {*_STEP_4, "ion"}))
"""The last two letters of endings: most words have none of these, and need no closer look"""


def stem(word: str) -> str:
    """Stem a lower-case word of ASCII letters."""
    if len(word) <= 2:  # noqa: PLR2004 - too short to have an ending
        return word
    if word in _WHOLE:
        return _WHOLE[word]
    has_y = "y" in word
    if has_y:  # one that stands for a consonant is written large
        word = _Y_AFTER_VOWEL.sub(r"\1Y", f"Y{word[1:]}" if word[0] == "y" else word)
    first = _region(word)
    second = found.end() if (found := _REGION.match(word, first)) else len(word)
    if word[-1] in "sd":
        word = _singular(word)
    if word in _WHOLE_SINGULAR:
        return word
    if word[-1] in "gdy":
        word = _without_tense(word, first)
    if word[-1] in "yY" and word[-2] not in _VOWELS and len(word) > 2:  # noqa: PLR2004 - as above
        word = f"{word[:-1]}i"
    word = _plainer(word, first)
    word = _shorter(word, first, second)
    word = _bare(word, second)
    word = _without_last(word, first, second)
    return word.replace("Y", "y") if has_y else word


def _region(word: str) -> int:
    """Find where the part begins that is long enough to bear endings: behind the first consonant after a vowel."""
    for begin, end in _OWN_REGIONS:
        if word.startswith(begin):
            return end
    found = _REGION.match(word)
    return found.end() if found else len(word)


def _singular(word: str) -> str:
    if word.endswith("sses"):
        return word[:-2]
    if word.endswith(("ied", "ies")):
        return word[:-2] if len(word) > 4 else word[:-1]  # noqa: PLR2004 - `ties`, `cries`
    if word[-1] != "s" or word.endswith(("us", "ss")) or not _VOWEL_BEFORE_LAST.search(word, 0, len(word) - 1):
        return word
    return word[:-1]


def _without_tense(word: str, first: int) -> str:
    for end in ("eedly", "eed"):
        if word.endswith(end):
            return word[: 2 - len(end)] if word.endswith(end, first) else word
    for end in ("ed", "edly", "ing", "ingly"):
        if word.endswith(end):
            before = word[: -len(end)]
            return _mended(before) if _VOWEL.search(before) else word
    return word


def _mended(word: str) -> str:
    """Give a word its ending back that it had before its tense."""
    if word.endswith(("at", "bl", "iz")):
        return f"{word}e"
    if word[-2:] in _DOUBLES:
        return word[:-1]
    return f"{word}e" if _ends_short(word) and _region(word) == len(word) else word


def _ends_short(word: str) -> bool:
    """Tell whether a word ends in a short syllable."""
    if len(word) == 2:  # noqa: PLR2004 - a vowel and a consonant are a syllable
        return word[0] in _VOWELS and word[1] not in _VOWELS
    return (
        len(word) > 2  # noqa: PLR2004 - as above
        and word[-1] not in _SHORT_ENDS
        and word[-2] in _VOWELS
        and word[-3] not in _VOWELS
    )


def _plainer(word: str, first: int) -> str:
    if word[-2:] not in _LAST_2:
        return word
    for size in (7, 6, 5, 4, 3, 2):
        end = word[-size:]
        put = _STEP_2.get(end)
        if put is None:
            continue
        before = word[:-size]
        if len(before) < first:
            return word
        if (size == 2 and before[-1:] not in _BEFORE_LI) or (end == "ogi" and before[-1:] != "l"):  # noqa: PLR2004 - `li`
            return word
        return before + put
    return word


def _shorter(word: str, first: int, second: int) -> str:
    if word[-2:] not in _LAST_3:
        return word
    for size in (7, 6, 5, 4, 3):
        end = word[-size:]
        put = _STEP_3.get(end)
        if put is not None:
            least = second if end == "ative" else first
            return word[:-size] + put if len(word) - size >= least else word
    return word


def _bare(word: str, second: int) -> str:
    if len(word) - 2 < second or word[-2:] not in _LAST_4:
        return word
    for size in (5, 4, 3, 2):
        if word[-size:] in _STEP_4:
            return word[:-size] if len(word) - size >= second else word
    return word[:-3] if word.endswith(("sion", "tion")) and len(word) - 3 >= second else word


def _without_last(word: str, first: int, second: int) -> str:
    last = len(word) - 1
    if word[-1] == "l":
        return word[:-1] if last >= second and word[-2] == "l" else word
    if word[-1] == "e" and (last >= second or (last >= first and not _ends_short(word[:-1]))):
        return word[:-1]
    return word
