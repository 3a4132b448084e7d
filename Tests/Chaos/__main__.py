"""Injects faults into a farm from outside, and checks only what its users see.

usage: python3 Tests/Chaos [--faults 400] [--jobs 20] [--seed 1] [--programs .build/release]
                            [--report FILE] [--left-out REGEX] [--ledger sqlite|postgresql] [--store disk|rclone]

The farm runs as operators run it: with tokens and TLS, in separate processes, and with an HTTP proxy between every pair of
them. Faults affect calls in transit (dropped, delayed, cut, duplicated, replayed, a bit flipped, truncated, answered by a
proxy), links (cut, stalled), processes (SIGKILL, SIGSTOP, SIGTERM; clients and child processes too), disks (filled to the
last byte), files at rest (a bit flipped, truncated), the server of a ledger in PostgreSQL (connections ended, stopped
at once, suspended) and an object store (killed, suspended, behind a proxy that lies). Every job must deliver exactly the file that `sheaf render` makes
from its project, byte for byte. A job may fail only if files at rest were damaged, and its message must say so. If it is
submitted again, it must succeed.

Exit status: 0 if no rule was broken, and 1 otherwise. In that case, the folder with the logs is kept and named.
"""

import argparse
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

from bucket import Bucket
from bystander import Bystander
from database import Database
from farm import Farm
from footage import make_clips, make_project, sha256
from job import Job
from proxy import Arms
from report import Report
from schedule import Schedule
from storage import Damage, strike_cache

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
        self.schedule = Schedule(options.seed, options.left_out, options.ledger == "postgresql", options.store == "rclone")
        self.report = Report(options)
        self.armed = []
        self.next_strike = 0
        self.jobs = []
        self.ended = []

    def prepare(self):
        """Creates the footage, and renders each project without faults as a reference."""
        make_clips(self.folder, self.options.jobs)
        programs = pathlib.Path(self.options.programs).resolve()
        self.references = []
        for number in range(self.options.jobs):
            project = make_project(self.folder, number, self.options.seed)
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
        database = Database() if self.options.ledger == "postgresql" else None
        bucket = Bucket(self.options.seed) if self.options.store == "rclone" else None
        self.farm = Farm(self.folder, programs, 3, self.arms, self.options.seed, database, bucket)
        self.damage = Damage(bucket.objects if bucket else self.farm.data)
        self.bystander = Bystander(self.farm, self.references[0][0], self.folder)

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
        """Whether the coordinator and the workers are no longer killed, so that a leak would show. This is the last third
        of a long run."""
        return self.options.faults >= LONG_RUN and self.report.met_count >= self.options.faults * 2 // 3

    def is_in_step(self):
        """Whether the faults are not ahead of the jobs, so that each job gets a fair share."""
        share = self.options.faults / self.options.jobs
        return self.report.met_count + len(self.armed) < share * (len(self.ended) + TOGETHER + 1)

    def strike(self):
        (place, kind, target), pause = self.schedule.draw()
        if self.is_calm and place == "process" and kind != "STOP" and target in ("coordinator", "worker"):
            return
        self.next_strike = time.monotonic() + pause
        fault = (place, kind, target)
        source = self.schedule.random
        seconds = self.schedule.length()
        if place == "call":
            if len(self.armed) >= ARMED:
                self.schedule.deck.insert(0, fault)
                return
            self.report.drawn[fault] += 1
            self.armed.append((self.arms.arm(kind, target, seconds), time.monotonic() + ARM_SECONDS, fault))
            return
        self.report.drawn[fault] += 1
        strikers = {
            "process": lambda: self.strike_process(kind, target, seconds, source),
            "rest": lambda: self.strike_storage(kind, target, source),
            "link": lambda: self.strike_link(kind, target, seconds, source),
            "disk": lambda: self.strike_disk(target, seconds, source),
            "store": lambda: self.farm.bucket.strike(kind, self.farm, seconds),
            "database": lambda: self.farm.database.strike(kind, self.farm, seconds),
        }
        if strikers[place]():
            self.report.met[fault] += 1

    def strike_process(self, signal, target, seconds, source):
        worker = source.choice(self.farm.workers)
        if target == "client":
            running = [job.client for job in self.jobs if job.client.poll() is None]
            return bool(running) and self.farm.strike_process(source.choice(running), signal, seconds)
        if target.endswith("child"):
            program = worker if target.startswith("worker") else self.farm.coordinator
            return self.farm.strike_child(program, signal, seconds, source)
        return self.farm.strike_process(worker if target == "worker" else self.farm.coordinator, signal, seconds)

    def strike_link(self, kind, target, seconds, source):
        proxy = self.farm.client_proxy if target == "client" else source.choice(self.farm.worker_proxies)
        return proxy.cut(seconds) if kind == "cut" else proxy.stall(seconds)

    def strike_disk(self, target, seconds, source):
        number = source.randrange(len(self.farm.workers))
        return self.farm.fill_disk("coordinator" if target == "coordinator" else f"worker-{number}", seconds)

    def strike_storage(self, kind, store, source):
        if store == "worker's cache":
            return strike_cache(source.choice(self.farm.workers), kind, source)
        return self.damage.strike(store, kind, source) is not None

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

    def conclude(self):
        """Ends all faults, and checks that every job and every worker has recovered."""
        for handle, _, _ in self.armed:
            self.arms.expire(handle)
        self.bystander.leave()
        self.farm.mend()
        self.report.check_jobs(self.farm)
        self.report.check_workers(self.farm)
        self.report.sample(self.farm.figures(), self.is_calm)
        # The search starts a minute after the coordinator does, which is too late for a short run.
        is_searched = self.options.faults >= LONG_RUN and self.farm.search()
        self.report.check_store(self.farm, self.damage, is_searched)
        self.report.check_flatness()
        self.farm.stop()
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
    parser.add_argument(
        "--left-out", help="a regular expression of faults to skip, matched against \"call KIND CALL\", \"rest flip asset\" etc.")
    options = parser.parse_args()

    folder = pathlib.Path(tempfile.mkdtemp(prefix="sheaf-chaos-"))
    run = Run(options, folder)
    try:
        report = run.run()
    except Exception:
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
