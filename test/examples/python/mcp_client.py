"""The official Python client, unmodified, goes the whole way to the MCP server: a program that uses it.

    mcp_client.py <address of the server> <address of its metadata document> <browser command…>

It goes twice: it registers, and it is known by its metadata document. The browser command gets an address, and prints
where the browser ended.
"""

import asyncio
import subprocess
import sys
import time
from urllib.parse import parse_qs, urlsplit

from mcp import Client
from mcp.client.auth import AuthorizationCodeResult, OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client
from mcp.shared.auth import OAuthClientMetadata

address, document, *browser = sys.argv[1:]
visits = []


class Storage:
    tokens = None
    client = None

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return self.client

    async def set_client_info(self, client):
        self.client = client


async def send_away(url):
    visits.append(parse_qs(urlsplit(url).query))
    command = [browser[0], browser[1], url, *browser[2:]]
    visits[-1]["end"] = subprocess.run(command, check=True, capture_output=True, text=True).stdout


async def come_back():
    query = parse_qs(urlsplit(visits[-1]["end"]).query)
    return AuthorizationCodeResult(code=query["code"][0], state=query["state"][0], iss=query["iss"][0])


def check(holds, what):
    if not holds:
        sys.exit(f"FAILED: {what}; visits: {visits}")
    print(f"ok  {what}", flush=True)


async def walk(metadata_url):
    visits.clear()
    storage = Storage()
    metadata = OAuthClientMetadata(
        client_name="A program in Python",
        redirect_uris=["http://127.0.0.1:33419/callback"],
        grant_types=["authorization_code", "refresh_token"],
        token_endpoint_auth_method="none",
    )
    auth = OAuthClientProvider(address, metadata, storage, send_away, come_back, client_metadata_url=metadata_url)
    async with (
        create_mcp_http_client(auth=auth) as http,
        Client(streamable_http_client(address, http_client=http)) as client,
    ):
        names = sorted(tool.name for tool in (await client.list_tools()).tools)
        check(names == ["add_note", "list_notes"], "discovered, signed in")
        registered = visits[0]["client_id"] != [document]
        check(registered == (metadata_url is None), "registered" if registered else "known by its metadata document")
        check(visits[0]["resource"] == [address], "asked for a token for this server")
        check("notes:write" not in storage.tokens.scope, "with the scopes of the challenge alone")
        former = storage.tokens.refresh_token

        auth.context.token_expiry_time = time.time() - 1
        await client.call_tool("list_notes", {})
        check(storage.tokens.refresh_token != former and len(visits) == 1, "refreshed without the user")

        result = await client.call_tool("add_note", {"note": "from Python"})
        check(not result.is_error and len(visits) == 2, "asked for more when a tool needed it")
        check({"notes:read", "notes:write"} <= set(visits[1]["scope"][0].split()), "and kept what it had")

        revocation = str(auth.context.oauth_metadata.revocation_endpoint)
        form = {"token": storage.tokens.refresh_token, "client_id": storage.client.client_id}
        async with create_mcp_http_client() as plain:
            check((await plain.post(revocation, data=form)).status_code == 200, "revoked")
        auth.context.token_expiry_time = time.time() - 1
        result = await client.call_tool("list_notes", {})
        check(not result.is_error and len(visits) == 3, "sent its user to sign in again after that")


async def main():
    await walk(None)
    await walk(document)


asyncio.run(main())
