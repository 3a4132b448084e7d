"""Checks the manifests and units with tools that others wrote."""

import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

YAMLLINT = """{extends: default, rules: {document-start: disable, line-length: {max: 140}, comments: {min-spaces-from-content: 1},
  braces: {max-spaces-inside: 0}, indentation: {spaces: 2}, octal-values: disable}}"""

VALIDATE_RESPONSES = """
import json, pathlib, sys
import kubernetes_validate
bodies = [json.loads(pathlib.Path(name).read_text()) for name in sys.argv[1:]]
# kubernetes-validate does not find the schema of failures.
objects = [body for body in bodies if body["kind"] != "Status"]
for body in objects: kubernetes_validate.validate(body, "1.37", strict=True)
print(len(objects))
"""


def output(*command, **options):
    """Runs a tool. Ends the program with its output if it fails."""
    result = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False, **options)
    if result.returncode != 0:
        sys.exit(f"deployment: {' '.join(map(str, command))}\n{result.stdout}{result.stderr}")
    return result.stdout + result.stderr


def lint(root, report):
    manifests = root / "packaging/kubernetes"
    output("yamllint", "--strict", "--config-data", YAMLLINT, root / "docker/compose.yaml", manifests)
    report("yamllint: compose.yaml and the manifests are well-formed")
    json.loads((root / "docker/seccomp.json").read_text())
    lint_manifests(root, manifests, report)
    lint_units(root, report)
    lint_proxy(root, report)


def lint_manifests(root, manifests, report):
    """Builds the base and each overlay, and validates the result against Kubernetes' schemas."""
    if not shutil.which("kubectl"):
        sys.exit("deployment: kubectl is missing, which is not a package of Debian 12: see kubernetes.io/docs/tasks/tools")
    venv = root / ".build/deployment/venv"
    if not (venv / "bin/kubernetes-validate").exists():
        subprocess.run([sys.executable, "-m", "venv", str(venv)], check=True)
        subprocess.run([str(venv / "bin/pip"), "install", "--quiet", "kubernetes-validate==1.37.0"], check=True)
    for folder in [manifests / "base", *sorted((manifests / "overlays").iterdir())]:
        built = root / ".build/deployment" / f"{folder.name}.yaml"
        built.write_text(output("kubectl", "kustomize", folder), encoding="utf-8")
        # KEDA's types are not Kubernetes' own.
        parts = [part for part in built.read_text().split("\n---\n") if "apiVersion: keda.sh/" not in part]
        own = built.with_suffix(".own.yaml")
        own.write_text("\n---\n".join(parts), encoding="utf-8")
        text = output(venv / "bin/kubernetes-validate", "--strict", own)
        report(f"kubernetes-validate --strict: {folder.name}: {len(re.findall(' passed for resource ', text))} resources")
    # The driver of `sheaf scale` is tested with these.
    responses = sorted((root / "Tests/CommandLineTests/Fixtures/Kubernetes").glob("*.json"))
    count = output(venv / "bin/python", "-c", VALIDATE_RESPONSES, *responses).strip()
    report(f"kubernetes-validate --strict: {count} responses of an API server")


def lint_units(root, report):
    for unit in sorted((root / "packaging/systemd").glob("*.service")):
        text = output("systemd-analyze", "--no-pager", "security", "--offline=true", unit)
        exposure = re.search(r"Overall exposure level for \S+: (\S+)", text).group(1)
        report(f"systemd-analyze security: {pathlib.Path(unit).name}: {exposure}")
        if float(exposure) > 2:
            sys.exit(f"deployment: {unit} is exposed more than before:\n{text}")


def lint_proxy(root, report):
    """nginx accepts its configuration."""
    with tempfile.TemporaryDirectory() as folder:
        output("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj",
               "/CN=farm.example", "-keyout", f"{folder}/farm.key", "-out", f"{folder}/farm.pem")
        text = (root / "packaging/nginx/sheaf.conf").read_text(encoding="utf-8")
        text = text.replace("/etc/ssl/certs/farm.pem", f"{folder}/farm.pem")
        text = text.replace("/etc/ssl/private/farm.key", f"{folder}/farm.key")
        pathlib.Path(folder, "nginx.conf").write_text(
            f"pid {folder}/pid; error_log stderr; events {{}} http {{ access_log off; {text} }}", encoding="utf-8")
        output("/usr/sbin/nginx", "-t", "-c", f"{folder}/nginx.conf")
    report("nginx -t: packaging/nginx/sheaf.conf")
