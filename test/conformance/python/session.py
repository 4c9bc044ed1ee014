"""Authlib's `OAuth2Session`, unmodified, walks the standard door of a service, once for each way a client authenticates."""

import requests
from authlib.common.security import generate_token
from authlib.integrations.requests_client import OAuth2Session
from authlib.oauth2.rfc7523 import PrivateKeyJWT
from authlib.oauth2.rfc8414 import get_well_known_url
from authlib.oidc.core import CodeIDToken
from joserfc import jwt
from joserfc.jwk import KeySet, RSAKey
from user import EMAIL, ISSUER, User, query_of, said

REDIRECT_URI = "http://127.0.0.1:9/callback"
AFTERWARDS = "http://127.0.0.1:9/bye"


def get(url, **more):
    answer = requests.get(url, **more)
    answer.raise_for_status()
    return answer.json()


def register(server, method, key):
    metadata = {
        "client_name": f"Authlib {method}",
        "redirect_uris": [REDIRECT_URI],
        "grant_types": ["authorization_code", "refresh_token"],
        "post_logout_redirect_uris": [AFTERWARDS],
        "token_endpoint_auth_method": method,
    }
    if method == "private_key_jwt":
        metadata["jwks"] = {"keys": [key.as_dict(private=False, use="sig", alg="RS256")]}
    answer = requests.post(server["registration_endpoint"], json=metadata)
    assert answer.status_code == 201, answer.text
    return answer.json()


def open_session(server, client, method, key):
    session = OAuth2Session(
        client["client_id"],
        key if method == "private_key_jwt" else client.get("client_secret"),
        scope="openid profile email",
        redirect_uri=REDIRECT_URI,
        token_endpoint_auth_method=method,
        revocation_endpoint_auth_method=method,
        code_challenge_method="S256",
    )
    if method == "private_key_jwt":
        session.register_client_auth_method(PrivateKeyJWT(server["token_endpoint"], headers={"kid": key.kid}))
    return session


def validate(server, client, tokens, nonce=None):
    keys = KeySet.import_key_set(get(server["jwks_uri"]))
    token = jwt.decode(tokens["id_token"], keys, algorithms=server["id_token_signing_alg_values_supported"])
    params = {"client_id": client["client_id"], "access_token": tokens["access_token"]}
    if nonce:
        params["nonce"] = nonce
    claims = CodeIDToken(token.claims, token.header, {"iss": {"values": [ISSUER]}}, params)
    claims.validate()
    return claims


def walk(server, method):
    key = RSAKey.generate_key(2048, auto_kid=True)
    client = register(server, method, key)
    session = open_session(server, client, method, key)
    user = User()
    nonce, verifier = generate_token(), generate_token(48)
    url, state = session.create_authorization_url(server["authorization_endpoint"], nonce=nonce, code_verifier=verifier)
    callback = user.visit(url)
    assert query_of(callback)["iss"] == ISSUER, "RFC 9207"
    tokens = session.fetch_token(
        server["token_endpoint"], authorization_response=callback, code_verifier=verifier, state=state
    )
    claims = validate(server, client, tokens, nonce)
    userinfo = session.get(server["userinfo_endpoint"]).json()
    assert userinfo["sub"] == claims["sub"] and userinfo["email"] == EMAIL, userinfo
    said(f"{method}: registered, signed in, id token and userinfo as they should be")

    seen = {tokens["refresh_token"]}
    for _ in range(2):
        tokens = session.refresh_token(server["token_endpoint"])
        assert validate(server, client, tokens)["sub"] == claims["sub"]
        seen.add(tokens["refresh_token"])
    assert len(seen) == 3, "each refresh gives another token"
    assert session.get(server["userinfo_endpoint"]).status_code == 200
    said(f"{method}: refreshed twice")

    asked = session.introspect_token(server["introspection_endpoint"], tokens["access_token"], "access_token")
    assert asked.json()["active"] is True, asked.text
    ended = session.revoke_token(server["revocation_endpoint"], tokens["refresh_token"], "refresh_token")
    assert ended.status_code == 200, ended.text
    asked = session.introspect_token(server["introspection_endpoint"], tokens["access_token"], "access_token")
    assert asked.json() == {"active": False}, asked.text
    said(f"{method}: introspected and revoked")

    url, state = session.create_authorization_url(server["authorization_endpoint"], prompt="none", code_verifier=verifier)
    # A client of open registration has to ask for consent each time.
    assert query_of(user.visit(url))["error"] == "consent_required", "the session lives"
    end = f"{server['end_session_endpoint']}?" + requests.compat.urlencode(
        {"id_token_hint": tokens["id_token"], "post_logout_redirect_uri": AFTERWARDS, "state": "done"}
    )
    assert user.visit(end) == f"{AFTERWARDS}?state=done"
    assert query_of(user.visit(url))["error"] == "login_required"
    said(f"{method}: signed out")


def main():
    server = get(get_well_known_url(ISSUER, external=True, suffix="openid-configuration"))
    assert server["issuer"] == ISSUER
    said("discovery")
    for method in ("client_secret_basic", "client_secret_post", "none", "private_key_jwt"):
        walk(server, method)


main()
