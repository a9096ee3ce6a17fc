"""Who may ask, and who may not."""

from __future__ import annotations

import json
import os
import signal
import socket
import stat
import subprocess
import sys

import pytest

from kit import places
from kit.errors import BadInputError, UnavailableError
from kit.web import serving
from tests.daemon.conftest import until
from tests.web.conftest import Site, served

STATS = "/api/memory/stats"


def test_without_the_token_nothing_is_told_and_nothing_done(site: Site) -> None:
    for headers in ({}, {"Authorization": "Bearer wrong"}, {"Cookie": f"memkit-{site.port}=wrong"}, {"Cookie": '"\\'}):
        assert site.ask("GET", STATS, headers=headers, token=False).status == 401
        assert site.ask("GET", "/api/openapi.json", headers=headers, token=False).status == 401
        refused = site.ask("POST", "/api/memory/clear", {"layer": "all"}, headers, token=False)
        assert refused.status == 401
    assert site.get("memory/stats")["total"] > 40


def test_the_token_is_not_in_anything_that_is_served(site: Site) -> None:
    for path in ("/", "/js/main.js", "/style.css", "/api/openapi.json"):
        assert site.token.encode() not in site.ask("GET", path).raw


def test_the_page_trades_the_token_for_a_cookie_no_script_can_read(site: Site) -> None:
    refused = site.ask("POST", "/api/session", {"token": "wrong"}, token=False)
    assert (refused.status, "set-cookie" in refused.headers) == (401, False)
    answer = site.ask("POST", "/api/session", {"token": site.token}, token=False)
    cookie = answer.headers["set-cookie"]
    assert answer.status == 200
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    assert "Domain" not in cookie
    assert site.ask("GET", STATS, headers={"Cookie": cookie.partition(";")[0]}, token=False).status == 200


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:{port}", "127.0.0.1", "localhost:1", "127.0.0.1:{port}.evil.example"]
)
def test_a_name_that_only_leads_here_is_refused(site: Site, host: str) -> None:
    answer = site.ask("GET", STATS, headers={"Host": host.format(port=site.port)})
    assert answer.status == 421
    assert site.ask("GET", "/", headers={"Host": host.format(port=site.port)}).status == 421


def test_each_own_name_is_served(site: Site) -> None:
    for host in (f"127.0.0.1:{site.port}", f"localhost:{site.port}", f"[::1]:{site.port}"):
        assert site.ask("GET", STATS, headers={"Host": host}).status == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"}, {"Origin": "null"}, {"Origin": "https://127.0.0.1:{port}"},
        {"Origin": "http://127.0.0.1:1"}, {"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "same-site"},
        {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"},
    ],
)  # fmt: skip
def test_another_site_may_neither_read_nor_act(site: Site, headers: dict[str, str]) -> None:
    sent = {name: value.format(port=site.port) for name, value in headers.items()}
    assert site.ask("GET", STATS, headers=sent).status == 403
    assert site.ask("POST", "/api/undo", {}, sent).status == 403


def test_our_own_page_may_ask_and_no_site_is_told_that_it_may(site: Site) -> None:
    own = f"http://localhost:{site.port}"
    answer = site.ask("GET", STATS, headers={"Origin": own, "Sec-Fetch-Site": "same-origin"})
    assert answer.status == 200
    assert not [name for name in answer.headers if name.startswith("access-control-")]
    assert site.ask("OPTIONS", STATS, headers={"Origin": "http://evil.example"}).status == 403
    assert site.ask("GET", "/", headers={"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}).status == 200


def test_a_form_of_another_page_can_t_post(site: Site) -> None:
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data"):
        assert site.ask("POST", "/api/undo", b"{}", {"Content-Type": kind}).status == 415


def test_too_much_is_refused_whether_its_length_is_told_or_not(site: Site) -> None:
    big = {"text": "x" * 300_000}
    assert site.ask("POST", "/api/memory/add", big).status == 413
    head = (
        f"POST /api/memory/add HTTP/1.1\r\nHost: 127.0.0.1:{site.port}\r\nAuthorization: Bearer {site.token}\r\n"
        "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", site.port), 30) as line:
        line.sendall(head.encode())
        chunk = b"10000\r\n" + b" " * 0x10000 + b"\r\n"
        line.sendall(chunk * 5 + b"0\r\n\r\n")
        assert line.makefile("rb").readline().split()[1] == b"413"


def test_browsers_are_told_to_load_nothing_from_elsewhere(site: Site) -> None:
    for path in ("/", STATS, "/nothing"):
        told = site.ask("GET", path).headers
        policy = told["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        assert "http" not in policy
        assert told["x-content-type-options"] == "nosniff"
        assert told["referrer-policy"] == "no-referrer"
    assert site.ask("GET", "/nothing").headers["cache-control"] == "no-store"


@pytest.mark.skipif(os.name == "nt", reason="modes are POSIX")
def test_the_token_lies_where_only_its_owner_can_read_it(site: Site) -> None:
    file = places.runtime_folder(site.root) / serving.KEPT
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    assert json.loads(file.read_text())["token"] == site.token


def test_each_start_has_a_token_of_its_own_and_takes_it_away_at_the_end() -> None:
    with served(MEMKIT_DAEMON_START="false") as one:
        file = places.runtime_folder(one.root) / serving.KEPT
        with socket.socket() as free:
            assert free.connect_ex(("127.0.0.1", one.port)) == 0
        assert one.get("memory/stats")["semantic"] == 13  # also without a daemon
        tokens = {one.token, json.loads(file.read_text())["token"]}
    assert len(tokens) == 1
    assert not file.exists()


@pytest.mark.skipif(os.name == "nt", reason="signals are POSIX")
def test_an_end_by_signal_takes_the_token_away_too() -> None:
    with served(MEMKIT_DAEMON_START="false") as one:
        file = places.runtime_folder(one.root) / serving.KEPT
        os.kill(json.loads(file.read_text())["pid"], signal.SIGTERM)
        until(lambda: not file.exists())


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.1", "example.org", ""])  # noqa: S104 - refused
def test_only_this_machine_is_listened_to(host: str) -> None:
    with pytest.raises(BadInputError), serving._listening(host, 0):
        pass


def test_a_taken_port_is_told_and_the_usual_one_gives_way() -> None:
    with serving._listening("127.0.0.1", 0) as first:
        port = first.getsockname()[1]
        with pytest.raises(UnavailableError, match="--port 0"), serving._listening("127.0.0.1", port):
            pass
    with serving._listening("127.0.0.1", None) as one, serving._listening("127.0.0.1", None) as two:
        assert one.getsockname()[1] != two.getsockname()[1]


def test_the_command_line_pays_nothing_for_the_page() -> None:
    code = "import sys, kit.cli, kit.cli.web; print({'starlette', 'uvicorn', 'kit.web'} & sys.modules.keys())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
