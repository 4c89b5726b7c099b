#!/usr/bin/python3
"""Centralised AGC in its usual form with SciPy and scikit-learn.

    agc.py DIR CLUSTERS ORDER [SEED]     DIR: features.mtx|npy, edges.tsv, perhaps labels.txt

Filters all features with (I + S)/2, takes the leading left singular vectors, and runs k-means ten
times. Prints seconds=, without imports and reading, and acc= if there are labels. The environment
sets the number of threads. Only for comparison; no other part of the project needs it.
"""
import os
import sys
import time

import numpy as np
import scipy.io
import scipy.sparse as sp
from scipy.sparse.linalg import svds
from sklearn.cluster import KMeans

from matching import accuracy


def read(directory):
    path = os.path.join(directory, "features.")
    if os.path.exists(path + "mtx"):
        x = scipy.io.mmread(path + "mtx")
    else:
        x = np.load(path + "npy")
    x = x.toarray() if sp.issparse(x) else np.asarray(x)
    i, j = np.loadtxt(os.path.join(directory, "edges.tsv"), dtype=np.int64, usecols=(0, 1)).T
    return np.ascontiguousarray(x, dtype=np.float64), i, j


def agc(x, i, j, clusters, order, seed):
    n = len(x)
    a = sp.coo_matrix((np.ones(len(i)), (i, j)), shape=(n, n)).tocsr()
    a = ((a + a.T) > 0).astype(np.float64) + sp.identity(n, format="csr")
    d = sp.diags(np.asarray(a.sum(axis=1)).ravel() ** -0.5)
    step = ((sp.identity(n) + d @ a @ d) / 2).tocsr()
    for _ in range(order):
        x = step @ x
    u, _, _ = svds(x, clusters, return_singular_vectors="u")
    return KMeans(clusters, n_init=10, random_state=seed).fit(u).labels_


directory, clusters, order = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
seed = int(sys.argv[4]) if len(sys.argv) > 4 else 1
x, i, j = read(directory)
start = time.perf_counter()
label = agc(x, i, j, clusters, order, seed)
seconds = time.perf_counter() - start
truth = os.path.join(directory, "labels.txt")
acc = f" acc={accuracy(label, np.loadtxt(truth, dtype=str)):.4f}" if os.path.exists(truth) else ""
print(f"seconds={seconds:.4f}{acc}")
