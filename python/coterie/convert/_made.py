"""Contents of a data directory as they were read, and functions that write the directory."""
from __future__ import annotations

import hashlib
import json
import logging
import os
import shutil
from pathlib import Path
from typing import Any, Dict, List, Optional, Tuple, cast

import numpy as np

from .._errors import CoterieError
from ._column import Column
from ._csv import read_table
from ._databases import is_address, read_postgresql, read_sqlite
from ._edges import Graph, graph_of, graph_of_matrix, read_edges
from ._frames import frame_table, read_excel, read_frame
from ._gml import read_gml
from ._graphml import read_graphml
from ._hdf5 import read_h5ad
from ._isolated import isolated
from ._mat import read_mat
from ._matrices import Sparse, npy, read_mtx, read_npz
from ._reading import OF_EDGES, OF_LINES, Reading
from ._table import Table
from ._text import plain_name, read_bytes, warn, wrong

log = logging.getLogger("coterie.convert")

_ENDINGS = ("csv", "tsv", "txt", "data", "npy", "mtx", "graphml", "gml", "npz", "sqlite", "sqlite3",
            "db", "h5ad", "mat", "xlsx", "parquet", "feather", "arrow")
_WITH_PARTS = ("npz", "sqlite", "sqlite3", "db", "mat", "xlsx")
_PACKED = ("csv", "tsv", "txt", "data", "npy", "mtx", "graphml", "gml")
_MATRICES = ("npy", "mtx", "npz", "mat")


class Made:
    """Features, names, ids, labels and edges. X is an array, Sparse, or None."""

    def __init__(self) -> None:
        self.X: Any = None
        self.columns: List[Dict[str, str]] = []
        self.ids: Optional[List[str]] = None
        self.labels: Any = None
        self.graph: Optional[Graph] = None
        self.table: Optional[Table] = None
        self.n = 0

    def take_table(self, t: Table) -> None:
        self.table, self.X, self.columns = t, t.X if t.made else None, t.made
        self.ids, self.labels, self.n = t.ids, t.labels, t.rows

    def take_matrix(self, where: str, X: Any, labels: Any = None) -> None:
        """Stores X and labels. If some labels are negative, classes get new numbers."""
        self.X, self.labels, self.n = X, labels, X.shape[0]
        if labels is not None and (labels < 0).any():
            classes, self.labels = np.unique(labels, return_inverse=True)
            warn(f"{where}: labels below 0, so the {len(classes)} classes get the numbers 0 to "
                 f"{len(classes) - 1}, in ascending order")

    @property
    def features(self) -> int:
        return int(self.X.shape[1]) if self.X is not None else 0

    def summary(self) -> str:
        """Returns a line of text for the user."""
        parts = [f" {self.n} {'nodes' if self.graph else 'rows'}"] if self.n else []
        parts += [f" {self.features} features"] if self.features else []
        parts += [f" {len(self.graph.u)} edges"] if self.graph else []
        parts += [" ids"] if self.ids else []
        parts += [" labels"] if self.labels is not None else []
        return ",".join(parts)


# ---- reading ----


def _ending(path: str) -> str:
    name = plain_name(path)
    ending = os.path.basename(name).rpartition(".")
    found = ending[2].lower() if ending[1] else ""
    if found not in _ENDINGS:
        raise wrong(f"{path}: the name says nothing that is known of what is in it, expected one "
                    f"that ends in .{' .'.join(_ENDINGS)}, or postgresql://USER@HOST/DATABASE")
    if name != path and found not in _PACKED:
        raise wrong(f"{path}: a packed .{found}, expected it unpacked")
    return found


def _check_said(path: str, how: Reading, edges: bool, labelled: bool) -> None:
    """Refuses options of a table for a matrix, which has no column names."""
    ignored = (*(OF_EDGES if edges else ()), *(("label",) if labelled else ()))
    if how.given(ignored):
        raise wrong(f"{path}: options that say how a table is read are given, but this is no table")


def _check_lines(path: str, kind: str, how: Reading) -> None:
    for key in OF_LINES:
        if how.get(key):
            raise wrong(f"{path}: {key} is said of lines of text, but a .{kind} has none")


def _take_h5ad(made: Made, path: str, how: Reading) -> None:
    cells = isolated(read_h5ad, path, how.label)
    made.take_matrix(path, cells.X, cells.labels)
    # Names must follow the rules of a heading and of a column of ids.
    names = Table(Reading(), path, cells.columns, len(cells.columns), str, "row")
    made.columns = [{"name": c.name, "type": "number"} for c in names.columns]
    ids = Table(Reading(id="#1"), path, ["obs"], 1, lambda at: f"{path}: row {at}", "row")
    ids.take_all([(range(1, len(cells.ids) + 1), [cells.ids])])
    made.ids = ids.ids


