"""The wall clocks of a farm's programs, which faults set wrong."""

import os
import pathlib
import shutil
import struct
import subprocess

#: By how much a clock may be wrong, in seconds. An S3 server rejects requests if it is more than 15 minutes.
SHIFTS = [-600, -90, -20, 20, 90, 600]


class Clocks:
    """A shift for the clock of each program, which a preloaded library adds. Without a C compiler, clocks are right."""

    def __init__(self, folder, is_wanted):
        self.folder = folder
        self.library = folder / "skew.so"
        compiler = shutil.which("cc") or shutil.which("clang")
        source = pathlib.Path(__file__).with_name("skew.c")
        self.is_possible = bool(is_wanted and compiler) and subprocess.run(
            [compiler, "-shared", "-fPIC", "-O2", "-o", self.library, source, "-ldl"],
            capture_output=True).returncode == 0

    def environment(self, name, seconds=0):
        """The environment of a program whose clock is off by some seconds at first; None if that is impossible."""
        if not self.is_possible:
            return None
        path = self.path(name)
        if not path.exists():
            path.write_bytes(struct.pack("q", seconds))
        return {**os.environ, "LD_PRELOAD": str(self.library), "CHAOS_CLOCK": str(path)}

    def path(self, name):
        return self.folder / f"{name}.clock"

    def shift(self, name, seconds):
        """Sets the clock of a program that was started, also while it runs."""
        with open(self.path(name), "r+b") as file:
            file.write(struct.pack("q", seconds))
