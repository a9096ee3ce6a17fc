"""Whether a value that stands by a secret-like name is a secret, or a word, a placeholder or a piece of code."""

from __future__ import annotations

import math
import re
from collections import Counter

_WORDY = re.compile(
    r"(?:"
    r"none|null|nil|true|false|undefined|string|str|text|int|bool|boolean|required|optional|hidden|invalid|"
    r"incorrect|wrong|missing|empty|reset|changed|expired|unknown|secret|password|token|bytes|any|object|"
    r"stored|hashed|encrypted|unset|enabled|disabled|default|needed|valid|correct|protected|ok|yes|no|not|too|"
    r"the|your|field|input|prompt|self|this|set|used|rotated|safe|fine|bearer|"
    r"(?:sha|md|aes|rsa|bcrypt|argon|scrypt|pbkdf|oauth|base|utf|t?otp)[-_]?\d{1,4}[a-z]{0,2}"
    r")"
)
PLACEHOLDER = re.compile(
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


def kind_of(name: str) -> str:
    """Name the kind of secret that a name speaks of."""
    return next((kind for kind, words in _KINDS if words.search(name)), "password")


def _entropy(text: str) -> float:
    """Measure Shannon entropy in bits a character."""
    return -sum(n / len(text) * math.log2(n / len(text)) for n in Counter(text).values()) if text else 0.0


def is_random(value: str) -> bool:
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


def is_secret(name: str, value: str, *, quoted: bool, separator: str, env: bool, last: bool) -> bool:
    """Judge a value that is given to a secret-like name."""
    if PLACEHOLDER.match(value) or is_word(value):
        return False
    if not quoted and (_EXPRESSION.match(value) or _VARIABLE.fullmatch(value)):
        return False
    telling = bool(re.search(r"\d|[!@#$%^&*]", value)) or bool(re.search(r"[a-z][A-Z]|[A-Z][a-z]+[A-Z]", value))
    spoken = not quoted and "=" not in separator and "＝" not in separator
    if kind_of(name) == "password":
        return len(value) >= 4 and (telling or not spoken or (last and separator.strip()[-1:] in ":："))  # noqa: PLR2004 - shorter is a word
    if value.isdigit() or re.fullmatch(r"[\d.,]+[kKmM]?", value):
        return len(value) >= 16 and not re.search(r"(?i)token", name)  # noqa: PLR2004 - a count of tokens is no token
    if len(value) < 8 or (" " in value.strip()):  # noqa: PLR2004 - no key is that short
        return False
    return telling or env or (len(value) >= 20 and _entropy(value) >= 3.5)  # noqa: PLR2004 - random letters


def is_word(value: str) -> bool:
    """Tell whether a value is one of the plain words that follow such names."""
    return bool(_WORDY.fullmatch(value.strip(" .,;:!?)。，；").lower()))
