"""Tries the systemd units on a booted system, as docs/operating.md says."""

import time

from farm import sha256
from machine import Machine

COORDINATOR = """
echo '127.0.0.1 farm.example' >> /etc/hosts
cp /mnt/work/farm.pem /mnt/work/farm.key /etc/sheaf/tls/
chmod 600 /etc/sheaf/tls/*
credentials=/run/credentials/sheaf-coordinator.service
echo "SHEAF_OPTIONS=--bind 0.0.0.0 --tls-certificate $credentials/tls_farm.pem --tls-key $credentials/tls_farm.key" \\
  >> /etc/sheaf/coordinator.conf
umask 077
runuser -u sheaf -- sheaf-coordinator token create --data /var/lib/sheaf --role worker --name rack1 > /etc/sheaf/worker.token
runuser -u sheaf -- sheaf-coordinator token create --data /var/lib/sheaf --role submitter --name ada > /root/ada.token
systemctl start sheaf-coordinator
"""
WORKER = """
install -m 644 /mnt/work/farm.pem /etc/sheaf/farm.pem
echo 'SHEAF_COORDINATOR=https://farm.example:7420
SHEAF_CA_FILE=/etc/sheaf/farm.pem
SHEAF_OPTIONS=--slots 1' >> /etc/sheaf/worker.conf
systemctl start sheaf-worker
"""
BACKUP = """
install -d -m 700 -o sheaf -g sheaf /srv/backup
runuser -u sheaf -- sheaf-coordinator backup --data /var/lib/sheaf --to /srv/backup/ledger.sqlite
cd /var/lib/sheaf
for name in tokens.json forgotten.json projects plans assets outputs recordings; do
  [ ! -e "$name" ] || cp -a --update "$name" /srv/backup/
done
systemctl stop sheaf-coordinator sheaf-worker
rm -rf /var/lib/sheaf && systemd-tmpfiles --create sheaf.conf
cd /srv/backup && cp -a tokens.json projects plans assets outputs recordings /var/lib/sheaf/
runuser -u sheaf -- sheaf-coordinator restore --data /var/lib/sheaf --from /srv/backup/ledger.sqlite
runuser -u sheaf -- sheaf-coordinator check --data /var/lib/sheaf --chunks
systemctl start sheaf-coordinator
"""
ACCESS = "--coordinator https://farm.example:7420 --ca-file /mnt/work/farm.pem --token-file /root/ada.token"
HEALTH = "sheaf-coordinator health --ready --url https://farm.example:7420 --ca-file /etc/sheaf/tls/farm.pem"


def prove_units(root, work, digest, report):
    """Renders with the services of the installed package. `digest` is the file's SHA-256."""
    machine = Machine(root, work, work / "systemd.log")
    try:
        state = machine.try_to_run("systemctl is-active sheaf-coordinator sheaf-worker")[1].split()
        if "active" in state:
            raise RuntimeError(f"a service was started without configuration: {state}")
        code, output = machine.try_to_run("systemctl start sheaf-worker")
        if code == 0:
            raise RuntimeError("a worker without a token was started")
        report(f"systemd has booted; without a token, the worker's service refuses to start: {output.splitlines()[0]}")
        machine.run("systemctl reset-failed")
        machine.run(COORDINATOR)
        wait(machine, HEALTH)
        machine.run(WORKER)
        report("the services run")
        begin = time.monotonic()
        machine.run(f"sheaf submit /mnt/work/project/cut.json --watch -o /mnt/work/out/units.mp4 {ACCESS}")
        if sha256(work / "out/units.mp4") != digest:
            raise RuntimeError("the file of the services differs from that of `sheaf render`")
        report(f"rendered with the services in {time.monotonic() - begin:.1f} s: the file is the same")
        print(machine.run(
            "systemctl show -p MainPID -p User -p NoNewPrivileges -p ActiveState sheaf-worker; "
            "grep -E '^(Uid|CapEff|NoNewPrivs|Seccomp)' /proc/$(systemctl show -P MainPID sheaf-worker)/status"), flush=True)
        machine.run(BACKUP)
        wait(machine, HEALTH)
        if "completed" not in machine.run(f"sheaf jobs {ACCESS}"):
            raise RuntimeError("the restored farm does not have the job")
        report("backed up, restored and checked the farm; the job is there")
        begin = time.monotonic()
        machine.run("systemctl stop sheaf-coordinator sheaf-worker")
        results = machine.run("systemctl show -P Result sheaf-coordinator sheaf-worker").split()
        if results != ["success", "success"]:
            raise RuntimeError(f"the services ended with {results}")
        report(f"stopped the services in {time.monotonic() - begin:.1f} s")
    except Exception:
        for unit in ("coordinator", "worker"):
            report(machine.try_to_run(f"journalctl --no-pager -n 40 -u sheaf-{unit}; systemctl status sheaf-{unit}")[1])
        report(f"--- systemd\n{(work / 'systemd.log').read_text(errors='replace')[-3000:]}")
        raise
    finally:
        machine.close()


def wait(machine, command):
    """Repeats a command until it succeeds."""
    for _ in range(60):
        code, output = machine.try_to_run(command)
        if code == 0:
            return
        time.sleep(0.5)
    raise RuntimeError(f"{command}: {output}")
