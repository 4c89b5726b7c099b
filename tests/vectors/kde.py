#!/usr/bin/env python3
"""Computes equations 10 to 14 of FedGCN in numpy as protocols/fedgcn/README.md reads them. It
prints the prototypes C after the steps, which begin with three of 12 uploaded prototypes: with one
variance for each component, and with covariances.

    tests/vectors/kde.py > tests/vectors/kde.inc
"""
import numpy as np

N, K, Z, PART = 12, 3, 64, 4 / 64 / 2


def shares(x):
    x = np.exp(x - x.max(axis=1, keepdims=True))
    return x / x.sum(axis=1, keepdims=True)


def kde(u, C, full):
    C = C.copy()
    square = ((u[:, None] - C) ** 2).sum(axis=2)
    gamma = shares(-PART * square / (square.min(axis=1).mean() / Z))
    for _ in range(30):
        a = np.exp(gamma)
        mass = (a * gamma).sum(axis=0)
        share = mass / a.sum(axis=0)
        mu = (a * gamma).T @ u / mass[:, None]
        Sigma = np.array([((u - mu[r]) * (a * gamma)[:, r, None] / mass[r]).T @ (u - mu[r])
                          for r in range(K)])
        variance = np.trace(Sigma, axis1=1, axis2=2) / Z
        least = max(0.05 * np.sort(variance)[K // 2], 1e-12)
        moved = ((mu - C) ** 2).sum(axis=1).max()
        C = mu
        if moved <= 1e-12:
            break
        if full:
            Sigma = Sigma + least * np.eye(Z)
        else:
            Sigma = np.maximum(variance, least)[:, None, None] * np.eye(Z)
        d = u[:, None] - u
        log_f = np.empty((N, K))
        for r in range(K):
            D = np.einsum("ijc,cd,ijd->ij", d, np.linalg.inv(Sigma[r]), d)
            f = (gamma[:, r] * np.exp(-PART * D)).sum(axis=1)
            log_f[:, r] = np.log(share[r] / share.sum() * f
                                 / gamma[:, r].sum()) - PART * np.linalg.slogdet(Sigma[r])[1]
        gamma = shares(log_f)
    return C


i, j = np.arange(N)[:, None], np.arange(Z)
u = 3 * np.sin(1 + i % K + j) + np.sin(7.0 * i + 3.0 * j) + np.cos(i * j)
C = 3 * np.sin(1 + np.arange(K)[:, None] + j)
print("/* Made by kde.py: columns 0, 1 and 63 of each prototype. */")
for full in (False, True):
    for row in kde(u, C, full):
        print("{ %.15g, %.15g, %.15g }," % tuple(row[[0, 1, 63]]))
