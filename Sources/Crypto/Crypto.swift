/// SHA-256 digests and random tokens.
