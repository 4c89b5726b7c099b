"""Writes a set in another form: defaults.py SET PRESENTATION OUT [ARGUMENT]. Also writes its
classes.

  permuted   rows and columns in another order
  times1000  the columns that the file ARGUMENT names, a number a line, times 1000
  thin       blocks of columns for ARGUMENT parties (split --contiguous); the first block has one
             column, and is filled up with columns that are all 0
  foreign    one more column, a year in each row, which says nothing
  doubled    ten columns twice, or all if there are fewer
  empty      10,000 more columns, all 0
  scaled     each row divided by its sum
  repeated   each non-zero times a whole number at random, mostly small, some large
  noedges    the features alone: a graph without edges; repeated-noedges: both
"""

import os
import sys

import numpy as np
import scipy.io
import scipy.sparse as sp

from words import features


def permuted(x, rng):
    rows = rng.permutation(x.shape[0])
    return x[rows][:, rng.permutation(x.shape[1])], rows


def times1000(x, columns):
    factor = np.ones(x.shape[1])
    factor[np.loadtxt(columns, dtype=int, ndmin=1)] = 1000
    return x @ sp.diags(factor)


def thin(x, parties, rng):
    columns = rng.permutation(x.shape[1])
    width = -(-(len(columns) - 1) // (parties - 1))
    filled = sp.csr_matrix((x.shape[0], width - 1))
    last = sp.csr_matrix((x.shape[0], width * parties - width - (len(columns) - 1)))
    return sp.hstack([x[:, columns[:1]], filled, x[:, columns[1:]], last])


def present(x, how, argument):
    rng = np.random.default_rng(1)
    rows = np.arange(x.shape[0])
    if how == "permuted":
        return permuted(x, rng)
    if how == "times1000":
        x = times1000(x, argument)
    elif how == "thin":
        x = thin(sp.csc_matrix(x), int(argument), rng)
    elif how == "foreign":
        x = sp.hstack([x, sp.csr_matrix(rng.integers(1990, 2021, (x.shape[0], 1)).astype(float))])
    elif how == "doubled":
        x = sp.hstack([x, x[:, rng.choice(x.shape[1], min(10, x.shape[1]), replace=False)]])
    elif how == "empty":
        x = sp.hstack([x, sp.csr_matrix((x.shape[0], 10000))])
    elif how == "scaled":
        sums = np.asarray(abs(x).sum(axis=1)).ravel()
        x = sp.diags(1 / np.where(sums > 0, sums, 1)) @ x
    elif how.startswith("repeated"):
        x = sp.csr_matrix(x)
        x.data *= 1 + np.floor(np.exp(2 * rng.standard_normal(x.nnz)))
    elif how != "noedges":
        raise SystemExit(f"{how}: no such presentation")
    return x, rows


def write(directory, out, x, rows, edges):
    os.makedirs(out, exist_ok=True)
    x = sp.csr_matrix(x)
    if x.nnz < 0.1 * x.shape[0] * x.shape[1]:
        scipy.io.mmwrite(os.path.join(out, "features.mtx"), x)
    else:
        np.save(os.path.join(out, "features.npy"), x.toarray().astype(np.float64))
    labels = open(os.path.join(directory, "labels.txt"), encoding="utf-8").read().splitlines()
    with open(os.path.join(out, "labels.txt"), "w", encoding="utf-8") as to:
        to.writelines(labels[i] + "\n" for i in rows)
    if edges is not None:
        np.savetxt(os.path.join(out, "edges.tsv"), edges, fmt="%d", delimiter="\t")


def main(directory, how, out, argument=None):
    x, rows = present(features(directory), how, argument)
    place = np.empty(len(rows), dtype=int)
    place[rows] = np.arange(len(rows))
    path = os.path.join(directory, "edges.tsv")
    edges = place[np.loadtxt(path, dtype=int, ndmin=2)[:, :2]] if os.path.exists(path) else None
    write(directory, out, x, rows, edges[:0] if how.endswith("noedges") else edges)
    excluded = os.path.join(directory, "unlabeled.txt")
    if os.path.exists(excluded):
        np.savetxt(os.path.join(out, "unlabeled.txt"), place[np.loadtxt(excluded, int)], fmt="%d")


main(*sys.argv[1:])
