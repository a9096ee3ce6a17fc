"""The one analyser: how words are folded, split, stemmed and counted, at both ends of every search.

Law: pure functions of their text. What is indexed and what is asked go through the same door; a change
here changes `ANALYSER`, and every derived index is rebuilt.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache, lru_cache
from itertools import chain, filterfalse
from operator import add
from typing import TYPE_CHECKING

from kit import porter2, shipped

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

ANALYSER = 2
"""Number of the analyser; stored with every derived index."""

CJK = (
    "\u3005-\u3007"  # 々〆〇
    "\u3040-\u30ff"  # hiragana, katakana
    "\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"  # Han and its extensions
    "\u1100-\u11ff\uac00-\ud7a3"  # hangul
    "\U00020000-\U0003134f"
)
_CJK_CHAR = re.compile(f"[{CJK}]")
_FIRST_CJK = "\u1100"
_FIRST_HAN, _LAST_HAN = "\u4e00", "\u9fff"
_INNER_MARKS = re.compile(r"['’.\-_]")
# A Latin word may hold inner marks (`don't`, `node.js`, `utf-8`) and end in + or # (`c++`, `c#`).
_TOKEN = re.compile(rf"[{CJK}]+|[^\W_{CJK}]+(?:['’.\-_][^\W_{CJK}]+)*(?:\+\+|\#)?")
_SEPARATORS = re.compile(r"[\s_\-‐-―]+")
_GAPS = {ord("_"): " ", ord("-"): " "}
_CJK_GAP = re.compile(rf"(?<=[{CJK}]) (?=\S)|(?<=\S) (?=[{CJK}])")
_FULL_WIDTH = {ord(mark): chr(ord(mark) + 0xFEE0) for mark in "!\"#$%&'()*+,.:;<=>?@[\\]^`{|}~"}
_NOT_IN_NAMES = {ord(mark): chr(ord(mark) + 0xFEE0) for mark in '"#%*/:<>?[\\]^|'}
_LONG_NAME = 1_000
"""Characters of a name that are looked at for a file's."""
_RESERVED_NAMES = re.compile(r"(?i)(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(\..*)?\Z")

# Control characters but tab and line feed; what turns the direction of writing; lone surrogates; what has no width,
# the invisible twins of ASCII among it, but for the joiners that emoji and some scripts are written with
_UNSEEN = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ud800-\udfff\ufeff\ufff9-\ufffb"
    r"\U000e0000-\U000e0fff]"
)


def seen(text: str) -> str:
    """Take out of a text what a reader does not see, and what moves, turns or hides the rest of it on a screen."""
    return _UNSEEN.sub("", text)


def fold(text: str) -> str:
    """Fold what a person does not mean to distinguish: width, compatibility forms, case."""
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFKC", text).casefold()


@lru_cache(maxsize=16384)
def key(name: str) -> str:
    """Fold a name to what it is looked up by.

    `Code_Style`, `code-style` and `ＣＯＤＥ ｓｔｙｌｅ` are one name; `标签 池` and `标签池` are one;
    `C`, `C++` and `C#` stay apart.
    """
    if name.isascii():  # most names, and of all that a start goes through
        if name.isalnum():
            return name.lower()
        bare = name.strip()
        return " ".join((bare.lstrip("#") if len(bare) > 1 else bare).lower().translate(_GAPS).split())
    spaced = _SEPARATORS.sub(" ", fold(name).strip().lstrip("#" if len(name.strip()) > 1 else "")).strip()
    return _CJK_GAP.sub("", spaced)


def tag_word(name: str) -> str:
    """Write a name as an Obsidian tag: no blanks, punctuation as its full-width twin (`C＃`)."""
    word = re.sub(r"\s+", "-", unicodedata.normalize("NFC", name).strip().lstrip("#")).translate(_FULL_WIDTH)
    return f"{word}_" if word.isdigit() else word


def file_name(name: str) -> str:
    """Write a name as a file name that every system and every wikilink allows."""
    word = unicodedata.normalize("NFC", name[:_LONG_NAME]).strip().translate(_NOT_IN_NAMES)
    word = seen(re.sub(r"[\x00-\x1f\x7f]+|\s+", " ", word)).rstrip(" .").lstrip(" .~")[:180]
    while len(word.encode()) > 180:  # noqa: PLR2004 - room for an id and `.md` below the 255 bytes of ext4
        word = word[:-1]
    word = word.rstrip(" .")
    if word and not _RESERVED_NAMES.match(word):
        return word
    stem, dot, rest = word.partition(".")  # `NUL.txt_` would still be the device
    return f"{stem}_{dot}{rest}"


