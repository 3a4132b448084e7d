"""Two PostgreSQL servers for a farm's ledger: a primary, and a replica that takes over."""

import shutil
import subprocess
import threading
import time

from postgresql import Pooler, Server, own

#: How long a promotion waits for the replica to have everything, in seconds.
CATCH_UP = 3


class Replicas:
    """Two servers on hosts of their own, each with PgBouncer. Commits wait for the replica, so that none is lost."""

    def __init__(self, hosts, certificates):
        self.servers = [Server(host) for host in hosts]
        self.certificates = certificates
        self.promotions = 0
        self.is_over = False
        self.primary, self.replica = self.servers
        for server in self.servers:
            server.options += [
                "-c", "wal_keep_size=512MB", "-c", "wal_sender_timeout=5s", "-c", "wal_receiver_timeout=5s",
                "-c", "wal_retrieve_retry_interval=500ms", "-c", "hot_standby=on", "-c", "max_connections=200"]
        self.primary.initialize()
        with open(self.primary.folder / "data" / "pg_hba.conf", "a") as file:
            file.write("host all,replication sheaf 10.99.0.0/24 trust\n")
        self.primary.start()
        self.primary.query("postgres", "CREATE DATABASE farm")
        self.primary.query("postgres", "ALTER SYSTEM SET synchronous_standby_names = 'replica'")
        self.primary.query("postgres", "SELECT pg_reload_conf()")
        self.is_whole = False
        self.poolers = [Pooler(server, certificates) for server in self.servers]
        self.copy()
        self.keep_up()

    @property
    def url(self):
        places = ",".join(f"{server.host.address}:{Pooler.PORT}" for server in self.servers)
        return f"postgresql://sheaf@{places}/farm?sslrootcert={self.certificates}/ca.pem"

    def copy(self):
        """Makes the replica a copy of the primary, and starts it."""
        if self.replica.process and self.replica.process.poll() is None:
            self.replica.quit()
        data = self.replica.folder / "data"
        shutil.rmtree(data, ignore_errors=True)
        self.replica.call("pg_basebackup", "-h", self.primary.host.address, "-U", "sheaf", "-D", data, "-c", "fast",
                          "--no-sync", "-X", "stream", timeout=30)
        (data / "standby.signal").touch()
        own(data / "standby.signal")
        self.replica.conninfo = (
            f"host={self.primary.host.address} user=sheaf application_name=replica connect_timeout=3 "
            "tcp_user_timeout=5000")
        self.replica.start()
        self.is_whole = True

    def strike(self, kind, target, farm, seconds):
        """Harms the primary, or the replica. Returns whether the server ran."""
        if kind == "promote":
            return self.promote(farm, seconds)
        server = self.replica if target == "replica" else self.primary
        if server.is_down or server is self.replica and not self.is_whole:
            return False
        if kind == "disconnect":
            server.disconnect()
        elif kind == "crash":
            server.crash(farm, min(seconds, 5))
        else:
            server.suspend(farm, seconds)
        return True

    def promote(self, farm, seconds):
        """Stops the primary and its PgBouncer at once, as if their host was lost, and lets the replica take over. The
        former primary becomes the new replica. Returns whether the replica had everything."""
        if self.is_down:
            return False
        # A commit that was not acknowledged may become visible when the primary starts again, and must then survive.
        try:
            place = self.primary.query("postgres", "SELECT pg_current_wal_flush_lsn()", timeout=5)
            give_up = time.monotonic() + CATCH_UP
            while self.primary.query(
                    "postgres", f"SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming' "
                    f"AND application_name = 'replica' AND flush_lsn >= '{place}'", timeout=5) != "1":
                if time.monotonic() > give_up:
                    return False
                time.sleep(0.1)
        except (subprocess.TimeoutExpired, subprocess.CalledProcessError):
            return False
        self.primary.quit()
        self.is_whole = False
        self.primary, self.replica = self.replica, self.primary
        self.primary.query("postgres", "SELECT pg_promote()")
        # PgBouncer keeps telling clients what its server said at first: that it accepts writes, or that it does not.
        # So whoever promotes a server must start its PgBouncer again, and stop the other one.
        for pooler in self.poolers:
            pooler.stop()
        self.promotions += 1
        farm.later(min(seconds, 5), lambda: threading.Thread(target=self.copy_until_done, daemon=True).start())
        return True

    def copy_until_done(self):
        """Makes the replica a copy of the primary as soon as that is possible. The primary may be down or cut off."""
        while not self.is_whole and not self.is_over:
            try:
                self.copy()
            except (RuntimeError, subprocess.SubprocessError):
                time.sleep(1)

    def keep_up(self):
        """Starts a PgBouncer again that a fault has ended."""
        for pooler in self.poolers:
            if self.is_whole or pooler.server is self.primary:
                pooler.keep_up()

    @property
    def is_down(self):
        return not self.is_whole or self.primary.is_down or self.replica.is_down

    def owner(self):
        """The row of the ledger's owner as JSON, or None if no server answers."""
        for server in (self.primary, self.replica):
            if server.is_down:
                continue
            try:
                row = server.query(
                    "farm", "SELECT row_to_json(o) FROM ledger_owner o WHERE NOT pg_is_in_recovery()", timeout=3)
            except subprocess.SubprocessError:
                continue
            if row:
                return row
        return None

    def stop(self):
        self.is_over = True
        for pooler in self.poolers:
            pooler.stop()
        for server in self.servers:
            server.stop()
