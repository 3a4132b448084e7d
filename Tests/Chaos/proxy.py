"""A TLS and HTTP proxy through which one program of the farm reaches the coordinator, or one of several.

It forwards every call. A fault that is armed for a kind of call affects the first such call on any proxy.
"""

import collections
import random
import socket
import threading
import time

from calls import REQUEST_FIELDS, RESPONSE_FIELDS, kind_of
from messages import Closed, Head, Reader, body_pieces, send_end, send_piece

HTML = b"<!doctype html><html><body><h1>It works!</h1></body></html>\n"

#: How long a proxy of several coordinators waits for one to accept a connection, in seconds.
BALANCER_SECONDS = 2

#: The faults of calls, and the part of a call that each requires.
FAULTS = {
    "drop": None,
    "delay": None,
    "cut request": "request",
    "cut response": "response",
    "duplicate": None,
    "replay": None,
    "flip request": "request",
    "flip response": "response",
    "flip request head": "request head",
    "flip response head": "response head",
    "truncate request": "request",
    "truncate response": "response",
    "502": None,
    "HTML": None,
}


class Arms:
    """The faults that wait for a call, shared by all proxies. Each affects at most one call."""

    def __init__(self):
        self.lock = threading.Lock()
        self.waiting = []
        self.met = collections.Counter()
        self.problems = []

    def arm(self, fault, call, seconds):
        """Arms a fault for the next call of a kind. Returns a handle for `expire`."""
        entry = (fault, call, seconds)
        with self.lock:
            self.waiting.append(entry)
        return entry

    def expire(self, entry):
        """Withdraws a fault. Returns whether it was still waiting."""
        with self.lock:
            if entry in self.waiting:
                self.waiting.remove(entry)
                return True
            return False

    def take(self, call):
        """Takes the fault for a call that starts now, if there is one."""
        with self.lock:
            for entry in self.waiting:
                if entry[1] == call:
                    self.waiting.remove(entry)
                    self.met[(entry[0], call)] += 1
                    return entry
        return None

    def report(self, problem):
        """Records a response that no call may receive."""
        with self.lock:
            self.problems.append(problem)


