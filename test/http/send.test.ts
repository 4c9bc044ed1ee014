/** A list that is sent in parts, to clients that read it to its end or not. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import express from 'express';
import type { ContractOperation } from '../../src/http/contract.ts';
import { sendReply } from '../../src/http/send.ts';
import { TextParts } from '../../src/http/text-parts.ts';
import { writeXml } from '../../src/http/xml.ts';
import { xmlRulesReader } from '../../src/http/xml-rules.ts';

const schema = { type: 'array', xml: { name: 'names' }, items: { type: 'string', xml: { name: 'name' } } };
const rules = xmlRulesReader({})(schema);
const operation: ContractOperation = {
  operationId: 'listNames',
  responses: { 200: { description: 'The names.', content: { 'application/xml': { schema } } } },
};

describe('a list in parts', () => {
  let server: Server;
  let parts: () => AsyncGenerator<readonly string[], void, undefined>;
  let losing: AbortController;
  let sent: Promise<void>;
  before(async () => {
    losing = new AbortController();
    const app = express();
    app.get('/', (_req, res) => {
      const form = { fallbackType: 'application/xml', xmlOf: () => rules };
      sent = sendReply(res, operation, { status: 200, body: { parts: parts(), lost: losing.signal } }, form);
      sent.catch(() => {});
    });
    server = createServer(app).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  after(() => server.close());

  async function ask(): Promise<IncomingMessage> {
    const [answer] = await once(get({ port: (server.address() as AddressInfo).port, agent: false }), 'response');
    return answer;
  }

  async function textOf(answer: IncomingMessage): Promise<string> {
    return Buffer.concat(await answer.toArray()).toString();
  }

  it('is the same document as in one piece', async () => {
    for (const some of [[], [['a']], [['a', 'b'], ['c']], [['a'], ['b'], ['c & d'], ['e']]]) {
      parts = async function* () {
        yield* some;
      };
      const answer = await ask();
      assert.equal(await textOf(answer), writeXml(some.flat(), rules));
      await sent;
      assert.equal(answer.headers['content-length'] !== undefined, some.length < 2);
    }
  });

  it('a failure before the second part occurs before anything is sent', async () => {
    parts = async function* () {
      yield ['a'];
      throw new Error('the store is gone');
    };
    const asked = ask();
    await once(server, 'request');
    await assert.rejects(sent, /the store is gone/);
    server.closeAllConnections();
    await assert.rejects(asked);
  });

  it('a later failure aborts the answer, so that it does not look complete', async () => {
    const begun = Promise.withResolvers<void>();
    parts = async function* () {
      yield ['a'];
      yield ['b'];
      await begun.promise;
      throw new Error('the store is gone');
    };
    const answer = await ask();
    begun.resolve();
    await assert.rejects(textOf(answer), { code: 'ECONNRESET' });
    await assert.rejects(sent, /the store is gone/);
  });

  it('is released when its client leaves before the first part is ready', async () => {
    const reading = Promise.withResolvers<void>();
    const left = Promise.withResolvers<void>();
    const gone = Promise.withResolvers<void>();
    parts = async function* () {
      try {
        reading.resolve();
        await gone.promise;
        yield ['a'];
        yield ['b'];
        yield ['c'];
      } finally {
        left.resolve();
      }
    };
    const request = get({ port: (server.address() as AddressInfo).port, agent: false }).on('error', () => {});
    const [, res] = await once(server, 'request');
    await reading.promise;
    request.destroy();
    await once(res, 'close');
    gone.resolve();
    await left.promise;
    await sent;
  });

  it('is read no further than its client reads, and released when the client leaves', async () => {
    let read = 0;
    const left = Promise.withResolvers<void>();
    parts = async function* () {
      try {
        for (; read < 10_000; read += 1) yield ['x'.repeat(100_000)];
      } finally {
        left.resolve();
      }
    };
    const answer = await ask();
    await once(answer, 'readable');
    answer.destroy();
    await left.promise;
    await sent;
    assert.ok(read < 1_000, String(read));
  });

  it('is aborted and released at its limit, even if its client reads nothing', async () => {
    const left = Promise.withResolvers<void>();
    parts = async function* () {
      try {
        for (;;) yield ['x'.repeat(100_000)];
      } finally {
        left.resolve();
      }
    };
    const answer = await ask();
    losing.abort(new Error('others wait'));
    await left.promise;
    await assert.rejects(sent, /others wait/);
    await assert.rejects(textOf(answer), { code: 'ECONNRESET' });
    losing = new AbortController();
  });
});

describe('a long text', () => {
  const file: ContractOperation = {
    operationId: 'exportNames',
    responses: { 200: { description: 'The names.', content: { 'text/csv': {}, 'application/x-ndjson': {} } } },
  };
  let server: Server;
  let rest: () => AsyncGenerator<string, void, undefined>;
  let type: string;
  let losing: AbortController;
  let sent: Promise<void>;
  before(async () => {
    losing = new AbortController();
    const app = express();
    app.get('/', (_req, res) => {
      const body = new TextParts({ type, first: 'a\n', rest: rest(), lost: losing.signal });
      sent = sendReply(res, file, { status: 200, body }, { fallbackType: 'text/plain', xmlOf: () => rules });
      sent.catch(() => {});
    });
    server = createServer(app).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  after(() => server.close());

  async function ask(): Promise<IncomingMessage> {
    const [answer] = await once(get({ port: (server.address() as AddressInfo).port, agent: false }), 'response');
    return answer;
  }

  const textOf = async (answer: IncomingMessage) => Buffer.concat(await answer.toArray()).toString();

  it('is sent part by part, in the media type that it has', async () => {
    for (const [given, shown] of [
      ['text/csv', 'text/csv; charset=utf-8'],
      ['application/x-ndjson', 'application/x-ndjson'],
    ] as const) {
      type = given;
      rest = async function* () {
        yield 'b\n';
        yield 'é\n';
      };
      const answer = await ask();
      assert.equal(answer.headers['content-type'], shown);
      assert.equal(await textOf(answer), 'a\nb\né\n');
      await sent;
    }
  });

  it('a failure aborts it, so that it does not look complete', async () => {
    const begun = Promise.withResolvers<void>();
    rest = async function* () {
      await begun.promise;
      yield 'b';
      throw new Error('the store is gone');
    };
    const answer = await ask();
    begun.resolve();
    await assert.rejects(textOf(answer), { code: 'ECONNRESET' });
    await assert.rejects(sent, /the store is gone/);
  });

  it('is read no further than its client reads, and released when the client leaves', async () => {
    let read = 0;
    const left = Promise.withResolvers<void>();
    rest = async function* () {
      try {
        for (; read < 10_000; read += 1) yield 'x'.repeat(100_000);
      } finally {
        left.resolve();
      }
    };
    const answer = await ask();
    await once(answer, 'readable');
    answer.destroy();
    await left.promise;
    await sent;
    assert.ok(read < 1_000, String(read));
  });

  it('is aborted and released at its limit, even if its client reads nothing', async () => {
    const left = Promise.withResolvers<void>();
    rest = async function* () {
      try {
        for (;;) yield 'x'.repeat(100_000);
      } finally {
        left.resolve();
      }
    };
    const answer = await ask();
    losing.abort(new Error('others wait'));
    await left.promise;
    await assert.rejects(sent, /others wait/);
    await assert.rejects(textOf(answer), { code: 'ECONNRESET' });
  });
});
