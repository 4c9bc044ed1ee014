/**
 * What every surface answers, in its own form and never with 500, to what no operation can be called with. The
 * requests are made of the contracts, so that an operation that comes later is asked the same. Every third
 * operation is asked a twelfth of them, at least one of each kind, the next one others; the drill M5 asks all of them.
 */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { basic, openTestApp, type Sent, type TestApp } from '../support/app.ts';
import { type Answer, contracts } from '../support/conforms.ts';
import { assertOwnForm } from '../support/faults.ts';
import { newApiKey } from '../support/legacy.ts';
import { type Probe, probesOf } from '../support/probes.ts';
import { sampled } from '../support/sample.ts';
import { badQueries, jsonType, odd, oddQueries, unreadable } from './unreadable.ts';

const methods = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH'];

function said(answer: Answer): string {
  return answer.body?.error_description ?? answer.body?.status?.message ?? answer.body?.message ?? '';
}

/** Bare pages say less to a person than an answer says to a program. */
function assertNames(surface: string, answer: Answer, named: RegExp): void {
  if (answer.body !== undefined) assert.match(said(answer), named, `${surface}: ${answer.text}`);
}

function assertClean(): void {
  const clean: Record<string, unknown> = {};
  assert.deepEqual([clean['polluted'], Object.keys(Object.prototype)], [undefined, []]);
}

it("each surface's tests check the faults of every operation", () => {
  for (const surface of contracts.keys()) {
    const tests = readFileSync(new URL(`../surfaces/${surface}/${surface}.test.ts`, import.meta.url), 'utf8');
    assert.ok(tests.includes(`declareFaultCases('${surface}', kind`), surface);
  }
});

