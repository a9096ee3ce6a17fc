"""Secrets never reach a file, and what is no secret stays as it was."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kit.vault.redact import redact

# Put together at run time, so that no scanner takes this file for a leak.
_LETTERS = "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA"
_SHA = "3f786850e387550fdab836ed7e6dc881de23001b"


@pytest.mark.parametrize(
    ("secret", "kind"),
    [
        ("sk-" + "proj-" + _LETTERS, "api key"),
        ("sk-" + "ant-api03-" + _LETTERS, "api key"),
        ("ghp_" + _LETTERS + "abcd", "github token"),
        ("github_pat_" + _LETTERS, "github token"),
        ("glpat-" + _LETTERS[:20], "gitlab token"),
        ("AKIA" + "Q3EGRZ7T2MXW5KPL", "aws key"),
        ("AIza" + _LETTERS + "xyz", "google key"),
        ("xoxb-" + "1234567890-" + _LETTERS, "slack token"),
        ("sk_live_" + _LETTERS, "stripe key"),
        ("npm_" + _LETTERS + "abcd", "npm token"),
        ("pypi-" + _LETTERS * 2, "pypi token"),
        ("hf_" + _LETTERS, "hugging face token"),
        ("eyJ" + _LETTERS + ".eyJ" + _LETTERS + "." + _LETTERS, "json web token"),
        ("glpat-" + _LETTERS[:27] + ".01" + ".1a2b3c4d5", "gitlab token"),
        ("glft-" + _LETTERS[:20], "gitlab token"),
        ("ABSK" + _LETTERS * 4 + "=", "aws key"),
        ("1//0" + _LETTERS * 2, "google token"),
        (_LETTERS[:20] * 2 + _LETTERS[:12] + "JQQJ99" + "BCACAAAABAZ" + _LETTERS[:14], "azure key"),
        ("LTAI" + "5t" + _LETTERS[:18], "aliyun key"),
        ("AKID" + _LETTERS, "tencent key"),
        ("dckr_" + "pat_" + _LETTERS[:27], "docker token"),
        ("r8_" + _LETTERS + "abcde", "replicate key"),
        ("pplx-" + _LETTERS + "abcd", "perplexity key"),
        ("nvapi-" + _LETTERS * 2, "nvidia key"),
        ("tvly-" + "dev-" + _LETTERS, "tavily key"),
        ("lsv2_" + "pt_" + _SHA[:32] + "_" + _SHA[:10], "langsmith key"),
        ("sbp_" + _SHA, "supabase key"),
        ("shpat_" + _SHA[:32], "shopify key"),
        ("lin_" + "api_" + _LETTERS, "linear key"),
        ("ntn_" + _LETTERS + _LETTERS[:14], "notion key"),
        ("ATATT3" + _LETTERS * 3 + "=1A2B", "atlassian key"),
        ("figd_" + _LETTERS + "abcdefgh", "figma key"),
        ("PMAK-" + _SHA[:24] + "-" + _SHA[:34], "postman key"),
        ("glsa_" + _LETTERS + "_" + _SHA[:8], "grafana key"),
        ("dapi" + _SHA[:32], "databricks key"),
        ("pscale_" + "pw_" + _LETTERS + "abc", "planetscale key"),
        ("dp." + "pt." + _LETTERS + "abcdefghijk", "doppler key"),
        ("hvs." + _LETTERS * 2, "vault key"),
        ("pul-" + _SHA, "pulumi key"),
        ("rubygems_" + _SHA + _SHA[:8], "rubygems key"),
        ("sqp_" + _SHA, "sonar key"),
        ("NRAK-" + "1HL2KSZPVQBFNQJEEZTEEE8AEXE", "new relic key"),
        ("xkeysib-" + _SHA + _SHA[:24] + "-" + _LETTERS[:16], "brevo key"),
        (_SHA[:32] + "-us12", "mailchimp key"),
        (_LETTERS[:14] + ".atlasv1" + "." + _LETTERS * 2, "terraform token"),
    ],
)
def test_vendor_keys_go_by_their_own_look(secret: str, kind: str) -> None:
    for frame in ("here: {}", "用这个：{}，好吗", '"{}"', "({})."):
        text, kinds = redact(frame.format(secret))
        assert secret not in text
        assert kinds == [kind]
        assert text == frame.format(f"[redacted: {kind}]")


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("password=hunter2", "hunter2"),
        ("my password is Tr0ub4dor&3.", "Tr0ub4dor&3"),
        ("密码是 hunter2secret", "hunter2secret"),
        ("密码：abc123，请记住", "abc123"),
        ("我的密码改成了 abc12345", "abc12345"),
        ("令牌为 x8Fk2Lq9Zp0Wm3Rt7Yv1", "x8Fk2Lq9Zp0Wm3Rt7Yv1"),
        ("export STRIPE_SECRET=abcdefgh", "abcdefgh"),
        ('export DB_PASSWORD="two words"', "two words"),
        ('{"password": "hunter2", "user": "bob"}', "hunter2"),
        ("token: abcd1234efgh", "abcd1234efgh"),
        ("aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfi", "wJalrXUtnFEMI/K7MDENG/bPxRfi"),
        ("Server=db;User Id=sa;Password=Pa$$w0rd;", "Pa$$w0rd"),
        ("postgres://app:s3cr3tpw@db/x", "s3cr3tpw"),
        ("redis://:pa55w0rd@localhost:6379/0", "pa55w0rd"),
        ("Authorization: Bearer abc.def-123456", "abc.def-123456"),
        ('curl -H "Authorization: Basic dXNlcjpwYXNz"', "dXNlcjpwYXNz"),
        ("mysql -u root --password s3cretpw1", "s3cretpw1"),
        ("the api key we were given is x8Fk2Lq9Zp0Wm3Rt7Yv1", "x8Fk2Lq9Zp0Wm3Rt7Yv1"),
        ("Set-Cookie: sid=abcdef1234567890; Path=/", "abcdef1234567890"),
        ("AccountName=a;AccountKey=" + "aB3/" * 20 + "==;", "aB3/aB3/"),
        ("-----BEGIN RSA PRIVATE KEY-----\nMIIEabc\n-----END RSA PRIVATE KEY-----\nok", "MIIEabc"),
        ("-----BEGIN PRIVATE KEY-----\nMIIEabc\nabc=", "MIIEabc"),
        ("a <private>my salary</private> b", "salary"),
        ("a <PRIVATE>one <private>two</private> three</private> b", "three"),
        ("a <private>never closed\n\nto the end", "end"),
    ],
)
def test_a_secret_is_replaced_by_a_mark(text: str, secret: str) -> None:
    marked, kinds = redact(text)
    assert secret not in marked
    assert "[redacted: " in marked
    assert kinds
    assert not any(secret in kind for kind in kinds)
    assert redact(marked)[0] == marked


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("https://discord.com/api/webhooks/657268738431841342/" + _LETTERS * 2, _LETTERS),
        ("https://open.feishu.cn/open-apis/bot/v2/hook/3f2a1b9c-77aa-4d2e-9a11-f85646960", "9a11-f85646960"),
        ("//registry.npmjs.org/:_auth=" + "dXNlcjpzM2NyZXRwYXNzd29yZA==", "dXNlcjpz"),
        ('"SessionToken": "' + _LETTERS * 12 + 'END=="', "END=="),
        ("client-key-data: " + _LETTERS * 60 + "END==", "END=="),
        ("SecretKey=" + _LETTERS, _LETTERS),
        ("credentials: AKIA" + "Q3EGRZ7T2MXW5KPL / " + _LETTERS + "abcdefgh", _LETTERS),
        ("SMTP_PASS=abcd efgh ijkl mnop", "mnop"),
        ("the password for the staging box is hunter2x", "hunter2x"),
        ("curl -u admin:s3cr3tpw1 https://h/x", "s3cr3tpw1"),
        ("curl -sS \\\n  --user 'bob:hunter2!' https://h/x", "hunter2!"),
        ("sshpass -p 'MyPass99' ssh root@h", "MyPass99"),
        ("mysql -uroot -pMyPass99 db", "MyPass99"),
        ("redis-cli -h db -a MyPass99 ping", "MyPass99"),
        ("docker login -u me -p MyPass99 registry", "MyPass99"),
        ("machine api.github.com login me password s3cr3tpw1", "s3cr3tpw1"),
        ("Cookie: theme=dark; sessionid=0cfv5zq3abuud0vkfb; lang=en", "0cfv5zq3abuud0vkfb"),
        ("curl -b 'sessionid=q4ct939rx77riqa94g' https://x", "q4ct939rx77riqa94g"),
        ("我的密码 qwe123456 你记一下", "qwe123456"),
        ("账号 admin 密码 admin888", "admin888"),
        ("密码就是zxcv1234", "zxcv1234"),
        ("把密码设置成 Hello2024", "Hello2024"),
        ("帐号密码分别是 admin 和 kdJ82kd9", "kdJ82kd9"),
        ("验证码密钥是『Hk29dk20dk2ld9』", "Hk29dk20dk2ld9"),
        ("密碼是 Abc98765", "Abc98765"),
        ("パスワードは hunter2x です", "hunter2x"),
        ("비밀번호는 hunter2x", "hunter2x"),
    ],
)
def test_a_secret_said_in_passing_is_found_whole(text: str, secret: str) -> None:
    marked, kinds = redact(text)
    assert secret not in marked
    assert kinds
    assert redact(marked)[0] == marked
    assert redact(_PROSE + text + _PROSE)[0] == _PROSE + marked + _PROSE


@pytest.mark.parametrize(
    "text",
    [
        "sk-button-primary-disabled-2",
        "docker run -u 1000:1000 --user 1000:1000 img",
        "curl -u https://x",
        "curl --user-agent=Tool:1.0.2 https://x",
        "curl -b cookies.txt https://x",
        "mysql -u root -p mydb2024",
        "mysql -P3306 -h db",
        "Set-Cookie: sid=; Max-Age=0; Path=/",
        "密码 SHA256 加密存储",
        "密码 6-20 位，包含字母和数字",
        "口令 OTP6 位",
        "密码用 bcrypt2 加密",
        "把密码改为必填",
        "the password is hashed with argon2id",
        "the password for the LoginFormController2 is validated",
        "The secret of OAuth2 is simple.",
        "localStorage storage_key: 'app-theme-v2'",
        "secretKeyRef: {name: db, key: pw}",
        "fw_update_firmware_version_12 calls secret_manager_service_account",
        "パスワードは必須です",
        "비밀번호는 필수입니다",
        "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI" + _LETTERS + " bob@host",
        "https://github.com/o/r/blob/" + _SHA + "/src/auth/token.ts#L10-L20",
        "data:image/png;base64," + "iVBORw0KGgoAAAANSUhEUgAAAEAAAABACAYAAACqaXHeAAAACXBIWXMAAAsTAAALEwEAmpwYAAAA" * 9,
        "!function(e,t){module.exports=t(e.token,n.key)}(this,function(){var r=e.passwordField,o=t.secretKey})",
        f"commit {_SHA} fixes the token bug",
        f'uv.lock: hash = "sha256:{_SHA}"',
        "id 123e4567-e89b-12d3-a456-426614174000 of the token table",
        "password: str",
        "password is required",
        "Password: must contain 8 characters",
        "if password == expected_password:",
        "password = os.environ['PW']",
        "token = get_token()",
        "token: ${{ secrets.DEPLOY }}",
        "max_tokens: 4096, we count tokens: 12000 a turn",
        "tokenizer: bert-base-uncased",
        "token_type: bearer",
        "secret_name: prod/db/main",
        "branch feature/add-token-refresh-2",
        "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAUA",
        "api key rotation at /srv/app/config/keys/Production2024/key.txt",
        "http://localhost:3000/@scope/pkg",
        "https://example.org/reset?step=2#token",
        "Bearer authentication is used",
        "the password field of LoginFormController2 is wrong",
        "The secret is to use small steps.",
        "scikit-learn and sk-learn-contrib",
        "risk-assessment-2024-quarterly-report-final",
        "密码错误，请重试",
        "密码是必填的",
        "这个令牌已经过期",
        "<your-token-here>",
        "password=<password>",
    ],
)
def test_what_is_no_secret_stays(text: str) -> None:
    assert redact(text) == (text, [])


def test_text_after_a_cut_off_key_stays() -> None:
    text, _ = redact("-----BEGIN PRIVATE KEY-----\nMIIEabc\nabc=\nThis comes after it.")
    assert text == "[redacted: private key]\nThis comes after it."


@pytest.mark.parametrize(
    "unit",
    [
        "a",
        "token=",
        "a.a-",
        "https://a:",
        "<private>",
        "-----BEGIN PRIVATE KEY-----!",
        "eyJa.",
        "sk-a",
        " ",
        "password is ",
        "secret_",
    ],
)
def test_half_a_megabyte_takes_seconds_at_most(unit: str) -> None:
    text = unit * (500_000 // len(unit))
    began = time.perf_counter()
    redact(text)
    assert time.perf_counter() - began < 20


_WORDS = (
    "password",
    "=",
    ": ",
    " is ",
    "token",
    "密码",
    "：",
    "hunter2",
    "x8Fk2Lq9Zp0Wm3Rt7Yv1",
    "sk-" + _LETTERS,
    '"',
    "'",
    " ",
    "\n",
    "[",
    "]",
    "redacted: ",
    "<private>",
    "</private>",
    "://a:",
    "@b",
    "Bearer ",
    _SHA,
    "-----BEGIN PRIVATE KEY-----",
    "-----END PRIVATE KEY-----",
    "_",
    ",",
    "api key",
    "Authorization: ",
    "--token ",
)
_PIECES = st.sampled_from(_WORDS)


@settings(max_examples=200, deadline=None)
@given(st.lists(_PIECES, max_size=14).map("".join))
def test_redacting_twice_is_redacting_once(text: str) -> None:
    once, _ = redact(text)
    assert redact(once)[0] == once


_PROSE = (
    "\n\n\n\n\n" + "The gateway listens on a port that nobody remembers, so it stands in a note.\n" * 300 + "\n\n\n\n\n"
)
_LINES = [piece for piece in _WORDS if not piece.startswith(("<", "-----"))]


@settings(max_examples=100, deadline=None)
@given(st.lists(st.sampled_from(_LINES), max_size=14).map("".join))
def test_in_a_long_text_the_same_is_taken_out_as_in_a_short_one(text: str) -> None:
    short, kinds = redact(text)
    assert redact(_PROSE + text + _PROSE) == (_PROSE + short + _PROSE, kinds)
    assert redact(text + _PROSE)[0] == short + _PROSE
    assert redact(_PROSE + text)[0] == _PROSE + short


@pytest.mark.parametrize(
    "secret", ["token: " + "x8Fk2Lq9" * 12, "eyJ" + "ab1C" * 900 + "." + "dE2f" * 1500 + ".x8Fk2Lq9"]
)
def test_a_secret_longer_than_the_place_of_its_hint_goes_whole(secret: str) -> None:
    text, kinds = redact(f"{_PROSE}{secret} and more{_PROSE}")
    assert kinds
    assert "x8Fk2Lq9" not in text
    assert "dE2f" not in text
    assert text.endswith(f" and more{_PROSE}")


def test_a_value_in_the_next_line_is_found_wherever_a_long_text_could_be_cut() -> None:
    for filler in range(0, 120, 7):
        line = f"{'a' * filler} password:\nx8Fk2Lq9Zp0Wm3\n"
        text, _ = redact(line * 1200)
        assert "x8Fk2Lq9" not in text
