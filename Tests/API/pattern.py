"""Compares responses with the ones that a page shows. `…` stands for anything that varies."""

import json
import re

ANY = "…"


class Mismatch(Exception):
    """The first difference between a response and the page."""


def parse(text):
    """Reads JSON in which `…` may stand for a value, for a part of a string, or for further members or elements."""
    result, stack, before = [], [], ""
    for part in re.findall(r'"(?:[^"\\]|\\.)*"|…|[^"…]+', text):
        if part == ANY:
            inside = stack[-1] if stack else ""
            part = f'"{ANY}":null' if inside == "{" and before != ":" else f'"{ANY}"'
        elif not part.startswith('"'):
            for mark in part:
                if mark in "{[":
                    stack.append(mark)
                elif mark in "}]":
                    stack.pop()
        before = part.rstrip()[-1:] or before
        result.append(part)
    return json.loads("".join(result))


def glob(pattern, text):
    """Whether a text matches a pattern in which `…` stands for any text."""
    expression = "(?:.|\n)*".join(map(re.escape, pattern.split(ANY)))
    return re.fullmatch(expression, text) is not None


def compare(shown, value, place="the response"):
    """Compares a value with the one on the page."""
    if shown == ANY:
        return
    if isinstance(shown, dict) and isinstance(value, dict):
        for name, member in shown.items():
            if name != ANY:
                if name not in value:
                    raise Mismatch(f"{place} has no '{name}'")
                compare(member, value[name], f"{place}.{name}")
        further = sorted(set(value) - set(shown))
        if further and ANY not in shown:
            raise Mismatch(f"{place} also has {further}")
    elif isinstance(shown, list) and isinstance(value, list):
        is_open = shown[-1:] == [ANY]
        elements = shown[:-1] if is_open else shown
        if len(value) < len(elements) or (len(value) > len(elements) and not is_open):
            raise Mismatch(f"{place} has {len(value)} elements: {json.dumps(value)[:400]}")
        for index, (element, found) in enumerate(zip(elements, value)):
            compare(element, found, f"{place}[{index}]")
    elif isinstance(shown, str) and isinstance(value, str):
        if not glob(shown, value):
            raise Mismatch(f"{place} is {value!r}, not {shown!r}")
    elif shown != value or isinstance(shown, bool) != isinstance(value, bool):
        raise Mismatch(f"{place} is {json.dumps(value)[:400]}, not {json.dumps(shown)}")


def compare_body(shown, body):
    """Compares a body with the one on the page: as JSON if the page shows JSON, else as text."""
    if shown[:1] in "{[":
        try:
            value = json.loads(body)
        except ValueError:
            raise Mismatch(f"the body is not JSON: {body[:400]}") from None
        compare(parse(shown), value)
    elif not glob(shown, body.strip()):
        raise Mismatch(f"the body is:\n{body[:800]}")
