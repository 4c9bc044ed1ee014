"""A web application with Authlib's Flask client, configured by discovery."""

import threading

import requests
from authlib.integrations.flask_client import OAuth
from flask import Flask, jsonify, redirect, session
from user import EMAIL, ISSUER, User, said
from werkzeug.serving import WSGIRequestHandler, make_server


class Quiet(WSGIRequestHandler):
    """Writes no line for each request: they hold codes."""

    def log_request(self, *_):
        pass


app = Flask(__name__)
app.secret_key = "a long random text that signs the cookie"
server = make_server("127.0.0.1", 0, app, request_handler=Quiet)
origin = f"http://127.0.0.1:{server.port}"
metadata_url = f"{ISSUER}/.well-known/openid-configuration"
discovered = requests.get(metadata_url).json()
client = requests.post(
    discovered["registration_endpoint"],
    json={
        "client_name": "Flask",
        "redirect_uris": [f"{origin}/callback"],
        "post_logout_redirect_uris": [f"{origin}/"],
        "grant_types": ["authorization_code", "refresh_token"],
    },
).json()

oauth = OAuth(app)
oauth.register(
    "gatehouse",
    client_id=client["client_id"],
    client_secret=client["client_secret"],
    server_metadata_url=metadata_url,
    client_kwargs={"scope": "openid profile email", "code_challenge_method": "S256"},
)


@app.get("/login")
def login():
    return oauth.gatehouse.authorize_redirect(f"{origin}/callback")


@app.get("/callback")
def callback():
    token = oauth.gatehouse.authorize_access_token()
    # Kept here, not in the cookie: a session cookie of Flask is signed, not encrypted.
    app.config["TOKEN"] = token
    session["user"] = token["userinfo"]
    return redirect("/")


@app.get("/")
def home():
    return jsonify(session.get("user"))


@app.get("/more")
def more():
    """The library refreshes by itself when the access token is over."""
    app.config["TOKEN"]["expires_at"] = 1
    return jsonify(oauth.gatehouse.userinfo(token=app.config["TOKEN"]))


@app.get("/logout")
def logout():
    session.clear()
    hint = app.config["TOKEN"]["id_token"]
    return oauth.gatehouse.logout_redirect(post_logout_redirect_uri=f"{origin}/", id_token_hint=hint)


threading.Thread(target=server.serve_forever, daemon=True).start()
user = User()
me = user.browse(f"{origin}/login", origin).json()
assert me["email"] == EMAIL, me
said("signed in: state, nonce, PKCE and id token checked by the library")
assert user.browse(f"{origin}/more", origin).json()["sub"] == me["sub"]
assert user.browse(f"{origin}/more", origin).json()["sub"] == me["sub"]
said("refreshed by itself, twice")
assert user.browse(f"{origin}/logout", origin).json() is None
said("signed out by RP-initiated logout")
server.shutdown()
