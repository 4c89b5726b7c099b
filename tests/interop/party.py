#!/usr/bin/env python3
"""A party of kinds kmeans, fedgcn, fedspectral (variant "exact") or kcagc (method "basic").

    party.py --config FILE --coordinator HOST:PORT --labels FILE [--lie tag|mask|believe]

--lie believe accepts sums without checking their tags, for tests/hostile/extract.py.
"""
import argparse
import json
import os
import socket
import threading
import time

import numpy as np
from cryptography.hazmat.primitives.serialization import load_pem_private_key

import fedgcn
import fedspectral
import kcagc
import kmeans
import secsum
import wire
from wire import Reader, field, u16, u32, u64


class AnyJob:
    """Stands for the job until the offer has arrived."""

    def __eq__(self, other):
        return True


def dial(address, identity):
    host, port = address.rsplit(":", 1)
    sock = socket.create_connection((host, int(port)), 10)
    sock.settimeout(None)
    conn = wire.Connection(wire.context(identity, False).wrap_socket(sock))
    conn.progress = 0

    def beats():
        while conn.open:
            conn.beat(conn.progress)
            time.sleep(0.25)

    conn.link(wire.HELLO, u16(wire.VERSION) + u16(wire.VERSION) + field(b"python") + wire.OPTION)
    kind, body = conn.read_frame()
    assert kind == wire.WELCOME, f"{conn.peer} answered HELLO with message {kind}: {body!r}"
    threading.Thread(target=beats, daemon=True).start()
    conn.job = AnyJob()
    while kind != wire.OFFER:
        kind, body = conn.read_frame()
    conn.link(wire.ACK, u32(1))
    r = Reader(body)
    offer = r.take(16), r.number(4), r.bytes(1,
                                             65536), r.bytes(1, 64), [
                                                 r.bytes(1, 64) for _ in range(r.number(4))]
    offer += ([(r.number(4), r.bytes(1, 64)) for _ in range(r.number(4))],)
    r.options()
    conn.begin(offer[0])
    return conn, offer


