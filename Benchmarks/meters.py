"""Measures processes, their sockets, and a PostgreSQL database, for Benchmarks/cluster."""
import collections
import os
import pathlib
import re
import subprocess
import time

TICKS = os.sysconf("SC_CLK_TCK")


def resident(pid):
    """The resident size of a process in MiB."""
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1024


def statistics(pid):
    """The parent of a process, its processor time, and that of its children that have ended, in seconds."""
    try:
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return int(fields[1]), (int(fields[11]) + int(fields[12])) / TICKS, (int(fields[13]) + int(fields[14])) / TICKS


class Times:
    """The processor times of processes and of their descendants. Those of coordinators' descendants, which plan and
    assemble, are listed separately."""

    def __init__(self, processes):
        self.processes = processes
        self.names = [name for each in processes for name in ([each, "its children"] if each == "owner" else [each])]

    def sample(self):
        found = {int(each): statistics(each) for each in os.listdir("/proc") if each.isdigit()}
        children = collections.defaultdict(list)
        for pid, facts in found.items():
            if facts: children[facts[0]].append(pid)

        def below(pid):
            ended = found[pid][2] if found.get(pid) else 0
            return ended + sum(found[child][1] + below(child) for child in children[pid])
        times = {}
        for name, pid in self.processes.items():
            own = found[pid][1] if found.get(pid) else 0
            if name == "owner":
                times[name], times["its children"] = own, below(pid)
            else:
                times[name] = own + below(pid)
        return times


class Sockets:
    """The bytes of all TCP connections of coordinators, from samples of `ss`."""

    def __init__(self, ports, store):
        self.ports, self.store = ports, store
        self.bytes = {}

    def sample(self):
        # Each connection has a line with the addresses and the process, and then one with the counters.
        lines = subprocess.run(["ss", "-tinpH"], capture_output=True, text=True, check=True).stdout.splitlines()
        for line, counters in zip(lines, lines[1:]):
            process = re.search(r"pid=(\d+)", line)
            if not process or int(process[1]) not in self.ports: continue
            own, peer = re.findall(r"\S+:(\d+)\s", line)[:2]
            pid = int(process[1])
            place = "workers" if int(own) == self.ports[pid] else "store" if int(peer) == self.store else "coordinators"
            for word, key in (("received", "bytes_received"), ("sent", "bytes_sent")):
                count = re.search(rf"\b{key}:(\d+)", counters)
                self.bytes[pid, place, word, own, peer] = int(count[1]) if count else 0

    def totals(self):
        totals = {pid: collections.Counter() for pid in self.ports}
        for (pid, place, word, *_), count in self.bytes.items(): totals[pid][place, word] += count
        return totals


class Database:
    """A ledger's database, and the sizes of its tables."""

    def __init__(self, folder, programs):
        self.psql = [programs / "psql", "-h", folder, "-U", "sheaf", "-d", "farm", "-AtX", "-v", "ON_ERROR_STOP=1"]

    def query(self, sql):
        return subprocess.run([*self.psql, "-c", sql], capture_output=True, text=True, check=True,
                              stdin=subprocess.DEVNULL).stdout.strip()

    def number(self, sql): return int(self.query(sql))

    def size(self): return self.number("SELECT pg_database_size('farm')")

    def tables(self):
        """The sizes of each table and of its indexes in bytes, and the numbers of its live and of its dead rows."""
        rows = self.query(
            "SELECT relname, pg_relation_size(relid), pg_indexes_size(relid), n_live_tup, n_dead_tup "
            "FROM pg_stat_user_tables")
        tables = {name: [int(figure) for figure in figures]
                  for name, *figures in (row.split("|") for row in rows.splitlines())}
        return {**tables, "(all)": [self.size(), 0, 0, 0]}

    def print_tables(self, samples):
        """Prints the tables that have grown."""
        first, last = samples[0][1], samples[-1][1]
        titles = [f"{title}: MB | indexes, MB | rows | dead rows" for title, _ in samples]
        print(f"\n| table | {' | '.join(titles)} |")
        print("|" + "---|" * (1 + 4 * len(samples)))
        for name in sorted(last, key=lambda name: -last[name][0]):
            if last[name][0] + last[name][1] < 1e6 and max(sample[name][3] for _, sample in samples) < 1000: continue
            cells = [name]
            for _, sample in samples:
                table, indexes, live, dead = sample.get(name, [0, 0, 0, 0])
                cells += [f"{table / 1e6:.1f}", f"{indexes / 1e6:.1f}", str(live), str(dead)]
            print(f"| {' | '.join(cells)} |")
