"""Proofs that a client has the key that its access token is bound to (DPoP, RFC 9449)."""

import base64
import hashlib
import json
import threading
import time
from collections import OrderedDict

import jwt

SECONDS_OF_PROOF = 60
# How far the clocks of clients may be off.
TOLERANCE = 5
# Proofs that are kept at a time, some 20 MB; when there are more, new ones are refused.
MOST_PROOFS = 100_000

# What the thumbprint of a key is made of, in this order (RFC 7638 section 3.2).
THUMBPRINT = {"EC": ("crv", "kty", "x", "y"), "OKP": ("crv", "kty", "x"), "RSA": ("e", "kty", "n")}


class Proofs:
    """Checks proofs for one API: each is taken once, as far as this process knows."""

    def __init__(self, algorithms: list[str]):
        self.algorithms = algorithms
        self._lock = threading.Lock()
        self._seen = OrderedDict()

    def are_good(self, proofs: list[str], method: str, url: str, token: str, thumbprint: str) -> bool:
        """Whether there is one proof: for this request, which has no query, for this token, and by its key."""
        if len(proofs) != 1:
            return False
        try:
            return self._is_good(proofs[0], method, url, token, thumbprint)
        except (jwt.PyJWTError, AttributeError, KeyError, RecursionError, TypeError, ValueError):
            return False

    def _is_good(self, proof: str, method: str, url: str, token: str, thumbprint: str) -> bool:
        header = jwt.get_unverified_header(proof)
        key = header["jwk"]
        if header["typ"].lower() != "dpop+jwt" or header["alg"] not in self.algorithms or "d" in key:
            return False
        options = {"require": ["htm", "htu", "ath", "jti", "iat"], "verify_aud": False}
        said = jwt.decode(
            proof, jwt.PyJWK(key, algorithm=header["alg"]), algorithms=self.algorithms, leeway=TOLERANCE, options=options
        )
        # PyJWT has checked that the proof is not of the future.
        is_new = isinstance(said["iat"], int | float) and time.time() - said["iat"] <= SECONDS_OF_PROOF + TOLERANCE
        is_of_request = said["htm"] == method and said["htu"].partition("?")[0].partition("#")[0] == url
        is_of_token = said["ath"] == _hash_of(token) and _thumbprint_of(key) == thumbprint
        return is_new and is_of_request and is_of_token and self._is_first(_hash_of(f"{thumbprint} {said['jti']}"))

    def _is_first(self, proof: str) -> bool:
        now = time.monotonic()
        with self._lock:
            while self._seen and next(iter(self._seen.values())) <= now:
                self._seen.popitem(last=False)
            if proof in self._seen or len(self._seen) >= MOST_PROOFS:
                return False
            # A proof of the near future stays good for as long as its clock was ahead.
            self._seen[proof] = now + SECONDS_OF_PROOF + 2 * TOLERANCE + 1
            return True


def _thumbprint_of(key: dict) -> str:
    """RFC 7638 section 3."""
    members = {name: key[name] for name in THUMBPRINT[key["kty"]]}
    return _hash_of(json.dumps(members, separators=(",", ":")))


def _hash_of(text: str) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).decode().rstrip("=")
