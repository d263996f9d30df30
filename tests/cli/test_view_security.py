"""Who may drive `dalembert view`, and what he cannot do with it: other sites and other users, broken and hostile requests,
hostile models."""

import base64
import hashlib
import json
import os
import pathlib
import re
import socket
import threading
import time

import pytest

from conftest import MODELS
from viewing import View

PENDULUM = (MODELS / "pendulum.toml").read_text("utf-8")


@pytest.fixture(scope="module")
def view(tmp_path_factory):
    directory = tmp_path_factory.mktemp("view")
    (directory / "mine.toml").write_text(PENDULUM)
    with View(directory, "mine.toml") as server:
        server.directory = directory
        yield server
        # Whatever was tried, it still works, and the file is as it was.
        assert server.get("alive")[0] == 200
        assert server.motion(text=PENDULUM).document["summary"]["complete"]
        assert (directory / "mine.toml").read_text() == PENDULUM
        assert os.listdir(directory) == ["mine.toml"]


def everything(view, headers):
    """The status of a request to each address."""
    body = json.dumps({"text": "# theirs\n", "replace": True}).encode()
    return {
        view.open("GET", view.base, headers=headers).status,
        view.open("GET", view.base + "alive", headers=headers).status,
        view.open("POST", view.base + "simulate", json.dumps({"text": PENDULUM}).encode(), headers=headers).status,
        view.open("POST", view.base + "save", body, headers=headers).status,
    }


@pytest.mark.parametrize("host", [
    "evil.example", "evil.example:{port}", "127.0.0.1", "localhost", "127.0.0.1:1", "127.0.0.1.evil.example:{port}",
    "127.0.0.1:{port}.evil.example", "127.0.0.1:{port}@evil.example", "127.1:{port}", "0.0.0.0:{port}", "", None,
    "[::1]:{port}", "2130706433:{port}", "localhost.:{port}",
])
def test_another_name_for_this_machine_is_refused(view, host):
    assert everything(view, {"Host": host and host.format(port=view.port)}) == {403}


def test_the_own_names_will_do(view):
    for host in (f"127.0.0.1:{view.port}", f"localhost:{view.port}", f"LocalHost:{view.port}"):
        assert view.open("GET", view.base, headers={"Host": host}).status == 200
        assert view.open("GET", view.base, headers={"Host": host, "Origin": f"http://{host}"}).status == 200


def test_two_hosts_are_refused(view):
    request = f"GET {view.base} HTTP/1.1\r\nHost: {view.host}\r\nHost: evil.example\r\n\r\n"
    assert view.raw(request.encode()).startswith(b"HTTP/1.1 403 ")


@pytest.mark.parametrize("origin", [
    "http://evil.example", "https://127.0.0.1:{port}", "http://127.0.0.1", "http://127.0.0.1:1", "null",
    "http://127.0.0.1:{port}.evil.example", "http://localhost:{port}/", "file://",
])
def test_a_page_of_another_origin_is_refused(view, origin):
    assert everything(view, {"Origin": origin.format(port=view.port)}) == {403}


@pytest.mark.parametrize("site", ["cross-site", "same-site", "anything"])
def test_a_browser_that_says_where_a_request_comes_from_is_believed(view, site):
    assert everything(view, {"Sec-Fetch-Site": site}) == {403}
    assert view.open("GET", view.base, headers={"Sec-Fetch-Site": "none"}).status == 200
    assert view.open("GET", view.base + "alive", headers={"Sec-Fetch-Site": "same-origin"}).status == 200


def test_no_other_origin_is_invited(view):
    response = view.open("OPTIONS", view.base + "simulate",
                         headers={"Origin": "http://evil.example", "Access-Control-Request-Method": "POST",
                                  "Access-Control-Request-Headers": "content-type"})
    assert response.status == 403
    assert not [name for name, _ in response.getheaders() if name.lower().startswith("access-control")]


def test_the_page_may_run_its_own_script_and_no_other(view):
    page = view.open("GET", view.base).read().decode("utf-8")
    scripts = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    assert len(scripts) == 1
    allowed = "'sha256-" + base64.b64encode(hashlib.sha256(scripts[0].encode()).digest()).decode() + "'"
    response = view.open("GET", view.base)
    stated = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page).group(1)
    for policy in (response.getheader("Content-Security-Policy"), stated):
        assert f"script-src {allowed};" in policy
    assert not re.search(r"<[a-z][^>]* on[a-z]+=", page.replace(scripts[0], ""))


