"""Runs a program in a root directory, as a container runtime would: in its own mount and process namespaces, as a user,
without capabilities, and with a filter of system calls.

usage: unshare --mount --pid --fork inside.py SPECIFICATION (JSON; see `Container.specification`)
"""

import ctypes
import json
import os
import socket
import subprocess
import sys

import seccomp

PR_CAPBSET_DROP, PR_SET_NO_NEW_PRIVS = 24, 38


def mount(*arguments):
    subprocess.run(["mount", *arguments], check=True)


def place(root, path, is_folder):
    """Creates the file or folder to mount on, as container runtimes do."""
    target = root + path
    os.makedirs(target if is_folder else os.path.dirname(target), exist_ok=True)
    if not is_folder and not os.path.exists(target):
        open(target, "w", encoding="utf-8").close()
    return target


def devices(root):
    dev = place(root, "/dev", True)
    mount("-t", "tmpfs", "-o", "mode=755,nosuid,size=64k", "tmpfs", dev)
    for name in ("null", "zero", "full", "random", "urandom", "tty"):
        open(f"{dev}/{name}", "w", encoding="utf-8").close()
        mount("--bind", f"/dev/{name}", f"{dev}/{name}")
    os.mkdir(f"{dev}/shm", 0o1777)
    mount("-t", "tmpfs", "-o", "mode=1777,nosuid,nodev,size=64m", "tmpfs", f"{dev}/shm")
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        os.symlink(f"/proc/self/fd/{number}", f"{dev}/{name}")
    os.symlink("/proc/self/fd", f"{dev}/fd")


def main():
    specification = json.loads(sys.argv[1])
    root = specification["root"]
    socket.sethostname(specification["host"])
    mount("--make-rprivate", "/")
    mount("--bind", root, root)
    devices(root)
    mount("-t", "proc", "-o", "nosuid,nodev,noexec", "proc", place(root, "/proc", True))
    mount("-t", "sysfs", "-o", "ro,nosuid,nodev,noexec", "sysfs", place(root, "/sys", True))
    for source, target, options in specification["binds"]:
        where = place(root, target, os.path.isdir(source))
        mount("--bind", source, where)
        if options:
            mount("-o", f"remount,bind,{options}", where)
    for target, options in specification["tmpfs"]:
        mount("-t", "tmpfs", "-o", options or "mode=1777", "tmpfs", place(root, target, True))
    if specification["read_only"]:
        mount("-o", "remount,bind,ro", root)
    load = seccomp.prepare(specification["seccomp"]) if specification["seccomp"] else lambda: None
    libc = ctypes.CDLL(None, use_errno=True)
    os.chroot(root)
    os.makedirs(specification["cwd"], exist_ok=True) if not specification["read_only"] else None
    os.chdir(specification["cwd"])
    if specification["no_capabilities"]:
        capability = 0
        while libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) == 0:
            capability += 1
    user, group = specification["user"]
    os.setgroups([])
    os.setresgid(group, group, group)
    os.setresuid(user, user, user)
    if specification["no_new_privileges"] and libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "cannot give up new privileges")
    load()
    os.execvpe(specification["argv"][0], specification["argv"], specification["env"])


main()
