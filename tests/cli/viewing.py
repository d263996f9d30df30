"""A server of `dalembert view` and what a page would ask of it."""

import base64
import http.client
import json
import os
import signal
import socket
import struct
import subprocess
import urllib.parse

PROGRAM = os.environ["DALEMBERT"]


class View:
    """Runs `dalembert view ARGS...` until the block ends."""

    def __init__(self, directory, *args, environment=None):
        flags = [] if environment else ["--no-browser"]
        port = [] if "--port" in args else ["--port", "0"]
        self.process = subprocess.Popen(
            [PROGRAM, "view", *flags, *port, *map(str, args)],
            cwd=directory, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
        self.address = self.process.stdout.readline().rstrip("\n")
        parts = urllib.parse.urlsplit(self.address)
        self.port = parts.port
        self.base = parts.path

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.end()
        self.process.stdout.close()
        self.process.stderr.close()

    def end(self, by=signal.SIGTERM, patience=20):
        """Its exit status."""
        self.process.send_signal(by)
        return self.process.wait(patience)

    @property
    def host(self):
        return f"127.0.0.1:{self.port}"

    def open(self, method, target, body=None, headers=None, timeout=60):
        """The response to a request for a target as it stands, not yet read."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        connection.putrequest(method, target, skip_host=True, skip_accept_encoding=True)
        given = {"Host": self.host, **(headers or {})}
        if body is not None:
            given.setdefault("Content-Type", "application/json")
            given.setdefault("Content-Length", str(len(body)))
        for name, value in given.items():
            if value is not None:
                connection.putheader(name, value)
        connection.endheaders()
        if body is not None:
            try:
                connection.send(body)
            except (BrokenPipeError, ConnectionResetError):
                pass  # refused before all of it was sent
        response = connection.getresponse()
        response.connection = connection
        return response

    def get(self, name="", **options):
        response = self.open("GET", self.base + name, **options)
        return response.status, response.read()

    def post(self, name, value, **options):
        body = value if isinstance(value, bytes) else json.dumps(value).encode()
        response = self.open("POST", self.base + name, body, **options)
        return response.status, response.read()

    def start(self, **request):
        """A request for a motion whose answer is read line by line."""
        return self.open("POST", self.base + "simulate", json.dumps(request).encode())

    def lines(self, **request):
        response = self.start(**request)
        assert response.status == 200
        assert response.getheader("Content-Type") == "application/x-ndjson"
        return [json.loads(line) for line in response]

    def motion(self, **request):
        """The motion at the end of an answer."""
        last = self.lines(**{"equations": False, **request})[-1]
        assert "document" in last, last
        assert last["partial"] is False
        return Motion(last)

    def error(self, **request):
        lines = self.lines(**request)
        assert [list(line) for line in lines] == [["error"]], lines
        return lines[0]["error"]

    def raw(self, data, timeout=20):
        """What comes back for bytes, until the connection is closed."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=timeout) as connection:
            connection.sendall(data)
            received = b""
            try:
                while piece := connection.recv(65536):
                    received += piece
            except ConnectionResetError:
                pass
            return received


class Motion:
    def __init__(self, line):
        self.document = line["document"]
        data = base64.b64decode(line["values"], validate=True)
        self.values = struct.unpack(f"<{len(data) // 8}d", data)

    def column(self, name):
        table = self.document["table"]
        c = [column["name"] for column in table["columns"]].index(name)
        start = table["index"] + c * table["rows"]
        return list(self.values[start : start + table["rows"]])

    def initial(self):
        return {entry["name"]: entry["value"] for entry in self.document["model"]["initial"]}

    def parameters(self):
        return {entry["name"]: entry["value"] for entry in self.document["model"]["parameters"]}
