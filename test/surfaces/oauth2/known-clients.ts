import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { type Api, admitEveryone, atGateway, makeOpenApi } from '../../support/api.ts';
import type { TestApp } from '../../support/app.ts';
import { sampled } from '../../support/sample.ts';
import { makeUser, refresh, signInForCode } from '../../support/sign-in.ts';
import { type AppOf, askTokens, codeForm, unlimited } from './asking.ts';

interface KnownClient {
  readonly sent: { readonly redirect_uris: readonly string[] } & Readonly<Record<string, unknown>>;
  /** Where it lets the user be sent, if it is not where it registered: on loopback the port is of the moment. */
  readonly returnsTo?: readonly string[];
}

const code = { grant_types: ['authorization_code', 'refresh_token'], response_types: ['code'] };
const open = { ...code, token_endpoint_auth_method: 'none' };

/** What clients of the Model Context Protocol register, as their sources, documentation, and reports show it. */
const knownClients: Readonly<Record<string, KnownClient>> = {
  Claude: {
    sent: {
      ...code,
      client_name: 'Claude',
      redirect_uris: ['https://claude.ai/api/mcp/auth_callback'],
      token_endpoint_auth_method: 'client_secret_post',
      scope: 'claudeai',
    },
  },
  'Claude Code': {
    sent: {
      ...open,
      client_name: 'Claude Code (notes)',
      redirect_uris: ['http://localhost:3118/callback'],
      application_type: 'native',
    },
  },
  'VS Code': {
    sent: {
      client_name: 'Visual Studio Code',
      client_uri: 'https://code.visualstudio.com',
      grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
      response_types: ['code'],
      redirect_uris: [
        'https://insiders.vscode.dev/redirect',
        'https://vscode.dev/redirect',
        'http://127.0.0.1/',
        'http://127.0.0.1:33418/',
      ],
      scope: 'notes:read notes:write',
      token_endpoint_auth_method: 'none',
      application_type: 'native',
    },
    returnsTo: ['https://vscode.dev/redirect', 'http://127.0.0.1:33418/', 'http://127.0.0.1:52143/'],
  },
  Cursor: {
    sent: {
      ...open,
      client_name: 'Cursor',
      client_uri: 'https://cursor.com',
      redirect_uris: ['cursor://anysphere.cursor-mcp/oauth/callback'],
    },
  },
  'Cursor of before': {
    sent: {
      ...open,
      client_name: 'Cursor',
      redirect_uris: ['cursor://anysphere.cursor-retrieval/oauth/user-notes/callback'],
    },
  },
  ChatGPT: {
    sent: {
      ...open,
      client_name: 'ChatGPT',
      redirect_uris: ['https://chatgpt.com/connector_platform_oauth_redirect'],
    },
  },
  'MCP Inspector': {
    sent: {
      ...open,
      client_name: 'MCP Inspector',
      client_uri: 'https://github.com/modelcontextprotocol/inspector',
      redirect_uris: ['http://localhost:6274/oauth/callback'],
      scope: 'notes:read notes:write',
    },
  },
  'mcp-remote': {
    sent: {
      ...open,
      client_name: 'MCP CLI Proxy',
      client_uri: 'https://github.com/modelcontextprotocol/mcp-cli',
      redirect_uris: ['http://localhost:3334/oauth/callback'],
      software_id: '2e6dc280-f3c3-4e01-99a7-8181dbd1d23d',
      software_version: '0.1.0',
      scope: 'openid email profile',
    },
    returnsTo: ['http://localhost:3334/oauth/callback'],
  },
  OpenCode: {
    sent: {
      ...open,
      client_name: 'OpenCode',
      client_uri: 'https://opencode.ai',
      redirect_uris: ['http://127.0.0.1:19876/mcp/oauth/callback'],
    },
  },
  'Gemini CLI': {
    sent: {
      ...open,
      client_name: 'Gemini CLI MCP Client',
      redirect_uris: ['http://localhost:7777/oauth/callback'],
      scope: 'notes:read',
    },
  },
};

/** RFC 7591 as clients use it that no operator knows: each gets a token for the API that its user allows. */
export function knownClientsCases(app: AppOf): void {
  let one: TestApp;
  let api: Api;
  before(async () => {
    one = await app().another({ ...unlimited, registration: 'open' });
    await admitEveryone(one);
    api = await makeOpenApi(one, ['notes:read', 'notes:write']);
  });

  for (const [index, [name, { sent, returnsTo = sent.redirect_uris }]] of Object.entries(knownClients).entries()) {
    it(`${name} registers itself, and gets and refreshes a token for the API`, async () => {
      const { status, body: client, text } = await one.send('POST', '/oauth2/register', { json: sent });
      assert.equal(status, 201, text);
      assert.deepEqual(client.redirect_uris, sent.redirect_uris);
      assert.equal('client_secret' in client, sent['token_endpoint_auth_method'] !== 'none');
      const user = await makeUser(one, undefined, { roles: ['Everyone'] });
      for (const [at, redirectUri] of returnsTo.entries()) {
        // Some ask for the scopes of the challenge, with offline_access beside them, others for none. By turns here;
        // a drill asks for both.
        for (const scope of sampled(['notes:read offline_access', undefined], 2, index + at)) {
          const asked = { resource: api.resource, redirect_uri: redirectUri };
          const { client_id } = client;
          const from = await signInForCode(one, client, user, { ...asked, scope: scope ?? '', client_id });
          const form = codeForm(from.get('code') ?? '', { redirect_uri: redirectUri, resource: api.resource });
          const tokens = await askTokens(one, client, form);
          assert.equal(tokens.status, 200, tokens.text);
          const granted = (await atGateway(one, tokens.body.access_token, api.resource))['scope'];
          assert.ok(String(granted).split(' ').includes('notes:read'), String(granted));
          const again = await refresh(one, client, tokens.body.refresh_token);
          await atGateway(one, again.body.access_token, api.resource);
        }
      }
    });
  }
}
