#!/usr/bin/env python3
"""A coordinator of fedspectral and party 0 that collude. They try to read edges of the other
parties, with the owner of each edge.

    colluder.py --config coordinator.json --job job.json --ready-file FILE --truth DIR --party FILE
    [--lie LIE]

    apart     a node that a party compares with party 0 has the same row at all parties; each other
              node has a different row at each party
    honest    both keep to the protocol

Party 0 gives the coordinator its keys, so the coordinator computes which ids other parties
compare with party 0. With "apart" party 0 claims as many nodes as there are rows, so that the
parties accept the number of rows. It hides the rows of its own nodes. The last line of stdout has
the keys of extract.py's last line and counts only the edges of the other parties.
"""
import argparse
import json
import os
import struct
import sys
import threading
import time

import numpy as np

import extract
from coordinator import arguments
import fedspectral
import party
import secsum
from wire import Broken


class Colluder(fedspectral.Party):
    def batches(self):
        """With "apart", leaves out its nodes that have another row at the receiver. Adds random
        pseudonyms for rows that neither party has."""
        if self.hub.lie != "apart":
            yield from super().batches()
            return
        for j in self.link.s.others():
            its = dict(zip(self.hub.ids[j], self.hub.rows[j]))
            names = zip(secsum.rows_names(self.link.s.pair[j], self.ids), self.ids, self.row)
            entries = [(name[:16], row) for name, i, row in names if its.get(i, row) == row]
            free = np.setdiff1d(np.arange(self.n), [*self.row, *self.hub.rows[j]])
            entries = [*entries, *((os.urandom(16), row) for row in free)][: secsum.ROWS_SAMPLE]
            yield j, struct.pack("<Q",
                                 self.n) + b"".join(name + struct.pack("<I", row)
                                                    for name, row in entries)

    def compare(self, j, batch):
        return len(batch)

    def compare_rows(self):
        try:
            super().compare_rows()
        except secsum.Refused:  # its own check: more rows than its true number of nodes permits
            pass


class Hub(extract.Edges):
    """The coordinator that colludes with the party."""

    def __init__(self, *args):
        super().__init__(*args)
        self.agreed, self.session = threading.Event(), None
        # The text of the job in OFFER; party 0 must hash the same bytes as the other parties.
        self.job = json.dumps(self.what, separators=(",", ":")).encode()

    def foreseen(self):
        """Returns for each party the numbers of its nodes that it compares with party 0."""
        known = [set() for _ in self.ids]
        assert self.agreed.wait(60), "party 0 has no keys"
        for j in self.session.others():
            known[j] = set(secsum.rows_sample(secsum.rows_names(self.session.pair[j], self.ids[j]),
                                              True))
        return known

    def number(self):
        """Assigns rows. With "apart" only nodes that are compared with party 0 have one row; any
        other node has a row of its own at each party."""
        super().number()
        known, row = self.foreseen(), dict(zip(self.all, range(len(self.all))))
        if self.lie != "apart":
            return
        common = set().union(*({self.ids[j][i] for i in known[j]} for j in range(len(self.ids))))
        at = len(self.all)
        for j, ids in enumerate(self.ids):
            self.rows[j] = np.array([row[i] if i in common else at + k for k, i in enumerate(ids)])
            at += len(ids)
        numbers = np.unique(np.concatenate(self.rows))
        self.rows = [np.searchsorted(numbers, r) for r in self.rows]

    def read(self, truth):
        read, wrong, of = super().read(truth)
        read = [edge for edge in read if edge[2] != 0]
        return read, wrong, of - sum(1
                                     for _ in open(f"{truth}/party-00/edges.tsv", encoding="utf-8"))


def take_part(hub, config, address):
    config = party.read_config(config)
    what, link = party.join(config, address)
    hub.session = link.s
    hub.agreed.set()
    colluder = Colluder(what, *party.read_graph(config["data"]), link)
    colluder.hub = hub
    try:
        colluder.run()
        party.end(link)
    except (Broken, AssertionError) as e:
        print(f"party 0: {e}", file=sys.stderr)
    time.sleep(0.3)
    link.conn.close()


def main():
    parser = argparse.ArgumentParser(description="a coordinator and a party that help each other")
    parser.add_argument("--lie", default="apart")
    parser.add_argument("--truth", required=True)
    parser.add_argument("--party", required=True)
    a, config, job = arguments(parser)
    hub = Hub(a.lie, config, job, a.ready_file)
    address = "%s:%d" % hub.server.getsockname()[:2]
    threading.Thread(target=take_part, args=(hub, a.party, address), daemon=True).start()
    said = "done"
    try:
        hub.run()
    except Broken as e:
        said = str(e)
    read, wrong, of = hub.read(a.truth)
    print(json.dumps({"read": read, "wrong": wrong, "of": of, "after": hub.after(), "said": said,
                      "pooled": len(hub.pooled)}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
