"""A small disk for a folder, which faults fill to the last byte. Mounting it requires root."""

import os
import subprocess


class Disk:
    """A tmpfs over a folder."""

    def __init__(self, folder, mebibytes):
        folder.mkdir(exist_ok=True)
        self.folder = folder
        self.ballast = folder / "ballast"
        self.is_mounted = os.geteuid() == 0 and subprocess.run(
            ["mount", "-t", "tmpfs", "-o", f"size={mebibytes}m,mode=0700", "tmpfs", folder],
            capture_output=True).returncode == 0

    def fill(self):
        """Fills the disk. Returns whether there is one."""
        if not self.is_mounted:
            return False
        with open(self.ballast, "ab", buffering=0) as file:
            for size in (1 << 20, 4096, 1):
                try:
                    while file.write(bytes(size)):
                        pass
                except OSError:
                    continue
        return True

    def free(self):
        """Frees the space again."""
        self.ballast.unlink(missing_ok=True)

    def unmount(self):
        if self.is_mounted:
            subprocess.run(["umount", "-l", self.folder], capture_output=True)
