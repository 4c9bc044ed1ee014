/** What every example of a resource server does with good and bad tokens, whatever it is written in. */

import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { UnsecuredJWT } from 'jose';
import { freePort } from '../support/process.ts';
import { until } from '../support/until.ts';
import { type Issuer, openIssuer } from './issuer.ts';

export interface Program {
  readonly command: readonly string[];
  readonly cwd: string;
}

export interface RunningApi {
  /** `http://localhost:<port>`. */
  readonly base: string;
  close(): Promise<void>;
}

/** Starts an example's API and waits until it answers. */
export async function startApi(
  { command: [file = '', ...args], cwd }: Program,
  port: number,
  env: Readonly<Record<string, string>>,
): Promise<RunningApi> {
  const child: ChildProcess = spawn(file, args, {
    cwd,
    env: { PATH: process.env['PATH'], PORT: String(port), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'close');
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (written: string) => {
      output += written;
    });
  }
  const stop = () => child.kill('SIGKILL');
  process.once('exit', stop);
  const base = `http://localhost:${port}`;
  await until(async () => {
    if (child.exitCode !== null) assert.fail(`it ended:\n${output}`);
    return (await fetch(`${base}/orders`).catch(() => null)) !== null;
  });
  return {
    base,
    close: async () => {
      stop();
      process.off('exit', stop);
      await ended;
    },
  };
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

interface Refusal {
  readonly status: number;
  readonly scheme: string;
  readonly parameters: Readonly<Record<string, string>>;
}

export async function refusalOf(answer: Response): Promise<Refusal> {
  await answer.arrayBuffer();
  const header = answer.headers.get('www-authenticate') ?? '';
  const parameters = [...header.matchAll(/([a-z_]+)="([^"]*)"/g)].map(([, name = '', value = '']) => [name, value]);
  return { status: answer.status, scheme: header.split(' ')[0] ?? '', parameters: Object.fromEntries(parameters) };
}

/** Runs the program before an authorization server of the test, and everything that all examples have in common. */
export async function withExample(
  program: Program,
  env: (issuer: Issuer) => Readonly<Record<string, string>>,
  check: (api: RunningApi, issuer: Issuer) => Promise<void>,
): Promise<void> {
  const port = await freePort();
  const issuer = await openIssuer(`http://localhost:${port}/orders`);
  try {
    const api = await startApi(program, port, { GATEHOUSE_METADATA: issuer.metadataUrl, ...env(issuer) });
    try {
      await check(api, issuer);
    } finally {
      await api.close();
    }
  } finally {
    issuer.close();
  }
}

/** Checks of JWTs (RFC 9068 §4), challenges (RFC 6750 §3, RFC 9728 §5.1), and metadata (RFC 9728 §3). */
export async function checkJwts({ base }: RunningApi, issuer: Issuer): Promise<void> {
  const orders = `${base}/orders`;
  const wellKnown = `${base}/.well-known/oauth-protected-resource/orders`;
  const told = { resource_metadata: wellKnown };
  const none = await refusalOf(await fetch(orders));
  assert.deepEqual(none, { status: 401, scheme: 'Bearer', parameters: { ...told, scope: 'orders:read' } });
  const metadata = await fetch(wellKnown);
  assert.deepEqual([metadata.status, await metadata.json()], [200, issuer.metadata]);
  assert.equal(metadata.headers.get('access-control-allow-origin'), '*');

  const good = await issuer.token();
  const admitted = await fetch(orders, { headers: bearer(good) });
  assert.deepEqual([admitted.status, ((await admitted.json()) as { for: unknown }).for], [200, '7']);
  const list = await fetch(orders, { headers: bearer(await issuer.token({ aud: ['other', `${base}/orders`] })) });
  assert.equal(list.status, 200, await list.text());

  const past = Math.floor(Date.now() / 1000) - 120;
  const bad: Readonly<Record<string, string>> = {
    'no JWT': 'opaque',
    'a JWT that nests without end': nested,
    'another audience': await issuer.token({ aud: `${base}/orders/` }),
    'another issuer': await issuer.token({ iss: `${issuer.issuer}/` }),
    expired: await issuer.token({ exp: past }),
    'without an end': await issuer.token({ exp: undefined } as never),
    'an id token': await issuer.token({}, { typ: 'JWT' }),
    'a foreign key': await issuer.token({}, {}, true),
    'a key without a name, where there are several': await issuer.token({}, { kid: undefined } as never, true),
    'a type that is no text': await issuer.token({}, { typ: 5 } as never),
    'no signature': new UnsecuredJWT({ ...JSON.parse(atob(good.split('.')[1] ?? '')) }).encode(),
    'a changed scope': changed(good),
    'bound to a key, sent without it': await issuer.token({ cnf: { jkt: 'x'.repeat(43) } } as never),
    'bound to a certificate': await issuer.token({ cnf: { 'x5t#S256': 'x'.repeat(43) } } as never),
    'bound to nothing that is known': await issuer.token({ cnf: {} } as never),
  };
  for (const [what, token] of Object.entries(bad)) {
    const { status, parameters } = await refusalOf(await fetch(orders, { headers: bearer(token) }));
    assert.deepEqual(
      [status, parameters['error'], parameters['resource_metadata']],
      [401, 'invalid_token', wellKnown],
      what,
    );
  }
  const asked = issuer.keysAsked;
  for (let number = 0; number < 20; number += 1) {
    const invented = await issuer.token({}, { kid: `invented-${number}` }, true);
    assert.equal((await fetch(orders, { headers: bearer(invented) })).status, 401);
  }
  assert.ok(issuer.keysAsked - asked <= 1, `keys are asked for ${issuer.keysAsked - asked} times by invented names`);
  for (const authorization of ['Basic YTpi', 'Bearer', `Bearer ${good} ${good}`]) {
    assert.equal((await fetch(orders, { headers: { authorization } })).status, 401, authorization);
  }

  const more = await refusalOf(await fetch(orders, { method: 'POST', headers: bearer(good) }));
  assert.deepEqual([more.status, more.parameters['error']], [403, 'insufficient_scope']);
  for (const scope of ['orders:read', 'orders:write']) assert.ok(more.parameters['scope']?.split(' ').includes(scope));
  assert.equal(more.parameters['resource_metadata'], wellKnown);
  const writer = await issuer.token({ scope: 'orders:read orders:write' });
  assert.equal((await fetch(orders, { method: 'POST', headers: bearer(writer) })).status, 201);
  const similar = await issuer.token({ scope: 'orders:reader xorders:read' });
  assert.equal((await fetch(orders, { headers: bearer(similar) })).status, 403);
}

/** With a header that a reader which calls itself does not survive. */
export const nested = `${Buffer.from('['.repeat(2000) + ']'.repeat(2000)).toString('base64url')}.e30.AA`;

/** The same signature over other claims. */
function changed(token: string): string {
  const [header, payload = '', signature] = token.split('.');
  const claims = { ...JSON.parse(Buffer.from(payload, 'base64url').toString()), scope: 'orders:read orders:write' };
  return [header, Buffer.from(JSON.stringify(claims)).toString('base64url'), signature].join('.');
}

/** Introspection (RFC 7662): the service says what a token is worth now. */
export async function checkIntrospection({ base }: RunningApi, issuer: Issuer): Promise<void> {
  const orders = `${base}/orders`;
  const usual = { active: true, iss: issuer.issuer, aud: orders, sub: '7', scope: 'orders:read' };
  issuer.active.set('good', usual);
  issuer.active.set('for-another', { ...usual, aud: 'https://elsewhere.example' });
  issuer.active.set('of-another', { ...usual, iss: 'https://elsewhere.example' });
  const status = async (token: string) => (await fetch(orders, { headers: bearer(token) })).status;
  assert.equal(await status('good'), 200);
  assert.equal(issuer.askedWith, `Basic ${btoa('an%20id:a%3Asecret')}`);
  for (const token of ['for-another', 'of-another', 'unknown', await issuer.token()])
    assert.equal(await status(token), 401);
  issuer.active.delete('good');
  assert.equal(await status('good'), 401, 'a revocation counts at once');
}
