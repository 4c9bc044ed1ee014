/** Hooks for `store-calls.ts`: the operations on them, and the sign-ins in which they fire. */

import assert from 'node:assert/strict';
import { createRole } from '../../src/domain/roles/write-role.ts';
import { unique } from '../store/samples.ts';
import type { Answer } from '../support/conforms.ts';
import type { FaultyApp } from '../support/faults.ts';
import { recordRun } from '../support/hook-runs.ts';
import { authorizePath, CookieJar, makeUser, password, readForm, walk } from '../support/sign-in.ts';
import { stageOf } from './store-call-stage.ts';
import type { Attempt, Operation } from './store-calls.ts';

async function call(app: FaultyApp, method: string, path: string, json?: object): Promise<Answer> {
  const { bearer } = await stageOf(app);
  const headers = { authorization: `Bearer ${bearer}` };
  return app.send(method, `/api/2${path}`, { headers, ...(json && { json }) });
}

async function make(app: FaultyApp, path: string, json: object): Promise<string> {
  const answer = await call(app, 'POST', path, json);
  assert.equal(answer.status, 201, answer.text);
  return String(answer.body.id);
}

const idle = { type: 'pre-authentication', function: '' };
const named = () => ({ name: unique('VARIABLE').replaceAll('-', '_'), value: 'value' });

interface Managed {
  readonly title: string;
  readonly operationId: string;
  readonly method: string;
  /** What the request is about; null: the collection. */
  readonly of: (app: FaultyApp) => Promise<string | null>;
  readonly path: (id: string | null) => string;
  readonly json?: () => object;
  readonly status: number;
  readonly again?: number;
}

/** A management request; its object is deleted afterwards, since an account may have only a limited number. */
function managed({ title, operationId, method, of, path, json, status, again }: Managed): Operation {
  const prepare = async (app: FaultyApp): Promise<Attempt> => {
    const id = await of(app);
    const sent = json?.();
    return {
      send: () => call(app, method, path(id), sent),
      settle: async () => {
        const collection = path(null).startsWith('/hooks/envs') ? '/hooks/envs' : '/hooks';
        const listed = await call(app, 'GET', `${collection}?sort=-created_at`);
        assert.equal(listed.status, 200, listed.text);
        const gone = listed.body.some((one: { readonly id: string }) => one.id === id);
        if (method === 'DELETE') assert.equal(gone, false, 'it is still there');
        // Hooks that do something are those of the sign-ins.
        for (const one of listed.body.filter((one: { readonly function?: string }) => !one.function)) {
          await call(app, 'DELETE', `${collection}/${one.id}`);
        }
      },
    };
  };
  return { title, surface: 'api-2', operationId, status, ...(again !== undefined && { again }), prepare };
}

const hook = (app: FaultyApp) => make(app, '/hooks', idle);
async function writtenTwice(app: FaultyApp): Promise<string> {
  const id = await hook(app);
  assert.equal((await call(app, 'PUT', `/hooks/${id}`, idle)).status, 200);
  return id;
}

async function drafted(app: FaultyApp): Promise<string> {
  const id = await hook(app);
  assert.equal((await call(app, 'PUT', `/hooks/${id}/draft`, { function: '' })).status, 200);
  return id;
}

const variable = (app: FaultyApp) => make(app, '/hooks/envs', named());
const hookPath = (id: string | null) => `/hooks${id === null ? '' : `/${id}`}`;
const variablePath = (id: string | null) => `/hooks/envs${id === null ? '' : `/${id}`}`;
const nothing = async () => null;

interface Hooked {
  /** In whose sign-in a hook chooses a policy. */
  readonly chosen: string;
  /** Whose sign-in a hook refuses. */
  readonly refused: string;
}

const hooked = new WeakMap<FaultyApp, Promise<Hooked>>();

/** Users with a hook each; everybody else passes these by. */
function usersOf(app: FaultyApp): Promise<Hooked> {
  const known = hooked.get(app) ?? gather(app);
  hooked.set(app, known);
  return known;
}

async function gather(app: FaultyApp): Promise<Hooked> {
  const policy = await make(app, '/policies', { name: 'Chosen by a hook' });
  return {
    chosen: await userWithHook(app, `return { user: { policy_id: ${policy} } };`),
    refused: await userWithHook(app, 'return { success: false };'),
  };
}

