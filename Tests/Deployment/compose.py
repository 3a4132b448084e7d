"""Reads compose.yaml: what Sheaf's uses of the format, and nothing else."""

import re

import yaml

KNOWN = {
    "build", "cap_drop", "command", "depends_on", "environment", "image", "mem_limit", "networks", "ports", "read_only",
    "restart", "secrets", "security_opt", "stop_grace_period", "tmpfs", "ulimits", "volumes",
}


def read(path, variables):
    """The document, with ${NAME:-DEFAULT} replaced."""

    def value(match):
        return variables.get(match.group(1), match.group(2))

    document = yaml.safe_load(re.sub(r"\$\{(\w+):-([^}]*)\}", value, path.read_text(encoding="utf-8")))
    for name, service in document["services"].items():
        if unknown := set(service) - KNOWN:
            raise ValueError(f"{path}: {name}: not supported: {', '.join(sorted(unknown))}")
        if service["read_only"] is not True or service["cap_drop"] != ["ALL"]:
            raise ValueError(f"{path}: {name} must have a read-only root and no capabilities")
    return document


def seconds(text):
    return int(text.removesuffix("s"))
