"""A coordinator of kind fedwalk after proto/PROTOCOL.md. It runs mode "walks" with dissimilarity
"l1", and mode "randomized-response".

Its tree joins one vertex after another, its encoder keeps each vertex, and its embeddings are
zeros. Parties accept all of these.
"""
import numpy as np

import fedspectral
import wire

BOX = 262144
DIMS = 128


class Coordinator(fedspectral.Coordinator):
    def group_key(self):
        self.nodes()

    def batches(self, what):
        """Relays batches from each party to each other, after all have arrived."""
        boxes = []
        for c in self.party:
            for to in range(len(self.party)):
                last = self.party[to] is c
                while not last:
                    body = self.sealed(c, what, to)
                    boxes.append((to, body))
                    last = len(body) < 14 + BOX  # only the last is shorter; 14 bytes precede a box
        for to, body in boxes:
            self.party[to].send(wire.SEALED, body)
        self.progress += 1

    def labels_to(self, c, kind, values, label):
        for body in wire.label_bodies(self.root(), values,
                                      label) if len(label) else [
                                          wire.no_labels(self.root(), values)]:
            c.send(kind, body)

    def labels_from(self, l, kind, count=None):
        return wire.labels(lambda: self.party[l].recv((kind,))[1], l, self.n, count)

    # ---- mode walks ----

    def bins(self):
        return self.what["bins"] if self.what["bins"] != "auto" else int(np.log(self.n))

    def dictionary(self):
        """Returns all parties' noisy counts as an n x k matrix."""
        k = self.bins()
        C = np.zeros((self.n, k), dtype="<f4")
        for l, rows in enumerate(self.rows):
            own = wire.reals(lambda l=l: self.party[l].recv((wire.DEGREES,))[1], l, len(rows) * k,
                             "<f8")
            C[np.sort(rows)] = own.reshape(len(rows), k)
        return C

    def tree(self):
        """Returns the children of the merges n .. 2n - 2."""
        merges = np.arange(self.n - 1)
        return np.column_stack([np.where(merges, self.n + merges - 1, 0), merges + 1]).ravel()

    def encoder(self):
        """Returns for each row the number of candidates, the candidates, and their cumulative
        probabilities in units of 2^-32."""
        return np.ones(self.n, int), np.arange(self.n), np.full(self.n, 2**32 - 1)

    def construct(self):
        self.C = self.dictionary()
        tree, (count, item, upto) = self.tree(), self.encoder()
        for c in self.party:
            self.block(c, self.C)
        for c in self.party:
            self.labels_to(c, wire.TREE, 2 * self.n, tree)
            self.labels_to(c, wire.LISTS, self.n, count)
            self.labels_to(c, wire.LISTS, self.n, item)
            self.labels_to(c, wire.LISTS, 2**32 - 1, upto)
        self.told_words()

    def walks(self):
        length = self.what["length"]
        for _ in range(length - 1):
            self.batches(wire.BATCH_WALKS)
        return np.concatenate([self.labels_from(l, wire.WALKS).reshape(-1, length)
                               for l in range(len(self.party))])

    def guess(self, walks):
        """Returns the most frequent pairs of neighbours in walks, as many as the dictionary has
        edges."""
        pair = np.sort(np.column_stack([walks[:, :-1].ravel(), walks[:, 1:].ravel()]), axis=1)
        pair, times = np.unique(pair[pair[:, 0] != pair[:, 1]], axis=0, return_counts=True)
        most = int(round(np.maximum(self.C.sum(axis=1), 0).sum() / 2))
        return np.unique(pair[np.argsort(-times, kind="stable")[:most]], axis=0)

    # ---- mode randomized-response ----

    def reports(self):
        """Returns the reported pairs of a row and a higher row."""
        pairs = []
        for l, rows in enumerate(self.rows):
            count = self.labels_from(l, wire.TIES, len(rows))
            item = self.labels_from(l, wire.TIES)
            assert len(item) == count.sum(), f"{len(item)} reports, expected {count.sum()}"
            pairs.append(np.column_stack([np.repeat(np.sort(rows), count), item]))
        pairs = np.concatenate(pairs)
        return pairs[np.lexsort(pairs.T[::-1])]

    # ---- the end ----

    def embeddings(self, c, count):
        for body in wire.real_bodies(self.root(), np.zeros(count * DIMS), "<f4"):
            c.send(wire.EMBEDDING, body)

    def tell_guess(self, c, rows):
        """Sends a party the guessed pairs whose lower row is its own."""
        own = np.sort(rows)
        mine = self.guessed[np.isin(self.guessed[:, 0], own)]
        self.labels_to(c, wire.LISTS, self.n, np.array([(mine[:, 0] == row).sum() for row in own]))
        self.labels_to(c, wire.LISTS, self.n, mine[:, 1])

    def judged(self):
        """Returns the sum of the parties' judgements of the guesses."""
        for c, rows in zip(self.party, self.rows):
            self.tell_guess(c, rows)
        total = self.add([None] * len(self.party), False)
        self.told_words()
        self.sums += 1
        return total.astype("<i8").astype(float) / 2.0**24

    def expected(self):
        """Estimates the numbers of judged() from reports, since parties send no judgement here."""
        pairs, flip = self.n * (self.n - 1) / 2, 1 / (1 + np.exp(self.what["eps"]))
        ties = max((len(self.guessed) - pairs * flip) / (1 - 2 * flip), 0)
        return np.array([len(self.guessed), ties * (1 - flip), ties] + 7 * [0.0])

    def rounds(self):
        walks = self.what["mode"] == "walks"
        self.batches(wire.BATCH_DIRECTORY)
        self.batches(wire.BATCH_TIES)
        if walks:
            self.construct()
        self.guessed = self.guess(self.walks()) if walks else self.reports()
        for c, rows in zip(self.party, self.rows):
            self.embeddings(c, len(rows))
        self.score = self.judged() if walks else self.expected()
        for c in self.party:
            self.tell_numbers(c, np.append(self.score, [0, 1, 0, 0]))
