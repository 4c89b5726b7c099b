#!/usr/bin/env python3
"""A coordinator that changes one broadcast sum in each of N jobs, in ways drawn at random, and
checks how the parties react.

    changes.py --config coordinator.json --job job.json --ready-file FILE --changes N [--seed SEED]

Job 0 is honest and shows which sums are broadcast. In each later job the coordinator changes one
sum, for all parties or for one of them. A party that sends anything but ABORT after a changed sum
has taken it. The last line of stdout is

    {"changes": N, "taken": N, "of": {"WAY": N}, "told": {"PARTY": N}}

changes: sums that were changed; taken: those that some party took; of: changes by way; told:
changed sums that each party received.
"""
import argparse
import json
import random
import sys
import threading

import numpy as np

import liar
import wire
from coordinator import arguments
from wire import Broken, field, u32, u64

N = 1 << 64
OLD, NEW = 2**54 - 33, 2**127 - 1  # moduli of tags in versions up to 6, and from version 7 on


def shift(draw):
    """Draws a number to add to a word, and the name of this change."""
    return draw.choice((
        lambda: ("k p of version 6", draw.choice((-1, 1)) * draw.randint(1, 1023) * OLD),
        lambda: ("k p", draw.choice((-1, 1)) * draw.randint(1, 1 << 63) * NEW),
        lambda: ("2^k", draw.choice((-1, 1)) << draw.randrange(64)),
        lambda: ("N / 2", N // 2),
        lambda: ("-1", -1),
    ))()


def arrange(draw, words):
    """Moves, repeats, removes or replaces words."""
    i, j = draw.randrange(len(words)), draw.randrange(len(words))
    new = list(words)
    way = draw.choice(("swapped", "repeated", "cut short", "longer", "zeros", "-N / 2"))
    if way == "swapped":
        new[i], new[j] = new[j], new[i]
    elif way == "repeated":
        new[i] = new[j]
    elif way == "cut short":
        new = new[: max(len(new) - draw.randint(1, 3), 1)]
    elif way == "longer":
        new.insert(i, new[j])
    elif way == "zeros":
        new = [0] * len(new)
    else:
        new[i] = N // 2
    return way, new


def change_tag(draw, tag):
    way = draw.choice(("tag + 2^k", "tag + p", "tag cut short", "no tag", "tag too long",
                       "tag of version 6"))
    T = int.from_bytes(tag, "little")
    if way == "tag + 2^k":
        return way, ((T + (1 << draw.randrange(128))) % (1 << 128)).to_bytes(16, "little")
    if way == "tag + p":
        return way, (T + NEW).to_bytes(16, "little")
    if way == "tag of version 6":
        return way, ((T + OLD) % NEW).to_bytes(16, "little")
    return way, {"tag cut short": tag[:15], "no tag": b"", "tag too long": tag + bytes(1)}[way]


def change(draw, words, tag):
    """Draws a change of the sum `words` (integers below N) or of its tag. Returns the changed
    sum and tag, and the name of the change."""
    while True:
        new, new_tag, of = list(words), tag, draw.randrange(10)
        if of < 6:
            way, d = shift(draw)
            i = draw.randrange(len(new))
            new[i] = (new[i] + d) % N
        elif of < 9:
            way, new = arrange(draw, words)
        else:
            way, new_tag = change_tag(draw, tag)
        if (new, new_tag) != (list(words), tag):
            return way, new, new_tag


class Changes(liar.Lies):
    """A mixin that changes a coordinator of tests/interop."""

    changes, draw, at = 0, random.Random(1), None

    def tell(self, total):
        if self.sums != self.at:
            super().tell(total)
            self.broadcast.add(self.sums)
            return
        self.way, words, tag = change(self.draw, [int(w) for w in total[:-2]],
                                      total[-2:].astype("<u8").tobytes())
        victims = self.draw.choice((self.party, [self.draw.choice(self.party)]))
        for c in self.party:
            if c in victims:
                self.send_sum(c, words, tag)
        taken = False
        for c in victims:
            self.told[c.peer] += 1
            try:
                c.recv(range(10, 100), timeout=20)
                taken = True
            except Broken as e:
                if "says: ending" not in str(e):
                    print(f"{self.way}: {e}", file=sys.stderr)
                    taken = True
        self.of[self.way] = self.of.get(self.way, 0) + 1
        self.taken += taken
        if taken:
            print(f"taken: sum {self.sums} of {len(total) - 2} words, {self.way}", flush=True)
        raise Broken("a changed sum was sent")

    def give_up(self, text, _code):
        super().give_up(b"the job is over", 2)

    def send_sum(self, c, words, tag):
        """Sends words and a tag of any length."""
        data, most = np.array(words, "<u8"), wire.CHUNK // 8
        for at in range(0, len(data), most):
            last = at + most >= len(data)
            c.send(wire.SUM,
                   u32(self.root()) + u64(self.sums) + u64(len(data)) + u64(at)
                   + field(data[at : at + most].tobytes())
                   + field(tag if last else b""))

    def run(self):
        self.broadcast = set()  # numbers of the sums that parties receive
        self.of, self.taken, self.told = {}, 0, {name: 0 for name in self.names}
        threading.Thread(target=self.beat, daemon=True).start()
        for job in range(self.changes + 1):
            self.at = self.draw.choice(sorted(self.broadcast)) if job else None
            self.first, self.said = {}, True
            said = self.one()
            assert job or said == "done", said
            self.job_id = self.draw.randbytes(16)
        self.over.set()
        print(
            json.dumps({"changes": sum(self.of.values()), "taken": self.taken, "of": self.of,
                        "told": self.told}))


def main():
    parser = argparse.ArgumentParser(description="a coordinator that changes broadcast sums")
    parser.add_argument("--changes", type=int, required=True)
    parser.add_argument("--seed", type=int, default=1)
    a, config, job = arguments(parser)
    c = type("Changing", (Changes, liar.KINDS[job["kind"]]),
             {})("honest", config, job, a.ready_file)
    c.changes, c.draw = a.changes, random.Random(a.seed)
    if job["kind"] == "kmeans" and job.get("noise", {}).get("on") == "sums":
        c.firsts = (0, 1, 1 + job["iterations"] - job["iterations"] * 2 // 7)
    c.run()
    return 0


if __name__ == "__main__":
    sys.exit(main())
