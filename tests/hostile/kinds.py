"""Coordinators of kcagc, kmeans.columns.predict, fedgcn, fedsc, fedspectral and fedwalk, with
the lies that concern only these kinds."""
import numpy as np

import coordinator
import fedgcn
import fedsc
import fedspectral
import fedwalk
import landmark
import wire


class Half(fedsc.Half):
    def top(self, G, k):
        if self.link.lie != "smaller":
            return super().top(G, k)
        value, vectors = super().top(G, len(G))
        return value[-k:], vectors[-k:]


class Fedsc(coordinator.Following):
    def rounds(self):
        self.half = Half(self.what, self.columns, self)
        self.half.run()

    def basis(self, value, vectors):
        value, vectors = value.copy(), vectors.copy()
        last = vectors.copy()
        if self.lie == "value":
            value[0] *= 1 + 1e-6
        elif self.lie == "vector":
            vectors[0, 0] += 1e-6
        elif self.lie == "longer":
            vectors[0] *= 1 + 1e-6
        elif self.lie == "turned":
            a, b = vectors[:2]
            vectors[:2] = np.cos(0.1) * a - np.sin(0.1) * b, np.sin(0.1) * a + np.cos(0.1) * b
        elif self.lie == "sign":
            vectors[0] *= -1
        elif self.lie == "vector-one":
            last[0, 0] += 1e-6
        elif self.lie == "sign-one":
            last[0] *= -1
        one = self.lie.endswith("-one")
        for c in self.party:
            self.tell_numbers(c, value)
            self.tell_numbers(c, last if one and c is self.party[-1] else vectors)


def not_orthogonal(V, lie):
    """Returns a copy of the block V, changed as the lie demands if the lie is about blocks."""
    V = V.copy()
    if lie == "block":
        V[:, 0] *= 2
    elif lie == "block-turned":
        V[:, 0] = (V[:, 0] + V[:, 1]) / np.sqrt(2)
    elif lie == "block-nan":
        V[0, 0] = np.nan
    elif lie == "block-end":
        V[-1, -1] += 1000
    return V


class Fedspectral(fedspectral.Coordinator):
    def number(self):
        super().number()
        rows, last = self.rows, self.rows[-1]
        n = len(self.all)
        if self.lie == "apart":
            at = np.cumsum([0] + [len(r) for r in rows])
            self.rows = [np.arange(at[l], at[l + 1]) for l in range(len(rows))]
        elif self.lie == "victim":
            rows[-1] = n + np.arange(len(last))
            self.rows = compact(rows)
        # n stays the same, and the last party's terms are added at the places of other nodes.
        elif self.lie == "merged":
            rows[-1] = np.random.permutation(n)[: len(last)]
        elif self.lie == "few":
            self.moved = np.random.permutation(len(last))[: self.args[0]]
            rows[-1][self.moved] = n + np.arange(self.args[0])

    def exchange(self, what):
        if self.lie not in ("box", "boxes") or what != wire.ROWS_OF_SOME:
            return super().exchange(what)
        boxes = [
            [self.sealed(c, what, to) for to in range(len(self.party)) if self.party[to] is not c]
            for c in self.party
        ]
        if self.lie == "box":
            boxes[0][0] = boxes[0][0][:-1] + bytes([boxes[0][0][-1] ^ 1])
        else:  # swaps the boxes that party 0 and party 1 send to the last party
            a, b = boxes[0][-1], boxes[1][-1]
            boxes[0][-1], boxes[1][-1] = a[:10] + b[10:], b[:10] + a[10:]
        for l, own in enumerate(boxes):
            for c, body in zip((c for c in self.party if c is not self.party[l]), own):
                c.send(wire.SEALED, body)
        return None

    def labels(self, k):
        label, clusters = super().labels(k)
        if self.lie == "result":
            label = np.random.randint(0, clusters, len(label))
        return label, clusters + 2 * (self.lie == "clusters")

    def noisy(self, k):
        label = super().noisy(k)
        if self.lie == "more":
            self.product(np.eye(k)[label])
        return label

    def product(self, V):
        counting = self.sums == self.first.get("power", -1) + fedspectral.NOISY_ROUNDS
        if self.lie == "fewer" and self.what.get("noise") and counting:
            self.choose(7, self.what["clusters"])
        return super().product(V)

    def widths(self, width):
        super().widths(width + 100 if self.lie == "wide" and width else width)

    def block(self, c, V):
        V = not_orthogonal(V, self.lie)
        if self.lie == "block-one" and c is self.party[-1]:
            V[:, [0, 1]] = V[:, [1, 0]]
        if self.lie == "wide" and self.what.get("noise"):
            V = np.hstack([V, V])
        super().block(c, V)


