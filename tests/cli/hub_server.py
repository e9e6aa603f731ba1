"""A hub on this machine: the API's list of files, the files, and a store on another port to which
large files are sent on to, as the real one does. Each test adds the faults that it wants."""
import hashlib
import http.server
import json
import pathlib
import ssl
import threading
import time
import urllib.parse
from collections.abc import Callable
from typing import NamedTuple

COMMIT = "c0ffee" * 6 + "c0ff"
LARGE = 10_000  # files of this size and above are in large-file storage


class Request(NamedTuple):
    server: str  # "hub" or "store"
    path: str
    headers: dict[str, str]  # by lower-case names

    @property
    def token(self) -> str | None:
        return self.headers.get("authorization")


class File(NamedTuple):
    content: bytes

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.content).hexdigest()

    @property
    def git_hash(self) -> str:
        return hashlib.sha1(b"blob %d\0" % len(self.content) + self.content).hexdigest()

    @property
    def is_large(self) -> bool:
        return len(self.content) >= LARGE

    @property
    def etag(self) -> str:
        return self.sha256 if self.is_large else self.git_hash

    def entry(self, path: str) -> dict:
        entry = {"rfilename": path, "size": len(self.content), "blobId": self.git_hash}
        if self.is_large:
            entry["lfs"] = {"sha256": self.sha256, "size": len(self.content), "pointerSize": 134}
        return entry


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    hub: "Hub"
    name: str

    def log_message(self, *_):
        pass

    def do_HEAD(self):
        self.do_GET()

    def do_GET(self):
        request = Request(self.name, self.path, {k.lower(): v for k, v in self.headers.items()})
        with self.hub.lock:
            self.hub.requests.append(request)
        try:
            for fault in list(self.hub.faults):
                if fault(self, request):
                    return
            self.answer(request)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def send(self, status: int, body: bytes = b"", **headers) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), str(value))
        if not {"content_length", "transfer_encoding"} & {name.lower() for name in headers}:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def break_off(self) -> None:
        self.wfile.flush()
        self.close_connection = True
        self.connection.shutdown(2)

    def answer(self, request: Request) -> None:
        path = urllib.parse.urlsplit(request.path).path
        if self.name == "store":
            self.send_content(self.hub.store[path.strip("/")])
        elif path.startswith("/api/"):
            self.send_listing(path)
        else:
            self.send_file(path)

    def send_listing(self, path: str) -> None:
        kind, rest = path.removeprefix("/api/").split("/", 1)
        name, _, revision = rest.partition("/revision/")
        if kind != self.hub.kind or name != self.hub.name:
            self.send(401, x_error_code="RepoNotFound", x_error_message="Repository not found")
        elif urllib.parse.unquote(revision) not in self.hub.revisions:
            self.send(404, x_error_code="RevisionNotFound", x_error_message="Invalid rev id")
        else:
            files = [file.entry(path) for path, file in self.hub.files.items()]
            self.send(200, json.dumps({"id": name, "modelId": name, "sha": self.hub.commit,
                                       "siblings": self.hub.extra_entries + files}).encode())

    def send_file(self, path: str) -> None:
        name, _, rest = path.removeprefix("/").partition("/resolve/")
        commit, _, path = rest.partition("/")
        file = self.hub.files.get(urllib.parse.unquote(path))
        described = {"X_Repo_Commit": self.hub.commit}
        if name.removeprefix("datasets/") != self.hub.name or commit not in (self.hub.commit, *self.hub.revisions):
            self.send(404, x_error_code="RepoNotFound")
        elif file is None:
            self.send(404, x_error_code="EntryNotFound", **described)
        elif file.is_large:
            self.send(302, location=f"{self.hub.store_address}/{file.sha256}?signature=secret",
                      x_linked_etag=f'"{file.etag}"', x_linked_size=len(file.content), **described)
        else:
            self.send_content(file, etag=f'"{file.etag}"', **described)

    def send_content(self, file: File, **headers) -> None:
        headers.setdefault("etag", '"store-' + file.sha256[:8] + '"')
        first = self.first_byte()
        if first == 0 or self.headers.get("If-Range", headers["etag"]) != headers["etag"]:
            self.send(200, file.content, **headers)
            return
        last = len(file.content) - 1
        self.send(206, file.content[first:], **headers,
                  content_range=f"bytes {first}-{last}/{len(file.content)}")

    def first_byte(self) -> int:
        return int(self.headers.get("Range", "bytes=0-").removeprefix("bytes=").removesuffix("-"))


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        pass  # connections that the program breaks off