def test_every_answer_says_how_it_may_be_used(view):
    answers = [view.open("GET", view.base), view.open("GET", view.base + "alive"), view.open("GET", "/"),
               view.open("GET", view.base, headers={"Host": "evil.example"}),
               view.open("POST", view.base + "save", b"{}"),
               view.open("POST", view.base + "simulate", json.dumps({"text": ""}).encode())]
    for response in answers:
        header = lambda name: response.getheader(name)
        assert header("Cache-Control") == "no-store"
        assert header("X-Content-Type-Options") == "nosniff"
        assert header("Referrer-Policy") == "no-referrer"
        assert header("X-Frame-Options") == "DENY"
        assert header("Cross-Origin-Resource-Policy") == "same-origin"
        policy = header("Content-Security-Policy")
        assert "default-src 'none'" in policy and "frame-ancestors 'none'" in policy
        directives = {words[0]: words[1:] for words in (part.split() for part in policy.split(";"))}
        assert len(directives["script-src"]) == 1 and directives["script-src"][0].startswith("'sha256-")
        assert header("Server") is None


@pytest.mark.parametrize("target", [
    "/", "/alive", "/simulate", "{base}x", "{base}index.html", "{base}mine.toml", "{base}.", "{base}..", "{base}../",
    "{base}../{token}/", "{base}./alive", "{base}/alive", "{base}alive/", "{base}alive?x=1", "{base}?x",
    "{base}%61live", "{base}..%2f..%2fetc%2fpasswd", "{base}../../../../etc/passwd", "{base}%2e%2e/%2e%2e/etc/passwd",
    "{base}..%c0%af..%c0%afetc/passwd", "{base}..\\..\\etc\\passwd", "{base}alive%00", "{base}simulate", "{base}save",
    "//etc/passwd", "/etc/passwd", "/../../../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "{bare}", "{upper}",
    "{shorter}", "{longer}", "{other}", "http://127.0.0.1:{port}{base}", "file:///etc/passwd", "*",
])
def test_nothing_but_its_addresses_is_found(view, target):
    token = view.base.strip("/")
    other = ("0" if token[0] != "0" else "1") + token[1:]
    target = target.format(base=view.base, token=token, bare=f"/{token}", upper=view.base.upper() + "ALIVE",
                           shorter=f"/{token[:-1]}/", longer=f"/{token}0/", other=f"/{other}/", port=view.port)
    received = view.raw(f"GET {target} HTTP/1.1\r\nHost: {view.host}\r\n\r\n".encode())
    head, body = received.split(b"\r\n\r\n", 1)
    assert head.startswith(b"HTTP/1.1 404 ") or head.startswith(b"HTTP/1.1 400 "), head
    assert body == b""
    assert b"root:" not in received


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "HEAD", "TRACE", "CONNECT", "PROPFIND", "get"])
def test_other_verbs_find_nothing(view, method):
    for name in ("", "alive", "simulate", "save"):
        received = view.raw(f"{method} {view.base}{name} HTTP/1.1\r\nHost: {view.host}\r\n\r\n".encode())
        assert received.startswith((b"HTTP/1.1 404 ", b"HTTP/1.1 400 ")), received
    assert view.open("POST", view.base, b"{}").status == 404
    assert view.open("POST", view.base + "alive", b"{}").status == 404


@pytest.mark.parametrize("content_type", [
    None, "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/jsonp",
    "text/plain; application/json",
])
def test_a_form_of_another_site_has_the_wrong_type(view, content_type):
    body = json.dumps({"text": "# theirs\n", "replace": True}).encode()
    assert view.open("POST", view.base + "save", body, headers={"Content-Type": content_type}).status == 415
    assert view.open("POST", view.base + "simulate", body, headers={"Content-Type": content_type}).status == 415


def test_a_charset_may_be_named(view):
    status, _ = view.post("simulate", {"text": PENDULUM}, headers={"Content-Type": "application/json; charset=utf-8"})
    assert status == 200


