"""Three ways to run a job: simulate it here, take part as a party, or submit it to a coordinator
that serves."""
from __future__ import annotations

import json
import os
import re
import shutil
import tempfile
import time
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

from ._client import SETTLE_S, Client, names_server
from ._errors import CoterieError, InputError, error_of, warn_of
from ._folder import Folder
from ._program import PathLike, Process, as_path, call, call_json, until
from ._progress import How, Progress
from ._run import Run

#: Members of a party's configuration that are paths, relative to its file.
PATHS = (
    ("identity", "certificate"), ("identity", "key"), ("identity", "ca"), ("identity", "crl"),
    ("identity", "passphrase"),
    ("output",), ("state",), ("numbering_key",), ("on_event",), ("control", "socket"),
    ("data", "features"), ("data", "edges"), ("data", "ids"), ("data", "vertices"),
    ("data", "graphs"),
)
#: Seconds within which a running coordinator must see a party that was started for the job.
JOIN_S = 60.0


# ---- why a run has failed ----


def _told(record: Mapping[str, Any]) -> str:
    return str(record.get("error") or "")


def cause(run: Optional[Run], words: str, program: str) -> Tuple[str, str]:
    """Returns the process that reports the cause, and its message. Prefers the record of the
    process that failed to records of processes that only learned of the failure."""
    if run is None or not any(_told(r) for r in run._runs.values()):
        return (program, words) if ": " not in words else _split(words, program)
    who, what = run.name, _told(run.record)
    for name, record in run._runs.items():
        heard = re.match(r"(\S+) (says|declined the job|sent)\b", _told(record))
        if _told(record) and not heard and name != run.name and (
            not what or re.match(rf"{re.escape(name)} ", what)):
            return name, _told(record)
    return (who, what) if what else next((n, _told(r)) for n, r in run._runs.items() if _told(r))


def _split(words: str, program: str) -> Tuple[str, str]:
    """Splits the last words of a launch, such as "party-00: ...", into process and message."""
    who, what = words.split(": ", 1)
    return (who, what) if re.fullmatch(r"[\w.-]{1,64}", who) else (program, words)


def _failed(status: int, run_dir: Optional[Path], words: str, program: str) -> CoterieError:
    run = None
    if run_dir is not None:
        try:
            run = Run(run_dir)
        except (InputError, ValueError, KeyError):
            run = None
    # Removes the path of our temporary job.json, which the user has not written.
    words = re.sub(r"\S*/job\.json(?: with --set)?: ", "", words)
    words = re.sub(r"--allow ([\w.]+)", r'allow=["\1"]', words)
    who, what = cause(run, words, program)
    return error_of(status, what, who, program, str(run_dir) if run is not None else None)


# ---- a simulation ----


def write_job(job: Mapping[str, Any], folder: Path) -> Path:
    path = folder / "job.json"
    path.write_text(json.dumps(job, indent=1), encoding="utf-8")
    return path


def simulate(
    job: Mapping[str, Any], data: PathLike, parties: int, *, cut: Mapping[str, Any],
    allow: Sequence[str],
    policy: Mapping[str, Any], out: Optional[PathLike], progress: How, timeout: Optional[float],
) -> Run:
    """Splits the data over parties, and runs the job with all of them in one process by `coterie
    run`."""
    folder = Folder(out, prefix="coterie-run-")
    target = folder.path if out is not None else folder.path / "run"
    args: List[PathLike] = ["--data", data, "--parties", str(parties), "--out", target,
                            "--keep-data", "--verbose",
                            "--seed", str(job.get("seed", 1))]
    for name, value in cut.items():
        option = "--" + name.replace("_", "-")
        if value is True:
            args.append(option)
        elif value is not False and value is not None:
            args += [option, str(value)]
    for name in allow:
        args += ["--allow", name]
    for name, value in policy.items():
        args += ["--policy", f"{name}={int(value) if isinstance(value, bool) else value}"]
    if parties == 1:
        args.append("--allow-single")
    shown = Progress(progress, f"{job['kind']}, {parties} parties")
    with tempfile.TemporaryDirectory(prefix="coterie-job-") as scratch:
        args += ["--job", write_job(job, Path(scratch))]
        process = Process("coterie run", args, shown.line)
        status = process.wait(timeout)
    shown.end("done" if status == 0 else "failed")
    process.warn(coded=False)
    if status:
        raise _failed(status, target, process.last_words(), "coterie run")
    if out is None:
        folder.path = target
    return Run(folder)


