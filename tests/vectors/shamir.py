#!/usr/bin/env python3
"""Writes shamir.inc: known answers for crypto/shamir.h, by tables of logarithms and plain sums of powers."""
import hashlib

LOG, EXP = {}, [1]
while len(EXP) < 255:  # 3 generates; products by 3 need no multiplication
    a = EXP[-1]
    EXP.append(((a << 1) ^ a ^ (0x11B if a & 0x80 else 0)) & 0xFF)
for power, value in enumerate(EXP):
    LOG[value] = power


def times(a, b):
    return 0 if a == 0 or b == 0 else EXP[(LOG[a] + LOG[b]) % 255]


def to_the(x, n):
    return EXP[LOG[x] * n % 255]


def stream(t, n):
    """Any bytes: SHA-256 of the threshold and a count."""
    return b"".join(hashlib.sha256(bytes([t, i])).digest() for i in range(n))


def share(coefficients, x):
    out = bytearray(32)
    for power, row in enumerate(coefficients):
        for i, c in enumerate(row):
            out[i] ^= times(c, to_the(x, power))
    return out


print("/* Made by shamir.py: threshold, place, share; secret and coefficients are SHA-256 of threshold and 0, 1, .. */")
for t, x in ((1, 1), (1, 255), (2, 1), (2, 2), (3, 7), (51, 1), (51, 100), (128, 254), (255, 255)):
    rows = [stream(t, t)[32 * i : 32 * i + 32] for i in range(t)]
    print("{ %d, %d, { %s } }," % (t, x, ", ".join("0x%02x" % b for b in share(rows, x))))
