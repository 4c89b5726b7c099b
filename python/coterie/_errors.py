"""Errors and warnings, with the programs' messages."""
from __future__ import annotations

import os
import sys
import warnings
from pathlib import Path
from typing import Any, Dict, Iterable, List, Mapping, Optional, Tuple

#: Exit statuses of all of Coterie's programs.
MEANING = {
    1: "the job failed",
    2: "a peer failed, left or was not authenticated, or parties do not agree",
    3: "a deadline passed",
    4: "arguments, configuration or input are wrong",
    5: "internal error",
    6: "cancelled",
}


class CoterieError(RuntimeError):
    """A program ended with a status other than 0.

    what: the sentence, from run.json, the program, or the log of a party on this host; who: its
    source;
    status: the exit status (docs/reference/statuses.md); run: the directory of the run, or None.

        the job needs allow=["fedsc.paper"]: parties disclose more in it than in other jobs of kind
        "fedsc", so that each must allow it by name (coterie run ended with 4: arguments,
        configuration or input are wrong)
    """

    def __init__(self, what: str, who: str = "", status: int = 5, program: str = "",
                 run: Optional[str] = None):
        super().__init__(what, who, status, program, run)
        self.what = what
        self.who = who
        self.status = status
        self.program = program
        self.run = run

    def __str__(self) -> str:
        said = f"{self.who}: {self.what}" if self.who and self.who != self.program else self.what
        if not self.program:
            return said
        meaning = MEANING.get(self.status, "killed" if self.status < 0 or self.status > 128
                              else "unknown status")
        return f"{said} ({self.program} ended with {self.status}: {meaning})"


class InputError(CoterieError, ValueError):
    """Status 4: the input is wrong; the sentence names the place."""


class ProgramMissing(CoterieError):
    """A program is not installed, or not on the paths of find()."""


def error_of(status: int, what: str, who: str, program: str,
             run: Optional[str] = None) -> CoterieError:
    kind = InputError if status == 4 else CoterieError
    return kind(what, who, status, program, run)


class CoterieWarning(UserWarning):
    """The result is less than the job asked for, or a program has another warning.

    what: the sentence; code: the code in docs/reference/warnings.md, or "" for other warnings;
    number: the warning's number, or None; who: its source. ``warnings.simplefilter("error",
    coterie.CoterieWarning)`` turns warnings into errors.
    """

    def __init__(self, what: str, who: str = "", code: str = "", number: Optional[float] = None):
        super().__init__(what, who, code, number)
        self.what = what
        self.who = who
        self.code = code
        self.number = number

    def __str__(self) -> str:
        return f"{self.who}: {self.what}" + (f" ({self.code})" if self.code else "")


#: The name of a process, and one of its warnings, which has "sentence", "code" and "number".
Found = Tuple[str, Mapping[str, Any]]


def _caller() -> int:
    """Returns the stacklevel of the first frame outside of the package, for the caller of this
    function."""
    here, level, frame = str(Path(__file__).parent) + os.sep, 0, sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(here):
        frame, level = frame.f_back, level + 1
    return level + 1


def warn_of(found: Iterable[Found]) -> None:
    """Calls warnings.warn() once for each sentence, with all processes that gave it."""
    said: Dict[str, Tuple[List[str], Mapping[str, Any]]] = {}
    for who, warning in found:
        names, _ = said.setdefault(str(warning.get("sentence", "")), ([], warning))
        if who not in names:
            names.append(who)
    for sentence, (names, warning) in said.items():
        warnings.warn(CoterieWarning(sentence, ", ".join(names), str(warning.get("code", "")),
                                     warning.get("number")),
                      stacklevel=_caller())
