"""Reads files in a separate process, if their library may crash or hang on damaged files.

The process has a limit of memory and of computing time. A signal that ends it becomes a sentence.
"""
from __future__ import annotations

import multiprocessing
import os
import resource
import signal
from multiprocessing.connection import Connection
from typing import Any, Callable, Tuple

from .._errors import InputError
from ._text import memory_max, wrong

SECONDS, BYTES_A_SECOND, ITS_OWN = 10, 1 << 20, 1 << 28


def _limit(path: str) -> None:
    with open("/proc/self/statm", encoding="ascii") as f:
        inherited = int(f.read().split()[5]) * os.sysconf("SC_PAGE_SIZE")
    memory = inherited + memory_max() + ITS_OWN
    seconds = SECONDS + os.stat(path).st_size // BYTES_A_SECOND
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, resource.RLIM_INFINITY))
    resource.setrlimit(resource.RLIMIT_DATA, (memory, resource.RLIM_INFINITY))
    signal.signal(signal.SIGXCPU, signal.SIG_DFL)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # libraries print to stderr


def _run(to: Connection, read: Callable[..., Any], path: str, args: Tuple[Any, ...]) -> None:
    try:
        _limit(path)
        answer = True, read(path, *args)
    except InputError as e:
        answer = False, e.what
    except MemoryError:
        answer = False, f"{path}: it is larger than this host has room for"
    except Exception as e:  # any error of a library
        said = (str(e).splitlines() or [type(e).__name__])[0][:200]
        answer = False, f"{path}: the library that reads it says \"{said}\": the file is damaged"
    to.send(answer)


def isolated(read: Callable[..., Any], path: str, *args: Any) -> Any:
    """Calls read(path, *args) in a separate process. Raises InputError if read raises any
    exception, or if the process ends early."""
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_run, args=(theirs, read, path, args), daemon=True)
    process.start()
    theirs.close()
    try:
        fine, answer = ours.recv()
    except EOFError:
        fine, answer = False, ""
    finally:
        ours.close()
        process.join()
    if fine:
        return answer
    code = process.exitcode or 0
    if answer:
        raise wrong(answer)
    if code == -signal.SIGXCPU:
        raise wrong(f"{path}: the library that reads it does not come to an end: the file is "
                    "damaged")
    if code < 0:
        raise wrong(f"{path}: the library that reads it broke ({signal.strsignal(-code)}): the "
                    "file is damaged")
    raise wrong(f"{path}: the process that reads it ended with exit status {code}: the file is "
                "damaged, or larger than this host has room for")