def _matrix(kind: str, path: str, part: Optional[str], label: Optional[str]) -> Tuple[Any, Any]:
    """Returns an array or Sparse, and labels or None."""
    if kind == "npy":
        return npy(read_bytes(path), path), None
    if kind == "mtx":
        return read_mtx(read_bytes(path), path), None
    if kind == "npz":
        return read_npz(path, part, label)
    return cast(Tuple[Any, Any], isolated(read_mat, path, part, label))


def _take_file(made: Made, path: str, part: Optional[str], how: Reading, edges: bool) -> None:
    kind = _ending(path)
    if part is not None and kind not in _WITH_PARTS:
        raise wrong(f'{path}: --part is "{part}", but a .{kind} has no parts')
    if kind not in ("csv", "tsv", "txt", "data"):
        _check_lines(path, kind, how)
    if kind in ("csv", "tsv", "txt", "data"):
        made.take_table(read_table(read_bytes(path), path, plain_name(path), how))
    elif kind in ("sqlite", "sqlite3", "db"):
        made.take_table(read_sqlite(path, part, how))
    elif kind == "xlsx":
        made.take_table(read_excel(path, part, how))
    elif kind in ("parquet", "feather", "arrow"):
        made.take_table(frame_table(read_frame(path), how, path, 1, ":"))
    elif kind in ("graphml", "gml"):
        read_graph = read_graphml if kind == "graphml" else read_gml
        table, found = read_graph(read_bytes(path), path, how)
        made.take_table(table)
        made.graph = graph_of(found, f"{path}: edge on line ", table.rows, table.ids, "")
        _warn_of_dropped(path, made.graph)
    else:
        if kind in _MATRICES:
            made.take_matrix(path, *_matrix(kind, path, part, how.label))
        else:
            _take_h5ad(made, path, how)
        _check_said(path, how, edges, kind in ("npz", "mat", "h5ad"))


def _warn_of_dropped(where: str, g: Graph) -> None:
    if g.loops or g.repeated:
        warn(f"{where}: dropped {g.loops} self-loops and {g.repeated} lines that repeat an edge")


def take_graph(made: Made, graph: Graph, where: str) -> None:
    if made.graph:
        raise wrong(f"{where}: the nodes' file has edges itself, expected no others")
    made.graph, made.n = graph, graph.n
    if made.ids is None and graph.ids is not None:
        made.ids = graph.ids
    _warn_of_dropped(where, graph)


def _check_there(path: Optional[str]) -> None:
    if path is not None and not is_address(path):
        try:
            os.stat(path)
        except (OSError, ValueError) as e:
            raise wrong(f"{path}: {getattr(e, 'strerror', None) or e}, expected a file that this "
                        "user may read") from None
        if not os.access(path, os.R_OK):
            raise wrong(f"{path}: Permission denied, expected a file that this user may read")


def _read_graph(made: Made, edges: str, part: Optional[str], how: Reading) -> Graph:
    kind = plain_name(edges).rpartition(".")[2].lower()
    if part is not None and kind not in ("npz", "mat"):
        raise wrong(f'{edges}: --edges-part is "{part}", but a .{kind} has no parts')
    if kind in _MATRICES:
        return graph_of_matrix(_matrix(kind, edges, part, None)[0], edges, made.n, made.ids)
    found = read_edges(read_bytes(edges), edges, plain_name(edges), how)
    return graph_of(found, edges, made.n, made.ids)


def read(file: Optional[str], edges: Optional[str], part: Optional[str],
         edges_part: Optional[str], how: Reading) -> Made:
    """Reads a file, edges, or both. An InputError has the file, the place in it, the value and
    the remedy."""
    made = Made()
    _check_there(file)
    _check_there(edges)
    if file is not None and is_address(file):
        made.take_table(read_postgresql(file, part, how))
    elif file is not None:
        _take_file(made, file, part, how, edges is not None)
    if edges is not None:
        take_graph(made, _read_graph(made, edges, edges_part, how), edges)
    elif edges_part is not None:
        raise wrong(f'--edges-part is "{edges_part}", but no --edges is given')
    return made


# ---- the files ----


def _number(x: float) -> Any:
    return int(x) if float(x).is_integer() and abs(x) < 2 ** 53 else x


def _write_features(made: Made, to: Path) -> None:
    if made.X is None:
        return
    if isinstance(made.X, Sparse):
        s = made.X
        lines = [f"{i + 1} {j + 1} {x:.17g}\n" for i, j, x in
                 zip(s.row.tolist(), s.col.tolist(), s.value.tolist())]
        head = f"%%MatrixMarket matrix coordinate real general\n{s.rows} {s.cols} {len(lines)}\n"
        (to / "features.mtx").write_text(head + "".join(lines), encoding="utf-8")
    else:
        X = np.ascontiguousarray(made.X)
        with np.errstate(over="ignore"):
            single = X.astype("<f4")
        exact = bool((np.abs(X) <= 3e38).all() and (single == X).all())
        np.save(to / "features.npy", single if exact else X.astype("<f8"))
    if made.columns:
        entries = ",".join("\n  " + json.dumps(c, ensure_ascii=False, separators=(",", ":"))
                           for c in made.columns)
        _write(to / "columns.json", f'{{"columns": [{entries}\n]}}\n')


