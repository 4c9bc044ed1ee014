/** Traces as a collector gets them, of requests to the whole application. */

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import type { createOwnEgress } from '../../src/adapters/egress/policies.ts';
import { createApp } from '../../src/app.ts';
import { openTracing } from '../../src/tracing/opentelemetry.ts';
import type { Tracing } from '../../src/tracing/tracing.ts';
import { handlerOf, stage } from '../domain/hooks/stage.ts';
import { newCast, newGrant, present } from '../store/samples.ts';
import { openTestApp, seenFrom, type TestApp } from '../support/app.ts';
import { freePort } from '../support/process.ts';
import { askForLink } from '../support/resets.ts';
import { sampledDatabases } from '../support/sample.ts';
import { fail, scriptedHooks } from '../support/scripted-hooks.ts';
import { makeUser, password, refresh, signedIn } from '../support/sign-in.ts';
import { until } from '../support/until.ts';
import { type CollectedSpan, type Collector, startCollector } from './collector.ts';

let collector: Collector;
let tracing: Tracing;
const warnings: string[] = [];
const log = { warn: (event: string, { reason }: { reason: string }) => void warnings.push(`${event}: ${reason}`) };
before(async () => {
  collector = await startCollector();
  const opened = await openTracing({ endpoint: collector.url, share: 1, delayMilliseconds: 20 }, log as never);
  assert.ok(opened);
  tracing = opened;
});
after(async () => {
  await tracing.close();
  await collector.close();
});

/** The spans of the trace that a span with these attributes begins or is in, once there are as many as that. */
async function traceWith(attributes: CollectedSpan['attributes'], atLeast: number): Promise<readonly CollectedSpan[]> {
  const isIt = (span: CollectedSpan) =>
    Object.entries(attributes).every(([name, value]) => span.attributes[name] === value);
  const found = () => {
    const one = collector.spans.find(isIt);
    return one ? collector.spans.filter(({ traceId }) => traceId === one.traceId) : [];
  };
  await until(() => found().length >= atLeast);
  return found();
}

/** Names with those of their parents. */
function treeOf(spans: readonly CollectedSpan[]): string[] {
  const pathOf = (span: CollectedSpan): string => {
    const parent = spans.find(({ spanId }) => spanId === span.parentSpanId);
    return parent ? `${pathOf(parent)} > ${span.name}` : span.name;
  };
  return spans.map(pathOf).sort();
}

