"""Marks in the place of secrets: of blocks, of what is given to a name, and of what follows a known word."""

from __future__ import annotations

import re

from kit.vault.redact.values import PLACEHOLDER, is_random, is_secret, is_word, kind_of

_PRIVATE = re.compile(r"(?i)<(/?)private>")
_KEY_BEGIN = re.compile(r"-----BEGIN (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----")
_KEY_END = re.compile(r"-----END (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----")
_KEY_REACH = 12_000
"""The longest private key, in characters; an end mark beyond it belongs to another."""
_KEY_LINES = re.compile(
    r"(?:(?:\r?\n|\\n)[ \t>|\"'+]{0,8}(?:[A-Za-z0-9+/=]{1,200}|"
    r"[\w-]{1,30}: [\w,-]{1,100})?[ \t\"',+\\]{0,4}(?=\r?\n|\\n|$))*"
)
USERINFO = re.compile(
    r"(?i)(?<![\w+.-])([a-z][a-z0-9+.-]{1,30}://[^\s:/@?#\"'<>\[\]]{0,100}:)([^\s/\"'<>\[\]`]{1,200})@(?=[\w\[])"
)
HEADER = re.compile(
    r"(?i)(\b(?:proxy-)?authorization[\"']?\s{0,3}[:=]\s{0,3}[\"']?(?:(?:bearer|basic|token|"
    r"digest|apikey|negotiate)\s{1,3})?|\bbearer\s{1,3})"
    r"([A-Za-z0-9+/_.~=-]{8,4000})"
)
_COOKIES = re.compile(
    r"(?i)(?:\b(?:set-)?cookie[\"']?:\s{0,3}[\"']?|\bcurl\b(?:(?!curl)[^\n]){0,300}?\s(?:-b|--cookie)[ =][\"']?)"
    r"(?:[\w.-]{1,60}=[^\s;,\"'\[\]]{0,4000}(?:;[ ]?|(?![^\s,\"']))){1,40}"
)
_COOKIE = re.compile(r"([\w.-]{1,60}=)([\w%+/.:|~=-]{12,4000})")
COMMANDS = ("sshpass", "mysql", "mariadb", "redis-cli", "login ")
"""What stands in whatever `COMMAND` is about."""
CURL = re.compile(
    r"(\bcurl\b(?:(?!curl)(?:[^\n]|(?<=\\)\n)){0,400}?"
    r"\s(?:-[uU][ ]?|--(?:proxy-)?user[ =])[\"']?[^\s:\"'\[\]]{1,100}:)"
    r"((?!//)[^\s\"'\[\]]{3,300})"
)
COMMAND = re.compile(
    r"(\bsshpass[ ]{1,2}-p[ ]?[\"']?|"
    r"\b(?:mysql|mariadb)[\w-]{0,12}[ ](?:(?!mysql|mariadb)[^\n]){0,200}?(?<=[ ])-p[\"']?|"
    r"\bredis-cli[ ](?:(?!redis)[^\n]){0,200}?(?<=[ ])-a[ ][\"']?|"
    r"\blogin[ ](?:(?!login)[^\n]){0,200}?(?<=[ ])-p[ ][\"']?|"
    r"\bmachine[ ][^\s\[\]]{1,100}\s{1,3}login[ ][^\s\[\]]{1,100}\s{1,3}password[ ])"
    r"([^\s\"'\[\]]{6,300})"
)
_LONG = 8_000
"""Characters of the longest value: a certificate's key in one line of base64."""
_SENSITIVE = (
    r"pass(?:word|wd|phrase)|(?<![a-z])pwd|(?<![a-z])pass(?![a-z])|secret|token|api[ _-]?key|"
    r"access[ _-]?key|private[ _-]?key|"
    r"account[ _-]?key|encryption[ _-]?key|signing[ _-]?key|auth[ _-]?key|client[ _-]?key|credentials?|"
    r"密码|口令|密钥|令牌|私钥|秘钥|密碼|密鑰|金鑰|權杖|パスワード|비밀번호"
)
_ASSIGNED = re.compile(
    rf"(?i)(?<!redacted: )(?P<name>{_SENSITIVE})(?P<suffix>(?:[_-][\w-]{{0,40}}|s|\d{{1,3}}|[ ]?key)?)"
    r"(?P<sep>[\"'`]?\s{0,3}(?:=>|:=|={1,2}|[:：＝])\s{0,3}|[\"'`]?\s{1,3}is\s{0,2}:?\s{1,3}|"
    r"[\"'`]?\s(?:for|of|on|to)\s[^\n.,;:=\[\]]{1,40}?\sis:?\s{1,3}|"
    r"\s{0,2}(?:(?:改|设|設|设置|設置|设定|設定)(?:成|为|為)|就?是|为|為|は|는|은)了?[：:]?\s{0,3}|"
    r"分别[是为]\s?[^\s，。,]{1,60}\s?[和、,，/]\s?|"
    r"(?<=[码令碼])[ \t]{1,3}(?=(?-i:[\w@#$!.]{0,20}[a-z]))(?=[\w@#$!.]{0,20}\d))"
    r"(?:(?P<quote>[\"'`“「『])(?P<quoted>[^\"'`”」』\n\[]{1,300})(?=[\"'`”」』])|"
    r"(?P<bare>(?:(?<==)|(?<==[ ]))[a-z]{4}(?:[ ][a-z]{4}){3}(?![ ]?\w)|"
    rf"[!-+\--:=-Z^-z|~\\][!-+\--:=-Z\\^-z|~]{{2,{_LONG}}}))"
)
_KEYS = ("api", "access", "private", "account", "encryption", "signing", "auth", "client")
NAMES = (
    *("pass", "pwd", "secret", "token", "credential", "aws key", "密码", "口令", "密钥", "令牌", "私钥", "秘钥"),
    *("密碼", "密鑰", "金鑰", "權杖", "パスワード", "비밀번호"),
    *(f"{whose}{between}key" for whose in _KEYS for between in (" ", "_", "-", "")),
)
"""What stands, in small letters, in whatever is given to a secret-like name."""
FLAG = re.compile(
    r"(?i)(?<![\w-])(--?(?:password|passwd|token|api-key|secret|"
    r"client-secret)[ ]{1,2})([^\s\"'\[\]$<-][^\s\"'\[\]]{5,200})"
)
_NEAR = re.compile(
    r"(?i)(?:\[redacted: aws key\]|(?<!redacted: )(?<![a-z])(?:secret|token|api[ _-]?key|access[ _-]?key|credential|"
    r"password|passphrase|密码|口令|密钥|令牌)s?(?![a-z]))"
    rf"[^\n\[\]]{{0,40}}?(?<![\w+/=.-])(?P<value>[\w+/=-]{{20,{_LONG}}})(?![\w+/=.-])"
)


