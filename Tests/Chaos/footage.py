"""Clips and projects. All projects differ, but they share most segments."""

import hashlib
import json
import random
import subprocess


def make_clips(folder, job_count):
    """Creates three long clips for all projects, and a short one for each project."""
    for name, source, tone, seconds in (
        ("long-0", "testsrc2", 440, 20), ("long-1", "mandelbrot", 550, 20), ("long-2", "smptehdbars", 660, 20),
    ):
        clip(folder / f"{name}.mp4", f"{source}=size=320x180:rate=25", tone, seconds)
    for number in range(job_count):
        hue = f"testsrc=size=320x180:rate=25,hue=h={number * 17 % 360}"
        clip(folder / f"own-{number}.mp4", hue, 300 + 20 * number, 3)


def clip(path, picture, tone, seconds):
    subprocess.run(
        ["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", picture,
         "-f", "lavfi", "-i", f"sine=frequency={tone}:sample_rate=48000", "-t", str(seconds),
         "-c:v", "libx264", "-preset", "veryfast", "-pix_fmt", "yuv420p", "-c:a", "aac", "-bitexact", str(path)],
        check=True, stdin=subprocess.DEVNULL)


def make_project(folder, number, seed):
    """Writes a project: parts of the long clips, which other projects share, its own clip, and dissolves."""
    source = random.Random(f"{seed}/{number}")
    sequence = []
    for place in range(8):
        if place:
            sequence.append({"transition": "dissolve", "duration": "2/5"})
        if place == 4:
            sequence.append({"clip": f"own-{number}.mp4"})
        else:
            start = 2 * source.randrange(8)
            sequence.append({"clip": f"long-{source.randrange(3)}.mp4", "in": start, "out": start + 3})
    project = {
        "version": 1, "sequence": sequence,
        "export": {"preset": "highestQuality", "video": {"codec": "h264", "encoderPreset": "slow"}},
    }
    path = folder / f"cut-{number}.json"
    path.write_text(json.dumps(project))
    return path


def sha256(path):
    """The SHA-256 of a file."""
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while piece := file.read(1 << 20):
            digest.update(piece)
    return digest.hexdigest()
