"""Edges of a graph: lines of an edges.tsv, a table of edges, or those of another file.

The graph is undirected. Self-loops and repeated edges are dropped and counted; an edge that is
given again with another weight is refused, and so is an edge without a weight if other edges have
one.
"""
from __future__ import annotations

import logging
import math
import re
from typing import Any, Iterable, Iterator, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from ._csv import Record, Records, open_text
from ._matrices import Sparse
from ._reading import Reading
from ._text import (BLANK, EDGES_MAX, ID_MAX, ROWS_MAX, WHOLE, Array, is_id, number_of,
                    shown, warn, wrong)

log = logging.getLogger("coterie.convert")
_HEADINGS = (("source", "target"), ("from", "to"), ("src", "dst"), ("u", "v"),
             ("node1", "node2"), ("id1", "id2"))


class Edge(NamedTuple):
    line: int
    u: str
    v: str
    weight: Optional[str]


class Graph:
    """u[i] < v[i] are places among the sorted ids, or row numbers where there are no ids."""

    def __init__(self, n: int, ids: Optional[List[str]], u: Array, v: Array,
                 weight: Array, loops: int, repeated: int):
        self.n, self.ids = n, ids
        self.u, self.v, self.weight = u, v, weight
        self.loops, self.repeated = loops, repeated


# ---- ends ----


class _Nodes:
    """Maps the words at the ends of edges to numbers: row numbers, positions of given ids, or
    numbers of names in order of appearance."""

    def __init__(self, n: int, ids: Optional[Sequence[str]]):
        self.n, self.ids = n, ids
        self.number = {word: i for i, word in enumerate(ids)} if ids else {}

    def of(self, word: str, place: str, line: int) -> int:
        found = self.number.get(word)
        return self._other(word, f"{place}{line}") if found is None else found

    def _other(self, word: str, at: str) -> int:
        """Numbers a new word."""
        if self.ids:
            raise wrong(f"{at}: {shown(word)} is none of the {len(self.ids)} ids")
        if not self.n:
            if not is_id(word):
                raise wrong(f"{at}: {shown(word)} is no id: 1 to {ID_MAX} bytes of UTF-8 without "
                            "blanks and invisible marks that do not begin with '#'")
            if len(self.number) == ROWS_MAX:
                raise wrong(f"{at}: more than {ROWS_MAX} ids")
            self.number[word] = len(self.number)
        elif WHOLE.fullmatch(word) and int(word) < self.n:
            self.number[word] = int(word)
        else:
            raise wrong(f"{at}: the node is {shown(word)}, expected a whole number from 0 to "
                        f"{self.n - 1}")
        return self.number[word]


def _check_heading(where: str, names: List[str]) -> None:
    """Refuses a heading that was read as two nodes and an edge."""
    whole = [bool(re.fullmatch("[0-9]{1,18}", n)) for n in names]
    if len(names) < 2:
        return
    pair = (names[0].lower(), names[1].lower())
    if pair in _HEADINGS or (len(names) >= 10 and not any(whole[:2]) and all(whole[2:])):
        raise wrong(f"{where}: the first line, {shown(names[0])} and {shown(names[1])}, looks like "
                    "a heading: begin it with '#', or take it out")


# ---- weights ----


def _weight(at: str, text: str) -> float:
    x = number_of(text)
    if x is None:
        raise wrong(f"{at}: {shown(text)} is not a finite number")
    if not x > 0:
        raise wrong(f"{at}: the weight is {shown(x)}, expected more than 0")
    return x


class _Weights:
    """The weight of each edge, 1 if it has none. Either all edges have a weight, or none has."""

    def __init__(self, place: str):
        self.place = place
        self.weighted: Optional[Edge] = None  # the first edge with a weight
        self.plain: Optional[Edge] = None  # the first edge without one

    def of(self, e: Edge) -> float:
        if e.weight is None:
            self.plain = self.plain or e
        else:
            self.weighted = self.weighted or e
        if self.weighted and self.plain:
            bad = self.plain
            raise wrong(f"{self.place}{bad.line}: the edge of {shown(bad.u)} and {shown(bad.v)} "
                        f"has no weight, but that on line {self.weighted.line} has one")
        return 1.0 if e.weight is None else _weight(f"{self.place}{e.line}", e.weight)


# ---- the graph ----


