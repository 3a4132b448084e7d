"""Starts a farm from the images as compose.yaml says, and renders on it."""

import hashlib
import os
import pathlib
import shutil
import subprocess
import time

import compose
from container import Container
from network import Network

WORKERS = 2
# Bounds only a render that hangs, so it is generous.
RENDER_SECONDS = 900
# The sequence has dissolves, which are encoded, and whole ranges, which are copied.
PROJECT = """{"version": 1,
 "sequence": [{"clip": "a.mp4"}, {"transition": "dissolve", "duration": 1}, {"clip": "b.mp4"},
              {"transition": "push", "duration": "1/2", "direction": "left"}, {"clip": "a.mp4", "in": 2}],
 "export": {"preset": "1280x720", "video": {"codec": "h264", "crf": 20, "encoderPreset": "veryfast"}}}
"""


def make_project(folder):
    """Writes a project and its clips. Everyone may read them."""
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o755)
    for name, picture, tone in (("a", "testsrc2", 440), ("b", "mandelbrot", 550)):
        subprocess.run(
            ["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", f"{picture}=size=1280x720:rate=30", "-f", "lavfi", "-i",
             f"sine=frequency={tone}:sample_rate=48000", "-t", "6", "-c:v", "libx264", "-preset", "veryfast",
             "-pix_fmt", "yuv420p", "-c:a", "aac", "-bitexact", str(folder / f"{name}.mp4")], check=True)
    (folder / "cut.json").write_text(PROJECT, encoding="utf-8")
    for file in folder.iterdir():
        file.chmod(0o644)


def sha256(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


class Farm:
    """The services of compose.yaml, and a desk that is connected to the coordinator's public network."""

    def __init__(self, root, folder, builder, report):
        self.folder, self.builder, self.report = folder / "farm", builder, report
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        # The project's own folder stays without secrets.
        self.compose_folder = self.folder / "docker"
        self.compose_folder.mkdir()
        for name in ("compose.yaml", "seccomp.json"):
            shutil.copy(root / "docker" / name, self.compose_folder)
        self.secrets = self.compose_folder / "secrets"
        self.document = compose.read(self.compose_folder / "compose.yaml", {"SHEAF_SLOTS": "1"})
        self.aliases = {"coordinator": ["farm.example"]}
        self.hosts, self.containers, self.count = {}, [], 0
        self.network = Network(f"sd{os.getpid()}", self.document["networks"])

    def make_secrets(self):
        """As docker/README.md says."""
        self.secrets.mkdir(mode=0o700)
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
             "-subj", "/CN=farm.example", "-addext", "subjectAltName=DNS:farm.example,DNS:coordinator", "-keyout",
             str(self.secrets / "farm.key"), "-out", str(self.secrets / "farm.pem")], check=True, capture_output=True)
        shutil.copy(self.secrets / "farm.pem", self.secrets / "authority.pem")
        (self.secrets / "worker.token").touch()
        for role, name, file in (
            ("worker", "rack", self.secrets / "worker.token"), ("submitter", "ada", self.folder / "ada.token"),
        ):
            creation = Container(
                self, "coordinator", f"create-{role}",
                ["token", "create", "--data", "/var/lib/sheaf", "--role", role, "--name", name])
            file.write_text(creation.run(), encoding="utf-8")
        for file in (*self.secrets.iterdir(), self.folder / "ada.token"):
            file.chmod(0o400)
            os.chown(file, 7420, 7420)

    def start(self, service, host, **options):
        container = Container(self, service, host, **options).start()
        self.containers.append(container)
        return container

    def close(self):
        for container in self.containers:
            container.kill()
        self.network.close()


def prove_farm(root, folder, builder, report):
    farm = Farm(root, folder, builder, report)
    try:
        render(farm, report)
    except Exception:
        for container in farm.containers:
            report(f"--- {container.host}\n{container.log.read_text()[-4000:]}")
        raise
    finally:
        farm.close()


