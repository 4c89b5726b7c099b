#!/usr/bin/env python3
"""What a coordinator of fedgcn reads of single graphs from prototypes in clear ("best", "kde"), honest and lying.

    prototypes.py [--still] FOLDER...      a set of graphs in TU format for each party

Parties are those of tests/interop/fedgcn.py, in memory; the coordinator sees what they upload: prototypes, graphs behind
each, none of fewer than min_cluster. Honest, it passes on those of the first party that has them (best), or those of a density
(kde). Lying, it puts all graphs into one cluster, and then cuts off as few as it can in directions of its own, near and far: what
is withheld then is what has gone from a sum that it knows. Two attacks: a graph is read if a difference of two rounds is its
embedding to a tenth of its distance from the mean, in either round; and of graphs that the coordinator has in hand, it says whose
they are: of the third part right is chance, with three parties of as many graphs. With --still parties hardly train: what
would be read if weights did not move.
"""
import itertools
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "interop"))
import numpy as np  # noqa: E402

import fedgcn  # noqa: E402

JOB = {"clusters": 4, "seed": 7, "rounds": 30, "epochs": 1, "batch": 128, "rate": 1e-3, "lambda": 10, "min_cluster": 5, "unchanged": 0}
FAR = 1e6
DIMENSIONS = 4  # FEDGCN_DIMENSIONS


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


def single(rounds):
    """Each pair of rounds of which the sums are a graph apart, and what lies between: that graph, if nothing had moved."""
    for (told, *_, at), (told2, *_, at2) in itertools.combinations(rounds, 2):
        for (n, s), (n2, s2) in itertools.product(told, told2):
            if abs(n - n2) == 1:
                yield at, at2, (s - s2) * (n - n2)


def read(history):
    """Graphs that a difference of sums of two rounds, one after the other or not, gives away to a tenth."""
    found = set()
    for l, rounds in enumerate(history):
        for at, at2, guess in single(rounds):
            for _, E, _, _ in (rounds[at], rounds[at2]):
                apart = np.linalg.norm(E - guess, axis=1) / np.linalg.norm(E - E.mean(axis=0), axis=1)
                found |= {(l, i) for i in np.flatnonzero(apart < 0.1)}
    return len(found)


def told_apart(parties, history):
    """Who has which graphs in hand, and does not know whose they are: how often a party's difference is nearest to one of its own.

    The coordinator knows the joint weights of each round, by which it embeds the graphs of all parties; it takes the closest
    hundred differences of each party.
    """
    every = [g for p in parties for g in p.graphs]
    owner = np.repeat(np.arange(len(parties)), [len(p.graphs) for p in parties])
    right = tries = 0
    at_round = [fedgcn.Net(parties[0].shape, W).forward(every).astype(float) for _, _, W, _ in history[0]]
    for l, rounds in enumerate(history):
        best = []
        for at, _, guess in single(rounds):
            E = at_round[at]
            apart = np.linalg.norm(E - guess, axis=1) / np.linalg.norm(E - E.mean(axis=0), axis=1)
            best.append((apart.min(), owner[apart.argmin()]))
        for _, whose in sorted(best)[:100]:
            right, tries = right + (whose == l), tries + 1
    return right, tries


def aim(parties, rng, number):
    """C of the next round: the mean of what was told, and in every other round cuts in directions of its own."""
    mean = np.mean([p.proto[p.count > 0].mean(axis=0) for p in parties if (p.count > 0).any()], axis=0)
    C = np.full((JOB["clusters"], fedgcn.Z_LENGTH), FAR)
    C[0] = mean
    for r in range(1, JOB["clusters"] if number % 2 else 1):
        d = rng.normal(size=fedgcn.Z_LENGTH)
        C[r] = mean + d / np.linalg.norm(d) * np.linalg.norm(mean) * 10 ** rng.uniform(-2, 0.5)
    return C


def square(u, v):
    return ((u[:, None] - v[None]) ** 2).sum(axis=2)


def shares(x):
    x = np.exp(x - x.max(axis=1, keepdims=True))
    return x / x.sum(axis=1, keepdims=True)


def kde(parties, C):
    """Equations 10 to 14, as fedgcn_kde() of common/fedgcn/prototypes.c reads them."""
    u = np.concatenate([p.proto[p.count > 0] for p in parties])
    D, near, C = square(u, u), square(u, C), C.copy()
    gamma = shares(-near * DIMENSIONS / 2 / max(near.min(axis=1).mean(), 1e-300))
    for _ in range(30):
        weight = np.exp(gamma) * gamma
        mass, share = weight.sum(axis=0), weight.sum(axis=0) / np.exp(gamma).sum(axis=0)
        mu = np.where(mass[:, None] > 1e-9, weight.T @ u / np.maximum(mass, 1e-9)[:, None], C)
        moved, C = ((mu - C) ** 2).sum(axis=1).max(), mu
        if moved <= 1e-12:
            break
        s = (weight * square(u, C)).sum(axis=0) / np.maximum(mass, 1e-9) / u.shape[1]
        s = np.maximum(s, max(0.05 * np.sort(s)[len(s) // 2], 1e-12))
        f = np.stack([np.exp(-DIMENSIONS / u.shape[1] / 2 * D / s[r]) @ gamma[:, r] for r in range(len(s))], axis=1)
        with np.errstate(divide="ignore"):
            gamma = shares(np.log(share / share.sum() * f / np.maximum(gamma.sum(axis=0), 1e-9)) - DIMENSIONS / 2 * np.log(s))
    return C


def best(parties, C):
    return np.where(parties[0].count[:, None] > 0, parties[0].proto, C)


def play(folders, way, seed):
    parties, rng = [Party(f) for f in folders], np.random.default_rng(seed)
    W = parties[0].W
    C = rng.normal(size=(JOB["clusters"], fedgcn.Z_LENGTH)).astype(np.float32).astype(float)
    for p in parties:
        p.Z = fedgcn.Net(p.shape, W).forward(p.graphs).astype(float)
    if way != aim:
        C = parties[0].Z[rng.permutation(len(parties[0].Z))[: JOB["clusters"]]].copy()
    history, small = [[] for _ in parties], 0
    for number in range(1, JOB["rounds"] + 1):
        got = [p.play(number, W, C) for p in parties]
        W = (sum(g[0] for g in got) / sum(g[1] for g in got)).astype(np.float32)
        for l, p in enumerate(parties):
            history[l].append((list(sums(p)), p.Z.copy(), W, number - 1))
            small += ((p.count > 0) & (p.count < 8)).sum()
        C = aim(parties, rng, number) if way == aim else way(parties, C)
    return read(history), small, told_apart(parties, history)


def main():
    if sys.argv[1] == "--still":
        JOB["rate"] = 1e-9
        del sys.argv[1]
    for way, name in ((best, "best"), (kde, "kde"), (aim, "lying")):
        got = [play(sys.argv[1:], way, seed) for seed in range(3)]
        right, tries = (sum(g[2][i] for g in got) for i in range(2))
        print(name, "graphs read:", *(g[0] for g in got), "prototypes of 5 to 7 graphs:", *(g[1] for g in got), "owners right:", right, "of", tries)
    print("graphs:", sum(len(fedgcn.read_graphs(f)) for f in sys.argv[1:]))


if __name__ == "__main__":
    main()
