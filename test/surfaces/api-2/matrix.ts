/**
 * Every operation of the contract with every kind of caller, id and body (I1, I2, I4): made from the contract alone, so
 * that a new operation is a row of the matrix, or fails here.
 */

import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { administratorScopes, credentialScopes } from '../../../src/domain/callers/scopes.ts';
import { type Operation, operationsOf } from '../../properties/operations.ts';
import type { Prepared } from '../../properties/wire.ts';
import type { TestApp } from '../../support/app.ts';
import type { Answer } from '../../support/conforms.ts';
import type { AtConsole } from '../../support/console.ts';
import { isSampled } from '../../support/sample.ts';
import { assertRefused } from './managing.ts';
import { prepareStage, requestOf, type Stage, send } from './matrix-requests.ts';

export const allOperations = operationsOf(['api-2']);
const unknownId = '2147483647';

/** What does not depend on the scope of the caller. */
const columns = [
  'no token',
  'unknown token',
  "other account's token",
  "other account's administrator",
  'unknown id',
  "other account's id",
  'bad body',
  'body of another kind',
  'unknown member',
  'wrong media type',
] as const;

type Column = (typeof columns)[number];

/** What an administrator with this scope gets, by a token that is bound to a key. */
const administratorColumns = administratorScopes.map((scope) => `administrator ${scope}`);

/** A status; null where the operation has nothing that could be so, or where a drill asks. */
type Cells = Record<string, number | null>;

/** Operations that ignore unknown members: other services' clients send back everything they read. */
const ignoring: ReadonlySet<string> = new Set([
  'createUser',
  'updateUser',
  'createApp',
  'updateApp',
  // A context may hold anything.
  'testHook',
]);

/** Paths that are the same in every account: what they lead to is the caller's own. */
const ofEveryAccount: ReadonlySet<string> = new Set(['/api/2/account-settings/{name}']);

/** All operations, or some of them: who may do what is decided before the store is asked. */
export function matrix(app: () => TestApp, operations: readonly Operation[] = allOperations): void {
  const rows = new Map<string, Cells>();
  let stage: Stage;

  before(async () => {
    stage = await prepareStage(app());
  });

  for (const [index, operation] of operations.entries()) {
    it(`${operation.operationId}: each caller, id and body gets the documented answer`, async () => {
      rows.set(operation.operationId, {
        ...(await askAsEach(stage, operation, index, stage.tokens)),
        ...(await askAsEach(stage, operation, index, stage.administrators, 'administrator ')),
        ...(await askWrongly(stage, operation)),
      });
    });
  }

  it('omits no operation, scope or case', (t) => {
    for (const line of tableOf(rows)) t.diagnostic(line);
    for (const [index, operation] of operations.entries()) {
      const { operationId } = operation;
      const cells = rows.get(operationId) ?? {};
      assert.deepEqual(
        Object.keys(cells).toSorted(),
        [...credentialScopes, ...administratorColumns, ...columns].toSorted(),
        operationId,
      );
      const permitted = permittedBy(operation);
      for (const [kind, scopes] of [
        ['', credentialScopes],
        ['administrator ', administratorScopes],
      ] as const) {
        const statuses = (some: readonly string[]) => some.map((scope) => cells[kind + scope] ?? null);
        const refused = statuses(scopes.filter((scope) => !permitted.includes(scope)));
        assert.ok(
          refused.every((status) => status === 403),
          `${operationId}: ${kind}${refused}`,
        );
        const allowed = statuses(scopes.filter((scope) => permitted.includes(scope)));
        const asked = allowed.filter((status) => status !== null);
        const least = isSampled(index, 6) ? allowed.length : Math.min(allowed.length, 1);
        assert.ok(asked.length >= least, `${operationId}: ${kind}${allowed}`);
      }
    }
  });
}

function permittedBy({ security }: Operation): string[] {
  return security.flatMap((scheme) => scheme?.scopes ?? []);
}

/**
 * Each scope permits what the contract says and nothing else; callers without one get an error. Of an administrator,
 * whose token holds no scopes, those of the user count. Each scope that is not permitted is tried; of those that are,
 * one, by turns, and all of them for one operation in six.
 */
