"""Hosts that are network namespaces on a bridge, and partitions between them. Requires root and iproute2."""

import ctypes
import ipaddress
import os
import shutil
import subprocess
import time

CLONE_NEWNET = 0x40000000
#: The address of the bridge: clients and the proxies of clients and workers.
HUB = "10.99.0.1"
#: The address of the object store.
STORE = "10.99.0.2"

#: How a partition cuts a host off: it neither sends nor receives, or only one of the two.
CUTS = ["cut", "cut outgoing", "cut incoming"]


class Host:
    """A network namespace with one end of a virtual cable; the other end is in the bridge."""

    def __init__(self, name, address):
        self.name = name
        self.address = address
        self.device = f"c-{address.rsplit('.', 1)[1]}"
        # The namespace exists as long as this process, which ends with the harness.
        self.holder = subprocess.Popen(
            ["unshare", "--net", "cat"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
        give_up = time.monotonic() + 30
        while os.readlink(f"/proc/{self.holder.pid}/ns/net") == os.readlink("/proc/self/ns/net"):
            if time.monotonic() > give_up:
                raise RuntimeError("a network namespace was not created within 30 s")
            time.sleep(0.01)
        run("ip", "link", "add", self.device, "type", "veth", "peer", "name", "eth0", "netns", str(self.holder.pid))
        run("ip", "link", "set", self.device, "master", "hub", "up")
        run("tc", "qdisc", "add", "dev", self.device, "clsact")
        run(*self.enter, "ip", "link", "set", "lo", "up")
        run(*self.enter, "ip", "addr", "add", f"{address}/24", "dev", "eth0")
        run(*self.enter, "ip", "link", "set", "eth0", "up")

    @property
    def enter(self):
        """The words before a command that runs on this host. The command keeps the process id."""
        return ["nsenter", f"--net=/proc/{self.holder.pid}/ns/net", "--"]


class Network:
    """The hosts of a farm. This process moves into a network namespace too, so that everything disappears with it."""

    def __init__(self):
        missing = [tool for tool in ("ip", "tc", "nsenter", "unshare") if not shutil.which(tool)]
        if os.geteuid() != 0 or missing:
            raise RuntimeError("several coordinators need root and network namespaces"
                               + (f"; missing: {', '.join(missing)}" if missing else ""))
        library = ctypes.CDLL(None, use_errno=True)
        if library.unshare(CLONE_NEWNET) != 0:
            raise OSError(ctypes.get_errno(), "cannot create a network namespace")
        run("ip", "link", "set", "lo", "up")
        run("ip", "link", "add", "hub", "type", "bridge")
        for address in (HUB, STORE):
            run("ip", "addr", "add", f"{address}/24", "dev", "hub")
        run("ip", "link", "set", "hub", "up")
        self.hosts = []
        self.cuts = 0

    def add(self, name, number):
        """Adds a host with the last number of its address."""
        host = Host(name, f"10.99.0.{number}")
        self.hosts.append(host)
        return host

    def separate(self, host, addresses, kind):
        """Drops the packets between a host and some addresses. Returns a function that ends it."""
        self.cuts += 1
        number = str(self.cuts)
        ways = {"cut outgoing": ["ingress"], "cut incoming": ["egress"]}.get(kind, ["ingress", "egress"])
        for way in ways:
            # Packets that enter the bridge's end of the cable come from the host.
            run("tc", "filter", "add", "dev", host.device, way, "protocol", "all", "pref", number,
                "bpf", "direct-action", "bytecode", dropping(addresses, 30 if way == "ingress" else 26))

        def join():
            for way in ways:
                run("tc", "filter", "delete", "dev", host.device, way, "pref", number)
        return join

    def unplug(self, host):
        """Takes the cable of a host away. Returns a function that puts it back."""
        run("ip", "link", "set", host.device, "down")
        return lambda: run("ip", "link", "set", host.device, "up")

    def stop(self):
        """Removes the hosts. Their programs must have ended."""
        for host in self.hosts:
            host.holder.stdin.close()
            host.holder.wait()


def dropping(addresses, place):
    """A classic BPF program that drops IPv4 packets (2, TC_ACT_SHOT) with one of these addresses at an offset."""
    count = len(addresses)
    words = ["40 0 0 12", f"21 0 {count + 1} 2048", f"32 0 0 {place}"]
    for number, address in enumerate(addresses):
        words.append(f"21 {count - number} 0 {int(ipaddress.ip_address(address))}")
    words += ["6 0 0 4294967295", "6 0 0 2"]
    return ",".join([str(len(words))] + words)


def run(*words):
    outcome = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if outcome.returncode != 0:
        raise RuntimeError(f"`{' '.join(words)}` failed: {outcome.stderr.strip()}")
