"""GML: nodes with their attributes as a table, and edges between them."""
from __future__ import annotations

import dataclasses
import html
import re
from typing import Dict, Iterator, List, Optional, Tuple, Union

from .._errors import InputError
from ._edges import Edge
from ._reading import Reading
from ._table import Table, chunks_of
from ._text import ROWS_MAX, warn, wrong

KEYS_MAX, DEPTH_MAX = 4096, 16
_TOKEN = re.compile(r'\s+|#[^\n]*|"([^"]*)"|([\[\]])|([^\s"\[\]]+)')

#: An entry of a list in GML: its line, its key, and a text or a list.
Pair = Tuple[int, str, Union[str, "Block"]]


class Block(List[Pair]):
    def text(self, key: str) -> Optional[str]:
        """Returns the first value of the key that is a text."""
        return next((v for _, k, v in self if k == key and isinstance(v, str)), None)


class _Parser:
    def __init__(self, text: str, where: str):
        self.where, self.line = where, 1
        self._tokens = self._split(text)

    def wrong(self, sentence: str) -> InputError:
        return wrong(f"{self.where}:{self.line}: {sentence}")

    def _split(self, text: str) -> Iterator[Tuple[str, str]]:
        """Yields tokens as (kind, text). The kind is '"' for a quoted text, '[' or ']' for a
        bracket, and 'word' for other texts."""
        at = 0
        while at < len(text):
            m = _TOKEN.match(text, at)
            if not m:
                raise self.wrong("a quoted text that does not end")
            if m[1] is not None:
                yield '"', html.unescape(m[1])
            elif m[2] or m[3]:
                yield m[2] or "word", m[0]
            self.line += m[0].count("\n")
            at = m.end()

    def block(self, depth: int = 0) -> Block:
        """Reads pairs up to the closing bracket; at depth 0, up to the end."""
        found = Block()
        if depth > DEPTH_MAX:
            raise self.wrong(f"lists within lists, more than {DEPTH_MAX} deep")
        for kind, key in self._tokens:
            if kind == "]" and depth:
                return found
            if kind != "word":
                raise self.wrong(f'"{key[:40]}", expected a key')
            line, (kind, value) = self.line, next(self._tokens, ("", ""))
            if kind in ("", "]"):
                raise self.wrong(f'the key "{key[:40]}" has no value')
            found.append((line, key, self.block(depth + 1) if kind == "[" else value))
        if depth:
            raise self.wrong("the file ends within a list: it was cut short")
        return found


def _edge(line: int, e: Block, where: str, weight: Optional[str]) -> Edge:
    u, v = e.text("source"), e.text("target")
    if u is None or v is None:
        raise wrong(f"{where}:{line}: an edge without source or target")
    w = e.text(weight) if weight else None
    if weight and w is None:
        raise wrong(f'{where}:{line}: the edge of "{u[:40]}" and "{v[:40]}" has no '
                    f'"{weight[:40]}", which is to be its weight')
    return Edge(line, u, v, w)


def _rows(nodes: List[Tuple[int, Block]], names: List[str],
          where: str) -> Iterator[Tuple[int, List[Optional[str]]]]:
    for line, node in nodes:
        values: Dict[str, str] = {}
        for _, key, value in node:
            if isinstance(value, str) and values.setdefault(key, value) is not value:
                raise wrong(f'{where}:{line}: the node has two values of "{key[:40]}"')
        if "id" not in values:
            raise wrong(f"{where}:{line}: a node without id")
        yield line, [values["id"], *(values.get(name) for name in names)]


def read_gml(data: bytes, where: str, how: Reading) -> Tuple[Table, List[Edge]]:
    if how.id is not None:
        raise wrong(f"{where}: edges are between the ids of nodes, expected no other id")
    root = _Parser(data.decode("utf-8", "surrogateescape"), where).block()
    graphs = [v for _, key, v in root if key == "graph" and isinstance(v, Block)]
    if len(graphs) != 1:
        raise wrong(f"{where}: {len(graphs)} graphs in it, expected one: graph [ node [ id 1 ] ]")
    lists = [(line, key, v) for line, key, v in graphs[0] if isinstance(v, Block)]
    nodes = [(line, v) for line, key, v in lists if key == "node"]
    if not 1 <= len(nodes) <= ROWS_MAX:
        raise wrong(f"{where}: {len(nodes)} nodes, expected 1 to {ROWS_MAX}")
    seen = dict.fromkeys(key for _, node in nodes for _, key, v in node if isinstance(v, str))
    names = [key for key in seen if key != "id"]
    if len(names) > KEYS_MAX:
        raise wrong(f"{where}: nodes have {len(names)} attributes, expected at most {KEYS_MAX}")
    table = Table(dataclasses.replace(how, id="#1"), where, ["node id", *names], len(names) + 1,
                  lambda at: f"{where}:{at}", "line")
    table.how = how
    table.said["why"] = "as attributes of nodes have names"
    table.take_all(chunks_of(_rows(nodes, names, where), len(names) + 1))
    if graphs[0].text("directed") == "1":
        warn(f"{where}: its edges are directed; they are read as edges of both directions")
    weight = how.ends.get("weight")
    return table, [_edge(line, v, where, weight) for line, key, v in lists if key == "edge"]
