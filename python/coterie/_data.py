"""Makes data directories for the programs from DataFrames, files, arrays and edges."""
from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Optional, Sequence, Tuple, Union

import numpy as np

from ._errors import InputError
from ._folder import Folder
from ._optional import is_frame, is_sparse, need
from ._program import PathLike, as_path
from .convert import options
from .convert._advice import helped, size_of
from .convert._databases import is_address
from .convert._edges import Edge, end_of, graph_of
from .convert._frames import frame_table, plain_frame
from .convert._made import Made, read, record, take_graph, write
from .convert._reading import Reading, of

if TYPE_CHECKING:
    import pandas as pd

#: Files of a data directory that may hold features, in the order in which the programs look.
FEATURES = ("features.mtx", "features.npy", "features.csv")


class Data:
    """A data directory: the result of `prepare`, or an existing one.

    path: the directory; ids, labels: contents of its ids.txt and labels.txt, or None; columns:
    names of the features; imported: content of import.json, or {}.
    """

    def __init__(self, path: Union[PathLike, Folder]):
        self._folder = path if isinstance(path, Folder) else Folder(as_path(path, "data"))
        self.path = self._folder.path

    def __fspath__(self) -> str:
        return str(self.path)

    def __repr__(self) -> str:
        parts = [f"{self.path}"]
        if self.columns:
            parts.append(f"{len(self.columns)} columns")
        if self.ids is not None:
            parts.append(f"{len(self.ids)} ids")
        if (self.path / "edges.tsv").exists():
            parts.append("edges")
        return f"<coterie.Data {', '.join(parts)}>"

    def _lines(self, name: str) -> Optional[List[str]]:
        path = self.path / name
        return path.read_text(encoding="utf-8").split("\n")[:-1] if path.exists() else None

    def _json(self, name: str) -> Dict[str, Any]:
        path = self.path / name
        found: Dict[str,
                    Any] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        return found

    @property
    def ids(self) -> Optional[List[str]]:
        return self._lines("ids.txt")

    @property
    def labels(self) -> Optional["np.ndarray[Any, Any]"]:
        lines = self._lines("labels.txt")
        return None if lines is None else np.array([int(line) for line in lines])

    @property
    def columns(self) -> List[str]:
        return [c["name"] for c in self._json("columns.json").get("columns", [])]

    @property
    def imported(self) -> Dict[str, Any]:
        return self._json("import.json")

    @property
    def features(self) -> Any:
        """The matrix, dense or sparse; None if there is none, or if the programs read a table
        themselves."""
        for name in FEATURES[:2]:
            if (self.path / name).exists():
                path = str(self.path / name)
                return _read_sparse(path) if name.endswith(".mtx") else np.load(path)
        return None

    def rows(self) -> Optional[int]:
        X = self.features
        return int(X.shape[0]) if X is not None else None


def _read_sparse(path: str) -> Any:
    return need("scipy.sparse", path).csr_matrix(need("scipy.io", path).mmread(path))


# ---- tables ----

Columns = Union[str, Sequence[str]]


def frame_of(table: Any) -> pd.DataFrame:
    """Returns a DataFrame of a pandas, Arrow or polars table. Refuses other values."""
    if is_frame(table):
        return table
    for method in ("to_pandas", "__dataframe__"):
        if hasattr(table, method):
            return (table.to_pandas() if method == "to_pandas"
                    else need("pandas", "a table").api.interchange.from_dataframe(table))
    raise InputError(
        f"a table is a DataFrame, an Arrow table or a path, not a {type(table).__name__}", status=4)