for (const kind of sampledDatabases) {
  describe(`traces on ${kind}`, () => {
    const hooks = scriptedHooks();
    let app: TestApp;
    before(async () => {
      app = await openTestApp(kind, { app: { tracing, trustProxy: ['127.0.0.1'] }, services: { tracing, hooks } });
    });
    after(() => app.dispose());

    it('a refresh: the request, its write, the batch with others, the signature', async () => {
      const { client, tokens } = await signedIn(app);
      const answer = await refresh(app, client, tokens.refresh_token, '/oidc/2/token');
      assert.equal(answer.status, 200);
      const requestId = String(answer.headers['x-request-id']);
      const spans = await traceWith({ 'gatehouse.request_id': requestId }, 4);
      assert.deepEqual(treeOf(spans), [
        'POST /oidc/2/token',
        'POST /oidc/2/token > sign',
        'POST /oidc/2/token > use refresh token',
        'POST /oidc/2/token > use refresh token > consume grants',
      ]);
      const [server, batch] = ['POST /oidc/2/token', 'consume grants'].map((name) =>
        spans.find((span) => span.name === name),
      );
      assert.equal(server?.kind, 'server');
      assert.equal(server?.parentSpanId, null);
      assert.deepEqual(server?.attributes, {
        'http.request.method': 'POST',
        'url.scheme': 'https',
        'network.protocol.version': '1.1',
        'gatehouse.request_id': requestId,
        'http.response.status_code': 200,
        'http.route': '/oidc/2/token',
        'gatehouse.surface': 'oidc-2',
        'gatehouse.operation': 'refreshToken',
        'gatehouse.account': app.account.subdomain,
      });
      assert.equal(server?.resource['service.name'], 'gatehouse');
      assert.equal(batch?.kind, 'client');
      assert.deepEqual(batch?.attributes, {
        'db.system.name': kind === 'sqlite' ? 'sqlite' : 'postgresql',
        'db.operation.name': 'consume',
        'db.collection.name': 'grants',
      });
    });

    it('of refreshes that share a commit each has its own trace; the commit is linked to the others', async () => {
      const { store } = app.services;
      const cast = await newCast(store);
      const grants = [await newGrant(store, cast), await newGrant(store, cast), await newGrant(store, cast)];
      const seen = collector.spans.length;
      // All of one turn of the event loop are one batch.
      const request = { name: 'a request', kind: 'internal' } as const;
      await Promise.all(
        grants.map((grant) =>
          tracing.span(request, () => store.grants.consume({ ...present(grant), now: Date.now() })),
        ),
      );
      const named = (name: string) => collector.spans.slice(seen).filter((span) => span.name === name);
      await until(() => named('a request').length === 3);
      const uses = named('use refresh token');
      assert.equal(new Set(uses.map(({ traceId }) => traceId)).size, 3);
      const [commit, ...more] = named('consume grants');
      assert.deepEqual(more, []);
      assert.equal(commit?.attributes['db.operation.batch.size'], 3);
      assert.equal(commit?.parentSpanId, uses.find(({ traceId }) => traceId === commit?.traceId)?.spanId);
      const others = uses.filter(({ traceId }) => traceId !== commit?.traceId);
      assert.deepEqual([...(commit?.links ?? [])].sort(), others.map(({ spanId }) => spanId).sort());
    });

    it('a sign-in with a hook: the form, the hook, the transaction; a hook that fails is marked', async () => {
      const on = await stage(app);
      await on.hook(handlerOf('return null;'));
      const isHook = ({ name }: CollectedSpan) => name === 'run hook';
      const seen = collector.spans.length;
      const fresh = () => collector.spans.slice(seen);
      await on.signIn();
      await until(() => fresh().some(isHook) && fresh().some(({ name }) => name === 'POST /sign-in'));
      const hook = fresh().find(isHook);
      const spans = fresh().filter(({ traceId }) => traceId === hook?.traceId);
      const tree = treeOf(spans);
      assert.ok(tree.includes('POST /sign-in > run hook'), tree.join('\n'));
      assert.ok(tree.includes('POST /sign-in > transaction'), tree.join('\n'));
      assert.deepEqual([hook?.attributes, hook?.isFailed], [{ 'gatehouse.hook.type': 'pre-authentication' }, false]);
      hooks.answer = () => fail;
      await on.signIn();
      await until(() => fresh().filter(isHook).length === 2);
      const failed = fresh().filter(isHook).at(-1);
      assert.deepEqual([failed?.attributes['error.type'], failed?.isFailed], ['error', true]);
    });

    it('a message is a trace of its own, without its address', async () => {
      const own = await app.another();
      const user = await makeUser(own);
      const seen = collector.spans.length;
      await askForLink(own, user.email ?? '');
      await own.services.resetMails.run();
      const mail = () => collector.spans.slice(seen).find(({ name }) => name === 'send mail');
      await until(() => mail() !== undefined);
      assert.deepEqual([mail()?.kind, mail()?.attributes, mail()?.isFailed], ['client', {}, false]);
    });

    it('continues the trace of a trusted proxy; of anybody else, or sent twice, it begins one', async () => {
      const traceId = randomBytes(16).toString('hex');
      const parent = randomBytes(8).toString('hex');
      const traceparent = `00-${traceId}-${parent}-01`;
      const direct = seenFrom(app.account, createApp(app.services, { tracing }), app.services, {
        url: app.url,
        dispose: async () => {},
      });
      const ask = async (through: TestApp, headers: Record<string, string | string[]>) => {
        const { headers: answered } = await through.send('GET', '/oauth2/jwks', {
          headers: headers as Record<string, string>,
        });
        const [span] = await traceWith({ 'gatehouse.request_id': String(answered['x-request-id']) }, 1);
        return span;
      };
      const trusted = await ask(app, { traceparent });
      assert.deepEqual([trusted?.traceId, trusted?.parentSpanId], [traceId, parent]);
      const stranger = await ask(direct, { traceparent });
      assert.notEqual(stranger?.traceId, traceId);
      assert.equal(stranger?.parentSpanId, null);
      for (const broken of ['00-x-y-01', `00-${'0'.repeat(32)}-${parent}-01`, `ff-${traceId}-${parent}-01`]) {
        assert.notEqual((await ask(app, { traceparent: broken }))?.traceId, traceId, broken);
      }
      assert.notEqual((await ask(app, { traceparent: [traceparent, traceparent] }))?.traceId, traceId);
      // One that the proxy did not record is not recorded here.
      const unrecorded = randomBytes(16).toString('hex');
      await app.send('GET', '/oauth2/jwks', { headers: { traceparent: `00-${unrecorded}-${parent}-00` } });
      await ask(app, {});
      assert.ok(!collector.spans.some((span) => span.traceId === unrecorded));
      await direct.dispose();
    });

    it('a request that no operation serves has no route, and what a client did wrong is no error', async () => {
      const { headers, status } = await app.send('GET', '/oauth2/jwks', { host: 'nobody.example' });
      assert.ok(status >= 400 && status < 500);
      const [span] = await traceWith({ 'gatehouse.request_id': String(headers['x-request-id']) }, 1);
      assert.equal(span?.isFailed, false);
      assert.equal(span?.attributes['gatehouse.failure'], 'account_unknown');
    });

    it('holds no secret, no name and no address of a user', async () => {
      const own = await app.another();
      const { client, user, tokens } = await signedIn(own);
      const { headers } = await refresh(own, client, tokens.refresh_token);
      await traceWith({ 'gatehouse.request_id': String(headers['x-request-id']) }, 4);
      const secrets = [
        user.email,
        user.firstname,
        client.client_secret,
        password,
        tokens.access_token,
        tokens.refresh_token,
      ];
      for (const secret of [...secrets, '127.0.0.1', '"client.address"', '"url.full"', '"url.path"', '"url.query"']) {
        assert.ok(secret && !collector.sent.includes(secret), String(secret));
      }
    });
  });
}

