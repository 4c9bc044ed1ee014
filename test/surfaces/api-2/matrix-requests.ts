/** Requests of the matrix: right ones, made from the contract's examples and from what is there. */

import { administratorScopes, credentialScopes } from '../../../src/domain/callers/scopes.ts';
import { Fixtures } from '../../properties/fixtures.ts';
import { managed } from '../../properties/live-management.ts';
import type { Operation } from '../../properties/operations.ts';
import type { Members } from '../../properties/requests.ts';
import { encode, type Prepared, prepare } from '../../properties/wire.ts';
import type { TestApp } from '../../support/app.ts';
import type { Answer } from '../../support/conforms.ts';
import { type AtConsole, atConsole, makeAdministrator, sendWithProof } from '../../support/console.ts';

/** Two accounts with callers. */
export interface Stage {
  readonly app: TestApp;
  readonly fixtures: Fixtures;
  readonly other: Fixtures;
  readonly foreignToken: string;
  /** A token of each scope. */
  readonly tokens: ReadonlyMap<string, string>;
  /** Who has each scope that users can have, with a token that is bound to a key. */
  readonly administrators: ReadonlyMap<string, AtConsole>;
  readonly foreignAdministrator: AtConsole;
}

export async function prepareStage(app: TestApp): Promise<Stage> {
  const another = await app.another({ 'limit.api-2': 'off' });
  const [token, foreignToken] = [await app.bearer('manage_all'), await another.bearer('manage_all')];
  const tokens = new Map<string, string>();
  for (const scope of credentialScopes) tokens.set(scope, await app.bearer(scope));
  const administrators = new Map<string, AtConsole>();
  for (const scope of administratorScopes) {
    administrators.set(scope, await atConsole(app, await makeAdministrator(app, [scope])));
  }
  return {
    app,
    fixtures: new Fixtures(app, async () => token),
    other: new Fixtures(another, async () => foreignToken),
    foreignToken,
    tokens,
    administrators,
    foreignAdministrator: await atConsole(another, await makeAdministrator(another)),
  };
}

/** A request that is right in all but what the caller changes. */
export async function requestOf({ app, fixtures }: Stage, operation: Operation, scope: string): Promise<Prepared> {
  const [media] = operation.media;
  const example = media?.examples[0];
  const plan = {
    operation,
    freedom: 'example',
    scheme: { name: 'bearer', scopes: [scope] },
    method: operation.method,
    slash: false,
    path: {},
    query: [],
    headers: [],
    mediaType: media?.type ?? null,
    body: media ? (Array.isArray(example) ? {} : (example as Members)) : null,
    items: Array.isArray(example) ? example : null,
    pick: 1,
  } as const;
  const { live } = await managed(fixtures, plan);
  return prepare(plan, live, new URL(app.account.baseUrl).host);
}

/** Sends it; `raw` in place of its body. */
export function send(
  { app }: Stage,
  request: Prepared,
  caller: string | AtConsole | null,
  raw?: { text: string; type?: string },
): Promise<Answer> {
  const { method, target, body } = encode(request);
  const type = raw?.type ?? request.mediaType;
  const headers = {
    ...(typeof caller === 'string' && { authorization: `Bearer ${caller}` }),
    ...(type !== null && { 'content-type': type }),
  };
  const content = raw ? Buffer.from(raw.text) : body;
  const sent = { headers, ...(content && { raw: content }) };
  if (caller === null || typeof caller === 'string') return app.send(method, target, sent);
  return sendWithProof(app, caller, method, target, {}, sent);
}
