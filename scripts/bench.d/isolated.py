#!/usr/bin/python3
"""FedSpectral and FedSpectral+ as published, in numpy: the effect of nodes without edges at a
party.

    isolated.py DIR [ITERATIONS ROUNDS]...      DIR: edges.tsv, labels.txt; default 1 1, 1 20, 6 20,
                                                10 20
    isolated.py DIR plain                       Algorithms 1 and 2, 20 splits, 5 central starts

Thakkar and Joshi's Algorithms 3 and 4: five parties, each edge with two of them (overlap 40 %), K =
10, v drawn at random, (I - L_p) v at each party, the mean, QR, k-means on the rows of v as they
are. L_p is the normalised Laplacian with zeros in the rows of nodes that have no edge at p, as
NetworkX and SciPy make it, so that I - L_p leaves their rows of v as they are. Two variants are
measured too: these rows set to 0, as in the project, and the same with all rows scaled to length 1.
Each of the three is compared with two spectral clusterings of the pooled graph: one made in the
same way, and one with rows of 0 for nodes without edges and the others of length 1. Prints the
paper's similarity (Algorithm 5) and the adjusted Rand index, as means of three seeds, and the size
of the largest cluster. All nodes count, also nodes without any edge."""
import os
import sys

import numpy as np
import scipy.sparse as sp
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score

PARTIES, COPIES, K, SEEDS = 5, 2, 10, 3


def read(directory):
    i, j = np.loadtxt(os.path.join(directory, "edges.tsv"), dtype=np.int64, usecols=(0, 1)).T
    labels = os.path.join(directory, "labels.txt")
    n = sum(1 for _ in open(labels)) if os.path.exists(labels) else max(i.max(), j.max()) + 1
    keep = i != j
    pairs = np.unique(np.sort(np.stack([i[keep], j[keep]]), axis=0), axis=1)
    return n, pairs


def step(n, pairs, stay):
    """Returns I - L. The diagonal entry of a node without edges is `stay`."""
    a = sp.coo_matrix((np.ones(pairs.shape[1]), pairs), shape=(n, n)).tocsr()
    a = a + a.T
    d = np.asarray(a.sum(axis=1)).ravel()
    r = np.where(d > 0, 1 / np.sqrt(np.maximum(d, 1)), 0)
    return sp.diags(r) @ a @ sp.diags(r) + stay * sp.diags((d == 0).astype(float))


def clusters(v, unit, seed):
    if unit:
        v = v / np.maximum(np.linalg.norm(v, axis=1, keepdims=True), 1e-300)
    return KMeans(K, n_init=5, random_state=seed).fit_predict(v)


def central(n, pairs, stay, unit):
    value, vector = np.linalg.eigh(step(n, pairs, stay).toarray())
    return [clusters(vector[:, -K:], unit, seed) for seed in range(SEEDS)]


def plus(n, pairs, stay, unit, seed, iterations, rounds):
    rng = np.random.default_rng(seed)
    holders = np.array([rng.choice(PARTIES, COPIES, replace=False) for _ in range(pairs.shape[1])])
    steps = [step(n, pairs[:, (holders == p).any(axis=1)], stay) for p in range(PARTIES)]
    v = rng.random((n, K))
    for _ in range(rounds):
        each = []
        for s in steps:
            w = v
            for _ in range(iterations):
                w = s @ w
            each.append(w)
        v = np.linalg.qr(np.mean(each, axis=0))[0]
    return clusters(v, unit, seed)


def plain_labels(n, pairs, free, unit, seed):
    """Clusters all nodes into K clusters. Nodes without edges form one more cluster, or keep their
    rows (I - L), or get rows of 0."""
    at = np.unique(pairs) if free == "together" else np.arange(n)
    vector = np.linalg.eigh(step(n, pairs, float(free == "stay")).toarray()[np.ix_(at, at)])[1]
    label = np.full(n, K)
    label[at] = clusters(vector[:, -K:], unit, seed)
    return label


