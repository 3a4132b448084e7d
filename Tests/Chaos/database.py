"""A PostgreSQL server for the farm's ledger, which faults affect like any other program."""

import os
import pathlib
import pwd
import shutil
import signal
import subprocess
import tempfile
import time

from farm import children_of

PROGRAMS = pathlib.Path("/usr/lib/postgresql/15/bin")


class Database:
    """A server with data of its own, on a Unix socket."""

    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="sheaf-chaos-database-"))
        self.is_down = False
        self.user = None
        if os.getuid() == 0:
            # The server refuses to run as root.
            self.user = pwd.getpwnam("postgres")
            os.chown(self.folder, self.user.pw_uid, self.user.pw_gid)
        self.call("initdb", "-D", self.folder / "data", "-U", "sheaf", "-A", "trust", "--no-sync", "-E", "UTF8",
                  "--locale=C")
        self.start()
        self.psql("postgres", "CREATE DATABASE farm")

    @property
    def url(self):
        return f"postgresql://sheaf@{str(self.folder).replace('/', '%2F')}/farm"

    def call(self, program, *arguments):
        subprocess.run([PROGRAMS / program, *arguments], check=True, stdin=subprocess.DEVNULL,
                       capture_output=True, cwd=self.folder, **self.identity())

    def identity(self):
        return {"user": self.user.pw_uid, "group": self.user.pw_gid, "extra_groups": []} if self.user else {}

    def psql(self, name, sql):
        self.call("psql", "-XAtq", "-v", "ON_ERROR_STOP=1", "-h", self.folder, "-U", "sheaf", "-d", name, "-c", sql)

    def start(self):
        with open(self.folder / "log", "ab") as log:
            self.process = subprocess.Popen(
                [PROGRAMS / "postgres", "-D", self.folder / "data", "-c", "listen_addresses=", "-c",
                 f"unix_socket_directories={self.folder}", "-c", "fsync=off", "-c", "shared_buffers=32MB"],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.folder, **self.identity())
        give_up = time.monotonic() + 60
        while time.monotonic() < give_up:
            ready = subprocess.run([PROGRAMS / "pg_isready", "-q", "-h", self.folder], stdin=subprocess.DEVNULL)
            if ready.returncode == 0:
                self.is_down = False
                return
            time.sleep(0.05)
        raise RuntimeError(f"the database server did not start; see {self.folder}/log")

    def strike(self, kind, farm, seconds):
        """Ends all connections, stops the server at once and starts it again, or suspends all of its processes. Returns
        whether it ran."""
        if self.is_down:
            return False
        if kind == "disconnect":
            self.psql("postgres", "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'farm'")
        elif kind == "crash":
            self.is_down = True
            self.process.send_signal(signal.SIGQUIT)
            self.process.wait()
            farm.later(min(seconds, 2), self.start)
        else:
            self.is_down = True
            stopped = [self.process.pid] + children_of(self.process.pid)
            for pid in stopped:
                send(pid, signal.SIGSTOP)

            def resume():
                for pid in stopped:
                    send(pid, signal.SIGCONT)
                self.is_down = False
            farm.later(seconds, resume)
        return True

    def stop(self):
        for pid in [self.process.pid] + children_of(self.process.pid):
            send(pid, signal.SIGCONT)
        self.process.send_signal(signal.SIGQUIT)
        self.process.wait()
        shutil.rmtree(self.folder)


def send(pid, number):
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        pass

