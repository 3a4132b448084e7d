"""Clips and projects. All projects differ, but they share most segments."""

import hashlib
import json
import random
import subprocess


#: Every fifth project has a large clip if there is an object store.
LARGE_EVERY = 5
#: An object above this size is uploaded to an object store in parts.
PART_BYTES = 16 << 20


def make_clips(folder, job_count, has_large):
    """Creates three long clips for all projects, a short one for each project, and large ones for some projects."""
    for name, source, tone, seconds in (
        ("long-0", "testsrc2", 440, 20), ("long-1", "mandelbrot", 550, 20), ("long-2", "smptehdbars", 660, 20),
    ):
        clip(folder / f"{name}.mp4", f"{source}=size=320x180:rate=25", tone, seconds)
    for number in range(job_count):
        hue = f"testsrc=size=320x180:rate=25,hue=h={number * 17 % 360}"
        clip(folder / f"own-{number}.mp4", hue, 300 + 20 * number, 3)
    if has_large:
        make_large_clips(folder, range(0, job_count, LARGE_EVERY))


def make_large_clips(folder, numbers):
    """Creates clips of noise, which no encoder can compress. They differ only in their titles, so each is an asset of
    its own."""
    noise = folder / "noise.mp4"
    frames = 6 * 25
    subprocess.run(
        ["ffmpeg", "-v", "error", "-y", "-f", "rawvideo", "-pix_fmt", "yuv420p", "-s", "320x180", "-r", "25", "-i", "-",
         "-f", "lavfi", "-i", "sine=frequency=220:sample_rate=48000", "-shortest", "-c:v", "libx264",
         "-preset", "ultrafast", "-qp", "4", "-g", "25", "-c:a", "aac", "-bitexact", noise],
        check=True, input=random.Random(0).randbytes(320 * 180 * 3 // 2 * frames))
    if noise.stat().st_size <= PART_BYTES:
        raise RuntimeError(f"a large clip has only {noise.stat().st_size} bytes")
    for number in numbers:
        subprocess.run(
            ["ffmpeg", "-v", "error", "-y", "-i", noise, "-c", "copy", "-metadata", f"title={number}",
             folder / f"large-{number}.mp4"], check=True, stdin=subprocess.DEVNULL)
    noise.unlink()


def clip(path, picture, tone, seconds):
    subprocess.run(
        ["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", picture,
         "-f", "lavfi", "-i", f"sine=frequency={tone}:sample_rate=48000", "-t", str(seconds),
         "-c:v", "libx264", "-preset", "veryfast", "-g", "25", "-pix_fmt", "yuv420p", "-c:a", "aac", "-bitexact",
         str(path)],
        check=True, stdin=subprocess.DEVNULL)


def make_project(folder, number, seed, has_large):
    """Writes a project: parts of the long clips, which other projects share, its own clip, dissolves, and in some
    projects a part of a large clip. Every third project has the default preset, which copies what it can."""
    source = random.Random(f"{seed}/{number}")
    sequence = []
    for place in range(8):
        if place:
            sequence.append({"transition": "dissolve", "duration": "2/5"})
        if place == 4:
            sequence.append({"clip": f"own-{number}.mp4"})
        elif place == 2 and has_large and number % LARGE_EVERY == 0:
            sequence.append({"clip": f"large-{number}.mp4", "in": 2, "out": 4})
        else:
            start = 2 * source.randrange(8)
            sequence.append({"clip": f"long-{source.randrange(3)}.mp4", "in": start, "out": start + 3})
    project = {"version": 1, "sequence": sequence}
    if number % 3 != 1:
        project["export"] = {"preset": "highestQuality", "video": {"codec": "h264", "encoderPreset": "slow"}}
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
