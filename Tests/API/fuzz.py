"""Validates /openapi.json, and lets schemathesis compare it with the coordinator's responses."""

import json
import os
import subprocess
import sys

# Where a response may have another status than the description's values suggest, and why.
CONFIGURATION = """
headers = {{ Authorization = "Bearer {admin}" }}
tls-verify = "{authority}"
request-timeout = 20
hooks = "hooks"

# A project is a text, and almost no text is a valid project. Only real chunks, tokens and uploads are accepted.
[checks.positive_data_acceptance]
expected-statuses = ["2xx", "304", "400", "401", "403", "404", "409", "413", "415", "416", "422", "429"]

# Workers have a token of their own.
[[operations]]
include-path-regex = "^/api/v1/(leases/|workers/.*/leases$)"
headers = {{ Authorization = "Bearer {worker}" }}

[[operations]]
include-name = "POST /api/v1/workers"
headers = {{ Authorization = "Bearer {worker}" }}

# A lease would be waited for.
[[operations]]
include-name = "POST /api/v1/workers/{{id}}/leases"
parameters = {{ wait = 0 }}

# The stream of the whole farm does not end.
[[operations]]
include-path = "/api/v1/events"
enabled = false
"""

PROJECT = '{"version": 1, "sequence": [{"clip": "a.mp4"}, {"transition": "dissolve", "duration": 1}, {"clip": "a.mp4"}]}'


def real_ids(farm):
    """Renders a job, and returns ids that exist, by the names of the paths' parameters."""
    clip = farm.folder / "a.mp4"
    subprocess.run(
        ["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=160x90:rate=30:duration=2", "-f", "lavfi", "-i",
         "sine=frequency=440:duration=2", "-c:v", "libx264", "-preset", "ultrafast", "-g", "15", "-pix_fmt", "yuv420p",
         "-c:a", "aac", "-shortest", clip], check=True)
    data = clip.read_bytes()
    digest = subprocess.run(["sha256sum", clip], check=True, capture_output=True, text=True).stdout.split()[0]
    farm.call("PUT", f"/api/v1/assets/{digest}", data)
    submission = {"name": "a", "project": PROJECT, "assets": {"a.mp4": {"digest": digest, "byteCount": len(data)}}}
    job = json.loads(farm.call("POST", "/api/v1/jobs", json.dumps(submission).encode()))["id"]
    events = farm.call("GET", f"/api/v1/jobs/{job}/events").decode()
    assert '"state":"completed"' in events, events
    workers = json.loads(farm.call("GET", "/api/v1/workers"))
    return {"id": job, "index": "1", "digest": digest, "worker": workers[0]["id"], "file": "main.js"}


def check(farm, seconds):
    """The problems of the description and of responses."""
    description = farm.folder / "openapi.json"
    description.write_bytes(farm.call("GET", "/openapi.json"))
    bin = os.path.dirname(sys.executable)
    validated = subprocess.run([f"{bin}/openapi-spec-validator", description], capture_output=True, text=True)
    print(validated.stdout, end="")
    if validated.returncode:
        return ["openapi-spec-validator: " + validated.stdout + validated.stderr]
    configuration = farm.folder / "schemathesis.toml"
    configuration.write_text(CONFIGURATION.format(
        admin=farm.tokens["admin"], worker=farm.tokens["worker"], authority=farm.folder / "ca.pem"))
    environment = os.environ | {
        "SHEAF_IDS": json.dumps(real_ids(farm)), "PYTHONPATH": os.path.dirname(__file__),
        "PYTHONDONTWRITEBYTECODE": "1"}
    run = subprocess.run(
        [f"{bin}/schemathesis", "--config-file", configuration, "run", description,
         "--url", f"https://127.0.0.1:{farm.port}", "--max-time", str(seconds), "--continue-on-failure",
         "--workers", "2", "--no-color", "--generation-database", "none", *os.environ.get("SHEAF_FUZZ", "").split()],
        cwd=farm.folder, env=environment)
    problems = [] if run.returncode == 0 else [f"schemathesis ended with {run.returncode}"]
    log = farm.log("coordinator")
    problems += [f"the coordinator logged: {line}" for line in log.split("\n") if "level=error" in line]
    return problems
