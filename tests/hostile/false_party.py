#!/usr/bin/env python3
"""How much of the others' data a party reads that tells false terms, with an honest coordinator.

    false_party.py --config FILE --coordinator HOST:PORT --truth FOLDER... [--honest] [--claim N]

kmeans, fedsc: it claims N rows in every cluster, so that none is left out of the sums and its own terms alone say where centres
go: each is placed among the rows that are not read yet. From what all are told it takes its own terms. A sum over one row that it
has not read is that row. With fedsc it leaves when landmarks are found.

--honest: true terms; what is read then is sums of one row and pairs of sums that differ by one.

FOLDER: the others' data, to compare with. The last line of stdout is {"read": N, "wrong": N, "of": N, "ended": "..."}: rows that
are read and true, rows that are read and false, how many there are.
"""
import argparse
import json
import sys

import numpy as np

import extract
import kmeans
import party
from party import wire


class Over(Exception):
    """There is nothing more to read."""


class Sums:
    """Notes what the others' terms come to in each sum over clusters."""

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


class False_(Sums):
    claim = 3_000_000

    def ask_parts(self, kind, term, also=None):
        """Its rows, so many times that there are `claim`."""
        times = max(self.claim // len(self.X), 1)
        self.claimed = times * len(self.X)
        return super().ask_parts(kind, [t * times for t in term], also)

    def own_counts(self):
        """They add up to all that it claims, as is checked."""
        super().own_counts()
        return self.claimed // len(self.Z) + (np.arange(len(self.Z)) < self.claimed % len(self.Z)).astype(float)

    def own_sums(self):
        count, m = self.count[:, None], self.X.shape[1]
        return np.column_stack([count * self.places(), np.full(len(self.Z), 0.01 * self.claim * m)])

    def places(self):
        """Where centres shall go: among rows that are not read yet."""
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
        """Takes rows that are read off all sums that they are in, until no sum of one row is left."""
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
                row = row[true & (kmeans.distances(row, Z).argmin(axis=1) == np.flatnonzero(left == 1))]
                if len(row):
                    self.rows, new = np.vstack([self.rows, row]), True
            for i in np.flatnonzero(left > 1):
                mean = rest[i, :m] / left[i]
                spread = rest[i, m] / left[i] - ((mean - Z[i]) ** 2).sum()
                self.blobs.append((left[i], mean, np.sqrt(max(spread, 1e-9) / m)))

    def found(self):
        yield from self.rows


def landmarks_alone(base):
    class Half(base):
        """Of fedsc: until landmarks are found."""

        def ask(self, kind, term, scale=0.0, also=None):
            """Scaling is a sum, too, where the kernel has a width."""
            scaling = kind == 2 and self.job["variant"] != "anchor"
            return super().ask(kind, [1.0] if scaling else term, scale, also)

        def run(self):
            job, k = self.job, self.job["clusters"]
            self.totals()
            anchors = min(600, int(self.n / (3 if self.n < 30 * k else 5)))
            most = anchors if job["variant"] == "anchor" else min(job["dims_most"], int(self.n / 5))
            self.link.phase("landmarks")
            self.landmarks(max(most, k))
            raise Over

    return Half


def main():
    p = party.arguments(argparse.ArgumentParser())
    p.add_argument("--truth", nargs="+", required=True)
    p.add_argument("--honest", action="store_true")
    p.add_argument("--claim", type=int)
    a = p.parse_args()
    what, link, data, X, edges = party.join(a)
    base = type("Half", (Sums if a.honest else False_, kmeans.Party), {})
    if a.claim:
        base.claim = a.claim
    half, ended = (landmarks_alone(base) if what["kind"] == "fedsc" else base)(what, X, link), "done"
    try:
        party.leave(link, half.run(), a.labels)
    except Over:
        link.conn.close()
        ended = "left"
    except (wire.Broken, AssertionError) as e:
        ended = str(e)
    truth = np.concatenate([np.load(folder + "/features.npy").astype(float) for folder in a.truth])
    truth = (truth - half.mean) / half.scale if half.sets else truth
    read, wrong = extract.compared(half.found() if half.sets else (), truth)
    print(json.dumps({"read": len(read), "wrong": wrong, "of": len(truth), "ended": ended}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
