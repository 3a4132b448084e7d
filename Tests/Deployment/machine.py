"""Boots systemd in a root directory, in namespaces of its own, to try the units."""

import pathlib
import subprocess
import time

BOOT = r"""
mount --make-rprivate /
mount --bind "$ROOT" "$ROOT"
cd "$ROOT"
mount -t proc proc proc
mount -t sysfs -o ro sysfs sys
mount -t cgroup2 cgroup2 sys/fs/cgroup
mount -t tmpfs -o mode=755 tmpfs run
mount -t tmpfs -o mode=1777 tmpfs tmp
mount -t tmpfs -o mode=755 tmpfs dev
for name in null zero full random urandom tty; do
  touch "dev/$name"
  mount --bind "/dev/$name" "dev/$name"
done
mkdir dev/shm dev/pts
mount -t devpts -o newinstance,ptmxmode=666 devpts dev/pts
ln -s pts/ptmx dev/ptmx
ln -s /proc/self/fd dev/fd
mkdir -p mnt/work
mount --bind "$WORK" mnt/work
ip link set lo up
mkdir -p old
pivot_root . old
umount -l /old
# As on a host. Services get their credentials through this.
mount --make-rshared /
exec env -i container=other PATH=/usr/sbin:/usr/bin:/sbin:/bin /lib/systemd/systemd --system \
  --log-target=console --show-status=no --unit=multi-user.target
"""


class Machine:
    """A booted system. `work` is its /mnt/work."""

    def __init__(self, root, work, log):
        self.group = pathlib.Path(self.hierarchy(), f"sheaf-{root.parent.name}")
        self.group.mkdir(exist_ok=True)
        self.log = log
        script = f'echo $$ > "{self.group}/cgroup.procs"; exec unshare --mount --pid --fork --kill-child --uts --ipc --net' \
            ' --cgroup /bin/bash -ec "$BOOT"'
        with open(log, "wb") as output:
            self.process = subprocess.Popen(
                ["/bin/bash", "-ec", script], stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
                env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "ROOT": str(root), "WORK": str(work), "BOOT": BOOT})
        self.wait_until_booted()

    @staticmethod
    def hierarchy():
        """Where the second version of control groups is mounted."""
        for line in pathlib.Path("/proc/mounts").read_text().splitlines():
            if " cgroup2 " in line:
                return line.split()[1]
        raise RuntimeError("this kernel has no cgroup2")

    def first_process(self):
        return pathlib.Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()[0]

    def try_to_run(self, command):
        """Runs a shell command as root. Returns its exit code and what it prints."""
        result = subprocess.run(
            ["nsenter", "--target", self.first_process(), "--all", "/bin/sh", "-ec", command], capture_output=True,
            text=True, check=False)
        return result.returncode, result.stdout + result.stderr

    def run(self, command):
        code, output = self.try_to_run(command)
        if code != 0:
            raise RuntimeError(f"{command}: exit code {code}: {output}")
        return output

    def wait_until_booted(self):
        output = ""
        for _ in range(120):
            if self.process.poll() is not None:
                raise RuntimeError(f"systemd has ended: {self.log.read_text()[-4000:]}")
            try:
                # `degraded` if a unit of the system that has nothing to do with Sheaf failed.
                _, output = self.try_to_run("systemctl is-system-running")
            except (OSError, IndexError):
                pass
            if output.strip() in ("running", "degraded"):
                return
            time.sleep(0.5)
        raise RuntimeError(f"systemd does not boot ({output}): {self.log.read_text()[-4000:]}")

    def close(self):
        self.process.kill()
        self.process.wait()
        for _ in range(50):
            try:
                for group in sorted(self.group.rglob("*"), reverse=True):
                    if group.is_dir():
                        group.rmdir()
                self.group.rmdir()
                return
            except OSError:
                time.sleep(0.1)
