#!/usr/bin/python3
"""Graphs whose classes are degrees, and graphs whose classes are communities: is there a number
that distinguishes them?

    roles.py OUT [DIR...]     OUT: for planted graphs; DIR: features.mtx|npy or none, edges.tsv,
                              labels.txt

First measures, on planted graphs, which share of the filtered features' variance the column of
degrees should have: accuracy of k-means on the leading singular vectors of both. Then measures
these numbers for planted graphs and each DIR. r: how much closer together the filter moves rows
than it would move the same rows at other nodes (1: features do not agree along edges). lambda: the
second eigenvalue of the regularised adjacency, divided by that of two graphs of the same degrees
(1: no more communities than by chance). Also, how much of the logarithm of degrees is explained by
the clusters of filtered features, and by the classes. For study only; no other part of the project
needs it."""
import os
import subprocess
import sys
import warnings

import numpy as np
import scipy.io
import scipy.sparse as sp
from scipy.sparse.linalg import eigsh, svds
from sklearn.cluster import KMeans

from matching import accuracy

warnings.filterwarnings("ignore")
HERE = os.path.dirname(os.path.abspath(__file__))
SHARES = (0.03, 0.06, 0.125, 0.25, 0.5, 1, 2)
ROLES = ((300, 8, 0.8), (300, 20, 1.0), (1000, 8, 0.6), (1000, 15, 1.0))
COMMUNITIES = ((1000, 8, 10, 0.3), (1000, 8, 18, 0.5), (1000, 5, 10, 0.6))


def graph(n, edges):
    a = sp.coo_matrix((np.ones(len(edges)), edges.T), shape=(n, n)).tocsr()
    a = ((a + a.T) > 0).astype(float)
    a.setdiag(0)
    a.eliminate_zeros()
    return a


def degrees(a):
    return np.asarray(a.sum(axis=1)).ravel()


