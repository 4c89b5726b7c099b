"""Jobs and results by the APIs of daemons on other hosts, with only the standard library."""
from __future__ import annotations

import json
import os
import re
import time
from pathlib import Path
from typing import Any, Callable, Dict, List, Mapping, Optional, Union
from urllib.parse import quote

from ._errors import CoterieError, InputError, error_of
from ._folder import Folder
from ._https import Api, Identity, Place
from ._program import PathLike, as_path, until
from ._progress import How, Progress
from ._run import Run

#: Seconds that a party may take to write its results after the job has ended.
SETTLE_S = 20.0
#: Maximum bytes of a file.
FILE_MAX = 16e9
#: Seconds between two requests to a coordinator.
ASK_S = 0.5

Job = Mapping[str, Any]


def _settings(where: str) -> Dict[str, Any]:
    path = as_path(where, "coordinator")
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as e:
        raise InputError(f"{path}: {e}", status=4) from None
    if not isinstance(found, dict) or not isinstance(found.get("server"), str):
        raise InputError(
            f'{path}: no member "server", which names the api.listen of a daemon', status=4
        )
    identity = found.get("identity")
    if not isinstance(identity, dict) or not isinstance(identity.get("certificate"), str):
        raise InputError(
            (
                f'{path}: no member "identity.certificate", the certificate by which the daemon'
                ' knows you'
            ),
            status=4,
        )
    known = {"certificate", "key", "ca", "crl", "passphrase"}
    files = {k: path.parent / v for k, v in identity.items() if k in known and isinstance(v, str)}
    return {"server": found["server"], "party": found.get("party"), **files}


def names_server(where: Any) -> bool:
    """Returns whether this file names a daemon on another host, and is not a daemon's own
    configuration."""
    try:
        return bool(
            json.loads(Path(os.fspath(where)).expanduser().read_text(encoding="utf-8")).get(
                "server"
            )
        )
    except (OSError, ValueError, AttributeError):
        return False


