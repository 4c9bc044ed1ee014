/** `ETag` and `If-Match`: every operation that documents 412, made from the contract, and writers that race. */

import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { type Operation, operationsOf } from '../../properties/operations.ts';
import { encode, type Prepared } from '../../properties/wire.ts';
import { unique } from '../../store/samples.ts';
import type { TestApp } from '../../support/app.ts';
import type { Answer } from '../../support/conforms.ts';
import { contracts } from '../../support/conforms.ts';
import { isSampled, runsOf, sampled } from '../../support/sample.ts';
import { assertRefused, type Management, managing, newUser } from './managing.ts';
import { prepareStage, requestOf, type Stage } from './matrix-requests.ts';

const operations = operationsOf(['api-2']);
const conditional = operations.filter(({ statuses }) => statuses.includes('412'));
const changed = /^The resource was changed meanwhile; read it again and send its new ETag$/;
const rounds = runsOf(20);

/** Sends a prepared request, with `If-Match` unless it is undefined. */
function send({ app, tokens }: Stage, request: Prepared, ifMatch?: string): Promise<Answer> {
  const { method, target, body } = encode(request);
  const headers = {
    authorization: `Bearer ${tokens.get('manage_all')}`,
    ...(request.mediaType !== null && { 'content-type': request.mediaType }),
    ...(ifMatch !== undefined && { 'if-match': ifMatch }),
  };
  return app.send(method, target, { headers, ...(body && { raw: body }) });
}

const isReader = (one: Operation, template: string) => one.template === template && one.method === 'GET';

/** What the `GET` of the same path answers, or the one that the operation names. */
async function read(stage: Stage, { path }: Prepared, { operationId, template }: Operation): Promise<Answer> {
  const named = contracts.get('api-2')?.routes.operations.get(operationId)?.['x-if-match'];
  const reader = operations.find((one) => one.operationId === named || (!named && isReader(one, template)));
  assert.ok(reader, `${template} cannot be read`);
  return send(stage, { ...(await requestOf(stage, reader, 'manage_all')), path });
}

function tagOf(answer: Answer): string {
  assert.equal(answer.status, 200, answer.text);
  return String(answer.headers['etag']);
}

