"""Coordinators of kcagc's methods "landmark" and "gcc" after proto/PROTOCOL.md. They ask all
questions and broadcast numbers that parties accept.

K is the matrix of joint inner products of all nodes. Every answer but the first two is K times a
matrix that the coordinator knows. It keeps these matrices in B, and the answers in Y.
"""
import numpy as np

import coordinator
import kcagc
import secsum
import wire

SOME, ALL, NONE = 2, 1, 0  # which parties have only features 0 and 1


class Coordinator(coordinator.Coordinator):
    def __init__(self, *args):
        super().__init__(*args)
        self.B, self.Y = [], []

    def words(self, count, first, most=1):
        """Returns a sum of `count` numbers. first: before the sum, the parties compare what they
        have received. most: bound on the numbers, which the words must hold."""
        bits, fraction = (self.what["secure_sum"][n] for n in ("modulus_bits", "fraction_bits"))
        if fraction == "auto" or bits == 32:
            fraction = secsum.fraction_for(most, len(self.party), bits)
        return self.of_phase(count, first, (bits, fraction))

    def wide(self, count, first):
        return self.of_phase(count, first, secsum.WIDE)

    def of_phase(self, count, first, word):
        self.said = not first
        return self.sum(count, word)

    def tell_block(self, V):
        for body in wire.real_bodies(self.root(), V, "<f4"):
            for c in self.party:
                c.send(wire.BLOCK, body)

    def keep(self, B, Y):
        self.B.append(B)
        self.Y.append(Y)
        return Y

    def products(self, V, first):
        self.tell_block(V)
        return self.keep(V.astype("<f4").astype(float),
                         self.words(V.size, first, self.rows).reshape(V.shape))

    def means(self, label, k, first, before=0):
        """Returns the inner products of each node with the mean of each of k clusters. before:
        number of words before them in the sum."""
        label, n = np.asarray(label), self.rows
        size = np.bincount(label, minlength=k)
        got = self.words(before + n * k, first)[before:].reshape(n, k)
        return self.keep((label[:, None] == np.arange(k)) / np.maximum(size, 1), got)

    def step(self, label, first):
        self.choose(6, 1)
        self.tell_labels(wire.ASSIGNMENT, self.k, label)
        return self.means(label, self.k, first)

    # ---- the choices of an honest coordinator ----

    def orthogonal(self, V):
        return np.linalg.qr(V)[0] * np.sqrt(self.rows)

    def sets(self, own):
        """Returns sets of nodes that all parties have in one cluster; small sets are merged into
        one. own: clusters of each party."""
        cell = np.unique(np.stack(own), axis=1, return_inverse=True)[1].ravel()
        big = np.argsort(-np.bincount(cell), kind="stable")[: 2 * self.k + 9]
        place = np.full(cell.max() + 1, len(big))
        place[big] = np.arange(len(big))
        return np.unique(place[cell], return_inverse=True)[1].ravel()

    def block(self, width, Y=None):
        if Y is None:
            Y = np.random.default_rng(1).normal(size=(self.rows, width))
        return self.orthogonal(Y[:, :width])

    def clusters(self, Q):
        return Q.argmax(axis=1)

    # ---- the methods ----

    def facts(self):
        n = self.rows
        self.said = False
        self.bound()  # parties scale their squared norms by this bound
        facts = self.wide(2 + n, False)
        square = facts[2:]
        if self.what["method"] == "landmark":
            k = kcagc.count(self.what["local_clusters"], self.what)
            self.own = [wire.labels(lambda c=c: c.recv((wire.LOCAL_CLUSTERS,))[1], l, k, n)
                        for l, c in enumerate(self.party)]
        measured = int(round(facts[0]))
        words = ALL if measured == 0 else NONE if measured == len(self.party) else SOME
        self.choose(1, words)
        first = True
        if words == SOME:
            square, first = self.wide(n, True), False
        self.tell_block(np.maximum(square, 0))
        # The parties sum the numbers that protocols/kcagc/slice.h lists for ASK_SPREADS.
        auto = self.what["filter"]["order"] == "auto"
        degrees = self.what["degrees"]
        self.wide(34 + 16 * auto + 2 * (degrees == "auto") + (degrees != "off"), first)
        if degrees == "auto":
            self.choose(8, 0)
        if auto:
            self.choose(2, 3)

    def landmark(self):
        label = self.sets(self.own)
        sets = int(label.max()) + 1
        self.tell_labels(wire.LANDMARKS, sets, label)
        Q = self.means(label, sets, True)
        if self.what["landmark"]["power"]:
            V = self.block(min(self.k + 10, self.rows - 1, Q.shape[1]), Q)
            self.choose(5, V.shape[1])
            Q = self.products(V, True)
        two = self.clusters(Q[:, : self.k]), self.clusters(-Q[:, : self.k])
        self.tell_labels(wire.ASSIGNMENT, self.k, np.concatenate(two))
        if self.what["polish"]:
            Q = self.means(two[0], self.k, True, before=2)
            for _ in range(self.what["polish"]):
                label = self.clusters(Q)
                Q = self.step(label, False)
        else:
            self.words(2, True)
            label = two[0]
        self.choose(6, 0)
        return label

    def gcc(self):
        V = self.block(min(self.k + 10, self.rows - 1))
        for u in range(8):
            Q = self.products(V, u == 0)
            V = self.block(V.shape[1], Q)
        label = self.clusters(Q[:, : self.k])
        self.tell_labels(wire.ASSIGNMENT, self.k, np.concatenate((label, label)))
        Q = self.means(label, self.k, True, before=2)
        for _ in range(29):
            label = self.clusters(Q)
            Q = self.step(label, False)
        self.choose(6, 0)
        return label

    def joint(self):
        self.k = self.what["clusters"]
        self.facts()
        label = {"landmark": self.landmark, "gcc": self.gcc}[self.what["method"]]()
        if self.what["filter"]["order"] == "auto":
            self.choose(2, 3)  # keeps order 3; ends the search
        self.tell_labels(wire.RESULT, self.k, label)