def edge_frame(edges: Any) -> pd.DataFrame:
    """Returns edges as a table of two ends and an optional weight, from a DataFrame, an array of
    pairs, a sparse matrix or a graph."""
    pd = need("pandas", "edges")
    if is_sparse(edges):
        if edges.shape[0] != edges.shape[1]:
            raise InputError(
                f"edges: a matrix of {edges.shape[0]} x {edges.shape[1]}, expected a square one",
                status=4)
        upper = edges.tocoo()
        if (abs(upper - upper.T) > 1e-12 * abs(upper)).nnz:
            raise InputError(
                "edges: the matrix is not symmetric, and a graph has no direction here", status=4)
        keep = upper.row < upper.col
        frame = pd.DataFrame({"from": upper.row[keep], "to": upper.col[keep]})
        if not np.all(upper.data[keep] == 1):
            frame["weight"] = upper.data[keep]
        return frame
    if hasattr(edges, "edges") and hasattr(edges, "is_directed"):  # networkx
        if edges.is_directed():
            raise InputError("edges: the graph is directed, and a graph has no direction here; "
                             "take its to_undirected()", status=4)
        rows = [(u, v, w) for u, v, w in edges.edges(data="weight")]
        frame = pd.DataFrame(rows, columns=["from", "to", "weight"])
        if frame["weight"].isna().all():
            return frame[["from", "to"]]
        return frame
    if is_frame(edges):
        frame = plain_frame(edges, "edges")
    else:
        array = np.asarray(edges)
        if array.size == 0:
            array = np.empty((0, 2), dtype=np.int64)
        if array.ndim != 2 or array.shape[1] not in (2, 3):
            raise InputError(f"edges: an array of shape {array.shape}, expected two columns, or "
                             "three with weights", status=4)
        ends = array[:, :2]
        if np.issubdtype(array.dtype, np.floating):
            if not np.all(ends == np.floor(ends)):
                raise InputError("edges: an end is no whole number; give ids as words", status=4)
            ends = ends.astype(np.int64)
        frame = pd.DataFrame(ends, columns=["from", "to"])
        if array.shape[1] == 3:
            frame["weight"] = array[:, 2].astype(float)
    if frame.shape[1] not in (2, 3):
        raise InputError(
            f"edges: columns {', '.join(frame.columns)}; take the two ends, and perhaps a weight",
            status=4)
    return frame


def _edges_of(frame: pd.DataFrame) -> Iterator[Edge]:
    """Returns the rows of edge_frame(), numbered from 0."""
    weights = frame.iloc[:, 2].tolist() if frame.shape[1] == 3 else [None] * len(frame)
    for at, (u, v,
             w) in enumerate(zip(frame.iloc[:, 0].tolist(), frame.iloc[:, 1].tolist(), weights)):
        weight = None if w is None or w != w else str(w)
        yield Edge(at, end_of(f"edges, row {at}", str(u)), end_of(f"edges, row {at}", str(v)),
                   weight)


def _path_of(given: Any, what: str) -> Optional[str]:
    """Returns the value as a path or as the address of a database; None if it is neither."""
    if not isinstance(given, (str, os.PathLike)):
        return None
    return str(given) if is_address(str(given)) else str(as_path(given, what))


def prepare(
    table: Any = None,
    *,
    id: Optional[str] = None,
    edges: Any = None,
    label: Optional[str] = None,
    category: Optional[Columns] = None,
    date: Optional[Columns] = None,
    ignore: Optional[Columns] = None,
    only: Optional[Columns] = None,
    missing: Optional[Columns] = None,
    part: Optional[str] = None,
    edges_part: Optional[str] = None,
    settings: Optional[Dict[str, Any]] = None,
    out: Optional[PathLike] = None,
) -> Data:
    """Makes a data directory of a DataFrame, or of a file that coterie.convert reads.

    * table: a DataFrame, an Arrow table, or the path of a file; None if there are only edges. The
      index is not read; ``df.reset_index()`` makes it a column
    * id, label, category, date, ignore, only, missing, part, edges_part: as in docs/data.md;
      settings: as for ``--set``. A pandas column of type category becomes a category with its
      values; datetime64 becomes a date in UTC, bool becomes 0 and 1. Other columns without numbers
      need an option
    * edges: a DataFrame with two ends and an optional weight, an array of pairs, a symmetric sparse
      matrix, a networkx graph, or the path of a file. Ends are ids; if there are no ids, they are
      row numbers from 0
    * out: the directory; if not given, a temporary one, which is deleted together with the result

    An InputError names the line of the file, or the row of the DataFrame (from 0).
    """
    if table is None and edges is None:
        raise InputError("prepare: give a table, edges, or both", status=4)
    folder = Folder(out)
    target = folder.path if out is not None else folder.path / "data"
    said = options(settings, id=id, label=label, category=category, date=date, ignore=ignore,
                   only=only, missing=missing)
    how = of(said)
    file, links = _path_of(table, "table"), _path_of(edges, "edges")
    df = frame_of(table) if table is not None and file is None else None

    def read_with(how: Reading, *ends: Optional[str]) -> Made:
        links, edges_part = ends or (None, None)
        made = read(file, links, part, edges_part, how)
        if df is not None:
            made.take_table(frame_table(df, how, "DataFrame", 0, ","))
        return made

    try:
        made = read_with(how, links, edges_part)
    except InputError as e:
        raise helped(e, said, size_of(file) if df is None else 8.0 * df.size,
                     read_with) from None
    if edges is not None and links is None:
        take_graph(made,
                   graph_of(_edges_of(edge_frame(edges)), "edges", made.n, made.ids, ", row "),
                   "edges")
    write(made, str(target), record(made, file, links, part, how, _version()))
    if out is None:
        folder.path = target
    return Data(folder)


