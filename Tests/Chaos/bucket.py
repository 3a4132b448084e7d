"""An S3 server for the farm's stored files, and a proxy before it that lies."""

import http.client
import http.server
import math
import pathlib
import random
import shutil
import signal
import subprocess
import tempfile
import threading
import time

PROGRAM = pathlib.Path(".build/tools/rclone/bin/rclone").resolve()
KEY, SECRET = "AKIACHAOS", "chaos"

#: What the proxy does to some of the next requests.
LIES = ["late error", "slow down", "lost answer", "lost completion", "cut answer", "short answer", "flipped bit",
        "closed connection"]
#: The lies about copies and about the end of an upload in parts.
LATE = ["late error", "lost completion"]
#: What a lie may be about: any request that it fits, or only the end of an upload in parts.
ANY, PARTS = "bucket", "upload in parts"
#: How many requests a lie affects. A client tries six times, and two lies may affect the end of one upload.
REQUESTS = {ANY: 4, PARTS: 2}
#: How long a lie waits for these requests. Uploads in parts are rare.
LIE_SECONDS = {ANY: 30, PARTS: math.inf}


class Lie:
    """A lie that waits for requests."""

    def __init__(self, kind, target):
        self.kind, self.target = kind, target
        self.left = REQUESTS[target]
        self.until = time.monotonic() + LIE_SECONDS[target]
        self.was_told = False

    @property
    def is_over(self):
        return self.left == 0 or time.monotonic() >= self.until

    def fits(self, method, is_copy, is_end):
        """Whether it can be told about a request, which may copy an object or end an upload in parts."""
        if self.target == PARTS:
            return is_end
        if self.kind in LATE:
            return is_copy or is_end
        return method == "GET" or self.kind not in ("short answer", "flipped bit")


class Bucket:
    """rclone with an empty bucket, reached only through the proxy."""

    def __init__(self, seed, address="127.0.0.1"):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="sheaf-chaos-bucket-"))
        self.objects = self.folder / "farm" / "films"
        (self.folder / "farm").mkdir()
        self.random = random.Random(seed)
        self.is_down = False
        self.lock = threading.Lock()
        self.lies = []
        self.last_told = -math.inf
        self.proxy = http.server.ThreadingHTTPServer((address, 0), self.handler())
        self.proxy.daemon_threads = True
        # A free port, which rclone gets again after each restart.
        with http.server.HTTPServer(("127.0.0.1", 0), None) as probe:
            self.port = probe.server_port
        self.start()
        threading.Thread(target=self.proxy.serve_forever, daemon=True).start()

    @property
    def options(self):
        return ["--store", "s3://farm/films", "--store-endpoint", "http://%s:%d" % self.proxy.server_address]

    @property
    def environment(self):
        return {"AWS_ACCESS_KEY_ID": KEY, "AWS_SECRET_ACCESS_KEY": SECRET}

    def start(self):
        with open(self.folder / "log", "ab") as log:
            self.process = subprocess.Popen(
                [PROGRAM, "serve", "s3", "--config", self.folder / "none", "--addr", f"127.0.0.1:{self.port}",
                 "--auth-key", f"{KEY},{SECRET}", self.folder],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        give_up = time.monotonic() + 30
        while time.monotonic() < give_up:
            try:
                connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=1)
                connection.request("GET", "/")
                connection.getresponse()
                self.is_down = False
                return
            except OSError:
                time.sleep(0.05)
        raise RuntimeError(f"the S3 server did not start; see {self.folder}/log")

    def strike(self, kind, farm, seconds):
        """Kills the server and starts it again, or suspends it. Returns whether it ran."""
        if self.is_down:
            return False
        farm.note_trouble(seconds)
        if kind == "kill":
            self.is_down = True
            self.process.kill()
            self.process.wait()
            farm.later(seconds, self.start)
        else:
            self.is_down = True
            self.process.send_signal(signal.SIGSTOP)

            def resume():
                self.process.send_signal(signal.SIGCONT)
                self.is_down = False
            farm.later(seconds, resume)
        return True

    @property
    def is_troubled(self):
        """Whether it is down, has just lied, or may lie to any of the next requests."""
        return (self.is_down or time.monotonic() < self.last_told + 1
                or any(lie.target == ANY and not lie.is_over for lie in list(self.lies)))

    def lie(self, kind, target):
        """Lets the proxy lie about some of the next requests. Returns the lie, or None if the server is down."""
        if self.is_down:
            return None
        lie = Lie(kind, target)
        with self.lock:
            self.lies.append(lie)
        return lie

    def stop_lying(self):
        """Withdraws the lies that still wait."""
        with self.lock:
            self.lies.clear()

    def take_lie(self, method, is_copy, is_end):
        """The kind of the lie for a request that starts now, if there is one that fits."""
        with self.lock:
            self.lies = [lie for lie in self.lies if not lie.is_over]
            for lie in self.lies:
                if lie.fits(method, is_copy, is_end):
                    lie.left -= 1
                    lie.was_told = True
                    self.last_told = time.monotonic()
                    return lie.kind
        return None

    def handler(self):
        bucket = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def answer(self, status, headers, body):
                self.send_response_only(status)
                for name, value in headers:
                    if name.lower() not in ("connection", "transfer-encoding", "content-length"):
                        self.send_header(name, value)
                self.send_header("Connection", "close")
                length = dict((name.lower(), value) for name, value in headers).get("content-length", "0")
                self.send_header("Content-Length", length if self.command == "HEAD" else str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def error(self, status, code):
                body = f"<Error><Code>{code}</Code></Error>".encode()
                self.answer(status, [("Content-Type", "application/xml")], body)

            def serve(self):
                self.close_connection = True
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                is_copy = "x-amz-copy-source" in self.headers
                is_end = self.command == "POST" and "uploadId=" in self.path
                lie = bucket.take_lie(self.command, is_copy, is_end)
                if lie == "late error":
                    return self.error(200, "InternalError")
                if lie == "slow down":
                    return self.error(503, "SlowDown")
                if lie == "closed connection":
                    return None
                try:
                    upstream = http.client.HTTPConnection("127.0.0.1", bucket.port, timeout=20)
                    upstream.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
                    for name, value in self.headers.items():
                        if name.lower() not in ("connection", "expect"):
                            upstream.putheader(name, value)
                    upstream.endheaders(body)
                    response = upstream.getresponse()
                    content = response.read()
                except (OSError, http.client.HTTPException):
                    return self.error(503, "ServiceUnavailable")
                if lie in ("lost answer", "lost completion"):
                    return None
                if lie == "cut answer":
                    head = b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n"
                    self.wfile.write(head + content[:len(content) // 2])
                    return None
                if lie == "short answer":
                    content = content[:len(content) // 2]
                if lie == "flipped bit" and content:
                    at = len(content) // 2
                    content = content[:at] + bytes([content[at] ^ 4]) + content[at + 1:]
                self.answer(response.status, response.getheaders(), content)

            do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = serve

        return Handler

    def stop(self):
        self.proxy.shutdown()
        self.process.kill()
        self.process.wait()
        shutil.rmtree(self.folder)
