"""Filter and singular vectors of a data directory by PETSc and SLEPc, for scripts/bench petsc.

    petsc.py --installed                                   exits with 0 if both are installed
    petsc.py --mpirun OPTIONS RANKS DATA ORDER VECTORS     runs RANKS of this, prints their figures
                                                           as JSON

Each rank has a block of rows. S = D^-1/2 (A + I) D^-1/2 is an AIJ matrix, X a dense one; X <- (X +
S X) / 2 is repeated ORDER times, by MatMatMult into the same product. Then follows SLEPc's SVD of
X, of type cross, with the tolerance of Coterie. Only these steps are measured: peaks of memory are
reset after the matrices have been made."""
import glob
import hashlib
import json
import os
import subprocess
import sys
import time

# Directories of Debian's packages.
sys.path += glob.glob("/usr/lib/petscdir/petsc3*/*-real/lib/python3/dist-packages")
sys.path += glob.glob("/usr/lib/slepcdir/slepc3*/*-real/lib/python3/dist-packages")


def peak():
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith("VmHWM"))


def start(options, ranks, *rest):
    if not os.path.exists(rest[0] + "/column.npy"):
        lay_out(rest[0])
    said = subprocess.run(["mpirun", *options.split(), "--oversubscribe", "-n", ranks,
                           sys.executable, __file__, *rest],
                          stdout=subprocess.PIPE,
                          env={**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1",
                               "OMPI_MCA_mpi_yield_when_idle": "1"})
    if said.returncode:
        sys.exit(f"mpirun ended with status {said.returncode}")
    each = sorted((json.loads(line) for line in said.stdout.splitlines() if line.startswith(b"{")),
                  key=lambda rank: rank["rank"])
    import numpy as np
    left = np.concatenate([np.load(f"{rest[0]}/left.{r}.npy") for r in range(len(each))])
    np.save(f"{rest[0]}/left-{ranks}.npy", left)
    one = np.load(f"{rest[0]}/left-1.npy")
    print(
        json.dumps(
            {**{key: [rank[key] for rank in each]
                for key in ("cpu_s", "filter_s", "memory", "begun")},
             "bits": hashlib.sha256(left.tobytes()).hexdigest(), "off": each[0]["off"],
             "differ": float(f"{abs(left - one).max() / abs(one).max():.1e}")}))


def lay_out(folder):
    """Writes A + I by rows into files that ranks map, so that their memory does not include that
    of reading text."""
    import numpy as np
    n = len(np.load(folder + "/features.npy", mmap_mode="r"))
    place = []
    with open(folder + "/edges.tsv") as file:
        while lines := file.readlines(1 << 24):
            u, v = np.array("".join(lines).split(), dtype=np.int64).reshape(-1, 2).T
            place += [u * n + v, v * n + u]
    place = np.unique(np.concatenate([*place, np.arange(n) * (n + 1)]))
    start = np.zeros(n + 1, np.int32)
    np.cumsum(np.bincount(place // n, minlength=n), out=start[1:])
    np.save(folder + "/start.npy", start)
    np.save(folder + "/column.npy", (place % n).astype(np.int32))


def graph(PETSc, np, folder, n, first, last):
    """Returns this rank's rows of S."""
    start = np.load(folder + "/start.npy", mmap_mode="r")[first:last + 1]
    column = np.load(folder + "/column.npy", mmap_mode="r")[start[0]:start[-1]]
    degree = PETSc.Vec().createMPI((last - first, n))
    degree.setArray(np.diff(start).astype(float) ** -0.5)
    S = PETSc.Mat().createAIJ(((last - first, n), (last - first, n)),
                              csr=(start - start[0], column, np.ones(len(column))))
    S.diagonalScale(degree, degree)
    return S


def run(folder, order, vectors):
    from petsc4py import PETSc
    from slepc4py import SLEPc
    begun = peak()
    import numpy as np
    comm = PETSc.COMM_WORLD
    X = np.load(folder + "/features.npy", mmap_mode="r")
    n, m = X.shape
    block = -(-n // comm.size)
    first, last = min(n, comm.rank * block), min(n, (comm.rank + 1) * block)
    S = graph(PETSc, np, folder, n, first, last)
    F = PETSc.Mat().createDense(((last - first, n), (None, m)))
    F.setUp()
    F.getDenseArray()[:] = X[first:last]
    F.assemble()
    del X
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")
    began = time.process_time()
    product = None
    for _ in range(order):
        product = S.matMult(F) if product is None else S.matMult(F, product)
        F.axpy(1, product)
        F.scale(0.5)
    product.destroy()
    filtered = time.process_time()
    svd = SLEPc.SVD().create()
    svd.setOperator(F)
    svd.setType(SLEPc.SVD.Type.CROSS)
    svd.setDimensions(vectors)
    svd.setTolerances(1e-8)
    svd.solve()
    assert svd.getConverged() >= vectors
    right, left = F.createVecs()
    U = np.empty((last - first, vectors))
    for i in range(vectors):
        svd.getSingularTriplet(i, left, right)
        sign = -1 if -left.min()[1] > left.max()[1] else 1
        U[:, i] = sign * left.getArray()
    took, most = time.process_time() - began, peak()
    np.save(f"{folder}/left.{comm.rank}.npy", U)
    off = max(svd.computeError(i, SLEPc.SVD.ErrorType.RELATIVE) for i in range(vectors))
    print(
        json.dumps({"rank": comm.rank, "cpu_s": took, "filter_s": filtered - began, "memory": most,
                    "begun": begun,
                    "off": float(f"{off:.1e}")}), flush=True)


if sys.argv[1] == "--installed":
    try:
        import petsc4py
        import slepc4py
    except ImportError:
        sys.exit(1)
elif sys.argv[1] == "--mpirun":
    start(*sys.argv[2:])
else:
    import slepc4py
    slepc4py.init([])
    run(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
