"""python3 -m coterie.convert FILE --out DIR"""
from __future__ import annotations

import argparse
import logging
import shlex
import sys
import warnings
from contextlib import contextmanager
from typing import Any, Dict, Iterator, List, NoReturn, Optional, Tuple

from .._errors import CoterieError
from . import _convert
from ._advice import READ_AGAIN_MAX, Proposal, complete, size_of
from ._made import read
from ._reading import KEYS, LISTS, of

PROGRAM = "coterie.convert"
OF_SET = ("from", "to", "weight", "unit", "na", "most", "decimal", "comment", "number", "encoding",
          "omit", "trim")


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        self.exit(4, f"{PROGRAM}: {message}\nTry `python3 -m {PROGRAM} --help'.\n")


def _parser() -> _Parser:
    p = _Parser(
        prog=f"python3 -m {PROGRAM}", allow_abbrev=False,
        formatter_class=lambda prog: argparse.HelpFormatter(prog, max_help_position=26, width=80),
        description="Makes a data directory of FILE: .csv .tsv .data .graphml .gml .npy .mtx (.gz "
                    ".zst) .npz .sqlite .db .h5ad .mat .xlsx .parquet, "
                    "postgresql://USER@HOST/DATABASE.",
        epilog="Nothing is guessed or repaired in silence: docs/data.md has the rules. Example: "
               f"python3 -m {PROGRAM} customers.csv --out bank --id customer")
    p.add_argument("file", nargs="?", metavar="FILE", help=argparse.SUPPRESS)
    p.add_argument("-o", "--out", metavar="DIR", help="the data directory that is made")
    p.add_argument("-e", "--edges", metavar="FILE",
                   help="edges: .csv or .tsv (.gz .zst), or an adjacency matrix")
    p.add_argument("-p", "--part", metavar="NAME", help="a table, SELECT, sheet, array or variable")
    p.add_argument("--edges-part", metavar="NAME", help="an array or variable of --edges")
    for short, key, what, text in (
        ("-i", "id", "COLUMN", "the column of ids"),
        ("-l", "label", "COLUMN", "the column of classes, to compare with"),
        ("-c", "category", "COLUMN", "words: COLUMN, or COLUMN=red|green|blue"),
        ("", "date", "COLUMN", "dates as 2024-12-31, which become days"),
        ("", "ignore", "COLUMN", "left out; may be repeated, as the two above"),
        ("", "only", "COLUMN", "all others are left out; may be repeated"),
        ("-m", "missing", "HOW", "error, mean, median, indicator; or COLUMN=HOW"),
        ("", "header", "YES|NO", "whether the first line is a heading"),
        ("", "separator", "C", "between fields: , ; | tab blank"),
    ):
        p.add_argument(*[short] * bool(short), f"--{key}", metavar=what, help=text,
                       action="append" if key in LISTS else "store")
    p.add_argument("-S", "--set", metavar="KEY=VALUE", action="append", default=[],
                   help=" ".join(OF_SET))
    return p


def _said(p: _Parser, a: argparse.Namespace) -> Dict[str, Any]:
    """Returns the options by the keys of Reading."""
    said: Dict[str, Any] = {key: getattr(a, key) for key in KEYS if getattr(a, key, None)}
    for text in a.set:
        key, equals, value = text.partition("=")
        if not equals or key not in KEYS:
            p.error(f'--set is "{text}", expected KEY=VALUE with one of the keys {", ".join(KEYS)}')
        if key in LISTS:
            said.setdefault(key, []).append(value)
        else:
            said[key] = value
    return said


def _options(advice: List[Tuple[str, str]]) -> str:
    """Returns options quoted for the shell, each once."""
    words = [f"--set {shlex.quote(f'{key}={value}')}" if key in OF_SET else
             f"--{key}{'=' if value.startswith('-') else ' '}{shlex.quote(value)}"
             for key, value in advice]
    return " ".join(dict.fromkeys(words))


@contextmanager
def _told() -> Iterator[None]:
    """Writes log and warnings of the converter to stderr, one line each."""
    log = logging.getLogger(PROGRAM)
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter(f"{PROGRAM}: %(message)s"))
    log.addHandler(handler)
    log.setLevel(logging.INFO)
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.showwarning = lambda message, *_: print(
            f"{PROGRAM}: warning: {getattr(message, 'what', message)}", file=sys.stderr)
        try:
            yield
        finally:
            log.removeHandler(handler)


def _propose(a: argparse.Namespace, said: Dict[str, Any], advice: List[Tuple[str, str]]) -> None:
    """Prints options for the user to paste. Does not read a large file again to find all of
    them."""
    if not advice:
        return
    found = Proposal(advice, [], True)
    if size_of(a.file) <= READ_AGAIN_MAX:
        found = complete(advice, said, lambda how: read(a.file, None, a.part, None, how))
    for fault in found.faults:
        print(f"{PROGRAM}: {fault}", file=sys.stderr)
    if found.options:
        print(f"{PROGRAM}: to paste, where it is right: {_options(found.options)}",
              file=sys.stderr)
    if not found.reads:
        print(f"{PROGRAM}: the file has faults that no option mends: correct these in it",
              file=sys.stderr)


def main(arguments: Optional[List[str]] = None) -> int:
    """Returns the exit status: 4 for wrong arguments or input, 1 if the directory cannot be
    written."""
    p = _parser()
    a = p.parse_args(arguments)
    said = _said(p, a)
    if not a.out or (a.file is None and a.edges is None):
        p.error("--out and a file, or --out and --edges, are needed")
    try:
        with _told():
            made, _ = _convert(a.file, a.edges, a.part, a.edges_part, of(said), a.out)
    except CoterieError as e:
        print(f"{PROGRAM}: {e.what}", file=sys.stderr)
        _propose(a, said, getattr(e, "advice", []))
        return e.status
    print(f"{a.out}:{made.summary()}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