def slug(text: str, limit: int = 40) -> str:
    """Make the readable part of a note's file name from its first words, at most `limit` characters."""
    first = " ".join(text.split()[:24])
    kept = "-".join(re.findall(r"[^\W_]+", unicodedata.normalize("NFC", first)))
    if len(kept) > limit:
        cut = kept[: limit + 1]
        kept = cut[: cut.rfind("-")] if "-" in cut[limit // 2 :] else cut[:limit]
    return kept.strip("-").lower()


def is_cjk(text: str) -> bool:
    """Tell whether a text holds Han, kana or hangul."""
    return bool(_CJK_CHAR.search(text))


def cjk(text: str) -> list[str]:
    """List the Han, kana and hangul characters of a text, in order."""
    return [] if text.isascii() else _CJK_CHAR.findall(text)


def language(text: str) -> str:
    """Tell the language the kit answers in: `zh` when CJK prevails, else `en`."""
    found = len(_CJK_CHAR.findall(text))
    latin = sum(1 for word in _TOKEN.findall(text) if not _CJK_CHAR.match(word))
    return "zh" if found > latin else "en"


@cache
def stop_words() -> frozenset[str]:
    """Words that say nothing about a topic, folded, English and Chinese."""
    return frozenset(fold(word) for name in ("stop.en", "stop.zh") for word in shipped.word_list(name))


@lru_cache(maxsize=16384)
def stem(word: str) -> str:
    """Stem a folded English word (Porter2, irregular forms by a list); other words come back as they are."""
    if not word.isascii() or not word.isalpha() or len(word) < 3:  # noqa: PLR2004 - too short to have an ending
        return word
    return porter2.stem(_irregular().get(word, word))


@cache
def _irregular() -> dict[str, str]:
    """Lead the forms that no rule can back to their word."""
    lines = (line.split() for line in shipped.word_list("irregular.en"))
    return {form: line[0] for line in lines for form in line[1:]}


def tokens(text: str) -> Iterator[str]:
    """Split a text into folded words and whole CJK runs, in order."""
    for found in _TOKEN.findall(fold(text)):
        yield found[:-2] if found.endswith(("'s", "’s")) else found


def terms(text: str, *, unigrams: bool = False) -> list[str]:
    """Analyse a text into search terms: stems without stop words, CJK bigrams.

    A joined word gives itself and its parts. A CJK run of one character gives that character; with
    `unigrams` every CJK character comes too.
    """
    words = _TOKEN.findall(fold(text))
    if unigrams:
        return [term for word in words for term in (*_GIVEN[word], *_characters(word))]
    return list(chain.from_iterable(map(_GIVEN.__getitem__, words)))


class _Given(dict[str, "Sequence[str]"]):
    """What each word gives as terms: words come again and again; a CJK run hardly ever does, and is not kept."""

    def __missing__(self, word: str) -> Sequence[str]:
        if not _is_run(word):
            found = _word_terms(word)
        elif len(word) > 1:
            return list(filterfalse(stop_words().__contains__, map(add, word, word[1:])))
        else:
            found = () if word in stop_words() else (word,)
        if len(self) >= _KEPT:
            self.clear()
        self[word] = found
        return found


_GIVEN = _Given()
_KEPT = 32768
"""Words of which it is kept what they give."""


def _is_run(word: str) -> bool:
    first = word[0]  # cheaper than the pattern, and enough for most words
    return first >= _FIRST_CJK and (_FIRST_HAN <= first <= _LAST_HAN or _CJK_CHAR.match(word) is not None)


def _word_terms(word: str) -> tuple[str, ...]:
    stops = stop_words()
    word = word[:-2] if word.endswith(("'s", "’s")) else word
    if word in stops:
        return ()
    parts = [part for part in _INNER_MARKS.split(word) if part]
    if len(parts) > 1:
        return (word, *(stem(part) for part in parts if part not in stops))
    return (stem(word),)


def _characters(word: str) -> Iterable[str]:
    """Give every character of a CJK run of more than one that says something by itself."""
    return filterfalse(stop_words().__contains__, word) if len(word) > 1 and _is_run(word) else ()


def count_tokens(text: str) -> int:
    """Estimate model tokens without a model: about 4 Latin characters or 1.5 CJK characters each."""
    found = len(_CJK_CHAR.findall(text))
    return round(found / 1.5 + (len(text) - found) / 4)


_END = re.compile(r"(?<=[.!?…])[\"'”’)]*\s+(?=[^\sa-z])|(?<=[。！？])[”’」』）)]*\s*|\n+")
_GOES_ON = re.compile(
    r"(?i)(?:^|[\s(\"“])(?:dr|mr|mrs|ms|mx|prof|messrs|e\.g|i\.e|vs|cf|approx|ca|resp|incl|excl|viz)\.$"
)
_BEFORE_NUMBER = re.compile(
    r"(?i)(?:^|[\s(\"“])(?:nos?|figs?|vols?|pp?|ch|chap|secs?|eqs?|art|v|ver|pt|al|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|"
    r"dec)\.$"
)
_BEFORE_NAME = re.compile(
    r"(?:^|[\s(\"“])(?:(?i:st|gen|col|capt|lt|sgt|maj|mt|rev|hon|sen|rep|gov|jr|sr|inc|ltd|co|corp|dept|univ|etc|al|est|"
    r"ph\.d|m\.d|b\.sc|m\.sc|a\.m|p\.m)|(?:[A-Z]\.)+[A-Z])\.$"
)
_INITIAL = re.compile(r"(?:^|(?:^|[\s(\"“])(?P<before>\S+)\s|[(\"“])[A-Z]\.$")
_NAMED_BY_LETTER = re.compile(
    r"(?i)(?:plan|option|type|vitamin|class|grade|zone|team|group|version|part|section|appendix|model|hepatitis|step|phase|"
    r"case|point|level|tier|block|building|hall|room|terminal|line|platform|gate|drive|series|variant|answer|question)$"
)
_LEADS_TO_NAME = frozenset({"by", "from", "with", "and", "to", "of", "for", "ask", "told", "met", "via", "&"})


def sentences(text: str) -> Iterator[str]:
    """Split a text into sentences, each on one line; abbreviations, initials and list numbers end none."""
    start = 0
    for border in _END.finditer(text):
        before = text[max(start, border.start() - 40) : border.start()]
        if "\n" not in border[0] and before.endswith(".") and _goes_on(before, text[border.end() : border.end() + 30]):
            continue
        found = " ".join((text[start : border.start()] + border[0].strip()).split())
        start = border.end()
        if found:
            yield found
    if found := " ".join(text[start:].split()):
        yield found


def _goes_on(before: str, after: str) -> bool:
    """Tell whether a full stop belongs to an abbreviation, an initial or a number of a list."""
    if _GOES_ON.search(before) or re.fullmatch(r"\s*\d{1,3}\.", before):
        return True
    if _BEFORE_NUMBER.search(before):
        return after[:1].isdigit()
    word = re.match(r"[A-ZÀ-Þ][\w'’-]*", after)
    if word is None or fold(word[0]) in stop_words():
        return False
    initial = _INITIAL.search(before)
    if initial is None:
        return bool(_BEFORE_NAME.search(before))
    led = initial["before"] or ""
    names = led[:1].isupper() and not _NAMED_BY_LETTER.search(led) and fold(led) not in stop_words()
    return not led or names or fold(led) in _LEADS_TO_NAME


def joined(sentences: Iterable[str]) -> str:
    """Write sentences one after the other, each closed, with a blank between but for two of Chinese."""
    whole = ""
    for sentence in sentences:
        bare = sentence if sentence[-1:] in ".!?。！？…" else sentence.rstrip(":：;；,， ")
        open_end = bare[-1:] not in ".!?。！？…\"'”’」）)" or (
            bare[-1:] in "\"'”’」）)" and bare[-2:-1] not in ".!?。！？…"
        )
        end = ("。" if is_cjk(bare[-2:]) or (is_cjk(bare) and language(bare) == "zh") else ".") if open_end else ""
        wide = whole[-1:] in "。！？" or (whole[-1:] == "…" and is_cjk(sentence[:1]))
        whole += f"{'' if not whole or wide else ' '}{bare}{end}"
    return whole


def clip(text: str, limit: int) -> str:
    """Cut a text to at most `limit` characters, at the last clause or word that fits."""
    if len(text) <= limit:
        return text
    head = text[: max(limit - 1, 0)]
    for borders in (r"[，；,;:：](?!\S*\w:)", r"\s"):
        ends = [found.start() for found in re.finditer(borders, head) if found.start() > limit // 2]
        if ends:
            return head[: ends[-1]].rstrip("，；,;:： ") + "…"
    return head.rstrip() + "…" if limit > 0 else ""


def first_sentence(text: str, limit: int = 200) -> str:
    """Take the first sentence of a text on one line, cut to at most `limit` characters at a word."""
    return clip(next(sentences(" ".join(text.split())), ""), limit)
