#!/usr/bin/env python3
"""Counts the distances over the others' features that a party of method "gcc" reads if it sends
false terms.

    false_blocks.py --dims K FOLDER...

Runs in memory, with the eight products and blocks of an honest coordinator
(tests/interop/landmark.py) and nothing else. Each sum is G V plus the party's own term: V is the
block that the coordinator sent, and G holds the inner products of the others' rows. The party
sends the term M W: M is a large number, and W has unit vectors of some nodes. The next block is
then close to W, so products with it are columns of G. In the rows of all other nodes the block
differs from W by the products G V of the round before, divided by M. Over the wire, M fits into
words if the party claims long rows, so that G is small (false_sets.py). FOLDER has the others'
features.mtx. The party knows the lengths of the others' rows: the joint lengths minus its own.
"""
import argparse
import json

import numpy as np

import liar  # noqa: F401  liar sets the path to the modules of tests/interop
import landmark
import party

LARGE = 1e3  # M divided by a bound on the entries of G V


def told(Y):
    """Returns the block that an honest coordinator makes of a sum, rounded as on the wire."""
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
        products = M * now @ np.linalg.inv(now[nodes])  # about G @ V, except in rows `nodes`
        if before is not None:
            columns = products @ np.linalg.inv(V[before])  # of G; V is small in other rows
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
