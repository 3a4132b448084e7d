"""Starts the parts of a farm without a single point of failure on this host: PostgreSQL, an S3 store (rclone, or
OpenStack Swift) and coordinators. For scripts/demo-cluster and Benchmarks/cluster."""
import os
import pathlib
import pwd
import re
import signal
import socket
import subprocess
import time
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parent.parent
TOOLS = ROOT / ".build/tools"
STORES = ["rclone", "swift"]
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
        """Starts PostgreSQL with a database for a ledger, or with the one that the folder already has. Returns its
        process and the ledger's URL."""
        data = self.database_folder
        is_new = not data.exists()
        if is_new: data.mkdir()
        user = {}
        if os.getuid() == 0:
            # The server refuses to run as root.
            account = pwd.getpwnam("postgres")
            os.chown(data, account.pw_uid, account.pw_gid)
            user = {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []}
        if is_new:
            self.run(POSTGRESQL / "initdb", "-D", data / "cluster", "-U", "sheaf", "-A", "trust", "-E", "UTF8",
                     cwd=data, **user)
        process = self.start("database", POSTGRESQL / "postgres", "-D", data / "cluster", "-c", "listen_addresses=",
                             "-c", f"unix_socket_directories={data}", *settings, cwd=data, **user)
        self.until("PostgreSQL accepts connections", lambda: subprocess.run(
            [POSTGRESQL / "pg_isready", "-q", "-h", data], stdin=subprocess.DEVNULL).returncode == 0)
        if is_new: self.run(POSTGRESQL / "createdb", "-h", data, "-U", "sheaf", "farm", cwd=data, **user)
        return process, f"postgresql://sheaf@{str(data).replace('/', '%2F')}/farm"

    def start_store(self, kind="rclone"):
        """Starts an S3 server with a bucket. Returns its process, its port, and the options of coordinators for it."""
        if kind not in STORES:
            self.fail(f"there is no store named {kind}; use {' or '.join(STORES)}")
        if not (TOOLS / kind).exists():
            self.fail(f"{kind} is missing: run scripts/install-object-store" + (" swift" if kind == "swift" else ""))
        objects, key, secret = self.folder / "objects", "sheaf:demo", "demo"
        (self.folder / "store.log").unlink(missing_ok=True)
        (objects / "farm").mkdir(parents=True, exist_ok=True)
        if kind == "swift":
            process = self.start("store", ROOT / "Tests/ObjectStores/openstack-swift", objects, "farm", key, secret)
        else:
            process = self.start(
                "store", TOOLS / "rclone/bin/rclone", "serve", "s3", "--config", self.folder / "none",
                "--addr", "127.0.0.1:0", "--auth-key", f"{key},{secret}", objects)
        url = self.until("the S3 store says where it listens", lambda: re.search(
            r"http://127\.0\.0\.1:([0-9]+)", (self.folder / "store.log").read_text()))
        os.environ.update(AWS_ACCESS_KEY_ID=key, AWS_SECRET_ACCESS_KEY=secret)
        return process, int(url[1]), ["--store", "s3://farm/films", "--store-endpoint", url[0]]

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
