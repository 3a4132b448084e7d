"""Proves that Sheaf can be deployed as docker/, packaging/ and docs/operating.md say, without a container engine.

usage: scripts/deployment [STEP...]

Reads docker/Dockerfile and executes its steps in Debian root file systems, starts a farm from the resulting images as
docker/compose.yaml says, renders a project on it, and compares the file with that of `sheaf render`. Then installs the
Debian package and the archive on fresh systems without a toolchain. Needs root. The steps are lint, images, farm and
package; all by default. Works in .build/deployment, and keeps there what it can use again.
"""

import argparse
import os
import pathlib
import sys
import time

import dockerfile
import images
from farm import prove_farm
from lint import lint
from package import prove_package

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = ROOT / ".build/deployment"
STEPS = ("lint", "images", "farm", "package")


class Log:
    """Prints what happens, with the time since the beginning."""

    def __init__(self):
        self.begin = time.monotonic()

    def __call__(self, text):
        print(f"[{time.monotonic() - self.begin:6.1f} s] {text}", flush=True)


def toolchain():
    """The folder of this machine's Swift toolchain, which contains usr/bin/swift."""
    for folder in os.environ["PATH"].split(":"):
        swift = pathlib.Path(folder, "swift")
        if swift.exists():
            return swift.resolve().parents[2]
    sys.exit("deployment: there is no swift in PATH")


def main():
    parser = argparse.ArgumentParser(usage="scripts/deployment [STEP...]")
    parser.add_argument("steps", nargs="*", choices=[*STEPS, []], metavar="STEP")
    steps = parser.parse_args().steps or STEPS
    report = Log()
    FOLDER.mkdir(parents=True, exist_ok=True)
    folder = FOLDER.resolve()
    if "lint" in steps:
        lint(ROOT, report)
    if not set(steps) & {"images", "farm", "package"}:
        return
    stages = dockerfile.parse((ROOT / "docker/Dockerfile").read_text())
    builder = images.Builder(stages, ROOT, folder, toolchain(), report)
    for stage in stages:
        builder.image(stage.name)
    if "farm" in steps:
        prove_farm(ROOT, folder, builder, report)
    if "package" in steps:
        prove_package(ROOT, folder, builder, report)
    report(f"proved: {', '.join(steps)}")


main()