def slices(run: Run) -> List[Path]:
    """Returns the data of each party of a simulation, by the parties' names."""
    return sorted(p for p in (run.path / "work" / "data").glob("party-*") if p.is_dir())


def forget_secrets(run: Run) -> None:
    """Removes the keys and configurations of a simulation. In a directory named by the user,
    also removes the copies of the data."""
    work = run.path / "work"
    if not run.temporary:
        shutil.rmtree(work, ignore_errors=True)
        return
    shutil.rmtree(work / "pki", ignore_errors=True)
    for path in [*work.glob("*.json"), *work.glob("*.numbering")]:
        path.unlink()


# ---- own daemons, for a prediction with a simulation's models ----


def _edited(path: Path, change: Mapping[str, Any]) -> Path:
    config = json.loads(path.read_text(encoding="utf-8"))
    config.update(change)
    to = path.with_name(path.stem + "-next.json")
    to.write_text(json.dumps(config, indent=1), encoding="utf-8")
    return to


def again(run: Run, job: Mapping[str, Any], data: Sequence[Path],
          timeout: Optional[float]) -> Folder:
    """Another job of a simulation's parties, with their keys and states, by daemons on this
    machine.

    data: a directory for each party, as `coterie split` makes them. The folder has a directory for
    each process."""
    work, folder = run.path / "work", Folder(prefix="coterie-again-")
    names = sorted(p.name for p in data)
    coordinator = _edited(work / "coordinator.json", {"listen": "127.0.0.1:0"})
    ready = folder.path / "address"
    started: List[Tuple[str, Process]] = []
    try:
        lead = Process("coordinator",
                       ["--config", coordinator, "--job", write_job(job, folder.path), "--out",
                        folder.path / "coordinator", "--ready-file", ready])
        started.append(("coordinator", lead))
        until("the coordinator listens", lambda: ready.exists() and ready.stat().st_size
              or lead.status is not None,
              timeout, "coordinator", 0.02)
        address = ready.read_text().strip() if ready.exists() else ""
        for name, place in zip(names, sorted(data)):
            files = {key: str(next(place.glob(pattern))) for key, pattern in
                     (("features", "features.*"), ("edges", "edges.*"), ("ids", "ids.txt"))
                     if any(place.glob(pattern))}
            config = _edited(work / f"{name}.json",
                             {"data": files, "state": str(run.path / name / "state")})
            if address:
                started.append((name,
                                Process("party",
                                        ["--config", config, "--once", "--coordinator", address,
                                         "--out",
                                         folder.path / name])))
        ends = {name: process.wait(timeout) for name, process in started}
    finally:
        for _, process in started:
            process.stop()
    for _, process in started:
        process.warn()
    if ends["coordinator"]:
        raise _failed(ends["coordinator"], folder.path, lead.last_words(), "coordinator")
    return folder


# ---- taking part ----


def _read_config(path: PathLike) -> Tuple[Path, Dict[str, Any]]:
    file = as_path(path, "party")
    try:
        config = json.loads(file.read_text(encoding="utf-8"))
    except ValueError as e:
        raise InputError(f"{file}: {e}", status=4) from None
    if not isinstance(config, dict) or "coordinator" not in config:
        raise InputError(f"{file}: no configuration of a party: it has no member \"coordinator\"",
                         status=4)
    return file, config


def _absolute(config: Dict[str, Any], base: Path) -> Dict[str, Any]:
    config = json.loads(json.dumps(config))
    for path in PATHS:
        at: Any = config
        for key in path[:-1]:
            at = at.get(key) if isinstance(at, dict) else None
        if isinstance(at, dict) and isinstance(at.get(path[-1]), str):
            at[path[-1]] = str(base / at[path[-1]])
    config.setdefault("output", str(base / "out"))
    for peer in (config.get("peers") or {}).values():
        if isinstance(peer, dict) and isinstance(peer.get("psk"), str):
            peer["psk"] = str(base / peer["psk"])
    return config


