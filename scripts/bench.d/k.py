#!/usr/bin/python3
"""The k of a range that k-means and the silhouette choose on pooled rows, as one writes it with scikit-learn.

    k.py DIR FROM TO joint|none          DIR: features.npy
    k.py wine|digits OUT                 scikit-learn's set of that name as a directory of ours
    k.py wine+ OUT                       with one more column, of N(50000, 9000)

Prints k by the silhouette (of all pairs of rows), and k by the simplified one. Only to be measured against.
"""
import os
import sys

import numpy as np
from sklearn import datasets
from sklearn.cluster import KMeans
from sklearn.metrics import silhouette_score
from sklearn.preprocessing import StandardScaler

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
