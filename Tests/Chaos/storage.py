"""Damage at rest: a bit flipped in, or the end cut off, a file that the farm keeps."""

import os
import pathlib

#: What is damaged, and which files below the coordinator's data directory that is.
STORES = {
    "asset": "assets", "block digests": "blocks", "chunk": "chunks", "media index": "indexes", "plan": "plans",
    "project": "projects", "finished file": "outputs",
}


class Damage:
    """Remembers which files were damaged, so that what `check` finds can be told from what it must not find."""

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
    """Damages a file that a worker keeps without a name. Returns whether there was one."""
    files = []
    for entry in pathlib.Path(f"/proc/{worker.pid}/fd").glob("*"):
        try:
            if "(deleted)" in os.readlink(entry) and os.stat(entry).st_size > 0:
                files.append(entry)
        except OSError:
            pass
    # Its end is never cut off: no disk shortens an open file.
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
