"""Reads a Dockerfile: the instructions that Sheaf's uses, and no others."""

import json
import re
from dataclasses import dataclass, field

KNOWN = {
    "ARG", "CMD", "COPY", "ENTRYPOINT", "ENV", "EXPOSE", "FROM", "HEALTHCHECK", "RUN", "STOPSIGNAL", "USER", "VOLUME",
    "WORKDIR",
}


@dataclass
class Instruction:
    name: str
    flags: list  # (name, value) pairs, in order
    text: str  # what follows the flags, on one line
    line: int

    def flag(self, name):
        return next((value for key, value in self.flags if key == name), None)

    def words(self):
        """The arguments: a JSON array if the text is one, and otherwise the words."""
        return self.array() or self.text.split()

    def array(self):
        return json.loads(self.text) if self.text.startswith("[") else None

    def __str__(self):
        flags = " ".join(f"--{name}={value}" for name, value in self.flags)
        return " ".join(part for part in (self.name, flags, self.text) if part)


@dataclass
class Stage:
    name: str
    base: str
    instructions: list = field(default_factory=list)


def expand(text, variables):
    """Replaces $NAME and ${NAME}."""

    def value(match):
        name = match.group(1) or match.group(2)
        if name not in variables:
            raise ValueError(f"the variable {name} is not set in: {text}")
        return variables[name]

    return re.sub(r"\$(?:\{(\w+)\}|(\w+))", value, text)


def parse(text):
    """Returns the stages. Raises ValueError if an instruction is unknown."""
    variables, stages = {}, []
    for instruction in instructions(text):
        if instruction.name == "ARG" and not stages:
            name, _, default = instruction.text.partition("=")
            variables[name] = default
        elif instruction.name == "FROM":
            words = expand(instruction.text, variables).split()
            if len(words) != 3 or words[1].upper() != "AS":
                raise ValueError(f"line {instruction.line}: expected FROM BASE AS NAME")
            stages.append(Stage(words[2], words[0]))
        elif not stages or instruction.name == "ARG":
            raise ValueError(f"line {instruction.line}: {instruction.name} is not supported here")
        else:
            stages[-1].instructions.append(instruction)
    return stages


def instructions(text):
    lines = iter(enumerate(text.splitlines(), start=1))
    for number, line in lines:
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        whole = line.strip()
        while whole.endswith("\\"):
            _, more = next(lines)
            if not more.lstrip().startswith("#"):
                whole = whole[:-1].rstrip() + " " + more.strip()
            else:
                whole = whole[:-1].rstrip() + " \\"
        name, _, rest = whole.partition(" ")
        name, rest, flags = name.upper(), rest.strip(), []
        if name not in KNOWN:
            raise ValueError(f"line {number}: {name} is not supported")
        while match := re.match(r"--([\w-]+)=(\S+)\s+", rest):
            flags.append(match.groups())
            rest = rest[match.end():]
        yield Instruction(name, flags, rest, number)
