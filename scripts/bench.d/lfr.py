"""Makes a planted graph like those of Lancichinetti, Fortunato and Radicchi (2008): degrees and
sizes of communities follow power laws.

    lfr.py OUT NODES COMMUNITIES DEGREE MIXING SEED

OUT gets edges.tsv and labels.txt. Degrees have exponent 2.5 and mean DEGREE, sizes have exponent
1.5, and the largest is at most eight times the smallest. A fraction MIXING of the edges of a node
leads to nodes anywhere. Ends of edges are joined at random. Loops and repeated edges are left out,
so the mean degree is slightly below DEGREE."""
import os
import sys

import numpy

out = sys.argv[1]
nodes, communities, degree = map(int, sys.argv[2:5])
mixing, seed = float(sys.argv[5]), int(sys.argv[6])
rng = numpy.random.default_rng(seed)


def power_law(count, exponent, most):
    """Draws numbers from 1 to most."""
    low = most ** (1 - exponent)
    return (1 - rng.random(count) * (1 - low)) ** (1 / (1 - exponent))


def joined(ends):
    ends = rng.permutation(ends)
    return ends[: len(ends) // 2 * 2].reshape(-1, 2)


size = power_law(communities, 1.5, 8)
size = numpy.floor(size / size.sum() * nodes).astype(int)
size[: nodes - size.sum()] += 1
label = rng.permutation(numpy.repeat(numpy.arange(communities), size))
wanted = power_law(nodes, 2.5, 20)
wanted = numpy.maximum(1, numpy.rint(wanted / wanted.mean() * degree)).astype(int)
inside = rng.binomial(wanted, 1 - mixing)
pairs = [joined(numpy.repeat(numpy.flatnonzero(label == c), inside[label == c]))
         for c in range(communities)]
pairs.append(joined(numpy.repeat(numpy.arange(nodes), wanted - inside)))
edges = numpy.sort(numpy.concatenate(pairs), axis=1)
edges = numpy.unique(edges[edges[:, 0] != edges[:, 1]], axis=0)
os.makedirs(out, exist_ok=True)
numpy.savetxt(os.path.join(out, "edges.tsv"), edges, fmt="%d", delimiter="\t")
numpy.savetxt(os.path.join(out, "labels.txt"), label, fmt="%d")
