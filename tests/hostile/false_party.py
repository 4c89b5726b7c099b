#!/usr/bin/env python3
"""A malicious party that sends false terms, and counts how much of the others' data it reads. The
coordinator is honest.

    false_party.py --config FILE --coordinator HOST:PORT --truth FOLDER... [--honest] [--claim N]

kmeans, fedsc: the party claims N rows in all clusters together. So no sum is left out, and its
own terms move the centres. It places each centre among the rows that it has not read yet, and
subtracts its own terms from each sum. A sum over one unread row is that row. With fedsc it leaves
when the landmarks are found. With noise in the sums (kmeans) it adds no noise, and leaves when it
has received the sums that it needs.

kcagc and kmeans.columns, method "basic": the party sends large numbers for distances, and so
chooses the cluster of each node. In every other iteration one cluster has only node a and another
only node b. In the next iteration it compares, for all nodes at once, the difference of the
others' squared distances to a and b with a bound, and halves the interval. One b and several a
give all distances between them. Methods "flat" and "tree" of three parties: the same attack on
cells. It draws its local clusters at random, so that most cells have one node, and takes a and b
from these.

fedgcn, two clusters: the party claims N graphs in both, and so moves the plane between the first
two prototypes. If one graph of the others lies between two places of the plane, the difference of
the sums below them is the embedding of that graph.

kcagc, method "landmark": false_sets.py; fedspectral: false_edges.py; fedwalk: false_walks.py.

--honest: the party sends true terms. It reads rows and graphs from sums over one item
and from pairs of sums that differ by one item.

FOLDER has the others' data. The last line of stdout is {"read": N, "wrong": N, "of": N, "ended":
"..."}: true items read, false items read, and items that exist. Items are rows, graphs, edges or
ties of the others, or distances of two nodes over the others' features. Further keys:
"differences": right differences of distances; "alone": nodes with a cell of their own; "chance":
the same count for guesses, which are the party's own rows or random pairs of nodes.
"""
import argparse
import glob
import json
import math
import sys

import numpy as np

import extract
import false_edges
import false_sets
import false_walks
import fedgcn
import fedsc
import kcagc
import kmeans
import party
from party import wire


class Over(Exception):
    """The party has read all that it can."""


class Sums:
    """Records the others' part of each sum over clusters."""

    def __init__(self, *args):
        super().__init__(*args)
        self.sets, self.blobs = [], []
        self.random = np.random.default_rng(1)
        self.rows = np.zeros((0, self.X.shape[1]))

    def own_counts(self):
        D = kmeans.distances(self.X, self.Z)
        self.label, self.near = D.argmin(axis=1), D.min(axis=1)
        return np.bincount(self.label, minlength=len(self.Z)).astype(float)

    def own_sums(self):
        return kmeans.sums_by(self.label, len(self.Z), np.column_stack([self.X, self.near]))

    def counting(self):
        own = self.own_counts()
        self.count = self.ask(3, own, also=self.Z.ravel())
        self.theirs = np.rint(self.count - own)

    def clusters(self, stays):
        own = self.own_sums()[stays]
        got = self.ask(3, own.ravel()).reshape(own.shape)
        self.sets.append((self.Z[stays].copy(), self.theirs[stays], got - own))
        return got

    def found(self):
        return extract.rows_behind(self.sets, self.X.shape[1])


