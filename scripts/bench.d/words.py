"""Features for rows of known classes, for the planted sets of orders.py and subspace.py, and
functions that read their data."""

import os

import numpy as np
import scipy.io
import scipy.sparse as sp


def words(truth, signal, count):
    """Returns rows of `count` words. A row has about 18 words, and a fraction `signal` of them are
    words of its class. A class has 2 / k of all words as its own. Frequent words are drawn more
    often."""
    rng = np.random.default_rng(1)
    k = truth.max() + 1
    often = rng.permutation((np.arange(count) + 5.0) ** -0.8)
    own = [rng.choice(count, min(count, count // k * 2), replace=False) for _ in range(k)]
    x = sp.lil_matrix((len(truth), count))
    for i, c in enumerate(truth):
        total = max(3, rng.poisson(18))
        mine = rng.binomial(total, signal)
        x[i, rng.choice(own[c], mine, p=often[own[c]] / often[own[c]].sum())] = 1
        x[i, rng.choice(count, total - mine, p=often / often.sum())] = 1
    return x.tocsr()


def features(directory):
    path = os.path.join(directory, "features.")
    return sp.csr_matrix(scipy.io.mmread(path + "mtx") if os.path.exists(path + "mtx")
                         else np.load(path + "npy"), dtype=float)
