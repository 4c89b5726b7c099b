#!/usr/bin/env python3
"""A coordinator that breaks off attempts at one job, numbers the nodes differently in each, and
compares the answers.

    repeats.py --config coordinator.json --job job.json --ready-file FILE --truth DIR [--lie N]
    [--rows same]

fedspectral with noise.on "sums": in each column of a block five nodes have the digits 1, 1/4, 1/16,
... The blocks have the same bytes in all attempts. If the noise is the same in two attempts, the
difference of their answers is free of it. In the second attempt node i has the row of the next
node. So the differences along a cycle of pairs show which pairs are edges.

fedwalk, mode "randomized-response": in each attempt the vertices of a party exchange their rows.
If a party's random flips are the same in two attempts, its reports differ only at the rows of ties.

N is the number of attempts, 3 by default. --rows same: all attempts use the numbers of the first.
The job's ids are "plain", so that pairs can be compared. DIR is the parties' data. The last line
of stdout is {"read", "right", "of", "one", "equal", "said"}:

    read, right, of   pairs read from all attempts, how many of them are true, how many exist
    one               right and read of one attempt
    equal             pairs of attempts with equal noise
    said              the parties' message in each attempt
"""
import argparse
import glob
import itertools
import json
import sys

import numpy as np

import liar  # first, because it sets the path to the other modules
import kinds
import wire
from coordinator import arguments
from wire import Broken

DIGITS = 4.0 ** -np.arange(5)


class Repeating(liar.Lies):
    """Runs N attempts and breaks each off when it has enough answers."""

    def __init__(self, attempts, same, *args):
        super().__init__("attempts=%d" % attempts, *args)
        self.most, self.same, self.seen, self.endings = attempts, same, [], []

    def number(self):
        self.all = sorted(set().union(*self.ids))
        place = np.arange(len(self.all)) if self.same or self.attempt == 1 else self.places()
        row = dict(zip(self.all, place))
        self.rows = [np.array([row[i] for i in ids], dtype=np.int64) for ids in self.ids]
        self.place = place

    def run(self):
        import threading

        threading.Thread(target=self.beat, daemon=True).start()
        for _ in range(self.most):
            before = len(self.seen)
            self.endings.append(self.one())
            print(f"attempt {self.attempt}: {self.endings[-1]}", flush=True)
            self.attempt += 1
            if "declined" in self.endings[-1] or len(self.seen) == before:
                break
        self.over.set()

    def tell(self, total):
        pass

    def edges(self, truth):
        at = {i.decode(): n for n, i in enumerate(self.all)}
        lines = [line.split()[:2] for f in glob.glob(truth + "/party-*/edges.tsv")
                 for line in open(f)]
        return {tuple(sorted((at[a], at[b]))) for a, b in lines if a != b and a in at and b in at}


