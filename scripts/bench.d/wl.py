#!/usr/bin/python3
"""Clusters whole graphs by Weisfeiler-Lehman features and k-means, each set separately: a baseline
for FedGCN. Nothing in it is federated.

    wl.py DIR SET...     DIR/SET/SET_A.txt, ..., in TU format

A node's first name is its label, or its degree if the set has no labels. In each of two rounds, a
node's new name is made from its name and those of its neighbours. The features of a graph are the
counts of names in it; the counts of each round are scaled to length 1. k-means with as many
clusters as classes runs on the leading components with nine tenths of the variance, at most ten.
Prints a line for each set, means of five seeds, and one for all sets, weighted by graphs."""
import os
import sys

import numpy as np
from scipy.optimize import linear_sum_assignment
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

ROUNDS = 2


def column(directory, name, what):
    return np.loadtxt(os.path.join(directory, name, f"{name}_{what}.txt"), dtype=float,
                      delimiter=",", ndmin=2)


def read(directory, name):
    edges = column(directory, name, "A").astype(int) - 1
    graph = column(directory, name, "graph_indicator")[:, 0].astype(int) - 1
    truth = np.unique(column(directory, name, "graph_labels")[:, 0], return_inverse=True)[1]
    neighbours = [[] for _ in graph]
    for i, j in edges:
        neighbours[i].append(j)
    if os.path.exists(os.path.join(directory, name, f"{name}_node_labels.txt")):
        start = column(directory, name, "node_labels")[:, 0].astype(int).tolist()
    else:
        start = [len(n) for n in neighbours]
    return graph, truth, neighbours, start


def counts(graph, graphs, names):
    table = np.zeros((graphs, max(names) + 1))
    np.add.at(table, (graph, names), 1)
    return table / np.linalg.norm(table, axis=1, keepdims=True)


def features(graph, graphs, neighbours, names):
    parts = []
    for step in range(ROUNDS + 1):
        known = {}
        names = [known.setdefault(n, len(known)) for n in names]
        parts.append(counts(graph, graphs, names))
        names = [(names[i], tuple(sorted(names[j] for j in n))) for i, n in enumerate(neighbours)]
    x = np.hstack(parts)
    return x - x.mean(axis=0)


def accuracy(label, truth):
    table = np.zeros((label.max() + 1, truth.max() + 1))
    np.add.at(table, (label, truth), 1)
    rows, columns = linear_sum_assignment(-table)
    match = dict(zip(rows, columns))
    named = np.array([match.get(c, -1) for c in label])
    f1 = np.mean(
        [2 * ((named == c) & (truth == c)).sum() / max((named == c).sum() + (truth == c).sum(), 1)
         for c in range(truth.max() + 1)])
    return table[rows, columns].sum() / len(label), f1


def scores(directory, name):
    graph, truth, neighbours, start = read(directory, name)
    u, s, _ = np.linalg.svd(features(graph, len(truth), neighbours, start), full_matrices=False)
    most = min(10, 1 + int(np.searchsorted(np.cumsum(s**2) / (s**2).sum(), 0.9)))
    each = []
    for seed in range(5):
        label = KMeans(truth.max() + 1, n_init=10,
                       random_state=seed).fit_predict(u[:, :most] * s[:most])
        acc, f1 = accuracy(label, truth)
        each.append((acc, normalized_mutual_info_score(truth, label),
                     adjusted_rand_score(truth, label), f1))
    return len(truth), 100 * np.mean(each, axis=0)


def show(name, graphs, score):
    print(f"{name:12} {graphs:5} " + " ".join(f"{x:5.1f}" for x in score), flush=True)


print("set          graphs ACC   NMI   ARI   F1")
every = [(name, *scores(sys.argv[1], name)) for name in sys.argv[2:]]
for row in every:
    show(*row)
show("all", sum(n for _, n, _ in every),
     np.average([s for _, _, s in every], axis=0, weights=[n for _, n, _ in every]))
