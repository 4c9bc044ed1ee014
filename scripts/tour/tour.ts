/** What all steps of the tour share. */

import { readFileSync } from 'node:fs';
import { type Answer, type Sent, send } from './http.ts';
import { expect, Surprise } from './surprise.ts';

/** What the first start of the service wrote to `demo.json`, as far as the tour needs it. */
interface Demo {
  readonly base_url: string;
  readonly issuer: string;
  readonly api_key: string;
  readonly credential: { readonly client_id: string; readonly client_secret: string };
  readonly user: { readonly email: string; readonly password: string };
}

export interface RegisteredClient {
  readonly client_id: string;
  readonly client_secret: string;
  readonly app_id: number;
}

export interface TokenSet {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly id_token: string;
  readonly token_type: string;
  readonly expires_in: number;
}

/** What steps learn for later ones. */
interface Facts {
  credentialToken: string;
  client: RegisteredClient;
  code: { readonly value: string; readonly verifier: string; readonly nonce: string };
  tokens: TokenSet;
  /** The user of `demo.json`. */
  demoUser: { readonly id: number };
  role: { readonly id: number };
  user: { readonly id: number; readonly email: string };
  hook: { readonly id: string; readonly variableId: string };
  api: { readonly id: number; readonly resource: string };
  /** The MCP server. */
  mcp: { readonly id: number; readonly resource: string };
  /** The client of the MCP server. */
  program: { readonly client_id: string; readonly app_id: number };
}

export interface Tour {
  /** Base URL of the service, without a slash at its end. */
  readonly url: string;
  readonly demo: Demo;
  /** Keeps a fact for later steps. */
  learn<Name extends keyof Facts>(name: Name, fact: Facts[Name]): void;
  /** A fact that an earlier step learned. */
  recall<Name extends keyof Facts>(name: Name): Facts[Name];
  /** Sends a request to a path of the service, or to another address, and prints it with its answer. */
  send(method: string, path: string, sent?: Sent): Promise<Answer>;
}

export interface Step {
  readonly title: string;
  /** What happens and why, in a sentence or two. */
  readonly about: string;
  readonly run: (tour: Tour) => Promise<void>;
}

/** Reads `demo.json`, and asks the service whether it is there. Throws a `Surprise` when one of them is missing. */
export async function beginTour({ url, demo: demoFile }: { url?: string; demo: string }): Promise<Tour> {
  const demo = readDemo(demoFile);
  const base = (url ?? demo.base_url).replace(/\/$/, '');
  expect(URL.canParse(base), `--url must be an address such as http://localhost:3000, not ${base}`);
  const facts: Partial<Facts> = {};
  return {
    url: base,
    demo,
    learn: (name, fact) => {
      facts[name] = fact;
    },
    recall: (name) => {
      const fact = facts[name];
      expect(fact !== undefined, `no earlier step learned the ${name}`);
      // `expect` has ruled undefined out, which an indexed type does not show.
      return fact as Facts[typeof name];
    },
    send: (method, path, sent) => send(method, new URL(path, base), sent),
  };
}

function readDemo(file: string): Demo {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Demo;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Surprise(`the demo account's secrets cannot be read (${reason}). The first \`npm start\` writes them.`);
  }
}

/** The Authorization header of a client with a secret (RFC 7617). */
export function basic({ client_id, client_secret }: Pick<RegisteredClient, 'client_id' | 'client_secret'>): {
  authorization: string;
} {
  return { authorization: `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}` };
}

/** The Authorization header of a token (RFC 6750). */
export function bearer(token: string): { authorization: string } {
  return { authorization: `Bearer ${token}` };
}
