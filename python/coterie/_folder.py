"""Directories that are removed when no object uses them any more."""
from __future__ import annotations

import os
import shutil
import tempfile
import weakref
from pathlib import Path
from typing import Optional

from ._program import PathLike, clean_on_sigterm


class Folder:
    """A directory: one named by the user, or a temporary one that is removed with the last
    object that uses it."""

    def __init__(self, path: Optional[PathLike] = None, prefix: str = "coterie-"):
        self.temporary = path is None
        if path is None:
            clean_on_sigterm()
            made = tempfile.mkdtemp(prefix=prefix)
            self.path = Path(made).resolve()
            weakref.finalize(self, shutil.rmtree, made, ignore_errors=True)
        else:
            self.path = Path(os.fspath(path)).expanduser().resolve()
