"""Runs the examples of docs/api.md in order, and compares the responses with the page."""

import json
import os
import re
import subprocess
from dataclasses import dataclass, field

import pattern


@dataclass
class Example:
    """Commands on the page, and the response that the page shows below them."""
    line: int
    commands: str
    status: int | None = None
    headers: dict = field(default_factory=dict)
    body: str = ""


def examples(text):
    """The examples of a page: each `sh` block, and the `http` block that follows it."""
    found = []
    for match in re.finditer(r"^```(sh|http)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        kind, content = match.groups()
        line = text.count("\n", 0, match.start()) + 2
        if kind == "sh":
            found.append(Example(line, content))
            continue
        assert found and found[-1].status is None, f"line {line}: this response follows no command"
        head, _, body = content.partition("\n\n")
        first, *headers = head.strip().split("\n")
        found[-1].status = int(first.split()[1])
        found[-1].headers = dict(header.split(": ", 1) for header in headers)
        found[-1].body = body.strip()
    return found


def script(found, folder):
    """A script that runs all commands in one shell. The status and output of each example are in files."""
    lines = ["set -u"]
    for number, example in enumerate(found):
        output = folder / str(number)
        lines += [
            f"export SHEAF_EXAMPLE={output}",
            "{", example.commands, f"}} >{output}.out 2>{output}.err </dev/null", f"echo $? >{output}.status"]
    return "\n".join(lines) + "\n"


# Keeps the head of the last response, and notes each request in standard error.
CURL = """#!/bin/sh
exec "$SHEAF_CURL" --dump-header "$SHEAF_EXAMPLE.head" "$@" --silent --show-error \\
  --write-out "%{stderr}requested %{http_code} %{method} %{url_effective}\\n"
"""


def requests(output):
    """The status, method and path of each request of an example."""
    lines = output.with_suffix(".err").read_text(errors="replace").split("\n")
    for line in lines:
        if line.startswith("requested "):
            _, status, method, url = line.split()
            yield int(status), method, re.sub(r"^https?://[^/]+|[?].*$", "", url) or "/"


def problem(example, output):
    """The difference between an example's outcome and the page, or None."""
    def read(kind):
        path = output.with_suffix(f".{kind}")
        return path.read_text(errors="replace") if path.exists() else ""

    status = read("status").strip()
    if example.status is None:
        return None if status == "0" else f"the commands failed ({status}): {read('err')}"
    statuses = [status for status, _, _ in requests(output)]
    if not statuses:
        return f"nothing was requested: {read('err')}"
    got = statuses[-1]
    if got != example.status:
        return f"the status is {got}, not {example.status}: {read('out')[:800]} {read('err')}"
    head = {}
    for line in read("head").split("\n")[1:]:
        name, _, value = line.strip().partition(": ")
        head[name.lower()] = value
    for name, value in example.headers.items():
        if not pattern.glob(value, head.get(name.lower(), "")):
            return f"the header {name} is '{head.get(name.lower())}', not '{value}'"
    try:
        if example.body:
            pattern.compare_body(example.body, read("out"))
    except pattern.Mismatch as mismatch:
        return str(mismatch)
    return None


def template(method, path, operations):
    """The route of a request, such as `GET /api/v1/jobs/{id}`."""
    segments = path.split("/")
    fitting = [
        route for route in operations if len(route.split("/")) == len(segments)
        and all(a == b or a.startswith("{") for a, b in zip(route.split("/"), segments))]
    best = min(fitting, key=lambda route: route.count("{"), default=path)
    return f"{method} {best}"


def check(page, farm):
    """The problems of a page's examples."""
    found = examples(page.read_text().replace("/var/lib/sheaf", str(farm.data)))
    outputs = farm.folder / "outputs"
    work = farm.folder / "work"
    tools = farm.folder / "tools"
    for folder in (outputs, work, tools):
        folder.mkdir()
    (work / ".curlrc").write_text(farm.curl_settings)
    (tools / "curl").write_text(CURL)
    (tools / "curl").chmod(0o755)
    subprocess.run(
        ["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=160x90:rate=30:duration=2", "-f", "lavfi", "-i",
         "sine=frequency=440:duration=2", "-c:v", "libx264", "-preset", "ultrafast", "-g", "15", "-pix_fmt", "yuv420p",
         "-c:a", "aac", "-shortest", work / "beach.mp4"], check=True)
    (outputs / "script").write_text(script(found, outputs))
    curl = subprocess.run(["sh", "-c", "command -v curl"], check=True, capture_output=True, text=True).stdout.strip()
    environment = os.environ | {
        "PATH": f"{tools}:{farm.programs}:{os.environ['PATH']}", "HOME": str(work), "CURL_HOME": str(work),
        "SHEAF_CURL": curl}
    subprocess.run(["bash", outputs / "script"], cwd=work, env=environment, timeout=600, check=True)

    problems = []
    requested = set()
    operations = json.loads((work / "openapi.json").read_text())["paths"]
    for number, example in enumerate(found):
        difference = problem(example, outputs / str(number))
        if difference:
            problems.append(f"docs/api.md:{example.line}: {difference}")
        for _, method, path in requests(outputs / str(number)):
            requested.add(template(method, path, operations))
    routes = {f"{method.upper()} {path}" for path, methods in operations.items() for method in methods}
    problems += [f"docs/api.md has no example of {route}" for route in sorted(routes - requested)]
    return problems
