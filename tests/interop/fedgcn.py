"""A coordinator of kind fedgcn, `prototypes` "matched" or "gmm" and `unchanged` 0, by proto/PROTOCOL.md: the number of sums
follows from the job then, and what parties compute of them it never learns."""
import coordinator


class Coordinator(coordinator.Coordinator):
    def __init__(self, config, job, ready_file=None):
        super().__init__(config, job, ready_file)
        centres = 9 + 3 * (job["clusters"] - 1).bit_length()
        each = 1 + (job["em"] if job["prototypes"] == "gmm" else 0)
        self.firsts = (0, 1, 1 + centres, 1 + centres + each * job["rounds"])