describe('unreadable requests', () => {
  let app: TestApp;
  let key: Readonly<Record<string, string>>;
  let bearer: string;
  before(async () => {
    const limits = ['sign-in', 'client-auth', 'register', 'register-open', 'xml'];
    app = await openTestApp('sqlite', { settings: Object.fromEntries(limits.map((name) => [`limit.${name}`, 'off'])) });
    key = basic((await newApiKey(app)).key, 'x');
    bearer = await app.bearer('manage_all');
  });
  after(() => app.dispose());

  /** With a real token or key where one is required, so that the body is checked. */
  async function send(probe: Probe, changes: Sent): Promise<Answer> {
    const caller = callerOf(probe);
    return app.send(probe.method, probe.path, {
      ...changes,
      headers: { ...probe.sent.headers, ...caller, ...changes.headers },
    });
  }

  function callerOf({ path, sent: { headers: { authorization = '' } = {} } }: Probe) {
    if (authorization.startsWith('Bearer ct_')) return { authorization: `Bearer ${bearer}` };
    return /\.xml(?:\?|$)/.test(path) ? key : {};
  }

  /** Adds to the query of a probe. */
  async function assertQuery(surface: string, probe: Probe, query: string, status: number): Promise<void> {
    const joint = probe.path.includes('?') ? '&' : '?';
    const answer = await send({ ...probe, path: `${probe.path}${joint}${query}` }, {});
    assert.equal(answer.status, status, query);
    if (status === 400) assertOwnForm(surface, probe, answer);
  }

  // Of the methods each path is asked with one, the next one with another.
  let turn = 0;
  for (const [surface, { contract, routes }] of contracts) {
    it(`${surface}: 404 for unknown paths below its prefixes`, async () => {
      for (const prefix of contract['x-owns']) {
        for (const path of [
          `${prefix}/nothing-here`,
          `${prefix}/a/b/c`,
          `${prefix}//`,
          `${prefix}/%2e%2e`,
          `${prefix}/%`,
          `${prefix}/x%00`,
        ]) {
          for (const method of sampled(methods, methods.length, turn++)) {
            const answer = await app.send(method, path);
            assert.ok(
              answer.status === 404 || answer.status === 400 || answer.status === 405,
              `${method} ${path}: ${answer.status}`,
            );
            assertOwnForm(surface, null, answer);
          }
        }
      }
    });

    it(`${surface}: 404 for its paths in another case and below them`, async () => {
      for (const { path } of probesOf(surface)) {
        const bare = path.split('?', 1)[0] ?? '';
        for (const other of sampled([bare.toUpperCase(), `${bare}/more`, `${bare}.json`, `${bare}%20`], 4, turn++)) {
          if (routes.find(other)) continue;
          const answer = await app.send('POST', other);
          assert.equal(answer.status, 404, other);
        }
      }
    });

    it(`${surface}: 405 with Allow for another method`, async () => {
      for (const template of new Set(probesOf(surface).map(({ path }) => path.split('?', 1)[0] ?? ''))) {
        const allowed = [...(routes.find(template)?.operations.keys() ?? [])];
        const others = methods.filter((one) => !allowed.includes(one));
        for (const method of sampled(others, others.length, turn++)) {
          const answer = await app.send(method, template);
          assert.equal(answer.status, 405, `${method} ${template}`);
          assert.deepEqual(String(answer.headers['allow']).split(', ').sort(), allowed.sort());
          assertOwnForm(surface, null, answer);
        }
      }
    });

    for (const [index, probe] of sampled(probesOf(surface), 3).entries()) {
      const some = <Case>(cases: readonly Case[]) => sampled(cases, Math.min(12, cases.length), index);
      const { operationId, mediaTypes, statuses } = probe;
      const typeRefusal = statuses.includes('415') ? 415 : 400;
      if (mediaTypes.length === 0) {
        it(`${surface} ${operationId}: 400 for an unreadable query, but not for an unusual one`, async () => {
          const plain = await send(probe, {});
          // Delegated authentication answers 200 to any query (X8).
          const refused = surface === 'api-v1' ? plain.status : 400;
          for (const query of some(badQueries)) await assertQuery(surface, probe, query, refused);
          for (const query of some(oddQueries)) await assertQuery(surface, probe, query, plain.status);
          assertClean();
        });
        continue;
      }

      it(`${surface} ${operationId}: ${typeRefusal} for an unsupported media type, charset or encoding`, async () => {
        const [first = ''] = mediaTypes;
        const raw = first === jsonType ? '{}' : 'x=1';
        const bodies: Record<string, string>[] = [
          ...['text/plain', 'application/xml', 'multipart/form-data; boundary=x', 'x', `${first}x`]
            .filter((type) => type !== first)
            .map((type) => ({ 'content-type': type })),
          ...['gzip', 'deflate', 'br', 'x'].map((encoding) => ({
            'content-type': first,
            'content-encoding': encoding,
          })),
          ...['latin1', 'utf-16', 'utf-7', 'x'].map((charset) => ({ 'content-type': `${first}; charset=${charset}` })),
        ];
        for (const headers of some(bodies)) {
          const answer = await send(probe, { headers, raw: Buffer.from(raw) });
          assert.equal(answer.status, typeRefusal, JSON.stringify(headers));
          assertOwnForm(surface, probe, answer);
          assertNames(
            surface,
            answer,
            'content-encoding' in headers || /charset/.test(headers['content-type'] ?? '')
              ? /UTF-8 and not compressed/
              : /Content-Type must be/,
          );
        }
      });

      for (const mediaType of mediaTypes) {
        it(`${surface} ${operationId}: 4xx that names the unreadable part of ${mediaType}`, async () => {
          for (const [what, [raw, named]] of some(Object.entries(unreadable[mediaType] ?? {}))) {
            const answer = await send(probe, { headers: { 'content-type': mediaType }, raw });
            const expected = what.startsWith('more than') ? 413 : 400;
            assert.equal(answer.status, expected, `${what}: ${answer.text.slice(0, 200)}`);
            assertOwnForm(surface, probe, answer);
            assertNames(surface, answer, named);
          }
          assertClean();
        });

        it(`${surface} ${operationId}: never 500 for unusual members of ${mediaType}`, async () => {
          for (const [what, raw] of some(Object.entries(odd[mediaType] ?? {}))) {
            const answer = await send(probe, { headers: { 'content-type': mediaType }, raw });
            assert.ok(answer.status < 500, `${what}: ${answer.status} ${answer.text.slice(0, 200)}`);
          }
          assertClean();
        });
      }
    }
  }
});
