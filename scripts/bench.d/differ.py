#!/usr/bin/python3
"""Graphs whose neighbours differ: effect of filters and degrees on pooled features.

    differ.py DIR...     DIR: features.mtx|npy, edges.tsv, labels.txt

Rows are features after idf, scaled to length 1. Each line is for one filter, or for several whose
Gram matrices are added. It has the accuracy of k-means, a mean of three seeds, on the k leading
eigenvectors times roots of eigenvalues: without further scaling, and with rows scaled by their
length to the power .8, as in landmark and gcc. For study only; no other part of the project needs
it."""
import os
import sys
import warnings

import numpy as np
import scipy.io
import scipy.sparse as sp
from sklearn.cluster import KMeans

from matching import accuracy

warnings.filterwarnings("ignore")


def read(directory):
    path = os.path.join(directory, "features.")
    x = scipy.io.mmread(path + "mtx") if os.path.exists(path + "mtx") else np.load(path + "npy")
    x = np.asarray(x.toarray() if sp.issparse(x) else x, dtype=float)
    i, j = np.loadtxt(os.path.join(directory, "edges.tsv"), dtype=np.int64, usecols=(0, 1)).T
    a = sp.coo_matrix((np.ones(len(i)), (i, j)), shape=(len(x), len(x))).tocsr()
    a = ((a + a.T) > 0).astype(float)
    a.setdiag(0)
    a.eliminate_zeros()
    truth = np.unique(np.loadtxt(os.path.join(directory, "labels.txt"), dtype=str),
                      return_inverse=True)[1]
    return x, a, truth


def unit(x):
    return x / np.maximum(np.linalg.norm(x, axis=1, keepdims=True), 1e-12)


def power(step, times, x):
    for _ in range(times):
        x = step @ x
    return x


def clusters(sides, truth, scale):
    k = truth.max() + 1
    value, vector = np.linalg.eigh(sum(x @ x.T for x in sides))
    z = vector[:, ::-1][:, :k] * np.sqrt(np.maximum(value[::-1][:k], 0))
    z /= np.maximum(np.linalg.norm(z, axis=1, keepdims=True), 1e-12) ** scale
    return np.mean([accuracy(KMeans(k, n_init=20, random_state=seed).fit_predict(z), truth)
                    for seed in range(3)])


def ways(x, a):
    n = len(x)
    x = unit(x * (np.log((1 + n) / (1 + (x > 0).sum(axis=0))) + 1))
    loops = a + sp.identity(n)
    root = sp.diags(np.asarray(loops.sum(axis=1)).ravel() ** -0.5)
    t = root @ loops @ root
    low, high = (sp.identity(n) + t) / 2, (sp.identity(n) - t) / 2
    degree = np.log1p(np.asarray(a.sum(axis=1)))
    degree = (degree - degree.mean()) / degree.std()
    yield "features alone", [x]
    for times in (1, 2, 3, 5):
        yield f"T^{times}", [power(t, times, x)]
    yield "(I + T)^9", [power(low, 9, x)]
    for times in (1, 2, 3):
        yield f"high pass, (I - T)^{times}", [power(high, times, x)]
    yield "band pass, (I - T)(I + T)", [high @ (low @ x)]
    yield "features, T and high pass", [x, t @ x, high @ x]
    yield "logarithm of the degree alone", [degree]
    for weight in (0.5, 1, 2):
        yield f"features and {weight:g} x logarithm of the degree", [x, weight * degree]


for directory in sys.argv[1:]:
    features, adjacency, classes = read(directory)
    for name, sides in ways(features, adjacency):
        print(f"{os.path.basename(directory.rstrip('/')):8} {name:45} "
              f"{clusters(sides, classes, 0):.3f} {clusters(sides, classes, 0.8):.3f}", flush=True)
