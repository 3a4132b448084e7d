"""Partitions between the hosts of a farm with several coordinators."""

from network import CUTS, HUB, STORE

#: The pairs that a partition separates. The balancer stands for all clients and workers.
PAIRS = [
    "coordinator, database", "coordinator, coordinators", "coordinator, store", "coordinator, balancer",
    "primary, replica", "worker, store", "worker, balancer",
]
PARTITIONS = [("partition", kind, pair) for pair in PAIRS for kind in CUTS]
PARTITIONS += [("partition", "unplug", host) for host in ("coordinator", "worker", "primary")]


def separate(farm, kind, target, seconds, source):
    """Cuts a host off from others, or from everything. Returns whether the fault took effect."""
    one, _, other = target.partition(", ")
    coordinator = farm.choose_coordinator(source)
    database = farm.database
    host = {
        "coordinator": coordinator.host, "worker": source.choice(farm.worker_hosts), "primary": database.primary.host,
    }[one]
    if one == "primary" and database.is_down:
        return False
    addresses = {
        "database": [server.host.address for server in database.servers],
        "coordinators": [each.address for each in farm.coordinators if each is not coordinator],
        "store": [STORE], "balancer": [HUB], "replica": [database.replica.host.address],
    }
    end = farm.network.unplug(host) if kind == "unplug" else farm.network.separate(host, addresses[other], kind)
    farm.later(seconds, end)
    farm.note_trouble(seconds)
    return True
