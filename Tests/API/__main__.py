"""Tests of the HTTP API with a real farm.

usage: python3 -B Tests/API page PROGRAMS            runs the examples of docs/api.md
       python3 -B Tests/API description PROGRAMS     checks /openapi.json (needs python3-jsonschema)
       python3 -B Tests/API fuzz PROGRAMS [SECONDS]  lets schemathesis compare responses with it (needs schemathesis)

PROGRAMS is the folder of the built programs.
"""

import pathlib
import sys

import description
import fuzz
import page
from farm import Farm

ROOT = pathlib.Path(__file__).resolve().parents[2]


def main(task, programs, seconds="300"):
    with Farm(programs) as farm:
        if task == "page":
            problems = page.check(ROOT / "docs/api.md", farm)
        elif task == "description":
            problems = description.check(farm)
        else:
            problems = fuzz.check(farm, int(seconds))
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4) or sys.argv[1] not in ("page", "description", "fuzz"):
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
