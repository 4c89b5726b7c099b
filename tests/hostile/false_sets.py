"""A malicious party of kcagc, method "landmark", that sends false terms to read inner products. The
coordinator is honest.

A sum has a column for each landmark set: the inner products of all rows with the mean of the set.
The only block that is broadcast is an orthogonal basis of these columns. The malicious party claims
rows so long that the others' rows are short in comparison. In each column it sends a large number
at one node. Then the block is close to unit vectors of these nodes. It differs from them by the
others' inner products with the means, except for one number in each column.

An honest party has the block, but does not know which combination of sums it is.
"""
import numpy as np

import geometry
import kcagc
import secsum
import wire

CLAIM = 1e5  # claimed squared length of a row, divided by the true mean


class False_:
    def __init__(self, what, X, link):
        self.what, self.X, self.link, self.n = what, X, link, len(X)
        self.k, self.random = what["clusters"], np.random.default_rng(1)

    def add(self, term, most=0):
        """Sends a term. `most` is the largest number in it, which sets the fraction bits; 0: 24
        fraction bits."""
        bits = self.what["secure_sum"]["modulus_bits"]
        self.link.word = (bits,
                          secsum.fraction_for(most, len(self.link.s.names),
                                              bits)) if most else secsum.WIDE
        self.link.add(np.ravel(term))

    def block(self, width):
        return wire.reals(lambda: self.link.recv(wire.BLOCK), self.link.root, self.n * width,
                          "<f4").astype(float)

    def facts(self):
        """Sends the claimed lengths of its rows, and receives the joint lengths."""
        link, X, n = self.link, geometry.weighted([self.X]), self.n
        square = np.full(n, CLAIM * (X**2).sum() / n)
        e = link.bound(square.max())
        measured = not set(np.unique(self.X)) <= {0, 1}
        self.add(np.append([measured, X.shape[1]], square * 2.0 ** (20 - e)))
        k = kcagc.count(self.what["local_clusters"], self.what)
        for body in wire.label_bodies(link.s.own, k, self.random.integers(0, k, n)):
            link.conn.send(wire.LOCAL_CLUSTERS, body)
        assert link.choice(1) != 2, "features of some parties are 0 and 1"
        self.length = np.sqrt(self.block(1) * 2.0 ** (e - 20))
        link.phase("spreads")
        self.add(np.full(34, float(n)))

    def landmarks(self):
        body = self.link.recv(wire.LANDMARKS)
        sets = wire.Reader(body[4:8]).number(4)
        self.set = wire.labels(lambda: body, self.link.root, sets, self.n)
        return sets

    def run(self):
        link, n, k = self.link, self.n, self.k
        self.facts()
        sets = self.landmarks()
        size = np.bincount(self.set)
        self.column = np.argsort(-size, kind="stable")
        self.node = np.array([np.flatnonzero(self.set == c)[0] for c in self.column])
        width = min(k + 10, n - 1, sets)
        term = np.zeros((n, sets))
        self.large = np.where(np.arange(sets) < width, 0.9, 0.09)
        term[self.node, self.column] = self.large
        link.phase("landmarks")
        self.add(term, 1)
        d = link.choice(5)
        assert d == width, f"{d} columns"
        self.V = self.block(d).reshape(n, d)
        link.phase("power")
        self.add(np.zeros((n, d)), n)
        link.recv_labels(wire.ASSIGNMENT, k, 2 * n)
        link.phase("polish")
        self.add(np.zeros(2 + (n * k if self.what["polish"] else 0)), 1)
        while link.choice(6):
            link.recv_labels(wire.ASSIGNMENT, k, n)
            self.add(np.zeros((n, k)), 1)
        return link.recv_labels(wire.RESULT, k, n)

    def read(self, others, folder):
        """Compares what the block shows with the true inner products of rows and means of sets,
        both centred over the nodes. others: the other parties' features. folder: has the graph."""
        X = geometry.smoothed(geometry.weighted(others) / self.length[:, None], folder,
                              self.what["filter"]["order"])
        d = self.V.shape[1]
        node, column, rest = self.node[:d], self.column[:d], np.setdiff1d(
            np.arange(self.n), self.node)
        mean = np.stack([X[self.set == c].mean(axis=0) for c in column])
        true = centred(X[rest] @ mean.T)
        M = np.diag(self.large[:d]) - self.large[:d] / self.n
        got = centred(self.V[rest] @ np.linalg.inv(self.V[node]) @ M)
        near = np.abs(got - true) < 0.02 * true.std(axis=0)
        return {"read": int(near.sum()), "wrong": int((~near).sum()), "of": self.n * d}


def centred(Q):
    return Q - Q.mean(axis=0)