class Proxy:
    """Listens on a free port, and forwards to a coordinator: for each connection to another one that accepts it."""

    def __init__(self, address, targets, server_context, client_context, arms, seed):
        self.targets = targets
        self.server_context = server_context
        self.client_context = client_context
        self.arms = arms
        self.random = random.Random(seed)
        self.last = {}
        self.connections = set()
        self.cut_until = 0
        self.stalled_until = 0
        self.listener = socket.create_server((address, 0), backlog=64)
        self.url = f"https://{address}:{self.listener.getsockname()[1]}"
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            if time.monotonic() < self.cut_until:
                close(connection)
                continue
            self.connections.add(connection)
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def cut(self, seconds):
        """Breaks every connection and refuses new ones for a while. Returns whether there was one."""
        self.cut_until = time.monotonic() + seconds
        connections = list(self.connections)
        for connection in connections:
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
        return bool(connections)

    def stall(self, seconds):
        """Forwards nothing for a while. Returns whether there was a connection."""
        self.stalled_until = time.monotonic() + seconds
        return bool(self.connections)

    def wait_out_stall(self):
        """Waits while the link is stalled."""
        while (left := self.stalled_until - time.monotonic()) > 0:
            time.sleep(left)

    def connect(self):
        """Connects to one of the coordinators. Raises an error if none accepts the connection."""
        targets = random.sample(self.targets, len(self.targets))
        while True:
            target = targets.pop()
            try:
                plain = socket.create_connection(target, timeout=BALANCER_SECONDS if targets else 60)
                plain.settimeout(60)
                return self.client_context.wrap_socket(plain, server_hostname=target[0])
            except OSError:
                if not targets:
                    raise

    def serve(self, connection):
        """Serves one client's connection, call after call, until either side closes it."""
        upstream = None
        try:
            connection.settimeout(120)
            self.connections.discard(connection)
            connection = client = self.server_context.wrap_socket(connection, server_side=True)
            self.connections.add(connection)
            reader = Reader(client)
            while True:
                head = Head.read(reader)
                upstream = self.call(client, reader, head, upstream)
                if upstream is None:
                    return
        except (Closed, OSError, ValueError):
            return
        finally:
            self.connections.discard(connection)
            for each in (connection, upstream):
                if each is not None:
                    close(each)

    def call(self, client, reader, head, upstream):
        """Serves one call. Returns the connection to the coordinator for the next one, or None to close."""
        method, target, _ = head.first.split(" ", 2)
        kind = kind_of(method, target)
        entry = self.arms.take(kind)
        fault, seconds = (entry[0], entry[2]) if entry else (None, 0)
        self.wait_out_stall()

        if head["Expect"]:
            client.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
            head = head.without("Expect")
        if fault == "delay":
            time.sleep(seconds)
        if fault == "502":
            drain(reader, head)
            answer(client, "502 Bad Gateway", HTML)
            return upstream or self.connect_again()
        if fault == "HTML":
            drain(reader, head)
            answer(client, "200 OK", HTML)
            return upstream or self.connect_again()
        if fault == "drop":
            drain(reader, head)
            return None

        if upstream is None:
            try:
                upstream = self.connect()
            except OSError:
                drain(reader, head)
                answer(client, "502 Bad Gateway", HTML)
                return None
        if fault == "flip request head":
            head = head.spoiled(REQUEST_FIELDS[kind], self.random)
        sent = self.forward_request(reader, head, upstream, fault)
        if sent is None:
            close(upstream)
            return None
        if kind:
            self.last[kind] = sent
        if fault == "duplicate":
            # The first response is lost, as if a proxy had repeated the request by itself.
            try:
                discard_answer(Reader(upstream), method)
                upstream.sendall(sent)
            except (Closed, OSError, ValueError):
                close(upstream)
                return None
        keeps = self.forward_response(client, upstream, method, kind, fault)
        if fault == "replay":
            self.replay(kind)
        if not keeps:
            close(upstream)
            return None
        return upstream

    def connect_again(self):
        try:
            return self.connect()
        except OSError:
            return None

    def forward_request(self, reader, head, upstream, fault):
        """Forwards a request. Returns the sent bytes, or None if the connection was cut."""
        pieces = list(body_pieces(reader, head, False))
        body = b"".join(pieces)
        if fault == "flip request" and body:
            body = flip(body, self.random)
        if fault == "truncate request" and body:
            body = body[: self.random.randrange(len(body))]
        if fault == "cut request" and body:
            upstream.sendall(head.bytes + body[: self.random.randrange(len(body))])
            return None
        if head.is_chunked or head.length is not None:
            head = head.without("Transfer-Encoding", "Content-Length")
            head = head.adding("Content-Length", str(len(body)))
        message = head.bytes + body
        upstream.sendall(message)
        return message

    def forward_response(self, client, upstream, method, kind, fault):
        """Forwards a response. Returns whether both connections can be used again."""
        reader = Reader(upstream)
        head = Head.read(reader)
        while head.first.split(" ")[1].startswith("1"):
            head = Head.read(reader)
        if fault == "flip response head":
            head = head.spoiled(RESPONSE_FIELDS[kind], self.random)
        status = int(head.first.split(" ")[1])
        has_body = method != "HEAD" and status not in (204, 304)
        length = head.length
        if not has_body:
            client.sendall(head.bytes)
            return (head["Connection"] or "").lower() != "close"

        if fault == "truncate response" and length:
            keep = self.random.randrange(length)
            body = b"".join(body_pieces(reader, head, True))[:keep]
            client.sendall(head.without("Content-Length").adding("Content-Length", str(keep)).bytes)
            client.sendall(body)
            return False
        # The position of the fault in the body. In an endless stream, it is in the first bytes.
        place = self.random.randrange(length) if length else self.random.randrange(200)
        client.sendall(head.bytes)
        passed = 0
        for piece in body_pieces(reader, head, True):
            self.wait_out_stall()
            if fault == "cut response" and passed + len(piece) > place:
                send_piece(client, head, piece[: place - passed])
                return False
            if fault == "flip response" and passed <= place < passed + len(piece):
                at = place - passed
                changed = piece[at] ^ (1 << self.random.randrange(8))
                piece = piece[:at] + bytes([changed]) + piece[at + 1:]
            send_piece(client, head, piece)
            passed += len(piece)
        send_end(client, head)
        return (head.is_chunked or length is not None) and (
            (head["Connection"] or "").lower() != "close"
        )

    def replay(self, kind):
        """Sends the last request of a kind twice more: unchanged, and with its last byte changed."""
        message = self.last.get(kind)
        if not message:
            return
        method = message.split(b" ", 1)[0].decode()
        for again in (message, message[:-1] + bytes([message[-1] ^ 1])):
            if again != message and message.endswith(b"\r\n\r\n"):
                return
            try:
                upstream = self.connect()
                upstream.settimeout(40)
                upstream.sendall(again)
                status = discard_answer(Reader(upstream), method, only_head=True)
                close(upstream)
            except (Closed, OSError, ValueError):
                return
            # A full disk may be the reason for 503 and 507.
            if status >= 500 and status not in (503, 507):
                self.arms.report(f"a replayed {kind} was answered with {status}")

    def close(self):
        close(self.listener)


def flip(body, source):
    """The body with one bit changed."""
    at = source.randrange(len(body))
    return body[:at] + bytes([body[at] ^ (1 << source.randrange(8))]) + body[at + 1:]


def drain(reader, head):
    """Reads the rest of a request's body."""
    for _ in body_pieces(reader, head, False):
        pass


def answer(client, status, body):
    """Answers a call as another proxy would."""
    head = f"HTTP/1.1 {status}\r\nContent-Type: text/html\r\nContent-Length: {len(body)}\r\n\r\n"
    client.sendall(head.encode() + body)


def discard_answer(reader, method, only_head=False):
    """Reads a whole response. Returns its status."""
    head = Head.read(reader)
    while head.first.split(" ")[1].startswith("1"):
        head = Head.read(reader)
    status = int(head.first.split(" ")[1])
    if not only_head and method != "HEAD" and status not in (204, 304):
        for _ in body_pieces(reader, head, True):
            pass
    return status


def close(sock):
    """Closes a socket whatever its state."""
    try:
        sock.close()
    except OSError:
        pass
