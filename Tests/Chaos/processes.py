"""Processes as the system shows them, and signals to them."""

import os
import pathlib


def children_of(pid):
    """The process ids of a program's children."""
    found = []
    for task in pathlib.Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            found += [int(word) for word in task.read_text().split()]
        except OSError:
            pass
    return sorted(found)


def descriptors(pid):
    """The number of a process's open descriptors."""
    try:
        return len(os.listdir(f"/proc/{pid}/fd"))
    except OSError:
        return 0


def resident(pid):
    """The resident memory of a process, in MiB."""
    try:
        for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) // 1024
    except OSError:
        pass
    return 0


def send(pid, number):
    """Sends a signal to a process that may have ended. Returns whether it exists."""
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return False
    return True
