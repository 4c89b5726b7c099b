#!/usr/bin/env python3
"""How many distances over the others' features a party reads by false terms of method "gcc".

    false_blocks.py --dims K FOLDER...

In memory: the eight products and blocks of an honest coordinator (tests/interop/landmark.py), and
none of the rest. Each sum is G V, where G are the inner products of the others' rows, and the
party's own term. The party sends M W; W are unit vectors of nodes. The next block is close to W,
so that products with it are columns of G. It differs from W by the last products over M, in all
rows but W's. Over the wire M fits into words where the party claims long rows, so that G is
small (false_sets.py). FOLDER: the others' features.mtx. The party has the lengths of the others'
rows: the joint ones less its own.
"""
import argparse
import json

import numpy as np

import liar  # noqa: F401  tests/interop is where modules are looked for
import landmark
import party

LARGE = 1e3  # M, in units of the products' largest entry


def told(Y):
    """What an honest coordinator makes of a sum, as it travels."""
    class Rows:
        rows = len(Y)

    return landmark.Coordinator.orthogonal(Rows, Y).astype("<f4").astype(float)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--dims", type=int, required=True)
    p.add_argument("folders", nargs="+")
    a = p.parse_args()
    X = np.hstack([party.read_features(f + "/features.mtx") for f in a.folders])
    G, n = X @ X.T, len(X)
    got = np.full((n, n), np.nan)
    V, before = told(np.random.default_rng(1).normal(size=(n, a.dims))), None
    for u in range(8):
        nodes = np.arange(u * a.dims, (u + 1) * a.dims) % n
        W = np.eye(n)[:, nodes]
        M = LARGE * np.abs(G).sum(axis=1).max()
        now = told(G @ V + M * W)
        products = M * now @ np.linalg.inv(now[nodes])  # of V, in all rows but those of W
        if before is not None:
            columns = products @ np.linalg.inv(V[before])  # V's other rows are small
            others = np.setdiff1d(np.arange(n), nodes)
            got[np.ix_(others, before)] = columns[others]
        V, before = now, nodes
    got = np.where(np.isnan(got), got.T, got)
    length = np.diag(G)
    D, read = length[:, None] + length - 2 * G, length[:, None] + length - 2 * got
    pairs = np.triu_indices(n, 1)
    near = np.abs(read - D)[pairs] < 0.02 * np.median(D[pairs])
    wrong = ~near & ~np.isnan(read[pairs])
    print(json.dumps({"read": int(near.sum()), "wrong": int(wrong.sum()), "of": len(pairs[0])}))


if __name__ == "__main__":
    main()
