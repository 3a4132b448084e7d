"""The order of faults for a seed: every kind occurs before any is repeated."""

import random
import re

from bucket import ANY, LATE, LIES, PARTS
from calls import KINDS, REQUEST_FIELDS, RESPONSE_FIELDS, WITH_REQUEST_BODY, WITHOUT_RESPONSE_BODY
from partitions import PARTITIONS
from proxy import FAULTS
from storage import STORES

PROGRAMS = ["coordinator", "worker", "client", "coordinator's child", "worker's child"]


def call_faults():
    """All faults of calls."""
    deck = []
    for fault, needed in FAULTS.items():
        for kind in KINDS:
            if needed == "request" and kind not in WITH_REQUEST_BODY:
                continue
            if needed == "response" and kind in WITHOUT_RESPONSE_BODY:
                continue
            if needed == "request head" and kind not in REQUEST_FIELDS:
                continue
            if needed == "response head" and kind not in RESPONSE_FIELDS:
                continue
            deck.append(("call", fault, kind))
    return deck


def all_faults(source, has_database, has_bucket, has_network):
    """All faults, each as often as it occurs in one deck: with several coordinators, a third of those of calls."""
    deck = call_faults()
    if has_network:
        deck = source.sample(deck, len(deck) // 3)
    for program in PROGRAMS:
        deck += [("process", signal, program) for signal in ("KILL", "STOP", "TERM")] * 3
    for store in STORES:
        deck += [("rest", kind, store) for kind in ("flip", "cut")] * 2
    deck += [("rest", "flip", "worker's cache")] * 4
    for kind in ("cut", "stall"):
        deck += [("link", kind, "worker")] * 4 + [("link", kind, "client")] * 2
    deck += [("disk", "fill", "coordinator")] * 2 + [("disk", "fill", "worker")] * 4
    if has_database:
        deck += [("database", kind, "ledger") for kind in ("disconnect", "crash", "suspend")] * 12
    if has_bucket:
        deck += [("store", kind, ANY) for kind in LIES + ["kill", "suspend"]] * (4 if has_network else 8)
        deck += [("store", kind, PARTS) for kind in LATE] * 2
    if has_network:
        deck += PARTITIONS * 3
        deck += [("process", signal, "coordinator") for signal in ("KILL", "STOP", "TERM")] * 6
        deck += [("process", signal, "PgBouncer") for signal in ("KILL", "STOP")] * 6
        deck += [("database", kind, "replica") for kind in ("crash", "suspend")] * 6
        deck += [("database", "promote", "ledger")] * 12
        deck += [("clock", "shift", program) for program in ("coordinator", "worker")] * 8
    return deck


class Schedule:
    """An endless sequence of faults."""

    def __init__(self, seed, left_out=None, has_database=False, has_bucket=False, has_network=False):
        self.random = random.Random(seed)
        self.left_out = left_out and re.compile(left_out)
        self.kinds = (has_database, has_bucket, has_network)
        self.deck = []

    def draw(self):
        """The next fault, and the seconds to wait after it."""
        if not self.deck:
            self.deck = [
                fault for fault in all_faults(self.random, *self.kinds)
                if not (self.left_out and self.left_out.fullmatch(" ".join(fault)))]
            self.random.shuffle(self.deck)
            # Uploads in parts are rare, so one lie of each kind waits for them from the start.
            for fault in [("store", kind, PARTS) for kind in LATE]:
                if fault in self.deck:
                    self.deck.remove(fault)
                    self.deck.append(fault)
        # Several coordinators need some time to find out about a fault.
        most = 1.8 if self.kinds[2] else 0.3
        return self.deck.pop(), self.random.uniform(0.05, most)

    def length(self):
        """The duration of a temporary fault, in seconds. Some last longer than a lease."""
        return self.random.choice([0.3, 1, 2, 4.5])

    def outage(self):
        """The duration in seconds of a fault that several coordinators must survive. Some last longer than a claim on
        the ledger."""
        return self.random.choice([1, 4.5, 10, 22])
