"""Installs the Debian package and the archive on fresh systems without a toolchain, and renders there."""

import re
import shutil
import subprocess

import images
from farm import make_project, sha256
from units import prove_units


class System:
    """A fresh Debian system."""

    def __init__(self, name, folder, builder, binds=()):
        self.root, _ = images.overlay(builder.base.layers, folder / "systems" / name)
        (archives := folder / "archives").mkdir(exist_ok=True)
        self.binds = [["/etc/resolv.conf", "/etc/resolv.conf", "ro"], [str(archives), "/var/cache/apt/archives", ""],
                      *map(list, binds)]

    def run(self, command, user=(0, 0)):
        """Runs a shell command. Returns what it prints."""
        process = images.start(
            {"root": self.root, "binds": self.binds, "user": list(user), "argv": ["/bin/sh", "-ec", command],
             "env": {"PATH": images.BASE_PATH, "HOME": "/tmp", "DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C.UTF-8"}},
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        output = process.communicate()[0].decode()
        if process.returncode != 0:
            raise RuntimeError(f"{command}: exit code {process.returncode}: {output}")
        return output

    def close(self):
        subprocess.run(["umount", str(self.root)], check=True)


def prove_package(root, folder, builder, report):
    dist = folder / "stages/packages/upper"
    deb, = dist.glob("sheaf_*.deb")
    tarball, = dist.glob("sheaf-*.tar.xz")
    report(f"{deb.name}: {deb.stat().st_size >> 20} MiB; {tarball.name}: {tarball.stat().st_size >> 20} MiB")
    compare_dependencies(root, deb, report)
    # Whoever publishes the package sets DEBEMAIL.
    lintian = ["lintian", "--allow-root", "--fail-on", "none", "--suppress-tags",
               "bogus-mail-host,bogus-mail-host-in-debian-changelog", str(deb)]
    tags = subprocess.run(lintian, capture_output=True, text=True, check=False).stdout
    errors = [line for line in tags.splitlines() if line.startswith("E: ")]
    report(f"lintian: {len(errors)} errors, {len(tags.splitlines()) - len(errors)} other tags\n{tags}")
    if errors:
        raise RuntimeError("lintian finds errors in the package")

    work = folder / "package-work"
    shutil.rmtree(work, ignore_errors=True)
    make_project(work / "project")
    (work / "out").mkdir()
    work.joinpath("out").chmod(0o777)
    for file in (deb, tarball):
        shutil.copy(file, work)
    binds = [(str(work), "/work", "")]
    system = System("deb", folder, builder, binds)
    try:
        prove_deb(system, deb.name, work, report)
        prove_tarball(system, tarball.name, work, report)
        make_certificate(work)
        prove_units(system.root, work, sha256(work / "out/deb.mp4"), report)
        system.run("apt-get -qq -y remove sheaf")
        left = system.run("ls -d /etc/sheaf/worker.conf /var/lib/sheaf; getent passwd sheaf | cut -d: -f1; "
                          "ls /usr/bin/sheaf* 2>/dev/null || true").split()
        if left != ["/etc/sheaf/worker.conf", "/var/lib/sheaf", "sheaf"]:
            raise RuntimeError(f"after remove: {left}")
        # What the administrator put there stays; here, nothing else is left.
        system.run("rm /etc/sheaf/tls/* /etc/sheaf/worker.token /etc/sheaf/farm.pem")
        system.run("touch /var/lib/sheaf/data && apt-get -qq -y purge sheaf && ! ls /etc/sheaf && ls /var/lib/sheaf/data")
        report("remove keeps the settings and the data, and purge keeps the data")
    finally:
        system.close()
    prove_uninstall(root, folder, builder, report)


def make_certificate(folder):
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj",
         "/CN=farm.example", "-addext", "subjectAltName=DNS:farm.example", "-keyout", str(folder / "farm.key"), "-out",
         str(folder / "farm.pem")], check=True, capture_output=True)


def compare_dependencies(root, deb, report):
    """The images install what dpkg-shlibdeps found, and nothing that it did not."""
    text = subprocess.run(["dpkg-deb", "--field", str(deb), "Depends"], check=True, capture_output=True, text=True).stdout
    found = {re.match(r"\s*([\w.+-]+)", part).group(1) for part in text.split(",")}
    listed = set()
    for name in ("worker", "coordinator"):
        lines = (root / f"docker/packages/{name}.txt").read_text().splitlines()
        listed |= {line.split("#")[0].strip() for line in lines} - {""}
    if found != listed:
        raise RuntimeError(f"not in docker/packages: {found - listed}; not needed: {listed - found}")
    report(f"the {len(found)} runtime packages of the images are the dependencies that dpkg-shlibdeps found")


