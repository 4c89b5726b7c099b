#!/usr/bin/env python3
"""Measures what a coordinator of fedgcn reads of single graphs from unmasked prototypes ("kde").
The coordinator is honest or malicious.

    prototypes.py [--still] [--no-rebuild] [--clusters K] [--seeds N] --others FOLDER FOLDER...
    a set of graphs in TU format for each party

The parties are those of tests/interop/fedgcn.py, in memory. The coordinator sees their uploads:
the prototypes, the number of graphs behind each (at least min_cluster), and the mean weights. An
honest coordinator broadcasts the prototypes of a density (kde). A malicious one chooses the
prototypes C. FOLDER of --others has graphs of the same kind that no party has. With --still the
weights change little, which shows what a coordinator would then read. There are four attacks:

    differences   The coordinator puts all graphs into one cluster. Then it cuts off as few as it
                  can, in random directions, near and far. The graphs that it cuts off are missing
                  from a sum that it knows. A graph is read if a difference of two rounds is near
                  its embedding in either round: within a tenth of its distance from the mean.
    drift         The same attack. It first carries the sums of the previous round to the new
                  weights, by a linear map fitted to the other graphs.
    members       The coordinator has a list of all parties' graphs and as many others, and finds
                  the owner of each graph. In each round and cluster the embeddings nearest to a
                  prototype, times 0 or 1, add up to it. The attack solves for these factors. It
                  names the likeliest graphs, as many as a party has. With three equal parties
                  chance names a sixth right.
    rebuild       For the three prototypes of the fewest graphs the coordinator takes as many other
                  graphs, and changes their edges until their mean embedding is the prototype. A
                  graph is read if it equals one of them up to the order of nodes. `alone`: the
                  same from the embedding of a single graph. This attack takes most of the time.
                  --no-rebuild leaves it out and prints 0 of 0.
"""
import argparse
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "interop"))
import numpy as np  # noqa: E402

import fedgcn  # noqa: E402

JOB = {"clusters": 4, "seed": 7, "rounds": 30, "epochs": 1, "batch": 128, "rate": 1e-3,
       "lambda": 10, "min_cluster": 5, "prototypes": "kde", "aggregation": "fedavg"}
FAR, STEPS = 1e6, 1500
DIMENSIONS = 4  # as FEDGCN_DIMENSIONS in C


class Party(fedgcn.Party):
    """A party that receives C from the coordinator and records its uploads."""

    def __init__(self, folder):
        super().__init__(JOB, folder, self)
        W = fedgcn.draw(self.shape, JOB["seed"])
        self.W, self.label, self.x = W, None, np.append(W,
                                                        np.zeros(self.k * fedgcn.Z_LENGTH,
                                                                 np.float32))

    def bind(self, numbers):
        pass

    def sum(self, term):
        self.term = term
        return np.maximum(term, 1)  # of this party alone; play() joins the weights

    def upload(self, numbers):
        k = self.k
        self.proto, self.shown = numbers[: k * fedgcn.Z_LENGTH].reshape(
            k, -1), numbers[k * fedgcn.Z_LENGTH : -1]

    def told(self, count):
        return np.zeros(count)

    def play(self, number, W, C):
        self.W, self.C = W, C.copy()
        self.round(number)
        return self.term[: self.n], self.term[self.n]


def graph(A):
    return (A + np.eye(len(A))).astype(np.float32), fedgcn.features(A)


def embed(W, graphs):
    return fedgcn.Net(fedgcn.shapes(graphs[0][1].shape[1]), W).forward(graphs).astype(float)


# ---- broadcasts of the coordinator ----


def square(u, v):
    return ((u[:, None] - v[None]) ** 2).sum(axis=2)


def shares(x):
    x = np.exp(x - x.max(axis=1, keepdims=True))
    return x / x.sum(axis=1, keepdims=True)


def kde(parties, W, C, rng, number):
    """Returns the prototypes by equations 10 to 14 of protocols/fedgcn/README.md."""
    u = np.concatenate([p.proto[p.shown > 0] for p in parties])
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
        f = np.stack([np.exp(-DIMENSIONS / u.shape[1] / 2 * D / s[r]) @ gamma[:, r]
                      for r in range(len(s))], axis=1)
        with np.errstate(divide="ignore"):
            gamma = shares(np.log(share / share.sum() * f / np.maximum(gamma.sum(axis=0), 1e-9))
                           - DIMENSIONS / 2 * np.log(s))
    return C


def cuts(parties, W, C, rng, number):
    """Returns the mean of the prototypes, and in every other round cuts in random directions."""
    mean = np.mean([p.proto[p.shown > 0].mean(axis=0) for p in parties if (p.shown > 0).any()],
                   axis=0)
    C = np.full(C.shape, FAR)
    C[0] = mean
    for r in range(1, len(C) if number % 2 else 1):
        d = rng.normal(size=fedgcn.Z_LENGTH)
        C[r] = mean + d / np.linalg.norm(d) * np.linalg.norm(mean) * 10 ** rng.uniform(-2, 0.5)
    return C


