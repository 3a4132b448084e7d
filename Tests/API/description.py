"""Checks that a description of an API is a valid OpenAPI 3.1 document that keeps its promises."""

import json
import pathlib

# https://spec.openapis.org/oas/3.1/schema/2022-10-07
META_SCHEMA = pathlib.Path(__file__).with_name("openapi-3.1.json")


def problems(document):
    """The problems of a description."""
    import jsonschema
    meta = json.loads(META_SCHEMA.read_text())
    validator = jsonschema.Draft202012Validator(meta)
    found = [f"{'/'.join(map(str, error.absolute_path))}: {error.message}" for error in validator.iter_errors(document)]
    for name, schema in document["components"]["schemas"].items():
        try:
            jsonschema.Draft202012Validator.check_schema(schema)
        except jsonschema.SchemaError as error:
            found.append(f"the schema {name}: {error.message}")
    found += references(document, document, "")
    names = set()
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            place = f"{method.upper()} {path}"
            if operation["operationId"] in names:
                found.append(f"{place}: the operationId {operation['operationId']} is not unique")
            names.add(operation["operationId"])
            declared = {each["name"] for each in operation.get("parameters", []) if each["in"] == "path"}
            wanted = {part[1:-1] for part in path.split("/") if part.startswith("{")}
            if declared != wanted:
                found.append(f"{place}: the path has {sorted(wanted)}, the parameters {sorted(declared)}")
            if method != "head":
                found += bodies(document, place, operation)
    return found


def bodies(document, place, operation):
    """Responses of an operation without the schema of their body."""
    for status, response in operation["responses"].items():
        if "$ref" in response:
            response = document["components"]["responses"][response["$ref"].split("/")[-1]]
        content = response.get("content", {})
        may_be_empty = status in ("204", "304") or status[0] == "2" and operation["operationId"].startswith("put")
        if not content and not may_be_empty:
            yield f"{place}: the response {status} has no content"
        for kind, media in content.items():
            if "schema" not in media:
                yield f"{place}: the response {status} has no schema for {kind}"


def references(document, part, place):
    """References that lead nowhere."""
    if isinstance(part, dict):
        target = part.get("$ref")
        if isinstance(target, str):
            found = document
            for name in target.removeprefix("#/").split("/"):
                found = found.get(name) if isinstance(found, dict) else None
            if found is None:
                yield f"{place}: there is no {target}"
        for name, member in part.items():
            yield from references(document, member, f"{place}/{name}")
    elif isinstance(part, list):
        for index, element in enumerate(part):
            yield from references(document, element, f"{place}/{index}")


def check(farm):
    """The problems of a coordinator's description."""
    return problems(json.loads(farm.call("GET", "/openapi.json")))