def joined(rng, wanted):
    """Joins edge ends at random: a graph with about these degrees and no other structure."""
    ends = rng.permutation(np.repeat(np.arange(len(wanted)), wanted))
    edges = ends[: len(ends) // 2 * 2].reshape(-1, 2)
    return graph(len(wanted), edges[edges[:, 0] != edges[:, 1]])


def heavy(rng, n, mean, sigma):
    wanted = np.exp(sigma * rng.standard_normal(n))
    return joined(rng, np.maximum(1, np.rint(wanted * mean / wanted.mean())).astype(int))


def words(rng, classes, times):
    """Returns rows of 100 words. A row has each word with probability .1. Words of the row's own
    class are `times` as likely, and other words less likely. With `times` 1, words do not depend on
    classes."""
    own = rng.random((classes.max() + 1, 100)) > 0.8
    chance = 0.1 * np.where(own, times, 1 if times == 1 else 0.8)
    return sp.csr_matrix((rng.random((len(classes), 100)) < chance[classes]).astype(float))


def by_degree(rng, a, parts):
    d = degrees(a) + 1e-6 * rng.random(a.shape[0])
    return np.searchsorted(np.quantile(d, np.arange(1, parts) / parts), d)


def role(seed, n, mean, sigma):
    rng = np.random.default_rng(seed)
    a = heavy(rng, n, mean, sigma)
    return words(rng, np.zeros(n, int), 1), a, by_degree(rng, a, 4)


def halves(seed, n, mean, sigma, homophilous):
    """Makes four classes: two kinds of features combined with two kinds of degrees."""
    rng = np.random.default_rng(seed)
    a, sort = heavy(rng, n, mean, sigma), rng.integers(0, 2, n)
    if homophilous:
        b = sp.triu(a).tocoo()
        keep = (sort[b.row] == sort[b.col]) | (rng.random(len(b.row)) < 0.25)
        a = graph(n, np.column_stack([b.row[keep], b.col[keep]]))
    return words(rng, sort, 3), a, 2 * sort + by_degree(rng, a, 2)


def sorts_alone(seed, times):
    """Makes classes by features; edges do not depend on them."""
    rng = np.random.default_rng(seed)
    sort = rng.integers(0, 5, 600)
    return words(rng, sort, times), heavy(rng, 600, 10, 0.8), sort


def read(directory):
    truth = np.unique(np.loadtxt(os.path.join(directory, "labels.txt"), dtype=str),
                      return_inverse=True)[1]
    a = graph(len(truth),
              np.loadtxt(os.path.join(directory, "edges.tsv"), dtype=np.int64, usecols=(0, 1)))
    path = os.path.join(directory, "features.")
    if os.path.exists(path + "mtx"):
        return sp.csr_matrix(scipy.io.mmread(path + "mtx"), dtype=float), a, truth
    if os.path.exists(path + "npy"):
        return sp.csr_matrix(np.load(path + "npy").astype(float)), a, truth
    return sp.identity(len(truth), format="csr"), a, truth


def communities(out, seed, n, k, mean, mixing, times):
    subprocess.run([sys.executable, os.path.join(HERE, "lfr.py"), out, str(n), str(k), str(mean),
                    str(mixing), str(seed)], check=True)
    _, a, truth = read(out)
    return words(np.random.default_rng(seed), truth if times > 1 else np.zeros(n, int),
                 times), a, truth


def weighed(x, a):
    """Returns the rows, scaled to length 1 (after idf if all entries are 1), and the filter T:
    S + I, each row divided by its sum, with S the normalised adjacency with loops."""
    n = x.shape[0]
    if (x.data == 1).all():
        x = x @ sp.diags(np.log((1 + n) / (1 + np.asarray((x > 0).sum(axis=0)).ravel())) + 1)
    length = np.sqrt(np.asarray(x.multiply(x).sum(axis=1)).ravel())
    loops = a + sp.identity(n)
    root = sp.diags(degrees(loops) ** -0.5)
    t = root @ loops @ root + sp.identity(n)
    return sp.diags(1
                    / np.where(length > 0, length,
                               1)) @ x, sp.csr_matrix(sp.diags(1 / degrees(t)) @ t)


def apart(x):
    return x.multiply(x).sum() - x.shape[0] * (np.asarray(x.mean(axis=0)) ** 2).sum()


def column(a):
    z = np.log1p(degrees(a))
    return ((z - z.mean()) / z.std())[:, None]


def clusters(x, k):
    x = sp.csr_matrix(x)
    u, s, _ = svds(x, k=min(k, min(x.shape) - 1)) if min(x.shape) > 1 else (x.toarray(), 1, None)
    return KMeans(k, n_init=10, random_state=0).fit_predict(u * s)


def with_shares(x, a, truth):
    """Measures features, filtered features (T^2), features with each share of degrees, and
    degrees alone."""
    x, t = weighed(x, a)
    f, z = t @ (t @ x), column(a)
    sides = [x, f] + [sp.hstack([f, z * np.sqrt(s * apart(f) / len(truth))]) for s in SHARES] + [z]
    return [accuracy(clusters(side, truth.max() + 1), truth) for side in sides]


def second(a):
    d = degrees(a)
    root = sp.diags((d + d.mean()) ** -0.5)
    return np.sort(eigsh(root @ a @ root, k=2, which="LA", return_eigenvectors=False))[0]


def explained(labels, a):
    z = column(a).ravel()
    return sum((labels == c).sum() * z[labels == c].mean() ** 2 for c in np.unique(labels)) / len(z)


def numbers(x, a, truth):
    x, t = weighed(x, a)
    n = len(truth)
    chance = t.multiply(t).sum() - n * (np.asarray(t.mean(axis=0)) ** 2).sum()
    rng = np.random.default_rng(1)
    null = np.mean([second(joined(rng, degrees(a).astype(int))) for _ in range(2)])
    found = clusters(t @ (t @ x), truth.max() + 1)
    return apart(t @ x) * (n - 1) / (apart(x)
                                     * chance), second(a) / null, explained(found, a), explained(
                                         truth, a)


def show_shares(name, graphs):
    each = np.mean([with_shares(*g) for g in graphs], axis=0)
    print(f"{name:30}", *(f"{v:.3f}" for v in each), flush=True)


def show_numbers(name, graphs):
    each = np.array([numbers(*g) for g in graphs])
    print(f"{name:30}",
          *(f"{low:.3f}-{high:.3f}" for low, high in zip(each.min(axis=0), each.max(axis=0))),
          flush=True)


planted = os.path.join(sys.argv[1], "lfr")
print(f"{'':30} features, T^2, shares {SHARES}, alone")
show_shares("classes are degrees", [role(s, *r) for s in (1, 2, 3) for r in ROLES])
for alike, text in ((False, "halves, edges by chance"), (True, "halves, edges within sorts")):
    show_shares(text, [halves(s, *r, alike) for s in (1, 2, 3) for r in ROLES])
print(f"\n{'':30} r, lambda, explained by clusters, by classes")
show_numbers("classes are degrees", [role(s, *r) for s in (1, 2, 3) for r in ROLES])
for times, text in ((1, "communities, no features"), (3, "communities and features")):
    show_numbers(text, [communities(planted, s, *c, times) for s in (1, 2) for c in COMMUNITIES])
show_numbers("features, edges by chance",
             [sorts_alone(s, times) for s in (1, 2) for times in (2, 3, 5)])
for directory in sys.argv[2:]:
    show_numbers(os.path.basename(directory.rstrip("/")), [read(directory)])
