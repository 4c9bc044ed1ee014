/** GET /api/2/hooks/logs/stream. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it, mock } from 'node:test';
import { revokeCredentialToken } from '../../../src/domain/callers/credential-tokens.ts';
import { countLogStreams, endLogStreams, mostStreams } from '../../../src/domain/hooks/log-streams.ts';
import { openTestApp, type TestApp } from '../../support/app.ts';
import { atConsole, makeAdministrator } from '../../support/console.ts';
import { recordRun } from '../../support/hook-runs.ts';
import { sampledDatabases } from '../../support/sample.ts';
import { until } from '../../support/until.ts';
import { least } from './hooks.ts';
import { assertRefused, managing } from './managing.ts';

const path = '/api/2/hooks/logs/stream';

interface Event {
  readonly id: string | undefined;
  readonly event: string | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: the test reads its members
  readonly data: any;
}

interface Opened {
  readonly answer: IncomingMessage;
  /** Those that came so far, in order. */
  readonly events: Event[];
  readonly ended: Promise<unknown>;
  close(): void;
}

function readEvent(text: string): Event {
  const fields = new Map(text.split('\n').map((line) => line.split(/: (.*)/s, 2) as [string, string]));
  const data = fields.get('data');
  return { id: fields.get('id'), event: fields.get('event'), data: data === undefined ? null : JSON.parse(data) };
}