describe('traces to others', () => {
  it('go with requests to hosts that the operator listed, and with no other', async () => {
    const { traceEgress, traceHookEgress } = await import('../../src/tracing/traced.ts');
    const asked: (readonly (readonly [string, string])[])[] = [];
    const egress = {
      fetch: async ({ headers }: Parameters<ReturnType<typeof createOwnEgress>['fetch']>[0]) => {
        asked.push(headers);
        return { ok: false, failure: 'timeout' } as const;
      },
    };
    const listed = [{ scheme: 'https', hostname: 'keys.internal', port: 443 } as const];
    const request = { accountId: 1, method: 'GET', headers: [], body: null, redirect: 'error' } as const;
    const own = traceEgress(egress, tracing, listed);
    for (const url of ['https://keys.internal/jwks', 'https://keys.internal:8443/jwks', 'https://keys.example/jwks']) {
      await own.fetch({ ...request, url, purpose: 'keys' });
    }
    await traceHookEgress(egress, tracing).fetch({ ...request, url: 'https://keys.internal/ada@example.com' });
    assert.deepEqual(
      asked.map((headers) => headers.map(([name]) => name)),
      [['traceparent'], [], [], []],
    );
    const [first] = asked[0] ?? [];
    const isThis = (span: CollectedSpan) => first?.[1] === `00-${span.traceId}-${span.spanId}-01`;
    await until(() => collector.spans.some(isThis));
    assert.deepEqual(collector.spans.find(isThis)?.attributes, {
      'http.request.method': 'GET',
      'gatehouse.egress.purpose': 'keys',
      'server.address': 'keys.internal',
      'server.port': 443,
      'error.type': 'timeout',
    });
    const hook = () => collector.spans.find(({ attributes }) => attributes['gatehouse.egress.purpose'] === 'hook');
    await until(() => hook() !== undefined);
    assert.equal(hook()?.attributes['server.address'], undefined);
  });

  it('a collector that refuses them holds nobody up, and the log says so', async () => {
    collector.refuses = true;
    assert.equal(await tracing.span({ name: 'alone', kind: 'internal' }, async () => 7), 7);
    await until(() => warnings.length > 0);
    assert.deepEqual(warnings, ['traces not sent: the collector does not accept them']);
  });

  it('the log says where no collector is, and nothing that the operator set', async () => {
    // Nothing is sent again.
    process.env['OTEL_EXPORTER_OTLP_TIMEOUT'] = '500';
    const told: string[] = [];
    const other = { warn: (_event: string, { reason }: { reason: string }) => void told.push(reason) };
    const endpoint = `http://u:hunter2@127.0.0.1:${await freePort()}`;
    const nowhere = await openTracing({ endpoint, share: 1, delayMilliseconds: 20 }, other as never);
    delete process.env['OTEL_EXPORTER_OTLP_TIMEOUT'];
    assert.ok(nowhere);
    await nowhere.span({ name: 'alone', kind: 'internal' }, async () => 7);
    await until(() => told.length > 0);
    assert.deepEqual(told, ['the collector cannot be reached (ECONNREFUSED)']);
    await nowhere.close();
  });
});