class Link:
    """The link of kmeans.Party, kcagc.Party, fedgcn.Party and fedspectral.Party."""

    def __init__(self, conn, session, lie):
        self.conn, self.s, self.lie, self.sums, self.said, self.due = (
            conn, session, lie, 0, True, None)
        # word: format of sums that only the coordinator sees
        self.root, self.word = len(session.names), None
        self.begin_group()

    def begin_group(self):
        self.transcript = secsum.sha256(secsum.text(b"coterie group v1"), u32(self.root))

    def send_sealed(self, to, what, plain):
        self.conn.send(wire.SEALED,
                       u16(what) + u32(self.s.own) + u32(to) + field(self.s.seal(to, what, plain)))

    def sealed(self, body, what):
        r = Reader(body)
        got, sender, to, box = r.number(2), r.number(4), r.number(4), r.bytes(16, 1 << 20)
        r.end()
        assert (got, to) == (what, self.s.own), f"SEALED {got} to {to}"
        return sender, self.s.unseal(sender, what, box)

    def group_key(self):
        self.key = os.urandom(32)
        if self.s.own == 0:
            for j in self.s.others():
                self.send_sealed(j, secsum.GROUP_KEY, self.key)
        else:
            sender, self.key = self.sealed(self.conn.recv([wire.SEALED])[1], secsum.GROUP_KEY)
            assert sender == 0, "a group key that is not of the first party"

    def compare_columns(self, columns):
        """Compares names of columns with each other party. columns: list of columns.json, or
        None."""
        own = secsum.columns_word(self.key, columns) if columns else bytes(32)
        for j in self.s.others():
            self.send_sealed(j, secsum.COLUMNS, own)
        for j in self.s.others():
            sender, word = self.sealed(self.conn.recv([wire.SEALED])[1], secsum.COLUMNS)
            assert sender == j and (word == own
                                    or bytes(32) in (word, own)), f"party {j} has other columns"

    def phase(self, _):
        self.said = False

    def bind(self, numbers):
        data = np.asarray(numbers, dtype="<f8").tobytes()
        self.transcript = secsum.sha256(self.transcript, secsum.text(b"coterie bind v1"),
                                        u64(len(data)), data)

    def say(self):
        self.said = True
        words, self.due = self.s.told(range(len(self.s.names)), self.transcript)
        if words:
            self.conn.send(wire.TOLD, field(words))

    def recv(self, kind):
        if self.due:
            assert self.conn.recv([wire.TOLD])[1] == field(
                self.due), "another party was told other things"
            self.due = None
        body = self.conn.recv([kind])[1]
        if kind not in (wire.SUM, wire.DONE):
            self.heard(kind, body)
        return body

    def heard(self, kind, body):
        self.transcript = secsum.sha256(self.transcript, u32(kind), u64(len(body)), body)

    def recv_labels(self, kind, values, count, none=True):
        label = wire.labels(lambda: self.recv(kind), self.root, values, count)
        assert none or (label < values).all(), f"message {kind} has an item in no cluster"
        return label

    def send_words(self, words, tag=0, tagged=False):
        """Sends masked words with the canary and, if `tagged`, the tag."""
        members = tuple(range(len(self.s.names)))
        number = self.s.open_sum(members)
        words = np.append(words, words.dtype.type(1))
        masked, tag = self.s.mask(members, number + (self.lie == "mask"), self.transcript, words,
                                  tag)
        masked, tag = masked.tobytes(), tag.to_bytes(16, "little") if tagged else b""
        self.lie = self.lie if self.lie == "believe" else None
        for at in range(0, len(masked), wire.CHUNK):
            self.conn.send(wire.MASKED, u32(self.root) + u64(number) + u64(len(words))
                           + u64(at // words.itemsize) + field(masked[at : at + wire.CHUNK])
                           + field(tag if at + wire.CHUNK >= len(masked) else b""))
        self.conn.progress += 1
        if not self.said:
            self.say()

    def upload(self, numbers):
        for body in wire.real_bodies(self.s.own, numbers, "<f8"):
            self.conn.send(wire.PROTOTYPES, body)

    def told(self, count):
        return wire.reals(lambda: self.recv(wire.MATRIX), self.root, count, "<f8")

    def add(self, term):
        """Adds a term to a sum that only the coordinator sees."""
        self.send_words(secsum.encode(term, len(self.s.names), *self.word))

    def choice(self, what):
        r = Reader(self.recv(wire.CHOICE))
        got, value = r.number(2), r.number(8)
        r.end()
        assert got == what, f"CHOICE {got}, expected {what}"
        return value

    def bound(self, square):
        """Returns e such that the squared length of each joint vector is at most 2^e. square: that
        of this party's longest vector."""
        self.phase("bound")
        self.send_words(secsum.encode(secsum.bound_term(square), len(self.s.names), *secsum.WIDE))
        e = self.choice(wire.CHOICE_BOUND) - 200
        assert -160 <= e <= 209 and 2.0**e >= square, f"a bound of 2^{e} on {square}"
        return e

    def agree(self, job, Z):
        """Agrees with the other parties on the words for distances of rows of Z."""
        def ask():
            e = self.bound((Z * Z).sum(axis=1).max())
            self.s.leave_group(range(len(self.s.names)), self.transcript)
            self.begin_group()
            return e

        self.word = kcagc.word(job, len(self.s.names), len(Z), ask)

    def sum(self, term):
        members, n = tuple(range(len(self.s.names))), len(term)
        words = secsum.encode(term, len(members), *secsum.WIDE)
        key = secsum.TagKey(self.key, self.s.hash, self.root, self.sums, n)
        tag = key.make(self.s.own, words)
        self.send_words(words, (tag + (self.lie == "tag")) % secsum.TAG_PRIME, True)
        got, tag = b"", b""
        while len(got) < 8 * n:
            r = Reader(self.recv(wire.SUM))
            head = r.number(4), r.number(8), r.number(8), r.number(8)
            assert head == (self.root, self.sums, n, len(got) // 8), f"SUM {head}"
            got += r.bytes(8, 1 << 20)
            tag = r.bytes(0, 16)
            r.end()
            assert len(tag) == 16 * (len(got) >= 8
                                     * n), f"{len(tag)} bytes of a tag behind {len(got)} of {8 * n}"
        got = np.frombuffer(got, dtype="<u8")
        if self.lie != "believe" and not key.holds(members, got, int.from_bytes(tag, "little")):
            raise secsum.Refused(
                f"{self.conn.peer} sent SUM {self.sums} that is not the sum of the terms and tags")
        self.sums += 1
        return secsum.decode(got, *secsum.WIDE)


def peers(config):
    """Returns {name: fingerprint}, and {name: key} of parties with a shared key (here in
    hexadecimal)."""
    pins, psk = {}, {}
    for name, peer in config["peers"].items():
        pin = peer if isinstance(peer, str) else peer["fingerprint"]
        pins[name.encode()] = bytes.fromhex(pin.split(":", 1)[-1].replace(":", ""))
        if not isinstance(peer, str) and "psk" in peer:
            with open(peer["psk"], encoding="ascii") as f:
                psk[name.encode()] = bytes.fromhex(f.read())
    return pins, psk


def read_config(path):
    """Reads the configuration and changes to its directory, since its paths are relative to
    that."""
    with open(path, encoding="utf-8") as f:
        config = json.load(f)
    os.chdir(os.path.dirname(os.path.abspath(path)))
    return config


def read_features(path):
    if path.endswith(".npy"):
        return np.load(path).astype(np.float64)
    with open(path, encoding="ascii") as f:  # the part of Matrix Market that the tests need
        lines = [line for line in f if not line.startswith("%")]
    n, m, _ = map(int, lines[0].split())
    X = np.zeros((n, m))
    for i, j, value in (line.split() for line in lines[1:]):
        X[int(i) - 1, int(j) - 1] = float(value)
    return X


def read_columns(features):
    path = os.path.join(os.path.dirname(features), "columns.json")
    if not os.path.exists(path):
        return None
    with open(path, encoding="utf-8") as f:
        return json.load(f)["columns"]


def kmeans_rows(X):
    """Returns the description of the rows in ACCEPT."""
    return u64(0) + u32(X.shape[1]) + bytes(64)


def kcagc_nodes(job_id, n, edges):
    """Returns the description of nodes in ACCEPT, without ids and weights."""
    rows = secsum.sha256(job_id, field(b"ids"), b"row", n.to_bytes(8, "little"))
    one = np.ones(len(edges)).view("<u8")
    each = np.column_stack([edges, one]).astype("<u8").tobytes()
    said = n.to_bytes(8, "little"), (2 * len(edges)).to_bytes(8, "little"), each
    return u64(n) + u32(0) + rows + secsum.sha256(job_id, field(b"edges"),
                                                  *(said if len(edges) else ()))


def arguments(parser):
    for name in ("config", "coordinator", "labels"):
        parser.add_argument("--" + name, required=True)
    return parser


def read_graph(data):
    """Returns ids, and edges as pairs of positions in ids, each once."""
    with open(data["ids"], "rb") as f:
        ids = f.read().split()
    at = {name: i for i, name in enumerate(ids)}
    with open(data["edges"], "rb") as f:
        edges = {tuple(sorted(at[name] for name in line.split()[:2])) for line in f if line.strip()}
    return ids, np.array(sorted(edges), dtype=int).reshape(-1, 2)


def read_nodes(data):
    """Returns features, and edges as pairs of rows, each once; no edges if there is no file."""
    edges = np.loadtxt(data["edges"], dtype=int,
                       ndmin=2) if "edges" in data else np.zeros((0, 2), int)
    return read_features(data["features"]), np.unique(np.sort(edges, axis=1), axis=0)


def accept_of(job_id, kind, data):
    """Returns the description of the data in ACCEPT."""
    if kind in ("kcagc", "kmeans.columns"):
        X, edges = read_nodes(data)
        return kcagc_nodes(job_id, len(X), edges)
    return u64(0) + u32(0) + bytes(64) if kind in ("fedgcn", "fedspectral",
                                                   "fedwalk") else kmeans_rows(
                                                       read_features(data["features"]))


def join(config, address, lie=None):
    """Dials, accepts the job, and agrees on keys. Returns the job and the link."""
    conn, (job_id, attempt, job, submitter, names, left) = dial(address, config["identity"])
    what = wire.whole(json.loads(job))
    pins, psk = peers(config)
    began = sorted(names + [name for _, name in left])
    params = secsum.sha256(secsum.text(b"coterie parameters v5"), secsum.sha256(job),
                           field(submitter),
                           u32(len(began)), *map(field, began), u32(len(left)),
                           *[u32(since) + field(name) for since, name in left], conn.fingerprint)
    s = secsum.Session(job_id, attempt, names, names.index(config["name"].encode()), params,
                       what["secure_sum"]["group"], psk=psk)
    with open(config["identity"]["key"], "rb") as f:
        mine = s.advertise(load_pem_private_key(f.read(), None))
    conn.send(wire.ACCEPT, secsum.sha256(job) + accept_of(job_id, what["kind"], config["data"]))
    conn.send(wire.KEY, field(mine.public) + mine.nonce + field(mine.spki) + field(mine.signature)
              + field(mine.markers))
    r = Reader(conn.recv([wire.KEYS])[1])
    adverts = []
    for _ in range(r.number(4)):
        public, nonce = r.bytes(1, 512), r.take(32)
        adverts.append(secsum.Advert(public, nonce, r.bytes(1, 512), r.bytes(1, 512),
                                     r.bytes(0, 2048)))
    assert conn.fingerprint == pins[
        conn.peer.encode()], "another coordinator than the one that is pinned"
    s.agree(adverts, pins)
    return what, Link(conn, s, lie)


def begin_rows(what, data, link):
    """Agrees on the group key, compares names of columns, and returns the rows."""
    link.group_key()
    link.compare_columns(read_columns(data["features"]))
    return read_features(data["features"])


def begin_nodes(what, data, link):
    """Returns features and edges."""
    return read_nodes(data)


def run(what, data, link):
    """Runs the job and returns the labels."""
    if what["kind"] == "kcagc":
        return kcagc.Party(what, *begin_nodes(what, data, link), link).run()
    if what["kind"] == "fedspectral":
        return fedspectral.Party(what, *read_graph(data), link).run()
    if what["kind"] == "fedgcn":
        link.group_key()
        return fedgcn.Party(what, data["graphs"], link).run()
    return kmeans.Party(what, begin_rows(what, data, link), link).run()


def end(link):
    """Sends the last messages of a finished job."""
    link.say()
    link.conn.send(wire.DONE, u32(1) + u64(1) + link.s.job_id * 2)
    link.recv(wire.DONE)


def leave(link, labels, path):
    end(link)
    np.savetxt(path, labels, fmt="%d")
    time.sleep(0.3)
    link.conn.close()


def main():
    p = arguments(argparse.ArgumentParser())
    p.add_argument("--lie", choices=["tag", "mask", "believe"])
    a = p.parse_args()
    config = read_config(a.config)
    what, link = join(config, a.coordinator, a.lie)
    leave(link, run(what, config["data"], link), a.labels)


if __name__ == "__main__":
    main()
