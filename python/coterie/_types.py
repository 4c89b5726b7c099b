"""Types of the estimators' arguments and results, for type checkers and readers."""
from __future__ import annotations

import os
from typing import Any, Mapping, Protocol, Sequence, Tuple, Union

import numpy as np
from numpy.typing import ArrayLike

from ._data import Data


class Sparse(Protocol):
    """A SciPy sparse matrix."""

    shape: Tuple[int, int]

    def tocsr(self) -> Any:
        ...


class Graph(Protocol):
    """A networkx graph."""

    def is_directed(self) -> bool:
        ...


#: The number of the cluster of each row; -1: the job has not assigned the row to a cluster.
Labels = np.ndarray[Any, np.dtype[np.int64]]
#: Numbers in rows and columns.
Matrix = np.ndarray[Any, np.dtype[np.float64]]
#: A table: numbers as an array, lists, a DataFrame or a sparse matrix; prepared data; or the path
#: of a table or data directory.
Rows = Union[Data, str, "os.PathLike[str]", ArrayLike, Sparse]
#: A graph: an adjacency matrix, pairs of ends, a networkx graph, prepared data, or a path.
Edges = Union[Data, str, "os.PathLike[str]", ArrayLike, Sparse, Graph]
#: Many graphs: a list of adjacency matrices, networkx graphs, or pairs of a number of nodes and
#: edges; or a directory.
Graphs = Union[Sequence[Union[Sparse, Graph, Tuple[int, ArrayLike]]], str, "os.PathLike[str]"]
#: Number of clusters, or a range from which a job chooses: (2, 12) or {"from": 2, "to": 12}.
Clusters = Union[int, Tuple[int, int], Mapping[str, int]]
Seed = Union[None, int, np.integer[Any], np.random.RandomState]
#: Members of a job, a policy or a way to split data, as JSON has them.
Settings = Mapping[str, Any]
