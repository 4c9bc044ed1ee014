"""The main job with the clients that openapi-generator writes for Python: a token, a user, a client assigned to the
user, a sign-in, a refresh, all users by cursor, a hook, and an error of each surface by its type.
"""

import base64
import hashlib
import os
import secrets
import subprocess
from urllib.parse import parse_qs, urlencode, urlsplit

import api2
import auth2
import oauth2
import oidc2

url = os.environ["GATEHOUSE_URL"]
callback = "https://portal.example.com/callback"

pairs = auth2.CredentialTokensApi(auth2.ApiClient(auth2.Configuration(host=url)))
pair = auth2.TokenRequest(
    grant_type="client_credentials",
    client_id=os.environ["GATEHOUSE_CLIENT_ID"],
    client_secret=os.environ["GATEHOUSE_CLIENT_SECRET"],
)
token = pairs.issue_credential_token(pair).access_token
management = api2.ApiClient(api2.Configuration(host=url, access_token=token))

users = api2.UsersApi(management)
email, password = f"{secrets.token_hex(8)}@example.com", secrets.token_urlsafe()
user = users.create_user(api2.UserInput(email=email, password=password, lastname="Hopper"))
registration = oidc2.RegistrationApi(oidc2.ApiClient(oidc2.Configuration(host=url, access_token=token)))
client = registration.register_client(
    oidc2.ClientMetadata(
        client_name="Portal",
        redirect_uris=[callback],
        token_endpoint_auth_method="client_secret_post",
    )
)
api2.AppsApi(management).add_app_users(client.app_id, [user.id])

verifier = secrets.token_urlsafe(32)
challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
asked = {
    "response_type": "code",
    "scope": "openid",
    "client_id": client.client_id,
    "redirect_uri": callback,
    "code_challenge": challenge,
    "code_challenge_method": "S256",
}
browser = [os.environ["GATEHOUSE_BROWSER"], f"{url}/oauth2/authorize?{urlencode(asked)}", email, password]
back = urlsplit(subprocess.run(browser, check=True, capture_output=True, text=True).stdout)
redeemed = {
    "grant_type": "authorization_code",
    "code": parse_qs(back.query)["code"][0],
    "redirect_uri": callback,
    "code_verifier": verifier,
    "client_id": client.client_id,
    "client_secret": client.client_secret,
}
tokens = oauth2.TokensApi(oauth2.ApiClient(oauth2.Configuration(host=url)))
first = tokens.issue_token(**redeemed)
refreshing = oidc2.TokensApi(oidc2.ApiClient(oidc2.Configuration(host=url)))
authentication = {"client_id": client.client_id, "client_secret": client.client_secret}
second = refreshing.refresh_token("refresh_token", first.refresh_token, **authentication)
assert second.refresh_token != first.refresh_token

page = users.list_users_with_http_info(limit=1)
listed = page.data
while cursor := page.headers.get("after-cursor"):
    page = users.list_users_with_http_info(cursor=cursor)
    listed += page.data
assert user.id in [one.id for one in listed]

hooks = api2.SmartHooksApi(management)
source = base64.b64encode(b"exports.handler = async () => null;").decode()
hook = hooks.create_hook(api2.HookInput(type=api2.HookType.PRE_MINUS_AUTHENTICATION, function=source))
tried = hooks.test_hook(hook.id, {"user": {"user_identifier": email}, "app": {"name": "Portal"}})
assert tried.outcome == api2.HookOutcome.SUCCESS
hooks.delete_hook(hook.id)


def refused(failure, call, *arguments, **members):
    """The error that the call ends with."""
    try:
        call(*arguments, **members)
    except failure as error:
        return error.data
    raise AssertionError("the call should have been refused")


assert refused(api2.exceptions.NotFoundException, users.read_user, 2147483647).name == "NotFoundError"
wrong = pair.model_copy(update={"client_secret": "wrong"})
assert refused(auth2.exceptions.UnauthorizedException, pairs.issue_credential_token, wrong).status.error
assert refused(oauth2.exceptions.BadRequestException, tokens.issue_token, **redeemed).error == "invalid_grant"
unknown = refused(
    oidc2.exceptions.UnauthorizedException,
    refreshing.refresh_token,
    "refresh_token",
    "unknown",
    **authentication,
)
assert unknown.error_description
