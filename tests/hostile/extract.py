#!/usr/bin/env python3
"""Counts the rows, or the edges with their owner, that a coordinator reads, and how many are true.
The coordinator is honest, or malicious with --lie.

    extract.py --config coordinator.json --job job.json --ready-file FILE --truth DIR [--lie LIE]

kmeans, fedsc, --lie from=S: the coordinator is honest up to sum S (a number, or PHASE+N). From
then on it sends counts of at least `min_cluster` for all centres, so that no centre is left out
of the sums. It sends sums that move centres near few rows, because a sum over one row is that
row. It also looks for sums that differ by one row, as `coterie-lab privacy` does.

kmeans, fedsc, --lie prime=P: the coordinator adds P to words of sums and leaves the tags
unchanged. This passes if tags are modulo P. A centre changed in this way goes far from all rows
and is dropped. Each doubling then adds only one landmark. So there are as many doublings as parties
allow, each with sums over other rows.

fedspectral: the coordinator sends blocks of unit vectors and receives columns of the joint
matrix. It knows the owner of an edge if one party alone has rows of both its ends. --lie: the
lies of liar.py about rows. The job's ids are "plain", so that the edges can be compared.

DIR is the parties' data. The last line of stdout is {"read": [...], "wrong": N, "of": N, "after":
N, "said": "...", "pooled": N, "moved": [...]}: true items read, number of false items read, number
of items that exist, number of sums after the first lie, and the message that ended the job, or
"done". fedspectral: number of edges read with or without owner, and ids that --lie few moved.
"""
import argparse
import glob
import json
import os
import sys

import numpy as np

import liar
from coordinator import arguments
import kinds
import kmeans
import secsum
from wire import Broken

NEAR = 1e-4  # largest distance of a row from the true one, in standard deviations


def rows_behind(sets, m):
    """Yields candidates for rows of m columns: sums over one row, and differences of sums that
    may be one row. sets holds for each round the centres, the number of rows nearest to each,
    and the sums of those rows and of their squared distances."""
    Z, n, S = (np.concatenate(part) for part in zip(*sets))
    square = S[:, m] + 2 * (Z * S[:, :m]).sum(axis=1) - n * (Z**2).sum(axis=1)
    yield from S[n == 1, :m]
    for i in range(len(S)):
        other = np.flatnonzero(n == n[i] - 1)
        d = S[i, :m] - S[other, :m]
        good = np.abs((d**2).sum(axis=1) - (square[i] - square[other])) < 1e-4
        yield from d[good & (n[other] > 0)]


def compared(rows, X, near=NEAR):
    """Returns the numbers of the rows of X that are among `rows`, and how many of `rows` are
    false."""
    read, wrong = set(), 0
    for row in rows:
        gap = np.abs(X - row).max(axis=1)
        if gap.min() < near:
            read.add(int(gap.argmin()))
        else:
            wrong += 1
    return sorted(read), wrong


class RowsHalf(kinds.Half):
    """Records the meaning of each sum that is asked for. Also records the number of landmarks
    before a doubling, and the rounds since."""

    before = turn = 0

    def ask(self, kind, term, scale=0.0, also=None):
        self.link.asked = ("counts" if kind == 3 and also is not None else "clusters" if kind == 3
                           else "")
        return super().ask(kind, term, scale, also)

    def sum(self, words):
        self.link.asked = ""
        return super().sum(words)

    def split(self, more, by, rng):
        self.before, self.turn = int((self.count >= self.least).sum()), 0
        super().split(more, by, rng)

    def clusters(self, stays):
        self.turn += 1
        return super().clusters(stays)

    def run(self):
        if self.job["kind"] == "kmeans":
            kmeans.Party.run(self)
        else:
            super().run()