class Fedgcn(fedgcn.Coordinator):
    def tell_prototypes(self, c, C):
        C = C.copy()
        if self.lie in ("large", "nan"):
            C[1, 3] = 1e13 if self.lie == "large" else np.nan
        elif self.lie == "elsewhere":
            C = np.random.default_rng(self.sums).normal(size=C.shape)
        elif self.lie == "proto-one" and c is self.party[-1]:
            C[0, 0] += 1
        super().tell_prototypes(c, C)


class Labels:
    def tell_labels(self, kind, values, label):
        if self.lie == "result" and kind == wire.RESULT:
            label = np.random.randint(0, values, len(label))
        super().tell_labels(kind, values, label)


class Kcagc(Labels, coordinator.Coordinator):
    pass


class Placing(Labels, coordinator.Coordinator):
    def tell_labels(self, kind, values, label):
        if self.lie == "label":
            label[0] = self.args[0]
        elif self.lie == "labels":
            label = np.resize(label, self.args[0])
        super().tell_labels(kind, values, label)
        if not len(label):
            for c in self.party:
                c.send(kind, wire.no_labels(self.root(), values))
        if self.lie == "twice":
            super().tell_labels(kind, values, label)
        self.last = kind, values, label

    def tell_one_labels(self, c, kind, values, label):
        if self.lie == "label-one" and c is self.party[-1]:
            label = (label + 1) % values
        super().tell_one_labels(c, kind, values, label)

    def last_word(self):
        if self.lie == "for-done":
            super().tell_labels(*self.last)
        else:
            super().last_word()


class Projected(Labels, landmark.Coordinator):
    def tell_block(self, V):
        super().tell_block(not_orthogonal(V, self.lie) if V.ndim > 1 else V)


class Fedwalk(fedwalk.Coordinator):
    def number(self):
        super().number()
        if self.lie == "shared":
            self.rows[-1][0] = self.rows[0][0]

    def told_n(self):
        return super().told_n() + (self.lie == "gap")

    def batches(self, what):
        self.what_now, self.before = what, getattr(self, "box", None)
        super().batches(what)

    def sealed(self, c, what, to):
        body = super().sealed(c, what, to)
        mine = (what == wire.BATCH_DIRECTORY and self.lie == "directory" or what == wire.BATCH_WALKS
                and self.lie == "walk")
        if c is self.party[0] and to == len(self.party) - 1:
            self.box, old = body, self.before
            if mine:
                body = body[:-1] + bytes([body[-1] ^ 1])
            elif self.lie == "old-walks" and what == wire.BATCH_WALKS and old is not None:
                body = old
        return body

    def block(self, c, C):
        """Sends a changed dictionary C. A party can check only its own rows of it."""
        if self.lie == "dictionary":
            C = C.copy()
            C[self.rows[0][0]] += 1
        elif self.lie == "empty":
            C, own = np.zeros_like(C), self.rows[self.party.index(c)]
            C[own] = self.C[own]
        elif self.lie == "endless":
            C, own = np.full_like(C, 1e30), self.rows[self.party.index(c)]
            C[own] = self.C[own]
        super().block(c, C)

    def tree(self):
        tree = super().tree()
        if self.lie == "tree":
            tree[1] = tree[0]
        return tree

    def encoder(self):
        count, item, upto = super().encoder()
        if self.lie == "list":
            upto[-1] -= 1
        elif self.lie == "list-row":
            item[-1] = self.n
        elif self.lie == "one-token":  # the encoder writes all vertices as one token
            item[:] = 0
        return count, item, upto

    def embeddings(self, c, count):
        if self.lie == "embedding":
            count += 1
        super().embeddings(c, count)

    def tell_guess(self, c, rows):
        if self.lie == "guesses":
            self.guessed = self.guessed[::-1]
        elif self.lie == "pair":
            name = {i: row for ids, rows_of in zip(self.ids, self.rows)
                    for i, row in zip(ids, rows_of)}
            self.guessed = np.sort([[name[b"n%d" % i] for i in self.args]])
        super().tell_guess(c, rows)

    def expected(self):
        """With "pair", also asks the parties to judge a pair, as in mode "walks". In mode
        "randomized-response" they answer no such question."""
        name = {row: i for ids, rows_of in zip(self.ids, self.rows) for i, row in zip(ids, rows_of)}
        for pair in self.guessed:
            print("guess:", *(name[row].decode() for row in pair))
        if self.lie == "pair":
            for c, rows in zip(self.party, self.rows):
                self.tell_guess(c, rows)
            self.add([None] * len(self.party), False)
        return super().expected()

    def tell_numbers(self, c, numbers):
        if c is self.party[0]:
            print("guessed, right, ties:", *map(int, numbers[:3]))
        numbers = np.array(numbers)
        numbers[-1] += self.lie == "facts-one" and c is self.party[-1]
        super().tell_numbers(c, numbers)


def compact(rows):
    """Renumbers the rows from 0 on without a gap."""
    used = np.unique(np.concatenate(rows))
    return [np.searchsorted(used, r) for r in rows]
