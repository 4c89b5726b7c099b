"""A coordinator of kind fedspectral, variants exact and fedspectral+, and a party of variant exact,
after proto/PROTOCOL.md.

The C coordinator builds an Arnoldi basis. This one requests products with multiples of unit
vectors, whose sums are columns of the joint matrix: parties accept any orthogonal block. With noise
in sums, blocks are random.
"""
import hmac
import os
import struct

import numpy as np

import coordinator
import kmeans
import secsum
import wire
from wire import Reader, u64

PLUS_ROUNDS = 20
NOISY_ROUNDS, COUNTING, NOISY_COLUMNS = 6, 4, 4


class Party:
    """link: a party.Link. edges: pairs of positions in ids, each once, of weight 1."""

    def __init__(self, what, ids, edges, link):
        self.what, self.link, self.ids, self.edges = what, link, ids, edges

    # ---- nodes ----

    def rows(self):
        """Returns the joint row of each id; sets n."""
        s, link, shown = self.link.s, self.link, self.ids
        if self.what["ids"] == "hashed":
            key = os.urandom(32)
            if s.own == 0:
                for j in s.others():
                    link.send_sealed(j, wire.IDS_KEY, key)
            else:
                sender, key = link.sealed(link.conn.recv([wire.SEALED])[1], wire.IDS_KEY)
                assert sender == 0, "a key of ids that is not of the first party"
            shown = [hmac.digest(key, i, "sha256")[:16] for i in self.ids]
        order = sorted(range(len(shown)), key=lambda i: shown[i])
        packed = [shown[i] if self.what["ids"] == "hashed" else bytes([len(shown[i])]) + shown[i]
                  for i in order]
        link.conn.send(wire.IDS, u64(len(order)) + u64(0) + wire.field(b"".join(packed)))
        body = link.conn.recv([wire.ROWS])[1]
        self.n = Reader(body[4:8]).number(4)
        link.conn.unread.append((wire.ROWS, body))
        row = np.zeros(len(order), int)
        row[order] = wire.labels(lambda: link.conn.recv([wire.ROWS])[1], s.own, self.n, len(order))
        assert len(set(row)) == len(row) and (row < self.n).all(), "a row twice, or of nobody"
        link.heard(wire.ROWS, u64(self.n))
        return row

    def batches(self):
        """Yields a batch for each other party: the number of own nodes, and pseudonyms and rows of
        a sample."""
        for j in self.link.s.others():
            names = secsum.rows_names(self.link.s.pair[j], self.ids)
            chosen = secsum.rows_sample(names, self.link.s.own > j)
            entries = [names[i][:16] + struct.pack("<I", self.row[i]) for i in chosen]
            yield j, struct.pack("<Q", len(names)) + b"".join(entries)

    def compare(self, j, batch):
        names = [name[:16] for name in secsum.rows_names(self.link.s.pair[j], self.ids)]
        count, = struct.unpack_from("<Q", batch)
        assert len(batch) == 8 + 20 * min(count,
                                          secsum.ROWS_SAMPLE), f"a batch of {len(batch)} bytes"
        row, node = dict(zip(names, self.row)), dict(zip(self.row, names))
        for at in range(8, len(batch), 20):
            name, its = batch[at : at + 16], struct.unpack_from("<I", batch, at + 16)[0]
            if its >= self.n or row.get(name, its) != its or node.get(its, name) != name:
                raise secsum.Refused(f"rows differ from those of party {j}")
        return count

    def compare_rows(self):
        link = self.link
        for j, batch in self.batches():
            padded = 4096  # 8 + 144 * 20 bytes fit in it
            link.send_sealed(j, wire.ROWS_OF_SOME,
                             struct.pack("<Q", len(batch)) + batch.ljust(padded - 8, b"\0"))
        counts = [len(self.ids)]
        for j in link.s.others():
            sender, text = link.sealed(link.conn.recv([wire.SEALED])[1], wire.ROWS_OF_SOME)
            length, = struct.unpack_from("<Q", text)
            assert sender == j and len(text) == 4096 and not any(
                text[8 + length :]), "a batch out of its place"
            counts.append(self.compare(j, text[8 : 8 + length]))
        if not max(counts) <= self.n < sum(counts):
            raise secsum.Refused(f"{self.n} rows for nodes {counts}")

    # ---- sums ----

    def own_degrees(self):
        a, b = self.row[self.edges].T
        self.A = np.zeros((self.n, self.n))
        self.A[a, b] = self.A[b, a] = 1
        return self.A.sum(axis=1)

    def joined(self, degree):
        """Normalises the matrix; returns the number of rows of a block."""
        there = np.flatnonzero(degree > 0)
        harmonic = len(there) / np.sum(1 / degree[there])
        s = (degree[there] + self.what.get("tau", 0) * harmonic) ** -0.5
        self.N = s[:, None] * self.A[np.ix_(there, there)] * s
        return len(there)

    def answer(self, V):
        return self.N @ V

    def block(self, m, width):
        V = wire.reals(lambda: self.link.recv(wire.BLOCK), self.link.root, m * width, "<f4")
        self.link.add(self.answer(V.reshape(m, width)).ravel())

    def exact(self):
        link = self.link
        link.group_key()
        link.phase("degrees")
        degree = kmeans.joined(link.sum(kmeans.in_parts(self.own_degrees())))
        m = self.joined(np.array(degree))
        link.phase("lanczos")
        while width := link.choice(5):
            self.block(m, width)

    def run(self):
        link = self.link
        self.row = self.rows()
        self.compare_rows()
        link.word = secsum.WIDE
        self.exact()
        link.phase("result")
        clusters = link.choice(7)
        label = np.zeros(len(self.ids), int)
        told = wire.labels(lambda: link.conn.recv([wire.RESULT])[1], link.root, clusters - 1,
                           len(label))
        label[np.argsort(self.row)] = told
        return label