def _data_files(data: Path) -> Dict[str, str]:
    files = {}
    for key, names in (("features", ("features.mtx", "features.npy", "features.csv")),
                       ("edges", ("edges.tsv", "edges.mtx")),
                       ("ids", ("ids.txt",))):
        for name in names:
            if (data / name).exists():
                files[key] = str(data / name)
                break
    return files


class Party:
    """This organisation's daemon. It may be running already, or is started for a job."""

    def __init__(self, config: PathLike, job: Mapping[str, Any], data: Optional[Path],
                 out: Optional[PathLike], progress: How):
        self.file, said = _read_config(config)
        self.config = _absolute(said, self.file.parent)
        self.job = job
        self.name = str(self.config.get("name", "party"))
        self.output = Path(self.config["output"])
        self.progress = Progress(progress, f"{job['kind']} as {self.name}")
        self.process: Optional[Process] = None
        self._scratch = Folder(prefix="coterie-party-")
        if self._runs():
            if data is not None:
                raise InputError(f"{self.file}: the party runs already, with the data that its "
                                 "configuration names; "
                                 "fit() without data takes part with these, or stop it first",
                                 status=4)
            if out is not None:
                raise InputError(f"{self.file}: the party runs already, and writes to "
                                 f"{self.output}; leave out out=", status=4)
            self.before = set(self._results())
        else:
            self._start(data, out)

    def _runs(self) -> bool:
        socket = Path((self.config.get("control") or {}).get("socket")
                      or self.output / "control.socket")
        if not socket.is_socket():
            return False
        try:
            call("coterie status", ["--config", str(self.file), "--json"])
        except CoterieError as e:
            if e.status == 2:
                return False
            raise
        return True

    def _start(self, data: Optional[Path], out: Optional[PathLike]) -> None:
        scratch = self._scratch.path
        file = self.file
        if data is not None:
            kept = (self.config.get("data") or {}).get("vertices")
            files = _data_files(data)
            if kept or self.job["kind"] == "fedwalk":
                files["vertices"] = files.pop("ids", str(kept))
            file = scratch / "party.json"
            file.write_text(json.dumps({**self.config, "data": files}), encoding="utf-8")
        if out is not None:
            self.output = Path(out).expanduser().resolve()
        self._earlier = self._record()
        self.process = Process("party",
                               ["--config", file, "--once", "--job", write_job(self.job, scratch),
                                "--out", self.output],
                               self.progress.line)

    def _record(self) -> bytes:
        try:
            return (self.output / "run.json").read_bytes()
        except OSError:
            return b""

    def _results(self) -> Dict[str, Path]:
        """Returns the results of a party process that stays, by the directory of each job."""
        return {str(p.parent): p.parent
                for p in [*self.output.glob("job-*/run.json"), *self.output.glob("run.json")]}

    def _finished(self, job_id: Optional[str]) -> Optional[Path]:
        for key, place in self._results().items():
            try:
                record = json.loads((place / "run.json").read_text(encoding="utf-8"))
            except (OSError, ValueError):
                continue  # for example, the party is replacing this file
            job = record.get("job") or {}
            if key in self.before or job_id and record.get("job_id") != job_id:
                continue
            if any(job.get(k) != v for k, v in self.job.items()
                   if k in ("kind", "clusters", "seed")):
                continue
            if record.get("status") == "running":
                for phase in record.get("phases") or []:
                    self.progress.line({"phase": phase.get("name")})
            else:
                return place
        return None

    def wait(self, timeout: Optional[float], job_id: Optional[str] = None) -> Run:
        """Waits for the end of the run and returns it. job_id: the job, if the coordinator has
        named it."""
        if self.process is None:
            place: Path = until(f"{self.name} has done a job of kind {self.job['kind']}",
                                lambda: self._finished(job_id), timeout,
                                "party")
            run = Run(place)
            self.progress.end(run.status)
            if run.status != "done":
                who, what = cause(run, run.error or "", "party")
                raise error_of(int(run.record.get("exit_status") or 1), what, who, "party",
                               str(place))
            return run
        status = self.process.wait(timeout)
        self.progress.end("done" if status == 0 else "failed")
        self.process.warn(coded=False)
        if status:
            # an unchanged record is of an earlier job
            own = self.output if self._record() != self._earlier else None
            raise _failed(status, own, self.process.last_words(), "party")
        return Run(self.output)

    def end(self) -> None:
        if self.process is not None:
            self.process.stop()