class Steering(Sums):
    def ask_parts(self, kind, term, also=None):
        """Repeats its rows until there are `claim` rows."""
        times = max(self.claim // len(self.X), 1)
        self.claimed = times * len(self.X)
        return super().ask_parts(kind, [t * times for t in term], also)

    def own_counts(self):
        """Chooses counts that add up to all claimed rows, because parties check that. As many
        counts as possible reach min_cluster."""
        super().own_counts()
        k = min(len(self.Z), max(self.claimed // self.least, 1))
        own = np.zeros(len(self.Z))
        own[:k] = self.claimed // k + (np.arange(k) < self.claimed % k)
        return own

    def own_sums(self):
        """Chooses sums that move the centres. It assumes that the others' rows of a cluster are
        at its centre."""
        m = self.X.shape[1]
        sums = self.count[:, None] * self.places() - self.theirs[:, None] * self.Z
        return np.column_stack([sums, np.full(len(self.Z), 0.01 * self.claim * m)])

    def places(self):
        """Returns the next centres: places among rows that are not read yet."""
        if not self.blobs:
            return self.X[self.random.choice(len(self.X), len(self.Z))]
        count, mean, wide = (np.array(x) for x in zip(*self.blobs))
        near = self.random.choice(len(count), len(self.Z), p=count / count.sum())
        return mean[near] + self.random.normal(size=mean[near].shape) * wide[near, None]

    def clusters(self, stays):
        got = super().clusters(stays)
        self.peel()
        return got

    def peel(self):
        """Subtracts the rows that it has read from the others' sums, until no sum of one row is
        left."""
        m, new = self.X.shape[1], True
        while new:
            new, self.blobs = False, []
            for Z, count, S in self.sets:
                left, rest = count.copy(), S.copy()
                if len(self.rows):
                    D = kmeans.distances(self.rows, Z)
                    at = D.argmin(axis=1)
                    left -= np.bincount(at, minlength=len(Z))
                    rest -= kmeans.sums_by(at, len(Z), np.column_stack([self.rows, D.min(axis=1)]))
                row = rest[left == 1, :m]
                true = np.abs(((row - Z[left == 1]) ** 2).sum(axis=1) - rest[left == 1, m]) < 1e-3
                there = kmeans.distances(row, Z).argmin(axis=1) == np.flatnonzero(left == 1)
                row = row[true & there]
                if len(row):
                    self.rows, new = np.vstack([self.rows, row]), True
            for i in np.flatnonzero(left > 1):
                mean = rest[i, :m] / left[i]
                spread = rest[i, m] / left[i] - ((mean - Z[i]) ** 2).sum()
                self.blobs.append((left[i], mean, np.sqrt(max(spread, 1e-9) / m)))

    def found(self):
        yield from self.rows


class Noisy(Sums, kmeans.Party):
    """Attacks a job with noise in the sums. It adds no noise itself (protocols/fedsc/private.c)."""

    scale, mean = 1.0, 0.0

    def share(self, sigma, grown=0.0):
        """Returns the standard deviation of a party's noise, rounded up to whole steps."""
        own = sigma / math.sqrt(self.parties - self.job["noise"]["colluders"])
        step = max(2.0 ** (math.floor(math.log2(own)) - 16), 2.0**-24)
        return step * math.ceil(math.ceil(own / step) * (1 + step * grown))

    def run(self):
        job, noise, m = self.job, self.job["noise"], self.X.shape[1]
        self.parties, self.scale = len(self.link.s.names), noise["clip"]
        rounds = job["iterations"] - job["iterations"] * 2 // 7
        s = fedsc.analytic(noise["eps"], noise["delta"]) * math.sqrt(job["iterations"])
        self.deviation = self.share(math.sqrt(8) * s) * math.sqrt(self.parties)
        self.link.phase("totals")
        self.n = self.ask(13, [float(self.claim)])[0]
        self.ask(14, [])
        self.X /= noise["clip"]
        most = min(self.n / (5 * self.deviation), 4 * job["clusters"])
        self.most = max(int(most), job["clusters"])
        self.rng, self.Z, radius = kmeans.Random(job["seed"], 0x707276), np.zeros((1, m)), 1.0
        self.link.phase("landmarks")
        for _ in range(rounds):
            self.noisy_round(radius)
            radius *= 0.7
            more = self.count > 2 * self.deviation
            assert more.all(), "a centre that it claims rows for is dropped"
            self.split_widest()
        raise Over

    def noisy_round(self, radius):
        k, m = self.Z.shape
        own = np.full(k, float(self.claim // k))
        places = 1.2 * self.X[self.random.choice(len(self.X), k)]  # few rows are near these places
        term = np.column_stack([(places - self.Z) * own[:, None], 0.01 * own])
        got = self.ask(15, np.append(own, term.ravel()), also=self.Z.ravel())
        self.count, sums = got[:k], got[k:].reshape(k, m + 1)
        self.sets.append((self.Z.copy(), self.count - own, (sums - term)[:, :m]))
        self.width = np.maximum(0, sums[:, m] * radius / math.sqrt(0.5))
        self.Z = self.Z + sums[:, :m] / self.count[:, None]
        for z in self.Z:
            square = kmeans.in_order(z * z)
            if square > 1:
                z /= math.sqrt(square)

    def split_widest(self):
        old, m = self.Z.shape
        more, share, added = min(4 * old, self.most), np.ones(old), []
        for _ in range(old, more):
            share[np.argmax(self.width / share)] += 1
        for j in range(old):
            e, z = 0.7 * math.sqrt(self.width[j] / max(self.count[j], 1)), self.Z[j].copy()
            for s in range(1, int(share[j]) + 1) if share[j] > 1 else ():
                u = np.array([self.rng.normal() for _ in range(m)])
                to = z + (e * u / math.sqrt(kmeans.in_order(u * u))).astype(np.float32)
                if s < share[j]:
                    added.append(to)
                else:
                    self.Z[j] = to
        self.Z = np.vstack([self.Z, *added])

    def found(self):
        """Yields the others' row in each cluster whose noisy count is near 1."""
        for Z, count, S in self.sets:
            yield from (Z + S)[np.abs(count - 1) < max(0.5, self.deviation)]


class Bisecting:
    """Attacks a job with at least three clusters."""

    def __init__(self, job, X, link):
        self.link, self.nodes = link, len(X)
        # WIDE is larger than all differences of two squared distances.
        self.WIDE = 8.0 if job["kind"] == "kcagc" else 16.0
        # In round 0 a node joins a cluster only if its distance is at most 1/9 of each other one.
        self.FAR = 10 * self.WIDE
        # Claims rows so large that terms of size FAR are within the agreed bound.
        link.agree(job, np.full((len(X), 1), np.sqrt(self.FAR)))
        self.cell = np.arange(len(X)) if job["method"] == "basic" else self.cells(job)
        size = np.bincount(self.cell)
        self.alone = size == 1
        self.place = np.argsort(size, kind="stable")  # puts cells of one node first
        self.shape = kcagc.Shape(job, len(size))

    def cells(self, job):
        """Sends its random clusters and returns the cell of each node."""
        k, link = kcagc.count(job["local_clusters"], job), self.link
        own = np.random.default_rng(1).permutation(self.nodes) % k
        for body in wire.label_bodies(link.s.own, k, own):
            link.conn.send(wire.LOCAL_CLUSTERS, body)
        body = link.recv(wire.CELLS)
        return wire.labels(lambda: body, link.root, wire.Reader(body[4:8]).number(4), self.nodes)

    def choose(self, r):
        """Puts item b into the second cluster, and an item a, chosen by r, into the first. All
        other items go to the third cluster."""
        item = np.arange(self.shape.n)
        wanted = np.where(item == self.place[1 + r % (self.shape.n - 1)], 0,
                          np.where(item == self.place[0], 1, 2))
        term = np.full((self.shape.n, self.shape.K), self.FAR)
        term[item, wanted] = 0
        return term + self.dropped(r)

    def compare(self, r):
        """Lets each node choose the nearer of a and b, after adding the middle of the interval
        to b's distance."""
        term = np.full((self.shape.n, self.shape.K), 4 * self.WIDE)
        term[:, 0], term[:, 1] = self.WIDE, self.WIDE + self.middle[r]
        return term + self.dropped(r)

    def dropped(self, r):
        """Returns a number to add to a start's distances: large if the start must be dropped, or
        0."""
        return (r >= self.shape.keep) * 4 * self.WIDE

    def run(self):
        s, link, n = self.shape, self.link, self.shape.n
        link.phase("joint")
        link.recv_labels(wire.STARTS, s.K, s.R * n)
        self.middle, self.step, moving = np.zeros((s.R, n)), self.WIDE, np.arange(s.R)
        for turn, t in enumerate(s.rounds()):
            link.add(np.ravel([self.compare(r) if turn % 2 else self.choose(r) for r in moving]))
            told = link.recv_labels(wire.ASSIGNMENT, s.K, len(moving) * n, none=t == 0)
            told = told.reshape(len(moving), n)
            if turn % 2:
                self.step /= 2
                self.middle[moving] += np.where(told == 0, -self.step, self.step)
            if t and t == s.screen:
                kept = link.recv_labels(wire.KEPT, 1, s.R)
                moving = moving[kept[moving] == 1]
        self.moved = moving
        link.recv_labels(wire.CLUSTERS, s.K, n, none=False)
        return link.recv_labels(wire.RESULT, s.K, self.nodes, none=False)

    def read(self, Z):
        """Counts how many of the distances and differences of distances that it computed are right.
        Z: the others' rows, joined by columns. Only cells of one node count."""
        D = kmeans.distances(Z, Z)
        near = 0.02 * np.median(D)
        node = np.array([np.flatnonzero(self.cell == c)[0] for c in np.flatnonzero(self.alone)])
        D, got = D[np.ix_(node, node)], self.middle[self.moved][:, self.alone]
        at = np.cumsum(self.alone) - 1  # index of an item among the items of one node
        b, a = at[self.place[0]], at[self.place[self.moved + 1]]
        assert self.alone[self.place[self.moved + 1]].all(), "too few cells of one node"
        differences = int((np.abs(got - (D[a] - D[b])) < near).sum())
        there = np.append(b, a)
        to_b = np.append(0, got[:, b])  # at b itself the difference is the distance from b to a
        between = np.array([got[:, i] + to_b[j] for j, i in enumerate(there)])
        good = np.abs(between - D[np.ix_(there, a)]) < near
        good = good[np.triu_indices(len(there), 0, len(got))]
        return {"read": int(np.sum(good)), "wrong": int(len(good) - np.sum(good)),
                "of": len(Z) * (len(Z) - 1) // 2,
                "differences": differences, "differences_of": got.size, "alone": len(node)}


class Graphs(fedgcn.Party):
    """Records the others' part of each sum while the first prototypes are found."""

    cuts = ()

    def ask(self, question, term):
        got = super().ask(question, term)
        self.theirs = got - term
        return got

    def step(self, have):
        super().step(have)
        theirs = self.theirs.reshape(self.k, -1)[:have]
        self.cuts += tuple((0, round(row[0]), row[1:-1]) for row in theirs)

    def found(self):
        for a in self.cuts:
            yield from (b[2] - a[2] for b in self.cuts if b[1] - a[1] == 1)


class Cutting(Graphs):
    """Attacks a job of two prototypes."""

    claim = 1_000_000

    def ask(self, question, term):
        """Claims large counts, which are asked first, because later sums must not exceed them."""
        return super().ask(question, [term[0] + 2 * self.claim] if len(term) == 1 else term)

    def step(self, have):
        if not hasattr(self, "axis"):
            self.axis = np.linalg.svd(self.Z - self.Z.mean(axis=0), full_matrices=False)[2][0]
            self.cuts, self.next = [], float(np.median(self.Z @ self.axis))
        off = np.array([-1.0, 1.0])[:have, None] * np.std(self.Z @ self.axis) * self.axis
        own = np.zeros((self.k, 2 + fedgcn.Z_LENGTH))
        own[:have, 1:-1] = self.next * self.axis + off
        own[:have, [0, -1]] = 1
        own *= self.claim
        C = self.C[:have].astype(np.float32).astype(float)
        got = self.ask(np.append([have], self.C.ravel()), own.ravel()).reshape(self.k, -1)
        self.count[:have], self.spread[:have] = got[:have, 0], got[:have, -1]
        self.C[:have] = got[:have, 1:-1] / got[:have, :1]
        if have == 2 and hasattr(self, "steered"):
            self.learn(C, got - own)
        self.steered = have == 2

    def learn(self, C, theirs):
        """Records the number of graphs below the plane between the centres, and the sum of their
        embeddings."""
        at = float(C.mean(axis=0) @ self.axis)
        low = 0 if C[0] @ self.axis < C[1] @ self.axis else 1
        self.cuts.append((at, round(theirs[low, 0]), theirs[low, 1:-1]))
        self.cuts.sort(key=lambda cut: cut[0])
        pairs = zip(self.cuts, self.cuts[1:])
        gaps = [(b[1] - a[1], (a[0] + b[0]) / 2) for a, b in pairs if b[1] - a[1] > 1]
        step = np.std(self.Z @ self.axis) / 8
        self.next = min(gaps)[1] if gaps else self.cuts[-1][0] + step

    def found(self):
        """Yields the embedding of each graph that lies alone between two planes."""
        for a, b in zip(self.cuts, self.cuts[1:]):
            if b[1] - a[1] == 1:
                yield b[2] - a[2]


def landmarks_alone(base):
    class Half(base):
        """Attacks fedsc until the landmarks are found."""

        def ask(self, kind, term, scale=0.0, also=None):
            """Sends 1.0 in place of the mean distance between its rows, from which the width of the
            kernel follows; variant anchor has no kernel."""
            scaling = kind == 2 and self.job["variant"] != "anchor"
            return super().ask(kind, [1.0] if scaling else term, scale, also)

        def run(self):
            job, k = self.job, self.job["clusters"]
            self.totals()
            anchors = min(600, int(self.n / (3 if self.n < 30 * k else 5)))
            most = anchors if job["variant"] == "anchor" else min(250, int(self.n / 5))
            self.link.phase("landmarks")
            self.landmarks(max(most, k))
            raise Over

    return Half


def told(found, truth, near=extract.NEAR):
    read, wrong = extract.compared(found, truth, near)
    return {"read": len(read), "wrong": wrong, "of": len(truth)}


def of_nodes(a, what, link, X, edges):
    half = Bisecting(what, X, link)
    party.leave(link, half.run(), a.labels)
    others = [party.read_features(glob.glob(f + "/features.*")[0]) for f in a.truth]
    if what["kind"] == "kcagc":  # kmeans.columns uses columns of 0 and 1 unchanged
        others = [kcagc.embed(what, X, edges) for X in others]
    return {**half.read(np.hstack(others)), "ended": "done"}


def of_sets(a, what, link, X):
    half = false_sets.False_(what, X, link)
    party.leave(link, half.run(), a.labels)
    others = [party.read_features(glob.glob(f + "/features.*")[0]) for f in a.truth]
    return {**half.read(others, a.truth[0]), "ended": "done"}


def of_graphs(a, what, link, folder):
    half = (Graphs if a.honest else Cutting)(what, folder, link)
    party.leave(link, half.run(), a.labels)
    others = [fedgcn.Party(what, folder, None) for folder in a.truth]
    Z = [fedgcn.Net(o.shape, fedgcn.draw(o.shape, what["seed"])).forward(o.graphs) for o in others]
    Z = np.vstack(Z).astype(float)
    return {**told(half.found(), Z, 1e-3 * Z.std()), "ended": "done"}


def edges_of(folder):
    with open(folder + "/edges.tsv", encoding="utf-8") as f:
        return {tuple(sorted(line.split()[:2])) for line in f}


def of_edges(a, what, link, ids, edges):
    half = (false_edges.Honest if a.honest else false_edges.False_)(what, ids, edges, link)
    party.leave(link, half.run(), a.labels)
    truth, found = set().union(*map(edges_of, a.truth)), half.found()
    nodes = len(set().union(*truth))
    return {**pairs_of(found, truth),
            "chance": round(2 * len(found) * len(truth) / (nodes * (nodes - 1)))}


def pairs_of(found, truth):
    return {"read": len(found & truth), "wrong": len(found - truth), "of": len(truth),
            "ended": "done"}


def of_ties(a, what, link, data):
    with open(data["vertices"], "rb") as f:
        ids = f.read().split()
    with open(data["edges"], "rb") as f:
        ties = {(x, y) for line in f for x, y in (line.split()[:2], line.split()[1::-1])
                if x in ids}
    half = (false_walks.Honest if a.honest
            else false_walks.False_)(what, ids, ties, [b"n%d" % i for i in range(999)], link)
    party.leave(link, half.run(), a.labels)
    theirs = set().union(*({i.decode() for i in open(f + "/ids.txt", "rb").read().split()}
                           for f in a.truth))
    truth = {t for t in set().union(*map(edges_of, a.truth)) if theirs.issuperset(t)}
    return pairs_of(half.found(), truth)


def of_rows(a, what, link, X):
    noisy = what.get("noise", {}).get("on") == "sums"
    base = Noisy if noisy else type("Half", (Sums if a.honest else Steering, kmeans.Party), {})
    base.claim = a.claim
    base = landmarks_alone(base) if what["kind"] == "fedsc" else base
    half, ended = base(what, X, link), "done"
    try:
        party.leave(link, half.run(), a.labels)
    except Over:
        link.conn.close()
        ended = "left"
    except (wire.Broken, AssertionError) as e:
        ended = str(e)
    truth = np.concatenate([np.load(folder + "/features.npy").astype(float) for folder in a.truth])
    truth = (truth - half.mean) / half.scale if half.sets else truth
    rows = list(half.found()) if half.sets else []
    near = 0.1 * truth.std() if noisy else extract.NEAR
    said = {**told(rows, truth, near), "ended": ended}
    if noisy:
        said["chance"] = told(half.X[: len(rows)], truth, near)["read"]
    return said


def main():
    p = party.arguments(argparse.ArgumentParser())
    p.add_argument("--truth", nargs="+", required=True)
    p.add_argument("--honest", action="store_true")
    p.add_argument("--claim", type=int, default=3_000_000)
    a = p.parse_args()
    config = party.read_config(a.config)
    what, link = party.join(config, a.coordinator)
    data = config["data"]
    if what.get("method") == "landmark":
        said = of_sets(a, what, link, party.read_nodes(data)[0])
    elif what["kind"] in ("kcagc", "kmeans.columns"):
        said = of_nodes(a, what, link, *party.begin_nodes(what, data, link))
    elif what["kind"] == "fedwalk":
        said = of_ties(a, what, link, data)
    elif what["kind"] == "fedspectral":
        said = of_edges(a, what, link, *party.read_graph(data))
    elif what["kind"] == "fedgcn":
        link.group_key()
        said = of_graphs(a, what, link, data["graphs"])
    else:
        said = of_rows(a, what, link, party.begin_rows(what, data, link))
    print(json.dumps(said))
    return 0


if __name__ == "__main__":
    sys.exit(main())
