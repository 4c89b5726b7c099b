#!/usr/bin/python3
"""Choice of the filter's order: which properties of each order are visible in sums over the
parties, and which only in clusters.

    orders.py OUT [DIR=ORDERS...]     OUT: for planted graphs; DIR: features.mtx|npy, edges.tsv,
                                      labels.txt; ORDERS: 1,2,3

First prints for each set the part of S^t X that lies along the roots of degrees. The rest of S^t X
is compared with the rest for features that do not depend on the graph (1: the two are equal). Then
prints for each order, from the k leading directions of T^p X, the spread of the lengths of rows
(deviation over mean), and ACC and modularity of k-means. k-means gets the rows as they are, rows
halfway to one length, and rows of one length, with one step to the nearest joint mean. Last, prints
which order has a modularity that exceeds that of order 1 by the guard's .02. Without DIR, uses
planted graphs (lfr.py) whose communities are the classes of the words, and one graph with other
communities. For study only; no other part of the project needs it."""
import os
import subprocess
import sys
import warnings

import numpy as np
import scipy.sparse as sp
from sklearn.cluster import KMeans

from matching import accuracy
from words import features, words

warnings.filterwarnings("ignore")
HERE = os.path.dirname(os.path.abspath(__file__))
STEPS, WIDE, MARGIN = 6, 5000, 0.02
POWERS = (0, 0.5, 1)


def edges(directory, n):
    i, j = np.loadtxt(os.path.join(directory, "edges.tsv"), dtype=np.int64, usecols=(0, 1)).T
    a = sp.csr_matrix((np.ones((i != j).sum()), (i[i != j], j[i != j])), shape=(n, n))
    return ((a + a.T) > 0).astype(float)


def read(directory):
    x = features(directory)
    truth = np.unique(np.loadtxt(os.path.join(directory, "labels.txt"), dtype=str),
                      return_inverse=True)[1]
    return x, edges(directory, len(truth)), truth


def planted(out, degree, mixing, signal, others=False, count=800):
    at = os.path.join(out, f"lfr-{degree}-{mixing}")
    if not os.path.exists(at):
        subprocess.run([sys.executable, os.path.join(HERE, "lfr.py"), at, "1500", "6", str(degree),
                        str(mixing), "3"], check=True)
    truth = np.loadtxt(os.path.join(at, "labels.txt"), dtype=int)
    a = edges(at, len(truth))
    truth = np.random.default_rng(2).permutation(truth) if others else truth
    return words(truth, signal, count), a, truth


