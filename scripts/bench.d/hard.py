"""Makes equivalent data in other forms, for scripts/bench hard: DATA OUT makes OUT/NAME from
DATA/cora and DATA/karate."""
import os
import shutil
import sys

import numpy
from scipy import io, sparse
from scipy.sparse import linalg

data, out = sys.argv[1:]
rng = numpy.random.default_rng(7)
X = sparse.csr_matrix(io.mmread(os.path.join(data, "cora", "features.mtx")))
n, m = X.shape


def write(name, features, of="cora"):
    to = os.path.join(out, name)
    os.makedirs(to, exist_ok=True)
    for file in ("edges.tsv", "labels.txt"):
        shutil.copy(os.path.join(data, of, file), to)
    if sparse.issparse(features):
        io.mmwrite(os.path.join(to, "features.mtx"), sparse.coo_matrix(features))
    else:
        numpy.save(os.path.join(to, "features.npy"), features)


def beside(low, high):
    """Returns a column of whole numbers that do not depend on the classes."""
    return sparse.hstack([X, sparse.csr_matrix(rng.integers(low, high + 1, (n, 1)).astype(float))])


write("as it is", X)
write("10000 empty columns", sparse.hstack([X, sparse.csr_matrix((n, 10000))]))
write("every column eight times", sparse.hstack([X] * 8))
write("and a column year", beside(1990, 2019))
write("and a column age", beside(18, 79))
write("60 % of rows without features", sparse.diags((rng.random(n) >= 0.6).astype(float)) @ X)
U, s, _ = linalg.svds(X, 16, random_state=7)
write("16 dense columns", numpy.ascontiguousarray(U * s))
nodes = sum(1 for _ in open(os.path.join(data, "karate", "labels.txt"), encoding="ascii"))
write("34 nodes and no features", numpy.eye(nodes), "karate")
