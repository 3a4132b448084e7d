"""Root file systems: one from debootstrap, and those that the stages of a Dockerfile make of it, as overlays."""

import fnmatch
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass, field

HERE = pathlib.Path(__file__).parent
BASE_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


@dataclass
class Image:
    """Layers, the topmost first, and how to start what is in them."""

    layers: list
    key: str
    env: dict = field(default_factory=lambda: {"PATH": BASE_PATH})
    user: str = "0:0"
    workdir: str = "/"
    entrypoint: list = field(default_factory=list)
    command: list = field(default_factory=list)
    volumes: list = field(default_factory=list)
    health: list = field(default_factory=list)
    stop_signal: str = "SIGTERM"
    binds: list = field(default_factory=list)  # in place of files that this machine cannot fetch

    def copy(self):
        copies = {name: value.copy() for name, value in vars(self).items() if isinstance(value, (list, dict))}
        return Image(**{**vars(self), **copies})


def overlay(layers, folder):
    """Mounts the layers with a new writable one in `folder` on top. Returns the mount point and the new layer."""
    upper, work, root = (folder / name for name in ("upper", "work", "root"))
    shutil.rmtree(folder, ignore_errors=True)
    for path in (upper, work, root):
        path.mkdir(parents=True)
    options = f"lowerdir={':'.join(map(str, layers))},upperdir={upper},workdir={work}"
    subprocess.run(["mount", "-t", "overlay", "-o", options, "overlay", root], check=True)
    return root, upper


def start(specification, netns=None, **popen):
    """Starts a program in a root directory. `specification` overrides the defaults, which are those of a build."""
    whole = {
        "binds": [], "tmpfs": [["/tmp", "mode=1777"]], "read_only": False, "seccomp": None, "no_capabilities": False,
        "no_new_privileges": False, "user": [0, 0], "cwd": "/", "host": "build", "env": {"PATH": BASE_PATH}, **specification,
    }
    whole["root"] = str(whole["root"])
    enter = ["ip", "netns", "exec", netns] if netns else []
    return subprocess.Popen(
        [*enter, "unshare", "--mount", "--pid", "--uts", "--fork", "--kill-child", "/usr/bin/python3", "-B",
         str(HERE / "inside.py"), json.dumps(whole)], **popen)


def debootstrap(folder, report):
    """The Debian root file system that replaces the base images, made once."""
    root = folder / "debian"
    if not (root / "complete").exists():
        shutil.rmtree(root, ignore_errors=True)
        source = mirror()
        report(f"debootstrap {source['suite']} from {source['url']}")
        subprocess.run(
            ["debootstrap", "--variant=minbase", source["suite"], str(root), source["url"]], check=True,
            stdout=sys.stdout, stderr=subprocess.STDOUT)
        # The same sources as this machine's, with security updates.
        (root / "etc/apt/sources.list").write_text("")
        for name in ("sources.list", "sources.list.d/debian.sources"):
            if (path := pathlib.Path("/etc/apt", name)).exists():
                shutil.copy(path, root / "etc/apt" / name)
        (root / "complete").touch()
    return Image([root], key="debian")


def mirror():
    """The URL and suite of the machine's Debian mirror."""
    deb822 = pathlib.Path("/etc/apt/sources.list.d/debian.sources")
    text = deb822.read_text() if deb822.exists() else ""
    if match := re.search(r"^URIs: (\S+)\nSuites: (\S+)", text, re.M):
        return {"url": match.group(1), "suite": match.group(2)}
    match = re.search(r"^deb (?:\[[^]]*\] )?(\S+) (\S+) main", pathlib.Path("/etc/apt/sources.list").read_text(), re.M)
    return {"url": match.group(1), "suite": match.group(2)}