def _version() -> str:
    from . import __version__

    return __version__


# ---- matrices, as they are ----


def write_matrix(X: Any, directory: Path, names: Optional[Sequence[str]] = None) -> None:
    """Writes features.npy or features.mtx from checked numbers, and columns.json if the columns
    have names."""
    if is_sparse(X):
        need("scipy.io", "a sparse matrix").mmwrite(str(directory / "features.mtx"), X.tocsr(),
                                                    precision=17)
    else:
        np.save(directory / "features.npy", np.ascontiguousarray(X, dtype=np.float64))
    if names is not None:
        text = {"columns": [{"name": str(n), "type": "number"} for n in names]}
        (directory / "columns.json").write_text(json.dumps(text), encoding="utf-8")


def write_edges(edges: Any, directory: Path) -> None:
    frame = edge_frame(edges)
    for name in frame.columns[:2]:
        bad = frame[name].astype(str).str.contains(r"\s").to_numpy() | frame[name].isna().to_numpy()
        if bad.any():
            at = int(np.flatnonzero(bad)[0])
            raise InputError(
                f"edges, row {at}: the end {frame[name].iloc[at]!r} has blanks or is missing",
                status=4)
    frame.to_csv(directory / "edges.tsv", sep="\t", header=False, index=False, lineterminator="\n")


# ---- many graphs, in TU format ----


def write_graphs(graphs: Sequence[Any], directory: Path, name: str = "set") -> None:
    """Writes graphs in TU format. Each is a symmetric sparse matrix, a networkx graph, or a pair
    of its number of nodes and its edges."""
    directory.mkdir(parents=True, exist_ok=True)
    start, edges, of = 1, [], []
    for number, graph in enumerate(graphs, 1):
        nodes, pairs = _graph(graph, number - 1)
        of += [number] * nodes
        for u, v in pairs:
            edges += [f"{u + start}, {v + start}", f"{v + start}, {u + start}"]
        start += nodes
    (directory / f"{name}_A.txt").write_text("".join(e + "\n" for e in edges))
    (directory / f"{name}_graph_indicator.txt").write_text("".join(f"{g}\n" for g in of))


def _graph(graph: Any, number: int) -> Tuple[int, List[Tuple[int, int]]]:
    if isinstance(graph, tuple) and len(graph) == 2:
        nodes, edges = int(graph[0]), np.asarray(edge_frame(graph[1]).iloc[:, :2], dtype=np.int64)
    elif is_sparse(graph):
        nodes, edges = graph.shape[0], edge_frame(graph).iloc[:, :2].to_numpy()
    elif hasattr(graph, "edges") and hasattr(graph, "nodes"):
        place = {node: i for i, node in enumerate(graph.nodes)}
        nodes, edges = len(place), np.array([(place[u], place[v]) for u, v in graph.edges],
                                            dtype=np.int64).reshape(-1, 2)
    else:
        raise InputError(f"graph {number}: a {type(graph).__name__}, expected a sparse matrix, a "
                         "networkx graph, or a pair "
                         "of how many nodes it has and its edges", status=4)
    if len(edges) and (edges.min() < 0 or edges.max() >= nodes):
        raise InputError(
            f"graph {number}: an edge has node {edges.max()}, and there are {nodes}, from 0",
            status=4)
    return nodes, [(int(u), int(v)) for u, v in edges if u != v]