def render(system, program, name, work):
    system.run(f"{program} render /work/project/cut.json -o /work/out/{name}.mp4 --workers 2", user=(65534, 65534))
    return sha256(work / "out" / f"{name}.mp4")


def prove_deb(system, name, work, report):
    system.run(f"apt-get -qq update && apt-get -qq -y --no-install-recommends install systemd /work/{name}")
    tools = system.run("for tool in swift gcc ffmpeg curl openssl; do command -v $tool || true; done").split()
    # ca-certificates depends on openssl.
    if set(tools) - {"/usr/bin/openssl"}:
        raise RuntimeError(f"the system is not fresh: {tools}")
    system.run("dpkg --verify sheaf; for name in sheaf sheaf-coordinator sheaf-worker sheaf-media; do $name --help >/dev/null; done")
    print(system.run(
        "systemd-analyze --man=no verify sheaf-coordinator.service sheaf-worker.service; echo systemd-analyze verify: $?;"
        "for unit in coordinator worker; do systemd-analyze --no-pager security --offline=true sheaf-$unit.service |"
        " tail -n 1; done; getent passwd sheaf sheaf-worker; stat -c '%A %U %n' /var/lib/sheaf /etc/sheaf /etc/sheaf/*;"
        "systemctl is-enabled sheaf-coordinator sheaf-worker || true"), flush=True)
    files = system.run("dpkg -L sheaf")
    for path in ("/usr/share/man/man1/sheaf-worker.1.gz", "/usr/share/bash-completion/completions/sheaf",
                 "/usr/lib/systemd/system/sheaf-worker.service", "/usr/lib/sysusers.d/sheaf.conf"):
        if path not in files.split():
            raise RuntimeError(f"the package lacks {path}")
    report(f"installed {name} on a system without a toolchain")
    report(f"`sheaf render` works there: {render(system, 'sheaf', 'deb', work)}")


def prove_tarball(system, name, work, report):
    system.run("apt-get -qq -y --no-install-recommends install xz-utils")
    system.run(f"mkdir '/opt/a folder' && tar -xf /work/{name} -C '/opt/a folder' && mv /usr/bin/sheaf* /root")
    program = f"'/opt/a folder/{name.removesuffix('.tar.xz')}/bin/sheaf'"
    digest = render(system, program, "tarball", work)
    system.run("mv /root/sheaf* /usr/bin")
    if digest != sha256(work / "out/deb.mp4"):
        raise RuntimeError("the file of the archive's programs differs")
    report("the archive works in another folder, and renders the same file")


def prove_uninstall(root, folder, builder, report):
    """`make uninstall` leaves what `make install` did not install."""
    build = builder.image("build")
    top, _ = images.overlay(build.layers, folder / "systems/uninstall")
    cache = folder / "caches/src-.build"
    try:
        process = images.start(
            {"root": top, "cwd": "/src", "binds": [[str(cache), "/src/.build", ""]], "argv": ["/bin/sh", "-ec", """
                mkdir -p /usr/local/share/man/man1 && touch /usr/local/share/man/man1/other.1
                find /usr/local /etc /var/lib | sort > /tmp/before
                packaging/install .build/install/release /usr/local
                test -x /usr/local/bin/sheaf-worker
                grep -q '^ExecStart=/usr/local/bin/sheaf-worker ' /usr/local/lib/systemd/system/sheaf-worker.service
                packaging/uninstall /usr/local
                find /usr/local /etc /var/lib -newer /tmp/before ! -type d
                find /usr/local /etc /var/lib ! -type d | sort > /tmp/after
                find $(cat /tmp/before) -maxdepth 0 ! -type d | sort | diff - /tmp/after"""]},
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        output = process.communicate()[0].decode()
        if process.returncode != 0 or output:
            raise RuntimeError(f"uninstall: {output}")
    finally:
        subprocess.run(["umount", str(top)], check=True)
    report("`make uninstall` removes exactly what `make install` installed")
