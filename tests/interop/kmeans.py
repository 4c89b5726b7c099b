"""The computations of a party of kind kmeans (proto/PROTOCOL.md, protocols/fedsc/README.md) from
broadcast sums."""
import math

import numpy as np

PARTS = 108, 54, 0, -54, -108  # exponents: a number is the sum of part * 2^exponent
ALL = 2**64 - 1


class Random:
    """xoshiro256**, seeded by SplitMix64."""

    def __init__(self, seed, stream):
        self.state = seed
        self.state = self.mix() ^ stream
        self.s = [self.mix() for _ in range(4)]

    def mix(self):
        self.state = z = (self.state + 0x9E3779B97F4A7C15) & ALL
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & ALL
        z = (z ^ z >> 27) * 0x94D049BB133111EB & ALL
        return z ^ z >> 31

    def word(self):
        s, turn = self.s, lambda x, k: (x << k | x >> (64 - k)) & ALL
        out, t = turn(s[1] * 5 & ALL, 7) * 9 & ALL, s[1] << 17 & ALL
        s[2] ^= s[0]
        s[3] ^= s[1]
        s[1] ^= s[2]
        s[0] ^= s[3]
        s[2] ^= t
        s[3] = turn(s[3], 45)
        return out

    def below(self, bound):
        while True:
            product = self.word() * bound
            if (product & ALL) >= (1 << 64) % bound:
                return product >> 64

    def unit(self):
        return (self.word() >> 11) * 2.0**-53

    def normal(self):
        u, v = 1 - self.unit(), self.unit()
        return math.sqrt(-2 * math.log(u)) * math.cos(6.283185307179586 * v)


def in_order(x):
    return float(np.cumsum(x)[-1]) if len(x) else 0.0


def distances(Z, C):
    D = np.zeros((len(Z), len(C)))
    for j in range(Z.shape[1]):
        D += (Z[:, j, None] - C[None, :, j]) ** 2
    return D


def sums_by(label, k, Z):
    out = np.zeros((k, Z.shape[1]))
    np.add.at(out, label, Z)
    return out


def seeds(Z, w, k, rng):
    near, trials, centres = np.ones(len(Z)), 2 + int(math.log(k)), []
    for r in range(k):
        mass, best = np.cumsum(w * near), None
        for pick in [int(np.argmax(mass > t))
                     for t in [rng.unit() * mass[-1] for _ in range(trials if r else 1)]]:
            gap = distances(Z, Z[pick : pick + 1])[:, 0]
            left = np.minimum(near, gap) if r else gap
            if best is None or in_order(w * left) < best[0]:
                best = in_order(w * left), pick, left
        centres.append(Z[best[1]])
        near = best[2]
    return np.array(centres)


def weighted(Z, w, k, restarts, seed):
    """Returns the centres of weighted k-means of landmarks, the best of `restarts` restarts."""
    best = math.inf, None
    for number in range(restarts):
        C, label = seeds(Z, w, k, Random(seed, number)), None
        for _ in range(100):
            D = distances(Z, C)
            now = D.argmin(axis=1)
            if label is not None and np.array_equal(now, label):
                break
            label, total = now, np.zeros(k)
            np.add.at(total, label, w)
            C = np.where(total[:, None] > 0,
                         sums_by(label, k, w[:, None] * Z) / np.maximum(total, 1e-300)[:, None], C)
        least = w * D.min(axis=1)
        inertia = 0.0
        for i in range(0, len(Z), 256):
            inertia += in_order(least[i : i + 256])
        if inertia < best[0]:
            best = inertia, C
    return best[1]


def in_parts(x):
    parts = []
    for rest in map(float, x):
        for exponent in PARTS:
            whole = math.trunc(math.ldexp(rest, 24 - exponent))
            parts.append(math.ldexp(whole, -24))
            rest -= math.ldexp(whole, exponent - 24)
    return parts


def joined(parts):
    out = []
    for i in range(0, len(parts), len(PARTS)):
        out.append(0.0)
        for exponent, part in zip(PARTS, parts[i : i + len(PARTS)]):
            out[-1] += math.ldexp(part, exponent)
    return out


