#!/usr/bin/env python3
"""Writes paillier.inc: known answers for crypto/paillier, made with Python integers only.

Primes, plaintexts, and the random number r of each ciphertext come from SHA-256 of fixed texts.
"""
import hashlib
import math

BITS, SLOT = 2048, 62


def number(label, bits):
    blocks = (bits + 255) // 256
    text = b"".join(hashlib.sha256(f"coterie {label} {i}".encode()).digest() for i in range(blocks))
    return int.from_bytes(text, "big") >> (256 * blocks - bits)


def is_prime(p):
    """Runs Miller and Rabin's test with the first 40 odd bases."""
    s = (p - 1 & 1 - p).bit_length() - 1
    for base in range(3, 83, 2):
        x = pow(base, p - 1 >> s, p)
        if x not in (1, p - 1) and all((x := x * x % p) != p - 1 for _ in range(s - 1)):
            return False
    return True


def prime(label):
    p = number(label, BITS // 2) | 3 << BITS // 2 - 2 | 1
    while any(p % f == 0 for f in range(3, 2000, 2)) or not is_prime(p):
        p += 2
    return p


def encrypt(n, row, r):
    """Returns one ciphertext of a row of signed numbers."""
    m = sum(x << SLOT * s for s, x in enumerate(row)) % n
    return pow(1 + n, m, n * n) * pow(r, n, n * n) % (n * n)


def decrypt(p, q, c, count):
    """Returns the row of signed numbers, by lambda and without the remainder theorem."""
    n, order = p * q, math.lcm(p - 1, q - 1)
    m = (pow(c, order, n * n) - 1) // n * pow(order, -1, n) % n
    m -= n if m > n // 2 else 0
    row = []
    for _ in range(count):
        x = (m + (1 << SLOT - 1)) % (1 << SLOT) - (1 << SLOT - 1)
        row.append(x)
        m = m - x >> SLOT
    assert m == 0
    return row


def c_string(value, size):
    text = value.to_bytes(size, "big").hex()
    return "\n".join('\t  "%s"' % text[i : i + 80] for i in range(0, len(text), 80))


def rows(name, width, depth):
    """Returns rows of numbers of both signs; the first row has the extremes."""
    most = (1 << 29) - 1
    all_rows = [
        [number(f"{name} {t} {s}", 30) - (1 << 29) for s in range(width)] for t in range(depth)
    ]
    all_rows[0][0], all_rows[0][-1] = most, -most
    return all_rows


def main():
    print("/* Made by paillier.py: p, q, n, slots, rows, their ciphertexts, factors, sums. */")
    for name, width, depth in (("one", 1, 1), ("few", 5, 3), ("full", (BITS - 2) // SLOT, 4)):
        p, q = prime(name + " p"), prime(name + " q")
        n = p * q
        plain = rows(name, width, depth)
        cipher = [encrypt(n, row, number(f"{name} r {t}", BITS) % n) for t, row in enumerate(plain)]
        factor = [number(f"{name} w {t}", 32) - (1 << 31) for t in range(depth)]
        product = 1
        for c, w in zip(cipher, factor):
            product = product * pow(c, w, n * n) % (n * n)
        sums = [sum(w * row[s] for w, row in zip(factor, plain)) for s in range(width)]
        assert decrypt(p, q, product, width) == sums
        print("\t{")
        for value, size in ((p, BITS // 16), (q, BITS // 16), (n, BITS // 8)):
            print(c_string(value, size) + ",")
        print("\t  %d, %d," % (width, depth))
        for c in cipher:
            print(c_string(c, BITS // 4))
        print("\t  ,")
        for values in (factor, sums):
            lines = [", ".join(map(str, values[i : i + 4])) for i in range(0, len(values), 4)]
            print("\t  { " + ",\n\t    ".join(lines) + " },")
        print("\t},")


if __name__ == "__main__":
    main()
