"""A user who queries the farm while it works, and sometimes cancels a job."""

import re
import time


class Bystander:
    """Runs one call after another through the clients' proxy. A call may fail; no client may crash."""

    def __init__(self, farm, project, folder):
        self.farm = farm
        self.project = project
        self.notes = folder / "bystander.log"
        self.client = None
        self.turn = 0
        self.mark = 0
        self.next = 0
        self.problems = []

    def advance(self, jobs):
        if self.client is not None:
            status = self.client.poll()
            if status is None:
                return
            if status < 0 and self.client.pid not in self.farm.expected_to_end:
                self.problems.append(f"`{' '.join(map(str, self.client.args[:3]))}` was killed by signal {-status}")
            self.client = None
            self.next = time.monotonic() + 1
        if time.monotonic() < self.next:
            return
        calls = [["jobs"], ["submit", self.project, "--rerender"], ["cancel", None], ["job", None]]
        call = calls[self.turn % len(calls)]
        self.turn += 1
        if None in call:
            job = self.submitted() if call[0] == "cancel" else next((job.id for job in jobs if job.id), None)
            if job is None:
                return
            call = [call[0], job]
        self.mark = self.notes.stat().st_size if self.notes.exists() else 0
        with open(self.notes, "ab") as log:
            self.client = self.farm.client(*call, stdout=log, stderr=log)

    def submitted(self):
        """The job that this user submitted with the previous call."""
        with open(self.notes, "rb") as file:
            file.seek(self.mark)
            found = re.search(r"\b([0-9a-z]{12})\b", file.read().decode(errors="replace"))
        return found and found.group(1)

    def leave(self):
        """Ends the running call."""
        if self.client is not None and self.client.poll() is None:
            self.client.kill()
            self.client.wait()
