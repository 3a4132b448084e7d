"""A coordinator with tokens and TLS and a worker, for the tests of the HTTP API."""

import pathlib
import signal
import ssl
import subprocess
import tempfile
import urllib.request


class Farm:
    """Processes that end with a `with` block, and a folder for their files."""

    def __init__(self, programs):
        self.programs = pathlib.Path(programs).resolve()
        self.processes = []

    def __enter__(self):
        self.scratch = tempfile.TemporaryDirectory(prefix="sheaf-api-")
        self.folder = pathlib.Path(self.scratch.name)
        self.data = self.folder / "data"
        self._certify()
        self.tokens = {}
        for role, name in [("admin", "first"), ("submitter", "lea"), ("worker", "rack-1")]:
            self.tokens[role] = self.run(
                "sheaf-coordinator", "token", "create", "--data", self.data, "--role", role, "--name", name).strip()
        (self.folder / "worker").mkdir()
        (self.folder / "rack-1.token").write_text(self.tokens["worker"])
        coordinator = self._start(
            "coordinator", "sheaf-coordinator", "serve", "--data", self.data, "--port", "0", "--require-tokens",
            "--recording-source", "udp://127.0.0.1:47100",
            "--tls-certificate", self.folder / "server.pem", "--tls-key", self.folder / "server.key",
            output=subprocess.PIPE)
        line = coordinator.stdout.readline().decode().strip()
        assert line.startswith("listening on "), f"the coordinator printed: {line}\n{self.log('coordinator')}"
        self.url = line.removeprefix("listening on ")
        self.port = int(self.url.rsplit(":", 1)[1])
        self._start(
            "worker", "sheaf-worker", "--coordinator", f"https://127.0.0.1:{self.port}", "--ca-file",
            self.folder / "ca.pem", "--token-file", self.folder / "rack-1.token", "--name", "rack-1", "--slots", "1",
            "--cache", self.folder / "worker")
        return self

    def __exit__(self, *_):
        for process in reversed(self.processes):
            process.send_signal(signal.SIGTERM)
        for process in reversed(self.processes):
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            if process.stdout:
                process.stdout.close()
        self.scratch.cleanup()

    def run(self, program, *arguments):
        return subprocess.run(
            [self.programs / program, *map(str, arguments)], check=True, text=True, capture_output=True).stdout

    def call(self, method, path, body=None, role="admin"):
        """Sends a request with the token of a role, and returns the body of the response."""
        request = urllib.request.Request(f"https://127.0.0.1:{self.port}{path}", method=method, data=body)
        request.add_header("Authorization", f"Bearer {self.tokens[role]}")
        if body and body[:1] == b"{":
            request.add_header("Content-Type", "application/json")
        context = ssl.create_default_context(cafile=self.folder / "ca.pem")
        with urllib.request.urlopen(request, context=context) as response:
            return response.read()

    def log(self, name):
        """The end of a process's log."""
        return (self.folder / f"{name}.log").read_text(errors="replace")[-4000:]

    @property
    def curl_settings(self):
        """A configuration with which curl finds the farm at https://farm:7420 and trusts it."""
        return (f'connect-to = "farm:7420:127.0.0.1:{self.port}"\ncacert = "{self.folder / "ca.pem"}"\n')

    def _start(self, log, program, *arguments, output=subprocess.DEVNULL):
        with open(self.folder / f"{log}.log", "wb") as errors:
            process = subprocess.Popen(
                [self.programs / program, *map(str, arguments)], stdin=subprocess.DEVNULL, stdout=output,
                stderr=errors)
        self.processes.append(process)
        return process

    def _certify(self):
        """Makes an authority and a certificate for the names of the coordinator."""
        curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
        (self.folder / "names").write_text("subjectAltName=DNS:farm,IP:127.0.0.1\nextendedKeyUsage=serverAuth\n")
        for command in [
            ["req", "-x509", *curve, "-days", "2", "-subj", "/CN=ca", "-keyout", "ca.key", "-out", "ca.pem"],
            ["req", *curve, "-subj", "/CN=farm", "-keyout", "server.key", "-out", "server.csr"],
            ["x509", "-req", "-in", "server.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2",
             "-extfile", "names", "-out", "server.pem"],
        ]:
            subprocess.run(["openssl", *command], cwd=self.folder, check=True, capture_output=True)