class Client:
    """Submits jobs to a coordinator and fetches results, by HTTPS and with the standard library
    only.

    where: a file with ``server``, ``identity`` and optionally ``party``
    (docs/howto/run-a-job-queue.md); or the coordinator's ``[NAME@]HOST:PORT``, then also
    certificate=. party: api.listen of your own party, which then sends the results. Frames need
    pandas; a report needs the program `coterie`. It works on each system whose Python has TLS 1.3,
    also on macOS and Windows.

        client = coterie.Client("anna.json")
        number = client.submit({"kind": "kmeans", "clusters": 5})
        client.wait(number)
        run = client.results(number)
        run.rows("labels")
    """

    def __init__(
        self,
        where: PathLike,
        *,
        party: Optional[str] = None,
        certificate: Optional[PathLike] = None,
        key: Optional[PathLike] = None,
        ca: Optional[PathLike] = None,
        crl: Optional[PathLike] = None,
        passphrase: Optional[PathLike] = None,
        timeout: float = 30.0,
    ):
        given: Dict[str, Any] = {"server": os.fspath(where), "party": party}
        if certificate is None:
            given = {**_settings(os.fspath(where)), **({"party": party} if party else {})}
        files = {
            "certificate": certificate,
            "key": key,
            "ca": ca,
            "crl": crl,
            "passphrase": passphrase,
        }
        files = {k: v if v is not None else given.get(k) for k, v in files.items()}
        paths = {
            k: None if v is None else Path(os.fspath(v)).expanduser() for k, v in files.items()
        }
        own = paths.pop("certificate")
        assert own is not None
        identity = Identity(own, **paths)
        self._api = Api(Place(given["server"]), identity, timeout)
        self._party = Api(Place(given["party"]), identity, timeout) if given["party"] else None

    @property
    def has_party(self) -> bool:
        """Whether your own party sends the results."""
        return self._party is not None

    def __repr__(self) -> str:
        return f"<coterie.Client {self._api.place.text}>"

    # ---- jobs ----

    def _ask(self, what: str, **more: Any) -> Dict[str, Any]:
        return self._api.json("/api/ask", {"do": what, **more})

    def submit(self, job: Union[Job, PathLike]) -> int:
        """Queues a job (a mapping, or the path of a job.json), and returns its number at once."""
        text, name = (
            (json.dumps(job), "job")
            if isinstance(job, Mapping)
            else (as_path(job, "job").read_text(encoding="utf-8"), os.fspath(job))
        )
        return int(self._ask("submit", job=text, where=name)["id"])

    def jobs(self, most: int = 50) -> List[Dict[str, Any]]:
        """Returns the last jobs, with their states."""
        return list(self._ask("list", most=most).get("jobs") or [])

    def show(self, number: int) -> Dict[str, Any]:
        """Returns a job's state and job_id; after its end also its status and cause."""
        return dict(self._ask("show", id=int(number))["job"])

    def cancel(self, number: int) -> None:
        """Ends a job, or removes it from the queue."""
        self._ask("cancel", id=int(number))

    def status(self) -> Dict[str, Any]:
        """Returns the JSON of `coterie status`: connected parties, running jobs."""
        return dict(self._ask("status")["daemon"])

    def done(self, number: int) -> bool:
        """Returns True if the job has ended, with or without success."""
        return "status" in self.show(number)

    def wait(
        self, number: int, timeout: Optional[float] = None, progress: How = False
    ) -> Dict[str, Any]:
        """Waits for the end of the job, and returns the same as `show`.

        Raises a CoterieError if the job failed, or did not end within timeout seconds.
        """
        told = Progress(progress, f"job {number}")

        def over() -> Optional[Dict[str, Any]]:
            shown = self.show(number)
            waits = shown.get("waiting_for")
            told.line({"phase": f"waiting for {', '.join(waits)}" if waits else shown.get("state")})
            return shown if "status" in shown else None

        shown: Dict[str, Any] = until(f"job {number} is over", over, timeout, "coordinator", ASK_S)
        told.end(str(shown["state"]))
        if shown["status"]:
            raise error_of(
                int(shown["status"]),
                str(shown.get("cause") or shown["state"]),
                f"job {number}",
                f"job {number}",
            )
        return shown

    # ---- results ----

    def results(
        self, job: Union[int, str], out: Optional[PathLike] = None, *, patience: float = 0.0
    ) -> Run:
        """Fetches a job's results into the directory out, and returns a Run.

        If the client has a party, the party sends them; otherwise the coordinator does. job: the
        number or id of the job; patience: seconds to wait for a party that has not ended the job.
        """
        name = str(job)
        if name.isdigit() and len(name) < 32:
            shown = self.show(int(name))
            name = str(shown.get("job_id") or "")
            if not name:
                raise InputError(
                    f"job {job} has not begun, and has no results yet: wait for it", status=4
                )
            if not shown.get("kept", True) and self._party is None:
                raise InputError(
                    (
                        f"the results of job {job} were removed at the coordinator (keep_days,"
                        " keep_gib, coterie prune): submit it again"
                    ),
                    status=4,
                )
        return fetch(self._party or self._api, name, out, patience)


def _pieces(api: Api, path: str, size: int) -> bytes:
    """Returns a file, which the daemon sends in pieces."""
    found = b""
    while len(found) < size:
        status, piece = api.fetch(f"{path}?from={len(found)}")
        if status >= 400:
            api.check(status, json.loads(piece))
        if not piece:
            raise CoterieError(
                f"{api.place.text}: {path} ends after {len(found)} of {size} bytes: ask again",
                "",
                2,
                api.place.text,
            )
        found += piece
    return found


def fetch(api: Api, job_id: str, out: Optional[PathLike], patience: float = 0.0) -> Run:
    """Writes the files of a job's results to a directory, and returns the Run."""
    if not re.fullmatch(r"[0-9a-f]{32}", job_id):
        raise InputError(
            (
                f"{job_id!r} is no job's id, expected 32 digits as run.json has them, or a"
                " coordinator's number"
            ),
            status=4,
        )
    until_s = time.monotonic() + patience
    ask: Callable[[], Dict[str, Any]] = lambda: api.json(f"/api/results/{job_id}")  # noqa: E731
    while True:
        try:
            listed = ask()
            break
        except InputError:
            if time.monotonic() > until_s:
                raise
            time.sleep(ASK_S)
    folder = Folder(out, prefix="coterie-results-")
    folder.path.mkdir(parents=True, exist_ok=True)
    for file in listed["files"]:
        name = str(file["name"])
        if (
            not re.fullmatch(r"[A-Za-z0-9_-][A-Za-z0-9._-]*", name)
            or not 0 <= int(file["bytes"]) <= FILE_MAX
        ):
            raise CoterieError(
                f"{api.place.text}: it lists a file {name!r} of {file['bytes']} bytes",
                "",
                2,
                api.place.text,
            )
        (folder.path / name).write_bytes(
            _pieces(api, f"/api/results/{job_id}/{quote(name)}", int(file["bytes"]))
        )
    return Run(folder)
