"""Where key phrases come from: code names, product names, English phrases, Chinese words, known terms.

Law: pure functions of the text; each candidate carries its weight and the reason for it.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from kit import shipped
from kit import text as analyser
from kit.digest import cuts, prose

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

GOOD = 2.0
"""The weight from which a candidate earns a third or fourth place."""
_MOST_WORDS = 3
_MOST_USER, _MOST_AGENT = 3000, 5000
_FILE = re.compile(
    r"(?<![\w/.@:*-])[\w./-]{0,80}\w\.(?:py|pyi|js|jsx|ts|tsx|mjs|go|rs|rb|java|kt|c|h|cc|cpp|hpp|cs|php|swift|sh|sql|"
    r"md|txt|toml|ya?ml|json|jsonl|ini|cfg|conf|env|lock|csv|tsv|html|css|scss|xml|db|sqlite3?|ipynb|vue|proto|tf)"
    r"(?![\w(])"
)
_CODE = re.compile(r"`([^`\n]{2,40})`")
_IDENTIFIER = re.compile(
    r"(?<![\w/.-])(?:[A-Za-z]\w*(?:\.[A-Za-z_]\w*)+|[A-Za-z]+(?:_[A-Za-z0-9]+)+|[a-z]+[A-Z]\w*|[A-Z][a-z]+[A-Z]\w*)"
    r"(?![\w/-])",
    re.ASCII,
)
_PRODUCT = re.compile(
    r"(?<![\w/.'’-])[A-Z][A-Za-zÀ-ÿ0-9]*(?:[’'-][A-Z][A-Za-zÀ-ÿ0-9]+)?(?:\+\+|#)?"
    r"(?: (?:[A-Z][A-Za-zÀ-ÿ0-9]+|[A-Z]))?(?![\w/]|-[a-z])"
)
_HOST = re.compile(
    r"(?i)^(?:https?|www)\b|^[\w.]+\.(?:com|org|net|io|dev|internal|intern|local|lan|corp|cn|de|eu|uk|fr|jp)$"
)
_DENIED = re.compile(
    r"(?i)(?:\b(?:not|never|no|without|instead of|rather than|nor|don['’]t|doesn['’]t|do not)\s+(?:[a-z]+\s+)?"
    r"|[不别没勿](?:[再要会能应该]*(?:用|使用|装|写|加)?|是)\s*)[`\"'“]?$"
)
_ENGLISH = re.compile(r"[A-Za-zÀ-ÿ][\wÀ-ÿ]*(?:['’-][\wÀ-ÿ]+)*")
_COUNTED = re.compile(
    r"\d[\d.,]*\s?[年月日号天周个条次种台家首张名份批行点秒]|"
    r"[一二三四五六七八九十百千万两几]+(?:[个条次种台家首张名份批行点月日号秒天年]|分钟|小时)|周[一二三四五六日末]|"
    r"第[一二三四五六七八九十百千\d]+[章节课期届页版层步轮集卷]"
)
_LOOSE_END = re.compile(
    r"(?<=..)(?:(?<![筛首候优竞])选|挂|(?<![空单协])调|(?<![开解释播投])放|(?<![内缓库保生])存|(?<![长赛慢夜晨])跑|"
    r"(?<![包安服组女男童西封])装|崩|(?<!损)坏|(?<![圆饱])满|(?<![转交替兑更变置切])换|走)+$|商定$"
)
_RUN = re.compile(rf"[{analyser.CJK}]+")
_SURNAMES = (
    "王李张刘陈杨黄赵吴周徐孙马朱胡郭何高林罗郑梁谢宋唐许韩冯邓曹彭曾肖田董袁潘蒋蔡余杜叶程苏魏吕丁任沈姚卢姜崔钟谭陆汪范金"
    "石廖贾夏韦付方白邹孟熊秦邱江尹薛闫段雷侯龙史陶黎贺顾毛郝龚邵万钱严覃武戴莫孔向汤"
)
_PERSON = re.compile(
    r"(?:(?:agreed|talk(?:ed)?|spoke|met|meeting|call|chat(?:ted)?|lunch|synced?|paired|work(?:ed|ing)?) with|"
    r"told|asked|(?:email|mail|message|feedback|note|word) from|[Mm]y name is|(?<!\w)@|"
    r"\b(?:[Mm]r|[Mm]s|[Mm]rs|[Dd]r|[Pp]rof)\.?|colleague|manager(?: is)?|boss(?: is)?)"
    r" ?([A-Z][a-zà-ÿ]{1,20}(?: [A-Z][a-zà-ÿ]{2,20})?)\b"
)
_PERSON_ACTS = re.compile(r"\b([A-Z][a-zà-ÿ]{2,20}) (?:says?|said|wants?|told us|asked|thinks|prefers)\b")
_PERSON_CJK = re.compile(
    rf"(?:(?:[和跟与找问叫]|同事|经理|领导是|老板是|我叫|@)([{_SURNAMES}][{analyser.CJK}]{{1,2}}?)"
    rf"(?=[说讲讨商约的开通聊确一，。！？、\s]|$)"
    rf"|(?<![{analyser.CJK}])([{_SURNAMES}][{analyser.CJK}]{{1,2}}?)(?=说|希望|表示|要求|告诉|建议|认为|您好|你好)"
    rf"|(?:(?<![{analyser.CJK}])|(?<=[和跟找问给叫让由]))([小老阿][{_SURNAMES}])(?=[说是在的和跟负要想叫，。！？,\s]|$))"
)
_NOT_PEOPLE = re.compile(
    r"(?:"
    r"the|this|that|he|she|it|we|they|you|who|someone|everyone|nobody|what|which|there|january|february|march|"
    r"april|may|june|july|august|september|october|november|december|monday|tuesday|wednesday|thursday|friday|"
    r"saturday|sunday|python|docker|postgres|redis|github|google|claude|codex"
    r")"
)


class Candidate(NamedTuple):
    """A phrase with its weight and what it rests on."""

    word: str
    score: float
    why: str


@cache
def borders() -> frozenset[str]:
    """Words at which a phrase ends: verbs, adverbs, times; English ones stemmed."""
    english = {analyser.stem(word) for word in shipped.word_list("border.en")}
    return frozenset(english | set(shipped.word_list("border.zh")))


@cache
def _cjk_borders() -> Mapping[str, bool]:
    return cuts.table(frozenset(word for word in borders() | analyser.stop_words() if analyser.is_cjk(word)))


def _pieces(text: str) -> list[cuts.Piece]:
    runs = _RUN.findall(_COUNTED.sub(" ", text))
    return [piece._replace(text=_trim(piece.text)) for run in runs for piece in cuts.cut(run, _cjk_borders())]


def people(text: str) -> list[str]:
    """Name the persons a text clearly speaks of; rather none than a wrong one."""
    found = [match[1] for match in _PERSON.finditer(text)] + [match[1] for match in _PERSON_ACTS.finditer(text)]
    found = [name for name in found if not _NOT_PEOPLE.fullmatch(name.split()[0].lower())]
    found += [match[1] or match[2] or match[3] for match in _PERSON_CJK.finditer(text)]
    return list(dict.fromkeys(found))


def _names(raw: str) -> Iterator[Candidate]:
    """Find what is written as a name: code, files, identifiers, products."""
    for match in _CODE.finditer(raw):
        word = match[1].strip()
        if (
            len(word.split()) <= _MOST_WORDS
            and re.search(r"[A-Za-z]{2}", word)
            and not _speaks(word)
            and not re.search(r"[=;{}<>|&$~]", word)
        ):
            yield Candidate(re.sub(r"\(.*|[/\s]+$", "", word), 1.6, "written as code")
    for match in _FILE.finditer(raw):
        yield Candidate(match[0].rsplit("/", 1)[-1], 1.7, "a file")
    for match in _IDENTIFIER.finditer(raw):
        if not _HOST.match(match[0]):
            yield Candidate(match[0], 1.5, "an identifier")
    for sentence in prose.sentences(prose.plain(raw)):
        yield from _products(sentence)


def _speaks(word: str) -> bool:
    """Tell a mentioned sentence from a code name: it has a stop word among several."""
    words = word.split()
    return len(words) > 1 and any(analyser.fold(part) in analyser.stop_words() for part in words)


def _products(sentence: str) -> Iterator[Candidate]:
    for match in _PRODUCT.finditer(sentence):
        word = re.sub(r"['’]s$", "", match[0])
        first = (
            match.start() == 0
            or not re.search(r"\w", sentence[: match.start()])
            or sentence[match.start() - 2] in ":.!?"
        )
        telling = bool(re.search(r"[a-z0-9][A-Z]|\d|[+#]|^[A-Z]{2,}", word))
        words = [analyser.fold(part) for part in word.split()]
        if any(part in analyser.stop_words() or analyser.stem(part) in borders() for part in words):
            continue
        if len(word) < 2 or (first and not telling and len(words) == 1):  # noqa: PLR2004 - one letter
            continue
        yield Candidate(word, 1.4, "a proper name")


def _phrases(text: str) -> Iterator[Candidate]:
    """Cut English text at stop words, verbs and marks; what is left of one to three words are phrases."""
    bare = _IDENTIFIER.sub(" | ", _FILE.sub(" | ", text))
    for clause in re.split(rf"[^\w\s'’-]+|\n|[{analyser.CJK}]+", bare):
        words: list[str] = []
        for word in [*_ENGLISH.findall(clause), "the"]:
            folded = analyser.fold(word)
            if folded in analyser.stop_words() or len(folded) < 3 or _is_border(word):  # noqa: PLR2004 - too short for a noun
                if 1 <= len(words) <= 3:  # noqa: PLR2004 - longer runs are clauses
                    yield Candidate(" ".join(words), 0.6 + (0.5 if len(words) > 1 else 0.0), "a phrase")
                words = []
            else:
                words.append(folded)


def _is_border(word: str) -> bool:
    if analyser.stem(analyser.fold(word)) in borders():
        return True
    if not word.islower():
        return False
    return word.endswith("ly") or (word.endswith(("ed", "ing")) and len(word) > 5)  # noqa: PLR2004 - `red`, `ring` are nouns


def _cjk(*texts: str) -> Iterator[Candidate]:
    """Cut Chinese texts at stop and border words; pieces of two to six characters are candidates.

    A piece is a word if each of its ends is one somewhere; what is only denied is none.
    """
    pieces = [piece for text in texts for piece in _pieces(text)]
    begun = {piece.text for piece in pieces if piece.opens}
    ended = {piece.text for piece in pieces if piece.closes}
    told = {piece.text for piece in pieces if not piece.denied}
    for word in begun & ended & told:
        if 2 <= len(word) <= 6:  # noqa: PLR2004 - a Chinese term
            yield Candidate(word, (0.5, 0.9, 1.0, 0.45, 0.3)[len(word) - 2], "a term")


def _trim(piece: str) -> str:
    """Take a verb off the end of a piece: `仪表盘选` → `仪表盘`."""
    return _LOOSE_END.sub("", piece)


def _repeated(user: str, agent: str) -> Iterator[Candidate]:
    """Find the longest Chinese strings that both sides say: repeated strings are words."""
    pieces = [piece.text for piece in _pieces(user) if len(piece.text) > 1 and not piece.denied]
    for piece in pieces[:200]:
        for size in range(min(len(piece), 6), 1, -1):
            shared = [piece[at : at + size] for at in range(len(piece) - size + 1) if piece[at : at + size] in agent]
            if shared:
                yield from (Candidate(word, 1.1, "a term both sides use") for word in shared)
                break


def _pooled(text: str, known: Callable[[str], bool]) -> Iterator[Candidate]:
    """Find known terms: up to three Latin words, two to eight CJK characters, longest first."""
    words = [word for word in analyser.tokens(text) if not analyser.is_cjk(word)]
    for size in (3, 2, 1):
        for at in range(len(words) - size + 1):
            phrase = " ".join(words[at : at + size])
            if known(phrase):
                yield Candidate(phrase, 0.5 + 0.3 * size, "named in the text")
    for run in set(_RUN.findall(analyser.fold(text))):
        for size in range(min(8, len(run)), 1, -1):
            for at in range(len(run) - size + 1):
                if known(run[at : at + size]):
                    yield Candidate(run[at : at + size], 0.5 + 0.2 * size, "named in the text")


def _count(name: str, text: str) -> int:
    """Count a name in a folded text, as whole words where it is Latin."""
    if analyser.is_cjk(name):
        return text.count(name)
    return len(re.findall(rf"(?<![a-z0-9_-]){re.escape(name)}(?![a-z0-9_])", text))


def _is_denied(name: str, text: str) -> bool:
    """Tell whether a folded text names a thing only to say no to it: pnpm, never npm."""
    if analyser.is_cjk(name):
        return False
    places = [found.start() for found in re.finditer(rf"(?<![a-z0-9_-]){re.escape(name)}(?![a-z0-9_])", text)]
    return bool(places) and all(_DENIED.search(text, max(0, at - 40), at) for at in places)


def weigh(user: str, agent: str, known: Callable[[str], bool]) -> list[Candidate]:
    """List the candidates of a turn, each once, weighed by kind, by who says it, and by how often."""
    user, agent = user[:_MOST_USER], agent[:_MOST_AGENT]
    said_user, said_agent = prose.plain(user), "\n".join(prose.said(agent))
    both = f"{said_user}\n{said_agent}"
    folded_user, folded_agent = analyser.fold(said_user), analyser.fold(said_agent)
    pool = [
        *_names(user),
        *_names(agent),
        *_phrases(said_user),
        *_phrases(said_agent),
        *_cjk(said_user, said_agent),
        *_repeated(said_user, said_agent),
        *_pooled(both, known),
    ]
    best: dict[str, Candidate] = {}
    for found in pool:
        word = found.word.strip(" .-/'’")
        name = analyser.key(word)
        if not name or (name in best and best[name].score >= found.score):
            continue
        best[name] = Candidate(word, found.score, found.why)
    weighed = []
    for found in best.values():
        name = analyser.fold(found.word)
        if _is_denied(name, f"{folded_user}\n{folded_agent}"):
            continue
        by_user, by_agent = _count(name, folded_user), _count(name, folded_agent)
        score = found.score + 0.9 * (by_user > 0) + 0.4 * (by_agent > 0) + 0.2 * min(by_user + by_agent - 1, 3)
        side = "both sides" if by_user and by_agent else "the user" if by_user else "the agent"
        weighed.append(Candidate(found.word, score, f"{found.why}, said by {side}"))
    return weighed
