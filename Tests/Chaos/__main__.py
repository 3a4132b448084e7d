"""Injects faults into a farm from outside, and checks only what its users see.

usage: python3 Tests/Chaos [--faults 400] [--jobs 20] [--seed 1] [--programs .build/release]
                            [--report FILE] [--left-out REGEX] [--ledger sqlite|postgresql] [--store disk|rclone]
                            [--coordinators 1] [--workers 3]

The farm runs as operators run it: with tokens and TLS, in separate processes, and with an HTTP proxy between every
pair of them. Faults affect calls in transit (dropped, delayed, cut, duplicated, replayed, a bit flipped, truncated,
answered by a proxy), links (cut, stalled), processes (SIGKILL, SIGSTOP, SIGTERM; clients and child processes too),
disks (filled to the last byte), files at rest (a bit flipped, truncated), the server of a ledger in PostgreSQL
(connections ended, stopped at once, suspended) and an object store (killed, suspended, behind a proxy that lies). With
an object store, some projects have a clip that is uploaded to it in parts.

Several coordinators need PostgreSQL, an object store and root. Each coordinator, worker and database server then runs
on a host of its own: a network namespace on a bridge. The ledger is on two PostgreSQL servers, a primary and a
synchronous replica, each behind PgBouncer in transaction mode. The harness itself moves into a namespace, so that no
network device is left behind. Further faults are partitions (both ways, one way, or the cable unplugged) between
coordinators, the database, the store, the workers, and the load balancer; the loss of the primary's host and the
promotion of the replica; and wall clocks that are up to ten minutes wrong. Some faults last longer than a claim on the
ledger. A live source is recorded meanwhile.

Every job must deliver exactly the file that `sheaf render` makes from its project, byte for byte. A job may fail only
if files at rest were damaged, and its message must say so. If it is submitted again, it must succeed.

Exit status: 0 if no rule was broken, and 1 otherwise. In that case, the folder with the logs is kept and named.
"""

import argparse
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from bucket import LIES, Bucket
from bystander import Bystander
from certificates import make_certificates
from clocks import Clocks
from database import Database
from farm import Farm
from footage import make_clips, make_project, sha256
from job import Job
from network import HUB, STORE, Network
from proxy import Arms
from recording import Recording
from replicas import Replicas
from report import Report
from schedule import Schedule
from storage import Damage
from strikes import Striker

TOGETHER = 2  # jobs at a time
ARMED = 10  # faults that wait for a call at the same time
ARM_SECONDS = 12  # how long a fault waits
LONGEST = 3600  # seconds after which a run ends even if faults remain
LONG_RUN = 100  # the number of faults from which on the stores are searched for damage at the end


