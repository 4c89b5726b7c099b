"""Distributes a set of graphs in TU format to parties that do not all have every class.

    fedgcn-deal.py SET-DIRECTORY equal|missing|unequal PARTIES SEED OUT

equal: each class at all parties. missing: class c is absent at party c mod PARTIES. unequal: party
p has the first k (PARTIES - p) / PARTIES classes, rounded up. A class is dealt out evenly among the
parties that have it, so every graph is at exactly one party. OUT/p0, OUT/p1, .. are the parties'
sets.
"""
import os
import random
import sys

source, how, parties, seed, out = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(
    sys.argv[4]), sys.argv[5]
name = os.path.basename(os.path.realpath(source))


def lines(what):
    path = f"{source}/{name}_{what}.txt"
    return open(path, encoding="utf-8").read().splitlines() if os.path.exists(path) else None


graph_of = [int(line) for line in lines("graph_indicator")]
label = lines("graph_labels")
edges = [tuple(int(x) for x in line.split(",")) for line in lines("A")]
attributes = lines("node_attributes")
classes = sorted(set(label))


def has(party, c):
    if how == "missing":
        return c % parties != party
    return how == "equal" or c < -(-len(classes) * (parties - party) // parties)


draw = random.Random(seed)
party_of = [0] * len(label)
for c, text in enumerate(classes):
    members = [g for g, its in enumerate(label) if its == text]
    hosts = [p for p in range(parties) if has(p, c)]
    draw.shuffle(members)
    for i, g in enumerate(members):
        party_of[g] = hosts[i % len(hosts)]

for p in range(parties):
    at = f"{out}/p{p}"
    os.makedirs(at, exist_ok=True)
    graphs = {g + 1: i + 1 for i, g in enumerate(g for g in range(len(label)) if party_of[g] == p)}
    nodes = {n + 1: i + 1 for i, n in enumerate(n for n, g in enumerate(graph_of) if g in graphs)}
    files = {
        "graph_indicator": [str(graphs[graph_of[n - 1]]) for n in nodes],
        "graph_labels": [label[g - 1] for g in graphs],
        "A": [f"{nodes[a]}, {nodes[b]}" for a, b in edges if a in nodes],
        "node_attributes": attributes and [attributes[n - 1] for n in nodes],
    }
    for what, text in files.items():
        if text:
            with open(f"{at}/p{p}_{what}.txt", "w", encoding="utf-8") as f:
                f.write("\n".join(text) + "\n")
