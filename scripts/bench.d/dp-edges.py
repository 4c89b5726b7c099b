"""Clusters a graph after each party has added Gaussian noise to every entry of its matrix: EDGES
K EPS DELTA L SEED."""
import math
import sys

import numpy as np
from scipy.optimize import brentq
from scipy.sparse.linalg import eigsh
from scipy.stats import norm
from sklearn.cluster import KMeans

edges, k, eps, delta, L, seed = sys.argv[1], int(sys.argv[2]), *map(float, sys.argv[3:5]), int(
    sys.argv[5]), int(sys.argv[6])
with open(edges, encoding="utf-8") as f:
    pairs = [line.split()[:2] for line in f if line.strip() and not line.startswith("#")]
ids = sorted({i for pair in pairs for i in pair})
at = {i: r for r, i in enumerate(ids)}
A = np.zeros((len(ids), len(ids)))
for i, j in pairs:
    if i != j:
        A[at[i], at[j]] = A[at[j], at[i]] = 1
# An edge is one entry above the diagonal, so the sensitivity is 1. The noise is that of Balle, Wang
# 2018, Theorem 8.
mu = brentq(lambda m: norm.cdf(m / 2 - eps / m) - math.exp(eps + norm.logcdf(-m / 2 - eps / m))
            - delta, 1e-4, 50)
noise = np.triu(np.random.default_rng(seed).normal(size=A.shape) * math.sqrt(L) / mu, 1)
A += noise + noise.T
degree = np.maximum(A.sum(axis=1), max(1, A.sum() / len(A) / 4))
V = eigsh(A / np.sqrt(np.outer(degree, degree)), k=k, which="LA")[1]
V /= np.maximum(np.linalg.norm(V, axis=1, keepdims=True), 1e-12)
print("id,label")
for i, label in zip(ids, KMeans(k, n_init=10, random_state=seed).fit_predict(V)):
    print(f"{i},{label}")