class Run:
    """A run with one seed."""

    def __init__(self, options, folder):
        self.options = options
        self.folder = folder
        self.arms = Arms()
        # Threads that are started later run in the namespace too.
        self.network = Network() if options.coordinators > 1 else None
        self.schedule = Schedule(
            options.seed, options.left_out, options.ledger == "postgresql", options.store == "rclone",
            self.network is not None)
        self.report = Report(options)
        self.armed = []
        self.lies = []
        self.next_strike = 0
        self.jobs = []
        self.ended = []

    def prepare(self):
        """Creates the footage, and renders each project without faults as a reference."""
        has_large = self.options.store == "rclone"
        make_clips(self.folder, self.options.jobs, has_large)
        programs = pathlib.Path(self.options.programs).resolve()
        self.references = []
        for number in range(self.options.jobs):
            project = make_project(self.folder, number, self.options.seed, has_large)
            output = self.folder / f"reference-{number}.mp4"
            subprocess.run(
                [programs / "sheaf", "render", project, "-o", output],
                check=True, stdin=subprocess.DEVNULL, capture_output=True)
            # An independent tool must decode the file without errors.
            decoded = subprocess.run(
                ["ffmpeg", "-v", "error", "-xerror", "-i", output, "-f", "null", "-"],
                capture_output=True, text=True, stdin=subprocess.DEVNULL)
            if decoded.returncode or decoded.stderr:
                self.report.problems.append(f"ffmpeg cannot decode project {number}: {decoded.stderr[:300]}")
            self.references.append((project, sha256(output)))
        self.start_farm(programs)
        self.bystander = Bystander(self.farm, self.references[0][0], self.folder)
        self.recording = Recording(self.farm, self.folder, HUB) if self.network else None

    def start_farm(self, programs):
        options, network = self.options, self.network
        addresses, database = ["127.0.0.1"], None
        if network:
            # Certificates name all addresses that hosts may get.
            addresses += [f"10.99.0.{number}" for number in range(1, 60)]
            # PgBouncer runs as another user, and clients of the database read the authority's certificate.
            self.folder.chmod(0o755)
        clocks = Clocks(self.folder, network is not None)
        # A clock that is slow must not make the certificates invalid.
        make_certificates(self.folder, addresses, clocks.environment("certificates", -7200))
        if network:
            database = Replicas([network.add(f"database-{number}", 10 + number) for number in range(2)], self.folder)
        elif options.ledger == "postgresql":
            database = Database()
        bucket = Bucket(options.seed, STORE if network else "127.0.0.1") if options.store == "rclone" else None
        self.farm = Farm(self.folder, programs, options, self.arms, clocks, database, bucket, network)
        self.damage = Damage(bucket.objects if bucket else self.farm.data)
        self.striker = Striker(self.farm, self.damage, self.schedule)

    def run(self):
        self.prepare()
        began = time.monotonic()
        started = 0
        while True:
            self.farm.keep_up()
            is_enough = self.report.met_count >= self.options.faults
            while len(self.jobs) < TOGETHER and (started < self.options.jobs or not is_enough):
                project, reference = self.references[started % self.options.jobs]
                self.jobs.append(Job(self.farm, started, project, reference, self.folder, self.damage))
                started += 1
            if not self.jobs or time.monotonic() > began + LONGEST:
                break
            self.collect_armed()
            self.collect_lies()
            self.bystander.advance(self.jobs)
            if not is_enough and time.monotonic() >= self.next_strike and self.is_in_step():
                self.strike()
            for job in self.jobs:
                job.advance()
            for job in [each for each in self.jobs if each.is_done]:
                self.jobs.remove(job)
                self.ended.append(job)
                self.report.jobs += 1
                self.report.problems += job.problems
                self.report.sample(self.farm.figures(), self.is_calm)
                print(f"chaos: {self.report.line()}", flush=True)
            time.sleep(0.03)
        self.conclude()
        if self.report.met_count < self.options.faults:
            self.report.problems.append(f"only {self.report.met_count} of {self.options.faults} faults took effect")
        self.report.seconds = time.monotonic() - began
        return self.report

    @property
    def is_calm(self):
        """Whether the coordinator and the workers are no longer killed, so that a leak would show. This is the last
        third of a long run."""
        return self.options.faults >= LONG_RUN and self.report.met_count >= self.options.faults * 2 // 3

    def is_in_step(self):
        """Whether the faults are not ahead of the jobs, so that each job gets a fair share."""
        share = self.options.faults / self.options.jobs
        waiting = len(self.armed) + len(self.lies)
        return self.report.met_count + waiting < share * (len(self.ended) + TOGETHER + 1)

    def strike(self):
        (place, kind, target), pause = self.schedule.draw()
        if self.is_calm and place == "process" and kind != "STOP" and target in ("coordinator", "worker"):
            return
        self.next_strike = time.monotonic() + pause
        fault = (place, kind, target)
        if place == "call":
            if len(self.armed) >= ARMED:
                self.schedule.deck.insert(0, fault)
                return
            self.report.drawn[fault] += 1
            handle = self.arms.arm(kind, target, self.schedule.length())
            self.armed.append((handle, time.monotonic() + ARM_SECONDS, fault))
            return
        self.report.drawn[fault] += 1
        if place == "store" and kind in LIES:
            lie = self.farm.bucket.lie(kind, target)
            if lie:
                self.farm.note_trouble(self.schedule.length())
                self.lies.append((lie, fault))
            return
        if self.striker.strike(place, kind, target, self.jobs):
            self.report.met[fault] += 1

    def collect_armed(self):
        """Counts armed faults that have affected a call, and withdraws those that have waited too long."""
        for entry in list(self.armed):
            handle, due, fault = entry
            with self.arms.lock:
                has_met = handle not in self.arms.waiting
            if has_met:
                self.armed.remove(entry)
                self.report.met[fault] += 1
            elif time.monotonic() > due and self.arms.expire(handle):
                self.armed.remove(entry)

    def collect_lies(self):
        """Counts lies of the object store that were told, and forgets those that have waited too long."""
        for entry in list(self.lies):
            lie, fault = entry
            # In this order, because it may be told meanwhile.
            is_over, was_told = lie.is_over, lie.was_told
            if was_told:
                self.report.met[fault] += 1
            if was_told or is_over:
                self.lies.remove(entry)

    def conclude(self):
        """Ends all faults, and checks that every job and every worker has recovered."""
        for handle, _, _ in self.armed:
            self.arms.expire(handle)
        if self.farm.bucket:
            self.farm.bucket.stop_lying()
            self.collect_lies()
        self.bystander.leave()
        self.farm.mend()
        if self.recording:
            self.recording.conclude()
            self.report.problems += self.recording.problems
            self.report.notes.append(self.recording.note)
        self.report.check_jobs(self.farm)
        self.report.check_coordinators(self.farm)
        self.report.check_workers(self.farm)
        self.report.sample(self.farm.figures(), self.is_calm)
        # The search starts a minute after the coordinator does, which is too late for a short run.
        is_searched = self.options.faults >= LONG_RUN and self.farm.search()
        self.report.check_store(self.farm, self.damage, is_searched)
        self.report.check_flatness()
        if self.options.faults >= LONG_RUN:
            self.report.check_lies()
        self.farm.stop()
        self.report.describe_owners(self.farm)
        self.report.problems += self.farm.problems + self.arms.problems + self.bystander.problems


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--faults", type=int, default=400)
    parser.add_argument("--jobs", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--programs", default=".build/release")
    parser.add_argument("--report")
    parser.add_argument("--ledger", choices=["sqlite", "postgresql"], default="sqlite")
    parser.add_argument("--store", choices=["disk", "rclone"], default="disk")
    parser.add_argument("--coordinators", type=int, default=1)
    parser.add_argument("--workers", type=int, default=3)
    parser.add_argument(
        "--left-out",
        help="a regular expression of faults to skip, matched against \"call KIND CALL\", \"rest flip asset\" etc.")
    options = parser.parse_args()
    if options.coordinators > 1 and (options.ledger, options.store) != ("postgresql", "rclone"):
        parser.error("several coordinators need --ledger postgresql and --store rclone")

    folder = pathlib.Path(tempfile.mkdtemp(prefix="sheaf-chaos-"))
    # The farm is also stopped if the harness is.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("chaos: stopped by SIGTERM"))
    run = Run(options, folder)
    try:
        report = run.run()
    except BaseException:
        if hasattr(run, "farm"):
            run.farm.stop()
        print(f"chaos: stopped; the logs are in {folder}", file=sys.stderr)
        raise
    text = report.markdown()
    if options.report:
        pathlib.Path(options.report).write_text(text)
    print(text)
    if report.problems:
        print(f"chaos: {len(report.problems)} broken rules; the logs are in {folder}", file=sys.stderr)
        return 1
    shutil.rmtree(folder)
    print(f"chaos: seed {options.seed}: {report.met_count} faults, {report.jobs} jobs, all files correct")
    return 0


if __name__ == "__main__":
    sys.exit(main())
