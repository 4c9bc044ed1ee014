/** The official TypeScript clients of the Model Context Protocol, and what a program that uses them keeps. */

import {
  Client as Client2,
  StreamableHTTPClientTransport as Transport2,
  UnauthorizedError as Unauthorized2,
} from '@modelcontextprotocol/client';
import { UnauthorizedError as Unauthorized1 } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as Transport1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

export const redirectUri = 'http://127.0.0.1:33418/callback';

interface KeptTokens {
  readonly access_token: string;
  readonly token_type: string;
  readonly refresh_token?: string;
  readonly scope?: string;
}

/** What a program keeps for one server: nothing that its user had to set. */
export class Keeper {
  readonly redirectUrl = redirectUri;
  /** Where the program publishes its metadata document, if it does. */
  readonly clientMetadataUrl?: string;
  /** Where the user was sent last. */
  sentTo: URL | null = null;
  kept: { client?: object; tokens?: KeptTokens; verifier?: string; discovery?: object } = {};
  readonly clientMetadata = {
    client_name: 'A tool of the tests',
    redirect_uris: [redirectUri],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  };

  constructor(clientMetadataUrl?: string) {
    if (clientMetadataUrl !== undefined) this.clientMetadataUrl = clientMetadataUrl;
  }

  state(): string {
    return 'a-state';
  }

  clientInformation() {
    return this.kept.client as { client_id: string } | undefined;
  }

  saveClientInformation(client: object): void {
    this.kept.client = client;
  }

  tokens(): KeptTokens | undefined {
    return this.kept.tokens;
  }

  saveTokens(tokens: KeptTokens): void {
    this.kept.tokens = tokens;
  }

  redirectToAuthorization(address: URL): void {
    this.sentTo = address;
  }

  saveCodeVerifier(verifier: string): void {
    this.kept.verifier = verifier;
  }

  codeVerifier(): string {
    return this.kept.verifier ?? '';
  }

  saveDiscoveryState(discovery: object): void {
    this.kept.discovery = discovery;
  }

  discoveryState() {
    return this.kept.discovery as { authorizationServerUrl: string } | undefined;
  }

  invalidateCredentials(what: 'all' | 'client' | 'tokens' | 'verifier' | 'discovery'): void {
    if (what === 'all') this.kept = {};
    else delete this.kept[what];
  }
}

export interface Session {
  /** Names of the tools. */
  tools(): Promise<readonly string[]>;
  /** The text that the tool answers. */
  call(name: string, given?: Record<string, unknown>): Promise<string>;
  /** Gives the client the address that the browser was sent to. */
  finish(address: URL): Promise<void>;
  close(): Promise<void>;
}

export interface McpClient {
  readonly title: string;
  /** Whether it asks for more scopes while it has a refresh token. */
  readonly stepsUpWithRefreshToken: boolean;
  /** Connects, or throws what `isSentAway` knows. */
  open(resource: string, keeper: Keeper): { readonly session: Session; connect(): Promise<void> };
  /** Whether it waits for its user to sign in. */
  isSentAway(error: unknown): boolean;
}

const implementation = { name: 'test', version: '1' };

function textOf(content: unknown): string {
  return (content as { text: string }[])[0]?.text ?? '';
}

const first: McpClient = {
  title: '@modelcontextprotocol/sdk',
  stepsUpWithRefreshToken: false,
  isSentAway: (error) => error instanceof Unauthorized1,
  open: (resource, keeper) => {
    const client = new Client1(implementation);
    const transport = new Transport1(new URL(resource), { authProvider: keeper });
    return {
      connect: () => client.connect(transport as never),
      session: {
        tools: async () => (await client.listTools()).tools.map(({ name }) => name),
        call: async (name, given = {}) => textOf((await client.callTool({ name, arguments: given })).content),
        finish: (address) => transport.finishAuth(address.searchParams.get('code') ?? ''),
        close: () => client.close(),
      },
    };
  },
};

const second: McpClient = {
  title: '@modelcontextprotocol/client',
  stepsUpWithRefreshToken: true,
  isSentAway: (error) => error instanceof Unauthorized2,
  open: (resource, keeper) => {
    const client = new Client2(implementation);
    const transport = new Transport2(new URL(resource), { authProvider: keeper as never });
    return {
      connect: () => client.connect(transport),
      session: {
        tools: async () => (await client.listTools()).tools.map(({ name }) => name),
        call: async (name, given = {}) => textOf((await client.callTool({ name, arguments: given })).content),
        finish: (address) => transport.finishAuth(address.searchParams),
        close: () => client.close(),
      },
    };
  },
};

export const mcpClients: readonly McpClient[] = [first, second];
