"""Reads a table of a database, or the rows of a query: SQLite and PostgreSQL."""
from __future__ import annotations

import os
import re
import shutil
import sqlite3
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Iterator, List, Optional, Sequence, Tuple

from ._frames import cell_of
from ._reading import Reading
from ._table import CHUNK, Table, chunks_of
from ._text import needs, wrong


def _is_query(part: str) -> bool:
    return part[:7].lower() == "select " or part[:5].lower() == "with "


def _only(where: str, tables: Sequence[str]) -> str:
    if len(tables) != 1:
        said = f": {', '.join(tables)[:400]}" if tables else ""
        raise wrong(f"{where}: {len(tables)} tables{said}: say which is meant (--part), or a "
                    "SELECT")
    return tables[0]


def _quoted(table: str) -> str:
    return '"' + table.replace('"', '""') + '"'


def _table(cursor: Any, where: str, names: Sequence[str], how: Reading) -> Table:
    def rows() -> Iterator[Tuple[int, List[Any]]]:
        at = 0
        while True:
            some = cursor.fetchmany(CHUNK)
            if not some:
                return
            for row in some:
                at += 1
                yield at, [cell_of(v) for v in row]

    table = Table(how, where, list(names), len(names), lambda at: f"{where}: row {at}", "row")
    table.said["why"] = "as columns of a query have names"
    table.take_all(chunks_of(rows(), len(names)))
    return table


# ---- SQLite ----


@contextmanager
def _opened(path: str) -> Iterator[sqlite3.Connection]:
    """Opens a connection that leaves no further file in the database's directory.

    A database with a write-ahead log makes side files when it is opened. Without a log nobody
    writes to it, and it is opened as immutable. A log without its index is not in use either; then
    both files are copied."""
    with open(path, "rb") as f:
        head = f.read(20)
    log, index = path + "-wal", path + "-shm"
    address, copy = os.path.abspath(path), None
    mode = "mode=ro"
    if head[18:20] == b"\2\2" and not os.path.exists(index):
        if os.path.exists(log) and os.path.getsize(log):
            copy = tempfile.mkdtemp(prefix="coterie-")
            address = os.path.join(copy, "copy.db")
            shutil.copyfile(path, address)
            shutil.copyfile(log, address + "-wal")
            mode = "mode=rw"
        else:
            mode += "&immutable=1"
    try:
        db = sqlite3.connect(f"{Path(address).as_uri()}?{mode}", uri=True, isolation_level=None,
                             timeout=10)
        try:
            db.text_factory = lambda data: data.decode("utf-8", "surrogateescape")
            yield db
        finally:
            db.close()
    finally:
        if copy:
            shutil.rmtree(copy, ignore_errors=True)


_READS = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION,
          getattr(sqlite3, "SQLITE_RECURSIVE", 33)}


def _may(action: int, first: Optional[str], name: Optional[str], _: Any, view: Any) -> int:
    """Allows a query to read tables only. It may not write, or use a view, since the file's
    author wrote the view."""
    forbidden = action not in _READS or view is not None or \
        (action == sqlite3.SQLITE_FUNCTION and name == "load_extension")
    return sqlite3.SQLITE_DENY if forbidden else sqlite3.SQLITE_OK


def read_sqlite(path: str, part: Optional[str], how: Reading) -> Table:
    try:
        with _opened(path) as db:
            if part is None:
                found = db.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name "
                                   r"NOT LIKE 'sqlite\_%' ESCAPE '\' ORDER BY name")
                part = _only(path, [name for name, in found])
            db.set_authorizer(_may)
            cursor = db.execute(part if _is_query(part) else f"SELECT * FROM {_quoted(part)}")
            return _table(cursor, path, [d[0] for d in cursor.description], how)
    except sqlite3.Warning:  # Python before 3.11 raises it for several statements
        raise wrong(f"the query: {path}: it is not one statement") from None
    except sqlite3.Error as e:
        more = "one statement at a time" in str(e)
        raise wrong(f"the query: {path}: {'it is not one statement' if more else e}") from None


# ---- PostgreSQL ----


def is_address(name: str) -> bool:
    return re.match(r"postgres(ql)?(\+\w+)?://", name) is not None


def _engine(address: str) -> Any:
    try:
        import sqlalchemy
    except ImportError:
        raise needs("sqlalchemy", "python3-sqlalchemy", "postgresql") from None
    try:
        url = sqlalchemy.engine.make_url(address.replace("postgres:", "postgresql:", 1))
    except (sqlalchemy.exc.ArgumentError, ValueError):
        raise wrong("the address of the database is none: expected "
                    "postgresql://USER@HOST/DATABASE") from None
    if url.password is not None or "password" in url.query:
        raise wrong("the address of the database has a password in it, which other users of this "
                    "host see: put it into ~/.pgpass or PGPASSWORD")
    if "+" not in url.drivername:
        url = url.set(drivername=f"postgresql+{_driver(sqlalchemy.__version__)}")
    try:
        return sqlalchemy, sqlalchemy.create_engine(url)
    except ImportError:
        raise needs("psycopg2", "python3-psycopg2", "postgresql") from None


def _driver(version: str) -> str:
    """Returns the driver: psycopg, if SQLAlchemy is version 2, or psycopg2."""
    try:
        import psycopg  # noqa: F401
    except ImportError:
        return "psycopg2"
    return "psycopg" if int(version.split(".")[0]) >= 2 else "psycopg2"


def read_postgresql(address: str, part: Optional[str], how: Reading) -> Table:
    """Reads in one transaction that may not write."""
    sqlalchemy, engine = _engine(address)
    where = engine.url.database or "postgresql"
    try:
        with engine.connect().execution_options(postgresql_readonly=True, stream_results=True,
                                                no_parameters=True) as db:
            if part is None:
                part = _only(where, sorted(sqlalchemy.inspect(db).get_table_names()))
            query = part if _is_query(part) else f"SELECT * FROM {_quoted(part)}"
            result = db.exec_driver_sql(query)
            return _table(result, where, list(result.keys()), how)
    except sqlalchemy.exc.SQLAlchemyError as e:
        said = str(getattr(e, "orig", None) or e).strip().splitlines() or [type(e).__name__]
        raise wrong(f"the query: {where}: {said[0][:300]}") from None
    finally:
        engine.dispose()
