#!/usr/bin/env python3
"""Writes dh.inc: known answers for crypto/dh, made with Python integers only.

The primes come from RFC 7919's formula, not from the C source; X25519 is the ladder of RFC 7748,
section 5. Secrets are SHA-256 of fixed texts; X25519 takes the last 32 of their 40 bytes.
"""
import hashlib

GROUPS = {2048: 560316, 3072: 2625351, 4096: 5736041}  # bits of p: its X in RFC 7919, Appendix A


def e_times(power):
    """Returns floor(2^power e), by the series with 64 guard bits."""
    term = 1 << (power + 64)
    total, k = 0, 0
    while term:
        total, k = total + term, k + 1
        term //= k
    return total >> 64


def prime(bits):
    return 2**bits - 2 ** (bits - 64) + (e_times(bits - 130) + GROUPS[bits]) * 2**64 - 1


def secret(label):
    digest = hashlib.sha256(label.encode()).digest() + hashlib.sha256(label[::-1].encode()).digest()
    return int.from_bytes(digest[:40], "big") | 1 << 319


def x25519(scalar, u):
    """Returns X25519 (RFC 7748) of a scalar and a point of 32 bytes each."""
    p = 2**255 - 19
    k = int.from_bytes(scalar, "little") & ~7 & ~(1 << 255) | 1 << 254
    x1 = int.from_bytes(u, "little") & ~(1 << 255)
    x2, z2, x3, z3, swap = 1, 0, x1, 1, 0
    for t in reversed(range(255)):
        bit = k >> t & 1
        if swap ^ bit:
            x2, z2, x3, z3 = x3, z3, x2, z2
        swap = bit
        a, b, c, d = x2 + z2, x2 - z2, x3 + z3, x3 - z3
        da, cb = d * a, c * b
        x3, z3 = (da + cb) ** 2 % p, x1 * (da - cb) ** 2 % p
        x2, z2 = a * a * b * b % p, (a * a - b * b) * (a * a + 121665 * (a * a - b * b)) % p
    if swap:
        x2, z2 = x3, z3
    return (x2 * pow(z2, p - 2, p) % p).to_bytes(32, "little")


def c_string(number, size):
    text = number.to_bytes(size, "big").hex()
    return "\n".join('\t  "%s"' % text[i : i + 80] for i in range(0, len(text), 80))


def main():
    print("/* Made by dh.py: bits, secret a, g^a, secret b, g^b, g^ab (hexadecimal). */")
    for bits in GROUPS:
        p = prime(bits)
        a, b = secret("coterie a %d" % bits), secret("coterie b %d" % bits)
        print("\t{ %d," % bits)
        for number, size in ((a, 40), (pow(2, a, p), bits // 8), (b, 40), (pow(2, b, p), bits // 8),
                             (pow(2, a * b, p), bits // 8)):
            print(c_string(number, size) + ",")
        print("\t},")
    base = (9).to_bytes(32, "little")
    a, b = (secret("coterie %s 255" % x).to_bytes(40, "big") for x in "ab")
    print("\t{ 255,")
    for value in (a, x25519(a[8:], base), b, x25519(b[8:], base),
                  x25519(a[8:], x25519(b[8:], base))):
        print(c_string(int.from_bytes(value, "big"), len(value)) + ",")
    print("\t},")


if __name__ == "__main__":
    main()
