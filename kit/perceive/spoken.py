"""What a person wrote themselves: a prompt without pasted code, logs, traces, diffs and quotes.

Law: pure, one pass over the lines. A line that might be either is only left out beside pasted lines.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache

from kit.perceive.words import lists
from kit.text import is_cjk

LONGEST = 64_000
"""Characters looked at: of a longer prompt the first and the last half of that."""

READ = 4000
"""Characters of a person's own words that are judged: the first and the last half of that."""

_FENCE = re.compile(r"\s{0,3}(`{3,}|~{3,})")
_WRAP = re.compile(r"<([a-z]+[-_][a-z_-]+)(?: [^>\n]{0,200})?>")
_DIFF_START = re.compile(r"diff --git |--- (?:a/|/dev/null)|\+\+\+ (?:b/|/dev/null)|@@ -\d|Index: ")
_DIFF_LINE = re.compile(r"[+\-@\\ ]|index [0-9a-f]|(?:new|deleted) file|old mode|new mode|similarity|rename |Binary ")
_LISTED = re.compile(r"[-*+] \S")
_TRACE_START = re.compile(r"\s*Traceback \(most recent call last\)|\s*(?:panic:|goroutine \d+ \[)|.*\bstack backtrace:")
_PASTED = re.compile(
    r"""
    \s*\[?\d{4}[-/.]\d\d[-/.]\d\d[T\ ,]+\d\d:\d\d                     # 2026-11-02 10:11…
    | \s*\[?\d\d:\d\d:\d\d[\].,\s]
    | [A-Z][a-z]{2}\ +\d{1,2}\ \d\d:\d\d:\d\d\                         # Nov  2 10:11:12 host
    | \s*\[?(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|CRITICAL|E\d{4})\b[\]:\s|]
    | (?:npm|yarn|pnpm)\ (?:ERR!|WARN|error|warn|notice)
    | \s*(?:[\w$]+\.)*[A-Z]\w*(?:Error|Exception|Interrupt)\b(?:[:\[(]|\s*$)
    | Exception\ in\ thread | Caused\ by: | Uncaught\ | \s*File\ "[^"]+",\ line\ \d
    | error(?:\[E?\w+\]|\ [A-Z]+\d+)?:\ | warning:\ unused
    | (?:-?(?:bash|zsh|sh|fish)|fatal|sudo|ssh|curl|make(?:\[\d+\])?|ld|gcc|clang)[:：]\ ?\S
    | \s*(?:for|while|until|if)\ .*;\ *(?:do|then)\b.* | \s*(?:done|fi|esac)\s*$
    | package\ \w+\s*$ | import\ "[^"]*"\s*$
    | (?:~|\.{1,2})?/\S+\s*$ | \[\d+\][+-]?\ +\S | Segmentation\ fault | 段错误
    | \[signal\ | thread\ '[^']*'\ panicked\ at | .*\bundefined\ reference\ to\b
    | [\w./\\-]+:\d+(?::\d+)?:\ \S                                    # main.c:4:2: …
    | [\w.-]+(?:\[\d+\])?[:：]\ ?(?:\*\*\*|(?:fatal\ )?error\b|fatal:|command\ not\ found|未找到命令)
    | [\w.-]+(?:\[\d+\])?:\ [\w.-]+:\ (?:command\ )?not\ found
    | \s+at\ \S.*[:)\d] | \s*\.\.\.\ \d+\ more | \s*-->\ | \s*\d*\ +\|(?:\ |$) | \s*\^+ | E\ {2,}\S
    | (?:FAILED|PASSED)\ \S+::
    | \s*(?:[$❯➜]|>>>|\w[\w.-]*@[\w.-]+[:\ ]\S*[$\#]|PS\ [A-Z]:\\[^>]*>)\s\S   # a prompt of a shell
    | >(?:\s|$)                                                       # a quotation
    | \s*[\])}({\[>;,]+\s*$
    | [^。！？]*(?:[{}]|\)\ ?=>|=>\ ?\()\s*$
    | (?=[^;]*[=(){}\[\]<>"'`$]|\s*[!-~]+(?:\ [!-~]+){0,2}\s*$)[^。！？]*;\s*$    # a sentence may end so, too
    | \s*(?:async\ def|def|fn|func|function)\ \w+\s*[(<]
    | \s*(?:export\ )?(?:const|let|var)\ [\w{[][\w\s,{}\[\]]*[:=]
    | \s*class\ \w+(?:\([\w.,\s]*\))?:\s*$
    | \s*from\ [\w.]+\ import\ | \s*import\ .+\ from\ ['"] | \s*\#include\ | \#!/
    | \s*"[^"]*"\s*:\s*\S
    | \s*(?:SELECT|INSERT\ INTO|DELETE\ FROM|CREATE\ (?:TABLE|INDEX)|ALTER\ TABLE)\s.*(?:;|FROM|VALUES|\()
    | \s*</?[a-zA-Z][^>]*>\s*$
    | [=\-_*\#~]{4,}\s*$
    """,
    re.VERBOSE,
)
_MAYBE = re.compile(
    r"""
    [\ \t]{2,}(?![-*+]\ |\d+[.)]\ )\S | \t\S
    | \s*import\ [\w.]+(?:\ as\ \w+)?$
    | \s*[\w.]+\(.*\)$ | \s*[\w.\[\]]+\ ?[+\-*/|]?=\ ?\S
    | \s*-?\s*[\w.-]+:(?:\ [^\s]+)?$
    | \s*(?://|/\*|\*/|\#\ ?\w+\() | \s*(?:return|raise|yield|await)\b
    | \s*(?:for|if|while|elif|else|try|except|with)\b.*:$
    | \s*@\w+
    """,
    re.VERBOSE,
)
_COMMENT = re.compile(r"\s*(?://|/\*|#)\s")
"""Beside code; a line that begins so among a person's own is a heading or a remark."""
_CALLS = re.compile(r"[=({\[<][^)\]}>]*[)\]}>]|[=;\"]")
"""What is in most code and in few sentences."""
_SENTENCE = re.compile(r"\s*[A-Za-z'’,]+(?: [\w'’,./()-]+){3,}[.?!]?\s*$")
_SHELL = re.compile(r"\s*(?:[$❯➜%]|\w[\w.-]*@[\w.-]+[:\ ]\S*[$#]|PS [A-Z]:\\[^>]*>)\s\S")
"""A command typed in a shell: what stands right below is what it printed."""
_ADDRESSED = re.compile(
    r"\b(?:i|i'm|we|you|my|please|why|how|what|should|could|can)\b|我|你|请|帮|为什么|怎么|是不是", re.IGNORECASE
)
_ASSIGNED = re.compile(r"\w+=\S*")
_SLASH = re.compile(r"/[a-z][\w:.-]*(?:\s+\S+)?")