def graph_of(edges: Iterable[Edge], where: str, n: int, ids: Optional[List[str]],
             between: str = ":") -> Graph:
    """ids: ids in the order of the rows, or None. n: number of rows; 0: the edges name the
    nodes. between: the text between `where` and the line in messages."""
    place = where + between
    ordered = sorted(ids) if ids else None
    nodes, weights = _Nodes(n, ordered), _Weights(place)
    u: List[int] = []
    v: List[int] = []
    w: List[float] = []
    line: List[int] = []
    for e in edges:
        u.append(nodes.of(e.u, place, e.line))
        v.append(nodes.of(e.v, place, e.line))
        w.append(weights.of(e))
        line.append(e.line)
        if len(u) > EDGES_MAX:
            raise wrong(f"{place}{e.line}: more than {EDGES_MAX} edges")
    a, b = np.array(u, np.int64), np.array(v, np.int64)
    if not n and not ids:
        names = list(nodes.number)
        _check_heading(where, names)
        ordered = sorted(names)
        sorted_at = _Nodes(0, ordered).number
        place_of = np.array([sorted_at[word] for word in names], np.int64)
        a, b, n = place_of[a], place_of[b], len(ordered)
    a, b, kept, loops, repeated = _once(place, a, b, np.array(w), np.array(line, np.int64))
    return Graph(n, ordered, a, b, kept, loops, repeated)


def _once(place: str, u: Array, v: Array, w: Array,
          line: Array) -> Tuple[Array, Array, Array, int, int]:
    """Returns each edge once, sorted. Counts self-loops and repeated lines."""
    a, b, loops = np.minimum(u, v), np.maximum(u, v), int((u == v).sum())
    order = np.lexsort((line, b, a))
    order = order[u[order] != v[order]]
    a, b, w, line = a[order], b[order], w[order], line[order]
    again = np.zeros(len(a), bool)
    again[1:] = (a[1:] == a[:-1]) & (b[1:] == b[:-1])
    clash = np.flatnonzero(again[1:] & (w[1:] != w[:-1])) + 1
    if len(clash):
        i = int(clash[-1])
        first = int(np.flatnonzero((a == a[i]) & (b == b[i]))[0])
        raise wrong(f"{place}{line[i]}: the edge is given with weight {shown(float(w[i]))}, but "
                    f"with {shown(float(w[first]))} on line {line[first]}")
    return a[~again], b[~again], w[~again], loops, int(again.sum())


# ---- an adjacency matrix ----


def graph_of_matrix(X: Any, where: str, n: int, ids: Optional[List[str]]) -> Graph:
    """Returns an edge for each pair of different nodes that has an entry which is not 0; the entry
    is its weight. Messages count entries from 0. ids: ids in the order of the rows. n: number of
    rows; 0 if only the matrix has nodes."""
    rows, cols = X.shape
    if rows != cols or (n and rows != n):
        raise wrong(f"{where}: {rows} x {cols}, expected an adjacency matrix of "
                    f"{f'{n} x {n}, as there are {n} rows' if n else 'as many columns as rows'}")
    i, j, w = (X.row, X.col, X.value) if isinstance(X, Sparse) else (*np.nonzero(X), X[X != 0])
    if isinstance(X, Sparse):
        i, j, w = i[w != 0], j[w != 0], w[w != 0]
    bad = np.flatnonzero(~(w > 0))
    if len(bad):
        at = int(bad[0])
        raise wrong(f"{where}: entry ({i[at]}, {j[at]}) is {w[at]:g}, expected a weight above 0")
    loops, order = i == j, np.lexsort((i, np.maximum(i, j), np.minimum(i, j)))
    order = order[~loops[order]]
    i, j, w = i[order], j[order], w[order]
    again = np.zeros(len(i), bool)
    again[1:] = (i[1:] == j[:-1]) & (j[1:] == i[:-1])
    clash = np.flatnonzero(again[1:] & (w[1:] != w[:-1])) + 1
    if len(clash):
        at = int(clash[0])
        raise wrong(f"{where}: entry ({i[at]}, {j[at]}) is {w[at]:g}, but ({j[at]}, {i[at]}) is "
                    f"{w[at - 1]:g}: edges have no direction, so make the matrix symmetric")
    both, kept = int(again.sum()), ~again
    if 2 * both < len(i) and (i[kept] < j[kept]).any() and (i > j).any():
        warn(f"{where}: {len(i) - 2 * both} entries have no counterpart across the diagonal; they "
             "are read as edges of both directions")
    names = ids if ids or n else [str(k) for k in range(rows)]
    u, v = i[kept].astype(np.int64), j[kept].astype(np.int64)
    if names:
        place = np.empty(rows, np.int64)
        place[sorted(range(rows), key=names.__getitem__)] = np.arange(rows)
        u, v = place[u], place[v]
        names = sorted(names)
    u, v = np.minimum(u, v), np.maximum(u, v)
    order = np.lexsort((v, u))
    return Graph(rows, names, u[order], v[order], w[kept][order], int(loops.sum()), 0)


# ---- lines of an edges.tsv ----


