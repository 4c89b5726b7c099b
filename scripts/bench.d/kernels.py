#!/usr/bin/python3
"""The kernels of tests/bench/bench_kernels.c in their usual form with SciPy and scikit-learn.

    kernels.py DATA [KERNEL...]     filter, kmeans, restarts, projection, spectral; default all

Prints a line per kernel in the format of bench_kernels: what, shape, ms=. The time is the median
CPU time of 5 calls in one thread, after one call to warm up. Only for comparison; no other part of
the project needs it.
"""
import os

for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"

import statistics
import sys
import time
import warnings

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from scipy.sparse.linalg import svds
from sklearn.cluster import KMeans
from sklearn.metrics import pairwise_distances_argmin

RUNS = 5
rng = np.random.default_rng(1)


def report(what, shape, run, prepare=lambda: ()):
    seconds = []
    for i in range(RUNS + 1):
        given = prepare()
        start = time.process_time()
        run(*given)
        if i:
            seconds.append(time.process_time() - start)
    print(f"{what:18} {shape:24} ms={1e3 * statistics.median(seconds):.3f}", flush=True)


def citation_graph(data):
    n, path = 19717, os.path.join(data, "pubmed", "edges.tsv")
    if os.path.exists(path):
        i, j = np.loadtxt(path, dtype=np.int64).T
        name = "pubmed"
    else:
        i = rng.integers(0, n, 44324)
        near = i // 50 * 50 + rng.integers(0, 50, len(i))
        j = np.where(rng.integers(0, 10, len(i)) > 0, np.minimum(near, n - 1),
                     rng.integers(0, n, len(i)))
        name = "random"
    i, j = i[i != j], j[i != j]
    a = sp.coo_matrix((np.ones(len(i)), (i, j)), shape=(n, n)).tocsr()
    return ((a + a.T) > 0).astype(np.float64), name


def half_filter(a):
    """(I + S) / 2, S = D^-1/2 (A + I) D^-1/2."""
    n = a.shape[0]
    a = a + sp.identity(n, format="csr")
    d = sp.diags(np.asarray(a.sum(axis=1)).ravel() ** -0.5)
    return ((sp.identity(n) + d @ a @ d) / 2).tocsr()


def filter_(data):
    a, name = citation_graph(data)
    step, x = half_filter(a), rng.standard_normal((19717, 500))

    def run():
        y = x
        for _ in range(60):
            y = step @ y

    report("filter", f"19717x500,psi=60,{name}", run)


def kmeans(_):
    for n, d, k in ((2708, 7, 7), (2405, 17, 136), (2405, 136, 136)):
        z, c = rng.standard_normal((n, d)), rng.standard_normal((k, d))
        report("assignment", f"{n}x{d},k={k}", lambda: pairwise_distances_argmin(z, c))
        report("kmeans", f"{n}x{d},k={k}",
               lambda: KMeans(k, n_init=5, max_iter=10, tol=0, algorithm="lloyd",
                              random_state=1).fit(z))


def restarts(_):
    """Measures the rows of bench_kernels with the faster of the library's two algorithms."""
    for n, d, k in ((2708, 7, 7), (2405, 17, 136), (2405, 136, 136), (100000, 16, 16),
                    (400000, 32, 8)):
        shape = f"{n}x{d},k={k}"
        z = np.fromfile(os.path.join(os.environ["BENCH_ROWS"], f"rows-{shape}")).reshape(n, d)
        for count in (1, 20):
            runs = []
            for algorithm in ("lloyd", "elkan"):
                start = time.process_time()
                inertia = KMeans(k, n_init=count, algorithm=algorithm,
                                 random_state=1).fit(z).inertia_
                runs.append((time.process_time() - start, inertia))
            seconds, inertia = min(runs)
            print(f"restarts-{count:<9} {shape:24} s={seconds:.3f} inertia={inertia:.9g}",
                  flush=True)


def projection(_):
    for n, m, d in ((2708, 716, 7), (2405, 310, 17), (3327, 3703, 6)):
        x = rng.standard_normal((n, m))
        report("projection", f"{n}x{m},d={d}", lambda: svds(x, d, return_singular_vectors="u"))


def spectral(_):
    for n, d in ((716, 7), (1433, 7)):
        a = rng.standard_normal((n, n))
        g = a @ a.T
        report("spectral", f"{n}x{n},d={d}",
               lambda h: scipy.linalg.eigh(h, subset_by_index=[n - d, n - 1], driver="evr",
                                           overwrite_a=True, check_finite=True),
               lambda: (g.copy(order="F"),))


warnings.filterwarnings("ignore")  # scikit-learn warns of only ten iterations
kernels = {"filter": filter_, "kmeans": kmeans, "restarts": restarts,
           "projection": projection, "spectral": spectral}
for wanted in sys.argv[2:] or kernels:
    kernels[wanted](sys.argv[1])
