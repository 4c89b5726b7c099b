"""Finds options with which a refused file can be read, by reading it again with the advised
options."""
from __future__ import annotations

import logging
import os
import warnings
from typing import Any, Callable, Dict, List, NamedTuple, Optional

from .._errors import CoterieError, InputError
from ._made import Made
from ._reading import LISTS, Reading, of
from ._text import Advice, wrong

READ_AGAIN_MAX = 1 << 24  # bytes of a file that is read again to find all options
_ROUNDS = 24
_LINES_MAX = 8  # most `omit` options to advise; a file that needs more is of another kind
_ROLES = ("id", "label", "category", "date", "number", "ignore", "only")


class Proposal(NamedTuple):
    options: List[Advice]
    faults: List[str]  # faults after the first, each found with the options advised before it
    reads: bool  # whether the options read the file


def _named(key: str, value: str) -> str:
    return value.split("=")[0] if key == "date" else value


def _is_said(said: Dict[str, Any], key: str, value: str) -> bool:
    """Returns whether an option of the user already specifies this."""
    if key in _ROLES:
        return any(_named(k, v) == _named(key, value) for k in _ROLES
                   for v in ([said[k]] if isinstance(said.get(k), str) else said.get(k, [])))
    return key not in LISTS and key in said


def _add(options: List[Advice], said: Dict[str, Any], advice: List[Advice]) -> bool:
    """Adds new advice, which replaces another role of the same column, or another value of an
    option that has only one. Returns whether there was any."""
    new = False
    for key, value in advice:
        if key == "id" and any(k == "id" and v != value for k, v in options):
            key = "ignore"
        if _is_said(said, key, value) or (key, value) in options:
            continue
        if key in _ROLES:
            options[:] = [(k, v) for k, v in options
                          if k not in _ROLES or _named(k, v) != _named(key, value)]
        elif key not in LISTS:
            options[:] = [(k, v) for k, v in options if k != key]
        options.append((key, value))
        new = True
    return new


def _with(said: Dict[str, Any], options: List[Advice]) -> Dict[str, Any]:
    merged = dict(said)
    for key, value in options:
        if key in LISTS:
            some = merged.get(key, [])
            merged[key] = [*([some] if isinstance(some, str) else some), value]
        else:
            merged[key] = value
    return merged


def complete(advice: List[Advice], said: Dict[str, Any],
             read: Callable[[Reading], Made]) -> Proposal:
    """advice: advice of the first reading, with the options `said`."""
    options: List[Advice] = []
    faults: List[str] = []
    reads = False
    log = logging.getLogger("coterie.convert")
    was, log.disabled = log.disabled, True
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for _ in range(_ROUNDS):
                if not _add(options, said, advice):
                    break
                if sum(key == "omit" for key, _ in options) > _LINES_MAX:
                    return Proposal([o for o in options if o[0] != "omit"], faults, False)
                try:
                    made = read(of(_with(said, options)))
                    advice, reads = made.table.advice if made.table else [], True
                except CoterieError as e:
                    advice, reads = getattr(e, "advice", []), False
                    faults += [f for f in e.what.split("\n") if f not in faults]
    finally:
        log.disabled = was
    return Proposal(options, faults, reads)


def size_of(file: Optional[str]) -> float:
    """Returns the bytes of a file; infinity for anything else, such as an address."""
    return os.path.getsize(file) if file is not None and os.path.isfile(file) else float("inf")


_ARGUMENTS = ("id", "label", "category", "date", "ignore", "only", "missing")


def _arguments(options: List[Advice]) -> str:
    """Returns the advice as arguments of coterie.prepare()."""
    by: Dict[str, List[str]] = {}
    for key, value in options:
        by.setdefault(key, []).append(value)
    given = {key: some if len(some) > 1 else some[0] for key, some in by.items()}
    texts = [f"{key}={given.pop(key)!r}" for key in _ARGUMENTS if key in given]
    return ", ".join([*texts, *([f"settings={given}"] if given else [])])


def helped(error: InputError, said: Dict[str, Any], size: float,
           read: Callable[[Reading], Made]) -> InputError:
    """Returns the error with the advised arguments. If the table is small, reads it again to find
    further faults, and the arguments for them. size: bytes of the table."""
    advice = getattr(error, "advice", [])
    if not advice:
        return error
    found = complete(advice, said, read) if size <= READ_AGAIN_MAX else Proposal(advice, [], True)
    lines = [error.what, *found.faults]
    if found.options:
        lines.append(f"to add, where it is right: {_arguments(found.options)}")
    return wrong("\n".join(lines), *found.options)
