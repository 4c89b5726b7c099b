#!/usr/bin/python3
"""Writes account.inc: the privacy loss of several Gaussian releases, with 60 digits, independent of
the C sources.

Each job's mu follows from its (eps, delta). The total mu is the root of the sum of squares, and
gives eps at the table's delta: delta is Phi(mu/2 - eps/mu) - e^eps Phi(-mu/2 - eps/mu) (Balle, Wang
2018, Theorem 8). A second method checks the first: the privacy loss of the total is normal
with mean mu^2/2 and variance mu^2, and delta is the integral of 1 - e^(eps - loss) over losses
above eps (Steinke 2022, Proposition 7). If the two differ, nothing is written.

    tests/vectors/account.py > tests/vectors/account.inc      # python3-mpmath
"""
import mpmath as mp

mp.mp.dps = 60


def curve(eps, mu):
    return mp.ncdf(mu / 2 - eps / mu) - mp.exp(eps) * mp.ncdf(-mu / 2 - eps / mu)


def integral(eps, mu):
    density = lambda x: mp.npdf(x, mu**2 / 2, mu) * (1 - mp.exp(eps - x))
    top = max(eps, mu**2 / 2)
    return mp.quad(density, [eps + mu * t for t in range(0, 12)] + [top + 40 * mu, top + 80 * mu])


def where(f, low, high):
    """Returns the root of f, which falls from low to high."""
    for _ in range(230):
        middle = (low + high) / 2
        low, high = (middle, high) if f(middle) > 0 else (low, middle)
    return high


def mu_of(eps, delta):
    return where(lambda m: delta - curve(eps, m), mp.mpf(10) ** -12, mp.mpf(10) ** 4)


def eps_of(mu, delta):
    return mp.mpf(0) if curve(mp.mpf(0),
                              mu) <= delta else where(lambda e: curve(e, mu) - delta, mp.mpf(0),
                                                      mp.mpf(10) ** 8)


JOBS = [  # each has (eps, delta, times) of its jobs, and the delta of their total
    ([(1, "1e-5", 1)], "1e-5"),
    ([(1, "1e-5", 2)], "1e-5"),
    ([("0.5", "1e-5", 4)], "1e-5"),
    ([("0.1", "1e-6", 100)], "1e-5"),
    ([(1, "1e-5", 1), (4, "1e-6", 1), ("0.25", "1e-3", 7)], "1e-5"),
    ([(8, "1e-9", 3)], "1e-9"),
    ([("0.01", "1e-5", 1)], "1e-3"),
    ([("0.01", "1e-10", 1)], "1e-10"),
    ([(2, "1e-5", 1000)], "1e-5"),
    ([(20, "1e-12", 50)], "1e-8"),
    ([("1e-4", "1e-4", 1)], "1e-4"),
    ([(1, "1e-5", 1)], "0.5"),
]

print("/* Made by account.py: jobs (eps, delta, times), delta of the total, its mu and eps. */")
for jobs, at in JOBS:
    square = sum(times * mu_of(mp.mpf(eps), mp.mpf(delta)) ** 2 for eps, delta, times in jobs)
    mu, delta = mp.sqrt(square), mp.mpf(at)
    eps = eps_of(mu, delta)
    if eps and abs(integral(eps, mu) / delta - 1) > mp.mpf(10) ** -20:
        raise SystemExit(f"{jobs}: {integral(eps, mu)} by the integral, {delta} by the curve")
    text = ", ".join(f"{{ {e}, {d}, {t} }}" for e, d, t in jobs)
    print(f"{{ {{ {text} }}, {at},\n  {mp.nstr(mu, 18)}, {mp.nstr(eps, 18)} }},")
