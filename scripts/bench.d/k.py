#!/usr/bin/python3
"""The k of a range that k-means and the silhouette choose on pooled rows, in the usual form with
scikit-learn.

    k.py DIR FROM TO joint|none          DIR: features.npy
    k.py wine|digits OUT                 scikit-learn's set of that name as a directory of ours
    k.py wine+ OUT                       with one more column, of N(50000, 9000)
    k.py customers|simplex|line|weak|region OUT    3000 planted rows with columns of noise

Prints k by the silhouette (of all pairs of rows), and k by the simplified one. Only for comparison.
"""
import os
import sys

import numpy as np
from sklearn import datasets
from sklearn.cluster import KMeans
from sklearn.metrics import silhouette_score
from sklearn.preprocessing import StandardScaler



def planted(name):
    """Returns rows and their segments, the same in each call."""
    rng, n = np.random.default_rng(107), 3000
    k = {"customers": 3, "simplex": 6, "line": 4, "weak": 8, "region": 3}[name]
    label = rng.integers(k, size=n)
    if name in ("customers", "line"):
        # The segments' centres lie on one line: segment s has s in each of three columns.
        x = label[:, None] + rng.normal(0, 0.1 if name == "customers" else 0.15, (n, 3))
        noise = [rng.integers(1, 9, n), rng.uniform(0, 730, n)]  # a region, a date
    elif name == "simplex":
        # The centre of segment s has 1 in column s and 0 in the others, so all distances between
        # centres are equal.
        x = np.eye(k)[label] + rng.normal(0, 0.1, (n, k))
        noise = [rng.uniform(size=n) for _ in range(3)]
    elif name == "weak":
        # The centres are random. The distance of the two nearest centres is five standard
        # deviations of a segment.
        centre = rng.normal(size=(k, 5))
        apart = np.sqrt(((centre[:, None] - centre) ** 2).sum(2))[~np.eye(k, dtype=bool)].min()
        x = 5 / apart * centre[label] + rng.normal(size=(n, 5))
        noise = [rng.uniform(size=n) for _ in range(2)]
    else:
        # The segments differ in three columns. The noise has more: a region with five values
        # becomes five columns of 0 and 1.
        x = np.array([[30, 28, 14], [60, 28, 6],
                      [45, 70, 10]])[label] + rng.normal(size=(n, 3)) * [4, 6, 2]
        noise = [*np.eye(5)[rng.integers(5, size=n)].T, rng.uniform(0, 730, n)]
    return np.column_stack([x, *noise]), label


if len(sys.argv) == 3 and sys.argv[1] in ("customers", "simplex", "line", "weak", "region"):
    x, label = planted(sys.argv[1])
    os.makedirs(sys.argv[2])
    np.save(os.path.join(sys.argv[2], "features.npy"), x)
    np.savetxt(os.path.join(sys.argv[2], "labels.txt"), label, fmt="%d")
    sys.exit()
if len(sys.argv) == 3:
    found = getattr(datasets, "load_" + sys.argv[1].rstrip("+"))()
    x = found.data
    if sys.argv[1].endswith("+"):
        x = np.column_stack([x, np.random.default_rng(5).normal(50000, 9000, len(x))])
    os.makedirs(sys.argv[2])
    np.save(os.path.join(sys.argv[2], "features.npy"), x)
    np.savetxt(os.path.join(sys.argv[2], "labels.txt"), found.target, fmt="%d")
    sys.exit()

x = np.load(os.path.join(sys.argv[1], "features.npy")).astype(np.float64)
if sys.argv[4] == "joint":
    x = StandardScaler().fit_transform(x)
full, simplified = {}, {}
for k in range(int(sys.argv[2]), int(sys.argv[3]) + 1):
    found = KMeans(k, n_init=20, random_state=1).fit(x)
    near = np.sort(found.transform(x), axis=1)
    full[k] = silhouette_score(x, found.labels_)
    simplified[k] = np.mean(1 - near[:, 0] / np.maximum(near[:, 1], 1e-300))
print(max(full, key=full.get), max(simplified, key=simplified.get))
