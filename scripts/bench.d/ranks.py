"""Costs of the processes of a single party, with its data on ranks or not. For scripts/bench ranks
and memory.

    ranks.py BIN DIR NODES EDGES COLUMNS CLUSTERS ORDER RANKS [METHOD]

Makes data in DIR, unless they exist. Runs one job by METHOD (flat; or kinds fedsc and kmeans, on
rows without edges) with RANKS ranks (0: without ranks), and prints its figures as JSON. In
scripts/netlab (COTERIE_LAB), each rank is on a separate host; coordinator and party are on the
first host."""
import json
import os
import sqlite3
import subprocess
import sys
import time

import numpy as np

binaries, folder = sys.argv[1:3]
nodes, edges, columns, clusters, order, ranks = map(int, sys.argv[3:9])
hosts = [host.split("=") for host in os.environ.get("COTERIE_LAB", "").split()]
method = sys.argv[9] if len(sys.argv) > 9 else "flat"
rows = method in ("fedsc", "kmeans")
os.makedirs(folder, exist_ok=True)


def path(*parts):
    return os.path.join(folder, *parts)


def make():
    """Makes a graph and features. Neighbours have near and far numbers, and most are in the
    node's own cluster. Rows are around the cluster's centre."""
    draw = np.random.default_rng(1)
    label = np.arange(nodes) * clusters // nodes
    centre = 2 * draw.normal(size=(clusters, columns))
    X = np.lib.format.open_memmap(path("features.npy"), mode="w+", dtype="<f8",
                                  shape=(nodes, columns))
    for first in range(0, nodes, 1 << 16):
        part = label[first:first + (1 << 16)]
        X[first:first + (1 << 16)] = centre[part] + draw.normal(size=(len(part), columns))
    del X
    with open(path("edges.tsv"), "w") as out:
        for first in range(0, edges, 1 << 20):
            count = min(1 << 20, edges - first)
            u = draw.integers(0, nodes, count)
            near = np.clip(u + draw.integers(-500, 501, count), 0, nodes - 1)
            v = np.where(draw.random(count) < 0.9, near, draw.integers(0, nodes, count))
            out.write("".join(f"{a}\t{b}\n" for a, b in zip(u.tolist(), v.tolist()) if a != b))


def write(name, what):
    with open(path(name), "w") as out:
        json.dump(what, out)


def configure(out):
    if not os.path.exists(path("pki")):
        subprocess.run([f"{binaries}/coterie", "pki", "lab", "--parties", "1", "--out",
                        path("pki")], check=True,
                       stdout=subprocess.DEVNULL)
    pin = subprocess.run([f"{binaries}/coterie", "pki", "fingerprint", path("pki/coordinator.crt")],
                         check=True,
                         capture_output=True, text=True).stdout.strip()
    common = {"reconnect_s": 10, "rejoin_s": 0, "step_timeout_s": 3600, "threads": 1}
    who = lambda name: {"name": name, "output": f"{out}/{name}", "identity": {
        "certificate": f"pki/{name}.crt", "key": f"pki/{name}.key", "ca": "pki/ca.crt"}}
    write("coordinator.json",
          {**common, **who("coordinator"), "listen": "127.0.0.1:0", "parties": ["party-00"],
           "ready_file": "ready", "join_timeout_s": 3600})
    party = {**common, **who("party-00"), "coordinator": "127.0.0.1:1",
             "peers": {"coordinator": pin}, "retry_s": 3600,
             "data": {"features": "features.npy", **({} if rows else {"edges": "edges.tsv"})},
             "policy": {"allow_single": True, "min_parties": 1,
                        **({"jobs": [method]} if rows else {})}}
    if ranks:
        party["ranks"] = {"n": ranks, **({"hostfile": "hosts"} if hosts else {})}
        # Limit of a rank's memory. The party declines the job if the estimate is larger.
        party["policy"]["max_memory"] = "4G"
    write("party-00.json", party)
    kind = {"kind": method} if rows else {"kind": "kcagc", "method": method,
                                          "filter": {"order": order}}
    write("job.json", {**kind, "clusters": clusters, "seed": 7, "allow_single": True})