/** A weak form of the tag, and one that differs from it in a character. */
function others(tag: string): [weak: string, another: string] {
  return [`W/${tag}`, tag.startsWith('"A') ? tag.replace('"A', '"B') : tag.replace(/^"./, '"A')];
}

export function conditionalWrites(app: () => TestApp): void {
  let stage: Stage;
  before(async () => {
    stage = await prepareStage(app());
  });

  it('every single resource has a tag, and its PUT and DELETE accept a condition, except one-time operations', () => {
    const { routes } = contracts.get('api-2') ?? {};
    // The caller, the state of the trail and an explanation are no resources.
    const isNone = (id: string) =>
      /^(list|stream|export|explain)/.test(id) || ['readCaller', 'readEventChain'].includes(id);
    const single = operations.filter(({ method, operationId }) => method === 'GET' && !isNone(operationId));
    for (const { operationId } of single) {
      assert.ok(routes?.operations.get(operationId)?.responses['200']?.headers?.['ETag'], operationId);
    }
    const writes = operations.filter(
      ({ method, template }) => method !== 'GET' && single.some((one) => one.template === template),
    );
    const once = ['acceptFactorRegistration', 'acceptFactorVerification'];
    assert.deepEqual(
      writes.map(({ operationId }) => operationId).filter((id) => !once.includes(id)),
      conditional.filter(({ method }) => method !== 'POST').map(({ operationId }) => operationId),
    );
  });

  for (const [index, operation] of conditional.entries()) {
    // How the header is read is decided in one place: all of its forms for one operation in eight, two for the others.
    const formsOf = (fields: readonly string[]) => (isSampled(index, 8) ? fields : fields.slice(0, 2));
    it(`${operation.operationId}: another tag is 412 and changes nothing; the resource's own tag is accepted`, async () => {
      const request = await requestOf(stage, operation, 'manage_all');
      const tag = tagOf(await read(stage, request, operation));
      const [weak, another] = others(tag);
      for (const field of formsOf([another, weak, `${weak}, ${another}`, '""', ',', '"\u00e9"'])) {
        assertRefused(await send(stage, request, field), 412, changed, field);
        assert.equal(tagOf(await read(stage, request, operation)), tag, field);
      }
      for (const field of formsOf([tag.slice(1), 'x', `${tag} ${another}`, `*, ${tag}`, `w/${tag}`, `${tag};`])) {
        assertRefused(await send(stage, request, field), 400, /^If-Match must/, field);
      }
      assert.equal(tagOf(await read(stage, request, operation)), tag);
      const done = await send(stage, request, ` ,${weak} ,\t${another}, ${tag}`);
      assert.ok(done.status < 300, done.text);
      assert.equal(done.headers['etag'], undefined, 'a tag for members that are not stored as sent');
      // A promoted draft is none any more.
      const isGone = operation.method === 'DELETE' || operation.operationId === 'promoteHookDraft';
      if (isGone) assert.equal((await read(stage, request, operation)).status, 404);
      else assert.notEqual(tagOf(await read(stage, request, operation)), tag);
    });

    // Who compares tags is one place as well.
    if (!isSampled(index, 4)) continue;
    it(`${operation.operationId}: * matches any tag, and other errors are reported first`, async () => {
      const request = await requestOf(stage, operation, 'manage_all');
      if (request.body) {
        const wrong = { ...request, body: { ...request.body, name: 5, firstname: 5, function: 5, value: 5 } };
        assertRefused(await send(stage, wrong, '"former"'), 422);
      }
      const done = await send(stage, request, '*');
      assert.ok(done.status < 300, done.text);
      const names = Object.keys(request.path);
      const unknown = { ...request, path: Object.fromEntries(names.map((name) => [name, '2147483647'])) };
      const status = operation.operationId === 'updateHookVariable' ? 400 : 404;
      for (const field of ['*', tagOf(await read(stage, await requestOf(stage, operation, 'manage_all'), operation))]) {
        assertRefused(await send(stage, unknown, field), status);
      }
      if (operation.template.startsWith('/api/2/hooks/')) {
        const zero = { ...request, path: Object.fromEntries(names.map((name) => [name, '\0'])) };
        assert.equal((await send(stage, zero, '*')).status, (await send(stage, zero)).status);
      }
    });
  }

  it('a refusal by a rule of the write comes before 412', async () => {
    const api = await managing(app());
    const taken = unique('role');
    await api.done(201, 'POST', '/roles', { name: taken });
    const { id } = await api.done(201, 'POST', '/roles', { name: unique('role') });
    const put = (name: string, ifMatch: string) => api.call('PUT', `/roles/${id}`, { name }, { 'if-match': ifMatch });
    assertRefused(await put(taken, '"former"'), 422, /taken/);
    assertRefused(await put(unique('role'), '"former"'), 412, changed);
  });

  it('changes elsewhere also change the tag: members of a role, a lock after wrong passwords', async () => {
    const api = await managing(app());
    const user = await newUser(api);
    const { id } = await api.done(201, 'POST', '/roles', { name: unique('role') });
    await assertChanges(api, `/roles/${id}`, () => api.done(200, 'POST', `/roles/${id}/users`, [user.id]));
    await assertChanges(api, `/users/${user.id}`, () => api.done(200, 'PUT', `/roles/${id}`, { users: [] }));
    await assertChanges(api, `/roles/${id}`, () => api.done(200, 'PUT', `/users/${user.id}`, { role_ids: [id] }));
    const { id: unnoticed } = await newUser(api);
    const tag = tagOf(await api.call('GET', `/users/${user.id}`));
    await api.done(200, 'PUT', `/users/${unnoticed}`, { firstname: 'Ada' });
    assert.equal(tagOf(await api.call('GET', `/users/${user.id}`)), tag);
  });
}

/** Writers that race; for both databases, which lock in different ways. */
export function racingWrites(app: () => TestApp): void {
  let stage: Stage;
  before(async () => {
    stage = await prepareStage(app());
  });

  for (const operation of sampled(
    conditional.filter(({ method }) => method === 'PUT'),
    2,
  )) {
    it(`${operation.operationId}: of two writers with the same tag, one gets 412`, async () => {
      for (let round = 0; round < rounds; round += 1) {
        const request = await requestOf(stage, operation, 'manage_all');
        const { path } = request;
        const second = { ...(await requestOf(stage, operation, 'manage_all')), path };
        const tag = tagOf(await read(stage, request, operation));
        const answers = await Promise.all([send(stage, request, tag), send(stage, second, tag)]);
        assert.deepEqual(
          answers.map(({ status }) => status).toSorted(),
          [200, 412],
          answers.map(({ text }) => text).join(),
        );
      }
    });
  }

  it('links that others add and remove meanwhile, through the users, are kept as they are', async () => {
    const api = await managing(app());
    const [leaving, given, coming] = [await newUser(api), await newUser(api), await newUser(api)];
    for (let round = 0; round < rounds; round += 1) {
      const { id } = await api.done(201, 'POST', '/roles', { name: unique('role'), users: [leaving.id] });
      const tag = tagOf(await api.call('GET', `/roles/${id}`));
      const [written] = await Promise.all([
        api.call('PUT', `/roles/${id}`, { users: [leaving.id, given.id] }, { 'if-match': tag }),
        api.done(200, 'PUT', `/users/${leaving.id}`, { role_ids: [] }),
        api.done(200, 'PUT', `/users/${coming.id}`, { role_ids: [id] }),
      ]);
      const { users } = await api.done(200, 'GET', `/roles/${id}`);
      assert.deepEqual(users, written.status === 200 ? [given.id, coming.id] : [coming.id], written.text);
    }
  });
}

/** The tag is another one after the change, so that a write with the former one is 412. */
async function assertChanges(api: Management, path: string, change: () => Promise<unknown>): Promise<void> {
  const tag = tagOf(await api.call('GET', path));
  await change();
  assert.notEqual(tagOf(await api.call('GET', path)), tag);
  assertRefused(await api.call('PUT', path, {}, { 'if-match': tag }), 412, changed);
}
