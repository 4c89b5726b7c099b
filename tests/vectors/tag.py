#!/usr/bin/env python3
"""Writes tag.inc: known answers for the tags of docs/secure-sum.md, independent of the C sources."""
import hashlib
import hmac

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

P = 2**54 - 33
KEY = bytes(range(32))


def hkdf_expand(prk, info, n):
    out, block = b"", b""
    while len(out) < n:
        block = hmac.new(prk, block + info + bytes([len(out) // 32 + 1]), hashlib.sha256).digest()
        out += block
    return out[:n]


def draw(group, number, parties):
    """(r_1, r_2), and (beta_1i, beta_2i) of parties 0, 1, ..."""
    key = hkdf_expand(KEY, b"coterie tag v2" + group.to_bytes(4, "big") + number.to_bytes(8, "big"), 16)
    out = Cipher(algorithms.AES(key), modes.CTR(bytes(16))).encryptor().update(bytes(32 * (1 + parties)))
    numbers = [int.from_bytes(out[at : at + 16], "big") % P for at in range(0, len(out), 16)]
    return list(zip(numbers[::2], numbers[1::2]))


def tags(group, number, party, words):
    r, *betas = draw(group, number, party + 1)
    return [(betas[party][t] + sum(pow(r[t], j + 1, P) * x for j, x in enumerate(words))) % P for t in (0, 1)]


def word(i, party):
    """Any numbers of both signs, the smallest among them."""
    return (-(2**63) if i == 3 else (i * i * 0x9E3779B97F4A7C15 + party) % 2**62 - 2**61)


print("/* Made by tag.py: key 00 01 .. 1f; words as in test_tag.c. group, number, party, words, tags. */")
for group, number, party, count in ((0, 0, 0, 0), (0, 0, 1, 1), (6, 1, 2, 4), (6, 2**40, 255, 256),
                                    (2**32 - 1, 2**64 - 1, 3, 257), (1, 2, 3, 1000)):
    one, two = tags(group, number, party, [word(i, party) for i in range(count)])
    print("{ %du, %dull, %d, %d, { %dull, %dull } }," % (group, number, party, count, one, two))
