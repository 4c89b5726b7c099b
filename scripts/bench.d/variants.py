"""Makes sets of rows for scripts/bench variants, and applies rules to the labels of its runs.

    variants.py sets DATA OUT           OUT/NAME/features.npy, labels.txt; prints "NAME CLUSTERS"
                                        for each
    variants.py rules OUT/runs SET...   a line of each set: ACC of anchor and dense, and which of
                                        them each rule takes
"""
import itertools
import os
import sys

import numpy
from scipy.spatial import cKDTree
from sklearn import datasets
from sklearn.metrics import adjusted_rand_score

from matching import accuracy

VARIANTS = ("anchor", "dense")


def cut(x, y, each, classes=None):
    """Returns the first `classes` classes, with so many random rows of each."""
    draw, keep = numpy.random.default_rng(1), []
    for c in numpy.unique(y)[:classes]:
        rows = numpy.flatnonzero(y == c)
        keep.append(draw.permutation(rows)[:each])
    keep = numpy.sort(numpy.concatenate(keep))
    return x[keep], y[keep]


def given(data, name):
    with open(f"{data}/{name}/labels.txt", encoding="ascii") as f:
        return numpy.load(f"{data}/{name}/features.npy").astype(float), numpy.array(
            [line.strip() for line in f])


def unit(x):
    return (x - x.mean(axis=0)) / numpy.where(x.std(axis=0) > 0, x.std(axis=0), 1)


def sets(data):
    digits, usps, coil = datasets.load_digits(return_X_y=True), given(data, "usps"), given(
        data, "coil20")
    for name, (x, y), sizes in (("digits", digits, (10, 20, 30, 60, 120)),
                                ("usps", usps, (10, 20, 30, 60, 120)),
                                ("coil20", coil, (10, 20, 40, 72))):
        for each in sizes:
            yield f"{name}-{each}", *cut(x, y, each)
    orl = given(data, "orl")
    yield "orl", *orl
    yield "orl-20", *cut(*orl, 10, 20)
    yield "iris", *given(data, "iris")
    yield "banknote", *given(data, "banknote")
    for name, load in (("wine", datasets.load_wine), ("cancer", datasets.load_breast_cancer)):
        x, y = load(return_X_y=True)
        yield name, unit(x), y
    yield "rings", *datasets.make_circles(1200, noise=0.05, factor=0.5, random_state=1)
    yield "moons", *datasets.make_moons(1200, noise=0.07, random_state=1)
    yield "clouds-2", *datasets.make_blobs(1200, 2, centers=8, random_state=1)
    yield "clouds-100", *datasets.make_blobs(600, 100, centers=30, cluster_std=3, random_state=1)
    x, y = datasets.make_blobs(900, 2, centers=3, random_state=170)
    yield "long", x @ numpy.array([[0.6, -0.6], [-0.4, 0.8]]), y


def make(data, out):
    for name, x, y in sets(data):
        os.makedirs(f"{out}/{name}", exist_ok=True)
        numpy.save(f"{out}/{name}/features.npy", x)
        with open(f"{out}/{name}/labels.txt", "w", encoding="ascii") as f:
            f.writelines(f"{label}\n" for label in y)
        print(name, len(set(y)))


# ---- criteria that parties could compute as sums of k or k x k numbers ----


def stability(x, runs):
    return numpy.mean([adjusted_rand_score(a, b)
                       for a, b in itertools.combinations([label for label, _ in runs], 2)])


def silhouette(x, runs):
    """Returns the silhouette by distances to means of clusters, as in the rule for a range of
    clusters."""
    found = []
    for label, _ in runs:
        used = numpy.unique(label)
        means = numpy.array([x[label == c].mean(axis=0) for c in used])
        far = distances(x, means)
        far.sort(axis=1)
        found.append(numpy.mean((far[:, 1] - far[:, 0]) / numpy.where(far[:, 1] > 0, far[:, 1], 1)))
    return numpy.mean(found)


def distances(x, means):
    return numpy.sqrt(
        numpy.maximum((x**2).sum(axis=1)[:, None] - 2 * x @ means.T + (means**2).sum(axis=1), 0))