def blocks(text: str, found: list[str]) -> str:
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


def assigned(text: str, found: list[str]) -> str:
    """Mark what is given to a secret-like name."""

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
        if not value or not is_secret(
            name, value, quoted=bool(match["quoted"]), separator=match["sep"], env=env, last=last
        ):
            return match[0]
        kind = kind_of(name)
        found.append(kind)
        head = match[0][: match.start("quoted" if match["quoted"] else "bare") - match.start()]
        return f"{head}[redacted: {kind}]{tail}"

    return _ASSIGNED.sub(mark, text)


def near(text: str, found: list[str]) -> str:
    """Mark what looks drawn by a machine and stands soon after a secret-like name."""

    def mark(match: re.Match[str]) -> str:
        if not is_random(match["value"]):
            return match[0]
        found.append("secret")
        return match[0][: match.start("value") - match.start()] + "[redacted: secret]"

    return _NEAR.sub(mark, text)


def cookies(text: str, found: list[str]) -> str:
    """Mark the values of cookies, all that stand in a line."""

    def mark(match: re.Match[str]) -> str:
        return after(_COOKIE, "cookie", match[0], found)

    return _COOKIES.sub(mark, text)


def after(pattern: re.Pattern[str], kind: str, text: str, found: list[str], *, tail: str = "") -> str:
    """Mark the second group of a pattern, keeping the first."""

    def mark(match: re.Match[str]) -> str:
        if (
            PLACEHOLDER.match(match[2])
            or is_word(match[2])
            or (kind == "token" and not re.search(r"\d|[a-z][A-Z]|.{24}", match[2]))
        ):
            return match[0]
        found.append(kind)
        return f"{match[1]}[redacted: {kind}]{tail}"

    return pattern.sub(mark, text)
