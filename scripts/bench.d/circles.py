#!/usr/bin/python3
"""FedSC's circles with a dictionary of one point, in numpy: can K^ of rank 1 separate them?

    circles.py [SEEDS]      default 3

The circles are those of Figures 3 and 4 (radius 2 and 4, 629 points each), with noise of .2
deviations. Z is drawn, and then either moved by Stage I for some rounds of 5 steps, or not moved.
In two more cases, Z is three deviations from the centre, or at the centre. Lambda does not matter,
since for one point it is a factor of K^. In K^ each row keeps its nearest neighbours, 8 = ceil(ln
n) as in the paper, or all. Rows are embedded by two eigenvectors, scaled to length 1 (Step 7) or
not, or by the leading one. Prints mean and deviation of the ACC of k-means, and the ACC of spectral
clustering of all rows."""
import sys

import numpy as np
from scipy.linalg import eigh
from sklearn.cluster import KMeans

NOISE, LAMBDA = 0.2, 0.01
NEAREST = {"8": 8, "all": None}
WAYS = {
    "unit": lambda U: U / np.maximum(np.linalg.norm(U, axis=1, keepdims=True), 1e-300),
    "as they are": lambda U: U,
    "leading": lambda U: U[:, 1:],
}


def kernel(A, B, r):
    square = (A**2).sum(1)[:, None] + (B**2).sum(1)[None, :] - 2 * A @ B.T
    return np.exp(-np.maximum(square, 0) / (2 * r * r))


def move(X, Z, r, rounds):
    """Equations 14 to 16 for a dictionary of one point, with steps of 1 / (1.05 ||H||)."""
    for _ in range(rounds):
        c = kernel(Z, X, r) / (1 + LAMBDA)
        for _ in range(5):
            w, q = c * kernel(Z, X, r), (c @ c.T) / 2
            h = w.sum(1) - 2 * q[0]
            Z = Z - (h * Z - w @ X + 2 * q * Z) / (1.05 * np.abs(h + 2 * q))
    return Z


def nearest(S, k):
    S = S.copy()
    if k is None:
        return S
    np.fill_diagonal(S, -1)
    rows, of = np.arange(len(S))[:, None], np.argpartition(-S, k, axis=1)[:, :k]
    M = np.zeros_like(S)
    M[rows, of] = S[rows, of]
    return (M + M.T) / 2


def scores(S, truth, seed):
    root = 1 / np.sqrt(S.sum(1))
    U = eigh(S * root[:, None] * root[None, :], subset_by_index=[len(S) - 2, len(S) - 1])[1]
    for way in WAYS.values():
        label = KMeans(2, n_init=10, random_state=seed).fit_predict(way(U))
        yield max((label == truth).mean(), (label != truth).mean())


def dictionaries(X, r, rng):
    z = rng.normal(size=(1, 2))
    yield "drawn", z
    for rounds in 2, 20:
        yield f"{rounds} rounds", move(X, z, r, rounds)
    yield "three deviations off", 3 * z / np.linalg.norm(z)
    yield "in the middle", 0 * z


def main():
    t, truth = np.arange(629) * 2 * np.pi / 629, np.repeat([0, 1], 629)
    clean = np.concatenate([r * np.stack([np.cos(t), np.sin(t)], axis=1) for r in (2, 4)])
    found = {}
    for seed in range(int(sys.argv[1]) if len(sys.argv) > 1 else 3):
        rng = np.random.default_rng(seed)
        X = clean + NOISE * clean.std(0) * rng.normal(size=clean.shape)
        X = (X - X.mean(0)) / X.std()
        r = np.sqrt(np.maximum(-2 * np.log(kernel(X, X, 1.0)), 0)).mean()
        for name, Z in [*dictionaries(X, r, rng), ("SC", None)]:
            K = kernel(X, X, r) if Z is None else kernel(X, Z, r) @ kernel(Z, X, r)
            for k in NEAREST:
                for way, acc in zip(WAYS, scores(nearest(K, NEAREST[k]), truth, seed)):
                    found.setdefault((name, k, way), []).append(acc)
    print(f"| Z | nearest | {' | '.join(WAYS)} |\n| --- | --- |" + " --- |" * len(WAYS))
    for name, k in dict.fromkeys((name, k) for name, k, _ in found):
        each = [found[name, k, way] for way in WAYS]
        cells = [f" {np.mean(e):.3f} +- {np.std(e, ddof=1):.3f} |" for e in each]
        print(f"| {name} | {k} |{''.join(cells)}")


if __name__ == "__main__":
    main()
