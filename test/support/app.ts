/**
 * The whole application over a fresh database, with a clock the test moves; every answer is held against the contract.
 */

import { once } from 'node:events';
import { Agent, createServer, type Server } from 'node:http';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { Express } from 'express';
import supertest from 'supertest';
import { type AppOptions, createApp } from '../../src/app.ts';
import type { Account } from '../../src/domain/accounts/account.ts';
import { issueCredentialToken } from '../../src/domain/callers/credential-tokens.ts';
import { createCredential } from '../../src/domain/callers/credentials.ts';
import type { CredentialScope } from '../../src/domain/callers/scopes.ts';
import { shadowsSettled } from '../../src/domain/hooks/shadow.ts';
import { type Answer, conforms } from './conforms.ts';
import { createTestAccount, type TestParts, type TestServices, testServices } from './services.ts';
import { openTestStore, type TestStore } from './stores.ts';
import { bodyOf } from './wire.ts';

export interface Sent {
  readonly headers?: Readonly<Record<string, string>>;
  /** Members of a form; a list of pairs or a text can repeat a name. */
  readonly form?: Readonly<Record<string, string>> | readonly (readonly [string, string])[] | string;
  readonly json?: unknown;
  /** A body as raw text; say its media type in `headers`. */
  readonly raw?: string | Buffer;
  /** Another Host than the account's. */
  readonly host?: string;
}

export interface TestApp {
  readonly app: Express;
  readonly services: TestServices;
  readonly account: Account;
  /** Sends one request to the account's host and checks that the answer conforms. Redirects are not followed. */
  send(method: string, path: string, sent?: Sent): Promise<Answer>;
  /** A bearer token of a new credential with these scopes. */
  bearer(...scopes: CredentialScope[]): Promise<string>;
  /** URL of its database, for tests that look at the rows themselves. */
  readonly url: string;
  /** The same application, seen from a new account of its own. */
  another(settings?: Readonly<Record<string, string>>): Promise<TestApp>;
  dispose(): Promise<void>;
}

/**
 * Opens the application on a fresh, migrated database of the kind. Limits are the defaults unless `settings` says
 * otherwise.
 */
export async function openTestApp(
  kind: 'sqlite' | 'postgres',
  options: {
    settings?: Readonly<Record<string, string>>;
    app?: AppOptions;
    services?: TestParts;
  } = {},
): Promise<TestApp> {
  const opened = await openTestStore(kind);
  const services = await testServices(opened.store, options.services);
  const account = await createTestAccount(services, { settings: options.settings ?? {} });
  const dispose = async () => {
    await services.packageBuilds.stop();
    await shadowsSettled(services.hooks);
    await services.hooks.close();
    await opened.dispose();
  };
  return seenFrom(account, createApp(services, options.app), services, { url: opened.url, dispose });
}

/** The application as callers of one account see it. */
export function seenFrom(
  account: Account,
  app: Express,
  services: TestServices,
  { url, dispose: end }: Pick<TestStore, 'url' | 'dispose'>,
): TestApp {
  const dispose = async () => {
    const opened = await servers.get(app);
    opened?.agent.destroy();
    opened?.server.close();
    await end();
  };
  const { host } = new URL(account.baseUrl);
  return {
    app,
    services,
    account,
    url,
    send: (method, path, sent = {}) => send(app, host, method, path, sent),
    bearer: async (...scopes) => {
      const pair = await createCredential(services, account, scopes);
      const credential = await services.store.callers.findCredential(account.id, pair.clientId);
      if (!credential) throw new Error('the credential was not stored');
      return (await issueCredentialToken(services, account, credential)).accessToken;
    },
    another: async (settings = {}) =>
      seenFrom(await createTestAccount(services, { settings }), app, services, { url, dispose: end }),
    dispose,
  };
}

/** Sends one request and checks that the answer conforms. */
async function send(
  app: Express,
  host: string,
  method: string,
  path: string,
  { headers = {}, host: otherHost, ...content }: Sent,
): Promise<Answer> {
  const verb = method.toLowerCase() as 'get' | 'post' | 'put' | 'delete' | 'head' | 'options' | 'patch';
  const { server, agent } = await listening(app);
  const request = supertest(server)
    [verb](path)
    .agent(agent)
    .redirects(0)
    .ok(() => true)
    .set('host', otherHost ?? host)
    .buffer(true)
    .parse((res, done) => {
      buffer(res as unknown as Readable).then(
        (body) => done(null, body),
        (error: Error) => done(error, null),
      );
    })
    // It would write bytes as JSON where the media type says JSON.
    .serialize((body) => body);
  if (content.form !== undefined) request.set('content-type', 'application/x-www-form-urlencoded');
  if (content.json !== undefined) request.set('content-type', 'application/json');
  for (const [name, value] of Object.entries(headers)) request.set(name, value);
  const body = bodyOf(content);
  const response = await (body === undefined ? request : request.send(body));
  const text = Buffer.isBuffer(response.body) ? response.body.toString('utf8') : '';
  const isJson = String(response.headers['content-type'] ?? '').startsWith('application/json');
  const answer: Answer = {
    status: response.status,
    headers: response.headers as unknown as Answer['headers'],
    text,
    body: isJson && text !== '' ? JSON.parse(text) : undefined,
  };
  conforms(method, path, answer);
  return answer;
}

interface Listening {
  readonly server: Server;
  readonly agent: Agent;
}

const servers = new WeakMap<Express, Promise<Listening>>();

/** One for all requests to an application: to start another, or to connect again, costs more than most requests. */
function listening(app: Express): Promise<Listening> {
  const server = servers.get(app) ?? startServer(app);
  servers.set(app, server);
  return server;
}

async function startServer(app: Express): Promise<Listening> {
  const server = createServer({ keepAliveTimeout: 0 }, app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  // Connections open at the end must not delay a test.
  server.on('connection', (socket) => socket.unref());
  return { server: server.unref(), agent: new Agent({ keepAlive: true }) };
}

export { basic } from './basic.ts';
