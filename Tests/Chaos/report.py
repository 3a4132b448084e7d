"""The results of a run, as text and as a verdict."""

import collections
import json
import subprocess
import time

from bucket import PARTS

FINAL = {"completed", "failed", "cancelled"}
ENOUGH_SAMPLES = 6  # samples that a comparison of descriptors and memory needs


class Report:
    """Counts, figures and broken rules."""

    def __init__(self, options):
        self.options = options
        self.drawn = collections.Counter()
        self.met = collections.Counter()
        self.jobs = 0
        self.problems = []
        self.samples = []
        self.calm_samples = []
        self.notes = []
        self.seconds = 0

    @property
    def met_count(self):
        return sum(self.met.values())

    def line(self):
        return f"{self.jobs} jobs done, {self.met_count} faults took effect, {len(self.problems)} broken rules"

    def sample(self, figures, is_calm):
        """Records the resources of the programs, and whether faults no longer end them in this part of the run."""
        self.samples.append(figures)
        if is_calm:
            self.calm_samples.append(figures)

    def check_jobs(self, farm):
        """Checks that all jobs end, even those whose clients were killed before they knew the id."""
        give_up = time.monotonic() + 300
        unfinished = []
        while time.monotonic() < give_up:
            farm.keep_up()
            text = farm.ask("jobs", "--json")
            if text is not None:
                jobs = json.loads(text)
                jobs = jobs["jobs"] if isinstance(jobs, dict) else jobs
                unfinished = [job for job in jobs if job["state"] not in FINAL]
                if not unfinished:
                    return
            time.sleep(0.5)
        self.problems += [f"a job did not end: {job['id']} is {job['state']}" for job in unfinished]

    def check_workers(self, farm):
        """Checks that the coordinator knows every running worker."""
        give_up = time.monotonic() + 120
        missing = set()
        while time.monotonic() < give_up:
            farm.keep_up()
            text = farm.ask("workers", "--json")
            if text is not None:
                listed = json.loads(text)
                listed = listed["workers"] if isinstance(listed, dict) else listed
                seen = {worker["name"] for worker in listed if worker["state"] != "lost"}
                missing = {f"worker-{number}" for number in range(len(farm.workers))} - seen
                if not missing:
                    return
            time.sleep(0.5)
        self.problems += [f"a worker is lost: {name}" for name in sorted(missing)]

    def check_coordinators(self, farm):
        """Checks that every coordinator answers, and that all tell the same about jobs."""
        if len(farm.coordinators) == 1:
            return
        give_up = time.monotonic() + 120
        answers = {}
        while time.monotonic() < give_up:
            farm.keep_up()
            answers = {each.name: farm.ask("jobs", "--json", coordinator=each) for each in farm.coordinators}
            if None not in answers.values() and len({states(text) for text in answers.values()}) == 1:
                return
            time.sleep(0.5)
        silent = [name for name, text in answers.items() if text is None]
        self.problems.append(
            f"these coordinators do not answer: {silent}" if silent else "the coordinators list different jobs")

    def describe_owners(self, farm):
        """Adds which coordinators owned the ledger, and why coordinators ended by themselves."""
        if farm.owners is None:
            return
        self.problems += farm.owners.problems
        changes = farm.owners.changes
        self.notes.append(
            f"The owner of the ledger changed {sum(changes.values())} times"
            + (": " + ", ".join(f"{change} ({count})" for change, count in sorted(changes.items())) if changes else "")
            + f". The replica was promoted {farm.database.promotions} times.")
        self.notes += [
            f"A coordinator ended by itself after a fault, {count} times: {reason}"
            for reason, count in farm.exits.items()]

    def check_store(self, farm, damage, is_searched):
        """Checks that `check --chunks` finds only what was damaged on purpose, and nothing after a search for damage.
        """
        outcome = subprocess.run(
            [farm.program("sheaf-coordinator"), "check", "--data", farm.data, "--chunks", *farm.store_options],
            capture_output=True, text=True, stdin=subprocess.DEVNULL)
        for finding in outcome.stdout.splitlines():
            # Files in quarantine do no harm.
            if finding.startswith("note:"):
                continue
            is_known = any(name in finding or name.split(".")[0] in finding for name in damage.damaged)
            if is_searched or not is_known:
                if finding.strip() and not finding.startswith(("sound", "checked")) and outcome.returncode:
                    self.problems.append(f"check --chunks: {finding}")
        if outcome.returncode not in (0, 1):
            self.problems.append(f"check --chunks exited with {outcome.returncode}: {outcome.stderr[:300]}")

    def check_lies(self):
        """Checks that the object store lied about the end of an upload in parts, if it was to."""
        lies = [fault for fault in self.drawn if fault[2] == PARTS]
        if lies and not any(self.met[fault] for fault in lies):
            self.problems.append("the object store did not lie about the end of any upload in parts")

    def check_flatness(self):
        """Checks that descriptors and memory do not grow: in the part of the run in which no program is ended, if there
        is one."""
        samples = self.calm_samples
        if len(samples) < ENOUGH_SAMPLES:
            samples = self.samples
            self.notes.append(
                "Descriptors and memory are compared over the entire run, in which programs were restarted, because "
                f"the part without restarts has only {len(self.calm_samples)} samples.")
        if len(samples) < ENOUGH_SAMPLES:
            self.notes.append(
                f"Descriptors and memory are not compared, because there are only {len(samples)} samples.")
            return
        third = len(samples) // 3
        for name in sorted(set().union(*samples)):
            for place, what, slack in ((0, "descriptors", 24), (1, "MiB of memory", 64)):
                def median(samples):
                    values = sorted(sample[name][place] for sample in samples if name in sample)
                    return values[len(values) // 2] if values else 0
                before, after = median(samples[:third]), median(samples[-third:])
                if after > 1.5 * before + slack:
                    self.problems.append(f"{name} grew from {before} to {after} {what}")

    def markdown(self):
        rows = [
            f"# {self.met_count} faults over {self.jobs} jobs (seed {self.options.seed}, {self.seconds:.0f} s)", "",
            f"Broken rules: {len(self.problems)}.", "",
        ]
        rows += [f"- {problem}" for problem in self.problems]
        for note in self.notes:
            rows += ["", note]
        rows += ["", "| fault | on | drawn | took effect |", "|---|---|---|---|"]
        for fault in sorted(self.drawn):
            place, kind, target = fault
            kind = f"SIG{kind}" if place == "process" else kind
            rows.append(f"| {kind} | {target} | {self.drawn[fault]} | {self.met[fault]} |")
        samples = self.calm_samples or self.samples
        if samples:
            rows += ["", "| program | descriptors, first and last | MiB of memory, first and last |", "|---|---|---|"]
            for name in sorted(set().union(*samples)):
                first, last = samples[0].get(name, (0, 0)), samples[-1].get(name, (0, 0))
                rows.append(f"| {name} | {first[0]}, {last[0]} | {first[1]}, {last[1]} |")
        return "\n".join(rows) + "\n"


def states(text):
    """The states of all jobs in a listing as JSON."""
    jobs = json.loads(text)
    jobs = jobs["jobs"] if isinstance(jobs, dict) else jobs
    return tuple(sorted((job["id"], job["state"]) for job in jobs))
