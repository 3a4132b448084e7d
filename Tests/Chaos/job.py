"""A submitter: submits a project, loses its client at times, and expects the correct file in the end."""

import json
import re
import time

from footage import sha256

#: A job that has not ended after this many seconds is stuck. This is far more than the slowest host needs.
PATIENCE = 420
#: The same for several coordinators, which must find out that one of them has disappeared.
PATIENCE_OF_SEVERAL = 900
#: How often a submitter tries again after a failure that damage explains.
RETRIES = 8
#: The failures that damage at rest may cause, recognized by words in their messages.
DAMAGE = re.compile(r"damaged|changed|missing|upload it again|submit (the job|it) again|quarantine", re.I)


class Job:
    """One project on its way to one file. `advance` is called repeatedly from one thread."""

    def __init__(self, farm, number, project, reference, folder, damage):
        self.farm = farm
        self.number = number
        self.project = project
        self.reference = reference
        self.output = folder / f"out-{number}.mp4"
        self.notes = folder / f"client-{number}.log"
        self.damage = damage
        self.began = time.monotonic()
        self.id = None
        self.is_done = False
        self.problems = []
        self.retries = 0
        self.was_struck = False
        self.submit()

    def start(self, *arguments):
        # The output of this client starts here.
        self.mark = self.notes.stat().st_size if self.notes.exists() else 0
        with open(self.notes, "ab") as log:
            self.client = self.farm.client(*arguments, stdout=log, stderr=log)

    def submit(self):
        self.id = None
        self.step = "submit"
        self.damaged_before = len(self.damage.damaged)
        # Some jobs render everything again, so that not all jobs reuse the chunks of others.
        rerender = ["--rerender"] if self.number % 3 == 0 else []
        # If the client is lost before it prints the job's id, a submission with the same key creates no second job.
        key = f"chaos-{self.number}-{self.retries}"
        self.start(
            "submit", self.project, "-o", self.output, "--overwrite", "--idempotency-key", key, *rerender)

    def said(self):
        """The output of the current or last client."""
        with open(self.notes, "rb") as file:
            file.seek(self.mark)
            return file.read().decode(errors="replace")

    def advance(self):
        """Checks the client, and continues as its user would."""
        if self.step == "submit" and self.id is None:
            found = re.search(r"\bjob:? ([0-9a-z]{12})\b", self.said())
            self.id = found and found.group(1)
        if time.monotonic() - self.began > (PATIENCE_OF_SEVERAL if self.farm.network else PATIENCE):
            self.end(f"job {self.number} is stuck: {self.status()}; its client printed: {self.said()[-600:]}")
            return
        status = self.client.poll()
        if status is None:
            return
        if self.client.pid in self.farm.expected_to_end and status != 0:
            # A user whose client is gone watches the job, or submits again.
            if self.id:
                self.step = "watch"
                self.start("watch", self.id)
            else:
                self.submit()
        elif status == 0 and self.step == "watch":
            self.step = "fetch"
            self.start("fetch", self.id, "-o", self.output, "--overwrite")
        elif status == 0:
            self.conclude()
        else:
            self.judge(status)

    def conclude(self):
        if sha256(self.output) == self.reference:
            self.is_done = True
        else:
            self.end(f"job {self.number} delivered a different file than a run without faults")

    def judge(self, status):
        """Judges a failure of the client. Only damage at rest is a valid reason."""
        said = self.said().strip()
        is_honest = len(self.damage.damaged) > 0 and DAMAGE.search(said)
        if not is_honest:
            self.problems.append(f"job {self.number}: `sheaf {self.step}` exited with {status}: {said[-600:]}")
        self.retries += 1
        if self.retries > RETRIES:
            self.end(f"job {self.number} failed {self.retries} times: {said[-300:]}")
            return
        self.submit()

    def status(self):
        text = self.farm.ask("job", self.id, "--json") if self.id else None
        if not text:
            return "unknown"
        job = json.loads(text).get("job", {})
        return f"{job.get('state')} {job.get('failure')} {job.get('waitingFor')}"

    def end(self, problem):
        self.problems.append(problem)
        self.is_done = True
        if self.client.poll() is None:
            self.client.kill()
            self.client.wait()
