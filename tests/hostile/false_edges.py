"""A malicious party of fedspectral that sends false terms to read the others' edges. The
coordinator is honest.

Each block is a combination of the sum before it and of earlier blocks, which all parties have.
The coefficients are unknown. The malicious party claims ids that no other party has. In the rows
of these ids the sum is only the party's own term. So from enough such rows the party computes the
coefficients, and with them the sum in all rows. That sum minus its own term is the others' matrix
times the block that was asked. The party's terms are random numbers, so the blocks are as good as
random ones. The party also claims ids that it guesses, so that it can name the others' nodes.

exact: it claims no edges of other ids, so joint degrees are the others' degrees. With as many
columns as the others have nodes it solves for their matrix.

fedspectral+ with one iteration: each row of the others' matrix has few entries. Orthogonal
matching pursuit finds them one after the other. With more iterations the party makes blocks of
single nodes, and guesses that the largest entries of their columns are edges.

An honest party knows only the rows in which the joint degree is its own degree.
"""
import numpy as np

import fedspectral

LARGE = 1e3  # entry of a node in its block, compared with all other entries


class Honest(fedspectral.Party):
    """Records the blocks and terms. `known` has the rows in which the others' part of each sum
    is 0."""

    def __init__(self, *args):
        super().__init__(*args)
        self.plus = self.what["variant"] != "exact"
        self.blocks, self.terms = [], []

    def joined(self, degree):
        there = degree > 0
        self.known = np.flatnonzero(np.abs(degree - self.own_degrees())[there] < 0.5)
        place = np.where(there, np.cumsum(there) - 1, -1)
        self.place = place[self.row]  # for each own id its row in blocks
        return super().joined(degree)

    def exact(self):
        if not self.plus:
            super().exact()
            return
        self.link.phase("power")
        self.own_degrees()
        self.known, self.place = self.nobodys(), self.row
        root = np.sqrt(np.maximum(self.A.sum(axis=1), 1))
        self.N = self.A / np.outer(root, root)
        for _ in range(fedspectral.PLUS_ROUNDS):
            self.block(self.n, self.what["clusters"])

    def nobodys(self):
        return np.zeros(0, int)

    def answer(self, V):
        self.blocks.append(V.astype(float))
        self.terms.append(self.term(V))
        return self.terms[-1]

    def term(self, V):
        for _ in range(self.what["iterations"] if self.plus else 1):
            V = self.N @ V
        return V

    def products(self):
        """Returns the blocks and the others' part of their sums, up to the first block that the
        known rows do not determine."""
        before, B, F = [], [], []
        for now, after, term in zip(self.blocks, self.blocks[1:], self.terms):
            before = [] if self.plus else [*before, now]
            X = np.hstack([*before, after])
            if len(self.known) < X.shape[1]:
                break
            Z = np.linalg.lstsq(X[self.known], term[self.known], rcond=None)[0]
            B.append(now)
            F.append(X @ Z - term)
        return B, F

    def found(self):
        """Returns the pairs of own ids that seem to be edges of the others."""
        B, F = self.products()
        if not B:
            return set()
        rest = np.setdiff1d(np.arange(len(B[0])), self.known)
        N = np.zeros((len(B[0]),) * 2)
        if not self.plus:
            N[np.ix_(rest, rest)] = np.hstack(F)[rest] @ np.linalg.pinv(np.hstack(B)[rest])
        elif self.what["iterations"] == 1:
            N[np.ix_(rest, rest)] = pursued(np.hstack(B)[rest], np.hstack(F)[rest])
        else:
            N = self.largest(B, F)
        name = {p: i.decode() for p, i in zip(self.place, self.ids) if p >= 0}
        pairs = np.argwhere(np.triu(np.maximum(N, N.T), 1) > 0.02)
        return {tuple(sorted((name[i], name[j]))) for i, j in pairs if i in name and j in name}


class False_(Honest):
    def __init__(self, what, ids, edges, link):
        self.random, self.turn = np.random.default_rng(1), 0
        guesses = {b"n%d" % i for i in range(len(ids) + 20)} - set(ids)
        ids = ids + sorted(guesses)
        self.count = len(ids)
        more = 4 * what["clusters"] if what["variant"] != "exact" else 2 * len(ids)
        super().__init__(what, ids + [b"nobody-%d" % i for i in range(more)], edges, link)

    def nobodys(self):
        return self.row[self.count :]

    def own_degrees(self):
        """Claims a degree of 1 for each id that no other party has, because joint degrees of 0
        are left out."""
        self.A = np.zeros((self.n, self.n))
        self.A[self.nobodys(), self.nobodys()] = 1
        return self.A.sum(axis=1)

    def term(self, V):
        term = 3 * self.random.normal(size=V.shape)
        if self.plus and self.what["iterations"] > 1:
            term[self.row[: self.count]] = 0
            node = self.single(self.turn + 1, V.shape[1])
            term[node, np.arange(len(node))] = LARGE
            self.turn += 1
        return term

    def single(self, turn, width):
        """Returns the rows of the nodes in block `turn`."""
        return self.row[: self.count][(np.arange(width) + turn * width) % self.count]

    def largest(self, B, F):
        """Marks the largest entries as edges. The two other parties are assumed to have twice as
        many edges as this party."""
        score = np.zeros((self.n, self.n))
        for turn, (V, Y) in list(enumerate(zip(B, F)))[1:]:
            node = self.single(turn, V.shape[1])
            score[:, node] = Y @ np.linalg.inv(V[node])
        np.fill_diagonal(score, 0)
        most = int(2 * 2 * len(self.edges) / self.count * self.what["clusters"] * (len(B) - 1))
        return (score >= np.sort(score.ravel())[-most]).astype(float)


def pursued(B, F):
    """Solves N B = F for a symmetric N with few entries in each row. Rows without a full
    solution are 0."""
    n = len(B)
    N, done, new = np.zeros((n, n)), np.zeros(n, bool), True
    while new:
        new = False
        for i in np.flatnonzero(~done):
            some = [int(j) for j in np.flatnonzero(done & (N[:, i] != 0))]
            free = ~done
            y, rest = F[i] - N[some, i] @ B[some], []
            left = y
            while np.abs(left).max() > 1e-3 and len(rest) < B.shape[1] // 2:
                rest.append(int(np.argmax(np.abs(B @ left) / np.linalg.norm(B, axis=1) * free)))
                at = np.linalg.lstsq(B[rest].T, y, rcond=None)[0]
                left = y - at @ B[rest]
            if np.abs(left).max() <= 1e-3:
                N[i, some] = N[some, i]
                if rest:
                    N[i, rest] = at
                done[i] = new = True
    return N
