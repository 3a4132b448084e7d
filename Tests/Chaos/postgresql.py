"""A PostgreSQL server, and PgBouncer before it, as processes that faults affect."""

import os
import pathlib
import pwd
import shutil
import signal
import subprocess
import tempfile
import time

from processes import children_of, send

PROGRAMS = pathlib.Path("/usr/lib/postgresql/15/bin")


def as_user():
    """The words before a command of the server, which refuses to run as root."""
    if os.getuid() != 0:
        return []
    return ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", "--"]


def own(path):
    """Gives a file or folder to the server's user."""
    if os.getuid() == 0:
        user = pwd.getpwnam("postgres")
        os.chown(path, user.pw_uid, user.pw_gid)


class Server:
    """A server with data of its own and a Unix socket, on a host or on this one."""

    def __init__(self, host=None):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="sheaf-chaos-database-"))
        own(self.folder)
        self.host = host
        self.is_down = False
        self.process = None
        #: How a replica connects to its primary.
        self.conninfo = ""
        self.options = ["-c", f"unix_socket_directories={self.folder}", "-c", "fsync=off", "-c", "shared_buffers=32MB",
                        "-c", f"listen_addresses={host.address if host else ''}"]

    def words(self, program, *arguments):
        enter = self.host.enter if self.host else []
        return [*enter, *as_user(), PROGRAMS / program, *arguments]

    def call(self, program, *arguments, timeout=120):
        outcome = subprocess.run(
            self.words(program, *arguments), check=True, stdin=subprocess.DEVNULL, capture_output=True, text=True,
            cwd=self.folder, timeout=timeout)
        return outcome.stdout.strip()

    def initialize(self):
        """Creates empty data."""
        self.call("initdb", "-D", self.folder / "data", "-U", "sheaf", "-A", "trust", "--no-sync", "-E", "UTF8",
                  "--locale=C")

    def query(self, name, sql, timeout=60):
        """Runs statements in a database. Returns their rows as text."""
        return self.call("psql", "-XAtq", "-v", "ON_ERROR_STOP=1", "-h", self.folder, "-U", "sheaf", "-d", name,
                         "-c", sql, timeout=timeout)

    def start(self):
        with open(self.folder / "log", "ab") as log:
            self.process = subprocess.Popen(
                self.words("postgres", "-D", self.folder / "data", *self.options, "-c",
                           f"primary_conninfo={self.conninfo}"),
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.folder)
        give_up = time.monotonic() + 60
        while time.monotonic() < give_up:
            ready = subprocess.run(
                [PROGRAMS / "pg_isready", "-q", "-h", self.folder, "-U", "sheaf"], stdin=subprocess.DEVNULL)
            if ready.returncode == 0:
                self.is_down = False
                return
            time.sleep(0.05)
        raise RuntimeError(f"the database server did not start; see {self.folder}/log")

    def quit(self):
        """Stops the server at once, as in a crash."""
        self.is_down = True
        self.process.send_signal(signal.SIGQUIT)
        self.process.wait()

    def crash(self, farm, seconds):
        """Stops the server at once, and starts it again."""
        self.quit()
        farm.later(seconds, self.start)

    def disconnect(self):
        """Ends all connections to the farm's database."""
        self.query("postgres", "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'farm'")

    def suspend(self, farm, seconds):
        """Stops all of the server's processes for a while."""
        self.is_down = True
        stopped = [self.process.pid] + children_of(self.process.pid)
        for pid in stopped:
            send(pid, signal.SIGSTOP)

        def resume():
            for pid in stopped:
                send(pid, signal.SIGCONT)
            self.is_down = False
        farm.later(seconds, resume)

    def stop(self):
        if self.process and self.process.poll() is None:
            for pid in [self.process.pid] + children_of(self.process.pid):
                send(pid, signal.SIGCONT)
            self.process.send_signal(signal.SIGQUIT)
            self.process.wait()
        shutil.rmtree(self.folder)


class Pooler:
    """PgBouncer in transaction mode before a server, with TLS."""

    PORT = 6432

    def __init__(self, server, certificates):
        self.server = server
        self.folder = server.folder / "pooler"
        self.folder.mkdir()
        for name in ("server.key", "server.pem"):
            shutil.copy(certificates / name, self.folder / name)
            own(self.folder / name)
        (self.folder / "configuration").write_text(f"""
[databases]
farm = host={server.folder} user=sheaf
[pgbouncer]
pool_mode = transaction
default_pool_size = 40
listen_addr = {server.host.address}
listen_port = {self.PORT}
unix_socket_dir =
auth_type = any
client_tls_sslmode = require
client_tls_key_file = {self.folder}/server.key
client_tls_cert_file = {self.folder}/server.pem
server_login_retry = 1
server_connect_timeout = 5
query_wait_timeout = 15
""")
        own(self.folder)
        own(self.folder / "configuration")
        self.process = None

    def start(self):
        with open(self.folder / "log", "ab") as log:
            self.process = subprocess.Popen(
                [*self.server.host.enter, *as_user(), "/usr/sbin/pgbouncer", self.folder / "configuration"],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.folder)

    def keep_up(self):
        """Starts it again if a fault has ended it."""
        if self.process is None or self.process.poll() is not None:
            self.start()

    def stop(self):
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGCONT)
            self.process.kill()
            self.process.wait()
