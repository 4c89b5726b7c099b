#!/usr/bin/env python3
"""Counts the pairs of nodes whose joint distance a coordinator of kcagc learns.

    geometry.py --config coordinator.json --job job.json --ready-file FILE --truth DIR [--lie
    cells|single]

Methods basic, flat, and tree of one level, which is flat: one sum has the distances of all items
to the single items that were first centres. These distances fix the places of all items up to a
rotation. A distance is known if it is right within 2 % of the median. An item with one node
stands for that node. --lie cells: every node is a cell of its own, which with flat is a lie.

Methods landmark and gcc: each answer is K times a block that the coordinator has sent; K are the
joint inner products. B has all blocks, and Y has all answers. Y (B'Y)^+ Y' is K as far as the
answers determine it. --lie single: each set, direction and cluster has a single node, and the next
one has the next node.

The last line of stdout is {"known": N, "of": N, "items": N}. DIR is the parties' data.
"""
import argparse
import glob
import json
import os
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "interop"))
import coordinator  # noqa: E402
import kcagc  # noqa: E402
import landmark  # noqa: E402
import party  # noqa: E402
import wire  # noqa: E402


def weighted(parts):
    """Joins the columns of all parties, and weights them if all are 0 and 1."""
    X = np.hstack(parts)
    if set(np.unique(X)) <= {0, 1}:
        X = X * (np.log((1 + len(X)) / (1 + X.sum(axis=0))) + 1)
    return X


def smoothed(X, folder, order):
    """Filters X by the graph in the folder."""
    edges, S = np.loadtxt(folder + "/edges.tsv", dtype=int)[:, :2], np.eye(len(X))
    S[edges[:, 0], edges[:, 1]] = S[edges[:, 1], edges[:, 0]] = 1
    root = np.sqrt(S.sum(axis=1))
    T = S / np.outer(root, root) + np.eye(len(X))
    T /= T.sum(axis=1)[:, None]
    for _ in range(3 if order == "auto" else order):
        X = T @ X
    return X


class Reads(coordinator.Coordinator):
    lie, first = None, None

    def sum(self, count, word=None):
        got = super().sum(count, word)
        if word is None and self.first is None:  # a sum of distances, not of a bound
            self.first = got
        return got

    def tell_labels(self, kind, values, label):
        if kind == wire.STARTS:
            self.starts = label.copy()  # a copy, because label changes later
        if kind == wire.RESULT:
            label = np.asarray(label)[self.cell]
        super().tell_labels(kind, values, label)

    def cells(self):
        """Returns the cells: nodes that are together at every party. With the lie, each node has
        its own."""
        if self.what["method"] == "basic":
            return np.arange(self.rows)
        k = kcagc.count(self.what["local_clusters"], self.what)
        own = [wire.labels(lambda c=c: c.recv((wire.LOCAL_CLUSTERS,))[1], l, k, self.rows)
               for l, c in enumerate(self.party)]
        cell = np.unique(np.stack(own), axis=1, return_inverse=True)[1].ravel()
        cell = np.arange(self.rows) if self.lie == "cells" else cell
        super().tell_labels(wire.CELLS, int(cell.max()) + 1, cell)
        return cell

    def joint(self):
        self.agree_word()
        self.cell = self.cells()
        self.items = int(self.cell.max()) + 1
        kcagc.Coordinator({**self.what, "method": "basic"}, self.items, self).run()

    def distances(self):
        """Computes squared distances between items from the distances of all to the first
        centres (Nystroem)."""
        R, K = len(self.starts), self.what["clusters"]
        D = self.first.reshape(R, self.items, K)
        at = {int(np.flatnonzero(row == c)[0]): (r, c) for r, row in enumerate(self.starts)
              for c in range(K)}
        marks = sorted(at)
        D = np.stack([D[at[i][0], :, at[i][1]] for i in marks], axis=1)
        among = D[marks]
        centre = lambda M: M - among.mean(axis=0)  # noqa: E731
        G = -0.5 * (among - among.mean(axis=0) - among.mean(axis=1)[:, None] + among.mean())
        value, V = np.linalg.eigh(G)
        big = slice(-len(self.party) * kcagc.count(self.what["projection"]["dims"], self.what),
                    None)
        X = -0.5 * centre(D) @ V[:, big] / np.sqrt(np.maximum(value[big], 1e-9))
        return ((X[:, None] - X[None]) ** 2).sum(axis=2)

    def known(self, truth):
        true = 0
        for where in sorted(glob.glob(truth + "/party-*")):
            X = party.read_features(where + "/features.mtx")
            edges = np.loadtxt(where + "/edges.tsv", dtype=int)[:, :2]
            Z = kcagc.embed(self.what, X, edges)
            true = true + ((Z[:, None] - Z[None]) ** 2).sum(axis=2)
        alone = np.bincount(self.cell)[self.cell] == 1
        near = np.abs(self.distances()[np.ix_(self.cell, self.cell)]
                      - true) < 0.02 * np.median(true)
        good = np.triu(near & np.outer(alone, alone), 1)
        return int(good.sum()), len(true) * (len(true) - 1) // 2


