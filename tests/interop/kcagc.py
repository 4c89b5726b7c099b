"""Method "basic" of kCAGC (protocols/kcagc/README.md, proto/PROTOCOL.md): a party's numbers and
messages, and the coordinator's decisions from sums. Also the coordinator's decisions for kind
"kmeans.columns.predict"."""
import math

import numpy as np

import kmeans
import secsum
import wire

START_WORDS = 4 << 20  # limits the starts: most words in the sum of one round


def count(size, job):
    """Returns a size as a number. The job may give it as "k", "2k", "local" or a number."""
    if size == "local":
        size = job["local_clusters"]
    if isinstance(size, str):
        return int(size.rstrip("k") or 1) * job["clusters"]
    return size


def embed(job, X, edges):
    """Embeds the features X (n x m): returns Z (n x d). edges: each pair once."""
    n, Z, projection = len(X), X.copy(), job["projection"]
    some = X[X != 0]
    if job["features"] == "idf" and some.size and (some == some[0]).all():
        Z *= np.log((1 + n) / (1 + (X != 0).sum(axis=0))) + 1
    S = np.eye(n)
    S[edges[:, 0], edges[:, 1]] = S[edges[:, 1], edges[:, 0]] = 1
    root = np.sqrt(S.sum(axis=1))
    S /= np.outer(root, root)
    for _ in range(job["filter"]["order"]):
        Z = (Z + S @ Z) / 2
    U, value, _ = np.linalg.svd(Z, full_matrices=False)
    d = count(projection["dims"], job)
    Z = U[:, :d] * (value[:d] if projection["basis"] == "scaled" else 1)
    if projection["unit_rows"]:
        length = np.sqrt((Z * Z).sum(axis=1))
        mean = length.mean()
        there = length > 1e-12 * mean
        Z[~there] = 0
        Z[there] /= (mean * (length[there] / mean) ** projection["row_power"])[:, None]
        Z *= np.sqrt((value[:d] > 1e-8 * value[0]).sum() / d)
    return Z


class Shape:
    """The joint k-means of a job: n items, K clusters, R starts, Q iterations."""

    def __init__(self, job, n):
        self.n, self.K, self.Q = n, job["clusters"], job["iterations"]
        fit = START_WORDS // (n * self.K)
        self.R = min(job["starts"], max(fit, job["restarts"]))
        self.keep = min(job["restarts"], self.R)
        self.screen = job["screen"] if self.keep < self.R else 0

    def rounds(self):
        return range(self.Q + 1)  # round 0 is the 1/9 step of protocols/kcagc/README.md


def check(job):
    told = job["method"], job["filter"]["kind"], job["joint_norm"], job["polish"]
    assert told == ("basic", "half", False, 0), f"not written here: {told}"


LEAST_FRACTION = 20  # with fewer fraction bits, parties compute a bound on their own rows


def most(job, parties, n):
    """Returns a bound on squared distances of joint rows, or 0 if there is none for all data."""
    of = job.get("projection", {"unit_rows": False})  # kmeans.columns has none and scales no rows
    p = of["row_power"] if of["unit_rows"] else 0
    if not 0.5 <= p <= 1:
        return 0
    return 4 * parties * n ** (2 * (1 - p))


def word(job, parties, n, ask):
    """Returns the bits of a word of distances, and of its fraction. ask() returns the exponent of a
    bound that parties compute together."""
    bits, fraction = (job["secure_sum"][name] for name in ("modulus_bits", "fraction_bits"))
    if fraction == "auto" and job["kind"].endswith(".predict"):
        fraction = secsum.fraction_for((4 + parties) * 2.0 ** ask(), parties, bits)
    elif fraction == "auto":
        known = most(job, parties, n)
        fraction = secsum.fraction_for(known, parties, bits) if known else 0
        if fraction < LEAST_FRACTION:
            fraction = secsum.fraction_for(4 * 2.0 ** ask(), parties, bits)
    return bits, fraction