def _write(path: Path, text: str) -> None:
    path.write_bytes(text.encode("utf-8"))


def _write_edges(g: Graph, to: Path) -> None:
    name = [str(i) for i in range(g.n)] if g.ids is None else g.ids
    weighted = bool((g.weight != 1).any())
    with open(to / "edges.tsv", "w", encoding="utf-8", newline="\n") as f:
        for u, v, w in zip(g.u.tolist(), g.v.tolist(), g.weight.tolist()):
            f.write(f"{name[u]}\t{name[v]}\t{w:.17g}\n" if weighted else f"{name[u]}\t{name[v]}\n")


def _source(path: str) -> Dict[str, Any]:
    if is_address(path) or not os.path.exists(path):
        return {"path": path}
    digest = hashlib.sha256()
    with open(path, "rb") as f:
        for some in iter(lambda: f.read(1 << 20), b""):
            digest.update(some)
    return {"path": path, "bytes": os.path.getsize(path), "sha256": digest.hexdigest()}


def _column(c: Column) -> Dict[str, Any]:
    o: Dict[str, Any] = {"name": c.name, "type": c.role}
    if c.role in ("ignore", "id"):
        return o
    o["missing"] = c.gaps
    if c.role in ("number", "date"):
        o.update(min=_number(c.min), max=_number(c.max))
        if c.gaps:
            o.update(filled=c.missing, **{"with": _number(c.fill)})
        return o
    o["values"] = c.sorted
    if c.role == "label" and not all(v.isascii() and v.isdigit() for v in c.sorted):
        o["numbers"] = "labels.txt has the places of values in this list, from 0"
    return o


def record(made: Made, file: Optional[str], edges: Optional[str], part: Optional[str],
           how: Reading, version: str) -> Dict[str, Any]:
    """Returns the content of import.json."""
    root: Dict[str, Any] = {"coterie": version}
    for key, path in (("file", file), ("edges_file", edges)):
        if path is not None:
            root[key] = _source(path)
    if part is not None:
        root["part"] = part
    t = made.table
    if t:
        root["heading"] = {"taken": t.said["heading"], "why": t.said["why"]}
        root["rows"] = {"read": t.rows, "dropped": 0}
        root["lines_left_out"] = {"blank_at_the_end": t.said["blank"],
                                  "comments": t.said["comments"]}
        root["read"] = how.record()
        root["columns"] = [_column(c) for c in t.columns]
    root["made"] = {"rows": made.n, "features": made.features, "ids": bool(made.ids),
                    "labels": made.labels is not None}
    if made.graph:
        root["edges"] = {"kept": len(made.graph.u), "self_loops_dropped": made.graph.loops,
                         "repeated_dropped": made.graph.repeated}
    return root


def write(made: Made, out: str, root: Dict[str, Any]) -> None:
    """Writes the directory completely or not at all: writes out.part, and then renames it."""
    whole = Path(out)
    part = Path(str(whole) + ".part")
    try:
        whole.parent.mkdir(parents=True, exist_ok=True)
    except OSError as e:
        raise CoterieError(f"{whole.parent}: {e.strerror}", status=1) from None
    try:
        part.mkdir()
    except FileExistsError:
        raise wrong(f"{part} is there: another conversion to {whole} is under way, or was killed; "
                    "if none is, remove it") from None
    except OSError as e:
        raise CoterieError(f"{part}: {e.strerror}", status=1) from None
    try:
        _check_empty(whole)
        _write_features(made, part)
        if made.ids:
            _write(part / "ids.txt", "".join(i + "\n" for i in made.ids))
        if made.labels is not None:
            _write(part / "labels.txt", "".join(f"{i}\n" for i in made.labels.tolist()))
        if made.graph:
            _write_edges(made.graph, part)
        _write(part / "import.json", json.dumps(root, ensure_ascii=False, indent=2) + "\n")
        part.rename(whole)
    except OSError as e:
        raise CoterieError(f"{whole}: {e.strerror}", status=1) from None
    finally:
        shutil.rmtree(part, ignore_errors=True)


def _check_empty(whole: Path) -> None:
    try:
        whole.rmdir()
    except FileNotFoundError:
        return
    except OSError as e:
        what = "there is something in it" if whole.is_dir() and any(whole.iterdir()) else e.strerror
        raise wrong(f"{whole}: {what}, expected a directory that is empty or not there") from None
