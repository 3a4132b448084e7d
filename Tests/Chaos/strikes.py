"""Carries out the faults of the schedule."""

import time

from clocks import SHIFTS
from partitions import separate
from storage import strike_cache

#: How many long faults of what several coordinators have in common may last at the same time.
OUTAGES = 3


class Striker:
    """Strikes the processes, links, disks, files and clocks of a farm."""

    def __init__(self, farm, damage, schedule):
        self.farm = farm
        self.damage = damage
        self.schedule = schedule
        self.random = schedule.random
        self.ends = []  # of such faults

    def strike(self, place, kind, target, jobs):
        """Carries out a fault. Returns whether it took effect."""
        farm = self.farm
        seconds = self.schedule.length()
        if farm.network and (place in ("database", "partition") or target in ("coordinator", "PgBouncer")):
            seconds = self.outage()
        if place == "process":
            return self.strike_process(kind, target, seconds, jobs)
        if place == "link":
            return self.strike_link(kind, target, seconds)
        if place == "disk":
            return self.strike_disk(target, seconds)
        if place == "store":
            return farm.bucket.strike(kind, farm, seconds)
        if place == "database":
            farm.note_trouble(seconds)
            return farm.database.strike(kind, target, farm, seconds)
        if place == "partition":
            return separate(farm, kind, target, seconds, self.random)
        if place == "clock":
            return self.strike_clock(target)
        return self.strike_storage(kind, target)

    def outage(self):
        """The duration of a fault that coordinators must survive. It is short while several others last."""
        now = time.monotonic()
        self.ends = [end for end in self.ends if end > now]
        seconds = self.schedule.outage()
        if len(self.ends) >= OUTAGES:
            return min(seconds, 1)
        self.ends.append(now + seconds)
        return seconds

    def strike_process(self, signal, target, seconds, jobs):
        farm = self.farm
        worker = self.random.choice(farm.workers)
        coordinator = farm.choose_coordinator(self.random)
        if target == "client":
            running = [job.client for job in jobs if job.client.poll() is None]
            return bool(running) and farm.strike_process(self.random.choice(running), signal, seconds)
        if target.endswith("child"):
            program = worker if target.startswith("worker") else coordinator.process
            return farm.strike_child(program, signal, seconds, self.random)
        if target == "PgBouncer":
            farm.note_trouble(seconds)
            return farm.strike_process(self.random.choice(farm.database.poolers).process, signal, seconds)
        if target == "worker":
            return farm.strike_process(worker, signal, seconds)
        return farm.strike_coordinator(coordinator, signal, seconds)

    def strike_link(self, kind, target, seconds):
        proxies = self.farm.client_proxies if target == "client" else self.farm.worker_proxies
        proxy = self.random.choice(self.random.choice(proxies))
        return proxy.cut(seconds) if kind == "cut" else proxy.stall(seconds)

    def strike_disk(self, target, seconds):
        if target == "coordinator":
            return self.farm.fill_disk(self.farm.choose_coordinator(self.random).name, seconds)
        return self.farm.fill_disk(f"worker-{self.random.randrange(len(self.farm.workers))}", seconds)

    def strike_clock(self, target):
        """Sets a clock wrong until the next fault of this kind sets it again."""
        if not self.farm.clocks.is_possible:
            return False
        number = self.random.randrange(len(self.farm.coordinators if target == "coordinator" else self.farm.workers))
        self.farm.clocks.shift(f"{target}-{number}", self.random.choice(SHIFTS))
        return True

    def strike_storage(self, kind, store):
        if store == "worker's cache":
            return strike_cache(self.random.choice(self.farm.workers), kind, self.random)
        return self.damage.strike(store, kind, self.random) is not None