for (const kind of sampledDatabases) {
  describe(`streams of log lines on ${kind}`, () => {
    let app: TestApp;
    let server: Server;
    before(async () => {
      app = await openTestApp(kind, { settings: { 'limit.api-2': 'off' } });
      server = createServer(app.app).listen(0, '127.0.0.1');
      await once(server, 'listening');
    });
    after(async () => {
      server.closeAllConnections();
      server.close();
      await app.dispose();
    });

    async function open(one: TestApp, token: string, query = '', headers: object = {}): Promise<Opened> {
      const { port } = server.address() as AddressInfo;
      const host = new URL(one.account.baseUrl).host;
      const sent = request({
        ...{ host: '127.0.0.1', port, path: `${path}${query}`, agent: false },
        headers: { host, authorization: `Bearer ${token}`, ...headers },
      });
      sent.end();
      const [answer] = (await once(sent, 'response')) as [IncomingMessage];
      const events: Event[] = [];
      let text = '';
      answer.setEncoding('utf8').on('data', (part: string) => {
        text += part;
        const blocks = text.split('\n\n');
        text = blocks.pop() ?? '';
        events.push(...blocks.map(readEvent).filter(({ event }) => event !== undefined));
      });
      answer.on('error', () => {});
      const ended = new Promise((resolve) => answer.once('close', resolve));
      return { answer, events, ended, close: () => sent.destroy() };
    }

    const runsIn = ({ events }: Opened) => events.flatMap(({ data }) => data.request_id ?? []);

    async function staged() {
      const one = await app.another({ 'limit.api-2': 'off' });
      const api = await managing(one);
      const token = await one.bearer('manage_all');
      const { id } = await api.done(201, 'POST', '/hooks', least);
      return { one, api, token, id: String(id) };
    }

    it('has each run once, of all hooks or of one, and nothing of others', async () => {
      const { one, api, token, id } = await staged();
      const { id: other } = await api.done(201, 'POST', '/hooks', least);
      const theirs = await staged();
      await recordRun(one, id);
      const all = await open(one, token);
      const own = await open(one, token, `?hook_id=${id}`);
      assert.equal(all.answer.statusCode, 200);
      assert.equal(all.answer.headers['content-type'], 'text/event-stream; charset=utf-8');
      // The place from which they look is known once a run is with both.
      const runs = [await recordRun(one, id), await recordRun(one, String(other))];
      await recordRun(theirs.one, theirs.id);
      await until(() => runsIn(all).length >= 2 && runsIn(own).length >= 1);
      const last = await recordRun(one, id);
      await until(() => runsIn(all).includes(last) && runsIn(own).includes(last));
      assert.deepEqual(runsIn(all), [...runs, last]);
      assert.deepEqual(runsIn(own), [runs[0], last]);
      const [event] = all.events;
      const [logged] = await api.done(200, 'GET', `/hooks/${id}/logs?request_id=${runs[0]}`);
      assert.deepEqual([event?.event, event?.data], ['run', { hook_id: id, ...logged }]);
      for (const { close } of [all, own]) close();
      await until(() => countLogStreams(app.services.hooks) === 0);
    });

    it('has a run that is larger in JSON than what may wait for its client', async () => {
      const { one, token, id } = await staged();
      const first = await open(one, token);
      const before = await recordRun(one, id);
      await until(() => runsIn(first).includes(before));
      const place = first.events.at(-1)?.id;
      const events = Array.from({ length: 16 }, () => '\u0001'.repeat(4_096));
      const large = await recordRun(one, id, { events });
      await until(() => runsIn(first).includes(large));
      first.close();
      const second = await open(one, token, '', { 'last-event-id': place });
      await until(() => runsIn(second).includes(large));
      const next = await recordRun(one, id);
      await until(() => runsIn(second).includes(next));
      second.close();
    });

    it('goes on after the last event of another stream, without a loss', async () => {
      const { one, token, id } = await staged();
      const first = await open(one, token);
      const seen = await recordRun(one, id);
      await until(() => runsIn(first).includes(seen));
      const place = first.events.at(-1)?.id;
      assert.match(String(place), /^\d+$/);
      first.close();
      const missed = [await recordRun(one, id), await recordRun(one, id)];
      const second = await open(one, token, '', { 'last-event-id': place });
      await until(() => missed.every((run) => runsIn(second).includes(run)));
      const now = await recordRun(one, id);
      await until(() => runsIn(second).includes(now));
      assert.deepEqual(
        runsIn(second).filter((run) => run !== seen),
        [...missed, now],
      );
      second.close();
    });

    it('says that there is a gap where too many came', async () => {
      const { one, token, id } = await staged();
      const { store } = one.services;
      const hookId = (await store.hooks.find(one.account.id, id))?.hook.id ?? 0;
      const [known] = await store.hookExecutions.listNewest(one.account.id, 0, 1);
      assert.equal(known, undefined);
      const first = await recordRun(one, id);
      for (let run = 0; run < 1000; run += 1) await recordRun(one, id, { hookId, sealedReplay: null, events: [] });
      const last = await recordRun(one, id);
      const stream = await open(one, token, '', { 'last-event-id': '0' });
      await until(() => runsIn(stream).includes(last));
      assert.equal(stream.events[0]?.event, 'gap');
      assert.deepEqual([runsIn(stream).length, runsIn(stream).includes(first)], [1000, false]);
      stream.close();
    });

    it('ends after its time, with its token, with its right, and when the store does not answer', async () => {
      const { one, token } = await staged();
      const short = await open(one, token, '?seconds=1');
      await short.ended;
      assert.deepEqual(short.events.at(-1)?.data, { reason: 'time' });

      const revoked = await open(one, token);
      const found = await one.services.store.callers.findToken(
        one.account.id,
        Number.parseInt(token.split('_')[1] ?? '', 36),
      );
      assert.ok(found);
      await revokeCredentialToken(one.services, one.account, found.credential, token);
      await revoked.ended;
      assert.deepEqual(revoked.events.at(-1)?.data, { reason: 'unauthorized' });

      const failing = await open(one, await one.bearer('manage_all'));
      const lost = () => Promise.reject(new Error('for the test'));
      const looking = mock.method(app.services.store.hookExecutions, 'listNewest', lost);
      await failing.ended;
      looking.mock.restore();
      assert.deepEqual(failing.events.at(-1)?.data, { reason: 'unavailable' });
      assert.equal(countLogStreams(app.services.hooks), 0);
    });

    it('is as open to an administrator, who loses it with the right', async () => {
      const { one, api } = await staged();
      const user = await makeAdministrator(one);
      const console = await atConsole(one, user);
      const lasting = await console.call('GET', '/hooks/logs/stream?seconds=8');
      assert.match(lasting.text, /event: end\ndata: \{"reason":"time"\}\n\n$/, 'asked again, and still admitted');
      const ending = console.call('GET', '/hooks/logs/stream');
      await until(() => countLogStreams(app.services.hooks) === 1);
      await api.done(204, 'DELETE', `/administrators/${user.id}`);
      assert.match((await ending).text, /event: end\ndata: \{"reason":"unauthorized"\}\n\n$/);
    });

    it('refuses what is not asked rightly, and more streams of an account than there may be', async () => {
      const { one, api, token } = await staged();
      assertRefused(await api.call('GET', '/hooks/logs/stream?hook_id=unknown'), 404, /could not be found/);
      assertRefused(await api.call('GET', '/hooks/logs/stream?seconds=0'), 400, /seconds/);
      const bad = await api.call('GET', '/hooks/logs/stream', undefined, { 'last-event-id': 'x' });
      assertRefused(bad, 400, /^Last-Event-ID must have only digits$/);
      const empty = await api.call('GET', '/hooks/logs/stream', undefined, { 'last-event-id': '' });
      assertRefused(empty, 400, /^Last-Event-ID must have only digits$/);
      assert.equal((await one.send('GET', path)).status, 401);
      const streams: Opened[] = [];
      for (let made = 0; made < mostStreams.ofAccount; made += 1) streams.push(await open(one, token));
      const refused = await api.call('GET', '/hooks/logs/stream?seconds=1');
      assertRefused(refused, 429);
      assert.match(String(refused.headers['retry-after']), /^\d+$/);
      for (const { close } of streams) close();
      await until(() => countLogStreams(app.services.hooks) === 0);
    });

    it('ends when the process stops, which has none from then on', async () => {
      const { one, api, token } = await staged();
      const stream = await open(one, token);
      endLogStreams(app.services.hooks);
      await stream.ended;
      assert.deepEqual(stream.events.at(-1)?.data, { reason: 'stopping' });
      assert.equal((await api.call('GET', '/hooks/logs/stream')).status, 503);
    });
  });
}