class Builder:
    """Executes the stages of a Dockerfile."""

    def __init__(self, stages, context, folder, toolchain, report):
        self.stages = {stage.name: stage for stage in stages}
        self.context, self.folder, self.report = context, folder, report
        self.base, self.toolchain = debootstrap(folder, report), toolchain
        self.images = {}
        ignored = (context / "docker/Dockerfile.dockerignore").read_text().split("\n")
        self.ignored = [line.strip() for line in ignored if line.strip() and not line.startswith("#")]

    def image(self, name):
        """The image of a stage, of a base image, or of `scratch`."""
        if name not in self.images:
            self.images[name] = self.build(self.stages[name]) if name in self.stages else self.original(name)
        return self.images[name]

    def original(self, name):
        if name == "scratch":
            (empty := self.folder / "scratch").mkdir(exist_ok=True)
            return Image([empty], key="scratch")
        image = self.base.copy()
        if name.startswith("swift:"):
            # The toolchain is this machine's.
            image.binds = [[str(self.toolchain), "/opt/swift", "ro"]]
            image.env["PATH"] = "/opt/swift/usr/bin:" + BASE_PATH
        elif not name.startswith("debian:12"):
            raise ValueError(f"no root file system stands for the image {name}")
        return image

    def build(self, stage):
        image = self.image(stage.base).copy()
        image.key = self.key(image, stage)
        folder = self.folder / "stages" / stage.name
        marker = folder / "key"
        if marker.exists() and marker.read_text() == image.key:
            self.report(f"stage {stage.name}: unchanged")
            root, upper = None, folder / "upper"
        else:
            self.report(f"stage {stage.name}: FROM {stage.base}")
            root, upper = overlay(image.layers, folder)
        for instruction in stage.instructions:
            self.apply(instruction, image, root)
        if root:
            subprocess.run(["umount", str(root)], check=True)
            marker.write_text(image.key)
        image.layers = [upper, *image.layers]
        return image

    def key(self, image, stage):
        """What decides a stage's files: its base, its instructions and what it copies."""
        digest = hashlib.sha256(image.key.encode())
        for instruction in stage.instructions:
            digest.update(f"{instruction}\n".encode())
            sources = instruction.words()[:-1] if instruction.name == "COPY" else []
            if origin := instruction.flag("from"):
                digest.update(self.image(origin).key.encode())
                continue
            mounts = (dict(self.options(value)) for name, value in instruction.flags if name == "mount")
            sources += [mount["source"] for mount in mounts if mount["type"] == "bind"]
            for source in sources:
                for path in self.files(source):
                    digest.update(f"{path} ".encode() + (self.context / path).read_bytes())
        return digest.hexdigest()

    def apply(self, instruction, image, root):
        """Executes an instruction. Without a root, only what concerns the start of containers."""
        name, words = instruction.name, instruction.words()
        if name in ("RUN", "COPY"):
            if root:
                self.report(f"  {instruction}")
                (self.run if name == "RUN" else self.copy)(instruction, image, root)
        elif name == "ENV":
            image.env.update(word.split("=", 1) for word in words)
        elif name == "USER":
            image.user = instruction.text
        elif name == "WORKDIR":
            image.workdir = instruction.text
            if root:
                (root / instruction.text.lstrip("/")).mkdir(parents=True, exist_ok=True)
        elif name == "ENTRYPOINT":
            image.entrypoint = words
        elif name == "CMD":
            image.command = words
        elif name == "VOLUME":
            image.volumes += words
        elif name == "STOPSIGNAL":
            image.stop_signal = instruction.text
        elif name == "HEALTHCHECK":
            image.health = json.loads(instruction.text.removeprefix("CMD "))

    @staticmethod
    def options(text):
        return [option.partition("=")[::2] for option in text.split(",")]

    def run(self, instruction, image, root):
        binds = list(image.binds) + [["/etc/resolv.conf", "/etc/resolv.conf", "ro"]]
        # Packages that were fetched before.
        (archives := self.folder / "archives").mkdir(exist_ok=True)
        binds.append([str(archives), "/var/cache/apt/archives", ""])
        for flag, value in instruction.flags:
            mount = dict(self.options(value))
            if flag != "mount" or mount["type"] not in ("bind", "cache"):
                raise ValueError(f"line {instruction.line}: --{flag}={value} is not supported")
            if mount["type"] == "bind":
                binds.append([str(self.context / mount["source"]), mount["target"], "ro"])
            else:
                cache = self.folder / "caches" / mount["target"].strip("/").replace("/", "-")
                cache.mkdir(parents=True, exist_ok=True)
                binds.append([str(cache), mount["target"], ""])
        user = [int(number) for number in image.user.split(":")]
        process = start(
            {"root": root, "binds": binds, "env": {"HOME": "/root", **image.env}, "user": user, "cwd": image.workdir,
             "argv": ["/bin/sh", "-c", instruction.text]}, stdout=sys.stdout, stderr=subprocess.STDOUT)
        if process.wait() != 0:
            raise RuntimeError(f"line {instruction.line}: exit code {process.returncode}: {instruction.text}")

    def copy(self, instruction, image, root):
        *sources, target = instruction.words()
        target = os.path.join(image.workdir, target)
        goes_inside = target.endswith("/") or len(sources) > 1
        if origin := instruction.flag("from"):
            origin = self.image(origin)
            top, _ = overlay(origin.layers, self.folder / "origin")
            pairs = [(path, path) for path in (source.lstrip("/") for source in sources)]
        else:
            top, pairs = self.context, [(source.rstrip("/"), source) for source in sources]
        for path, _ in pairs:
            source = top / path
            if not source.is_dir():
                place = root / target.lstrip("/") / source.name if goes_inside else root / target.lstrip("/")
                transfer(source, place)
                continue
            files = self.files(path) if top == self.context else [
                str(found.relative_to(top)) for found in source.rglob("*") if not found.is_dir()]
            for file in files:
                transfer(top / file, root / target.lstrip("/") / os.path.relpath(file, path))
        if top != self.context:
            subprocess.run(["umount", str(top)], check=True)

    def files(self, source):
        """The files of the context at or below a path that are not ignored, sorted."""
        start = self.context / source
        if start.is_file():
            return [str(pathlib.Path(source))]
        found = []
        for folder, folders, names in os.walk(start):
            place = pathlib.Path(folder).relative_to(self.context)
            folders[:] = sorted(name for name in folders if not self.is_ignored(place / name))
            found += [str(place / name) for name in names if not self.is_ignored(place / name)]
        return sorted(found)

    def is_ignored(self, path):
        return any(
            fnmatch.fnmatch(path.name, pattern[3:]) if pattern.startswith("**/") else str(path) == pattern
            for pattern in self.ignored)


def transfer(source, target):
    """Copies a file with its mode and time, owned by root."""
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy2(source, target, follow_symlinks=False)
    os.chown(target, 0, 0, follow_symlinks=False)