class Edges(Repeating, kinds.Fedspectral):
    def places(self):
        return np.roll(np.arange(len(self.all)), self.attempt - 1)

    def rounds(self):
        n, k = self.n, self.what["clusters"]
        self.phase("degrees")
        answers = [self.untold()[:, None]]
        self.column = [(r, c) for r, w in enumerate([self.what["block"]] * 6 + [k] * 4)
                       for c in range(w)]
        assert len(self.column) * len(DIGITS) >= n, "not enough places"
        X = [np.zeros((n, w)) for w in [self.what["block"]] * 6 + [k] * 4]
        for s in range(n):
            r, c = self.column[s // len(DIGITS)]
            X[r][s, c] = DIGITS[s % len(DIGITS)]
        for r, x in enumerate(X):
            if r in (0, 6):
                self.phase("power" if r == 0 else "kmeans")
            answers.append(self.product(x))
        self.seen.append((answers, self.place))
        raise Broken("enough of this attempt")

    def block(self, c, V):
        for body in wire.real_bodies(self.root(), V, "<f4"):
            c.send(wire.BLOCK, body)

    def differences(self, a, b):
        """Returns D[r, s] for the pairs (r, s) of rows: the entry of the first answers minus
        that of the second, if the noise is the same."""
        n = self.n
        D = np.zeros((n, n))
        for s in range(0, n, len(DIGITS)):
            r, c = self.column[s // len(DIGITS)]
            rest = a[r + 1][:, c] - b[r + 1][:, c]
            for i in range(min(len(DIGITS), n - s)):
                D[:, s + i] = np.round(rest / DIGITS[i])
                rest = rest - D[:, s + i] * DIGITS[i]
        return D

    def read(self, pairs):
        if len(self.seen) < 2:
            return set()
        (a, _), (b, place) = self.seen[:2]
        n, D = self.n, self.differences(a, b)
        shift = np.argsort(place)  # the node of each row in the second attempt
        A = np.zeros((n, n))
        for s in range(n):
            # A[r, s] - A[shift r, shift s] = D[r, s]. So along r, s -> shift r, shift s -> ... the
            # sums of D give A up to a constant, and the least A is taken to be 0.
            r, c, total, path = 0, s, 0.0, []
            for _ in range(n):
                path.append((r, c, total))
                total -= D[r, c]
                r, c = shift[r], shift[c]
            least = min(t for _, _, t in path)
            for r, c, t in path:
                A[r, c] = t - least
        return {(int(i), int(j)) for i, j in np.argwhere(A >= 1) if i < j}

    def one_reads(self):
        """Returns the pairs that the digits of a single attempt show, with their noise."""
        D = self.differences(self.seen[0][0], [0 * x for x in self.seen[0][0]])
        return {(int(i), int(j)) for i, j in np.argwhere((D >= 1) & (D.T >= 1)) if i < j}

    def equal(self):
        """Counts pairs of attempts whose degrees differ only by whole numbers."""
        degrees = [answers[0] for answers, _ in self.seen]
        return sum(bool(np.all(np.abs(np.round(x - y) - (x - y)) < 1e-3))
                   for x, y in itertools.combinations(degrees, 2))


class Ties(Repeating, kinds.Fedwalk):
    def places(self):
        place, random = np.arange(len(self.all)), np.random.default_rng(self.attempt)
        at = {i: n for n, i in enumerate(self.all)}
        for ids in self.ids:
            own = np.array([at[i] for i in ids])
            place[own] = place[random.permutation(own)]
        return place

    def rounds(self):
        self.batches(wire.BATCH_DIRECTORY)
        self.batches(wire.BATCH_TIES)
        self.seen.append(({(int(u), int(v)) for u, v in self.reports()}, self.place))
        raise Broken("enough of this attempt")

    def read(self, pairs):
        """Returns the pairs whose report differs between attempts in at least five of six
        comparisons."""
        differs = {(a, b): self.seen[a][0] ^ self.seen[b][0]
                   for a, b in itertools.combinations(range(len(self.seen)), 2)}
        found = set()
        for i, j in pairs if differs else ():
            at = [tuple(sorted((int(p[i]), int(p[j])))) for _, p in self.seen]
            looks = [at[n] in d for (a, b), d in differs.items() if at[a] != at[b] for n in (a, b)]
            if looks and 6 * sum(looks) >= 5 * len(looks):
                found.add((i, j))
        return found

    def one_reads(self):
        reports, place = self.seen[0]
        return {(i, j) for i, j in self.pairs()
                if tuple(sorted((int(place[i]), int(place[j])))) in reports}

    def pairs(self):
        return itertools.combinations(range(len(self.all)), 2)

    def equal(self):
        """Counts pairs of attempts whose reports differ at no more pairs of rows than the ties
        have in both attempts."""
        return sum(len(a ^ b) <= 2 * len(self.true)
                   for (a, _), (b, _) in itertools.combinations(self.seen, 2))


def main():
    parser = argparse.ArgumentParser(description="a coordinator that asks again")
    parser.add_argument("--lie", type=int, default=3)
    parser.add_argument("--rows", default="other")
    parser.add_argument("--truth", required=True)
    a, config, job = arguments(parser)
    base = Edges if job["kind"] == "fedspectral" else Ties
    c = base(a.lie, a.rows == "same", config, job, a.ready_file)
    c.run()
    c.true = true = c.edges(a.truth)
    read = c.read(list(itertools.combinations(range(len(c.all)), 2)))
    one = c.one_reads() if c.seen else set()
    print(
        json.dumps({"read": len(read), "right": len(read & true), "of": len(true),
                    "one": [len(one & true), len(one)],
                    "equal": c.equal(), "said": c.endings}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