async function userWithHook(app: FaultyApp, body: string): Promise<string> {
  const { client } = await stageOf(app);
  const role = await createRole(app.services, app.account, { name: unique('Hooked') });
  const { id, email } = await makeUser(app, client.app_id);
  const joined = await call(app, 'POST', `/roles/${role.id}/users`, [id]);
  assert.ok(joined.status < 300, joined.text);
  const source = Buffer.from(`exports.handler = async () => { ${body} };`).toString('base64');
  const conditions = [{ source: 'roles', operator: '~', value: role.name }];
  await make(app, '/hooks', { ...idle, function: source, conditions });
  return email ?? '';
}

/** A sign-in in which a hook runs; where its answer is lost, the records of two runs are whole. */
function signIn(of: keyof Hooked, given: Pick<Operation, 'title' | 'status'> & Partial<Operation>): Operation {
  const prepare = async (app: FaultyApp): Promise<Attempt> => {
    const { client } = await stageOf(app);
    const username = (await usersOf(app))[of];
    const { jar, answer } = await walk(app, new CookieJar(), authorizePath(client));
    const { action, fields } = readForm(answer.text);
    const form = { ...fields, username, password };
    return { send: () => app.send('POST', action, { headers: jar.header, form }) };
  };
  return { surface: 'pages', operationId: 'signIn', prepare, ...given };
}

export const hookOperations: readonly Operation[] = [
  managed({
    title: 'creation of a hook',
    operationId: 'createHook',
    method: 'POST',
    of: nothing,
    path: hookPath,
    json: () => idle,
    status: 201,
  }),
  managed({
    title: 'replacement of a hook',
    operationId: 'replaceHook',
    method: 'PUT',
    of: hook,
    path: hookPath,
    json: () => ({ ...idle, disabled: true }),
    status: 200,
  }),
  managed({
    title: 'deletion of a hook',
    operationId: 'deleteHook',
    method: 'DELETE',
    of: hook,
    path: hookPath,
    status: 202,
    again: 404,
  }),
  managed({
    title: 'log of a hook',
    operationId: 'listHookLogs',
    method: 'GET',
    of: hook,
    path: (id) => `${hookPath(id)}${id === null ? '' : '/logs'}`,
    status: 200,
  }),
  managed({
    title: 'test run of a hook',
    operationId: 'testHook',
    method: 'POST',
    of: hook,
    path: (id) => `${hookPath(id)}${id === null ? '' : '/test'}`,
    json: () => ({}),
    status: 200,
  }),
  managed({
    title: 'rollback of a hook',
    operationId: 'rollBackHook',
    method: 'POST',
    of: writtenTwice,
    path: (id) => `${hookPath(id)}${id === null ? '' : '/rollback'}`,
    json: () => ({}),
    status: 200,
  }),
  managed({
    title: 'promotion of a draft',
    operationId: 'promoteHookDraft',
    method: 'POST',
    of: drafted,
    path: (id) => `${hookPath(id)}${id === null ? '' : '/draft/promote'}`,
    status: 200,
    // Done, and there is no draft any more.
    again: 404,
  }),
  managed({
    title: 'replay of a run',
    operationId: 'replayHookRun',
    method: 'POST',
    of: async (app) => {
      const id = await hook(app);
      return `${id}/logs/${await recordRun(app, id)}/replay`;
    },
    path: hookPath,
    json: () => ({}),
    status: 200,
  }),
  managed({
    title: 'creation of a variable',
    operationId: 'createHookVariable',
    method: 'POST',
    of: nothing,
    path: variablePath,
    json: named,
    status: 201,
    // Made, and its name is taken from then on.
    again: 422,
  }),
  managed({
    title: 'change of a variable',
    operationId: 'updateHookVariable',
    method: 'PUT',
    of: variable,
    path: variablePath,
    json: () => ({ value: 'another' }),
    status: 200,
  }),
  managed({
    title: 'deletion of a variable',
    operationId: 'deleteHookVariable',
    method: 'DELETE',
    of: variable,
    path: variablePath,
    status: 204,
    again: 404,
  }),
  // Signed in, and the browser did not get its new cookie: the page says that this sign-in has ended.
  signIn('chosen', { title: 'sign-in for which a hook chooses a policy', status: 303, again: 400 }),
  signIn('refused', { title: 'sign-in that a hook refuses', status: 403 }),
];
