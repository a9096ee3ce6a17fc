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
_MADE = (
    ("replicate", "r8_", r"r8_[A-Za-z0-9]{30,50}"),
    ("perplexity", "pplx-", r"pplx-[A-Za-z0-9]{30,80}"),
    ("nvidia", "nvapi-", r"nvapi-[\w-]{40,100}"),
    ("fireworks", "fw_", r"fw_(?=[A-Za-z]{0,24}\d)[A-Za-z0-9]{20,40}(?!\w)"),
    ("tavily", "tvly-", r"tvly-(?:dev-|prod-)?[A-Za-z0-9]{20,60}"),
    ("firecrawl", "fc-", r"fc-[0-9a-f]{32}(?![A-Za-z0-9])"),
    ("langsmith", "lsv2_", r"lsv2_(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{10}"),
    ("vercel", "vercel_blob_rw_", r"vercel_blob_rw_\w{30,100}"),
    ("supabase", "sbp_ sb_secret_", r"(?:sbp_[0-9a-f]{40}|sb_secret_[\w-]{20,60})"),
    ("shopify", "shpat_ shpca_ shppa_ shpss_ shptka_", r"shp(?:at|ca|pa|ss|tka)_[0-9a-fA-F]{32}"),
    ("linear", "lin_api_ lin_oauth_ lin_wh_", r"lin_(?:api|oauth|wh)_[A-Za-z0-9]{30,80}"),
    ("notion", "ntn_ secret_", r"(?:ntn_|secret_)(?=[A-Za-z]{0,40}\d)[A-Za-z0-9]{40,60}(?!\w)"),
    ("atlassian", "ATATT3 ATCTT3 ATBB", r"(?:AT[AC]TT3[\w=-]{60,300}|ATBB[A-Za-z0-9]{28,40}(?![A-Za-z0-9]))"),
    ("figma", "figd_ figo_", r"fig[do]_[\w-]{38,80}"),
    ("postman", "PMAK-", r"PMAK-[0-9a-f]{24}-[0-9a-f]{34}"),
    ("grafana", "glsa_ glc_", r"(?:glsa_[A-Za-z0-9]{32}_[0-9a-f]{8}|glc_[A-Za-z0-9+/]{40,400}={0,2})"),
    ("databricks", "dapi", r"dapi[0-9a-f]{32}(?:-\d)?(?![A-Za-z0-9])"),
    ("planetscale", "pscale_", r"pscale_(?:tkn|pw|oauth)_[\w.=-]{32,80}"),
    ("doppler", "dp.pt. dp.st. dp.ct. dp.sa.", r"dp\.(?:pt|st|ct|sa)\.(?:[\w-]{1,40}\.)?[A-Za-z0-9]{40,50}"),
    ("vault", "hvs. hvb. hvr.", r"hv[sbr]\.[\w-]{24,300}"),
    ("pulumi", "pul-", r"pul-[0-9a-f]{40}(?![A-Za-z0-9])"),
    ("rubygems", "rubygems_", r"rubygems_[0-9a-f]{48}"),
    ("sonar", "sqp_ squ_ sqa_", r"sq[pua]_[0-9a-f]{40}"),
    ("new relic", "NRAK- NRJS- NRII-", r"NR(?:AK|JS|II)-[\w-]{19,40}"),
    ("mailgun", "key-", r"key-[0-9a-f]{32}(?![A-Za-z0-9-])"),
    ("brevo", "xkeysib- xsmtpsib-", r"x(?:key|smtp)sib-[0-9a-f]{64}-[A-Za-z0-9]{16}"),
    ("paypal", "access_token$", r"access_token\$(?:production|sandbox)\$[a-z0-9]{16}\$[0-9a-f]{32}"),
    ("1password", "ops_eyJ", r"ops_eyJ[\w+/=-]{100,4000}"),
)
"""Makers whose keys begin with letters of their own: maker, what it begins with, and its look."""
SHAPES = (
    _shape("api key", "sk-", _EDGE + r"sk-(?=[\w-]{0,80}\d)(?=[\w-]{0,80}\w{10})[A-Za-z0-9][\w-]{18,250}"),
    _shape("github token", "ghp_ gho_ ghu_ ghs_ ghr_", _EDGE + r"gh[pousr]_[A-Za-z0-9]{20,255}"),
    _shape("github token", "github_pat_", _EDGE + r"github_pat_\w{20,255}"),
    _shape(
        "gitlab token",
        "glpat- gldt- glrt- glptt- glcbt- gloas- glft- glsoat- glagent- glimt- glffct-",
        _EDGE + r"gl(?:pat|dt|rt|ptt|cbt|oas|ft|soat|agent|imt|ffct)-[\w-]{18,300}(?:\.[a-z0-9]{2}\.[a-z0-9]{6,12})?",
    ),
    _shape("aws key", "AKIA ASIA ABIA ACCA", _EDGE + r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{12,20}(?![A-Za-z0-9])"),
    _shape("aws key", "ABSK bedrock-api-key-", _EDGE + r"(?:ABSK|bedrock-api-key-)[A-Za-z0-9+/]{100,4000}={0,2}"),
    _shape("google key", "AIza", _EDGE + r"AIza[\w-]{30,50}"),
    _shape("google token", "ya29.", _EDGE + r"ya29\.[\w-]{20,500}"),
    _shape("google token", "1//0", _EDGE + r"1//0[\w-]{40,120}"),
    _shape("google secret", "GOCSPX-", _EDGE + r"GOCSPX-[\w-]{20,60}"),
    _shape("slack token", "xox", _EDGE + r"xox[abeoprs](?:\.xox[bp])?-[\w-]{10,250}"),
    _shape("slack token", "xapp-", _EDGE + r"xapp-[\w-]{20,250}"),
    _shape(
        "slack webhook", "hooks.slack.com/", r"(?<=hooks\.slack\.com/)(?:services|workflows|triggers)/[\w/]{20,200}"
    ),
    _shape("webhook", "/api/webhooks/", r"(?<=/api/webhooks/)\d{15,22}/[\w-]{40,100}"),
    _shape("webhook", "/bot/v2/hook/", r"(?<=/bot/v2/hook/)[\w-]{20,60}"),
    _shape("webhook", "/webhook/send?key=", r"(?<=/webhook/send\?key=)[\w-]{20,60}"),
    _shape("webhook", ".webhook.office.com/", r"(?<=\.webhook\.office\.com/)webhookb2/[\w@/-]{40,300}"),
    _shape("stripe key", "k_live_ k_test_", _EDGE + r"(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{10,250}"),
    _shape("webhook secret", "whsec_", _EDGE + r"whsec_[\w+/=-]{20,100}"),
    _shape("npm token", "npm_", _EDGE + r"npm_[A-Za-z0-9]{30,60}"),
    _shape("pypi token", "pypi-", _EDGE + r"pypi-[\w-]{40,500}"),
    _shape("npm token", "_auth=", r"(?<=_auth=)(?=[A-Za-z+/]{0,60}\d)[A-Za-z0-9+/]{12,400}={0,2}(?![\w.])"),
    _shape("docker token", "dckr_", _EDGE + r"dckr_(?:pat|oat)_[\w-]{20,100}"),
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
    _shape("azure key", "JQQJ9", _EDGE + r"[A-Za-z0-9]{50,54}JQQJ9[A-Za-z0-9]{20,40}"),
    _shape("azure token", "AZDO", _EDGE + r"[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}(?![A-Za-z0-9])"),
    _shape("aliyun key", "LTAI", _EDGE + r"LTAI(?=[A-Za-z]{0,20}\d)[A-Za-z0-9]{12,30}(?![A-Za-z0-9])"),
    _shape("tencent key", "AKID", _EDGE + r"AKID(?=[A-Za-z]{0,32}\d)[A-Za-z0-9]{28,40}(?![A-Za-z0-9])"),
    *(_shape(f"{maker} key", hints, _EDGE + pattern) for maker, hints, pattern in _MADE),
    _shape(
        "mailchimp key",
        "-us1 -us2 -us3 -us4 -us5 -us6 -us7 -us8 -us9",
        _EDGE + r"[0-9a-f]{32}-us\d{1,2}(?!\w)",
    ),
    _shape("terraform token", ".atlasv1.", _EDGE + r"[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{50,90}"),
    _shape("facebook token", "EAA", r"(?<![\w+/=])EAA[A-Z][A-Za-z0-9]{90,400}(?![\w+/=])"),
    _shape("square token", "EAAA", r"(?<![\w+/=])EAAA[\w-]{60}(?![\w+/=-])"),
    _shape("age key", "AGE-SECRET-KEY-", _EDGE + r"AGE-SECRET-KEY-1[A-Z0-9]{50,70}"),
)
