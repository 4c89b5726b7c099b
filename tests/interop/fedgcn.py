"""Kind fedgcn after proto/PROTOCOL.md and protocols/fedgcn/README.md. The job gives the number of
sums, so the coordinator computes nothing. If prototypes are unmasked, it relays those of one
party at the end of a round."""
import glob
import math
import os

import numpy as np

import coordinator
import kmeans
import wire


class Coordinator(coordinator.Coordinator):
    C = None  # unmasked prototypes of the last round

    def __init__(self, config, job, ready_file=None):
        super().__init__(config, job, ready_file)
        centres = 9 + 3 * (job["clusters"] - 1).bit_length()
        self.firsts = (0, 1, 1 + centres, 1 + centres + job["rounds"])

    def clear(self, first):
        """Broadcasts the prototypes of the first party; a prototype without graphs keeps its old
        value."""
        k, got = self.what["clusters"], []
        rows = k * (1 if self.what["prototypes"] == "kde" else self.what["epochs"])
        for l, (c, body) in enumerate(zip(self.party, first)):
            bodies = iter([body])
            got.append(wire.reals(lambda c=c, b=bodies: next(b, None)
                                  or c.recv((wire.PROTOTYPES,))[1], l, rows * (Z_LENGTH + 1) + 1,
                                  "<f8"))
        own = got[0][(rows - k) * Z_LENGTH : rows * Z_LENGTH].reshape(k, -1)
        there = got[0][-1 - k : -1, None] > 0
        self.C = np.where(there, own, np.zeros_like(own) if self.C is None else self.C)
        for c in self.party:
            self.tell_prototypes(c, self.C)

    def tell_prototypes(self, c, C):
        for body in wire.real_bodies(self.root(), C, "<f8"):
            c.send(wire.MATRIX, body)


# ---- a party: features "structure" ----

HIDDEN, Z_LENGTH, WALKS, DEGREES, LAYERS = 64, 64, 16, 16, 3
F32 = np.float32


def read_graphs(folder):
    """Returns the adjacency matrices of a set in TU format."""
    path = glob.glob(os.path.join(folder, "*_graph_indicator.txt"))[0]
    graph = np.loadtxt(path, dtype=int) - 1
    edges = np.loadtxt(path.replace("graph_indicator", "A"), dtype=int, delimiter=",") - 1
    first = np.searchsorted(graph, np.arange(graph[-1] + 2))
    A = [np.zeros((n, n)) for n in np.diff(first)]
    for u, v in edges[edges[:, 0] != edges[:, 1]]:
        at = first[graph[u]]
        A[graph[u]][[u - at, v - at], [v - at, u - at]] = 1
    return A


def features(A):
    degree = A.sum(axis=1)
    F = np.zeros((len(A), DEGREES + WALKS))
    F[np.arange(len(A)), np.clip(degree, 1, DEGREES).astype(int) - 1] = 1
    step = A / np.maximum(degree, 1)[:, None]
    power = np.eye(len(A))
    for t in range(WALKS):
        power = power @ step
        F[:, DEGREES + t] = np.diag(power)
    return F.astype(F32)


def shapes(width):
    h = HIDDEN
    return [(width, h)] + 5 * [(h, h)] + [(LAYERS * h, h), (h, h), (h, width), (h, Z_LENGTH)]


def draw(shape, seed):
    rng, W = kmeans.Random(seed, 0x67696E), []
    for inner, outer in shape:
        bound = 1 / math.sqrt(inner)
        W += [(2 * rng.unit() - 1) * bound for _ in range((inner + 1) * outer)]
    return np.array(W, dtype=F32)


