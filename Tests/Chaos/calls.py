"""The kinds of calls that the farm's programs make, recognized by method and path."""

import re

KINDS = {
    "register": ("POST", r"/api/v1/workers"),
    "lease": ("POST", r"/api/v1/workers/[^/]+/leases"),
    "heartbeat": ("PUT", r"/api/v1/leases/[^/]+"),
    "chunk": ("PUT", r"/api/v1/leases/[^/]+/chunk"),
    "failure": ("POST", r"/api/v1/leases/[^/]+/failure"),
    "give back": ("DELETE", r"/api/v1/leases/[^/]+"),
    "asset bytes": ("GET", r"/api/v1/assets/[^/]+"),
    "asset blocks": ("GET", r"/api/v1/assets/[^/]+/blocks"),
    "asset check": ("HEAD", r"/api/v1/assets/[^/]+"),
    "asset upload": ("PUT", r"/api/v1/assets/[^/]+"),
    "submit": ("POST", r"/api/v1/jobs"),
    "jobs": ("GET", r"/api/v1/jobs"),
    "job": ("GET", r"/api/v1/jobs/[^/]+"),
    "segments": ("GET", r"/api/v1/jobs/[^/]+/segments"),
    "workers": ("GET", r"/api/v1/workers"),
    "cancel": ("POST", r"/api/v1/jobs/[^/]+/cancel"),
    "job events": ("GET", r"/api/v1/jobs/[^/]+/events"),
    "output": ("GET", r"/api/v1/jobs/[^/]+/output"),
}

_PATTERNS = [(name, method, re.compile(path + r"(\?.*)?$")) for name, (method, path) in KINDS.items()]

# Calls with a request body, and calls without a response body. A fault that changes a body needs one.
WITH_REQUEST_BODY = {
    "register", "lease", "heartbeat", "chunk", "failure", "asset upload", "submit",
}
WITHOUT_RESPONSE_BODY = {"asset check", "give back", "failure"}

# The header fields that authenticate a body or state its position, by call. Only TLS protects the other fields.
REQUEST_FIELDS = {
    "chunk": ["Sheaf-Chunk-Manifest", "Sheaf-Chunk-Manifest-Digest"],
    "asset upload": ["Upload-Offset", "Upload-Length"],
    "submit": ["Content-Digest"],
}
RESPONSE_FIELDS = {"asset bytes": ["Content-Range"], "output": ["Content-Range", "ETag"]}


def kind_of(method, target):
    """The name of the call, or None if no program of the farm makes it."""
    for name, wanted, pattern in _PATTERNS:
        if method == wanted and pattern.match(target):
            return name
    return None
