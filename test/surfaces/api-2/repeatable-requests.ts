/** `Idempotency-Key`: every `POST` of the contract, and requests that race. */

import assert from 'node:assert/strict';
import { before, it, mock } from 'node:test';
import { type Operation, operationsOf } from '../../properties/operations.ts';
import { encode, type Prepared } from '../../properties/wire.ts';
import { unique } from '../../store/samples.ts';
import type { TestApp } from '../../support/app.ts';
import type { Answer } from '../../support/conforms.ts';
import { isSampled, runsOf, sampled } from '../../support/sample.ts';
import { assertRefused, managing } from './managing.ts';
import { prepareStage, requestOf, type Stage } from './matrix-requests.ts';

const posts = operationsOf(['api-2']).filter(({ method }) => method === 'POST');
const inUse = /^A request with this Idempotency-Key is being served$/;
const reused = /^Idempotency-Key was used for another request$/;
const rounds = runsOf(40);

/** Fails as a database does that went away. */
const lost = () => Promise.reject(new Error('for the test'));

function send({ app, tokens }: Stage, request: Prepared, key: string): Promise<Answer> {
  const { method, target, body } = encode(request);
  const headers = {
    authorization: `Bearer ${tokens.get('manage_all')}`,
    'idempotency-key': key,
    ...(request.mediaType !== null && { 'content-type': request.mediaType }),
  };
  return app.send(method, target, { headers, ...(body && { raw: body }) });
}

/** Where every request is made alike: what makes another one. */
const others: Readonly<Record<string, object>> = {
  createApp: { name: 'Another' },
  createApiKey: { name: 'Another' },
  createCredential: { scopes: ['read_all'] },
  createHook: { retries: 1 },
  testHookFunction: { context: { other: true } },
};

/** They have neither a path of their own nor a member: no request to them is another one. */
const memberless: ReadonlySet<string> = new Set(['rotateSigningKeys', 'replaceSigningKeys', 'verifyEventChain']);

/** A test run, an explanation and a verification change nothing, nor does a rotation where the next keys wait. */
const unchanging: ReadonlySet<string> = new Set([
  'testHook',
  'testHookFunction',
  'explainUser',
  'verifyEventChain',
  'rotateSigningKeys',
]);

/** A request to the same operation that is another one. */
async function anotherOf(stage: Stage, operation: Operation, request: Prepared): Promise<Prepared> {
  const path = Object.fromEntries(Object.keys(request.path).map((name) => [name, '2147483647']));
  if (Object.keys(path).length > 0) return { ...request, path };
  const another = await requestOf(stage, operation, 'manage_all');
  return { ...another, body: another.body && { ...another.body, ...others[operation.operationId] } };
}

export function repeatableRequests(app: () => TestApp): void {
  let stage: Stage;
  before(async () => {
    stage = await prepareStage(app());
  });

  for (const [index, operation] of posts.entries()) {
    it(`${operation.operationId}: a repeated request is answered as the first one, another one is refused`, async () => {
      const request = await requestOf(stage, operation, 'manage_all');
      const key = `"${unique('key')}"`;
      const first = await send(stage, request, key);
      assert.ok(first.status < 300, first.text);
      const { status, text } = await send(stage, request, key);
      assert.deepEqual([status, text], [first.status, first.text]);
      if (!memberless.has(operation.operationId)) {
        assertRefused(await send(stage, await anotherOf(stage, operation, request), key), 422, reused);
      }
      for (const bad of sampled(['a b', 'x'.repeat(256), '\u00e9'], 3, index)) {
        assertRefused(await send(stage, request, bad), 400, /^Idempotency-Key (must|contains)/, bad);
      }
    });

    const isUnchanging = unchanging.has(operation.operationId);
    if (isUnchanging || isSampled(index, 6))
      it(`${operation.operationId}: 409 for the later one of two that claim the key at once`, async () => {
        const request = await requestOf(stage, operation, 'manage_all');
        const claiming = mock.method(app().services.store.keptAnswers, 'claim', async () => false);
        assertRefused(await send(stage, request, unique('key')), 409, inUse);
        claiming.mock.restore();
      });

    if (isUnchanging) continue;
    it(`${operation.operationId}: a request whose answer was not kept is not done again`, async () => {
      const request = await requestOf(stage, operation, 'manage_all');
      const key = unique('key');
      const { keptAnswers } = app().services.store;
      const [keeping, claiming] = [mock.method(keptAnswers, 'keep', lost), mock.method(keptAnswers, 'claim')];
      assert.ok((await send(stage, request, key)).status < 300);
      keeping.mock.restore();
      claiming.mock.restore();
      assertRefused(await send(stage, request, key), 409, inUse);
      // The transaction noted it.
      const [{ accountId, digest }, now] = claiming.mock.calls[0]?.arguments ?? assert.fail('nothing was claimed');
      assert.equal((await keptAnswers.find(accountId, digest, now))?.isDone, true);
    });
  }

  it('a refused request leaves its key unused', async () => {
    const api = await managing(app());
    const post = (json: object, key: string) => api.call('POST', '/roles', json, { 'idempotency-key': key });
    const [key, name] = [unique('key'), unique('role')];
    assertRefused(await post({ name: '' }, key), 422, /name/);
    const made = await post({ name }, key);
    assert.equal(made.status, 201, made.text);
    assert.equal((await post({ name }, key)).text, made.text);
    const other = await managing(app());
    assertRefused(await other.call('POST', '/roles', { name }, { 'idempotency-key': key }), 422, /taken/);
  });
}

/** Requests that race; for both databases. */
export function racingRequests(app: () => TestApp): void {
  it('of eight requests with one key one is done, and the others are 409 or answered as it was', async () => {
    const api = await managing(await app().another());
    for (let round = 0; round < rounds; round += 1) {
      const key = unique('key');
      const [name, shown] = [unique('role'), [201, 409]];
      const answers = await Promise.all(
        Array.from({ length: 8 }, () => api.call('POST', '/roles', { name }, { 'idempotency-key': key })),
      );
      for (const answer of answers) {
        assert.ok(shown.includes(answer.status), answer.text);
        if (answer.status === 409) assertRefused(answer, 409, inUse);
      }
      const made = new Set(answers.filter(({ status }) => status === 201).map(({ text }) => text));
      assert.equal(made.size, 1);
      assert.equal((await api.done(200, 'GET', `/roles?name=${name}`)).length, 1);
    }
  });
}
