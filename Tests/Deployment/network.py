"""Networks as Docker makes them: a bridge each, in a namespace of their own, with containers connected to it."""

import subprocess


def ip(*arguments):
    subprocess.run(["ip", *arguments], check=True)


class Network:
    """Bridges in one namespace. Without routes between them or to the outside, all of them are internal."""

    def __init__(self, tag, names):
        self.switch = f"{tag}-switch"
        self.namespaces, self.addresses, self.numbers = [self.switch], {}, {}
        ip("netns", "add", self.switch)
        for number, name in enumerate(names, start=1):
            ip("-n", self.switch, "link", "add", name, "type", "bridge")
            ip("-n", self.switch, "link", "set", name, "up")
            self.numbers[name] = number
        self.tag = tag

    def connect(self, host, names):
        """Makes a namespace that is connected to the networks, and returns its name."""
        namespace = f"{self.tag}-{host}"
        ip("netns", "add", namespace)
        self.namespaces.append(namespace)
        ip("-n", namespace, "link", "set", "lo", "up")
        for index, name in enumerate(names):
            number = len(self.namespaces)
            cable = f"c{number}-{index}"
            ip("-n", self.switch, "link", "add", cable, "type", "veth", "peer", "name", f"eth{index}", "netns", namespace)
            ip("-n", self.switch, "link", "set", cable, "master", name, "up")
            address = f"10.88.{self.numbers[name]}.{number}"
            ip("-n", namespace, "addr", "add", f"{address}/24", "dev", f"eth{index}")
            ip("-n", namespace, "link", "set", f"eth{index}", "up")
            self.addresses[(host, name)] = address
        return namespace

    def hosts_file(self, path, host, names, aliases):
        """Writes an /etc/hosts with the names of the services in the networks of a host."""
        lines = ["127.0.0.1 localhost", f"127.0.1.1 {host}"]
        for (other, network), address in self.addresses.items():
            if network in names:
                lines.append(" ".join([address, other, *aliases.get(other, [])]))
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")

    def close(self):
        for namespace in self.namespaces:
            subprocess.run(["ip", "netns", "delete", namespace], check=False)
