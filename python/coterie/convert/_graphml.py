"""GraphML: nodes with their attributes as a table, and edges between them."""
from __future__ import annotations

import dataclasses
from typing import Any, Dict, Iterator, List, Optional, Tuple
from xml.parsers import expat

from .._errors import InputError
from ._edges import Edge
from ._reading import Reading
from ._table import Table, chunks_of
from ._text import BLANK, ROWS_MAX, warn, wrong

KEYS_MAX, VALUE_MAX = 4096, 65536


class _Key:
    def __init__(self, name: str, of_nodes: bool):
        self.name, self.of_nodes = name, of_nodes
        self.default: Optional[str] = None


class _Reader:
    """Handlers for expat. They raise errors through expat."""

    def __init__(self, where: str, weight: Optional[str]):
        self.where, self.weight = where, weight
        self.keys: Dict[str, _Key] = {}
        self.nodes: List[Tuple[str, Dict[str, str]]] = []
        self.edges: List[Edge] = []
        self.directed = False
        self._open = ""  # name of the open element: key, node or edge
        self._ends = ("", "")
        self._values: Dict[str, str] = {}  # values of the open element
        self._key = ""  # key of the open <data>
        self._text: Optional[List[str]] = None
        self._parser = p = expat.ParserCreate()
        p.buffer_text = True
        p.StartElementHandler, p.EndElementHandler = self._begin, self._end
        p.CharacterDataHandler, p.EntityDeclHandler = self._characters, self._entity

    def parse(self, data: bytes) -> None:
        try:
            self._parser.Parse(data, True)
        except expat.ExpatError as e:
            raise wrong(f"{self.where}:{e.lineno}: {expat.ErrorString(e.code)}") from None
        if not self.nodes:
            raise wrong(f"{self.where}: no nodes in it, expected GraphML")

    def _wrong(self, sentence: str) -> InputError:
        return wrong(f"{self.where}:{self._parser.CurrentLineNumber}: {sentence}")

    def _entity(self, *_: Any) -> None:
        raise self._wrong("declares an entity, which is not read: write its text where it is used")

    def _begin(self, name: str, a: Dict[str, str]) -> None:
        name = name.rpartition(":")[2]
        if name in ("key", "node", "edge"):
            getattr(self, f"_begin_{name}")(a)
            self._open, self._values = name, {}
        elif name in ("data", "default"):
            self._key = a.get("key", "") if name == "data" else ""
            if name == "data" and self._open in ("node", "edge") and self._key not in self.keys:
                raise self._wrong(f'data of key "{self._key[:40]}", which no <key> before has')
            self._text = []
        elif name == "hyperedge" or (name == "graph" and self._open == "node"):
            raise self._wrong(f"a {name}, expected nodes and edges between two of them")
        elif name == "graph":
            self.directed |= a.get("edgedefault") == "directed"

    def _begin_key(self, a: Dict[str, str]) -> None:
        if "id" not in a or self._open or self.nodes or len(self.keys) == KEYS_MAX:
            raise self._wrong("a key without id, within another element, behind the first node, "
                              f"or one more than {KEYS_MAX}")
        self.keys[a["id"]] = _Key(a.get("attr.name", a["id"]),
                                  a.get("for", "all") in ("node", "all"))
        self._key_open = self.keys[a["id"]]

    def _begin_node(self, a: Dict[str, str]) -> None:
        if "id" not in a or self._open or len(self.nodes) == ROWS_MAX:
            raise self._wrong(f"a node without id, within another or one more than {ROWS_MAX}")
        self._node = a["id"]

    def _begin_edge(self, a: Dict[str, str]) -> None:
        u, v = a.get("source", ""), a.get("target", "")
        if self._open or not u or not v or len((u + v).split()) != 1:
            raise self._wrong("an edge without source or target, with blanks in one of them, or "
                              "within another element")
        self.directed |= a.get("directed") == "true"
        self._ends = u, v

    def _characters(self, text: str) -> None:
        if self._text is not None:
            self._text.append(text)
            if sum(map(len, self._text)) > VALUE_MAX:
                raise self._wrong(f"a value of more than {VALUE_MAX} bytes")

    def _end(self, name: str) -> None:
        name = name.rpartition(":")[2]
        if name in ("data", "default"):
            self._take("".join(self._text or []))
        elif name == "node":
            self.nodes.append((self._node, self._values))
        elif name == "edge":
            self._take_edge()
        if name in ("key", "node", "edge"):
            self._open = ""

    def _take(self, text: str) -> None:
        self._text = None
        if self._open in ("node", "edge"):
            if self._key in self._values:
                raise self._wrong("two values of one key")
            self._values[self._key] = text
        elif self._open == "key":
            self._key_open.default = text

    def _take_edge(self) -> None:
        u, v = self._ends
        line, text = self._parser.CurrentLineNumber, None
        if self.weight is not None:
            for key, k in self.keys.items():
                if k.name == self.weight and (key in self._values or k.default is not None):
                    text = self._values.get(key, k.default or "").strip(BLANK + "\r\n")
            if not text:
                raise self._wrong(f'the edge of "{u[:40]}" and "{v[:40]}" has no '
                                  f'"{self.weight[:40]}", which is to be its weight')
        self.edges.append(Edge(line, u, v, text))

    def rows(self) -> Iterator[Tuple[int, List[Optional[str]]]]:
        """Yields the id and attributes of each node, in the order of the keys."""
        keys = [(key, k.default) for key, k in self.keys.items() if k.of_nodes]
        for at, (node, values) in enumerate(self.nodes, 1):
            yield at, [node, *(values.get(key, default) for key, default in keys)]


def read_graphml(data: bytes, where: str, how: Reading) -> Tuple[Table, List[Edge]]:
    if how.id is not None:
        raise wrong(f"{where}: edges are between the ids of nodes, expected no other id")
    r = _Reader(where, how.ends.get("weight"))
    r.parse(data)
    names = ["node id", *(k.name for k in r.keys.values() if k.of_nodes)]
    table = Table(dataclasses.replace(how, id="#1"), where, names, len(names),
                  lambda at: f"{where}: node {at}", "node")
    table.how = how
    table.said["why"] = "as attributes of nodes have names"
    table.take_all(chunks_of(r.rows(), len(names)))
    if r.directed:
        warn(f"{where}: its edges are directed; they are read as edges of both directions")
    return table, r.edges
