"""Secrets leave a text before it reaches a file.

Law: linear time, idempotent, and no secret is ever returned: only the marked text and the kinds found.
What is no secret (commit hashes, UUIDs, paths, images in base64) stays. Of a long text only the places are looked
at closely where a word stands that every secret of some shape has.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

_CLOSE = 4_000
"""Characters of a text that is looked at closely as a whole."""
_AROUND = 700
"""Characters on both sides of a hint that may belong to one secret with it; a longer one has no blanks."""
_LONGEST = 15_000
"""Characters of the longest secret."""
_PIECE = 16_000
"""Characters that are looked at in one go, where a text can be cut."""
_REACH = 100
"""Characters before the end of a line in which a name may stand whose value is in the next."""
_ROUNDS = 6
"""A mark may bring a word closer to a secret; passes repeat until nothing changes."""


class _Shape(NamedTuple):
    """A secret known by its own look; one of `hints`, plain strings, stands in each."""

    kind: str
    hints: tuple[str, ...]
    pattern: re.Pattern[str]


def _shape(kind: str, hints: str, pattern: str) -> _Shape:
    return _Shape(kind, tuple(hints.split(" ")), re.compile(pattern, re.ASCII))


_EDGE = r"(?<![A-Za-z0-9])"
_SHAPES = (
    _shape("api key", "sk-", _EDGE + r"sk-(?=[\w-]{0,80}\d)[A-Za-z0-9][\w-]{18,250}"),
    _shape("github token", "ghp_ gho_ ghu_ ghs_ ghr_", _EDGE + r"gh[pousr]_[A-Za-z0-9]{20,255}"),
    _shape("github token", "github_pat_", _EDGE + r"github_pat_\w{20,255}"),
    _shape(
        "gitlab token", "glpat- gldt- glrt- glptt- glcbt- gloas-", _EDGE + r"gl(?:pat|dt|rt|ptt|cbt|oas)-[\w-]{18,100}"
    ),
    _shape("aws key", "AKIA ASIA ABIA ACCA", _EDGE + r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{12,20}(?![A-Za-z0-9])"),
    _shape("google key", "AIza", _EDGE + r"AIza[\w-]{30,50}"),
    _shape("google token", "ya29.", _EDGE + r"ya29\.[\w-]{20,500}"),
    _shape("google secret", "GOCSPX-", _EDGE + r"GOCSPX-[\w-]{20,60}"),
    _shape("slack token", "xox", _EDGE + r"xox[abeoprs](?:\.xox[bp])?-[\w-]{10,250}"),
    _shape("slack token", "xapp-", _EDGE + r"xapp-[\w-]{20,250}"),
    _shape(
        "slack webhook", "hooks.slack.com/", r"(?<=hooks\.slack\.com/)(?:services|workflows|triggers)/[\w/]{20,200}"
    ),
    _shape("stripe key", "k_live_ k_test_", _EDGE + r"(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{10,250}"),
    _shape("webhook secret", "whsec_", _EDGE + r"whsec_[\w+/=-]{20,100}"),
    _shape("npm token", "npm_", _EDGE + r"npm_[A-Za-z0-9]{30,60}"),
    _shape("pypi token", "pypi-", _EDGE + r"pypi-[\w-]{40,500}"),
    _shape("hugging face token", "hf_", _EDGE + r"hf_[A-Za-z0-9]{20,60}"),
    _shape("sendgrid key", "SG.", _EDGE + r"SG\.[\w-]{16,40}\.[\w-]{30,60}"),
    _shape("digitalocean token", "dop_v1_ doo_v1_ dor_v1_", _EDGE + r"do[opr]_v1_[0-9a-f]{40,80}"),
    _shape("telegram token", ":AA", _EDGE + r"\d{8,10}:AA[\w-]{30,40}"),
    _shape("groq key", "gsk_", _EDGE + r"gsk_[A-Za-z0-9]{30,80}"),
    _shape("xai key", "xai-", _EDGE + r"xai-[A-Za-z0-9]{40,120}"),
    _shape("json web token", "eyJ", _EDGE + r"eyJ[\w-]{8,4000}\.[\w-]{8,8000}(?:\.[\w-]{0,2000})?"),
    _shape("azure key", "AccountKey=", r"(?<=AccountKey=)[A-Za-z0-9+/]{40,100}={0,2}"),
    _shape("azure key", "SharedAccessKey=", r"(?<=SharedAccessKey=)[A-Za-z0-9+/]{20,100}={0,2}"),
    _shape("azure secret", "Q~", _EDGE + r"[A-Za-z0-9_.~-]{3}\dQ~[A-Za-z0-9_.~-]{30,40}"),
    _shape("azure signature", "sig=", r"(?<=[?&]sig=)[\w%+/=-]{20,200}"),
    _shape("age key", "AGE-SECRET-KEY-", _EDGE + r"AGE-SECRET-KEY-1[A-Z0-9]{50,70}"),
)
_BLANK = re.compile(r"\s")
_PRIVATE = re.compile(r"(?i)<(/?)private>")
_KEY_BEGIN = re.compile(r"-----BEGIN (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----")
_KEY_END = re.compile(r"-----END (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----")
_KEY_REACH = 12_000
"""The longest private key, in characters; an end mark beyond it belongs to another."""
_KEY_LINES = re.compile(
    r"(?:(?:\r?\n|\\n)[ \t>|\"'+]{0,8}(?:[A-Za-z0-9+/=]{1,200}|"
    r"[\w-]{1,30}: [\w,-]{1,100})?[ \t\"',+\\]{0,4}(?=\r?\n|\\n|$))*"
)
_USERINFO = re.compile(
    r"(?i)(?<![\w+.-])([a-z][a-z0-9+.-]{1,30}://[^\s:/@?#\"'<>\[\]]{0,100}:)([^\s/\"'<>\[\]`]{1,200})@(?=[\w\[])"
)
_HEADER = re.compile(
    r"(?i)(\b(?:proxy-)?authorization[\"']?\s{0,3}[:=]\s{0,3}[\"']?(?:(?:bearer|basic|token|"
    r"digest|apikey|negotiate)\s{1,3})?|\bbearer\s{1,3})"
    r"([A-Za-z0-9+/_.~=-]{8,4000})"
)
_COOKIE = re.compile(r"(?i)\b((?:set-)?cookie:\s{0,3}[\w.-]{1,60}=)([\w%+/.~=-]{12,4000})")
_SENSITIVE = (
    r"pass(?:word|wd|phrase)|(?<![a-z])pwd|(?<![a-z])pass(?![a-z])|secret|token|api[ _-]?key|"
    r"access[ _-]?key|private[ _-]?key|"
    r"account[ _-]?key|encryption[ _-]?key|signing[ _-]?key|auth[ _-]?key|client[ _-]?secret|credentials?|"
    r"密码|口令|密钥|令牌|私钥|秘钥"
)
_ASSIGNED = re.compile(
    rf"(?i)(?<!redacted: )(?P<name>{_SENSITIVE})(?P<suffix>(?:[_-][\w-]{{0,40}}|s|\d{{1,3}})?)"
    r"(?P<sep>[\"'`]?\s{0,3}(?:=>|:=|={1,2}|[:：＝])\s{0,3}|[\"'`]?\s{1,3}is\s{0,2}:?\s{1,3}|"
    r"\s{0,2}(?:改成|改为|设成|设为|设置为|是|为)了?[：:]?\s{0,3})"
    r"(?:(?P<quote>[\"'`“「])(?P<quoted>[^\"'`”」\n\[]{1,300})(?=[\"'`”」])|"
    r"(?P<bare>[!-+\--:=-Z^-z|~\\][!-+\--:=-Z\\^-z|~]{2,300}))"
)
_KEYS = ("api", "access", "private", "account", "encryption", "signing", "auth")
_NAMES = (
    *("pass", "pwd", "secret", "token", "credential", "密码", "口令", "密钥", "令牌", "私钥", "秘钥"),
    *(f"{whose}{between}key" for whose in _KEYS for between in (" ", "_", "-", "")),
)
"""What stands, in small letters, in whatever is given to a secret-like name."""
_FLAG = re.compile(
    r"(?i)(?<![\w-])(--?(?:password|passwd|token|api-key|secret|"
    r"client-secret)[ ]{1,2})([^\s\"'\[\]$<-][^\s\"'\[\]]{5,200})"
)
_NEAR = re.compile(
    r"(?i)(?<!redacted: )(?<![a-z])(?:secret|token|api[ _-]?key|access[ _-]?key|credential|"
    r"password|passphrase|密码|口令|密钥|令牌)s?(?![a-z])"
    r"[^\n\[\]]{0,40}?(?<![\w+/=.-])(?P<value>[\w+/=-]{20,200})(?![\w+/=.-])"
)
_WORDY = re.compile(
    r"(?:"
    r"none|null|nil|true|false|undefined|string|str|text|int|bool|boolean|required|optional|hidden|invalid|"
    r"incorrect|wrong|missing|empty|reset|changed|expired|unknown|secret|password|token|bytes|any|object|"
    r"stored|hashed|encrypted|unset|enabled|disabled|default|needed|valid|correct|protected|ok|yes|no|not|too|"
    r"the|your|field|input|prompt|self|this|set|used|rotated|safe|fine|bearer"
    r")"
)
_PLACEHOLDER = re.compile(
    r"(?i)^(?:[<{$%].*|\$\(.*|x{3,}|\*+|\.{3,}|…+|(?:your|my|the|some|example|dummy|"
    r"placeholder)(?:[ _-].*)?|change[_-]?me|todo|redacted.*|"
    r".*\.\.\.|.*[<{]\w[\w-]*[>}].*)$"
)
_EXPRESSION = re.compile(
    r"^(?:[A-Za-z_][\w.]*[(\[]|(?:os|process|env|settings|config|self|args|request|req|secrets|"
    r"import|this|ctx|options|params)\b[.\[(]|"
    r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+$|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$|&|\(|=)"
)
_VARIABLE = re.compile(
    r"(?i)(?:[a-z]+_)*(?:password|passwd|pwd|token|secret|key|hash|pass)(?:_[a-z]+)*|"
    r"[a-z]+(?:Password|Token|Secret|Key)"
)
_UUID = re.compile(r"(?i)^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$")
_KINDS = (
    ("api key", re.compile(r"(?i)key|密钥|秘钥|私钥")),
    ("token", re.compile(r"(?i)token|令牌")),
    ("secret", re.compile(r"(?i)secret|credential")),
)


def _kind(name: str) -> str:
    return next((kind for kind, words in _KINDS if words.search(name)), "password")


def _entropy(text: str) -> float:
    """Measure Shannon entropy in bits a character."""
    return -sum(n / len(text) * math.log2(n / len(text)) for n in Counter(text).values()) if text else 0.0


def _random(value: str) -> bool:
    """Tell whether a string looks drawn by a machine, and is no hash, id, path or name."""
    if (
        re.fullmatch(r"[0-9a-fA-F]+|[\d.-]+", value)
        or _UUID.match(value)
        or value.count("/") > 1
        or value.startswith(("sha256-", "sha512-"))
    ):
        return False
    parts = re.split(r"[-_/.]", value)
    if len(parts) > 2 and sum(part.isalpha() or part.isdigit() for part in parts) >= len(parts) - 1:  # noqa: PLR2004 - `feature-add-login-2`
        return False
    mixed = sum(bool(re.search(kind, value)) for kind in ("[a-z]", "[A-Z]", r"\d"))
    return mixed >= 2 and bool(re.search(r"\d", value)) and _entropy(value) >= 3.5  # noqa: PLR2004 - words lie near 3


def _is_secret(name: str, value: str, *, quoted: bool, separator: str, env: bool, last: bool) -> bool:
    """Judge a value that is given to a secret-like name."""
    if _PLACEHOLDER.match(value) or _WORDY.fullmatch(_plain_word(value)):
        return False
    if not quoted and (_EXPRESSION.match(value) or _VARIABLE.fullmatch(value)):
        return False
    telling = bool(re.search(r"\d|[!@#$%^&*]", value)) or bool(re.search(r"[a-z][A-Z]|[A-Z][a-z]+[A-Z]", value))
    spoken = not quoted and "=" not in separator and "＝" not in separator
    if _kind(name) == "password":
        return len(value) >= 4 and (telling or not spoken or (last and separator.strip()[-1:] in ":："))  # noqa: PLR2004 - shorter is a word
    if value.isdigit() or re.fullmatch(r"[\d.,]+[kKmM]?", value):
        return len(value) >= 16 and not re.search(r"(?i)token", name)  # noqa: PLR2004 - a count of tokens is no token
    if len(value) < 8 or (" " in value.strip()):  # noqa: PLR2004 - no key is that short
        return False
    return telling or env or (len(value) >= 20 and _entropy(value) >= 3.5)  # noqa: PLR2004 - random letters


def _plain_word(value: str) -> str:
    """Fold a value to compare it with plain words."""
    return value.strip(" .,;:!?)。，；").lower()


def _blocks(text: str, found: list[str]) -> str:
    """Take `<private>` blocks out whole, nested or unclosed, and private keys."""
    kept: list[str] = []
    at = depth = 0
    for tag in _PRIVATE.finditer(text):
        if not depth:
            kept.append(text[at : tag.start()])
        if not tag[1]:
            if not depth:
                kept.append("[redacted: private]")
                found.append("private")
            depth += 1
        else:
            depth = max(0, depth - 1)
        at = tag.end()
    if not depth:
        kept.append(text[at:])
    text = "".join(kept)
    kept, at = [], 0
    while begin := _KEY_BEGIN.search(text, at):
        kept += [text[at : begin.start()], "[redacted: private key]"]
        found.append("private key")
        at = _key_end(text, begin.end())
    return "".join([*kept, text[at:]])


def _key_end(text: str, start: int) -> int:
    """Find where a private key ends: at its end mark, or, cut off, after its last line of base64."""
    reach = min(len(text), start + _KEY_REACH)
    another = _KEY_BEGIN.search(text, start, reach)
    end = _KEY_END.search(text, start, another.start() if another else reach)
    if end:
        return end.end()
    lines = _KEY_LINES.match(text, start)
    return lines.end() if lines else start


def _assigned(text: str, found: list[str]) -> str:
    def mark(match: re.Match[str]) -> str:
        value = match["quoted"] or match["bare"]
        tail = ""
        if match["bare"]:
            bare = re.match(r"(.*?)([,;)}\]]*[.,;:!?]*)$", value)
            value, tail = (bare[1], bare[2]) if bare else (value, "")
        name = match["name"] + match["suffix"]
        last = not re.match(r"[ \t]*[^\s,，。;；)}\"'`]", match.string[match.end() : match.end() + 20])
        env = name.isupper() and "=" in match["sep"]
        if re.search(
            r"(?i)[_-](?:type|name|count|limit|length|file|path|url|id|field|policy|hash)s?$", match["suffix"] or ""
        ):
            return match[0]
        if not value or not _is_secret(
            name, value, quoted=bool(match["quoted"]), separator=match["sep"], env=env, last=last
        ):
            return match[0]
        kind = _kind(name)
        found.append(kind)
        head = match[0][: match.start("quoted" if match["quoted"] else "bare") - match.start()]
        return f"{head}[redacted: {kind}]{tail}"

    return _ASSIGNED.sub(mark, text)


def _near(text: str, found: list[str]) -> str:
    def mark(match: re.Match[str]) -> str:
        if not _random(match["value"]):
            return match[0]
        found.append("secret")
        return match[0][: match.start("value") - match.start()] + "[redacted: secret]"

    return _NEAR.sub(mark, text)


def _after(pattern: re.Pattern[str], kind: str, text: str, found: list[str], *, tail: str = "") -> str:
    """Mark the second group of a pattern, keeping the first."""

    def mark(match: re.Match[str]) -> str:
        if (
            _PLACEHOLDER.match(match[2])
            or _WORDY.fullmatch(_plain_word(match[2]))
            or (kind == "token" and not re.search(r"\d|[a-z][A-Z]|.{24}", match[2]))
        ):
            return match[0]
        found.append(kind)
        return f"{match[1]}[redacted: {kind}]{tail}"

    return pattern.sub(mark, text)


def _pass(text: str, found: list[str]) -> str:
    text = _blocks(text, found)
    low = _small(text)
    for shape in _SHAPES:
        if any(hint in text for hint in shape.hints):
            text, count = shape.pattern.subn(f"[redacted: {shape.kind}]", text)
            found += [shape.kind] * bool(count)
    if "://" in low:
        text = _after(_USERINFO, "password", text, found, tail="@")
    if "authorization" in low or "bearer" in low:
        text = _after(_HEADER, "token", text, found)
    if "cookie" in low:
        text = _after(_COOKIE, "cookie", text, found)
    if any(name in low for name in _NAMES):
        text = _assigned(text, found)
        text = _after(_FLAG, "secret", text, found)
        text = _near(text, found)
    return text


def _small(text: str) -> str:
    """Write a text in small letters, each in its place: those too that a pattern takes for one whatever the case."""
    return text.replace("İ", "i").replace("ı", "i").replace("ſ", "s").lower()


_HINTS = tuple({hint for shape in _SHAPES for hint in shape.hints})
_SMALL_HINTS = ("://", "authorization", "bearer", "cookie", *_NAMES)


def _places(text: str) -> list[tuple[int, int]]:
    """Find where secrets may stand; apart from each other, in order."""
    low = _small(text)
    at: list[int] = []
    for within, hints in ((text, _HINTS), (low, _SMALL_HINTS)):
        for hint in hints:
            begin = within.find(hint)
            while begin >= 0:
                at.append(begin)
                begin = within.find(hint, begin + _AROUND // 2)
    found: list[tuple[int, int]] = []
    for hint_at in sorted(at):
        if found and hint_at + 2 * _AROUND <= found[-1][1]:
            continue
        begin, end = _without_blanks(text, hint_at - _AROUND, hint_at + 2 * _AROUND)
        if found and begin <= found[-1][1]:
            begin = found.pop()[0]
        found.append((begin, end))
    return [piece for place in found for piece in _in_pieces(low, *place)]


def _in_pieces(low: str, begin: int, end: int) -> Iterator[tuple[int, int]]:
    """Cut a long place at ends of lines that no secret reaches across, so that others have their turn in between."""
    while end - begin > 2 * _PIECE:
        cut = low.find("\n", begin + _PIECE, end)
        while cut >= 0 and any(hint in low[cut - _REACH : cut] for hint in _SMALL_HINTS):
            cut = low.find("\n", cut + 1, end)
        if cut < 0:
            break
        yield begin, cut
        begin = cut
    yield begin, end


def _without_blanks(text: str, begin: int, end: int) -> tuple[int, int]:
    """Widen a place to the next blanks, or by as much as the longest secret has."""
    before = _BLANK.search(text[max(0, begin - _LONGEST) : max(0, begin)][::-1])
    after = _BLANK.search(text, end, end + _LONGEST)
    first = begin - before.start() if before else begin - _LONGEST
    return max(0, first), min(len(text), after.start() if after else end + _LONGEST)


def _until_clean(text: str, found: list[str]) -> str:
    for _ in range(_ROUNDS):
        marked = _pass(text, found)
        if marked == text:
            break
        text = marked
    return text


def redact(text: str) -> tuple[str, list[str]]:
    """Replace the secrets in a text by marks like `[redacted: api key]`; also name the kinds found."""
    found: list[str] = []
    if len(text) > _CLOSE:
        text = _blocks(text, found)
        kept: list[str] = []
        at = 0
        for begin, end in _places(text):
            kept += [text[at:begin], _until_clean(text[begin:end], found)]
            at = end
        text = "".join([*kept, text[at:]])
    else:
        text = _until_clean(text, found)
    return text, list(dict.fromkeys(found))
