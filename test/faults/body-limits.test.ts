/** A body beyond the limit of its media type is refused when that is known, and its client gets to read the answer. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { createMetrics } from '../../src/metrics/registry.ts';
import { addedBy } from '../metrics/samples.ts';
import { basic, openTestApp, type TestApp } from '../support/app.ts';
import { conforms, contracts } from '../support/conforms.ts';
import { assertOwnForm } from '../support/faults.ts';
import { newApiKey } from '../support/legacy.ts';
import { type Probe, probesOf } from '../support/probes.ts';
import { type RawServer, readAnswer, sendBytes, startRaw } from '../support/raw-http.ts';
import { until } from '../support/until.ts';

const limits: Readonly<Record<string, number>> = {
  'application/json': 65_536,
  'application/x-www-form-urlencoded': 16_384,
  'application/xml': 131_072,
};

describe('bodies over the limit', () => {
  let app: TestApp;
  let server: RawServer;
  let key: Readonly<Record<string, string>>;
  const metrics = createMetrics();
  before(async () => {
    app = await openTestApp('sqlite', {
      app: { metrics },
      settings: { 'limit.xml': 'off', 'limit.sign-in': 'off' },
    });
    server = await startRaw(app.app);
    key = basic((await newApiKey(app)).key, 'x');
  });
  after(async () => {
    await server.close();
    await app.dispose();
  });

  function headOf({ method, path, sent }: Probe, mediaType: string, framing: string): string {
    const { 'content-type': _, ...others } = sent.headers ?? {};
    const headers = { ...others, ...(path.includes('.xml') ? key : {}), 'content-type': mediaType };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
    const { host } = new URL(app.account.baseUrl);
    return [`${method} ${path} HTTP/1.1`, `host: ${host}`, framing, ...lines, '', ''].join('\r\n');
  }

  for (const surface of contracts.keys()) {
    const probes = probesOf(surface).filter(({ mediaTypes }) => mediaTypes.length > 0);
    if (probes.length === 0) continue;

    it(`${surface}: 413 in its own format, even if the rest of the body never arrives`, async () => {
      for (const probe of probes) {
        for (const mediaType of probe.mediaTypes) {
          const limit = limits[mediaType] ?? assert.fail(mediaType);
          const beyond = ' '.repeat(limit + 1);
          const requests = [
            headOf(probe, mediaType, `content-length: ${limit + 1}`),
            `${headOf(probe, mediaType, 'transfer-encoding: chunked')}${beyond.length.toString(16)}\r\n${beyond}`,
          ];
          for (const request of requests) {
            const answer = readAnswer(await sendBytes(server.port, request));
            assert.equal(answer.status, 413, `${probe.operationId} ${mediaType}: ${answer.text.slice(0, 200)}`);
            assert.equal(answer.headers['connection'], 'close');
            assertOwnForm(surface, probe, answer);
            conforms(probe.method, probe.path, answer);
          }
        }
      }
    });
  }

  const token = () => probesOf('oauth2').find(({ operationId }) => operationId === 'issueToken') ?? assert.fail();
  const form = 'application/x-www-form-urlencoded';

  it('a client that sends a whole large body before it reads gets the answer, not a reset', async () => {
    const large = 32 * 2 ** 20;
    for (const framing of [`content-length: ${large}`, 'transfer-encoding: chunked']) {
      const socket = connect({ host: '127.0.0.1', port: server.port }).pause();
      const failed = once(socket, 'error').then(([error]) => assert.fail(error));
      socket.write(headOf(token(), form, framing));
      if (framing.startsWith('transfer')) socket.write(`${large.toString(16)}\r\n`);
      await Promise.race([failed, new Promise((resolve) => socket.write('x'.repeat(large), resolve))]);
      let text = '';
      for await (const chunk of socket.setEncoding('latin1')) text += chunk;
      assert.match(text, /^HTTP\/1\.1 413 /);
    }
  });

  it('log and metrics tell an answer that was not sent whole from one that was', async () => {
    const lines = () => app.services.lines.filter(({ event }) => event === 'request');
    const before = lines().length;
    const beyond = 'x'.repeat(20_000);
    const added = await addedBy(metrics, 'gatehouse_request_seconds', async () => {
      await sendBytes(server.port, `${headOf(token(), form, `content-length: ${beyond.length}`)}${beyond}`);
      const socket = connect({ host: '127.0.0.1', port: server.port });
      socket.write(headOf(token(), form, 'content-length: 100\r\nexpect: 100-continue'));
      // The service has read the head, and waits for the body.
      await once(socket, 'data');
      await until(() => lines().length === before + 1);
      socket.destroy();
      await until(() => lines().length === before + 2);
    });
    const counted = (status: string) => `_count{surface="oauth2",operation="issueToken",status="${status}"}`;
    assert.deepEqual(added, { [counted('413')]: 1, [counted('aborted')]: 1 });
    assert.deepEqual(
      lines()
        .slice(before)
        .map(({ reason }) => reason),
      [undefined, 'the connection ended before the answer'],
    );
  });

  it('data after the body is not parsed as a request', async () => {
    const before = app.services.lines.filter(({ event }) => event === 'request').length;
    const beyond = 'x'.repeat(20_000);
    const next = 'GET /oauth2/jwks HTTP/1.1\r\nhost: x\r\n\r\n';
    const request = `${headOf(token(), form, `content-length: ${beyond.length}`)}${beyond}${next}`;
    const answers = (await sendBytes(server.port, request)).toString('latin1');
    assert.equal(answers.split('HTTP/1.1 ').length - 1, 1);
    assert.equal(app.services.lines.filter(({ event }) => event === 'request').length, before + 1);
  });
});
