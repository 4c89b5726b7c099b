"""Finds and runs the programs, and handles their log."""
from __future__ import annotations

import json
import logging
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from pathlib import Path
from typing import Any, Callable, Deque, Dict, List, Optional, Sequence, Union

from ._errors import InputError, ProgramMissing, error_of, warn_of

PathLike = Union[str, "os.PathLike[str]"]
Line = Callable[[Dict[str, Any]], None]

#: Number of lines of a program's stderr that are kept, for the message of an error.
KEPT = 200
#: Seconds after which a program that was told to end is killed. Daemons need at most 10 s.
STOP_S = 15.0


#: Directory of the programs in a wheel.
OWN = Path(__file__).resolve().parent / "_programs" / "bin"


#: Logger for the log lines of programs. A record has the line's object as its attribute `coterie`.
LOG = logging.getLogger("coterie")
LOG.addHandler(logging.NullHandler())
_LEVELS = {"debug": logging.DEBUG, "info": logging.INFO, "warn": logging.WARNING,
           "error": logging.ERROR}


def _log(program: str, line: Dict[str, Any]) -> None:
    LOG.log(_LEVELS.get(str(line.get("level")), logging.DEBUG), "%s: %s",
            line.get("subject", program), line.get("text", ""),
            extra={"coterie": line})


def find(name: str = "coterie") -> str:
    """Returns the path of a program.

    find() looks in $COTERIE_BIN, in the package, on PATH, and in build/bin of the source tree.
    """
    given = os.environ.get("COTERIE_BIN")
    if given:
        path = Path(given) / name
        if os.access(path, os.X_OK):
            return str(path.resolve())
        raise ProgramMissing(f"COTERIE_BIN is {given!r}, and there is no program {name} in it",
                             status=4)
    if os.access(OWN / name, os.X_OK):
        return str(OWN / name)
    on_path = shutil.which(name)
    if on_path:
        return on_path
    built = Path(__file__).resolve().parents[2] / "build" / "bin" / name
    if os.access(built, os.X_OK):
        return str(built)
    raise ProgramMissing(f"the program {name} was not found, in this package, on PATH, or in "
                         f"COTERIE_BIN: {_remedy()}", status=4)


def _remedy() -> str:
    if sys.platform != "linux":
        return ("the programs run on Linux alone; from here submit the job to a coordinator, with "
                "coordinator= and a file that names its server, or with coterie.Client")
    return ("install the wheel that has them (its name ends with the platform), Coterie's Debian "
            "packages, or build "
            "Coterie and set COTERIE_BIN to its build/bin")


def _foreign(path: PathLike, why: str) -> ProgramMissing:
    """Makes an error for a program that this system cannot start, because a wheel was unpacked
    or copied without pip."""
    return ProgramMissing(
        f"{os.fspath(path)} does not run on this system ({why}): it is for another processor or"
        f" another C library: {_remedy()}",
        status=4,
    )


def _run_own(name: str) -> None:
    """Console script of a wheel: replaces this process by the program."""
    try:
        os.execv(str(OWN / name), [name, *sys.argv[1:]])
    except OSError as e:
        sys.exit(f"{name}: {_foreign(OWN / name, str(e.strerror))}")


def run_coterie() -> None:
    _run_own("coterie")


def run_party() -> None:
    _run_own("party")


def run_coordinator() -> None:
    _run_own("coordinator")


def said(text: str) -> Dict[str, Any]:
    """Parses a line of stderr. Returns the object of a log line; for other lines, an object with
    the line as its text."""
    if text.startswith("{"):
        try:
            line = json.loads(text)
        except ValueError:
            line = None
        if isinstance(line, dict):
            return line
    return {"text": text}


def clean_on_sigterm() -> None:
    """Makes SIGTERM exit with clean-up: stops programs, and removes temporary directories, which
    contain keys.

    Keeps a handler that the application has set. Only the main thread can set a handler."""
    if threading.current_thread() is threading.main_thread() and signal.getsignal(
        signal.SIGTERM) == signal.SIG_DFL:
        signal.signal(signal.SIGTERM, _exit_by_signal)


def _exit_by_signal(number: int, frame: Any) -> None:
    raise SystemExit(128 + number)


