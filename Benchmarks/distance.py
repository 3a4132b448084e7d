"""A relay to a database server that delays everything, as a network between two hosts does."""
import queue
import socket
import threading
import time


class Distance:
    """Listens on the socket of PostgreSQL in `folder`, and passes each byte on to the one in `server` after `delay`
    seconds, in both directions."""

    def __init__(self, folder, server, delay):
        folder.mkdir(exist_ok=True)
        path = folder / ".s.PGSQL.5432"
        path.unlink(missing_ok=True)
        self.server, self.delay = str(server / path.name), delay
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(path))
        self.listener.listen()
        start(self.accept)

    def accept(self):
        while True:
            client = self.listener.accept()[0]
            server = socket.socket(socket.AF_UNIX)
            try:
                server.connect(self.server)
            except OSError:
                client.close()
                continue
            for pair in (client, server), (server, client):
                waiting = queue.SimpleQueue()
                start(self.receive, pair[0], waiting)
                start(self.send, pair[1], waiting)

    def receive(self, source, waiting):
        data = True
        while data:
            try: data = source.recv(1 << 16)
            except OSError: data = b""
            waiting.put((time.monotonic() + self.delay, data))

    def send(self, target, waiting):
        while True:
            due, data = waiting.get()
            # Unlike the timers of asyncio, which are whole milliseconds.
            time.sleep(max(0, due - time.monotonic()))
            try:
                if not data: return target.shutdown(socket.SHUT_RDWR)
                target.sendall(data)
            except OSError:
                return


def start(function, *arguments):
    threading.Thread(target=function, args=arguments, daemon=True).start()
