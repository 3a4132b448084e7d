"""The certificates with which the programs of a farm authenticate themselves."""

import ssl
import subprocess


def make_certificates(folder, addresses, environment=None):
    """Creates an authority, and a certificate for some IP addresses that it signs."""
    def openssl(*arguments):
        subprocess.run(["openssl", *map(str, arguments)], check=True, capture_output=True, env=environment)
    key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
    openssl(
        "req", "-x509", *key, "-days", 2, "-subj", "/CN=chaos", "-keyout", folder / "ca.key", "-out", folder / "ca.pem")
    names = ",".join(f"IP:{address}" for address in addresses)
    (folder / "server.ext").write_text(f"subjectAltName={names}\nextendedKeyUsage=serverAuth\n")
    openssl("req", *key, "-subj", "/CN=server", "-keyout", folder / "server.key", "-out", folder / "server.csr")
    openssl(
        "x509", "-req", "-in", folder / "server.csr", "-CA", folder / "ca.pem", "-CAkey", folder / "ca.key",
        "-CAcreateserial", "-days", 2, "-extfile", folder / "server.ext", "-out", folder / "server.pem")


def tls_contexts(folder):
    """The contexts of a proxy: for its clients, and for the coordinator."""
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(folder / "server.pem", folder / "server.key")
    client = ssl.create_default_context(cafile=folder / "ca.pem")
    return server, client
