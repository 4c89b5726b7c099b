#!/usr/bin/env python3
"""Writes dh.inc: known answers for crypto/dh, made with Python integers alone.

The primes come from RFC 7919's formula, not from the C source; secrets are SHA-256 of fixed texts.
"""
import hashlib

GROUPS = {2048: 560316, 3072: 2625351, 4096: 5736041}  # bits: X of RFC 7919, Appendix A


def e_times(power):
    """floor(2^power e), by the series with 64 guard bits."""
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


if __name__ == "__main__":
    main()
