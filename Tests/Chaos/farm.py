"""A farm as operators run it: tokens, TLS, a coordinator, workers, and a proxy between every pair of processes."""

import json
import os
import pathlib
import signal
import socket
import ssl
import subprocess
import time
import urllib.request

from disk import Disk
from proxy import Proxy

LEASE_SECONDS = 3


class Farm:
    """The processes of a farm. Faults affect them, and `keep_up` restarts those that faults ended."""

    def __init__(self, folder, programs, worker_count, arms, seed, database=None, bucket=None):
        self.folder = folder
        self.programs = programs
        self.data = folder / "data"
        self.database, self.bucket = database, bucket
        if database:
            os.environ["SHEAF_LEDGER"] = database.url
        self.store_options = bucket.options if bucket else []
        if bucket:
            os.environ.update(bucket.environment)
        self.problems = []
        self.due = []  # (time, what to do then)
        self.down_until = 0
        self.disks = {"coordinator": Disk(self.data, 512)}
        for number in range(worker_count):
            self.disks[f"worker-{number}"] = Disk(folder / f"cache-{number}", 48)
        make_certificates(folder)
        self.expected_to_end = set()
        self.tokens = {}
        for role in ["submitter", "admin"] + [f"worker-{number}" for number in range(worker_count)]:
            self.tokens[role] = self.make_token(role)
        self.port = free_port()
        self.coordinator = None
        self.start_coordinator()
        contexts = tls_contexts(folder)
        self.client_proxy = Proxy(self.port, *contexts, arms, seed)
        self.worker_proxies = [
            Proxy(self.port, *contexts, arms, seed + 1 + number) for number in range(worker_count)]
        self.workers = [self.start_worker(number) for number in range(worker_count)]

    def make_token(self, name):
        """Creates a token, and returns the path of its file."""
        path = self.folder / f"{name}.token"
        with open(path, "wb") as file:
            subprocess.run(
                [self.program("sheaf-coordinator"), "token", "create", "--data", self.data,
                 "--role", name.split("-")[0], "--name", name],
                check=True, stdout=file, stderr=subprocess.PIPE)
        path.chmod(0o600)
        return path

    def program(self, name):
        return str(self.programs / name)

    def log(self, name):
        return open(self.folder / f"{name}.log", "ab")

    def start_coordinator(self):
        self.coordinator = subprocess.Popen(
            [self.program("sheaf-coordinator"), "serve", "--data", self.data, "--port", str(self.port),
             "--require-tokens", "--tls-certificate", self.folder / "server.pem",
             "--tls-key", self.folder / "server.key", "--lease-seconds", str(LEASE_SECONDS),
             "--grace-seconds", "5", "--reserve-bytes", "1048576", *self.store_options],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=self.log("coordinator"))
        give_up = time.monotonic() + 60
        while time.monotonic() < give_up:
            if self.coordinator.poll() is not None:
                raise RuntimeError(
                    f"the coordinator exited with {self.coordinator.returncode} during its start: "
                    + self.last_words("coordinator", 5))
            try:
                socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
                return
            except OSError:
                time.sleep(0.05)
        raise RuntimeError("the coordinator did not start to listen within 60 s")

    def start_worker(self, number):
        cache = self.folder / f"cache-{number}"
        return subprocess.Popen(
            [self.program("sheaf-worker"), "--coordinator", f"https://127.0.0.1:{self.worker_proxies[number].port}",
             "--token-file", self.tokens[f"worker-{number}"], "--ca-file", self.folder / "ca.pem",
             "--slots", "1", "--name", f"worker-{number}", "--cache", cache],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=self.log(f"worker-{number}"))

    def keep_up(self):
        """Runs due actions, and restarts processes that faults ended. A process that ended by itself is a problem."""
        now = time.monotonic()
        ready, self.due = [each for each in self.due if each[0] <= now], [each for each in self.due if each[0] > now]
        for _, action in ready:
            action()
        if self.coordinator.poll() is not None and now >= self.down_until:
            if self.coordinator.pid not in self.expected_to_end:
                self.problems.append(
                    f"the coordinator exited unexpectedly with {self.coordinator.returncode}: "
                    + self.last_words("coordinator", 5))
            try:
                self.start_coordinator()
            except RuntimeError:
                # It may refuse to start if the disk is full, or the database or the object store cannot be reached. An
                # operator would then try again.
                is_down = self.database and self.database.is_down or self.bucket and self.bucket.is_troubled
                if not self.disks["coordinator"].ballast.exists() and not is_down:
                    raise
                self.expected_to_end.add(self.coordinator.pid)
                self.down_until = now + 0.5
        for number, worker in enumerate(self.workers):
            if worker.poll() is not None:
                if worker.pid not in self.expected_to_end:
                    self.problems.append(
                        f"worker-{number} exited unexpectedly with {worker.returncode}: "
                        + self.last_words(f"worker-{number}", 5))
                self.workers[number] = self.start_worker(number)

    def later(self, seconds, action):
        self.due.append((time.monotonic() + seconds, action))

    def mend(self):
        """Waits until no process is stopped or down. Raises an error if that takes longer than two minutes."""
        give_up = time.monotonic() + 120
        while self.due or self.coordinator.poll() is not None:
            if time.monotonic() >= give_up:
                raise RuntimeError(
                    f"{len(self.due)} faults have not ended within 120 s, and the coordinator "
                    + ("runs" if self.coordinator.poll() is None else "is down: "
                       + self.last_words("coordinator", 5)))
            self.keep_up()
            time.sleep(0.05)

    def strike_process(self, process, kind, seconds):
        """Sends SIGKILL, SIGTERM or SIGSTOP to a program of the farm. Returns whether it was running."""
        if process.poll() is not None:
            return False
        if kind == "STOP":
            process.send_signal(signal.SIGSTOP)
            self.later(seconds, lambda: process.poll() is None and process.send_signal(signal.SIGCONT))
            return True
        self.expected_to_end.add(process.pid)
        process.send_signal(signal.SIGKILL if kind == "KILL" else signal.SIGTERM)
        if kind == "TERM":
            # A stopped process handles a SIGTERM only after it continues.
            process.send_signal(signal.SIGCONT)
        try:
            process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self.problems.append(f"a process did not end within 20 s of SIG{kind}: {process.args[0]}")
            process.kill()
            process.wait()
        if process is self.coordinator:
            self.down_until = time.monotonic() + min(seconds, 2)
        return True

    def strike_child(self, process, kind, seconds, source):
        """Sends the signal to one of a program's media or render processes. Returns whether there was one."""
        children = children_of(process.pid)
        if not children:
            return False
        child = source.choice(children)
        try:
            if kind == "STOP":
                os.kill(child, signal.SIGSTOP)

                def resume():
                    try:
                        os.kill(child, signal.SIGCONT)
                    except ProcessLookupError:
                        pass
                self.later(seconds, resume)
            else:
                os.kill(child, signal.SIGKILL if kind == "KILL" else signal.SIGTERM)
        except ProcessLookupError:
            return False
        return True

    def fill_disk(self, name, seconds):
        """Fills a program's disk for a while. Returns whether it has a separate disk."""
        disk = self.disks[name]
        if not disk.fill():
            return False
        self.later(seconds, disk.free)
        return True

    def client(self, *arguments, **options):
        """Starts `sheaf` as a submitter, through its proxy."""
        return subprocess.Popen(
            [self.program("sheaf"), *map(str, arguments),
             "--coordinator", f"https://127.0.0.1:{self.client_proxy.port}",
             "--token-file", str(self.tokens["submitter"]), "--ca-file", str(self.folder / "ca.pem")],
            stdin=subprocess.DEVNULL, **options)

    def ask(self, *arguments):
        """Runs `sheaf` as an admin, without a proxy. Returns its output, or None if it failed."""
        outcome = subprocess.run(
            [self.program("sheaf"), *map(str, arguments), "--coordinator", f"https://127.0.0.1:{self.port}",
             "--token-file", str(self.tokens["admin"]), "--ca-file", str(self.folder / "ca.pem")],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)
        return outcome.stdout if outcome.returncode == 0 else None

    def search(self):
        """Makes the coordinator search all its stores for damage. Returns whether it has finished."""
        # The coordinator would continue an interrupted search, but this one must cover everything.
        self.expected_to_end.add(self.coordinator.pid)
        self.coordinator.terminate()
        self.coordinator.wait(timeout=20)
        (self.data / "scrub-position").unlink(missing_ok=True)
        self.start_coordinator()
        context = ssl.create_default_context(cafile=self.folder / "ca.pem")
        request = urllib.request.Request(
            f"https://127.0.0.1:{self.port}/api/v1/scrub",
            headers={"Authorization": f"Bearer {self.tokens['admin'].read_text().split()[0]}"})
        give_up = time.monotonic() + 300
        while time.monotonic() < give_up:
            self.keep_up()
            with urllib.request.urlopen(request, context=context, timeout=60) as response:
                if json.load(response)["passes"] > 0:
                    return True
            time.sleep(1)
        self.problems.append("the coordinator did not finish the search for damage within 300 s")
        return False

    def last_words(self, name, lines):
        path = self.folder / f"{name}.log"
        text = path.read_text(errors="replace") if path.exists() else ""
        return "\n".join(text.splitlines()[-lines:])

    def figures(self):
        """The open descriptors and the resident memory (MiB) of each running program."""
        named = [("coordinator", self.coordinator)]
        named += [(f"worker-{number}", worker) for number, worker in enumerate(self.workers)]
        return {name: (descriptors(process.pid), resident(process.pid)) for name, process in named}

    def stop(self):
        for proxy in [self.client_proxy] + self.worker_proxies:
            proxy.close()
        for process in self.workers + [self.coordinator]:
            if process.poll() is None:
                process.send_signal(signal.SIGCONT)
                process.terminate()
        for process in self.workers + [self.coordinator]:
            try:
                process.wait(timeout=20)
            except subprocess.TimeoutExpired:
                self.problems.append(f"a process did not end within 20 s of SIGTERM: {process.args[0]}")
                process.kill()
        for disk in self.disks.values():
            disk.unmount()
        if self.database:
            self.database.stop()
        if self.bucket:
            self.bucket.stop()