@pytest.mark.parametrize("body, message", [
    (b"", "this is not JSON"),
    (b"{", "this is not JSON"),
    (b"nonsense", "this is not JSON"),
    (b'{"text": "\xff"}', "this is not JSON"),
    (b'{"text": "", "duration": 1e999}', "this is not JSON"),
    (b'{"text": "", "duration": NaN}', "this is not JSON"),
    (b'{"text": ""} {}', "this is not JSON"),
    (b"[]", "the request must be a JSON object"),
    (b"null", "the request must be a JSON object"),
    (b"{}", '"text" must be given, and be a text'),
    (b'{"text": 1}', '"text" must be given, and be a text'),
    (b'{"text": "", "duration": "1"}', '"duration" must be a finite number'),
    (b'{"text": "", "samples": null}', '"samples" must be a finite number'),
    (b'{"text": "", "method": 1}', '"method" must be a text'),
    (b'{"text": "", "equations": 1}', '"equations" must be true or false'),
    (b'{"text": "", "parameters": [1]}', '"parameters" must be an object of numbers'),
    (b'{"text": "", "parameters": {"m": "1; 2"}}', '"m" of "parameters" must be a finite number'),
    (b'{"text": "", "initial": {"x": null}}', '"x" of "initial" must be a finite number'),
    (b'{"text": "", "file": "/etc/passwd"}', "the request has a key that is not known"),
    (b"[" * 1_000_000, "the JSON is nested too deeply"),
    (b'{"text": ' + b'{"a":' * 500_000, "the JSON is nested too deeply"),
])
def test_malformed_requests_are_told_why(view, body, message):
    status, answer = view.post("simulate", body)
    assert status == 400
    assert message in json.loads(answer)["error"]["diagnostics"][0]["message"]


def test_oversized_requests_are_refused_unread(view):
    begin = time.monotonic()
    status, _ = view.post("simulate", b'{"text": "' + b"#" * (20 << 20) + b'"}')
    assert status == 413
    for length in ("99999999999", "9" * 30):
        assert view.open("POST", view.base + "save", b"{}", headers={"Content-Length": length}).status == 413
    assert time.monotonic() - begin < 5
    status, answer = view.post("simulate", {"text": "#" * (9 << 20)})
    assert status == 200 and b"too large: a model file has at most 8388608 bytes" in answer


@pytest.mark.parametrize("headers, status", [
    ("Content-Length: -1", 400), ("Content-Length: 1x", 400), ("Content-Length: 0x10", 400), ("Content-Length: +2", 400),
    ("Content-Length: 2\r\nContent-Length: 3", 400), ("", 411), ("Transfer-Encoding: chunked", 411),
    ("Transfer-Encoding: chunked\r\nContent-Length: 2", 411), ("Content-Length: 2\r\nContent-Encoding: gzip", 415),
])
def test_a_body_has_one_length_and_no_disguise(view, headers, status):
    request = (f"POST {view.base}save HTTP/1.1\r\nHost: {view.host}\r\nContent-Type: application/json\r\n"
               f"{headers}\r\n\r\n{{}}")
    assert view.raw(request.encode()).startswith(f"HTTP/1.1 {status} ".encode())


@pytest.mark.parametrize("request_", [
    b"\r\n\r\n", b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"\x00\x01\x02\x03\r\n\r\n", b"GET / HTTP/1.1\r\nHost\r\n\r\n",
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(200),
    b"GET /" + b"a" * 10_000 + b" HTTP/1.1\r\n\r\n", b"GET / HTTP/1.1\r\nX: " + b"a" * 100_000 + b"\r\n\r\n",
    b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 100_000 + b"\r\n", b"A" * 1_000_000,
    b"GET / HTTP/1.1\r\nRange: bytes=" + b"0-1," * 1900 + b"0-1\r\n\r\n",
    b"GET / HTTP/1.1\r\nRange: bytes=" + b"9" * 7000 + b"-\r\n\r\n",
])
def test_what_is_no_request_gets_nothing(view, request_):
    begin = time.monotonic()
    try:
        received = view.raw(request_)
    except (BrokenPipeError, ConnectionResetError):
        received = b""
    assert not received.startswith(b"HTTP/1.1 200")
    assert time.monotonic() - begin < 10
    assert view.get("alive")[0] == 200


def test_ranges_and_compression_are_not_for_us(view):
    response = view.open("GET", view.base, headers={"Range": "bytes=0-9", "Accept-Encoding": "gzip, br"})
    assert response.status == 200 and response.getheader("Content-Encoding") is None
    assert response.read() == view.get()[1]


def test_a_connection_serves_one_request(view):
    request = f"GET {view.base}alive HTTP/1.1\r\nHost: {view.host}\r\nConnection: keep-alive\r\n\r\n".encode()
    assert view.raw(request * 3).count(b"HTTP/1.1 ") == 1


def test_slow_and_half_requests_are_not_waited_for(view):
    """Neither the one who says nothing, nor the one who says a letter now and then."""
    begin = time.monotonic()
    silent = socket.create_connection(("127.0.0.1", view.port), timeout=30)
    half = socket.create_connection(("127.0.0.1", view.port), timeout=30)
    half.sendall(f"GET {view.base} HTTP/1.1\r\nHost:".encode())
    slow = socket.create_connection(("127.0.0.1", view.port), timeout=30)

    def drip():
        try:
            while time.monotonic() - begin < 30:
                slow.sendall(b"G")
                time.sleep(0.2)
        except OSError:
            pass

    threading.Thread(target=drip, daemon=True).start()
    for connection in (silent, half, slow):
        try:
            while connection.recv(1000):
                pass
        except ConnectionResetError:
            pass
        assert time.monotonic() - begin < 12
        connection.close()


