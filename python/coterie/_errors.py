"""What can go wrong, with the program's own words."""
from __future__ import annotations

from typing import Optional

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
    """A program of Coterie's ended with another status than 0.

    what: the cause, the sentence of run.json or of the program; who: the daemon or program that says it;
    status: the exit status, whose meaning is in MEANING; run: the directory of the run, if there is one.
    """

    def __init__(self, what: str, who: str = "", status: int = 5, program: str = "", run: Optional[str] = None):
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
        meaning = MEANING.get(self.status, "killed" if self.status < 0 or self.status > 128 else "unknown status")
        return f"{said} ({self.program} ended with {self.status}: {meaning})"


class InputError(CoterieError, ValueError):
    """Status 4: what was given is wrong, and the sentence says where."""


class ProgramMissing(CoterieError):
    """The programs are not installed, or not where they were looked for."""


def error_of(status: int, what: str, who: str, program: str, run: Optional[str] = None) -> CoterieError:
    kind = InputError if status == 4 else CoterieError
    return kind(what, who, status, program, run)
