"""Real daemons on this host for tests of the package: keys, parts of data, configurations and
processes.

    with rows(3) as f:                or columns() or ties()
        f.coordinator(job)            one job; or f.serve()
        f.party("party-01")           the other parties
        f.config("party-00")          the configuration of the test's own party
"""
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))

import coterie  # noqa: E402

# Limit in seconds for events that take a moment on an idle host, but longer on a busy one.
PATIENCE_S = 300.0


def tool(*args):
    return subprocess.run([coterie.find(), *map(str, args)], check=True, capture_output=True,
                          text=True).stdout


class Federation:
    def __init__(self, parties, by, jobs, synth):
        self._dir = tempfile.TemporaryDirectory(prefix="coterie-test-")
        self.path = Path(self._dir.name)
        self.names = [f"party-{i:02d}" for i in range(parties)]
        self.running = {}
        tool("synth", *synth, "--seed", 5, "--out", self.path / "pooled")
        tool("split", "--by", by, "--parties", parties, "--seed", 5, "--data", self.path / "pooled",
             "--out", self.path / "data")
        tool("pki", "lab", "--parties", parties, "--out", self.path / "pki")
        self.pins = {n: tool("pki", "fingerprint", self.path / f"pki/{n}.crt").strip()
                     for n in ["coordinator", *self.names]}
        self.address = "127.0.0.1:1"
        self._write("coordinator",
                    {"name": "coordinator", "listen": "127.0.0.1:0",
                     "identity": self._identity("coordinator"),
                     "parties": self.names, "threads": 1, "join_timeout_s": int(PATIENCE_S),
                     "rejoin_s": 0,
                     "output": "out/coordinator"})
        for name in self.names:
            self._configure(name, jobs)

    def _identity(self, name):
        return {"certificate": f"pki/{name}.crt", "key": f"pki/{name}.key", "ca": "pki/ca.crt"}

    def _write(self, name, config):
        (self.path / f"{name}.json").write_text(json.dumps(config))

    def _configure(self, name, jobs):
        place = self.path / "data" / name
        data = {key: f"data/{name}/{next(place.glob(pattern)).name}" for key, pattern in
                (("features", "features.*"), ("edges", "edges.*"), ("ids", "ids.txt"))
                if any(place.glob(pattern))}
        if jobs == ["fedwalk"]:
            data["vertices"] = data.pop("ids")
        self._write(name,
                    {"name": name, "coordinator": self.address, "identity": self._identity(name),
                     "data": data,
                     "peers": {n: pin for n, pin in self.pins.items() if n != name}, "threads": 1,
                     "policy": {"jobs": jobs}, "rejoin_s": 0, "output": f"out/{name}"})

    def edit(self, name, **change):
        config = json.loads(self.config(name).read_text())
        config.update(change)
        self._write(name, config)

    def config(self, name):
        return self.path / f"{name}.json"

    def data(self, name):
        return self.path / "data" / name

    def truth(self):
        return coterie.Data(self.path / "pooled").labels

    def _start(self, name, *args):
        log = open(self.path / f"{name}.stderr", "ab")
        self.running[name] = subprocess.Popen(
            [coterie.find("coordinator" if name == "coordinator" else "party"), *map(str, args)],
                                              stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                              stderr=log)
        log.close()

    def _listens(self, *args):
        ready = self.path / "ready"
        self._start("coordinator", "--config", self.config("coordinator"), "--ready-file", ready,
                    *args)
        wait(lambda: ready.exists() and ready.read_text().strip())
        self.address = ready.read_text().strip()
        for name in self.names:
            self.edit(name, coordinator=self.address)

    def coordinator(self, job):
        (self.path / "job.json").write_text(json.dumps(job))
        self._listens("--job", self.path / "job.json")

    def serve(self, *names):
        """Starts a serving coordinator and these parties, and waits until they are connected."""
        self._listens("--serve")
        for name in names:
            self.party(name)
            self.joined(name)

    def once(self, *names):
        for name in names:
            self.party(name, "--once")

    def people(self, name):
        """Returns the configuration with which user `name` submits from another host. Requires
        serve() with api."""
        place = self.endpoint("coordinator")
        tool("pki", "request", "--name", name, "--role", "user", "--dir", self.path / "pki")
        tool("pki", "sign", "--days", 20, "--ca", self.path / "pki", self.path / f"pki/{name}.csr")
        self._write(name,
                    {"server": f"coordinator@{place}",
                     "identity": {"certificate": f"pki/{name}.crt"}})
        return self.config(name)

    def endpoint(self, name):
        """Returns HOST:PORT of a daemon's api.listen."""
        log = self.path / f"{name}.stderr"
        return wait(lambda: re.findall(r"API endpoint: https://([^ /\"]*)/", log.read_text()))[-1]

    def party(self, name, *args):
        self._start(name, "--config", self.config(name), *args)

    def joined(self, name):
        wait(lambda: f"{name} joined" in (self.path / "coordinator.stderr").read_text())

    def ends(self, name):
        return self.running.pop(name).wait(PATIENCE_S)

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        if exc[0] is not None:
            for log in sorted(self.path.glob("*.stderr")):
                print(f"--- {log.name}", log.read_text()[-2000:], sep="\n")
        for process in self.running.values():
            process.terminate()
        for process in self.running.values():
            process.wait()
        self._dir.cleanup()


def rows(parties, jobs=("kmeans", "fedsc")):
    return Federation(parties, "rows", list(jobs),
                      ["--points", "--nodes", 150, "--features", 6, "--clusters", 3, "--apart", 12])


def columns(parties, jobs=("kcagc",)):
    return Federation(parties, "columns", list(jobs),
                      ["--nodes", 150, "--features", 36, "--clusters", 3, "--signal", 0.8,
                       "--homophily", 0.9])


def ties(parties, by, jobs):
    """Returns a federation on a graph without features, whose edges or vertices are split."""
    return Federation(parties, by, jobs,
                      ["--features", 0, "--nodes", 150, "--clusters", 3, "--degree", 12,
                       "--homophily", 0.9])


def wait(done):
    end = time.monotonic() + PATIENCE_S
    while True:
        answer = done()
        if answer:
            return answer
        if time.monotonic() > end:
            raise AssertionError("did not come about")
        time.sleep(0.02)