class Net:
    def __init__(self, shape, W):
        self.shape, self.W, self.at = shape, W, np.cumsum([0] + [(i + 1) * o for i, o in shape])

    def map(self, part):
        inner, outer = self.shape[part]
        w = self.W[self.at[part] : self.at[part + 1]]
        return w[: inner * outer].reshape(inner, outer), w[inner * outer :]

    def linear(self, part, X, relu):
        w, b = self.map(part)
        Y = X @ w + b
        return np.maximum(Y, 0) if relu else Y

    def forward(self, batch):
        """Returns Z, the embeddings of graphs. batch: (A + I, F) of each graph, with its adjacency
        matrix A and the features F of its nodes. Keeps the values that backward() needs."""
        self.batch, self.F = batch, np.vstack([F for _, F in batch])
        self.s, self.u, self.h = [], [], [self.F]
        for l in range(LAYERS):
            self.s.append(self.gather(self.h[l]))
            self.u.append(self.linear(2 * l, self.s[l], True))
            self.h.append(self.linear(2 * l + 1, self.u[l], True))
        self.of = np.repeat(np.arange(len(batch)), [len(F) for _, F in batch])
        self.r = np.zeros((len(batch), LAYERS * HIDDEN), F32)
        np.add.at(self.r, self.of, np.hstack(self.h[1:]))
        self.readout = self.linear(6, self.r, True)
        return self.linear(9, self.readout, False)

    def gather(self, X):
        at, out = 0, []
        for A, F in self.batch:
            out.append(A @ X[at : at + len(F)])
            at += len(F)
        return np.vstack(out)

    def back(self, part, X, dY, gradient):
        gradient[self.at[part] : self.at[part + 1]] = np.append((X.T @ dY).ravel(), dY.sum(axis=0))
        return dY @ self.map(part)[0].T

    def backward(self, dZ, weight):
        """Returns the gradient of a loss plus `weight` ||F - F^||^2, and that square. F^: the
        features that the network decodes; dZ: derivative of the loss with respect to Z."""
        g, top = np.zeros_like(self.W), self.h[LAYERS]
        hidden = self.linear(7, top, True)
        apart = self.linear(8, hidden, False) - self.F
        d = self.back(7, top, self.back(8, hidden, 2 * weight * apart, g) * (hidden > 0), g)
        pooled = self.back(6, self.r, self.back(9, self.readout, dZ, g) * (self.readout > 0),
                           g)[self.of]
        for l in range(LAYERS - 1, -1, -1):
            d = (d + pooled[:, l * HIDDEN : (l + 1) * HIDDEN]) * (self.h[l + 1] > 0)
            d = self.back(2 * l + 1, self.u[l], d, g) * (self.u[l] > 0)
            d = self.gather(self.back(2 * l, self.s[l], d, g))
        return g, float((apart.astype(float) ** 2).sum())


def draw_together(Z, C):
    """Returns the mean divergence of the targets P from the shares Q of embeddings Z in the
    prototypes C, and its derivatives with respect to Z and C."""
    gap = Z[:, None] - C[None]
    near = 1 / (1 + (gap**2).sum(axis=2))
    Q = near / near.sum(axis=1)[:, None]
    P = Q * Q / Q.sum(axis=0)
    P /= P.sum(axis=1)[:, None]
    pull = (2 / len(Z) * (P - Q) * near)[:, :, None] * gap
    return float((P * np.log(P / Q)).sum() / len(Z)), pull.sum(axis=1), -pull.sum(axis=0)


class Adam:
    def __init__(self, n):
        self.mean, self.square, self.t = np.zeros(n, F32), np.zeros(n, F32), 0

    def step(self, rate, g, x):
        self.t += 1
        self.mean += F32(0.1) * (g - self.mean)
        self.square += F32(0.001) * (g * g - self.square)
        x -= F32(rate / (1 - 0.9**self.t)) * self.mean / (
            np.sqrt(self.square / F32(1 - 0.999**self.t)) + F32(1e-8))