# ---- submitting ----


class Elsewhere:
    """A coordinator on another host, by HTTPS: given by a file with `server` and `identity`."""

    def __init__(self, where: PathLike):
        self.client = Client(where)

    def awaits(self, name: str, party: Party, timeout: Optional[float]) -> None:
        """As of Coordinator."""

        def there() -> bool:
            if party.process is not None and party.process.status is not None:
                party.wait(0)  # raises the party's error
            return any(p.get("name") == name and p.get("connected")
                       for p in self.client.status().get("parties", []))

        until(f"the coordinator sees {name}", there, min(timeout or JOIN_S, JOIN_S), "coordinator")

    def submit(self, job: Mapping[str, Any]) -> int:
        return self.client.submit(job)

    def wait(self, number: int, progress: How, what: str,
             timeout: Optional[float]) -> Dict[str, Any]:
        return self.client.wait(number, timeout, progress)

    def results(self, shown: Mapping[str, Any], out: Optional[PathLike]) -> Optional[Run]:
        """Returns results of the own party, or those of the coordinator. If this user may read
        neither, returns None and warns with the reason."""
        try:
            return self.client.results(str(shown["job_id"]), out, patience=SETTLE_S
                                       if self.client.has_party else 0.0)
        except InputError as e:
            if self.client.has_party:
                raise
            warn_of([(e.who, {"sentence": e.what})])
            return None


class Coordinator:
    """A coordinator that serves, over its control socket: given by its configuration (.json) or the
    socket."""

    def __init__(self, where: PathLike):
        path = as_path(where, "coordinator")
        self.args: List[PathLike] = ["--config" if path.suffix == ".json" else "--socket", path]

    def _job(self, *args: PathLike) -> Any:
        return call_json("coterie job", [*self.args, "--json", *args])

    def awaits(self, name: str, party: Party, timeout: Optional[float]) -> None:
        """Waits until the coordinator has seen this party, which was started for the job."""

        def there() -> bool:
            if party.process is not None and party.process.status is not None:
                party.wait(0)  # raises the party's error
            parties = call_json("coterie status", [*self.args, "--json"]).get("parties", [])
            return any(p.get("name") == name and p.get("connected") for p in parties)

        until(f"the coordinator sees {name}", there, min(timeout or JOIN_S, JOIN_S),
              "coterie status")

    def submit(self, job: Mapping[str, Any]) -> int:
        with tempfile.TemporaryDirectory(prefix="coterie-job-") as scratch:
            return int(self._job("submit", write_job(job, Path(scratch)))["id"])

    def wait(self, number: int, how: How, what: str, timeout: Optional[float]) -> Dict[str, Any]:
        """Returns what `coterie job show` prints for a job that has ended. Raises the job's
        error."""

        progress = Progress(how, what)

        def over() -> Optional[Dict[str, Any]]:
            shown: Dict[str, Any] = self._job("show", str(number))
            if shown.get("waiting_for"):
                progress.line({"phase": f"waiting for {', '.join(shown['waiting_for'])}"})
            elif shown.get("state") == "queued":
                progress.line({"phase": "queued"})
            elif shown.get("state") == "running":
                for running in call_json("coterie status",
                                         [*self.args, "--json"]).get("running", []):
                    if running.get("id") == number:
                        progress.line(running)
            return shown if "status" in shown else None

        shown: Dict[str, Any] = until(f"job {number} is over", over, timeout, "coterie job", 0.25)
        progress.end(str(shown["state"]))
        if shown["status"]:
            directory = shown.get("directory")
            readable = directory and Path(directory, "run.json").exists()
            raise _failed(int(shown["status"]), Path(str(directory)) if readable else None,
                          str(shown.get("cause") or ""),
                          f"coterie job {number}")
        return shown

    def results(self, shown: Mapping[str, Any], out: Optional[PathLike]) -> Optional[Run]:
        """Returns the coordinator's results of a job that has ended. None if they are not on
        this host, or if this user may not read them."""
        directory = Path(str(shown["directory"]))
        return Run(directory) if os.access(directory / "run.json", os.R_OK) else None


def hub_of(where: PathLike) -> Union[Coordinator, Elsewhere]:
    return Elsewhere(where) if names_server(where) else Coordinator(where)