class Process:
    """A running program. A separate thread passes each line of its stderr to `line`."""

    def __init__(self, program: str, args: Sequence[PathLike], line: Optional[Line] = None):
        clean_on_sigterm()
        self.program = program
        self.lines: Deque[Dict[str, Any]] = deque(maxlen=KEPT)
        self._warned: Deque[Dict[str, Any]] = deque(maxlen=KEPT)
        self._line = line
        path = find(program.split()[0])
        try:
            self._popen = subprocess.Popen(
                [path, *program.split()[1:], *(os.fspath(a) for a in args)],
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                encoding="utf-8", errors="replace",
            )
        except OSError as e:
            raise _foreign(path, str(e.strerror)) from None
        self._stdout: List[str] = []
        self._threads = [threading.Thread(target=self._read_out, daemon=True),
                         threading.Thread(target=self._read_err, daemon=True)]
        for thread in self._threads:
            thread.start()

    def _read_out(self) -> None:
        assert self._popen.stdout
        with self._popen.stdout as stream:
            self._stdout.append(stream.read())

    def _read_err(self) -> None:
        assert self._popen.stderr
        with self._popen.stderr as stream:
            for text in stream:
                line = said(text.rstrip("\n"))
                self.lines.append(line)
                _log(self.program, line)
                if line.get("level") == "warn":
                    self._warned.append(line)
                if self._line:
                    self._line(line)

    @property
    def status(self) -> Optional[int]:
        """Returns the exit status, or None while the program runs."""
        return self._popen.poll()

    @property
    def stdout(self) -> str:
        return "".join(self._stdout)

    def wait(self, timeout: Optional[float] = None) -> int:
        """Waits for the end and returns the exit status. If this raises an exception, the
        program has also ended."""
        try:
            status = self._popen.wait(timeout)
        except subprocess.TimeoutExpired:
            self.stop()
            raise error_of(3, f"not done after {timeout:g} s", "", self.program) from None
        except BaseException:
            self.stop()
            raise
        for thread in self._threads:
            thread.join()
        if status and "GLIBC_" in self.last_words():  # the error text of the dynamic loader
            raise _foreign(find(self.program.split()[0]), self.last_words())
        return status

    def stop(self) -> None:
        """Tells the program to end, and kills it if it does not."""
        if self._popen.poll() is None:
            self._popen.send_signal(signal.SIGTERM)
            try:
                self._popen.wait(STOP_S)
            except subprocess.TimeoutExpired:
                self._popen.kill()
                self._popen.wait()
        for thread in self._threads:
            thread.join(STOP_S)

    def warn(self, coded: bool = True) -> None:
        """Calls warnings.warn() for its lines of level warn. coded: also for warnings of the
        result, which are in run.json as well."""
        warn_of((self.program, {**line, "sentence": line.get("text", "")}) for line in self._warned
                if coded or "code" not in line)

    def last_words(self) -> str:
        """Returns the last line on stderr, which has the reason of a failure."""
        for line in reversed(self.lines):
            text = str(line.get("text", "")).strip()
            if text:
                prefix = self.program + ": "
                return text[len(prefix):] if text.startswith(prefix) else text
        return "it said nothing"


def call(program: str, args: Sequence[PathLike], timeout: Optional[float] = None) -> str:
    """Runs the program to its end and returns its stdout. If it fails, raises CoterieError with
    its last line."""
    process = Process(program, args)
    status = process.wait(timeout)
    process.warn()
    if status:
        raise error_of(status, process.last_words(), program, program)
    return process.stdout


def call_json(program: str, args: Sequence[PathLike], timeout: Optional[float] = None) -> Any:
    return json.loads(call(program, args, timeout))


def until(what: str, done: Callable[[], Any], timeout: Optional[float], program: str,
          every: float = 0.1) -> Any:
    """Calls a function repeatedly and returns the first result that is not false."""
    end = None if timeout is None else time.monotonic() + timeout
    while True:
        answer = done()
        if answer:
            return answer
        if end is not None and time.monotonic() > end:
            raise error_of(3, f"{what}: not after {timeout:g} s", "", program)
        time.sleep(every)


def as_path(value: PathLike, what: str) -> Path:
    path = Path(os.fspath(value)).expanduser()
    if not path.exists():
        raise InputError(f"{what}: {path} is not there", status=4)
    return path.resolve()