class Products(landmark.Coordinator):
    lie, first, items, next = None, None, 0, 0

    def few(self, most):
        """Returns the next nodes that have not been used."""
        at = np.arange(self.next, min(self.next + most, self.rows))
        self.next += len(at)
        return at

    def alone(self, most):
        label = np.full(self.rows, most - 1)
        at = self.few(most - 1)
        label[at] = np.arange(len(at))
        return label

    def sets(self, own):
        return self.alone(2 * self.k + 10) if self.lie else super().sets(own)

    def clusters(self, Q):
        return self.alone(self.k) if self.lie and self.next < self.rows else super().clusters(Q)

    def block(self, width, Y=None):
        if not self.lie or self.next + width > self.rows:
            return super().block(width, Y)
        return np.eye(self.rows)[:, self.few(width)] * np.sqrt(self.rows)

    def keep(self, B, Y):
        self.first = Y
        return super().keep(B, Y)

    def joint_features(self, truth):
        """Joins all parties' columns, weights them, scales rows to unit length, and filters
        them."""
        parts = sorted(glob.glob(truth + "/party-*"))
        X = weighted([party.read_features(where + "/features.mtx") for where in parts])
        return smoothed(X / np.sqrt((X**2).sum(axis=1))[:, None], parts[0],
                        self.what["filter"]["order"])

    def known(self, truth):
        X, B, Y = self.joint_features(truth), np.hstack(self.B), np.hstack(self.Y)
        assert np.abs(X @ (X.T @ B) - Y).max() < 1e-3, "answers are not what they are taken for"
        scale = 1 / np.maximum(np.linalg.norm(B, axis=0), 1e-9)
        B, Y = B * scale, Y * scale
        K = Y @ np.linalg.pinv(B.T @ Y, rcond=1e-5) @ Y.T
        square = lambda G: np.diag(G)[:, None] + np.diag(G) - 2 * G  # noqa: E731
        true = square(X @ X.T)
        good = np.triu(np.abs(square(K) - true) < 0.02 * np.median(true), 1)
        return int(good.sum()), len(X) * (len(X) - 1) // 2


def main():
    parser = argparse.ArgumentParser(description="a coordinator that maps what it can")
    parser.add_argument("--lie", choices=["cells", "single"])
    parser.add_argument("--truth", required=True)
    a, config, job = coordinator.arguments(parser)
    c = (Products if job["method"] in ("landmark", "gcc") else Reads)(config, job, a.ready_file)
    c.lie = a.lie
    said = "done"
    try:
        c.run()
    except wire.Broken as e:
        said = str(e)
        for p in c.party:
            p.close()
    known, of = c.known(a.truth) if c.first is not None else (0, c.rows * (c.rows - 1) // 2)
    print(
        json.dumps({"known": known, "of": of, "items": c.items if c.first is not None else 0,
                    "said": said}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
