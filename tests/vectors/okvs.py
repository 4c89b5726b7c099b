#!/usr/bin/env python3
"""Writes okvs.inc: known answers for the tables of docs/alignment.md, independent of the C sources.

Keys and values come from formulas that are also in test_okvs.c. Tables are solved by elimination
(peeling is one order of it); a formula fills free places. AES is that of openssl(1).
"""
import hashlib
import subprocess

MASK = 2**64 - 1


def words(n):
    return 3 * (13 * n // 30 + 256)


def key(i):
    return hashlib.sha256(b"key %d" % i).digest()[:16]


def value(i):
    return (i + 1) * 0x9E3779B97F4A7C15 & MASK


def places(k, m):
    third = m // 3
    return [p * third + (int.from_bytes(k[4 * p : 4 * p + 4], "big") * third >> 32)
            for p in range(3)]


def make(keys, values, m):
    at = [set() for _ in range(m)]
    for i, k in enumerate(keys):
        for p in places(k, m):
            at[p].add(i)
    waiting, order = [p for p in range(m) if len(at[p]) == 1], []
    while waiting:
        p = waiting.pop()
        if len(at[p]) != 1:
            continue
        (i,) = at[p]
        order.append((p, i))
        for q in places(keys[i], m):
            at[q].discard(i)
            if len(at[q]) == 1:
                waiting.append(q)
    assert len(order) == len(keys)
    table = [(j * j * 0xD1342543DE82EF95 + 1) & MASK for j in range(m)]
    for p, i in reversed(order):
        table[p] = (values[i] - sum(table[q] for q in places(keys[i], m) if q != p)) & MASK
    return table


def share(prf, k):
    out = subprocess.run(["openssl", "enc", "-aes-128-ecb", "-nosalt", "-nopad", "-K", prf.hex()],
                         input=k,
                         stdout=subprocess.PIPE, check=True).stdout
    return int.from_bytes(out[:8], "little")


print("/* Made by okvs.py. */")
print("static const struct { size_t n, words; } known_words[] = {\n%s\n};"
      % ",\n".join("{ %d, %d }" % (n, words(n))
                   for n in (0, 1, 192, 1000, 10**6 + 128, 2**26 + 128)))
print("static const struct { size_t words; uint32_t place[3]; } known_places[] = { /* of key i */")
for i, m in enumerate((3, 768, 1068, 1300767, 87244104)):
    print("{ %d, { %d, %d, %d } }," % (m, *places(key(i), m)))
print("};")
print("static const uint64_t known_share[] = { /* of key i, under AES key 00 01 .. 0f */")
for i in range(4):
    print("%dull," % share(bytes(range(16)), key(i)))
print("};")
n = 20
table = make([key(i) for i in range(n)], [value(i) for i in range(n)], words(n))
print("static const uint64_t known_table[] = { /* reads value(i) for key i, i < %d */" % n)
for j in range(0, len(table), 4):
    print(" ".join("%dull," % w for w in table[j : j + 4]))
print("};")