class Data:
    def __init__(self, x, a, truth):
        self.n, self.k, self.a, self.truth = len(truth), truth.max() + 1, a, truth
        x.eliminate_zeros()
        if np.all(x.data == 1):
            x = x @ sp.diags(np.log((1 + self.n) / (1 + np.asarray((x != 0).sum(axis=0)).ravel()))
                             + 1)
        length = np.sqrt(np.asarray(x.multiply(x).sum(axis=1)).ravel())
        self.x = sp.csr_matrix(sp.diags(1 / np.where(length > 0, length, 1)) @ x)
        self.degree = np.asarray(a.sum(axis=1)).ravel()
        root = sp.diags((self.degree + 1) ** -0.5)
        self.s = sp.csr_matrix(root @ (a + sp.identity(self.n)) @ root)
        t = self.s + sp.identity(self.n)
        self.t = sp.csr_matrix(sp.diags(1 / np.asarray(t.sum(axis=1)).ravel()) @ t)

    def products(self, b, order):
        for _ in range(order):
            b = self.t.T @ b
        b = self.x @ (self.x.T @ b)
        for _ in range(order):
            b = self.t @ b
        return b

    def sums(self):
        """Returns, for t = 0 .. STEPS - 1, the share, and the rest relative to chance. For a wide
        set, estimates them by 256 projections."""
        rng = np.random.default_rng(3)
        f = self.x @ rng.standard_normal((self.x.shape[1],
                                          256)) / 16 if self.n > WIDE else self.x.toarray()
        # random signs for Hutchinson's estimate of the trace
        b = rng.choice([-1.0, 1.0], (self.n, 48))
        q = np.sqrt(self.degree + 1) / np.sqrt((self.degree + 1).sum())
        share, over, along = [], [], ((q @ f) ** 2).sum()
        whole = (f * f).sum()
        for _ in range(STEPS):
            square = (f * f).sum()
            share.append(along / square)
            over.append((square - along) / whole / (((b * b).sum() / 48 - 1) / self.n))
            f, b = self.s @ f, self.s @ b
        return share, over

    def embedding(self, order):
        q = np.linalg.qr(
            np.random.default_rng(1).standard_normal((self.n, min(self.k + 10, self.n - 1))))[0]
        for _ in range(8):
            y = self.products(q, order)
            last, q = q, np.linalg.qr(y - y.mean(axis=0))[0]
        h = last.T @ (y - y.mean(axis=0))
        value, vector = np.linalg.eigh((h + h.T) / 2)
        there = np.flatnonzero(value > 1e-12 * value[-1])[-self.k :]
        return y @ vector[:, there] / np.sqrt(value[there])

    def means(self, label):
        g = np.zeros((self.n, self.k))
        g[np.arange(self.n), label] = 1
        return g / np.maximum(g.sum(axis=0), 1)

    def step(self, label, order):
        g = self.means(label)
        q = self.products(g, order)
        distance = (g * q).sum(axis=0) - 2 * q
        distance[:, np.bincount(label, minlength=self.k) == 0] = np.inf
        return distance.argmin(axis=1)

    def modularity(self, label):
        g, ends = self.means(label) > 0, self.degree.sum()
        return float((g * (self.a @ g.astype(float))).sum() / ends
                     - ((self.degree @ g / ends) ** 2).sum())


def scaled(z, power):
    length = np.linalg.norm(z, axis=1)
    return z * np.where(length > 1e-12 * length.mean(), np.maximum(length, 1e-300) / length.mean(),
                        np.inf)[:, None] ** -power if power else z


def show(name, data, orders):
    share, over = data.sums()
    print(f"{name:22} share {' '.join(f'{v:.2f}' for v in share)}  rest over chance "
          f"{' '.join(f'{v:.2f}' for v in over[:4])}", flush=True)
    best, first = {}, {}
    for order in orders:
        z = data.embedding(order)
        length = np.linalg.norm(z, axis=1)
        line = []
        for power in POWERS:
            label = KMeans(data.k, n_init=20 if data.n < WIDE else 8,
                           random_state=1).fit(scaled(z, power)).labels_.astype(int)
            modularity = data.modularity(label)
            first.setdefault(power, modularity)
            if modularity > max(first[power] + MARGIN, best.get(power, (0, -1))[1]):
                best[power] = order, modularity
            line.append(f"{accuracy(data.step(label, order), data.truth):.3f} {modularity:.3f}")
        print(f"{name:22} order {order:2} lengths {length.std() / length.mean():.2f}  "
              f"{' | '.join(line)}", flush=True)
    print(f"{name:22} by modularity: "
          f"{' | '.join(str(best.get(power, (orders[0], 0))[0]) for power in POWERS)}", flush=True)


for each in sys.argv[2:]:
    where, which = each.rsplit("=", 1)
    show(os.path.basename(where.rstrip("/")), Data(*read(where)),
         [int(order) for order in which.split(",")])
if not sys.argv[2:]:
    for degree, mixing in ((60, 0.5), (60, 0.7), (30, 0.6)):
        for signal in (0.1, 0.3, 0.6):
            show(f"{degree}, {mixing}, {signal}",
                 Data(*planted(sys.argv[1], degree, mixing, signal)), [1, 2, 3, 5])
    for signal in (0.3, 0.6):
        show(f"others, {signal}", Data(*planted(sys.argv[1], 60, 0.5, signal, True)), [1, 2, 3, 5])
    for signal in (0.1, 0.3):
        show(f"rare words, {signal}", Data(*planted(sys.argv[1], 60, 0.5, signal, count=12000)),
             [1, 2, 3, 5])