def plain(n, pairs, free, units, seed):
    """Algorithms 1 and 2: clusters each party's graph, then the similarity graph. For each of
    `units`, returns labels; true: rows of the similarity graph's vectors have length 1."""
    rng = np.random.default_rng(seed)
    holders = np.array([rng.choice(PARTIES, COPIES, replace=False) for _ in range(pairs.shape[1])])
    alike = np.zeros((n, n))
    for p in range(PARTIES):
        label = plain_labels(n, pairs[:, (holders == p).any(axis=1)], free, False, seed)
        alike += (label[:, None] == label[None, :]) / PARTIES
    root = 1 / np.sqrt(alike.sum(axis=1))
    vector = np.linalg.eigh(alike * root[:, None] * root[None, :])[1][:, -K:]
    return [clusters(vector, unit, seed) for unit in units]


def similarity(label, truth):
    together = truth[:, None] == truth[None, :]
    return 1 - (together & (label[:, None] != label[None, :])).mean()


def beside(labels, truths):
    sim = 100 * np.mean([similarity(l, t) for l, t in zip(labels, truths)])
    return f"{sim:.2f}, {np.mean([adjusted_rand_score(t, l) for l, t in zip(labels, truths)]):.3f}"


def main_plain(n, pairs, splits=20, starts=5):
    """Prints mean, deviation, minimum and maximum of the similarity to three kinds of central
    clustering."""
    kinds = {"edge-free together": ("together", False), "the same, unit rows": ("together", True),
             "edge-free stay": ("stay", False)}
    truths = [[plain_labels(n, pairs, *k, seed) for seed in range(starts)] for k in kinds.values()]
    words = "".join(f" central: {word} |" for word in kinds)
    print(f"| edge-free | rows in Algorithm 2 | largest cluster |{words}")
    print("| --- | --- | --- |" + " --- |" * len(kinds))
    for free in "together", "0", "stay":
        both = zip(*[plain(n, pairs, free, (False, True), seed) for seed in range(splits)])
        for rows, labels in zip(("as they are", "of length 1"), both):
            line = [f"{np.mean([np.bincount(label).max() for label in labels]):.0f}"]
            for truth in truths:
                each = [100 * similarity(label, t) for label in labels for t in truth]
                spread = f"{min(each):.2f} to {max(each):.2f}"
                line.append(f"{np.mean(each):.2f} +- {np.std(each):.2f} ({spread})")
            print(f"| {free} | {rows} | {' | '.join(line)} |", flush=True)


def main():
    n, pairs = read(sys.argv[1])
    if sys.argv[2:] == ["plain"]:
        return main_plain(n, pairs)
    asked = [int(x) for x in sys.argv[2:]] or [1, 1, 1, 20, 6, 20, 10, 20]
    print(
        f"{n} nodes, {n - len(np.unique(pairs))} of them without an edge, {pairs.shape[1]} edges\n")
    print("| edge-free rows | rows | iterations x rounds | largest cluster | central the same way "
          "| central, unit rows |")
    print("| --- | --- | --- | --- | --- | --- |")
    best = central(n, pairs, 0.0, True)
    print(
        f"| central: 0 | of length 1 | | {np.mean([np.bincount(t).max() for t in best]):.0f} | | |")
    for word, stay, unit in (("stay", 1.0, False), ("0", 0.0, False), ("0", 0.0, True)):
        same = best if unit else central(n, pairs, stay, unit)
        rows = "of length 1" if unit else "as they are"
        if not unit:
            print(f"| central: {word} | {rows} | | "
                  f"{np.mean([np.bincount(t).max() for t in same]):.0f} | | {beside(same, best)} |")
        for iterations, rounds in zip(asked[::2], asked[1::2]):
            labels = [plus(n, pairs, stay, unit, s, iterations, rounds) for s in range(SEEDS)]
            print(f"| {word} | {rows} | {iterations} x {rounds} | "
                  f"{np.mean([np.bincount(l).max() for l in labels]):.0f} "
                  f"| {beside(labels, same)} | {beside(labels, best)} |", flush=True)


if __name__ == "__main__":
    main()
