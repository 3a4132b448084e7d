"""Starts the services of compose.yaml from images, as it says."""

import os
import pathlib
import signal
import subprocess
import time

import compose
import images


class Container:
    """A running service."""

    def __init__(self, farm, service, host, arguments=None, entrypoint=None, binds=(), networks=None):
        self.farm, self.host = farm, host
        self.settings = farm.document["services"][service]
        self.image = farm.builder.image(self.settings["build"]["target"])
        self.networks = networks or self.settings["networks"]
        farm.count += 1
        self.folder = farm.folder / "containers" / f"{farm.count}-{host}"
        self.root, _ = images.overlay(self.image.layers, self.folder)
        self.namespace = farm.network.connect(host, self.networks) if host not in farm.hosts else farm.hosts[host]
        farm.hosts[host] = self.namespace
        command = arguments if arguments is not None else self.settings["command"]
        self.argv = [*(entrypoint or self.image.entrypoint), *command]
        self.binds = [*self.volumes(), *self.secrets(), *map(list, binds)]
        self.log = self.folder / "log"
        self.process = None

    def volumes(self):
        """A named volume is kept and shared; another one is this container's own."""
        for volume in self.settings["volumes"]:
            source, _, target = volume.rpartition(":")
            folder = self.farm.folder / "volumes" / (source or f"{self.host}-cache")
            if not folder.exists():
                # Docker copies the owner and the mode from the image.
                folder.mkdir(parents=True)
                status = (self.root / target.lstrip("/")).stat()
                os.chown(folder, status.st_uid, status.st_gid)
                folder.chmod(status.st_mode & 0o7777)
            yield [str(folder), target, "nosuid,nodev"]

    def secrets(self):
        for name in self.settings["secrets"]:
            file = self.farm.compose_folder / self.farm.document["secrets"][name]["file"]
            yield [str(file), f"/run/secrets/{name}", "ro"]

    def specification(self, argv):
        hosts = self.folder / "hosts"
        self.farm.network.hosts_file(hosts, self.host, self.networks, self.farm.aliases)
        options = dict(option.split(":", 1) for option in self.settings["security_opt"])
        return {
            "root": self.root,
            "binds": [*self.binds, [str(hosts), "/etc/hosts", "ro"]],
            "tmpfs": [text.split(":", 1) for text in self.settings["tmpfs"]],
            "read_only": self.settings["read_only"],
            "seccomp": str(self.farm.compose_folder / options["seccomp"]),
            "no_capabilities": self.settings["cap_drop"] == ["ALL"],
            "no_new_privileges": options["no-new-privileges"] == "true",
            "user": [int(number) for number in self.image.user.split(":")],
            "cwd": self.image.workdir,
            "host": self.host,
            "env": {**self.image.env, **self.settings["environment"]},
            "argv": argv,
        }

    def start(self):
        with open(self.log, "wb") as log:
            self.process = images.start(
                self.specification(self.argv), self.namespace, stdout=log, stderr=subprocess.STDOUT)
        return self

    def run(self, argv=None):
        """Runs a program to its end. Returns its standard output."""
        process = images.start(
            self.specification(argv or self.argv), self.namespace, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        output, errors = process.communicate()
        if process.returncode != 0:
            raise RuntimeError(f"{argv or self.argv}: exit code {process.returncode}: {errors.decode()}")
        return output.decode()

    def first_process(self):
        """The id of the container's first process."""
        children = pathlib.Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        return int(children[0])

    def wait_until_healthy(self, limit=120):
        """Runs the image's health check until it succeeds."""
        for _ in range(limit):
            if self.process.poll() is not None:
                raise RuntimeError(f"{self.host} has ended: {self.log.read_text()}")
            try:
                self.run(self.image.health)
                return
            except RuntimeError as error:
                last = error
            time.sleep(1)
        raise RuntimeError(f"{self.host} is not healthy: {last}: {self.log.read_text()}")

    def kill(self):
        """Ends the container at once. Its first process has changed its user, so it would outlive its parent."""
        if self.process.poll() is None:
            try:
                os.kill(self.first_process(), signal.SIGKILL)
            except (IndexError, OSError):
                pass  # it has just ended, or has not started
        self.process.kill()
        self.process.wait()

    def stop(self):
        """Sends the image's stop signal. Returns the exit code and the seconds until the end."""
        begin = time.monotonic()
        os.kill(self.first_process(), getattr(signal, self.image.stop_signal))
        try:
            code = self.process.wait(compose.seconds(self.settings["stop_grace_period"]))
        except subprocess.TimeoutExpired as error:
            raise RuntimeError(f"{self.host} did not stop in time") from error
        return code, time.monotonic() - begin
