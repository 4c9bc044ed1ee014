/** Imports whose store fails when some of their lines are stored. */

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Failure } from '../../../src/domain/failure.ts';
import { unique } from '../../store/samples.ts';
import { type FaultyApp, openFaultyApp } from '../../support/faults.ts';
import { sampledDatabases } from '../../support/sample.ts';
import { type Management, managing } from './managing.ts';

interface Outcome {
  readonly result: string;
  readonly error: string | null;
  readonly message: string | null;
}

for (const database of sampledDatabases) {
  describe(`imports that fail midway on ${database}`, () => {
    let app: FaultyApp;
    let api: Management;
    before(async () => {
      app = await openFaultyApp(database);
      api = await managing(app);
    });
    after(() => app.dispose());

    /** Three transactions store them: 100, 100 and 50. */
    function lines() {
      const name = unique('midway');
      const names = Array.from({ length: 250 }, (_, place) => `${name}-${place}`);
      return { format: 'csv', content: ['username', ...names].join('\n') };
    }

    const send = (json: object, key: string | null) =>
      api.call('POST', '/users/import', json, key === null ? {} : { 'idempotency-key': key });

    /** The answer where each transaction from the given one on fails. */
    async function failing(from: number, error: Error, json: object, key: string | null) {
      let begun = 0;
      app.fail((verb) => {
        if (verb !== 'transaction') return null;
        begun += 1;
        return begun >= from ? error : null;
      });
      try {
        return await send(json, key);
      } finally {
        app.fail(null);
      }
    }

    const unavailable = () => new Failure('unavailable');
    const countsOf = ({ body: { created, skipped, failed } }: { readonly body: Record<string, unknown> }) => [
      created,
      skipped,
      failed,
    ];

    for (const key of [null, unique('key')]) {
      it(`tells what was stored, ${key ? 'and repeats it' : 'without a key too'}`, async () => {
        const json = lines();
        const first = await failing(2, unavailable(), json, key);
        assert.equal(first.status, 200);
        assert.deepEqual(countsOf(first), [100, 0, 150]);
        const rest: Outcome[] = first.body.outcomes.slice(100);
        for (const { result, error } of rest) assert.deepEqual([result, error], ['failed', 'unavailable']);
        assert.match(rest[0]?.message ?? '', /import it again/);
        if (key !== null) assert.deepEqual((await send(json, key)).body, first.body);
        assert.deepEqual(countsOf(await send(json, key && unique('key'))), [150, 100, 0]);
      });
    }

    it('is refused as a whole, and its key is free, where nothing was stored', async () => {
      const json = lines();
      const key = unique('key');
      assert.equal((await failing(1, unavailable(), json, key)).status, 503);
      assert.equal((await failing(2, unavailable(), { ...json, dry_run: true }, unique('key'))).status, 503);
      assert.deepEqual(countsOf(await send(json, key)), [250, 0, 0]);
    });

    it('tells of the lines that were left when the right was taken, and of a fault', async () => {
      for (const [thrown, code, message] of [
        [new Failure('caller_unauthenticated', { reason: 'taken' }), 'caller_unauthenticated', /right/],
        [new Error('canary'), 'unavailable', /import it again/],
      ] as const) {
        const answer = await failing(2, thrown, lines(), unique('key'));
        assert.deepEqual([answer.status, ...countsOf(answer)], [200, 100, 0, 150]);
        assert.equal(answer.body.outcomes[249].error, code);
        assert.match(answer.body.outcomes[249].message, message);
        assert.doesNotMatch(answer.text, /canary/);
      }
    });

    it('stores the lines beside one that fails, and tells of the others, when the store fails then', async () => {
      const name = unique('half');
      const bad = { username: `${name}-bad`, roles: ['nobody'] };
      const good = (place: number) => ({ username: `${name}-${place}` });
      const email = `${name}@example.com`;
      const people = [good(0), { ...good(1), email }, bad, good(3)];
      const content = people.map((one) => JSON.stringify(one)).join('\n');
      // An update makes a line that fails undo its transaction: all, the first half, and then the store fails.
      const taken = { email, username: `${name}-0` };
      const given = { format: 'ndjson', existing: 'update', content: `${content}\n${JSON.stringify(taken)}` };
      const { status, body } = await failing(3, unavailable(), given, unique('key'));
      assert.equal(status, 200);
      assert.deepEqual(
        body.outcomes.map(({ result, error }: Outcome) => [result, error]),
        [['created', null], ['created', null], ...Array.from({ length: 3 }, () => ['failed', 'unavailable'])],
      );
    });

    it('keeps the answer to 500 lines that fail with long messages', async () => {
      const bad = `{"${'é'.repeat(45)}":1}`;
      const content = [JSON.stringify({ username: unique('kept') }), ...Array.from({ length: 499 }, () => bad)];
      const json = { format: 'ndjson', content: content.join('\n') };
      const key = unique('key');
      const first = await send(json, key);
      assert.deepEqual(countsOf(first), [1, 0, 499]);
      assert.ok(Buffer.byteLength(first.text) > 150_000, `${first.text.length} characters are not many`);
      for (const { message } of first.body.outcomes.slice(1)) {
        assert.ok(Buffer.byteLength(JSON.stringify(message)) <= 258);
      }
      assert.deepEqual((await send(json, key)).body, first.body);
    });
  });
}
