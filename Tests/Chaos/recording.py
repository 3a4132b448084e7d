"""A live recording that goes on during all faults, whichever coordinator owns the ledger."""

import json
import socket
import subprocess
import threading
import time

PORT = 7500
#: How much shorter than its status a finished file may be, in seconds: its sound may end before its pictures.
SLACK = 0.2


class Recording:
    """Sends a stream to whoever connects, and has the farm record it. A status must never list less than an earlier one,
    and the finished files must have everything that was listed.

    A recording that ends because a disk is full is followed by another one."""

    def __init__(self, farm, folder, address):
        self.farm = farm
        self.folder = folder
        self.source = f"tcp://{address}:{PORT}"
        self.problems = []
        self.seen = {}  # the last status of each recording
        self.has_ended = False
        self.listener = socket.create_server((address, PORT))
        self.clip = folder / "live.ts"
        subprocess.run(
            ["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", "testsrc2=size=320x180:rate=25",
             "-f", "lavfi", "-i", "sine=sample_rate=48000", "-t", "600", "-c:v", "libx264", "-preset", "ultrafast",
             "-g", "25", "-pix_fmt", "yuv420p", "-c:a", "aac", self.clip],
            check=True, stdin=subprocess.DEVNULL)
        threading.Thread(target=self.serve, daemon=True).start()
        self.watcher = threading.Thread(target=self.watch, daemon=True)
        self.watcher.start()

    def serve(self):
        """Sends the stream at its own pace to each coordinator that connects."""
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            with connection:
                # It ends when the connection breaks, or when the stream does.
                subprocess.Popen(
                    ["ffmpeg", "-v", "quiet", "-re", "-i", self.clip, "-c", "copy", "-f", "mpegts", "-"],
                    stdin=subprocess.DEVNULL, stdout=connection.fileno())

    def watch(self):
        recording = None
        while not self.has_ended:
            if recording is None:
                said = self.farm.ask("record", self.source, "--name", "live", "--detach")
                recording = said.split()[0] if said else None
            else:
                status = self.status(recording)
                if status:
                    self.compare(recording, status)
                    if status["state"] in ("finished", "failed"):
                        self.judge_end(recording, status)
                        recording = None
            time.sleep(1)

    def status(self, recording):
        text = self.farm.ask("recording", recording, "--json")
        return json.loads(text) if text else None

    def compare(self, recording, status):
        earlier = self.seen.get(recording)
        if earlier and status["byteCount"] < earlier["byteCount"]:
            self.problems.append(
                f"recording {recording} had {earlier['byteCount']} bytes, and then only {status['byteCount']}")
        self.seen[recording] = status

    def judge_end(self, recording, status):
        failure = status.get("failure") or {}
        if failure.get("code") != "disk-full":
            self.problems.append(f"recording {recording} ended by itself: {status['state']} {failure}")

    def conclude(self):
        """Stops the recordings, and compares their files with what was listed. All faults must have ended."""
        self.has_ended = True
        self.watcher.join()
        self.listener.close()
        for recording, seen in self.seen.items():
            self.farm.ask("stop", recording)
            file = self.folder / f"{recording}.mp4"
            if self.farm.ask("recording", recording, "-o", file, "--overwrite", "--quiet") is None:
                status = self.status(recording)
                if seen["byteCount"] > 0:
                    self.problems.append(f"the file of recording {recording} cannot be saved: {status}")
                continue
            self.check(recording, file, seen)

    def check(self, recording, file, seen):
        decoded = subprocess.run(
            ["ffmpeg", "-v", "error", "-xerror", "-i", file, "-fps_mode", "passthrough", "-enc_time_base", "-1",
             "-f", "null", "-"], capture_output=True, text=True, stdin=subprocess.DEVNULL)
        if decoded.returncode or decoded.stderr:
            self.problems.append(f"ffmpeg cannot decode recording {recording}: {decoded.stderr[:300]}")
        probed = subprocess.run(
            ["ffprobe", "-v", "error", "-show_entries", "format=duration", "-of", "csv=p=0", file],
            capture_output=True, text=True, stdin=subprocess.DEVNULL, check=True)
        listed = seconds(seen["duration"])
        if float(probed.stdout) < listed - SLACK:
            self.problems.append(
                f"recording {recording} listed {listed} s, but its file has {probed.stdout.strip()} s")

    @property
    def note(self):
        parts = sum(len(status["parts"]) for status in self.seen.values())
        length = sum(seconds(status["duration"]) for status in self.seen.values())
        return f"{len(self.seen)} recordings of a live source have {length:.0f} s in {parts} parts."


def seconds(value):
    """A time as the API writes it: a number, or a fraction as text."""
    if isinstance(value, str) and "/" in value:
        numerator, denominator = value.split("/")
        return int(numerator) / int(denominator)
    return float(value)
