"""Watches which coordinator owns the ledger."""

import collections
import json
import threading


class OwnerWatch:
    """Asks the ledger's server about the owner once a second."""

    def __init__(self, farm):
        self.farm = farm
        self.name = None
        self.epoch = 0
        self.changes = collections.Counter()
        self.problems = []
        self.is_over = threading.Event()
        threading.Thread(target=self.watch, daemon=True).start()

    def watch(self):
        while not self.is_over.wait(1):
            row = self.farm.database.owner()
            if row is None:
                continue
            try:
                self.note(row, json.loads(row).get("epoch", 0))
            except (ValueError, OSError):
                continue

    def note(self, row, epoch):
        if epoch < self.epoch:
            self.problems.append(f"the epoch of the ledger's owner went back from {self.epoch} to {epoch}")
        owner = next((each.name for each in self.farm.coordinators if each.owns(row)), None)
        if epoch != self.epoch and self.epoch:
            self.changes[f"{self.name or 'unknown'} to {owner or 'unknown'}"] += 1
        self.name, self.epoch = owner, epoch

    @property
    def owner(self):
        """The coordinator that owned the ledger when the server was last asked; None if it is not known."""
        return next((each for each in self.farm.coordinators if each.name == self.name), None)

    def stop(self):
        self.is_over.set()
