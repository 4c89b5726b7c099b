#!/usr/bin/python3
"""The k that other rules would choose than the one that decides, of runs of a range of clusters.

    k-rules.py RUN...                    RUN: a coordinator's run.json

A line for each run: k by the rule, the largest silhouette of all k whose stability is at least
three quarters of the highest; by the silhouette alone; by the silhouette beyond chance, (s - c) /
(1 - c), c that of as many clusters of random directions in as many dimensions; by the eigengap; by
Calinski and Harabasz's ratio; by stability; by silhouette times stability. Only to be measured
against.
"""
import json
import sys

import numpy as np
from sklearn.cluster import KMeans


def chance(k, rows=1500, times=2):
    """Of directions whose first coordinate is positive, as rows of a spectral embedding have it."""
    rng, found = np.random.default_rng(0), []
    for seed in range(times):
        x = rng.normal(size=(rows, k))
        x[:, 0] = abs(x[:, 0])
        x /= np.linalg.norm(x, axis=1, keepdims=True)
        near = np.sort(KMeans(k, n_init=2, random_state=seed).fit(x).transform(x), axis=1)
        found.append(np.mean(1 - near[:, 0] / near[:, 1]))
    return np.mean(found)


known = {}
print("rule silhouette chance eigengap ratio stability product")
for path in sys.argv[1:]:
    with open(path, encoding="utf-8") as f:
        facts = json.load(f)["facts"]
    s, t = (np.array(facts["selection_" + name]) for name in ("silhouette", "stability"))
    k = int(facts["selection_from"]) + np.arange(len(s))
    for i in map(int, k):
        known.setdefault(i, chance(i))
    c = np.array([known[int(i)] for i in k])
    gap = np.array(facts.get("selection_eigengap", np.full(len(s), np.nan)))
    rules = [np.where(t >= 0.75 * t.max(), s, 0), s, (s - c) / (1 - c), gap,
             np.array(facts["selection_ratio"]), t, s * t]
    print(*("-" if np.isnan(r).any() else k[r.argmax()] for r in rules), path)