def lines_of(data: bytes, where: str) -> Iterator[Edge]:
    """Parses lines of two ends and an optional weight, separated by blanks or tabs. '#' begins a
    comment."""
    text = data.decode("utf-8", "surrogateescape")
    for number, row in enumerate(text.split("\n"), 1):
        words = [word for word in re.split("[ \t\r]+", row) if word]
        if not words or words[0].startswith("#"):
            continue
        if len(words) < 2:
            raise wrong(f"{where}:{number}: the line ends where an id is expected; ends are "
                        "between blanks or tabs, and between commas in a file .csv")
        if len(words) > 3:
            raise wrong(f"{where}:{number}: {shown(words[3])} is more than expected on this line")
        yield Edge(number, words[0], words[1], words[2] if len(words) > 2 else None)


# ---- a table of edges ----


def _find_column(where: str, what: str, name: Optional[str], heading: Record,
                 named: bool) -> Optional[int]:
    if name is None:
        return None
    if named and name in heading.fields:
        return heading.fields.index(name)
    m = re.fullmatch("#([0-9]{1,9})", name)
    if m and 1 <= int(m[1]) <= len(heading.fields):
        return int(m[1]) - 1
    raise wrong(f'{where}:{heading.line}: {what} is "{name[:60]}", which is none of the '
                f"{len(heading.fields)} columns of the first line")


def _is_heading(where: str, how: Reading, r: Record) -> bool:
    """Decides whether the first line is a heading, from its names or from an option: a line of
    words may be an edge."""
    named = any(not name.startswith("#") for name in how.ends.values())
    if how.header == "yes" or named or how.header == "no":
        return how.header == "yes" or named
    if any(number_of(f.strip(BLANK)) is None for f in r.fields):
        raise wrong(f"{where}:{r.line}: the first line may be a heading or an edge: say which "
                    "(header yes or no), or which columns have the ends (from, to)")
    return False


def _columns(where: str, how: Reading, r: Record, named: bool) -> Tuple[int, int, Optional[int]]:
    ends = how.ends
    u = _find_column(where, "from", ends.get("from"), r, named)
    v = _find_column(where, "to", ends.get("to"), r, named)
    w = _find_column(where, "weight", ends.get("weight"), r, named)
    if (u is None) != (v is None):
        raise wrong(f"{where}: one end has a column that is named, expected both (from and to)")
    if u is None or v is None:
        u, v = 0, 1
        if len(r.fields) != 2 + (w is not None):
            raise wrong(f"{where}:{r.line}: {len(r.fields)} columns, expected 2: say which have "
                        "the ends and the weight (from, to, weight)")
    if u == v or u == w or v == w:
        raise wrong(f"{where}: from, to and weight are not different columns")
    return u, v, w


def end_of(at: str, text: str) -> str:
    if not is_id(text):
        raise wrong(f"{at}: an end of the edge is {shown(text)}, expected an id: 1 to {ID_MAX} "
                    "bytes of UTF-8 without blanks and invisible marks that do not begin with '#'")
    return text


def _given_weight(at: str, field: str, how: Reading) -> str:
    text = field.strip(BLANK)
    if how.decimal == ",":
        text = "" if "." in text else text.replace(",", ".")
    x = number_of(text)
    if x is None or math.isnan(x):
        raise wrong(f"{at}: the weight is {shown(field)}, expected a number above 0")
    return text


def table_of(data: bytes, where: str, name: str, how: Reading) -> Iterator[Edge]:
    if not data:
        return
    text, _ = open_text(data, where, how.encoding)
    records = Records(text, where, how.separator_of(name), how.comment or "#")
    columns: Optional[Tuple[int, int, Optional[int]]] = None
    for r in records:
        if r.blank:
            continue
        if columns is None:
            named = _is_heading(where, how, r)
            columns, width = _columns(where, how, r, named), len(r.fields)
            log.info("%s: the first line is %s; the ends of edges are in columns %d and %d%s",
                     where, "the heading" if named else "an edge and no heading", columns[0] + 1,
                     columns[1] + 1, ", edges have no weights" if columns[2] is None else "")
            if named:
                continue
        at = f"{where}:{r.line}"
        if len(r.fields) != width:
            raise wrong(f"{at}: {len(r.fields)} fields, expected {width} as on the first line")
        u, v, w = columns
        yield Edge(r.line, end_of(at, r.fields[u]), end_of(at, r.fields[v]),
                   None if w is None else _given_weight(at, r.fields[w], how))


def read_edges(data: bytes, where: str, name: str, how: Reading) -> Iterator[Edge]:
    """name: of the file, without .gz and .zst."""
    if name.endswith(".csv"):
        return table_of(data, where, name, how)
    if name.endswith((".tsv", ".txt")):
        return lines_of(data, where)
    raise wrong(f"{where}: expected edges in a file .csv, .tsv or .txt, or an adjacency matrix in "
                "one that ends in .npz, .mat, .mtx or .npy")
