"""HTTPS to a daemon's api.listen with certificates of both sides, by only the standard library."""
from __future__ import annotations

import http.client
import ipaddress
import json
import re
import ssl
import urllib.request
from pathlib import Path
from typing import Any, Dict, Mapping, Optional, Tuple
from urllib.parse import urlsplit

from ._errors import CoterieError, InputError

#: Maximum bytes of an answer.
ANSWER_MAX = 64 << 20


class Identity:
    """Own certificate, its key and the CA's certificate. If key and CA are not given, they are
    in the certificate's directory."""

    def __init__(
        self,
        certificate: Path,
        key: Optional[Path] = None,
        ca: Optional[Path] = None,
        crl: Optional[Path] = None,
        passphrase: Optional[Path] = None,
    ):
        self.certificate = certificate
        self.key = key or certificate.with_suffix(".key")
        self.ca = ca or certificate.with_name("ca.crt")
        self.crl = crl
        self.passphrase = passphrase

    def context(self) -> ssl.SSLContext:
        for path in (self.certificate, self.key, self.ca, self.crl, self.passphrase):
            try:
                if path is not None:
                    path.open("rb").close()
            except OSError as e:
                raise InputError(
                    f"{path}: this file cannot be read ({e.strerror})", status=4
                ) from None
        words = (
            self.passphrase.read_text(encoding="utf-8").split("\n")[0] if self.passphrase else ""
        )
        made = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        made.minimum_version = ssl.TLSVersion.TLSv1_3
        try:
            made.load_verify_locations(self.ca)
            if self.crl is not None:
                made.load_verify_locations(self.crl)
                made.verify_flags |= ssl.VERIFY_CRL_CHECK_LEAF
            made.load_cert_chain(
                self.certificate, self.key, lambda: words
            )  # a function, so that the library does not prompt for a passphrase
        except ssl.SSLError as e:
            raise InputError(
                (
                    f"{self.certificate}, {self.key} or {self.ca} cannot be used: {_reason(e)};"
                    " they have to be PEM, the key that of the certificate, and its passphrase, if"
                    " it has one, in identity.passphrase"
                ),
                status=4,
            ) from None
        return made


def _reason(e: ssl.SSLError) -> str:
    return str(e.reason or e).replace("_", " ").lower()


class _Connection(http.client.HTTPSConnection):
    """A connection to one address. The certificate there must have the expected name, which may
    differ from the address."""

    def __init__(self, place: "Place", context: ssl.SSLContext, timeout: float):
        proxy = place.proxy()
        host, port = proxy or (place.host, place.port)
        super().__init__(host, port, timeout=timeout, context=context)
        if proxy:
            self.set_tunnel(place.host, place.port)
        self._as, self._tls = place.name, context

    def connect(self) -> None:
        http.client.HTTPConnection.connect(self)
        self.sock = self._tls.wrap_socket(self.sock, server_hostname=self._as)


class Place:
    """ "hub.example.org:7443", or "hub@192.0.2.7:7443" with the name in the certificate."""

    def __init__(self, text: str):
        found = re.fullmatch(
            r"(?:([\w.-]{1,64})@)?(?:\[([0-9A-Fa-f:.]+)\]|([^\s:@\[\]]+)):(\d{1,5})", text
        )
        if not found or not 0 < int(found[4]) < 65536:
            raise InputError(
                (
                    f"server is {text!r}, expected the api.listen of a daemon, as"
                    " hub.example.org:7443 or hub@192.0.2.7:7443"
                ),
                status=4,
            )
        self.text = text
        self.host, self.port = found[2] or found[3], int(found[4])
        self.name = found[1] or self.host

    def proxy(self) -> Optional[Tuple[str, int]]:
        """Returns the proxy of https_proxy; none for this host and for hosts in no_proxy."""
        given = urllib.request.getproxies().get("https")
        if not given or self.host == "localhost" or urllib.request.proxy_bypass(self.host):
            return None
        try:
            if ipaddress.ip_address(self.host).is_loopback:
                return None
        except ValueError:
            pass
        parts = urlsplit(given if "//" in given else "//" + given)
        return (parts.hostname, parts.port or 3128) if parts.hostname else None


class Api:
    """Requests to one daemon."""

    def __init__(self, place: Place, identity: Identity, timeout: float):
        self.place, self.identity, self.timeout = place, identity, timeout

    def fetch(self, path: str, body: Optional[Mapping[str, Any]] = None) -> Tuple[int, bytes]:
        """The status and the body of the answer to a GET, or to a POST of body."""
        where = self.place.text
        link = _Connection(self.place, self.identity.context(), self.timeout)
        host = f"[{self.place.name}]" if ":" in self.place.name else self.place.name
        headers = {"Host": f"{host}:{self.place.port}", "Content-Type": "application/json"}
        try:
            link.request(
                "GET" if body is None else "POST",
                path,
                None if body is None else json.dumps(body).encode(),
                headers,
            )
            answer = link.getresponse()
            return answer.status, answer.read(ANSWER_MAX)
        except ssl.SSLCertVerificationError as e:
            raise CoterieError(
                (
                    f"{where}: its certificate is refused ({e.verify_message}): it has to be signed"
                    f" by {self.identity.ca}, and to bear the name {self.place.name}, which NAME@"
                    " before the host says"
                ),
                "",
                2,
                where,
            ) from None
        except ssl.SSLError as e:
            raise CoterieError(
                (
                    f"{where}: {_reason(e)}: whether {self.identity.certificate} is signed by that"
                    " daemon's authority, valid today and not revoked, its log says"
                ),
                "",
                2,
                where,
            ) from None
        except (OSError, http.client.HTTPException) as e:
            said = getattr(e, "strerror", None) or str(e) or type(e).__name__
            raise CoterieError(
                (
                    f"{where} does not answer ({said}): is the daemon running, is that its"
                    " api.listen, and may this host reach it?"
                ),
                "",
                2,
                where,
            ) from None
        finally:
            link.close()

    def json(self, path: str, body: Optional[Mapping[str, Any]] = None) -> Dict[str, Any]:
        """Returns the JSON object in an answer. If the daemon refuses the request, raises an
        error with its message."""
        status, content = self.fetch(path, body)
        try:
            answer = json.loads(content)
        except ValueError:
            answer = None
        if not isinstance(answer, dict):
            raise CoterieError(
                (
                    f"{self.place.text}: what answers there (HTTP status {status}) is no Coterie"
                    " daemon"
                ),
                "",
                2,
                self.place.text,
            )
        self.check(status, answer)
        return answer

    def check(self, status: int, answer: Mapping[str, Any]) -> None:
        if status < 400 and not answer.get("status"):
            return
        code = int(answer.get("status") or (1 if status >= 500 else 4))
        kind = InputError if code == 4 else CoterieError
        raise kind(
            str(answer.get("error") or f"HTTP status {status}"),
            self.place.text,
            code,
            self.place.text,
        )
