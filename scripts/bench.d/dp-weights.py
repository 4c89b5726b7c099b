#!/usr/bin/python3
"""Accuracy of fedgcn with differentially private weights, with a party as the unit: ACC by eps.

    /usr/bin/python3 scripts/bench.d/dp-weights.py [--rounds T] [--seeds N] SET...    a set of
    graphs in TU format, dealt to L parties at random

DP-FedAvg (McMahan, Ramage, Talwar, Zhang, ICLR 2018) on parties of tests/interop/fedgcn.py in
memory: in each of T rounds a party's change of the weights is shortened to S, and the sum of all
has Gaussian noise for (eps, 1e-5) of one party in place of another, half of the parties colluding,
as in `noise.on` "sums". Three choices favour this method: S is the exact median of the first
round's changes; prototypes stay with their party; start and centres are exact. The rows are:
weights as drawn (no weight is ever sent), weights trained without noise, and weights trained with
noise for each eps.
"""
import argparse
import math
import os
import sys

sys.path.insert(0,
                os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tests",
                             "interop"))
import numpy as np  # noqa: E402
from scipy.optimize import brentq, linear_sum_assignment  # noqa: E402
from scipy.stats import norm  # noqa: E402

import fedgcn  # noqa: E402

JOB = {"seed": 7, "epochs": 1, "batch": 128, "rate": 1e-3, "lambda": 10, "min_cluster": 1,
       "prototypes": "own", "aggregation": "fedavg"}
DELTA, EPS = 1e-5, (1, 8, 100, 1000, 10000)


def mu_of(eps):
    """Returns mu for eps and DELTA, by Theorem 8 of Balle, Wang 2018."""
    return brentq(lambda mu: norm.cdf(mu / 2 - eps / mu)
                  - math.exp(min(eps + norm.logcdf(-mu / 2 - eps / mu), 0)) - DELTA, 1e-4, 1e3)


class Party(fedgcn.Party):
    def __init__(self, graphs, k, seed):
        self.job, self.link, self.k = dict(JOB, clusters=k, seed=seed), self, k
        self.ways, self.shares, self.graphs = "own", "fedavg", graphs
        self.shape = fedgcn.shapes(graphs[0][1].shape[1])
        self.W = fedgcn.draw(self.shape, seed)
        self.n = self.travel = len(self.W)
        self.label, self.x = None, np.append(self.W, np.zeros(k * fedgcn.Z_LENGTH, np.float32))

    def phase(self, name):
        pass

    def bind(self, numbers):
        pass

    def sum(self, term):
        return np.maximum(term, 1)

    def start(self):
        self.Z = fedgcn.Net(self.shape, self.W).forward(self.graphs).astype(float)
        self.centres()
        self.own = self.C.copy()

    def trained(self, number, W):
        """Returns the change of the weights in a round."""
        self.W = W
        self.round(number)
        return self.x[: self.n].astype(float) - W

    def labels(self, W, number):
        self.W = W
        self.take(number)
        self.Z = fedgcn.Net(self.shape, W).forward(self.graphs).astype(float)
        return self.lloyd(self.own.copy())


def accuracy(parties, truths, W, number):
    """Returns the accuracy of each party's own clusters, weighted by numbers of graphs."""
    right = 0
    for party, truth in zip(parties, truths):
        table = np.zeros((max(truth.max() + 1, party.k),) * 2)
        np.add.at(table, (truth, party.labels(W, number)), 1)
        right += table[linear_sum_assignment(-table)].sum()
    return right / sum(len(t) for t in truths)


def run(graphs, truth, L, rounds, eps, seed):
    rng = np.random.default_rng(seed)
    part = rng.permutation(len(graphs)) % L
    k = int(truth.max()) + 1
    parties = [Party([g for g, p in zip(graphs, part) if p == l], k, seed) for l in range(L)]
    truths, W = [truth[part == l] for l in range(L)], parties[0].W
    for p in parties:
        p.start()
    S = share = None
    for number in range(1, rounds + 1):
        change = [p.trained(number, W) for p in parties]
        length = [np.linalg.norm(c) for c in change]
        S = S or np.median(length)
        if eps:
            change = [c * min(1, S / d) for c, d in zip(change, length)]
            noise = 2 * S * math.sqrt(rounds) / mu_of(eps) * math.sqrt(2) * rng.normal(size=len(W))
            share = np.linalg.norm(noise) / np.linalg.norm(sum(change))
            change.append(noise)
        W = (W + sum(change) / L).astype(np.float32)
    return accuracy(parties, truths, W, rounds + 1), share


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("sets", nargs="+")
    args = parser.parse_args()
    print("| set | parties | " + " | ".join(["as drawn", "trained"] + [f"eps {e}" for e in EPS])
          + " |")
    print("|" + " --- |" * (4 + len(EPS)))
    for folder in args.sets:
        graphs = [((A + np.eye(len(A))).astype(np.float32), fedgcn.features(A))
                  for A in fedgcn.read_graphs(folder)]
        name = os.path.basename(folder.rstrip("/"))
        truth = np.unique(np.loadtxt(os.path.join(folder, name + "_graph_labels.txt"), dtype=int),
                          return_inverse=True)[1]
        for L in (2, 8):
            cells = []
            for rounds, eps in [(0, None), (args.rounds, None)] + [(args.rounds, e) for e in EPS]:
                got = [run(graphs, truth, L, rounds, eps, seed) for seed in range(args.seeds)]
                share = "" if got[0][1] is None else f" ({np.mean([s for _, s in got]):.3g})"
                cells.append(f"{np.mean([a for a, _ in got]):.3f}{share}")
                print(name, L, eps, cells[-1], file=sys.stderr, flush=True)
            print(f"| {name} | {L} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    np.seterr(all="ignore")  # weights that are only noise overflow
    main()
