#!/usr/bin/env python3
"""Render a project on a Sheaf farm with the HTTP API alone: upload, submit, watch, download.

    SHEAF_TOKEN=… ./api_client.py https://farm.example:7420 cut.json out.mp4

It needs Python 3.11 and no other library. If the farm's certificate is self-signed, set SSL_CERT_FILE to it. It uploads
the files that a sequence names: clips, music, maps of transitions and images of layers.
"""

import hashlib
import http.client
import json
import os
import shutil
import sys
import time
import urllib.error
import urllib.request
import uuid


class Refusal(Exception):
    """The farm does not accept a request, or the job has failed. The message is the farm's own."""


class Farm:
    def __init__(self, address, token=None):
        self.address = address.rstrip("/") + "/api/v1"
        self.token = token

    def call(self, method, path, body=None, headers=None):
        """Sends a request and returns the open response. A refusal becomes an error with the farm's own words."""
        request = urllib.request.Request(self.address + path, method=method, data=body, headers=headers or {})
        if self.token:
            request.add_header("Authorization", f"Bearer {self.token}")
        try:
            return urllib.request.urlopen(request)
        except urllib.error.HTTPError as error:
            if error.headers.get_content_type() != "application/problem+json":
                raise
            problem = json.load(error)
            raise Refusal(f"{problem['title']}: {problem['detail']}") from None

    def upload(self, path):
        """Uploads a file unless the farm has it, and returns what a submission says about it."""
        with open(path, "rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
            size = file.tell()
            asset = {"digest": digest, "byteCount": size}
            start = self.stored(digest, size)
            if start < size:
                file.seek(start)
                self.call("PUT", f"/assets/{digest}", body=file, headers={
                    "Content-Type": "application/octet-stream", "Content-Length": str(size - start),
                    "Upload-Offset": str(start), "Upload-Length": str(size)})
        return asset

    def stored(self, digest, size):
        """The number of bytes of an asset that the farm has. An interrupted upload continues there."""
        request = urllib.request.Request(f"{self.address}/assets/{digest}", method="HEAD")
        if self.token:
            request.add_header("Authorization", f"Bearer {self.token}")
        try:
            with urllib.request.urlopen(request):
                return size
        except urllib.error.HTTPError as error:
            if error.code == 401:
                raise Refusal("The farm does not accept the token in SHEAF_TOKEN.") from None
            if error.code != 404:
                raise
            return int(error.headers.get("Upload-Offset", 0))

    def submit(self, name, project, assets):
        """Submits a project. The key makes it safe to send the request again if the connection breaks."""
        body = json.dumps({"name": name, "project": project, "assets": assets}).encode()
        with self.call("POST", "/jobs", body, {
                "Content-Type": "application/json", "Idempotency-Key": str(uuid.uuid4())}) as response:
            return json.load(response)

    def watch(self, job):
        """Yields the job's status at each change, until the job has ended."""
        while True:
            try:
                with self.call("GET", f"/jobs/{job}/events") as stream:
                    for line in stream:
                        if line.startswith(b"data:"):
                            status = json.loads(line[5:])
                            yield status
                            if status["state"] in ("completed", "failed", "cancelled"):
                                return
            except (OSError, http.client.HTTPException):
                pass  # The coordinator is restarting, or a proxy ended the stream.
            time.sleep(1)

    def download(self, job, path):
        with self.call("GET", f"/jobs/{job}/output") as response, open(path, "wb") as file:
            shutil.copyfileobj(response, file)


def files(project):
    """The paths that a sequence names. URLs are fetched by the farm."""
    layers = list(project.get("animation", {}).get("layers", []))
    for layer in layers:  # The list grows by the layers of groups.
        layers += layer.get("layers", [])
    items = project.get("sequence", []) + project.get("music", []) + layers
    paths = {item[key] for item in items for key in ("clip", "map", "asset") if key in item}
    return sorted(path for path in paths if "://" not in path)


def main(address, project_path, output):
    farm = Farm(address, os.environ.get("SHEAF_TOKEN"))
    with open(project_path, encoding="utf-8") as file:
        text = file.read()
    folder = os.path.dirname(os.path.abspath(project_path))
    assets = {path: farm.upload(os.path.join(folder, path)) for path in files(json.loads(text))}
    job = farm.submit(os.path.splitext(os.path.basename(project_path))[0], text, assets)
    for job in farm.watch(job["id"]):
        done, total = job["framesRendered"], job.get("frameCount")
        print(job["state"] + (f" {done} of {total} frames" if total else ""))
    if job["state"] != "completed":
        raise Refusal(job.get("failure", {}).get("message", job["state"]))
    farm.download(job["id"], output)


if __name__ == "__main__":
    if len(sys.argv) != 4:
        raise SystemExit(__doc__)
    try:
        main(*sys.argv[1:])
    except urllib.error.URLError as error:
        raise SystemExit(f"{sys.argv[1]}: {error.reason}") from None
    except (OSError, ValueError, Refusal) as error:
        raise SystemExit(str(error)) from None
