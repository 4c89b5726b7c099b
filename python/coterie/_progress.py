"""Progress of a run: a line in a notebook or on a terminal."""
from __future__ import annotations

import html
import sys
import time
from typing import Any, Callable, Dict, List, Optional, Union

Told = Callable[[str, float], None]
#: True: shows progress; False: does not; "auto": shows it in notebooks and on terminals; or a
#: function of phase and seconds.
How = Union[bool, str, Told]


def _shell() -> str:
    """Returns the name of IPython's shell, if this runs in IPython: "ZMQInteractiveShell" is a
    notebook's."""
    python = sys.modules.get("IPython")
    shell = python.get_ipython() if python else None
    return type(shell).__name__ if shell else ""


class Progress:
    """Receives log lines of programs, and shows each new phase."""

    def __init__(self, how: How, what: str):
        self.what = what
        self.phases: List[str] = []
        self._began = time.monotonic()
        self._handle: Any = None
        self._width = 0
        self._told: Optional[Told] = None
        if callable(how):
            self._told = how
        elif how == "auto":
            if _shell() == "ZMQInteractiveShell":
                self._told = self._notebook
            elif sys.stderr is not None and sys.stderr.isatty():
                self._told = self._terminal
        elif isinstance(how, str):
            raise ValueError(f'progress is {how!r}, expected True, False, "auto" or a function')
        elif how:
            self._told = self._notebook if _shell() == "ZMQInteractiveShell" else self._terminal

    def line(self, line: Dict[str, Any]) -> None:
        phase = line.get("phase")
        if isinstance(phase, str) and phase not in self.phases:
            self.phases.append(phase)
            self.say(phase)

    def say(self, text: str) -> None:
        if self._told:
            self._told(text, time.monotonic() - self._began)

    def end(self, text: str) -> None:
        self.say(text)
        if self._told == self._terminal:
            print(file=sys.stderr)

    def _terminal(self, text: str, seconds: float) -> None:
        line = f"{self.what}: {text}, {seconds:.1f} s"
        print("\r" + line.ljust(self._width), end="", file=sys.stderr, flush=True)
        self._width = len(line)

    def _notebook(self, text: str, seconds: float) -> None:
        from IPython.display import HTML, display

        before = " → ".join(p for p in self.phases if p != text)
        shown = HTML(
            f"<small>{html.escape(self.what)}: {html.escape(before)}{' → ' if before else ''}"
            f"<b>{html.escape(text)}</b>, {seconds:.1f} s</small>"
        )
        if self._handle is None:
            self._handle = display(shown, display_id=True)
        else:
            self._handle.update(shown)
