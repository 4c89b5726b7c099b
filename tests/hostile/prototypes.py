#!/usr/bin/env python3
"""What a coordinator of fedgcn reads of single graphs from prototypes in clear ("best", "kde"), honest and lying.

    prototypes.py [--still] FOLDER...      a set of graphs in TU format for each party

Parties are those of tests/interop/fedgcn.py, in memory; the coordinator sees what they upload: prototypes, graphs behind
each, none of fewer than min_cluster. Honest, it passes on those of the first party that has them. Lying, it puts all graphs
into one cluster, and then cuts off as few as it can in directions of its own, near and far: what is withheld then
is what has gone from a sum that it knows. A graph is read if a difference of two rounds is its
embedding to a tenth of its distance from the mean, in either round. With --still parties hardly train: what would be read if
weights did not move.
"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "interop"))
import numpy as np  # noqa: E402

import fedgcn  # noqa: E402

JOB = {"clusters": 4, "seed": 7, "rounds": 30, "epochs": 1, "batch": 128, "rate": 1e-3, "lambda": 10, "min_cluster": 5, "unchanged": 0}
FAR = 1e6


class Party(fedgcn.Party):
    """Told C by the coordinator; what it would upload is kept."""

    def __init__(self, folder):
        super().__init__(JOB, folder, self)
        self.W, self.label = fedgcn.draw(self.shape, JOB["seed"]), None

    def bind(self, numbers):
        pass

    def sum(self, term):
        self.term = term
        return np.maximum(term, 1)  # weights are joined below

    def play(self, number, W, C):
        self.W, self.C = W, C.copy()
        self.round(number)
        n, k = len(W), self.k
        self.count = self.term[n + 4 : n + 4 + k]
        self.proto = self.term[n + 4 + k :].reshape(k, -1) / np.maximum(self.count, 1)[:, None]
        return self.term[:n], self.term[n]


def sums(party):
    """What is known of a party's graphs in a round: of each subset of its clusters that is told how many and their sum."""
    S = party.count[:, None] * party.proto
    for some in range(1, 2**party.k):
        pick = [some >> r & 1 == 1 for r in range(party.k)]
        if all(party.count[r] > 0 for r in range(party.k) if pick[r]):
            yield party.count[pick].sum(), S[pick].sum(axis=0)


def read(parties, history):
    """Graphs that a difference of sums of two successive rounds gives away."""
    found = set()
    for l, rounds in enumerate(history):
        for (told, Z), (told2, Z2) in zip(rounds, rounds[1:]):
            for n, s in told:
                for n2, s2 in told2:
                    if abs(n - n2) != 1:
                        continue
                    guess = (s - s2) * (n - n2)
                    for E in (Z, Z2):
                        apart = np.linalg.norm(E - guess, axis=1) / np.linalg.norm(E - E.mean(axis=0), axis=1)
                        found |= {(l, i) for i in np.flatnonzero(apart < 0.1)}
    return len(found)


def aim(parties, rng, number):
    """C of the next round: the mean of what was told, and in every other round cuts in directions of its own."""
    mean = np.mean([p.proto[p.count > 0].mean(axis=0) for p in parties if (p.count > 0).any()], axis=0)
    C = np.full((JOB["clusters"], fedgcn.Z_LENGTH), FAR)
    C[0] = mean
    for r in range(1, JOB["clusters"] if number % 2 else 1):
        d = rng.normal(size=fedgcn.Z_LENGTH)
        C[r] = mean + d / np.linalg.norm(d) * np.linalg.norm(mean) * 10 ** rng.uniform(-2, 0.5)
    return C


def play(folders, lies, seed):
    parties, rng = [Party(f) for f in folders], np.random.default_rng(seed)
    W = parties[0].W
    C = rng.normal(size=(JOB["clusters"], fedgcn.Z_LENGTH)).astype(np.float32).astype(float)
    for p in parties:
        p.Z = fedgcn.Net(p.shape, W).forward(p.graphs).astype(float)
    if not lies:
        C = parties[0].Z[rng.permutation(len(parties[0].Z))[: JOB["clusters"]]].copy()
    history, small = [[] for _ in parties], 0
    for number in range(1, JOB["rounds"] + 1):
        got = [p.play(number, W, C) for p in parties]
        W = (sum(g[0] for g in got) / sum(g[1] for g in got)).astype(np.float32)
        for l, p in enumerate(parties):
            history[l].append((list(sums(p)), p.Z.copy()))
            small += ((p.count > 0) & (p.count < 8)).sum()
        C = aim(parties, rng, number) if lies else np.where(parties[0].count[:, None] > 0, parties[0].proto, C)
    return read(parties, history), small


def main():
    if sys.argv[1] == "--still":
        JOB["rate"] = 1e-9
        del sys.argv[1]
    for lies in (False, True):
        got = [play(sys.argv[1:], lies, seed) for seed in range(3)]
        print("lying" if lies else "honest", "graphs read:", *(g[0] for g in got), "prototypes of 5 to 7 graphs:", *(g[1] for g in got))
    print("graphs:", sum(len(fedgcn.read_graphs(f)) for f in sys.argv[1:]))


if __name__ == "__main__":
    main()