Fault = Callable[[Handler, Request], bool]


class Hub:
    """Two servers, on threads of their own, for one repository of models or datasets. `faults` are asked in turn about every
    request; one that answers it returns True."""

    def __init__(self, name: str, files: dict[str, bytes], kind: str = "models") -> None:
        self.name, self.kind, self.commit = name, kind, COMMIT
        self.files = {path: File(content) for path, content in files.items()}
        self.store = {file.sha256: file for file in self.files.values()}
        self.revisions = {"main", "refs/pr/1", COMMIT}
        self.extra_entries: list[dict] = []
        self.requests: list[Request] = []
        self.faults: list[Fault] = []
        self.lock = threading.Lock()
        self.servers = [Server(("127.0.0.1", 0), type("Named", (Handler,), {"hub": self,
                                                                            "name": name}))
                        for name in ("hub", "store")]
        self.address, self.store_address = (f"http://127.0.0.1:{server.server_port}"
                                            for server in self.servers)
        for server in self.servers:
            threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()

    def encrypt(self, certificate: pathlib.Path, key: pathlib.Path) -> None:
        """From now on the hub, but not the store, is asked by https, as localhost."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        hub = self.servers[0]
        hub.socket = context.wrap_socket(hub.socket, server_side=True)
        self.address = f"https://localhost:{hub.server_port}"

    def close(self) -> None:
        for server in self.servers:
            server.shutdown()
            server.server_close()

    def asked(self, text: str) -> list[Request]:
        """The requests whose path has this text, so far."""
        with self.lock:
            return [request for request in self.requests if text in request.path]

    def once(self, text: str, fault: Callable[[Handler, Request], None]) -> None:
        """The first request with this text in its path is answered by `fault`, later ones as usual."""
        self.times(1, text, fault)

    def times(self, count: int, text: str, fault: Callable[[Handler, Request], None]) -> None:
        left = [count]

        def answer(handler: Handler, request: Request) -> bool:
            if text not in request.path or left[0] == 0:
                return False
            left[0] -= 1
            fault(handler, request)
            return True
        self.faults.append(answer)

    def always(self, text: str, fault: Callable[[Handler, Request], None]) -> None:
        self.times(-1, text, fault)


def break_after(file: File, count: int, **headers) -> Callable[[Handler, Request], None]:
    """Sends `count` bytes of what was asked for, and breaks the connection off."""
    def fault(handler: Handler, _: Request) -> None:
        first = handler.first_byte()
        handler.send(206 if first else 200, file.content[first:first + count],
                     content_length=len(file.content) - first,
                     content_range=f"bytes {first}-{len(file.content) - 1}/{len(file.content)}",
                     **({"etag": '"store-' + file.sha256[:8] + '"'} | headers))
        handler.break_off()
    return fault


def stall_after(file: File, count: int, seconds: float) -> Callable[[Handler, Request], None]:
    """Sends `count` bytes, and then nothing for a while."""
    def fault(handler: Handler, _: Request) -> None:
        handler.send(200, file.content[:count], content_length=len(file.content),
                     etag='"store-' + file.sha256[:8] + '"')
        handler.wfile.flush()
        time.sleep(seconds)
        handler.break_off()
    return fault


def status(code: int, **headers) -> Callable[[Handler, Request], None]:
    return lambda handler, _: handler.send(code, **headers)