def on_hosts():
    """Makes mpirun start ranks on the lab's hosts, and makes ranks use the lab's links instead
    of shared memory."""
    with open(path("hosts"), "w") as out:
        out.writelines(f"{address} slots=1\n" for _, address in hosts)
    with open(path("reach"), "w") as out:
        out.write("#!/bin/bash\ncase $1 in\n")
        for i, (space, address) in enumerate(hosts):
            out.write(f"{address}) exec ip netns exec {space} unshare -u bash -c 'hostname "
                      f"host-{i}; exec bash -c \"$0\"' \"${{*:2}}\" ;;\n")
        out.write("esac\n")
    os.chmod(path("reach"), 0o755)
    own = os.path.abspath(path("reach"))
    os.environ.update(OMPI_MCA_plm_rsh_agent=own, OMPI_MCA_btl="self,tcp",
                      OMPI_MCA_btl_tcp_if_include="lab0",
                      OMPI_MCA_oob_tcp_if_include="lab0")
    return ["ip", "netns", "exec", hosts[0][0], "unshare", "-u", "bash", "-c",
            'hostname host-0; exec "$@"', "-"]


def peak_by_then(hub, party):
    """Returns the party's peak memory until the coordinator had the labels. For kinds whose parties
    have them first, returns the peak until the coordinator ended. After that, one process reads its
    features again for profile.csv, which ranks do not."""
    peak, labels = 0, False
    while hub.poll() is None and not labels:
        with open(path("log")) as log:
            labels = '"phase":"result"' in log.read()
        with open(f"/proc/{party.pid}/status") as file:
            peak = next((int(line.split()[1]) * 1024 for line in file if line.startswith("VmHWM")),
                        peak)
        time.sleep(0.05)
    return peak


def run(out):
    log = open(path("log"), "w")
    there = on_hosts() if hosts else []
    if os.path.exists(path("ready")):
        os.unlink(path("ready"))
    hub = subprocess.Popen([*there, f"{binaries}/coordinator", "--config", path("coordinator.json"),
                            "--job", path("job.json")],
                           stdout=log, stderr=log)
    while not os.path.exists(path("ready")) or not open(path("ready")).read().strip():
        if hub.poll() is not None:
            sys.exit(open(path("log")).read())
        time.sleep(0.05)
    party = subprocess.Popen([*there, f"{binaries}/party", "--config", path("party-00.json"),
                              "--once", "--coordinator",
                              open(path("ready")).read().strip()], stdout=log, stderr=log)
    peak = peak_by_then(hub, party)
    if hub.wait():
        sys.exit(open(path("log")).read()[-2000:])
    with open(f"/proc/{party.pid}/stat") as file:
        ticks = sum(map(int, file.read().rpartition(")")[2].split()[11:13]))
    if not ranks:
        party.kill()
    elif party.wait():
        sys.exit(open(path("log")).read()[-2000:])
    return ticks / os.sysconf("SC_CLK_TCK"), peak


def words(out):
    """Returns digests of all messages sent. A single party adds no masks, so these are digests
    of the words."""
    sent = sqlite3.connect(path(out, "party-00/state/ledger.db")).execute(
        "select hex(sha256) from row where type in ('LOCAL_CLUSTERS', 'MASKED') order by number")
    return [row[0] for row in sent]


if not os.path.exists(path("edges.tsv")):
    make()
out = f"out-{ranks}{'-hosts' if hosts else ''}"
subprocess.run(["rm", "-rf", path(out)], check=True)
configure(out)
cpu_s, peak = run(out)
with open(path(out, "party-00/run.json")) as file:
    # Without ranks, the party was killed, so its run.json is from the beginning of the job.
    record = json.load(file)
facts = record["facts"] if ranks else {}


def of_ranks(name):
    """Returns the value of each rank. For one rank, run.json has only a number."""
    value = facts.get("ranks_" + name, [])
    return value if isinstance(value, list) else [value]


print(json.dumps({
    "party_cpu_s": cpu_s,
    "party_memory": peak,
    "said_memory": record["memory_estimate_bytes"],
    "ranks_cpu_s": of_ranks("cpu_s"),
    "embed_cpu_s": [b - a for a, b in zip(of_ranks("cpu_read_s"), of_ranks("cpu_embedded_s"))],
    "exchange_cpu_s": of_ranks("exchange_cpu_s"),
    "exchange_s": of_ranks("exchange_s"),
    "exchange_bytes": of_ranks("exchange_bytes"),
    "ranks_memory": of_ranks("memory"),
    **{f"ranks_memory_{when}": of_ranks(f"memory_{when}")
       for when in ("begun", "read", "embedded")},
    "words": words(out),
    "labels": subprocess.run(["sha256sum", path(out, "party-00/labels.npy")], capture_output=True,
                             text=True).stdout[:64],
}))
