#!/usr/bin/env python3
"""Of how many pairs of nodes a coordinator of kcagc, method basic or flat, learns the joint distance.

    geometry.py --config coordinator.json --job job.json --ready-file FILE --truth DIR [--lie cells]

From one sum: the distances of all items to as many single ones as there are first centres. They fix where all items
lie but for a rotation; known is what is right within 2 % of the median. An item of one node is that node. cells: every node is a cell of its own, which
with flat is a lie. The last line of stdout is {"known": N, "of": N, "items": N}. DIR: the parties' data.
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
import party  # noqa: E402
import wire  # noqa: E402


class Reads(coordinator.Coordinator):
    lie, first = None, None

    def sum(self, count):
        got = super().sum(count)
        self.first = got if self.first is None else self.first
        return got

    def tell_labels(self, kind, values, label):
        if kind == wire.STARTS:
            self.starts = label.copy()  # it goes on to be changed
        if kind == wire.RESULT:
            label = np.asarray(label)[self.cell]
        super().tell_labels(kind, values, label)

    def cells(self):
        """Nodes that are together at every party; or each alone."""
        if self.what["method"] == "basic":
            return np.arange(self.rows)
        k = kcagc.count(self.what["local_clusters"], self.what)
        own = [wire.labels(lambda c=c: c.recv((wire.LOCAL_CLUSTERS,))[1], l, k, self.rows) for l, c in enumerate(self.party)]
        cell = np.unique(np.stack(own), axis=1, return_inverse=True)[1].ravel()
        cell = np.arange(self.rows) if self.lie == "cells" else cell
        super().tell_labels(wire.CELLS, int(cell.max()) + 1, cell)
        return cell

    def joint(self):
        self.cell = self.cells()
        self.items = int(self.cell.max()) + 1
        kcagc.Coordinator({**self.what, "method": "basic"}, self.items, self).run()

    def distances(self):
        """Between items, squared, by the distances of all to the single ones that were first centres (Nystroem)."""
        R, K = len(self.starts), self.what["clusters"]
        D = self.first.reshape(R, self.items, K)
        at = {int(np.flatnonzero(row == c)[0]): (r, c) for r, row in enumerate(self.starts) for c in range(K)}
        marks = sorted(at)
        D = np.stack([D[at[i][0], :, at[i][1]] for i in marks], axis=1)
        among = D[marks]
        centre = lambda M: M - among.mean(axis=0)  # noqa: E731
        G = -0.5 * (among - among.mean(axis=0) - among.mean(axis=1)[:, None] + among.mean())
        value, V = np.linalg.eigh(G)
        big = slice(-len(self.party) * kcagc.count(self.what["projection"]["dims"], self.what), None)
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
        near = np.abs(self.distances()[np.ix_(self.cell, self.cell)] - true) < 0.02 * np.median(true)
        good = np.triu(near & np.outer(alone, alone), 1)
        return int(good.sum()), len(true) * (len(true) - 1) // 2


def main():
    parser = argparse.ArgumentParser(description="a coordinator that maps what it can")
    parser.add_argument("--lie", choices=["cells"])
    parser.add_argument("--truth", required=True)
    a, config, job = coordinator.arguments(parser)
    c = Reads(config, job, a.ready_file)
    c.lie = a.lie
    said = "done"
    try:
        c.run()
    except wire.Broken as e:
        said = str(e)
        for p in c.party:
            p.close()
    known, of = c.known(a.truth) if c.first is not None else (0, c.rows * (c.rows - 1) // 2)
    print(json.dumps({"known": known, "of": of, "items": c.items if c.first is not None else 0, "said": said}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
