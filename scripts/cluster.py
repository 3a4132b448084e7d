"""Starts the parts of a farm without a single point of failure on this host: PostgreSQL, an S3 store (rclone) and
coordinators. For scripts/demo-cluster and Benchmarks/cluster."""
import os
import pathlib
import pwd
import signal
import socket
import subprocess
import time
import urllib.request

RCLONE = pathlib.Path(__file__).resolve().parent.parent / ".build/tools/rclone/bin/rclone"
POSTGRESQL = pathlib.Path("/usr/lib/postgresql/15/bin")


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


def answers(url):
    try:
        with urllib.request.urlopen(url, timeout=5) as response:
            return response.status == 200
    except OSError:
        return False


class Host:
    """The processes of a farm, and a folder for their data and logs. The server of the database has a user of its own,
    who needs access to the folder."""

    def __init__(self, name, folder):
        self.name, self.folder, self.processes = name, folder, []
        self.database_folder = folder / "database"
        if not RCLONE.exists():
            self.fail("rclone is missing: run scripts/install-object-store")

    def say(self, text):
        print(f"{self.name}: {text}", flush=True)

    def fail(self, text):
        raise SystemExit(f"{self.name}: {text}; the logs are in {self.folder}")

    def run(self, *words, **options):
        return subprocess.run([str(word) for word in words], check=True, capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, **options).stdout

    def start(self, name, *words, **options):
        with open(self.folder / f"{name}.log", "ab") as log:
            options = {"stdin": subprocess.DEVNULL, "stdout": log, "stderr": log, **options}
            process = subprocess.Popen([str(word) for word in words], **options)
        self.processes.append(process)
        return process

    def until(self, what, condition, seconds=120):
        give_up = time.monotonic() + seconds
        while not (value := condition()):
            if time.monotonic() > give_up:
                self.fail(f"not within {seconds} s: {what}")
            time.sleep(0.1)
        return value

    def start_database(self, *settings):
        """Starts PostgreSQL with a database for a ledger. Returns its process and the ledger's URL."""
        data = self.database_folder
        data.mkdir()
        user = {}
        if os.getuid() == 0:
            # The server refuses to run as root.
            account = pwd.getpwnam("postgres")
            os.chown(data, account.pw_uid, account.pw_gid)
            user = {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []}
        self.run(POSTGRESQL / "initdb", "-D", data / "cluster", "-U", "sheaf", "-A", "trust", "-E", "UTF8", cwd=data,
                 **user)
        process = self.start("database", POSTGRESQL / "postgres", "-D", data / "cluster", "-c", "listen_addresses=",
                             "-c", f"unix_socket_directories={data}", *settings, cwd=data, **user)
        self.until("PostgreSQL accepts connections", lambda: subprocess.run(
            [POSTGRESQL / "pg_isready", "-q", "-h", data], stdin=subprocess.DEVNULL).returncode == 0)
        self.run(POSTGRESQL / "createdb", "-h", data, "-U", "sheaf", "farm", cwd=data, **user)
        return process, f"postgresql://sheaf@{str(data).replace('/', '%2F')}/farm"

    def start_store(self):
        """Starts an S3 server with a bucket. Returns its process, its port, and the options of coordinators for it."""
        (self.folder / "objects" / "farm").mkdir(parents=True)
        port = free_port()
        process = self.start("store", RCLONE, "serve", "s3", "--config", self.folder / "none", "--addr",
                             f"127.0.0.1:{port}", "--auth-key", "AKIADEMO,demo", self.folder / "objects")
        self.until("the S3 store listens", lambda: socket.socket().connect_ex(("127.0.0.1", port)) == 0)
        os.environ.update(AWS_ACCESS_KEY_ID="AKIADEMO", AWS_SECRET_ACCESS_KEY="demo")
        return process, port, ["--store", "s3://farm/films", "--store-endpoint", f"http://127.0.0.1:{port}"]

    def kill_all(self):
        for process in reversed(self.processes):
            if process.poll() is None:
                process.send_signal(signal.SIGKILL)
                process.wait()


class Coordinator:
    """One of several coordinators of a farm, on a port of this host."""

    def __init__(self, host, name, program, options):
        self.host, self.name, self.program, self.options = host, name, program, options
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.data = host.folder / f"data-{name}"

    def launch(self):
        self.process = self.host.start(
            f"coordinator-{self.name}", self.program, "serve", "--data", self.data, "--port", self.port,
            "--peer-address", "127.0.0.1:0", *self.options)

    @property
    def serves(self):
        return answers(f"{self.url}/readyz")