def scattered(others):
    """Makes a broadcast whose clusters in each round are the embeddings of some of the other
    graphs."""

    def tell(parties, W, C, rng, number):
        return embed(W, [others[i] for i in rng.permutation(len(others))[: len(C)]])

    return tell


def play(parties, tell, seed):
    """Plays all rounds. Returns for each party and round its upload and the embeddings behind it,
    and for each round the mean weights."""
    rng, W = np.random.default_rng(seed), parties[0].W
    C = rng.normal(size=(JOB["clusters"], fedgcn.Z_LENGTH))
    if tell is kde:
        Z = embed(W, parties[0].graphs)
        C = Z[rng.permutation(len(Z))[: len(C)]]
    history, weights = [[] for _ in parties], []
    for number in range(1, JOB["rounds"] + 1):
        got = [p.play(number, W, C) for p in parties]
        W = (sum(g[0] for g in got) / sum(g[1] for g in got)).astype(np.float32)
        weights.append(W)
        for l, p in enumerate(parties):
            history[l].append((p.shown, p.proto, p.Z.copy(), p.label.copy(), p.x[: p.n].copy()))
        C = tell(parties, W, C, rng, number)
    return history, weights


# ---- differences, with and without drift ----


def subsets(shown, proto):
    """Yields for each set of a party's uploaded clusters the number of graphs and their sum."""
    there = np.flatnonzero(shown)[:4]
    for some in range(1, 2 ** len(there)):
        pick = there[[some >> i & 1 == 1 for i in range(len(there))]]
        yield shown[pick].sum(), (shown[pick, None] * proto[pick]).sum(axis=0)


def carry(E, E2):
    """Returns the linear map from embeddings E to embeddings E2 under the new weights."""
    X = np.column_stack([E, np.ones(len(E))])
    M = np.linalg.solve(X.T @ X + 1e-6 * np.trace(X.T @ X) / len(X.T) * np.eye(len(X.T)), X.T @ E2)
    return lambda n, s: s @ M[:-1] + n * M[-1]


def differences(history, weights, others, drift):
    found, E = set(), [embed(W, others) for W in weights] if drift else None
    for l, rounds in enumerate(history):
        for t, (old, new) in enumerate(zip(rounds, rounds[1:])):
            on = carry(E[t], E[t + 1]) if drift else lambda n, s: s
            before = [(n, on(n, s)) for n, s in subsets(*old[:2])]
            for n2, s2 in subsets(*new[:2]):
                for n, s in before:
                    if abs(n - n2) != 1:
                        continue
                    guess = (s - s2) * (n - n2)
                    for Z in (old[2], new[2]):
                        apart = np.linalg.norm(Z - guess,
                                               axis=1) / np.linalg.norm(Z - Z.mean(axis=0), axis=1)
                        found |= {(l, i) for i in np.flatnonzero(apart < 0.1)}
    return len(found)


# ---- members ----


def boxed(A, b):
    """Returns the x in [0, 1] for which A x is nearest to b, by projected gradients with
    momentum."""
    G, g = A.T @ A, A.T @ b
    x = y = np.full(len(g), 0.2)
    step, t = 1 / np.linalg.eigvalsh(G)[-1], 1.0
    for _ in range(3000):
        new, t2 = np.clip(y - step * (G @ y - g), 0, 1), (1 + np.sqrt(1 + 4 * t * t)) / 2
        x, y, t = new, new + (t - 1) / t2 * (new - x), t2
    return x


def likely(rounds, E):
    """Returns how likely each graph of a list belongs to a party. E[t] has the embeddings of the
    list in round t."""
    A, b = [], []
    for Z, (shown, proto, *_) in zip(E, rounds):
        there, wide = np.flatnonzero(shown), Z.std(axis=0) + 1e-9
        near = ((Z[:, None] - proto[None, there]) ** 2).sum(axis=2).argmin(axis=1)
        for i, r in enumerate(there):
            X = np.column_stack([(Z - proto[r]) / wide, np.ones(len(Z))]) * (near == i)[:, None]
            A.append(X.T / np.sqrt(shown[r]))
            b.append(np.append(np.zeros(Z.shape[1]), shown[r]) / np.sqrt(shown[r]))
    return boxed(np.vstack(A), np.concatenate(b))


def members(history, weights, parties, others, own):
    """Returns how many named graphs the party has, how many are named, and the size of the list.
    own: uses each party's own weights, which a coordinator does not have."""
    pool = [g for p in parties for g in p.graphs] + others
    owner = np.repeat(np.arange(len(parties)), [len(p.graphs) for p in parties])
    E, right = [embed(W, pool) for W in weights], 0
    for l, rounds in enumerate(history):
        x = likely(rounds, [embed(r[4], pool) for r in rounds] if own else E)
        named = np.argsort(-x)[: (owner == l).sum()]
        right += (owner[named[named < len(owner)]] == l).sum()
    return right, len(owner), len(pool)