async function askAsEach(
  stage: Stage,
  operation: Operation,
  index: number,
  callers: ReadonlyMap<string, string | AtConsole>,
  kind = '',
): Promise<Cells> {
  const permitted = permittedBy(operation);
  assert.ok(permitted.length > 0, 'everyone is let in');
  const success = Number(operation.statuses.find((status) => status.startsWith('2')));
  const those = [...callers.keys()];
  const cells: Cells = Object.fromEntries(those.map((scope) => [kind + scope, null]));
  const allowed = those.filter((scope) => permitted.includes(scope));
  for (const [at, scope] of allowed.entries()) {
    if (!isSampled(index, 6) && at !== index % allowed.length) continue;
    const answer = await send(stage, await requestOf(stage, operation, scope), callers.get(scope) ?? null);
    assert.equal(answer.status, success, `${kind}${scope}: ${answer.text}`);
    cells[kind + scope] = answer.status;
  }
  const refused = those.filter((scope) => !permitted.includes(scope));
  const [first] = refused;
  if (first === undefined) return cells;
  // A refused request changes nothing, so the others can send it again.
  const request = await requestOf(stage, operation, first);
  for (const scope of refused) {
    const answer = await send(stage, request, callers.get(scope) ?? null);
    assertRefused(answer, 403, new RegExp(`^One of these scopes is required: ${permitted.join(', ')}$`), kind + scope);
    cells[kind + scope] = answer.status;
  }
  return cells;
}

async function askWrongly(stage: Stage, operation: Operation): Promise<Record<Column, number | null>> {
  const request = await requestOf(stage, operation, 'manage_all');
  const token = stage.tokens.get('manage_all') ?? '';
  const refused = async (status: number, message: RegExp, answer: Promise<Answer>) => {
    assertRefused(await answer, status, message, operation.operationId);
    return status;
  };
  const stranger = /^The request requires user authentication\.$/;
  const unknown = { ...request, path: Object.fromEntries(Object.keys(request.path).map((name) => [name, unknownId])) };
  const { parameters } = await stage.other.fill(operation.template, operation.method === 'DELETE');
  const isVariable = operation.operationId === 'updateHookVariable';
  const nowhere = isVariable ? /^Invalid env record ID$/ : /^The resource with the given id could not be found$/;
  const notFound = isVariable ? 400 : 404;
  const hasId = operation.template.includes('{');
  return {
    'no token': await refused(401, stranger, send(stage, request, null)),
    'unknown token': await refused(401, stranger, send(stage, request, 'ct_1_unknown')),
    "other account's token": await refused(401, stranger, send(stage, request, stage.foreignToken)),
    "other account's administrator": await refused(
      401,
      /^The token is unknown, expired or revoked\.$/,
      send(stage, request, stage.foreignAdministrator),
    ),
    'unknown id': hasId ? await refused(notFound, nowhere, send(stage, unknown, token)) : null,
    "other account's id":
      hasId && !ofEveryAccount.has(operation.template)
        ? await refused(notFound, nowhere, send(stage, { ...request, path: parameters }, token))
        : null,
    ...(await askWithBodies(stage, operation, request, token)),
  };
}

type BodyColumn = Extract<Column, `${string}body${string}` | 'unknown member' | 'wrong media type'>;

async function askWithBodies(
  stage: Stage,
  operation: Operation,
  request: Prepared,
  token: string,
): Promise<Record<BodyColumn, number | null>> {
  const none = { 'bad body': null, 'body of another kind': null, 'unknown member': null, 'wrong media type': null };
  if (!request.body) return none;
  const takesList = request.items !== null;
  const answers = {
    'bad body': [400, await send(stage, request, token, { text: '{' })],
    'body of another kind': [
      takesList ? 400 : 422,
      await send(stage, request, token, { text: takesList ? '{}' : '[]' }),
    ],
    'wrong media type': [415, await send(stage, request, token, { text: '{}', type: 'text/plain' })],
  } as const;
  for (const [status, answer] of Object.values(answers)) assertRefused(answer, status, /./, operation.operationId);
  return {
    'bad body': 400,
    'body of another kind': answers['body of another kind'][0],
    'wrong media type': 415,
    'unknown member': takesList ? null : await askWithUnknownMember(stage, operation, request, token),
  };
}

async function askWithUnknownMember(
  stage: Stage,
  { operationId }: Operation,
  request: Prepared,
  token: string,
): Promise<number> {
  const body = { ...request.body, no_member_of_it: 1 };
  const answer = await send(stage, { ...request, body }, token);
  if (ignoring.has(operationId))
    assert.ok(answer.status < 300 && !answer.text.includes('no_member_of_it'), answer.text);
  else assertRefused(answer, 422, /no_member_of_it/, operationId);
  return answer.status;
}

function tableOf(rows: ReadonlyMap<string, Cells>): string[] {
  const names = [...credentialScopes, ...administratorColumns, ...columns];
  const width = Math.max(...[...rows.keys()].map(({ length }) => length));
  const line = (first: string, cell: (name: string) => string) =>
    `${first.padEnd(width)}  ${names.map((name) => cell(name).padStart(name.length)).join('  ')}`;
  return [
    line('', (name) => name),
    ...[...rows].map(([operationId, cells]) => line(operationId, (name) => String(cells[name] ?? '-'))),
  ];
}
