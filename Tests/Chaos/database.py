"""The PostgreSQL server for a farm's ledger, which faults affect like any other program."""

from postgresql import Server


class Database:
    """One server, on a Unix socket."""

    def __init__(self):
        self.server = Server()
        self.server.initialize()
        self.server.start()
        self.server.query("postgres", "CREATE DATABASE farm")

    @property
    def url(self):
        return f"postgresql://sheaf@{str(self.server.folder).replace('/', '%2F')}/farm"

    @property
    def is_down(self):
        return self.server.is_down

    def strike(self, kind, target, farm, seconds):
        """Ends all connections, stops the server at once and starts it again, or suspends all of its processes. Returns
        whether it ran."""
        if self.is_down:
            return False
        if kind == "disconnect":
            self.server.disconnect()
        elif kind == "crash":
            self.server.crash(farm, min(seconds, 2))
        else:
            self.server.suspend(farm, seconds)
        return True

    def keep_up(self):
        """The server is only started again when its fault ends."""

    def stop(self):
        self.server.stop()