class Party:
    """link: phase(name), recv_labels(kind, values, count, none), add(term), agree(job, Z)."""

    def __init__(self, job, X, edges, link):
        check(job)
        self.job, self.link, self.shape = job, link, Shape(job, len(X))
        self.Z = embed(job, X, edges)

    def centres(self, label, mu):
        """Updates mu in place; a cluster without items keeps its centre."""
        for c in range(len(mu)):
            if (label == c).any():
                mu[c] = self.Z[label == c].mean(axis=0)

    def run(self):
        s, link, items = self.shape, self.link, self.Z
        link.agree(self.job, items)
        link.phase("joint")
        if s.n > s.K:
            label = link.recv_labels(wire.STARTS, s.K, s.R * s.n).reshape(s.R, s.n)
            mu = np.zeros((s.R, s.K, items.shape[1]))
            for r in range(s.R):
                self.centres(label[r], mu[r])
            moving = np.arange(s.R)
            for t in s.rounds():
                if not len(moving):
                    break
                link.add(np.concatenate([kmeans.distances(items, mu[r]).ravel() for r in moving]))
                told = link.recv_labels(wire.ASSIGNMENT, s.K, len(moving) * s.n, none=t == 0)
                told = told.reshape(len(moving), s.n)
                still = [t == 0 or (label[r] != now).any() for r, now in zip(moving, told)]
                label[moving] = told
                for r in moving:
                    self.centres(label[r], mu[r])
                moving = moving[still]
                if t and t == s.screen:
                    kept = link.recv_labels(wire.KEPT, 1, s.R)
                    moving = moving[kept[moving] == 1]
        won = link.recv_labels(wire.CLUSTERS, s.K, s.n, none=False)
        result = link.recv_labels(wire.RESULT, s.K, s.n, none=False)
        assert np.array_equal(won,
                              result), "RESULT is not what the last assignment made of the nodes"
        return result


class Coordinator:
    """link: phase(name), sum(words) -> numbers, tell_labels(kind, values, labels), root()."""

    def __init__(self, job, n, link):
        check(job)
        self.link, self.shape, self.seed = link, Shape(job, n), job["seed"]

    def starts(self):
        s = self.shape
        label = np.full((s.R, s.n), s.K)
        for r in range(s.R):
            rng, c = kmeans.Random(self.seed, self.link.root() << 32 | r), 0
            while c < s.K:
                i = rng.below(s.n)
                if label[r, i] == s.K:
                    label[r, i] = c
                    c += 1
        return label

    def run(self):
        s, link = self.shape, self.link
        link.phase("joint")
        if s.n <= s.K:
            best = np.arange(s.n)
        else:
            label, inertia = self.starts(), np.full(s.R, math.inf)
            link.tell_labels(wire.STARTS, s.K, label)
            running = moving = np.arange(s.R)
            for t in s.rounds():
                if not len(moving):
                    break
                D = link.sum(len(moving) * s.n * s.K).reshape(len(moving), s.n, s.K)
                now = D.argmin(axis=2)
                if t == 0:
                    least, second = np.moveaxis(np.partition(D, 1, axis=2)[:, :, :2], 2, 0)
                    now[least > second / 9] = s.K
                else:
                    inertia[moving] = D.min(axis=2).sum(axis=1)
                still = (now != label[moving]).any(axis=1) if t else np.ones(len(moving), bool)
                label[moving] = now
                link.tell_labels(wire.ASSIGNMENT, s.K, now)
                moving = moving[still]
                if t and t == s.screen:
                    running = np.sort(np.argsort(inertia, kind="stable")[: s.keep])
                    link.tell_labels(wire.KEPT, 1, np.isin(np.arange(s.R), running).astype(int))
                    moving = moving[np.isin(moving, running)]
            best = label[running[inertia[running].argmin()]]
        link.tell_labels(wire.CLUSTERS, s.K, best)
        link.tell_labels(wire.RESULT, s.K, best)


class Placing:
    """Assigns rows for kmeans.columns.predict: sums the k squared distances of each row, at most
    2^20 words in a sum, then sends RESULT."""

    def __init__(self, job, n, link):
        self.link, self.k, self.n = link, job["clusters"], n

    def run(self):
        step, label = max((1 << 20) // self.k, 1), []
        for at in range(0, self.n, step):
            rows = min(step, self.n - at)
            label.append(self.link.sum(rows * self.k).reshape(rows, self.k).argmin(axis=1))
        self.link.tell_labels(wire.RESULT, self.k, np.concatenate(label))


KINDS = {"kcagc": Coordinator, "kmeans.columns.predict": Placing}