def render(farm, report):
    farm.make_secrets()
    work = farm.folder / "desk"
    make_project(work)
    os.chown(work, 7420, 7420)
    coordinator = farm.start("coordinator", "coordinator")
    coordinator.wait_until_healthy()
    report("the coordinator is healthy")
    workers = [farm.start("worker", f"worker-{number}") for number in range(1, WORKERS + 1)]
    for worker in workers:
        worker.wait_until_healthy()
    report(f"{WORKERS} workers reach it")
    for container in (coordinator, *workers):
        check_confinement(container, report)

    for file in (farm.secrets / "authority.pem", farm.folder / "ada.token"):
        shutil.copy(file, work)
        os.chown(work / file.name, 7420, 7420)
    binds = [(str(work), "/work", "")]

    def desk(*argv):
        """Runs `sheaf` at a desk on the public network."""
        return Container(
            farm, "coordinator", "desk", entrypoint=["sheaf"], arguments=list(argv), binds=binds,
            networks=["edge"]).run()

    access = ["--coordinator", "https://farm.example:7420", "--ca-file", "/work/authority.pem", "--token-file",
              "/work/ada.token"]
    begin = time.monotonic()
    submission = Container(
        farm, "coordinator", "desk", entrypoint=["sheaf"], binds=binds, networks=["edge"],
        arguments=["submit", "/work/cut.json", "--watch", "-o", "/work/farm.mp4", *access]).start()
    walls = 0
    while submission.process.poll() is None:
        if time.monotonic() - begin > RENDER_SECONDS:
            raise RuntimeError(f"the job is not rendered within {RENDER_SECONDS} s: {submission.log.read_text()}")
        walls = max(walls, *(filters_of_children(worker) for worker in workers))
        time.sleep(0.05)
    if submission.process.returncode != 0:
        raise RuntimeError(f"submit failed: {submission.log.read_text()}")
    report(f"rendered on the farm in {time.monotonic() - begin:.1f} s")
    if walls < 2:
        raise RuntimeError(f"the render processes have {walls} filters of system calls, not the profile and their own")
    report(f"render processes run under {walls} filters: seccomp.json and their own")
    begin = time.monotonic()
    Container(farm, "coordinator", "alone", entrypoint=["sheaf"], binds=binds, networks=["edge"],
              arguments=["render", "/work/cut.json", "-o", "/work/alone.mp4", "--workers", "2"]).run()
    report(f"rendered with `sheaf render` in {time.monotonic() - begin:.1f} s")
    sums = [sha256(work / name) for name in ("farm.mp4", "alone.mp4")]
    if sums[0] != sums[1]:
        raise RuntimeError(f"the files differ: {sums}")
    report(f"the files are identical: {sums[0]}")
    frames = subprocess.run(
        ["ffprobe", "-v", "error", "-select_streams", "v", "-count_packets", "-show_entries", "stream=nb_read_packets",
         "-of", "csv=p=0", str(work / "farm.mp4")], check=True, capture_output=True, text=True).stdout.strip()
    # 6 s + 6 s + 4 s, minus 1 s and 1/2 s, at 30 frames per second
    if frames != "435":
        raise RuntimeError(f"the file has {frames} frames, not 435")

    settings = farm.document["services"]["worker"]["command"]
    retiring = farm.start("worker", "worker-3", arguments=[*settings, "--exit-when-idle=1"])
    if (code := retiring.process.wait(60)) != 0:
        raise RuntimeError(f"an idle worker ended with {code}")
    report("a worker with --exit-when-idle ended with code 0")
    for container in (*workers, coordinator):
        code, seconds = container.stop()
        if code != 0:
            raise RuntimeError(f"{container.host} ended with code {code}: {container.log.read_text()[-2000:]}")
        report(f"{container.host} stopped with code 0 in {seconds:.1f} s")
    again = farm.start("coordinator", "coordinator")
    again.wait_until_healthy()
    jobs = desk("jobs", *access)
    if "completed" not in jobs:
        raise RuntimeError(f"after a restart, the job is lost: {jobs}")
    report("a new coordinator container has the job")


def status(process):
    lines = pathlib.Path(f"/proc/{process}/status").read_text(encoding="utf-8").splitlines()
    return {name: value.strip() for name, value in (line.split(":", 1) for line in lines if ":" in line)}


def filters_of_children(container):
    """The most filters of system calls that a child of the container's first process has."""
    most = 0
    try:
        first = container.first_process()
        tasks = pathlib.Path(f"/proc/{first}/task").iterdir()
        children = {child for task in tasks for child in (task / "children").read_text().split()}
        for child in children:
            most = max(most, int(status(child).get("Seccomp_filters", 0)))
    except (OSError, IndexError):
        pass  # it has just ended
    return most


def check_confinement(container, report):
    """What the kernel says about the container's first process, and what it can do."""
    first = status(container.first_process())
    expected = {"CapEff": "0000000000000000", "CapBnd": "0000000000000000", "NoNewPrivs": "1", "Seccomp": "2"}
    expected["Uid"] = "\t".join(["7420"] * 4)
    for name, value in expected.items():
        if first[name] != value:
            raise RuntimeError(f"{container.host}: {name} is {first[name]}, not {value}")
    probe = ("for folder in / /etc /usr/bin /home; do touch $folder/probe 2>/dev/null && echo writable: $folder; done;"
             "for tool in curl swift gcc make; do command -v $tool; done; true")
    if found := container.run(["/bin/sh", "-c", probe]):
        raise RuntimeError(f"{container.host}: {found}")
    report(f"{container.host}: user 7420, no capabilities, no new privileges, filter, read-only root, no tools")