class Rows(liar.Lies, kinds.Fedsc):
    def __init__(self, *args):
        super().__init__(*args)
        self.sets, self.lies, self.begun = [], 0, False

    def rounds(self):
        self.random, self.asked, self.true = np.random.default_rng(1), "", None
        self.half = RowsHalf(self.what, self.columns, self)
        self.half.run()

    def is_due(self):
        self.begun = self.begun or (self.lie == "from" and super().is_due())
        return self.begun

    def forged(self, total):
        due = self.is_due()
        got, half, told = secsum.decode(total[:-2], *secsum.WIDE), self.half, None
        if self.asked == "counts":
            self.true = got
            if due:
                told = np.maximum(got, half.least)
        elif self.asked == "clusters":
            stays = half.count >= half.least
            got, count = got.reshape(-1, half.X.shape[1] + 1), self.true[stays]
            if half.X.shape[1] == self.columns:  # not rows of an embedding
                self.sets.append((half.Z[stays].copy(), count, got))
            if due:
                told = self.elsewhere(half.count[stays], count, got).ravel()
            elif self.lie == "prime":
                return self.dropped(total, len(got), half)
        words = total[:-2] if told is None else secsum.encode(told, len(self.party), *secsum.WIDE)
        self.lies += not np.array_equal(words, total[:-2])
        return np.concatenate([words, total[-2:]])

    def dropped(self, total, alive, half):
        """Returns a sum that moves the smallest centres far away, one round before the end of a
        doubling. One centre more than before the doubling is left."""
        more = alive - half.before - 1 if half.turn == 3 else 0
        if more <= 0:
            return total
        told, width, count = total.copy(), (len(total)
                                            - 2) // alive, half.count[half.count >= half.least]
        told[width * np.argsort(count, kind="stable")[:more]] += np.uint64(self.args[0])
        self.lies += 1
        return told

    def elsewhere(self, said, count, got):
        """Returns sums that move centres near rows, with the spread of these rows."""
        m, some = got.shape[1] - 1, np.flatnonzero(count > 1)
        near = self.random.choice(some,
                                  len(count)) if len(some) else np.zeros(len(count), dtype=int)
        mean = got[near, :m] / np.maximum(count[near], 1)[:, None]
        wide = np.sqrt(np.maximum(got[near, m], 1e-9) / (np.maximum(count[near], 1) * m))
        place = mean + self.random.normal(size=mean.shape) * wide[:, None]
        return said[:, None] * np.column_stack([place, m * wide**2])

    def after(self):
        return max(self.lies - 1, 0)

    def read(self, truth):
        X = [np.load(f).astype(float) for f in sorted(glob.glob(truth + "/party-*/features.npy"))]
        X = np.concatenate(X)
        if self.sets:
            X = (X - self.half.mean) / self.half.scale
        read, wrong = compared(rows_behind(self.sets, self.columns) if self.sets else (), X)
        return read, wrong, len(X)


class Edges(liar.Lies, kinds.Fedspectral):
    N = np.zeros((0, 0))

    def after(self):
        return self.sums

    def read(self, truth):
        names = [f.split("/")[-2] for f in sorted(glob.glob(truth + "/party-*/edges.tsv"))]
        self.pooled = set()
        own = [{tuple(sorted(e.split()[:2])) for e in open(f"{truth}/{name}/edges.tsv")}
               for name in names]
        read, wrong, name, has = set(), 0, {}, {}
        for l, (ids, rows) in enumerate(zip(self.ids, self.rows)):
            for i, row in zip(ids, rows):
                name[int(row)] = i.decode()
                has.setdefault(int(row), set()).add(l)
        for a, b in zip(*np.nonzero(np.abs(self.N) > 1e-4)):
            a, b = int(self.there[a]), int(self.there[b])
            edge, owners = tuple(sorted((name[a], name[b]))), has[a] & has[b]
            if a == b:
                continue
            self.pooled.add(edge)
            if len(owners) == 1 and edge in own[min(owners)]:
                read.add((*edge, min(owners)))
            else:
                wrong += len(owners) == 1
        return sorted(read), wrong, sum(map(len, own))


def main():
    parser = argparse.ArgumentParser(description="a coordinator that reads what it can")
    parser.add_argument("--lie", default="honest")
    parser.add_argument("--truth", required=True)
    a, config, job = arguments(parser)
    base = Edges if job["kind"] == "fedspectral" else Rows
    c = base(a.lie, config, job, a.ready_file)
    said = "done"
    try:
        c.run()
    except Broken as e:
        said = str(e)
    read, wrong, of = c.read(a.truth)
    moved = [c.ids[-1][i].decode() for i in getattr(c, "moved", ())]
    print(json.dumps({"read": read, "wrong": wrong, "of": of, "after": c.after(), "said": said,
                      "pooled": len(getattr(c, "pooled", ())), "moved": moved}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
