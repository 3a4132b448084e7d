"""A coordinator as its operator runs it: started again whenever it ends."""

import json
import re
import subprocess
import time

from disk import Disk
from network import HUB
from recording import PORT

LEASE_SECONDS = 3
#: The time in which a coordinator must listen after its start, in seconds.
START_SECONDS = 60
#: A coordinator may end by itself for these reasons if it was cut off or suspended, or the ledger's server failed.
LOST = re.compile(
    r"taken over the ledger|lost this one's claim|lost transactions|commit|claim|does not contain the stored files")


class Coordinator:
    """A coordinator with a data directory on a disk of its own."""

    def __init__(self, farm, name, data, address, port, host=None):
        self.farm = farm
        self.name = name
        self.data = data
        self.address = address
        self.port = port
        self.host = host
        self.disk = Disk(data, 512)
        self.process = None
        self.is_up = False
        self.down_until = 0
        self.failed_starts = 0

    @property
    def url(self):
        return f"https://{self.address}:{self.port}"

    @property
    def peer(self):
        """The address and the port for other coordinators."""
        return f"{self.address}:{self.port + 1}"

    @property
    def is_running(self):
        return self.process is not None and self.process.poll() is None

    def start(self):
        farm = self.farm
        self.mark = farm.log_size(self.name)
        several = ["--bind", self.address, "--peer-address", self.peer,
                   "--recording-source", f"tcp://{HUB}:{PORT}"] if self.host else []
        self.process = subprocess.Popen(
            [*(self.host.enter if self.host else []),
             farm.program("sheaf-coordinator"), "serve", "--data", self.data, "--port", str(self.port),
             "--require-tokens", "--tls-certificate", farm.folder / "server.pem",
             "--tls-key", farm.folder / "server.key", "--lease-seconds", str(LEASE_SECONDS),
             "--grace-seconds", "5", "--reserve-bytes", "1048576", *several, *farm.store_options],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=farm.log(self.name),
            env=farm.clocks.environment(self.name))
        self.is_up = False
        self.started = time.monotonic()

    def keep_up(self):
        """Starts the coordinator again if it has ended, and checks that it had a reason to end."""
        now = time.monotonic()
        if self.process is None or self.process.poll() is not None:
            if self.process is not None and self.down_until < self.started:
                self.judge_end()
                self.down_until = now + 0.5 if not self.is_up else now
            if now >= self.down_until:
                self.start()
        elif not self.is_up:
            if "listening on" in self.farm.said(self.name, self.mark):
                self.is_up = True
                self.failed_starts = 0
            elif now > self.started + START_SECONDS and not self.farm.was_in_trouble(START_SECONDS):
                raise RuntimeError(f"the {self.name} did not start to listen within {START_SECONDS} s")

    def judge_end(self):
        """Decides whether the process was allowed to end."""
        words = self.farm.last_words(self.name, 5)
        if self.process.pid in self.farm.expected_to_end:
            return
        if not self.is_up:
            # It may refuse to start if the disk is full, or the database or the object store cannot be reached. An
            # operator would then try again.
            self.failed_starts += 1
            if not self.farm.was_in_trouble(15):
                if self.failed_starts > (20 if self.host else 0):
                    raise RuntimeError(
                        f"the {self.name} exited with {self.process.returncode} during its start: {words}")
            return
        reason = words.splitlines()[-1] if words else ""
        if self.host and LOST.search(reason) and self.farm.was_in_trouble(60):
            self.farm.exits[plain(reason)] += 1
            return
        self.farm.problems.append(f"the {self.name} exited unexpectedly with {self.process.returncode}: {words}")

    def owns(self, row):
        """Whether a row of the ledger's owner, as JSON, names this coordinator's claim."""
        try:
            claims = json.loads((self.data / "ledger-owner.json").read_text())
        except (OSError, ValueError):
            claims = []
        token = json.loads(row).get("token")
        return f'"{self.peer}"' in row or bool(token) and any(token in each.get("claims", []) for each in claims)


def plain(line):
    """A line of the log without the time and other values that differ from line to line."""
    found = re.search(r'(?:msg|message|error|reason)="([^"]*)"', line)
    return re.sub(r"\d+", "N", found.group(1) if found else line)[:200]