def within(x, runs):
    """Returns the variance between clusters divided by that within them."""
    found = []
    for label, _ in runs:
        inside = sum(((x[label == c] - x[label == c].mean(axis=0)) ** 2).sum()
                     for c in numpy.unique(label))
        found.append(1 - inside / ((x - x.mean(axis=0)) ** 2).sum())
    return numpy.mean(found)


def nearest(x, runs):
    """Returns how often a row's nearest row of the same party is in its cluster, above chance."""
    found = []
    for label, party in runs:
        same = numpy.zeros(len(x), bool)
        for p in numpy.unique(party):
            own = numpy.flatnonzero(party == p)
            _, near = cKDTree(x[own]).query(x[own], k=2)
            same[own] = label[own] == label[own[near[:, 1]]]
        share = numpy.bincount(label) / len(label)
        chance = (share**2).sum()
        found.append((same.mean() - chance) / max(1 - chance, 1e-9))
    return numpy.mean(found)


def even(x, runs):
    found = []
    for label, _ in runs:
        share = numpy.bincount(label) / len(label)
        share = share[share > 0]
        found.append(-(share * numpy.log(share)).sum())
    return numpy.mean(found)


CRITERIA = (stability, silhouette, within, nearest, even)


def read_run(run, rows):
    label, party = numpy.full(rows, -1), numpy.full(rows, -1)
    for p, at in enumerate(sorted(d for d in os.listdir(run) if d.startswith("party"))):
        with open(f"{run}/{at}/labels.csv", encoding="utf-8") as f:
            for line in f.read().split()[1:]:
                row, its = line.split(",")[:2]
                label[int(row)], party[int(row)] = int(its), p
    return label, party


def rules(at, names):
    rule_names = ["always anchor", "always dense", "n/k below 30: dense",
                  "columns above 500: dense"] + [c.__name__ for c in CRITERIA]
    lost = {r: [] for r in rule_names}
    print("| set | rows | columns | a cluster | " + " | ".join(VARIANTS) + " | "
          + " | ".join(rule_names[2:]) + " |")
    print("| --- " * (len(rule_names) + 4) + "|")
    for name in names:
        x = numpy.load(f"{at}/{name}/features.npy")
        with open(f"{at}/{name}/labels.txt", encoding="ascii") as f:
            _, truth = numpy.unique([line.strip() for line in f], return_inverse=True)
        runs = {v: [read_run(f"{at}/run-{name}-{v}-{s}", len(x)) for s in (1, 2, 3)]
                for v in VARIANTS}
        acc = {v: numpy.mean([accuracy(label, truth) for label, _ in runs[v]]) for v in VARIANTS}
        each = len(x) / (truth.max() + 1)
        chosen = ["anchor", "dense", "dense" if each < 30 else "anchor", "dense" if x.shape[1] > 500
                  else "anchor"]
        for c in CRITERIA: # if values are equal, the default is chosen
            one, other = (c(x, runs[v]) for v in VARIANTS)
            chosen.append("dense" if other > one + 1e-9 else "anchor")
        for r, v in zip(rule_names, chosen):
            lost[r].append(max(acc.values()) - acc[v])
        marks = " | ".join(v + (" *" if max(acc.values()) - acc[v] > 0.02 else "")
                           for v in chosen[2:])
        print(f"| {name} | {len(x)} | {x.shape[1]} | {each:.0f} | "
              + " | ".join(f"{acc[v]:.3f}" for v in VARIANTS) + f" | {marks} |", flush=True)
    print("\n| rule | mean loss | worst | more than .02 below the better |\n| --- | --- | --- | "
          "--- |")
    for r, losses in lost.items():
        print(f"| {r} | {numpy.mean(losses):.3f} | {max(losses):.3f} | "
              f"{sum(one > 0.02 for one in losses)} of {len(losses)} |")


if sys.argv[1] == "sets":
    make(sys.argv[2], sys.argv[3])
else:
    rules(sys.argv[2], sys.argv[3:])
