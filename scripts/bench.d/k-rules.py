#!/usr/bin/python3
"""The k that other rules would choose in runs over a range of clusters.

    k-rules.py RUN...                    RUN: a coordinator's run.json

Prints a line for each run with the k of each rule: Coterie's rule, which takes the largest
silhouette of all k whose stability is at least three quarters of the highest; the silhouette alone;
the silhouette above chance, (s - c) / (1 - c), where c is the silhouette of as many clusters of
random directions in as many dimensions; the eigengap; Calinski and Harabasz's ratio; stability;
silhouette times stability. Used only for comparison."""
import json
import sys

import numpy as np
from sklearn.cluster import KMeans


def chance(k, rows=1500, times=2):
    """Returns the silhouette of clusters of random directions whose first coordinate is positive,
    as in rows of a spectral embedding."""
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
