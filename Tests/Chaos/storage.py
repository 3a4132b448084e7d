"""Damage at rest: flips a bit in a file that the farm keeps, or truncates the file."""

import os
import pathlib

#: The stores to damage, and their folders in the coordinator's data directory.
STORES = {
    "asset": "assets", "block digests": "blocks", "chunk": "chunks", "media index": "indexes", "plan": "plans",
    "project": "projects", "finished file": "outputs",
}


class Damage:
    """Remembers the damaged files, to tell the expected findings of `check` from the others."""

    def __init__(self, data):
        self.data = data
        self.damaged = set()

    def strike(self, store, kind, source):
        """Damages a file of a store. Returns its path, or None if the store has none."""
        folder = self.data / STORES[store]
        files = sorted(path for path in folder.rglob("*") if path.is_file() and path.stat().st_size > 0)
        if not files:
            return None
        path = source.choice(files)
        if not harm(path, kind, source):
            return None
        self.damaged.add(path.name)
        return path


def strike_cache(worker, kind, source):
    """Damages a file without a name that a worker has open. Returns whether there was one."""
    files = []
    for entry in pathlib.Path(f"/proc/{worker.pid}/fd").glob("*"):
        try:
            if "(deleted)" in os.readlink(entry) and os.stat(entry).st_size > 0:
                files.append(entry)
        except OSError:
            pass
    # The file is never truncated, because no disk shortens an open file.
    return bool(files) and kind == "flip" and harm(source.choice(files), kind, source)


def harm(path, kind, source):
    try:
        mode = os.stat(path).st_mode
        if not mode & 0o200:
            os.chmod(path, mode | 0o200)
        with open(path, "r+b") as file:
            size = file.seek(0, os.SEEK_END)
            if size == 0:
                return False
            at = source.randrange(size)
            if kind == "cut":
                file.truncate(at)
                return True
            file.seek(at)
            byte = file.read(1)[0]
            file.seek(at)
            file.write(bytes([byte ^ (1 << source.randrange(8))]))
        return True
    except OSError:
        return False
