#!/usr/bin/env python3
"""Writes tag.inc: known answers for the tags of docs/secure-sum.md, independent of the C
sources."""
import hashlib
import hmac

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

P = 2**127 - 1
BLOCK = 256
KEY, SESSION = bytes(range(32)), bytes(range(100, 132))


def hkdf_expand(prk, info, n):
    out, block = b"", b""
    while len(out) < n:
        block = hmac.new(prk, block + info + bytes([len(out) // 32 + 1]), hashlib.sha256).digest()
        out += block
    return out[:n]


def uniform(b):
    """Returns 16 bytes of a stream, without their highest bit, as a number mod P."""
    return int.from_bytes(b, "little") % 2**127 % P


def draw(group, number, n, parties):
    """Returns a_0 .. a_255, R, and b_i of parties 0, 1, ..."""
    info = b"coterie tag v3" + SESSION + group.to_bytes(4,
                                                        "big") + number.to_bytes(
                                                            8, "big") + n.to_bytes(8, "big")
    key = hkdf_expand(KEY, info, 16)
    out = Cipher(algorithms.AES(key),
                 modes.CTR(bytes(16))).encryptor().update(bytes(8 * BLOCK + 16 * (1 + parties)))
    a = [int.from_bytes(out[at : at + 8], "little") for at in range(0, 8 * BLOCK, 8)]
    rest = [uniform(out[at : at + 16]) for at in range(8 * BLOCK, len(out), 16)]
    return a, rest[0], rest[1:]


def tag(group, number, party, words):
    a, R, b = draw(group, number, len(words), party + 1)
    return (b[party]
            + sum(pow(R, j // BLOCK, P) * a[j % BLOCK] * x for j, x in enumerate(words))) % P


def word(i, party):
    """Returns a word of a party: numbers of both signs, and for party 255 only
    numbers of the largest magnitude."""
    if party == 255:
        return 2**63 - 1 if i % 3 else 1 - 2**63
    return (i * i * 0x9E3779B97F4A7C15 + party) % 2**62 - 2**61


if __name__ == "__main__":
    print("/* Made by tag.py: key 00 01 .. 1f, session 64 65 .. 83; words as in test_tag.c.\n * "
          "group, number, party, words, tag. */")
    for group, number, party, count in ((0, 0, 0, 1), (0, 0, 1, 1), (6, 1, 2, 6),
                                        (6, 2**40, 255, 256), (6, 2**40, 255, 700),
                                        (2**32 - 1, 2**64 - 1, 3, 257), (1, 2, 3, 1000),
                                        (1, 2, 3, 1024)):
        tau = tag(group, number, party, [word(i, party) for i in range(count)])
        print('{ %du, %dull, %d, %d, "%s" },'
              % (group, number, party, count, tau.to_bytes(16, "little").hex()))