def _plain(line: str) -> bool:
    """Tell whether a line reads like a person's sentence."""
    return is_cjk(line) or line.rstrip().endswith(("?", "？")) or bool(_SENTENCE.match(line))


def _lines(text: str) -> list[str]:
    if len(text) > LONGEST:
        head, tail = text[: LONGEST // 2], text[-LONGEST // 2 :]
        # whole lines only: half a log line no longer looks like one
        text = f"{head[: head.rfind(chr(10)) + 1] or head}\n{tail[tail.find(chr(10)) + 1 :]}"
    return _without_wrapped(text).splitlines()


def _without_wrapped(text: str) -> str:
    """Leave out what a harness adds around a prompt: `<system-reminder>…</system-reminder>`."""
    kept: list[str] = []
    at = 0
    never_closed: set[str] = set()
    for opened in _WRAP.finditer(text):
        if opened.start() < at or opened.group(1) in never_closed:
            continue
        closed = f"</{opened.group(1)}>"
        end = text.find(closed, opened.end())
        if end >= 0:
            kept += [text[at : opened.start()], "\n"]
            at = end + len(closed)
        else:
            never_closed.add(opened.group(1))
    return "".join(kept) + text[at:]


def _without_fences(lines: list[str]) -> list[str]:
    kept: list[str] = []
    fence = ""
    for line in lines:
        mark = _FENCE.match(line)
        if fence:
            if mark and mark.group(1).startswith(fence) and not line.strip().strip(fence[0]):
                fence = ""
            continue
        if mark:
            fence = mark.group(1)
            kept.append("")
        else:
            kept.append(line)
    return kept


def _goes_on(inside: str, line: str, *, below_paste: bool) -> bool:
    """Tell whether a line belongs to what is pasted above it."""
    if inside == "diff":
        return bool(_DIFF_LINE.match(line))
    if inside == "shell" and below_paste and not (_plain(line) and _ADDRESSED.search(line)):
        return True
    # What is indented below code is code, whatever language its words are in.
    return line[:1] in " \t" and (inside == "trace" or (below_paste and not _LISTED.match(line.strip())))


def _judge(lines: list[str]) -> list[str]:
    """Give each line one letter: `p`asted, `m`aybe, `s`poken, ` ` blank."""
    marks: list[str] = []
    inside = ""
    for whole in lines:
        line = whole[:2000]
        if not line.strip():
            marks.append(" ")
            continue
        if _DIFF_START.match(line):
            inside = "diff"
        elif _TRACE_START.match(line):
            inside = "trace"
        elif inside == "diff" and marks[-1] == " " and _LISTED.match(line) and _plain(line[2:]):
            # after a blank line, a list of sentences is a person's list rather than removed lines
            inside = ""
            marks.append("s")
            continue
        elif _SHELL.match(line):
            inside = "shell"
        elif _goes_on(inside, line, below_paste=marks[-1:] == ["p"]):
            pass
        else:
            inside = ""
            if _PASTED.match(line):
                marks.append("p")
            else:
                maybe = _COMMENT.match(line) or (_MAYBE.match(line) and not _plain(line))
                marks.append("m" if maybe else "s")
            continue
        marks.append("p")
    return marks


@lru_cache(maxsize=8)  # perception, matching and full text each ask for the same prompt
def spoken(text: str) -> str:
    """Return a person's own words: without code, pasted logs, traces, diffs, quoted lines and wrapped blocks."""
    lines = _without_fences(_lines(text))
    marks = _judge(lines)
    solid = [at for at, mark in enumerate(marks) if mark != " "]
    kept: list[str] = []
    for index, at in enumerate(solid):
        beside = [marks[solid[near]] for near in (index - 1, index + 1) if 0 <= near < len(solid)]
        apart = marks[at] == "m" and "s" in marks[:at] and marks[at - 1] == " " and _CALLS.search(lines[at])
        if marks[at] == "s" or (marks[at] == "m" and not apart and not any(mark in "pm" for mark in beside)):
            kept.append(lines[at].strip())
    return "\n".join(kept)


def ends(said: str) -> str:
    """Take the beginning and the end of what is long: there stands what is asked."""
    return said if len(said) <= READ else f"{said[: READ // 2]}\n{said[-READ // 2 :]}"


@cache
def _commands() -> dict[str, frozenset[str]]:
    names = lists()["commands"]
    return {name: frozenset(words) for name, words in names.items()}


def _one_command(words: list[str]) -> bool:
    known = _commands()
    while words and (words[0] in ("$", "!", "sudo") or _ASSIGNED.fullmatch(words[0])):
        words = words[1:]
    if not words or any(word.lower().strip(",.!") in known["prose"] for word in words[1:]):
        return False
    name = words[0].removeprefix("!")
    if name in known["sure"] or name.startswith("./"):
        return True
    if name not in known["with_argument"]:
        return False
    return len(words) == 1 or words[1] in known["arguments"] or bool(re.search(r"^-|[./=*]", words[1]))


def is_command(text: str) -> bool:
    """Tell whether a prompt is nothing but a slash command or shell commands."""
    line = text.strip()
    if not line or len(line) > 1000 or "?" in line or is_cjk(line):  # noqa: PLR2004 - no one types that much
        return False
    if _SLASH.fullmatch(line):
        return True
    return all(_one_command(part.split()) for part in re.split(r"&&|\|\|?|;|\n", line) if part.strip())
