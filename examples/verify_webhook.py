"""Verifies the requests of Sheaf's webhooks. Call `verify` before you use a body, and drop ids that you have seen."""
import hashlib
import hmac
import time


def verify(secret: bytes, headers, body: bytes, now: float = None) -> bool:
    timestamp = headers["Sheaf-Timestamp"]
    if abs((time.time() if now is None else now) - int(timestamp)) > 300:
        return False  # replayed later, or one of the clocks is wrong
    signature = hmac.new(secret, timestamp.encode() + b"." + body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(headers["Sheaf-Signature"], "v1=" + signature)