# ---- rebuild ----


def name(A):
    """Returns a value that does not depend on the order of nodes, and seldom agrees for
    different graphs."""
    return len(A), tuple(np.round(np.linalg.eigvalsh(A), 5)), tuple(sorted(A.sum(axis=1)))


def climb(W, goal, start, wide, rng):
    """Changes single edges of graphs to bring their mean embedding near to goal."""
    now, E = [A.copy() for A in start], embed(W, [graph(A) for A in start])
    off = (((E.mean(axis=0) - goal) / wide) ** 2).sum()
    for _ in range(STEPS):
        i = rng.integers(len(now))
        A = now[i].copy()
        u, v = rng.choice(len(A), 2, replace=False)
        A[u, v] = A[v, u] = 1 - A[u, v]
        if rng.random() < 0.5:  # moves the edge, so that the number of edges stays the same
            ends = np.argwhere(np.triu(A) == A[u, v])
            ends = ends[ends[:, 0] < ends[:, 1]]
            if len(ends):
                u, v = ends[rng.integers(len(ends))]
                A[u, v] = A[v, u] = 1 - A[u, v]
        if not A.any(axis=1).all():
            continue
        e = embed(W, [graph(A)])[0]
        new = (((E.mean(axis=0) + (e - E[i]) / len(E) - goal) / wide) ** 2).sum()
        if new < off:
            now[i], E[i], off = A, e, new
    return now


def plain(graphs):
    return [A.astype(float) - np.eye(len(A)) for A, _ in graphs]


def rebuild(history, weights, parties, others, rng):
    """Returns the number of graphs read behind the three smallest prototypes, the number that
    were equal before any change, and the number of graphs."""
    small = sorted((shown[r], l, t, r) for l, rounds in enumerate(history)
                   for t, (shown, *_) in enumerate(rounds) for r in np.flatnonzero(shown))
    right, chance, of = 0, 0, 0
    for count, l, t, r in small[:3]:
        Z, goal = embed(weights[t], others), history[l][t][1][r]
        near = np.argsort(((Z - goal) ** 2).sum(axis=1))[: int(count)]
        start = plain([others[i] for i in near])
        built = climb(weights[t], goal, start, Z.std(axis=0) + 1e-9, rng)
        true = {name(A)
                for A in plain([parties[l].graphs[i]
                                for i in np.flatnonzero(history[l][t][3] == r)])}
        right += sum(name(A) in true for A in built)
        chance += sum(name(A) in true for A in start)
        of += int(count)
    return right, chance, of


def alone(weights, parties, others, rng):
    """Counts the graphs that the attack rebuilds from their own embeddings with known weights. It
    cannot read more than these."""
    right, W = 0, weights[-1]
    Z, few = embed(W, others), parties[0].graphs[:5]
    for g, goal in zip(few, embed(W, few)):
        near = np.argsort(((Z - goal) ** 2).sum(axis=1))[:3]
        right += any(name(climb(W, goal, plain([others[i]]), Z.std(axis=0) + 1e-9, rng)[0])
                     == name(plain([g])[0]) for i in near)
    return right, len(few)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--still", action="store_true")
    parser.add_argument("--no-rebuild", action="store_true")
    parser.add_argument("--clusters", type=int, default=4)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--others", required=True)
    parser.add_argument("folder", nargs="+")
    a = parser.parse_args()
    JOB["clusters"] = a.clusters
    JOB["rate"] = 1e-9 if a.still else JOB["rate"]
    others, rng = [graph(A) for A in fedgcn.read_graphs(a.others)], np.random.default_rng(0)
    for what, tell in (("kde", kde), ("cuts", cuts), ("scattered", scattered(others))):
        got = []
        for seed in range(a.seeds):
            parties = [Party(f) for f in a.folder]
            history, weights = play(parties, tell, seed)
            got.append((differences(history, weights, others, False),
                        differences(history, weights, others, True),
                        members(history, weights, parties, others, True)[0],
                        *members(history, weights, parties, others, False),
                        *((0, 0, 0) if a.no_rebuild
                          else rebuild(history, weights, parties, others, rng)),
                        sum(((h[0] > 0) & (h[0] < 8)).sum() for rounds in history for h in rounds)))
        by, drift, own, right, of, pool, built, by_chance, behind, small = zip(*got)
        print(f"{what}: by differences", *by, "| with drift", *drift, "| members named right",
              *right, "by own weights", *own, f"of {of[0]} of a list of {pool[0]}",
              "| rebuilt", *built, "by chance", *by_chance, "of", *behind,
              "| prototypes of 5 to 7 graphs", *small, flush=True)
    if not a.no_rebuild:
        print("alone: rebuilt {} of {}".format(*alone(weights, parties, others, rng)))


if __name__ == "__main__":
    main()