class Coordinator(coordinator.Following):
    # ---- nodes ----

    def nodes(self):
        if self.what["ids"] == "hashed":
            self.key_of(wire.IDS_KEY)
        self.ids = [self.receive_ids(c) for c in self.party]
        self.number()
        self.n = self.told_n()
        for l, (c, rows) in enumerate(zip(self.party, self.rows)):
            for body in wire.label_bodies(l, self.n, rows):
                c.send(wire.ROWS, body)

    def group_key(self):
        self.nodes()
        self.exchange(wire.ROWS_OF_SOME)
        if self.what["variant"] == "exact" and not self.noise():
            super().group_key()

    def noise(self):
        return self.what.get("noise", {}).get("on") == "sums"

    def receive_ids(self, c):
        ids, count = [], None
        while count is None or len(ids) < count:
            r = Reader(c.recv((wire.IDS,))[1])
            count, at = r.number(8), r.number(8)
            assert at == len(ids), f"{c.peer} sent ids out of order"
            packed = Reader(r.bytes(0, 1 << 20))
            r.end()
            while packed.at < len(packed.body):
                ids.append(packed.take(16 if self.what["ids"] == "hashed" else packed.number(1)))
        return ids

    def number(self):
        """Gives each id a random row."""
        self.all = sorted(set().union(*self.ids))
        row = dict(zip(self.all, np.random.permutation(len(self.all))))
        self.rows = [np.array([row[i] for i in ids], dtype=np.int64) for ids in self.ids]

    def told_n(self):
        return 1 + max(int(rows.max()) for rows in self.rows)

    # ---- sums ----

    def block(self, c, V):
        for body in wire.real_bodies(self.root(), V, "<f4"):
            c.send(wire.BLOCK, body)

    def product(self, V):
        """Sends V to all parties and returns the sum of their products."""
        for c in self.party:
            self.block(c, V)
        return self.untold().reshape(V.shape)

    def untold(self):
        """Returns a sum that is not broadcast."""
        total = self.add([None] * len(self.party), False)
        if not self.said:
            self.told_words()
        self.said = True
        self.sums += 1
        self.progress += 1
        return total.astype("<i8").astype(float) / 2.0**24

    def joint(self, m, width, rounds):
        """Computes as many columns of the joint matrix as the rounds allow."""
        self.N = N = np.zeros((m, m))
        unit = np.eye(m) * np.sqrt(m)
        for at in range(0, min(m, width * rounds), width):
            V = unit[:, at : at + width]
            if V.shape[1] < width and not self.exact:  # a product has `width` columns
                V = np.hstack([V, unit[:, : width - V.shape[1]]])
            else:
                self.widths(V.shape[1])
            N[:, at : at + width] = self.product(V)[:, : m - at] / np.sqrt(m)
            self.done_rounds += 1

    def noisy(self, k):
        """Requests as many products as parties expect. The last ones count the edges of each node
        by cluster."""
        self.phase("degrees")
        degree = self.untold()
        self.phase("power")
        for _ in range(NOISY_ROUNDS):
            V = np.random.normal(size=(self.n, min(NOISY_COLUMNS, k)))
            self.product(V / np.linalg.norm(V, axis=1)[:, None])
        self.phase("kmeans")
        label = np.random.randint(0, k, self.n)
        for _ in range(COUNTING):
            X = np.eye(k)[label]
            expected = np.outer(degree, degree @ X) / degree.sum()
            label = (self.product(X) - expected).argmax(axis=1)
        return label

    def widths(self, width):
        if self.exact:
            self.choose(5, width)

    def rounds(self):
        k, self.found = self.what["clusters"], None
        self.exact, self.done_rounds = self.what["variant"] == "exact", 0
        if self.noise():
            self.found = self.noisy(k)
        elif self.exact:
            self.phase("degrees")
            degree = np.array(kmeans.joined(self.sum(np.zeros(self.n * len(kmeans.PARTS)))))
            self.there = np.flatnonzero(degree > 0)
            m = len(self.there)
            self.phase("lanczos")
            self.joint(m, min(max(20, k + 10), m), 100)
            root = np.sqrt(degree[self.there])
            self.A = self.N * np.outer(root, root)  # the joint graph; its nodes have no ids
            self.widths(0)
        else:
            self.phase("power")
            self.there = np.arange(self.n)
            self.joint(self.n, k, PLUS_ROUNDS)
            for _ in range(self.done_rounds, PLUS_ROUNDS):
                self.product(np.eye(self.n)[:, :k] * np.sqrt(self.n))
        self.results(k)

    def labels(self, k):
        """Returns labels from leading eigenvectors, which suffice for a test that the job ends."""
        if self.found is not None:
            return self.found, k
        label = np.full(self.n, k)
        vectors = np.linalg.eigh((self.N + self.N.T) / 2)[1][:, -k:]
        label[self.there] = np.abs(vectors).argmax(axis=1)
        return label, k + int((label == k).any())

    def results(self, k):
        label, clusters = self.labels(k)
        self.choose(7, clusters)
        for c, rows in zip(self.party, self.rows):
            for body in wire.label_bodies(self.root(), clusters - 1, label[np.sort(rows)]):
                c.send(wire.RESULT, body)