class Party:
    """link: phase(name), bind(numbers) and sum(term) as for kmeans.Party; upload(numbers) and
    told(count) for unmasked prototypes."""

    def __init__(self, job, folder, link):
        self.job, self.link, self.k = job, link, job["clusters"]
        self.ways, self.shares = job["prototypes"], job["aggregation"]
        self.graphs = [((A + np.eye(len(A))).astype(F32), features(A)) for A in read_graphs(folder)]
        self.shape = shapes(self.graphs[0][1].shape[1])
        at = np.cumsum([0] + [(i + 1) * o for i, o in self.shape])
        self.n = at[-1]  # number of weights; `travel` of them are uploaded
        self.travel = at[8] if self.shares == "fedper" else self.n

    def ask(self, question, term):
        self.link.bind(np.asarray(question, dtype=F32).astype(float))
        return self.link.sum(np.asarray(term, dtype=float))

    def nearest(self, C):
        D = ((self.Z[:, None] - C[None]) ** 2).sum(axis=2)
        return D.argmin(axis=1), D.min(axis=1)

    def sums(self, C):
        """Returns for each centre the number of graphs, the sum of Z and of squared distances;
        zeros for a centre of too few graphs."""
        label, near = self.nearest(C)
        term = np.zeros((self.k, 2 + Z_LENGTH))
        np.add.at(term, label, np.column_stack([np.ones(len(self.Z)), self.Z, near]))
        term[term[:, 0] < self.job["min_cluster"]] = 0
        return term.ravel()

    def step(self, have):
        question = np.append([have], self.C.ravel())
        sums = self.sums(self.C[:have].astype(F32).astype(float))
        got = self.ask(question, sums).reshape(self.k, -1)[:have]
        self.count[:have], self.spread[:have] = got[:, 0], got[:, -1]
        some = got[:, 0] > 0
        self.C[:have][some] = got[some, 1:-1] / got[some, :1]

    def split(self, have, rng):
        at = int(self.spread[:have].argmax())
        e = math.sqrt(max(self.spread[at], 0) / self.count[at]
                      / Z_LENGTH) if self.count[at] > 0 else 0
        d = np.array([(e + 1e-6) / 2 * rng.normal() for _ in range(Z_LENGTH)])
        self.C[have] = self.C[at] - d
        self.C[at] += d
        self.count[at] /= 2
        self.spread[at] /= 4
        self.count[have], self.spread[have] = self.count[at], self.spread[at]

    def centres(self):
        self.link.phase("centres")
        self.C, self.count, self.spread = np.zeros((self.k,
                                                    Z_LENGTH)), np.zeros(self.k), np.zeros(self.k)
        rng, have = kmeans.Random(self.job["seed"], 0x200000), 1
        self.step(have)
        for t in range(8 + 3 * (self.k - 1).bit_length()):
            for have in range(have, min(2 * have, self.k)) if t % 3 == 0 else ():
                self.split(have, rng)
            have = max(have, min(self.k, 2 ** (t // 3 + 1)))
            self.step(have)

    def train(self, number):
        """Trains x, which has the weights and then the prototypes, for the epochs of a round.
        Returns the two losses."""
        job, x = self.job, self.x
        order, rng, adam, n = list(range(len(self.graphs))), kmeans.Random(
            job["seed"], 0x100000 + number), Adam(len(x)), self.n
        came, pull = x[:n].copy(), F32(job["mu"] if self.shares == "fedprox" else 0)
        self.stack = []
        for epoch in range(job["epochs"]):
            for i in range(len(order), 1, -1):
                j = rng.below(i)
                order[i - 1], order[j] = order[j], order[i - 1]
            losses = []
            for first in range(0, len(order), job["batch"]):
                net = Net(self.shape, x[:n])
                Z = net.forward([self.graphs[i] for i in order[first : first + job["batch"]]])
                nodes = len(net.F)
                kl, dZ, dC = draw_together(Z.astype(float), x[n:].reshape(self.k, -1).astype(float))
                g, square = net.backward(dZ.astype(F32), F32(job["lambda"] / (2 * nodes)))
                g += pull * (x[:n] - came)
                adam.step(job["rate"], np.append(g, dC.ravel().astype(F32)), x)
                losses.append((kl, square / (2 * nodes)))
            if self.ways in ("stacked", "printed") and epoch + 1 < job["epochs"]:
                self.stack.append(self.prototypes()[:2])
        return np.mean(losses, axis=0)

    def take(self, number):
        """Replaces the trained weights and prototypes by the joint ones, except those that stay
        local."""
        first = number == 1
        self.x[: self.travel] = self.W
        self.x[self.n :] = np.ravel(self.C if first or self.ways != "own" else self.own)

    def round(self, number):
        n, t, graphs = self.n, self.travel, len(self.graphs)
        self.take(number)
        losses = self.train(number)
        self.Z = Net(self.shape, self.x[:n]).forward(self.graphs).astype(float)
        scale = min(1.0,
                    100 * math.sqrt(self.Z.size)
                    / np.linalg.norm(self.Z)) if self.job["bounded"] else 1.0
        self.x[n - (HIDDEN + 1) * Z_LENGTH :] *= F32(scale)  # the last map and the prototypes
        before = self.label
        self.own, self.count, self.label = self.prototypes(self.Z * scale)
        self.stack = [(scale * C, count) for C, count in self.stack] + [(self.own, self.count)]
        changed = graphs if before is None else (before != self.label).sum()
        term = [graphs * self.x[:t].astype(float), [graphs], graphs * losses, [changed]]
        if self.ways == "matched":
            term += [self.count, (self.count[:, None] * self.own).ravel()]
        got = self.ask(np.append(self.W, self.C.ravel()), np.concatenate(term))
        self.W = (got[:t] / got[t]).astype(F32)
        if self.ways == "matched":
            count, sums = got[t + 4 : t + 4 + self.k], got[t + 4 + self.k :].reshape(self.k, -1)
            some = count >= 1
            self.C[some] = sums[some] / count[some, None]
        elif self.ways != "own":  # scripts/bench.d/dp-weights.py uses "own"
            self.link.upload(self.clear())
            self.C = self.link.told(self.k * Z_LENGTH).reshape(self.k, -1).copy()
        return got[t + 3] / got[t]

    def clear(self):
        """Returns the body of PROTOTYPES: prototypes of enough graphs, their numbers of graphs, and
        a 0."""
        C, count = (np.concatenate(x) for x in zip(*self.stack))
        return np.concatenate([(C * (count > 0)[:, None]).ravel(), count, [0.0]])

    def prototypes(self, Z=None):
        """Returns the prototypes by the trained weights, their numbers of graphs, and each graph's
        cluster."""
        self.Z = Net(self.shape,
                     self.x[: self.n]).forward(self.graphs).astype(float) if Z is None else Z
        C = self.x[self.n :].reshape(self.k, -1).astype(float)
        label = self.lloyd(C)
        count = np.bincount(label, minlength=self.k).astype(float)
        count[count < self.job["min_cluster"]] = 0
        return C, count, label

    def lloyd(self, C):
        label = self.nearest(C)[0]
        for _ in range(100):
            for r in set(label):
                C[r] = self.Z[label == r].mean(axis=0)
            before, label = label, self.nearest(C)[0]
            if np.array_equal(before, label):
                break
        return label

    def run(self):
        self.link.phase("start")
        self.label, W = None, draw(self.shape, self.job["seed"])
        self.x = np.append(W, np.zeros(self.k * Z_LENGTH, F32))
        self.Z = Net(self.shape, W).forward(self.graphs).astype(float)
        self.ask(W, [len(self.graphs)])
        self.W = W[: self.travel]
        self.centres()
        self.link.phase("train")
        for number in range(1, self.job["rounds"] + 1):
            changed = self.round(number)
        self.link.phase("final")
        self.take(number + 1)
        self.Z = Net(self.shape, self.x[: self.n]).forward(self.graphs).astype(float)
        self.label = self.lloyd(self.x[self.n :].reshape(self.k, -1).astype(float))
        self.ask(np.append(self.W, self.C.ravel()), np.bincount(self.label, minlength=self.k))
        return self.label