def slow_connections(view, count):
    """Connections that never come to the end of a request: silent, half, with a wrong token."""
    said = [b"", b"GET ", f"GET {view.base} HTTP/1.1\r\nHost:".encode(), b"POST /0123/simulate HTTP/1.1\r\n"]
    connections = []
    for i in range(count):
        connection = socket.create_connection(("127.0.0.1", view.port), timeout=30)
        try:
            connection.sendall(said[i % len(said)])
        except OSError:  # already shown out
            pass
        connections.append(connection)
    return connections


def test_connections_without_the_token_do_not_shut_the_page_out(view):
    idle = slow_connections(view, 60)
    time.sleep(0.3)
    assert len(os.listdir(f"/proc/{view.process.pid}/task")) < 50
    for _ in range(5):  # while new ones keep coming
        begin = time.monotonic()
        assert view.get("alive")[0] == 200
        assert view.open("GET", view.base).status == 200
        # At once: a place is made, nobody waits for the five seconds that a slow one is given.
        assert time.monotonic() - begin < 4
        idle += slow_connections(view, 20)
    for connection in idle:
        connection.close()


def test_connections_without_the_token_do_not_end_a_motion_under_way(view):
    text = PENDULUM + "\n"
    body = json.dumps({"text": text, "duration": 3000, "samples": 2000}).encode()
    response = view.open("POST", view.base + "simulate", body)
    idle = slow_connections(view, 60)
    lines = response.read().splitlines()
    for connection in idle:
        connection.close()
    assert "error" not in json.loads(lines[-1]), lines[-1][:300]
    assert any(b'"document"' in line for line in lines)


def test_it_listens_to_this_machine_alone(view):
    listening = []
    for name in ("/proc/net/tcp", "/proc/net/tcp6"):
        for line in pathlib.Path(name).read_text().splitlines()[1:]:
            local, state = line.split()[1], line.split()[3]
            if state == "0A" and int(local.split(":")[1], 16) == view.port:
                listening.append(local.split(":")[0])
    assert listening == ["0100007F"]


@pytest.mark.parametrize("text", [
    'include = "/etc/passwd"', 'import = "os"', '[parameters]\nm = "file(\'/etc/passwd\')"', 'coordinates = "/etc/passwd"',
    'coordinates = ["x"]\n[energy]\nkinetic = "system(1)*x\'^2"', 'coordinates = ["x"]\n[parameters]\nm = "`id`"',
    'coordinates = ["x"]\n[energy]\nkinetic = "$(touch owned)"', 'name = "\\u0000"', "\x00", "x" * 100_000,
    "[" * 100_000, "a" + ".a" * 50_000 + " = 1", 'coordinates = ["x"]\n[energy]\nkinetic = "' + "(" * 100_000 + '"',
    'coordinates = ["x"]\n[energy]\nkinetic = "x\'^2' + "+x" * 100_000 + '"',
    'coordinates = ["x"]\n[energy]\nkinetic = "x\'^9999999999"', 'coordinates = ["x"]\n[parameters]\nm = "9^9^9^9^9"',
])
def test_a_model_can_only_describe_a_system(view, text):
    """There is nothing in the format that names a file or a command; whatever else is written there is an error."""
    last = view.lines(text=text, duration=1e-3, samples=2, equations=False)[-1]
    assert "error" in last or last["document"]["summary"] is not None
    assert "root:" not in json.dumps(last)
    assert not (view.directory / "owned").exists()


def test_names_with_html_in_them_cannot_leave_their_element(tmp_path):
    evil = "</script><script>alert(1)</script><!--"
    text = PENDULUM.replace('name = "', f'name = "{evil}', 1)
    assert evil in text
    (tmp_path / "a<b>.toml").write_text(text)
    with View(tmp_path, "a<b>.toml") as view:
        page = view.get()[1].decode()
        clean = View(tmp_path, "pendulum")
        with clean:
            plain = clean.get()[1].decode()
        assert page.count("<script") == plain.count("<script")
        assert "alert(1)" in page and "<script>alert(1)" not in page
        live = json.loads(page.split('id="dalembert-live">')[1].split("</script>")[0])
        assert live == {"file": "a<b>.toml", "text": text, "can_save": True}
        assert view.motion(text=text).document["model"]["name"].startswith(evil)
