#!/usr/bin/python3
"""Compares rules for filter.order "auto" of method tree: AGC's rule, a rule that stops when
clusters fit the graph worse than before, and given orders.

    fit.py [--bin DIR] [--parties L] [--seeds FROM-TO] [--orders 1,2,3] OUT [DIR=K...]

DIR: data for coterie run, with labels.txt; K: clusters. Without DIR, makes planted graphs in OUT:
those of orders.py, with 1500 nodes in 6 communities, and those of subspace.py, with 2000 nodes in 8
to 25. All results are from `coterie run`. Prints a line for each seed: AGC's order and its ACC; the
chosen order and its ACC; the same of two other forms of the rule; the order whose clusters fit the
graph best, and the last order within .02 of it; ACC of the given orders; the mean modularity of
parties' own clusters at AGC's order, and its maximum up to that order. Then prints the means of all
lines. For study only; no other part of the project needs it."""
import argparse
import json
import os
import shutil
import subprocess
import sys

import numpy as np
import scipy.io

from words import words

HERE = os.path.dirname(os.path.abspath(__file__))
DENSE = [("", *which, signal, 800) for which in ((60, 0.5), (60, 0.7), (30, 0.6))
         for signal in (0.1, 0.3, 0.6)]
RARE = [("rare words, ", 60, 0.5, signal, 12000) for signal in (0.1, 0.3)]
OTHERS = [("others, ", 60, 0.5, signal, 800) for signal in (0.3, 0.6)]
MARGIN = 0.02
SPARSE = [(16, 10, 0.5, 0.2), (16, 6, 0.5, 0.3), (25, 6, 0.3, 0.15), (25, 8, 0.4, 0.3),
          (8, 5, 0.4, 0.2)]


def plant(at, nodes, communities, degree, mixing, signal, count, others=False):
    if os.path.exists(os.path.join(at, "features.mtx")):
        return
    sizes = [str(each) for each in (nodes, communities, degree, mixing)]
    subprocess.run([sys.executable, os.path.join(HERE, "lfr.py"), at, *sizes, "3"], check=True)
    labels = os.path.join(at, "labels.txt")
    truth = np.loadtxt(labels, dtype=int)
    if others:
        truth = np.random.default_rng(2).permutation(truth)
        np.savetxt(labels, truth, fmt="%d")
    x = words(truth, signal, count)
    x = x[:, np.asarray(x.sum(axis=0)).ravel() > 0]
    scipy.io.mmwrite(os.path.join(at, "features.mtx"), x, field="integer")


def planted(out):
    for kind, degree, mixing, signal, count in DENSE + RARE + OTHERS:
        at = os.path.join(out,
                          f"{kind}{degree}, {mixing}, {signal}".replace(", ", "-").replace(
                              " ", "-"))
        plant(at, 1500, 6, degree, mixing, signal, count, kind.startswith("others"))
        yield at, 6
    for communities, degree, mixing, signal in SPARSE:
        at = os.path.join(out, f"{communities}-of-2000-{degree}-{mixing}-{signal}")
        plant(at, 2000, communities, degree, mixing, signal, 1000)
        yield at, communities


class Runs:
    def __init__(self, how, data, clusters, seed):
        self.how, self.data, self.clusters, self.seed = how, data, clusters, seed

    def __call__(self, order):
        """ACC and run.json."""
        job, run = os.path.join(self.how.out, "job.json"), os.path.join(self.how.out, "run")
        coterie = os.path.join(self.how.bin, "coterie")
        shutil.rmtree(run, ignore_errors=True)
        with open(job, "w", encoding="utf-8") as f:
            json.dump({"kind": "kcagc", "method": "tree", "clusters": self.clusters,
                       "seed": self.seed, "filter": {"order": order}}, f)
        split = ["--parties", str(self.how.parties), "--seed", str(self.seed)]
        subprocess.run([coterie, "run", "--quiet", "--data", self.data, "--job", job, *split,
                        "--out", run], check=True, stdout=subprocess.DEVNULL)
        at = os.path.join(run, "coordinator")
        said = subprocess.check_output([coterie, "eval", "--truth",
                                        os.path.join(self.data, "labels.txt"),
                                        os.path.join(at, "labels.csv")])
        with open(os.path.join(at, "run.json"), encoding="utf-8") as f:
            return json.loads(said)["acc"], json.load(f)


def show(how, data, clusters, seed):
    runs = Runs(how, data, clusters, seed)
    acc, run = runs("auto")
    order, rule, fit = run["filter_order"], int(
        run["facts"]["order_rule"]), run["facts"]["order_modularities"]
    fit = fit if isinstance(fit, list) else [fit]
    rule = rule or len(fit)  # rule 0: AGC's order lies beyond the end of the search
    best, last = fit.index(max(fit)) + 1, max(t + 1 for t, each in enumerate(fit)
                                              if each >= max(fit) - MARGIN)
    ways = {"AGC": rule, "taken": order, "best": rule if order == rule else best, "last": rule
            if order == rule else last}
    known = {order: acc}
    for each in [*ways.values(), *how.orders]:
        if each not in known:
            known[each] = runs(each)[0]
    said = "  ".join(f"{name} {way:2} {known[way]:.3f}" for name, way in ways.items())
    given = ", ".join(f"{each}: {known[each]:.3f}" for each in how.orders)
    name = os.path.basename(data.rstrip("/"))
    print(f"{name:22} L {how.parties} seed {seed}  {said}  fit {fit[rule - 1]:.3f} of "
          f"{max(fit):.3f}  {given}", flush=True)
    return {name: known[way] for name, way in ways.items()}


parser = argparse.ArgumentParser()
parser.add_argument("--bin", default=os.path.join(HERE, "..", "..", "build", "bin"))
parser.add_argument("--parties", type=int, default=4)
parser.add_argument("--seeds", default="1-1")
parser.add_argument("--orders", default="")
parser.add_argument("out")
parser.add_argument("sets", nargs="*", metavar="DIR=K")
options = parser.parse_args()
options.orders = [int(each) for each in options.orders.split(",") if each]
os.makedirs(options.out, exist_ok=True)
chosen = [(each.rsplit("=", 1)[0], int(each.rsplit("=", 1)[1])) for each in options.sets]
least, most = map(int, options.seeds.split("-"))
lines = []
for where, k in chosen or planted(options.out):
    for s in range(least, most + 1):
        try:
            lines.append(show(options, where, k, s))
        except subprocess.CalledProcessError as e:  # AGC's rule finds no order
            print(f"{where} seed {s}: coterie ended with {e.returncode}", flush=True)
print(f"mean of {len(lines)}:",
      ", ".join(f"{way} {np.mean([each[way] for each in lines]):.3f}" for way in lines[0]))
