"""Protects a FastAPI application with the access tokens of Gatehouse.

All it needs to know is where the service answers the API's metadata (`gatehouse api set <id> resource_metadata=on`):

    api = protect("https://acme.id.example.com/oauth2/resource_metadata/1")
    app.include_router(api.metadata)

    @app.get("/orders")
    def orders(token: Annotated[dict, Depends(api.needs("orders:read"))]):
        return orders_of(token["sub"])

JWTs are checked here (RFC 9068), by the keys that the service publishes. With `client`, the id and secret of a client of
the account, each token is shown to the service instead (RFC 7662), which knows of a revocation at once. Tokens that are
bound to a key need a proof with each request (RFC 9449).
"""

import base64
import json
import time
from urllib.parse import quote, urlencode, urlsplit
from urllib.request import Request as HttpRequest
from urllib.request import urlopen

import jwt
from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import JSONResponse

from dpop import Proofs

ALGORITHMS = ["RS256", "PS256", "ES256"]


# How long the keys of the service are taken as they were answered last, in seconds.
KEY_PAUSE = 10


class Keys(jwt.PyJWKClient):
    """Anybody can send tokens with invented names of keys, and each would have the API ask for the keys again."""

    _last: tuple[float, dict] | None = None

    def fetch_data(self) -> dict:
        if self._last is None or time.monotonic() - self._last[0] >= KEY_PAUSE:
            self._last = (time.monotonic(), super().fetch_data())
        return self._last[1]


def protect(metadata_url: str, client: tuple[str, str] | None = None) -> "Api":
    """Reads the metadata; raises an OSError when the service does not answer."""
    return Api(_read_json(metadata_url), client)


class Api:
    def __init__(self, metadata: dict, client: tuple[str, str] | None):
        self.resource = metadata["resource"]
        self._issuer = metadata["authorization_servers"][0]
        server = _read_json(f"{self._issuer}/.well-known/oauth-authorization-server")
        if server["issuer"] != self._issuer:
            raise ValueError(f"{self._issuer} says that it is {server['issuer']}")
        self._client = client
        self._introspection = server["introspection_endpoint"]
        self._keys = Keys(server["jwks_uri"], timeout=5)
        self._proofs = Proofs(metadata["dpop_signing_alg_values_supported"])
        self._needs_proofs = metadata["dpop_bound_access_tokens_required"]
        parts = urlsplit(self.resource)
        self._origin = f"{parts.scheme}://{parts.netloc}"
        well_known = f"/.well-known/oauth-protected-resource{parts.path.rstrip('/')}"
        self._metadata_url = self._origin + well_known
        self.metadata = APIRouter()

        @self.metadata.get(well_known, include_in_schema=False)
        def read_metadata() -> JSONResponse:
            """The metadata where clients look that know only the API's address (RFC 9728 section 3.1)."""
            return JSONResponse(metadata, headers={"Access-Control-Allow-Origin": "*"})

    def needs(self, *scopes: str):
        """A dependency: the claims of the request's token, which has all these scopes."""

        def check(request: Request) -> dict:
            scheme, _, token = request.headers.get("authorization", "").partition(" ")
            is_bound = scheme.lower() == "dpop"

            def refused(status: int, error: str | None, description: str, wanted=scopes) -> HTTPException:
                return self._refused(status, error, description, wanted, is_bound)

            if not (is_bound or scheme.lower() == "bearer") or not token:
                raise refused(401, None, "a token is needed")
            claims = self._claims(token)
            if claims is None:
                raise refused(401, "invalid_token", "the token is invalid")
            bound_to = claims.get("cnf")
            key = bound_to.get("jkt") if bound_to else None
            # A token that is bound to a key, or to a certificate, is worth nothing without it (RFC 9449 section 7.1,
            # RFC 8705 section 3).
            if key is None if is_bound else bound_to is not None:
                raise refused(401, "invalid_token", "the scheme is not that of the token")
            if is_bound and not self._has_proof(request, token, key):
                raise refused(401, "invalid_dpop_proof", "the proof is not for this request and token, or was used")
            granted = claims.get("scope", "").split()
            if not set(scopes) <= set(granted):
                # The client asks for these next, and is not to lose what it has.
                wanted = list(dict.fromkeys([*granted, *scopes]))
                raise refused(403, "insufficient_scope", "more scopes are needed", wanted)
            return claims

        return check

    def _has_proof(self, request: Request, token: str, key: str) -> bool:
        url = self._origin + request.scope["raw_path"].decode()
        return self._proofs.are_good(request.headers.getlist("dpop"), request.method, url, token, key)

    def _claims(self, token: str) -> dict | None:
        """None: the token is good for nothing here. Raises when the service does not answer."""
        if self._client is not None:
            return self._introspected(token)
        try:
            if str(jwt.get_unverified_header(token).get("typ")).lower().removeprefix("application/") != "at+jwt":
                return None
            key = self._keys.get_signing_key_from_jwt(token)
            options = {"require": ["exp", "iss", "aud", "sub", "client_id"]}
            return jwt.decode(
                token, key, algorithms=ALGORITHMS, issuer=self._issuer, audience=self.resource, leeway=5, options=options
            )
        except jwt.PyJWKClientConnectionError:
            raise
        except (jwt.InvalidTokenError, jwt.PyJWKClientError, RecursionError):
            return None

    def _introspected(self, token: str) -> dict | None:
        pair = ":".join(quote(part, safe="") for part in self._client)
        headers = {"Authorization": f"Basic {base64.b64encode(pair.encode()).decode()}"}
        claims = _read_json(self._introspection, urlencode({"token": token}).encode(), headers)
        audience = claims.get("aud", [])
        audiences = [audience] if isinstance(audience, str) else audience
        is_for_us = claims["active"] and claims.get("iss") == self._issuer and self.resource in audiences
        return claims if is_for_us else None

    def _refused(self, status: int, error: str | None, description: str, scopes, is_bound: bool) -> HTTPException:
        with_proof = is_bound or self._needs_proofs
        parameters = {
            **({"error": error, "error_description": description} if error else {}),
            "scope": " ".join(scopes),
            "resource_metadata": self._metadata_url,
            "algs": " ".join(self._proofs.algorithms) if with_proof else "",
        }
        scheme = "DPoP" if with_proof else "Bearer"
        told = ", ".join(f'{name}="{value}"' for name, value in parameters.items() if value)
        return HTTPException(status, description, headers={"WWW-Authenticate": f"{scheme} {told}"})


def _read_json(url: str, body: bytes | None = None, headers: dict | None = None) -> dict:
    with urlopen(HttpRequest(url, body, headers or {}), timeout=5) as answer:
        return json.load(answer)
