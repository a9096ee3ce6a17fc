"""Secrets that are known by their own look: the keys and tokens of well-known makers."""

from __future__ import annotations

import re
from typing import NamedTuple


class _Shape(NamedTuple):
    """A secret known by its own look; one of `hints`, plain strings, stands in each."""

    kind: str
    hints: tuple[str, ...]
    pattern: re.Pattern[str]


def _shape(kind: str, hints: str, pattern: str) -> _Shape:
    return _Shape(kind, tuple(hints.split(" ")), re.compile(pattern, re.ASCII))


_EDGE = r"(?<![A-Za-z0-9])"
SHAPES = (
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
