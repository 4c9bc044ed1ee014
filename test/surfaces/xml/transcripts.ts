import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { createApiKey } from '../../../src/domain/callers/api-keys.ts';
import { createRole } from '../../../src/domain/roles/write-role.ts';
import { openTestApp, type TestApp } from '../../support/app.ts';
import { type RawServer, sendBytes, startRaw } from '../../support/raw-http.ts';
import type { DatabaseKind } from '../../support/stores.ts';
import { sharedHosts } from './calling.ts';

const folder = new URL('./transcripts/', import.meta.url);

/** A request and its answer as sent, with each line ended by a line feed here. */
interface Transcript {
  readonly name: string;
  readonly request: string;
  readonly answer: string;
}

function readTranscripts(): Transcript[] {
  return readdirSync(folder)
    .sort()
    .map((name) => {
      const [request = '', answer = ''] = readFileSync(new URL(name, folder), 'utf8').split('\n=====\n');
      return { name, request, answer: answer.replace(/\n$/, '') };
    });
}

/** Headers end with CR LF, the body is unchanged; it has a length if there is one. */
function bytesOf(request: string, values: Readonly<Record<string, string>>): Buffer {
  const filled = request.replace(/\{\{(\w+)\}\}/g, (_, name: string) => values[name] ?? '');
  const end = filled.indexOf('\n\n');
  const [head, body] = end < 0 ? [filled, ''] : [filled.slice(0, end), filled.slice(end + 2)];
  const length = body === '' ? [] : [`Content-Length: ${Buffer.byteLength(body)}`];
  return Buffer.from(`${[...head.split('\n'), ...length, 'Connection: close', '', ''].join('\r\n')}${body}`);
}

/** What no two answers share stands for itself; the head ends every line with CR LF, as is checked before. */
function masked(answer: Buffer, values: Readonly<Record<string, string>>): string {
  const text = answer.toString('utf8');
  const end = text.indexOf('\r\n\r\n');
  const head = text.slice(0, end);
  assert.equal(head.replaceAll('\r\n', '').includes('\n'), false, 'a header line ends without CR');
  const lines = head.split('\r\n').map((line) => line.replace(/^(date|x-request-id|x-ratelimit-reset): .*$/i, '$1: …'));
  const host = new RegExp(`//${values['own']?.replaceAll('.', '\\.')}/`, 'g');
  return `${lines.join('\n')}\n\n${text.slice(end + 4)}`.replace(host, '//{{own}}/');
}

/** Every transcript, in the order of their names, on a fresh account: on its own host and on those of all accounts. */
export function transcripts(kind: DatabaseKind): void {
  for (const shared of [null, ...sharedHosts]) {
    describe(`golden transcripts on ${kind}, ${shared ?? "the account's host"}`, () => {
      let app: TestApp;
      let server: RawServer;
      let values: Record<string, string>;

      before(async () => {
        app = await openTestApp(kind, { settings: { 'limit.xml': '60/h' } });
        const { services, account } = app;
        services.clock.hold();
        services.clock.advance(Date.parse('2027-01-02T03:04:05.678Z') - services.clock.now());
        for (const name of ['Staff', 'Guests']) await createRole(services, account, { name });
        const { apiKey } = await createApiKey(services, account, 'golden');
        const own = new URL(account.baseUrl).host;
        const key = Buffer.from(`${apiKey}:x`).toString('base64');
        values = { own, host: shared ?? own, key };
        server = await startRaw(app.app);
      });
      after(async () => {
        await server?.close();
        await app?.dispose();
      });

      for (const { name, request, answer } of readTranscripts()) {
        it(name, async () => {
          const got = masked(await sendBytes(server.port, bytesOf(request, values)), values);
          // If no key named the account, the successor is a path.
          assert.equal(got, answer.replace('{{base}}', shared === null ? 'https://{{own}}' : ''));
        });
      }
    });
  }
}