def children_of(pid):
    """The process ids of a program's children."""
    found = []
    for task in pathlib.Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            found += [int(word) for word in task.read_text().split()]
        except OSError:
            pass
    return sorted(found)


def descriptors(pid):
    try:
        return len(os.listdir(f"/proc/{pid}/fd"))
    except OSError:
        return 0


def resident(pid):
    try:
        for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) // 1024
    except OSError:
        pass
    return 0


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


def make_certificates(folder):
    """Creates an authority, and a certificate for 127.0.0.1 that it signs."""
    def openssl(*arguments):
        subprocess.run(["openssl", *map(str, arguments)], check=True, capture_output=True)
    key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
    openssl("req", "-x509", *key, "-days", 2, "-subj", "/CN=chaos", "-keyout", folder / "ca.key", "-out", folder / "ca.pem")
    (folder / "server.ext").write_text("subjectAltName=IP:127.0.0.1\nextendedKeyUsage=serverAuth\n")
    openssl("req", *key, "-subj", "/CN=server", "-keyout", folder / "server.key", "-out", folder / "server.csr")
    openssl(
        "x509", "-req", "-in", folder / "server.csr", "-CA", folder / "ca.pem", "-CAkey", folder / "ca.key",
        "-CAcreateserial", "-days", 2, "-extfile", folder / "server.ext", "-out", folder / "server.pem")


def tls_contexts(folder):
    """The contexts of a proxy: for its clients, and for the coordinator."""
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(folder / "server.pem", folder / "server.key")
    client = ssl.create_default_context(cafile=folder / "ca.pem")
    return server, client
