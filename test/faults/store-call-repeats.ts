/** Requests with `Idempotency-Key` for `store-calls.ts`: whatever fails, what is asked again is done once. */

import assert from 'node:assert/strict';
import { unique } from '../store/samples.ts';
import type { Answer } from '../support/conforms.ts';
import type { FaultyApp } from '../support/faults.ts';
import { redirectUri } from '../support/sign-in.ts';
import { stageOf } from './store-call-stage.ts';
import type { Operation } from './store-calls.ts';

const minute = 60_000;

interface Repeated extends Pick<Operation, 'title' | 'surface' | 'operationId'> {
  readonly path: string;
  readonly authorized: boolean;
  readonly bodyOf: (name: string) => object;
  /** How many of the name there are. */
  readonly count: (app: FaultyApp, name: string) => Promise<number>;
}

async function repeated({ path, authorized, bodyOf, count }: Repeated, app: FaultyApp) {
  const { bearer } = await stageOf(app);
  const [name, key] = [unique('repeated'), unique('key')];
  const headers = { 'idempotency-key': key, ...(authorized && { authorization: `Bearer ${bearer}` }) };
  const send = () => app.send('POST', path, { headers, json: bodyOf(name) });
  return {
    send,
    settle: async (again: Answer, { verb, when }: { verb: string; when: string }) => {
      // Lost is at most the answer to work that was done.
      const isLost = verb === 'transaction' && when === 'afterwards';
      const isKept = !isLost && verb !== 'keptAnswers.keep';
      if (isKept) assert.equal(again.status, 201, `${verb} ${when}: ${again.text}`);
      app.services.clock.advance(minute);
      assert.equal((await send()).status, again.status);
      assert.equal(await count(app, name), 1);
    },
  };
}

function operation(one: Repeated): Operation {
  const { title, surface, operationId } = one;
  return {
    ...{ title, surface, operationId, status: 201, again: 409, unnoticed: /^keptAnswers\.(keep|trim)$/ },
    prepare: (app) => repeated(one, app),
  };
}

const listed = { limit: 100, sort: { field: 'id', descending: false }, at: { page: 1 } } as const;

export const repeatedOperations: readonly Operation[] = [
  operation({
    title: 'a role with a key',
    surface: 'api-2',
    operationId: 'createRole',
    path: '/api/2/roles',
    authorized: true,
    bodyOf: (name) => ({ name }),
    count: async ({ services, account }, name) =>
      (await services.store.roles.page(account.id, { ...listed, filters: [] })).items.filter((one) => one.name === name)
        .length,
  }),
  operation({
    title: 'a registration with a key',
    surface: 'oauth2',
    operationId: 'registerClient',
    path: '/oauth2/register',
    authorized: false,
    bodyOf: (name) => ({ client_name: name, redirect_uris: [redirectUri] }),
    count: async ({ services, account }, name) => {
      const { items } = await services.store.clients.pageApps(account.id, { ...listed, filters: [] });
      return items.filter((one) => one.name === name).length;
    },
  }),
];
