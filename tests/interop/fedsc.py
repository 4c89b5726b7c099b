"""The coordinator side of kind fedsc, variants anchor and dense (proto/PROTOCOL.md,
protocols/fedsc/README.md). It computes what parties compute from their sums, without rows, and
the bases that only the coordinator computes. For anchor with noise in sums it computes only the
basis: the job gives the number of rounds, and parties give the length of each sum."""
import math

import numpy as np

import kmeans

NEAR = 4  # landmarks that represent a row


def analytic(eps, delta):
    """Returns the least deviation of noise for which a release of sensitivity 1 is private (Balle,
    Wang 2018, Theorem 8)."""

    def normal(x):
        return math.erfc(-x / math.sqrt(2)) / 2

    low, high = 1e-3, 1e6
    for _ in range(200):
        s = math.sqrt(low * high)
        spent = normal(1 / (2 * s) - eps * s) - math.exp(eps) * normal(-1 / (2 * s) - eps * s)
        low, high = (s, high) if spent > delta else (low, s)
    return high


def noisy_gram(job, parties):
    """Returns the deviation of all parties' noise in an entry of B'B. B: each row's weights of
    its landmarks."""
    noise, near = job["noise"], NEAR
    colluders = noise.get("colluders", parties // 2)
    own = 2 * analytic(noise["eps"],
                       noise["delta"]) / math.sqrt(parties
                                                   - (parties // 2 if colluders == "auto"
                                                      else colluders))
    step = max(2.0 ** (math.floor(math.log2(own)) - 16), 2.0**-24)
    steps = math.ceil(math.ceil(own / step)
                      * (1 + step * math.sqrt(near * (near + 1)) / math.sqrt(8)))
    return step * steps * math.sqrt(parties)


class Half(kmeans.Party):
    """link: as for kmeans.Party, and basis(eigenvalues, eigenvectors)."""

    def __init__(self, job, columns, link):
        super().__init__(job, np.zeros((0, columns)), link)

    def sum(self, words):
        return self.link.sum(np.zeros(words))

    def triangle(self, d):
        M = np.zeros((d, d))
        M[np.tril_indices(d)] = self.sum(d * (d + 1) // 2)
        return M + np.tril(M, -1).T

    def leading(self, G):
        value, U = self.top(G, self.job["clusters"])
        self.link.basis(value, U)
        return value, U

    def top(self, G, k):
        value, V = np.linalg.eigh(G)
        return value[::-1][:k], V[:, ::-1][:, :k].T

    def embed(self):
        """Replaces the rows by their embedding; the coordinator has no rows."""
        self.X = np.zeros((0, self.job["clusters"]))

    def anchor(self):
        job, k = self.job, self.job["clusters"]
        self.totals()
        self.link.phase("landmarks")
        self.landmarks(max(min(600, int(self.n / (3 if self.n < 30 * k else 5))), k))
        self.link.phase("anchor")
        M = self.triangle(len(self.Z))
        lam = M.sum(axis=1)
        by = 1 / np.sqrt(np.where(lam > 0, lam, np.inf))
        value, U = self.leading(M * np.outer(by, by))
        R = (U * by).T / np.sqrt(value)
        self.embed()
        self.Z = kmeans.weighted(R / np.linalg.norm(R, axis=1)[:, None], lam, k, job["restarts"],
                                 job["seed"])
        self.link.phase("kmeans")
        for _ in range(job["iterations"]):
            if self.round() <= 0:
                break
        self.counting()

    def dense(self):
        job, k = self.job, self.job["clusters"]
        self.totals()
        self.sum(1)  # the parties' mean distances between rows, which give the width
        self.link.phase("landmarks")
        self.landmarks(max(min(250, int(self.n / 5)), k))
        self.link.phase("dims")
        M = self.triangle(len(self.Z))
        share = np.cumsum(np.linalg.eigvalsh(M)[::-1])
        d = max(int((share < 0.99 * np.trace(M)).sum()) + 1, k)
        if d < len(self.Z):
            self.link.phase("landmarks")
            self.landmarks(d)
        self.link.phase("stage-1")
        for _ in range(job["rounds"]):
            x = self.sum(self.Z.size + 1)
            before, self.Z = self.Z, x[:-1].reshape(self.Z.shape) / x[-1]
            if math.sqrt(((self.Z - before) ** 2).sum() / (self.Z**2).sum()) <= job["tolerance"]:
                break
        self.link.phase("dense")
        d = len(self.Z)
        self.sum(d)
        self.leading(self.triangle(d))
        self.embed()
        self.by_kmeans(1e-6)

    def noisy_anchor(self):
        self.link.phase("totals")
        self.link.sum()
        self.link.phase("landmarks")
        for _ in range(self.job["iterations"]):
            self.link.sum()
        self.link.phase("anchor")
        got = self.link.sum()
        d = int(math.sqrt(2 * len(got)))
        M = np.zeros((d, d))
        M[np.tril_indices(d)] = got
        M += np.tril(M, -1).T
        noise = M < 2 * noisy_gram(self.job, len(self.link.party))
        M[noise & ~np.eye(d, dtype=bool)] = 0
        M = np.where(np.eye(d, dtype=bool), np.maximum(M, 0), M)
        lam = M.sum(axis=1)
        by = 1 / np.sqrt(np.where(lam > 0, lam, np.inf))
        self.leading(M * np.outer(by, by))

    def run(self):
        noisy = self.job.get("noise", {}).get("on") == "sums"
        {"anchor": self.noisy_anchor if noisy else self.anchor,
         "dense": self.dense}[self.job["variant"]]()
