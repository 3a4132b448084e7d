"""A farm as operators run it: tokens, TLS, coordinators, workers, and proxies between the processes."""

import collections
import json
import os
import re
import signal
import socket
import ssl
import subprocess
import time
import urllib.request

from certificates import tls_contexts
from coordinators import Coordinator
from disk import Disk
from network import HUB
from owners import OwnerWatch
from processes import children_of, descriptors, resident, send
from proxy import Proxy

#: The probability that a fault of a coordinator strikes the one that owns the ledger.
OWNER_SHARE = 0.6


class Farm:
    """The processes of a farm. Faults affect them, and `keep_up` restarts those that faults ended.

    With a network, coordinators and workers run on hosts of their own, and a farm may have several coordinators."""

    def __init__(self, folder, programs, options, arms, clocks, database=None, bucket=None, network=None):
        self.folder = folder
        self.programs = programs
        self.database, self.bucket, self.network = database, bucket, network
        if database:
            os.environ["SHEAF_LEDGER"] = database.url
        self.store_options = bucket.options if bucket else []
        if bucket:
            os.environ.update(bucket.environment)
        self.problems = []
        self.exits = collections.Counter()
        self.due = []  # (time, what to do then)
        self.trouble_until = 0
        self.asked = 0
        self.expected_to_end = set()
        self.clocks = clocks
        self.coordinators = [self.make_coordinator(number) for number in range(options.coordinators)]
        self.data = self.coordinators[0].data
        self.disks = {each.name: each.disk for each in self.coordinators}
        for number in range(options.workers):
            self.disks[f"worker-{number}"] = Disk(folder / f"cache-{number}", 48)
        self.worker_hosts = [network and network.add(f"worker-{n}", 40 + n) for n in range(options.workers)]
        self.tokens = {}
        for role in ["submitter", "admin"] + [f"worker-{number}" for number in range(options.workers)]:
            self.tokens[role] = self.make_token(role)
        self.owners = None
        self.start_coordinators()
        self.owners = OwnerWatch(self) if network else None
        self.make_proxies(arms, options.seed)
        self.workers = [self.start_worker(number) for number in range(options.workers)]

    def make_coordinator(self, number):
        if not self.network:
            return Coordinator(self, "coordinator", self.folder / "data", "127.0.0.1", free_port())
        host = self.network.add(f"coordinator-{number}", 20 + number)
        data = self.folder / f"data-{number}"
        return Coordinator(self, host.name, data, host.address, 7420, host)

    def make_proxies(self, arms, seed):
        """Creates the proxies of clients and workers. A client with a list of addresses has one proxy per coordinator;
        others have one that chooses among them, as a load balancer does."""
        contexts = tls_contexts(self.folder)
        places = [(each.address, each.port) for each in self.coordinators]
        address = HUB if self.network else "127.0.0.1"

        def proxies(number, has_list):
            targets = [[place] for place in places] if has_list else [places]
            return [Proxy(address, target, *contexts, arms, seed + number) for target in targets]
        takes_list = len(places) > 1 and self.takes_list("sheaf-worker")
        self.worker_proxies = [proxies(1 + n, takes_list and n % 2 == 0) for n in range(len(self.worker_hosts))]
        self.client_proxies = [proxies(0, False)]
        if len(places) > 1 and self.takes_list("sheaf", "submit"):
            self.client_proxies.append(proxies(0, True))

    def takes_list(self, *words):
        """Whether a program accepts several addresses of coordinators."""
        words = [self.program(words[0]), *words[1:], "--help"]
        text = subprocess.run(words, capture_output=True, text=True, stdin=subprocess.DEVNULL).stdout
        option = re.search(r"--coordinator URL(.*?)\n +(?:-\w, +)?--", text, re.S)
        return bool(option and "repeat" in option.group(1))

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

    def start_coordinators(self):
        """Starts all coordinators, and waits until they listen. The first one owns the ledger at first."""
        for coordinator in self.coordinators:
            coordinator.start()
            give_up = time.monotonic() + 120
            while not coordinator.is_up:
                if time.monotonic() > give_up:
                    raise RuntimeError(f"the {coordinator.name} did not start: {self.last_words(coordinator.name, 5)}")
                self.keep_up_coordinators([coordinator])
                time.sleep(0.05)

    def keep_up_coordinators(self, coordinators):
        for coordinator in coordinators:
            coordinator.keep_up()

    def start_worker(self, number):
        host, proxies = self.worker_hosts[number], self.worker_proxies[number]
        places = [word for proxy in proxies for word in ("--coordinator", proxy.url)]
        return subprocess.Popen(
            [*(host.enter if host else []), self.program("sheaf-worker"), *places,
             "--token-file", self.tokens[f"worker-{number}"], "--ca-file", self.folder / "ca.pem",
             "--slots", "1", "--name", f"worker-{number}", "--cache", self.folder / f"cache-{number}"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=self.log(f"worker-{number}"),
            env=self.clocks.environment(f"worker-{number}"))

    def keep_up(self):
        """Runs due actions, and restarts processes that faults ended. A process that ended by itself is a problem."""
        now = time.monotonic()
        ready, self.due = [each for each in self.due if each[0] <= now], [each for each in self.due if each[0] > now]
        for _, action in ready:
            action()
        if self.database:
            self.database.keep_up()
        self.keep_up_coordinators(self.coordinators)
        for number, worker in enumerate(self.workers):
            if worker.poll() is not None:
                if worker.pid not in self.expected_to_end:
                    self.problems.append(
                        f"worker-{number} exited unexpectedly with {worker.returncode}: "
                        + self.last_words(f"worker-{number}", 5))
                self.workers[number] = self.start_worker(number)

    def later(self, seconds, action):
        self.due.append((time.monotonic() + seconds, action))

    def note_trouble(self, seconds):
        """Remembers that a fault affects the coordinators or what they need for some seconds."""
        self.trouble_until = max(self.trouble_until, time.monotonic() + seconds)

    def was_in_trouble(self, seconds):
        """Whether such a fault lasts or ended in the last seconds."""
        return (time.monotonic() < self.trouble_until + seconds or self.database is not None and self.database.is_down
                or self.bucket is not None and self.bucket.is_troubled)

    def choose_coordinator(self, source):
        """A coordinator for a fault: often the one that owns the ledger."""
        owner = self.owners and self.owners.owner
        return owner if owner and source.random() < OWNER_SHARE else source.choice(self.coordinators)

    def mend(self):
        """Waits until no process is stopped or down. Raises an error if that takes longer than two minutes."""
        give_up = time.monotonic() + 120
        while (self.due or self.database and self.database.is_down
               or not all(each.is_running and each.is_up for each in self.coordinators)):
            if time.monotonic() >= give_up:
                down = [each.name for each in self.coordinators if not (each.is_running and each.is_up)]
                raise RuntimeError(
                    f"{len(self.due)} faults have not ended within 120 s, and these coordinators are down: {down}: "
                    + "".join(self.last_words(name, 5) for name in down))
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
        self.wait_for_end(process, kind)
        return True

    def wait_for_end(self, process, kind):
        """Waits until a process ends that has received a signal, and kills it after 20 s."""
        try:
            process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            words = " ".join(map(str, process.args[:6]))
            self.problems.append(f"a process did not end within 20 s of SIG{kind}: {words}")
            process.kill()
            process.wait()

    def strike_coordinator(self, coordinator, kind, seconds):
        """Sends a signal to a coordinator that listens. Returns whether there was one."""
        if not coordinator.is_up or not self.strike_process(coordinator.process, kind, seconds):
            return False
        self.note_trouble(seconds)
        if kind != "STOP":
            coordinator.down_until = time.monotonic() + min(seconds, 2)
        return True

    def strike_child(self, process, kind, seconds, source):
        """Sends the signal to one of a program's media or render processes. Returns whether there was one."""
        children = children_of(process.pid)
        if not children:
            return False
        child = source.choice(children)
        if not send(child, getattr(signal, f"SIG{kind}")):
            return False
        if kind == "STOP":
            self.later(seconds, lambda: send(child, signal.SIGCONT))
        return True

    def fill_disk(self, name, seconds):
        """Fills a program's disk for a while. Returns whether it has a separate disk."""
        disk = self.disks[name]
        if not disk.fill():
            return False
        self.note_trouble(seconds)
        self.later(seconds, disk.free)
        return True

    def client(self, *arguments, **options):
        """Starts `sheaf` as a submitter, through its proxies."""
        self.asked += 1
        proxies = self.client_proxies[self.asked % len(self.client_proxies)]
        places = [word for proxy in proxies for word in ("--coordinator", proxy.url)]
        return subprocess.Popen(
            [self.program("sheaf"), *map(str, arguments), *places,
             "--token-file", str(self.tokens["submitter"]), "--ca-file", str(self.folder / "ca.pem")],
            stdin=subprocess.DEVNULL, **options)

    def ask(self, *arguments, coordinator=None):
        """Runs `sheaf` as an admin, without a proxy. Returns its output, or None if it failed."""
        self.asked += 1
        coordinator = coordinator or self.coordinators[self.asked % len(self.coordinators)]
        try:
            outcome = subprocess.run(
                [self.program("sheaf"), *map(str, arguments), "--coordinator", coordinator.url,
                 "--token-file", str(self.tokens["admin"]), "--ca-file", str(self.folder / "ca.pem")],
                stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)
        except subprocess.TimeoutExpired:
            return None
        return outcome.stdout if outcome.returncode == 0 else None

    def search(self):
        """Makes the coordinator search all its stores for damage. Returns whether it has finished."""
        # The coordinator would continue an interrupted search, but this one must cover everything.
        for coordinator in self.coordinators:
            self.expected_to_end.add(coordinator.process.pid)
            coordinator.process.terminate()
            self.wait_for_end(coordinator.process, "TERM")
            (coordinator.data / "scrub-position").unlink(missing_ok=True)
        self.start_coordinators()
        context = ssl.create_default_context(cafile=self.folder / "ca.pem")
        request = urllib.request.Request(
            f"{self.coordinators[0].url}/api/v1/scrub",
            headers={"Authorization": f"Bearer {self.tokens['admin'].read_text().split()[0]}"})
        give_up = time.monotonic() + 300
        while time.monotonic() < give_up:
            self.keep_up()
            try:
                with urllib.request.urlopen(request, context=context, timeout=60) as response:
                    if json.load(response)["passes"] > 0:
                        return True
            except OSError:
                # Several coordinators may need a moment to agree on an owner.
                if not self.network:
                    raise
            time.sleep(1)
        self.problems.append("the coordinator did not finish the search for damage within 300 s")
        return False

    def log_size(self, name):
        path = self.folder / f"{name}.log"
        return path.stat().st_size if path.exists() else 0

    def said(self, name, mark=0):
        """The contents of a program's log after its first bytes."""
        if self.log_size(name) <= mark:
            return ""
        with open(self.folder / f"{name}.log", "rb") as file:
            file.seek(mark)
            return file.read().decode(errors="replace")

    def last_words(self, name, lines):
        return "\n".join(self.said(name).splitlines()[-lines:])

    def figures(self):
        """The open descriptors and the resident memory (MiB) of each running program. Several coordinators count as the
        one that owns the ledger, and the first of the others."""
        named = [(f"worker-{number}", worker) for number, worker in enumerate(self.workers)]
        for coordinator in reversed(self.coordinators):
            name = "coordinator"
            if self.owners:
                name = "owner" if coordinator is self.owners.owner else "waiting coordinator"
            named.append((name, coordinator.process))
        return {name: (descriptors(process.pid), resident(process.pid)) for name, process in named}

    def stop(self):
        if self.owners:
            self.owners.stop()
        for proxies in self.worker_proxies + self.client_proxies:
            for proxy in proxies:
                proxy.close()
        processes = self.workers + [each.process for each in self.coordinators]
        for process in processes:
            if process.poll() is None:
                process.send_signal(signal.SIGCONT)
                process.terminate()
        for process in processes:
            self.wait_for_end(process, "TERM")
        for disk in self.disks.values():
            disk.unmount()
        for each in (self.database, self.bucket, self.network):
            if each:
                each.stop()


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]