class Party:
    """link: phase(name), bind(numbers), sum(term) -> the sum of all terms."""

    def __init__(self, job, X, link):
        self.job, self.X, self.link, self.least = job, X.copy(), link, job["min_cluster"]

    def ask(self, kind, term, scale=0.0, also=None):
        self.link.bind([kind, scale, 0, 0])
        if also is not None:
            self.link.bind(also)
        return self.link.sum(term) if len(term) else None

    def ask_parts(self, kind, term, also=None):
        return joined(self.ask(kind, in_parts(term), also=also))

    def totals(self):
        X, m = self.X, self.X.shape[1]
        self.link.phase("totals")
        total = self.ask_parts(0, [len(X), *(in_order(column) for column in X.T)])
        self.n, mean = total[0], [t / total[0] for t in total[1:]]
        X -= np.array(mean)
        if self.job.get("standardize") == "joint":
            scale, unit = self.own_units(mean)
        else:
            spread, every, between = self.ask_parts(1, [in_order((X * X).ravel())],
                                                    mean)[0], 0.0, 0.0
            for t in mean:
                every += t / m
            for t in mean:
                between += (t - every) * (t - every) / m
            scale, unit = math.sqrt(spread / (self.n * m) + between), None
        self.ask(2, [], scale, unit)
        self.mean, self.scale = np.array(mean), scale
        X /= scale if unit is None else np.array(unit)

    def own_units(self, mean):
        """Returns the units for standardize "joint"; no column of this party is a category."""
        X, m = self.X, self.X.shape[1]
        got = self.ask_parts(1, [*(in_order(column * column) for column in X.T), *([0.0] * m)],
                             mean)
        unit, left = [], 0.0
        for t, spread, apart in zip(mean, got[:m], got[m:]):
            if apart:
                raise ValueError(f"a column is a category at {apart} parties, and none here")
            deviation = math.sqrt(spread / self.n if spread > 0 else 0)
            alike = deviation <= 1e-10 * abs(t)
            unit.append(1.0 if alike else deviation)
            left += 0.0 if alike else 1.0
        scale = math.sqrt(left / m)
        return scale, [u * scale for u in unit]

    def counting(self):
        D = distances(self.X, self.Z)
        self.label, self.near = D.argmin(axis=1), D.min(axis=1)
        own = np.bincount(self.label, minlength=len(self.Z))
        self.count = self.ask(3, own.astype(float), also=self.Z.ravel())

    def clusters(self, stays):
        both = np.column_stack([self.X, self.near])
        return self.ask(3,
                        sums_by(self.label, len(self.Z),
                                both)[stays].ravel()).reshape(-1, both.shape[1])

    def round(self, drop=False):
        self.counting()
        m, stays = self.X.shape[1], self.count >= self.least
        most, self.spread = 0.0, np.zeros(len(self.Z))
        if stays.any():
            for i, row in zip(np.flatnonzero(stays), self.clusters(stays)):
                mean = row[:m] / self.count[i]
                most = max(most, math.sqrt(in_order((mean - self.Z[i]) ** 2)))
                self.Z[i], self.spread[i] = mean, max(row[m], 0)
            if drop:
                self.keep(stays)
        return most

    def keep(self, which):
        self.Z, self.count, self.spread = self.Z[which], self.count[which], self.spread[which]

    def split(self, more, by, rng):
        m = self.X.shape[1]
        added = []
        for i in sorted(range(len(self.Z)), key=lambda i: (-self.spread[i], i))[:more]:
            e = by * math.sqrt(self.spread[i] / (self.count[i] * m))
            off = np.array([float(np.float32(e * rng.normal())) for _ in range(m)])
            added.append(self.Z[i] - off)
            self.Z[i] = self.Z[i] + off
        self.Z = np.vstack([self.Z, added])

    def landmarks(self, most):
        rng, still, drop, alive = Random(self.job["seed"], 0x6C6267), 0, True, 1
        self.Z = np.zeros((1, self.X.shape[1]))
        self.round(True)
        carried = min(most, self.count[0] / (4 * self.least))
        for _ in range(64):
            if alive >= most or len(self.Z) >= 4 * most:
                break
            before, held = alive, (self.Z.copy(), self.count, self.spread)
            self.split(min(alive, most - alive), 0.5 * 0.25**still, rng)
            for _ in range(4):
                self.round(drop)
            if not (self.count >= self.least).any():
                self.Z, self.count, self.spread = held
            self.keep(self.count >= 1)
            alive = int((self.count >= self.least).sum())
            still = still + 1 if alive <= before else 0
            if still > 8 or (still and 2 * alive >= carried):
                break
            drop = drop and not still
        for _ in range(10):
            self.round(drop)
        self.keep(self.count >= self.least)

    def run(self):
        self.totals()
        return self.by_kmeans(self.job["tolerance"])

    def by_kmeans(self, tolerance):
        job, k = self.job, self.job["clusters"]
        self.link.phase("kmeans")
        self.landmarks(max(min(max(20 * k, 100), int(self.n / 5)), k))
        far = tolerance * math.sqrt(in_order(self.spread) / self.n)
        self.Z = weighted(self.Z, self.count, k, job["restarts"], job["seed"])
        for _ in range(job["iterations"]):
            if self.round() <= far:
                break
        self.counting()
        return self.label
